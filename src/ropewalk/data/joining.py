"""Pair two files or dataframes, one per classifier, by the ids of their items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ropewalk._checks import check_missing, checked_keywords, choose
from ropewalk.data.columns import count_columns
from ropewalk.data.labels import whole_number
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.readers import check_ids
from ropewalk.data.records import Records, records_of
from ropewalk.data.scores import ItemScores
from ropewalk.data.source import Source
from ropewalk.data.tally import check_names
from ropewalk.errors import DroppedItemsWarning, PairingError, warn_caller
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import Label, Missing


@checked_keywords
def join_outcomes(
    source_a: Any,
    source_b: Any,
    *,
    id: str,  # noqa: A002
    truth: str,
    prediction: str,
    names: Sequence[str] = ("A", "B"),
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    unmatched: str = "error",
    cluster: str | None = None,
) -> Outcomes:
    """Pair two files or dataframes, one per classifier, by an id column.

    Both must have the columns `id`, `truth` and `prediction`, and agree about the truth. Ids that only one side
    has are refused, or left out with ``unmatched="drop"``. `cluster` names a column of the first that is the same for
    items that belong together.

    Examples
    --------
    >>> import pandas as pd
    >>> left = pd.DataFrame({"id": [1, 2, 3], "y": [1, 0, 1], "label": [1, 0, 0]})
    >>> right = pd.DataFrame({"id": [3, 1, 2], "y": [1, 1, 0], "label": [1, 1, 0]})
    >>> join_outcomes(left, right, id="id", truth="y", prediction="label", names=["old", "new"])
    Outcomes(3 items, 2 labels, classifiers: 'old', 'new')
    """
    checked = check_names(names, 2)
    check_missing(missing)
    _check_unmatched(unmatched)
    sides: list[list[Any]] = []
    for source in (source_a, source_b):
        records = records_of(source)
        wanted = [prediction, truth] if cluster is None or sides else [prediction, truth, cluster]
        sides.append(records.lists([id, *wanted]))
    items, alone = _paired(sides, id, checked, unmatched)
    _tell(alone, len(items))
    data = [list(column) for column in zip(*((row[3], *row[1:3], *row[4:]) for row in items), strict=True)]
    columns = [truth, *(f"{prediction} of {name!r}" for name in checked)]
    rows = count_columns(data, columns if cluster is None else [*columns, cluster])
    table = Outcomes.from_rows(
        rows, names=checked, labels=labels, missing=missing, columns=columns, clustered=cluster is not None
    )
    declared = None if labels is None else table.true_labels
    asked = {"id": id, "truth": truth, "prediction": prediction, "names": checked, "labels": declared}
    asked |= {"missing": missing, "unmatched": unmatched, "cluster": cluster}
    where = Source.of("joined", (source_a, source_b), len(checked), **asked)
    return replace(table, left_out=table.left_out + alone, source=where)


@checked_keywords
def join_scores(
    source_a: Any,
    source_b: Any,
    *,
    id: str,  # noqa: A002
    prediction: str,
    truth: str | None = None,
    names: Sequence[str] = ("A", "B"),
    labels: Iterable[Label] | None = None,
    unmatched: str = "error",
    cluster: str | None = None,
) -> ItemScores:
    """Pair the scores in two files or dataframes, one per system, by an id column; see `join_outcomes`.

    `prediction` is the column of scores. Where there is a `truth`, both must have it and agree about it; a mean, and
    the accuracy of scores that say right or wrong, need none.

    Examples
    --------
    >>> import pandas as pd
    >>> left = pd.DataFrame({"case": [1, 2, 3], "passed": [True, False, True]})
    >>> right = pd.DataFrame({"case": [3, 1, 2], "passed": [True, True, True]})
    >>> join_scores(left, right, id="case", prediction="passed", names=["old", "new"])
    ItemScores(3 items, systems: 'old', 'new')
    """
    asked: dict[str, Any] = {"id": id, "prediction": prediction, "truth": truth, "names": names, "labels": labels}
    asked |= {"unmatched": unmatched, "cluster": cluster}
    scores, _, _ = joined_in_order(source_a, source_b, **asked)
    _tell(scores.left_out, scores.n_items)
    asked |= {"names": scores.names, "labels": None if labels is None else scores.labels}
    return replace(scores, source=Source.of("joined scores", (source_a, source_b), 2, **asked)).canonical()


def joined_in_order(
    source_a: Any,
    source_b: Any,
    *,
    id: str,  # noqa: A002
    prediction: str,
    truth: str | None,
    names: Sequence[str],
    labels: Iterable[Label] | None,
    unmatched: str,
    cluster: str | None,
    by: str | None = None,
) -> tuple[ItemScores, list[Any], list[Any] | None]:
    """Take what `join_scores` takes, and keep the items in the order of the first; return also ids and slices."""
    checked = check_names(names, 2)
    _check_unmatched(unmatched)
    named = {"truth": truth, "cluster": cluster, "by": by}
    own = {name: column for name, column in named.items() if column is not None}
    sides = [
        _scores_in(records_of(source_a), [id, prediction, *own.values()], prediction),
        _scores_in(records_of(source_b), [id, prediction, *([] if truth is None else [truth])], prediction),
    ]
    items, alone = _paired(sides, id, checked, unmatched, has_truth=truth is not None)
    keys, a, b, *rest = (list(column) for column in zip(*items, strict=True))
    beside = dict(zip(own, rest, strict=True))
    cluster_of, truth_of = beside.get("cluster"), beside.get("truth")
    scores = ItemScores.in_order(truth_of, a, b, names=checked, labels=labels, id=keys, cluster=cluster_of)
    return replace(scores, left_out=alone), keys, beside.get("by")


def _check_unmatched(unmatched: str) -> None:
    choose(unmatched, {"error": 1, "drop": 1}, "way to treat unmatched ids")


def _tell(alone: int, n_items: int) -> None:
    """Say how many ids had no match."""
    if alone:
        text = f"{count_of(alone, 'id')} without a match left out; {count_of(n_items, 'item')} remain."
        warn_caller(text, DroppedItemsWarning)


def _scores_in(records: Records, columns: Sequence[str], prediction: str) -> list[Any]:
    """Return columns item by item, one of them as scores."""
    arrays = records.arrays(columns, [prediction])
    return [column.tolist() if hasattr(column, "tolist") else column for column in arrays]


def _paired(
    sides: Sequence[Sequence[Any]], column: str, names: Sequence[str], unmatched: str, *, has_truth: bool = True
) -> tuple[list[tuple[Any, ...]], int]:
    """Return items as (id, prediction of A, of B, what else stands beside A's), and how many ids had no match.

    A side is columns: ids, predictions, the truth if there is one, and more.
    """
    tables: list[dict[Any, Any]] = []
    for (ids, *values), name in zip(sides, names, strict=True):
        check_ids(ids, column, f"the data of {name!r}")
        # The type goes into the key: ids 1 and "1" do not match.
        tables.append({(type(i), i): row for i, *row in zip(ids, *values, strict=True)})
    left, right = tables
    for first, other, a, b in ((left, right, *names), (right, left, *reversed(names))):
        lone = [key for key in first if key not in other]
        if lone and unmatched == "error":
            kinds = {str(kind) for kind, _ in first} ^ {str(kind) for kind, _ in other}
            raise PairingError(
                f"{len(lone):,} of {len(first):,} ids of {a!r} have no match in {b!r} "
                f"(first: {shorten((value for _, value in lone), 3)}).",
                hint="the two sides hold ids of different types; convert one."
                if kinds and len(lone) == len(first)
                else wording('unmatched="drop" compares the {:,} shared items only.', len(first) - len(lone)),
            )
    shared = [key for key in left if key in right]
    alone = len(left) + len(right) - 2 * len(shared)
    if not shared:
        raise PairingError("The two tables share no id.", hint="are these predictions on the same test set?")
    differ = [k for k in shared if not _same(left[k][1], right[k][1])] if has_truth else []
    if differ:
        raise PairingError(
            f"The two tables disagree about the truth of {count_of(len(differ), 'item')} "
            f"(first: id {differ[0][1]!r} is {left[differ[0]][1]!r} and {right[differ[0]][1]!r}).",
            hint="both classifiers must be judged against the same labels.",
        )
    return [(k[1], left[k][0], right[k][0], *left[k][1:]) for k in shared], alone


def _same(first: Any, other: Any) -> bool:
    """Whether two true labels are the same; a hole elsewhere may have turned one column of integers into floats."""
    plain = [whole_number(label) if isinstance(label, float) else label for label in (first, other)]
    return type(plain[0]) is type(plain[1]) and plain[0] == plain[1]
