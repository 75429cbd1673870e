"""`ropewalk count`: the counts that a question needs, without the rows."""

from __future__ import annotations

from typing import Annotated, Final

import ropewalk as rw
from ropewalk._files import shorten_path
from ropewalk.cli.counts import write
from ropewalk.cli.forms import form_of, refuse_idle, require_options
from ropewalk.cli.logs import OTHER, LogOptions, LongOptions, read_all
from ropewalk.cli.output import DATA, INPUT_FILE, OUTPUT, QUESTION, WRITTEN, with_notes
from ropewalk.cli.reading import (
    TABLE,
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
from ropewalk.data.labels import LIKE_SCORES
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError, DroppedItemsWarning, InvalidInputError
from ropewalk.results.forms import COUNTS, FILE, JOINED, LOGS, LONG, OF_LOGS
from ropewalk.results.options import DataOptions, UnmatchedOption
from ropewalk.results.parsing import parse_share, parse_texts
from ropewalk.text.remarks import wording

EXAMPLES: Final = (
    "preds.csv --truth y --a new --b old -o counts.json",
    "p.csv --truth y --a new --b old --cluster patient -o n.json",
    "logs/new.eval logs/old.eval -o counts.json",
)
_COLUMNS: Final = ("truth", "cluster", "id", "sample_weight", "count")
"""What a file of counts says of the columns that were counted."""


class Options(DatabaseOptions, DataOptions, UnmatchedOption, LongTableOptions, LongOptions, LogOptions, total=False):
    """What `ropewalk count` takes."""

    file: Annotated[str, TABLE()]
    others: Annotated[tuple[str, ...], OTHER(help="those of other systems.", several=True, forms=(LOGS,))]
    a: Annotated[str, DATA(help="Column of classifier A; of logs, a system.", forms=(FILE, *OF_LOGS))]
    b: Annotated[str, DATA(help="Column of classifier B; of logs, a system.", forms=(FILE, *OF_LOGS))]
    predictions: Annotated[
        list[str],
        DATA(help="Columns of any number of classifiers; of logs, systems.", parse=parse_texts, forms=(FILE, *OF_LOGS)),
    ]
    metric: Annotated[
        str,
        QUESTION(help="a metric of labels counts truth and predictions, else right and wrong are.", forms=OF_LOGS),
    ]
    threshold: Annotated[float, DATA(help="Probabilities from it on are positive.", parse=parse_share, forms=(FILE,))]
    file_a: Annotated[str, INPUT_FILE(help="A's own file, joined by --id.")]
    file_b: Annotated[str, INPUT_FILE(help="B's own file, joined by --id.")]
    prediction: Annotated[
        str, DATA(help="Column of one classifier; in --file-a and --file-b that of each.", forms=(FILE, JOINED, LONG))
    ]
    out: Annotated[str, OUTPUT(help="File to write; else the counts are printed.", flag="-o", metavar=WRITTEN)]
    keep_ids: Annotated[bool, OUTPUT(help="Write the ids of clusters; else only which items share one.", parse=bool)]
    hide_labels: Annotated[
        bool, OUTPUT(help="Call the classes 0, 1, … in the order of --labels.", parse=bool, forms=(FILE, JOINED))
    ]
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
    """Count the rows of one file, of two that are joined, or of logs."""
    form = form_of(options)
    if form == COUNTS:
        file = shorten_path(options["file"])
        raise InvalidInputError(f"{file} holds counts already.", hint="ropewalk merge adds them to others.")
    refuse_idle(options, form)
    if form == JOINED:
        require_options(options, ("id", "truth", "prediction"))
        return read_joined(options, join_outcomes)
    if form in OF_LOGS:
        return _counted_logs(options)
    columns = _columns(options)
    try:
        table: AnyOutcomes | ItemScores = read_file(options, columns)
    except DataError as error:
        if error.hint == LIKE_SCORES:  # there is no metric
            error.hint = wording("these look like probabilities or scores: threshold=0.5 makes labels of them.")
        raise
    if isinstance(table, ItemScores):  # there is no metric, so that they are labels
        raise DataError("Scores cannot be counted.", hint="give --threshold to make labels of them.")
    return table


def _counted_logs(options: Given) -> AnyOutcomes:
    """Count the answers of evaluation logs, or of a long table."""
    logs = read_all(options)
    asked = {name: options[name] for name in ("metric", "missing", "unmatched") if name in options}
    names = _systems(options)
    return with_notes(lambda: rw.count_logs(*logs, predictions=names, **asked), said_later=DroppedItemsWarning)


def _systems(options: Given) -> list[str] | None:
    """Return the systems that are named, in their order; None where all are meant."""
    named = [options[name] for name in ("a", "b") if name in options]
    if named and "predictions" in options:
        raise InvalidInputError("The systems are named twice.", hint="give --predictions alone.")
    return list(options.get("predictions", named)) or None


def _columns(options: Given) -> list[str]:
    """Return the columns of predictions that are named."""
    forms = [form for form in (("predictions",), ("prediction",), ("a", "b")) if any(name in options for name in form)]
    if len(forms) > 1:
        named = ", ".join(flag_of(name) for form in forms for name in form)
        raise InvalidInputError(f"The classifiers are named twice: {named}.", hint="give --predictions alone.")
    form = forms[0] if forms else ("a", "b")
    require_columns_of(options, ("truth", *form))
    return options["predictions"] if form == ("predictions",) else [options[name] for name in form]
