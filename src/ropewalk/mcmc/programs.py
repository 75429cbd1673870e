"""PyMC models of the label models, built from the same tables that the exact engine is fitted to.

Two forms, after SIGIR 2016, section 3.1, that have the same posterior: "counts" (the compact one: how many items are of
each class, and how many of a class have each outcome) and "items" (the original one: every item's class and outcome).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, Final

import numpy as np

from ropewalk._optional import require
from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError, UnreadableFileError
from ropewalk.mcmc.layout import Layout, layout_of, rows_of, whole_shares
from ropewalk.metrics.margins import Tables
from ropewalk.models import Flat, Icdm2015
from ropewalk.text.remarks import wording
from ropewalk.text.writing import reason
from ropewalk.typing import FloatArray

Parameters = Mapping[str, FloatArray]
"""Draws of the parameters, by name, the draws along the first axis."""

_MAX_CLASSIFIERS: Final = (6, 4)  # of two labels, of more: beyond, types are too many to list
_MAX_ITEMS: Final = 2**31 - 1  # PyMC keeps counts in 32 bits, and larger ones come out as others without a word


@dataclass(frozen=True, eq=False)
class Program:
    """A PyMC model, and the way from its draws to tables: one per table of the data."""

    model: Any
    tables: Callable[[np.random.Generator, Parameters], list[Tables]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parameters: those with a prior of their own, then those made of others."""
        return tuple(variable.name for variable in (*self.model.free_RVs, *self.model.deterministics))


def load_pymc() -> Any:
    """Import PyMC, which takes seconds and is done only where a chain is asked for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ, which it imports, announces its next version once a day
        try:
            return require("pymc", extra="mcmc", caller='engine="pymc"')
        except OSError as error:
            raise UnreadableFileError(
                f"PyMC has no folder to keep what it compiles in: {reason(error)}.",
                hint="let HOME, or PYTENSOR_FLAGS=base_compiledir=FOLDER, name a folder that can be written.",
            ) from error


def check_tables(tables: Sequence[Any]) -> None:
    """Refuse what has nothing to sample, or too many types to list."""
    first = tables[0]
    if first.n_labels < BINARY and isinstance(first, Outcomes):
        raise InvalidInputError(
            "There is only one label, so there is nothing to sample.",
            hint=wording('use engine="exact", or declare labels=.'),
        )
    most = _MAX_CLASSIFIERS[first.n_labels > BINARY]
    if first.n_classifiers > most:
        raise InvalidInputError(
            wording(
                'engine="pymc" takes up to {} classifiers of one table at once; got {}.', most, first.n_classifiers
            ),
            hint=wording('rank fewer, or use engine="exact".'),
        )
    items = max(table.n_items for table in tables)
    if items > _MAX_ITEMS:
        raise InvalidInputError(
            wording('engine="pymc" takes up to {:,} items; got {:,}.', _MAX_ITEMS, items),
            hint=wording('use engine="exact".'),
        )


@singledispatch
def program_of(model: Any, tables: Sequence[Any], form: str) -> Program:
    """Return the PyMC model of `tables` under a model's prior."""
    return build(layout_of(model, tables), form)


def build(
    layout: Layout, form: str, types: Callable[[], Any] | None = None, shares: Callable[[], Any] | None = None
) -> Program:
    """Return the PyMC model of a layout, and the way from its draws to tables.

    `types` and `shares` make the outcome shares and the class shares where these have no Dirichlet prior.
    """
    pm, dims = load_pymc(), (*layout.dims, "class", "outcome")
    with pm.Model(coords=layout.coords) as built:
        mu = class_shares(pm, layout) if shares is None else pm.Deterministic("mu", shares(), dims=dims[:-1])
        if types is None:
            theta = pm.Dirichlet("theta", a=layout.led(layout.prior), dims=dims)
        else:
            theta = pm.Deterministic("theta", types(), dims=dims)
        observe_classes(pm, layout, mu, form)
        if form == "counts":
            n, counts = _n(layout.led(layout.mu_counts)), _n(layout.led(layout.counts))
            pm.Multinomial("outcomes", n=n, p=theta, observed=counts, dims=dims)
        else:
            observe_items(pm, layout, "outcome_i", theta)
    return Program(built, filler(layout))


def filler(layout: Layout) -> Callable[[np.random.Generator, Parameters], list[Tables]]:
    """Return the way from draws of class shares mu and outcome shares theta to tables."""

    def tables(rng: np.random.Generator, draws: Parameters) -> list[Tables]:
        shares = draws["mu"].reshape(-1, *layout.mu_counts.shape)
        return layout.fill(rng, shares, draws["theta"].reshape(-1, *layout.counts.shape))

    return tables


def class_shares(pm: Any, layout: Layout) -> Any:
    """Add class shares ~ Dirichlet to the current model."""
    return pm.Dirichlet("mu", a=layout.led(layout.mu_prior), dims=(*layout.dims, "class"))


def observe_classes(pm: Any, layout: Layout, mu: Any, form: str) -> None:
    """Add how many items are of each class, or which class each is of."""
    if form == "counts":
        counts = layout.led(layout.mu_counts)
        pm.Multinomial("classes", n=_n(counts.sum(axis=-1)), p=mu, observed=_n(counts), dims=(*layout.dims, "class"))
        return
    for suffix, place, truth, _ in _items(layout):
        pm.Categorical(f"class_i{suffix}", p=mu[place] if place else mu, observed=truth)


def observe_items(pm: Any, layout: Layout, name: str, theta: Any) -> None:
    """Add the outcome of every item, given the outcome shares of its class."""
    for suffix, place, truth, outcome in _items(layout):
        pm.Categorical(f"{name}{suffix}", p=theta[(*place, truth)], observed=outcome)


def _items(layout: Layout) -> Iterator[tuple[str, tuple[Any, ...], Any, Any]]:
    """Go through the tables: a suffix for names of variables, the place, and the class and outcome of every item."""
    for number, table in enumerate(layout.counts):
        place = np.unravel_index(number, layout.shape) if layout.shape else ()
        truth, outcome = np.repeat(np.indices(table.shape).reshape(2, -1), _n(table).reshape(-1), axis=1)
        yield f"_{number}" if layout.shape else "", place, truth, outcome


def _n(counts: FloatArray) -> Any:
    return counts.astype(np.int64)


@program_of.register
def _(model: Icdm2015, tables: Sequence[Outcomes], form: str) -> Program:
    # With the rows integrated out a row of counts is Dirichlet-multinomial given eta: shapes of (1 − eta) / (M − 1) are
    # then nothing to sample, and a row given eta is drawn exactly.
    pm, rows = load_pymc(), rows_of(tables)
    n_labels = tables[0].n_labels
    parts = [model.fit(table) for table in tables]
    layout = layout_of(Flat(mu_prior=model.mu_prior), tables)  # confusion matrices: outcomes are labels
    diagonal = np.eye(n_labels)[rows]
    coords = {**layout.coords, "predicted": layout.coords["outcome"]}
    with pm.Model(coords=coords) as built:
        mu = class_shares(pm, layout)
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
            observe_items(pm, layout, "predicted_i", theta)

    def fill(rng: np.random.Generator, draws: Parameters) -> list[Tables]:
        shares = draws["mu"].reshape(-1, *layout.mu_counts.shape)
        etas = draws["eta"].reshape(len(shares), -1)
        return [part.fill(rng, whole_shares(shares[:, t], rows, n_labels), etas[:, t]) for t, part in enumerate(parts)]

    return Program(built, fill if form == "counts" else filler(layout))
