"""Coverage of a judge that humans corrected, by simulation: good judges and bad, biased ones, few labels and many.

What humans say of two answers has a law, and the judge errs given that, on each answer by itself. Humans judge items at
random, or as many where the judge says the one thing as the other: then those that it seldom says are judged often.
"""

from __future__ import annotations

import itertools
import math
import sys

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.intervals import hdi
from ropewalk.inference.judges import MIN_HUMAN, too_few
from ropewalk.metrics.margins import accuracy
from ropewalk.metrics.registry import parse_metric
from ropewalk.models import measure
from ropewalk.models.judged import PAIRS, RIGHT, VERDICTS, JudgedVerdicts
from ropewalk.models.judged_labels import JudgedLabels
from ropewalk.models.judged_scores import JudgedScores
from ropewalk.models.learned import LearnedTree

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]

DIFFERENCE = PAIRS[:, 0] - PAIRS[:, 1]
HUMANS = {
    "alike": [0.2, 0.15, 0.15, 0.5],
    "A better": [0.15, 0.15, 0.2, 0.5],
    "A far better": [0.1, 0.1, 0.4, 0.4],
    "near copies": [0.19, 0.01, 0.02, 0.78],
    "rarely wrong": [0.01, 0.01, 0.03, 0.95],
}
"""P(both wrong), P(only B right), P(only A right), P(both right)."""

JUDGES = {
    "95%": ((0.95, 0.05), (0.95, 0.05)),
    "80%": ((0.8, 0.2), (0.8, 0.2)),
    "60%": ((0.6, 0.4), (0.6, 0.4)),
    "for A": ((0.95, 0.25), (0.85, 0.15)),
}
"""P(called right | right) and P(called right | wrong), of answers of A and of B."""

SIZES = ((200, 30), (1_000, 30), (1_000, 100), (5_000, 500))
STUDIES, DRAWS = 500, 2_000


def joint(humans, judge):
    """Return P(what the judge says, what humans say), (4, 4)."""
    called = [np.where(PAIRS[:, k], *judge[k]) for k in (0, 1)]
    says = [np.where(PAIRS[:, [k]] == 1, called[k], 1 - called[k]) for k in (0, 1)]
    return says[0] * says[1] * np.array(humans)


def picked(rng, counts, number, how):
    """Return how many of the items that humans would judge so they were asked about."""
    if how == "random":
        return rng.multivariate_hypergeometric(counts.reshape(-1), number).reshape(4, 4)
    left, wanted = counts.sum(axis=1), np.zeros(4, dtype=int)
    while wanted.sum() < number:
        open_ = np.flatnonzero(wanted < left)
        wanted[open_[: number - wanted.sum()]] += 1
    return np.stack([rng.multivariate_hypergeometric(row, n) for row, n in zip(counts, wanted, strict=True)])


def table_of(counts):
    rows = [tuple(VERDICTS[code] for code in (RIGHT, *pair)) for pair in PAIRS.tolist()]
    return Outcomes.from_rows(rows, counts, names=["a", "b"], labels=VERDICTS)


def coverage(humans, judge, size, how, studies=STUDIES):
    """Return how often the interval holds the difference that humans would see, and its mean width."""
    rng = np.random.default_rng(size[0] + size[1])
    chances, truth = joint(HUMANS[humans], JUDGES[judge]), float(np.array(HUMANS[humans]) @ DIFFERENCE)
    found = []
    for _ in range(studies):
        counts = rng.multinomial(size[0], chances.reshape(-1)).reshape(4, 4)
        labelled = picked(rng, counts, size[1], how)
        posterior = JudgedVerdicts(labelled=labelled).fit(table_of(counts.sum(axis=1)))
        psi = accuracy(posterior.block(rng, DRAWS).margins())
        low, high = hdi(np.sort(psi[0] - psi[1]), 0.95)
        found.append((low <= truth <= high, high - low))
    return np.mean(found, axis=0)


CELLS = list(itertools.product(HUMANS, JUDGES, SIZES, ("random", "by cell")))


@pytest.mark.parametrize(("humans", "judge", "size", "how"), CELLS)
def test_intervals_hold_what_they_promise(humans, judge, size, how):
    held, _ = coverage(humans, judge, size, how)
    least = 0.88 if size[1] == MIN_HUMAN else 0.92
    assert held >= least - 2 * math.sqrt(least * (1 - least) / STUDIES)


@pytest.mark.parametrize("humans", ["alike", "A better", "near copies", "rarely wrong"])
def test_to_take_the_judge_at_its_word_fails(humans):
    """The negative control: a judge that favours A; where A is far better it is nearly right by chance."""
    rng, truth = np.random.default_rng(0), float(np.array(HUMANS[humans]) @ DIFFERENCE)
    chances = joint(HUMANS[humans], JUDGES["for A"]).sum(axis=1)
    held = []
    for _ in range(100):
        counts = rng.multinomial(1_000, chances)
        psi = accuracy(JudgedVerdicts(labelled=np.diag(counts)).fit(table_of(counts)).block(rng, DRAWS).margins())
        low, high = hdi(np.sort(psi[0] - psi[1]), 0.95)
        held.append(low <= truth <= high)
    assert np.mean(held) < 0.1


def test_systems_that_are_alike_are_seldom_called_different():
    rng = np.random.default_rng(1)
    chances, studies = joint(HUMANS["alike"], JUDGES["for A"]), 300
    wrong = []
    for seed in range(studies):
        item = rng.choice(16, 500, p=chances.reshape(-1))
        says, human = PAIRS[item // 4].T, PAIRS[item % 4].T.astype(float)
        human[:, rng.permutation(500) >= 60] = np.nan
        r = rw.compare(*says, human_a=human[0], human_b=human[1], draws=2_000, rng=seed)
        wrong.append((r.hdi.low > 0, r.hdi.high < 0))
    assert np.max(np.mean(wrong, axis=0)) <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / studies)


LIGHT, HEAVY = ("normal", "curved", "steps", "blind judge"), ("rare", "rare, blind judge", "failures", "skewed")


def grades(rng, n_items, kind):
    """Return what humans and a judge say of two systems, (items, 2) each; `MEANS` has their mean difference."""
    easy, own = rng.normal(size=(n_items, 1)), rng.normal(size=(n_items, 2))
    human = 0.2 * easy + 0.15 * own + np.array([0.05, 0.0])
    judge = 0.2 + 0.7 * human + 0.1 * rng.normal(size=(n_items, 2)) + np.array([0.1, 0.0])
    if kind == "curved":
        judge = np.sign(judge) * np.sqrt(np.abs(judge))
    elif kind == "steps":
        shift = rng.random((n_items, 2))  # so that rounding moves no mean
        human, judge = np.floor(4 * human + shift) / 4, np.round(4 * judge) / 4
    elif kind == "blind judge":
        judge = rng.normal(size=(n_items, 2))
    elif kind.startswith("rare"):
        human = np.where(rng.random((n_items, 2)) < 0.04, np.array([1.0, 0.5]) * rng.exponential(size=(n_items, 2)), 0)
        judge = human + 0.1 * rng.normal(size=(n_items, 2)) if kind == "rare" else rng.normal(size=(n_items, 2))
    elif kind == "failures":  # of A, which the judge does not see
        judge = 3 + easy + 0.6 * own
        human = judge.copy()
        human[rng.random(n_items) < 0.08, 0] = 3 - 2.5
    elif kind == "skewed":
        human = np.column_stack([rng.exponential(size=n_items) ** 2 / 2, 1 + 0.1 * own[:, 1]])
        judge = rng.normal(size=(n_items, 2))
    return human, judge


MEANS = {"rare": 0.02, "rare, blind judge": 0.02, "failures": -0.08 * 2.5, "skewed": 0.0}
"""By how much A is better; 0.05 where it is not said."""


def coverage_of_grades(n_items, n_human, kind, studies=STUDIES):
    """Return how often the interval holds the mean difference that humans would see, allows a verdict, and both."""
    rng, held = np.random.default_rng(n_items), []
    truth = MEANS.get(kind, 0.05)
    for _ in range(studies):
        human, judge = grades(rng, n_items, kind)
        items = ItemScores.from_arrays(None, *judge.T, names=["a", "b"])
        model = JudgedScores(judge=judge[:n_human], human=human[:n_human], ends=(-10.0, 10.0))
        posterior = model.fit(items)
        psi = posterior.block(rng, DRAWS).psi
        low, high = hdi(np.sort(psi[0] - psi[1]), 0.95)
        is_held, is_allowed = low <= truth <= high, not too_few(posterior)
        held.append((is_held, is_allowed, is_allowed and not is_held))
    return np.mean(held, axis=0)


GRADED = ((200, 30), (500, 100))


@pytest.mark.parametrize("kind", LIGHT)
@pytest.mark.parametrize(("n_items", "n_human"), GRADED)
def test_intervals_of_grades_hold_what_they_promise(n_items, n_human, kind):
    held, allowed, _ = coverage_of_grades(n_items, n_human, kind)
    assert held >= 0.92 - 2 * math.sqrt(0.92 * 0.08 / STUDIES)
    assert allowed >= 0.97


@pytest.mark.parametrize("kind", HEAVY)
@pytest.mark.parametrize(("n_items", "n_human"), GRADED)
def test_few_large_grades_seldom_allow_a_verdict_by_an_interval_that_misses(n_items, n_human, kind):
    """Most intervals that miss are of studies whose humans saw few of the large ones: there is no verdict then."""
    _, _, misleading = coverage_of_grades(n_items, n_human, kind)
    assert misleading <= 0.06 + 2 * math.sqrt(0.06 * 0.94 / STUDIES)


RIGHT_SHARES = (0.85, 0.8)
"""How often A and B are right of labels."""


def frequencies(n_labels):
    """Return how frequent labels are: the first twice as frequent as the last."""
    weights = np.linspace(2, 1, n_labels)
    return weights / weights.sum()


def labels_said(rng, n_items, n_labels, *, sides):
    """Return what is true of items, and what A, B and a judge say; it may side with A in half of A's mistakes."""
    truth = rng.choice(n_labels, n_items, p=frequencies(n_labels))

    def says(right):
        other = (truth + rng.integers(1, n_labels, size=n_items)) % n_labels
        return np.where(rng.random(n_items) < right, truth, other)

    a, b, judge = says(RIGHT_SHARES[0]), says(RIGHT_SHARES[1]), says(0.9)
    return truth, a, b, np.where(sides & (a != truth) & (rng.random(n_items) < 0.5), a, judge)


def true_difference(n_labels, metric):
    """Return by how much A is better; an F1 of two labels is that of the first."""
    shares, scores = frequencies(n_labels), []
    for right in RIGHT_SHARES:
        called = shares * right + (1 - shares) * (1 - right) / (n_labels - 1)
        f1 = 2 * shares * right / (shares + called)
        scores.append({"accuracy": right, "f1": f1[0], "macro_f1": f1.mean()}[metric])
    return scores[0] - scores[1]


def coverage_of_labels(n_labels, metric, n_human, *, sides, studies, corrected=True):
    """Return how often the interval holds the difference by human labels of 1,000 items; or by the judge's alone."""
    rng, truth, held = np.random.default_rng([n_labels, n_human, sides]), true_difference(n_labels, metric), []
    for _ in range(studies):
        true, a, b, judge = labels_said(rng, 1_000, n_labels, sides=sides)
        table = Outcomes.from_arrays(judge, a, b, names=["a", "b"], labels=range(n_labels))
        known = (values[:n_human] for values in (true, a, b, judge))
        human = Outcomes.from_arrays(*known, names=["a", "b", "judge"], labels=range(n_labels))
        model = JudgedLabels(labelled=human) if corrected else LearnedTree()
        psi = measure(parse_metric(metric), model.fit(table).block(rng, 600))
        low, high = hdi(np.sort(psi[0] - psi[1]), 0.95)
        held.append(low <= truth <= high)
    return np.mean(held)


FEW_LABELS = 50
LABELS = {(2, "f1"): 400, (2, "accuracy"): 400, (5, "macro_f1"): 100, (20, "macro_f1"): 40}
"""How many studies of how many labels and which metric."""


@pytest.mark.parametrize("sides", [False, True])
@pytest.mark.parametrize("n_human", [FEW_LABELS, 200])
@pytest.mark.parametrize(("n_labels", "metric"), LABELS)
def test_intervals_of_labels_hold_what_they_promise(n_labels, metric, n_human, sides):
    studies = LABELS[n_labels, metric]
    held = coverage_of_labels(n_labels, metric, n_human, sides=sides, studies=studies)
    least = 0.89 if n_human == FEW_LABELS else 0.92
    assert held >= least - 2 * math.sqrt(least * (1 - least) / studies)


@pytest.mark.parametrize(("n_labels", "metric"), [(2, "f1"), (5, "macro_f1")])
def test_to_take_the_labels_of_a_judge_for_the_truth_fails(n_labels, metric):
    assert coverage_of_labels(n_labels, metric, 50, sides=True, studies=60, corrected=False) < 0.2


if __name__ == "__main__":
    for cell in CELLS:
        sys.stdout.write(f"{cell} " + " ".join(f"{share:.3f}" for share in coverage(*cell)) + "\n")
        sys.stdout.flush()
    for kind, sizes in itertools.product((*LIGHT, *HEAVY), GRADED):
        sys.stdout.write(f"{kind} {sizes} {coverage_of_grades(*sizes, kind).round(3)}\n")
    for (n_labels, metric), n_human, sides in itertools.product(LABELS, (FEW_LABELS, 200), (False, True)):
        held = coverage_of_labels(n_labels, metric, n_human, sides=sides, studies=LABELS[n_labels, metric])
        sys.stdout.write(f"{n_labels} labels, {metric}, {n_human}, sides {sides}: {held:.3f}\n")
