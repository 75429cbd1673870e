"""`ropewalk power`."""

from __future__ import annotations

from typing import Annotated

import ropewalk as rw
from ropewalk.cli.output import emit, quietly
from ropewalk.cli.reading import ScenarioOptions, read_truth
from ropewalk.errors import InvalidInputError
from ropewalk.results.options import Option, PlanningOptions, SimulationsOption, parse_numbers


def parse_sizes(text: str, flag: str) -> list[int]:
    """Read numbers of items."""
    numbers = parse_numbers(text, flag)
    for number in numbers:
        if not number.is_integer():
            raise InvalidInputError(f"{flag} takes whole numbers of items; got {number:g}.")
    return [int(number) for number in numbers]


class Question(PlanningOptions, SimulationsOption, total=False):
    """What `rw.power` takes, beside the truth and the sizes."""


class Options(ScenarioOptions, Question, total=False):
    """What the command takes."""

    n: Annotated[list[int], Option(group="Decision", help="Numbers of items, separated by commas.", parse=parse_sizes)]


def run(options: Options) -> None:
    """Simulate test sets."""
    if "n" not in options:
        raise InvalidInputError("Missing option --n: for how many items?", hint="--n 500,1000,2000")
    truth, asked = read_truth(options, Question)
    emit(quietly(lambda: rw.power(truth, options["n"], **asked)), options)
