"""The verdict: the papers' rule, its edges, and what it does when less is better."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ropewalk as rw
from ropewalk.draws.decision import decide, judge, parse_rope, path_text, region_masses, rope_path
from ropewalk.draws.intervals import Interval
from ropewalk.draws.summary import summarise
from ropewalk.errors import InvalidInputError
from ropewalk.text.verdicts import Verdict, bar_text, verdict_text
from strategies import half_widths

ROPE = Interval(-0.05, 0.05)


@pytest.mark.parametrize(
    ("low", "high", "symbol"),
    [
        (-0.02, 0.03, "≈"),
        (-0.05, 0.05, "≈"),  # edges count as inside
        (0.05, 0.2, "≫"),  # and as outside, when all else is
        (-0.2, -0.05, "≪"),
        (0.06, 0.1, "≫"),
        (-0.1, -0.06, "≪"),
        (0.0, 0.06, ">"),
        (-0.06, 0.0, "<"),
        (-0.1, 0.2, ">"),
        (-0.2, 0.1, "<"),
        (-0.1, 0.1, "<"),  # a tie in midpoint and mean
    ],
)
def test_the_five_verdicts(low, high, symbol):
    assert decide(Interval(low, high), ROPE).value == symbol


def test_a_tie_of_midpoints_goes_by_the_mean():
    assert decide(Interval(-0.1, 0.1), ROPE, mean=0.01) is Verdict.UNDECIDED_HIGH
    assert decide(Interval(-0.1, 0.1), ROPE, mean=-0.01) is Verdict.UNDECIDED_LOW


@given(st.tuples(st.floats(-1, 1), st.floats(-1, 1)).map(sorted), half_widths)
def test_exchanging_a_and_b_mirrors_the_verdict(ends, width):
    rope = Interval(-width, width)
    mirror = {"≈": "≈", "≪": "≫", "≫": "≪", "<": ">", ">": "<"}
    hdi = Interval(*ends)
    if hdi.middle != 0:
        assert decide(hdi.mirrored(), rope).value == mirror[decide(hdi, rope).value]


def test_one_sided_ropes_decide():
    not_worse = Interval(-0.02, math.inf)
    assert decide(Interval(-0.01, 0.3), not_worse) is Verdict.EQUIVALENT
    assert decide(Interval(-0.3, -0.1), not_worse) is Verdict.B_BETTER
    assert decide(Interval(-0.3, 0.1), not_worse) is Verdict.UNDECIDED_LOW
    assert decide(Interval(-0.3, 0.1), Interval(-math.inf, 0.02)) is Verdict.UNDECIDED_HIGH


@pytest.mark.parametrize(
    ("rope", "told"),
    [
        (0, "must not be 0"),
        (-0.01, "positive"),
        (float("nan"), "finite"),
        (float("inf"), "finite"),
        ((0.05, -0.05), r"did you mean \(-0.05, 0.05\)"),
        ((0.01, 0.01), "low to its high"),
        ((float("nan"), 1), "must be numbers"),
        ((-math.inf, math.inf), "one finite end"),
        ("0.05", "number or a pair"),
        ((1, 2, 3), "number or a pair"),
        (True, "number or a pair"),
    ],
)
def test_a_bad_rope_is_refused(rope, told):
    with pytest.raises(InvalidInputError, match=told):
        parse_rope(rope)


def draws_of(rng, mean=0.02, std=0.02, n=4_000):
    return rng.normal(mean, std, n)


def test_region_edges_count_as_inside():
    ordered = np.array([-0.06, -0.05, 0.0, 0.05, 0.06])
    masses = region_masses(ordered, ROPE)
    assert (masses.below, masses.inside, masses.above) == (0.2, 0.6, 0.2)


@pytest.mark.parametrize("rule", ["hdi", "probability"])
@pytest.mark.parametrize("better", [True, False])
@pytest.mark.parametrize("mean", [-0.06, -0.01, 0.0, 0.03, 0.09])
def test_the_rope_path_says_what_the_rule_says_at_every_width(rng, rule, better, mean):
    draws = draws_of(rng, mean)
    ordered = np.sort(draws)
    estimate = summarise(draws, ordered, prob=0.9, observed=None)
    path = rope_path(estimate, ordered, prob=0.9, rule=rule, higher_is_better=better)
    assert path[0].start == 0
    assert path[-1].stop is None
    assert all(one.stop == two.start for one, two in pairwise(path))
    for width in rng.uniform(1e-4, 0.2, 300):
        _, verdict, _, _ = judge(
            estimate, ordered, Interval(-width, width), prob=0.9, rule=rule, higher_is_better=better
        )
        piece = next(p for p in path if p.start <= width and (p.stop is None or width < p.stop))
        assert piece.verdict is verdict


def test_less_is_better_mirrors_the_verdict_but_not_the_axis(table):
    """error = 1 − accuracy, so delta and regions mirror, and the verdict stays."""
    right = rw.compare(table, metric="accuracy", rope=(-0.002, 0.004), rng=0, draws=20_000)
    wrong = rw.compare(table, metric="error", rope=(-0.004, 0.002), rng=0, draws=20_000)
    assert np.allclose(right.draws.delta(), -wrong.draws.delta())
    assert right.decision.symbol == wrong.decision.symbol
    assert right.decision.leaning == wrong.decision.leaning
    assert right.regions.below == pytest.approx(wrong.regions.above, abs=2e-4)
    assert wrong.to_dict()["higher_is_better"] is False


def test_the_probability_rule_lets_the_largest_region_decide(table):
    r = rw.compare(table, rope=0.05, rule="probability", prob=0.9, rng=0, draws=20_000)
    assert r.regions.inside >= 0.9
    assert r.decision.symbol == "≈"
    strict = rw.compare(table, rope=0.05, rule="probability", prob=0.999, rng=0, draws=20_000)
    assert strict.decision.symbol == ">"
    assert strict.decision.leaning == "equivalent"


def test_leaning_is_the_largest_region_and_not_the_sign_of_the_mean(news):
    """SIGIR Table 4, category 15: labelled <, although 92% of the mass lies in the ROPE."""
    r = rw.compare(news.outcomes, a="nb_bern", b="nb_mult", pos_label=15, rope=0.05, rng=0)
    assert r.decision.symbol == "<"
    assert r.decision.leaning == "equivalent"
    assert r.regions.inside > 0.9
    assert "leaning equivalent" in r.decision.text


def test_auto_draws_more_near_an_edge_and_says_when_it_cannot_tell(news):
    near = rw.compare(news.outcomes, a="svm_l1", b="svm_l2", pos_label=4, rope=0.05, rng=0)
    far = rw.compare(news.outcomes, a="svm_l1", b="svm_l2", pos_label=1, rope=0.05, rng=0)
    assert len(far.draws) == 50_000
    assert far.decision.stable
    assert len(near.draws) == 3_200_000
    assert not near.decision.stable


def test_a_fixed_number_of_draws_is_honoured_and_judged_for_stability(news):
    options = {"a": "svm_l1", "b": "svm_l2", "pos_label": 4, "rope": 0.05, "draws": 3_000}
    r = rw.compare(news.outcomes, rng=0, **options)
    assert len(r.draws) == 3_000
    assert not r.decision.stable


def test_without_a_rope_there_is_no_verdict(table):
    r = rw.compare(table, rng=0)
    told = r.to_dict()
    assert told["rope"] is told["regions"] is told["decision"] is told["rope_path"] is None
    assert not r.conclusive
    assert "needs a ROPE" in str(r)
    assert len(r.draws) == 50_000


@pytest.mark.parametrize(
    ("symbol", "leaning", "words"),
    [
        ("≫", None, "x is better than y by a margin that matters (ROPE ±0.01)"),
        ("≪", None, "y is better than x by a margin that matters (ROPE ±0.01)"),
        ("≈", None, "x and y are practically equivalent at ±0.01"),
        ("<", "b", "Undecided at ±0.01; leaning y better; more data needed"),
        (">", "equivalent", "Undecided at ±0.01; leaning equivalent; more data needed"),
    ],
)
def test_words(symbol, leaning, words):
    assert verdict_text(Verdict(symbol), leaning, "±0.01", "x", "y") == words


def test_words_against_a_bar():
    told = bar_text(Verdict.B_BETTER, None, "±0.01", "x", "0.8")
    assert told == "x is worse than the bar of 0.8 by a margin that matters (ROPE ±0.01)"


def test_the_path_in_words(rng):
    draws = draws_of(rng, 0.09)
    ordered = np.sort(draws)
    estimate = summarise(draws, ordered, prob=0.95, observed=None)
    path = rope_path(estimate, ordered, prob=0.95, rule="hdi", higher_is_better=True)
    assert path_text(path, 2) == f"≫ holds up to ±{estimate.hdi.low:.2f}; ≈ holds from ±{estimate.hdi.high:.2f} on"
