"""Bounds that hold at every look: e-values against brute force and closed forms, and their error over all looks."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import special

from ropewalk.classical import betting
from ropewalk.classical.betting import LOG_WEIGHTS, SHARES, bounds, log_e_values, rejects_at_most
from ropewalk.draws.intervals import Interval

ERROR = 0.025
CHANGE = np.array([-1.0, 0.0, 1.0])  # B only right, both alike, A only right
UNIT, CHANGES = Interval(0.0, 1.0), Interval(-1.0, 1.0)


def brute_force(items, mean):
    """Return the log e-value of items in [0, 1] one after the other: a stake for each share, and their average."""
    stakes = np.exp(LOG_WEIGHTS)
    for x in items:
        for k, share in enumerate(SHARES):
            stakes[k] *= 1 + share * (x - mean) / mean
    return math.log(stakes.sum())


def test_shares_are_below_one_and_the_first_stake_is_one():
    assert 0 < SHARES.min() < 1e-7
    assert SHARES.max() < 1
    assert np.exp(LOG_WEIGHTS).sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("mean", [0.2, 0.5, 0.93])
def test_an_e_value_is_the_average_of_stakes_that_are_multiplied_item_by_item_in_any_order(mean):
    rng = np.random.default_rng(1)
    items = rng.choice([0.0, 0.25, 0.5, 1.0], size=120, p=[0.2, 0.2, 0.2, 0.4])
    values, counts = np.unique(items, return_counts=True)
    ours = float(log_e_values(values, counts, mean))
    assert ours == pytest.approx(brute_force(items, mean), abs=1e-9)
    assert ours == pytest.approx(brute_force(items[::-1], mean), abs=1e-9)


@pytest.mark.parametrize(("wins", "losses"), [(0, 0), (3, 1), (40, 21), (10, 30)])
def test_under_a_uniform_mixture_the_e_value_has_a_closed_form(monkeypatch, wins, losses):
    """Of d in {-1, 1} and bets uniform on [0, 1): the integral of (1+λ)^w (1−λ)^l is an incomplete beta function."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    monkeypatch.setattr(betting, "SHARES", (nodes + 1) / 2)
    monkeypatch.setattr(betting, "LOG_WEIGHTS", np.log(weights / 2))
    ours = float(log_e_values(np.array([0.0, 1.0]), np.array([losses, wins]), 0.5))
    tail = special.betaincc(wins + 1, losses + 1, 0.5)
    closed = (wins + losses + 1) * math.log(2) + special.betaln(wins + 1, losses + 1) + math.log(tail)
    assert ours == pytest.approx(closed, abs=1e-9)


@pytest.mark.parametrize(("mean", "expected"), [(0.55, 1.0), (0.7, 0.3)])
def test_the_expected_e_value_is_one_at_the_edge_and_less_within(mean, expected):
    """Over all outcomes of five items, whose mean is .55."""
    probs, values = (0.3, 0.3, 0.4), np.array([0.0, 0.5, 1.0])
    total = 0.0
    for outcome in itertools.product(range(3), repeat=5):
        counts = np.bincount(outcome, minlength=3)
        total += math.prod(probs[i] for i in outcome) * math.exp(float(log_e_values(values, counts, mean)))
    assert total == pytest.approx(1.0, abs=1e-12) if expected == 1.0 else total < 1.0


@pytest.mark.parametrize(
    ("win", "loss", "edge"), [(0.1, 0.1, 0.0), (0.3, 0.3, 0.0), (0.05, 0.1, -0.05), (0.0, 0.2, -0.2)]
)
def test_the_chance_of_ever_being_wrong_in_sixty_looks_is_within_the_bound_by_counting_all_paths(win, loss, edge):
    n = 60
    wins, losses = np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij")
    chance = np.zeros((n + 2, n + 2))
    chance[0, 0], wrong = 1.0, 0.0
    for look in range(1, n + 1):
        step = (1 - win - loss) * chance
        step[1:] += win * chance[:-1]
        step[:, 1:] += loss * chance[:, :-1]
        chance = step
        ties = look - wins - losses
        counts = np.stack([losses, np.maximum(ties, 0), wins], axis=-1)
        rejected = rejects_at_most(CHANGE, counts, edge, CHANGES, ERROR) & (ties >= 0)
        here = chance[: n + 1, : n + 1]
        wrong += here[rejected].sum()
        here[rejected] = 0.0
    assert wrong <= ERROR
    assert wrong + chance.sum() == pytest.approx(1.0, abs=1e-9)


def test_bounds_end_where_the_e_value_is_one_over_the_error():
    counts = np.array([20, 930, 50])
    low, high = bounds(CHANGE, counts, CHANGES, ERROR)
    share = (CHANGE + 1) / 2
    assert float(log_e_values(share, counts, (low + 1) / 2)) == pytest.approx(-math.log(ERROR), abs=1e-6)
    assert float(log_e_values(1 - share, counts, (1 - high) / 2)) == pytest.approx(-math.log(ERROR), abs=1e-6)
    assert low < 0.03 < high


def test_the_e_value_falls_as_the_mean_grows_so_that_what_is_left_is_an_interval():
    values, counts = np.array([0.0, 0.3, 0.5, 1.0]), np.array([10, 30, 40, 20])
    logs = [float(log_e_values(values, counts, mean)) for mean in np.linspace(0.01, 0.99, 200)]
    assert (np.diff(logs) < 0).all()


def test_bounds_and_rejections_agree_on_every_edge():
    counts = np.array([[20, 930, 50], [5, 80, 15], [0, 3, 0]])
    for edge in np.linspace(-0.2, 0.2, 41):
        rejected = rejects_at_most(CHANGE, counts, edge, CHANGES, ERROR)
        lower = [bounds(CHANGE, row, CHANGES, ERROR).low for row in counts]
        assert rejected.tolist() == [low >= edge for low in lower]


def test_bounds_of_the_mirrored_differences_are_mirrored():
    counts = np.array([12, 200, 31])
    turned = bounds(-CHANGE, counts, CHANGES, ERROR).mirrored()
    assert tuple(turned) == pytest.approx(tuple(bounds(CHANGE, counts, CHANGES, ERROR)))


def test_a_wider_scale_gives_wider_bounds_and_units_do_not_matter():
    counts = np.array([12, 200, 31])
    low, high = bounds(CHANGE, counts, CHANGES, ERROR)
    wide = bounds(CHANGE, counts, Interval(-3.0, 3.0), ERROR)
    assert wide.low < low < high < wide.high
    assert tuple(bounds(7 * CHANGE, counts, Interval(-7.0, 7.0), ERROR)) == pytest.approx((7 * low, 7 * high))


def test_without_items_nothing_is_ruled_out_and_items_at_one_end_rule_out_the_other():
    assert bounds(CHANGE, np.array([0, 0, 0]), CHANGES, ERROR) == CHANGES
    assert bounds(np.array([]), np.array([]), CHANGES, ERROR) == CHANGES
    low, high = bounds(np.array([1.0]), np.array([40]), CHANGES, ERROR)
    assert 0 < low < high == 1.0
    low, high = bounds(np.array([-1.0]), np.array([40]), CHANGES, ERROR)
    assert low == -1.0
    assert high < 0


@pytest.mark.parametrize("discordant", [0.02, 0.2])
def test_a_billion_items_give_bounds_a_few_standard_errors_wide(discordant):
    n, delta = 10**9, 0.001
    counts = np.array([(discordant - delta) / 2 * n, (1 - discordant) * n, (discordant + delta) / 2 * n]).round()
    low, high = bounds(CHANGE, counts, CHANGES, ERROR)
    error = math.sqrt((discordant - delta**2) / n)
    assert 3.0 < (delta - low) / error < 4.5
    assert 3.0 < (high - delta) / error < 4.5


def test_many_values_are_rounded_outwards_and_hardly_widen_the_bounds(monkeypatch):
    each = np.random.default_rng(3).uniform(size=30_000)
    counts = np.ones(each.size, dtype=np.int64)
    rounded = bounds(each, counts, UNIT, ERROR)
    monkeypatch.setattr(betting, "MAX_VALUES", each.size)
    exact = bounds(each, counts, UNIT, ERROR)
    assert rounded.low <= exact.low < exact.high <= rounded.high
    assert rounded.high - rounded.low < 1.05 * (exact.high - exact.low)


def test_edges_beyond_the_scale_are_known_without_items():
    none = np.zeros((2, 3))
    assert rejects_at_most(CHANGE, none, -1.5, CHANGES, ERROR).tolist() == [True, True]
    for edge in (-1.0, 1.0, 1.5, math.inf):
        assert rejects_at_most(CHANGE, none, edge, CHANGES, ERROR).tolist() == [False, False]
    assert rejects_at_most(CHANGE, np.array([[5, 0, 1]]), -1.0, CHANGES, ERROR).tolist() == [True]
