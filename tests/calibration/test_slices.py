"""Calibration of slices: coverage of their differences, and how often one is called worse where none is.

Twenty slices of 50 items, or one of 50 and nineteen of 1,000; classifiers are right on 80% of them and disagree on 20%,
or more where they differ by more.
With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import numpy as np
import pytest

import ropewalk as rw
from calibration.test_multiclass import record
from ropewalk.data.items import slices_of
from ropewalk.inference.slices import compare_slices

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]

REPEATS, SLICES, ITEMS = 500, 20, 50
ALONE = 5  # of so many data sets one is looked at without pooling too
SETTINGS = {  # the spread of the true differences, that of the first slice where it stands apart, items of the others
    "none differs": (0.0, 0.0, ITEMS),
    "slightly": (0.03, 0.0, ITEMS),
    "much": (0.1, 0.0, ITEMS),
    "one much worse": (0.0, -0.4, ITEMS),
    "one worse": (0.0, -0.2, ITEMS),
    "a small one much worse": (0.0, -0.4, 1_000),
}


def answers(rng, difference, n_items):
    """Return truth, A and B of the items of a slice with a true difference of accuracy."""
    disagree = max(0.2, abs(difference) + 0.02)
    only_a, only_b = (disagree + difference) / 2, (disagree - difference) / 2
    both = max(0.8 - disagree / 2, 0.02)
    shares = np.array([both, only_a, only_b, max(1 - disagree - both, 0.0)])
    truth, kind = rng.integers(2, size=n_items), rng.choice(4, size=n_items, p=shares / shares.sum())
    return truth, *(np.where((kind == 0) | (kind == only), truth, 1 - truth) for only in (1, 2))


@cache
def studied(setting):
    """Return what slices said in so many data sets, pooled and each by itself."""
    spread, apart, others = SETTINGS[setting]
    sizes = [ITEMS, *[others] * (SLICES - 1)]
    where = np.repeat(np.arange(SLICES), sizes)
    rng = np.random.default_rng([19, list(SETTINGS).index(setting)])
    told, whole = {}, None
    for repeat in range(REPEATS):
        true = np.clip(rng.normal(0, spread, SLICES), -0.6, 0.6) if spread else np.zeros(SLICES)
        true[0] = apart or true[0]
        truth, a, b = (np.concatenate(part) for part in zip(*map(partial(answers, rng), true, sizes), strict=True))
        asked = {"metric": "accuracy", "draws": 2_000}
        table = rw.Outcomes.from_arrays(truth, a, b)
        whole = rw.compare(table, **asked, rng=0) if repeat == 0 else whole
        seeded, parts = replace(whole, recipe=replace(whole.recipe, seed=repeat)), slices_of(table, where)
        for how in ("pooled", "alone") if repeat % ALONE == 0 else ("pooled",):
            by = compare_slices(seeded, parts, {**asked, "pool": how == "pooled"})
            held = np.array([s.comparison.hdi.low <= x <= s.comparison.hdi.high for s, x in zip(by, true, strict=True)])
            worse = np.isin(np.arange(SLICES), by.worse)
            row = held.mean(), held[0], worse[true >= 0].any(), worse[0], worse[true < 0].sum(), (true < 0).sum()
            told.setdefault(how, []).append(row)
    names = "coverage", "first_covered", "false_alarm", "first_named", "named", "to_be_named"
    figures = {how: dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True)) for how, rows in told.items()}
    record("slices", setting=setting, repeats=REPEATS, figures=figures)
    return figures


@pytest.mark.parametrize("setting", SETTINGS)
def test_intervals_of_slices_cover_what_they_say(setting):
    """Ten thousand intervals, whose slices share a centre: a standard error of at most half a point."""
    assert studied(setting)["pooled"]["coverage"] >= 0.91
    assert 0.92 <= studied(setting)["alone"]["coverage"] <= 0.98


def test_no_slice_is_called_worse_where_none_is():
    """Five in a hundred, and two standard errors of 500 data sets; without pooling, the negative control, many are."""
    assert studied("none differs")["pooled"]["false_alarm"] <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / REPEATS)
    assert studied("none differs")["alone"]["false_alarm"] > 0.25


def test_a_slice_that_is_much_worse_is_found():
    assert studied("one much worse")["pooled"]["first_named"] > 0.85
    assert studied("one much worse")["pooled"]["false_alarm"] < 0.12


def test_a_small_slice_is_not_hidden_by_large_ones_that_are_alike():
    """Its own items are 5.5 standard errors from the others; tails as wide as these are spread covered .57 of it."""
    assert studied("a small one much worse")["pooled"]["first_covered"] > 0.75
    assert studied("a small one much worse")["pooled"]["first_named"] > 0.6


SMALL_REPEATS = 30


@cache
def small_studied(n_items, difference, apart, metric):
    """Return how often intervals of small slices cover, the first apart, their mean, and false verdicts."""
    rng, where = np.random.default_rng([20, n_items, round(100 * difference)]), np.repeat(np.arange(SLICES), n_items)
    true = np.full(SLICES, difference)
    true[0] = difference if apart is None else apart
    rows = []
    for repeat in range(SMALL_REPEATS):
        b = np.where(true[where] < 0, 0.9, 0.45)
        a, b = (rng.random(where.size) < chance for chance in (b + true[where], b))
        asked = {"draws": 2_000, "by": where, "rng": repeat, "metric": metric}
        truth = rng.integers(2, size=where.size)
        told = (a.astype(int), b.astype(int)) if metric == "mean" else (truth, *(truth ^ ~right for right in (a, b)))
        by = rw.compare(*told, **asked).by
        held = [s.comparison.hdi.low <= x <= s.comparison.hdi.high for s, x in zip(by, true, strict=True)]
        named = np.isin(np.arange(SLICES), by.worse)
        rows.append((np.mean(held[1:]), np.mean([s.comparison.mean for s in by][1:]), named[true >= 0].any()))
    names = "coverage", "mean", "false_alarm"
    figures = dict(zip(names, np.mean(rows, axis=0).tolist(), strict=True))
    record("slices", items=n_items, difference=difference, apart=apart, metric=metric, figures=figures)
    return figures


@pytest.mark.parametrize("metric", ["mean", "accuracy"])
@pytest.mark.parametrize("n_items", [4, 10, 25])
@pytest.mark.parametrize(("difference", "apart"), [(0.0, None), (0.1, None), (0.45, None), (0.0, -0.4), (0.1, -0.4)])
def test_small_slices_lie_where_they_do(n_items, difference, apart, metric):
    """Six hundred intervals, whose slices share a centre; with the pull of their priors .45 was covered in .75."""
    figures = small_studied(n_items, difference, apart, metric)
    assert figures["coverage"] >= 0.92
    error = np.sqrt(0.5 / (SLICES * n_items * SMALL_REPEATS))
    assert abs(figures["mean"] - difference) <= 0.02 + 4 * error
    assert figures["false_alarm"] <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / SMALL_REPEATS)
