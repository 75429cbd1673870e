"""What a file is: one list of the kinds that are known, by their content, in the order in which they are tried."""

from __future__ import annotations

import os
from codecs import BOM_UTF8
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from ropewalk._files import shorten_path
from ropewalk.data.counts import says_counts
from ropewalk.data.databases import refuse_database
from ropewalk.data.databases.connecting import kind_of_file
from ropewalk.data.documents import is_answer, is_qrels, is_scenario
from ropewalk.data.opening import opened
from ropewalk.data.patterns import is_pattern, tables_in
from ropewalk.errors import FileFormatError, RopewalkError

_HEAD_BYTES: Final = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """A kind of file: what it holds in plain words, how it is known, and what reads it.

    `recognises(path, head)` gets the first bytes, unpacked, from the first that is no mark and no white space; of a
    folder or a pattern there are none. `reader` is the hint where rows of a table were looked for; what
    `has_rows` may be read as one.
    """

    name: str
    recognises: Callable[[str, bytes], bool]
    reader: str
    has_rows: bool = False


def _is_log(path: str, _head: bytes) -> bool:
    from ropewalk.data.logs.registry import is_log  # all readers of logs, which nothing else needs

    return is_log(path)


DATABASE: Final = Kind(
    name="a database",
    recognises=lambda path, _: kind_of_file(path) is not None,
    reader="rw.read_sql reads the rows of a query.",
)
COUNTS: Final = Kind(name="counts", recognises=lambda _, head: says_counts(head), reader="rw.read_counts reads it.")
ANSWER: Final = Kind(
    name="an answer of ropewalk", recognises=is_answer, reader="ropewalk plan --from takes a comparison."
)
SCENARIO: Final = Kind(
    name="a scenario of test sets to come", recognises=is_scenario, reader="ropewalk plan and power take it."
)
QRELS: Final = Kind(
    name="relevance judgements",
    recognises=lambda _, head: is_qrels(head),
    reader="runs of search systems are judged by it: --qrels names it.",
)
LOGS: Final = Kind(name="evaluation logs", recognises=_is_log, reader="rw.read_log opens it.", has_rows=True)
TABLE: Final = Kind(
    name="a table", recognises=lambda _path, _head: True, reader="rw.read_outcomes counts it.", has_rows=True
)

KINDS: Final = [DATABASE, COUNTS, ANSWER, SCENARIO, QRELS, LOGS]
"""The kinds that are known, the first that recognises a file; one of your own is one line more. The rest are tables."""


def kind_of(path: Any, among: Sequence[Kind] | None = None) -> Kind:
    """Return the kind of a file, a folder or the files that a pattern names; the content tells.

    What cannot be read is taken for a table, whose reader says why.

    Examples
    --------
    >>> kind_of("no such file.json").name
    'a table'
    """
    if not isinstance(path, str | os.PathLike):
        return TABLE
    path, head = os.fspath(path), b""
    if not is_pattern(path) and not os.path.isdir(path):  # noqa: PTH112 - a name as the user wrote it
        try:
            with opened(path) as stream:
                head = stream.read(_HEAD_BYTES).removeprefix(BOM_UTF8).lstrip()
        except (RopewalkError, OSError, ValueError):
            return TABLE
    for kind in KINDS if among is None else among:
        with suppress(RopewalkError, OSError, ValueError):
            if kind.recognises(path, head):
                return kind
    return TABLE


def require_rows(path: str | os.PathLike[str]) -> None:
    """Refuse a file that holds no rows, or whose first one does not, of several.

    Examples
    --------
    >>> require_rows("no such file.csv")
    """
    path = tables_in(path)[0]
    kind = kind_of(path, [kind for kind in KINDS if not kind.has_rows])
    if kind is DATABASE:
        refuse_database(path)
    if kind is not TABLE:
        raise FileFormatError(f"{shorten_path(path)} holds {kind.name}, and no rows.", hint=kind.reader)
