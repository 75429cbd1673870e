"""What every answer has: a recipe to get it again, also as JSON, and ways to show it."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar, Unpack

import numpy as np

from ropewalk._checks import check_whole, published
from ropewalk._version import __version__
from ropewalk.data.labels import NO_ANSWER, label_text
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import Question
from ropewalk.draws.decision import Decision, check_rule
from ropewalk.draws.intervals import Estimate, Interval, Regions
from ropewalk.draws.stakes import Stakes
from ropewalk.errors import UnknownPartError
from ropewalk.mcmc.sampler import Sampler
from ropewalk.models import AnyData, AnyMetric
from ropewalk.models.influence import is_large, posterior_of, posterior_under
from ropewalk.models.protocol import Model, Posterior
from ropewalk.results import upwards
from ropewalk.results.options import MetricOption, PoolOption, SeedOptions, SharedOptions, options_of
from ropewalk.results.scope import Scope, scope_of_items
from ropewalk.text.units import Unit, metric_title, unit_of
from ropewalk.text.writing import did_you_mean, shorten, told, visible
from ropewalk.typing import DrawsLike, Label, Rule

if TYPE_CHECKING:
    from ropewalk.mcmc.chains import Chains, Diagnostics
    from ropewalk.models.graph import Form
    from ropewalk.results.checks import CheckKind, PredictiveCheck
    from ropewalk.results.upwards import Diagram

SCHEMA = 1
HEAD: Final = {"schema": SCHEMA, "version": __version__}
"""What every JSON object of an answer begins with."""

UNDECIDED: Final = "undecided"

MAX_INDENT: Final = 100
MIN_COLUMNS: Final = 20
MAX_COLUMNS: Final = 1_000_000

T = TypeVar("T")

_FIRST_KEYS = (
    "metric", "higher_is_better", "pos_label", "model", "prior", "engine", "n_items", "n_clusters", "classes",
    "prevalence", "draws", "seed", "prob", "rule", "data_hash", "diagnostics",
)  # fmt: skip


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """Everything that decides an answer: run it again and get the same one, bit for bit.

    `tables` is one table of both classifiers for a paired model, one per classifier otherwise; `pos_label` is
    None where the metric has no positive class; `n_items` counts the items of one test set once. `repeated` marks
    clusters that are repeats of one item each. `sampler` is None for the exact engine. `pool` draws the scores of many
    classifiers towards their centre. `exact` says whether the weights of all scored items are drawn; None, that it
    depends on their number. `library` is that of the dataframe which the data came in, and
    `noun` what an item is called.
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
    pool: bool = False
    exact: bool | None = None
    library: str = ""
    noun: str = "item"

    def __post_init__(self) -> None:
        check_rule(self.rule, self.prob)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classifiers, table by table."""
        return tuple(name for table in self.tables for name in table.names)

    @property
    def prior(self) -> str:
        """The prior in one line, as it is for so many labels and classifiers."""
        return self.model.prior_for(self.tables[0].n_labels, self.tables[0].n_classifiers)

    @property
    def engine(self) -> str:
        """What draws the posterior: "exact", or "pymc"."""
        return "exact" if self.sampler is None else "pymc"

    @property
    def is_of_scores(self) -> bool:
        """Whether the items have scores, and not labels."""
        return isinstance(self.tables[0], ItemScores)

    def posteriors(self) -> list[Posterior]:
        """Return the posterior of every table, where the model has a closed form."""
        if not self.is_of_scores:
            return [self.model.fit(table) for table in self.tables]
        return [posterior_of(self.model, table, self.metric, exact=self.exact) for table in self.tables]

    def posteriors_under(self, model: Model) -> list[Posterior]:
        """Return the posterior of every table under the same model with another prior mass, or one like it."""
        if not self.is_of_scores:
            return [model.fit(table) for table in self.tables]
        return [posterior_under(model, self.model, table, self.metric, exact=self.exact) for table in self.tables]

    def model_with(self, share: float) -> Model | None:
        """Return the model with a share of its prior's mass; None where that is knowledge, or takes chains."""
        model = None if self.model.is_deliberate else self.model.scaled(share)
        return model if model is not None and model.exact_for(self.tables) else None

    def shares_tables(self, other: Recipe) -> bool:
        """Whether the metrics of both are measured on the same draws of weighted tables."""
        if self.is_of_scores and any(is_large(table, exact=self.exact) for table in self.tables):  # each has its sums
            return self is other
        how = [(r.model, r.sampler, r.seed, r.prevalence, len(r.tables)) for r in (self, other)]
        return how[0] == how[1] and _are_equal(self.tables, other.tables)

    @property
    def n_clusters(self) -> int | None:
        """How many clusters the items of the tables come in; None where each stands alone."""
        known = [table.n_clusters for table in self.tables if table.n_clusters is not None]
        return sum(known) if known else None

    @property
    def is_weighted(self) -> bool:
        """Whether some items count more than others."""
        return any(table.is_weighted for table in self.tables)

    @property
    def picked(self) -> tuple[Label, ...] | None:
        """The classes that an average runs over, where they are not all that can be a right answer."""
        labels, places = self.tables[0].labels, self.metric.classes
        if places is None:
            return None
        picked = tuple(labels[j] for j in places)
        return None if len(picked) == sum(label != NO_ANSWER for label in labels) else picked

    @property
    def picked_texts(self) -> list[str] | None:
        """The `picked` classes as texts."""
        return None if self.picked is None else [label_text(label) for label in self.picked]

    @property
    def pos_label_text(self) -> str | None:
        """The positive class as a text."""
        return None if self.pos_label is None else label_text(self.pos_label)

    @property
    def scale(self) -> list[float] | None:
        """The ends of the scale of a mean, as the model has them; None for what has no such scale."""
        ends = self.model.score_range
        return None if ends is None else list(ends)

    @property
    def unit(self) -> Unit:
        """What a difference is counted in when people read it: points, where the metric is a share."""
        return unit_of(*(self.model.score_range or (self.metric.low, self.metric.high)))

    @property
    def scope(self) -> Scope:
        """What an answer to it is about, which chances are in its interval, and what it takes as it is."""
        clustered = self.n_clusters is not None and not self.repeated
        return scope_of_items(metric_title(self.metric.name), len(self.names), clustered=clustered)

    @property
    def question(self) -> Question:
        """How a difference is judged."""
        return Question(rope=self.rope, prob=self.prob, rule=self.rule, higher_is_better=self.metric.higher_is_better)


@dataclass(frozen=True, slots=True, kw_only=True)
class PriorShift:
    """How far half and twice the prior mass move what is judged, in posterior standard deviations.

    `moved` is how far its mean moves, and `ends` how far an end of its HDI does.
    `verdicts` are those under either that Monte Carlo error leaves no doubt of: "undecided", or the symbol of a
    conclusive one. `unlearned` is how far the mean moves under a prior that learns nothing from other classes, where
    the model's does, and `widened` how many times as wide the interval is then.
    """

    moved: float
    ends: float = 0.0
    verdicts: tuple[str, ...] = ()
    unlearned: float = 0.0
    widened: float = 1.0

    @property
    def agreed(self) -> bool:
        """Whether both give the same conclusive verdict."""
        return len(self.verdicts) > 1 and len(set(self.verdicts)) == 1 and self.verdicts[0] != UNDECIDED

    def differs_from(self, decision: Decision | None) -> bool:
        """Whether either verdict is another than the one given, `<` and `>` both being undecided."""
        if decision is None:
            return False
        mine = decision.symbol if decision.conclusive else UNDECIDED
        return any(verdict != mine for verdict in self.verdicts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """How a recipe was drawn, and why that allows no verdict, if so.

    `chains` are the Markov chains and `diagnostics` how far they can be trusted, None where draws are exact. `looks` is
    at how many draws the exact engine looked at the verdict, `worth` how many independent draws weighted ones are
    worth. `no_verdict` says why none is given, whatever the ROPE. `shift` is how far other priors move the answer.
    """

    chains: Chains | None = field(default=None, repr=False, compare=False)
    diagnostics: Diagnostics | None = None
    looks: tuple[int, ...] = ()
    worth: float | None = None
    no_verdict: str = ""
    shift: PriorShift | None = None

    @property
    def converged(self) -> bool:
        """Whether there are no Markov chains that cannot be trusted."""
        return self.diagnostics is None or self.diagnostics.converged

    def answerable(self, question: Question) -> Question:
        """Return the question that the draws can answer: chains that have not converged say nothing about a ROPE.

        Even the errors of their shares are unknown, and with them the digits that could be written.
        """
        return question if self.converged else replace(question, rope=None)


class Drawn:
    """An answer to the question of a `recipe` by one `drawing`, which can be checked and exchanged."""

    __slots__ = ()

    recipe: Recipe
    drawing: Drawing
    draws: Draws

    @property
    def scope(self) -> Scope:
        """What it is about, which chances are in its interval, and what it takes as it is.

        Examples
        --------
        >>> import ropewalk as rw
        >>> r = rw.compare([1, 0, 1, 1] * 50, [1, 0, 1, 1] * 50, [1, 1, 0, 1] * 50, rope=0.01, rng=0)
        >>> print(r.scope.line)
        random: items · fixed: the trained classifiers, where the items come from
        """
        return self.recipe.scope

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

    def require_data(self, doing: str) -> None:
        """Refuse what takes the data, where the answer came without them; `doing` says what cannot be done."""

    def predictive_check(
        self,
        kind: CheckKind = "posterior",
        *,
        draws: int = 1_000,
        outcomes: AnyOutcomes | None = None,
        **how: Unpack[SeedOptions],
    ) -> PredictiveCheck:
        """Replicate the data from the posterior or the prior, and see how alike they look: see `predictive_check`."""
        return upwards.predictive_check(self, kind=kind, draws=draws, outcomes=outcomes, **how)

    def to_arviz(self, *, draws: int | None = None) -> Any:
        """Return the answer as ArviZ's InferenceData, from ArviZ 1 on a DataTree: see `exchange.to_arviz`."""
        return upwards.to_arviz(self, draws=draws)

    def to_netcdf(self, path: str | os.PathLike[str], *, draws: int | None = None) -> None:
        """Write the answer, draws and all, to a netCDF file that `from_netcdf` and ArviZ read."""
        upwards.to_netcdf(self, path, draws=draws)


@published
class Rendered:
    """What every result can be turned into; the renderers live above, in `ropewalk.report`, behind `upwards`."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        raise NotImplementedError

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the answer as JSON; it never holds NaN or infinity."""
        indent = None if indent is None else check_whole(indent, "indent", 0, MAX_INDENT)
        return json_text(self.to_dict(), indent)

    def as_row(self) -> dict[str, Any]:
        """Return the JSON object as a list of many has it: without what only a program draws from."""
        return self.to_dict()

    def to_markdown(self, *, papers: bool = False) -> str:
        """Return the answer as a Markdown table, with the columns of Zhang et al. if `papers`."""
        return upwards.markdown(self, papers=papers)

    def to_latex(self, *, papers: bool = False) -> str:
        """Return the answer as a LaTeX booktabs table, with the columns of Zhang et al. if `papers`."""
        return upwards.latex(self, papers=papers)

    def to_html(self, path: str | os.PathLike[str] | None = None, *, title: str = "", note: str = "") -> str:
        """Return the answer as one self-contained HTML page, and write it to `path` if given.

        `title` stands on its top line and `note` above the answer, as they are given: they are text, not HTML.
        """
        return upwards.html(self, path, title=title, note=note)

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the answer as a tidy dataframe of the library that the data came in, or of "pandas", "polars", …."""
        return upwards.to_frame(self, backend)

    def log_to_mlflow(
        self, *, run_id: str | None = None, prefix: str = "", name: str | None = None, step: int = 0
    ) -> str:
        """Write the answer into a run of MLflow, with its page and its JSON, and return the run's id.

        It goes into the run of `run_id`, else into the active one, else into a new one that is ended again. `prefix` is
        what the names of its metrics begin with, `name` what its files are called, and `step` that of the metrics.
        """
        return upwards.log_to_mlflow(self, run_id=run_id, prefix=prefix, name=name, step=step)

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the picture that is natural for this kind of answer, with Matplotlib, and return its axes."""
        return upwards.plot(self, ax)

    def sentence(self) -> str:
        """Return the answer as a sentence for a paper, with data, model, prior and draws."""
        return upwards.sentence(self)

    def to_text(self, *, width: int | None = None, details: bool = False, papers: bool = False) -> str:
        """Return the answer as text, by default as wide as the terminal.

        `details` say how it was made; `papers` shows the columns of Zhang et al. in place of all but the headline.
        """
        width = None if width is None else check_whole(width, "width", MIN_COLUMNS, MAX_COLUMNS)
        return upwards.text(self, width=width, details=details, papers=papers)

    def __str__(self) -> str:
        return self.to_text()

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

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.recipe.metric.name

    @property
    def pos_label(self) -> Label | None:
        """The positive class, if the metric has one."""
        return self.recipe.pos_label

    def _head(self) -> dict[str, Any]:
        """Return the question, and where the answer comes from."""
        return {**HEAD, **provenance(self.recipe, len(self.draws), self.diagnostics), **self.scope.to_dict()}


def provenance(recipe: Recipe, n_draws: int, diagnostics: Diagnostics | None = None) -> dict[str, Any]:
    """Return the options that the JSON repeats and where the answer comes from, in the order of the documentation."""
    written = {
        **repeated(recipe, MetricOption, SharedOptions, PoolOption),
        "higher_is_better": recipe.metric.higher_is_better,
        "prior": recipe.prior,
        "n_items": recipe.n_items,
        "n_clusters": recipe.n_clusters,
        "draws": n_draws,
        "data_hash": recipe.data_hash,
        "diagnostics": None if diagnostics is None else diagnostics.to_dict(),
    }
    return {key: written.pop(key) for key in _FIRST_KEYS} | written


def repeated(recipe: Any, *kinds: type) -> dict[str, Any]:
    """Return what the JSON repeats of the question: the options that have an `echo`."""
    return {
        (option.flag or name).removeprefix("--"): plain(attrgetter(option.echo)(recipe))
        for kind in kinds
        for name, option in options_of(kind).items()
        if option.echo
    }


def estimate_dict(estimate: Estimate, *, errors: bool = False) -> dict[str, Any]:
    """Return an estimate, with its Monte Carlo errors if `errors`."""
    return plain(estimate) if errors else pick(estimate, "observed mean std hdi")


def stakes_dict(stakes: Stakes | None, *, labels: bool = True) -> dict[str, Any] | None:
    """Return what depends on the choice, with what more labels are worth if `labels`."""
    if stakes is None:
        return None
    worth = {"labels": [asdict(row) for row in stakes.labels]} if labels else {}
    return {
        "expected_gain": stakes.gain,
        "expected_loss": stakes.loss,
        "mc_error": [stakes.gain_mc_error, stakes.loss_mc_error],
        "worth_of_certainty": stakes.certainty,
        **worth,
    }


def delta_dict(contrast: Any) -> dict[str, Any]:
    """Return a difference and the probability of its sign."""
    return {**estimate_dict(contrast.delta, errors=True), **pick(contrast, "prob_below_zero prob_above_zero")}


def verdict_dict(rope: Interval | None, regions: Regions | None, decision: Decision | None) -> dict[str, Any]:
    """Return ROPE, region masses and verdict."""
    return {
        "rope": plain(rope),
        "regions": plain(regions),
        "decision": None if decision is None else pick(decision, "symbol code conclusive stable leaning text"),
    }


def more_dict(more: Any, *, rows: bool = True) -> dict[str, Any] | None:
    """Return how many more items would settle a question, which stands beside it already; None where none is open."""
    if more is None:
        return None
    return {
        "goal": more.design.goal,
        **pick(more, "target n low high unit"),
        "reachable": more.n is not None,
        **pick(more, "max_n method"),
        "ceilings": plain(more.design.ceilings or {}),
        **({"rows": [pick(row, "n decisions") for row in more.rows]} if rows else {}),
    }


def pick(value: Any, names: str) -> dict[str, Any]:
    """Return attributes of a value in plain Python types, by name: `names` has spaces between them."""
    return {name: plain(getattr(value, name)) for name in names.split()}


def json_text(value: Any, indent: int | None = None) -> str:
    """Return plain values as JSON that is safe to look at."""
    separators = (",", ":") if indent is None else None
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)
    # Surrogates, control characters and bidi marks in a name would act on a reader's screen; escaped they do not.
    for char in set(text) - {"\n"}:
        if not char.isprintable() and visible(char) != char:
            text = text.replace(char, json.dumps(char)[1:-1])
    return text


def plain(value: Any) -> Any:
    """Return a value in plain Python types; JSON has neither infinity nor NaN, which become None.

    Examples
    --------
    >>> plain(Interval(-0.01, math.inf)), plain(np.array([[0.5, math.nan]]))
    ([-0.01, None], [[0.5, None]])
    """
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, np.ndarray):
        has_null = value.dtype.kind == "f" and not np.isfinite(value).all()
        return np.where(np.isfinite(value), value, np.array(None)).tolist() if has_null else value.tolist()
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, tuple | Interval):
        return [plain(part) for part in value]
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _are_equal(one: Any, two: Any) -> bool:
    """Whether data are the same, part by part: quicker than their fingerprints."""
    if one is two:
        return True
    if type(one) is not type(two):
        return False
    if isinstance(one, np.ndarray):
        return np.array_equal(one, two)
    if isinstance(one, tuple):
        return len(one) == len(two) and all(map(_are_equal, one, two))
    if is_dataclass(one):
        return all(_are_equal(getattr(one, part.name), getattr(two, part.name)) for part in fields(one))
    return bool(one == two)


def part_of(parts: Mapping[str, T], name: str) -> T:
    """Return the part of an answer that has this name, or list those that there are."""
    if not isinstance(name, str) or name not in parts:
        raise UnknownPartError(
            f"There is no {told(name)} here.", hint=did_you_mean(name, parts) + f"There are: {shorten(parts)}."
        )
    return parts[name]
