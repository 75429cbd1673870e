"""CSV and TSV: a header and a row of cells per item, cells separated by a comma, a tab, a semicolon or a bar."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import threading
from collections.abc import Collection, Iterator, Sequence
from typing import IO, Any, Final, cast

from ropewalk.data.columns import Rows, require_columns
from ropewalk.data.formats.duck import Layout, count_delimited, delimited_arrays
from ropewalk.data.formats.duck_session import DuckSession
from ropewalk.data.formats.form import FIELD_CAP, TOO_LONG, Format, is_too_long
from ropewalk.data.opening import UTF16_MARKS, Metered, is_wide
from ropewalk.errors import FileFormatError, RopewalkError
from ropewalk.text.writing import count_of

ROW_CAP: Final = 16 * FIELD_CAP
"""The longest row of a CSV file, in bytes: of all its fields together."""

_CUT: Final = "it is the last line: the file may be cut off; copy or write it again."
_SEPARATORS: Final = (",", "\t", ";", "|")


@contextlib.contextmanager
def csv_rows(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[tuple[Any, str, Metered]]:
    """Open a text of rows: their reader, the separator, and the meter that holds how long the row is."""
    wide = is_wide(stream)
    meter = Metered(stream, shown, ROW_CAP, wide=wide)
    encoding = "utf-16" if wide else "utf-8-sig"
    text = io.TextIOWrapper(cast("Any", meter), encoding=encoding, newline="")
    try:
        with _field_limit:
            separator = _separator(text, columns)
            reader = csv.reader(text, delimiter=separator, strict=True)
            try:
                yield reader, separator, meter
            except csv.Error as error:
                problem = TOO_LONG if "field larger" in str(error) else error
                raise FileFormatError(
                    f"{shown}, line {reader.line_num}: {problem}.",
                    hint="look for a quotation mark that is never closed; labels are short.",
                ) from error
    finally:
        text.detach()  # the stream belongs to who opened it


def _csv_records(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[tuple[str | None, ...]]:
    """Yield the wanted cells of each line; an empty cell is null, everything else is text as it stands."""
    with csv_rows(stream, columns, shown) as (reader, separator, meter):
        header: list[str] = next(reader, [])
        require_columns(header, columns, shown)
        for name in columns:
            if header.count(name) > 1:
                raise FileFormatError(
                    f"{shown} has {header.count(name)} columns named {name!r}.", hint="give each a name of its own."
                )
        places = [header.index(name) for name in columns]
        width = len(header)
        for row in reader:
            if len(row) != width:
                if not row:
                    continue
                n_fields = count_of(len(row), "field")
                problem = f"{shown}, line {reader.line_num}: {n_fields} where the header has {width}."
                is_cut = len(row) < width and _is_last(reader)
                raise FileFormatError(problem, hint=_CUT if is_cut else _quote_it(separator))
            if width > 1 and row[-1] == header[-1] and _repeats(row, header):
                raise FileFormatError(
                    f"{shown}, line {reader.line_num} repeats the header.",
                    hint="files were joined with it: delete the line, or name the files by a pattern, as 'part*.csv'.",
                )
            meter.since = 0
            cells = tuple([row[i] or None for i in places])
            if any(cell is not None and is_too_long(cell) for cell in cells):
                raise FileFormatError(f"{shown}, line {reader.line_num}: {TOO_LONG}.", hint="labels are short.")
            if any(cell is not None and "\0" in cell for cell in cells):  # of UTF-16; others are refused before
                raise FileFormatError(
                    f"{shown}, line {reader.line_num}: a label holds a null character.", hint="write or copy it again."
                )
            yield cells


def _is_last(reader: Any) -> bool:
    """Whether nothing follows that can be read."""
    with contextlib.suppress(csv.Error, ValueError, RopewalkError):
        return next(reader, None) is None
    return False


def _quote_it(separator: str) -> str:
    return f"fields that hold the separator {separator!r} must be quoted."


def _repeats(row: Sequence[str], header: Sequence[str]) -> bool:
    """Whether a row is the header again, which may begin with a mark of its own."""
    return [row[0].removeprefix("\ufeff"), *row[1:]] == [*header]


def _csv_names(stream: IO[bytes], shown: str) -> list[str]:
    with csv_rows(stream, (), shown) as (reader, _, _):
        return next(reader, [])


def _csv_counts(stream: IO[bytes], columns: Sequence[str], shown: str, session: DuckSession) -> Rows | None:
    return count_delimited(stream, columns, _header(stream, columns, shown), shown, session)


def _csv_arrays(
    stream: IO[bytes], columns: Sequence[str], numbers: Collection[str], shown: str, session: DuckSession
) -> list[Any] | None:
    return delimited_arrays(stream, columns, numbers, _header(stream, columns, shown), session)


def _header(stream: IO[bytes], columns: Sequence[str], shown: str) -> Layout:
    """Return the header, empty where it has several lines, and the separator."""
    with csv_rows(stream, columns, shown) as (reader, separator, _):
        header: list[str] = next(reader, [])
        return header if reader.line_num == 1 else [], separator


def _separator(text: io.TextIOWrapper, columns: Sequence[str]) -> str:
    """Choose the separator under which the header has the wanted columns, else the most frequent one."""
    header = text.readline(FIELD_CAP)
    text.seek(0)

    def fit(separator: str) -> tuple[int, int]:
        try:
            names = next(csv.reader([header], delimiter=separator), [])
        except csv.Error:
            names = []
        return sum(name in names for name in columns), len(names)

    return max(_SEPARATORS, key=fit)


class _FieldLimit:
    """Lets long text columns pass, up to a bound; the csv module's own limit is 131,072 characters.

    That module keeps one limit for the whole process: it is raised while anything is read here, in any thread, and
    then what it was.
    """

    def __init__(self) -> None:
        self._lock, self._readers, self._before = threading.Lock(), 0, 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._readers:
                self._before = csv.field_size_limit(FIELD_CAP)
            self._readers += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._readers -= 1
            if not self._readers:
                csv.field_size_limit(self._before)

    def forget_other_threads(self) -> None:
        """In a new process there is no other thread that would let go of the lock."""
        self._lock = threading.Lock()


_field_limit: Final = _FieldLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_field_limit.forget_other_threads)

DELIMITED: Final = Format(
    "CSV, TSV",
    lambda head: head[:2] in UTF16_MARKS or b"\x00" not in head,
    _csv_records,
    _csv_names,
    _csv_counts,
    _csv_arrays,
)
