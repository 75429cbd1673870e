"""The commands about the bundled examples: a demonstration, and the papers' tables and figures beside ours."""

from __future__ import annotations

import json
from typing import Annotated

import typer

import ropewalk as rw
from ropewalk._files import write_file
from ropewalk.cli import options as opt
from ropewalk.cli.shell import parse_draws
from ropewalk.cli.terminal import quietly
from ropewalk.errors import InvalidInputError
from ropewalk.papers.tables import icdm2015, sigir2016
from ropewalk.report import body
from ropewalk.text.names import visible


def demo(
    html: Annotated[str, typer.Option("--html", metavar="OUT", help="Where to write the page.")] = "ropewalk-demo.html",
    data: Annotated[
        str | None, typer.Option("--data", metavar="OUT", help="Also copy the predictions there, as a .csv.gz file.")
    ] = None,
    seed: opt.Seed = 0,
) -> None:
    """Compare two text classifiers on the bundled 20-newsgroups predictions."""
    news = rw.examples.news20()
    outcomes = news.outcomes.relabel(news.class_names)
    table = quietly(lambda: rw.compare_classes(outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=seed))
    table.to_html(html)
    if data is not None:
        write_file(data, rw.examples.news20_path().read_bytes())
    typer.echo("Two text classifiers, naive Bayes (nb_mult) and a linear SVM (svm_l2), on 7,532 newsgroup posts.")
    typer.echo("For which newsgroups is one really better, if a difference of 0.05 in F1 is the least that matters?\n")
    motorcycles = table[news.class_names.index("rec.motorcycles")]
    typer.echo(f"One of them:\n\n{body(motorcycles)}\n")
    typer.echo(f"All of them, also in {visible(html)}:\n\n{body(table)}\n")
    settled = sum(comparison.conclusive for comparison in table)
    typer.echo(f"{settled} of {len(table)} classes are settled; for the others more data are needed.")


def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="sigir2016 or icdm2015")],
    draws: opt.Draws = "auto",
    seed: opt.Seed = 0,
    threads: opt.Threads = 1,
    power: Annotated[
        bool, typer.Option("--power", help="Table 3 of sigir2016 instead: simulate how often the goals are reached.")
    ] = False,
    figures: Annotated[
        str | None,
        typer.Option("--figures", metavar="DIR", help="Also draw the paper's figures there (SVG, PNG)."),
    ] = None,
    as_json: opt.Json = False,
) -> None:
    """Print a paper's tables beside ours, from the bundled predictions."""
    papers = {"sigir2016": sigir2016, "icdm2015": icdm2015}
    if paper not in papers:
        raise InvalidInputError(f"There is no paper {paper!r} to reproduce.", hint=f"choose from: {', '.join(papers)}.")
    if power:
        _reproduce_power(paper, draws, seed, threads, figures, as_json=as_json)
        return
    from ropewalk.papers.figures import draw_figures, make_folder

    number = parse_draws(draws)
    folder = None if figures is None else make_folder(figures)
    rows = quietly(lambda: list(papers[paper](draws=number, seed=seed, threads=threads)))
    if folder is not None:
        for path in draw_figures(paper, rows, folder):
            typer.echo(f"Wrote {visible(str(path))}", err=True)
    if as_json:
        told = {
            "schema": 1,
            "paper": paper,
            "agree": sum(row.agrees for row in rows),
            "of": len(rows),
            "rows": [row.to_dict() for row in rows],
        }
        typer.echo(json.dumps(told, ensure_ascii=False, allow_nan=False, indent=2))
        return
    from ropewalk.papers.side_by_side import published_tables

    typer.echo(published_tables(rows))


def _reproduce_power(paper: str, draws: str, seed: int, threads: int, figures: str | None, *, as_json: bool) -> None:
    from ropewalk.papers.side_by_side import power_table
    from ropewalk.papers.tables import sigir2016_power

    if paper != "sigir2016" or figures is not None:
        raise InvalidInputError("--power is about a table of sigir2016, and has no figures.", hint="leave one out.")
    number = 2_000 if draws == "auto" else parse_draws(draws)
    cells = list(sigir2016_power(draws=number, seed=seed, threads=threads))
    if as_json:
        told = {"schema": 1, "paper": paper, "table": 3, "rows": [cell.to_dict() for cell in cells]}
        typer.echo(json.dumps(told, ensure_ascii=False, allow_nan=False, indent=2))
        return
    typer.echo(power_table(cells))
