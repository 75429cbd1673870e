"""Two learning algorithms, by scores of folds that were made elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ropewalk._checks import published
from ropewalk.results.base import pick
from ropewalk.results.comparison import Comparison
from ropewalk.results.resampled import OfFolds, spread_dict


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class FoldsComparison(OfFolds):
    """Is learning algorithm A better than B, by their scores on the same folds? Made by `compare_folds`.

    The posterior is the correlated t, exact. `cautious` is an interval by which a verdict must hold too: repeats test
    the same items again, so they add no degrees of freedom there. `fold_differences` are the differences A − B, and
    `rho` is the correlation that they are taken to have.
    """

    folds: int | None
    repeats: int | None
    rho: float

    by_item = "rw.compare of the predictions, item by item, can."

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with the key "resampling" added."""
        return {
            **Comparison.to_dict(self),
            "resampling": {
                **pick(self, "folds repeats rho"),
                "n_folds": int(self.fold_differences.size),
                "folds_spread": spread_dict(self.fold_differences),
                **pick(self, "fold_differences cautious corrected_t"),
            },
        }
