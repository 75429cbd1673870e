"""Pictures of units of a population: what is drawn is what the answer holds, whatever the units are called."""

from __future__ import annotations

import math
from functools import cache

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import ropewalk as rw
from hostile import hostile_names
from ropewalk.errors import InvalidInputError
from ropewalk.models.population import PopulationPrior, Units, fit_population
from ropewalk.plots import plot_shrinkage, plot_triangle
from ropewalk.report.shrinkage import shrinkage_forest, shrinkage_of
from ropewalk.report.triangle import CORNERS, drawing, hexagons, triangles

EFFECTS, ERRORS = [28.0, 8, -3, 7, -1, 1, 18, 12], [15.0, 10, 16, 11, 9, 11, 10, 18]
HOSTILE = hostile_names(
    "formula and cell", "script", "long", "emoji and text", "hebrew", "red lines", "underscore", "empty"
)  # fmt: skip

pytestmark = [
    pytest.mark.usefixtures("untouched_settings"),
    pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning"),
]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def schools():
    return rw.pool(EFFECTS, ERRORS, rope=2, names=list("ABCDEFGH"), draws=4_000, rng=0)


@pytest.fixture(scope="module")
def tasks():
    random = np.random.default_rng(0)
    task = np.repeat(["sums", "words", "maps", "law"], 60)
    truth = random.integers(0, 2, task.size)
    new, old = (np.where(random.random(task.size) < right, truth, 1 - truth) for right in (0.85, 0.75))

    @cache
    def make(metric="error", over="tasks"):
        asked = {"metric": metric, "rope": 0.02, "draws": 2_000, "rng": 0}
        return rw.compare(truth, new, old, task=task, over=over, **asked)

    return make


def labelled(ax, label):
    """Return what is drawn under a name: dots, or lines."""
    (found,) = [one for one in ax.collections if one.get_label() == label]
    return found


def upright(ax, label):
    return sorted(line.get_xdata()[0] for line in ax.lines if line.get_label() == label)


def named(ax):
    return [text.get_text() for text in ax.get_yticklabels()]


def test_the_next_unit_lies_in_its_interval_as_often_as_is_said(schools):
    units = Units(np.array(EFFECTS), np.array(ERRORS), np.full(8, np.inf))
    exact = fit_population(units, PopulationPrior(form="normal"))
    inside = exact.next(schools.population.next_hdi).inside
    assert inside == pytest.approx(0.95, abs=4 * math.sqrt(0.95 * 0.05 / schools.n_draws))
    assert schools.to_dict()["population"]["next_hdi"] == list(schools.population.next_hdi)


def test_every_mark_stands_where_its_number_is(schools):
    ax = plot_shrinkage(schools)
    ordered = sorted(schools.units, key=lambda unit: -unit.estimate.mean)
    assert named(ax) == [unit.name for unit in ordered]
    low, high = ax.get_ylim()
    assert low > high  # the first is on top
    places = list(range(8))
    lines = labelled(ax, "HDI").get_segments()
    assert [segment[:, 0].tolist() for segment in lines] == [list(unit.estimate.hdi) for unit in ordered]
    assert labelled(ax, "drawn").get_offsets().tolist() == [
        [unit.estimate.mean, place] for unit, place in zip(ordered, places, strict=True)
    ]
    assert labelled(ax, "observed").get_offsets().tolist() == [
        [unit.observed, place] for unit, place in zip(ordered, places, strict=True)
    ]
    mean, further = labelled(ax, "totals").get_segments()
    assert mean[:, 0].tolist() == list(schools.mu.hdi)
    assert further[:, 0].tolist() == upright(ax, "next") == list(schools.population.next_hdi)
    assert mean[0, 1] < further[0, 1] < 0
    bands = {patch.get_label(): (patch.get_x(), patch.get_x() + patch.get_width()) for patch in ax.patches}
    assert bands["mean"] == pytest.approx(tuple(schools.mu.hdi))
    assert bands["ROPE"] == pytest.approx((-2, 2))


def test_what_was_observed_is_hollow_and_what_is_said_full(schools):
    ax = plot_shrinkage(schools)
    assert mpl.colors.same_color(labelled(ax, "observed").get_facecolor()[0], "white")
    assert not mpl.colors.same_color(labelled(ax, "drawn").get_facecolor()[0], "white")


def test_an_arrow_shows_what_was_observed_far_away():
    found = rw.pool([0.1, 0.2, 0.15, 0.1, 90.0], [0.05, 0.05, 0.05, 0.05, 60.0], draws=2_000, rng=0)
    ax = plot_shrinkage(found)
    (arrow,) = labelled(ax, "_observed on the right").get_offsets().tolist()
    assert arrow == [ax.get_xlim()[1], named(ax).index("unit 5")]
    (row,) = [row for row in shrinkage_forest(found).rows if row.beyond]
    assert (row.beyond, row.start, "unit 5" in row.label) == (1, 100.0, True)


def test_without_a_population_each_has_its_own_posterior(tasks):
    these = tasks("accuracy", "these")
    ax = plot_shrinkage(these)
    assert not [one for one in ax.collections if one.get_label() == "observed"]
    assert upright(ax, "next") == []
    (mean,) = labelled(ax, "totals").get_segments()
    assert mean[:, 0].tolist() == list(these.hdi)
    assert these.plot().get_xlabel() == ax.get_xlabel()


def test_what_gains_most_is_on_top_also_where_less_is_better(tasks):
    ax = plot_shrinkage(tasks("error"))
    means = labelled(ax, "drawn").get_offsets()[:, 0]
    assert list(means) == sorted(means)
    assert sorted(named(ax)) == ["law", "maps", "sums", "words"]


@pytest.mark.parametrize("n", [3, pytest.param(300, marks=pytest.mark.slow)])
def test_names_are_safe_and_stay_in_the_picture(n):
    random = np.random.default_rng(n)
    names = [*HOSTILE, *map("a_data_set_{}_with_a_name".format, range(n))][:n]
    found = rw.pool(random.normal(0, 1, n), random.uniform(0.1, 1, n), rope=0.1, names=names, draws=1_000, rng=0)
    ax = plot_shrinkage(found)
    ax.figure.draw_without_rendering()
    whole = ax.figure.bbox
    for text in [*ax.get_yticklabels(), *ax.texts, *ax.get_legend().get_texts(), ax.xaxis.label]:
        box = text.get_window_extent()
        assert box.x0 >= whole.x0 - 1, text
        assert box.x1 <= whole.x1 + 1, text
    assert ax.figure.get_figheight() <= 9.0
    assert ("named" in ax.get_xlabel()) is (n == 300)


def test_the_page_draws_the_same_numbers(schools, tasks):
    for answer, scale in ((schools, 1), (tasks("error"), -100), (tasks("accuracy", "these"), 100)):
        drawn, shown = shrinkage_forest(answer), shrinkage_of(answer)
        at = drawn.axis.at
        units = drawn.rows[drawn.totals :]
        starts = [at(scale * unit.observed) if shown.is_shrunk else None for unit in shown.units]
        assert [row.start for row in units] == starts
        assert [row.at for row in units] == [at(scale * unit.estimate.mean) for unit in shown.units]
        spans = {look: {span.low, span.high} for look, span in drawn.spans}
        assert spans["mean"] == {at(scale * end) for end in shown.mean.hdi}
        assert spans.get("next", set()) == {at(scale * end) for end in shown.next or ()}
    page = schools.to_html()
    assert page.count('class="start"') == len(schools.units)
    assert ">the next unit<" in page


def test_only_units_are_drawn(news):
    with pytest.raises(InvalidInputError, match="cannot draw Comparison"):
        plot_shrinkage(rw.compare(news.outcomes, a="nb_mult", b="svm_l2", draws=100, rng=0))
    with pytest.raises(InvalidInputError, match="no units to draw"):
        plot_shrinkage(weighed(0.01))


# -- the triangle --------------------------------------------------------------------------------------------

SCORES = (list("abcdef"), [0.9, 0.8, 0.7, 0.9, 0.8, 0.7], [0.8, 0.8, 0.6, 0.9, 0.7, 0.75])


@cache
def weighed(rope, a="x", b="y", *, up=True):
    asked = {"metric": "gain", "higher_is_better": up, "rope": rope, "draws": 2_000, "rng": 0}
    return rw.compare_datasets(dict(zip(("data", a, b), SCORES, strict=True)), dataset="data", a=a, b=b, **asked)


def test_a_draw_is_in_the_corner_of_the_region_where_all_units_lie():
    (shown, _) = triangles(weighed(0.01))
    corners = type(shown)(
        **{field: getattr(shown, field) for field in ("next", "most", "next_label", "most_label", "names")},
        shares=np.eye(3),
    )
    assert pytest.approx(np.array(CORNERS)) == corners.points.T


def test_every_draw_is_counted_in_the_hexagon_that_is_nearest(schools):
    (shown,) = triangles(schools)
    points, found = shown.points[:, :300], hexagons(shown.points[:, :300])
    assert found.counts.sum() == 300
    apart = np.hypot(*(points[:, :, None] - found.middles.T[:, None, :]))
    nearest = np.bincount(apart.argmin(axis=1), minlength=len(found.middles))
    assert apart.min(axis=1).max() <= found.half / math.cos(math.pi / 6) + 1e-12
    assert nearest.tolist() == found.counts.tolist()


@pytest.mark.parametrize("up", [True, False])
@pytest.mark.parametrize("sign", [False, True])
def test_the_bar_of_the_triangle_is_how_often_each_sector_holds_the_draw(up, sign):
    answer = weighed(0.01, up=up)
    ax = plot_triangle(answer, sign=sign)
    bars = {bar.get_label(): bar.patches[0].get_width() for bar in ax.containers}
    x, y = triangles(answer)[sign].points
    left, right, top = (np.hypot(x - cx, y - cy) for cx, cy in (CORNERS[0], CORNERS[2], CORNERS[1]))
    near = np.stack([left, top, right])
    nearest = near <= near.min(axis=0) + 1e-9
    assert list(bars.values()) == pytest.approx((nearest / nearest.sum(axis=0)).mean(axis=1), abs=1e-9)
    most = answer.sign.most_probable if sign else answer.most_probable
    a_better = most.above if up else most.below
    assert bars["right"] == pytest.approx(a_better)
    assert [share.share for share in drawing(triangles(answer)[sign]).bar] == pytest.approx(list(bars.values()))


def test_corners_say_the_next_unit_and_most_of_them(schools):
    texts = [text.get_text() for text in plot_triangle(schools).texts]
    (shown,) = triangles(schools)
    for k, where in enumerate(("below", "inside", "above")):
        at = texts.index(where)
        assert texts[at : at + 3] == [where, f"next {shown.next_texts[k]}", f"most {shown.most_texts[k]}"]
    assert shown.next == (schools.next.below, schools.next.inside, schools.next.above)


def test_names_in_a_triangle_are_safe_and_stay_in_the_picture():
    for a, b in zip(HOSTILE[::2], HOSTILE[1::2], strict=True):
        answer = weighed(0.01, a or "x", b or "y")
        ax = plot_triangle(answer)
        ax.figure.draw_without_rendering()
        for text in [*ax.texts, ax.title]:
            box = text.get_window_extent()
            assert ax.figure.bbox.x0 - 1 <= box.x0, text
            assert box.x1 <= ax.figure.bbox.x1 + 1, text
    assert "<script>alert" not in answer.to_html()


def test_a_triangle_needs_three_regions_and_further_units(tasks, schools):
    for answer, why in (
        (weighed(None), "ROPE of two ends"),
        (weighed((-0.01, math.inf)), "ROPE of two ends"),
        (tasks("accuracy", "these"), "no further units"),
    ):
        with pytest.raises(InvalidInputError, match=why):
            plot_triangle(answer)
        assert "triangle-1-title" not in answer.to_html()
        assert answer.plot().get_title() != "" or answer.plot().get_legend()
    with pytest.raises(InvalidInputError, match="sign test"):
        plot_triangle(schools, sign=True)
