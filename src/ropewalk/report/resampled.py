"""What resampling answers, as rows of plain strings."""

from __future__ import annotations

import math
from dataclasses import replace

from ropewalk.report.shape import Escape, Table, View, metric_title
from ropewalk.results.comparison import Comparison
from ropewalk.results.resampled import CrossComparison, Validated, spread_dict
from ropewalk.text.names import count_of
from ropewalk.text.numbers import decimals, estimate_text, interval, number, p_value
from ropewalk.typing import FloatArray


def plain(result: CrossComparison) -> Comparison:
    """Return the comparison alone, with the notes of the resampling too."""
    return replace(result.comparison, remarks=result.remarks)


def with_folds(views: tuple[View, ...], result: CrossComparison, escape: Escape) -> tuple[View, ...]:
    """Return the views of a comparison with lines on folds and repeats added."""
    made = result.predictions
    lines = [("Splits", f"{escape(made.words)} · {_sizes(result)}")]
    if result.repeat_differences.size > 1:
        lines.append(("Repeats", _spread(result.repeat_differences, "repeat")))
    if result.fold_differences.size > 1:
        told = _spread(result.fold_differences, "fold")
        lines.append(("Folds", f"{told} · {_test(result)}" if result.corrected_t is not None else told))
    return tuple(replace(view, lines=(*view.lines, *lines)) for view in views)


def _sizes(result: CrossComparison) -> str:
    made = result.predictions
    train, test = (_size(size) for size in (made.n_train, made.n_test))
    return f"{train} items trained on and {test} tested a fold · {count_of(made.n_items, 'item')} in all"


def _size(size: float) -> str:
    return f"{size:,.0f}" if size == round(size) else f"{size:,.1f}"


def _spread(values: FloatArray, what: str) -> str:
    """Write the mean, the standard deviation and the range of differences, with two digits of the deviation."""
    found = spread_dict(values)
    count, std = found["n"], found["std"]
    if not count or std is None:
        return "no differences"
    places = _places(std)
    low, high = (number(found[end], places, sign=True) for end in ("low", "high"))
    mean = number(found["mean"], places, sign=True)
    told = f"Δ of {count_of(int(count), what)}: mean {mean}, std {number(std, places)}, from {low} to {high}"
    return told if count == values.size else f"{told} ({values.size - int(count)} without a score)"


def _places(size: float) -> int:
    return min(max(3, 1 - math.floor(math.log10(size))), 9) if size > 0 else 3


def _test(result: CrossComparison) -> str:
    test = result.corrected_t
    assert test is not None  # noqa: S101
    shown = p_value(test.p_value)
    return f"corrected resampled t test p {shown if shown.startswith('<') else f'= {shown}'} (classical)"


def folds_table(result: CrossComparison, escape: Escape) -> Table:
    """Return what repeats and folds show, one row each."""
    rows = []
    for what, values in (("repeats", result.repeat_differences), ("folds", result.fold_differences)):
        found = spread_dict(values)
        std = found["std"]
        places = _places(std or 0.0)
        low, high = found["low"], found["high"]
        spread = "–" if low is None or high is None else interval(low, high, places, sign=True)
        p = "–" if what == "repeats" or result.corrected_t is None else p_value(result.corrected_t.p_value)
        row = (what, str(found["n"]), number(found["mean"], places, sign=True), number(std, places), spread, p)
        rows.append(tuple(map(escape, row)))
    header = ("spread over", "n", "mean", "std", "range", "corrected t, p")
    return Table(header=tuple(map(escape, header)), rows=tuple(rows), ends_in_text=False)


def folds_caption(result: CrossComparison, escape: Escape) -> str:
    """Say how the items were divided."""
    return f" · {escape(result.predictions.words)}"


def validated_view(result: Validated, escape: Escape) -> View:
    """Say which setting was chosen, and how good it is."""
    name, title = escape(result.name), escape(metric_title(result.metric))
    mass = f"{100 * result.test.metrics[0].recipe.prob:g}% HDI"
    best, test = result.best.validation.estimate, result.estimate
    sizes = " · ".join(
        f"{count_of(len(items), 'item')} to {what}"
        for items, what in ((result.train, "train"), (result.validation, "choose"), (result.test_items, "test"))
    )
    seen = number(best.observed, decimals(best, best.mc_error))
    lines = (
        ("Data", sizes),
        ("Chosen", f"{escape(result.best.text)}, of {count_of(len(result.settings), 'setting')}"),
        ("Validation", f"{title} {estimate_text(best)} · {mass} · observed {seen}"),
        (
            "Test",
            f"{title} {estimate_text(test)} · {mass} · observed {number(test.observed, decimals(test, test.mc_error))}",
        ),
    )
    headline = f"{name}'s {title} with {escape(result.best.text)} is {estimate_text(test)}, on items it never met"
    return View(
        title=f"How good is {name} with the setting that was chosen?",
        symbol="", headline=headline, lines=lines, shares=(), note="",
    )  # fmt: skip


def settings_table(result: Validated, escape: Escape) -> Table:
    """Return one row a setting, in the order of the grid."""
    rows = []
    for i, setting in enumerate(result.settings):
        estimate = setting.validation.estimate
        places = decimals(estimate, estimate.mc_error)
        row = (
            setting.text,
            number(estimate.observed, places),
            number(estimate.mean, places),
            number(estimate.std, places),
            interval(estimate.hdi.low, estimate.hdi.high, decimals(estimate)),
            "chosen" if i == result.chosen else "",
        )
        rows.append(tuple(map(escape, row)))
    return Table(header=("setting", "observed", "mean", "std", "HDI", ""), rows=tuple(rows))


def validated_remarks(result: Validated, escape: Escape) -> tuple[tuple[str, str], ...]:
    """Return notes and warnings: those of the choice, then those of the test."""
    notes = [("Note", escape(told)) for told in dict.fromkeys((*result.notes, *result.test.notes))]
    return (*notes, *(("Warning", escape(told)) for told in result.warnings))


def validated_caption(result: Validated, escape: Escape) -> str:
    """Say what the table is about."""
    title = escape(metric_title(result.metric))
    tested = f"{escape(estimate_text(result.estimate))} on the test set of {count_of(len(result.test_items), 'item')}"
    items = count_of(len(result.validation), "item")
    return f"{title} of {escape(result.name)} on the validation set of {items} · the chosen setting: {tested}"
