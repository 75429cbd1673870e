"""Power: how often a study of a given size would reach its goal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from ropewalk._progress import ProgressLike, Steps, metered
from ropewalk.inference.counting import Batch, count, joined, reached, share_interval
from ropewalk.inference.goals import CONCLUSIVE
from ropewalk.metrics.resolve import MetricLike
from ropewalk.models.posterior import Model
from ropewalk.planning.posing import check_number, check_sizes, pose
from ropewalk.planning.running import Workers
from ropewalk.planning.study import BATCH, Study, check_size
from ropewalk.results.power import PowerResult
from ropewalk.text.remarks import Remark, note
from ropewalk.typing import Label, RopeLike, Rule, SeedLike

_PULL: Final = 0.5  # from where on compare warns of it


def power(
    scenario: Any,
    n: int | Iterable[int],
    *,
    goal: str = CONCLUSIVE,
    rope: RopeLike | None = None,
    metric: MetricLike | None = None,
    model: str | Model | None = None,
    pos_label: Label | None = None,
    classes: Iterable[Label] | None = None,
    cost_matrix: Any = None,
    prob: float | None = None,
    rule: Rule | None = None,
    simulations: int = 1_000,
    draws: int = 2_000,
    rng: SeedLike = None,
    random_state: SeedLike = None,
    threads: int = 1,
    n_jobs: int | None = None,
    progress: ProgressLike = None,
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
        As in `compare`. Of a `Comparison` they come along; `rope`, `prob` and `rule` may be replaced.
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
    workers = Workers.of(threads, n_jobs)
    posed = pose(
        scenario, goal=goal, rope=rope, metric=metric, model=model, pos_label=pos_label, classes=classes,
        cost_matrix=cost_matrix, prob=prob, rule=rule, draws=draws, rng=rng, random_state=random_state,
    )  # fmt: skip
    study, design = posed.study, posed.design
    for size in sizes:
        check_size(study, size)
    with metered(len(sizes) * -(-wanted // BATCH), "Simulating", progress) as steps:
        simulated = simulate(study, sizes, wanted, goal=design.goal, workers=workers, steps=steps)
    rows = tuple(
        count(study.question, size, simulated.batches[size], design.goal) for size in sizes if size in simulated.batches
    )
    remarks = _pulled(simulated.batches, study.recipe.prob)
    return PowerResult(rows=rows, design=design, simulations=wanted, partial=simulated.partial, remarks=remarks)


def _pulled(batches: dict[int, Batch], prob: float) -> tuple[Remark, ...]:
    """Say at which sizes the posterior mean lies off the truth on average: there the prior has much of the say."""
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
    """Simulations by their number of items; `partial` where somebody stopped them."""

    batches: dict[int, Batch]
    partial: bool


def simulate(
    study: Study, sizes: Sequence[int], simulations: int, *, goal: str, workers: Workers, steps: Steps, start: int = 0
) -> Simulated:
    """Simulate so many test sets of every size, from simulation `start` (a multiple of the batch) on.

    All sizes take turns, so that whoever stops it early has something of each.
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
