"""The items on which two classifiers differ, one by one."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ropewalk._checks import published
from ropewalk._files import write_text
from ropewalk.data.labels import clean
from ropewalk.errors import LabelTypeError
from ropewalk.results import base
from ropewalk.results.base import Rendered
from ropewalk.text.writing import count_of, safe_cell, visible

LOST: Final = "lost"
GAINED: Final = "gained"
BOTH_WRONG: Final = "both wrong"
CHANGES: Final = (LOST, GAINED, BOTH_WRONG)
"""What happened to an item, in the order in which items are listed: what A got wrong, and B had right, comes first."""


class Item(NamedTuple):
    """An item on which A and B differ: its id or position, its truth, what A and B said, and what that changes.

    `difference` is that of the two scores, A − B; None for labels.
    """

    key: Any
    truth: Any
    a: Any
    b: Any
    change: str
    difference: float | None = None


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Items(Rendered):
    """The items on which two classifiers differ, in the order of `Comparison.items`. It has a length and iterates.

    `key` is the heading of the ids, or "position" where there are none; `counts` are how many items were gained, lost
    and wrong in both ways, also of those that were not asked for. `library` is that of the dataframe that the data came
    in.

    Examples
    --------
    >>> import ropewalk as rw
    >>> r = rw.compare([1, 1, 0, 0], [1, 0, 0, 1], [1, 1, 1, 1], names=["new", "old"], metric="accuracy", rng=0)
    >>> [(item.key, item.change) for item in r.items()]
    [(1, 'lost'), (2, 'gained')]
    """

    a: str
    b: str
    rows: tuple[Item, ...]
    counts: Mapping[str, int]
    key: str = "position"
    has_truth: bool = True
    of_scores: bool = False
    library: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.rows)

    def __getitem__(self, place: int) -> Item:
        return self.rows[place]

    @property
    def columns(self) -> dict[str, str]:
        """The headings of the parts of an item: the classifiers have their names, where these are not taken."""
        parts = {"key": self.key, "truth": "truth", "change": "change", "difference": "difference"}
        if not self.has_truth:
            del parts["truth"]
        if not self.of_scores:
            del parts["difference"]
        taken = set(parts.values())
        for part, name in (("a", self.a), ("b", self.b)):
            heading = name
            while heading in taken or (part == "a" and heading == self.b):
                heading = f"prediction of {heading}"
            taken.add(heading)
            parts[part] = heading
        return {part: parts[part] for part in Item._fields if part in parts}

    def to_dict(self) -> dict[str, Any]:
        """Return the items in plain Python types: exactly the JSON object."""
        columns = self.columns
        listed = [{heading: _plain(getattr(item, part)) for part, heading in columns.items()} for item in self.rows]
        return {**base.HEAD, "a": self.a, "b": self.b, "counts": dict(self.counts), "items": listed}

    def to_csv(self, path: str | os.PathLike[str] | None = None, *, escape: bool = True) -> str:
        """Return the items as CSV, and write it to `path` if given.

        A text that a spreadsheet would take for a formula, since it begins with = + - @ or a tab and is no number, gets
        an apostrophe before it; all other cells are as the data have them, and without `escape` these are too.
        """
        columns, handle = self.columns, io.StringIO()
        writer = csv.writer(handle, lineterminator="\n")
        cell = safe_cell if escape else str
        writer.writerow([cell(heading) for heading in columns.values()])
        for item in self.rows:
            values = (getattr(item, part) for part in columns)
            writer.writerow(["" if value is None else cell(str(value)) for value in values])
        text = handle.getvalue()
        if path is not None:
            write_text(path, text)
        return text

    def __repr__(self) -> str:
        kinds = ", ".join(f"{number:,} {change}" for change, number in self.counts.items())
        listed = "" if len(self) == sum(self.counts.values()) else f"{len(self):,} of "
        total = count_of(sum(self.counts.values()), "item")
        return visible(f"Items({listed}{total} on which {self.a} and {self.b} differ: {kinds})")


def _plain(value: Any) -> Any:
    """Return a value that JSON has; an id may be anything."""
    try:
        return clean(value)
    except LabelTypeError:
        return str(value)
