"""Ask a question about evaluation logs: their answers become arrays, and the log's own score the metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from ropewalk.data.counts import with_counts
from ropewalk.data.inputs import Names
from ropewalk.data.logs.chances import chances_of
from ropewalk.data.logs.pairing import Paired, labels_of, scores_of
from ropewalk.data.logs.systems import has_logs, pair_one_task
from ropewalk.errors import InvalidInputError
from ropewalk.inference.question import kinds_of, metrics_of
from ropewalk.inference.remarks import left_out
from ropewalk.metrics.resolve import metric_kind, needs_truth
from ropewalk.text.remarks import Remark, argument, note
from ropewalk.text.writing import shorten

T = TypeVar("T")


def remarks_on(paired: Paired) -> tuple[Remark, ...]:
    """Return what the readers of an answer should know of the logs."""
    gone = (left_out(paired.left_out),) if paired.left_out else ()
    return (*gone, *(note("log", text) for text in paired.notes))


def with_remarks(result: T, options: Mapping[str, Any]) -> T:
    """Return an answer with what `open_logs` has remarked, where it was about logs."""
    remarks = options.get("log_remarks", ())
    return replace(result, remarks=(*result.remarks, *remarks)) if remarks else result  # type: ignore[attr-defined,type-var]


def as_arrays(paired: Paired, options: Mapping[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the answers to one task as arrays, and the options with what the log says of them.

    Without a metric the log's own score is compared, as a mean. Metrics of labels are about truth and predictions.
    """
    asked = {**options, "names": paired.names, "cluster": paired.cluster, "id": [item for item, _ in paired.keys]}
    asked.pop("unmatched", None)  # they are matched
    if paired.parts is not None:
        asked["by"] = list(paired.parts)
    usual = None if paired.score.of_labels else "mean"
    metrics = [(usual if metric is None else metric) for metric in metrics_of(options)]
    asked["metric"] = metrics[0] if len(metrics) == 1 else metrics
    if any(not needs_truth(metric) for metric in metrics):
        score = paired.score
        if asked.get("higher_is_better") is None:
            asked["higher_is_better"] = score.higher_is_better
        if asked.get("scale") is None and score.low is not None and score.high is not None:
            asked["scale"] = (score.low, score.high)
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


def are_of_chances(metrics: Sequence[Any]) -> bool:
    """Whether some metrics are about the probabilities of labels."""
    return any(metric is not None and metric_kind(metric) == "scores" and needs_truth(metric) for metric in metrics)


def open_log(
    data: Sequence[Any], name: str | None, options: Mapping[str, Any]
) -> tuple[Sequence[Any], str | None, Mapping[str, Any]]:
    """Return the log of one task and system as an array; its name may follow it.

    A file of counts becomes its table, and other data stay as they are.
    """
    logs = [each for each in data if not isinstance(each, str)]
    if not has_logs(logs):
        first, options = with_counts(data[:1], options)  # a name may follow
        return (*first, *data[1:]), name, options
    said = [each for each in (*data, name) if isinstance(each, str)]
    if len(said) > 1:
        raise InvalidInputError(f"The system is named twice: {shorten(said)}.", hint="name it once.")
    arrays, _, asked = open_logs(logs, said or [None], options)
    return arrays, None, asked


def open_logs(
    data: Sequence[Any], classifiers: Names | None, options: Mapping[str, Any]
) -> tuple[Sequence[Any], Names | None, Mapping[str, Any]]:
    """Return logs of one task as arrays, without names to choose by.

    Files of counts become their tables, and other data stay as they are.
    """
    if not has_logs(data):
        if options.get("unmatched") not in {None, "error"}:
            raise InvalidInputError(
                argument("unmatched") + " is about two evaluation logs, or two files that are joined.",
                hint="leave it out.",
            )
        data, options = with_counts(data, options)
        return data, classifiers, options
    arrays, asked = _one_task(data, classifiers, options)
    return arrays, [None] * (len(arrays) - 1), asked


def _one_task(
    data: Sequence[Any], classifiers: Names | None, options: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    paired = pair_one_task(data, classifiers, options, chances=are_of_chances(metrics_of(options)))
    arrays, asked = as_arrays(paired, options)
    return arrays, {**asked, "log_remarks": remarks_on(paired)}
