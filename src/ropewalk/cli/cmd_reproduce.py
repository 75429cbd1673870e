"""`ropewalk reproduce`: the papers' tables beside ours."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import click

from ropewalk.cli.output import OUTPUT, JsonOption, quietly
from ropewalk.errors import InvalidInputError
from ropewalk.papers import icdm2015, power_table, published_tables, sigir2016, sigir2016_power
from ropewalk.results.options import DrawsOption, RunOptions
from ropewalk.text.writing import visible

EXAMPLES: Final = ("sigir2016", "icdm2015 --figures figures")


class Options(DrawsOption, RunOptions, JsonOption, total=False):
    """What `ropewalk reproduce` takes."""

    paper: Annotated[str, OUTPUT(help="sigir2016 or icdm2015", flag="PAPER", required=True)]
    power: Annotated[
        bool, OUTPUT(help="Table 3 of sigir2016 instead: simulate how often the goals are reached.", parse=bool)
    ]
    figures: Annotated[str, OUTPUT(help="Also draw the paper's figures there (SVG, PNG).", metavar="DIR")]


def run(options: Options) -> None:
    """Print a paper's tables."""
    papers, paper = {"sigir2016": sigir2016, "icdm2015": icdm2015}, options["paper"]
    if paper not in papers:
        raise InvalidInputError(f"There is no paper {paper!r} to reproduce.", hint=f"choose from: {', '.join(papers)}.")
    if "power" in options and (paper != "sigir2016" or "figures" in options):
        raise InvalidInputError("--power is about a table of sigir2016, and has no figures.", hint="leave one out.")
    how: dict[str, Any] = {"seed": options["rng"], "threads": options.get("threads", 1)}
    draws = options.get("draws", "auto")
    if "power" in options:
        cells = list(sigir2016_power(draws=2_000 if draws == "auto" else draws, **how))
        _print(options, cells, {"table": 3}, power_table)
        return
    from ropewalk.papers import draw_figures, make_folder

    folder = make_folder(options["figures"]) if "figures" in options else None
    rows = quietly(lambda: list(papers[paper](draws=draws, **how)))
    if folder is not None:
        for path in draw_figures(paper, rows, folder):
            click.echo(f"Wrote {visible(str(path))}", err=True)
    _print(options, rows, {"agree": sum(row.agrees for row in rows), "of": len(rows)}, published_tables)


def _print(options: Options, rows: list[Any], facts: dict[str, Any], table: Any) -> None:
    """Print rows as JSON with what is known of all of them, or as a table of text."""
    if "json" not in options:
        click.echo(table(rows))
        return
    content = {"schema": 1, "paper": options["paper"], **facts, "rows": [row.to_dict() for row in rows]}
    click.echo(json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2))
