"""Read data in any form: arrays, tables and files become `Outcomes` or `ItemScores`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from ropewalk.data.clusters import check_nested, code_ids
from ropewalk.data.columns import is_frame
from ropewalk.data.labels import is_fraction
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes, is_indicators
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.readers import read_columns, read_outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import check_names
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.text.remarks import argument, wording

Kind = Literal["labels", "scores"]
Table: TypeAlias = Outcomes | MultilabelOutcomes | ItemScores
Names: TypeAlias = Sequence[str | None]

_TABLE_TYPES = (Outcomes, MultilabelOutcomes, ItemScores)


def read_data(
    data: Sequence[Any],
    classifiers: Names | None,
    source: Mapping[str, Any],
    *,
    usage: str,
    kind: Kind | None = "labels",
    has_truth: bool = True,
) -> tuple[Table, ...]:
    """Return one table of all classifiers, or one per classifier where they come separately.

    `data` are arrays (truth first, unless `has_truth` is False), the last of which may be a mapping from names; or one
    `Outcomes`, `ItemScores`, file or dataframe, of which `classifiers` names some; or one `Outcomes` per classifier.
    A name may be None where there is nothing to choose, and `classifiers` where all are meant. A `kind` of None is
    decided by the data: fractions are scores. `source` may hold what `compare` takes as truth, names, labels, missing,
    cluster, id and sample_weight.
    """
    data, source = _unfold(data, source)
    if isinstance(classifiers, str):
        raise InvalidInputError("`predictions` must be a list of names.", hint=usage)
    if len(data) > 1 and all(isinstance(table, Outcomes | MultilabelOutcomes) for table in data):
        _check_made(source)
        return _separate(data, classifiers, source.get("names"), usage)
    columns = _all_of(data, source.get("names"), usage, has_truth=has_truth) if classifiers is None else classifiers
    if not has_truth and len(data) == len(columns) and not (len(data) == 1 and is_table(data[0])):
        data = (None, *data)
    kind = kind or guess_kind(data, columns)
    _check_idle(source, kind)
    if len(data) == len(columns) + 1:
        if source.get("truth") is not None or any(column is not None for column in columns):
            raise InvalidInputError("Arrays have no columns to name; call the classifiers by names=.", hint=usage)
        return (_from_arrays(data, len(columns), source, kind, usage),)
    if len(data) != 1:
        raise InvalidInputError(f"Got {len(data)} positional arguments.", hint=usage)
    if isinstance(data[0], _TABLE_TYPES):
        _check_made(source)
        table = _projected(data[0], columns, usage)
    elif is_table(data[0]):
        table = _from_file(data[0], columns, source, kind, usage, has_truth=has_truth)
    else:
        raise InvalidInputError(f"A single argument cannot be a {type(data[0]).__name__}.", hint=usage)
    names = source.get("names")
    return (table if names is None else table.rename(names),)


def read_outcomes_of(
    data: Sequence[Any], classifiers: Names | None, source: Mapping[str, Any], *, usage: str
) -> tuple[AnyOutcomes, ...]:
    """Return the tables of labels that data hold; see `read_data`."""
    tables = read_data(data, classifiers, source, usage=usage)
    if any(isinstance(table, ItemScores) for table in tables):
        raise InvalidInputError("An ItemScores holds scores, and this is about labels.", hint=usage)
    return tables  # type: ignore[return-value]


def read_one(data: Sequence[Any], name: str | None, source: Mapping[str, Any], **how: Any) -> Table:
    """Return the table of one classifier.

    Its name may follow the data. It picks a classifier of an `Outcomes` or a column of a table; an array is called so.
    """
    if len(data) == 2 and isinstance(data[1], str):  # noqa: PLR2004
        if name is not None:
            raise InvalidInputError(f"The classifier is named twice: {data[1]!r} and name={name!r}.")
        data, name = data[:1], data[1]
    if len(data) == 1 and is_table(data[0]):
        return read_data(data, (name,), source, **how)[0]
    return read_data(data, (None,), source if name is None else {**source, "names": (name,)}, **how)[0]


def guess_kind(data: Sequence[Any], columns: Names = ()) -> Kind:
    """Return whether data hold labels or scores: an `ItemScores` holds scores, and so do fractions."""
    values = data[1:]
    if len(data) == 1 and is_table(data[0]) and not isinstance(data[0], _TABLE_TYPES):
        wanted = [column for column in columns if column is not None]
        values = read_columns(data[0], wanted) if wanted else ()
    has_scores = any(isinstance(table, ItemScores) for table in data) or any(map(_has_fractions, values))
    return "scores" if has_scores else "labels"


def _unfold(data: Sequence[Any], source: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Return the values of a mapping as arrays, and its keys as names."""
    if not data or not isinstance(data[-1], Mapping):
        return data, source
    if source.get("names") is not None:
        raise InvalidInputError("The predictions come with their names; `names` would name them twice.")
    names = [str(name) for name in data[-1]]
    return (*data[:-1], *data[-1].values()), {**source, "names": names}


def _has_fractions(column: Any) -> bool:
    """Whether a column of numbers, or of their text, holds one that is not whole."""
    values = np.asarray(column)
    if values.dtype.kind == "f":
        return bool((np.isfinite(values) & (values % 1 != 0)).any())
    return values.dtype.kind in "OUT" and any(map(is_fraction, values.reshape(-1).tolist()))


def is_table(source: Any) -> bool:
    """Whether data are one table, file or dataframe, of which classifiers are named."""
    return isinstance(source, (str, os.PathLike, *_TABLE_TYPES)) or is_frame(source)


def _all_of(data: Sequence[Any], names: Sequence[str] | None, usage: str, *, has_truth: bool) -> Names:
    """Return names for all classifiers in the data, None for each array."""
    if len(data) == 1 and isinstance(data[0], _TABLE_TYPES):
        return data[0].names
    if len(data) == 1 and is_table(data[0]):
        raise InvalidInputError("Name the columns of predictions.", hint=usage)
    if not has_truth and names is not None:
        return [None] * len(names)
    if not has_truth and len(data) > 1 and data[0] is not None:
        raise InvalidInputError(
            "Which of these is the truth? A mean needs none.", hint="give the values as {'name': values, …}."
        )
    return [None] * max(len(data) - 1, 1)


def _check_idle(source: Mapping[str, Any], kind: Kind) -> None:
    """Refuse what is only about the other kind of data."""
    idle, usual, other = ("missing", "error", "labels") if kind == "scores" else ("sample_weight", None, "scores")
    value = source.get(idle, usual)
    if value is not usual and not (isinstance(value, str) and value == usual):
        raise InvalidInputError(argument(idle) + f" is about {other}, and these are {kind}.", hint="leave it out.")


def _check_made(source: Mapping[str, Any]) -> None:
    known = (source.get(key) for key in ("truth", "labels", "cluster", "id", "sample_weight"))
    if any(value is not None for value in known):
        raise InvalidInputError(
            "An Outcomes or ItemScores has its truth, its labels and its clusters already; give them where it is made."
        )


def _projected(table: Table, columns: Names, usage: str) -> Table:
    """Return some of the classifiers; a name that was left out is that of the classifier that remains."""
    if None in columns and table.n_classifiers != len(columns):
        raise InvalidInputError(
            f"Name {len(columns)} of the {table.n_classifiers} classifiers: {', '.join(table.names)}.", hint=usage
        )
    free = [name for name in table.names if name not in columns]
    return table.project([column if column is not None else free.pop(0) for column in columns])


def _from_arrays(data: Sequence[Any], n_classifiers: int, source: Mapping[str, Any], kind: Kind, usage: str) -> Table:
    """Take the truth and one array per classifier: scores, labels, or 0/1 indicators in two dimensions."""
    names, labels = check_names(source.get("names"), n_classifiers), source.get("labels")
    cluster, ids, missing = source.get("cluster"), source.get("id"), source.get("missing", "error")
    if kind == "scores":
        return ItemScores.from_arrays(
            *data, names=names, labels=labels, cluster=cluster, id=ids, sample_weight=source.get("sample_weight")
        )
    if isinstance(cluster, str) or isinstance(ids, str):
        raise InvalidInputError("Arrays have no column to name: `cluster` and `id` must be arrays too.", hint=usage)
    if ids is not None:
        groups = None if cluster is None else code_ids(cluster, "cluster")[0]
        check_nested(ids, groups, "`id`")
    if not any(is_indicators(array) for array in data):
        return Outcomes.from_arrays(*data, names=names, labels=labels, missing=missing, cluster=cluster)
    if missing != "error":
        raise InvalidInputError(wording("`missing` is about items with one label; an indicator is 0 or 1."))
    return MultilabelOutcomes.from_arrays(*data, names=names, labels=labels, cluster=cluster)


def _from_file(
    file: Any, columns: Names, source: Mapping[str, Any], kind: Kind, usage: str, *, has_truth: bool
) -> Table:
    """Read columns of a file or dataframe."""
    wanted, truth = [column for column in columns if column is not None], source.get("truth")
    if len(wanted) < len(columns) or (truth is None and has_truth):
        absent = argument("truth") if len(wanted) == len(columns) else "the column of predictions or scores"
        text = "A file or dataframe needs the names of its columns; "
        raise InvalidInputError(text + absent + " is missing.", hint=usage)
    places: dict[str, Any] = {key: source.get(key) for key in ("labels", "cluster", "id")}
    if any(column is not None and not isinstance(column, str) for column in (places["cluster"], places["id"])):
        raise InvalidInputError("For a file or dataframe `cluster` and `id` are names of columns.", hint=usage)
    if kind == "scores":
        weight = source.get("sample_weight")
        return ItemScores.read(file, truth=truth, predictions=wanted, sample_weight=weight, **places)
    missing = source.get("missing", "error")
    return read_outcomes(file, truth=truth, predictions=wanted, missing=missing, **places)  # type: ignore[arg-type]


def _separate(
    tables: Sequence[AnyOutcomes], classifiers: Names | None, names: Sequence[str] | None, usage: str
) -> tuple[AnyOutcomes, ...]:
    """Return tables of one classifier each, over the same labels and under different names."""
    wanted = [None] * len(tables) if classifiers is None else classifiers
    if len(wanted) != len(tables):
        raise InvalidInputError(f"There are {len(tables)} tables for {len(wanted)} classifiers.", hint=usage)
    for table, name in zip(tables, wanted, strict=True):
        if name is None and table.n_classifiers > 1:
            raise InvalidInputError(
                f"Each table must hold one classifier; got {', '.join(table.names)}.",
                hint="name one: a= for the first table, b= for the second." if classifiers is not None else usage,
            )
    picked = [table if name is None else table.project([name]) for table, name in zip(tables, wanted, strict=True)]
    called = [table.names[0] for table in picked] if names is None else names
    if names is None and len(set(called)) < len(called):
        called = check_names(None, len(picked))
    named = zip(picked, check_names(called, len(picked)), strict=True)
    return same_labels([table.rename([name]) for table, name in named])


def same_labels(tables: Sequence[AnyOutcomes]) -> tuple[AnyOutcomes, ...]:
    """Return the tables over the labels of all of them: separate test sets may lack different classes."""
    if len({type(table) for table in tables}) > 1:
        raise InvalidInputError("Some tables have a single label per item, others any number.")
    if len({table.labels for table in tables}) == 1:
        return tuple(tables)
    singles = [table for table in tables if isinstance(table, Outcomes)]
    if not singles:
        raise DataError("The tables have different labels.", hint=wording("declare the same labels= for all of them."))
    labels = sum(Outcomes.empty(table.labels, ["any"]) for table in singles).labels  # type: ignore[union-attr]
    return tuple(Outcomes.empty(labels, table.names) + table for table in singles)
