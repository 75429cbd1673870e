"""The same question on slices of the items: a language, a source, a month."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from ropewalk._checks import published
from ropewalk.data.labels import label_text
from ropewalk.results import base
from ropewalk.results.base import Recipe, Rendered
from ropewalk.results.comparison import Comparison
from ropewalk.text.writing import shorten, visible
from ropewalk.typing import Label

SliceValue = Label | float | None
Shift = Literal["worse", "better"]

NO_VALUE = "(no value)"
"""What the slice of the items without a value is called."""


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The answer on the items of one slice: where `value` is None, those without a value.

    `shift` is "worse" or "better" where A is so on these items, beyond what chance would make of one slice of many,
    and with a ROPE by a stable verdict; None where that is open.
    """

    value: SliceValue
    comparison: Comparison
    shift: Shift | None = None

    @property
    def name(self) -> str:
        """The value as a text."""
        return slice_text(self.value)


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Slices(Rendered):
    """One comparison per slice of the items, by the value that their items have in common. Made by ``compare(by=…)``.

    It iterates over slices in the order of their values, and `r.by[value]` is the comparison of one. `column` is what
    the values were called. `pooled` is whether the differences are drawn towards each other, so that many slices need
    no correction. `left_out` are slices that the question cannot be asked of, and why.

    Examples
    --------
    >>> import ropewalk as rw
    >>> y, new = [1, 0] * 100, [1, 0] * 60 + [1, 1, 1, 0] * 20
    >>> old, language = [1, 0] * 100, ["en"] * 120 + ["de"] * 80
    >>> r = rw.compare(y, new, old, metric="accuracy", by=language, draws=2_000, rng=0)
    >>> [s.value for s in r.by], r.by.worse, r.by["de"].mean < -0.1
    (['de', 'en'], ('de',), True)
    """

    slices: tuple[Slice, ...]
    column: str | None = None
    pooled: bool = False
    left_out: tuple[tuple[SliceValue, str], ...] = ()

    def __getitem__(self, value: SliceValue) -> Comparison:
        for s in self.slices:
            if s.value == value:
                return s.comparison
        raise KeyError(f"{value}; there are: {shorten(s.value for s in self)}")

    def __contains__(self, value: object) -> bool:
        return any(s.value == value for s in self.slices)

    def __iter__(self) -> Iterator[Slice]:
        return iter(self.slices)

    def __len__(self) -> int:
        return len(self.slices)

    @property
    def worse(self) -> tuple[SliceValue, ...]:
        """The values of the slices where A is worse than B, the worst first."""
        return tuple(s.value for s in self.by_difference if s.shift == "worse")

    @property
    def better(self) -> tuple[SliceValue, ...]:
        """The values of the slices where A is better than B, the best first."""
        return tuple(s.value for s in reversed(self.by_difference) if s.shift == "better")

    @property
    def by_difference(self) -> tuple[Slice, ...]:
        """The slices, that where A does worst against B first."""
        return tuple(sorted(self.slices, key=lambda s: improvement(s.comparison)))

    @property
    def recipe(self) -> Recipe:
        """What gives the first comparison again, without the others."""
        return self.slices[0].comparison.recipe

    def __repr__(self) -> str:
        about = "" if self.column is None else f" by {self.column}"
        return visible(f"Slices({len(self)} slices{about}: {len(self.worse)} worse, {len(self.better)} better)")

    def to_list(self) -> list[dict[str, Any]]:
        """Return what the JSON of the whole comparison holds: one object per slice."""
        return [
            {"slice": s.value if s.value is None else label_text(s.value), "shift": s.shift, **s.comparison.as_row()}  # type: ignore[arg-type]
            for s in self.slices
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the answers in plain Python types: exactly the JSON object."""
        left_out = [{"slice": slice_text(value), "reason": reason} for value, reason in self.left_out]
        named = {"column": self.column, "pooled": self.pooled, "left_out": left_out}
        return {"schema": base.SCHEMA, **named, "by": self.to_list()}


def slice_text(value: SliceValue) -> str:
    """Return the name of a slice as a text."""
    return NO_VALUE if value is None else label_text(value)  # type: ignore[arg-type]


def improvement(c: Comparison) -> float:
    """Return by how much A is better than B."""
    return c.mean if c.recipe.metric.higher_is_better else -c.mean
