"""Long tables: a line per system, item and repeat, with a score, as `ropewalk convert` and other tools write them.

A table that is recognised has the columns `item` and `system`, and `score` or `correct`. It may have `repeat` or
`epoch`, `task`, `truth`, `prediction`, `cluster` and `error`. It is CSV, TSV, JSON lines, a JSON array or Parquet.
Where columns are named, they may be called anything, and the table may be a dataframe.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ropewalk.data.columns import number_hint, require_columns, score_in
from ropewalk.data.files import column_names, file_rows
from ropewalk.data.formats.parquet import PARQUET
from ropewalk.data.labels import clean
from ropewalk.data.logs.groups import Groups
from ropewalk.data.logs.opening import first_keys, head_of, records_in
from ropewalk.data.logs.rows import Choice, LogFormat, Row, Run, Score, text_of
from ropewalk.data.opening import UTF16_MARKS
from ropewalk.errors import (
    DataError,
    InvalidInputError,
    LabelTypeError,
    RopewalkError,
    UnfinishedError,
)
from ropewalk.text.remarks import wording
from ropewalk.text.writing import brief, did_you_mean, shorten

if TYPE_CHECKING:
    from ropewalk.data.records import Records

_NEEDED: Final = ("item", "system")
_SCORES: Final = ("score", "correct")
_REPEATS: Final = ("repeat", "epoch")
_LABELS: Final = ("item", "truth", "prediction", "cluster")
"""Columns whose whole numbers may have been written as 1.0, as pandas does where a column has a hole."""

_LETTERS: Final = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}
"""Inspect's scores: correct, part of it, incorrect, no answer."""

_WHOLE: Final = re.compile(r"([+-]?\d+)(?:\.0*)?")

Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """What the columns of a long table are called; None where there is none."""

    system: str = "system"
    item: str = "item"
    score: str | None = None
    truth: str | None = None
    prediction: str | None = None
    repeat: str | None = None
    task: str | None = None
    cluster: str | None = None
    error: str | None = None

    def among(self, present: Sequence[str], where: str) -> Columns:
        """Return these columns of a table, and beside them those that are called as they are known."""
        named = {part: name for part in _parts() if (name := getattr(self, part)) is not None}
        require_columns(present, list(named.values()), where)
        if self.system == self.item:
            raise InvalidInputError(
                f"{self.item!r} is named as the column of systems and as that of items.",
                hint="a row says who answered, and what.",
            )
        labelled = "truth" in named or "prediction" in named
        known = {part: (part,) for part in _parts()} | {"repeat": _REPEATS, "score": () if labelled else _SCORES}
        free = [name for name in present if name not in named.values()]
        found = {part: next((name for name in names if name in free), None) for part, names in known.items()}
        return Columns(**{**found, **named})

    @property
    def has_labels(self) -> bool:
        """Whether truth and prediction are known."""
        return self.truth is not None and self.prediction is not None


def _parts() -> tuple[str, ...]:
    return tuple(field.name for field in fields(Columns))


def named_runs(records: Records, columns: Columns) -> Iterator[Run]:
    """Yield the runs of a table whose columns are named."""
    where = records.title
    chosen = columns.among(records.names(), where)
    if chosen.score is None and not chosen.has_labels:
        raise InvalidInputError(
            f"{where} has neither a score column nor truth and prediction columns.",
            hint=wording("name them as score=, or as truth= and prediction=."),
        )
    scores = () if chosen.score is None else (chosen.score,)
    return _Table(where, records.names(), chosen, scores, partial(_rows, records)).runs()


def _rows(records: Records, names: Sequence[str]) -> Iterator[Record]:
    for row in records.rows(names):
        yield dict(zip(names, row, strict=True))


def _runs(path: Path) -> Iterator[Run]:
    """Yield the runs of a file whose columns are called as they are known; it may have two scores to choose from."""
    present = _names(path, head_of(path))
    scores = tuple(name for name in _SCORES if name in present)
    return _Table(repr(str(path)), present, Columns().among(present, str(path)), scores, partial(_lines, path)).runs()


def _lines(path: Path, names: Sequence[str]) -> Iterator[Record]:
    """Yield the lines of a table by some columns."""
    if head_of(path)[:1] in {b"[", b"{"}:
        yield from records_in(path)
        return
    for row in file_rows(path, names):
        yield dict(zip(names, row, strict=True))


class _Table:
    """A long table that is read once for each column of clusters: its lines by task and system."""

    def __init__(
        self,
        title: str,
        present: Sequence[str],
        columns: Columns,
        scores: Sequence[str],
        lines: Callable[[Sequence[str]], Iterator[Record]],
    ) -> None:
        self.title, self.present, self.columns, self.scores, self.lines = title, present, columns, scores, lines
        self.whole = set(_LABELS)
        self._sorted: dict[str | None, Groups] = {}
        self.groups = self._grouped(columns.cluster)
        if not self.groups.keys:
            raise UnfinishedError(
                f"There are no rows in {title}.", hint="a table needs a header line and at least one item."
            )

    def runs(self) -> Iterator[Run]:
        """Yield a run per task and system."""
        scores = [Score(name=x, low=0.0, high=1.0) if x == "correct" else Score(name=x) for x in self.scores]
        for task, system in self.groups.keys:
            yield Run(
                system=system,
                task=task,
                scores=tuple(scores) or (Score(name="accuracy", low=0.0, high=1.0, of_labels=True),),
                rows=partial(self.rows, task, system),
            )

    def rows(self, task: str, system: str, choice: Choice) -> Iterator[Row]:
        """Yield the rows of a system on a task."""
        known = choice.cluster in {None, "cluster", self.columns.cluster}
        groups = self.groups if known else self._grouped(self._cluster(choice.cluster))
        for record in groups.records((task, system)):
            labels = {part: self._label(part, record[part]) for part in _LABELS}
            truth, prediction = labels["truth"], labels["prediction"]
            if self.scores:
                score, why = record["scores"][choice.scorer or self.scores[0]], "no score"
            else:
                missing = "truth" if truth is None else "prediction" if prediction is None else ""
                score, why = None if missing else float(truth == prediction), f"no {missing}"
            yield Row(
                task=task,
                item=labels["item"] or "",
                repeat=record["repeat"],
                system=system,
                truth=truth,
                prediction=prediction,
                score=score,
                cluster=labels["cluster"],
                error=record["error"] or (why if score is None else None),
            )

    def _cluster(self, name: str | None) -> str:
        if name not in self.present:
            raise DataError(
                f"{self.title} has no column {name!r}; it has {shorten(self.present, 12)}.",
                hint=did_you_mean(name, self.present).rstrip() or "name one of these.",
            )
        return str(name)

    def _label(self, part: str, value: str | None) -> str | None:
        found = _WHOLE.fullmatch(value or "") if part in self.whole else None
        return found[1] if found else value

    def _grouped(self, cluster: str | None) -> Groups:
        """Return the lines by task and system, with the column of their clusters: all runs share one pass."""
        if cluster not in self._sorted:
            self._sorted[cluster] = self._sort(cluster)
        return self._sorted[cluster]

    def _sort(self, cluster: str | None) -> Groups:
        """Sort the lines by task and system, and note which columns hold whole numbers only."""
        groups, columns = Groups(), self.columns
        of_part = {part: getattr(columns, part) for part in ("item", "truth", "prediction", "error")}
        of_part["cluster"] = cluster
        wanted = [*of_part.values(), columns.system, columns.repeat, columns.task, *self.scores]
        names = [name for name in dict.fromkeys(wanted) if name is not None]
        for number, record in enumerate(self.lines(names), 1):
            where = f"{self.title}, row {number}"
            kept: dict[str, Any] = {part: _text(record.get(name)) for part, name in of_part.items()}
            system = _text(record.get(columns.system))
            if kept["item"] is None or system is None:
                empty = columns.item if kept["item"] is None else columns.system
                raise DataError(f"{where}: the {empty} is empty.", hint="every row needs a system and an item.")
            self.whole -= {
                part for part in self.whole if (cell := kept[part]) is not None and not _WHOLE.fullmatch(cell)
            }
            kept["scores"] = {name: _number(record.get(name), name, where) for name in self.scores}
            kept["repeat"] = _repeat(record.get(columns.repeat) if columns.repeat else None, where)
            groups.add((_text(record.get(columns.task)) or "" if columns.task else "", system), kept)
        return groups


def _text(value: Any) -> str | None:
    """Return a cell as text; None where it is empty."""
    if isinstance(value, list | dict):
        return text_of(value)
    try:
        plain = clean(value)
    except LabelTypeError:
        return str(value)
    return None if plain in {None, ""} else text_of(plain)


def _number(value: Any, name: str, where: str) -> float | None:
    text = _text(value)
    if text is None:
        return None
    score = _LETTERS.get(text.lower(), score_in(text))
    if score is not None and math.isnan(score):
        return None
    if score is None or math.isinf(score):
        raise DataError(f"{where}: the {name} {brief(text)!r} is no number.", hint=number_hint(text))
    return score


def _repeat(value: Any, where: str) -> int:
    text = _text(value)
    found = _WHOLE.fullmatch("1" if text is None else text)
    if found is None:
        raise DataError(
            f"{where}: the repeat {brief(str(text))!r} is not a whole number.", hint="number repeats 1, 2, 3, …"
        )
    return int(found[1][:18])


# -- recognition -------------------------------------------------------------------------------------------


def _is_table(path: Path, head: bytes) -> bool:
    # Names that a text begins without are not looked for in it; a long first line may hold them further on.
    is_binary = PARQUET.recognises(head) or head[:2] in UTF16_MARKS
    if not is_binary and b"\n" in head and not all(name.encode() in head for name in _NEEDED):
        return False
    try:
        columns = _names(path, head)
    except RopewalkError:
        return False
    return all(name in columns for name in _NEEDED) and any(name in columns for name in _SCORES)


def _names(path: Path, head: bytes) -> list[str]:
    """Return what the columns are called; of JSON the keys of the first object."""
    return first_keys(path) if head[:1] in {b"[", b"{"} else column_names(path)


TABLE: Final = LogFormat(title="long table", recognises=_is_table, runs=_runs)
