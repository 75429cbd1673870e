"""Remarks are values: a code that the reference lists, a level, a sentence and the options that it names."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import ropewalk as rw
from ropewalk.errors import ConvergenceWarning, DegenerateDataWarning, PriorDominanceWarning
from ropewalk.text.remarks import Remark, as_notes, few, issue, note, warning, wording

ROOT = Path(rw.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "remarks.md"
MAKERS = {"note": "note", "warning": "warning", "Remark": ""}


@cache
def codes_in_source():
    """Return every code with the levels that it is made with."""
    codes = {}
    for path in ROOT.rglob("*.py"):
        nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        imports = [
            node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == "ropewalk.text.remarks"
        ]
        makers = MAKERS.keys() & {alias.name for node in imports for alias in node.names}
        assert all(alias.asname is None for node in imports for alias in node.names if alias.name in MAKERS), path
        if path == ROOT / "text" / "remarks.py":
            makers = MAKERS.keys()
        for call in nodes:
            if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.func.id not in makers:
                continue
            first = call.args[0]
            if isinstance(first, ast.Starred) or (path == ROOT / "text" / "remarks.py" and isinstance(first, ast.Name)):
                continue  # a remark that is read from a file; `note` and `warning` themselves
            for value in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
                assert isinstance(value, ast.Constant), f"{path}:{call.lineno}: a code must be written out"
                codes.setdefault(value.value, set()).add(MAKERS[call.func.id])
    return codes


def codes_on_page():
    rows = re.findall(
        r"^\| `([a-z_]+)` \| ([^|]*) \| [^|]+ \| [^|]+ \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(rows) == len(dict(rows))
    return dict(rows)


def test_the_reference_lists_every_code_and_no_other():
    assert set(codes_in_source()) == set(codes_on_page())


def test_the_reference_has_the_level_of_every_code():
    page = codes_on_page()
    assert len(page) > 30
    for code, levels in codes_in_source().items():
        assert all(level in page[code] for level in levels), code


def test_a_result_has_its_remarks_as_values_and_as_texts():
    strong = rw.models.Sigir2016(positive=(1, 400, 1, 1), negative=(1, 1, 400, 1))
    with pytest.warns(PriorDominanceWarning, match="The prior pulls"):
        r = rw.compare([1, 0] * 20, [1, 0] * 20, [0, 1] * 20, model=strong, draws=2_000, rng=0)
    assert [(remark.code, remark.level) for remark in r.remarks if remark.level == "warning"] == [
        ("prior_pulls", "warning")
    ]
    assert r.warnings == tuple(remark.text for remark in r.remarks if remark.level == "warning")
    assert r.notes == tuple(remark.text for remark in r.remarks if remark.level == "note")
    assert r.to_dict()["warnings"] == list(r.warnings)


@pytest.mark.parametrize(
    ("code", "category"),
    [
        ("prior_pulls", PriorDominanceWarning),
        ("chains_not_converged", ConvergenceWarning),
        ("no_items", DegenerateDataWarning),
    ],
)
def test_the_class_of_a_warning_follows_from_its_code_and_not_from_its_text(code, category):
    with pytest.warns(category, match="Any text"):
        issue([warning(code, "Any text."), note("no_items", "A note is not issued.")])


def test_a_text_that_begins_like_another_warning_is_issued_by_its_own_code():
    with pytest.warns(DegenerateDataWarning):
        issue([warning("no_items", "The prior pulls, but this is about items.")])


def test_few_remarks_end_with_how_many_more_there_are():
    remarks = [warning("rare_classes", text) for text in "abcdefgh"]
    assert few(remarks[:6]) == remarks[:6]
    assert few(remarks) == [*remarks[:5], Remark("more_like_these", "warning", "… and 3 more like these.")]


def test_a_warning_becomes_a_note_with_the_same_code_and_options():
    remark = warning("one_label", wording("labels= declares more."))
    (turned,) = as_notes([remark])
    assert (turned.code, turned.level, turned.text) == ("one_label", "note", remark.text)
    assert [(option.name, option.value) for option in turned.options] == [("labels", None)]
