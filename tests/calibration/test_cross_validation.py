"""How often intervals from cross-validation hold the true difference of two *algorithms*, and verdicts are right.

The truth is the mean difference over random training sets of the size that folds train on, each tested on many items.
Learners are vectorised over data sets, so that hundreds of them take seconds. They were chosen to be easy (logistic
regression beside naive Bayes), unstable (nearest neighbour) and hopeless (nearest centroid where only the spread of the
classes differs, so that what it learns is chance).
"""

from __future__ import annotations

import functools
import math

import numpy as np
import pytest
from scipy import special

from ropewalk.draws.contrast import Question
from ropewalk.draws.intervals import Interval
from ropewalk.inference.folds import FoldScores, judge_folds

pytestmark = pytest.mark.slow

DATA_SETS = 600
# dimensions, shift of class 1, correlation of features, share of class 1, spread of class 1
POPULATIONS = {"weak": (5, 0.35, 0.3, 0.5, 1.0), "spread": (5, 0.5, 0.0, 0.5, 1.5), "rare": (4, 0.9, 0.4, 0.2, 1.0)}


def data(rng, population, n_sets, n):
    """Data sets of n items, (sets, n, dimensions) and (sets, n)."""
    d, shift, rho, share, spread = POPULATIONS[population]
    y = (rng.random((n_sets, n)) < share).astype(float)
    few = np.minimum(y.sum(1), n - y.sum(1)) < 2
    y[few, :2], y[few, 2:4] = 1, 0
    z = rng.standard_normal((n_sets, n, d)) * math.sqrt(1 - rho) + rng.standard_normal((n_sets, n, 1)) * math.sqrt(rho)
    return z * np.where(y == 1, spread, 1.0)[..., np.newaxis] + shift * y[..., np.newaxis] * np.linspace(1, 0, d), y


def fold_numbers(rng, y, k):
    """Stratified folds: the items of each class are shuffled and dealt out in turn."""
    order = np.argsort(rng.random(y.shape) + 2 * y, axis=1)
    numbers = np.empty(y.shape, dtype=np.int64)
    np.put_along_axis(numbers, order, (np.arange(y.shape[1]) + rng.integers(k, size=(len(y), 1))) % k, axis=1)
    return numbers


# -- learners: trained where w is 1, they return scores of x, above 0 for class 1 ----------------------------------


def class_means(x, y, w, power=1):
    both = [
        np.einsum("rn,rnd->rd", w * (y == c), x**power) / np.maximum((w * (y == c)).sum(1), 1)[:, None] for c in (0, 1)
    ]
    return both[0], both[1]


def centroid(x, y, w):
    m0, m1 = class_means(x, y, w)
    return lambda t: np.matmul(t, (m1 - m0)[..., None])[..., 0] - ((m1**2 - m0**2).sum(1) / 2)[:, None]


def bayes(x, y, w):
    means, squares = class_means(x, y, w), class_means(x, y, w, power=2)
    counts = [np.maximum((w * (y == c)).sum(1), 0.5) for c in (0, 1)]

    def log_density(t, c):
        variance = np.maximum(squares[c] - means[c] ** 2, 0.05)
        distance = ((t - means[c][:, None]) ** 2 / variance[:, None]).sum(2) + np.log(variance).sum(1)[:, None]
        return np.log(counts[c])[:, None] - distance / 2

    return lambda t: log_density(t, 1) - log_density(t, 0)


def logistic(x, y, w, steps=7):
    z = np.concatenate([x, np.ones((*x.shape[:2], 1))], axis=2)
    ridge = np.diag([*[1.0] * x.shape[2], 1e-3])
    b = np.zeros((len(x), z.shape[2]))
    for _ in range(steps):
        p = special.expit(np.matmul(z, b[..., None])[..., 0])
        slope = np.matmul(z.transpose(0, 2, 1), (w * (y - p))[..., None])[..., 0] - b @ ridge
        curvature = np.matmul(z.transpose(0, 2, 1), z * (w * np.maximum(p * (1 - p), 1e-4))[..., None]) + ridge
        b = b + np.linalg.solve(curvature, slope[..., None])[..., 0]
    return lambda t: np.matmul(t, b[:, :-1, None])[..., 0] + b[:, -1:]


def eager(x, y, w):
    """Logistic regression that says yes where it is in doubt."""
    score = logistic(x, y, w)
    return lambda t: score(t) + 2


def reluctant(x, y, w):
    """Logistic regression that says no where it is in doubt."""
    score = logistic(x, y, w)
    return lambda t: score(t) - 2


def neighbour(x, y, w):
    def score(t):
        distance = (t**2).sum(2)[:, :, None] + (x**2).sum(2)[:, None, :] - 2 * np.matmul(t, x.transpose(0, 2, 1))
        nearest = [np.where((w * (y == c))[:, None, :] > 0, distance, np.inf).min(2) for c in (0, 1)]
        return nearest[0] - nearest[1]

    return score


# -- metrics of the items where w is 1, one value per data set -----------------------------------------------------


def accuracy(y, s, w):
    return (w * ((s > 0) == (y > 0))).sum(1) / w.sum(1)


def f1(y, s, w):
    predicted = w * (s > 0)
    return 2 * (predicted * y).sum(1) / np.maximum((w * y).sum(1) + predicted.sum(1), 1)


def roc_auc(y, s, w):
    values = np.full(len(y), np.nan)
    for r, (positive, scores, here) in enumerate(zip(y > 0, s, w > 0, strict=True)):
        high, low = scores[here & positive], np.sort(scores[here & ~positive])
        if high.size and low.size:
            values[r] = np.mean([np.searchsorted(low, high, side) for side in ("left", "right")]) / low.size
    return values


METRICS = {"accuracy": accuracy, "f1": f1, "roc_auc": roc_auc}


@functools.cache
def truth(population, pair, n, k):
    """The mean differences over 6,000 training sets of n (k − 1)/k items, each tested on 300 items."""
    rng = np.random.default_rng([1, n, k])
    batches = []
    for _ in range(20):
        x, y = data(rng, population, 300, n)
        w = (fold_numbers(rng, y, k) > 0).astype(float)
        t, u = data(rng, population, 300, 300)
        scores = [learn(x, y, w)(t) for learn in pair]
        batches.append([(metric(u, scores[0], np.ones_like(u)) - metric(u, scores[1], np.ones_like(u))).mean()
                        for metric in METRICS.values()])  # fmt: skip
    return dict(zip(METRICS, np.mean(batches, axis=0), strict=True))


@functools.cache
def simulated(population, pair, n, k, repeats):
    """Scores of folds by metric, (sets, 2, folds), and the items by accuracy: 95% intervals and standard deviations."""
    rng = np.random.default_rng([2, n, k, repeats])
    x, y = data(rng, population, DATA_SETS, n)
    folds = {metric: [] for metric in METRICS}
    right = np.zeros((2, *y.shape))
    for _ in range(repeats):
        numbers = fold_numbers(rng, y, k)
        for j in range(k):
            test = (numbers == j).astype(float)
            scores = [learn(x, y, 1 - test)(x) for learn in pair]
            for name, metric in METRICS.items():
                folds[name].append([metric(y, s, test) for s in scores])
            right += np.array([test * ((s > 0) == (y > 0)) for s in scores]) / repeats
    weights = rng.standard_exponential((len(y), n, 400))  # Rubin's bootstrap of the items, each with all of its repeats
    draws = np.sort(np.einsum("rn,rnd->rd", right[0] - right[1], weights) / weights.sum(1), axis=1)
    start = (draws[:, 380:] - draws[:, :20]).argmin(1)
    rows = np.arange(len(y))
    items = np.stack([draws[rows, start], draws[rows, start + 380], draws.std(axis=1)], axis=1)
    return {metric: np.array(values).transpose(2, 1, 0) for metric, values in folds.items()}, items


def judged(scores, n, k, rope, item_stds=None):
    """Judge every data set as `cross_compare` does; without those of the items, less cautiously."""
    question = Question(rope=Interval(-rope, rope), prob=0.95, rule="hdi", higher_is_better=True)
    sizes = {"train_sizes": np.full(scores.shape[2], n - n // k), "test_sizes": np.full(scores.shape[2], n // k)}
    stds = np.zeros(len(scores)) if item_stds is None else item_stds
    folds = [FoldScores(names=("a", "b"), scores=s, item_std=std, **sizes) for s, std in zip(scores, stds, strict=True)]
    return [judge_folds(each, question, limits=Interval(0, 1), draws=1) for each in folds]


def share(hits):
    """A share, and two simulation standard errors of it."""
    p = float(np.mean(hits))
    return p, 2 * math.sqrt(max(p * (1 - p), 0.01) / len(hits))


def covered(intervals, value):
    return [low <= value <= high for low, high in intervals]


LR_NB, NN_NC, NB_NC = (logistic, bayes), (neighbour, centroid), (bayes, centroid)
# In each the smaller class has about 30 items or more, but for n = 30.
SETTINGS = [
    *(("weak", LR_NB, n, k, repeats) for n in (30, 60, 200) for k in (5, 10) for repeats in (1, 5)),
    *(("weak", NN_NC, 60, k, repeats) for k in (5, 10) for repeats in (1, 10)),
    *(("spread", NB_NC, n, k, repeats) for n in (60, 200) for k in (5, 10) for repeats in (1, 10)),
    ("rare", LR_NB, 200, 5, 5),
]


def name_of(value):
    return "-".join(learner.__name__ for learner in value) if isinstance(value, tuple) else str(value)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("population", "pair", "n", "k", "repeats"), SETTINGS, ids=name_of)
def test_verdicts_on_algorithms_rest_on_intervals_that_cover(population, pair, n, k, repeats, metric):
    value = truth(population, pair, n, k)[metric]
    scores = simulated(population, pair, n, k, repeats)[0][metric]
    scores = scores[np.isfinite(scores).all(axis=(1, 2))]  # folds of one class have no area, and no verdict
    answers = judged(scores, n, k, abs(value))  # the true difference lies on an edge: all that is conclusive is a slip
    spread = [answer for answer in answers if "same difference" not in answer.no_verdict]
    p, error = share(covered([answer.cautious for answer in spread], value))
    assert p + error >= (0.93 if n >= 60 else 0.91)
    for side in ("≫", "≪", "≈"):
        wrong, slack = share([a.contrast.decision is not None and a.contrast.decision.symbol == side for a in answers])
        assert wrong <= 0.025 + slack, side
    within = [answer.contrast.delta.hdi for answer in spread]
    p, error = share(covered(within, value))
    # Repeats make the interval itself too sure where an algorithm learns nothing: then there is no verdict by it alone.
    assert p + error >= (0.85 if population == "spread" and repeats > 1 else 0.91)


@pytest.mark.parametrize(("k", "repeats"), [(5, 5), (10, 10)])
def test_the_items_alone_are_too_sure_about_algorithms(k, repeats):
    """The negative control: judged as if the trained classifiers were all there is, as `cross_compare` first did."""
    value = truth("weak", NN_NC, 60, k)["accuracy"]
    folds, items = simulated("weak", NN_NC, 60, k, repeats)
    p, error = share(covered(items[:, :2], value))
    assert p + error < 0.91
    answers = judged(folds["accuracy"], 60, k, 0.01)
    assert share(covered([a.contrast.delta.hdi for a in answers], value))[0] > p


@pytest.mark.parametrize(("n", "k", "repeats"), [(60, 5, 1), (60, 10, 10), (200, 10, 1), (200, 10, 10)])
def test_a_class_mix_that_all_folds_share_does_not_make_a_verdict(n, k, repeats):
    """One says yes in doubt, the other no: they differ by the class mix, which stratified folds share."""
    pair = (eager, reluctant)
    value = truth("weak", pair, n, k)["accuracy"]
    folds, items = simulated("weak", pair, n, k, repeats)
    answers = judged(folds["accuracy"], n, k, max(abs(value), 0.05), items[:, 2])
    spread = [answer for answer in answers if "same difference" not in answer.no_verdict]
    p, error = share(covered([answer.cautious for answer in spread], value))
    assert p + error >= 0.93
    wrong, slack = share([a.contrast.decision is not None and a.contrast.decision.symbol in "≫≪" for a in answers])
    assert wrong <= 0.05 + slack
    alone, error = share(covered([answer.contrast.delta.hdi for answer in spread], value))
    assert alone + error < 0.91  # the negative control: by the folds alone it would be far too sure


def test_identical_algorithms_never_get_a_verdict():
    scores = np.repeat(simulated("weak", LR_NB, 60, 5, 1)[0]["accuracy"][:50, :1], 2, axis=1)
    assert all(answer.contrast.decision is None for answer in judged(scores, 60, 5, 0.5))
