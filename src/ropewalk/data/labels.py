"""Labels: what may be one, which order they come in, and what a missing one means.

`1`, `"1"` and `True` are different labels, although Python's dictionaries think that `1 == True`; so a
column has exactly one kind of label, and all columns of a table have the same kind.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from decimal import Decimal
from typing import Any, Final

import numpy as np

from ropewalk._arguments import listed
from ropewalk.errors import (
    InvalidInputError,
    LabelTypeError,
    PosLabelError,
    UndeclaredLabelError,
)
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import brief, nearest, shorten, told
from ropewalk.typing import Label

BINARY: Final = 2
"""How many labels there are where one of two is positive."""

NO_ANSWER: Final = "(no answer)"
"""The label of a missing prediction that counts as wrong, where there is no single other label."""

INTEGER_TEXT = re.compile(r"[+-]?[0-9]{1,4000}", re.ASCII)
_WHOLE_FLOAT = re.compile(r"[+-]?[0-9]+\.0+", re.ASCII)
WRITE_ALIKE: Final = "1, '1', 1.0 and True are different labels; convert them to one type."
"""What to do about labels of several types."""

LIKE_SCORES: Final = wording(
    "these look like probabilities or scores: threshold=0.5 makes labels of them, or name a metric of scores, as "
    'metric="roc_auc".'
)
"""What to do about labels that are fractions."""

_FRACTION = re.compile(r"[+-]?[0-9]*\.[0-9]+([eE][+-]?[0-9]+)?|[+-]?[0-9]+[eE][+-]?[0-9]+", re.ASCII)
NULL_TYPES: Final = frozenset({"NAType", "NaTType"})  # pandas' nulls, recognised without importing pandas


def is_null(value: Any) -> bool:
    """Whether a value is None, NaN or a null of pandas.

    Examples
    --------
    >>> is_null(None), is_null(float("nan")), is_null(0), is_null("")
    (True, True, False, False)
    """
    kind = type(value)
    if kind is str or kind is int:
        return False
    if value is None or kind.__name__ in NULL_TYPES:
        return True
    differs = value != value  # noqa: PLR0124 - NaN
    return isinstance(differs, bool | np.bool_) and bool(differs)


def clean(value: Any) -> Label | float | None:
    """Return a plain Python label, None for null and NaN, or raise.

    Examples
    --------
    >>> clean(np.int8(3)), clean(float("nan")), clean(np.str_("cat"))
    (3, None, 'cat')
    """
    kind = type(value)
    if kind is str or kind is int or kind is bool or value is None:
        return value  # type: ignore[no-any-return]
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float | np.floating):
        return None if math.isnan(value) else float(value)
    if kind is Decimal:  # what databases have for whole numbers, too
        return (
            clean(math.nan if value.is_nan() else float(value))
            if not value.is_finite() or value.as_tuple().exponent < 0
            else int(value)
        )
    if kind.__name__ in NULL_TYPES:
        return None
    raise LabelTypeError(
        f"A label must be an int, a str or a bool; got {told(value)} ({kind.__name__}).",
        hint="convert the column to text or whole numbers first.",
    )


_NO_LABELS: Final = {
    "dates": {"date", "Date"},
    "times": {"datetime", "Datetime", "datetime64", "Timestamp", "time", "Time"},
    "lengths of time": {"timedelta", "Timedelta", "timedelta64", "Duration", "MonthDayNano"},
    "bytes": {"bytes", "bytearray", "memoryview", "Binary"},
    "lists or structures": {"list", "tuple", "set", "dict", "ndarray", "Row", "Series", "List", "Array", "Struct"},
}
_LABEL_TYPES: Final = NULL_TYPES | {"NoneType", "str", "str_", "int", "bool", "bool_", "float", "Decimal"}


def kind_in_words(kind: str) -> str:
    """Return what values of a type are, by its name; empty where they are labels or numbers.

    Examples
    --------
    >>> kind_in_words("Timestamp"), kind_in_words("int64"), kind_in_words("Interval")
    ('times', '', 'values of type Interval')
    """
    if kind in _LABEL_TYPES or kind.rstrip("0123456789") in {"int", "uint", "float"}:
        return ""
    return next((words for words, names in _NO_LABELS.items() if kind in names), f"values of type {kind}")


def not_a_label(name: str, words: str) -> LabelTypeError:
    """Return the error about a column that holds no labels."""
    return LabelTypeError(
        f"{name} holds {words}, and must hold text, whole numbers or booleans.",
        hint="convert the column to text or whole numbers first.",
    )


def plain_labels(column: Iterable[Any], name: str) -> list[Any]:
    """Return labels or ids as plain values; what is none of them is called by its kind, whatever the library.

    Examples
    --------
    >>> plain_labels([np.int8(1), float("nan")], "y")
    [1, None]
    """
    column = list(column)
    try:
        return [clean(value) for value in column]
    except LabelTypeError:
        strange = {kind_in_words(type(value).__name__) for value in column} - {""}
        if strange:
            raise not_a_label(name, min(strange)) from None
        raise


def kind_of(label: Label | float) -> str:
    """Return "bool", "int", "float" or "str"."""
    return type(label).__name__


def sort_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """Return distinct labels in ropewalk's order: numeric if all are integer literals, else by code point.

    Examples
    --------
    >>> sort_labels(["10", "9", "-1"]), sort_labels(["b", "10", "9"])
    (('-1', '9', '10'), ('10', '9', 'b'))
    """
    distinct = {(kind_of(label), label) for label in labels}
    plain = [label for kind, label in distinct if not (kind == "str" and label == NO_ANSWER)]
    texts = [label for label in plain if isinstance(label, str)]
    if not texts:
        ordered: list[Label] = sorted(plain)
    elif len(texts) == len(plain) and all(INTEGER_TEXT.fullmatch(text) for text in texts):
        ordered = sorted(texts, key=lambda text: (int(text), text))
    else:
        ordered = sorted(plain, key=lambda label: (str(label), kind_of(label)))
    return (*ordered, NO_ANSWER) if len(plain) < len(distinct) else tuple(ordered)


def placed_labels(labels: Sequence[Label], declared: Iterable[Label]) -> tuple[tuple[Label, ...], Any]:
    """Return the labels that are declared, and the place of each label of a table among them.

    Examples
    --------
    >>> placed_labels(["a", "c"], ["c", "b", "a"])
    (('c', 'b', 'a'), array([2, 0], dtype=int32))
    """
    order = check_labels(declared)
    known = [label for label in labels if label != NO_ANSWER]
    if known and kind_of(known[0]) != kind_of(order[0]):
        raise LabelTypeError(
            argument("labels") + f" declares {kind_of(order[0])} labels ({shorten(order, 5)}), and the tables hold "
            f"{kind_of(known[0])} ones ({shorten(known, 5)}).",
            hint="1, '1' and True are different labels; declare them as the tables have them.",
        )
    check_declared(known, order)
    order = order if len(known) == len(labels) or NO_ANSWER in order else (*order, NO_ANSWER)
    place = {label: i for i, label in enumerate(order)}
    return order, np.array([place[label] for label in labels], dtype=np.int32)


def unite_labels(first: tuple[Label, ...], other: tuple[Label, ...]) -> tuple[Label, ...]:
    """Return the labels of two tables: in the order of the first where they have the same ones, else sorted.

    Examples
    --------
    >>> unite_labels(("b", "a"), ("a", "b")), unite_labels(("b", "a"), ("c",))
    (('b', 'a'), ('a', 'b', 'c'))
    """
    if first == other:
        return first
    kinds = [{kind_of(label) for label in labels if label != NO_ANSWER} for labels in (first, other)]
    if kinds[0] != kinds[1]:
        raise LabelTypeError(
            f"The two tables hold labels of different types: {shorten(first, 5)} and {shorten(other, 5)}.",
            hint="1, '1' and True are different labels; convert one side.",
        )
    return first if set(first) == set(other) else sort_labels((*first, *other))


def check_labels(labels: Iterable[Any], name: str = "labels") -> tuple[Label, ...]:
    """Return the labels that a user declares under the name of an argument, in the order given."""
    is_one = isinstance(labels, np.ndarray) and labels.ndim == 0
    if isinstance(labels, str | Mapping | AbstractSet) or not isinstance(labels, Iterable) or is_one:
        raise InvalidInputError(
            argument(name) + wording(" must be a sequence of labels; got {!r}.", labels),
            hint="their order counts, and a set has none."
            if isinstance(labels, Mapping | AbstractSet)
            else "write a list.",
        )
    declared = [whole_number(clean(label)) for label in listed(labels, argument(name))]
    if not declared:
        raise InvalidInputError(
            argument(name) + " is empty; declare at least one class, or leave it out.",
            hint="the labels that the data hold are found by themselves.",
        )
    if None in declared:
        raise InvalidInputError(
            argument(name) + " holds a null; a class needs a name.",
            hint=wording('missing labels are no class: missing="wrong" counts them as mistakes.'),
        )
    seen = {(kind_of(label), label) for label in declared}  # type: ignore[arg-type]
    if len(seen) < len(declared):
        raise InvalidInputError(
            argument(name) + f" must not repeat a class; got {shorten(declared)}.", hint="name each class once."
        )
    if len({kind for kind, _ in seen}) > 1:
        raise InvalidInputError(argument(name) + f" mixes types: {shorten(declared)}.", hint=WRITE_ALIKE)
    return tuple(declared)  # type: ignore[arg-type]


def labels_of_empty(labels: Iterable[Any]) -> tuple[Label, ...]:
    """Return the labels of a table without items, one class and the rest, or that of missing answers, among them.

    Examples
    --------
    >>> labels_of_empty([1, 0]), labels_of_empty([1, 0, NO_ANSWER]), labels_of_empty([])
    ((1, 0), (1, 0, '(no answer)'), ())
    """
    order = [whole_number(clean(label)) for label in listed(labels, argument("labels"))]
    distinct = {(type(label), label) for label in order}
    if None in order or len(distinct) < len(order):
        return check_labels(order)  # which says what is wrong with them
    return tuple(order)  # type: ignore[arg-type]


def labels_or_numbers(labels: Iterable[Any] | None, n_classes: int) -> tuple[Label, ...]:
    """Return one label per class: those that were given, or 0, 1, ….

    Examples
    --------
    >>> labels_or_numbers(None, 3), labels_or_numbers(["no", "yes"], 2)
    ((0, 1, 2), ('no', 'yes'))
    """
    known = tuple(range(n_classes)) if labels is None else check_labels(labels)
    if len(known) != n_classes:
        raise InvalidInputError(
            f"{len(known)} labels were given for {n_classes} classes.", hint="give one label per row of the matrix."
        )
    return known


def is_fraction(value: Any) -> bool:
    """Whether a value is a number that is not whole, or the text of one.

    Examples
    --------
    >>> is_fraction(0.5), is_fraction("0.50"), is_fraction("1.0"), is_fraction(2)
    (True, True, False, False)
    """
    if isinstance(value, str):
        return bool(_FRACTION.fullmatch(value)) and not _WHOLE_FLOAT.fullmatch(value)
    return isinstance(value, float | np.floating) and bool(np.isfinite(value)) and value % 1 != 0


def check_declared(present: Iterable[Label], declared: Sequence[Label]) -> None:
    """Refuse labels of the data that were not declared."""
    known = frozenset(declared)
    strays = [label for label in present if label not in known]
    if strays:
        raise UndeclaredLabelError(
            wording("The data hold labels that `labels` does not declare: {}.", shorten(strays)),
            hint=wording("labels= must list every class; leave it out to take the classes from the data."),
        )


def whole_number(label: Label | float | None) -> Label | None:
    """Return `label`, with a float that is a whole number as an int."""
    if not isinstance(label, float):
        return label
    if not math.isfinite(label) or label != math.floor(label):
        raise LabelTypeError(f"A label must be an int, a str or a bool; got the fraction {label!r}.", hint=LIKE_SCORES)
    return int(label)


def without_point(label: Any) -> Any:
    """Return a whole number that is written with a point as an integer: "1.0" as "1", 1.0 as 1.

    Examples
    --------
    >>> without_point("1.0"), without_point(1.0), without_point("1.5"), without_point("cat"), without_point(None)
    ('1', 1, '1.5', 'cat', None)
    """
    if isinstance(label, str):
        return label.partition(".")[0] if _WHOLE_FLOAT.fullmatch(label) else label
    if isinstance(label, float) and label.is_integer():
        return int(label)
    return label


def usual_positive(labels: Sequence[Label]) -> Label | None:
    """Return the label that is positive by default: 1, True or "1"."""
    return next((label for label in labels if label in (1, "1")), None)  # True == 1


def rest_of(positive: Label, labels: Sequence[Label] = ()) -> Label:
    """Return what all labels but one are called: the other one of two, else "not" that one."""
    others = [label for label in labels if label != positive]
    return others[0] if len(others) == 1 else f"not {positive}"


def label_text(label: Label) -> str:
    """Return the text form of a label, as the command line and JSON write it."""
    return label if isinstance(label, str) else str(label)


def find_places(wanted: Iterable[Any], labels: Sequence[Label], *, what: str) -> tuple[int, ...]:
    """Return the places of the labels that are named among all labels, in their order and each once.

    Examples
    --------
    >>> find_places(["c", "a", "c"], ["a", "b", "c"], what="classes")
    (0, 2)
    """
    places = {(kind_of(label), label): place for place, label in enumerate(labels)}
    found = set()
    for label in listed(wanted, argument(what)):
        try:
            plain = whole_number(clean(label))
            found.add(places[kind_of(plain), plain])  # type: ignore[arg-type, index]
        except (LabelTypeError, KeyError):
            found.add(labels.index(find_label(label, labels, what=what)))  # which raises
    return tuple(sorted(found))


def find_label(wanted: Any, labels: Sequence[Label], *, by_text: bool = False, what: str = "pos_label") -> Label:
    """Return the label that `wanted` names, or list those that there are.

    The command line knows only text, so it matches `by_text`; Python tells `1` from `"1"`.
    """
    if by_text:
        matches = [label for label in labels if label_text(label) in {wanted, without_point(wanted)}]
    else:
        try:
            plain = whole_number(clean(wanted))
        except LabelTypeError as error:
            raise LabelTypeError(argument(what) + f" names a class. {error.message}", hint=error.hint) from error
        matches = [label for label in labels if type(label) is type(plain) and label == plain]
    if matches:
        return matches[0]
    twin = next((label for label in labels if str(label).lower() == str(wanted).lower()), None)
    guess = told(twin) if twin is not None else nearest(brief(str(wanted)), map(brief, map(str, labels)))
    raise PosLabelError(
        argument(what) + f" {told(wanted)} is not a label of these data.",
        hint=(f"did you mean {guess}? " if guess else "")
        + wording("The labels are: {}. labels= declares a class that the data lack.", shorten(labels))
        if labels
        else "they hold no labels: leave it out.",
    )
