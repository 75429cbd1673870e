"""Units of a population, data sets or tasks: the mean over units like these, the next one, and each of these."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ropewalk.draws.intervals import Interval, Regions
from ropewalk.inference.extras import Extras
from ropewalk.report import words
from ropewalk.report.describe import comparison, method, pair_page
from ropewalk.report.describe.flips import flips_line, flips_table
from ropewalk.report.describe.metrics import metric_rows, metric_table, others_by_name
from ropewalk.report.document import (
    Answer,
    Block,
    Details,
    Document,
    Picture,
    Rows,
    Section,
    Share,
    Table,
    describes,
    name,
)
from ropewalk.report.shrinkage import MAX_NAME_LETTERS, shrinkage_forest
from ropewalk.report.triangle import WORTH, drawing, triangles
from ropewalk.results.pooled import PooledEstimates, PooledUnit, PopulationComparison, PopulationSummary
from ropewalk.text.units import AS_IT_IS, Shown, Unit, signed
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import brief, count_of, estimate_text, number, percent

_MAX_IN_TERMINAL: Final = 12


@describes(PopulationComparison)
def describe_population(c: PopulationComparison) -> Document:
    """Describe a comparison over units."""
    answer, units = _answer(c), unit_table(c)
    flips, beside = () if c.flips is None else (flips_table(c, c.flips),), metric_table(c)
    tables = (comparison.answer_table([c]), *(() if beside is None else (beside,)), *flips, *units)

    def sections(document: Document) -> tuple[Block, ...]:
        how = _method(document, c)
        *whole, last = pair_page.sections(document, c, Extras(), how, not_covered=c.not_covered)
        return (
            *whole,
            *next_section(c),
            *unit_section(c, c.what),
            *(Details(f"Each {c.what} in numbers", (table,)) for table in units),
            last,
        )

    short = units if len(c.units) <= _MAX_IN_TERMINAL else ()
    return Document(
        caption=words.caption_text(words.delta_name(c), c, data=name(c.data_text)),
        about=f"{name(c.a)} against {name(c.b)} · {name(c.data_text)}",
        answers=(answer,),
        tables=tables,
        papers=(comparison.paper_table([c]), *units),
        remarks=method.answer_remarks(c, [c, *others_by_name(c)], []),
        sentence=comparison.sentence(
            c, data=f"On {name(c.data_text)}", judged=f"{words.judged_text(c)}; {words.model_text(c.recipe)}"
        ),
        terminal=(answer, *metric_rows(c), *short),
        details=() if short else units,
        card=(answer,),
        sections=sections,
    )


@describes(PooledEstimates)
def describe_pooled(result: PooledEstimates) -> Document:
    """Describe what estimates have in common."""
    n = len(result.units)
    rope = "no ROPE" if result.rope is None else f"ROPE {rope_text(result.rope)}"
    regions = region_text(result.regions, ("above", "inside", "below"))
    answer = Answer(
        title="What do these units have in common?",
        headline=result.headline,
        symbol="" if result.decision is None else result.decision.symbol,
        lines=(("Mean", regions), *population_rows(result.population, AS_IT_IS), *chance_rows(result)),
        details=(("Scope", result.scope.line), *_grid_rows(result.population, result.seed, result.n_draws)),
    )
    table = table_of_units(result.units, AS_IT_IS, "unit", result.prob, ("above", "inside", "below"))

    def sections(document: Document) -> tuple[Block, ...]:
        numbers = Details("Each unit in numbers", (table,))
        further = tuple(Section("The next unit", (picture,)) for picture in triangle_pictures(result))
        how = document.method_section(tuple(answer.details))
        return (*document.answer_sections(), *further, *unit_section(result, "unit"), numbers, how)

    return Document(
        caption=f"{count_of(n, 'unit')} · {rope} · {100 * result.prob:g}% HDI · {_form(result.population)}",
        about=f"Estimates of units · {count_of(n, 'unit')}",
        answers=(answer,),
        tables=(table,),
        remarks=result.remarks,
        sections=sections,
    )


# -- the answer --------------------------------------------------------------------------------------------


def _answer(c: PopulationComparison) -> Answer:
    """Describe who is better over units like these, and on the next one."""
    whole, a, b = comparison.answer(c), name(c.a), name(c.b)
    summary, unit = c.population, c.recipe.unit
    callout = None if whole.callout is None or c.is_of_most else replace(whole.callout, text="")
    return replace(
        whole,
        title=f"Is {a} better than {b} on {c.where}?",
        shares=_most_shares(c, a, b) if c.is_of_most else whole.shares,
        lines=(
            ("Data", name(c.data_text)),
            ("Flips", "" if c.flips is None else flips_line(c, c.flips)),
            *chance_rows(c, (f"{a} better", "too small to matter", f"{b} better")),
            *(() if summary is None else population_rows(summary, unit)),
            ("Model", words.model_name(c.recipe)),
        ),
        details=(*whole.details, *(() if summary is None else _grid_rows(summary, c.recipe.seed, len(c.draws)))),
        callout=callout,
    )


def _most_shares(c: PopulationComparison, a: str, b: str) -> tuple[Share, ...]:
    """Return how probable it is that each region holds the largest share of units."""
    phrases = (f"{a} better on most", "too small on most", f"{b} better on most")
    found = comparison.region_shares(c, phrases, c.delta.worth(len(c.draws)), who=a)
    return tuple(replace(share, by="") for share in found)


def region_text(regions: Regions | None, names: tuple[str, str, str], *, up: bool = True) -> str:
    """Write the probabilities of the regions: that A is better, that it is too close, that B is better."""
    if regions is None:
        return ""
    shares = (regions.above, regions.inside, regions.below)
    if not up:
        shares = shares[::-1]
    return ", ".join(f"{words_} {percent(share, WORTH)}" for words_, share in zip(names, shares, strict=True))


def chance_rows(answer: Any, names: tuple[str, str, str] = ("above", "inside", "below")) -> Rows:
    """Return what is said beside the mean: about the next unit, and how probable each region is to hold most."""
    up = getattr(answer, "higher_is_better", True)
    return tuple((label, region_text(regions, names, up=up)) for label, regions in answer.chances)


def population_rows(summary: PopulationSummary, unit: Unit) -> Rows:
    """Return how units differ."""
    return spread_rows(summary.tau_median, summary.tau_hdi, unit)


def spread_rows(median: float | None, hdi: Interval | None, unit: Unit) -> Rows:
    """Return how far units lie apart; nothing where it is not known."""
    if median is None or hdi is None:
        return ()
    low, high = (unit.scale * end for end in hdi)
    places = words.places_of((high - low) / 2, 0, 9)
    noun = " points" if unit.is_points else ""
    tau, *ends = (signed(value, places, sign=False) for value in (unit.scale * median, low, high))
    return (("Spread", f"{tau}{noun} [{', '.join(ends)}] between them (median of tau)"),)


def _form(summary: PopulationSummary) -> str:
    return f"{'Student t' if summary.form == 'student' else 'normal'} population, {summary.tau_prior} prior of tau"


def _grid_rows(summary: PopulationSummary, seed: int, n_draws: int) -> Rows:
    heavy = f", nu {number(summary.nu_median, 1)}" if summary.form == "student" else ""
    grid = f"half the grid moves a probability of the next one by {summary.grid_error:.1g}"
    return (
        ("Population", f"{_form(summary)}: mu {estimate_text(summary.mu, sign=True)}{heavy}"),
        ("Grid", f"{grid}; {n_draws:,} draws, seed {seed}"),
    )


# -- each unit ---------------------------------------------------------------------------------------------


def unit_table(c: PopulationComparison) -> tuple[Table, ...]:
    """Return one row per unit: observed, and drawn towards the others; none where the model has none."""
    if not c.units:
        return ()
    a, b = name(c.a), name(c.b)
    better = (f"{a} better", "too small", f"{b} better")
    if not c.higher_is_better:
        better = better[::-1]
    shrunk = c.population is not None
    return (table_of_units(c.units, c.recipe.unit, c.what, c.recipe.prob, better, shrunk=shrunk),)


def table_of_units(
    units: tuple[PooledUnit, ...],
    unit: Unit,
    what: str,
    prob: float,
    regions: tuple[str, str, str],
    *,
    shrunk: bool = True,
) -> Table:
    """Return one row per unit, the largest difference first; `regions` name what is above, inside and below.

    Where they are not `shrunk`, each has its own posterior.
    """
    sized = any(one.n is not None for one in units)
    judged = units[0].regions is not None
    rows = []
    for one in sorted(units, key=lambda one: -one.estimate.mean):
        shown = Shown.of(one.estimate, unit)
        masses = () if one.regions is None else (one.regions.above, one.regions.inside, one.regions.below)
        rows.append(
            (
                name(brief(one.name, MAX_NAME_LETTERS)),
                *([f"{one.n:,}" if one.n is not None else "–"] if sized else []),
                signed(unit.scale * one.observed, shown.places),
                signed(unit.scale * one.se, shown.places, sign=False),
                shown.text(),
                *(percent(mass, 1_000) for mass in masses),
            )
        )
    header = (
        what,
        *(["n"] if sized else []),
        "observed",
        "s.e.",
        f"{'drawn to the others' if shrunk else 'posterior'}{' in points' if unit.is_points else ''} [{100 * prob:g}%]",
        *(regions if judged else ()),
    )
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def next_section(c: PopulationComparison) -> tuple[Section, ...]:
    """Return the section of a page that says what a further unit will be, and most of them; none without a ROPE."""
    known = [(label, regions) for label, regions in c.chances if regions is not None]
    if not known:
        return ()
    rows = []
    for label, regions in known:
        shares = (regions.above, regions.inside, regions.below)
        rows.append((label, *(percent(share, WORTH) for share in (shares if c.higher_is_better else shares[::-1]))))
    header = ("", f"{name(c.a)} better", "too small to matter", f"{name(c.b)} better")
    table = Table(header=header, rows=tuple(rows), ends_in_text=False)
    above = f"most pairs of {c.what}s" if c.is_of_most else "their mean"
    about = f"The answer above is about {above}. One more {c.what} may well be another story."
    return (Section(f"The next {c.what}", (table, *triangle_pictures(c)), about),)


def triangle_pictures(answer: PopulationComparison | PooledEstimates) -> tuple[Picture, ...]:
    """Return the triangles of where units lie; none without a ROPE of two ends."""
    drawn = tuple(map(drawing, triangles(answer)))
    return (Picture("triangles", drawn, "triangle"),) if drawn else ()


def unit_section(c: PopulationComparison | PooledEstimates, what: str) -> tuple[Section, ...]:
    """Return the section of a page that shows each unit, drawn towards the others."""
    rows = shrinkage_forest(c)
    if rows is None:
        return ()
    about = f"Each {what}, drawn towards the others as far as they are alike."
    if c.population is None:
        about = f"Each {what} by itself."
    return (Section(f"Each {what}", (Picture("forest", rows, "units"),), about),)


def _method(document: Document, c: PopulationComparison) -> Details:
    """Return how the answer was made."""
    rows = () if c.population is None else _grid_rows(c.population, c.recipe.seed, len(c.draws))
    return method.wider_section(document, c, name(c.data_text), *rows, not_covered=c.not_covered)
