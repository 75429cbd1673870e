"""A judge's scores that humans corrected: the Student t of a regression, what it does not depend on, and its width."""

import numpy as np
import pytest
from scipy import stats

from ropewalk.data.scores import ItemScores
from ropewalk.models.judged_scores import JudgedScores

N_ITEMS, N_HUMAN = 2_000, 60


def scores(n_items=N_ITEMS, bias=0.1):
    """Return a judge's scores of all items, (items, 2), and a human's; the judge is biased for A."""
    rng = np.random.default_rng(4)
    human = np.array([0.6, 0.5]) + 0.2 * rng.normal(size=(n_items, 1)) + 0.1 * rng.normal(size=(n_items, 2))
    return 0.3 + 0.5 * human + 0.05 * rng.normal(size=(n_items, 2)) + np.array([bias, 0.0]), human


def posterior(judge, human, n=N_HUMAN):
    items = ItemScores.from_arrays(None, *judge.T, names=["a", "b"])
    return JudgedScores(judge=judge[:n], human=human[:n], ends=(0.0, 1.0)).fit(items)


def delta(fitted, n=20_000):
    psi = fitted.block(np.random.default_rng(0), n).psi
    return psi[0] - psi[1]


def test_where_the_means_of_the_judge_are_known_it_is_the_t_of_the_regression():
    judge, human = scores()
    fitted = posterior(judge, human)
    known = type(fitted)(
        judge=fitted.judge,
        human=fitted.human,
        means=fitted.means,
        covariance=np.zeros((2, 2)),
        n_items=fitted.n_items,
    )
    design = np.column_stack([np.ones(N_HUMAN), fitted.judge])
    gain = fitted.human[:, 0] - fitted.human[:, 1]
    slopes, *_ = np.linalg.lstsq(design, gain, rcond=None)
    left = gain - design @ slopes
    at = np.array([1.0, *fitted.means])
    freedom = N_HUMAN - 4
    squares = left @ left + 2 * 0.125 * np.ptp(fitted.human) ** 2
    scale = (squares / freedom * (at @ np.linalg.inv(design.T @ design) @ at)) ** 0.5
    assert stats.kstest(delta(known), stats.t(freedom, at @ slopes, scale).cdf).pvalue > 1e-4


def test_only_what_goes_along_with_a_human_matters_and_not_the_scale_of_the_judge():
    judge, human = scores()
    same = delta(posterior(3 * judge - np.array([5.0, 7.0]), human))
    assert same == pytest.approx(delta(posterior(judge, human)), abs=1e-9)


def test_exchanged_systems_mirror_the_answer():
    judge, human = scores()
    ab, ba = delta(posterior(judge, human)), delta(posterior(judge[:, ::-1], human[:, ::-1]))
    assert ab.mean() == pytest.approx(-ba.mean(), abs=6 * ab.std() / ab.size**0.5)
    assert ab.std() == pytest.approx(ba.std(), rel=0.05)


def test_more_scores_narrow_it_as_is_said():
    judge, human = scores(20_000)
    few, many = posterior(judge, human, 100), posterior(judge, human, 400)
    assert delta(few).var() == pytest.approx(few.variance, rel=0.1)
    assert few.after(300) == pytest.approx(many.variance, rel=0.3)
    assert few.n_human < few.worth
    assert few.variance < few.without_judge


def test_a_judge_that_agrees_with_all_humans_is_not_taken_for_perfect():
    judge, _ = scores()
    assert posterior(judge, judge).variance > 2 * 0.125 * np.ptp(judge[:N_HUMAN]) ** 2 / N_HUMAN**2
