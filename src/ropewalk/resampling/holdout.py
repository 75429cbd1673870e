"""One training set, one validation set, one test set: choose a setting on the second, judge it on the third."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import as_list, check_seed, checked_keywords, is_real, is_whole
from ropewalk._optional import require
from ropewalk._progress import check_progress
from ropewalk.data.labels import label_text
from ropewalk.data.tally import check_names
from ropewalk.errors import DataError, InvalidInputError, RopewalkWarning
from ropewalk.metrics.resolve import require_labels
from ropewalk.resampling.splits import Fold, Labelled, as_labelled, check_estimator, clone, legacy_seed
from ropewalk.resampling.training import Answer, Task, ask, carry_out
from ropewalk.results import Evaluation
from ropewalk.results.evaluation import Setting, Validated
from ropewalk.results.options import TrainingOptions
from ropewalk.text.remarks import Remark, issue, note
from ropewalk.text.writing import brief, count_of, reason, told
from ropewalk.typing import IntArray
from ropewalk.verbs.evaluation import evaluate

_SETS: Final = ("training", "validation", "test")
_MAX_ROUNDING: Final = 1e-9


@checked_keywords
def train_validation_test(
    estimator: Any,
    grid: Any,
    X: Any,
    y: Any,
    *,
    sizes: Sequence[float] = (0.8, 0.1, 0.1),
    stratify: bool = True,
    refit: bool = False,
    name: str | None = None,
    n_jobs: int = 1,
    **options: Unpack[TrainingOptions],
) -> Validated:
    """Choose hyper-parameters on a validation set, and judge the chosen ones on a test set (Wu, section 1.3).

    The items are divided at random into three sets without overlap. One classifier per setting is trained on the
    training set; the setting with the best observed score on the validation set is chosen, the first of equals; and
    only that one is tested. The validation score of the winner is the best of many and so too good; its test score is
    not. For few items use nested cross-validation: `cross_predict` with a `GridSearchCV`.

    Parameters
    ----------
    estimator, X, y
        As in `cross_predict`; a classifier whose `random_state` is None is random in a way that `rng` does not control.
    grid
        Values to try, by hyper-parameter, as in scikit-learn's `ParameterGrid`: every combination is a setting.
    sizes
        Of training, validation and test set: shares that add up to 1, or numbers of items.
    metric, pos_label, prob, draws
        As in `evaluate`: one metric of labels.
    stratify
        Whether each set gets its share of every class.
    refit
        Whether to train the chosen setting again, on training and validation set together, before the test.
    rng, random_state
        The seed of the division and of the draws, as in `compare`.
    progress, n_jobs
        As in `cross_predict`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> grid = {"n_neighbors": [1, 3, 5, 7, 9]}
    >>> v = rw.resampling.train_validation_test(
    ...     KNeighborsClassifier(), grid, X, y, sizes=(0.6, 0.2, 0.2), rng=0, draws=2000
    ... )
    >>> len(v.settings), len(v.train), len(v.validation), len(v.test_items)
    (5, 90, 30, 30)
    """
    metric, progress = options["metric"], options.get("progress")
    check_progress(progress)
    called = type(estimator).__name__ if name is None else check_names([name], 1)[0]
    check_estimator(called, estimator)
    if not isinstance(refit, bool) or not isinstance(stratify, bool):
        raise InvalidInputError(
            "`refit` and `stratify` must be True or False.", hint="stratify=True keeps the shares of the classes."
        )
    if isinstance(metric, list | tuple):
        raise InvalidInputError(
            "One metric decides which setting is best; got several.", hint='name one, such as metric="f1".'
        )
    require_labels(metric)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    settings = _settings(called, estimator, grid)
    data = as_labelled(X, y)
    train, validation, test = _divide(data, _counts(sizes, len(data)), stratify=stratify, seed=seed)

    known = np.array(data.labels)
    question: Any = {**options, "metric": metric, "rng": seed, "random_state": None, "progress": None}

    def judge(items: IntArray, answer: Answer) -> Evaluation:
        with warnings.catch_warnings():  # those of the test set are issued below
            warnings.simplefilter("ignore", RopewalkWarning)
            return evaluate(data.y[items], known[answer.codes], name=called, labels=data.labels, **question)

    # The same question about perfect predictions: what is wrong with it is said before training.
    judge(validation, Answer(codes=data.codes[validation], scores=None))
    fold = Fold(train, validation)
    tasks = [
        Task(name=called, estimator=setting, fold=fold, where=f"setting {i} ({_text(params)})", keep=True)
        for i, (params, setting) in enumerate(settings)
    ]
    answers = carry_out(tasks, data, n_jobs=n_jobs, describe="Settings", progress=progress)
    tried = [
        Setting(params=params, validation=judge(validation, answer).metrics[0])
        for (params, _), answer in zip(settings, answers, strict=True)
    ]
    chosen, tied = _best(tried)
    fold = Fold(np.sort(np.concatenate([train, validation])) if refit else train, test)
    final = Task(name=called, estimator=settings[chosen][1], fold=fold, where="the test set", keep=True)
    # Unless it is trained anew, the very classifier that was validated is tested.
    answer = ask(final, data, None if refit else answers[chosen].model)
    tested = judge(test, answer)
    result = Validated(
        name=called,
        settings=tuple(tried),
        chosen=chosen,
        test=tested,
        estimator=answer.model,
        train=train,
        validation=validation,
        test_items=test,
        refit=refit,
        seed=seed,
        remarks=(*_remarks(len(tried), tied, refit=refit), *(r for r in tested.remarks if r.level == "warning")),
    )
    issue(result.remarks)
    return result


def _settings(name: str, estimator: Any, grid: Any) -> list[tuple[dict[str, Any], Any]]:
    """Return every setting with an unfitted estimator that has it."""
    search = require("sklearn.model_selection", extra="ml", caller="train_validation_test")
    base = require("sklearn.base", extra="ml", caller="train_validation_test")
    try:
        grid = list(search.ParameterGrid(grid))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            f"`grid` is no grid of settings: {reason(error)}", hint='write {"C": [0.1, 1, 10]}.'
        ) from error
    if not grid:
        raise InvalidInputError("`grid` has no settings.", hint='write {"C": [0.1, 1, 10]}.')
    settings = []
    for params in grid:
        # A fit would change values that are estimators, so each setting has copies of them.
        values = {key: base.clone(value, safe=False) for key, value in params.items()}
        other = clone(name, estimator)
        try:
            settings.append((params, other.set_params(**values)))
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"{name!r} does not take {_text(params)}: {reason(error)}",
                hint="get_params() of the estimator lists its hyper-parameters; those of a step are step__parameter.",
            ) from error
    return settings


def _text(params: Mapping[str, Any]) -> str:
    return brief(", ".join(f"{key}={value!r}" for key, value in params.items()) or "as it is", 100)


def _counts(sizes: Any, n_items: int) -> tuple[int, int, int]:
    """Return how many items each set gets; what rounding leaves over is trained on."""
    wanted = as_list(sizes)
    hint = "write (0.8, 0.1, 0.1), or numbers of items that add up to all of them."
    if len(wanted) != len(_SETS) or not all(is_real(size) and 0 < size < math.inf for size in wanted):
        raise InvalidInputError(
            f"`sizes` must be three positive numbers, of training, validation and test set; got {told(sizes)}.",
            hint=hint,
        )
    if all(is_whole(size) for size in wanted):
        counts = [int(size) for size in wanted]
        if sum(counts) != n_items:
            raise DataError(f"`sizes` add up to {sum(counts):,}, and there are {count_of(n_items, 'item')}.", hint=hint)
    else:
        if abs(math.fsum(wanted) - 1) > _MAX_ROUNDING:
            raise InvalidInputError(f"`sizes` must add up to 1; they add up to {math.fsum(wanted):g}.", hint=hint)
        held = [round(n_items * share) for share in wanted[1:]]
        counts = [n_items - sum(held), *held]
    for which, count in zip(_SETS, counts, strict=True):
        if count < 1:
            raise DataError(f"There are {count_of(n_items, 'item')}: none is left for the {which} set.", hint=hint)
    return counts[0], counts[1], counts[2]


def _divide(data: Labelled, counts: tuple[int, int, int], *, stratify: bool, seed: int) -> tuple[IntArray, ...]:
    """Return three sets of items without overlap, drawn at random."""
    search = require("sklearn.model_selection", extra="ml", caller="train_validation_test")
    utils = require("sklearn.utils", extra="ml", caller="train_validation_test")
    state = utils.check_random_state(legacy_seed(seed))
    rest, parts = np.arange(len(data)), []
    for which, count in zip(_SETS[:0:-1], counts[:0:-1], strict=True):  # the test set first
        try:
            rest, held = search.train_test_split(
                rest, test_size=count, random_state=state, stratify=data.codes[rest] if stratify else None
            )
        except ValueError as error:
            rarest = int(np.argmin(np.bincount(data.codes, minlength=len(data.labels))))
            raise DataError(
                f"These items cannot be divided with every class in its share: {reason(error)}",
                hint=f"the {which} set has {count_of(count, 'item')}, and {label_text(data.labels[rarest])!r} is the "
                "rarest class; use stratify=False, other sizes, or cross-validation.",
            ) from error
        parts.append(np.sort(held))
    return np.sort(rest), parts[1], parts[0]


def _best(tried: Sequence[Setting]) -> tuple[int, int]:
    """Return the place of the best observed score, the first of equals, and how many are equal."""
    sign = 1.0 if tried[0].validation.metric.higher_is_better else -1.0
    seen = [s.validation.estimate.observed for s in tried]
    worth = np.array([-math.inf if value is None else sign * value for value in seen])
    return int(np.argmax(worth)), int((worth >= worth.max() - _MAX_ROUNDING).sum())


def _remarks(n_settings: int, tied: int, *, refit: bool) -> Iterator[Remark]:
    if n_settings > 1:
        text = (
            f"The validation score of the chosen setting is the best of {n_settings}, so it is optimistic: on average "
            "too good. Its test score is not, for the test set had no part in the choice."
        )
        yield note("validation_score_optimistic", text)
    if tied > 1:
        yield note("settings_tied", f"{tied} settings have the same validation score; the first of them was taken.")
    if refit:
        text = "The chosen setting was trained again on training and validation set before the test."
        yield note("trained_again", text)
