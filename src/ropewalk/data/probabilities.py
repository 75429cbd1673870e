"""Probabilities where labels are needed: a vector is cut at a threshold, a matrix says the most probable class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ropewalk._arguments import array_of
from ropewalk._checks import is_real
from ropewalk.data.columns import as_array, as_column, as_numbers, is_indicators
from ropewalk.data.engines import as_frame
from ropewalk.data.frames import frame_names, is_frame
from ropewalk.data.labels import (
    BINARY,
    check_labels,
    clean,
    is_fraction,
    label_text,
    sort_labels,
    usual_positive,
    whole_number,
)
from ropewalk.data.weights import numbers_of
from ropewalk.errors import InvalidInputError, LabelTypeError, LengthMismatchError, PosLabelError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import shorten
from ropewalk.typing import Label


def has_fractions(column: Any) -> bool:
    """Whether a column of numbers, or of their text, holds one that is not whole."""
    values = np.asarray(column)
    if values.dtype.kind == "f":
        return bool((np.isfinite(values) & (values % 1 != 0)).any())
    return values.dtype.kind in "OUT" and any(map(is_fraction, values.reshape(-1).tolist()))


def is_of_classes(truth: Any, prediction: Any) -> bool:
    """Whether predictions are a matrix of scores, with one column per class, of items that have one label each.

    Whole numbers are none: they are 0/1 indicators of items that have any number of labels.
    """
    if truth is None or not is_indicators(prediction) or is_indicators(truth):
        return False
    try:
        return array_of(prediction).dtype.kind not in "iub"
    except ValueError as error:
        raise LabelTypeError(
            "Predictions in rows of several numbers, not all of them alike, are no matrix.",
            hint="give each item one label, or as many probabilities as there are classes.",
        ) from error


def makes_labels(data: Sequence[Any], threshold: Any) -> bool:
    """Whether predictions are probabilities that labels can be made of: with a threshold, or as matrices of classes."""
    if threshold is not None:
        return True
    truth, *predictions = data
    if predictions and isinstance(predictions[-1], Mapping):
        predictions = list(predictions[-1].values())
    return bool(predictions) and all(is_of_classes(truth, prediction) for prediction in predictions)


def name_columns(data: Sequence[Any], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options in which `classes` names the columns of matrices, where there are as many columns.

    Estimators call it ``classes_``. It lists all classes then, and picks none of them for an average.
    """
    chosen = dict(options)
    if options.get("classes") is None or len(data) < 2:  # noqa: PLR2004
        return chosen
    rest = data[1].values() if isinstance(data[1], Mapping) else data[1:]
    widths = {np.shape(matrix)[1] for matrix in rest if is_of_classes(data[0], matrix)}
    classes = check_labels(options["classes"], "classes")
    if widths == {len(classes)}:
        chosen |= {"classes": None, "columns": classes}
    elif widths:
        chosen["classes"] = classes
    return chosen


def as_labels(data: Sequence[Any], source: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """Return the truth and predictions with probabilities turned into labels; labels stay as they are.

    `source` may hold threshold, columns, labels and pos_label.
    """
    truth, *predictions = data
    threshold = _check_threshold(source.get("threshold"))
    known: tuple[Label, ...] = ()
    turned = []
    any_of = False
    for prediction, name in zip(predictions, names, strict=True):
        matrix = is_of_classes(truth, prediction)
        if threshold is not None and is_indicators(truth) and is_indicators(prediction):
            any_of = any_of or has_fractions(_values_in(prediction))
            turned.append(_reaching(prediction, name, threshold))
        elif matrix or (threshold is not None and not is_indicators(prediction) and has_fractions(prediction)):
            known = known or _labels_of(truth, source.get("labels"))
            cut = _most_probable if matrix else _cut
            turned.append(cut(prediction, name, known, threshold, source))
        else:
            turned.append(prediction)
    if threshold is not None and not known and not any_of:
        raise InvalidInputError(argument("threshold") + " is about scores, and these are labels.", hint="leave it out.")
    return [truth, *turned]


def in_label_order(data: Sequence[Any], names: Sequence[str], source: Mapping[str, Any]) -> tuple[list[Any], Any]:
    """Return the truth and matrices of scores with their columns in the order of the labels, and these labels.

    Columns are brought into it where a dataframe names them by the labels. Everything else stays as it is.
    """
    truth, *scores = data
    labels = source.get("columns") or source.get("labels")
    by_name = [source.get("columns") is None and is_of_classes(truth, s) and bool(frame_names(s)) for s in scores]
    if not any(by_name):
        return [truth, *scores], labels
    known = _labels_of(truth, labels)
    columns = [
        columns_of(matrix, name, known, None) if here else known
        for matrix, name, here in zip(scores, names, by_name, strict=True)
    ]
    order = (*known, *sort_labels({label for row in columns for label in row} - set(known)))
    ordered = [
        _numbers(matrix, name)[:, [row.index(label) for label in order]] if here and set(row) == set(order) else matrix
        for matrix, name, here, row in zip(scores, names, by_name, columns, strict=True)
    ]
    return [truth, *ordered], order


def _values_in(matrix: Any) -> Any:
    """Return the numbers of a matrix; of a sparse one those that it lists."""
    return matrix.data if hasattr(matrix, "tocsr") else matrix


def _reaching(scores: Any, name: str, threshold: float) -> Any:
    """Return which scores of items × labels are from the threshold on; a dataframe keeps the names of its columns."""
    _numbers(_values_in(scores), name)
    if hasattr(scores, "tocsr"):
        if threshold <= 0:  # so are those that it does not list
            return scores.toarray() >= threshold
        matrix = scores.tocsr(copy=True)
        matrix.data = (matrix.data >= threshold).astype(np.int8)
        return matrix
    if not is_frame(scores):
        return np.asarray(scores) >= threshold
    import narwhals as nw

    return as_frame(scores).select(nw.all() >= threshold).to_native()


def _check_threshold(threshold: Any) -> float | None:
    if threshold is not None and not (is_real(threshold) and np.isfinite(threshold)):
        raise InvalidInputError(
            wording("`threshold` must be a finite number; got {!r}.", threshold), hint="0.5 is usual for probabilities."
        )
    return None if threshold is None else float(threshold)


def _labels_of(truth: Any, labels: Iterable[Label] | None) -> tuple[Label, ...]:
    """Return the declared labels, or those that are true of some item."""
    if labels is not None:
        return check_labels(labels)
    plain = as_column(truth, "y_true")
    values = np.unique(plain).tolist() if isinstance(plain, np.ndarray) else plain
    found = {whole_number(clean(value)) for value in values} - {None}
    return sort_labels(found)  # type: ignore[arg-type]


def _positive(labels: Sequence[Label], wanted: Any) -> Label:
    """Return the label that high scores mean."""
    positive = usual_positive(labels) if wanted is None else _match(wanted, labels)
    if positive is None:
        raise PosLabelError(
            f"High probabilities mean one of {shorten(labels)}, and nothing says which.",
            hint=wording("name it as pos_label=."),
        )
    return positive


def _match(wanted: Any, labels: Sequence[Label]) -> Label | None:
    return next((label for label in labels if label_text(label) == str(wanted)), None)


def _cut(
    scores: Any, name: str, labels: tuple[Label, ...], threshold: float | None, source: Mapping[str, Any]
) -> list[Label]:
    """Return the positive label for scores from the threshold on, and the other one for the rest."""
    if len(labels) != BINARY:
        raise InvalidInputError(
            f"The predictions of {name!r} are one number per item, and there are {len(labels)} labels.",
            hint=wording("give a matrix with one column per class, and classes= for what the columns are.")
            if len(labels) > BINARY
            else wording("labels= declares both."),
        )
    positive = _positive(labels, source.get("pos_label"))
    other = next(label for label in labels if label != positive)
    numbers = _numbers(scores, name)
    if numbers.ndim > 1 and numbers.shape[1] > 1:
        raise LengthMismatchError(
            f"The scores of {name!r} have {numbers.shape[1]} columns, and a threshold cuts one.",
            hint="give one probability per item.",
        )
    return [positive if high else other for high in (numbers.reshape(-1) >= threshold).tolist()]


def _most_probable(
    scores: Any, name: str, labels: tuple[Label, ...], threshold: float | None, source: Mapping[str, Any]
) -> list[Label]:
    """Return the label of the column with the largest score, the first of equal ones; of two, by a threshold if any."""
    columns = columns_of(scores, name, labels, source.get("columns"))
    numbers = _numbers(scores, name)
    if threshold is None:
        return [columns[place] for place in numbers.argmax(axis=1).tolist()]
    if len(columns) != BINARY:
        raise InvalidInputError(
            argument("threshold") + f" is about two classes, and the scores of {name!r} are of {len(columns)}.",
            hint="leave it out: the most probable class is taken.",
        )
    wanted = source.get("pos_label")
    place = 1 if wanted is None or _match(wanted, columns) is None else columns.index(_match(wanted, columns))
    return [columns[place if high else 1 - place] for high in (numbers[:, place] >= threshold).tolist()]


def columns_of(
    scores: Any, name: str, labels: tuple[Label, ...], columns: tuple[Label, ...] | None
) -> tuple[Label, ...]:
    """Return the label of each column: as named, as a dataframe names them, or in the order of the labels."""
    if columns is not None:
        return columns
    by_text = {label_text(label): label for label in labels}
    heads = frame_names(scores)
    texts = [str(head) for head in heads]
    if heads and set(by_text) <= set(texts):
        return check_labels(by_text.get(str(head), _like(head, labels)) for head in heads)
    width = np.shape(scores)[1]
    if set(by_text) & set(texts) and heads != list(range(width)):  # a dataframe that was given no names counts columns
        lacking = [label for label in labels if label_text(label) not in texts]
        raise LengthMismatchError(
            f"The scores of {name!r} have the columns {shorten(texts, 6)}, and the labels are {shorten(labels, 6)}: "
            f"there is no column of {shorten(lacking, 3)}.",
            hint=wording("classes= says what the columns are: the classes_ of the estimator."),
        )
    if width != len(labels):
        raise LengthMismatchError(
            f"The scores of {name!r} have {width} columns, and there are {len(labels)} labels ({shorten(labels, 6)}).",
            hint=wording("classes= says what the columns are: the classes_ of the estimator."),
        )
    return labels


def _like(head: Any, labels: Sequence[Label]) -> Any:
    """Return the name of a column as a label: a whole number in writing is one where labels are whole numbers."""
    is_number = isinstance(head, str) and head.isdecimal() and all(type(label) is int for label in labels)
    return int(head) if is_number else head


def _numbers(scores: Any, name: str) -> Any:
    if hasattr(scores, "to_numpy"):
        scores = scores.to_numpy()
    array = as_array(scores, f"the scores of {name!r}")
    if array.dtype.kind in "OUT" and array.ndim == 1:
        array = numbers_of(array.tolist(), name)
    return as_numbers(array, name)
