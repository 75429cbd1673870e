"""The log density of a PyMC model at values of its parameters, to be compared with a closed form."""

from __future__ import annotations

import warnings

import numpy as np
from scipy import stats
from scipy.special import logit

from ropewalk.mcmc.programs import program_of


class Density:
    """The log density of a program at values of its parameters, without the constants of change of variables."""

    def __init__(self, model, tables, form="counts"):
        self.program = program_of(model, tables, form)
        self.model = self.program.model
        self.call = self._compiled(self.model.logp(jacobian=False))

    def _compiled(self, outputs):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.model.compile_fn(
                outputs, inputs=self.model.value_vars, mode="FAST_COMPILE", on_unused_input="ignore"
            )

    def _point(self, values):
        names = {rv.name for rv in self.model.free_RVs}
        assert set(values) == names
        return {
            value.name: unbounded(np.asarray(values[rv.name]), self.model.rvs_to_transforms[rv], rv.owner.inputs)
            for rv, value in zip(self.model.free_RVs, self.model.value_vars, strict=True)
        }

    def __call__(self, **values):
        return float(self.call(self._point(values)))

    def made(self, **values):
        """Return what the model makes of its parameters, by name."""
        variables = self.model.deterministics
        outputs = self.model.replace_rvs_by_values(variables)
        return dict(zip([one.name for one in variables], self._compiled(outputs)(self._point(values)), strict=True))

    def sizes(self):
        """Return the shape of every parameter, by name."""
        return {rv.name: tuple(rv.shape.eval()) for rv in self.model.free_RVs}


def unbounded(value, transform, inputs):
    """Return a parameter on PyMC's own scale; see the transforms of the same names there."""
    kind = type(transform).__name__
    if kind == "NoneType":
        return value
    if kind == "LogTransform":
        return np.log(value)
    if kind == "LogOddsTransform":
        return logit(value)
    if kind.startswith("Interval"):
        low, high = (float(getattr(end, "eval", lambda end=end: end)()) for end in transform.args_fn(*inputs))
        return logit((value - low) / (high - low))
    assert kind == "SimplexTransform"
    logs = np.log(value)
    return (logs - logs.mean(axis=-1, keepdims=True))[..., :-1]


def shares(rng, *shape):
    """Return points of simplexes along the last axis."""
    return rng.dirichlet(np.ones(shape[-1]), shape[:-1])


def log_dirichlet(value, shapes):
    """Return the log density of independent Dirichlets along the last axis."""
    size = value.shape[-1]
    rows = zip(value.reshape(-1, size), np.broadcast_to(shapes, value.shape).reshape(-1, size), strict=True)
    return sum(stats.dirichlet(shape).logpdf(one) for one, shape in rows)


def assert_constant(values):
    """Two log densities differ by a constant: of one part in 10⁹ of what they are made of."""
    assert np.ptp(values) < 1e-9 * max(1.0, np.abs(values).max())
