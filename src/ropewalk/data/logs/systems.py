"""Which systems of evaluation logs a question is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ropewalk.data.inputs import listed
from ropewalk.data.logs.pairing import Key, Paired, pair_logs
from ropewalk.data.logs.reading import Log, with_choice
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import count_of, shorten, told

_OF_ARRAYS: Final = ("truth", "labels", "cluster", "id", "sample_weight", "count", "threshold", "columns")
"""What a log says itself."""


def pair_data(
    data: Sequence[Any],
    classifiers: Sequence[str | None] | None,
    options: Mapping[str, Any],
    *,
    chances: bool = False,
) -> list[Paired]:
    """Return the paired answers of each task that all systems have; `classifiers` name systems of the logs.

    There are as many systems as `classifiers`; any number where it is None. `chances` is whether the probabilities of
    labels are wanted.
    """
    logs = listed(data)
    if not all(isinstance(log, Log) for log in logs):
        raise InvalidInputError("Evaluation logs cannot be compared with other data.", hint="convert them to a table.")
    for name in _OF_ARRAYS:
        if options.get(name) is not None:
            raise InvalidInputError(argument(name) + " does not go with evaluation logs.", hint="leave it out.")
    chosen = [with_choice(log, chances=chances) for log in _chosen(logs, classifiers)]
    n_systems = sum(len(log.systems) for log in chosen)
    if classifiers is not None and n_systems != len(classifiers):
        systems = list(dict.fromkeys(system for log in logs for system in log.systems))
        raise InvalidInputError(
            f"The question is about {count_of(len(classifiers), 'system')}, and {count_of(len(logs), 'log')} of "
            f"{shorten(systems, 6)} came.",
            hint=_named(len(classifiers), systems),
        )
    by = options.get("by")
    if not isinstance(by, str | None):
        raise InvalidInputError(
            argument("by") + " is an array, and evaluation logs have items of their own order.",
            hint="name a key of the items' metadata.",
        )
    names, missing = options.get("names"), options.get("missing", "error")
    return pair_logs(chosen, missing=missing, unmatched=options.get("unmatched") or "error", names=names, by=by)


def pair_one_task(
    data: Sequence[Any],
    classifiers: Sequence[str | None] | None,
    options: Mapping[str, Any],
    *,
    chances: bool = False,
) -> Paired:
    """Return the paired answers of logs of one task."""
    paired = pair_data(data, classifiers, options, chances=chances)
    if len(paired) > 1:
        raise InvalidInputError(
            f"The logs hold {len(paired)} tasks: {shorten((each.task for each in paired), 6)}.",
            hint=wording(
                'pick one by task=; `compare_tasks` asks about each, and compare with over="these" about all.'
            ),
        )
    return paired[0]


def pair_with_humans(
    data: Sequence[Any], classifiers: Sequence[str | None] | None, options: Mapping[str, Any]
) -> tuple[Paired, list[list[Any]]]:
    """Return the paired answers of logs of one task, and what humans say of those of each system, None where nothing.

    `human=` names one of the logs' scores, or a key that some of the items have in their metadata.
    """
    human = options["human"]
    if not isinstance(human, str):
        raise InvalidInputError(
            argument("human") + f" must name a score of the logs, or a key of the items' metadata; got {told(human)}.",
            hint="evaluation logs have items of their own order.",
        )
    paired = pair_one_task(data, classifiers, options)
    logs = [log.only(task=paired.task) for log in _chosen(listed(data), classifiers)]
    each = [log.only(system=name) for log in logs for name in log.systems]
    said = [_said_by_humans(log, human, paired.keys) for log in each]
    if all(value is None for values in said for value in values):
        raise DataError(
            f"No item of the logs has a score, or metadata, of a human under {human!r}.",
            hint=f"the logs have the scores {shorten(each[0].scores, 12)}; metadata are named by their key.",
        )
    return paired, said


def _said_by_humans(log: Log, human: str, keys: Sequence[Key]) -> list[Any]:
    """Return what humans say of the answers of one system to these items."""
    (run,) = log.runs
    if human in log.scores or run.find_score(human) is not None:
        found: dict[Key, Any] = {(row.item, row.repeat): row.score for row in with_choice(log, scorer=human).rows()}
    else:
        with_key = with_choice(log, cluster=human, of_some=True)
        found = {(row.item, row.repeat): row.cluster for row in with_key.rows()}
    return [found[key] for key in keys]


def shared_tasks(data: Sequence[Any], classifiers: Sequence[str | None] | None) -> list[str]:
    """Return the tasks that all systems of logs have; `classifiers` name systems, as in `pair_data`."""
    logs = listed(data)
    if not all(isinstance(log, Log) for log in logs):
        return []
    each = [set(log.only(system=name).tasks) for log in _chosen(logs, classifiers) for name in log.systems]
    return [task for task in logs[0].tasks if all(task in tasks for tasks in each)]


def _named(number: int, systems: Sequence[str]) -> str:
    """Return how the systems that are meant are named."""
    if number == 1 and len(systems) > 1:
        return wording("name one of them, such as name={!r}.", systems[0])
    return wording("name those that are meant, such as `a` and `b`.")


def _chosen(logs: Sequence[Log], classifiers: Sequence[str | None] | None) -> list[Log]:
    """Return one log per system that is named; else the logs as they are."""
    if classifiers is None or all(name is None for name in classifiers):
        return list(logs)
    if len(logs) == 1:
        rest = [system for system in logs[0].systems if system not in classifiers]
        others = iter(rest if len(rest) == list(classifiers).count(None) else ())
        return [logs[0].only(system=next(others, None) if name is None else name) for name in classifiers]
    if len(logs) != len(classifiers):
        raise InvalidInputError(
            f"{len(classifiers)} systems are named for {len(logs)} logs.", hint="name one per log, or none."
        )
    return [log.only(system=name) for log, name in zip(logs, classifiers, strict=True)]
