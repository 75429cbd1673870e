"""What resampling answers: a comparison over folds and repeats, a setting chosen and tested."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ropewalk._version import __version__
from ropewalk.draws.blocks import Draws
from ropewalk.draws.decision import Decision, Piece, Regions
from ropewalk.draws.evidence import BayesFactor
from ropewalk.draws.intervals import Interval
from ropewalk.draws.summary import Estimate
from ropewalk.mcmc.chains import Diagnostics
from ropewalk.results.base import SCHEMA, Drawing, Modelled, Recipe, Rendered, estimate_dict
from ropewalk.results.classical import ClassicalTest
from ropewalk.results.comparison import Comparison
from ropewalk.results.evaluation import Evaluation, MetricPosterior
from ropewalk.results.planning import MoreData
from ropewalk.results.predictions import CrossPredictions
from ropewalk.text.names import visible
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.typing import FloatArray, IntArray, Label

_FEWEST: Final = 2


def spread_dict(values: FloatArray) -> dict[str, float | int | None]:
    """Return how many values there are, their mean, sample standard deviation and range."""
    known = values[np.isfinite(values)]
    if not known.size:
        return {"n": 0, "mean": None, "std": None, "low": None, "high": None}
    return {
        "n": int(known.size),
        "mean": float(known.mean()),
        "std": float(known.std(ddof=1)) if known.size >= _FEWEST else None,
        "low": float(known.min()),
        "high": float(known.max()),
    }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class CrossComparison(Rendered, Modelled, Remarked):
    """Is A better than B where both are trained and tested on the same folds? Made by `cross_compare`.

    Reads like the `Comparison` that it holds. Beside it stand the differences A − B of the repeats (empty where
    repeats test different items) and of the folds, and the corrected resampled t test of the latter, None where it
    cannot be made.
    """

    comparison: Comparison
    predictions: CrossPredictions
    repeat_differences: FloatArray
    fold_differences: FloatArray
    corrected_t: ClassicalTest | None
    remarks: tuple[Remark, ...] = ()

    @property
    def a(self) -> str:
        """The name of A."""
        return self.comparison.a

    @property
    def b(self) -> str:
        """The name of B."""
        return self.comparison.b

    @property
    def diagnostics(self) -> Diagnostics | None:
        """How far Markov chains can be trusted, where there are any."""
        return self.comparison.diagnostics

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.comparison.metric

    @property
    def pos_label(self) -> Label | None:
        """The positive class, if the metric has one."""
        return self.comparison.pos_label

    @property
    def estimate_a(self) -> Estimate:
        """The posterior of A's score."""
        return self.comparison.estimate_a

    @property
    def estimate_b(self) -> Estimate:
        """The posterior of B's score."""
        return self.comparison.estimate_b

    @property
    def delta(self) -> Estimate:
        """The posterior of A − B."""
        return self.comparison.delta

    @property
    def mean(self) -> float:
        """The posterior mean of A − B."""
        return self.comparison.mean

    @property
    def std(self) -> float:
        """The posterior standard deviation of A − B."""
        return self.comparison.std

    @property
    def hdi(self) -> Interval:
        """The highest density interval of A − B."""
        return self.comparison.hdi

    @property
    def prob_below_zero(self) -> float:
        """The probability that A's score is below B's."""
        return self.comparison.prob_below_zero

    @property
    def prob_above_zero(self) -> float:
        """The probability that A's score is above B's."""
        return self.comparison.prob_above_zero

    @property
    def rope(self) -> Interval | None:
        """The region of practical equivalence, if one was stated."""
        return self.comparison.rope

    @property
    def regions(self) -> Regions | None:
        """The masses below, in and above the ROPE."""
        return self.comparison.regions

    @property
    def rope_path(self) -> tuple[Piece, ...] | None:
        """The verdict at every width of the ROPE."""
        return self.comparison.rope_path

    @property
    def decision(self) -> Decision | None:
        """The verdict, if a ROPE was stated."""
        return self.comparison.decision

    @property
    def conclusive(self) -> bool:
        """Whether the data settle the question; never so without a ROPE."""
        return self.comparison.conclusive

    @property
    def prior_draws(self) -> FloatArray | None:
        """Draws of A − B under the prior, where a Bayes factor was made of them."""
        return self.comparison.prior_draws

    @property
    def sd_draws(self) -> FloatArray | None:
        """Draws of A − B that the Savage-Dickey ratio was made of."""
        return self.comparison.sd_draws

    @property
    def more(self) -> MoreData | None:
        """How many more items would settle an open question, if the classifiers learned no more from them."""
        return self.comparison.more

    @property
    def bayes_factor(self) -> BayesFactor | None:
        """The Bayes factors, where the model has them."""
        return self.comparison.bayes_factor

    @property
    def draws(self) -> Draws:
        """The draws of both scores."""
        return self.comparison.draws

    @property
    def recipe(self) -> Recipe:
        """What gives the same comparison of these predictions again."""
        return self.comparison.recipe

    @property
    def drawing(self) -> Drawing:
        """How it was drawn."""
        return self.comparison.drawing

    def __repr__(self) -> str:
        return f"Cross{self.comparison!r}"

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison's JSON object with the key "resampling" added."""
        made = self.predictions
        return {
            **self.comparison.to_dict(),
            "notes": list(self.notes),
            "resampling": {
                "splits": made.words,
                "seed": made.seed,
                "n_items": made.n_items,
                "n_folds": made.n_folds,
                "n_repeats": made.n_repeats,
                "n_train": made.n_train,
                "n_test": made.n_test,
                "cluster": "group" if made.group is not None else "item" if made.cluster is not None else None,
                "repeats": spread_dict(self.repeat_differences),
                "repeat_differences": _numbers(self.repeat_differences),
                "folds": spread_dict(self.fold_differences),
                "fold_differences": _numbers(self.fold_differences),
                "corrected_t": None if self.corrected_t is None else self.corrected_t.to_dict(),
            },
        }


def _numbers(values: FloatArray) -> list[float | None]:
    return [value if np.isfinite(value) else None for value in values.tolist()]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """One setting of the hyper-parameters, and the posterior of its score on the validation set."""

    params: Mapping[str, Any]
    validation: MetricPosterior

    @property
    def text(self) -> str:
        """The setting in words.

        Examples
        --------
        >>> Setting(params={"C": 0.1, "kernel": "rbf"}, validation=None).text  # type: ignore[arg-type]
        "C=0.1, kernel='rbf'"
        """
        return ", ".join(f"{name}={value!r}" for name, value in self.params.items()) or "as it is"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Validated(Rendered, Remarked):
    """A setting chosen on a validation set, and how good it is on a test set. Made by `train_validation_test`.

    `train`, `validation` and `test_items` are numbers of items; `estimator` is the fitted one that was tested, on the
    training set alone unless `refit`.
    """

    name: str
    settings: tuple[Setting, ...]
    chosen: int
    test: Evaluation
    estimator: Any = field(repr=False)
    train: IntArray = field(repr=False)
    validation: IntArray = field(repr=False)
    test_items: IntArray = field(repr=False)
    refit: bool
    seed: int
    remarks: tuple[Remark, ...] = ()

    @property
    def best(self) -> Setting:
        """The setting with the best observed score on the validation set."""
        return self.settings[self.chosen]

    @property
    def metric(self) -> str:
        """The metric's name."""
        return self.best.validation.metric.name

    @property
    def estimate(self) -> Estimate:
        """The posterior of the chosen setting's score on the test set."""
        return self.test.metrics[0].estimate

    def __repr__(self) -> str:
        low, high = self.estimate.hdi
        return visible(
            f"Validated({self.name}, {self.best.text} of {len(self.settings)}: test {self.metric} = "
            f"{self.estimate.mean:.3f} [{low:.3f}, {high:.3f}])"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        return {
            "schema": SCHEMA,
            "version": __version__,
            "name": self.name,
            "metric": self.metric,
            "seed": self.seed,
            "refit": self.refit,
            "n_train": len(self.train),
            "n_validation": len(self.validation),
            "n_test": len(self.test_items),
            "chosen": self.chosen,
            "settings": [
                {"params": {k: _plain(v) for k, v in s.params.items()}, **estimate_dict(s.validation.estimate)}
                for s in self.settings
            ],
            "test": self.test.to_dict(),
            "notes": list(self.notes),
            "warnings": list(self.warnings),
        }


def _plain(value: Any) -> Any:
    """Return a value of a hyper-parameter as JSON can hold it, else as text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return repr(value)
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)
