"""Ids of items: whether each is there once, and what two tables share, in the engine that holds them or here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np

from ropewalk.data.clusters import check_nested, code_ids, repeated_ids
from ropewalk.data.columns import Rows, count_columns
from ropewalk.data.engines import collected, engine_errors
from ropewalk.data.frames import frame_of, lists_of, rows_of
from ropewalk.data.gathering import Coded
from ropewalk.data.labels import clean, whole_number
from ropewalk.data.records import FrameRecords, Records
from ropewalk.errors import EngineError, PairingError
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of, shorten
from ropewalk.typing import IntArray

MAX_IDS_SHOWN: Final = 3


class Pair(Protocol):
    """Two tables that share items: the columns of each are the id, the truth, a prediction, and what else is needed."""

    @property
    def sizes(self) -> tuple[int, int]:
        """How many items each side has."""
        ...

    @property
    def n_shared(self) -> int:
        """How many items both have."""
        ...

    @property
    def kinds_differ(self) -> bool:
        """Whether ids are of other types on one side than on the other."""
        ...

    def lone(self, side: int) -> list[Any]:
        """Return the first ids of one side that the other has not, in order."""
        ...

    def rows(self) -> Rows:
        """Count the distinct rows of both sides, without the ids."""
        ...

    def differing(self) -> tuple[Any, Any, Any]:
        """Return the first id whose truths differ, and both of them."""
        ...


def join_rows(
    records: tuple[Records, Records], columns: tuple[list[str], list[str]], names: Sequence[str], *, drop: bool
) -> tuple[Rows, int]:
    """Count the rows (truth, prediction A, prediction B, …) of shared items; return how many were left out, too."""
    pair: Pair = InEngine.of(records, columns, names) or Here.of(
        [table.lists(wanted) for table, wanted in zip(records, columns, strict=True)], columns[0][0], names
    )
    alone = check_shared(pair, names, drop=drop)
    n_first = len(columns[0]) - 1
    counted: Counter[Any] = Counter()
    n_differing = 0
    for row, number in pair.rows().items():
        truth, prediction, *rest = row[:n_first]
        n_differing += 0 if same_truth(truth, row[n_first]) else number
        counted[truth, prediction, row[n_first + 1], *rest] += number
    if n_differing:
        key, first, other = pair.differing()
        raise _disagreement(n_differing, key, first, other)
    return dict(counted), alone


def check_shared(pair: Pair, names: Sequence[str], *, drop: bool) -> int:
    """Refuse ids that only one side has, unless they are dropped; return how many were."""
    for side, (a, b) in enumerate((names, names[::-1])):
        size, lone = pair.sizes[side], pair.sizes[side] - pair.n_shared
        if lone and not drop:
            raise PairingError(
                f"{lone:,} of {size:,} ids of {a!r} have no match in {b!r} "
                f"(first: {shorten(pair.lone(side), MAX_IDS_SHOWN)}).",
                hint="the two sides hold ids of different types; convert one."
                if pair.kinds_differ and lone == size
                else wording('unmatched="drop" compares the {:,} shared items only.', pair.n_shared),
            )
    if not pair.n_shared:
        raise PairingError("The two tables share no id.", hint="are these predictions on the same test set?")
    return sum(pair.sizes) - 2 * pair.n_shared


def same_truth(first: Any, other: Any) -> bool:
    """Whether two true labels are the same; a hole elsewhere may have turned one column of integers into floats."""
    plain = [whole_number(label) if isinstance(label, float) else label for label in (first, other)]
    return type(plain[0]) is type(plain[1]) and plain[0] == plain[1]


def _disagreement(number: int, key: Any, first: Any, other: Any) -> PairingError:
    return PairingError(
        f"The two tables disagree about the truth of {count_of(number, 'item')} "
        f"(first: id {key!r} is {first!r} and {other!r}).",
        hint="both classifiers must be judged against the same labels.",
    )


def check_ids(ids: Sequence[Any], column: str, where: str, cluster: Sequence[Any] | None = None) -> None:
    """Refuse items without an id, and items that come more than once unless one cluster holds all their repeats."""
    is_array = isinstance(ids, np.ndarray)
    holes = np.sum(ids != ids) if is_array else sum(value is None for value in ids)  # noqa: PLR0124 - NaN
    _refuse_empty(int(holes), column, where)
    if cluster is not None or len(np.unique(ids) if is_array else set(ids)) < len(ids):
        groups = None if cluster is None else code_ids(cluster, "cluster")[0]
        check_nested(ids, groups, f"column {column!r} of {where}", column=column)


def _refuse_empty(number: int, column: str, where: str) -> None:
    if number:
        raise PairingError(
            f"{count_of(number, 'item')} without an id in column {column!r} of {where}.",
            hint="every item needs an id to be found again.",
        )


def are_unique(records: Records, column: str) -> bool:
    """Whether the engine that holds a table says that every item has an id of its own; False where none can tell."""
    ids = Ids.of(records, [column])
    return ids is not None and ids.are_unique


# -- here --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Here:
    """Two tables in memory, with the places of the items that they share."""

    tables: Sequence[Sequence[Any]]
    places: tuple[IntArray, IntArray]

    @classmethod
    def of(cls, tables: Sequence[Sequence[Any]], column: str, names: Sequence[str]) -> Here:
        """Find the shared items of two tables, whose first columns are ids."""
        plain = []
        for (ids, *rest), name in zip(tables, names, strict=True):
            if isinstance(ids, np.ndarray) and ids.dtype.kind != "i":
                ids = [clean(value) for value in ids.tolist()]  # noqa: PLW2901
            check_ids(ids, column, f"the data of {name!r}")
            plain.append([ids, *rest])
        return cls(plain, _matched(plain[0][0], plain[1][0]))

    @property
    def sizes(self) -> tuple[int, int]:
        """How many items each side has."""
        return len(self.tables[0][0]), len(self.tables[1][0])

    @property
    def n_shared(self) -> int:
        """How many items both have."""
        return len(self.places[0])

    @property
    def kinds_differ(self) -> bool:
        """Whether ids are of other types on one side than on the other."""
        first, other = ({type(value) for value in _listed(ids)} for ids, *_ in self.tables)
        return first != other

    def lone(self, side: int) -> list[Any]:
        """Return the first ids of one side that the other has not, in order."""
        shared = np.zeros(self.sizes[side], dtype=bool)
        shared[self.places[side]] = True
        ids = _listed(self.tables[side][0])
        return sorted((ids[i] for i in np.flatnonzero(~shared).tolist()), key=_in_order)[:MAX_IDS_SHOWN]

    def columns(self, side: int) -> list[Any]:
        """Return the columns of one side for the shared items, in the order of the first table."""
        places = self.places[side]
        return [
            column[places] if isinstance(column, np.ndarray | Coded) else [column[i] for i in places.tolist()]
            for column in self.tables[side]
        ]

    def rows(self) -> Rows:
        """Count the distinct rows of both sides, without the ids."""
        _, *first = self.columns(0)
        _, *other = self.columns(1)
        titles = ["the truth of A", "the predictions of A", "the cluster"][: len(first)]
        return count_columns([*first, *other], [*titles, "the truth of B", "the predictions of B"])

    def differing(self) -> tuple[Any, Any, Any]:
        """Return the first id whose truths differ, and both of them."""
        ids, first, *_ = map(_listed, self.columns(0))
        other = _listed(self.columns(1)[1])
        rows = [row for row in zip(ids, first, other, strict=True) if not same_truth(*row[1:])]
        return min(rows, key=lambda row: _in_order(row[0]))

    def agreed(self) -> Any:
        """Return the true labels, the second columns, if both sides agree about them."""
        first, other = self.columns(0)[1], self.columns(1)[1]
        if all(isinstance(column, np.ndarray) for column in (first, other)):
            number = int((first != other).sum() - ((first != first) & (other != other)).sum())  # noqa: PLR0124 - NaN
        else:
            number = sum(not same_truth(*row) for row in zip(_listed(first), _listed(other), strict=True))
        if number:
            raise _disagreement(number, *self.differing())
        return first


def _listed(column: Any) -> list[Any]:
    return [clean(value) for value in column.tolist()] if isinstance(column, np.ndarray) else list(column)


def _in_order(value: Any) -> tuple[str, Any]:
    return type(value).__name__, value


def _matched(first: Any, other: Any) -> tuple[IntArray, IntArray]:
    """Return the places of the ids that two columns share; an id keeps its type, so that 1 and "1" are two."""
    if isinstance(first, np.ndarray) and isinstance(other, np.ndarray) and len(other):
        order = np.argsort(other, kind="stable")
        at = order[np.minimum(np.searchsorted(other, first, sorter=order), len(other) - 1)]
        here = np.flatnonzero(other[at] == first)
        return here, at[here]
    place = {(type(value), value): i for i, value in enumerate(_listed(other))}
    found = [place.get((type(value), value), -1) for value in _listed(first)]
    at = np.array(found, dtype=np.int64)
    here = np.flatnonzero(at >= 0)
    return here, at[here]


# -- in an engine ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ids:
    """The items of a dataframe: its engine holds their ids as c0, and other columns as c1, c2, …."""

    frame: Any
    kind: str
    n_rows: int
    n_ids: int

    @classmethod
    def of(cls, records: Records, columns: Sequence[str]) -> Ids | None:
        """Ask how many items and ids there are; None where only Python can tell ids apart, or read the columns."""
        import narwhals as nw

        if not isinstance(records, FrameRecords):
            return None
        frame = frame_of(records.frame, columns).lazy()
        with engine_errors(records.frame):
            kinds = frame.collect_schema().dtypes()
        kind = _kind_of(kinds[0])
        if not kind or any(of.is_nested() or of in {nw.Object, nw.Unknown} for of in kinds):
            return None
        with engine_errors(records.frame):
            there = frame.select(nw.len().alias("c0"), nw.col("c0").count().alias("c1"))
        n_rows, n_there = (int(column[0]) for column in lists_of(collected(there)))
        if n_there < n_rows:  # there are nulls, over which engines disagree
            return cls(frame, kind, n_rows, 0)
        with engine_errors(records.frame):
            if kind != "boolean":
                frame = frame.with_columns(nw.col("c0").cast(nw.Int64 if kind == "integer" else nw.String))
            distinct = frame.select(nw.col("c0").n_unique().alias("c0"))
        return cls(frame, kind, n_rows, int(lists_of(collected(distinct))[0][0]))

    @property
    def are_unique(self) -> bool:
        """Whether every item has an id of its own."""
        return self.n_rows == self.n_ids

    def check(self, column: str, where: str) -> None:
        """Refuse items without an id, and ids that come more than once."""
        import narwhals as nw

        if self.are_unique:
            return
        key = nw.col("c0")
        with engine_errors(self.frame.to_native()):
            empty = self.frame.filter(key.is_null())
            repeated = self.frame.group_by("c0").agg(nw.len().alias("n")).filter(nw.col("n") > 1)
        _refuse_empty(number_of(empty), column, where)
        raise repeated_ids(number_of(repeated), first_ids(repeated), f"column {column!r} of {where}", column)


def _kind_of(kind: Any) -> str:
    """Return what ids of a type are where engines agree about them, else nothing."""
    import narwhals as nw

    if kind.is_integer() and kind not in {nw.UInt64, nw.UInt128, nw.Int128}:
        return "integer"
    return "text" if kind in {nw.String, nw.Categorical, nw.Enum} else "boolean" if kind == nw.Boolean else ""


def number_of(frame: Any) -> int:
    """Return how many rows an engine holds."""
    import narwhals as nw

    with engine_errors(frame.to_native()):
        asked = frame.select(nw.len().alias("n"))
    return int(lists_of(collected(asked))[0][0])


def first_ids(frame: Any) -> list[Any]:
    """Return the first ids that an engine holds, in order."""
    with engine_errors(frame.to_native()):
        asked = frame.select("c0").sort("c0").head(MAX_IDS_SHOWN)
    return lists_of(collected(asked))[0]


def _are_together(first: Any, other: Any) -> bool:
    """Whether one engine may hold two dataframes; ibis itself takes two databases of a kind for one."""
    if first.implementation != other.implementation:
        return False
    return not first.implementation.is_ibis() or first.to_native().get_backend() is other.to_native().get_backend()


@dataclass(frozen=True, slots=True)
class InEngine:
    """Two tables that one engine holds, which joins and counts them."""

    sides: tuple[Ids, Ids]
    widths: tuple[int, int]
    shared: Any
    n_shared: int

    @classmethod
    def of(
        cls, records: tuple[Records, Records], columns: tuple[list[str], list[str]], names: Sequence[str]
    ) -> InEngine | None:
        """Join two dataframes of one engine; None where that cannot be."""
        import narwhals as nw

        sides: list[Ids] = []
        for table, wanted, name in zip(records, columns, names, strict=True):
            side = Ids.of(table, wanted)
            if side is None or (sides and not _are_together(sides[0].frame, side.frame)):
                return None
            side.check(wanted[0], f"the data of {name!r}")
            sides.append(side)
        first, other = sides
        try:
            with engine_errors(other.frame.to_native()):
                right = other.frame.select(nw.col(f"c{i}").alias(f"d{i}") for i in range(len(columns[1])))
                shared = first.frame
                if first.kind == other.kind:
                    shared = first.frame.join(right, left_on="c0", right_on="d0", how="inner")
        except EngineError:  # it refuses before it looks at rows: they are of two connections or sessions
            return None
        n_shared = number_of(shared) if first.kind == other.kind else 0
        return cls((first, other), (len(columns[0]), len(columns[1])), shared, n_shared)

    @property
    def sizes(self) -> tuple[int, int]:
        """How many items each side has."""
        return self.sides[0].n_rows, self.sides[1].n_rows

    @property
    def kinds_differ(self) -> bool:
        """Whether ids are of another type on one side than on the other."""
        return self.sides[0].kind != self.sides[1].kind

    def lone(self, side: int) -> list[Any]:
        """Return the first ids of one side that the other has not, in order."""
        frame, other = self.sides[side].frame, self.sides[1 - side].frame
        if not self.kinds_differ:
            with engine_errors(frame.to_native()):
                frame = frame.join(other.select("c0"), on="c0", how="anti")
        return first_ids(frame)

    def rows(self) -> Rows:
        """Count the distinct rows of both sides, without the ids."""
        names = [f"c{i}" for i in range(1, self.widths[0])] + [f"d{i}" for i in range(1, self.widths[1])]
        return rows_of(self.shared, names, names)

    def differing(self) -> tuple[Any, Any, Any]:
        """Return the first id whose truths differ, and both of them."""
        import narwhals as nw

        first, other = nw.col("c1"), nw.col("d1")
        frame = self.shared.select("c0", "c1", "d1")
        with engine_errors(frame.to_native()):
            kinds = frame.collect_schema().dtypes()[1:]
            if kinds[0] == kinds[1] or all(kind.is_numeric() for kind in kinds):
                frame = frame.filter((first != other) | (first.is_null() != other.is_null()))
            asked = frame.sort("c0").head(1)
        (key,), *truths = lists_of(collected(asked))
        return key, clean(truths[0][0]), clean(truths[1][0])
