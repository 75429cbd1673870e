"""`ropewalk count`: the counts that a question needs, without the rows."""

from __future__ import annotations

from typing import Annotated, Final

from ropewalk._files import shorten_path
from ropewalk.cli.counts import are_counts, write
from ropewalk.cli.logs import refuse
from ropewalk.cli.output import DATA, INPUT_FILE, OUTPUT, WRITTEN
from ropewalk.cli.reading import (
    FILE,
    DatabaseOptions,
    LongTableOptions,
    flag_of,
    read_file,
    read_joined,
    require_columns_of,
)
from ropewalk.cli.reading import (
    Options as Given,
)
from ropewalk.data.counts import Counts, hide_labels
from ropewalk.data.joining import join_outcomes
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.results.options import DataOptions, UnmatchedOption
from ropewalk.results.parsing import parse_texts

EXAMPLES: Final = (
    "preds.csv --truth y --a new --b old -o counts.json",
    "p.csv --truth y --a new --b old --cluster patient -o n.json",
)
_COLUMNS: Final = ("truth", "cluster", "id", "sample_weight", "count")
"""What a file of counts says of the columns that were counted."""

_OF_ONE_FILE: Final = ("file", "predictions", "threshold", "sample_weight", "count", "item", "label", "n_items")


class Options(DatabaseOptions, DataOptions, UnmatchedOption, LongTableOptions, total=False):
    """What `ropewalk count` takes."""

    file: Annotated[str, FILE()]
    a: Annotated[str, DATA(help="Column of classifier A.")]
    b: Annotated[str, DATA(help="Column of classifier B.")]
    predictions: Annotated[list[str], DATA(help="Columns of any number of classifiers.", parse=parse_texts)]
    threshold: Annotated[float, DATA(help="Probabilities from it on are positive.", parse=float)]
    file_a: Annotated[str, INPUT_FILE(help="A's own file, joined by --id.")]
    file_b: Annotated[str, INPUT_FILE(help="B's own file, joined by --id.")]
    prediction: Annotated[str, DATA(help="Column of one classifier; in --file-a and --file-b that of each.")]
    out: Annotated[str, OUTPUT(help="File to write; else the counts are printed.", flag="-o", metavar=WRITTEN)]
    keep_ids: Annotated[bool, OUTPUT(help="Write the ids of clusters; else only which items share one.", parse=bool)]
    hide_labels: Annotated[bool, OUTPUT(help="Call the classes 0, 1, … in the order of --labels.", parse=bool)]
    min_cell: Annotated[int, OUTPUT(help="Refuse to write a row of fewer items than these.", parse=int, minimum=1)]


def run(options: Options) -> None:
    """Count, and write the counts."""
    if "hide_labels" in options and "labels" not in options:
        raise InvalidInputError(
            "--hide-labels numbers the classes in the order of --labels, which is missing.",
            hint="list them as --labels a,b,c: each place that counts must number them alike.",
        )
    table = _counted(options)
    table = table if "keep_ids" in options else table.without_ids()
    table = hide_labels(table) if "hide_labels" in options else table
    write(options, Counts(table, {name: str(column) for name, column in options.items() if name in _COLUMNS}))


def _counted(options: Given) -> AnyOutcomes:
    """Count the rows of one file, or of two that are joined."""
    if "file_a" in options or "file_b" in options:
        for name in ("file_a", "file_b", "id", "truth", "prediction"):
            if name not in options:
                raise InvalidInputError(f"Missing option {flag_of(name)}.", hint="two files are joined by their ids.")
        refuse(options, _OF_ONE_FILE, "--file-a and --file-b")
        return read_joined(options, join_outcomes)
    if "file" not in options:
        raise InvalidInputError("Missing argument 'FILE'.", hint="ropewalk count --help lists the options.")
    if are_counts(options):
        file = shorten_path(options["file"])
        raise InvalidInputError(f"{file} holds counts already.", hint="ropewalk merge adds them to others.")
    refuse(options, ("unmatched",), "FILE")
    table: AnyOutcomes | ItemScores = read_file(options, _columns(options))
    if isinstance(table, ItemScores):  # there is no metric, so that they are labels
        raise DataError("Scores cannot be counted.", hint="give --threshold to make labels of them.")
    return table


def _columns(options: Given) -> list[str]:
    """Return the columns of predictions that are named."""
    forms = [form for form in (("predictions",), ("prediction",), ("a", "b")) if any(name in options for name in form)]
    if len(forms) > 1:
        named = ", ".join(flag_of(name) for form in forms for name in form)
        raise InvalidInputError(f"The classifiers are named twice: {named}.", hint="give --predictions alone.")
    form = forms[0] if forms else ("a", "b")
    require_columns_of(options, ("truth", *form))
    return options["predictions"] if form == ("predictions",) else [options[name] for name in form]
