"""Evaluation logs that the shell names, and the questions about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, TypedDict

import click

import ropewalk as rw
from ropewalk.cli.output import DATA, answer, with_notes
from ropewalk.cli.reading import LongTableOptions, as_file, flag_of, is_stream, named_files, questions
from ropewalk.data.both import BESIDE_LABELS
from ropewalk.data.logs import Log
from ropewalk.data.records import records_of
from ropewalk.errors import InvalidInputError
from ropewalk.results import Rendered

Options = Mapping[str, Any]


class LogOptions(TypedDict, total=False):
    """What is meant in evaluation logs."""

    scorer: Annotated[str, DATA(help="Logs: which of their scores.")]
    filter: Annotated[str, DATA(help="Logs: which filter of the answers.")]
    task: Annotated[str, DATA(help="Logs: which task.")]
    qrels: Annotated[str, DATA(help="Search runs: relevance judgements.", metavar="FILE", is_input=True)]


class LongOptions(TypedDict, total=False):
    """The columns of a table of one row per system and item."""

    system: Annotated[str, DATA(help="One row per system and item: column of systems, with --item.")]
    score: Annotated[str, DATA(help="With --system: column of scores; else --truth and --prediction.")]
    repeat: Annotated[str, DATA(help="With --system: column that numbers answers to the same item.")]


OF_LOGS: Final = (*LogOptions.__annotations__, *LongOptions.__annotations__)
"""Options that tables would pass over in silence."""

_OF_LONG: Final = ("item", "score", "truth", "prediction", "repeat", "cluster")
"""Options that name columns of a long table, beside its systems and tasks."""

OF_ROWS: Final = ("sample_weight", "count", *LongTableOptions.__annotations__, *BESIDE_LABELS)
_NOT_OF_LOGS: Final = ("truth", "prediction", "score", "repeat", "id", "labels", "threshold", "per_class", *OF_ROWS)
"""Options that logs would: what they say themselves."""


def are_logs(options: Options) -> bool:
    """Whether FILE is an evaluation log, a folder of them or a long table: by other options, or its content tells."""
    if "system" in options or "other" in options or "others" in options:
        return True
    file = options["file"]
    known = isinstance(file, rw.Query) or is_stream(file)
    if "truth" in options or known:
        return False
    from ropewalk.data.logs.registry import is_log  # all readers, which tables do not need

    return with_notes(lambda: is_log(file))


def read_logs(options: Options, files: Sequence[str]) -> tuple[Log, ...]:
    """Open evaluation logs, with the score, filter, task and clusters that are meant."""
    chosen = {name: options[name] for name in (*OF_LOGS, "cluster") if name in options}
    return with_notes(lambda: tuple(rw.read_log(file, **chosen) for file in files))


def read_all(options: Options) -> tuple[Log, ...]:
    """Open all evaluation logs that a line names, or the long table."""
    if "system" in options:
        return (_long_table(options),)
    return read_logs(options, named_files(options))


def _long_table(options: Options) -> Log:
    """Open a table of one row per system and item; `--task` names a column of tasks, or one of the tasks."""
    file, task = options["file"], options.get("task")
    columns = {name: options[name] for name in _OF_LONG if name in options}
    present = with_notes(records_of(file).names)
    if task in present or "task" not in present:
        columns, task = {**columns, **({} if task is None else {"task": task})}, None
    log = with_notes(lambda: rw.read_long(file, system=options["system"], **columns))
    return log if task is None else log.only(task=task)


def refuse_tables(options: Options, *but: str) -> None:
    """Refuse what does not go with evaluation logs, but for some options; and what does not go with long tables."""
    if "system" in options:
        unused = [name for name in (*_NOT_OF_LOGS, "scorer", "filter", "qrels", "other") if name not in _OF_LONG]
        refuse(options, unused, "--system")
    else:
        hint = "leave it out; two tables are named by --file-a and --file-b." if "other" in options else "leave it out."
        refuse(options, [name for name in _NOT_OF_LOGS if name not in but], "evaluation logs", hint)


def ask_logs(options: Options, kind: type, verb: Callable[..., Rendered], *names: str, **chosen: Any) -> None:
    """Ask about the logs that a line names; `names` and `chosen` say which of their systems are meant."""
    refuse_tables(options, *(["prediction"] if names else []))  # by which `evaluate` names a system
    with as_file(options["file"]) as file:
        logs = read_all({**options, "file": file})
        answer(options, verb, *logs, *names, **chosen, **questions_on(logs, options, kind))


def questions_on(logs: Sequence[Log], options: Options, kind: type) -> dict[str, Any]:
    """Return the options of a function that takes `kind`, about logs, which are paired when they are asked."""
    asked = questions(options, kind, _labels_in(logs[0], options))
    return asked | {name: options[name] for name in ("missing", "unmatched") if name in options}


def _labels_in(log: Log, options: Options) -> Sequence[str]:
    """Return the labels of a log, which is read for them, where an option names some."""
    if not any(name in options for name in ("pos_label", "classes", "prevalence")):
        return ()
    return sorted({label for row in log.rows() for label in (row.truth, row.prediction) if label is not None})


def refuse(options: Options, unused: Sequence[str], form: str, hint: str = "leave it out.") -> None:
    """Refuse options that data of a form would pass over in silence."""
    flags = click.get_current_context().meta["flags"]
    for name in unused:
        if name in options:
            raise InvalidInputError(f"{flags.get(name, flag_of(name))} does not go with {form}.", hint=hint)
