"""Graphs of models that vary the papers': pooled recalls, earlier items, priors of one's own, labels that may be wrong.

Each takes numbers or words, so that a model's method `graph` is one call.
"""

from __future__ import annotations

from typing import Any, Final

from ropewalk.models.graph.shapes import Prior, Rows, binary_graph, lower, recalls_graph, types_graph
from ropewalk.models.graph.sketch import Form, Graph, Sketch

_BINARY: Final = 2


def pooled_graph(
    *,
    centre: tuple[float, float] = (1.0, 1.0),
    kappa_scale: float = 1.0,
    mu_prior: float = 1.0,
    label_mass: float = 1.0,
    n_labels: int,
    n_classifiers: int,
    form: Form = "counts",
) -> Graph:
    """Return the graph of recalls that lie around a centre m ~ Beta(`centre`), as closely as kappa says.

    Examples
    --------
    >>> pooled_graph(n_labels=20, n_classifiers=1).parents("rho")
    ('m', 'kappa')
    """
    rows = Rows.even(
        "Recalls around a common centre", mu_prior,
        n_labels=n_labels, n_classifiers=n_classifiers, paired=False, form=form,
    )  # fmt: skip
    s, k, prior = rows.sketch, lower(rows.k), Prior.of("α", centre)
    s.constant("alpha", prior.text, prior.value)
    s.latent("m", f"m{k}", prior.law, "alpha")
    s.constant("s", "s", f"{kappa_scale:g}")
    s.latent("kappa", f"κ{k}", f"the law by which κ{k} / (κ{k} + {kappa_scale:g}) is uniform", "s")
    s.latent("rho", rows.sign("ρ"), f"Beta(m{k} κ{k}, (1 − m{k}) κ{k})", "m", "kappa")
    return recalls_graph(rows, label_mass)


def logit_normal_graph(
    *,
    location: float = 0.0,
    scale: float = 1.5,
    spread: float | None = None,
    correlation: float | str = 0.0,
    mu_prior: float = 1.0,
    label_mass: float = 1.0,
    paired: bool = False,
    n_labels: int,
    n_classifiers: int,
    form: Form = "counts",
) -> Graph:
    """Return the graph of recalls, or of types where classifiers are `paired`, whose logits are normal.

    With a `spread` the classes are tied together by a centre m ~ Normal(location, scale) and sigma ~
    HalfNormal(spread). A `correlation` that is not 0, a number or "learned", ties the classifiers together: each
    symbol then stands for those of all of them.

    Examples
    --------
    >>> graph = logit_normal_graph(spread=1.0, correlation="learned", n_labels=20, n_classifiers=2)
    >>> graph.parents("logit"), graph["m"].formula
    (('m', 'sigma', 'R'), 'm ~ Normal(0, 1.5)')
    """
    tied = correlation != 0 and n_classifiers > 1
    several = paired and n_classifiers > 1
    rows = Rows.even(
        f"{'Outcome types' if several else 'Recalls'} whose logits are normal", mu_prior,
        n_labels=n_labels, n_classifiers=n_classifiers, paired=several or tied, form=form,
    )  # fmt: skip
    s, k = rows.sketch, lower(rows.k)
    s.constant("a", "a", f"({location:g}, {scale:g})")
    parents, law = ["a"], f"Normal({location:g}, {scale:g})"
    if spread is not None:
        s.latent("m", f"m{k}", law, "a")
        s.constant("s", "s", f"{spread:g}")
        s.latent("sigma", f"σ{k}", f"HalfNormal({spread:g})", "s")
        parents, law = ["m", "sigma"], f"Normal(m{k}, σ{k})"
    if tied:
        parents.append("R")
        law = f"{law}, correlated by R"
        if isinstance(correlation, str):
            s.latent("R", "R", "a law that learns the correlation of classifiers")
        else:
            s.constant("R", "R", f"{correlation:g}")
    s.latent("logit", rows.sign("ℓ"), law, *parents)
    rows.own("logit")
    if several:
        s.derived("tau", rows.sign("τ"), f"softmax({rows.sign('ℓ')}), around the base of the tree", "logit")
        return types_graph(rows, label_mass)
    s.derived("rho", rows.sign("ρ"), f"1 / (1 + exp(−{rows.sign('ℓ')}))", "logit")
    return recalls_graph(rows, label_mass)


def own_priors_graph(
    *,
    mu: str = "",
    within: str | tuple[str, str] = "",
    paired: bool,
    label_mass: float = 1.0,
    n_labels: int,
    n_classifiers: int,
    form: Form = "counts",
) -> Graph:
    """Return the graph of a model under any priors, each written out; what is empty has its usual prior.

    `within` is the law within a class: of two labels a pair, of theta+ and theta- (rho+ and rho- where classifiers are
    not `paired`); of more that of the outcome types tau_j, or of the recall rho_j.

    Examples
    --------
    >>> asked = {"n_labels": 2, "n_classifiers": 1}
    >>> graph = own_priors_graph(mu="Triangular(0, 0.2, 1)", within=("Beta(8, 2)", "Beta(2, 8)"), paired=False, **asked)
    >>> graph["p(mu)"].formula, graph["rho+"].formula
    ('p(μ) = Triangular(0, 0.2, 1)', 'ρ^+ ~ Beta(8, 2)')
    """
    several = paired and n_classifiers > 1
    shares = Prior("p(μ)", mu, mu, "p(mu)") if mu else Prior.even("β", "1", n_labels)
    if n_labels <= _BINARY:
        letter, signs = "θ" if several else "ρ", ("+", "−")
        laws = within if isinstance(within, tuple) else (within, within)
        size = 2**n_classifiers if several else _BINARY
        given = [
            Prior(f"p({letter}^{sign})", law, law, f"p({sign.replace('−', '-')})")
            if law
            else Prior.even(f"α^{sign}", "1", size)
            for sign, law in zip(signs, laws, strict=True)
        ]
        asked: Any = {"paired": paired, "n_classifiers": n_classifiers, "form": form}
        return binary_graph("Two labels, priors of one's own", shares, *given, **asked)
    title = "Priors of one's own, any number of labels"
    rows = Rows(title, shares, n_labels=n_labels, n_classifiers=n_classifiers, paired=paired, form=form)
    s, law = rows.sketch, within if isinstance(within, str) else " or ".join(within)
    name, letter = ("tau", "τ") if several else ("rho", "ρ")
    if law:
        s.constant("p", f"p({letter})", law)
    else:
        law = "Dir(1 · base) over the types" if several else "Beta(0.5, 0.5)"
        s.constant("p", "κ", "1")
    s.latent(name, rows.sign(letter), law, "p")
    return types_graph(rows, label_mass) if several else recalls_graph(rows, label_mass)


def noisy_labels_graph(
    *,
    error: str,
    error_is_known: bool = False,
    n_batches: int = 1,
    drift: float | None = None,
    paired: bool = True,
    n_labels: int,
    n_classifiers: int,
    form: Form = "counts",
) -> Graph:
    """Return the graph of true labels that nobody saw: what was annotated is wrong at a rate epsilon.

    `error` is the law of the rate, or the rate itself where that is known; items may come in batches, each with a
    rate of its own, which moves from one to the next where there is a `drift`. Counts have the true labels summed out.

    Examples
    --------
    >>> graph = noisy_labels_graph(error="Beta(2, 38)", n_labels=2, n_classifiers=2, form="items")
    >>> graph["y"].kind, graph["y*"].kind, graph.parents("y*")
    ('latent', 'observed', ('y', 'epsilon'))
    """
    rows = Rows.even(
        "True labels unknown, annotated ones wrong at a rate ε", 1.0,
        n_labels=n_labels, n_classifiers=n_classifiers, paired=paired, form=form,
    )  # fmt: skip
    s, theta, b = rows.sketch, rows.sign("θ"), "b" if n_batches > 1 else ""
    rate = "ε" + lower(b)
    s.constant("alpha", "α", "as the tree")
    s.latent("theta", theta, "the tree's prior of what is said", "alpha")
    rows.own("theta")
    moves = "" if drift is None else f", its logit moving by steps of {drift:g}"
    if error_is_known and drift is None:
        s.constant("epsilon", rate, error)
    else:
        s.constant("p(epsilon)", "p(ε)", error)
        s.latent("epsilon", rate, error + moves, "p(epsilon)")
    inside = _noisy_items(rows, rate, b) if form == "items" else _noisy_counts(rows, rate, b)
    if n_batches > 1 and not rows.k:  # where classifiers have items of their own, their batches are their own too
        s.plate(f"batch b = 1 … {n_batches}", "epsilon", *inside)
        return rows.done("theta")
    return rows.done("theta", shared=("epsilon",))


def _noisy_items(rows: Rows, rate: str, b: str) -> list[str]:
    item, s = lower("i", b, rows.k), rows.sketch
    s.latent("y", f"y{item}", f"Cat(μ{lower(rows.k)})", "mu")
    s.observed("y*", f"y{item}^*", f"y{item}, or with probability {rate} another label", "y", "epsilon")
    s.observed("yhat", f"ŷ{item}", f"Cat({rows.sign('θ')}), where j = y{item}", "y", "theta")
    s.plate(f"item i = 1 … N{lower(b, rows.k)}", "y", "y*", "yhat")
    return ["y", "y*", "yhat"]


def _noisy_counts(rows: Rows, rate: str, b: str) -> list[str]:
    total, s = f"N{lower(b, rows.k)}", rows.sketch
    s.constant("N", total)
    mixed = f"Mult({total}, Σ_j μ_j · {rate} · {rows.sign('θ')}): annotated and said, the true labels summed out"
    s.observed("c*", f"c{lower(b, rows.k)}^*", mixed, "mu", "theta", "epsilon", "N")
    return ["c*", "N"] if b else ["c*"]


def power_prior_graph(graph: Graph, *, n_earlier: int, discount: float) -> Graph:
    """Return a model's graph with earlier items, which count as `discount` of an item each.

    Examples
    --------
    >>> from ropewalk.models.graph import Sketch
    >>> coin = Sketch("A coin")
    >>> coin.latent("mu", "μ", "Beta(1, 1)")
    >>> coin.observed("y", "y_i", "Bern(μ)", "mu")
    >>> power_prior_graph(coin.graph(), n_earlier=200, discount=0.1).parents("earlier")
    ('mu', 'discount')
    """
    known, s = graph.known(), Sketch.of(graph, f"{graph.title}, with earlier items")
    again = sum(node.name.startswith("earlier") for node in graph.nodes)
    governing = [
        node.name
        for node in graph.nodes
        if node.kind == "latent" and any(child in known for child in graph.children(node.name))
    ]
    number, mark = again or "", str(again)
    s.constant(f"discount{number}", f"a_{mark}", f"{discount:g}")
    told = f"{n_earlier:,} earlier items, their likelihood to the power a_{mark}"
    s.data(f"earlier{number}", f"D_{mark}", told, *governing, f"discount{number}")
    s.join(f"earlier{number}", *governing)
    return s.graph()


def delta_prior_graph(graph: Graph, law: str) -> Graph:
    """Return a model's graph with a prior on the difference of the scores itself; one classifier has none.

    Examples
    --------
    >>> graph = own_priors_graph(mu="Beta(2, 5)", paired=True, n_labels=2, n_classifiers=2)
    >>> delta_prior_graph(graph, "Normal(0, 0.1)").parents("delta")
    ('psi_A', 'psi_B', 'p(delta)')
    """
    if all(node.name != "delta" for node in graph.nodes):
        return graph
    s = Sketch.of(graph, f"{graph.title}, with a prior on δ")
    s.constant("p(delta)", "p(δ)", law, "delta")
    return s.graph()
