"""`ropewalk watch`: look at an evaluation that grows until a requirement is met or contradicted."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from contextlib import nullcontext
from typing import Annotated, Any, Final

import click

import ropewalk as rw
from ropewalk.cli.forms import form_of
from ropewalk.cli.growing import whole_lines
from ropewalk.cli.logs import LogOptions, LongOptions
from ropewalk.cli.output import DATA, DECISION, QUESTION, JsonOption, deciding, echo, quietly
from ropewalk.cli.pairs import PairColumns, asked_of, check_direction, check_pair, read_pair
from ropewalk.errors import InvalidInputError, UnfinishedError
from ropewalk.inference.looks import check_require, region_of
from ropewalk.report.describe.looks import ACT_ON, head_line, look_line
from ropewalk.results.forms import FILE, LONG, OF_LOGS
from ropewalk.results.gates import EXIT_CODES
from ropewalk.results.looks import Look
from ropewalk.results.options import WatchOptions
from ropewalk.results.parsing import parse_number
from ropewalk.text.remarks import in_shell
from ropewalk.text.writing import shorten, terminal, visible

MAX_SECONDS: Final = 86_400.0
USUAL_SECONDS: Final = 60


def parse_seconds(text: str, flag: str) -> float:
    """Read how long to wait."""
    seconds = parse_number(text, flag)
    if not 0 <= seconds <= MAX_SECONDS:
        raise InvalidInputError(
            f"{flag} must be from 0 to {MAX_SECONDS:,.0f} seconds; got {text}.", hint=f"{flag} 60 looks every minute."
        )
    return seconds


class Looking(JsonOption, total=False):
    """When to look, and when to give up."""

    every: Annotated[
        float,
        DECISION(help="Seconds between two looks.", default=USUAL_SECONDS, parse=parse_seconds, metavar="SECONDS"),
    ]
    looks: Annotated[int, DECISION(help="Give up after so many looks.", parse=int, minimum=1)]
    once: Annotated[bool, DECISION(help="Look once: --looks 1.", parse=bool)]


class WatchColumns(PairColumns, total=False):
    """A table that grows, and its columns; or evaluation logs, and their systems."""

    item: Annotated[str, DATA(help="column of items.", forms=(LONG,))]
    prediction: Annotated[str, DATA(help="column of predictions.", forms=(LONG,))]
    lower_is_better: Annotated[bool, QUESTION(help="With --metric mean: less is better.", parse=bool)]


EXAMPLES: Final = (
    "preds.csv --truth y --a new --b old --require better",
    "preds.csv --truth y --a new --b old --margin 2% --every 30",
    "preds.csv --truth y --a new --b old --margin 2% --once --json",
)


class Options(WatchColumns, LongOptions, LogOptions, WatchOptions, Looking, total=False):
    """What `ropewalk watch` takes."""


def run(options: Options) -> None:
    """Look until the bounded outcome is there, or the data are given up."""
    require = check_require(options.get("require", "not-worse"))
    region_of(require, options.get("margin"), higher_is_better=True)  # refuses a margin before anything is read
    if "once" in options and "looks" in options:
        raise InvalidInputError("--once and --looks say how often to look; give one of the two.", hint="leave one out.")
    most = 1 if "once" in options else options.get("looks")
    if most != 1 and "-" in click.get_current_context().obj["line"]:
        raise InvalidInputError("Standard input can be read only once.", hint="--once looks once; or name a file.")
    look: Look | None = None
    done = 0
    try:
        while True:
            done += 1
            look = _look(options, look, waits=most != 1)
            if (look is not None and look.decided) or done == most:
                break
            time.sleep(options.get("every", USUAL_SECONDS))
    except KeyboardInterrupt:  # it is given up, and the lines above say how far it came
        echo("", err=True)
    sys.exit(EXIT_CODES["undecided"] if look is None else look.exit_code)


def _look(options: Options, before: Look | None, *, waits: bool) -> Look | None:
    """Take one look and print it; where nothing can be looked at yet, say so and return the look before."""
    try:
        look = _asked(options, before)
    except UnfinishedError as error:
        if not waits:
            raise
        echo(f"Waiting   {visible(error.message)}", err=True)
        return before
    with deciding(look):
        _print(look, before, options)
    return look


def _print(look: Look, before: Look | None, options: Options) -> None:
    """Print one look, and what is to be known of it."""
    if "json" in options:
        echo(json.dumps(look.to_dict(), ensure_ascii=True, allow_nan=False))
    else:
        known = set() if before is None else {remark.code for remark in before.remarks}
        if before is None:
            echo(head_line(look, terminal))
        echo(look_line(look))
        if before is None:
            echo(f"Note      {ACT_ON}", err=True)
        flags = click.get_current_context().meta["flags"]
        for remark in look.remarks:
            if remark.level == "warning" and remark.code not in known:
                echo(f"Warning   {visible(in_shell(remark.text, flags))}", err=True)
    sys.stdout.flush()  # who reads a pipe sees it now


def _asked(options: Mapping[str, Any], before: Look | None) -> Look:
    """Read the data as they are now, and ask."""
    is_table = form_of(options) in {FILE, LONG}
    with whole_lines(options) if is_table else nullcontext(options) as here:
        form, options = check_pair(here)
        tables, beside = read_pair(form, options)
        check_direction(form, options, tables)
        tasks = dict.fromkeys(task for log in tables for task in log.tasks) if form in OF_LOGS else ()
        if len(tasks) > 1:
            text = f"A requirement is watched on one task, and the logs hold {len(tasks)}: {shorten(tasks, 12)}."
            raise InvalidInputError(text, hint="pick one by --task.")
        asked = asked_of(form, options, WatchOptions, tables, beside)
        return quietly(lambda: rw.watch(*tables, before=before, **beside, **asked))
