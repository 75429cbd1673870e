"""`ropewalk reproduce`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import click

from ropewalk.cli.output import JsonOption, quietly
from ropewalk.errors import InvalidInputError
from ropewalk.papers import (
    draw_figures,
    icdm2015,
    make_folder,
    power_table,
    published_tables,
    sigir2016,
    sigir2016_power,
)
from ropewalk.results.options import DrawsOption, Option, RunOptions
from ropewalk.text.writing import visible


class Options(DrawsOption, RunOptions, JsonOption, total=False):
    """What the command takes."""

    paper: Annotated[str, Option(group="Output", help="sigir2016 or icdm2015", flag="PAPER", required=True)]
    power: Annotated[
        bool,
        Option(
            group="Output", help="Table 3 of sigir2016 instead: simulate how often the goals are reached.", parse=bool
        ),
    ]
    figures: Annotated[
        str, Option(group="Output", help="Also draw the paper's figures there (SVG, PNG).", metavar="DIR")
    ]


def run(options: Options) -> None:
    """Print a paper's tables."""
    papers, paper = {"sigir2016": sigir2016, "icdm2015": icdm2015}, options["paper"]
    if paper not in papers:
        raise InvalidInputError(f"There is no paper {paper!r} to reproduce.", hint=f"choose from: {', '.join(papers)}.")
    if "power" in options:
        _reproduce_power(options)
        return
    folder = make_folder(options["figures"]) if "figures" in options else None
    draws, threads = options.get("draws", "auto"), options.get("threads", 1)
    rows = quietly(lambda: list(papers[paper](draws=draws, seed=options["rng"], threads=threads)))  # type: ignore[arg-type]
    if folder is not None:
        for path in draw_figures(paper, rows, folder):
            click.echo(f"Wrote {visible(str(path))}", err=True)
    if "json" in options:
        _print_json({"agree": sum(row.agrees for row in rows), "of": len(rows)}, paper, rows)
    else:
        click.echo(published_tables(rows))


def _reproduce_power(options: Options) -> None:
    if options["paper"] != "sigir2016" or "figures" in options:
        raise InvalidInputError("--power is about a table of sigir2016, and has no figures.", hint="leave one out.")
    draws = options.get("draws", "auto")
    number = 2_000 if draws == "auto" else draws
    cells = list(sigir2016_power(draws=number, seed=options["rng"], threads=options.get("threads", 1)))  # type: ignore[arg-type]
    if "json" in options:
        _print_json({"table": 3}, options["paper"], cells)
    else:
        click.echo(power_table(cells))


def _print_json(facts: dict[str, Any], paper: str, rows: list[Any]) -> None:
    answer = {"schema": 1, "paper": paper, **facts, "rows": [row.to_dict() for row in rows]}
    click.echo(json.dumps(answer, ensure_ascii=False, allow_nan=False, indent=2))
