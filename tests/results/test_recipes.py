"""Results as files: what was asked can be asked again, and answered alike."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.errors import FileFormatError, RopewalkWarning
from ropewalk.inference.answers import run_comparison
from ropewalk.results.recipes import read_recipe

COSTS = (1 - np.eye(4)).tolist()
TABLE = rw.Outcomes.from_counts(
    np.random.default_rng(0).poisson(30, (4, 4, 4)) + 400 * np.einsum("ij,ik->ijk", np.eye(4), np.eye(4)).astype(int),
    names=["nb_mult", "svm_l2"],
)
QUESTIONS = {
    "one class": {"pos_label": 3},
    "macro F1": {},
    "accuracy": {"metric": "accuracy"},
    "error": {"metric": "error"},
    "costs": {"metric": "cost", "cost_matrix": COSTS},
    "some classes": {"classes": [1, 2, 3]},
    "F-beta": {"metric": "macro_fbeta(2)"},
    "unpaired": {"model": "unpaired"},
    "icdm2015": {"model": "icdm2015"},
    "flat": {"model": "flat"},
    "bootstrap": {"model": "bootstrap"},
    "tree": {"model": rw.models.Tree(kappa=2.0)},
    "own prior": {"pos_label": 3, "model": rw.models.Sigir2016(positive=(2, 1, 1, 1))},
    "class mix": {"pos_label": 3, "prevalence": 0.2},
    "one-sided": {"rope": (-0.02, float("inf"))},
    "no ROPE": {"rope": None},
    "by probability": {"rule": "probability", "prob": 0.9},
}


USUAL = {"costs", "some classes", "own prior", "class mix", "one-sided", "by probability"}


@pytest.mark.parametrize(
    "name", [name if name in USUAL else pytest.param(name, marks=pytest.mark.slow) for name in QUESTIONS]
)
@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_an_answer_read_from_json_is_the_same_answer(name, frugal):
    asked = {"rope": 0.01, "draws": 300, "rng": 3, **QUESTIONS[name]}
    told = json.loads(rw.compare(TABLE, **asked).to_json())
    assert json.loads(run_comparison(read_recipe(told)).to_json()) == told


def test_two_tables_are_read_back(frugal):
    told = rw.compare(TABLE.project(["nb_mult"]), TABLE.project(["svm_l2"]), rope=0.01, draws=500, rng=0).to_dict()
    assert run_comparison(read_recipe(told)).to_dict() == told


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes"), (False, True)], ids=["int", "str", "bool"])
def test_labels_are_text_whatever_they_were(labels):
    table = rw.Outcomes.from_counts(100 * np.arange(1, 9).reshape(2, 2, 2), labels=labels, names=["a", "b"])
    told = json.loads(rw.compare(table, pos_label=labels[0], rope=0.1, draws=500, rng=0).to_json())
    texts = [str(label) for label in labels]
    same = rw.compare(table.relabel(texts), pos_label=texts[0], rope=0.1, draws=500, rng=0)
    assert same.to_dict() == told
    assert run_comparison(read_recipe(told)).to_dict() == told


def test_what_cannot_be_asked_again_has_no_recipe(news):
    scores = news.scores_class8
    answers = [
        rw.compare(scores["y_true"], scores["nb_mult"], scores["svm_l2"], metric="roc_auc", rope=0.01, draws=50, rng=0),
        rw.compare(
            news.outcomes,
            a="nb_mult",
            b="svm_l2",
            metric=lambda m: m.tp.sum(axis=-1) / m.total[..., 0],
            draws=50,
            rng=0,
        ),
    ]
    for answer in answers:
        told = json.loads(answer.to_json())
        assert told["recipe"] is None
        with pytest.raises(FileFormatError, match="no recipe"):
            read_recipe(told)


@pytest.mark.parametrize(
    "broken",
    [
        {},
        [],
        None,
        {"recipe": {}},
        {"recipe": {"tables": ["{"], "model": {"kind": "Sigir2016"}}},
        {"recipe": {"tables": [], "model": {"kind": "os.system"}}},
    ],
    ids=["empty", "list", "null", "no tables", "no table", "foreign model"],
)
def test_a_broken_file_is_refused_with_a_sentence(broken):
    with pytest.raises(FileFormatError):
        read_recipe(broken)


def edited(told, path, value):
    """Return an answer with one part replaced; `path` steps into the tables too, which are texts."""
    whole = json.loads(json.dumps(told))
    whole["recipe"]["tables"] = [json.loads(text) for text in whole["recipe"]["tables"]]
    *before, last = path
    part = whole
    for step in before:
        part = part[step]
    part[last] = value
    whole["recipe"]["tables"] = [json.dumps(table) for table in whole["recipe"]["tables"]]
    return whole


EDITS = [
    (("pos_label",), "9"),
    (("pos_label",), None),
    (("recipe", "pos_label"), "9"),
    (("recipe", "pos_label"), ["1"]),
    (("n_items",), -5),
    (("n_items",), 1e15),
    (("n_items",), 40.0),
    (("n_items",), None),
    (("n_items",), float("inf")),
    (("data_hash",), "0" * 16),
    (("data_hash",), None),
    (("recipe", "classes"), [9]),
    (("recipe", "classes"), []),
    (("recipe", "classes"), "0"),
    (("recipe", "classes"), [[0]]),
    (("recipe", "cost_matrix"), [[0]]),
    (("recipe", "fingerprint"), "0" * 16),
    (("recipe", "model"), {"kind": "Icdm2015"}),
    (("recipe", "tables", 0, "rows"), None),
    (("recipe", "tables", 0, "rows"), [[0, 0, 0, 99]]),
    (("recipe", "tables", 0, "rows", 0), [0, 0, 0, -1]),
    (("recipe", "tables", 0, "labels"), ["0", "9"]),
    (("recipe", "tables", 0, "names"), ["new", "older"]),
    (("seed",), -1),
    (("prob",), 2),
    (("rope",), [1]),
    (("prevalence",), [2, -1]),
]


@pytest.fixture(scope="module")
def answers():
    """One answer on the data themselves, one on a class against the rest, and one on separate tables."""
    rows = [0, 1, 2, 1] * 10, [0, 1, 1, 1] * 10, [0, 2, 2, 0] * 10
    two = [value % 2 for value in rows[0]], [value % 2 for value in rows[1]], [value % 2 for value in rows[2]]
    apart = [rw.Outcomes.from_arrays(two[0], two[k], names=[name]) for k, name in ((1, "new"), (2, "old"))]
    asked = {"rope": 0.1, "draws": 100, "rng": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RopewalkWarning)
        made = [
            rw.compare(*two, names=["new", "old"], **asked),
            rw.compare(*rows, names=["new", "old"], pos_label=1, **asked),
            rw.compare(*apart, **asked),
        ]
    return [json.loads(answer.to_json()) for answer in made]


@pytest.mark.parametrize(("path", "value"), EDITS, ids=lambda part: str(part)[:40])
@pytest.mark.parametrize("which", [0, 1, 2], ids=["whole", "class", "separate"])
def test_what_was_edited_is_not_trusted(answers, which, path, value):
    told = answers[which]
    assert read_recipe(edited(told, ("seed",), told["seed"])).n_items == told["n_items"]  # as it was, it is read
    if path == ("recipe", "model") and which == 2:
        return  # which is for separate tables
    with pytest.raises(FileFormatError, match=r"recipe in this file|table of outcomes") as caught:
        read_recipe(edited(told, path, value))
    assert caught.value.hint


def test_one_table_given_twice_is_not_two(answers):
    for told in answers:
        twice = {**told, "recipe": {**told["recipe"], "tables": told["recipe"]["tables"] * 2}}
        with pytest.raises(FileFormatError, match="was edited"):
            read_recipe(twice)


def test_what_an_earlier_version_wrote_is_read(answers):
    for told in answers:
        old = {**told, "recipe": {name: part for name, part in told["recipe"].items() if name != "fingerprint"}}
        assert run_comparison(read_recipe(old)).to_dict() == told


@pytest.mark.parametrize("change", ["n_items", "Infinity", "twice", "model", "garbage", "deep"])
def test_plans_from_edited_results_are_bad_data(run, tmp_path, answers, change):
    told, path = answers[0], tmp_path / "r.json"
    text = {
        "n_items": lambda: json.dumps({**told, "n_items": -5}),
        "Infinity": lambda: json.dumps({**told, "prob": float("inf")}),
        "twice": lambda: json.dumps(told)[:-1] + ', "seed": 3}',
        "model": lambda: json.dumps(edited(told, ("recipe", "model", "mu_prior"), 1e308)),
        "garbage": lambda: '{"classes": [1, null, {}]}',
        "deep": lambda: "[" * 100_000,
    }[change]()
    path.write_text(text)
    code, out, err = run("plan", "--from", path)
    assert (code, out) == (2 if change == "garbage" else 4, ""), err
    assert err.startswith("Error: ")
    assert "\nHint: " in err
