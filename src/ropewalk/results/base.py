"""What every answer has: a recipe to get it again, and ways to show it."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ropewalk._version import __version__
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.draws.blocks import Draws
from ropewalk.draws.decision import Decision, Regions
from ropewalk.draws.intervals import Interval
from ropewalk.draws.judging import Question
from ropewalk.draws.summary import Estimate
from ropewalk.mcmc.chains import Chains, Diagnostics
from ropewalk.mcmc.sampler import Sampler
from ropewalk.models.posterior import AnyData, AnyMetric
from ropewalk.models.protocol import Model, Posterior
from ropewalk.results import upwards
from ropewalk.results.options import MetricOption, SharedOptions, echo
from ropewalk.text.names import visible
from ropewalk.typing import DrawsLike, Label, Rule, SeedLike

if TYPE_CHECKING:
    from ropewalk.models.graph import Form
    from ropewalk.results.checks import CheckKind, PredictiveCheck
    from ropewalk.results.upwards import Diagram

SCHEMA = 1
_FIRST_KEYS = (
    "metric", "higher_is_better", "pos_label", "model", "prior", "engine", "n_items", "n_clusters", "classes",
    "prevalence", "draws", "seed", "prob", "rule", "data_hash", "diagnostics",
)  # fmt: skip
_BEYOND_ASCII = re.compile(r"[^\n\x20-\x7e]")


def _escaped(char: str) -> str:
    return json.dumps(char)[1:-1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that decides an answer: run it again and get the same one, bit for bit.

    `tables` is one table of both classifiers for a paired model, one a classifier otherwise; `pos_label` is
    None where the metric has no positive class; `n_items` counts the items of one test set once. `repeated` marks
    clusters that are repeats of one item each. `sampler` is None for the exact engine.
    """

    tables: tuple[AnyData, ...]
    model: Model
    metric: AnyMetric
    pos_label: Label | None = None
    prevalence: tuple[float, ...] | None = None
    rope: Interval | None = None
    prob: float = 0.95
    rule: Rule = "hdi"
    draws: DrawsLike = "auto"
    seed: int = 0
    data_hash: str = ""
    n_items: int = 0
    repeated: bool = False
    sampler: Sampler | None = None

    @property
    def engine(self) -> str:
        """What draws the posterior: "exact", or "pymc"."""
        return "exact" if self.sampler is None else "pymc"

    def posteriors(self) -> list[Posterior]:
        """Return the posterior of every table, where the model has a closed form."""
        return [self.model.fit(table) for table in self.tables]

    @property
    def n_clusters(self) -> int | None:
        """How many clusters the items of the tables come in; None where each stands alone."""
        known = [table.n_clusters for table in self.tables if table.n_clusters is not None]
        return sum(known) if known else None

    @property
    def picked(self) -> tuple[Label, ...] | None:
        """The classes that an average runs over, where they are not all that can be a right answer."""
        labels, places = self.tables[0].labels, self.metric.classes
        if places is None:
            return None
        picked = tuple(labels[j] for j in places)
        return None if len(picked) == sum(label != NO_ANSWER for label in labels) else picked

    @property
    def question(self) -> Question:
        """How a difference is judged."""
        return Question(rope=self.rope, prob=self.prob, rule=self.rule, higher_is_better=self.metric.higher_is_better)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How a recipe was drawn, and why that allows no verdict, if so.

    `chains` are the Markov chains and `diagnostics` how far they can be trusted, None where draws are exact. `looks` is
    at how many draws the exact engine looked at the verdict, `worth` how many independent draws weighted ones are
    worth. `no_verdict` says why none is given, whatever the ROPE.
    """

    chains: Chains | None = field(default=None, repr=False, compare=False)
    diagnostics: Diagnostics | None = None
    looks: tuple[int, ...] = ()
    worth: float | None = None
    no_verdict: str = ""


class Drawn:
    """An answer to the question of a `recipe` by one `drawing`."""

    __slots__ = ()

    recipe: Recipe
    drawing: Drawing

    @property
    def chains(self) -> Chains | None:
        """The Markov chains behind the answer; None where it was drawn exactly."""
        return self.drawing.chains

    @property
    def diagnostics(self) -> Diagnostics | None:
        """How far the Markov chains can be trusted; None where there are none."""
        return self.drawing.diagnostics

    @property
    def no_verdict(self) -> str:
        """Why there is no verdict, whatever the ROPE; empty where there is one."""
        return self.drawing.no_verdict

    @property
    def question(self) -> Question:
        """How a difference is judged: without a ROPE where there is no verdict."""
        question = self.recipe.question
        return replace(question, rope=None) if self.no_verdict else question


class Rendered:
    """What every result can be turned into; the renderers live above, in `ropewalk.report`, behind `upwards`."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        raise NotImplementedError

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the answer as JSON; it never holds NaN or infinity."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=indent)
        # Surrogates, control characters and bidi marks in a name would act on a reader's screen; escaped they do not.
        return _BEYOND_ASCII.sub(lambda found: found[0] if visible(found[0]) == found[0] else _escaped(found[0]), text)

    def to_markdown(self) -> str:
        """Return the answer as a Markdown table."""
        return upwards.markdown(self)

    def to_latex(self) -> str:
        """Return the answer as a LaTeX booktabs table."""
        return upwards.latex(self)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the answer as one self-contained HTML page, and write it to `path` if given."""
        return upwards.html(self, path)

    def sentence(self) -> str:
        """Return the answer as a sentence for a paper, with data, model, prior and draws."""
        return upwards.sentence(self)

    def __str__(self) -> str:
        return upwards.text(self)

    def _repr_html_(self) -> str:
        return upwards.card(self)


class Modelled:
    """An answer by a model, which can be drawn; the drawing is done above, in `ropewalk.report.plates`."""

    __slots__ = ()

    def graph(self, path: str | os.PathLike[str] | None = None, *, form: Form = "counts") -> Diagram:
        """Draw the model as a plate diagram, an SVG that a notebook shows, and write it to `path` if given.

        ``form="items"`` draws every item for itself, as the papers first do; "counts" what is equal and shorter. An
        open circle is unknown, grey was seen, a double ring is computed, bare letters are given; point at one for
        its formula. Scores have no counts, and are always drawn item by item.
        """
        return upwards.plate_diagram(self, path, form=form)


class OneMetric(Rendered, Modelled, Drawn):
    """An answer about one metric, drawn by one recipe."""

    __slots__ = ()

    draws: Draws
    recipe: Recipe

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.recipe.metric.name

    @property
    def pos_label(self) -> Label | None:
        """The positive class, if the metric has one."""
        return self.recipe.pos_label

    def predictive_check(
        self,
        kind: CheckKind = "posterior",
        *,
        draws: int = 1_000,
        rng: SeedLike = None,
        outcomes: AnyOutcomes | None = None,
    ) -> PredictiveCheck:
        """Replicate the data from the posterior or the prior, and see how alike they look: see `predictive_check`."""
        return upwards.predictive_check(self, kind=kind, draws=draws, rng=rng, outcomes=outcomes)

    def to_arviz(self, *, draws: int | None = None) -> Any:
        """Return the answer as ArviZ's InferenceData, from ArviZ 1 on a DataTree: see `exchange.to_arviz`."""
        return upwards.to_arviz(self, draws=draws)

    def to_netcdf(self, path: str | os.PathLike[str], *, draws: int | None = None) -> None:
        """Write the answer, draws and all, to a netCDF file that `from_netcdf` and ArviZ read."""
        upwards.to_netcdf(self, path, draws=draws)

    def _asked(self) -> dict[str, Any]:
        """Return what was asked, and where the answer comes from."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            **provenance(self.recipe, len(self.draws), self.diagnostics),
        }


def provenance(recipe: Recipe, n_draws: int, diagnostics: Diagnostics | None = None) -> dict[str, Any]:
    """Return the options that the JSON repeats and where the answer comes from, in the order of the documentation."""
    written = {
        **echo(recipe, MetricOption, SharedOptions),
        "higher_is_better": recipe.metric.higher_is_better,
        "prior": recipe.model.prior,
        "n_items": recipe.n_items,
        "n_clusters": recipe.n_clusters,
        "draws": n_draws,
        "data_hash": recipe.data_hash,
        "diagnostics": None if diagnostics is None else diagnostics.to_dict(),
    }
    return {key: written.pop(key) for key in _FIRST_KEYS} | written


def estimate_dict(estimate: Estimate, *, errors: bool = False) -> dict[str, Any]:
    """Return an estimate, with its Monte Carlo errors if so said."""
    told: dict[str, Any] = {"observed": estimate.observed, "mean": estimate.mean, "std": estimate.std}
    if errors:
        told["mc_error"] = estimate.mc_error
    told["hdi"] = [estimate.hdi.low, estimate.hdi.high]
    if errors:
        told["hdi_mc_error"] = list(estimate.hdi_mc_error)
    return told


def delta_dict(found: Any) -> dict[str, Any]:
    """Return a difference and the probability of its sign."""
    return {
        **estimate_dict(found.delta, errors=True),
        "prob_below_zero": found.prob_below_zero,
        "prob_above_zero": found.prob_above_zero,
    }


def rope_dict(rope: Interval | None) -> list[float | None] | None:
    """Return a ROPE as a pair."""
    return None if rope is None else [finite(rope.low), finite(rope.high)]


def verdict_dict(rope: Interval | None, regions: Regions | None, decision: Decision | None) -> dict[str, Any]:
    """Return ROPE, region masses and verdict."""
    return {
        "rope": None if regions is None else rope_dict(rope),
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


def finite(end: float) -> float | None:
    """JSON has no infinity: an open end of a ROPE is null."""
    return end if abs(end) < float("inf") else None
