"""The page of two classifiers, as it is read: the answer, both scores, where they differ, how sure, details."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from ropewalk.draws.intervals import Interval
from ropewalk.inference.extras import Extras
from ropewalk.report import words
from ropewalk.report.describe import differences
from ropewalk.report.describe.chains import chain_section, delta_trace
from ropewalk.report.describe.metrics import metric_section
from ropewalk.report.describe.prospects import more_table, prospect_section
from ropewalk.report.describe.slices import slices_section
from ropewalk.report.document import Block, Details, Document, Heading, Picture, Section, Text, name
from ropewalk.report.dots import Dots, dots_of
from ropewalk.report.pictures import Axis, Entry, Tick, decimals_of, round_step
from ropewalk.report.posterior import verdict_stretches
from ropewalk.report.rows import Forest, cosine_quantiles, forest, significant
from ropewalk.report.sketch import Sketch, sketch_of
from ropewalk.report.slider import MarginSlider, margin_slider
from ropewalk.results import Comparison
from ropewalk.text.units import Shown, Unit, metric_title, signed
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import isolated

QUANTILES: Final = 200
LEAST_PAIRING: Final = 1.05  # times the items; less is not worth saying
STRIP_REACH: Final = 1.25  # how far beyond the interval the strip of verdicts goes
MOST_STRIP_TICKS: Final = 7
_TWO_SIDED: Final = "{}, as set in the call. Move it to see what your own margin would say."
_ONE_SIDED: Final = (
    "{}, as set in the call. Only a loss counts; a gain of any size is welcome, so there is no upper edge."
)
_LEAVES_OUT: Final = (
    "The interval is about items like these. Chance in training, the choice of the data set and wrong labels are not "
    "in it."
)
_INDEPENDENT: Final = " The items were taken as independent of one another."


def sections(
    document: Document,
    c: Comparison,
    extras: Extras,
    how: Details,
    *,
    scores_known: bool = True,
    not_covered: str = _LEAVES_OUT,
) -> tuple[Block, ...]:
    """Return the sections of a page about two classifiers; the last says how the answer was made."""
    sketch, moves = sketch_of(c), c.recipe.model.moves
    picture = None if sketch is None else Picture("dots", dots(c, sketch), "p1")
    slider = None if sketch is None else slider_of(c, sketch)
    return (
        *document.answer_sections((picture,), sliders=(slider,), note=moves),
        *(score_section(c) if scores_known else ()),
        *metric_section(c),
        *(() if c.by is None else slices_section(c.by)),
        *differences.differences_section(c, extras, moves),
        *sureness_section(c, not_covered),
        *(() if c.more is None else prospect_section(c.more, more_table(c.more))),
        *differences.prior_details(extras.priors),
        *differences.stakes_details(c),
        *differences.matrix_details(extras.confusions, moves),
        *differences.flip_details(c, extras),
        *differences.confused_details(c, extras.mistaken),
        *differences.asked_details(c),
        *document.folded_tables("The papers' columns", "one row, as in their tables"),
        *(() if c.diagnostics is None else chain_section([c], delta_trace(c))),
        how,
    )


# -- the answer --------------------------------------------------------------------------------------------


def dots(c: Comparison, sketch: Sketch, key: str = "p1") -> Dots:
    """Lay out the posterior of the difference; `key` is unique on a page."""
    unit, metric = c.recipe.unit, words.metric_name(c.metric)
    a, b, shown = name(c.a), name(c.b), sketch.shown
    points = " in points (1 point = 0.01)" if unit.is_points else ""
    caption = f"Difference in {metric}{points}, {a} − {b}."
    if not c.recipe.metric.higher_is_better:
        caption = f"Improvement in {metric}{points}: lower is better, so + means that {a} is better."
    noun = " points" if unit.is_points else ""
    title = f"Difference in {metric}, {a} minus {b}: {shown.value()}{noun}, {words.mass_text(c.recipe)} interval "
    return dots_of(
        key,
        sketch,
        mass=words.mass_text(c.recipe),
        title=f"{title}{shown.interval()}",
        caption=caption,
        noun=noun,
    )


def slider_of(c: Comparison, sketch: Sketch) -> MarginSlider | None:
    """Lay out the slider; None where there is no verdict that could change."""
    if c.decision is None:
        return None
    a, b = isolated(c.a), isolated(c.b)
    say = {
        "≫": f"{a} is better",
        "≪": f"{b} is better",
        "≈": "practically equivalent",
        "a": f"undecided, leaning {a} better",
        "b": f"undecided, leaning {b} better",
        "equivalent": "undecided, leaning equivalent",
    }
    return posterior_slider(c.question, c.delta, sketch, c.recipe.unit, c.recipe.metric, c.rope_path, len(c.draws), say)


def posterior_slider(  # noqa: PLR0917
    question: Any, delta: Any, sketch: Sketch, unit: Unit, metric: Any, path: Any, n_draws: int, say: dict[str, str]
) -> MarginSlider | None:
    """Lay out the slider of one posterior, with what the page needs to judge another margin by the same rule."""
    shown = sketch.shown
    one_sided = sketch.rope is not None and sketch.rope.one_sided
    if one_sided:
        say = {"≈": "not worse by more than that", "≪": "worse by more than that", "u": "undecided"}
    digits = max(0, 5 - math.floor(math.log10((shown.high - shown.low) or 1.0)))
    data = {
        "x": cosine_quantiles(sketch.ordered, QUANTILES, min(digits, 9)),
        "worth": delta.worth(n_draws),
        "hdi": [significant(shown.low), significant(shown.high)],
        "err": [significant(unit.scale * error) for error in delta.hdi_mc_error],
        "mean": significant(shown.mean),
        "path": [[significant(unit.scale * piece.start), piece.verdict.value] for piece in path or ()],
        "say": say,
    }
    said = _ONE_SIDED if one_sided else _TWO_SIDED
    reach = Interval(shown.low, shown.high)
    return margin_slider(question, reach, unit, metric.high - metric.low, said=said, data=data)


# -- both scores -------------------------------------------------------------------------------------------


def score_section(c: Comparison) -> tuple[Section, ...]:
    """Return what each of the two scores: measured, and the interval."""
    unit = c.recipe.unit
    scores = ((c.a, c.estimate_a), (c.b, c.estimate_b))
    rows = score_forest([(name(who), estimate) for who, estimate in scores], c)
    rows = replace(rows, rows=tuple(replace(row, tone=t) for row, t in zip(rows.rows, "ab", strict=True)))
    about = words.class_words(c.recipe).removeprefix(" · ").replace(" · ", ", ")
    scale = ", × 100" if unit.is_points else ""
    lower = "" if c.recipe.metric.higher_is_better else " Lower is better."
    metric = words.metric_name(c.metric)
    return (
        Section(
            "Both scores",
            (Picture("forest", rows, "each"),),
            f"{metric}{f' ({about})' if about else ''}{scale}.{lower}",
        ),
    )


def score_forest(scores: Sequence[tuple[str, Any]], answer: Any) -> Forest:
    """Lay out the (name, estimate) of classifiers, with the measured value in a column of its own."""
    unit, observed = answer.recipe.unit, words.observed_word(answer.recipe)
    entries = [Entry(label=label, estimate=estimate) for label, estimate in scores]
    found = forest(
        entries, answer.question, head="classifier", what=metric_title(answer.metric), unit=unit,
        is_difference=False,
    )  # fmt: skip
    places = max([Shown.of(estimate, unit).places for _, estimate in scores])
    seen = [
        "–" if estimate.observed is None else signed(unit.scale * estimate.observed, places, sign=False)
        for _, estimate in scores
    ]
    measured = "measured" if observed == "observed" else observed.removeprefix("observed ")
    mass = words.mass_text(answer.recipe)
    note = f"◇ {measured}. The bar is the {mass} interval for {answer.scope.others} like these."
    return replace(
        found,
        rows=tuple(
            replace(row, cells=(cell,), value="", strong=True) for row, cell in zip(found.rows, seen, strict=True)
        ),
        columns=(measured,),
        number=f"{mass} interval",
        note=note,
    )


# -- how sure ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """The verdict for every margin: stretches as (start, width, colour, word), all places in per cent."""

    stretches: tuple[tuple[float, float, str, str], ...]
    ticks: tuple[Tick, ...]
    preset: float | None
    description: str
    caption: str


def strip(path: Any, rope: Any, shown: Shown, unit: Unit, sides: tuple[str, str]) -> Strip | None:
    """Lay out the verdicts for all margins from 0 on; `sides` say that A is better, and B. None without any."""
    reach = STRIP_REACH * max(abs(shown.low), abs(shown.high))
    preset = None if rope is None or rope.low != -rope.high else rope.high * unit.scale
    reach = max(reach, 1.05 * (preset or 0.0))
    named = {
        Verdict.A_BETTER: ("a", sides[0]),
        Verdict.B_BETTER: ("b", sides[1]),
        Verdict.EQUIVALENT: ("e", "equivalent"),
    }
    merged: list[list[Any]] = []
    for start, stop, verdict in verdict_stretches(path, reach / unit.scale):
        tone, text = named.get(verdict, ("u", "undecided"))
        if merged and merged[-1][2] == tone:
            merged[-1][1] = stop * unit.scale
        else:
            merged.append([start * unit.scale, stop * unit.scale, tone, text])
    if not reach or not merged:
        return None
    axis, step = Axis(0.0, reach), round_step(reach / MOST_STRIP_TICKS)
    places = decimals_of(step)
    turns = [f"{signed(start, shown.places, sign=False)}" for start, *_ in merged[1:]]
    noun = " points" if unit.is_points else ""
    changes = (
        f"The verdict changes at {' and at '.join(turns)}." if turns else "The verdict is the same at all of them."
    )
    parts = [f"{text} from {signed(start, shown.places, sign=False)}{noun} on" for start, _, _, text in merged]
    marked = "" if preset is None else f" ▼ marks the margin that was set, ±{preset:.6g}."
    return Strip(
        stretches=tuple(
            (axis.at(start), round(axis.at(stop) - axis.at(start), 3), tone, text) for start, stop, tone, text in merged
        ),
        ticks=tuple(Tick(axis.at(x), f"±{signed(x, places, sign=False)}") for x in axis.multiples(step) if x),
        preset=None if preset is None else axis.at(preset),
        description="Verdict by the margin: " + ", ".join(parts),
        caption=f"Verdict for every margin from 0 to {reach:.3g}{noun}.{marked} {changes}",
    )


def sureness_section(c: Comparison, not_covered: str) -> tuple[Section, ...]:
    """Return what other margins would say, and what the interval leaves out."""
    blocks: tuple[Block, ...] = ()
    unit, up = c.recipe.unit, c.recipe.metric.higher_is_better
    if c.decision is not None and c.rope is not None and not c.rope.one_sided:
        shown = Shown.of(c.delta, unit, mirror=not up)
        picture = strip(c.rope_path, c.rope, shown, unit, (f"{name(c.a)} better", f"{name(c.b)} better"))
        if picture is not None:
            blocks = (Heading("If another margin mattered to you"), Picture("strip", picture))
    if c.pairing is not None and c.pairing >= LEAST_PAIRING:
        worth = Text(differences.pairing_text(c.pairing, c.recipe.noun))
        blocks = (*blocks, Heading("What the pairing is worth"), worth)
    left_out = not_covered
    if not_covered == _LEAVES_OUT and c.recipe.n_clusters is None:
        left_out += _INDEPENDENT
    return (Section("How sure is this?", (*blocks, Heading("What the interval leaves out"), Text(left_out))),)
