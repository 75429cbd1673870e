"""`ropewalk plan`: how many items a goal takes."""

from __future__ import annotations

from typing import Annotated

import ropewalk as rw
from ropewalk.cli.output import DECISION, DRAWING, answer
from ropewalk.cli.scenarios import ScenarioOptions, read_truth
from ropewalk.errors import InvalidInputError
from ropewalk.inference.answers import run_comparison
from ropewalk.planning.posing import ask_again
from ropewalk.results import Comparison
from ropewalk.results.options import PlanningOptions


class PlanQuestion(PlanningOptions, total=False):
    """What `rw.plan` takes, beside the truth."""

    target: Annotated[
        float, DECISION(help="How often the goal is to be reached.", flag="--power", default=0.8, parse=float)
    ]
    n: Annotated[int, DECISION(help="Ask for the smallest difference that so many items find.", parse=int)]
    cost_per_item: Annotated[float, DECISION(help="What a label costs, …", parse=float)]
    value: Annotated[float, DECISION(help="… and what reaching the goal is worth.", parse=float)]
    max_n: Annotated[int, DECISION(help="Where to give up.", default=10_000_000, parse=int)]
    simulations: Annotated[
        int, DRAWING(help="Simulated test sets: 4,000 in all; of more items, 1,000 each.", parse=int, minimum=1)
    ]


class Options(ScenarioOptions, PlanQuestion, total=False):
    """What `ropewalk plan` takes."""

    fresh: Annotated[
        bool, DECISION(help="With --from: a new test set, instead of more items beside the old.", parse=bool)
    ]


def run(options: Options) -> None:
    """Find the number of items, or with --from that of more items."""
    truth, question = read_truth(options, PlanQuestion)
    if "fresh" in options and "results" not in options:
        raise InvalidInputError("--fresh is about a new test set given --from results.", hint="leave it out.")
    if isinstance(truth, Comparison) and not {"fresh", "n", "cost_per_item", "value"} & options.keys():
        again = ask_again(truth.recipe, **{name: question.pop(name, None) for name in ("rope", "prob", "rule")})
        if "simulations" in question:  # users who say how many want them
            question["method"] = "simulation"
        answer(options, lambda: run_comparison(again).more_data(**question))
    else:
        answer(options, rw.plan, truth, **question)
