"""What evaluation logs hold, and the questions that they can answer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Final

from ropewalk.cli.doctor.finding import Command, Finding, argument_of, size_of
from ropewalk.data.kinds import LOGS, QRELS, kind_of
from ropewalk.data.logs import Log, read_log, trec
from ropewalk.data.logs.choosing import Option, names_for_all
from ropewalk.data.logs.reading import by_task
from ropewalk.data.logs.registry import find_format
from ropewalk.data.logs.rows import Choice, Row, Run
from ropewalk.data.profiles import ROWS_LOOKED_AT
from ropewalk.errors import RopewalkError, RopewalkWarning

_PAIR: Final = 2


def describe_logs(path: str) -> Finding:
    """Return what the logs of a file, a folder or a pattern hold."""
    form = find_format(Path(path)) if Path(path).is_file() else None
    judged = _judged(path)
    log = read_log(path, qrels=judged[1] if judged else None)
    remarks = list(dict.fromkeys(note for run in log.runs for note in run.notes))
    if form is trec.RUN and not judged:
        remarks.append("A run of a search system needs relevance judgements: give them as --qrels FILE.")
    return Finding(
        path=path,
        what=f"an evaluation log ({form.title})" if form else "evaluation logs",
        facts={**size_of(path), "systems": len(log.systems), "tasks": len(log.tasks)},
        heads=("system", "task", "scores", "filters"),
        rows=[(run.system, run.task, [score.name for score in run.scores], list(run.filters)) for run in log.runs],
        remarks=tuple(remarks),
        commands=() if form is trec.RUN and not judged else tuple(_commands([argument_of(path)], log, judged)),
    )


def commands_together(paths: Sequence[str]) -> tuple[Command, ...]:
    """Return the lines that ask about logs together, each of which has one system; none for anything else.

    What reading them warns of is said where each is described.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RopewalkWarning)
        return _commands_together(paths)


def _commands_together(paths: Sequence[str]) -> tuple[Command, ...]:
    logs: list[Log] = []
    judged: tuple[str, ...] = ()
    for path in paths:
        with suppress(RopewalkError):
            if kind_of(path) is LOGS:
                judged = judged or _judged(path)
                logs.append(read_log(path, qrels=judged[1] if judged else None))
    if not _PAIR <= len(logs) == len(paths) or any(len(log.systems) > 1 for log in logs):
        return ()
    tasks = [task for task in logs[0].tasks if all(task in log.tasks for log in logs)]
    runs = tuple(run for log in logs for run in log.runs if run.task in tasks[:1])
    if len(runs) != len(logs):
        return ()
    several = any(len(log.tasks) > 1 for log in logs)
    whole = Log(runs=runs, choice=logs[0].choice, path=paths[0])
    beside = (*(("--task", tasks[0]) if several else ()), *judged)
    asked = _commands(list(map(argument_of, paths)), whole, beside)
    return tuple(command for command in asked if command.arguments[0] in {"compare", "rank"})


def _commands(paths: Sequence[str], log: Log, beside: Sequence[str]) -> Iterator[Command]:
    """Yield the lines that ask what logs can answer, with the options that say which score, filter and task."""
    task = log.tasks[0]
    runs = [run for run in log.runs if run.task == task]
    systems = list(dict.fromkeys(run.system for run in runs))
    chosen = _chosen(runs)
    if chosen is None:
        return
    chosen = (*(("--task", task) if len(log.tasks) > 1 else ()), *chosen, *beside)
    convert = ("convert", *paths, "-o", "items.csv", *_chosen_of_all(log), *beside)
    if any(row.score is None for row in _first_rows(runs, chosen)):
        chosen = (*chosen, "--missing", "drop")
    apart = len(paths) == len(runs) > 1
    if len(runs) == _PAIR or (len(systems) > 1 and not apart):
        pair = ("--a", systems[0], "--b", systems[1]) if len(log.systems) > _PAIR else ()
        yield Command(asks="Is one better than the other", arguments=("compare", *paths, *pair, *chosen))
    if len(runs) > _PAIR and len(systems) > 1:
        yield Command(asks="Which is best", arguments=("rank", *paths, *chosen))
    if not apart:
        named = ("--prediction", systems[0]) if len(log.systems) > 1 else ()
        yield Command(asks="How good is one", arguments=("evaluate", *paths, *named, *chosen))
    yield Command(asks="All answers as one table", arguments=convert)


def _first_rows(runs: Sequence[Run], chosen: Sequence[str]) -> Iterator[Row]:
    """Yield the first rows of every run, by the score and filter that options name."""
    options = dict(zip(chosen[::2], chosen[1::2], strict=True))
    for run in runs:
        choice = Choice(scorer=options.get("--scorer"), filter=options.get("--filter"), qrels=options.get("--qrels"))
        choice = replace(choice, scorer=run.score(choice).name, filter=run.filter(choice))
        with closing(run.rows(choice)) as rows:  # type: ignore[type-var]
            yield from islice(rows, ROWS_LOOKED_AT // len(runs))


def _chosen(runs: Sequence[Run]) -> tuple[str, ...] | None:
    """Return options for a score and a filter that all runs have; None where there is no such score."""
    scores = [score.name for score in runs[0].scores if all(score in run.scores for run in runs)]
    filters = [name for name in runs[0].filters if all(name in run.filters for run in runs)]
    if not scores or (runs[0].filters and not filters):
        return None
    several = any(len(run.scores) > 1 for run in runs), any(len(run.filters) > 1 for run in runs)
    scorer = ("--scorer", scores[0]) if several[0] else ()
    return (*scorer, *(("--filter", filters[0]) if several[1] else ()))


def _chosen_of_all(log: Log) -> Iterator[str]:
    """Yield options for scores and filters by which all tasks can be read."""
    tasks = by_task(log.runs)
    options: tuple[Option, ...] = ("scorer", "filter")
    for option in options:
        if names := names_for_all(tasks, option):
            yield from (f"--{option}", names)


# -- search ------------------------------------------------------------------------------------------------


def describe_qrels(path: str) -> Finding:
    """Return what relevance judgements are for."""
    told = "Runs of search systems are judged by them: ropewalk compare NEW.run OLD.run --qrels FILE --scorer AP."
    return Finding(path=path, what="relevance judgements", facts=size_of(path), remarks=(told,))


def _judged(path: str) -> tuple[str, ...]:
    """Return the option that names relevance judgements in the folder of a run; nothing for any other log."""
    if not Path(path).is_file() or find_format(Path(path)) is not trec.RUN:
        return ()
    for file in sorted(Path(path).parent.iterdir()):
        with suppress(RopewalkError):
            if "qrel" in file.name.lower() and file.is_file() and kind_of(file, (QRELS,)) is QRELS:
                return "--qrels", str(file)
    return ()
