"""What the tables of counted outcomes have in common: names, clusters, a fingerprint, and their JSON."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from ropewalk._checks import check_counts
from ropewalk.data.clusters import Clusters
from ropewalk.data.labels import kind_of, label_text
from ropewalk.data.rows import check_names
from ropewalk.errors import ColumnNotFoundError, DataError, FileFormatError, UnreadableFileError
from ropewalk.text.names import did_you_mean, shorten
from ropewalk.text.options import wording
from ropewalk.typing import CodeArray, IntArray, Label

_KIND: Final = "ropewalk.outcomes"
_NO_TABLE: Final = "This JSON is not a table of outcomes"


class Named:
    """What classifiers called `names` said about items with `labels`."""

    __slots__ = ()

    labels: tuple[Label, ...]
    names: tuple[str, ...]

    @property
    def n_labels(self) -> int:
        """How many labels there are, seen or declared."""
        return len(self.labels)

    @property
    def n_classifiers(self) -> int:
        """How many classifiers were counted."""
        return len(self.names)

    def position(self, name: str) -> int:
        """Return the place of a classifier among `names`."""
        return place_of(name, self.names)

    def rename(self, names: Sequence[str]) -> Self:
        """Return the same data under other classifier names."""
        return replace(self, names=check_names(names, self.n_classifiers))  # type: ignore[type-var]


def place_of(name: str, names: Sequence[str]) -> int:
    """Return the place of a classifier, or say which ones there are."""
    if name in names:
        return names.index(name)
    raise ColumnNotFoundError(
        f"There is no classifier {name!r} here.",
        hint=did_you_mean(name, names) + f"There are: {shorten(names)}.",
    )


class Tally(Named):
    """Counts of what classifiers said about items."""

    __slots__ = ()

    counts: IntArray
    clusters: Clusters | None

    @property
    def n_items(self) -> int:
        """How many items were counted."""
        return int(self.counts.sum())

    @property
    def n_clusters(self) -> int | None:
        """How many clusters the items come in; None where each stands alone."""
        return None if self.clusters is None else self.clusters.n

    def _cluster_arrays(self) -> tuple[IntArray, ...]:
        c = self.clusters
        return () if c is None else (c.row, c.cluster, c.counts)

    def _clusters_with(self, other: Tally, n_rows: int) -> Clusters | None:
        """Return the clusters of this table and another one below it."""
        if not self.n_items or not other.n_items:
            return self.clusters if self.n_items else other.clusters
        if self.clusters is None and other.clusters is None:
            return None
        if self.clusters is None or other.clusters is None:
            raise DataError(
                "One table has clusters and the other has none.", hint=wording("give both or neither cluster=.")
            )
        return self.clusters.beside(other.clusters, n_rows)

    def _fingerprint(self, *arrays: Any) -> str:
        """Return a hash of labels, names and arrays, the same for labels from an array or a text file."""
        content = [[label_text(x) for x in self.labels], self.names, *(array.tolist() for array in arrays)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]


# -- tables as JSON: written plainly, read with suspicion --------------------------------------------------


def dump_table(
    codes: CodeArray,
    counts: IntArray,
    labels: Sequence[Label],
    names: Sequence[str],
    clusters: Clusters | None = None,
) -> str:
    """Write a table: its rows are codes and a count, its clusters (row, cluster, count)."""
    rows = np.column_stack([codes, counts]).tolist() if len(codes) else []
    content = {"schema": 1, "kind": _KIND, "labels": labels, "names": names, "rows": rows}
    if clusters is not None:
        content["clusters"] = np.column_stack([clusters.row, clusters.cluster, clusters.counts]).tolist()
        plain = str | int | float | bool
        content["cluster_ids"] = [i if isinstance(i, plain) else str(i) for i in clusters.ids]
    return json.dumps(content)


def parse_table(text: str) -> tuple[CodeArray, IntArray, tuple[Label, ...], tuple[str, ...], Clusters | None]:
    """Read what `dump_table` wrote, or say why it is no table."""
    try:
        data = json.loads(text)
        if data.get("kind") != _KIND or data.get("schema") != 1:
            raise FileFormatError(f"{_NO_TABLE}.", hint="write one with Outcomes.save().")
        labels, names = tuple(data["labels"]), check_names(data["names"], len(data["names"]))
        table = check_counts(data["rows"] or np.zeros((0, len(names) + 2))).reshape(-1, len(names) + 2)
        distinct = {(kind_of(label), label) for label in labels}
        spread = data.get("clusters")
        parts = None if spread is None else check_counts(spread or np.zeros((0, 3))).reshape(-1, 3)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{_NO_TABLE}: {error}.") from error
    if not labels or len(distinct) < len(labels) or not all(isinstance(label, int | str) for label in labels):
        raise FileFormatError(f"{_NO_TABLE}: its labels must be distinct ints, strs or bools.")
    codes, counts = table[:, :-1], table[:, -1]
    if len(codes) and codes.max() >= len(labels):
        raise FileFormatError(f"{_NO_TABLE}: a row points to a label that is not there.")
    clusters = None
    if parts is not None:
        clusters = _parse_clusters(parts, data.get("cluster_ids"))
        if (counts == 0).any() or not np.array_equal(
            np.bincount(parts[:, 0], weights=parts[:, 2], minlength=len(counts)), counts
        ):
            raise FileFormatError(f"{_NO_TABLE}: its clusters do not add up to its counts.")
    return codes[counts > 0].astype(np.int32), counts[counts > 0], labels, names, clusters


def _parse_clusters(parts: IntArray, ids: object) -> Clusters:
    n = int(parts[:, 1].max(initial=-1)) + 1
    if not isinstance(ids, list) or len(ids) != n or len({(kind_of(i), i) for i in ids}) < n:
        raise FileFormatError(f"{_NO_TABLE}: its clusters must have distinct ids.")
    return Clusters.of(parts[:, 0], parts[:, 1], parts[:, 2], ids)


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a text file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{os.fspath(path)!r} is not a text file.") from error
    except OSError as error:
        raise UnreadableFileError(f"Cannot read {os.fspath(path)!r}: {error.strerror}.") from error
