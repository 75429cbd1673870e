"""Pair two files or dataframes, one per classifier, by the ids of their items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ropewalk._checks import check_missing, check_unmatched, checked_keywords
from ropewalk.data.ids import Here, check_shared, join_rows
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.records import records_of
from ropewalk.data.scores import ItemScores
from ropewalk.data.source import Source
from ropewalk.data.tally import check_names
from ropewalk.errors import DroppedItemsWarning, warn_caller
from ropewalk.text.writing import count_of
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
    check_unmatched(unmatched)
    wanted = [id, truth, prediction]
    first = wanted if cluster is None else [*wanted, cluster]
    records = records_of(source_a), records_of(source_b)
    rows, alone = join_rows(records, (first, wanted), checked, drop=unmatched == "drop")
    _tell(alone, sum(rows.values()))
    columns = [truth, *(f"{prediction} of {name!r}" for name in checked)]
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
    missing: Missing = "error",
    cluster: str | None = None,
) -> ItemScores:
    """Pair the scores in two files or dataframes, one per system, by an id column; see `join_outcomes`.

    `prediction` is the column of scores. Where there is a `truth`, both must have it and agree about it; a mean, and
    the accuracy of scores that say right or wrong, need none; then scores may be `missing`, as in `compare`.

    Examples
    --------
    >>> import pandas as pd
    >>> left = pd.DataFrame({"case": [1, 2, 3], "passed": [True, False, True]})
    >>> right = pd.DataFrame({"case": [3, 1, 2], "passed": [True, True, True]})
    >>> join_scores(left, right, id="case", prediction="passed", names=["old", "new"])
    ItemScores(3 items, systems: 'old', 'new')
    """
    asked: dict[str, Any] = {"id": id, "prediction": prediction, "truth": truth, "names": names, "labels": labels}
    asked |= {"unmatched": unmatched, "missing": missing, "cluster": cluster}
    scores, _, _ = joined_in_order(source_a, source_b, **asked)
    _tell(scores.left_out, scores.n_items)
    scores = scores.counting()
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
    missing: Missing,
    cluster: str | None,
    by: str | None = None,
) -> tuple[ItemScores, list[Any], list[Any] | None]:
    """Take what `join_scores` takes, and keep the items in the order of the first; return also ids and slices."""
    checked = check_names(names, 2)
    check_unmatched(unmatched)
    wanted = [id, *([] if truth is None else [truth]), prediction]
    first = [*wanted, *(column for column in (cluster, by) if column is not None)]
    tables = [records_of(source).arrays(own, [prediction]) for source, own in ((source_a, first), (source_b, wanted))]
    pair = Here.of(tables, id, checked)
    alone = check_shared(pair, checked, drop=unmatched == "drop")
    columns = dict(zip(first, pair.columns(0), strict=True))
    keys, a, b = list(columns[id]), columns[prediction], pair.columns(1)[-1]
    cluster_of = None if cluster is None else columns[cluster]
    truth_of = None if truth is None else pair.agreed()
    how: dict[str, Any] = {"names": checked, "labels": labels, "id": keys, "cluster": cluster_of, "missing": missing}
    scores = ItemScores.in_order(truth_of, a, b, **how)
    return replace(scores, left_out=alone), keys, None if by is None else list(columns[by])


def _tell(alone: int, n_items: int) -> None:
    """Say how many ids had no match."""
    if alone:
        text = f"{count_of(alone, 'id')} without a match left out; {count_of(n_items, 'item')} remain."
        warn_caller(text, DroppedItemsWarning)
