"""Seeded tables of answers, from which the tests of each format write a log, and texts that attack its reader."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import numpy as np

from hostile import NAMES
from ropewalk.data.logs import read_log

SYSTEMS = ("org/atlas", "org/birch")

TEXTS = {
    **NAMES,
    "colours": "\x1b[31mred\x1b[0m",
    "null": "a\0b",
    "line ends": "one\r\ntwo\u2028three",
    "long": "x" * 1_000_000,
    "half a character": "\ud800",
    "digits": "9" * 5000,
}


@dataclass(frozen=True)
class Answer:
    """What one system answered to one item, once: what a log is written from, and what must be read from it."""

    item: str
    truth: str
    prediction: str
    score: float
    repeat: int = 1
    question: str = ""
    group: str = ""
    marks: dict = field(default_factory=dict)


def answers(seed, n_items, *, labels=("yes", "no", "maybe"), n_repeats=1):
    """Return the answers of one system; the questions are the same for every seed."""
    rng = np.random.default_rng(seed)
    return [
        Answer(
            item=str(number),
            truth=(truth := labels[number % len(labels)]),
            prediction=(said := str(rng.choice(labels))),
            score=float(said == truth),
            repeat=repeat,
            question=f"Question {number}?",
            group=f"g{number // 3}",
            marks={"length": float(rng.integers(1, 9)), "ease": round(float(rng.random()), 3)},
        )
        for repeat in range(1, n_repeats + 1)
        for number in range(n_items)
    ]


def write_lines(path, records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def write_json(path, document):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document, indent=2), encoding="utf-8")
    return path


def rows_of(path, **options):
    """Return the rows of a log by item and repeat; no two have the same."""
    rows = list(read_log(path, **options).rows())
    found = {(row.item, row.repeat): row for row in rows}
    assert len(found) == len(rows)
    return found


def assert_same(rows, table, *, score=lambda answer: answer.score, cluster=lambda _: None):
    """Every answer of the table is a row, and there is no other."""
    assert list(rows) == [(answer.item, answer.repeat) for answer in table]
    for answer, row in zip(table, rows.values(), strict=True):
        assert (row.truth, row.prediction, row.score) == (answer.truth, answer.prediction, score(answer))
        assert (row.cluster, row.error) == (cluster(answer), None)
