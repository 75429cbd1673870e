"""A gate as JUnit XML, which machines that run tests read: one test case per requirement and task."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final
from xml.etree import ElementTree as ET

from ropewalk.report.gate_facts import as_lines, chance, difference, facts, found, treated
from ropewalk.results.gates import Check, Gate
from ropewalk.text.writing import few, isolated

SUITE: Final = "ropewalk gate"
CLASS: Final = "ropewalk.gate"
"""What the test cases belong to: the same for every candidate, so that machines can follow a requirement over time."""

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FAILS: Final = "failure"
_SKIPPED: Final = "skipped"


def junit(gate: Gate) -> str:
    """Return a gate as JUnit XML: what is contradicted has failed, and what is undecided as `on_undecided` says.

    An undecided requirement fails, is skipped where it warns, or passes. The same gate gives the same text.

    Examples
    --------
    >>> import ropewalk as rw
    >>> y = [1, 0] * 200
    >>> gate = rw.gate(y, y, [1, 1] * 200, metric="accuracy", require="better", rng=0)
    >>> print(junit(gate).splitlines()[2].strip())
    <testsuite name="ropewalk gate" tests="1" failures="0" errors="0" skipped="0" time="0">
    """
    verdicts = [_verdict(check, gate) for check in gate]
    numbers = {"tests": len(verdicts), "failures": verdicts.count(_FAILS), "errors": 0}
    written = {key: str(number) for key, number in numbers.items()}
    suites = ET.Element("testsuites", {"name": SUITE, **written, "time": "0"})
    skipped = {"skipped": str(verdicts.count(_SKIPPED)), "time": "0"}
    suite = ET.SubElement(suites, "testsuite", {"name": SUITE, **written, **skipped})
    properties = ET.SubElement(suite, "properties")
    for key, text in _properties(gate):
        ET.SubElement(properties, "property", {"name": key, "value": _xml(text)})
    for check, name, verdict in zip(gate, _names(gate), verdicts, strict=True):
        _add_case(suite, check, gate, name, verdict)
    told = [f"{gate.headline}.", *(f"Warning: {isolated(text)}" for text in few(gate.warnings))]
    ET.SubElement(suite, "system-out").text = _xml("\n".join(told))
    ET.indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suites, encoding="unicode")}\n'


def _verdict(check: Check, gate: Gate) -> str:
    """Return what becomes of a test case: the tag that says so, or nothing where it passes."""
    if check.outcome == "undecided":
        return {"fail": _FAILS, "warn": _SKIPPED, "pass": ""}[gate.on_undecided]
    return _FAILS if check.outcome == "contradicted" else ""


def _properties(gate: Gate) -> Iterator[tuple[str, str]]:
    yield "outcome", gate.outcome
    yield "exit_code", str(gate.exit_code)
    yield "headline", gate.headline
    yield "candidate", isolated(gate.a)
    yield "baseline", isolated(gate.b)
    yield "on_undecided", gate.on_undecided
    yield "seed", str(gate.seed)


def _add_case(suite: ET.Element, check: Check, gate: Gate, name: str, verdict: str) -> None:
    """Add a test case, with what is known of it where people look: in the failure, or else in its output."""
    case = ET.SubElement(suite, "testcase", {"classname": CLASS, "name": _xml(name), "time": "0"})
    text = f"{found(check, isolated)}.\n{as_lines(facts(check, gate, isolated))}"
    if not verdict:
        ET.SubElement(case, "system-out").text = _xml(text)
        return
    ET.SubElement(case, verdict, {"type": check.outcome, "message": _xml(_message(check, gate))}).text = _xml(text)


def _message(check: Check, gate: Gate) -> str:
    """Return in one line what came out, and by how much."""
    numbers = f"{difference(check)}, as required with probability {chance(check)}"
    if check.outcome != "undecided":
        return f"{found(check, isolated)}: {numbers}"
    return f"undecided, since {isolated(check.reason)}: {numbers}; {treated(gate)}"


def _names(gate: Gate) -> list[str]:
    """Return what is required as names of test cases, none of which occurs twice: machines keep one of each."""
    return list(_apart(check.told(isolated) for check in gate))


def _apart(names: Iterable[str]) -> Iterator[str]:
    """Yield names, each that was there before with a number.

    Examples
    --------
    >>> list(_apart(["f1 better", "f1 better (2)", "f1 better"]))
    ['f1 better', 'f1 better (2)', 'f1 better (3)']
    """
    taken: set[str] = set()
    for name in names:
        tried = (f"{name} ({number})" for number in count(2))
        free = name if name not in taken else next(other for other in tried if other not in taken)
        taken.add(free)
        yield free


def _xml(text: str) -> str:
    r"""Return a text with what XML 1.0 cannot hold made visible: control characters, lone surrogates, U+FFFE.

    Examples
    --------
    >>> print(_xml("a\x00b\ufffe"))
    a\x00b\ufffe
    """
    return _NOT_XML.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)
