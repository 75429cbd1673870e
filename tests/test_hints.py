"""Every error says what to do: wherever one is made there is a hint, and no error is written into another's text."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import ropewalk as rw
from ropewalk import errors
from ropewalk.text.writing import reason

SOURCES = Path(rw.__file__).parent
OURS = {name for name in errors.__all__ if issubclass(getattr(errors, name), errors.RopewalkError)}


@pytest.fixture(scope="module")
def sources():
    """Calls and handlers of exceptions in every file of the package that names an error: (path, node)."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCES.rglob("*.py"))}
    trees = [(path, ast.parse(text)) for path, text in texts.items() if re.search("Error|except", text)]
    kinds = ast.Call | ast.ExceptHandler
    return [(path, node) for path, tree in trees for node in ast.walk(tree) if isinstance(node, kinds)]


def made_in(nodes):
    """Yield the calls that make an error of ours, by any name of the class."""
    for node in nodes:
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if called in OURS:
                yield node


def hints_of(call):
    """Return the values that the hint of an error may have."""
    (hint,) = [keyword.value for keyword in call.keywords if keyword.arg == "hint"] or [ast.Constant(None)]
    match hint:
        case ast.IfExp(body=one, orelse=other):
            return [one, other]
        case ast.BoolOp(values=values):
            return [values[-1]]
    return [hint]


def is_empty(value):
    return isinstance(value, ast.Constant) and not value.value


def test_every_error_that_is_raised_has_a_hint(sources):
    made = [(path, call) for path, node in sources for call in made_in([node])]
    assert len(made) > 500
    assert [f"{path}:{call.lineno}" for path, call in made if any(map(is_empty, hints_of(call)))] == []


@pytest.mark.parametrize(
    "source",
    [
        "raise DataError('x')",
        "raise errors.DataError('x', hint=None)",
        "raise DataError('x', hint='a' if b else None)",
        "raise DataError('x', hint=a or None)",
        "raise DataError('x', hint='')",
    ],
)
def test_an_error_without_a_hint_is_found(source):
    (call,) = made_in(ast.walk(ast.parse(source)))
    assert any(map(is_empty, hints_of(call)))


def test_no_error_is_written_into_the_text_of_another(sources):
    """`str(error)` ends with the hint, which is then no hint of the new error: `reason(error)` has none."""
    broad = OURS | {"Exception", "BaseException", "ValueError", "OSError", "ImportError", "TypeError"}
    written = []
    for path, handler in sources:
        if not isinstance(handler, ast.ExceptHandler) or handler.name is None:
            continue
        caught = {getattr(node, "id", getattr(node, "attr", "")) for node in ast.walk(handler.type)}
        for node in ast.walk(handler) if caught & broad else ():
            shown = node.value if isinstance(node, ast.FormattedValue) else None
            if getattr(shown, "id", "") == handler.name:
                written.append(f"{path}:{node.lineno}")
    assert written == []


def test_what_an_error_says_is_one_line_without_its_hint():
    assert reason(errors.DataError("Nothing.\nAt all.", hint="never mind.")) == "Nothing. At all"
