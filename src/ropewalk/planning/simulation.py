"""Simulate studies of a given size, or until a rule stops them, and count how often they succeed.

Simulations run in threads, or wherever joblib takes them.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeAlias, TypeVar, Unpack, overload

import numpy as np

from ropewalk._checks import check_jobs, check_seed, check_threads, check_whole, checked_keywords, is_real
from ropewalk._optional import require
from ropewalk._progress import Steps, metered
from ropewalk.draws.decision import Judged
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError
from ropewalk.inference.goals import Batch, count, joined, reached, share_interval, without_verdict
from ropewalk.planning.bounded import AT_ONCE, PATH, Paths, bounds_of, check_bounded, follow_bounded, is_conclusive
from ropewalk.planning.budget import power_of_runs
from ropewalk.planning.posing import MAX_ITEMS, MAX_SIMULATIONS, Posed, check_sizes, pose
from ropewalk.planning.study import BATCH, Study, added, check_size, keep_memory, too_few_draws
from ropewalk.results import Comparison
from ropewalk.results.budget import RunsPower
from ropewalk.results.options import PlanningOptions
from ropewalk.results.planning import PowerResult, StoppingResult
from ropewalk.text.remarks import Remark, note, wording
from ropewalk.text.verdicts import VERDICTS
from ropewalk.text.writing import told
from ropewalk.typing import BoolArray

T = TypeVar("T")
R = TypeVar("R")

_BATCHES_PER_JOB: Final = 5  # batches that travel to another process together
_CONCLUSIVE_CODES: Final = [code for code, verdict in enumerate(VERDICTS) if verdict.conclusive]
_SHARE_OF_ROPE: Final = 0.5
_LEAST_POWER: Final = 0.1  # that is compared with that of another number of items
_MIN_PULL: Final = 0.5  # in posterior standard deviations: from where on compare warns of it


@overload
def power(
    *,
    components: Any,
    n: int | Iterable[int],
    runs: int | Iterable[int],
    delta: float,
    simulations: int = 1_000,
    **options: Unpack[PlanningOptions],
) -> RunsPower: ...
@overload
def power(
    scenario: Any, n: int | Iterable[int], *, simulations: int = 1_000, **options: Unpack[PlanningOptions]
) -> PowerResult: ...


@checked_keywords
def power(
    scenario: Any = None,
    n: Any = None,
    *,
    simulations: int = 1_000,
    components: Any = None,
    runs: int | Iterable[int] | None = None,
    delta: float | None = None,
    **options: Unpack[PlanningOptions],
) -> PowerResult | RunsPower:
    """Simulate test sets of n items, fit the model to each, and count how often the goal is reached.

    Parameters
    ----------
    scenario
        What is true: a `BinaryScenario`, `ConfusionScenario`, `JointScenario` or `MetricScenario`, a mapping with their
        fields, or a sentence such as "F1 .60 against .50 at agreement .7". Or a `Comparison`: the truth of every
        simulation is then a draw from its posterior, and the power averaged over what may be true is *assurance*.
    n
        Numbers of items; the rows of the answer follow their order.
    goal
        "A≫B" (or ">>"), "A≪B" ("<<"), "A≈B" ("~"): that verdict; "conclusive": any of the three. ≫ means that A is
        better.
    rope, metric, model, pos_label, classes, cost_matrix, prob, rule
        As in `compare`. A `Comparison` brings its own; `rope`, `prob` and `rule` may be replaced.
    simulations, draws
        How many test sets of each size, and how many draws from the posterior of each.
    rng, random_state
        A seed; the same one gives the same answer in threads, processes or on a cluster.
    threads, n_jobs
        Threads of this process; or with `n_jobs` whatever `joblib.parallel_config` names: processes, Dask, Ray.
    progress
        As in `compare`. Ctrl-C returns what was simulated so far, marked `partial`.
    components, runs, delta
        Instead of a scenario: the power of studies over several `runs` of each method and `n` items, given the true
        difference `delta` and where the variance of a difference comes from, as in `plan`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.BinaryScenario(prevalence=0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
    >>> r = rw.power(s, n=[500, 2000], goal="A≫B", rope=0.05, simulations=200, rng=0)
    >>> r[0].power < 0.5 < r[1].power
    True
    """
    if components is not None or runs is not None or delta is not None:
        if scenario is not None:
            raise InvalidInputError(wording("`components` stand in place of a scenario."), hint="give one of the two.")
        return power_of_runs(
            components,
            n=n,
            runs=runs,
            delta=delta,
            rope=options.get("rope"),
            goal=options["goal"],
            prob=options.get("prob"),
            simulations=check_whole(simulations, "simulations", 1, MAX_SIMULATIONS),
            seed=check_seed(options.get("rng"), options.get("random_state")),
        )
    sizes, wanted = check_sizes(n), check_whole(simulations, "simulations", 1, MAX_SIMULATIONS)
    workers = check_workers(options)
    posed = pose(scenario, **options)
    study, design = posed.study, posed.design
    for size in sizes:
        check_size(study, size)
    with metered(len(sizes) * -(-wanted // BATCH), "Simulating", options.get("progress")) as steps:
        batches = simulate(study, sizes, wanted, goal=design.goal, workers=workers, steps=steps)
    rows = tuple(count(study.recipe.question, size, batches[size], design.goal) for size in sizes if size in batches)
    remarks = (*without_verdict(batches), *too_few_draws(study), *_pulled(batches, study.recipe.prob))
    return PowerResult(rows=rows, design=design, simulations=wanted, partial=steps.stopped, remarks=remarks)


def _pulled(batches: dict[int, Batch], prob: float) -> tuple[Remark, ...]:
    """List the sizes at which the posterior mean lies off the truth on average: there the prior has much influence."""
    from scipy.special import ndtri

    pulled = []
    for n, batch in batches.items():
        std = float((batch.judged.high - batch.judged.low).mean()) / (2 * float(ndtri((1 + prob) / 2)))
        pull = float((batch.judged.mean - batch.truth).mean()) / std if std > 0 else 0.0
        if abs(pull) >= _MIN_PULL:
            pulled.append(f"{n:,} ({pull:+.1f})")
    if not pulled:
        return ()
    where = ", ".join(pulled[:6])
    text = f"The prior pulls, in posterior standard deviations from the truth to the mean, with these items: {where}."
    return (note("prior_pulls", text),)


def simulate(
    study: Study,
    sizes: Sequence[int],
    simulations: int,
    *,
    goal: str,
    workers: Workers,
    steps: Steps,
    start: int = 0,
    what: str = "power",
) -> dict[int, Batch]:
    """Simulate so many test sets of every size, from simulation `start` (a multiple of the batch) on.

    All sizes take turns, so that stopping early leaves some simulations of each; `steps` then says so. `what` is what
    the share of those that reach the goal is called there.
    """
    numbers = range(start // BATCH, -(-(start + simulations) // BATCH))
    tasks = [(size, number) for number in numbers for size in sizes]
    parts: dict[int, list[Batch]] = {}
    hits, trials = 0, 0
    what = what if len(sizes) == 1 else f"mean {what}"
    with keep_if_stopped(steps, parts), closing(workers(study.batch, tasks)) as results:
        for (size, _), batch in zip(tasks, results, strict=True):
            parts.setdefault(size, []).append(batch)
            hits, trials = hits + reached(batch, goal), trials + len(batch)
            steps.step(f"{what} so far {_with_error(hits, trials)}")
    return {size: joined(some).first(simulations) for size, some in parts.items()}


@contextmanager
def keep_if_stopped(steps: Steps, results: Sized) -> Iterator[None]:
    """Let Ctrl-C end what is simulated, where there are results already."""
    try:
        yield
    except KeyboardInterrupt:
        if not results:
            raise
        steps.stopped = True


def _with_error(hits: int, trials: int) -> str:
    low, high = share_interval(hits, trials)
    places = 2 if high - low > 0.02 else 3  # noqa: PLR2004
    return f"{hits / trials:.{places}f} ± {(high - low) / 2:.{places}f}"


Workers: TypeAlias = Callable[[Callable[[Any], Any], Sequence[Any]], Generator[Any]]
"""What goes through the results of tasks, in their order."""


def check_workers(options: Mapping[str, Any]) -> Workers:
    """Return the workers: threads of this process, or with `n_jobs` whatever joblib is configured to use."""
    threads, n_jobs = options["threads"], options.get("n_jobs")
    if n_jobs is None:
        return partial(_in_threads, check_threads(threads))
    if threads != 1:
        raise InvalidInputError(
            wording("`threads` and `n_jobs` were both given; give one."), hint=wording("n_jobs= goes through joblib.")
        )
    return partial(_by_joblib, check_jobs(n_jobs))


def _in_threads(threads: int, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R]:
    if threads == 1:
        yield from map(work, tasks)
        return
    pool = ThreadPoolExecutor(threads)  # NumPy releases the GIL while it draws, sorts and adds
    try:
        yield from pool.map(work, tasks)
    finally:  # an interruption does not wait for tasks that have not begun
        pool.shutdown(cancel_futures=True)


def _by_joblib(n_jobs: int, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R]:
    joblib = require("joblib", extra="parallel", caller="n_jobs=")
    jobs, how = (
        [joblib.delayed(work)(task) for task in tasks],
        {"n_jobs": min(n_jobs, len(tasks)), "batch_size": _BATCHES_PER_JOB},
    )
    try:
        results = joblib.Parallel(**how, return_as="generator")(jobs)
    except (ValueError, NotImplementedError):  # a backend that can only give all results at the end
        results = iter(joblib.Parallel(**how)(jobs))
    try:
        yield from results
    finally:
        if hasattr(results, "close"):
            results.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class StopWhen:
    """A rule for when to stop labelling, applied after every batch.

    `width` stops when the HDI of the difference is narrower than that, whatever it says: the safer rule, since when it
    stops hardly depends on what was found, and so the default, with half the width of the ROPE: 0.05 for ±0.05, and
    few HDIs of that width are undecided. ``conclusive=True`` stops at the first conclusive verdict instead, which takes
    fewer items and errs more often. ``bounded=True`` stops when a confidence sequence is conclusive: over all looks
    together it is wrong in at most (1 − prob) / 2 of studies on either side, however many they are, and it takes more
    items for that; it is for metrics that are means over items. None stops before `min_n` items; all stop at `max_n`.

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
    bounded: bool = False

    def __post_init__(self) -> None:
        least = check_whole(self.min_n, "min_n", 1, MAX_ITEMS)
        check_whole(self.max_n, "max_n", least, MAX_ITEMS)
        if not isinstance(self.conclusive, bool):
            raise InvalidInputError(
                wording("`conclusive` must be True or False; got {!r}.", self.conclusive),
                hint=wording("conclusive=True stops at the first verdict."),
            )
        if not isinstance(self.bounded, bool):
            raise InvalidInputError(
                wording("`bounded` must be True or False; got {!r}.", self.bounded),
                hint=wording("bounded=True bounds the error over all looks."),
            )
        if self.bounded and (self.conclusive or self.width is not None):
            raise InvalidInputError(
                wording("`bounded`, `width` and `conclusive` are three rules: give one."),
                hint="leave them out.",
            )
        if self.conclusive and self.width is not None:
            raise InvalidInputError(
                wording("Stop at a `width` of the HDI, or when the verdict is `conclusive`: give one of the two."),
                hint="leave one out.",
            )
        if self.width is not None and (not is_real(self.width) or not 0 < self.width < math.inf):
            raise InvalidInputError(
                wording("`width` must be a positive number; got {!r}.", self.width),
                hint="half the width of the ROPE is usual: 0.05 for ±0.05.",
            )

    @property
    def text(self) -> str:
        """The rule in words."""
        width = "half the ROPE's width" if self.width is None else f"{self.width:g}"
        when = "when conclusive" if self.conclusive else f"when the HDI is narrower than {width}"
        when = "when conclusive at any look" if self.bounded else when
        return f"stop {when}, from {self.min_n:,} to {self.max_n:,} items"

    def stops(self, result: Comparison) -> bool:
        """Whether to stop labelling, given the answer on all items so far."""
        if not isinstance(result, Comparison):
            raise InvalidInputError(
                f"A rule looks at a comparison; got {type(result).__name__}.", hint="give what rw.compare returned."
            )
        result.require_data("labelled until it is precise enough")
        n = max(table.n_items for table in result.recipe.tables)  # of separate tables each has as many
        if n >= self.max_n:
            return True
        if n < self.min_n:
            return False
        if self.width is None and result.rope is None:
            raise InvalidInputError(
                "When to stop depends on the ROPE, and the comparison has none.", hint=wording("compare with a rope=.")
            )
        if self.bounded:
            return is_conclusive(bounds_of(result.recipe), result.rope)
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
        return _SHARE_OF_ROPE * wide

    def stops_each(self, judged: Judged, rope: Interval) -> BoolArray:
        """Whether each of many studies stops, where its number of items lets it."""
        if self.conclusive:
            return np.isin(judged.verdict, _CONCLUSIVE_CODES)
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
    streak is never given the time to pass. Beside a `bounded` rule stands what that would be: the same studies that
    stop at the first conclusive verdict; and the number of items that gives as much power at one look.

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
        raise InvalidInputError(
            f"`stop` must be a StopWhen; got {told(stop)}.", hint="StopWhen(width=0.1, max_n=5_000)"
        )
    size, wanted = (
        check_whole(batch, "batch", 1, MAX_ITEMS),
        check_whole(simulations, "simulations", 1, MAX_SIMULATIONS),
    )
    workers = check_workers(options)
    posed = pose(scenario, possible=False, **options)
    check_size(posed.study, stop.min_n)
    if stop.bounded:
        check_bounded(posed.study.recipe)
    elif not stop.conclusive:
        stop.width_at(posed.study.rope)  # says so before all work where there is none
    follow = follow_bounded if stop.bounded else _follow
    parts: list[Paths] = []
    numbers = range(-(-wanted // (AT_ONCE if stop.bounded else BATCH)))
    with (
        metered(len(numbers), "Simulating", options.get("progress")) as steps,
        keep_if_stopped(steps, parts),
        closing(workers(partial(follow, posed.study, stop, size), numbers)) as results,
    ):
        for paths in results:
            parts.append(paths)
            so_far = np.concatenate([part.items for part in parts])
            steps.step(f"{so_far.mean():,.0f} items on average so far")
    paths = Paths.joined(parts).first(wanted)
    n, stopped, whole = paths.items, paths.ends, paths.whole
    low, middle, high = (int(q) for q in np.quantile(n, [0.1, 0.5, 0.9], method="inverted_cdf"))
    row = count(posed.study.recipe.question, stop.max_n, stopped, posed.design.goal)
    beside: dict[str, Any] = {}
    if paths.plain is not None:
        at, ends = paths.plain
        beside["plain"] = count(posed.study.recipe.question, stop.max_n, ends, posed.design.goal)
        beside |= {"plain_covered": _covered(ends), "plain_mean_n": float(at.mean())}
        if not steps.stopped:
            sizes = [*range(stop.min_n, stop.max_n, size), stop.max_n]
            beside["same_power_n"] = _same_power(posed, sizes, row.power, int(n.size), workers)
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
        row=row,
        fixed=count(posed.study.recipe.question, stop.max_n, whole, posed.design.goal),
        fixed_covered=_covered(whole),
        simulations=int(n.size),
        partial=steps.stopped,
        remarks=(*without_verdict({stop.max_n: whole}), *too_few_draws(posed.study)),
        **beside,
    )


def _same_power(posed: Posed, sizes: Sequence[int], power: float, simulations: int, workers: Workers) -> int | None:
    """Return the first of these numbers of items at which one look reaches the goal as often; None where none does.

    Power grows with the items, so half of what is left is ruled out at a time; a power of next to nothing has no such
    number.
    """
    if power < _LEAST_POWER:
        return None

    def reaches(n: int) -> bool:
        with metered(1, "Simulating", progress=False) as steps:
            batch = simulate(posed.study, [n], simulations, goal=posed.design.goal, workers=workers, steps=steps)[n]
        wanted = min(power * len(batch), len(batch) - 1)  # all of them may be more than any larger number brings
        return reached(batch, posed.design.goal) >= wanted

    if not reaches(sizes[-1]):
        return None
    return sizes[bisect_left(range(len(sizes) - 1), x=True, key=lambda i: reaches(sizes[i]))]


def _covered(batch: Batch) -> float:
    inside = (batch.judged.low <= batch.truth) & (batch.truth <= batch.judged.high)
    return float(inside.mean())


def _follow(study: Study, rule: StopWhen, size: int, number: int) -> Paths:
    """Follow one batch of studies, look by look."""
    keep_memory()
    rng = study.generator(rule.max_n, number, PATH)
    truths = study.source.truths(rng, BATCH)
    tables, counted = [study.no_items] * BATCH, 0
    stopped_at, ends = np.zeros(BATCH, dtype=np.int64), {}
    for n in [*range(rule.min_n, rule.max_n, size), rule.max_n]:
        tables = [added(table, truth.draw(rng, n - counted)) for table, truth in zip(tables, truths, strict=True)]
        counted, last = n, n == rule.max_n
        # Studies that have stopped are followed only for the end that they would have come to.
        followed = [i for i in range(BATCH) if last or i not in ends]
        if not followed:
            continue
        looked = study.judge(rng, [tables[i] for i in followed], [truths[i] for i in followed])
        stops = rule.stops_each(looked.judged, study.rope) | last
        for place, i in enumerate(followed):
            if stops[place] and i not in ends:
                stopped_at[i], ends[i] = n, looked.only(place)
    return Paths(stopped_at, joined([ends[i] for i in range(BATCH)]), looked)
