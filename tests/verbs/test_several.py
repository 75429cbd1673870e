"""Several metrics in one answer: each is what it is alone, and those of one model measure the same tables."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics as sklearn_metrics

import ropewalk as rw
from ropewalk.errors import DataError, InvalidInputError, UnknownNameError
from ropewalk.models import draw_psis
from support import without_warnings

pytestmark = pytest.mark.usefixtures("frugal_throughout")

N = 240
DRAWS = 400
LABEL_METRICS = ["f1", "accuracy", "recall", "specificity", "mcc"]


@pytest.fixture(scope="module")
def data():
    """Return labels, predictions and scores of two classifiers, three classes, and clusters."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, N)
    scores = [np.clip(weight * y + (1 - weight) * rng.random(N), 0, 1).round(3) for weight in (0.35, 0.25)]
    three = rng.integers(0, 3, N)
    guesses = [np.where(rng.random(N) < right, three, rng.integers(0, 3, N)) for right in (0.7, 0.6)]
    return {
        "y": y,
        "labels": [(score > 0.5).astype(int) for score in scores],
        "scores": scores,
        "three": three,
        "guesses": guesses,
        "cluster": np.repeat(np.arange(N // 4), 4),
        "topics": [rng.integers(0, 2, (N, 4)) for _ in range(3)],
    }


def without_metrics(answer):
    return {key: value for key, value in answer.to_dict().items() if key != "metrics"}


def assert_each_as_alone(r, alone):
    """Every metric's comparison is the one that `alone(metric)` gives, draw by draw and word by word."""
    for comparison in r.metrics:
        single = alone(comparison.metric)
        assert np.array_equal(single.draws.psi, comparison.draws.psi), comparison.metric
        assert single.to_dict() == without_metrics(comparison), comparison.metric
        assert single.remarks == comparison.remarks


# -- each as alone ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "metrics", "options"),
    [
        ("labels", LABEL_METRICS, {"rope": 0.02}),
        ("labels", LABEL_METRICS, {"model": "unpaired"}),
        ("labels", ["accuracy", "f1"], {"model": "sigir2016", "pos_label": 1, "prob": 0.9, "tests": True}),
        ("labels", ["recall", "f1"], {"prevalence": 0.2}),
        ("labels", LABEL_METRICS, {"cluster": True}),
        ("three", ["macro_f1", "accuracy", "micro_recall", "kappa"], {"rope": 0.02}),
        ("three", ["f1", "accuracy", "recall"], {"pos_label": 2}),
        ("scores", ["roc_auc", "average_precision", "brier", "log_loss"], {"rope": 0.02}),
        ("scores", ["roc_auc", "brier"], {"cluster": True}),
        ("topics", ["micro_f1", "macro_f1"], {}),
    ],
)
def test_each_metric_is_what_it_is_alone(data, kind, metrics, options):
    arrays = {
        "labels": (data["y"], *data["labels"]),
        "three": (data["three"], *data["guesses"]),
        "scores": (data["y"], *data["scores"]),
        "topics": data["topics"],
    }[kind]
    options = {**options, "cluster": data["cluster"] if "cluster" in options else None, "draws": DRAWS, "rng": 1}
    with without_warnings():
        r = rw.compare(*arrays, metric=metrics, **options)
        assert r.metrics[0] is r
        assert [c.metric for c in r.metrics] == metrics
        assert_each_as_alone(r, lambda metric: rw.compare(*arrays, metric=metric, **options))


def test_labels_and_scores_stand_in_one_answer(data):
    options = {"rope": 0.02, "draws": DRAWS, "rng": 1, "cluster": data["cluster"]}
    with without_warnings():
        r = rw.compare(
            data["y"],
            *data["labels"],
            scores=data["scores"],
            metric=["accuracy", "f1", "roc_auc", "average_precision", "brier"],
            **options,
        )

        def alone(metric):
            values = data["labels"] if metric in {"accuracy", "f1"} else data["scores"]
            return rw.compare(data["y"], *values, metric=metric, **options)

        assert_each_as_alone(r, alone)
    assert r.joint == (("accuracy", "f1"), ("roc_auc", "average_precision"), ("brier",))


def test_each_metric_draws_until_its_own_verdict_is_stable(data, monkeypatch):
    monkeypatch.setattr("ropewalk.inference.drawing.LOOKS", (2_000, 4_000, 8_000))
    arrays = (data["y"], *data["labels"])
    edge = rw.compare(*arrays, metric="f1", draws=8_000, rng=1).hdi.low
    rope = {"f1": (edge, 0.9), "accuracy": 0.5}
    r = rw.compare(*arrays, metric=["f1", "accuracy"], rope=rope, rng=1)
    assert [len(c.draws) for c in r.metrics] == [8_000, 2_000]
    for c in r.metrics:
        assert np.array_equal(c.draws.psi, rw.compare(*arrays, metric=c.metric, rope=rope[c.metric], rng=1).draws.psi)


# -- one set of tables ----------------------------------------------------------------------------------------


def test_tables_are_drawn_once_for_all_metrics_of_a_model(data, monkeypatch):
    asked = []

    def draw(posteriors, metrics, *rest, **how):
        asked.append(([metric.name for metric in metrics], how["start"], how["stop"]))
        return draw_psis(posteriors, metrics, *rest, **how)

    monkeypatch.setattr("ropewalk.inference.drawing.draw_psis", draw)
    names = ["f1", "accuracy", "mcc", "kappa", "jaccard", "error", "macro_f1", "weighted_f1"]
    rw.compare(data["y"], *data["labels"], metric=names, model="tree", draws=DRAWS, rng=1)
    assert [metrics for metrics, start, _ in asked if start == 0] == [names]


def test_draws_of_one_model_can_be_combined_draw_by_draw(data):
    """An error is 1 − accuracy, a balanced accuracy the mean of two recalls, in every single draw."""
    metrics = ["accuracy", "error", "recall", "specificity", "balanced_accuracy"]
    r = rw.compare(data["y"], *data["labels"], metric=metrics, model="tree", draws=DRAWS, rng=1)
    accuracy, error, recall, specificity, balanced = (c.draws.psi for c in r.metrics)
    assert error == pytest.approx(1 - accuracy)
    assert balanced == pytest.approx((recall + specificity) / 2)
    assert r.joint == (tuple(metrics),)


def test_by_the_papers_prior_all_metrics_are_joint(data):
    r = rw.compare(
        data["y"], *data["labels"], metric=["f1", "precision", "recall"], model="sigir2016", draws=DRAWS, rng=1
    )
    f1, precision, recall = (c.draws.psi for c in r.metrics)
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall))
    assert r.joint == (("f1", "precision", "recall"),)


@pytest.mark.parametrize(("labels", "options"), [([2, 1], {}), (["2", "1"], {}), ([3, 0], {"pos_label": 0})])
def test_a_positive_class_that_comes_first_is_so_for_all(data, labels, options):
    """Of labels 1 and 2 F1 is about 1, which is last in its table; accuracy measures the same table, and says so."""
    arrays = [np.array(labels)[column] for column in (data["y"], *data["labels"])]
    r = rw.compare(*arrays, metric=["f1", "accuracy"], draws=DRAWS, rng=1, **options)
    assert r.joint == (("f1", "accuracy"),)
    assert r["accuracy"].pos_label == r.pos_label == labels[1]


def test_the_probability_of_being_better_by_all(data):
    r = rw.compare(data["y"], *data["labels"], metric=["accuracy", "error", "f1", "recall"], draws=DRAWS, rng=1)
    assert r.prob_all_better("accuracy") == r.prob_better == r["error"].prob_better
    both = (r.draws.delta() > 0) & (r["f1"].draws.delta() > 0)
    assert r.prob_all_better("accuracy", "error", "f1") == both.mean()
    with pytest.raises(InvalidInputError, match="recall have different priors") as caught:
        r.prob_all_better()
    assert "accuracy, error, f1; recall" in caught.value.hint
    with pytest.raises(KeyError, match="There are: 'accuracy', 'error', 'f1', 'recall'"):
        r.prob_all_better("mcc")


def test_a_prior_of_the_difference_leaves_nothing_to_combine(data):
    prior = rw.models.DeltaPrior(model=rw.models.Tree(), delta=stats.norm(0, 0.3))
    with without_warnings():
        r = rw.compare(data["y"], *data["labels"], metric=["f1", "accuracy"], model=prior, draws=DRAWS, rng=1)
        alone = rw.compare(data["y"], *data["labels"], model=prior, draws=DRAWS, rng=1)
    assert r.joint == (("f1",), ("accuracy",))
    assert np.array_equal(alone.draws.psi, r.draws.psi)
    assert alone.companions == ()


# -- the question ---------------------------------------------------------------------------------------------


def test_ropes_and_improvements_by_metric(data):
    rope = {"error": 0.03, "f1": (-0.02, 0.05)}
    r = rw.compare(data["y"], *data["labels"], metric=["error", "accuracy", "f1"], rope=rope, draws=DRAWS, rng=1)
    error, accuracy, f1 = r.metrics
    assert (error.rope.high, accuracy.rope, tuple(f1.rope)) == (0.03, None, (-0.02, 0.05))
    assert accuracy.decision is None
    assert error.decision is not None
    assert (error.higher_is_better, accuracy.higher_is_better) == (False, True)
    for field in ("mean", "std", "observed", "mc_error"):
        assert getattr(error.improvement, field) == pytest.approx(getattr(accuracy.improvement, field))
    assert error.improvement.hdi.low == -error.hdi.high
    assert error.improvement.mean == -error.mean > 0


def test_a_rope_is_found_by_the_name_given_and_by_the_name_shown(data):
    arrays, beta = (data["y"], *data["labels"]), rw.metrics.fbeta(2)
    for metric, key in (("sensitivity", "sensitivity"), ("recall", "recall"), (beta, "fbeta(2)"), (None, "f1")):
        r = rw.compare(*arrays, metric=metric, rope={key: 0.1}, draws=DRAWS, rng=1)
        assert r.rope.high == 0.1
    e = rw.evaluate(*arrays[:2], metric=["f1", "recall"], at_least=0.5, rope={"recall": 0.1}, draws=DRAWS, rng=1)
    assert (e["f1"].decision, e["recall"].recipe.rope.high) == (None, 0.1)


def test_what_is_about_some_metrics_goes_to_these(data):
    with without_warnings():
        r = rw.compare(
            data["y"],
            *data["labels"],
            scores=data["scores"],
            metric=["accuracy", "cost", "macro_f1", "brier", "mean"],
            cost_matrix=[[0, 1], [5, 0]],
            scale=(0, 1),
            classes=[1],
            model="sigir2016",
            draws=DRAWS,
            rng=1,
        )
    assert r["cost"].recipe.metric.cost == ((0.0, 1.0), (5.0, 0.0))
    assert r["macro_f1"].recipe.metric.classes == (1,)
    assert r["mean"].recipe.model.ends == (0.0, 1.0)
    assert [c.recipe.model.name for c in r.metrics] == ["sigir2016"] * 3 + ["scores"] * 2


def test_objects_and_functions_are_metrics_too(data):
    def hits(margins):
        return margins.tp[..., -1] / margins.total[..., 0]

    r = rw.compare(data["y"], *data["labels"], metric=[rw.metrics.fbeta(2), hits, "accuracy"], draws=DRAWS, rng=1)
    assert [c.metric for c in r.metrics] == ["fbeta(2)", "hits", "accuracy"]
    truth, said = data["y"], data["labels"][0]
    assert r["hits"].estimate_a.observed == pytest.approx(np.mean((truth == 1) & (said == 1)))
    assert r.estimate_a.observed == pytest.approx(sklearn_metrics.fbeta_score(truth, said, beta=2))


def test_the_json_has_one_object_per_metric(data):
    arrays = (data["y"], *data["labels"])
    r = rw.compare(*arrays, metric=["f1", "error"], rope=0.1, draws=DRAWS, rng=1)
    told = json.loads(r.to_json())
    assert [one["metric"] for one in told["metrics"]] == ["f1", "error"]
    assert told["metrics"][0] == {key: value for key, value in told.items() if key != "metrics"}
    assert [one["higher_is_better"] for one in told["metrics"]] == [True, False]
    assert not any("metrics" in one for one in told["metrics"])
    for metric in ("f1", ["f1"]):
        alone = rw.compare(*arrays, metric=metric, rope=0.1, draws=DRAWS, rng=1)
        assert alone.to_dict() == told["metrics"][0]
        assert alone.metrics == (alone,)
    assert told["metrics"][1]["recipe"]["tables"] == told["recipe"]["tables"]


WRONG = [
    (["f1", "f1"], {}, InvalidInputError, "'f1' is named twice"),
    (["recall", "sensitivity"], {}, InvalidInputError, "name each metric once"),
    ([lambda m: m.tp[..., -1], lambda m: m.tp[..., 0]], {}, InvalidInputError, "Two metrics are called '<lambda>'"),
    ([], {}, InvalidInputError, "empty list"),
    (["f1", "accurac_y"], {}, UnknownNameError, "accurac_y"),
    (["f1", None, 3], {}, UnknownNameError, "must be a name"),
    ({"f1", "accuracy"}, {}, UnknownNameError, "must be a name"),
    (["f1", "roc_auc"], {}, InvalidInputError, "These are labels, and 'roc_auc' is about scores"),
    (["f1", "accuracy"], {"rope": {"f2": 0.1}}, InvalidInputError, "'f2', which is none of the metrics: f1, accuracy"),
    (["f1", "accuracy"], {"rope": {"f1": 0}}, InvalidInputError, "must not be 0"),
    (["f1", "accuracy"], {"rope": {"f1": 5}}, InvalidInputError, "reaches to -5"),
    (["f1", "accuracy"], {"classes": [1]}, InvalidInputError, "picks the classes of an average"),
    (["f1", "accuracy"], {"scale": (0, 1)}, InvalidInputError, "about scores, and these are labels"),
    (["f1", "accuracy"], {"cost_matrix": [[0, 1], [1, 0]]}, InvalidInputError, "goes with the metric `cost`"),
    (["f1", "accuracy"], {"scores": "ab"}, InvalidInputError, "no metric is about scores"),
    (["f1", "roc_auc"], {"scores": "ab"}, InvalidInputError, "must be a pair"),
    (["f1", "roc_auc"], {"scores": (np.zeros(3), np.zeros(3))}, DataError, "same length"),
    (["f1", "roc_auc"], {"scores": (np.zeros(N),)}, InvalidInputError, "must be a pair"),
    (["f1", "roc_auc"], {"a_scores": "x"}, InvalidInputError, "two columns"),
    (["f1", "roc_auc"], {"a_scores": "x", "b_scores": "z"}, InvalidInputError, "columns of a file"),
    (["f1", "roc_auc"], {"a_scores": "x", "scores": "ab"}, InvalidInputError, "given twice"),
]  # fmt: skip


@pytest.mark.parametrize(("metric", "options", "error", "match"), WRONG)
def test_a_wrong_call_says_what_is_wrong(data, metric, options, error, match):
    with pytest.raises(error) as caught:
        rw.compare(data["y"], *data["labels"], metric=metric, draws=DRAWS, rng=1, **options)
    assert match in f"{caught.value} {caught.value.hint}"


def test_where_only_scores_are_given_the_labels_are_missed(data):
    with pytest.raises(InvalidInputError, match="These are scores, and 'f1' is about labels") as caught:
        rw.compare(data["y"], *data["scores"], metric=["roc_auc", "f1"])
    assert "scores=(score_a, score_b)" in caught.value.hint
    for verb in (rw.rank, rw.evaluate):
        with pytest.raises(InvalidInputError, match=r"labels|metric"):
            verb(data["y"], data["scores"][0], metric=["roc_auc", "f1"])


def test_classes_are_compared_by_one_metric(data):
    arrays = (data["three"], *data["guesses"])
    with pytest.raises(InvalidInputError, match="by one metric"):
        rw.compare_classes(*arrays, metric=["f1", "recall"])
    table = rw.compare_classes(*arrays, metric=["recall"], draws=DRAWS, rng=1)
    assert [c.metric for c in table] == ["recall"] * 3
    assert not any(c.companions for c in table)


# -- labels and scores of the same items ----------------------------------------------------------------------


def test_scores_come_in_every_form(data):
    pandas = pytest.importorskip("pandas")
    columns = {
        "y": data["y"],
        "new": data["labels"][0],
        "old": data["labels"][1],
        "p": data["scores"][0],
        "q": data["scores"][1],
    }
    frame = pandas.DataFrame(columns)
    items = rw.ItemScores.from_arrays(data["y"], *data["scores"])
    options = {"metric": ["f1", "brier"], "draws": DRAWS, "rng": 1}
    arrays = (frame.y, frame.new, frame.old)
    answers = [
        rw.compare(*arrays, names=["new", "old"], scores=(frame.p, frame.q), **options),
        rw.compare(*arrays, names=["new", "old"], scores={"new": frame.p, "old": frame.q}, **options),
        rw.compare(*arrays, names=["new", "old"], scores=items, **options),
        rw.compare(frame, truth="y", a="new", b="old", a_scores="p", b_scores="q", **options),
        rw.compare(frame, truth="y", a="new", b="old", a_scores="p", b_scores="q", missing="drop", **options),
    ]
    for answer in answers:
        assert [(c.metric, c.a, c.b) for c in answer.metrics] == [("f1", "new", "old"), ("brier", "new", "old")]
        assert answer.to_dict() == answers[0].to_dict()
        assert np.array_equal(answer["brier"].draws.psi, answers[0]["brier"].draws.psi)


@pytest.mark.parametrize("form", [dict, "pandas", "polars"])
def test_scores_with_names_go_to_the_classifiers_of_these_names(data, form):
    make = form if form is dict else pytest.importorskip(form).DataFrame
    options = {"metric": ["accuracy", "roc_auc"], "draws": DRAWS, "rng": 1}
    first, second = data["scores"]
    swapped = make({"old": second, "new": first})
    r = rw.compare(data["y"], *data["labels"], names=["new", "old"], scores=swapped, **options)
    wanted = [sklearn_metrics.roc_auc_score(data["y"], scores) for scores in data["scores"]]
    assert [r["roc_auc"].estimate_a.observed, r["roc_auc"].estimate_b.observed] == pytest.approx(wanted)
    unnamed = rw.compare(data["y"], *data["labels"], scores=make({"new": first, "old": second}), **options)
    assert unnamed.to_dict() == r.to_dict()
    with pytest.raises(InvalidInputError, match="scores` are of 'old', 'new', and the classifiers are called 'x', 'y'"):
        rw.compare(data["y"], *data["labels"], names=["x", "y"], scores=swapped, **options)


@pytest.mark.parametrize("form", ["arrays", "frame", "file"])
def test_an_item_that_lacks_a_label_or_a_score_is_dropped_from_both(data, form, tmp_path):
    pandas = pytest.importorskip("pandas")
    label = np.array(["ham", "spam"], dtype=object)
    columns = {"y": label[data["y"]], "new": label[data["labels"][0]], "old": label[data["labels"][1]]}
    columns |= {"p": data["scores"][0].copy(), "q": data["scores"][1].copy(), "g": data["cluster"]}
    columns["y"][3] = columns["old"][9] = None
    columns["p"][[9, 17]] = np.nan
    frame = pandas.DataFrame(columns)
    options = {"pos_label": "spam", "metric": ["f1", "brier"], "draws": DRAWS, "rng": 1}

    def ask(frame, **how):
        if form == "arrays":
            return rw.compare(
                frame.y,
                frame.new,
                frame.old,
                names=["new", "old"],
                scores=(frame.p, frame.q),
                cluster=frame.g,
                **how,
                **options,
            )
        source = frame
        if form == "file":
            source = tmp_path / "items.csv"
            frame.to_csv(source, index=False)
        return rw.compare(
            source, truth="y", a="new", b="old", a_scores="p", b_scores="q", cluster="g", **how, **options
        )

    with without_warnings():
        dropped, complete = ask(frame, missing="drop"), ask(frame.drop([3, 9, 17]).reset_index(drop=True))
        with pytest.raises(DataError, match=r"null|missing|finite|label"):
            ask(frame)
    for one, two in zip(dropped.metrics, complete.metrics, strict=True):
        assert one.recipe.n_items == two.recipe.n_items == N - 3
        assert np.array_equal(one.draws.psi, two.draws.psi)
        assert one.recipe.data_hash == two.recipe.data_hash
        assert "3 items left out" in " ".join(one.notes)


def test_scores_of_other_items_are_refused(data):
    few = rw.ItemScores.from_arrays(data["y"][:-1], *(score[:-1] for score in data["scores"]))
    three = rw.ItemScores.from_arrays(data["y"], *data["scores"], data["scores"][0])
    for items, match in ((few, "scores of 239 items, and labels of 240"), (three, "scores of 3 classifiers")):
        with pytest.raises((DataError, InvalidInputError), match=match):
            rw.compare(data["y"], *data["labels"], scores=items, metric=["f1", "brier"])
    tables = [rw.Outcomes.from_arrays(data["y"], labels) for labels in data["labels"]]
    with pytest.raises(InvalidInputError, match="separate tables"):
        rw.compare(*tables, scores=few, metric=["f1", "brier"])


# -- companions -----------------------------------------------------------------------------------------------


def test_the_usual_metrics_stand_beside_one_of_two_labels(data):
    truth, (a, b) = data["y"], data["labels"]
    r = rw.compare(truth, a, b, rope=0.02, rng=1)
    measures = {
        "accuracy": sklearn_metrics.accuracy_score,
        "precision": sklearn_metrics.precision_score,
        "recall": sklearn_metrics.recall_score,
    }
    assert [c.metric for c in r.companions] == [*measures]
    assert "companions" not in r.to_dict()
    assert "metrics" not in r.to_dict()
    for c in r.companions:
        assert (c.observed_a, c.observed_b) == pytest.approx([measures[c.metric](truth, said) for said in (a, b)])
        alone = rw.compare(truth, a, b, metric=c.metric, rng=1)
        error = alone.std / np.sqrt(c.n_draws)
        assert abs(c.improvement.mean - alone.improvement.mean) < 5 * error
        assert abs(c.prob_better - alone.prob_better) < 5 * 0.5 / np.sqrt(c.n_draws)
        assert c.improvement.std == pytest.approx(alone.std, rel=5 / np.sqrt(2 * c.n_draws))
    assert r.to_dict() == rw.compare(truth, a, b, metric=["f1"], rope=0.02, rng=1).to_dict()


def test_companions_leave_out_what_was_asked_and_what_makes_no_sense(data):
    def names(*arrays, **options):
        with without_warnings():
            return [c.metric for c in rw.compare(*arrays, draws=DRAWS, rng=1, **options).companions]

    two, three = (data["y"], *data["labels"]), (data["three"], *data["guesses"])
    texts = [np.array(["ham", "spam"])[column] for column in two]
    assert names(*two, metric="recall") == names(*two, metric="sensitivity") == ["accuracy", "precision"]
    assert names(*two, metric="error", prevalence=0.1) == ["accuracy", "precision", "recall"]
    assert names(*three, pos_label=2) == ["accuracy", "precision", "recall"]
    assert names(*texts, metric="mcc") == ["accuracy"]  # neither is positive
    assert names(*two, model="unpaired") == ["accuracy", "precision", "recall"]
    assert names(*two, cluster=data["cluster"]) == ["accuracy", "precision", "recall"]
    assert names(*three) == names(*three, metric="accuracy") == []
    assert names(data["y"], *data["scores"], metric="brier") == names(*data["topics"], metric="micro_f1") == []
    assert names(*two, metric=["f1", "mcc"]) == []
