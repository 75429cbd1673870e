"""Several metrics of two classifiers in one table, signed so that + is always better for A."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from ropewalk.report import words
from ropewalk.report.document import Block, Picture, Section, Table, name
from ropewalk.report.pictures import Entry
from ropewalk.report.rows import Forest, forest
from ropewalk.results import Companion, Comparison
from ropewalk.text import verdicts
from ropewalk.text.remarks import wording
from ropewalk.text.units import POINTS, Shown, Unit, metric_title, signed
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import cut_apart, percent, visible

NOT_INDEPENDENT: Final = "The metrics share the same items: they are not independent confirmations."
MAX_LETTERS: Final = 13  # of a name above a column
LOWER: Final = " ↓"
"""What marks a metric of which less is better."""

TITLES: Final = ("Metrics", "Usual metrics beside it")
"""Of metrics that were asked for, and of those that come by themselves."""


def metric_table(c: Comparison) -> Table | None:
    """Return one row per metric, the one with the verdict first; None where it stands alone."""
    if not (c.others or c.companions):
        return None
    a, b, mass = name(c.a), name(c.b), words.mass_text(c.recipe)
    rows = [_row(each, _shown(each, c), _verdict(each, a, b)) for each in c.metrics]
    rows += [_row(each, _shown(each, c), _chance(a, each.prob_better, each.n_draws)) for each in c.companions]
    less = not all(each.higher_is_better for each in _parts(c))
    in_points = any(_unit(each).is_points for each in _parts(c))
    scaled = "Shares × 100, differences of them in points. " if in_points else ""
    arrow = "; ↓ marks where less is better" if less else ""
    return Table(
        header=("metric", f"{a} measured", f"{b} measured", f"improvement [{mass}]", "verdict"),
        rows=tuple(rows),
        title=TITLES[0] if c.others else TITLES[1],
        note=f"{scaled}Signed so that + is better for {a}{arrow}. {NOT_INDEPENDENT}",
    )


def metric_rows(c: Comparison) -> tuple[Block, ...]:
    """Return the metrics as a terminal shows them: on one axis where they share a unit, else as a table."""
    table, drawn = metric_table(c), _on_one_axis(c)
    if table is None or drawn is None:
        return () if table is None else (table,)
    rows = tuple(
        replace(row, verdict=line[-1], cells=(" / ".join(_seen(each, _shown(each, c).places)),))
        for row, line, each in zip(drawn.rows, table.rows, _parts(c), strict=True)
    )
    about = f"Measured: {name(c.a)} / {name(c.b)}."
    drawn = replace(drawn, rows=rows, columns=("measured",), title=table.title, about=about, note=table.note)
    return (Picture("forest", drawn),)


def metric_section(c: Comparison) -> tuple[Block, ...]:
    """Return the section of a page that shows the other metrics, if there are any: on one axis, if they share one."""
    table, drawn = metric_table(c), _on_one_axis(c)
    if table is None:
        return ()
    if drawn is None:
        return (Section(table.title, (replace(table, title="", label=table.title),)),)
    # The first metric is the one that was asked for, and has the verdict.
    rows = tuple(
        replace(row, cells=_seen(each, _shown(each, c).places), strong=each is c)
        for row, each in zip(drawn.rows, _parts(c), strict=True)
    )
    columns = tuple(map(name, cut_apart(map(visible, (c.a, c.b)), MAX_LETTERS).values()))
    note = f"Below the names: what was measured. {table.note}"
    return (
        Section(table.title, (Picture("forest", replace(drawn, rows=rows, columns=columns, note=note), "metrics"),)),
    )


def _on_one_axis(c: Comparison) -> Forest | None:
    """Return the metrics as intervals on one axis; None where they do not share a unit."""
    if {_unit(each) for each in _parts(c)} != {POINTS}:
        return None
    ropes = {each.question.rope for each in c.metrics if each.question.rope is not None}
    shared = c.question.rope if len(ropes) == 1 and all(each.higher_is_better for each in c.metrics) else None
    question = replace(c.question, higher_is_better=True, rope=shared)
    entries = [
        Entry(
            label=_label(each),
            estimate=each.improvement,
            decision=getattr(each, "decision", None),
            asked=getattr(each, "rope", None) is not None,
        )
        for each in _parts(c)
    ]
    names = (name(c.a), name(c.b))
    places = _shown(c, c).places
    drawn = forest(entries, question, head="metric", what="improvement", unit=POINTS, names=names, places=places)
    return replace(drawn, number=f"improvement [{words.mass_text(c.recipe)}]")


def _parts(c: Comparison) -> list[Comparison | Companion]:
    return [*c.metrics, *c.companions]


def _unit(each: Comparison | Companion) -> Unit:
    """Return the unit of a metric; companions are shares."""
    return POINTS if isinstance(each, Companion) else each.recipe.unit


def _shown(each: Comparison | Companion, first: Comparison) -> Shown:
    """Return an improvement as it is written: those in the unit of the first metric to as many decimals as that."""
    unit = _unit(each)
    shown = Shown.of(each.improvement, unit)
    return replace(shown, places=Shown.of(first.improvement, unit).places) if unit == _unit(first) else shown


def _label(each: Comparison | Companion) -> str:
    return words.metric_name(each.metric) + ("" if each.higher_is_better else LOWER)


def _seen(each: Comparison | Companion, places: int) -> tuple[str, str]:
    """Write what was measured of both."""
    if isinstance(each, Companion):
        pair = (each.observed_a, each.observed_b)
    else:
        pair = (each.estimate_a.observed, each.estimate_b.observed)
    scale = _unit(each).scale
    a, b = ("–" if value is None else signed(scale * value, places, sign=False) for value in pair)
    return a, b


def _row(each: Comparison | Companion, shown: Shown, verdict: str) -> tuple[str, ...]:
    return (_label(each), *_seen(each, shown.places), shown.text(), verdict)


def _chance(a: str, prob: float, n_draws: int) -> str:
    return f"P({a} better) {percent(prob, n_draws)}"


def _verdict(c: Comparison, a: str, b: str) -> str:
    """Write a verdict in a word or two; without one the probability that A is better at all."""
    chance = _chance(a, c.prob_better, c.delta.worth(len(c.draws)))
    if c.decision is None or c.rope is None:
        return f"no verdict; {chance}" if c.rope is not None and c.no_verdict else chance
    doubt = "" if c.decision.stable else " (unstable)"
    verdict, leaning = c.decision.verdict, c.decision.leaning
    if c.rope.one_sided:
        facing = verdicts.oriented(c.rope, higher_is_better=c.higher_is_better)
        if not verdict.conclusive and c.regions is not None:
            wanted = math.isinf(facing[1])
            mass = c.regions.inside if wanted else 1 - c.regions.inside
            side = verdicts.side_words(facing, inside=wanted)[0]
            return f"undecided; P({side}) {percent(mass, c.delta.worth(len(c.draws)))}{doubt}"
        return f"{a} {verdicts.side_words(facing, inside=verdict is Verdict.EQUIVALENT)[0]}{doubt}"
    if verdict is Verdict.EQUIVALENT:
        return f"equivalent{doubt}"
    if verdict.conclusive:
        return f"{a if verdict is Verdict.A_BETTER else b} better{doubt}"
    lean = {"a": f", {a}?", "b": f", {b}?", "equivalent": ", equivalent?", None: ""}
    return f"undecided{lean[leaning]}{doubt}"


def others_by_name(c: Comparison) -> Iterator[Comparison]:
    """Yield the other metrics, with what is remarked on them alone, under the name of the metric."""
    known = {remark.text for remark in c.remarks}
    for other in c.others:
        title, remarks = metric_title(other.metric), []
        for remark in other.remarks:
            if remark.text not in known:
                named = title in remark.text or other.metric in remark.text
                text = remark.text if named else wording("{}: ", title) + remark.text
                remarks.append(replace(remark, text=text))
                known.add(remark.text)
        yield replace(other, remarks=tuple(remarks))
