"""Evaluation logs that the shell names, and the questions about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, TypedDict

import ropewalk as rw
from ropewalk.cli.output import DATA, answer, with_notes
from ropewalk.cli.reading import named_files, questions
from ropewalk.data.kinds import TABLE, kind_of
from ropewalk.data.logs import Log
from ropewalk.data.records import records_of
from ropewalk.errors import FileFormatError
from ropewalk.results import Rendered
from ropewalk.results.forms import COUNTS, LOGS, LONG, OF_LOGS, OF_ROWS

Options = Mapping[str, Any]


OTHER: Final = partial(DATA, flag="LOG", is_input=True, forms=(LOGS, COUNTS))
"""A log, or counts, beside FILE."""


class LogOptions(TypedDict, total=False):
    """What is meant in evaluation logs."""

    scorer: Annotated[str, DATA(help="which of their scores.", forms=(LOGS,))]
    filter: Annotated[str, DATA(help="which filter of the answers.", forms=(LOGS,))]
    task: Annotated[str, DATA(help="which task.", forms=OF_LOGS)]
    qrels: Annotated[
        str, DATA(help="relevance judgements of search runs.", metavar="FILE", is_input=True, forms=(LOGS,))
    ]


class LongOptions(TypedDict, total=False):
    """The columns of a table of one row per system and item."""

    system: Annotated[str, DATA(help="One row per system and item: column of systems, with --item.", forms=(LONG,))]
    score: Annotated[str, DATA(help="column of scores; else --truth and --prediction.", forms=(LONG,))]
    repeat: Annotated[str, DATA(help="column that numbers answers to the same item.", forms=(LONG,))]


class TaskColumn(TypedDict, total=False):
    """Tasks, of tables and of logs."""

    task: Annotated[str, DATA(help="Column of tasks, taken together; of logs, which task.", forms=OF_ROWS)]


_OF_LONG: Final = ("item", "score", "truth", "prediction", "repeat", "cluster")
"""Options that name columns of a long table, beside its systems and tasks."""


def read_logs(options: Options, files: Sequence[str]) -> tuple[Log, ...]:
    """Open evaluation logs, with the score, filter, task and clusters that are meant."""
    chosen = {name: options[name] for name in (*LogOptions.__annotations__, "cluster") if name in options}
    return with_notes(lambda: tuple(rw.read_log(file, **chosen) for file in files))


def read_all(options: Options) -> tuple[Log, ...]:
    """Open all evaluation logs that a line names, or the long table."""
    if "system" in options:
        return (_long_table(options),)
    files = named_files(options)
    try:
        return read_logs(options, files)
    except FileFormatError as error:
        if len(files) == 1 or any(kind_of(file) is not TABLE for file in files):
            raise
        hint = "two tables are compared by --file-a, --file-b, --id and --prediction."
        raise FileFormatError(error.message, hint=hint) from error


def _long_table(options: Options) -> Log:
    """Open a table of one row per system and item; `--task` names a column of tasks, or one of the tasks."""
    file, task = options["file"], options.get("task")
    columns = {name: options[name] for name in _OF_LONG if name in options}
    present = with_notes(records_of(file).names)
    if task in present or "task" not in present:
        columns, task = {**columns, **({} if task is None else {"task": task})}, None
    log = with_notes(lambda: rw.read_long(file, system=options["system"], **columns))
    return log if task is None else log.only(task=task)


def ask_logs(options: Options, kind: type, verb: Callable[..., Rendered], *names: str, **chosen: Any) -> None:
    """Ask about the logs that a line names; `names` and `chosen` say which of their systems are meant."""
    logs = read_all(options)
    answer(options, verb, *logs, *names, **chosen, **questions_on(logs, options, kind))


def questions_on(logs: Sequence[Log], options: Options, kind: type) -> dict[str, Any]:
    """Return the options of a function that takes `kind`, about logs, which are paired when they are asked."""
    asked = questions(options, kind, _labels_in(logs[0], options))
    asked.pop("task", None)  # the logs were opened for it
    return asked | {name: options[name] for name in ("missing", "unmatched") if name in options}


def _labels_in(log: Log, options: Options) -> Sequence[str]:
    """Return the labels of a log, which is read for them, where an option names some."""
    if not any(name in options for name in ("pos_label", "classes", "prevalence")):
        return ()
    return sorted({label for row in log.rows() for label in (row.truth, row.prediction) if label is not None})
