"""A judge that humans corrected: closed forms, what is left where all or nothing is labelled, what labels are worth."""

import numpy as np
import pytest

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import difference
from ropewalk.metrics.margins import Weighted
from ropewalk.metrics.registry import METRICS
from ropewalk.models import measure
from ropewalk.models.judged import PAIRS, RIGHT, VERDICTS, JudgedVerdicts
from ropewalk.models.judged_labels import JudgedLabels
from ropewalk.models.labelling import Labelling
from ropewalk.models.learned import LearnedTree

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
    assert labelling(everything).worth == pytest.approx(COUNTS.sum(), rel=1e-6)


def test_without_items_it_is_the_prior():
    empty = JudgedVerdicts(labelled=LABELLED).fit(Outcomes.empty(VERDICTS, ["a", "b"]))
    assert empty.sorted.shares.tolist() == [0.5] * 4
    assert set(empty.sorted.human.ravel()) == {0.125}


def test_exchanged_systems_mirror_the_answer():
    swap = [0, 2, 1, 3]
    mean, variance = moments(LABELLED)
    other = moments(LABELLED[swap][:, swap], COUNTS[swap])
    assert other == pytest.approx((-mean, variance))
    gains = posterior(LABELLED[swap][:, swap], COUNTS[swap]).gains
    assert gains[swap] == pytest.approx(-posterior().gains)
    assert gains @ (COUNTS[swap] + 0.5) / (COUNTS.sum() + 2) == pytest.approx(-mean)


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


def labelled_items(n_labels, share, n=4_000):
    """Return a table by a judge that errs and sides with A, the items that humans judged, and the true table."""
    rng = np.random.default_rng(n_labels)
    truth = rng.integers(n_labels, size=n)

    def says(right):
        return np.where(rng.random(n) < right, truth, (truth + rng.integers(1, n_labels, size=n)) % n_labels)

    a, b, judge = says(0.8), says(0.75), says(0.9)
    judge = np.where((a != truth) & (rng.random(n) < 0.4), a, judge)
    asked = rng.permutation(n) < share * n
    labels = list(range(n_labels))
    table = Outcomes.from_arrays(judge, a, b, names=["a", "b"], labels=labels)
    human = Outcomes.from_arrays(truth[asked], a[asked], b[asked], judge[asked], names=["a", "b", "j"], labels=labels)
    return table, human, Outcomes.from_arrays(truth, a, b, names=["a", "b"], labels=labels)


def delta_of(model, table, metric="accuracy"):
    psi = measure(METRICS[metric], model.fit(table).block(np.random.default_rng(0), 4_000))
    return psi[0] - psi[1]


@pytest.mark.parametrize("n_labels", [2, 4])
def test_labels_are_corrected_and_all_of_them_give_the_plain_answer(n_labels):
    table, human, true = labelled_items(n_labels, 0.2)
    plain = delta_of(LearnedTree(), true)
    judge = delta_of(LearnedTree(), table)
    some = delta_of(JudgedLabels(labelled=human), table)
    assert abs(judge.mean() - plain.mean()) > 4 * plain.std()
    assert abs(some.mean() - plain.mean()) < 2.5 * some.std()
    assert plain.std() < some.std()
    table, human, _ = labelled_items(n_labels, 1.0)
    every = delta_of(JudgedLabels(labelled=human), table)
    assert every.mean() == pytest.approx(plain.mean(), abs=0.25 * plain.std())
    assert every.std() == pytest.approx(plain.std(), rel=0.1)


def test_one_class_against_the_rest_is_matched_and_without_items_it_is_a_prior():
    table, human, _ = labelled_items(4, 0.2)
    posterior = JudgedLabels(labelled=human).fit(table.collapse(3))
    assert posterior.sorted.labelled.sum() == human.n_items
    assert posterior.sorted.counted.sum() == table.n_items
    assert posterior.expected.sum() == pytest.approx(1)
    empty = delta_of(JudgedLabels(labelled=human), Outcomes.empty([0, 1, 2], ["a", "b"]))
    assert empty.mean() == pytest.approx(0, abs=4 * empty.std() / empty.size**0.5)
