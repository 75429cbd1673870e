"""Tables of outcomes as JSON: written plainly, read with suspicion."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from ropewalk._checks import check_counts
from ropewalk.data.clusters import Clusters
from ropewalk.data.labels import kind_of
from ropewalk.data.rows import check_names
from ropewalk.errors import FileFormatError, UnreadableFileError
from ropewalk.typing import CodeArray, IntArray, Label

_KIND: Final = "ropewalk.outcomes"
_NOT: Final = "This JSON is not a table of outcomes"


def dump(
    codes: CodeArray,
    counts: IntArray,
    labels: Sequence[Label],
    names: Sequence[str],
    clusters: Clusters | None = None,
) -> str:
    """Write a table: its rows are codes and a count, its clusters (row, cluster, count)."""
    rows = np.column_stack([codes, counts]).tolist() if len(codes) else []
    told = {"schema": 1, "kind": _KIND, "labels": labels, "names": names, "rows": rows}
    if clusters is not None:
        told["clusters"] = np.column_stack([clusters.row, clusters.cluster, clusters.counts]).tolist()
        plain = str | int | float | bool
        told["cluster_ids"] = [i if isinstance(i, plain) else str(i) for i in clusters.ids]
    return json.dumps(told)


def parse(text: str) -> tuple[CodeArray, IntArray, tuple[Label, ...], tuple[str, ...], Clusters | None]:
    """Read what `dump` wrote, or say why it is no table."""
    try:
        data = json.loads(text)
        if data.get("kind") != _KIND or data.get("schema") != 1:
            raise FileFormatError(f"{_NOT}.", hint="write one with Outcomes.save().")
        labels, names = tuple(data["labels"]), check_names(data["names"], len(data["names"]))
        table = check_counts(data["rows"] or np.zeros((0, len(names) + 2))).reshape(-1, len(names) + 2)
        distinct = {(kind_of(label), label) for label in labels}
        spread = data.get("clusters")
        parts = None if spread is None else check_counts(spread or np.zeros((0, 3))).reshape(-1, 3)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise FileFormatError(f"{_NOT}: {error}.") from error
    if not labels or len(distinct) < len(labels) or not all(isinstance(label, int | str) for label in labels):
        raise FileFormatError(f"{_NOT}: its labels must be distinct ints, strs or bools.")
    codes, counts = table[:, :-1], table[:, -1]
    if len(codes) and codes.max() >= len(labels):
        raise FileFormatError(f"{_NOT}: a row points to a label that is not there.")
    clusters = None
    if parts is not None:
        clusters = _clusters(parts, data.get("cluster_ids"))
        if (counts == 0).any() or not np.array_equal(
            np.bincount(parts[:, 0], weights=parts[:, 2], minlength=len(counts)), counts
        ):
            raise FileFormatError(f"{_NOT}: its clusters do not add up to its counts.")
    return codes[counts > 0].astype(np.int32), counts[counts > 0], labels, names, clusters


def _clusters(parts: IntArray, ids: object) -> Clusters:
    n = int(parts[:, 1].max(initial=-1)) + 1
    if not isinstance(ids, list) or len(ids) != n or len({(kind_of(i), i) for i in ids}) < n:
        raise FileFormatError(f"{_NOT}: its clusters must have distinct ids.")
    return Clusters.of(parts[:, 0], parts[:, 1], parts[:, 2], ids)


def read(path: str | os.PathLike[str]) -> str:
    """Read a text file."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{os.fspath(path)!r} is not a text file.") from error
    except OSError as error:
        raise UnreadableFileError(f"Cannot read {os.fspath(path)!r}: {error.strerror}.") from error
