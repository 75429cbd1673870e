"""Tell systems apart that are called alike: by what differs between their runs, else by their files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Final

from ropewalk.data.logs.rows import Run

_LOG: Final = "log"  # what the place of a file is called in a name


def distinct_names(runs: Sequence[Sequence[Run]], paths: Sequence[str]) -> list[str]:
    """Return names of systems that differ: alike ones by the first fact that tells all of them apart, or their paths.

    Examples
    --------
    >>> quiet, chatty = (Run(system="m", scores=(), facts={"prompt": p}, rows=iter) for p in ("short", "long"))
    >>> distinct_names([[quiet], [chatty]], ["a", "b"]), distinct_names([[quiet], [quiet]], ["a", "a"])
    (['m (prompt short)', 'm (prompt long)'], ['m (1)', 'm (2)'])
    >>> distinct_names([[quiet], [quiet]], ["logs/new/x.eval", "logs/old/y.eval"])
    ['m (log new)', 'm (log old)']
    """
    names = [group[0].system for group in runs]
    for name in {name for name in names if names.count(name) > 1}:
        places = [place for place, other in enumerate(names) if other == name]
        facts = [_facts_of(runs[place]) for place in places]
        own = _told_apart(facts, [paths[place] for place in places], [""] * len(places))
        for place, said in zip(places, own, strict=True):
            names[place] = f"{name} ({said})"
    if len(set(names)) < len(names):
        names = [f"{group[0].system} ({number})" for number, group in enumerate(runs, 1)]
    return names


def separated(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return runs of which no two are of one system on one task: what is called alike is told apart.

    Examples
    --------
    >>> runs = [Run(system="m", task=t, scores=(), path=f"logs/{d}/{t}.eval", rows=iter) for d in "ab" for t in "xy"]
    >>> [(run.system, run.task) for run in separated(runs)]
    [('m (log a)', 'x'), ('m (log a)', 'y'), ('m (log b)', 'x'), ('m (log b)', 'y')]
    >>> [run.system for run in separated(runs[:2])]
    ['m', 'm']
    """
    renamed = list(runs)
    systems: dict[str, list[int]] = {}
    for place, run in enumerate(runs):
        systems.setdefault(run.system, []).append(place)
    for name, places in systems.items():
        own = [runs[place] for place in places]
        tasks = [run.task for run in own]
        if len(set(tasks)) == len(tasks):
            continue
        said = _told_apart([run.facts for run in own], [run.path for run in own], tasks)
        for place, what in zip(places, said, strict=True):
            renamed[place] = replace(runs[place], system=f"{name} ({what})")
    return tuple(renamed)


def _told_apart(facts: Sequence[Mapping[str, str]], paths: Sequence[str], tasks: Sequence[str]) -> list[str]:
    """Return what tells runs apart, of which those on one task must differ."""
    keys = dict.fromkeys(key for one in facts for key in one)
    for key, values in [(key, [one.get(key) for one in facts]) for key in keys] + [*_parts_of(paths)]:
        if len(set(values)) > 1 and len(set(zip(values, tasks, strict=True))) == len(tasks):
            return [f"no {key}" if value is None else f"{key} {value}" for value in values]
    order = sorted(range(len(tasks)), key=tasks.__getitem__)
    numbers = {
        place: number for _, same in groupby(order, key=tasks.__getitem__) for number, place in enumerate(same, 1)
    }
    return [str(numbers[place]) for place in range(len(tasks))]


def _parts_of(paths: Sequence[str]) -> Iterator[tuple[str, list[str | None]]]:
    """Yield the parts of paths: those of the first folder, of the folder in it, and so on to the names of files."""
    for parts in zip(*(Path(path).parts for path in paths), strict=False):
        yield _LOG, list(parts)


def _facts_of(group: Sequence[Run]) -> dict[str, str]:
    """Return the facts that all runs of a system share."""
    first, *others = (dict(run.facts) for run in group)
    return {key: value for key, value in first.items() if all(other.get(key) == value for other in others)}
