"""A judge that humans corrected: closed forms, what is left where all or nothing is labelled, what labels are worth."""

import numpy as np
import pytest

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import difference
from ropewalk.metrics.margins import Weighted
from ropewalk.metrics.registry import METRICS
from ropewalk.models import measure
from ropewalk.models.judged import PAIRS, RIGHT, VERDICTS, JudgedVerdicts
from ropewalk.models.labelling import Labelling

COUNTS = np.array([30, 20, 40, 110])
LABELLED = np.array([[4, 1, 0, 2], [1, 3, 0, 1], [0, 1, 6, 2], [1, 0, 2, 17]])
DIFFERENCE = PAIRS[:, 0] - PAIRS[:, 1]


def posterior(labelled=LABELLED, counts=COUNTS, mass=0.5):
    rows = [(VERDICTS[RIGHT], *(VERDICTS[code] for code in pair)) for pair in PAIRS.tolist()]
    table = Outcomes.from_rows(rows, counts, names=["a", "b"], labels=VERDICTS)
    return JudgedVerdicts(labelled=np.asarray(labelled), mass=mass).fit(table)


def accuracy(tables: Weighted):
    return measure(METRICS["accuracy"], tables)


def labelling(labelled=LABELLED, counts=COUNTS):
    return Labelling.of(posterior(labelled, counts), lambda tables: difference(*accuracy(tables)))


def moments(labelled, counts=COUNTS, mass=0.5):
    """Return the mean and the variance of A − B, by the moments of Dirichlets written out."""
    shares, given = counts + mass, np.asarray(labelled) + mass / 4
    total, known = shares.sum(), given.sum(axis=1)
    p, q = shares / total, given / known[:, None]
    pp = (np.outer(p, p) * total + np.diag(p)) / (total + 1)
    means = q @ DIFFERENCE
    second = (q @ DIFFERENCE**2 + known * means**2) / (known + 1)
    squares = np.outer(means, means)
    np.fill_diagonal(squares, second)
    return p @ means, (pp * squares).sum() - (p @ means) ** 2


def test_draws_have_the_mean_and_the_variance_of_the_closed_form():
    mean, variance = moments(LABELLED)
    psi = accuracy(posterior().block(np.random.default_rng(0), 40_000))
    delta = psi[0] - psi[1]
    assert delta.mean() == pytest.approx(mean, abs=4 * (variance / delta.size) ** 0.5)
    assert delta.var() == pytest.approx(variance, rel=4 * (2 / delta.size) ** 0.5)
    assert labelling().variance == pytest.approx(variance, rel=1e-6)


def test_where_humans_judged_all_items_the_judge_has_no_part_in_it():
    everything = np.diag(COUNTS) // 2
    everything[:, 1] += COUNTS - everything.sum(axis=1)
    mean, variance = moments(everything)
    said = everything.sum(axis=0) + 0.5  # Jeffreys' prior of what humans say
    share = said / said.sum()
    assert mean == pytest.approx(share @ DIFFERENCE)
    assert variance == pytest.approx((share @ DIFFERENCE**2 - mean**2) / (said.sum() + 1))
    assert labelling(everything).worth == pytest.approx(COUNTS.sum() + 2, rel=1e-6)


def test_without_items_it_is_the_prior():
    empty = JudgedVerdicts(labelled=LABELLED).fit(Outcomes.empty(VERDICTS, ["a", "b"]))
    assert empty.sorted.shares.tolist() == [0.5] * 4
    assert set(empty.sorted.human.ravel()) == {0.125}


def test_exchanged_systems_mirror_the_answer():
    swap = [0, 2, 1, 3]
    mean, variance = moments(LABELLED)
    other = moments(LABELLED[swap][:, swap], COUNTS[swap])
    assert other == pytest.approx((-mean, variance))
    assert labelling(LABELLED[swap][:, swap], COUNTS[swap]).means[swap] == pytest.approx(-labelling().means, abs=1e-9)


@pytest.mark.parametrize("cell", range(4))
def test_one_more_label_leaves_what_is_said_on_average(cell):
    given = LABELLED[cell] + 0.125
    left = 0.0
    for outcome, chance in enumerate(given / given.sum()):
        more = LABELLED.copy()
        more[cell, outcome] += 1
        _, variance = moments(more)
        left += chance * variance
    assert labelling().after(np.eye(4)[cell]) == pytest.approx(left, rel=1e-6)


def test_labels_go_where_they_tell_most():
    worth = labelling()
    best = worth.best(60)
    assert best.sum() == pytest.approx(60, abs=1e-6)
    assert (best <= worth.open + 1e-9).all()
    least = worth.after(best)
    assert least < worth.after(worth.at_random(60)) < worth.variance
    for giver in np.flatnonzero(best > 1):
        for taker in np.flatnonzero(best < worth.open - 1):
            moved = best + np.eye(4)[taker] - np.eye(4)[giver]
            assert worth.after(moved) >= least - 1e-12
    assert worth.best(10_000) == pytest.approx(worth.open)
