"""`ropewalk plan`: how many items a goal takes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import ropewalk as rw
from ropewalk.cli.forms import require_options
from ropewalk.cli.output import ADVANCED, DECISION, INPUT_FILE, answer
from ropewalk.cli.reading import flag_of
from ropewalk.cli.scenarios import ScenarioOptions, read_truth
from ropewalk.errors import InvalidInputError
from ropewalk.inference.answers import run_comparison
from ropewalk.planning.posing import ask_again
from ropewalk.results import Comparison
from ropewalk.results.options import PlanOptions, RunOptions, options_of
from ropewalk.results.parsing import parse_number, parse_pairs, parse_share


class PlanQuestion(PlanOptions, total=False):
    """What `rw.plan` takes, beside the truth."""

    target: Annotated[
        float, DECISION(help="How often the goal is to be reached.", flag="--power", default=0.8, parse=parse_share)
    ]
    n: Annotated[int, DECISION(help="Ask for the smallest difference that so many items find.", parse=int)]
    cost_per_item: Annotated[float, DECISION(help="What a label costs, …", parse=float)]
    value: Annotated[float, DECISION(help="… and what reaching the goal is worth.", parse=float)]
    max_n: Annotated[int, DECISION(help="Where to give up.", default=10_000_000, parse=int)]
    simulations: Annotated[
        int, ADVANCED(help="Simulated test sets: 4,000 in all; of more items, 1,000 each.", parse=int, minimum=1)
    ]


EXAMPLES: Final = ("'F1 .6 against .5 at agreement .7' --rope 5%", "--from results.json")


class Options(ScenarioOptions, PlanQuestion, total=False):
    """What `ropewalk plan` takes."""

    components: Annotated[
        str,
        INPUT_FILE(help="Instead of a scenario: results of compare --runs --json, to split a budget by."),
    ]
    budget: Annotated[float, DECISION(help="With --components: what may be spent.", parse=float)]
    cost: Annotated[str, DECISION(help="With --components: item=1,run=40,answer=0.05, what each costs.")]
    fresh: Annotated[
        bool, DECISION(help="With --from: a new test set, instead of more items beside the old.", parse=bool)
    ]


def run(options: Options) -> None:
    """Find the number of items, or with --from that of more items."""
    if "components" in options or "budget" in options or "cost" in options:
        answer(options, lambda: _budget(options))
        return
    truth, question = read_truth(options, PlanQuestion, f"plan {EXAMPLES[0]}")
    if "fresh" in options and "results" not in options:
        raise InvalidInputError("--fresh is about a new test set given --from results.", hint="leave it out.")
    if isinstance(truth, Comparison) and "max_loss" in question and "fresh" not in options:
        answer(options, lambda: truth.worth_of_labels(**_about_labels(question)))
    elif isinstance(truth, Comparison) and not {"fresh", "n", "cost_per_item", "value"} & options.keys():
        again = ask_again(truth.recipe, **{name: question.pop(name, None) for name in ("rope", "prob", "rule")})
        if "simulations" in question:  # users who say how many want them
            question["method"] = "simulation"
        answer(options, lambda: run_comparison(again).more_data(**question))
    else:
        answer(options, rw.plan, truth, **question)


def _budget(options: Options) -> Any:
    """Split a budget between items and runs."""
    require_options(options, ("components", "budget", "cost"))
    known = (*options_of(PlanQuestion), "scenario", "results", "fresh")
    idle = [name for name in known if name in options and name != "rng"]  # a shell always has a seed
    if idle:
        raise InvalidInputError(f"{flag_of(idle[0])} does not go with --components.", hint="leave it out.")
    prices = {name: parse_number(text, "--cost") for name, text in parse_pairs(options["cost"], "--cost").items()}
    return rw.plan(components=Path(options["components"]), budget=options["budget"], cost=prices)


def _about_labels(question: dict[str, Any]) -> dict[str, Any]:
    """Return what is asked about the worth of more labels, and refuse what it does not depend on."""
    judged = [name for name in question if name not in {"max_loss", "max_n", *options_of(RunOptions)}]
    if judged:
        raise InvalidInputError(
            f"{flag_of(judged[0])} does not go with --max-loss and --from: nothing is simulated or judged.",
            hint="leave it out.",
        )
    return {name: question[name] for name in ("max_loss", "max_n") if name in question}
