"""The posterior of many scored items: a metric taken to first order, its sums drawn instead of all the weights.

Near the weights that are expected a metric moves as a sum over the items, of each one's weight times its influence
value. Of many items such sums have a normal distribution, all but the few items that move them most: these are drawn
one by one, as are the imagined ones. So a draw takes hundreds of random numbers, not millions, and all systems share
them. A metric that ranks is checked against a few exact draws, by the same weights; where it is not close to its first
order, all weights are drawn after all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Final, Protocol, runtime_checkable
from weakref import WeakKeyDictionary

import numpy as np

from ropewalk.data.labels import BINARY
from ropewalk.data.scores import ItemScores
from ropewalk.draws import streams
from ropewalk.draws.blocks import block_size, generator
from ropewalk.metrics.influence import Smooth
from ropewalk.metrics.scores import Measured, ScoreMetric, WeightedItems
from ropewalk.models.items import Items
from ropewalk.models.protocol import Model, Posterior
from ropewalk.typing import FloatArray, IntArray

LARGE: Final = 20_000
"""From so many items on a metric is taken by its influence values, unless it is asked for otherwise."""

ONE_BY_ONE: Final = 500
"""How many of the items, or clusters, that move a metric most are drawn one by one."""

FEWEST_CHECKS: Final = 4
ENOUGH_CHECKS: Final = 50
MOST_CHECKS: Final = 200
CHECKED_ITEMS: Final = 50_000_000
"""So many items are checked at least, in 4 to 50 exact draws: what is left has a long tail, which few draws miss."""

MAX_REST: Final = 0.05
"""By so much of the standard deviation of a score, or a difference, what its first order leaves may vary."""

_CLOSE: Final = 0.005  # of a standard deviation: the error of the mean of what is left
_CHUNK: Final = 1 << 16
_ROUNDING: Final = 1e-12


@runtime_checkable
class ItemWeights(Protocol):
    """A posterior of the weights of all items, or of their clusters: seen ones first, then those imagined."""

    items: ItemScores
    n_seen: int

    @property
    def expected(self) -> FloatArray:
        """The expected weight of every unit, which is the shape of its gamma."""

    def block(self, rng: np.random.Generator, size: int) -> WeightedItems:
        """Draw `size` weightings of the items."""


@dataclass(frozen=True, eq=False)
class InfluencePosterior:
    """Draws of a metric by sums over units: over those `alone`, whose weights are gammas of `shapes`, and the rest.

    `alone` has what each unit adds (sums, units), the first `n_seen` of which were seen. The sums over the rest are
    normal, with a `mean` and a `root` of their covariance. In every stratum of the items one sum is their mass, which
    is expected to be `masses`, and one per system what they move it by; `tilt` (K, strata) is how far each moves as the
    mass of a stratum grows. `centre` are the values at the weights that are expected. The last `n_beside` values change
    no draw of those before them.
    """

    alone: FloatArray
    shapes: FloatArray
    n_seen: int
    mean: FloatArray
    root: FloatArray
    masses: FloatArray
    tilt: FloatArray
    centre: FloatArray
    n_beside: int = 0

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.shapes.size * (1 + len(self.mean) // 2)

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return block_size(self.shapes.size + 3 * (len(self.mean) - self.n_beside))

    def scaled(self, factor: float) -> InfluencePosterior:
        """Return the posterior under a prior that has so many times the mass."""
        shapes = self.shapes.copy()
        shapes[self.n_seen :] *= factor
        return replace(self, shapes=shapes)

    @cached_property
    def _matrices(self) -> tuple[Any, Any]:
        """The sums of those alone and of the rest, as sparse matrices: their products do not depend on threads."""
        from scipy.sparse import csr_array

        return csr_array(self.alone), csr_array(self.root)

    def block(self, rng: np.random.Generator, size: int) -> Measured:
        """Draw the metric `size` times."""
        weights = np.empty((self.shapes.size, size))
        rng.standard_exponential(out=weights[: self.n_seen])
        fresh = self.shapes[self.n_seen :, np.newaxis]
        weights[self.n_seen :] = rng.standard_gamma(fresh, (len(fresh), size))
        alone, root = self._matrices
        sums = alone @ weights
        sums += root @ rng.standard_normal((root.shape[1], size))
        sums += self.mean[:, np.newaxis]
        return Measured(self.value(sums))

    def value(self, sums: FloatArray) -> FloatArray:
        """Return the metric of every system from sums (sums, D), to first order."""
        by_stratum = sums.reshape(len(self.masses), -1, sums.shape[-1])
        share = by_stratum[:, 0] / self.masses[:, np.newaxis]
        moved = (by_stratum[:, 1:] / share[:, np.newaxis]).sum(axis=0)
        return np.asarray(self.centre[:, np.newaxis] + moved + self.tilt @ np.log(share))


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """What each item moves every system's value by, at the weights that are expected of units.

    `influence` (K, items) is by the weight of an item's unit, around its mean in the `stratum` of the item, and `worth`
    the mass that goes with a weight of 1. The first `n_seen` units were seen. The last `n_beside` of the values are not
    asked which units are drawn one by one.
    """

    items: ItemScores
    expected: FloatArray
    n_seen: int
    stratum: IntArray
    worth: FloatArray
    influence: FloatArray
    masses: FloatArray
    tilt: FloatArray
    centre: FloatArray
    n_beside: int = 0

    @classmethod
    def of(cls, weights: ItemWeights, smooth: Sequence[Smooth], *, by_class: bool, n_beside: int = 0) -> FirstOrder:
        """Return the first order of each system's metric; the strata are the classes, or there is only one."""
        items, expected = weights.items, weights.expected
        together: IntArray = np.zeros(items.n_items, dtype=np.int64)
        stratum = items.truth if by_class and items.truth is not None else together
        worth = np.broadcast_to(1.0, items.n_items) if items.weight is None else items.weight
        mass = _item_masses(items, expected)
        masses = np.bincount(stratum, weights=mass).astype(np.float64)
        influence, tilt = np.empty((len(smooth), items.n_items)), np.empty((len(smooth), masses.size))
        for k, metric in enumerate(smooth):
            slopes = metric.gradient(mass)
            tilt[k] = np.bincount(stratum, weights=mass * slopes)
            slopes -= (tilt[k] / masses)[stratum]
            np.multiply(worth, slopes, out=influence[k])
        centre = np.array([metric.value(mass) for metric in smooth])
        return cls(items, expected, weights.n_seen, stratum, worth, influence, masses, tilt, centre, n_beside)

    def chunks(self) -> Iterator[tuple[int, FloatArray]]:
        """Go through the sums (sums, units) that units add for a weight of 1, with the place of the first unit."""
        if self.items.cluster is not None:
            yield 0, self._of_clusters
            return
        for start in range(0, self.expected.size, _CHUNK):
            here = slice(start, start + _CHUNK)
            sums = np.concatenate([self.worth[np.newaxis, here], self.influence[:, here]])
            yield start, np.concatenate([sums * (self.stratum[here] == c) for c in range(self.masses.size)])

    @cached_property
    def _of_clusters(self) -> FloatArray:
        """The sums (sums, clusters) of the items of each cluster."""
        n, n_units = self.masses.size, self.expected.size
        place = self.stratum * n_units + self.items.members
        parts = [np.bincount(place, weights=x, minlength=n * n_units) for x in (self.worth, *self.influence)]
        by_stratum = np.array(parts, dtype=np.float64).reshape(-1, n, n_units).swapaxes(0, 1)
        return by_stratum.reshape(-1, n_units)

    @cached_property
    def totals(self) -> tuple[FloatArray, FloatArray]:
        """The sums over all units that were seen, and their covariance as the weights vary."""
        n_sums = self.masses.size * (1 + len(self.centre))
        whole, covariance = np.zeros(n_sums), np.zeros((n_sums, n_sums))
        for start, sums in self.chunks():
            seen = sums[:, : max(self.n_seen - start, 0)]
            whole += seen.sum(axis=1)
            covariance += np.einsum("in,jn->ij", seen, seen)
        return whole, covariance

    def alone(self) -> IntArray:
        """Return the units that are drawn one by one: those seen that move the sums most, and those imagined."""
        asked = len(self.totals[0]) - self.n_beside
        root = _root(self.totals[1][:asked, :asked])
        free = root.diagonal() > 0
        turn = np.linalg.inv(root + np.diag(~free)) * free[:, np.newaxis]
        # How far a unit lies out, whatever combination of the sums is asked for: a score, or any difference.
        leverage = [(np.einsum("ij,jn->in", turn, sums[:asked]) ** 2).sum(axis=0) for _, sums in self.chunks()]
        seen = np.concatenate(leverage)[: self.n_seen]
        least = max(seen.size - ONE_BY_ONE, 0)
        first = np.argpartition(seen, least)[least:] if least else np.arange(seen.size)
        return np.asarray(np.concatenate([np.sort(first), np.arange(self.n_seen, self.expected.size)]), dtype=np.int64)

    def posterior(self) -> InfluencePosterior:
        """Return the posterior of the metric."""
        units = self.alone()
        n_seen = int((units < self.n_seen).sum())
        parts = []
        for start, sums in self.chunks():
            here = units[(units >= start) & (units < start + sums.shape[1])]
            parts.append(sums[:, here - start])
        alone = np.concatenate(parts, axis=1)
        first, (whole, covariance) = alone[:, :n_seen], self.totals
        rest = covariance - np.einsum("in,jn->ij", first, first)
        return InfluencePosterior(
            alone=alone,
            shapes=self.expected[units],
            n_seen=n_seen,
            mean=whole - first.sum(axis=1),
            root=_root(rest, covariance.diagonal()),
            masses=self.masses,
            tilt=self.tilt,
            centre=self.centre,
            n_beside=self.n_beside,
        )

    def spread(self, contrasts: FloatArray) -> FloatArray:
        """Return the standard deviations of combinations (n, K) of the systems' values."""
        n_systems = len(self.centre)
        by_sum = np.concatenate([np.column_stack([t, np.eye(n_systems)]) for t in (self.tilt / self.masses).T], axis=1)
        covariance = self.totals[1].copy()
        for start, sums in self.chunks():
            fresh = slice(max(self.n_seen - start, 0), None)
            shapes = self.expected[start : start + sums.shape[1]][fresh]
            covariance += np.einsum("in,jn,n->ij", sums[:, fresh], sums[:, fresh], shapes)
        turned = contrasts @ by_sum
        variances: FloatArray = np.einsum("ci,ij,cj->c", turned, covariance, turned)
        return np.asarray(np.sqrt(variances.clip(min=0.0)))

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return the sums (sums, 1) by the weights of all units."""
        own = weights if self.items.cluster is None else weights[self.items.cluster]
        parts = [np.bincount(self.stratum, weights=own * x, minlength=self.masses.size) for x in self._columns]
        return np.array(parts, dtype=np.float64).T.reshape(-1, 1)

    @property
    def _columns(self) -> Iterator[FloatArray]:
        yield self.worth
        yield from self.influence


def by_influence(weights: ItemWeights, metric: ScoreMetric) -> InfluencePosterior | None:
    """Return the posterior of a metric by its influence values; None where it is not close to its first order."""
    smooth = metric.smooth(weights.items)
    if smooth is None:
        return None
    by_class = metric.ranks and weights.items.n_labels == BINARY
    first = FirstOrder.of(weights, smooth, by_class=by_class, n_beside=metric.n_beside)
    posterior = first.posterior()
    if not metric.ranks:  # a mean is what its first order says
        return posterior
    left = _left_by(first, posterior, weights, smooth)
    return None if left is None else replace(posterior, centre=posterior.centre + left)


def _left_by(
    first: FirstOrder, posterior: InfluencePosterior, weights: ItemWeights, smooth: Sequence[Smooth]
) -> FloatArray | None:
    """Return what the first order leaves of each system's value on average; None where that varies too much.

    Some exact draws tell, by the same weights: as many as it takes to know their mean, and at least as many as are
    cheap.
    """
    n = len(smooth)
    pairs = [np.eye(n)[i] - np.eye(n)[j] for i, j in combinations(range(n), 2)]
    contrasts = np.concatenate([np.eye(n), np.reshape(pairs, (-1, n))])
    spread = first.spread(contrasts) + _ROUNDING * np.abs(first.centre).max()
    alone = weights.items.cluster is None and weights.items.weight is None
    if alone and (np.abs(contrasts) @ [metric.rest for metric in smooth] <= _CLOSE * spread).all():
        return np.zeros(n)
    fewest = min(max(CHECKED_ITEMS // weights.items.n_items, FEWEST_CHECKS), ENOUGH_CHECKS)
    left: list[FloatArray] = []
    for check in range(MOST_CHECKS):
        drawn = weights.block(generator(0, streams.CHECKED, check), 1).weights[:, 0]
        mass = _item_masses(weights.items, drawn)
        exact = np.array([metric.value(mass) for metric in smooth])
        left.append(exact - posterior.value(first.sums(drawn))[:, 0])
        if check + 1 < fewest:
            continue
        varies = (contrasts @ np.array(left).T).std(axis=1, ddof=1) / spread
        if (varies > 2 * MAX_REST).any():
            return None
        if (varies <= _CLOSE * math.sqrt(check + 1)).all():
            break
    return None if (varies > MAX_REST).any() else np.mean(left, axis=0)


def _item_masses(items: ItemScores, weights: FloatArray) -> FloatArray:
    """Return what items weigh, by the weights of their units."""
    own = weights if items.cluster is None else np.asarray(weights[items.cluster])
    return own if items.weight is None else own * items.weight


def _root(covariance: FloatArray, scale: FloatArray | None = None) -> FloatArray:
    """Return the lower triangle whose square a covariance is; a row that the rows above it determine adds nothing.

    What is small beside `scale`, by default the variances themselves, is rounding.

    Examples
    --------
    >>> _root(np.array([[4.0, 2.0], [2.0, 1.0]])).tolist()
    [[2.0, 0.0], [1.0, 0.0]]
    """
    root = np.zeros_like(covariance)
    scale = covariance.diagonal() if scale is None else scale
    for j in range(len(root)):
        rest = covariance[j:, j] - (root[j:, :j] * root[j, :j]).sum(axis=1)
        if rest[0] > _ROUNDING * scale[j]:
            root[j:, j] = rest / math.sqrt(rest[0])
    return root


_kept: WeakKeyDictionary[ItemScores, dict[Any, Posterior]] = WeakKeyDictionary()


def is_large(data: Any, *, exact: bool | None) -> bool:
    """Whether a metric of data is to be taken by its influence values: of many scores, or as `exact` asks for it."""
    if not isinstance(data, ItemScores) or not data.n_items:
        return False
    return data.n_items >= LARGE if exact is None else not exact


def posterior_of(model: Model, data: Any, metric: Any, *, exact: bool | None) -> Posterior:
    """Return the posterior of data, for a metric where they are many scores; one that was made is kept."""
    if not is_large(data, exact=exact):
        return model.fit(data)
    kept = _kept.setdefault(data, {})
    if (model, metric) not in kept:
        weights = model.fit(data)
        found = by_influence(weights, metric) if isinstance(weights, ItemWeights) else None
        kept[model, metric] = weights if found is None else found
    return kept[model, metric]


def posterior_under(other: Model, model: Model, data: Any, metric: Any, *, exact: bool | None) -> Posterior:
    """Return the posterior of data under another model than `model`: one that differs in the mass of its prior alone.

    Sums that were found under the one serve under the other.
    """
    if isinstance(model, Items) and isinstance(other, Items) and is_large(data, exact=exact):
        found = posterior_of(model, data, metric, exact=exact)
        if isinstance(found, InfluencePosterior):
            return found.scaled(other.mass / model.mass)
    return other.fit(data)
