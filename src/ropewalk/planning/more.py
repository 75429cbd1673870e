"""Simulate how many more items would settle an open question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, Unpack, get_args

from ropewalk._checks import check_prob, check_whole, checked_keywords, choose
from ropewalk._progress import ProgressLike, metered
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.rope import parse_margin_goal
from ropewalk.errors import InvalidInputError
from ropewalk.inference.goals import Batch, count, parse_goal, reached, without_verdict
from ropewalk.inference.more_runs import RunsOutlook, instead, outlook_of
from ropewalk.inference.outlook import MOST, TARGET, Outlook
from ropewalk.planning.posing import (
    MAX_DRAWS,
    MAX_ITEMS,
    MAX_SIMULATIONS,
    MIN_DRAWS,
    Posed,
    ask_again,
    check_sizes,
    pose,
)
from ropewalk.planning.search import ROOT, Crossing, Looks, crossing
from ropewalk.planning.simulation import Workers, check_workers, keep_if_stopped, simulate
from ropewalk.planning.study import BATCH, too_few_draws
from ropewalk.results import Comparison
from ropewalk.results.options import StudyOptions
from ropewalk.results.planning import MoreData
from ropewalk.text.remarks import note, wording
from ropewalk.text.verdicts import CONCLUSIVE

Method = Literal["simulation", "extrapolation"]

_MAX_ROUNDS: Final = 3
_MAX_RANDOM_NUMBERS: Final = 3_000_000_000  # at about 20 ns each: a minute


@checked_keywords
def more_data(
    result: Comparison,
    *,
    target: float = TARGET,
    n: int | Iterable[int] | None = None,
    method: Method | None = None,
    max_n: int = MOST,
    simulations: int = 1_000,
    **options: Unpack[StudyOptions],
) -> MoreData:
    """Return how probable each verdict is after n more items, and how many items make the goal as probable as wanted.

    Each simulation draws a truth from the posterior, n new items from it, adds them to the old counts and judges again:
    the posterior-predictive probability of the verdict.

    Parameters
    ----------
    result
        A comparison with a ROPE. Of several runs (``runs=``) the answer is in further runs of each method, and `n` too.
    target
        The wanted probability of the goal.
    goal
        "conclusive", or one verdict: "A≫B", "A≪B", "A≈B"; or "not_worse", "better" or "equivalent" by a `margin`, which
        then is the ROPE. The probability of one verdict tends to that of its region, given the data so far: no number
        of items reaches more than this ceiling.
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
        raise InvalidInputError(
            f"`more_data` is about a comparison; got {type(result).__name__}.", hint="give what rw.compare returned."
        )
    wanted, goal = check_prob(target, "target"), parse_goal(options["goal"])
    sizes = None if n is None else check_sizes(n)
    most = check_whole(max_n, "max_n", 10, MAX_ITEMS)
    number = check_whole(simulations, "simulations", 1, MAX_SIMULATIONS)
    method = None if method is None else choose(method, {way: way for way in get_args(Method)}, "method")
    margin_goal = parse_margin_goal(options["goal"])
    recipe = ask_again(result.recipe, goal=margin_goal, margin=options.get("margin"))
    if recipe.rope is None or result.no_verdict:
        raise InvalidInputError(
            "How many more items settle a question depends on the ROPE, and there is no verdict here.",
            hint=result.no_verdict or wording("compare with rope=: the smallest difference you would act on."),
        )
    if options.get("rng") is None and options.get("random_state") is None:
        options["rng"] = recipe.seed
    workers = check_workers(options)
    outlook = outlook_of(result, recipe)
    by_runs = isinstance(outlook, RunsOutlook)
    here = replace(outlook, goal=goal, most=min(most, outlook.most) if by_runs else most)
    here = replace(
        here,
        settled=here.reached_already if margin_goal else goal == CONCLUSIVE and result.conclusive,
        draws=check_whole(options["draws"], "draws", MIN_DRAWS, MAX_DRAWS),
    )
    remarks = [note("conclusive_already", "The verdict is conclusive already.")] if here.settled else []
    remarks += instead(here, wanted) if isinstance(here, RunsOutlook) else ()
    needed = here.needed(wanted)
    around = sizes or here.around(needed)
    if method is None:
        reason = _no_simulation(result, len(around) * number * here.draws)
        method = "extrapolation" if reason else "simulation"
        remarks += [note("extrapolated", reason)] if reason else []
    if method == "extrapolation" or by_runs:
        return here.extrapolated(wanted, around, tuple(remarks))
    posed = pose(result, more=True, **options)
    done = _Simulations(posed, here, wanted)
    done.run(around, number, workers, options.get("progress"), fixed=sizes is not None)
    reaches = Crossing(0.0, 0.0, 0.0) if here.settled else done.crossing()
    answer = None if reaches.x is None else math.ceil(reaches.x)
    low, high = reaches.ends
    ceiling = posed.design.ceiling
    if ceiling is not None and ceiling < wanted:
        text = f"However many items, the probability of {goal} tends to {ceiling:.3g}, that of its region."
        remarks.append(note("goal_out_of_reach", text))
    if answer is None and needed is not None:
        answer = needed
        text = "How many items reach the target is extrapolated: those simulated all lie on one side of it."
        remarks.append(note("extrapolated", text))
    kept = [size for size in sizes or sorted(done.batches) if size in done.batches]
    remarks += [*without_verdict(done.batches), *too_few_draws(posed.study)]
    return MoreData(
        design=posed.design,
        target=wanted,
        n=answer,
        low=low,
        high=high,
        n_items=recipe.n_items,
        rows=tuple(count(posed.study.recipe.question, size, done.batches[size], goal) for size in kept),
        max_n=most,
        method="simulation",
        simulations=done.looks.spent,
        partial=done.partial,
        remarks=tuple(remarks),
    )


@dataclass(slots=True)
class _Simulations:
    """What has been simulated, by the number of new items."""

    posed: Posed
    here: Outlook
    target: float
    looks: Looks = field(default_factory=Looks)
    batches: dict[int, Batch] = field(default_factory=dict)
    partial: bool = False

    def crossing(self) -> Crossing:
        """Return where the simulated probability reaches the target, if there are looks on both sides of it."""
        looks, target, ceiling = self.looks, self.target, self.posed.design.ceiling
        below = [x for x in looks.trials if looks.share(x) < target]
        above = [x for x in looks.trials if looks.share(x) >= target and x > max(below, default=0.0)]
        if not below or not above or (ceiling is not None and ceiling < target):
            return Crossing(None)
        return crossing(looks, target, ROOT)

    def run(
        self, sizes: Sequence[int], simulations: int, workers: Workers, progress: ProgressLike, *, fixed: bool
    ) -> None:
        """Simulate these numbers of new items, and unless they are `fixed`, others until the target lies among them."""
        study, goal, here = self.posed.study, self.posed.design.goal, self.here
        for left in reversed(range(1 if fixed else _MAX_ROUNDS)):
            with (
                metered(len(sizes) * -(-simulations // BATCH), "Simulating", progress) as steps,
                keep_if_stopped(steps, self.batches),
            ):
                some = simulate(study, sizes, simulations, goal=goal, workers=workers, steps=steps)
                for size, batch in some.items():
                    self.batches[size] = batch
                    self.looks.add(float(size), reached(batch, goal), len(batch))
            self.partial = steps.stopped
            top = max(self.batches)
            settled = here.settled or self.crossing().x is not None
            if self.partial or settled or not left or here.hopeless(self.target) or top >= here.most:
                break
            beyond = here.near(4 * top if self.looks.share(top) < self.target else min(self.batches) / 4)
            sizes = [size for size in beyond if size not in self.batches]
            if not sizes:
                break


def _no_simulation(result: Comparison, numbers: int) -> str:
    """Return why not to simulate: it cannot be done, or takes minutes; an empty text where it can be done."""
    tables, model = result.recipe.tables, result.recipe.model
    if not model.is_of_items:
        return "Extrapolated: further runs are not simulated."
    if not all(isinstance(table, Outcomes) and table.units is None for table in tables):
        return "Extrapolated: scores, clusters, weighted items and items of many labels are not simulated."
    if not model.can_be_simulated:
        return "Extrapolated: Markov chains, annotators who err, and a prior of the difference are not simulated."
    if numbers * sum(model.fit(table).work for table in tables) > _MAX_RANDOM_NUMBERS:
        return (
            'Extrapolated from the posterior, since to simulate takes minutes; method="simulation" (--simulations on '
            "the command line) does it."
        )
    return ""
