"""What an answer about two classifiers means for who decides by this metric: in a line, and as a callout of a page."""

from __future__ import annotations

import math
from typing import Final

from ropewalk.report import words
from ropewalk.report.describe.prospects import more_cell, more_items, more_line
from ropewalk.report.document import Callout, Rows, name
from ropewalk.results import Comparison
from ropewalk.text.units import Shown, Unit
from ropewalk.text.verdicts import Verdict, oriented
from ropewalk.text.writing import count_of, percent

_ROUNDING: Final = 1e-9
_MEANINGS: Final = {
    "a_better": "The evidence supports shipping {a}.",
    "b_better": "The evidence supports keeping {b}.",
    "equivalent": "On this metric either will do: choose by cost, speed or risk.",
    "a_not_worse": "By this margin {a} can replace {b}.",
    "a_worse": "The evidence is against replacing {b} by {a}.",
    "a_not_better": "The evidence is against a gain as large as was asked for.",
}
_TITLES: Final = {
    "a_better": ("ok", "the evidence supports shipping {a}", "nothing in this comparison speaks against it"),
    "b_better": ("no", "the evidence supports keeping {b}", "{a} loses more than matters"),
    "equivalent": ("ok", "either will do", "choose by cost, speed or risk"),
    "a_not_worse": ("ok", "by this margin {a} can replace {b}", "the loss is small enough to accept"),
    "a_worse": ("no", "the evidence is against replacing {b} by {a}", "{a} loses more than was allowed"),
    "a_not_better": ("no", "the evidence is against it", "the gain is smaller than was asked for"),
}


def decision_line(c: Comparison) -> str:
    """Write what the answer means for who decides by this metric."""
    if c.decision is None:
        return stakes_line(c)
    a, b, n, code = name(c.a), name(c.b), c.delta.worth(len(c.draws)), c.decision.code
    worse = c.prob_below_zero if c.recipe.metric.higher_is_better else c.prob_above_zero
    at_all = f"Chance that {a} is worse at all: {percent(worse, n)}."
    if code == "undecided":
        return " ".join(filter(None, (more_line(c.more, c.delta), stakes_line(c), at_all)))
    if code == "b_better":
        at_all = f"Chance that {b} is worse at all: {percent(1.0 - worse, n)}."
    return " ".join(filter(None, (_MEANINGS[code].format(a=a, b=b), at_all, _margins(c))))


def callout(c: Comparison) -> Callout | None:
    """Return the same for a page: what it means, if this metric is what one decides by, and the chances behind it."""
    if c.decision is None:
        return None
    a, b, code = name(c.a), name(c.b), c.decision.code
    if code == "undecided":
        title, text = _open_words(c)
        text = " ".join(filter(None, (text, stakes_line(c))))
        return Callout(tone="wait", title=f"For a decision: {title}", text=text, rows=(*_chances(c), *_more_row(c)))
    tone, title, why = (text.format(a=a, b=b) for text in _TITLES[code])
    return Callout(
        tone=tone,
        title=f"For a decision: {title}",
        text=f"If {words.metric_name(c.metric)} on items like these is what you decide by, {why}.",
        rows=(*_chances(c), *_holds_row(c)),
    )


def _open_words(c: Comparison) -> tuple[str, str]:
    """Write how many more items would settle it, and what "probably" means."""
    if c.more is None:
        return "this is still open", ""
    if c.more.is_impractical or c.more.n is None:
        first, _, rest = more_line(c.more, c.delta).partition("; ")
        return f"{first[:1].lower()}{first[1:]}".removesuffix("."), f"{rest[:1].upper()}{rest[1:]}"
    made = "estimated from this test set" if c.more.method == "extrapolation" else "simulated"
    chance = f"“Probably” is a chance of {100 * c.more.target:g}%, {made}."
    return f"{more_items(c.more)} would probably settle it", chance


def _chances(c: Comparison) -> Rows:
    """Return how probable it is that the one who looks better is worse, at all and by more than matters."""
    assert c.decision is not None and c.regions is not None and c.rope is not None  # noqa: S101, PT018
    up, n, unit = c.recipe.metric.higher_is_better, c.delta.worth(len(c.draws)), c.recipe.unit
    a, b = name(c.a), name(c.b)
    behind, ahead = (c.prob_below_zero, c.prob_above_zero) if up else (c.prob_above_zero, c.prob_below_zero)
    worse, inside, better = c.regions.below, c.regions.inside, c.regions.above
    if not up:
        worse, better = better, worse
    low, high = oriented(c.rope, higher_is_better=up)
    if math.isinf(low) or math.isinf(high):
        return _one_sided_chances(c, (low, high), (worse, inside, better), ahead)
    by = unit.counted(high if low == -high else abs(low))
    if c.decision.code == "b_better":
        rows = [(f"Chance that {b} is worse at all", ahead), (f"Chance that it is worse by more than {by}", better)]
    else:
        rows = [(f"Chance that {a} is worse at all", behind), (f"Chance that it is worse by more than {by}", worse)]
    if c.decision.code == "equivalent":
        rows.append((f"Chance that it is better by more than {unit.counted(high)}", better))
    if c.decision.code == "undecided":
        rows.append(("Chance that the difference is too small to matter", inside))
    return tuple((words_, percent(share, n)) for words_, share in rows)


def _one_sided_chances(
    c: Comparison, facing: tuple[float, float], masses: tuple[float, float, float], ahead: float
) -> Rows:
    worse, _, better = masses
    low, high = facing
    a, n, unit = name(c.a), c.delta.worth(len(c.draws)), c.recipe.unit
    first = (f"Chance that {a} is better at all", ahead)
    if math.isinf(high):
        event = f"the loss exceeds {unit.counted(-low)}" if low < 0 else f"the gain is below {unit.counted(low)}"
        rows = [(f"Chance that {event}", worse)] if low else []
    else:
        event = f"the gain exceeds {unit.counted(high)}" if high > 0 else f"the loss is below {unit.counted(-high)}"
        rows = [(f"Chance that {event}", better)] if high else []
    return tuple((text, percent(share, n)) for text, share in (*rows, first))


def _more_row(c: Comparison) -> Rows:
    """Return how many more items would settle it, unless no practical number does, which the title says."""
    return (
        ()
        if c.more is None or c.more.is_impractical or c.more.n is None
        else ((f"More {c.more.unit} for a clear answer", more_cell(c.more)),)
    )


def _holds_row(c: Comparison) -> Rows:
    """Return at which margins the verdict still holds."""
    assert c.decision is not None and c.rope is not None  # noqa: S101, PT018
    unit, up = c.recipe.unit, c.recipe.metric.higher_is_better
    low, high = oriented(c.rope, higher_is_better=up)
    if math.isinf(high) and low < 0 and c.decision.code == "a_not_worse" and c.recipe.rule == "hdi":
        worst = -Shown.of(c.delta, unit, mirror=not up).low
        place = 10.0 ** Shown.of(c.delta, unit).places
        least = math.ceil(worst * place - _ROUNDING) / place
        return (("Smallest margin at which this still holds", _margin_text(least, unit)),) if least > 0 else ()
    held = _held(c)
    if not held:
        return ()
    which = "Smallest" if c.decision.verdict is Verdict.EQUIVALENT else "Largest"
    return ((f"{which} margin at which this still holds", f"±{_margin_text(held, unit)}"),)


def _held(c: Comparison) -> float | None:
    """Return up to, or from, which margin a verdict holds: rounded to where it does hold."""
    unit = c.recipe.unit
    place = 10.0 ** Shown.of(c.delta, unit).places
    for piece in c.rope_path or ():
        if c.decision is None or piece.verdict is not c.decision.verdict:
            continue
        if piece.verdict is Verdict.EQUIVALENT:
            return math.ceil(unit.scale * piece.start * place - _ROUNDING) / place
        if piece.stop is not None:
            return math.floor(unit.scale * piece.stop * place + _ROUNDING) / place or None
    return None


def _margins(c: Comparison) -> str:
    """Write up to, or from, which margin a verdict holds."""
    held = _held(c)
    if held is None or c.decision is None:
        return ""
    text = f"±{_margin_text(held, c.recipe.unit)}"
    if c.decision.verdict is Verdict.EQUIVALENT:
        return f"The verdict holds for margins from {text} on." if held else "The verdict holds for any margin."
    return f"The verdict holds for margins up to {text}."


def _margin_text(size: float, unit: Unit) -> str:
    return f"{size:g}{'' if not unit.is_points else ' point' if size == 1 else ' points'}"


def stakes_line(c: Comparison) -> str:
    """Write what shipping the better-looking one gains and loses."""
    if c.stakes is None:
        return ""
    told = words.stakes_words(c)
    return (
        f"Shipping {told.better} instead of {told.other} gains {told.gain} and loses {told.loss} on average, "
        f"{words.stakes_unit(c)}."
    )


def labels_line(c: Comparison) -> str:
    """Write what as many more items would save of the expected loss; empty where the question is settled."""
    told = None if c.stakes is None or c.conclusive else words.stakes_words(c)
    if told is None or not told.labels:
        return ""
    n, worth, _ = min(told.labels, key=lambda row: abs(row[0] - c.recipe.n_items))
    each = " for each" if len(c.recipe.tables) > 1 else ""
    return f"{count_of(n, 'more item')}{each} would save {worth} of the expected loss, {words.stakes_unit(c)}"
