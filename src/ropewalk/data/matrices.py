"""Read a matrix of numbers from a file: a confusion matrix or one of costs."""

from __future__ import annotations

import os
from typing import Final

from ropewalk._files import shorten_path
from ropewalk.data.columns import number_in
from ropewalk.data.formats import format_of
from ropewalk.data.formats.delimited import DELIMITED, csv_rows
from ropewalk.data.opening import opened
from ropewalk.errors import FileFormatError

MAX_NUMBER: Final = 1e100
"""The largest number in a matrix: sums and squares of it are still numbers."""

MATRIX_CAP: Final = 1 << 22
"""How many cells a matrix in a file may have."""


def read_matrix(path: str | os.PathLike[str]) -> list[list[float]]:
    """Read a matrix of numbers without a header, such as a confusion matrix or a cost matrix."""
    matrix: list[list[float]] = []
    shown = shorten_path(path)
    with opened(path) as stream:
        if format_of(stream, shown) is not DELIMITED:
            raise FileFormatError(f"{shown} is not a matrix.", hint="write rows of numbers separated by commas.")
        with csv_rows(stream, (), shown) as (reader, _, meter):
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
    if number is None or not abs(number) <= MAX_NUMBER:
        raise FileFormatError(
            f"{where}: {cell[:40]!r} is not a {'finite ' if number is not None else ''}number.",
            hint="a matrix has no header and no names, only numbers.",
        )
    return number
