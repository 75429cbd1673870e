"""Files of counts that the shell names in place of rows, and the questions about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ropewalk.cli.logs import OF_LOGS, refuse
from ropewalk.cli.output import answer
from ropewalk.cli.reading import LongTableOptions, is_stream, questions, read_declared
from ropewalk.data.both import BESIDE_LABELS
from ropewalk.data.counts import is_counts
from ropewalk.data.inputs import Names, read_outcomes_of
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.results import Rendered

Options = Mapping[str, Any]

NOT_OF_COUNTS: Final = ("items", "by", "threshold", "unmatched", *LongTableOptions.__annotations__, *BESIDE_LABELS)
"""What is asked of rows, and cannot be of counts."""

_HINT: Final = "counts hold no rows: leave it out, or give the rows themselves."
_USAGE: Final = "--a and --b, --prediction or --predictions name them."


def are_counts(options: Options) -> bool:
    """Whether FILE holds counts, and so do others beside it."""
    files = [options[name] for name in ("file", "other") if name in options] + [*options.get("others", ())]
    return bool(files) and not any(map(is_stream, files)) and all(map(is_counts, files))


def read_counted(options: Options, systems: Names | None) -> tuple[AnyOutcomes, ...]:
    """Read one file of counts, or one of each system from separate test sets; `systems` are those that are meant."""
    refuse(options, (*NOT_OF_COUNTS, *OF_LOGS), "counts", _HINT)
    files = [options["file"], *([options["other"]] if "other" in options else options.get("others", ()))]
    return read_declared(
        options, lambda labels: read_outcomes_of(files, systems, {**options, "labels": labels}, usage=_USAGE)
    )


def ask_counts(
    options: Options, kind: type, verb: Callable[..., Rendered], systems: Sequence[str | None] | None, **chosen: Any
) -> None:
    """Ask about the counts that a line names."""
    tables = read_counted(options, systems)
    answer(options, verb, *tables, **chosen, **questions(options, kind, tables[0].labels))
