"""Predictive checks: what a model reproduces of the data, and what it does not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ropewalk.data.labels import label_text
from ropewalk.report.describe.method import NOT_COVERED, model_graph
from ropewalk.report.document import Answer, Block, Document, Picture, Section, Table, Text, describes, name
from ropewalk.report.pictures import Axis, Tick, hull, view
from ropewalk.report.words import class_words, items_text, metric_name, model_text, places_of
from ropewalk.results.checks import CheckRow, PredictiveCheck, extremity
from ropewalk.text.units import metric_title
from ropewalk.text.writing import brief, count_of, first_digit, interval, number

OFF: Final = {"posterior": "not reproduced", "prior": "not expected"}
"""What a feature of the data is called that the model does not account for."""
MAX_ROWS_IN_TERMINAL: Final = 24
MAX_ROWS_ON_PAPER: Final = 120
MAX_ROWS_IN_SENTENCE: Final = 3
MAX_LABEL_LETTERS: Final = 40
WIDTH_PX: Final = 240  # that the bars have on a wide screen, at least
_RULE_OF_THREE: Final = 3  # of n replicates none is a p-value below 3 / n, with a probability of 95%
_KEY: Final = (
    "Diamonds were observed. Thin bars hold the middle 95% of the replicates, thick ones the middle half; p is the "
    "share of replicates with at least the observed value, ties counted half."
)


@describes(PredictiveCheck)
def describe_check(check: PredictiveCheck) -> Document:
    """Describe a predictive check."""
    answer, recipe = _answer(check), check.recipe
    caption = (
        f"{check.kind.capitalize()} predictive check of {', '.join(map(name, check.names))}",
        f"{name(recipe.model.name)} model",
        items_text(recipe),
        f"{count_of(check.draws, 'replicated data set')}{class_words(recipe)}",
    )
    short = (answer, *((_table(check, MAX_ROWS_IN_TERMINAL),) if check.rows else ()))

    def sections(document: Document) -> tuple[Block, ...]:
        rows = (
            ("Data", items_text(recipe) + class_words(recipe)),
            ("Data hash", recipe.data_hash),
            ("Model", model_text(recipe)),
            ("Draws", f"the first {check.draws:,} of the {check.kind} of the answer, whose seed is {recipe.seed}"),
            ("Replicates", f"one data set per draw, class sizes replicated as well, seed {check.seed}"),
            ("Call", f"answer.predictive_check(kind={check.kind!r}, draws={check.draws}, rng={check.seed})"),
        )
        pictures = tuple(Picture("discrepancy", _discrepancy(check, check.of(s))) for s in check.statistics)
        return (
            *document.answer_sections(),
            *((Section("Observed among replicated", (*pictures, Text(_KEY))),) if pictures else ()),
            document.method_section(rows, *model_graph(check), not_covered=NOT_COVERED),
        )

    return Document(
        caption=" · ".join(caption),
        answers=(answer,),
        tables=(_table(check, MAX_ROWS_ON_PAPER),),
        remarks=check.remarks,
        terminal=short,
        card=short,
        sections=sections,
    )


# -- in words ----------------------------------------------------------------------------------------------


def _answer(check: PredictiveCheck) -> Answer:
    """Describe what the model reproduces, and what it does not."""
    sizes = " and ".join(f"{n:,}" for n in dict.fromkeys(check.checked))
    about = f"{items_text(check.recipe)}{class_words(check.recipe)} · {model_text(check.recipe)}"
    of = f"of the {check.kind}, {count_of(check.draws, 'data set')} of {sizes} items, seed {check.seed}"
    error = max((row.mc_error for row in check.rows), default=0.0)
    fails = "the prior does not expect it" if check.kind == "prior" else "the model does not reproduce it"
    p = f"the share of replicates with at least the observed value: near 0 or 1, {fails}"
    return Answer(
        title=f"Does the {'model reproduce' if check.kind == 'posterior' else 'prior expect'} the data?",
        headline=_headline(check),
        lines=(("Data", about), ("Replicates", of), ("p", p)),
        note=f"p is ±{error:.1g} or better (Monte Carlo)" if error else "",
    )


def _headline(check: PredictiveCheck) -> str:
    off, features = check.flagged, count_of(len(check.rows), "feature")
    prior = check.kind == "prior"
    if not check.rows:
        return "There are no items, and so nothing to check"
    if not off:
        whose = "the prior expects" if prior else "the model would show again"
        return f"The data look like what {whose}, in all {features} checked"
    fails = "The prior does not expect the data in" if prior else "The model does not reproduce the data in"
    named = "; ".join(map(_in_words, off[:MAX_ROWS_IN_SENTENCE]))
    unnamed = len(off) - MAX_ROWS_IN_SENTENCE
    return f"{fails} {len(off):,} of {features}: {named}{f'; and {unnamed:,} more' if unnamed > 0 else ''}"


def _in_words(row: CheckRow) -> str:
    whole = " · ".join(filter(None, (_whose(row), _label(row))))
    feature = f"{metric_name(row.statistic)}{f' of {whole}' if whole else ''}"
    return f"{feature} (observed {_observed(row)}, replicated {_replicated(row)})"


def _whose(row: CheckRow) -> str:
    return " and ".join(map(name, row.classifiers))


def _label(row: CheckRow) -> str:
    return "" if row.label is None else name(brief(label_text(row.label), MAX_LABEL_LETTERS))


def _places(row: CheckRow) -> int:
    """Return how many decimals show two digits of how far the replicates spread."""
    return places_of(row.interval.high - row.interval.low)


def _observed(row: CheckRow) -> str:
    return number(row.observed, _places(row))


def _replicated(row: CheckRow) -> str:
    return f"{number(row.mean, _places(row))} {interval(row.interval.low, row.interval.high, _places(row))}"


def p_text(row: CheckRow) -> str:
    """Write a Bayesian p-value: a bound where none of the replicates, or all, reach the observed value.

    Examples
    --------
    >>> from ropewalk.draws.intervals import Interval
    >>> wide = Interval(0.1, 0.4)
    >>> row = CheckRow(statistic="recall", classifiers=("svm",), label=1, observed=0.5, mean=0.2, interval=wide,
    ...                half=wide, p_value=0.0, mc_error=0.001, n=1_000)
    >>> p_text(row)
    '<0.003'
    """
    unit = first_digit(_RULE_OF_THREE / row.n)
    bound = float(f"{math.ceil(_RULE_OF_THREE / row.n / unit - 1e-9) * unit:.6g}")
    decimals = 2 if row.mc_error > 0.001 else 3  # noqa: PLR2004
    if row.p_value in {0.0, 1.0} and bound < 0.5:  # noqa: PLR2004
        return f"<{bound:g}" if row.p_value == 0 else f">{1 - bound:g}"
    if round(row.p_value, decimals) in {0.0, 1.0}:
        return f"{row.p_value:.3g}"
    return f"{row.p_value:.{decimals}f}"


# -- in tables ---------------------------------------------------------------------------------------------


def _table(check: PredictiveCheck, most: int) -> Table:
    """Return one row per feature; of very many, those that are least well reproduced."""
    rows = least(check.rows, most)
    judged = any(row.flagged for row in rows)
    header = (
        "statistic",
        "classifier",
        "class",
        "observed",
        "replicated [95%]",
        "p",
        *([OFF[check.kind].removeprefix("not ")] if judged else []),
    )
    body = [
        (
            metric_name(row.statistic),
            _whose(row),
            _label(row),
            _observed(row),
            _replicated(row),
            p_text(row),
            *(["no" if row.flagged else ""] if judged else []),
        )
        for row in rows
    ]
    more = len(check.rows) - len(rows)
    note = f"{more:,} more fit better than these." if more else ""
    return Table(header=header, rows=tuple(body), text_columns=3, ends_in_text=judged, note=note)


def least(rows: Sequence[CheckRow], most: int) -> list[CheckRow]:
    """Return so many rows that are least well reproduced, in their own order; those about no class come first."""
    if len(rows) <= most:
        return list(rows)
    kept = set(sorted(range(len(rows)), key=lambda i: (rows[i].label is not None, extremity(rows[i])))[:most])
    return [row for i, row in enumerate(rows) if i in kept]


# -- in pictures -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancy:
    """The features of one statistic on one axis; `head` says what the rows are, and `off` what some of them are.

    A row is a feature, its name, the observed value, the replicates and the p-value in words.
    """

    title: str
    head: str
    axis: Axis
    ticks: tuple[Tick, ...]
    rows: tuple[tuple[CheckRow, str, str, str, str], ...]
    off: str
    note: str


def check_axis(rows: Sequence[CheckRow]) -> Axis:
    """Return an axis that shows all replicates, and what was observed however far away."""
    return view(hull((row.interval for row in rows), [row.observed for row in rows]))


def _discrepancy(check: PredictiveCheck, rows: Sequence[CheckRow]) -> Discrepancy:
    """Lay out the replicates of a statistic, and where the observed value stands among them."""
    shown = least(rows, MAX_ROWS_ON_PAPER)
    first, title = shown[0], metric_title(shown[0].statistic)
    axis = check_axis(shown)
    note = "" if len(shown) == len(rows) else f"{len(rows) - len(shown):,} more fit better than these."
    return Discrepancy(
        title=name(f"{title[:1].upper()}{title[1:]}"),
        head="classifiers" if first.label is None else "class",
        axis=axis,
        ticks=axis.ticks(width=WIDTH_PX),
        rows=tuple(
            (row, " · ".join(filter(None, (_label(row), _whose(row)))), _observed(row), _replicated(row), p_text(row))
            for row in shown
        ),
        off=OFF[check.kind] if any(row.flagged for row in shown) else "",
        note=note,
    )
