"""The command line: thin, and honest about what went wrong."""

from __future__ import annotations

import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, NoReturn, TypeVar

import typer

import ropewalk as rw
from ropewalk._shell import (
    in_shell,
    parse_draws,
    parse_prevalence,
    parse_rope,
    parse_texts,
    read_declared,
    stdin_as_file,
)
from ropewalk._write import write_file
from ropewalk.data.files import read_matrix
from ropewalk.data.labels import find_label
from ropewalk.errors import (
    CountsError,
    InvalidInputError,
    RopewalkError,
    RopewalkWarning,
)
from ropewalk.report import body, remark_lines
from ropewalk.report.escape import visible
from ropewalk.reproduce import PublishedRow, sigir2016
from ropewalk.results import Rendered

T = TypeVar("T")

app = typer.Typer(
    name="ropewalk",
    help="Is classifier A really better than classifier B? A posterior, a ROPE and a verdict.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

_File = Annotated[
    str | None,
    typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet, plain or gzipped; - is stdin."),
]
_Truth = Annotated[str | None, typer.Option("--truth", help="Column of true labels.")]
_PosLabel = Annotated[str | None, typer.Option("--pos-label", help="Positive class; the others are the rest.")]
_Rope = Annotated[str | None, typer.Option("--rope", help="Smallest difference that matters, or LOW,HIGH.")]
_Prob = Annotated[float, typer.Option("--prob", help="Mass of the HDI.")]
_Rule = Annotated[str, typer.Option("--rule", help="hdi or probability.")]
_Draws = Annotated[str, typer.Option("--draws", help="Number of draws, or auto.")]
_Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed; the same seed gives the same answer.")]
_Threads = Annotated[int, typer.Option("--threads", min=1, help="Threads to draw with.")]
_Id = Annotated[str | None, typer.Option("--id", help="Column of item ids.")]
_Missing = Annotated[str, typer.Option("--missing", help="Null labels: error, drop or wrong.")]
_Labels = Annotated[str | None, typer.Option("--labels", help="All classes, separated by commas.")]
_Prevalence = Annotated[
    str | None,
    typer.Option("--prevalence", help="Another class mix: P(positive), or one share a label, or label=share."),
]
_Cost = Annotated[str | None, typer.Option("--cost-matrix", help="File of costs for --metric cost.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_Markdown = Annotated[bool, typer.Option("--markdown", help="Print a Markdown table.")]
_Latex = Annotated[bool, typer.Option("--latex", help="Print a LaTeX table.")]
_Html = Annotated[str | None, typer.Option("--html", metavar="OUT", help="Also write an HTML page.")]


@app.callback(invoke_without_command=True)
def _root(
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,  # noqa: ARG001 - see main
) -> None:
    if version:
        typer.echo(f"ropewalk {rw.__version__}")
        raise typer.Exit


@app.command()
def compare(
    file: _File = None,
    truth: _Truth = None,
    a: Annotated[str | None, typer.Option("--a", help="Column of classifier A.")] = None,
    b: Annotated[str | None, typer.Option("--b", help="Column of classifier B.")] = None,
    metric: Annotated[str | None, typer.Option("--metric", help="Metric; f1 for two labels.")] = None,
    pos_label: _PosLabel = None,
    per_class: Annotated[bool, typer.Option("--per-class", help="Every class against the rest.")] = False,
    rope: _Rope = None,
    prob: _Prob = 0.95,
    rule: _Rule = "hdi",
    model: Annotated[str | None, typer.Option("--model", help="paired (default) or unpaired.")] = None,
    draws: _Draws = "auto",
    seed: _Seed = 0,
    threads: _Threads = 1,
    id_column: _Id = None,
    missing: _Missing = "error",
    labels: _Labels = None,
    prevalence: _Prevalence = None,
    cost_matrix: _Cost = None,
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
    as_json: _Json = False,
    markdown: _Markdown = False,
    latex: _Latex = False,
    html: _Html = None,
) -> None:
    """Compare two classifiers whose predictions are columns of FILE."""
    if per_class and pos_label is not None:
        raise InvalidInputError("--pos-label picks one class and --per-class takes them all; give one of the two.")
    show = _format(as_json, markdown, latex)
    _check_out(html, file, file_a, file_b, confusion_a, confusion_b, cost_matrix)
    options: dict[str, Any] = {
        "metric": metric, "rope": parse_rope(rope), "prob": prob, "rule": rule, "model": model,
        "draws": parse_draws(draws), "threads": threads, "rng": seed,
        "cost_matrix": None if cost_matrix is None else read_matrix(cost_matrix),
    }  # fmt: skip
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
        "unmatched": None if unmatched == "error" else unmatched,
    }  # fmt: skip
    needed = _needed(said, forms[given[0]][1])
    tables: tuple[rw.Outcomes, ...]
    if file is not None:
        _idle(said, given[0], ("prediction", "unmatched"))
        with stdin_as_file(file) as path:
            tables = (
                _reading(lambda: read_declared(labels, lambda declared: rw.read_outcomes(
                    path, truth=needed["truth"], predictions=[needed["a"], needed["b"]], id=id_column,
                    labels=declared, missing=missing,  # type: ignore[arg-type]
                ))),
            )  # fmt: skip
    elif file_a is not None:
        names = (a or Path(needed["file-a"]).stem, b or Path(needed["file-b"]).stem)
        tables = (
            _reading(lambda: read_declared(labels, lambda declared: rw.join_outcomes(
                needed["file-a"], needed["file-b"], id=needed["id"], truth=needed["truth"],
                prediction=needed["prediction"], names=names if names[0] != names[1] else ("A", "B"),
                labels=declared, missing=missing, unmatched=unmatched,  # type: ignore[arg-type]
            ))),
        )  # fmt: skip
    else:
        _idle(said, given[0], ("truth", "id", "prediction", "missing", "unmatched"))
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
    if per_class:
        _emit(_quietly(lambda: rw.compare_classes(*tables, **options)), show, html)
    else:
        positive = None if pos_label is None else find_label(pos_label, known, by_text=True)
        _emit(_quietly(lambda: rw.compare(*tables, pos_label=positive, **options)), show, html)


@app.command()
def evaluate(
    file: Annotated[str, typer.Argument(metavar="FILE", help="CSV, TSV, JSON lines or Parquet; - is stdin.")],
    truth: Annotated[str, typer.Option("--truth", help="Column of true labels.")],
    prediction: Annotated[str, typer.Option("--prediction", help="Column of predicted labels.")],
    metric: Annotated[str | None, typer.Option("--metric", help="Metrics, separated by commas.")] = None,
    at_least: Annotated[float | None, typer.Option("--at-least", help="A bar: P(score ≥ bar).")] = None,
    pos_label: _PosLabel = None,
    rope: _Rope = None,
    prob: _Prob = 0.95,
    rule: _Rule = "hdi",
    draws: _Draws = "auto",
    seed: _Seed = 0,
    threads: _Threads = 1,
    id_column: _Id = None,
    missing: _Missing = "error",
    labels: _Labels = None,
    prevalence: _Prevalence = None,
    cost_matrix: _Cost = None,
    as_json: _Json = False,
    markdown: _Markdown = False,
    latex: _Latex = False,
    html: _Html = None,
) -> None:
    """Evaluate one classifier whose predictions are a column of FILE."""
    show = _format(as_json, markdown, latex)
    _check_out(html, file, cost_matrix)
    costs = None if cost_matrix is None else read_matrix(cost_matrix)
    interval, number = parse_rope(rope), parse_draws(draws)
    with stdin_as_file(file) as path:
        table = _reading(lambda: read_declared(labels, lambda declared: rw.read_outcomes(
            path, truth=truth, predictions=prediction, id=id_column, labels=declared,
            missing=missing,  # type: ignore[arg-type]
        )))  # fmt: skip
    positive = None if pos_label is None else find_label(pos_label, table.labels, by_text=True)
    result = _quietly(lambda: rw.evaluate(
        table, metric=None if metric is None else [m.strip() for m in metric.split(",")], pos_label=positive,
        at_least=at_least, rope=interval, prob=prob, rule=rule, draws=number, rng=seed,  # type: ignore[arg-type]
        threads=threads, prevalence=parse_prevalence(prevalence, table.labels), cost_matrix=costs,
    ))  # fmt: skip
    _emit(result, show, html)


@app.command()
def demo(
    html: Annotated[str, typer.Option("--html", metavar="OUT", help="Where to write the page.")] = "ropewalk-demo.html",
    data: Annotated[
        str | None, typer.Option("--data", metavar="OUT", help="Also copy the predictions there, as a .csv.gz file.")
    ] = None,
    seed: _Seed = 0,
) -> None:
    """Compare two text classifiers on the bundled 20-newsgroups predictions."""
    news = rw.examples.news20()
    outcomes = news.outcomes.relabel(news.class_names)
    table = _quietly(lambda: rw.compare_classes(outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=seed))
    table.to_html(html)
    if data is not None:
        write_file(data, rw.examples.news20_path().read_bytes())
    typer.echo("Two text classifiers, naive Bayes (nb_mult) and a linear SVM (svm_l2), on 7,532 newsgroup posts.")
    typer.echo("For which newsgroups is one really better, if a difference of 0.05 in F1 is the least that matters?\n")
    motorcycles = table[news.class_names.index("rec.motorcycles")]
    typer.echo(f"One of them:\n\n{body(motorcycles)}\n")
    typer.echo(f"All of them, also in {visible(html)}:\n\n{body(table)}\n")
    settled = sum(comparison.conclusive for comparison in table)
    typer.echo(f"{settled} of {len(table)} classes are settled; for the others more data are needed.")


@app.command()
def reproduce(
    paper: Annotated[str, typer.Argument(metavar="PAPER", help="sigir2016")],
    draws: _Draws = "auto",
    seed: _Seed = 0,
    threads: _Threads = 1,
    as_json: _Json = False,
) -> None:
    """Print a paper's tables beside ours, from the bundled predictions."""
    if paper != "sigir2016":
        raise InvalidInputError(f"There is no paper {paper!r} to reproduce.", hint="choose from: sigir2016.")
    rows: list[PublishedRow] = _quietly(lambda: list(sigir2016(draws=parse_draws(draws), seed=seed, threads=threads)))
    agree = sum(row.agrees for row in rows)
    if as_json:
        told = {
            "schema": 1,
            "paper": paper,
            "agree": agree,
            "of": len(rows),
            "rows": [row.to_dict() for row in rows],
        }
        typer.echo(json.dumps(told, ensure_ascii=False, allow_nan=False, indent=2))
        return
    from ropewalk.report.papers import published_tables

    typer.echo(published_tables(rows))


def main() -> None:
    """Run the command line; a user's mistake is a sentence on stderr and an exit code, never a traceback."""
    debug = "--debug" in sys.argv
    arguments = [argument for argument in sys.argv[1:] if argument != "--debug"]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without ≈ shows \\u2248 instead of failing
            stream.reconfigure(errors="backslashreplace")
    try:
        app(arguments)
    except RopewalkError as error:
        if debug:
            traceback.print_exc()
        _fail(error)
    except MemoryError:
        _fail(InvalidInputError("There is not enough memory for this.", hint="ask for fewer --draws."))
    except BrokenPipeError:  # `| head` is no mistake
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _fail(error: RopewalkError) -> NoReturn:
    lines = [f"Error: {visible(in_shell(error.message))}"]
    if error.hint:
        lines.append(f"Hint: {visible(in_shell(error.hint))}")
    typer.echo("\n".join(lines), err=True)
    sys.exit(error.exit_code)


def _check_out(html: str | None, *inputs: str | None) -> None:
    """Refuse to write the page over the data it is about."""
    if html is None or not Path(html).exists():
        return
    for source in inputs:
        if source is not None and Path(source).exists() and Path(html).samefile(source):
            raise InvalidInputError(f"--html {html!r} would overwrite the data.", hint="name another file.")


def _emit(result: Rendered, show: Callable[[Rendered], str], html: str | None) -> None:
    """Print the result to stdout, what else there is to say to stderr."""
    if html is not None:
        result.to_html(html)
    typer.echo(show(result).rstrip("\n"))
    for line in remark_lines(result, ("Hint", "Warning")):
        typer.echo(line, err=True)


def _quietly(call: Callable[[], T]) -> T:
    """Run without Python's own warnings: the result carries them, and `_emit` prints them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RopewalkWarning)
        return call()


def _reading(call: Callable[[], T]) -> T:
    """Run what reads data, and say on stderr which items were left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RopewalkWarning)
        result = call()
    for warning in caught:
        typer.echo(f"Note     {visible(str(warning.message))}", err=True)
    return result


def _format(as_json: bool, markdown: bool, latex: bool) -> Callable[[Rendered], str]:
    if as_json + markdown + latex > 1:
        raise InvalidInputError("--json, --markdown and --latex exclude each other; give one.")
    if as_json:
        return lambda result: result.to_json()
    if markdown:
        return lambda result: result.to_markdown()
    if latex:
        return lambda result: result.to_latex()
    return lambda result: "\n".join([body(result), *remark_lines(result, ("Note",))])


def _needed(said: dict[str, str | None], names: tuple[str, ...]) -> dict[str, str]:
    """Return the options that this form of the command cannot do without."""
    absent = [f"--{name}" for name in names if said[name] is None]
    if absent:
        raise InvalidInputError(f"Missing option {', '.join(absent)}.", hint="ropewalk compare --help lists them.")
    return {name: value for name in names if (value := said[name]) is not None}


def _idle(said: dict[str, str | None], form: str, names: tuple[str, ...]) -> None:
    """Refuse options that this form of the command would pass over in silence."""
    for name in names:
        if said[name] is not None:
            raise InvalidInputError(f"--{name} does not go with {form}.", hint="leave it out.")


if __name__ == "__main__":
    main()
