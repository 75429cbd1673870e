"""The commands about test sets that nobody has labelled yet: power, plan, stopping."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

import ropewalk as rw
from ropewalk.cli import options as opt
from ropewalk.cli.shell import parse_numbers, parse_rope, parse_texts, stdin_as_file
from ropewalk.cli.terminal import INTERRUPTED, check_out, emit, output_format, quietly
from ropewalk.data.files import read_matrix
from ropewalk.data.labels import find_label
from ropewalk.data.tally import read_text
from ropewalk.errors import DataError, FileFormatError, InvalidInputError
from ropewalk.inference.comparison import run
from ropewalk.planning.posing import as_scenario, ask_again
from ropewalk.planning.words import from_json
from ropewalk.results import Comparison
from ropewalk.results.recipes import read_recipe
from ropewalk.text.names import shorten

Scenario = Annotated[
    str | None,
    typer.Argument(metavar="SCENARIO", help='JSON file, - for stdin, or words: "F1 .60 against .50 at agreement .7".'),
]
From = Annotated[
    str | None,
    typer.Option("--from", metavar="FILE", help="Instead of a scenario: results of compare --json."),
]
Goal = Annotated[str, typer.Option("--goal", help="'>>' (A better), '<<' (B better), '~' (equivalent) or conclusive.")]
Simulations = Annotated[int, typer.Option("--simulations", min=1, help="Simulated test sets.")]
Draws = Annotated[int, typer.Option("--draws", min=1, help="Draws from the posterior of each test set.")]
Jobs = Annotated[int | None, typer.Option("--n-jobs", help="Processes, through joblib, instead of threads.")]
Mass = Annotated[float | None, typer.Option("--prob", help="Mass of the HDI; 0.95 unless said.")]
Rule = Annotated[str | None, typer.Option("--rule", help="hdi or probability.")]


def power(
    scenario: Scenario = None,
    results: From = None,
    n: Annotated[str | None, typer.Option("--n", help="Numbers of items, separated by commas.")] = None,
    goal: Goal = "conclusive",
    rope: opt.Rope = None,
    metric: opt.Metric = None,
    model: opt.Model = None,
    pos_label: opt.PosLabel = None,
    classes: opt.Classes = None,
    cost_matrix: opt.Cost = None,
    prob: Mass = None,
    rule: Rule = None,
    simulations: Simulations = 1_000,
    draws: Draws = 2_000,
    seed: opt.Seed = 0,
    threads: opt.Threads = 1,
    n_jobs: Jobs = None,
    as_json: opt.Json = False,
    markdown: opt.Markdown = False,
    latex: opt.Latex = False,
    html: opt.Html = None,
) -> None:
    """Simulate how often test sets of given sizes would reach a goal, if a scenario or what a result says is true."""
    show = output_format(as_json=as_json, markdown=markdown, latex=latex)
    check_out(html, results, cost_matrix)
    if n is None:
        raise InvalidInputError("Missing option --n: for how many items?", hint="--n 500,1000,2000")
    sizes = _sizes(n)
    truth, asked = _truth(scenario, results, metric, model, pos_label, classes, cost_matrix)
    result = quietly(lambda: rw.power(
        truth, sizes, goal=goal, rope=parse_rope(rope), prob=prob, rule=rule, simulations=simulations,  # type: ignore[arg-type]
        draws=draws, rng=seed, threads=threads, n_jobs=n_jobs, **asked,
    ))  # fmt: skip
    _finish(result, show, html)


def plan(
    scenario: Scenario = None,
    results: From = None,
    goal: Goal = "conclusive",
    rope: opt.Rope = None,
    wanted: Annotated[float, typer.Option("--power", help="How often the goal is to be reached.")] = 0.8,
    n: Annotated[
        int | None, typer.Option("--n", help="Ask for the smallest difference that so many items find.")
    ] = None,
    cost_per_item: Annotated[float | None, typer.Option("--cost-per-item", help="What a label costs, …")] = None,
    value: Annotated[float | None, typer.Option("--value", help="… and what reaching the goal is worth.")] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="With --from: a new test set, instead of more items beside the old ones.")
    ] = False,
    max_n: Annotated[int, typer.Option("--max-n", help="Where to give up.")] = 10_000_000,
    metric: opt.Metric = None,
    model: opt.Model = None,
    pos_label: opt.PosLabel = None,
    classes: opt.Classes = None,
    cost_matrix: opt.Cost = None,
    prob: Mass = None,
    rule: Rule = None,
    simulations: Annotated[
        int | None,
        typer.Option("--simulations", min=1, help="Simulated test sets: 4,000 in all; of more items, 1,000 each."),
    ] = None,
    draws: Draws = 2_000,
    seed: opt.Seed = 0,
    threads: opt.Threads = 1,
    n_jobs: Jobs = None,
    as_json: opt.Json = False,
    markdown: opt.Markdown = False,
    latex: opt.Latex = False,
    html: opt.Html = None,
) -> None:
    """Find the smallest test set that reaches a goal; or the smallest difference, the best value, the items to add."""
    show = output_format(as_json=as_json, markdown=markdown, latex=latex)
    check_out(html, results, cost_matrix)
    truth, asked = _truth(scenario, results, metric, model, pos_label, classes, cost_matrix)
    how: dict[str, Any] = {
        "goal": goal, "max_n": max_n, "draws": draws, "rng": seed, "threads": threads, "n_jobs": n_jobs,
        **({} if simulations is None else {"simulations": simulations}),
    }  # fmt: skip
    if isinstance(truth, Comparison) and not fresh and n is None and cost_per_item is None and value is None:
        again = ask_again(truth.recipe, rope=parse_rope(rope), prob=prob, rule=rule)
        if simulations is not None:  # whoever says how many wants them
            how["method"] = "simulation"
        _finish(quietly(lambda: run(again).more_data(target=wanted, **how)), show, html)
        return
    if fresh and results is None:
        raise InvalidInputError("--fresh is about a new test set given --from results.", hint="leave it out.")
    result = quietly(lambda: rw.plan(
        truth, rope=parse_rope(rope), power=wanted, n=n, cost_per_item=cost_per_item, value=value, prob=prob,
        rule=rule, **how, **asked,  # type: ignore[arg-type]
    ))  # fmt: skip
    _finish(result, show, html)


def stopping(
    scenario: Scenario = None,
    results: From = None,
    width: Annotated[
        float | None, typer.Option("--width", help="Stop when the HDI is narrower: half the ROPE.")
    ] = None,
    conclusive: Annotated[bool, typer.Option("--conclusive", help="Stop when conclusive instead.")] = False,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Items labelled between two looks.")] = 100,
    min_n: Annotated[int, typer.Option("--min-n", min=1, help="Items before the first look.")] = 100,
    max_n: Annotated[int, typer.Option("--max-n", min=1, help="Items at most.")] = 10_000,
    goal: Goal = "conclusive",
    rope: opt.Rope = None,
    metric: opt.Metric = None,
    model: opt.Model = None,
    pos_label: opt.PosLabel = None,
    classes: opt.Classes = None,
    cost_matrix: opt.Cost = None,
    prob: Mass = None,
    rule: Rule = None,
    simulations: Simulations = 1_000,
    draws: Draws = 2_000,
    seed: opt.Seed = 0,
    threads: opt.Threads = 1,
    n_jobs: Jobs = None,
    as_json: opt.Json = False,
    markdown: opt.Markdown = False,
    latex: opt.Latex = False,
    html: opt.Html = None,
) -> None:
    """Simulate a rule for stopping to label: how many items it takes, and how often it errs."""
    show = output_format(as_json=as_json, markdown=markdown, latex=latex)
    check_out(html, results, cost_matrix)
    stop = rw.StopWhen(width=width, conclusive=conclusive, min_n=min_n, max_n=max_n)
    truth, asked = _truth(scenario, results, metric, model, pos_label, classes, cost_matrix)
    result = quietly(lambda: rw.stopping(
        truth, stop, batch=batch, goal=goal, rope=parse_rope(rope), prob=prob, rule=rule,  # type: ignore[arg-type]
        simulations=simulations, draws=draws, rng=seed, threads=threads, n_jobs=n_jobs, **asked,
    ))  # fmt: skip
    _finish(result, show, html)


def _finish(result: Any, show: Any, html: str | None) -> None:
    """Print the answer; one that somebody stopped early is printed too, and says so by its exit code."""
    emit(result, show, html)
    if result.partial:
        raise typer.Exit(INTERRUPTED)


def _sizes(text: str) -> list[int]:
    numbers = parse_numbers(text, "--n")
    for number in numbers:
        if not number.is_integer():
            raise InvalidInputError(f"--n takes whole numbers of items; got {number:g}.")
    return [int(number) for number in numbers]


def _truth(
    scenario: str | None,
    results: str | None,
    metric: str | None,
    model: str | None,
    pos_label: str | None,
    classes: str | None,
    cost_matrix: str | None,
) -> tuple[Any, dict[str, Any]]:
    """Return a scenario, or a comparison to draw truths from, and what else was said about the question."""
    if (scenario is None) == (results is None):
        raise InvalidInputError(
            "Give a SCENARIO or --from results, and not both.",
            hint="ropewalk power 'F1 .60 against .50 at agreement .7' --n 500,1000 --goal '>>' --rope 0.05",
        )
    costs = None if cost_matrix is None else read_matrix(cost_matrix)
    if results is not None:
        given = {"--metric": metric, "--model": model, "--classes": classes, "--cost-matrix": cost_matrix}
        for name, value in given.items():
            if value is not None:
                raise InvalidInputError(f"Results have their own question: {name} does not go with --from.")
        return _comparison(results, pos_label), {}
    assert scenario is not None  # noqa: S101
    found = _scenario(scenario)
    labels = found.joint.labels
    return found, {
        "metric": metric,
        "model": model,
        "pos_label": None if pos_label is None else find_label(pos_label, labels, by_text=True),
        "classes": None
        if classes is None
        else [find_label(c, labels, by_text=True) for c in parse_texts(classes, "--classes")],
        "cost_matrix": costs,
    }


def _scenario(text: str) -> Any:
    """Read a scenario from a file, or from words where there is no such file."""
    if not text.strip():
        return as_scenario(text)
    looks_like_a_file = text == "-" or text.lower().endswith(".json") or Path(text).exists()
    if not looks_like_a_file:
        return as_scenario(text)
    with stdin_as_file(text) as path:
        content = read_text(path).removeprefix("\ufeff")  # which Windows puts first
    try:
        return from_json(content)
    except InvalidInputError as error:  # what only the file shows is bad data
        raise error if isinstance(error, DataError) else FileFormatError(error.message, hint=error.hint) from error


def _comparison(path: str, pos_label: str | None) -> Comparison:
    """Read a comparison that was written as JSON, and make it anew."""
    with stdin_as_file(path) as file:
        try:
            told = json.loads(read_text(file).removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            raise FileFormatError(f"{path!r} is no JSON: {error}.") from error
    if isinstance(told, dict) and isinstance(told.get("classes"), list) and "delta" not in told:
        told = _of_class(told["classes"], pos_label)
    elif pos_label is not None:
        raise InvalidInputError("--pos-label picks a class of results made with --per-class.", hint="leave it out.")
    return quietly(lambda: run(read_recipe(told)))


def _of_class(classes: list[Any], pos_label: str | None) -> Any:
    found = [one for one in classes if isinstance(one, dict) and one.get("pos_label") == pos_label]
    if not found:
        raise InvalidInputError(
            f"The results are of {len(classes)} classes; --pos-label must name one of them.",
            hint=f"there are: {shorten(one.get('pos_label') for one in classes if isinstance(one, dict))}.",
        )
    return found[0]
