"""The shapes that graphs of models come in: two labels after SIGIR 2016, any number of classes after ICDM 2015."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from ropewalk.models.graph.sketch import Form, Graph, Sketch

_BINARY: Final = 2
_FEW: Final = 4  # pseudo-counts are all written; of more, the first


class Prior(NamedTuple):
    """The prior of a parameter: the symbol of what governs it, the numbers that this is, and the law."""

    text: str
    value: str
    law: str
    name: str = ""

    @classmethod
    def of(cls, text: str, shapes: Sequence[float]) -> Prior:
        """Return a Beta or Dirichlet prior.

        Examples
        --------
        >>> Prior.of("β", (1.0, 1.0))
        Prior(text='β', value='(1, 1)', law='Beta(1, 1)', name='')
        """
        told = ", ".join(f"{shape:g}" for shape in shapes)
        return cls(text, f"({told})", f"{'Beta' if len(shapes) == _BINARY else 'Dir'}({told})")

    @classmethod
    def even(cls, text: str, shape: str, size: int) -> Prior:
        """Return a symmetric prior over so many outcomes."""
        told = ", ".join([shape] * size) if size <= _FEW else f"{shape}, …, {shape}"
        return cls(text, f"({told})", f"{'Beta' if size == _BINARY else 'Dir'}({told})")


def lower(*letters: str) -> str:
    """Write what stands below a symbol, if anything does.

    Examples
    --------
    >>> "θ" + lower("j", ""), "μ" + lower()
    ('θ_{j}', 'μ')
    """
    told = "".join(letters)
    return f"_{{{told}}}" if told else ""


def each(*, paired: bool, n_classifiers: int) -> str:
    """Return the letter that counts classifiers where each has quantities of its own."""
    return "" if paired or n_classifiers == 1 else "k"


# -- two labels ------------------------------------------------------------------------------------------------


def binary_graph(
    title: str,
    mu: Prior,
    positive: Prior,
    negative: Prior,
    *,
    paired: bool,
    n_classifiers: int,
    form: Form,
    n_stacked: int = 0,
) -> Graph:
    """Return the graph of a model of two labels: shares mu, and what is said about items of either class.

    `n_stacked` puts so many of them on a stack, one a label, as items with any number of labels have them.
    """
    s, label, k = Sketch(title), "l" if n_stacked else "", each(paired=paired, n_classifiers=n_classifiers)
    joint = paired and n_classifiers > 1
    name, letter = ("theta", "θ") if joint else ("rho", "ρ")
    under = lower(label, k)
    given = [
        ("mu", f"μ{under}", mu, "beta"),
        (f"{name}+", f"{letter}{under}^+", positive, "alpha+"),
        (f"{name}-", f"{letter}{under}^−", negative, "alpha-"),
    ]
    for parameter, text, prior, usual in given:
        s.constant(prior.name or usual, prior.text, prior.value)
        s.latent(parameter, text, prior.law, prior.name or usual)
    members = ["mu", f"{name}+", f"{name}-"]
    members += (_binary_items if form == "items" else _binary_counts)(s, name, letter, label, k, joint=joint)
    if n_stacked:
        s.plate(f"label l = 1 … {n_stacked}", *members)
    s.scores("mu", f"{name}+", f"{name}-", paired=paired, n_classifiers=n_classifiers)
    return s.graph()


def _binary_counts(s: Sketch, name: str, letter: str, label: str, k: str, *, joint: bool) -> list[str]:
    """Add how many items of either class there are, and how often each outcome occurred on them."""
    under, law = lower(label, k), "Mult" if joint else "Bin"
    total = f"N{lower(k)}"
    s.constant("N", total)
    s.observed("n+", f"n{under}^+", f"Bin({total}, μ{under})", "mu", "N")
    s.derived("n-", f"n{under}^−", f"{total} − n{under}^+", "N", "n+")
    s.observed("c+", f"c{under}^+", f"{law}(n{under}^+, {letter}{under}^+)", f"{name}+", "n+")
    s.observed("c-", f"c{under}^−", f"{law}(n{under}^−, {letter}{under}^−)", f"{name}-", "n-")
    return ["n+", "n-", "c+", "c-"]


def _binary_items(s: Sketch, name: str, letter: str, label: str, k: str, *, joint: bool) -> list[str]:
    """Add the true label of every item, and what is said about it."""
    under, one, law = lower(label, k), lower("i", label, k), "Cat" if joint else "Bern"
    s.observed("y", f"y{one}", f"Bern(μ{under})", "mu")
    given = f"{law}({letter}{under}^+) if y{one} = +, {law}({letter}{under}^−) if y{one} = −"
    s.observed("yhat", f"ŷ{one}", given, "y", f"{name}+", f"{name}-")
    s.plate(f"item i = 1 … N{lower(k)}", "y", "yhat")
    return ["y", "yhat"]


# -- any number of labels --------------------------------------------------------------------------------------


class Rows:
    """A sketch of a model of any number of classes: shares mu of the classes, and parameters of class j for itself."""

    def __init__(self, title: str, mu: Prior, *, n_labels: int, n_classifiers: int, paired: bool, form: Form) -> None:
        self.sketch, self.form, self.paired = Sketch(title), form, paired
        self.n_labels, self.n_classifiers = n_labels, n_classifiers
        self.k = each(paired=paired, n_classifiers=n_classifiers)
        self.of_class: list[str] = []
        self.sketch.constant(mu.name or "beta", mu.text, mu.value)
        self.sketch.latent("mu", f"μ{lower(self.k)}", mu.law, mu.name or "beta")

    @classmethod
    def even(cls, title: str, mu_prior: float, *, n_labels: int, **asked: Any) -> Rows:
        """Begin a sketch in which every class weighs as much in mu."""
        return cls(title, Prior.even("β", f"{mu_prior:g}", n_labels), n_labels=n_labels, **asked)

    @property
    def labelled(self) -> bool:
        """Whether there is more than one label to be wrong with."""
        return self.n_labels > _BINARY

    def sign(self, letter: str, *more: str) -> str:
        """Write a symbol that every class has."""
        return f"{letter}{lower('j', self.k, *more)}"

    def own(self, *names: str) -> None:
        """Say which quantities every class has for itself."""
        self.of_class += names

    def sizes(self) -> str:
        """Add how many items each class has; return the symbol of the number of class j."""
        under = lower(self.k)
        self.sketch.constant("N", f"N{under}")
        self.sketch.observed("n", f"n{under}", f"Mult(N{under}, μ{under})", "mu", "N")
        return self.sign("n")

    def items(self, law: str, *parameters: str) -> None:
        """Add the true class of every item, and what is said about it."""
        under = lower("i", self.k)
        self.sketch.observed("y", f"y{under}", f"Cat(μ{lower(self.k)})", "mu")
        self.sketch.observed("yhat", f"ŷ{under}", f"{law}, where j = y{under}", "y", *parameters)
        self.sketch.plate(f"item i = 1 … N{lower(self.k)}", "y", "yhat")

    def done(self, *parameters: str, shared: Sequence[str] = ()) -> Graph:
        """Add the plate of the classes and the scores; what is `shared` all classifiers have in common."""
        self.sketch.plate(f"class j = 1 … {self.n_labels}", *self.of_class)
        self.sketch.scores("mu", *parameters, paired=self.paired, n_classifiers=self.n_classifiers, shared=shared)
        return self.sketch.graph()


def confusion_graph(rows: Rows) -> Graph:
    """Finish a sketch that has theta: the rows of a confusion matrix, or the items that it counts."""
    s, theta = rows.sketch, rows.sign("θ")
    rows.own("theta")
    if rows.form == "items":
        rows.items(f"Cat({theta})", "theta")
    else:
        s.observed("c", rows.sign("c"), f"Mult({rows.sizes()}, {theta})", "theta", "n")
        rows.own("c")
    return rows.done("theta")


def recalls_graph(rows: Rows, label_mass: float) -> Graph:
    """Finish a sketch that has rho: one classifier is right or wrong, then which label stands for a wrong answer."""
    s, rho, phi = rows.sketch, rows.sign("ρ"), rows.sign("φ")
    rows.own("rho")
    if rows.labelled:
        s.constant("lambda", "λ", f"{label_mass:g}")
        s.latent("phi", phi, f"Dir, total mass {label_mass:g}, over the wrong labels", "lambda")
        rows.own("phi")
    parameters = ("rho", "phi") if rows.labelled else ("rho",)
    if rows.form == "items":
        wrong = f", if wrong Cat({phi})" if rows.labelled else ""
        rows.items(f"y with probability {rho}{wrong}", *parameters)
        return rows.done(*parameters)
    size = rows.sizes()
    s.observed("r", rows.sign("r"), f"Bin({size}, {rho})", "rho", "n")
    rows.own("r")
    if rows.labelled:
        s.observed("c", rows.sign("c"), f"Mult({size} − {rows.sign('r')}, {phi})", "phi", "r")
        rows.own("c")
    return rows.done(*parameters)


def types_graph(rows: Rows, label_mass: float) -> Graph:
    """Finish a sketch that has tau: classifiers on the same items are right or wrong together, in types of outcomes."""
    s, tau, phi = rows.sketch, rows.sign("τ"), rows.sign("φ", "t")
    types = f"type t = 1 … {n_types(rows.n_classifiers, rows.n_labels)}"
    rows.own("tau")
    if rows.labelled:  # of two labels every type has one way to be filled
        s.constant("lambda", "λ", f"{label_mass:g}")
        s.latent("phi", phi, f"Dir, total mass {label_mass:g}, over the labels of a type", "lambda")
        rows.own("phi")
    parameters = ("tau", "phi") if rows.labelled else ("tau",)
    if rows.form == "items":
        within = f" and its labels Cat({phi})" if rows.labelled else ""
        rows.items(f"type t by Cat({tau}){within}", *parameters)
        members = ["phi"] if rows.labelled else []
    else:
        s.observed("t", rows.sign("T"), f"Mult({rows.sizes()}, {tau})", "tau", "n")
        rows.own("t")
        members = ["phi", "c"] if rows.labelled else []
        if rows.labelled:
            s.observed("c", rows.sign("c", "t"), f"Mult({rows.sign('T', 't')}, {phi})", "phi", "t")
            rows.own("c")
    if members:
        s.plate(types, *members)
    return rows.done(*parameters)


def n_types(n_classifiers: int, n_labels: int) -> int:
    """Count the types of outcomes: partitions of the truth and K predictions into at most M labels.

    Examples
    --------
    >>> n_types(1, 20), n_types(2, 20), n_types(4, 20), n_types(2, 2)
    (2, 5, 52, 4)
    """
    row = [1]  # Stirling numbers of the second kind
    for _ in range(n_classifiers + 1):
        row = [(row[b] * b if b < len(row) else 0) + (row[b - 1] if b else 0) for b in range(len(row) + 1)]
    return sum(row[: n_labels + 1])
