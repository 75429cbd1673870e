"""Models as graphs: what is given, unknown, seen and computed, what depends on what, and where each of them stands.

A model's method ``graph(n_labels=, n_classifiers=, form=)`` returns its graph; `Sketch` makes one from a line per
quantity. Places are (column, row) on a grid, columns counted to the right and rows downwards. Our models share one:

    row -2   the difference                           priors, from column 2
    row -1   scores
    row  0   class shares mu in column 0              what is said within a class, from column 2
    row  1   data, below the parameters of their law; what is said about an item in column 1

Where there is more above the parameters, priors and the difference stand a row higher. Symbols are written as in TeX,
``θ_{jk}^+``; the letters below a symbol are those of the plates that it is in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from graphlib import CycleError, TopologicalSorter
from typing import Any, Final, Literal, NamedTuple, TypedDict, get_args

from ropewalk._checks import choose
from ropewalk.errors import InvalidInputError
from ropewalk.models.cells import n_types
from ropewalk.text.writing import told

Kind = Literal["constant", "latent", "observed", "deterministic"]
Form = Literal["counts", "items"]
Place = tuple[float, float]
Law = Sequence[float] | str  # pseudo-counts, or any law in words

_MARK: Final = re.compile(r"([_^])(?:\{([^}]*)\}|(.))")
_SYMBOL: Final = re.compile(r"(\w(?:[_^](?:\{[^}]*\}|.))+)")
_RAISED: Final = {"+": "⁺", "−": "⁻", "*": "*"}
_PAIR: Final = 2
MAX_PSEUDO_COUNTS_SHOWN: Final = 4
MAX_TYPES_WRITTEN_OUT: Final = 10**9


class Size(TypedDict):
    """What a model's graph depends on beside the model; ``form="items"`` has every item for itself."""

    n_labels: int
    n_classifiers: int
    form: Form


def graph_of(model: Any, *, n_labels: int, n_classifiers: int, form: Form = "counts") -> Graph:
    """Return the graph of a model for so many labels and classifiers.

    ``form="counts"`` is the compact one, of how often each outcome occurred; ``form="items"`` has every item for
    itself.

    Examples
    --------
    >>> from ropewalk.models import Sigir2016
    >>> graph = graph_of(Sigir2016(), n_labels=2, n_classifiers=2)
    >>> graph.parents("psi_A")
    ('mu', 'theta+', 'theta-')
    >>> graph["theta+"].formula
    'θ^+ ~ Dir(1, 1, 1, 1)'
    """
    form = choose(form, {name: name for name in get_args(Form)}, "form")
    own = getattr(model, "graph", None)
    if not callable(own) or isinstance(model, type):
        raise InvalidInputError(
            f"The model {getattr(model, 'name', model)!r} has no graph.",
            hint="give its class a method graph(n_labels=, n_classifiers=, form=) that returns a models.graph.Graph.",
        )
    graph: Graph = own(n_labels=n_labels, n_classifiers=n_classifiers, form=form)
    return graph


def plain(symbol: str) -> str:
    """Write a symbol or a formula without marks, for a tooltip.

    Examples
    --------
    >>> plain("θ_{jk}^+ ~ Dir(1, 1)")
    'θ_jk⁺ ~ Dir(1, 1)'
    """

    def unmarked(mark: re.Match[str]) -> str:
        body = mark[2] or mark[3]
        return f"_{body}" if mark[1] == "_" else "".join(_RAISED.get(char, char) for char in body)

    return _MARK.sub(unmarked, symbol)


def parts(symbol: str) -> tuple[str, str, str]:
    """Return a symbol's letters, what stands below and what stands above.

    Examples
    --------
    >>> parts("θ_{jk}^+"), parts("N")
    (('θ', 'jk', '+'), ('N', '', ''))
    """
    marks = {mark[1]: mark[2] or mark[3] for mark in _MARK.finditer(symbol)}
    return _MARK.sub("", symbol), marks.get("_", ""), marks.get("^", "")


def pieces(text: str) -> list[tuple[str, str, str]]:
    """Split a text into pieces, with what stands below and above each.

    Examples
    --------
    >>> pieces("Bin(N, μ_k)")
    [('Bin(N, ', '', ''), ('μ', 'k', ''), (')', '', '')]
    """
    return [parts(piece) if i % 2 else (piece, "", "") for i, piece in enumerate(_SYMBOL.split(text)) if piece]


class Node(NamedTuple):
    """A quantity: its `name` in the graph, its place, its symbol, its kind, and the formula that it follows."""

    name: str
    at: Place
    text: str
    kind: Kind
    formula: str = ""


class Plate(NamedTuple):
    """What repeats together, and how often; `members` hold those of the plates inside it too."""

    text: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """A directed acyclic graph of quantities, each at its place, some of them in plates that repeat."""

    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...]
    plates: tuple[Plate, ...] = ()
    title: str = ""

    def __post_init__(self) -> None:
        names = [node.name for node in self.nodes]
        ends = {name for edge in self.edges for name in edge}
        repeated = {name for plate in self.plates for name in plate.members}
        if not names or len(set(names)) < len(names):
            raise InvalidInputError(
                f"Every node of a graph needs a name of its own; got {told(names)}.", hint="rename one of them."
            )
        if len({node.at for node in self.nodes}) < len(names):
            raise InvalidInputError(
                f"Every node of a graph needs a place of its own; got {told(self.nodes)}.", hint="move one of them."
            )
        if unknown := sorted((ends | repeated) - set(names)):
            raise InvalidInputError(
                f"A graph's edges and plates must be of its nodes; {unknown!r} are none.",
                hint="add the nodes, or leave these out.",
            )
        for i, plate in enumerate(self.plates):
            for other in self.plates[i + 1 :]:
                one, two = set(plate.members), set(other.members)
                if one & two and not (one < two or two < one):
                    raise InvalidInputError(
                        f"Plates must lie apart or in one another: {plate.text!r}, {other.text!r}.",
                        hint="draw one inside the other.",
                    )
        self.order()

    def __getitem__(self, name: str) -> Node:
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def parents(self, name: str) -> tuple[str, ...]:
        """Return what a node depends on."""
        return tuple([parent for parent, child in self.edges if child == name])

    def order(self) -> tuple[str, ...]:
        """Return the names, parents before their children."""
        try:
            return tuple(TopologicalSorter({node.name: self.parents(node.name) for node in self.nodes}).static_order())
        except CycleError as error:
            raise InvalidInputError(
                f"A graph may not go round in a circle: {error.args[1]!r} do.", hint="leave one of the edges out."
            ) from None

    def known(self) -> frozenset[str]:
        """Return what the data and the prior fix: what is given, what was seen, and what follows from these alone."""
        fixed: set[str] = set()
        for name in self.order():
            kind, parents = self[name].kind, self.parents(name)
            follows = kind == "deterministic" and bool(parents) and fixed.issuperset(parents)
            if kind in ("constant", "observed") or follows:
                fixed.add(name)
        return frozenset(fixed)

    def where(self, **values: str) -> Graph:
        """Return the graph with the values of some constants written out, if it has them."""
        nodes = [
            node._replace(formula=f"{node.text} = {values[node.name]}") if node.name in values else node
            for node in self.nodes
        ]
        return replace(self, nodes=tuple(nodes))

    def formulas(self) -> list[str]:
        """Return the formula of every node, or else its symbol, without marks."""
        return [plain(node.formula or node.text) for node in self.nodes]

    def summary(self) -> str:
        """Return every formula and plate in one line of text."""
        plates = [
            f"for {plain(plate.text)}: {', '.join(plain(self[name].text) for name in plate.members)}"
            for plate in self.plates
        ]
        return "; ".join([*self.formulas(), *plates])


@dataclass(repr=False, eq=False)
class Sketch:
    """A graph in the making: a line per quantity, with its place, and the names of its parents at the end.

    Classifiers that are not `paired` have quantities of their own, with the letter k below.

    Examples
    --------
    >>> sketch = Sketch("Recalls around a common centre")
    >>> sketch.constant("a", (0, -1), "α", "(1, 1)")
    >>> sketch.latent("m", (0, 0), "m", "Beta(1, 1)", "a")
    >>> sketch.latent("rho", (0, 1), "ρ_j", "Beta(m κ, (1 − m) κ)", "m")
    >>> sketch.plate("class j = 1 … 20")
    >>> graph = sketch.graph()
    >>> graph["rho"].formula, graph.plates[0].members
    ('ρ_j ~ Beta(m κ, (1 − m) κ)', ('rho',))
    """

    title: str
    n_labels: int = 2
    n_classifiers: int = 1
    form: Form = "counts"
    paired: bool = False
    nodes: list[Node] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)
    plates: list[Plate] = field(default_factory=list)

    @property
    def k(self) -> str:
        """The letter that counts classifiers, where each has quantities of its own."""
        return "" if self.paired or self.n_classifiers == 1 else "k"

    @property
    def joint(self) -> bool:
        """Whether several classifiers answer on the same items."""
        return self.paired and self.n_classifiers > 1

    def sign(self, letter: str, *below: str) -> str:
        """Write a symbol with the letters of its plates, that of the classifiers last."""
        letters = "".join((*below, self.k))
        return f"{letter}_{{{letters}}}" if letters else letter

    def constant(self, name: str, at: Place, text: str, value: str = "") -> None:
        """Add what is given."""
        self._add(Node(name, at, text, "constant", value and f"{text} = {value}"), ())

    def latent(self, name: str, at: Place, text: str, law: str, *parents: str) -> None:
        """Add an unknown that follows a law."""
        self._add(Node(name, at, text, "latent", f"{text} ~ {law}"), parents)

    def observed(self, name: str, at: Place, text: str, law: str, *parents: str) -> None:
        """Add what was seen, and the law that it follows."""
        self._add(Node(name, at, text, "observed", f"{text} ~ {law}"), parents)

    def data(self, name: str, at: Place, text: str, words: str, *parents: str) -> None:
        """Add what was seen, in words."""
        self._add(Node(name, at, text, "observed", f"{text}: {words}"), parents)

    def derived(self, name: str, at: Place, text: str, value: str, *parents: str) -> None:
        """Add what follows from its parents."""
        self._add(Node(name, at, text, "deterministic", f"{text} = {value}"), parents)

    def _add(self, node: Node, parents: Iterable[str]) -> None:
        self.nodes.append(node)
        self.edges += [(parent, node.name) for parent in parents]

    def parameter(self, name: str, at: Place, text: str, law: Law, prior: tuple[str, Place, str]) -> None:
        """Add an unknown and the constant that governs it: its pseudo-counts, or any law, which is then p(…)."""
        constant, prior_at, symbol = prior
        if isinstance(law, str):
            letter, _, over = parts(text)
            constant, symbol, value = f"p({name})", f"p({letter}^{over})" if over else f"p({letter})", law
        else:
            words = [f"{shape:g}" for shape in law]
            few = words if len(words) <= MAX_PSEUDO_COUNTS_SHOWN else [words[0], "…", words[-1]]
            value = f"({', '.join(few)})"
            law = f"{'Beta' if len(words) == _PAIR else 'Dir'}{value}"
        self.constant(constant, prior_at, symbol, value)
        self.latent(name, at, text, law, constant)

    def even(self, shape: float, size: int | None = None) -> list[float]:
        """Return equal pseudo-counts, by default one per label; no more of them than it takes to write them out."""
        return [shape] * min(size or self.n_labels, MAX_PSEUDO_COUNTS_SHOWN + 1)

    def shares(self, law: Law, *below: str) -> None:
        """Add mu, the shares of the classes, and its prior."""
        self.parameter("mu", (0, 0), self.sign("μ", *below), law, ("beta", (-1, 0), "β"))

    def plate(self, text: str, *members: str) -> None:
        """Put nodes into a plate; by default those so far that have its letter below: j in "class j = 1 … 20"."""
        letter = text.partition(" =")[0][-1:]
        indexed = tuple(node.name for node in self.nodes if letter in parts(node.text)[1])
        self.plates.append(Plate(text, members or indexed))

    def scores(self, *parents: str, column: float = 0.75) -> Graph:
        """Add the score of each classifier and their difference, and return the graph.

        Two classifiers on the same items have psi_A and psi_B, more of them a list psi. Where each has items of its
        own, psi_k is in the plate of classifiers.
        """
        values, pair = ", ".join(self[parent].text for parent in parents), self.n_classifiers == _PAIR
        row, names = -2.0, ("psi_A", "psi_B") if self.joint and pair else ("psi",)
        if self.joint and pair:
            self.derived("psi_A", (column - 0.5, -1), "ψ_A", f"f_A({values})", *parents)
            self.derived("psi_B", (column + 0.5, -1), "ψ_B", f"f_B({values})", *parents)
        else:
            value = f"(ψ_1, …, ψ_{{{self.n_classifiers}}}), ψ_k = f_k({values})" if self.joint else f"f({values})"
            self.derived("psi", (column, -1), self.sign("ψ"), value, *parents)
        if self.k:
            self.plate(f"classifier k = {'A, B' if pair else f'1 … {self.n_classifiers}'}")
            row = min(self[name].at[1] for name in self.plates[-1].members) - 1
        if self.n_classifiers > 1:
            difference = ("δ", "ψ_A − ψ_B") if pair else ("δ_{kl}", "ψ_k − ψ_l")
            self.derived("delta", (column, row), *difference, *names)
        return self.graph()

    def __getitem__(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    def graph(self) -> Graph:
        """Return the graph."""
        return Graph(tuple(self.nodes), tuple(self.edges), tuple(self.plates), self.title)


_COUNTED: Final = {"theta": ("c", "c", "Mult"), "rho": ("r", "r", "Bin"), "tau": ("t", "T", "Mult")}
_ANSWERED: Final = {
    "theta": ("Cat({})", ""),
    "rho": ("y with probability {}", ", if wrong Cat({})"),
    "tau": ("type t by Cat({})", " and its labels Cat({})"),
}


def class_graph(s: Sketch, label_mass: float | Sequence[float] = 1.0) -> Graph:
    """Finish a sketch of any number of classes, whose last node is what happens to the items of a class.

    That is theta, a row of the confusion matrix; rho, the recall, then which label stands for a wrong answer; or tau,
    the outcome types of several classifiers, then which labels fill a type. Several masses of the labels are those that
    are tried.
    """
    name, law = s.nodes[-1].name, s.nodes[-1].text
    mu, total, size, y = s.sign("μ"), s.sign("N"), s.sign("n", "j"), s.sign("y", "i")
    labelled, t = name != "theta" and s.n_labels > _PAIR, "t" if name == "tau" else ""  # of two, the wrong one is known
    phi, parameters = s.sign("φ", "j", t), (name, "phi") if labelled else (name,)
    if labelled:
        over = "the labels of a type" if t else "the wrong labels"
        at, mass = (4.5 if t else 4, 0), s.sign("λ")
        if isinstance(label_mass, Sequence):
            s.latent("lambda", at, mass, f"one of {', '.join(f'{each:g}' for each in label_mass)}")
        else:
            s.constant("lambda", at, "λ", mass := f"{label_mass:g}")
        s.latent("phi", (3, 0), phi, f"Dir, total mass {mass}, over {over}", "lambda")
    if s.form == "items":
        answer, labels = _ANSWERED[name]
        said = f"{answer.format(law)}{labels.format(phi) if labelled else ''}, where j = {y}"
        s.observed("y", (0, 1), y, f"Cat({mu})", "mu")
        s.observed("yhat", (1, 1), s.sign("ŷ", "i"), said, "y", *parameters)
        s.plate(f"item i = 1 … {total}")
    else:
        count, letter, kind = _COUNTED[name]
        s.constant("N", (0, 2), total)
        s.observed("n", (0, 1), s.sign("n"), f"Mult({total}, {mu})", "mu", "N")
        s.observed(count, (2, 1), s.sign(letter, "j"), f"{kind}({size}, {law})", name, "n")
        if labelled:
            rest = s.sign("T", "j", "t") if t else f"{size} − {s.sign('r', 'j')}"
            s.observed("c", (3, 1), s.sign("c", "j", t), f"Mult({rest}, {phi})", "phi", count)
    if t and labelled:
        types = n_types(s.n_classifiers, s.n_labels)
        s.plate(f"type t = 1 … {types if types < MAX_TYPES_WRITTEN_OUT else f'{types:.3g}'}")
    s.plate(f"class j = 1 … {s.n_labels}")
    return s.scores("mu", *parameters)
