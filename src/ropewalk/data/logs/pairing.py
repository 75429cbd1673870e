"""Pair the answers of several systems, item by item, and refuse what cannot be paired."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from ropewalk._checks import check_missing, check_unmatched
from ropewalk.data.log_score import RIGHT, WRONG
from ropewalk.data.logs.choosing import choices_for
from ropewalk.data.logs.naming import distinct_names
from ropewalk.data.logs.reading import Log, with_choice
from ropewalk.data.logs.rows import Row, Score
from ropewalk.data.tally import check_names
from ropewalk.errors import (
    DataError,
    DroppedItemsWarning,
    FileFormatError,
    InvalidInputError,
    MissingLabelsError,
    PairingError,
    warn_caller,
)
from ropewalk.text.remarks import wording
from ropewalk.text.writing import brief, count_of, shorten
from ropewalk.typing import FloatArray, Missing

Key = tuple[str, int]
"""An item and its repeat."""

MAX_NAMED: Final = 3  # items that an error names


# -- pairing -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The answers of several systems to the same items of one task.

    `keys` are (item, repeat) in the order of the first system, `rows` has one list per system, in the same order.
    `parts` are what slices them, None where nothing does.
    """

    task: str
    names: tuple[str, ...]
    score: Score
    keys: tuple[Key, ...]
    rows: tuple[tuple[Row, ...], ...]
    left_out: int
    notes: tuple[str, ...]
    parts: tuple[str | None, ...] | None = None

    @property
    def cluster(self) -> list[str] | None:
        """What items belong together: by their metadata, or as repeats of one item; None where each stands alone."""
        groups = [self._group(answers) for answers in zip(*self.rows, strict=True)]
        if any(group is not None for group in groups):
            return [group or f"item {item}" for group, (item, _) in zip(groups, self.keys, strict=True)]
        return [item for item, _ in self.keys] if len({item for item, _ in self.keys}) < len(self.keys) else None

    def _group(self, answers: Sequence[Row]) -> str | None:
        """Return what an item belongs to, as far as any of the systems has it."""
        said = {row.cluster: name for row, name in zip(answers, self.names, strict=True) if row.cluster is not None}
        if len(said) > 1:
            listed = ", ".join(f"{brief(group)!r} by {brief(name)!r}" for group, name in said.items())
            raise DataError(
                f"Logs disagree about the cluster of item {brief(answers[0].item)!r}: {listed}.",
                hint="name metadata that belong to the item, not to its answer.",
            )
        return next(iter(said), None)


def pair_logs(
    logs: Sequence[Log],
    *,
    missing: Missing = "error",
    unmatched: str = "error",
    names: Sequence[str] | None = None,
    by: str | None = None,
) -> list[Paired]:
    """Pair the systems of logs, task by task.

    `by` is the key of the items' metadata that slices them.
    """
    check_missing(missing)
    check_unmatched(unmatched)
    groups = [log.only(system=name) for log in logs for name in log.systems]
    if names is None:
        names = distinct_names([log.runs for log in groups], [log.path for log in groups])
    called = check_names(names, len(groups))
    tasks = [set(log.tasks) for log in groups]
    shared = [name for name in groups[0].tasks if all(name in one for one in tasks)]
    lone = sorted({name for one in tasks for name in one} - set(shared))
    if not shared or (lone and unmatched == "error"):
        listed = "; ".join(f"{name!r} has {shorten(log.tasks, 6)}" for name, log in zip(called, groups, strict=True))
        raise PairingError(
            f"The logs are not of the same tasks: {listed}.",
            hint=wording('task= picks one, and unmatched="drop" leaves out what only one side has.')
            if shared
            else wording("compare logs of the same task; task= picks one."),
        )
    by_task = _chosen({name: [log.only(task=name) for log in groups] for name in shared})
    paired = [_pair(*of_task, called, name, missing, unmatched) for name, of_task in by_task.items()]
    return paired if by is None else [_sliced(one, by_task[one.task][0][0], by) for one in paired]


def _sliced(paired: Paired, log: Log, by: str) -> Paired:
    """Return paired answers with what slices them, which is read from the log of the first system."""
    parts = {(row.item, row.repeat): row.cluster for row in with_choice(log, cluster=by, chances=False).rows()}
    return replace(paired, parts=tuple(parts[key] for key in paired.keys))


def _chosen(tasks: Mapping[str, Sequence[Log]]) -> dict[str, tuple[list[Log], tuple[str, ...]]]:
    """Return the logs of each task with a score and filter that all of them have, and notes on which these are.

    Logs for which different ones were named are left as they are.
    """
    asked = list(dict.fromkeys(log.choice for logs in tasks.values() for log in logs))
    if len({(choice.scorer, choice.filter) for choice in asked}) > 1:
        return {task: (list(logs), ()) for task, logs in tasks.items()}
    choices = choices_for({task: [log.runs[0] for log in logs] for task, logs in tasks.items()}, asked[0])
    return {
        task: ([with_choice(log, scorer=choice.scorer, filter=choice.filter) for log in tasks[task]], notes)
        for task, (choice, notes) in choices.items()
    }


def _pair(  # noqa: PLR0917 - as pair_logs has them
    groups: Sequence[Log], told: Sequence[str], names: tuple[str, ...], task: str, missing: Missing, unmatched: str
) -> Paired:
    score = _one_score([log.runs[0].score(log.choice) for log in groups], names)
    tables = [{(row.item, row.repeat): row for row in log.rows()} for log in groups]
    for table, log, name in zip(tables, groups, names, strict=True):
        if not table:
            raise FileFormatError(f"The log of {name!r} has no items ({log.path!r}).", hint="run the evaluation again.")
    keys = [key for key in tables[0] if all(key in table for table in tables[1:])]
    alone = sum(len(table) for table in tables) - len(keys) * len(tables)
    if alone and unmatched == "error":
        _refuse_unmatched(tables, names, keys)
    if not keys:
        raise PairingError("The logs share no item.", hint="are these answers to the same questions?")
    if alone:
        text = f"{count_of(alone, 'answer')} without a match left out; {count_of(len(keys), 'pair')} remain."
        warn_caller(text, DroppedItemsWarning)
    _check_questions(tables, names, keys)
    holes = [key for key in keys if any(table[key].score is None for table in tables)]
    if holes and missing == "error":
        _refuse_holes(tables, names, holes)
    if holes and missing == "drop":
        gone = set(holes)
        keys = [key for key in keys if key not in gone]
        if not keys:
            raise MissingLabelsError("No item has a score of all systems.", hint="nothing is left to compare.")
        warn_caller(f"{count_of(len(holes), 'item')} without a score left out.", DroppedItemsWarning)
    rows = tuple(tuple(table[key] for key in keys) for table in tables)
    notes = tuple(
        dict.fromkeys([*told, *_same_logs(groups, names), *(n for log in groups for r in log.runs for n in r.notes)])
    )
    left_out = len(set().union(*tables)) - len(keys)
    return Paired(task=task, names=names, score=score, keys=tuple(keys), rows=rows, left_out=left_out, notes=notes)


def _same_logs(groups: Sequence[Log], names: Sequence[str]) -> Iterator[str]:
    """Yield a note on each system that was read from the file of an earlier one, in the same way."""
    places = [(log.systems, log.choice, [os.path.realpath(run.path) for run in log.runs]) for log in groups]
    for i, place in enumerate(places):
        first = places.index(place)
        if first < i and all(run.path and Path(run.path).exists() for run in groups[i].runs):
            yield f"{names[first]} and {names[i]} are the same log: nothing can differ."


def _one_score(scores: Sequence[Score], names: Sequence[str]) -> Score:
    """Return the score of all systems; what is scored otherwise cannot be compared."""
    first, *others = scores
    for name, score in zip(names[1:], others, strict=True):
        if (score.name, score.higher_is_better) != (first.name, first.higher_is_better):
            way = "" if score.name != first.name else ", of which more is better for one of them only"
            raise PairingError(
                f"{names[0]!r} is scored by {first.name!r} and {name!r} by {score.name!r}{way}.",
                hint="compare logs of the same task and version, or convert them to one table of scores.",
            )
    ends = [(score.low, score.high) for score in scores]
    if None in {end for pair in ends for end in pair}:
        return replace(first, low=None, high=None)
    return replace(first, low=min(low for low, _ in ends), high=max(high for _, high in ends))  # type: ignore[type-var]


def _refuse_unmatched(tables: Sequence[dict[Key, Row]], names: Sequence[str], keys: Sequence[Key]) -> None:
    shared = set(keys)
    for table, name in zip(tables, names, strict=True):
        lone = [key for key in table if key not in shared]
        if lone:
            first = shorten((item if repeat == 1 else f"{item} (repeat {repeat})" for item, repeat in lone), MAX_NAMED)
            raise PairingError(
                f"{len(lone):,} of {len(table):,} answers of {name!r} have no match (first: {first}).",
                hint=wording('unmatched="drop" compares the {:,} shared ones only.', len(keys))
                if keys
                else "are these answers to the same questions?",
            )


def _differ(first: Row, other: Row) -> bool:
    """Whether rows are about different questions; where these are not known, whether their truth differs."""
    of_both = (first.question, other.question)
    return _known_and_unlike(*((first.truth, other.truth) if None in of_both else of_both))


def _known_and_unlike(first: str | None, other: str | None) -> bool:
    return first is not None and other is not None and first != other


def _check_questions(tables: Sequence[dict[Key, Row]], names: Sequence[str], keys: Sequence[Key]) -> None:
    """Refuse items that have the same id and are about something else."""
    for table, name in zip(tables[1:], names[1:], strict=True):
        differ = [key for key in keys if _differ(tables[0][key], table[key])]
        if differ:
            raise PairingError(
                f"{count_of(len(differ), 'item')} of {names[0]!r} and {name!r} with the same id are about different "
                f"questions (first: {differ[0][0]!r}).",
                hint="compare logs of the same task and version, with the same questions and targets.",
            )


def _refuse_holes(tables: Sequence[dict[Key, Row]], names: Sequence[str], holes: Sequence[Key]) -> None:
    counts = {
        name: Counter(table[key].error or "no score" for key in holes if table[key].score is None)
        for table, name in zip(tables, names, strict=True)
    }
    told = "; ".join(
        f"{sum(errors.values()):,} of {name!r} ({shorten(errors, MAX_NAMED)})"
        for name, errors in counts.items()
        if errors
    )
    raise MissingLabelsError(
        f"{count_of(len(holes), 'item')} without a score: {told}.",
        hint=wording('missing="drop" leaves out the pair, missing="wrong" counts it 0.'),
    )


# -- columns -----------------------------------------------------------------------------------------------


def right_and_wrong(paired: Paired) -> tuple[list[str], ...] | None:
    """Return what is true of all items, `RIGHT`, and whether each system was; None where scores say more than that."""
    scores = scores_of(paired)
    if not all(np.isin(column, (0.0, 1.0)).all() for column in scores):
        return None
    of_right = paired.score.of_right
    return ([RIGHT] * len(paired.keys), *([RIGHT if x == of_right else WRONG for x in column] for column in scores))


def scores_of(paired: Paired) -> list[FloatArray]:
    """Return the log's own score of every answer, one array per system; a missing one counts 0."""
    if not paired.score.higher_is_better and any(row.score is None for rows in paired.rows for row in rows):
        raise InvalidInputError(
            f"A missing {paired.score.name!r} cannot count 0: less of it is better.",
            hint=wording('missing="drop" leaves out the pair.'),
        )
    return [np.array([row.score or 0.0 for row in rows]) for rows in paired.rows]


def labels_of(paired: Paired) -> tuple[list[str | None], ...]:
    """Return the true labels, and the predictions of each system; an answer without a score predicts nothing."""
    truths = [row.truth for row in paired.rows[0]]
    for name, rows in zip(paired.names[1:], paired.rows[1:], strict=True):
        differ = [row.item for row, truth in zip(rows, truths, strict=True) if row.truth != truth]
        if differ:
            raise PairingError(
                f"{paired.names[0]!r} and {name!r} disagree about the truth of {count_of(len(differ), 'item')} "
                f"(first: {differ[0]!r}).",
                hint="compare logs of the same task and version.",
            )
    if all(truth is None for truth in truths):
        raise DataError(
            "The log holds no true labels, so only its own scores can be compared.",
            hint=wording('leave metric= out, or metric="mean".'),
        )
    return (truths, *([None if row.score is None else row.prediction for row in rows] for rows in paired.rows))
