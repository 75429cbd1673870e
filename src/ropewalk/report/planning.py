"""Answers about studies that have not been made yet, as rows of plain strings."""

from __future__ import annotations

from typing import Final

from ropewalk.report.amounts import (
    at_most,
    kind_text,
    level_text,
    mean_text,
    money_text,
    net_text,
    range_text,
    sizes_text,
    sought_text,
    target_text,
)
from ropewalk.report.more import goal_text, out_of_reach, wanted_text
from ropewalk.report.shape import Escape, View, class_words, metric_title, model_text
from ropewalk.report.studies import Planned
from ropewalk.results import MoreData, Plan, PowerResult, StoppingResult
from ropewalk.text.names import count_of
from ropewalk.text.numbers import rounded_up, share_interval, share_text
from ropewalk.text.verdicts import rope_text

_TOLD: Final = 4  # rows of a table that a sentence can hold


# -- what was asked ------------------------------------------------------------------------------------------


def caption(result: Planned, escape: Escape) -> str:
    """Say what a table is about."""
    return " · ".join([*_partial(result), _what(result, escape), *_about(result, escape), *effort(result)])


def _what(result: Planned, escape: Escape) -> str:
    goal, kind = goal_text(result.design, escape), kind_text(result.design)
    if isinstance(result, MoreData):
        return f"Probability of each verdict after more {escape(result.unit)}"
    if isinstance(result, StoppingResult):
        return f"A rule for stopping: {_rule(result, escape)}"
    if isinstance(result, PowerResult):
        to_find = "reach" if result.goal == "conclusive" else "find"
        return f"Assurance of {goal}" if result.design.assurance else f"Power to {to_find} {goal}"
    if result.asks == "value":
        return f"Test set worth most, for {goal}"
    sought = "Smallest test set" if result.asks == "n" else f"Smallest {sought_text(result)}"
    return f"{sought} for {goal} with {target_text(result)} {kind}"


def _rule(result: StoppingResult, escape: Escape) -> str:
    """Write the rule part by part: an escape may cut what is long."""
    return ", ".join(map(escape, result.stop.split(", ")))


def _partial(result: Planned) -> list[str]:
    """Say loudly that somebody stopped it."""
    if not result.partial:
        return []
    if isinstance(result, PowerResult):
        done = sorted({row.simulations for row in result.rows})
        first = f"{done[0]:,} to " if len(done) > 1 else ""
        return [f"PARTIAL: stopped after {first}{done[-1]:,} of {count_of(result.simulations, 'simulation')}"]
    return [f"PARTIAL: stopped after {count_of(result.simulations, 'simulation')}"]


def _about(result: Planned, escape: Escape, *, full: bool = False) -> list[str]:
    """Say what is measured, what is taken as true, and how it is judged; in `full` as a paper needs it."""
    design, recipe = result.design, result.design.recipe
    a, b = map(escape, design.names)
    classes = class_words(recipe, escape)
    told = [
        f"{escape(metric_title(recipe.metric.name))} of {a} − {b}{classes.replace(' · ', ', ') if full else classes}"
    ]
    told += [*_truth(result, escape, full=full), _rope(result, escape)]
    model = model_text(recipe) if full else f"{escape(recipe.model.name)} model"
    told += [f"{escape(f'{100 * recipe.prob:g}%')} HDI", model]
    ceiling = design.ceiling
    if ceiling is not None and design.goal != "conclusive":
        what = f"probability of {goal_text(design, escape)}" if isinstance(result, MoreData) else "assurance"
        most = escape(at_most(ceiling, design.draws))
        told.append(f"{what} {most}, however many items: the posterior probability of its region")
    return told


def _truth(result: Planned, escape: Escape, *, full: bool) -> list[str]:
    design = result.design
    truth = escape(design.truth)
    if design.delta is None:
        return [f"truth {truth}"]
    if isinstance(result, Plan) and result.asks == "delta" and design.goal != "A≈B":  # it is what was looked for
        return [f"along the line through {truth}"] if full else []
    return [f"true difference {escape(_difference(design.delta))}{f' ({truth})' if full else ''}"]


def _rope(result: Planned, escape: Escape) -> str:
    table_only = isinstance(result, Plan) and result.asks == "delta" and result.design.goal == "A≈B"
    return "judged by the ROPE found" if table_only else f"ROPE {escape(rope_text(result.design.rope))}"


def _difference(delta: float) -> str:
    return f"{delta:+.3g}" if delta else "0"


def effort(result: Planned) -> list[str]:
    """Say how an answer was made."""
    if isinstance(result, MoreData) and result.method == "extrapolation":
        return ["extrapolated from the posterior"]
    if not result.simulations:
        return ["nothing simulated"]
    if isinstance(result, MoreData | Plan):
        return [f"{count_of(result.simulations, 'simulation')} in all × {count_of(result.design.draws, 'draw')}"]
    return [f"{count_of(result.simulations, 'simulation')} × {count_of(result.design.draws, 'draw')}"]


def remarks(result: Planned, escape: Escape) -> tuple[tuple[str, str], ...]:
    """Return what is taken as true, and notes."""
    design = result.design
    assumed = f"that the truth is {design.truth}" if design.assurance else design.truth
    return ("Assumes", escape(assumed)), *(("Note", escape(note)) for note in result.notes)


# -- what was found ------------------------------------------------------------------------------------------


def view(result: Planned, escape: Escape) -> View:
    """Say what was found."""
    headline, detail = _found(result, escape)
    lines = [("Study", " · ".join(_about(result, escape))), *_lines(result, escape)]
    lines.append(("Made by", f"{' · '.join(effort(result))} · seed {result.design.seed}"))
    told = f"{headline} ({detail})" if detail else headline
    return View(
        title=_title(result, escape),
        symbol="",
        headline=" · ".join([*_partial(result), told]),
        lines=tuple(lines),
        shares=(),
        note="",
    )


def sentence(result: Planned, escape: Escape) -> str:
    """Return the answer in one sentence, with what it assumes and how it was made."""
    headline, detail = _found(result, escape)
    parts = [*([detail] if detail else []), *_partial(result), *_about(result, escape, full=True), *effort(result)]
    return f"{headline} ({'; '.join(parts)})."


def _title(result: Planned, escape: Escape) -> str:
    a, b = map(escape, result.design.names)
    if isinstance(result, MoreData):
        return f"How many more {escape(result.unit)} would settle {a} against {b}?"
    if isinstance(result, StoppingResult):
        return f"When to stop labelling for {a} against {b}?"
    if isinstance(result, PowerResult):
        return f"How often would a study of {a} against {b} reach its goal?"
    asks = {
        "n": "How many items are needed for",
        "delta": f"How small a {sought_text(result)} can be found for",
        "value": "How many items are worth their labels for",
    }
    return f"{asks[result.asks]} {a} against {b}?"


def _found(result: Planned, escape: Escape) -> tuple[str, str]:
    """Return the answer, and what belongs into brackets behind it."""
    if isinstance(result, PowerResult):
        return _power(result, escape)
    if isinstance(result, MoreData):
        return _more(result, escape)
    if isinstance(result, StoppingResult):
        return _stopped(result, escape)
    return {"n": _smallest, "delta": _least_found, "value": _worth_most}[result.asks](result, escape)


def _power(result: PowerResult, escape: Escape) -> tuple[str, str]:
    what = _what(result, escape)
    rows = result.rows if len(result.rows) <= _TOLD else (result.rows[0], result.rows[-1])
    shares = [f"{share_text(row.power, row.simulations)} with {row.n:,}" for row in rows]
    shares[0] += " item" if rows[0].n == 1 else " items"
    told = f"is {', '.join(shares)}" if len(result.rows) <= _TOLD else f"goes from {shares[0]} to {shares[1]}"
    ends = ", ".join(share_interval(row.low, row.high) for row in rows)
    return f"The {what[0].lower()}{what[1:]} {told}", f"95% {'interval' if len(rows) == 1 else 'intervals'} {ends}"


_NOT_YET = "There is no answer yet: the search was stopped before it came to one"


def _smallest(result: Plan, escape: Escape) -> tuple[str, str]:
    design = result.design
    if result.partial and result.n is None:
        return _NOT_YET, ""
    goal = f"{goal_text(design, escape)} with {target_text(result)} {kind_text(design)}"
    if result.n is None:
        if out_of_reach(design, result.target):
            most = at_most(design.ceiling or 0.0, design.draws)
            return f"{_capital(goal)} is not reachable: however many items, its probability is {most}", ""
        return f"{_capital(goal)} is not reachable below n = {result.max_n:,}", ""
    n, unit = rounded_up(result.n, result.low, result.high)
    ends = range_text(result.low, result.high, unit)
    return f"About {count_of(n, 'item')} reach {goal}", f"95% interval of the search: {ends}" if ends else ""


def _capital(goal: str) -> str:
    """Begin a sentence with it, unless it begins with a name."""
    return f"A{goal[1:]}" if goal.startswith("a conclusive") else goal


def _least_found(result: Plan, escape: Escape) -> tuple[str, str]:
    goal, n = goal_text(result.design, escape), count_of(result.n or 0, "item")
    how = f"{target_text(result)} {kind_text(result.design)}"
    if result.partial and result.found is None:
        return _NOT_YET, ""
    if result.found is None:
        return f"No {sought_text(result)} that the scenario allows is found by {n} with {how}", ""
    at, low, high = sizes_text(result)
    ends = f"95% interval of the search: {low} to {high}" if low else ""
    return f"{_capital(n)} find {goal} with {how} from a {sought_text(result)} of {at} on", ends


def _worth_most(result: Plan, escape: Escape) -> tuple[str, str]:
    price = f"{goal_text(result.design, escape)} is worth {money_text(result.value)}"
    price += f" and a label costs {money_text(result.cost_per_item)}"
    if result.partial and result.n is None:
        return _NOT_YET, ""
    if result.n is None:
        return f"No test set is worth its labels, where {price}", ""
    n, unit = rounded_up(result.n, result.low, result.high)
    ends = range_text(result.low, result.high, unit)
    as_good = f"as good, as far as the simulations tell: {ends}" if ends else ""
    many = f"About {count_of(n, 'item')} are worth most"
    return f"{many}: an expected net value of about {net_text(result)}, where {price}", as_good


def _more(result: MoreData, escape: Escape) -> tuple[str, str]:
    wanted, unit_of = wanted_text(result, escape), escape(result.unit)
    if result.n is None:
        first = f"{wanted[0].upper()}{wanted[1:]} is not reachable"
        if out_of_reach(result.design, result.target):
            goal = goal_text(result.design, escape)
            most = level_text(result.design.ceiling or 0.0, result.design.draws)
            return f"{first}: however many {unit_of}, the probability of {goal} tends to {most}, that of its region", ""
        return f"{first} below {result.max_n:,} more {unit_of}", ""
    if result.n == 0:
        return f"The verdict is conclusive already: no more {unit_of} are needed", ""
    n, unit = rounded_up(result.n, result.low, result.high)
    ends = range_text(result.low, result.high, unit)
    return f"About {n:,} more {unit_of} give {wanted}", f"95% interval of the search: {ends}" if ends else ""


def _stopped(result: StoppingResult, escape: Escape) -> tuple[str, str]:
    row, n = result.row, result.simulations
    mean = f"To {_rule(result, escape)}, takes {mean_text(result)} items on average"
    ends = f"{share_text(row.conclusive, n)} of studies end with a conclusive verdict"
    return f"{mean}; {ends}, {share_text(row.wrong, n)} with a wrong one", ""


def _lines(result: Planned, escape: Escape) -> list[tuple[str, str]]:
    if isinstance(result, MoreData):
        return [("Data", f"{result.n_items:,} {escape(result.unit)} so far")]
    if not isinstance(result, StoppingResult):
        return []
    low, middle, high = (f"{n:,}" for n in result.n_quantiles)
    looks = f"from {result.min_n:,} items on, every {result.batch:,}, to {result.max_n:,} at most"
    largest = f"{share_text(result.at_most, result.simulations)} of studies reach {count_of(result.max_n, 'item')}"
    held = [share_text(share, result.simulations) for share in (result.covered, result.fixed_covered)]
    return [
        ("Looks", looks),
        ("Items", f"{mean_text(result)} on average · 10% stop by {low}, half by {middle}, 90% by {high} · {largest}"),
        (
            "Coverage",
            f"the HDI holds the truth in {held[0]} of studies, in {held[1]} where nobody looks before the end",
        ),
    ]
