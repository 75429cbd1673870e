"""Runs of search systems: measures by hand and by ir-measures, and what is easy to get wrong in the format."""

from __future__ import annotations

import math
import random

import pytest

from logwriters import rows_of, shuffled
from ropewalk.data.logs import read_log
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.data.logs.registry import is_log
from ropewalk.errors import DataError, FileFormatError, InvalidInputError, UnknownNameError

QRELS = """\
1 0 d1 2
1 0 d2 0
1 0 d3 1
1 0 d4 1
2 0 d1 1
3 0 d9 0
4 0 d1 -1
4 0 d2 3
"""

# Topic 1 is ranked d3, d2, d1 (a tie: by the id, descending), x; topic 2 is not answered; topic 5 is not judged.
RUN = """\
1 Q0 d1 1 2.5 atlas
1 Q0 d2 2 2.5 atlas
1 Q0 d3 9 7 atlas
1 Q0 x 3 -1e3 atlas
3 Q0 d9 1 1 atlas
4 Q0 d1 1 2 atlas
4 Q0 d2 2 1 atlas
5 Q0 d2 2 1 atlas
"""

BY_HAND = {
    "AP": {"1": (1 / 1 + 2 / 3) / 3, "2": 0, "3": 0, "4": 1 / 2},
    "RR": {"1": 1, "2": 0, "3": 0, "4": 1 / 2},
    "P@2": {"1": 1 / 2, "2": 0, "3": 0, "4": 1 / 2},
    "P@5": {"1": 2 / 5, "2": 0, "3": 0, "4": 1 / 5},
    "R@3": {"1": 2 / 3, "2": 0, "3": 0, "4": 1},
    "RR@1": {"1": 1, "2": 0, "3": 0, "4": 0},
    "AP@2": {"1": 1 / 3, "2": 0, "3": 0, "4": 1 / 2},
    "nDCG@3": {
        "1": (1 + 2 / math.log2(4)) / (2 + 1 / math.log2(3) + 1 / math.log2(4)),
        "2": 0,
        "3": 0,
        "4": (3 / math.log2(3)) / 3,
    },
}


@pytest.fixture
def run(tmp_path):
    return written(tmp_path / "atlas.run", RUN)


@pytest.fixture
def qrels(tmp_path):
    return written(tmp_path / "qrels.txt", QRELS)


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", BY_HAND)
def test_measures_are_what_they_are_by_hand(name, run, qrels):
    scores = {row.item: row.score for row in rows_of(run, qrels=qrels, scorer=name)}
    assert scores == pytest.approx(BY_HAND[name], abs=1e-12)


@pytest.mark.parametrize("name", ["ap", "NDCG@3", "rr", "p@5"])
def test_names_of_measures_are_read_in_any_case(name, run, qrels):
    (canonical,) = (known for known in BY_HAND if known.casefold() == name.casefold())
    assert rows_of(run, qrels=qrels, scorer=name) == rows_of(run, qrels=qrels, scorer=canonical)
    log = read_log(run, qrels=qrels, scorer=name)
    assert log.runs[0].score(log.choice).name == canonical


@pytest.mark.parametrize(
    ("name", "own"),
    [("map", "AP"), ("ndcg_cut_3", "nDCG@3"), ("recip_rank", "RR"), ("P_5", "P@5"), ("recall_3", "R@3")],
)
def test_measures_have_the_names_of_trec_eval_too(name, own, run, qrels):
    assert rows_of(run, qrels=qrels, scorer=name) == rows_of(run, qrels=qrels, scorer=own)


def test_comments_and_other_ways_to_write_a_run(run, qrels, tmp_path):
    expected = rows_of(run, qrels=qrels, scorer="AP")
    other = written(tmp_path / "other.run", "# made by hand\n" + RUN.replace(" Q0 ", "\t0\t").replace("\n", "\r\n"))
    judged = written(tmp_path / "other.qrels", "# judged by hand\n\n" + QRELS.replace(" ", "\t"))
    assert rows_of(other, qrels=judged, scorer="AP") == expected


def test_lines_may_come_in_any_order(run, qrels, tmp_path):
    other = written(tmp_path / "other.run", "\n".join(shuffled(RUN.splitlines())) + "\n")
    assert rows_of(run, qrels=qrels, scorer="AP") == rows_of(other, qrels=qrels, scorer="AP")


def test_measures_agree_with_ir_measures(tmp_path):
    library = pytest.importorskip("ir_measures", reason="ir-measures is not installed: pip install 'ropewalk[ir]'")
    draw = random.Random(7)
    judged = {str(t): {f"d{d}": draw.randint(-1, 3) for d in draw.sample(range(40), 15)} for t in range(12)}
    found = {str(t): {f"d{d}": draw.randint(0, 9) / 2 for d in draw.sample(range(40), 25)} for t in range(2, 14)}
    qrels = "".join(f"{t} 0 {d} {g}\n" for t, grades in judged.items() for d, g in grades.items())
    lines = "".join(f"{t} Q0 {d} 1 {s} atlas\n" for t, scores in found.items() for d, s in scores.items())
    paths = written(tmp_path / "a.run", lines), written(tmp_path / "qrels", qrels)
    for name in ("AP", "AP@5", "nDCG", "nDCG@10", "P@5", "RR", "R@10", "Judged@10", "Success@3"):
        expected = library.iter_calc([library.parse_measure(name)], judged, found)
        rows = rows_of(paths[0], qrels=paths[1], scorer=name)
        assert {row.item: row.score for row in rows} == {
            metric.query_id: pytest.approx(metric.value, abs=1e-14) for metric in expected
        }


def test_two_runs_pair_topic_by_topic(run, qrels, tmp_path):
    other = written(tmp_path / "birch.run", RUN.replace("atlas", "birch"))
    logs = [read_log(path, qrels=qrels, scorer="RR") for path in (run, other)]
    (paired,) = pair_logs(logs)
    assert (paired.names, len(paired.keys)) == (("atlas", "birch"), 4)


def test_a_folder_of_runs_leaves_the_judgements_out(run, qrels, tmp_path):
    written(tmp_path / "birch.run", RUN.replace("atlas", "birch"))
    assert read_log(tmp_path).systems == ("atlas", "birch")
    assert is_log(run)
    assert not is_log(qrels)


def test_a_measure_must_be_chosen_and_known(run, qrels):
    with pytest.raises(InvalidInputError, match=r"'AP', 'nDCG@10', 'P@5'") as caught:
        rows_of(run, qrels=qrels)
    assert caught.value.exit_code == 2
    for name in ("accuracy", "P", "nDCG@0", "AP@x", "__import__('os')"):
        with pytest.raises(UnknownNameError, match=r"nDCG@k"):
            rows_of(run, qrels=qrels, scorer=name)


def test_judgements_are_asked_for(run):
    with pytest.raises(InvalidInputError, match="needs relevance judgements") as caught:
        rows_of(run, scorer="AP")
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("1 Q0 d1 1 high atlas", "line 9: the score is no number"),
        ("1 Q0 d1 1 nan atlas", "line 9: the score is no number"),
        ("1 Q0 d1", "line 9: 3 fields"),
        ("1 Q0 d77 1 3 atl", "run of 'atlas', and a line for topic '1' is of 'atl'"),
        ("1 Q0 d1 1 3 atlas", "ranks 'd1' twice for topic '1'"),
    ],
)
def test_torn_and_odd_lines_are_refused(lines, problem, run, qrels):
    with run.open("a", encoding="utf-8") as handle:
        handle.write(lines)
    with pytest.raises(FileFormatError, match=problem):
        rows_of(run, qrels=qrels, scorer="AP")


@pytest.mark.parametrize(
    ("text", "problem"),
    [("1 0 d1\n", "3 fields"), ("1 0 d1 0.5\n", "no whole number"), ("\n", "is empty"), ("1 0 d1 yes\n", "no whole")],
)
def test_odd_judgements_are_refused(text, problem, run, qrels):
    with pytest.raises(FileFormatError, match=problem):
        rows_of(run, qrels=written(qrels, text), scorer="AP")


def test_judgements_of_other_topics_are_refused(run, qrels):
    with pytest.raises(DataError, match=r"No topic of .* is judged"):
        rows_of(run, qrels=written(qrels, "77 0 d1 1\n"), scorer="AP")
