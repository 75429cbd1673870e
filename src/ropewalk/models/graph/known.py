"""The graph of each model, after the papers' figures: SIGIR 2016, Figures 1 to 3, and ICDM 2015, Figure 2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from ropewalk.models.binary import Paired, Unpaired
from ropewalk.models.bootstrap import Bootstrap
from ropewalk.models.delta import DeltaPrior
from ropewalk.models.distributions import describe, is_counts
from ropewalk.models.flat import Flat
from ropewalk.models.graph import graph_of
from ropewalk.models.graph.shapes import (
    Prior,
    Rows,
    binary_graph,
    confusion_graph,
    each,
    lower,
    recalls_graph,
    types_graph,
)
from ropewalk.models.graph.sketch import Form, Graph, Sketch
from ropewalk.models.graph.variants import (
    delta_prior_graph,
    logit_normal_graph,
    noisy_labels_graph,
    own_priors_graph,
    pooled_graph,
    power_prior_graph,
)
from ropewalk.models.hierarchical import Icdm2015
from ropewalk.models.logit import LogitNormal
from ropewalk.models.multilabel import Multilabel
from ropewalk.models.noise import NoisyLabels
from ropewalk.models.own import OwnPriors
from ropewalk.models.pooled import Pooled
from ropewalk.models.power_prior import PowerPrior
from ropewalk.models.tree import Tree

_BINARY: Final = 2


def _paired(model: Paired, *, n_labels: int, n_classifiers: int, form: Form) -> Graph:  # noqa: ARG001
    return binary_graph(
        "Two classifiers on one test set, two labels (SIGIR 2016)",
        Prior.of("β", model.mu), Prior.of("α^+", model.positive), Prior.of("α^−", model.negative),
        paired=True, n_classifiers=n_classifiers, form=form,
    )  # fmt: skip


def _unpaired(model: Unpaired, *, n_labels: int, n_classifiers: int, form: Form) -> Graph:  # noqa: ARG001
    title = "One classifier" if n_classifiers == 1 else "Each classifier on its own test set"
    return binary_graph(
        f"{title}, two labels (SIGIR 2016)",
        Prior.of("β", model.mu), Prior.of("α^+", model.positive), Prior.of("α^−", model.negative),
        paired=False, n_classifiers=n_classifiers, form=form,
    )  # fmt: skip


def _multilabel(model: Multilabel, *, n_labels: int, n_classifiers: int, form: Form) -> Graph:
    outcomes = 2**n_classifiers if model.paired else _BINARY
    shape = f"{model.kappa / outcomes:g}"
    return binary_graph(
        "Items with any number of labels: two outcomes a label",
        Prior.even("β", f"{model.mu_prior:g}", _BINARY),
        Prior.even("α^+", shape, outcomes), Prior.even("α^−", shape, outcomes),
        paired=model.paired, n_classifiers=n_classifiers, form=form, n_stacked=n_labels,
    )  # fmt: skip


# -- any number of labels --------------------------------------------------------------------------------------


def _flat(model: Flat, **asked: Any) -> Graph:
    rows = Rows.even("Confusion matrices, every row for itself", model.mu_prior, paired=False, **asked)
    prior = Prior.even("α", f"{model.pseudo_count:g}", rows.n_labels)
    rows.sketch.constant("alpha", prior.text, prior.value)
    rows.sketch.latent("theta", rows.sign("θ"), prior.law, "alpha")
    return confusion_graph(rows)


def _icdm2015(model: Icdm2015, **asked: Any) -> Graph:
    title = "Confusion matrices, rows tied together by η (ICDM 2015)"
    rows = Rows.even(title, model.mu_prior, paired=False, **asked)
    s, eta, others = rows.sketch, f"η{lower(rows.k)}", max(rows.n_labels - 1, 1)
    mass = "" if model.mass == 1 else f"{model.mass:g} · "
    prior = Prior.of("α", (model.alpha, model.beta))
    s.constant("alpha", prior.text, prior.value)
    s.latent("eta", eta, prior.law, "alpha")
    s.derived("omega", rows.sign("ω"), f"{mass}{eta} on the diagonal, {mass}(1 − {eta}) / {others} elsewhere", "eta")
    s.latent("theta", rows.sign("θ"), f"Dir({rows.sign('ω')})", "omega")
    rows.own("omega")
    return confusion_graph(rows)


def _tree(model: Tree, *, n_classifiers: int, **asked: Any) -> Graph:
    several = model.paired and n_classifiers > 1
    if several:
        title = f"{'Two' if n_classifiers == _BINARY else n_classifiers} classifiers on one test set: outcome types"
    else:
        who = "One classifier" if n_classifiers == 1 else "Each classifier on its own test set"
        title = f"{who}: right or wrong, then which label"
    rows = Rows.even(title, model.mu_prior, n_classifiers=n_classifiers, paired=model.paired, **asked)
    kappa, centre = f"{model.kappa:g}", "base" if model.centre == "fixed" else "pooled"
    rows.sketch.constant("kappa", "κ", kappa)
    if several:
        rows.sketch.latent("tau", rows.sign("τ"), f"Dir({kappa} · {centre}) over the types", "kappa")
        return types_graph(rows, model.label_mass)
    half = f"{model.kappa / 2:g}"
    law = f"Beta({half}, {half})" if model.centre == "fixed" else f"Beta({kappa} · {centre})"
    rows.sketch.latent("rho", rows.sign("ρ"), law, "kappa")
    return recalls_graph(rows, model.label_mass)


# -- the bootstrap ---------------------------------------------------------------------------------------------


def _bootstrap(model: Bootstrap, *, n_labels: int, n_classifiers: int, form: Form) -> Graph:  # noqa: ARG001
    k, clusters = each(paired=model.paired, n_classifiers=n_classifiers), model.over == "clusters"
    s = Sketch(f"The Bayesian bootstrap over {model.over}")
    if form == "counts" and not clusters:
        # Rubin's view of it: no prior at all on how often each outcome occurs.
        s.constant("zero", "0", "(0, …, 0)")
        s.latent("w", f"w{lower(k)}", f"Dir(0, …, 0); given c{lower(k)}, Dir(1, …, 1) over the items", "zero")
        s.constant("N", f"N{lower(k)}")
        s.observed("c", f"c{lower(k)}", f"Mult(N{lower(k)}, w{lower(k)}) over the outcomes that occurred", "w", "N")
        s.scores("w", paired=model.paired, n_classifiers=n_classifiers)
        return s.graph()
    unit, size = ("g", "G") if clusters else ("i", "N")
    s.constant("one", "1", "(1, …, 1)")
    s.latent("w", f"w{lower(unit, k)}", f"Dir(1, …, 1) over all {model.over}", "one")
    s.data("x", f"x{lower('g' if clusters else '', 'i', k)}", "the truth of an item and what was said about it")
    if clusters:
        s.plate(f"item i = 1 … N_{{g{k}}}", "x")
    s.plate(f"{'cluster' if clusters else 'item'} {unit} = 1 … {size}{lower(k)}", "w", "x")
    s.scores("w", "x", paired=model.paired, n_classifiers=n_classifiers)
    return s.graph()


# -- variants --------------------------------------------------------------------------------------------------


def _pooled(model: Pooled, **asked: Any) -> Graph:
    return pooled_graph(
        centre=(model.alpha, model.beta), kappa_scale=model.kappa_scale,
        mu_prior=model.mu_prior, label_mass=model.label_mass, **asked,
    )  # fmt: skip


def _logit_normal(model: LogitNormal, **asked: Any) -> Graph:
    return logit_normal_graph(
        location=model.location, scale=model.scale, spread=model.spread if model.pooled else None,
        correlation=model.correlation, mu_prior=model.mu_prior, label_mass=model.label_mass, paired=model.paired,
        **asked,
    )  # fmt: skip


def _own_priors(model: OwnPriors, **asked: Any) -> Graph:
    told: Any = model.within[1]
    within: Any = ""
    if isinstance(told, Mapping):  # of some classes, each its own
        within = " or ".join(dict.fromkeys(map(describe, told.values())))
    elif told is not None:
        within = tuple(map(describe, told)) if isinstance(told, tuple) and not is_counts(told) else describe(told)
    return own_priors_graph(
        mu="" if model.mu is None else describe(model.mu), within=within,
        paired=bool(model.paired), label_mass=model.label_mass, **asked,
    )  # fmt: skip


def _noisy_labels(model: NoisyLabels, **asked: Any) -> Graph:
    error = model.prior.removeprefix("error ").rpartition("; ")[0]
    return noisy_labels_graph(
        error=error.removeprefix("~ "), error_is_known="~" not in error,
        n_batches=1 if model.batches is None else len(model.batches), drift=model.drift, paired=model.paired, **asked,
    )  # fmt: skip


def _power_prior(model: PowerPrior, **asked: Any) -> Graph:
    before = graph_of(model.model, **asked)
    return power_prior_graph(before, n_earlier=model.earlier.n_items, discount=model.discount)


def _delta_prior(model: DeltaPrior, **asked: Any) -> Graph:
    law = model.prior.removeprefix("delta ~ ").partition("; else ")[0]
    return delta_prior_graph(graph_of(model.model, **asked), law)


BUILDERS: Final[dict[type, Callable[..., Graph]]] = {
    Paired: _paired,
    Unpaired: _unpaired,
    Multilabel: _multilabel,
    Flat: _flat,
    Icdm2015: _icdm2015,
    Tree: _tree,
    Bootstrap: _bootstrap,
    Pooled: _pooled,
    LogitNormal: _logit_normal,
    OwnPriors: _own_priors,
    NoisyLabels: _noisy_labels,
    PowerPrior: _power_prior,
    DeltaPrior: _delta_prior,
}
"""How the graph of each model is made; a model of another class has a method `graph`."""
