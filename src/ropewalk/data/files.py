"""Read prediction files: CSV, TSV, JSON (lines or an array) and Parquet, plain or gzipped, and registered formats.

The format is taken from the first bytes, not from the name. Text formats need the standard library alone.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import IO, Any, Final, cast

from ropewalk._files import shorten_path
from ropewalk._optional import require
from ropewalk.data.columns import (
    ROWS_PER_CHUNK,
    Batches,
    Rows,
    as_floats,
    joined,
    number_in,
    numbers_in,
    require_columns,
)
from ropewalk.data.frames import ROWS_PER_GROUPING, count_frame, frame_arrays, frame_columns, frame_rows, is_frame
from ropewalk.data.json_stream import JsonStream
from ropewalk.data.labels import clean, kind_of, whole_columns, without_point
from ropewalk.data.opening import Metered, as_object, opened
from ropewalk.errors import (
    DataError,
    FileFormatError,
    LabelTypeError,
    LookalikeLabelsWarning,
    warn_caller,
)
from ropewalk.text.writing import shorten

FIELD_CAP: Final = 1 << 20
"""The longest field that is read, in bytes of UTF-8; a longer one is a torn quote, not a label."""

LINE_CAP: Final = 64 * FIELD_CAP
"""The longest line of JSON that is read: its other fields may be long, and memory is bounded all the same."""

ROW_CAP: Final = 16 * FIELD_CAP
"""The longest row of a CSV file, in bytes: of all its fields together."""

MATRIX_CAP: Final = 1 << 22
"""How many cells a matrix in a file may have."""

PACKED_CAP: Final = 1 << 28
"""The longest Parquet file that is read from inside a gzip file, in bytes."""

BATCH_BYTES: Final = 1 << 26
"""About how much of a Parquet file is looked at at once."""

MAX_NESTED_NAMES: Final = 4
"""How deep the names inside nested objects are listed."""

_TEXT_TYPES: Final = frozenset({"string", "large_string", "binary", "large_binary"})
_TOO_LONG: Final = f"a field is longer than {FIELD_CAP:,} bytes"
_SEPARATORS: Final = (",", "\t", ";", "|")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Format:
    """A kind of file: its name for people, how its first bytes look, and how some of its columns are read.

    `read(stream, columns, shown)` returns a dataframe, or `Batches` of them, or yields a tuple of labels per item;
    `shown` is what errors call the file. `names(stream, shown)` returns what its columns are called, for hints.
    """

    title: str
    recognises: Callable[[bytes], bool]
    read: Callable[[IO[bytes], Sequence[str], str], Any]
    names: Callable[[IO[bytes], str], list[str]] = lambda _stream, _shown: []


def format_names(last: str = "and") -> str:
    """List the formats that are known.

    Examples
    --------
    >>> format_names()
    'CSV, TSV, JSON and Parquet'
    """
    *titles, final = (form.title for form in reversed(FORMATS))
    return f"{', '.join(titles)} {last} {final}"


def count_file(path: str | os.PathLike[str], columns: Sequence[str]) -> Rows:
    """Count the distinct rows of some columns of a file, streaming text formats."""
    with _opened(path) as (stream, form, shown):
        rows = _as_integers(_counted(form.read(stream, columns, shown), columns), columns)
        if any(isinstance(label, str) and _is_too_long(label) for row in rows for label in row):
            raise FileFormatError(f"{shown}: {_TOO_LONG}.", hint="labels are short.")
    if not rows:
        raise FileFormatError(f"{shown} has no rows.", hint="a file needs a header line and at least one item.")
    return rows


def file_columns(path: str | os.PathLike[str], columns: Sequence[str]) -> list[list[Any]]:
    """Return some columns of a file as lists, item by item."""
    with _opened(path) as (stream, form, shown):
        table = form.read(stream, columns, shown)
        frames = _frames_of(table)
        if frames is None:
            lists = list(map(list, zip(*table, strict=True)))
        else:
            lists = [[] for _ in columns]
            for frame in frames:
                for values, more in zip(lists, frame_columns(frame, columns), strict=True):
                    values.extend(more)
    lists = [list(map(without_point, each)) if whole_columns(zip(each), 1)[0] else each for each in lists]
    if not lists or not lists[0]:
        raise FileFormatError(f"{shown} has no rows.", hint="a file needs a header line and at least one item.")
    return lists


def file_arrays(path: str | os.PathLike[str], columns: Sequence[str], numbers: Collection[str] = ()) -> list[Any]:
    """Return some columns of a file: arrays of numbers, and lists of anything else; a part at a time is Python's own.

    Texts in a column that is among `numbers` are read as such; a hole there is NaN.
    """
    with _opened(path) as (stream, form, shown):
        table = form.read(stream, columns, shown)
        frames = _frames_of(table)
        if frames is not None:
            parts = [frame_arrays(frame, columns, numbers) for frame in frames]
        else:
            parts = [
                [
                    as_floats(numbers_in(cells, name, before)) if name in numbers else cells
                    for name, cells in zip(columns, lists, strict=True)
                ]
                for before, lists in _chunks(table)
            ]
    if not parts or not len(parts[0][0]):
        raise FileFormatError(f"{shown} has no rows.", hint="a file needs a header line and at least one item.")
    whole = [joined(column) for column in zip(*parts, strict=True)]
    return [
        list(map(without_point, each)) if isinstance(each, list) and whole_columns(zip(each), 1)[0] else each
        for each in whole
    ]


def _chunks(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[int, list[list[Any]]]]:
    """Yield some rows at a time as columns, and how many rows came before them."""
    rows, before = iter(rows), 0
    while part := list(islice(rows, ROWS_PER_CHUNK)):
        yield before, list(map(list, zip(*part, strict=True)))
        before += len(part)


def column_names(path: str | os.PathLike[str]) -> list[str]:
    """Return what the columns of a file are called; of JSON those of the first object."""
    with _opened(path) as (stream, form, shown):
        return form.names(stream, shown)


def file_rows(path: str | os.PathLike[str], columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Yield some columns of a file row by row, streaming text formats."""
    whole = whole_columns(_plain_rows(path, columns), len(columns))
    for row in _plain_rows(path, columns):
        yield tuple([without_point(value) if w else value for value, w in zip(row, whole, strict=True)])


def _plain_rows(path: str | os.PathLike[str], columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    with _opened(path) as (stream, form, shown):
        table = form.read(stream, columns, shown)
        frames = _frames_of(table)
        yield from table if frames is None else chain.from_iterable(frame_rows(frame, columns) for frame in frames)


def _frames_of(table: Any) -> Iterable[Any] | None:
    """Return the dataframes that a format has read, None where it yields rows."""
    if isinstance(table, Batches):
        return table.frames
    return [table] if is_frame(table) else None


def _counted(table: Any, columns: Sequence[str]) -> Rows:
    """Count the distinct rows that a format has read."""
    frames = _frames_of(table)
    if frames is None:
        return dict(Counter(table))
    counted: Counter[Any] = Counter()
    for frame in frames:
        counted.update(count_frame(frame, columns))
    return dict(counted)


def _as_integers(rows: Rows, columns: Sequence[str]) -> Rows:
    """Return rows in which a column of whole numbers that are written as 1.0 is one of integers."""
    whole = whole_columns(rows, len(columns))
    if not any(whole):
        return rows
    counted: Counter[Any] = Counter()
    for row, number in rows.items():
        counted[tuple([without_point(value) if w else value for value, w in zip(row, whole, strict=True)])] += number
    if not all(whole):
        named = shorten(name for name, w in zip(columns, whole, strict=True) if w)
        warn_caller(f"Labels of {named} are written as 1.0 and read as 1.", LookalikeLabelsWarning)
    return dict(counted)


@contextlib.contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[tuple[IO[bytes], Format, str]]:
    """Open a file, look through gzip, and find its format."""
    with opened(path) as stream:
        shown = shorten_path(path)
        yield stream, _format_of(stream, shown), shown


def _format_of(stream: IO[bytes], shown: str) -> Format:
    head = stream.read(1 << 16)
    stream.seek(0)
    if not head.strip():
        raise FileFormatError(
            f"{shown} is empty.", hint="a table needs a header line and at least one item, a matrix its numbers."
        )
    for form in FORMATS:
        if form.recognises(head):
            return form
    raise FileFormatError(
        f"{shown} is a binary file, not a table.", hint=f"formats are {format_names()}, plain or gzipped."
    )


@contextlib.contextmanager
def _parquet_file(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[Any]:
    """Open a Parquet file; texts stay numbered as they are stored, since to write out every repeat takes memory."""
    parquet = require("pyarrow.parquet", extra="files", caller="Reading Parquet")
    try:
        whole: Any = stream
        if not hasattr(stream, "raw"):  # a gzipped one cannot be read from its end, where its index stands
            content = stream.read(PACKED_CAP + 1)
            if len(content) > PACKED_CAP:
                raise FileFormatError(
                    f"{shown} holds a Parquet file of over {PACKED_CAP:,} bytes.", hint="unpack it first, by gunzip."
                )
            whole = io.BytesIO(content)
        file = parquet.ParquetFile(whole)
        texts = [f.name for f in file.schema_arrow if f.name in columns and str(f.type) in _TEXT_TYPES]
        yield parquet.ParquetFile(whole, metadata=file.metadata, read_dictionary=texts) if texts else file
    except (DataError, GeneratorExit):
        raise
    except (OSError, ValueError, NotImplementedError, KeyError) as error:  # pyarrow's errors derive from these
        raise FileFormatError(
            f"{shown} is a damaged Parquet file: {' '.join(str(error).split()).rstrip(' .')}.",
            hint="copy or write it again.",
        ) from error


def _parquet(stream: IO[bytes], columns: Sequence[str], shown: str) -> Batches:
    return Batches(_parquet_batches(stream, list(dict.fromkeys(columns)), shown))


def _parquet_batches(stream: IO[bytes], columns: list[str], shown: str) -> Iterator[Any]:
    arrow = require("pyarrow", extra="files", caller="Reading Parquet")
    with _parquet_file(stream, columns, shown) as file:
        require_columns(file.schema_arrow.names, columns, shown)
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        widest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
        size = max(1, min(ROWS_PER_GROUPING, BATCH_BYTES // max(widest, 1)))
        for batch in file.iter_batches(batch_size=size, columns=columns):
            yield arrow.Table.from_batches([batch])


def _parquet_names(stream: IO[bytes], shown: str) -> list[str]:
    with _parquet_file(stream, (), shown) as file:
        return list(file.schema_arrow.names)


@contextlib.contextmanager
def _as_text(stream: IO[bytes]) -> Iterator[io.TextIOWrapper]:
    encoding = "utf-16" if _is_wide(stream) else "utf-8-sig"
    text = io.TextIOWrapper(cast("Any", stream), encoding=encoding, newline="")
    try:
        yield text
    finally:
        text.detach()  # the stream belongs to `_opened`


def _is_wide(stream: IO[bytes]) -> bool:
    """Whether a text is written in UTF-16."""
    mark = stream.read(2)
    stream.seek(0)
    return mark in _UTF16


@contextlib.contextmanager
def _csv_rows(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[tuple[Any, str, Metered]]:
    """Open a text of rows: their reader, the separator, and the meter that holds how long the row is."""
    wide = _is_wide(stream)
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
                problem = _TOO_LONG if "field larger" in str(error) else error
                raise FileFormatError(
                    f"{shown}, line {reader.line_num}: {problem}.",
                    hint="look for a quotation mark that is never closed; labels are short.",
                ) from error
    finally:
        text.detach()  # the stream belongs to `_opened`


def _csv_records(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[tuple[str | None, ...]]:
    """Yield the wanted cells of each line; an empty cell is null, everything else is text as it stands."""
    with _csv_rows(stream, columns, shown) as (reader, separator, meter):
        header = next(reader)
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
                raise FileFormatError(
                    f"{shown}, line {reader.line_num}: {len(row)} fields where the header has {width}.",
                    hint=f"fields that hold the separator {separator!r} must be quoted.",
                )
            meter.since = 0
            cells = tuple([row[i] or None for i in places])
            if any(cell is not None and _is_too_long(cell) for cell in cells):
                raise FileFormatError(f"{shown}, line {reader.line_num}: {_TOO_LONG}.", hint="labels are short.")
            if any(cell is not None and "\0" in cell for cell in cells):  # of UTF-16; others are refused before
                raise FileFormatError(
                    f"{shown}, line {reader.line_num}: a label holds a null character.", hint="write or copy it again."
                )
            yield cells


def _csv_names(stream: IO[bytes], shown: str) -> list[str]:
    with _csv_rows(stream, (), shown) as (reader, _, _):
        return next(reader, [])


def _is_too_long(cell: str) -> bool:
    # A character takes at most 4 bytes: encode only what may be too long.
    return len(cell) > FIELD_CAP // 4 and len(cell.encode("utf-8", "surrogatepass")) > FIELD_CAP


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


def _json_records(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[tuple[Any, ...]]:
    """Yield the wanted values of each object; an absent key is null, like an explicit one."""
    seen: set[str] = set()
    kinds: dict[str, str] = {}
    for where, record in _json_objects(stream, shown):
        seen.update(record)
        cells = []
        for name in columns:
            found, value = value_at(record, name)
            if found:
                seen.add(name)
            cells.append(_json_label(value, name, kinds, where))
        yield tuple(cells)
    if seen:
        require_columns(sorted(seen), columns, shown)


def _json_names(stream: IO[bytes], shown: str) -> list[str]:
    return next((leaf_names(record) for _, record in _json_objects(stream, shown)), [])


def value_at(record: Mapping[str, Any], name: str) -> tuple[bool, Any]:
    """Return whether a record has a value of this name, and the value; a dotted name that is no key is a path.

    Examples
    --------
    >>> value_at({"meta": {"label": 1}}, "meta.label"), value_at({"meta.label": 2}, "meta.label"), value_at({}, "y")
    ((True, 1), (True, 2), (False, None))
    """
    if name in record:
        return True, record[name]
    for dot in (place for place, letter in enumerate(name) if letter == "."):
        inner = record.get(name[:dot])
        if isinstance(inner, Mapping):
            found, value = value_at(inner, name[dot + 1 :])
            if found:
                return True, value
    return False, None


def leaf_names(record: Mapping[str, Any], before: str = "") -> list[str]:
    """List what may be named in a record, paths included.

    Examples
    --------
    >>> leaf_names({"id": 1, "meta": {"label": 1, "source": {"url": ""}}})
    ['id', 'meta.label', 'meta.source.url']
    """
    names: list[str] = []
    for key, value in record.items():
        inner = isinstance(value, Mapping) and before.count(".") < MAX_NESTED_NAMES
        names += leaf_names(value, f"{before}{key}.") if inner else [f"{before}{key}"]
    return names


def _json_objects(stream: IO[bytes], shown: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each object of JSON lines, or of an array, and where it stands."""
    with _as_text(stream) as text:
        start = text.read(1)
        while start.isspace():
            start = text.read(1)
    stream.seek(0)
    for where, record in _array_objects(stream, shown) if start == "[" else _line_objects(stream, shown):
        if not isinstance(record, dict):
            raise FileFormatError(f"{where}: not a JSON object.", hint='write {"truth": …, "a": …}.')
        yield where, record


def _array_objects(stream: IO[bytes], shown: str) -> Iterator[tuple[str, Any]]:
    array = JsonStream(stream, shown, unique=True)
    for number, record in enumerate(array.items(), 1):
        yield f"{shown}, item {number}", record
    array.close()


def _line_objects(stream: IO[bytes], shown: str) -> Iterator[tuple[str, Any]]:
    with _as_text(stream) as text:
        for number, line in enumerate(iter(partial(text.readline, LINE_CAP), ""), 1):
            if len(line) >= LINE_CAP:
                raise FileFormatError(
                    f"{shown} has a line of over {LINE_CAP:,} characters.", hint="write one object per line."
                )
            if not line.strip():
                continue
            where = f"{shown}, line {number}"
            try:
                record = json.loads(line, object_pairs_hook=as_object)
            except (ValueError, RecursionError) as error:
                problem = f"{where}: not valid JSON ({getattr(error, 'msg', error)})."
                raise FileFormatError(problem, hint="write one object per line, or one array of objects.") from error
            yield where, record


def _json_label(value: Any, name: str, kinds: dict[str, str], where: str) -> Any:
    """Return a label, of the kind that its column began with: counting takes 1, 1.0 and true for one."""
    try:
        label = clean(value)
    except DataError as error:
        raise type(error)(f"{where}: {error.message}", hint=error.hint) from error
    if isinstance(label, str) and _is_too_long(label):
        raise FileFormatError(f"{where}: {_TOO_LONG}.", hint="labels are short.")
    if label is not None and (kind := _json_kind(label)) != kinds.setdefault(name, kind):
        raise LabelTypeError(
            f"{where}: {name} is {kind} here and {kinds[name]} before.",
            hint="1, '1' and true are different labels; write them as one type.",
        )
    return label


def _json_kind(label: Any) -> str:
    """Return the kind of a value; whole numbers may be written with and without a point."""
    return "a number" if isinstance(label, int | float) and not isinstance(label, bool) else kind_of(label)


def read_matrix(path: str | os.PathLike[str]) -> list[list[float]]:
    """Read a matrix of numbers without a header, such as a confusion matrix or a cost matrix."""
    matrix: list[list[float]] = []
    with _opened(path) as (stream, form, shown):
        if form is not _CSV:
            raise FileFormatError(f"{shown} is not a matrix.", hint="write rows of numbers separated by commas.")
        with _csv_rows(stream, (), shown) as (reader, _, meter):
            for row in filter(None, reader):
                meter.since = 0
                matrix.append([_number(cell, f"{shown}, line {reader.line_num}") for cell in row])
                if len(row) != len(matrix[0]):
                    raise FileFormatError(
                        f"{shown}: the rows of a matrix must have the same length.", hint="write 0 for an empty cell."
                    )
                if len(matrix) * len(row) > MATRIX_CAP:
                    raise FileFormatError(
                        f"{shown} has over {MATRIX_CAP:,} cells.", hint="is this the right file? A row is a class."
                    )
    return matrix


def _number(cell: str, where: str) -> float:
    """Return the number in a cell of a matrix."""
    number = number_in(cell)
    if number is None or not math.isfinite(number):
        raise FileFormatError(
            f"{where}: {cell[:40]!r} is not a {'finite ' if number is not None else ''}number.",
            hint="a matrix has no header and no names, only numbers.",
        )
    return number


def _first_sign(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


_CSV: Final = Format("CSV, TSV", lambda head: head[:2] in _UTF16 or b"\x00" not in head, _csv_records, _csv_names)
FORMATS: Final = [
    Format("Parquet", lambda head: head[:4] == b"PAR1", _parquet, _parquet_names),
    Format("JSON", lambda head: b"\x00" not in head and _first_sign(head) in {b"[", b"{"}, _json_records, _json_names),
    _CSV,
]
"""The formats that files are read in, the first that recognises one; a format of your own is one line more."""
