"""PyMC models of priors that are not conjugate: your own, logit-normal ones, and partial pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.layout import Layout, layout_of, rows_of
from ropewalk.mcmc.programs import Program, filler, load_pymc, observe, program_of
from ropewalk.mcmc.variables import simplex
from ropewalk.models import DeltaPrior, LogitNormal, OwnPriors, Pooled, Tree
from ropewalk.models.own import n_types, outcomes_hint, usual_tree

_BINARY: Final = 2
_PLENTY: Final = (20, 8)  # items a class, and classes, from which on their own counts say where logits are


@program_of.register
def _(model: DeltaPrior, tables: Sequence[Any], form: str) -> Program:
    # The draws are weighted afterwards, whoever made them.
    return program_of(model.model, tables, form)


@program_of.register
def _(model: OwnPriors, tables: Sequence[Outcomes], form: str) -> Program:
    pm, layout = load_pymc(), layout_of(usual_tree(tables[0], label_mass=model.label_mass), tables)
    with pm.Model(coords=layout.coords) as built:
        mu = pm.Deterministic("mu", _shares(model, layout, tables), dims=(*layout.dims, "class"))
        theta = pm.Deterministic("theta", _types(model, layout, tables), dims=(*layout.dims, "class", "outcome"))
        observe(pm, layout, mu, theta, form)
    return Program(built, filler(layout))


def _shares(model: OwnPriors, layout: Layout, tables: Sequence[Outcomes]) -> Any:
    """Return the class shares, each table's its own."""
    pm, size = load_pymc(), len(layout.classes)
    if model.mu is None:
        return pm.Dirichlet("shares", a=layout.led(layout.mu_prior), dims=(*layout.dims, "class"))
    drawn = simplex(model.mu, "shares", size, batch=layout.shape, hint="a share of each class, in label order.")
    # Of two labels it is the positive one whose share is meant, and it comes last.
    return drawn[..., ::-1] if size == _BINARY == tables[0].n_labels else drawn


def _types(model: OwnPriors, layout: Layout, tables: Sequence[Outcomes]) -> Any:
    """Return the shares of types in every class."""
    pm, table = load_pymc(), tables[0]
    size, rows = n_types(table), rows_of(tables)
    priors = [model.by_class(table)[j] for j in rows]
    name, hint = model.within[0], outcomes_hint(table)
    if priors[0] is not None and all(prior is priors[0] for prior in priors):
        batch = (*layout.shape, len(rows))
        return simplex(priors[0], name, size, batch=batch, hint=hint)
    found = []
    for i, prior in enumerate(priors):
        called = f"{name}_{('minus', 'plus')[i] if table.n_labels == _BINARY else i}"
        if prior is None:
            found.append(pm.Dirichlet(called, a=layout.led(layout.prior)[..., i, :]))
            continue
        drawn = simplex(prior, called, size, batch=layout.shape, hint=hint)
        # What is said of a negative item is listed from positive to negative: from all wrong to all right.
        found.append(drawn[..., ::-1] if table.n_labels == _BINARY and i == 0 else drawn)
    return pm.math.stack(found, axis=-2)


@program_of.register
def _(model: LogitNormal, tables: Sequence[Outcomes], form: str) -> Program:
    pm = load_pymc()
    layout = layout_of(Tree(mu_prior=model.mu_prior, label_mass=model.label_mass), tables)
    with pm.Model(coords=layout.coords) as built:
        mu = pm.Dirichlet("mu", a=layout.led(layout.mu_prior), dims=(*layout.dims, "class"))
        made = _softmax(model, layout) if model.paired else _logistic(model, layout)
        theta = pm.Deterministic("theta", made, dims=(*layout.dims, "class", "outcome"))
        observe(pm, layout, mu, theta, form)
    return Program(built, filler(layout))


def _logistic(model: LogitNormal, layout: Layout) -> Any:
    """Return the shares of right and wrong, the logit of right being normal."""
    pm, dims = load_pymc(), (*layout.dims, "class")
    centre, spread = _centre(model, layout.dims, model.location)
    if model.correlation != 0 and len(layout.counts) > 1:
        logit = _correlated(model, layout, centre, spread)
    else:
        logit = _normal(layout, _over(centre, layout), _over(spread, layout), dims)
    rho = pm.Deterministic("rho", pm.math.sigmoid(logit), dims=dims)
    return pm.math.stack([rho, 1 - rho], axis=-1)


def _softmax(model: LogitNormal, layout: Layout) -> Any:
    """Return the shares of types, their logits against the first being normal."""
    pm = load_pymc()
    base = layout.prior[0, 0] / layout.prior[0, 0].sum()
    middle = np.log(base[1:] / base[0]) - model.location
    coords = {"other": layout.coords["outcome"][1:]}
    pm.modelcontext(None).add_coords(coords)
    centre, spread = _centre(model, ("other",), middle)
    logit = _normal(layout, centre, spread, ("class", "other"))
    zero = pm.math.zeros_like(logit[..., :1])
    return pm.math.softmax(pm.math.concatenate([zero, logit], axis=-1), axis=-1)


def _centre(model: LogitNormal, dims: tuple[str, ...], middle: Any) -> tuple[Any, Any]:
    """Return the mean and the spread of logits: learned where classes are pooled, else as they were said."""
    if not model.pooled:
        return middle, model.scale
    pm = load_pymc()
    centre = pm.Normal("centre", middle, model.scale, dims=dims or None)
    return centre, pm.HalfNormal("spread", model.spread, dims=dims or None)


def _over(value: Any, layout: Layout) -> Any:
    """Return a number a table with an axis for the classes."""
    return value[..., np.newaxis] if layout.dims and not isinstance(value, float) else value


def _normal(layout: Layout, centre: Any, spread: Any, dims: tuple[str, ...], name: str = "logit") -> Any:
    """Return normal logits, in the form whose shape a chain finds easier: by themselves, or as steps from the centre.

    Where few classes hardly tell how far they are spread, logits by themselves would have to squeeze into a funnel.
    """
    pm = load_pymc()
    if layout.mu_counts.mean() >= _PLENTY[0] and len(layout.classes) >= _PLENTY[1]:
        return pm.Normal(name, centre, spread, dims=dims)
    offset = pm.Normal(f"{name}_offset", 0, 1, dims=dims)
    return pm.Deterministic(name, centre + spread * offset, dims=dims)


def _correlated(model: LogitNormal, layout: Layout, centre: Any, spread: Any) -> Any:
    """Return normal logits of each class that are correlated across classifiers, all pairs alike."""
    pm, number = load_pymc(), len(layout.counts)
    known: Any = model.correlation
    # More than two classifiers cannot all be opposites of each other.
    least = -1 / (number - 1)
    if known == "learned":
        known = pm.Uniform("correlation", least, 1)
    elif known <= least:
        raise InvalidInputError(
            f"{number} classifiers cannot all be correlated by {known:g} with each other.",
            hint=f"use a correlation above {least:.2g}.",
        )
    # Each classifier given those before it, which is quicker by far than a covariance matrix.
    each: list[Any] = []
    steps: list[Any] = []
    for k in range(number):
        middle, width = (_of_table(value, k, model) for value in (centre, spread))
        before = 1 + (k - 1) * known  # 1 plus the correlations among those before
        drift = known / before * sum(steps) if k else 0.0
        left = pm.math.sqrt((1 - known) * (1 + k * known) / before) if k else 1.0
        name = f"logit_{k}"
        each.append(_normal(layout, middle + width * drift, width * left, ("class",), name))
        steps.append((each[-1] - middle) / width)
    return pm.math.stack(each)


def _of_table(value: Any, k: int, model: LogitNormal) -> Any:
    return value[k] if model.pooled else value


@program_of.register
def _(model: Pooled, tables: Sequence[Outcomes], form: str) -> Program:
    pm = load_pymc()
    layout = layout_of(Tree(mu_prior=model.mu_prior, label_mass=model.label_mass, paired=False), tables)
    dims = layout.dims or None
    with pm.Model(coords=layout.coords) as built:
        mu = pm.Dirichlet("mu", a=layout.led(layout.mu_prior), dims=(*layout.dims, "class"))
        centre = pm.Beta("centre", *model.centre_prior, dims=dims)
        shrinkage = pm.Uniform("shrinkage", 0, 1, dims=dims)
        kappa = pm.Deterministic("kappa", model.kappa_scale * shrinkage / (1 - shrinkage), dims=dims)
        m, k = _over(centre, layout), _over(kappa, layout)
        rho = pm.Beta("rho", m * k, (1 - m) * k, dims=(*layout.dims, "class"))
        theta = pm.Deterministic(
            "theta", pm.math.stack([rho, 1 - rho], axis=-1), dims=(*layout.dims, "class", "outcome")
        )
        observe(pm, layout, mu, theta, form)
    return Program(built, filler(layout))
