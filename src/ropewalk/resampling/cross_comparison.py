"""Compare two classifiers by cross-validation: train, test, compare, and say what the folds and repeats show."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_seed, check_threads, checked_keywords
from ropewalk.classical.resampled import corrected_t
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import check_names
from ropewalk.errors import DataError, InvalidInputError, RopewalkWarning
from ropewalk.inference.question import Question, default_model, select, write_recipe
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.resampling.splits import Labelled, SplitOptions, as_labelled, called, check_estimator
from ropewalk.resampling.training import choose_method, cross_predict
from ropewalk.results import Comparison, Evaluation
from ropewalk.results.classical import ClassicalTest
from ropewalk.results.options import CrossOptions
from ropewalk.results.resampled import CrossComparison, CrossPredictions, is_of_scores
from ropewalk.text.remarks import Remark, issue, note
from ropewalk.text.writing import count_of
from ropewalk.typing import FloatArray
from ropewalk.verbs.comparison import compare
from ropewalk.verbs.evaluation import evaluate

_TWO_CLASSES: Final = 2
_OF_SCORES: Final = ("metric", "classes", "pos_label", "cost_matrix", "prevalence")
_FIXED_TRAINING_SETS: Final = (
    "The interval is about items like these, for classifiers trained on sets like these: it leaves out the variance of "
    "training, what another training set would change."
)
_REPEATS: Final = (
    "The spread over repeats shows how much the division into folds matters. All repeats share the same items, so it "
    "too understates what other data would change."
)
_ONE_REPEAT: Final = (
    "Each item was tested once, so how much the division into folds matters is not known: n_repeats=10 shows it."
)
_REPEATS_DIFFER: Final = "Repeats test different items, so their scores are not set side by side."
_ONE_ITEM_PER_FOLD: Final = (
    "Leaving out one item at a time shifts the classifier a little away from that item, which biases an area over all "
    "of them: use folds."
)
_ONE_SCALE: Final = (
    "{} is of the scores of all folds together: it takes those of classifiers from different folds to be on one scale."
)


class Options(SplitOptions, CrossOptions, total=False):
    """How data are divided, and what is asked about them."""


@checked_keywords
def cross_compare(estimator_a: Any, estimator_b: Any, X: Any, y: Any, **options: Unpack[Options]) -> CrossComparison:
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
    >>> question = {"metric": "accuracy", "rope": 0.01, "draws": 5000}
    >>> r = rw.cross_compare(GaussianNB(), stump, X, y, cv=5, n_repeats=2, rng=0, **question)
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
    own = {"names", *SplitOptions.__annotations__}
    question: dict[str, Any] = {key: value for key, value in options.items() if key not in own}
    data, of_scores = as_labelled(X, y), is_of_scores(options.get("metric"))
    check_threads(options["threads"])
    # Everything that can be wrong with the question is said before hours of training.
    clustered = options.get("groups") is not None or options["n_repeats"] != 1
    _check_question(data, both, question, of_scores=of_scores, clustered=clustered)
    split = {**select(options, SplitOptions), "rng": seed, "random_state": None}
    pos_label = options.get("pos_label") if len(data.labels) == _TWO_CLASSES else None
    method = "scores" if of_scores else "predict"
    predictions = cross_predict(both, X, y, method=method, pos_label=pos_label, **split)
    with warnings.catch_warnings():  # issued below, to point at the line that called
        warnings.simplefilter("ignore", RopewalkWarning)
        comparison = compare_predictions(predictions, *both, rng=seed, **question)
    result = _beside(comparison, predictions, {key: question[key] for key in _OF_SCORES if key in question})
    issue(result.remarks)
    return result


def compare_predictions(
    made: CrossPredictions, a: str | None = None, b: str | None = None, **question: Any
) -> Comparison:
    """Compare two classifiers of cross-validated predictions; see `CrossPredictions.compare`."""
    names, options = _pair(made, a, b), _with_seed(made, question)
    if is_of_scores(question.get("metric")):
        scores, of_scores = made.scores_of(question.get("pos_label")), _of_scores(made, options)
        # DeLong's test takes items as independent, and those of a fold share a classifier.
        of_scores.setdefault("tests", made.n_folds == 1)
        comparison = compare(made.y_true, scores[names[0]], scores[names[1]], names=names, **of_scores)
    else:
        comparison = compare(made.outcomes, a=names[0], b=names[1], **options)
    repeated = made.group is None and made.n_repeats > 1
    # Of repeats the predictions were counted, and not the items: how many more of these is another question.
    more = None if repeated else comparison.more
    return replace(comparison, recipe=replace(comparison.recipe, repeated=repeated), more=more)


def evaluate_predictions(made: CrossPredictions, name: str | None = None, **question: Any) -> Evaluation:
    """Evaluate one classifier of cross-validated predictions; see `CrossPredictions.evaluate`."""
    if name is None:
        if len(made.names) > 1:
            raise InvalidInputError(f"Name one of {', '.join(made.names)}.")
        name = made.names[0]
    made.position(name)
    metric, options = question.get("metric"), _with_seed(made, question)
    if not any(map(is_of_scores, metric if isinstance(metric, list | tuple) else [metric])):
        return evaluate(made.outcomes, name, **options)
    scores = made.scores_of(question.get("pos_label"))
    return evaluate(made.y_true, scores[name], name=name, **_of_scores(made, options))


def _with_seed(made: CrossPredictions, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the seed of the predictions where they name none."""
    return options if options.get("random_state") is not None else {"rng": made.seed, **options}


def _of_scores(made: CrossPredictions, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of scores: the positive class, and which items belong together."""
    positive = made.pos_label if options.get("pos_label") is None else options["pos_label"]
    return {**options, "labels": made.labels, "cluster": made.cluster, "pos_label": positive}


def _pair(made: CrossPredictions, a: str | None, b: str | None) -> tuple[str, str]:
    if a is None and b is None and len(made.names) == 2:  # noqa: PLR2004
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


def _check_question(
    data: Labelled, both: dict[str, Any], question: dict[str, Any], *, of_scores: bool, clustered: bool
) -> None:
    """Write the recipe of the same question about perfect answers: whatever is wrong with it shows."""
    table: Any
    if of_scores:
        perfect = data.codes if len(data.labels) == _TWO_CLASSES else np.eye(len(data.labels))[data.codes]
        table = ItemScores.from_arrays(data.y, perfect, perfect, names=tuple(both), labels=data.labels)
    else:
        codes, cluster = data.codes, np.arange(len(data)) if clustered else None
        places = range(len(data.labels))
        table = Outcomes.from_arrays(codes, codes, codes, names=tuple(both), labels=places, cluster=cluster)
        table = table.relabel(data.labels)
    recipe = write_recipe([table], default=default_model(separate=False), **select(question, Question))
    if isinstance(recipe.metric, ScoreMetric):
        for name, estimator in both.items():
            choose_method("scores", name, estimator, probabilities=recipe.metric.probabilities)


def _beside(comparison: Comparison, made: CrossPredictions, which: dict[str, Any]) -> CrossComparison:
    """Set what repeats and folds show beside the comparison, and say what it means."""
    metric, (a, b) = which.pop("metric", None), (comparison.a, comparison.b)
    by_fold, by_repeat = made.fold_scores(metric, **which), made.repeat_scores(metric, **which)
    test, reason = _corrected({name: by_fold[name] for name in (a, b)}, made)
    everything = (*comparison.remarks, *_remarks(comparison, made, reason), *made.remarks)
    return CrossComparison(
        # What is at stake is a choice between algorithms, which the posterior of these items is not about.
        **{field.name: getattr(comparison, field.name) for field in fields(comparison)}
        | {"remarks": everything, "stakes": None},
        predictions=made,
        repeat_differences=by_repeat[a] - by_repeat[b] if made.complete else np.zeros(0),
        fold_differences=by_fold[a] - by_fold[b],
        corrected_t=test,
    )


def _remarks(comparison: Comparison, made: CrossPredictions, no_test: str) -> Iterator[Remark]:
    yield note("training_sets_fixed", _FIXED_TRAINING_SETS)
    if not made.complete:
        yield note("repeats_differ", _REPEATS_DIFFER)
    elif made.n_repeats > 1:
        yield note("repeats_vary", _REPEATS)
    elif made.n_test > 1:  # to leave out one by one is the same in any order
        yield note("one_repeat", _ONE_REPEAT)
    if no_test:
        yield note("no_corrected_t", f"No corrected t test of the folds: {no_test}")
    if thin := _thin_folds(comparison, made):
        folds = f"{count_of(thin, 'fold')} of {made.n_folds:,}"
        yield note("fold_without_class", f"{folds} lack a class in the test set: what is 0/0 there counts as 0.")
    if getattr(comparison.recipe.metric, "ranks", False) and made.n_folds > 1:
        yield note("one_scale", _ONE_SCALE.format(comparison.metric))
        if made.n_test == 1:
            yield note("one_item_per_fold", _ONE_ITEM_PER_FOLD)


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
