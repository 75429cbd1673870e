"""`--by`: what is printed, and what is refused."""

import json
import subprocess
import sys

import numpy as np
import pytest

import ropewalk as rw

COLUMNS = ("--truth", "y", "--a", "a", "--b", "b", "--metric", "accuracy", "--draws", 500)
N = 120
TRUTH, WHERE = np.arange(N) % 2, np.array(["de", "en", "fr"])[np.arange(N) // 40]
A, B = (np.where(wrong, 1 - TRUTH, TRUTH) for wrong in (WHERE == "fr", np.arange(N) % 9 == 0))


@pytest.fixture
def file(tmp_path, write):
    return write(tmp_path / "p.csv", [("y", "a", "b", "lang"), *zip(TRUTH, A, B, WHERE, strict=True)])


def test_slices_are_what_python_says(run, file):
    code, out, _ = run("compare", file, *COLUMNS, "--by", "lang", "--json")
    assert code == 0
    texts = [column.astype(str) for column in (TRUTH, A, B)]
    ours = rw.compare(*texts, names=["a", "b"], by=WHERE, metric="accuracy", draws=500, rng=0)
    assert json.loads(out) == ours.to_dict()
    assert [(s["slice"], s["shift"]) for s in json.loads(out)["by"]][-1] == ("fr", "worse")
    _, text, _ = run("compare", file, *COLUMNS, "--by", "lang")
    assert "Of 3 slices, a is worse than b on 1 (fr)" in text
    _, alone, _ = run("compare", file, *COLUMNS, "--by", "lang", "--no-pool")
    assert "Each slice stands for itself" in alone
    assert run("compare", file, *COLUMNS, "--by", "lang", "--markdown")[1].count("| --- |") >= 2


@pytest.mark.parametrize("metric", ["accuracy", "accuracy,roc_auc"])
def test_probabilities_have_slices_and_answer_both_kinds(run, tmp_path, write, metric):
    rng = np.random.default_rng(4)
    p, q = (np.clip(0.3 * TRUTH + 0.7 * rng.random(N), 0, 1).round(3) for _ in range(2))
    rows = [("id", "y", "p", "q", "lang"), *zip(range(1_000, 1_000 + N), TRUTH, p, q, WHERE, strict=True)]
    file, out = write(tmp_path / "p.csv", rows), tmp_path / "items.csv"
    columns = ("--truth", "y", "--a", "p", "--b", "q", "--id", "id", "--threshold", 0.5, "--draws", 500)
    code, text, _ = run("compare", file, *columns, "--metric", metric, "--by", "lang", "--items", out, "--json")
    assert code == 0
    answer = json.loads(text)
    assert [m["metric"] for m in answer.get("metrics", [answer])] == metric.split(",")
    assert answer["a"]["observed"] == pytest.approx(((p >= 0.5) == TRUTH).mean())
    observed = [((p >= 0.5) == TRUTH)[here == WHERE].mean() for here in ("de", "en", "fr")]
    assert [part["a"]["observed"] for part in answer["by"]] == pytest.approx(observed)
    differ = np.flatnonzero((p >= 0.5) != (q >= 0.5)) + 1_000
    assert sorted(int(line.split(",")[0]) for line in out.read_text().splitlines()[1:]) == differ.tolist()


def test_standard_input_has_slices(file):
    line = [sys.executable, "-m", "ropewalk", "compare", "-", *map(str, COLUMNS), "--by", "lang"]
    with file.open("rb") as stdin:
        done = subprocess.run(line, stdin=stdin, capture_output=True, check=False, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    assert "worse than b on 1 (fr)" in done.stdout


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--by", "lagn"), 4, "did you mean 'lang'"),
        (("--no-pool",), 2, "--no-pool is about slices"),
        (("--by", "lang", "--per-class"), 2, "--by is about one question"),
    ],
)
def test_mistakes_have_a_sentence(run, file, options, code, message):
    found, out, err = run("compare", file, *(COLUMNS[:6] if "--per-class" in options else COLUMNS), *options)
    assert (found, out) == (code, "")
    assert message in err
