"""What a picture of one posterior is about, in words that are safe to draw: names, axis, verdict, shares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.data.labels import label_text, rest_of
from ropewalk.draws.decision import Regions, region_masses
from ropewalk.draws.intervals import Interval
from ropewalk.draws.summary import Estimate
from ropewalk.plots._letters import minus
from ropewalk.plots._style import short, words
from ropewalk.report.pictures.axes import ABOVE, BELOW, INSIDE, LINE
from ropewalk.report.shape import metric_title, sign_text
from ropewalk.results import Comparison, MetricPosterior, Recipe
from ropewalk.text.numbers import estimate_text, percent
from ropewalk.text.verdicts import bar_text, rope_text, verdict_text
from ropewalk.typing import FloatArray

NAME: Final = 24
"""How many letters of a name a sentence of a picture has room for."""

_LONG: Final = 40  # letters of a name that is cut to its room later


@dataclass(frozen=True, slots=True)
class Share:
    """The mass of one region: its colour, who is meant if anybody, what of them, and the mass as text."""

    colour: str
    name: str
    meaning: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Part:
    """The sorted draws of one region, its colour, and the ends of the region, which may be infinite."""

    colour: str
    low: float
    high: float
    draws: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """Draws of one number, and what to say about them.

    `parts` and `shares` go from left to right. `rope` lies on the axis of the draws, and is None where it has no part
    in the answer. `origin` is what the draws are held against, 0 or a bar.
    """

    ordered: FloatArray
    estimate: Estimate
    parts: tuple[Part, ...]
    shares: tuple[Share, ...]
    rope: Interval | None
    origin: float | None
    title: str
    label: str
    signed: bool
    prob: float


def subject_of(result: Comparison | MetricPosterior) -> Subject:
    """Return what a picture of a difference or of a single score is about."""
    return _of_metric(result) if isinstance(result, MetricPosterior) else _of_comparison(result)


def metric_words(recipe: Recipe) -> str:
    """Name the metric, and the class where it is about one of many.

    A class of two needs no name: the metric has it by its positive class.
    """
    name = words(metric_title(recipe.metric.name))
    positive = recipe.pos_label
    if positive is None or recipe.tables[0].labels[0] != rest_of(positive):
        return name
    return f"{name} of class {short(label_text(positive), NAME)}"


def delta_words(c: Comparison) -> str:
    """Name the axis of a difference: Δ F1, nb − svm."""
    return f"Δ {metric_words(c.recipe)}: {short(c.a, NAME)} − {short(c.b, NAME)}"


def better_names(c: Comparison) -> tuple[str, str]:
    """Return who is better where A − B is small, and who where it is large."""
    a, b = short(c.a, _LONG), short(c.b, _LONG)
    return (b, a) if c.recipe.metric.higher_is_better else (a, b)


def verdict_words(c: Comparison) -> str:
    """Say the verdict; where there is none, the more probable sign, and why there is no more."""
    a, b = short(c.a, NAME), short(c.b, NAME)
    if c.decision is not None and c.rope is not None:
        said = verdict_text(c.decision.verdict, c.decision.leaning, minus(rope_text(c.rope)), a, b)
        return f"{c.decision.symbol}  {said}{'' if c.decision.stable else ' (unstable)'}"
    return sign_text(c, a, b, words(metric_title(c.metric)))


def _of_comparison(c: Comparison) -> Subject:
    ordered, n = np.sort(c.draws.delta()), c.delta.worth(len(c.draws))
    if c.regions is not None and c.rope is not None:
        low, high = better_names(c)
        meant = ((low, "better"), ("", "too close"), (high, "better"))
        rope, shares = c.rope, _shares(c.regions, meant, n)
        parts = _three(ordered, c.rope, c.regions)
    else:
        rope, shares = None, _signs(c, n)
        parts = _three(ordered, Interval(0.0, 0.0), region_masses(ordered, Interval(0.0, 0.0)))
    return Subject(
        ordered=ordered,
        estimate=c.delta,
        parts=parts,
        shares=shares,
        rope=rope,
        origin=0.0,
        title=verdict_words(c),
        label=delta_words(c),
        signed=True,
        prob=c.recipe.prob,
    )


def _shares(regions: Regions, meant: tuple[tuple[str, str], ...], n_draws: int) -> tuple[Share, ...]:
    masses = (regions.below, regions.inside, regions.above)
    return tuple(
        Share(colour, name, meaning, percent(mass, n_draws))
        for colour, (name, meaning), mass in zip((BELOW, INSIDE, ABOVE), meant, masses, strict=True)
    )


def _signs(c: Comparison, n_draws: int) -> tuple[Share, ...]:
    """Return the probabilities of the signs; equal scores are rare but for a bootstrap."""
    same = 1.0 - c.prob_below_zero - c.prob_above_zero
    drawn = same * len(c.draws) > 0.5  # noqa: PLR2004 - at least one draw, whatever the rounding
    return (
        Share(BELOW, "", "P(Δ < 0)", percent(c.prob_below_zero, n_draws)),
        *([Share(INSIDE, "", "P(Δ = 0)", percent(same, n_draws))] if drawn else []),
        Share(ABOVE, "", "P(Δ > 0)", percent(c.prob_above_zero, n_draws)),
    )


def _three(ordered: FloatArray, rope: Interval | None, regions: Regions) -> tuple[Part, ...]:
    """Share sorted draws out among three regions, by the masses that the result holds.

    Without edges, which then lie beyond the draws, one region has them all.
    """
    edges = rope or Interval(math.inf, -math.inf)
    first = round(regions.below * ordered.size)
    second = ordered.size - round(regions.above * ordered.size)
    parts = (
        Part(colour=BELOW, low=-math.inf, high=edges.low, draws=ordered[:first]),
        Part(colour=INSIDE, low=min(edges), high=max(edges), draws=ordered[first:second]),
        Part(colour=ABOVE, low=edges.high, high=math.inf, draws=ordered[second:]),
    )
    return tuple(part for part in parts if part.draws.size)


def _of_metric(m: MetricPosterior) -> Subject:
    ordered, n = np.sort(m.draws.psi[0]), m.estimate.worth(len(m.draws))
    bar, name = m.bar, short(m.draws.names[0], NAME)
    title = f"{name}'s {metric_words(m.recipe)} is {minus(estimate_text(m.estimate))}"
    rope: Interval | None = None
    shares: tuple[Share, ...] = ()
    parts: tuple[Part, ...] = (Part(colour=LINE, low=-math.inf, high=math.inf, draws=ordered),)
    if m.regions is not None and m.decision is not None and m.recipe.rope is not None and bar is not None:
        low, high = ("worse", "better") if m.metric.higher_is_better else ("better", "worse")
        shares = _shares(m.regions, (("", f"{low} than the bar"), ("", "at the bar"), ("", f"{high} than the bar")), n)
        said = bar_text(m.decision.verdict, m.decision.leaning, minus(rope_text(m.recipe.rope)), name, f"{bar:g}")
        title = f"{m.decision.symbol}  {said}{'' if m.decision.stable else ' (unstable)'}"
        rope = Interval(bar + m.recipe.rope.low, bar + m.recipe.rope.high)
        parts = _three(ordered, rope, m.regions)
    elif m.prob_at_least is not None and bar is not None:
        shares = (
            Share(BELOW, "", "P(below the bar)", percent(1.0 - m.prob_at_least, n)),
            Share(ABOVE, "", "P(at least the bar)", percent(m.prob_at_least, n)),
        )
        parts = _three(ordered, Interval(bar, bar), Regions(1.0 - m.prob_at_least, 0.0, m.prob_at_least))
    return Subject(
        ordered=ordered,
        estimate=m.estimate,
        parts=parts,
        shares=shares,
        rope=rope,
        origin=bar,
        title=title,
        label=f"{metric_words(m.recipe)} of {name}",
        signed=False,
        prob=m.recipe.prob,
    )
