"""The outcome-type tree: K classifiers on the same items, any number of labels, drawn exactly.

    mu ~ Dirichlet(mu_prior, …)                          which class an item is of
    type | class j ~ Dirichlet(kappa · centre)           who is right, and which of the wrong ones agree
    labels | class j, type ~ symmetric Dirichlet, total mass label_mass

The tree asks first *what kind* of outcome it is, and only then which labels were said. So the prior weighs about one
pseudo-document per class, however many labels there are; a flat prior on the M² pairs of labels would weigh M² of them.
With two labels and two classifiers every type has a single cell, and kappa = 4 is the prior of SIGIR 2016.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal, NamedTuple, Unpack, get_args

import numpy as np

from ropewalk._checks import choose
from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import block_size, dirichlet, log_gammas
from ropewalk.metrics.margins import Cells, Sums, Weighted
from ropewalk.models.binary import DirichletPosterior, every_cell
from ropewalk.models.cells import (
    SMALLEST_SHARE,
    UNPLACED,
    CountedCells,
    all_patterns,
    base_weights,
    break_sticks,
    check_sticks,
    depths_of,
    draw_labels,
    keys_of,
    patterns_of,
    seat_wrong,
)
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.protocol import Conjugate
from ropewalk.models.spread import Owners, SpreadTypes
from ropewalk.typing import CodeArray, FloatArray, IntArray

Centre = Literal["fixed", "pooled"]

_LISTED: Final = (6, 2)  # up to so many classifiers of two labels, of more, every class lists all types
_UNPLACED_OF_ITEM: Final = 0.01
_MAX_UNPLACED: Final = 1e-5  # of the whole draw: it moves no standard deviation of a metric by a thousandth
_CELLS_WRITTEN: Final = 4  # up to so many pseudo-counts are written out
_ALONE: Final = ("right or wrong", "1/2", "wrong label")  # types, their centre and labels where there is one classifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree(Conjugate):
    """K classifiers on the same test set, for any number of labels: the outcome-type tree.

    `kappa` is how many pseudo-documents per class the prior of the types weighs, `label_mass` how many per class and
    type that of the labels, `mu_prior` how many each class weighs in the prevalences. ``centre="pooled"`` centres the
    types of every class on those of all classes together: better for a single classifier's own score when classes
    are small, but then the prior has seen the data and there is no Bayes factor. ``paired=False`` gives every
    classifier a tree of its own.

    Examples
    --------
    >>> Tree(kappa=2, centre="pooled").prior
    'mu ~ Dir(1, …); types ~ Dir(2·pooled); labels of a type ~ Dir, mass 1'
    """

    kappa: float = 1.0
    centre: Centre = "fixed"
    mu_prior: float = 1.0
    label_mass: float = 1.0
    paired: bool = True
    name: str = field(default="tree", repr=False, compare=False)

    is_symmetric = True

    def __post_init__(self) -> None:
        Conjugate.__post_init__(self)
        choose(self.centre, {name: name for name in get_args(Centre)}, "centre")

    @property
    def prior(self) -> str:
        """The prior in one line."""
        types, base, labels = ("types", "base", "labels of a type") if self.paired else _ALONE
        centre = base if self.centre == "fixed" else "pooled"
        shares = f"mu ~ Dir({self.mu_prior:g}, …); {types} ~ Dir({self.kappa:g}·{centre})"
        return f"{shares}; {labels} ~ Dir, mass {self.label_mass:g}"

    def prior_for(self, n_labels: int, n_classifiers: int) -> str:
        """Return the prior as it is for so many labels and classifiers; with two labels every type is a single cell.

        Examples
        --------
        >>> Tree().prior_for(2, 2)
        'mu ~ Beta(1, 1); theta+, theta- ~ Dir(0.25, 0.25, 0.25, 0.25)'
        """
        if n_labels != BINARY:
            return self.prior
        cells = 2**n_classifiers
        each = f"{self.kappa / cells:g}"
        shapes = ", ".join([each] * cells) if cells <= _CELLS_WRITTEN else f"{each}, …"
        name, law = ("rho", "Beta") if n_classifiers == 1 else ("theta", "Dir")
        centred = f"{law}({shapes})" if self.centre == "fixed" else f"{law}({self.kappa:g}·pooled)"
        return f"mu ~ Beta({self.mu_prior:g}, {self.mu_prior:g}); {name}+, {name}- ~ {centred}"

    @property
    def no_factor(self) -> str:
        """Why there is no Bayes factor at all, if so."""
        return "" if self.centre == "fixed" else "the pooled centre is a prior that has seen the data"

    @property
    def no_savage_dickey(self) -> str:
        """Why there is no Savage-Dickey ratio, if so: it takes a prior that has not seen the data."""
        return self.no_factor

    @property
    def description(self) -> str:
        """The model in a sentence."""
        outcomes = (
            "In each class, who is right and which of the wrong ones agree has a Dirichlet prior, and so have the "
            "labels that are said then"
            if self.paired
            else "In each class, being right has a Beta prior, and the labels said in error a Dirichlet one, each "
            "classifier by itself"
        )
        seen = "; the priors are centred on what was seen in all classes" if self.centre == "pooled" else ""
        return f"{outcomes}{seen}."

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph; see `ropewalk.models.graph`."""
        s = Sketch("", paired=self.paired, **size)
        n, kappa, half = s.n_classifiers, f"{self.kappa:g}", f"{self.kappa / 2:g}"
        if s.joint:
            s.title = f"{'Two' if n == 2 else n} classifiers on one test set: outcome types"  # noqa: PLR2004
            law = f"Dir({kappa} · {'base' if self.centre == 'fixed' else 'pooled'}) over the types"
        else:
            who = "One classifier" if n == 1 else "Each classifier on its own test set"
            s.title = f"{who}: right or wrong, then which label"
            law = f"Beta({half}, {half})" if self.centre == "fixed" else f"Beta({kappa} · pooled)"
        s.shares(s.even(self.mu_prior))
        s.constant("kappa", (2, -2), "κ", kappa)
        name, letter = ("tau", "τ") if s.joint else ("rho", "ρ")
        s.latent(name, (2, 0), s.sign(letter, "j"), law, "kappa")
        return class_graph(s, self.label_mass)

    def fit(self, outcomes: Outcomes) -> TreePosterior | DirichletPosterior:
        """Return the posterior of a table of any number of classifiers and labels."""
        if outcomes.n_labels == BINARY and outcomes.n_classifiers <= BINARY and self.centre == "fixed":
            return self._fit_two_labels(outcomes)
        return self.fit_types(outcomes)

    def _fit_two_labels(self, outcomes: Outcomes) -> DirichletPosterior:
        """Return the posterior of two labels, where every type is a single cell."""
        counts = np.zeros((2,) * (outcomes.n_classifiers + 1))
        counts[tuple(outcomes.codes.T)] = outcomes.counts
        cells = every_cell(2, outcomes.n_classifiers)
        shape = self.kappa / 2**outcomes.n_classifiers
        mu = counts.reshape(2, -1).sum(axis=1) + np.where(outcomes.can_be_true, self.mu_prior, 0.0)
        return DirichletPosterior(cells, mu, (counts[0].reshape(-1) + shape, counts[1].reshape(-1) + shape))

    def fit_types(self, outcomes: Outcomes, *, every_type: bool = False) -> TreePosterior:
        """Return the posterior by types, from which a part can be drawn elsewhere.

        With `every_type` all types stand in every class, however many they are.
        """
        check_sticks(self.label_mass, "label_mass")
        n_labels, codes, counts = outcomes.n_labels, outcomes.codes, outcomes.counts
        everywhere = every_type or outcomes.n_classifiers <= _LISTED[n_labels > 2]  # noqa: PLR2004
        if everywhere:
            listed = all_patterns(outcomes.n_classifiers, n_labels)
            order = np.argsort(keys_of(listed))
            kind = order[np.searchsorted(keys_of(listed), keys_of(patterns_of(codes)), sorter=order)]
        else:
            check_sticks(self.kappa, "kappa")
            listed, kind = np.unique(patterns_of(codes), axis=0, return_inverse=True)
            kind = kind.reshape(-1)  # of NumPy 2.0 it has another axis
        shares = np.zeros(len(listed))
        if self.centre == "pooled":
            shares = np.bincount(kind, weights=counts, minlength=len(listed)) / (counts.sum() + 2)
        group_of = codes[:, 0].astype(np.int64) * len(listed) + kind
        groups = np.arange(n_labels * len(listed)) if everywhere else np.unique(group_of)
        group_class, group_type = np.divmod(groups, max(len(listed), 1))
        group_of = np.searchsorted(groups, group_of)
        types: FloatArray = np.bincount(group_of, weights=counts, minlength=groups.size).astype(np.float64)
        if everywhere:
            centre = shares + (1 - shares.sum()) * base_weights(listed, n_labels)
            types = types + self.kappa * centre[group_type]
        items = outcomes.items_by_class()
        return TreePosterior(
            n_labels=n_labels,
            n_classifiers=outcomes.n_classifiers,
            mu=items.astype(np.float64) + np.where(outcomes.can_be_true, self.mu_prior, 0.0),
            group_class=group_class,
            patterns=listed[group_type],
            types=types,
            kappa=0.0 if everywhere else self.kappa,
            pooled=(listed, shares),
            label_mass=self.label_mass,
            codes=codes,
            counts=counts,
            cell_group=group_of,
            empty=items < 1,  # a part of an item, as a power prior counts them, leaves shapes as tiny as none
        )


class Fresh(NamedTuple):
    """Types that their class does not list, each once in a draw: patterns (F, K), and classes, draws, masses (F,)."""

    patterns: IntArray
    truth: CodeArray
    draw: IntArray
    mass: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class TreePosterior:
    """Dirichlets down the tree, for G listed groups (class, type), classes in ascending order.

    Where types are few, every class lists all of them, and `types` are their shapes. Where they are many, those that
    were seen in a class are listed, with their counts, and a prior of mass `kappa` is beside them, still to be broken
    into sticks: a stick is of a type that was seen anywhere, with its share of `pooled`, or of any type, by its base
    weight. `counts` are the observed cells' and `cell_group` their groups.
    """

    n_labels: int
    n_classifiers: int
    mu: FloatArray
    group_class: IntArray
    patterns: IntArray
    types: FloatArray
    kappa: float
    pooled: tuple[IntArray, FloatArray]
    label_mass: float
    codes: CodeArray
    counts: IntArray
    cell_group: IntArray
    empty: np.ndarray

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes: a handful of sticks per group, each with K labels.

        Of two labels every type is a single cell, and needs no sticks.
        """
        if self.n_labels <= BINARY and not self.kappa:
            return len(self.types)
        return int(
            len(self.codes) + self.n_classifiers * (4 * max(self.label_mass, 1.0) * len(self.types) + self._sticks)
        )

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return block_size(int(len(self.codes) + 3 * max(self.label_mass, 1.0) * len(self.types) + self._sticks))

    @property
    def _sticks(self) -> float:
        """About how many sticks of types a draw has."""
        return 12 * max(self.kappa, 1.0) * self.n_labels if self.kappa else 0.0

    @cached_property
    def _unplaced(self) -> float:
        """Where sticks end: many classifiers have very many, and a hundredth of an item is soon too little to see."""
        if not self.kappa:
            return UNPLACED
        return min(max(_UNPLACED_OF_ITEM / float(self.mu.sum()), UNPLACED), _MAX_UNPLACED)

    @cached_property
    def type_counts(self) -> FloatArray:
        """How many items each group holds."""
        return np.bincount(self.cell_group, weights=self.counts, minlength=len(self.types)).astype(np.float64)

    @cached_property
    def _single(self) -> np.ndarray:
        """Which groups have one cell only: all right, or but one label to be wrong with."""
        blocks = self.patterns.max(axis=1, initial=0)
        return np.asarray((blocks == 0) | (self.n_labels == 2))  # noqa: PLR2004

    @cached_property
    def _counted(self) -> CountedCells:
        """The observed cells that share their group with other cells."""
        shared = ~self._single[self.cell_group]
        several = np.cumsum(~self._single) - 1
        group = several[self.cell_group[shared]]
        return CountedCells.of(self.codes[shared], self.counts[shared], group, int((~self._single).sum()))

    @cached_property
    def _cells(self) -> Cells:
        truth = self.group_class[self._single, np.newaxis]
        # With a single cell to a type, a wrong prediction is the other label of two.
        alone = np.where(self.patterns[self._single] == 0, truth, 1 - truth)
        singles = np.concatenate([truth, alone], axis=1).astype(np.int32)
        return Cells(np.concatenate([singles, self._counted.codes]), self.n_labels)

    @cached_property
    def _by_class(self) -> Sums:
        """The sums of groups by class."""
        return Sums(self.group_class, np.arange(len(self.types)), (self.n_labels, len(self.types)))

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        mu = np.maximum(dirichlet(rng, self.mu, size), SMALLEST_SHARE)
        if not self.kappa:
            return self.fill(rng, mu, self._draw_types(rng, mu, size))
        return self.fill(rng, mu, *self.seen_and_fresh(rng, mu, np.full(size, self.kappa), self._draw_patterns))

    def fill(
        self,
        rng: np.random.Generator,
        mu: FloatArray,
        masses: FloatArray,
        fresh: Fresh | None = None,
        label_mass: float | FloatArray | None = None,
    ) -> Weighted:
        """Split the masses of the groups (G, D), and those of types not listed, over their labels: draws of tables.

        What happens within a type does not depend on how the types came about, so theirs may be drawn anywhere, and
        with them the mass of the labels (D,), if it is not the same in all draws.
        """
        mass = self.label_mass if label_mass is None else label_mass
        weights, beside = self._counted.draw(rng, masses[~self._single], mass)
        loose = self._loose(rng, beside, fresh, mu, mass)
        return Weighted(self._cells, np.concatenate([masses[self._single], weights]), loose, mu)

    def _draw_types(self, rng: np.random.Generator, mu: FloatArray, size: int) -> FloatArray:
        """Return the masses of the groups (G, D), which are all there are."""
        drawn = rng.standard_gamma(self.types[:, np.newaxis], (self.types.size, size))
        bare = np.flatnonzero(self.empty[self.group_class])
        if bare.size:
            # In a class without items all shapes may be tiny, and all draws underflow to 0: there, use logarithms.
            owner, logs = self.group_class[bare], log_gammas(rng, self.types[bare], size)
            top = np.full((self.n_labels, size), -math.inf)
            np.maximum.at(top, owner, logs)
            drawn[bare] = np.exp(logs - top[owner])
        totals: FloatArray = self._by_class @ drawn
        drawn *= (mu / totals).take(self.group_class, axis=0)
        return drawn

    def seen_and_fresh(
        self,
        rng: np.random.Generator,
        mu: FloatArray,
        kappa: FloatArray,
        draw_patterns: Callable[[np.random.Generator, IntArray], IntArray],
    ) -> tuple[FloatArray, Fresh]:
        """Return the masses of the groups (G, D), and of types not listed, given the mass of the prior (D,).

        `draw_patterns` draws a type from the centre for each stick, whose draws it is told. A stick may be of a type
        that is listed, and several of one: labels within a type are one Dirichlet, so its mass is made one here.
        """
        size = kappa.size
        masses = rng.standard_gamma(self.type_counts[:, np.newaxis], (len(self.types), size))
        beside = np.maximum(rng.standard_gamma(kappa, mu.shape), SMALLEST_SHARE)
        scale = mu / (self._by_class @ masses + beside)
        masses *= scale.take(self.group_class, axis=0)
        beside *= scale
        each = np.tile(kappa, self.n_labels)
        owner, weights = break_sticks(rng, beside.reshape(-1), each, mu.reshape(-1), self._unplaced)
        patterns = draw_patterns(rng, owner % size)
        group = self._group_of(owner // size, keys_of(patterns))
        seen = np.flatnonzero(group >= 0)
        place = group[seen] * size + owner[seen] % size
        masses += np.bincount(place, weights[seen], minlength=masses.size).reshape(masses.shape)
        new = np.flatnonzero(group < 0)
        return masses, _merged(patterns[new], owner[new], weights[new], size)

    def _draw_patterns(self, rng: np.random.Generator, draws: IntArray) -> IntArray:
        """Draw a type of the centre for each of the draws."""
        listed, shares = self.pooled
        patterns = seat_wrong(rng, rng.random((draws.size, self.n_classifiers)) < 0.5, self.n_labels)  # noqa: PLR2004
        if shares.any():
            kind = np.searchsorted(np.cumsum(shares), rng.random(draws.size), side="right")
            known = kind < len(listed)
            patterns[known] = listed[kind[known]]
        return patterns

    def _loose(
        self,
        rng: np.random.Generator,
        beside: FloatArray,
        fresh: Fresh | None,
        mu: FloatArray,
        label_mass: float | FloatArray,
    ) -> SpreadTypes | None:
        """Spread what the prior puts beside the observed cells: over labels, and over types that were not listed."""
        size, several = mu.shape[1], np.flatnonzero(~self._single)
        mass, draw = beside.reshape(-1), np.tile(np.arange(size), several.size)
        truth = np.repeat(self.group_class[several].astype(np.int32), size)
        pattern_of = np.repeat(np.arange(several.size), size)
        shares = mu.take(self.group_class[several], axis=0).reshape(-1)
        patterns = self.patterns[several]
        if fresh is not None:
            pattern_of = np.concatenate([pattern_of, len(patterns) + np.arange(len(fresh.patterns))])
            patterns = np.concatenate([patterns, fresh.patterns])
            truth, draw = np.concatenate([truth, fresh.truth]), np.concatenate([draw, fresh.draw])
            mass = np.concatenate([mass, fresh.mass])
            shares = np.concatenate([shares, mu[fresh.truth, fresh.draw]])
        if not mass.size:
            return None
        concentration = label_mass if isinstance(label_mass, float) else label_mass[draw]
        owner, weights = break_sticks(rng, mass, concentration, shares, self._unplaced)
        depth = depths_of(patterns).take(pattern_of)
        labels = draw_labels(rng, truth.take(owner), depth.take(owner), self.n_labels)
        return SpreadTypes(Owners(several.size, patterns, pattern_of, truth, draw, mass), owner, weights, labels)

    @cached_property
    def _keys(self) -> tuple[IntArray, IntArray, IntArray]:
        """The keys of the listed types, sorted; the pairs of a class and a key, each as a number, and their groups."""
        distinct, place = np.unique(keys_of(self.patterns), return_inverse=True)
        pairs = self.group_class * np.int64(distinct.size) + place.reshape(-1)
        order = np.argsort(pairs)
        return distinct, pairs[order], order

    def _group_of(self, truth: IntArray, keys: IntArray) -> IntArray:
        """Return the group of each class and type, -1 where the class does not list it."""
        distinct, listed, order = self._keys
        if not distinct.size:
            return np.full(truth.size, -1)
        place = np.minimum(np.searchsorted(distinct, keys), distinct.size - 1)
        pairs = truth * np.int64(distinct.size) + place
        spot = np.minimum(np.searchsorted(listed, pairs), listed.size - 1)
        return np.where((distinct[place] == keys) & (listed[spot] == pairs), order[spot], -1)


def _merged(patterns: IntArray, owner: IntArray, mass: FloatArray, size: int) -> Fresh:
    """Return the types of sticks, those of one class, draw and type as one; `owner` is class times size, plus draw."""
    keys = keys_of(patterns)
    order = np.lexsort((keys, owner))
    new = np.ones(order.size, dtype=bool)
    new[1:] = (np.diff(keys[order]) != 0) | (np.diff(owner[order]) != 0)
    first = order[new]
    total = np.bincount(np.cumsum(new) - 1, mass[order], minlength=first.size).astype(np.float64)
    truth, draw = np.divmod(owner[first], size)
    return Fresh(patterns[first], truth.astype(np.int32), draw, total)
