"""The formats that tables are read in, one module each."""

from __future__ import annotations

from codecs import BOM_UTF8
from typing import IO, Final

from ropewalk.data.formats.delimited import DELIMITED
from ropewalk.data.formats.form import ZIP_MARK, Format, is_log_archive
from ropewalk.data.formats.json_objects import JSON
from ropewalk.data.formats.parquet import PARQUET
from ropewalk.data.opening import UTF16_MARKS
from ropewalk.errors import FileFormatError, UnfinishedError
from ropewalk.text.remarks import wording

FORMATS: Final = [PARQUET, JSON, DELIMITED]
"""The formats that are known, the first that recognises a file; a format of your own is one line more."""


def format_names(last: str = "and") -> str:
    """List the formats that are known.

    Examples
    --------
    >>> format_names()
    'CSV, TSV, JSON and Parquet'
    """
    *titles, final = (form.title for form in reversed(FORMATS))
    return f"{', '.join(titles)} {last} {final}"


def format_of(stream: IO[bytes], shown: str) -> Format:
    """Return the format of a file by its first bytes."""
    head = stream.read(1 << 16)
    stream.seek(0)
    if not head.removeprefix(BOM_UTF8).strip() or head in UTF16_MARKS:
        raise UnfinishedError(
            f"{shown} is empty.", hint="a table needs a header line and at least one item, a matrix its numbers."
        )
    if is_log_archive(head):
        raise FileFormatError(
            f"{shown} is an evaluation log, not a table.",
            hint=wording("it says itself what is right: leave truth= out; in Python `rw.read_log` opens it."),
        )
    if head.startswith(ZIP_MARK):
        raise FileFormatError(
            f"{shown} is a zip archive or a spreadsheet, not a table.",
            hint="unpack it, and name the table or the folder in it; a spreadsheet can be saved as CSV.",
        )
    for form in FORMATS:
        if form.recognises(head):
            return form
    raise FileFormatError(
        f"{shown} is a binary file, not a table.", hint=f"formats are {format_names()}, plain or compressed."
    )
