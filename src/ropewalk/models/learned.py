"""The outcome-type tree whose masses and centre are learned: for many classes, or thin ones.

    types | class j ~ Dirichlet(kappa · centre)      centre: who is right, from the typical recalls m of the classifiers
    labels | class j, type ~ symmetric Dirichlet of a total mass

A class with three items leaves much to the prior. With the centre fixed, where everybody is right half of the time, a
difference that lies in many such classes is halved, and so is a good classifier's own score. What the classes have in
common is known, however: the typical recall m of each classifier is learned from all of them, together with the mass
of the labels, and kappa if there is a choice. They are integrated out, for what lies below is conjugate: the evidence
of a point is a product of Dirichlet-multinomials over the classes.

By default kappa is one pseudo-document. Larger ones would be learned from classes that look alike, and classes that do
not (a few of them, in the tail) would pay for it: with masses up to 10 the interval of such a difference never held it.
Smaller ones would be learned from classes in which nobody errs, and leave a small class like them no doubt.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Final, Unpack

import numpy as np

from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import dirichlet
from ropewalk.draws.log_gamma import log_gamma
from ropewalk.metrics.margins import Weighted
from ropewalk.models.binary import DirichletPosterior
from ropewalk.models.cells import SMALLEST_SHARE, log_base_weights, seat_wrong
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.protocol import Conjugate, listed
from ropewalk.models.tree import Tree, TreePosterior
from ropewalk.typing import FloatArray, IntArray

MAX_LOGIT: Final = 2.2
"""The logit of the largest typical recall, .90; logits are uniform a priori, from minus this on.

A centre of .98, learned from large classes where nobody errs, would leave a small class no doubt that nobody errs there
either. The interval of a macro recall of three classes, of which the smallest differed, then covered .65 to .83.
"""

POINTS: Final = 512
"""How many combinations of typical recalls are tried for every kappa."""

LEANING: Final = 2.0
"""How many times as heavy the prior of two labels is where a metric looks at the errors in one class above all.

What tells two near-copies apart is a pseudo-item half of the time in either direction. By default half of that lies in
each class; intervals of a difference in recall, which knows one of them only, then covered as little as .87, and .93
and more with all of it in each (`docs/explain/model-tree.md`).
"""

_AXIS: Final = 41  # places on the axis of a classifier, from which its typical recalls are scattered
_MIDDLES: Final = (np.arange(_AXIS) + 0.5) / _AXIS  # of equal stretches from 0 to 1
_LOOKS: Final = 8  # at most so many, each closer than the last one
_ANYWHERE: Final = 0.02  # of the points lie anywhere on the axis as it is last laid, so that no weight is large
_HOPELESS: Final = 40.0  # a kappa whose log evidence is so much less has no mass
_CELLS: Final = 2_000_000  # numbers in memory at a time


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedTree(Conjugate):
    """Classifiers on the same test set, many labels: the tree, with its masses and its centre learned.

    `kappas` are the pseudo-documents per class that the prior of the types may weigh, `label_masses` those of the
    labels per class and type, any number of either; all are equally probable a priori, and so are the typical recalls
    of each classifier. For two labels it is the `Tree` with the largest of the masses.

    Examples
    --------
    >>> LearnedTree().prior
    'mu ~ Dir(1, …); types ~ Dir(κ·centre of recalls m), κ = 1, m learned; labels of a type ~ Dir, mass (0.1, 0.3, 1) learned'
    """  # noqa: E501

    kappas: Sequence[float] = (1.0,)
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
        fixed = self.fixed_for(n_labels)
        return self.prior if fixed is None else fixed.prior_for(n_labels, n_classifiers)

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch("Outcome types, their masses and centre learned", paired=self.paired, **size)
        if (fixed := self.fixed_for(s.n_labels)) is not None:
            return fixed.graph(**size)
        s.shares(s.even(self.mu_prior))
        kappa, m = s.sign("κ"), s.sign("m")
        if len(self.kappas) > 1:
            s.latent("kappa", (2, -2), kappa, f"one of {listed(self.kappas)}")
        else:
            s.constant("kappa", (2, -2), kappa, listed(self.kappas))
        typical = "typical recalls of the classifiers" if s.joint else "a typical recall"
        s.latent("m", (3, -2), m, f"{typical}, logit uniform from −{MAX_LOGIT:g} to {MAX_LOGIT:g}")
        name, letter = ("tau", "τ") if s.joint else ("rho", "ρ")
        law = f"Dir({kappa} · centre of {m}) over the types" if s.joint else f"Beta({kappa} {m}, {kappa} (1 − {m}))"
        s.latent(name, (2, 0), s.sign(letter, "j"), law, "kappa", "m")
        return class_graph(s, self.label_masses)

    def suited(self, *, leans: bool) -> Tree:
        """Return the tree of two labels, twice as heavy where a metric leans on one class: see `LEANING`."""
        return replace(self._fixed, kappa=(LEANING if leans else 1.0) * self._fixed.kappa)

    def unlearned(self) -> Tree:
        """Return the tree with the largest masses, whose centre is fixed."""
        return self._fixed

    def fixed_for(self, n_labels: int) -> Tree | None:
        """Return the tree that it is where nothing can be learned: of two labels."""
        return self._fixed if n_labels <= BINARY else None

    @property
    def _fixed(self) -> Tree:
        """The tree with the largest masses."""
        kappa, mass = max(self.kappas), max(self.label_masses)
        return Tree(kappa=kappa, label_mass=mass, mu_prior=self.mu_prior, paired=self.paired, name=self.name)

    def fit(self, outcomes: Outcomes) -> LearnedPosterior | TreePosterior | DirichletPosterior:
        """Return the posterior of a table of any number of classifiers and labels."""
        if (fixed := self.fixed_for(outcomes.n_labels)) is not None:
            return fixed.fit(outcomes)
        tree = self._fixed.fit_types(outcomes)
        return LearnedPosterior(tree, np.array(self.kappas), np.array(self.label_masses))


def centre_of(recalls: FloatArray, patterns: IntArray, n_labels: int) -> FloatArray:
    """Return the weights (points, types) of classifiers that are right so often (points, K), independently.

    Examples
    --------
    >>> from ropewalk.models.cells import all_patterns
    >>> centre_of(np.array([[0.5, 0.5], [0.8, 0.5]]), all_patterns(2, 3), 3).round(3).tolist()
    [[0.25, 0.25, 0.25, 0.125, 0.125], [0.4, 0.4, 0.1, 0.05, 0.05]]
    """
    right = (patterns == 0).T.astype(np.float64)
    agreeing = log_base_weights(patterns, n_labels) + patterns.shape[1] * np.log(2.0)
    return np.asarray(np.exp(np.log(recalls) @ right + np.log1p(-recalls) @ (1.0 - right) + agreeing))


@dataclass(frozen=True, eq=False)
class Points:
    """Where the prior of the types may lie: typical recalls (P, K), kappas (P,), and how probable each point is."""

    recalls: FloatArray
    kappas: FloatArray
    shares: FloatArray


@dataclass(frozen=True, eq=False)
class LearnedPosterior:
    """The masses and the centre from points of their marginal; all else given them, as in `tree`."""

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
    def _points(self) -> Points:
        """Points scattered where the mass is, weighted by how probable they are beside how often they are hit.

        Given the recalls of the others, that of a classifier has a marginal on an axis of its own; as the evidence is
        nearly a product over classifiers, points scattered by these marginals (a Latin hypercube) have nearly the same
        weights, of any number of classifiers.
        """
        places = np.random.default_rng(0).random((POINTS, self.tree.n_classifiers)).argsort(axis=0)
        recalls, kappas, evidence = [], [], []
        middle, best = np.zeros(self.tree.n_classifiers), -math.inf
        for kappa in -np.sort(-self.kappas):
            axes, weights, middle = self._marginals(kappa, middle)
            here = float(self._evidence(_share(middle[np.newaxis]), np.array([kappa]))[0])
            if here < best - _HOPELESS:
                continue
            best = max(best, here)
            logits, hit = _scatter(axes, weights, (places + 0.5) / POINTS)
            recalls.append(_share(logits))
            kappas.append(np.full(POINTS, kappa))
            evidence.append(self._evidence(recalls[-1], kappas[-1]) - hit)
        return Points(np.concatenate(recalls), np.concatenate(kappas), _probabilities(np.concatenate(evidence)))

    def _marginals(self, kappa: float, middle: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return an axis of logits per classifier (K, places), the probabilities on it, and their means.

        Places are the middles of equal stretches. The probabilities are those of a classifier's logit while the others
        are at their means, as found a look before.
        """
        n_classifiers = self.tree.n_classifiers
        low, high = np.full(n_classifiers, -MAX_LOGIT), np.full(n_classifiers, MAX_LOGIT)
        for look in range(_LOOKS):
            axes = low[:, np.newaxis] + (high - low)[:, np.newaxis] * _MIDDLES
            logits = np.repeat(middle[np.newaxis], n_classifiers * _AXIS, axis=0)
            logits[np.arange(n_classifiers * _AXIS), np.repeat(np.arange(n_classifiers), _AXIS)] = axes.reshape(-1)
            evidence = self._evidence(_share(logits), np.full(len(logits), kappa)).reshape(n_classifiers, _AXIS)
            weights = np.exp(evidence - evidence.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            before, middle = middle, (weights * axes).sum(axis=1)
            spread = np.sqrt((weights * (axes - middle[:, np.newaxis]) ** 2).sum(axis=1)) + (high - low) / _AXIS
            if look > 1 and (np.abs(middle - before) < spread / 10).all():
                break
            low, high = np.maximum(middle - 6 * spread, -MAX_LOGIT), np.minimum(middle + 6 * spread, MAX_LOGIT)
        return axes, weights, middle

    def _evidence(self, recalls: FloatArray, kappas: FloatArray) -> FloatArray:
        """Return the log probability of the types of all classes, for each point: Dirichlet-multinomials."""
        patterns, counts, times, sizes, classes = self._seen
        evidence = np.empty(len(kappas))
        step = max(_CELLS // max(counts.size, 1), 1)
        for start in range(0, len(kappas), step):
            part = slice(start, start + step)
            kappa = kappas[part, np.newaxis]
            shapes = np.maximum(kappa * centre_of(recalls[part], patterns, self.tree.n_labels), SMALLEST_SHARE)
            within = (log_gamma(counts + shapes) - log_gamma(shapes)) @ times
            evidence[part] = within + (log_gamma(kappa) - log_gamma(kappa + sizes)) @ classes
        return evidence

    @cached_property
    def _seen(self) -> tuple[IntArray, FloatArray, FloatArray, FloatArray, FloatArray]:
        """The types and counts that groups have, and how many have each; the sizes of classes, and how many have each.

        Most groups of a long tail look alike, and are counted once.
        """
        tree = self.tree
        seen = tree.type_counts > 0
        rows = np.column_stack([tree.patterns[seen], tree.type_counts[seen]])
        distinct, times = np.unique(rows, axis=0, return_counts=True)
        items = np.bincount(tree.group_class[seen], tree.type_counts[seen], tree.n_labels).astype(np.float64)
        sizes, classes = np.unique(items, return_counts=True)
        return distinct[:, :-1].astype(np.int64), distinct[:, -1], times.astype(float), sizes, classes.astype(float)

    @cached_property
    def _label_shares(self) -> FloatArray:
        """The probabilities of the masses of the labels."""
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
            inside = (log_gamma(counts + each) - log_gamma(each)).sum()
            evidence.append(inside + (log_gamma(mass) - log_gamma(mass + totals)).sum())
        return _probabilities(np.array(evidence))

    @property
    def kappa_shares(self) -> FloatArray:
        """The posterior probabilities of the kappas."""
        points = self._points
        return np.array([points.shares[points.kappas == kappa].sum() for kappa in self.kappas])

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        points, tree = self._points, self.tree
        point = np.searchsorted(np.cumsum(points.shares)[:-1], rng.random(size))
        mass = self.label_masses[np.searchsorted(np.cumsum(self._label_shares)[:-1], rng.random(size))]
        mu = np.maximum(dirichlet(rng, tree.mu, size), SMALLEST_SHARE)
        if not tree.kappa:
            return tree.fill(rng, mu, self._draw_types(rng, mu, point), label_mass=mass)
        recalls = points.recalls[point]

        def draw_patterns(rng: np.random.Generator, draws: IntArray) -> IntArray:
            return seat_wrong(rng, rng.random((draws.size, tree.n_classifiers)) >= recalls[draws], tree.n_labels)

        masses, fresh = tree.seen_and_fresh(rng, mu, points.kappas[point], draw_patterns)
        return tree.fill(rng, mu, masses, fresh, label_mass=mass)

    @cached_property
    def _shapes(self) -> FloatArray:
        """What the prior adds to the types, which every class lists, at each point (types, points)."""
        tree, points = self.tree, self._points
        types = tree.patterns[: len(tree.types) // tree.n_labels]
        return np.ascontiguousarray(points.kappas * centre_of(points.recalls, types, tree.n_labels).T)

    def _draw_types(self, rng: np.random.Generator, mu: FloatArray, point: IntArray) -> FloatArray:
        """Return the masses of all types of all classes (G, D), given the points of the draws."""
        tree, here = self.tree, self._shapes[:, point]  # (types, draws)
        drawn = rng.standard_gamma(tree.type_counts.reshape(tree.n_labels, -1, 1) + here)
        empty = np.flatnonzero(tree.empty)
        if empty.size:  # all shapes are tiny, and all draws might underflow to 0
            bare = np.broadcast_to(here, (empty.size, *here.shape))
            logs = np.log(rng.standard_gamma(bare + 1.0)) - rng.standard_exponential(bare.shape) / bare
            drawn[empty] = np.exp(logs - logs.max(axis=1, keepdims=True))
        drawn *= (mu / np.maximum(drawn.sum(axis=1), SMALLEST_SHARE))[:, np.newaxis]
        return drawn.reshape(-1, point.size)


def _scatter(axes: FloatArray, weights: FloatArray, heights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return points (P, K) at the heights (P, K) of the distributions on the axes, and the log density of hitting them.

    A place on an axis stands for the stretch around it, within which all values are equally probable.
    """
    weights = (1 - _ANYWHERE) * weights + _ANYWHERE / weights.shape[1]
    logits, hit = np.empty(heights.shape), np.zeros(len(heights))
    for k, (axis, weight) in enumerate(zip(axes, weights, strict=True)):
        step, ends = axis[1] - axis[0], np.concatenate([[0.0], np.cumsum(weight)])
        place = np.searchsorted(ends, heights[:, k], side="right") - 1
        within = (heights[:, k] - ends[place]) / weight[place]
        logits[:, k] = axis[place] + (within - 0.5) * step
        hit += np.log(weight[place] / step)
    return logits, hit


def _share(logits: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-logits)))


def _probabilities(evidence: FloatArray) -> FloatArray:
    shares = np.exp(evidence - evidence.max())
    return np.asarray(shares / shares.sum())
