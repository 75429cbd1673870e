"""A model of one's own: a class and a line, in one file."""

from __future__ import annotations

from dataclasses import dataclass

from ropewalk.data.outcomes import Outcomes
from ropewalk.models import Model, Posterior, Tree, register


@dataclass(frozen=True, slots=True, kw_only=True)
class Toy(Model):
    """Outcome types with a prior of so many pseudo-items.

    More about it.
    """

    mass: float = 2.0

    name = "toy"

    @property
    def prior(self) -> str:
        return f"types ~ Dir({self.mass:g}·base)"

    def fit(self, outcomes: Outcomes) -> Posterior:
        return Tree(kappa=self.mass).fit(outcomes)

    def scaled(self, factor: float) -> Toy:
        return Toy(mass=factor * self.mass)


register(Toy)
