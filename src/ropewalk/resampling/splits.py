"""Items with one label each, estimators that can be fitted, and who trains and who is tested: a list of folds."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np

from ropewalk._arguments import read_some
from ropewalk._checks import check_whole, is_whole
from ropewalk._optional import require
from ropewalk.data.clusters import code_ids
from ropewalk.data.columns import check_same_order
from ropewalk.data.labels import find_label, label_text, usual_positive
from ropewalk.data.scores import code_labels
from ropewalk.data.tally import check_names
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.results.options import Option, SeedOptions, with_defaults
from ropewalk.text.remarks import Remark, note
from ropewalk.text.writing import brief, count_of, reason, shorten, told
from ropewalk.typing import CodeArray, IntArray, Label

_MIN_CLASSES = 2
_MIN_FOLDS = 2
_SEEDS = 2**32  # scikit-learn's seeds end here
_FORMS = "an integer, a splitter of scikit-learn, or a list of (train, test) pairs of item numbers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """Items and their true labels: `y` for the estimators, `codes` are the places of the same labels in `labels`."""

    items: Any
    y: Any
    codes: CodeArray
    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def at(self, rows: IntArray) -> Any:
        """Return some of the items, in the order given and in the form that they came in."""
        return pick_items(self.items, rows)


def as_labelled(items: Any, y: Any) -> Labelled:
    """Check that there is one label per item, and one item per label."""
    number = count_items(items)
    check_same_order([items, y], ["X", "y"])
    places, labels = code_labels(y, "y")
    if places.size != number:
        raise LengthMismatchError(
            f"X has {count_of(number, 'item')} and y {count_of(places.size, 'label')}.",
            hint="item i of X must have label i of y.",
        )
    if len(labels) < _MIN_CLASSES:
        what = f"y holds the single class {told(labels[0])}" if labels else "There are no items"
        raise DataError(f"{what}; a classifier needs two classes to tell apart.", hint="is y the column of the labels?")
    codes: CodeArray = places.astype(np.int32)
    return Labelled(items=items, y=np.array(labels)[codes], codes=codes, labels=labels)


def count_items(items: Any, name: str = "X") -> int:
    """Return how many items there are, whatever holds them."""
    shape = getattr(items, "shape", None)
    if isinstance(shape, tuple) and shape and isinstance(shape[0], int | np.integer):
        return int(shape[0])
    if isinstance(items, str | bytes | Mapping) or not hasattr(items, "__len__") or shape == ():
        raise InvalidInputError(
            f"{name} must be an array, a sparse matrix, a dataframe or a list of items; got {type(items).__name__}.",
            hint="lazy frames and generators must be collected first.",
        )
    try:
        return len(items)
    except OverflowError:
        raise InvalidInputError(f"{name} has more items than memory can hold.", hint="give fewer.") from None


def pick_items(items: Any, rows: IntArray) -> Any:
    """Return some of the items, in the form that they came in.

    Examples
    --------
    >>> pick_items(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    # scikit-learn's own way to do this is private, and these are all the forms that there are.
    if hasattr(items, "iloc"):
        return items.iloc[rows]
    if isinstance(items, list | tuple):
        return [items[i] for i in rows]
    if hasattr(items, "tocsr"):  # not every sparse format can be indexed
        return items.tocsr()[rows]
    if hasattr(items, "take") and hasattr(items, "column_names"):  # Arrow's table
        return items.take(rows)
    try:
        return items[rows]
    except (TypeError, IndexError, KeyError) as error:
        raise InvalidInputError(
            f"The items of a {type(items).__name__} cannot be picked by number.",
            hint="give an array, a dataframe, a list or a sparse matrix.",
        ) from error


def as_estimators(estimators: Any) -> dict[str, Any]:
    """Return estimators by name, each of which can be cloned, fitted and used."""
    if isinstance(estimators, Mapping):
        by_name = dict(estimators)
        if not by_name:
            raise InvalidInputError("`estimators` is empty; give at least one.", hint='write {"svm": SVC(), …}.')
    elif isinstance(estimators, list | tuple | set):
        raise InvalidInputError(
            "Several estimators need names.", hint='write {"svm": SVC(), "forest": RandomForestClassifier()}.'
        )
    else:
        by_name = {called(estimators): estimators}
    check_names(list(by_name), len(by_name))
    for name, estimator in by_name.items():
        check_estimator(name, estimator)
    return by_name


def called(estimator: Any) -> str:
    """Return the name of an estimator: its class, or that of what a pipeline or a search ends in."""
    steps = getattr(estimator, "steps", None)
    if isinstance(steps, list) and steps:
        return called(steps[-1][1])
    return type(estimator).__name__


def check_estimator(name: str, estimator: Any) -> None:
    """Refuse an estimator that cannot be cloned, fitted and used."""
    if isinstance(estimator, type):
        raise InvalidInputError(
            f"{name!r} is a class, not an estimator.", hint=f"make one first: {estimator.__name__}()."
        )
    absent = [method for method in ("fit", "predict") if not hasattr(estimator, method)]
    if absent:
        raise InvalidInputError(
            f"{name!r} ({type(estimator).__name__}) has no {' and no '.join(absent)}, so it is no classifier.",
            hint="an estimator has fit(X, y) and predict(X), as in scikit-learn.",
        )
    clone(name, estimator)


def clone(name: str, estimator: Any) -> Any:
    """Return an unfitted copy of an estimator, so that the one passed in stays as it is."""
    base = require("sklearn.base", extra="ml", caller="resampling")
    try:
        return base.clone(estimator)
    except (TypeError, RuntimeError) as error:
        raise InvalidInputError(
            f"{name!r} ({type(estimator).__name__}) cannot be cloned, and every fold needs a fresh copy: "
            f"{reason(error)}",
            hint="derive it from sklearn.base.BaseEstimator, which has get_params and set_params.",
        ) from error


def positive_of(labels: tuple[Label, ...], pos_label: Any) -> Label | None:
    """Return the positive one of two labels: the one named, else the usual one, else the last; None for more labels."""
    if len(labels) != _MIN_CLASSES:
        return None
    if pos_label is None:
        usual = usual_positive(labels)
        return labels[-1] if usual is None else usual
    return find_label(pos_label, labels)


@dataclass(frozen=True, slots=True)
class Fold:
    """One training set and one test set, as numbers of items."""

    train: IntArray
    test: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """The folds of a resampling, in words too, and what must be said about them."""

    folds: tuple[Fold, ...]
    words: str
    groups: IntArray | None
    remarks: tuple[Remark, ...]


class SplitOptions(SeedOptions, total=False):
    """How data are divided, and how many processes work on the parts."""

    cv: Annotated[Any, Option(help="A number of folds, a splitter, or pairs of item numbers.", default=10)]
    n_repeats: Annotated[int, Option(help="How often to repeat the folds.", default=1)]
    stratify: Annotated[bool, Option(help="Whether each fold gets its share of every class.", default=True)]
    groups: Any
    n_jobs: Annotated[int, Option(help="How many processes.", default=1)]


def hold_out_once(data: Labelled, cv: Any, seed: int) -> tuple[Fold, ...]:
    """Return the folds of one pass of cross-validation, in which every item is held out once.

    Folds are stratified as far as the classes have items.
    """
    options = cast("SplitOptions", with_defaults({"cv": cv}, SplitOptions))
    folds = make_splits(data, options, seed, lenient=True).folds
    if not np.array_equal(np.sort(np.concatenate([fold.test for fold in folds])), np.arange(len(data))):
        raise DataError(
            "The splitter must hold out every item exactly once.",
            hint="use KFold or StratifiedKFold; random splits and repeats count some items twice or never.",
        )
    return folds


def make_splits(data: Labelled, options: SplitOptions, seed: int, *, lenient: bool = False) -> Splits:
    """Return the folds that `cv` asks for; where `lenient`, a class may have fewer items than there are folds."""
    n_repeats = check_whole(options["n_repeats"], "n_repeats")
    cv, stratify, groups = options["cv"], options["stratify"], options.get("groups")
    if not isinstance(stratify, bool):
        raise InvalidInputError(
            f"`stratify` must be True or False; got {told(stratify)}.",
            hint="stratify=True keeps the shares of the classes.",
        )
    ids = None if groups is None else code_ids(groups, "groups", len(data))[0]
    if is_whole(cv):
        n_units, unit = (len(data), "item") if ids is None else (int(ids.max()) + 1, "group")
        _check_k(data, int(cv), n_units, unit, stratify=stratify and not lenient)
        stratify &= not lenient or bool(cv <= np.bincount(data.codes).max())
        pairs = _k_fold(data, int(cv), n_repeats, ids, stratify=stratify, seed=seed)
        kind = f"{'stratified ' if stratify else ''}{'grouped ' if ids is not None else ''}{cv}-fold cross-validation"
        words = kind if n_repeats == 1 else f"{n_repeats} × {kind}"
    else:
        if n_repeats != 1:
            raise InvalidInputError(
                "`n_repeats` goes with a number of folds; this `cv` says itself how often it splits.",
                hint="write cv=10, n_repeats=10, or cv=RepeatedStratifiedKFold(n_splits=10, n_repeats=10).",
            )
        pairs, kind = _by_splitter(data, cv, ids)
        words = f"{kind} with {count_of(len(pairs), 'split')}"
    folds = tuple(_checked(i, pair, len(data)) for i, pair in enumerate(pairs))
    if not folds:
        raise InvalidInputError("`cv` makes no splits.", hint=f"give {_FORMS}.")
    return Splits(folds=folds, words=words, groups=ids, remarks=tuple(_remarks(folds, data, ids)))


def _k_fold(
    data: Labelled, k: int, n_repeats: int, ids: IntArray | None, *, stratify: bool, seed: int
) -> list[tuple[Any, Any]]:
    """Return the folds of k-fold cross-validation, the same that scikit-learn makes with this seed."""
    split = require("sklearn.model_selection", extra="ml", caller="cross-validation")
    utils = require("sklearn.utils", extra="ml", caller="cross-validation")
    # One legacy generator for all repeats is how scikit-learn repeats, so 3 repeats are the first 3 of 10.
    state = utils.check_random_state(legacy_seed(seed))
    kind = split.StratifiedKFold if ids is None else split.StratifiedGroupKFold
    units = np.arange(len(data)) if ids is None else ids
    pairs: list[tuple[Any, Any]] = []
    for _ in range(n_repeats):
        if stratify:
            with warnings.catch_warnings():  # a class with fewer items than folds: its score says so by itself
                warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
                pairs += kind(k, shuffle=True, random_state=state).split(data.codes, data.y, ids)
        else:  # whole groups are dealt out like items
            for _, tested in split.KFold(k, shuffle=True, random_state=state).split(np.arange(units.max() + 1)):
                inside = np.isin(units, tested)
                pairs.append((np.flatnonzero(~inside), np.flatnonzero(inside)))
    return pairs


def legacy_seed(seed: int) -> int:
    """Return a seed that scikit-learn takes: the same where it is small enough."""
    return seed if seed < _SEEDS else int(np.random.SeedSequence(seed).generate_state(1)[0])


def _check_k(data: Labelled, k: int, n_units: int, unit: str, *, stratify: bool) -> None:
    if k < _MIN_FOLDS:
        raise InvalidInputError(
            f"`cv` must be at least 2 folds; got {k}.", hint="with one fold there is nothing left to train on."
        )
    if k > n_units:
        raise DataError(f"There are {count_of(n_units, unit)}, too few for {k} folds.", hint=f"use cv={n_units}.")
    sizes = np.bincount(data.codes, minlength=len(data.labels))
    rarest = int(np.argmin(sizes))
    if stratify and sizes[rarest] < k:
        few = int(sizes[rarest])
        raise DataError(
            f"The class {brief(repr(label_text(data.labels[rarest])))} has {count_of(few, 'item')}, too few for {k} "
            "stratified folds: some would have none.",
            hint=(f"use cv={few}, " if few >= _MIN_FOLDS else "")
            + "use stratify=False, or leave out or merge the class.",
        )


def _by_splitter(data: Labelled, cv: Any, ids: IntArray | None) -> tuple[list[Any], str]:
    """Return the folds of a splitter or of a list of pairs, and what to call it."""
    if hasattr(cv, "split") and not isinstance(cv, str | bytes):
        try:
            with warnings.catch_warnings():  # groups are clusters too, where the splitter has no use for them
                warnings.filterwarnings("ignore", message="The groups parameter is ignored")
                return list(cv.split(data.items, data.y, ids)), type(cv).__name__
        except Exception as error:
            raise InvalidInputError(
                f"{type(cv).__name__} cannot split these data: {reason(error)}",
                hint="splitters by groups need groups=; stratified ones need as many items of each class as folds.",
            ) from error
    folds = None if isinstance(cv, str | bytes) else read_some(cv)
    if folds is None:
        raise InvalidInputError(f"`cv` must be {_FORMS}; got {told(cv)}.", hint="cv=10 is usual.")
    return folds, "a given list"


def _checked(number: int, pair: Any, n_items: int) -> Fold:
    try:
        train, test = pair
    except (TypeError, ValueError):
        raise InvalidInputError(f"Split {number} is no (train, test) pair.", hint=f"give {_FORMS}.") from None
    fold = Fold(_numbers(train, number, n_items), _numbers(test, number, n_items))
    for name, items in (("training", fold.train), ("test", fold.test)):
        if not items.size:
            raise DataError(f"The {name} set of split {number} is empty.", hint="every split trains and tests.")
    shared = fold.test[np.isin(fold.test, fold.train)]
    if shared.size:
        raise DataError(
            f"Split {number} trains on {count_of(int(shared.size), 'item')} that it tests, first item {shared[0]}: the "
            "score would be too good.",
            hint="training and test set of a split must not overlap.",
        )
    if np.bincount(fold.test).max() > 1:
        raise DataError(
            f"Split {number} tests an item twice.", hint="a training set may repeat items, a test set must not."
        )
    return fold


def _numbers(values: Any, number: int, n_items: int) -> IntArray:
    """Return numbers of items, from numbers or from a mask."""
    array = np.asarray(values)
    if array.dtype.kind == "b" and array.shape == (n_items,):
        return np.flatnonzero(array)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInputError(f"The sets of split {number} must be lists of item numbers.", hint=f"give {_FORMS}.")
    if array.size and not (array.min() >= 0 and array.max() < n_items):
        raise DataError(
            f"Split {number} names item {int(array.max() if array.min() >= 0 else array.min())}, and there are "
            f"{count_of(n_items, 'item')}.",
            hint="items count from 0, by their place in X.",
        )
    return array.astype(np.int64, copy=False)


def _remarks(folds: tuple[Fold, ...], data: Labelled, ids: IntArray | None) -> Iterator[Remark]:
    """Go through what a reader of the scores should know about the folds."""
    times = np.bincount(np.concatenate([fold.test for fold in folds]), minlength=len(data))
    if unseen := int((times == 0).sum()):
        text = f"{count_of(unseen, 'item')} of {len(data):,} never tested: no fold has them in its test set."
        yield note("items_never_tested", text)
    low, high = times[times > 0].min(), times.max()
    if low < high:
        text = f"Items were tested between {low} and {high} times, and one counts as often as it was tested."
        yield note("items_tested_unevenly", text)
    n_labels = len(data.labels)
    untaught = []
    for i, fold in enumerate(folds):
        taught, tested = (np.bincount(data.codes[rows], minlength=n_labels) > 0 for rows in (fold.train, fold.test))
        if (tested & ~taught).any():
            untaught.append((i, np.flatnonzero(tested & ~taught)))
    if untaught:
        where, gone = untaught[0]
        named = shorten((label_text(data.labels[j]) for j in gone), 4)
        text = (
            f"{count_of(len(untaught), 'fold')} tested on a class that is not in the training set, first fold "
            f"{where} ({named}): no classifier can get it right."
        )
        yield note("class_not_trained", text)
    if ids is not None and any(np.isin(np.unique(ids[fold.test]), ids[fold.train]).any() for fold in folds):
        text = "Some groups are in the training and the test set of a fold: the scores may be too good."
        yield note("groups_on_both_sides", text)
