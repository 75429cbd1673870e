"""Predictive checks, as rows of plain strings and as places in a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ropewalk.data.labels import label_text
from ropewalk.report.pictures.axes import Axis, Tick, hull
from ropewalk.report.pictures.axes import view as axis_view
from ropewalk.report.shape import Escape, Table, View, class_words, items_text, metric_title, model_text
from ropewalk.results.checks import CheckRow, PredictiveCheck, extremity
from ropewalk.text.names import brief, count_of, visible
from ropewalk.text.numbers import first_digit, interval, number

OFF: Final = {"posterior": "not reproduced", "prior": "not expected"}
_SHORT: Final = 24  # rows that a terminal has room for
_LONG: Final = 120  # rows that a paper or a page has room for
_TOLD: Final = 3  # rows that a sentence can hold
_NAME: Final = 40
_FEWEST: Final = 3  # of n replicates none is a p-value below 3 / n, with a probability of 95%
_PIXELS: Final = 240  # that the bars have on a wide screen, at least


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One feature in a picture: places in per cent, and the numbers in words."""

    label: str
    seen: float
    low: float
    high: float
    half_low: float
    half_high: float
    observed: str
    replicated: str
    p: str
    off: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancy:
    """The features of one statistic on one axis; `head` says what the rows are."""

    title: str
    head: str
    ticks: tuple[Tick, ...]
    rows: tuple[Mark, ...]
    note: str

    @property
    def off(self) -> bool:
        """Whether some feature is not reproduced."""
        return any(row.off for row in self.rows)


# -- in words ----------------------------------------------------------------------------------------------


def caption(check: PredictiveCheck, escape: Escape) -> str:
    """Say what a table is about."""
    return " · ".join(
        [
            f"{check.kind.capitalize()} predictive check of {', '.join(map(escape, check.names))}",
            f"{escape(check.recipe.model.name)} model",
            items_text(check.recipe),
            f"{count_of(check.draws, 'replicated data set')}{class_words(check.recipe, escape)}",
        ]
    )


def view(check: PredictiveCheck, escape: Escape) -> View:
    """Say what the model reproduces, and what it does not."""
    sizes = " and ".join(f"{n:,}" for n in dict.fromkeys(check.checked))
    about = f"{items_text(check.recipe)}{class_words(check.recipe, escape)} · {visible(model_text(check.recipe))}"
    of = f"the {check.kind}, {count_of(check.draws, 'data set')} of {sizes} items, seed {check.seed}"
    error = max((row.mc_error for row in check.rows), default=0.0)
    fails = "the prior does not expect it" if check.kind == "prior" else "the model does not reproduce it"
    p = f"the share of replicates with at least the observed value: near 0 or 1, {fails}"
    return View(
        title=f"Does the {'model reproduce' if check.kind == 'posterior' else 'prior expect'} the data?",
        symbol="",
        headline=_headline(check, escape),
        lines=(("Data", about), ("Replicates", f"of {of}"), ("p", p)),
        shares=(),
        note=f"p is ±{error:.1g} or better (Monte Carlo)" if error else "",
    )


def _headline(check: PredictiveCheck, escape: Escape) -> str:
    off, features = check.flagged, count_of(len(check.rows), "feature")
    prior = check.kind == "prior"
    if not check.rows:
        return "There are no items, and so nothing to check"
    if not off:
        whose = "the prior expects" if prior else "the model would show again"
        return f"The data look like what {whose}, in all {features} checked"
    fails = "The prior does not expect the data in" if prior else "The model does not reproduce the data in"
    named = "; ".join(_told(row, escape) for row in off[:_TOLD])
    more = f"; and {len(off) - _TOLD:,} more" if len(off) > _TOLD else ""
    return f"{fails} {len(off):,} of {features}: {named}{more}"


def _told(row: CheckRow, escape: Escape) -> str:
    whose = " and ".join(map(escape, row.classifiers))
    whole = " · ".join(part for part in (whose, _label(row, escape)) if part)
    name = f"{_statistic(row, escape)}{f' of {whole}' if whole else ''}"
    return f"{name} (observed {_observed(row)}, replicated {_replicated(row)})"


def _statistic(row: CheckRow, escape: Escape) -> str:
    return escape(metric_title(row.statistic))


def _label(row: CheckRow, escape: Escape) -> str:
    return "" if row.label is None else escape(brief(label_text(row.label), _NAME))


def places(row: CheckRow) -> int:
    """Return how many decimals show two digits of how far the replicates spread."""
    width = row.interval.high - row.interval.low
    return min(max(1 - math.floor(math.log10(width)), 0), 6) if width > 0 else 3


def _observed(row: CheckRow) -> str:
    return number(row.observed, places(row))


def _replicated(row: CheckRow) -> str:
    return f"{number(row.mean, places(row))} {interval(row.interval.low, row.interval.high, places(row))}"


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
    unit = first_digit(_FEWEST / row.n)
    bound = float(f"{math.ceil(_FEWEST / row.n / unit - 1e-9) * unit:.6g}")
    decimals = 2 if row.mc_error > 0.001 else 3  # noqa: PLR2004
    if row.p_value in {0.0, 1.0} and bound < 0.5:  # noqa: PLR2004
        return f"<{bound:g}" if row.p_value == 0 else f">{1 - bound:g}"
    if round(row.p_value, decimals) in {0.0, 1.0}:
        return f"{row.p_value:.3g}"
    return f"{row.p_value:.{decimals}f}"


def method(check: PredictiveCheck) -> tuple[tuple[str, str], ...]:
    """Return how a check was made, as labelled lines."""
    recipe = check.recipe
    call = f"answer.predictive_check(kind={check.kind!r}, draws={check.draws}, rng={check.seed})"
    rows = (
        ("Data", items_text(recipe) + class_words(recipe, visible)),
        ("Data hash", recipe.data_hash),
        ("Model", visible(model_text(recipe))),
        ("Draws", f"the first {check.draws:,} of the {check.kind} of the answer, whose seed is {recipe.seed}"),
        ("Replicates", f"one data set a draw, class sizes replicated as well, seed {check.seed}"),
        ("Call", call),
    )
    return tuple((label, says) for label, says in rows if says)


# -- in tables ---------------------------------------------------------------------------------------------


def table(check: PredictiveCheck, escape: Escape, *, short: bool = False) -> Table:
    """Return a row a feature; of very many, those that are least well reproduced."""
    rows = least(check.rows, _SHORT if short else _LONG)
    judged = any(row.flagged for row in rows)
    header = ("statistic", "classifier", "class", "observed", "replicated [95%]", "p", *(["judged"] if judged else []))
    body = [
        (
            _statistic(row, escape),
            " and ".join(map(escape, row.classifiers)),
            _label(row, escape),
            *map(escape, (_observed(row), _replicated(row), p_text(row))),
            *([OFF[check.kind] if row.flagged else ""] if judged else []),
        )
        for row in rows
    ]
    more = len(check.rows) - len(rows)
    if more:
        body.append((f"and {more:,} more", "that fit better", *[""] * (len(header) - 2)))
    return Table(header=tuple(map(escape, header)), rows=tuple(body), text_columns=3, ends_in_text=judged)


def short_tables(check: PredictiveCheck, escape: Escape) -> tuple[Table, ...]:
    """Return what a terminal or a notebook has room for; no table where there is nothing to show."""
    return (table(check, escape, short=True),) if check.rows else ()


def least(rows: Sequence[CheckRow], most: int) -> list[CheckRow]:
    """Return so many rows that are least well reproduced, in their own order; those about no class come first."""
    if len(rows) <= most:
        return list(rows)
    kept = set(sorted(range(len(rows)), key=lambda i: (rows[i].label is not None, extremity(rows[i])))[:most])
    return [row for i, row in enumerate(rows) if i in kept]


# -- in pictures -------------------------------------------------------------------------------------------


def check_axis(rows: Sequence[CheckRow]) -> Axis:
    """Return an axis that shows all replicates, and what was observed however far away."""
    return axis_view(hull((row.interval for row in rows), [row.observed for row in rows]))


def discrepancies(check: PredictiveCheck, escape: Escape) -> tuple[Discrepancy, ...]:
    """Lay out the replicates of each statistic, and where the observed value stands among them."""
    return tuple(_discrepancy(check, check.of(statistic), escape) for statistic in check.statistics)


def _discrepancy(check: PredictiveCheck, rows: Sequence[CheckRow], escape: Escape) -> Discrepancy:
    shown = least(rows, _LONG)
    first, name = shown[0], _statistic(shown[0], escape)
    axis = check_axis(shown)
    note = "" if len(shown) == len(rows) else f"{len(rows) - len(shown):,} more fit better than these."
    return Discrepancy(
        title=f"{name[:1].upper()}{name[1:]}",
        head="classifiers" if first.label is None else "class",
        ticks=axis.ticks(width=_PIXELS),
        rows=tuple(_mark(row, axis, escape, OFF[check.kind]) for row in shown),
        note=note,
    )


def _mark(row: CheckRow, axis: Axis, escape: Escape, off: str) -> Mark:
    label = " · ".join(part for part in (_label(row, escape), " and ".join(map(escape, row.classifiers))) if part)
    return Mark(
        label=label,
        seen=axis.at(row.observed),
        low=axis.at(row.interval.low),
        high=axis.at(row.interval.high),
        half_low=axis.at(row.half.low),
        half_high=axis.at(row.half.high),
        observed=_observed(row),
        replicated=_replicated(row),
        p=p_text(row),
        off=off if row.flagged else "",
    )
