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
from ropewalk.inference.judges import MIN_HUMAN
from ropewalk.metrics.margins import accuracy
from ropewalk.models.judged import PAIRS, RIGHT, VERDICTS, JudgedVerdicts
from ropewalk.models.judged_scores import JudgedScores

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


def test_to_take_the_judge_at_its_word_fails():
    """The negative control: a judge that favours A, and two systems that are alike."""
    rng = np.random.default_rng(0)
    chances = joint(HUMANS["alike"], JUDGES["for A"]).sum(axis=1)
    held = []
    for _ in range(100):
        counts = rng.multinomial(1_000, chances)
        psi = accuracy(JudgedVerdicts(labelled=np.diag(counts)).fit(table_of(counts)).block(rng, DRAWS).margins())
        low, high = hdi(np.sort(psi[0] - psi[1]), 0.95)
        held.append(low <= 0 <= high)
    assert np.mean(held) < 0.2


def test_systems_that_are_alike_are_seldom_called_different():
    rng = np.random.default_rng(1)
    chances, studies = joint(HUMANS["alike"], JUDGES["for A"]), 300
    wrong = []
    for seed in range(studies):
        item = rng.choice(16, 500, p=chances.reshape(-1))
        says, human = PAIRS[item // 4].T, PAIRS[item % 4].T.astype(float)
        human[:, rng.permutation(500) >= 60] = np.nan
        r = rw.compare(*says, human_a=human[0], human_b=human[1], rope=0, draws=2_000, rng=seed)
        wrong.append((r.hdi.low > 0, r.hdi.high < 0))
    assert np.max(np.mean(wrong, axis=0)) <= 0.025 + 3 * math.sqrt(0.025 * 0.975 / studies)


KINDS = ("normal", "curved", "steps", "blind judge", "rare")


def grades(rng, n_items, kind):
    """Return what humans and a judge say of two systems, (items, 2) each; the mean difference is 0.05, or 0.02."""
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
    elif kind == "rare":
        human = np.where(rng.random((n_items, 2)) < 0.04, np.array([1.0, 0.5]) * rng.exponential(size=(n_items, 2)), 0)
        judge = human + 0.1 * rng.normal(size=(n_items, 2))
    return human, judge


def coverage_of_grades(n_items, n_human, kind, studies=STUDIES):
    """Return how often the interval holds the mean difference that humans would see."""
    rng, held = np.random.default_rng(n_items), []
    truth = 0.02 if kind == "rare" else 0.05
    for _ in range(studies):
        human, judge = grades(rng, n_items, kind)
        items = ItemScores.from_arrays(None, *judge.T, names=["a", "b"])
        model = JudgedScores(judge=judge[:n_human], human=human[:n_human], ends=(-10.0, 10.0))
        psi = model.fit(items).block(rng, DRAWS).psi
        low, high = hdi(np.sort(psi[0] - psi[1]), 0.95)
        held.append(low <= truth <= high)
    return np.mean(held)


@pytest.mark.parametrize("kind", KINDS[:-1])
@pytest.mark.parametrize(("n_items", "n_human"), [(200, 30), (500, 100)])
def test_intervals_of_grades_hold_what_they_promise(n_items, n_human, kind):
    assert coverage_of_grades(n_items, n_human, kind) >= 0.92 - 2 * math.sqrt(0.92 * 0.08 / STUDIES)


if __name__ == "__main__":
    for cell in CELLS:
        sys.stdout.write(f"{cell} " + " ".join(f"{share:.3f}" for share in coverage(*cell)) + "\n")
        sys.stdout.flush()
    for kind in KINDS:
        for sizes in ((200, 30), (500, 100)):
            sys.stdout.write(f"{kind} {sizes} {coverage_of_grades(*sizes, kind):.3f}\n")
