"""Models of one confusion matrix per classifier: the hierarchical one of ICDM 2015, and the flat one before it.

In the hierarchical model (Zhang et al., ICDM 2015)

    mu ~ Dirichlet(1, …, 1)
    eta ~ Beta(eta_prior)
    theta_j ~ Dirichlet(omega_j),   omega_jj = eta,   omega_jk = (1 − eta) / (M − 1)

the rows theta_j can be integrated out, which leaves a one-dimensional density of eta: a product of
Dirichlet-multinomials over the non-zero cells. So eta is drawn from a grid by inverting its distribution function,
and the rows given eta are Dirichlets: no Markov chain.

Since omega_j adds up to 1, **eta is no accuracy**: it follows the number of non-zero cells off the diagonal.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, Unpack

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import TINY, GammaRows, block_size, dirichlet
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Loose, Weighted
from ropewalk.models.cells import SMALLEST_SHARE, CountedCells, break_sticks, check_sticks
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.protocol import Model, check_masses, check_pseudo_counts, listed, times
from ropewalk.typing import FloatArray, IntArray

_REACH: Final = 700.0  # logit of the smallest and largest eta that a float can tell from 0 and 1
_POINTS: Final = (281, 281, 281, 2_049)
_DEPTH: Final = 45.0  # log density below its maximum at which the grid may end


@dataclass(frozen=True, slots=True, kw_only=True)
class Icdm2015(Model):
    """The hierarchical model of ICDM 2015: one confusion matrix a classifier, classes tied together by eta.

    `eta_prior` are the pseudo-counts of eta; `kappa` is how many pseudo-documents omega weighs in each row, and
    `mu_prior` how many each class weighs in the prevalences. All ones are the paper's prior.

    Examples
    --------
    >>> Icdm2015().prior
    'mu ~ Dir(1, …); eta ~ Beta(1, 1); theta_j ~ Dir(omega_j), omega_jj = eta, mass 1'
    """

    eta_prior: Sequence[float] = (1.0, 1.0)
    kappa: float = 1.0
    mu_prior: float = 1.0

    name = "icdm2015"
    paired = False
    is_symmetric = True
    takes_fractions = True
    no_savage_dickey = ""
    min_items_per_class = 30  # with fewer, intervals of a score cover less than they say
    description = (
        "The rows of a confusion matrix have Dirichlet priors that share a parameter eta, each classifier by itself "
        "(Zhang et al., ICDM 2015)."
    )

    def __post_init__(self) -> None:
        check_pseudo_counts(self, eta_prior=2)
        check_masses(self, "kappa", "mu_prior")

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return (
            f"mu ~ Dir({self.mu_prior:g}, …); eta ~ Beta({listed(self.eta_prior)}); "
            f"theta_j ~ Dir(omega_j), omega_jj = eta, mass {self.kappa:g}"
        )

    def scaled(self, factor: float) -> Icdm2015:
        """Return the model with so many times the prior mass."""
        eta_prior = times(self.eta_prior, factor)
        return replace(self, eta_prior=eta_prior, kappa=self.kappa * factor, mu_prior=self.mu_prior * factor)

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph, as in Figure 2 of the paper."""
        s = Sketch("Confusion matrices, rows tied together by η (ICDM 2015)", **size)
        eta, omega, mass = s.sign("η"), s.sign("ω", "j"), "" if self.kappa == 1 else f"{self.kappa:g} · "
        others = f"{mass}(1 − {eta}) / {max(s.n_labels - 1, 1)}"
        s.shares(s.even(self.mu_prior))
        s.parameter("eta", (2, -2), eta, self.eta_prior, ("alpha", (2, -3), "α"))
        s.derived("omega", (2, -1), omega, f"{mass}{eta} on the diagonal, {others} elsewhere", "eta")
        s.latent("theta", (2, 0), s.sign("θ", "j"), f"Dir({omega})", "omega")
        return class_graph(s)

    def fit(self, outcomes: Outcomes) -> HierarchicalPosterior:
        """Return the posterior of one classifier's table."""
        check_single(outcomes)
        check_sticks(self.kappa, "kappa")
        truth = outcomes.codes[:, 0]
        right = truth == outcomes.codes[:, 1]
        return HierarchicalPosterior(
            n_labels=outcomes.n_labels,
            mu=outcomes.items_by_class().astype(np.float64) + np.where(outcomes.can_be_true, self.mu_prior, 0.0),
            counted=CountedCells.of(outcomes.codes, outcomes.counts, truth.astype(np.int64), outcomes.n_labels),
            mass=self.kappa,
            eta=Eta(
                right=outcomes.counts[right],
                wrong=outcomes.counts[~right],
                n_labels=outcomes.n_labels,
                alpha=self.eta_prior[0],
                beta=self.eta_prior[1],
                mass=self.kappa,
            ),
        )


def check_single(outcomes: Outcomes) -> None:
    """Refuse a table of more than one classifier."""
    if outcomes.n_classifiers != 1:
        raise InvalidInputError(f"This model takes 1 classifier; got {outcomes.n_classifiers}.")


@dataclass(frozen=True, kw_only=True, eq=False)
class Eta:
    """The posterior of eta: what share of its one pseudo-document the prior of a row puts on the diagonal.

    Not an accuracy, nor an estimate of one: with a row's prior mass fixed at 1, eta follows the number of non-zero
    cells off the diagonal. It is about 0.08 on 20 newsgroups, where two thirds of the documents are classified right.
    """

    right: IntArray
    wrong: IntArray
    n_labels: int
    alpha: float
    beta: float
    mass: float

    def log_density(self, logit: FloatArray) -> FloatArray:
        """Return the log density of logit(eta), up to a constant."""
        from scipy.special import expit, gammaln, log_expit

        eta, rest = self.mass * expit(logit), self.mass * expit(-logit) / max(self.n_labels - 1, 1)
        value: FloatArray = self.alpha * log_expit(logit) + self.beta * log_expit(-logit)
        for counts, omega in ((self.right, eta), (self.wrong, rest)):
            for count, number in zip(*np.unique(counts, return_counts=True), strict=True):
                value += number * (gammaln(count + omega) - gammaln(omega))
        return value

    @cached_property
    def _grid(self) -> tuple[FloatArray, FloatArray]:
        """Points of logit(eta), evenly spaced, and their probabilities by the trapezoidal rule."""
        low, high = -_REACH, _REACH
        for number in _POINTS:  # look closer at where the mass is
            points = np.linspace(low, high, number)
            heights = self.log_density(points)
            inside = np.flatnonzero(heights > heights.max() - _DEPTH)
            low, high = points[max(inside[0] - 1, 0)], points[min(inside[-1] + 1, number - 1)]
        density = np.exp(heights - heights.max())
        return points, density / density.sum()

    @property
    def mean(self) -> float:
        """The posterior mean of eta."""
        return self._moment(1)

    @property
    def std(self) -> float:
        """The posterior standard deviation of eta."""
        return float(max(self._moment(2) - self.mean**2, 0.0) ** 0.5)

    def _moment(self, power: int) -> float:
        from scipy.special import expit

        points, shares = self._grid
        return float((shares * expit(points) ** power).sum())

    def quantile(self, share: FloatArray | float) -> FloatArray:
        """Return the value of eta below which so much of the posterior lies."""
        from scipy.special import expit

        points, shares = self._grid
        return np.asarray(expit(np.interp(share, np.cumsum(shares) - shares / 2, points)))


@dataclass(frozen=True, kw_only=True, eq=False)
class HierarchicalPosterior:
    """Class shares ~ Dirichlet(`mu`), `eta` from its marginal, rows given eta ~ Dirichlet(counts + omega)."""

    n_labels: int
    mu: FloatArray
    counted: CountedCells
    mass: float
    eta: Eta

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return int(len(self.counted.codes) + 6 * max(self.mass, 1.0) * self.n_labels)

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return block_size(self.work)

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.counted.codes, self.n_labels)

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        eta = self.eta.quantile(rng.random(size))
        mu = np.maximum(dirichlet(rng, self.mu, size), SMALLEST_SHARE)
        return self.fill(rng, mu, eta)

    def fill(self, rng: np.random.Generator, mu: FloatArray, eta: FloatArray) -> Weighted:
        """Draw the rows given class shares (M, D) and eta (D,), whose draws may be anybody's."""
        size = eta.size
        weights, beside = self.counted.draw(rng, mu, self.mass)
        owner, lengths = break_sticks(rng, beside.reshape(-1), self.mass, mu.reshape(-1))
        codes = np.empty((2, owner.size), dtype=np.int32)
        truth, label = codes
        np.repeat(np.arange(self.n_labels, dtype=np.int32), size).take(owner, out=truth)
        draw = np.tile(np.arange(size), self.n_labels).take(owner)
        # A stick lies on the diagonal with probability eta, else on any other label: (u − eta) / (1 − eta) is uniform.
        spare = rng.random(owner.size)
        spare -= eta.take(draw)
        right = (spare < 0) | (self.n_labels == 1)
        spare *= ((self.n_labels - 1) / np.maximum(1 - eta, SMALLEST_SHARE)).take(draw)
        label[:] = np.clip(spare, 0, max(self.n_labels - 2, 0))
        label += label >= truth
        np.copyto(label, truth, where=right)
        return Weighted(self._cells, weights, Loose(codes, draw, lengths), mu)


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
