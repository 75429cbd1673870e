"""Bars between classifiers say what the verdicts say: equivalent, undecided, or neither."""

from __future__ import annotations

from itertools import combinations

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import ropewalk as rw
from hostile import hostile_names
from ropewalk.errors import InvalidInputError
from ropewalk.plots import plot_equivalence
from ropewalk.report.describe.pair_page import score_forest
from ropewalk.report.equivalence import can_join, groups_of_pairs, joined, joins
from ropewalk.text.verdicts import Verdict

HOSTILE = hostile_names("script", "long", "hebrew", "underscore", "formula and cell", "emoji and text")

pytestmark = pytest.mark.usefixtures("untouched_settings")


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def ranking():
    """Return six systems: some nearly alike, some apart, some in between."""
    random = np.random.default_rng(3)
    y, luck = random.integers(0, 2, 1_500), random.random(1_500)
    systems = []
    for right in (0.93, 0.925, 0.915, 0.905, 0.88, 0.8):
        own = np.where(random.random(y.size) < 0.9, luck, random.random(y.size))
        systems.append(np.where(own < right, y, 1 - y))
    return rw.rank(y, *systems, names=HOSTILE, metric="accuracy", rope=0.02, draws=2_000, rng=0)


def pairs_of(groups):
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_groups_hold_every_pair_and_no_other(share):
    random = np.random.default_rng(0)
    for n in (2, 5, 20):
        pairs = {frozenset(pair) for pair in combinations(range(n), 2) if random.random() < share}
        groups = groups_of_pairs(pairs, n)
        assert pairs_of(groups) == pairs
        assert not any(set(one) < set(other) for one in groups for other in groups)


def verdicts(ranking):
    """Return the pairs that are equivalent, and those that are undecided, as places of `by_rank`."""
    place = {model.name: k for k, model in enumerate(ranking.by_rank)}
    even, open_ = set(), set()
    for pair in ranking.pairwise:
        both = frozenset((place[pair.a], place[pair.b]))
        if not pair.decision.conclusive:
            open_.add(both)
        elif pair.decision.verdict is Verdict.EQUIVALENT:
            even.add(both)
    return even, open_


def test_bars_are_the_verdicts(ranking):
    even, open_ = verdicts(ranking)
    assert even
    assert open_
    assert len(even | open_) < 15  # some pairs are decided
    bars = joins(ranking)
    assert pairs_of(bar.members for bar in bars if bar.settled) == even
    assert pairs_of(bar.members for bar in bars if not bar.settled) == open_


def test_bars_in_one_column_share_no_row(ranking):
    for one, other in combinations(joins(ranking), 2):
        apart = one.members[-1] < other.members[0] or other.members[-1] < one.members[0]
        assert one.column != other.column or apart


def test_the_picture_draws_scores_and_bars(ranking):
    ax = plot_equivalence(ranking)
    (lines,) = [one for one in ax.collections if one.get_label() == "HDI"]
    (means,) = [one for one in ax.collections if one.get_label() == "mean"]
    models = ranking.by_rank
    assert [segment[:, 0].tolist() for segment in lines.get_segments()] == [list(m.estimate.hdi) for m in models]
    assert means.get_offsets().tolist() == [[m.estimate.mean, k] for k, m in enumerate(models)]
    for label, settled in (("equivalent", True), ("undecided", False)):
        drawn = [tuple(line.get_ydata()) for line in ax.lines if line.get_label() == label]
        assert drawn == [bar.members for bar in joins(ranking) if bar.settled is settled]
    ax.figure.draw_without_rendering()
    for one in [*ax.get_yticklabels(), *ax.lines, *ax.get_legend().get_texts()]:
        box = one.get_window_extent()
        assert ax.figure.bbox.x0 - 1 <= box.x0, one
        assert box.x1 <= ax.figure.bbox.x1 + 1, one


def test_the_page_joins_the_same_rows_and_says_so(ranking):
    scores = [(model.name, model.estimate) for model in ranking.by_rank]
    rows = joined(score_forest(scores, ranking), ranking).rows
    for bar in joins(ranking):
        seen = {
            place: piece
            for place, row in enumerate(rows)
            for piece in row.joins
            if piece.column == bar.column and bar.members[0] <= place <= bar.members[-1]
        }
        assert tuple(place for place, piece in seen.items() if piece.is_member) == bar.members
        assert (seen[bar.members[0]].top, seen[bar.members[-1]].foot) == (50, 50)
        assert {piece.settled for piece in seen.values()} == {bar.settled}
    even, open_ = verdicts(ranking)
    for place, row in enumerate(rows):
        assert ("equivalent to" in row.joined) is any(place in pair for pair in even)
        assert ("undecided with" in row.joined) is any(place in pair for pair in open_)
    page = ranking.to_html()
    assert page.count('class="j"') == len(rows) + 1
    assert "<script>alert" not in page


@pytest.mark.parametrize("rope", [None, (-0.02, float("inf"))])
def test_without_equivalence_there_is_no_picture_of_it(news, rope):
    plain = rw.rank(news.outcomes, metric="accuracy", rope=rope, draws=200, rng=0)
    with pytest.raises(InvalidInputError, match="ROPE of two ends"):
        plot_equivalence(plain)
    assert not can_join(plain)  # and so the page has no such part
