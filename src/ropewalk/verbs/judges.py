"""Compare two systems by a judge's verdicts, corrected by those items that humans judged too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from ropewalk._checks import check_seed, check_threads
from ropewalk._progress import shown
from ropewalk.data.columns import as_column, check_same_length, count_columns, require_columns, score_in
from ropewalk.data.inputs import has_logs, is_table
from ropewalk.data.labels import is_null
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.records import records_of
from ropewalk.data.tally import Named, check_names
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.judges import run_judged
from ropewalk.inference.question import Question, metrics_of, select, write_recipe
from ropewalk.inference.remarks import left_out
from ropewalk.models.judged import PAIRS, RIGHT, VERDICTS, JudgedVerdicts
from ropewalk.results.judges import JudgedComparison
from ropewalk.text.remarks import Remark, argument, issue, note, wording
from ropewalk.text.writing import count_of, told
from ropewalk.typing import IntArray

Rows: TypeAlias = Mapping[tuple[Any, ...], int]
"""Distinct rows, and how often each comes."""

_OF_VERDICTS: Final = ("accuracy", "error")
_BESIDE: Final = (
    "truth", "task", "over", "weights", "by", "pool", "flips", "tests", "count", "scores", "a_scores", "b_scores",
    "cluster", "sample_weight", "id", "model", "labels", "pos_label", "classes", "prevalence", "cost_matrix",
    "threshold", "scale",
)  # fmt: skip
_USAGE: Final = wording(
    "compare(judge_a, judge_b, human_a=…, human_b=…), or compare(table, a=…, b=…, human_a=…, human_b=…); items that "
    "no human judged have empty cells, or None."
)


def compare_judged(data: Sequence[Any], pair: tuple[Any, Any], options: Mapping[str, Any]) -> JudgedComparison:
    """Compare two systems by a judge's verdicts on all items, and a human's on some.

    Examples
    --------
    >>> judge_a, judge_b = [1, 1, 0, 1] * 50, [1, 0, 0, 1] * 50
    >>> human_a, human_b = ([*values[:80], *[None] * 120] for values in (judge_a, judge_b))
    >>> r = compare_judged((judge_a, judge_b), (None, None), {"human_a": human_a, "human_b": human_b, "draws": 1_000})
    >>> r.judge.n_human, r.judge.alone
    (80, 0.25)
    """
    _refuse(options)
    names, rows = _counted(data, pair, options)
    judge, labelled, remarks = _verdicts(rows, names, options)
    metric = _metric(options)
    asked = {**select(options, Question), "metric": metric, "model": JudgedVerdicts(labelled=labelled)}
    seed = check_seed(options.get("rng"), options.get("random_state"))
    recipe = write_recipe((judge,), seed=seed, **asked)
    with shown(options.get("progress")):
        result = run_judged(recipe, threads=check_threads(options.get("threads", 1)), remarks=remarks)
    issue(result.remarks)
    return result


def _refuse(options: Mapping[str, Any]) -> None:
    """Refuse what does not go with a judge."""
    for name in _BESIDE:
        if options.get(name) is not None:
            raise InvalidInputError(
                argument(name) + " does not go with human labels beside a judge's.",
                hint=wording("leave it out; without human labels the judge's verdicts are taken as true."),
            )
    if options.get("engine") not in {None, "auto", "exact"}:
        raise InvalidInputError("Draws are exact here, not by Markov chains.", hint=wording("leave engine= out."))
    if len(metrics_of(options)) > 1:
        raise InvalidInputError("A judge is corrected for one metric.", hint=wording("name one metric=."))
    for one, other in (("human_a", "human_b"), ("human_b", "human_a")):
        if options.get(one) is not None and options.get(other) is None:
            raise InvalidInputError(
                argument(other) + " is missing: what humans say of both answers to an item.",
                hint="a human's verdict on one of two answers does not tell which is better.",
            )


def _metric(options: Mapping[str, Any]) -> str:
    """Return which metric of verdicts is asked for."""
    metric = metrics_of(options)[0]
    name = "accuracy" if metric is None else getattr(metric, "name", metric)
    if name not in _OF_VERDICTS:
        raise InvalidInputError(
            wording("Verdicts have an accuracy, or an error; got metric={!r}.", name),
            hint=wording("leave metric= out."),
        )
    return str(name)


def _counted(data: Sequence[Any], pair: tuple[Any, Any], options: Mapping[str, Any]) -> tuple[tuple[str, ...], Rows]:
    """Return the names of the two systems, and the rows (judge of A, judge of B, human of A, human of B)."""
    if any(isinstance(each, Named) for each in data) or has_logs(data):
        raise InvalidInputError("Human verdicts stand beside the judge's, item by item.", hint=_USAGE)
    human = [options["human_a"], options["human_b"]]
    if len(data) == 1 and (is_table(data[0]) or isinstance(data[0], Mapping)):
        for name, column in zip(("a", "b", "human_a", "human_b"), [*pair, *human], strict=True):
            if not isinstance(column, str):
                raise InvalidInputError(argument(name) + f" must name a column; got {told(column)}.", hint=_USAGE)
        columns = [*pair, *human]
        names = check_names(options.get("names") or list(pair), 2)
        if len(set(columns)) < len(columns):
            raise InvalidInputError("A column is named twice.", hint="judge and human each have a column per system.")
        if not isinstance(data[0], Mapping):
            return names, records_of(data[0]).count(columns)
        require_columns(list(data[0]), columns)
        arrays = [data[0][column] for column in columns]
    elif len(data) == 2 and pair == (None, None) and not any(map(is_table, data)):  # noqa: PLR2004
        arrays, columns = [*data, *human], ["the judge's verdicts on A", "on B", "human_a", "human_b"]
        names = check_names(options.get("names"), 2)
    else:
        raise InvalidInputError("A judge's verdicts are two columns of a table, or two arrays.", hint=_USAGE)
    found = {name: as_column(array, name, "verdicts", _USAGE) for name, array in zip(columns, arrays, strict=True)}
    check_same_length(found)
    return names, count_columns([_plain(column) for column in found.values()], columns)


def _plain(column: Any) -> list[Any]:
    """Return the values of a column, of which those that are missing are None."""
    values = column.tolist() if isinstance(column, np.ndarray) else column
    return [None if is_null(value) else value for value in values]


def _verdicts(
    rows: Rows, names: tuple[str, ...], options: Mapping[str, Any]
) -> tuple[Outcomes, IntArray, list[Remark]]:
    """Return the table of the judge's verdicts, and how humans judge where the judge says what."""
    whose = [(who, name) for who in ("The judge", "A human") for name in names]
    counts, labelled = np.zeros(4, dtype=np.int64), np.zeros((4, 4), dtype=np.int64)
    unjudged = half = 0
    for row, n in rows.items():
        said = [_verdict(value, *by) for value, by in zip(row, whose, strict=True)]
        judge, human = _place(said[:2]), _place(said[2:])
        if judge is None:
            unjudged += n
            continue
        counts[judge] += n
        if human is not None:
            labelled[judge, human] += n
        elif said[2:] != [None, None]:
            half += n
    if unjudged and options.get("missing") != "drop":
        raise DataError(
            f"The judge has no verdict on {count_of(unjudged, 'item')}.",
            hint=wording('missing="drop" leaves them out; or have the judge say right or wrong.'),
        )
    if not counts.any():
        raise DataError("There are no items with verdicts of the judge on both answers.", hint=_USAGE)
    if not labelled.any():
        raise DataError(
            "No item has a human's verdict on both answers, so nothing tells what the judge gets wrong.",
            hint="have humans judge some of the items, both answers each; without them there is no correction.",
        )
    remarks = []
    if unjudged:
        remarks.append(left_out(unjudged))
    if half:
        text = f"{count_of(half, 'item')} with a human's verdict on one answer only: it is not used."
        remarks.append(note("half_labelled", text))
    said_so = [tuple(VERDICTS[code] for code in (RIGHT, *pair)) for pair in PAIRS.tolist()]
    return Outcomes.from_rows(said_so, counts.tolist(), names=names, labels=VERDICTS), labelled, remarks


def _place(verdicts: Sequence[int | None]) -> int | None:
    """Return the place of two verdicts among `PAIRS`; None where one is missing."""
    first, second = verdicts
    return None if first is None or second is None else 2 * first + second


def _verdict(value: Any, who: str, name: str) -> int | None:
    """Return 1 for right, 0 for wrong, and None for nothing."""
    if value is None or is_null(value) or (isinstance(value, str) and not value.strip()):
        return None
    score = score_in(str(value))
    if score not in {0.0, 1.0}:
        raise DataError(
            f"{who} says {told(value)} of {name}'s answer, which is neither right nor wrong.",
            hint="verdicts are 1 and 0, true and false, right and wrong, pass and fail; empty where there is none.",
        )
    return int(score)
