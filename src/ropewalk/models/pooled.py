"""Partial pooling of recalls: classes borrow from each other as much as the data say that they are alike.

    mu ~ Dirichlet(mu_prior, …)                          which class an item is of
    m ~ Beta(centre_prior)                               the typical recall of a class
    kappa / (kappa + kappa_scale) ~ Uniform(0, 1)        how many items of a class the other classes are worth
    rho_j ~ Beta(m·kappa, (1 − m)·kappa)                 the recall of class j
    wrong label | class j ~ symmetric Dirichlet, total mass label_mass

It repairs the eta of ICDM 2015, which stands where m does, but in a prior that always weighs one pseudo-document a
class: so the counts outvote it, and it is left to follow the number of cells that are empty. Here the weight
kappa is learned. Classes whose recalls are alike are drawn towards each other, by as much as items of them were worth;
classes that differ are left alone. An empty class gets the recall of the others, as uncertain as they differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Unpack

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import dirichlet
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Weighted
from ropewalk.models.cells import SMALLEST_SHARE
from ropewalk.models.confusion import check_single
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.protocol import Model, check_masses, check_pseudo_counts, listed, times
from ropewalk.models.recalls import Recalls
from ropewalk.models.tree import Tree, TreePosterior
from ropewalk.typing import FloatArray

_LEAST: Final = 0.01  # below, a share of the prior that matters lies nearer to a recall of 0 than a float can tell
_MOST: Final = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled(Model):
    """One confusion matrix a classifier, its recalls pooled partially: their centre and concentration are learned.

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
    >>> print(f"{posterior.centre_mean:.2f}")
    0.77
    """

    centre_prior: Sequence[float] = (1.0, 1.0)
    kappa_scale: float = 1.0
    mu_prior: float = 1.0
    label_mass: float = 1.0

    name = "pooled"
    paired = False
    is_symmetric = True
    takes_fractions = True
    description = (
        "The recalls of the classes lie around a centre, as closely as the data say: partial pooling, by the uniform "
        "shrinkage prior (Christiansen and Morris 1997; Daniels 1999)."
    )

    def __post_init__(self) -> None:
        check_pseudo_counts(self, centre_prior=2)
        check_masses(self, "kappa_scale", "mu_prior", "label_mass")
        for field, values in (("centre_prior", self.centre_prior), ("kappa_scale", [self.kappa_scale])):
            if not all(_LEAST <= value <= _MOST for value in values):
                raise InvalidInputError(
                    f"`{field}` must be from {_LEAST:g} to {_MOST:,.0f}; got {listed(values)}.",
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

    def scaled(self, factor: float) -> Pooled:
        """Return the model with so many times the prior mass."""
        return Pooled(
            centre_prior=times(self.centre_prior, factor),
            kappa_scale=self.kappa_scale * factor,
            mu_prior=self.mu_prior * factor,
            label_mass=self.label_mass * factor,
        )

    def log_kappa_prior(self, kappa: FloatArray | float) -> FloatArray:
        """Return the log density of kappa's prior, kappa_scale / (kappa_scale + kappa)².

        Examples
        --------
        >>> round(float(np.exp(Pooled(kappa_scale=2).log_kappa_prior(2.0))), 4)
        0.125
        """
        return np.asarray(np.log(self.kappa_scale) - 2 * np.log(self.kappa_scale + np.asarray(kappa)))

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
        check_single(outcomes)
        tree = Tree(paired=False, mu_prior=self.mu_prior, label_mass=self.label_mass).fit(outcomes)
        truth, counts = outcomes.codes[:, 0], outcomes.counts.astype(np.float64)
        hits = np.where(truth == outcomes.codes[:, 1], counts, 0.0)
        right: FloatArray = np.bincount(truth, hits, outcomes.n_labels).astype(np.float64)
        wrong: FloatArray = np.bincount(truth, counts - hits, outcomes.n_labels).astype(np.float64)
        # What cannot be true has no recall, and so none to share.
        known = np.asarray(outcomes.can_be_true) & (outcomes.n_labels > 1)
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
    def n_labels(self) -> int:
        """How many labels there are."""
        return self.tree.n_labels

    @property
    def centre_mean(self) -> float:
        """The posterior mean of the centre: the typical recall of a class."""
        return self.recalls.centre_mean

    @property
    def centre_std(self) -> float:
        """The posterior standard deviation of the centre."""
        return self.recalls.centre_std

    def centre_quantile(self, share: FloatArray | float) -> FloatArray:
        """Return the typical recall below which so much of the posterior lies."""
        return self.recalls.centre_quantile(share)

    def kappa_quantile(self, share: FloatArray | float) -> FloatArray:
        """Return how many items of a class the others are worth, at most, with so much probability."""
        return self.recalls.kappa_quantile(share)

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.tree.work + 2 * self.n_labels

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
        if self.n_labels == 1:  # nobody can be wrong
            return np.ones((1, kappa.size))
        shapes = [np.maximum(share * kappa, SMALLEST_SHARE) for share in (centre, 1 - centre)]
        return rng.beta(self.right[:, np.newaxis] + shapes[0], self.wrong[:, np.newaxis] + shapes[1])

    def fill(self, rng: np.random.Generator, mu: FloatArray, rho: FloatArray) -> Weighted:
        """Draw the labels of wrong answers given class shares and recalls (M, D), whose draws may be anybody's."""
        right = (self.tree.patterns[:, 0] == 0)[:, np.newaxis]
        masses = (mu * rho)[self.tree.group_class]
        np.copyto(masses, (mu * (1 - rho))[self.tree.group_class], where=~right)
        return self.tree.fill(rng, mu, masses, np.zeros(mu.shape))
