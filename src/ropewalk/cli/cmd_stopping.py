"""`ropewalk stopping`."""

from __future__ import annotations

from typing import Annotated, TypedDict

import ropewalk as rw
from ropewalk.cli.output import emit, quietly
from ropewalk.cli.reading import ScenarioOptions, read_truth, select
from ropewalk.results.options import Option, PlanningOptions, SimulationsOption


class Question(PlanningOptions, SimulationsOption, total=False):
    """What `rw.stopping` takes, beside the truth and the rule."""

    batch: Annotated[
        int, Option(group="Decision", help="Items labelled between two looks.", default=100, parse=int, minimum=1)
    ]


class Rule(TypedDict, total=False):
    """What `rw.StopWhen` takes."""

    width: Annotated[float, Option(group="Decision", help="Stop when the HDI is narrower: half the ROPE.", parse=float)]
    conclusive: Annotated[bool, Option(group="Decision", help="Stop when conclusive instead.", parse=bool)]
    min_n: Annotated[
        int, Option(group="Decision", help="Items before the first look.", default=100, parse=int, minimum=1)
    ]
    max_n: Annotated[int, Option(group="Decision", help="Items at most.", default=10_000, parse=int, minimum=1)]


class Options(ScenarioOptions, Rule, Question, total=False):
    """What the command takes."""


def run(options: Options) -> None:
    """Simulate a rule for stopping."""
    stop = rw.StopWhen(**select(options, Rule))
    truth, asked = read_truth(options, Question)
    emit(quietly(lambda: rw.stopping(truth, stop, **asked)), options)
