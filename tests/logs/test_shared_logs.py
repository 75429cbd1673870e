"""Real logs with the rows that they were made from, where the folder of them is beside the repository."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import pytest

from ropewalk.data.logs import read_log
from ropewalk.data.logs.registry import find_format

LOGS = Path(__file__).parents[2] / "../shared/data/logs"

pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason="the shared folder of real logs is not beside the repository")

LM_EVAL = ["lm_eval/atlas-7b", "lm_eval/birch-7b"]
HELM = ["helm/tides_model=atlas-7b", "helm/tides_model=birch-7b"]
CASES = {
    "lm_eval_acc": (LM_EVAL, {"task": "tides", "scorer": "acc", "cluster": "topic"}),
    "lm_eval_acc_norm": (LM_EVAL, {"task": "tides", "scorer": "acc_norm", "cluster": "topic"}),
    "lm_eval_exact_match_strict-match": (LM_EVAL, {"task": "ledger", "filter": "strict-match"}),
    "lm_eval_exact_match_flexible-extract": (LM_EVAL, {"task": "ledger", "filter": "flexible-extract"}),
    "eee": (["eee/atlas-7b", "eee/birch-7b"], {"cluster": "topic"}),
    "helm_exact_match": (HELM, {"scorer": "exact_match"}),
}


def expected(name):
    """The rows as the generator wrote them."""
    with (LOGS / "expected" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return {(row["task"], row["item"], int(row["repeat"]), row["system"]): row for row in csv.DictReader(file)}


@pytest.mark.parametrize("name", CASES)
def test_every_row_of_a_real_log_comes_back(name):
    places, options = CASES[name]
    rows = [row for place in places for row in read_log(LOGS / place, **options).rows()]
    true = expected(name)
    assert len(rows) == len(true) > 0
    for row in rows:
        cells = true[row.task, row.item, row.repeat, row.system]
        assert (row.truth or "", row.prediction or "", row.cluster or "") == (
            cells["truth"], cells["prediction"], cells["cluster"],
        )  # fmt: skip
        assert ("" if row.score is None else float(row.score)) == (cells["score"] and float(cells["score"]))
        assert bool(row.error) == bool(cells["error"])


@pytest.mark.parametrize("name", ["lm_eval_acc", "lm_eval_acc_norm"])
def test_the_chances_of_a_real_log_are_highest_where_the_prediction_is(name):
    places, options = CASES[name]
    for row in (row for place in places for row in read_log(LOGS / place, **options).rows()):
        assert max(row.chances, key=row.chances.get) == row.prediction
        assert sum(row.chances.values()) == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    "path", sorted(set(LOGS.glob("plain/*")) - {LOGS / "plain/long.csv"}), ids=lambda path: path.name
)
def test_no_plain_table_is_a_log(path, tmp_path):
    assert find_format(path) is None
    packed = tmp_path / f"{path.name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert find_format(packed) is None
