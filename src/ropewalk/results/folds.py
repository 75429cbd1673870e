"""Two learning algorithms, by scores of folds that were made elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from ropewalk._checks import published
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.results.base import pick
from ropewalk.results.classical import ClassicalTest
from ropewalk.results.comparison import Comparison
from ropewalk.results.resampled import spread_dict
from ropewalk.results.scope import Scope, scope_of_folds
from ropewalk.text.units import metric_title
from ropewalk.typing import FloatArray


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class FoldsComparison(Comparison):
    """Is learning algorithm A better than B, by their scores on the same folds? Made by `compare_folds`.

    The posterior is the correlated t, exact. `cautious` is an interval by which a verdict must hold too: repeats test
    the same items again, so they add no degrees of freedom there. `fold_differences` are the differences A − B, and
    `rho` is the correlation that they are taken to have.
    """

    folds: int | None
    repeats: int | None
    rho: float
    cautious: Interval
    fold_differences: FloatArray
    corrected_t: ClassicalTest | None

    @property
    def scope(self) -> Scope:
        """What it is about: the algorithms, by folds of one data set."""
        return scope_of_folds(metric_title(self.metric))

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes items."""
        raise InvalidInputError(
            f"This answer is about two learning algorithms, by their scores on folds, so nothing can be {doing}.",
            hint="rw.compare of the predictions, item by item, can.",
        )

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
