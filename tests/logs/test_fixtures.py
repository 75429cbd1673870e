"""Logs that the tools themselves wrote hold the rows that they were made from, where these files are at hand."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from logwriters import rows_of
from ropewalk.data.logs import read_log
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.errors import DataError, PairingError

LOGS = Path(__file__).parents[2] / "../shared/data/logs"

pytestmark = pytest.mark.skipif(not LOGS.is_dir(), reason=f"the logs that the tools wrote are not at {LOGS}")

CASES = {
    "inspect_mc.csv": [(["inspect/mc/*"], {"cluster": "passage"})],
    "inspect_mc_deflate.csv": [(["inspect/mc_deflate/*"], {"cluster": "passage"})],
    "inspect_json.csv": [(["inspect/json/*"], {"cluster": "passage"})],
    "inspect_epochs.csv": [(["inspect/epochs/*"], {})],
    "inspect_judge.csv": [(["inspect/judge/*"], {"scorer": "judge"})],
    "inspect_suite.csv": [(["inspect/suite/*"], {"cluster": "passage"})],
    "inspect_errored.csv": [(["inspect/errored/*"], {"cluster": "passage"})],
    "promptfoo.csv": [(["promptfoo/results.json"], {}), (["promptfoo/results.jsonl"], {})],
    "openai_evals.csv": [(["openai_evals/atlas-7b.jsonl", "openai_evals/birch-7b.jsonl"], {}), (["openai_evals"], {})],
    "swebench.csv": [(["swebench/atlas-7b.nightly-0.json", "swebench/birch-7b.nightly-1.json"], {"cluster": "repo"})],
    "trec_AP.csv": [(["trec"], {"scorer": "AP"})],
    "trec_nDCG10.csv": [(["trec"], {"scorer": "nDCG@10"})],
    "trec_P5.csv": [(["trec"], {"scorer": "P@5"})],
    "trec_RR.csv": [(["trec"], {"scorer": "RR"})],
    "plain_long.csv": [(["plain/long.csv"], {})],
}


@pytest.mark.parametrize("name", CASES)
def test_rows_are_those_that_the_log_was_made_from(name):
    with (LOGS / "expected" / name).open(newline="", encoding="utf-8") as handle:
        expected = {
            (line["task"], line["item"], int(line["repeat"]), line["system"]): line for line in csv.DictReader(handle)
        }
    for places, options in CASES[name]:
        judged = {"qrels": LOGS / "trec/qrels.txt"} if name.startswith("trec") else {}
        files = [file for place in places for file in sorted(LOGS.glob(place))]
        rows = [row for file in files for row in rows_of(file, **options, **judged)]
        assert {(row.task, row.item, row.repeat, row.system) for row in rows} == set(expected)
        assert len(rows) == len(expected)
        for row in rows:
            line = expected[row.task, row.item, row.repeat, row.system]
            found = (row.truth or "", row.prediction or "", row.cluster or "", row.error or "")
            assert found == (line["truth"], line["prediction"], line["cluster"], line["error"])
            assert row.score == (float(line["score"]) if line["score"] else None)


@pytest.mark.parametrize("kind", ["failed", "crashed"])
def test_a_log_that_inspect_did_not_finish_is_refused(kind):
    with pytest.raises(DataError, match="not finished"):
        read_log(LOGS / "inspect" / kind)


def test_other_questions_under_the_ids_of_a_task_are_refused():
    logs = [read_log(LOGS / "inspect" / place, task="capitals") for place in ("suite/atlas-7b", "other_questions")]
    with pytest.raises(PairingError, match="different questions"):
        pair_logs(logs)
