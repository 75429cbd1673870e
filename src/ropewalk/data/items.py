"""Look at the items behind a table again, one by one, and divide a table into slices of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from ropewalk.data.columns import as_column, column_rows
from ropewalk.data.inputs import Table
from ropewalk.data.labels import clean, sort_labels
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.readers import join_outcomes, read_outcomes
from ropewalk.data.records import records_of
from ropewalk.data.scores import ItemScores
from ropewalk.data.source import Source
from ropewalk.data.weights import check_weights, numbers_of
from ropewalk.errors import DataError, InvalidInputError, LabelTypeError, LengthMismatchError, RopewalkWarning
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import count_of
from ropewalk.typing import Label

MAX_SLICES: Final = 200
"""More values than these are no slices that anybody reads."""

MIN_ITEMS_PER_SLICE: Final = 2
"""On average; a column with fewer items per value names the items themselves."""

Slice = Label | float | None

_MAKERS: Final[dict[str, Callable[..., Table]]] = {
    "arrays": Outcomes.from_arrays,
    "table": read_outcomes,
    "joined": join_outcomes,
    "score arrays": ItemScores.from_arrays,
    "score table": ItemScores.read,
}


def require_source(table: Table, doing: str) -> Source:
    """Return where the items of a table are, or refuse: `doing` says what takes them, such as "listed"."""
    source = None if isinstance(table, MultilabelOutcomes) else table.source
    if isinstance(table, MultilabelOutcomes):
        raise DataError(f"Items that have any number of labels cannot be {doing}.", hint="compare one label at a time.")
    if source is None:
        raise DataError(
            f"Only counts are known here, so items cannot be {doing}.",
            hint="confusion matrices, tables of counts and saved results have no items; compare the predictions "
            "themselves: arrays, a dataframe or a file.",
        )
    if source.left_behind:
        raise DataError(
            f"This result was pickled without its arrays or dataframe, so items cannot be {doing}.",
            hint="ask for them before, or compare a file: its path is remembered.",
        )
    return source


def recounted(source: Source, names: Sequence[str]) -> Table:
    """Return the table of a source as its data are now; `names` are what its classifiers were called."""
    with warnings.catch_warnings():  # what there was to say was said when the data were read first
        warnings.simplefilter("ignore", RopewalkWarning)
        table = _MAKERS[source.form](*source.data, **source.options)
    table = table.project([table.names[place] for place in source.places]).rename(names)
    return table if source.by is None else slices_of(table, source.by)[source.part]


# -- items of labels ---------------------------------------------------------------------------------------


def label_rows(source: Source, by: Any = None) -> Iterator[tuple[Any, tuple[Any, ...], Slice]]:
    """Yield (id or position, (truth, prediction, …), slice) of every item that counts, in the order of the data.

    All classifiers that were read are in a row: an item may have been left out for any of them. Without `by` the slice
    is None.
    """
    for _, key, row, value, _ in _counted_rows(source, by):
        yield key, row, value


def _counted_rows(source: Source, by: Any) -> Iterator[tuple[int, Any, tuple[Any, ...], Any, float]]:
    """Yield position, id (or the position again), labels, slice and weight of every item that has a weight."""
    read = {"arrays": _from_arrays, "table": _from_table, "joined": _from_two}[source.form]
    weights = _weights(source)
    for position, (key, row, value) in enumerate(read(source, by)):
        weight = 1.0 if weights is None else weights[position]
        if weight:
            yield position, position if key is None else _plain(key), tuple(map(clean, row)), value, weight


def _from_arrays(source: Source, by: Any) -> Iterator[tuple[Any, tuple[Any, ...], Any]]:
    labels = {"y_true": source.data[0]} | {f"predictions {i}": array for i, array in enumerate(source.data[1:], 1)}
    beside = {name: array for name, array in (("`id`", source.id), ("`by`", by)) if array is not None}
    for row in column_rows(labels | beside):
        rest = list(row[len(labels) :])
        yield rest.pop(0) if source.id is not None else None, row[: len(labels)], rest.pop() if rest else None


def _from_table(source: Source, by: Any) -> Iterator[tuple[Any, tuple[Any, ...], Any]]:
    asked = source.options
    labels = [asked["truth"], *asked["predictions"]]
    id_column = asked["id"]
    columns = [*labels, *(column for column in (id_column, by) if column is not None)]
    for row in records_of(source.data[0]).rows(columns):
        rest = list(row[len(labels) :])
        yield rest.pop(0) if id_column is not None else None, row[: len(labels)], rest.pop() if rest else None


def _from_two(source: Source, by: Any) -> Iterator[tuple[Any, tuple[Any, ...], Any]]:
    asked, (first, other) = source.options, source.data
    columns = [asked["id"], asked["truth"], asked["prediction"]]
    ids, truth, predictions, *slices = records_of(first).lists(columns if by is None else [*columns, by])
    other_ids, _, others = records_of(other).lists(columns)
    second = {(type(key), key): label for key, label in zip(other_ids, others, strict=True)}
    values = slices[0] if slices else [None] * len(ids)
    for key, right, prediction, value in zip(ids, truth, predictions, values, strict=True):
        if (type(key), key) in second:
            yield key, (right, prediction, second[type(key), key]), value


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key


# -- items of scores ---------------------------------------------------------------------------------------


def scores_in_order(source: Source, by: Any = None) -> tuple[ItemScores, list[Any] | None, list[Slice] | None]:
    """Return all scores of a source in the order of the data, the ids of the items, and their slices."""
    asked = source.options
    if source.form == "score arrays":
        items = ItemScores.in_order(*source.data, **asked)
        ids, slices = asked["id"], by
    else:
        others = {column: None for column in (asked["id"], by) if column is not None}
        items = ItemScores.read_in_order(source.data[0], **asked)
        columns = dict(zip(others, records_of(source.data[0]).lists(list(others)), strict=True)) if others else {}
        ids, slices = columns.get(asked["id"]), columns.get(by)
    keys = None if ids is None else [_plain(key) for key in _listed(ids, "id")]
    values = None if slices is None else _listed(slices, "by")
    if values is not None and len(values) != items.n_items:
        raise LengthMismatchError(
            f"`by` has {len(values):,} values for {count_of(items.n_items, 'item')}.", hint="give one value per item."
        )
    return items.project([items.names[place] for place in source.places], sort=False), keys, values


def _listed(column: Any, name: str) -> list[Any]:
    plain = as_column(column, f"`{name}`", "values", "give one value per item.")
    return list(plain.tolist() if isinstance(plain, np.ndarray) else plain)


# -- slices ------------------------------------------------------------------------------------------------


def slices_of(table: Table, by: Any) -> dict[Slice, Table]:
    """Divide a table into slices, the items of one value of `by` each, in the order of the values; null comes last.

    Examples
    --------
    >>> o = Outcomes.from_arrays([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], names=["new", "old"])
    >>> {value: part.n_items for value, part in slices_of(o, ["en", "de", "en", "en"]).items()}
    {'de': 1, 'en': 3}
    """
    source = require_source(table, "divided into slices")
    if isinstance(by, str) and source.file is not None:
        by = records_of(source.file).lists([by])[0]
    if source.is_table != isinstance(by, str):
        text = "is the name of a column" if source.is_table else "must be an array, one value per item"
        data = "a file or dataframe" if source.is_table else "arrays"
        hint = "for several columns at once, join their texts in one." if source.is_table else "give the values."
        raise InvalidInputError(wording("For {} `by` ", data) + f"{text}; got {type(by).__name__}.", hint=hint)
    parts = _score_slices(source, by) if isinstance(table, ItemScores) else _label_slices(source, by, table)
    present: list[Any] = [value for value in parts if value is not None]
    order: list[Slice] = [*sort_labels(present), *([None] if None in parts else [])]
    n_items = sum(part.n_items for part in parts.values())
    if n_items != table.n_items:
        raise DataError(
            f"There are {n_items:,} items now, and {table.n_items:,} were compared: the data have changed.",
            hint="compare again, and ask the new answer.",
        )
    _check_number(len(parts), n_items)
    named: dict[Slice, Any] = {value: parts[value].rename(table.names) for value in order}
    return {value: replace(part, source=replace(source, by=by, part=value)) for value, part in named.items()}


def _label_slices(source: Source, by: Any, table: Any) -> dict[Slice, Table]:
    """Count the items of every slice."""
    if source.form == "arrays":
        n_values, n_items = (len(_listed(column, name)) for column, name in ((by, "by"), (source.data[0], "y_true")))
        if n_values != n_items:
            raise LengthMismatchError(
                f"`by` has {n_values:,} values for {count_of(n_items, 'item')}.", hint="give one value per item."
            )
    clusters, weighted = _clusters(source), source.options.get("sample_weight") is not None
    counted: dict[Slice, Counter[tuple[Any, ...]]] = {}
    kinds: set[type] = set()
    for position, _, row, raw, weight in _counted_rows(source, by):
        value = slice_value(raw)
        kinds.add(type(value))
        if value not in counted:
            if len(counted) == MAX_SLICES:
                _check_number(MAX_SLICES + 1, 0)
            counted[value] = Counter()
        beside = (*(() if clusters is None else (clusters[position],)), *((weight,) if weighted else ()))
        counted[value][*row, *beside] += 1
    _check_kinds(kinds)
    parts: dict[Slice, Table] = {}
    for value, rows in counted.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RopewalkWarning)
            missing = source.options["missing"]
            if missing == "drop" and all(None in row for row in rows):  # nothing is left of the slice
                parts[value] = Outcomes.empty(table.labels, table.names)
                continue
            part = Outcomes.from_rows(
                rows,
                labels=table.true_labels,
                missing=missing,
                clustered=clusters is not None,
                weighted=weighted,
            )
        part = part.project([part.names[place] for place in source.places])
        if part.labels != table.labels:  # a slice may lack the label of a missing answer
            part = Outcomes.empty(table.labels, part.names) + part
        parts[value] = part
    return parts


def _clusters(source: Source) -> list[Any] | None:
    """Return the cluster of every item, in the order of `label_rows`; None where each stands alone."""
    cluster = source.options["cluster"]
    if cluster is None:
        return None
    if source.form == "arrays":
        return [_plain(value) for value in _listed(cluster, "cluster")]
    if source.form == "table":
        return records_of(source.data[0]).lists([cluster])[0]
    ids, clusters = records_of(source.data[0]).lists([source.options["id"], cluster])
    known = {(type(key), key) for key in records_of(source.data[1]).lists([source.options["id"]])[0]}
    return [value for key, value in zip(ids, clusters, strict=True) if (type(key), key) in known]


def _weights(source: Source) -> list[float] | None:
    """Return the weight of every item; None where all count alike."""
    weight = source.options.get("sample_weight")
    if weight is None:
        return None
    if source.form == "table":
        weight = numbers_of(records_of(source.data[0]).lists([weight])[0], "sample_weight")
    return [float(number) for number in check_weights(weight)]


def _score_slices(source: Source, by: Any) -> dict[Slice, Table]:
    items, _, values = scores_in_order(source, by)
    assert values is not None  # noqa: S101 - `by` is given
    places: dict[Slice, list[int]] = {}
    kinds: set[type] = set()
    for place, raw in enumerate(values):
        if items.weight is None or items.weight[place]:
            value = slice_value(raw)
            kinds.add(type(value))
            places.setdefault(value, []).append(place)
            if len(places) > MAX_SLICES:
                _check_number(len(places), 0)
    _check_kinds(kinds)
    return {value: items.part(np.array(here, dtype=np.int64)).canonical() for value, here in places.items()}


def slice_value(value: Any) -> Slice:
    """Return the value that names a slice; dates, and intervals such as those of ``pandas.cut``, are their texts."""
    try:
        return clean(value.isoformat() if hasattr(value, "isoformat") and value == value else value)  # noqa: PLR0124
    except LabelTypeError as error:
        if isinstance(value, Hashable) and type(value).__repr__ is not object.__repr__:  # it has a text of its own
            return str(value)
        raise InvalidInputError(
            argument("by") + f" must hold texts, numbers, dates or intervals; got {type(value).__name__}.",
            hint="give one value per item, the same for items of one slice.",
        ) from error


def _check_kinds(kinds: Iterable[type]) -> None:
    named = {kind.__name__ for kind in kinds} - {"NoneType"}
    if len(named) > 1 and named != {"int", "float"}:
        raise InvalidInputError(
            argument("by") + f" mixes values of different types ({', '.join(sorted(named))}).",
            hint="convert them to one type.",
        )


def _check_number(n_slices: int, n_items: int) -> None:
    """Refuse a column that names the items, or too many slices to read."""
    if n_slices > MAX_SLICES:
        raise InvalidInputError(
            argument("by") + f" has more than {MAX_SLICES} different values: it looks like an id.",
            hint=wording("group the values first; cluster= is for items that belong together."),
        )
    if n_slices > 1 and n_items < MIN_ITEMS_PER_SLICE * n_slices:
        raise InvalidInputError(
            argument("by")
            + f" has {n_slices:,} different values for {count_of(n_items, 'item')}: it looks like an id.",
            hint="a slice is a set of items: a language, a source, a length from … to.",
        )
