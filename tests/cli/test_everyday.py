"""The command line on grouped and weighted rows, probabilities, and pictures."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest

import ropewalk as rw
from support import need

FEW = ("--draws", 300)


@pytest.fixture
def rows(tmp_path, write, rng):
    y = rng.integers(0, 2, 120)
    model, old = (np.where(rng.random(120) < share, y, 1 - y) for share in (0.8, 0.7))
    proba = np.round(np.clip(0.5 + (y - 0.5) * 0.5 + rng.normal(0, 0.3, 120), 0.01, 0.99), 3)
    count, weight = rng.integers(1, 4, 120), np.round(rng.lognormal(0, 0.7, 120), 3)
    head = ("y", "new_model", "new_proba", "old", "n", "w")
    return write(tmp_path / "p.csv", [head, *zip(y, model, proba, old, count, weight, strict=True)])


def asked(run, *line):
    code, out, err = run("compare", *line, *FEW, "--json")
    assert code == 0, err
    return json.loads(out)


def test_counts_and_weights_are_columns(run, rows):
    columns = ("--truth", "y", "--a", "new_model", "--b", "old")
    told = asked(run, rows, *columns, "--count", "n", "--weight", "w")
    table = rw.read_outcomes(rows, truth="y", predictions=["new_model", "old"], count="n", sample_weight="w")
    assert told == rw.compare(table, draws=300, rng=0).to_dict()
    assert "count alike" in " ".join(told["notes"])
    assert told["n_items"] == table.n_items > 120


def test_probabilities_are_cut(run, rows):
    told = asked(
        run, rows, "--truth", "y", "--a", "new_proba", "--b", "old", "--metric", "accuracy", "--threshold", 0.5
    )
    y, p = (np.array(column, dtype=float) for column in read(rows, "y", "new_proba"))
    assert told["a"]["observed"] == pytest.approx(((p >= 0.5) == y).mean())
    code, _, err = run("compare", rows, "--truth", "y", "--a", "new_proba", "--b", "old")
    assert code == 4
    assert "--threshold 0.5 makes labels of them" in err


def read(path, *names):
    frame = need("pandas").read_csv(path)
    return [frame[name] for name in names]


def test_what_is_asked_of_the_columns(run, rows):
    code, _, err = run("compare", rows, "--truth", "y", "--a", "new", "--b", "old")
    assert code == 4
    assert "did you mean 'new_model' or 'new_proba'" in err
    code, _, err = run("compare", rows, "--truth", "y", "--a", "new_model", "--b", "old", "--count", "w")
    assert code == 4
    assert "whole numbers" in err


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_picture_is_written(run, rows, tmp_path, kind):
    need("matplotlib")
    path = tmp_path / f"picture.{kind}"
    line = ("compare", rows, "--truth", "y", "--a", "new_model", "--b", "old", *FEW, "--plot", path)
    code, _, err = run(*line)
    assert code == 0
    assert f"Wrote {path}" in err
    first = path.read_bytes()
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind])
    run(*line)
    assert path.read_bytes() == first


def test_other_commands_draw_too(run, rows, tmp_path):
    path = tmp_path / "p.svg"
    for line in (
        ("rank", rows, "--truth", "y", "--predictions", "new_model,old"),
        ("evaluate", rows, "--truth", "y", "--prediction", "old", "--metric", "f1,accuracy"),
    ):
        assert run(*line, *FEW, "--plot", path)[0] == 0
        assert b"</svg>" in path.read_bytes()
        path.unlink()


def test_a_picture_that_cannot_be_written(run, rows, tmp_path):
    line = ("compare", rows, "--truth", "y", "--a", "new_model", "--b", "old")
    copy = tmp_path / "data.svg"
    shutil.copy(rows, copy)
    for path, data, code, match in (
        (tmp_path / "p.gif", rows, 2, ".png, .svg, .pdf"),
        (tmp_path / "p", rows, 2, ".png, .svg, .pdf"),
        (copy, copy, 2, "would overwrite the data"),
        (tmp_path / "nowhere" / "p.svg", rows, 5, "no folder"),
    ):
        got, out, err = run(line[0], data, *line[2:], "--plot", path)
        assert (got, out) == (code, "")
        assert match in err
    assert run(*line, "--plot", tmp_path / "p.svg", "--html", tmp_path / "p.svg")[0] == 2
