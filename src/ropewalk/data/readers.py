"""Read files and dataframes into `Outcomes` and `MultilabelOutcomes`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ropewalk._checks import check_missing, checked_keywords
from ropewalk.data.columns import count_columns, library_of
from ropewalk.data.databases import Query
from ropewalk.data.ids import are_unique, check_ids
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.records import records_of
from ropewalk.data.roles import count_among
from ropewalk.data.source import Source
from ropewalk.data.tally import check_names
from ropewalk.data.weights import check_alone, times_count
from ropewalk.errors import FileFormatError, InvalidInputError, UnfinishedError, UnusedCountsWarning, warn_caller
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import shorten
from ropewalk.typing import Label, Missing


@checked_keywords
def read_outcomes(
    source: Any,
    *,
    truth: str,
    predictions: str | Sequence[str],
    id: str | None = None,  # noqa: A002
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    cluster: str | None = None,
    sample_weight: str | None = None,
    count: str | None = None,
) -> Outcomes:
    """Count the predictions in a file or dataframe.

    Parameters
    ----------
    source
        A path (CSV, TSV, JSON or Parquet, each plain or compressed; a folder or a pattern such as `preds/*.csv` is all
        of its files), any dataframe (pandas, polars, eager or lazy, pyarrow, a DuckDB relation), or a dict of columns.
    truth, predictions
        The column of true labels, and one or more columns of predicted ones.
    id
        A column of item ids; ids that repeat are refused, because the same item would count twice, unless `cluster`
        says that its repeats belong together.
    labels
        The classes, where the data may lack some; their order is kept.
    missing
        What a null or NaN label means: "error", "drop" the item, or "wrong" (a missing prediction counts as
        a wrong one).
    cluster
        A column that is the same for items that belong together: an author, a passage, or the id of an item that
        comes several times.
    sample_weight, count
        A column of how much each item counts, and one of how many items each row stands for.

    Examples
    --------
    >>> import ropewalk as rw
    >>> o = rw.read_outcomes(rw.examples.news20_path(), truth="y_true", predictions=["nb_mult", "svm_l2"])
    >>> o
    Outcomes(7,532 items, 20 labels, classifiers: 'nb_mult', 'svm_l2')
    """
    names = check_names([predictions] if isinstance(predictions, str) else predictions, None)
    check_missing(missing)
    columns = [truth, *names]
    if truth in names:
        raise InvalidInputError(
            f"{truth!r} is named both as the truth and as a prediction.", hint="name the column of the classifier."
        )
    for name, column in (("sample_weight", sample_weight), ("count", count)):
        if column in columns:
            raise InvalidInputError(
                f"{column!r} is named both as labels and as " + argument(name) + ".",
                hint="name another column, or none.",
            )
    records = records_of(source)
    check_alone(count, id)
    wanted = [*columns, *(column for column in (cluster, sample_weight, count) if column is not None)]
    if id is not None and cluster is not None:
        ids, *lists = records.lists([id, *wanted])
        check_ids(ids, id, records.title, lists[len(columns)])
        rows = count_columns(lists, wanted)
    else:
        if id is not None and not are_unique(records, id):
            check_ids(records.arrays([id])[0], id, records.title)
        rows = records.count(wanted)
    if count is not None:
        rows = times_count(rows)
    if not rows and labels is None:
        raise UnfinishedError("The table has no rows.", hint=wording("with labels= an empty table gives the prior."))
    table = Outcomes.from_rows(
        rows, names=names, labels=labels, missing=missing, columns=columns, clustered=cluster is not None,
        weighted=sample_weight is not None,
    )  # fmt: skip
    if count is None and table.n_items > 1 and table.counts.max() == 1:
        _mention_counts([name for name in records.names() if name not in {*wanted, id}])
    declared = None if labels is None else table.true_labels
    asked = {"truth": truth, "predictions": names, "id": id, "labels": declared, "missing": missing, "cluster": cluster}
    asked["sample_weight"] = sample_weight
    where = None if count is not None else Source.of("table", (source,), len(names), **asked)
    return replace(table, library=library_of([source]), source=where)


def _mention_counts(unused: Sequence[str]) -> None:
    """Warn of a column that looks like how many items each row stands for, where rows look as if they were groups."""
    if (name := count_among(unused)) is not None:
        text = wording(
            "No two rows are alike, and the column {!r} is not used. If it says how many items a row stands for, name "
            "it as count=.", name,
        )  # fmt: skip
        warn_caller(text, UnusedCountsWarning)


@checked_keywords
def read_sql(
    query: str,
    connection: Any,
    *,
    truth: str,
    predictions: str | Sequence[str],
    params: Any = None,
    id: str | None = None,  # noqa: A002
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    cluster: str | None = None,
    sample_weight: str | None = None,
    count: str | None = None,
) -> Outcomes:
    """Count the predictions that a query selects, in the database that holds them.

    Parameters
    ----------
    query, connection, params
        As in `Query`: one SELECT; an open connection, the path of a SQLite or DuckDB database, or a URL; and the values
        of placeholders.
    truth, predictions, id, labels, missing, cluster, sample_weight, count
        As in `read_outcomes`.

    Examples
    --------
    >>> import sqlite3
    >>> import ropewalk as rw
    >>> connection = sqlite3.connect(":memory:")
    >>> _ = connection.execute("CREATE TABLE preds AS SELECT 1 AS y, 1 AS new, 0 AS old UNION ALL SELECT 0, 0, 0")
    >>> rw.read_sql("SELECT * FROM preds", connection, truth="y", predictions=["new", "old"])
    Outcomes(2 items, 2 labels, classifiers: 'new', 'old')
    """
    return read_outcomes(
        Query(query, connection, params), truth=truth, predictions=predictions, id=id, labels=labels, missing=missing,
        cluster=cluster, sample_weight=sample_weight, count=count,
    )  # fmt: skip


@checked_keywords
def read_multilabel(
    source: Any,
    *,
    item: str,
    label: str,
    truth: str,
    predictions: str | Sequence[str],
    labels: Iterable[Label] | None = None,
    n_items: int | None = None,
    cluster: str | None = None,
) -> MultilabelOutcomes:
    """Count a long table of multi-label predictions: one row per item and label.

    Parameters
    ----------
    source
        A path or a dataframe, as in `read_outcomes`.
    item, label
        The columns that name the item and the label of a row.
    truth, predictions
        Columns of 0 and 1: whether the item truly has the label, and whether each classifier says so. Pairs that are
        not listed are 0 throughout.
    n_items
        How many items there were, where some have no row at all.
    cluster
        A column that is the same for items that belong together.

    Examples
    --------
    >>> import ropewalk as rw
    >>> o = rw.read_multilabel(
    ...     rw.examples.reuters90_path(), item="newid", label="topic", truth="y_true", predictions=["nb_mult", "svm_l2"]
    ... )
    >>> o.n_labels
    90
    """
    names = check_names([predictions] if isinstance(predictions, str) else predictions, None)
    columns = [item, label, truth, *names]
    if len(set(columns)) < len(columns):
        raise InvalidInputError(f"A column is named twice: {shorten(columns)}.", hint="name each column once.")
    wanted = columns if cluster is None else [*columns, cluster]
    items, labels_of, truths, *predicted = records_of(source).lists(wanted)
    groups = None if cluster is None else predicted.pop()
    if not items:
        raise FileFormatError("The table has no rows.", hint="a long table has one row per item and label.")
    return MultilabelOutcomes.from_long(
        items, labels_of, truths, *predicted, labels=labels, names=names, n_items=n_items, columns=columns[2:],
        cluster=groups,
    )  # fmt: skip
