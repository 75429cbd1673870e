"""The one door of the facade: every form of data becomes `Outcomes`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

from ropewalk.data.clusters import check_nested, code_ids
from ropewalk.data.frames import is_frame
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes, is_indicators
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.readers import read_outcomes
from ropewalk.data.rows import check_names
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.text.options import wording
from ropewalk.typing import Label, Missing


def as_outcomes(
    data: Sequence[Any],
    *,
    columns: Sequence[str | None],
    truth: str | None,
    names: Sequence[str] | None,
    labels: Iterable[Label] | None,
    missing: Missing,
    usage: str,
    cluster: Any = None,
    id: Any = None,  # noqa: A002
) -> AnyOutcomes:
    """Return one table of as many classifiers as there are `columns`.

    `data` are arrays (truth first), or a single `Outcomes`, file or dataframe of which `columns` name the
    classifiers; a name may be None where there is nothing to choose. `cluster` and `id` are arrays or columns too.
    """
    n_classifiers = len(columns)
    if len(data) == n_classifiers + 1:
        if truth is not None or any(column is not None for column in columns):
            raise InvalidInputError("Arrays have no columns to name; call the classifiers by names=.", hint=usage)
        _check_arrays(cluster, id, usage)
        named = check_names(names, n_classifiers)
        return _from_arrays(data, names=named, labels=labels, missing=missing, cluster=cluster)
    if len(data) != 1:
        raise InvalidInputError(f"Got {len(data)} positional arguments.", hint=usage)
    source = data[0]
    if isinstance(source, Outcomes | MultilabelOutcomes):
        _check_made(labels, truth, cluster, id)
        if None in columns and source.n_classifiers != n_classifiers:
            raise InvalidInputError(
                f"Name {n_classifiers} of the {source.n_classifiers} classifiers: {', '.join(source.names)}.",
                hint=usage,
            )
        # A name that was left out is that of the classifier that remains.
        free = [name for name in source.names if name not in columns]
        table: AnyOutcomes = source.project([column if column is not None else free.pop(0) for column in columns])
    elif isinstance(source, str | os.PathLike) or is_frame(source):
        if truth is None or None in columns:
            raise InvalidInputError("A file or dataframe needs the names of its columns.", hint=usage)
        predictions = [column for column in columns if column is not None]
        if any(column is not None and not isinstance(column, str) for column in (cluster, id)):
            raise InvalidInputError(
                wording("For a file or dataframe `cluster` and `id` are names of columns."), hint=usage
            )
        table = read_outcomes(
            source, truth=truth, predictions=predictions, id=id, labels=labels, missing=missing, cluster=cluster
        )
    else:
        raise InvalidInputError(f"A single argument cannot be a {type(source).__name__}.", hint=usage)
    return table if names is None else table.rename(names)


def as_tables(
    data: Sequence[Any],
    columns: Sequence[str | None],
    *,
    truth: str | None,
    names: Sequence[str] | None,
    labels: Iterable[Label] | None,
    missing: Missing,
    usage: str,
    cluster: Any = None,
    id: Any = None,  # noqa: A002
) -> tuple[AnyOutcomes, ...]:
    """Return one table of both classifiers, or one of each where they come separately."""
    if len(data) == 2 and all(isinstance(table, Outcomes | MultilabelOutcomes) for table in data):  # noqa: PLR2004
        _check_made(labels, truth, cluster, id)
        return as_pair(data[0], data[1], columns, names)
    whole = as_outcomes(
        data, columns=columns, truth=truth, names=names, labels=labels, missing=missing, usage=usage, cluster=cluster,
        id=id,
    )  # fmt: skip
    return (whole,)


def _check_arrays(cluster: Any, ids: Any, usage: str) -> None:
    """Refuse names of columns where there are none, and ids that repeat outside of one cluster."""
    if isinstance(cluster, str) or isinstance(ids, str):
        raise InvalidInputError(
            wording("Arrays have no column to name: `cluster` and `id` must be arrays too."), hint=usage
        )
    if ids is not None:
        groups = None if cluster is None else code_ids(cluster, "cluster")[0]
        check_nested(code_ids(ids, "id", None if groups is None else groups.size)[0], groups, "`id`")


def _check_made(*said: Any) -> None:
    if any(one is not None for one in said):
        raise InvalidInputError(
            "An Outcomes has its truth, its labels and its clusters already; give them where it is made."
        )


def _from_arrays(
    data: Sequence[Any], *, names: Sequence[str], labels: Iterable[Label] | None, missing: Missing, cluster: Any
) -> AnyOutcomes:
    """Count arrays: one label an item, or 0/1 indicators in two dimensions."""
    if not any(is_indicators(array) for array in data):
        return Outcomes.from_arrays(*data, names=names, labels=labels, missing=missing, cluster=cluster)
    if missing != "error":
        raise InvalidInputError(wording("`missing` is about items with one label; an indicator is 0 or 1."))
    return MultilabelOutcomes.from_arrays(*data, names=names, labels=labels, cluster=cluster)


def as_pair(
    first: AnyOutcomes, second: AnyOutcomes, columns: Sequence[str | None], names: Sequence[str] | None
) -> tuple[AnyOutcomes, AnyOutcomes]:
    """Return two tables of one classifier each, over the same labels and under different names."""
    for table, name in zip((first, second), columns, strict=True):
        if name is None and table.n_classifiers > 1:
            raise InvalidInputError(
                f"Name one of {', '.join(table.names)}.", hint="a= for the first table, b= for the second."
            )
    pair = [
        table if name is None else table.project([name]) for table, name in zip((first, second), columns, strict=True)
    ]
    if names is None and pair[0].names == pair[1].names:
        names = ("A", "B")
    if names is not None:
        pair = [table.rename([name]) for table, name in zip(pair, check_names(names, 2), strict=True)]
    one, other = same_labels(pair)
    return one, other


def same_labels(tables: Sequence[AnyOutcomes]) -> tuple[AnyOutcomes, ...]:
    """Return the tables over the labels of all of them: separate test sets may lack different classes."""
    if len({type(table) for table in tables}) > 1:
        raise InvalidInputError("Some tables have a single label an item, others any number.")
    if len({table.labels for table in tables}) == 1:
        return tuple(tables)
    singles = [table for table in tables if isinstance(table, Outcomes)]
    if not singles:
        raise DataError("The tables have different labels.", hint=wording("declare the same labels= for all of them."))
    labels = sum(Outcomes.empty(table.labels, ["any"]) for table in singles).labels  # type: ignore[union-attr]
    return tuple(Outcomes.empty(labels, table.names) + table for table in singles)
