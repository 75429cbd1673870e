"""Bias and variance, Bayes error, confusion rates and learning curves: closed forms, other tools, hostile input."""

from __future__ import annotations

import json
import math
import subprocess
import sys

import numpy as np
import pytest
from scipy import integrate, stats

import ropewalk as rw
from ropewalk import analysis
from ropewalk.draws.intervals import beta_hdi
from support import assert_names_one_of, need

RopewalkError = rw.errors.RopewalkError


def wu(x):
    """Wu, Equation 4, without its noise."""
    return 3 * (x - 0.2) ** 2 - 7 * (x - 0.2) + 4.2


def polynomial(degree):
    def fit(train, targets, tests):
        return np.polyval(np.polyfit(train, targets, degree), tests)

    return fit


class Majority:
    """An estimator without scikit-learn: it predicts the most frequent label."""

    def fit(self, items, labels):
        values, counts = np.unique(labels, return_counts=True)
        self.answer = values[counts.argmax()]

    def predict(self, items):
        return np.full(len(items), self.answer)


# -- bias and variance: the squared loss ---------------------------------------------------------------------


@pytest.mark.parametrize("degree", [1, 2, 5])
def test_parts_of_a_polynomial_are_those_of_least_squares(degree):
    """With a fixed design Var f(x) = σ² x'(X'X)⁻¹x, and E f is the fit to the noiseless truth."""
    x, grid, sigma = np.linspace(-1, 2, 20), np.linspace(-1.2, 2.2, 15), 1.0
    design, at = np.vander(x, degree + 1), np.vander(grid, degree + 1)
    variance = sigma**2 * np.einsum("ij,jk,ik->i", at, np.linalg.inv(design.T @ design), at)
    bias = wu(grid) - polynomial(degree)(x, wu(x), grid)
    sets = 2000
    parts = analysis.bias_variance(
        polynomial(degree), sample=lambda rng: (x, wu(x) + rng.normal(0, sigma, x.size)), X_test=grid,
        truth=wu, noise=sigma**2, n_sets=sets, rng=1,
    )  # fmt: skip
    # f(x) is normal: its sample variance has a relative error of √(2/(n − 1))
    assert np.abs(parts.variance / variance - 1).max() < 4.5 * math.sqrt(2 / (sets - 1))
    assert (np.abs(parts.bias - bias) < 4.5 * np.sqrt(variance / sets)).all()
    for found, exact in (
        (parts.average_variance, variance.mean()), (parts.average_squared_bias, (bias**2).mean()),
        (parts.average_error, ((bias**2) + variance).mean() + 1),
    ):  # fmt: skip
        assert abs(found.value - exact) < 4 * found.standard_error
    assert not parts.resampled


@pytest.mark.parametrize("k", [1, 3, 20])
def test_parts_of_nearest_neighbours_are_wus_exercise_6(k):
    """k-NN with a fixed design: the variance is σ²/k everywhere, the bias F minus the mean of F over the neighbours."""
    x, grid, sigma = np.linspace(-1, 2, 20), np.linspace(-0.9, 1.9, 12), 0.7
    near = np.abs(np.subtract.outer(grid, x)).argsort(axis=1)[:, :k]
    parts = analysis.bias_variance(
        lambda _, y, tests: y[near].mean(axis=1), sample=lambda rng: (x, wu(x) + rng.normal(0, sigma, x.size)),
        X_test=grid, truth=wu(grid), noise=sigma**2, n_sets=1500, rng=2,
    )  # fmt: skip
    bias = wu(grid) - wu(x)[near].mean(axis=1)
    assert np.abs(parts.variance / (sigma**2 / k) - 1).max() < 4.5 * math.sqrt(2 / 1499)
    assert abs(parts.average_variance.value - sigma**2 / k) < 4 * parts.average_variance.standard_error
    assert abs(parts.average_squared_bias.value - (bias**2).mean()) < 4 * parts.average_squared_bias.standard_error


def test_the_squared_bias_is_not_too_large_on_average():
    """Where there is no bias at all, (F − mean f)² is Var/sets on average; the estimate must be 0 on average."""
    x = np.linspace(0, 1, 10)
    values = [
        analysis.bias_variance(
            polynomial(1), sample=lambda rng: (x, x + rng.normal(size=10)), X_test=x, truth=x, n_sets=4, rng=seed
        ).average_squared_bias.value
        for seed in range(200)
    ]
    assert abs(np.mean(values)) < 4 * np.std(values) / math.sqrt(200)
    assert min(values) < 0


def test_the_squared_parts_add_up_exactly():
    parts = analysis.bias_variance(
        polynomial(3), sample=lambda rng: (x := rng.uniform(-1, 2, 12), wu(x) + rng.normal(size=12)),
        X_test=np.linspace(-1, 2, 7), truth=wu, noise=np.linspace(0.5, 2, 7), n_sets=9, rng=0,
    )  # fmt: skip
    n = parts.n_sets
    measured = ((parts.predictions - wu(np.linspace(-1, 2, 7))) ** 2).mean(axis=0) + parts.noise
    assert parts.error == pytest.approx(measured, rel=1e-12)
    assert parts.squared_bias + parts.variance + parts.noise == pytest.approx(measured, rel=1e-10)
    # and so do the forms that divide by n
    assert parts.bias**2 + parts.variance * (n - 1) / n + parts.noise == pytest.approx(measured, rel=1e-10)
    averages = parts.average_squared_bias.value + parts.average_variance.value + parts.average_noise
    assert averages == pytest.approx(parts.average_error.value, rel=1e-10)


def test_labels_alone_cannot_tell_noise_from_bias(rng):
    x = rng.uniform(-1, 2, 40)
    y = wu(x) + rng.normal(size=40)
    parts = analysis.bias_variance(polynomial(1), x[:30], y[:30], x[30:], y[30:], n_sets=20, rng=0)
    assert parts.bias is None
    assert parts.squared_bias is None
    assert parts.average_squared_bias is None
    assert parts.noise is None
    assert "bias² + noise" in str(parts)
    assert parts.bias_and_noise + parts.variance == pytest.approx(((parts.predictions - y[30:]) ** 2).mean(axis=0))
    assert parts.resampled


def test_mlxtend_finds_the_same_squared_parts(rng):
    """Both resample the same way, so their averages differ by Monte Carlo error alone."""
    evaluate, linear = need("mlxtend.evaluate"), need("sklearn.linear_model")
    x = rng.uniform(-1, 2, (60, 1))
    y = wu(x[:, 0]) + rng.normal(size=60)
    error, bias, variance = evaluate.bias_variance_decomp(
        linear.LinearRegression(), x[:40], y[:40], x[40:], y[40:], loss="mse", num_rounds=400, random_seed=0
    )
    parts = analysis.bias_variance(linear.LinearRegression(), x[:40], y[:40], x[40:], y[40:], n_sets=400, rng=1)
    for found, other in (
        (parts.average_error, error), (parts.average_bias_and_noise, bias), (parts.average_variance, variance)
    ):  # fmt: skip
        assert abs(found.value - other) < 5 * math.sqrt(2) * found.standard_error


def test_standard_errors_are_the_spread_over_repeats():
    def once(seed):
        x = np.linspace(-1, 2, 15)
        return analysis.bias_variance(
            polynomial(1),
            sample=lambda rng: (x, wu(x) + rng.normal(size=15)),
            X_test=x[::3],
            truth=wu,
            n_sets=25,
            rng=seed,
        )

    repeats = [once(seed) for seed in range(150)]
    for part in ("average_squared_bias", "average_variance", "average_error"):
        spread = np.std([getattr(one, part).value for one in repeats], ddof=1)
        told = math.sqrt(np.mean([getattr(one, part).standard_error ** 2 for one in repeats]))
        assert told == pytest.approx(spread, rel=0.3)  # a spread of 150 repeats is known to 6%, squared errors to less


# -- bias and variance: the 0-1 loss -------------------------------------------------------------------------


def answers(table):
    """An estimator whose predictions are the rows of a table, one training set after the other."""
    rows = iter(table)
    return lambda *_: next(rows)


def by_hand(table, right):
    """Domingos' parts of one item at a time, in plain Python."""
    for j, truth in enumerate(right):
        said = [row[j] for row in table]
        main = max(sorted(set(said)), key=said.count)
        wrong = [s != main for s in said]
        yield main, main != truth, sum(wrong) / len(said), sum(s != truth for s in said) / len(said)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_the_zero_one_parts_are_those_by_hand_and_add_up(classes, rng):
    right = rng.integers(classes, size=30)
    table = np.where(rng.random((8, 30)) < 0.5, right, rng.integers(classes, size=(8, 30)))
    parts = analysis.bias_variance(
        answers(table), [0, 1], [0, 1], np.zeros((30, 1)), right, loss="zero_one", n_sets=8, rng=0
    )
    main, bias, variance, error = zip(*by_hand(table.tolist(), right.tolist()), strict=True)
    assert parts.main_prediction == main
    assert parts.bias.tolist() == list(map(float, bias))
    assert parts.variance == pytest.approx(variance)
    assert parts.error == pytest.approx(error)
    assert parts.bias + parts.unbiased_variance - parts.biased_variance == pytest.approx(parts.error, abs=1e-15)
    total = parts.average_bias.value + parts.average_unbiased_variance.value - parts.average_biased_variance.value
    assert total == pytest.approx(parts.average_error.value, abs=1e-15)
    if classes == 2:  # then to differ from a wrong main prediction is to be right
        assert parts.unbiased_variance + parts.biased_variance == pytest.approx(parts.variance)
    assert parts.average_bias.standard_error is None


def test_mlxtend_finds_the_same_zero_one_parts(rng):
    evaluate, tree = need("mlxtend.evaluate"), need("sklearn.tree")
    x = rng.normal(size=(120, 2))
    y = (x.sum(axis=1) + rng.normal(size=120) > 0).astype(int)
    learner = tree.DecisionTreeClassifier(random_state=0)
    error, bias, variance = evaluate.bias_variance_decomp(
        learner, x[:80], y[:80], x[80:], y[80:], loss="0-1_loss", num_rounds=300, random_seed=0
    )
    parts = analysis.bias_variance(learner, x[:80], y[:80], x[80:], y[80:], loss="zero_one", n_sets=300, rng=1)
    assert abs(parts.average_error.value - error) < 5 * math.sqrt(2) * parts.average_error.standard_error
    assert abs(parts.average_bias.value - bias) <= 3 / 40  # a few close votes may turn
    assert (
        abs(parts.average_variance.value - variance) < 5 * math.sqrt(2) * parts.average_variance.standard_error + 0.02
    )


def test_of_a_tied_vote_the_first_label_wins():
    table = [["b", "a"], ["a", "b"], ["b", "b"], ["a", "a"]]
    parts = analysis.bias_variance(
        answers(table), [0, 1], ["a", "b"], [0, 1], ["b", "b"], loss="zero_one", n_sets=4, rng=0
    )
    assert parts.main_prediction == ("a", "a")
    assert parts.biased_variance.tolist() == [0.5, 0.5]


# -- bias and variance: reproducible, any form, hostile input ------------------------------------------------


def test_the_seed_decides_and_random_states_follow_it(rng):
    ensemble = need("sklearn.ensemble")
    x, y = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    forest = ensemble.RandomForestClassifier(n_estimators=3)
    call = {"loss": "zero_one", "n_sets": 5}
    one, same, other = (analysis.bias_variance(forest, x, y, x, y, rng=seed, **call) for seed in (3, 3, 4))
    assert one.error.tolist() == same.error.tolist()
    assert one.error.tolist() != other.error.tolist()
    assert not hasattr(forest, "estimators_")
    assert analysis.bias_variance(forest, x, y, x, y, random_state=3, **call).error.tolist() == one.error.tolist()


def test_more_sets_begin_with_the_same_ones():
    x = np.linspace(-1, 2, 10)
    call = {"sample": lambda rng: (x, wu(x) + rng.normal(size=10)), "X_test": x, "truth": wu, "rng": 5}
    few, many = (analysis.bias_variance(polynomial(1), n_sets=sets, **call) for sets in (4, 9))
    assert many.predictions[:4].tolist() == few.predictions.tolist()


@pytest.mark.parametrize("form", ["list", "pandas", "sparse", "text"])
def test_items_may_come_in_any_form(form):
    y = [0, 1, 1, 0, 1, 1]
    items = {
        "list": lambda: [[i, 1] for i in range(6)], "pandas": lambda: need("pandas").DataFrame({"x": range(6)}),
        "sparse": lambda: need("scipy.sparse").csr_matrix(np.eye(6)), "text": lambda: list("abcdef"),
    }[form]()  # fmt: skip

    def learn(train, targets, tests):
        n = train.shape[0] if hasattr(train, "shape") else len(train)
        assert n == len(targets) == 6
        return [1] * 6

    found = analysis.bias_variance(learn, items, y, items, y, loss="zero_one", n_sets=3, rng=0)
    assert found.error.tolist() == [1, 0, 0, 1, 0, 0]


def test_an_estimator_of_your_own_is_copied():
    own = Majority()
    found = analysis.bias_variance(own, [[1]] * 5, [0, 1, 1, 1, 1], [[1]] * 2, [1, 1], loss="zero_one", n_sets=5, rng=0)
    assert found.main_prediction == (1, 1)
    assert not hasattr(own, "answer")


def test_whole_floats_are_the_labels_of_integers_and_texts_are_not():
    items, y = [1, 2, 3], [0, 1, 1]
    parts = analysis.bias_variance(lambda *_: [0.0, 1.0, 1.0], items, y, items, y, loss="zero_one", n_sets=3, rng=0)
    assert (parts.labels, parts.average_error.value) == ((0, 1), 0)
    with pytest.raises(rw.errors.LabelTypeError):
        analysis.bias_variance(lambda *_: list("011"), items, y, items, y, loss="zero_one", n_sets=3, rng=0)


def test_progress_is_told():
    told = []
    analysis.bias_variance(
        Majority(), [1, 2], [0, 1], [1], [1], loss="zero_one", n_sets=3, rng=0, progress=lambda *at: told.append(at)
    )
    assert told == [(1, 3), (2, 3), (3, 3)]


X4, Y4 = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 2.5, 4.0]


@pytest.mark.parametrize("bad", [
    {"X": None}, {"y": None}, {"X_test": None}, {"y_test": None}, {"y": Y4[:3]}, {"y_test": Y4[:2]}, {"n_sets": 2},
    {"n_sets": True}, {"n_sets": 3.5}, {"loss": "log"}, {"loss": None}, {"truth": X4}, {"noise": 1.0},
    {"y": list("abcd")},
    {"y_test": [1, 2, 3, math.nan]}, {"y_test": [1, 2, 3, 1e200]}, {"sample": lambda rng: (X4, Y4)}, {"rng": -1},
    {"rng": 1, "random_state": 2}, {"progress": 3}, {"X": []}, {"X": "abcd"}, {"y": [[1, 2]] * 4}, {"X": 7},
    {"X": np.array(3.0)}, {"y": np.ma.array(Y4, mask=[0, 0, 1, 0])},
    {"estimator": None}, {"estimator": Majority}, {"estimator": lambda *_: [1.0]}, {"estimator": lambda *_: 1 / 0},
    {"estimator": lambda *_: [math.nan] * 4}, {"estimator": lambda *_: list("abcd")}, {"X_test": [[1], [2, 3]]},
    {"y_test": None, "truth": X4, "noise": -1}, {"y_test": None, "truth": X4, "noise": [1, 2]},
    {"y_test": None, "truth": lambda _: [1]}, {"y_test": None, "truth": lambda _: 1 / 0},
    {"y_test": None, "truth": X4, "noise": math.inf}, {"loss": "zero_one", "truth": X4},
    {"loss": "zero_one", "y_test": None}, {"loss": "zero_one", "y_test": [0, 1, None, 1]},
    {"loss": "zero_one", "y_test": [0, 1, math.nan, 1]}, {"loss": "zero_one", "y_test": list("abcd")},
    {"loss": "zero_one", "y_test": [0.5, 1, 2, 3]},
    {"X": None, "y": None, "sample": 5}, {"X": None, "y": None, "sample": lambda rng: X4},
    {"X": None, "y": None, "sample": lambda rng: (X4, Y4[:1])}, {"X": None, "y": None, "sample": lambda rng: (X4, 3)},
])  # fmt: skip
def test_bad_input_of_bias_variance_is_an_error_of_ours(bad):
    call = {"estimator": polynomial(1), "X": X4, "y": Y4, "X_test": X4, "y_test": Y4, "n_sets": 3, "rng": 0, **bad}
    with pytest.raises(RopewalkError) as caught:
        analysis.bias_variance(call.pop("estimator"), **call)
    assert_names_one_of(caught.value, bad)


def test_a_training_set_that_breaks_the_estimator_is_named():
    linear = need("sklearn.linear_model")
    with pytest.raises(rw.errors.DataError, match=r"training set 1: ValueError"):
        analysis.bias_variance(
            linear.LogisticRegression(), [[1.0]] * 4, [1] * 4, [[1.0]], [1], loss="zero_one", n_sets=3, rng=0
        )


# -- Bayes error ---------------------------------------------------------------------------------------------

TWO = [stats.norm(-1, 0.5), stats.norm(1, 0.5)]


def grid_risk(densities, priors, cost, low, high, n=400_001):
    """The risk by brute force: Simpson's rule on the smallest expected cost at every point."""
    x = np.linspace(low, high, n)
    joint = np.stack([p * d.pdf(x) for p, d in zip(priors, densities, strict=True)])
    return float(integrate.simpson((np.asarray(cost).T @ joint).min(axis=0), x=x))


def test_wus_exercise_7():
    found = analysis.bayes_error(TWO, [0.5, 0.5], labels=[1, 2])
    assert found.thresholds == pytest.approx((0.0,), abs=1e-12)
    assert found.risk == pytest.approx(stats.norm.sf(2), rel=1e-13)
    assert found.risk == pytest.approx(0.0227501, abs=5e-8)
    dear = analysis.bayes_error(TWO, [0.5, 0.5], cost_matrix=[[0, 10], [1, 0]], labels=[1, 2])
    assert dear.thresholds == pytest.approx((math.log(10) / 8,), abs=1e-12)  # 10 p₁ = p₂ where 8x = log 10
    t = math.log(10) / 8
    assert dear.risk == pytest.approx(5 * stats.norm.sf(t, -1, 0.5) + 0.5 * stats.norm.cdf(t, 1, 0.5), abs=1e-13)
    assert (round(dear.thresholds[0], 6), round(dear.risk, 6)) == (0.287823, 0.063599)
    assert dear.decide([0.28, 0.29]).tolist() == [1, 2]
    assert dear.regions == ((-math.inf, dear.thresholds[0], 1), (dear.thresholds[0], math.inf, 2))
    x = 0.3
    odds = math.exp(8 * x)
    assert found.posterior(x) == pytest.approx([1 / (1 + odds), odds / (1 + odds)])


def test_different_scales_cross_twice():
    found = analysis.bayes_error([stats.norm(0, 1), stats.norm(0, 2)], [0.5, 0.5])
    t = math.sqrt(8 / 3 * math.log(2))
    assert found.thresholds == pytest.approx((-t, t), abs=1e-12)
    assert [label for *_, label in found.regions] == [1, 0, 1]
    assert found.risk == pytest.approx(stats.norm.sf(t) + stats.norm.cdf(t, scale=2) - 0.5, abs=1e-13)


def test_many_classes_in_a_row():
    found = analysis.bayes_error([stats.norm(2 * i) for i in range(5)], [0.2] * 5)
    assert found.thresholds == pytest.approx((1, 3, 5, 7), abs=1e-12)
    assert found.risk == pytest.approx(8 / 5 * stats.norm.sf(1), abs=1e-13)


@pytest.mark.parametrize(("densities", "priors", "low", "high"), [
    ([stats.t(3), stats.t(30, 1)], [0.3, 0.7], -4000, 4000),
    ([stats.gamma(3), stats.expon()], [0.5, 0.5], 0, 60),
    ([stats.lognorm(1), stats.lognorm(0.5), stats.expon(scale=3)], [0.2, 0.5, 0.3], 0, 300),
    ([stats.beta(2, 5), stats.beta(5, 2), stats.uniform()], [0.3, 0.3, 0.4], 0, 1),
    ([stats.laplace(), stats.norm(), stats.logistic(1)], [0.4, 0.3, 0.3], -60, 60),
    ([stats.norm(0, 0.01), stats.norm(0, 1), stats.norm(5, 3)], [0.2, 0.5, 0.3], -30, 30),
])  # fmt: skip
@pytest.mark.parametrize("seed", [None, 0, 1])
def test_the_risk_is_that_of_brute_force(densities, priors, low, high, seed):
    n = len(densities)
    cost = 1 - np.eye(n) if seed is None else np.random.default_rng(seed).normal(size=(n, n)).round(2)
    found = analysis.bayes_error(densities, priors, cost_matrix=None if seed is None else cost)
    assert found.risk == pytest.approx(grid_risk(densities, priors, cost, low, high), abs=2e-6)
    # no rule does better, and the regions are those of the rule
    x = np.linspace(max(low, -20), min(high, 20), 5001)[1:-1]
    inside = [next(label for a, b, label in found.regions if a <= v <= b) for v in x]
    close = [any(abs(v - t) < 1e-9 for t in found.thresholds) for v in x]
    assert all(d == r or c for d, r, c in zip(found.decide(x).tolist(), inside, close, strict=True))


def test_functions_are_integrated():
    f, g = (lambda x, m=m: math.exp(-2 * (x - m) ** 2) * math.sqrt(2 / math.pi) for m in (-1, 1))
    for support in ((-9, 9), (-math.inf, math.inf)):
        found = analysis.bayes_error([f, g], [0.5, 0.5], support=support, cost_matrix=[[0, 10], [1, 0]])
        exact = analysis.bayes_error(TWO, [0.5, 0.5], cost_matrix=[[0, 10], [1, 0]])
        assert found.risk == pytest.approx(exact.risk, abs=1e-10)
        assert found.thresholds == pytest.approx(exact.thresholds, abs=1e-9)
        assert found.method == "quadrature"
    triangle = analysis.bayes_error([lambda x: 1.0, lambda x: 2 * x], [0.5, 0.5], support=(0, 1))
    assert (triangle.thresholds, triangle.risk) == (pytest.approx((0.5,)), pytest.approx(3 / 8))
    pole = analysis.bayes_error([lambda x: 1.0, lambda x: 0.5 / math.sqrt(x)], [0.5, 0.5], support=(0, 1))
    assert (pole.thresholds, pole.risk) == (pytest.approx((0.25,)), pytest.approx(3 / 8))  # ½ · ½ + ½ · ¼
    mixed = analysis.bayes_error([f, TWO[1]], [0.5, 0.5], support=(-9, 9))
    assert mixed.risk == pytest.approx(stats.norm.sf(2), abs=1e-10)


def test_identical_densities_leave_the_prior():
    same = [stats.norm(), stats.norm()]
    assert analysis.bayes_error(same, [0.5, 0.5]).risk == pytest.approx(0.5, abs=1e-14)
    found = analysis.bayes_error(same, [0.3, 0.7])
    assert (found.risk, found.thresholds, found.decide(5)) == (pytest.approx(0.3), (), 1)
    alike = analysis.bayes_error([stats.gamma(1), stats.expon()], [0.5, 0.5])  # one density by two formulas
    assert alike.thresholds == ()


def test_a_class_that_never_is():
    found = analysis.bayes_error([*TWO, stats.norm(0, 9)], [0.5, 0.5, 0.0])
    assert found.thresholds == pytest.approx((0.0,), abs=1e-12)
    assert found.risk == pytest.approx(stats.norm.sf(2), rel=1e-12)
    only = analysis.bayes_error(TWO, [1.0, 0.0])
    assert (only.risk, only.thresholds) == (0.0, ())


def test_uniform_densities():
    apart = analysis.bayes_error([stats.uniform(0, 1), stats.uniform(2, 1)], [0.5, 0.5])
    assert (apart.risk, apart.thresholds) == (0.0, (1.5,))
    assert apart.decide([-3, 0.5, 1.4, 1.6, 2.5, 9]).tolist() == [0, 0, 0, 1, 1, 1]
    assert np.isnan(apart.posterior(1.5)).all()
    partly = analysis.bayes_error([stats.uniform(0, 2), stats.uniform(1, 2)], [0.4, 0.6])
    assert (partly.risk, partly.thresholds) == (pytest.approx(0.2), (1.0,))
    tied = analysis.bayes_error([stats.uniform(0, 2), stats.uniform(1, 2)], [0.5, 0.5])
    assert (tied.risk, tied.thresholds) == (pytest.approx(0.25), (2.0,))
    inner = analysis.bayes_error([stats.uniform(0, 4), stats.uniform(1, 1)], [0.5, 0.5])
    assert (inner.risk, inner.thresholds) == (pytest.approx(1 / 8), (1.0, 2.0))


def test_histograms_are_densities():
    bins = np.arange(5)
    shares = np.array([[2, 1, 0, 3], [0, 1, 2, 1]]) / np.array([[6], [4]])
    both = [stats.rv_histogram((row, bins), density=True) for row in shares]
    found = analysis.bayes_error(both, [0.5, 0.5])
    assert found.risk == pytest.approx(shares.min(axis=0).sum() / 2)
    assert found.thresholds == pytest.approx((1, 3))


def test_thresholds_far_out_in_the_tails():
    rare = 1e-30
    found = analysis.bayes_error([stats.norm(0), stats.norm(1)], [1 - rare, rare])
    t = 0.5 + math.log((1 - rare) / rare)
    assert found.thresholds == pytest.approx((t,), rel=1e-12)
    assert found.risk == pytest.approx(rare, rel=1e-12)
    wide = analysis.bayes_error([stats.norm(0), stats.norm(40)], [0.5, 0.5])
    assert wide.risk == pytest.approx(stats.norm.sf(20), rel=1e-9)
    heavy = analysis.bayes_error([stats.norm(), stats.laplace()], [0.5, 0.5])
    assert len(heavy.thresholds) == 4  # scipy's log density of a Laplace ends at 745; the tail beyond stays its own
    tiny = analysis.bayes_error([stats.norm(0, 1e-150), stats.norm(0, 1e150)], [0.5, 0.5])
    t = 1e-150 * math.sqrt(2 * 300 * math.log(10))
    assert tiny.thresholds == pytest.approx((-t, t), rel=1e-12)


def test_utilities_are_negative_costs():
    found = analysis.bayes_error(TWO, [0.5, 0.5], cost_matrix=[[-1, 0], [0, -1]])
    assert found.risk == pytest.approx(-stats.norm.cdf(2), abs=1e-13)
    assert analysis.bayes_error(TWO, [0.5, 0.5], cost_matrix=np.ones((2, 2))).risk == pytest.approx(1)


def test_more_dimensions_are_drawn():
    normals = [stats.multivariate_normal([0, 0, 0]), stats.multivariate_normal([2, 0, 0])]
    found = analysis.bayes_error(normals, [0.5, 0.5], rng=0, labels=["a", "b"])
    assert abs(found.risk - stats.norm.sf(1)) < 4 * found.standard_error
    assert found.standard_error < 0.001
    assert found.thresholds is None
    assert found.regions is None
    assert found.decide([3, 0, 0]) == "b"
    assert found.decide([[0.9, 5, 5], [1.1, 5, 5]]).tolist() == ["a", "b"]
    assert found.posterior([[1, 0, 0]]) == pytest.approx(np.array([[0.5, 0.5]]))
    assert analysis.bayes_error(normals, [0.5, 0.5], rng=0).risk == found.risk
    dear = analysis.bayes_error(normals, [0.5, 0.5], cost_matrix=[[0, 3], [1, 0]], rng=1)
    exact = analysis.bayes_error([stats.norm(0), stats.norm(2)], [0.5, 0.5], cost_matrix=[[0, 3], [1, 0]])
    assert abs(dear.risk - exact.risk) < 4 * dear.standard_error


def test_a_table_has_equation_22(rng):
    joint = rng.dirichlet(np.ones(12)).reshape(4, 3)
    found = analysis.bayes_error_table(joint)
    assert found.risk == pytest.approx(1 - joint.max(axis=1).sum())
    assert found.decisions == tuple(joint.argmax(axis=1).tolist())
    cost = rng.normal(size=(3, 3))
    rules = np.array(np.meshgrid(*[range(3)] * 4)).reshape(4, -1).T  # every rule there is
    risks = [sum(joint[x, y] * cost[y, d] for x, d in enumerate(rule) for y in range(3)) for rule in rules]
    assert analysis.bayes_error_table(joint, cost_matrix=cost).risk == pytest.approx(min(risks))
    assert np.isnan(analysis.bayes_error_table([[0.5, 0.5], [0, 0]]).posterior[1]).all()


@pytest.mark.parametrize("bad", [
    {"densities": TWO[:1]}, {"densities": "ab"}, {"densities": [1, 2]}, {"densities": [stats.norm, stats.norm]},
    {"densities": [stats.poisson(3), stats.poisson(4)]}, {"densities": [stats.norm(0, -1), TWO[0]]},
    {"densities": [stats.norm([0, 1]), TWO[0]]}, {"densities": [math.cos, math.sin]},
    {"densities": [lambda x: -1.0, lambda x: 1.0], "support": (0, 1)},
    {"densities": [lambda x: 2.0, lambda x: 1.0], "support": (0, 1)},
    {"densities": [lambda x: 0.0, lambda x: 0.0], "support": (0, 1)},
    {"densities": [lambda x: "x", lambda x: 1.0], "support": (0, 1)},
    {"densities": [lambda x: 1 / 0, lambda x: 1.0], "support": (0, 1)},
    {"densities": [lambda x: 1.0, lambda x: 1.0], "support": (1, 0)},
    {"densities": [lambda x: 1.0, lambda x: 1.0], "support": (0, math.nan)},
    {"densities": [lambda x: 1.0, lambda x: 1.0], "support": 5}, {"support": (0, 1)},
    {"densities": [stats.multivariate_normal([0, 0]), TWO[0]]},
    {"densities": [stats.multivariate_normal([0, 0]), stats.multivariate_normal([0, 0, 0])]},
    {"priors": [0.5, 0.4]}, {"priors": [0.5]}, {"priors": [1.5, -0.5]}, {"priors": [math.nan, 0.5]}, {"priors": "ab"},
    {"priors": ["a", "b"]}, {"priors": None}, {"priors": [0, 0]}, {"cost_matrix": [[0, 1]]},
    {"cost_matrix": np.ones((3, 3))}, {"cost_matrix": [[0, math.nan], [1, 0]]}, {"cost_matrix": "x"},
    {"cost_matrix": [[0, 1e300], [1, 0]]}, {"labels": ["a"]}, {"labels": ["a", "a"]}, {"draws": 1}, {"rng": -1},
])  # fmt: skip
def test_bad_input_of_bayes_error_is_an_error_of_ours(bad):
    call = {"densities": TWO, "priors": [0.5, 0.5], **bad}
    with pytest.raises(RopewalkError) as caught:
        analysis.bayes_error(call.pop("densities"), call.pop("priors"), **call)
    assert_names_one_of(caught.value, bad)


@pytest.mark.parametrize("bad", [
    [[0.5, 0.6]], [[-0.5, 1.5]], [[math.nan, 1.0]], [0.5, 0.5], [], [["a"]], [[0.5], [0.25, 0.25]], None,
])  # fmt: skip
def test_bad_tables_are_errors_of_ours(bad):
    with pytest.raises(RopewalkError, match="`joint` must"):
        analysis.bayes_error_table(bad)


def test_bad_points_are_errors_of_ours():
    plane = analysis.bayes_error([stats.multivariate_normal([0, 0]), stats.multivariate_normal([1, 1])], [0.5, 0.5])
    line = analysis.bayes_error(TWO, [0.5, 0.5])
    for found, point, told in (
        (plane, [1, 2, 3], "same dimension"), (plane, [math.nan, 0], "must not be NaN"), (line, "x", "must be numbers"),
    ):  # fmt: skip
        with pytest.raises(RopewalkError, match=told):
            found.decide(point)


# -- confusion -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_the_beta_hdi_is_the_shortest_interval(seed):
    rng = np.random.default_rng(seed)
    a, b = 10 ** rng.uniform(-0.7, 3.5, size=2)
    prob = float(rng.choice([0.5, 0.9, 0.95, 0.99]))
    (low,), (high,) = beta_hdi(np.array([a]), np.array([b]), prob)
    found = stats.beta(a, b)
    assert found.cdf(high) - found.cdf(low) == pytest.approx(prob, abs=1e-7)
    starts = np.linspace(0, 1 - prob, 1001)
    assert high - low <= (found.ppf(np.minimum(starts + prob, 1)) - found.ppf(starts)).min() + 1e-12
    if a > 1 and b > 1:  # one peak: both ends are equally dense
        assert found.logpdf(low) == pytest.approx(found.logpdf(high), abs=1e-4)


def test_the_beta_hdi_at_its_edges():
    a, b = np.array([1.0, 0.5, 0.5, 3.0, 0.0, 1.0]), np.array([1.0, 0.5, 7.5, 0.5, 2.0, 0.0])
    low, high = beta_hdi(a, b, 0.9)
    assert (low[0], high[0]) == pytest.approx((0.05, 0.95))
    assert (low[1], high[1]) == pytest.approx(tuple(stats.beta(0.5, 0.5).interval(0.9)))
    assert (low[2], high[2]) == pytest.approx((0, stats.beta(0.5, 7.5).ppf(0.9)))
    assert (low[3], high[3]) == pytest.approx((stats.beta(3, 0.5).ppf(0.1), 1))
    assert (low[4], high[4], low[5], high[5]) == (0, 0, 1, 1)


def test_each_rate_is_a_beta(rng):
    matrix = rng.integers(0, 40, size=(3, 3))
    found = analysis.confusion(rw.Outcomes.from_confusion(matrix), prob=0.9, prior=1.0)
    a = matrix + 1 / 3
    assert found.counts.tolist() == matrix.tolist()
    assert found.normalised == pytest.approx(matrix / matrix.sum(axis=1, keepdims=True))
    assert found.mean == pytest.approx(a / a.sum(axis=1, keepdims=True))
    assert found.mean.sum(axis=1) == pytest.approx(1)
    for i in range(3):
        for j in range(3):
            low, high = found.interval(i, j)
            mass = stats.beta(a[i, j], a[i].sum() - a[i, j])
            assert mass.cdf(high) - mass.cdf(low) == pytest.approx(0.9, abs=1e-9)


def test_a_rate_on_its_own_has_jeffreys_prior(rng):
    """Zero of eight among twelve labels is not nearly impossible."""
    matrix = np.diag([8] * 12)
    found = analysis.confusion(rw.Outcomes.from_confusion(matrix))
    law = stats.beta(0.5, 8.5)
    assert found.interval(0, 1).low == 0
    assert found.interval(0, 1).high == pytest.approx(law.ppf(0.95), abs=1e-9)
    assert found.mean[0, 0] == pytest.approx(8.5 / 9)


def test_a_confusion_matrix_is_written_like_any_answer(tmp_path):
    table = rw.Outcomes.from_confusion([[8, 2], [1, 9]], labels=["<b>", "$x$"], name="<script>")
    found = analysis.confusion(table)
    assert "<script>" not in found.to_html(tmp_path / "c.html")
    assert "&lt;b&gt;" in found.to_markdown()
    assert r"\$x\$" in found.to_latex()
    assert json.loads(found.to_json())["schema"] == 1
    assert repr(found) == "Confusion(<script>, 2 classes, 20 items)"


def test_the_counts_are_scikit_learns(news):
    metrics = need("sklearn.metrics")
    found = analysis.confusion(news.outcomes, "svm_l2")
    assert found.counts.tolist() == metrics.confusion_matrix(news.y_true, news.predictions["svm_l2"]).tolist()
    other = metrics.confusion_matrix(news.y_true, news.predictions["svm_l2"], normalize="true")
    assert found.normalised == pytest.approx(other)
    assert analysis.confusion(news.y_true, news.predictions["svm_l2"]).counts.tolist() == found.counts.tolist()
    assert len(str(found).splitlines()) == 23
    assert max(map(len, str(found).splitlines())) < 100


def test_two_labels_mirror_each_other():
    found = analysis.confusion(rw.Outcomes.from_confusion([[90, 10], [0, 45]]))
    assert found.low[:, 0] == pytest.approx(1 - found.high[:, 1], abs=1e-12)
    assert found.interval(1, 0).low == 0
    assert found.interval(1, 1).high == 1


def test_a_class_without_items_says_so():
    found = analysis.confusion([0, 0], [0, 1], labels=[0, 1, 2], prior=1.0)
    assert np.isnan(found.normalised[2]).all()
    assert found.mean[2] == pytest.approx(1 / 3)
    assert "'1', '2'" in found.notes[0]
    assert "prior's alone" in str(found)
    assert found.to_dict()["normalised"][2] == [None] * 3


def test_a_missing_answer_is_a_column_and_no_row():
    found = analysis.confusion([0, 1, 2], [0, 1, None], missing="wrong")
    assert len(found.rows) == 3
    assert len(found.labels) == 4
    assert found.counts[2].tolist() == [0, 0, 0, 1]


def test_a_prior_of_your_own():
    table = rw.Outcomes.from_confusion([[8, 2], [1, 9]])
    flat = analysis.confusion(table, prior=2.0)
    assert flat.mean[0] == pytest.approx([9 / 12, 3 / 12])
    assert analysis.confusion(table, prior=[[1, 1], [1, 1]]).low.tolist() == flat.low.tolist()
    assert analysis.confusion([0, 0], [0, 0]).interval(0, 0).low == 1


def test_the_table_is_aligned_and_names_are_harmless():
    table = rw.Outcomes.from_confusion([[3, 1], [0, 12345]], labels=["a\x1b[31m", "line\nbreak"], name="x\ny")
    lines = str(analysis.confusion(table)).splitlines()
    assert len(lines) == 5
    assert "\x1b" not in str(analysis.confusion(table))
    assert len({line.index("0.") for line in lines[3:]}) == 1


@pytest.mark.parametrize("bad", [
    {"prob": 1.0}, {"prob": "x"}, {"prior": 0}, {"prior": -1}, {"prior": math.nan}, {"prior": [1, 2, 3]},
    {"prior": "x"}, {"prior": True}, {"labels": [0]}, {"missing": "what"}, {"truth": "y"}, {"name": 3},
])  # fmt: skip
def test_bad_input_of_confusion_is_an_error_of_ours(bad):
    with pytest.raises(RopewalkError) as caught:
        analysis.confusion([0, 1, 1], [0, 1, 0], **bad)
    assert_names_one_of(caught.value, bad)


def test_confusion_needs_one_label_an_item():
    for data, told in (
        (([[1, 0], [0, 1]], [[1, 1], [0, 1]]), "any number of labels"), (([0, 1],), "A single argument cannot be"),
        (([0, 1], [0]), "same length"), (([], []), "empty"), ((5, 6), "one-dimensional"),
    ):  # fmt: skip
        with pytest.raises(RopewalkError, match=told):
            analysis.confusion(*map(np.array, data))
    with pytest.raises(RopewalkError, match="7 is not a label"):
        analysis.confusion([0, 1], [0, 1]).interval(0, 7)


def test_total_cost_is_the_sum_over_items(rng):
    y, said = rng.integers(3, size=50), rng.integers(3, size=50)
    cost = rng.normal(size=(3, 3))
    assert analysis.total_cost(analysis.confusion(y, said), cost) == pytest.approx(cost[y, said].sum())
    assert analysis.total_cost([[1, 2], [3, 4]], [[0, 10], [100, 0]]) == 320


@pytest.mark.parametrize("cost", [[[0, 1]], np.ones((3, 3)), [[0, math.nan], [1, 0]], "x", [[1], [2, 3]], None])
def test_bad_costs_are_errors_of_ours(cost):
    with pytest.raises(RopewalkError, match="cost matrix must"):
        analysis.total_cost([[1, 2], [3, 4]], cost)
    with pytest.raises(RopewalkError, match="same shape"):
        analysis.total_cost([1, 2], [1, 2])


# -- learning curves -----------------------------------------------------------------------------------------


@pytest.fixture
def blobs(rng):
    """Two classes that overlap, 150 items each, two features."""
    y = np.repeat([0, 1], 150)
    return y[:, np.newaxis] + rng.normal(size=(300, 2)), y


def nearest(train, labels, tests):
    distances = ((tests[:, np.newaxis] - train[np.newaxis]) ** 2).sum(axis=2)
    return labels[distances.argmin(axis=1)]


def test_the_whole_training_part_scores_as_scikit_learn_says(blobs):
    selection, linear = need("sklearn.model_selection"), need("sklearn.linear_model")
    x, y = blobs
    model, cv = linear.LogisticRegression(), selection.KFold(6, shuffle=True, random_state=1)
    curve = analysis.learning_curve(model, x, y, sizes=[20, 1.0], cv=cv, rng=0, draws=2000)
    last = curve.points[-1]
    pooled = selection.cross_val_predict(model, x, y, cv=cv)
    assert last.n_train == 250
    assert last.held_out.observed == pytest.approx((pooled == y).mean())
    trained = selection.cross_validate(model, x, y, cv=cv, return_train_score=True)["train_score"]
    assert (last.train, last.train_std) == pytest.approx((trained.mean(), trained.std(ddof=1)))
    assert last.gap == pytest.approx(last.train - (pooled == y).mean())
    exact = rw.evaluate(y, pooled, metric="accuracy", rng=0, draws=2000).metrics[0].estimate
    assert tuple(last.held_out.hdi) == tuple(exact.hdi)
    assert last.gap_interval.high == pytest.approx(last.train - exact.hdi.low)


def test_one_nearest_neighbour_has_no_training_error(blobs):
    """Wu, section 1.1: the nearest neighbour of a training item is itself."""
    x, y = blobs
    curve = analysis.learning_curve(nearest, x, y, sizes=[10, 50, 200], metric="error", rng=0, draws=2000)
    assert [point.train for point in curve.points] == [0, 0, 0]
    assert all(point.gap_interval.high < 0 for point in curve.points)
    assert not curve.higher_is_better
    found = analysis.train_test_error(nearest, x, y, rng=0)
    assert found.train == 0
    assert found.held_out.hdi.low > 0.1
    assert found.n_train == 225


def test_every_training_set_has_every_class(rng):
    y = np.array([0] * 180 + [1] * 15 + [2] * 5)
    seen = []

    def learn(train, labels, tests):
        seen.append(np.bincount(labels, minlength=3))
        return np.zeros(len(tests), dtype=int)

    with pytest.warns(rw.errors.RopewalkWarning, match="fewer than|never predicts|prior"):
        analysis.learning_curve(learn, np.arange(200.0), y, sizes=[3, 40], rng=0, metric="macro_f1", draws=500)
    assert {int(counts.sum()) for counts in seen} == {3, 40}
    assert all((counts > 0).all() for counts in seen)
    assert all(abs(counts[0] - 36) <= 2 for counts in seen if counts.sum() == 40)


def test_smaller_training_sets_are_part_of_larger_ones(blobs):
    x, y = blobs
    seen = {}

    def learn(train, labels, tests):
        seen.setdefault(len(train), []).append(set(map(tuple, train.tolist())))
        return np.zeros(len(tests), dtype=int)

    analysis.learning_curve(learn, x, y, sizes=[20, 100], cv=3, rng=0, draws=500)
    assert all(small <= large for small, large in zip(seen[20], seen[100], strict=True))


def test_the_validation_curve_finds_the_right_capacity(blobs):
    neighbours = need("sklearn.neighbors")
    x, y = blobs
    curve = analysis.validation_curve(
        neighbours.KNeighborsClassifier(), x, y, parameter="n_neighbors", values=[1, 25], rng=0, draws=2000
    )
    assert [point.value for point in curve.points] == [1, 25]
    assert curve.points[0].train == 1
    assert curve.points[0].gap > curve.points[1].gap
    assert curve.best.value == 25
    pipeline = need("sklearn.pipeline").make_pipeline(neighbours.KNeighborsClassifier())
    other = analysis.validation_curve(
        pipeline, x, y, parameter="kneighborsclassifier__n_neighbors", values=np.array([1, 25]), rng=0, draws=2000
    )
    assert [p.held_out.observed for p in other.points] == [p.held_out.observed for p in curve.points]


def test_a_parameter_of_your_own_estimator(blobs):
    class Constant(Majority):
        answer = 0

        def fit(self, items, labels):
            pass

    curve = analysis.validation_curve(Constant(), *blobs, parameter="answer", values=[0, 1], rng=0, draws=500)
    assert [point.held_out.observed for point in curve.points] == [0.5, 0.5]
    with pytest.raises(rw.errors.InvalidInputError, match="no parameter 'depth'"):
        analysis.validation_curve(Constant(), *blobs, parameter="depth", values=[1])


def test_curves_are_the_same_for_the_same_seed(blobs):
    ensemble = need("sklearn.ensemble")
    forest = ensemble.RandomForestClassifier(n_estimators=2)
    one, same, other = (
        analysis.learning_curve(forest, *blobs, sizes=[30], cv=2, rng=seed, draws=500).to_dict() for seed in (1, 1, 2)
    )
    assert one == same
    assert one["points"] != other["points"]


def test_text_labels_and_a_positive_class(blobs):
    x, y = blobs
    words = np.array(["ham", "spam"])[y]
    curve = analysis.learning_curve(nearest, x, words, sizes=[50], metric="f1", pos_label="spam", rng=0, draws=500)
    plain = analysis.learning_curve(nearest, x, y, sizes=[50], metric="f1", pos_label=1, rng=0, draws=500)
    assert curve.points[0].held_out.observed == plain.points[0].held_out.observed


@pytest.mark.parametrize("seed", range(5))
def test_a_split_keeps_the_shares_of_the_classes(seed):
    y = np.array([2] * 12 + [0] * 60 + [1] * 48)
    seen = []

    def learn(train, labels, tests):
        seen.append((np.bincount(labels).tolist(), len(tests)))
        return np.zeros(len(tests), dtype=int)

    analysis.train_test_error(learn, np.arange(120), y, rng=seed, draws=500)
    assert {n for _, n in seen} == {30, 90}
    assert all(abs(a - b) <= 1 for a, b in zip(seen[0][0], [45, 36, 9], strict=True))


def test_a_test_set_of_its_own(blobs):
    x, y = blobs
    found = analysis.train_test_error(nearest, x[::2], y[::2], x[1::2], y[1::2], metric="accuracy", rng=0)
    assert found.held_out.observed == pytest.approx((nearest(x[::2], y[::2], x[1::2]) == y[1::2]).mean())
    assert found.train == 1
    split = analysis.train_test_error(nearest, x, y, test_size=60, rng=0)
    assert split.n_train == 240


def test_progress_of_a_curve_is_told(blobs):
    told = []
    analysis.learning_curve(
        nearest, *blobs, sizes=[10, 20], cv=3, rng=0, draws=500, progress=lambda *at: told.append(at)
    )
    assert told == [(i, 6) for i in range(1, 7)]


@pytest.mark.parametrize("bad", [
    {"sizes": []}, {"sizes": [0]}, {"sizes": [1.5]}, {"sizes": [10_000]}, {"sizes": [True]}, {"sizes": "abc"},
    {"sizes": [math.nan]}, {"sizes": 5}, {"cv": 1}, {"cv": 10_000}, {"cv": "five"}, {"cv": 2.5}, {"metric": "what"},
    {"metric": ["f1", "accuracy"]}, {"metric": "cost"}, {"metric": None}, {"prob": 2}, {"draws": 0}, {"pos_label": 9},
    {"y": [0, 1]}, {"y": [None] * 300}, {"y": [0.5] * 300}, {"X": None}, {"estimator": 5}, {"rng": "x"},
    {"progress": 5}, {"colour": "red"}, {"estimator": lambda *_: [0]}, {"estimator": lambda *_: [None] * len(_[2])},
    {"estimator": lambda *_: ["x"] * len(_[2])}, {"estimator": lambda *_: 1 / 0},
])  # fmt: skip
def test_bad_input_of_a_curve_is_an_error_of_ours(blobs, bad):
    call = {"estimator": nearest, "X": blobs[0], "y": blobs[1], "sizes": [10], "rng": 0, "draws": 500, **bad}
    with pytest.raises(RopewalkError) as caught:
        analysis.learning_curve(call.pop("estimator"), call.pop("X"), call.pop("y"), **call)
    if bad != {"cv": "five"}:  # that one is said to be no way to split
        assert_names_one_of(caught.value, bad)


def test_folds_may_be_a_list_of_pairs(blobs):
    x, y = blobs
    pairs = [(np.arange(start, 300, 2), np.arange(1 - start, 300, 2)) for start in (0, 1)]
    curve = analysis.learning_curve(nearest, x, y, sizes=[1.0], cv=pairs, rng=0, draws=500)
    right = [nearest(x[train], y[train], x[test]) == y[test] for train, test in pairs]
    assert curve.points[0].held_out.observed == pytest.approx(np.concatenate(right).mean())


def test_folds_must_hold_out_every_item_once(blobs):
    selection = need("sklearn.model_selection")
    for cv in (selection.ShuffleSplit(3, random_state=0), selection.RepeatedKFold(n_splits=2, n_repeats=2)):
        with pytest.raises(rw.errors.DataError, match="exactly once"):
            analysis.learning_curve(nearest, *blobs, cv=cv, rng=0)


@pytest.mark.parametrize("bad", [
    {"test_size": 0}, {"test_size": 1.0}, {"test_size": 300}, {"test_size": "x"}, {"X_test": [[0.0, 0.0]]},
    {"y_test": [1]}, {"X_test": [[0.0, 0.0]], "y_test": [1, 2]}, {"metric": "what"}, {"test_size": math.nan},
])  # fmt: skip
def test_bad_input_of_a_split_is_an_error_of_ours(blobs, bad):
    with pytest.raises(RopewalkError) as caught:
        analysis.train_test_error(nearest, *blobs, **bad)
    assert_names_one_of(caught.value, bad)


@pytest.mark.parametrize("bad", [{"parameter": ""}, {"parameter": 3}, {"values": []}, {"values": "ab"}, {"values": 3}])
def test_bad_input_of_a_validation_curve_is_an_error_of_ours(blobs, bad):
    neighbours = need("sklearn.neighbors")
    call = {"parameter": "n_neighbors", "values": [1], **bad}
    with pytest.raises(RopewalkError) as caught:
        analysis.validation_curve(neighbours.KNeighborsClassifier(), *blobs, **call)
    assert_names_one_of(caught.value, bad)
    with pytest.raises(RopewalkError, match="n_neighbours"):
        analysis.validation_curve(neighbours.KNeighborsClassifier(), *blobs, parameter="n_neighbours", values=[1])


def test_without_scikit_learn_the_extra_is_named(blobs, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with pytest.raises(rw.errors.MissingDependencyError, match=r"ropewalk\[ml\]"):
        analysis.learning_curve(nearest, *blobs)


# -- all of them ---------------------------------------------------------------------------------------------


def test_every_result_prints_and_becomes_json(blobs):
    x, y = blobs
    results = [
        analysis.bias_variance(polynomial(1), X4, Y4 * 1, X4, Y4, n_sets=3, rng=1),
        analysis.bias_variance(nearest, x, y, x, y, loss="zero_one", n_sets=3, rng=1),
        analysis.bayes_error(TWO, [0.5, 0.5]), analysis.bayes_error_table([[0.5, 0.5]]),
        analysis.confusion(y, nearest(x[::2], y[::2], x)), analysis.learning_curve(nearest, x, y, rng=0, draws=500),
        analysis.train_test_error(nearest, x, y, rng=0, draws=500),
    ]  # fmt: skip
    for found in results:
        assert repr(found).startswith(f"{type(found).__name__}(")
        told = found.to_dict()
        assert json.loads(json.dumps(told, allow_nan=False)).keys() == told.keys() != set()


def test_importing_it_pulls_in_nothing_heavy():
    code = "import sys, ropewalk.analysis; print([m for m in ('scipy.stats', 'sklearn') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert list(analysis.__all__) == sorted(analysis.__all__)
