"""Details of lighteval: one Parquet file per task, in a folder that has the model's name and the date.

What is easy to get wrong in the format:

* the model's name is in the results and in the names of folders; it may hold a slash, and then it is two folders;
* the scores are one column, a struct with a field per metric, empty where a metric is of other samples;
* versions before 0.10 have one column per field (`full_prompt`, `gold_index`, `metrics`) and no ids;
* inputs of metrics over the whole task (lists, structs) stand beside the scores of samples.
"""

from __future__ import annotations

import contextlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk._optional import require
from ropewalk.data.formats.parquet import rows_at_once
from ropewalk.data.logs.opening import json_document
from ropewalk.data.logs.rows import (
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
from ropewalk.errors import DataError, FileFormatError, UnreadableFileError
from ropewalk.text.writing import reason

_NAME: Final = re.compile(r"details_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.parquet", re.DOTALL)
_RESULTS_NAME: Final = re.compile(r"results_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.json")
_MAGIC: Final = b"PAR1"
_FOOTER_BYTES: Final = 1 << 20  # of the end of a file, where the names of its columns are
_ROWS_PER_BATCH: Final = 256
_COLUMNS: Final = (
    *(f"doc.{name}" for name in ("id", "query", "choices", "gold_index", "specific")),
    *(f"model_response.{name}" for name in ("text", "text_post_processed", "logprobs")),
)
_OLD_COLUMNS: Final = ("example", "full_prompt", "choices", "gold_index", "specifics", "predictions")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Details:
    """A file of details: whose answers to what it holds, and the columns of its scores."""

    path: Path
    task: str
    system: str
    is_old: bool

    @property
    def metrics(self) -> str:
        """The column of the scores."""
        return "metrics" if self.is_old else "metric"

    def records(self, scorer: str | None) -> Iterator[dict[str, Any]]:
        """Yield the samples with one of their scores, a batch at a time."""
        columns = [*(_OLD_COLUMNS if self.is_old else _COLUMNS), f"{self.metrics}.{scorer}"]
        with _parquet(self.path) as file:
            for batch in file.iter_batches(batch_size=rows_at_once(file, _ROWS_PER_BATCH), columns=columns):
                for record in batch.to_pylist():
                    yield _as_new(record) if self.is_old else record


def _runs(path: Path) -> Iterator[Run]:
    with _parquet(path) as file:
        schema = file.schema_arrow
    is_old = "metric" not in schema.names
    column = "metrics" if is_old else "metric"
    kind = schema.field(column).type if column in schema.names else None
    types = require("pyarrow", extra="files", caller="A log of lighteval").types
    if kind is None or not types.is_struct(kind):
        raise FileFormatError(f"{str(path)!r} has no column of scores by their names.", hint="run a newer lighteval.")
    names = [field.name for field in kind if _is_number(types, field.type)]
    found = _NAME.fullmatch(path.name)
    header = _header(path, found["date"] if found else "")
    details = _Details(
        path=path,
        task=found["task"] if found else "",
        system=_model(header) or _model_folders(path) or path.stem,
        is_old=is_old,
    )
    yield Run(
        system=details.system,
        task=details.task,
        scores=tuple(Score(name=name) for name in names),
        facts=_facts(header),
        rows=partial(_rows, details),
    )


def _rows(details: _Details, choice: Choice) -> Iterator[Row]:
    """Yield a row per sample; the same question again is a repeat."""
    seen: Counter[str] = Counter()
    for record in details.records(choice.scorer):
        doc = mapping_of(record.get("doc"))
        question = fingerprint(doc.get("query"), _golds(doc))
        item = text_of(doc.get("id")) or question
        seen[item] += 1
        score = number_of(mapping_of(record.get(details.metrics)).get(choice.scorer or ""))
        truth, prediction, chances = _labels(doc, mapping_of(record.get("model_response")), choice)
        yield Row(
            task=details.task,
            item=item,
            repeat=seen[item],
            system=details.system,
            truth=truth,
            prediction=prediction,
            score=score,
            cluster=cluster_of(doc.get("specific"), choice, item),
            error=f"no {choice.scorer}" if score is None else None,
            question=question,
            chances=chances,
        )


def _as_new(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return a sample of an old version as new ones are."""
    said = record.get("predictions")
    return {
        "doc": {
            "query": record.get("example") or record.get("full_prompt"),
            "choices": record.get("choices"),
            "gold_index": record.get("gold_index"),
            "specific": record.get("specifics"),
        },
        "model_response": {
            "text": said if isinstance(said, list) and all(isinstance(one, str) for one in said) else []
        },
        "metrics": record.get("metrics"),
    }


# -- labels ------------------------------------------------------------------------------------------------


def _labels(
    doc: Mapping[str, Any], response: Mapping[str, Any], choice: Choice
) -> tuple[str | None, str | None, dict[str, float] | None]:
    """Return the truth, the prediction, and the chances of the labels where a sample is a choice."""
    choices, logs = _list(doc.get("choices")), _list(response.get("logprobs"))
    if len(logs) > 1 and len(logs) == len(choices) and all(number_of(log) is not None for log in logs):
        values = _per_letter(logs, choices) if choice.scorer == "acc_norm" else [float(log) for log in logs]
        gold = _list(doc.get("gold_index"))
        truth = str(gold[0]) if len(gold) == 1 else None
        return truth, str(values.index(max(values))), softmax(values) if choice.chances else None
    said = _list(response.get("text_post_processed")) or _list(response.get("text"))
    return text_of(_golds(doc) or None), text_of(said or None), None


def _per_letter(logs: Sequence[Any], choices: Sequence[Any]) -> list[float]:
    lengths = [len(str(choice).removeprefix(" ")) for choice in choices]
    return [float(log) / length if length else -math.inf for log, length in zip(logs, lengths, strict=True)]


def _golds(doc: Mapping[str, Any]) -> list[Any]:
    """Return the texts of the true answers."""
    choices = _list(doc.get("choices"))
    places = [place for place in _list(doc.get("gold_index")) if isinstance(place, int)]
    return [choices[place] for place in places if 0 <= place < len(choices)]


def _list(value: Any) -> list[Any]:
    """Return a list as it is, and a single value as a list of one."""
    return [] if value is None else value if isinstance(value, list) else [value]


# -- files -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _parquet(path: Path) -> Iterator[Any]:
    """Open a Parquet file, and say what is wrong with it."""
    parquet = require("pyarrow.parquet", extra="files", caller="A log of lighteval")
    shown = repr(str(path))
    try:
        with path.open("rb") as stream:
            yield parquet.ParquetFile(stream)
    except UnreadableFileError:
        raise
    except (OSError, ValueError, NotImplementedError) as error:  # pyarrow's errors derive from these
        if isinstance(error, DataError):
            raise
        if isinstance(error, OSError) and error.errno is not None:
            raise UnreadableFileError(f"Cannot read {shown}: {error.strerror}.", hint="name a file.") from error
        raise FileFormatError(f"{shown} is a damaged Parquet file: {reason(error)}.", hint="copy it again.") from error


def _is_number(types: Any, kind: Any) -> bool:
    return bool(types.is_floating(kind) or types.is_integer(kind) or types.is_boolean(kind))


def _header(path: Path, date: str) -> Mapping[str, Any]:
    """Return the results of the run: in the folder `results` beside `details`, under the model's name."""
    model = _model_folders(path)
    root = _root(path, "details")
    results = root / "results" / model / f"results_{date}.json" if root and model else None
    return mapping_of(json_document(results)) if results and results.is_file() else {}


def _root(path: Path, name: str) -> Path | None:
    """Return the folder that holds the nearest folder of a name."""
    return next((parent.parent for parent in path.absolute().parents if parent.name == name), None)


def _model_folders(path: Path) -> str:
    """Return the names of the folders between `details` and the one of the date."""
    root = _root(path, "details")
    return "/".join(path.absolute().parent.relative_to(root / "details").parts[:-1]) if root else ""


def _model(header: Mapping[str, Any]) -> str:
    general = mapping_of(header.get("config_general"))
    named = general.get("model_name") or mapping_of(general.get("model_config")).get("model_name")
    return text_of(named) or ""


def _facts(header: Mapping[str, Any]) -> dict[str, str]:
    """Return what may tell this run from another of the same model."""
    general = mapping_of(header.get("config_general"))
    config = mapping_of(general.get("model_config"))
    keys = ("generation_parameters", "system_prompt", "chat_template", "dtype", "revision", "use_chat_template")
    facts = {key.replace("_", " "): config.get(key) for key in keys}
    facts |= {"model sha": general.get("model_sha"), "lighteval": general.get("lighteval_sha")}
    return {key: text_of(value) or "" for key, value in facts.items() if value not in (None, "", {})}


def _files(path: Path) -> Sequence[Path]:
    """Return the details of a file of results, or the file itself."""
    found = _RESULTS_NAME.fullmatch(path.name)
    if path.suffix == ".parquet":
        return (path,)
    root = _root(path, "results")
    if found and root:
        model = path.absolute().parent.relative_to(root / "results")
        folder = root / "details" / model / found["date"]
        if folder.is_dir():
            return tuple(sorted(file for file in folder.iterdir() if _NAME.fullmatch(file.name)))
    raise DataError(
        f"{str(path)!r} holds the sums of an evaluation, and its details are not in the folder beside it.",
        hint="run lighteval again with --save-details.",
    )


def _is_log(path: Path, head: bytes) -> bool:
    if head[:4] == _MAGIC:
        footer = _footer(path)
        if not footer:  # cut off
            return bool(_NAME.fullmatch(path.name))
        new = all(name in footer for name in (b"model_response", b"gold_index", b"metric"))
        return new or all(name in footer for name in (b"full_prompt", b"gold_index", b"metrics"))
    start = re.match(rb'\s*\{\s*"config_general"\s*:\s*\{', head)
    return bool(start and b"lighteval" in head)


def _footer(path: Path) -> bytes:
    """Return the end of a Parquet file, which names its columns; nothing where it has none."""
    try:
        with path.open("rb") as stream:
            size = stream.seek(0, 2)
            stream.seek(max(0, size - 8))
            length, magic = int.from_bytes(stream.read(4), "little"), stream.read(4)
            if magic != _MAGIC or length + 8 > size:
                return b""
            stream.seek(size - 8 - length)
            return stream.read(min(length, _FOOTER_BYTES))
    except OSError:
        return b""


LIGHTEVAL: Final = LogFormat(title="lighteval", recognises=_is_log, runs=_runs, files=_files)
