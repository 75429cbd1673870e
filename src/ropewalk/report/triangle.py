"""Where units lie, as a triangle: each draw is a point, its shares of B better, too small to matter and A better.

A point in a corner is a population whose units all lie in that region; the three sectors are where each of the regions
has the most. Page and plots draw the same hexagons, of numbers of draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from ropewalk.report.document import Share, name, plain
from ropewalk.report.pictures import text_width
from ropewalk.text.writing import cut_apart, isolated, percent, visible
from ropewalk.typing import FloatArray

Three = tuple[float, float, float]
"""Of B better, too small to matter, and A better."""

TOP: Final = math.sqrt(3) / 2
"""The height of the triangle, whose sides are 1."""

CENTRE: Final = (0.5, TOP / 3)
CORNERS: Final = ((0.0, 0.0), (0.5, TOP), (1.0, 0.0))
MIDDLES: Final = ((0.25, TOP / 2), (0.75, TOP / 2), (0.5, 0.0))
"""The middles of the sides, to which the edges of the sectors go; a sector is between that before and its own."""

ACROSS: Final = 30  # hexagons along a side
SHADES: Final = 6
WORTH: Final = 20_000  # draws: as many digits as sums over a grid carry
_WIDTH_PX: Final = 356
_SIDE_PX: Final = 300
_APEX_PX: Final = 58
_LETTER_PX: Final = 13.0
_LETTERS: Final = (24, 16, 12, 8, 5)
_GAP_PX: Final = 16


class Hexagons(NamedTuple):
    """Middles of hexagons in the triangle, (n, 2), how many draws lie in each, and their half width."""

    middles: FloatArray
    counts: FloatArray
    half: float

    @property
    def shades(self) -> FloatArray:
        """How dark each is, up to `SHADES`, by the root of its number; 0 of next to none, which are not drawn."""
        return np.asarray(np.rint(SHADES * np.sqrt(self.counts / self.counts.max())))

    @property
    def corners(self) -> FloatArray:
        """The corners around (0, 0), (6, 2)."""
        angles = np.pi / 3 * np.arange(6) + np.pi / 6
        return np.stack([np.cos(angles), np.sin(angles)], axis=1) * self.half / math.cos(math.pi / 6)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Triangle:
    """Draws of shares, (3, n), and what is said of them, all in the order B better, too small to matter, A better.

    `next_label` names what `next` is about, `most_label` what `most` is; `names` are those of the corners.
    """

    shares: FloatArray
    next: Three
    most: Three
    next_label: str
    most_label: str
    names: tuple[str, str, str]

    @property
    def points(self) -> FloatArray:
        """Where the draws lie, (2, n): B better on the left, A better on the right."""
        _, inside, right = self.shares
        return np.stack([right + inside / 2, TOP * inside])

    @property
    def hexagons(self) -> Hexagons:
        """The draws, counted in hexagons."""
        return hexagons(self.points)

    @property
    def next_texts(self) -> tuple[str, ...]:
        """The probabilities of the next unit."""
        return tuple(percent(share, WORTH) for share in self.next)

    @property
    def most_texts(self) -> tuple[str, ...]:
        """How probable it is that each region has the most."""
        return tuple(percent(share, self.shares.shape[1]) for share in self.most)


def hexagons(points: FloatArray, across: int = ACROSS) -> Hexagons:
    """Count points in the triangle by hexagons, so many along a side: each point is in that of the nearest middle.

    Examples
    --------
    >>> found = hexagons(np.array([[0.0, 0.01, 1.0], [0.0, 0.0, 0.0]]))
    >>> found.middles.tolist(), found.counts.tolist()
    ([[0.0, 0.0], [1.0, 0.0]], [2.0, 1.0])
    """
    wide = 1 / across
    step = np.array([wide, wide * math.sqrt(3)])
    lattices = [np.zeros(2), step / 2]
    places = [np.rint((points.T - origin) / step) for origin in lattices]
    off = [
        ((points.T - origin - step * place) ** 2).sum(axis=1) for origin, place in zip(lattices, places, strict=True)
    ]
    second = off[1] < off[0]
    doubled = np.where(second[:, None], 2 * places[1] + 1, 2 * places[0]).astype(np.int64)
    cells, counts = np.unique(doubled, axis=0, return_counts=True)
    return Hexagons(cells * step / 2, counts.astype(np.float64), wide / 2)


def sectors() -> tuple[tuple[tuple[float, float], ...], ...]:
    """Return the corners of the three sectors, each where one of the shares is the largest."""
    return tuple((CENTRE, MIDDLES[k - 1], CORNERS[k], MIDDLES[k]) for k in range(3))


def triangles(answer: Any) -> tuple[Triangle, ...]:
    """Return the triangles of an answer about a population: none without a ROPE of two ends."""
    rope, up = answer.question.rope, answer.question.higher_is_better
    if rope is None or rope.one_sided or not answer.shares:
        return ()
    names = ("below", "inside", "above")
    if answer.between:
        a, b = map(name, answer.between)
        names = (f"{b} better", "too small to matter", f"{a} better")
    said = [(label, (one.below, one.inside, one.above)[:: 1 if up else -1]) for label, one in answer.chances]
    return tuple(
        Triangle(
            shares=shares[:: 1 if up else -1],
            next=further,
            most=most,
            next_label=next_label,
            most_label=most_label,
            names=names,
        )
        for (next_label, further), (most_label, most), shares in zip(said[::2], said[1::2], answer.shares, strict=True)
    )


# -- on a page ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """A triangle in pixels: paths of the sectors and of the hexagons by their shade, labels and the bar below.

    `labels` are (x, y, anchor, lines), and `bar` the shares of the sectors.
    """

    title: str
    sectors: tuple[tuple[str, str], ...]
    hexagons: tuple[tuple[int, str], ...]
    labels: tuple[tuple[float, float, str, tuple[str, ...]], ...]
    bar: tuple[Share, ...]
    caption: str
    width: int = _WIDTH_PX
    height: int = _APEX_PX + round(_SIDE_PX * TOP) + 58


def drawing(shown: Triangle) -> Drawing:
    """Lay out a triangle for a page."""
    found = shown.hexagons
    corners = found.corners
    steps = _relative(corners)
    starts = np.array([_at(*middle) for middle in (found.middles + corners[0])])
    paths = []
    for shade in range(1, SHADES + 1):
        inside = starts[found.shades == shade]
        if inside.size:
            paths.append((shade, "".join(f"M{x:g} {y:g}{steps}" for x, y in inside.tolist())))
    left, middle, right = _fitted(shown.names)
    base = _APEX_PX + round(_SIDE_PX * TOP) + 18
    lines = [
        (label, f"next {next_one}", f"most {most}")
        for label, next_one, most in zip((left, middle, right), shown.next_texts, shown.most_texts, strict=True)
    ]
    told = ", ".join(f"{label} {text}" for label, text in zip(shown.names, shown.most_texts, strict=True))
    return Drawing(
        title=f"{shown.most_label}: {told}",
        sectors=tuple((tone, _path(sector)) for tone, sector in zip(("b", "e", "a"), sectors(), strict=True)),
        hexagons=tuple(paths),
        labels=(
            (0, base, "start", lines[0]),
            (_WIDTH_PX / 2, 14, "middle", lines[1]),
            (_WIDTH_PX, base, "end", lines[2]),
        ),
        bar=tuple(
            Share(label, share, text, tone)
            for label, share, text, tone in zip(shown.names, shown.most, shown.most_texts, ("b", "", "a"), strict=True)
        ),
        caption=_caption(shown),
    )


def _caption(shown: Triangle) -> str:
    further = f"“{shown.next_label[0].lower()}{shown.next_label[1:]}”"
    return (
        f"{shown.most_label}: each of {shown.shares.shape[1]:,} draws is a point, nearer to a corner the more lie "
        "there; the stronger the grey, the more draws. “Next” is the probability of a corner for "
        f"{further}, “most” how often its sector holds the point, which the bar shows."
    )


def _at(x: float, y: float) -> tuple[float, float]:
    """Return where a point of the triangle is on the picture."""
    left = (_WIDTH_PX - _SIDE_PX) / 2
    return round(left + _SIDE_PX * x, 1), round(_APEX_PX + _SIDE_PX * (TOP - y), 1)


def _path(points: Sequence[tuple[float, float]]) -> str:
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in (_at(*point) for point in points)) + "Z"


def _relative(corners: FloatArray) -> str:
    """Return the way around a hexagon from its first corner."""
    ways = np.diff(corners, axis=0) * _SIDE_PX
    return "l" + " ".join(f"{x:.1f} {-y:.1f}" for x, y in ways.tolist()) + "z"


def _fitted(names: tuple[str, str, str]) -> tuple[str, str, str]:
    """Cut the names below the triangle such that they stand beside each other."""
    left, middle, right = (visible(plain(text, str)) for text in names)
    for letters in _LETTERS:
        first, last = ([*cut_apart([left, right], letters).values()] * 2)[:2]
        if text_width(first + last, _LETTER_PX) <= _WIDTH_PX - _GAP_PX:
            break
    return isolated(first), middle, isolated(last)
