"""The answers: frozen values, with what is needed to trust them and to get them again."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from ropewalk._version import __version__
from ropewalk.data.labels import label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.decision import Decision, Piece, Regions
from ropewalk.evidence import BayesFactor
from ropewalk.intervals import Interval
from ropewalk.metrics.registry import Metric
from ropewalk.models.posterior import Model
from ropewalk.sampling import Draws
from ropewalk.summary import Estimate
from ropewalk.typing import DrawsLike, Label, Rule

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that decides an answer: run it again and get the same one, bit for bit.

    `tables` is one table of both classifiers for a paired model, one a classifier otherwise; `pos_label` is
    None where the metric has no positive class; `n_items` counts the items of one test set once.
    """

    tables: tuple[Outcomes, ...]
    model: Model
    metric: Metric
    pos_label: Label | None = None
    prevalence: tuple[float, ...] | None = None
    rope: Interval | None = None
    prob: float = 0.95
    rule: Rule = "hdi"
    draws: DrawsLike = "auto"
    seed: int = 0
    data_hash: str = ""
    n_items: int = 0


class Rendered:
    """What every result can be turned into; the renderers live above, in `ropewalk.report`."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        raise NotImplementedError

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the answer as JSON; it never holds NaN or infinity."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)
        # A lone surrogate in a name cannot be written as UTF-8; as an escape it can.
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    def to_markdown(self) -> str:
        """Return the answer as a Markdown table."""
        from ropewalk.report import markdown

        return markdown(self)

    def to_latex(self) -> str:
        """Return the answer as a LaTeX booktabs table."""
        from ropewalk.report import latex

        return latex(self)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the answer as one self-contained HTML page, and write it to `path` if given."""
        from ropewalk.report import html

        return html(self, path)

    def __str__(self) -> str:
        from ropewalk.report import text

        return text(self)

    def _repr_html_(self) -> str:
        from ropewalk.report import card

        return card(self)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Comparison(Rendered):
    """Is A better than B? The posterior of the difference A − B of a metric, and a verdict.

    Made by `compare`. Printing shows the short verdict, a notebook a card, `to_dict` everything.
    """

    a: str
    b: str
    estimate_a: Estimate
    estimate_b: Estimate
    delta: Estimate
    prob_below_zero: float
    prob_above_zero: float
    regions: Regions | None
    rope_path: tuple[Piece, ...] | None
    decision: Decision | None
    bayes_factor: BayesFactor | None
    draws: Draws = field(repr=False)
    recipe: Recipe = field(repr=False)
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def mean(self) -> float:
        """The posterior mean of A − B."""
        return self.delta.mean

    @property
    def std(self) -> float:
        """The posterior standard deviation of A − B."""
        return self.delta.std

    @property
    def hdi(self) -> Interval:
        """The highest density interval of A − B."""
        return self.delta.hdi

    @property
    def rope(self) -> Interval | None:
        """The region of practical equivalence, if one was stated."""
        return self.recipe.rope

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.recipe.metric.name

    @property
    def pos_label(self) -> Label | None:
        """The positive class, if the metric has one."""
        return self.recipe.pos_label

    @property
    def conclusive(self) -> bool:
        """Whether the data settle the question; never so without a ROPE."""
        return self.decision is not None and self.decision.conclusive

    def __repr__(self) -> str:
        verdict = "no ROPE" if self.decision is None else self.decision.symbol
        low, high = self.hdi.low, self.hdi.high
        return f"Comparison({self.metric}: {self.a} − {self.b} = {self.mean:+.3f} [{low:+.3f}, {high:+.3f}], {verdict})"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        recipe = self.recipe
        return {
            "schema": SCHEMA,
            "version": __version__,
            "metric": self.metric,
            "higher_is_better": recipe.metric.higher_is_better,
            "pos_label": None if recipe.pos_label is None else label_text(recipe.pos_label),
            **_provenance(recipe, len(self.draws)),
            "a": {"name": self.a, **_estimate_dict(self.estimate_a)},
            "b": {"name": self.b, **_estimate_dict(self.estimate_b)},
            "delta": {
                **_estimate_dict(self.delta, errors=True),
                "prob_below_zero": self.prob_below_zero,
                "prob_above_zero": self.prob_above_zero,
            },
            **_verdict_dict(recipe.rope, self.regions, self.decision),
            "rope_path": None
            if self.rope_path is None
            else [{"from": p.start, "to": p.stop, "symbol": p.verdict.value} for p in self.rope_path],
            "bayes_factor": None
            if self.bayes_factor is None
            else {
                "sd": self.bayes_factor.sd,
                "sd_reliable": self.bayes_factor.sd_reliable,
                "rope": self.bayes_factor.rope,
                "rope_reliable": self.bayes_factor.rope_reliable,
                "rope_bound": self.bayes_factor.rope_bound,
            },
            "tests": None,
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ClassComparisons(Rendered):
    """One comparison a class, each class against the rest, in label order. Made by `compare_classes`."""

    comparisons: tuple[Comparison, ...]

    def __iter__(self) -> Any:
        return iter(self.comparisons)

    def __len__(self) -> int:
        return len(self.comparisons)

    def __getitem__(self, index: int) -> Comparison:
        return self.comparisons[index]

    def __repr__(self) -> str:
        first = self.comparisons[0]
        return f"ClassComparisons({first.metric}: {first.a} − {first.b}, {len(self)} classes)"

    def to_dict(self) -> dict[str, Any]:
        """Return the answers in plain Python types: exactly the JSON object."""
        return {"schema": SCHEMA, "classes": [comparison.to_dict() for comparison in self.comparisons]}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MetricPosterior:
    """The posterior of one metric of one classifier, and how it stands against a bar, if there is one."""

    metric: Metric
    estimate: Estimate
    prob_at_least: float | None
    regions: Regions | None
    decision: Decision | None
    draws: Draws = field(repr=False)
    recipe: Recipe = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Evaluation(Rendered):
    """How good is one classifier? The posterior of each metric. Made by `evaluate`."""

    name: str
    at_least: float | None
    metrics: tuple[MetricPosterior, ...]
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def __getitem__(self, metric: str) -> MetricPosterior:
        for posterior in self.metrics:
            if posterior.metric.name == metric:
                return posterior
        raise KeyError(f"{metric}; there are: {', '.join(m.metric.name for m in self.metrics)}")

    def __repr__(self) -> str:
        told = ", ".join(
            f"{m.metric.name} = {m.estimate.mean:.3f} [{m.estimate.hdi.low:.3f}, {m.estimate.hdi.high:.3f}]"
            for m in self.metrics
        )
        return f"Evaluation({self.name}: {told})"

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        first = self.metrics[0]
        return {
            "schema": SCHEMA,
            "version": __version__,
            "name": self.name,
            "pos_label": next((label_text(p) for m in self.metrics if (p := m.recipe.pos_label) is not None), None),
            **_provenance(first.recipe, max(len(m.draws) for m in self.metrics)),
            "at_least": self.at_least,
            "metrics": [
                {
                    "metric": m.metric.name,
                    "higher_is_better": m.metric.higher_is_better,
                    **_estimate_dict(m.estimate, errors=True),
                    "draws": len(m.draws),
                    "prob_at_least": m.prob_at_least,
                    **_verdict_dict(m.recipe.rope, m.regions, m.decision),
                }
                for m in self.metrics
            ],
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }


def _provenance(recipe: Recipe, n_draws: int) -> dict[str, Any]:
    return {
        "model": recipe.model.name,
        "prior": recipe.model.prior,
        "n_items": recipe.n_items,
        "prevalence": None if recipe.prevalence is None else list(recipe.prevalence),
        "draws": n_draws,
        "seed": recipe.seed,
        "prob": recipe.prob,
        "rule": recipe.rule,
        "data_hash": recipe.data_hash,
    }


def _estimate_dict(estimate: Estimate, *, errors: bool = False) -> dict[str, Any]:
    told: dict[str, Any] = {"observed": estimate.observed, "mean": estimate.mean, "std": estimate.std}
    if errors:
        told["mc_error"] = estimate.mc_error
    told["hdi"] = [estimate.hdi.low, estimate.hdi.high]
    if errors:
        told["hdi_mc_error"] = list(estimate.hdi_mc_error)
    return told


def _verdict_dict(rope: Interval | None, regions: Regions | None, decision: Decision | None) -> dict[str, Any]:
    return {
        "rope": None if rope is None or regions is None else [_finite(rope.low), _finite(rope.high)],
        "regions": None
        if regions is None
        else {"below": regions.below, "inside": regions.inside, "above": regions.above},
        "decision": None
        if decision is None
        else {
            "symbol": decision.symbol,
            "conclusive": decision.conclusive,
            "stable": decision.stable,
            "leaning": decision.leaning,
            "text": decision.text,
        },
    }


def _finite(end: float) -> float | None:
    """JSON has no infinity: an open end of a ROPE is null."""
    return end if abs(end) < float("inf") else None
