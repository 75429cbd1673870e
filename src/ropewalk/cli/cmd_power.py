"""`ropewalk power`: how often a test set of some size reaches a goal."""

from __future__ import annotations

from typing import Annotated, Final

import ropewalk as rw
from ropewalk.cli.output import DECISION, answer
from ropewalk.cli.scenarios import ScenarioOptions, read_truth
from ropewalk.errors import InvalidInputError
from ropewalk.results.options import PlanningOptions, SimulationsOption
from ropewalk.results.parsing import parse_numbers


def parse_sizes(text: str, flag: str) -> list[int]:
    """Read numbers of items."""
    numbers = parse_numbers(text, flag, "500,1000")
    for number in numbers:
        if not number.is_integer():
            raise InvalidInputError(
                f"{flag} takes whole numbers of items; got {number:g}.", hint=f"write {flag} 500,1000"
            )
    return [int(number) for number in numbers]


class PowerQuestion(PlanningOptions, SimulationsOption, total=False):
    """What `rw.power` takes, beside the truth and the sizes."""


EXAMPLES: Final = ("'F1 .6 against .5 at agreement .7' --n 500,1000 --rope 5%",)


class Options(ScenarioOptions, PowerQuestion, total=False):
    """What `ropewalk power` takes."""

    n: Annotated[list[int], DECISION(help="Numbers of items, separated by commas.", parse=parse_sizes)]


def run(options: Options) -> None:
    """Simulate test sets."""
    if "n" not in options:
        raise InvalidInputError("Missing option --n: for how many items?", hint="--n 500,1000,2000")
    truth, question = read_truth(options, PowerQuestion, f"power {EXAMPLES[0]}")
    answer(options, rw.power, truth, options["n"], **question)
