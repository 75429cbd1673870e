"""The correlated t of scores of folds: what stands where an answer about learning algorithms names its model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn, Unpack

from ropewalk.errors import InvalidInputError
from ropewalk.models.graph import Size
from ropewalk.models.protocol import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelatedT(Model):
    """Normal differences of folds, which correlate by `rho`, the share of the items that a fold tests.

    The posterior is a Student t in closed form, by `draws.student`: there is nothing to fit to counts, so no verb takes
    this model by name.
    """

    rho: float

    name = "correlated_t"
    is_symmetric = True
    no_factor = "the prior of the correlated t is improper"
    no_papers = "they are about items, and this answer is about folds"

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

    def fit(self, outcomes: Any) -> NoReturn:  # noqa: ARG002
        """Refuse: folds are not counts."""
        raise InvalidInputError(
            "The correlated t is fitted to scores of folds, not to counts.",
            hint="rw.cross_compare fits it.",
        )

    def graph(self, **size: Unpack[Size]) -> NoReturn:  # noqa: ARG002
        """Refuse: it is a formula."""
        raise InvalidInputError("The correlated t is one formula and has no graph.", hint="r.per_item.graph() has one.")
