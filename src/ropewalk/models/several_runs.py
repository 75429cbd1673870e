"""Runs and items together: what stands where an answer about methods names its model."""

from __future__ import annotations

from dataclasses import dataclass, field

from ropewalk.models.protocol import Model
from ropewalk.models.runs import Design
from ropewalk.models.unfitted import Unfitted

_OF_RUNS = {
    "independent": "run variance: max(omega − kappa², 0), omega ~ df·max(S², kappa²)/chi²",
    "shared": "variance of differences, run by run: max(omega − kappa², 0), omega ~ df·max(S², kappa²)/chi²",
    "samples": "no variance of runs, by design",
}
_IN_WORDS = {
    "independent": "Each method's runs are taken as picked from all that it could have made",
    "shared": "Both methods have the same runs, and differences from run to run are taken as picked at random",
    "samples": "The answers to an item are samples, and those to different items have nothing in common",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeveralRuns(Unfitted):
    """The model `inner` of the items, under weights that all runs share, and beside it the spread between runs."""

    inner: Model = field(repr=False)
    design: Design

    name = "runs"
    fitted_to = "runs of two methods on the same items"
    fitted_by = "rw.compare with runs="

    @property
    def score_range(self) -> tuple[float, float] | None:
        """The lowest and the highest value that an item can have."""
        return self.inner.score_range

    @property
    def no_equivalence(self) -> str:
        """Why no verdict says that two are equivalent, if so."""
        return self.inner.no_equivalence

    @property
    def prior(self) -> str:
        """The prior in one line of formulas."""
        return f"{self.inner.prior}; {_OF_RUNS[self.design]}"

    @property
    def title(self) -> str:
        """The name as people say it."""
        return "runs and items"

    @property
    def description(self) -> str:
        """What is drawn, in a sentence."""
        return f"{self.inner.description} {_IN_WORDS[self.design]}; a metric is taken run by run and averaged."
