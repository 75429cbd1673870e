"""What a command writes: no file that it reads, none twice, and nothing but files is replaced."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Annotated, TypedDict

import pytest

from ropewalk.cli.app import COMMANDS, Command, app
from ropewalk.cli.output import OUTPUT, WRITTEN
from ropewalk.errors import InvalidInputError

SCENARIO = '{"metric": "f1", "a": 0.6, "b": 0.5, "agreement": 0.7}'
ROWS = "id,y,a,b\n" + "".join(f"{i},{i % 2},1,0\n" for i in range(40))
PLAIN = ("--truth", "y", "--a", "a", "--b", "b")


def commands():
    return [app.get_command(None, name) for name in COMMANDS]


def flags(command, chosen):
    return [command._flags[name] for name, option in command._options.items() if chosen(option)]


def test_every_option_that_writes_a_file_is_guarded():
    """What the help calls OUT is guarded; an option that writes a file is called so."""
    written = {flag for command in commands() for flag in flags(command, lambda option: option.metavar == "OUT")}
    assert written == {"--html", "--plot", "--items", "--data", "--junit", "-o"}
    silent = [
        flag
        for command in commands()
        for flag in flags(command, lambda o: o.group == "The answer" and o.parse is str and o.flag is None)
        if flag not in written
    ]
    assert set(silent) <= {"--title", "--note", "--figures"}


def test_every_option_that_names_a_file_to_read_is_an_input():
    for command in commands():
        for name, option in command._options.items():
            place = command._flags[name] in {"FILE", "SCENARIO", "LOG"} or option.flag == "LOG"
            assert option.is_input == (place or option.metavar in {"FILE", "URL"}), (command.name, name)


INPUTS = [
    ("compare", ("{}", *PLAIN), ROWS),
    ("compare", ("--file-a", "{}", "--file-b", "other", "--id", "id", "--truth", "y", "--prediction", "a"), ROWS),
    ("compare", ("--file-a", "other", "--file-b", "{}", "--id", "id", "--truth", "y", "--prediction", "a"), ROWS),
    ("compare", ("--confusion-a", "{}", "--confusion-b", "other"), "9,1\n2,8\n"),
    ("compare", ("--confusion-a", "other", "--confusion-b", "{}"), "9,1\n2,8\n"),
    ("compare", ("other", *PLAIN, "--metric", "cost", "--cost-matrix", "{}"), "0,1\n1,0\n"),
    ("compare", ("other", "{}"), "[]"),
    ("compare", ("other", "--qrels", "{}"), "[]"),
    ("convert", ("other", "{}"), "[]"),
    ("convert", ("other", "--qrels", "{}"), "[]"),
    ("count", ("{}", *PLAIN), ROWS),
    ("count", ("--file-a", "{}", "--file-b", "other", "--id", "id", "--truth", "y", "--prediction", "a"), ROWS),
    ("count", ("--file-a", "other", "--file-b", "{}", "--id", "id", "--truth", "y", "--prediction", "a"), ROWS),
    ("gate", ("{}", *PLAIN, "--margin", "5%"), ROWS),
    ("gate", ("--file-a", "{}", "--file-b", "other", "--id", "id", "--truth", "y", "--prediction", "a"), ROWS),
    ("gate", ("--file-a", "other", "--file-b", "{}", "--id", "id", "--truth", "y", "--prediction", "a"), ROWS),
    ("gate", ("--confusion-a", "{}", "--confusion-b", "other"), "9,1\n2,8\n"),
    ("gate", ("--confusion-a", "other", "--confusion-b", "{}"), "9,1\n2,8\n"),
    ("gate", ("other", "--truth", "y", "--a", "a", "--baseline", "{}"), "{}"),
    ("gate", ("other", *PLAIN, "--config", "{}"), "[tool.ropewalk.gate]\nrequire = 'better'\n"),
    ("merge", ("other", "{}"), "{}"),
    ("evaluate", ("{}", "--truth", "y", "--prediction", "a"), ROWS),
    ("rank", ("{}", "--truth", "y", "--predictions", "a,b"), ROWS),
    ("test", ("{}", *PLAIN), ROWS),
    ("power", ("{}", "--n", "9", "--rope", "5%"), SCENARIO),
    ("plan", ("{}", "--rope", "5%"), SCENARIO),
    ("plan", ("--from", "{}"), "{}"),
    ("power", ("--from", "{}", "--n", "9"), "{}"),
    ("stopping", ("{}", "--rope", "5%", "--conclusive"), SCENARIO),
    ("stopping", ("--from", "{}", "--conclusive"), "{}"),
]


@pytest.mark.parametrize(("command", "line", "content"), INPUTS)
def test_no_output_of_any_command_overwrites_any_input(run, tmp_path, monkeypatch, command, line, content):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "input.svg").write_text(content)
    (tmp_path / "other").write_text(content)
    (tmp_path / "link.svg").symlink_to("input.svg")
    os.link(tmp_path / "input.svg", tmp_path / "hard.svg")
    arguments = [part.format("input.svg") if part == "{}" else part for part in line]
    outputs = flags(app.get_command(None, command), lambda option: option.metavar == "OUT")
    assert ("-o" if command in {"convert", "count", "merge"} else "--html") in outputs
    for output in outputs:
        for name in ("input.svg", "./link.svg", "hard.svg"):
            code, out, err = run(command, *arguments, output, name)
            assert (code, out) == (2, ""), err
            assert f"{output} '{name}' would overwrite the data" in err
    assert (tmp_path / "input.svg").read_text() == content


def test_every_input_of_every_command_is_in_the_list_above():
    """An option that reads a file has a line above, or this fails."""
    listed = {(command, part) for command, line, _ in INPUTS for part in line}
    # Those of many commands, which take them alike, and components, which are an answer as --from is.
    named = {"FILE", "SCENARIO", "LOG", "--cost-matrix", "--qrels", "--db", "--components"}
    for command in commands():
        for flag in flags(command, lambda option: option.is_input):
            assert flag in named or (command.name, flag) in listed, (command.name, flag)


def test_a_page_overwrites_no_file_of_a_folder_of_logs(run, tmp_path):
    (tmp_path / "logs" / "deep").mkdir(parents=True)
    log = tmp_path / "logs" / "deep" / "a.eval"
    log.write_text("a log")
    (tmp_path / "link.html").symlink_to(log)
    for path in (log, tmp_path / "link.html"):
        code, _, err = run("compare", tmp_path / "logs", "--html", path)
        assert code == 2
        assert "would overwrite the data" in err
    assert log.read_text() == "a log"


def test_two_outputs_never_share_a_file(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link").symlink_to("x")
    for html, data in (("x", "x"), ("x", "./x"), ("x", "link"), ("folder/../x", "x")):
        (tmp_path / "folder").mkdir(exist_ok=True)
        code, out, err = run("demo", "--html", html, "--data", data)
        assert (code, out) == (2, "")
        assert "--html and --data name the same file" in err
    assert not (tmp_path / "x").exists()
    code, _, err = run("demo", "--data", "ropewalk-demo.html")  # where the page goes by itself
    assert code == 2
    assert "name the same file" in err


def test_a_dash_is_no_name_for_an_output(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text(ROWS)
    for output in ("--html", "--items"):
        code, _, err = run("compare", "data.csv", *PLAIN, output, "-")
        assert code == 2
        assert f"Error: {output} takes the name of a file; got '-'.\nHint: " in err
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.parametrize("content", ["read-only", "too long"])
def test_an_output_that_cannot_be_written_is_refused_before_any_work(run, tmp_path, content, monkeypatch):
    monkeypatch.setattr("ropewalk.cli.cmd_compare.run", lambda _: pytest.fail("work began"))
    page = tmp_path / ("page.html" if content == "read-only" else "x" * 300)
    if content == "read-only":
        page.write_text("old")
        page.chmod(0o444)
    code, out, err = run("compare", __file__, *PLAIN, "--html", page)
    assert (code, out) == (5, "")
    assert "Hint: " in err
    assert err.startswith("Error: Cannot write ")


def test_a_page_never_goes_into_the_file_that_the_answer_is_printed_to(tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    command = [sys.executable, "-m", "ropewalk", "compare", tmp_path / "data.csv", *PLAIN, "--html", "/dev/stdout"]
    with (tmp_path / "out").open("w") as out:
        done = subprocess.run(command, stdout=out, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    assert "--html '/dev/stdout' is where the answer is printed" in done.stderr


class Mine(TypedDict, total=False):
    source: Annotated[str, OUTPUT(help="In.", metavar="FILE", is_input=True)]
    target: Annotated[str, OUTPUT(help="Out.", metavar=WRITTEN)]


def test_a_new_command_is_guarded_too(tmp_path):
    """The guard is where options are read, so no command can leave it out."""
    (tmp_path / "x").write_text("data")
    command = Command("mine", "Mine.", Mine, lambda _: pytest.fail("it ran"))
    line = ["--source", str(tmp_path / "x"), "--target", str(tmp_path / "x")]
    with pytest.raises(InvalidInputError, match=r"--target .* would overwrite the data"):
        command.main(line, standalone_mode=False, obj={"quiet": True, "line": line})
