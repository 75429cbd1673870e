"""Read evaluation logs: open a file or a folder, and choose among its scores, tasks and systems."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from ropewalk._checks import checked_keywords, published
from ropewalk.data.logs.choosing import choices_for
from ropewalk.data.logs.long_table import Columns, named_runs
from ropewalk.data.logs.naming import separated
from ropewalk.data.logs.rows import Choice, Row, Run, pick
from ropewalk.data.logs.writing import frame_of_rows
from ropewalk.data.records import records_of
from ropewalk.errors import PairingError
from ropewalk.text.writing import shorten

Name = tuple[str, str]
"""The system and the task of a run."""


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Log:
    """Evaluation logs that were opened: runs of systems on tasks, and which of their scores is meant.

    Rows are read when they are asked for, so that a log of any size can be opened. Made by `read_log`.
    """

    runs: tuple[Run, ...]
    choice: Choice
    path: str
    source: Callable[[], Iterable[Run]] | None = field(default=None, compare=False)

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems, in the order in which they come."""
        return tuple(dict.fromkeys(run.system for run in self.runs))

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks, in the order in which they come."""
        return tuple(dict.fromkeys(run.task for run in self.runs))

    @property
    def scores(self) -> tuple[str, ...]:
        """The scores that there are to choose from."""
        return tuple(dict.fromkeys(score.name for run in self.runs for score in run.scores))

    def __deepcopy__(self, memo: object) -> Log:
        return self  # it never changes, and its rows may wait in an open file

    def rows(self) -> Iterator[Row]:
        """Yield a row per system, item and repeat, each task by a score and a filter that its runs have."""
        chosen = chosen_in(self)
        for run in self.runs:
            yield from _chosen_rows(run, chosen[run.task][0])

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the rows as a dataframe of pandas, polars or pyarrow, as `ropewalk convert` writes them.

        Examples
        --------
        >>> import pandas as pd
        >>> runs = pd.DataFrame({"system": ["new", "old"], "item": [1, 1], "score": [0.5, 1.0]})
        >>> read_long(runs).to_frame("pandas")[["item", "system", "score"]].values.tolist()
        [['1', 'new', 0.5], ['1', 'old', 1.0]]
        """
        return frame_of_rows(self.rows(), backend)

    def only(self, *, system: str | None = None, task: str | None = None) -> Log:
        """Return the runs of one system, of one task, or of both."""
        runs = self.runs
        if system is not None:
            pick(system, self.systems, "system", "systems")
            runs = tuple(run for run in runs if run.system == system)
        if task is not None:
            pick(task, self.tasks, "task", "tasks")
            runs = tuple(run for run in runs if run.task == task)
        return replace(self, runs=runs)

    def __reduce__(self) -> tuple[Any, ...]:
        if self.source is None:
            raise TypeError("Logs that were joined cannot be pickled: pickle each.")
        return _opened_again, (self.source, self.choice, self.path, [(run.system, run.task) for run in self.runs])

    def __repr__(self) -> str:
        return f"Log({Path(self.path).name!r}, systems: {shorten(self.systems, 6)}, tasks: {shorten(self.tasks, 6)})"


@checked_keywords
def read_log(
    path: str | os.PathLike[str],
    *,
    scorer: str | Sequence[str] | None = None,
    filter: str | Sequence[str] | None = None,  # noqa: A002
    task: str | None = None,
    system: str | None = None,
    cluster: str | None = None,
    qrels: str | os.PathLike[str] | None = None,
) -> Log:
    """Open an evaluation log, a folder of logs, or those that a pattern names, in any format that is known.

    Parameters
    ----------
    path
        A file, a folder, or a pattern such as `logs/*.eval`. What it holds is told by its content, not by its name.
    scorer, filter
        Which of the log's scores is meant, where it has several: a scorer, a metric, a statistic; and which filter of
        the answers. Of several names, a list or separated by commas, each task has the first that there is.
    task, system
        One of several tasks or systems.
    cluster
        The key of an item's metadata that is the same for items that belong together.
    qrels
        The relevance judgements that runs of search systems are judged by.
    """
    choice = Choice(
        scorer=_one_text(scorer),
        filter=_one_text(filter),
        cluster=cluster,
        qrels=None if qrels is None else os.fspath(qrels),
    )
    return _opened(partial(_runs_at, path), choice, os.fspath(path)).only(system=system, task=task)


def _one_text(names: str | Sequence[str] | None) -> str | None:
    return names if names is None or isinstance(names, str) else ",".join(names)


def _runs_at(path: str | os.PathLike[str]) -> Iterable[Run]:
    from ropewalk.data.logs.registry import find_runs  # all readers, which only logs need

    return separated(tuple(find_runs(path)))


def _opened(source: Callable[[], Iterable[Run]], choice: Choice, path: str) -> Log:
    return Log(runs=tuple(source()), choice=choice, path=path, source=source)


def _opened_again(source: Callable[[], Iterable[Run]], choice: Choice, path: str, kept: Collection[Name]) -> Log:
    """Open a log that was pickled: its runs are read where it was opened from."""
    log = _opened(source, choice, path)
    return replace(log, runs=tuple(run for run in log.runs if (run.system, run.task) in kept))


def chosen_in(log: Log) -> dict[str, tuple[Choice, tuple[str, ...]]]:
    """Return what is asked of each task of a log, and notes on it."""
    return choices_for(by_task(log.runs), log.choice)


def by_task(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Return the runs of each task."""
    tasks: dict[str, list[Run]] = {}
    for run in runs:
        tasks.setdefault(run.task, []).append(run)
    return tasks


def with_choice(log: Log, **changes: Any) -> Log:
    """Return a log with another choice of what is asked of it."""
    return replace(log, choice=replace(log.choice, **changes))


@checked_keywords
def read_long(
    source: Any,
    *,
    system: str = "system",
    item: str = "item",
    score: str | None = None,
    truth: str | None = None,
    prediction: str | None = None,
    repeat: str | None = None,
    task: str | None = None,
    cluster: str | None = None,
    error: str | None = None,
) -> Log:
    """Open a table of one row per system and item: a dataframe of any library, or a file.

    Tables of trackers are so, and the frames that tools make of their logs. What comes back is a log like any other:
    answers are paired by item, and it is refused what cannot be paired.

    Parameters
    ----------
    source
        A dataframe, or the path of a file.
    system, item
        The columns that say who answered, and what.
    score
        The column of scores: numbers, or words for right and wrong. Without one an answer is right where prediction and
        truth are the same, and metrics are those of labels.
    truth, prediction
        The columns of true and predicted labels.
    repeat, task, cluster, error
        The columns that number answers to the same item, name one of several tasks, name what items belong to, and say
        why an answer has no score. Like the others they are found by themselves where they are called so.

    Examples
    --------
    >>> import pandas as pd
    >>> runs = pd.DataFrame({"model": ["new"] * 3 + ["old"] * 3, "q": [1, 2, 3] * 2, "passed": [1, 1, 0, 1, 0, 0]})
    >>> log = read_long(runs, system="model", item="q", score="passed")
    >>> log.systems, [row.score for row in log.only(system="old").rows()]
    (('new', 'old'), [1.0, 0.0, 0.0])
    """
    columns = Columns(
        system=system, item=item, score=score, truth=truth, prediction=prediction,
        repeat=repeat, task=task, cluster=cluster, error=error,
    )  # fmt: skip
    return _opened(partial(_runs_in, source, columns), Choice(), records_of(source).title)


def _runs_in(source: Any, columns: Columns) -> Iterable[Run]:
    return named_runs(records_of(source), columns)


def joined(logs: Sequence[Log]) -> Log:
    """Return several logs as one, of whose systems no two are called alike."""
    if len(logs) == 1:
        return logs[0]
    return replace(logs[0], runs=separated([run for log in logs for run in log.runs]), source=None)


def _chosen_rows(run: Run, choice: Choice) -> Iterator[Row]:
    """Yield the rows of a run by the score that was chosen; a key comes once."""
    score, chosen = run.score(choice), replace(choice, filter=run.filter(choice))
    seen: set[tuple[str, int]] = set()
    for row in run.rows(replace(chosen, scorer=score.name)):
        key = row.item, row.repeat
        if key in seen:
            task = f" of task {run.task!r}" if run.task else ""
            raise PairingError(
                f"{run.system!r} answered item {row.item!r}{task} twice (repeat {row.repeat}).",
                hint="repeats need numbers of their own; logs of one task in a folder must be of different systems.",
            )
        seen.add(key)
        yield row if row.system == run.system else row._replace(system=run.system)
