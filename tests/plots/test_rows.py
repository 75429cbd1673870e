"""Pictures made of rows: one difference a class, one a prior."""

from __future__ import annotations

import dataclasses
import math

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import same_color

import ropewalk as rw
from hostile import hostile_names
from posteriors import compared, plain, worse_if_more
from ropewalk.errors import InvalidInputError
from ropewalk.plots import plot_per_class, plot_prior_sensitivity
from ropewalk.plots.intervals import lettering
from ropewalk.report.pictures import ABOVE, BELOW, INK, INSIDE
from ropewalk.results import ClassComparisons, PriorSensitivity
from ropewalk.text.verdicts import Verdict

HOSTILE = hostile_names(
    "formula and cell", "script", "long", "emoji and text", "hebrew", "red lines", "underscore", "empty"
)  # fmt: skip


pytestmark = pytest.mark.usefixtures("untouched_settings")


@pytest.fixture(scope="module")
def table(news):
    return rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=2_000)


@pytest.fixture(scope="module")
def priors(news):
    r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0, draws=5_000)
    return r.prior_sensitivity()


def classes(n, name="class {}".format, rope=0.05, **said):
    """Return so many classes, each with a difference of its own."""
    rng = np.random.default_rng(n)
    found = []
    for i in range(n):
        c = compared(rng.normal(rng.normal(0, 0.05), rng.uniform(0.005, 0.03), 1_000), rope, **said)
        found.append(dataclasses.replace(c, recipe=dataclasses.replace(c.recipe, pos_label=name(i))))
    return ClassComparisons(comparisons=tuple(found))


def laid_out(ax):
    """Place everything, as drawing does, without painting it: glyphs that are missing would warn."""
    ax.figure.draw_without_rendering()
    return ax


def named(ax):
    """Return the names of the rows by their places, from both columns."""
    ticks = [*zip(ax.get_yticks(), ax.get_yticklabels(), strict=True)]
    ticks += zip(ax.get_yticks(minor=True), ax.get_yticklabels(minor=True), strict=True)
    return {int(place): text.get_text() for place, text in sorted(ticks, key=lambda tick: tick[0])}


def symbols(ax):
    """Return what stands at the right of the rows, by their places."""
    return {int(text.xy[1]): text.get_text() for text in ax.texts if "ROPE" not in text.get_text()}


def hdis(ax):
    (lines,) = [collection for collection in ax.collections if collection.get_label() == "HDI"]
    return lines


def means(ax):
    (dots,) = [collection for collection in ax.collections if collection.get_label() == "mean"]
    return dots


def band(ax):
    found = [patch for patch in ax.patches if patch.get_label() == "ROPE"]
    return [(patch.get_x(), patch.get_x() + patch.get_width()) for patch in found]


def boxes(texts):
    return [text.get_window_extent() for text in texts if text.get_text()]


def test_rows_are_the_classes_in_label_order(table):
    ax = laid_out(plot_per_class(table))
    assert named(ax) == {i: str(i) for i in range(20)}
    low, high = ax.get_ylim()
    assert low > high  # the first is on top
    segments = hdis(ax).get_segments()
    assert [segment[:, 0].tolist() for segment in segments] == [[c.hdi.low, c.hdi.high] for c in table]
    assert [segment[0, 1] for segment in segments] == list(range(20))
    assert means(ax).get_offsets()[:, 0].tolist() == [c.mean for c in table]


def test_symbols_are_the_verdicts(table):
    ax = plot_per_class(table)
    assert symbols(ax) == {i: c.decision.symbol + ("" if c.decision.stable else "?") for i, c in enumerate(table)}


def test_settled_rows_are_full_and_coloured_undecided_ones_hollow(table):
    dots = means(plot_per_class(table))
    for c, fill, edge in zip(table, dots.get_facecolors(), dots.get_edgecolors(), strict=True):
        tones = {Verdict.A_BETTER: ABOVE, Verdict.B_BETTER: BELOW, Verdict.EQUIVALENT: INSIDE}
        tone = tones.get(c.decision.verdict, INK)
        assert same_color(edge, tone)
        assert same_color(fill, tone if c.conclusive else "white")


def test_colours_are_places_on_the_axis_also_where_less_is_better():
    c = classes(30, metric=worse_if_more(plain()))
    dots = means(plot_per_class(c))
    settled = [
        (x.mean, edge) for x, edge in zip(c, dots.get_edgecolors(), strict=True) if abs(x.mean) > 0.05 and x.conclusive
    ]
    assert len({mean > 0 for mean, _ in settled}) == 2
    assert all(same_color(edge, ABOVE if mean > 0 else BELOW) for mean, edge in settled)


def test_the_band_is_the_rope_and_the_title_counts_the_verdicts(table):
    ax = plot_per_class(table)
    assert band(ax) == [pytest.approx((-0.05, 0.05))]
    title = ax.get_title().replace("\u00a0", " ").replace("\n", " ")
    counts = {v: sum(c.decision.verdict is v for c in table) for v in Verdict}
    undecided = counts[Verdict.UNDECIDED_LOW] + counts[Verdict.UNDECIDED_HIGH]
    assert f"≫ nb_mult better: {counts[Verdict.A_BETTER]}" in title
    assert f"≈ equivalent: {counts[Verdict.EQUIVALENT]}" in title
    assert f"≪ svm_l2 better: {counts[Verdict.B_BETTER]}" in title
    assert f"< > undecided: {undecided}" in title
    assert f"? unstable: {sum(not c.decision.stable for c in table)}" in title


def test_without_a_rope_there_is_no_verdict(news):
    free = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rng=0, draws=1_000)
    ax = laid_out(plot_per_class(free))
    assert not band(ax)
    assert not ax.texts
    assert ax.get_title().replace("\n", " ") == "The differences on 20 classes; whether they matter needs a ROPE"
    assert all(same_color(edge, INK) for edge in means(ax).get_edgecolors())


def test_two_classes_are_enough(silent):
    y = ["ham", "spam"] * 50
    two = rw.compare_classes(y, y, ["ham", "spam"] * 40 + ["spam"] * 20, rope=0.02, rng=0, draws=1_000)
    assert named(laid_out(plot_per_class(two))) == {0: "ham", 1: "spam"}


@pytest.mark.parametrize("n", [2, 20, 60, 110, 200])
def test_all_classes_are_named_up_to_200_and_no_name_lies_on_another(n):
    ax = plot_per_class(classes(n))
    figure = ax.figure
    figure.draw_without_rendering()
    assert figure.get_size_inches()[1] <= 9.0
    assert named(ax) == {i: f"class {i}" for i in range(n)}
    assert len(symbols(ax)) == n
    labels = [*ax.get_yticklabels(), *ax.get_yticklabels(minor=True)]
    assert min(label.get_fontsize() for label in labels) >= 5.0
    # Boxes have room for g and Å, which lies on that of the next row in close lines; letters do not.
    spacing = sorted(label.get_window_extent().y0 for label in ax.get_yticklabels())
    size = labels[0].get_fontsize() * figure.dpi / 72
    assert n == 2 or min(np.diff(spacing)) >= size
    near, far = ([b.x0 for b in boxes(side)] for side in (ax.get_yticklabels(), ax.get_yticklabels(minor=True)))
    ends = [b.x1 for b in boxes(ax.get_yticklabels(minor=True))]
    assert not far or max(ends) <= min(near)
    assert min(near + far) >= 0


def test_figures_grow_with_the_classes_up_to_a_page():
    heights = [plot_per_class(classes(n)).figure.get_size_inches()[1] for n in (2, 20, 60, 200)]
    assert heights == sorted(heights)
    assert heights[0] < 1.5
    assert heights[-1] == 9.0


def test_of_very_many_classes_some_are_named_and_that_is_said():
    ax = laid_out(plot_per_class(classes(500)))
    names = named(ax)
    step = math.ceil(500 / len(names))
    assert list(names) == list(range(0, 500, step))
    assert f"(one class in {step} is named)" in ax.get_xlabel().replace("\n", " ")
    assert len(hdis(ax).get_segments()) == 500
    assert list(symbols(ax)) == list(names)


@pytest.mark.parametrize(
    ("rope", "seen"), [(0.5, 1), ((-0.02, math.inf), 1), ((0.7, 0.8), 0)], ids=["wide", "one-sided", "far"]
)
def test_odd_ropes_leave_the_rows_visible(rope, seen):
    few = classes(6, rope=rope)
    ax = laid_out(plot_per_class(few))
    low, high = ax.get_xlim()
    assert low < min(c.hdi.low for c in few)
    assert max(c.hdi.high for c in few) < high
    assert high - low < 1.5
    assert len(band(ax)) == seen
    assert all(low - 1e-9 <= a < b <= high + 1e-9 for a, b in band(ax))
    assert sum("ROPE" in text.get_text() for text in ax.texts) == 1


def test_rows_without_spread_can_be_drawn():
    ax = laid_out(plot_per_class(ClassComparisons(comparisons=(compared(np.full(100, 0.02)), compared(np.zeros(100))))))
    assert [segment[:, 0].tolist() for segment in hdis(ax).get_segments()] == [[0.02, 0.02], [0.0, 0.0]]
    assert [symbol.rstrip("?") for symbol in symbols(ax).values()] == ["≈", "≈"]
    low, high = ax.get_xlim()
    assert low < 0.0
    assert high > 0.02
    ax = laid_out(plot_per_class(ClassComparisons(comparisons=(compared(np.zeros(100), None),))))
    assert means(ax).get_offsets()[:, 0].tolist() == [0.0]
    low, high = ax.get_xlim()
    assert low < 0.0 < high


def test_a_row_without_a_verdict_says_so():
    c = compared(np.random.default_rng(0).normal(0, 0.01, 1_000))
    unsaid = dataclasses.replace(c, decision=None, regions=None)
    assert symbols(plot_per_class(ClassComparisons(comparisons=(c, unsaid)))) == {0: "≈", 1: "–"}


def test_hostile_classes_and_names_do_no_harm():
    ax = laid_out(plot_per_class(classes(len(HOSTILE), HOSTILE.__getitem__, names=(HOSTILE[0], HOSTILE[2]))))
    shown = " ".join([ax.get_title(), ax.get_xlabel(), *named(ax).values()])
    assert not {"\x1b", "\t"} & set(shown)
    assert "x" * 60 not in shown
    assert named(ax)[6] == "_under"
    assert r"\$x_1\$ & \$y" in named(ax)[0]
    ax.figure.draw_without_rendering()
    assert min(b.x0 for b in boxes(ax.get_yticklabels())) >= 0


def test_one_row_a_prior(priors):
    ax = laid_out(plot_prior_sensitivity(priors))
    assert named(ax) == dict(enumerate(which for which, _ in priors.rows))
    segments = hdis(ax).get_segments()
    assert [segment[:, 0].tolist() for segment in segments] == [[c.hdi.low, c.hdi.high] for _, c in priors.rows]
    assert means(ax).get_offsets()[:, 0].tolist() == [c.mean for _, c in priors.rows]
    assert [s.rstrip("?") for s in symbols(ax).values()] == [c.decision.symbol for _, c in priors.rows]
    assert band(ax) == [pytest.approx((-0.05, 0.05))]
    assert ax.get_xlabel().replace("\n", " ") == "Δ F1 of class 8: nb_mult − svm_l2"


def test_the_title_says_how_far_the_answer_moves(priors):
    title = plot_prior_sensitivity(priors).get_title().replace("\n", " ")
    assert priors.moved < 0.05
    assert "the mean moves by less than 0.1 std" in title
    assert title.endswith("the verdict stays the same" if priors.robust else "the verdict changes")
    free = PriorSensitivity(rows=tuple((w, compared(c.draws.psi, None, base=c)) for w, c in priors.rows))
    ax = plot_prior_sensitivity(free)
    assert "verdict" not in ax.get_title()
    assert not symbols(ax)


@pytest.mark.parametrize("which", ["classes", "priors"])
def test_given_axes_are_used_and_returned(which, table, priors):
    draw, result = (plot_per_class, table) if which == "classes" else (plot_prior_sensitivity, priors)
    figure, (left, right) = plt.subplots(1, 2)
    assert draw(result, ax=right) is right
    assert not left.has_data()
    assert plt.get_fignums() == [figure.number]
    assert draw(result).figure.get_size_inches()[0] == pytest.approx(3.4)


@pytest.mark.parametrize("draw", [plot_per_class, plot_prior_sensitivity], ids=lambda f: f.__name__)
def test_other_results_are_refused(draw, table):
    for wrong in (None, table[0], [table[0]]):
        with pytest.raises(InvalidInputError, match="cannot draw"):
            draw(wrong)
    assert not plt.get_fignums()


def test_letters_shrink_then_step_aside_then_are_left_out():
    assert [(x.columns, x.every) for x in map(lettering, (20, 6, 5, 2.8, 2, 0.5))] == [
        (1, 1), (1, 1), (2, 1), (2, 1), (2, 2), (2, 6),
    ]  # fmt: skip
    assert all(5 <= lettering(pitch).size <= 7 for pitch in np.linspace(0.1, 30, 100))
    # What is named has room for its letters.
    for pitch in np.linspace(0.1, 30, 100):
        chosen = lettering(pitch)
        assert chosen.size <= pitch * chosen.columns * chosen.every
