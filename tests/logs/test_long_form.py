"""Tables of one row per system and item, whose columns are named: frames and files, labels and scores, refusals."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import ropewalk as rw
from ropewalk.errors import (
    ColumnNotFoundError,
    DataError,
    FileFormatError,
    InvalidInputError,
    MissingLabelsError,
    PairingError,
)

N = 24
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 3, N)
SAID = {"new": RNG.integers(0, 3, N), "old": RNG.integers(0, 3, N)}
COLUMNS = {"system": "model", "item": "q"}
LABELS = {**COLUMNS, "truth": "gold", "prediction": "said"}
ASKED = {"draws": 100, "rng": 0}


def table(**more):
    """Return the answers of both, the rows in another order for each."""
    parts = []
    for name, order in (("new", np.arange(N)), ("old", RNG.permutation(N))):
        columns = {"q": order, "model": name, "gold": TRUTH[order], "said": SAID[name][order]}
        columns |= {key: np.asarray(values)[order] for key, values in more.items()}
        parts.append(pd.DataFrame(columns))
    frame = pd.concat(parts, ignore_index=True)
    return frame.assign(ok=frame["said"] == frame["gold"])


def test_paths_are_opened_first():
    for paths in (("new.eval", "old.eval"), ("a.eval", "b.eval", "c.eval", "d.eval")):
        with pytest.raises(InvalidInputError, match=r"read_log\(path\) opens an evaluation log"):
            rw.compare(*paths)


LIBRARIES = {
    "pandas": lambda frame: frame,
    "odd index": lambda frame: frame.set_index(pd.Index([7] * len(frame))),
    "categories": lambda frame: frame.astype({"model": "category", "said": "category"}),
    "nullable": lambda frame: frame.convert_dtypes(),
    "floats": lambda frame: frame.astype({"q": float, "gold": float, "said": float}),
    "polars": pl.from_pandas,
    "lazy": lambda frame: pl.from_pandas(frame).lazy(),
    "pyarrow": pa.Table.from_pandas,
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_labels_are_compared_as_from_columns_side_by_side(library):
    wide = rw.compare(TRUTH, SAID["new"], SAID["old"], names=["new", "old"], metric="macro_f1", **ASKED)
    log = rw.read_long(LIBRARIES[library](table()), **LABELS)
    assert log.systems == ("new", "old")
    r = rw.compare(log, a="new", b="old", **ASKED)
    assert r.metric == "macro_f1"
    np.testing.assert_array_equal(r.draws.psi, wide.draws.psi)


@pytest.mark.parametrize("kind", ["csv", "jsonl", "json", "parquet"])
def test_files_are_read_as_frames_are(kind, tmp_path):
    path = tmp_path / f"runs.{kind}"
    frame = table()
    write = {
        "csv": lambda: frame.to_csv(path, index=False),
        "jsonl": lambda: frame.to_json(path, orient="records", lines=True),
        "json": lambda: frame.to_json(path, orient="records"),
        "parquet": lambda: frame.to_parquet(path),
    }
    write[kind]()
    logs = [rw.read_long(source, **COLUMNS, score="ok") for source in (path, frame)]
    assert list(logs[0].rows()) == list(logs[1].rows())
    r = rw.compare(logs[0], **ASKED)
    assert (r.metric, r.estimate_a.observed) == ("mean", pytest.approx((SAID["new"] == TRUTH).mean()))
    assert r.flips.gained.count == ((SAID["new"] == TRUTH) & (SAID["old"] != TRUTH)).sum()


def test_keys_of_json_may_lie_deeper(tmp_path):
    path = tmp_path / "runs.jsonl"
    rows = [{"run": {"model": m}, "q": i, "ok": i % k == 0} for m, k in (("a", 2), ("b", 3)) for i in range(6)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    log = rw.read_long(path, system="run.model", item="q", score="ok")
    assert [row.score for row in log.only(system="b").rows()] == [1, 0, 0, 1, 0, 0]


@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")  # the clusters are few
def test_repeats_tasks_and_clusters_are_columns():
    frame = table(epoch=np.arange(N) % 2 + 1, part=np.arange(N) // 12, passage=np.arange(N) // 4)
    frame["q"] //= 2
    repeated = rw.read_long(frame, **COLUMNS, score="ok")  # a column called epoch numbers them by itself
    assert {row.repeat for row in repeated.rows()} == {1, 2}
    assert rw.compare(repeated, **ASKED).recipe.n_clusters == N // 2
    grouped = rw.read_long(frame, **COLUMNS, score="ok", cluster="passage")
    assert rw.compare(grouped, **ASKED).recipe.n_clusters == N // 4
    tasks = rw.read_long(frame, **COLUMNS, score="ok", task="part")
    assert rw.compare_tasks(tasks, **ASKED).tasks == ("0", "1")


def test_scores_may_be_letters_words_and_numbers():
    scores = ["C", "I", "P", "pass", "wrong", 0.25]
    frame = pd.DataFrame({"model": "a", "q": range(6), "score": scores})
    assert [row.score for row in rw.read_long(frame, system="model", item="q").rows()] == [1, 0, 0.5, 1, 0, 0.25]


def test_missing_answers_are_told_dropped_or_wrong():
    frame = table().astype({"said": float})
    frame.loc[frame.index[3], "said"] = np.nan
    log = rw.read_long(frame, **LABELS)
    with pytest.raises(MissingLabelsError, match="1 of 'new' \\('no prediction'\\)"):
        rw.compare(log, **ASKED)
    with pytest.warns(rw.errors.DroppedItemsWarning):
        assert rw.compare(log, missing="drop", **ASKED).recipe.n_items == N - 1
    wrong = rw.compare(log, missing="wrong", metric="accuracy", **ASKED)
    right = SAID["new"] == TRUTH
    right[3] = False
    assert wrong.estimate_a.observed == pytest.approx(right.mean())
    holes = table().convert_dtypes()
    holes.loc[0, "ok"] = pd.NA
    with pytest.raises(MissingLabelsError, match="'no score'"):
        rw.compare(rw.read_long(holes, **COLUMNS, score="ok"), **ASKED)


def test_three_systems_are_ranked_or_chosen_from():
    frame = table()
    frame = pd.concat([frame, frame[frame["model"] == "old"].assign(model="third")])
    log = rw.read_long(frame, **COLUMNS, score="ok")
    with pytest.raises(InvalidInputError, match="'new', 'old', 'third'"):
        rw.compare(log, **ASKED)
    assert rw.compare(log, a="third", b="old", **ASKED).delta.observed == 0
    assert [model.name for model in rw.rank(log, **ASKED).models] == ["new", "old", "third"]


REFUSED = [
    ({"system": "moedl"}, ColumnNotFoundError, "did you mean 'model'"),
    ({"item": "model"}, InvalidInputError, "as the column of systems and as that of items"),
    ({"prediction": "said"}, InvalidInputError, "neither a score column nor truth and prediction columns"),
    ({"score": "word"}, DataError, "the word 'x' is no number"),
    ({"score": "ok", "repeat": "said"}, PairingError, "twice"),
]


@pytest.mark.parametrize(("columns", "error", "reason"), REFUSED)
def test_what_cannot_be_read_is_refused(columns, error, reason):
    frame = table().assign(word="x", said=1)
    with pytest.raises(error, match=reason):
        rw.compare(rw.read_long(pd.concat([frame, frame[:1]]), **{**COLUMNS, **columns}), **ASKED)


def test_what_cannot_be_paired_is_refused():
    frame = table()
    with pytest.raises(PairingError, match="1 of 24 answers of 'new' have no match"):
        rw.compare(rw.read_long(frame[:-1], **COLUMNS, score="ok"), **ASKED)
    other = frame.copy()
    other.loc[other.index[-1], "gold"] += 1
    with pytest.raises(PairingError, match="different questions"):
        rw.compare(rw.read_long(other, **LABELS), **ASKED)
    with pytest.raises(FileFormatError, match="no rows"):
        rw.read_long(frame[:0], **COLUMNS, score="ok")
    frame.loc[2, "model"] = None
    with pytest.raises(DataError, match="row 3: the model is empty"):
        rw.read_long(frame, **COLUMNS, score="ok")


# -- the command line --------------------------------------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "runs.csv"
    table(part=np.arange(N) // 12).to_csv(path, index=False)
    return path


LONG = ("--system", "model", "--item", "q", "--draws", 100, "--json")


def test_compare_and_rank_take_them(run, file):
    log = rw.read_long(file, **LABELS)
    labels = ("--truth", "gold", "--prediction", "said")
    found = json.loads(run("compare", file, *LONG, *labels, "--a", "old", "--b", "new")[1])
    assert (found["a"]["name"], found["metric"]) == ("old", "macro_f1")
    assert found["delta"]["mean"] == rw.compare(log, a="old", b="new", **ASKED).mean
    ranking = json.loads(run("rank", file, *LONG, *labels, "--metric", "accuracy")[1])
    assert [model["name"] for model in ranking["models"]] == ["new", "old"]
    scored = json.loads(run("compare", file, *LONG, "--score", "ok")[1])
    assert (scored["metric"], scored["flips"]["of"]) == ("mean", "answers")
    tasks = json.loads(run("compare", file, *LONG, "--score", "ok", "--task", "part")[1])
    assert [task["task"] for task in tasks["tasks"]] == ["0", "1"]


def test_evaluate_and_test_take_them(run, file):
    long, labels = LONG[:4], ("--truth", "gold", "--prediction", "said")
    log = rw.read_long(file, **LABELS)
    one = json.loads(run("evaluate", file, *LONG, *labels, "--name", "old", "--metric", "accuracy")[1])
    assert one["name"] == "old"
    assert one["metrics"][0]["mean"] == rw.evaluate(log, "old", metric="accuracy", **ASKED)["accuracy"].estimate.mean
    scored = json.loads(run("evaluate", file, *LONG, "--score", "ok", "--name", "new")[1])
    assert scored["metrics"][0]["metric"] == "mean"
    wide = rw.classical.battery(TRUTH, SAID["new"], SAID["old"], names=["new", "old"])
    found = json.loads(run("test", file, *long, *labels, "--json")[1])
    assert found["tests"] == json.loads(wide.to_json())["tests"]
    found = json.loads(run("test", file, *long, "--score", "ok", "--a", "old", "--b", "new", "--json")[1])
    assert (
        found["tests"]["mcnemar_exact"]
        == rw.classical.mcnemar(TRUTH, SAID["old"], SAID["new"], names=["old", "new"], method="exact").to_dict()
    )
    code, out, err = run("evaluate", file, *LONG, "--score", "ok")
    assert (code, out) == (2, "")
    assert "--name" in err


@pytest.mark.parametrize(
    ("line", "code", "reason"),
    [
        (("--scorer", "x"), 2, "--scorer does not go with --system"),
        (("--id", "q"), 2, "--id does not go with --system"),
        (("--a", "nobody", "--b", "old"), 2, "none of the systems called 'nobody'"),
        (("--task", "easy"), 4, "Column 'easy' was not found"),
    ],
)
def test_lines_that_cannot_be_answered(run, file, line, code, reason):
    found, out, err = run("compare", file, *LONG, "--score", "ok", *line)
    assert (found, out) == (code, "")
    assert reason in err
