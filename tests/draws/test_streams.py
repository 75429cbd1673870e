"""Every kind of draws has random numbers of its own."""

import ast
from itertools import combinations
from pathlib import Path

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


def calls_about_streams():
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if "generator(" in text or "stream=" in text:
            yield from ((path, node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call))


def test_generators_take_a_stream_by_its_name():
    seen = 0
    for path, node in calls_about_streams():
        called = node.func.id if isinstance(node.func, ast.Name) else ""
        stream = [*node.args[1:2]] if called == "generator" else [k.value for k in node.keywords if k.arg == "stream"]
        for part in stream:
            numbers = [one for one in ast.walk(part) if isinstance(one, ast.Constant) and isinstance(one.value, int)]
            assert not numbers, f"{path}:{node.lineno}"
            seen += 1
    assert seen > 20
