"""Judge two learning algorithms by their scores on folds: the correlated t, its draws, and where it cannot decide."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from ropewalk.draws.blocks import Draws
from ropewalk.draws.contrast import Contrast, Question
from ropewalk.draws.intervals import Estimate, Interval
from ropewalk.draws.student import MIN_FOLDS, StudentT, contrast_of, paired_correlated_t
from ropewalk.errors import DataError
from ropewalk.inference.drawing import LOOKS
from ropewalk.text.writing import count_of, decimals, interval
from ropewalk.typing import DrawsLike, FloatArray, IntArray

MIN_FOLDS_FOR_VERDICT: Final = 3
"""Of two folds the posterior has one degree of freedom: no mean, and an interval that luck makes short."""

MAX_SIZE_RATIO: Final = 2.0
"""Up to this ratio of the largest to the smallest, sets count as of one size."""

MIN_PASS_DF: Final = 4.0
"""The fewest degrees of freedom by which a verdict on repeats is checked: of fewer nothing could ever be decided."""

_RELATIVE_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FoldScores:
    """Scores of A and B on the same folds, (2, n), NaN where a fold has none, and the sizes of its sets.

    `n_without_class` is in how many folds a score counts 0/0 as 0 for want of a class in the test set. `item_std` is
    the standard deviation of the difference by the items of all folds, if they were judged too.
    """

    names: tuple[str, str]
    scores: FloatArray
    train_sizes: IntArray
    test_sizes: IntArray
    n_without_class: int = 0
    item_std: float = 0.0

    @property
    def usable(self) -> FloatArray:
        """The scores of the folds on which both have one."""
        return self.scores[:, np.isfinite(self.scores).all(axis=0)]

    @property
    def n_folds(self) -> int:
        """How many folds there are."""
        return int(self.scores.shape[1])

    @property
    def test_share(self) -> float:
        """The mean size of the test sets over that of the training sets."""
        return float(self.test_sizes.mean() / self.train_sizes.mean())

    @property
    def correlation(self) -> float:
        """The correlation that the scores of two folds are taken to have."""
        return self.test_share / (1 + self.test_share)

    @property
    def pass_df(self) -> float:
        """The degrees of freedom of a single pass over the items, k − 1 for k folds, at least four; at most n − 1.

        Repeats test the same items again. Their folds add degrees of freedom that the items do not have: simulated,
        the interval of n − 1 covers as little as .87 where an algorithm learns nothing, that of a single pass .94.
        """
        return min(float(self.usable.shape[1] - 1), max(1 / self.test_share, MIN_PASS_DF))

    @property
    def hidden_variance(self) -> float:
        """What the items vary beyond the folds: stratified folds all have the class mix of these data.

        Where A is good at one class and B at the other, another mix would change the difference, and no fold shows it:
        simulated, the correlated t then covers .33 to .96, and with this variance added .97 to 1.00 by accuracy.
        """
        usable = self.usable
        shown = float((usable[0] - usable[1]).var(ddof=1)) / (1 + 1 / self.test_share)  # of one pass over the items
        return max(self.item_std**2 - shown, 0.0)

    def cautious(self, posterior: StudentT) -> StudentT:
        """Return the posterior by which a verdict must hold too: of one pass, and with what the folds hide."""
        return replace(posterior, scale=math.hypot(posterior.scale, math.sqrt(self.hidden_variance)), df=self.pass_df)

    def no_verdict(self) -> str:
        """Return why these folds cannot bear a verdict; empty where they can."""
        usable = self.usable
        lost = self.n_folds - usable.shape[1]
        if lost:
            reason = f"{_some(lost, self.n_folds)} no score: a class is absent, or a classifier ranks nothing"
        elif self.n_without_class:
            lacking = _some(self.n_without_class, self.n_folds)
            reason = f"{lacking} no item of a class to test, which counts as a score of 0"
        elif self.n_folds < MIN_FOLDS_FOR_VERDICT:
            reason = f"{count_of(self.n_folds, 'fold')} show too little of the spread"
        elif not _varies(usable):
            same = f"all {self.n_folds:,} folds show the same difference"
            reason = f"{same}, and without a spread nothing is known of others"
        elif is_uneven(self.train_sizes):
            sizes = f"{self.train_sizes.min():,} to {self.train_sizes.max():,}"
            reason = f"training sets have from {sizes} items, and which algorithm is better may depend on that"
        else:
            return ""
        return f"no verdict, since {reason}"


def is_uneven(sizes: IntArray) -> bool:
    """Whether sets are of such different sizes that they cannot stand for one size.

    Examples
    --------
    >>> is_uneven(np.array([20, 20, 19])), is_uneven(np.array([20, 100]))
    (False, True)
    """
    return bool(sizes.max() > MAX_SIZE_RATIO * sizes.min())


def _some(number: int, total: int) -> str:
    return f"{number:,} of {count_of(total, 'fold')} {'has' if number == 1 else 'have'}"


def _varies(scores: FloatArray) -> bool:
    """Whether the difference of two rows varies, by more than rounding."""
    return bool(np.ptp(scores[0] - scores[1]) > _RELATIVE_ROUNDING * np.abs(scores).max())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedFolds:
    """The exact posterior of two mean scores and of their difference, and why it allows no verdict, if so.

    `cautious` is the interval by which a verdict must hold too; see `FoldScores.cautious`.
    """

    estimate_a: Estimate
    estimate_b: Estimate
    contrast: Contrast
    cautious: Interval
    draws: Draws
    no_verdict: str


def judge_folds(
    folds: FoldScores,
    question: Question,
    *,
    limits: Interval,
    resolution: float | None = None,
    draws: DrawsLike = "auto",
    seed: int = 0,
) -> JudgedFolds:
    """Judge the mean difference of two algorithms by the correlated t; single scores lie within `limits`.

    `resolution` is the step that scores move in, by default that of one item of a test set. Folds without a score are
    left out. Where no fold differs from another, the interval is that of differences which were rounded to such a step,
    and there is no verdict.

    Examples
    --------
    >>> scores = np.array([[0.81, 0.79, 0.84, 0.90, 0.88], [0.78, 0.77, 0.80, 0.89, 0.83]])
    >>> sizes = np.full(5, 80), np.full(5, 20)
    >>> folds = FoldScores(names=("new", "old"), scores=scores, train_sizes=sizes[0], test_sizes=sizes[1])
    >>> question = Question(rope=Interval(-0.01, 0.01), prob=0.95, rule="hdi", higher_is_better=True)
    >>> judged = judge_folds(folds, question, limits=Interval(0.0, 1.0))
    >>> print(judged.contrast.decision.text)
    Undecided at ±0.01; leaning new better; more data needed
    """
    usable = folds.usable
    if usable.shape[1] < MIN_FOLDS:
        raise DataError(
            f"Of {count_of(folds.n_folds, 'fold')} {usable.shape[1]} can be scored, and a spread takes two.",
            hint="resampling.cross_predict(…).compare(…) judges the classifiers that were trained, item by item.",
        )
    step = 1 / float(folds.test_sizes.mean()) if resolution is None else resolution
    posterior = paired_correlated_t(usable, folds.test_share, resolution=step)
    mean_a, mean_b = usable.mean(axis=1).tolist()
    judged = contrast_of(posterior.difference, question, observed=mean_a - mean_b, names=folds.names)
    cautious = folds.cautious(posterior.difference)
    no_verdict = folds.no_verdict() or _not_by_caution(cautious, judged, question, folds.names)
    if no_verdict:
        judged = judged.without_verdict()
    n_draws = LOOKS[0] if draws == "auto" else int(draws)
    return JudgedFolds(
        estimate_a=posterior.a.estimate(question.prob, observed=mean_a, limits=limits),
        estimate_b=posterior.b.estimate(question.prob, observed=mean_b, limits=limits),
        contrast=judged,
        cautious=cautious.hdi(question.prob),
        draws=Draws(psi=posterior.draw(n_draws, seed), names=folds.names),
        no_verdict=no_verdict,
    )


def _not_by_caution(cautious: StudentT, judged: Contrast, question: Question, names: tuple[str, str]) -> str:
    """Return why a conclusive verdict does not hold, where the cautious posterior does not bear it."""
    if judged.decision is None or not judged.decision.conclusive:
        return ""
    once = contrast_of(cautious, question, observed=0.0, names=names)
    if once.decision is None or once.decision.verdict is judged.decision.verdict:
        return ""
    ends = interval(once.delta.hdi.low, once.delta.hdi.high, decimals(once.delta), sign=True)
    return f"no verdict, since {judged.decision.symbol} does not hold by the cautious interval {ends}"
