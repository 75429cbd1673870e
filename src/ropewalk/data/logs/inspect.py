"""Logs of Inspect: `.eval`, a zip archive of JSON members, and `.json`.

Only the header and the summaries of an archive are read, not its samples. What is easy to get wrong in the format:

* members are zstd by default since April 2026, deflate before;
* a log that was killed is a sound archive without a header, and a failed one has a status other than "success";
* with `fail_on_error=False` a successful log has samples with an error and no score, and scorers may leave a sample
  unscored (NaN, which is no strict JSON);
* a sample that was run again comes twice, and the last one counts;
* an epoch is a repeat of the same item.
"""

from __future__ import annotations

import contextlib
import math
import re
import zipfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, Final

from ropewalk._optional import require
from ropewalk.data.columns import number_in
from ropewalk.data.json_stream import JsonStream
from ropewalk.data.logs.opening import opened
from ropewalk.data.logs.rows import Choice, LogFormat, Row, Run, Score, cluster_of, fingerprint, text_of
from ropewalk.errors import DataError, FileFormatError, MissingDependencyError, RopewalkError

_HEADER: Final = "header.json"
_SUMMARIES: Final = "summaries.json"
_JOURNAL: Final = re.compile(r"_journal/summaries/(\d+)\.json")
_SUMMARY_LETTERS: Final = 900  # summaries cut texts after some 1,000, full samples do not
_MAX_ERROR_LETTERS: Final = 200
_VALUES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_UNPACKED: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA}
_ERROR_CLASS: Final = re.compile(r"(\w+)\(.*\)\s*", re.DOTALL)
_UNPRINTABLE: Final = re.compile(r"\x1b\[[0-9;]*[A-Za-z]|[\x00-\x1f\x7f]+")


# -- archives ----------------------------------------------------------------------------------------------


def _archive_runs(path: Path) -> Iterator[Run]:
    header = _archive_header(path)
    yield from _runs(path, header, partial(_archive_samples, path))


def _archive_header(path: Path) -> dict[str, Any]:
    with _archive(path) as archive:
        if _HEADER not in archive.namelist():
            raise _unfinished(path, "it has no header, so it is still running or was killed")
        with archive.open(_HEADER) as member:
            header = JsonStream(member, f"{str(path)!r}, {_HEADER}").value()
    return header if isinstance(header, dict) else {}


def _archive_samples(path: Path) -> Iterator[dict[str, Any]]:
    with _archive(path) as archive:
        names = archive.namelist()
        journal = sorted((int(found[1]), name) for name in names if (found := _JOURNAL.fullmatch(name)))
        members = [_SUMMARIES] if _SUMMARIES in names else [name for _, name in journal]
        if not members:
            raise FileFormatError(
                f"{str(path)!r} has no summaries of its samples.", hint="run Inspect 0.3.46 or later."
            )
        for name in members:
            with archive.open(name) as member:
                yield from JsonStream(member, f"{str(path)!r}, {name}").items()


@contextlib.contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive by what can read its members."""
    shown = repr(str(path))
    try:
        with zipfile.ZipFile(path) as plain:
            methods = {info.compress_type for info in plain.infolist()}
        module = zipfile if methods <= _UNPACKED or hasattr(zipfile, "ZIP_ZSTANDARD") else _zstd_reader(shown)
        with module.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, EOFError, NotImplementedError, ValueError) as error:
        if isinstance(error, RopewalkError):
            raise
        raise FileFormatError(f"{shown} is a damaged log: {error}.", hint="copy it again.") from error


def _zstd_reader(shown: str) -> Any:
    try:
        return require("backports.zstd.zipfile", extra="logs", caller="An Inspect log of today")
    except MissingDependencyError as error:
        raise MissingDependencyError(
            f"{shown} is compressed by zstd, which Python reads from 3.14 on.", hint="pip install 'ropewalk[logs]'"
        ) from error


# -- one JSON document -------------------------------------------------------------------------------------


def _document_runs(path: Path) -> Iterator[Run]:
    with opened(path) as stream:
        header = {key: value for key, value in _document(stream, str(path)) if key != "samples"}
    yield from _runs(path, header, partial(_document_samples, path))


def _document_samples(path: Path) -> Iterator[dict[str, Any]]:
    with opened(path) as stream:
        for key, value in _document(stream, str(path)):
            if key == "samples":
                yield value


def _document(stream: IO[bytes], shown: str) -> Iterator[tuple[str, Any]]:
    """Yield the members of a log; its samples one by one."""
    document = JsonStream(stream, repr(shown))
    for key in document.keys():  # noqa: SIM118 - it is no mapping
        if key == "samples" and document.kind() == "[":
            for sample in document.items():
                yield key, sample
        else:
            yield key, document.value()


# -- both --------------------------------------------------------------------------------------------------


def _runs(path: Path, header: Mapping[str, Any], samples: Any) -> Iterator[Run]:
    """Yield the one run of a log that is finished."""
    status = header.get("status")
    if status != "success":
        raise _unfinished(path, f"its status is {status!r}")
    if header.get("invalidated"):
        raise DataError(f"{str(path)!r} is marked as invalid.", hint="compare another log of this task.")
    spec = header["eval"] if isinstance(header.get("eval"), dict) else {}
    names: dict[str, None] = {}
    for sample in samples():
        for name, score in _scores(sample).items():
            names |= dict.fromkeys(_names(name, score))
    yield Run(
        system=str(spec.get("model", path.stem)),
        task=str(spec.get("task", "")),
        scores=tuple(Score(name=name) for name in names),
        facts=_facts(header, spec),
        notes=_notes(spec),
        rows=partial(_rows, spec, samples),
    )


def _rows(spec: Mapping[str, Any], samples: Any, choice: Choice) -> Iterator[Row]:
    """Yield a row per sample and epoch, the last one where a sample was run again."""
    kept: dict[tuple[str, int], Row] = {}
    for sample in samples():
        item, epoch = str(sample.get("id")), int(sample.get("epoch", 1))
        value, answer = _value(_scores(sample), choice.scorer)
        error = None if value is not None else _error_text(sample.get("error")) or "unscored"
        kept.pop((item, epoch), None)
        kept[item, epoch] = Row(
            task=str(spec.get("task", "")),
            item=item,
            repeat=epoch,
            system=str(spec.get("model", "")),
            truth=text_of(sample.get("target")),
            prediction=text_of(answer),
            score=value,
            cluster=cluster_of(sample.get("metadata"), choice.cluster, item),
            error=error,
            question=fingerprint(_question(sample.get("input")), text_of(sample.get("target"))),
        )
    yield from kept.values()


def _scores(sample: Mapping[str, Any]) -> dict[str, Any]:
    """Return the scores of a sample by their names; logs of 2024 have one without a name."""
    scores = sample.get("scores")
    if scores is None and isinstance(sample.get("score"), dict):
        scores = {"score": sample["score"]}
    return {name: score for name, score in (scores or {}).items() if isinstance(score, dict)}


def _names(name: str, score: Mapping[str, Any]) -> list[str]:
    """Return what a score is called: of several values, each by its own name."""
    value = score.get("value")
    return [f"{name}.{key}" for key in value] if isinstance(value, dict) else [name]


def _value(scores: Mapping[str, Any], wanted: str | None) -> tuple[float | None, Any]:
    """Return the score that was asked for as a number, and the answer that it is about."""
    for name, score in scores.items():
        for called in _names(name, score):
            if wanted in {None, called}:
                value = score.get("value")
                value = value[called.removeprefix(f"{name}.")] if isinstance(value, dict) else value
                return _number(value), score.get("answer")
    return None, None


def _number(value: Any) -> float | None:
    """Return a value as Inspect's `value_to_float` does; None where it is none.

    Examples
    --------
    >>> _number("C"), _number("P"), _number(True), _number("0.25"), _number(math.nan), _number("?")
    (1.0, 0.5, 1.0, 0.25, None, None)
    """
    if isinstance(value, str):
        value = _VALUES.get(value, _VALUES.get(value.lower(), number_in(value)))
    if isinstance(value, bool | int | float) and math.isfinite(value):
        return float(value)
    return None


def _question(asked: Any) -> str:
    """Return the text of what was asked, as much of it as summaries keep."""
    if isinstance(asked, list):
        asked = "\n".join(_question(part.get("content", part.get("text"))) for part in asked if isinstance(part, dict))
    return str(asked)[:_SUMMARY_LETTERS]


def _error_text(error: Any) -> str:
    r"""Return an error in one line; tracebacks hold codes that colour a terminal.

    Examples
    --------
    >>> _error_text("RuntimeError('boom')"), _error_text({"message": "timed \x1b[31mout"}), _error_text(None)
    ('RuntimeError', 'timed out', '')
    """
    text = error.get("message", "") if isinstance(error, dict) else error
    text = _UNPRINTABLE.sub(" ", str(text or "")).strip()
    found = _ERROR_CLASS.fullmatch(text)
    return (found[1] if found else " ".join(text.split()))[:_MAX_ERROR_LETTERS]


def _facts(header: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, str]:
    """Return what may tell this run from another of the same model."""
    plan = header["plan"] if isinstance(header.get("plan"), dict) else {}
    steps = [str(step.get("solver")) for step in plan.get("steps", []) if isinstance(step, dict)]
    facts: dict[str, Any] = {"solver": spec.get("solver") or " + ".join(steps)}
    for part in ("solver_args", "task_args", "model_args", "model_generate_config", "model_roles"):
        found = spec.get(part)
        facts |= {key: text_of(value) for key, value in found.items()} if isinstance(found, dict) else {}
    facts["tags"] = ", ".join(map(str, [*(spec.get("tags") or []), *(header.get("tags") or [])]))
    return {key: str(value) for key, value in facts.items() if value}


def _notes(spec: Mapping[str, Any]) -> tuple[str, ...]:
    config = spec["config"] if isinstance(spec.get("config"), dict) else {}
    reducers = config.get("epochs_reducer") or ["mean"]
    if reducers == ["mean"]:
        return ()
    reduced = ", ".join(map(str, reducers))
    return (f"The log sums up epochs by {reduced}; here every epoch counts by itself, and means are compared.",)


def _unfinished(path: Path, why: str) -> DataError:
    return DataError(
        f"{str(path)!r} is not finished: {why}.", hint="finish or repeat the evaluation; part of a log is no answer."
    )


def _is_archive(path: Path, head: bytes) -> bool:
    return head[:4] == b"PK\x03\x04" and (path.suffix == ".eval" or b"_journal/" in head or b"samples/" in head)


def _is_document(_path: Path, head: bytes) -> bool:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    return start[:1] == b"{" and all(re.search(rb'"%s"\s*:' % key, head) for key in (b"status", b"eval", b"version"))


ARCHIVE: Final = LogFormat(title="Inspect (.eval)", recognises=_is_archive, runs=_archive_runs)
DOCUMENT: Final = LogFormat(title="Inspect (.json)", recognises=_is_document, runs=_document_runs)
