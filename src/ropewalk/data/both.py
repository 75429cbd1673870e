"""Read labels and scores of the same items: metrics of both kinds then stand in one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, Final

import numpy as np

from ropewalk.data.columns import as_column, check_same_length, check_same_order, numbers_in
from ropewalk.data.frames import is_frame, series_of
from ropewalk.data.inputs import Names, Table, is_table, names_of, read_data
from ropewalk.data.labels import is_null
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.records import records_of
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import shorten

BESIDE_LABELS: Final = ("scores", "a_scores", "b_scores")
"""The options that give scores beside labels."""

Both = tuple[tuple[Table, ...], ItemScores]


def read_both(data: Sequence[Any], classifiers: Names, source: Mapping[str, Any], *, usage: str) -> Both:
    """Return labels, and the scores that stand beside them: of the same items, under the same names.

    The scores are one array per classifier in ``source["scores"]``, or an `ItemScores`; or the columns that
    ``source["a_scores"]`` and ``source["b_scores"]`` name. Else `data` and `source` are those of `read_data`. Where
    items are dropped, those go that lack a label or a score, from both.
    """
    scores, columns = source.get("scores"), [source.get(name) for name in BESIDE_LABELS[1:]]
    if scores is not None and columns != [None, None]:
        raise InvalidInputError(wording("The scores are given twice: as `scores`, and as columns."), hint="give one.")
    if isinstance(scores, ItemScores):
        return _beside(read_data(data, classifiers, source, usage=usage), scores)
    if scores is not None:
        return _from_arrays(data, classifiers, scores, source, usage)
    if None in columns:
        raise InvalidInputError(
            wording("Scores beside labels are two columns: a_scores= and b_scores=."), hint="name both."
        )
    if len(data) != 1 or not is_table(data[0]) or isinstance(data[0], Outcomes | ItemScores):
        raise InvalidInputError(
            wording("`a_scores` and `b_scores` are columns of a file or dataframe."),
            hint=wording("beside arrays give scores=(score_a, score_b)."),
        )
    if source.get("missing") == "drop" and None not in classifiers:
        return _complete_rows(data[0], classifiers, columns, source, usage)
    labels = read_data(data, classifiers, source, usage=usage)
    items = read_data(data, columns, {**source, "names": None, "missing": "error"}, usage=usage, kind="scores")[0]
    return _beside(labels, items)


def _beside(labels: tuple[Table, ...], items: Table) -> Both:
    """Check that scores are of the items and classifiers that the labels are of, and call them alike."""
    names = tuple(name for table in labels for name in table.names)
    assert isinstance(items, ItemScores)  # noqa: S101
    if len(labels) > 1:
        raise InvalidInputError(
            "Scores stand beside labels of the same items, and these are separate tables.", hint="ask in two calls."
        )
    if items.n_classifiers != len(names):
        raise InvalidInputError(
            f"There are scores of {items.n_classifiers} classifiers, and labels of {len(names)}.",
            hint="give scores and labels of the same classifiers, in one order.",
        )
    if items.n_items != labels[0].n_items:
        raise DataError(
            f"There are scores of {items.n_items:,} items, and labels of {labels[0].n_items:,}.",
            hint="both must be of the same items.",
        )
    return labels, items.project(names) if set(items.names) == set(names) else items.rename(names)


def _from_arrays(data: Sequence[Any], classifiers: Names, scores: Any, source: Mapping[str, Any], usage: str) -> Both:
    """Take the truth, the labels and the scores of all classifiers as arrays."""
    if len(data) != len(classifiers) + 1:
        raise InvalidInputError(
            wording("`scores` stand beside arrays of labels: y_true, pred_a, pred_b."),
            hint=wording("name columns of a table as a_scores= and b_scores=."),
        )
    if isinstance(scores, Mapping) or is_frame(scores):
        scores, names = _by_name(scores, source.get("names") or names_of(data[1:], data[0]))
        source = {**source, "names": names}
    if not isinstance(scores, list | tuple) or len(scores) != len(classifiers):
        raise InvalidInputError(
            wording("`scores` must be a pair: those of A and those of B."),
            hint=wording("write scores=(score_a, score_b)."),
        )
    beside = {name: source[name] for name in ("cluster", "id") if source.get(name) is not None}
    titles = ["y_true", *["labels"] * len(classifiers), *["scores"] * len(scores), *beside]
    check_same_order([*data, *scores, *beside.values()], titles)
    truth, rest, left_out = data[0], beside, 0
    if source.get("missing") == "drop":
        columns = [*(as_column(column, "labels") for column in data), *map(_rows_of, scores)]
        check_same_length(
            {f"{title} {i}": column for i, (title, column) in enumerate(zip(titles, columns, strict=False))}
        )
        lacks_score = [any(map(_lacks_any, row)) for row in zip(*columns[len(data) :], strict=True)]
        kept = [
            not lacks and not any(map(_lacks_any, row))
            for lacks, row in zip(lacks_score, zip(*columns[: len(data)], strict=True), strict=True)
        ]
        left_out = len(kept) - sum(kept)
        # An item without a score loses a label, so that the labels are read as they would be alone.
        first = [None if lacks else label for label, lacks in zip(columns[1], lacks_score, strict=True)]
        data = [data[0], first, *data[2:]] if any(lacks_score) else data
        truth, *scores = (list(compress(column, kept)) for column in (columns[0], *columns[len(data) :]))
        rest = {name: list(compress(_rows_of(column), kept)) for name, column in beside.items()}
    labels = read_data(data, classifiers, source, usage=usage)
    how = {**source, **rest, "missing": "error"}
    labels, items = _beside(labels, read_data((truth, *scores), classifiers, how, usage=usage, kind="scores")[0])
    return labels, replace(items, left_out=left_out)


def _by_name(scores: Any, names: Sequence[str] | None) -> tuple[tuple[Any, ...], Sequence[str]]:
    """Return scores that come with the names of classifiers, in the order of these, and the names.

    Where the classifiers have no names yet they get those of the scores.
    """
    columns = dict(scores) if isinstance(scores, Mapping) else series_of(scores)
    called = [str(name) for name in columns]
    if names is None:
        return tuple(columns.values()), called
    if set(called) != set(names):
        raise InvalidInputError(
            wording("`scores` are of {}, and the classifiers are called {}.", shorten(called), shorten(names)),
            hint=wording("name them alike, or write scores=(score_a, score_b)."),
        )
    return tuple(columns[name] for name in names), names


def _complete_rows(
    file: Any, classifiers: Names, columns: Sequence[Any], source: Mapping[str, Any], usage: str
) -> Both:
    """Read columns of labels and of scores, without the rows that lack one of them."""
    if source.get("truth") is None:
        raise InvalidInputError(argument("truth") + " is missing: the column of true labels.", hint=usage)
    ids = {name: source[name] for name in ("cluster", "id") if source.get(name) is not None}
    wanted = [source["truth"], *classifiers, *columns, *ids.values()]
    distinct = list(dict.fromkeys(wanted))
    cells = dict(zip(distinct, records_of(file).lists(distinct), strict=True))
    how = {**source, "truth": None, "names": source.get("names") or classifiers}
    how |= {name: cells[column] for name, column in ids.items()}
    scores = [numbers_in(cells[column], column) for column in columns]
    arrays = [cells[column] for column in (source["truth"], *classifiers)]
    return _from_arrays(arrays, [None] * len(classifiers), scores, how, usage)


def _rows_of(column: Any) -> Any:
    """Return the values of a column item by item, of which each may be a row."""
    if isinstance(column, list | tuple):
        return column
    return np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else column)


def _lacks_any(value: Any) -> bool:
    """Whether a label is null, or a score, or one of an item's scores."""
    if isinstance(value, np.ndarray | list | tuple):
        return any(map(_lacks_any, value))
    return is_null(value)
