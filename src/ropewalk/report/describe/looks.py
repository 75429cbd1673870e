"""One look at an evaluation that grows: as a line of a terminal, and in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ropewalk.report import words
from ropewalk.report.describe import method
from ropewalk.report.document import Answer, Block, Document, Table, describes, name
from ropewalk.results.gates import CONTRARY, REQUIRED
from ropewalk.results.looks import Look
from ropewalk.text.units import Shown, metric_title
from ropewalk.text.writing import count_of, visible

ACT_ON: Final = (
    "Act on the bounded outcome only: it may be looked at as often as you like. The plain one holds for one look; it "
    "errs more often the more often it is looked at."
)
_ASSUMED: Final = (
    "that items come in an order that has nothing to do with how they turn out; easy answers that come first mislead."
)


def required_words(look: Look, word: str) -> str:
    """Write what is required of A, by its word: not worse by more than 2 points."""
    if not look.margin:
        return word
    size = look.recipe.unit.counted(look.margin)
    return f"{word} within {size}" if look.require == "equivalent" else f"{word} by more than {size}"


def head_line(look: Look, shown: Callable[[str], str]) -> str:
    """Write what the lines of looks are about, with names as a surface writes them."""
    recipe = look.recipe
    metric = shown(metric_title(recipe.metric.of or recipe.metric.title))
    unit = " in points" if recipe.unit.is_points else ""
    a, b = shown(look.a), shown(look.b)
    required = required_words(look, REQUIRED[look.require])
    return f"{metric} of {a} − {b}{unit}; required: {a} {required}"


def look_line(look: Look) -> str:
    """Write a look in one line: items so far, the posterior and what it says, the bounded interval and what it says."""
    shown = _shown(look)
    plain = f"plain {shown.text()} {look.plain_outcome}"
    return f"{count_of(look.n_items, 'item')}  {plain}  bounded {_bounded(look, shown)} {look.outcome.upper()}"


def _shown(look: Look) -> Shown:
    return Shown.of(look.comparison.delta, look.recipe.unit)


def _bounded(look: Look, shown: Shown) -> str:
    scale, (low, high) = look.recipe.unit.scale, look.interval
    return Shown(shown.mean, scale * low, scale * high, shown.places).interval()


@describes(Look)
def describe_look(look: Look) -> Document:
    """Describe one look: the bounded outcome first, the plain one clearly second."""
    c, recipe, shown = look.comparison, look.recipe, _shown(look)
    a, b, metric = name(look.a), name(look.b), words.metric_name(recipe.metric.name)
    required = required_words(look, REQUIRED[look.require])
    told = {
        "met": f"Met: {a} is {required}",
        "contradicted": f"Contradicted: {a} is {required_words(look, CONTRARY[look.require])}",
        "undecided": f"Undecided: it is not known yet whether {a} is {required}",
    }[look.outcome]
    points = " points" if recipe.unit.is_points else ""
    what = f"{metric}{words.class_words(recipe)} of {a} − {b}"
    counted = count_of(look.n_items, "item")
    if look.n != look.n_items:
        counted += f", {look.n:,} of which count, or clusters of them"
    bounded, plain = _bounded(look, shown), shown.text()
    answer = Answer(
        title=f"Is {a} {REQUIRED[look.require]} than {b}?".replace("equivalent than", "equivalent to"),
        headline=told,
        lines=(
            ("So far", f"{counted}; {what}{' in points' if points else ''}"),
            ("Bounded", f"{bounded}, {look.outcome}: wrong in at most {100 * look.error:g}% a side, over all looks"),
            ("Plain", f"{plain}, {words.mass_text(recipe)} HDI, {look.plain_outcome}: as if this were the only look"),
            ("Note", ACT_ON),
            ("Assumes", _ASSUMED),
        ),
    )
    table = Table(
        header=("", "estimate", "interval", "outcome"),
        rows=(
            ("bounded, at every look", "–", bounded, look.outcome),
            ("plain, at one look", shown.value(), shown.interval(), look.plain_outcome),
        ),
        text_columns=1,
    )

    def sections(document: Document) -> tuple[Block, ...]:
        by = f", margin={look.margin:g}" if look.margin else ""
        call = f'rw.watch(…, metric="{visible(recipe.metric.name)}", require="{look.require}"{by})'
        how = method.method_section(document, [c], call, graph=False)
        return (*document.answer_sections(), *document.table_section(), how)

    return Document(
        caption=words.caption_text(words.delta_name(c), c),
        about=f"{a} against {b} · {count_of(look.n_items, 'item')}",
        answers=(answer,),
        tables=(table,),
        remarks=look.remarks,
        sentence=(
            f"{told}, by {counted} ({what}: {bounded} at every look, wrong in at most {100 * look.error:g}% a side; "
            f"{words.mass_text(recipe)} HDI {plain})."
        ),
        terminal=(answer,),
        card=(answer,),
        sections=sections,
    )
