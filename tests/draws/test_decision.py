"""The verdict: the papers' rule, its edges, and what it does when less is better."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ropewalk as rw
from ropewalk.draws.contrast import Question, contrast, is_settled, mirrored
from ropewalk.draws.decision import decide, is_stable, judge, path_text, rope_path
from ropewalk.draws.intervals import Estimate, Interval, Regions, region_masses, rope_masses, summarise
from ropewalk.draws.rope import parse_rope
from ropewalk.errors import InvalidInputError
from ropewalk.text.verdicts import Verdict, bar_text, judged_text, verdict_text
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


@pytest.mark.parametrize("prob", [0.49, 0.05])
def test_the_probability_rule_refuses_a_mass_that_two_regions_could_hold(prob, table):
    with pytest.raises(InvalidInputError, match=r"at least 0\.5"):
        rw.compare(table, rope=0.1, rule="probability", prob=prob, rng=0)
    # The HDI of such a mass is a short interval, and nothing is wrong with it.
    assert rw.compare(table, rope=0.1, prob=prob, rng=0, draws=1_000).decision is not None


def test_the_probability_rule_takes_a_mass_of_one_half(table):
    r = rw.compare(table, rope=0.1, rule="probability", prob=0.5, rng=0, draws=1_000)
    assert sum(mass >= 0.5 for mass in (r.regions.below, r.regions.inside, r.regions.above)) <= 1


@pytest.mark.parametrize(
    ("rope", "symbol", "words"),
    [
        ((-0.02, math.inf), "≈", "x is not worse than y by more than 0.02"),
        ((-0.02, math.inf), "≪", "x is worse than y by more than 0.02"),
        ((0.02, math.inf), "≈", "x is better than y by more than 0.02"),
        ((0.02, math.inf), "≪", "x is not better than y by more than 0.02"),
        ((-math.inf, 0.02), "≈", "x is not better than y by more than 0.02"),
        ((-math.inf, 0.02), "≫", "x is better than y by more than 0.02"),
        ((-math.inf, -0.02), "≈", "x is worse than y by more than 0.02"),
        ((-math.inf, -0.02), "≫", "x is not worse than y by more than 0.02"),
        ((0.0, math.inf), "≈", "x is not worse than y"),
        ((0.0, math.inf), "≪", "x is worse than y"),
        ((-math.inf, 0.0), "≈", "x is not better than y"),
        ((-math.inf, 0.0), "≫", "x is better than y"),
    ],
)
def test_one_sided_words_say_what_the_hdi_shows_and_never_equivalent(rope, symbol, words):
    assert judged_text(Verdict(symbol), None, rope, "x", "y", higher_is_better=True) == words
    # The same words where less is better and everything is mirrored.
    turned = (-rope[1], -rope[0])
    assert judged_text(Verdict(symbol), None, turned, "x", "y", higher_is_better=False) == words
    told = judged_text(Verdict(symbol), None, rope, "x", "0.8", higher_is_better=True, bar=True)
    assert told == words.replace("than y", "than the bar of 0.8")


one_sided = st.floats(-0.1, 0.1).flatmap(lambda edge: st.sampled_from([(edge, math.inf), (-math.inf, edge)]))


@given(one_sided, st.floats(-0.3, 0.3), st.booleans())
def test_what_is_said_of_a_one_sided_rope_is_true_of_the_draws(rope, mean, up):
    """Read the sentence as English, and hold it against the interval; seen from B it says the same."""
    draws = np.random.default_rng(0).normal(mean, 0.03, 2_000)
    question = Question(rope=Interval(*rope), prob=0.9, rule="hdi", higher_is_better=up)
    judged = contrast(draws, question, observed=None, names=("x", "y"))
    assert judged.rope_path is None
    text = judged.decision.text
    assert "equivalent" not in text
    low, high = judged.delta.hdi if up else judged.delta.hdi.mirrored()
    margin = float(text.partition("by more than ")[2].partition(";")[0] or 0)
    claim = text.partition("x is " if judged.decision.conclusive else "leaning x ")[2].partition(" than")[0]
    truth = {
        "better": low >= margin - 1e-6, "not worse": low >= -margin - 1e-6,
        "worse": high <= -margin + 1e-6, "not better": high <= margin + 1e-6,
    }  # fmt: skip
    better = draws if up else -draws
    share = {
        "better": better > margin, "not worse": better >= -margin,
        "worse": better < -margin, "not better": better <= margin,
    }[claim].mean()  # fmt: skip
    assert (truth[claim] and share >= 0.95) == judged.decision.conclusive
    assert judged.decision.leaning in ({None} if judged.decision.conclusive else {"a", "b"})
    assert (judged.decision.leaning == "a") == (not judged.decision.conclusive and claim in {"better", "not worse"})
    turned = mirrored(judged, question, ("y", "x")).decision
    other = {"better": "worse", "worse": "better", "not better": "not worse", "not worse": "not better"}[claim]
    assert f"y{' is' if turned.conclusive else ''} {other} than x" in turned.text


@pytest.mark.parametrize("prob", [0.95, 0.99, 0.999, 0.9999])
def test_an_hdi_end_is_known_only_with_draws_beyond_it(rng, prob):
    """As many draws as leave 39 beyond the HDI settle nothing, however far the ROPE is."""
    fewest = math.ceil(40 / (1 - prob) - 1e-6)
    wide = estimate_with(-0.001, 0.001, (1e-6, 1e-6))
    how = {"prob": prob, "rule": "hdi"}
    assert is_stable(wide, INSIDE, ROPE, n_draws=max(fewest, 1_000), **how)
    assert not is_stable(wide, INSIDE, ROPE, n_draws=fewest - 1, **how)


def test_a_mass_of_9999_is_not_stable_with_a_thousand_draws_and_auto_goes_on_drawing(table):
    r = rw.compare(table, rope=0.5, prob=0.9999, rng=0, draws=1_000)
    assert not r.decision.stable
    assert "Other draws may say otherwise." in " ".join(str(r).split())
    assert "too few draws beyond the HDI" in " ".join(r.to_text(details=True).split())
    auto = rw.compare(table, rope=0.5, prob=0.9999, rng=0)
    assert len(auto.draws) == 800_000  # 200,000 would leave 20 beyond it
    assert auto.decision.stable


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
    assert "Whether that matters depends on the smallest difference you would act on." in str(r)
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


def estimate_with(low, high, errors, *, mean=0.0, std=1.0, mc_error=0.001, observed=None):
    return Estimate(
        observed=observed, mean=mean, std=std, mc_error=mc_error, hdi=Interval(low, high), hdi_mc_error=errors
    )


INSIDE = Regions(below=0.0, inside=1.0, above=0.0)


@pytest.mark.parametrize("errors", [(0.001, 1e-9), (1e-9, 0.001)], ids=["low end", "high end"])
@pytest.mark.parametrize(("distance", "settled"), [(3.9, False), (4.1, True)])
def test_an_hdi_end_must_keep_four_of_its_errors_from_every_edge(errors, distance, settled):
    gap = distance * 0.001
    how = {"prob": 0.95, "rule": "hdi", "n_draws": 50_000}
    inside = estimate_with(-0.05 + gap, 0.05 - gap, errors)
    assert is_stable(inside, INSIDE, ROPE, **how) == settled
    outside = estimate_with(-0.05 - gap, 0.05 + gap, errors)
    assert is_stable(outside, INSIDE, ROPE, **how) == settled


def test_an_open_end_of_a_rope_is_no_edge_to_keep_from():
    far = estimate_with(
        -0.01, 0.3, (0.001, 0.075)
    )  # 4 errors are 0.3: less than to the low edge, more than to the high one
    how = {"prob": 0.95, "rule": "hdi", "n_draws": 50_000}
    assert is_stable(far, INSIDE, Interval(-0.05, math.inf), **how)
    assert not is_stable(far, INSIDE, ROPE, **how)
    low = estimate_with(-0.3, 0.01, (0.075, 0.001))
    assert is_stable(low, INSIDE, Interval(-math.inf, 0.05), **how)


@pytest.mark.parametrize("region", ["below", "inside", "above"])
@pytest.mark.parametrize("side", [-1, 1])
@pytest.mark.parametrize(("distance", "settled"), [(3.8, False), (4.2, True)])
def test_every_mass_must_keep_four_binomial_errors_from_the_bar(region, side, distance, settled):
    n, bar = 10_000, 0.8
    mass = bar + side * distance * math.sqrt(bar * (1 - bar) / n)
    masses = {"below": 0.0, "inside": 0.0, "above": 0.0, region: mass}
    spread = estimate_with(-1.0, 1.0, (1.0, 1.0))  # the HDI does not count under this rule
    assert is_stable(spread, Regions(**masses), ROPE, prob=bar, rule="probability", n_draws=n) == settled


def test_a_mass_of_all_draws_is_still_known_to_one_draw_only():
    # All of 10,000 draws: the error is taken for that of one draw, 1 / n, and four of them are 0.0004.
    how = {"rule": "probability", "n_draws": 10_000}
    certain = estimate_with(-0.01, 0.01, (0.0, 0.0))
    assert not is_stable(certain, INSIDE, ROPE, prob=0.9997, **how)
    assert is_stable(certain, INSIDE, ROPE, prob=0.9995, **how)


@pytest.mark.parametrize("rule", ["hdi", "probability"])
def test_a_thousand_draws_are_the_fewest_that_settle_anything(rule):
    clear = estimate_with(-0.001, 0.001, (1e-6, 1e-6))
    assert not is_stable(clear, INSIDE, ROPE, prob=0.9, rule=rule, n_draws=999)
    assert is_stable(clear, INSIDE, ROPE, prob=0.9, rule=rule, n_draws=1_000)


@pytest.mark.parametrize(
    ("mc_error", "expected"), [(0.01, 10_000), (0.1, 100), (10.0, 1), (0.001, 10_000), (0.0, 10_000)]
)
def test_draws_are_worth_what_the_error_of_their_mean_says_and_never_more(mc_error, expected):
    assert estimate_with(-1, 1, (0, 0), std=1.0, mc_error=mc_error).worth(10_000) == expected


def test_dependent_draws_settle_less(rng):
    draws = rng.normal(0.0, 0.005, 20_000)
    ordered = np.sort(draws)
    for ess, settled in ((None, True), (900.0, False)):
        estimate = summarise(draws, ordered, prob=0.95, observed=None, ess=ess)
        assert judge(estimate, ordered, ROPE, prob=0.95, rule="hdi", higher_is_better=True)[2] == settled


@pytest.mark.parametrize(
    ("gap", "mc_error", "std", "expected"),
    [
        (0.05, 0.01, 0.1, 0.5),
        (-0.05, 0.01, 0.1, -0.5),
        (0.039, 0.01, 0.1, 0.0),
        (0.041, 0.01, 0.1, 0.41),
        (1, 0, 0, 0.0),
    ],
)
def test_a_pull_is_in_standard_deviations_and_more_than_four_errors(gap, mc_error, std, expected):
    pulled = estimate_with(0, 1, (0, 0), mean=0.5 + gap, std=std, mc_error=mc_error, observed=0.5)
    assert pulled.pull == pytest.approx(expected)
    assert estimate_with(0, 1, (0, 0), mean=0.7, mc_error=mc_error).pull == 0.0  # nothing was observed


def test_a_shifted_estimate_moves_all_but_its_spread():
    moved = estimate_with(0.1, 0.4, (0.01, 0.02), mean=0.2, std=0.3, observed=0.25).shifted(-0.05)
    assert (moved.mean, moved.hdi.low, moved.hdi.high) == pytest.approx((0.15, 0.05, 0.35))
    assert (moved.std, moved.hdi_mc_error, moved.observed) == (0.3, (0.01, 0.02), None)


def test_the_regions_of_every_half_width_are_those_of_one(rng):
    ordered = np.sort(np.append(rng.normal(0.03, 0.05, 500), [-0.1, 0.1]))  # on an edge, too
    widths, *masses = rope_masses(ordered, 0.2, 41)
    assert widths == pytest.approx(np.arange(41) * 0.005)
    for width, *row in zip(widths, *masses, strict=True):
        one = region_masses(ordered, Interval(-width, width))
        assert row == pytest.approx([one.below, one.inside, one.above])


def test_zero_itself_is_neither_above_nor_below():
    question = Question(rope=None, prob=0.9, rule="hdi", higher_is_better=True)
    found = contrast(np.array([-1.0, 0.0, 0.0, 2.0, 3.0]), question, observed=None, names=("a", "b"))
    assert (found.prob_below_zero, found.prob_above_zero) == (0.2, 0.4)
    assert (found.decision, found.regions, found.rope_path) == (None, None, None)


@pytest.mark.parametrize("rule", ["hdi", "probability"])
@pytest.mark.parametrize("better", [True, False])
@pytest.mark.parametrize("mean", [-0.09, -0.03, 0.0, 0.06])
def test_a_mirrored_contrast_is_that_of_the_negative_draws(rng, rule, better, mean):
    draws, rope = draws_of(rng, mean), Interval(-0.05, 0.04)
    one, other = (Question(rope=side, prob=0.9, rule=rule, higher_is_better=better) for side in (rope, rope.mirrored()))
    turned = mirrored(contrast(draws, one, observed=0.01, names=("a", "b")), one, ("b", "a"))
    direct = contrast(-draws, other, observed=-0.01, names=("b", "a"))
    assert (turned.decision, turned.regions) == (direct.decision, direct.regions)
    assert (turned.prob_below_zero, turned.prob_above_zero) == (direct.prob_below_zero, direct.prob_above_zero)
    assert turned.delta.observed == direct.delta.observed
    numbers = [(e.mean, e.std, e.mc_error, *e.hdi, *e.hdi_mc_error) for e in (turned.delta, direct.delta)]
    assert numbers[0] == pytest.approx(numbers[1])
    assert [piece.verdict for piece in turned.rope_path] == [piece.verdict for piece in direct.rope_path]


def test_without_a_rope_everything_is_settled(rng):
    draws = draws_of(rng, 0.05)
    near = {"prob": 0.95, "rule": "hdi", "higher_is_better": True}
    edge = summarise(draws, np.sort(draws), prob=0.95, observed=None).hdi.high
    assert is_settled(draws, Question(rope=None, **near))
    assert not is_settled(draws, Question(rope=Interval(-edge, edge), **near))
    assert is_settled(draws, Question(rope=Interval(-1.0, 1.0), **near))


@pytest.mark.parametrize(("better", "mean", "symbol"), [(True, 0.01, ">"), (True, -0.01, "<"), (False, 0.01, "<")])
def test_on_the_path_too_a_tie_of_midpoints_goes_by_the_mean(better, mean, symbol):
    even = estimate_with(-0.1, 0.1, (0.0, 0.0), mean=mean)
    path = rope_path(even, np.array([-0.1, 0.1]), prob=0.95, rule="hdi", higher_is_better=better)
    assert [(piece.start, piece.stop, piece.verdict.value) for piece in path] == [(0.0, 0.1, symbol), (0.1, None, "≈")]


@pytest.mark.parametrize("n", [1, 2, 1_000])
def test_draws_that_are_all_alike_have_no_spread_whatever_rounding_makes_of_their_mean(n):
    alike = np.full(n, 0.1)
    estimate = summarise(alike, alike, prob=0.95, observed=None)
    assert (estimate.std, estimate.mc_error) == (0.0, 0.0)
    assert tuple(estimate.hdi) == (0.1, 0.1)


def test_one_draw_that_differs_is_a_spread():
    draws = np.array([0.0, 0.0, 0.0, 1.0])
    assert summarise(draws, draws, prob=0.95, observed=None).std == pytest.approx(0.5)
