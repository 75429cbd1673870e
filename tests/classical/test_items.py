"""Classical tests on one test set: the papers' tables, other implementations, and what happens at the edges."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk import classical
from support import need

CLASSES = ("sign_classes", "t_classes", "wilcoxon")


def random_predictions(rng, n, n_labels, accuracy):
    y = rng.integers(n_labels, size=n)
    wrong = rng.integers(n_labels, size=(2, n))
    right = rng.random((2, n)) < np.array(accuracy)[:, np.newaxis]
    return y, *np.where(right, y, wrong)


@pytest.fixture(params=range(6))
def predictions(request):
    rng = np.random.default_rng(request.param)
    n = int(rng.integers(30, 400))
    return random_predictions(rng, n, int(rng.integers(2, 9)), rng.uniform(0.4, 0.9, size=2))


def correct(predictions):
    y, a, b = predictions
    return (a == y).astype(int), (b == y).astype(int)


def two_by_two(predictions):
    a, b = correct(predictions)
    return np.array([[np.sum((a == i) & (b == j)) for j in (1, 0)] for i in (1, 0)])


# -- the papers ----------------------------------------------------------------------------------------------


def test_sigir_tables_4_and_6_to_the_third_decimal(news):
    agree = 0
    for row in rw.examples.sigir2016_tables():
        if row["table"] == "5":  # of a randomised solver
            continue
        pair = {"a": row["a"], "b": row["b"], "pos_label": int(row["category"])}
        ours = classical.sign_items(news.outcomes, **pair), classical.t_items(news.outcomes, **pair)
        printed = float(row["sign_test"]), float(row["t_test"])
        agree += all(abs(test.p_value - p) <= 0.0005 + 1e-12 for test, p in zip(ours, printed, strict=True))
    assert agree >= 38


@pytest.mark.parametrize(("a", "b"), [("nb_bern", "nb_mult"), ("nb_mult", "svm_l2")])
def test_icdm_table_3_in_every_cell_of_the_pairs_without_svm_l1(news, a, b):
    found = classical.battery(news.outcomes, a=a, b=b)
    rows = [row for row in rw.examples.icdm2015_table() if (row["a"], row["b"]) == (a, b)]
    assert [row["metric"] for row in rows] == ["micro_f1", "macro_f1"]
    for row in rows:
        level = "classes" if row["metric"] == "macro_f1" else "items"
        assert abs(found[f"sign_{level}"].p_value - float(row["sign_test"])) <= 0.0005
        assert abs(found[f"t_{level}"].p_value - float(row["t_test"])) <= 0.0005


def test_the_published_matrices_give_the_macro_columns_of_icdm_table_3():
    tables = rw.examples.icdm2015_matrices()
    found = classical.battery(tables["nb_mult"], tables["svm_l2"])
    assert found["sign_classes"].p_value == pytest.approx(0.115, abs=0.0005)
    assert found["t_classes"].p_value == pytest.approx(0.138, abs=0.0005)
    assert found.p_value("sign_items") is None
    assert "separate tables" in found.reasons["sign_items"]


def test_fagerlands_example_of_mcnemar():
    """Airway hyper-responsiveness before and after stem cell transplantation: 1, 7 discordant of 21."""
    table = rw.Outcomes.from_pairs(positive=(1, 1, 7, 12), negative=(0, 0, 0, 0))
    # 2 (C(8,0) + C(8,1)) / 2^8, less C(8,1) / 2^8 for the mid-p
    assert classical.mcnemar(table).p_value == pytest.approx(18 / 256, abs=1e-12)
    assert classical.mcnemar(table, method="midp").p_value == pytest.approx(10 / 256, abs=1e-12)
    assert classical.mcnemar(table, method="chi2").statistic == pytest.approx(36 / 8, abs=1e-12)
    assert classical.mcnemar(table, method="chi2_corrected").statistic == pytest.approx(25 / 8, abs=1e-12)


def test_mid_p_at_equal_counts_is_fagerlands():
    table = rw.Outcomes.from_pairs(positive=(5, 3, 3, 2), negative=(0, 0, 0, 0))
    assert classical.mcnemar(table, method="midp").p_value == pytest.approx(1 - 20 / 64 / 2, abs=1e-12)


# -- other implementations -----------------------------------------------------------------------------------


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_sign_items_is_the_binomial_test(predictions, alternative):
    a, b = correct(predictions)
    k, n = int(np.sum(a > b)), int(np.sum(a != b))
    found = classical.sign_items(*predictions, alternative=alternative)
    other = stats.binomtest(k, n, alternative=alternative)
    assert (found.statistic, found.n) == (k, n)
    assert found.p_value == pytest.approx(other.pvalue, abs=1e-9)
    assert tuple(found.effect.interval) == pytest.approx(tuple(other.proportion_ci(0.95)), abs=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_t_items_is_welchs_t(predictions, alternative):
    other = stats.ttest_ind(*correct(predictions), equal_var=False, alternative=alternative)
    found = classical.t_items(*predictions, alternative=alternative)
    assert found.statistic == pytest.approx(other.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(other.pvalue, abs=1e-9)
    assert found.df == (pytest.approx(other.df, rel=1e-9),)
    assert tuple(found.effect.interval) == pytest.approx(tuple(other.confidence_interval(0.95)), abs=1e-9)


def test_t_items_of_separate_test_sets_is_welchs_t(rng):
    first, second = (random_predictions(rng, n, 3, (0.7, 0.6)) for n in (80, 130))
    one = rw.Outcomes.from_arrays(first[0], first[1], names=["one"])
    two = rw.Outcomes.from_arrays(second[0], second[2], names=["two"])
    other = stats.ttest_ind(first[0] == first[1], second[0] == second[2], equal_var=False)
    assert classical.t_items(one, two).p_value == pytest.approx(other.pvalue, abs=1e-9)


@pytest.mark.parametrize(
    ("alternative", "theirs"), [("two-sided", "two-sided"), ("less", "smaller"), ("greater", "larger")]
)
def test_the_z_option_is_statsmodels(predictions, alternative, theirs):
    a, b = correct(predictions)
    other = need("statsmodels.stats.proportion").proportions_ztest(
        [a.sum(), b.sum()], [a.size, b.size], alternative=theirs
    )
    found = classical.t_items(*predictions, method="z", alternative=alternative)
    assert (found.statistic, found.p_value) == pytest.approx(other, abs=1e-9)
    low, high = found.effect.interval
    assert (low == -np.inf, high == np.inf) == (alternative == "less", alternative == "greater")
    assert low < found.effect.value < high


@pytest.mark.parametrize(("method", "theirs"), [
    ("exact", {"exact": True}), ("chi2", {"exact": False, "correction": False}),
    ("chi2_corrected", {"exact": False, "correction": True}),
])  # fmt: skip
def test_mcnemar_is_statsmodels(predictions, method, theirs):
    other = need("statsmodels.stats.contingency_tables").mcnemar(two_by_two(predictions), **theirs)
    found = classical.mcnemar(*predictions, method=method)
    assert (found.statistic, found.p_value) == pytest.approx((other.statistic, other.pvalue), abs=1e-9)


def test_mcnemar_is_mlxtends(predictions):
    evaluate = need("mlxtend.evaluate")
    table = evaluate.mcnemar_table(*predictions)
    for corrected in (True, False):
        found = classical.mcnemar(*predictions, method="chi2_corrected" if corrected else "chi2")
        assert (found.statistic, found.p_value) == pytest.approx(
            evaluate.mcnemar(table, corrected=corrected, exact=False), abs=1e-9
        )
    assert classical.mcnemar(*predictions).p_value == pytest.approx(evaluate.mcnemar(table, exact=True)[1], abs=1e-9)


def test_the_mid_p_lies_between_the_next_exact_ones(predictions):
    """Mid-p is the mean of the exact p-values of this table and of the next more extreme one."""
    a, b = correct(predictions)
    fewer, n = min(np.sum(a > b), np.sum(b > a)), np.sum(a != b)
    if 2 * fewer == n:
        return
    exact = [2 * stats.binom.cdf(k, n, 0.5) for k in (fewer, fewer - 1)]
    assert classical.mcnemar(*predictions, method="midp").p_value == pytest.approx(np.mean(exact), abs=1e-9)


def test_bonett_and_prices_interval_by_its_formula(predictions):
    a, b = correct(predictions)
    n = a.size
    p12, p21 = (np.sum(a > b) + 1) / (n + 2), (np.sum(b > a) + 1) / (n + 2)
    reach = stats.norm.ppf(0.975) * np.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    effect = classical.mcnemar(*predictions).effect
    assert tuple(effect.interval) == pytest.approx((p12 - p21 - reach, p12 - p21 + reach), abs=1e-12)
    assert effect.value == pytest.approx(a.mean() - b.mean(), abs=1e-12)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_cochrans_q_is_that_of_statsmodels_and_mlxtend(rng, k):
    y = rng.integers(4, size=150)
    said = [np.where(rng.random(150) < p, y, rng.integers(4, size=150)) for p in rng.uniform(0.4, 0.8, size=k)]
    found = classical.cochran_q(y, *said)
    right = np.stack([one == y for one in said], axis=1).astype(int)
    other = need("statsmodels.stats.contingency_tables").cochrans_q(right)
    assert (found.statistic, found.p_value) == pytest.approx((other.statistic, other.pvalue), abs=1e-9)
    assert (found.statistic, found.p_value) == pytest.approx(need("mlxtend.evaluate").cochrans_q(y, *said), abs=1e-9)


def test_cochrans_q_of_two_is_mcnemars_chi_squared(predictions):
    more = rw.Outcomes.from_arrays(*predictions, predictions[0], names=["a", "b", "c"])
    q = classical.cochran_q(more, predictions=["a", "b"])
    chi2 = classical.mcnemar(*predictions, method="chi2")
    assert (q.statistic, q.p_value, q.n) == pytest.approx((chi2.statistic, chi2.p_value, chi2.n), abs=1e-12)


def per_class(predictions):
    f1_score = need("sklearn.metrics").f1_score
    y, a, b = predictions
    labels = np.unique(np.concatenate(predictions))
    return [f1_score(y, said, average=None, labels=labels, zero_division=0) for said in (a, b)]


@pytest.mark.parametrize("alternative", ["two-sided", "less", "greater"])
def test_tests_over_classes_are_scipys_on_scikit_learns_f1(predictions, alternative):
    a, b = per_class(predictions)
    t = stats.ttest_rel(a, b, alternative=alternative)
    found = classical.t_classes(*predictions, alternative=alternative)
    assert (found.statistic, found.p_value, found.n) == pytest.approx((t.statistic, t.pvalue, a.size), abs=1e-9)
    assert tuple(found.effect.interval) == pytest.approx(tuple(t.confidence_interval(0.95)), abs=1e-9)
    sign = stats.binomtest(int(np.sum(a > b)), int(np.sum(a != b)), alternative=alternative)
    assert classical.sign_classes(*predictions, alternative=alternative).p_value == pytest.approx(sign.pvalue, abs=1e-9)
    ranks = stats.wilcoxon(a, b, alternative=alternative)
    found = classical.wilcoxon_classes(*predictions, alternative=alternative)
    assert (found.statistic, found.p_value) == pytest.approx((ranks.statistic, ranks.pvalue), abs=1e-9)


def test_tests_over_labels_of_multilabel_data(rng):
    f1_score = need("sklearn.metrics").f1_score
    y = rng.random((300, 6)) < 0.3
    a, b = (np.where(rng.random(y.shape) < p, y, ~y).astype(int) for p in (0.9, 0.85))
    scores = [f1_score(y, said, average=None) for said in (a, b)]
    found = classical.battery(y.astype(int), a, b)
    assert found["t_classes"].p_value == pytest.approx(stats.ttest_rel(*scores).pvalue, abs=1e-9)
    assert found["wilcoxon"].p_value == pytest.approx(stats.wilcoxon(*scores).pvalue, abs=1e-9)
    assert found.p_value("sign_items") is None
    assert "any number of labels" in found.reasons["sign_items"]
    one = classical.battery(y.astype(int), a, b, pos_label=2)
    assert one["mcnemar_exact"].p_value == pytest.approx(
        classical.mcnemar(y[:, 2].astype(int), a[:, 2], b[:, 2]).p_value, abs=1e-12
    )


# -- one class against the rest, and forms of data -----------------------------------------------------------


def test_with_a_pos_label_right_and_wrong_are_about_that_class(predictions):
    collapsed = [(column == 1).astype(int) for column in predictions]
    found, other = classical.battery(*predictions, pos_label=1), classical.battery(*collapsed)
    for key in ("sign_items", "t_items", "mcnemar_exact", "mcnemar_midp", "mcnemar_chi2", "mcnemar_chi2_corrected"):
        assert found[key].to_dict() == other[key].to_dict(), key
    assert {key: found.tests[key] for key in CLASSES} == dict.fromkeys(CLASSES)


def test_exchanging_a_and_b_turns_the_sign_and_keeps_the_p_value(predictions):
    y, a, b = predictions
    one, other = classical.battery(y, a, b), classical.battery(y, b, a)
    assert {*CLASSES, "sign_items", "mcnemar_exact"} <= one.tests.keys()
    for key, test in one.tests.items():
        assert test.p_value == pytest.approx(other[key].p_value, abs=1e-12), key
        if "A − B" in test.effect.name:
            assert test.effect.value == pytest.approx(-other[key].effect.value, abs=1e-12)


def test_dataframes_files_and_outcomes_give_the_same(predictions, frame, tmp_path, write):
    y, a, b = (column.tolist() for column in predictions)
    whole = classical.battery(*predictions, names=["a", "b"]).to_dict()
    made = classical.battery(frame({"y": y, "a": a, "b": b}), truth="y", a="a", b="b").to_dict()
    assert made == whole
    path = write(tmp_path / "p.csv", [("y", "a", "b"), *zip(y, a, b, strict=True)])
    told = classical.battery(str(path), truth="y", a="a", b="b").to_dict()
    assert told["tests"] == whole["tests"]


def test_a_missing_answer_is_no_class(silent):
    y, a, b = [0, 0, 1, 1, 2, 2] * 5, [0, None, 1, 1, 2, 0] * 5, [0, 1, 1, 2, 2, 2] * 5
    found = classical.t_classes(y, a, b, missing="wrong")
    assert found.n == 3


def test_a_declared_class_that_nobody_names_is_left_out():
    y, a, b = [0, 0, 1, 1] * 5, [0, 1, 1, 1] * 5, [0, 0, 1, 0] * 5
    assert classical.t_classes(y, a, b, labels=[0, 1, 2, 3]).n == 2


# -- the edges -----------------------------------------------------------------------------------------------


def test_identical_classifiers_are_no_evidence():
    y, a = [0, 1, 2] * 10, [0, 1, 1] * 10
    found = classical.battery(y, a, a, metric="macro_f1", rng=0)
    assert {key: test.p_value for key, test in found.tests.items()} == dict.fromkeys(found.tests, 1.0)
    assert all(test.statistic == 0 for test in found.tests.values())


def test_all_right_against_all_wrong_has_no_t_but_all_else():
    y, b = [0, 1] * 10, [1, 0] * 10
    found = classical.battery(y, y, b)
    assert found["sign_items"].p_value == pytest.approx(2 * 0.5**20, abs=1e-12)
    assert found.p_value("t_items") is None
    assert found.p_value("t_classes") is None
    assert "no spread" in found.reasons["t_items"]
    with pytest.raises(rw.errors.DataError, match="no spread"):
        classical.t_items(y, y, b)


def test_both_always_right_is_no_evidence():
    y = [0, 1] * 10
    assert classical.t_items(y, y, y).p_value == 1
    assert classical.t_items(y, y, y, method="z").p_value == 1


def test_a_single_item():
    found = classical.battery([1], [1], [0])
    assert found["sign_items"].p_value == 1
    assert found["mcnemar_midp"].p_value == pytest.approx(0.5, abs=1e-12)
    assert found.p_value("t_items") is None
    assert found.p_value("t_classes") is not None  # two classes, an F1 each


def test_no_items():
    found = classical.battery([], [], [], labels=[0, 1])
    assert set(found.tests.values()) == {None}
    with pytest.raises(rw.errors.DataError, match="no items"):
        classical.mcnemar([], [], [], labels=[0, 1])


def test_a_metric_that_cannot_be_tested_is_an_error(predictions):
    with pytest.raises(rw.errors.UnknownNameError, match="f9"):
        classical.battery(*predictions, metric="f9")
    one = rw.Outcomes.from_confusion([[5, 1], [2, 4]], name="one")
    with pytest.raises(rw.errors.DataError, match="separate tables"):
        classical.battery(one, one, metric="accuracy")


def test_a_battery_with_costs_and_some_classes(news):
    cost = 1.0 - np.eye(20)
    found = classical.battery(news.outcomes, a="nb_mult", b="svm_l2", cost_matrix=cost, n_permutations=200, rng=0)
    assert found["permutation"].statistic == pytest.approx(-found["t_items"].effect.value, abs=1e-12)
    some = classical.battery(
        news.outcomes, a="nb_mult", b="svm_l2", metric="macro_f1", classes=[0, 4, 9], n_permutations=200, rng=0
    )
    assert some["t_classes"].n == 3
    assert some["permutation"].statistic == pytest.approx(some["t_classes"].effect.value, abs=1e-12)


@pytest.mark.parametrize("n", [10**3, 10**8, 10**12])
def test_huge_test_sets_lose_no_digits(n):
    table = rw.Outcomes.from_pairs(positive=(n, 10, 25, n), negative=(n, 0, 0, n))
    q = classical.cochran_q(table)
    assert q.statistic == pytest.approx(225 / 35, rel=1e-12)  # (10 − 25)² / (10 + 25)
    share = Fraction(2 * n + 10, 4 * n + 35), Fraction(2 * n + 25, 4 * n + 35)
    error = sum(p * (1 - p) for p in share) / (4 * n + 34)
    assert classical.t_items(table).statistic == pytest.approx(
        float(share[0] - share[1]) / float(error) ** 0.5, rel=1e-9
    )


def test_two_classes_earn_a_warning(silent):
    found = classical.battery([0, 1] * 20, [0, 1, 1, 1] * 10, [0, 0, 0, 1] * 10)
    assert "one observation" in found["t_classes"].warnings[0]
    assert "There are two classes" in str(found)


def test_the_caution_about_two_classes_stands_beside_a_comparison(rng, silent):
    r = rw.compare(*random_predictions(rng, 60, 2, (0.8, 0.7)), metric="macro_f1", draws=200, rng=0, tests=True)
    assert "There are two classes" in str(r)


def test_a_single_label():
    found = classical.battery([1, 1], [1, 1], [1, 1])
    assert found["sign_items"].p_value == 1
    assert found.p_value("t_classes") is None


def test_paired_tests_refuse_separate_tables():
    one = rw.Outcomes.from_confusion([[5, 1], [2, 4]], name="one")
    two = rw.Outcomes.from_confusion([[4, 2], [1, 5]], name="two")
    for test in (classical.sign_items, classical.mcnemar, classical.permutation):
        with pytest.raises(rw.errors.DataError, match="separate tables"):
            test(one, two)


def test_bad_options_are_named():
    y, a, b = [0, 1] * 5, [0, 1] * 5, [1, 1] * 5
    with pytest.raises(rw.errors.UnknownNameError, match="alternative"):
        classical.sign_items(y, a, b, alternative="bigger")
    with pytest.raises(rw.errors.UnknownNameError, match="McNemar"):
        classical.mcnemar(y, a, b, method="exactly")
    with pytest.raises(rw.errors.InvalidInputError, match="pos_label"):
        classical.t_classes(y, a, b, pos_label=1)
    with pytest.raises(rw.errors.InvalidInputError, match="prob"):
        classical.t_items(y, a, b, prob=95)
    with pytest.raises(rw.errors.InvalidInputError, match="single argument"):
        classical.cochran_q([y, a, b])
    with pytest.raises(rw.errors.InvalidInputError, match="at least two"):
        classical.cochran_q(y, a)
    with pytest.raises(rw.errors.PosLabelError):
        classical.sign_items(y, a, b, pos_label=7)


# -- beside the posterior ------------------------------------------------------------------------------------


def test_compare_carries_the_battery_and_the_posterior_is_the_same(news, frugal):
    asked = {"a": "nb_mult", "b": "svm_l2", "metric": "macro_f1", "rope": 0.005, "draws": 500, "rng": 0}
    plain, tested = rw.compare(news.outcomes, **asked), rw.compare(news.outcomes, **asked, tests=True)
    assert plain.tests is None
    assert plain.to_dict()["tests"] is None
    assert tested.mean == plain.mean
    found = classical.battery(news.outcomes, a="nb_mult", b="svm_l2")
    assert tested.to_dict()["tests"] == found.to_dict()["tests"]
    assert "sign-test p = 0.115 · t-test p = 0.138" in str(tested)
    assert "| sign-test | t-test | improvement in points" in tested.to_markdown()
    assert "| sign-test | t-test | mean |" in tested.to_markdown(papers=True)
    assert "sign-test & t-test & mean" in tested.to_latex(papers=True)


def test_every_class_has_its_tests(news, frugal):
    table = rw.compare_classes(news.outcomes, a="nb_bern", b="nb_mult", rope=0.05, draws=200, rng=0, tests=True)
    assert len(table) == 20
    for j, one in enumerate(table):
        own = classical.sign_items(news.outcomes, a="nb_bern", b="nb_mult", pos_label=j)
        assert one.tests["sign_items"].p_value == own.p_value
        assert one.to_dict()["tests"]["t_classes"] is None
    assert "sign-test" in str(table)
    assert [text.count("sign-test  t-test") for text in (str(table), table.to_text(details=True))] == [1, 1]


def test_an_unpaired_model_on_one_test_set_still_has_paired_tests(news):
    asked = {"a": "nb_mult", "b": "svm_l2", "metric": "accuracy", "draws": 200, "rng": 0}
    r = rw.compare(news.outcomes, model="unpaired", tests=True, **asked)
    assert r.tests["mcnemar_exact"].n == 1275


def test_tests_over_the_classes_that_an_average_runs_over(news):
    r = rw.compare(
        news.outcomes, a="nb_mult", b="svm_l2", metric="macro_f1", classes=[0, 3, 8], draws=200, rng=0, tests=True
    )
    assert r.tests["t_classes"].n == 3


def test_tests_is_true_or_false(table):
    with pytest.raises(rw.errors.InvalidInputError, match="tests"):
        rw.compare(table, tests="all")


def test_a_result_says_what_it_assumes_and_never_that_the_null_holds(predictions):
    test = classical.mcnemar(*predictions)
    shown = str(test)
    assert "Assumes" in shown
    assert "not how probable it is" in shown
    assert "That does not show that it holds" in classical.mcnemar([0, 1], [0, 1], [0, 1]).decision()
    assert test.to_dict()["assumptions"] == list(test.assumptions)
    with pytest.raises(AttributeError):
        test.p_value = 0.0


def test_a_hostile_class_or_column_name_is_harmless(tmp_path):
    y = ["<script>", "b\x1b[31m"] * 10
    a = ["<script>", "<script>"] * 10
    found = classical.battery(y, a, y, names=["<b>a", "\x1b[31mred|"], pos_label="<script>")
    assert "\x1b" not in str(found)
    page = found.to_html(tmp_path / "t.html")
    assert "<script>" not in page
    assert "<b>a" not in page
    assert "&lt;b&gt;a" in found.to_markdown()
