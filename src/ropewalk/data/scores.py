"""`ItemScores`: what K systems said about each item as a number, and the truth where there is one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_missing, published
from ropewalk.data.clusters import check_nested, code_ids
from ropewalk.data.columns import as_column, as_numbers, check_same_length, check_same_order
from ropewalk.data.gathering import Coded
from ropewalk.data.label_columns import reconcile_columns
from ropewalk.data.labels import (
    BINARY,
    check_declared,
    check_labels,
    clean,
    find_label,
    kind_of,
    label_text,
    labels_of_empty,
    rest_of,
    sort_labels,
    whole_number,
)
from ropewalk.data.ordering import distinct_codes, lexical_order
from ropewalk.data.records import records_of
from ropewalk.data.source import Source, picked_source
from ropewalk.data.tally import Named, check_names, units_of
from ropewalk.data.weights import check_alone, check_weights, repeated
from ropewalk.errors import (
    DroppedItemsWarning,
    InvalidInputError,
    LengthMismatchError,
    MissingLabelsError,
    UnfinishedError,
    warn_caller,
)
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import BoolArray, FloatArray, IntArray, Label, Missing

_MISSING: Final = wording(
    'missing="drop" leaves the item out; where answers are right or wrong, missing="wrong" counts it as wrong.'
)


@published
@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False, repr=False)
class ItemScores(Named):
    """Scores of K systems on the same N items, item by item.

    `truth` holds positions in `labels`, or is None where the values need no truth (a loss, a grade); `values` has one
    array per system: (N,) scores of the positive class, or (N, M) of all classes in label order. `cluster` numbers the
    clusters that items belong to, `weight` what each item counts. `left_out` items lacked a score or a match, and of
    `taken_wrong` ones some score was missing and is 0. Items are sorted by content, so their order leaves no trace.

    Examples
    --------
    >>> ItemScores.from_arrays([0, 1, 1], [0.2, 0.7, 0.9], [0.1, 0.8, 0.6], names=["old", "new"])
    ItemScores(3 items, 2 labels, systems: 'old', 'new')
    """

    values: tuple[FloatArray, ...]
    names: tuple[str, ...]
    labels: tuple[Label, ...]
    truth: IntArray | None
    cluster: IntArray | None = None
    weight: FloatArray | None = None
    left_out: int = 0
    taken_wrong: int = 0
    library: str = ""
    source: Source | None = field(default=None, repr=False)

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        *scores: Any,
        names: Sequence[str] | None = None,
        labels: Iterable[Label] | None = None,
        cluster: Any = None,
        id: Any = None,  # noqa: A002
        sample_weight: Any = None,
        count: Any = None,
        missing: Missing = "error",
    ) -> ItemScores:
        """Take the truth (or None) and one array of scores per system; items are matched by position.

        Without a truth scores may be `missing`: "drop" leaves such an item out, "wrong" takes 0 for the score.
        """
        items = cls.in_order(
            y_true,
            *scores,
            names=names,
            labels=labels,
            cluster=cluster,
            id=id,
            sample_weight=sample_weight,
            count=count,
            missing=missing,
        )
        if count is not None:  # a row is no item
            check_alone(count, id)
            return items.taken(repeated(items.n_items, count)).counting().canonical()
        asked = {"names": items.names, "labels": None if labels is None else items.labels, "cluster": cluster, "id": id}
        asked |= {"sample_weight": sample_weight, "missing": missing}
        source = Source.of("score arrays", (y_true, *scores), len(scores), **asked)
        return replace(items.counting(), source=source).canonical()

    @classmethod
    def in_order(
        cls,
        y_true: Any,
        *scores: Any,
        names: Sequence[str] | None = None,
        labels: Iterable[Label] | None = None,
        cluster: Any = None,
        id: Any = None,  # noqa: A002
        sample_weight: Any = None,
        count: Any = None,
        missing: Missing = "error",
    ) -> ItemScores:
        """Take what `from_arrays` takes, and keep the rows in the order given, also those that count nothing.

        A missing score that is to be dropped is NaN.
        """
        if check_missing(missing) != "error" and y_true is not None:
            text = argument("missing") + " is about labels, and these are scores."
            raise InvalidInputError(text, hint="leave it out.")
        if not scores:
            raise InvalidInputError(
                "Give the truth and the scores of at least one system.", hint="from_arrays(y_true, scores_a, scores_b)"
            )
        checked = check_names(names, len(scores))
        titles = [f"scores of {name!r}" for name in checked]
        beside = ((cluster, "`cluster`"), (id, "`id`"), (sample_weight, "`sample_weight`"), (count, "`count`"))
        present = ((y_true, "y_true"), *zip(scores, titles, strict=True), *beside)
        indexed = [(array, title) for array, title in present if array is not None]
        check_same_order([array for array, _ in indexed], [title for _, title in indexed])
        how = {"holes": missing != "error", "hint": None if y_true is not None else _MISSING}
        values = [_as_scores(array, name, **how) for array, name in zip(scores, checked, strict=True)]
        truth, order = (None, ()) if y_true is None else code_labels(y_true, "y_true", labels)
        check_same_length(({} if truth is None else {"y_true": truth}) | dict(zip(titles, values, strict=True)))
        n_items = len(values[0])
        if not n_items and y_true is not None and not order:
            raise LengthMismatchError(
                "There are no items and no labels.", hint=wording("with labels= no items give the prior.")
            )
        widths = {array.shape[1:] for array in values}
        if len(widths) > 1:
            raise LengthMismatchError(
                "Some systems have one score per item, others one per class.",
                hint="give the same form for all systems.",
            )
        groups = None if cluster is None else code_ids(cluster, "cluster", n_items)[0]
        if id is not None:
            check_nested(id, groups, "`id`", n_items=n_items)
        weight = None if sample_weight is None else check_weights(sample_weight, n_items)
        weight = None if weight is None or not weight.size else weight / weight.mean()
        items = cls(tuple(values), checked, order, truth, groups, weight).checked()
        return items.filled() if missing == "wrong" else items

    def filled(self) -> ItemScores:
        """Return the items with 0 for each score that is missing."""
        values = tuple(np.nan_to_num(array, nan=0.0) for array in self.values)
        return replace(self, values=values, taken_wrong=int(self.incomplete.sum()))

    def counting(self) -> ItemScores:
        """Return the items that count: what has no weight is not there, nor what lacks a score."""
        if self.counted.all():
            return self
        if (gone := int(self.incomplete.sum())) == self.n_items:
            raise MissingLabelsError("No item has a score of all systems.", hint="nothing is left to compare.")
        if gone:
            were = "was" if gone == 1 else "were"
            text = f"{gone:,} of {count_of(self.n_items, 'item')} had no score in some column and {were} left out."
            warn_caller(text, DroppedItemsWarning)
        return replace(self.part(np.flatnonzero(self.counted)), left_out=self.left_out + gone)

    def part(self, places: IntArray) -> ItemScores:
        """Return some of the items, in the order given, and the clusters that are left."""
        items = self.taken(places)
        if items.cluster is None:
            return items
        return replace(items, cluster=np.unique(items.cluster, return_inverse=True)[1].reshape(-1))

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        truth: str | None,
        predictions: Sequence[str],
        labels: Iterable[Label] | None = None,
        cluster: str | None = None,
        id: str | None = None,  # noqa: A002
        sample_weight: str | None = None,
        count: str | None = None,
        missing: Missing = "error",
    ) -> ItemScores:
        """Take the columns of a file or dataframe; `truth` may be None where the values need none."""
        asked: dict[str, Any] = {"truth": truth, "predictions": check_names(predictions, None), "cluster": cluster}
        asked |= {"id": id, "sample_weight": sample_weight, "missing": missing}
        items, columns = cls.read_in_order(source, labels=labels, **asked, count=count)
        if count is not None:  # a row is no item
            check_alone(count, id)
            return items.taken(repeated(items.n_items, columns[count])).counting().canonical()
        declared = None if labels is None else items.labels
        where = Source.of("score table", (source,), len(items.names), labels=declared, **asked)
        return replace(items.counting(), source=where).canonical()

    @classmethod
    def read_in_order(
        cls,
        source: Any,
        *,
        truth: str | None,
        predictions: Sequence[str],
        labels: Iterable[Label] | None = None,
        cluster: str | None = None,
        id: str | None = None,  # noqa: A002
        sample_weight: str | None = None,
        count: str | None = None,
        missing: Missing = "error",
        others: Sequence[str] = (),
    ) -> tuple[ItemScores, dict[str, Any]]:
        """Take what `read` takes, and keep the rows in their order; return the columns too, and `others` of the rows.

        They are read at once, since an engine may change the order of its rows.
        """
        names = check_names(predictions, None)
        if not names:
            raise InvalidInputError("Name at least one column of scores.", hint='predictions=["new", "old"]')
        beside = [column for column in (truth, cluster, id, sample_weight, count) if column is not None]
        for column in (cluster, id, sample_weight, count):
            if column is not None and not isinstance(column, str):
                raise InvalidInputError(
                    wording("For a file or dataframe, `cluster` and `id` are names of columns."),
                    hint="give arrays only with arrays.",
                )
        if truth in names:
            raise InvalidInputError(
                f"{truth!r} is named both as the truth and as scores.", hint="name the column of the system."
            )
        wanted = list(dict.fromkeys([*names, *beside, *others]))
        numbers = [*names, *(column for column in (sample_weight,) if column is not None)]
        columns = dict(zip(wanted, records_of(source).arrays(wanted, numbers), strict=True))
        if not len(columns[names[0]]):
            raise UnfinishedError("There are no rows.", hint="a table must hold at least one item.")
        items = cls.in_order(
            None if truth is None else columns[truth],
            *(columns[name] for name in names),
            names=names,
            labels=labels,
            cluster=None if cluster is None else columns[cluster],
            id=None if id is None else columns[id],
            sample_weight=None if sample_weight is None else columns[sample_weight],
            count=None if count is None else columns[count],
            missing=missing,
        )
        return items, columns

    @classmethod
    def empty(cls, labels: Iterable[Label], names: Sequence[str]) -> ItemScores:
        """Make scores of no items, whose posterior is the prior; without labels they have no truth.

        With more than two labels there is a column for each.
        """
        order = labels_of_empty(labels)
        truth = np.zeros(0, dtype=np.int64) if order else None
        values = np.zeros((0, len(order)) if len(order) > BINARY else 0)
        return cls((values,) * len(names), check_names(names, len(names)), order, truth)

    def checked(self) -> ItemScores:
        """Take the positive column of two; refuse columns that are not the classes."""
        if not self.by_class:
            return self
        width = self.values[0].shape[1]
        if self.truth is None:
            raise InvalidInputError(
                "Values without a truth are one number per item.", hint="probabilities of classes need the truth too."
            )
        if width == 1:
            return replace(self, values=tuple(array[:, 0] for array in self.values))
        if width != self.n_labels:
            raise LengthMismatchError(
                f"The scores have {width} columns, and there are {self.n_labels} labels "
                f"({shorten(map(label_text, self.labels), 6)}).",
                hint=wording("columns follow the order of the labels; labels= declares classes that the truth lacks."),
            )
        return self

    def canonical(self) -> ItemScores:
        """Return the items sorted by content."""
        keys = [column for array in self.values for column in np.atleast_2d(array.T)]
        keys += [array for array in (self.weight, self.cluster, self.truth) if array is not None]
        return self.taken(lexical_order(keys))

    def taken(self, places: IntArray) -> ItemScores:
        """Return some of the items, in the order given."""
        columns = {"truth": self.truth, "cluster": self.cluster, "weight": self.weight}
        picked: dict[str, Any] = {name: array[places] for name, array in columns.items() if array is not None}
        return replace(self, values=tuple(array[places] for array in self.values), **picked)

    @property
    def incomplete(self) -> BoolArray:
        """Which items lack a score."""
        lacking = np.zeros(self.n_items, dtype=bool)
        for array in self.values:
            lacking |= np.isnan(array.sum(axis=1) if self.by_class else array)
        return lacking

    @property
    def counted(self) -> BoolArray:
        """Which items count: those with a weight and all scores."""
        whole = ~self.incomplete
        return whole if self.weight is None else whole & (self.weight > 0)

    @property
    def by_class(self) -> bool:
        """Whether the values of a system are a table, with one column per class."""
        return self.values[0].ndim > 1

    @property
    def n_items(self) -> int:
        """How many items there are."""
        return len(self.values[0])

    @property
    def n_clusters(self) -> int | None:
        """How many clusters the items come in; None where each stands alone."""
        return None if self.cluster is None else int(self.cluster.max(initial=-1)) + 1

    @property
    def is_weighted(self) -> bool:
        """Whether some items count more than others."""
        return self.weight is not None

    @property
    def members(self) -> IntArray:
        """The unit that each item is re-weighted with: its cluster, or itself."""
        return np.arange(self.n_items) if self.cluster is None else self.cluster

    @property
    def n_units(self) -> int:
        """How many units are re-weighted."""
        return units_of(self)[0]

    def items_by_class(self) -> IntArray:
        """Return how many items belong to each class."""
        assert self.truth is not None  # noqa: S101
        return np.bincount(self.truth, minlength=self.n_labels)

    @property
    def data_hash(self) -> str:
        """A fingerprint of the data: the same for the same items in any order."""
        content = hashlib.sha256(repr(([label_text(x) for x in self.labels], self.names)).encode())
        for array in (*self.values, self.truth, self.cluster, self.weight):
            content.update(b"-" if array is None else np.ascontiguousarray(array).tobytes())
        return content.hexdigest()[:16]

    def project(self, names: Sequence[str], *, sort: bool = True) -> ItemScores:
        """Keep some of the systems, in the order given; without `sort` the items stay in theirs."""
        places, checked = self._picked(names)
        values, source = tuple(self.values[k] for k in places), picked_source(self.source, places)
        picked = replace(self, names=checked, values=values, source=source)
        return picked.canonical() if sort else picked

    def against_rest(self, positive: Label) -> ItemScores:
        """Return the question of one class against the rest: two labels, the positive one last.

        One score per item is then that of the positive class.
        """
        chosen = find_label(positive, self.labels)
        place = self.labels.index(chosen)
        assert self.truth is not None  # noqa: S101
        if not self.by_class and self.labels == (rest_of(chosen, self.labels), chosen):
            return self
        values = tuple(array[:, place] if self.by_class else array for array in self.values)
        here: IntArray = (self.truth == place).astype(np.int64)
        return replace(self, values=values, truth=here, labels=(rest_of(chosen, self.labels), chosen)).canonical()

    def __repr__(self) -> str:
        labels = "" if self.truth is None else f"{self.n_labels} labels, "
        return f"ItemScores({self.n_items:,} items, {labels}systems: {shorten(self.names, 6)})"


def code_labels(column: Any, name: str, labels: Iterable[Label] | None = None) -> tuple[IntArray, tuple[Label, ...]]:
    """Return the labels of items as positions, and the labels in order: those declared, or those that occur."""
    plain = column if isinstance(column, Coded) else as_column(column, name)
    if isinstance(plain, np.ndarray):
        distinct, codes = distinct_codes(plain)
        present: list[Any] = distinct.tolist()
    else:
        values, places = (plain.values, plain.codes) if isinstance(plain, Coded) else (plain, slice(None))
        cleaned = [clean(value) for value in values]
        holes = np.flatnonzero(np.array([value is None for value in cleaned], dtype=bool)[places])
        if holes.size:
            raise MissingLabelsError(
                f"{count_of(holes.size, 'item')} with a null or NaN label in {name}, first in row {holes[0] + 1}.",
                hint="leave these items out for all systems.",
            )
        reconcile_columns({name: {(kind_of(value), value) for value in cleaned}})  # type: ignore[arg-type]
        cleaned = [whole_number(value) for value in cleaned]
        present = list(dict.fromkeys(cleaned))
        place = {label: i for i, label in enumerate(present)}
        codes = np.array([place[label] for label in cleaned], dtype=np.int64)[places]
    order = sort_labels(present) if labels is None else check_labels(labels)
    check_declared(present, order)
    to = np.array([order.index(label) for label in present], dtype=np.int64)
    return to[codes.reshape(-1)] if present else codes.astype(np.int64), order


def _as_scores(array: Any, name: str, **how: Any) -> FloatArray:
    if hasattr(array, "to_numpy") and not isinstance(array, np.ndarray):
        array = array.to_numpy()
    numbers = as_numbers(array, name, **how)
    if numbers.ndim not in {1, 2}:
        raise InvalidInputError(
            f"The scores of {name!r} must be one number per item, or items × classes; got shape {numbers.shape}.",
            hint="give an array of numbers, as long as the truth.",
        )
    numbers += 0.0  # -0.0 is 0.0 now
    return numbers
