"""Draw the graphs of the models, img/model-*.svg.

Most are drawn by hand, to explain a model: white is unknown, grey counted, dashed computed. Those of `OWN` are the
models' own graphs, as `r.graph()` draws them.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from ropewalk.models import Items, LearnedTree
from ropewalk.models.graph import graph_of, plain
from ropewalk.report.plates import svg

IMG = Path(__file__).parent / "img"
INK, GREY, PALE, BLUE = "#1a1a1a", "#d9d9d9", "#fbfbfb", "#0072b2"
RADIUS = 21
FONT = "font-family='DejaVu Sans, Verdana, Arial, sans-serif'"


@dataclass
class Graph:
    """A plate diagram: what repeats stands in a plate, arrows run from cause to effect."""

    width: int
    height: int
    title: str
    shapes: list[str] = field(default_factory=list)
    places: dict[str, tuple[float, float]] = field(default_factory=dict)

    def text(self, x: float, y: float, words: str, *, size: int = 12, anchor: str = "start", colour: str = INK) -> None:
        """Write words."""
        style = f"font-size='{size}' text-anchor='{anchor}' fill='{colour}'"
        self.shapes.append(f"<text x='{x:g}' y='{y:g}' {style}>{escape(words)}</text>")

    def node(
        self, name: str, x: float, y: float, note: str = "", *, kind: str = "unknown", side: str = "right"
    ) -> None:
        """Draw a circle with its name, and beside it a line for each line of `note`."""
        self.places[name] = (x, y)
        style = {
            "unknown": "fill='white'",
            "counted": f"fill='{GREY}'",
            "computed": "fill='white' stroke-dasharray='4 3'",
        }
        self.shapes.append(
            f"<circle cx='{x:g}' cy='{y:g}' r='{RADIUS}' stroke='{INK}' stroke-width='1.5' {style[kind]}/>"
        )
        self.text(x, y + 5, name, size=14, anchor="middle")
        lines = note.split("\n") if note else []
        for i, line in enumerate(lines):
            down = y + 4 + 15 * (i - (len(lines) - 1) / 2)
            if side == "right":
                self.text(x + RADIUS + 7, down, line)
            elif side == "left":
                self.text(x - RADIUS - 7, down, line, anchor="end")
            else:
                up = y - RADIUS - 7 - 15 * (len(lines) - 1 - i)
                self.text(x, up if side == "above" else y + RADIUS + 16 + 15 * i, line, anchor="middle")

    def arrow(self, *path: str) -> None:
        """Draw an arrow from every name to the last one."""
        *starts, end = path
        for start in starts:
            (x0, y0), (x1, y1) = self.places[start], self.places[end]
            far = math.hypot(x1 - x0, y1 - y0)
            ux, uy = (x1 - x0) / far, (y1 - y0) / far
            self.line(x0 + RADIUS * ux, y0 + RADIUS * uy, x1 - (RADIUS + 2) * ux, y1 - (RADIUS + 2) * uy, head=True)

    def line(self, x0: float, y0: float, x1: float, y1: float, *, head: bool = False) -> None:
        """Draw a line, with an arrow head if so said."""
        tip = " marker-end='url(#tip)'" if head else ""
        self.shapes.append(
            f"<line x1='{x0:.1f}' y1='{y0:.1f}' x2='{x1:.1f}' y2='{y1:.1f}' stroke='{INK}' stroke-width='1.3'{tip}/>"
        )

    def box(self, x: float, y: float, width: float, height: float, words: str, *, right: bool = False) -> None:
        """Draw a plate; its words, at the bottom left or right, say what repeats."""
        self.shapes.insert(
            0,
            f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='9' fill='none' "
            f"stroke='{BLUE}' stroke-width='1.3'/>",
        )
        across, anchor = (x + width - 10, "end") if right else (x + 10, "start")
        self.text(across, y + height - 8, words, size=11, colour=BLUE, anchor=anchor)

    def save(self) -> None:
        """Write the picture: on a ground of its own, so that it reads the same on a dark page."""
        name, _, said = self.title.partition(": ")
        top = (
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {self.width} {self.height}' width='{self.width}' "
            f"height='{self.height}' role='img' {FONT}>\n<title>{escape(said)}</title>\n"
            f"<defs><marker id='tip' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='8' markerHeight='8' "
            f"orient='auto'><path d='M0 1 L10 5 L0 9 z' fill='{INK}'/></marker></defs>\n"
            f"<rect width='{self.width}' height='{self.height}' rx='10' fill='{PALE}'/>\n"
        )
        _write(name, top + "\n".join(self.shapes) + "\n</svg>\n")


def _write(name: str, picture: str) -> None:
    (IMG / f"model-{name}.svg").write_text(picture, encoding="utf-8")


LEFT, MIDDLE, RIGHT, END = 110, 270, 480, 640  # what was counted, what is unknown, its metric, the difference


def paired() -> None:
    g = Graph(720, 345, "paired: Two classifiers on one test set, two labels")
    g.node("θ+", MIDDLE, 80, "pairs on positive items\n~ Dir(1, 1, 1, 1)", side="above")
    g.node("μ", MIDDLE, 180, "share of positives ~ Beta(1, 1)", side="above")
    g.node("θ−", MIDDLE, 275, "pairs on negative items\n~ Dir(1, 1, 1, 1)", side="below")
    g.node("c+", LEFT, 80, "pairs\ncounted", kind="counted", side="left")
    g.node("n", LEFT, 180, "items\nof each", kind="counted", side="left")
    g.node("c−", LEFT, 275, "pairs\ncounted", kind="counted", side="left")
    g.arrow("n", "θ+", "c+")
    g.arrow("μ", "n")
    g.arrow("n", "θ−", "c−")
    _end(g, 180, "θ+", "μ", "θ−")


def unpaired() -> None:
    g = Graph(720, 320, "unpaired: Each classifier its own test set, two labels")
    g.box(20, 15, 510, 290, "classifier k = A, B, each with a μ of its own")
    g.node("ρ+", MIDDLE, 65, "says positive on positives ~ Beta(1, 1)", side="above")
    g.node("μ", MIDDLE, 150, "share ~ Beta(1, 1)", side="above")
    g.node("ρ−", MIDDLE, 235, "says positive on negatives ~ Beta(1, 1)", side="below")
    g.node("c", LEFT, 150, "counts", kind="counted", side="left")
    g.arrow("ρ+", "μ", "ρ−", "c")
    _end(g, 150, "ρ+", "μ", "ρ−", name="ψₖ")


def tree() -> None:
    g = Graph(720, 370, "tree: The outcome-type tree: K classifiers on one test set, any number of labels")
    g.box(20, 105, 375, 250, "class j = 1 … M")
    g.box(30, 225, 355, 105, "type t")
    g.node("μ", MIDDLE, 65, "shares of the classes ~ Dir(1, …, 1)", side="above")
    g.node("τ", MIDDLE, 170, "types in class j ~ Dir(κ · base)", side="above")
    g.node("φ", MIDDLE, 260, "labels of type t ~ Dir, total mass 1", side="below")
    g.node("n", LEFT, 65, "items", kind="counted", side="above")
    g.node("T", LEFT, 170, "types", kind="counted", side="left")
    g.node("c", LEFT, 260, "labels", kind="counted", side="left")
    g.arrow("μ", "n")
    g.arrow("n", "τ", "T")
    g.arrow("T", "φ", "c")
    _end(g, 170, "μ", "τ", "φ")


def icdm2015() -> None:
    g = Graph(720, 330, "icdm2015: The hierarchical model of confusion matrices")
    g.box(10, 10, 520, 310, "classifier k = A, B")
    g.box(25, 125, 330, 92, "class j = 1 … M", right=True)
    g.node("η", MIDDLE, 65, "~ Beta(1, 1)")
    g.node("θ", MIDDLE, 170, "")
    g.text(MIDDLE - RADIUS - 4, 152, "row ~ Dir(ω)", anchor="end")
    g.text(MIDDLE + RADIUS + 10, 100, "ω = η on the diagonal,")
    g.text(MIDDLE + RADIUS + 10, 116, "(1 − η) / (M − 1) elsewhere")
    g.node("μ", MIDDLE, 265, "shares of the classes ~ Dir(1, …, 1)", side="below")
    g.node("c", LEFT, 170, "row", kind="counted", side="left")
    g.node("n", LEFT, 265, "items", kind="counted", side="left")
    g.arrow("η", "θ")
    g.arrow("θ", "n", "c")
    g.arrow("μ", "n")
    _end(g, 215, "θ", "μ", name="ψₖ")


def flat() -> None:
    g = Graph(720, 260, "flat: The flat model of confusion matrices")
    g.box(10, 10, 520, 240, "classifier k = A, B")
    g.box(25, 30, 330, 110, "class j = 1 … M", right=True)
    g.node("θ", MIDDLE, 85, "row ~ Dir(1, …, 1), M ones", side="above")
    g.node("μ", MIDDLE, 190, "shares of the classes ~ Dir(1, …, 1)", side="below")
    g.node("c", LEFT, 85, "row", kind="counted", side="left")
    g.node("n", LEFT, 190, "items", kind="counted", side="left")
    g.arrow("θ", "n", "c")
    g.arrow("μ", "n")
    _end(g, 142, "θ", "μ", name="ψₖ")


def pooled() -> None:
    g = Graph(720, 400, "pooled: Recalls of one classifier around a common centre")
    g.box(10, 10, 520, 380, "classifier k = A, B")
    g.box(25, 115, 330, 200, "class j = 1 … M")
    g.node("m", MIDDLE - 60, 60, "typical recall\n~ Beta(1, 1)", side="left")
    g.node("κ", MIDDLE + 60, 60, "how alike the classes are:\nκ / (κ + 1) ~ Uniform(0, 1)")
    g.node("ρ", MIDDLE, 155, "")
    g.node("φ", MIDDLE, 240, "")
    g.text(MIDDLE + 12, 192, "recall ~ Beta(m κ, (1 − m) κ)", anchor="end")
    g.text(MIDDLE + 12, 277, "wrong label ~ Dir, total mass 1", anchor="end")
    g.node("μ", MIDDLE, 345, "")
    g.text(MIDDLE + RADIUS + 7, 366, "shares of the classes ~ Dir(1, …, 1)")
    g.node("r", LEFT, 155, "right", kind="counted", side="left")
    g.node("c", LEFT, 240, "labels", kind="counted", side="left")
    g.node("n", LEFT, 345, "items", kind="counted", side="left")
    g.arrow("m", "κ", "ρ")
    g.arrow("ρ", "r")
    g.arrow("φ", "c")
    g.arrow("μ", "n")
    _end(g, 200, "ρ", "φ", "μ", name="ψₖ")


def noisy() -> None:
    g = Graph(720, 300, "noisy: True labels that nobody saw, and annotated ones that are wrong now and then")
    g.box(15, 15, 385, 270, "item i = 1 … N")
    g.node("μ", RIGHT, 60, "shares of the classes", side="right")
    g.node("θ", RIGHT, 240, "what is said in each class", side="right")
    g.node("ε", RIGHT, 150, "")
    g.text(RIGHT + RADIUS + 7, 146, "how often annotators err:")
    g.text(RIGHT + RADIUS + 7, 162, "this is what you know")
    g.node("y", MIDDLE, 60, "true label", side="left")
    g.node("y*", MIDDLE, 150, "annotated", kind="counted", side="left")
    g.node("ŷ", MIDDLE, 240, "what A and B said", kind="counted", side="left")
    g.arrow("μ", "y")
    g.arrow("ε", "y*")
    g.arrow("y", "y*")
    g.arrow("θ", "ŷ")
    g.shapes.append(
        f"<path d='M285 76 Q335 150 286 222' fill='none' stroke='{INK}' stroke-width='1.3' marker-end='url(#tip)'/>"
    )
    g.save()


def multilabel() -> None:
    g = Graph(720, 375, "multilabel: A binary table for each label")
    g.box(15, 15, 385, 347, "label l = 1 … M, each for itself")
    g.node("θ+", MIDDLE, 85, "answers on items that have it\n~ Dir(1/4, 1/4, 1/4, 1/4)", side="above")
    g.node("μ", MIDDLE, 180, "share of items that have it\n~ Beta(1, 1)", side="above")
    g.node("θ−", MIDDLE, 275, "answers on items without it\n~ Dir(1/4, 1/4, 1/4, 1/4)", side="below")
    g.node("c+", LEFT, 85, "counted", kind="counted", side="left")
    g.node("n", LEFT, 180, "items", kind="counted", side="left")
    g.node("c−", LEFT, 275, "counted", kind="counted", side="left")
    g.arrow("n", "θ+", "c+")
    g.arrow("μ", "n")
    g.arrow("n", "θ−", "c−")
    _end(g, 180, "θ+", "μ", "θ−", what="average,")


def bootstrap() -> None:
    g = Graph(720, 170, "bootstrap: Weights of the items, the same for all classifiers")
    g.box(15, 15, 330, 140, "item i = 1 … N")
    g.node("x", LEFT, 85, "true labels and\nwhat each one said", kind="counted", side="above")
    g.node("w", MIDDLE, 85, "weights\n~ Dir(1, …, 1)", side="above")
    g.shapes.append(
        f"<path d='M127 98 Q295 165 461 98' fill='none' stroke='{INK}' stroke-width='1.3' marker-end='url(#tip)'/>"
    )
    _end(g, 85, "w", what="metric of the items")


def _end(g: Graph, y: float, *causes: str, name: str = "ψ", what: str = "") -> None:
    """Add the metric of each classifier, and the difference."""
    g.node(name, RIGHT, y, "the metric" if name != "ψ" else what or "the metric,", kind="computed", side="above")
    if name == "ψ":
        g.text(RIGHT, y + RADIUS + 16, "for each classifier", anchor="middle")
    g.node("δ", END, y, "A − B", kind="computed", side="above")
    g.arrow(*causes, name)
    g.arrow(name, "δ")
    g.save()


TYPES = (
    ("both right", "1/4", "j j"),
    ("only A right", "1/4", "j k"),
    ("only B right", "1/4", "k j"),
    ("both wrong, alike", "1/8", "k k"),
    ("both wrong, differently", "1/8", "k l"),
)


def types() -> None:
    g = Graph(720, 250, "types: The five outcome types of two classifiers, with their prior weights")
    g.text(360, 30, "an item of class j", size=14, anchor="middle")
    for i, (words, weight, labels) in enumerate(TYPES):
        x = 75 + 142 * i
        g.line(360, 40, x, 92, head=True)
        first, _, second = words.partition(", ")
        g.text(x, 110, first, anchor="middle")
        g.text(x, 126, second, anchor="middle")
        g.text(x, 148, weight, size=15, anchor="middle", colour=BLUE)
        g.line(x, 156, x, 178, head=True)
        g.text(x, 196, f"A, B say {', '.join(labels.split())}", anchor="middle")
    g.text(
        360, 232, "first what kind of outcome it is, then which labels k and l were said", anchor="middle", colour=BLUE
    )
    g.save()


WEIGHTS, LEARNED = ("w", "a", "x", "imagined"), ("mu", "kappa", "m", "tau", "lambda", "phi")  # formulas to write out
OWN = {
    "items": (Items(ends=(0, 1)), WEIGHTS),
    "clusters": (Items(over="clusters", imagined="classes"), WEIGHTS),
    "learned": (LearnedTree(), LEARNED),
}
_DARK = re.compile(r"@media \(prefers-color-scheme:dark\)\{[^{}]*\{[^{}]*\}\}\n?")


def own(name: str) -> None:
    """Draw the graph that a model itself gives for two classifiers and twenty classes."""
    model, formulas = OWN[name]
    graph = graph_of(model, n_labels=20, n_classifiers=2)
    picture = svg(graph, notes=[plain(graph[node].formula) for node in formulas])
    _write(name, _DARK.sub("", picture))  # no colours for the dark: like the others, it has a ground of its own


def main() -> None:
    """Draw all of them."""
    for draw in (paired, unpaired, tree, types, icdm2015, flat, pooled, noisy, multilabel, bootstrap):
        draw()
    for name in OWN:
        own(name)


if __name__ == "__main__":
    main()
