"""The page of a report: what it costs to write beside the sampling of its answer, and how large it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from measure import alternate
from table import Row

import ropewalk as rw
from ropewalk.report.document import describe
from ropewalk.report.render import page

REPEATS = 5
MOST = 0.5  # CPU seconds
"""What a page may cost beyond the sampling."""


def rows() -> Iterator[Row]:
    """Measure the pages of one class, of the average over twenty, of all twenty, and of four classifiers."""
    news = rw.examples.news20()
    outcomes = news.outcomes.relabel(news.class_names)
    pair = partial(rw.compare, outcomes, a="nb_mult", b="svm_l2", rope=0.01, rng=0, draws=50_000)
    asked = {
        "one class": (partial(pair, pos_label="sci.space"), 150_000),
        "macro F1 of 20 classes": (pair, 150_000),
        "20 classes × 4 classifiers": (partial(rw.rank, outcomes, rope=0.01, rng=0, draws=10_000), 1_000_000),
    }
    for what, (ask, largest) in asked.items():
        answer = ask()
        answer.to_html()  # the templates are read once
        document = describe(answer)
        sections = document.on_page()
        ready = replace(document, sections=lambda _, sections=sections: sections)
        render = partial(page, ready, answer.to_json())
        sampled, rendered, whole = alternate(ask, render, answer.to_html, repeats=REPEATS)
        yield Row(
            what=f"page of {what}: rendering", measured=rendered, peer="its sampling", peer_measured=sampled,
            max_measured=MOST,
        )  # fmt: skip
        yield Row(what="  with its own small samples", measured=whole, peer="its sampling", peer_measured=sampled)
        yield Row(what="  its size", measured=len(answer.to_html().encode()), unit="B", max_measured=largest)
