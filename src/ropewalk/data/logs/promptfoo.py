"""Results of promptfoo: `results.json`, one object with its rows at `results.results`, and JSON lines, one row each.

What is easy to get wrong in the format:

* one file holds several systems: a provider, which its label names, with a prompt;
* `error` is set for failed assertions too, and an error of the system is `failureReason` 2;
* with `--repeat` each repeat is a test with a number of its own, and equal variables and assertions;
* rows come in the order in which they finished;
* results of version 2 number neither tests nor prompts, and know no `failureReason`;
* those of version 1 may stand at the top, and may not say who answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk.data.json_stream import JsonStream
from ropewalk.data.logs.groups import Groups
from ropewalk.data.logs.opening import first_keys, is_object_with, opened, records_in
from ropewalk.data.logs.rows import (
    Choice,
    LogFormat,
    Row,
    Run,
    Score,
    cluster_of,
    error_text,
    fingerprint,
    mapping_of,
    number_of,
    text_of,
)
from ropewalk.errors import FileFormatError
from ropewalk.text.writing import brief, count_of

_SCORE: Final = "score"
_ERROR: Final = 2
_UNKNOWN: Final = "unknown"
_PLACEHOLDER: Final = re.compile(r"\{\{\s*([\w.]+)\s*\}\}")
_SUMMARY: Final = re.compile(rb'"results"\s*:\s*\{\s*"(version|timestamp|prompts|results|table|stats)"\s*:')
_FIRST_VERSION: Final = re.compile(rb'\{\s*"version"\s*:\s*1\s*,\s*"results"\s*:\s*\[')
_LINE_KEYS: Final = {"promptIdx", "testIdx", "gradingResult", "latencyMs", "namedScores", "promptId", "testCase"}
_MIN_LINE_KEYS: Final = 3
_MAX_LABEL: Final = 40  # letters of a prompt's label in the name of a system


def _runs(path: Path, results: Any) -> Iterator[Run]:
    """Yield a run per provider and prompt."""
    groups = Groups()
    numbers: dict[str, int] = {}  # the first number of a test, by what is tested
    prompts: dict[tuple[str, str], str] = {}
    named: dict[str, None] = {}
    n_by_success = 0
    for result in results(path):
        record = _record(result)
        groups.add((record["system"], record["prompt"]), record)
        prompts.setdefault((record["system"], record["prompt"]), record.pop("label"))
        number = record["number"]
        if number is not None:
            numbers[record["test"]] = min(number, numbers.get(record["test"], number))
        named |= dict.fromkeys(record["named"])
        n_by_success += number_of(result.get("score")) is None is not record["score"] and not record["error"]
    if not prompts:
        raise FileFormatError(f"{str(path)!r} holds no results.", hint="run the evaluation again.")
    if all(system == _UNKNOWN for system, _ in prompts):
        raise FileFormatError(
            f"{str(path)!r} seems to hold results of promptfoo's first version, which do not say who answered.",
            hint="run the evaluation again with a newer promptfoo.",
        )
    counted = f"{count_of(n_by_success, 'result')} without a number as score: success counts 1 there, and failure 0."
    notes = (counted,) if n_by_success else ()
    names = _names(prompts)
    for key, label in prompts.items():
        yield Run(
            system=names[key],
            scores=tuple(Score(name=name) for name in (_SCORE, *named)),
            facts={"prompt": label} if label else {},
            notes=notes,
            rows=partial(_rows, groups, key, names[key], numbers),
        )


def _rows(
    groups: Groups, key: tuple[str, str], system: str, numbers: Mapping[str, int], choice: Choice
) -> Iterator[Row]:
    """Yield a row per test; tests that are equal are repeats of the first."""
    records = sorted(groups.records(key), key=lambda record: (record["number"] is None, record["number"] or 0))
    n_seen: dict[str, int] = {}
    for record in records:
        test = record["test"]
        n_seen[test] = n_seen.get(test, 0) + 1
        value = record["score"] if choice.scorer in {None, _SCORE} else record["named"].get(choice.scorer)
        error = record["error"] or (f"no {choice.scorer}" if value is None else None)
        item = str(numbers.get(test, test))
        yield Row(
            task="",
            item=item,
            repeat=n_seen[test],
            system=system,
            truth=record["truth"],
            prediction=record["output"],
            score=None if error else value,
            cluster=cluster_of(record["metadata"], choice, item),
            error=error,
            question=record["question"],
        )


def _record(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is kept of a result."""
    provider, prompt = mapping_of(result.get("provider")), mapping_of(result.get("prompt"))
    test, response = mapping_of(result.get("testCase")), mapping_of(result.get("response"))
    tested = mapping_of(test.get("vars", result.get("vars")))
    asserted = test.get("assert")
    asserts: list[Any] = asserted if isinstance(asserted, list) else []
    truth = _truth(asserts, tested)
    failed = _is_error(result)
    return {
        "system": str(provider.get("label") or provider.get("id") or result.get("provider") or _UNKNOWN),
        "prompt": str(result.get("promptIdx", result.get("promptId") or prompt.get("label") or prompt.get("raw"))),
        "label": str(prompt.get("label") or prompt.get("display") or ""),
        "number": result["testIdx"] if isinstance(result.get("testIdx"), int) else None,
        "test": fingerprint(tested, asserts),
        "question": fingerprint(tested, truth),
        "truth": truth,
        "output": None if failed else text_of(response.get("output")),
        "score": _score(result),
        "named": {str(name): number_of(value) for name, value in mapping_of(result.get("namedScores")).items()},
        "metadata": {**tested, **mapping_of(test.get("metadata"))},
        "error": (error_text(result.get("error") or response.get("error")) or "error") if failed else None,
    }


def _is_error(result: Mapping[str, Any]) -> bool:
    """Whether the system failed to answer, which is not the same as a wrong answer."""
    reason = result.get("failureReason")
    if isinstance(reason, int):
        return reason == _ERROR
    return bool(result.get("error")) and not result.get("gradingResult")


def _score(result: Mapping[str, Any]) -> float | None:
    score = number_of(result.get("score"))
    return number_of(result.get("success")) if score is None else score


def _truth(asserts: list[Any], tested: Mapping[str, Any]) -> str | None:
    """Return the true answer, which there is where one assertion asks for equality, with its variables put in."""
    wanted = [one.get("value") for one in asserts if isinstance(one, dict) and one.get("type") == "equals"]
    if len(wanted) != 1:
        return None
    value = wanted[0]
    if not isinstance(value, str):
        return text_of(value)
    if any(name not in tested for name in _PLACEHOLDER.findall(value)):
        return None
    return _PLACEHOLDER.sub(lambda found: str(text_of(tested[found[1]])), value)


def _names(prompts: Mapping[tuple[str, str], str]) -> dict[tuple[str, str], str]:
    """Return what the systems are called: by their providers, and by their prompts where a provider has several."""
    names = {}
    for (system, prompt), label in prompts.items():
        own = [key for key in prompts if key[0] == system]
        labels = {prompts[key] for key in own}
        place = own.index((system, prompt)) + 1
        told = brief(label, _MAX_LABEL) if len({brief(one, _MAX_LABEL) for one in labels}) == len(own) else str(place)
        names[system, prompt] = system if len(own) == 1 else f"{system} (prompt {told})"
    return names


# -- files -------------------------------------------------------------------------------------------------


def _document_results(path: Path) -> Iterator[dict[str, Any]]:
    with opened(path) as stream:
        document = JsonStream(stream, repr(str(path)))
        for key in document.keys():  # noqa: SIM118 - it is no mapping
            if key == "results" and document.kind() == "[":
                yield from (result for result in document.items() if isinstance(result, dict))
                continue
            if key != "results" or document.kind() != "{":
                document.skip()
                continue
            for part in document.keys():  # noqa: SIM118
                if part == "results" and document.kind() == "[":
                    yield from (result for result in document.items() if isinstance(result, dict))
                else:
                    document.skip()
        document.close()


def _is_lines(path: Path, head: bytes) -> bool:
    if head[:1] != b"{" or DOCUMENT.recognises(path, head):
        return False
    return len(_LINE_KEYS.intersection(first_keys(path))) >= _MIN_LINE_KEYS


def _is_document(path: Path, head: bytes) -> bool:
    return is_object_with(_SUMMARY, path, head) or _FIRST_VERSION.match(head) is not None


DOCUMENT: Final = LogFormat(
    title="promptfoo (.json)",
    recognises=_is_document,
    runs=partial(_runs, results=_document_results),
)
LINES: Final = LogFormat(title="promptfoo (.jsonl)", recognises=_is_lines, runs=partial(_runs, results=records_in))
