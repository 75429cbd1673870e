"""Simulate how many more items would settle an open question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from ropewalk._checks import check_prob, checked_keywords, choose
from ropewalk._progress import ProgressLike, metered
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.inference.goals import CONCLUSIVE, Batch, count, parse_goal, reached
from ropewalk.inference.outlook import MOST, TARGET, Outlook
from ropewalk.planning.posing import MOST_ITEMS, Posed, check_number, check_sizes, pose
from ropewalk.planning.search import ROOT, Found, Looks, crossing
from ropewalk.planning.simulation import Workers, simulate
from ropewalk.planning.study import BATCH
from ropewalk.results import Comparison
from ropewalk.results.planning import MoreData, PowerRow
from ropewalk.text.options import wording
from ropewalk.text.remarks import Remark, note
from ropewalk.typing import SeedLike

Method = Literal["simulation", "extrapolation"]

_TRIES: Final = 3
_AFFORDABLE: Final = 3_000_000_000  # random numbers, at about 20 ns each: a minute


@checked_keywords
def more_data(
    result: Comparison,
    *,
    target: float = TARGET,
    goal: str = CONCLUSIVE,
    n: int | Iterable[int] | None = None,
    method: Method | None = None,
    max_n: int = MOST,
    simulations: int = 1_000,
    draws: int = 2_000,
    rng: SeedLike = None,
    random_state: SeedLike = None,
    threads: int = 1,
    n_jobs: int | None = None,
    progress: ProgressLike = None,
) -> MoreData:
    """Return how probable each verdict is after n more items, and how many items make the goal as probable as wanted.

    Each simulation draws a truth from the posterior, n new items from it, adds them to the old counts and judges again:
    the posterior-predictive probability of the verdict.

    Parameters
    ----------
    result
        A comparison with a ROPE.
    target
        The wanted probability of the goal.
    goal
        "conclusive", or one verdict: "A≫B", "A≪B", "A≈B". The probability of one verdict tends to that of its region,
        given the data so far: no number of items reaches more than this ceiling.
    n
        Numbers of new items to look at; by default around the answer.
    method
        "simulation"; or "extrapolation", which takes the posterior to shrink like that of a mean: instant, and close
        where there are more than a few dozen items. By default simulation, unless it would take minutes, and
        extrapolation where items cannot be simulated: scores, clusters, any number of labels per item, models that need
        Markov chains, a prior of the difference.
    max_n
        The number of items at which to give up.
    simulations, draws
        How many simulations for each number of items, and how many draws from the posterior of each.
    rng, random_state
        By default the seed of the comparison.
    threads, n_jobs, progress
        As in `power`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> r = rw.compare(rw.examples.news20().outcomes, a="nb_mult", b="svm_l2", pos_label=1, rope=0.05, rng=0)
    >>> r.conclusive, r.more_data(method="extrapolation").reachable
    (False, True)
    """
    if not isinstance(result, Comparison):
        raise InvalidInputError(f"`more_data` is about a comparison; got {type(result).__name__}.")
    wanted, asked = check_prob(target, "target"), parse_goal(goal)
    sizes = None if n is None else check_sizes(n)
    most, number = check_number(max_n, "max_n", 10, MOST_ITEMS), check_number(simulations, "simulations")
    ways: dict[str, Method] = {"simulation": "simulation", "extrapolation": "extrapolation"}
    way = None if method is None else choose(method, ways, "method")
    recipe = result.recipe
    if recipe.rope is None or result.no_verdict:
        raise InvalidInputError(
            "How many more items settle a question depends on the ROPE, and there is no verdict here.",
            hint=result.no_verdict or wording("compare with rope=: the smallest difference you would act on."),
        )
    seed = recipe.seed if rng is None and random_state is None else rng
    workers = Workers.of({"threads": threads, "n_jobs": n_jobs})
    here = replace(
        Outlook.of_comparison(result, recipe),
        goal=asked,
        most=most,
        settled=asked == CONCLUSIVE and result.conclusive,
        draws=check_number(draws, "draws", 100),
    )
    remarks = [note("conclusive_already", "The verdict is conclusive already.")] if here.settled else []
    needed = here.needed(wanted)
    around = sizes or here.around(needed)
    if way is None:
        way, reasons = _choose(result, len(around) * number * draws)
        remarks += reasons
    if way == "extrapolation":
        return here.extrapolated(wanted, around, tuple(remarks))
    posed = pose(result, goal=asked, draws=draws, rng=seed, random_state=random_state, more=True)
    done = _simulated(posed, here, around, number, wanted, workers, progress, fixed=sizes is not None)
    found = Found(0.0, 0.0, 0.0) if here.settled else done.located(wanted, posed.design.ceiling)
    answer, low, high = _ends(found)
    ceiling = posed.design.ceiling
    if ceiling is not None and ceiling < wanted:
        text = f"However many items, the probability of {asked} tends to {ceiling:.3g}, that of its region."
        remarks.append(note("goal_out_of_reach", text))
    if answer is None and needed is not None:
        answer = needed
        text = "How many items reach the target is extrapolated: those simulated all lie on one side of it."
        remarks.append(note("extrapolated", text))
    return MoreData(
        design=posed.design,
        target=wanted,
        n=answer,
        low=low,
        high=high,
        n_items=recipe.n_items,
        rows=tuple(done.row(posed, size) for size in sizes or sorted(done.batches) if size in done.batches),
        max_n=most,
        method="simulation",
        simulations=done.looks.spent,
        partial=done.partial,
        remarks=tuple(remarks),
    )


@dataclass(slots=True)
class _Done:
    """What has been simulated, by the number of new items."""

    looks: Looks = field(default_factory=Looks)
    batches: dict[int, Batch] = field(default_factory=dict)
    partial: bool = False

    def located(self, target: float, ceiling: float | None) -> Found:
        """Return where the simulated probability reaches the target, if there are looks on both sides of it."""
        looks = self.looks
        below = [x for x in looks.trials if looks.share(x) < target]
        above = [x for x in looks.trials if looks.share(x) >= target and x > max(below, default=0.0)]
        if not below or not above or (ceiling is not None and ceiling < target):
            return Found(None)
        return crossing(looks, target, ROOT)

    def row(self, posed: Posed, size: int) -> PowerRow:
        """Return what came of so many new items."""
        return count(posed.study.question, size, self.batches[size], posed.design.goal)


def _simulated(  # noqa: PLR0917
    posed: Posed,
    here: Outlook,
    sizes: Sequence[int],
    simulations: int,
    target: float,
    workers: Workers,
    progress: ProgressLike,
    *,
    fixed: bool,
) -> _Done:
    """Simulate these numbers of new items, and unless they are `fixed`, others until the target lies among them."""
    done = _Done()
    around = list(sizes)
    for left in reversed(range(1 if fixed else _TRIES)):
        with metered(len(around) * -(-simulations // BATCH), "Simulating", progress) as steps:
            try:
                some = simulate(posed.study, around, simulations, goal=posed.design.goal, workers=workers, steps=steps)
            except KeyboardInterrupt:
                if not done.batches:
                    raise
                done.partial = steps.stopped = True
                break
        for size, batch in some.batches.items():
            done.batches[size] = batch
            done.looks.add(float(size), reached(batch, posed.design.goal), len(batch))
        done.partial = some.partial
        top = max(done.batches)
        settled = here.settled or done.located(target, posed.design.ceiling).x is not None
        if done.partial or settled or not left or here.hopeless(target) or top >= here.most:
            break
        beyond = here.near(4 * top if done.looks.share(top) < target else min(done.batches) / 4)
        around = [size for size in beyond if size not in done.batches]
        if not around:
            break
    return done


def _ends(found: Found) -> tuple[int | None, int | None, int | None]:
    if found.x is None:
        return None, None, None
    return math.ceil(found.x), math.floor(found.low or 0.0), math.ceil(found.high or 0.0)


def _choose(result: Comparison, numbers: int) -> tuple[Method, list[Remark]]:
    """Choose a method, and give the reason where it is the less exact one."""
    tables = result.recipe.tables
    if not all(isinstance(table, Outcomes) and table.clusters is None for table in tables):
        return "extrapolation", [
            note("extrapolated", "Extrapolated: scores, clusters and items of many labels are not simulated.")
        ]
    if not result.recipe.model.can_be_simulated:
        return "extrapolation", [
            note(
                "extrapolated",
                "Extrapolated: what takes Markov chains, or a prior of the difference, is not simulated.",
            )
        ]
    work = sum(result.recipe.model.fit(table).work for table in tables)
    if work * numbers > _AFFORDABLE:
        text = (
            'Extrapolated from the posterior, since to simulate takes minutes; method="simulation" (--simulations on '
            "the command line) does it."
        )
        return "extrapolation", [note("extrapolated", text)]
    return "simulation", []
