"""`Outcomes`: the sparse table of distinct (truth, predictions…) rows and how often each occurred."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

import numpy as np

from ropewalk._checks import check_counts, published
from ropewalk.data.clusters import Clusters, code_ids, split_clusters
from ropewalk.data.columns import check_same_order, count_columns
from ropewalk.data.labels import (
    NO_ANSWER,
    check_labels,
    find_label,
    labels_of_empty,
    placed_labels,
    rest_of,
    unite_labels,
)
from ropewalk.data.log_score import RIGHT, WRONG, Score
from ropewalk.data.source import Source, picked_source
from ropewalk.data.table_json import OUTCOMES, SavedTally, TableDocument
from ropewalk.data.tally import check_names, code_rows, distinct_rows, read_rows
from ropewalk.data.weights import Weights, check_count, check_weights, common_weight, split_weights, times_count
from ropewalk.errors import ColumnNotFoundError, CountsError, DataError, InvalidInputError, LengthMismatchError
from ropewalk.text.remarks import wording
from ropewalk.text.writing import shorten
from ropewalk.typing import CodeArray, IntArray, Label, Missing

MATRIX_CELLS: Final = 1 << 22
"""How many cells a confusion matrix may have that is written out: those of 2,048 labels."""


@published
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Outcomes(SavedTally):
    """What K classifiers said about N items, as counts.

    Row i of `codes` is one distinct combination (truth, prediction 1, …, prediction K), written as positions
    in `labels`; `counts[i]` says how many items had it. Rows are sorted, so the order of the items leaves no
    trace. Every model on labels needs nothing else, and two tables add up: ``o1 + o2``. `left_out` remembers how many
    items were dropped for want of a label or a match; they are not part of the table. `clusters` says which items
    belong together, where some do, and `weights` how much items that stand alone count, where some count more. Where
    all weigh the same, `common_weight` is what each does, which matters only beside the items of another table.
    `library` is that of the dataframe which the items came in. `score` is what an evaluation log scored them by, where
    it is right and wrong answers that were counted. `source` is where the items can be found again, where they were
    counted one by one.

    Make one with `from_arrays`, `from_confusion`, `from_counts`, `from_pairs`, `from_rows`, or with
    `read_outcomes` from a file or dataframe.

    Examples
    --------
    >>> o = Outcomes.from_arrays([1, 1, 0, 0], [1, 0, 0, 0], [1, 1, 1, 0], names=["a", "b"])
    >>> o
    Outcomes(4 items, 2 labels, classifiers: 'a', 'b')
    >>> o.confusion("a").tolist()
    [[2, 0], [1, 1]]
    """

    codes: CodeArray
    counts: IntArray
    labels: tuple[Label, ...]
    names: tuple[str, ...]
    left_out: int = 0
    clusters: Clusters | None = None
    weights: Weights | None = None
    common_weight: float = 1.0
    library: str = ""
    score: Score | None = None
    source: Source | None = field(default=None, repr=False)

    # -- making one ------------------------------------------------------------------------------------

    @classmethod
    def from_rows(
        cls,
        rows: Mapping[tuple[Any, ...], int] | Iterable[Sequence[Any]],
        counts: Iterable[int] | None = None,
        *,
        names: Sequence[str] | None = None,
        labels: Iterable[Label] | None = None,
        missing: Missing = "error",
        columns: Sequence[str] | None = None,
        clustered: bool = False,
        weighted: bool = False,
    ) -> Outcomes:
        """Make a table from (truth, prediction 1, …) rows and their counts, such as a published table.

        Every other constructor ends here, so this is where labels are checked. `columns` are the names that
        error messages use, truth first. In `clustered` rows the last entry names the cluster of the items; in
        `weighted` ones what each weighs follows.

        Examples
        --------
        >>> Outcomes.from_rows([(1, 1, 0), (0, 0, 0)], [12, 30], names=["a", "b"]).n_items
        42
        """
        keys, many = read_rows(rows, counts)
        if weighted:
            keys, many, weight = split_weights(keys, many)
        if clustered:
            keys, many, (cluster, ids) = split_clusters(keys, many)
        codes, here, numbers, order, checked, left_out = code_rows(
            keys, many, names=names, labels=labels, missing=missing, columns=columns
        )
        at, clusters, weights = np.arange(here.size), None, None
        common = common_weight(weight[here]) if weighted else 1.0
        uneven = common is None
        if clustered:
            load = numbers * weight[here] if uneven else None
            clusters = Clusters.of(at, cluster[here], numbers, ids, load)
        elif uneven:
            weights = Weights.of(at, weight[here], numbers)
        return cls._canonical(codes, numbers, order, checked, left_out, clusters, weights, common or 1.0)

    @classmethod
    def from_arrays(
        cls,
        y_true: Any,
        *predictions: Any,
        names: Sequence[str] | None = None,
        labels: Iterable[Label] | None = None,
        missing: Missing = "error",
        cluster: Any = None,
        sample_weight: Any = None,
        count: Any = None,
    ) -> Outcomes:
        """Count the true labels and the predictions of one or more classifiers, in scikit-learn's order.

        Any sequence will do: lists, NumPy arrays, columns of any dataframe. `cluster` holds one id per item, the
        same for items that belong together, `sample_weight` what each counts, and `count` how many items each row
        stands for.

        Examples
        --------
        >>> Outcomes.from_arrays(["cat", "dog"], ["cat", "cat"], labels=["cat", "cow", "dog"]).labels
        ('cat', 'cow', 'dog')
        """
        if not predictions:
            raise InvalidInputError(
                "`from_arrays` needs the truth and at least one column of predictions.",
                hint="from_arrays(y_true, pred_a, pred_b)",
            )
        checked = check_names(names, len(predictions))
        columns = ["y_true", *(f"predictions of {name!r}" for name in checked)]
        check_same_order([y_true, *predictions], columns)
        beside = {"cluster": cluster, "sample_weight": sample_weight, "count": count}
        present = {name: array for name, array in beside.items() if array is not None}
        for name, array in present.items():
            check_same_order([y_true, array], ["y_true", f"`{name}`"])
        coded, (ids, levels) = _code_beside(present)
        rows = count_columns([y_true, *predictions, *coded], [*columns, *present])
        if count is not None:
            rows = times_count(rows)
        if levels is not None:
            rows = {(*key[:-1], levels[key[-1]]): n for key, n in rows.items()}  # type: ignore[arg-type, index]
        if not rows and labels is None:
            raise LengthMismatchError(
                "The columns are empty.", hint=wording("with labels= an empty table is allowed and gives the prior.")
            )
        table = cls.from_rows(
            rows, names=checked, labels=labels, missing=missing, columns=columns, clustered=cluster is not None,
            weighted=sample_weight is not None,
        )  # fmt: skip
        source = None
        if count is None:  # else a row is no item
            source = Source.of(
                "arrays",
                (y_true, *predictions),
                len(predictions),
                names=checked,
                labels=None if labels is None else table.true_labels,
                missing=missing,
                cluster=cluster,
                sample_weight=sample_weight,
            )
        clusters = table.clusters
        if clusters is not None:
            clusters = replace(clusters, ids=tuple(ids[i] for i in clusters.ids))
        return replace(table, clusters=clusters, source=source)

    @classmethod
    def empty(cls, labels: Iterable[Label], names: Sequence[str]) -> Outcomes:
        """Make a table without items, whose posterior is the prior.

        Examples
        --------
        >>> Outcomes.empty([0, 1], ["a", "b"])
        Outcomes(0 items, 2 labels, classifiers: 'a', 'b')
        """
        codes, counts = np.zeros((0, 1 + len(names)), dtype=np.int32), np.zeros(0, dtype=np.int64)
        return cls(codes, counts, labels_of_empty(labels), check_names(names, len(names)))

    @classmethod
    def from_counts(
        cls, table: Any, *, labels: Iterable[Label] | None = None, names: Sequence[str] | None = None
    ) -> Outcomes:
        """Make a table from an M × … × M array of counts, axes (truth, prediction 1, …, prediction K).

        Labels are 0 … M−1 unless declared.

        Examples
        --------
        >>> Outcomes.from_counts([[[400, 40], [20, 30]], [[40, 35], [60, 300]]], names=["a", "b"]).n_items
        925
        """
        counts = check_counts(table)
        if counts.ndim < 2 or len(set(counts.shape)) != 1 or counts.shape[0] == 0:  # noqa: PLR2004
            raise CountsError(
                f"The counts must have the same length M along every axis (truth, then one per classifier); got "
                f"shape {counts.shape}.",
                hint="a class that a classifier never predicts still needs its column of zeros.",
            )
        order = tuple(range(counts.shape[0])) if labels is None else check_labels(labels)
        if len(order) != counts.shape[0]:
            raise CountsError(
                f"{len(order)} labels were declared for a table of {counts.shape[0]} classes.",
                hint="declare one label per row of the matrix.",
            )
        codes = np.argwhere(counts > 0).astype(np.int32)
        return cls._canonical(codes, counts[counts > 0], order, check_names(names, counts.ndim - 1))

    @classmethod
    def from_confusion(cls, matrix: Any, *, labels: Iterable[Label] | None = None, name: str | None = None) -> Outcomes:
        """Make the table of one classifier from its confusion matrix (rows = truth, columns = prediction).

        Examples
        --------
        >>> Outcomes.from_confusion([[90, 10], [5, 45]], name="svm").n_items
        150
        """
        counts = check_counts(matrix, "confusion matrix")
        if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:  # noqa: PLR2004
            raise CountsError(
                f"A confusion matrix must be square; got shape {counts.shape}.",
                hint="rows are the true classes, columns the predicted ones, both in the same order.",
            )
        return cls.from_counts(counts, labels=labels, names=None if name is None else [name])

    @classmethod
    def from_pairs(
        cls,
        *,
        positive: Sequence[int],
        negative: Sequence[int],
        labels: Iterable[Label] = (0, 1),
        names: Sequence[str] | None = None,
    ) -> Outcomes:
        """Make a paired binary table from the papers' counts of outcome pairs.

        The pairs (prediction of A, prediction of B) come in the order (1,1) (1,0) (0,1) (0,0), for the truly positive
        items and for the negative ones. `labels` are (negative, positive).

        Examples
        --------
        >>> o = Outcomes.from_pairs(positive=(300, 60, 35, 40), negative=(30, 20, 40, 400))
        >>> o.confusion("A").tolist()
        [[440, 50], [75, 360]]
        """
        pairs = [check_counts(positive, "positive counts"), check_counts(negative, "negative counts")]
        if any(p.shape != (4,) for p in pairs):
            text = "`positive` and `negative` must hold four counts each."
            raise CountsError(text, hint="the order is (1,1) (1,0) (0,1) (0,0).")
        return cls.from_counts(np.stack([p[::-1].reshape(2, 2) for p in reversed(pairs)]), labels=labels, names=names)

    @classmethod
    def _canonical(  # noqa: PLR0917 - the fields in their order
        cls,
        codes: CodeArray,
        counts: IntArray,
        labels: tuple[Label, ...],
        names: tuple[str, ...],
        left_out: int = 0,
        clusters: Clusters | None = None,
        weights: Weights | None = None,
        common_weight: float = 1.0,
        source: Source | None = None,
    ) -> Outcomes:
        """Sort the rows and merge equal ones, so that equal data are equal tables."""
        if len(codes):
            first, inverse = distinct_rows(codes, len(labels))
            codes = codes[first]
            merged = np.zeros(len(codes), dtype=np.int64)
            np.add.at(merged, inverse, counts)
            counts = merged
            clusters = None if clusters is None else clusters.merged(inverse)
            weights = None if weights is None else weights.merged(inverse)
        return cls(codes, counts, labels, names, left_out, clusters, weights, common_weight, source=source)

    # -- looking at one ----------------------------------------------------------------------------------

    def _content(self) -> tuple[Any, ...]:
        return self.codes, self.counts

    def confusion(self, name: str | None = None) -> IntArray:
        """Return the confusion matrix of one classifier (rows = truth); its name may be left out if K = 1."""
        k = 0 if name is None and self.n_classifiers == 1 else self.position(str(name))
        if self.n_labels**2 > MATRIX_CELLS:
            raise CountsError(
                f"A confusion matrix of {self.n_labels:,} labels would have {self.n_labels**2:,} cells; at most "
                f"{MATRIX_CELLS:,} are written out.",
                hint=wording("pos_label= asks about one label against the rest, and other models need no matrix."),
            )
        # Where a prior takes parts of items, counts are not whole.
        matrix = np.zeros((self.n_labels, self.n_labels), dtype=np.result_type(self.counts, np.int64))
        np.add.at(matrix, (self.codes[:, 0], self.codes[:, 1 + k]), self.counts)
        return matrix

    @property
    def can_be_true(self) -> Any:
        """Whether each label can be an item's true one: a missing answer cannot."""
        return np.array([label != NO_ANSWER for label in self.labels])

    @property
    def true_labels(self) -> tuple[Label, ...]:
        """The labels that can be an item's true one."""
        return tuple(label for label in self.labels if label != NO_ANSWER)

    def items_by_class(self) -> IntArray:
        """Return how many items belong to each class."""
        items = np.bincount(self.codes[:, 0], weights=self.counts, minlength=self.n_labels)
        return items.astype(np.result_type(self.counts, np.int64))

    def agreement(self, a: str, b: str) -> dict[str, int]:
        """Return how many items both, only `a`, only `b` and neither classified right."""
        truth = self.codes[:, 0]
        right_a, right_b = (self.codes[:, 1 + self.position(name)] == truth for name in (a, b))
        both, only_a, only_b = right_a & right_b, right_a & ~right_b, ~right_a & right_b
        cells = {"both": both, "only_a": only_a, "only_b": only_b, "neither": ~right_a & ~right_b}
        return {name: int(self.counts[cell].sum()) for name, cell in cells.items()}

    # -- deriving others -----------------------------------------------------------------------------------

    def project(self, names: Sequence[str]) -> Outcomes:
        """Keep some of the classifiers, in the order given.

        Examples
        --------
        >>> o = Outcomes.from_arrays([1, 0], [1, 0], [1, 1], names=["a", "b"])
        >>> o.project(["b"]).names
        ('b',)
        """
        places, checked = self._picked(names)
        codes = self.codes[:, [0, *(1 + place for place in places)]]
        source = picked_source(self.source, places)
        kept = self._canonical(codes, self.counts, self.labels, checked, self.left_out, *self._beside, source)
        return replace(kept, library=self.library, score=self.score)

    def collapse(self, pos_label: Any) -> Outcomes:
        """Return the one-vs-rest table of one class: two labels, the positive one last.

        Examples
        --------
        >>> o = Outcomes.from_arrays(["x", "y", "z"], ["x", "z", "z"])
        >>> o.collapse("z").labels
        ('not z', 'z')
        """
        positive = find_label(pos_label, self.labels)
        rest = rest_of(positive, self.labels)
        codes = (self.codes == self.labels.index(positive)).astype(np.int32)
        labels = rest, positive
        return self._canonical(codes, self.counts, labels, self.names, self.left_out, *self._beside, self.source)

    def relabel(self, labels: Sequence[Label]) -> Outcomes:
        """Return the same counts under other labels, one for each in the same order.

        Examples
        --------
        >>> Outcomes.from_arrays([0, 1], [1, 1]).relabel(["ham", "spam"]).labels
        ('ham', 'spam')
        """
        order = check_labels(labels)
        if len(order) != self.n_labels:
            raise InvalidInputError(
                f"{len(order)} labels were given for {self.n_labels} classes.",
                hint="give a new name for each label, in label order.",
            )
        return replace(self, labels=order, score=None, source=None)

    def over(self, labels: Iterable[Label]) -> Outcomes:
        """Return the same counts over these labels, in their order; they hold all that there are, and maybe more.

        Examples
        --------
        >>> Outcomes.from_arrays(["low"], ["high"]).over(["low", "mid", "high"]).labels
        ('low', 'mid', 'high')
        """
        order, place = placed_labels(self.labels, labels)
        if self.score is not None and not set(order) <= {RIGHT, WRONG}:
            raise DataError(
                f"These counts say which answers are right, by {self.score.name!r}, and know no other labels.",
                hint=wording("leave labels= out."),
            )
        kept = self._canonical(place[self.codes], self.counts, order, self.names, self.left_out, *self._beside)
        return replace(kept, library=self.library, score=self.score)

    def __add__(self, other: object) -> Outcomes:
        """Merge two tables of the same classifiers: more items, the same question. Clusters of one id are one."""
        if not isinstance(other, Outcomes):
            return NotImplemented
        if self.names != other.names:
            raise ColumnNotFoundError(
                f"Only outcomes of the same classifiers add up; got {shorten(self.names)} and {shorten(other.names)}.",
                hint="use project() or rename() first.",
            )
        if self.score != other.score and self.n_items and other.n_items:
            said = [f"answers scored by {o.score.name!r}" if o.score else "labels" for o in (self, other)]
            raise DataError(f"{said[0]} and {said[1]} do not add up.", hint="count both in the same way.")
        labels = unite_labels(self.labels, other.labels)
        place = {label: i for i, label in enumerate(labels)}
        parts = [np.array([place[x] for x in o.labels], dtype=np.int32)[o.codes] for o in (self, other)]
        counts = np.concatenate([self.counts, other.counts])
        gone = self.left_out + other.left_out
        beside = self._beside_with(other, len(self.codes))
        whole = self._canonical(np.concatenate(parts), counts, labels, self.names, gone, *beside)
        return replace(whole, score=(self if self.n_items else other).score)._settled()

    def __radd__(self, other: object) -> Outcomes:
        """Let `sum` start at 0."""
        return self if other == 0 else NotImplemented

    # -- keeping ---------------------------------------------------------------------------------------------

    _kind: ClassVar[str] = OUTCOMES

    def _rows(self) -> list[list[int]]:
        rows: list[list[int]] = np.column_stack([self.codes, self.counts]).tolist()
        return rows

    @classmethod
    def _of_document(cls, document: TableDocument) -> Outcomes:
        counts, names, labels = document.counts, document.names, document.labels
        if (document.sizes != len(names) + 2).any():
            raise ValueError("a row must hold the truth, one prediction per classifier and a count")
        codes = document.numbers.reshape(-1, len(names) + 2)[:, :-1]
        if codes.max(initial=0) >= len(labels):
            raise ValueError("a row points to a label that is not there")
        some, left_out = counts > 0, document.left_out
        table = cls._canonical(codes[some].astype(np.int32), counts[some], labels, names, left_out, *document.beside)
        if document.score is None:
            return table
        truths = {labels[code] for code in np.unique(table.codes[:, 0])}
        if not truths <= {RIGHT} or not set(labels) <= {RIGHT, WRONG} or table.is_weighted:
            raise ValueError("answers that were scored are right or wrong, and weigh nothing")
        return replace(table, score=document.score)


def _code_beside(present: Mapping[str, Any]) -> tuple[list[IntArray], tuple[tuple[Any, ...], list[float] | None]]:
    """Return what stands beside predictions as whole numbers, and the ids and weights that they stand for."""
    coded, ids, levels = [], (), None
    for name, array in present.items():
        if name == "cluster":
            codes, ids = code_ids(array, name)
        elif name == "count":
            codes = check_count(array)
        else:
            distinct, codes = np.unique(check_weights(array), return_inverse=True)
            levels = distinct.tolist()
        coded.append(codes.reshape(-1))
    return coded, (ids, levels)
