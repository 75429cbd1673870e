"""Classical tests on scores per data set, fold or topic: other implementations, worked examples, the edges."""

from __future__ import annotations

import json
import math
import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk import classical
from support import need

# Demšar (2006), Table 6, as printed: AUC of C4.5 and three variants on 14 data sets.
DEMSAR = np.array([
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.975, 0.975], [0.957, 0.978, 0.946, 0.970],
])  # fmt: skip


@pytest.fixture(params=range(5))
def scores(request):
    """A random table, 7 to 60 rows × 3 to 6 classifiers, some of it tied."""
    rng = np.random.default_rng(100 + request.param)
    n, k = int(rng.integers(7, 60)), int(rng.integers(3, 7))
    table = rng.uniform(0.4, 0.9, size=(n, 1)) + rng.normal(0, 0.05, size=(n, k)) + rng.normal(0, 0.02, size=k)
    return table.round(2) if request.param % 2 else table


# -- two classifiers ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_the_paired_t_is_scipys(scores, alternative):
    a, b = scores[:, 0], scores[:, 1]
    other = stats.ttest_rel(a, b, alternative=alternative)
    found = classical.paired_t(a, b, alternative=alternative)
    assert (found.statistic, found.p_value) == pytest.approx((other.statistic, other.pvalue), abs=1e-9)
    assert tuple(found.effect.interval) == pytest.approx(tuple(other.confidence_interval(0.95)), abs=1e-9)
    assert found.df == (a.size - 1,)


def test_wus_critical_values_for_six_degrees_of_freedom(rng):
    a, b = rng.random(7), rng.random(7)
    assert classical.paired_t(a, b).critical_value(0.05) == pytest.approx(2.4469, abs=5e-5)
    assert classical.paired_t(a, b, alternative="less").critical_value(0.05) == pytest.approx(1.9432, abs=5e-5)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_wus_algorithm_2_decides_as_the_p_value_does(scores, alternative):
    a, b = scores[:, 0], scores[:, 1]
    x = a - b
    t = x.mean() / (x.std(ddof=1) / math.sqrt(x.size))
    found = classical.paired_t(a, b, alternative=alternative)
    for alpha in (0.01, 0.05, 0.3):
        c = found.critical_value(alpha)
        beyond = {"two-sided": abs(t) > c, "less": t < -c, "greater": t > c}[alternative]
        assert found.rejects(alpha) == beyond
        assert found.decision(alpha).startswith("Rejected" if beyond else "Not rejected")


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
@pytest.mark.parametrize("zero_method", ["wilcox", "pratt", "zsplit"])
def test_wilcoxon_is_scipys(scores, alternative, zero_method):
    a, b = scores[:, 0], scores[:, 1]
    other = stats.wilcoxon((a - b).round(10), alternative=alternative, zero_method=zero_method)
    found = classical.wilcoxon(a, b, alternative=alternative, zero_method=zero_method)
    assert (found.statistic, found.p_value) == pytest.approx((other.statistic, other.pvalue), abs=1e-9)
    assert found.effect.value == pytest.approx(np.median(a - b))


def test_ties_survive_floating_point(rng):
    """Hundredths are no binary fractions: 0.81 − 0.78 and 0.80 − 0.77 differ in the last bit, and are the same."""
    a, b = rng.integers(70, 90, size=(2, 15))
    for test in (classical.wilcoxon, classical.sign):
        whole, parts = test(a, b), test(a / 100, b / 100)
        assert (parts.statistic, parts.p_value, parts.n) == (whole.statistic, whole.p_value, whole.n)
    equal = classical.sign([0.1 + 0.2, 0.5], [0.3, 0.5])
    assert (equal.n, equal.p_value) == (0, 1)
    assert classical.paired_t([0.1 + 0.2, 0.5], [0.3, 0.5]).p_value == 1
    # Every row has its own scale: one large data set must not make ties of all others.
    assert classical.sign([3e5] + [1e-8] * 6, [3.1e5] + [2e-8] * 6).n == 7


def test_ties_survive_floating_point_in_ranks():
    noisy, equal = [[0.3] * 3, [0.1 + 0.2] * 3, [0.3] * 3], [[0.3] * 3] * 3
    for test in (classical.friedman, classical.iman_davenport, classical.anova):
        assert test(*noisy).p_value == test(*equal).p_value == 1
    assert classical.nemenyi(*noisy).ranks == classical.nemenyi(*equal).ranks


def test_wilcoxon_with_few_ties_lists_all_signs():
    a, b = [0.81, 0.79, 0.84, 0.90, 0.88, 0.71], [0.78, 0.77, 0.81, 0.92, 0.83, 0.69]
    # |d| = 3 2 3 2 5 2: ranks 4.5 2 4.5 2 6 2, of which one of rank 2 is negative. Of the 64 sums of negative ranks
    # 1 is 0, 3 are 2 and none lies between: 4/64 on one side.
    found = classical.wilcoxon(a, b)
    assert (found.statistic, found.p_value) == pytest.approx((2, 8 / 64))
    assert found.method.endswith("exact")
    many = classical.wilcoxon(a * 4, b * 4)
    assert many.method.endswith("normal approximation")


@pytest.mark.parametrize("extra", [5, 20, 60])
def test_rows_that_wilcoxon_leaves_out_change_nothing(extra):
    a, b = [0.11, 0.12, 0.13, 0.14, 0.15], [0.1] * 5
    alone = classical.wilcoxon(a, b)
    among = classical.wilcoxon(a + [0.5] * extra, b + [0.5] * extra)
    assert alone.p_value == pytest.approx(2 / 32)
    assert (among.p_value, among.n) == (alone.p_value, 5)


def test_demsars_wilcoxon():
    assert classical.wilcoxon(DEMSAR[:, 0], DEMSAR[:, 1], zero_method="zsplit").statistic == 12


def test_the_sign_test_is_the_binomial_test(scores):
    a, b = scores[:, 0], scores[:, 1]
    k, n = int(np.sum(a > b)), int(np.sum(a != b))
    found = classical.sign(a, b)
    assert (found.statistic, found.n) == (k, n)
    assert found.p_value == pytest.approx(stats.binomtest(k, n).pvalue, abs=1e-9)


# -- several classifiers --------------------------------------------------------------------------------------


def test_friedman_is_scipys(scores):
    other = stats.friedmanchisquare(*scores.T)
    found = classical.friedman(scores)
    assert (found.statistic, found.p_value) == pytest.approx((other.statistic, other.pvalue), abs=1e-9)


def anova_rm(table):
    """Statsmodels' repeated-measures ANOVA of a table, rows × classifiers: F and p."""
    pd, anova = need("pandas"), need("statsmodels.stats.anova").AnovaRM
    n, k = table.shape
    rows, columns = np.indices((n, k))
    long = pd.DataFrame({"row": rows.ravel(), "classifier": columns.ravel(), "score": table.ravel()})
    found = anova(long, "score", "row", within=["classifier"]).fit().anova_table
    return float(found["F Value"].iloc[0]), float(found["Pr > F"].iloc[0])


def test_anova_is_that_of_statsmodels(scores):
    found = classical.anova(scores)
    assert (found.statistic, found.p_value) == pytest.approx(anova_rm(scores), rel=1e-9, abs=1e-9)


def test_greenhouse_and_geisser_is_pingouins(scores):
    pd = need("pandas")
    with warnings.catch_warnings():  # pingouin warns of itself
        warnings.simplefilter("ignore")
        other = need("pingouin").rm_anova(pd.DataFrame(scores), correction=True)
    p = next(float(other[name].iloc[0]) for name in ("p_GG_corr", "p-GG-corr") if name in other)
    assert classical.anova(scores, correction="greenhouse-geisser").p_value == pytest.approx(p, abs=1e-9)


def test_iman_and_davenports_f_is_the_anova_of_the_ranks(scores):
    ranks = stats.rankdata(scores, axis=1)
    found = classical.iman_davenport(scores)
    assert (found.statistic, found.p_value) == pytest.approx(anova_rm(ranks), rel=1e-9, abs=1e-9)


def test_nemenyis_p_values_are_those_of_scikit_posthocs(scores):
    other = np.asarray(need("scikit_posthocs").posthoc_nemenyi_friedman(scores))
    found = classical.nemenyi(scores)
    k = scores.shape[1]
    ours = list(found.p_values.values())
    assert ours == pytest.approx([other[i, j] for i in range(k) for j in range(i + 1, k)], abs=1e-9)


def test_demsars_example():
    """At 5% no two differ; at 10% C4.5 is worse than +m and +m+cf, and +cf belongs to either group.

    Of the average ranks the first two do not depend on the tie in `voting`, which the printed decimals leave open.
    """
    names = ["C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"]
    strict, loose = (classical.nemenyi(DEMSAR, names=names, alpha=alpha) for alpha in (0.05, 0.10))
    assert [strict.ranks[name] for name in names[:2]] == pytest.approx([3.143, 2.000], abs=5e-4)
    assert strict.critical_difference == pytest.approx(1.25, abs=0.005)
    assert loose.critical_difference == pytest.approx(1.12, abs=0.005)
    assert strict.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"),)
    assert loose.groups == (("C4.5+m+cf", "C4.5+m", "C4.5+cf"), ("C4.5+cf", "C4.5"))


@pytest.mark.parametrize(("alpha", "values"), [
    (0.05, {2: 1.960, 3: 2.343, 4: 2.569, 5: 2.728, 6: 2.850, 10: 3.164}),
    (0.10, {2: 1.645, 3: 2.052, 4: 2.291, 5: 2.459, 6: 2.589, 10: 2.920}),
])  # fmt: skip
def test_nemenyis_critical_values_are_demsars_table_5(rng, alpha, values):
    for k, q in values.items():
        found = classical.nemenyi(rng.random((10, k)), alpha=alpha)
        value = found.critical_difference / math.sqrt(k * (k + 1) / 60)
        cut = (alpha, k) in {(0.05, 3), (0.10, 5)}  # 2.3437 and 2.4595 are printed without their last digits
        assert q <= value < q + 1e-3 if cut else abs(value - q) <= 5e-4


def test_two_differ_by_the_critical_difference_when_p_falls_below_alpha(scores):
    found = classical.nemenyi(scores, alpha=0.2)
    assert len(found.p_values) == math.comb(scores.shape[1], 2)
    for (a, b), p in found.p_values.items():
        assert (abs(found.ranks[a] - found.ranks[b]) >= found.critical_difference) == (p <= 0.2)


def test_a_pair_has_its_p_value_in_either_order(scores):
    found = classical.nemenyi(scores)
    assert found.p_value("A", "C") == found.p_value("C", "A") == found.p_values["A", "C"]


def test_groups_hold_those_that_cannot_be_told_apart(scores):
    found = classical.nemenyi(scores)
    order = sorted(found.ranks, key=found.ranks.get)
    assert len(order) == scores.shape[1]
    together = {frozenset(pair) for group in found.groups for pair in ((a, b) for a in group for b in group if a != b)}
    for i, a in enumerate(order):
        for b in order[i + 1 :]:
            near = found.ranks[b] - found.ranks[a] < found.critical_difference
            assert (frozenset((a, b)) in together) == near


def test_no_winner_among_equals():
    assert "A, B, C share the best" in str(classical.nemenyi(np.full((4, 3), 0.5)))


def test_lower_is_better_turns_the_ranks():
    table = np.array([[1.0, 2, 3], [1, 3, 2], [2, 1, 3]])
    up, down = classical.nemenyi(table), classical.nemenyi(table, higher_is_better=False)
    assert [4 - rank for rank in up.ranks.values()] == pytest.approx(list(down.ranks.values()))


# -- many p-values ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "theirs"), [
    ("holm", "holm"), ("hochberg", "simes-hochberg"), ("bonferroni", "bonferroni"),
    ("benjamini-hochberg", "fdr_bh"), ("bh", "fdr_bh"),
])  # fmt: skip
def test_adjusted_p_values_are_those_of_statsmodels(rng, method, theirs):
    p = rng.random(12) ** 3
    other = need("statsmodels.stats.multitest").multipletests(p, method=theirs)[1]
    assert classical.adjust(list(p), method=method) == pytest.approx(other, abs=1e-12)


def test_adjusted_p_values_by_hand():
    p = [0.01, 0.04, 0.03, 0.005]
    assert classical.adjust(p, method="bonferroni") == pytest.approx([0.04, 0.16, 0.12, 0.02])
    assert classical.adjust(p, method="holm") == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert classical.adjust(p, method="hochberg") == pytest.approx([0.03, 0.04, 0.04, 0.02])
    assert classical.adjust(p, method="bh") == pytest.approx(stats.false_discovery_control(p))


def test_adjust_keeps_the_form_and_takes_tests():
    test = classical.sign([1, 2, 3, 4], [0, 1, 2, 3])
    assert classical.adjust({"x": test, "y": 0.5}, method="bonferroni") == {"x": 2 * test.p_value, "y": 1.0}
    assert classical.adjust([]) == []
    for bad in ([0.5, math.nan], [1.5], ["a"]):
        with pytest.raises(rw.errors.InvalidInputError, match="p-value"):
            classical.adjust(bad)


# -- folds of one data set ---------------------------------------------------------------------------------------


def recorded_folds(function, seed):
    """Run mlxtend's test on two estimators; return its answer and the scores of the ten folds, in order."""
    sklearn = need("sklearn.linear_model"), need("sklearn.tree"), need("sklearn.datasets")
    x, y = sklearn[2].make_classification(200, n_informative=4, flip_y=0.2, random_state=seed)
    seen = {}

    def scorer(estimator, x_test, y_test):
        value = float(np.mean(estimator.predict(x_test) == y_test))
        seen.setdefault(type(estimator).__name__, []).append(value)
        return value

    found = function(
        estimator1=sklearn[0].LogisticRegression(), estimator2=sklearn[1].DecisionTreeClassifier(random_state=0), X=x,
        y=y, scoring=scorer, random_seed=seed,
    )  # fmt: skip
    return found, seen["LogisticRegression"], seen["DecisionTreeClassifier"]


@pytest.mark.parametrize("seed", range(3))
def test_dietterichs_t_is_mlxtends(seed):
    (t, p), a, b = recorded_folds(need("mlxtend.evaluate").paired_ttest_5x2cv, seed)
    found = classical.cv5x2_t(np.reshape(a, (5, 2)), np.reshape(b, (5, 2)))
    assert (found.statistic, found.p_value) == pytest.approx((t, p), abs=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_alpaydins_f_is_mlxtends(seed):
    (f, p), a, b = recorded_folds(need("mlxtend.evaluate").combined_ftest_5x2cv, seed)
    found = classical.cv5x2_f(a, b)
    assert (found.statistic, found.p_value) == pytest.approx((f, p), abs=1e-9)


def test_the_corrected_t_of_scikit_learns_example():
    """Two kernels on 100 moons, ten times tenfold: the figures printed in scikit-learn's gallery."""
    sklearn = need("sklearn.model_selection"), need("sklearn.svm"), need("sklearn.datasets")
    x, y = sklearn[2].make_moons(noise=0.352, random_state=1, n_samples=100)
    folds = sklearn[0].RepeatedStratifiedKFold(n_splits=10, n_repeats=10, random_state=0)
    rbf, linear = (
        sklearn[0].cross_val_score(sklearn[1].SVC(kernel=kernel, random_state=0), x, y, cv=folds, scoring="roc_auc")
        for kernel in ("rbf", "linear")
    )
    corrected = classical.corrected_t(rbf, linear, n_train=90, n_test=10, alternative="greater")
    assert (round(corrected.statistic, 3), round(corrected.p_value, 3)) == (0.750, 0.227)
    plain = classical.paired_t(rbf, linear, alternative="greater")
    assert (round(plain.statistic, 3), round(plain.p_value, 3)) == (2.611, 0.005)


def test_the_corrected_t_shrinks_the_plain_one_by_a_known_factor(scores):
    a, b = scores[:, 0], scores[:, 1]
    n = a.size
    t = stats.ttest_rel(a, b).statistic / math.sqrt(1 + n / 9)
    found = classical.corrected_t(a, b, n_train=90, n_test=10)
    assert (found.statistic, found.p_value) == pytest.approx((t, 2 * stats.t.sf(abs(t), n - 1)), abs=1e-9)


def test_repeated_error_rates_are_scipys_interval(rng):
    errors = rng.uniform(0.05, 0.15, size=10)
    found = classical.repeated(errors, of="datasets")
    other = stats.ttest_1samp(errors, 0).confidence_interval(0.95)
    assert tuple(found.interval) == pytest.approx(tuple(other), abs=1e-12)
    assert (found.mean, found.std) == pytest.approx((errors.mean(), errors.std(ddof=1)), abs=1e-12)
    wider = classical.repeated(errors, n_train=90, n_test=10)
    assert wider.standard_error == pytest.approx(found.standard_error * math.sqrt(1 + 10 / 9), rel=1e-12)


def test_wus_rule_of_thumb():
    assert classical.rule_of_thumb(0.08, 0.002, 0.06, 0.003).ratio == pytest.approx(4)
    close = classical.rule_of_thumb(0.08, 0.01, 0.06, 0.012)
    assert close.ratio == pytest.approx(0.91, abs=0.005)
    assert close.overlaps
    with pytest.raises(rw.errors.DataError, match="Both"):
        classical.rule_of_thumb(1, 0, 2, 0)
    with pytest.raises(rw.errors.InvalidInputError, match="cannot be negative"):
        classical.rule_of_thumb(1, -1, 2, 0)


def test_folds_earn_a_warning_that_points_to_the_corrected_test(scores):
    a, b = scores[:, 0], scores[:, 1]
    for test in (classical.paired_t, classical.wilcoxon, classical.sign):
        with pytest.warns(rw.errors.DependentFoldsWarning, match="corrected_t"):
            found = test(a, b, of="folds")
        assert "corrected_t" in found.warnings[0]
        assert test(a, b).warnings == ()
    with pytest.warns(rw.errors.DependentFoldsWarning, match="corrected_t"):
        classical.repeated(a)
    for test in (classical.friedman, classical.iman_davenport, classical.anova, classical.nemenyi):
        with pytest.warns(rw.errors.DependentFoldsWarning, match="Average the folds"):
            found = test(scores, of="folds")
        assert found.to_dict()["warnings"]
    with pytest.raises(rw.errors.UnknownNameError, match="kind of rows"):
        classical.paired_t(a, b, of="fold")


# -- forms of a table -----------------------------------------------------------------------------------------------


def test_mappings_arrays_dataframes_and_sequences_are_the_same(frame):
    a, b, c = [0.1, 0.2, 0.4], [0.2, 0.1, 0.1], [0.3, 0.3, 0.2]
    made = frame({"data": ["x", "y", "z"], "a": a, "b": b, "c": c})
    expected = classical.paired_t(a, b, names=["a", "b"]).to_dict()
    for found in (
        classical.paired_t({"a": a, "b": b, "c": c}, a="a", b="b"),
        classical.paired_t(np.column_stack([a, b]), names=["a", "b"]),
        classical.paired_t(made, a="a", b="b"),
        classical.paired_t(iter(a), tuple(b), names=["a", "b"]),
        classical.paired_t([Fraction(str(x)) for x in a], [Decimal(str(x)) for x in b], names=["a", "b"]),
    ):
        assert found.to_dict() == expected
    assert (
        classical.friedman(made, columns=["a", "b", "c"]).to_dict()
        == classical.friedman(a, b, c, names=["a", "b", "c"]).to_dict()
    )


def test_pandas_without_column_names(rng):
    array = rng.random((6, 3))
    pd = need("pandas")
    assert classical.friedman(pd.DataFrame(array)).p_value == classical.friedman(array).p_value
    one, two = classical.paired_t(pd.DataFrame(array), a=0, b=2), classical.paired_t(array[:, 0], array[:, 2])
    assert one.p_value == two.p_value
    assert one.names == ("0", "2")
    with pytest.raises(rw.errors.DataError, match="same name"):
        classical.friedman(pd.DataFrame(array, columns=["x", "x", "y"]))


def test_columns_that_are_no_scores_are_named(frame):
    made = frame({"data": ["x", "y"], "a": [0.1, 0.2], "b": [0.2, 0.1]})
    with pytest.raises(rw.errors.DataError, match="'data' must be numbers"):
        classical.friedman(made)
    with pytest.raises(rw.errors.ColumnNotFoundError, match="'d'"):
        classical.paired_t(made, a="a", b="d")


# -- the edges --------------------------------------------------------------------------------------------------------

PAIRS = (classical.paired_t, classical.wilcoxon, classical.sign)
MANY = (classical.friedman, classical.iman_davenport, classical.anova)


@pytest.mark.parametrize("test", PAIRS, ids=lambda test: test.__name__)
def test_equal_scores_are_no_evidence(test):
    found = test([0.5, 0.6, 0.7], [0.5, 0.6, 0.7])
    assert (found.statistic, found.p_value) == (0, 1)
    assert json.loads(found.to_json())["p_value"] == 1


def test_constant_differences():
    a, b = [0.6, 0.7, 0.8, 0.9], [0.5, 0.6, 0.7, 0.8]
    for test in (classical.paired_t, lambda x, y: classical.corrected_t(x, y, n_train=9, n_test=1)):
        with pytest.raises(rw.errors.DataError, match="no spread"):
            test(a, b)
    assert classical.sign(a, b).p_value == pytest.approx(0.125)
    assert classical.wilcoxon([3, 4, 5, 6], [2, 3, 4, 5]).p_value == pytest.approx(
        stats.wilcoxon([1, 1, 1, 1]).pvalue, abs=1e-9
    )


@pytest.mark.parametrize("step", [0.001, 1e-5])
def test_differences_that_are_constant_but_for_rounding(step):
    b = np.array([87.31, 88.02, 90.17, 85.55, 91.20, 86.43, 89.99])
    for scale in (1, 0.01):
        with pytest.raises(rw.errors.DataError, match="no spread"):
            classical.paired_t((b + step) * scale, b * scale)
        with pytest.raises(rw.errors.DataError, match="no spread"):
            classical.anova((b + step) * scale, b * scale, (b - step) * scale)


def test_unknown_parameters_are_refused_not_swallowed():
    a, b = [0.5, 0.6, 0.8], [0.4, 0.6, 0.6]
    calls = [
        lambda: classical.paired_t(a, b, altrnative="less"), lambda: classical.cv5x2_f(a, b, alternative="less"),
        lambda: classical.corrected_t(a, b, n_train=9, n_test=1, of="folds"),
        lambda: classical.mcnemar([0, 1], [0, 1], [1, 1], alternative="greater"),
        lambda: classical.sign_items([0, 1], [0, 1], [1, 1], poslabel=1),
        lambda: classical.battery([0, 1], [0, 1], [1, 1], metrics="f1"),
        lambda: classical.permutation([0, 1], [0, 1], [1, 1], poslabel=1),
    ]  # fmt: skip
    for call in calls:
        with pytest.raises(rw.errors.InvalidInputError, match="no parameter"):
            call()


@pytest.mark.parametrize("bad", [0.5, None, "0.5", {"a": 1, "b": 2}, 10**400])
def test_what_is_no_sequence_of_numbers_is_refused(bad):
    for test in (*PAIRS, classical.nemenyi):
        with pytest.raises(rw.errors.InvalidInputError, match="The scores of 'A' must be"):
            test(bad, bad)
    with pytest.raises(rw.errors.InvalidInputError, match="p-value"):
        classical.adjust(bad)
    with pytest.raises(rw.errors.InvalidInputError, match="The scores of 'the classifier' must be"):
        classical.repeated(bad)


def test_sizes_that_no_score_has():
    for size in (1e200, 1e-200):
        with pytest.raises(rw.errors.DataError, match="reach"):
            classical.paired_t([size, 2 * size], [2 * size, size])
    with pytest.raises(rw.errors.DataError, match="finite"):
        classical.paired_t([10**400, 1], [1, 1])


def test_masked_scores_are_no_scores():
    masked = np.ma.masked_array([0.5, 0.6, 0.7], mask=[False, True, False])
    with pytest.raises(rw.errors.DataError, match="row 2"):
        classical.paired_t(masked, [0.5, 0.6, 0.9])


def test_tables_of_folds_must_have_the_same_shape(rng):
    folds = rng.random((5, 2))
    with pytest.raises(rw.errors.LengthMismatchError, match="2 × 5"):
        classical.cv5x2_t(folds.T, folds.T)
    with pytest.raises(rw.errors.LengthMismatchError, match="different numbers"):
        classical.paired_t(folds.T, folds)


def test_names_that_are_used_twice():
    table = {"x": [1, 2, 3], "y": [3, 1, 2], 1: [1, 1, 2], "1": [2, 1, 1]}
    for call, told in (
        (lambda: classical.paired_t(table, a="x", b="x"), "Name two different classifiers"),
        (lambda: classical.nemenyi(table), "names must differ"),
        (lambda: classical.friedman(table, columns=["x", "x", "y"]), "names must differ"),
        (lambda: classical.friedman(table, columns="xy"), "`columns` and `names` are lists"),
    ):
        with pytest.raises(rw.errors.InvalidInputError, match=told):
            call()


def test_one_row():
    with pytest.raises(rw.errors.DataError, match="single pair"):
        classical.paired_t([0.5], [0.6])
    with pytest.raises(rw.errors.DataError, match="single value"):
        classical.repeated([0.5], of="datasets")
    for test in MANY:
        with pytest.raises(rw.errors.DataError, match="at least two"):
            test([0.5], [0.6], [0.7])
    assert classical.sign([0.5], [0.6]).p_value == 1
    assert classical.wilcoxon([0.5], [0.6]).p_value == 1
    with pytest.raises(rw.errors.DataError, match="single row"):
        classical.nemenyi([0.5], [0.6], [0.7])


@pytest.mark.parametrize("bad", [math.nan, math.inf, None])
def test_nan_scores_are_refused_with_their_place(bad):
    for test in (*PAIRS, classical.nemenyi, classical.anova):
        with pytest.raises(rw.errors.DataError, match=r"'B'.*row 2"):
            test([0.5, 0.6, 0.7], [0.5, bad, 0.7])
    with pytest.raises(rw.errors.DataError, match="row 1"):
        classical.repeated([math.nan, 0.2])


def test_unequal_numbers_of_folds_are_refused():
    for test in (*PAIRS, *MANY, classical.nemenyi):
        with pytest.raises(rw.errors.LengthMismatchError, match="'A' 3, 'B' 2"):
            test([0.5, 0.6, 0.7], [0.5, 0.6])
    with pytest.raises(rw.errors.LengthMismatchError, match="ten scores"):
        classical.cv5x2_t([0.5] * 9, [0.6] * 9)
    with pytest.raises(rw.errors.LengthMismatchError, match="ten scores"):
        classical.cv5x2_f(np.ones((5, 3)), np.ones((5, 3)))
    with pytest.raises(rw.errors.LengthMismatchError):
        classical.paired_t([[0.1, 0.2], [0.1]], [[0.1, 0.2], [0.1]])
    with pytest.raises(rw.errors.LengthMismatchError, match="no scores"):
        classical.paired_t([], [])


def test_five_by_two_without_spread():
    flat = np.full((5, 2), 0.5)
    assert classical.cv5x2_t(flat, flat).p_value == 1
    assert classical.cv5x2_f(flat, flat).p_value == 1
    for test in (classical.cv5x2_t, classical.cv5x2_f):
        with pytest.raises(rw.errors.DataError, match="no spread"):
            test(flat + 0.1, flat)


def test_all_classifiers_alike_in_every_row():
    alike = np.repeat([[0.5], [0.6], [0.7]], 3, axis=1)
    for test in MANY:
        assert (test(alike).statistic, test(alike).p_value) == (0, 1)
    found = classical.nemenyi(alike)
    assert set(found.p_values.values()) == {1.0}


def test_all_rows_rank_alike():
    table = np.array([[1.0, 2, 3], [4, 6, 7], [0, 5, 9]])
    found = classical.iman_davenport(table)
    assert found.statistic == math.inf
    assert found.to_dict()["statistic"] is None
    assert found.p_value == pytest.approx(1 / 36)  # of 6³ triples of rankings, six are all the same
    tied = classical.iman_davenport([[0.9, 0.5, 0.5], [0.8, 0.6, 0.6], [0.9, 0.1, 0.1], [0.7, 0.2, 0.2]])
    assert tied.p_value == pytest.approx(1 / 27)  # A is the one apart in all four rows, or B is, or C
    assert classical.friedman(table).p_value == pytest.approx(stats.friedmanchisquare(*table.T).pvalue, abs=1e-9)
    with pytest.raises(rw.errors.DataError, match="no spread"):
        classical.anova(np.array([[1.0, 2, 3], [2, 3, 4]]))


def test_too_few_classifiers():
    with pytest.raises(rw.errors.InvalidInputError, match="at least three"):
        classical.friedman([1, 2], [2, 1])
    with pytest.raises(rw.errors.InvalidInputError, match="Two classifiers are compared, and there are 3"):
        classical.paired_t(np.ones((4, 3)))
    with pytest.raises(rw.errors.InvalidInputError, match="single argument"):
        classical.paired_t([0.1, 0.2])


def test_sizes_of_splits_must_be_sizes():
    for sizes in ({"n_train": 0, "n_test": 1}, {"n_train": 1, "n_test": "x"}, {"n_train": math.inf, "n_test": 1}):
        with pytest.raises(rw.errors.InvalidInputError, match="n_t"):
            classical.corrected_t([1, 2], [2, 4], **sizes)
    with pytest.raises(rw.errors.InvalidInputError, match="n_test"):
        classical.repeated([1, 2], n_train=5)


def test_every_result_prints_and_becomes_json(scores):
    for found in (
        classical.paired_t(scores[:, 0], scores[:, 1], alternative="less"), classical.friedman(scores),
        classical.nemenyi(scores), classical.cv5x2_f(np.arange(10.0), np.arange(10.0) ** 1.1),
    ):  # fmt: skip
        assert len(str(found).splitlines()) > 1
        assert json.loads(found.to_json()) == json.loads(json.dumps(found.to_dict()))
        assert found.to_markdown().startswith("|")
        assert r"\toprule" in found.to_latex()
        assert "<table>" in found.to_html()
        assert repr(found).startswith(f"{type(found).__name__}(")
    assert classical.repeated(scores[:, 0], of="topics").to_dict()["n"] == len(scores)


def test_small_effects_and_open_ends_are_written_out():
    small = classical.paired_t([2.1e-5, 3.3e-5, 4.6e-5], [1e-5, 2e-5, 3e-5], alternative="greater")
    assert "+0.0000133" in str(small)
    assert "+∞]" in str(small)


def test_a_critical_value_needs_a_textbook_distribution():
    with pytest.raises(rw.errors.InvalidInputError, match="critical value"):
        classical.sign([1, 2], [2, 1]).critical_value()
    with pytest.raises(rw.errors.InvalidInputError, match="alpha"):
        classical.paired_t([1, 2], [2, 1]).rejects(5)
