"""Logs of Inspect: `.eval`, a zip archive of JSON members, and `.json`.

Of an archive the header and the summaries are read; the samples only where there are no summaries. What is easy to get
wrong in the format:

* members are zstd by default since April 2026, deflate before;
* a log that was killed is a sound archive without a header, and a failed one has a status other than "success";
* with `fail_on_error=False` a successful log has samples with an error and no score, and scorers may leave a sample
  unscored (NaN, which is no strict JSON);
* a sample that was run again comes twice, and the last one counts;
* an epoch is a repeat of the same item;
* a log that was written in shards has them in a folder beside it, `<name>.shards/<number>/`, and all of them in it.
"""

from __future__ import annotations

import contextlib
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from ropewalk._optional import require
from ropewalk.data.columns import number_in
from ropewalk.data.formats.form import is_log_archive
from ropewalk.data.json_stream import JsonStream
from ropewalk.data.logs.opening import head_of, opened
from ropewalk.data.logs.rows import (
    Choice,
    LogFormat,
    Row,
    Run,
    Score,
    cluster_of,
    error_text,
    fingerprint,
    list_of,
    mapping_of,
    number_of,
    text_of,
)
from ropewalk.errors import DataError, FileFormatError, MissingDependencyError, RopewalkError, UnfinishedError
from ropewalk.text.writing import reason

_HEADER: Final = "header.json"
_START: Final = "_journal/start.json"
_SUMMARIES: Final = "summaries.json"
_JOURNAL: Final = re.compile(r"_journal/summaries/(\d+)\.json")
_SAMPLE: Final = re.compile(r"(?:samples/.+_epoch_\d+\.json|(?P<folder>samples/.+_epoch_\d+/)sample\.json)", re.DOTALL)
_BACKPORT: Final = "backports.zstd.zipfile"
MAX_DIRECTORY: Final = 1 << 26
"""How many bytes the list of an archive's members may have: some 700,000 of them."""

_OF_HEADERS: Final = {"status", "eval", "plan", "invalidated", "tags"}
_OF_SAMPLES: Final = {"id", "epoch", "input", "target", "metadata", "scores", "score", "error"}
_SUMMARY_LETTERS: Final = 900  # summaries cut texts after some 1,000, full samples do not
_VALUES: Final = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_SUCCESS: Final = "success"
_STARTED: Final = "started"
_SHARDS: Final = ".shards"
_ZSTD: Final = 93
_METHODS: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTD}

Samples: TypeAlias = Callable[[], Iterator[Any]]
"""What reads the samples of a log, as often as it is called."""


# -- archives ----------------------------------------------------------------------------------------------


def _archive_runs(path: Path) -> Iterator[Run]:
    header = _archive_header(path)
    yield from _runs(path, header, partial(_archive_samples, path))


def _archive_header(path: Path) -> dict[str, Any]:
    """Return the header; of a log that has none yet what it began with, which says no status."""
    with _archive(path) as archive:
        names = [name for name in (_HEADER, _START) if name in archive.NameToInfo]
        if not names:
            return {}
        with _member(archive, names[0], path) as document:
            return document.members(_OF_HEADERS if names[0] == _HEADER else {"eval"})


def _archive_samples(path: Path) -> Iterator[Any]:
    """Yield the summaries of the samples; where there are none, the samples themselves."""
    with _archive(path) as archive:
        names = archive.NameToInfo
        journal = sorted((int(found[1]), name) for name in names if (found := _JOURNAL.fullmatch(name)))
        for name in [_SUMMARIES] if _SUMMARIES in names else [name for _, name in journal]:
            with _member(archive, name, path) as document:
                yield from document.items()
        if _SUMMARIES not in names and not journal:
            yield from _full_samples(archive, path)


def _full_samples(archive: zipfile.ZipFile, path: Path) -> Iterator[dict[str, Any]]:
    """Yield samples without their events and messages; one in parts has its metadata in a member of their own."""
    for found in filter(None, map(_SAMPLE.fullmatch, archive.NameToInfo)):
        with _member(archive, found[0], path) as document:
            sample = document.members(_OF_SAMPLES)
        if found["folder"] and (name := f"{found['folder']}metadata.json") in archive.NameToInfo:
            with _member(archive, name, path) as document:
                sample["metadata"] = document.value()
        yield sample


@contextlib.contextmanager
def _member(archive: zipfile.ZipFile, name: str, path: Path) -> Iterator[JsonStream]:
    with archive.open(name) as member:
        document = JsonStream(member, f"{str(path)!r}, {name}")
        yield document
        document.close()  # the end of a member is where its checksum is looked at


@contextlib.contextmanager
def _archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive by what can read its members."""
    shown = repr(str(path))
    with opened(path) as stream:
        try:
            with _zip_module().ZipFile(_Bounded(stream, shown)) as archive:
                _check_methods({info.compress_type for info in archive.infolist()}, shown)
                yield archive
        except (RopewalkError, OSError):
            raise
        except Exception as error:  # zipfile, zlib and zstd raise many kinds for bytes that are damaged
            raise FileFormatError(f"{shown} is a damaged log: {reason(error)}.", hint="copy it again.") from error


class _Bounded:
    """An archive of which only so much is read at once: the list of its members is, and may be of any length."""

    def __init__(self, stream: IO[bytes], shown: str) -> None:
        self._stream, self._shown = stream, shown
        self.seek, self.tell, self.seekable = stream.seek, stream.tell, stream.seekable

    def read(self, size: int = -1) -> bytes:
        """Read some bytes."""
        if size > MAX_DIRECTORY:
            raise FileFormatError(
                f"{self._shown} lists its members in {size:,} bytes; the most is {MAX_DIRECTORY:,}.",
                hint="copy it again; or compare part of the samples.",
            )
        return self._stream.read(size)


def _zip_module() -> Any:
    """Return what reads archives: what stands in for zipfile where that reads no zstd, if it is there."""
    if hasattr(zipfile, "ZIP_ZSTANDARD"):
        return zipfile
    try:
        return require(_BACKPORT, extra="logs", caller="This Inspect log")
    except MissingDependencyError:
        return zipfile  # it reads older logs


def _check_methods(methods: set[int], shown: str) -> None:
    """Refuse members that are packed as Inspect does not pack, or as nothing here can read."""
    if not methods <= _METHODS:
        raise FileFormatError(f"{shown} is packed by a method that Inspect does not use.", hint="copy it again.")
    if _ZSTD in methods and _zip_module() is zipfile and not hasattr(zipfile, "ZIP_ZSTANDARD"):
        raise MissingDependencyError(
            f"{shown} is compressed by zstd, which Python reads from 3.14 on.", hint="pip install 'ropewalk[logs]'"
        )


def _merged(path: Path) -> tuple[Path]:
    """Return the log that a shard is part of, or the log itself."""
    folder = path.absolute().parent.parent
    if folder.suffix != _SHARDS:
        return (path,)
    whole = folder.with_suffix(".eval")
    if not whole.is_file():
        raise DataError(
            f"{str(path)!r} is one shard of {str(whole)!r}, which is not there.",
            hint="finish the evaluation: Inspect merges the shards at its end; part of a log is no answer.",
        )
    return (whole,)


# -- one JSON document -------------------------------------------------------------------------------------


def _document_runs(path: Path) -> Iterator[Run]:
    with opened(path) as stream:
        document = JsonStream(stream, repr(str(path)))
        header = document.members(_OF_HEADERS)
        document.close()
    yield from _runs(path, header, partial(_document_samples, path))


def _document_samples(path: Path) -> Iterator[Any]:
    """Yield the samples one by one, without their events and messages."""
    with opened(path) as stream:
        document = JsonStream(stream, repr(str(path)))
        for key in document.keys():  # noqa: SIM118 - it is no mapping
            if key == "samples" and document.kind() == "[":
                for _ in document.elements():
                    yield document.members(_OF_SAMPLES)
            else:
                document.skip()


# -- both --------------------------------------------------------------------------------------------------


def _runs(path: Path, header: Mapping[str, Any], samples: Samples) -> Iterator[Run]:
    """Yield the one run of a log that is finished."""
    status = header.get("status")
    if status != _SUCCESS:
        of_header = "it has no header, so it is still running or was killed"
        ends = status not in (None, _STARTED)  # as it is: nobody needs to wait for it
        raise _unfinished(path, of_header if status is None else f"its status is {status!r}", ends=ends)
    if header.get("invalidated"):
        raise DataError(f"{str(path)!r} is marked as invalid.", hint="compare another log of this task.")
    spec = mapping_of(header.get("eval"))
    system, task = str(spec.get("model") or path.stem), str(spec.get("task") or "")
    yield Run(
        system=system,
        task=task,
        scores=tuple(Score(name=name) for name in _names(samples)),
        facts=_facts(header, spec),
        notes=_notes(spec),
        rows=partial(_rows, path, system, task, samples),
    )


def _was_retried(path: Path) -> bool:
    """Whether a log is not finished, and another one in its folder is, of the same evaluation: names hold its id."""
    status, own = _beginning_of(path)
    if status == _SUCCESS or not own:
        return False
    others = (other for other in path.parent.iterdir() if other != path and own in other.name)
    return any(_beginning_of(other) == (_SUCCESS, own) for other in others)


def _beginning_of(path: Path) -> tuple[str, str]:
    """Return the status of a log and the id of its evaluation, as far as they can be read."""
    with contextlib.suppress(RopewalkError):
        header = _archive_header(path) if _is_archive(path, head_of(path)) else _document_beginning(path)
        return str(header.get("status")), str(mapping_of(header.get("eval")).get("task_id") or "")
    return "", ""


def _document_beginning(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with opened(path) as stream:
        document = JsonStream(stream, repr(str(path)))
        for key in document.keys():  # noqa: SIM118 - it is no mapping
            if key not in {"status", "eval"}:
                document.skip()
                continue
            found[key] = document.value()
            if len(found) > 1:
                break
    return found


def _rows(path: Path, system: str, task: str, samples: Samples, choice: Choice) -> Iterator[Row]:
    """Yield a row per sample and epoch, the last one where a sample was run again."""
    kept: dict[tuple[str, int], Row] = {}
    for sample in samples():
        item, epoch = _key(sample, path)
        value, answer = _value(_scores(sample), str(choice.scorer))
        truth = text_of(sample.get("target"))
        kept.pop((item, epoch), None)
        kept[item, epoch] = Row(
            task=task,
            item=item,
            repeat=epoch,
            system=system,
            truth=truth,
            prediction=text_of(answer),
            score=value,
            cluster=cluster_of(sample.get("metadata"), choice, item),
            error=None if value is not None else error_text(sample.get("error")) or "unscored",
            question=None
            if sample.get("input") is None
            else fingerprint(_question(sample["input"]), _beginning(truth or "")),
        )
    yield from kept.values()


def _key(sample: Any, path: Path) -> tuple[str, int]:
    """Return the id and the epoch of a sample."""
    known = mapping_of(sample)
    item, epoch = known.get("id"), known.get("epoch", 1)
    if not isinstance(item, int | str) or not isinstance(epoch, int):
        raise FileFormatError(
            f"{str(path)!r} has a sample without an id or a whole number as its epoch.", hint="copy it again."
        )
    return str(item), epoch


def _scores(sample: Any) -> dict[str, dict[str, Any]]:
    """Return the scores of a sample by their names; logs of 2024 have one without a name."""
    known = mapping_of(sample)
    scores = known["scores"] if known.get("scores") is not None else {"score": known.get("score")}
    return {name: score for name, score in mapping_of(scores).items() if isinstance(score, dict)}


def _names(samples: Samples) -> list[str]:
    """Return what the scores are called: of several values, each by its own name."""
    names: dict[str, None] = {}
    several = set()
    for sample in samples():
        for name, score in _scores(sample).items():
            value = score.get("value")
            if isinstance(value, dict):
                several.add(name)
                names |= {f"{name}.{key}": None for key in value}
            else:
                names[name] = None
    return [name for name in names if name not in several]  # a sample without a score has no values by name


def _value(scores: Mapping[str, dict[str, Any]], wanted: str) -> tuple[float | None, Any]:
    """Return the score that was asked for as a number, and the answer that it is about."""
    for name, score in scores.items():
        value, key = score.get("value"), wanted.removeprefix(f"{name}.")
        if name == wanted:
            return _number(value), score.get("answer")
        if key != wanted and (not isinstance(value, dict) or key in value):
            return _number(mapping_of(value).get(key)), score.get("answer")
    return None, None


def _number(value: Any) -> float | None:
    """Return a value as Inspect's `value_to_float` does; None where it is none.

    Examples
    --------
    >>> _number("C"), _number("P"), _number(True), _number("0.25"), _number(float("nan")), _number("?")
    (1.0, 0.5, 1.0, 0.25, None, None)
    """
    if isinstance(value, str):
        value = _VALUES.get(value, _VALUES.get(value.lower(), number_in(value)))
    return number_of(value)


def _question(asked: Any) -> str:
    """Return the text of what was asked, as much of it as summaries keep: of messages, and of the parts of each."""
    if isinstance(asked, list):
        contents = [part.get("content") for part in asked if isinstance(part, dict)]
        parts = [part for content in contents for part in (content if isinstance(content, list) else [content])]
        asked = "\n".join(str(part.get("text", "") if isinstance(part, dict) else part) for part in parts)
    return _beginning(str(asked))


def _beginning(text: str) -> str:
    """Return what summaries keep of a text; where they cut one, its spaces change too."""
    return " ".join(text[:_SUMMARY_LETTERS].split())


def _facts(header: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, str]:
    """Return what may tell this run from another of the same model."""
    steps = [str(mapping_of(step).get("solver")) for step in list_of(mapping_of(header.get("plan")).get("steps"))]
    facts: dict[str, Any] = {"solver": spec.get("solver") or " + ".join(steps)}
    for part in ("solver_args", "task_args", "model_args", "model_generate_config", "model_roles"):
        facts |= {key: text_of(value) for key, value in mapping_of(spec.get(part)).items()}
    facts["tags"] = ", ".join(dict.fromkeys(map(str, [*list_of(spec.get("tags")), *list_of(header.get("tags"))])))
    return {key: str(value) for key, value in facts.items() if value}


def _notes(spec: Mapping[str, Any]) -> tuple[str, ...]:
    config = mapping_of(spec.get("config"))
    reducers = list_of(config.get("epochs_reducer"))
    if reducers in ([], ["mean"]) or config.get("epochs") == 1:
        return ()
    reduced = ", ".join(map(str, reducers))
    return (f"The log sums up epochs by {reduced}; here every epoch counts by itself, and means are compared.",)


def _unfinished(path: Path, why: str, *, ends: bool = False) -> DataError:
    return (DataError if ends else UnfinishedError)(
        f"{str(path)!r} is not finished: {why}.", hint="finish or repeat the evaluation; part of a log is no answer."
    )


def _is_archive(path: Path, head: bytes) -> bool:
    return path.suffix == ".eval" or is_log_archive(head)


def _is_document(_path: Path, head: bytes) -> bool:
    return head[:1] == b"{" and all(re.search(rb'"%s"\s*:' % key, head) for key in (b"status", b"eval", b"version"))


ARCHIVE: Final = LogFormat(
    title="Inspect (.eval)", recognises=_is_archive, runs=_archive_runs, files=_merged, was_retried=_was_retried
)
DOCUMENT: Final = LogFormat(
    title="Inspect (.json)", recognises=_is_document, runs=_document_runs, was_retried=_was_retried
)
