"""Compare two systems by a judge's verdicts, corrected by those items that humans judged too."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from ropewalk._checks import check_missing, check_seed, check_threads
from ropewalk._progress import shown
from ropewalk.data.columns import as_column, check_same_length, count_columns, require_columns, score_in
from ropewalk.data.inputs import has_logs, is_table
from ropewalk.data.label_columns import whole_columns
from ropewalk.data.labels import is_null, label_text, without_point
from ropewalk.data.logs.pairing import scores_of
from ropewalk.data.logs.systems import pair_with_humans
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.records import records_of
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import Named, check_names
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.judges import run_judged
from ropewalk.inference.logs import remarks_on
from ropewalk.inference.question import Question, metrics_of, select, write_recipe
from ropewalk.inference.remarks import left_out
from ropewalk.models.judged import PAIRS, RIGHT, VERDICTS, JudgedVerdicts
from ropewalk.models.judged_labels import JudgedLabels
from ropewalk.models.judged_scores import MIN_SCORED, JudgedScores
from ropewalk.models.scale import check_scale, scale_of
from ropewalk.results.judges import JudgedComparison
from ropewalk.text.remarks import Remark, argument, issue, note, wording
from ropewalk.text.writing import count_of, shorten, told
from ropewalk.verbs.folds import refuse_per_cent

Rows: TypeAlias = Mapping[tuple[Any, ...], int]
"""Distinct rows, and how often each comes."""

_OF_VERDICTS: Final = ("accuracy", "error")
_BESIDE: Final = (
    "task", "over", "weights", "by", "pool", "flips", "tests", "count", "scores", "a_scores", "b_scores", "cluster",
    "sample_weight", "id", "model", "threshold",
)  # fmt: skip
_OF_LABELS: Final = ("truth", "labels", "pos_label", "classes", "prevalence", "cost_matrix")
_NO_HUMAN: Final = "have humans judge some of the items; without them there is no correction."
_USAGE: Final = wording(
    "compare(judge_a, judge_b, human_a=…, human_b=…), or compare(table, a=…, b=…, human_a=…, human_b=…); of labels "
    "compare(judge, pred_a, pred_b, human=…), or compare(table, truth=…, a=…, b=…, human=…); of logs "
    "compare(log_a, log_b, human=…). Items that no human judged have empty cells, or None."
)


def compare_judged(data: Sequence[Any], pair: tuple[Any, Any], options: Mapping[str, Any]) -> JudgedComparison:
    """Compare two systems by what a judge says of all items, and humans of some: verdicts on both answers, or labels.

    Examples
    --------
    >>> judge_a, judge_b = [1, 1, 0, 1] * 50, [1, 0, 0, 1] * 50
    >>> human_a, human_b = ([*values[:80], *[None] * 120] for values in (judge_a, judge_b))
    >>> r = compare_judged((judge_a, judge_b), (None, None), {"human_a": human_a, "human_b": human_b, "draws": 1_000})
    >>> r.judge.n_human, r.judge.alone
    (80, 0.25)
    """
    data, pair, options, remarks_on_logs = _opened(data, pair, options)
    _refuse(options)
    of_labels = options.get("human") is not None
    names, rows = _counted(data, pair, options)
    read = _labels if of_labels else _scores if _are_scores(rows, options) else _verdicts
    table, model, remarks = read(rows, names, options)
    asked = {**select(options, Question), "model": model, "metric": metrics_of(options)[0]}
    if read is _verdicts:
        asked["metric"] = _metric(options)
    elif read is _scores:
        asked |= {"metric": "mean", "scale": None}
    seed = check_seed(options.get("rng"), options.get("random_state"))
    recipe = write_recipe((table,), seed=seed, **asked)
    if isinstance(table, ItemScores) and set(np.unique(np.stack(table.values))) == {0, 100}:
        refuse_per_cent(100, recipe.rope, least=1)  # verdicts in per cent
    with shown(options.get("progress")):
        result = run_judged(
            recipe, threads=check_threads(options.get("threads", 1)), remarks=(*remarks_on_logs, *remarks)
        )
    issue(result.remarks)
    return result


def _opened(
    data: Sequence[Any], pair: tuple[Any, Any], options: Mapping[str, Any]
) -> tuple[Sequence[Any], tuple[Any, Any], Mapping[str, Any], tuple[Remark, ...]]:
    """Return logs as arrays, and remarks on them; anything else as it is."""
    if not has_logs(data):
        return data, pair, options, ()
    if options.get("human") is None or options.get("human_a") is not None or options.get("human_b") is not None:
        raise InvalidInputError(
            "What humans say of answers in evaluation logs stands in them, under one name.",
            hint=wording("human= names the score, or the key of the items' metadata; `human_a` and `human_b` do not."),
        )
    paired, said = pair_with_humans(data, pair, options)
    if paired.cluster is not None:
        raise InvalidInputError(
            "The items of these logs come in clusters, or were answered repeatedly; a judge is corrected item by item.",
            hint=wording("open the logs without cluster=, and compare one answer to each item."),
        )
    if not paired.score.higher_is_better:
        raise InvalidInputError(
            f"Of {paired.score.name!r} less is better, and human scores say how good an answer is.",
            hint="name a score of which more is better.",
        )
    asked = {**options, "human": None, "human_a": said[0], "human_b": said[1], "names": paired.names, "unmatched": None}
    return scores_of(paired), (None, None), asked, remarks_on(paired)


def _refuse(options: Mapping[str, Any]) -> None:
    """Refuse what does not go with a judge."""
    of_labels, of_verdicts = options.get("human") is not None, ("human_a", "human_b")
    for name in (*_BESIDE, *(of_verdicts if of_labels else _OF_LABELS)):
        if options.get(name) is not None:
            what = "labels" if of_labels else "verdicts"
            raise InvalidInputError(
                argument(name) + f" does not go with a judge whose {what} humans correct.",
                hint=wording("leave it out; `human` goes with labels, `human_a` and `human_b` with right and wrong."),
            )
    if options.get("engine") not in {None, "auto", "exact"}:
        raise InvalidInputError("Draws are exact here, not by Markov chains.", hint=wording("leave engine= out."))
    if len(metrics_of(options)) != 1:
        raise InvalidInputError("A judge is corrected for one metric.", hint=wording("name one metric=."))
    if check_missing(options.get("missing", "error")) == "wrong":
        raise InvalidInputError(
            wording('`missing` is "wrong", and what a judge did not say is not known.'), hint=wording('missing="drop".')
        )
    for one, other in (of_verdicts, of_verdicts[::-1]):
        if options.get(one) is not None and options.get(other) is None:
            raise InvalidInputError(
                argument(other) + " is missing: what humans say of both answers to an item.",
                hint="a human's verdict on one of two answers does not tell which is better.",
            )


def _are_scores(rows: Rows, options: Mapping[str, Any]) -> bool:
    """Whether the judge gives scores, and not verdicts: as the metric says, or else a fraction or a number beyond 1."""
    metric = metrics_of(options)[0]
    if metric is not None:
        return _name_of(metric) == "mean"
    numbers = (score_in(str(value)) for row in rows for value in row[:2] if not _is_empty(value))
    return any(number is not None and number not in {0.0, 1.0} for number in numbers)


def _name_of(metric: Any) -> str | None:
    """Return what a metric is called; None for what is none."""
    name = getattr(metric, "name", metric)
    return name if isinstance(name, str) else None


def _scores(
    rows: Rows, names: tuple[str, ...], options: Mapping[str, Any]
) -> tuple[ItemScores, JudgedScores, list[Remark]]:
    """Return the judge's scores of all items, and the model that has a human's."""
    numbers = np.array([[_number(value, names[k % 2]) for k, value in enumerate(row)] for row in rows])
    numbers = np.repeat(numbers.reshape(-1, 4), list(rows.values()), axis=0)
    scored = np.isfinite(numbers)
    whole = scored[:, :2].all(axis=1)
    remarks = _left_out(int((~whole).sum()), int((scored[whole, 2] != scored[whole, 3]).sum()), options)
    numbers, scored = numbers[whole], scored[whole]
    known = numbers[scored.all(axis=1)]
    if len(known) < MIN_SCORED:
        raise DataError(
            f"{count_of(len(known), 'item')} with human scores of both answers; it takes {MIN_SCORED}.", hint=_NO_HUMAN
        )
    for k, name in enumerate(names):
        if np.ptp(known[:, k]) == 0 < np.ptp(numbers[:, k]):
            raise DataError(
                f"The judge gives {name} the same score on all items that humans scored, and others on others.",
                hint="have humans score some of those too.",
            )
    declared = None if options.get("scale") is None else check_scale(options["scale"], "scale")
    ends, assumed = scale_of(numbers[scored], declared)
    model = JudgedScores(judge=known[:, :2], human=known[:, 2:], ends=ends, assumed=assumed)
    return ItemScores.from_arrays(None, numbers[:, 0], numbers[:, 1], names=names), model, remarks


def _number(value: Any, name: str) -> float:
    """Return a score, NaN where there is none."""
    if _is_empty(value):
        return math.nan
    score = score_in(str(value))
    if score is None or not math.isfinite(score):
        raise DataError(
            f"{told(value)} is no score of {name}'s answer.", hint="scores are numbers; empty where there is none."
        )
    return score


def _left_out(unjudged: int, half: int, options: Mapping[str, Any]) -> list[Remark]:
    """Return the remarks on items that are not used, or refuse those of which the judge says nothing."""
    if unjudged and options.get("missing") != "drop":
        raise DataError(
            f"The judge has no verdict on {count_of(unjudged, 'item')}.",
            hint=wording('missing="drop" leaves them out; or have the judge say something of them.'),
        )
    remarks = [left_out(unjudged)] if unjudged else []
    if half:
        text = f"{count_of(half, 'item')} with a human's verdict on one answer only: it is not used."
        remarks.append(note("half_labelled", text))
    return remarks


def _metric(options: Mapping[str, Any]) -> str:
    """Return which metric of verdicts is asked for."""
    metric = metrics_of(options)[0]
    name = "accuracy" if metric is None else _name_of(metric)
    if name not in _OF_VERDICTS:
        raise InvalidInputError(
            wording("Verdicts have an accuracy, or an error; got metric={!r}.", name or told(metric)),
            hint=wording("leave metric= out."),
        )
    return name


def _counted(data: Sequence[Any], pair: tuple[Any, Any], options: Mapping[str, Any]) -> tuple[tuple[str, ...], Rows]:
    """Return the names of the two systems, and rows of what is said of an item, last by humans."""
    if any(isinstance(each, Named) for each in data):
        raise InvalidInputError("What humans say stands beside what the judge says, item by item.", hint=_USAGE)
    of_labels = options.get("human") is not None
    what = ("truth", "a", "b", "human") if of_labels else ("a", "b", "human_a", "human_b")
    given = {**options, "a": pair[0], "b": pair[1]}
    n_said = 2 + of_labels
    if len(data) == 1 and (is_table(data[0]) or isinstance(data[0], Mapping)):
        columns = [_column(name, given.get(name)) for name in what]
        names = check_names(list(pair) if options.get("names") is None else options["names"], 2)
        if len(set(columns)) < len(columns):
            raise InvalidInputError("A column is named twice.", hint="judge and humans have columns of their own.")
        if not isinstance(data[0], Mapping):
            return names, records_of(data[0]).count(columns)
        require_columns(list(data[0]), columns)
        arrays = [data[0][column] for column in columns]
    elif len(data) == n_said and pair == (None, None) and not any(map(is_table, data)):
        names = check_names(options.get("names"), 2)
        arrays = [*data, *(options[name] for name in what[n_said:])]
        columns = ["y_true", *(f"what is said of {name!r}" for name in names), *what[n_said:]][-len(arrays) :]
    else:
        text = "A judge's labels stand before two arrays of predictions, or are a column of a table."
        verdicts = "A judge's verdicts are two arrays, or two columns of a table."
        raise InvalidInputError(text if of_labels else verdicts, hint=_USAGE)
    found = {name: as_column(array, name, "values", _USAGE) for name, array in zip(columns, arrays, strict=True)}
    check_same_length(found)
    return names, count_columns([_plain(column) for column in found.values()], columns)


def _column(name: str, column: Any) -> str:
    """Return what a column is called."""
    if not isinstance(column, str):
        raise InvalidInputError(argument(name) + f" must name a column; got {told(column)}.", hint=_USAGE)
    return column


def _plain(column: Any) -> list[Any]:
    """Return the values of a column, of which those that are missing are None."""
    values = [
        None if _is_empty(value) else value for value in (column.tolist() if isinstance(column, np.ndarray) else column)
    ]
    has_fractions = any(type(value) is float for value in values)
    return [float(value) if has_fractions and type(value) is int else value for value in values]


def _is_empty(value: Any) -> bool:
    return value is None or is_null(value) or (isinstance(value, str) and not value.strip())


def _labels(
    rows: Rows, names: tuple[str, ...], options: Mapping[str, Any]
) -> tuple[Outcomes, JudgedLabels, list[Remark]]:
    """Return the table whose truth is the judge's, and the model that has what humans say."""
    judge = next(name for name in ("judge", "the judge", "judge of all") if name not in names)
    columns = [options.get("truth") or "the judge's labels", *(f"predictions of {name!r}" for name in names)]
    how: dict[str, Any] = {"missing": options.get("missing", "error")}
    rows = {tuple(None if _is_empty(value) else value for value in row): n for row, n in rows.items()}
    (is_whole,) = whole_columns([row[-1:] for row in rows], 1)  # as pandas writes integers beside holes
    items: dict[tuple[Any, ...], int] = {}
    human: dict[tuple[Any, ...], int] = {}
    for (label, *predicted, said), n in rows.items():
        item = (label, *predicted)
        items[item] = items.get(item, 0) + n
        if said is not None and None not in item:
            row = (without_point(said) if is_whole else said, *predicted, label)
            human[row] = human.get(row, 0) + n
    table = Outcomes.from_rows(items, names=names, labels=options.get("labels"), columns=columns, **how)
    if not human:
        raise DataError("No item has a human's label, so nothing tells what the judge gets wrong.", hint=_NO_HUMAN)
    known = Outcomes.from_rows(human, names=(*names, judge), columns=["what humans say", *columns[1:], columns[0]])
    if strange := [label_text(label) for label in known.labels if label not in table.labels]:
        raise DataError(
            f"Humans say {shorten(strange, 6)}, which neither the judge nor a prediction ever says: the labels are "
            f"{shorten(map(label_text, table.labels), 6)}.",
            hint=wording("labels= declares all that there are; 1 and '1' are two labels."),
        )
    return table, JudgedLabels(labelled=known.over(table.labels)), []


def _verdicts(
    rows: Rows, names: tuple[str, ...], options: Mapping[str, Any]
) -> tuple[Outcomes, JudgedVerdicts, list[Remark]]:
    """Return the table of the judge's verdicts, and the model that has a human's."""
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
    remarks = _left_out(unjudged, half, options)
    if not counts.any():
        raise DataError("There are no items with verdicts of the judge on both answers.", hint=_USAGE)
    if not labelled.any():
        raise DataError(
            "No item has a human's verdict on both answers, so nothing tells what the judge gets wrong.",
            hint=_NO_HUMAN,
        )
    said_so = [tuple(VERDICTS[code] for code in (RIGHT, *pair)) for pair in PAIRS.tolist()]
    table = Outcomes.from_rows(said_so, counts.tolist(), names=names, labels=VERDICTS)
    return table, JudgedVerdicts(labelled=labelled), remarks


def _place(verdicts: Sequence[int | None]) -> int | None:
    """Return the place of two verdicts among `PAIRS`; None where one is missing."""
    first, second = verdicts
    return None if first is None or second is None else 2 * first + second


def _verdict(value: Any, who: str, name: str) -> int | None:
    """Return 1 for right, 0 for wrong, and None for nothing."""
    if _is_empty(value):
        return None
    score = score_in(str(value))
    if score not in {0.0, 1.0}:
        raise DataError(
            f"{who} says {told(value)} of {name}'s answer, which is neither right nor wrong.",
            hint="verdicts are 1 and 0, true and false, right and wrong, pass and fail; empty where there is none.",
        )
    return int(score)
