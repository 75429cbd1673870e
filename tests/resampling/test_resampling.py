"""Cross-validation and hold-out sets: scikit-learn says what the folds and the predictions must be."""

from __future__ import annotations

import json
import math
import pickle
import sys

import numpy as np
import pytest

from support import REQUIRE_ALL, need

if not REQUIRE_ALL:
    pytest.importorskip("sklearn")

from scipy import sparse, stats
from sklearn import datasets, metrics
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB, MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import ropewalk as rw
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    InvalidInputError,
    LabelTypeError,
    LengthMismatchError,
    MissingDependencyError,
    MissingLabelsError,
    PairingError,
    PosLabelError,
    UnknownNameError,
)
from ropewalk.resampling import cross_predict, train_validation_test

pytestmark = pytest.mark.usefixtures("silent")

X3, Y3 = datasets.load_iris(return_X_y=True)
X2, Y2 = datasets.make_classification(120, 6, n_informative=3, flip_y=0.2, class_sep=0.7, random_state=3)
STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)
BAYES = GaussianNB()
BOTH = {"bayes": BAYES, "stump": STUMP}
GROUPS2 = np.arange(120) // 4
WORDS = [("ham", "spam")[v] for v in Y2]


def by_item(made, values):
    """Values of the first repeat, in the order of X."""
    return values[: made.n_items]


# -- folds and predictions are those of scikit-learn ---------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 7, 2**32 - 1])
@pytest.mark.parametrize("stratify", [True, False])
def test_k_folds_are_those_of_scikit_learn(seed, stratify):
    kind = StratifiedKFold if stratify else KFold
    splitter = kind(5, shuffle=True, random_state=seed)
    made = cross_predict(BOTH, X2, Y2, cv=5, stratify=stratify, rng=seed)
    for name, estimator in BOTH.items():
        assert np.array_equal(made.predictions[name], cross_val_predict(estimator, X2, Y2, cv=splitter))
        assert np.array_equal(made.fold_scores()[name], cross_val_score(estimator, X2, Y2, cv=splitter))
    assert np.array_equal(made.y_true, Y2)
    assert np.array_equal(made.item, np.arange(120))
    assert made.n_repeats == 1
    assert made.n_folds == 5


@pytest.mark.parametrize("stratify", [True, False])
def test_repeats_are_those_of_scikit_learn(stratify):
    kind = RepeatedStratifiedKFold if stratify else RepeatedKFold
    splitter = kind(n_splits=4, n_repeats=3, random_state=11)
    made = cross_predict(BAYES, X3, Y3, cv=4, n_repeats=3, stratify=stratify, rng=11)
    given = cross_predict(BAYES, X3, Y3, cv=splitter)
    expected = cross_val_score(BAYES, X3, Y3, cv=splitter)
    for one in (made, given):
        assert one.n_repeats == 3
        assert np.array_equal(one.item, np.tile(np.arange(150), 3))
        assert np.array_equal(one.repeat, np.repeat(np.arange(3), 150))
        assert np.allclose(one.fold_scores()["GaussianNB"], expected)
        assert np.array_equal(one.fold // 4, one.repeat)
    assert np.array_equal(made.codes, given.codes)
    fewer = cross_predict(BAYES, X3, Y3, cv=4, n_repeats=2, stratify=stratify, rng=11)
    assert np.array_equal(fewer.codes, made.codes[:300])


def test_seeds_beyond_scikit_learns_are_taken_too():
    one, other = (cross_predict(STUMP, X2, Y2, cv=3, rng=2**40 + i) for i in range(2))
    again = cross_predict(STUMP, X2, Y2, cv=3, random_state=2**40)
    assert np.array_equal(one.fold, again.fold)
    assert not np.array_equal(one.fold, other.fold)


@pytest.mark.parametrize(
    "splitter",
    [
        KFold(5),
        StratifiedKFold(3),
        LeaveOneOut(),
        GroupKFold(4),
        StratifiedGroupKFold(4),
        PredefinedSplit(np.arange(120) % 3),
        KFold(2, shuffle=True, random_state=1),
    ],
    ids=lambda s: type(s).__name__,
)
def test_any_splitter_will_do(splitter):
    made = cross_predict(STUMP, X2, Y2, cv=splitter, groups=GROUPS2)
    by_group = {"groups": GROUPS2} if "Group" in type(splitter).__name__ else {}
    expected = cross_val_predict(STUMP, X2, Y2, cv=splitter, **by_group)
    assert np.array_equal(made.predictions["DecisionTreeClassifier"], expected)
    assert made.train_sizes.sum() + made.test_sizes.sum() == 120 * made.n_folds


def test_a_list_or_a_generator_of_pairs_will_do():
    pairs = list(KFold(3).split(X2))
    expected = cross_predict(STUMP, X2, Y2, cv=KFold(3)).codes
    masks = [(np.isin(np.arange(120), train), np.isin(np.arange(120), test)) for train, test in pairs]
    for given in (pairs, iter(pairs), masks, [(list(a), list(b)) for a, b in pairs]):
        assert np.array_equal(cross_predict(STUMP, X2, Y2, cv=given).codes, expected)


def test_a_training_set_may_repeat_items():
    draw = np.random.default_rng(0).integers(0, 90, 90)
    made = cross_predict(STUMP, X2, Y2, cv=[(draw, np.arange(90, 120))])
    fitted = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X2[draw], Y2[draw])
    assert np.array_equal(made.predictions["DecisionTreeClassifier"], fitted.predict(X2[90:]))
    assert any("never tested" in note for note in made.notes)


def test_a_repeat_is_how_often_an_item_was_tested_before():
    splitter = ShuffleSplit(6, test_size=0.3, random_state=0)
    made = cross_predict(STUMP, X2, Y2, cv=splitter)
    rows = [(i, fold) for fold, (_, test) in enumerate(splitter.split(X2)) for i in test]
    seen = {}
    for item, fold in rows:
        where = (made.item == item) & (made.fold == fold)
        assert made.repeat[where].tolist() == [seen.get(item, 0)]
        seen[item] = seen.get(item, 0) + 1
    assert len(made) == len(rows)
    assert not made.complete
    assert any("between" in note for note in made.notes)


@pytest.mark.parametrize("stratify", [True, False])
def test_groups_stay_whole(stratify):
    made = cross_predict(STUMP, X2, Y2, cv=5, n_repeats=2, stratify=stratify, groups=[f"g{i}" for i in GROUPS2], rng=4)
    for repeat in range(2):
        folds = {}
        for item, fold in zip(made.item[made.repeat == repeat], made.fold[made.repeat == repeat], strict=True):
            folds.setdefault(GROUPS2[item], set()).add(fold)
        assert all(len(where) == 1 for where in folds.values())
    assert np.array_equal(
        np.unique(made.group, return_inverse=True)[1], np.unique(made.cluster, return_inverse=True)[1]
    )
    if stratify:
        splitter = StratifiedGroupKFold(5, shuffle=True, random_state=4)
        expected = cross_val_predict(STUMP, X2, Y2, cv=splitter, groups=GROUPS2)
        once = cross_predict(STUMP, X2, Y2, cv=5, groups=GROUPS2, rng=4)
        assert np.array_equal(once.predictions["DecisionTreeClassifier"], expected)


def test_a_splitter_that_tears_groups_apart_is_told_of():
    made = cross_predict(STUMP, X2, Y2, cv=KFold(5, shuffle=True, random_state=0), groups=GROUPS2)
    assert any("groups" in note for note in made.notes)


# -- forms of items, labels and estimators -------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["array", "csr", "triplets", "pandas", "polars", "pyarrow", "list"])
def test_items_may_come_in_any_form(form):
    expected = cross_predict(STUMP, X2, Y2, cv=4, rng=0).codes
    if form == "pandas":
        items = need("pandas").DataFrame(X2, index=np.arange(120)[::-1], columns=list("abcdef"))
    elif form == "polars":
        items = need("polars").DataFrame(X2, schema=list("abcdef"))
    elif form == "pyarrow":
        arrow = need("pyarrow")
        items = arrow.table({name: X2[:, j] for j, name in enumerate("abcdef")})
        with pytest.raises(InvalidInputError, match="X must be an array"):
            cross_predict(STUMP, object(), Y2)
        from ropewalk.resampling.splits import pick_items

        assert pick_items(items, np.array([3, 1])).column("a").to_pylist() == X2[[3, 1], 0].tolist()
        return
    else:
        items = {
            "array": X2, "csr": sparse.csr_matrix(X2), "triplets": sparse.coo_array(X2), "list": X2.tolist()
        }[form]  # fmt: skip
    assert np.array_equal(cross_predict(STUMP, items, Y2, cv=4, rng=0).codes, expected)


def test_texts_are_items():
    texts = [f"{'good nice' if label else 'bad poor'} item {i}" for i, label in enumerate(Y2)]
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    made = cross_predict(model, texts, Y2, cv=4, rng=0)
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    assert np.array_equal(made.predictions["MultinomialNB"], cross_val_predict(model, texts, Y2, cv=splitter))
    series = need("pandas").Series(texts)
    assert np.array_equal(cross_predict(model, series, Y2, cv=4, rng=0).codes, made.codes)


@pytest.mark.parametrize("kind", ["int", "str", "bool", "float", "series", "category", "numerals"])
def test_labels_of_any_kind(kind):
    ham = ("ham", "spam").__getitem__
    known = {"str": ham, "category": ham, "bool": bool, "float": float, "numerals": ("9", "10").__getitem__}
    convert = known.get(kind, int)
    labels = [convert(v) for v in Y2]
    y = labels
    if kind in {"series", "category"}:
        y = need("pandas").Series(labels, index=np.arange(120)[::-1], dtype=None if kind == "series" else "category")
    made = cross_predict(BAYES, X2, y, cv=4, rng=0)
    plain = cross_predict(BAYES, X2, Y2, cv=4, rng=0)
    assert np.array_equal(made.fold_scores()["GaussianNB"], plain.fold_scores()["GaussianNB"])
    assert made.y_true.tolist() == labels
    assert {type(label) for label in made.labels} == {int if kind == "float" else type(labels[0])}


def test_the_estimators_stay_unfitted():
    models = {"bayes": GaussianNB(), "search": GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=2)}
    cross_predict(models, X2, Y2, cv=2, rng=0)
    assert not hasattr(models["bayes"], "classes_")
    assert not hasattr(models["search"], "best_params_")


def test_a_precomputed_kernel_is_cut_both_ways():
    kernel = X2 @ X2.T
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    expected = cross_val_predict(SVC(kernel="precomputed"), kernel, Y2, cv=splitter)
    made = cross_predict(SVC(kernel="precomputed"), kernel, Y2, cv=3, rng=0)
    assert np.array_equal(made.predictions["SVC"], expected)


def test_nested_cross_validation_chooses_inside_the_folds():
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 4]}, cv=StratifiedKFold(3))
    splitter = StratifiedKFold(4, shuffle=True, random_state=2)
    made = cross_predict({"searched": search, "stump": STUMP}, X2, Y2, cv=4, rng=2)
    assert np.array_equal(made.predictions["searched"], cross_val_predict(search, X2, Y2, cv=splitter))
    result = rw.cross_compare(search, STUMP, X2, Y2, cv=4, rng=2, metric="accuracy", draws=500)
    assert np.array_equal(result.predictions.codes, made.codes)
    assert result.a == "GridSearchCV"


@pytest.mark.parametrize("backend", ["threading", pytest.param("loky", marks=pytest.mark.slow)])
def test_any_number_of_workers_gives_the_same_answer(backend):
    options = {"cv": 3, "n_repeats": 2, "method": "predict_proba", "rng": 5}
    noisy = {"tree": DecisionTreeClassifier(random_state=np.random.RandomState(1), max_features=2), "bayes": BAYES}
    with need("joblib").parallel_config(backend=backend):
        one, two = (cross_predict(noisy, X2, Y2, n_jobs=n, **options) for n in (1, 2))
    assert np.array_equal(one.codes, two.codes)
    assert all(np.array_equal(one.scores[name], two.scores[name]) for name in noisy)


def test_a_seed_gives_the_same_answer_again():
    options = {"cv": 3, "n_repeats": 2, "rope": 0.02, "metric": "accuracy", "draws": 2_000}
    one, two = (rw.cross_compare(BAYES, STUMP, X2, Y2, rng=9, **options) for _ in range(2))
    assert one.to_dict() == two.to_dict()
    assert np.array_equal(one.draws.psi, two.draws.psi)
    assert not np.array_equal(one.draws.psi, rw.cross_compare(BAYES, STUMP, X2, Y2, rng=8, **options).draws.psi)


def test_progress_is_told(capsys):
    told = []
    cross_predict(BOTH, X2, Y2, cv=3, progress=lambda *steps: told.append(steps))
    assert told == [(i, 6) for i in range(1, 7)]
    cross_predict(BOTH, X2, Y2, cv=3, progress=True)
    out, err = capsys.readouterr()
    assert not out
    assert "Cross-validation: 6 of 6" in err
    cross_predict(BOTH, X2, Y2, cv=3)
    assert capsys.readouterr() == ("", "")


# -- scores --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["predict_proba", "decision_function"])
@pytest.mark.parametrize("labels", [(0, 1), ("9", "10"), (False, True), ("ham", "spam"), (1, 2)])
def test_scores_of_two_labels_are_those_of_the_positive_one(method, labels):
    y = [labels[v] for v in Y2]
    model = LogisticRegression()
    splitter = StratifiedKFold(3, shuffle=True, random_state=0)
    raw = cross_val_predict(model, X2, y, cv=splitter, method=method)
    made = cross_predict(model, X2, y, cv=3, rng=0, method=method)
    second = sorted(labels)[1]  # scikit-learn's positive class
    expected = raw if method == "decision_function" else raw[:, 1]
    if made.pos_label != second:
        expected = -raw if method == "decision_function" else raw[:, 0]
    assert np.allclose(made.scores["LogisticRegression"], expected)
    other = cross_predict(model, X2, y, cv=3, rng=0, method=method, pos_label=second)
    assert np.allclose(other.scores["LogisticRegression"], raw if raw.ndim == 1 else raw[:, 1])


def test_scores_of_many_labels_come_in_label_order():
    names = ["10", "9", "-1"]
    y = [names[v] for v in Y3]
    made = cross_predict(BAYES, X3, y, cv=3, rng=0, method="predict_proba")
    assert made.labels == ("-1", "9", "10")
    raw = cross_val_predict(BAYES, X3, y, cv=StratifiedKFold(3, shuffle=True, random_state=0), method="predict_proba")
    order = [sorted(names).index(label) for label in made.labels]
    assert np.allclose(made.scores["GaussianNB"], raw[:, order])


def test_a_class_that_a_training_set_lacks_has_probability_0():
    pairs = [(np.arange(100), np.arange(100, 150)), (np.arange(50, 150), np.arange(50))]
    made = cross_predict(BAYES, X3, Y3, cv=pairs, method="predict_proba")
    assert (made.scores["GaussianNB"][made.fold == 0, 2] == 0).all()
    assert np.allclose(made.scores["GaussianNB"].sum(axis=1), 1)
    assert sum("probability" in note for note in made.notes) == 1
    assert any("not in the training set" in note for note in made.notes)
    svc = LinearSVC(random_state=0)
    with pytest.raises(DataError, match="no item of '2'"):
        cross_predict(svc, X3, Y3, cv=pairs, method="decision_function")


@pytest.mark.parametrize(
    ("metric", "function"),
    [
        ("roc_auc", metrics.roc_auc_score),
        ("average_precision", metrics.average_precision_score),
        ("log_loss", metrics.log_loss),
        ("brier", metrics.brier_score_loss),
    ],
)
def test_score_metrics_of_folds_and_repeats(metric, function):
    made = cross_predict(BOTH, X2, Y2, cv=4, n_repeats=2, rng=0, method="predict_proba")
    for name in BOTH:
        folds = [function(made.y_true[made.fold == f], made.scores[name][made.fold == f]) for f in range(8)]
        repeats = [function(made.y_true[made.repeat == r], made.scores[name][made.repeat == r]) for r in range(2)]
        assert np.allclose(made.fold_scores(metric)[name], folds)
        assert np.allclose(made.repeat_scores(metric)[name], repeats)


def test_an_area_of_one_class_is_no_number():
    made = cross_predict(BOTH, X2, Y2, cv=LeaveOneOut(), method="predict_proba")
    assert np.isnan(made.fold_scores("roc_auc")["bayes"]).all()
    with pytest.raises(InvalidInputError, match="Only labels were kept"):
        cross_predict(BAYES, X2, Y2, cv=2).fold_scores("roc_auc")
    with pytest.raises(InvalidInputError, match="those of 1"):
        made.fold_scores("roc_auc", pos_label=0)


# -- fold and repeat scores ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "scorer", "many"),
    [
        ("accuracy", "accuracy", True),
        ("balanced_accuracy", "balanced_accuracy", True),
        ("macro_f1", "f1_macro", True),
        ("micro_f1", "f1_micro", True),
        ("weighted_recall", "recall_weighted", True),
        ("mcc", "matthews_corrcoef", True),
        ("f1", "f1", False),
        ("recall", "recall", False),
        ("jaccard", "jaccard", False),
    ],
)
def test_fold_and_repeat_scores_are_scikit_learns(metric, scorer, many):
    X, y = (X3, Y3) if many else (X2, Y2)
    splitter = RepeatedStratifiedKFold(n_splits=4, n_repeats=2, random_state=1)
    made = cross_predict(BOTH, X, y, cv=splitter)
    function = metrics.get_scorer(scorer)
    for name, estimator in BOTH.items():
        found = made.fold_scores(metric)[name]
        assert np.allclose(found, cross_val_score(estimator, X, y, cv=splitter, scoring=scorer))
        for r in range(2):
            rows = made.repeat == r
            value = function._score_func(made.y_true[rows], made.predictions[name][rows], **function._kwargs)
            assert math.isclose(made.repeat_scores(metric)[name][r], value)


def test_metrics_take_their_options():
    made = cross_predict(BOTH, X3, Y3, cv=3, rng=0)
    truth, said = made.y_true, made.predictions["stump"]
    one = made.repeat_scores("f1", pos_label=2)["stump"][0]
    assert math.isclose(one, metrics.f1_score(truth, said, labels=[2], average=None)[0])
    cost = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    told = made.repeat_scores("cost", cost_matrix=cost)["stump"][0]
    assert math.isclose(told, np.abs(truth - said).mean())
    some = made.repeat_scores("macro_f1", classes=[0, 1])["stump"][0]
    assert math.isclose(some, metrics.f1_score(truth, said, labels=[0, 1], average="macro", zero_division=0))
    mixed = made.fold_scores("accuracy", prevalence=[1, 0, 0])["stump"]
    right = [(said[(made.fold == f) & (truth == 0)] == 0).mean() for f in range(3)]
    assert np.allclose(mixed, right)


def test_scores_flow_into_the_classical_tests():
    made = cross_predict(BOTH, X2, Y2, cv=10, n_repeats=2, rng=0)
    scores = made.fold_scores()
    d = scores["bayes"] - scores["stump"]
    n = d.size
    t = d.mean() / (d.std(ddof=1) * math.sqrt(1 / n + made.n_test / made.n_train))
    test = rw.classical.corrected_t(scores, n_train=made.n_train, n_test=made.n_test)
    assert math.isclose(test.statistic, t)
    assert math.isclose(test.p_value, 2 * stats.t.sf(abs(t), n - 1))
    assert math.isclose(made.n_test / made.n_train, 1 / 9)
    told = rw.classical.repeated(scores["bayes"], n_train=made.n_train, n_test=made.n_test)
    assert math.isclose(told.mean, scores["bayes"].mean())
    five = cross_predict(BOTH, X2, Y2, cv=2, n_repeats=5, rng=0).fold_scores()
    table = (five["bayes"] - five["stump"]).reshape(5, 2)
    spread = table.var(axis=1, ddof=1).mean()
    assert math.isclose(rw.classical.cv5x2_t(five).statistic, table[0, 0] / math.sqrt(spread))


# -- comparing -----------------------------------------------------------------------------------------------------


def test_one_repeat_is_the_paired_comparison_of_cross_validated_predictions():
    splitter = StratifiedKFold(5, shuffle=True, random_state=3)
    said = [cross_val_predict(model, X2, Y2, cv=splitter) for model in (BAYES, STUMP)]
    options = {"metric": "f1", "rope": 0.05, "draws": 2_000}
    direct = rw.compare(Y2, *said, names=["x", "y"], rng=3, **options)
    crossed = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=5, names=["x", "y"], rng=3, **options)
    assert np.array_equal(crossed.per_item.draws.psi, direct.draws.psi)
    assert crossed.predictions.cluster is None
    told = crossed.to_dict()
    extra, items = told["resampling"], told["items"]
    plain = direct.to_dict()
    assert items.pop("notes")[: len(plain["notes"])] == plain.pop("notes")
    assert items == plain
    assert extra["cluster"] is None
    assert extra["n_folds"] == 5


def test_repeats_are_clusters_of_an_item():
    crossed = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=3, n_repeats=4, metric="accuracy", rng=0, draws=2_000)
    made = crossed.predictions
    direct = rw.compare(
        made.y_true, made.predictions["GaussianNB"], made.predictions["DecisionTreeClassifier"],
        names=list(made.names), cluster=made.item, metric="accuracy", rng=0, draws=2_000,
    )  # fmt: skip
    assert np.array_equal(crossed.per_item.draws.psi, direct.draws.psi)
    assert crossed.to_dict()["items"]["n_clusters"] == 120
    assert crossed.to_dict()["resampling"]["cluster"] == "item"
    assert np.allclose(crossed.repeat_differences.mean(), crossed.per_item.delta.observed)


def test_more_repeats_of_the_same_answers_do_not_make_more_items():
    class Rule(ClassifierMixin, BaseEstimator):
        def __init__(self, column=0):
            self.column = column

        def fit(self, X, y):
            self.classes_ = np.unique(y)
            return self

        def predict(self, X):
            return (X[:, self.column] > 0).astype(int)

    def width(repeats):
        r = rw.cross_compare(Rule(0), Rule(1), X2, Y2, cv=4, n_repeats=repeats, metric="accuracy", rng=0, draws=20_000)
        return r.per_item.std

    # Rubin's bootstrap of n differences d has the variance mean((d − mean d)²) / (n + 1).
    right = [(X2[:, j] > 0).astype(int) == Y2 for j in range(2)]
    d = right[0].astype(float) - right[1]
    exact = math.sqrt(d.var() / 121)
    assert width(10) == pytest.approx(exact, rel=0.03)
    assert width(2) == pytest.approx(exact, rel=0.03)


def test_groups_are_clusters():
    crossed = rw.cross_compare(
        BAYES, STUMP, X2, Y2, cv=3, n_repeats=2, groups=GROUPS2, metric="accuracy", rng=0, draws=500
    )
    assert crossed.to_dict()["items"]["n_clusters"] == 30
    assert crossed.to_dict()["resampling"]["cluster"] == "group"


def test_what_stands_beside_the_comparison():
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=5, n_repeats=3, metric="accuracy", rope=0.02, rng=0, draws=2_000)
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    folds = [cross_val_score(model, X2, Y2, cv=splitter) for model in (BAYES, STUMP)]
    assert np.allclose(r.fold_differences, folds[0] - folds[1])
    assert np.allclose(r.repeat_differences, (folds[0] - folds[1]).reshape(3, 5).mean(axis=1))  # folds of equal size
    expected = rw.classical.corrected_t(*folds, n_train=96, n_test=24)
    assert math.isclose(r.corrected_t.p_value, expected.p_value)
    assert r.mean == pytest.approx((folds[0] - folds[1]).mean())
    assert r.decision.symbol in "≈≫≪<>"
    assert tuple(r.rope) == (-0.02, 0.02)
    assert r.conclusive == r.decision.conclusive
    assert r.regions.below + r.regions.inside + r.regions.above == pytest.approx(1)
    assert any("variance of training" in note for note in r.per_item.notes)
    assert not any("variance of training" in note for note in r.notes)
    assert any("share the same items" in note for note in r.notes)
    told = json.loads(r.to_json())["resampling"]
    assert told["repeats"]["std"] == pytest.approx(r.repeat_differences.std(ddof=1))
    assert told["repeats"]["low"] == pytest.approx(r.repeat_differences.min())
    assert told["corrected_t"]["p_value"] == pytest.approx(expected.p_value)


def exact_t(differences, n_train, n_test):
    """The posterior as Corani and Benavoli write it, with rho = n_test / (n_train + n_test)."""
    n, rho = differences.size, n_test / (n_train + n_test)
    scale = differences.std(ddof=1) * math.sqrt(1 / n + rho / (1 - rho))
    return stats.t(n - 1, differences.mean(), scale)


@pytest.mark.parametrize(("metric", "rule"), [("accuracy", "hdi"), ("f1", "probability"), ("roc_auc", "hdi")])
def test_the_verdict_is_that_of_the_correlated_t(metric, rule):
    options = {"metric": metric, "rope": 0.02, "rule": rule, "rng": 0}
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=5, n_repeats=3, draws=60_000, **options)
    t = exact_t(r.fold_differences, 96, 24)
    low, high = t.interval(0.95)
    assert (r.hdi.low, r.hdi.high) == pytest.approx((low, high), abs=1e-12)
    assert r.mean == pytest.approx(t.mean(), abs=1e-12)
    assert r.std == pytest.approx(t.std(), abs=1e-12)
    assert (r.prob_below_zero, r.prob_above_zero) == pytest.approx((t.cdf(0), t.sf(0)), abs=1e-12)
    below, above = t.cdf(-0.02), t.sf(0.02)
    regions = (r.regions.below, r.regions.inside, r.regions.above)
    assert regions == pytest.approx((below, 1 - below - above, above), abs=1e-12)
    assert r.decision.stable
    told = r.to_dict()
    assert (told["model"], told["engine"], told["n_items"], told["recipe"]) == ("correlated_t", "exact", 120, None)
    assert told["delta"]["mc_error"] == 0
    assert told["delta"]["hdi_mc_error"] == [0, 0]
    # The two-sided p-value of the corrected t test is twice the smaller tail of this very posterior.
    assert r.corrected_t.p_value == pytest.approx(2 * min(r.prob_below_zero, r.prob_above_zero))
    # Draws are exact: those of the difference and of each score follow their t.
    assert stats.kstest(r.draws.delta(), t.cdf).pvalue > 1e-4
    scores = r.predictions.fold_scores(metric)
    for row, name, estimate in zip(r.draws.psi, (r.a, r.b), (r.estimate_a, r.estimate_b), strict=True):
        assert stats.kstest(row, exact_t(scores[name], 96, 24).cdf).pvalue > 1e-4
        assert estimate.mean == pytest.approx(scores[name].mean())
    again = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=5, n_repeats=3, draws=1_000, **options)
    assert np.array_equal(again.draws.psi, r.draws.psi[:, :1_000])


def test_less_is_better_for_a_loss():
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=5, metric="error", rope=0.001, rng=0)
    s = rw.cross_compare(STUMP, BAYES, X2, Y2, cv=5, metric="accuracy", rope=0.001, rng=0)
    assert r.hdi.low == pytest.approx(s.hdi.low)
    assert r.decision.symbol == {"<": ">", ">": "<", "≪": "≫", "≫": "≪", "≈": "≈"}[s.decision.symbol]
    assert r.decision.leaning == {"a": "b", "b": "a"}.get(s.decision.leaning, s.decision.leaning)


def test_swapping_the_algorithms_mirrors_the_answer():
    options = {"cv": 5, "metric": "accuracy", "rope": 0.02, "rng": 0, "draws": 500}
    r, s = rw.cross_compare(BAYES, STUMP, X2, Y2, **options), rw.cross_compare(STUMP, BAYES, X2, Y2, **options)
    assert (s.mean, s.hdi.low, s.regions.below) == pytest.approx((-r.mean, -r.hdi.high, r.regions.above))


@pytest.mark.parametrize(
    "ask",
    [
        lambda r: r.predictive_check(),
        lambda r: r.prior_sensitivity(),
        lambda r: r.more_data(),
        lambda r: r.confusions(),
        lambda r: r.graph(),
        lambda r: rw.plan(r, n=[100]),
        lambda r: rw.power(r, n=[100]),
        lambda r: rw.planning.StopWhen(width=0.1).stops(r),
    ],
)
def test_what_folds_cannot_answer_points_to_the_items(ask):
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=3, metric="accuracy", rope=0.02, rng=0, draws=500)
    with pytest.raises(InvalidInputError) as error:
        ask(r)
    assert "r.per_item" in str(error.value)
    once = r.per_item  # the items are an ordinary comparison, which can
    assert [matrix.counts.sum() for matrix in once.confusions()] == [120, 120]
    assert len(once.prior_sensitivity().rows) > 1


def test_draws_can_be_exported():
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=3, n_repeats=2, metric="accuracy", rope=0.02, rng=0, draws=500)
    assert np.allclose(r.to_arviz().posterior["delta"].to_numpy().ravel(), r.draws.delta())


# -- where folds cannot bear a verdict -----------------------------------------------------------------------------


def refused(reason, **options):
    """Compare with a ROPE so wide that every verdict would be ≈, and check that none is given, for this reason."""
    ask = {"metric": "accuracy", "rope": 0.9, "rng": 0, "draws": 500, **options}
    r = rw.cross_compare(ask.pop("a", BAYES), ask.pop("b", STUMP), ask.pop("X", X2), ask.pop("y", Y2), **ask)
    assert r.decision is None
    assert r.regions is not None
    assert r.rope_path is None
    assert not r.conclusive
    told = r.to_dict()
    assert told["decision"] is None
    assert any(text.startswith("No verdict, since") and reason in text for text in told["warnings"])
    assert reason in " ".join(str(r).split())
    assert "verdict" in r.to_html()
    assert r.hdi.low < r.mean < r.hdi.high
    return r


def test_two_identical_algorithms_are_not_proved_equivalent():
    r = refused("all 4 folds show the same difference", b=GaussianNB(), cv=4)
    assert (r.a, r.b) == ("A", "B")
    assert r.corrected_t.p_value == 1
    assert not r.fold_differences.any()
    assert r.mean == 0
    # As wide as differences that were rounded to one of the 30 items of a test set.
    t = stats.t(3, 0, 1 / 30 / math.sqrt(12) * math.sqrt(1 / 4 + 1 / 3))
    assert r.hdi.high == pytest.approx(t.ppf(0.975))
    assert stats.kstest(r.draws.delta(), t.cdf).pvalue > 1e-4
    assert r.per_item.hdi.low <= 0 <= r.per_item.hdi.high


class Constant(ClassifierMixin, BaseEstimator):
    """Answers one label, whatever it is shown."""

    def __init__(self, label=0):
        self.label = label

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.label)


def test_the_same_difference_in_every_fold_is_no_certainty():
    y = (np.arange(60) % 3 > 0).astype(int)
    r = refused("the same difference", a=Constant(1), b=Constant(0), X=np.zeros((60, 1)), y=y, cv=5)
    assert r.mean == pytest.approx(1 / 3)
    assert r.hdi.low < 1 / 3 < r.hdi.high


def test_two_folds_are_too_few():
    r = refused("2 folds show too little", cv=2)
    assert r.std == math.inf
    assert r.to_dict()["delta"]["std"] is None
    assert r.hdi.high == pytest.approx(exact_t(r.fold_differences, 60, 60).ppf(0.975))
    assert rw.cross_compare(BAYES, STUMP, X2, Y2, cv=3, metric="accuracy", rope=0.02, rng=0).decision is not None


def test_folds_without_a_score_bear_no_verdict():
    few = np.arange(60) % 12 == 0  # five of a class, and ten folds
    r = refused(
        "have no score", b=LogisticRegression(), X=X2[:60], y=few, cv=KFold(10, shuffle=True, random_state=0),
        metric="roc_auc", pos_label=True,
    )  # fmt: skip
    lost = int(np.isnan(r.fold_differences).sum())
    assert lost > 0
    assert r.mean == pytest.approx(np.nanmean(r.fold_differences))
    assert f"{lost} without a score" in " ".join(str(r).split())


def test_folds_without_a_class_bear_no_verdict_on_a_metric_of_classes():
    r = refused("no item of a class to test", cv=LeaveOneOut(), X=X3, y=Y3, metric="macro_f1")
    assert any("lack a class" in note for note in r.notes)
    one_by_one = rw.cross_compare(BAYES, STUMP, X3, Y3, metric="accuracy", cv=LeaveOneOut(), rope=0.9, rng=0, draws=300)
    assert one_by_one.decision.symbol == "≈"  # an item has an accuracy
    t = exact_t(one_by_one.fold_differences, 149, 1)
    assert one_by_one.hdi.low == pytest.approx(t.ppf(0.025))


def test_training_sets_of_different_sizes_bear_no_verdict():
    refused("training sets have from 20 to 100 items", cv=TimeSeriesSplit(5))


def test_test_sets_of_different_sizes_are_told_of():
    cuts = np.split(np.random.default_rng(0).permutation(120), [10, 30, 50, 80])
    splits = [(np.setdiff1d(np.arange(120), test), test) for test in cuts]
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=splits, metric="accuracy", rope=0.02, rng=0, draws=500)
    assert any("from 10 to 40 items" in note for note in r.notes)
    assert r.decision is not None
    assert r.hdi.low == pytest.approx(exact_t(r.fold_differences, 96, 24).ppf(0.025))


def test_repeats_alone_make_no_verdict():
    """Between the interval of all folds and the cautious one no ROPE gets a verdict; beyond it does."""
    options = {"cv": 5, "n_repeats": 10, "metric": "accuracy", "rng": 0, "draws": 500}
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, rope=0.9, **options)
    scale = r.fold_differences.std(ddof=1) * math.sqrt(1 / 50 + 1 / 4)
    hidden = max(r.per_item.std**2 - r.fold_differences.var(ddof=1) / 5, 0)
    once = stats.t(4, r.fold_differences.mean(), math.sqrt(scale**2 + hidden))
    assert tuple(r.cautious) == pytest.approx(once.interval(0.95))
    assert r.decision.symbol == "≈"
    assert any("cautious interval" in note for note in r.notes)
    reach, further = (max(abs(end) for end in ends) for ends in (r.hdi, r.cautious))
    assert reach < further
    between = refused("does not hold by the cautious interval", n_repeats=10, cv=5, rope=(reach + further) / 2)
    assert between.hdi == r.hdi
    assert rw.cross_compare(BAYES, STUMP, X2, Y2, rope=further + 1e-9, **options).decision.symbol == "≈"
    assert not rw.cross_compare(BAYES, STUMP, X2, Y2, rope=reach - 1e-9, **options).conclusive


def test_a_class_mix_that_all_folds_share_is_not_taken_for_certain():
    """Always "yes" against always "no": stratified folds of 61 items differ by rounding alone, the items by chance."""
    y = np.arange(61) % 3 > 0
    options = {"cv": 5, "metric": "accuracy", "rope": 0.1, "rng": 0, "draws": 2_000}
    r = rw.cross_compare(Constant(1), Constant(0), np.zeros((61, 1)), y.astype(int), **options)
    assert r.hdi.low > 0.1  # by the folds alone it would be beyond doubt
    assert r.per_item.hdi.low < 0.1  # while 40 of 61 items are not
    assert r.decision is None
    assert "cautious interval" in r.no_verdict
    assert r.cautious.low < r.per_item.hdi.low


def test_random_splits_are_what_the_correction_was_made_for():
    splitter = ShuffleSplit(6, test_size=0.25, random_state=0)
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=splitter, metric="accuracy", rope=0.02, rng=0, draws=500)
    assert r.hdi.low == pytest.approx(exact_t(r.fold_differences, 90, 30).ppf(0.025))
    assert r.repeat_differences.size == 0
    assert r.decision is not None


class Untrained(GaussianNB):
    """Fails as soon as it is trained."""

    def fit(self, X, y):
        raise AssertionError


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"cv": [(range(60), range(60, 120))]}, "One split shows no spread"),
        ({"cv": LeaveOneOut(), "metric": "roc_auc"}, "120 of 120 folds have those of one"),
    ],
)
def test_folds_that_show_no_spread_are_refused_before_anything_is_trained(options, match):
    with pytest.raises(InvalidInputError, match=match) as error:
        rw.cross_compare(Untrained(), Untrained(), X2, Y2, names=["a", "b"], **{"metric": "accuracy", **options})
    assert "cross_predict(…).compare(…)" in str(error.value)


SHOWN = (
    {"metric": "macro_f1"},
    {"pos_label": 2, "metric": "f1"},
    {"metric": "accuracy", "n_repeats": 2},
    {"metric": "roc_auc", "pos_label": 1},
    {"metric": "roc_auc", "n_repeats": 2},
    {"metric": "log_loss"},
    {"metric": "accuracy", "cv": LeaveOneOut()},
    {"metric": "accuracy", "cv": ShuffleSplit(5, random_state=0)},
    {"metric": "accuracy", "cv": [(np.arange(start, 150, 2), np.arange(1 - start, 150, 2)) for start in (0, 1)]},
    {"metric": lambda m: m.tp.sum(axis=-1) / m.total[..., 0]},
    {"metric": "cost", "cost_matrix": [[0, 1, 2], [1, 0, 1], [2, 1, 0]]},
    {"metric": "accuracy", "tests": True},
    {"metric": "accuracy", "prevalence": [0.2, 0.3, 0.5]},
)


@pytest.mark.parametrize(
    ("options", "rope"),
    # Without a ROPE, three of them will do for `make test`.
    [
        *((how, 0.05) for how in SHOWN),
        *(pytest.param(how, None, marks=[pytest.mark.slow][: i > 2]) for i, how in enumerate(SHOWN)),
    ],
)
def test_an_answer_can_be_shown_in_every_way(options, rope, frugal):
    r = rw.cross_compare(BAYES, STUMP, X3, Y3, rng=0, draws=400, rope=rope, **{"cv": 3, **options})
    text = str(r)
    assert "correlated t of" in text
    assert "The items, for the classifiers as they were trained" in text
    assert "variance of training" in " ".join(text.split())
    assert ("\nRepeats  " in text) == (r.repeat_differences.size > 1)
    assert "spread over" in r.to_markdown()
    assert r.to_latex().count(r"\begin{tabular}") == 2
    page = r.to_html()
    assert "cross-validation" in page or "split" in page
    assert "GaussianNB" in r._repr_html_()
    json.loads(r.to_json())
    assert (r.decision is None) == (rope is None or bool(r.no_verdict))


def test_the_answer_survives_pickling():
    r = rw.cross_compare(BAYES, STUMP, X2, Y2, cv=3, metric="accuracy", rng=0, draws=200)
    assert pickle.loads(pickle.dumps(r)).to_dict() == r.to_dict()


def test_scores_are_compared_by_what_a_classifier_has():
    svc = LinearSVC(random_state=0)
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    r = rw.cross_compare(svc, BAYES, X2, Y2, cv=4, metric="roc_auc", rope=0.05, rng=0, draws=500)
    margins = cross_val_predict(svc, X2, Y2, cv=splitter, method="decision_function")
    chances = cross_val_predict(BAYES, X2, Y2, cv=splitter, method="predict_proba")[:, 1]
    assert r.per_item.estimate_a.observed == pytest.approx(metrics.roc_auc_score(Y2, margins))
    assert r.per_item.estimate_b.observed == pytest.approx(metrics.roc_auc_score(Y2, chances))
    assert np.allclose(r.fold_differences, [
        metrics.roc_auc_score(Y2[test], margins[test]) - metrics.roc_auc_score(Y2[test], chances[test])
        for _, test in splitter.split(X2, Y2)
    ])  # fmt: skip
    assert any("on one scale" in note for note in r.per_item.notes)
    for metric in ("log_loss", "brier", "ece"):
        with pytest.raises(InvalidInputError, match="predict_proba"):
            rw.cross_compare(svc, BAYES, X2, Y2, cv=4, metric=metric)


def test_one_class_of_many_by_its_scores():
    r = rw.cross_compare(BAYES, STUMP, X3, Y3, cv=3, metric="roc_auc", pos_label=1, rng=0, draws=300)
    made = r.predictions
    auc = metrics.roc_auc_score(made.y_true == 1, made.scores["GaussianNB"][:, 1])
    assert r.per_item.estimate_a.observed == pytest.approx(auc)
    assert r.pos_label == 1


def test_predictions_compare_and_evaluate_themselves():
    three = {**BOTH, "knn": KNeighborsClassifier()}
    made = cross_predict(three, X2, Y2, cv=4, rng=6, method="predict_proba")
    r = made.compare("knn", "stump", metric="accuracy", draws=500)
    assert (r.a, r.b) == ("knn", "stump")
    assert r.estimate_a.observed == pytest.approx((made.predictions["knn"] == made.y_true).mean())
    assert r.recipe.seed == 6
    e = made.evaluate("bayes", metric=["accuracy", "f1"], draws=500)
    assert e["f1"].estimate.observed == pytest.approx(metrics.f1_score(Y2, made.predictions["bayes"]))
    s = made.evaluate("bayes", metric="roc_auc", draws=500)
    assert s["roc_auc"].estimate.observed == pytest.approx(metrics.roc_auc_score(Y2, made.scores["bayes"]))
    assert made.outcomes.names == tuple(three)
    assert made.outcomes.n_clusters is None
    assert made.compare("knn", "bayes", metric="brier", draws=300).metric == "brier"
    with pytest.raises(ColumnNotFoundError, match="did you mean 'bayes'"):
        made.compare("bayse", "knn")
    with pytest.raises(InvalidInputError, match="Name two"):
        made.compare()
    with pytest.raises(InvalidInputError, match="Name one"):
        made.evaluate()
    with pytest.raises(InvalidInputError, match="two calls"):
        made.evaluate("knn", metric=["accuracy", "roc_auc"])
    with pytest.raises(InvalidInputError, match="prevalence"):
        made.compare("knn", "bayes", metric="roc_auc", prevalence=0.5)


def test_predictions_cannot_be_written_to():
    made = cross_predict(BAYES, X2, Y2, cv=3, rng=0)
    with pytest.raises(ValueError, match="read-only"):
        made.codes[0, 0] = 1
    assert repr(made).startswith("CrossPredictions(120 items, stratified 3-fold")


def test_one_item_per_fold_has_nothing_to_repeat():
    by_item = rw.cross_compare(BAYES, STUMP, X3, Y3, metric="accuracy", rng=0, draws=300, cv=LeaveOneOut())
    assert not any("lack a class" in note for note in by_item.notes)
    assert not any("n_repeats=10" in note for note in by_item.notes)


def test_the_positive_class_decides_what_is_found():
    r = rw.cross_compare(BAYES, STUMP, X2, WORDS, cv=3, metric="average_precision", pos_label="ham", rng=0, draws=300)
    chances = cross_val_predict(
        BAYES, X2, WORDS, cv=StratifiedKFold(3, shuffle=True, random_state=0), method="predict_proba"
    )
    truth = np.array(WORDS) == "ham"
    assert r.per_item.estimate_a.observed == pytest.approx(metrics.average_precision_score(truth, chances[:, 0]))
    assert r.pos_label == "ham"


def test_rows_of_dataframes_are_matched_by_position():
    pandas = need("pandas")
    frame, labels = pandas.DataFrame(X2), pandas.Series(Y2)
    with pytest.raises(PairingError, match="another order"):
        cross_predict(BAYES, frame, labels.iloc[::-1])


# -- what goes wrong -----------------------------------------------------------------------------------------------


class Broken(ClassifierMixin, BaseEstimator):
    def __init__(self, when=2):
        self.when = when

    def fit(self, X, y):
        if len(y) != self.when:
            raise ArithmeticError("the sky fell")
        return self

    def predict(self, X):
        return np.zeros(len(X))


class Answers(ClassifierMixin, BaseEstimator):
    def __init__(self, answer=None):
        self.answer = answer

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return self.answer if np.ndim(self.answer) else np.full(len(X), self.answer)


class NoParams:
    def fit(self, X, y):
        return self

    def predict(self, X):
        return X


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (lambda: cross_predict(BAYES, X2, Y2[:-1]), LengthMismatchError, "120 items and y 119"),
        (lambda: cross_predict(BAYES, X2, [None, *Y2[1:].tolist()]), MissingLabelsError, "y"),
        (lambda: cross_predict(BAYES, X2, np.where(Y2, 1.0, np.nan)), MissingLabelsError, "y"),
        (lambda: cross_predict(BAYES, X2, [1, "1"] * 60), LabelTypeError, "y"),
        (lambda: cross_predict(BAYES, X2, X2[:, 0]), LabelTypeError, "fraction"),
        (lambda: cross_predict(BAYES, X2, np.eye(120)), InvalidInputError, "one-dimensional"),
        (lambda: cross_predict(BAYES, X2, [0] * 120), DataError, "single class"),
        (lambda: cross_predict(BAYES, X2[:0], []), DataError, "no items"),
        (lambda: cross_predict(BAYES, "text", Y2), InvalidInputError, "X must be"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=1), InvalidInputError, "at least 2"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=0), InvalidInputError, "at least 2"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=True), InvalidInputError, "`cv` must be"),
        (lambda: cross_predict(BAYES, X2, Y2, cv="ten"), InvalidInputError, "`cv` must be"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=2.5), InvalidInputError, "`cv` must be"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[]), InvalidInputError, "no splits"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[3]), InvalidInputError, "no .train, test. pair"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[([0.5], [1])]), InvalidInputError, "item numbers"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[([], [1])]), DataError, "training set of split 0 is empty"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[([1], [])]), DataError, "test set of split 0 is empty"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[([0, 1], [120])]), DataError, "item 120"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[([0, 1], [-1])]), DataError, "item -1"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[([0, 1], [1, 2])]), DataError, "trains on 1 item that it tests"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=[([0, 1], [2, 2])]), DataError, "twice"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=121, stratify=False), DataError, "too few for 121"),
        (lambda: cross_predict(BAYES, X2, [1, 1] + [0] * 118, cv=3), DataError, "2 items, too few for 3 stratified"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=31, groups=GROUPS2, stratify=False), DataError, "30 groups"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=KFold(3), n_repeats=2), InvalidInputError, "repeats"),
        (lambda: cross_predict(BAYES, X2, Y2, n_repeats=0), InvalidInputError, "repeats"),
        (lambda: cross_predict(BAYES, X2, Y2, stratify="yes"), InvalidInputError, "stratify"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=GroupKFold(3)), InvalidInputError, "GroupKFold cannot split"),
        (lambda: cross_predict(BAYES, X2, Y2, groups=[1, 2]), LengthMismatchError, "groups"),
        (lambda: cross_predict(BAYES, X2, Y2, n_jobs=0), InvalidInputError, "n_jobs"),
        (lambda: cross_predict(BAYES, X2, Y2, cv=2).fold_scores("f1", poslabel=1), InvalidInputError, "pos_label"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, WORDS, metric="pr_auc"), PosLabelError, "Which label"),
        (lambda: cross_predict(BAYES, X2, Y2, progress="bar"), InvalidInputError, "progress"),
        (lambda: cross_predict(BAYES, X2, Y2, rng=-1), InvalidInputError, "rng"),
        (lambda: cross_predict(BAYES, X2, Y2, method="guess"), UnknownNameError, "method"),
        (lambda: cross_predict(LinearSVC(), X2, Y2, method="predict_proba"), InvalidInputError, "no predict_proba"),
        (lambda: cross_predict(BAYES, X2, Y2, pos_label=3), PosLabelError, "pos_label"),
        (lambda: cross_predict({}, X2, Y2), InvalidInputError, "empty"),
        (lambda: cross_predict([BAYES, STUMP], X2, Y2), InvalidInputError, "names"),
        (lambda: cross_predict(GaussianNB, X2, Y2), InvalidInputError, "is a class"),
        (lambda: cross_predict("svm", X2, Y2), InvalidInputError, "no fit and no predict"),
        (lambda: cross_predict(CountVectorizer(), X2, Y2), InvalidInputError, "no predict"),
        (lambda: cross_predict(NoParams(), X2, Y2), InvalidInputError, "cloned"),
        (lambda: cross_predict({1: BAYES}, X2, Y2), InvalidInputError, "names"),
        (lambda: cross_predict(LinearRegression(), X2, Y2, cv=3), DataError, "no label of y"),
        (lambda: cross_predict(Answers(7), X2, Y2, cv=3), DataError, "predicted 7 on fold 0"),
        (lambda: cross_predict(Answers([1, 0]), X2, Y2, cv=3), LengthMismatchError, "shape"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, metric="f2"), UnknownNameError, "f2"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, metric="roc_au"), UnknownNameError, "roc_au"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, metric="roc_auc", prevalence=0.5), InvalidInputError, "labels"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, metric="roc_auc", rope=5), InvalidInputError, "rope"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, rope=7), InvalidInputError, "rope"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, prob=2), InvalidInputError, "prob"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, ropes=2), InvalidInputError, "did you mean 'rope'"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, names=["a"]), InvalidInputError, "names"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, n_repeats=2, model="paired"), InvalidInputError, "clusters"),
        (lambda: rw.cross_compare(BAYES, STUMP, X3, Y3, metric="f1"), PosLabelError, "3 labels"),
        (lambda: rw.cross_compare(BAYES, 3, X2, Y2), InvalidInputError, "no fit"),
        (lambda: rw.cross_compare(BAYES, STUMP, X2, Y2, threads=0), InvalidInputError, "threads"),
    ],
)  # fmt: skip
def test_a_wrong_call_is_a_clear_error(call, error, match):
    with pytest.raises(error, match=match) as caught:
        call()
    assert isinstance(caught.value, InvalidInputError)


def test_a_wrong_question_is_refused_before_anything_is_trained():
    class Never(Answers):
        def fit(self, X, y):
            raise AssertionError("trained")

    for options in ({"metric": "f9"}, {"rope": -1}, {"metric": "roc_auc", "draws": 0}, {"rule": "x"}, {"draws": -1}):
        with pytest.raises(InvalidInputError) as caught:
            rw.cross_compare(Never(), Never(1), X2, Y2, **options)
        assert "trained" not in str(caught.value)


@pytest.mark.parametrize(
    ("module", "extra", "n_jobs"),
    [("sklearn.base", "ml", 1), ("sklearn.model_selection", "ml", 1), ("joblib", "parallel", 2)],
)
def test_what_is_not_installed_is_named(module, extra, n_jobs, monkeypatch):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingDependencyError, match=rf"ropewalk\[{extra}\]"):
        cross_predict(BAYES, X2, Y2, cv=2, n_jobs=n_jobs)


@pytest.mark.parametrize(
    ("n_jobs", "backend"), [(1, "loky"), (2, "threading"), pytest.param(2, "loky", marks=pytest.mark.slow)]
)
def test_a_fold_that_fails_says_whose_and_which(n_jobs, backend):
    pairs = [(np.arange(100), np.arange(100, 120)), (np.arange(90), np.arange(90, 120))]
    failure = pytest.raises(DataError, match="'bad' failed on fold 1: ArithmeticError: the sky fell")
    with need("joblib").parallel_config(backend=backend), failure as caught:
        cross_predict({"good": BAYES, "bad": Broken(100)}, X2, Y2, cv=pairs, n_jobs=n_jobs)
    assert isinstance(caught.value.__cause__, ArithmeticError)


def test_an_interrupt_goes_through():
    class Stop(Answers):
        def fit(self, X, y):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cross_predict(Stop(), X2, Y2, cv=3, progress=True)


def test_a_warning_points_at_the_caller():
    with pytest.warns(rw.errors.DegenerateDataWarning) as caught:
        rw.cross_compare(BAYES, STUMP, X2[:40], Y2[:40], cv=2, metric="accuracy", rng=0, draws=300)
    assert {w.filename for w in caught} == {__file__}


def test_time_series_splits_leave_the_first_items_untested():
    made = cross_predict(BAYES, X3[::3], np.tile([0, 1], 25), cv=TimeSeriesSplit(4))
    assert any("never tested" in note for note in made.notes)
    assert made.n_items == 50
    assert len(made) == 40


# -- training, validation and test set -----------------------------------------------------------------------------


def validated(**options):
    said = {"sizes": (0.6, 0.2, 0.2), "rng": 0, "draws": 300, **options}
    return train_validation_test(KNeighborsClassifier(), {"n_neighbors": [1, 3, 5, 7, 9]}, X2, Y2, **said)


@pytest.mark.parametrize("seed", range(4))
def test_the_best_setting_on_the_validation_set_is_tested(seed):
    v = validated(rng=seed)
    sets = [v.train, v.validation, v.test_items]
    assert sorted(np.concatenate(sets).tolist()) == list(range(120))
    assert [len(items) for items in sets] == [72, 24, 24]
    fits = [KNeighborsClassifier(k).fit(X2[v.train], Y2[v.train]) for k in (1, 3, 5, 7, 9)]
    scores = [fit.score(X2[v.validation], Y2[v.validation]) for fit in fits]
    assert np.allclose([s.validation.estimate.observed for s in v.settings], scores)
    assert v.chosen == int(np.argmax(scores))
    assert v.best.params == {"n_neighbors": (1, 3, 5, 7, 9)[v.chosen]}
    assert v.estimate.observed == pytest.approx(fits[v.chosen].score(X2[v.test_items], Y2[v.test_items]))
    assert np.array_equal(v.estimator.predict(X2), fits[v.chosen].predict(X2))
    assert any("optimistic" in note for note in v.notes)
    share = Y2.mean()
    assert all(abs(Y2[items].mean() - share) <= 1 / len(items) for items in sets)  # stratified


def test_refit_trains_on_both_sets():
    v = validated(refit=True)
    both = np.concatenate([v.train, v.validation])
    fit = KNeighborsClassifier(**v.best.params).fit(X2[both], Y2[both])
    assert v.estimate.observed == pytest.approx(fit.score(X2[v.test_items], Y2[v.test_items]))
    assert any("again" in note for note in v.notes)


def test_less_is_better_for_some_metrics_and_the_first_of_equals_wins():
    v = validated(metric="error")
    assert v.chosen == int(np.argmin([s.validation.estimate.observed for s in v.settings]))
    same = train_validation_test(
        KNeighborsClassifier(), {"leaf_size": [20, 30, 40]}, X2, Y2, rng=0, draws=300, sizes=(80, 20, 20)
    )
    assert same.chosen == 0
    assert any("same validation score" in note for note in same.notes)
    assert len(same.train) == 80


def test_a_validated_setting_can_be_shown_in_every_way():
    v = validated()
    text = str(v)
    assert all(word in text for word in ("Chosen", "Validation", "Test", "n_neighbors=1", "chosen", "optimistic"))
    assert "n\\_neighbors=9" in v.to_markdown()
    assert "tabular" in v.to_latex()
    assert "n_neighbors=9" in v.to_html()
    assert "n_neighbors" in v._repr_html_()
    told = json.loads(v.to_json())
    assert told["settings"][1]["params"] == {"n_neighbors": 3}
    assert told["n_test"] == 24
    assert repr(v).startswith("Validated(KNeighborsClassifier, n_neighbors=")


def test_settings_may_be_anything():
    steps = make_pipeline(CountVectorizer(), MultinomialNB())
    texts = [f"{'good nice' if label else 'bad poor'} item {i}" for i, label in enumerate(Y2)]
    grid = [
        {"multinomialnb": [MultinomialNB(), DummyClassifier()]},
        {"multinomialnb__alpha": [np.float64(0.5)]},
    ]
    v = train_validation_test(steps, grid, texts, Y2, rng=0, draws=300, sizes=(0.5, 0.25, 0.25))
    told = json.loads(v.to_json())
    assert told["settings"][1]["params"] == {"multinomialnb": "DummyClassifier()"}
    assert told["settings"][2]["params"] == {"multinomialnb__alpha": 0.5}
    assert not hasattr(grid[0]["multinomialnb"][0], "classes_")


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"sizes": (0.5, 0.5)}, InvalidInputError, "three positive"),
        ({"sizes": (0.5, 0.5, 0.5)}, InvalidInputError, "add up to 1.5"),
        ({"sizes": (0.9, 0.1, 0)}, InvalidInputError, "three positive"),
        ({"sizes": (100, 10, 9)}, DataError, "119"),
        ({"sizes": (0.999, 0.0005, 0.0005)}, DataError, "none is left for the validation"),
        ({"sizes": "8/1/1"}, InvalidInputError, "three positive"),
        ({"sizes": (118, 1, 1)}, DataError, "share"),
        ({"metric": "f7"}, UnknownNameError, "f7"),
        ({"metric": ["f1", "accuracy"]}, InvalidInputError, "several"),
        ({"refit": "yes"}, InvalidInputError, "refit"),
        ({"name": ""}, InvalidInputError, "names"),
        ({"draws": 0}, InvalidInputError, "draws"),
        ({"progress": 3}, InvalidInputError, "progress"),
    ],
)
def test_a_wrong_hold_out_is_a_clear_error(options, error, match):
    with pytest.raises(error, match=match):
        validated(**options)


@pytest.mark.parametrize(
    ("grid", "match"),
    [({"k": [1]}, "does not take k=1"), ({"n_neighbors": 3}, "no grid"), (7, "no grid"), ([], "no settings")],
)
def test_a_wrong_grid_is_a_clear_error(grid, match):
    with pytest.raises(InvalidInputError, match=match):
        train_validation_test(KNeighborsClassifier(), grid, X2, Y2)


def test_a_setting_that_fails_is_named():
    with pytest.raises(DataError, match=r"failed on setting 1 \(n_neighbors=500\)"):
        train_validation_test(KNeighborsClassifier(), {"n_neighbors": [1, 500]}, X2, Y2, rng=0)


# -- why folds are stratified (Wu, exercise 8) ---------------------------------------------------------------------


def test_a_plain_split_often_leaves_a_half_without_the_rare_class():
    # Two of ten items are rare; both are in one half with probability 4/9.
    together = 2 * stats.hypergeom(10, 2, 5).pmf(2)
    assert together == pytest.approx(4 / 9)
    y = np.array([1, 1] + [2] * 8)
    n, lone = 2_000, 0
    for seed in range(n):
        test = next(KFold(2, shuffle=True, random_state=seed).split(y))[1]
        lone += (y[test] == 1).sum() != 1
    assert abs(lone / n - 4 / 9) < 4 * math.sqrt(4 / 9 * 5 / 9 / n)
    for seed in range(50):
        for _, test in StratifiedKFold(2, shuffle=True, random_state=seed).split(y, y):
            assert (y[test] == 1).sum() == 1


def test_stratified_folds_always_have_the_rare_class():
    y = [1, 1] + [2] * 8
    for seed in range(20):
        made = cross_predict(DummyClassifier(), np.zeros((10, 1)), y, cv=2, rng=seed)
        assert [int((made.y_true[made.fold == f] == 1).sum()) for f in range(2)] == [1, 1]
