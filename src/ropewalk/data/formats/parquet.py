"""Parquet, read a part at a time and only the columns that are asked for."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator, Sequence
from typing import IO, Any, Final

from ropewalk._optional import require
from ropewalk.data.columns import Batches, require_columns
from ropewalk.data.formats.duck import count_parquet
from ropewalk.data.formats.form import Format
from ropewalk.data.formats.parquet_keys import tree_of
from ropewalk.data.frames import ROWS_PER_GROUPING
from ropewalk.data.nested import leaf_names, path_in
from ropewalk.data.unpacking import is_unpacked
from ropewalk.errors import DataError, FileFormatError

PACKED_CAP: Final = 1 << 28
"""The longest Parquet file that is read from inside a compressed one, in bytes."""

BATCH_BYTES: Final = 1 << 26
"""About how much of a Parquet file is looked at at once."""

_TEXT_TYPES: Final = frozenset({"string", "large_string", "binary", "large_binary"})


@contextlib.contextmanager
def _parquet_file(stream: IO[bytes], columns: Sequence[str], shown: str) -> Iterator[Any]:
    """Open a Parquet file; texts stay numbered as they are stored, since to write out every repeat takes memory."""
    parquet = require("pyarrow.parquet", extra="files", caller="Reading Parquet")
    try:
        whole: Any = stream
        if is_unpacked(stream):  # it cannot be read from its end, where its index stands
            content = stream.read(PACKED_CAP + 1)
            if len(content) > PACKED_CAP:
                raise FileFormatError(
                    f"{shown} holds a Parquet file of over {PACKED_CAP:,} bytes.", hint="unpack it first."
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
        paths = _paths(file.schema_arrow, columns, shown)
        for batch in file.iter_batches(batch_size=rows_at_once(file, ROWS_PER_GROUPING), columns=columns):
            part = arrow.table({name: _reached(batch, path) for name, path in paths.items()})
            part.validate(full=True)
            yield part


def rows_at_once(file: Any, most: int) -> int:
    """Return how many rows of a Parquet file fit into `BATCH_BYTES`, and at most so many."""
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    widest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return max(1, min(most, BATCH_BYTES // max(widest, 1)))


def _paths(schema: Any, columns: Sequence[str], shown: str) -> dict[str, tuple[str, ...]]:
    """Return the names that lead to some columns, if they are there, once each."""
    tree = tree_of(schema)
    paths = {name: path for name in columns if (path := path_in(tree, name)) is not None}
    require_columns(list(dict.fromkeys([*leaf_names(tree), *paths])), columns, shown)
    for first, *_ in paths.values():
        if (number := schema.names.count(first)) > 1:
            raise FileFormatError(f"{shown} has {number} columns named {first!r}.", hint="give each a name of its own.")
    return paths


def _reached(batch: Any, path: Sequence[str]) -> Any:
    """Return a column, or what is inside it."""
    compute = require("pyarrow.compute", extra="files", caller="Reading Parquet")
    column = batch.column(path[0])
    for key in path[1:]:
        column = compute.struct_field(column, key)
    return column


def _parquet_names(stream: IO[bytes], shown: str) -> list[str]:
    with _parquet_file(stream, (), shown) as file:
        return leaf_names(tree_of(file.schema_arrow))


PARQUET: Final = Format(
    "Parquet", lambda head: head[:4] == b"PAR1", _parquet, _parquet_names, count_parquet, needs="pyarrow"
)
