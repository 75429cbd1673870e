"""Where units lie, in a triangle: draws of their shares below, inside and above the ROPE."""

from __future__ import annotations

from typing import Any, Final

from ropewalk._checks import checked_keywords
from ropewalk.errors import InvalidInputError
from ropewalk.plots import _canvas as canvas
from ropewalk.plots._canvas import LINE_HEIGHT, SMALL, TEXT, Axes
from ropewalk.report.document import plain
from ropewalk.report.pictures import ABOVE, BELOW, INK, INSIDE, QUIET
from ropewalk.report.triangle import CORNERS, SHADES, TOP, Triangle, sectors, triangles
from ropewalk.results.pooled import PooledEstimates, PopulationComparison

HEIGHT: Final = 3.7  # inches
SECTOR_ALPHA: Final = 0.1
LEAST_SIDE: Final = 30.0  # points
_COLOURS: Final = (BELOW, INSIDE, ABOVE)
_KEYS: Final = ("left", "top", "right")
_SIDES: Final = (("left", 0.0), ("center", 0.5), ("right", 1.0))
_DARKEST: Final = 0.9
_GAP: Final = 4.0  # points
_LABEL: Final = 3 * LINE_HEIGHT + _GAP  # at a corner
_BAR: Final = 8.0
_BOLD: Final = 0.85  # bold letters are wider


@checked_keywords
def plot_triangle(
    result: PopulationComparison | PooledEstimates, *, sign: bool = False, ax: Axes | None = None
) -> Axes:
    """Draw in which region units lie, one point a draw: in a corner all lie there, in a sector most do.

    Hexagons are the darker the more draws they hold. At the corners stands the probability of the next unit, and how
    often the sector holds the point, which papers and baycomp report; the bar below shows these.

    Parameters
    ----------
    result
        What `compare_datasets` and `pool` return, or `compare` and `suite` over tasks like these, with a ROPE.
    sign
        For one score per data set: the sign test, of the next data set, in place of pairs of data sets.
    ax
        The axes to draw on; a new figure of one column's width by default.

    Examples
    --------
    >>> import ropewalk as rw
    >>> from ropewalk.plots import plot_triangle
    >>> scores = {"data": list("abcdef"), "new": [94, 73, 69, 72, 71, 93], "old": [98, 76, 75, 72, 74, 94]}
    >>> r = rw.compare_datasets(scores, dataset="data", a="new", b="old", rope=1, draws=2_000, rng=0)
    >>> ax = plot_triangle(r)
    >>> ax.get_title()
    'Most pairs: old better 97%'
    """
    kinds = (PopulationComparison, PooledEstimates)
    answer = canvas.of_kind(result, kinds, "plot_triangle", "rw.compare_datasets, or rw.pool,")
    found = triangles(answer)
    if len(found) <= sign:
        raise _nothing(answer, sign=sign)
    shown = found[sign]
    drawn = canvas.axes(ax, "plot_triangle", height=HEIGHT)
    names = [plain(name, lambda text: canvas.short(text, 40)) for name in shown.names]
    largest = max(range(3), key=lambda k: shown.most[k])
    title = f"{shown.most_label}: {names[largest]} {shown.most_texts[largest]}"
    drawn.set_title(canvas.fitted(title, canvas.size_of(drawn)[0], TEXT), fontsize=TEXT, color=INK)
    drawn.set_axis_off()
    canvas.settle(drawn)
    width, height = canvas.size_of(drawn)
    below = _LABEL + 2 * _GAP + _BAR + 2 * LINE_HEIGHT
    side = max(min(width - 2 * _GAP, (height - below - _LABEL) / TOP), LEAST_SIDE)
    drawn.set_xlim(0.5 - width / side / 2, 0.5 + width / side / 2)
    drawn.set_ylim(-below / side, -below / side + height / side)
    drawn.set_aspect("equal")
    _areas(drawn)
    _hexagons(drawn, shown)
    _corners(drawn, shown, names, width)
    _bar(drawn, shown, names, side, width)
    return drawn


def _nothing(answer: Any, *, sign: bool) -> InvalidInputError:
    rope = answer.question.rope
    if rope is None or rope.one_sided:
        return InvalidInputError(
            "A triangle has three regions: below, inside and above a ROPE of two ends.", hint="ask with rope=0.01."
        )
    if sign and answer.shares:
        return InvalidInputError("Only one score per data set has a sign test.", hint="leave sign= out.")
    return InvalidInputError(
        "The average over these has no further units, and no triangle.",
        hint='over="tasks" asks about tasks like these.',
    )


def _areas(ax: Axes) -> None:
    """Draw the three sectors."""
    polygon = canvas.mpl("patches").Polygon
    for points, colour, place in zip(sectors(), _COLOURS, ("left", "top", "right"), strict=True):
        ax.add_patch(polygon(points, facecolor=colour, alpha=SECTOR_ALPHA, linewidth=0, zorder=0, label=f"_{place}"))
        ax.add_patch(polygon(points, facecolor="none", edgecolor=QUIET, linewidth=0.6, zorder=3))


def _hexagons(ax: Axes, shown: Triangle) -> None:
    """Draw the hexagons, grey by the number of draws in them."""
    found = shown.hexagons
    seen = found.shades > 0
    shades = 1 - _DARKEST * found.shades[seen] / SHADES
    ax.add_collection(
        canvas.mpl("collections").PolyCollection(
            found.middles[seen][:, None] + found.corners, facecolors=[str(shade) for shade in shades], linewidths=0,
            zorder=2, label="draws",
        ),
        autolim=False,
    )  # fmt: skip


def _corners(ax: Axes, shown: Triangle, names: list[str], width: float) -> None:
    """Write at each corner who it is, the probability of the next unit, and how often the sector holds the point."""
    look: dict[str, Any] = {"xycoords": ax.get_yaxis_transform()}
    for k, (side, x) in enumerate(_SIDES):
        top = CORNERS[k][1] > 0
        lines = (names[k] if top else canvas.fitted(names[k], _BOLD * width / 2 - _GAP, SMALL), shown.next_texts[k])
        for line, text in enumerate((lines[0], f"next {lines[1]}", f"most {shown.most_texts[k]}")):
            shift = (2.5 - line) * LINE_HEIGHT + _GAP if top else -(line + 0.5) * LINE_HEIGHT - _GAP
            weight, colour = ("bold", _COLOURS[k]) if line == 0 else ("normal", INK)
            canvas.note(ax, text, (x, CORNERS[k][1]), (0.0, shift), ha=side, color=colour, fontweight=weight, **look)


def _bar(ax: Axes, shown: Triangle, names: list[str], side: float, width: float) -> None:
    """Draw the shares of the sectors in a bar as wide as the axes, and below it what is whose."""
    foot, start = -(_LABEL + 2 * _GAP + _BAR) / side, 0.0
    for k, share in enumerate(shown.most):
        ax.barh(
            foot, share, left=start, height=_BAR / side, align="edge", color=_COLOURS[k], edgecolor="white",
            linewidth=0.8, label=_KEYS[k], transform=ax.get_yaxis_transform(),
        )  # fmt: skip
        start += share
    for k, (edge, x) in enumerate(_SIDES):
        name = canvas.fitted(names[k], width / 3 - _GAP, SMALL)
        for line, text in enumerate((shown.most_texts[k], name)):
            shift = (0.0, -(line + 0.5) * LINE_HEIGHT - _GAP / 2)
            look: dict[str, Any] = {"xycoords": ax.get_yaxis_transform(), "ha": edge, "color": _COLOURS[k]}
            canvas.note(ax, text, (x, foot), shift, **look)
