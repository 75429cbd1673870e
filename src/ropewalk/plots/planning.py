"""Power against the number of items: how often a study of that size would reach its goal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from ropewalk._checks import checked_keywords, is_real
from ropewalk.draws.rope import parse_rope
from ropewalk.errors import InvalidInputError
from ropewalk.plots._canvas import GLYPHS, SMALL, Axes, axes, minus, mpl, quieten, rule, size_of, words
from ropewalk.plots._series import DARK, Style, draw_line, fill, key, label_of, named_lines, next_style
from ropewalk.report.describe.prospects import is_wide, stacked
from ropewalk.report.pictures import ABOVE, BELOW, INK, INSIDE
from ropewalk.text.verdicts import Verdict, rope_text
from ropewalk.text.writing import told

_CALLER: Final = "plot_power"
USUAL_POWER: Final = 0.8
MIN_SHARE_NAMED: Final = 0.08  # a decision with a smaller share has no room for its name
TICK_WIDTH: Final = 36.0  # points that a number of items takes
ROUNDING: Final = 1e-6
_HINT: Final = 'it draws {"rows": [{"n": …, "power": …, "low": …, "high": …}, …]}, or what has such a to_dict().'
# From the bottom up: the colour of each decision and how opaque it is; undecided ones are pale.
_DECISIONS: Final = (
    (Verdict.A_BETTER, "A better", ABOVE, 0.28),
    (Verdict.UNDECIDED_HIGH, "undecided", ABOVE, 0.08),
    (Verdict.EQUIVALENT, "equivalent", INSIDE, 0.28),
    (Verdict.UNDECIDED_LOW, "undecided", BELOW, 0.08),
    (Verdict.B_BETTER, "B better", BELOW, 0.28),
)
_ONE_SIDED: Final = {
    "A better": "beyond the margin",
    "equivalent": "inside the ROPE",
    "B better": "beyond the margin",
    "undecided": "undecided",
}


class _Row(NamedTuple):
    """The power at one number of items, its interval, and the share of each of the five decisions, if known."""

    n: float
    power: float
    low: float
    high: float
    shares: tuple[float, ...] | None


@checked_keywords
def plot_power(result: Any, *, ax: Axes | None = None) -> Axes:
    """Draw power against the number of items, with its interval; the dotted line is 80%.

    Parameters
    ----------
    result
        A mapping, or a result whose `to_dict` returns one, with "rows" of "n", "power", "low" and "high". Where each
        row has "decisions", the share of every symbol, they are stacked behind the first curve. "goal", "rope", and
        "label" or "model" are said, if there.
    ax
        Axes to draw on. On axes with a curve this one is drawn in the next colour and line.

    Returns
    -------
    The axes.

    Examples
    --------
    >>> rows = [{"n": n, "power": p, "low": p - 0.1, "high": p + 0.1} for n, p in [(100, 0.4), (200, 0.7), (400, 0.9)]]
    >>> ax = plot_power({"rows": rows, "goal": "better", "rope": 0.01, "label": "paired"})
    >>> ax.get_legend().get_title().get_text(), ax.lines[-1].get_label()
    ('goal: better, ROPE ±0.01', 'paired')
    """
    study = _study(result)
    rows = _rows(result, study)
    drawn = axes(ax, _CALLER)
    style = next_style(drawn)
    if style.place == 0:
        _stack_decisions(drawn, rows, study.get("rope"))
        rule(drawn, USUAL_POWER, across=True)
    _draw(drawn, rows, style, label_of(str(study.get("label") or study.get("model") or "power")))
    _name_axes(drawn, study)
    key(drawn, "upper left", _question(study))
    return drawn


def _study(result: Any) -> Mapping[str, Any]:
    study = result.to_dict() if hasattr(result, "to_dict") and not isinstance(result, type) else result
    if isinstance(study, Mapping) and isinstance(study.get("rows"), Sequence) and len(study["rows"]):
        return study
    raise InvalidInputError(f"{_CALLER} cannot draw {type(result).__name__}.", hint=_HINT)


def _rows(result: Any, study: Mapping[str, Any]) -> list[_Row]:
    """Check every row, and return them from few to many items."""
    rows = []
    for row in study["rows"]:
        if not isinstance(row, Mapping) or not all(is_real(row.get(name)) for name in ("n", "power", "low", "high")):
            raise InvalidInputError(f"{_CALLER} cannot draw {type(result).__name__}.", hint=_HINT)
        n, power, low, high = (float(row[name]) for name in ("n", "power", "low", "high"))
        if not 0 < n < math.inf:
            raise InvalidInputError(
                f"A row's `n` must be a positive number of items; got {told(row['n'])}.",
                hint="such as {'n': 500, 'power': 0.8}.",
            )
        if not -ROUNDING <= low <= power + ROUNDING <= high + 2 * ROUNDING <= 1 + 3 * ROUNDING:
            raise InvalidInputError(
                f"At n = {n:g} the power {power:g} must lie in its interval [{low:g}, {high:g}].",
                hint="give the interval of this power.",
            )
        rows.append(_Row(n, power, low, high, _shares(row.get("decisions"), n)))
    if len({row.n for row in rows}) < len(rows):
        raise InvalidInputError(
            "Each number of items has one row; an `n` comes twice.", hint="leave the second one out."
        )
    return sorted(rows, key=lambda row: row.n)


def _shares(decisions: Any, n: float) -> tuple[float, ...] | None:
    """Return the shares of the five decisions in the order they are stacked."""
    if decisions is None:
        return None
    known = [verdict.value for verdict, *_ in _DECISIONS]
    if not isinstance(decisions, Mapping) or not all(
        symbol in known and is_real(share) and 0 <= share <= 1 for symbol, share in decisions.items()
    ):
        raise InvalidInputError(
            f"The `decisions` at n = {n:g} must be shares from 0 to 1; got {told(decisions)}.",
            hint=f"the symbols are {' '.join(known)}.",
        )
    shares = tuple(float(decisions.get(symbol, 0.0)) for symbol in known)
    if sum(shares) > 1 + ROUNDING:
        raise InvalidInputError(
            f"The `decisions` at n = {n:g} add up to more than 1; got {told(decisions)}.",
            hint="give the share of each verdict.",
        )
    return shares


def _stack_decisions(ax: Axes, rows: Sequence[_Row], rope: Any) -> None:
    """Stack the shares of the decisions behind everything, and name them at the right end."""
    ends = () if isinstance(rope, str) or not isinstance(rope, Sequence) else rope
    one_sided = any(end is None or not math.isfinite(end) for end in ends)
    known = [row.shares for row in rows if row.shares is not None]
    if len(known) < len(rows):
        return
    n = np.array([row.n for row in rows])
    x = n if n.size > 1 else n * np.array([0.95, 1.05])
    edges = stacked(np.array(known))
    for i, (verdict, name, colour, opacity) in enumerate(_DECISIONS):
        low, high = (np.broadcast_to(ends, x.shape) for ends in edges[i : i + 2])
        ax.fill_between(x, low, high, color=colour, alpha=opacity, linewidth=0, zorder=0.5, label=f"_{verdict.value}")
        if high[-1] - low[-1] >= MIN_SHARE_NAMED:
            meaning = _ONE_SIDED[name] if one_sided else name
            ax.text(
                1.01, (low[-1] + high[-1]) / 2, f"{verdict.value} {meaning}", transform=ax.get_yaxis_transform(),
                va="center", fontsize=SMALL - 1, fontfamily=GLYPHS, color=INK,
            )  # fmt: skip


def _draw(ax: Axes, rows: Sequence[_Row], style: Style, label: str) -> None:
    n, power, low, high = (np.array([row[i] for row in rows], dtype=np.float64) for i in range(4))
    fill(ax, n, low, high, width=5, color=style.colour, alpha=DARK, label="_band")
    draw_line(ax, n, power, style, label, marker=style.point)


def _name_axes(ax: Axes, study: Mapping[str, Any]) -> None:
    """Count items on a scale that suits all curves, and power in percent; averaged over a posterior it is assurance."""
    ticker = mpl("ticker")
    seen = np.concatenate([np.asarray(line.get_xdata(), dtype=np.float64) for line in named_lines(ax)])
    if is_wide(seen.tolist()):
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        ax.xaxis.set_minor_locator(ticker.NullLocator())
    elif seen.max() > seen.min():
        wide = size_of(ax)[0]
        ax.xaxis.set_major_locator(ticker.MaxNLocator(int(min(max(wide / TICK_WIDTH, 1), 5)), integer=True))
    else:
        ax.xaxis.set_major_locator(ticker.FixedLocator([float(seen[0])]))
    ax.xaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,.0f}"))
    ax.yaxis.set_major_formatter(ticker.PercentFormatter(1, decimals=0))
    ax.set_ylim(0, 1.01)
    ax.set_xlabel("more items" if "n_items" in study else "items")
    ax.set_ylabel("assurance" if study.get("assurance") else "power")
    quieten(ax)


def _question(study: Mapping[str, Any]) -> str:
    """Write the goal and the ROPE."""
    parts = [f"goal: {words(str(study['goal']))}"] if study.get("goal") else []
    if study.get("rope") is not None:
        parts.append(f"ROPE {minus(_rope(study['rope']))}")
    return ", ".join(parts)


def _rope(rope: Any) -> str:
    if isinstance(rope, Sequence) and len(rope) == 2 and not isinstance(rope, str):  # noqa: PLR2004
        rope = [end if end is not None else sign * math.inf for end, sign in zip(rope, (-1, 1), strict=True)]
    parsed = parse_rope(rope)
    return "" if parsed is None else rope_text(parsed)
