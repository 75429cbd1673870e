"""Evaluation logs of a judge's scores that humans corrected: a score of theirs, or what the metadata say."""

import json

import numpy as np
import pandas as pd
import pytest
from tests.logwriters import Answer, inspect_header, inspect_summary, write_inspect_document

import ropewalk as rw
from ropewalk.errors import RopewalkError

pytestmark = pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")

FEW = {"rope": 0.1, "rng": 0, "draws": 500}
ASKED = 40


def row(system, number, judge, human, where):
    one = Answer(f"item-{number}", f"Question {number}?", "yes", "yes", judge)
    if where == "scorer":
        said = {} if human is None else {"human": {"value": "C" if human else "I"}}
        return inspect_summary(one, scores={"judge": {"value": "C" if judge else "I"}, **said})
    known = {} if human is None else {"by_hand": bool(human), f"by {system}": "pass"}
    return inspect_summary(one, scorer="judge", metadata={"group": "g", **known})


@pytest.fixture(scope="module")
def said():
    rng = np.random.default_rng(8)
    human = (rng.random((2, 100)) < 0.7).astype(float)
    judge = np.where(rng.random((2, 100)) < 0.9, human, 1 - human)
    return judge, [[value if i < ASKED else None for i, value in enumerate(each)] for each in human.tolist()]


@pytest.fixture(scope="module")
def paths(said, tmp_path_factory):
    folder, found = tmp_path_factory.mktemp("logs"), {}
    for where in ("scorer", "metadata"):
        for system, judge, human in zip(("new", "old"), *said, strict=True):
            rows = [row(system, i, *both, where) for i, both in enumerate(zip(judge, human, strict=True))]
            path = folder / where / f"{system}.json"
            found[where, system] = str(write_inspect_document(path, rows, inspect_header(system)))
    return found


def logs_of(paths, where):
    return [rw.read_log(paths[where, system], scorer="judge") for system in ("new", "old")]


@pytest.mark.parametrize(("where", "human"), [("scorer", "human"), ("metadata", "by_hand")])
def test_logs_say_what_arrays_say(where, human, said, paths):
    judge, humans = said
    r = rw.compare(*logs_of(paths, where), human=human, **FEW)
    same = rw.compare(*judge, human_a=humans[0], human_b=humans[1], names=["new", "old"], **FEW)
    assert (r.a, r.b, r.judge.n_human) == ("new", "old", ASKED)
    assert np.array_equal(r.draws.psi, same.draws.psi)


def test_the_command_line_and_a_long_table_too(said, paths, run, tmp_path):
    files = [paths["scorer", system] for system in ("new", "old")]
    line = ("--human", "human", "--rope", "10%", "--draws", "500", "--json")
    code, out, err = run("compare", *files, "--scorer", "judge", *line)
    assert code == 0, err
    judge, humans = said
    parts = [
        pd.DataFrame({"system": system, "item": range(100), "score": judge[k], "human": humans[k]})
        for k, system in enumerate(("new", "old"))
    ]
    pd.concat(parts).to_csv(tmp_path / "long.csv", index=False)
    code, long, err = run("compare", str(tmp_path / "long.csv"), "--system", "system", "--score", "score", *line)
    assert code == 0, err
    first, second = json.loads(out), json.loads(long)
    assert first["judge"]["n_human"] == ASKED
    assert first["judge"] == second["judge"]


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        ({"human": "nobody"}, "under 'nobody'"),
        ({"human": "group"}, "neither right nor wrong"),
        ({"human": [1, 0]}, "must name a score"),
        ({"human_a": "human", "human_b": "human"}, "under one name"),
        ({"human": "by_hand", "by": "group"}, "by"),
        ({"human": "by_hand", "truth": "y"}, "does not go with evaluation logs"),
    ],
)
def test_what_is_refused(asked, text, paths):
    with pytest.raises(RopewalkError, match=text) as caught:
        rw.compare(*logs_of(paths, "metadata"), **asked, **FEW)
    assert caught.value.hint


def test_clusters_and_several_tasks_are_refused(paths):
    with pytest.raises(RopewalkError, match="clusters"):
        rw.compare(
            *(rw.read_log(paths["metadata", name], cluster="group") for name in ("new", "old")), human="by_hand", **FEW
        )
    with pytest.raises(RopewalkError, match="one task"):
        rw.compare_tasks(*logs_of(paths, "metadata"), human="by_hand", **FEW)
