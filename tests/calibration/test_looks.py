"""Evaluations that are looked at a hundred times: how often the bounded rule is ever wrong, and how often the plain.

5,000 streams each; a share of 2.5% is known to .22 points (one standard error), and two of them are allowed. The plain
rule, a one-sided posterior probability of 97.5% at each look, is the negative control: it must exceed the bound by far.
With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from calibration.test_multiclass import record
from ropewalk.classical.betting import rejects_at_most
from ropewalk.draws.intervals import Interval

pytestmark = pytest.mark.slow

STREAMS, LOOKS, ERROR = 5_000, 100, 0.025
ALLOWED = ERROR + 2 * math.sqrt(ERROR * (1 - ERROR) / STREAMS)
CHANGE, SCALE = np.array([-1.0, 0.0, 1.0]), Interval(-1.0, 1.0)
AT_ONCE = 250  # streams whose stakes are in memory


def streams_of(values, probs, batch, seed, n_streams=STREAMS):
    """Yield counts of the values (streams, looks, values) after each look, a part of the streams at a time."""
    rng = np.random.default_rng([31, seed])
    for _ in range(n_streams // AT_ONCE):
        yield rng.multinomial(batch, probs, (AT_ONCE, LOOKS)).cumsum(axis=1).astype(np.float64)


def first_look(rejected):
    """Return the first look of each stream at which it is so, `LOOKS` where it never is."""
    return np.where(rejected.any(axis=1), rejected.argmax(axis=1), LOOKS)


def plainly_above(counts, edge):
    """Whether the posterior probability of more than the edge is 97.5%: exact at 0, else by its mean and variance."""
    losses, ties, wins = np.moveaxis(counts, -1, 0) + np.array([0.25, 0.5, 0.25])[:, None, None]
    if edge == 0:
        return special.betainc(losses, wins, 0.5) > 1 - ERROR  # of those that differ, A wins more than half
    n = losses + ties + wins
    mean = (wins - losses) / n
    spread = np.sqrt(((wins + losses) / n - mean**2) / (n + 1))
    return mean - edge > special.ndtri(1 - ERROR) * spread


def test_the_exact_posterior_of_the_plain_rule_is_that_of_draws():
    rng = np.random.default_rng(32)
    counts = np.array([[[20.0, 940.0, 40.0]], [[25.0, 945.0, 30.0]]])
    for each in counts:
        shares = rng.dirichlet(each[0] + np.array([0.25, 0.5, 0.25]), 200_000)
        above = float((shares[:, 2] > shares[:, 0]).mean())
        told = float(special.betainc(each[0, 0] + 0.25, each[0, 2] + 0.25, 0.5))
        assert abs(above - told) < 4 * math.sqrt(0.25 / 200_000)
    assert plainly_above(counts, 0.0)[:, 0].tolist() == [True, False]


@pytest.mark.parametrize("discordant", [0.02, 0.2])
@pytest.mark.parametrize("edge", [0.0, -0.01])
@pytest.mark.parametrize("batch", [20, 100])
def test_over_a_hundred_looks_the_bounded_rule_keeps_its_error_and_the_plain_one_does_not(discordant, edge, batch):
    probs = [(discordant - edge) / 2, 1 - discordant, (discordant + edge) / 2]
    wrong, plain = [], []
    for counts in streams_of(CHANGE, probs, batch, seed=round(1e4 * discordant) + batch + round(-1e5 * edge)):
        wrong += rejects_at_most(CHANGE, counts, edge, SCALE, ERROR).any(axis=1).tolist()
        plain += plainly_above(counts, edge).any(axis=1).tolist()
    figures = {"bounded": np.mean(wrong), "plain": np.mean(plain)}
    record("looks", discordant=discordant, edge=edge, batch=batch, **figures)
    assert figures["bounded"] <= ALLOWED
    assert figures["plain"] > 3 * ERROR


def differences_of_beta():
    """Return the differences of two independent scores on 51 levels, each about Beta(2, 5), and their probabilities."""
    levels = np.linspace(0, 1, 51)
    density = levels * (1 - levels) ** 4
    density /= density.sum()
    each = np.round(np.subtract.outer(levels, levels), 10)
    values, place = np.unique(each, return_inverse=True)
    return values, np.bincount(place.reshape(-1), weights=np.outer(density, density).reshape(-1))


SCORES = {
    "rare losses of both": (CHANGE, [0.0099, 0.9802, 0.0099]),
    "a rare loss of A against a sure one of B": (np.array([-0.01, 0.99]), [0.99, 0.01]),
    "a rare loss of B against a sure one of A": (np.array([-0.99, 0.01]), [0.01, 0.99]),
    "scores like Beta(2, 5)": differences_of_beta(),
}


@pytest.mark.parametrize("setting", SCORES)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_scores_without_a_difference_are_found_better_or_worse_no_more_often_than_bounded(setting, side):
    values, probs = SCORES[setting]
    assert abs(float(np.dot(values, probs))) < 1e-12
    wrong = []
    for counts in streams_of(values, probs, 20, seed=len(setting) + (side > 0)):
        wrong += rejects_at_most(side * values, counts, 0.0, SCALE, ERROR).any(axis=1).tolist()
    record("looks", setting=setting, side=side, bounded=np.mean(wrong))
    assert np.mean(wrong) <= ALLOWED


@pytest.mark.parametrize(("discordant", "delta", "batch"), [(0.02, 0.006, 100), (0.2, 0.03, 60), (0.2, 0.06, 15)])
def test_where_a_is_better_the_bounded_rule_takes_about_as_many_items_as_one_look_of_the_same_power(
    discordant, delta, batch
):
    probs = [(discordant - delta) / 2, 1 - discordant, (discordant + delta) / 2]
    looks, plain = [], []
    for counts in streams_of(CHANGE, probs, batch, seed=round(1e4 * delta)):
        looks += first_look(rejects_at_most(CHANGE, counts, 0.0, SCALE, ERROR)).tolist()
        plain.append(plainly_above(counts, 0.0))
    power = float(np.mean(np.array(looks) < LOOKS))
    items = float((np.minimum(np.array(looks) + 1, LOOKS) * batch).mean())
    at_one_look = np.concatenate(plain).mean(axis=0)
    fixed = (int((at_one_look >= power).argmax()) + 1) * batch
    record("looks", discordant=discordant, delta=delta, power=power, items=items, fixed=fixed)
    assert power > 0.8
    assert at_one_look[-1] >= power
    assert 0.5 < items / fixed < 1.3
