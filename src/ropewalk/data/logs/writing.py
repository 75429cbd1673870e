"""Write the rows of logs as a long table: CSV or Parquet, which `long_table` reads back, or a dataframe."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ropewalk._files import write_chunks
from ropewalk._optional import require
from ropewalk.data.formats.form import FIELD_CAP, is_too_long
from ropewalk.data.logs.rows import COLUMNS, Row, fingerprint
from ropewalk.data.making_frames import make_frame
from ropewalk.errors import InvalidInputError

_ROWS_PER_CHUNK: Final = 1 << 14
_QUOTED: Final = re.compile(r'[",\r\n]|^\s|\s$')
_KEPT_LETTERS: Final = FIELD_CAP >> 5
_MAX_WHOLE: Final = 1e15  # up to which a whole number is written without a fraction
_NUMBERS: Final[dict[str, type]] = {"repeat": int, "score": float}


def write_rows(path: str | os.PathLike[str], rows: Iterable[Row]) -> int:
    """Write rows in the columns of `COLUMNS`, as the file's ending says, and return how many there were.

    The file is written whole or not at all. An empty text cannot be told from none, in CSV.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _FORMATS:
        raise InvalidInputError(
            f"Rows are written as {' or '.join(_FORMATS)}; got {os.fspath(path)!r}.",
            hint="the ending of the name says which.",
        )
    counted = _Counted(rows)
    write_chunks(path, _FORMATS[suffix](counted))
    return counted.n_rows


def frame_of_rows(rows: Iterable[Row], backend: str | None = None) -> Any:
    """Return rows in the columns of `COLUMNS` as a dataframe."""
    kept = list(rows)
    columns = {name: [_value(getattr(row, name)) for row in kept] for name in COLUMNS}
    return make_frame(columns, {name: _NUMBERS.get(name, str) for name in COLUMNS}, backend)


class _Counted:
    """Rows that are counted as they pass."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows, self.n_rows = rows, 0

    def __iter__(self) -> Iterator[Row]:
        for row in self._rows:
            self.n_rows += 1
            yield row


def _parts(rows: Iterable[Row]) -> Iterator[list[Row]]:
    stream = iter(rows)
    yield from iter(lambda: list(islice(stream, _ROWS_PER_CHUNK)), [])


def _csv(rows: Iterable[Row]) -> Iterator[bytes]:
    yield (",".join(COLUMNS) + "\n").encode()
    for part in _parts(rows):
        lines = (",".join(_cell(getattr(row, name)) for name in COLUMNS) + "\n" for row in part)
        yield "".join(lines).encode()


def _cell(value: Any) -> str:
    r"""Return a cell of CSV.

    Examples
    --------
    >>> _cell(1.0), _cell(0.1), _cell(None), _cell('a "b",\r')
    ('1', '0.1', '', '"a ""b"",\r"')
    """
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < _MAX_WHOLE else repr(value)
    text = _clean(str(value))
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _clean(text: str) -> str:
    """Return text that every reader takes: without null characters and halves of characters, and not too long.

    Of a text that is, the beginning remains, with what tells it from others.
    """
    text = text.replace("\0", "\ufffd").encode("utf-8", "backslashreplace").decode()
    return f"{text[:_KEPT_LETTERS]}… {fingerprint(text)}" if is_too_long(text) else text


def _parquet(rows: Iterable[Row]) -> Iterator[bytes]:
    arrow = require("pyarrow", extra="files", caller="Writing Parquet")
    parquet = require("pyarrow.parquet", extra="files", caller="Writing Parquet")
    kinds = {int: arrow.int64(), float: arrow.float64(), str: arrow.string()}
    schema = arrow.schema([(name, kinds[_NUMBERS.get(name, str)]) for name in COLUMNS])
    sink = _Written()
    with parquet.ParquetWriter(sink, schema) as writer:
        for part in _parts(rows):
            columns = {name: [_value(getattr(row, name)) for row in part] for name in COLUMNS}
            writer.write_table(arrow.table(columns, schema=schema))
            yield sink.taken()
    yield sink.taken()


class _Written(io.RawIOBase):
    """What was written since it was last taken, so that a file passes through memory a part at a time."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._place = 0

    def writable(self) -> bool:
        """Say that it can be written."""
        return True

    def write(self, part: Any) -> int:
        """Keep some bytes until they are taken."""
        self._parts.append(bytes(part))
        self._place += len(part)
        return len(part)

    def tell(self) -> int:
        """Return how many bytes were written."""
        return self._place

    def taken(self) -> bytes:
        """Return what was written, and forget it."""
        whole = b"".join(self._parts)
        self._parts.clear()
        return whole


def _value(value: Any) -> Any:
    return _clean(value) if isinstance(value, str) else value


_FORMATS: Final = {".csv": _csv, ".parquet": _parquet}
"""How rows are written, by the ending of the file's name."""
