"""The leaderboard of a ranking: how far each classifier is behind the leader, and which of them are its equals.

Differences are paired, and known better than scores; so the picture shows differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.report import words
from ropewalk.report.document import name
from ropewalk.report.pictures import Axis, Span, Tick, hull, view
from ropewalk.report.rows import Row, band_of, common_places, significant, unit_ticks
from ropewalk.report.slider import MarginSlider, margin_slider
from ropewalk.results import Ranking
from ropewalk.text.standing import Group
from ropewalk.text.units import Shown, Unit, signed
from ropewalk.text.verdicts import oriented
from ropewalk.text.writing import cut_apart, isolated, percent, visible

MAX_LETTERS: Final = 24  # of a name above the axis
MAX_LIVE: Final = 40  # classifiers, whose differences of all pairs a page carries for its slider
_SAID: Final = "{}, as set in the call. Move it and the groups follow; the headline keeps to the pre-set value."


@dataclass(frozen=True, slots=True, kw_only=True)
class Leader:
    """One classifier: its score, its chance to be the best, and its difference from the leader.

    `first` is whether a group starts with it; `less` is the difference in words.
    """

    place: int
    row: Row
    chance: str
    share: float
    first: bool
    less: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaders:
    """All classifiers of a ranking, best first, on one axis of differences from the first one."""

    origin: str
    number: str
    rows: tuple[Leader, ...]
    axis: Axis
    ticks: tuple[Tick, ...]
    zero: float
    band: Span | None
    note: str
    is_judged: bool


def leaders(result: Ranking) -> Leaders:
    """Lay out the leaderboard."""
    recipe, models, groups = result.recipe, result.by_rank, result.groups
    first, unit, n = models[0].name, recipe.unit, len(result.draws)
    behind = [improvement(result, model.name, first) for model in models[1:]]
    scores = [Shown.of(model.estimate, unit) for model in models]
    places, score_places = common_places(behind), common_places(scores)
    facing = None if recipe.rope is None else oriented(recipe.rope, higher_is_better=recipe.metric.higher_is_better)
    band = facing if groups else None
    axis = _axis(behind, [end * unit.scale for end in band or ()])
    roles = _roles(groups, [model.name for model in models])
    rows = []
    for i, (model, score) in enumerate(zip(models, scores, strict=True)):
        less = replace(behind[i - 1], places=places) if i else Shown(0.0, 0.0, 0.0, 1)
        tone, verdict, starts, leader = roles[i]
        text = less.text() if i else "leader"
        if leader is not None:
            text = f"from {name(leader)}: {replace(improvement(result, model.name, leader), places=places).text()}"
        row = Row(
            label=name(model.name),
            tone=tone,
            low=axis.at(less.low),
            high=axis.at(less.high),
            at=axis.at(less.centre),
            value=_measured(model.estimate, unit, score_places),
            interval=replace(score, places=score_places).interval(),
            verdict=verdict,
        )
        chance = percent(model.p_best, model.estimate.worth(n))
        rows.append(Leader(place=i + 1, row=row, chance=chance, share=model.p_best, first=starts, less=text))
    return Leaders(
        origin=f"from {name(cut_apart([visible(model.name) for model in models], MAX_LETTERS)[visible(first)])}",
        number=f"{words.metric_name(result.metric)} [{words.mass_text(recipe)}]",
        rows=tuple(rows),
        axis=axis,
        ticks=unit_ticks(axis),
        zero=axis.at(0.0),
        band=None if band is None else band_of(band, axis, unit),
        note=_note(result, groups),
        is_judged=bool(groups),
    )


def improvement(result: Ranking, a: str, b: str) -> Shown:
    """Return how much better one classifier is than another, in the unit that people read."""
    return Shown.of(result.pair(a, b).delta, result.recipe.unit, mirror=not result.recipe.metric.higher_is_better)


def _measured(estimate: Estimate, unit: Unit, places: int) -> str:
    """Write the score that was measured; the mean of the posterior where none was."""
    value = estimate.mean if estimate.observed is None else estimate.observed
    return signed(unit.scale * value, places, sign=False)


def _axis(behind: Sequence[Shown], wanted: Sequence[float]) -> Axis:
    if not behind:
        return Axis(-1.0, 1.0)
    return view(hull([Interval(one.low, one.high) for one in behind], [0.0]), wanted)


def _roles(groups: Sequence[Group], names: Sequence[str]) -> list[tuple[str, str, bool, str | None]]:
    """Return of each classifier its colour, its verdict, whether it starts a group, and its leader below the top."""
    roles: dict[str, tuple[str, str, bool, str | None]] = {}
    for k, group in enumerate(groups):
        settled, leader = "e" if k else "a", group.leader if k else None
        roles[group.leader] = (settled, f"group {k + 1}", k > 0, None)
        roles |= dict.fromkeys(group.alike, (settled, "equivalent", False, leader))
        roles |= dict.fromkeys(group.undecided, ("u", "undecided", False, leader))
    return [roles.get(who, ("i", "", False, None)) for who in names]


def _note(result: Ranking, groups: Sequence[Group]) -> str:
    unit, who = result.recipe.unit, name(result.by_rank[0].name)
    scale = " × 100" if unit.is_points else ""
    items = words.items_text(result.recipe)
    note = f"Scores: {words.metric_name(result.metric)}{scale} on {items}. The picture shows each difference from {who}"
    if not groups:
        return f"{note}."
    margin = unit.counted(max(abs(end) for end in result.recipe.rope or (0.0,)))
    return (
        f"{note}; the grey band is too small to matter. A new group starts where a classifier is worse than the leader "
        f"of the group above by more than {margin}. Filled: settled. Hollow: undecided, may belong one group lower."
    )


def pairs_text(shown: Shown | None) -> str:
    """Write a difference of two."""
    return "" if shown is None else shown.text()


def rank_slider(result: Ranking, board: Leaders) -> MarginSlider | None:
    """Lay out the slider of the groups, with the intervals of all pairs; None where there are no groups."""
    recipe, names = result.recipe, [model.name for model in result.by_rank]
    if not board.is_judged or recipe.rule != "hdi" or len(names) > MAX_LIVE:
        return None
    pairs = [[None if a == b else improvement(result, a, b) for b in names] for a in names]
    far = max(max(abs(one.low), abs(one.high)) for line in pairs for one in line if one is not None)
    if not math.isfinite(far):
        return None
    data: dict[str, Any] = {
        "kind": "leaders",
        "low": [[None if one is None else significant(round(one.low, 6)) for one in line] for line in pairs],
        "high": [[None if one is None else significant(round(one.high, 6)) for one in line] for line in pairs],
        # What stands in a row against a leader: its difference from it, seen from below.
        "text": [["" if a == b else pairs_text(pairs[j][i]) for j, b in enumerate(names)] for i, a in enumerate(names)],
        "axis": [board.axis.low, board.axis.high],
        "names": [isolated(who) for who in names],
    }  # fmt: skip
    metric = recipe.metric
    return margin_slider(
        result.question, Interval(-far, far), recipe.unit, metric.high - metric.low, said=_SAID, data=data
    )
