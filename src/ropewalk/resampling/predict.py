"""Train and test on the folds of one data set, and keep what was said about every item."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk._checks import check_seed, checked_keywords
from ropewalk._progress import ProgressLike, check_progress
from ropewalk.data.labels import label_text
from ropewalk.resampling._data import Labelled, as_estimators, as_labelled, positive_of
from ropewalk.resampling._fit import Answer, Task, carry_out, choose_method
from ropewalk.resampling._splits import Splits, make_splits
from ropewalk.results.predictions import CrossPredictions
from ropewalk.text.names import count_of, shorten
from ropewalk.text.remarks import note
from ropewalk.typing import FloatArray, IntArray, Label, SeedLike


@checked_keywords
def cross_predict(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    cv: Any = 10,
    n_repeats: int = 1,
    stratify: bool = True,
    groups: Any = None,
    method: str = "predict",
    pos_label: Label | None = None,
    rng: SeedLike = None,
    random_state: SeedLike = None,
    progress: ProgressLike = None,
    n_jobs: int = 1,
) -> CrossPredictions:
    """Let classifiers answer about items that they were not trained on, by cross-validation.

    All classifiers are trained and tested on the same folds. The estimators passed in are cloned for every fold and
    stay unfitted. To choose hyper-parameters inside the folds (nested cross-validation), pass a `GridSearchCV` or the
    like as the estimator.

    Parameters
    ----------
    estimators
        A classifier with `fit` and `predict` as in scikit-learn, or a mapping from names to classifiers. One whose
        `random_state` is None is random in a way that `rng` does not rule: set it for an answer that can be had again.
    X, y
        Items and their labels: an array, a sparse matrix, a dataframe or a list, of texts for example; one int, str or
        bool label an item.
    cv
        A number of folds k; or a splitter of scikit-learn; or a list of (train, test) pairs of item numbers. A splitter
        that shuffles needs a `random_state` of its own.
    n_repeats
        How often to repeat k-fold cross-validation with other folds: ``cv=10, n_repeats=10`` is the classical 10 × 10.
    stratify
        Whether each of the k folds gets its share of every class.
    groups
        One id an item, the same for items that belong together: k folds keep groups whole, splitters get them.
    method
        "predict" for labels alone; "predict_proba" or "decision_function" to keep scores too, or "scores" for the first
        of the two that a classifier has. A class that a training set lacks has probability 0.
    pos_label
        Of two labels, the one that scores are about: 1, True or "1" unless said, else the last one.
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
    check_progress(progress)
    found = as_estimators(estimators)
    seed = check_seed(rng, random_state)
    data = as_labelled(X, y)
    positive = positive_of(data.labels, pos_label)
    ways = {name: choose_method(method, name, estimator) for name, estimator in found.items()}
    splits = make_splits(data, cv=cv, n_repeats=n_repeats, stratify=stratify, groups=groups, seed=seed)
    tasks = [
        Task(name=name, estimator=estimator, fold=fold, where=f"fold {i}", method=ways[name], positive=positive)
        for i, fold in enumerate(splits.folds)
        for name, estimator in found.items()
    ]
    answers = carry_out(tasks, data, n_jobs=n_jobs, describe="Cross-validation", progress=progress)
    return _gather(tuple(found), data, splits, answers, positive=positive, seed=seed)


def _gather(
    names: tuple[str, ...],
    data: Labelled,
    splits: Splits,
    answers: list[Answer],
    *,
    positive: Label | None,
    seed: int,
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
