"""Tables of scores: a row per data set, or per fold of one, and a column of scores per classifier."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

import numpy as np

from ropewalk._checks import is_real
from ropewalk.data.columns import MAX_SCORE, numbers_in
from ropewalk.data.inputs import is_table
from ropewalk.data.labels import is_null
from ropewalk.data.records import records_of
from ropewalk.data.tally import Named
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of, shorten, told
from ropewalk.typing import FloatArray, IntArray

_FOLDS: Final = re.compile(
    r"((cv|k|outer|inner|test)[ _.-]*)*(folds?|repeats?|repetitions?|resamples?|cv[ _.-]*splits?)"
    r"([ _.-]*(id|no|nr|num|number|index|idx|#))?",
    re.IGNORECASE,
)
"""Names of columns that say of which fold or repeat a row is; `split` alone may as well say test or validation."""

_FORMS: Final = "give a file, a dataframe or a dict of columns, and name its columns."


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreTable:
    """Scores of classifiers, `values` (rows, K), NaN where there is none; rows belong to data sets by number.

    `fold` and `repeat` number the folds and repeats of a data set; where the table names none, they are None.
    """

    names: tuple[str, ...]
    datasets: tuple[str, ...]
    dataset: IntArray
    values: FloatArray
    fold: IntArray | None = None
    repeat: IntArray | None = None
    library: str = ""

    @property
    def n_datasets(self) -> int:
        """How many data sets there are."""
        return len(self.datasets)

    @property
    def largest(self) -> float:
        """The size of the largest score."""
        return float(np.nanmax(np.abs(self.values), initial=0.0))

    def groups(self) -> list[IntArray]:
        """Return the rows of each data set."""
        order = np.argsort(self.dataset, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.dataset, minlength=self.n_datasets))[:-1])

    def of(self, *columns: int) -> ScoreTable:
        """Return the table of some of the classifiers."""
        names = tuple(self.names[column] for column in columns)
        return replace(self, names=names, values=self.values[:, list(columns)])

    def means(self) -> FloatArray:
        """Return the mean score on each data set, (data sets, K), NaN for a classifier without any there.

        It is that of the rows on which all others have one: a fold that lacks a score counts for none.
        """
        means = np.full((self.n_datasets, len(self.names)), math.nan)
        for number, places in enumerate(self.groups()):
            known = np.isfinite(rows := self.values[places])
            present = known.any(axis=0)
            whole = known[:, present].all(axis=1)
            if present.any() and whole.any():
                means[number, present] = rows[whole][:, present].mean(axis=0)
        return means


def read_score_table(
    table: Any, *, dataset: str | None, scores: Sequence[str], fold: str | None = None, repeat: str | None = None
) -> ScoreTable:
    """Read columns of a file, a dataframe, a query or a dict.

    Without `dataset` all rows are of one data set. With `fold` there is a row for each, else one per data set.

    Examples
    --------
    >>> columns = {"data": ["iris", "wine"], "a": [0.9, 0.8], "b": [0.8, None]}
    >>> read_score_table(columns, dataset="data", scores=["a", "b"]).values.tolist()
    [[0.9, 0.8], [0.8, nan]]
    """
    wanted = [name for name in (dataset, fold, repeat, *scores) if name is not None]
    for name in wanted:
        if not isinstance(name, str):
            raise InvalidInputError(f"A column is named by a text; got {told(name)}.", hint=_FORMS)
    if repeat is not None and fold is None:
        raise InvalidInputError(
            wording("`repeat` says in which repeat a fold was made, and no column of folds is named."),
            hint=wording("fold= names it; where there is one score per repeat, and no folds, name the column there."),
        )
    twice = [name for name, times in Counter(wanted).items() if times > 1]
    if twice:
        raise InvalidInputError(f"The column {twice[0]!r} is named twice.", hint="each column has one part to play.")
    columns, library = _columns(table, wanted, scores)
    if not len(columns[wanted[-1]]):
        raise DataError("The table has no rows.", hint="is this the right file?")
    values = np.stack([_numbers(columns[name], name) for name in scores], axis=1)
    names, number = _numbered(columns.get(dataset), dataset, len(values))
    folds, repeats = (
        None if name is None else _numbered(columns[name], name, len(values))[1] for name in (fold, repeat)
    )
    _check_repeated(names, number, folds, repeats, (dataset, fold, repeat))
    return ScoreTable(
        names=tuple(scores), datasets=names, dataset=number, values=values, fold=folds, repeat=repeats, library=library
    )


def refuse_folds(data: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Refuse a table with a column of folds or repeats as items of a mean: folds share training items.

    Who names ids or clusters has items in the rows.
    """
    table, *rest = data
    if (
        not (is_table(table) or isinstance(table, Mapping))
        or isinstance(table, Named)
        or not all(isinstance(name, str) for name in rest)
    ):
        return
    if any(options.get(name) is not None for name in ("id", "cluster")):
        return
    found = sorted(name for name in map(str, records_of(table).names()) if _FOLDS.fullmatch(name))
    if found:
        raise InvalidInputError(
            f"The table has a column {found[0]!r}: scores of folds share training items, and are no items.",
            hint=wording(
                "rw.compare_datasets and rw.compare_folds, or `ropewalk datasets FILE --fold {}`, know how folds "
                "overlap; if the rows are items, id= names them.",
                found[0],
            ),
        )


def _columns(table: Any, wanted: Sequence[str], scores: Sequence[str]) -> tuple[dict[Any, Any], str]:
    """Return columns by name, and the library of the dataframe that they come in."""
    if not is_table(table) and not isinstance(table, Mapping):
        raise InvalidInputError(f"A table cannot be a {type(table).__name__}.", hint=_FORMS)
    library = type(table).__module__.partition(".")[0]
    numbers = set(scores)
    return dict(zip(wanted, records_of(table).arrays(wanted, numbers=numbers), strict=True)), library


def _numbers(column: Any, name: str) -> FloatArray:
    """Return a column of scores as floats, NaN where there is none."""
    cells = column.tolist() if isinstance(column, np.ndarray) else list(column)
    cells = [math.nan if is_null(cell) or cell == "" else cell for cell in cells]
    bad = [cell for cell in cells if not isinstance(cell, str | Decimal) and not is_real(cell)]
    if bad:
        raise DataError(f"Column {name!r} must hold numbers; got {told(bad[0])}.", hint="name a column of scores.")
    found = np.array([float(cell) for cell in numbers_in(cells, name)])
    if np.isinf(found).any() or (np.abs(found[np.isfinite(found)]) > MAX_SCORE).any():
        raise DataError(f"Column {name!r} holds an infinite score.", hint="leave the row out, or find out why.")
    return found


def _numbered(column: Any, name: str | None, n_rows: int) -> tuple[tuple[str, ...], IntArray]:
    """Return the different values of a column in the order of their first row, and which of them each row has."""
    if column is None:
        return ("",), np.zeros(n_rows, dtype=np.int64)
    cells = column.tolist() if isinstance(column, np.ndarray) else list(column)
    empty = [row for row, cell in enumerate(cells, 1) if is_null(cell) or cell == ""]
    if empty:
        raise DataError(
            f"Column {name!r} is empty in {count_of(len(empty), 'row')}, first in row {empty[0]}.",
            hint="every row must say what it is of.",
        )
    texts = [str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell) for cell in cells]
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return tuple(places), np.array([places[text] for text in texts], dtype=np.int64)


def _check_repeated(
    datasets: tuple[str, ...],
    dataset: IntArray,
    fold: IntArray | None,
    repeat: IntArray | None,
    named: tuple[str | None, str | None, str | None],
) -> None:
    """Refuse rows that are the same data set, fold and repeat."""
    column, fold_column, _ = named
    keys = np.stack([part for part in (dataset, fold, repeat) if part is not None], axis=1)
    _, first, counts = np.unique(keys, axis=0, return_index=True, return_counts=True)
    if counts.max() == 1 or (column is None and fold is None):
        return
    again = first[counts > 1]
    which = shorten(list(dict.fromkeys(datasets[dataset[row]] for row in sorted(again.tolist()))))
    if fold is None:
        raise DataError(
            f"Column {column!r} has data sets with several rows: {which}.",
            hint=wording("fold= names the column of folds; folds are no data sets of their own."),
        )
    where = "" if column is None else f" of {which}"
    hint = wording("repeat= names the column of repeats.") if repeat is None else "each fold of a repeat has one row."
    raise DataError(f"Column {fold_column!r} has the same fold twice{where}.", hint=hint)
