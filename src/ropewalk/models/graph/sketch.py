"""What a graph of a model is: quantities, what hangs on what, and what repeats. Nothing here draws.

Symbols are written as in TeX, ``θ_{jk}^+``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from ropewalk.errors import InvalidInputError

Kind = Literal["constant", "latent", "observed", "deterministic"]
Form = Literal["counts", "items"]

_MARK: Final = re.compile(r"([_^])(?:\{([^}]*)\}|(.))")
_RAISED: Final = {"+": "⁺", "−": "⁻", "*": "*"}
_PAIR: Final = 2
_GIVEN: Final = ("constant", "observed")


def plain(symbol: str) -> str:
    """Write a symbol or a formula without marks, for a tooltip.

    Examples
    --------
    >>> plain("θ_{jk}^+ ~ Dir(1, 1)")
    'θ_jk⁺ ~ Dir(1, 1)'
    """

    def told(found: re.Match[str]) -> str:
        body = found[2] or found[3]
        return f"_{body}" if found[1] == "_" else "".join(_RAISED.get(char, char) for char in body)

    return _MARK.sub(told, symbol)


def parts(symbol: str) -> tuple[str, str, str]:
    """Return a symbol's letters, what stands below and what stands above.

    Examples
    --------
    >>> parts("θ_{jk}^+"), parts("N")
    (('θ', 'jk', '+'), ('N', '', ''))
    """
    marks = {found[1]: found[2] or found[3] for found in _MARK.finditer(symbol)}
    return _MARK.sub("", symbol), marks.get("_", ""), marks.get("^", "")


@dataclass(frozen=True, slots=True)
class Node:
    """A quantity: its `name` in the graph, its symbol, what kind it is, and the formula that it follows."""

    name: str
    text: str
    kind: Kind
    formula: str = ""


@dataclass(frozen=True, slots=True)
class Plate:
    """What repeats together, and how often; `members` hold those of the plates inside it too."""

    text: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """A directed acyclic graph of quantities, some of them in plates that repeat.

    Examples
    --------
    >>> coin = Sketch("A coin")
    >>> coin.latent("mu", "μ", "Beta(1, 1)")
    >>> coin.observed("y", "y_i", "Bern(μ)", "mu")
    >>> coin.plate("item i = 1 … N", "y")
    >>> coin.graph().parents("y")
    ('mu',)
    """

    nodes: tuple[Node, ...]
    edges: tuple[tuple[str, str], ...]
    plates: tuple[Plate, ...] = ()
    title: str = ""

    def __post_init__(self) -> None:
        names = [node.name for node in self.nodes]
        ends = {name for edge in self.edges for name in edge}
        repeated = {name for plate in self.plates for name in plate.members}
        if not names or len(set(names)) < len(names):
            raise InvalidInputError(f"Every node of a graph needs a name of its own; got {names!r}.")
        if unknown := sorted((ends | repeated) - set(names)):
            raise InvalidInputError(f"A graph's edges and plates must be of its nodes; {unknown!r} are none.")
        for i, plate in enumerate(self.plates):
            for other in self.plates[i + 1 :]:
                one, two = set(plate.members), set(other.members)
                if one & two and not (one < two or two < one):
                    raise InvalidInputError(f"Plates must lie apart or in one another: {plate.text!r}, {other.text!r}.")
        self.order()

    def __getitem__(self, name: str) -> Node:
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def parents(self, name: str) -> tuple[str, ...]:
        """Return what a node hangs on."""
        return tuple(parent for parent, child in self.edges if child == name)

    def children(self, name: str) -> tuple[str, ...]:
        """Return what hangs on a node."""
        return tuple(child for parent, child in self.edges if parent == name)

    def order(self) -> tuple[str, ...]:
        """Return the names, parents before their children."""
        found: dict[str, None] = {}
        left = [node.name for node in self.nodes]
        while left:
            ready = [name for name in left if all(parent in found for parent in self.parents(name))]
            if not ready:
                raise InvalidInputError(f"A graph may not go round in a circle: {left!r} do.")
            found |= dict.fromkeys(ready)
            left = [name for name in left if name not in found]
        return tuple(found)

    def known(self) -> frozenset[str]:
        """Return what the data and the prior fix: what is given, what was seen, and what follows from these alone."""
        found: set[str] = set()
        for name in self.order():
            node, parents = self[name], self.parents(name)
            follows = node.kind == "deterministic" and bool(parents) and found.issuperset(parents)
            if node.kind in _GIVEN or follows:
                found.add(name)
        return frozenset(found)

    def within(self, names: Iterable[str]) -> Graph:
        """Return the part of the graph that has these nodes only; of plates that then hold the same, one is left."""
        kept = set(names)
        plates: dict[frozenset[str], Plate] = {}
        for plate in self.plates:
            members = tuple(name for name in plate.members if name in kept)
            if members:
                plates.setdefault(frozenset(members), Plate(plate.text, members))
        return Graph(
            tuple(node for node in self.nodes if node.name in kept),
            tuple(edge for edge in self.edges if kept.issuperset(edge)),
            tuple(plates.values()),
            self.title,
        )

    def where(self, **values: str) -> Graph:
        """Return the graph with the values of some constants told, if it has them."""
        told = [
            replace(node, formula=f"{node.text} = {values[node.name]}") if node.name in values else node
            for node in self.nodes
        ]
        return replace(self, nodes=tuple(told))

    def told(self) -> str:
        """Return every formula and plate in one line of text."""
        formulas = [plain(node.formula or node.text) for node in self.nodes]
        plates = [
            f"for {plain(plate.text)}: {', '.join(plain(self[name].text) for name in plate.members)}"
            for plate in self.plates
        ]
        return "; ".join([*formulas, *plates])


@dataclass(slots=True)
class Sketch:
    """A graph in the making: a line for each quantity, with the names of its parents at the end.

    Examples
    --------
    >>> sketch = Sketch("Recalls around a common centre")
    >>> sketch.constant("a", "α", "(1, 1)")
    >>> sketch.latent("m", "m", "Beta(1, 1)", "a")
    >>> sketch.latent("rho", "ρ_j", "Beta(m κ, (1 − m) κ)", "m")
    >>> sketch.plate("class j = 1 … 20", "rho")
    >>> sketch.graph()["rho"].formula
    'ρ_j ~ Beta(m κ, (1 − m) κ)'
    """

    title: str
    nodes: list[Node] = field(default_factory=list)
    edges: list[tuple[str, str]] = field(default_factory=list)
    plates: list[Plate] = field(default_factory=list)

    @classmethod
    def of(cls, graph: Graph, title: str) -> Sketch:
        """Begin with a graph that there is."""
        return cls(title, list(graph.nodes), list(graph.edges), list(graph.plates))

    def constant(self, name: str, text: str, value: str = "", *children: str) -> None:
        """Add what is given; it may come after the `children` that it governs."""
        self._add(name, text, "constant", value and f"{text} = {value}", ())
        self.edges += [(name, child) for child in children]

    def latent(self, name: str, text: str, law: str, *parents: str) -> None:
        """Add an unknown that follows a law."""
        self._add(name, text, "latent", f"{text} ~ {law}", parents)

    def observed(self, name: str, text: str, law: str, *parents: str) -> None:
        """Add what was seen, and the law that it follows."""
        self._add(name, text, "observed", f"{text} ~ {law}", parents)

    def data(self, name: str, text: str, words: str, *parents: str) -> None:
        """Add what was seen, in words."""
        self._add(name, text, "observed", f"{text}: {words}", parents)

    def derived(self, name: str, text: str, value: str, *parents: str) -> None:
        """Add what follows from its parents."""
        self._add(name, text, "deterministic", f"{text} = {value}", parents)

    def _add(self, name: str, text: str, kind: Kind, formula: str, parents: Iterable[str]) -> None:
        self.nodes.append(Node(name, text, kind, formula))
        self.edges += [(parent, name) for parent in parents]

    def plate(self, text: str, *members: str) -> None:
        """Put nodes into a plate."""
        self.plates.append(Plate(text, members))

    def join(self, name: str, *others: str) -> None:
        """Put a node into every plate that all the others are in."""
        self.plates = [
            replace(plate, members=(*plate.members, name)) if set(others) <= set(plate.members) else plate
            for plate in self.plates
        ]

    def scores(self, *parents: str, paired: bool, n_classifiers: int, shared: Sequence[str] = ()) -> None:
        """Add the score of each classifier and their difference.

        Two classifiers on the same items have psi_A and psi_B, more of them a list psi. Where each has items of its
        own, psi_k and all that came so far are in a plate of classifiers, but for what is `shared` and constants that
        are the same for all.
        """
        of, pair = ", ".join(self[parent].text for parent in parents), n_classifiers == _PAIR
        if n_classifiers == 1:
            self.derived("psi", "ψ", f"f({of})", *parents)
        elif paired and pair:
            self.derived("psi_A", "ψ_A", f"f_A({of})", *parents)
            self.derived("psi_B", "ψ_B", f"f_B({of})", *parents)
            self.derived("delta", "δ", "ψ_A − ψ_B", "psi_A", "psi_B")
        elif paired:
            self.derived("psi", "ψ", f"(ψ_1, …, ψ_{{{n_classifiers}}}), ψ_k = f_k({of})", *parents)
        else:
            self.derived("psi", "ψ_k", f"f({of})", *parents)
            own = [node.name for node in self.nodes if node.kind != "constant" or "k" in parts(node.text)[1]]
            own = [name for name in own if name not in shared]
            self.plate(f"classifier k = {'A, B' if pair else f'1 … {n_classifiers}'}", *own)
        if n_classifiers > 1 and not (paired and pair):
            self.derived("delta", "δ" if pair else "δ_{kl}", "ψ_A − ψ_B" if pair else "ψ_k − ψ_l", "psi")

    def __getitem__(self, name: str) -> Node:
        return next(node for node in self.nodes if node.name == name)

    def graph(self) -> Graph:
        """Return the graph."""
        return Graph(tuple(self.nodes), tuple(self.edges), tuple(self.plates), self.title)
