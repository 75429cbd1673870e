"""What all pictures share: size, colours and letters, set on each artist and never in matplotlib's own settings."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ropewalk._optional import require
from ropewalk.errors import InvalidInputError
from ropewalk.report.pictures.axes import INK, LINE, QUIET
from ropewalk.results import CrossComparison
from ropewalk.text.names import brief, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH: Final = 3.4  # inches: one column of a two-column paper
HEIGHT: Final = 2.4
TEXT: Final = 8.0  # points
SMALL: Final = 7.0
_LONGEST: Final = 40


def axes(ax: Any, caller: str, *, width: float = WIDTH, height: float = HEIGHT) -> Axes:
    """Return the axes to draw on: the given ones, or those of a new figure of one column's width."""
    pyplot = require("matplotlib.pyplot", extra="plot", caller=caller)
    if ax is None:
        return pyplot.subplots(figsize=(width, height), layout="constrained")[1]  # type: ignore[no-any-return]
    if getattr(ax, "name", "") != "rectilinear" or isinstance(ax, type):
        kind = f"{ax.name} axes" if hasattr(ax, "add_patch") and not isinstance(ax, type) else type(ax).__name__
        raise InvalidInputError(
            f"`ax` must be plain matplotlib axes; got {kind}.", hint="fig, ax = plt.subplots() makes them."
        )
    return ax  # type: ignore[no-any-return]


def of_kind(result: Any, kind: type | tuple[type, ...], caller: str, made_by: str) -> Any:
    """Return the result if the picture is about such a one; of a cross-validated comparison, its comparison."""
    if isinstance(result, CrossComparison) and not isinstance(result, kind):
        result = result.comparison
    if isinstance(result, kind):
        return result
    raise InvalidInputError(f"{caller} cannot draw {type(result).__name__}.", hint=f"it draws what {made_by} returns.")


def quieten(ax: Axes, *, bare: bool = False) -> None:
    """Take away what says nothing; `bare` takes the vertical axis too."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["bottom", "left"]].set_color(QUIET)
    ax.tick_params(labelsize=SMALL, color=QUIET, labelcolor=INK, length=2.5, width=0.6)
    for name in ("xaxis", "yaxis"):
        getattr(ax, name).label.set_size(TEXT)
        getattr(ax, name).label.set_color(INK)
    ax.title.set_fontsize(TEXT)
    ax.title.set_color(INK)
    if bare:
        ax.spines["left"].set_visible(False)
        ax.set_yticks([])


def rule(ax: Axes, at: float, *, across: bool = False) -> None:
    """Draw a thin dotted line at a value worth seeing, such as 0."""
    draw = ax.axhline if across else ax.axvline
    draw(at, color=QUIET, linewidth=0.8, linestyle=":", zorder=1)


def grid(ax: Axes, which: str = "x") -> None:
    """Draw quiet grid lines behind everything."""
    ax.grid(axis=which, color=LINE, linewidth=0.4)  # type: ignore[arg-type]
    ax.set_axisbelow(True)


@lru_cache(maxsize=4)
def _glyphs(font: str) -> frozenset[int]:
    from matplotlib.font_manager import get_font

    return frozenset(get_font(font).get_charmap())


def words(text: str, longest: int = _LONGEST) -> str:
    r"""Make a name safe for a picture: short, without formulas, and no letter that the font does not have.

    Examples
    --------
    >>> words("$x_1$ \U0001f9ea")
    '\\$x_1\\$ U+1F9EA'
    """
    manager = require("matplotlib.font_manager", extra="plot", caller="a picture")
    known = _glyphs(str(manager.findfont(manager.FontProperties())))
    shown = brief(visible(text), longest)
    return "".join(c if ord(c) in known else f"U+{ord(c):04X}" for c in shown).replace("$", r"\$")


def short(text: str, longest: int = 18) -> str:
    """Make a name safe, and short by leaving out its middle: names often differ at their ends only.

    Examples
    --------
    >>> short("resnet50-augmented-seed-1", 15), short("svm")
    ('resnet5…-seed-1', 'svm')
    """
    shown = words(text, 1_000).replace(r"\$", "$")
    if len(shown) > longest:
        head = longest // 2
        shown = f"{shown[:head]}…{shown[head + 1 - longest :]}"
    return shown.replace("$", r"\$")


def settle(ax: Axes) -> None:
    """Lay the figure out now, so that what is asked next about room is true."""
    engine = ax.figure.get_layout_engine()
    if engine is not None:
        engine.execute(ax.figure.figure)  # the whole figure, also from a part of it
