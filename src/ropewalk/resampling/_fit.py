"""Fit one estimator on one training set and ask it about one test set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, NoReturn

import numpy as np

from ropewalk._checks import choose, is_whole
from ropewalk._optional import require
from ropewalk._progress import ProgressLike, track
from ropewalk.data.labels import label_text
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError, RopewalkError
from ropewalk.resampling._data import Labelled, copy
from ropewalk.resampling._splits import Fold
from ropewalk.text.names import brief, shorten
from ropewalk.typing import CodeArray, FloatArray, IntArray, Label

Method = Literal["predict", "predict_proba", "decision_function"]

METHODS: Final[dict[str, Method]] = {
    "predict": "predict",
    "predict_proba": "predict_proba",
    "decision_function": "decision_function",
}
_BINARY: Final = 2
_PLANE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one estimator said about one test set; `filled` are classes that its training set lacked."""

    codes: CodeArray
    scores: FloatArray | None
    filled: tuple[Label, ...] = ()
    model: Any = None


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong: an error crosses to another process as a value, with its cause."""

    error: Exception


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
    if not is_whole(n_jobs) or n_jobs == 0:
        raise InvalidInputError(
            f"`n_jobs` must be a whole number and not 0; got {n_jobs!r}.", hint="-1 takes all cores."
        )
    results = _in_turn(tasks, data) if n_jobs == 1 else _in_parallel(tasks, data, n_jobs)
    answers = []
    try:
        for task, result in zip(
            tasks, track(results, total=len(tasks), describe=describe, progress=progress), strict=True
        ):
            if isinstance(result, Failure):
                _fail(task, result.error)
            answers.append(result)
    finally:
        results.close()
    return answers


def _in_turn(tasks: Sequence[Task], data: Labelled) -> Any:
    yield from (_attempt(task, data) for task in tasks)


def _in_parallel(tasks: Sequence[Task], data: Labelled, n_jobs: int) -> Any:
    require("joblib", extra="parallel", caller="n_jobs other than 1")
    # scikit-learn's own Parallel takes its configuration along to the other processes.
    parallel = require("sklearn.utils.parallel", extra="ml", caller="n_jobs other than 1")
    run = parallel.Parallel(n_jobs=int(n_jobs), return_as="generator")
    return run(parallel.delayed(_attempt)(task, data) for task in tasks)


def ask(task: Task, data: Labelled, model: Any = None) -> Answer:
    """Carry out one task here and now, with a `model` that was fitted before if there is one."""
    result = _attempt(task, data, model)
    if isinstance(result, Failure):
        _fail(task, result.error)
    return result


def _attempt(task: Task, data: Labelled, model: Any = None) -> Answer | Failure:
    try:
        return _answer(task, data, model)
    except Exception as error:  # noqa: BLE001 - whatever an estimator raises, the caller says where
        return Failure(error)


def _fail(task: Task, error: Exception) -> NoReturn:
    if isinstance(error, RopewalkError):
        raise error
    raise DataError(
        f"{task.name!r} failed on {task.where}: {type(error).__name__}: {brief(str(error), 300)}",
        hint=f"the training set has {task.fold.train.size:,} items and the test set {task.fold.test.size:,}; the "
        "cause is in the error above.",
    ) from error


def _answer(task: Task, data: Labelled, model: Any) -> Answer:
    train, test = task.fold.train, task.fold.test
    pairwise = _is_pairwise(task.estimator)
    if model is None:
        model = copy(task.name, task.estimator)
        model.fit(_part(data, train, train, pairwise=pairwise), data.y[train])
    asked = _part(data, test, train, pairwise=pairwise)
    codes = _as_codes(task, model.predict(asked), data.labels)
    kept = model if task.keep else None
    if task.method == "predict":
        return Answer(codes=codes, scores=None, model=kept)
    scores, filled = _as_scores(task, model, getattr(model, task.method)(asked), data.labels)
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
    if array.ndim == _PLANE and array.shape[1] == 1:  # some libraries return a column
        array = array[:, 0]
    if array.shape != task.fold.test.shape:
        raise LengthMismatchError(
            f"{task.name!r} returned predictions of shape {array.shape} for {task.fold.test.size:,} items on "
            f"{task.where}.",
            hint="predict(X) must return one label an item.",
        )
    place = {label: i for i, label in enumerate(labels)}
    found = [place.get(value, -1) for value in array.tolist()]
    if -1 in found:
        raise DataError(
            f"{task.name!r} predicted {brief(repr(array.tolist()[found.index(-1)]))} on {task.where}, which is no "
            f"label of y ({shorten(map(label_text, labels), 6)}).",
            hint="is it a regressor? A classifier answers with the labels that it was trained on.",
        )
    return np.array(found, dtype=np.int32)


def _as_scores(task: Task, model: Any, raw: Any, labels: tuple[Label, ...]) -> tuple[FloatArray, tuple[Label, ...]]:
    """Return scores in label order: of the positive class for two labels, of every class for more."""
    array = np.asarray(raw, dtype=np.float64)
    classes = [value.item() if hasattr(value, "item") else value for value in getattr(model, "classes_", labels)]
    place = {label: i for i, label in enumerate(labels)}
    if array.ndim == 1 and len(classes) == _BINARY:  # a decision function of two classes is about the second
        array = np.column_stack([-array, array])
    if array.shape != (task.fold.test.size, len(classes)) or any(value not in place for value in classes):
        raise DataError(
            f"{task.method} of {task.name!r} returned shape {array.shape} for {task.fold.test.size:,} items and "
            f"{len(classes)} classes on {task.where}.",
            hint='one column a class is needed; SVC has decision_function_shape="ovr".',
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
        raise DataError(f"{task.method} of {task.name!r} returned NaN or infinity on {task.where}.")
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
