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
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.models.population import PopulationPrior, Units, fit_population
from ropewalk.plots import plot_shrinkage
from ropewalk.report.shrinkage import shrinkage_forest, shrinkage_of

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
    scores = {"data": list("abcdef"), "x": [0.9, 0.8, 0.7, 0.9, 0.8, 0.7], "y": [0.8, 0.8, 0.6, 0.9, 0.7, 0.5]}
    weighed = rw.compare_datasets(scores, dataset="data", a="x", b="y", metric="accuracy", rope=0.01, draws=500, rng=0)
    with pytest.raises(InvalidInputError, match="no units to draw"):
        plot_shrinkage(weighed)
    assert Interval(*weighed.plot().get_xlim()).low < weighed.delta.mean
