"""Student's t as a posterior: the correlated t of scores of folds, its interval and probabilities in closed form.

Folds of one data set share training items, so the differences that they show go together. Nadeau and Bengio (2003) take
their correlation as n_test / (n_train + n_test); under the prior p(mean, sigma) ∝ 1/sigma the posterior of the mean
difference is then a Student t (Corani and Benavoli 2015). Nothing here is simulated, but for draws that are asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.draws.blocks import block_size, draw_blocks
from ropewalk.draws.contrast import Contrast, Question
from ropewalk.draws.decision import Decision, Piece, hdi_path, rope_path, verdict_and_leaning
from ropewalk.draws.intervals import Estimate, Interval, Regions
from ropewalk.draws.streams import POSTERIOR
from ropewalk.text.verdicts import Verdict
from ropewalk.typing import FloatArray

MIN_FOLDS: Final = 2
"""Of fewer differences no spread is known."""

_ALL_DIGITS: Final = 10**9
_HALVINGS: Final = 200
_HALF: Final = 0.5
_MIN_DF_OF_STD: Final = 2  # at so few degrees of freedom or fewer a Student t has no finite variance
_NUMBERS_PER_DRAW: Final = 3
_QUANTILES: Final = 20_001
_RELATIVE_ROUNDING: Final = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class ExactEstimate(Estimate):
    """The posterior of one number in closed form: it has no Monte Carlo errors. Its `std` may be infinite."""

    @property
    def is_exact(self) -> bool:
        """Whether the numbers are in closed form: they are."""
        return True

    def worth(self, n_draws: int) -> int:  # noqa: ARG002
        """Return as many draws as would carry all digits that are printed."""
        return _ALL_DIGITS


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentT:
    """A Student t with `df` degrees of freedom around a location, stretched by a positive scale.

    Examples
    --------
    >>> t = StudentT(location=0.02, scale=0.01, df=9)
    >>> low, high = t.hdi(0.95)
    >>> print(f"[{low:.4f}, {high:.4f}], P(below 0) {t.below(0.0):.4f}, std {t.std:.4f}")
    [-0.0026, 0.0426], P(below 0) 0.0383, std 0.0113
    """

    location: float
    scale: float
    df: float

    @property
    def std(self) -> float:
        """The standard deviation; infinite for two degrees of freedom or fewer."""
        return self.scale * math.sqrt(self.df / (self.df - 2)) if self.df > _MIN_DF_OF_STD else math.inf

    def below(self, value: float) -> float:
        """Return the probability of less than a value."""
        from scipy import special

        if math.isinf(value):
            return float(value > 0)
        return float(special.stdtr(self.df, (value - self.location) / self.scale))

    def above(self, value: float) -> float:
        """Return the probability of more than a value, with all digits also where it is small."""
        return StudentT(location=-self.location, scale=self.scale, df=self.df).below(-value)

    def quantile(self, share: float) -> float:
        """Return the value below which a share of the probability lies."""
        from scipy import special

        return self.location + self.scale * float(special.stdtrit(self.df, share))

    def hdi(self, prob: float) -> Interval:
        """Return the shortest interval that holds `prob`: the central one, since the density is symmetric."""
        reach = self.quantile(_HALF + prob / 2) - self.location
        return Interval(self.location - reach, self.location + reach)

    def regions(self, rope: Interval) -> Regions:
        """Return the probabilities below, inside and above the ROPE."""
        below, above = self.below(rope.low), self.above(rope.high)
        return Regions(below, max(1.0 - below - above, 0.0), above)

    def estimate(self, prob: float, *, observed: float | None, limits: Interval | None = None) -> Estimate:
        """Summarise without Monte Carlo error; the interval ends at the `limits`, beyond which nothing is possible."""
        low, high = self.hdi(prob)
        if limits is not None:
            low, high = max(low, limits.low), min(high, limits.high)
        ends = Interval(low, high)
        return ExactEstimate(
            observed=observed, mean=self.location, std=self.std, mc_error=0.0, hdi=ends, hdi_mc_error=(0.0, 0.0)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedT:
    """The joint posterior of two mean scores A and B, a bivariate Student t, and so that of their difference.

    `spread` is whether the differences had any; where they had none, `difference` has the least scale that scores of
    test sets of so many items can show.
    """

    a: StudentT
    b: StudentT
    difference: StudentT
    covariance: float
    spread: bool

    def draw(self, n_draws: int, seed: int) -> FloatArray:
        """Draw scores of A and B, (2, n_draws): the difference of the rows has exactly the posterior `difference`.

        The same seed gives the same draws, and n draws are the first of n + m.
        """
        delta, df = self.difference, self.difference.df
        middle = (self.a.location + self.b.location) / 2
        # The mean of A and B, given the difference, moves with it by `slope`, and beside it by `rest`.
        slope = self.covariance / delta.scale**2 if self.spread else 0.0
        variance = (self.a.scale**2 + self.b.scale**2) / 2 - delta.scale**2 / 4 if self.spread else self.a.scale**2
        rest = math.sqrt(max(variance - slope**2 * delta.scale**2, 0.0))

        def block(rng: np.random.Generator, size: int) -> FloatArray:
            stretch = np.sqrt(df / (2 * rng.standard_gamma(df / 2, size)))
            apart = delta.scale * stretch * rng.standard_normal(size)
            centre = middle + slope * apart + rest * stretch * rng.standard_normal(size)
            half = (delta.location + apart) / 2
            return np.stack([centre + half, centre - half])

        size = block_size(_NUMBERS_PER_DRAW)
        return draw_blocks(block, size=size, start=0, stop=n_draws, seed=seed, stream=POSTERIOR)


def correlated_t(differences: FloatArray, test_share: float) -> StudentT:
    """Return the posterior of the mean of differences of folds: a Student t with n − 1 degrees of freedom.

    Its squared scale is (1/n + n_test/n_train) s², with s the sample standard deviation of the n differences, of all
    folds in all repeats, and `test_share` = n_test/n_train, for k folds 1/(k − 1). It takes at least two differences,
    and they must not all be the same: a posterior without a width would be certain of what it does not know.

    Examples
    --------
    >>> t = correlated_t(np.array([0.03, 0.02, 0.04, 0.01, 0.05]), test_share=20 / 80)
    >>> print(f"{t.location:.3f}, scale {t.scale:.4f}, {t.df} degrees of freedom, P(> 0) {t.above(0.0):.4f}")
    0.030, scale 0.0106, 4 degrees of freedom, P(> 0) 0.9763
    """
    n = differences.size
    if n < MIN_FOLDS:
        raise ValueError(f"a spread takes at least two differences; got {n}")
    spread = float(differences.std(ddof=1))
    if not spread > 0:
        raise ValueError("the differences have no spread")
    return StudentT(location=float(differences.mean()), scale=spread * math.sqrt(1 / n + test_share), df=n - 1)


def paired_correlated_t(scores: FloatArray, test_share: float, resolution: float) -> PairedT:
    """Return the joint posterior of the mean scores of A and B, (2, n) scores of the same folds.

    Where a row, or the difference, does not vary at all, it gets the standard deviation of a rounding error to a step
    of `resolution`, that is resolution/√12: scores of m items move in steps of about 1/m.
    """
    n = scores.shape[1]
    if n < MIN_FOLDS:
        raise ValueError(f"a spread takes at least two folds; got {n}")
    stretch = 1 / n + test_share
    floor = resolution / math.sqrt(12)
    noise = _RELATIVE_ROUNDING * float(np.abs(scores).max())
    difference = scores[0] - scores[1]

    def posterior(values: FloatArray) -> tuple[StudentT, bool]:
        spread = float(values.std(ddof=1))
        varies = spread > noise
        scale = (spread if varies else floor) * math.sqrt(stretch)
        return StudentT(location=float(values.mean()), scale=scale, df=n - 1), varies

    (a, _), (b, _), (delta, varies) = posterior(scores[0]), posterior(scores[1]), posterior(difference)
    covariance = stretch * float(np.cov(difference, scores.mean(axis=0))[0, 1])
    return PairedT(a=a, b=b, difference=delta, covariance=covariance, spread=varies)


def contrast_of(posterior: StudentT, question: Question, *, observed: float, names: tuple[str, str]) -> Contrast:
    """Judge a difference whose posterior is a Student t, as `contrast` judges draws, but exactly.

    Examples
    --------
    >>> question = Question(rope=Interval(-0.01, 0.01), prob=0.95, rule="hdi", higher_is_better=True)
    >>> t = StudentT(location=0.05, scale=0.01, df=9)
    >>> contrast_of(t, question, observed=0.05, names=("new", "old")).decision.symbol
    '≫'
    """
    estimate = posterior.estimate(question.prob, observed=observed)
    regions, path, decision = None, None, None
    if question.rope is not None:
        regions = posterior.regions(question.rope)
        verdict, leaning = verdict_and_leaning(estimate, regions, question.rope, **question.how)
        up = question.higher_is_better
        decision = Decision.of(verdict, leaning, question.rope, names, higher_is_better=up)
        path = None if question.rope.one_sided else _path(posterior, estimate, question)
    return Contrast(
        delta=estimate,
        prob_below_zero=posterior.below(0.0),
        prob_above_zero=posterior.above(0.0),
        regions=regions,
        rope_path=path,
        decision=decision,
    )


def _path(posterior: StudentT, estimate: Estimate, question: Question) -> tuple[Piece, ...]:
    """Return the verdict for every symmetric ROPE, from 0 up; see `decision.rope_path`."""
    if question.rule == "hdi":
        return hdi_path(estimate, higher_is_better=question.higher_is_better)
    prob = question.prob
    if prob < _HALF:  # several regions may hold so little: which is the largest, quantiles tell well enough
        shares = (np.arange(_QUANTILES) + _HALF) / _QUANTILES
        return rope_path(estimate, np.array([posterior.quantile(share) for share in shares]), **question.how)
    # One side keeps `prob` up to here, and the inside has it from there on.
    until = max(posterior.quantile(1 - prob), -posterior.quantile(prob), 0.0)
    onwards = _half_width(posterior, prob)
    *_, undecided, last = hdi_path(estimate, higher_is_better=question.higher_is_better)
    wins = Verdict.A_BETTER if (posterior.location > 0) == question.higher_is_better else Verdict.B_BETTER
    pieces = [(0.0, until, wins), (until, onwards, undecided.verdict), (onwards, None, last.verdict)]
    return tuple(Piece(*piece) for piece in pieces if piece[0] != piece[1])


def _half_width(posterior: StudentT, prob: float) -> float:
    """Return the half-width of the symmetric ROPE that holds `prob`, by halving."""
    low, high = 0.0, 1.0
    while posterior.regions(Interval(-high, high)).inside < prob:
        high *= 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if posterior.regions(Interval(-middle, middle)).inside < prob:
            low = middle
        else:
            high = middle
    return high
