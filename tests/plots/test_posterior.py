"""Pictures of one difference: what is drawn is what the result holds."""

from __future__ import annotations

import dataclasses
import functools
import io
import math
import subprocess
import sys

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import same_color, to_rgba
from matplotlib.patches import StepPatch
from scipy.stats import norm

import ropewalk as rw
from hostile import hostile_names
from posteriors import compared, crossed, plain, worse_if_more
from ropewalk.draws.density import bandwidth, kernel, scott, smooth
from ropewalk.draws.evidence import SD_DRAWS, Evidence
from ropewalk.draws.intervals import Interval, region_masses
from ropewalk.errors import InvalidInputError
from ropewalk.plots import plot_draws, plot_factor, plot_joint, plot_posterior, plot_rope_curve
from ropewalk.plots._canvas import fitted, folded, width_of
from ropewalk.report.pictures import ABOVE, BELOW, INSIDE, LINE, Axis, bulk, view
from ropewalk.text.writing import decimals, number, percent

ALL = [plot_posterior, plot_factor, plot_draws, plot_joint, plot_rope_curve]
HOSTILE = hostile_names(
    "formula and cell", "script", "long", "emoji and text", "hebrew", "red lines", "underscore", "turned at once",
    "dashes",
)  # fmt: skip


pytestmark = pytest.mark.usefixtures("untouched_settings")


@pytest.fixture(scope="module")
def r(news):
    return rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)


def laid_out(ax):
    """Place everything, as drawing does, without painting it: glyphs that are missing would warn."""
    ax.figure.draw_without_rendering()
    return ax


def texts(ax):
    return [text.get_text() for text in ax.texts]


def outside(ax):
    """Return the texts of laid out axes that are cut off by the figure."""
    whole = ax.figure.bbox
    shown = [text for text in [*ax.texts, ax.title, ax.xaxis.label, ax.yaxis.label] if text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown]
    return [t for t, b in boxes if b.x0 < whole.x0 - 1 or b.x1 > whole.x1 + 1 or b.y0 < -1 or b.y1 > whole.y1 + 1]


def overlapping(ax):
    """Return pairs of texts of laid out axes that lie on each other."""
    shown = [text for text in [*ax.texts, ax.title, ax.xaxis.label] if text.get_text()]
    boxes = [(text.get_text(), text.get_window_extent()) for text in shown]
    return [
        (t, u)
        for i, (t, a) in enumerate(boxes)
        for u, b in boxes[i + 1 :]
        if min(a.x1, b.x1) - max(a.x0, b.x0) > 2 and min(a.y1, b.y1) - max(a.y0, b.y0) > 2
    ]


def areas(ax):
    """Return the area of each colour of a histogram."""
    found = {}
    for patch in ax.patches:
        if isinstance(patch, StepPatch):
            heights, edges, _ = patch.get_data()
            colour = patch.get_facecolor()
            name = next(n for n in (BELOW, INSIDE, ABOVE, LINE) if same_color(colour, n))
            found[name] = found.get(name, 0.0) + float(np.sum(heights * np.diff(edges)))
    return found


def edges(ax, colour):
    steps = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
    mine = next(patch for patch in steps if same_color(patch.get_facecolor(), colour))
    return mine.get_data().edges


def band(ax):
    """Return the ends of the ROPE as drawn."""
    found = [patch for patch in ax.patches if patch.get_label() == "ROPE"]
    if not found:
        return None
    (patch,) = found
    return patch.get_x(), patch.get_x() + patch.get_width()


def lines(ax, label):
    return [line for line in ax.lines if line.get_label() == label]


SHAPES = {
    "normal": np.random.default_rng(0).normal(0.02, 0.02, 20_000),
    "bimodal": np.concatenate(
        [np.random.default_rng(1).normal(-0.06, 0.008, 12_000), np.random.default_rng(2).normal(0.05, 0.01, 8_000)]
    ),
    "skewed": np.random.default_rng(3).exponential(0.03, 20_000),
    "long tails": np.random.default_rng(4).standard_cauchy(20_000) * 0.01,
    "atoms": np.random.default_rng(5).normal(0.004, 0.01, 20_000).round(2),
    "ten": np.random.default_rng(6).normal(0.0, 0.03, 10),
    "one": np.array([0.1]),
    "constant": np.full(1_000, 0.02),
    "zero": np.zeros(1_000),
    "at the edge": np.full(1_000, 0.05),
}
ROPES = {"none": None, "usual": 0.05, "one-sided": (-0.02, math.inf), "wide": 0.5, "tiny": 1e-6, "far": (0.5, 0.6)}


@functools.cache
def of_shape(shape, rope):
    """Return a difference with draws of this shape, judged by this ROPE."""
    return compared(SHAPES[shape], ROPES[rope])


@functools.cache
def called(name):
    """Return a comparison whose A has this name."""
    y = ["pos", "neg"] * 50
    said = {"names": [name, "other"], "pos_label": "pos", "rope": 0.02, "rng": 0, "draws": 500}
    return rw.compare(y, y, ["pos", "neg"] * 40 + ["neg"] * 20, **said)


# --- the posterior -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rope", ["usual", "one-sided", "wide", "tiny", "far"])
def test_areas_of_a_histogram_are_the_masses_of_the_regions(shape, rope):
    c = of_shape(shape, rope)
    ax = plot_posterior(c)
    masses = {BELOW: c.regions.below, INSIDE: c.regions.inside, ABOVE: c.regions.above}
    if c.std == 0:  # a needle
        (needle,) = [patch for patch in ax.patches if isinstance(patch, StepPatch)]
        low, high = needle.get_data().edges
        assert (low + high) / 2 == pytest.approx(c.mean)
        assert 0 < high - low < 0.02 * np.ptp(ax.get_xlim())
        assert masses[next(colour for colour in masses if same_color(needle.get_facecolor(), colour))] == 1
        return
    found = areas(ax)
    assert found == pytest.approx({colour: mass for colour, mass in masses.items() if mass})


def test_bins_end_exactly_at_the_edges_of_the_rope():
    c = compared(SHAPES["normal"], (-0.013, 0.031))
    ax = plot_posterior(c)
    assert edges(ax, BELOW)[-1] == edges(ax, INSIDE)[0] == -0.013
    assert edges(ax, INSIDE)[-1] == edges(ax, ABOVE)[0] == 0.031


@pytest.mark.parametrize("shape", SHAPES)
def test_the_bar_ends_where_the_hdi_does_and_says_so(shape):
    c = compared(SHAPES[shape])
    ax = plot_posterior(c)
    (bar,) = lines(ax, "HDI")
    assert list(bar.get_xdata()) == [c.hdi.low, c.hdi.high]
    assert max(bar.get_ydata()) < 0  # below the base line
    ends = [number(end, decimals(c.delta), sign=True).replace("-", "−") for end in c.hdi]
    said = " ".join(texts(ax))
    assert all(end in said for end in ends)
    assert "95% HDI" in said


def test_the_band_is_the_rope_and_0_is_marked():
    ax = plot_posterior(compared(SHAPES["normal"], (-0.01, 0.03)))
    assert band(ax) == pytest.approx((-0.01, 0.03))
    assert "ROPE [−0.01, +0.03]" in texts(ax)
    dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert [list(line.get_xdata()) for line in dotted] == [[0.0, 0.0]]


def test_an_open_end_of_the_rope_reaches_the_end_of_the_axis():
    ax = plot_posterior(compared(SHAPES["normal"], (-0.02, math.inf)))
    low, high = band(ax)
    assert (low, high) == pytest.approx((-0.02, ax.get_xlim()[1]))
    assert "ROPE [−0.02, +∞]" in texts(ax)


def test_a_rope_wider_than_the_axis_leaves_the_posterior_visible_and_is_said_to_be():
    c = compared(SHAPES["normal"], 0.5)
    ax = plot_posterior(c)
    low, high = ax.get_xlim()
    assert high - low < 4 * np.ptp(SHAPES["normal"])
    assert band(ax) == pytest.approx((low, high))
    assert "ROPE ±0.5, wider than the axis" in texts(ax)


@pytest.mark.parametrize(("mean", "said"), [(0.8, "← ROPE ±0.01"), (-0.8, "ROPE ±0.01 →")])
def test_a_rope_out_of_sight_is_pointed_at(mean, said):
    ax = plot_posterior(compared(SHAPES["normal"] - 0.02 + mean, 0.01))
    assert band(ax) is None
    assert said in texts(ax)


def test_words_and_masses_stand_in_the_order_of_the_axis(r):
    masses = (r.regions.below, r.regions.inside, r.regions.above)
    shares = [percent(mass, len(r.draws)) for mass in masses]
    places = {0.0: BELOW, 0.5: INSIDE, 1.0: ABOVE}
    meanings = ["svm_l2 better", "too close", "nb_mult better"]
    told = [(t.get_text(), t.xy[0], t.get_color()) for t in plot_posterior(r).texts if t.get_color() in places.values()]
    assert told == [
        (text, place, places[place])
        for pair, place in zip(zip(meanings, shares, strict=True), places, strict=True)
        for text in pair
    ]


def test_where_less_is_better_the_other_one_is():
    c = compared(SHAPES["normal"], 0.001, names=("mine", "theirs"), metric=worse_if_more(plain()))
    ax = plot_posterior(c)
    places = {t.get_text(): t.xy[0] for t in ax.texts if "better" in t.get_text()}
    assert places == {"mine better": 0.0, "theirs better": 1.0}
    assert "theirs better" in ax.get_title().replace("\n", " ")  # where it leans


@pytest.mark.parametrize("rope", ["usual", "one-sided", "wide", "tiny", "far"])
def test_the_title_is_the_verdict(rope):
    c = compared(SHAPES["normal"], ROPES[rope])
    title = plot_posterior(c).get_title().replace("\n", " ")
    assert title.startswith(c.decision.symbol)
    assert c.decision.text.replace("-", "−") in title
    assert ("(unstable)" in title) is not c.decision.stable


def test_without_a_rope_there_are_signs_and_no_verdict():
    c = compared(SHAPES["normal"], None)
    ax = laid_out(plot_posterior(c))
    assert areas(ax) == pytest.approx({BELOW: c.prob_below_zero, ABOVE: c.prob_above_zero})
    assert edges(ax, BELOW)[-1] == edges(ax, ABOVE)[0] == 0.0
    assert {"P(Δ < 0)", "P(Δ > 0)"} < set(texts(ax))
    assert band(ax) is None
    title = ax.get_title().replace("\n", " ")
    assert title.endswith("whether that matters needs a ROPE")
    assert percent(c.prob_above_zero, len(c.draws)) in title


def test_equal_scores_are_neither_above_nor_below():
    c = compared(SHAPES["atoms"], None)
    ax = plot_posterior(c)
    same = 1 - c.prob_above_zero - c.prob_below_zero
    assert areas(ax) == pytest.approx({BELOW: c.prob_below_zero, INSIDE: same, ABOVE: c.prob_above_zero})
    assert "P(Δ = 0)" in texts(ax)


def test_a_rope_without_a_verdict_has_no_say(silent):
    c = rw.compare([1, 0] * 4, [1, 0] * 4, [1, 1] * 4, rope=0.05, rng=0, model="bootstrap", draws=1_000)
    assert c.no_verdict
    ax = plot_posterior(c)
    assert band(ax) is None
    assert c.no_verdict in ax.get_title().replace("\n", " ")


def test_long_tails_are_cut_and_counted():
    c = compared(SHAPES["long tails"])
    ax = plot_posterior(c)
    low, high = ax.get_xlim()
    out = np.mean((SHAPES["long tails"] < low) | (SHAPES["long tails"] > high))
    assert f"({percent(out, 20_000)} of the draws lie beyond)" in ax.get_xlabel().replace("\n", " ")
    assert high - low < 8 * (c.hdi.high - c.hdi.low)


@pytest.mark.parametrize("shape", ["normal", "bimodal", "skewed", "ten", "atoms"])
def test_a_smooth_curve_is_coloured_like_the_histogram_and_has_area_1(shape):
    c = compared(SHAPES[shape], 0.03)
    ax = laid_out(plot_posterior(c, kind="density"))
    outlines = [line for line in ax.lines if len(line.get_xdata()) > 5]
    points = [(line.get_xdata(), line.get_ydata()) for line in outlines]
    area = sum(float(np.diff(x) @ (y[1:] + y[:-1])) / 2 for x, y in points)
    assert area == pytest.approx(1.0, abs=0.02)
    colours = [to_rgba(c) for c in (BELOW, INSIDE, ABOVE)]
    drawn = [tuple(collection.get_facecolor()[0]) for collection in ax.collections]
    assert drawn == [colour for colour in colours if colour in drawn]
    ends = [collection.get_datalim(ax.transData).intervalx for collection in ax.collections]
    inside = ends[drawn.index(to_rgba(INSIDE))]
    assert inside[1] == pytest.approx(min(0.03, SHAPES[shape].max()))


def test_an_unknown_kind_is_refused_before_anything_is_drawn(r):
    with pytest.raises(InvalidInputError, match="histogram, density"):
        plot_posterior(r, kind="histogramm")
    assert not plt.get_fignums()


# --- one metric --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def evaluated(news):
    def make(**said):
        return rw.evaluate(news.outcomes, "svm_l2", pos_label=8, draws=20_000, rng=0, **said)["f1"]

    return make


def test_a_metric_without_a_bar_has_no_regions(evaluated):
    m = evaluated()
    ax = plot_posterior(m)
    assert areas(ax) == pytest.approx({LINE: 1.0})
    assert ax.get_xlabel() == "F1 of class 8 of svm_l2"
    (bar,) = lines(ax, "HDI")
    assert list(bar.get_xdata()) == [m.estimate.hdi.low, m.estimate.hdi.high]
    assert "better" not in " ".join(texts(ax))


def test_a_bar_splits_the_posterior(evaluated):
    m = evaluated(at_least=0.75)
    ax = plot_posterior(m)
    assert areas(ax) == pytest.approx({BELOW: 1 - m.prob_at_least, ABOVE: m.prob_at_least})
    assert edges(ax, ABOVE)[0] == pytest.approx(0.75, abs=1e-4)
    assert {"P(below the bar)", "P(at least the bar)", "bar"} < set(texts(ax))


@pytest.mark.parametrize("bar", [0.70, 0.75, 0.79, 0.99, 0.2])
def test_a_bar_with_a_rope_has_regions_and_a_verdict(evaluated, bar):
    m = evaluated(at_least=bar, rope=0.02)
    ax = laid_out(plot_posterior(m))
    masses = {BELOW: m.regions.below, INSIDE: m.regions.inside, ABOVE: m.regions.above}
    assert areas(ax) == pytest.approx({colour: mass for colour, mass in masses.items() if mass})
    assert m.decision.text in ax.get_title().replace("\n", " ")
    if 0.7 < bar < 0.79:
        assert band(ax) == pytest.approx((bar - 0.02, bar + 0.02), abs=2e-4)


def test_a_whole_evaluation_is_refused_with_the_way_out(news):
    e = rw.evaluate(news.outcomes, "svm_l2", pos_label=8, draws=1_000, rng=0)
    with pytest.raises(InvalidInputError, match=r'evaluate\(…\)\["f1"\]'):
        plot_posterior(e)


# --- the trace ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "step"), [(10, 1), (2_000, 1), (2_001, 2), (50_000, 25)])
def test_the_trace_has_the_draws_in_order_and_the_running_mean_of_all(n, step):
    c = compared(np.cumsum(np.random.default_rng(0).normal(0, 0.001, n)))
    ax = laid_out(plot_draws(c))
    delta = c.draws.delta()
    (shown,), (running,) = lines(ax, "draws"), lines(ax, "running mean")
    order = shown.get_xdata()
    assert len(order) <= 2_000
    assert np.array_equal(order, np.arange(step, n + 1, step))
    assert np.array_equal(shown.get_ydata(), delta[order - 1])
    assert running.get_ydata() == pytest.approx([delta[:k].mean() for k in order])
    assert ("is shown" in ax.get_xlabel()) is (step > 1)
    assert [line.get_ydata()[0] for line in lines(ax, "HDI")] == list(c.hdi)
    assert [line.get_ydata()[0] for line in lines(ax, "mean")] == [c.mean]


def test_the_trace_of_a_metric_says_its_numbers(evaluated):
    m = evaluated()
    ax = plot_draws(m)
    ends = [number(end, decimals(m.estimate)) for end in m.estimate.hdi]
    assert all(any(end in text for text in texts(ax)) for end in ends)
    assert np.array_equal(lines(ax, "draws")[0].get_ydata(), m.draws.psi[0][9::10])
    assert ax.get_ylabel() == "F1 of class 8 of svm_l2"


# --- both scores -------------------------------------------------------------------------------------------------


def test_dots_are_draws_coloured_by_region(r):
    ax = laid_out(plot_joint(r))
    (dots,) = [c for c in ax.collections if c.get_label() == "draws"]
    a, b = dots.get_offsets().T
    assert len(a) == 2_000
    assert np.array_equal(np.stack([a, b]), r.draws.psi[:, len(r.draws) // 2_000 - 1 :: len(r.draws) // 2_000])
    colours = np.array([tuple(c[:3]) for c in dots.get_facecolors()])
    expected = np.select([a - b < -0.05, a - b > 0.05], [0, 2], 1)
    assert np.array_equal(colours, np.array([to_rgba(c)[:3] for c in (BELOW, INSIDE, ABOVE)])[expected])


def test_the_scores_share_their_axes_and_the_strip_is_the_rope(r):
    ax = plot_joint(r)
    assert ax.get_xlim() == ax.get_ylim()
    assert ax.get_aspect() == 1.0
    (diagonal,) = lines(ax, "equal")
    assert np.array_equal(diagonal.get_xdata(), diagonal.get_ydata())
    ax = plot_joint(compared(r.draws.psi, (-0.01, 0.03)))
    (strip,) = [c for c in ax.collections if c.get_label() == "ROPE"]
    corners = strip.get_paths()[0].vertices
    assert sorted(set(np.round(corners[:, 0] - corners[:, 1], 12))) == [-0.01, 0.03]


def test_the_correlation_is_that_of_all_draws_and_what_it_buys_is_said(r):
    title = plot_joint(r).get_title().replace("\n", " ")
    rho = np.corrcoef(r.draws.psi)[0, 1]
    assert title.startswith(f"correlation {rho:+.2f}")
    places = decimals(r.delta, r.delta.mc_error)
    apart = math.hypot(r.estimate_a.std, r.estimate_b.std)
    assert f"std of the difference {r.std:.{places}f}, {apart:.{places}f} if independent" in title
    assert title.endswith("grey: ROPE ±0.05")


def test_scores_far_apart_get_axes_of_their_own_and_it_is_said():
    rng = np.random.default_rng(0)
    c = compared(rng.normal([[0.9], [0.3]], 0.005, (2, 5_000)))
    ax = laid_out(plot_joint(c))
    (x0, x1), (y0, y1) = ax.get_xlim(), ax.get_ylim()
    assert x1 - x0 == pytest.approx(y1 - y0)
    assert x0 > y1
    assert "equal scores are far off" in ax.get_title().replace("\n", " ")


def test_the_side_of_the_better_one_is_named(r):
    above, below = (t.get_text() for t in plot_joint(r).texts)
    assert (above, below) == ("◤ svm_l2 better", "nb_mult better ◢")
    c = compared(SHAPES["normal"], 0.01, metric=worse_if_more(plain()))
    assert texts(plot_joint(c)) == ["◤ A better", "B better ◢"]


# --- the Bayes factor --------------------------------------------------------------------------------------------


def test_dots_at_0_are_the_densities_whose_ratio_is_the_factor(r):
    ax = laid_out(plot_factor(r))
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    heights = [float(line.get_ydata()[0]) for line in dots]
    assert heights == [r.bayes_factor.density, r.bayes_factor.prior_density]
    assert heights[0] / heights[1] == pytest.approx(r.bayes_factor.sd)
    for line, height in zip((*lines(ax, "posterior"), *lines(ax, "prior")), heights, strict=True):
        assert np.interp(0.0, line.get_xdata(), line.get_ydata()) == pytest.approx(height, rel=1e-3)
    factor = f"{r.bayes_factor.sd:.2g}"
    assert ax.get_title().startswith(f"BF01 = {factor}")
    assert f"{factor} times as likely if Δ = 0" in ax.get_title().replace("\n", " ")


def test_evidence_for_a_difference_is_said_the_other_way_round(news):
    far = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=9, rng=0)
    assert far.bayes_factor.sd < 0.01
    title = plot_factor(far).get_title().replace("\n", " ")
    assert title == "BF01 <0.01: the data are over 100 times as likely if Δ ≠ 0 as if Δ = 0 (rough: few draws near 0)"
    found = dataclasses.replace(
        far.bayes_factor, sd=0.125, density=far.bayes_factor.prior_density / 8, sd_reliable=True
    )
    known = dataclasses.replace(far, evidence=dataclasses.replace(far.evidence, known=found))
    title = plot_factor(known).get_title().replace("\n", " ")
    assert title == "BF01 = 0.12: the data are 8.0 times as likely if Δ ≠ 0 as if Δ = 0"


def test_the_curve_is_of_the_draws_that_the_ratio_is_made_of_however_few_were_asked_for(news):
    c = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rng=0, draws=10)
    ax = laid_out(plot_factor(c))
    curve = ax.lines[0]
    at_zero = float(np.interp(0.0, curve.get_xdata(), curve.get_ydata()))
    assert at_zero == pytest.approx(c.bayes_factor.density, rel=1e-3)
    assert curve.get_ydata().max() < ax.get_ylim()[1]


def test_without_a_ratio_the_stored_reason_is_the_answer(news, r):
    c = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0, draws=500, model="bootstrap")
    with pytest.raises(InvalidInputError, match=c.bayes_factor.reason):
        plot_factor(c)
    for lacking in (None, Evidence(), dataclasses.replace(r.evidence, prior=None, known=r.bayes_factor)):
        with pytest.raises(InvalidInputError, match="no Savage-Dickey"):
            plot_factor(dataclasses.replace(r, evidence=lacking))
    assert not plt.get_fignums()


# --- the ROPE curve ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rope", ROPES)
def test_probabilities_are_those_of_symmetric_ropes(shape, rope):
    c = of_shape(shape, rope)
    ax = plot_rope_curve(c)
    below, inside, above = (next(x for x in ax.lines if same_color(x.get_color(), k)) for k in (BELOW, INSIDE, ABOVE))
    ordered = np.sort(SHAPES[shape])
    for k in (0, 17, 150, 300):
        width = float(below.get_xdata()[k])
        found = region_masses(ordered, Interval(-width, width))
        assert below.get_ydata()[k] == pytest.approx(found.below)
        assert inside.get_ydata()[k] == pytest.approx(found.inside)
        assert above.get_ydata()[k] == pytest.approx(found.above)


@pytest.mark.parametrize("rule", ["hdi", "probability"])
@pytest.mark.parametrize("up", [True, False])
def test_the_strip_is_the_path_of_verdicts(rule, up):
    metric = plain().recipe.metric if up else worse_if_more(plain())
    c = compared(SHAPES["normal"] + 0.04, 0.03, rule=rule, metric=metric)
    ax = laid_out(plot_rope_curve(c))
    top = ax.get_xlim()[1]
    strips = [collection for collection in ax.collections if collection.get_label() != "pre-set"]
    assert len(strips) == len(c.rope_path)
    tones = {"≫": ABOVE if up else BELOW, "≪": BELOW if up else ABOVE, "≈": INSIDE, "<": "white", ">": "white"}
    for piece, strip in zip(c.rope_path, strips, strict=True):
        low, high = strip.get_datalim(ax.transData).intervalx
        assert (low, high) == pytest.approx((piece.start, top if piece.stop is None else piece.stop))
        assert same_color(strip.get_facecolor()[0], tones[piece.verdict.value])
    symbols = [piece.verdict.value for piece in c.rope_path]
    assert [text for text in texts(ax) if text in tones] == symbols
    bars = [line for line in ax.lines if line.get_linestyle() == ":"]
    assert [line.get_ydata()[0] for line in bars] == ([] if rule == "hdi" else [0.95])


def test_without_a_rope_the_curve_gives_no_verdicts():
    ax = plot_rope_curve(compared(SHAPES["normal"], None))
    assert not set(texts(ax)) & set("≈≪≫<>")
    assert not ax.collections
    assert ax.get_title() == "No verdict: no ROPE was stated"


def test_the_pre_set_rope_is_marked_or_mentioned():
    ax = plot_rope_curve(compared(SHAPES["normal"], 0.05))
    (mark,) = [collection for collection in ax.collections if collection.get_label() == "pre-set"]
    assert mark.get_segments()[0][:, 0].tolist() == [0.05, 0.05]
    assert "pre-set: ±0.05" in texts(ax)
    said = plot_rope_curve(compared(SHAPES["normal"], 0.9)).get_xlabel().replace("\n", " ")
    assert said.endswith("(pre-set: ±0.9, beyond this axis)")
    said = plot_rope_curve(compared(SHAPES["normal"], (-0.02, math.inf))).get_xlabel().replace("\n", " ")
    assert said.endswith("(pre-set: [−0.02, +∞], not symmetric)")


def test_the_legend_says_who_is_better(r):
    assert [t.get_text() for t in plot_rope_curve(r).get_legend().get_texts()] == [
        "svm_l2 better",
        "too close",
        "nb_mult better",
    ]
    c = compared(SHAPES["normal"], metric=worse_if_more(plain()), names=("_a", "_b"))
    told = [t.get_text() for t in plot_rope_curve(c).get_legend().get_texts()]
    assert told == ["_a better", "too close", "_b better"]


# --- all of them -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", ALL, ids=lambda f: f.__name__)
def test_given_axes_are_used_and_returned(draw, r):
    figure, (left, right) = plt.subplots(1, 2)
    assert draw(r, ax=right) is right
    assert right.has_data()
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]


@pytest.mark.parametrize("draw", ALL, ids=lambda f: f.__name__)
def test_a_new_figure_is_one_column_wide_and_nothing_is_cut_off(draw, r):
    ax = laid_out(draw(r))
    assert ax.figure.get_size_inches()[0] == pytest.approx(3.4)
    assert not outside(ax)
    assert not overlapping(ax)


@pytest.mark.parametrize("draw", ALL, ids=lambda f: f.__name__)
def test_other_results_are_refused(draw, r):
    for wrong in (None, 3, r.to_dict(), r.estimate_a):
        with pytest.raises(InvalidInputError, match="cannot draw"):
            draw(wrong)
    with pytest.raises(InvalidInputError, match="matplotlib axes"):
        draw(r, ax="here")
    assert not plt.get_fignums()


@pytest.mark.parametrize("draw", ALL, ids=lambda f: f.__name__)
def test_a_cross_validated_comparison_is_drawn_as_its_comparison(draw, r):
    assert draw(crossed(r)).get_title() == draw(r).get_title()


@pytest.mark.parametrize("draw", [f for f in ALL if f is not plot_factor], ids=lambda f: f.__name__)
@pytest.mark.parametrize(
    ("shape", "rope"),
    # `make test` takes the ropes that differ most for every shape, and all of them for one.
    [
        pytest.param(s, r, marks=() if s == "normal" or r in {"none", "one-sided", "wide"} else pytest.mark.slow)
        for s in SHAPES
        for r in ROPES
    ],
)
def test_every_shape_can_be_drawn_without_a_warning(draw, shape, rope):
    ax = laid_out(draw(of_shape(shape, rope)))
    assert not outside(ax)
    assert not overlapping(ax)


@pytest.mark.parametrize("draw", ALL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", HOSTILE, ids=lambda name: ascii(name)[:20])
def test_hostile_names_are_drawn_as_they_are_and_do_no_harm(draw, name, silent):
    ax = laid_out(draw(called(name)))
    shown = " ".join([ax.get_title(), ax.get_xlabel(), ax.get_ylabel(), *texts(ax)])
    assert not {"\x1b", "\t", "\u202e"} & set(shown)
    assert "x" * 60 not in shown
    assert not outside(ax)


@pytest.mark.parametrize("draw", ALL, ids=lambda f: f.__name__)
@pytest.mark.parametrize("size", [(2.2, 1.9), (9.0, 5.0)], ids=["small", "large"])
def test_small_and_large_axes_hold_up(draw, size, r):
    _, ax = plt.subplots(figsize=size, layout="constrained")
    laid_out(draw(r, ax=ax))
    assert not outside(ax)


def test_subfigures_and_ticks_of_the_user_are_fine(r):
    figure = plt.figure(figsize=(7, 3), layout="constrained")
    left, right = figure.subfigures(1, 2)
    plot_posterior(r, ax=left.subplots())
    ax = right.subplots()
    ax.set_xticks([0.0, 0.05])
    plot_posterior(r, ax=ax)
    figure.savefig(io.BytesIO(), format="png")
    assert ax.get_xticks().tolist() == [0.0, 0.05]


@pytest.mark.parametrize("draw", ALL, ids=lambda f: f.__name__)
def test_pictures_are_vectors_of_a_modest_size(draw, r):
    figure = draw(r).figure
    for kind in ("pdf", "svg"):
        file = io.BytesIO()
        figure.savefig(file, format=kind)
        assert len(file.getvalue()) < 500_000
        assert b"<image" not in file.getvalue()


def test_a_result_is_left_as_it_was(r):
    before = r.draws.psi.copy(), r.to_json()
    for draw in ALL:
        draw(r)
    assert np.array_equal(r.draws.psi, before[0])
    assert r.to_json() == before[1]


def test_importing_the_pictures_does_not_import_matplotlib():
    code = "import sys, ropewalk.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


# --- what they are made of ---------------------------------------------------------------------------------------


def test_the_kernel_is_the_direct_sum(rng):
    draws, at = rng.normal(0, 1, 500), np.linspace(-4, 4, 41)
    width = scott(draws)
    direct = norm.pdf((at[:, np.newaxis] - draws) / width).mean(axis=1) / width
    assert kernel(draws, at, width) == pytest.approx(direct, rel=2e-3, abs=1e-6)


def test_the_bandwidth_of_the_ratio_is_scotts(r):
    delta = r.draws.delta()[:SD_DRAWS]
    assert kernel(delta, np.zeros(1), scott(delta)) == pytest.approx(r.bayes_factor.density, rel=1e-3)


def test_the_bandwidth_of_a_normal_is_scotts_and_two_heaps_stay_apart(rng):
    draws = np.sort(rng.normal(0, 1, 50_000))
    assert bandwidth(draws) == pytest.approx(scott(draws), rel=0.05)
    heaps = np.sort(np.concatenate([rng.normal(-5, 0.3, 5_000), rng.normal(5, 0.3, 5_000)]))
    assert bandwidth(heaps) < scott(heaps) / 5
    assert smooth(heaps, np.zeros(1)) == pytest.approx(0.0, abs=1e-6)


def test_a_heap_at_the_end_of_a_scale_keeps_its_height(rng):
    draws = np.sort(rng.exponential(1.0, 50_000))
    assert smooth(draws, np.array([draws[0]])) == pytest.approx(1.0, rel=0.1)


def test_a_view_shows_the_draws_first():
    assert view(Interval(0.3, 0.4), [0.0, -9.0], margin=0.0) == Axis(0.3, 0.4)
    assert view(Interval(0.1, 0.2), [0.0, -math.inf], margin=0.0) == Axis(0.0, 0.2)
    low, high = view(Interval(0.5, 0.5))
    assert low < 0.5 < high
    assert bulk(np.array([0.0, 1.0, 2.0]), Interval(0.0, 2.0)) == Interval(0.0, 2.0)


def test_text_keeps_to_its_room():
    name = "resnet50-augmented-seed-1"
    cut = fitted(name, 60.0, 7.0)
    assert width_of(cut, 7.0) <= 60
    assert cut[0] == "r"
    assert cut[-1] == "1"
    assert fitted(r"\$\$\$\$\$\$", 15.0, 7.0).count("$") == fitted(r"\$\$\$\$\$\$", 15.0, 7.0).count(r"\$")
    said = folded("one two three four five six seven", 60.0, 7.0).split("\n")
    assert all(width_of(line, 7.0) <= 60 for line in said)
    assert " ".join(said) == "one two three four five six seven"
