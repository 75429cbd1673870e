"""The groups of ArviZ's schema for an answer, as plain arrays with named axes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_whole
from ropewalk._version import __version__
from ropewalk.data.labels import label_text
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import difference
from ropewalk.draws.evidence import SD_DRAWS
from ropewalk.errors import RopewalkError
from ropewalk.exchange.parameters import (
    WEIGHED,
    Drawn,
    OtherDrawsError,
    check_same,
    class_places,
    matrices,
    posterior_parts,
    prior_parts,
)
from ropewalk.models.replicate import seen_tables
from ropewalk.results import Comparison, Evaluation, MetricPosterior, Ranking, Recipe
from ropewalk.results.base import plain
from ropewalk.results.foreign import ForeignComparison
from ropewalk.results.recipes import recipe_dict
from ropewalk.text.writing import visible
from ropewalk.typing import FloatArray, IntArray

Answer = Comparison | Ranking | MetricPosterior

ANSWER: Final = "ropewalk"
"""The attribute that holds the answer as JSON."""

MORE: Final = "ropewalk_more"
"""The attribute that holds what else it takes to get the answer back."""

_MAX_REPLICATES: Final = 500
_MAX_COUNTS: Final = 4_000_000  # in replicated matrices: 32 MB
_MAX_BYTES: Final = 200_000_000  # of parameters; beyond, only the metric is handed out
_MAX_PRIOR_WORK: Final = 500_000  # labels × classifiers × draws of the prior, where the answer has none of its own
_MIN_PRIOR_DRAWS: Final = 1_000
_SIDES: Final = ("absent", "present")
_MAX_INTEGER: Final = 2**63 - 1  # of netCDF


@dataclass(frozen=True, slots=True)
class Group:
    """Variables of a group: their values, and the names of their axes."""

    variables: dict[str, tuple[tuple[str, ...], Any]] = field(default_factory=dict)
    coords: dict[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Contents:
    """All groups of an answer, and the attributes of the whole."""

    groups: dict[str, Group]
    attrs: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """How an answer's draws lie: in chains, and along which axes its tables do.

    `number` draws of each chain are handed out, of `length`. `tables` is empty for scores. `left_out` are reasons.
    """

    answer: Answer
    chains: int
    length: int
    number: int
    tables: tuple[AnyOutcomes, ...]
    left_out: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, answer: Answer, draws: int | None) -> Frame:
        """Return the frame of an answer's first `draws` draws, equally many of each chain."""
        chains, whole = answer.draws.chains, len(answer.draws)
        length = whole // chains
        number = length if draws is None else max(min(draws // chains, length), 1)
        tables = tuple(table for table in answer.recipe.tables if not isinstance(table, ItemScores))
        return cls(answer=answer, chains=chains, length=length, number=number, tables=tables)

    @property
    def recipe(self) -> Recipe:
        """What the answer was made by."""
        return self.answer.recipe

    @property
    def total(self) -> int:
        """How many draws must be made again so that the first of every chain are among them."""
        return (self.chains - 1) * self.length + self.number

    @property
    def names(self) -> tuple[str, ...]:
        """What the classifiers are called, so that no letter of it does harm."""
        return tuple(map(visible, self.answer.draws.names))

    @property
    def of_class(self) -> str:
        """The name of the axis of the classes: a label of many is no class."""
        return "label" if isinstance(self.tables[0], MultilabelOutcomes) else "class"

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels in words."""
        return tuple(visible(label_text(label)) for label in self.tables[0].labels)

    @property
    def classes(self) -> tuple[str, ...]:
        """The labels that can be true, in words."""
        return tuple(self.labels[j] for j in class_places(self.tables[0]))

    @property
    def own(self) -> tuple[str, ...]:
        """The axis of what each table has for itself: none where one table holds all classifiers."""
        return () if len(self.tables) == 1 else ("classifier",)

    def chained(self, array: Any, axis: int = 0) -> Any:
        """Return an array whose draws lie along an axis, chain after chain, as (chains, draws, …), cut to `number`."""
        moved = np.moveaxis(array, axis, 0)
        if self.chains == 1:
            return moved[np.newaxis, : self.number]
        padded = moved
        if len(moved) < self.chains * self.length:  # of the last chain only the first draws were made again
            padded = np.empty((self.chains * self.length, *moved.shape[1:]), dtype=moved.dtype)
            padded[: len(moved)] = moved
        return padded.reshape(self.chains, self.length, *moved.shape[1:])[:, : self.number]

    def matrix_axes(self) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
        """Return the axes of confusion matrices, and what lies along them."""
        if self.of_class == "label":
            axes = ("classifier", "label", "truth", "predicted")
            return axes, {"label": self.labels, "truth": _SIDES, "predicted": _SIDES}
        return ("classifier", "truth", "predicted"), {"truth": self.labels, "predicted": self.labels}


def contents(answer: Answer, draws: int | None = None) -> Contents:
    """Return everything that is known of an answer, in ArviZ's groups."""
    frame = Frame.of(answer, None if draws is None else check_whole(draws, "draws"))
    made = {
        "posterior": _posterior(frame),
        "posterior_predictive": _predictive(frame),
        "prior": _prior(frame),  # after those, which find out whether tables can be drawn again at all
        "sample_stats": _stats(frame),
        "observed_data": _observed(frame),
    }
    groups = {name: group for name, group in made.items() if group is not None}
    return Contents(groups, _attributes(frame))


# -- the groups --------------------------------------------------------------------------------------------


def _scores(frame: Frame, psi: FloatArray | None, delta: FloatArray | None) -> Group:
    """Return the metric of each classifier and, of two, their difference; arrays (…, draws)."""
    group = Group()
    if psi is not None:
        group.variables["psi"] = (("chain", "draw", "classifier"), psi)
        group.coords["classifier"] = frame.names
    if delta is not None:
        group.variables["delta"] = (("chain", "draw"), delta)
    return group


def _posterior(frame: Frame) -> Group:
    answer = frame.answer
    unknown = isinstance(answer, ForeignComparison) and not answer.knows_scores
    psi = None if unknown else frame.chained(answer.draws.psi, axis=1)
    delta = frame.chained(answer.draws.delta()) if isinstance(answer, Comparison) else None
    group = _scores(frame, psi, delta)
    chains = frame.answer.chains
    if chains is not None:
        for name, array in chains.parameters.items():
            called = f"{name}_parameter" if name in group.variables else name
            group.variables[called] = (("chain", "draw", *chains.sampled.dims[name]), array[:, : frame.number])
            for dim in chains.sampled.dims[name]:
                group.coords[dim] = tuple(map(visible, chains.sampled.coords[dim]))
    if not frame.tables:
        return group
    columns = [class_places(table).size * ((chains is None) + table.n_classifiers) for table in frame.tables]
    size = 8 * frame.total * sum(columns)
    if size > _MAX_BYTES:
        frame.left_out.append(
            f"mu and recall of {frame.total:,} draws, which would take {size / 1e6:,.0f} MB: to_arviz(draws=…) has "
            "those of fewer"
        )
        return group
    drawn = _again(frame, frame.total, shares=True)
    if drawn is not None:
        _add_shares(frame, group, drawn)
    return group


def _again(frame: Frame, number: int, *, shares: bool = False, picked: IntArray | None = None) -> Drawn | None:
    """Draw the tables of the posterior again; None, with the reason kept, where that cannot be done."""
    picks = np.zeros(0, dtype=np.int64) if picked is None else picked
    known = frame.answer.draws.psi
    drawn = Drawn(recipe=frame.recipe, tables=frame.tables, number=number, shares=shares, picked=picks, known=known)
    try:
        return drawn.fill(posterior_parts(frame.recipe, frame.answer.chains, number))
    except RopewalkError as error:
        frame.left_out.append(f"{'mu and recall' if shares else 'posterior_predictive'}: {error.message}")
        return None


def _add_shares(frame: Frame, group: Group, drawn: Drawn) -> None:
    """Add class shares and recalls, unless the chains have variables of these names."""
    if frame.of_class in group.coords and group.coords[frame.of_class] != frame.classes:
        return
    axis = frame.of_class
    if "mu" not in group.variables:
        group.variables["mu"] = (("chain", "draw", *frame.own, axis), frame.chained(drawn.mu))
    if "recall" not in group.variables:
        recall = frame.chained(drawn.recall, axis=1)
        group.variables["recall"] = (("chain", "draw", "classifier", axis), recall)
    group.coords[axis] = frame.classes


def _prior(frame: Frame) -> Group | None:
    answer, recipe = frame.answer, frame.recipe
    known = answer.prior_draws if isinstance(answer, Comparison) else None
    most = frame.chains * frame.number
    if not frame.tables or recipe.model.no_factor:
        if known is None:
            frame.left_out.append(f"prior: {recipe.model.no_factor or 'not known'}")
            return None
        return _scores(frame, None, known[np.newaxis, :most])
    work = frame.tables[0].n_labels * len(frame.names)
    number = min(max(min(SD_DRAWS, _MAX_PRIOR_WORK // work), _MIN_PRIOR_DRAWS) if known is None else known.size, most)
    drawn = Drawn(recipe=recipe, tables=frame.tables, number=number, shares=True)
    try:
        drawn.fill(prior_parts(recipe, frame.tables, number))
        delta = difference(*drawn.psi) if isinstance(answer, Comparison) else None
        check_same(delta if known is None else known[:number], delta)
        if any(WEIGHED in reason for reason in frame.left_out):
            raise OtherDrawsError(WEIGHED)  # as the posterior does, so does the prior
    except RopewalkError as error:
        frame.left_out.append(f"psi, mu and recall of the prior: {error.message}")
        return None if known is None else _scores(frame, None, known[np.newaxis, :number])
    chain = replace(frame, chains=1, length=number, number=number)
    group = _scores(chain, chain.chained(drawn.psi, axis=1), None if delta is None else delta[np.newaxis])
    _add_shares(chain, group, drawn)
    return group


def _predictive(frame: Frame) -> Group | None:
    """Replicate the data from the first draws of each chain."""
    if not frame.tables:
        return None
    moves = frame.recipe.model.moves
    if moves:
        frame.left_out.append(f"posterior_predictive: {moves}")
        return None
    n_labels = frame.tables[0].n_labels
    cells = (
        sum(table.n_classifiers for table in frame.tables) * n_labels * (4 if frame.of_class == "label" else n_labels)
    )
    number = min(frame.number, _MAX_REPLICATES // frame.chains, _MAX_COUNTS // cells // frame.chains)
    if not number:
        frame.left_out.append("posterior_predictive: the confusion matrices are too large")
        return None
    picked = (np.arange(frame.chains)[:, np.newaxis] * frame.length + np.arange(number)).reshape(-1)
    drawn = _again(frame, int(picked[-1]) + 1, picked=picked)
    if drawn is None:
        return None
    counts = drawn.confusion
    return _data(frame, counts.reshape(frame.chains, number, *counts.shape[1:]), ("chain", "draw"))


def _data(frame: Frame, confusion: IntArray, lead: tuple[str, ...]) -> Group:
    """Return confusion matrices, and how many items there are of each class."""
    axes, coords = frame.matrix_axes()
    of_class = confusion.sum(axis=-1)  # …, classifier, [label,] truth
    of_class = of_class[..., 1] if frame.of_class == "label" else of_class[..., class_places(frame.tables[0])]
    if not frame.own:
        of_class = of_class[(slice(None),) * len(lead) + (0,)]
    group = Group({"confusion": ((*lead, *axes), confusion)}, {"classifier": frame.names, **coords})
    group.variables["class_counts"] = ((*lead, *frame.own, frame.of_class), of_class)
    group.coords[frame.of_class] = frame.classes
    return group


def _observed(frame: Frame) -> Group | None:
    if frame.tables:
        return _data(frame, np.concatenate([matrices(seen_tables(table))[:, 0] for table in frame.tables]), ())
    items = frame.recipe.tables[0]
    if not isinstance(items, ItemScores) or items.truth is None:
        return None
    counts = np.bincount(items.truth, minlength=items.n_labels)
    classes = tuple(visible(label_text(label)) for label in items.labels)
    return Group({"class_counts": (("class",), counts)}, {"class": classes})


def _stats(frame: Frame) -> Group | None:
    chains = frame.answer.chains
    if chains is None or not chains.sampled.stats:
        return None
    stats = chains.sampled.stats.items()
    return Group({name: (("chain", "draw"), np.asarray(array)[:, : frame.number]) for name, array in stats})


# -- the attributes ----------------------------------------------------------------------------------------


def _attributes(frame: Frame) -> dict[str, Any]:
    """Return the question and the answer in what netCDF can hold: texts and numbers."""
    answer, recipe = frame.answer, frame.recipe
    rendered: Any = answer
    if isinstance(answer, MetricPosterior):  # the JSON of a single metric is an evaluation of it
        rendered = Evaluation(name=answer.draws.names[0], at_least=answer.bar, metrics=(answer,))
    values = rendered.to_dict()
    attrs: dict[str, Any] = {
        "inference_library": "ropewalk",
        "inference_library_version": __version__,
        "sampling": "independent draws" if answer.diagnostics is None else "Markov chains",
        "kind": type(answer).__name__,
        "metric": visible(recipe.metric.name),
        "higher_is_better": int(recipe.metric.higher_is_better),
        "model": values["model"],
        "prior": values["prior"],
        "prob": recipe.prob,
        "rule": recipe.rule,
        "rope": None if recipe.rope is None else [recipe.rope.low, recipe.rope.high],
        "seed": values["seed"],
        "data_hash": recipe.data_hash,
        "left_out": "; ".join(frame.left_out),
        ANSWER: rendered.to_json(indent=None),
        MORE: json.dumps(_more(frame)),
    }
    if isinstance(attrs["seed"], int) and attrs["seed"] > _MAX_INTEGER:  # a whole number of netCDF has 64 bits
        attrs["seed"] = str(attrs["seed"])
    return {
        name: visible(value) if isinstance(value, str) and name not in {ANSWER, MORE} else value
        for name, value in attrs.items()
        if value not in (None, "")
    }


def _more(frame: Frame) -> dict[str, Any]:
    """Return what the JSON of the answer leaves out: labels as they were, the ROPE of an answer without a verdict."""
    answer, recipe = frame.answer, frame.recipe
    outcomes: Sequence[AnyOutcomes] = [table for table in frame.tables if isinstance(table, Outcomes)]
    more: dict[str, Any] = {
        "recipe": recipe_dict(recipe),
        "rope": plain(recipe.rope),
        "no_verdict": answer.no_verdict,
        "labels": [list(table.labels) for table in outcomes],
        "left_out": [table.left_out for table in outcomes],
        "pos_label": recipe.pos_label,
        "sampler": None if recipe.sampler is None else asdict(recipe.sampler),
        "names": list(answer.draws.names),
        "range": [plain(recipe.metric.low), plain(recipe.metric.high)],
    }
    if isinstance(answer, MetricPosterior):
        more["bar"] = answer.bar
    else:
        more["remarks"] = [[remark.code, remark.level, remark.text] for remark in answer.remarks]
    if isinstance(answer, ForeignComparison):
        more["origin"] = asdict(answer.origin)
    return more
