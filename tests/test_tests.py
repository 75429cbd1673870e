"""Every test can fail: it asserts something, itself or by a helper, and what it asserts may be false."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FILES = sorted(path for path in HERE.rglob("*.py") if path.parent.name != "typing")
CHECKS = {"raises", "warns", "fail", "expect", "check_call", "check_output"}
TEXTS = {"str", "repr", "to_dict", "to_html", "to_json", "to_latex", "to_markdown"}
BROAD = {
    "Exception",
    "ValueError",
    "TypeError",
    "KeyError",
    "RuntimeError",
    "RopewalkError",
    "InvalidInputError",
    "DataError",
}
Functions = dict[str, list[ast.FunctionDef]]


def functions_of(tree: ast.AST) -> Functions:
    """List the functions and methods of a module by name."""
    by_name: Functions = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            by_name.setdefault(node.name, []).append(node)
    return by_name


def called_name(call: ast.Call) -> str:
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def can_fail(function: ast.FunctionDef, known: Functions, seen: frozenset[str] = frozenset()) -> bool:
    """Return whether a function asserts something, or calls or requests as a fixture one that does."""
    if function.name in seen:
        return False
    if any(isinstance(node, ast.Assert) for node in ast.walk(function)):
        return True
    called = {called_name(node) for node in ast.walk(function) if isinstance(node, ast.Call)}
    called |= {argument.arg for argument in function.args.args}
    if called & CHECKS or any(name.startswith("assert_") for name in called):
        return True
    helpers = [helper for name in called for helper in known.get(name, [])]
    return any(can_fail(helper, known, seen | {function.name}) for helper in helpers)


def is_hollow(test: ast.expr) -> bool:
    """Return whether an assertion holds whatever the code does, or does not look at what was said instead."""
    match test:
        case ast.Constant() | ast.JoinedStr():
            return True
        case ast.Tuple(elts=elements):
            return bool(elements)
        case ast.BoolOp(op=ast.Or(), values=parts):
            return any(map(is_hollow, parts))
        case ast.Compare(left=ast.Constant(value="Traceback"), ops=[ast.NotIn()]):
            return True
        case ast.Compare(left=ast.Call(func=ast.Name(id="len")), ops=[ast.GtE()], comparators=[ast.Constant(value=0)]):
            return True
        case ast.Call():  # a text is never empty: what does it say?
            return called_name(test) in TEXTS
    return False


def is_vague(context: ast.withitem) -> bool:
    """Return whether any error of a broad class would do: nothing is matched, and the error is not kept."""
    call = context.context_expr
    if not isinstance(call, ast.Call) or called_name(call) != "raises" or context.optional_vars is not None:
        return False
    classes = {getattr(node, "id", getattr(node, "attr", "")) for argument in call.args for node in ast.walk(argument)}
    return bool(classes & BROAD) and not any(keyword.arg == "match" for keyword in call.keywords)


@pytest.fixture(scope="module")
def shared() -> Functions:
    """Return what any test may use: the fixtures and the helper modules."""
    names: Functions = {}
    for path in (HERE.parent / "conftest.py", *HERE.glob("*.py")):
        if not path.name.startswith("test_"):
            names.update(functions_of(ast.parse(path.read_text(encoding="utf-8"))))
    return names


def test_every_test_asserts_something_that_may_be_false(shared: Functions) -> None:
    for path in FILES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        own = functions_of(tree)
        tests = [test for name, same_name in own.items() if name.startswith("test_") for test in same_name]
        assert [test.name for test in tests if not can_fail(test, {**shared, **own})] == [], path
        hollow = [node for node in ast.walk(tree) if isinstance(node, ast.Assert) and is_hollow(node.test)]
        vague = [node for node in ast.walk(tree) if isinstance(node, ast.With) and any(map(is_vague, node.items))]
        assert [node.lineno for node in hollow + vague] == [], path


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def test_x(): run()", False),
        ("def helper(): assert y\ndef test_x(): helper()", True),
        ("def helper(): pass\ndef test_x(): helper()", False),
        ("def checked(): assert y\ndef test_x(checked): pass", True),
        ("def test_x():\n    with pytest.raises(E): run()", True),
        ("def test_x(): test_x()", False),
    ],
)
def test_a_test_without_an_assertion_is_noticed(code, expected):
    known = functions_of(ast.parse(code))
    assert can_fail(known["test_x"][0], known) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [("True", True), ("(x, 'message')", True), ("'Traceback' not in x", True), ("x == y or True", True),
     ("len(x) >= 0", True), ("r.to_json()", True), ("str(r)", True),
     ("x == y", False), ("'a' not in x", False), ("x or y", False), ("len(x) >= 1", False), ("f(x)", False)],
)  # fmt: skip
def test_a_hollow_assertion_is_noticed(code, expected):
    assert is_hollow(ast.parse(code, mode="eval").body) == expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [("pytest.raises(InvalidInputError)", True), ("pytest.raises(rw.errors.DataError)", True),
     ("pytest.raises((KeyError, OSError))", True), ("pytest.raises(InvalidInputError, match='x')", False),
     ("pytest.raises(InvalidInputError) as caught", False), ("pytest.raises(PairingError)", False), ("open(x)", False)],
)  # fmt: skip
def test_an_error_of_any_kind_is_noticed(code, expected):
    (block,) = ast.parse(f"with {code}: pass").body
    assert is_vague(block.items[0]) == expected
