"""Imports go downwards only, late ones too: the drawing of the architecture stays true."""

from __future__ import annotations

import ast
from importlib import import_module
from pathlib import Path

import ropewalk

ROOT = Path(ropewalk.__file__).parent
ROOMS = (
    {"errors", "typing", "_version"},
    {"text"},
    {"_arguments"},
    {"_checks"},
    {"_progress", "_optional", "_files"},
    {"data"},
    {"draws"},
    {"metrics"},
    {"models"},
    {"mcmc"},
    {"results"},
    {"classical"},
    {"inference"},
    {"report"},
    {"plots"},
    {"verbs"},
    {"planning", "resampling", "curves", "analysis", "exchange", "papers", "gating"},
    {"cli"},
    {"__main__", "pytest_plugin"},
)
"""From the ground upwards; a room knows itself and what lies below."""

NEIGHBOURS = {("papers", "planning"), ("analysis", "resampling"), ("gating", "planning")}
"""Rooms built on the verbs that know each other."""

SWITCHBOARD = "results.upwards"
"""The one module that may import from above: methods of results that render, ask again or exchange call it."""

MODULES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


def name_of(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def floor_of(module):
    room = module.split(".")[0]
    return next(floor for floor, rooms in enumerate(ROOMS) if room in rooms)


def imports(path):
    """Yield every ropewalk module that a file imports: at its head, inside functions, for type checkers or by name."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ropewalk":
            rest = node.module.split(".")[1:]
            if rest:
                yield ".".join(rest)
            else:
                yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Import):
            for name in (alias.name for alias in node.names):
                if name.split(".")[0] == "ropewalk":  # the bare package is the door to all of it
                    yield name.removeprefix("ropewalk").removeprefix(".") or "verbs"
        elif isinstance(node, ast.Call) and "import_module" in ast.unparse(node.func):
            written = ast.unparse(node.args[0]).lstrip("f").strip("'\"")
            if written.startswith("ropewalk"):
                yield written.removeprefix("ropewalk.")


def test_imports_go_downwards_only():
    for path in MODULES:
        module = name_of(path)
        own, room = floor_of(module), module.split(".")[0]
        for target in imports(path):
            other = target.split(".")[0]
            if other == room or own == len(ROOMS) - 2 or module == SWITCHBOARD or (room, other) in NEIGHBOURS:
                continue
            assert floor_of(target) < own, f"{module} imports {target}"


def test_the_switchboard_names_functions_that_exist_above():
    tree = ast.parse((ROOT / "results" / "upwards.py").read_text(encoding="utf-8"))
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "reach"]
    targets = [[ast.literal_eval(argument) for argument in call.args] for call in calls]
    assert targets
    for module, function in targets:
        assert floor_of(module) > floor_of("results")
        assert callable(getattr(import_module(f"ropewalk.{module}"), function))


def test_every_module_has_a_room():
    rooms = {name_of(path).split(".")[0] for path in MODULES}
    assert rooms == set().union(*ROOMS)


def runs(path):
    """Yield the modules that a file imports when it runs, sooner or later: not those for type checkers alone."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typing = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    skipped = {id(inner) for node in typing for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in skipped:
            yield from {alias.name.removeprefix("ropewalk.") for alias in node.names} & NAMES
        if isinstance(node, ast.ImportFrom) and id(node) not in skipped and (node.module or "").startswith("ropewalk."):
            package = node.module.removeprefix("ropewalk.")
            inner = {f"{package}.{alias.name}" for alias in node.names}
            yield from inner & NAMES if inner <= NAMES else {package}


NAMES = {name_of(path) for path in MODULES}


def test_no_modules_import_each_other_in_a_circle():
    """The switchboard of results is left out: it looks upwards by name, when a method is called."""
    graph = {name_of(path): set(runs(path)) for path in MODULES if name_of(path) != "results.upwards"}
    while leaves := {module for module, targets in graph.items() if not targets & graph.keys()}:
        graph = {module: targets for module, targets in graph.items() if module not in leaves}
    assert graph == {}
