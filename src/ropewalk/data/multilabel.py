"""`MultilabelOutcomes`: items that carry any number of labels, and what K classifiers said about each label."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ropewalk._arguments import as_texts, listed
from ropewalk._checks import is_whole, published
from ropewalk.data.clusters import Clusters, code_ids
from ropewalk.data.columns import check_same_length, check_same_order
from ropewalk.data.frames import frame_names
from ropewalk.data.labels import (
    check_labels,
    clean,
    find_label,
    labels_of_empty,
    placed_labels,
    rest_of,
    sort_labels,
    unite_labels,
)
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.table_json import MULTILABEL, SavedTally, TableDocument
from ropewalk.data.tally import check_names
from ropewalk.data.weights import Weights, check_count, check_weights, common_weight
from ropewalk.errors import (
    DataError,
    InvalidInputError,
    LabelTypeError,
    LengthMismatchError,
    MissingLabelsError,
    UndeclaredLabelError,
)
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of, shorten, told
from ropewalk.typing import IntArray, Label

_BINARIZE = "for lists of labels, sklearn.preprocessing.MultiLabelBinarizer makes the 0/1 array of items × labels."
MAX_CLASSIFIERS = 60  # one bit each


@published
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MultilabelOutcomes(SavedTally):
    """What K classifiers said about the labels of N items, each of which has any number of them ("any-of").

    Distinct items are listed once and counted, as sparse rows: item i has the labels
    ``indices[indptr[i]:indptr[i+1]]`` with the bits in `bits` (bit 0: truly so; bit k: said by classifier k). A label
    that an item lacks, and that no classifier said, is not listed. Items are sorted by content, so their order leaves
    no trace.

    Examples
    --------
    >>> o = MultilabelOutcomes.from_arrays([[1, 0], [1, 1]], [[1, 0], [0, 1]], labels=["tea", "trade"], names=["svm"])
    >>> o
    MultilabelOutcomes(2 items, 2 labels, classifiers: 'svm')
    >>> o.table("tea").confusion().tolist()
    [[0, 0], [1, 1]]
    """

    indptr: IntArray
    indices: IntArray
    bits: IntArray
    counts: IntArray
    labels: tuple[Label, ...]
    names: tuple[str, ...]
    left_out: int = 0
    clusters: Clusters | None = None
    weights: Weights | None = None
    common_weight: float = 1.0
    library: str = ""

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        *predictions: Any,
        labels: Iterable[Label] | None = None,
        names: Sequence[str] | None = None,
        cluster: Any = None,
        sample_weight: Any = None,
        count: Any = None,
    ) -> MultilabelOutcomes:
        """Count 0/1 indicator arrays (items × labels), dense or sparse, as scikit-learn has them.

        `cluster` holds one id per item, the same for items that belong together, `sample_weight` what each counts, and
        `count` how many items each row stands for.
        """
        from scipy.sparse import csr_array

        if not predictions:
            raise InvalidInputError(
                "`from_arrays` needs the truth and at least one array of predictions.",
                hint="each is a table of 0 and 1, items × labels.",
            )
        checked = check_names(names, len(predictions))
        if len(checked) > MAX_CLASSIFIERS:
            raise InvalidInputError(
                f"At most {MAX_CLASSIFIERS} classifiers fit; got {len(checked)}.",
                hint="compare fewer of them at a time.",
            )
        titles = ["y_true", *(f"predictions of {name!r}" for name in checked)]
        check_same_order((y_true, *predictions), titles)
        y_true, *predictions = _same_columns((y_true, *predictions), titles)  # type: ignore[assignment]
        arrays = [_indicators(array, title) for array, title in zip((y_true, *predictions), titles, strict=True)]
        shapes = {array.shape for array in arrays}
        if len(shapes) > 1:
            sizes = ", ".join(f"{title} {array.shape}" for title, array in zip(titles, arrays, strict=True))
            raise LengthMismatchError(
                f"The indicator arrays differ in shape: {sizes}.", hint="items × labels, all alike."
            )
        bits = csr_array(sum(array * (1 << place) for place, array in enumerate(arrays)))
        bits.sort_indices()
        if labels is None and (columns := frame_names(y_true)):
            labels = [str(label) for label in columns]
        order = tuple(range(arrays[0].shape[1])) if labels is None else check_labels(labels)
        if len(order) != arrays[0].shape[1]:
            raise InvalidInputError(
                f"{len(order)} labels were declared for {arrays[0].shape[1]} columns.",
                hint="declare one label per column.",
            )
        n_rows = arrays[0].shape[0]
        many = np.ones(n_rows, dtype=np.int64) if count is None else check_count(count, n_rows)
        weight = None if sample_weight is None else check_weights(sample_weight, n_rows)
        common: float | None = 1.0
        if weight is not None:
            many = np.where(weight > 0, many, 0)
            common = common_weight(weight[many > 0])
            weight = weight if common is None else None
        rows, clusters, weights = np.arange(n_rows), None, None
        if cluster is not None:
            check_same_order([y_true, cluster], ["y_true", "`cluster`"])
            codes, ids = code_ids(cluster, "cluster", n_rows)
            here = many > 0
            load = None if weight is None else (many * weight)[here]
            clusters = Clusters.of(rows[here], codes[here], many[here], ids, load)
        elif weight is not None:
            weights = Weights.of(rows[many > 0], weight[many > 0], many[many > 0])
        beside = clusters, weights, common or 1.0
        return cls._canonical(bits.indptr, bits.indices, bits.data, many, order, checked, *beside)

    @classmethod
    def from_long(
        cls,
        items: Sequence[Any],
        labels_of: Sequence[Any],
        truth: Sequence[Any],
        *predictions: Sequence[Any],
        labels: Iterable[Label] | None = None,
        names: Sequence[str] | None = None,
        n_items: int | None = None,
        columns: Sequence[str] | None = None,
        cluster: Sequence[Any] | None = None,
    ) -> MultilabelOutcomes:
        """Count a long table, one row per item and label, with 0/1 for the truth and each prediction.

        Pairs that are not listed are 0 throughout; `n_items` says how many items there were, where some have no row.
        `columns` are the names that error messages use, truth first; `cluster` names the cluster of each row's item.

        Examples
        --------
        >>> MultilabelOutcomes.from_long(["d1", "d1", "d2"], ["tea", "trade", "tea"], [1, 0, 1], [1, 1, 0], n_items=9)
        MultilabelOutcomes(9 items, 2 labels, classifiers: 'A')
        """
        items, labels_of = listed(items, "`items`"), listed(labels_of, "`labels_of`")
        truth, said = listed(truth, "`truth`"), [listed(column, "A prediction") for column in predictions]
        checked = check_names(names, len(said))
        titles = ["truth", *checked] if columns is None else as_texts(columns, "columns")
        if len(titles) != len(said) + 1:
            raise InvalidInputError(
                f"{len(titles)} names were given for {len(said) + 1} columns.", hint="name the truth first."
            )
        check_same_length({"items": items, "labels": labels_of} | dict(zip(titles, [truth, *said], strict=True)))
        cleaned: list[Any] = [clean(label) for label in labels_of]
        holes = [at for at, pair in enumerate(zip(items, cleaned, strict=True)) if None in pair]
        if holes:
            raise MissingLabelsError(
                f"Row {holes[0] + 1} names no item or no label ({count_of(len(holes), 'such row')}).",
                hint="every row is one item and one label.",
            )
        order = sort_labels(cleaned) if labels is None else check_labels(labels)
        place = {(type(label), label): i for i, label in enumerate(order)}
        places = [place.get((type(label), label), -1) for label in cleaned]
        if -1 in places:
            stray = cleaned[places.index(-1)]
            raise UndeclaredLabelError(
                f"The label {stray!r} is not among the declared ones ({shorten(order, 6)}).",
                hint="declare it too, or correct the data.",
            )
        number: dict[Any, int] = {}
        rows = [number.setdefault((type(item), item), len(number)) for item in items]
        pairs = list(zip(rows, places, strict=True))
        if len(set(pairs)) < len(pairs):
            first = {pair: i for i, pair in reversed([*enumerate(pairs)])}
            at = next(i for i, pair in enumerate(pairs) if first[pair] < i)
            raise DataError(
                f"Item {items[at]!r} lists the label {labels_of[at]!r} twice.", hint="every pair counts once."
            )
        total = len(number) if n_items is None else n_items
        if not is_whole(total):
            raise InvalidInputError(
                wording("`n_items` must be a whole number; got {!r}.", n_items),
                hint="it counts the items, also those without a label.",
            )
        if total < len(number):
            raise DataError(
                wording("`n_items` must be at least the {:,} items listed; got {:,}.", len(number), total),
                hint="it counts the items listed, and those without a label too.",
            )
        from scipy.sparse import csr_array

        arrays = []
        for title, column in zip(titles, (truth, *said), strict=True):
            flags = [_flag(value, title, at) for at, value in enumerate(column)]
            arrays.append(csr_array((flags, (rows, places)), shape=(len(number), len(order)), dtype=np.int64))
        clusters = None if cluster is None else _one_cluster_each(cluster, rows, total)
        table = cls.from_arrays(*arrays, labels=order, names=checked, cluster=clusters)
        none = np.zeros(0, dtype=np.int64)
        unlisted = np.array([total - len(number)], dtype=np.int64)
        return table + cls(np.zeros(2, dtype=np.int64), none, none.copy(), unlisted, order, checked)

    @classmethod
    def empty(cls, labels: Iterable[Label], names: Sequence[str]) -> MultilabelOutcomes:
        """Make a table without items, whose posterior is the prior."""
        none = [np.zeros(n, dtype=np.int64) for n in (1, 0, 0, 0)]
        return cls(none[0], none[1], none[2], none[3], labels_of_empty(labels), check_names(names, len(names)))

    @classmethod
    def _canonical(  # noqa: PLR0917 - the parts of a sparse matrix
        cls,
        indptr: Any,
        indices: Any,
        bits: Any,
        counts: IntArray,
        labels: tuple[Label, ...],
        names: tuple[str, ...],
        clusters: Clusters | None = None,
        weights: Weights | None = None,
        common_weight: float = 1.0,
    ) -> MultilabelOutcomes:
        """Merge equal items and sort them by content; drop what is 0 throughout."""
        rows = np.repeat(np.arange(counts.size), np.diff(indptr))
        kept = bits != 0
        rows, pairs = rows[kept], np.stack([indices[kept], bits[kept]], axis=1).astype(">i8")
        ends = np.searchsorted(rows, np.arange(counts.size + 1))
        contents = [pairs[i:j].tobytes() for i, j in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True)]
        totals: dict[bytes, int] = {}
        for key, count in zip(contents, counts.tolist(), strict=True):
            totals[key] = totals.get(key, 0) + count
        keys = sorted(key for key, count in totals.items() if count)
        if clusters is not None or weights is not None:
            place = {key: i for i, key in enumerate(keys)}
            to = np.array([place.get(key, -1) for key in contents], dtype=np.int64)
            clusters = None if clusters is None else clusters.merged(to)
            weights = None if weights is None else weights.merged(to)
        listed = np.frombuffer(b"".join(keys), dtype=">i8").astype(np.int64).reshape(-1, 2)
        return cls(
            indptr=np.cumsum([0, *(len(key) // 16 for key in keys)], dtype=np.int64),
            indices=listed[:, 0].copy(),
            bits=listed[:, 1].copy(),
            counts=np.array([totals[key] for key in keys], dtype=np.int64),
            labels=labels,
            names=names,
            clusters=clusters,
            weights=weights,
            common_weight=common_weight,
        )

    def _content(self) -> tuple[Any, ...]:
        return self.indptr, self.indices, self.bits, self.counts

    @property
    def item_of(self) -> IntArray:
        """Which distinct item each listed label belongs to."""
        return np.repeat(np.arange(self.counts.size), np.diff(self.indptr))

    def items_by_class(self) -> IntArray:
        """Return how many items truly have each label."""
        truly = self.counts[self.item_of] * (self.bits & 1)
        return np.bincount(self.indices, weights=truly, minlength=self.n_labels).astype(np.int64)

    def table(self, label: Any) -> Outcomes:
        """Return the table of one label: who has it, and who was said to have it."""
        name = find_label(label, self.labels)
        return self._table(self.labels.index(name), (rest_of(name), name))

    def tables(self) -> tuple[Outcomes, ...]:
        """Return the tables of all labels, each over the labels 0 and 1."""
        return tuple(self._table(j, (0, 1)) for j in range(self.n_labels))

    def _table(self, j: int, labels: tuple[Label, ...]) -> Outcomes:
        here = self.indices == j
        patterns, inverse = np.unique(self.bits[here], return_inverse=True)
        counts = np.bincount(inverse.reshape(-1), weights=self.counts[self.item_of[here]]).astype(np.int64)
        codes = (patterns[:, np.newaxis] >> np.arange(1 + self.n_classifiers)) & 1
        rest = self.n_items - int(counts.sum())
        if rest:
            codes = np.concatenate([np.zeros((1, codes.shape[1]), dtype=codes.dtype), codes])
            counts = np.concatenate([[rest], counts])
        order = np.lexsort(codes.T[::-1])
        table = Outcomes(
            codes[order].astype(np.int32), counts[order], labels, self.names, common_weight=self.common_weight
        )
        if self.units is None:
            return table
        # Which row of the table each distinct item has become; one without the label has bits of 0.
        pattern = np.zeros(self.counts.size, dtype=np.int64)
        pattern[self.item_of[here]] = self.bits[here]
        place = {int(row @ (1 << np.arange(row.size))): i for i, row in enumerate(table.codes.astype(np.int64))}
        to = np.array([place[bits] for bits in pattern.tolist()])
        if self.weights is not None:
            return replace(table, weights=self.weights.merged(to))
        return replace(table, clusters=self.clusters.merged(to))  # type: ignore[union-attr]

    def project(self, names: Sequence[str]) -> MultilabelOutcomes:
        """Keep some of the classifiers, in the order given."""
        places, checked = self._picked(names)
        bits = sum(((self.bits >> old) & 1) << new for new, old in enumerate([0, *(1 + place for place in places)]))
        kept = self._canonical(self.indptr, self.indices, bits, self.counts, self.labels, checked, *self._beside)
        return replace(kept, library=self.library)

    def over(self, labels: Iterable[Label]) -> MultilabelOutcomes:
        """Return the same counts over these labels, in their order; they hold all that there are, and maybe more."""
        order, place = placed_labels(self.labels, labels)
        indices = place[self.indices].astype(np.int64)
        sorted_ = np.lexsort([indices, self.item_of])
        kept = self._canonical(
            self.indptr,
            indices[sorted_],
            self.bits[sorted_],
            self.counts,
            order,
            self.names,
            *self._beside,
        )
        return replace(kept, library=self.library)

    def __add__(self, other: object) -> MultilabelOutcomes:
        """Merge two tables of the same classifiers: more items, the same question. Clusters of one id are one."""
        if not isinstance(other, MultilabelOutcomes):
            return NotImplemented
        if self.names != other.names:
            raise DataError(
                f"Only outcomes of the same classifiers add up; got {shorten(self.names)} and {shorten(other.names)}.",
                hint="use project() or rename() first.",
            )
        labels = unite_labels(self.labels, other.labels)
        one, two = (table if table.labels == labels else table.over(labels) for table in (self, other))
        parts = [np.concatenate(pair) for pair in (
            (one.indptr, two.indptr[1:] + one.indptr[-1]), (one.indices, two.indices), (one.bits, two.bits),
            (one.counts, two.counts),
        )]  # fmt: skip
        beside = one._beside_with(two, one.counts.size)
        return self._canonical(parts[0], parts[1], parts[2], parts[3], labels, self.names, *beside)._settled()

    def __radd__(self, other: object) -> MultilabelOutcomes:
        """Let `sum` start at 0."""
        return self if other == 0 else NotImplemented

    _kind: ClassVar[str] = MULTILABEL

    def _rows(self) -> list[list[int]]:
        """Return a row per distinct item: label and bits of each label that is listed, and the count."""
        listed = np.column_stack([self.indices, self.bits]).reshape(-1).tolist()
        ends = (2 * self.indptr).tolist()
        items = zip(ends[:-1], ends[1:], self.counts.tolist(), strict=True)
        return [[*listed[start:end], number] for start, end, number in items]

    @classmethod
    def _of_document(cls, document: TableDocument) -> MultilabelOutcomes:
        labels, names, sizes = document.labels, document.names, document.sizes
        if (sizes % 2 != 1).any() or len(names) > MAX_CLASSIFIERS:
            raise ValueError("a row must hold pairs of a label and bits, and a count")
        listed = np.ones(document.numbers.size, dtype=bool)
        listed[np.cumsum(sizes) - 1] = False
        indices, bits = document.numbers[listed].reshape(-1, 2).T
        if indices.max(initial=0) >= len(labels) or bits.max(initial=1) >= 2 << len(names) or bits.min(initial=1) < 1:
            raise ValueError("a row points to a label or a classifier that is not there")
        rows = np.repeat(np.arange(sizes.size), sizes // 2)
        order = np.lexsort([indices, rows])
        if (np.diff(rows[order] * len(labels) + indices[order]) == 0).any():
            raise ValueError("a row lists a label twice")
        indptr = np.concatenate([[0], np.cumsum(sizes // 2)])
        return cls._canonical(indptr, indices[order], bits[order], document.counts, labels, names, *document.beside)


AnyOutcomes = Outcomes | MultilabelOutcomes


def _one_cluster_each(cluster: Sequence[Any], rows: Sequence[int], n_items: int) -> list[Any]:
    """Return the cluster of each item of a long table, whose rows must agree about it."""
    codes, ids = code_ids(cluster, "cluster", len(rows))
    pairs = np.unique(np.stack([rows, codes], axis=1), axis=0)
    n_listed = int(max(rows, default=-1)) + 1
    if len(pairs) > n_listed:
        raise DataError("The rows of some items name more than one cluster.", hint="a cluster holds whole items.")
    if n_items > n_listed:
        raise DataError(
            f"{n_items - n_listed:,} items have no row, so no cluster.",
            hint=wording("list every item, or leave cluster= out."),
        )
    return [ids[place] for place in pairs[:, 1].tolist()]


def _same_columns(data: Sequence[Any], titles: Sequence[str]) -> list[Any]:
    """Bring dataframes into the column order of the first: their columns are the labels, and have names."""
    names = [frame_names(table) for table in data]
    named = [(columns, title) for columns, title in zip(names, titles, strict=True) if columns]
    if not named:
        return list(data)
    order, first = named[0]
    aligned = []
    for table, title, called in zip(data, titles, names, strict=True):
        columns = called or order
        if len(set(columns)) < len(columns) or set(columns) != set(order):
            raise DataError(
                f"The columns of {title} ({shorten(columns, 5)}) are not those of {first} ({shorten(order, 5)}).",
                hint="every label needs a column of the same name in each, once.",
            )
        aligned.append(table if columns == order else np.asarray(table)[:, [columns.index(name) for name in order]])
    return aligned


def _indicators(data: Any, title: str) -> Any:
    """Return a sparse 0/1 matrix, or say where it is something else."""
    from scipy.sparse import csr_array, issparse

    if issparse(data):
        matrix: Any = csr_array(data)  # type: ignore[call-overload]
        matrix.sum_duplicates()
        values = matrix.data
        rows, columns = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)), matrix.indices
    else:
        try:
            dense = np.asarray(data)
        except ValueError as error:
            raise LengthMismatchError(f"The rows of {title} differ in length.", hint=_BINARIZE) from error
        if dense.ndim != 2:  # noqa: PLR2004
            raise LengthMismatchError(
                f"{title} has {count_of(dense.ndim, 'dimension')}; indicator arrays are items × labels.",
                hint="where every item has one label, one-hot columns become labels by argmax(axis=1).",
            )
        if dense.dtype.kind == "O":  # of Python's own 0 and 1, or True and False
            plain = [[_known(value) for value in row] for row in dense.tolist()]
            if all(value is not None for row in plain for value in row):
                dense = np.array(plain, dtype=np.float64).reshape(dense.shape)
        if dense.dtype.kind not in "biuf":
            kind = "text" if dense.dtype.kind in "US" else dense.dtype.name
            raise LabelTypeError(f"{title} must hold 0 and 1; got {kind}.", hint=_BINARIZE)
        rows, columns = np.nonzero(dense)
        values = dense[rows, columns]
        matrix = csr_array((values, (rows, columns)), shape=dense.shape)
    bad = np.flatnonzero((values != 1) & (values != 0))
    if bad.size:
        at = (int(rows[bad[0]]), int(columns[bad[0]]))
        bad_value = values[bad[0]].item()
        if math.isnan(bad_value):
            raise MissingLabelsError(f"{title} must hold 0 and 1 only; got NaN at {at}.", hint="fill or drop the item.")
        raise LabelTypeError(
            f"{title} must hold 0 and 1 only; got {told(bad_value)} at {at}.",
            hint=wording("if these are probabilities, threshold=0.5 makes labels of them."),
        )
    return csr_array(matrix, dtype=np.int64)


def _known(value: Any) -> int | None:
    """Return 0 or 1 in any writing, or None."""
    return {"0": 0, "1": 1, "0.0": 0, "1.0": 1, "false": 0, "true": 1}.get(str(value).strip().lower())


def _flag(value: Any, title: str, at: int) -> int:
    flag = _known(value)
    if flag is None:
        kind = MissingLabelsError if value is None else LabelTypeError
        raise kind(
            f"Column {title!r} must hold 0 and 1 only; got {told(value)} in row {at + 1}.",
            hint="a long table has one row per item and label.",
        )
    return flag
