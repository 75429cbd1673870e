"""What a model would show again, and what was seen: the replicates of each statistic, and the observed value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import checked_keywords, choose
from ropewalk.data.labels import label_text
from ropewalk.errors import InvalidInputError
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import SMALL, TEXT, Axes
from ropewalk.plots._series import label_of, next_style
from ropewalk.plots.intervals import lettering, name_rows
from ropewalk.report.describe.checks import OFF, check_axis, least, p_text
from ropewalk.report.pictures import INK, INSIDE
from ropewalk.results.checks import CheckRow, PredictiveCheck, extremity
from ropewalk.text.units import metric_title
from ropewalk.text.writing import count_of

DEFAULT_STATISTICS: Final = ("agreement", "accuracy", "recall")
MAX_NAME_LETTERS: Final = 40
MAX_LINES: Final = 40  # more are not read
LINE_INCHES: Final = 0.17  # of a line with one classifier,
INCHES_PER_CLASSIFIER: Final = 0.08  # and what each other one adds
REST_INCHES: Final = 1.25
MAX_HEIGHT: Final = 9.0  # inches: a page
NAMES_SHARE: Final = 0.42  # of the width that the names may take
BARS_SHARE: Final = 0.62  # of the height of a line that its bars take
GAP: Final = 3.0  # points
LEGEND_HANDLE: Final = 24.0  # points
LEADING: Final = 1.45


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of the picture: its name, and one row per classifier that it is about."""

    name: str
    rows: tuple[CheckRow, ...]


@checked_keywords
def plot_discrepancy(check: PredictiveCheck, *, statistic: str | None = None, ax: Axes | None = None) -> Axes:
    """Draw where the observed value of each statistic stands among the replicates.

    A thin bar holds the middle 95% of the replicates, a thick one the middle half; a diamond is what was observed, and
    a full one, with its p-value, is not reproduced. Classes stand in label order, the classifiers of one class next to
    each other; of more than 40 classes those that fit worst are drawn.

    Parameters
    ----------
    check
        What `predictive_check` returns.
    statistic
        One of its statistics, such as "class share"; agreement, accuracy and the recalls by default.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_discrepancy
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rng=0)
    >>> ax = plot_discrepancy(r.predictive_check())
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['agreement', 'accuracy', 'recall of not 8', 'recall of 8']
    """
    check = canvas.of_kind(check, PredictiveCheck, "plot_discrepancy", "predictive_check")
    shown = _shown(check, statistic)
    lines, total = _lines(shown, statistic)
    names = [name for name in check.names if any(row.classifiers == (name,) for line in lines for row in line.rows)]
    tall = LINE_INCHES + INCHES_PER_CLASSIFIER * (max(len(line.rows) for line in lines) - 1)
    drawn = canvas.axes(ax, "plot_discrepancy", height=min(REST_INCHES + tall * len(lines), MAX_HEIGHT))
    rows = [row for line in lines for row in line.rows]
    view = check_axis(rows)
    drawn.set_xlim(view.low, view.high)
    drawn.set_ylim(len(lines) - 0.5, -0.5)
    width, _ = canvas.room_of(drawn)
    styles = _styles(drawn, names)
    above = _key(drawn, rows, OFF[check.kind], width)
    drawn.set_title(canvas.folded(_title(check, shown), width, TEXT), fontsize=TEXT, pad=above + GAP)
    drawn.set_xlabel(_label(lines, statistic, total))
    canvas.quieten(drawn)
    drawn.spines["left"].set_visible(False)
    pitch = canvas.room_of(drawn, above=above)[1] / len(lines)
    letters = replace(lettering(pitch), columns=1, every=1)
    left = name_rows(drawn, [line.name for line in lines], letters, NAMES_SHARE * width)
    right = _draw(drawn, lines, styles, pitch)
    inner = max(width - left - right, width / 3)
    middle = 0.5 + (right - left) / 2 / inner  # of the whole picture, names and p-values included
    drawn.title.set_x(middle)
    drawn.get_legend().set_bbox_to_anchor((middle, 1.0), drawn.transAxes)  # type: ignore[union-attr]
    drawn.set_xlabel(canvas.folded(_label(lines, statistic, total), inner, TEXT))
    canvas.plain_ticks(drawn, "x", inner)
    canvas.with_signs(drawn)
    return drawn


def _shown(check: PredictiveCheck, statistic: str | None) -> list[CheckRow]:
    """Return the rows that the picture is about."""
    if not check.rows:
        raise InvalidInputError(
            "There is nothing to draw: the check is of no items.", hint="check a model that was fitted to items."
        )
    if statistic is None:
        return [row for row in check.rows if row.statistic in DEFAULT_STATISTICS]
    return list(check.of(choose(statistic, {name: name for name in check.statistics}, "statistic")))


def _lines(shown: Sequence[CheckRow], statistic: str | None) -> tuple[list[_Line], int]:
    """Return the lines to draw, and how many there would be of all classes."""
    groups: dict[tuple[Any, ...], list[CheckRow]] = {}
    for row in shown:
        pair = row.classifiers if row.statistic == "agreement" else ()
        groups.setdefault((row.statistic, row.label, pair), []).append(row)
    worst = [min(rows, key=extremity) for rows in groups.values()]
    kept = set(map(id, least(worst, MAX_LINES)))
    several = len({row.classifiers for row in shown if row.statistic == "agreement"}) > 1
    lines = [
        _Line(_name(rows[0], statistic, several=several), tuple(rows))
        for first, rows in zip(worst, groups.values(), strict=True)
        if id(first) in kept
    ]
    return lines, len(groups)


def _name(row: CheckRow, statistic: str | None, *, several: bool) -> str:
    whose = ", ".join(canvas.short(name, MAX_NAME_LETTERS // 2) for name in row.classifiers)
    about = "" if row.label is None else canvas.short(label_text(row.label), MAX_NAME_LETTERS)
    named = canvas.words(metric_title(row.statistic))
    if row.statistic == "agreement" and several:
        about, named = (f"{about}: {whose}" if about else whose), "agree"
    if statistic is not None:
        return about or named
    return f"{named}: {about}" if named == "agree" else f"{named} of {about}" if about else named


def _title(check: PredictiveCheck, rows: Sequence[CheckRow]) -> str:
    off, features = sum(row.flagged for row in rows), count_of(len(rows), "feature")
    posterior, name = check.kind == "posterior", canvas.words(check.recipe.model.name)
    whose = f"the {name} {'model' if posterior else 'prior'}"
    if off:
        return f"{off:,} of {features} {'is' if off == 1 else 'are'} {OFF[check.kind]} by {whose}"
    return f"{whose[0].upper()}{whose[1:]} {'reproduces' if posterior else 'expects'} all {features}"


def _label(lines: Sequence[_Line], statistic: str | None, total: int) -> str:
    what = "share of items" if statistic is None else canvas.words(metric_title(statistic))
    fewer = "" if len(lines) == total else f" ({len(lines)} of {total:,} lines: those that fit worst)"
    return f"{what}; thin bars: 95%, thick: half of the replicates{fewer}"


def _styles(ax: Axes, names: Sequence[str]) -> dict[tuple[str, ...], str]:
    """Return the colour of each classifier; the legend names them where there are several."""
    colours: dict[tuple[str, ...], str] = {}
    if len(names) < 2:  # noqa: PLR2004
        return colours
    for name in names:
        style = next_style(ax)
        ax.plot([], [], color=style.colour, linewidth=3, label=label_of(name))
        colours[name,] = style.colour
    return colours


def _draw(ax: Axes, lines: Sequence[_Line], styles: dict[tuple[str, ...], str], pitch: float) -> float:
    """Draw bars and diamonds, p-values at the right of those that are off; return how many points these take."""
    most = max(len(line.rows) for line in lines)
    room = pitch * BARS_SHARE / most  # points that a bar has
    thick, thin, dot = min(3.6, 0.8 * room), min(1.0, 0.3 * room), min(3.6, 1.1 * room)
    size, taken = min(SMALL, max(0.95 * pitch / most, 5.0)), 0.0
    for place, line in enumerate(lines):
        steps = (np.arange(len(line.rows)) - (len(line.rows) - 1) / 2) * BARS_SHARE / max(most, 1)
        for row, y in zip(line.rows, (place + steps).tolist(), strict=True):
            colour = styles.get(row.classifiers, INSIDE)
            ax.hlines(y, *row.interval, color=colour, linewidth=thin, zorder=2)
            ax.hlines(y, *row.half, color=colour, linewidth=thick, zorder=2.1)
            ax.plot(
                [row.observed], [y], marker="D", markersize=dot, color=INK, zorder=3, linestyle="none",
                markerfacecolor=INK if row.flagged else "white", markeredgewidth=min(0.8, room / 5), label="_seen",
            )  # fmt: skip
            if row.flagged:
                text = f"p {p_text(row)}" if p_text(row)[0] in "<>" else f"p = {p_text(row)}"
                taken = max(taken, canvas.width_of(text, size) + GAP)
                canvas.note(ax, text, (1.0, y), (GAP, 0.0), xycoords=ax.get_yaxis_transform(), fontsize=size)
    return taken


def _key(ax: Axes, rows: Sequence[CheckRow], off: str, width: float) -> float:
    """Name classifiers and diamonds above the axes, and return how many points that takes."""
    look: dict[str, Any] = {"marker": "D", "linestyle": "none", "color": INK, "markersize": 4, "markeredgewidth": 0.8}
    handles, labels = ax.get_legend_handles_labels()
    for flagged, name in ((False, "observed"), (True, f"observed, {off}")):
        if any(row.flagged == flagged for row in rows):
            handles += ax.plot([], [], markerfacecolor=INK if flagged else "white", label=f"_{name}", **look)
            labels.append(name)
    widest = max(canvas.width_of(label, SMALL) for label in labels) + LEGEND_HANDLE
    columns = min(max(int(width / widest), 1), len(labels))
    ax.legend(
        handles, labels, loc="lower center", bbox_to_anchor=(0.5, 1.0), borderaxespad=0.2, borderpad=0.2,
        ncols=columns, fontsize=SMALL, frameon=False, handlelength=1.2, columnspacing=1.2, handletextpad=0.5,
        labelcolor=INK, labelspacing=0.25,
    )  # fmt: skip
    return LEADING * SMALL * math.ceil(len(labels) / columns) + GAP
