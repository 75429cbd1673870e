"""What tables of counted outcomes have in common: rows checked and coded, names, clusters and a fingerprint."""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np

from ropewalk._arguments import as_texts, read_some
from ropewalk._checks import check_counts, check_missing
from ropewalk.data.clusters import Clusters
from ropewalk.data.label_columns import check_lookalikes, check_no_ids, fill_missing, reconcile_columns
from ropewalk.data.labels import (
    BINARY,
    NO_ANSWER,
    check_declared,
    check_labels,
    clean,
    kind_of,
    label_text,
    sort_labels,
    whole_number,
)
from ropewalk.data.weights import Weights
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    DroppedItemsWarning,
    InvalidInputError,
    LabelTypeError,
    LengthMismatchError,
    warn_caller,
)
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import count_of, did_you_mean, shorten, told
from ropewalk.typing import CodeArray, FloatArray, IntArray, Label, Missing


def code_rows(
    keys: Sequence[tuple[Any, ...]],
    many: Sequence[int],
    *,
    names: Sequence[str] | None,
    labels: Iterable[Label] | None,
    missing: Missing,
    columns: Sequence[str] | None,
) -> tuple[CodeArray, IntArray, IntArray, tuple[Label, ...], tuple[str, ...], int]:
    """Return the rows that count, as positions in the labels, and which they are.

    And their counts, the labels and names, and how many items were dropped.
    """
    check_missing(missing)
    numbers = check_counts(many) if many else np.zeros(0, dtype=np.int64)
    widths = {len(key) for key in keys}
    n_classifiers = (widths.pop() - 1) if len(widths) == 1 else len(names or ())
    if widths or n_classifiers < 1:
        raise LengthMismatchError(
            "Every row must hold the truth and one prediction per classifier.",
            hint="write rows as (truth, prediction, prediction).",
        )
    checked = check_names(names, n_classifiers)
    columns = ["truth", *checked] if columns is None else as_texts(columns, "columns")
    if len(columns) != n_classifiers + 1:
        raise InvalidInputError(
            f"{len(columns)} names were given for {n_classifiers + 1} columns.", hint="name the truth first."
        )

    here = np.flatnonzero(numbers)
    table, kind = _plain_rows([keys[i] for i in here.tolist()], columns)
    gone = 0
    if missing == "drop":  # as if the items had never been there: their labels go too
        whole = [None not in row for row in table]
        gone, total = int(numbers[here[np.logical_not(whole)]].sum()), int(numbers.sum())
        if gone:
            were = "was" if gone == 1 else "were"
            text = f"{gone:,} of {count_of(total, 'item')} had no label in some column and {were} left out."
            warn_caller(text, DroppedItemsWarning)
        here, table = here[whole], [row for row in table if None not in row]
    present = sort_labels(value for row in table for value in row if value is not None)
    if labels is None:
        check_lookalikes(table, columns)
        check_no_ids(table, int(numbers[here].sum()), columns)
    order = present if labels is None else _declared_labels(labels, present, kind)
    if not order:
        raise DataError(
            "There are no items and no labels.", hint=wording("with labels= an empty table gives the prior.")
        )
    filled = fill_missing(table, numbers[here].tolist(), columns, order, missing)
    if any(NO_ANSWER in row for row in filled) and NO_ANSWER not in order:
        order = (*order, NO_ANSWER)
    position = {label: i for i, label in enumerate(order)}
    codes = np.array([[position[v] for v in row] for row in filled], dtype=np.int32)
    return codes.reshape(-1, n_classifiers + 1), here, numbers[here], order, checked, gone


def read_rows(
    rows: Mapping[tuple[Any, ...], int] | Iterable[Sequence[Any]], counts: Iterable[int] | None
) -> tuple[list[tuple[Any, ...]], list[Any]]:
    """Return rows (truth, prediction, …), and how often each comes.

    Examples
    --------
    >>> read_rows({(1, 0): 3}, None), read_rows([[1, 0]], [3])
    (([(1, 0)], [3]), ([(1, 0)], [3]))
    """
    read = read_some(rows)
    keys = [row if type(row) is tuple else read_some(row) for row in read or ()]
    many = rows.values() if isinstance(rows, Mapping) else [1] * len(keys) if counts is None else read_some(counts)
    if read is None or many is None or any(key is None for key in keys):
        raise InvalidInputError(
            "`rows` must be rows (truth, prediction, …), and `counts` numbers.",
            hint="rows=[(1, 1), (1, 0)], counts=[8, 2]",
        )
    if len(many) != len(keys):
        raise LengthMismatchError(
            f"There are {count_of(len(keys), 'row')} and {count_of(len(many), 'count')}.",
            hint="give one count per row.",
        )
    return [tuple(key) for key in keys if key is not None], list(many)


def check_names(names: Sequence[str] | None, n_classifiers: int | None) -> tuple[str, ...]:
    """Return the names of the classifiers: those given (any number if None), or A, B, C and so on."""
    if names is None:
        letters = string.ascii_uppercase
        return tuple(letters[k] if k < len(letters) else f"M{k + 1}" for k in range(n_classifiers or 0))
    if not isinstance(names, Sequence) or isinstance(names, str) or not all(isinstance(n, str) and n for n in names):
        raise InvalidInputError(
            f"`names` must be a sequence of non-empty strings; got {told(names)}.",
            hint="columns whose names are no texts, such as numbers, are renamed first: frame.columns.map(str).",
        )
    if n_classifiers is not None and len(names) != n_classifiers:
        raise InvalidInputError(
            f"{len(names)} names were given for {n_classifiers} classifiers.", hint="give one name per classifier."
        )
    if len(set(names)) < len(names):
        raise InvalidInputError(
            f"The classifiers' names must differ; got {shorten(names)}.",
            hint="give each a name, or a column, of its own.",
        )
    return tuple(names)


def _plain_rows(
    keys: Sequence[tuple[Any, ...]], columns: Sequence[str]
) -> tuple[list[tuple[Label | None, ...]], str | None]:
    """Return rows of plain labels, all of one kind, and that kind."""
    rows = [tuple(map(clean, key)) for key in keys]
    # A set would take 1, 1.0 and True for one: the kind goes along.
    seen = {
        name: {("" if row[i] is None else kind_of(row[i]), row[i]) for row in rows}  # type: ignore[arg-type]
        for i, name in enumerate(columns)
    }
    kind = reconcile_columns(seen)
    return [tuple(map(whole_number, row)) for row in rows], kind


def _declared_labels(labels: Iterable[Label], present: Sequence[Label], kind: str | None) -> tuple[Label, ...]:
    """Return the labels that the user declares, if they cover those of the data."""
    order = check_labels(labels)
    if kind is not None and kind_of(order[0]) != kind:
        raise LabelTypeError(
            argument("labels") + f" declares {kind_of(order[0])} labels ({shorten(order, 5)}) but the data hold {kind} "
            f"ones ({shorten(present, 5)}).",
            hint="1, '1' and True are different labels; declare them as the data have them.",
        )
    check_declared(present, order)
    return order


def distinct_rows(codes: CodeArray, n_labels: int) -> tuple[IntArray, IntArray]:
    """Return where each distinct row stands first, in sorted order, and which of them every row is."""
    width = codes.shape[1]
    if n_labels**width < 1 << 62:  # one integer per row sorts several times faster than rows do
        keys: Any = codes @ (n_labels ** np.arange(width - 1, -1, -1, dtype=np.int64))
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    else:
        _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return first, inverse.reshape(-1)


class Named:
    """What classifiers called `names` said about items with `labels`."""

    __slots__ = ()

    labels: tuple[Label, ...]
    names: tuple[str, ...]
    library: str

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]
            value = getattr(self, field.name)
            for array in value if isinstance(value, tuple) else (value,):
                if isinstance(array, np.ndarray):
                    array.flags.writeable = False

    @property
    def n_labels(self) -> int:
        """How many labels there are, seen or declared."""
        return len(self.labels)

    @property
    def is_multiclass(self) -> bool:
        """Whether there are more than two labels."""
        return len(self.labels) > BINARY

    @property
    def n_classifiers(self) -> int:
        """How many classifiers were counted."""
        return len(self.names)

    def position(self, name: str) -> int:
        """Return the place of a classifier among `names`."""
        return place_of(name, self.names)

    def _picked(self, names: Sequence[str]) -> tuple[list[int], tuple[str, ...]]:
        """Return the places of some classifiers, and their names."""
        if not names:
            raise InvalidInputError("Name at least one classifier to keep.", hint=f"there are: {shorten(self.names)}.")
        return [self.position(name) for name in names], check_names(names, len(names))

    def rename(self, names: Sequence[str]) -> Self:
        """Return the same data under other classifier names."""
        return replace(self, names=check_names(names, self.n_classifiers))  # type: ignore[type-var]


def units_of(table: Any) -> tuple[int, str]:
    """Return how many units are re-weighted, and what one is: an item, or a cluster where items come in clusters."""
    return (table.n_items, "item") if table.n_clusters is None else (table.n_clusters, "cluster")


def place_of(name: str, names: Sequence[str]) -> int:
    """Return the place of a classifier, or list those that there are."""
    if isinstance(name, str) and name in names:
        return names.index(name)
    raise ColumnNotFoundError(
        f"There is no classifier {told(name)} here.", hint=did_you_mean(name, names) + f"There are: {shorten(names)}."
    )


class Tally(Named):
    """Counts of what classifiers said about items."""

    __slots__ = ()

    counts: IntArray
    left_out: int
    clusters: Clusters | None
    weights: Weights | None
    common_weight: float

    @property
    def data_hash(self) -> str:
        """A fingerprint of the data: the same for the same items in any order, from an array or a text file."""
        clusters = self.clusters
        spread: tuple[Any, ...] = () if clusters is None else (clusters.row, clusters.cluster, clusters.counts)
        spread += () if clusters is None or clusters.weight is None else (clusters.weight,)
        spread += () if self.weights is None else (self.weights.row, self.weights.weight, self.weights.counts)
        content = [[label_text(x) for x in self.labels], self.names]
        content += [array.tolist() for array in (*self._content(), *spread)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    def _content(self) -> tuple[Any, ...]:
        """Return the arrays that say what was counted."""
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return (self.labels, self.data_hash) == (other.labels, other.data_hash)

    def __hash__(self) -> int:
        return hash(self.data_hash)

    def __repr__(self) -> str:
        kind, names = type(self).__name__, shorten(self.names, 6)
        return f"{kind}({self.n_items:,} items, {self.n_labels:,} labels, classifiers: {names})"

    @property
    def n_items(self) -> int:
        """How many items were counted."""
        return int(self.counts.sum())

    @property
    def n_clusters(self) -> int | None:
        """How many clusters the items come in; None where each stands alone."""
        return None if self.clusters is None else self.clusters.n

    @property
    def units(self) -> Clusters | Weights | None:
        """What is re-weighted, clusters or weighted items; None where items stand alone and count alike."""
        return self.clusters or self.weights

    @property
    def is_weighted(self) -> bool:
        """Whether some items count more than others."""
        return self.weights is not None or (self.clusters is not None and self.clusters.weight is not None)

    @property
    def row_weights(self) -> FloatArray:
        """How much each row counts: how often it occurred, times the weight of those items, if they have one.

        Weights are scaled so that they add up to the number of items, as counts do.
        """
        units = self.units
        if units is None or not self.is_weighted:
            return self.counts.astype(np.float64)
        load = units.matrix(self.counts.size) @ units.shapes
        scaled: FloatArray = load * (self.n_items / load.sum())
        return scaled

    @property
    def _beside(self) -> tuple[Clusters | None, Weights | None, float]:
        """What stands beside the counts: clusters, weights, and what every item weighs where all weigh the same."""
        return self.clusters, self.weights, self.common_weight

    def _settled(self) -> Self:
        """Return the same counts, with their clusters in an order that does not tell what was added to what."""
        clusters = self.clusters
        return self if clusters is None else replace(self, clusters=clusters.settled())  # type: ignore[type-var]

    def _beside_with(self, other: Tally, n_rows: int) -> tuple[Clusters | None, Weights | None, float]:
        """Return what stands beside this table and another one below it; items without a weight weigh 1."""
        if not self.n_items or not other.n_items:
            return (self if self.n_items else other)._beside  # noqa: SLF001 - a table too
        alike = not (self.is_weighted or other.is_weighted) and self.common_weight == other.common_weight
        common = self.common_weight if alike else 1.0
        if self.clusters is not None and other.clusters is not None:
            one, two = (
                clusters if alike else clusters.weighted(factor)
                for clusters, factor in ((self.clusters, self.common_weight), (other.clusters, other.common_weight))
            )
            return one.beside(two, n_rows), None, common
        if self.clusters is not None or other.clusters is not None:
            raise DataError(
                "One table has clusters and the other has none.", hint=wording("give both or neither cluster=.")
            )
        if alike:
            return None, None, common
        first, second = (
            t.weights or Weights.of(np.arange(t.counts.size), np.full(t.counts.size, t.common_weight), t.counts)
            for t in (self, other)
        )
        return None, first.beside(second, n_rows), common
