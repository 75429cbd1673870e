"""A fixture for pytest: a test that a candidate may replace its base line.

Every run of pytest in an environment imports this module, so that it imports nothing but pytest until the fixture asks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from ropewalk.results.gates import Gate

FOLDER: Final = "--ropewalk-report"
INI: Final = "ropewalk_report"
SECTION: Final = "ropewalk gate"
"""Under which heading a test that fails shows the report."""

_MAX_STEM: Final = 80  # letters of the name of a page


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the folder into which pages of gates are written."""
    told = "folder for the HTML pages of gates that do not pass; by default the temporary folder of their test."
    group = parser.getgroup("ropewalk")
    group.addoption(FOLDER, metavar="DIR", default=None, help=told)
    parser.addini(INI, f"{FOLDER} where the line does not say it, from the root of the tests", default="")


@pytest.fixture
def ropewalk_gate(request: pytest.FixtureRequest) -> Callable[..., Gate]:
    """Hold a candidate against its base line as `ropewalk.gate` does, and fail where it is not as required.

    ``ropewalk_gate(new, old, require="not-worse", margin=0.02)`` takes what `gate` takes, and paths of evaluation logs.
    The seed is 0 by default. It returns the gate where it passes. Undecided fails too, unless ``on_undecided`` is
    "warn", a warning of pytest, or "pass".
    """
    pages = _Pages(request)

    def gate(*data: Any, **options: Any) -> Gate:
        __tracebackhide__ = True
        import ropewalk as rw
        from ropewalk.errors import RopewalkError, RopewalkWarning, warn_caller

        if "rng" not in options and "random_state" not in options:
            options["rng"] = 0
        try:
            answer = rw.gate(*_opened(data, options), **options)
        except (RopewalkError, RopewalkWarning) as error:  # where a warning is one, it is about the data too
            raise error.with_traceback(None) from None
        if answer.outcome == "met" or (answer.passed and answer.on_undecided == "pass"):
            return answer
        told = _told(answer, pages.write(answer))
        request.node.add_report_section("call", SECTION, answer.to_text())
        if answer.passed:
            warn_caller(told, RopewalkWarning)
            return answer
        pytest.fail(told)

    return gate


def _opened(data: Sequence[Any], options: dict[str, Any]) -> list[Any]:
    """Return data with the logs that are named by paths opened; a path beside a column of labels is that of a table."""
    if not all(isinstance(each, str | os.PathLike) for each in data) or options.get("truth") is not None:
        return list(data)
    from ropewalk.data import kinds, read_log

    others = (kinds.TABLE, kinds.COUNTS) if len(data) == 1 else (kinds.COUNTS,)
    return [each if kinds.kind_of(each) in others else read_log(each) for each in data]


def _told(gate: Gate, page: str) -> str:
    """Return why a gate does not pass: its headline, what is known of what is not met, and where the page is."""
    from ropewalk.report.gate_facts import as_lines, facts
    from ropewalk.text.writing import isolated

    open_ones = [check for check in gate if check.outcome != "met"]
    most = 5
    parts = [as_lines(facts(check, gate, isolated)) for check in open_ones[:most]]
    if len(open_ones) > most:
        parts.append(f"… and {len(open_ones) - most:,} more that are not met; the report below and the page have them.")
    return "\n\n".join([f"{gate.headline}.", *parts, page])


class _Pages:
    """Where the pages of one test are written."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._request = request
        self._written = 0

    def write(self, gate: Gate) -> str:
        """Write the page of a gate, and return where it is; what cannot be written does not hide what the gate says."""
        from ropewalk.text.writing import reason

        self._written += 1
        try:
            folder = self._folder()
            path = folder / f"{self._stem()}.html"
            gate.to_html(path)
        except (OSError, ValueError) as error:
            return f"The page could not be written: {reason(error)}."
        return f"The page: {path}"

    def _folder(self) -> Path:
        config = self._request.config
        asked, kept = config.getoption(FOLDER), config.getini(INI)
        if not asked and not kept:
            temporary: Path = self._request.getfixturevalue("tmp_path")
            return temporary
        folder = Path(config.invocation_params.dir, asked) if asked else Path(config.rootpath, kept)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _stem(self) -> str:
        """Return a name that says which test it was, and is that of no other."""
        import hashlib
        import re

        node = self._request.node.nodeid
        words = re.sub(r"[^A-Za-z0-9]+", "-", node).strip("-")[-_MAX_STEM:].lstrip("-")
        apart = hashlib.sha256(node.encode("utf-8", "backslashreplace")).hexdigest()[:8]
        return f"{words}-{apart}{f'-{self._written}' if self._written > 1 else ''}"
