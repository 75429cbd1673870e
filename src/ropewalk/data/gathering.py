"""Columns that come a part at a time, kept in little memory: arrays of numbers, and codes of labels."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

import numpy as np
import numpy.typing as npt

from ropewalk.data.columns import ROWS_PER_CHUNK, as_floats, numbers_in

Codes: TypeAlias = npt.NDArray[np.integer[Any]]

MANY_VALUES: Final = 1 << 16
"""A column of more different values than these is a list where most of its rows differ: it holds ids."""

_CODED: Final = ({str}, {int}, {bool})
"""Kinds of values that are coded, one kind at a time: 1, 1.0 and True are equal to Python."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Coded(Sequence[Any]):
    """A column whose values repeat: `codes` are the places of its rows in `values`, among which None is a hole.

    Examples
    --------
    >>> column = Coded(np.array([0, 1, 0]), ["spam", None])
    >>> list(column), column[1], column[np.array([2, 0])].values
    (['spam', None, 'spam'], None, ['spam'])
    """

    codes: Codes
    values: list[Any]

    @classmethod
    def of_arrow(cls, texts: Any) -> Coded:
        """Take an array of texts of pyarrow, as it encodes it itself."""
        encoded = texts if hasattr(texts, "indices") else texts.dictionary_encode()
        values = [*encoded.dictionary.to_pylist(), None]
        return cls(encoded.indices.cast("int32").fill_null(len(values) - 1).to_numpy(), values)

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, int):
            return self.values[self.codes[place]]
        return Coded(self.codes[place], self.values).pruned()

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self.codes), ROWS_PER_CHUNK):
            yield from map(self.values.__getitem__, self.codes[start : start + ROWS_PER_CHUNK].tolist())

    def pruned(self) -> Coded:
        """Return the same column without values that no row has."""
        there = np.bincount(self.codes, minlength=len(self.values)) > 0
        if there.all():
            return self
        codes = (np.cumsum(there, dtype=np.int32) - 1)[self.codes]
        return Coded(codes, [self.values[place] for place in np.flatnonzero(there).tolist()])

    def mapped(self, values: Sequence[Any]) -> Coded:
        """Return the column with others in place of its values, one for one."""
        return replace(self, values=list(values))


class Gathered:
    """Some columns, whose parts are added as they come; texts in those that are `numbers` are read as numbers.

    A part of a column is an array, a `Coded` or a list of plain values.

    Examples
    --------
    >>> found = Gathered(["y", "score"], numbers=["score"])
    >>> found.add([["spam", None], ["0.5", "pass"]])
    >>> found.add([["spam"], np.array([0.25])])
    >>> labels, scores = found.columns()
    >>> labels.codes.tolist(), labels.values, scores.tolist()
    ([0, 1, 0], ['spam', None], [0.5, 1.0, 0.25])
    """

    def __init__(self, names: Sequence[str], numbers: Collection[str] = ()) -> None:
        self._columns = [_Column(name, is_number=name in numbers) for name in names]

    def add(self, part: Sequence[Any]) -> None:
        """Add rows: a part of each column."""
        for column, cells in zip(self._columns, part, strict=True):
            column.add(cells)

    def columns(self) -> list[Any]:
        """Return the columns, each an array, a `Coded` or a list, and forget them here."""
        return [column.whole() for column in self._columns]


class _Column:
    """One column: its parts, and the places of the values that it holds."""

    def __init__(self, name: str, *, is_number: bool) -> None:
        self._name, self._is_number = name, is_number
        self._n_rows = 0
        self._parts: list[_Part] = []
        self._places: dict[Any, int] = {}
        self._kind: set[type] = set()

    def add(self, cells: Any) -> None:
        """Add some rows."""
        if isinstance(cells, np.ndarray | Coded):
            self._add(cells)
            return
        for start in range(0, len(cells), ROWS_PER_CHUNK):
            self._add(cells[start : start + ROWS_PER_CHUNK])

    def whole(self) -> Any:
        """Return all rows as one array or `Coded` where all parts are, else as a list."""
        parts, self._parts = self._parts, []
        values = list(self._places)
        kinds = {(part.is_coded, getattr(getattr(part.cells, "dtype", None), "kind", "list")) for part in parts}
        if len(kinds) != 1 or (False, "list") in kinds:
            return [value for part in parts for value in part.listed(values)]
        cells = parts[0].cells if len(parts) == 1 else np.concatenate([part.cells for part in parts])
        return Coded(cells, values).pruned() if parts[0].is_coded else cells

    def _add(self, cells: Any) -> None:
        if not (n_rows := len(cells)):
            return
        if self._is_number and not isinstance(cells, np.ndarray):
            cells = as_floats(numbers_in(list(cells), self._name, self._n_rows))
        self._n_rows += n_rows
        codes = None if self._is_number or isinstance(cells, np.ndarray) else self._codes(cells)
        kept = cells if isinstance(cells, np.ndarray) else list(cells)
        self._parts.append(_Part(kept, is_coded=False) if codes is None else _Part(codes, is_coded=True))

    def _codes(self, cells: Sequence[Any]) -> Codes | None:
        """Return cells as places among the values of the column; None where these are of several kinds, or ids."""
        values = cells.values if isinstance(cells, Coded) else cells
        kind = {*map(type, values)} - {type(None)}
        if len(self._kind | kind) > 1 or (kind and kind not in _CODED) or self._are_ids():
            return None
        self._kind |= kind
        places = self._places
        codes = np.fromiter((places.setdefault(value, len(places)) for value in values), np.int32, len(values))
        return codes[cells.codes] if isinstance(cells, Coded) else codes

    def _are_ids(self) -> bool:
        return len(self._places) > MANY_VALUES and 2 * len(self._places) > self._n_rows


@dataclass(frozen=True, slots=True)
class _Part:
    """Some rows of a column: an array, a list, or the places of values."""

    cells: Any
    is_coded: bool

    def listed(self, values: list[Any]) -> Iterable[Any]:
        """Return the rows as plain values."""
        if self.is_coded:
            return Coded(self.cells, values)
        rows: list[Any] = self.cells.tolist() if isinstance(self.cells, np.ndarray) else self.cells
        return rows
