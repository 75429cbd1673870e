"""What a test is made of: any form of predictions, or of scores per data set, fold or topic, as one kind of table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypedDict

import numpy as np

from ropewalk._arguments import as_texts
from ropewalk._checks import choose, is_whole
from ropewalk.data.columns import SCORE_FORMS, as_array, as_numbers
from ropewalk.data.frames import frame_columns, frame_names, is_frame
from ropewalk.data.inputs import has_logs, read_outcomes_of
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.logs.counting import counts_of
from ropewalk.data.logs.systems import pair_one_task
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.tally import check_names
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    InvalidInputError,
    LengthMismatchError,
)
from ropewalk.metrics.margins import FBeta
from ropewalk.metrics.resolve import of_one_label
from ropewalk.models import observed_tables
from ropewalk.results.classical import Alternative
from ropewalk.results.options import Option, TableOptions
from ropewalk.text.remarks import Remark, issue, warning, wording
from ropewalk.text.writing import shorten
from ropewalk.typing import FloatArray

Rows = Literal["datasets", "topics", "folds", "splits"]
"""What a row of scores is: folds and splits of one data set share training items, and so depend on each other."""

_IS_DEPENDENT: Final = {"datasets": False, "topics": False, "folds": True, "splits": True}
_SIGNIFICANT_DIGITS: Final = 12
_NO_ITEMS: Final = "There are no items to test."
_NO_ITEMS_HINT: Final = "a posterior of no items is its prior; a test of none says nothing."
_USAGE: Final = (
    "test(y_true, pred_a, pred_b), test(outcomes, a=…, b=…), test(outcomes_a, outcomes_b), or "
    "test(table, truth=…, a=…, b=…)."
)


class Sided(TypedDict, total=False):
    """What a test of a difference takes: the alternative, and the mass of the confidence interval."""

    alternative: Annotated[Alternative, Option(help="two-sided, less or greater.", default="two-sided")]
    prob: Annotated[float, Option(help="Of the confidence interval.", default=0.95)]


class Ranked(TypedDict, total=False):
    """What a test by ranks takes: the alternative, and what becomes of equal scores."""

    alternative: Annotated[Alternative, Option(help="two-sided, less or greater.", default="two-sided")]
    zero_method: Annotated[str, Option(help="What becomes of equal scores.", default="wilcox")]


class Pick(TypedDict, total=False):
    """Which two columns of a table of scores to compare."""

    a: Any
    b: Any
    names: Sequence[str] | None


class SidedPick(Pick, Sided, total=False):
    """Which two columns of a table of scores to compare, by a test of a difference."""


class Pairs(Pick, total=False):
    """Which two columns of a table of scores to compare, and what its rows are."""

    of: Annotated[Rows, Option(help="What a row is.", default="datasets")]


@dataclass(frozen=True, slots=True)
class Scores:
    """`values` (n, K): one row per data set, fold or topic, one column per classifier."""

    names: tuple[str, ...]
    values: FloatArray

    @property
    def differences(self) -> FloatArray:
        """The differences of the first two classifiers, A − B."""
        difference: FloatArray = self.values[:, 0] - self.values[:, 1]
        return difference

    @property
    def largest(self) -> float:
        """The size of the largest score: what rounding errors are measured by."""
        return float(np.abs(self.values).max(initial=0.0))

    @property
    def rounded(self) -> FloatArray:
        """The scores to twelve digits of the largest of their row, so that ties are ties.

        Examples
        --------
        >>> Scores(("A", "B"), np.array([[0.3, 0.1 + 0.2], [0.5, 0.6]])).rounded.tolist()
        [[0.3, 0.3], [0.5, 0.6]]
        """
        return _to_digits(self.values, self.values)

    @property
    def rounded_differences(self) -> FloatArray:
        """The differences to twelve digits of the scores of their row: 0.81 − 0.78 is 0.80 − 0.77."""
        return _to_digits(self.differences[:, np.newaxis], self.values[:, :2])[:, 0]


def _to_digits(values: FloatArray, rows: FloatArray) -> FloatArray:
    largest = np.abs(rows).max(axis=1, initial=0.0)
    scale = 10.0 ** np.ceil(np.log10(np.where(largest > 0, largest, 1.0)))[:, np.newaxis]
    return np.asarray(np.round(values / scale, _SIGNIFICANT_DIGITS) * scale + 0.0)  # + 0.0 turns -0.0 into 0.0


def as_scores(data: Sequence[Any], *, names: Any = None, columns: Any = None) -> Scores:
    """Return the scores of a mapping, a dataframe, an array (rows × classifiers), or one sequence per classifier."""
    if isinstance(columns, str) or isinstance(names, str):
        raise InvalidInputError("`columns` and `names` are lists of names, not a text.", hint='write ["A", "B", "C"].')
    if len(data) == 1:
        classifiers, values = _from_table(data[0], names, columns)
    else:
        if columns is not None:
            raise InvalidInputError("Separate sequences have no columns to pick.", hint="call them by names=.")
        classifiers, values = check_names(names, len(data)), list(data)
    classifiers = check_names(classifiers, len(classifiers))
    numbers = {name: as_numbers(column, name) for name, column in zip(classifiers, values, strict=True)}
    if len({column.shape for column in numbers.values()}) > 1:
        sizes = ", ".join(f"{name!r} {' × '.join(map(str, column.shape))}" for name, column in numbers.items())
        raise LengthMismatchError(
            f"The classifiers have different numbers of scores: {sizes}.",
            hint="row i must be the same data set, fold or topic for all of them.",
        )
    if not any(column.size for column in numbers.values()):
        raise LengthMismatchError("There are no scores.", hint="give one number per data set, fold or topic.")
    return Scores(classifiers, np.stack([column.reshape(-1) for column in numbers.values()], axis=1))


def as_pair(data: Sequence[Any], pick: Pick) -> Scores:
    """Return the scores of two classifiers: the two there are, or those that `a` and `b` name."""
    named = [name for name in (pick.get("a"), pick.get("b")) if name is not None]
    wanted = as_texts([str(name) if is_whole(name) else name for name in named], "a, b")
    if len(wanted) == 1 or len(set(wanted)) < len(wanted):
        raise InvalidInputError(
            "Name two different classifiers, a= and b=, or neither.", hint="of three or more, any two can be named."
        )
    if len(data) > 1 and wanted:
        raise InvalidInputError("Separate sequences have no columns to name.", hint="call them by names=.")
    scores = as_scores(data, names=pick.get("names"), columns=wanted or None)
    if len(scores.names) != 2:  # noqa: PLR2004
        raise InvalidInputError(
            f"Two classifiers are compared, and there are {len(scores.names)}: {shorten(scores.names, 6)}.",
            hint="name two of them with a= and b=; friedman and anova take all of them.",
        )
    return scores


def _from_table(table: Any, names: Sequence[str] | None, columns: Any) -> tuple[Sequence[str], list[Any]]:
    """Return the names and the columns of a mapping, a dataframe or an array."""
    if isinstance(table, Mapping):
        known, values = [str(name) for name in table], list(table.values())
    elif is_frame(table):
        known, values = _from_frame(table, columns)
    else:
        array = as_array(table, "the table of scores")
        if array.ndim != 2:  # noqa: PLR2004
            raise InvalidInputError(
                f"A single argument must be a table with classifiers as columns; got {array.ndim} dimension(s).",
                hint=SCORE_FORMS,
            )
        known, values = list(check_names(names, array.shape[1])), list(array.T)
        names = None
    if columns is not None:
        wanted = [str(name) for name in columns]
        absent = [name for name in wanted if name not in known]
        if absent:
            raise ColumnNotFoundError(f"There is no column {absent[0]!r}.", hint=f"the columns are: {shorten(known)}.")
        known, values = wanted, [values[known.index(name)] for name in wanted]
    return (known if names is None else check_names(names, len(known))), values


def _from_frame(table: Any, columns: Any) -> tuple[list[str], list[Any]]:
    native = list(table.columns) if hasattr(table, "iloc") else []
    if not all(isinstance(name, str) for name in native):
        return [str(name) for name in native], list(table.to_numpy().T)  # pandas calls them 0, 1, 2 by default
    if len(set(native)) < len(native):
        raise DataError(f"Some columns go by the same name: {shorten(native)}.", hint="column names must differ.")
    names = frame_names(table) if columns is None else [str(name) for name in columns]
    return list(names), frame_columns(table, names)


def caution(of: str | None, remedy: str) -> tuple[Remark, ...]:
    """Warn where rows depend on each other; `remedy` says what to do instead."""
    if not choose("datasets" if of is None else of, _IS_DEPENDENT, "kind of rows"):
        return ()
    text = (
        f"The {of} of one data set share training items, so their scores are not independent: the spread is too "
        f"small and the p-value or interval too sure. {remedy}"
    )
    remarks = (warning("dependent_rows", text),)
    issue(remarks)
    return remarks


class Source(TableOptions, total=False):
    """Options about the data, as in `compare`."""

    a: str | None
    b: str | None
    pos_label: Any


class SidedSource(Source, Sided, total=False):
    """Options about the data and about a test of a difference."""


class RankedSource(Source, Ranked, total=False):
    """Options about the data and about a test by ranks."""


def tables_of(data: Sequence[Any], source: Source) -> tuple[AnyOutcomes, ...]:
    """Return one table of both classifiers, or one of each."""
    pair = source.get("a"), source.get("b")
    tables = (of_logs(data, pair, source),) if has_logs(data) else read_outcomes_of(data, pair, source, usage=_USAGE)
    if any(table.units is not None and table.clusters is None for table in tables):
        raise DataError(
            "These items have weights, and a classical test takes all items to count alike.",
            hint="leave the weights out, or compare by a posterior.",
        )
    if any(table.clusters is not None for table in tables):
        text = "These items come in clusters, and a classical test takes them as independent: its p-value is too small."
        issue([warning("dependent_items", text)])
    return tables


def of_logs(logs: Sequence[Any], pair: Sequence[str | None], source: Source) -> Outcomes:
    """Return who was right on what item of two evaluation logs, by the log's own score; or what each said."""
    paired = pair_one_task(logs, pair, source)
    table = counts_of(paired, missing=source.get("missing", "error"))
    if table is None:
        raise DataError(
            f"The log's {paired.score.name!r} says more than right or wrong, and these tests know no more.",
            hint="compare the logs, or give columns of scores to classical.t or classical.wilcoxon.",
        )
    return table


def tables_about(data: Sequence[Any], source: Source) -> tuple[AnyOutcomes, ...]:
    """Return the same tables, with a `pos_label` of that class against the rest."""
    return about(tables_of(data, source), source.get("pos_label"))


def about(tables: Sequence[AnyOutcomes], pos_label: Any) -> tuple[AnyOutcomes, ...]:
    """Return the tables of one class against the rest, or as they are without a `pos_label`."""
    single, positive = of_one_label(tables, pos_label)
    if positive is None:
        return tuple(single)
    return tuple(table.collapse(positive) for table in single if isinstance(table, Outcomes))


def names_of(tables: Sequence[AnyOutcomes]) -> tuple[str, ...]:
    """Return the names of the classifiers, A first."""
    return tuple(name for table in tables for name in table.names)


def right(tables: Sequence[AnyOutcomes]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Count the right answers of each classifier, and its items, which may be those of the other or not."""
    hits: list[int] = []
    items: list[int] = []
    for table in map(_one_label, tables):
        hits += ((table.codes[:, 1:] == table.codes[:, :1]) * table.counts[:, np.newaxis]).sum(axis=0).tolist()
        items += [table.n_items] * table.n_classifiers
    if not all(items):
        raise DataError(_NO_ITEMS, hint=_NO_ITEMS_HINT)
    return (hits[0], hits[1]), (items[0], items[1])


def discordant(tables: Sequence[AnyOutcomes]) -> tuple[int, int, int]:
    """Return how many items only A, and only B, got right, and how many items there are."""
    table = shared(tables)
    agree = table.agreement(*table.names)
    return agree["only_a"], agree["only_b"], table.n_items


def shared(tables: Sequence[AnyOutcomes]) -> Outcomes:
    """Return the one table of both classifiers, which a paired test needs."""
    if len(tables) > 1:
        raise DataError(
            "A paired test needs to know which items the classifiers share; these are separate tables.",
            hint="give the predictions item by item; t_items and the tests over classes do without.",
        )
    table = _one_label(tables[0])
    if not table.n_items:
        raise DataError(_NO_ITEMS, hint=_NO_ITEMS_HINT)
    return table


def _one_label(table: AnyOutcomes) -> Outcomes:
    if isinstance(table, MultilabelOutcomes):
        raise DataError(
            "Right or wrong needs one label per item; these items have any number of labels.",
            hint=wording(
                "pick one with pos_label=, test the F1 of all labels over classes, or use the permutation test."
            ),
        )
    return table


def f1_by_class(tables: Sequence[AnyOutcomes], classes: Sequence[int] | None = None) -> Scores:
    """Return both classifiers' F1 of every class, unrounded; classes that occur nowhere are left out.

    `classes` are the places of the classes to look at, all if None.
    """
    labels = tables[0].labels
    if not all(table.n_items for table in tables):
        raise DataError(_NO_ITEMS, hint=_NO_ITEMS_HINT)
    margins = [observed_tables(table).margins() for table in tables]
    f1_a, f1_b = (row for counts in margins for row in FBeta(1.0)(counts)[:, 0])
    seen = sum(counts.row[0] + counts.col.sum(axis=(0, 1)) for counts in margins) > 0
    for j, label in enumerate(labels):
        seen[j] &= label != NO_ANSWER and (classes is None or j in classes)
    return Scores(names_of(tables), np.stack([f1_a[seen], f1_b[seen]], axis=1))
