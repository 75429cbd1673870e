"""Simulate studies of a given size, in threads or wherever joblib takes them, and count how often they succeed."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar, Unpack

from ropewalk._checks import check_threads, checked_keywords, is_whole
from ropewalk._optional import require
from ropewalk._progress import Steps, metered
from ropewalk.errors import InvalidInputError
from ropewalk.inference.goals import Batch, count, joined, reached, share_interval
from ropewalk.planning.posing import check_number, check_sizes, pose
from ropewalk.planning.study import BATCH, Study, check_size
from ropewalk.results.options import PlanningOptions
from ropewalk.results.planning import PowerResult
from ropewalk.text.options import wording
from ropewalk.text.remarks import Remark, note

T = TypeVar("T")
R = TypeVar("R")

_BATCHES_PER_JOB: Final = 5  # batches that travel to another process together
_PULL: Final = 0.5  # from where on compare warns of it


@checked_keywords
def power(
    scenario: Any,
    n: int | Iterable[int],
    *,
    simulations: int = 1_000,
    **options: Unpack[PlanningOptions],
) -> PowerResult:
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

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.BinaryScenario(prevalence=0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
    >>> r = rw.power(s, n=[500, 2000], goal="A≫B", rope=0.05, simulations=200, rng=0)
    >>> r[0].power < 0.5 < r[1].power
    True
    """
    sizes, wanted = check_sizes(n), check_number(simulations, "simulations")
    workers = Workers.of(options)
    posed = pose(scenario, **options)
    study, design = posed.study, posed.design
    for size in sizes:
        check_size(study, size)
    with metered(len(sizes) * -(-wanted // BATCH), "Simulating", options.get("progress")) as steps:
        simulated = simulate(study, sizes, wanted, goal=design.goal, workers=workers, steps=steps)
    rows = tuple(
        count(study.question, size, simulated.batches[size], design.goal) for size in sizes if size in simulated.batches
    )
    remarks = _pulled(simulated.batches, study.recipe.prob)
    return PowerResult(rows=rows, design=design, simulations=wanted, partial=simulated.partial, remarks=remarks)


def _pulled(batches: dict[int, Batch], prob: float) -> tuple[Remark, ...]:
    """List the sizes at which the posterior mean lies off the truth on average: there the prior has much influence."""
    from scipy.special import ndtri

    told = []
    for n, batch in batches.items():
        std = float((batch.judged.high - batch.judged.low).mean()) / (2 * float(ndtri((1 + prob) / 2)))
        pull = float((batch.judged.mean - batch.truth).mean()) / std if std > 0 else 0.0
        if abs(pull) >= _PULL:
            told.append(f"{n:,} ({pull:+.1f})")
    if not told:
        return ()
    where = ", ".join(told[:6])
    text = f"The prior pulls, in posterior standard deviations from the truth to the mean, with these items: {where}."
    return (note("prior_pulls", text),)


@dataclass(frozen=True, slots=True)
class Simulated:
    """Simulations by their number of items; `partial` where they were stopped."""

    batches: dict[int, Batch]
    partial: bool


def simulate(
    study: Study, sizes: Sequence[int], simulations: int, *, goal: str, workers: Workers, steps: Steps, start: int = 0
) -> Simulated:
    """Simulate so many test sets of every size, from simulation `start` (a multiple of the batch) on.

    All sizes take turns, so that stopping early leaves some simulations of each.
    """
    numbers = range(start // BATCH, -(-(start + simulations) // BATCH))
    tasks = [(size, number) for number in numbers for size in sizes]
    parts: dict[int, list[Batch]] = {}
    hits, trials = 0, 0
    what = "power" if len(sizes) == 1 else "mean power"
    try:
        with closing(workers.run(partial(_batch, study), tasks)) as results:
            for (size, _), batch in zip(tasks, results, strict=True):
                parts.setdefault(size, []).append(batch)
                hits, trials = hits + reached(batch, goal), trials + len(batch)
                steps.step(f"{what} so far {_with_error(hits, trials)}")
    except KeyboardInterrupt:
        if not parts:
            raise
        steps.stopped = True
    return Simulated({size: joined(some).first(simulations) for size, some in parts.items()}, steps.stopped)


def _with_error(hits: int, trials: int) -> str:
    low, high = share_interval(hits, trials)
    places = 2 if high - low > 0.02 else 3  # noqa: PLR2004
    return f"{hits / trials:.{places}f} ± {(high - low) / 2:.{places}f}"


def _batch(study: Study, task: tuple[int, int]) -> Batch:
    return study.batch(*task)


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """The workers: threads of this process, or with `n_jobs` whatever joblib is configured to use."""

    threads: int = 1
    n_jobs: int | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Workers:
        """Check the `threads` and `n_jobs` that were asked for."""
        threads, n_jobs = options.get("threads", 1), options.get("n_jobs")
        if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
            raise InvalidInputError(
                wording("`n_jobs` must be a whole number and not 0, or None; got {!r}.", n_jobs),
                hint="-1 takes all cores.",
            )
        if n_jobs is not None and threads != 1:
            raise InvalidInputError(wording("`threads` and `n_jobs` were both given; give one."))
        return cls(threads=check_threads(threads), n_jobs=None if n_jobs is None else int(n_jobs))

    def run(self, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R]:
        """Go through the results of the tasks, in their order."""
        if self.n_jobs is not None:
            return _by_joblib(work, tasks, self.n_jobs)
        return _in_threads(work, tasks, self.threads) if self.threads > 1 else (work(task) for task in tasks)


def _in_threads(work: Callable[[T], R], tasks: Sequence[T], threads: int) -> Generator[R]:
    pool = ThreadPoolExecutor(threads)  # NumPy releases the GIL while it draws, sorts and adds
    try:
        yield from pool.map(work, tasks)
    finally:  # an interruption does not wait for tasks that have not begun
        pool.shutdown(cancel_futures=True)


def _by_joblib(work: Callable[[T], R], tasks: Sequence[T], n_jobs: int) -> Generator[R]:
    joblib = require("joblib", extra="parallel", caller="n_jobs=")
    chunks = [tasks[start : start + _BATCHES_PER_JOB] for start in range(0, len(tasks), _BATCHES_PER_JOB)]
    jobs = [joblib.delayed(_each)(work, chunk) for chunk in chunks]
    try:
        results = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    except (ValueError, NotImplementedError):  # a backend that can only give all results at the end
        results = iter(joblib.Parallel(n_jobs=n_jobs)(jobs))
    try:
        for chunk in results:
            yield from chunk
    finally:
        if hasattr(results, "close"):
            results.close()


def _each(work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
    return [work(task) for task in tasks]
