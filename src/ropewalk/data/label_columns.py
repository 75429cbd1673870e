"""Columns of labels beside each other: of one kind, written alike, not ids, and with no holes but those allowed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final

from ropewalk.data.labels import (
    INTEGER_TEXT,
    LIKE_SCORES,
    NO_ANSWER,
    WRITE_ALIKE,
    is_fraction,
    without_point,
)
from ropewalk.errors import LabelTypeError, LookalikeLabelsWarning, MissingLabelsError, warn_caller
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of, shorten, told
from ropewalk.typing import Label, Missing

MIN_FRACTIONS_LIKE_SCORES: Final = 3

MIN_IDS: Final = 20
"""From so many items on, labels that are nearly all different are taken for ids."""

_KIND_NAMES: Final = {"str": "text", "int": "int", "bool": "bool", "float": "float"}


def whole_columns(rows: Iterable[Sequence[Any]], n_columns: int) -> list[bool]:
    """Return which columns hold whole numbers only, some of them written as 1.0, and perhaps holes.

    That is what pandas writes for a column of integers with a hole.

    Examples
    --------
    >>> whole_columns([("1.0", "1", 1.5), (None, "0", 2.0), ("0.0", "1", 1.0)], 3)
    [True, False, False]
    """
    open_columns, pointed = set(range(n_columns)), set()
    for row in rows:
        for i in tuple(open_columns):
            value = row[i]
            if value is None:
                continue
            plain = without_point(value)
            if isinstance(plain, bool | float) or (isinstance(plain, str) and not INTEGER_TEXT.fullmatch(plain)):
                open_columns.discard(i)
            elif plain is not value:
                pointed.add(i)
        if not open_columns:
            break
    return [i in open_columns and i in pointed for i in range(n_columns)]


def reconcile_columns(columns: dict[str, set[tuple[str, Any]]]) -> str | None:
    """Check that all columns hold labels of one kind; return that kind. Columns are sets of (kind, label).

    A float column is taken as whole numbers if every column is float, or if it has missing values: pandas
    turns an int column with a hole into a float one, and that is not the user's doing. Otherwise `1` and
    `1.0` differ like `1` and `"1"`, and the error shows both sides.
    """
    kinds: dict[str, str] = {}
    for name, values in columns.items():
        kinds_present = {kind for kind, _ in values} - {""}
        if len(kinds_present) > 1:
            raise LabelTypeError(
                f"{name} mixes labels of different types ({', '.join(sorted(_KIND_NAMES[k] for k in kinds_present))}).",
                hint=WRITE_ALIKE,
            )
        if kinds_present:
            kinds[name] = kinds_present.pop()
    if set(kinds.values()) == {"float"}:
        return "int"
    holed = [name for name, kind in kinds.items() if kind == "float" and ("", None) in columns[name]]
    kinds |= dict.fromkeys(holed, "int")
    if len(set(kinds.values())) > 1:
        sides = []
        for name, kind in kinds.items():
            labels = sorted(value for _, value in columns[name] if value is not None)
            fractions = [label for label in labels if kind == "float" and label % 1]
            if fractions:  # they are scores, where the truth has labels
                raise LabelTypeError(f"{name} holds fractions such as {fractions[-1]:.4g}.", hint=LIKE_SCORES)
            if holed and set(kinds.values()) == {"int", "float"}:
                raise LabelTypeError(
                    f"{holed[0]} has missing values, which made floats of the labels beside it too.",
                    hint="fill them, write None among whole numbers, or make all labels floats: y_true.astype(float).",
                )
            sides.append(f"{name} uses {{{shorten(labels, 5)}}} ({_KIND_NAMES[kind]})")
        raise LabelTypeError("; ".join(sides) + ".", hint=f"every row would count as wrong: {WRITE_ALIKE}")
    return next(iter(kinds.values()), None)


def check_lookalikes(rows: Iterable[tuple[Label | None, ...]], columns: Sequence[str]) -> None:
    """Look for predicted labels that differ from the true ones in writing only.

    "1.0" for "1" is what pandas writes for a column with a hole, and is refused; "Yes" for "yes" may be meant, and is
    a warning. A spelling that the truth has too is a class of its own; declared labels are not questioned.
    """
    by_column = [{label for label in column if isinstance(label, str)} for column in zip(*rows, strict=True)]
    if not any(by_column[1:]):
        return
    plain = {label.strip().casefold(): label for label in by_column[0]}
    whole = {without_point(label): label for label in by_column[0]}
    for name, predicted in zip(columns[1:], by_column[1:], strict=True):
        strange = sorted(predicted - by_column[0])
        fractions = [label for label in strange if is_fraction(label)]
        if len(fractions) >= MIN_FRACTIONS_LIKE_SCORES and 2 * len(fractions) > len(predicted):
            raise LabelTypeError(f"{name} holds fractions such as {fractions[0]!r}.", hint=LIKE_SCORES)
        for label in strange:
            twin = whole.get(without_point(label)) or plain.get(label.strip().casefold())
            if twin is None:
                continue
            text = f"{name} has the label {told(label)} where {columns[0]} has {told(twin)}"
            if without_point(label) == without_point(twin):
                raise LabelTypeError(
                    f"{text}.",
                    hint=wording(
                        "they would count as different classes; write them alike, or declare both with labels=."
                    ),
                )
            warn_caller(f"{text}: they count as different classes.", LookalikeLabelsWarning)


def check_no_ids(rows: Iterable[tuple[Label | None, ...]], n_items: int, columns: Sequence[str]) -> None:
    """Refuse columns that look like ids; declared labels are not questioned.

    A truth does where its labels are as many as the items; a prediction where most items have one of their own, and it
    knows over twice as many as the truth does.
    """
    if n_items < MIN_IDS:
        return
    by_column = [dict.fromkeys(label for label in column if label is not None) for column in zip(*rows, strict=True)]
    n_true = len(by_column[0]) if by_column else 0
    for place, (column, labels) in enumerate(zip(columns, by_column, strict=False)):
        n_labels = len(labels)
        looks_like_ids = n_labels > max(2 * n_true, n_items / 2) if place else n_labels >= n_items
        if not looks_like_ids:
            continue
        beside = f", and {columns[0]} holds {n_true:,}" if place else ""
        raise LabelTypeError(
            f"{column} holds {n_labels:,} different labels for {n_items:,} items, such as {told(next(iter(labels)))}"
            f"{beside}: this looks like an id, not like {'a prediction' if place else 'the true label'}.",
            hint=wording(
                "name the column of predictions in place of {}, and that of ids as id=; where answers have so many "
                "classes, labels= declares them.",
                column,
            )
            if place
            else wording(
                "name the column of true labels as truth=, and that of ids as id=; where every item is a class of its "
                "own, labels= declares them."
            ),
        )


def fill_missing(
    rows: Sequence[tuple[Label | None, ...]],
    counts: Sequence[int],
    names: Sequence[str],
    labels: Sequence[Label],
    missing: Missing,
) -> list[tuple[Label, ...]]:
    """Refuse null labels, or take a missing prediction for a wrong answer."""
    holes = [(row, count) for row, count in zip(rows, counts, strict=True) if None in row]
    by_column = {name: sum(count for row, count in holes if row[i] is None) for i, name in enumerate(names)}
    if holes and missing == "error":
        columns_text = ", ".join(f"{count:,} in {name}" for name, count in by_column.items() if count)
        raise MissingLabelsError(
            f"{count_of(sum(count for _, count in holes), 'item')} with a null or NaN label ({columns_text}).",
            hint=wording(
                'a missing answer is not a wrong one by default; use missing="drop" to leave these items out, or '
                'missing="wrong" to count a missing prediction as wrong.'
            ),
        )
    if by_column[names[0]]:
        raise MissingLabelsError(
            wording('missing="wrong" cannot fill the truth: ')
            + f"{count_of(by_column[names[0]], 'item')} without one ({names[0]}).",
            hint=wording('use missing="drop" for items whose truth is unknown.'),
        )
    return [tuple(_wrong_for(row[0], labels) if label is None else label for label in row) for row in rows]


def _wrong_for(truth: Label | None, labels: Sequence[Label]) -> Label:
    others = [label for label in labels if label != truth]
    if not others:
        raise MissingLabelsError(
            wording('missing="wrong" needs a second label: {!r} is the only one.', truth),
            hint=wording("declare the classes with labels=."),
        )
    return others[0] if len(others) == 1 else NO_ANSWER
