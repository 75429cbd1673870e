"""The items behind a comparison: which of them one classifier has right and the other wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ropewalk._checks import check_whole, choose
from ropewalk.data.columns import library_of
from ropewalk.data.items import label_rows, recounted, require_source, scores_in_order, slice_value
from ropewalk.data.label_columns import fill_missing
from ropewalk.data.labels import whole_number
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.data.source import Source
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.resolve import needs_truth
from ropewalk.results import Comparison, Items, Recipe
from ropewalk.results.items import BOTH_WRONG, CHANGES, GAINED, LOST, Item
from ropewalk.typing import FloatArray, IntArray


def items(answer: Comparison, *, only: str | None = None, limit: int | None = None) -> Items:
    """Return the items on which the two classifiers of a comparison differ; see `Comparison.items`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> grades = {"new": [4, 5, 1, 3] * 25, "old": [4, 3, 2, 3] * 25}
    >>> r = rw.compare(grades, metric="mean", scale=(1, 5), draws=500, rng=0)
    >>> [(item.key, item.a, item.b, item.change) for item in items(r, limit=2)]
    [(1, 5.0, 3.0, 'gained'), (5, 5.0, 3.0, 'gained')]
    """
    answer.require_data("listed item by item")
    if only is not None:
        choose(only, {change: change for change in CHANGES}, "kind of item")
    if limit is not None:
        check_whole(limit, "limit")
    source = source_of(answer.recipe)
    now = _as_compared(source, answer.recipe)
    if isinstance(now, ItemScores):
        rows, counts = _of_scores(source, answer.recipe, only, limit)
        has_truth = now.truth is not None
    else:
        rows, counts = _of_labels(source, answer.recipe, now, only, limit)
        has_truth = True
    named = source.options.get("id") if source.is_table else None
    has_ids = source.id is not None or source.options.get("id") is not None
    return Items(
        a=answer.a,
        b=answer.b,
        rows=tuple(rows),
        counts=counts,
        key=named or ("id" if has_ids else "position"),
        has_truth=has_truth,
        of_scores=isinstance(now, ItemScores),
        library=library_of(source.data),
    )


def source_of(recipe: Recipe) -> Source:
    """Return where the items of a question are; both classifiers must have seen the same ones."""
    first, *others = [require_source(table, "listed one by one") for table in recipe.tables]
    if any(other.data is not first.data for other in others):
        raise DataError(
            "The two were tested on separate items, so none has the answers of both.",
            hint="give the predictions of both on the same items.",
        )
    # A model that does not pair has one table of each, of the same items.
    return replace(first, places=(*first.places, *(place for other in others for place in other.places)))


def _as_compared(source: Source, recipe: Recipe) -> Outcomes | ItemScores:
    """Return the table of the data as they are now, if they are still those that were compared."""
    changed = DataError(
        "The data have changed since they were compared.",
        hint="compare them again; arrays and dataframes are remembered by reference, and files by their path.",
    )
    try:
        now: Any = recounted(source, recipe.names)
    except (KeyError, InvalidInputError) as error:  # labels that were not there before, lengths that differ
        raise changed from error
    known = [now.data_hash]
    if isinstance(now, Outcomes) and recipe.pos_label in now.labels:  # the table itself may have been one-vs-rest
        known.append(now.collapse(recipe.pos_label).data_hash)
    if recipe.data_hash not in known:
        raise changed
    return now  # type: ignore[no-any-return]


# -- labels ------------------------------------------------------------------------------------------------


def _of_labels(
    source: Source, recipe: Recipe, now: Outcomes, only: str | None, limit: int | None
) -> tuple[list[Item], dict[str, int]]:
    """Return the items that differ, losses first, and how many there are of each kind; few are held at a time."""
    listed: dict[str, list[Item]] = {change: [] for change in CHANGES}
    counts = dict.fromkeys(CHANGES, 0)
    for item in _differing(source, recipe, now):
        counts[item.change] += 1
        kept = listed[item.change]
        if only in {None, item.change} and (limit is None or len(kept) < limit):
            kept.append(item)
    table = now if recipe.pos_label is None else now.collapse(recipe.pos_label)
    agreement = table.agreement(*recipe.names)
    if (counts[GAINED], counts[LOST]) != (agreement["only_a"], agreement["only_b"]):
        raise DataError("The data changed while they were read.", hint="ask again when nothing writes to them.")
    return [item for change in CHANGES for item in listed[change]][:limit], counts


def _differing(source: Source, recipe: Recipe, now: Outcomes) -> Iterator[Item]:
    """Yield the items on which the two differ, in the order of the data."""
    known: dict[tuple[Any, ...], Item | None] = {}
    for key, row, value in label_rows(source, source.by):
        if source.by is not None and slice_value(value) != source.part:
            continue
        if row not in known:
            known[row] = _judged(row, source, recipe, now)
        if (item := known[row]) is not None:
            yield item._replace(key=key)


def _judged(row: tuple[Any, ...], source: Source, recipe: Recipe, now: Outcomes) -> Item | None:
    """Return what a row of truth and predictions comes to, without its key; None where the two do not differ."""
    labels = tuple(map(whole_number, row))
    filled: tuple[Any, ...] = labels
    if None in labels:
        if source.options["missing"] == "drop":
            return None
        names = [str(place) for place in range(len(labels))]
        (filled,) = fill_missing([labels], [1], names, now.true_labels, "wrong")
    answers = [filled[0], *(filled[1 + place] for place in source.places)]
    if recipe.pos_label is not None:
        answers = [label == recipe.pos_label for label in answers]
    truth, a, b = answers
    if a == b:
        return None
    change = GAINED if a == truth else LOST if b == truth else BOTH_WRONG
    shown = [labels[1 + place] for place in source.places]
    return Item(key=None, truth=labels[0], a=shown[0], b=shown[1], change=change)


# -- scores ------------------------------------------------------------------------------------------------


def _of_scores(
    source: Source, recipe: Recipe, only: str | None, limit: int | None
) -> tuple[list[Item], dict[str, int]]:
    """Return the items whose scores differ, the largest difference first, and how many were gained and lost."""
    scores, keys, slices = scores_in_order(source, source.by)
    a, b = (_one_score(scores, values, recipe) for values in scores.values)
    difference = a - b
    counted = scores.counted
    if slices is not None:
        counted &= np.array([slice_value(value) == source.part for value in slices], dtype=bool)
    towards = difference * _direction(scores, recipe)
    kinds = {LOST: counted & (towards < 0), GAINED: counted & (towards > 0)}
    counts = {change: int(here.sum()) for change, here in kinds.items()}
    picked = kinds[LOST] | kinds[GAINED] if only is None else kinds.get(only, np.zeros_like(counted))
    places = np.flatnonzero(picked)
    places = places[np.argsort(-np.abs(difference[places]), kind="stable")][:limit]
    rows = [
        Item(
            key=place if keys is None else keys[place],
            truth=None if scores.truth is None else scores.labels[scores.truth[place]],
            a=float(a[place]),
            b=float(b[place]),
            change=LOST if towards[place] < 0 else GAINED,
            difference=float(difference[place]),
        )
        for place in places.tolist()
    ]
    return rows, counts


def _one_score(scores: ItemScores, values: FloatArray, recipe: Recipe) -> FloatArray:
    """Return one score per item: of the positive class, or of the true one where all classes are meant."""
    if not scores.by_class:
        return values
    if recipe.pos_label is not None:
        return np.asarray(values[:, scores.labels.index(recipe.pos_label)])
    return np.asarray(values[np.arange(len(values)), scores.truth])


def _direction(scores: ItemScores, recipe: Recipe) -> IntArray:
    """Return 1 for items on which a higher score is better, -1 where a lower one is."""
    metric = recipe.metric
    if scores.truth is None or not needs_truth(metric):
        return np.full(scores.n_items, 1 if metric.higher_is_better else -1)
    if recipe.pos_label is None:  # the score of the true class
        return np.ones(scores.n_items, dtype=np.int64)
    return np.where(scores.truth == scores.labels.index(recipe.pos_label), 1, -1)
