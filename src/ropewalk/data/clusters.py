"""Clusters: items that belong together (one author, one passage, repeats of one question) and vary together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ropewalk.data.columns import as_column
from ropewalk.data.gathering import Coded
from ropewalk.data.labels import INTEGER_TEXT, is_null
from ropewalk.errors import InvalidInputError, LengthMismatchError, PairingError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import FloatArray, IntArray

_ALONE = "every item needs the id of its cluster; an item that stands alone needs one of its own."
_NULL_TEXTS = ("", "nan", "NaN", "None", "<NA>", "NaT")
_ONE_BY_ONE = "give one id per item, the same for items that belong together."


@dataclass(frozen=True, slots=True, order=True)
class HiddenId:
    """The id of a cluster that was left out of a file: it differs from all others, of this file and of others."""

    file: int
    number: int


@dataclass(frozen=True, slots=True, eq=False)
class Clusters:
    """How the items of a table spread over clusters: `counts[i]` items of row `row[i]` are in `cluster[i]`.

    `ids` are what the clusters are called, in sorted order, so that tables of parts of them can be put together again.
    `weight` is what those items weigh together, None where all count alike.
    """

    row: IntArray
    cluster: IntArray
    counts: IntArray
    ids: tuple[Any, ...]
    weight: FloatArray | None = None

    @property
    def n(self) -> int:
        """How many clusters there are."""
        return len(self.ids)

    @property
    def shapes(self) -> FloatArray:
        """A 1 per cluster: the shape of what it is drawn as."""
        return np.ones(self.n)

    @property
    def load(self) -> FloatArray:
        """What the items of each pair of row and cluster count together."""
        return self.counts.astype(np.float64) if self.weight is None else self.weight

    @property
    def effective(self) -> float:
        """How many clusters that count alike would tell as much."""
        return effective_number(self.cluster, self.load)

    @classmethod
    def of(cls, row: Any, cluster: Any, counts: Any, ids: Sequence[Any], weight: Any = None) -> Clusters:
        """Return the clusters that occur, each pair of row and cluster once; `cluster` holds places in `ids`."""
        row, cluster, counts = (np.asarray(array, dtype=np.int64) for array in (row, cluster, counts))
        present, cluster = np.unique(cluster, return_inverse=True)
        keys, inverse = np.unique(row * max(present.size, 1) + cluster.reshape(-1), return_inverse=True)
        merged = np.zeros(keys.size, dtype=np.int64)
        np.add.at(merged, inverse.reshape(-1), counts)
        if weight is not None:
            order = np.lexsort([weight, inverse.reshape(-1)])  # a sum of floats depends on their order
            weight = np.bincount(inverse.reshape(-1)[order], weights=np.asarray(weight)[order], minlength=keys.size)
        rows, clusters = np.divmod(keys, max(present.size, 1))
        return cls(rows, clusters, merged, tuple(ids[place] for place in present.tolist()), weight)

    def usual(self, chosen: Any = slice(None)) -> float:
        """Return how much the cluster of an item that is picked at random counts, as a root mean square."""
        return usual_size(self.cluster[chosen], self.load[chosen])

    def merged(self, inverse: IntArray) -> Clusters:
        """Return the clusters of a table in which row i has become row `inverse[i]`."""
        return Clusters.of(inverse[self.row], self.cluster, self.counts, self.ids, self.weight)

    def weighted(self, factor: float) -> Clusters:
        """Return the same clusters, of which every item weighs so many times as much."""
        return replace(self, weight=self.load * factor)

    def beside(self, other: Clusters, n_rows: int) -> Clusters:
        """Return the clusters of two tables one below the other; those of the same id are one."""
        order, place = sorted_ids((*self.ids, *other.ids), "cluster")
        there = [
            np.array([place[id_key(i)] for i in clusters.ids], dtype=np.int64)[clusters.cluster]
            for clusters in (self, other)
        ]
        return Clusters.of(
            np.concatenate([self.row, other.row + n_rows]),
            np.concatenate(there),
            np.concatenate([self.counts, other.counts]),
            order,
            None if self.weight is None and other.weight is None else np.concatenate([self.load, other.load]),
        )

    def settled(self) -> Clusters:
        """Return the same clusters, of which those whose ids are hidden stand in the order of what they hold.

        So nothing follows from the order in which the tables of several places were put together.
        """
        held: dict[int, list[Any]] = {i: [] for i, name in enumerate(self.ids) if isinstance(name, HiddenId)}
        for cluster, *what in zip(self.cluster.tolist(), self.row.tolist(), self.counts, self.load, strict=True):
            if cluster in held:
                held[cluster].append(what)
        place = np.arange(self.n)
        place[sorted(held, key=held.__getitem__)] = list(held)
        return Clusters.of(self.row, place[self.cluster], self.counts, self.ids, self.weight)

    def matrix(self, n_rows: int) -> Any:
        """Return the sparse matrix that turns weights of clusters into weights of rows."""
        from scipy.sparse import csr_array

        return csr_array((self.load, (self.row, self.cluster)), shape=(n_rows, self.n))


def _sizes(cluster: IntArray, weight: Any) -> FloatArray:
    return np.bincount(cluster, weights=weight).astype(np.float64) if len(cluster) else np.zeros(0)


def usual_size(cluster: IntArray, weight: Any = None) -> float:
    """Return how large the cluster of an item picked at random is, as a root mean square.

    Large ones are picked more often, and what an imagined cluster adds to a variance goes with the square of its size:
    with the plain mean, intervals of 400 and 1,000 clusters of sizes 1/rank covered 91%.

    Examples
    --------
    >>> usual_size(np.array([0, 1, 1, 1]))  # sizes 1, 3, 3, 3
    2.6457513110645907
    """
    return usual_weight(_sizes(cluster, weight))


def effective_number(cluster: IntArray, weight: Any = None) -> float:
    """Return how many clusters of one size would tell as much as these (Kish 1965).

    Examples
    --------
    >>> effective_number(np.array([0, 1, 1, 1]))
    1.6
    """
    return kish(_sizes(cluster, weight))


def usual_weight(weights: FloatArray, counts: Any = 1) -> float:
    """Return the weight of a unit that is picked at random by weight, as a root mean square."""
    return float(np.sqrt((counts * weights**3).sum() / (counts * weights).sum())) if weights.any() else 1.0


def kish(weights: FloatArray, counts: Any = 1) -> float:
    """Return how many units that count alike would tell as much as these (Kish 1965)."""
    return float((counts * weights).sum() ** 2 / (counts * weights**2).sum()) if weights.any() else 0.0


def id_key(value: Any) -> tuple[str, Any]:
    """Return an id with its type: a dictionary would take 1, 1.0 and True for one."""
    return type(value).__name__, value


def sorted_ids(ids: Iterable[Any], what: str) -> tuple[tuple[Any, ...], dict[Any, int]]:
    """Return distinct ids in order, and the place of each."""
    try:
        distinct = {id_key(value) for value in ids}
        texts = [value for kind, value in distinct if kind == "str"]
        if len(texts) == len(distinct) and all(INTEGER_TEXT.fullmatch(text) for text in texts):
            order = sorted(distinct, key=lambda key: (int(key[1]), key[1]))  # as the same numbers would be
        else:
            order = sorted(distinct)
    except TypeError as error:
        raise InvalidInputError(f"`{what}` must hold texts or numbers.", hint=_ONE_BY_ONE) from error
    return tuple(value for _, value in order), {key: i for i, key in enumerate(order)}


def code_ids(ids: Any, what: str, n_items: int | None = None) -> tuple[IntArray, tuple[Any, ...]]:
    """Return ids as places in the distinct ids, and these in sorted order.

    Examples
    --------
    >>> codes, distinct = code_ids(["b", "a", "b"], "cluster")
    >>> codes.tolist(), distinct
    ([1, 0, 1], ('a', 'b'))
    """
    column, places = (ids.values, ids.codes) if isinstance(ids, Coded) else (ids, slice(None))
    column = _as_list(column, what)
    n_ids = len(ids) if isinstance(ids, Coded) else len(column)
    if n_items is not None and n_ids != n_items:
        raise LengthMismatchError(
            f"`{what}` has {count_of(n_ids, 'id')} for {count_of(n_items, 'item')}.", hint=_ONE_BY_ONE
        )
    if isinstance(column, np.ndarray):
        distinct, codes = np.unique(column, return_inverse=True)
        return codes.reshape(-1).astype(np.int64), tuple(distinct.tolist())
    holes = np.flatnonzero(np.array([is_null(value) for value in column], dtype=bool)[places])
    if holes.size:
        raise PairingError(
            f"{count_of(holes.size, 'item')} without an id in " + argument(what) + f", first in row {holes[0] + 1}.",
            hint=_ALONE,
        )
    order, place = sorted_ids(column, what)
    return np.array([place[id_key(value)] for value in column], dtype=np.int64)[places], order


def split_clusters(
    keys: Sequence[tuple[Any, ...]], counts: Sequence[int]
) -> tuple[list[tuple[Any, ...]], list[int], tuple[IntArray, tuple[Any, ...]]]:
    """Return rows without their last entry, their counts, and the clusters that the last entries name, as codes."""
    lost = sum(n for key, n in zip(keys, counts, strict=True) if is_null(key[-1]))
    if lost:
        raise PairingError(f"{count_of(lost, 'item')} without a cluster.", hint=_ALONE)
    return [key[:-1] for key in keys], list(counts), code_ids([key[-1] for key in keys], "cluster")


def check_nested(
    ids: Any, clusters: IntArray | None, where: str, *, n_items: int | None = None, column: str | None = None
) -> None:
    """Refuse items that come more than once, unless all of their repeats are in one cluster; `column` holds the ids."""
    codes, distinct = code_ids(ids, "id", n_items if clusters is None else clusters.size)
    if clusters is None:
        repeated = np.flatnonzero(np.bincount(codes) > 1)
        if repeated.size:
            raise repeated_ids(int(repeated.size), [distinct[i] for i in repeated[:3]], where, column)
        return
    pairs = np.unique(codes * (int(clusters.max(initial=0)) + 1) + clusters)
    torn = np.flatnonzero(np.bincount(pairs // (int(clusters.max(initial=0)) + 1)) > 1)
    if torn.size:
        raise PairingError(
            f"{count_of(int(torn.size), 'id')} in {where} lie in more than one cluster.",
            hint="repeats of an item must be in the same cluster.",
        )


def repeated_ids(number: int, first: Sequence[Any], where: str, column: str | None) -> PairingError:
    """Return the error about ids that come more than once, the first of which are shown."""
    return PairingError(
        f"{count_of(number, 'id')} in {where} occur more than once (first: {shorten(first, 3)}"
        f"{f', … ({number - 3} more)' if number > 3 else ''}).",  # noqa: PLR2004
        hint="repeats of one item are not independent items; keep one row per item, or name the column that "
        "holds them together as "
        + (wording("cluster=.") if column is None else wording('cluster="{}".', column))
        + wording(" Several runs of a system go by run= and runs=."),
    )


def _as_list(ids: Any, what: str) -> Any:
    """Return whole numbers as an array, anything else as a list of plain values, nulls as None."""
    column = as_column(ids, f"`{what}`", "ids", _ONE_BY_ONE)
    if isinstance(column, np.ndarray):
        return column
    is_text = getattr(getattr(ids, "dtype", None), "kind", "") == "U"  # NumPy turns a hole among texts into one
    return [None if is_text and value in _NULL_TEXTS else _plain(value) for value in column]


def _plain(value: Any) -> Any:
    """Return a null of any library as None; a null compares to itself in no clear way."""
    if is_null(value) or (isinstance(value, str) and not value):
        return None
    return value.item() if isinstance(value, np.generic) else value
