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
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, Literal, Unpack, get_args

import numpy as np

from ropewalk._checks import choose
from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import block_size, dirichlet, log_gammas
from ropewalk.metrics.margins import Cells, Loose, Sums, Weighted
from ropewalk.models.binary import DirichletPosterior, every_cell
from ropewalk.models.cells import (
    SMALLEST_SHARE,
    CountedCells,
    all_patterns,
    base_weights,
    break_sticks,
    check_sticks,
    draw_patterns,
    keys_of,
    patterns_of,
    place_labels,
)
from ropewalk.models.graph import Graph, Size, Sketch, class_graph
from ropewalk.models.protocol import Conjugate
from ropewalk.typing import CodeArray, FloatArray, IntArray

Centre = Literal["fixed", "pooled"]

_LISTED: Final = (6, 2)  # up to so many classifiers of two labels, of more, every class lists all types
_COUNTABLE: Final = (12, 7)  # up to so many classifiers of two labels, of more, all types can be looked at
_CHOICES: Final = 4_000_000
_CELLS_WRITTEN: Final = 4  # up to so many pseudo-counts are written out
_NOTHING: Final = 1e-9  # less base weight than this is rounding, and no type that was left out
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
            listed, kind = np.unique(patterns_of(codes), axis=0, return_inverse=True)
            kind = kind.reshape(-1)  # of NumPy 2.0 it has another axis
        weights = base_weights(listed, n_labels)
        if self.centre == "pooled":
            seen = np.bincount(kind, weights=counts, minlength=len(listed))
            weights = (seen + 2 * weights) / (counts.sum() + 2)
        # Groups are (class, type). All listed types stand in every class, or only those that were seen there.
        everywhere |= self.centre == "pooled"
        group_of = codes[:, 0].astype(np.int64) * len(listed) + kind
        groups = np.arange(n_labels * len(listed)) if everywhere else np.unique(group_of)
        group_class, group_type = np.divmod(groups, max(len(listed), 1))
        totals = np.bincount(np.searchsorted(groups, group_of), weights=counts, minlength=groups.size)
        lump = np.maximum(1.0 - np.bincount(group_class, weights=weights[group_type], minlength=n_labels), 0.0)
        if self.centre == "pooled":  # only what no class ever showed is left over, at its share of the centre
            lump = np.full(n_labels, max(1.0 - float(weights.sum()), 0.0))
        check_sticks(self.kappa * float(lump.max(initial=0.0)), "kappa")
        items = outcomes.items_by_class()
        return TreePosterior(
            n_labels=n_labels,
            n_classifiers=outcomes.n_classifiers,
            mu=items.astype(np.float64) + np.where(outcomes.can_be_true, self.mu_prior, 0.0),
            group_class=group_class,
            patterns=listed[group_type],
            types=totals + self.kappa * weights[group_type],
            lump=np.where(lump > _NOTHING, self.kappa * lump, 0.0),
            label_mass=self.label_mass,
            codes=codes,
            counts=counts,
            cell_group=np.searchsorted(groups, group_of),
            empty=items < 1,  # a part of an item, as a power prior counts them, leaves shapes as tiny as none
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class TreePosterior:
    """Dirichlets down the tree, for G listed groups (class, type), classes in ascending order.

    `types` are the shapes of the groups within their class, and `lump` (M,) that of all types which a class does not
    list. `counts` are the observed cells' and `cell_group` their groups.
    """

    n_labels: int
    n_classifiers: int
    mu: FloatArray
    group_class: IntArray
    patterns: IntArray
    types: FloatArray
    lump: FloatArray
    label_mass: float
    codes: CodeArray
    counts: IntArray
    cell_group: IntArray
    empty: np.ndarray

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes: a handful of sticks per group, each with K labels."""
        groups, lumps = max(self.label_mass, 1.0) * len(self.types), np.maximum(self.lump, self.lump > 0).sum()
        return int(len(self.codes) + 4 * self.n_classifiers * groups + 60 * lumps)

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        sticks = 3 * max(self.label_mass, 1.0) * len(self.types) + 20 * np.maximum(self.lump, self.lump > 0).sum()
        return block_size(int(len(self.codes) + sticks))

    @cached_property
    def type_counts(self) -> FloatArray:
        """How many items each group holds."""
        return np.bincount(self.cell_group, weights=self.counts, minlength=len(self.types)).astype(np.float64)

    @cached_property
    def _lumpy(self) -> IntArray:
        """The classes that do not list all types."""
        return np.flatnonzero(self.lump)

    @cached_property
    def _owner(self) -> IntArray:
        """The classes of the groups, then of the unlisted types."""
        return np.concatenate([self.group_class, self._lumpy])

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
        """The sums of groups, then of unlisted types, by class."""
        return Sums(self._owner, np.arange(self._owner.size), (self.n_labels, self._owner.size))

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        mu = np.maximum(dirichlet(rng, self.mu, size), SMALLEST_SHARE)
        return self.fill(rng, mu, *self._draw_types(rng, mu, size))

    def fill(
        self,
        rng: np.random.Generator,
        mu: FloatArray,
        masses: FloatArray,
        lumps: FloatArray,
        label_mass: float | FloatArray | None = None,
    ) -> Weighted:
        """Split the masses of the groups (G, D), and of unlisted types (M, D), over their labels: draws of tables.

        What happens within a type does not depend on how the types came about, so theirs may be drawn anywhere, and
        with them the mass of the labels (D,), if it is not the same in all draws.
        """
        mass = self.label_mass if label_mass is None else label_mass
        weights, beside = self._counted.draw(rng, masses[~self._single], mass)
        loose = self._loose(rng, beside, lumps, mu, mass)
        return Weighted(self._cells, np.concatenate([masses[self._single], weights]), loose, mu)

    def _draw_types(self, rng: np.random.Generator, mu: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
        """Return the masses of the groups (G, D), and of the types that each class does not list (M, D)."""
        owner, shapes = self._owner, np.concatenate([self.types, self.lump[self._lumpy]])
        drawn = rng.standard_gamma(shapes[:, np.newaxis], (shapes.size, size))
        bare = np.flatnonzero(self.empty[owner])
        if bare.size:
            # In a class without items all shapes may be tiny, and all draws underflow to 0: there, use logarithms.
            logs = log_gammas(rng, shapes[bare], size)
            top = np.full((self.n_labels, size), -math.inf)
            np.maximum.at(top, owner[bare], logs)
            drawn[bare] = np.exp(logs - top[owner[bare]])
        totals: FloatArray = self._by_class @ drawn
        drawn *= (mu / totals).take(owner, axis=0)
        lumps = np.zeros((self.n_labels, size))
        lumps[self._lumpy] = drawn[len(self.types) :]
        return drawn[: len(self.types)], lumps

    def _loose(
        self,
        rng: np.random.Generator,
        beside: FloatArray,
        lumps: FloatArray,
        mu: FloatArray,
        label_mass: float | FloatArray,
    ) -> Loose | None:
        """Spread what the prior puts beside the observed cells: over labels, and over types that were not listed."""
        size, several = lumps.shape[1], np.flatnonzero(~self._single)
        mass, draw = beside.reshape(-1), np.tile(np.arange(size), several.size)
        truth = np.repeat(self.group_class[several].astype(np.int32), size)
        pattern_of = np.repeat(several, size)
        shares = mu.take(self.group_class[several], axis=0).reshape(-1)
        patterns = self.patterns
        if self.lump.any():
            fresh = self._unlisted(rng, lumps, mu)
            pattern_of = np.concatenate([pattern_of, len(patterns) + np.arange(len(fresh[0]))])
            patterns = np.concatenate([patterns, fresh[0]])
            truth, draw = np.concatenate([truth, fresh[1]]), np.concatenate([draw, fresh[2]])
            mass = np.concatenate([mass, fresh[3]])
            shares = np.concatenate([shares, mu[fresh[1], fresh[2]]])
        if not mass.size:
            return None
        concentration = label_mass if isinstance(label_mass, float) else label_mass[draw]
        owner, weights = break_sticks(rng, mass, concentration, shares)
        codes = place_labels(rng, truth.take(owner), patterns, pattern_of.take(owner), self.n_labels)
        return Loose(codes, draw.take(owner), weights)

    def _unlisted(
        self, rng: np.random.Generator, lumps: FloatArray, mu: FloatArray
    ) -> tuple[IntArray, CodeArray, IntArray, Any]:
        """Return (patterns, class, draw, mass) of types that a class does not list, each once per draw."""
        lumpy, size = self._lumpy, lumps.shape[1]
        concentration = np.repeat(self.lump[lumpy], size)
        owner, weights = break_sticks(rng, lumps[lumpy].reshape(-1), concentration, mu[lumpy].reshape(-1))
        place = np.repeat(lumpy, size)[owner] * np.int64(size) + np.tile(np.arange(size), lumpy.size)[owner]
        truth = place // size
        patterns = self._draw_unlisted(rng, truth)
        # Sticks may fall on the same type; its labels are one Dirichlet then, so its mass must be one too.
        order = np.lexsort((keys_of(patterns), place))
        keys = keys_of(patterns[order])
        new = np.ones(order.size, dtype=bool)
        new[1:] = (np.diff(keys) != 0) | (np.diff(place[order]) != 0)
        first = order[new]
        merged = np.bincount(np.cumsum(new) - 1, weights[order], minlength=first.size)
        return patterns[first], truth[first].astype(np.int32), place[first] % size, merged

    def _draw_unlisted(self, rng: np.random.Generator, truth: IntArray) -> IntArray:
        """Draw types from their base weights, of those that each class does not list."""
        if self._choices is not None:
            types, starts = self._choices
            first = np.searchsorted(self._lumpy, truth)
            place = np.searchsorted(starts, first + rng.random(truth.size), side="right") - 1 - first * len(types)
            return np.asarray(types[np.minimum(place, len(types) - 1)])
        # Types are too many to list, so hardly any of them is listed: reject those that are.
        patterns = np.empty((truth.size, self.n_classifiers), dtype=np.int64)
        todo = np.arange(truth.size)
        while todo.size:
            patterns[todo] = draw_patterns(rng, todo.size, self.n_classifiers, self.n_labels)
            todo = todo[self._listed(truth[todo], keys_of(patterns[todo]))]
        return patterns

    @cached_property
    def _choices(self) -> tuple[IntArray, FloatArray] | None:
        """All types, and where the share of each begins within 0 … 1 of every class that lists not all of them."""
        if self.n_classifiers > _COUNTABLE[self.n_labels > 2]:  # noqa: PLR2004
            return None
        types = all_patterns(self.n_classifiers, self.n_labels)
        if len(types) * self._lumpy.size > _CHOICES:
            return None
        keys, weights = keys_of(types), base_weights(types, self.n_labels)
        free = np.stack([weights * ~self._listed(np.full(len(types), j), keys) for j in self._lumpy])
        free /= free.sum(axis=1, keepdims=True)
        starts = np.cumsum(free, axis=1) - free + np.arange(self._lumpy.size)[:, np.newaxis]
        return types, starts.reshape(-1)

    @cached_property
    def _keys(self) -> tuple[IntArray, IntArray]:
        """The keys of the listed types, sorted, and the pairs of a class and a key that it lists, each as a number."""
        distinct, place = np.unique(keys_of(self.patterns), return_inverse=True)
        return distinct, np.unique(self.group_class * np.int64(max(distinct.size, 1)) + place.reshape(-1))

    def _listed(self, truth: IntArray, keys: IntArray) -> np.ndarray:
        """Whether each class lists the type of that key."""
        distinct, listed = self._keys
        if not distinct.size:
            return np.zeros(truth.size, dtype=bool)
        place = np.minimum(np.searchsorted(distinct, keys), distinct.size - 1)
        pairs = truth * np.int64(distinct.size) + place
        spot = np.minimum(np.searchsorted(listed, pairs), listed.size - 1)
        return np.asarray((distinct[place] == keys) & (listed[spot] == pairs))
