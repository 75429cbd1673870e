"""Objects of JSON, one per line or all in one array: the rows of a table, or the records of a log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from typing import IO, Any, Final

from ropewalk.data.json_stream import VALUE_CAP, JsonStream
from ropewalk.data.opening import as_object, as_text, check_parts
from ropewalk.errors import FileFormatError

LINE_CAP: Final = 1 << 26
"""The longest line that is read, in characters: memory is bounded, and a record may hold long answers."""

_FORM: Final = "write one object per line, or one array of objects"
_MARK: Final = "\ufeff"  # which Windows puts before each of several files that became one


def json_records(stream: IO[bytes], shown: str, *, unique: bool = False) -> Iterator[tuple[str, dict[str, Any]]]:
    r"""Yield each object, and where it stands; a key that comes twice in one is refused where they must be `unique`.

    Examples
    --------
    >>> import io
    >>> list(json_records(io.BytesIO(b'{"y": 1}\n{"y": 0}'), "p.jsonl"))
    [('p.jsonl, line 1', {'y': 1}), ('p.jsonl, line 2', {'y': 0})]
    """
    with as_text(stream) as text:
        start = text.read(1)
        while start.isspace():
            start = text.read(1)
    stream.seek(0)
    read = _in_array if start == "[" else _in_lines
    for where, record in read(stream, shown, unique=unique):
        if not isinstance(record, dict):
            raise FileFormatError(f"{where}: not a JSON object.", hint=f'{_FORM}, as {{"truth": …, "a": …}}.')
        yield where, record


def _in_array(stream: IO[bytes], shown: str, *, unique: bool) -> Iterator[tuple[str, Any]]:
    array = JsonStream(stream, shown, unique=unique)
    for number, record in enumerate(array.items(), 1):
        yield f"{shown}, item {number}", record
    array.close()


def _in_lines(stream: IO[bytes], shown: str, *, unique: bool) -> Iterator[tuple[str, Any]]:
    as_mapping, blank = as_object if unique else None, 0
    with as_text(stream) as text:
        for number, line in enumerate(iter(partial(text.readline, LINE_CAP), ""), 1):
            if len(line) >= LINE_CAP:
                raise FileFormatError(f"{shown} has a line of over {LINE_CAP:,} characters.", hint=f"{_FORM}.")
            if not line.strip():
                blank += len(line)
                if blank > VALUE_CAP:  # a small file may unpack to any number of empty lines
                    raise FileFormatError(
                        f"{shown} has over {VALUE_CAP:,} characters of nothing but spaces.", hint=f"{_FORM}."
                    )
                continue
            blank = 0
            where = f"{shown}, line {number}"
            try:
                check_parts(line)
                record = json.loads(line.removeprefix(_MARK), object_pairs_hook=as_mapping)
            except (ValueError, RecursionError) as error:
                if line.strip() == "{":
                    raise FileFormatError(
                        f"{shown} holds an object of JSON over several lines, and no rows.",
                        hint=f"{_FORM}; ropewalk doctor says what a file is.",
                    ) from error
                problem = f"{where}: not valid JSON ({getattr(error, 'msg', error)})."
                raise FileFormatError(problem, hint=f"{_FORM}; one that is cut off is to be copied again.") from error
            yield where, record
