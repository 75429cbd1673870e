"""What a picture of one posterior is about, in words that are safe to draw: names, axis, verdict, shares."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Final

from ropewalk.data.labels import label_text, rest_of
from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import Interval, Regions
from ropewalk.plots._canvas import minus, short, words
from ropewalk.report.pictures import ABOVE, BELOW, INSIDE
from ropewalk.report.posterior import Posterior, posterior_of
from ropewalk.report.words import sign_text
from ropewalk.results import Comparison, MetricPosterior, Recipe
from ropewalk.text.units import metric_title
from ropewalk.text.verdicts import judged_text, oriented, rope_text, side_words
from ropewalk.text.writing import estimate_text, percent

NAME: Final = 24
"""How many letters of a name a sentence of a picture has room for."""

MAX_LETTERS_BEFORE_FIT: Final = 40  # of a name that is cut to its room later


@dataclass(frozen=True, slots=True)
class Share:
    """The mass of one region: its colour, who is meant if anybody, what of them, and the mass as text."""

    colour: str
    name: str
    meaning: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Subject:
    """Draws of one number, and what to say about them; `shares` go from left to right."""

    posterior: Posterior
    shares: tuple[Share, ...]
    title: str
    label: str

    @property
    def rope(self) -> Interval | None:
        """The ROPE on the axis of the draws; None where it has no part in the answer."""
        return None if self.posterior.answer.regions is None else self.posterior.rope


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
    a, b = short(c.a, MAX_LETTERS_BEFORE_FIT), short(c.b, MAX_LETTERS_BEFORE_FIT)
    return (b, a) if c.recipe.metric.higher_is_better else (a, b)


@singledispatch
def subject_of(result: Any) -> Subject:
    """Return what a picture of a difference or of a single score is about."""
    raise TypeError(type(result).__name__)


@subject_of.register(Comparison)
def _(c: Comparison) -> Subject:
    a, b, n_draws = short(c.a, NAME), short(c.b, NAME), c.delta.worth(len(c.draws))
    low, high = better_names(c)
    title = sign_text(c, a, b, words(metric_title(c.metric)))
    if c.decision is not None and c.rope is not None:
        up, rope = c.recipe.metric.higher_is_better, minus(rope_text(c.rope))
        told = judged_text(c.decision.verdict, c.decision.leaning, c.rope, a, b, higher_is_better=up, width=rope)
        title = _judged(c.decision, told)
    if c.regions is not None and c.rope is not None:
        meanings = ((low, "better"), ("", "too close"), (high, "better"))
        shares = _shares(c.regions, _one_sided(c.recipe, a) or meanings, n_draws)
    else:
        same = 1.0 - c.prob_below_zero - c.prob_above_zero
        signs = Regions(c.prob_below_zero, same, c.prob_above_zero)
        shares = _shares(signs, tuple(("", f"P(Δ {sign} 0)") for sign in "<=>"), n_draws)
        if same * len(c.draws) <= 0.5:  # noqa: PLR2004 - not even one draw, whatever the rounding
            shares = (shares[0], shares[2])
    return Subject(posterior=posterior_of(c), shares=shares, title=title, label=delta_words(c))


@subject_of.register(MetricPosterior)
def _(m: MetricPosterior) -> Subject:
    n_draws, bar, name = m.estimate.worth(len(m.draws)), m.bar, short(m.draws.names[0], NAME)
    title = f"{name}'s {metric_words(m.recipe)} is {minus(estimate_text(m.estimate))}"
    shares: tuple[Share, ...] = ()
    if m.regions is not None and m.decision is not None and m.recipe.rope is not None and bar is not None:
        low, high = ("worse", "better") if m.metric.higher_is_better else ("better", "worse")
        meanings = (("", f"{low} than the bar"), ("", "at the bar"), ("", f"{high} than the bar"))
        shares = _shares(m.regions, _one_sided(m.recipe, "") or meanings, n_draws)
        rope = minus(rope_text(m.recipe.rope))
        up, verdict, lean = m.metric.higher_is_better, m.decision.verdict, m.decision.leaning
        told = judged_text(verdict, lean, m.recipe.rope, name, f"{bar:g}", higher_is_better=up, bar=True, width=rope)
        title = _judged(m.decision, told)
    elif m.prob_at_least is not None and bar is not None:
        sides = Regions(1.0 - m.prob_at_least, 0.0, m.prob_at_least)
        shares = _shares(sides, (("", "P(below the bar)"), ("", ""), ("", "P(at least the bar)")), n_draws)
    return Subject(posterior=posterior_of(m), shares=shares, title=title, label=f"{metric_words(m.recipe)} of {name}")


def _judged(decision: Decision, verdict: str) -> str:
    return f"{decision.symbol}  {verdict}{'' if decision.stable else ' (unstable)'}"


def _one_sided(recipe: Recipe, who: str) -> tuple[tuple[str, str], ...]:
    """Return the meanings of the regions below, inside and above a ROPE with one end; empty where it has two."""
    if recipe.rope is None or not recipe.rope.one_sided:
        return ()
    facing = oriented(recipe.rope, higher_is_better=recipe.metric.higher_is_better)
    inside, outside = [(who, side_words(facing, inside=within)[0]) for within in (True, False)]
    return (outside, inside, ("", "")) if math.isinf(recipe.rope.high) else (("", ""), inside, outside)


def _shares(masses: Regions, meanings: tuple[tuple[str, str], ...], n_draws: int) -> tuple[Share, ...]:
    return tuple(
        Share(colour, name, meaning, percent(mass, n_draws))
        for colour, (name, meaning), mass in zip(
            (BELOW, INSIDE, ABOVE), meanings, (masses.below, masses.inside, masses.above), strict=True
        )
        if meaning
    )
