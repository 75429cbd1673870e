"""Pictures of methods by their runs: each run stands where it scored, and a bar has the shares of the variance."""

from __future__ import annotations

from dataclasses import replace

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import ropewalk as rw
from hostile import hostile_names
from ropewalk.errors import InvalidInputError
from ropewalk.plots import plot_doubt, plot_runs
from ropewalk.report.doubt import difference_forest, differences_of, doubt_bar, run_forest

NAMES = hostile_names("script", "long")

pytestmark = [
    pytest.mark.usefixtures("untouched_settings"),
    pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning"),
]


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(5)
    y, luck = random.integers(0, 2, 150), random.random(150)
    rights = random.normal([[0.9], [0.8]], 0.03, (2, 4))
    return y, [np.where(luck < right[:, None], y, 1 - y) for right in rights]


@pytest.fixture(scope="module", params=["accuracy", "error"])
def shared(request, data):
    y, systems = data
    asked = {"metric": request.param, "rope": 0.01, "names": NAMES, "draws": 500, "rng": 0}
    return rw.compare(y, *systems, runs="shared", **asked)


def labelled(ax, label):
    (found,) = [one for one in ax.collections if one.get_label() == label]
    return found


def test_every_run_stands_where_it_scored(shared):
    ax = plot_runs(shared)
    for k, label in enumerate(("runs", "_runs")):
        assert labelled(ax, label).get_offsets().tolist() == [[score, k] for score in shared.runs.observed[k]]
    estimates = (shared.estimate_a, shared.estimate_b)
    assert [line[:, 0].tolist() for line in labelled(ax, "HDI").get_segments()] == [list(e.hdi) for e in estimates]
    joined = [tuple(line.get_xdata()) for line in ax.lines if line.get_label().startswith("_run ")]
    assert joined == list(zip(*shared.runs.observed, strict=True))
    ax.figure.draw_without_rendering()
    for text in [*ax.get_yticklabels(), *ax.get_legend().get_texts()]:
        box = text.get_window_extent()
        assert ax.figure.bbox.x0 - 1 <= box.x0, text
        assert box.x1 <= ax.figure.bbox.x1 + 1, text


def test_the_page_has_the_runs_and_of_shared_ones_their_differences(shared):
    scores, (differences,) = run_forest(shared), difference_forest(shared)
    for row, seen in zip(scores.rows, shared.runs.observed, strict=True):
        assert row.dots == tuple(scores.axis.at(100 * score) for score in seen)
    up = 1 if shared.higher_is_better else -1
    (row,) = differences.rows
    assert row.dots == tuple(differences.axis.at(100 * up * value) for value in differences_of(shared))
    assert row.at == differences.axis.at(100 * up * shared.mean)


def test_the_bar_has_the_shares_of_the_variance(shared):
    bars = {bar.get_label(): bar.patches[0].get_width() for bar in plot_doubt(shared).containers}
    assert bars == pytest.approx(shared.components.shares)
    assert sum(bars.values()) == pytest.approx(1)
    assert [share.share for share in doubt_bar(shared.components)] == pytest.approx(list(bars.values()))
    page = shared.to_html()
    assert all(f'class="d{k}"' in page for k in (1, 2, 3))
    assert page.count('class="run"') == 4 * 3
    assert "<script>alert" not in page


def test_evaluations_and_rankings_have_runs_too(data):
    y, systems = data
    asked = {"runs": "independent", "metric": "accuracy", "draws": 500, "rng": 0}
    alone = rw.evaluate(y, systems[0], **asked)
    assert len(labelled(plot_runs(alone), "runs").get_offsets()) == 4
    ranked = rw.rank(y, *systems, systems[1][:3], **asked)
    assert len(run_forest(ranked).rows) == 3
    assert [text.get_text() for text in plot_runs(ranked).get_yticklabels()] == list(ranked.runs.names)


def test_what_has_no_runs_says_so(data):
    y, systems = data
    answers = rw.compare(y, *systems, runs="samples", metric="accuracy", draws=300, rng=0)
    with pytest.raises(InvalidInputError, match="no runs to draw"):
        plot_runs(replace(answers, runs=replace(answers.runs, observed=((), ()))))
    one = rw.compare(y, systems[0][:1], systems[1][:1], runs="independent", metric="accuracy", draws=300, rng=0)
    assert one.components is None
    with pytest.raises(InvalidInputError, match="cannot be told"):
        plot_doubt(one)
    with pytest.raises(InvalidInputError, match="cannot draw"):
        plot_runs(y)
