"""Tables of counts as JSON: written plainly, read with suspicion and a row at a time."""

from __future__ import annotations

import io
import json
import math
import os
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import count
from typing import IO, Any, ClassVar, Final, Self

import numpy as np

from ropewalk._files import shorten_path, write_text
from ropewalk.data.clusters import Clusters, HiddenId, id_key, sorted_ids
from ropewalk.data.json_stream import JsonStream
from ropewalk.data.labels import NO_ANSWER, kind_of
from ropewalk.data.log_score import Score
from ropewalk.data.opening import opened
from ropewalk.data.tally import Tally, check_names
from ropewalk.data.weights import Weights, check_weights
from ropewalk.errors import FileFormatError, InvalidInputError
from ropewalk.text.writing import shorten, told
from ropewalk.typing import IntArray, Label

SCHEMA: Final = 1
OUTCOMES: Final = "ropewalk.outcomes"
MULTILABEL: Final = "ropewalk.multilabel"
MAX_ITEMS: Final = 2**53
"""Counts add up to less than this, so that they are exact as floats too."""

MAX_NUMBERS: Final = 1 << 26
"""How many numbers the rows of a file may have in all."""

MAX_NAMES: Final = 1 << 22
"""How many labels, or ids of clusters, a file may have."""

_PARTS: Final = 3  # of an entry of `clusters`: row, cluster, count
_OF_ANSWERS: Final = {"delta", "decision", "recipe", "metrics", "pairwise"}
_files: Final = count()


@dataclass(frozen=True, slots=True)
class TableDocument:
    """What a file of counts holds: a row is some numbers, the last of which is how many items it stands for.

    `numbers` are those of all rows one after the other, and `sizes` how many each row has. `columns` are what was
    counted, as far as the file says: the column of the truth, that of the clusters.
    """

    kind: str
    labels: tuple[Label, ...]
    names: tuple[str, ...]
    numbers: IntArray
    sizes: IntArray
    left_out: int = 0
    columns: Mapping[str, str] = field(default_factory=dict)
    clusters: Clusters | None = None
    weights: Weights | None = None
    common_weight: float = 1.0
    score: Score | None = None

    @property
    def beside(self) -> tuple[Clusters | None, Weights | None, float]:
        """What stands beside the counts."""
        return self.clusters, self.weights, self.common_weight

    @property
    def counts(self) -> IntArray:
        """How many items each row stands for."""
        return self.numbers[np.cumsum(self.sizes) - 1]


class SavedTally(Tally):
    """Counts that can be written as JSON and read again."""

    __slots__ = ()

    _kind: ClassVar[str]

    def _rows(self) -> list[list[int]]:
        """Return the rows, each with its count last."""
        raise NotImplementedError

    @classmethod
    def _of_document(cls, document: TableDocument) -> Self:
        """Make the table that a document holds."""
        raise NotImplementedError

    def to_json(self, columns: Mapping[str, str] | None = None) -> str:
        """Return the table as JSON; `from_json` reads it back. `columns` may say what was counted: {"truth": "y"}."""
        return _dump(self, self._kind, self._rows(), columns)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read a table that `to_json` wrote."""
        with _suspicion("This JSON"):
            return cls._of_kind(read_table(io.BytesIO(text.encode("utf-8", "backslashreplace"))))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file, whole or not at all."""
        write_text(path, self.to_json() + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a table that `save` wrote, or ``ropewalk count``."""
        with opened(path) as stream, _suspicion(shorten_path(path)):
            return cls._of_kind(read_table(stream))

    @classmethod
    def _of_kind(cls, document: TableDocument) -> Self:
        if document.kind != cls._kind:
            raise ValueError(f"it is a {document.kind!r}; read_counts() reads every kind")
        return cls._of_document(document)

    def without_ids(self) -> Self:
        """Return the same table without the ids of its clusters, as it may be given away.

        Such a cluster is not the same as any of another table.

        Examples
        --------
        >>> import ropewalk as rw
        >>> o = rw.Outcomes.from_arrays([1, 0], [1, 1], cluster=["Ann", "Bob"])
        >>> "Ann" in o.to_json(), "Ann" in o.without_ids().to_json()
        (True, False)
        """
        if self.clusters is None:
            return self
        file = next(_files)
        ids = tuple(HiddenId(file, i) for i in range(self.clusters.n))
        return replace(self, clusters=replace(self.clusters, ids=ids))  # type: ignore[type-var]


def open_table(path: str | os.PathLike[str], kinds: Iterable[type[SavedTally]]) -> tuple[SavedTally, TableDocument]:
    """Read a file of counts of one of some kinds: the table, and what the file says of it."""
    with opened(path) as stream, _suspicion(shorten_path(path)):
        document = read_table(stream)
        kind = next(kind for kind in kinds if kind._kind == document.kind)  # noqa: SLF001 - of this module
        return kind._of_document(document), document  # noqa: SLF001


# -- writing -----------------------------------------------------------------------------------------------


def _names_of(columns: Any) -> dict[str, str]:
    """Return what was counted, by names."""
    known = dict(columns) if isinstance(columns, Mapping) else {None: None}
    if not all(isinstance(text, str) for text in [*known, *known.values()]):
        raise InvalidInputError(
            f"`columns` must name columns; got {told(columns)}.", hint='write {"truth": "y", "a": "svm"}.'
        )
    return {str.__str__(name): str.__str__(column) for name, column in known.items()}


def _dump(table: Tally, kind: str, rows: list[list[int]], columns: Mapping[str, str] | None) -> str:
    """Write a table: its rows, each with its count last, and its clusters (row, cluster, count)."""
    content: dict[str, Any] = {"schema": SCHEMA, "kind": kind}
    if columns is not None:
        content["columns"] = _names_of(columns)
    content |= {"labels": table.labels, "names": table.names, "rows": rows}
    if table.left_out:
        content["left_out"] = table.left_out
    if table.clusters is not None:
        content |= _dump_clusters(table.clusters)
    if table.weights is not None:
        weights = table.weights
        content["weights"] = [weights.row.tolist(), weights.weight.tolist(), weights.counts.tolist()]
    if table.common_weight != 1:
        content["common_weight"] = table.common_weight
    if (score := getattr(table, "score", None)) is not None:
        content["score"] = score.to_dict()
    return json.dumps(content, separators=(",", ":"))


def _dump_clusters(clusters: Clusters) -> dict[str, Any]:
    content = {"clusters": np.column_stack([clusters.row, clusters.cluster, clusters.counts]).tolist()}
    plain = str | int | float | bool
    ids = [i if isinstance(i, plain) else None if isinstance(i, HiddenId) else str(i) for i in clusters.ids]
    if any(i is not None for i in ids) or not ids:
        content["cluster_ids"] = ids
    if clusters.weight is not None:
        content["cluster_weights"] = clusters.weight.tolist()
    return content


# -- reading -----------------------------------------------------------------------------------------------


@contextmanager
def _suspicion(shown: str) -> Iterator[None]:
    """Turn whatever is wrong with a table into an error about what was read."""
    try:
        yield
    except (ValueError, KeyError, TypeError, OverflowError) as error:
        problem = str(getattr(error, "message", error)).rstrip(".").removeprefix("it: ")
        cut = "; this one may be cut off" if problem.startswith("not valid JSON") else ""
        hint = (
            error.hint
            if isinstance(error, _NewerError)
            else f"write one with `ropewalk count`, or Outcomes.save(){cut}."
        )
        raise FileFormatError(f"{shown} is not a table of outcomes: {problem}.", hint=hint) from error


def read_table(stream: IO[bytes]) -> TableDocument:
    """Read a table of counts, a row at a time."""
    return _checked(_keys(JsonStream(stream, "it", unique=True)))


class _NewerError(FileFormatError):
    """A file that this version does not know."""


def _keys(document: JsonStream) -> dict[str, Any]:
    """Return the values of all keys that are known; the others are passed over."""
    found: dict[str, Any] = {}
    others = set()
    for key in document.keys():  # noqa: SIM118 - it is no mapping
        if key in found or key in others:
            raise ValueError(f"the key {key!r} comes twice in one object")
        if key in _READERS:
            found[key] = _READERS[key](document)
        else:
            others.add(key)
            document.skip()
        if key in {"schema", "kind"}:
            _check_version(found)
    document.close()
    if found.get("kind") not in {OUTCOMES, MULTILABEL}:
        if others & _OF_ANSWERS:
            raise ValueError("it is an answer of ropewalk, and holds no table of its own")
        raise ValueError(f"it is no {OUTCOMES!r} of schema {SCHEMA}")
    if "schema" not in found:
        raise ValueError("it does not say its schema")
    return found


def _check_version(found: Mapping[str, Any]) -> None:
    schema, kind = found.get("schema"), found.get("kind", "")
    if isinstance(kind, str) and kind.startswith("ropewalk.") and schema is not None:
        if type(schema) is int and schema > SCHEMA:
            raise _NewerError(
                f"a newer ropewalk wrote it (schema {schema})", hint="update: pip install --upgrade ropewalk"
            )
        if type(schema) is not int or schema < SCHEMA:
            raise ValueError(f"it has no schema {schema!r}")


def _value(document: JsonStream) -> Any:
    return document.value()


def _scalars(document: JsonStream) -> list[Any]:
    """Return the texts and numbers of an array, and nulls."""
    values = []
    for value in document.items():
        if isinstance(value, list | dict) or value in {math.inf, -math.inf} or value != value:  # noqa: PLR0124 - NaN
            raise TypeError("an id or a name must be a text or a number")
        values.append(value)
        if len(values) > MAX_NAMES:
            raise ValueError(f"it holds more than {MAX_NAMES:,} labels, or ids")
    return values


def _rows(document: JsonStream) -> tuple[IntArray, IntArray]:
    """Return the whole numbers in the rows of an array, one after the other, and how many each row has."""
    numbers, sizes = array("q"), array("q")
    for row in document.items():
        if not isinstance(row, list):
            raise TypeError("its rows must be arrays of counts")
        if not row:
            raise ValueError("a row has no count")
        if len(numbers) > MAX_NUMBERS:
            raise ValueError(f"it holds more than {MAX_NUMBERS:,} numbers")
        numbers.extend(map(_whole, row))
        sizes.append(len(row))
    return _as_ints(numbers), _as_ints(sizes)


def _columns(document: JsonStream) -> tuple[IntArray, Any, IntArray]:
    """Return three arrays beside each other: places of rows, weights, and numbers of items."""
    wrong = ValueError("its weights must be three arrays")
    columns: list[Any] = []
    for _ in document.elements():
        if len(columns) == _PARTS:
            raise wrong
        columns.append((_wholes, _floats, _wholes)[len(columns)](document))
    if len(columns) < _PARTS:
        raise wrong
    return columns[0], columns[1], columns[2]


def _wholes(document: JsonStream) -> IntArray:
    return _as_ints(array("q", map(_whole, document.items())))


def _floats(document: JsonStream) -> Any:
    numbers = array("d")
    for value in document.items():
        if type(value) not in {int, float}:
            raise TypeError(f"a weight must be a number; got {value!r}")
        numbers.append(value)
    return np.frombuffer(numbers, dtype=np.float64) if numbers else np.zeros(0)


def _whole(value: Any) -> int:
    if type(value) is not int:  # True is an int, and no count
        raise TypeError(f"its counts must be whole numbers; got {shorten([value], 1)}")
    if not 0 <= value < MAX_ITEMS:
        raise ValueError(f"a count must not be negative, nor {MAX_ITEMS:,} or more; got {shorten([value], 1)}")
    return value


def _as_ints(numbers: Any) -> IntArray:
    return np.frombuffer(numbers, dtype=np.int64) if numbers else np.zeros(0, dtype=np.int64)


_READERS: Final[Mapping[str, Callable[[JsonStream], Any]]] = {
    "schema": _value,
    "kind": _value,
    "columns": _value,
    "labels": _scalars,
    "names": _scalars,
    "left_out": _value,
    "rows": _rows,
    "clusters": _rows,
    "cluster_ids": _scalars,
    "cluster_weights": _floats,
    "weights": _columns,
    "common_weight": _value,
    "score": _value,
}
"""How the value of each key is read."""

KEYS: Final = frozenset(_READERS)
"""What a file of counts may hold."""


def _checked(found: Mapping[str, Any]) -> TableDocument:
    """Return what a file holds, or raise what is wrong with it."""
    labels = tuple(found["labels"])
    distinct = {(kind_of(label), label) for label in labels}
    kinds = {kind_of(label) for label in labels if label != NO_ANSWER}
    if not labels or len(distinct) < len(labels) or len(kinds) > 1 or not kinds <= {"int", "str", "bool"}:
        raise ValueError("its labels must be distinct ints, strs or bools")
    columns, left_out = found.get("columns", {}), _whole(found.get("left_out", 0))
    if not isinstance(columns, dict) or not all(isinstance(name, str) for name in columns.values()):
        raise TypeError("its columns must have names")
    names = check_names(found["names"], len(found["names"]))
    numbers, sizes = found["rows"]
    table = TableDocument(found["kind"], labels, names, numbers, sizes, left_out, columns)
    counts = table.counts
    if counts.sum(dtype=np.float64) >= MAX_ITEMS:
        raise ValueError(f"it has {MAX_ITEMS:,} items or more")
    clusters, weights = _clusters_in(found, counts), _weights_in(found, counts)
    if clusters is not None and weights is not None:
        raise ValueError("the weights of items in clusters stand beside the clusters")
    common = _common_weight_in(found)
    score = Score.from_dict(found["score"]) if "score" in found else None
    return replace(table, clusters=clusters, weights=weights, common_weight=common, score=score)


def _clusters_in(found: Mapping[str, Any], counts: IntArray) -> Clusters | None:
    """Return the clusters of a table with such counts, if it has any."""
    if "clusters" not in found:
        if "cluster_ids" in found or "cluster_weights" in found:
            raise ValueError("it names clusters and has none")
        return None
    numbers, sizes = found["clusters"]
    if (sizes != _PARTS).any():
        raise ValueError("its clusters must be arrays of row, cluster and count")
    row, cluster, many = numbers.reshape(-1, _PARTS).T
    if not _add_up(row, many, counts) or (many == 0).any():
        raise ValueError("its clusters do not add up to its counts")
    n = int(cluster.max(initial=-1)) + 1
    if n > cluster.size or len(np.unique(cluster)) < n:
        raise ValueError("its clusters must be numbered from 0 on, without a gap")
    file, written = next(_files), found.get("cluster_ids", [None] * n)
    ids = [HiddenId(file, i) if value is None else value for i, value in enumerate(written)]
    order, place = sorted_ids(ids, "cluster_ids")
    if len(ids) != n or len(order) < n:
        raise ValueError("its clusters must have distinct ids")
    loads = check_weights(found["cluster_weights"], len(many)) if "cluster_weights" in found else None
    return Clusters.of(row, np.array([place[id_key(i)] for i in ids], dtype=np.int64)[cluster], many, order, loads)


def _weights_in(found: Mapping[str, Any], counts: IntArray) -> Weights | None:
    """Return the weights of items in a table with such counts, if it has any."""
    if "weights" not in found:
        return None
    row, weight, many = found["weights"]
    if row.size != many.size or not _add_up(row, many, counts):
        raise ValueError("its weights do not fit its counts")
    return Weights.of(row, check_weights(weight, row.size), many)


def _common_weight_in(found: Mapping[str, Any]) -> float:
    """Return what every item of a table weighs, which has no other weights then."""
    weight = found.get("common_weight", 1.0)
    if type(weight) not in {int, float}:
        raise TypeError(f"a weight must be a number; got {shorten([weight], 1)}")
    if weight != 1 and ("weights" in found or "cluster_weights" in found):
        raise ValueError("its items weigh the same, and do not")
    return float(check_weights([weight])[0])


def _add_up(row: IntArray, numbers: IntArray, counts: IntArray) -> bool:
    """Whether numbers of items, each of some row, add up to the counts of the rows; none of these is empty."""
    if (counts == 0).any() or row.max(initial=-1) >= len(counts):
        return False
    return np.array_equal(np.bincount(row, weights=numbers, minlength=len(counts)), counts)
