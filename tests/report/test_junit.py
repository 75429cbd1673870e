"""JUnit XML as those who read it see it: the counts, a test case per requirement and task, and names that attack it."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import ropewalk as rw
from gates import PAIRS, TRUTH, gate_of, gate_on_tasks, renamed
from hostile import NAMES
from ropewalk.report.junit import CLASS, junit
from support import need

SCHEMA = Path(__file__).with_name("junit-10.xsd")
THREE = {"sums": "met", "reading": "contradicted", "maps": "undecided"}


def read(gate):
    """Return the one suite of a gate, as a reader of JUnit XML has it."""
    suites = list(need("junitparser").JUnitXml.fromstring(junit(gate).encode()))
    assert len(suites) == 1
    return suites[0]


def verdicts(suite):
    """Return what became of each test case, by its name."""
    return {case.name: [type(result).__name__ for result in case.result] for case in suite}


@pytest.mark.parametrize(
    ("outcome", "on_undecided", "result"),
    [
        ("met", "fail", []),
        ("contradicted", "fail", ["Failure"]),
        ("contradicted", "pass", ["Failure"]),
        ("undecided", "fail", ["Failure"]),
        ("undecided", "warn", ["Skipped"]),
        ("undecided", "pass", []),
    ],
)
def test_a_requirement_is_a_test_case_that_fails_is_skipped_or_passes(outcome, on_undecided, result):
    suite = read(gate_of(outcome, on_undecided))
    (case,) = suite
    assert [type(each).__name__ for each in case.result] == result
    assert (suite.tests, suite.failures, suite.skipped, suite.errors) == (
        1, result.count("Failure"), result.count("Skipped"), 0,
    )  # fmt: skip
    assert case.classname == CLASS
    assert (case.is_passed, case.is_failure, case.is_skipped) == (
        result == [], result == ["Failure"], result == ["Skipped"],
    )  # fmt: skip


def test_an_undecided_requirement_that_passes_says_that_it_is_undecided():
    (case,) = read(gate_of("undecided", "pass"))
    assert "undecided: the interval reaches across the margin (undecided passes)" in case.system_out


def test_a_failure_says_the_outcome_the_interval_the_reason_and_the_seed():
    (case,) = read(gate_of("undecided"))
    (failure,) = case.result
    assert failure.type == "undecided"
    assert failure.message.startswith("undecided, since the interval reaches across the margin: ")
    for part in ("A − B: ", "[", "95% HDI", "the interval reaches across the margin", "seed 0", "400 items"):
        assert part in failure.text


def test_each_task_has_a_test_case_with_its_name_and_the_counts_are_theirs():
    suite = read(gate_on_tasks(THREE, "warn"))
    by_task = {task: next(name for name in verdicts(suite) if task in name) for task in THREE}
    assert verdicts(suite) == {
        by_task["sums"]: [], by_task["reading"]: ["Failure"], by_task["maps"]: ["Skipped"],
    }  # fmt: skip
    assert (suite.tests, suite.failures, suite.skipped) == (3, 1, 1)
    root = ET.fromstring(junit(gate_on_tasks(THREE)))
    assert (root.get("tests"), root.get("failures")) == ("3", "2")


def test_several_requirements_are_a_test_case_each():
    gate = rw.gate(TRUTH, *PAIRS["met"], metric="accuracy", require=["better", "equivalent 1%"], draws=4_000, rng=0)
    assert list(verdicts(read(gate)).values()) == [[], ["Failure"]]


def test_test_cases_that_would_be_called_alike_have_numbers_since_readers_keep_one_of_each():
    gate = gate_on_tasks({"a\x00": "met", "a\\x00": "contradicted"})
    names = list(verdicts(read(gate)))
    assert len(set(names)) == 2
    assert names[1] == f"{names[0]} (2)"


@pytest.mark.parametrize("outcome", PAIRS)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_any_name_gives_xml_in_which_the_name_is_text(name, outcome):
    gate = gate_on_tasks({name: outcome, "other": "met"}, "warn")
    root = ET.fromstring(junit(renamed(gate, name, f"{name}2")))
    tags = {element.tag for element in root.iter()}
    assert tags <= {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "skipped", "system-out",
    }  # fmt: skip
    assert len(root.findall(".//testcase")) == 2
    told = "".join([*root.itertext(), *(value for element in root.iter() for value in element.attrib.values())])
    assert not set(told) & {"\0", "\x1b", "\x9b", "\u202e", "\r", "\ufffe", "\uffff"}


@pytest.mark.parametrize(
    "tasks", [{"a": "met"}, THREE, dict.fromkeys(NAMES.values(), "contradicted")], ids=["one", "three", "hostile"]
)
def test_the_schema_of_jenkins_takes_it(tasks):
    assert need("xmlschema").XMLSchema10(SCHEMA).is_valid(junit(gate_on_tasks(tasks, "warn")))


def test_the_schema_refuses_what_is_no_junit():
    schema = need("xmlschema").XMLSchema10(SCHEMA)
    assert not schema.is_valid(junit(gate_of("met")).replace("testcase", "case"))


def test_the_same_gate_gives_the_same_bytes():
    again = renamed(gate_of("met"), "A", "B")
    assert junit(gate_of("met")) == junit(again)


def test_what_is_asked_not_to_be_worse_is_nowhere_called_equivalent():
    for pair in PAIRS.values():
        gate = rw.gate(TRUTH, *pair, metric="accuracy", require="not-worse", margin=0.02, draws=4_000, rng=0)
        assert "equivalent" not in junit(gate)
