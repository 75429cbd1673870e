"""Rules for when to stop labelling, batch by batch, and simulations of what they lead to."""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import checked_keywords, is_real
from ropewalk._progress import metered
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.decision import Judged
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.inference.goals import Batch, count, joined
from ropewalk.planning.posing import MOST_ITEMS, check_number, pose
from ropewalk.planning.simulation import Workers
from ropewalk.planning.study import BATCH, Study, added, check_size, keep_memory
from ropewalk.results import Comparison
from ropewalk.results.options import PlanningOptions
from ropewalk.results.planning import StoppingResult
from ropewalk.text.options import wording
from ropewalk.text.verdicts import VERDICTS
from ropewalk.typing import BoolArray, IntArray

_SETTLED: Final = [code for code, verdict in enumerate(VERDICTS) if verdict.conclusive]
_OF_ROPE: Final = 0.5
_PATH: Final = 1  # sets the generators of whole paths apart from those of single test sets


@dataclass(frozen=True, slots=True, kw_only=True)
class StopWhen:
    """A rule for when to stop labelling, applied after every batch.

    `width` stops when the HDI of the difference is narrower than that, whatever it says: the safer rule, since when it
    stops hardly depends on what was found, and so the default, with half the width of the ROPE: 0.05 for ±0.05, and
    few HDIs of that width are undecided. ``conclusive=True`` stops at the first conclusive verdict instead, which takes
    fewer items and errs more often. Neither stops before `min_n` items; both stop at `max_n`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> rule = StopWhen(width=0.1, min_n=200, max_n=5_000)
    >>> so_far = rw.Outcomes.from_pairs(positive=(300, 60, 35, 40), negative=(30, 20, 40, 400))
    >>> rule.stops(rw.compare(so_far, rope=0.05, rng=0))
    True
    """

    width: float | None = None
    conclusive: bool = False
    min_n: int = 100
    max_n: int = 10_000

    def __post_init__(self) -> None:
        least = check_number(self.min_n, "min_n", 1, MOST_ITEMS)
        check_number(self.max_n, "max_n", least, MOST_ITEMS)
        if not isinstance(self.conclusive, bool):
            raise InvalidInputError(wording("`conclusive` must be True or False; got {!r}.", self.conclusive))
        if self.conclusive and self.width is not None:
            raise InvalidInputError(
                wording("Stop at a `width` of the HDI, or when the verdict is `conclusive`: give one of the two.")
            )
        if self.width is not None and (not is_real(self.width) or not 0 < self.width < math.inf):
            raise InvalidInputError(wording("`width` must be a positive number; got {!r}.", self.width))

    @property
    def text(self) -> str:
        """The rule in words."""
        width = "half the width of the ROPE" if self.width is None else f"{self.width:g}"
        when = "when conclusive" if self.conclusive else f"when the HDI is narrower than {width}"
        return f"stop {when}, from {self.min_n:,} to {self.max_n:,} items"

    def stops(self, result: Comparison) -> bool:
        """Whether to stop labelling, given the answer on all items so far."""
        if not isinstance(result, Comparison):
            raise InvalidInputError(f"A rule looks at a comparison; got {type(result).__name__}.")
        n = max(table.n_items for table in result.recipe.tables)  # of separate tables each has as many
        if n >= self.max_n:
            return True
        if n < self.min_n:
            return False
        if self.width is None and result.rope is None:
            raise InvalidInputError("When to stop depends on the ROPE, and the comparison has none.")
        if self.conclusive:
            return result.conclusive
        return result.hdi.high - result.hdi.low < self.width_at(result.rope)

    def width_at(self, rope: Interval | None) -> float:
        """Return how narrow the HDI is to be: the `width`, or a share of the ROPE's."""
        if self.width is not None:
            return self.width
        wide = math.inf if rope is None else rope.high - rope.low
        if math.isinf(wide):
            raise InvalidInputError("The ROPE has an open end, so it tells no width.", hint="give StopWhen a width=.")
        return _OF_ROPE * wide

    def stops_each(self, judged: Judged, rope: Interval) -> BoolArray:
        """Whether each of many studies stops, where its number of items lets it."""
        if self.conclusive:
            return np.isin(judged.verdict, _SETTLED)
        return np.asarray(judged.high - judged.low < self.width_at(rope))


@checked_keywords
def stopping(
    scenario: Any,
    stop: StopWhen | None = None,
    *,
    batch: int = 100,
    simulations: int = 1_000,
    **options: Unpack[PlanningOptions],
) -> StoppingResult:
    """Simulate a stopping rule: the expected number of items, the verdicts, and how often they are wrong.

    Every simulated study labels `batch` items at a time, adds up the counts, and looks: at `min_n` items first, then
    after each batch, until the rule stops it or `max_n` is reached. Beside it stands the same study without a look
    before `max_n`. Looking often and stopping at the first conclusive verdict has a price, for Bayesians too: a lucky
    streak is never given the time to pass.

    Parameters
    ----------
    scenario
        As in `power`: a scenario, or a `Comparison`, from whose posterior every truth is then drawn.
    stop
        When to stop: a `StopWhen`; by default one by the width of the HDI.
    batch
        How many items are labelled between two looks.
    rule
        The rule of the verdict, "hdi" or "probability".
    goal, rope, metric, model, pos_label, classes, cost_matrix, prob, simulations, draws, rng, random_state, threads,
    n_jobs, progress
        As in `power`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.BinaryScenario(positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
    >>> r = rw.stopping(s, rw.StopWhen(conclusive=True, max_n=1_000), rope=0.05, simulations=100, rng=0)
    >>> r.mean_n < 1_000
    True
    """
    stop = StopWhen() if stop is None else stop
    if not isinstance(stop, StopWhen):
        raise InvalidInputError(f"`stop` must be a StopWhen; got {stop!r}.", hint="StopWhen(width=0.1, max_n=5_000)")
    size, wanted = check_number(batch, "batch", 1, MOST_ITEMS), check_number(simulations, "simulations")
    workers = Workers.of(options)
    posed = pose(scenario, possible=False, **options)
    check_size(posed.study, stop.min_n)
    if not stop.conclusive:
        stop.width_at(posed.study.rope)  # says so before all work where there is none
    parts: list[_Paths] = []
    numbers = range(-(-wanted // BATCH))
    with metered(len(numbers), "Simulating", options.get("progress")) as steps:
        try:
            with closing(workers.run(partial(_follow, posed.study, stop, size), numbers)) as results:
                for paths in results:
                    parts.append(paths)
                    items = np.concatenate([part.n for part in parts])
                    steps.step(f"{items.mean():,.0f} items on average so far")
        except KeyboardInterrupt:
            if not parts:
                raise
            steps.stopped = True
    n = np.concatenate([part.n for part in parts])[:wanted]
    stopped, whole = (joined([getattr(part, name) for part in parts]).first(wanted) for name in ("stopped", "whole"))
    low, middle, high = (int(q) for q in np.quantile(n, [0.1, 0.5, 0.9], method="inverted_cdf"))
    return StoppingResult(
        design=posed.design,
        stop=stop.text,
        batch=size,
        min_n=stop.min_n,
        max_n=stop.max_n,
        mean_n=float(n.mean()),
        mean_n_error=float(n.std(ddof=1) / math.sqrt(n.size)) if n.size > 1 else 0.0,
        n_quantiles=(low, middle, high),
        at_most=float((n >= stop.max_n).mean()),
        covered=_covered(stopped),
        row=count(posed.study.question, stop.max_n, stopped, posed.design.goal),
        fixed=count(posed.study.question, stop.max_n, whole, posed.design.goal),
        fixed_covered=_covered(whole),
        simulations=int(n.size),
        partial=steps.stopped,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Paths:
    """Studies followed to their end: after how many items each stopped, what it said then, and without stopping."""

    n: IntArray
    stopped: Batch
    whole: Batch


def _covered(batch: Batch) -> float:
    inside = (batch.judged.low <= batch.truth) & (batch.truth <= batch.judged.high)
    return float(inside.mean())


def _follow(study: Study, rule: StopWhen, size: int, number: int) -> _Paths:
    """Follow one batch of studies, look by look."""
    keep_memory()
    rng = study.generator(rule.max_n, number, _PATH)
    truths = study.source.truths(rng, BATCH)
    tables: list[tuple[Outcomes, ...] | None] = [None] * BATCH
    stopped_at = np.zeros(BATCH, dtype=np.int64)
    ends: list[Batch | None] = [None] * BATCH
    for n, fresh in _looks(rule, size):
        for i, truth in enumerate(truths):
            new, old = truth.draw(rng, fresh), tables[i]
            tables[i] = new if old is None else added(old, new)
        last = n == rule.max_n
        # Studies that have stopped are followed only for the end that they would have come to.
        open_ones = [i for i in range(BATCH) if last or not stopped_at[i]]
        if not open_ones:
            continue
        looked = study.judge(rng, [_known(tables[i]) for i in open_ones], [truths[i] for i in open_ones])
        stops = rule.stops_each(looked.judged, study.rope) | last
        for place, i in enumerate(open_ones):
            if stops[place] and not stopped_at[i]:
                stopped_at[i], ends[i] = n, looked.only(place)
        if last:
            return _Paths(stopped_at, joined([end for end in ends if end is not None]), looked)
    raise AssertionError  # the last look always returns


def _known(tables: tuple[Outcomes, ...] | None) -> tuple[Outcomes, ...]:
    assert tables is not None  # noqa: S101
    return tables


def _looks(rule: StopWhen, size: int) -> Sequence[tuple[int, int]]:
    """Return (items so far, new items) of every look."""
    at = [*range(rule.min_n, rule.max_n, size), rule.max_n]
    return [(n, n - before) for n, before in zip(at, [0, *at], strict=False)]
