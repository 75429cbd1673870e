"""Plate diagrams: the graph of a model as an SVG of our own, which stands alone or in a page.

An open circle is unknown, grey was seen, a double ring is computed, bare letters are given; a rounded frame repeats.
"""

from __future__ import annotations

import html
import math
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final, NamedTuple, get_args

from ropewalk._checks import choose
from ropewalk._files import write_text
from ropewalk.data.scores import ItemScores
from ropewalk.errors import InvalidInputError
from ropewalk.models.graph import Form, Graph, Node, Plate, graph_of, parts, pieces, plain
from ropewalk.report.pictures import text_width
from ropewalk.results import Recipe
from ropewalk.text.units import metric_title
from ropewalk.text.writing import INERT, brief, few, isolated

COLUMN_PX: Final = 100.0
ROW_PX: Final = 96.0
RADIUS_PX: Final = 21.0
_RING_PX: Final = 17.5  # the inner one of what is computed
_LETTER_PX: Final = 17.0  # sizes of letters are those of templates/plates.css
_MARK_PX: Final = 11.0
_VALUE_PX: Final = 10.5
_NOTE_PX: Final = 12.0
_LINE_PX: Final = 17.0  # from a note to the next
_HEAD_PX: Final = (8.0, 3.2)  # an arrow's head: length, half width
_MARGIN_PX: Final = 14.0
_PADDING_PX: Final = 11.0  # between what is in a plate and its border
_FOOT_PX: Final = 15.0  # below that, for the words of a plate
MAX_VALUE_LENGTH: Final = 14  # letters; a longer value is left to the tooltip
MAX_NAME_LENGTH: Final = 44
MAX_NAMES_SHOWN: Final = 6
_NO_XML: Final = re.compile("[\ufffe\uffff]")
KEY: Final = "open: unknown · grey: seen · double ring: computed"


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
    Diagram(Two classifiers on one test set: outcome types: 10 nodes, 1 plate)
    """
    graph, notes = described(result, form)
    diagram = Diagram(graph, svg(graph, notes=notes))
    if path is not None:
        write_text(path, diagram.svg)
    return diagram


class Inline(NamedTuple):
    """A model on a page: the picture, and the formulas it does not write. All is HTML, each name in it escaped."""

    svg: str
    formulas: tuple[str, ...]


def inline(result: Any) -> Inline | None:
    """Return the model of a result for its page; None where it has none, or the model has no graph."""
    try:
        graph, notes = described(result, "counts")
    except InvalidInputError:
        return None
    # A given value stands in the picture, unless there is no room for it.
    shown = [shape.node for shape in shapes_of(graph) if shape.node.kind != "constant" or not shape.value]
    formulas = [_html(node.formula) for node in shown if node.formula]
    return Inline(svg(graph, notes=notes, alone=False), tuple(formulas))


def described(result: Any, form: Form) -> tuple[Graph, list[str]]:
    """Return the graph of a result's model, and what its letters stand for; of several questions, of the first."""
    recipe = getattr(result, "recipe", None)
    if not isinstance(recipe, Recipe):
        raise InvalidInputError(
            f"A result of type {type(result).__name__} has no model to draw.",
            hint="what compare, evaluate and rank return has one.",
        )
    form = choose(form, {name: name for name in get_args(Form)}, "form")
    tables, names = recipe.tables, recipe.names
    sizes = [f"{table.n_items:,}" for table in tables]
    size = sizes[0] if len(set(sizes)) == 1 else ", ".join(sizes)
    # Scores have no counts: every item has its own.
    shown: Form = "items" if form == "counts" and isinstance(tables[0], ItemScores) else form
    graph = graph_of(recipe.model, n_labels=len(tables[0].labels), n_classifiers=len(names), form=shown)
    what = [f"ψ = {metric_title(recipe.metric.name)}", f"N = {size}"]
    if recipe.n_clusters is not None:
        what.append(f"G = {recipe.n_clusters:,}")
    return graph.where(N=size), [*_legend(names), " · ".join(what)]


def _legend(names: Sequence[str]) -> list[str]:
    """List which classifier is which; one has nothing to be told apart from."""
    shown = [isolated(brief(name, MAX_NAME_LENGTH)) for name in names]
    if len(shown) == 1:
        return []
    if len(shown) == len("AB"):
        return [f"{letter} = {name}" for letter, name in zip("AB", shown, strict=True)]
    return few([f"{k}: {name}" for k, name in enumerate(shown, start=1)], MAX_NAMES_SHOWN)


# -- places ----------------------------------------------------------------------------------------------------


class Box(NamedTuple):
    """A rectangle on the picture, in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    @classmethod
    def around(cls, boxes: Iterable[Box], padding: float = 0.0) -> Box:
        """Return the smallest box that holds others, and some padding."""
        left, top, right, bottom = zip(*boxes, strict=True)
        return cls(min(left) - padding, min(top) - padding, max(right) + padding, max(bottom) + padding)


class Shape(NamedTuple):
    """A node on the picture: its middle and half its size in pixels, its formula, and the value written below it."""

    node: Node
    middle: tuple[float, float]
    half: tuple[float, float]
    formula: str
    value: str

    @property
    def box(self) -> Box:
        """The box around it."""
        (x, y), (w, h) = self.middle, self.half
        return Box(x - w, y - h, x + w, y + h)


def shapes_of(graph: Graph) -> list[Shape]:
    """Return where each node stands and how much room it takes."""
    shapes = []
    for node, formula in zip(graph.nodes, graph.formulas(), strict=True):
        half, value = (RADIUS_PX, RADIUS_PX), ""
        if node.kind == "constant":
            value = formula.partition(" = ")[2]
            value = value if len(value) <= MAX_VALUE_LENGTH else ""  # then there is no room to write it
            base, under, over = parts(node.text)
            marks = max(text_width(under, _MARK_PX), text_width(over, _MARK_PX))
            width = max(text_width(base, _LETTER_PX) + marks, text_width(value, _VALUE_PX))
            half = max(width / 2, 8.0) + 2, 18.0 if value else 11.0
        shapes.append(Shape(node, (COLUMN_PX * node.at[0], ROW_PX * node.at[1]), half, formula, value))
    return shapes


def frames_of(graph: Graph, shapes: Sequence[Shape]) -> list[Box]:
    """Return the box around each plate's nodes and the plates within it, with room for its words."""
    frames: dict[Plate, Box] = {}
    for plate in sorted(graph.plates, key=lambda plate: len(plate.members)):
        box = Box.around([shape.box for shape in shapes if shape.node.name in plate.members], _PADDING_PX)
        inside = [frame for other, frame in frames.items() if set(other.members) < set(plate.members)]
        left, top, right, bottom = Box.around([box, *(Box.around([frame], _PADDING_PX / 2) for frame in inside)])
        words = text_width(plain(plate.text), _MARK_PX) + 16
        frames[plate] = Box(left, top, max(right, left + words), bottom + _FOOT_PX)
    return [frames[plate] for plate in graph.plates]


# -- shapes ----------------------------------------------------------------------------------------------------


def svg(graph: Graph, *, notes: Sequence[str] = (), alone: bool = True) -> str:
    """Return the picture as SVG, with `notes` below it, in which names are `isolated`.

    One that does not stand `alone` takes its style and colours from the page.
    """
    shapes, known = shapes_of(graph), graph.known()
    plates = frames_of(graph, shapes)
    box = Box.around([*plates, *(shape.box for shape in shapes)], _MARGIN_PX)
    words = [*(("note", note) for note in notes), *([("note key", KEY)] if alone else [])]
    drawn = box.right - box.left
    width = max([drawn, *(text_width(line, _NOTE_PX) + 2 * _MARGIN_PX for _, line in words)])
    left, below = box.left - (width - drawn) / 2, box.bottom + 10  # where the first line of the notes stands
    height = below - box.top + _LINE_PX * len(words)
    size = f'width="{width:g}" height="{height:g}"'
    start = '<svg xmlns="http://www.w3.org/2000/svg" class="plates alone"' if alone else '<svg class="plates"'
    lines = [
        f'{start} viewBox="{left:g} {box.top:g} {width:g} {height:g}" {size} role="img">',
        f"<title>{_safe(graph.title)}</title>",
        f"<desc>{'. '.join([*map(_escaped, notes), _safe(graph.summary())])}.</desc>",
    ]
    if alone:
        style = files("ropewalk.report").joinpath("templates", "plates.css").read_text(encoding="utf-8")
        lines += [f"<style>{style}</style>", f'<rect class="paper" x="{left:g}" y="{box.top:g}" {size}/>']
    lines += [
        *map(_frame, plates),
        *_arrows(graph, shapes),
        *(_plate_words(plate.text, place) for plate, place in zip(graph.plates, plates, strict=True)),
        *[_node(shape, known=shape.node.name in known) for shape in shapes],
    ]
    for i, (kind, line) in enumerate(words):
        y = below + _LINE_PX * i
        lines.append(f'<text class="{kind}" x="{left + _MARGIN_PX:g}" y="{y:g}">{_escaped(line)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _safe(text: str) -> str:
    """Make any text safe for SVG."""
    return html.escape(text) if INERT.fullmatch(text) else _escaped(isolated(text))


def _escaped(shown: str) -> str:
    """Make a text safe that steers nothing any more; XML is stricter than HTML about what a character is."""
    return html.escape(_NO_XML.sub(lambda char: f"\\u{ord(char[0]):04x}", shown))


def _frame(box: Box) -> str:
    width, height = box.right - box.left, box.bottom - box.top
    return f'<rect class="plate" x="{box.left:g}" y="{box.top:g}" width="{width:g}" height="{height:g}" rx="9"/>'


def _plate_words(text: str, box: Box) -> str:
    """Write how often a plate repeats, over the edges, in its lower right corner."""
    return f'<text class="count" x="{box.right - 8:g}" y="{box.bottom - 6:g}">{_rich(text, down=3, up=-4)}</text>'


def _node(shape: Shape, *, known: bool) -> str:
    node, (x, y), value = shape.node, shape.middle, shape.value
    if node.kind == "constant":
        below = f'<text class="value" x="{x:g}" y="{y + 14:g}">{_safe(value)}</text>' if value else ""
        drawing = f"{_symbol(node.text, x, y + (0 if value else 6))}{below}"
    else:
        kind = ' class="known"' if known else ""
        drawing = f'<circle{kind} cx="{x:g}" cy="{y:g}" r="{RADIUS_PX:g}"/>'
        if node.kind == "deterministic":
            drawing += f'<circle class="ring" cx="{x:g}" cy="{y:g}" r="{_RING_PX:g}"/>'
        drawing += _symbol(node.text, x, y + 5.5)
    return f"<g><title>{_safe(shape.formula)}</title>{drawing}</g>"


def _symbol(text: str, x: float, y: float) -> str:
    return f'<text x="{x:g}" y="{y:g}">{_rich(text, down=4, up=-7)}</text>'


def _html(formula: str) -> str:
    """Write a formula with marks above and below the line."""
    return "".join([
        _safe(base) + (f"<sub>{_safe(under)}</sub>" if under else "") + (f"<sup>{_safe(over)}</sup>" if over else "")
        for base, under, over in pieces(formula)
    ])  # fmt: skip


def _rich(text: str, *, down: int, up: int) -> str:
    """Write symbols among words; what stands above a letter and what stands below it share their place."""
    spans, at = [], 0  # how far below the line the last letter stands
    for base, under, over in pieces(text):
        spans.append(f'<tspan dy="{-at}">{_safe(base)}</tspan>' if at else _safe(base))
        at = 0
        if over:
            spans.append(f'<tspan class="mark" dy="{up}">{_safe(over)}</tspan>')
            at = up
        if under:
            back = f' dx="{-text_width(over, _MARK_PX):.1f}"' if over else ""
            spans.append(f'<tspan class="mark"{back} dy="{down - at}">{_safe(under)}</tspan>')
            at = down
    return "".join(spans)


def _arrows(graph: Graph, shapes: Sequence[Shape]) -> list[str]:
    """Draw all edges in one path and all heads in another: a page has many bytes to carry already."""
    shafts, heads, ends = [], [], {shape.node.name: shape for shape in shapes}
    for parent, child in graph.edges:
        (x0, y0), (x1, y1) = _border(ends[parent], ends[child], 1.5), _border(ends[child], ends[parent], 1.0)
        length = math.hypot(x1 - x0, y1 - y0)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        foot_x, foot_y = x1 - _HEAD_PX[0] * ux, y1 - _HEAD_PX[0] * uy
        side_x, side_y = -_HEAD_PX[1] * uy, _HEAD_PX[1] * ux
        shafts.append(f"M{x0:.1f} {y0:.1f}L{foot_x:.1f} {foot_y:.1f}")
        heads.append(
            f"M{x1:.1f} {y1:.1f}L{foot_x + side_x:.1f} {foot_y + side_y:.1f}"
            f"L{foot_x - side_x:.1f} {foot_y - side_y:.1f}Z"
        )
    return [f'<path class="edge" d="{"".join(shafts)}"/>', f'<path class="head" d="{"".join(heads)}"/>']


def _border(shape: Shape, other: Shape, gap: float) -> tuple[float, float]:
    """Return where the line to another node leaves this one."""
    (x, y), (to_x, to_y) = shape.middle, other.middle
    dx, dy = to_x - x, to_y - y
    length, reach = math.hypot(dx, dy), RADIUS_PX
    if shape.node.kind == "constant":
        w, h = shape.half
        reach = min(w * length / abs(dx) if dx else math.inf, h * length / abs(dy) if dy else math.inf)
    return x + dx * (reach + gap) / length, y + dy * (reach + gap) / length
