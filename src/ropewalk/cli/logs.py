"""Evaluation logs that the shell names, and the questions about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final, TypedDict

import click

import ropewalk as rw
from ropewalk.cli.output import DATA, answer, with_notes
from ropewalk.cli.reading import LongTableOptions, flag_of, is_stream, questions
from ropewalk.data.both import BESIDE_LABELS
from ropewalk.data.logs import Log, is_log
from ropewalk.errors import InvalidInputError
from ropewalk.results import Rendered

Options = Mapping[str, Any]


class LogOptions(TypedDict, total=False):
    """What is meant in evaluation logs."""

    scorer: Annotated[str, DATA(help="Logs: which of their scores.")]
    filter: Annotated[str, DATA(help="Logs: which filter of the answers.")]
    task: Annotated[str, DATA(help="Logs: which task.")]
    qrels: Annotated[str, DATA(help="Search runs: relevance judgements.", metavar="FILE", is_input=True)]


OF_LOGS: Final = tuple(LogOptions.__annotations__)
"""Options that tables would pass over in silence."""

OF_ROWS: Final = ("sample_weight", "count", *LongTableOptions.__annotations__, *BESIDE_LABELS)
NOT_OF_LOGS: Final = ("truth", "id", "labels", "threshold", *OF_ROWS)
"""Options that logs would: what they say themselves."""


def are_logs(options: Options) -> bool:
    """Whether FILE is an evaluation log or a folder of them: several are given, or its content tells."""
    if "other" in options or "others" in options:
        return True
    return "truth" not in options and not is_stream(options["file"]) and with_notes(lambda: is_log(options["file"]))


def read_logs(options: Options, files: Sequence[str]) -> tuple[Log, ...]:
    """Open evaluation logs, with the score, filter, task and clusters that are meant."""
    chosen = {name: options[name] for name in (*OF_LOGS, "cluster") if name in options}
    return with_notes(lambda: tuple(rw.read_log(file, **chosen) for file in files))


def read_all(options: Options) -> tuple[Log, ...]:
    """Open all evaluation logs that a line names."""
    return read_logs(
        options, [options["file"], *([options["other"]] if "other" in options else options.get("others", ()))]
    )


def ask_logs(options: Options, kind: type, verb: Callable[..., Rendered], *names: str, **chosen: Any) -> None:
    """Ask about the logs that a line names; `names` and `chosen` say which of their systems are meant."""
    refuse(options, NOT_OF_LOGS, "evaluation logs")
    logs = read_all(options)
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
