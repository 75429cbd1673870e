"""Compare two learning algorithms by cross-validation: train, test, judge the folds, and compare the items beside."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_seed, check_threads, checked_keywords
from ropewalk._progress import check_progress
from ropewalk.classical.resampled import corrected_t
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import check_names
from ropewalk.draws.evidence import Evidence
from ropewalk.draws.intervals import Interval
from ropewalk.draws.student import MIN_FOLDS
from ropewalk.errors import DataError, InvalidInputError, RopewalkWarning
from ropewalk.inference.folds import FoldScores, JudgedFolds, is_uneven, judge_folds
from ropewalk.inference.question import Question, default_model, select, write_recipe
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.resolve import require_bounded
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models import AnyMetric
from ropewalk.models.correlated_t import CorrelatedT
from ropewalk.resampling.splits import (
    Labelled,
    SplitOptions,
    Splits,
    as_labelled,
    called,
    check_estimator,
    make_splits,
)
from ropewalk.resampling.training import choose_method, predict_folds
from ropewalk.results import Comparison, Evaluation
from ropewalk.results.base import Drawing
from ropewalk.results.classical import ClassicalTest
from ropewalk.results.options import CrossOptions
from ropewalk.results.resampled import CrossComparison, CrossPredictions, is_of_scores
from ropewalk.text.remarks import Remark, issue, note, warning
from ropewalk.text.writing import count_of, decimals, interval
from ropewalk.typing import FloatArray
from ropewalk.verbs.comparison import compare
from ropewalk.verbs.evaluation import evaluate

_TWO_CLASSES: Final = 2
_WORTH_A_NOTE: Final = 1.02  # times as wide as the HDI
_OF_SCORES: Final = ("metric", "classes", "pos_label", "cost_matrix", "prevalence")
_FIXED_TRAINING_SETS: Final = (
    "This takes the classifiers as they were trained and leaves out the variance of training, what another training "
    "set would change. As an answer about the algorithms it would be too sure, and more so with more repeats."
)
_REPEATS: Final = (
    "The spread over repeats shows how much the division into folds matters. All repeats share the same items, so it "
    "understates what other data would change."
)
_ONE_REPEAT: Final = (
    "Each item was tested once, so how much the division into folds matters is not known: n_repeats=10 shows it."
)
_REPEATS_DIFFER: Final = "Repeats test different items, so their scores are not set side by side."
_CAUTIOUS: Final = (
    "A verdict must also hold by the cautious interval, {}: repeats test the same items again and count as one pass "
    "there, and what the items vary beyond the folds, which share one class mix, is added."
)
_TEST_SETS_DIFFER: Final = (
    "Test sets have from {:,} to {:,} items. Every fold counts alike, so an item of a small one counts more; the "
    "correlation is that of the mean sizes."
)
_CONVENTION: Final = (
    "The correlated t takes the scores of two folds to correlate by the share of items that a fold tests, here {:.3g}. "
    "That is a convention (Nadeau and Bengio 2003): one data set cannot show the correlation."
)
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
    """Compare two learning algorithms by cross-validation: train and test both on the same folds.

    The answer is about the *algorithms*, trained on sets of this size: the posterior is the correlated t of the folds'
    differences (Nadeau and Bengio 2003; Corani and Benavoli 2015), a Student t in closed form, without Monte Carlo
    error. There is no verdict where it cannot hold: folds without a score or a class, fewer than three folds, folds
    that all show the same difference, training sets of very different sizes. A verdict must also hold by the `cautious`
    interval, which leaves out the degrees of freedom that repeats add, and puts in what the items vary beyond the
    folds: stratified ones all have one class mix.

    `items` stands beside it: a comparison of the classifiers as they were trained, paired, item by item. There an item
    with all of its repeats is one unit, and so is a group where `groups` are given.

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
        As in `compare`: `metric`, `rope`, `prob`, `rule`, `draws` and so on; `model`, `engine` and `tests` are for the
        `items`. A metric of scores, such as ``"roc_auc"``, uses the probabilities of the classifiers, or their decision
        function where that will do; it is taken fold by fold.

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
    >>> r
    CrossComparison(accuracy: GaussianNB − DecisionTreeClassifier = +0.290 [+0.243, +0.337], ≫)
    >>> r.per_item
    Comparison(accuracy: GaussianNB − DecisionTreeClassifier = +0.280 [+0.201, +0.360], ≫)
    """
    seed = check_seed(options.get("rng"), options.get("random_state"))
    names = _names(options.get("names"), estimator_a, estimator_b)
    both = dict(zip(names, (estimator_a, estimator_b), strict=True))
    for name, estimator in both.items():
        check_estimator(name, estimator)
    progress = check_progress(options.get("progress"))
    own = {"names", *SplitOptions.__annotations__}
    question: dict[str, Any] = {key: value for key, value in options.items() if key not in own}
    data, of_scores = as_labelled(X, y), is_of_scores(options.get("metric"))
    check_threads(options["threads"])
    # Everything that can be wrong with the question is said before hours of training.
    clustered = options.get("groups") is not None or options["n_repeats"] != 1
    metric = _check_question(data, both, question, of_scores=of_scores, clustered=clustered)
    splits = make_splits(data, options, seed)
    _check_folds(splits, data, metric)
    pos_label = options.get("pos_label") if len(data.labels) == _TWO_CLASSES else None
    predictions = predict_folds(
        both, data, splits, method="scores" if of_scores else "predict",
        pos_label=pos_label, seed=seed, n_jobs=options["n_jobs"], progress=progress,
    )  # fmt: skip
    with warnings.catch_warnings():  # those of the answer are issued below, to point at the line that called
        warnings.simplefilter("ignore", RopewalkWarning)
        items = compare_predictions(predictions, *both, rng=seed, **question)
    result = _judged(items, predictions, {key: question[key] for key in _OF_SCORES if key in question})
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
            raise InvalidInputError(f"Name one of {', '.join(made.names)}.", hint=f"there are {len(made.names)}.")
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
    beside = {"labels": made.labels, "cluster": made.cluster, "id": made.item}
    return {**options, **beside, "pos_label": positive}


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
) -> AnyMetric:
    """Write the recipe of the same question about perfect answers: whatever is wrong with it shows.

    Return the metric.
    """
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
    return recipe.metric


def _check_folds(splits: Splits, data: Labelled, metric: AnyMetric) -> None:
    """Refuse folds that show no spread at all, before anything is trained."""
    number = len(splits.folds)
    if number < MIN_FOLDS:
        raise InvalidInputError(
            "One split shows no spread, so it says nothing about the two algorithms.",
            hint="cv=10 makes ten; resampling.cross_predict(…).compare(…) judges two trained classifiers on one.",
        )
    scored = sum(np.unique(data.codes[fold.test]).size > 1 for fold in splits.folds) if metric.ranks else number
    if scored < MIN_FOLDS:
        raise InvalidInputError(
            f"{metric.name} takes items of two classes, and the test sets of {number - scored:,} of {number:,} folds "
            "have those of one.",
            hint="use larger folds; resampling.cross_predict(…).compare(…) has the area over all items.",
        )


def _judged(items: Comparison, made: CrossPredictions, which: dict[str, Any]) -> CrossComparison:
    """Judge the algorithms by the folds, set the items and the repeats beside, and say what it all means."""
    metric, names = which.pop("metric", None), (items.a, items.b)
    by_fold, by_repeat = made.fold_scores(metric, **which), made.repeat_scores(metric, **which)
    if np.isinf([by_fold[name] for name in names]).any():
        require_bounded(items.recipe.metric, "in some folds it divides by nothing")
    folds = FoldScores(
        names=names,
        scores=np.array([by_fold[name] for name in names]),
        train_sizes=made.train_sizes,
        test_sizes=made.test_sizes,
        n_without_class=_thin_folds(items, made),
        item_std=items.std,
    )
    asked = items.recipe
    table = ItemScores(values=tuple(folds.scores), names=names, labels=asked.tables[0].labels, truth=None)
    # One recipe for both would say that the items were drawn by this model.
    recipe = replace(
        asked, tables=(table,), model=CorrelatedT(rho=folds.correlation), n_items=made.n_items, repeated=False,
        sampler=None,
    )  # fmt: skip
    judged = judge_folds(
        folds, recipe.question, limits=Interval(asked.metric.low, asked.metric.high), draws=asked.draws, seed=asked.seed
    )
    a, b = names
    test, no_test = _corrected({name: by_fold[name] for name in names}, made)
    beside = (*items.remarks, note("training_sets_fixed", _FIXED_TRAINING_SETS), *_item_remarks(items, made))
    return CrossComparison(
        a=a,
        b=b,
        estimate_a=judged.estimate_a,
        estimate_b=judged.estimate_b,
        **judged.contrast.parts,
        evidence=Evidence(reason=recipe.model.no_factor),
        draws=judged.draws,
        cautious=judged.cautious,
        recipe=recipe,
        drawing=Drawing(no_verdict=judged.no_verdict),
        remarks=(*_remarks(folds, made, judged, no_test), *made.remarks),
        per_item=replace(items, remarks=beside),
        predictions=made,
        repeat_differences=by_repeat[a] - by_repeat[b] if made.complete else np.zeros(0),
        fold_differences=by_fold[a] - by_fold[b],
        corrected_t=test,
    )


def _remarks(folds: FoldScores, made: CrossPredictions, judged: JudgedFolds, no_test: str) -> Iterator[Remark]:
    """Yield what is to be said about the folds."""
    if judged.no_verdict:
        yield warning("no_verdict", f"{judged.no_verdict[0].upper()}{judged.no_verdict[1:]}.")
    yield note("fold_correlation", _CONVENTION.format(folds.correlation))
    (low, high), hdi = judged.cautious, judged.contrast.delta.hdi
    if high - low > _WORTH_A_NOTE * (hdi.high - hdi.low):
        ends = interval(low, high, decimals(judged.contrast.delta), sign=True)
        yield note("cautious_interval", _CAUTIOUS.format(ends))
    if not made.complete:
        yield note("repeats_differ", _REPEATS_DIFFER)
    elif made.n_repeats > 1:
        yield note("repeats_vary", _REPEATS)
    elif made.n_test > 1:  # to leave out one by one is the same in any order
        yield note("one_repeat", _ONE_REPEAT)
    if no_test:
        yield note("no_corrected_t", f"No corrected t test of the folds: {no_test}")
    if is_uneven(made.test_sizes):
        yield note("test_sets_differ", _TEST_SETS_DIFFER.format(made.test_sizes.min(), made.test_sizes.max()))
    if folds.n_without_class:
        lacking = f"{count_of(folds.n_without_class, 'fold')} of {made.n_folds:,}"
        yield note("fold_without_class", f"{lacking} lack a class in the test set: what is 0/0 there counts as 0.")


def _item_remarks(items: Comparison, made: CrossPredictions) -> Iterator[Remark]:
    """Yield what is to be said about the items of all folds together."""
    if items.recipe.metric.ranks:
        yield note("one_scale", _ONE_SCALE.format(items.metric))
        if made.n_test == 1:
            yield note("one_item_per_fold", _ONE_ITEM_PER_FOLD)


def _thin_folds(comparison: Comparison, made: CrossPredictions) -> int:
    """Return how many folds test no item of a class that the metric looks at by itself."""
    metric, positive = comparison.recipe.metric, comparison.pos_label
    if not isinstance(metric, Metric) or not (metric.by_class or metric.over_classes) or metric.pools_labels:
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
