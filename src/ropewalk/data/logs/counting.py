"""Counts of evaluation logs: who was right on how many items, or what each said, and back to one score per item."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from ropewalk.data.log_score import RIGHT
from ropewalk.data.logs.pairing import Paired, labels_of, right_and_wrong
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError
from ropewalk.typing import Missing

MAX_ITEMS: Final = 100_000_000  # that are written out again: 8 bytes each and system


def counts_of(paired: Paired, *, labels: bool = False, missing: Missing = "error") -> Outcomes | None:
    """Return how often answers were right and wrong, by the log's own score; None where it says more than that.

    With `labels`, or where the score was made of them, it is how often truth and predictions were what. Repeats of an
    item are clusters, or what its metadata name.
    """
    of_labels = labels or paired.score.of_labels
    columns = labels_of(paired) if of_labels else right_and_wrong(paired)
    if columns is None:
        return None
    score = None if of_labels else paired.score
    table = Outcomes.from_arrays(*columns, names=paired.names, cluster=paired.cluster, missing=missing)
    return replace(table, score=score, source=None, left_out=table.left_out + paired.left_out)


def scores_in(table: Outcomes) -> ItemScores:
    """Return the score of every answer that was counted as right or wrong.

    Examples
    --------
    >>> from ropewalk.data.log_score import Score
    >>> table = Outcomes.from_arrays(["right"] * 3, ["right", "wrong", "right"])
    >>> scores_in(replace(table, score=Score(name="match"))).values
    (array([0., 1., 1.]),)
    """
    assert table.score is not None  # noqa: S101
    if table.n_items > MAX_ITEMS:
        raise DataError(
            f"There are {table.n_items:,} items; scores of up to {MAX_ITEMS:,} are looked at one by one.",
            hint="`ropewalk test` takes any number.",
        )
    is_right = np.array([label == RIGHT for label in table.labels])[table.codes[:, 1:]]
    scores = np.where(is_right, table.score.of_right, 1 - table.score.of_right).T
    clusters = table.clusters
    if clusters is None:
        row, cluster = np.repeat(np.arange(table.counts.size), table.counts), None
    else:
        row, cluster = (np.repeat(places, clusters.counts) for places in (clusters.row, clusters.cluster))
    return ItemScores(tuple(each[row] for each in scores), table.names, (), None, cluster).canonical()
