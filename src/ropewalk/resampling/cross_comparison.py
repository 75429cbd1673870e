"""Compare two classifiers by cross-validation: train, test, compare, and say what the folds and repeats show."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_draws, check_prob, check_seed, check_threads, checked_keywords, choose
from ropewalk.classical.resampled import corrected_t
from ropewalk.data.labels import find_label, usual_positive
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.tally import check_names
from ropewalk.draws.decision import parse_rope
from ropewalk.errors import DataError, InvalidInputError, PosLabelError, RopewalkWarning
from ropewalk.inference.question import (
    RULES,
    Question,
    check_reach,
    check_score_options,
    default_model,
    select,
    write_recipe,
)
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.scores import parse_score_metric
from ropewalk.resampling.splits import Labelled, as_labelled, called, check_estimator
from ropewalk.resampling.training import choose_method, cross_predict
from ropewalk.results import Comparison, Evaluation
from ropewalk.results.classical import ClassicalTest
from ropewalk.results.options import CrossOptions
from ropewalk.results.resampled import CrossComparison, CrossPredictions, is_of_scores
from ropewalk.text.names import count_of, shorten
from ropewalk.text.remarks import issue, note
from ropewalk.typing import FloatArray
from ropewalk.verbs.comparison import compare
from ropewalk.verbs.evaluation import evaluate

_BINARY: Final = 2
_WHICH: Final = ("metric", "classes", "pos_label", "cost_matrix", "prevalence")
_TRAINING: Final = (
    "The interval is about items like these, for classifiers trained on sets like these: it leaves out the variance of "
    "training, what another training set would change."
)
_REPEATS: Final = (
    "The spread over repeats shows how much the division into folds matters. All repeats share the same items, so it "
    "too understates what other data would change."
)
_ONCE: Final = (
    "Each item was tested once, so how much the division into folds matters is not known: n_repeats=10 shows it."
)
_RAGGED: Final = "Repeats test different items, so their scores are not set side by side."
_ONE_BY_ONE: Final = (
    "Leaving out one item at a time shifts the classifier a little away from that item, which biases an area over all "
    "of them: use folds."
)
_ONE_SCALE: Final = (
    "{} is of the scores of all folds together: it takes those of classifiers from different folds to be on one scale."
)


@checked_keywords
def cross_compare(
    estimator_a: Any,
    estimator_b: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    n_repeats: int = 1,
    stratify: bool = True,
    groups: Any = None,
    n_jobs: int = 1,
    **options: Unpack[CrossOptions],
) -> CrossComparison:
    """Compare two classifiers by cross-validation: train and test both on the same folds, and compare their answers.

    The comparison is paired, item by item. Where items repeat, an item with all of its repeats is one unit, and so is a
    group where `groups` are given: more repeats do not make more items. Beside the posterior stand the differences of
    the repeats and of the folds, and Nadeau and Bengio's corrected t test of the latter.

    Parameters
    ----------
    estimator_a, estimator_b
        Two classifiers as in scikit-learn; they are cloned, and stay unfitted. `GridSearchCV` and the like choose
        hyper-parameters inside the folds.
    X, y, cv, n_repeats, stratify, groups, progress, n_jobs
        As in `resampling.cross_predict`.
    names
        Names for the two; by default those of their classes, or of a pipeline's last step, unless both are the same.
    pos_label, rng, random_state, **options
        As in `compare`: `metric`, `rope`, `prob`, `rule`, `model`, `draws` and so on. A metric of scores, such as
        ``"roc_auc"``, uses the probabilities of the classifiers, or their decision function where that will do.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> stump = DecisionTreeClassifier(max_depth=1, random_state=0)
    >>> said = {"metric": "accuracy", "rope": 0.01, "draws": 5000}
    >>> r = rw.cross_compare(GaussianNB(), stump, X, y, cv=5, n_repeats=2, rng=0, **said)
    >>> print(r.decision.text)
    GaussianNB is better than DecisionTreeClassifier by a margin that matters (ROPE ±0.01)
    >>> r.repeat_differences.size, r.fold_differences.size
    (2, 10)
    """
    seed = check_seed(options.get("rng"), options.get("random_state"))
    names = _names(options.get("names"), estimator_a, estimator_b)
    both = dict(zip(names, (estimator_a, estimator_b), strict=True))
    for name, estimator in both.items():
        check_estimator(name, estimator)
    own = ("names", "rng", "random_state", "progress")
    said: dict[str, Any] = {"pos_label": None} | {key: value for key, value in options.items() if key not in own}
    pos_label = said["pos_label"]
    of_scores = is_of_scores(options.get("metric"))
    data = as_labelled(X, y)
    check_threads(said.get("threads", 1))
    # Everything that can be wrong with the question is said before hours of training.
    if of_scores:
        _check_scores(data, both, said)
    else:
        clustered = groups is not None or n_repeats != 1
        _check_labels(data, tuple(both), said, clustered=clustered)
    made = cross_predict(
        both, X, y, cv=cv, n_repeats=n_repeats, stratify=stratify, groups=groups, rng=seed,
        progress=options.get("progress"), n_jobs=n_jobs, method="scores" if of_scores else "predict",
        pos_label=pos_label if len(data.labels) == _BINARY else None,
    )  # fmt: skip
    with warnings.catch_warnings():  # issued below, to point at the line that called
        warnings.simplefilter("ignore", RopewalkWarning)
        comparison = compare_predictions(made, *both, rng=seed, **said)
    result = _beside(comparison, made, {key: said[key] for key in _WHICH if key in said})
    issue(result.remarks)
    return result


def compare_predictions(made: CrossPredictions, a: str | None = None, b: str | None = None, **said: Any) -> Comparison:
    """Compare two classifiers of cross-validated predictions; see `CrossPredictions.compare`."""
    first, second = _pair(made, a, b)
    if said.get("random_state") is None:
        said.setdefault("rng", made.seed)
    if is_of_scores(said.get("metric")):
        scores, told = made.scores_of(said.get("pos_label")), _of_scores(made, said)
        # DeLong's test takes items as independent, and those of a fold share a classifier.
        told.setdefault("tests", made.n_folds == 1)
        found = compare(made.y_true, scores[first], scores[second], names=(first, second), **told)
    else:
        found = compare(made.outcomes, a=first, b=second, **said)
    repeated = made.group is None and made.n_repeats > 1
    # Of repeats the predictions were counted, and not the items: how many more of these is another question.
    more = None if repeated else found.more
    return replace(found, recipe=replace(found.recipe, repeated=repeated), more=more)


def evaluate_predictions(made: CrossPredictions, name: str | None = None, **said: Any) -> Evaluation:
    """Evaluate one classifier of cross-validated predictions; see `CrossPredictions.evaluate`."""
    if name is None:
        if len(made.names) > 1:
            raise InvalidInputError(f"Name one of {', '.join(made.names)}.")
        name = made.names[0]
    made.position(name)
    if said.get("random_state") is None:
        said.setdefault("rng", made.seed)
    asked = said.get("metric")
    metrics = asked if isinstance(asked, list | tuple) else [asked]
    if not any(is_of_scores(metric) for metric in metrics):
        return evaluate(made.outcomes, name, **said)
    scores, told = made.scores_of(said.get("pos_label")), _of_scores(made, said)
    return evaluate(made.y_true, scores[name], name=name, **told)


def _of_scores(made: CrossPredictions, said: dict[str, Any]) -> dict[str, Any]:
    """Return the options of scores: the positive class, and which items belong together."""
    positive = made.pos_label if said.get("pos_label") is None else said["pos_label"]
    return {**said, "labels": made.labels, "cluster": made.cluster, "pos_label": positive}


def _pair(made: CrossPredictions, a: str | None, b: str | None) -> tuple[str, str]:
    if a is None and b is None and len(made.names) == _BINARY:
        return made.names[0], made.names[1]
    if a is None or b is None or a == b:
        raise InvalidInputError(f"Name two of the classifiers: {', '.join(made.names)}.", hint="compare(a, b).")
    made.position(a), made.position(b)
    return a, b


def _names(names: Any, *estimators: Any) -> tuple[str, ...]:
    if names is not None:
        return check_names(names, len(estimators))
    kinds = [called(estimator) for estimator in estimators]
    return tuple(kinds) if len(set(kinds)) == len(kinds) else check_names(None, len(kinds))


def _check_labels(data: Labelled, names: tuple[str, ...], said: dict[str, Any], *, clustered: bool) -> None:
    """Write the recipe of the same question about perfect predictions: whatever is wrong with it shows."""
    cluster = np.arange(len(data)) if clustered else None
    table = Outcomes.from_arrays(
        data.codes, data.codes, data.codes, names=names, labels=range(len(data.labels)), cluster=cluster
    ).relabel(data.labels)
    write_recipe([table], default=default_model(separate=False), **select(said, Question))


def _check_scores(data: Labelled, both: dict[str, Any], said: dict[str, Any]) -> None:
    check_score_options(said, said["metric"])
    if said.get("cost_matrix") is not None:
        raise InvalidInputError("A cost matrix goes with the metric `cost`.", hint="leave cost_matrix= out.")
    one_class = said["pos_label"] is not None or len(data.labels) == _BINARY
    metric = parse_score_metric(said["metric"], n_labels=_BINARY if one_class else len(data.labels))
    for name, estimator in both.items():
        choose_method("scores", name, estimator, probabilities=metric.probabilities)
    if said["pos_label"] is not None:
        find_label(said["pos_label"], data.labels)
    elif one_class and usual_positive(data.labels) is None:
        raise PosLabelError(
            f"Which label is positive? {metric.name!r} needs to know, and the labels are {shorten(data.labels)}.",
            hint=f"pass pos_label={data.labels[-1]!r}.",
        )
    check_reach(parse_rope(said.get("rope")), metric)
    check_prob(said.get("prob", 0.95))
    check_draws(said.get("draws", "auto"))
    choose(said.get("rule", "hdi"), RULES, "rule")


def _beside(comparison: Comparison, made: CrossPredictions, which: dict[str, Any]) -> CrossComparison:
    """Set what repeats and folds show beside the comparison, and say what it means."""
    metric, names = which.pop("metric", None), (comparison.a, comparison.b)
    by_fold, by_repeat = made.fold_scores(metric, **which), made.repeat_scores(metric, **which)
    repeats = by_repeat[names[0]] - by_repeat[names[1]]
    remarks = [note("training_sets_fixed", _TRAINING)]
    if not made.complete:
        remarks.append(note("repeats_differ", _RAGGED))
        repeats = np.zeros(0)
    elif made.n_repeats > 1:
        remarks.append(note("repeats_vary", _REPEATS))
    elif made.n_test > 1:  # to leave out one by one is the same in any order
        remarks.append(note("one_repeat", _ONCE))
    test, reason = _corrected({name: by_fold[name] for name in names}, made)
    if test is None:
        remarks.append(note("no_corrected_t", f"No corrected t test of the folds: {reason}"))
    if thin := _thin_folds(comparison, made):
        remarks.append(
            note(
                "fold_without_class",
                f"{count_of(thin, 'fold')} of {made.n_folds:,} lack a class in the test set: what is 0/0 there "
                "counts as 0.",
            )
        )
    if getattr(comparison.recipe.metric, "ranks", False) and made.n_folds > 1:
        remarks.append(note("one_scale", _ONE_SCALE.format(comparison.metric)))
        if made.n_test == 1:
            remarks.append(note("one_item_per_fold", _ONE_BY_ONE))
    return CrossComparison(
        comparison=comparison,
        predictions=made,
        repeat_differences=repeats,
        fold_differences=by_fold[names[0]] - by_fold[names[1]],
        corrected_t=test,
        remarks=(*comparison.remarks, *remarks, *made.remarks),
    )


def _thin_folds(comparison: Comparison, made: CrossPredictions) -> int:
    """Return how many folds test no item of a class that the metric looks at by itself."""
    metric, positive = comparison.recipe.metric, comparison.pos_label
    if not isinstance(metric, Metric) or not (metric.by_class or metric.over_classes) or metric.average == "micro":
        return 0
    tested = np.zeros((made.n_folds, len(made.labels)), dtype=bool)
    tested[made.fold, made.codes[:, 0]] = True
    if positive is not None:
        tested = tested[:, [made.labels.index(positive)]]
    return int((~tested).any(axis=1).sum())


def _corrected(scores: dict[str, FloatArray], made: CrossPredictions) -> tuple[ClassicalTest | None, str]:
    """Return the corrected t test of the folds' differences, or why there is none."""
    lost = int(np.isnan(np.array(list(scores.values()))).any(axis=0).sum())
    if lost:
        return None, f"{count_of(lost, 'fold')} without a score, for want of a class."
    try:
        return corrected_t(scores, n_train=made.n_train, n_test=made.n_test), ""
    except DataError as error:
        return None, error.message
