"""Jobs of Harbor, the harness of Terminal-Bench: `result.json` of a job, and one in the folder of every trial.

What is easy to get wrong in the format:

* the file of a job has no trials: each is a `result.json` in a folder beside it;
* a job that is running has a `result.json` too, without `finished_at`;
* several trials of a task are its repeats;
* a trial may have both an exception and a reward: an agent that ran out of time has failed, and counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk.data.logs.groups import Groups
from ropewalk.data.logs.opening import json_document
from ropewalk.data.logs.rows import (
    Choice,
    LogFormat,
    Row,
    Run,
    Score,
    error_text,
    fingerprint,
    mapping_of,
    number_of,
    without_metadata,
)
from ropewalk.errors import DataError, UnfinishedError

_RESULT: Final = "result.json"
_HEAD: Final = (rb'"n_total_trials"\s*:', rb'"stats"\s*:', rb'"started_at"\s*:')


def _runs(path: Path) -> Iterator[Run]:
    """Yield a run per agent with its model, and data set."""
    job = json_document(path)
    if job.get("finished_at") is None:
        raise UnfinishedError(
            f"{str(path)!r} is not finished: it has no finished_at.",
            hint="finish or repeat the job; part of it is no answer.",
        )
    trials = sorted(_trials(path, job), key=lambda trial: str(trial.get("trial_name")))
    wanted = number_of(job.get("n_total_trials")) or 1
    if len(trials) < wanted:
        raise DataError(
            f"{str(path)!r} has {len(trials)} of {wanted:.0f} trials.",
            hint=f"a job is read with its folder, in which every trial has a {_RESULT}.",
        )
    groups = Groups()
    names: dict[str, None] = {}
    for trial in trials:
        record = _record(trial)
        groups.add((record["system"], str(trial.get("source") or "")), record)
        names |= dict.fromkeys(record["rewards"])
    for system, task in groups.keys:
        scores = tuple(Score(name=name) for name in names)
        yield Run(system=system, task=task, scores=scores, rows=partial(_rows, groups, (system, task)))


def _rows(groups: Groups, key: tuple[str, str], choice: Choice) -> Iterator[Row]:
    if choice.cluster is not None:
        raise without_metadata("Tasks of Harbor", choice.cluster)
    n_trials: dict[str, int] = {}
    for record in groups.records(key):
        item = record["item"]
        n_trials[item] = n_trials.get(item, 0) + 1
        score = record["rewards"].get(choice.scorer)
        yield Row(
            task=key[1],
            item=item,
            repeat=n_trials[item],
            system=key[0],
            score=score,
            error=None if score is not None else record["error"] or f"no {choice.scorer}",
            question=record["question"],
        )


def _record(trial: Mapping[str, Any]) -> dict[str, Any]:
    agent, verified = mapping_of(trial.get("agent_info")), mapping_of(trial.get("verifier_result"))
    exception = mapping_of(trial.get("exception_info"))
    model = mapping_of(agent.get("model_info")).get("name")
    return {
        "system": " ".join(str(part) for part in (agent.get("name"), model) if part) or "unknown",
        "item": str(trial.get("task_name")),
        "rewards": {str(name): number_of(value) for name, value in mapping_of(verified.get("rewards")).items()},
        "error": error_text(exception.get("exception_type") or exception.get("exception_message")),
        "question": fingerprint(trial["task_checksum"]) if trial.get("task_checksum") else None,
    }


def _trials(path: Path, job: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    inside = job.get("trial_results")
    if inside:
        yield from (trial for trial in inside if isinstance(trial, dict))
        return
    for file in sorted(path.parent.glob(f"*/{_RESULT}")):
        trial = json_document(file)
        if isinstance(trial, dict) and "trial_name" in trial:
            yield trial


def _is_job(_path: Path, head: bytes) -> bool:
    return head[:1] == b"{" and all(re.search(key, head) for key in _HEAD)


JOB: Final = LogFormat(title="Harbor (Terminal-Bench)", recognises=_is_job, runs=_runs)
