"""Models of one confusion matrix per classifier: rows tied by eta, rows by themselves, and recalls partially pooled.

`Icdm2015` is the hierarchical model of Zhang et al. (ICDM 2015)

    mu ~ Dirichlet(1, …, 1)
    eta ~ Beta(eta_prior)
    theta_j ~ Dirichlet(omega_j),   omega_jj = eta,   omega_jk = (1 − eta) / (M − 1)

Eta is drawn from a grid, and the rows given eta are Dirichlets. Since omega_j adds up to 1, **eta is no accuracy**:
it follows the number of non-zero cells off the diagonal. `Flat` is the model before it, without an eta.

`Pooled` lets classes borrow from each other as much as the data say that they are alike:

    mu ~ Dirichlet(mu_prior, …)                          which class an item is of
    m ~ Beta(centre_prior)                               the typical recall of a class
    kappa / (kappa + kappa_scale) ~ Uniform(0, 1)        how many items of a class the other classes are worth
    rho_j ~ Beta(m·kappa, (1 − m)·kappa)                 the recall of class j
    wrong label | class j ~ symmetric Dirichlet, total mass label_mass

It repairs eta, which stands where m does, but in a prior that always weighs one pseudo-document per class: so the
counts outvote it, and it is left to follow the number of cells that are empty. Here the weight kappa is learned.
Classes whose recalls are alike are drawn towards each other, by as much as items of them were worth; classes that
differ are left alone. An empty class gets the recall of the others, as uncertain as they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Unpack

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import TINY, GammaRows, dirichlet
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Loose, Weighted
from ropewalk.models.cells import SMALLEST_SHARE, CountedCells, break_sticks, check_sticks
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.grids import Eta, Recalls
from ropewalk.models.protocol import Conjugate, Posterior, check_classifiers, listed
from ropewalk.models.tree import Tree, TreePosterior
from ropewalk.typing import FloatArray, IntArray

_MIN_PSEUDO_COUNT: Final = 0.01  # below, a share of the prior that matters lies nearer to 0 than a float can tell
_MAX_PSEUDO_COUNT: Final = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Icdm2015(Conjugate):
    """The hierarchical model of ICDM 2015: one confusion matrix per classifier, classes tied together by eta.

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
    no_savage_dickey = ""
    min_items_per_class = 30  # with fewer, intervals of a score cover less than they say
    description = (
        "The rows of a confusion matrix have Dirichlet priors that share a parameter eta, each classifier by itself "
        "(Zhang et al., ICDM 2015)."
    )

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return (
            f"mu ~ Dir({self.mu_prior:g}, …); eta ~ Beta({listed(self.eta_prior)}); "
            f"theta_j ~ Dir(omega_j), omega_jj = eta, mass {self.kappa:g}"
        )

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
        check_classifiers(outcomes, 1)
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


@dataclass(frozen=True, kw_only=True, eq=False)
class HierarchicalPosterior(Posterior):
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

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self.counted.codes, self.n_labels)

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        eta = self.eta.quantile(rng.random(size))
        mu = np.maximum(dirichlet(rng, self.mu, size), SMALLEST_SHARE)
        return self.fill(rng, mu, eta)

    def fill(self, rng: np.random.Generator, mu: FloatArray, eta: FloatArray) -> Weighted:
        """Draw the rows given class shares (M, D) and eta (D,), drawn anywhere."""
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
class Flat(Conjugate):
    """One confusion matrix per classifier, each row ~ Dirichlet(`theta_prior`, …) over all M labels.

    The prior weighs M pseudo-documents per class, which swamps the data where classes are many and small; it is here
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
    no_savage_dickey = ""
    description = (
        "Each row of a confusion matrix has a Dirichlet prior, the same for all cells, each classifier by itself."
    )

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return f"mu ~ Dir({self.mu_prior:g}, …); theta_j ~ Dir({self.theta_prior:g}, …)"

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch("Confusion matrices, every row for itself", **size)
        s.shares(s.even(self.mu_prior))
        s.parameter("theta", (2, 0), s.sign("θ", "j"), s.even(self.theta_prior), ("alpha", (2, -2), "α"))
        return class_graph(s)

    def fit(self, outcomes: Outcomes) -> FlatPosterior:
        """Return the posterior of one classifier's table."""
        check_classifiers(outcomes, 1)
        counts = outcomes.confusion()
        shapes = counts.reshape(-1) + np.float64(self.theta_prior)
        return FlatPosterior(
            n_labels=outcomes.n_labels,
            mu=counts.sum(axis=1) + np.where(outcomes.can_be_true, self.mu_prior, 0.0),
            shapes=shapes,
            order=np.argsort(shapes, kind="stable"),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class FlatPosterior(Posterior):
    """Class shares ~ Dirichlet(`mu`), rows ~ Dirichlet(`shapes`): all M² cells, drawn in `order` of their shapes."""

    n_labels: int
    mu: FloatArray
    shapes: FloatArray
    order: IntArray

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return len(self.shapes)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled(Conjugate):
    """One confusion matrix per classifier, its recalls pooled partially: their centre and concentration are learned.

    `centre_prior` are the pseudo-counts of the centre m, which **is** the typical recall of a class. The
    concentration kappa is how many items of a class the other classes are worth; `kappa_scale` is its prior median.
    `mu_prior` is how many pseudo-items each class weighs in the prevalences, and `label_mass` how many the prior of the
    labels that stand for a wrong answer.

    The prior of kappa is the uniform shrinkage prior (Christiansen and Morris 1997; Daniels 1999): a class with
    `kappa_scale` items has its recall shrunk to the centre by a share kappa / (kappa + items) of which every value from
    none to all is equally likely. It is proper, so there is a Bayes factor; and its tail, (kappa_scale + kappa)⁻², is
    heavy enough for classes that are all alike.

    Of two labels, what is pooled are the recalls of the positive and of the negative class: sensitivity and
    specificity. Only where these are alike, as of two sides of one coin, does that make sense;
    `Sigir2016Unpaired` keeps them apart.

    Examples
    --------
    >>> print(Pooled().prior)
    mu ~ Dir(1, …); m ~ Beta(1, 1); kappa/(kappa + 1) ~ U(0, 1); rho_j ~ Beta(m·kappa, (1 − m)·kappa);
    wrong label ~ Dir, mass 1
    >>> table = Outcomes.from_confusion([[80, 15, 5], [10, 80, 10], [4, 14, 82]])
    >>> posterior = Pooled().fit(table)
    >>> print(f"{posterior.recalls.centre_mean:.2f}")
    0.77
    """

    centre_prior: Sequence[float] = (1.0, 1.0)
    kappa_scale: float = 1.0
    mu_prior: float = 1.0
    label_mass: float = 1.0

    name = "pooled"
    paired = False
    is_symmetric = True
    description = (
        "The recalls of the classes lie around a centre, as closely as the data say: partial pooling, by the uniform "
        "shrinkage prior (Christiansen and Morris 1997; Daniels 1999)."
    )

    def __post_init__(self) -> None:
        Conjugate.__post_init__(self)
        for field, values in (("centre_prior", self.centre_prior), ("kappa_scale", [self.kappa_scale])):
            if not all(_MIN_PSEUDO_COUNT <= value <= _MAX_PSEUDO_COUNT for value in values):
                raise InvalidInputError(
                    f"`{field}` must be from {_MIN_PSEUDO_COUNT:g} to {_MAX_PSEUDO_COUNT:,.0f}; got {listed(values)}.",
                    hint="beyond, the prior says nothing at all, or all there is to say.",
                )

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return (
            f"mu ~ Dir({self.mu_prior:g}, …); m ~ Beta({listed(self.centre_prior)}); "
            f"kappa/(kappa + {self.kappa_scale:g}) ~ U(0, 1); rho_j ~ Beta(m·kappa, (1 − m)·kappa); "
            f"wrong label ~ Dir, mass {self.label_mass:g}"
        )

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch("Recalls around a common centre", **size)
        m, kappa, scale = s.sign("m"), s.sign("κ"), f"{self.kappa_scale:g}"
        s.shares(s.even(self.mu_prior))
        s.parameter("m", (2, -1), m, self.centre_prior, ("alpha", (2, -2), "α"))
        s.constant("s", (3, -2), "s", scale)
        s.latent("kappa", (3, -1), kappa, f"the law by which {kappa} / ({kappa} + {scale}) is uniform", "s")
        s.latent("rho", (2, 0), s.sign("ρ", "j"), f"Beta({m} {kappa}, (1 − {m}) {kappa})", "m", "kappa")
        return class_graph(s, self.label_mass)

    def fit(self, outcomes: Outcomes) -> PooledPosterior:
        """Return the posterior of one classifier's table."""
        check_classifiers(outcomes, 1)
        tree = Tree(paired=False, mu_prior=self.mu_prior, label_mass=self.label_mass).fit_types(outcomes)
        truth, counts, size = outcomes.codes[:, 0], outcomes.counts.astype(np.float64), outcomes.n_labels
        hits = np.where(truth == outcomes.codes[:, 1], counts, 0.0)
        right, wrong = (np.bincount(truth, part, size).astype(np.float64) for part in (hits, counts - hits))
        # What cannot be true has no recall, and so none to share.
        known = np.asarray(outcomes.can_be_true) & (size > 1)
        recalls = Recalls(
            right=right[known],
            wrong=wrong[known],
            alpha=self.centre_prior[0],
            beta=self.centre_prior[1],
            scale=self.kappa_scale,
        )
        return PooledPosterior(tree=tree, recalls=recalls, right=right, wrong=wrong)


@dataclass(frozen=True, kw_only=True, eq=False)
class PooledPosterior:
    """The centre and kappa from their marginal; `recalls` given them ~ Beta; all else as in `tree`.

    `right` and `wrong` (M,) are the counts of each class.
    """

    tree: TreePosterior
    recalls: Recalls
    right: FloatArray
    wrong: FloatArray

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.tree.work + 2 * self.tree.n_labels

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return self.tree.block_size

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        centre, kappa = self.recalls.draw(rng, size)
        mu = np.maximum(dirichlet(rng, self.tree.mu, size), SMALLEST_SHARE)
        return self.fill(rng, mu, self.draw_recalls(rng, centre, kappa))

    def draw_recalls(self, rng: np.random.Generator, centre: FloatArray, kappa: FloatArray) -> FloatArray:
        """Draw the recalls (M, D) of the classes given the centre and kappa (D,) of each draw."""
        if self.tree.n_labels == 1:  # nobody can be wrong
            return np.ones((1, kappa.size))
        shapes = [np.maximum(share * kappa, SMALLEST_SHARE) for share in (centre, 1 - centre)]
        return rng.beta(self.right[:, np.newaxis] + shapes[0], self.wrong[:, np.newaxis] + shapes[1])

    def fill(self, rng: np.random.Generator, mu: FloatArray, rho: FloatArray) -> Weighted:
        """Draw the labels of wrong answers given class shares and recalls (M, D), drawn anywhere."""
        right = (self.tree.patterns[:, 0] == 0)[:, np.newaxis]
        masses = (mu * rho)[self.tree.group_class]
        np.copyto(masses, (mu * (1 - rho))[self.tree.group_class], where=~right)
        return self.tree.fill(rng, mu, masses)
