"""Settings chosen to break us: what is simulated, what is asked, and how the first version was asked.

A case draws a data set whose true difference is known and puts a question to it. `before` are the options that ask as
the first version did by default: models that had no prior, or the papers'. Run this file to print the table of all
cases, now and before:

    python tests/cases.py [repetitions] [name ...]
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
from scipy import stats

import ropewalk as rw
from ropewalk.draws.decision import decide
from ropewalk.draws.intervals import Interval
from ropewalk.metrics import Cells, Weighted, parse_metric

DRAWS = 2_000
SEEDS = 8  # draws of the prior are kept for each
STRICT, LOOSE = 0.93, 0.91


@dataclass(frozen=True)
class Case:
    """What is simulated and asked. `make(rng)` gives the data and the true difference.

    Where there are 30 items in the smallest class (or 30 effective clusters) intervals must cover 93%, else 91%.
    """

    name: str
    make: Callable[[np.random.Generator], tuple[tuple[Any, ...], float]]
    options: Mapping[str, Any]
    before: Mapping[str, Any]
    bound: float = STRICT
    rope: float = 0.01
    own: bool = False
    ranked: bool = False  # asked of a ranking, the first two of its systems
    tags: tuple[str, ...] = field(default=())


@dataclass(frozen=True)
class Figures:
    """What came of repetitions: shares of all of them, but for the width."""

    repetitions: int
    covered: float
    missed_with_verdict: float
    no_verdict: float
    wrong_better: float
    wrong_worse: float
    wrong_equal: float
    width: float

    @property
    def holds(self) -> float:
        """How often an interval that came with a verdict held the truth; 1 where none came with one."""
        given = 1 - self.no_verdict
        return 1.0 if given <= 0 else 1 - self.missed_with_verdict / given


def run(case: Case, repetitions: int, options: Mapping[str, Any], *, first: bool = False, seed: int = 1) -> Figures:
    """Ask the question of a case about so many data sets; the same data sets whatever the options."""
    rng = np.random.default_rng([seed, sum(map(ord, case.name))])
    verb = rw.evaluate if case.own else rw.rank if case.ranked else rw.compare
    rows = []
    for number in range(repetitions):
        data, truth = case.make(rng)
        ropes = {} if case.own else {"rope": case.rope}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = verb(*data, draws=DRAWS, rng=number % SEEDS, **ropes, **options)
        if case.own:
            interval, decision = answer.metrics[0].estimate.hdi, "none asked for"
        else:
            judged = answer.pair(*data[0].names[:2]) if case.ranked else answer
            interval, decision = judged.delta.hdi, judged.decision
        held = interval.low - 1e-12 <= truth <= interval.high + 1e-12
        symbol = decision.symbol if hasattr(decision, "symbol") else ""
        if first and not case.own:  # the first version judged whatever it drew
            high = answer.recipe.metric.higher_is_better
            symbol = decide(interval if high else interval.mirrored(), Interval(-case.rope, case.rope)).value
            decision = symbol
        up = truth if case.own or answer.recipe.metric.higher_is_better else -truth
        rows.append(
            (
                held,
                not held and decision is not None,
                decision is None,
                symbol == "≫" and up <= case.rope,
                symbol == "≪" and up >= -case.rope,
                symbol == "≈" and abs(up) > case.rope,
                interval.high - interval.low,
            )
        )
    return Figures(repetitions, *np.mean(np.array(rows, dtype=float), axis=0).tolist())


# -- two labels ----------------------------------------------------------------------------------------------


def score_of(metric, table):
    """Return a metric of a table of probabilities (truth, A, B), both classifiers."""
    codes = np.argwhere(table > 0).astype(np.int32)
    chosen = parse_metric(metric)
    chosen = chosen.at(len(table) - 1)
    return chosen(Weighted(Cells(codes, len(table)), table[table > 0][:, np.newaxis]))[:, 0]


def two_labels(n_items, prevalence, right_a, right_b, agreement, metric="f1", **how):
    """Two classifiers of two labels, right so often; with probability `agreement` an item is as hard for both."""
    table = np.zeros((2, 2, 2))
    for y, share in ((0, 1 - prevalence), (1, prevalence)):
        for a, b in np.ndindex(2, 2):
            p, q = (right_a if a == y else 1 - right_a), (right_b if b == y else 1 - right_b)
            alike = {
                (True, True): min(right_a, right_b),
                (False, False): 1 - max(right_a, right_b),
                (True, False): max(right_a - right_b, 0),
                (False, True): max(right_b - right_a, 0),
            }[a == y, b == y]
            table[y, a, b] = share * (agreement * alike + (1 - agreement) * p * q)
    return from_table(n_items, table, metric, **how)


def near_copies(n_items, prevalence, right, flips, metric="f1", **how):
    """B, and A which is the same but for so many positives, and negatives, that it gets wrong, on average."""
    table = np.zeros((2, 2, 2))
    for y, share in ((0, 1 - prevalence), (1, prevalence)):
        lost = flips / (n_items * prevalence)
        table[y, y, y] = share * right * (1 - lost)
        table[y, 1 - y, y] = share * right * lost
        table[y, 1 - y, 1 - y] = share * (1 - right)
    return from_table(n_items, table, metric, **how)


def from_table(n_items, table, metric, *, own=False, keep=2, annotated=lambda table, rng: table):
    """Items from a table of probabilities; what annotators made of their true classes may be `annotated`."""
    psi = score_of(metric, table)
    cells = np.argwhere(table >= 0)

    def make(rng):
        seen = annotated(table, rng)
        counts = rng.multinomial(n_items, seen.reshape(-1) / seen.sum())
        rows = np.repeat(cells, counts, axis=0).T
        labels = list(range(len(table)))
        data = (
            rw.Outcomes.from_arrays(*rows[: 1 + keep], labels=labels)
            if own
            else rw.Outcomes.from_arrays(*rows, labels=labels)
        )
        return (data,), float(psi[0]) if own else float(psi[0] - psi[1])

    return make


ACCURACY = {"metric": "accuracy"}
SIGIR = {"model": "sigir2016"}
BINARY = [
    Case(
        f"near-copies, {metric}, N = {n}, {prevalence:g} positive, {flips} flips",
        near_copies(n, prevalence, right, flips, metric), {"metric": metric}, SIGIR, rope=0.005,
    )
    for metric, n, prevalence, right, flips in (
        ("f1", 100, 0.5, 0.85, 1), ("f1", 100, 0.5, 0.99, 3), ("f1", 1_000, 0.1, 0.99, 1),
        ("accuracy", 300, 0.5, 0.99, 2), ("recall", 100, 0.5, 0.85, 2), ("recall", 1_000, 0.1, 0.99, 3),
    )
]  # fmt: skip


def flipped(positives, negatives, right, flips, metric):
    """Both right so often; `flips` are how often A alone errs, B alone errs, on positives, and then on negatives."""
    table = np.zeros((2, 2, 2))
    n_items = positives + negatives
    for y, n, (a, b) in ((1, positives, flips[:2]), (0, negatives, flips[2:])):
        table[y, y, y], table[y, 1 - y, y] = n / n_items * (right - a - b), n / n_items * a
        table[y, y, 1 - y], table[y, 1 - y, 1 - y] = n / n_items * b, n / n_items * (1 - right)
    return from_table(n_items, table, metric)


ONE_CLASS = ("recall", "precision", "balanced_accuracy", "fbeta(2)", "f1")
BINARY += [
    Case(
        f"hardly differ, {metric}, {n} of {n + others} positive, A errs alone {flips[0]:g}, B {flips[1]:g}",
        flipped(n, others, right, flips, metric), {"metric": metric}, SIGIR,
        bound=STRICT if n >= 30 else LOOSE, rope=rope,
    )
    for n, others, right, flips, rope in (
        (20, 400, 0.8, (0.0, 0.1, 0.0, 0.01), 0.02), (40, 400, 0.9, (0.0, 0.05, 0.002, 0.0), 0.02),
        (100, 1_000, 0.85, (0.0, 0.02, 0.0, 0.002), 0.01), (100, 900, 0.99, (0.02, 0.0, 0.002, 0.0), 0.01),
    )
    for metric in ONE_CLASS
]  # fmt: skip
BINARY += [
    Case(
        f"near-perfect, f1, N = {n}, {prevalence:g} positive, right {right:g}, agreement {agreement:g}",
        two_labels(n, prevalence, right, right - 0.005, agreement), {}, SIGIR,
        bound=STRICT if n * prevalence >= 30 else LOOSE,
    )
    for n, prevalence in ((50, 0.5), (50, 0.1), (1_000, 0.1)) for right in (0.8, 0.99) for agreement in (0.3, 0.9)
]  # fmt: skip
BINARY += [
    Case(
        f"own {metric}, N = {n}, {prevalence:g} positive, right {right:g}",
        two_labels(n, prevalence, right, right, 0.5, metric, own=True, keep=1), {"metric": metric},
        {"model": "sigir2016_unpaired"}, bound=0.9, own=True,
    )
    for metric, n, prevalence, right in (
        ("f1", 50, 0.5, 0.99), ("f1", 1_000, 0.1, 0.99), ("precision", 100, 0.1, 0.9), ("accuracy", 200, 0.5, 0.95),
    )
]  # fmt: skip


def shifted(n_items, prevalence, at, right_a, right_b):
    """The class mix of another place."""
    inner = two_labels(n_items, prevalence, right_a, right_b, 0.5)
    there = two_labels(n_items, at, right_a, right_b, 0.5)
    _, truth = there(np.random.default_rng(0))

    def make(rng):
        return inner(rng)[0], truth

    return make


BINARY += [
    Case("another class mix, f1, N = 300", shifted(300, 0.2, 0.5, 0.85, 0.8), {"prevalence": 0.5}, SIGIR),
    Case("another class mix, f1, N = 1,000", shifted(1_000, 0.5, 0.1, 0.95, 0.93), {"prevalence": 0.1}, SIGIR),
]


@cache
def earlier_model():
    """Return a prior that counts ten earlier items for one."""
    earlier = two_labels(1_000, 0.3, 0.85, 0.8, 0.5)(np.random.default_rng(7))[0][0]
    return rw.models.PowerPrior(rw.models.Tree(), earlier, discount=0.05)


BINARY.append(
    Case(
        "an earlier test set at a twentieth, f1, N = 200", two_labels(200, 0.3, 0.85, 0.8, 0.5),
        {"model": earlier_model()}, SIGIR,
    )
)  # fmt: skip


# -- labels that are wrong now and then ----------------------------------------------------------------------


def noise(miss, alarm=None):
    """Annotators who miss positive items and mark negative ones so often; a pair of pseudo-counts makes both rates."""

    def annotated(table, rng):
        if isinstance(miss, tuple):
            missed = marked = rng.beta(*miss)
        else:
            missed, marked = miss, miss if alarm is None else alarm
        return np.tensordot(np.array([[1 - marked, marked], [missed, 1 - missed]]), table, axes=(0, 0))

    return annotated


def noisy_case(name, error, made, metric, **how):
    """A comparison on labels that are wrong at rates that are known; before, as if they were true."""
    pair = error if isinstance(error, tuple) and error[0] < 1 else (error,)
    model = rw.models.NoisyLabels(error=error)
    return Case(
        f"noisy labels, {name}", made(metric=metric, annotated=noise(*pair)), {"metric": metric, "model": model},
        {"model": "unpaired" if how.get("own") else "paired"}, **how,
    )  # fmt: skip


NOISY = [
    noisy_case(f"{metric}, {error:g} wrong, N = {n:,}", error, partial(two_labels, n, 0.35, 0.85, 0.8, 0.5), metric)
    for metric in ("f1", "accuracy") for n in (300, 1_500) for error in (0.05, 0.15)
]  # fmt: skip
NOISY += [
    noisy_case(
        f"{metric}, {error:g} wrong, near-copies, N = {n:,}, {share:g} positive", error,
        partial(near_copies, n, share, right, flips), metric, rope=0.005,
    )
    for metric, n, share, right, flips in (
        ("f1", 300, 0.5, 0.9, 3), ("f1", 1_500, 0.1, 0.9, 3), ("accuracy", 300, 0.5, 0.9, 3),
        ("accuracy", 1_500, 0.5, 0.99, 3), ("recall", 1_500, 0.1, 0.9, 3),
    )
    for error in (0.05, 0.15)
]  # fmt: skip
NOISY += [
    noisy_case(f"{metric}, {what}, N = {n:,}, {share:g} positive", error,
               partial(two_labels, n, share, 0.85, 0.8, 0.5), metric)
    for metric, what, error, n, share in (
        ("f1", "0.15 wrong", 0.15, 300, 0.1), ("f1", "0.05 wrong", 0.05, 1_500, 0.05),
        ("accuracy", "0.15 wrong", 0.15, 1_500, 0.05), ("f1", "0.3 wrong", 0.3, 1_500, 0.35),
        ("accuracy", "0.4 wrong", 0.4, 300, 0.35), ("f1", "0.4 wrong", 0.4, 1_500, 0.35),
        ("f1", "0.1 missed and 0.02 marked", (0.1, 0.02), 1_500, 0.1),
        ("f1", "Beta(61, 341) wrong", (61, 341), 300, 0.35), ("f1", "Beta(61, 341) wrong", (61, 341), 1_500, 0.35),
        ("accuracy", "Beta(6, 95) wrong", (6, 95), 1_500, 0.35),
    )
]  # fmt: skip
NOISY += [
    noisy_case(f"own {metric}, {error:g} wrong, N = {n:,}", error,
               partial(two_labels, n, 0.35, 0.85, 0.85, 0.5, own=True, keep=1), metric, own=True, bound=0.9)
    for metric, error, n in (("f1", 0.15, 300), ("accuracy", 0.05, 1_500))
]  # fmt: skip


# -- many classes --------------------------------------------------------------------------------------------


def many_classes(n_labels, n_items, recalls_a, recalls_b, agreement, *, zipf=True, beside=()):
    """Classes whose wrong labels have shares 1/rank in an order of their own; `beside` are recalls of more systems."""
    shares = 1 / np.arange(1, n_labels + 1) if zipf else np.ones(n_labels)
    shares = shares / shares.sum()
    recalls = [np.broadcast_to(r, n_labels).astype(float) for r in (recalls_a, recalls_b, *beside)]
    order = np.random.default_rng(1)
    wrong = np.zeros((n_labels, n_labels))
    for j in range(n_labels):
        wrong[j, order.permutation(np.delete(np.arange(n_labels), j))] = 1 / np.arange(1, n_labels)
    wrong /= wrong.sum(axis=1, keepdims=True)
    psi = []
    for r in recalls[:2]:
        confusion = shares[:, np.newaxis] * (np.diag(r) + (1 - r)[:, np.newaxis] * wrong)
        psi.append((2 * np.diag(confusion) / (confusion.sum(axis=0) + confusion.sum(axis=1))).mean())
    below = wrong.cumsum(axis=1)

    def make(rng):
        y = rng.choice(n_labels, n_items, p=shares)
        same = rng.random(n_items) < agreement
        first, said = rng.random((len(recalls), n_items)), rng.random((len(recalls), n_items))
        first[1:], said[1:] = np.where(same, first[0], first[1:]), np.where(same, said[0], said[1:])
        answers = []
        for k, r in enumerate(recalls):
            label = (said[k][:, np.newaxis] > below[y]).sum(axis=1).clip(0, n_labels - 1)
            answers.append(np.where(first[k] < r[y], y, label))
        return (rw.Outcomes.from_arrays(y, *answers, labels=list(range(n_labels))),), float(psi[0] - psi[1])

    return make


def near_copies_of_three(sizes, lost, right=1.0):
    """B, and A which is the same but for a share of the last class that it loses; both right so often else."""
    shares = np.array(sizes) / sum(sizes)

    def make(rng):
        y = rng.choice(3, sum(sizes), p=shares)
        good = rng.random(y.size) < right
        b = np.where(good, y, (y + 1) % 3)
        a = np.where(good & (y == 2) & (rng.random(y.size) < lost), 0, b)
        return (rw.Outcomes.from_arrays(y, a, b, labels=[0, 1, 2]),), -lost * right / 3

    return make


TAIL = np.where(np.arange(50) < 8, 0.85, 0.45)
TREE = {"model": "tree"}
MACRO = {"metric": "macro_f1"}
MACRO_RECALL = {"metric": "macro_recall"}
CLASSES = [
    Case("tail of 50 classes, N = 500", many_classes(50, 500, 0.85, TAIL, 0.5), MACRO, TREE, LOOSE),
    Case("tail of 50 classes, agreement .9, N = 500",
         many_classes(50, 500, 0.9, np.where(np.arange(50) < 8, 0.9, 0.3), 0.9), MACRO, TREE, LOOSE),
    Case("tail of 50 classes, three systems, N = 500", many_classes(50, 500, 0.85, TAIL, 0.5, beside=(0.8,)),
         {**MACRO, "pool": False}, TREE, LOOSE, ranked=True),
    Case("50 classes alike, N = 500", many_classes(50, 500, 0.8, 0.75, 0.5), MACRO, TREE, LOOSE),
    Case("20 balanced classes, N = 200",
         many_classes(20, 200, np.linspace(0.5, 0.9, 20), np.linspace(0.45, 0.85, 20), 0.5, zipf=False),
         MACRO, TREE, LOOSE),
    Case("20 balanced classes, near-perfect, N = 600", many_classes(20, 600, 0.97, 0.965, 0.95, zipf=False), MACRO,
         TREE),
    Case("3 classes, N = 200", many_classes(3, 200, [0.9, 0.8, 0.7], [0.8, 0.8, 0.6], 0.7, zipf=False), MACRO, TREE),
    Case("tail of 20 classes, N = 1,000",
         many_classes(20, 1_000, 0.9, np.where(np.arange(20) < 5, 0.9, 0.6), 0.7), MACRO, TREE, LOOSE),
    Case("three classes, the smallest of 20 loses .05", near_copies_of_three((900, 80, 20), 0.05), MACRO_RECALL, TREE,
         LOOSE),
    Case("three classes, the smallest of 40 loses .04", near_copies_of_three((300, 100, 40), 0.04), MACRO_RECALL, TREE,
         rope=0.006),
    Case("three classes, the smallest of 10 loses .1, others err", near_copies_of_three((150, 40, 10), 0.1, 0.97),
         MACRO_RECALL, TREE, LOOSE, rope=0.02),
    Case("20 classes, partial pooling, N = 1,000", many_classes(20, 1_000, 0.8, 0.7, 0.5, zipf=False),
         {**MACRO, "model": "pooled"}, {**MACRO, "model": "icdm2015"}),
]  # fmt: skip


# -- scores --------------------------------------------------------------------------------------------------


def graded(n_items, rate, size, levels=None):
    """Grades that are the same but for a loss of A, now and then."""
    scale = np.linspace(0, 1, 5) if levels is None else np.asarray(levels, dtype=float)
    kept = scale[scale >= scale[0] + size]

    def make(rng):
        b = rng.choice(kept, n_items)
        lost = rng.random(n_items) < rate
        return (b - size * lost, b), -rate * size

    return make


def ordinal(n_items, top, up=0.2, down=0.1):
    grades = np.arange(1, top + 1)
    truth = up * (grades < top).mean() - down * (grades > 1).mean()

    def make(rng):
        b, u = rng.integers(1, top + 1, n_items), rng.random(n_items)
        a = np.clip(b + (u < up) - (u > 1 - down), 1, top)
        return (a.astype(float), b.astype(float)), float(truth)

    return make


def smooth(n_items):
    def make(rng):
        return (rng.beta(4, 2, n_items), rng.beta(3, 2, n_items)), 4 / 6 - 3 / 5

    return make


def lognormal(n_items, sigma):
    """Latencies, say: A's are a tenth longer than they would be, B's are all alike."""

    def make(rng):
        return (rng.lognormal(0.1, sigma, n_items), np.ones(n_items)), float(np.exp(0.1 + sigma**2 / 2) - 1)

    return make


def seldom_used(n_items):
    """Grades from 1 to 7, of which A gets the worst one now and then, and else only the best three are given."""

    def make(rng):
        b = rng.choice([5.0, 6.0, 7.0], n_items, p=[0.2, 0.4, 0.4])
        return (np.where(rng.random(n_items) < 0.005, 1.0, b), b), 0.005 * (1 - 6.2)

    return make


def rare_loss(n_items, rate=0.02, size=10.0):
    """Noise, and a large loss now and then."""

    def make(rng):
        noise = rng.normal(0, 0.3, (2, n_items))
        return (noise[0] + size * (rng.random(n_items) < rate), noise[1]), rate * size

    return make


def binormal(n_items, prevalence, up_a, up_b, together, metric="roc_auc"):
    if metric == "roc_auc":
        truth = float(stats.norm.cdf(up_a / np.sqrt(2)) - stats.norm.cdf(up_b / np.sqrt(2)))
    else:
        rng = np.random.default_rng(9)
        y = np.arange(400_000) < 400_000 * prevalence
        noise = rng.standard_normal(y.size)
        truth = rw.metrics.score(y, noise + up_a * y, metric) - rw.metrics.score(y, noise + up_b * y, metric)

    def make(rng):
        y = (np.arange(n_items) < round(n_items * prevalence)).astype(int)
        first, second = rng.standard_normal((2, n_items))
        second = together * first + np.sqrt(1 - together**2) * second
        return (y, first + up_a * y, second + up_b * y), float(truth)

    return make


def forecasts(n_items, metric):
    """Probabilities of events: A's are right, B's are pulled towards one half."""
    grid = (np.arange(20_000) + 0.5) / 20_000
    p = stats.beta.ppf(grid, 0.8, 0.8)
    q = 0.5 + 0.7 * (p - 0.5)
    if metric == "brier":
        loss = [p * (1 - x) ** 2 + (1 - p) * x**2 for x in (p, q)]
    else:
        loss = [-(p * np.log(x) + (1 - p) * np.log1p(-x)) for x in (np.clip(p, 1e-12, 1 - 1e-12), q)]
    truth = float(loss[0].mean() - loss[1].mean())

    def make(rng):
        chance = rng.beta(0.8, 0.8, n_items).clip(1e-6, 1 - 1e-6)
        y = (rng.random(n_items) < chance).astype(int)
        y[:2] = 0, 1
        return (y, chance, 0.5 + 0.7 * (chance - 0.5)), truth

    return make


BOOT = {"model": "bootstrap"}
MEAN = {"metric": "mean"}
SCORES = [
    Case("grades, true Δ .016, N = 60", graded(60, 0.016, 1.0), MEAN, BOOT, rope=0.005),
    Case("grades, a loss of 1 in 1%, N = 200", graded(200, 0.01, 1.0), MEAN, BOOT, rope=0.005),
    Case("grades, a loss of 1 in 5%, N = 30", graded(30, 0.05, 1.0), MEAN, BOOT, rope=0.02),
    Case("grades, losses of .25 in 5%, N = 12", graded(12, 0.05, 0.25), MEAN, BOOT, LOOSE, rope=0.005),
    Case("grades, losses of .25 in 5%, N = 1,000", graded(1_000, 0.05, 0.25), MEAN, BOOT, rope=0.005),
    Case("grades 1 to 5, N = 60", ordinal(60, 5), MEAN, BOOT, rope=0.02),
    Case("grades 1 to 10, N = 60", ordinal(60, 10), MEAN, BOOT, rope=0.02),
    Case("grades 1 to 5, N = 1,000", ordinal(1_000, 5), MEAN, BOOT, rope=0.02),
    Case("smooth scores, N = 10", smooth(10), MEAN, BOOT, LOOSE),
    Case("smooth scores, N = 30", smooth(30), MEAN, BOOT),
    Case("smooth scores, N = 1,000", smooth(1_000), MEAN, BOOT),
    Case("lognormal, sigma 1.5, N = 100", lognormal(100, 1.5), MEAN, BOOT, LOOSE),
    Case("lognormal, sigma 1.5, N = 1,000", lognormal(1_000, 1.5), MEAN, BOOT),
    Case("lognormal, sigma 0.5, N = 1,000", lognormal(1_000, 0.5), MEAN, BOOT),
    Case("a rare large loss, scale declared, N = 50", rare_loss(50), {**MEAN, "scale": (-2, 12)},
         {**BOOT, "scale": None}, rope=0.1),
    Case("a rare large loss, no scale, N = 50", rare_loss(50), MEAN, BOOT, LOOSE, rope=0.1, tags=("unseen",)),
    Case("grades from 5 to 7 with a 1 in 200, no scale, N = 300", seldom_used(300), MEAN, BOOT, LOOSE, rope=0.02,
         tags=("unseen",)),
    Case("AUC .86 and .76, 10 and 90 items", binormal(100, 0.1, 1.5, 1.0, 0.3), {"metric": "roc_auc"}, BOOT, LOOSE),
    Case("AUC near 1, 30 and 30 items", binormal(60, 0.5, 4.0, 3.5, 0.3), {"metric": "roc_auc"}, BOOT),
    Case("AUC near 1, 30 and 270 items", binormal(300, 0.1, 4.0, 4.0, 0.9), {"metric": "roc_auc"}, BOOT),
    Case("average precision, 30 and 270 items", binormal(300, 0.1, 1.5, 1.0, 0.3, "average_precision"),
         {"metric": "average_precision"}, BOOT),
    Case("average precision near 1, 30 and 270 items", binormal(300, 0.1, 4.0, 3.5, 0.3, "average_precision"),
         {"metric": "average_precision"}, BOOT),
    Case("Brier score, N = 60", forecasts(60, "brier"), {"metric": "brier"}, BOOT, LOOSE),
    Case("log loss, N = 60", forecasts(60, "log_loss"), {"metric": "log_loss"}, BOOT, LOOSE),
    Case("log loss, N = 1,000", forecasts(1_000, "log_loss"), {"metric": "log_loss"}, BOOT),
]  # fmt: skip


# -- clusters ------------------------------------------------------------------------------------------------


def sizes_of(kind, number):
    if kind == "equal":
        return np.full(number, 5)
    if kind == "zipf":
        return np.maximum((200 / np.arange(1, number + 1)).astype(int), 1)
    sizes = np.full(number, 5)
    sizes[0] = int(5 * (number - 1) / 2)
    return sizes


def clusters(kind, number, right_a, right_b, correlation=0.5):
    """Labels in clusters: how often A and B are right varies between clusters, of which some are large."""
    sizes = sizes_of(kind, number)
    spread = 1 / correlation - 1

    def make(rng):
        cluster = np.repeat(np.arange(number), sizes)
        y = rng.integers(0, 2, cluster.size)
        answers = []
        for right in (right_a, right_b):
            rate = rng.beta(right * spread, (1 - right) * spread, number)
            answers.append(np.where(rng.random(cluster.size) < rate[cluster], y, 1 - y))
        return (rw.Outcomes.from_arrays(y, *answers, labels=[0, 1], cluster=cluster),), right_a - right_b

    return make


CLUSTERS = [
    Case(f"{number} {kind} clusters, right {a:g} and {b:g}", clusters(kind, number, a, b), ACCURACY, BOOT, bound,
         rope=0.02)
    for kind, number, bound in (
        ("equal", 10, LOOSE), ("equal", 30, STRICT), ("equal", 60, STRICT), ("zipf", 60, LOOSE), ("zipf", 200, LOOSE),
        ("one-third", 60, LOOSE), ("one-third", 200, LOOSE), ("zipf", 1_000, STRICT),
    )
    for a, b in ((0.8, 0.75), (0.98, 0.95))
]  # fmt: skip


def whole_losses(sizes, rate, *, weighted=False):
    """Clusters, or weighted items, that A loses as a whole, now and then; both lose others."""
    sizes = np.array(sizes)

    def make(rng):
        both, lost = rng.random((2, sizes.size)) < np.array([[0.05], [rate]])
        right_a, right_b = ~(both | lost), ~both
        if weighted:
            return (right_a.astype(float), right_b.astype(float)), -0.95 * rate
        cluster = np.repeat(np.arange(sizes.size), sizes)
        y = rng.integers(0, 2, cluster.size)
        answers = [np.where(right[cluster], y, 1 - y) for right in (right_a, right_b)]
        return (rw.Outcomes.from_arrays(y, *answers, labels=[0, 1], cluster=cluster),), -0.95 * rate

    return make


UNEQUAL, FEW_LARGE = np.repeat([60, 1], [30, 1_000]), np.repeat([60, 1], [8, 200])
CLUSTERS += [
    Case("40 equal clusters, A loses 5% of them whole", whole_losses(np.full(40, 5), 0.05), ACCURACY, BOOT, rope=0.02),
    Case("30 large clusters and 1,000 single items, A loses 5%", whole_losses(UNEQUAL, 0.05), ACCURACY, BOOT),
    Case("8 large clusters and 200 single items, A loses 15%", whole_losses(FEW_LARGE, 0.15), ACCURACY,
          BOOT, LOOSE, rope=0.02),
    Case("30 heavy items and 1,000 light ones, A loses 5%", whole_losses(UNEQUAL, 0.05, weighted=True),
         {**MEAN, "sample_weight": UNEQUAL}, BOOT),
]  # fmt: skip


# -- items with any number of labels -------------------------------------------------------------------------


def any_labels(n_items, n_labels, share, correlation, miss_a=0.25, miss_b=0.3, alarm=0.04):
    """Errors that come by whole items: a part of them is shared by all labels of an item."""
    shares = np.broadcast_to(share, n_labels)

    def f1(miss):
        tp, fp, fn = shares * (1 - miss), (1 - shares) * alarm, shares * miss
        return float((2 * tp / (2 * tp + fp + fn)).mean())

    def make(rng):
        truth = rng.random((n_items, n_labels)) < shares
        answers = []
        for miss in (miss_a, miss_b):
            common = np.sqrt(correlation) * rng.standard_normal((n_items, 1))
            z = common + np.sqrt(1 - correlation) * rng.standard_normal((n_items, n_labels))
            missed, alarmed = z < stats.norm.ppf(miss), z < stats.norm.ppf(alarm)
            answers.append(np.where(truth, ~missed, alarmed).astype(int))
        return (truth.astype(int), *answers), f1(miss_a) - f1(miss_b)

    return make


LABELS = {"model": "multilabel"}
MULTILABEL = [
    Case("10 labels, errors by item .3, N = 200", any_labels(200, 10, 0.3, 0.3), MACRO, LABELS),
    Case("10 labels, errors by item .6, N = 200", any_labels(200, 10, 0.3, 0.6), MACRO, LABELS),
    Case("20 labels, some rare, errors by item .6, N = 300",
         any_labels(300, 20, np.geomspace(0.3, 0.01, 20), 0.6), MACRO, LABELS, LOOSE),
]  # fmt: skip

# -- rankings of systems that are not alike -------------------------------------------------------------------


def beside_copies(n_items, ahead, apart, n_copies):
    """One system, and near-copies of another that is worse: of them each errs on some items of its own."""

    def make(rng):
        y, right = rng.integers(0, 2, n_items), rng.random(n_items) < 0.8
        said = [np.where(rng.random(n_items) < 0.8 + ahead, y, 1 - y)]
        for _ in range(n_copies):
            own = np.where(rng.random(n_items) < apart, rng.random(n_items) < 0.8, right)
            said.append(np.where(own, y, 1 - y))
        return (rw.Outcomes.from_arrays(y, *said, labels=[0, 1]),), ahead

    return make


RANKED = [
    Case(f"one system beside {n} copies of another, {d:g} better, N = {size}", beside_copies(size, d, apart, n),
         ACCURACY, {"pool": False}, ranked=True, rope=0.8 * d)
    for n, size, d, apart in ((5, 2_000, 0.022, 0.1), (5, 2_000, 0.05, 0.05), (2, 1_000, 0.05, 0.05))
]  # fmt: skip

CASES = {case.name: case for case in (*BINARY, *NOISY, *CLASSES, *SCORES, *CLUSTERS, *MULTILABEL, *RANKED)}


def row_of(name: str, repetitions: int) -> str:
    """Write the figures of a case, now and before, as a row of a table."""
    case = CASES[name]
    cells = [name]
    for first, options in ((False, case.options), (True, {**case.options, **case.before})):
        f = run(case, repetitions, options, first=first)
        wrong = max(f.wrong_better, f.wrong_worse), f.wrong_equal
        cells += [f"{f.covered:.3f}", f"{100 * f.no_verdict:.0f}%", f"{100 * wrong[0]:.1f}%", f"{100 * wrong[1]:.1f}%",
                  f"{f.width:.3g}"]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main() -> None:
    """Print the table."""
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    names = sys.argv[2:]
    head = "coverage | no verdict | wrong ≫ or ≪ | wrong ≈ | width"
    sys.stdout.write(f"| setting | {head} | before: {head} |\n" + "|---" * 11 + "|\n")
    chosen = [name for name in CASES if not names or any(part in name for part in names)]
    with ProcessPoolExecutor() as pool:
        for row in pool.map(row_of, chosen, [repetitions] * len(chosen)):
            sys.stdout.write(row + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
