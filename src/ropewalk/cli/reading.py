"""From what the shell names to tables, scores, scenarios and the questions about them."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict, TypeVar

import ropewalk as rw
from ropewalk.cli.output import OutputOptions, quietly, with_notes
from ropewalk.data.files import format_names, read_matrix
from ropewalk.data.inputs import guess_kind
from ropewalk.data.labels import find_label
from ropewalk.data.tally import read_text
from ropewalk.errors import (
    DataError,
    FileFormatError,
    InvalidInputError,
    LabelTypeError,
    RopewalkError,
    UnreadableFileError,
)
from ropewalk.inference.answers import run_comparison
from ropewalk.mcmc.sampler import parse_engine
from ropewalk.metrics.resolve import metric_kind
from ropewalk.planning.posing import as_scenario, from_json
from ropewalk.results import Comparison
from ropewalk.results.base import read_recipe
from ropewalk.results.options import DataOptions, Option, options_of, parse_numbers, parse_texts
from ropewalk.text.writing import shorten

T = TypeVar("T")
Options = Mapping[str, Any]

_SAMPLER: Final = ("step", "chains", "tune")
_LABELS_ONLY: Final = (
    "classes", "per_class", "model", "missing", "prevalence", "item", "label", "n_items", "file_a", "file_b",
    "confusion_a", "confusion_b", "engine", *_SAMPLER,
)  # fmt: skip


FILE: Final = partial(
    Option,
    group="Data",
    help=f"{format_names('or')}, plain or gzipped; - is stdin.",
    flag="FILE",
    is_input=True,
)


class FileOption(TypedDict, total=False):
    """The table."""

    file: Annotated[str, FILE(required=True)]


class LongTableOptions(TypedDict, total=False):
    """A table of one row per item and label."""

    item: Annotated[str, Option(group="Data", help="Multi-label: column of items, with --label.")]
    label: Annotated[str, Option(group="Data", help="Multi-label: column of labels; the others hold 0 and 1.")]
    n_items: Annotated[int, Option(group="Data", help="Multi-label: how many items there were in all.", parse=int)]


class VerbOptions(LongTableOptions, total=False):
    """What `compare`, `evaluate` and `rank` say otherwise than in Python."""

    lower_is_better: Annotated[bool, Option(group="Question", help="With --metric mean: less is better.", parse=bool)]
    step: Annotated[str, Option(group="Model", help="With --engine pymc: nuts (default) or metropolis.")]
    chains: Annotated[
        int, Option(group="Model", help="With --engine pymc: how many; 4, or 1 for metropolis.", parse=int)
    ]
    tune: Annotated[int, Option(group="Model", help="With --engine pymc: steps to tune and throw away.", parse=int)]


class ScenarioOptions(OutputOptions, total=False):
    """What is true of test sets to come, and the form of the answer."""

    scenario: Annotated[
        str,
        Option(
            group="Data",
            help='JSON file, - for stdin, or words: "F1 .60 against .50 at agreement .7".',
            flag="SCENARIO",
            is_input=True,
        ),
    ]
    results: Annotated[
        str,
        Option(
            group="Data",
            help="Instead of a scenario: results of compare --json.",
            flag="--from",
            metavar="FILE",
            is_input=True,
        ),
    ]


def flag_of(name: str) -> str:
    """Return an option as the shell spells it."""
    return f"--{name.replace('_', '-')}"


def select(options: Options, kind: type) -> dict[str, Any]:
    """Return those options that `kind` holds."""
    known = options_of(kind)
    return {name: value for name, value in options.items() if name in known}


def questions(options: Options, kind: type, labels: Sequence[Any]) -> dict[str, Any]:
    """Return what a function that takes `kind` is asked about data that have been read: texts become labels."""
    asked = {name: value for name, value in select(options, kind).items() if name not in options_of(DataOptions)}
    if "pos_label" in asked:
        asked["pos_label"] = find_label(asked["pos_label"], labels, by_text=True)
    if "classes" in asked:
        asked["classes"] = [find_label(name, labels, by_text=True, what="classes") for name in asked["classes"]]
    if "prevalence" in asked:
        asked["prevalence"] = _prevalence(asked["prevalence"], labels)
    if "cost_matrix" in asked:
        asked["cost_matrix"] = read_matrix(asked["cost_matrix"])
    if "lower_is_better" in options:
        asked["higher_is_better"] = False
    if any(name in options for name in _SAMPLER):
        asked["engine"] = parse_engine(options.get("engine", "auto"), *map(options.get, _SAMPLER))
    return asked


def _prevalence(text: str, labels: Sequence[Any]) -> Any:
    """Read P(positive), shares in label order, or label=share pairs."""
    if "=" in text:
        pairs = [part.rpartition("=") for part in parse_texts(text, "--prevalence")]
        return {
            find_label(name, labels, by_text=True, what="prevalence"): parse_numbers(share, "--prevalence")[0]
            for name, _, share in pairs
        }
    numbers = parse_numbers(text, "--prevalence")
    return numbers[0] if len(numbers) == 1 else numbers


def read_file(options: Options, columns: Sequence[str]) -> Any:
    """Read columns of FILE: of scores if the metric is of scores, else of labels."""
    with _as_file(options["file"]) as path:
        if _are_scores(options, path, columns):
            _refuse_labels(options)
            return with_notes(lambda: rw.ItemScores.read(
                path, truth=options.get("truth"), predictions=columns,
                **{name: options.get(name) for name in ("labels", "cluster", "id")},
            ))  # fmt: skip
        if "lower_is_better" in options:
            raise InvalidInputError("--lower-is-better is about scores.", hint="add --metric mean.")
        if "truth" not in options:
            raise InvalidInputError("Missing option --truth.", hint="name the column of true labels.")
        long = {name: options[name] for name in ("item", "label", "n_items") if name in options}
        common = {"truth": options["truth"], "predictions": columns, "cluster": options.get("cluster")}
        if not long:
            return with_notes(lambda: read_declared(options, lambda labels: rw.read_outcomes(
                path, id=options.get("id"), labels=labels, missing=options.get("missing", "error"), **common
            )))  # fmt: skip
        if "item" not in long or "label" not in long:
            raise InvalidInputError(
                "--item and --label go together: a long table has one row per item and label.", hint="give both."
            )
        if "id" in options or "missing" in options:
            raise InvalidInputError("--id and --missing do not go with --item.", hint="leave them out.")
        return with_notes(
            lambda: read_declared(options, lambda labels: rw.read_multilabel(path, labels=labels, **long, **common))
        )


def _are_scores(options: Options, path: str, columns: Sequence[str]) -> bool:
    """Whether columns hold scores: as the metric says, and for costs, which are of either, as their numbers look."""
    metric = options.get("metric")
    kinds = {metric_kind(name) for name in ([metric] if metric is None or isinstance(metric, str) else metric)}
    if "threshold" in options or "scores" in kinds:
        return True
    costs = metric is not None or "cost_matrix" in options
    return costs and kinds == {None} and guess_kind([path], columns) == "scores"


def _refuse_labels(options: Options) -> None:
    """Refuse options that are about labels alone, where the metric is of scores."""
    for name in _LABELS_ONLY:
        if name in options:
            raise InvalidInputError(
                f"{flag_of(name)} is about labels, and the metric is of scores.", hint="leave one out."
            )


def read_declared(options: Options, read_with: Callable[[list[Any] | None], T]) -> T:
    """Read with the declared labels; a shell knows only text, so take it as the type that the file has."""
    texts = options.get("labels")
    try:
        return read_with(texts)
    except LabelTypeError:
        for convert in ({"True": True, "False": False}.__getitem__, int):
            try:
                typed = [convert(text) for text in texts or ()]
            except (KeyError, ValueError):
                continue
            if typed:
                return read_with(typed)
        raise


@contextmanager
def _as_file(file: str) -> Iterator[str]:
    """Yield the path of FILE; for - that of a temporary copy of standard input, since formats need to be looked at."""
    if file != "-":
        yield file
        return
    if sys.stdin is None:
        raise UnreadableFileError("There is no standard input to read.")
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "stdin")  # noqa: PTH118 - the message below looks for this very text
        with open(copy, "wb") as handle:  # noqa: PTH123
            shutil.copyfileobj(sys.stdin.buffer, handle)
        try:
            yield copy
        except RopewalkError as error:
            message = error.message.replace(repr(copy), "standard input")
            raise type(error)(message, hint=error.hint) from error


def read_truth(options: Options, kind: type) -> tuple[Any, dict[str, Any]]:
    """Return a scenario, or a comparison to draw truths from, and what is asked about it."""
    if ("scenario" in options) == ("results" in options):
        raise InvalidInputError(
            "Give a SCENARIO or --from results, and not both.",
            hint="ropewalk power 'F1 .60 against .50 at agreement .7' --n 500,1000 --goal '>>' --rope 0.05",
        )
    if "scenario" in options:
        scenario = _scenario(options["scenario"])
        return scenario, questions(options, kind, scenario.joint.labels)
    for name in ("metric", "model", "classes", "cost_matrix"):
        if name in options:
            raise InvalidInputError(f"Results have their own question: {flag_of(name)} does not go with --from.")
    asked = {name: value for name, value in options.items() if name != "pos_label"}
    return _comparison(options["results"], options.get("pos_label")), questions(asked, kind, ())


def _scenario(text: str) -> Any:
    """Read a scenario from a file, or from words where there is no such file."""
    is_file = text == "-" or text.lower().endswith(".json") or (bool(text.strip()) and Path(text).exists())
    if not is_file:
        return as_scenario(text)
    with _as_file(text) as path:
        content = read_text(path).removeprefix("\ufeff")  # which Windows puts first
    try:
        return from_json(content)
    except InvalidInputError as error:  # what only the file shows is bad data
        raise error if isinstance(error, DataError) else FileFormatError(error.message, hint=error.hint) from error


def _comparison(path: str, pos_label: str | None) -> Comparison:
    """Read a comparison that was written as JSON, and make it anew."""
    with _as_file(path) as file:
        try:
            answer = json.loads(read_text(file).removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            raise FileFormatError(f"{path!r} is no JSON: {error}.") from error
    if isinstance(answer, dict) and isinstance(answer.get("classes"), list) and "delta" not in answer:
        answers = [part for part in answer["classes"] if isinstance(part, dict)]
        answer = next((part for part in answers if part.get("pos_label") == pos_label), None)
        if answer is None:
            raise InvalidInputError(
                f"The results are of {len(answers)} classes; --pos-label must name one of them.",
                hint=f"there are: {shorten(part.get('pos_label') for part in answers)}.",
            )
    elif pos_label is not None:
        raise InvalidInputError("--pos-label picks a class of results made with --per-class.", hint="leave it out.")
    return quietly(lambda: run_comparison(read_recipe(answer)))
