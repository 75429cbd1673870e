"""Fit estimators on the folds of one data set, ask them about the test sets, and keep what they said of every item."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, Unpack, get_args

import numpy as np

from ropewalk._checks import check_jobs, check_seed, checked_keywords, choose
from ropewalk._optional import require
from ropewalk._progress import ProgressLike, check_progress, track
from ropewalk.data.labels import label_text
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError, RopewalkError
from ropewalk.resampling.splits import (
    Fold,
    Labelled,
    SplitOptions,
    Splits,
    as_estimators,
    as_labelled,
    clone,
    make_splits,
    positive_of,
)
from ropewalk.results.resampled import CrossPredictions
from ropewalk.text.remarks import note
from ropewalk.text.writing import brief, count_of, shorten
from ropewalk.typing import CodeArray, FloatArray, IntArray, Label

Method = Literal["predict", "predict_proba", "decision_function"]

METHODS: Final[dict[str, Method]] = {method: method for method in get_args(Method)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one estimator said about one test set; `filled` are classes that its training set lacked."""

    codes: CodeArray
    scores: FloatArray | None
    filled: tuple[Label, ...] = ()
    model: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One fit: who, and with which settings and data; `where` says so in an error."""

    name: str
    estimator: Any
    fold: Fold
    where: str
    method: Method = "predict"
    positive: Label | None = None
    keep: bool = False


def carry_out(
    tasks: Sequence[Task], data: Labelled, *, n_jobs: int, describe: str, progress: ProgressLike
) -> list[Answer]:
    """Carry out all tasks, in order, on as many processes as asked; the first failure ends it."""
    results = _in_turn(tasks, data) if check_jobs(n_jobs) == 1 else _in_parallel(tasks, data, n_jobs)
    try:
        tracked = track(results, total=len(tasks), describe=describe, progress=progress)
        return [_checked(task, result) for task, result in zip(tasks, tracked, strict=True)]
    finally:
        results.close()


def _in_turn(tasks: Sequence[Task], data: Labelled) -> Any:
    yield from (_attempt(task, data) for task in tasks)


def _in_parallel(tasks: Sequence[Task], data: Labelled, n_jobs: int) -> Any:
    require("joblib", extra="parallel", caller="n_jobs other than 1")
    # scikit-learn's own Parallel takes its configuration along to the other processes.
    parallel = require("sklearn.utils.parallel", extra="ml", caller="n_jobs other than 1")
    run = parallel.Parallel(n_jobs=min(int(n_jobs), len(tasks)), return_as="generator")
    return run(parallel.delayed(_attempt)(task, data) for task in tasks)


def ask(task: Task, data: Labelled, model: Any = None) -> Answer:
    """Carry out one task here and now, with a `model` that was fitted before if there is one."""
    return _checked(task, _attempt(task, data, model))


def _attempt(task: Task, data: Labelled, model: Any = None) -> Answer | Exception:
    """Return an answer, or what went wrong: an error crosses to another process as a value, with its cause."""
    try:
        return _answer(task, data, model)
    except Exception as error:  # noqa: BLE001 - whatever an estimator raises, the caller says where
        return error


def _checked(task: Task, result: Answer | Exception) -> Answer:
    if isinstance(result, Answer):
        return result
    if isinstance(result, RopewalkError):
        raise result
    raise DataError(
        f"{task.name!r} failed on {task.where}: {type(result).__name__}: {brief(str(result), 300)}",
        hint=f"the training set has {task.fold.train.size:,} items and the test set {task.fold.test.size:,}; the "
        "cause is in the error above.",
    ) from result


def _answer(task: Task, data: Labelled, model: Any) -> Answer:
    train, test = task.fold.train, task.fold.test
    pairwise = _is_pairwise(task.estimator)
    if model is None:
        model = clone(task.name, task.estimator)
        model.fit(_part(data, train, train, pairwise=pairwise), data.y[train])
    tested = _part(data, test, train, pairwise=pairwise)
    codes = _as_codes(task, model.predict(tested), data.labels)
    kept = model if task.keep else None
    if task.method == "predict":
        return Answer(codes=codes, scores=None, model=kept)
    scores, filled = _as_scores(task, model, getattr(model, task.method)(tested), data.labels)
    return Answer(codes=codes, scores=scores, filled=filled, model=kept)


def _is_pairwise(model: Any) -> bool:
    """Whether the columns of X are the training items too, as of a precomputed kernel."""
    utils = require("sklearn.utils", extra="ml", caller="resampling")
    get_tags = getattr(utils, "get_tags", None)
    if get_tags is not None and hasattr(model, "__sklearn_tags__"):
        return bool(get_tags(model).input_tags.pairwise)
    old_tags = getattr(model, "_get_tags", None)  # before scikit-learn 1.6
    return bool(old_tags is not None and old_tags().get("pairwise", False))


def _part(data: Labelled, rows: IntArray, train: IntArray, *, pairwise: bool) -> Any:
    return np.asarray(data.items)[np.ix_(rows, train)] if pairwise else data.at(rows)


def _as_codes(task: Task, predicted: Any, labels: tuple[Label, ...]) -> CodeArray:
    array = np.asarray(predicted)
    if array.shape == (task.fold.test.size, 1):  # some libraries return a column
        array = array[:, 0]
    if array.shape != task.fold.test.shape:
        raise LengthMismatchError(
            f"{task.name!r} returned predictions of shape {array.shape} for {task.fold.test.size:,} items on "
            f"{task.where}.",
            hint="predict(X) must return one label per item.",
        )
    place = {label: i for i, label in enumerate(labels)}
    codes = [place.get(value, -1) for value in array.tolist()]
    if -1 in codes:
        raise DataError(
            f"{task.name!r} predicted {brief(repr(array.tolist()[codes.index(-1)]))} on {task.where}, which is no "
            f"label of y ({shorten(map(label_text, labels), 6)}).",
            hint="is it a regressor? A classifier answers with the labels that it was trained on.",
        )
    return np.array(codes, dtype=np.int32)


def _as_scores(task: Task, model: Any, raw: Any, labels: tuple[Label, ...]) -> tuple[FloatArray, tuple[Label, ...]]:
    """Return scores in label order: of the positive class for two labels, of every class for more."""
    array = np.asarray(raw, dtype=np.float64)
    classes = [value.item() if hasattr(value, "item") else value for value in getattr(model, "classes_", labels)]
    place = {label: i for i, label in enumerate(labels)}
    if array.ndim == 1 and len(classes) == 2:  # noqa: PLR2004 - a decision function of two classes is about the second
        array = np.column_stack([-array, array])
    if array.shape != (task.fold.test.size, len(classes)) or any(value not in place for value in classes):
        raise DataError(
            f"{task.method} of {task.name!r} returned shape {array.shape} for {task.fold.test.size:,} items and "
            f"{len(classes)} classes on {task.where}.",
            hint='one column per class is needed; SVC has decision_function_shape="ovr".',
        )
    filled = tuple(label for label in labels if label not in classes)
    if filled and task.method == "decision_function":
        raise DataError(
            f"The training set of {task.where} has no item of {shorten(map(label_text, filled), 4)}, so {task.name!r} "
            "has no score for it.",
            hint='use stratified folds, or method="predict_proba", where such a class has probability 0.',
        )
    aligned = np.zeros((len(array), len(labels)))
    aligned[:, [place[value] for value in classes]] = array
    if not np.isfinite(aligned).all():
        raise DataError(
            f"{task.method} of {task.name!r} returned NaN or infinity on {task.where}.",
            hint="look at the items there, or scale the features.",
        )
    return (aligned if task.positive is None else aligned[:, place[task.positive]]), filled


def choose_method(method: Any, name: str, estimator: Any, *, probabilities: bool = False) -> Method:
    """Return how to ask an estimator; "scores" are its probabilities, or its margins where it has no probabilities."""
    wanted = choose(method, {**METHODS, "scores": "scores"}, "method")
    if wanted == "scores":
        ways: tuple[Method, ...] = ("predict_proba",) if probabilities else ("predict_proba", "decision_function")
    else:
        ways = (METHODS[wanted],)
    for way in ways:
        if hasattr(estimator, way):
            return way
    raise InvalidInputError(
        f"{name!r} ({type(estimator).__name__}) has no {' and no '.join(ways)}.",
        hint="sklearn.calibration.CalibratedClassifierCV adds probabilities to any classifier.",
    )


@checked_keywords
def cross_predict(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    method: str = "predict",
    pos_label: Label | None = None,
    **options: Unpack[SplitOptions],
) -> CrossPredictions:
    """Let classifiers answer about items that they were not trained on, by cross-validation.

    All classifiers are trained and tested on the same folds. The estimators passed in are cloned for every fold and
    stay unfitted. To choose hyper-parameters inside the folds (nested cross-validation), pass a `GridSearchCV` or the
    like as the estimator.

    Parameters
    ----------
    estimators
        A classifier with `fit` and `predict` as in scikit-learn, or a mapping from names to classifiers. One whose
        `random_state` is None is random in a way that `rng` does not control: set it for a reproducible answer.
    X, y
        Items and their labels: an array, a sparse matrix, a dataframe or a list, of texts for example; one int, str or
        bool label per item.
    cv
        A number of folds k; or a splitter of scikit-learn; or a list of (train, test) pairs of item numbers. A splitter
        that shuffles needs a `random_state` of its own.
    n_repeats
        How often to repeat k-fold cross-validation with other folds: ``cv=10, n_repeats=10`` is the classical 10 × 10.
    stratify
        Whether each of the k folds gets its share of every class.
    groups
        One id per item, the same for items that belong together: k folds keep groups whole, splitters get them.
    method
        "predict" for labels alone; "predict_proba" or "decision_function" to keep scores too, or "scores" for the first
        of the two that a classifier has. A class that a training set lacks has probability 0.
    pos_label
        Of two labels, the one that scores are about: by default 1, True or "1", otherwise the last one.
    rng, random_state
        The seed of the folds, as in `compare`. The same seed gives scikit-learn's folds of that `random_state`.
    progress
        None draws a bar on a terminal if it takes long, True always, False never; a function gets (done, total).
    n_jobs
        How many processes; -1 for all cores. The answer is the same for any number.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> both = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
    >>> p = rw.resampling.cross_predict(both, X, y, cv=5, n_repeats=2, rng=0)
    >>> p
    CrossPredictions(150 items, 2 × stratified 5-fold cross-validation, 300 predictions of 'bayes', 'stump')
    >>> p.repeat_scores("accuracy")["bayes"].round(2).tolist()
    [0.96, 0.95]
    """
    progress = check_progress(options.get("progress"))
    by_name = as_estimators(estimators)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    data = as_labelled(X, y)
    return predict_folds(
        by_name, data, make_splits(data, options, seed),
        method=method, pos_label=pos_label, seed=seed, n_jobs=options["n_jobs"], progress=progress,
    )  # fmt: skip


def predict_folds(
    by_name: Mapping[str, Any],
    data: Labelled,
    splits: Splits,
    *,
    method: str,
    pos_label: Label | None,
    seed: int,
    n_jobs: int,
    progress: ProgressLike,
) -> CrossPredictions:
    """Train every estimator on every fold, and keep what it says about the test set; see `cross_predict`."""
    positive = positive_of(data.labels, pos_label)
    ways = {name: choose_method(method, name, estimator) for name, estimator in by_name.items()}
    tasks = [
        Task(name=name, estimator=estimator, fold=fold, where=f"fold {i}", method=ways[name], positive=positive)
        for i, fold in enumerate(splits.folds)
        for name, estimator in by_name.items()
    ]
    answers = carry_out(tasks, data, n_jobs=n_jobs, describe="Cross-validation", progress=progress)
    return _gather(tuple(by_name), data, splits, answers, positive=positive, seed=seed)


def _gather(
    names: tuple[str, ...], data: Labelled, splits: Splits, answers: list[Answer], *, positive: Label | None, seed: int
) -> CrossPredictions:
    """Put the answers of all folds into one table, by repeat and item."""
    folds = splits.folds
    item = np.concatenate([fold.test for fold in folds])
    number = np.repeat(np.arange(len(folds)), [fold.test.size for fold in folds])
    repeat = _times_before(item)
    order = np.lexsort((item, repeat))
    columns = [np.concatenate([answer.codes for answer in answers[k :: len(names)]]) for k in range(len(names))]
    codes = np.column_stack([data.codes[item], *columns])[order]
    scores = None
    if answers[0].scores is not None:
        scores = {name: _stacked(answers[k :: len(names)])[order] for k, name in enumerate(names)}
    filled = {label for answer in answers for label in answer.filled}
    remarks = list(splits.remarks)
    if filled:
        several = sum(bool(answer.filled) for answer in answers[:: len(names)])
        named = shorten((label_text(label) for label in data.labels if label in filled), 4)
        text = f"{count_of(several, 'training set')} without {named}: its probability there counts as 0."
        remarks.append(note("class_without_probability", text))
    return CrossPredictions(
        names=names,
        labels=data.labels,
        codes=codes,
        item=item[order],
        repeat=repeat[order],
        fold=number[order],
        train_sizes=np.array([np.unique(fold.train).size for fold in folds]),
        test_sizes=np.array([fold.test.size for fold in folds]),
        n_items=len(data),
        scores=scores,
        pos_label=positive,
        group=None if splits.groups is None else splits.groups[item[order]],
        words=splits.words,
        seed=seed,
        remarks=tuple(remarks),
    )


def _stacked(answers: list[Answer]) -> FloatArray:
    return np.concatenate([answer.scores for answer in answers if answer.scores is not None])


def _times_before(item: IntArray) -> IntArray:
    """Return for each entry how often the same item stands before it.

    Examples
    --------
    >>> _times_before(np.array([2, 0, 2, 2, 0])).tolist()
    [0, 0, 1, 2, 1]
    """
    order = np.argsort(item, kind="stable")
    ranked = item[order]
    first = np.flatnonzero(np.r_[True, ranked[1:] != ranked[:-1]])
    place = np.arange(item.size) - np.repeat(first, np.diff(np.r_[first, item.size]))
    before = np.empty_like(item)
    before[order] = place
    return before
