"""PyMC models of the label models, built from the same tables that the exact engine is fitted to.

Two forms, after SIGIR 2016, section 3.1, that have the same posterior: "counts" (the compact one: how many items are of
each class, and how many of a class have each outcome) and "items" (the original one: every item's class and outcome).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Final

import numpy as np

from ropewalk._optional import require
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.layout import Layout, layout_of, rows_of
from ropewalk.metrics.margins import Tables
from ropewalk.models import Flat, Icdm2015
from ropewalk.models.cells import SMALLEST_SHARE
from ropewalk.typing import FloatArray

Parameters = Mapping[str, FloatArray]
"""Draws of the parameters, by name, the draws along the first axis."""

_MOST_TOGETHER: Final = (6, 4)  # classifiers of two labels, of more: beyond, types are too many to list
_MOST_ITEMS: Final = 2**31 - 1  # PyMC keeps counts in 32 bits, and larger ones come out as others without a word
_BINARY: Final = 2


@dataclass(frozen=True, eq=False)
class Program:
    """A PyMC model, and the way from its draws to tables: one a table of the data."""

    model: Any
    tables: Callable[[np.random.Generator, Parameters], list[Tables]]

    @property
    def free(self) -> tuple[str, ...]:
        """The names of the parameters that have a prior of their own."""
        return tuple(variable.name for variable in self.model.free_RVs)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters, those made of others among them."""
        return (*self.free, *(variable.name for variable in self.model.deterministics))


def load_pymc() -> Any:
    """Import PyMC, which takes seconds and is done only where a chain is asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ, which it imports, announces its next version once a day
        return require("pymc", extra="mcmc", caller='engine="pymc"')


def check_tables(tables: Sequence[Any]) -> None:
    """Refuse what has nothing to sample, or too many types to list."""
    first = tables[0]
    if first.n_labels < _BINARY and isinstance(first, Outcomes):
        raise InvalidInputError(
            "There is only one label, so there is nothing to sample.", hint='use engine="exact", or declare labels=.'
        )
    most = _MOST_TOGETHER[first.n_labels > _BINARY]
    if first.n_classifiers > most:
        raise InvalidInputError(
            f'engine="pymc" takes up to {most} classifiers of one table at once; got {first.n_classifiers}.',
            hint='rank fewer, or use engine="exact".',
        )
    items = max(table.n_items for table in tables)
    if items > _MOST_ITEMS:
        raise InvalidInputError(
            f'engine="pymc" takes up to {_MOST_ITEMS:,} items; got {items:,}.', hint='use engine="exact".'
        )


@singledispatch
def program_of(model: Any, tables: Sequence[Any], form: str) -> Program:
    """Return the PyMC model of `tables` under a model's prior."""
    pm = load_pymc()
    layout = layout_of(model, tables)
    with pm.Model(coords=layout.coords) as built:
        mu = pm.Dirichlet("mu", a=layout.led(layout.mu_prior), dims=(*layout.dims, "class"))
        theta = pm.Dirichlet("theta", a=layout.led(layout.prior), dims=(*layout.dims, "class", "outcome"))
        observe(pm, layout, mu, theta, form)
    return Program(built, filler(layout))


def filler(layout: Layout, mu: str = "mu", theta: str = "theta") -> Callable[..., list[Tables]]:
    """Return the way from draws of class shares and outcome shares to tables."""

    def tables(rng: np.random.Generator, found: Parameters) -> list[Tables]:
        shares = found[mu].reshape(-1, *layout.mu_counts.shape)
        types = found[theta].reshape(-1, *layout.counts.shape)
        return layout.fill(rng, shares, types)

    return tables


def observe(pm: Any, layout: Layout, mu: Any, theta: Any, form: str) -> None:
    """Say what was observed, given class shares and outcome shares as tensors with the layout's axes."""
    observe_classes(pm, layout, mu, form)
    if form == "counts":
        dims = (*layout.dims, "class", "outcome")
        pm.Multinomial(
            "outcomes", n=_n(layout.led(layout.mu_counts)), p=theta, observed=_n(layout.led(layout.counts)), dims=dims
        )
        return
    for where, suffix in _places(layout):
        kind, outcome = _items(layout, where)
        place = np.unravel_index(where, layout.shape) if layout.shape else ()
        pm.Categorical(f"outcome_i{suffix}", p=theta[(*place, kind)], observed=outcome)


def observe_classes(pm: Any, layout: Layout, mu: Any, form: str) -> None:
    """Say how many items are of each class, or which class each is of."""
    if form == "counts":
        counts = layout.led(layout.mu_counts)
        pm.Multinomial("classes", n=_n(counts.sum(axis=-1)), p=mu, observed=_n(counts), dims=(*layout.dims, "class"))
        return
    for where, suffix in _places(layout):
        place = np.unravel_index(where, layout.shape) if layout.shape else ()
        pm.Categorical(f"class_i{suffix}", p=mu[place] if place else mu, observed=_items(layout, where)[0])


def _places(layout: Layout) -> list[tuple[int, str]]:
    """Return the tables' places, each with what tells the names of its variables apart."""
    return [(i, f"_{i}" if layout.shape else "") for i in range(len(layout.counts))]


def _items(layout: Layout, where: int) -> tuple[Any, Any]:
    """Return the class and the outcome of every item of a table."""
    counts = layout.counts[where].astype(np.int64)
    kind, outcome = np.indices(counts.shape).reshape(2, -1)
    return np.repeat(kind, counts.reshape(-1)), np.repeat(outcome, counts.reshape(-1))


def _n(counts: FloatArray) -> Any:
    return counts.astype(np.int64)


@program_of.register
def _(model: Icdm2015, tables: Sequence[Outcomes], form: str) -> Program:
    # With the rows integrated out a row of counts is Dirichlet-multinomial given eta: shapes of (1 − eta) / (M − 1) are
    # then nothing to sample, and a row given eta is drawn exactly.
    pm, rows = load_pymc(), rows_of(tables)
    n_labels = tables[0].n_labels
    parts = [model.fit(table) for table in tables]
    layout = _matrix(model, tables)
    diagonal = np.eye(n_labels)[rows]
    coords = {**layout.coords, "predicted": layout.coords["outcome"]}
    with pm.Model(coords=coords) as built:
        mu = pm.Dirichlet("mu", a=layout.led(layout.mu_prior), dims=(*layout.dims, "class"))
        eta = pm.Beta("eta", *model.eta_prior, shape=layout.shape, dims=layout.dims or None)
        on = model.kappa * eta
        off = model.kappa * (1 - eta) / (n_labels - 1)
        if layout.shape:
            on, off = on[:, np.newaxis, np.newaxis], off[:, np.newaxis, np.newaxis]
        omega = on * diagonal + off * (1 - diagonal)
        observe_classes(pm, layout, mu, form)
        counts = layout.led(layout.counts)
        if form == "counts":
            pm.DirichletMultinomial("rows", n=_n(counts.sum(axis=-1)), a=omega, observed=_n(counts))
        else:
            theta = pm.Dirichlet("theta", a=omega, dims=(*layout.dims, "class", "predicted"))
            for where, suffix in _places(layout):
                kind, label = _items(layout, where)
                place = (where, kind) if layout.shape else (kind,)
                pm.Categorical(f"predicted_i{suffix}", p=theta[place], observed=label)

    def fill(rng: np.random.Generator, found: Parameters) -> list[Tables]:
        if form == "items":
            return filler(layout)(rng, found)
        shares = found["mu"].reshape(-1, *layout.mu_counts.shape)
        etas = found["eta"].reshape(len(shares), -1)
        filled: list[Tables] = []
        for t, part in enumerate(parts):
            whole = np.full((n_labels, len(shares)), SMALLEST_SHARE)
            whole[rows] = np.maximum(shares[:, t].T, SMALLEST_SHARE)
            filled.append(part.fill(rng, whole, etas[:, t]))
        return filled

    return Program(built, fill)


def _matrix(model: Icdm2015, tables: Sequence[Outcomes]) -> Layout:
    """Return the layout of confusion matrices: outcomes are labels."""
    return layout_of(Flat(mu_prior=model.mu_prior), tables)
