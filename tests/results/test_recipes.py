"""Results as files: what was asked can be asked again, and answered alike."""

from __future__ import annotations

import json

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.errors import FileFormatError
from ropewalk.inference.answers import run_comparison
from ropewalk.results.base import read_recipe

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


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")
def test_an_answer_read_from_json_is_the_same_answer(name, frugal):
    asked = {"rope": 0.01, "draws": 1_000, "rng": 3, **QUESTIONS[name]}
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
