"""Cells of tables: outcome types (who is right, and which of the wrong ones agree), and sticks of prior mass.

A type is written as a pattern of K numbers: 0 for a right prediction, and 1, 2, … for the wrong ones, equal
numbers for equal predictions, numbered in the order of their first appearance. Two classifiers have five types: (0, 0)
both right, (0, 1) only A, (1, 0) only B, (1, 1) both wrong alike, (1, 2) both wrong differently.

Sethuraman's sticks split prior mass over more cells than one would care to list, exactly. A Dirichlet(a·w) with weights
w that sum to 1 is Σ V_i Π_{l<i} (1 − V_l) δ(cell i), V_i ~ Beta(1, a), cells drawn independently from w, repeats
allowed. And Dirichlet(counts + a·w) = B·Dirichlet(counts) + (1 − B)·Dirichlet(a·w) with B ~ Beta(Σ counts, a). So the
observed cells need their counts alone, the prior a few sticks, and the cost does not grow with the number of cells that
nobody ever saw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np

from ropewalk.draws.blocks import GammaRows
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Sums
from ropewalk.typing import CodeArray, FloatArray, IntArray

UNPLACED: Final = 1e-6
"""Stick-breaking stops when less than this share of the whole draw is left; the last stick takes the rest."""

_UNPLACED_IN_CLASS: Final = 10.0  # and less than so many times this share of the class, however rare it is
_MAX_MASS: Final = 50.0

SMALLEST_SHARE: Final = 1e-250
"""A share that underflows to 0 would take what happens within its class with it."""


@dataclass(frozen=True)
class CountedCells:
    """Observed cells in groups, each group with a Dirichlet(counts + prior), ordered by count."""

    codes: CodeArray
    group: IntArray
    n_groups: int
    gammas: GammaRows

    @classmethod
    def of(cls, codes: CodeArray, counts: IntArray, group: IntArray, n_groups: int) -> CountedCells:
        """Order the cells by count, so that those of one count are drawn together."""
        order = np.argsort(counts, kind="stable")
        return cls(codes[order], group[order], n_groups, GammaRows.of(counts[order].astype(np.float64)))

    @cached_property
    def _by_group(self) -> Sums:
        return Sums(self.group, np.arange(len(self.group)), (self.n_groups, len(self.group)))

    def draw(
        self, rng: np.random.Generator, masses: FloatArray, prior: float | FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Split each group's mass (G, D) over its cells; return their weights (C, D) and what is beside them (G, D).

        Beside them lies the part of a prior of total mass `prior`, or (D,) of them, still to be broken into sticks.
        """
        weights = self.gammas.draw(rng, masses.shape[1])
        beside = np.maximum(rng.standard_gamma(prior, masses.shape), SMALLEST_SHARE)
        scale = masses / (self._by_group @ weights + beside)
        weights *= scale.take(self.group, axis=0)  # unlike an index, take lets other threads run
        beside *= scale
        return weights, beside


def check_sticks(mass: float, name: str) -> None:
    """Refuse a prior mass that would break into thousands of sticks: about 14 for every pseudo-item."""
    if mass > _MAX_MASS:
        raise InvalidInputError(
            f"`{name}` must be at most {_MAX_MASS:g} pseudo-items here; got {mass:g}.",
            hint="a prior so heavy would drown the data, and take for ever to draw.",
        )


def break_sticks(
    rng: np.random.Generator,
    mass: FloatArray,
    concentration: float | FloatArray,
    classes: FloatArray,
    unplaced: float = UNPLACED,
) -> tuple[IntArray, FloatArray]:
    """Break each `mass` into sticks; return which mass every stick is of, and its length.

    Every mass has at least one stick, and the sticks of a mass add up to it. `classes` are the shares of the classes
    that the masses are of: the end of the last stick must be small beside them too. It is less than `unplaced`.

    Examples
    --------
    >>> mass = np.array([0.3, 0.7])
    >>> of, length = break_sticks(np.random.default_rng(0), mass, 1.0, mass)
    >>> bool(np.allclose(np.bincount(of, length), [0.3, 0.7]))
    True
    """
    active = np.arange(mass.size)
    left, floor = mass, np.minimum(_UNPLACED_IN_CLASS * unplaced * classes, unplaced)
    power = 1.0 / np.asarray(concentration, dtype=np.float64)
    if power.ndim and (power == 1.0).all():  # to raise to the power of 1 takes as long as all else here
        power = np.ones(())
    owners, lengths = [], []
    while active.size:
        rest = rng.random(active.size)
        if power.ndim or power != 1.0:
            rest **= power
        rest *= left  # 1 − V ~ U^(1/a) stays, V goes to the stick
        again = rest > floor
        keep = np.flatnonzero(again)
        remaining = rest.take(keep)
        rest *= again
        owners.append(active)
        lengths.append(np.subtract(left, rest, out=rest))  # the last stick takes all
        active, left, floor = active.take(keep), remaining, floor.take(keep)
        if power.ndim:
            power = power.take(keep)
    if not owners:
        return np.zeros(0, dtype=np.int64), np.zeros(0)
    return np.concatenate(owners), np.concatenate(lengths)


def patterns_of(codes: CodeArray) -> IntArray:
    """Return the type of every row (truth, prediction 1, …, prediction K), as an array (rows, K).

    Examples
    --------
    >>> patterns_of(np.array([[7, 7, 3], [7, 3, 3], [7, 3, 5]], dtype=np.int32)).tolist()
    [[0, 1], [1, 1], [1, 2]]
    """
    n_rows, width = codes.shape
    numbers = np.zeros((n_rows, width), dtype=np.int64)
    used = np.zeros(n_rows, dtype=np.int64)
    for k in range(1, width):
        fresh = np.ones(n_rows, dtype=bool)
        for earlier in range(k):
            same = fresh & (codes[:, k] == codes[:, earlier])
            numbers[same, k] = numbers[same, earlier]
            fresh &= ~same
        used[fresh] += 1
        numbers[fresh, k] = used[fresh]
    return numbers[:, 1:]


def all_patterns(n_classifiers: int, n_labels: int) -> IntArray:
    """Return every type that can occur: set partitions, with at most M − 1 different wrong labels.

    Examples
    --------
    >>> all_patterns(2, 3).tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2]]
    """
    patterns: list[tuple[int, ...]] = [()]
    for _ in range(n_classifiers):
        patterns = [(*p, r) for p in patterns for r in range(max(p, default=0) + 2) if r < n_labels]
    return np.array(patterns, dtype=np.int64)


def n_types(n_classifiers: int, n_labels: int) -> int:
    """Count the types without listing them: partitions of the truth and K predictions into at most M labels.

    Examples
    --------
    >>> n_types(1, 20), n_types(2, 20), n_types(4, 20), n_types(2, 2)
    (2, 5, 52, 4)
    """
    return sum(_stirling(n_classifiers + 1, lambda _, blocks: blocks)[: n_labels + 1])


def _stirling(n: int, ways_to_join: Callable[[int, int], int]) -> list[int]:
    """Return how often n things form 0, 1, … n groups, if the next of i things can join b groups in so many ways.

    In b ways these are Stirling numbers of the second kind, and in i ways the unsigned ones of the first kind.
    """
    row = [1]
    for i in range(n):
        pairs = zip([*row, 0], [0, *row], strict=True)
        row = [ways_to_join(i, b) * same + fewer for b, (same, fewer) in enumerate(pairs)]
    return row


def base_weights(patterns: IntArray, n_labels: int) -> FloatArray:
    """Return the prior weight of each type: 2^−K for who is right, Ewens(1) for how the wrong ones agree.

    Ewens(1) gives a partition of w wrong ones Π (size − 1)! / w!, renormalised, for that set of wrong ones, over
    the partitions into at most M − 1 labels.

    Examples
    --------
    >>> base_weights(all_patterns(2, 3), 3).tolist()
    [0.25, 0.25, 0.25, 0.125, 0.125]
    """
    return np.array([part / whole for part, whole in _fractions(patterns, n_labels)])


def log_base_weights(patterns: IntArray, n_labels: int) -> FloatArray:
    """Return the logarithms of the base weights, which are finite however many classifiers there are.

    Examples
    --------
    >>> np.exp2(log_base_weights(all_patterns(2, 3), 3) / np.log(2)).round(3).tolist()
    [0.25, 0.25, 0.25, 0.125, 0.125]
    """
    return np.array([math.log(part) - math.log(whole) for part, whole in _fractions(patterns, n_labels)])


def _fractions(patterns: IntArray, n_labels: int) -> Iterator[tuple[int, int]]:
    """Yield the base weights as fractions of whole numbers, since factorials are soon too large for a float."""
    for pattern in patterns.tolist():
        if n_labels == 1:  # nobody can be wrong
            yield 1, 1
            continue
        sizes = [pattern.count(block) for block in range(1, max(pattern, default=0) + 1)]
        orders = math.prod(math.factorial(size - 1) for size in sizes)
        yield orders, _permutations(sum(sizes), n_labels - 1) << len(pattern)


@lru_cache(maxsize=1024)
def _permutations(n: int, most_cycles: int) -> int:
    """How many permutations of n things have at most so many cycles: n! if that is no bound."""
    return sum(_stirling(n, lambda i, _: i)[: most_cycles + 1])


def seat_wrong(rng: np.random.Generator, wrong: np.ndarray, n_labels: int) -> IntArray:
    """Draw types given who is wrong (n, K): how those agree comes from a Chinese restaurant."""
    if n_labels <= 2:  # noqa: PLR2004 - all who are wrong say the same, if there is anything wrong to say
        return (wrong & (n_labels > 1)).astype(np.int64)
    patterns = _seat(rng, wrong)
    if wrong.shape[1] < n_labels:
        return patterns
    todo = np.flatnonzero(depths_of(patterns) >= n_labels)
    while todo.size:  # more wrong labels than there are: seat them again
        patterns[todo] = _seat(rng, wrong[todo])
        todo = todo[depths_of(patterns[todo]) >= n_labels]
    return patterns


def _seat(rng: np.random.Generator, wrong: np.ndarray) -> IntArray:
    """Seat the wrong ones in order: each joins the table of an earlier one, or opens a table, all equally likely."""
    n_rows, width = wrong.shape
    tables = np.zeros((width, n_rows), dtype=np.int64)
    seated = np.zeros((width, n_rows), dtype=np.int64)  # the table of the i-th wrong one
    guests, opened = np.zeros(n_rows, dtype=np.int64), np.zeros(n_rows, dtype=np.int64)
    for k, table in enumerate(tables):
        rows = np.flatnonzero(wrong[:, k])
        before = guests.take(rows)
        late = np.flatnonzero(before)  # the first one has no choice
        taken = np.ones(rows.size, dtype=np.int64)
        if late.size:
            row, guest = rows.take(late), before.take(late)
            choice = rng.integers(0, guest + 1)
            new = opened.take(row) + 1
            taken[late] = np.where(choice == guest, new, seated[np.minimum(choice, width - 1), row])
        table[rows] = taken
        seated[before, rows] = taken
        opened[rows] = np.maximum(opened.take(rows), taken)
        guests[rows] = before + 1
    return tables.T


def keys_of(patterns: IntArray) -> IntArray:
    """Return a number for each type, the same for the same type.

    Up to 13 classifiers no two types share one; beyond, it is a hash of 64 bits with an odd base.
    """
    width = patterns.shape[1]
    powers = np.cumprod(np.full(width, 2 * width + 3, dtype=np.uint64))
    keys = np.zeros(len(patterns), dtype=np.uint64)
    for column, power in zip(patterns.T, powers, strict=True):  # a sum of so few columns is far slower row by row
        keys += column.astype(np.uint64) * power
    return keys.view(np.int64)


def draw_labels(
    rng: np.random.Generator, truth: CodeArray, depth: np.ndarray, n_labels: int
) -> list[tuple[IntArray | None, CodeArray]]:
    """Draw so many different wrong labels for every outcome, all equally likely.

    The b-th pair has which outcomes have a b-th label (None: all), and those labels.

    Examples
    --------
    >>> truth, depth = np.zeros(3, dtype=np.int32), np.array([1, 2, 1])
    >>> (_, first), (where, second) = draw_labels(np.random.default_rng(0), truth, depth, 3)
    >>> where.tolist(), sorted((int(first[1]), int(second[0])))
    ([1], [1, 2])
    """
    drawn: list[tuple[IntArray | None, CodeArray]] = []
    taken: list[CodeArray] = []  # the labels in use, ascending in every outcome
    todo, label = None, truth
    for block in range(1, int(depth.max(initial=0)) + 1):
        if depth.min() < block:
            deep = np.flatnonzero(depth >= block)
            todo = deep if todo is None else todo.take(deep)
            depth, label, taken = depth.take(deep), label.take(deep), [labels.take(deep) for labels in taken]
        taken = _insert(taken, label)
        # One of the labels not in use yet, counted past those that are.
        label = rng.integers(0, n_labels - block, depth.size, dtype=np.int32)
        for other in taken:
            label += label >= other
        drawn.append((todo, label))
    return drawn


def place_labels(
    rng: np.random.Generator, truth: CodeArray, patterns: IntArray, which: IntArray, n_labels: int
) -> CodeArray:
    """Draw labels for outcomes of the types `patterns[which]`, all fitting ones equally likely; codes (1+K, n)."""
    labels = draw_labels(rng, truth, depths_of(patterns).take(which), n_labels)
    return write_codes(truth, patterns, which, labels)


def write_codes(
    truth: CodeArray, patterns: IntArray, which: IntArray, labels: Sequence[tuple[IntArray | None, CodeArray]]
) -> CodeArray:
    """Write out outcomes of the types `patterns[which]`, whose different wrong labels were drawn; codes (1+K, n)."""
    kinds = np.ascontiguousarray(patterns.T.astype(np.int16))
    codes = np.empty((1 + len(kinds), truth.size), dtype=np.int32)
    codes[:] = truth
    for block, (todo, label) in enumerate(labels, start=1):
        kind_of = which if todo is None else which.take(todo)
        for code, kind in zip(codes[1:], kinds, strict=True):
            here = kind.take(kind_of) == block
            if todo is None:
                np.copyto(code, label, where=here)
            else:
                code[todo[here]] = label[here]
    return codes


def depths_of(patterns: IntArray) -> np.ndarray:
    """Return how many different wrong labels every type has."""
    depths = np.zeros(len(patterns), dtype=np.int16)
    for column in patterns.T:  # the maximum of so few columns is far slower row by row
        np.maximum(depths, column, out=depths, casting="unsafe")
    return depths


def _insert(ascending: list[CodeArray], label: CodeArray) -> list[CodeArray]:
    """Return the rows with one more, ascending in every column."""
    smaller = []
    for other in ascending:
        smaller.append(np.minimum(other, label))
        label = np.maximum(other, label)
    return [*smaller, label]
