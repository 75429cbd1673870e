"""What is true of test sets to come: a scenario, or results to draw truths from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import ropewalk as rw
from ropewalk.cli.output import DATA, INPUT_FILE, OutputOptions, quietly
from ropewalk.cli.reading import Options, as_file, flag_of, questions
from ropewalk.data.counts import read_counts
from ropewalk.data.kinds import COUNTS, kind_of
from ropewalk.data.opening import parse_json, read_text
from ropewalk.errors import DataError, FileFormatError, InvalidInputError
from ropewalk.inference.answers import run_comparison
from ropewalk.planning.posing import as_scenario, from_json
from ropewalk.results import Comparison
from ropewalk.results.recipes import read_recipe
from ropewalk.text.writing import reason, shorten

_OF_RESULTS: Final = ("metric", "model", "classes", "cost_matrix")
"""What results have been asked already."""

CONTENT_CAP: Final = 1 << 26
"""The longest scenario, or file of results, in bytes."""


class ScenarioOptions(OutputOptions, total=False):
    """What is true of test sets to come, and the form of the answer."""

    scenario: Annotated[
        str,
        DATA(
            help='JSON or counts, - for stdin, or words: "F1 .60 against .50 at agreement .7".',
            flag="SCENARIO",
            is_input=True,
        ),
    ]
    results: Annotated[
        str, INPUT_FILE(help="Instead of a scenario: results of compare --json, or counts.", flag="--from")
    ]


def read_truth(options: Options, kind: type, example: str) -> tuple[Any, dict[str, Any]]:
    """Return a scenario, or a comparison to draw truths from, and the question about it; `example` shows how to ask."""
    if ("scenario" in options) == ("results" in options):
        raise InvalidInputError(
            "Give a SCENARIO or --from results, and not both.",
            hint=f"ropewalk {example}",
        )
    if "scenario" in options:
        scenario = _scenario(options["scenario"])
        return scenario, questions(options, kind, scenario.joint.labels)
    others = {name: value for name, value in options.items() if name != "pos_label"}
    with as_file(options["results"]) as file:
        if kind_of(file, (COUNTS,)) is COUNTS:
            return _compared(file, options, kind)
        for name in _OF_RESULTS:
            if name in options:
                raise InvalidInputError(
                    f"Results have their own question: {flag_of(name)} does not go with --from.",
                    hint="leave it out, or compare anew.",
                )
        return _comparison(file, options.get("pos_label")), questions(others, kind, ())


def _compared(file: str, options: Options, kind: type) -> tuple[Comparison, dict[str, Any]]:
    """Return the comparison of the two systems that a file counts, and the question about test sets like these."""
    table = read_counts(file)
    asked = questions(options, kind, table.labels)
    first = {name: asked.pop(name) for name in (*_OF_RESULTS, "pos_label") if name in asked}
    return quietly(lambda: rw.compare(table, **first, rng=asked.get("rng"))), asked


def _scenario(text: str) -> Any:
    """Read a scenario from a file, or from words where there is no such file."""
    is_file = text == "-" or text.lower().endswith(".json") or (bool(text.strip()) and _exists(text))
    if not is_file:
        return as_scenario(text)
    try:
        with as_file(text) as file:
            if kind_of(file, (COUNTS,)) is COUNTS:
                return as_scenario(read_counts(file))
            return from_json(read_text(file, CONTENT_CAP))
    except InvalidInputError as error:  # what only the file shows is bad data
        raise error if isinstance(error, DataError) else FileFormatError(error.message, hint=error.hint) from error


def _exists(path: str) -> bool:
    """Whether there is a file of that name; words may be too long for one, or hold what none may."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):
        return False


def _comparison(path: str, pos_label: str | None) -> Comparison:
    """Read a comparison that was written as JSON, and make it anew."""
    content = read_text(path, CONTENT_CAP)
    try:
        result = parse_json(content)
    except ValueError as error:
        raise FileFormatError(
            f"{path!r} is no JSON: {reason(error)}.", hint="write one with `ropewalk compare … --json`."
        ) from error
    if isinstance(result, dict) and isinstance(result.get("classes"), list) and "delta" not in result:
        classes = [part for part in result["classes"] if isinstance(part, dict)]
        result = next((part for part in classes if pos_label is not None and part.get("pos_label") == pos_label), None)
        if result is None:
            raise InvalidInputError(
                f"The results are of {len(classes)} classes; --pos-label must name one of them.",
                hint=f"there are: {shorten(part.get('pos_label') for part in classes)}.",
            )
    elif pos_label is not None:
        raise InvalidInputError("--pos-label picks a class of results made with --per-class.", hint="leave it out.")
    recipe = read_recipe(result)
    if len(recipe.names) != 2:  # noqa: PLR2004
        raise FileFormatError(
            f"{path!r} is not a comparison of two classifiers.", hint="write one with compare --json."
        )
    try:
        return quietly(lambda: run_comparison(recipe))
    except InvalidInputError as error:  # what only the file shows is bad data
        raise error if isinstance(error, DataError) else FileFormatError(error.message, hint=error.hint) from error
