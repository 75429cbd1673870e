"""`ropewalk doctor`: what it says of a file is so, and the lines that it suggests run; what it says of itself too."""

from __future__ import annotations

import gzip
import json
import shlex
import sqlite3
from contextlib import closing
from importlib.metadata import EntryPoint

import pytest

import ropewalk as rw
from ropewalk.cli.doctor import checkup, logs
from ropewalk.cli.doctor.finding import Command
from ropewalk.data import profiles
from ropewalk.data.logs import plugins
from ropewalk.errors import DroppedItemsWarning, warn_caller
from support import need

NEWS = rw.examples.news20_path()


def lines_of(head, row, number=120):
    return "\n".join([head, *(row(i) for i in range(number)), ""])


SAID = ("Pass", "fail")
TABLES = {
    "labels.csv": lines_of("doc,gold,new,old,lang", lambda i: f"{i},{i % 3},{i % 3},{(i // 2) % 3},{'ed'[i % 2]}"),
    "yes and no.csv": lines_of("gold,new,old", lambda i: f"{'ny'[i % 2]},{'ny'[i % 3 // 2]},{'ny'[i % 5 // 3]}"),
    "holes.csv": lines_of("truth,a,b", lambda i: f"{i % 2},{i % 2 if i % 7 else ''},{i % 3 % 2}"),
    "pandas.csv": lines_of("y,a,b", lambda i: f"{i % 2},{f'{i % 2}.0' if i % 7 else ''},{i % 3 % 2}.0"),
    "scores.csv": lines_of("y,new_score,old_score", lambda i: f"{i % 2},{(i % 2 + i % 9) / 9.5},{i % 10 / 9.5}"),
    "right.csv": lines_of("question,new,old", lambda i: f"what {i}?,{i % 2},{i % 3 % 2}"),
    "words.csv": lines_of("question,new,old", lambda i: f"what {i}?,{SAID[i % 2]},{SAID[i % 3 % 2]}"),
    "loss.csv": lines_of("new_loss,old_loss", lambda i: f"{i % 7 / 3},{i % 11 / 3}"),
    "grouped.csv": "y,new,old,n\n"
    + "".join(f"{y},{a},{b},{3 + y + a}\n" for y in (0, 1) for a in (0, 1) for b in (0, 1)),
    "patients.csv": lines_of("patient,y,a,b", lambda i: f"{i // 2},{i % 2},{i % 2},{i % 3 % 2}"),
    "topics.csv": lines_of("docid,topic,y,new,old", lambda i: f"{i // 3},t{i % 3},{i % 2},{i % 2},{i % 5 % 2}"),
    "one.csv": lines_of("label,svm", lambda i: f"{'abc'[i % 3]},{'abc'[i % 4 % 3]}"),
    "array.json": json.dumps(
        [{"meta": {"gold": "ab"[i % 2]}, "m1": "ab"[i % 2], "m2": "a", "tags": []} for i in range(40)]
    ),
    "many.csv": lines_of("y,a,b,c", lambda i: f"{i % 4},{i % 4},{i % 3},{i % 2}"),
}
SCENARIO = {"metric": "f1", "a": 0.6, "b": 0.5, "agreement": 0.7}
QUICK = {
    "compare": ("--draws", "100"), "rank": ("--draws", "100"), "evaluate": ("--draws", "100"),
    "plan": ("--simulations", "200", "--draws", "100"), "power": ("--simulations", "20", "--draws", "100"),
}  # fmt: skip


def looked_at(run, *files):
    code, out, err = run("doctor", *files, "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["schema"] == 1
    return told["files"]


def run_all(run, finding):
    """Run every line that is suggested; return the commands."""
    for command in finding["commands"]:
        name, *arguments = shlex.split(command["line"])
        assert (name, arguments) == ("ropewalk", command["arguments"])
        code, _, err = run(*arguments, *QUICK.get(arguments[0], ()))
        assert code == 0, (command["line"], err)
    return [command["arguments"][0] for command in finding["commands"]]


EXPECTED = {
    "labels.csv": ["compare", "compare", "evaluate", "count"],
    "yes and no.csv": ["compare", "evaluate", "count"],
    "holes.csv": ["compare", "evaluate", "count"],
    "pandas.csv": ["compare", "evaluate", "count"],
    "scores.csv": ["compare"],
    "right.csv": ["compare"],
    "words.csv": ["compare"],
    "loss.csv": ["compare"],
    "grouped.csv": ["compare", "evaluate", "count"],
    "patients.csv": ["compare", "evaluate", "count"],
    "topics.csv": ["compare", "evaluate", "count"],
    "one.csv": ["evaluate", "count"],
    "array.json": ["compare", "evaluate", "count"],
    "many.csv": ["compare", "rank", "evaluate", "count"],
}


@pytest.mark.parametrize("name", TABLES)
def test_the_lines_that_are_suggested_for_a_table_run(run, tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(TABLES[name])
    (found,) = looked_at(run, name)
    assert found["what"].startswith("a table (")
    assert run_all(run, found) == EXPECTED[name]


def test_columns_are_known_by_their_names_and_values(run, tmp_path):
    known = {}
    for name in ("labels.csv", "scores.csv", "grouped.csv", "patients.csv", "topics.csv", "holes.csv", "pandas.csv"):
        (tmp_path / name).write_text(TABLES[name])
        (found,) = looked_at(run, tmp_path / name)
        known[name] = {row["column"]: (row["looks like"], row["holds"], row["missing"]) for row in found["contents"]}
    assert known["labels.csv"]["doc"] == ("id", "whole numbers", 0)
    assert known["labels.csv"]["gold"] == ("truth", "whole numbers", 0)
    assert known["labels.csv"]["lang"] == ("slices", "text", 0)
    assert known["scores.csv"]["new_score"] == ("score", "numbers", 0)
    assert known["grouped.csv"]["n"][0] == "count"
    assert known["patients.csv"]["patient"][0] == "cluster"
    assert known["topics.csv"]["docid"][0] == "item"
    assert known["topics.csv"]["topic"][0] == "label"
    assert known["holes.csv"]["a"] == known["pandas.csv"]["a"] == ("prediction", "whole numbers", 18)


def test_other_files_are_known_too(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = rw.Outcomes.from_counts([[[40, 4], [2, 3]], [[4, 3], [6, 30]]], labels=["no", "yes"], names=["new", "old"])
    table.save("counts.json")
    (tmp_path / "scenario.json").write_text(json.dumps(SCENARIO))
    (tmp_path / "answer.json").write_text(rw.compare(table, pos_label="yes", rope=0.1, draws=500, rng=0).to_json())
    (tmp_path / "log.csv").write_text(
        lines_of("task,item,system,score", lambda i: f"t,{i // 2},{'ab'[i % 2]},{i % 3 % 2}")
    )
    found = looked_at(run, "counts.json", "scenario.json", "answer.json", "log.csv")
    assert [each["what"] for each in found] == [
        "counts", "a scenario of test sets to come", "an answer of ropewalk: a comparison",
        "an evaluation log (long table)",
    ]  # fmt: skip
    commands = [run_all(run, each) for each in found]
    assert commands == [
        ["compare", "evaluate", "rank"],
        ["plan", "power"],
        ["plan"],
        ["compare", "evaluate", "convert"],
    ]
    assert found[0]["facts"]["systems"] == ["new", "old"]
    evaluated = rw.evaluate(table, "new", metric=["accuracy", "f1"], pos_label="yes", draws=100, rng=0)
    (tmp_path / "e.json").write_text(evaluated.to_json())
    assert looked_at(run, "e.json")[0]["what"] == "an answer of ropewalk: an evaluation"


def test_folders_and_patterns_are_their_files(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    for i in range(3):
        (tmp_path / "parts" / f"{i}.csv").write_text(TABLES["labels.csv"])
    for path in ("parts", "parts/*.csv"):
        (found,) = looked_at(run, path)
        assert found["facts"]["files"] == 3
        assert found["facts"]["rows"] == 360
        assert run_all(run, found)
        code, _, err = run("compare", path)
        assert code == 2
        assert "Missing option --truth" in err


def test_a_folder_of_right_and_wrong_holds_no_logs(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    for i in range(2):
        (tmp_path / "parts" / f"{i}.csv").write_text(TABLES["right.csv"])
    (found,) = looked_at(run, "parts")
    assert run_all(run, found) == EXPECTED["right.csv"]


def test_databases_are_looked_at_table_by_table(run, tmp_path):
    with closing(sqlite3.connect(tmp_path / "preds.db")) as connection, connection:
        connection.execute('CREATE TABLE "odd ""name" (y INTEGER, new INTEGER, old INTEGER)')
        connection.execute('INSERT INTO "odd ""name" VALUES (1, 1, 0), (0, 0, 0), (0, 0, 1), (1, 0, 1)')
        connection.execute("CREATE TABLE empty (y INTEGER, b TEXT)")
    (found,) = looked_at(run, tmp_path / "preds.db")
    assert found["what"] == "a SQLite database"
    assert [(row["table"], row["column"]) for row in found["contents"]] == [
        ("empty", "y"), ("empty", "b"), ('odd "name', "y"), ('odd "name', "new"), ('odd "name', "old"),
    ]  # fmt: skip
    assert run_all(run, found) == ["compare", "evaluate", "count"]


def test_only_the_first_rows_of_a_long_table_are_looked_at(run, tmp_path, monkeypatch):
    monkeypatch.setattr(profiles, "ROWS_LOOKED_AT", 50)
    path = tmp_path / "long.csv.gz"
    path.write_bytes(gzip.compress((TABLES["labels.csv"] + "torn,row\n").encode()))
    (found,) = looked_at(run, path)
    assert "rows" not in found["facts"]
    assert found["facts"]["packed_by"] == "gzip"
    assert "Only the first 50 rows were looked at; later ones may differ." in found["remarks"]
    monkeypatch.setattr(profiles, "MAX_COLUMNS", 2)
    assert [row["column"] for row in looked_at(run, path)[0]["contents"]] == ["doc", "gold"]


def test_columns_that_cannot_be_asked_for_are_named(run, tmp_path):
    (tmp_path / "twice.csv").write_text(lines_of("y,a,a,b", lambda i: f"{i % 2},{i % 2},x,{i % 3 % 2}"))
    (found,) = looked_at(run, tmp_path / "twice.csv")
    assert "Several columns are called 'a': none of them can be asked for." in found["remarks"]
    assert run_all(run, found) == ["evaluate", "count"]
    (tmp_path / "array.json").write_text(TABLES["array.json"])
    (found,) = looked_at(run, tmp_path / "array.json")
    assert any("got [] (list)" in remark for remark in found["remarks"])
    assert [row["column"] for row in found["contents"]] == ["meta.gold", "m1", "m2"]


def test_names_are_quoted_for_the_shell_and_harmless_on_a_terminal(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "-new 'a' $(x) \x1b[31m\n.csv"
    (tmp_path / name).write_text(TABLES["labels.csv"].replace("gold", "gold \x1b[0m label", 1))
    code, out, _ = run("doctor", f"./{name}")
    assert code == 0
    assert "\x1b" not in out
    assert "--truth $'gold \\x1b[0m label'" in out
    (found,) = looked_at(run, f"./{name}")
    for command in found["commands"]:
        code, _, err = run(*command["arguments"], *QUICK.get(command["arguments"][0], ()))
        assert code == 0, err
    assert Command(asks="", arguments=("compare", "a b", "it's")).line == "ropewalk compare 'a b' 'it'\"'\"'s'"


@pytest.mark.parametrize(
    ("content", "code", "told"),
    [
        (None, 5, "No such file"),
        (b"", 4, "is empty"),
        (b"\x00\x01\x02\xff" * 9, 4, "binary file"),
        (b"a,b\n1\n", 4, "line 2: 1 field where the header has 2"),
        (b'{"a": 1}\n{"a": 2', 4, "line 2: not valid JSON"),
        (b'{\n "a": 1,\n "b": 2\n}\n', 4, "one object per line, or one array"),
        (gzip.compress(TABLES["labels.csv"].encode())[:-30], 4, "damaged gzip"),
        (b'{"schema": 2, "kind": "ropewalk.outcomes"}', 4, "a newer ropewalk wrote it"),
        (b'{"a": ' + b"[" * 100_000, 4, ""),
    ],
)
def test_what_cannot_be_read_is_said(run, tmp_path, content, code, told):
    if content is not None:
        (tmp_path / "file").write_bytes(content)
    got, out, err = run("doctor", tmp_path / "file")
    assert (got, out) == (code, "")
    assert told in err
    assert "\nHint: " in err


def test_a_file_needs_a_name(run):
    code, out, err = run("doctor", "")
    assert (code, out) == (5, "")
    assert "without a name" in err


def test_a_table_without_rows_has_no_lines_to_suggest(run, tmp_path):
    (tmp_path / "header.csv").write_text("y,a,b\n")
    (found,) = looked_at(run, tmp_path / "header.csv")
    assert found["commands"] == []
    assert "It has no rows." in found["remarks"]
    (tmp_path / "words.csv").write_text(lines_of("text,other", lambda i: f"word {i},thing {i}", 300))
    assert "No column is known by its name" in looked_at(run, tmp_path / "words.csv")[0]["remarks"][-1]


def test_columnar_files_are_looked_at_too(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = need("pandas").DataFrame({"gold": [True, False] * 20, "new": [True] * 40, "old": [False] * 40})
    frame.to_parquet("preds.parquet")
    (found,) = looked_at(run, "preds.parquet")
    assert found["what"] == "a table (Parquet)"
    assert run_all(run, found)[0] == "compare"


@pytest.mark.parametrize(
    ("head", "row", "asked"),
    [
        ("id,gold,pred", "{i},{t},{p}", ("--truth", "gold", "--pos-label", "yes")),
        ("id,passed", "{i},{n}", ("--metric", "mean")),
        ("case id,y,proba", "{i},{n},{s}", ("--truth", "y", "--metric", "roc_auc")),
    ],
)
def test_two_tables_of_the_same_items_are_asked_about_together(run, tmp_path, monkeypatch, head, row, asked):
    monkeypatch.chdir(tmp_path)
    yes = ("no", "yes")
    for name, wrong in (("new.csv", 7), ("-old.csv", 3)):
        cells = [{"i": i, "n": i % 2, "t": yes[i % 2], "p": yes[i % wrong % 2], "s": i % wrong / 9} for i in range(80)]
        if head == "id,passed":
            cells = [{"i": i, "n": int(i % wrong > 0)} for i in range(80)]
        (tmp_path / name).write_text("\n".join([head, *(row.format(**each) for each in cells), ""]))
    code, out, err = run("doctor", "new.csv", "./-old.csv", "--json")
    assert (code, err) == (0, "")
    together = {"commands": json.loads(out)["together"]}
    assert run_all(run, together) == ["compare"]
    (command,) = together["commands"]
    assert command["arguments"][1:5] == ["--file-a", "new.csv", "--file-b", "./-old.csv"]
    assert all(part in command["arguments"] for part in asked)
    assert command["line"] in run("doctor", "new.csv", "./-old.csv")[1]


def test_tables_without_columns_in_common_are_not_asked_about_together(run, tmp_path):
    (tmp_path / "labels.csv").write_text(TABLES["labels.csv"])
    (tmp_path / "other.csv").write_text(TABLES["labels.csv"].replace("doc,gold", "key,truth"))
    assert json.loads(run("doctor", tmp_path / "labels.csv", tmp_path / "other.csv", "--json")[1])["together"] == []


# -- without a file ----------------------------------------------------------------------------------------


def test_an_installation_that_is_sound(run):
    code, out, err = run("doctor", "--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert told["sound"] is True
    assert {"ropewalk", "python", "numpy", "scipy", "narwhals"} <= told["packages"].keys()
    assert [check["name"] for check in told["checks"]] == ["temporary files", "closed form", "round trip"]
    assert told["metrics"] > 30
    code, text, err = run("doctor")
    assert (code, err) == (0, "")
    assert f"ropewalk {rw.__version__} on " in text
    assert "Inspect (.eval)" in text


def test_extras_that_are_absent_or_too_old_say_how_they_are_installed(monkeypatch):
    monkeypatch.setattr(checkup, "find_spec", lambda _: None)
    there = {"duckdb": "1.1.9", "pyarrow": "21.0", "numpy": "2.1"}
    monkeypatch.setattr(checkup, "_version_of", there.get)
    lines = ["numpy>=1", "duckdb>=1.2; extra == 'files'", "pyarrow>=21.0.0 ; extra == 'files'",
             "pytest; extra == 'dev'", "backports.zstd>=1; (python_version < '3.2') and extra == 'logs'"]  # fmt: skip
    monkeypatch.setattr(checkup, "requires", lambda _: lines)
    health = checkup.checkup()
    assert health.packages.keys() == {"ropewalk", "python", "numpy"}
    assert health.extras == {"files": {"duckdb": None, "pyarrow": "21.0"}}
    assert "Tables    Parquet (needs pyarrow), JSON" in health.to_text()
    assert "files     pyarrow 21.0; without duckdb: pip install 'ropewalk[files]'" in health.to_text()


def test_a_broken_plug_in_is_named_and_not_fatal(run, monkeypatch):
    points = [EntryPoint("broken", "no_such_module:x", plugins.ENTRY_POINTS), EntryPoint("odd", "json:dumps", "g")]
    monkeypatch.setattr(plugins, "entry_points", lambda group: points)
    code, out, _ = run("doctor")
    assert code == 0
    assert "Plug-in   broken (no_such_module:x): cannot be loaded (ModuleNotFoundError" in out
    assert "Plug-in   odd (json:dumps): is no LogFormat but " in out


def test_what_is_wrong_is_said_and_ends_with_a_code(run, monkeypatch, tmp_path):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone"))
    code, out, _ = run("doctor")
    assert code == 5
    assert "WRONG     temporary files: FileNotFoundError" in out
    assert "sound     closed form" in out


# -- evaluation logs -----------------------------------------------------------------------------------------


def test_logs_of_one_system_each_are_asked_about_together(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "abc":
        text = lines_of("task,item,system,score", lambda i, name=name: f"t,{i},{name},{'' if i == 7 else i % 3 % 2}")
        (tmp_path / f"{name}.csv").write_text(text)
    for files, verbs in ((("a.csv", "b.csv"), ["compare"]), (("a.csv", "b.csv", "c.csv"), ["rank"]), (("a.csv",), [])):
        code, out, _ = run("doctor", *files, "--json")
        together = {"commands": json.loads(out)["together"]}
        assert (code, run_all(run, together)) == (0, verbs)
        assert all(command["arguments"][-2:] == ["--missing", "drop"] for command in together["commands"])
    (tmp_path / "labels.csv").write_text(TABLES["labels.csv"])
    assert json.loads(run("doctor", "a.csv", "labels.csv", "--json")[1])["together"] == []


def test_a_warning_about_a_log_is_given_once(run, tmp_path, monkeypatch):
    def read_and_warn(path, **chosen):
        warn_caller(f"{path} is odd.", DroppedItemsWarning)
        return rw.read_log(path, **chosen)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(logs, "read_log", read_and_warn)
    for name in "ab":
        (tmp_path / f"{name}.csv").write_text(lines_of("item,system,score", lambda i, name=name: f"{i},{name},{i % 2}"))
    code, out, err = run("doctor", "a.csv", "b.csv", "--json")
    assert (code, len(json.loads(out)["together"])) == (0, 1)
    assert err.splitlines() == ["Note      a.csv is odd.", "Note      b.csv is odd."]


def test_runs_of_search_systems_need_their_judgements(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "new.run").write_text(
        "".join(f"{t} Q0 d{d} {d} {9 - d} new\n" for t in range(1, 9) for d in range(1, 5))
    )
    (found,) = looked_at(run, "new.run")
    assert found["commands"] == []
    assert "A run of a search system needs relevance judgements: give them as --qrels FILE." in found["remarks"]
    (tmp_path / "my-qrels.txt").write_text("".join(f"{t} 0 d{d} {d % 2}\n" for t in range(1, 9) for d in range(1, 5)))
    found, judged = looked_at(run, "new.run", "my-qrels.txt")
    assert judged["what"] == "relevance judgements"
    assert run_all(run, found) == ["evaluate", "convert"]
    text = (tmp_path / "new.run").read_text()
    (tmp_path / "old.run").write_text(text.replace("new", "old"))
    together = json.loads(run("doctor", "new.run", "old.run", "--json")[1])["together"]
    assert run_all(run, {"commands": together}) == ["compare"]
    assert together[0]["arguments"][-2:] == ["--qrels", "my-qrels.txt"]


def test_folders_of_logs_are_asked_about_together(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / name).mkdir()
        (tmp_path / name / "log.csv").write_text(
            lines_of("item,system,score", lambda i, name=name: f"{i},{name},{i % 2}")
        )
    together = json.loads(run("doctor", "a", "b", "--json")[1])["together"]
    assert run_all(run, {"commands": together}) == ["compare"]


@pytest.mark.parametrize(
    ("head", "row", "named"),
    [
        ("question,model,grade", "q{i},{m},0.{i}", "--system model --item question --score grade"),
        ("model,q,epoch,ok", "{m},{i},1,{r}", "--system model --item q --score ok"),
        ("who,what,points", "{m},x{i},{i}.5", "--system who --item what --score points"),
        ("model,q,gold,said", "{m},{i},ab,{t}", "--system model --item q --truth gold --prediction said"),
    ],
)
@pytest.mark.parametrize("systems", ["ab", "abc"])
def test_tables_of_a_row_per_system_and_item_are_known_by_names_and_values(
    run, tmp_path, monkeypatch, head, row, named, systems
):
    monkeypatch.chdir(tmp_path)
    rows = [
        row.format(i=i, m=m, r=i % 3 % 2, t="ba"[i % 3 % 2] * 2).replace(",ab,", f",{'ab'[i % 2] * 2},")
        for m in systems
        for i in range(1, 31)
    ]
    (tmp_path / "t.csv").write_text("\n".join([head, *rows]) + "\n")
    (found,) = looked_at(run, "t.csv")
    asked = ["compare", *(["rank"] if systems == "abc" else []), "evaluate"]
    assert run_all(run, found) == asked
    assert all(" ".join(["t.csv", *named.split()]) in command["line"] for command in found["commands"])
    assert f"Hint: ropewalk compare t.csv {named}" in run("compare", "t.csv")[2]


def test_clusters_are_no_systems(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text(lines_of("patient,y,new,old", lambda i: f"p{i // 2},{'ab'[i % 2]},a,{'ab'[i % 2]}"))
    (found,) = looked_at(run, "t.csv")
    assert "--system" not in json.dumps(found["commands"])
