"""The correlated t of scores of folds: what stands where an answer about learning algorithms names its model."""

from __future__ import annotations

from dataclasses import dataclass

from ropewalk.models.unfitted import Unfitted


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelatedT(Unfitted):
    """Normal differences of folds, which correlate by `rho`, the share of the items that a fold tests.

    The posterior is a Student t in closed form, by `draws.student`: there is nothing to fit to counts, so no verb takes
    this model by name.
    """

    rho: float

    name = "correlated_t"
    fitted_by = "rw.cross_compare, or rw.compare_folds,"
    without_graph = "of cross_compare r.per_item.graph() has one."

    @property
    def prior(self) -> str:
        """The prior in one line of formulas."""
        return f"p(mean, sigma) ∝ 1/sigma of normal fold differences with correlation {self.rho:.3g}"

    @property
    def title(self) -> str:
        """The name as people say it."""
        return "correlated t"

    @property
    def description(self) -> str:
        """Who thought of it, and what it takes as unknown."""
        return (
            "The mean difference of two learning algorithms and the spread of the folds are unknown. Folds share "
            "training items, so their differences correlate, by convention as the share of items that a fold tests "
            "(Nadeau and Bengio 2003); the posterior is then a Student t (Corani and Benavoli 2015)."
        )
