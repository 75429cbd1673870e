"""Methods, by several runs of each on the same items: one, two, or many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn

from ropewalk._checks import published
from ropewalk.draws.intervals import Estimate
from ropewalk.errors import InvalidInputError
from ropewalk.models.runs import Components, Design
from ropewalk.results import base
from ropewalk.results.comparison import Comparison
from ropewalk.results.evaluation import Evaluation, MetricPosterior, Ranking
from ropewalk.results.scope import Scope, Wider
from ropewalk.text.remarks import wording
from ropewalk.text.units import metric_title


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class RunsSummary:
    """The runs of methods: `observed` metrics of each, in the order of their `names`, and how far runs lie apart.

    `sd_median` is the posterior median of the standard deviation between runs, and `df` its degrees of freedom: one
    number, or one of each method where some have their own; of shared runs it is that of a difference. `included` says
    whether the spread between runs is in the interval. Where it is not, `holds_if_run_sd_below` is the standard
    deviation between runs up to which the verdict would be the same; None where there is none to hold.
    """

    design: Design
    names: tuple[str, ...]
    observed: tuple[tuple[float, ...], ...]
    sd_median: tuple[float, ...]
    df: tuple[int, ...]
    included: bool
    holds_if_run_sd_below: float | None = None

    @property
    def n_runs(self) -> tuple[int, ...]:
        """How many runs each method has."""
        return tuple(map(len, self.observed))

    @property
    def a(self) -> int:
        """How many runs the first method has."""
        return self.n_runs[0]

    @property
    def b(self) -> int:
        """How many runs the second method has."""
        return self.n_runs[1]

    def to_dict(self) -> dict[str, Any]:
        """Return the runs in plain Python types: of two methods as a and b, of one as they are, of more in a list."""
        if len(self.names) == 1:
            runs: dict[str, Any] = {"n_runs": self.a, "observed": list(self.observed[0])}
        elif len(self.names) == 2:  # noqa: PLR2004
            runs = {"a": self.a, "b": self.b, "observed": {"a": list(self.observed[0]), "b": list(self.observed[1])}}
        else:
            runs = {"n_runs": list(self.n_runs), "observed": [list(each) for each in self.observed]}
        return {
            "design": self.design,
            **runs,
            "sd_median": _one_or_all(self.sd_median),
            "df": _one_or_all(self.df),
            **base.pick(self, "included holds_if_run_sd_below"),
        }


def _one_or_all(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else list(values) or None


def components_dict(parts: Components | None) -> dict[str, Any] | None:
    """Return where the variance comes from, in plain Python types."""
    if parts is None:
        return None
    return {
        **base.pick(parts, "item run noise shares n_items n_runs"),
        "run_quartiles": [parts.run_low, parts.run_high],
    }


class _OfRuns(Wider):
    """An answer about methods by several runs of each."""

    __slots__ = ()

    runs: RunsSummary
    components: Components | None

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes one prediction per item."""
        raise InvalidInputError(
            f"This answer is about several runs of a method, so nothing can be {doing}.",
            hint=wording("ask about one run, without runs=; rw.plan(components=r, …) says more of items and runs."),
        )

    def on_runs(self) -> dict[str, Any]:
        """Return the runs, and where the variance comes from, in plain Python types."""
        return {"runs": self.runs.to_dict(), "components": components_dict(self.components)}


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RunsComparison(_OfRuns, Comparison):
    """Is method A better than method B, over runs and items? Made by `compare` with ``runs=``.

    A metric is taken run by run and then averaged: it is that which a run of the method is expected to have. `runs`
    has the runs, and `components` where the variance of the difference comes from.
    """

    rests_on_items: ClassVar[bool] = False
    about: Scope
    runs: RunsSummary
    components: Components | None = field(default=None)

    @property
    def expected(self) -> tuple[Estimate, ...]:
        """What a run of each method is expected to score."""
        return self.estimate_a, self.estimate_b

    def is_joint_with(self, other: Comparison) -> bool:
        """Whether it is the same one: how a run moves two metrics at once is not drawn."""
        return self is other

    @property
    def pairing(self) -> None:
        """None: separate items would not make the runs' share of the width any wider."""
        return

    @property
    def discordant(self) -> None:
        """None: which items only one has right differs from run to run."""
        return

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with the runs and where the variance comes from added."""
        return {**Comparison.to_dict(self), **self.on_runs()}


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunsPosterior(_OfRuns, MetricPosterior):
    """The expected metric of a run of one method, and how it stands against a `bar`, if there is one."""

    about: Scope
    runs: RunsSummary
    components: Components | None = field(default=None)

    @property
    def expected(self) -> tuple[Estimate, ...]:
        """What a run of the method is expected to score."""
        return (self.estimate,)

    @property
    def whose(self) -> str:
        """Which method has it."""
        return self.runs.names[0]


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RunsEvaluation(Evaluation):
    """How good is one method, over runs and items? Made by `evaluate` with ``runs=``."""

    metrics: tuple[RunsPosterior, ...]

    @property
    def scope(self) -> Scope:
        """What it is about, which chances are in its interval, and what it takes as it is."""
        return self.metrics[0].scope

    @property
    def runs(self) -> RunsSummary:
        """The runs, by the first metric."""
        return self.metrics[0].runs

    @property
    def components(self) -> Components | None:
        """Where the variance of the first metric comes from."""
        return self.metrics[0].components

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of an evaluation, with the runs and where the variance comes from in each metric."""
        whole = Evaluation.to_dict(self)
        for written, m in zip(whole["metrics"], self.metrics, strict=True):
            written.update(m.on_runs())
        return whole


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class RunsRanking(_OfRuns, Ranking):
    """Which of K methods is best, over runs and items? Made by `rank` with ``runs=``.

    `components` say where the variance of a difference of two comes from, on average over all pairs.
    """

    about: Scope
    runs: RunsSummary
    components: Components | None = field(default=None)

    @property
    def expected(self) -> tuple[Estimate, ...]:
        """What a run of each method is expected to score."""
        return tuple(self[name].estimate for name in self.runs.names)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a ranking, with the runs and where the variance comes from added."""
        return {**Ranking.to_dict(self), **self.on_runs()}


def scope_of_runs(
    metric: str, *, design: Design, fixed: str | None, clustered: bool, included: bool = True, n_methods: int = 2
) -> Scope:
    """Return the scope of an answer about methods, by several runs of each.

    Examples
    --------
    >>> scope = scope_of_runs("accuracy", design="independent", fixed=None, clustered=False)
    >>> print(scope.line)
    random: items, runs · fixed: the training data, where the items come from
    >>> scope_of_runs("accuracy", design="independent", fixed="runs", clustered=False, n_methods=1).estimand
    'the accuracy of these runs of a method, on items like these'
    """
    drawn = "clusters of items" if clustered else "items"
    runs = {"independent": "runs", "shared": "shared runs", "samples": "answers"}[design]
    what = f"{'difference in ' if n_methods == 2 else ''}{metric_title(metric)}"  # noqa: PLR2004
    who = {1: "a method", 2: "two methods"}.get(n_methods, f"{n_methods} methods")
    if fixed == "items":
        return Scope(
            estimand=f"the {what} of {who} on these items, over {runs} like these",
            random=(runs,),
            fixed=("the items", "the training data"),
        )
    if fixed == "runs" or not included:
        return Scope(
            estimand=f"the {what} of these runs of {who}, on {drawn} like these",
            random=(drawn,),
            fixed=("the runs", "where the items come from"),
        )
    return Scope(
        estimand=f"the expected {what} of {who}, over {runs} and {drawn} like these",
        random=(drawn, runs),
        fixed=("the training data", "where the items come from"),
    )
