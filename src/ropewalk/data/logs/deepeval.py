"""Test runs of DeepEval: `.deepeval/.latest_test_run.json`, `.latest_run_full.json` and `test_run_<time>.json`.

What is easy to get wrong in the format:

* the run stands under `testRunData` in the first of these files and at the top in the others;
* a metric that raised has an `error`, no score, and `success` false;
* cases of one test function have one name, though they ask different things;
* the name of the model is one of the hyperparameters, if the user logged it at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk.data.json_stream import JsonStream
from ropewalk.data.logs.groups import Groups
from ropewalk.data.logs.opening import is_object_with, opened
from ropewalk.data.logs.rows import (
    Choice,
    LogFormat,
    Row,
    Run,
    Score,
    cluster_of,
    error_text,
    fingerprint,
    number_of,
    text_of,
)
from ropewalk.errors import FileFormatError

_DATA: Final = "testRunData"
_CASES: Final = ("testCases", "conversationalTestCases")
_HEAD: Final = re.compile(
    rb'"testRunData"\s*:\s*\{|"(?:testC|conversationalTestC)ases"\s*:\s*\[\s*(?:\]|\{\s*"\w+"\s*:)'
)


def _runs(path: Path) -> Iterator[Run]:
    header: dict[str, Any] = {}
    cases = Groups()
    names: dict[str, None] = {}
    for key, value in _members(path):
        if key not in _CASES:
            header[key] = value
        elif isinstance(value, dict):
            case = _record(value)
            cases.add(None, case)
            names |= dict.fromkeys(case["scores"])
    if not cases.keys:
        raise FileFormatError(f"{str(path)!r} holds no test cases.", hint="run the tests again.")
    parameters = header.get("hyperparameters")
    facts = {
        str(key): str(text_of(value)) for key, value in (parameters if isinstance(parameters, dict) else {}).items()
    }
    named = {key.casefold(): value for key, value in facts.items()}
    system = str(header.get("identifier") or named.get("model") or _place(path))
    task = str(header.get("datasetAlias") or "")
    scores = tuple(Score(name=name, low=0.0, high=1.0) for name in names)
    yield Run(system=system, task=task, scores=scores, facts=facts, rows=partial(_rows, cases, task, system))


def _rows(cases: Groups, task: str, system: str, choice: Choice) -> Iterator[Row]:
    """Yield a row per test case; equal cases of one name are repeats."""
    asked: dict[str, dict[str, int]] = {}  # by its name, how often each question came
    for case in cases.records(None):
        questions = asked.setdefault(case["name"], {})
        questions[case["question"]] = questions.get(case["question"], 0) + 1
        place = list(questions).index(case["question"]) + 1
        item = case["name"] if place == 1 else f"{case['name']} ({place})"
        score, error = case["scores"].get(choice.scorer, (None, f"no {choice.scorer}"))
        yield Row(
            task=task,
            item=item,
            repeat=questions[case["question"]],
            system=system,
            truth=case["truth"],
            prediction=case["answer"],
            score=score,
            cluster=cluster_of(case["metadata"], choice, item),
            error=error,
            question=case["question"],
        )


def _record(case: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a test case."""
    truth = text_of(case.get("expectedOutput", case.get("expectedOutcome")))
    metrics = case.get("metricsData")
    metadata = case.get("metadata", case.get("additionalMetadata"))
    return {
        "name": str(case.get("name") or case.get("order")),
        "question": fingerprint(case.get("input", case.get("scenario")), truth),
        "truth": truth,
        "answer": text_of(case.get("actualOutput")),
        "metadata": metadata if isinstance(metadata, dict) else {},
        "scores": dict(map(_metric, filter(_is_object, metrics if isinstance(metrics, list) else []))),
    }


def _metric(metric: Mapping[str, Any]) -> tuple[str, tuple[float | None, str | None]]:
    score = None if metric.get("error") else number_of(metric.get("score"))
    error = None if score is not None else error_text(metric.get("error")) or "no score"
    return str(metric.get("name")), (score, error)


def _place(path: Path) -> str:
    """Return what a file without a name of its system is called: the folder of a hidden one."""
    if not path.name.startswith("."):
        return path.stem
    folder = path.resolve().parent
    return folder.parent.name if folder.name.startswith(".") else folder.name


def _members(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the members of a run; its test cases one by one."""
    with opened(path) as stream:
        document = JsonStream(stream, repr(str(path)))
        for key in document.keys():  # noqa: SIM118 - it is no mapping
            if key == _DATA and document.kind() == "{":
                for inner in document.keys():  # noqa: SIM118
                    yield from _values(document, inner)
            else:
                yield from _values(document, key)
        document.close()


def _values(document: JsonStream, key: str) -> Iterator[tuple[str, Any]]:
    if key in _CASES and document.kind() == "[":
        for case in document.items():
            yield key, case
    else:
        yield key, document.value()


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


TEST_RUN: Final = LogFormat(title="DeepEval", recognises=partial(is_object_with, _HEAD), runs=_runs)
