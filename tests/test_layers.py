"""Imports go downwards only: the drawing of the architecture stays true."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import ropewalk

ROOT = Path(ropewalk.__file__).parent
LAYERS = {
    0: {"errors", "typing", "_validate", "_optional", "_write", "_version", "_progress", "_colours"},
    1: {"data", "_door"},
    2: {"sampling", "intervals", "bands", "metrics", "_beta"},
    3: {"models"},
    4: {
        "summary",
        "decision",
        "evidence",
        "wording",
        "contrast",
        "results",
        "_settle",
        "_features",
        "classical",
        "mcmc",
    },
    5: {"report", "plots"},
    6: {
        "_asking",
        "_engine",
        "_remarks",
        "compare",
        "evaluate",
        "rank",
        "scores",
        "_curve",
        "curves",
        "costs",
        "reproduce",
        "figures",
        "sensitivity",
        "checks",
        "exchange",
        "analysis",
        "resampling",
        "planning",
        "_dossier",
    },
    7: {
        "cli",
        "_bundled_commands",
        "_planning_commands",
        "_inputs",
        "_score_inputs",
        "_options",
        "_shell",
        "_terminal",
        "__main__",
    },
}
# One-line late delegates that reach upwards, by name; nothing else may.
DELEGATES = {
    ("results.base", "report"),
    ("results.base", "_dossier"),
    ("results.base", "checks"),
    ("results.base", "exchange"),
    ("results.evaluation", "checks"),
    ("results.evaluation", "exchange"),
    ("results.foreign", "report"),
    ("results.comparison", "sensitivity"),
    ("results.comparison", "analysis"),
    ("results.comparison", "planning"),
    ("results.predictions", "resampling"),
}
# The side-by-side tables show what the facade reproduces.
SHOWS_FACADE = {("report.papers", "reproduce")}


def layer_of(module):
    top = module.split(".")[0]
    return next(layer for layer, names in LAYERS.items() if top in names)


def imports(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "ropewalk":
            rest = node.module.split(".")[1:]
            if rest:
                yield node, ".".join(rest)
            else:
                yield from ((node, alias.name) for alias in node.names)


MODULES = sorted(p for p in ROOT.rglob("*.py") if p != ROOT / "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(ROOT)))
def test_imports_go_downwards_only(path):
    module = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    own = layer_of(module)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    top_level = set(map(id, tree.body))
    for node, target in imports(path):
        if own == 7:
            continue
        pair = (module, target.split(".")[0])
        if pair in DELEGATES:
            assert id(node) not in top_level, f"{module} must import {target} late"
            continue
        if pair in SHOWS_FACADE:
            continue
        assert layer_of(target) <= own, f"{module} (layer {own}) imports {target} (layer {layer_of(target)})"


def test_every_module_has_a_layer():
    tops = {p.relative_to(ROOT).with_suffix("").parts[0] for p in MODULES}
    assert tops == set().union(*LAYERS.values())
