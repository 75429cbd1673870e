"""One classifier: the posterior of its metrics."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from ropewalk._version import __version__
from ropewalk.data.labels import label_text
from ropewalk.draws.blocks import Draws
from ropewalk.draws.decision import Decision, Piece, Regions
from ropewalk.draws.summary import Estimate
from ropewalk.models.posterior import AnyMetric
from ropewalk.results import upwards
from ropewalk.results.base import (
    SCHEMA,
    Drawing,
    Drawn,
    Modelled,
    Recipe,
    Rendered,
    estimate_dict,
    provenance,
    verdict_dict,
)
from ropewalk.results.checks import CheckKind, PredictiveCheck
from ropewalk.results.planning import MoreData
from ropewalk.text.names import visible
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.typing import SeedLike


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricPosterior(Modelled, Drawn):
    """The posterior of one metric of one classifier, and how it stands against a `bar`, if there is one."""

    metric: AnyMetric
    estimate: Estimate
    prob_at_least: float | None
    regions: Regions | None
    decision: Decision | None
    bar: float | None = None
    rope_path: tuple[Piece, ...] | None = None
    more: MoreData | None = None
    draws: Draws = field(repr=False)
    recipe: Recipe = field(repr=False)
    drawing: Drawing = field(repr=False, default=Drawing())

    def predictive_check(
        self, kind: CheckKind = "posterior", *, draws: int = 1_000, rng: SeedLike = None
    ) -> PredictiveCheck:
        """Replicate the data from the posterior or the prior, and see how alike they look: see `predictive_check`."""
        return upwards.predictive_check(self, kind=kind, draws=draws, rng=rng)

    def to_arviz(self, *, draws: int | None = None) -> Any:
        """Return the answer as ArviZ's InferenceData, from ArviZ 1 on a DataTree: see `exchange.to_arviz`."""
        return upwards.to_arviz(self, draws=draws)

    def to_netcdf(self, path: str | os.PathLike[str], *, draws: int | None = None) -> None:
        """Write the answer, draws and all, to a netCDF file that `from_netcdf` and ArviZ read."""
        upwards.to_netcdf(self, path, draws=draws)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Evaluation(Rendered, Modelled, Remarked):
    """How good is one classifier? The posterior of each metric. Made by `evaluate`."""

    name: str
    at_least: float | None
    metrics: tuple[MetricPosterior, ...]
    remarks: tuple[Remark, ...] = ()

    def __getitem__(self, metric: str) -> MetricPosterior:
        for posterior in self.metrics:
            if posterior.metric.name == metric:
                return posterior
        raise KeyError(f"{metric}; there are: {', '.join(m.metric.name for m in self.metrics)}")

    @property
    def recipe(self) -> Recipe:
        """What gives the posterior of the first metric again."""
        return self.metrics[0].recipe

    def __repr__(self) -> str:
        told = ", ".join(
            f"{m.metric.name} = {m.estimate.mean:.3f} [{m.estimate.hdi.low:.3f}, {m.estimate.hdi.high:.3f}]"
            for m in self.metrics
        )
        return visible(f"Evaluation({self.name}: {told})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        first = self.metrics[0]
        asked = provenance(first.recipe, max(len(m.draws) for m in self.metrics), first.diagnostics)
        for key in ("metric", "higher_is_better"):  # each metric has its own
            del asked[key]
        return {
            "schema": SCHEMA,
            "version": __version__,
            "name": self.name,
            **asked,
            "pos_label": next((label_text(p) for m in self.metrics if (p := m.recipe.pos_label) is not None), None),
            "at_least": self.at_least,
            "metrics": [
                {
                    "metric": m.metric.name,
                    "higher_is_better": m.metric.higher_is_better,
                    **estimate_dict(m.estimate, errors=True),
                    "model": m.recipe.model.name,
                    "prior": m.recipe.model.prior,
                    "draws": len(m.draws),
                    "prob_at_least": m.prob_at_least,
                    **verdict_dict(m.recipe.rope, m.regions, m.decision),
                    "more_data": None if m.more is None else m.more.brief(),
                }
                for m in self.metrics
            ],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }
