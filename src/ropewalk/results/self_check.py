"""Is a gate sane? How often it passes and fails on data like those it was asked about, where what is true is known."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import numpy as np

from ropewalk._checks import published
from ropewalk.draws.intervals import beta_hdi
from ropewalk.results.gates import OVERALL, Requirement
from ropewalk.text.units import Unit, metric_title
from ropewalk.text.writing import count_of, rounded_up

Kind: TypeAlias = Literal["same", "rerun", "margin", "beyond"]

TARGET: Final = 0.8
"""The power for which a gate says how many items it takes."""

_MASS: Final = 0.95
_EDGE: Final = 1e-9
_EXTREME: Final = 0.1  # a share below it, or above 1 − it, is written with a decimal


@dataclass(frozen=True, slots=True)
class Share:
    """How many of some simulated studies ended so, as a share with its 95% interval."""

    count: int
    studies: int

    @property
    def share(self) -> float:
        """The share itself."""
        return self.count / self.studies

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% HDI of the share under a uniform prior, which holds the share."""
        low, high = beta_hdi(np.array([self.count + 1.0]), np.array([self.studies - self.count + 1.0]), _MASS)
        return float(low[0]), float(high[0])

    @property
    def text(self) -> str:
        """The share as a percentage; a bound where none of the studies ended so, or all."""
        low, high = self.interval
        if self.count in {0, self.studies}:
            return f">{math.floor(1e3 * low) / 10:g}%" if self.count else f"<{math.ceil(1e3 * high) / 10:g}%"
        return f"{100 * self.share:.{0 if _EXTREME <= self.share <= 1 - _EXTREME else 1}f}%"

    @property
    def with_interval(self) -> str:
        """The share with its interval, in percent: 1.9% [1.2, 2.9]."""
        low, high = (f"{100 * end:.1f}" for end in self.interval)
        return f"{self.text} [{low}, {high}]"

    def to_dict(self) -> dict[str, Any]:
        """Return the share in plain Python types."""
        low, high = self.interval
        return {"share": self.share, "low": low, "high": high}


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedStudies:
    """What a gate said of simulated test sets in which A was better by exactly `better_by` (worse, where below 0).

    `kind` is "same", where answers were exchanged between the systems, so that nothing sets them apart; "rerun", where
    both are one system that was run twice; "margin", at the very margin; or "beyond", where the requirement holds.
    `met` and `contradicted` count studies out of `studies`; `holds` says whether the requirement is true there.
    """

    kind: Kind
    better_by: float
    holds: bool
    studies: int
    met: int
    contradicted: int

    @property
    def undecided(self) -> int:
        """How many studies were left undecided."""
        return self.studies - self.met - self.contradicted

    @property
    def passes(self) -> Share:
        """How often the gate passed."""
        return Share(self.met, self.studies)

    @property
    def fails(self) -> Share:
        """How often it failed."""
        return Share(self.contradicted, self.studies)

    @property
    def stays_open(self) -> Share:
        """How often it stayed undecided."""
        return Share(self.undecided, self.studies)

    @property
    def wrong(self) -> Share:
        """How often it said what is not true: it failed where the requirement holds, or passed where it does not."""
        return self.fails if self.holds else self.passes

    def to_dict(self) -> dict[str, Any]:
        """Return the counts in plain Python types."""
        parts = {"met": self.passes, "contradicted": self.fails, "undecided": self.stays_open, "wrong": self.wrong}
        return {
            "kind": self.kind,
            "better_by": self.better_by,
            "holds": self.holds,
            "studies": self.studies,
            **{name: part.to_dict() for name, part in parts.items()},
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedCheck:
    """How often one requirement is found met, contradicted or undecided, on data like those of one comparison.

    `promised` is how often at most it may pass wrongly. `worlds` are the truths that were simulated; in those
    `left_out` A would be better by so much, which no data like these show, and `reason` says why there are none.
    `n_units` is how many items (or clusters, as `noun` says) there are, and `n_needed` how many it takes to pass in 80%
    of studies in which A is better by `needed_at`, with a 95% interval `low` to `high` where it was simulated; None
    where no number up to `n_most` does, or it was not asked.
    """

    requirement: Requirement
    metric: str
    task: str | None = None
    a: str = "A"
    noun: str = "item"
    n_units: int = 0
    draws: int = 0
    promised: float = 0.025
    worlds: tuple[SimulatedStudies, ...] = ()
    needed_at: float | None = None
    n_needed: int | None = None
    low: int | None = None
    high: int | None = None
    n_most: int | None = None
    reason: str = ""
    left_out: tuple[float, ...] = ()
    unit: Unit = field(repr=False, default=Unit(1.0))

    def __iter__(self) -> Iterator[SimulatedStudies]:
        return iter(self.worlds)

    def of(self, kind: Kind) -> SimulatedStudies | None:
        """Return the first truth of a kind; None where it was not simulated."""
        return next((world for world in self.worlds if world.kind == kind), None)

    @property
    def sane(self) -> bool | None:
        """Whether no wrong pass is seen more often than is promised, beyond doubt; None where none could be seen."""
        lows = [world.passes.interval[0] for world in self.worlds if not world.holds]
        return all(low <= self.promised for low in lows) if lows else None

    @property
    def errs(self) -> float:
        """How often it says what is not true, in the truth where it does so most often; −1 where none was simulated."""
        return max((world.wrong.share for world in self.worlds), default=-1.0)

    def told(self, shown: Callable[[str], str], *, several: bool = False) -> list[str]:
        """Return in sentences what was simulated, with names as a surface writes them; of one of `several` if so."""
        if self.reason:
            return [f"Not simulated: {self.reason}."]
        twice = self.of("rerun") is not None
        whose = "this requirement" if several else "this gate"
        same = (world for world in self.worlds if world.kind in {"rerun", "same"})
        lines = [_told_same(world, self, whose, twice=twice) for world in same]
        lines += [self._at(world, shown(self.a)) for world in self.worlds if world.kind in {"margin", "beyond"}]
        lines += [self._needed(shown(self.a))] if self.needed_at is not None else []
        away = [f"{shown(self.a)} {self._size(gain)}" for gain in self.left_out]
        return [*lines, *(f"Not simulated: {text}, which no data like these show." for text in away)]

    def titled(self, shown: Callable[[str], str]) -> str:
        """Return which requirement it is, with names as a surface writes them."""
        r = self.requirement
        where = " overall" if r.on == OVERALL else "" if self.task is None else f" on {shown(self.task)}"
        size = f" {self.unit.counted(r.margin)}" if r.margin else ""
        return f"{shown(metric_title(self.metric))} {r.require}{size}{where}"

    def truth_text(self, world: SimulatedStudies, shown: Callable[[str], str]) -> str:
        """Return in words what is true where some studies were simulated."""
        if world.kind == "rerun":
            return "same system run twice, half the answers"
        if abs(world.better_by) <= _EDGE:
            return "no difference"
        return f"{shown(self.a)} {self._size(world.better_by)}"

    def _size(self, better_by: float, by: str = "by") -> str:
        return f"{'better' if better_by > 0 else 'worse'} {by} {self.unit.counted(float(f'{abs(better_by):.6g}'))}"

    def _at(self, world: SimulatedStudies, a: str) -> str:
        if world.holds:
            wrongly = f"; it would wrongly fail {world.fails.text}" if world.contradicted else ""
            return f"If {a} were {self._size(world.better_by)}, it would pass {world.passes.text} of the time{wrongly}."
        size = self._size(world.better_by, "by exactly")
        return (
            f"If {a} were {size}, it would wrongly pass {world.passes.with_interval} of the time "
            f"({_promised(self.promised)} promised)."
        )

    def _needed(self, a: str) -> str:
        assert self.needed_at is not None  # noqa: S101
        noun = self.noun
        truth = "with no difference" if abs(self.needed_at) <= _EDGE else f"with {a} {self._size(self.needed_at)}"
        start = f"To pass {100 * TARGET:g}% of the time {truth} it"
        there = f"there {'is' if self.n_units == 1 else 'are'} {self.n_units:,}"
        if self.n_needed is None:
            return f"{start} needs more than {count_of(self.n_most or self.n_units, noun)}; {there}."
        needed = rounded_up(self.n_needed, self.low, self.high)[0]
        return f"{start} needs about {count_of(needed, noun)}; {there}."

    def to_dict(self) -> dict[str, Any]:
        """Return the check in plain Python types."""
        r = self.requirement
        head = {"metric": self.metric, "require": r.require, "margin": r.margin, "task": self.task}
        if self.reason:
            return {**head, "reason": self.reason}
        needed = {
            "power": TARGET,
            "better_by": self.needed_at,
            "n": self.n_needed,
            "low": self.low,
            "high": self.high,
            "max_n": self.n_most,
        }
        return {
            **head,
            "unit": self.noun,
            "n": self.n_units,
            "draws": self.draws,
            "promised": self.promised,
            "sane": self.sane,
            "studies": [world.to_dict() for world in self.worlds],
            "needed": None if self.needed_at is None else needed,
            **({"left_out": list(self.left_out)} if self.left_out else {}),
        }


def _told_same(world: SimulatedStudies, check: SimulatedCheck, whose: str, *, twice: bool) -> str:
    """Tell what comes of no difference; where one system was run `twice`, that is what nothing changed means."""
    once = "If nothing set the two apart" if twice else "If nothing had changed"
    half = "If the same system had been run twice, with half as many answers per item as here"
    start = half if world.kind == "rerun" else once
    passes = "wrongly pass" if not world.holds else "pass"
    shown = world.passes.text if world.holds else world.passes.with_interval
    promised = "" if world.holds else f" ({_promised(check.promised)} promised)"
    fails = "wrongly fail" if world.holds and world.contradicted else "fail"
    return (
        f"{start}, {whose} would {passes} {shown} of the time{promised}, {fails} {world.fails.text}, "
        f"and stay undecided {world.stays_open.text}."
    )


def _promised(share: float) -> str:
    return f"{100 * share:g}%"


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class SelfCheck:
    """How often a gate would pass or fail wrongly, on data like these. Made by ``gate(…, self_check=True)``.

    It iterates over its checks, in the order of those of the gate.
    """

    checks: tuple[SimulatedCheck, ...]
    seed: int

    def __iter__(self) -> Iterator[SimulatedCheck]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    @property
    def sane(self) -> bool | None:
        """Whether no requirement passes wrongly more often than is promised; None where that could not be seen."""
        known = [check.sane for check in self.checks]
        if any(sane is False for sane in known):
            return False
        return None if any(sane is None for sane in known) else True

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types."""
        return {"sane": self.sane, "seed": self.seed, "checks": [check.to_dict() for check in self.checks]}
