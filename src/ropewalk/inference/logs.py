"""Ask a question about evaluation logs: their answers become arrays, and the log's own score the metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from ropewalk._checks import checked_keywords
from ropewalk.data.inputs import Names, has_logs
from ropewalk.data.log_score import Score
from ropewalk.data.logs.chances import chances_of
from ropewalk.data.logs.counting import counts_of, scores_in
from ropewalk.data.logs.pairing import Paired, labels_of, scores_of
from ropewalk.data.logs.reading import Log
from ropewalk.data.logs.systems import pair_one_task
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.question import kinds_of, metrics_of
from ropewalk.inference.remarks import left_out
from ropewalk.metrics.registry import parse_metric
from ropewalk.metrics.resolve import metric_kind, needs_truth
from ropewalk.metrics.scores import mean_of
from ropewalk.text.remarks import Remark, note, wording
from ropewalk.typing import Missing

T = TypeVar("T")


def remarks_on(paired: Paired) -> tuple[Remark, ...]:
    """Return what the readers of an answer should know of the logs."""
    gone = (left_out(paired.left_out),) if paired.left_out else ()
    return (*gone, *(note("log", text) for text in paired.notes))


def as_arrays(paired: Paired, options: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the answers to one task as arrays, and the options with what the log says of them.

    Without a metric the log's own score is compared, as a mean. Metrics of labels are about truth and predictions.
    """
    asked: dict[str, Any] = {
        **options,
        "names": paired.names,
        "cluster": paired.cluster,
        "id": [item for item, _ in paired.keys],
    }
    asked.pop("unmatched", None)  # they are matched
    if paired.parts is not None:
        asked["by"] = list(paired.parts)
    own = mean_of(paired.score.name)
    usual = None if paired.score.of_labels else own
    metrics = [
        usual if metric is None else own if isinstance(metric, str) and metric == "mean" else metric
        for metric in metrics_of(options)
    ]
    asked["metric"] = metrics[0] if len(metrics) == 1 else metrics
    if any(not needs_truth(metric) for metric in metrics):
        asked |= _known_of(paired.score, asked)
    kinds = kinds_of({"metric": metrics}) or {"labels"}
    if kinds == {"labels"}:
        return labels_of(paired), asked
    of_chances = are_of_chances(metrics)
    means = [metric for metric in metrics if not needs_truth(metric)]
    if of_chances and means:
        raise InvalidInputError(
            "The log's own score and chances of classes are compared apart.", hint="ask in two calls."
        )
    truth: Any = None
    if of_chances:
        labels_of(paired)  # refuses answers that disagree about the truth
        truth, asked["columns"], scores = chances_of(paired.rows, paired.names)
    else:
        scores = scores_of(paired)
    if "labels" in kinds:
        return labels_of(paired), {**asked, "scores": tuple(scores)}
    return (truth, *scores), {**asked, "missing": "error"}


def _known_of(score: Score, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a log says of its score, where the options say nothing else."""
    known: dict[str, Any] = {}
    if options.get("higher_is_better") is None:
        known["higher_is_better"] = score.higher_is_better
    if options.get("scale") is None and score.low is not None and score.high is not None:
        known["scale"] = (score.low, score.high)
    return known


def are_of_chances(metrics: Sequence[Any]) -> bool:
    """Whether some metrics are about the probabilities of labels."""
    return any(metric is not None and metric_kind(metric) == "scores" and needs_truth(metric) for metric in metrics)


def as_scores(tables: Sequence[Outcomes], options: Mapping[str, Any]) -> tuple[tuple[Any], Mapping[str, Any]]:
    """Return the scores of answers that were counted as right and wrong, and the options with what their log says."""
    if len(tables) > 1:
        raise InvalidInputError(
            "Answers of logs that were counted apart cannot be paired.", hint="ropewalk count NEW OLD counts both."
        )
    (table,) = tables
    assert table.score is not None  # noqa: S101
    others = [metric for metric in metrics_of(options) if metric not in {None, "mean"}]
    if others:
        raise DataError(
            f"These counts say which answers are right, by {table.score.name!r}, and "
            f"{getattr(others[0], 'name', others[0])!r} needs more.",
            hint=wording("leave metric= out; or count the logs again, with that metric=."),
        )
    remarks = (left_out(table.left_out),) if table.left_out else ()
    asked = {**options, "metric": mean_of(table.score.name), "log_remarks": remarks}
    return (scores_in(table),), asked | _known_of(table.score, asked)


def open_logs(
    data: Sequence[Any], classifiers: Names | None, options: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return logs of one task as arrays, and the options with what the logs say and remark."""
    paired = pair_one_task(data, classifiers, options, chances=are_of_chances(metrics_of(options)))
    arrays, asked = as_arrays(paired, options)
    return arrays, {**asked, "log_remarks": remarks_on(paired)}


@checked_keywords
def count_logs(
    *logs: Log,
    predictions: Sequence[str] | None = None,
    metric: Any = None,
    missing: Missing = "error",
    unmatched: str = "error",
) -> Outcomes:
    """Count the answers of evaluation logs: what a question needs of them, without the rows.

    The counts answer it as the logs would, bit by bit, and can be saved: ``count_logs(new, old).save("counts.json")``.

    Parameters
    ----------
    *logs
        Logs of one task, as `read_log` or `read_long` opens them. Answers are paired by item; repeats of an item are a
        cluster, and so is what the logs were opened to be clustered by.
    predictions
        Which systems, where the logs have others too.
    metric
        A metric of labels counts what each system said about which truth. By default it is who was right how often, by
        the log's own score: 1 or 0.
    missing, unmatched
        What to do with answers without a score, and with items of one log only, as in `compare`.

    Examples
    --------
    >>> import pandas as pd
    >>> import ropewalk as rw
    >>> runs = pd.DataFrame({"system": ["new"] * 3 + ["old"] * 3, "item": [1, 2, 3] * 2, "ok": [1, 1, 0, 1, 0, 0]})
    >>> log = rw.read_long(runs, score="ok")
    >>> counts = rw.count_logs(log)
    >>> rw.compare(counts, draws=500, rng=0).delta == rw.compare(log, draws=500, rng=0).delta
    True
    """
    options = {"metric": metric, "missing": missing, "unmatched": unmatched}
    if not has_logs(logs):
        raise InvalidInputError("Give the evaluation logs that are counted.", hint="read_log or read_long opens one.")
    of_labels = metric is not None and needs_truth(metric)
    if of_labels and not (isinstance(metric, str) and metric == "cost"):
        if metric_kind(metric) == "scores":
            raise InvalidInputError(
                f"{getattr(metric, 'name', metric)!r} is about scores, and counts hold labels, or who was right.",
                hint=wording("leave metric= out, or name one of labels, such as macro_f1."),
            )
        parse_metric(metric)
    paired = pair_one_task(logs, predictions, options)
    table = counts_of(paired, labels=of_labels, missing=missing)
    if table is None:
        raise DataError(
            f"The log's {paired.score.name!r} says more than right or wrong: counts of it would be the rows.",
            hint=wording("compare the logs; or, where they have labels, count those by metric=, such as macro_f1."),
        )
    return table
