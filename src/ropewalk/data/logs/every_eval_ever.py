"""Records of Every Eval Ever: JSON lines of samples, beside a JSON file with the sums.

What is easy to get wrong in the format:

* `sample_id` is written in different ways by different exports, `sample_hash` is the same for the same question;
* a sample has one line per result (metric) that it contributes to;
* the least and highest value, and whether less is better, are in the file with the sums only.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk.data.logs.opening import head_of, json_document, records_in, without_answers
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
from ropewalk.errors import DataError, FileFormatError
from ropewalk.text.writing import brief, count_of

_SAMPLES: Final = "_samples"
_LINE_KEYS: Final = (b"evaluation_id", b"model_id", b"evaluation_name", b"sample_id")
_SUM_KEYS: Final = (b"schema_version", b"evaluation_id", b"evaluation_results")
_UNNAMED: Final = "score"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lines:
    """The lines of one model about one evaluation, and what its results are called."""

    path: Path
    model: str
    task: str
    names: Mapping[str, str]

    def records(self, scorer: str | None) -> Iterator[dict[str, Any]]:
        """Yield the lines of a result."""
        for record in records_in(self.path):
            if _group(record) == (self.model, self.task) and self.names[_result(record)] == scorer:
                yield record


def _runs(path: Path) -> Iterator[Run]:
    header = _header(path)
    groups: dict[tuple[str, str], dict[str, None]] = {}
    n_lines = 0
    for n_lines, record in enumerate(records_in(path), 1):  # noqa: B007 - counted
        groups.setdefault(_group(record), {})[_result(record)] = None
    if not n_lines:
        raise without_answers(path)
    total = mapping_of(header.get("detailed_evaluation_results")).get("total_rows")
    if isinstance(total, int) and n_lines < total:
        raise FileFormatError(
            f"{str(path)!r} is cut off: it has {n_lines:,} of {count_of(total, 'line')}.", hint="copy it again."
        )
    listed = header.get("evaluation_results")
    results = [mapping_of(result) for result in listed] if isinstance(listed, list) else []
    for (model, task), found in groups.items():
        sums = {result: _sum_of(results, result, task) for result in found}
        names = _names(sums)
        yield Run(
            system=model,
            task=task,
            scores=tuple(_score(names[result], sums[result]) for result in found),
            facts=_facts(header, next(iter(sums.values()))),
            rows=partial(_rows, _Lines(path=path, model=model, task=task, names=names)),
        )


def _rows(lines: _Lines, choice: Choice) -> Iterator[Row]:
    """Yield a row per line; the same question again is a repeat."""
    seen: Counter[str] = Counter()
    for record in lines.records(choice.scorer):
        asked = mapping_of(record.get("input"))
        question = text_of(record.get("sample_hash")) or fingerprint(asked.get("raw"), asked.get("reference"))
        item = text_of(record.get("sample_hash")) or text_of(record.get("sample_id")) or question
        seen[item] += 1
        error = error_text(record.get("error"))
        score = None if error else _value(mapping_of(record.get("evaluation")))
        yield Row(
            task=lines.task,
            item=item,
            repeat=seen[item],
            system=lines.model,
            truth=text_of(asked.get("reference") or None),
            prediction=_prediction(record.get("answer_attribution")),
            score=score,
            cluster=cluster_of(record.get("metadata"), choice, item),
            error=(error or "no score") if score is None else None,
            question=question,
        )


def _group(record: Mapping[str, Any]) -> tuple[str, str]:
    return text_of(record.get("model_id")) or "", text_of(record.get("evaluation_name")) or ""


def _result(record: Mapping[str, Any]) -> str:
    return text_of(record.get("evaluation_result_id")) or ""


def _value(evaluation: Mapping[str, Any]) -> float | None:
    score = number_of(evaluation.get("score"))
    return number_of(evaluation.get("is_correct")) if evaluation.get("score") is None else score


def _prediction(attributions: Any) -> str | None:
    """Return the value that was taken as the final answer."""
    found = [part for part in attributions if isinstance(part, dict)] if isinstance(attributions, list) else []
    final = [part for part in found if part.get("is_terminal")] or found
    return text_of(final[-1].get("extracted_value")) if final else None


# -- sums --------------------------------------------------------------------------------------------------


def _sum_of(results: Sequence[Mapping[str, Any]], result: str, task: str) -> Mapping[str, Any]:
    """Return the sum that lines contribute to: by its id, or the only one of the evaluation."""
    same = [one for one in results if result and one.get("evaluation_result_id") == result]
    same = same or [one for one in results if one.get("evaluation_name") == task]
    return same[0] if len(same) == 1 else {}


def _names(sums: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Return what results are called: by their metric, or by their id where two have the same metric."""
    metrics = {
        result: text_of(mapping_of(found.get("metric_config")).get("metric_id")) for result, found in sums.items()
    }
    counts = Counter(metrics.values())
    return {
        result: metric if metric and counts[metric] == 1 else result or _UNNAMED for result, metric in metrics.items()
    }


def _score(name: str, found: Mapping[str, Any]) -> Score:
    config = mapping_of(found.get("metric_config"))
    return Score(
        name=name,
        higher_is_better=config.get("lower_is_better") is not True,
        low=number_of(config.get("min_score")),
        high=number_of(config.get("max_score")),
    )


def _facts(header: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, str]:
    """Return what may tell this run from another of the same model."""
    generation = mapping_of(found.get("generation_config"))
    library, source = mapping_of(header.get("eval_library")), mapping_of(header.get("source_metadata"))
    facts: dict[str, Any] = {
        **mapping_of(generation.get("generation_args")),
        **mapping_of(generation.get("additional_details")),
        **mapping_of(mapping_of(header.get("model_info")).get("additional_details")),
        "library": " ".join(str(library[key]) for key in ("name", "version") if library.get(key)),
        "source": source.get("source_organization_name"),
        "evaluation": header.get("evaluation_id"),
    }
    return {key: text_of(value) or "" for key, value in facts.items() if value not in (None, "")}


# -- files -------------------------------------------------------------------------------------------------


def _header(path: Path) -> Mapping[str, Any]:
    """Return the sums beside a file of samples."""
    stem = path.name.partition(".jsonl")[0].removesuffix(_SAMPLES)
    sums = path.with_name(f"{stem}.json")
    return mapping_of(json_document(sums)) if sums.is_file() else {}


def _files(path: Path) -> Sequence[Path]:
    """Return the samples of a file of sums, or the file itself."""
    if not _is_sums(head_of(path)):
        return (path,)
    details = mapping_of(mapping_of(json_document(path)).get("detailed_evaluation_results"))
    name = Path(str(details.get("file_path") or f"{path.name.partition('.json')[0]}{_SAMPLES}.jsonl")).name
    samples = path.with_name(name) if name else path
    if samples == path or not os.path.isfile(samples):  # noqa: PTH113 - Path's own fails for names that are too long
        raise DataError(
            f"{str(path)!r} holds the sums of an evaluation, and no file beside it its answers.",
            hint=f"get {brief(name)!r} too.",
        )
    return (samples,)


def _is_log(_path: Path, head: bytes) -> bool:
    return _is_sums(head) or _is_samples(head)


def _is_samples(head: bytes) -> bool:
    return _has(head, _LINE_KEYS) and not _is_sums(head)


def _is_sums(head: bytes) -> bool:
    return _has(head, _SUM_KEYS)


def _has(head: bytes, keys: Sequence[bytes]) -> bool:
    start = re.match(rb"\[?\s*\{", head)
    return bool(start) and all(re.search(rb'"%s"\s*:' % key, head) for key in keys)


EVERY_EVAL_EVER: Final = LogFormat(title="Every Eval Ever", recognises=_is_log, runs=_runs, files=_files)
