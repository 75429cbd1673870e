"""`ropewalk stopping`: what a rule for stopping costs."""

from __future__ import annotations

from typing import Annotated, Final, TypedDict

import ropewalk as rw
from ropewalk.cli.output import DECISION, answer
from ropewalk.cli.scenarios import ScenarioOptions, read_truth
from ropewalk.inference.question import select
from ropewalk.results.options import PlanningOptions, SimulationsOption
from ropewalk.results.parsing import parse_share


class StoppingQuestion(PlanningOptions, SimulationsOption, total=False):
    """What `rw.stopping` takes, beside the truth and the rule."""

    batch: Annotated[int, DECISION(help="Items labelled between two looks.", default=100, parse=int, minimum=1)]


class StoppingRule(TypedDict, total=False):
    """What `rw.StopWhen` takes."""

    width: Annotated[float, DECISION(help="Stop when the HDI is narrower: half the ROPE.", parse=parse_share)]
    conclusive: Annotated[bool, DECISION(help="Stop when conclusive instead.", parse=bool)]
    bounded: Annotated[
        bool, DECISION(help="Stop when conclusive, with an error that is bounded over all looks.", parse=bool)
    ]
    min_n: Annotated[int, DECISION(help="Items before the first look.", default=100, parse=int, minimum=1)]
    max_n: Annotated[int, DECISION(help="Items at most.", default=10_000, parse=int, minimum=1)]


EXAMPLES: Final = ("'F1 .6 against .5 at agreement .7' --rope 5% --conclusive",)


class Options(ScenarioOptions, StoppingRule, StoppingQuestion, total=False):
    """What `ropewalk stopping` takes."""


def run(options: Options) -> None:
    """Simulate a rule for stopping."""
    stop = rw.StopWhen(**select(options, StoppingRule))
    truth, question = read_truth(options, StoppingQuestion, f"stopping {EXAMPLES[0]}")
    answer(options, rw.stopping, truth, stop, **question)
