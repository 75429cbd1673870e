"""Columns of right and wrong: every way to write them, what they come to, and when the truth is asked for."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import ropewalk as rw
from ropewalk.data import columns
from ropewalk.errors import DataError, InvalidInputError

RNG = np.random.default_rng(5)
A, B = RNG.random(60) < 0.8, RNG.random(60) < 0.6
ASKED = {"metric": "accuracy", "draws": 100, "rng": 0}

WRITTEN = {
    "numbers": lambda x: x.astype(int),
    "floats": lambda x: x.astype(float),
    "booleans": lambda x: x,
    "texts of numbers": lambda x: np.where(x, "1", "0.0"),
    "pass": lambda x: np.where(x, "pass", "fail"),
    "Passed": lambda x: np.where(x, "Passed", " FAILED "),
    "right": lambda x: np.where(x, "right", "wrong").tolist(),
    "correct": lambda x: pd.Series(np.where(x, "correct", "incorrect"), dtype="category"),
    "true": lambda x: np.where(x, "True", "false"),
}


def usual():
    return rw.compare(A.astype(float), B.astype(float), metric="mean", draws=100, rng=0)


@pytest.mark.parametrize("how", WRITTEN)
def test_every_writing_is_the_mean_of_1_and_0(how):
    table = pd.DataFrame({"a": WRITTEN[how](A), "b": WRITTEN[how](B)})
    r = rw.compare(table, a="a", b="b", **ASKED)
    assert (r.estimate_a.observed, r.estimate_b.observed) == pytest.approx((A.mean(), B.mean()))
    assert r.metric == "accuracy"
    np.testing.assert_array_equal(r.draws.psi, usual().draws.psi)
    assert [remark.code for remark in r.remarks if remark.code == "right_or_wrong"] == ["right_or_wrong"]


def test_arrays_mappings_and_items_without_a_truth():
    items = rw.ItemScores.from_arrays(None, A, B, names=["A", "B"])
    for data in ((A, B), ({"A": A, "B": B},), (items,)):
        np.testing.assert_array_equal(rw.compare(*data, **ASKED).draws.psi, usual().draws.psi)
    one = rw.evaluate(A, **ASKED)
    assert one["accuracy"].estimate.observed == pytest.approx(A.mean())
    assert rw.evaluate(pd.DataFrame({"a": A}), "a", **ASKED).name == "a"
    ranking = rw.rank({"a": A, "b": B, "c": A & B}, **ASKED)
    assert [model.estimate.observed for model in ranking.models] == pytest.approx([A.mean(), B.mean(), (A & B).mean()])


def test_a_name_of_the_metric_stays_and_slices_have_it_too():
    table = pd.DataFrame({"a": A, "b": B, "part": ["x", "y"] * 30})
    r = rw.compare(table, a="a", b="b", metric="acc", by="part", draws=100, rng=0, flips=True)
    assert (r.metric, r.by["x"].metric) == ("acc", "acc")
    assert r.by["x"].estimate_a.observed == pytest.approx(A[::2].mean())
    assert r.flips.gained.count == (A & ~B).sum()


HOLES = np.arange(60) % 7 == 3, np.arange(60) % 11 == 4


def with_holes(kind):
    """Return columns a and b in which cells are empty."""
    columns = [WRITTEN[kind](x) for x in (A, B)]
    cells = [np.where(gone, None, np.array(x, dtype=object)) for x, gone in zip(columns, HOLES, strict=True)]
    return pd.DataFrame(dict(zip("ab", cells, strict=True)))


@pytest.mark.parametrize("kind", ["numbers", "booleans", "pass", "texts of numbers"])
@pytest.mark.filterwarnings("ignore::ropewalk.errors.DroppedItemsWarning")
def test_empty_cells_are_dropped_or_wrong_and_counted(kind):
    table, whole, empty = with_holes(kind), ~(HOLES[0] | HOLES[1]), int((HOLES[0] | HOLES[1]).sum())
    dropped = rw.compare(table, a="a", b="b", missing="drop", **ASKED)
    np.testing.assert_array_equal(dropped.draws.psi, rw.compare(A[whole], B[whole], **ASKED).draws.psi)
    assert f"{empty} items left out" in " ".join(remark.text for remark in dropped.remarks)
    assert {item.key for item in dropped.items()} == set(np.flatnonzero(whole & (A != B)).tolist())
    wrong = rw.compare(table, a="a", b="b", missing="wrong", **ASKED)
    np.testing.assert_array_equal(wrong.draws.psi, rw.compare(A & ~HOLES[0], B & ~HOLES[1], **ASKED).draws.psi)
    assert f"{empty} items with a missing answer" in " ".join(remark.text for remark in wrong.remarks)
    with pytest.raises(DataError, match='missing="drop"'):
        rw.compare(table, a="a", b="b", **ASKED)
    sliced = rw.compare(table.assign(part=["x", "y"] * 30), a="a", b="b", by="part", missing="drop", **ASKED)
    assert sum(part.comparison.recipe.n_items for part in sliced.by) == whole.sum()


@pytest.mark.filterwarnings("ignore::ropewalk.errors.DroppedItemsWarning")
def test_empty_cells_of_other_values_can_only_be_dropped():
    values = [0.5, 0.25, None, 0.75] * 5, [0.5, np.nan, 0.25, 1.0] * 5
    r = rw.compare(*values, metric="mean", missing="drop", draws=50, rng=0)
    assert (r.recipe.n_items, r.estimate_a.observed) == (10, pytest.approx(0.625))
    with pytest.raises(InvalidInputError, match="right or wrong"):
        rw.compare(*values, metric="mean", missing="wrong", draws=50)
    with pytest.raises(DataError, match="No item has a score"):
        rw.compare([1, None], [None, 1], metric="accuracy", missing="drop", draws=50)


def test_commands_say_what_becomes_of_empty_cells(run, tmp_path, write):
    table = with_holes("pass")
    file = tmp_path / "ok.csv"
    table.to_csv(file, index=False)
    line = ("compare", file, "--a", "a", "--b", "b", "--draws", 50, "--json")
    code, out, err = run(*line)
    assert (code, out) == (4, "")
    assert "--missing drop" in err
    found = json.loads(run(*line, "--missing", "drop")[1])
    assert found["n_items"] == int((~(HOLES[0] | HOLES[1])).sum())
    assert json.loads(run(*line, "--missing", "wrong")[1])["n_items"] == 60
    paths = [tmp_path / f"{name}.csv" for name in "ab"]
    for path, name in zip(paths, "ab", strict=True):
        table[[name]].set_axis(["ok"], axis=1).rename_axis("id").to_csv(path)
    two = ("compare", "--file-a", paths[0], "--file-b", paths[1], "--id", "id", "--prediction", "ok", *line[6:])
    assert json.loads(run(*two, "--missing", "drop")[1])["delta"]["mean"] == found["delta"]["mean"]


def test_the_truth_is_asked_for_where_a_column_looks_like_it():
    table = pd.DataFrame({"a": A, "b": B, "Target": A})
    with pytest.raises(InvalidInputError, match=r"It may be the column .Target."):
        rw.compare(table, a="a", b="b", **ASKED)
    assert rw.compare(table, a="a", b="b", truth="Target", **ASKED).estimate_a.observed == 1
    named = table.rename(columns={"a": "right_a", "b": "b correct"})
    np.testing.assert_array_equal(rw.compare(named, a="right_a", b="b correct", **ASKED).draws.psi, usual().draws.psi)


def test_what_is_neither_right_nor_wrong_is_refused():
    with pytest.raises(DataError, match=r"'B' holds 0\.5"):
        rw.compare(A, B / 2, **ASKED)
    with pytest.raises(DataError, match="maybe"):
        rw.compare(A, np.where(B, "right", "maybe"), **ASKED)
    with pytest.raises(DataError, match="nothing in 1 row, first in row 3"):
        rw.compare(A, [None if i == 2 else x for i, x in enumerate(B.tolist())], **ASKED)


def test_other_metrics_need_the_truth():
    table = pd.DataFrame({"a": A, "b": B})
    with pytest.raises(InvalidInputError, match="'f1' compares with the truth"):
        rw.compare(table, a="a", b="b", **ASKED | {"metric": ["accuracy", "f1"]})
    with pytest.raises(InvalidInputError, match="`truth` is missing"):
        rw.compare(table, a="a", b="b", **ASKED | {"metric": "f1"})
    with pytest.raises(InvalidInputError, match="2 positional"):  # what would they be?
        rw.compare(A, B, draws=100)


# -- the command line --------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path, write):
    rows = [
        (i, "pass" if a else "fail", "pass" if b else "fail", "x") for i, (a, b) in enumerate(zip(A, B, strict=True))
    ]
    return write(tmp_path / "judged.csv", [("id", "a", "b", "c"), *rows])


def test_commands_take_them_with_or_without_a_metric(run, file):
    line = ("compare", file, "--a", "a", "--b", "b", "--draws", 100, "--json")
    plain, named = (json.loads(run(*line, *more)[1]) for more in ((), ("--metric", "accuracy")))
    assert plain == named
    assert (plain["metric"], plain["a"]["observed"]) == ("accuracy", pytest.approx(A.mean()))
    assert any("No truth was named" in note for note in plain["notes"])
    ranking = json.loads(run("rank", file, "--predictions", "a,b", "--draws", 100, "--json")[1])
    assert ranking["models"][1]["observed"] == pytest.approx(B.mean())
    one = json.loads(run("evaluate", file, "--prediction", "b", "--draws", 100, "--json")[1])
    assert one["metrics"][0]["observed"] == pytest.approx(B.mean())


def test_scores_are_not_counted_to_see_that_they_are_no_right_and_wrong(run, tmp_path, write, monkeypatch):
    monkeypatch.setattr(columns, "DISTINCT_CAP", 150)
    rows = [("a", "b"), *((i / 1000, i % 2) for i in range(200))]
    code, out, err = run("compare", write(tmp_path / "scores.csv", rows), "--a", "a", "--b", "b")
    assert (code, out) == (2, "")
    assert "Missing option --truth" in err


def test_what_is_neither_right_nor_wrong_is_seen_beyond_the_first_rows(run, tmp_path, write):
    rows = [("a", "b"), *((i % 2, 1) for i in range(300)), (1, "maybe")]
    code, out, err = run("compare", write(tmp_path / "judged.csv", rows), "--a", "a", "--b", "b")
    assert (code, out) == (2, "")
    assert "Missing option --truth" in err


def test_commands_ask_for_the_truth_of_anything_else(run, file, tmp_path, write):
    for line in (("--a", "a", "--b", "c"), ("--a", "a", "--b", "b", "--metric", "f1")):
        code, out, err = run("compare", file, *line)
        assert (code, out) == (2, "")
        assert "Missing option --truth" in err
    other = write(tmp_path / "p.csv", [("target", "a", "b"), (1, 0, 1), (1, 1, 1)])
    for metric in ((), ("--metric", "accuracy")):
        code, out, err = run("compare", other, "--a", "a", "--b", "b", *metric)
        assert (code, out) == (2, "")
        assert "--truth target" in err
    code, out, err = run("compare", file, "--a", "a", "--b", "id", "--metric", "accuracy")
    assert (code, out) == (4, "")
    assert "'id' holds 2" in err
