"""Probabilities where labels are needed, and the names that columns give to classifiers."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
from support import need, without_warnings

pytestmark = pytest.mark.usefixtures("frugal_throughout")


@pytest.fixture(scope="module")
def fitted():
    """Two estimators of three classes whose labels are not in the order of the alphabet."""
    datasets, linear, bayes = (
        need(f"sklearn.{name}") for name in ("datasets", "linear_model", "naive_bayes")
    )  # fmt: skip
    x, y = datasets.load_iris(return_X_y=True)
    x, y = x[:, :2], np.array(["setosa", "alba", "rosea"])[y]
    models = linear.LogisticRegression(max_iter=100), bayes.GaussianNB()
    return x[1::2], y[1::2], *(model.fit(x[::2], y[::2]) for model in models)


@pytest.fixture
def cut(rng):
    """A truth of 0 and 1, and the probabilities of two classifiers."""
    y = rng.integers(0, 2, 200)
    p, q = (np.clip(0.5 + (y - 0.5) * strength + rng.normal(0, 0.3, 200), 0.001, 0.999) for strength in (0.6, 0.4))
    return y, p, q


@pytest.mark.parametrize("form", [np.asarray, lambda p: p[:, None]], ids=["vector", "one column"])
@pytest.mark.parametrize("threshold", [0.3, 0.5])
def test_a_threshold_makes_labels_as_scikit_learn_would(cut, threshold, form):
    m = need("sklearn.metrics")
    y, p, q = cut
    r = rw.compare(y, form(p), form(q), threshold=threshold, draws=100, rng=0)
    assert r.metric == "f1"
    for estimate, scores in ((r.estimate_a, p), (r.estimate_b, q)):
        assert estimate.observed == pytest.approx(m.f1_score(y, scores >= threshold), abs=1e-12)
    same = rw.compare(y, (p >= threshold).astype(int), (q >= threshold).astype(int), draws=100, rng=0)
    assert r.to_dict() == same.to_dict()


def test_labels_beside_probabilities_stay_as_they_are(cut):
    y, p, q = cut
    labels = (q >= 0.4).astype(int)
    r = rw.compare(y, p, labels, metric="accuracy", threshold=0.5, draws=100, rng=0)
    assert r.estimate_b.observed == pytest.approx((labels == y).mean())
    assert rw.evaluate(y, p, metric=["f1", "recall"], threshold=0.5, draws=100, rng=0)["recall"].estimate.observed == (
        pytest.approx((p[y == 1] >= 0.5).mean())
    )


def test_texts_need_to_know_what_high_probabilities_mean(cut):
    y, p, q = cut
    texts = np.array(["spam", "ham"])[y]
    with pytest.raises(rw.errors.PosLabelError, match="name it as pos_label="):
        rw.compare(texts, p, q, metric="accuracy", threshold=0.5)
    r = rw.compare(texts, p, q, metric="accuracy", threshold=0.5, pos_label="ham", draws=100, rng=0)
    assert r.estimate_a.observed == pytest.approx(((p >= 0.5) == y).mean())


def test_a_matrix_says_the_most_probable_class(fitted):
    m = need("sklearn.metrics")
    x, y, *models = fitted
    p, q = (model.predict_proba(x) for model in models)
    r = rw.compare(y, p, q, classes=models[0].classes_, metric="macro_f1", draws=100, rng=0)
    for estimate, model in ((r.estimate_a, models[0]), (r.estimate_b, models[1])):
        assert estimate.observed == pytest.approx(m.f1_score(y, model.predict(x), average="macro"), abs=1e-12)
    assert rw.compare(y, p, q, metric="macro_f1", draws=100, rng=0).to_dict() == r.to_dict()
    turned = [2, 0, 1]
    shuffled = rw.compare(
        y, p[:, turned], q[:, turned], classes=models[0].classes_[turned], metric="macro_f1", draws=100, rng=0
    )  # fmt: skip
    assert shuffled.to_dict() == r.to_dict()
    frame = need("pandas").DataFrame(p[:, turned], columns=models[0].classes_[turned])
    assert rw.compare(y, frame, q, metric="macro_f1", draws=100, rng=0).to_dict() == r.to_dict()
    assert rw.rank(y, {"A": p, "B": q}, metric="macro_f1", draws=100, rng=0)["A"].estimate.observed == (
        r.estimate_a.observed
    )


def test_the_columns_of_a_matrix_of_scores_have_names_too(fitted):
    m = need("sklearn.metrics")
    x, y, *models = fitted
    p, q = (model.predict_proba(x) for model in models)
    turned = [2, 0, 1]
    classes = models[0].classes_[turned]
    with without_warnings():
        r = rw.compare(y, p[:, turned], q[:, turned], classes=classes, metric="log_loss", draws=100, rng=0)
    assert r.estimate_a.observed == pytest.approx(m.log_loss(y, p, labels=models[0].classes_), abs=1e-12)
    two = y == "alba"
    columns = p[:, [1, 0]], q[:, [1, 0]]
    with without_warnings():
        r = rw.compare(two, *columns, classes=[False, True], metric="roc_auc", draws=100, rng=0)
    assert r.estimate_a.observed == pytest.approx(m.roc_auc_score(two, p[:, 0]), abs=1e-12)


@pytest.fixture(params=["pandas", "polars", "pyarrow"])
def as_frame(request):
    """Makes a dataframe of a matrix and the names of its columns."""
    library = need(request.param)
    if request.param == "pyarrow":
        return lambda matrix, names: library.table({name: matrix[:, i] for i, name in enumerate(names)})
    keyword = {"pandas": "columns", "polars": "schema"}[request.param]
    return lambda matrix, names: library.DataFrame(matrix, **{keyword: list(names)})


@pytest.mark.parametrize("metric", ["accuracy", "log_loss", "brier", "macro_roc_auc"])
def test_the_columns_of_a_dataframe_are_found_by_their_names(rng, as_frame, metric):
    """Those of A are in another order than the labels; those of B are an array, in theirs."""
    y = np.array(list("abc"))[rng.integers(3, size=120)]
    a, b = (rng.dirichlet(np.where(np.array(list("abc")) == y[:, None], 2.0, 1.0)[0], size=120) for _ in range(2))
    options = {"metric": metric, "draws": 50, "rng": 0}
    wanted = rw.compare(y, a, b, **options)
    assert rw.compare(y, as_frame(a[:, [2, 0, 1]], "cab"), b, **options).to_dict() == wanted.to_dict()
    assert rw.evaluate(y, as_frame(a[:, [2, 0, 1]], "cab"), **options).metrics[0].estimate.observed == (
        pytest.approx(wanted.estimate_a.observed)
    )


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_a_dataframe_has_columns_of_classes_that_no_item_is_of(rng, as_frame, metric):
    y, names = rng.integers(3, size=120), "3201"
    a, b = (rng.dirichlet(np.ones(4), size=120) for _ in range(2))
    order = [int(name) for name in names]
    options = {"metric": metric, "draws": 50, "rng": 0}
    wanted = rw.compare(y, a, b, classes=[0, 1, 2, 3], **options)
    assert rw.compare(y, as_frame(a[:, order], names), b, **options, labels=range(4)).to_dict() == wanted.to_dict()
    given = rw.compare(y, as_frame(a[:, order], names), as_frame(b, "0123"), **options)
    assert given.delta.observed == pytest.approx(wanted.delta.observed)


@pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
def test_columns_that_are_called_otherwise_are_refused_where_some_are_not(rng, as_frame, metric):
    y = np.array(list("abc"))[rng.integers(3, size=60)]
    matrix = as_frame(rng.dirichlet(np.ones(3), size=60), "abx")
    with pytest.raises(rw.errors.LengthMismatchError, match=r"(?s)no column of 'c'.*classes="):
        rw.compare(y, matrix, matrix, metric=metric)


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_numbered_columns_are_those_of_the_labels(rng):
    pandas = need("pandas")
    y = rng.integers(1, 4, size=60)
    a, b = (rng.dirichlet(np.ones(3), size=60) for _ in range(2))
    options = {"metric": "log_loss", "draws": 50, "rng": 0}
    numbered = rw.compare(y, pandas.DataFrame(a), pandas.DataFrame(b), **options)
    assert numbered.delta.observed == rw.compare(y, a, b, **options).delta.observed


def test_probabilities_of_any_number_of_labels_are_cut_too(rng, as_frame):
    m, sparse = need("sklearn.metrics"), need("scipy.sparse")
    y = rng.integers(2, size=(100, 3))
    a, b = (np.clip(y * 0.3 + rng.random((100, 3)) * 0.7, 0, 1) for _ in range(2))
    options = {"metric": "macro_f1", "threshold": 0.5, "draws": 50, "rng": 0}
    wanted = m.f1_score(y, a >= 0.5, average="macro"), m.f1_score(y, b >= 0.5, average="macro")
    matrices = (y, a, b), (sparse.csr_array(y), sparse.csc_array(a), b)
    frames = as_frame(y, "tuv"), as_frame(a[:, [2, 1, 0]], "vut"), as_frame(b, "tuv")
    for data in (*matrices, frames):
        r = rw.compare(*data, **options)
        assert (r.estimate_a.observed, r.estimate_b.observed) == pytest.approx(wanted)
    with pytest.raises(rw.errors.InvalidInputError, match="these are labels"):
        rw.compare(y, y, 1 - y, **options)
    with pytest.raises(rw.errors.LabelTypeError, match=r"threshold=0\.5"):
        rw.compare(y, a, b, metric="macro_f1")


# -- labels and scores of one vector ------------------------------------------------------------------------


def test_probabilities_answer_metrics_of_labels_and_of_scores(cut):
    y, p, q = cut
    options = {"metric": ["accuracy", "roc_auc", "brier"], "rope": 0.01, "draws": 100, "rng": 0}
    wanted = rw.compare(y, (p >= 0.5).astype(int), (q >= 0.5).astype(int), scores=(p, q), **options).to_dict()
    assert rw.compare(y, p, q, threshold=0.5, **options).to_dict() == wanted
    matrices = [np.stack([x, 1 - x], axis=1) for x in (p, q)]
    assert rw.compare(y, *matrices, classes=[1, 0], **options).headline == wanted["headline"]
    named = rw.compare(y, {"new": p, "old": q}, threshold=0.5, **options)
    assert (named.a, named.metrics[1].a) == ("new", "new")
    with pytest.raises(rw.errors.InvalidInputError, match="threshold= makes labels of probabilities"):
        rw.compare(y, p, q, **options)


def test_a_table_of_probabilities_has_slices(cut):
    pandas = need("pandas")
    y, p, q = cut
    frame = pandas.DataFrame({"y": y, "p": p, "q": q, "where": np.arange(200) % 4})
    r = rw.compare(
        frame, truth="y", a="p", b="q", metric=["accuracy", "roc_auc"], threshold=0.5, by="where", draws=100, rng=0
    )
    assert r.by.column == "where"
    assert sum(len(s.comparison.items()) for s in r.by) == len(r.items()) == ((p >= 0.5) != (q >= 0.5)).sum()
    for s in r.by:
        here = np.arange(200) % 4 == s.value
        assert s.comparison.estimate_a.observed == pytest.approx(((p >= 0.5) == y)[here].mean())


def test_fewer_classes_than_columns_pick_those_of_an_average(fitted):
    m = need("sklearn.metrics")
    x, y, *models = fitted
    p, q = (model.predict_proba(x) for model in models)
    r = rw.compare(y, p, q, classes=["alba", "rosea"], metric="macro_f1", draws=100, rng=0)
    expected = m.f1_score(y, models[0].predict(x), average="macro", labels=["alba", "rosea"])
    assert r.estimate_a.observed == pytest.approx(expected, abs=1e-12)


def test_of_two_columns_a_threshold_decides(cut):
    y, p, q = cut
    two = np.stack([1 - p, p], axis=1)
    r = rw.compare(y, two, q, metric="accuracy", threshold=0.4, draws=100, rng=0)
    assert r.estimate_a.observed == pytest.approx(((p >= 0.4) == y).mean())
    r = rw.compare(y, two, q, metric="accuracy", threshold=0.4, pos_label=0, draws=100, rng=0)
    assert r.estimate_a.observed == pytest.approx(((1 - p >= 0.4) == (y == 0)).mean())


def test_columns_of_a_frame_and_of_a_file_are_cut_too(cut, tmp_path, write):
    y, p, q = cut
    expected = rw.compare(y, p, q, names=["p", "q"], threshold=0.4, draws=100, rng=0)
    frame = need("polars").DataFrame({"y": y, "p": p, "q": q})
    r = rw.compare(frame, truth="y", a="p", b="q", metric="f1", threshold=0.4, draws=100, rng=0)
    assert r.to_dict() == expected.to_dict()
    path = write(tmp_path / "p.csv", [("y", "p", "q"), *zip(y, p, q, strict=True)])
    r = rw.compare(path, truth="y", a="p", b="q", metric="f1", threshold=0.4, draws=100, rng=0)
    assert np.array_equal(r.draws.psi, expected.draws.psi)


@pytest.mark.parametrize(
    ("change", "options", "match"),
    [
        (lambda y, p, q: (y, p, q), {"metric": "f1"}, "threshold=0.5 makes labels of them"),
        (lambda y, p, q: (y, p, q), {"threshold": "half"}, "`threshold` must be a finite number"),
        (lambda y, p, q: (np.arange(200) % 3, p, q), {"threshold": 0.5}, "there are 3 labels"),
        (lambda y, p, q: (y, y, 1 - y), {"threshold": 0.5}, "`threshold` is about scores"),
        (lambda y, p, q: (rw.Outcomes.from_arrays(y, y, y),), {"threshold": 0.5}, "`threshold` is about scores"),
        (lambda y, p, q: (y, np.stack([p, p, p], 1), q), {"metric": "accuracy"}, "have 3 columns"),
        (
            lambda y, p, q: (np.arange(200) % 3, np.stack([p, p, p], 1), np.stack([q, q, q], 1)),
            {"metric": "accuracy", "threshold": 0.5},
            "`threshold` is about two classes",
        ),
        (lambda y, p, q: (y, np.r_[np.nan, p[1:]], q), {"threshold": 0.5}, "must be finite"),
    ],
)
def test_what_cannot_become_labels(cut, change, options, match):
    with pytest.raises(rw.errors.InvalidInputError, match=match):
        rw.compare(*change(*cut), **options)


# -- names -------------------------------------------------------------------------------------------------


@pytest.fixture(params=["pandas", "polars"])
def frame(request, cut):
    y, p, q = cut
    columns = {"y": y, "new": (p > 0.5).astype(int), "old": (q > 0.5).astype(int), "third": (q > 0.3).astype(int)}
    return need(request.param).DataFrame(columns)


def test_columns_name_the_classifiers(frame):
    r = rw.compare(frame["y"], frame["new"], frame["old"], draws=100, rng=0)
    assert (r.a, r.b) == ("new", "old")
    assert rw.evaluate(frame["y"], frame["new"], draws=100, rng=0).name == "new"
    assert rw.rank(frame["y"], frame["new"], frame["old"], draws=100, rng=0).recipe.names == ("new", "old")
    assert rw.compare(frame["y"], frame["new"], frame["old"], names=["x", "z"], draws=100, rng=0).b == "z"


def test_a_frame_of_predictions_is_ranked_by_its_columns(frame):
    predictions = frame[["new", "old", "third"]]
    assert rw.rank(frame["y"], predictions, draws=100, rng=0).recipe.names == ("new", "old", "third")
    assert rw.rank(frame["y"], predictions, names=["x", "z", "w"], draws=100, rng=0).recipe.names == ("x", "z", "w")
    assert rw.compare(frame["y"], frame[["new", "old"]], draws=100, rng=0).a == "new"


def test_a_name_that_several_have_names_none(frame):
    r = rw.compare(frame["y"], frame["new"], frame["new"], draws=100, rng=0)
    assert (r.a, r.b) == ("A", "B")
    r = rw.compare(frame["y"], frame["y"], frame["new"], draws=100, rng=0)
    assert (r.a, r.b) == ("A", "new")
    r = rw.compare(frame["y"].to_numpy(), frame["new"], frame["old"].to_numpy(), draws=100, rng=0)
    assert (r.a, r.b) == ("new", "B")


def test_a_name_is_not_the_letter_of_another_one(cut):
    """A series that is called B comes first, beside an array without a name."""
    pandas = need("pandas")
    y, p, q = cut
    first = pandas.Series((p > 0.5).astype(int), name="B")
    r = rw.compare(y, first, (q > 0.5).astype(int), metric="accuracy", draws=100, rng=0)
    assert (r.a, r.b) == ("B", "A")
    assert r.estimate_a.observed == pytest.approx((first == y).mean())


@pytest.mark.parametrize(
    ("asked", "match"),
    [
        ({"truth": 0, "a": 1, "b": 2}, "renamed first"),
        ({"truth": "0", "a": "1", "b": "2"}, "a column 0, whose name is no text"),
    ],
)
def test_columns_without_a_text_for_a_name_are_pointed_at(cut, asked, match):
    pandas = need("pandas")
    frame = pandas.DataFrame(np.stack([x > 0.5 for x in cut], axis=1).astype(int))
    with pytest.raises(rw.errors.InvalidInputError, match=match):
        rw.compare(frame, **asked)


def test_every_column_that_fits_is_suggested(cut):
    y, p, _ = cut
    table = need("pandas").DataFrame({"y": y, "new_proba": p, "new_model": y, "old_model": y})
    with pytest.raises(rw.errors.ColumnNotFoundError, match="did you mean 'new_proba' or 'new_model'"):
        rw.compare(table, truth="y", a="new", b="old_model")


def test_rows_of_unequal_length_are_no_matrix():
    with pytest.raises(rw.errors.LabelTypeError, match="no matrix"):
        rw.compare([1, 0, 1], [[0.2, 0.8], [0.7], [0.4, 0.6]], [1, 0, 1])
