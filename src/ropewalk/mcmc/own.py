"""PyMC models of priors that are not conjugate: your own, logit-normal ones, and partial pooling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from ropewalk._optional import require
from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.mcmc.layout import Layout, layout_of, rows_of
from ropewalk.mcmc.programs import Program, build, load_pymc, program_of
from ropewalk.mcmc.running import hushed
from ropewalk.models import DeltaPrior, LogitNormal, OwnPriors, Pooled, Tree
from ropewalk.models.cells import n_types
from ropewalk.models.own import describe, is_preliz, outcomes_hint, shapes_of

_TRIAL_DRAWS: Final = 200  # of a prior, to see whether it lies where it must
_ROUNDING: Final = 1e-6


def share(prior: Any, name: str, *, batch: tuple[int, ...], most: float = 1.0) -> Any:
    """Add a variable between 0 and 1, or the `most` it may be, to the current model; independent ones, if in a `batch`.

    Pseudo-counts are of the share itself and of the rest.
    """
    made = _made(prior, name)
    if made.ndim:
        raise InvalidInputError(
            f"`{name}` must be one number per draw, between 0 and 1; got {describe(prior)}.",
            hint="scipy.stats.beta(2, 2) is one.",
        )
    if most == 1:
        return _registered(made, name, batch, "logodds")
    if _drawn(made).max() >= most:
        made = _below(made, prior, name, most)
    pm = load_pymc()
    # A chain must not get beyond, however little of the prior lies there.
    within = pm.distributions.transforms.Interval(0.0, most)
    start = np.full(batch, most / 4)  # a mean may lie at the very end, which has no logit
    return pm.modelcontext(None).register_rv(
        _sized(made, batch), name, transform=within, default_transform=None, initval=start
    )


def _below(made: Any, prior: Any, name: str, most: float) -> Any:
    """Return a distribution cut off at the most that it may be."""
    pm = load_pymc()
    try:
        cut = pm.Truncated.dist(made, lower=0.0, upper=most)
        pm.logp(cut, most / 2).eval()
    except NotImplementedError as error:
        raise InvalidInputError(
            f"`{name}` must lie below {most:.3g}, and {describe(prior)} cannot be cut off there.",
            hint="use a Beta, or a distribution that lies below.",
        ) from error
    return cut


def simplex(prior: Any, name: str, size: int, *, batch: tuple[int, ...], hint: str) -> Any:
    """Add a variable of `size` shares that add up to 1 to the current model; independent ones, if in a `batch`.

    Where there are two, a distribution of one number is that of the first, and the second is the rest.
    """
    pm = load_pymc()
    made = _made(prior, name)
    if made.ndim == 0 and size == 2:  # noqa: PLR2004
        first = _registered(made, f"{name}_share", batch, "logodds")
        return pm.math.stack([first, 1 - first], axis=-1)
    if made.ndim != 1 or _drawn(made).shape[-1] != size:
        raise InvalidInputError(f"`{name}` must be over {size} shares; got {describe(prior)}.", hint=hint)
    return _registered(made, name, batch, "simplex")


def _made(prior: Any, name: str) -> Any:
    """Return a prior as an unnamed PyMC distribution that lies between 0 and 1."""
    pm = load_pymc()
    shapes = shapes_of(prior)
    if shapes is not None:
        made = pm.Beta.dist(*shapes) if len(shapes) == 2 else pm.Dirichlet.dist(np.array(shapes))  # noqa: PLR2004
    elif is_preliz(prior):
        kind = getattr(pm, type(prior).__name__, None)
        if kind is None:
            raise InvalidInputError(
                f"PyMC knows no distribution {type(prior).__name__!r}, which `{name}` is of.",
                hint="give one of PyMC itself, or a Beta or Dirichlet of SciPy.",
            )
        made = kind.dist(**dict(zip(prior.param_names, prior.params, strict=True)))  # both use the same names
    else:
        made = prior
    values = _drawn(made)
    off = values[~((values >= 0) & (values <= 1))]
    if off.size:
        raise InvalidInputError(
            f"`{name}` must lie between 0 and 1, and {describe(prior)} gives {off.flat[0]:.3g}.",
            hint="truncate it, or use a Beta, LogitNormal or Dirichlet.",
        )
    if values.ndim > 1 and not np.allclose(values.sum(axis=-1), 1, atol=_ROUNDING):
        raise InvalidInputError(
            f"`{name}` must be shares that add up to 1; those of {describe(prior)} do not.",
            hint="scipy.stats.dirichlet([1, 1]) is one.",
        )
    return made


def _drawn(made: Any) -> Any:
    with hushed():
        return np.asarray(load_pymc().draw(made, draws=_TRIAL_DRAWS, random_seed=0), dtype=np.float64)


def _registered(made: Any, name: str, batch: tuple[int, ...], transform: str) -> Any:
    """Add copies of a distribution to the current model, on an unbounded scale whether PyMC knows one for it or not."""
    pm = load_pymc()
    with pm.Model(model=None) as trial:  # which belongs to no other
        known = trial.rvs_to_transforms[trial.register_rv(_sized(made, batch), name)]
    how = {} if known is not None else {"transform": getattr(pm.distributions.transforms, transform)}
    return pm.modelcontext(None).register_rv(_sized(made, batch), name, **how)


def _sized(made: Any, batch: tuple[int, ...]) -> Any:
    if not batch:
        return made
    shape_utils = require("pymc.distributions.shape_utils", extra="mcmc", caller="a prior")
    return shape_utils.change_dist_size(made, batch)


_MIN_ITEMS_PER_CLASS: Final = 20  # with so many items, and so many classes, their counts say where logits are
_MIN_CLASSES: Final = 8


@program_of.register
def _(model: DeltaPrior, tables: Sequence[Any], form: str) -> Program:
    # The draws are weighted afterwards, however they were made.
    return program_of(model.model, tables, form)


@program_of.register
def _(model: OwnPriors, tables: Sequence[Outcomes], form: str) -> Program:
    layout = layout_of(Tree(label_mass=model.label_mass), tables)
    return build(layout, form, lambda: _types(model, layout, tables), lambda: _shares(model, layout, tables))


def _shares(model: OwnPriors, layout: Layout, tables: Sequence[Outcomes]) -> Any:
    """Return the class shares, each table's its own."""
    pm, size = load_pymc(), len(layout.classes)
    if model.mu is None:
        return pm.Dirichlet("shares", a=layout.led(layout.mu_prior), dims=(*layout.dims, "class"))
    drawn = simplex(model.mu, "shares", size, batch=layout.shape, hint="a share of each class, in label order.")
    # Of two labels it is the positive one whose share is meant, and it comes last.
    return drawn[..., ::-1] if size == BINARY == tables[0].n_labels else drawn


def _types(model: OwnPriors, layout: Layout, tables: Sequence[Outcomes]) -> Any:
    """Return the shares of types in every class."""
    pm, table = load_pymc(), tables[0]
    size, rows = n_types(table.n_classifiers, table.n_labels), rows_of(tables)
    priors = [model.by_class(table)[j] for j in rows]
    name, hint = model.within[0], outcomes_hint(table)
    if priors[0] is not None and all(prior is priors[0] for prior in priors):
        return simplex(priors[0], name, size, batch=(*layout.shape, len(rows)), hint=hint)
    types = []
    for i, prior in enumerate(priors):
        called = f"{name}_{('minus', 'plus')[i] if table.n_labels == BINARY else i}"
        if prior is None:
            types.append(pm.Dirichlet(called, a=layout.led(layout.prior)[..., i, :]))
            continue
        drawn = simplex(prior, called, size, batch=layout.shape, hint=hint)
        # What is said of a negative item is listed from positive to negative: from all wrong to all right.
        types.append(drawn[..., ::-1] if table.n_labels == BINARY and i == 0 else drawn)
    return pm.math.stack(types, axis=-2)


@program_of.register
def _(model: LogitNormal, tables: Sequence[Outcomes], form: str) -> Program:
    layout = layout_of(Tree(mu_prior=model.mu_prior, label_mass=model.label_mass), tables)
    return build(layout, form, lambda: (_softmax if model.paired else _logistic)(model, layout))


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
    pm.modelcontext(None).add_coords({"other": layout.coords["outcome"][1:]})
    centre, spread = _centre(model, ("other",), middle)
    logit = _normal(layout, centre, spread, ("class", "other"))
    zero = pm.math.zeros_like(logit[..., :1])
    return pm.math.softmax(pm.math.concatenate([zero, logit], axis=-1), axis=-1)


def _centre(model: LogitNormal, dims: tuple[str, ...], middle: Any) -> tuple[Any, Any]:
    """Return the mean and the spread of logits: learned where classes are pooled, else those of the prior."""
    if not model.pooled:
        return middle, model.scale
    pm = load_pymc()
    centre = pm.Normal("centre", middle, model.scale, dims=dims or None)
    return centre, pm.HalfNormal("spread", model.spread, dims=dims or None)


def _over(value: Any, layout: Layout) -> Any:
    """Return a number per table with an axis for the classes."""
    return value[..., np.newaxis] if layout.dims and not isinstance(value, float) else value


def _normal(layout: Layout, centre: Any, spread: Any, dims: tuple[str, ...], name: str = "logit") -> Any:
    """Return normal logits, in the form whose shape a chain finds easier: by themselves, or as steps from the centre.

    Where few classes hardly tell how far they are spread, logits by themselves would have to squeeze into a funnel.
    """
    pm = load_pymc()
    if layout.mu_counts.mean() >= _MIN_ITEMS_PER_CLASS and len(layout.classes) >= _MIN_CLASSES:
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
    logits: list[Any] = []
    steps: list[Any] = []
    for k in range(number):
        middle, width = (value[k] if model.pooled else value for value in (centre, spread))
        before = 1 + (k - 1) * known  # 1 plus the correlations among those before
        drift = known / before * sum(steps) if k else 0.0
        left = pm.math.sqrt((1 - known) * (1 + k * known) / before) if k else 1.0
        logits.append(_normal(layout, middle + width * drift, width * left, ("class",), f"logit_{k}"))
        steps.append((logits[-1] - middle) / width)
    return pm.math.stack(logits)


@program_of.register
def _(model: Pooled, tables: Sequence[Outcomes], form: str) -> Program:
    pm = load_pymc()
    layout = layout_of(Tree(mu_prior=model.mu_prior, label_mass=model.label_mass, paired=False), tables)

    def types() -> Any:
        dims = layout.dims or None
        centre = pm.Beta("centre", *model.centre_prior, dims=dims)
        shrinkage = pm.Uniform("shrinkage", 0, 1, dims=dims)
        kappa = pm.Deterministic("kappa", model.kappa_scale * shrinkage / (1 - shrinkage), dims=dims)
        m, k = _over(centre, layout), _over(kappa, layout)
        rho = pm.Beta("rho", m * k, (1 - m) * k, dims=(*layout.dims, "class"))
        return pm.math.stack([rho, 1 - rho], axis=-1)

    return build(layout, form, types)
