"""Rows of labels, checked and coded: what every way into `Outcomes` goes through."""

from __future__ import annotations

import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ropewalk._checks import check_counts, check_missing
from ropewalk.data.labels import (
    NO_ANSWER,
    check_declared,
    check_labels,
    check_lookalikes,
    clean,
    fill_missing,
    kind_of,
    reconcile_columns,
    sort_labels,
    whole_number,
)
from ropewalk.errors import (
    DataError,
    DroppedItemsWarning,
    InvalidInputError,
    LabelTypeError,
    LengthMismatchError,
    warn_caller,
)
from ropewalk.text.names import count_of, shorten
from ropewalk.text.options import argument, wording
from ropewalk.typing import CodeArray, IntArray, Label, Missing


def code_rows(
    rows: Mapping[tuple[Any, ...], int] | Iterable[Sequence[Any]],
    counts: Iterable[int] | None,
    *,
    names: Sequence[str] | None,
    labels: Iterable[Label] | None,
    missing: Missing,
    columns: Sequence[str] | None,
) -> tuple[CodeArray, IntArray, tuple[Label, ...], tuple[str, ...], int]:
    """Return the rows as positions in the labels, their counts, labels and names, and how many items were dropped."""
    check_missing(missing)
    try:
        keys = [tuple(row) for row in rows]
        many = list(rows.values() if isinstance(rows, Mapping) else [1] * len(keys) if counts is None else counts)
    except TypeError as error:
        raise InvalidInputError("`rows` must be rows (truth, prediction, …), and `counts` numbers.") from error
    numbers = check_counts(many) if many else np.zeros(0, dtype=np.int64)
    if numbers.shape != (len(keys),):
        raise LengthMismatchError(f"There are {count_of(len(keys), 'row')} and {count_of(numbers.size, 'count')}.")
    widths = {len(key) for key in keys}
    n_classifiers = (widths.pop() - 1) if len(widths) == 1 else len(names or ())
    if widths or n_classifiers < 1:
        raise LengthMismatchError("Every row must hold the truth and one prediction a classifier.")
    checked = check_names(names, n_classifiers)
    columns = list(columns) if columns is not None else ["truth", *checked]

    table, kind = _one_kind_rows(keys, numbers.tolist(), columns)
    gone = 0
    if missing == "drop":  # as if the items had never been there: their labels go too
        whole = {row: number for row, number in table.items() if None not in row}
        gone, total = sum(table.values()) - sum(whole.values()), sum(table.values())
        if gone:
            text = f"{gone:,} of {count_of(total, 'item')} had no label in some column and were left out."
            warn_caller(text, DroppedItemsWarning)
        table = whole
    present = sort_labels(value for row in table for value in row if value is not None)
    if labels is None:
        check_lookalikes(table, columns)
    order = present if labels is None else _declared_labels(labels, present, kind)
    if not order:
        raise DataError(
            "There are no items and no labels.", hint=wording("with labels= an empty table gives the prior.")
        )
    filled = fill_missing(table, columns, order, missing)
    if any(NO_ANSWER in row for row in filled) and NO_ANSWER not in order:
        order = (*order, NO_ANSWER)
    position = {label: i for i, label in enumerate(order)}
    codes = np.array([[position[v] for v in row] for row in filled], dtype=np.int32)
    totals = np.fromiter(filled.values(), dtype=np.int64, count=len(filled))
    return codes.reshape(-1, n_classifiers + 1), totals, order, checked, gone


def place_rows(rows: Sequence[Sequence[Any]], codes: CodeArray, labels: Sequence[Label], missing: Missing) -> IntArray:
    """Return which row of `codes` each of `rows` has become; -1 for one that was left out."""
    position = {label: i for i, label in enumerate(labels)}
    places = {tuple(row): i for i, row in enumerate(codes.tolist())}
    answers = [label for label in labels if label != NO_ANSWER]
    row_places = np.full(len(rows), -1, dtype=np.int64)
    for i, row in enumerate(rows):
        plain = tuple(whole_number(clean(value)) for value in row)
        if None in plain:
            if missing == "drop":
                continue
            plain = next(iter(fill_missing({plain: 1}, [""] * len(plain), answers, missing)))
        row_places[i] = places.get(tuple(position[value] for value in plain), -1)  # type: ignore[index]
    return row_places


def check_names(names: Sequence[str] | None, n_classifiers: int | None) -> tuple[str, ...]:
    """Return the names of the classifiers: those given (any number if None), or A, B, C and so on."""
    if names is None:
        letters = string.ascii_uppercase
        return tuple(letters[k] if k < len(letters) else f"M{k + 1}" for k in range(n_classifiers or 0))
    if not isinstance(names, Sequence) or isinstance(names, str) or not all(isinstance(n, str) and n for n in names):
        raise InvalidInputError(f"`names` must be a sequence of non-empty strings; got {names!r}.")
    if n_classifiers is not None and len(names) != n_classifiers:
        raise InvalidInputError(f"{len(names)} names were given for {n_classifiers} classifiers.")
    if len(set(names)) < len(names):
        raise InvalidInputError(
            f"The classifiers' names must differ; got {shorten(names)}.",
            hint="give each a name, or a column, of its own.",
        )
    return tuple(names)


def _one_kind_rows(
    keys: Sequence[tuple[Any, ...]], numbers: Sequence[int], columns: Sequence[str]
) -> tuple[dict[tuple[Label | None, ...], int], str | None]:
    """Return the rows that occur with plain labels, all of one kind, and that kind."""
    seen: dict[str, set[tuple[str, Any]]] = {name: set() for name in columns}
    table: dict[tuple[Any, ...], int] = {}
    for key, number in zip(keys, numbers, strict=True):
        if number:
            row = tuple(clean(value) for value in key)
            table[row] = table.get(row, 0) + number
            for name, value in zip(columns, row, strict=True):
                # A set would take 1, 1.0 and True for one: the kind goes along.
                seen[name].add(("" if value is None else kind_of(value), value))
    kind = reconcile_columns(seen)
    return {tuple(whole_number(value) for value in row): number for row, number in table.items()}, kind


def _declared_labels(labels: Iterable[Label], present: Sequence[Label], kind: str | None) -> tuple[Label, ...]:
    """Return the labels that the user declares, if they cover those of the data."""
    order = check_labels(labels)
    if kind is not None and kind_of(order[0]) != kind:
        raise LabelTypeError(
            argument("labels") + f" declares {kind_of(order[0])} labels ({shorten(order, 5)}) but the data hold {kind} "
            f"ones ({shorten(present, 5)}).",
            hint="1, '1' and True are different labels; declare them as the data have them.",
        )
    check_declared(present, order)
    return order


def distinct_rows(codes: CodeArray, n_labels: int) -> tuple[IntArray, IntArray]:
    """Return where each distinct row stands first, in sorted order, and which of them every row is."""
    width = codes.shape[1]
    if n_labels**width < 1 << 62:  # one integer per row sorts several times faster than rows do
        keys: Any = codes @ (n_labels ** np.arange(width - 1, -1, -1, dtype=np.int64))
        _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    else:
        _, first, inverse = np.unique(codes, axis=0, return_index=True, return_inverse=True)
    return first, inverse.reshape(-1)
