"""The chances that systems gave to labels, as a matrix for each system: what log loss, AUC and Brier scores need."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ropewalk.data.labels import sort_labels
from ropewalk.data.logs.rows import Row
from ropewalk.errors import DataError
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of
from ropewalk.typing import FloatArray, Label


def chances_of(
    answers: Sequence[Sequence[Row]], names: Sequence[str]
) -> tuple[list[str | None], tuple[Label, ...], list[FloatArray]]:
    """Return the true labels, the labels that there are, and items × labels for each system.

    `answers` has the rows of each system, item by item. A label that an item does not have, as questions may have
    fewer choices than others, has the chance 0 there.
    """
    for name, rows in zip(names, answers, strict=True):
        without = [row.item for row in rows if row.chances is None or row.truth is None]
        if without:
            raise DataError(
                f"{name!r} has no probabilities of the labels, or no true one, for {count_of(len(without), 'item')} "
                f"(first: {without[0]!r}).",
                hint=wording("leave metric= out for the log's own score."),
            )
    chances = [[row.chances or {} for row in rows] for rows in answers]
    labels = sort_labels({label for rows in chances for row in rows for label in row})
    matrices = [np.array([[row.get(str(label), 0.0) for label in labels] for row in rows]) for rows in chances]
    return [row.truth for row in answers[0]], labels, matrices
