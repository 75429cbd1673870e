"""Logs of lm-evaluation-harness and of lmms-eval: JSON lines of samples, beside a JSON file of results.

What is easy to get wrong in the format:

* the model's name is in the results and in the folder's name, in no line of the samples;
* every filter writes all documents again; versions before 0.4.7 do not say which filter a line is of;
* numbers in the answers are text, and so are metrics whose type JSON does not know;
* `f1` and `mcc` of a sample are a pair of labels, and perplexities a pair of sums: no scores;
* `acc_norm` takes the choice whose log-likelihood per letter is highest, often another one than `acc` takes.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk.data.columns import number_in
from ropewalk.data.logs.opening import head_of, json_document, records_in, without_answers
from ropewalk.data.logs.rows import (
    CHECKED_LETTERS,
    Choice,
    LogFormat,
    Row,
    Run,
    Score,
    cluster_of,
    fingerprint,
    mapping_of,
    number_of,
    softmax,
    text_of,
)
from ropewalk.errors import DataError, FileFormatError
from ropewalk.text.writing import count_of

_DATE: Final = r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?"
_NAMES: Final = (
    re.compile(rf"samples_(?P<task>.+)_(?P<date>{_DATE})\.jsonl(?:\.gz)?"),
    re.compile(r"(?P<date>\d{8}_\d{6})_samples_(?P<task>.+)\.jsonl(?:\.gz)?"),  # lmms-eval
)
_BESIDE_METRICS: Final = {
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", "doc_hash", "prompt_hash",
    "target_hash", "input",
}  # fmt: skip
_MODEL_KEYS: Final = ("peft", "delta", "pretrained", "model", "path", "engine")  # in the order in which lm_eval looks
_TRUTH_VALUES: Final = {"True": 1.0, "False": 0.0}
MAX_DIGITS: Final = 9  # of the number of a choice
_LENGTHS: Final[dict[str, Callable[[str], int]]] = {"acc_norm": len, "acc_bytes": lambda text: len(text.encode())}
"""Metrics that divide the log-likelihood of a choice by its length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Samples:
    """A file of samples: its name's parts, the results beside it, and the delimiter that stands before a choice."""

    path: Path
    task: str
    system: str
    header: Mapping[str, Any]

    def records(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield each sample with its filter; without one it is told by how often the document came before."""
        seen: Counter[str] = Counter()
        names = self._filters()
        for number, record in enumerate(records_in(self.path), 1):
            if "doc_id" not in record:
                raise FileFormatError(
                    f"{str(self.path)!r}, entry {number}: a sample has no 'doc_id'.", hint="copy it again."
                )
            named = record.get("filter")
            item = str(record["doc_id"])
            if named is None:
                place = seen[item]
                seen[item] += 1
                named = names[place] if place < len(names) else str(place + 1)
            yield str(named), record

    def _filters(self) -> list[str]:
        filters = self.config.get("filter_list")
        return [str(one.get("name")) for one in filters if isinstance(one, dict)] if isinstance(filters, list) else []

    @property
    def config(self) -> Mapping[str, Any]:
        """How the task was run."""
        return mapping_of(mapping_of(self.header.get("configs")).get(self.task))

    @property
    def n_items(self) -> int:
        """How many documents the results are of; 0 where they do not say."""
        length = mapping_of(mapping_of(self.header.get("results")).get(self.task)).get("sample_len")
        return length if isinstance(length, int) else 0


def _runs(path: Path) -> Iterator[Run]:
    samples = _opened(path)
    filters: Counter[str] = Counter()
    names: dict[str, None] = {}
    for named, record in samples.records():
        filters[named] += 1
        names |= dict.fromkeys(_scores(record))
    if not filters:
        raise without_answers(path)
    for named, count in filters.items():
        if count < samples.n_items:
            raise FileFormatError(
                f"{str(path)!r} is cut off: it has {count:,} of the {count_of(samples.n_items, 'item')} "
                f"that the results are of (filter {named!r}).",
                hint="copy it again.",
            )
    better = mapping_of(mapping_of(samples.header.get("higher_is_better")).get(samples.task))
    yield Run(
        system=samples.system,
        task=samples.task,
        scores=tuple(Score(name=name, higher_is_better=better.get(name) is not False) for name in names),
        filters=tuple(filters),
        facts=_facts(samples),
        rows=partial(_rows, samples),
    )


def _rows(samples: _Samples, choice: Choice) -> Iterator[Row]:
    for named, record in samples.records():
        if named != choice.filter:
            continue
        item = str(record["doc_id"])
        score = _scores(record).get(choice.scorer or "")
        truth, prediction, chances = _labels(record, choice, samples.config)
        yield Row(
            task=samples.task,
            item=item,
            repeat=1,
            system=samples.system,
            truth=truth,
            prediction=prediction,
            score=score,
            cluster=cluster_of(record.get("doc"), choice, item),
            error=f"no {choice.scorer}" if score is None else None,
            question=_question(record),
            chances=chances,
        )


# -- scores ------------------------------------------------------------------------------------------------


def _scores(record: Mapping[str, Any]) -> dict[str, float | None]:
    """Return the metrics of a sample that are numbers; those of several numbers by the name of each."""
    listed = record.get("metrics")
    named = listed if isinstance(listed, list) else [key for key in record if key not in _BESIDE_METRICS]
    scores: dict[str, float | None] = {}
    for name in (name for name in named if isinstance(name, str)):
        value = record.get(name)
        parts = {f"{name}.{key}": part for key, part in value.items()} if isinstance(value, dict) else {name: value}
        for called, part in parts.items():
            if isinstance(part, str) and called == name and isinstance(listed, list):
                part = _TRUTH_VALUES.get(part, number_in(part))  # noqa: PLW2901 - what JSON has no type for
            if isinstance(part, bool | int | float):
                scores[called] = number_of(part)
    return scores


# -- labels ------------------------------------------------------------------------------------------------


def _labels(
    record: Mapping[str, Any], choice: Choice, config: Mapping[str, Any]
) -> tuple[str | None, str | None, dict[str, float] | None]:
    """Return the truth, the prediction, and the chances of the labels where a sample is a choice."""
    answers = record.get("filtered_resps")
    logs = _log_likelihoods(answers)
    if not logs:
        return text_of(record.get("target")), text_of(answers), None
    target, place = record.get("target"), _number_of(record.get("target"))
    texts = _choices(record.get("arguments"), config) if place is None or choice.scorer in _LENGTHS else []
    values = _values(logs, texts, choice.scorer, mutual="acc_mutual_info" in record)
    truth = _place_of(target, texts, len(values))
    chances = softmax(values) if len(values) > 1 else None
    prediction = None if chances is None else str(values.index(max(values)))
    return truth, prediction, chances if choice.chances else None


def _log_likelihoods(answers: Any) -> list[float]:
    """Return the log-likelihood of each choice; none where an answer is text.

    Examples
    --------
    >>> _log_likelihoods([["-1.5", "False"], ["-0.5", "True"]]), _log_likelihoods(["-1.5"]), _log_likelihoods(None)
    ([-1.5, -0.5], [], [])
    """
    logs = []
    for answer in answers if isinstance(answers, list) else []:
        if not isinstance(answer, list) or len(answer) != 2 or str(answer[1]) not in _TRUTH_VALUES:  # noqa: PLR2004
            return []
        value = number_in(str(answer[0]))
        if value is None:
            return []
        logs.append(value)
    return logs


def _choices(arguments: Any, config: Mapping[str, Any]) -> list[str]:
    """Return the texts of the choices, without the delimiter that was put before each."""
    asked = list(arguments.values()) if isinstance(arguments, dict) else arguments
    delimiter = config.get("target_delimiter")
    texts = []
    for parts in asked if isinstance(asked, list) else []:
        pair = list(parts.values()) if isinstance(parts, dict) else parts
        if not isinstance(pair, list) or len(pair) < 2 or not isinstance(pair[1], str):  # noqa: PLR2004
            return []
        texts.append(pair[1].removeprefix(delimiter if isinstance(delimiter, str) else " "))
    return texts


def _values(logs: Sequence[float], texts: Sequence[str], scorer: str | None, *, mutual: bool) -> list[float]:
    """Return what a metric compares the choices by; nothing where the log lacks it.

    With mutual information the second half of the log-likelihoods are those of the choices without a question.
    """
    n_choices = len(logs) // 2 if mutual else len(logs)
    if scorer == "acc_mutual_info":
        return [log - alone for log, alone in zip(logs[:n_choices], logs[n_choices:], strict=True)]
    if scorer not in _LENGTHS:
        return list(logs[:n_choices])
    if len(texts) < n_choices:
        return []
    lengths = map(_LENGTHS[scorer], texts)
    return [log / length if length else -math.inf for log, length in zip(logs[:n_choices], lengths, strict=False)]


def _place_of(target: Any, texts: Sequence[str], n_choices: int) -> str | None:
    """Return the number of the true choice; None where several are true, or none can be told.

    Examples
    --------
    >>> _place_of("1", [], 4), _place_of("no", ["yes", "no"], 2), _place_of("[0, 2]", [], 4)
    ('1', '1', None)
    """
    number = _number_of(target)
    if number is not None:
        return str(number) if number < n_choices else None
    text = text_of(target)
    same = [place for place, choice in enumerate(texts[:n_choices]) if text is not None and choice == text.strip()]
    return str(same[0]) if len(same) == 1 else None


def _number_of(target: Any) -> int | None:
    """Return the number of the true choice, where a target says it."""
    text = text_of(target)
    return int(text) if text is not None and text.isdecimal() and len(text) <= MAX_DIGITS else None


def _question(record: Mapping[str, Any]) -> str | None:
    """Return what tells a document and its target from others; versions before 0.4.3 have no hashes of them."""
    document, target = record.get("doc_hash"), record.get("target_hash")
    if document is None and record.get("doc") is not None:
        document = _hash(json.dumps(record["doc"], indent=2, ensure_ascii=False))
    if target is None and record.get("target") is not None:
        target = _hash(str(record["target"]))
    if isinstance(document, str) and isinstance(target, str):
        return document[:CHECKED_LETTERS] + target[:CHECKED_LETTERS]
    return None if document is None else fingerprint(document, target)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# -- the files of a run ------------------------------------------------------------------------------------


def _opened(path: Path) -> _Samples:
    """Return a file of samples with the results of its run."""
    named = _name(path)
    header = _header(path, named["date"] if named else "")
    stem = path.name.partition(".jsonl")[0]
    tasks = sorted((task for task in mapping_of(header.get("results")) if stem.endswith(task)), key=len)
    return _Samples(
        path=path,
        task=named["task"] if named else tasks[-1] if tasks else "",
        system=_model(header) or (path.absolute().parent.name if named else stem),
        header=header,
    )


def _name(path: Path) -> re.Match[str] | None:
    return next((found for pattern in _NAMES if (found := pattern.fullmatch(path.name))), None)


def _header(path: Path, date: str) -> dict[str, Any]:
    """Return the results of the run that wrote a file: those of its date, or the only ones in the folder."""
    files = [file for file in sorted(path.parent.glob("*.json")) if date in file.name and file.is_file()]
    named = {f"results_{date}.json", f"{date}_results.json"}
    files = [file for file in files if file.name in named or _is_results(head_of(file))]
    document = json_document(files[0]) if files and (date or len(files) == 1) else None
    return document if isinstance(document, dict) else {}


def _files(path: Path) -> Sequence[Path]:
    """Return the samples of a file of results, or the file itself."""
    if not _is_results(head_of(path)):
        return (path,)
    samples = {file: found["date"] for file in sorted(path.parent.iterdir()) if (found := _name(file))}
    if not samples:
        raise DataError(
            f"{str(path)!r} holds the sums of an evaluation, and no file beside it its answers.",
            hint="run lm_eval again with --log_samples.",
        )
    return [file for file, date in samples.items() if date in path.name]


def _model(header: Mapping[str, Any]) -> str:
    """Return the name of the model; versions before 0.4.3 have it among its arguments."""
    arguments = _arguments(header)
    named = (arguments[key] for key in _MODEL_KEYS if key in arguments)
    return str(header.get("model_name") or next(named, ""))


def _arguments(header: Mapping[str, Any]) -> dict[str, str]:
    """Return the arguments of the model: a mapping, or the text a=1,b=2."""
    found = mapping_of(header.get("config")).get("model_args")
    if isinstance(found, str):
        found = dict(part.split("=", 1) for part in found.split(",") if "=" in part)
    return {key: text_of(value) or "" for key, value in mapping_of(found).items()}


def _facts(samples: _Samples) -> dict[str, str]:
    """Return what may tell this run from another of the same model."""
    header = samples.header
    facts: dict[str, Any] = {
        "shots": mapping_of(header.get("n-shot")).get(samples.task),
        "system instruction": header.get("system_instruction"),
        "chat template": str(header.get("chat_template_sha") or "")[:8],
        "few-shot turns": header.get("fewshot_as_multiturn"),
        "prompt": samples.config.get("doc_to_text"),
        "generation": samples.config.get("generation_kwargs"),
        "task version": mapping_of(header.get("versions")).get(samples.task),
        "back end": mapping_of(header.get("config")).get("model"),
        "lm_eval": header.get("lm_eval_version"),
    }
    facts = _arguments(header) | {key: text_of(value) for key, value in facts.items() if value not in (None, "", {})}
    return {key: value for key, value in facts.items() if value}


def _is_log(_path: Path, head: bytes) -> bool:
    return _is_results(head) or _is_samples(head)


def _is_samples(head: bytes) -> bool:
    if not re.match(rb"\[?\s*\{", head):
        return False
    known = rb'"(?:filtered_resps|resps|doc_hash|target_hash)"\s*:'
    # The document of the first sample may be longer than what is looked at.
    return bool(
        (re.search(rb'"doc_id"\s*:', head) and re.search(known, head))
        or re.match(rb'\[?\s*\{\s*"doc_id"\s*:\s*\d+\s*,\s*"doc"\s*:\s*\{', head)
    )


def _is_results(head: bytes) -> bool:
    start = re.match(rb'\{\s*"results"\s*:\s*\{', head)
    return bool(start and re.search(rb'"[^"]+_stderr,[^"]*"\s*:', head))


LM_EVAL: Final = LogFormat(title="lm-evaluation-harness", recognises=_is_log, runs=_runs, files=_files)
