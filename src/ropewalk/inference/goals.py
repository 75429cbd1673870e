"""Goals of a study, and how often simulations reach them: power, the five decisions, and the errors of type S and M."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from ropewalk.draws.contrast import Question
from ropewalk.draws.decision import NO_VERDICT, Judged
from ropewalk.draws.intervals import Interval, Regions, beta_hdi
from ropewalk.draws.rope import parse_margin_goal
from ropewalk.errors import InvalidInputError, UnknownNameError
from ropewalk.inference.bearing import gist, not_equivalent
from ropewalk.results import Recipe
from ropewalk.results.planning import PowerRow
from ropewalk.text.remarks import Remark, note, wording
from ropewalk.text.verdicts import CONCLUSIVE, GOALS, VERDICTS, Verdict, rope_text
from ropewalk.text.writing import share_text
from ropewalk.typing import FloatArray, IntArray, StrArray

_WRITTEN: Final = {"≫": "A≫B", ">>": "A≫B", "≪": "A≪B", "<<": "A≪B", "≈": "A≈B", "~": "A≈B", "~=": "A≈B", "=": "A≈B"}
_MAX_LISTED: Final = 6
_LEAST_SHARE: Final = 0.001  # of studies that is worth a word
EDGE: Final = 1e-9
"""How close to an edge of the ROPE a difference lies on it."""


def parse_goal(goal: Any) -> str:
    """Return the goal under its own name; signs may be typed, and A and B left out.

    Examples
    --------
    >>> parse_goal(">>"), parse_goal("a ~ b"), parse_goal("conclusive"), parse_goal("not-worse")
    ('A≫B', 'A≈B', 'conclusive', 'not_worse')
    """
    if isinstance(goal, str):
        text = "".join(goal.split())
        if text.lower() == CONCLUSIVE:
            return CONCLUSIVE
        if margin_goal := parse_margin_goal(goal):
            return margin_goal
        sign = text[1:-1] if text[:1] in {"A", "a"} and text[-1:] in {"B", "b"} else text
        if sign in _WRITTEN:
            return _WRITTEN[sign]
    raise UnknownNameError(
        f"Unknown goal {goal!r}.",
        hint="choose from: A≫B (>>), A≪B (<<), A≈B (~), conclusive; ≫ means that A is better; or by a margin: "
        "not_worse, better, equivalent.",
    )


def region_of(delta: float, rope: Interval, *, higher_is_better: bool) -> Verdict:
    """Return the verdict that is true of a difference A − B; edges of the ROPE count as inside."""
    truth = np.array(delta if higher_is_better else -delta)
    return VERDICTS[int(true_codes(truth, rope if higher_is_better else rope.mirrored()))]


def check_goal(goal: str, delta: float, rope: Interval, *, higher_is_better: bool) -> None:
    """Refuse a goal that no number of items reaches, given the true difference."""
    true = region_of(delta, rope, higher_is_better=higher_is_better)
    edge = any(abs(delta - end) <= EDGE for end in (rope.low, rope.high))
    if goal == CONCLUSIVE or (true in GOALS[goal] and not (edge and true is Verdict.EQUIVALENT)):
        return
    where = "on the edge of" if edge else "inside" if true is Verdict.EQUIVALENT else "outside"
    reached = "" if edge else f"; more data lead to A{true.value}B"
    raise InvalidInputError(
        f"The goal {goal} is not reachable: the true difference A − B is {delta:+.4g}, {where} the ROPE "
        f"{rope_text(rope)}{reached}.",
        hint=wording(
            'change the scenario, the ROPE or the goal; goal="conclusive" tells how often each verdict, also a '
            "wrong one, is given."
        ),
    )


def ceilings_of(regions: Regions, recipe: Recipe) -> Mapping[Verdict, float]:
    """Return what the probability of each conclusive verdict tends to: the posterior mass of its region, if it can."""
    up = recipe.metric.higher_is_better
    better, worse = (regions.above, regions.below) if up else (regions.below, regions.above)
    alike = 0.0 if not_equivalent(recipe, Verdict.EQUIVALENT) else regions.inside
    return {Verdict.EQUIVALENT: alike, Verdict.B_BETTER: worse, Verdict.A_BETTER: better}


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """What came of simulations: how each was judged, the true differences, and why there is no verdict, if so."""

    judged: Judged
    truth: FloatArray
    why: StrArray

    @classmethod
    def of(cls, judged: Judged, truth: FloatArray, why: Sequence[str] | StrArray) -> Batch:
        """Take the verdict from those that have a reason for none."""
        reasons = np.array(why, dtype=np.str_)
        codes = np.where(reasons != "", NO_VERDICT, judged.verdict)
        return cls(replace(judged, verdict=codes), truth, reasons)

    def __len__(self) -> int:
        return len(self.truth)

    def first(self, n: int) -> Batch:
        """Return the first n simulations."""
        return self._at(slice(n))

    def only(self, i: int) -> Batch:
        """Return simulation i alone."""
        return self._at(slice(i, i + 1))

    def _at(self, some: slice) -> Batch:
        judged = Judged(*(getattr(self.judged, name)[some] for name in _JUDGED))
        return Batch(judged, self.truth[some], self.why[some])


_JUDGED: Final = tuple(field.name for field in fields(Judged))


def joined(batches: Sequence[Batch]) -> Batch:
    """Return the simulations of batches, one after the other."""
    judged = (np.concatenate([getattr(batch.judged, name) for batch in batches]) for name in _JUDGED)
    truth, why = (np.concatenate([getattr(batch, name) for batch in batches]) for name in ("truth", "why"))
    return Batch(Judged(*judged), truth, why)


def reached(batch: Batch, goal: str) -> int:
    """Return how many simulations reached the goal."""
    return n_reached(batch.judged.verdict, goal)


def n_reached(verdicts: IntArray, goal: str) -> int:
    """Return how many codes of verdicts are those of a goal.

    Examples
    --------
    >>> n_reached(np.array([0, 1, 4, 2]), "conclusive")
    3
    """
    counts = np.bincount(verdicts, minlength=len(VERDICTS) + 1)
    return int(counts[[VERDICTS.index(verdict) for verdict in GOALS[goal]]].sum())


def share_interval(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95% HDI of a share under a uniform prior; it always holds the observed share, its mode.

    Examples
    --------
    >>> low, high = share_interval(0, 100)
    >>> low, round(high, 3)
    (0.0, 0.029)
    """
    low, high = beta_hdi(np.array([successes + 1.0]), np.array([trials - successes + 1.0]), 0.95)
    return float(low[0]), float(high[0])


def count(question: Question, n: int, batch: Batch, goal: str, *, exact: bool = False) -> PowerRow:
    """Return what came of simulations of test sets of n items; an `exact` share is no estimate and has no interval."""
    trials, hits = len(batch), reached(batch, goal)
    low, high = (hits / trials, hits / trials) if exact else share_interval(hits, trials)
    shares = np.bincount(batch.judged.verdict, minlength=len(VERDICTS) + 1) / trials
    sides = [VERDICTS.index(Verdict.B_BETTER), VERDICTS.index(Verdict.A_BETTER)]
    up, rope = question.higher_is_better, question.rope
    assert rope is not None  # noqa: S101 - no study without one
    truth = batch.truth if up else -batch.truth
    type_s, type_m = _sign_and_size(np.where(up, 1.0, -1.0) * batch.judged.mean, truth, batch.judged.verdict, sides)
    true = true_codes(truth, rope if up else rope.mirrored())
    conclusive = batch.judged.verdict <= max(sides)
    return PowerRow(
        n=n,
        power=hits / trials,
        low=low,
        high=high,
        simulations=0 if exact else trials,
        decisions={verdict: float(shares[code]) for code, verdict in enumerate(VERDICTS)},
        no_verdict=float(shares[NO_VERDICT]),
        wrong=float((conclusive & (batch.judged.verdict != true)).mean()),
        type_s=type_s,
        type_m=type_m,
    )


def without_verdict(batches: Mapping[int, Batch]) -> tuple[Remark, ...]:
    """Say how many simulated studies, by their number of items, get no verdict, and why; nothing where all get one."""
    shares = {n: float((batch.why != "").mean()) for n, batch in sorted(batches.items())}
    some = [
        f"{share_text(share, len(batches[n]))} of {n:,} items" for n, share in shares.items() if share >= _LEAST_SHARE
    ]
    if not some:
        return ()
    reasons = Counter(gist(reason) for batch in batches.values() for reason in batch.why.tolist() if reason)
    why = "; or ".join(reason for reason, _ in reasons.most_common())
    listed = ", ".join(some[:_MAX_LISTED]) + (", …" if len(some) > _MAX_LISTED else "")
    text = f"Studies that would get no verdict ({listed}) do not count as conclusive: {why}."
    return (note("studies_without_verdict", text),)


def true_codes(truth: np.ndarray, rope: Interval) -> np.ndarray:
    """Return the codes of the verdicts that are true of differences; edges of the ROPE count as inside."""
    return np.where(truth < rope.low - EDGE, 1, np.where(truth > rope.high + EDGE, 2, 0))


def _sign_and_size(
    estimate: np.ndarray, truth: np.ndarray, verdict: np.ndarray, sides: list[int]
) -> tuple[float | None, float | None]:
    """Return the errors of type S and M (Gelman and Carlin 2014) of simulations that find one classifier better."""
    chosen = np.isin(verdict, sides) & (truth != 0)
    if not chosen.any():
        return None, None
    says_better = verdict[chosen] == sides[1]
    wrong_sign = says_better != (truth[chosen] > 0)
    exaggeration = np.abs(estimate[chosen]).mean() / np.abs(truth[chosen]).mean()
    return float(wrong_sign.mean()), float(exaggeration)
