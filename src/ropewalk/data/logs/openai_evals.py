"""Logs of openai/evals: JSON lines, a `spec` first, then events, and a `final_report` when the run has ended.

What is easy to get wrong in the format:

* events of one sample are not next to each other, for threads finish as they like;
* a sample that raised has events, but no match;
* `picked` is null where the answer is none of the options, and `sampled` holds what was answered;
* several matches of one sample are repeats of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk.data.logs.opening import records_in
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
    text_of,
    without_metadata,
)
from ropewalk.errors import FileFormatError, UnfinishedError

_MATCH: Final = "match"
_FIRST_LINE: Final = re.compile(rb'\{\s*"spec"\s*:\s*\{')


@dataclass(slots=True)
class _Sample:
    """What the events of one sample say."""

    matches: list[tuple[str | None, str | None, float | None]] = field(default_factory=list)
    metrics: list[dict[str, float | None]] = field(default_factory=list)
    prompt: str | None = None
    error: str | None = None

    def take(self, event: Mapping[str, Any]) -> None:
        """Note an event."""
        kind, data = event.get("type"), mapping_of(event.get("data"))
        if kind == _MATCH:
            picked = data.get("picked") if data.get("picked") is not None else data.get("sampled")
            self.matches.append((text_of(data.get("expected")), text_of(picked), number_of(data.get("correct"))))
        elif kind == "metrics":
            self.metrics.append({str(name): number_of(value) for name, value in data.items()})
        elif kind == "error":
            self.error = error_text(data) or "error"
        elif kind == "sampling" and self.prompt is None:
            self.prompt = _last_message(data.get("prompt"))


def _runs(path: Path) -> Iterator[Run]:
    spec, samples = _read(path)
    names = [_MATCH] if any(sample.matches for sample in samples.values()) else []
    metrics = (one for sample in samples.values() for one in sample.metrics)
    names += dict.fromkeys(name for one in metrics for name, value in one.items() if value is not None)
    config = mapping_of(spec.get("run_config"))
    facts = {"completion_fns": spec.get("completion_fns"), "seed": config.get("seed"), "command": config.get("command")}
    yield Run(
        system=_system(spec, path),
        task=_task(spec),
        scores=tuple(Score(name=name) for name in names),
        facts={name: str(text_of(value)) for name, value in facts.items() if value is not None},
        rows=partial(_rows, path),
    )


def _rows(path: Path, choice: Choice) -> Iterator[Row]:
    """Yield a row per sample and match, and one without a score for a sample that has none."""
    if choice.cluster is not None:
        raise without_metadata("Samples of openai/evals", choice.cluster)
    spec, samples = _read(path)
    wanted = _MATCH if choice.scorer is None else choice.scorer
    for item, sample in samples.items():
        truth, picked, _ = sample.matches[0] if sample.matches else (None, None, None)
        answers = [(truth, picked, one[wanted]) for one in sample.metrics if wanted in one]
        if wanted == _MATCH and sample.matches:
            answers = sample.matches
        for repeat, (expected, given, score) in enumerate(answers or [(truth, picked, None)], 1):
            yield Row(
                task=_task(spec),
                item=item,
                repeat=repeat,
                system=_system(spec, path),
                truth=expected,
                prediction=given,
                score=score,
                error=None if score is not None else sample.error or f"no {wanted}",
                question=None if sample.prompt is None else fingerprint(sample.prompt, expected),
            )


def _read(path: Path) -> tuple[Mapping[str, Any], dict[str, _Sample]]:
    """Return the header of a run that has ended, and its samples."""
    spec: Mapping[str, Any] = {}
    samples: dict[str, _Sample] = {}
    has_ended = False
    for record in records_in(path):
        if "spec" in record:
            spec = mapping_of(record["spec"])
        elif "final_report" in record:
            has_ended = True
        elif record.get("sample_id") is not None:
            samples.setdefault(str(record["sample_id"]), _Sample()).take(record)
    if not has_ended:
        raise UnfinishedError(
            f"{str(path)!r} is not finished: it has no final_report.",
            hint="finish or repeat the evaluation; part of a log is no answer.",
        )
    if not samples:
        raise FileFormatError(f"{str(path)!r} holds no samples.", hint="run the evaluation again.")
    return spec, samples


def _system(spec: Mapping[str, Any], path: Path) -> str:
    named = (
        spec.get("completion_fns") or mapping_of(spec.get("model_names")).get("completions") or spec.get("model_name")
    )
    first = named[0] if isinstance(named, list) and named else named
    return str(first or path.stem)


def _task(spec: Mapping[str, Any]) -> str:
    return str(spec.get("eval_name") or spec.get("base_eval") or "")


def _last_message(prompt: Any) -> str | None:
    """Return what was asked last: the instruction before it may differ between two systems, the question not."""
    last = prompt[-1] if isinstance(prompt, list) and prompt else prompt
    return text_of(last.get("content") if isinstance(last, dict) else last)


def _is_log(_path: Path, head: bytes) -> bool:
    return _FIRST_LINE.match(head) is not None


LOG: Final = LogFormat(title="openai/evals", recognises=_is_log, runs=_runs)
