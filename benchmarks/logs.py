"""Reading evaluation logs of 20,000 samples, beside decoding their JSON once."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from measure import alternate
from table import Row

import ropewalk as rw

N = 20_000
HEADER = {"version": 2, "status": "success", "eval": {"task": "reading", "model": "m", "config": {"epochs": 1}}}


def rows() -> Iterator[Row]:
    """Measure each format: opening a log, and going through all of its rows."""
    with tempfile.TemporaryDirectory() as folder:
        for what, write, max_ratio in CASES:
            path, decode = write(Path(folder))
            ours, theirs = alternate(lambda path=path: _read(path), decode, repeats=3)
            yield Row(what=f"read a log, {what}", measured=ours, peer="json", peer_measured=theirs, max_ratio=max_ratio)


def _read(path: Path) -> int:
    return sum(1 for _ in rw.read_log(path).rows())


def _archive(folder: Path) -> tuple[Path, Callable[[], Any]]:
    """An archive of which the summaries are read, and not the samples."""
    path, summaries = folder / "log.eval", [_sample(number) for number in range(N)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps(HEADER))
        for number, sample in enumerate(summaries):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(_with_events(sample)))
        archive.writestr("summaries.json", json.dumps(summaries))
        archive.writestr("header.json", json.dumps(HEADER))

    def decode() -> Any:
        with zipfile.ZipFile(path) as packed:
            return json.loads(packed.read("summaries.json"))

    return path, decode


def _document(folder: Path) -> tuple[Path, Callable[[], Any]]:
    """One document, of which events and messages are passed over."""
    path = folder / "log.json"
    path.write_text(json.dumps({**HEADER, "samples": [_with_events(_sample(number)) for number in range(N)]}))
    return path, lambda: json.loads(path.read_text())


def _lines(folder: Path) -> tuple[Path, Callable[[], Any]]:
    """JSON lines of multiple choice."""
    path = folder / "samples_reading_2026-11-16T07-56-56.515272.jsonl"
    with path.open("w") as handle:
        handle.writelines(json.dumps(_choice(number)) + "\n" for number in range(N))

    def decode() -> Any:
        with path.open() as handle:
            return sum(1 for line in handle if json.loads(line))

    return path, decode


def _sample(number: int) -> dict[str, Any]:
    score = {"value": "CI"[number % 3 % 2], "answer": "yes", "explanation": "because " * 30}
    return {
        "id": number, "epoch": 1, "input": f"Question {number}? " + "words " * 40, "target": "yes",
        "metadata": {"topic": f"t{number % 50}"}, "scores": {"match": score},
    }  # fmt: skip


def _with_events(sample: dict[str, Any]) -> dict[str, Any]:
    return {**sample, "events": [{"event": "model", "content": "words " * 40, "usage": {"tokens": 7}}] * 5}


def _choice(number: int) -> dict[str, Any]:
    question = f"Question {number}? " + "words " * 40
    return {
        "doc_id": number, "doc": {"question": question}, "target": str(number % 4),
        "arguments": {f"gen_args_{k}": {"arg_0": question, "arg_1": f" choice {k}"} for k in range(4)},
        "filtered_resps": [[f"-{(number + k) % 5 + 0.5}", "False"] for k in range(4)], "filter": "none",
        "metrics": ["acc"], "doc_hash": f"{number:064x}", "target_hash": f"{number % 4:064x}", "acc": number % 3 % 2,
    }  # fmt: skip


CASES = (
    ("Inspect .eval", _archive, 8.0),
    ("Inspect .json", _document, 4.0),
    ("lm-evaluation-harness", _lines, 6.0),
)
"""What is read, what writes it, and how much longer than its JSON it may take: every log is gone through twice."""
