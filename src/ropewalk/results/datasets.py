"""Answers over many data sets: two classifiers, and K of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from ropewalk._checks import published
from ropewalk.draws.intervals import Estimate, Regions
from ropewalk.errors import InvalidInputError
from ropewalk.results import base
from ropewalk.results.base import Rendered
from ropewalk.results.evaluation import Ranking
from ropewalk.results.pooled import PopulationComparison, PopulationPair, PopulationRanked
from ropewalk.results.scope import Scope
from ropewalk.text.standing import Standing
from ropewalk.text.units import RANKS, Unit, metric_title


@dataclass(frozen=True, slots=True, kw_only=True)
class SignTest:
    """The Bayesian sign test: where the `next` data set lies, and which region is the `most_probable` one."""

    next: Regions
    most_probable: Regions


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class DatasetsComparison(PopulationComparison):
    """Is A better than B on data sets like these? Made by `compare_datasets`.

    Of one score per data set, `next` is about the average of two further data sets (signed-rank), and `sign` about the
    next one alone. `classical` has the tests of `tests=True`, by name.
    """

    sign: SignTest | None = None
    classical: Mapping[str, Rendered] = field(default_factory=dict)

    @property
    def chances(self) -> tuple[tuple[str, Regions | None], ...]:
        """What is said beside the mean, each with what it is called."""
        if self.sign is None:
            return PopulationComparison.chances.fget(self)  # type: ignore[attr-defined, no-any-return]
        return (
            ("Two more, averaged", self.next),
            ("Most pairs", self.most_probable),
            ("Next data set", self.sign.next),
            ("Most data sets", self.sign.most_probable),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a comparison, with what is said about the next data set and each of these added."""
        tests = {"classical": base.plain(self.classical)} if self.classical else {}
        return {**PopulationComparison.to_dict(self), **base.pick(self, "sign"), **tests}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetsRanked(PopulationRanked):
    """One classifier in a ranking over data sets; `p_best_next` is the probability that it is best on the next one.

    `mean_rank` is its mean rank over data sets like these, 1 for the best. Probabilities of ranks and the expected loss
    are `by` the mean score or the mean rank.
    """

    mean_rank: Estimate
    by: str = "score"

    @property
    def ranked(self) -> Estimate:
        """What it is ranked by."""
        return self.mean_rank if self.by == "rank" else self.estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the classifier in plain Python types."""
        return {**PopulationRanked.to_dict(self), "mean_rank": base.estimate_dict(self.mean_rank)}


@dataclass(frozen=True, slots=True, kw_only=True)
class DatasetsPair(PopulationPair):
    """Two classifiers on the `n` data sets that have scores of both, as `compare_datasets` judges them."""

    n: int

    def to_dict(self) -> dict[str, Any]:
        """Return the pair in plain Python types."""
        return {**PopulationPair.to_dict(self), **base.pick(self, "n")}


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class DatasetsRanking(Ranking):
    """Which of K classifiers is best on data sets like these? Made by `rank_datasets`.

    One set of weights over the data sets is shared by all classifiers, who are ranked `by` the mean "score" or the mean
    "rank". Where scores are missing, a pair uses the data sets that have both, and the ranking those that have all.
    """

    models: tuple[DatasetsRanked, ...]
    by: str = "score"
    n_datasets: int
    n_complete: int
    classical: Mapping[str, Any] = field(default_factory=dict)

    def standing(self) -> Standing:
        """Return what the headline is made of."""
        found = Ranking.standing(self)
        if self.by == "score":
            return found
        if not found.groups:
            return found._replace(metric=self.ranked_by)
        return found._replace(chance=f"{found.chance} by {self.ranked_by}") if found.chance else found

    @property
    def ranked_by(self) -> str:
        """What they are ranked by, in words."""
        return "mean rank" if self.by == "rank" else metric_title(self.metric)

    @property
    def unit_of_loss(self) -> Unit:
        """What the expected loss is counted in."""
        return RANKS if self.by == "rank" else self.recipe.unit

    @property
    def scope(self) -> Scope:
        """What it is about: the classifiers on data sets like these."""
        what = self.ranked_by if self.by == "rank" else f"mean {self.ranked_by}"
        return scope_of_datasets(f"{what} of {len(self.models)} classifiers")

    def require_data(self, doing: str) -> NoReturn:
        """Refuse what takes items."""
        raise InvalidInputError(
            f"This answer is about data sets as a whole, so nothing can be {doing}.",
            hint="rank the predictions on one of them, item by item.",
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON object of a ranking, with what is said about the next data set added."""
        tests = {"classical": base.plain(self.classical)} if self.classical else {}
        return {**Ranking.to_dict(self), **base.pick(self, "by n_datasets n_complete"), **tests}


def scope_of_datasets(what: str, *, folds: bool = False) -> Scope:
    """Return the scope of an answer over data sets.

    Examples
    --------
    >>> scope_of_datasets("the difference in accuracy").estimand
    'the difference in accuracy, over data sets like these'
    """
    inside = ("training sets", "test sets") if folds else ()
    return Scope(
        estimand=f"{what}, over data sets like these",
        random=("data sets", *inside),
        fixed=("the algorithms", "how the data sets were chosen"),
    )
