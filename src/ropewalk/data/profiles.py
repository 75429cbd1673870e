"""A first look at a table: what its columns are, as far as its first rows tell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, Literal

from ropewalk.data.columns import number_in
from ropewalk.data.labels import INTEGER_TEXT, is_null, without_point
from ropewalk.data.records import Records
from ropewalk.errors import DataError, FileFormatError
from ropewalk.text.writing import shorten

Kind = Literal["nothing", "text", "whole numbers", "numbers", "booleans"]

MAX_VALUES: Final = 200
"""So many different values of a column are kept, short ones in order of their first row."""

MAX_COLUMNS: Final = 200
"""So many columns of a table are looked at."""

ROWS_LOOKED_AT: Final = 10_000
"""So many rows of a table are looked at."""

_ROWS_TRIED: Final = 100
_SHORT: Final = 100  # letters; longer ones are no labels


@dataclass(frozen=True, slots=True)
class Column:
    """What a column holds: of which kind, how many different values, how many holes, and the first of the values.

    `low` and `high` are those of numbers. `first` are different values, as many as are kept.
    """

    name: str
    kind: Kind
    rows: int
    distinct: int
    empty: int
    first: tuple[Any, ...]
    low: float | None = None
    high: float | None = None

    @property
    def texts(self) -> frozenset[str]:
        """The first values as texts, whole numbers without a point."""
        return frozenset(str(without_point(value)) for value in self.first)

    @property
    def is_whole(self) -> bool:
        """Whether all values are kept."""
        return self.distinct == len(self.first)

    @property
    def is_unique(self) -> bool:
        """Whether no value comes twice, and none is missing."""
        return self.distinct == self.rows > 1


@dataclass(frozen=True, slots=True)
class Look:
    """What the columns of a table are as far as its first rows tell, how many rows these are, and what they hide."""

    columns: tuple[Column, ...]
    rows: int
    is_whole: bool
    remarks: tuple[str, ...] = ()


def look_at(records: Records) -> Look:
    """Look at the first rows of all columns that can be read, and say which cannot."""
    counted = Counter(records.names())
    once, twice = ([name for name in counted if (counted[name] == 1) is single] for single in (True, False))
    wanted, remarks = once[:MAX_COLUMNS], []
    if wanted != once:
        remarks.append(f"Only the first {MAX_COLUMNS} of {len(once):,} columns were looked at.")
    try:
        columns = _first_rows(records, wanted, ROWS_LOOKED_AT)
    except DataError:
        good = []
        for name in wanted:
            try:
                _first_rows(records, [name], _ROWS_TRIED)
            except FileFormatError:
                raise
            except DataError as error:
                remarks.append(error.message)
            else:
                good.append(name)
        if good == wanted:
            raise
        columns = _first_rows(records, good, ROWS_LOOKED_AT)
    if twice:
        remarks.append(f"Several columns are called {shorten(twice)}: none of them can be asked for.")
    rows = max((column.rows for column in columns), default=0)
    is_whole = rows < ROWS_LOOKED_AT
    if not is_whole:
        remarks.append(f"Only the first {ROWS_LOOKED_AT:,} rows were looked at; later ones may differ.")
    return Look(tuple(columns), rows, is_whole, tuple(remarks))


def _first_rows(records: Records, names: Sequence[str], number: int) -> list[Column]:
    with closing(records.first_rows(names)) as rows:  # type: ignore[type-var]
        return profile(names, islice(rows, number))


def profile(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> list[Column]:
    """Look at the columns of some rows.

    Examples
    --------
    >>> [(c.name, c.kind, c.distinct, c.empty) for c in profile(["y", "s"], [("1", ".5"), ("0", None), ("1", ".25")])]
    [('y', 'whole numbers', 2, 0), ('s', 'numbers', 2, 1)]
    """
    seen: list[dict[Any, Any]] = [{} for _ in names]
    empty, number = [0] * len(names), 0
    for row in rows:
        number += 1
        for place, value in enumerate(row):
            if is_null(value):
                empty[place] += 1
            else:
                seen[place].setdefault(_key(value), value)
    return [
        _column(name, list(values.values()), holes, number)
        for name, values, holes in zip(names, seen, empty, strict=True)
    ]


def _key(value: Any) -> Any:
    # A long text is remembered by its hash, so that memory is bounded.
    return (type(value), hash(value)) if isinstance(value, str) and len(value) > _SHORT else (type(value), str(value))


def _column(name: str, values: list[Any], holes: int, rows: int) -> Column:
    kind, numbers = _kind(values)
    short = [value for value in values if not isinstance(value, str) or len(value) <= _SHORT][:MAX_VALUES]
    low, high = (min(numbers), max(numbers)) if numbers else (None, None)
    return Column(name, kind, rows, len(values), holes, tuple(short), low, high)


def _kind(values: list[Any]) -> tuple[Kind, list[float]]:
    """Return what all values are, and the numbers that they are; texts of a CSV file count as what they say."""
    if not values:
        return "nothing", []
    if all(isinstance(value, bool) for value in values):
        return "booleans", []
    numbers = [number_in(value) if isinstance(value, str) else value for value in values]
    if not all(isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) for x in numbers):
        return "text", []
    whole = all(
        INTEGER_TEXT.fullmatch(without_point(v)) if isinstance(v, str) else float(v).is_integer() for v in values
    )
    return ("whole numbers" if whole else "numbers"), [float(x) for x in numbers if x is not None]
