"""`ropewalk gate`: may a candidate replace its base line? The exit code says so."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Final

import click

import ropewalk as rw
from ropewalk.cli.counts import read_counted
from ropewalk.cli.forms import form_of, refuse_idle
from ropewalk.cli.logs import LogOptions, LongOptions, TaskColumn
from ropewalk.cli.output import (
    DECISION,
    INPUT_FILE,
    OUTPUT,
    WRITTEN,
    OutputOptions,
    answer,
    check_output,
    deciding,
    echo,
    is_machine_readable,
)
from ropewalk.cli.pairs import PairColumns, PairFiles, asked_of, check_direction, check_pair, read_pair
from ropewalk.cli.reading import (
    VerbOptions,
    flag_of,
    questions,
    read_file,
    require_columns_of,
    truth_of,
    with_accuracy,
)
from ropewalk.data.inputs import has_logs
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.gating.requirements import read_requirements
from ropewalk.inference.question import metrics_of
from ropewalk.results.forms import COUNTS, FILE
from ropewalk.results.gates import Requirement
from ropewalk.results.options import GateOptions, Option

SUMMARY_PATH: Final = "GITHUB_STEP_SUMMARY"
"""The variable by which GitHub names the file of a step's summary."""

OUTPUT_PATH: Final = "GITHUB_OUTPUT"
"""That of the file of its outputs."""

EXAMPLES: Final = (
    "logs/new.eval logs/old.eval --require not-worse --margin 2%",
    "p.csv --truth y --a new --b old --require better --junit g.xml",
    "p.csv --truth y --a new --b old --require 'f1 not-worse 2%'",
    "p.csv --truth y --a new --baseline old.json --margin 2%",
    "p.csv --truth y --a new --b old --margin 2% --self-check",
)


class Options(
    PairColumns,
    PairFiles,
    LongOptions,
    LogOptions,
    GateOptions,
    TaskColumn,
    VerbOptions,
    OutputOptions,
    total=False,
):
    """What `ropewalk gate` takes."""

    baseline: Annotated[str, INPUT_FILE(help="A saved result in place of B: JSON of evaluate or compare.")]
    config: Annotated[
        str,
        DECISION(
            help="TOML with [tool.ropewalk.gate]: by default pyproject.toml here or above.",
            metavar="FILE",
            is_input=True,
        ),
    ]
    junit: Annotated[str, OUTPUT(help="Also write JUnit XML, a test case per requirement and task.", metavar=WRITTEN)]
    github: Annotated[bool, OUTPUT(help="Also append a summary of the step, and print annotations.", parse=bool)]


def run(options: Options) -> None:
    """Hold a candidate against its base line; exit with 0, 1 or 3."""
    given: dict[str, Any] = {**options}
    requirements = read_requirements(given.get("require", "not-worse"), given.get("margin"), metrics_of(given))
    metrics = list(dict.fromkeys(requirement.metric for requirement in requirements))
    given |= {"metric": metrics if len(metrics) > 1 else metrics[0]}
    if metrics == [None]:
        del given["metric"]
    if "github" in given:
        given["github"] = _summary_file(given)
    data, asked = _read_saved(given) if "baseline" in given else _read(given)
    named = dict(zip(metrics, metrics_of(asked.pop("known", given)), strict=True))
    asked |= {"require": [_by_metric(requirement, named) for requirement in requirements]}
    for name in ("metric", "margin"):
        asked.pop(name, None)
    result = answer(given, rw.gate, *data, **asked)
    if "github" in given:
        from ropewalk.report.github import annotation_lines

        with deciding(result):
            for line in annotation_lines(result):
                echo(line, err=is_machine_readable(given))
    sys.exit(result.exit_code)


def _by_metric(requirement: Requirement, named: Mapping[Any, Any]) -> Requirement:
    """Return a requirement with its metric as the data have it: answers known to be right have an accuracy."""
    return replace(requirement, metric=named[requirement.metric])


def _read(options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Read the data of both systems; return them, and what is asked about them."""
    form, checked = check_pair(options)
    tables, beside = read_pair(form, checked)
    check_direction(form, checked, tables)
    asked = asked_of(form, checked, GateOptions, tables, beside)
    if "task" in asked and has_logs(tables):
        del asked["task"]
    return tables, {**beside, **asked, "known": checked}


def _read_saved(options: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Read the data of the candidate, whose base line was measured before."""
    form = form_of(options)
    refuse_idle(options, form)
    if "other" in options:
        raise InvalidInputError("--baseline stands in place of a second file.", hint="leave one of the two out.")
    named: dict[str, Any] = {name: options[name] for name in ("baseline", "b") if name in options}
    if form == COUNTS:
        tables = read_counted(options, [options.get("a")])
    elif form == FILE:
        options = {**with_accuracy(options, [options.get("a")])}
        require_columns_of(options, (*truth_of(options), "a"))
        tables = (read_file(options, [options["a"]]),)
    else:
        raise DataError(
            f"A saved base line goes with the labels of one table; this is {form}.",
            hint="keep the base line's own log, and give both: they are paired item by item, which tells more.",
        )
    asked = questions(options, GateOptions, tables[0].labels)
    return tables, {**asked, **named, "known": options}


def _summary_file(options: Mapping[str, Any]) -> str:
    """Return the file of the step's summary; it and that of outputs must be none that the line reads or writes."""
    path = os.environ.get(SUMMARY_PATH, "")
    if not path:
        raise InvalidInputError(
            f"--github appends to the file that {SUMMARY_PATH} names, and it names none.",
            hint=f"GitHub sets it; elsewhere: {SUMMARY_PATH}=summary.md ropewalk gate … --github",
        )
    known: Mapping[str, Option] = click.get_current_context().meta["options"]
    read = [str(options[name]) for name, option in known.items() if option.is_input and name in options]
    written = {name: flag_of(name) for name, option in known.items() if option.metavar == WRITTEN and name in options}
    for place in filter(None, (path, os.environ.get(OUTPUT_PATH))):
        check_output({**options, "github": place}, read, {**written, "github": "--github"})
    return path
