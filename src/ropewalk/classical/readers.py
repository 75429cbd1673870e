"""Readers who all read the same cases with both systems: the test of Obuchowski and Rockette (1995) over both.

An area under the ROC curve of a reader varies with the reader and with the cases, and the cases are those of all
readers. The test takes the variance over readers from the areas, and what areas of different readers have in common
from their covariances over cases, by the jackknife; its degrees of freedom are those of Hillis (2007).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np

from ropewalk._checks import checked_keywords
from ropewalk.classical._inputs import Sided
from ropewalk.classical.items import Placements
from ropewalk.classical.pairs import ITEMS, by_t
from ropewalk.data.runs import runs_of_arrays
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError
from ropewalk.metrics.resolve import settle_scores
from ropewalk.results.classical import TITLES, ClassicalTest
from ropewalk.typing import Label


@checked_keywords
def obuchowski_rockette(
    y_true: Any,
    scores_a: Any,
    scores_b: Any,
    *,
    pos_label: Label | None = None,
    names: Sequence[str] | None = None,
    **options: Unpack[Sided],
) -> ClassicalTest:
    """Test whether two systems have the same area under the ROC curve, over readers like these and items like these.

    Scores are arrays of readers × items; the readers of A are those of B, in the same order. Runs that two systems
    share, such as seeds, may stand for readers.

    Examples
    --------
    Three readers, sixty cases:

    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1], 30)
    >>> new, old = (level * truth + rng.normal(size=(3, 60)) for level in (1.5, 1.2))
    >>> test = obuchowski_rockette(truth, new, old)
    >>> print(f"{test.effect.value:.3f}, t = {test.statistic:.2f}, {test.df[0]:.1f} degrees of freedom")
    0.080, t = 1.62, 2.0 degrees of freedom
    """
    given = runs_of_arrays((y_true, scores_a, scores_b), 2, has_truth=True, names=names, beside={})
    if len(set(given.n_runs)) > 1:
        raise DataError(
            f"Every reader reads with both systems, and there are {given.n_runs[0]} readers and {given.n_runs[1]}.",
            hint="give scores of readers × items, the same readers for both.",
        )
    items = ItemScores.from_arrays(given.truth, *given.predictions[0], *given.predictions[1])
    return over_readers(settle_scores(items, "roc_auc", pos_label)[0], given.names, **options)


def over_readers(items: ItemScores, names: tuple[str, ...], **options: Unpack[Sided]) -> ClassicalTest:
    """Return the test of two systems, whose readers stand one after the other, those of A first."""
    n_readers = len(items.values) // 2
    if n_readers < 2:  # noqa: PLR2004
        raise DataError("There is a single reader, and a spread takes at least two.", hint="DeLong's test takes one.")
    if items.cluster is not None or items.weight is not None:
        raise DataError(
            "The test over readers and items is for items that stand alone and count alike.",
            hint="leave clusters and weights out of it; `compare` takes both.",
        )
    placements = Placements.of(items)
    areas = placements.areas.reshape(2, n_readers)
    # Of a reader with both systems, and of two readers with one system or with both: mean covariances over cases.
    covariance = placements.jackknifed().reshape(2, n_readers, 2, n_readers)
    apart = ~np.eye(n_readers, dtype=bool)
    one, both = (float(np.mean([covariance[i, :, j][apart].mean() for i, j in pairs]))
                 for pairs in (((0, 0), (1, 1)), ((0, 1), (1, 0))))  # fmt: skip
    difference = areas[0] - areas[1]
    between = float(difference.var(ddof=1)) / 2  # the mean square of readers × systems
    whole = between + max(n_readers * (one - both), 0.0)
    df = (n_readers - 1) * (whole / between) ** 2 if between else math.inf
    return by_t(
        float(difference.mean()),
        math.sqrt(2 * whole / n_readers),
        df,
        options,
        name=TITLES["obuchowski_rockette"],
        what="ROC AUC, A − B",
        n=n_readers,
        names=names,
        null="both systems have the same area under the ROC curve, over readers and items like these",
        method="Obuchowski and Rockette: covariances over items by the jackknife, degrees of freedom of Hillis",
        assumptions=("every reader scored every item with both systems", "readers are picked at random", ITEMS),
    )
