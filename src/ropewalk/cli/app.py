"""The command line: thin, and honest about what went wrong."""

from __future__ import annotations

import os
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

import ropewalk as rw
from ropewalk._progress import shown
from ropewalk.cli import options as opt
from ropewalk.cli.bundled import demo, reproduce
from ropewalk.cli.inputs import named_classes, needed_truth, read_table
from ropewalk.cli.planning import plan, power, stopping
from ropewalk.cli.score_inputs import of_scores, on_scores
from ropewalk.cli.shell import parse_draws, parse_prevalence, parse_rope, parse_texts, read_declared
from ropewalk.cli.terminal import INTERRUPTED, check_out, emit, fail, idle, output_format, quietly, reading, require
from ropewalk.data.files import read_matrix
from ropewalk.data.labels import find_label
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.errors import CountsError, InvalidInputError, RopewalkError
from ropewalk.mcmc.sampler import parse_engine


class _Interruptible(TyperGroup):
    """Commands that say so if somebody stops them."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            typer.echo("\nInterrupted: there is no answer, and no file was left half-written.", err=True)
            ctx.exit(INTERRUPTED)


app = typer.Typer(
    name="ropewalk",
    cls=_Interruptible,
    help="Is classifier A really better than classifier B? A posterior, a ROPE and a verdict.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,  # noqa: ARG001 - see main
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress of long work.")] = False,  # noqa: ARG001 - see main
) -> None:
    if version:
        typer.echo(f"ropewalk {rw.__version__}")
        raise typer.Exit


@app.command()
def compare(
    context: typer.Context,
    file: opt.File = None,
    truth: opt.Truth = None,
    a: Annotated[str | None, typer.Option("--a", help="Column of classifier A.")] = None,
    b: Annotated[str | None, typer.Option("--b", help="Column of classifier B.")] = None,
    metric: opt.Metric = None,
    classes: opt.Classes = None,
    pos_label: opt.PosLabel = None,
    per_class: Annotated[bool, typer.Option("--per-class", help="Every class against the rest.")] = False,
    rope: opt.Rope = None,
    prob: opt.Prob = 0.95,
    rule: opt.Rule = "hdi",
    model: opt.Model = None,
    engine: opt.Engine = "auto",
    step: opt.Step = None,
    chains: opt.Chains = None,
    tune: opt.Tune = None,
    draws: opt.Draws = "auto",
    seed: opt.Seed = 0,
    threads: opt.Threads = 1,
    id_column: opt.Id = None,
    cluster: opt.Cluster = None,
    scores: opt.Scores = False,  # noqa: ARG001 - see of_scores
    lower: opt.Lower = False,  # noqa: ARG001 - see of_scores
    missing: opt.Missing = "error",
    labels: opt.Labels = None,
    prevalence: opt.Prevalence = None,
    cost_matrix: opt.Cost = None,
    item: opt.Item = None,
    label: opt.OneLabel = None,
    n_items: opt.NItems = None,
    file_a: Annotated[str | None, typer.Option("--file-a", help="A's own file, joined by --id.")] = None,
    file_b: Annotated[str | None, typer.Option("--file-b", help="B's own file, joined by --id.")] = None,
    prediction: Annotated[
        str | None, typer.Option("--prediction", help="Column of predictions in --file-a and --file-b.")
    ] = None,
    unmatched: Annotated[str, typer.Option("--unmatched", help="Ids of one file only: error or drop.")] = "error",
    confusion_a: Annotated[
        str | None,
        typer.Option("--confusion-a", help="A's confusion matrix: integers, rows = truth, no header."),
    ] = None,
    confusion_b: Annotated[str | None, typer.Option("--confusion-b", help="B's confusion matrix.")] = None,
    tests: Annotated[bool, typer.Option("--tests", help="Put the papers' classical tests beside it.")] = False,
    as_json: opt.Json = False,
    markdown: opt.Markdown = False,
    latex: opt.Latex = False,
    html: opt.Html = None,
) -> None:
    """Compare two classifiers whose predictions are columns of FILE."""
    if per_class and pos_label is not None:
        raise InvalidInputError("--pos-label picks one class and --per-class takes them all; give one of the two.")
    show = output_format(as_json=as_json, markdown=markdown, latex=latex)
    check_out(html, file, file_a, file_b, confusion_a, confusion_b, cost_matrix)
    if of_scores(context):
        emit(on_scores(context, rw.compare, [a, b]), show, html)
        return
    options: dict[str, Any] = {
        "tests": tests, "metric": metric, "rope": parse_rope(rope), "prob": prob, "rule": rule, "model": model,
        "engine": parse_engine(engine, step, chains, tune),
        "draws": parse_draws(draws), "threads": threads, "rng": seed,
        "cost_matrix": None if cost_matrix is None else read_matrix(cost_matrix),
    }  # fmt: skip
    many = (item, label, n_items)
    forms = {
        "FILE": ((file,), ("truth", "a", "b")),
        "--file-a and --file-b": ((file_a, file_b), ("file-a", "file-b", "id", "truth", "prediction")),
        "--confusion-a and --confusion-b": ((confusion_a, confusion_b), ("confusion-a", "confusion-b")),
    }
    given = [name for name, (values, _) in forms.items() if any(value is not None for value in values)]
    if len(given) != 1:
        raise InvalidInputError(
            f"Give exactly one of {', '.join(forms)}; got {', '.join(given) or 'none'}.",
            hint="ropewalk compare FILE --truth COL --a COL --b COL --rope 0.01",
        )
    said = {
        "truth": truth, "a": a, "b": b, "id": id_column, "prediction": prediction, "file-a": file_a, "file-b": file_b,
        "confusion-a": confusion_a, "confusion-b": confusion_b, "missing": None if missing == "error" else missing,
        "unmatched": None if unmatched == "error" else unmatched, "item": item, "label": label, "cluster": cluster,
        "n-items": None if n_items is None else str(n_items),
    }  # fmt: skip
    needed = require(said, forms[given[0]][1])
    tables: tuple[AnyOutcomes, ...]
    if file is not None:
        idle(said, given[0], ("prediction", "unmatched"))
        columns = [needed["a"], needed["b"]]
        tables = (read_table(
            file, needed["truth"], columns, labels, id_column=id_column, missing=missing, many=many, cluster=cluster
        ),)  # fmt: skip
    elif file_a is not None:
        idle(said, given[0], ("item", "label", "n-items"))
        names = (a or Path(needed["file-a"]).stem, b or Path(needed["file-b"]).stem)
        tables = (
            reading(lambda: read_declared(labels, lambda declared: rw.join_outcomes(
                needed["file-a"], needed["file-b"], id=needed["id"], truth=needed["truth"],
                prediction=needed["prediction"], names=names if names[0] != names[1] else ("A", "B"),
                labels=declared, missing=missing, unmatched=unmatched, cluster=cluster,  # type: ignore[arg-type]
            ))),
        )  # fmt: skip
    else:
        nothing = ("truth", "id", "prediction", "missing", "unmatched", "item", "label", "n-items", "cluster")
        idle(said, given[0], nothing)
        matrices = [read_matrix(needed[name]) for name in ("confusion-a", "confusion-b")]
        if len(matrices[0]) != len(matrices[1]):
            raise CountsError(
                f"The two confusion matrices have {len(matrices[0])} and {len(matrices[1])} rows.",
                hint="both classifiers are judged on the same classes; an absent one has a row of zeros.",
            )
        declared = None if labels is None else parse_texts(labels, "--labels")
        tables = tuple(
            rw.Outcomes.from_confusion(matrix, labels=declared, name=name)
            for matrix, name in zip(matrices, (a or "A", b or "B"), strict=True)
        )
    known = tables[0].labels
    options["prevalence"] = parse_prevalence(prevalence, known)
    options["classes"] = named_classes(classes, known)
    if per_class:
        emit(quietly(lambda: rw.compare_classes(*tables, **options)), show, html)
    else:
        positive = None if pos_label is None else find_label(pos_label, known, by_text=True)
        emit(quietly(lambda: rw.compare(*tables, pos_label=positive, **options)), show, html)


@app.command()
def evaluate(
    context: typer.Context,
    file: opt.OneFile,
    prediction: Annotated[str, typer.Option("--prediction", help="Column of predicted labels, or of scores.")],
    truth: opt.Truth = None,
    metric: Annotated[str | None, typer.Option("--metric", help="Metrics, separated by commas.")] = None,
    classes: opt.Classes = None,
    at_least: Annotated[float | None, typer.Option("--at-least", help="A bar: P(score ≥ bar).")] = None,
    pos_label: opt.PosLabel = None,
    rope: opt.Rope = None,
    prob: opt.Prob = 0.95,
    rule: opt.Rule = "hdi",
    draws: opt.Draws = "auto",
    seed: opt.Seed = 0,
    threads: opt.Threads = 1,
    id_column: opt.Id = None,
    cluster: opt.Cluster = None,
    scores: opt.Scores = False,  # noqa: ARG001 - see of_scores
    lower: opt.Lower = False,  # noqa: ARG001 - see of_scores
    missing: opt.Missing = "error",
    labels: opt.Labels = None,
    prevalence: opt.Prevalence = None,
    cost_matrix: opt.Cost = None,
    model: opt.Model = None,
    engine: opt.Engine = "auto",
    step: opt.Step = None,
    chains: opt.Chains = None,
    tune: opt.Tune = None,
    item: opt.Item = None,
    label: opt.OneLabel = None,
    n_items: opt.NItems = None,
    as_json: opt.Json = False,
    markdown: opt.Markdown = False,
    latex: opt.Latex = False,
    html: opt.Html = None,
) -> None:
    """Evaluate one classifier whose predictions are a column of FILE."""
    show = output_format(as_json=as_json, markdown=markdown, latex=latex)
    check_out(html, file, cost_matrix)
    costs = None if cost_matrix is None else read_matrix(cost_matrix)
    interval, number = parse_rope(rope), parse_draws(draws)
    many = (item, label, n_items)
    if of_scores(context):
        metrics = [m.strip() for m in (metric or ("roc_auc" if cost_matrix is None else "cost")).split(",")]
        emit(on_scores(context, rw.evaluate, [prediction], metric=metrics, at_least=at_least), show, html)
        return
    table = read_table(
        file, needed_truth(truth), [prediction], labels, id_column=id_column, missing=missing, many=many,
        cluster=cluster,
    )  # fmt: skip
    positive = None if pos_label is None else find_label(pos_label, table.labels, by_text=True)
    result = quietly(lambda: rw.evaluate(
        table, metric=None if metric is None else [m.strip() for m in metric.split(",")], pos_label=positive,
        at_least=at_least, rope=interval, prob=prob, rule=rule, draws=number, rng=seed,  # type: ignore[arg-type]
        threads=threads, prevalence=parse_prevalence(prevalence, table.labels), cost_matrix=costs, model=model,
        engine=parse_engine(engine, step, chains, tune),  # type: ignore[arg-type]
        classes=named_classes(classes, table.labels),
    ))  # fmt: skip
    emit(result, show, html)


@app.command()
def rank(
    context: typer.Context,
    file: opt.OneFile,
    predictions: Annotated[str, typer.Option("--predictions", help="Columns of predictions, separated by commas.")],
    truth: opt.Truth = None,
    metric: opt.Metric = None,
    classes: opt.Classes = None,
    pos_label: opt.PosLabel = None,
    rope: opt.Rope = None,
    prob: opt.Prob = 0.95,
    rule: opt.Rule = "hdi",
    model: opt.Model = None,
    engine: opt.Engine = "auto",
    step: opt.Step = None,
    chains: opt.Chains = None,
    tune: opt.Tune = None,
    draws: opt.Draws = "auto",
    seed: opt.Seed = 0,
    threads: opt.Threads = 1,
    id_column: opt.Id = None,
    cluster: opt.Cluster = None,
    scores: opt.Scores = False,  # noqa: ARG001 - see of_scores
    lower: opt.Lower = False,  # noqa: ARG001 - see of_scores
    missing: opt.Missing = "error",
    labels: opt.Labels = None,
    prevalence: opt.Prevalence = None,
    cost_matrix: opt.Cost = None,
    item: opt.Item = None,
    label: opt.OneLabel = None,
    n_items: opt.NItems = None,
    as_json: opt.Json = False,
    markdown: opt.Markdown = False,
    latex: opt.Latex = False,
    html: opt.Html = None,
) -> None:
    """Rank two or more classifiers whose predictions are columns of FILE."""
    show = output_format(as_json=as_json, markdown=markdown, latex=latex)
    check_out(html, file, cost_matrix)
    costs = None if cost_matrix is None else read_matrix(cost_matrix)
    interval, number, columns = parse_rope(rope), parse_draws(draws), parse_texts(predictions, "--predictions")
    if len(columns) < 2:  # noqa: PLR2004
        raise InvalidInputError(
            f"A ranking needs at least two classifiers; --predictions names {len(columns)}.",
            hint="ropewalk evaluate looks at one.",
        )
    many = (item, label, n_items)
    if of_scores(context):
        emit(on_scores(context, rw.rank, columns), show, html)
        return
    table = read_table(
        file, needed_truth(truth), columns, labels, id_column=id_column, missing=missing, many=many, cluster=cluster
    )
    result = quietly(lambda: rw.rank(
        table, metric=metric, classes=named_classes(classes, table.labels),
        pos_label=None if pos_label is None else find_label(pos_label, table.labels, by_text=True),
        rope=interval, prob=prob, rule=rule, model=model, draws=number, rng=seed, threads=threads,  # type: ignore[arg-type]
        prevalence=parse_prevalence(prevalence, table.labels), cost_matrix=costs,
        engine=parse_engine(engine, step, chains, tune),  # type: ignore[arg-type]
    ))  # fmt: skip
    emit(result, show, html)


@app.command("test")
def run_tests(
    file: opt.OneFile,
    truth: opt.NeededTruth,
    a: Annotated[str, typer.Option("--a", help="Column of classifier A.")],
    b: Annotated[str, typer.Option("--b", help="Column of classifier B.")],
    pos_label: opt.PosLabel = None,
    metric: Annotated[str | None, typer.Option("--metric", help="Add a permutation test of this metric.")] = None,
    classes: opt.Classes = None,
    cost_matrix: opt.Cost = None,
    permutations: Annotated[
        int | None, typer.Option("--permutations", help="How many the permutation test draws; 10,000 unless said.")
    ] = None,
    seed: opt.Seed = 0,
    id_column: opt.Id = None,
    missing: opt.Missing = "error",
    labels: opt.Labels = None,
    item: opt.Item = None,
    label: opt.OneLabel = None,
    n_items: opt.NItems = None,
    as_json: opt.Json = False,
    markdown: opt.Markdown = False,
    latex: opt.Latex = False,
    html: opt.Html = None,
) -> None:
    """Run the classical tests on two classifiers whose predictions are columns of FILE."""
    show = output_format(as_json=as_json, markdown=markdown, latex=latex)
    check_out(html, file, cost_matrix)
    if permutations is not None and metric is None and cost_matrix is None:
        raise InvalidInputError("--permutations is about the permutation test of a metric.", hint="name a --metric.")
    costs = None if cost_matrix is None else read_matrix(cost_matrix)
    many = (item, label, n_items)
    table = read_table(file, truth, [a, b], labels, id_column=id_column, missing=missing, many=many)
    positive = None if pos_label is None else find_label(pos_label, table.labels, by_text=True)
    result = quietly(lambda: rw.classical.battery(
        table, metric=metric, classes=named_classes(classes, table.labels), cost_matrix=costs,
        permutations=10_000 if permutations is None else permutations, rng=seed, pos_label=positive,
    ))  # fmt: skip
    emit(result, show, html)


app.command()(power)
app.command()(plan)
app.command()(stopping)
app.command()(demo)
app.command()(reproduce)


def main() -> None:
    """Run the command line; a user's mistake is a sentence on stderr and an exit code, never a traceback."""
    debug, quiet = "--debug" in sys.argv, "--quiet" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument not in {"--debug", "--quiet"}]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without ≈ shows \\u2248 instead of failing
            stream.reconfigure(errors="backslashreplace")
    try:
        with shown(progress=False if quiet else None):
            app(arguments)
    except RopewalkError as error:
        if debug:
            traceback.print_exc()
        fail(error)
    except MemoryError:
        fail(InvalidInputError("There is not enough memory for this.", hint="ask for fewer --draws."))
    except BrokenPipeError:  # `| head` is no mistake
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


if __name__ == "__main__":
    main()
