"""The outcome-type tree whose masses and centre are learned: for many classes, or thin ones.

    types | class j ~ Dirichlet(kappa · centre)      centre: who is right, from the typical recalls m of the classifiers
    labels | class j, type ~ symmetric Dirichlet of a total mass

A class with three items leaves much to the prior. With the centre fixed, where everybody is right half of the time, a
difference that lies in many such classes is halved, and so is a good classifier's own score. What the classes have in
common is known, however: the typical recall m of each classifier is learned from all of them, together with kappa and
the mass of the labels. Each has a small grid and is integrated out exactly, for what lies below it is conjugate: the
evidence of a point is a product of Dirichlet-multinomials over the classes.

Masses beyond one pseudo-document are not on the grid. Classes that look alike would learn them, and classes that do not
(a few of them, in the tail) would pay for it: with masses up to 10 the interval of such a difference never held it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import Final, Unpack

import numpy as np

from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import dirichlet
from ropewalk.metrics.margins import Weighted
from ropewalk.models.binary import DirichletPosterior
from ropewalk.models.cells import SMALLEST_SHARE
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.protocol import Conjugate, listed
from ropewalk.models.tree import Tree, TreePosterior
from ropewalk.typing import FloatArray, IntArray

MAX_LOGIT: Final = 4.0
"""The logit of the largest typical recall, .982; logits are uniform a priori, from minus this on."""

POINTS: Final = 9
"""How many typical recalls of each classifier are tried: at first all over, then closer to where the mass is."""

_LOOKS: Final = 8
_NOTHING: Final = 1e-4  # of the largest probability

MOST_CLASSIFIERS: Final = 2
"""For more classifiers there are too many types and centres to list: their tree has fixed masses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedTree(Conjugate):
    """One or two classifiers on the same test set, many labels: the tree, with its masses and its centre learned.

    `kappas` are the pseudo-documents per class that the prior of the types may weigh, `label_masses` those of the
    labels per class and type, any number of either; all are equally probable a priori, and so are the typical recalls
    of each classifier.
    For two labels, and for more than two classifiers, it is `Tree()`.

    Examples
    --------
    >>> LearnedTree().prior
    'mu ~ Dir(1, …); types ~ Dir(κ·centre of recalls m), m and κ (0.1, 0.3, 1) learned; labels of a type ~ Dir, mass (0.1, 0.3, 1) learned'
    """  # noqa: E501

    kappas: Sequence[float] = (0.1, 0.3, 1.0)
    label_masses: Sequence[float] = (0.1, 0.3, 1.0)
    mu_prior: float = 1.0
    paired: bool = True
    name: str = field(default="paired", repr=False, compare=False)

    grids = ("kappas", "label_masses")
    is_symmetric = True
    no_savage_dickey = ""
    description = (
        "In each class, who is right and which of the wrong ones agree has a Dirichlet prior, and so have the labels "
        "that are said then; how heavy these priors are, and how often each classifier is typically right, is learned "
        "from all classes."
    )

    @property
    def prior(self) -> str:
        """The prior in one line."""
        types, labels = ("types", "labels of a type") if self.paired else ("right or wrong", "wrong label")
        kappas, masses = listed(self.kappas), listed(self.label_masses)
        learned = f"m and κ ({kappas}) learned" if len(self.kappas) > 1 else f"κ = {kappas}, m learned"
        mass = f"({masses}) learned" if len(self.label_masses) > 1 else masses
        shares = f"mu ~ Dir({self.mu_prior:g}, …); {types} ~ Dir(κ·centre of recalls m), {learned}"
        return f"{shares}; {labels} ~ Dir, mass {mass}"

    def prior_for(self, n_labels: int, n_classifiers: int) -> str:
        """Return the prior as it is for so many labels and classifiers."""
        fixed = self.fixed_for(n_labels, n_classifiers)
        return self.prior if fixed is None else fixed.prior_for(n_labels, n_classifiers)

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch("Outcome types, their masses and centre learned", paired=self.paired, **size)
        if (fixed := self.fixed_for(s.n_labels, s.n_classifiers)) is not None:
            return fixed.graph(**size)
        s.shares(s.even(self.mu_prior))
        s.latent("kappa", (2, -2), "κ", f"one of {listed(self.kappas)}")
        s.latent("m", (3, -2), "m", "for each classifier a typical recall, uniform as a logit")
        name, letter = ("tau", "τ") if s.joint else ("rho", "ρ")
        law = "Dir(κ · centre of m) over the types" if s.joint else "Beta(κ m, κ (1 − m))"
        s.latent(name, (2, 0), s.sign(letter, "j"), law, "kappa", "m")
        return class_graph(s, max(self.label_masses))

    def fixed_for(self, n_labels: int, n_classifiers: int) -> Tree | None:
        """Return the tree that it is where nothing can be learned: of two labels, or more types than can be listed."""
        return self._fixed if n_labels <= BINARY or n_classifiers > MOST_CLASSIFIERS else None

    @property
    def _fixed(self) -> Tree:
        """The tree with the largest masses."""
        kappa, mass = max(self.kappas), max(self.label_masses)
        return Tree(kappa=kappa, label_mass=mass, mu_prior=self.mu_prior, paired=self.paired, name=self.name)

    def fit(self, outcomes: Outcomes) -> LearnedPosterior | TreePosterior | DirichletPosterior:
        """Return the posterior of a table of any number of classifiers and labels."""
        if (fixed := self.fixed_for(outcomes.n_labels, outcomes.n_classifiers)) is not None:
            return fixed.fit(outcomes)
        tree = self._fixed.fit_types(outcomes)
        return LearnedPosterior(tree, np.array(self.kappas), np.array(self.label_masses))


def centre_of(recalls: Sequence[float], patterns: IntArray) -> FloatArray:
    """Return the weights of types of independent classifiers that are right so often; wrong ones agree half the time.

    Examples
    --------
    >>> from ropewalk.models.cells import all_patterns
    >>> centre_of([0.5, 0.5], all_patterns(2, 3)).tolist()
    [0.25, 0.25, 0.25, 0.125, 0.125]
    """
    right = patterns == 0
    weights = np.where(right, recalls, 1.0 - np.asarray(recalls)).prod(axis=1)
    both_wrong = ~right.any(axis=1) & (patterns.shape[1] > 1)
    return np.asarray(np.where(both_wrong, weights / 2, weights))


@dataclass(frozen=True, eq=False)
class LearnedPosterior:
    """The masses and the centre from the grid of their marginal; all else given them, as in `tree`."""

    tree: TreePosterior
    kappas: FloatArray
    label_masses: FloatArray

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.tree.work

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return self.tree.block_size

    @cached_property
    def _n_types(self) -> int:
        return len(self.tree.types) // self.tree.n_labels

    @cached_property
    def _points(self) -> tuple[FloatArray, FloatArray]:
        """The shapes of the types at every point of the grid (points, types), and the points' probabilities.

        Where the mass lies on a few points, the grid is laid again around them: a thousand classes know their typical
        recall better than any fixed grid.
        """
        n_classifiers = self.tree.n_classifiers
        low, high = np.full(n_classifiers, -MAX_LOGIT), np.full(n_classifiers, MAX_LOGIT)
        for _ in range(_LOOKS):
            axes = np.linspace(low, high, POINTS, axis=1)
            shapes = self._shapes(axes)
            shares = _probabilities(self._evidence(shapes))
            inside = [_inside(shares, k, n_classifiers) for k in range(n_classifiers)]
            ends = np.array([[axis[first], axis[last]] for axis, (first, last) in zip(axes, inside, strict=True)])
            if (ends[:, 0] == low).all() and (ends[:, 1] == high).all():
                break
            low, high = ends.T
        return shapes, shares

    def _shapes(self, axes: FloatArray) -> FloatArray:
        """Return the shapes of the types for every kappa and every combination of logits, kappa by kappa."""
        types = self.tree.patterns[: self._n_types]
        recalls = 1 / (1 + np.exp(-axes))
        centres = np.stack([centre_of(each, types) for each in product(*recalls.tolist())])
        return np.asarray((self.kappas[:, np.newaxis, np.newaxis] * centres).reshape(-1, self._n_types))

    def _evidence(self, shapes: FloatArray) -> FloatArray:
        """Return the log probability of the types of all classes, for each of the shapes (points, types)."""
        from scipy.special import gammaln

        rows, times = self._rows
        mass = shapes.sum(axis=1)
        evidence = np.zeros(len(shapes))
        for row, many in zip(rows, times.tolist(), strict=True):
            seen = row > 0
            part = (gammaln(row[seen] + shapes[:, seen]) - gammaln(shapes[:, seen])).sum(axis=1)
            evidence += many * (part + gammaln(mass) - gammaln(mass + row.sum()))
        return evidence

    @cached_property
    def _rows(self) -> tuple[FloatArray, IntArray]:
        """The distinct counts of types that classes have, and how many have each."""
        counts = self.tree.type_counts.reshape(-1, self._n_types)
        rows, times = np.unique(counts[counts.sum(axis=1) > 0], axis=0, return_counts=True)
        return rows, times

    @cached_property
    def _label_shares(self) -> FloatArray:
        """The probabilities of the masses of the labels."""
        from scipy.special import gammaln

        tree = self.tree
        blocks = tree.patterns.max(axis=1, initial=0)
        cells = np.array([np.prod(np.arange(tree.n_labels - 1, tree.n_labels - 1 - b, -1.0)) for b in blocks])
        shared = cells[tree.cell_group] > 1
        group, counts = tree.cell_group[shared], tree.counts[shared]
        totals = np.bincount(group, weights=counts)
        totals = totals[totals > 0]
        evidence = []
        for mass in self.label_masses:
            each = mass / cells[group]
            inside = (gammaln(counts + each) - gammaln(each)).sum()
            evidence.append(inside + (gammaln(mass) - gammaln(mass + totals)).sum())
        return _probabilities(np.array(evidence))

    @property
    def kappa_shares(self) -> FloatArray:
        """The posterior probabilities of the kappas."""
        return np.asarray(self._points[1].reshape(len(self.kappas), -1).sum(axis=1))

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        shapes, shares = self._points
        tree = self.tree
        point = np.searchsorted(np.cumsum(shares)[:-1], rng.random(size))
        mass = self.label_masses[np.searchsorted(np.cumsum(self._label_shares)[:-1], rng.random(size))]
        mu = np.maximum(dirichlet(rng, tree.mu, size), SMALLEST_SHARE)
        here = np.ascontiguousarray(shapes.T[:, point])  # (types, draws)
        drawn = rng.standard_gamma(tree.type_counts.reshape(tree.n_labels, self._n_types, 1) + here)
        empty = np.flatnonzero(tree.empty)
        if empty.size:  # all shapes are tiny, and all draws might underflow to 0
            bare = np.broadcast_to(here, (empty.size, *here.shape))
            logs = np.log(rng.standard_gamma(bare + 1.0)) - rng.standard_exponential(bare.shape) / bare
            drawn[empty] = np.exp(logs - logs.max(axis=1, keepdims=True))
        drawn *= (mu / np.maximum(drawn.sum(axis=1), SMALLEST_SHARE))[:, np.newaxis]
        masses = drawn.reshape(-1, size)
        return tree.fill(rng, mu, masses, np.zeros(mu.shape), label_mass=mass)


def _inside(shares: FloatArray, k: int, n_classifiers: int) -> tuple[int, int]:
    """Return the first and the last place of classifier k that holds mass, and one more on either side."""
    by_axis = shares.reshape(-1, *(POINTS,) * n_classifiers)
    others = tuple(axis for axis in range(n_classifiers + 1) if axis != k + 1)
    marginal = by_axis.sum(axis=others)
    holds = np.flatnonzero(marginal > _NOTHING * marginal.max())
    return max(int(holds[0]) - 1, 0), min(int(holds[-1]) + 1, POINTS - 1)


def _probabilities(evidence: FloatArray) -> FloatArray:
    shares = np.exp(evidence - evidence.max())
    return np.asarray(shares / shares.sum())
