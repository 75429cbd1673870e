"""From scores to decisions: the binary tables that a threshold makes, for many thresholds and draws at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ropewalk.metrics.areas import View
from ropewalk.metrics.margins import Margins
from ropewalk.typing import FloatArray


@dataclass(frozen=True, slots=True)
class ThresholdTables:
    """Weights of true positives and of all that is called positive, (thresholds, draws), and of the two classes.

    To a metric the thresholds look like classifiers, so every metric of two classes can be drawn against them.
    """

    tp: FloatArray
    called: FloatArray
    positives: FloatArray
    negatives: FloatArray

    @property
    def n_labels(self) -> int:
        """Two: negative and positive."""
        return 2

    def margins(self) -> Margins:
        """Return the margins of both classes, the positive one last."""
        total = self.positives + self.negatives
        tn = np.maximum(total - self.positives - self.called + self.tp, 0.0)
        return Margins(
            tp=np.stack([tn, self.tp], axis=-1),
            col=np.stack([total - self.called, self.called], axis=-1),
            row=np.stack([self.negatives, self.positives], axis=-1),
            total=total[:, np.newaxis],
        )

    def linear(self, cost: FloatArray) -> FloatArray:
        """Return the mean cost of an item, (thresholds, draws)."""
        fp = self.called - self.tp
        sums = cost[1, 1] * self.tp + cost[0, 1] * fp
        sums += cost[1, 0] * (self.positives - self.tp) + cost[0, 0] * (self.negatives - fp)
        return np.asarray(sums / (self.positives + self.negatives))

    def at_prevalence(self, shares: FloatArray) -> ThresholdTables:
        """Return the tables with the class mix replaced and all else equal."""
        up, down = shares[1] / self.positives, shares[0] / self.negatives
        tp = self.tp * up
        called = tp + (self.called - self.tp) * down
        return ThresholdTables(tp, called, np.full_like(self.positives, shares[1]), np.full_like(up, shares[0]))


def threshold_sums(view: View, thresholds: FloatArray) -> Any:
    """Return the sparse matrix of sums between thresholds (descending): positives, then negatives, the rest last."""
    place = np.searchsorted(-thresholds, -view.scores)  # an item is called positive from this threshold on
    n = thresholds.size + 1
    return view.sums(place + n * (view.truth == 0), 2 * n)


def threshold_tables(sums: FloatArray) -> ThresholdTables:
    """Return the tables of all thresholds from the sums between them."""
    n = len(sums) // 2
    hits, misses = np.cumsum(sums[:n], axis=0), np.cumsum(sums[n:], axis=0)
    return ThresholdTables(hits[:-1], hits[:-1] + misses[:-1], hits[-1], misses[-1])
