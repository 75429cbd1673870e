"""A prior on the difference itself: what is believed about A − B, whatever the model makes of the parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from ropewalk.draws.density import neighbour_density
from ropewalk.errors import InvalidInputError
from ropewalk.models.graph import Graph, Node, Size, graph_of
from ropewalk.models.own import describe, is_pymc, log_density
from ropewalk.models.protocol import NOT_THEIRS, Model, Posterior, Wrapper
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DeltaPrior(Wrapper):
    """A model whose prior of the difference A − B of the metric is replaced by one of your own.

    `delta` is a distribution of PyMC, PreliZ or SciPy (`scipy.stats.norm(0, 0.02)`), or a function that returns log
    densities. The model keeps all else: given the difference, the parameters are distributed as they were. So the
    posterior is that of the model, each draw weighted by the new density of its difference over the old one.

    Examples
    --------
    >>> from scipy import stats
    >>> from ropewalk.models import Sigir2016
    >>> DeltaPrior(model=Sigir2016(), delta=stats.norm(0, 0.02)).prior
    'delta ~ norm(0, 0.02); else mu ~ Beta(1, 1); theta+ ~ Dir(1, 1, 1, 1); theta- ~ Dir(1, 1, 1, 1)'
    """

    model: Model
    delta: Any

    weights_difference = True
    is_deliberate = True
    no_savage_dickey = NOT_THEIRS
    no_papers = "there is none to take its place; ask again with another one of your own"

    def __post_init__(self) -> None:
        if not isinstance(self.model, Model):
            raise InvalidInputError(
                f"`model` must be a model object; got {told(self.model)}.", hint="for example rw.models.Sigir2016()."
            )
        if isinstance(self.model, DeltaPrior):
            raise InvalidInputError(
                "The difference has a prior already.", hint="put the prior on the model that it is made of."
            )
        if not (is_pymc(self.delta) or hasattr(self.delta, "logpdf") or callable(self.delta)):  # PreliZ has a logpdf
            raise InvalidInputError(
                f"`delta` must be a distribution; got {told(self.delta)}.",
                hint="for example scipy.stats.norm(0, 0.02).",
            )

    def around(self, prior: str) -> str:
        """Write the prior of the difference, and that of all else."""
        return f"delta ~ {describe(self.delta)}; else {prior}"

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the graph of the model inside, with a prior on the difference; one classifier has none."""
        base = graph_of(self.model, **size)
        if all(node.name != "delta" for node in base.nodes):
            return base
        column, row = base["delta"].at
        prior = Node("p(delta)", (column - 1, row), "p(δ)", "constant", f"p(δ) = {describe(self.delta)}")
        edges = (*base.edges, ("p(delta)", "delta"))
        return replace(base, nodes=(*base.nodes, prior), edges=edges, title=f"{base.title}, with a prior on δ")

    @property
    def description(self) -> str:
        """The model in a sentence or two."""
        return (
            f"{self.model.description} The prior of the difference itself was given with the question: each draw is "
            "weighted by its density over that of the model's own."
        )

    def variants(self) -> list[tuple[str, Model]]:
        """Return the model inside."""
        return [("without the prior of the difference", self.model)]

    def fit(self, outcomes: Any) -> Posterior:
        """Return the posterior of the model underneath, whose draws are still to be weighted."""
        return self.model.fit(outcomes)

    def weights(self, delta: FloatArray, prior: FloatArray) -> FloatArray:
        """Return the weights of draws `delta`, given draws of the difference under the model's own prior."""
        logs = log_density(self.delta, delta)
        if logs.shape != delta.shape or np.isnan(logs).any():
            raise InvalidInputError(
                "The prior of `delta` gives no log density for some differences.",
                hint="its density must be positive between -1 and 1.",
            )
        logs = logs - np.log(neighbour_density(prior, delta))
        top = logs.max()
        if not np.isfinite(top):
            raise InvalidInputError(
                "The prior of `delta` rules out every difference that the data allow.",
                hint="differences are A − B, in units of the metric: 0.02 is two points.",
            )
        weights: FloatArray = np.exp(logs - top)
        return np.asarray(weights / weights.sum())


def resample(weights: FloatArray, rng: np.random.Generator) -> IntArray:
    """Return as many draws as there are weights, each as often as its weight says: systematic resampling, shuffled."""
    number = weights.size
    steps = (np.arange(number) + rng.random()) / number
    picked = np.minimum(np.searchsorted(np.cumsum(weights), steps), number - 1)
    return rng.permutation(picked)
