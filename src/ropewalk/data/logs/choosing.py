"""Choose the score and the filter by which each task is compared: one that the logs of all systems have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from ropewalk.data.logs.rows import Choice, Run, pick, wanted_names
from ropewalk.errors import InvalidInputError, PairingError
from ropewalk.text.writing import shorten

Option = Literal["scorer", "filter"]

_WHAT: Final[Mapping[Option, str]] = {"scorer": "scores", "filter": "filters"}


def choices_for(tasks: Mapping[str, Sequence[Run]], choice: Choice) -> dict[str, tuple[Choice, tuple[str, ...]]]:
    """Return what is asked of each task, and notes on it; `tasks` have a run of each system.

    The score that was named is taken where a task has it. A task that has another one only is compared by that.

    Examples
    --------
    >>> from ropewalk.data.logs.rows import Score
    >>> names = {"quiz": ("acc", "acc_norm"), "sums": ("exact_match",)}
    >>> tasks = {t: [Run(system="a", scores=tuple(Score(name=n) for n in names[t]), rows=iter)] for t in names}
    >>> {task: asked.scorer for task, (asked, _) in choices_for(tasks, Choice(scorer="acc")).items()}
    {'quiz': 'acc', 'sums': 'exact_match'}
    """
    chosen: dict[str, tuple[Choice, tuple[str, ...]]] = dict.fromkeys(tasks, (choice, ()))
    open_questions: list[InvalidInputError] = []
    for option in _WHAT:
        try:
            _choose(chosen, tasks, option, choice)
        except InvalidInputError as error:
            open_questions.append(error)
    if len(open_questions) > 1 and all(type(error) is InvalidInputError for error in open_questions):
        text = " ".join(error.message for error in open_questions)
        first, second = (error.hint or "" for error in open_questions)
        raise InvalidInputError(text, hint=first + " " + second)
    if open_questions:
        raise open_questions[0]
    return chosen


def names_for_all(tasks: Mapping[str, Sequence[Run]], option: Option) -> str:
    """Return as few scores, or filters, as will do for all tasks, with commas; empty where none has a choice."""
    return _cover({task: _shared(runs, option, Choice()) for task, runs in tasks.items()})


def _choose(
    chosen: dict[str, tuple[Choice, tuple[str, ...]]],
    tasks: Mapping[str, Sequence[Run]],
    option: Option,
    choice: Choice,
) -> None:
    """Write the score, or the filter, of each task into what was chosen."""
    shared = {task: _shared(runs, option, choice) for task, runs in tasks.items()}
    there = list(dict.fromkeys(name for names in shared.values() for name in names))
    wanted, cover = getattr(choice, option), _cover(shared)
    for task, names in shared.items():
        asked, notes = chosen[task]
        name = _name(tasks[task], names, option, choice, there=there, cover=cover)
        if option == "scorer" and None not in {name, wanted} and name not in wanted_names(wanted):
            notes = (*notes, f"The task {task!r} has no score {wanted!r}: its {name!r} is taken.")
        chosen[task] = _with(asked, option, name), notes


def _with(choice: Choice, option: Option, name: str | None) -> Choice:
    return replace(choice, scorer=name) if option == "scorer" else replace(choice, filter=name)


def _names(run: Run, option: Option, choice: Choice) -> list[str]:
    """Return what a run has to choose from, and what was named where more can be had than is listed."""
    if option == "filter":
        return list(run.filters)
    names = [score.name for score in run.scores]
    return names + [name for name in wanted_names(choice.scorer) if name not in names and run.find_score(name)]


def _shared(runs: Sequence[Run], option: Option, choice: Choice) -> list[str]:
    """Return the scores, or filters, that all runs have."""
    first, *others = (_names(run, option, choice) for run in runs)
    return [name for name in first if all(name in other for other in others)]


def _name(
    runs: Sequence[Run], shared: Sequence[str], option: Option, choice: Choice, *, there: Sequence[str], cover: str
) -> str | None:
    """Return the score, or filter, of one task; None where each log has only one, or no filter."""
    wanted, task, what = getattr(choice, option), runs[0].task, _WHAT[option]
    if option == "filter" and not any(run.filters for run in runs) and (wanted is None or there):
        return None
    if found := next((name for name in wanted_names(wanted) if name in shared), None):
        return found
    is_elsewhere = any(name in there for name in wanted_names(wanted))
    if len(shared) == 1 and (wanted is None or is_elsewhere):
        return shared[0]
    if not shared and all(len(_names(run, option, choice)) == 1 for run in runs):
        return None  # each has one of its own, which those who pair them compare
    if not shared and len(runs) > 1:
        listed = "; ".join(f"{run.system!r} has {shorten(_names(run, option, choice), 12) or 'none'}" for run in runs)
        raise PairingError(
            f"The logs{f' of task {task!r}' if task else ''} have none of the {what} in common: {listed}.",
            hint="compare logs of the same task and version, or convert them to one table of scores.",
        )
    if wanted is None or is_elsewhere:
        return pick(None, shared, option, what, task, example=cover)
    return pick(wanted, there, option, what, task if len(there) == len(shared) else "")


def _cover(shared: Mapping[str, Sequence[str]]) -> str:
    """Return as few names as will do for all tasks that have a choice, with commas."""
    left = [names for names in shared.values() if len(names) > 1]
    cover: list[str] = []
    while left:
        names = left[0]
        cover.append(max(names, key=lambda name: sum(name in other for other in left)))
        left = [names for names in left if cover[-1] not in names]
    return ",".join(cover)
