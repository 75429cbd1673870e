"""A new metric and a new file format are one file each: they appear wherever a metric or a file may be named."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import ropewalk as rw
from ropewalk.data.formats import FORMATS, format_names
from ropewalk.errors import UnknownNameError
from ropewalk.metrics import METRICS

LINES = [(1, 1, 0)] * 30 + [(1, 0, 1)] * 10 + [(0, 0, 0)] * 50 + [(0, 1, 0)] * 10


@pytest.fixture
def toys():
    metrics, formats = dict(METRICS), list(FORMATS)
    sys.modules.pop("toys", None)
    import toys

    yield toys
    METRICS.clear()
    METRICS.update(metrics)
    FORMATS[:] = formats


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "flags.txt"
    path.write_text("#semaphores\n" + "".join(f"y:{y} a:{a} b:{b}\n" for y, a, b in LINES), encoding="utf-8")
    return path


def test_a_toy_metric_is_known_by_name_and_has_its_averages(toys):
    y, a, b = zip(*LINES, strict=True)
    r = rw.compare(y, a, b, metric="threat", rope=0.1, rng=0, draws=500)
    same = rw.compare(y, a, b, metric="jaccard", rope=0.1, rng=0, draws=500)  # which it is, by another name
    assert r.to_dict()["delta"] == same.to_dict()["delta"]
    assert r.delta.observed == pytest.approx(30 / 50 - 10 / 40)
    for text in (str(r), r.to_markdown(), r.to_latex(), r.to_html(), r.to_json(), r._repr_html_()):
        assert "threat" in text.lower()
    assert rw.evaluate(y, a, metric="macro_threat", rng=0, draws=200).metrics[0].metric.name == "macro_threat"
    with pytest.raises(UnknownNameError, match="did you mean 'threat'"):
        rw.compare(y, a, b, metric="threta")


def test_a_toy_format_is_read_wherever_a_file_is(toys, file, silent):
    o = rw.read_outcomes(file, truth="y", predictions=["a", "b"])
    assert (o.n_items, o.labels) == (100, ("0", "1"))
    r = rw.compare(file, truth="y", a="a", b="b", metric="accuracy", rng=0, draws=200)
    assert r.delta.observed == pytest.approx(0.80 - 0.70)
    assert "semaphores" in format_names()


def test_the_command_knows_both(file):
    start = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); import toys; from ropewalk.cli import main"
    )
    columns = ["--truth", "y", "--a", "a", "--b", "b", "--metric", "threat", "--draws", "200", "--json"]
    printed = []
    for options in ([str(file), *columns], ["--help"]):
        call = [sys.executable, "-c", f"{start}; sys.argv[1:] = {['compare', *options]!r}; main()"]
        printed.append(subprocess.run(call, capture_output=True, text=True, check=True).stdout)
    assert json.loads(printed[0])["metric"] == "threat"
    assert "threat" in printed[1]
    assert "semaphores" in printed[1]
