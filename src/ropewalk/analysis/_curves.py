"""Curves of training and held-out scores, and the study that fills them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ropewalk._checks import check_draws, check_prob, check_seed, is_whole
from ropewalk._progress import check_progress, track
from ropewalk.analysis._folds import check_folds
from ropewalk.analysis._parts import code_labels
from ropewalk.analysis._training import Learner, as_items, as_learner, as_targets
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.errors import RopewalkWarning
from ropewalk.metrics.registry import parse_metric
from ropewalk.metrics.resolve import require_labels, settle
from ropewalk.models.posterior import observed_psi
from ropewalk.resampling.splits import pick
from ropewalk.results.options import TrainingOptions
from ropewalk.text.remarks import Remark, Remarked, few
from ropewalk.typing import IntArray, Label
from ropewalk.verbs.evaluation import evaluate

Case = tuple[Any, Learner, Sequence[IntArray]]
"""A value along the curve, what to train, and the positions to train on in each fold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CurvePoint:
    """The scores at one training size or parameter value.

    `train` is the mean over folds of the score on the very items that were trained on, `train_std` its spread;
    `held_out` the posterior of the score on items that were not, pooled over folds.
    """

    value: Any
    n_train: int
    train: float
    train_std: float
    held_out: Estimate

    @property
    def gap(self) -> float:
        """The training score minus the held-out score as observed."""
        return self.train - self._observed

    @property
    def gap_interval(self) -> Interval:
        """The HDI of the gap, the training score given."""
        low, high = self.held_out.hdi
        return Interval(self.train - high, self.train - low)

    @property
    def _observed(self) -> float:
        return self.held_out.mean if self.held_out.observed is None else self.held_out.observed

    def __str__(self) -> str:
        low, high = self.held_out.hdi
        return f"train {self.train:.3f}, held out {self._observed:.3f} [{low:.3f}, {high:.3f}], gap {self.gap:+.3f}"

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types."""
        value = self.value.item() if isinstance(self.value, np.generic) else self.value
        return {
            "value": value if value is None or isinstance(value, int | float | str) else repr(value),
            "n_train": self.n_train,
            "train": self.train,
            "train_std": self.train_std,
            "held_out": {"observed": self._observed, "mean": self.held_out.mean, "hdi": list(self.held_out.hdi)},
            "gap": self.gap,
            "gap_interval": list(self.gap_interval),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve(Remarked):
    """Training and held-out scores along something: see `points`. Made by `learning_curve` and `validation_curve`.

    The intervals are about items like these, given training sets like these: to train again on other items of the
    population is not in them.
    """

    along: str
    metric: str
    higher_is_better: bool
    prob: float
    folds: int
    seed: int
    points: tuple[CurvePoint, ...]
    remarks: tuple[Remark, ...] = ()

    @property
    def best(self) -> CurvePoint:
        """The point with the best held-out score as observed; being picked for it, that score is too rosy itself."""
        sign = 1 if self.higher_is_better else -1
        return max(self.points, key=lambda point: sign * (point.train - point.gap))

    def __str__(self) -> str:
        head = [self.along, "train", "held out", f"{100 * self.prob:g}% HDI", "gap"]
        rows = [
            [
                f"{p.value:,}" if is_whole(p.value) else str(p.value), f"{p.train:.3f} ± {p.train_std:.3f}",
                f"{p.train - p.gap:.3f}", f"[{p.held_out.hdi.low:.3f}, {p.held_out.hdi.high:.3f}]", f"{p.gap:+.3f}",
            ]
            for p in self.points
        ]  # fmt: skip
        wide = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = ["  ".join(cell.rjust(w) for cell, w in zip(row, wide, strict=True)) for row in (head, *rows)]
        return "\n".join([f"{self.metric}, {self.folds} folds", *lines])

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types."""
        return {
            "along": self.along, "metric": self.metric, "higher_is_better": self.higher_is_better, "prob": self.prob,
            "folds": self.folds, "seed": self.seed, "points": [point.to_dict() for point in self.points],
            "warnings": list(self.warnings),
        }  # fmt: skip


class Scoring:
    """How predictions become scores: what was asked for, checked once."""

    def __init__(self, options: TrainingOptions, seed: int) -> None:
        check_progress(options.get("progress"))
        require_labels(options.get("metric"))
        self.metric = parse_metric(options.get("metric", "accuracy"))
        self.prob, self.draws = check_prob(options.get("prob", 0.95)), check_draws(options.get("draws", "auto"))
        self.pos_label, self.seed = options.get("pos_label"), seed
        self.warnings: list[Remark] = []

    def observed(self, truth: npt.NDArray[Any], predicted: npt.NDArray[Any], labels: tuple[Label, ...]) -> float:
        """Return the score of these predictions, no more."""
        table = Outcomes.from_arrays(truth, predicted, labels=_all_labels(labels, predicted))
        settled = settle([table], metric=self.metric, pos_label=self.pos_label)
        return float(observed_psi(settled.tables, settled.metric)[0] or 0.0)

    def posterior(self, truth: npt.NDArray[Any], predicted: npt.NDArray[Any], labels: tuple[Label, ...]) -> Estimate:
        """Return the posterior of the score; its warnings are kept."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RopewalkWarning)  # said once, for all points together
            found = evaluate(
                truth, predicted, name="held out", labels=_all_labels(labels, predicted), metric=self.metric,
                pos_label=self.pos_label, prob=self.prob, draws=self.draws, rng=self.seed,
            )  # fmt: skip
        self.warnings += [remark for remark in found.remarks if remark.level == "warning"]
        return found.metrics[0].estimate


class Study:
    """Items, folds and a learner; `curve` trains and scores whatever cases are to be compared."""

    def __init__(self, estimator: Any, data: tuple[Any, Any], cv: Any, caller: str, options: TrainingOptions) -> None:
        self.learner, self.items = as_learner(estimator), as_items(data[0], "X")
        self.y = as_targets(data[1], "y", self.items, "X")
        self.labels, (self.codes,) = code_labels([self.y])
        self.seed = check_seed(options.get("rng"), options.get("random_state"))
        self.scoring, self.progress = Scoring(options, self.seed), options.get("progress")
        self.folds = check_folds(cv, self.items, self.y, self.seed, caller)

    def streams(self) -> list[np.random.Generator]:
        """Return a source of random numbers for every fold, the same whatever is compared."""
        return [np.random.default_rng(stream) for stream in np.random.SeedSequence(self.seed).spawn(len(self.folds))]

    def curve(self, along: str, cases: Sequence[Case]) -> Curve:
        """Train and score every case in every fold."""
        answers = track(self._answers(along, cases), total=len(cases) * len(self.folds), describe="Training",
                        progress=self.progress)  # fmt: skip
        points = []
        for value, _, train in cases:
            trained, pooled = [], np.empty(self.y.size, dtype=object)
            for fold, positions in zip(self.folds, train, strict=True):
                seen, unseen = next(answers)
                trained.append(self.scoring.observed(self.y[positions], seen, self.labels))
                pooled[fold.test] = unseen
            points.append(
                CurvePoint(
                    value=value, n_train=min(map(len, train)), train=float(np.mean(trained)),
                    train_std=float(np.std(trained, ddof=1)) if len(trained) > 1 else 0.0,
                    held_out=self.scoring.posterior(self.y, pooled, self.labels),
                )
            )  # fmt: skip
        next(answers, None)  # lets the progress bar end
        return Curve(
            along=along, metric=self.scoring.metric.name, higher_is_better=self.scoring.metric.higher_is_better,
            prob=self.scoring.prob, folds=len(self.folds), seed=self.seed, points=tuple(points),
            remarks=tuple(few(self.scoring.warnings)),
        )  # fmt: skip

    def _answers(self, along: str, cases: Sequence[Case]) -> Iterator[tuple[Any, Any]]:
        """Yield the predictions for the training and the held-out items, fold by fold."""
        for value, learner, train in cases:
            for k, (fold, positions) in enumerate(zip(self.folds, train, strict=True), start=1):
                items, rng = pick(self.items, positions), self.streams()[k - 1]
                seen, unseen = learner.predict(
                    (items, self.y[positions]), items, pick(self.items, fold.test), rng=rng,
                    where=f"fold {k} with {along} = {value!r:.40}",
                )  # fmt: skip
                yield seen, unseen


def _all_labels(labels: tuple[Label, ...], predicted: npt.NDArray[Any]) -> tuple[Label, ...]:
    """Return the labels of the data, and behind them any that were only predicted."""
    found, _ = code_labels([predicted])
    return (*labels, *(label for label in found if label not in labels))
