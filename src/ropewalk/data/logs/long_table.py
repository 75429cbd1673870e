"""Long tables: a line per system, item and repeat, with a score, as `ropewalk convert` writes them.

A table has the columns `item` and `system`, and `score` or `correct`. It may have `repeat` or `epoch`, `task`, `truth`,
`prediction`, `cluster` and `error`. It is CSV, TSV, JSON lines, a JSON array or Parquet.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk.data.columns import score_in
from ropewalk.data.files import column_names, file_rows
from ropewalk.data.logs.groups import Groups
from ropewalk.data.logs.opening import first_keys, head_of, json_records
from ropewalk.data.logs.rows import Choice, LogFormat, Row, Run, Score, text_of
from ropewalk.errors import DataError, FileFormatError, RopewalkError
from ropewalk.text.writing import brief, did_you_mean, shorten

_NEEDED: Final = ("item", "system")
_SCORES: Final = ("score", "correct")
_REPEATS: Final = ("repeat", "epoch")
_CLUSTER: Final = "cluster"
_LABELS: Final = ("item", "truth", "prediction", _CLUSTER)
"""Columns whose whole numbers may have been written as 1.0, as pandas does where a column has a hole."""

_COLUMNS: Final = (*_NEEDED, *_SCORES, *_REPEATS, "task", "truth", "prediction", _CLUSTER, "error")
_WHOLE: Final = re.compile(r"([+-]?\d+)(?:\.0*)?")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")

Record = Mapping[str, Any]


def _runs(path: Path) -> Iterator[Run]:
    table = _Table(path)
    for task, system in table.groups.keys:
        yield Run(
            system=system,
            task=task,
            scores=tuple(_score(name) for name in _SCORES if name in table.columns),
            rows=partial(table.rows, task, system),
        )


def _score(name: str) -> Score:
    return Score(name=name, low=0.0, high=1.0) if name == "correct" else Score(name=name)


class _Table:
    """A long table that was read once: its lines by task and system."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.columns = _names(path, head_of(path))
        self.whole = set(_LABELS)
        self.groups = self._grouped(_CLUSTER)
        if not self.groups.keys:
            raise FileFormatError(
                f"{str(path)!r} has no rows.", hint="a table needs a header line and at least one item."
            )

    def rows(self, task: str, system: str, choice: Choice) -> Iterator[Row]:
        """Yield the rows of a system on a task."""
        groups = self.groups if choice.cluster in {None, _CLUSTER} else self._grouped(self._cluster(choice.cluster))
        for record in groups.records((task, system)):
            score = record[choice.scorer or _SCORES[0]]
            labels = {name: self._label(name, record[name]) for name in _LABELS}
            yield Row(
                task=task,
                item=labels["item"] or "",
                repeat=record["repeat"],
                system=system,
                truth=labels["truth"],
                prediction=labels["prediction"],
                score=score,
                cluster=labels[_CLUSTER],
                error=record["error"] or ("no score" if score is None else None),
            )

    def _cluster(self, name: str | None) -> str:
        if name not in self.columns:
            raise DataError(
                f"{str(self.path)!r} has no column {name!r}; it has {shorten(self.columns, 12)}.",
                hint=did_you_mean(name, self.columns) or "name one of these.",
            )
        return str(name)

    def _label(self, name: str, value: str | None) -> str | None:
        found = _WHOLE.fullmatch(value or "") if name in self.whole else None
        return found[1] if found else value

    def _grouped(self, cluster: str) -> Groups:
        """Sort the lines by task and system, and note which columns hold whole numbers only."""
        groups = Groups()
        for number, record in enumerate(_records(self.path, self.columns, cluster), 1):
            where = f"{str(self.path)!r}, row {number}"
            kept = {name: _text(record.get(name)) for name in ("item", "truth", "prediction", "error")}
            kept[_CLUSTER] = _text(record.get(cluster))
            system = _text(record.get("system"))
            if kept["item"] is None or system is None:
                raise DataError(
                    f"{where}: the {'item' if kept['item'] is None else 'system'} is empty.",
                    hint="every row names both.",
                )
            self.whole -= {
                name for name in self.whole if (cell := kept[name]) is not None and not _WHOLE.fullmatch(cell)
            }
            scores = {name: _number(record.get(name), name, where) for name in _SCORES}
            repeat = next((record.get(name) for name in _REPEATS if name in self.columns), None)
            groups.add((_text(record.get("task")) or "", system), {**kept, **scores, "repeat": _repeat(repeat, where)})
        return groups


def _records(path: Path, columns: Sequence[str], cluster: str) -> Iterator[Record]:
    """Yield the lines of a table by the columns that are needed."""
    if _first_sign(head_of(path)) in {b"[", b"{"}:
        yield from json_records(path)
        return
    wanted = [name for name in dict.fromkeys((*_COLUMNS, cluster)) if name in columns]
    for row in file_rows(path, wanted):
        yield dict(zip(wanted, row, strict=True))


def _text(value: Any) -> str | None:
    """Return a cell as text; None where it is empty."""
    if value is None or (isinstance(value, float) and math.isnan(value)) or value == "":
        return None
    return text_of(value) if isinstance(value, str | bool | int | float | list | dict) else str(value)


def _number(value: Any, name: str, where: str) -> float | None:
    text = _text(value)
    if text is None:
        return None
    score = score_in(text)
    if score is not None and math.isnan(score):
        return None
    if score is None or math.isinf(score):
        raise DataError(
            f"{where}: the {name} {brief(text)!r} is no number.", hint="leave it empty where there is none."
        )
    return score


def _repeat(value: Any, where: str) -> int:
    text = _text(value)
    found = _WHOLE.fullmatch("1" if text is None else text)
    if found is None:
        raise DataError(
            f"{where}: the repeat {brief(str(text))!r} is no whole number.", hint="number repeats 1, 2, 3, …"
        )
    return int(found[1][:18])


# -- recognition -------------------------------------------------------------------------------------------


def _is_table(path: Path, head: bytes) -> bool:
    # Names that a text begins without are not looked for in it; a long first line may hold them further on.
    is_binary = head[:4] == b"PAR1" or head[:2] in _UTF16
    if not is_binary and b"\n" in head and not all(name.encode() in head for name in _NEEDED):
        return False
    try:
        columns = _names(path, head)
    except RopewalkError:
        return False
    return all(name in columns for name in _NEEDED) and any(name in columns for name in _SCORES)


def _names(path: Path, head: bytes) -> list[str]:
    """Return what the columns are called; of JSON the keys of the first object."""
    return first_keys(path) if _first_sign(head) in {b"[", b"{"} else column_names(path)


def _first_sign(head: bytes) -> bytes:
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]


TABLE: Final = LogFormat(title="long table", recognises=_is_table, runs=_runs)
