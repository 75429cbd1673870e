"""Markov chains on a page: whether they can be trusted, and their draws in order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from ropewalk.draws.density import kernel, scott
from ropewalk.draws.intervals import hdi
from ropewalk.mcmc.chains import LEAST_ESS, MOST_RHAT, MOST_RHAT_OF_MANY, Diagnostics
from ropewalk.report import words
from ropewalk.report.document import Alarm, Block, Details, Facts, Picture, Rows, Table, name
from ropewalk.report.pictures import Axis, bulk, decimals_of, round_step, view
from ropewalk.results import ClassComparisons, Comparison, MetricPosterior, Ranking
from ropewalk.text.units import metric_title
from ropewalk.text.writing import count_of, number, visible
from ropewalk.typing import FloatArray, IntArray

MAX_TRACES: Final = 4
MAX_TRACE_DRAWS: Final = 500  # of a chain, so that a page stays small
MAX_CHAINS: Final = 12  # beyond which nobody tells lines apart
PROB: Final = 0.95  # of the HDI by which tails are long
TRACE_HEIGHT: Final = 200  # units from the bottom of the picture to its top
DENSITY_WIDTH: Final = 100  # units of the highest density
DENSITY_POINTS: Final = 80
MAX_TRACE_TICKS: Final = 5
LOOKS: Final = 4  # colours, and as many ways to dash a line
MAX_MARKS: Final = 200
_PASSES: Final = "Nothing speaks against the chains: all checks pass."
_LABEL: Final = "Diagnostics of the Markov chains"
_WEIGHTED: Final = " They are shown as the chains made them, before the prior of the difference weights them."


# -- diagnostics -------------------------------------------------------------------------------------------


def chain_section(answers: Sequence[Any], traces: Sequence[Block]) -> tuple[Details, ...]:
    """Return what a page says about the chains of answers; nothing where they were drawn exactly."""
    runs = [run for answer in answers if (run := answer.diagnostics) is not None]
    if not runs:
        return ()
    checks = [check for run in runs for check in _checks(run)]
    failed = sum(passes == "no" for _, _, _, passes, _ in checks)
    what = "of the checks below fails" if failed == 1 else "of the checks below fail"
    status = f"The chains have not converged: {failed} {what}. Means, intervals and probabilities may be wrong."
    # The same check of several metrics on the same chains stands there once. What is long comes last: a narrow screen
    # may cut it off.
    rows = dict.fromkeys(checks)
    table = Table(header=("diagnostic", "value", "limit", "passes", "of"), rows=tuple(rows), label=_LABEL)
    alarm = Alarm(status if failed else _PASSES, passes=all(run.converged for run in runs))
    blocks = (alarm, Facts(_setup(runs[0], answers[0])), table, *traces)
    return (Details("Markov chains", blocks, "all checks pass" if not failed else "checks fail"),)


def class_chain_section(result: ClassComparisons) -> tuple[Details, ...]:
    """Return what a page says about the chains of classes, one row per class: each has chains of its own."""
    runs = [(c, c.diagnostics) for c in result if c.diagnostics is not None]
    if not runs:
        return ()
    rows = [
        (
            words.label_name(c.pos_label),
            words.rhat_text(run.rhat),
            f"{run.ess_bulk:,.0f}",
            f"{run.ess_tail:,.0f}",
            f"{run.divergences:,}",
            "yes" if run.converged else "no",
        )
        for c, run in runs
    ]
    limits = (
        f"R-hat at most {MOST_RHAT:g}, or {MOST_RHAT_OF_MANY:g} of a parameter; ESS at least {LEAST_ESS:,}; no draw "
        "divergent"
    )
    bad = sum(not run.converged for _, run in runs)
    status = f"The chains of {bad} of {len(runs)} classes have not converged; these have no verdict."
    header = ("class", "R-hat", "bulk ESS", "tail ESS", "divergent", "converged")
    table = Table(header=header, rows=tuple(rows), label=_LABEL)
    setup = (*_setup(runs[0][1], runs[0][0]), ("Limits", limits))
    blocks = (Alarm(status if bad else _PASSES, passes=not bad), Facts(setup), table)
    return (Details("Markov chains", blocks, "all checks pass" if not bad else "checks fail"),)


def _setup(run: Diagnostics, answer: Any) -> Rows:
    """Return how the chains were run, as far as that is known."""
    step, sampler = words.step_text(run.step), answer.recipe.sampler
    tuned = f"{count_of(run.tune, 'step')} per chain, discarded" if run.tune else "none"
    aimed = f"; {100 * sampler.target_accept:g}% was aimed at" if sampler is not None and run.step == "nuts" else ""
    return (
        ("Sampler", f"{step} by {visible(run.engine)}" if step else visible(run.engine)),
        ("Chains", f"{run.chains:,} × {run.draws // run.chains:,} draws, {run.draws:,} in all"),
        ("Tuning", tuned if step else ""),
        ("Acceptance", "" if run.acceptance is None else f"{100 * run.acceptance:.0f}% of the steps{aimed}"),
    )


def _checks(run: Diagnostics) -> list[tuple[str, str, str, str, str]]:
    """Return every diagnostic that has a limit: its value, the limit, whether it keeps to it, and of what it is."""
    most, least = f"at most {run.rhat_limit:g}", f"at least {LEAST_ESS:,}"
    checks = [
        ("R-hat, worst", words.rhat_text(run.rhat), most, run.rhat <= run.rhat_limit, run.rhat_of),
        ("bulk ESS, least", f"{run.ess_bulk:,.0f}", least, run.ess_bulk >= LEAST_ESS, run.ess_bulk_of),
        ("tail ESS, least", f"{run.ess_tail:,.0f}", least, run.ess_tail >= LEAST_ESS, run.ess_tail_of),
    ]
    if words.can_diverge(run):
        checks.append(("divergent draws", f"{run.divergences:,}", "none", run.divergences == 0, ""))
    return [(what, value, limit, "yes" if passes else "no", name(of)) for what, value, limit, passes, of in checks]


# -- draws -------------------------------------------------------------------------------------------------


def chain_values(answer: Comparison | MetricPosterior | Ranking) -> tuple[FloatArray, bool]:
    """Return the draws of a metric as the chains made them, (classifiers, chains, draws), and whether weights followed.

    Weighted draws have lost their order, so they are made again from the parameters.
    """
    recipe = answer.recipe
    if recipe.model.weights_difference and answer.chains is not None:
        psi = answer.chains.psi(recipe.metric, recipe.prevalence)
        return psi.reshape(len(psi), *answer.chains.shape), True
    psi = answer.draws.psi
    return psi.reshape(len(psi), answer.draws.chains, -1), False


def delta_values(answer: Comparison) -> tuple[FloatArray, bool]:
    """Return the draws of the difference as the chains made them, (chains, draws), and whether weights followed."""
    if answer.recipe.model.weights_difference and answer.chains is not None:
        psi, weighted = chain_values(answer)
        return psi[0] - psi[1], weighted
    return answer.draws.delta().reshape(answer.draws.chains, -1), False


def divergent(answer: Any) -> IntArray:
    """Return the places of the draws at which any chain diverged, as far as that is known."""
    diverging = None if answer.chains is None else answer.chains.sampled.stats.get("diverging")
    return np.flatnonzero([] if diverging is None else np.asarray(diverging).any(axis=0))


def delta_trace(answer: Comparison) -> tuple[Picture, ...]:
    """Lay out the chains of a difference, where there are any."""
    if answer.diagnostics is None:
        return ()
    metric, (values, weighted) = metric_title(answer.metric), delta_values(answer)
    label = f"{metric} of {name(answer.a)} − {metric} of {name(answer.b)}"
    note = _WEIGHTED if weighted else ""
    return (Picture("trace", trace("trace1", label, values, divergent(answer), note=note)),)


def score_traces(answers: Sequence[tuple[Any, str]], order: Sequence[int] = (0,)) -> tuple[Picture, ...]:
    """Lay out the chains of the scores of (answer, metric), the classifiers in this `order`; the first few."""
    pictures: list[Picture] = []
    for answer, metric in answers:
        if answer.diagnostics is None:
            continue
        psi, _ = chain_values(answer)
        for k in order:
            label = f"{metric_title(metric)} of {name(answer.draws.names[k])}"
            key = f"trace{len(pictures) + 1}"
            pictures.append(Picture("trace", trace(key, label, psi[k], divergent(answer), signed=False)))
    return tuple(pictures[:MAX_TRACES])


# -- pictures ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One chain: how it looks, its draws and its density as paths."""

    name: str
    look: str
    path: str
    density: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """One number's chains, ready to be drawn in units of (`width`, 200); `ticks` are per cent from the top."""

    key: str
    label: str
    description: str
    width: int
    lines: tuple[Line, ...]
    ticks: tuple[tuple[float, str], ...]
    marks: str
    caption: str


class ChainNumbers(NamedTuple):
    """Which chains, and which of their draws, a picture shows, along which axis."""

    axis: Axis
    chains: list[int]
    at: IntArray
    step: int


def chain_numbers(values: FloatArray, max_draws: int) -> ChainNumbers:
    """Return what to show of chains (chains, draws): of many, those whose means run from the lowest to the highest."""
    n_chains, n_draws = values.shape
    chains = np.arange(n_chains)
    if n_chains > MAX_CHAINS:
        by_mean = np.argsort(values.mean(axis=1), kind="stable")
        chains = np.sort(by_mean[np.linspace(0, n_chains - 1, MAX_CHAINS).round().astype(np.int64)])
    step, ordered = math.ceil(n_draws / max_draws), np.sort(values, axis=None)
    return ChainNumbers(view(bulk(ordered, hdi(ordered, PROB))), chains.tolist(), np.arange(0, n_draws, step), step)


def trace(
    key: str, label: str, values: FloatArray, diverged: Any = (), *, signed: bool = True, note: str = ""
) -> Trace:
    """Lay out chains (chains, draws) of a number; where there are more than 12, from the lowest mean to the highest."""
    n_chains, n_draws = values.shape
    axis, chains, at, step = chain_numbers(values, MAX_TRACE_DRAWS)
    grid = np.linspace(axis.low, axis.high, 2 * DENSITY_POINTS + 1)[1::2]
    finest = (axis.high - axis.low) / DENSITY_POINTS / 2
    densities = [kernel(values[i], grid, max(scott(values[i]), finest)) for i in chains]
    top = max(float(density.max()) for density in densities) or 1.0
    lines = tuple(
        Line(
            name=f"chain {i + 1}",
            look=f"c{place % LOOKS + 1} d{(place + place // LOOKS) % LOOKS + 1}",
            path=_path(_heights(values[i, at], axis)),
            density=_outline(density / top, _heights(grid, axis)),
        )
        for place, (i, density) in enumerate(zip(chains, densities, strict=True))
    )
    means, tick_step = values.mean(axis=1), round_step((axis.high - axis.low) / MAX_TRACE_TICKS)
    places = decimals_of(tick_step)
    low, high = (number(float(end), places + 1, sign=signed) for end in (means.min(), means.max()))
    description = f"Draws of {label} in {count_of(n_chains, 'chain')}, in order, and the density of each."
    description += f" The means of the chains lie between {low} and {high}." if n_chains > 1 else f" Mean {low}."
    return Trace(
        key=key,
        label=label,
        description=description,
        width=max(at.size - 1, 1),
        lines=lines,
        ticks=tuple(
            (round(100 - axis.at(value), 3), number(value, places, sign=signed)) for value in axis.multiples(tick_step)
        ),
        marks=_marks(np.asarray(diverged), n_draws, at.size - 1),
        caption=_caption(n_chains, n_draws, step, len(chains), diverged=len(diverged) > 0) + note,
    )


def _heights(values: FloatArray, axis: Axis) -> list[int]:
    """Return how far below the top of the picture values lie; what is out of sight lies at its edge."""
    shares = np.clip((values - axis.low) / (axis.high - axis.low), 0.0, 1.0)
    whole: list[int] = np.rint(TRACE_HEIGHT * (1 - shares)).astype(np.int64).tolist()
    return whole


def _path(heights: list[int]) -> str:
    """Return a line through heights one unit apart, in steps from one to the next: that takes the fewest letters.

    Examples
    --------
    >>> _path([3, 5, 1, 1])
    'M0 3l1 2 1-4 1 0'
    """
    steps = [after - before for before, after in pairwise(heights)]
    moves = [f"1{step}" if step < 0 else f"1 {step}" for step in steps]
    return f"M0 {heights[0]}" + (f"l{' '.join(moves)}" if moves else "h1")


def _outline(density: FloatArray, heights: list[int]) -> str:
    """Return a density between 0 and 1 as a line that lies on its side."""
    return f"M{' '.join(f'{DENSITY_WIDTH * x:.0f} {y}' for x, y in zip(density.tolist(), heights, strict=True))}"


def _marks(diverged: IntArray, n_draws: int, width: int) -> str:
    """Return ticks at the bottom where any chain diverged; those that would fall on one another are one."""
    places = np.unique(np.rint(diverged / max(n_draws - 1, 1) * MAX_MARKS)) / MAX_MARKS * max(width, 1)
    return "".join(f"M{x:g} {TRACE_HEIGHT}v-12" for x in places.tolist())


def _caption(n_chains: int, n_draws: int, step: int, shown: int, *, diverged: bool) -> str:
    thinned = "" if step == 1 else f", one in {step:,} shown"
    every = "the chain" if n_chains == 1 else "each chain"
    description = f"Left, the {n_draws:,} draws of {every} in order{thinned}; right, the density of {every}."
    if shown < n_chains:
        description += f" {shown} of {n_chains:,} chains are drawn, from the lowest mean to the highest."
    if n_chains > 1:
        description += " Chains that agree lie on one another."
    if diverged:
        description += " Ticks at the bottom mark draws that diverged."
    return description
