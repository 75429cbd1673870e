"""From draws of a difference to a verdict: the five-way decision, whether it is stable, where it leans, and its path.

The rule is that of Zhang et al. (2016), after Kruschke: where does the HDI of the difference lie against the
ROPE? `≫` always means that A is better, also for measures where less is better.
The path is the verdict for every ROPE that a reader may have.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from ropewalk.draws.intervals import FEW_DRAWS, Estimate, Interval, Regions, knows_ends, region_masses, shortest
from ropewalk.errors import InvalidInputError
from ropewalk.text.remarks import wording
from ropewalk.text.verdicts import VERDICTS, Code, Leaning, Verdict, code_of, judged_text, oriented
from ropewalk.typing import FloatArray, IntArray, Rule

_ROUNDING_ERROR = 1e-9
_LEAST_MASS = 0.5  # of a region that decides
_ERRORS = 4  # how many Monte Carlo errors an HDI end must keep from a ROPE edge

NO_VERDICT: Final = len(VERDICTS)
"""The code of those among many differences that get no verdict."""

_OTHER_SIDE: Final = {
    Verdict.EQUIVALENT: Verdict.EQUIVALENT,
    Verdict.A_BETTER: Verdict.B_BETTER,
    Verdict.B_BETTER: Verdict.A_BETTER,
    Verdict.UNDECIDED_LOW: Verdict.UNDECIDED_HIGH,
    Verdict.UNDECIDED_HIGH: Verdict.UNDECIDED_LOW,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict, whether it is conclusive and stable, and where an inconclusive one leans.

    `code` is what programs read: beside `Verdict` it knows the verdicts of a ROPE with one end.
    """

    verdict: Verdict
    code: Code
    stable: bool
    leaning: Leaning | None
    text: str

    @classmethod
    def of(
        cls,
        verdict: Verdict,
        leaning: Leaning | None,
        rope: Interval,
        names: tuple[str, str],
        *,
        higher_is_better: bool,
        stable: bool = True,
        bar: bool = False,
    ) -> Decision:
        """Return the decision that a verdict makes about two names, or about the first one against a `bar`."""
        text = judged_text(verdict, leaning, rope, *names, higher_is_better=higher_is_better, bar=bar)
        code = code_of(verdict, oriented(rope, higher_is_better=higher_is_better))
        return cls(verdict=verdict, code=code, stable=stable, leaning=leaning, text=text)

    @property
    def symbol(self) -> str:
        """The papers' symbol: ≈ ≪ ≫ < or >."""
        return self.verdict.value

    @property
    def conclusive(self) -> bool:
        """Whether the data settle the question."""
        return self.verdict.conclusive


def check_rule(rule: Rule, prob: float) -> None:
    """Refuse a mass that two regions could hold at once, where the mass of a region decides."""
    if rule == "probability" and prob < _LEAST_MASS:
        raise InvalidInputError(
            wording("`prob` must be at least 0.5 with rule='probability'; got {:g}.", prob),
            hint="a region decides by holding this much of the posterior, and of less than half two could hold it.",
        )


def decide(hdi: Interval, rope: Interval, mean: float = 0.0) -> Verdict:
    """Judge a difference, oriented so that more is better for A, by its HDI against the ROPE.

    Edges are inclusive, and equivalence is looked at first. An HDI that straddles an edge is undecided: `<` or
    `>` by its midpoint against the ROPE's, a tie by the mean.

    Examples
    --------
    >>> decide(Interval(-0.02, 0.03), Interval(-0.05, 0.05))
    <Verdict.EQUIVALENT: '≈'>
    >>> [decide(Interval(low, 0.2), Interval(-0.05, 0.05)).value for low in (0.06, 0.0)]
    ['≫', '>']
    """
    return VERDICTS[int(decide_each(np.array([hdi.low]), np.array([hdi.high]), np.array([mean]), rope)[0])]


def decide_each(low: FloatArray, high: FloatArray, mean: FloatArray, rope: Interval) -> IntArray:
    """Judge many differences at once, as `decide` does one; return the codes of the `VERDICTS`."""
    outside = np.where(low >= rope.high, 2, undecided_sides(low, high, mean, rope))
    return np.where((rope.low <= low) & (high <= rope.high), 0, np.where(high <= rope.low, 1, outside))


def undecided_sides(low: FloatArray, high: FloatArray, mean: FloatArray, rope: Interval) -> IntArray:
    """Return which undecided verdict each would be: the side of the HDI's midpoint, of the mean if that is even."""
    middle = (low + high) / 2
    return np.where(np.where(middle == rope.middle, mean, middle) > rope.middle, 4, 3)


def _side(hdi: Interval, rope: Interval, mean: float) -> Verdict:
    return VERDICTS[int(undecided_sides(np.array([hdi.low]), np.array([hdi.high]), np.array([mean]), rope)[0])]


def one_sided_mass(prob: float) -> float:
    """Return the mass that a side of a ROPE with one end must have, beside the HDI: its tail beyond counts once.

    The HDI of a skewed posterior leaves up to all that it leaves out on one side: at the margin, 2.6-4.0% of data sets
    were wrongly found "not worse" by a 95% HDI alone, 2.2-3.3% where 97.5% is asked for too (6,000 data sets each).

    Examples
    --------
    >>> one_sided_mass(0.95)
    0.975
    """
    return 1.0 - (1.0 - prob) / 2


def decide_by_probability(regions: Regions, prob: float, otherwise: Verdict) -> Verdict:
    """Let the largest region decide if it holds at least `prob`."""
    masses = np.array([[regions.inside], [regions.below], [regions.above]])
    return VERDICTS[int(decide_each_by_probability(masses, prob, np.array([VERDICTS.index(otherwise)]))[0])]


def decide_each_by_probability(masses: FloatArray, prob: float, otherwise: IntArray) -> IntArray:
    """Let the largest of the masses (inside, below, above) decide wherever it is at least `prob`."""
    return np.where(masses.max(axis=0) >= prob, masses.argmax(axis=0), otherwise)


@dataclass(frozen=True, slots=True)
class Judged:
    """Many differences judged at once: their means, the ends of their HDIs, and the codes of their `VERDICTS`.

    What data cannot bear has the code `NO_VERDICT`.
    """

    verdict: IntArray
    mean: FloatArray
    low: FloatArray
    high: FloatArray


def judge_each(ordered: FloatArray, rope: Interval, *, prob: float, rule: Rule, higher_is_better: bool) -> Judged:
    """Judge sorted draws of many differences, (differences, draws), each as `judge` would one."""
    low, high = shortest(ordered, prob)
    mean = ordered.mean(axis=1)
    facing = (low, high, mean, rope) if higher_is_better else (-high, -low, -mean, rope.mirrored())
    n = ordered.shape[1]
    below, above = (ordered < rope.low).sum(axis=1), (ordered > rope.high).sum(axis=1)
    if rule == "hdi":
        codes = decide_each(*facing)
        if rope.one_sided:
            inside = (n - below - above) / n
            told = np.where(codes == VERDICTS.index(Verdict.EQUIVALENT), inside, 1.0 - inside)
            codes = np.where(told >= one_sided_mass(prob), codes, undecided_sides(*facing))
        return Judged(codes, mean, low, high)
    outside = (below, above) if higher_is_better else (above, below)
    masses = np.stack([n - below - above, *outside]) / n
    return Judged(decide_each_by_probability(masses, prob, undecided_sides(*facing)), mean, low, high)


def is_stable(estimate: Estimate, regions: Regions, rope: Interval, *, prob: float, rule: Rule, n_draws: int) -> bool:
    """Whether other draws would decide alike: every HDI end over 4 of its errors from every ROPE edge.

    Those errors are known only where at least 40 draws lie beyond the HDI.

    Under the probability rule: every region's mass over 4 of its errors from the bar. `<` and `>` both say
    undecided, and which of the two it is may still turn on the draws where the HDI sits astride the ROPE.
    """
    if n_draws < FEW_DRAWS:
        return False
    if rule == "probability":
        masses = (regions.below, regions.inside, regions.above)
        return all(abs(p - prob) > _ERRORS * math.sqrt(max(p * (1 - p), 1 / n_draws) / n_draws) for p in masses)
    if not knows_ends(n_draws, prob):
        return False
    if rope.one_sided:
        bar = one_sided_mass(prob)
        error = math.sqrt(bar * (1 - bar) / n_draws)
        if any(abs(mass - bar) <= _ERRORS * error for mass in (regions.inside, 1.0 - regions.inside)):
            return False
    ends = zip((estimate.hdi.low, estimate.hdi.high), estimate.hdi_mc_error, strict=True)
    edges = [edge for edge in (rope.low, rope.high) if math.isfinite(edge)]
    return all(abs(end - edge) > _ERRORS * error for end, error in ends for edge in edges)


def judge(
    estimate: Estimate, ordered: FloatArray, rope: Interval, *, prob: float, rule: Rule, higher_is_better: bool
) -> tuple[Regions, Verdict, bool, Leaning | None]:
    """Return the region masses (on the delta axis), the verdict, its stability and its leaning."""
    regions = region_masses(ordered, rope)
    worth = estimate.worth(ordered.size)  # dependent draws are worth fewer
    stable = is_stable(estimate, regions, rope, prob=prob, rule=rule, n_draws=worth)
    verdict, leaning = verdict_and_leaning(
        estimate, regions, rope, prob=prob, rule=rule, higher_is_better=higher_is_better
    )
    return regions, verdict, stable, leaning


def verdict_and_leaning(
    estimate: Estimate, regions: Regions, rope: Interval, *, prob: float, rule: Rule, higher_is_better: bool
) -> tuple[Verdict, Leaning | None]:
    """Return the verdict on a difference, and where an inconclusive one leans."""
    if higher_is_better:
        hdi, bounds, mean, facing = estimate.hdi, rope, estimate.mean, regions
    else:  # mirror, so that ≫ means that A is better
        hdi, bounds, mean = estimate.hdi.mirrored(), rope.mirrored(), -estimate.mean
        facing = regions.mirrored()
    if rule == "probability":
        verdict = decide_by_probability(facing, prob, _side(hdi, bounds, mean))
    else:
        verdict = decide(hdi, bounds, mean)
        if bounds.one_sided and verdict.conclusive:
            told = facing.inside if verdict is Verdict.EQUIVALENT else 1.0 - facing.inside
            verdict = verdict if told >= one_sided_mass(prob) else _side(hdi, bounds, mean)
    leaning: Leaning | None = None
    if not verdict.conclusive:
        # Inside a ROPE with one end nothing is equivalent: it favours one of the two, or it does not.
        middle: Leaning = "equivalent" if not bounds.one_sided else "a" if math.isinf(bounds.high) else "b"
        named: list[tuple[float, Leaning]] = [(facing.inside, middle), (facing.above, "a"), (facing.below, "b")]
        leaning = max(named, key=lambda pair: pair[0])[1]
    return verdict, leaning


def mirror(verdict: Verdict) -> Verdict:
    """Return the verdict that B − A has where A − B has this one."""
    return _OTHER_SIDE[verdict]


# -- every ROPE at once ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Piece:
    """One stretch of `rope_path`: for half-widths from `start` to `stop` (None: without end) the verdict is this."""

    start: float
    stop: float | None
    verdict: Verdict


def rope_path(
    estimate: Estimate, ordered: FloatArray, *, prob: float, rule: Rule, higher_is_better: bool
) -> tuple[Piece, ...]:
    """Return the verdict for every symmetric ROPE, as stretches of its half-width from 0 up.

    This is what every reader's own ROPE would say. Only the edges of `≫`/`≪` and of `≈` matter, since the ROPE's
    midpoint stays at 0.
    """
    if rule == "hdi":
        return hdi_path(estimate, higher_is_better=higher_is_better)
    undecided = _undecided(estimate, higher_is_better=higher_is_better)
    # Masses change only at the |draws|, and between two of them the verdict is that of the lower one.
    widths = np.sort(np.abs(np.append(ordered, 0.0)))
    upto = np.searchsorted(ordered, widths, side="right")
    below = np.searchsorted(ordered, -widths, side="left")
    inside, above = upto - below, ordered.size - upto
    masses = np.stack([inside, below, above] if higher_is_better else [inside, above, below]) / ordered.size
    verdicts = np.where(masses.max(axis=0) >= prob, masses.argmax(axis=0), 3)
    symbols = (Verdict.EQUIVALENT, Verdict.B_BETTER, Verdict.A_BETTER, undecided)
    changes = np.flatnonzero(np.diff(verdicts)) + 1
    starts = [0.0, *widths[changes].tolist()]
    stops = [*widths[changes].tolist(), None]
    kinds = [symbols[int(verdicts[i])] for i in [0, *changes.tolist()]]
    return tuple(Piece(a, b, kind) for a, b, kind in zip(starts, stops, kinds, strict=True) if a != b)


def agreed_path(path: tuple[Piece, ...], other: tuple[Piece, ...], undecided: Verdict) -> tuple[Piece, ...]:
    """Return where two paths give the same verdict, and `undecided` elsewhere.

    Examples
    --------
    >>> side, same = Verdict.UNDECIDED_HIGH, Verdict.EQUIVALENT
    >>> ours, theirs = ((Piece(0.0, end, side), Piece(end, None, same)) for end in (1.0, 2.0))
    >>> [(piece.start, piece.verdict.value) for piece in agreed_path(ours, theirs, side)]
    [(0.0, '>'), (2.0, '≈')]
    """
    starts = sorted({piece.start for piece in (*path, *other)})
    said = [{_at(each, start) for each in (path, other)} for start in starts]
    kinds = [verdicts.pop() if len(verdicts) == 1 else undecided for verdicts in said]
    first = [i for i, kind in enumerate(kinds) if not i or kind is not kinds[i - 1]]
    stops = [*(starts[i] for i in first[1:]), None]
    return tuple(Piece(starts[i], stop, kinds[i]) for i, stop in zip(first, stops, strict=True))


def _at(path: Sequence[Piece], width: float) -> Verdict:
    return next(piece.verdict for piece in reversed(path) if piece.start <= width)


def hdi_path(estimate: Estimate, *, higher_is_better: bool) -> tuple[Piece, ...]:
    """Return the verdict for every symmetric ROPE by the HDI; the last piece is always `≈`."""
    hdi = estimate.hdi if higher_is_better else estimate.hdi.mirrored()
    wins = Verdict.A_BETTER if hdi.middle > 0 else Verdict.B_BETTER
    undecided = _undecided(estimate, higher_is_better=higher_is_better)
    until = max(hdi.low, -hdi.high, 0.0)
    onwards = max(abs(hdi.low), abs(hdi.high))
    pieces = [(0.0, until, wins), (until, onwards, undecided), (onwards, None, Verdict.EQUIVALENT)]
    return tuple(Piece(*piece) for piece in pieces if piece[0] != piece[1])


def _undecided(estimate: Estimate, *, higher_is_better: bool) -> Verdict:
    """Return which undecided verdict a symmetric ROPE gets."""
    hdi = estimate.hdi if higher_is_better else estimate.hdi.mirrored()
    return _side(hdi, Interval(0.0, 0.0), estimate.mean if higher_is_better else -estimate.mean)


def path_text(path: Sequence[Piece], places: int) -> str:
    """Write up to and from which ROPE each verdict holds, to so many decimals: rounded to where it does hold."""
    parts, unit = [], 10.0**places
    for piece in path:
        if piece.verdict in {Verdict.A_BETTER, Verdict.B_BETTER} and piece.stop is not None:
            stop = math.floor(piece.stop * unit + _ROUNDING_ERROR) / unit
            if stop > 0:
                parts.append(f"{piece.verdict.value} holds up to ±{stop:.{places}f}")
        elif piece.verdict is Verdict.EQUIVALENT:
            parts.append(f"≈ holds from ±{math.ceil(piece.start * unit - _ROUNDING_ERROR) / unit:.{places}f} on")
    return "; ".join(parts)
