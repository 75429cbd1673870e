"""Two files of scores, joined by ids: in any order, with or without a truth, and what is refused."""

from __future__ import annotations

import csv
import json

import numpy as np
import pandas as pd
import pytest

import ropewalk as rw
from ropewalk.errors import DataError, PairingError

N = 80
RNG = np.random.default_rng(8)
TRUTH = np.tile([0, 1], N // 2)
SCORES = {name: np.round(0.7 * RNG.random(N) + 0.3 * TRUTH, 3) for name in "ab"}
ASKED = {"draws": 100, "rng": 0}


def side(name, order=None):
    frame = pd.DataFrame({"case": [f"c{i}" for i in range(N)], "label": TRUTH, "score": SCORES[name]})
    frame = frame.assign(passed=np.where(SCORES[name] > 0.6, "pass", "fail"), group=np.arange(N) // 2)
    return frame if order is None else frame.iloc[order]


@pytest.fixture
def files(tmp_path):
    paths = [tmp_path / "new.csv", tmp_path / "old.csv"]
    side("a").to_csv(paths[0], index=False)
    side("b", RNG.permutation(N)).to_csv(paths[1], index=False)
    return paths


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss"])
def test_scores_are_those_of_arrays_side_by_side(files, metric):
    joined = rw.join_scores(*files, id="case", prediction="score", truth="label", names=["new", "old"])
    wide = rw.compare(TRUTH, SCORES["a"], SCORES["b"], metric=metric, **ASKED)
    np.testing.assert_array_equal(rw.compare(joined, metric=metric, **ASKED).draws.psi, wide.draws.psi)


def test_frames_need_no_truth_and_keep_their_ids_and_clusters():
    joined = rw.join_scores(side("a"), side("b", RNG.permutation(N)), id="case", prediction="score", cluster="group")
    assert (joined.truth, joined.n_items, joined.n_clusters) == (None, N, N // 2)
    alone = rw.join_scores(side("a"), side("b"), id="case", prediction="score")
    r = rw.compare(alone, metric="mean", **ASKED)
    first = r.items(limit=1)[0]
    place = int(np.argmax(np.abs(SCORES["a"] - SCORES["b"])))
    assert (first.key, first.a) == (f"c{place}", SCORES["a"][place])


def test_slices_are_of_a_column_of_the_first(files):
    how = {"id": "case", "prediction": "score", "unmatched": "drop"}
    with pytest.warns(rw.errors.DroppedItemsWarning):
        joined = rw.join_scores(files[0], side("b", RNG.permutation(N)[1:]), **how)
    r = rw.compare(joined, metric="mean", by="label", **ASKED)
    assert [part.value for part in r.by] == ["0", "1"]
    assert sum(part.comparison.recipe.n_items for part in r.by) == N - 1
    assert {item.key for item in r.by["1"].items()} <= {f"c{i}" for i in range(1, N, 2)}


def test_right_and_wrong_is_an_accuracy():
    joined = rw.join_scores(side("a"), side("b", RNG.permutation(N)), id="case", prediction="passed")
    r = rw.compare(joined, metric="accuracy", flips=True, **ASKED)
    right = [SCORES[name] > 0.6 for name in "ab"]
    assert r.estimate_a.observed == pytest.approx(right[0].mean())
    assert r.flips.lost.count == (right[1] & ~right[0]).sum()


def test_ids_without_a_match_and_other_truths_are_refused():
    how = {"id": "case", "prediction": "score", "truth": "label"}
    with pytest.raises(PairingError, match="1 of 80 ids of 'A' have no match"):
        rw.join_scores(side("a"), side("b")[:-1], **how)
    with pytest.warns(rw.errors.DroppedItemsWarning):
        joined = rw.join_scores(side("a"), side("b")[:-1], **how, unmatched="drop")
    assert (joined.n_items, joined.left_out) == (N - 1, 1)
    with pytest.raises(PairingError, match="disagree about the truth of 1 item"):
        rw.join_scores(side("a"), side("b").assign(label=[1 - TRUTH[0], *TRUTH[1:]]), **how)
    with pytest.raises(PairingError, match="c0"):
        rw.join_scores(side("a"), pd.concat([side("b"), side("b")[:1]]), **how)
    with pytest.raises(DataError, match="c0"):
        rw.join_scores(side("a").assign(score=side("a")["case"]), side("b"), **how)


def test_the_command_joins_what_the_metric_is_about(run, files, tmp_path):
    line = ("compare", "--file-a", files[0], "--file-b", files[1], "--id", "case", "--draws", 100, "--json")
    found = json.loads(run(*line, "--prediction", "score", "--truth", "label", "--metric", "roc_auc")[1])
    assert (found["metric"], found["a"]["name"], found["n_items"]) == ("roc_auc", "new", N)
    mean = json.loads(run(*line, "--prediction", "score", "--metric", "mean")[1])
    assert mean["a"]["observed"] == pytest.approx(SCORES["a"].mean(), abs=1e-9)
    plain, named = (
        json.loads(run(*line, "--prediction", "passed", *more)[1]) for more in ((), ("--metric", "accuracy"))
    )
    assert plain == named
    assert plain["metric"] == "accuracy"
    out = tmp_path / "items.csv"
    run(*line, "--prediction", "passed", "--items", out)
    assert all(row["case"].startswith("c") for row in csv.DictReader(out.read_text().splitlines()))
    for more, reason in (((), "Missing option --truth"), (("--metric", "mean", "--missing", "wrong"), "--missing")):
        code, stdout, err = run(*line, "--prediction", "score", *more)
        assert (code, stdout) == (2, "")
        assert reason in err
