"""Every kind of draws has random numbers of its own."""

import ast
from itertools import combinations
from pathlib import Path

import pytest

import ropewalk
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator

STREAMS = {name: number for name, number in vars(streams).items() if name.isupper() and name != "WIDTH"}
ROOT = Path(ropewalk.__file__).parent


def test_no_two_streams_overlap():
    for (name, number), (other_name, other) in combinations(STREAMS.items(), 2):
        assert abs(number - other) >= streams.WIDTH, (name, other_name)


def test_streams_and_blocks_of_one_seed_differ():
    first = [generator(7, stream, block).random() for stream in STREAMS.values() for block in (0, 1)]
    assert len(set(first)) == len(first)


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_generators_take_a_stream_by_its_name(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        stream = [*node.args[1:2]] if called == "generator" else [k.value for k in node.keywords if k.arg == "stream"]
        for part in stream:
            numbers = [one for one in ast.walk(part) if isinstance(one, ast.Constant) and isinstance(one.value, int)]
            assert not numbers, f"line {node.lineno}"
