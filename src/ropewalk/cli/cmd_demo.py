"""`ropewalk demo`: two classifiers on the bundled predictions."""

from __future__ import annotations

from typing import Annotated, Final

import click

import ropewalk as rw
from ropewalk._files import write_file
from ropewalk.cli.output import OUTPUT, WRITTEN, quietly
from ropewalk.report.terminal import body
from ropewalk.results.options import SeedOption
from ropewalk.text.writing import visible

EXAMPLES: Final = ("", "--data preds.csv.gz")


class Options(SeedOption, total=False):
    """What `ropewalk demo` takes."""

    html: Annotated[str, OUTPUT(help="Where to write the page.", shell_default="ropewalk-demo.html", metavar=WRITTEN)]
    data: Annotated[str, OUTPUT(help="Also copy the predictions there, as a .csv.gz file.", metavar=WRITTEN)]


def run(options: Options) -> None:
    """Compare two text classifiers, class by class."""
    news = rw.examples.news20()
    outcomes = news.outcomes.relabel(news.class_names)
    table = quietly(lambda: rw.compare_classes(outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=options["rng"]))
    table.to_html(options["html"])
    if "data" in options:
        write_file(options["data"], rw.examples.news20_path().read_bytes())
        click.echo(f"Wrote {visible(options['data'])}", err=True)
    click.echo("Two text classifiers, naive Bayes (nb_mult) and a linear SVM (svm_l2), on 7,532 newsgroup posts.")
    click.echo("For which newsgroups is one really better, if a difference of 0.05 in F1 is the least that matters?\n")
    motorcycles = table[news.class_names.index("rec.motorcycles")]
    click.echo(f"One of them:\n\n{body(motorcycles)}\n")
    click.echo(f"All of them, also in {visible(options['html'])}:\n\n{body(table)}\n")
    settled = sum(comparison.conclusive for comparison in table)
    click.echo(f"{settled} of {len(table)} classes are settled; for the others more data are needed.")
