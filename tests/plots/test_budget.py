"""The map of a budget: every line is where its equation holds, and its names stand apart."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import ropewalk as rw
from ropewalk.plots import plot_budget
from ropewalk.report.budget_map import budget_map, drawing

PLANS = {
    "both": ({"item": 0.15, "run": 0.0004, "noise": 0.1}, {"item": 1, "run": 40}, 1_000),
    "no spread of runs": ({"item": 0.15, "run": 0, "noise": 0.2}, {"item": 0.5, "answer": 0.1}, 1e6),
    "runs alone": ({"item": 0, "run": 0.01, "noise": 0}, {"item": 1, "run": 3, "answer": 0.1}, 500),
    "items alone": ({"item": 0.2, "run": 0, "noise": 0}, {"item": 1, "run": 3}, 500),
    "none": ({"item": 0, "run": 0, "noise": 0}, {"item": 1, "run": 3}, 500),
    "data so far": (
        {"item": 0.1, "run": 0.0003, "noise": 0.1, "n_items": 300, "n_runs": 4, "run_quartiles": [1e-4, 1e-3]},
        {"item": 0, "run": 5, "answer": 0.01},
        400,
    ),
}

pytestmark = pytest.mark.usefixtures("untouched_settings")


@pytest.fixture(params=PLANS)
def plan(request):
    components, cost, budget = PLANS[request.param]
    yield rw.plan(components=components, cost=cost, budget=budget)
    plt.close("all")


def test_along_a_line_the_deviation_is_the_same_or_the_cost(plan):
    shown, cost = budget_map(plan), plan.cost
    for curve in shown.stds:
        items, runs = curve.points
        assert plan.components.variance(runs, items) == pytest.approx(np.full(items.size, curve.value**2))
    for curve in shown.costs:
        items, runs = curve.points
        spent = cost.item * items + cost.run * runs + cost.answer * items * runs
        assert spent == pytest.approx(np.full(items.size, curve.value))
    for curve in (*shown.stds, *shown.costs):
        at = shown.place(curve.points)
        assert at.min() >= -1e-6
        assert at.max() <= 1 + 1e-6
        assert (np.diff(at[0]) >= 0).all()
        assert (np.diff(at[1]) <= 1e-9).all()


def test_the_best_split_and_the_data_are_on_the_map(plan):
    shown = budget_map(plan)
    marks = [*shown.splits, *([shown.now] if shown.now else [])]
    at = shown.place(np.array(marks, dtype=float).T)
    assert ((at >= 0) & (at <= 1)).all()
    assert shown.splits[0] == (plan.n_items, plan.n_runs)
    assert (shown.now is None) is (plan.components.n_items == 1)


def test_the_picture_has_the_same_lines_and_points(plan):
    shown, ax = budget_map(plan), plot_budget(plan)
    lines = {line.get_label(): line for line in ax.lines}
    assert [lines["best"].get_xdata()[0], lines["best"].get_ydata()[0]] == [plan.n_items, plan.n_runs]
    assert ("so far" in lines) is (shown.now is not None)
    for what, curves in (("std", shown.stds), ("costs", shown.costs)):
        for curve in curves:
            assert lines[f"_{what} {curve.text}"].get_xdata().tolist() == curve.points[0].tolist()
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts]
    for one, other in combinations(boxes, 2):
        across = min(one.x1, other.x1) - max(one.x0, other.x0)
        up = min(one.y1, other.y1) - max(one.y0, other.y0)
        assert min(across, up) <= 1
    assert all(box.x1 <= ax.figure.bbox.x1 + 1 for box in boxes)


def test_the_page_draws_the_same_points():
    components, cost, budget = PLANS["data so far"]
    plan = rw.plan(components=components, cost=cost, budget=budget)
    shown, drawn = budget_map(plan), drawing(plan)
    points = {looks: (x / 100, y) for looks, x, y in drawn.points}
    assert points["best"] == pytest.approx(shown.place(np.array(shown.splits[:1], dtype=float).T)[:, 0], abs=1e-4)
    assert points["now"] == pytest.approx(shown.place(np.array([shown.now]).T)[:, 0], abs=1e-4)
    page = plan.to_html()
    assert page.count('class="std') + page.count('class="cost') == len(shown.stds) + len(shown.costs)
    assert 'class="d1"' in page
