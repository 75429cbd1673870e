"""The permutation test: against listing all exchanges, against SciPy, and as a sampler."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk import classical
from ropewalk.classical.permutation import Swaps, half_binomials
from support import need

MACRO = {"average": "macro", "zero_division": 0}


def small(seed, n=7, n_labels=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(n_labels, size=n)
    y[:n_labels] = range(n_labels)
    return y, *(np.where(rng.random(n) < p, y, rng.integers(n_labels, size=n)) for p in (0.8, 0.4))


def listed(y, a, b, value):
    """Return the p-values by exchanging the answers to every subset of the items, for each alternative."""
    seen, found = value(y, a) - value(y, b), []
    for swap in product([False, True], repeat=len(y)):
        turned = np.array(swap).reshape(-1, *([1] * (np.ndim(a) - 1)))
        found.append(value(y, np.where(turned, b, a)) - value(y, np.where(turned, a, b)))
    deltas = np.array(found)
    far = {
        "two-sided": abs(deltas) >= abs(seen) - 1e-12,
        "greater": deltas >= seen - 1e-12,
        "less": deltas <= seen + 1e-12,
    }
    return {alternative: far[alternative].mean() for alternative in far}


def metric_of(name):
    skm = need("sklearn.metrics")
    cost = np.array([[0, 1, 5], [2, 0, 1], [1, 3, 0.0]])
    return {
        "macro_f1": lambda y, p: skm.f1_score(y, p, **MACRO),
        "weighted_recall": lambda y, p: skm.recall_score(y, p, average="weighted", zero_division=0),
        "accuracy": skm.accuracy_score,
        "mcc": skm.matthews_corrcoef,
        "kappa": skm.cohen_kappa_score,
        "cost": lambda y, p: cost[y, p].mean(),
    }[name], (cost if name == "cost" else None)


@pytest.mark.parametrize("seed", [0, 1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("metric", ["macro_f1", "weighted_recall", "accuracy", "mcc", "kappa", "cost"])
def test_all_exchanges_listed_one_by_one(seed, metric):
    y, a, b = small(seed)
    value, cost = metric_of(metric)
    for alternative, p_value in listed(y, a, b, value).items():
        found = classical.permutation(y, a, b, metric=metric, cost_matrix=cost, alternative=alternative)
        assert found.mc_error is None
        assert found.p_value == pytest.approx(p_value, abs=1e-9)
        assert found.statistic == pytest.approx(value(y, a) - value(y, b), abs=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_scipys_exact_permutation_test(alternative):
    y, a, b = small(7)
    f1_score = need("sklearn.metrics").f1_score

    def statistic(a, b):
        return f1_score(y, a, **MACRO) - f1_score(y, b, **MACRO)

    other = stats.permutation_test(
        (a, b), statistic, permutation_type="samples", vectorized=False, n_resamples=np.inf, alternative=alternative
    )
    found = classical.permutation(y, a, b, metric="macro_f1", alternative=alternative)
    assert found.p_value == pytest.approx(other.pvalue, abs=1e-9)


def test_one_class_against_the_rest():
    y, a, b = small(11)
    skm = need("sklearn.metrics")
    found = classical.permutation(y, a, b, metric="f1", pos_label=2)
    expected = listed(y == 2, a == 2, b == 2, lambda t, p: skm.f1_score(t, p, zero_division=0))
    assert found.p_value == pytest.approx(expected["two-sided"], abs=1e-9)


def test_another_class_mix():
    y, a, b = small(12)
    shares = np.array([0.2, 0.3, 0.5])

    def value(y, p):
        return sum(share * np.mean(p[y == j] == j) for j, share in enumerate(shares))

    found = classical.permutation(y, a, b, metric="accuracy", prevalence=shares)
    assert found.p_value == pytest.approx(listed(y, a, b, value)["two-sided"], abs=1e-9)


@pytest.mark.parametrize("metric", ["macro_f1", "micro_f1"])
def test_items_with_any_number_of_labels_are_exchanged_whole(metric):
    rng = np.random.default_rng(3)
    f1_score = need("sklearn.metrics").f1_score
    y = (rng.random((7, 4)) < 0.5).astype(int)
    a, b = (np.where(rng.random(y.shape) < p, y, 1 - y) for p in (0.9, 0.7))
    found = classical.permutation(y, a, b, metric=metric)
    average = metric.partition("_")[0]
    expected = listed(y, a, b, lambda t, p: f1_score(t, p, average=average, zero_division=0))
    assert found.p_value == pytest.approx(expected["two-sided"], abs=1e-9)
    one = classical.permutation(y, a, b, metric="f1", pos_label=1)
    column = classical.permutation(y[:, 1], a[:, 1], b[:, 1], metric="f1")
    assert one.p_value == pytest.approx(column.p_value, abs=1e-12)


def test_of_accuracy_it_is_the_exact_sign_test_within_monte_carlo_error(news):
    pair = {"a": "nb_mult", "b": "svm_l2", "pos_label": 2}
    exact = classical.sign_items(news.outcomes, **pair).p_value
    found = classical.permutation(news.outcomes, **pair, metric="accuracy", n_permutations=200_000, rng=1)
    assert abs(found.p_value - exact) <= 4 * found.mc_error


def test_drawn_p_values_agree_with_listed_ones():
    y, a, b = small(5, n=40)
    exact = classical.permutation(y, a, b, metric="macro_f1", n_permutations=50_000)
    drawn = classical.permutation(y, a, b, metric="macro_f1", n_permutations=20_000, rng=3)
    assert exact.mc_error is None
    assert abs(drawn.p_value - exact.p_value) <= 4 * drawn.mc_error


def test_drawn_tables_have_the_moments_of_listed_ones():
    y, a, b = small(5, n=20)
    many = Swaps.of(rw.Outcomes.from_arrays(y, a, b))
    psi = rw.metrics.METRICS["accuracy"](many.block(np.random.default_rng(0), 200_000))
    table, chances = many.ways(0, many.n_ways)
    every = rw.metrics.METRICS["accuracy"](table)
    mean, square = (float((chances * (every[0] - every[1]) ** k).sum()) for k in (1, 2))
    deltas = psi[0] - psi[1]
    assert mean == pytest.approx(0, abs=1e-12)
    assert abs(deltas.mean()) <= 4 * deltas.std() / np.sqrt(deltas.size)
    assert float((deltas**2).mean()) == pytest.approx(square, abs=4 * (deltas**2).std() / np.sqrt(deltas.size))


@pytest.mark.parametrize("n", [1, 2, 7, 63, 64, 65, 300])
def test_half_binomials_are_binomial(rng, n):
    drawn = half_binomials(rng, np.array([n]), 100_000)[0]
    values, counts = np.unique(drawn, return_counts=True)
    expected = stats.binom.pmf(values, n, 0.5) * drawn.size
    enough = expected >= 5
    rest = drawn.size - expected[enough].sum()
    observed = np.append(counts[enough], counts[~enough].sum())
    expected = np.append(expected[enough], max(rest, 1e-9))
    chi2 = float(((observed - expected) ** 2 / expected)[expected > 1].sum())
    assert stats.chi2.sf(chi2, max(len(values) - 1, 1)) > 1e-4


def test_bits_are_counted_the_same_without_numpys_own_count(monkeypatch):
    counts = np.array([1, 5, 40, 64, 90])
    one = half_binomials(np.random.default_rng(2), counts, 1_000)
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    other = half_binomials(np.random.default_rng(2), counts, 1_000)
    assert (one == other).all()


def test_the_same_seed_gives_the_same_answer_on_any_threads_and_row_order(news, rng):
    asked = {"metric": "macro_f1", "n_permutations": 3_000, "rng": 5}
    pair = news.outcomes.project(["svm_l1", "svm_l2"])
    one = classical.permutation(pair, **asked).p_value
    assert classical.permutation(pair, **asked, threads=3).p_value == one
    order = rng.permutation(news.y_true.size)
    shuffled = [column[order] for column in (news.y_true, news.predictions["svm_l1"], news.predictions["svm_l2"])]
    assert classical.permutation(*shuffled, **asked).p_value == one
    with pytest.raises(rw.errors.InvalidInputError, match="both given"):
        classical.permutation(pair, rng=1, random_state=1)


@pytest.mark.parametrize(("rows", "asked", "p_value"), [
    # Costs that cancel: the statistic is 0 but for rounding, and every exchange is as extreme.
    (([1, 1, 1, 1, 0, 0, 0, 1], [1, 0, 0, 0, 0, 0, 0, 1], [0, 1, 1, 0, 1, 0, 0, 1]),
     {"metric": "cost", "cost_matrix": [[0.4, 0], [-0.4, 0]]}, 1.0),
    # A constant prediction has MCC 0, at any class mix.
    (([1, 0, 1, 1], [1, 1, 1, 1], [1, 1, 0, 0]), {"metric": "mcc", "prevalence": 0.7}, 0.5),
    (([0, 0, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]), {"metric": "mcc", "prevalence": 0.3}, 1.0),
])  # fmt: skip
def test_ties_but_for_rounding_are_as_extreme(rows, asked, p_value):
    assert classical.permutation(*rows, **asked).p_value == pytest.approx(p_value, abs=1e-12)


def test_a_p_value_is_never_0(news):
    found = classical.permutation(news.outcomes, a="nb_bern", b="nb_mult", n_permutations=99, rng=0)
    assert found.p_value == pytest.approx(0.01)
    assert found.effect.name == "macro_f1, A − B"


def test_a_function_is_a_metric_too():
    y, a, b = small(2)
    found = classical.permutation(y, a, b, metric=lambda m: m.tp[..., 0] / m.total[..., 0])
    expected = listed(y, a, b, lambda t, p: np.mean((t == 0) & (p == 0)))
    assert found.p_value == pytest.approx(expected["two-sided"], abs=1e-9)


def test_bad_numbers_of_permutations(table):
    for bad in (0, -1, 1.5, "many", True, 10**9):
        with pytest.raises(rw.errors.InvalidInputError, match="permutations"):
            classical.permutation(table, n_permutations=bad)


def test_a_class_without_items_has_no_value_at_another_mix():
    with pytest.raises(rw.errors.DataError, match="not defined"):
        classical.permutation(
            [0, 0, 1], [0, 1, 1], [0, 0, 1], labels=[0, 1, 2], metric="accuracy", prevalence=[0.2, 0.3, 0.5]
        )
