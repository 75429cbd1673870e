"""What a file is follows from its content, wherever it is asked: by the commands, in Python and by the doctor."""

from __future__ import annotations

import json

import pytest

import ropewalk as rw
from ropewalk.data import kinds
from ropewalk.data.kinds import ANSWER, COUNTS, LOGS, QRELS, SCENARIO, TABLE, Kind, kind_of
from ropewalk.errors import FileFormatError

ROWS = [1, 0] * 9


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("kinds")
    answer = rw.compare(ROWS, ROWS, [1] * 18, metric="accuracy", draws=99, rng=0)
    scenario = {"metric": "f1", "a": 0.6, "b": 0.5, "agreement": 0.7}
    counts = rw.Outcomes.from_confusion([[9, 1], [2, 8]], labels=["no", "yes"], name="new").to_json()
    for name, text in {
        "answer": answer.to_json(),
        "scenario": json.dumps(scenario, indent=1),
        "counts": counts,
        "qrels": "301 0 FR1 1\n301 0 FR2 0\n",
        "log": "task,item,system,score\nt,1,new,1\nt,1,old,0\n",
        "rows.csv": "schema,delta,a\n1,0,1\n",
        "rows.jsonl": 2 * (json.dumps(scenario | {"schema": 1, "delta": 0}) + "\n"),
        "text": '"schema" "delta" { 1\n',
    }.items():
        (folder / name).write_text(text)
    return folder


KNOWN = {
    "answer": ANSWER, "scenario": SCENARIO, "counts": COUNTS, "qrels": QRELS, "log": LOGS, "rows.csv": TABLE,
    "rows.jsonl": TABLE, "text": TABLE,
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_the_content_tells(folder, name):
    assert kind_of(folder / name) is KNOWN[name]


@pytest.mark.parametrize("name", [name for name, kind in KNOWN.items() if kind not in {TABLE, LOGS}])
def test_what_holds_no_rows_is_refused_by_its_name_with_what_reads_it(folder, run, name):
    with pytest.raises(FileFormatError) as caught:
        rw.read_outcomes(folder / name, truth="y", predictions=["a"])
    assert caught.value.message.endswith(f"holds {KNOWN[name].name}, and no rows.")
    assert caught.value.hint == KNOWN[name].reader
    if name != "counts":  # which are compared as they are
        code, out, err = run("compare", folder / name, "--truth", "y", "--a", "a", "--b", "b")
        assert (code, out) == (4, "")
        assert f"holds {KNOWN[name].name}, and no rows." in err


def test_a_folder_of_what_holds_no_rows_is_refused_too(folder, run, tmp_path):
    (tmp_path / "north.json").write_text((folder / "counts").read_text())
    for path in (tmp_path, tmp_path / "*.json"):
        with pytest.raises(FileFormatError, match=r"north\.json' holds counts, and no rows\."):
            rw.read_outcomes(path, truth="y", predictions=["a"])
        assert run("doctor", path)[0] == 4


def test_a_new_kind_is_one_line(folder, run, monkeypatch):
    toy = Kind(name="a toy", recognises=lambda _path, head: head.startswith(b"toy"), reader="play with it.")
    monkeypatch.setattr(kinds, "KINDS", [toy, *kinds.KINDS])
    (folder / "toy").write_text("toy train\n")
    code, out, _ = run("doctor", folder / "toy")
    assert code == 0
    assert "a toy" in out
    assert "play with it." in out
    code, _, err = run("compare", folder / "toy", "--truth", "y", "--a", "a", "--b", "b")
    assert code == 4
    assert "holds a toy, and no rows.\nHint: play with it." in err
