"""Masses of outcome types, spread over labels by sticks, and summed without writing out every classifier's label.

A stick of a type has one label for all classifiers that are wrong alike. So its weight is summed once for them, by that
label, and the sums are handed out to those classifiers in the end: there are far fewer sets of classifiers than sticks.
A classifier that is right has the true label, whatever the sticks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from ropewalk.metrics.margins import Sums, sum_by
from ropewalk.models.cells import write_codes
from ropewalk.typing import CodeArray, FloatArray, IntArray

MAX_SUMS: Final = 2_000_000
"""So many sums of sets of classifiers are kept at a time; rarer sets are summed for each classifier by itself."""

_MAX_CLASSIFIERS_IN_SET: Final = 62  # bits of a number


class Owners(NamedTuple):
    """What is spread, one entry per type of a class and draw: its row of `patterns`, true class, draw and mass.

    The first `listed` patterns are of types that all draws have, one after the other, and each other one has one entry.
    """

    listed: int
    patterns: IntArray
    pattern: IntArray
    truth: CodeArray
    draw: IntArray
    mass: FloatArray


@dataclass(frozen=True, eq=False)
class SpreadTypes:
    """Sticks of the masses of outcome types: stick i has the length `weights[i]` and is of `owner[i]`.

    `labels` are the different wrong labels of the sticks, as `draw_labels` returns them.
    """

    owners: Owners
    owner: IntArray
    weights: FloatArray
    labels: Sequence[tuple[IntArray | None, CodeArray]]

    @property
    def codes(self) -> CodeArray:
        """The cell of each stick, (1+K, sticks)."""
        _, patterns, pattern, truth, _, _ = self.owners
        return write_codes(truth.take(self.owner), patterns, pattern.take(self.owner), self.labels)

    @cached_property
    def draw(self) -> IntArray:
        """The draw of each stick."""
        return self.owners.draw.take(self.owner)

    def by_truth(self, shape: tuple[int, int]) -> FloatArray:
        """Return the weights summed by true class and draw, as `shape`."""
        _, _, _, truth, draw, mass = self.owners
        return sum_by(truth * np.intp(shape[1]) + draw, mass, shape)

    def add_to(self, tp: FloatArray, col: FloatArray) -> None:
        """Add the weights to those of right predictions and of all predictions, (K, M, D) each."""
        right = self._right(tp.shape)
        tp += right
        col += right
        col += self._wrong(tp.shape)

    def _right(self, shape: tuple[int, ...]) -> FloatArray:
        """Sum the masses of the types in which a classifier is right, by class and draw: (K, M, D)."""
        n_classifiers, n_labels, n_draws = shape
        listed, patterns, _, truth, draw, mass = self.owners
        kind, classifier = np.nonzero(patterns[:listed] == 0)
        to = classifier * n_labels + truth[: listed * n_draws : n_draws].take(kind)
        dense = mass[: listed * n_draws].reshape(listed, n_draws)
        right = (Sums(to, kind, (n_classifiers * n_labels, listed)) @ dense).reshape(shape)
        rest = slice(listed * n_draws, None)
        place = truth[rest] * np.intp(n_draws) + draw[rest]
        if place.size:
            for k, column in enumerate(_by_column(patterns[listed:])):
                some = np.flatnonzero(column == 0)
                right[k] += sum_by(place.take(some), mass[rest].take(some), shape[1:])
        return right

    def _wrong(self, shape: tuple[int, ...]) -> FloatArray:
        """Sum the sticks on the labels that classifiers wrongly have, by label and draw: (K, M, D)."""
        n_classifiers, n_labels, n_draws = shape
        size = n_labels * n_draws
        if not self.labels:  # nobody is wrong
            return np.zeros(shape)
        members, rows = self._sets(max(MAX_SUMS // size, 1))
        first, *deeper = (
            self._of_block(some, label, (row * size).take(self.owners.pattern) + self.owners.draw, n_draws)
            for (some, label), row in zip(self.labels, rows, strict=True)
        )
        # One row more takes the sticks of sets that are too rare for a row of their own.
        sums = sum_by(first.place, first.weights, (len(members) + 1, size))
        if deeper:
            places, weights = (np.concatenate(parts) for parts in zip(*[d[:2] for d in deeper], strict=True))
            sums += sum_by(places, weights, sums.shape)
        of_set, classifier = np.nonzero(members)
        total = Sums(classifier, of_set, (n_classifiers, len(members))) @ sums[:-1]
        if any((row == len(members)).any() for row in rows):
            columns = _by_column(self.owners.patterns)
            for block, part in enumerate((first, *deeper), start=1):
                rare = np.flatnonzero(part.place >= len(members) * size)
                kind = self.owners.pattern.take(part.owner.take(rare))
                for k, column in enumerate(columns):
                    here = rare.take(np.flatnonzero(column.take(kind) == block))
                    total[k] += sum_by(part.place.take(here) - len(members) * size, part.weights.take(here), (size,))
        return np.asarray(total).reshape(shape)

    def _of_block(self, some: IntArray | None, label: CodeArray, start: IntArray, n_draws: int) -> _Placed:
        """Return the sticks that have a label, their places counted on from the `start` of their owners."""
        owner, weights = self.owner, self.weights
        if some is not None:
            owner, weights = owner.take(some), weights.take(some)
        place = label * np.intp(n_draws)
        place += start.take(owner)
        return _Placed(place, weights, owner)

    def _sets(self, most: int) -> tuple[np.ndarray, list[IntArray]]:
        """Return which classifiers have a wrong label together, (sets, K): all such sets, or the `most` frequent ones.

        For the first, second, … wrong label also which of them every type has: the number of sets if it has another.
        """
        listed, patterns = self.owners.listed, self.owners.patterns
        n_classifiers, depth = patterns.shape[1], len(self.labels)
        if n_classifiers > _MAX_CLASSIFIERS_IN_SET:
            return np.zeros((0, n_classifiers), dtype=bool), [np.zeros(len(patterns), dtype=np.int64)] * depth
        columns = _by_column(patterns)
        masks = np.zeros((depth, len(patterns)), dtype=np.int64)
        for block in range(depth):
            for k, column in enumerate(columns):
                masks[block] += (column == block + 1) * np.int64(1 << k)
        if 1 << n_classifiers <= most:
            kept, rows = np.arange(1 << n_classifiers), masks
        else:  # those of types that all draws have
            kept, times = np.unique(masks[:, :listed], return_counts=True)
            kept = np.sort(kept[np.argsort(-times, kind="stable")[:most]])
            rows = np.searchsorted(kept, masks)
            rows[np.append(kept, -1).take(rows) != masks] = len(kept)
        return (kept[:, np.newaxis] >> np.arange(n_classifiers)) & 1 == 1, list(rows)


class _Placed(NamedTuple):
    """Sticks: their places in the sums, lengths and owners."""

    place: IntArray
    weights: FloatArray
    owner: IntArray


def _by_column(patterns: IntArray) -> IntArray:
    """Return the patterns with a contiguous row per classifier, in few bytes."""
    return np.ascontiguousarray(patterns.T.astype(np.int16))
