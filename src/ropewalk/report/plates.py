"""Plate diagrams: the graph of a model as an SVG of our own, which stands alone or in a page.

An open circle is unknown, grey was seen, a double ring is computed, bare letters are given; a rounded frame repeats.
"""

from __future__ import annotations

import html
import math
import os
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from ropewalk._files import write_text
from ropewalk.data.scores import ItemScores
from ropewalk.errors import InvalidInputError
from ropewalk.models.graph import Form, Graph, Node, graph_of, parts, plain
from ropewalk.report.arrange import Arrangement, Box, arrange
from ropewalk.report.shape import metric_title
from ropewalk.results import ClassComparisons, CrossComparison, Evaluation, Recipe
from ropewalk.text.escape import isolated
from ropewalk.text.names import brief, few

RADIUS: Final = 21.0
_RING: Final = 17.5  # the inner one of what is computed
_LETTER: Final = 17.0  # pixels, as in the style below
_SMALL: Final = 11.0
_VALUE: Final = 10.5
_NOTE: Final = 12.0
_LONGEST_VALUE: Final = 14  # letters; a longer value is left to the tooltip
_HEAD: Final = (8.0, 3.2)  # an arrow's head: length, half width
_MARGIN: Final = 14.0
_LINE: Final = 17.0
_LONGEST: Final = 44
_XMLNS: Final = "http://www.w3.org/2000/svg"
_LETTERS: Final = "AB"
_NAMED: Final = 6
_SIGN: Final = re.compile(r"(\w(?:[_^](?:\{[^}]*\}|.))+)")
_NO_XML: Final = re.compile("[\ufffe\uffff]")
KEY: Final = "open: unknown · grey: seen · double ring: computed"

STYLE: Final = """\
.plates{max-width:100%;height:auto}
.plates .paper{fill:var(--paper)}
.plates circle{fill:var(--paper);stroke:var(--ink);stroke-width:1.3}
.plates .known{fill:var(--band)}
.plates circle.ring{fill:none;stroke-width:1}
.plates .edge{fill:none;stroke:var(--ink);stroke-width:1.1}
.plates .head{fill:var(--ink)}
.plates .plate{fill:none;stroke:var(--high);stroke-width:1.2}
.plates text{fill:var(--ink);font:italic 17px Cambria,Georgia,"Times New Roman",serif;text-anchor:middle}
.plates .mark{font-size:11px;font-style:normal}
.plates .value{font:10.5px system-ui,sans-serif;fill:var(--quiet)}
.plates .count{font:11px system-ui,sans-serif;fill:var(--high);text-anchor:end}
.plates .count{paint-order:stroke;stroke:var(--paper);stroke-width:3px}
.plates .count .mark{font-size:8px}
.plates .note{font:12px system-ui,sans-serif;text-anchor:start}
.plates .key{fill:var(--quiet)}"""
"""How a diagram looks, in the colours of the page that it stands in."""

PAGE_STYLE: Final = """
.model{display:flex;flex-wrap:wrap;gap:.5rem 2rem;align-items:center}
.model ul{list-style:none;margin:0;padding:0;font-size:.9rem}
.model figcaption{flex-basis:100%}
.model sub,.model sup{line-height:0}"""

_COLOURS: Final = """\
.plates{--ink:#1b1b1b;--quiet:#595959;--paper:#fff;--band:#dcdcdc;--high:#0072b2}
@media (prefers-color-scheme:dark){.plates{--ink:#ececec;--quiet:#b5b5b5;--paper:#161616;--band:#4a4a4a;--high:#56b4e9}}
"""


@dataclass(frozen=True, slots=True, repr=False)
class Diagram:
    """A model's graph, drawn: `svg` is the picture's text, and a notebook shows the picture itself."""

    graph: Graph
    svg: str

    def __str__(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        plates = len(self.graph.plates)
        return f"Diagram({self.graph.title}: {len(self.graph.nodes)} nodes, {plates} plate{'s' * (plates != 1)})"

    def _repr_svg_(self) -> str:
        return self.svg


def plate_diagram(result: Any, path: str | os.PathLike[str] | None = None, *, form: Form = "counts") -> Diagram:
    """Draw the model behind a result as a plate diagram, and write it to `path` if given: see `OneMetric.graph`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> y = [0, 1] * 500
    >>> r = rw.compare(y, y[:800] + y[199::-1], y[:700] + y[299::-1], draws=1_000, rng=0)
    >>> r.graph()
    Diagram(Two classifiers on one test set, two labels (SIGIR 2016): 14 nodes, 0 plates)
    """
    found, notes = described(recipe_of(result), form)
    drawn = Diagram(found, svg(found, notes=notes))
    if path is not None:
        write_text(path, drawn.svg)
    return drawn


@dataclass(frozen=True, slots=True)
class Inline:
    """A model on a page: the picture, and every formula in it. All is HTML, each name in it escaped."""

    svg: str
    formulas: tuple[str, ...]


def inline(result: Any) -> Inline | None:
    """Return the model of a result for its page; None where it has none, or the model has no graph."""
    try:
        found, notes = described(recipe_of(result), "counts")
    except InvalidInputError:
        return None
    told = [node.formula for node in found.nodes if node.kind != "constant"]
    return Inline(svg(found, notes=notes, alone=False), tuple(map(_html, told)))


def _html(formula: str) -> str:
    """Write a formula with marks above and below the line."""
    pieces = []
    for piece in filter(None, _SIGN.split(formula)):
        base, under, over = parts(piece) if _SIGN.fullmatch(piece) else (piece, "", "")
        lowered = f"<sub>{_safe(under)}</sub>" if under else ""
        pieces.append(f"{_safe(base)}{lowered}" + (f"<sup>{_safe(over)}</sup>" if over else ""))
    return "".join(pieces)


def recipe_of(result: Any) -> Recipe:
    """Return how an answer was made; of several questions, the first."""
    if isinstance(result, CrossComparison):
        result = result.comparison
    elif isinstance(result, ClassComparisons):
        result = result[0]
    elif isinstance(result, Evaluation):
        result = result.metrics[0]
    recipe = getattr(result, "recipe", None)
    if not isinstance(recipe, Recipe):
        raise InvalidInputError(
            f"A result of type {type(result).__name__} has no model to draw.",
            hint="what compare, evaluate and rank return has one.",
        )
    return recipe


def described(recipe: Recipe, form: Form) -> tuple[Graph, list[str]]:
    """Return the graph of a recipe's model, and what its letters stand for."""
    tables, names = recipe.tables, [name for table in recipe.tables for name in table.names]
    sizes = [f"{table.n_items:,}" for table in tables]
    size = sizes[0] if len(set(sizes)) == 1 else ", ".join(sizes)
    # Scores have no counts: every item has its own.
    shown: Form = "items" if form == "counts" and isinstance(tables[0], ItemScores) else form
    found = graph_of(recipe.model, n_labels=len(tables[0].labels), n_classifiers=len(names), form=shown)
    what = [f"ψ = {metric_title(recipe.metric.name)}", f"N = {size}"]
    if recipe.n_clusters is not None:
        what.append(f"G = {recipe.n_clusters:,}")
    return found.where(N=size), [*_who(names), " · ".join(what)]


def _who(names: Sequence[str]) -> list[str]:
    """Say which classifier is which; of one there is nothing to tell apart."""
    if len(names) == 1:
        return []
    if len(names) == len(_LETTERS):
        return [f"{letter} = {isolated(brief(name, _LONGEST))}" for letter, name in zip(_LETTERS, names, strict=True)]
    told = [f"{k}: {isolated(brief(name, _LONGEST))}" for k, name in enumerate(names, start=1)]
    return few(told, _NAMED)


def svg(graph: Graph, *, notes: Sequence[str] = (), alone: bool = True) -> str:
    """Return the picture as SVG, with `notes` below it, in which names are `isolated`.

    One that does not stand `alone` takes its style and colours from the page.
    """
    found, key = layout(graph), [KEY] if alone else []
    box = _extent(graph, found)
    below = box.bottom + _MARGIN + 10  # where the first line of the notes stands
    drawn = box.right - box.left + 2 * _MARGIN
    width = max([drawn, *(_wide(line, _NOTE) + 2 * _MARGIN for line in (*notes, *key))])
    left, top = box.left - _MARGIN - (width - drawn) / 2, box.top - _MARGIN
    height = below - top + _LINE * len([*notes, *key])
    size = f'width="{width:g}" height="{height:g}"'
    space = f' xmlns="{_XMLNS}"' if alone else ""  # a page knows what SVG is
    known, told = graph.known(), [*map(_escaped, notes), _safe(graph.told())]
    lines = [
        f'<svg{space} class="plates" viewBox="{left:g} {top:g} {width:g} {height:g}" {size} role="img">',
        f"<title>{_safe(graph.title)}</title>",
        f"<desc>{'. '.join(told)}.</desc>",
        *(
            [f"<style>{_COLOURS}{STYLE}</style>", f'<rect class="paper" x="{left:g}" y="{top:g}" {size}/>']
            if alone
            else []
        ),
        *map(_frame, found.plates),
        *_edges(graph, found),
        *(_words(plate.text, box) for plate, box in zip(graph.plates, found.plates, strict=True)),
        *(_node(node, *found.places[node.name], known=node.name in known) for node in graph.nodes),
    ]
    for i, (kind, line) in enumerate([*(("note", note) for note in told[:-1]), *(("note key", line) for line in key)]):
        lines.append(f'<text class="{kind}" x="{left + _MARGIN:g}" y="{below + _LINE * i:g}">{line}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


@lru_cache(maxsize=128)
def layout(graph: Graph) -> Arrangement:
    """Return where everything stands."""
    return arrange(graph, {node.name: half_size(node) for node in graph.nodes})


def half_size(node: Node) -> tuple[float, float]:
    """Return half the width and half the height that a node takes."""
    if node.kind != "constant":
        return RADIUS, RADIUS
    value = _value(node)
    width = max(_symbol_width(node.text), _wide(value, _VALUE))
    return max(width / 2, 8.0) + 2, 18.0 if value else 11.0


def _value(node: Node) -> str:
    """Return what a constant is, if there is room to write it."""
    value = plain(node.formula.partition(" = ")[2])
    return value if len(value) <= _LONGEST_VALUE else ""


def _wide(text: str, size: float) -> float:
    """Return about how wide a text is: letters of other scripts may be as wide as high."""
    return sum(size * (1.0 if unicodedata.east_asian_width(char) in "WF" else 0.56) for char in text)


def _symbol_width(text: str) -> float:
    base, under, over = parts(text)
    return _wide(base, _LETTER) + max(_wide(under, _SMALL), _wide(over, _SMALL))


def _safe(text: str) -> str:
    """Make a text safe for SVG, whoever wrote it."""
    return _escaped(isolated(text))


def _escaped(shown: str) -> str:
    """Make a text safe that steers nothing any more; XML is stricter than HTML about what a character is."""
    return html.escape(_NO_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", shown))


def _extent(graph: Graph, found: Arrangement) -> Box:
    """Return the box around all that is drawn."""
    boxes = list(found.plates)
    for node in graph.nodes:
        (x, y), (w, h) = found.places[node.name], half_size(node)
        boxes.append(Box(x - w, y - h, x + w, y + h))
    return Box(
        min(box.left for box in boxes),
        min(box.top for box in boxes),
        max(box.right for box in boxes),
        max(box.bottom for box in boxes),
    )


# -- shapes ----------------------------------------------------------------------------------------------------


def _frame(box: Box) -> str:
    width, height = box.right - box.left, box.bottom - box.top
    return f'<rect class="plate" x="{box.left:g}" y="{box.top:g}" width="{width:g}" height="{height:g}" rx="9"/>'


def _words(text: str, box: Box) -> str:
    """Write how often a plate repeats, over the edges, in its lower right corner."""
    return f'<text class="count" x="{box.right - 8:g}" y="{box.bottom - 6:g}">{_rich(text, down=3, up=-4)}</text>'


def _node(node: Node, x: float, y: float, *, known: bool) -> str:
    told = _safe(plain(node.formula or node.text))
    if node.kind == "constant":
        value = _value(node)
        below = f'<text class="value" x="{x:g}" y="{y + 14:g}">{_safe(value)}</text>' if value else ""
        shape = f"{_symbol(node.text, x, y + (0 if value else 6))}{below}"
    else:
        kind = ' class="known"' if known else ""
        shape = f'<circle{kind} cx="{x:g}" cy="{y:g}" r="{RADIUS:g}"/>'
        if node.kind == "deterministic":
            shape += f'<circle class="ring" cx="{x:g}" cy="{y:g}" r="{_RING:g}"/>'
        shape += _symbol(node.text, x, y + 5.5)
    return f"<g><title>{told}</title>{shape}</g>"


def _symbol(text: str, x: float, y: float) -> str:
    return f'<text x="{x:g}" y="{y:g}">{_rich(text, down=4, up=-7)}</text>'


def _rich(text: str, *, down: int, up: int) -> str:
    """Write symbols among words; what stands above a letter and what stands below it share their place."""
    told, at = [], 0  # how far below the line the last letter stands
    for piece in filter(None, _SIGN.split(text)):
        base, under, over = parts(piece) if _SIGN.fullmatch(piece) else (piece, "", "")
        told.append(f'<tspan dy="{-at}">{_safe(base)}</tspan>' if at else _safe(base))
        at = 0
        if over:
            told.append(f'<tspan class="mark" dy="{up}">{_safe(over)}</tspan>')
            at = up
        if under:
            back = f' dx="{-_wide(over, _SMALL):.1f}"' if over else ""
            told.append(f'<tspan class="mark"{back} dy="{down - at}">{_safe(under)}</tspan>')
            at = down
    return "".join(told)


def _edges(graph: Graph, found: Arrangement) -> list[str]:
    """Draw all edges in one path and all heads in another: a page has many bytes to carry already."""
    shafts, heads = [], []
    for a, b in graph.edges:
        start = _border(graph[a], found.places[a], found.places[b], 1.5)
        tip = _border(graph[b], found.places[b], found.places[a], 1.0)
        length = math.hypot(tip[0] - start[0], tip[1] - start[1])
        ux, uy = (tip[0] - start[0]) / length, (tip[1] - start[1]) / length
        foot = tip[0] - _HEAD[0] * ux, tip[1] - _HEAD[0] * uy
        side = -_HEAD[1] * uy, _HEAD[1] * ux
        shafts.append(f"M{start[0]:.1f} {start[1]:.1f}L{foot[0]:.1f} {foot[1]:.1f}")
        heads.append(
            f"M{tip[0]:.1f} {tip[1]:.1f}L{foot[0] + side[0]:.1f} {foot[1] + side[1]:.1f}"
            f"L{foot[0] - side[0]:.1f} {foot[1] - side[1]:.1f}Z"
        )
    if not shafts:
        return []
    return [f'<path class="edge" d="{"".join(shafts)}"/>', f'<path class="head" d="{"".join(heads)}"/>']


def _border(node: Node, at: tuple[float, float], other: tuple[float, float], gap: float) -> tuple[float, float]:
    """Return where the line to another node leaves this one."""
    dx, dy = other[0] - at[0], other[1] - at[1]
    length = math.hypot(dx, dy)
    if node.kind == "constant":
        w, h = half_size(node)
        reach = min(w * length / abs(dx) if dx else math.inf, h * length / abs(dy) if dy else math.inf)
    else:
        reach = RADIUS
    return at[0] + dx * (reach + gap) / length, at[1] + dy * (reach + gap) / length
