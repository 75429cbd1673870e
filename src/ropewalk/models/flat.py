"""The flat model of confusion matrices, which ICDM 2015 improves on: every row uniform over the labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Unpack

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import TINY, GammaRows, block_size, dirichlet
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.hierarchical import check_single
from ropewalk.models.protocol import Model, check_masses
from ropewalk.models.sticks import SMALLEST_SHARE
from ropewalk.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Flat(Model):
    """One confusion matrix a classifier, each row ~ Dirichlet(`theta_prior`, …) over all M labels.

    The prior weighs M pseudo-documents a class, which swamps the data where classes are many and small; it is here
    for comparison.

    Examples
    --------
    >>> Flat().prior
    'mu ~ Dir(1, …); theta_j ~ Dir(1, …)'
    """

    theta_prior: float = 1.0
    mu_prior: float = 1.0

    name = "flat"
    paired = False
    is_symmetric = True
    takes_fractions = True
    no_savage_dickey = ""
    description = (
        "Each row of a confusion matrix has a Dirichlet prior, the same for all cells, each classifier by itself."
    )

    def __post_init__(self) -> None:
        check_masses(self, "theta_prior", "mu_prior")

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return f"mu ~ Dir({self.mu_prior:g}, …); theta_j ~ Dir({self.theta_prior:g}, …)"

    def scaled(self, factor: float) -> Flat:
        """Return the model with so many times the prior mass."""
        return replace(self, theta_prior=self.theta_prior * factor, mu_prior=self.mu_prior * factor)

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch("Confusion matrices, every row for itself", **size)
        s.shares(s.even(self.mu_prior))
        s.parameter("theta", (2, 0), s.sign("θ", "j"), s.even(self.theta_prior), ("alpha", (2, -2), "α"))
        return class_graph(s)

    def fit(self, outcomes: Outcomes) -> FlatPosterior:
        """Return the posterior of one classifier's table."""
        check_single(outcomes)
        counts = outcomes.confusion()
        shapes = counts.reshape(-1) + np.float64(self.theta_prior)
        return FlatPosterior(
            n_labels=outcomes.n_labels,
            mu=counts.sum(axis=1) + np.where(outcomes.can_be_true, self.mu_prior, 0.0),
            shapes=shapes,
            order=np.argsort(shapes, kind="stable"),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class FlatPosterior:
    """Class shares ~ Dirichlet(`mu`), rows ~ Dirichlet(`shapes`): all M² cells, drawn in `order` of their shapes."""

    n_labels: int
    mu: FloatArray
    shapes: FloatArray
    order: IntArray

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return len(self.shapes)

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return block_size(self.work)

    @cached_property
    def _cells(self) -> Cells:
        return Cells(np.column_stack(np.divmod(self.order, self.n_labels)).astype(np.int32), self.n_labels)

    @cached_property
    def _gammas(self) -> GammaRows:
        return GammaRows.of(self.shapes[self.order])

    @cached_property
    def _bare(self) -> list[int]:
        """The rows whose shapes are all tiny."""
        return np.flatnonzero(self.shapes.reshape(self.n_labels, -1).max(axis=1) < TINY).tolist()

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        mu = np.maximum(dirichlet(rng, self.mu, size), SMALLEST_SHARE)
        weights = np.maximum(self._gammas.draw(rng, size), SMALLEST_SHARE)
        truth = self._cells.codes[:, 0]
        for j in self._bare:
            # Without items all shapes of a row may be tiny, and all draws underflow to 0.
            weights[truth == j] = dirichlet(rng, self.shapes[j * self.n_labels : (j + 1) * self.n_labels], size)
        weights *= (mu / (self._cells.by_truth @ weights))[truth]
        return Weighted(self._cells, weights)
