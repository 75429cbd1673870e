"""Look at the items behind a table again, one by one, and divide a table into slices of them."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

import numpy as np

from ropewalk.data.columns import as_column, column_rows
from ropewalk.data.ids import Here
from ropewalk.data.inputs import Table
from ropewalk.data.joining import join_outcomes, join_scores, joined_in_order
from ropewalk.data.labels import clean, sort_labels
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.readers import read_outcomes
from ropewalk.data.records import records_of
from ropewalk.data.scores import ItemScores
from ropewalk.data.source import Source
from ropewalk.data.weights import numbers_of
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
    "joined scores": join_scores,
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
    for item in _counted_rows(source, by):
        yield item.key, item.labels, item.value


class _Row(NamedTuple):
    """An item: its id, or its position where it has none; truth and predictions; and what stands beside them."""

    key: Any
    labels: tuple[Any, ...]
    value: Any = None
    cluster: Any = None
    weight: float | None = None


def _counted_rows(source: Source, by: Any) -> Iterator[_Row]:
    """Yield every item that has a weight; all of it is read at once, since an engine may change its order."""
    read = {"arrays": _from_arrays, "table": _from_table, "joined": _from_two}[source.form]
    for position, row in enumerate(read(source, by)):
        if row.weight is None or row.weight:
            key = position if row.key is None else _plain(row.key)
            yield row._replace(key=key, labels=tuple(map(clean, row.labels)))


def _from_arrays(source: Source, by: Any) -> Iterator[_Row]:
    labels = {"y_true": source.data[0]} | {f"predictions {i}": array for i, array in enumerate(source.data[1:], 1)}
    asked = source.options
    beside = [("`id`", source.id), ("`by`", by)] + [(name, asked.get(name)) for name in ("cluster", "sample_weight")]
    given = {name: array for name, array in beside if array is not None}
    return _rows(column_rows(labels | given), len(labels), [name in given for name, _ in beside])


def _from_table(source: Source, by: Any) -> Iterator[_Row]:
    asked = source.options
    labels = [asked["truth"], *asked["predictions"]]
    beside = [asked["id"], by, asked["cluster"], asked.get("sample_weight")]
    columns = [*labels, *(column for column in beside if column is not None)]
    return _rows(records_of(source.data[0]).rows(columns), len(labels), [column is not None for column in beside])


def _rows(rows: Iterable[tuple[Any, ...]], n_labels: int, given: Sequence[bool]) -> Iterator[_Row]:
    """Yield items of cells: labels, and then id, slice, cluster and weight where they are given."""
    for row in rows:
        cells = iter(row[n_labels:])
        key, value, cluster, weight = (next(cells) if has else None for has in given)
        number = None if weight is None else float(numbers_of([weight], "sample_weight")[0])
        yield _Row(key, row[:n_labels], value, _plain(cluster), number)


def _from_two(source: Source, by: Any) -> Iterator[_Row]:
    asked, (first, other) = source.options, source.data
    columns = [asked["id"], asked["truth"], asked["prediction"]]
    beside = {name: column for name, column in (("value", by), ("cluster", asked["cluster"])) if column is not None}
    tables = [records_of(first).lists([*columns, *beside.values()]), records_of(other).lists(columns)]
    pair = Here.of(tables, asked["id"], "AB")
    _, _, others = pair.columns(1)
    for key, truth, prediction, *cells, second in zip(*pair.columns(0), others, strict=True):
        yield _Row(key, (truth, prediction, second), **dict(zip(beside, cells, strict=True)))


def _plain(key: Any) -> Any:
    return key.item() if isinstance(key, np.generic) else key


# -- items of scores ---------------------------------------------------------------------------------------


def scores_in_order(source: Source, by: Any = None) -> tuple[ItemScores, list[Any] | None, list[Slice] | None]:
    """Return all scores of a source in the order of the data, the ids of the items, and their slices."""
    asked = source.options
    if source.form == "score arrays":
        items = ItemScores.in_order(*source.data, **asked)
        ids, slices = asked["id"], by
    elif source.form == "joined scores":
        items, ids, slices = joined_in_order(*source.data, **asked, by=by)
    else:
        others = [column for column in (asked["id"], by) if column is not None]
        items, columns = ItemScores.read_in_order(source.data[0], **asked, others=others)
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


def slices_of(table: Table, by: Any, *, name: str = "by", most: int = MAX_SLICES) -> dict[Slice, Table]:
    """Divide a table into slices, the items of one value of `by` each, in the order of the values; null comes last.

    `name` is what a caller calls `by`, and `most` how many slices are allowed.

    Examples
    --------
    >>> o = Outcomes.from_arrays([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], names=["new", "old"])
    >>> {value: part.n_items for value, part in slices_of(o, ["en", "de", "en", "en"]).items()}
    {'de': 1, 'en': 3}
    """
    source = require_source(table, f"divided into {'slices' if name == 'by' else f'{name}s'}")
    if isinstance(by, str) and source.file is not None:
        by = records_of(source.file).lists([by])[0]
    if source.is_table != isinstance(by, str):
        text = "is the name of a column" if source.is_table else "must be an array, one value per item"
        data = "a file or dataframe" if source.is_table else "arrays"
        hint = "for several columns at once, join their texts in one." if source.is_table else "give the values."
        raise InvalidInputError(f"For {data} " + argument(name) + f" {text}; got {type(by).__name__}.", hint=hint)
    limit = _Limit(name, most)
    if isinstance(table, ItemScores):
        parts = _score_slices(source, by, limit)
    else:
        parts = _label_slices(source, by, table, limit)
    present: list[Any] = [value for value in parts if value is not None]
    order: list[Slice] = [*sort_labels(present), *([None] if None in parts else [])]
    n_items = sum(part.n_items for part in parts.values())
    if n_items != table.n_items:
        raise DataError(
            f"There are {n_items:,} items now, and {table.n_items:,} were compared: the data have changed.",
            hint="compare again, and ask the new answer.",
        )
    limit.check(len(parts), n_items)
    named: dict[Slice, Any] = {value: parts[value].rename(table.names) for value in order}
    return {value: replace(part, source=replace(source, by=by, part=value)) for value, part in named.items()}


def _label_slices(source: Source, by: Any, table: Any, limit: _Limit) -> dict[Slice, Table]:
    """Count the items of every slice."""
    if source.form == "arrays":
        n_values, n_items = (
            len(_listed(column, name)) for column, name in ((by, limit.name), (source.data[0], "y_true"))
        )
        if n_values != n_items:
            raise LengthMismatchError(
                f"`{limit.name}` has {n_values:,} values for {count_of(n_items, 'item')}.",
                hint="give one value per item.",
            )
    clustered, weighted = (source.options.get(name) is not None for name in ("cluster", "sample_weight"))
    counted: dict[Slice, Counter[tuple[Any, ...]]] = {}
    kinds: set[type] = set()
    for item in _counted_rows(source, by):
        value = slice_value(item.value, limit.name)
        kinds.add(type(value))
        if value not in counted:
            limit.check(len(counted) + 1, 0)
            counted[value] = Counter()
        beside = (*((item.cluster,) if clustered else ()), *((item.weight,) if weighted else ()))
        counted[value][*item.labels, *beside] += 1
    limit.check_kinds(kinds)
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
                clustered=clustered,
                weighted=weighted,
            )
        part = part.project([part.names[place] for place in source.places])
        if part.labels != table.labels:  # a slice may lack the label of a missing answer
            part = Outcomes.empty(table.labels, part.names) + part
        parts[value] = part
    return parts


def _score_slices(source: Source, by: Any, limit: _Limit) -> dict[Slice, Table]:
    items, _, values = scores_in_order(source, by)
    assert values is not None  # noqa: S101 - `by` is given
    places: dict[Slice, list[int]] = {}
    kinds: set[type] = set()
    counted = items.counted
    for place, raw in enumerate(values):
        if counted[place]:
            value = slice_value(raw, limit.name)
            kinds.add(type(value))
            places.setdefault(value, []).append(place)
            limit.check(len(places), 0)
    limit.check_kinds(kinds)
    return {value: items.part(np.array(here, dtype=np.int64)).canonical() for value, here in places.items()}


def slice_value(value: Any, name: str = "by") -> Slice:
    """Return the value that names a slice; dates, and intervals such as those of ``pandas.cut``, are their texts."""
    try:
        return clean(value.isoformat() if hasattr(value, "isoformat") and value == value else value)  # noqa: PLR0124
    except LabelTypeError as error:
        if isinstance(value, Hashable) and type(value).__repr__ is not object.__repr__:  # it has a text of its own
            return str(value)
        raise InvalidInputError(
            argument(name) + f" must hold texts, numbers, dates or intervals; got {type(value).__name__}.",
            hint="give one value per item, the same for items of one slice.",
        ) from error


def values_of(table: Table, by: Any) -> set[Slice]:
    """Return the values of a column or array, those of items that were left out too."""
    source = require_source(table, "divided into slices")
    if isinstance(by, str):
        data = source.data[0] if source.file is None else source.file
        by = records_of(data).lists([by])[0]
    return {slice_value(value) for value in _listed(by, "by")}


def clusters_of(table: Table, by: Any) -> Iterator[tuple[Slice, Any]]:
    """Yield of every item that counts its slice, and the cluster that it is in."""
    source = require_source(table, "divided into slices")
    if isinstance(by, str) and source.file is not None:
        by = records_of(source.file).lists([by])[0]
    if not isinstance(table, ItemScores):
        yield from ((slice_value(item.value), item.cluster) for item in _counted_rows(source, by))
        return
    items, _, values = scores_in_order(source, by)
    assert values is not None  # noqa: S101 - `by` is given
    for place in np.flatnonzero(items.counted).tolist():
        yield slice_value(values[place]), int(items.members[place])


class _Limit(NamedTuple):
    """What callers call the column of slices, and how many slices are allowed."""

    name: str
    most: int

    def check(self, n_slices: int, n_items: int) -> None:
        """Refuse a column that names the items, or too many slices to read."""
        if n_slices > self.most:
            raise InvalidInputError(
                argument(self.name) + f" has more than {self.most:,} different values: it looks like an id.",
                hint=wording("group the values first; cluster= is for items that belong together."),
            )
        if n_items and n_slices > 1 and n_items < MIN_ITEMS_PER_SLICE * n_slices:
            raise InvalidInputError(
                argument(self.name)
                + f" has {n_slices:,} different values for {count_of(n_items, 'item')}: it looks like an id.",
                hint="name what many items share: a language, a source, a length from … to.",
            )

    def check_kinds(self, kinds: Iterable[type]) -> None:
        """Refuse texts beside numbers."""
        named = {kind.__name__ for kind in kinds} - {"NoneType"}
        if len(named) > 1 and named != {"int", "float"}:
            raise InvalidInputError(
                argument(self.name) + f" mixes values of different types ({', '.join(sorted(named))}).",
                hint="convert them to one type.",
            )
