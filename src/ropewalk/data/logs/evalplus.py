"""Results of EvalPlus: `eval_results.json`, the samples of every problem, with the status of two sets of tests.

What is easy to get wrong in the format:

* a solution counts for the extra tests only if it passes the base tests too;
* a problem has several samples, which are its repeats;
* runs with the base tests alone have no status of the extra ones;
* until 2024 the statuses of a problem were lists, and "pass" was called "success".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk.data.json_stream import JsonStream
from ropewalk.data.logs.groups import Groups
from ropewalk.data.logs.opening import is_object_with, opened
from ropewalk.data.logs.rows import Choice, LogFormat, Row, Run, Score, fingerprint, list_of, without_metadata
from ropewalk.errors import FileFormatError

_BASE, _PLUS = "base", "plus"
_PASSED: Final = {"pass", "success"}
_NAME: Final = "eval_results"
_HEAD: Final = re.compile(
    rb'"eval"\s*:\s*\{\s*"[^"]+"\s*:\s*(?:\[\s*\{\s*"(?:task_id|solution|base_status)"|\{\s*"n?files")'
)


def _runs(path: Path) -> Iterator[Run]:
    """Yield a run per data set, of which the ids of problems begin with its name."""
    groups = Groups()
    version = ""
    has_plus = False
    for key, value in _members(path):
        if key == "hash":
            version = str(value)
        elif key == "eval":
            problem, samples = value
            for repeat, (base, plus) in enumerate(_statuses(samples), 1):
                has_plus = has_plus or plus is not None
                groups.add(problem.rpartition("/")[0], (problem, repeat, base, plus))
    if not groups.keys:
        raise FileFormatError(f"{str(path)!r} holds no results.", hint="run the evaluation again.")
    system = path.stem.removesuffix(_NAME).rstrip("_-.") or path.resolve().parent.name
    for task in groups.keys:
        yield Run(
            system=system,
            task=task,
            scores=tuple(Score(name=name, low=0.0, high=1.0) for name in ((_BASE, _PLUS) if has_plus else (_BASE,))),
            rows=partial(_rows, groups, task, system, version),
        )


def _rows(groups: Groups, task: str, system: str, version: str, choice: Choice) -> Iterator[Row]:
    if choice.cluster is not None:
        raise without_metadata("Problems of EvalPlus", choice.cluster)
    for problem, repeat, base, plus in groups.records(task):
        needed = [base] if choice.scorer == _BASE else [base, plus]
        known = None not in needed
        yield Row(
            task=task,
            item=problem,
            repeat=repeat,
            system=system,
            score=float(all(status in _PASSED for status in needed)) if known else None,
            error=None if known else "not run",
            question=fingerprint(version, problem),
        )


def _statuses(samples: Any) -> Iterator[tuple[str | None, str | None]]:
    """Yield the status of the base tests and of the extra ones, sample by sample."""
    if isinstance(samples, dict):
        base, plus = list_of(samples.get(_BASE)), list_of(samples.get(_PLUS))
        for place, result in enumerate(base):
            yield _text(list_of(result)[:1]), _text(list_of(plus[place])[:1] if place < len(plus) else None)
        return
    for sample in list_of(samples):
        if isinstance(sample, dict):
            yield _text(sample.get("base_status")), _text(sample.get("plus_status"))


def _text(value: Any) -> str | None:
    """Return a status; one that is no text is none."""
    value = value[0] if isinstance(value, list) and value else value
    return value if isinstance(value, str) else None


def _members(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the members of the document; its problems one by one."""
    with opened(path) as stream:
        document = JsonStream(stream, repr(str(path)))
        for key in document.keys():  # noqa: SIM118 - it is no mapping
            if key == "eval" and document.kind() == "{":
                for problem in document.keys():  # noqa: SIM118
                    yield key, (problem, document.value())
            else:
                yield key, document.value()
        document.close()


RESULTS: Final = LogFormat(title="EvalPlus", recognises=partial(is_object_with, _HEAD), runs=_runs)
