"""Runs of systems on the same items: arrays of runs × items, or a table with a row per item and run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ropewalk.data.inputs import is_table
from ropewalk.data.labels import is_null
from ropewalk.data.records import records_of
from ropewalk.data.tally import check_names
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import count_of, reason, told

BESIDE: Final = ("truth", "cluster", "sample_weight")
"""What an item has one of, whatever the run."""

USAGE: Final = "give predictions of runs × items, or the columns of a table with a row per item and run."

Rows = tuple[tuple[Any, ...], dict[str, Any]]
"""The truth, if any, and the columns of all systems; and what stands beside them."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Runs:
    """The predictions of every run of every system, the truth or None, and what items have beside them."""

    truth: Any
    predictions: tuple[Sequence[Any], ...]
    names: tuple[str, ...]
    beside: dict[str, Any]

    @property
    def n_runs(self) -> tuple[int, ...]:
        """How many runs each system has."""
        return tuple(map(len, self.predictions))

    @property
    def n_items(self) -> int:
        """How many items each run has."""
        return len(self.predictions[0][0])

    @property
    def clustered(self) -> bool:
        """Whether items come in clusters."""
        return "cluster" in self.beside

    def as_columns(self) -> Rows:
        """Return one joint table with a column per run, system by system."""
        columns = {
            f"{name}, run {i + 1}": values
            for name, runs in zip(self.names, self.predictions, strict=True)
            for i, values in enumerate(runs)
        }
        return ((columns,) if self.truth is None else (self.truth, columns)), self.beside

    def as_rows(self) -> Rows:
        """Return a row per item and run; where their numbers differ, the runs of each are repeated as often."""
        times = math.lcm(*self.n_runs)
        columns = [np.concatenate([np.asarray(runs[i % len(runs)]) for i in range(times)]) for runs in self.predictions]
        n_items = len(columns[0]) // times
        beside = {name: np.tile(np.asarray(value), times) for name, value in self.beside.items()}
        beside.setdefault("cluster", np.tile(np.arange(n_items), times))
        beside.pop("id", None)
        truth = () if self.truth is None else (np.tile(np.asarray(self.truth), times),)
        return (*truth, dict(zip(self.names, columns, strict=True))), beside


def runs_of_arrays(
    data: Sequence[Any], n_systems: int, *, has_truth: bool, names: Any, beside: Mapping[str, Any]
) -> Runs:
    """Return runs that were given as arrays: the truth, if there is one, and one array per system."""
    if n_systems < 1 or len(data) != n_systems + has_truth:
        raise InvalidInputError(f"Runs are given as arrays; got {count_of(len(data), 'argument')}.", hint=USAGE)
    called = check_names(names, n_systems)
    systems = tuple(_rows(each, name) for each, name in zip(data[-n_systems:], called, strict=True))
    sizes = {len(run) for runs in systems for run in runs}
    n_true = _length(data[0]) if has_truth else None
    if len(sizes) == 1 and n_true is not None and n_true not in sizes:
        raise LengthMismatchError(
            f"There are {n_true:,} true labels, and runs of {min(sizes):,} items.",
            hint="every run has a prediction for every item, in the same order.",
        )
    if len(sizes) > 1:
        raise LengthMismatchError(
            f"Runs differ in their items: they have from {min(sizes):,} to {max(sizes):,}.",
            hint=wording(
                'every run needs the same items in the same order; a table with id=, runs="samples" may differ.'
            ),
        )
    held = {name: value for name, value in beside.items() if value is not None}
    return Runs(truth=data[0] if has_truth else None, predictions=systems, names=called, beside=held)


def _rows(predictions: Any, name: str) -> Sequence[Any]:
    """Return the runs of one system: rows of an array, or arrays in a list; one array is one run."""
    if isinstance(predictions, Mapping):
        predictions = list(predictions.values())
    if not isinstance(predictions, list | tuple) and not hasattr(predictions, "shape"):
        raise InvalidInputError(f"The runs of {name} cannot be {told(predictions)}.", hint=USAGE)
    if isinstance(predictions, list | tuple) and predictions and np.ndim(predictions[0]) >= 1:
        runs = list(predictions)
    else:
        array = np.asarray(predictions)
        runs = [predictions] if array.ndim == 1 else list(array) if array.ndim else []
    if not runs:
        raise DataError(f"{name} has no runs.", hint=USAGE)
    for i, run in enumerate(runs):
        if _length(run) is None:
            raise InvalidInputError(f"Run {i + 1} of {name} cannot be {told(run)}.", hint=USAGE)
    return runs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunTable:
    """Columns of a table with a row per item and run: `systems` those of predictions, `columns` the others by role."""

    names: tuple[str, ...]
    systems: tuple[np.ndarray, ...]
    columns: dict[str, np.ndarray]
    called: dict[str, str]

    @classmethod
    def read(
        cls, table: Any, systems: Sequence[str], roles: Mapping[str, Any], *, needed: Sequence[str], numeric: bool
    ) -> RunTable:
        """Read the columns that are named; those `needed` must be, and those of systems are scores if `numeric`."""
        called = {role: column for role, column in roles.items() if column is not None}
        if absent := [role for role in needed if role not in called]:
            raise InvalidInputError(
                argument(absent[0]) + " is not given, and a table of runs needs it.",
                hint=wording("a table has a row per item, id=, and run, run=; of samples id= alone will do."),
            )
        for role, column in called.items():
            if not isinstance(column, str):
                raise InvalidInputError(argument(role) + f" names a column; got {told(column)}.", hint=USAGE)
        wanted = [*called.values(), *systems]
        numbers = {*(systems if numeric else ()), *(called[role] for role in ("sample_weight",) if role in called)}
        found = records_of(table).arrays(wanted, numbers=numbers)
        if not len(found[0]):
            raise DataError("The table has no rows.", hint="is this the right file?")
        arrays = [_cells(column) for column in found]
        if not numeric:  # a run that a system does not have made fractions of its labels
            arrays = [column if i < len(called) else _whole(column) for i, column in enumerate(arrays)]
        return cls(
            names=check_names(list(systems), None),
            systems=tuple(arrays[len(called) :]),
            columns=dict(zip(called, arrays, strict=False)),
            called=called,
        )

    @property
    def is_complete(self) -> bool:
        """Whether there is a column of runs, and every run has every item once."""
        if "run" not in self.columns:
            return False
        (items, item), (runs, run) = _coded(self.columns["id"]), _coded(self.columns["run"])
        size = len(items) * len(runs)
        return size == len(item) == np.unique(run * len(items) + item).size

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(_coded(self.columns["id"])[0])

    @property
    def clustered(self) -> bool:
        """Whether items come in clusters."""
        return "cluster" in self.columns

    def pivoted(self) -> Runs:
        """Return a row of predictions per run; every run must have every item once."""
        items, item = _coded(self.columns["id"])
        runs, run = _coded(self.columns["run"])
        if np.unique(run * len(items) + item).size < len(item):
            raise DataError(
                f"An item occurs twice in a run, by {self.called['id']!r} and {self.called['run']!r}.",
                hint=wording('answers of which there are several per item are runs="samples".'),
            )
        counts = np.bincount(run, minlength=len(runs))
        if counts.min() < len(items):
            short = int(counts.argmin())
            lacking = count_of(len(items) - int(counts[short]), "item")
            raise DataError(
                f"Run {told(runs[short])} lacks {lacking} of {len(items):,}: runs must have the same items.",
                hint="leave these items out of all runs, or find out why they are missing.",
            )
        place = np.empty((len(runs), len(items)), dtype=np.int64)
        place[run, item] = np.arange(len(item))
        beside = {role: self.columns[role][place] for role in BESIDE if role in self.columns}
        for role, rows in beside.items():
            if _differ(rows, rows[0]):
                raise DataError(
                    f"Column {self.called[role]!r} differs between runs of one item.",
                    hint="an item has one of it, whatever the run.",
                )
        own: dict[str, Any] = {role: _plain(rows[0]) for role, rows in beside.items()}
        predictions = tuple(
            _present(column[place], name) for column, name in zip(self.systems, self.names, strict=True)
        )
        return Runs(truth=own.pop("truth", None), predictions=predictions, names=self.names, beside=own)

    def as_rows(self) -> Rows:
        """Return the rows as they are, an item's weight split over its answers."""
        _, item = _coded(self.columns["id"])
        counts = np.bincount(item)
        beside: dict[str, Any] = {"cluster": _plain(self.columns.get("cluster", item))}
        if counts.min() < counts.max() or "sample_weight" in self.columns:
            weight = np.asarray(self.columns.get("sample_weight", np.ones(len(item))), dtype=np.float64)
            beside["sample_weight"] = weight / counts[item]
        truth = (_plain(self.columns["truth"]),) if "truth" in self.columns else ()
        return (*truth, dict(zip(self.names, map(_plain, self.systems), strict=True))), beside


def is_run_table(data: Sequence[Any]) -> bool:
    """Whether data are one table whose columns are named, and not arrays."""
    return bool(data) and (is_table(data[0]) or (len(data) == 1 and isinstance(data[0], Mapping)))


def _cells(column: Any) -> np.ndarray:
    """Return a column as an array, of objects where it holds more than numbers."""
    if isinstance(column, np.ndarray):
        return column
    return np.fromiter(column, dtype=object, count=len(column))


def _whole(column: np.ndarray) -> np.ndarray:
    """Return whole numbers with holes as such, which libraries of dataframes keep as fractions."""
    if column.dtype == object:
        values = column.tolist()
        if not all(isinstance(value, float) or value is None for value in values):
            return column
        column = np.array([np.nan if value is None else value for value in values])
    if column.dtype.kind != "f":
        return column
    seen = column[~np.isnan(column)]
    if seen.size in {0, column.size} or not (np.isfinite(seen).all() and (seen == np.round(seen)).all()):
        return column
    return _cells([None if value != value else int(value) for value in column.tolist()])  # noqa: PLR0124 - NaN


def _differ(rows: np.ndarray, first: np.ndarray) -> bool:
    """Whether some row is another one; what is missing is missing in both."""
    return bool(((rows != first) & ~((rows != rows) & (first != first))).any())  # noqa: PLR0124 - NaN


def _plain(column: np.ndarray) -> Any:
    return column.tolist() if column.dtype == object else column


def _coded(column: np.ndarray) -> tuple[list[Any], np.ndarray]:
    """Return the different values of a column in the order of their first row, and which of them each row has."""
    places: dict[Any, int] = {}
    try:
        codes = np.array([places.setdefault(value, len(places)) for value in column.tolist()], dtype=np.int64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise DataError(
            f"An id or a run cannot be told from others: {reason(error)}.", hint="ids and runs are texts or numbers."
        ) from error
    if any(is_null(value) or _is_empty(value) for value in places):
        raise DataError("An id or a run is missing in some row.", hint="fill it in, or leave the row out.")
    return list(places), codes


def _is_empty(cell: Any) -> bool:
    return isinstance(cell, str) and not cell


def _length(values: Any) -> int | None:
    """Return how many values there are; None where they do not say so."""
    try:
        return len(values)
    except (TypeError, ValueError):
        return None


def _present(rows: np.ndarray, column: str) -> list[Any]:
    """Return the runs that a system has: one without any prediction is none."""
    found = [row for row in map(_plain, rows) if not all(_is_empty(cell) or is_null(cell) for cell in row)]
    if not found:
        raise DataError(f"Column {column!r} is empty.", hint="is it the right one?")
    return found
