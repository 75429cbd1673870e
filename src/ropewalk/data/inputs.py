"""Read data in any form: arrays, tables and files become `Outcomes` or `ItemScores`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias

from ropewalk._checks import check_missing
from ropewalk._files import shorten_path
from ropewalk.data.clusters import check_nested, code_ids
from ropewalk.data.columns import is_indicators, library_of, series_name
from ropewalk.data.counts import COUNTED, Counts, open_counts
from ropewalk.data.databases import Query
from ropewalk.data.frames import is_frame, series_of
from ropewalk.data.kinds import COUNTS, kind_of
from ropewalk.data.logs.reading import Log
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.probabilities import as_labels, has_fractions, in_label_order
from ropewalk.data.readers import read_outcomes
from ropewalk.data.records import ColumnRecords, records_of
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import check_names
from ropewalk.data.weights import check_alone, numbers_of
from ropewalk.errors import ColumnNotFoundError, DataError, InvalidInputError
from ropewalk.text.remarks import argument, wording

Kind = Literal["labels", "scores"]
Table: TypeAlias = Outcomes | MultilabelOutcomes | ItemScores
Names: TypeAlias = Sequence[str | None]

_NO_COLUMNS: Final = wording("Arrays have no columns to name: `truth`, `a`, `b`, `predictions` name none.")

_OF_PATHS: Final = (
    "read_log(path) opens an evaluation log; join_outcomes and join_scores join tables of one classifier each."
)

BESIDE: Final = ("cluster", "id", "sample_weight", "count")
"""What can stand beside predictions: arrays, or columns of a table."""

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
    `Outcomes`, `ItemScores`, file, dataframe or mapping from names to columns, of which `classifiers` names some; or
    one `Outcomes` per classifier.
    A name may be None where there is nothing to choose, and `classifiers` where all are meant. A `kind` of None is
    decided by the data: fractions are scores. `source` may hold what `compare` takes as truth, names, labels, missing,
    cluster, id, sample_weight, count, threshold and columns.
    """
    library = library_of(data)
    data, source = with_counts(with_columns(data, classifiers, source), source)
    tables = _read(data, classifiers, source, usage=usage, kind=kind, has_truth=has_truth)
    return tuple(replace(table, library=table.library or library) for table in tables)


def with_columns(data: Sequence[Any], classifiers: Names | None, source: Mapping[str, Any]) -> Sequence[Any]:
    """Return a mapping from names to columns as a table, where columns of it are named."""
    if len(data) != 1 or not isinstance(data[0], Mapping):
        return data
    named = [source.get(role) for role in ("truth", *BESIDE)]
    if any(isinstance(name, str) for name in (*named, *(classifiers or ()))):
        return (ColumnRecords(data[0]),)
    return data


def with_counts(data: Sequence[Any], source: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Return tables in place of files of counts, and the options without what such files say themselves."""
    paths = [each for each in data if isinstance(each, str | os.PathLike)]
    if not any(kind_of(path, (COUNTS,)) is COUNTS for path in paths):
        return data, source
    read = [open_counts(each) if kind_of(each, (COUNTS,)) is COUNTS else each for each in data]
    rest = dict(source)
    for path, counts in zip(data, read, strict=True):
        columns = counts.columns if isinstance(counts, Counts) else {}
        for name in columns.keys() & rest.keys():
            if rest[name] is not None and not (isinstance(rest[name], str) and rest[name] == columns[name]):
                raise ColumnNotFoundError(
                    f"{shorten_path(path)} holds counts of {columns[name]!r} as " + argument(name) + ".",
                    hint="leave it out, or count the rows again.",
                )
            rest[name] = None
    tables = [each.table if isinstance(each, Counts) else each for each in read]
    if rest.get("labels") is not None and all(isinstance(table, COUNTED) for table in tables):
        tables, rest["labels"] = [table.over(rest["labels"]) for table in tables], None
    return tables, rest


def _read(
    data: Sequence[Any],
    classifiers: Names | None,
    source: Mapping[str, Any],
    *,
    usage: str,
    kind: Kind | None,
    has_truth: bool,
) -> tuple[Table, ...]:
    data, source = _unfold(data, source, several=classifiers is None or len(classifiers) > 1)
    if isinstance(classifiers, str):
        raise InvalidInputError("`predictions` must be a list of names.", hint=usage)
    if len(data) > 1 and all(isinstance(table, Outcomes | MultilabelOutcomes) for table in data):
        _check_made(source, kind)
        return _separate(data, classifiers, source.get("names"), usage)
    columns = _all_of(data, source.get("names"), usage, has_truth=has_truth) if classifiers is None else classifiers
    if not has_truth and len(data) == len(columns) and not (len(data) == 1 and is_table(data[0])):
        data = (None, *data)
    if len(data) == len(columns) + 1 and source.get("names") is None:
        source = {**source, "names": names_of(data[1:], data[0])}
    kind = kind or guess_kind(data, columns)
    if len(data) == len(columns) + 1:
        if source.get("truth") is not None or any(column is not None for column in columns):
            raise InvalidInputError(_NO_COLUMNS, hint=wording("call the classifiers by names=."))
        return (_from_arrays(data, len(columns), source, kind, usage),)
    if len(data) != 1:
        are_paths = all(isinstance(each, str | os.PathLike) for each in data)
        raise InvalidInputError(
            f"Got {len(data)} positional arguments.", hint=_OF_PATHS if are_paths and data else usage
        )
    if isinstance(data[0], _TABLE_TYPES):
        _check_made(source, kind)
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
            raise InvalidInputError(
                f"The classifier is named twice: {data[1]!r} and name={name!r}.", hint="name it once."
            )
        data, name = data[:1], data[1]
    data = with_columns(data, (name,), source)
    if len(data) == 1 and is_table(data[0]):
        return read_data(data, (name,), source, **how)[0]
    return read_data(data, (None,), source if name is None else {**source, "names": (name,)}, **how)[0]


def guess_kind(data: Sequence[Any], columns: Names = ()) -> Kind:
    """Return whether data hold labels or scores: an `ItemScores` holds scores, and so do fractions."""
    values = data[1:]
    if len(data) == 1 and is_table(data[0]) and not isinstance(data[0], _TABLE_TYPES):
        wanted = [column for column in columns if column is not None]
        values = records_of(data[0]).lists(wanted) if wanted else ()
    has_scores = any(isinstance(table, ItemScores) for table in data) or any(map(has_fractions, values))
    return "scores" if has_scores else "labels"


def _unfold(
    data: Sequence[Any], source: Mapping[str, Any], *, several: bool
) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """Return the values of a mapping as arrays, and its keys as names; so too a frame of `several` predictions."""
    if several and len(data) == 2 and is_frame(data[1]) and not is_table(data[0]) and not is_indicators(data[0]):  # noqa: PLR2004
        columns = series_of(data[1])
        names = list(columns) if source.get("names") is None else source["names"]
        return (data[0], *columns.values()), {**source, "names": names}
    if not data or not isinstance(data[-1], Mapping):
        return data, source
    if source.get("names") is not None:
        raise InvalidInputError(
            "The predictions come with their names; `names` would name them twice.", hint="leave names= out."
        )
    names = [str(name) for name in data[-1]]
    return (*data[:-1], *data[-1].values()), {**source, "names": names}


def names_of(predictions: Sequence[Any], truth: Any = None) -> tuple[str, ...] | None:
    """Return the names of columns of dataframes as names of classifiers; None where no column has one of its own.

    What several columns are called, or the truth too, names none of them: they get their letters.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": [1, 0], "new": [1, 0], "old": [1, 1]})
    >>> names_of([frame["new"], frame["old"]], frame["y"]), names_of([frame["new"], [1, 1]])
    (('new', 'old'), ('new', 'B'))
    >>> names_of([frame["new"], frame["new"]])
    >>> names_of([frame["new"].rename("B"), [1, 1]])  # not A and B, or B would be called A
    ('B', 'A')
    """
    called = [series_name(column) for column in predictions]
    taken = [*called, series_name(truth)]
    own = [name if name is not None and taken.count(name) == 1 else None for name in called]
    letters = check_names(None, len(own))
    names = [name or (None if letter in own else letter) for name, letter in zip(own, letters, strict=True)]
    rest = iter([letter for letter in letters if letter not in names])
    return tuple(name or next(rest) for name in names) if any(own) else None


def is_table(source: Any) -> bool:
    """Whether data are one table, file or dataframe, of which classifiers are named."""
    return isinstance(source, (str, os.PathLike, Query, ColumnRecords, *_TABLE_TYPES)) or is_frame(source)


def has_logs(data: Sequence[Any]) -> bool:
    """Whether data are evaluation logs."""
    return any(isinstance(each, Log) for each in listed(data))


def listed(data: Sequence[Any]) -> list[Any]:
    """Return data one by one; a list of logs is one argument of `rank`."""
    return list(data[0]) if len(data) == 1 and isinstance(data[0], list | tuple) else list(data)


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


def _check_made(source: Mapping[str, Any], kind: Kind | None = None) -> None:
    if kind == "labels" and source.get("threshold") is not None:
        raise InvalidInputError(argument("threshold") + " is about scores, and these are labels.", hint="leave it out.")
    if kind == "scores" and check_missing(source.get("missing", "error")) != "error":
        raise InvalidInputError(argument("missing") + " is about labels, and these are scores.", hint="leave it out.")
    known = (source.get(key) for key in ("truth", "labels", *BESIDE))
    if any(value is not None for value in known):
        raise InvalidInputError(
            "An Outcomes or ItemScores has its truth, its labels and its clusters already; give them where it is made.",
            hint="leave these out here.",
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
        ordered, labels = in_label_order(data, names, source)
        return ItemScores.from_arrays(
            *ordered, names=names, labels=labels, cluster=cluster, id=ids, sample_weight=source.get("sample_weight"),
            count=source.get("count"), missing=missing,
        )  # fmt: skip
    if source.get("threshold") is not None or any(map(is_indicators, data)):
        data = as_labels(data, source, names)
    if any(isinstance(source.get(name), str) for name in BESIDE):
        named = next(name for name in BESIDE if isinstance(source.get(name), str))
        raise InvalidInputError(
            "Arrays have no column to name: " + argument(named) + " must be an array too.", hint=usage
        )
    if ids is not None:
        check_alone(source.get("count"), ids)
        groups = None if cluster is None else code_ids(cluster, "cluster")[0]
        check_nested(ids, groups, "`id`")
    how = {"names": names, "labels": labels, "cluster": cluster, "sample_weight": source.get("sample_weight")}
    if not any(map(is_indicators, data)):
        table = Outcomes.from_arrays(*data, missing=missing, count=source.get("count"), **how)
        return table if ids is None or table.source is None else replace(table, source=replace(table.source, id=ids))
    if missing != "error":
        raise InvalidInputError(
            wording("`missing` is about items with one label; an indicator is 0 or 1."),
            hint="write 0 for a label that an item does not have.",
        )
    return MultilabelOutcomes.from_arrays(*data, count=source.get("count"), **how)


def _from_file(
    file: Any, columns: Names, source: Mapping[str, Any], kind: Kind, usage: str, *, has_truth: bool
) -> Table:
    """Read columns of a file or dataframe."""
    wanted, truth = [column for column in columns if column is not None], source.get("truth")
    if len(wanted) < len(columns) or (truth is None and has_truth):
        absent = argument("truth") if len(wanted) == len(columns) else "the column of predictions or scores"
        text = "A file or dataframe needs the names of its columns; "
        raise InvalidInputError(text + absent + " is missing.", hint=usage)
    places: dict[str, Any] = {key: source.get(key) for key in ("labels", *BESIDE)}
    for name in BESIDE:
        if places[name] is not None and not isinstance(places[name], str):
            text = "For a file or dataframe " + argument(name)
            raise InvalidInputError(text + " is the name of a column.", hint=usage)
    if kind == "scores":
        return ItemScores.read(file, truth=truth, predictions=wanted, missing=source.get("missing", "error"), **places)
    if source.get("threshold") is not None:
        held = {name: places[name] for name in BESIDE if places[name] is not None}
        by_name = list(dict.fromkeys([str(truth), *wanted, *held.values()]))
        read = dict(zip(by_name, records_of(file).lists(by_name), strict=True))
        beside = {name: read[column] for name, column in held.items()}
        if "sample_weight" in beside:
            beside["sample_weight"] = numbers_of(beside["sample_weight"], "sample_weight")
        data = (read[str(truth)], *(read[name] for name in wanted))
        table = _from_arrays(data, len(wanted), {**source, **beside, "names": wanted}, kind, usage)
        if isinstance(table, Outcomes) and table.source is not None:
            table = replace(table, source=table.source.read_from(file))
        return table
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
                hint=usage if classifiers is None else wording("name one: a= for the first table, b= for the second."),
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
        raise InvalidInputError(
            "Some tables have a single label per item, others any number.", hint="give tables of one kind."
        )
    if len({table.labels for table in tables}) == 1:
        return tuple(tables)
    singles = [table for table in tables if isinstance(table, Outcomes)]
    if not singles:
        raise DataError("The tables have different labels.", hint=wording("declare the same labels= for all of them."))
    labels = sum(Outcomes.empty(table.labels, ["any"]) for table in singles).labels  # type: ignore[union-attr]
    return tuple(Outcomes.empty(labels, table.names) + table for table in singles)
