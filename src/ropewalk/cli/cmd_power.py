"""`ropewalk power`: how often a test set of some size reaches a goal."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import ropewalk as rw
from ropewalk.cli.forms import require_options
from ropewalk.cli.output import DECISION, INPUT_FILE, answer
from ropewalk.cli.reading import flag_of
from ropewalk.cli.scenarios import ScenarioOptions, read_truth
from ropewalk.errors import InvalidInputError
from ropewalk.results.options import PlanningOptions, SimulationsOption, options_of
from ropewalk.results.parsing import parse_numbers, parse_share


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


OF_RUNS: Final = {"components", "runs", "delta"}
"""What makes a question one about several runs."""

EXAMPLES: Final = ("'F1 .6 against .5 at agreement .7' --n 500,1000 --rope 5%",)


class Options(ScenarioOptions, PowerQuestion, total=False):
    """What `ropewalk power` takes."""

    n: Annotated[list[int], DECISION(help="Numbers of items, separated by commas.", parse=parse_sizes)]
    components: Annotated[
        str, INPUT_FILE(help="Instead of a scenario: results of compare --runs --json, for studies over runs.")
    ]
    runs: Annotated[list[int], DECISION(help="With --components: numbers of runs of each.", parse=parse_sizes)]
    delta: Annotated[float, DECISION(help="With --components: the true difference A − B.", parse=parse_share)]


def run(options: Options) -> None:
    """Simulate test sets."""
    if "n" not in options:
        raise InvalidInputError("Missing option --n: for how many items?", hint="--n 500,1000,2000")
    if OF_RUNS & options.keys():
        require_options(options, ("components", "runs", "delta", "rope"))
        given: dict[str, Any] = dict(options)
        known = {name: given[name] for name in ("rope", "goal", "prob", "simulations", "rng") if name in given}
        idle = [name for name in (*options_of(PowerQuestion), "scenario", "results") if name in options]
        if idle := [name for name in idle if name not in known]:
            raise InvalidInputError(f"{flag_of(idle[0])} does not go with --components.", hint="leave it out.")
        about: Any = {"components": Path(options["components"]), "runs": options["runs"], "delta": options["delta"]}
        answer(options, lambda: rw.power(n=options["n"], **about, **known))
        return
    truth, question = read_truth(options, PowerQuestion, f"power {EXAMPLES[0]}")
    answer(options, rw.power, truth, options["n"], **question)
