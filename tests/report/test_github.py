"""What GitHub is given: a summary that its parser turns into a table and no more, annotations, and a log of its own."""

from __future__ import annotations

import json
import os
import re

import pytest

import ropewalk as rw
from gates import PAIRS, TRUTH, gate_of, gate_on_tasks, renamed
from hostile import NAMES
from ropewalk.errors import UnreadableFileError
from ropewalk.report import github
from ropewalk.report.github import (
    MAX_SUMMARY_BYTES,
    annotation_lines,
    append_outputs,
    append_summary,
    step_summary,
    without_commands,
)
from ropewalk.text.writing import visible
from support import need

LINKS = {"site": "www.evil.example", "loud site": "WWW.evil.example", "mail": "a@b.example", "all": "@all #12"}
COMMANDS = {
    "command": "::error::x", "set": "::set-output name=outcome::met", "old": "##[set-output name=outcome]met",
    "escaped": "%0A::error::y",
}  # fmt: skip
ATTACKS = {**NAMES, **LINKS, **COMMANDS}


def tokens_of(text):
    """Return what a Markdown parser with tables and HTML makes of a text, inline tokens too."""
    parser = need("markdown_it").MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    for token in parser.parse(text):
        yield token
        yield from token.children or ()


def rows_of(text):
    """Return the cells of the rows of a table, as text."""
    html = need("cmarkgfm").github_flavored_markdown_to_html(text)
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]


# -- the summary -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("outcome", "tag"), [("met", "PASS"), ("contradicted", "FAIL"), ("undecided", "UNDECIDED")])
def test_the_summary_begins_with_the_headline(outcome, tag):
    parser = need("markdown_it").MarkdownIt("commonmark").enable("table")
    first, text, *_ = parser.parse(step_summary(gate_of(outcome)))
    assert (first.type, first.tag) == ("heading_open", "h3")
    assert text.content.startswith(f"{tag}: ")


def test_the_summary_has_a_row_per_requirement_and_task_with_sign_interval_and_chance():
    tasks = {"sums": "met", "maps": "contradicted", "reading": "undecided"}
    header, *rows = rows_of(step_summary(gate_on_tasks(tasks)))
    assert header == ["", "Required", "Outcome", "Difference", "As required"]
    assert [row[0] for row in rows] == ["✓", "✗", "?"]
    assert [row[2] for row in rows] == ["met", "contradicted", "undecided: the interval reaches across the margin"]
    assert all("[" in row[3] and "points" in row[3] for row in rows)
    assert [row[4] for row in rows][:2] == ["&gt;99.9%", "&lt;0.1%"]
    assert abs(int(rows[2][4].rstrip("%")) - 50) <= 4  # four standard errors of 4,000 draws, and the edge of a digit


def test_the_summary_says_the_seed_the_exit_code_and_what_undecided_does():
    below = step_summary(gate_of("undecided", "warn")).splitlines()[-1]
    assert "seed 0 · exit code 0 (undecided warns, and passes)" in below


@pytest.mark.parametrize("name", ATTACKS.values(), ids=ATTACKS)
def test_a_name_makes_no_html_link_picture_heading_or_cell(name):
    text = step_summary(renamed(gate_on_tasks({name: "contradicted", "b": "met"}), name, f"{name}b"))
    kinds = [token.type for token in tokens_of(text)]
    assert set(kinds) <= {
        "heading_open", "heading_close", "inline", "text", "text_special", "paragraph_open", "paragraph_close",
        "table_open", "table_close", "thead_open", "thead_close", "tbody_open", "tbody_close", "tr_open", "tr_close",
        "th_open", "th_close", "td_open", "td_close",
    }  # fmt: skip
    assert kinds.count("heading_open") == 1
    assert [len(row) for row in rows_of(text)] == [5, 5, 5]


@pytest.mark.parametrize("name", ATTACKS.values(), ids=ATTACKS)
def test_the_parser_of_github_finds_no_link_in_a_name_and_no_mention_in_what_it_makes(name):
    text = step_summary(renamed(gate_on_tasks({name: "contradicted", "b": "met"}), name, f"{name}b"))
    html = need("cmarkgfm").github_flavored_markdown_to_html(text)
    assert set(re.findall(r"<(\w+)", html)) == {"h3", "table", "thead", "tbody", "tr", "th", "td", "p"}
    assert re.findall(r"[@#]\w", html.replace("&#39;", "")) == []


@pytest.mark.parametrize("name", ["a_b", "a|b", "*x*", "50% & #1 ~ ^ {x}", r"\\", "www.x.org", "a@b"])
def test_a_reader_sees_the_name_as_it_is(name):
    from html import unescape

    _, row, _ = rows_of(step_summary(gate_on_tasks({name: "contradicted", "b": "met"})))
    assert visible(name) in unescape(row[1]).replace("\u200b", "")


def test_of_many_tasks_those_that_are_met_are_left_out_first_and_it_is_said():
    tasks = {f"task {i} {'x' * 190}": "met" for i in range(5_000)} | {"last one": "contradicted"}
    text = step_summary(gate_on_tasks(tasks))
    assert len(text.encode()) < MAX_SUMMARY_BYTES
    _, *rows = rows_of(text)
    assert rows[-1][0] == "✗"
    left_out = re.search(r"_([\d,]+) more rows of 5,001 left out", text)
    assert int(left_out[1].replace(",", "")) == 5_001 - len(rows) > 0


def test_where_less_is_better_the_difference_says_so():
    gate = rw.gate(TRUTH, *PAIRS["met"], metric="error", require="better", draws=4_000, rng=0)
    _, row = rows_of(step_summary(gate))
    assert re.fullmatch(r"−.* \[−.*, −.*\] points \(less is better\)", row[3])


def test_a_few_tasks_are_all_there():
    assert "left out" not in step_summary(gate_on_tasks(dict.fromkeys("abc", "met")))


# -- its file ----------------------------------------------------------------------------------------------


def test_a_summary_is_appended_to_what_others_wrote(tmp_path):
    file = tmp_path / "summary.md"
    append_summary(file, "### one\n")
    append_summary(file, "### two\n")
    assert file.read_text() == "### one\n\n### two\n"
    file.write_text("no end")
    append_summary(file, "### two\n")
    assert file.read_text() == "no end\n\n### two\n"


def test_a_summary_never_makes_the_file_longer_than_github_takes(tmp_path):
    file = tmp_path / "summary.md"
    file.write_text("x" * (MAX_SUMMARY_BYTES - 200) + "\n")
    append_summary(file, "### headline\n\n" + "| row |\n" * 1_000)
    text = file.read_text()
    assert len(text.encode()) <= MAX_SUMMARY_BYTES
    assert "### headline\n" in text
    assert text.endswith("GitHub takes no more than 1 MiB from a step._\n")


def test_a_file_that_is_full_stays_as_it_is(tmp_path):
    file = tmp_path / "summary.md"
    file.write_text("x" * (MAX_SUMMARY_BYTES - 3))
    append_summary(file, "### headline\n")
    assert file.stat().st_size == MAX_SUMMARY_BYTES - 3


def test_what_could_be_written_in_part_only_is_taken_away_again(tmp_path, monkeypatch):
    file = tmp_path / "summary.md"
    file.write_text("before\n\n")

    def full(write, content):
        write(content[:5])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(github, "_write_all", full)
    with pytest.raises(UnreadableFileError, match="No space left"):
        append_summary(file, "### headline\n")
    assert file.read_text() == "before\n\n"


def test_a_system_that_takes_a_text_in_parts_gets_all_of_it():
    taken = []

    def write(content):
        taken.append(content[:3])
        return len(taken[-1])

    github._write_all(write, b"all of it")
    assert b"".join(taken) == b"all of it"


def test_a_summary_that_cannot_be_written_is_said_so(tmp_path):
    with pytest.raises(UnreadableFileError, match="folder"):
        append_summary(tmp_path, "x")
    with pytest.raises(UnreadableFileError, match="no folder"):
        append_summary(tmp_path / "none" / "x.md", "x")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_summary_may_go_into_a_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    append_summary(path, "### headline\n")
    assert os.read(reader, 100) == b"### headline\n"
    os.close(reader)


# -- outputs and the command -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ATTACKS.values(), ids=ATTACKS)
def test_a_name_cannot_end_an_output_or_begin_another(name, tmp_path):
    file = tmp_path / "outputs"
    file.write_text("before=1\n")
    append_outputs(file, renamed(gate_of("contradicted"), name, "outcome=met"))
    first, *rest = file.read_text(encoding="utf-8").split("\n")
    assert first == "before=1"
    assert [line.split("<<")[0] for line in rest[::3]] == ["outcome", "exit-code", "headline", ""]
    assert rest[1:8:3] == ["contradicted", "1", rest[7]]
    assert rest[2::3] == [line.partition("<<")[2] for line in rest[:-1:3]]
    assert rest[7].startswith("FAIL: ")


def table_of(outcome, path):
    rows = [f"{y},{a},{b}" for y, a, b in zip(TRUTH, *PAIRS[outcome], strict=True)]
    path.write_text("\n".join(["y,new,old", *rows]) + "\n")
    return (path, "--truth", "y", "--a", "new", "--b", "old", "--metric", "accuracy", "--require", "better")


@pytest.mark.parametrize(("outcome", "expected"), [("met", 0), ("contradicted", 1), ("undecided", 3)])
def test_the_command_writes_the_summary_the_outputs_and_annotations(outcome, expected, run, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.setenv("GITHUB_OUTPUT", str(tmp_path / "outputs"))
    code, out, _ = run("gate", *table_of(outcome, tmp_path / "p.csv"), "--github", "--draws", 4_000)
    assert code == expected
    assert [line.split()[0] for line in out.splitlines() if line.startswith("::")] == ["::error"] * (outcome != "met")
    assert (tmp_path / "summary").read_text(encoding="utf-8").startswith("### ")
    assert f"\n{outcome}\n" in (tmp_path / "outputs").read_text()


def test_annotations_leave_json_alone(run, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    monkeypatch.delenv("GITHUB_OUTPUT", raising=False)
    code, out, err = run("gate", *table_of("contradicted", tmp_path / "p.csv"), "--github", "--json", "--draws", 4_000)
    assert (code, json.loads(out)["gate"]["outcome"]) == (1, "contradicted")
    assert "\n::error " in f"\n{err}"


def test_where_there_is_no_summary_to_append_to_it_is_said_before_any_work(run, tmp_path, monkeypatch):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    code, out, err = run("gate", "none.csv", *table_of("met", tmp_path / "p.csv")[1:], "--github")
    assert (code, out) == (2, "")
    assert "GITHUB_STEP_SUMMARY" in err
    assert "Hint: " in err


def test_nothing_that_is_printed_beside_a_hostile_name_is_a_command(run, tmp_path, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))
    name = "##[set-output name=outcome]met"
    path, *line = table_of("contradicted", tmp_path / "p.csv")
    path.write_text(path.read_text().replace("new", name, 1))
    line[3] = name
    _, out, _ = run("gate", path, *line, "--github", "--draws", 4_000)
    assert name in out
    assert [text.split()[0] for text in commands_in(out)] == ["::error"]


# -- annotations -------------------------------------------------------------------------------------------


def parsed(line):
    """Return command, properties and text of a line, as GitHub's runner reads it."""
    command, _, rest = line.removeprefix("::").partition(" ")
    properties, _, text = rest.partition("::")
    pairs = (pair.partition("=") for pair in properties.split(","))
    undo = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}

    def plain(value):
        return re.sub("|".join(undo), lambda match: undo[match[0]], value)

    return command, {name: plain(value) for name, _, value in pairs}, plain(text)


@pytest.mark.parametrize(
    ("outcome", "on_undecided", "commands"),
    [
        ("met", "fail", []),
        ("contradicted", "fail", ["error"]),
        ("contradicted", "pass", ["error"]),
        ("undecided", "fail", ["error"]),
        ("undecided", "warn", ["warning"]),
        ("undecided", "pass", []),
    ],
)
def test_what_fails_is_an_error_and_what_warns_a_warning(outcome, on_undecided, commands):
    assert [parsed(line)[0] for line in annotation_lines(gate_of(outcome, on_undecided))] == commands


def test_an_annotation_says_what_came_out_and_by_how_much():
    command, properties, text = parsed(*annotation_lines(gate_of("contradicted")))
    assert (command, properties) == ("error", {"title": "ropewalk gate: FAIL"})
    assert re.search(r"A is not better .*−\d.*\[−.*points, seed 0", text)


@pytest.mark.parametrize("name", ATTACKS.values(), ids=ATTACKS)
def test_a_name_in_an_annotation_is_one_line_that_github_reads_as_text(name):
    (line,) = annotation_lines(renamed(gate_on_tasks({name: "contradicted", "b": "met"}), name, "b"))
    assert not set(line) & set("\r\n\0\x1b\x85\u2028\u202e")
    command, properties, text = parsed(line)
    assert (command, properties) == ("error", {"title": "ropewalk gate: FAIL"})
    assert text.count(visible(name)[:199]) >= 1


@pytest.mark.parametrize(("n_tasks", "n_lines"), [(10, 10), (11, 10), (500, 10)])
def test_there_are_at_most_ten_annotations_and_the_last_one_says_how_many_more(n_tasks, n_lines):
    lines = annotation_lines(gate_on_tasks({str(i): "contradicted" for i in range(n_tasks)}))
    assert len(lines) == n_lines
    more = re.search(r"([\d,]+) more requirements? not met", lines[-1])
    assert (None if more is None else int(more[1])) == (None if n_tasks == 10 else n_tasks - 9)


def test_errors_come_before_warnings_where_there_are_too_many():
    tasks = {f"u{i}": "undecided" for i in range(20)} | {f"c{i}": "contradicted" for i in range(3)}
    commands = [parsed(line)[0] for line in annotation_lines(gate_on_tasks(tasks, "warn"))]
    assert commands == ["error"] * 3 + ["warning"] * 7


# -- what is printed ---------------------------------------------------------------------------------------


def commands_in(log):
    """Return the lines of a log that GitHub's runner takes for commands: those of the old form anywhere in a line."""
    stop = None
    for line in log.splitlines():
        if stop is not None:
            stop = None if line.lstrip() == f"::{stop}::" else stop
        elif line.lstrip().startswith("::stop-commands::"):
            stop = line.lstrip().removeprefix("::stop-commands::")
        elif line.lstrip().startswith("::") or "##[" in line:
            yield line


@pytest.mark.parametrize("name", COMMANDS.values(), ids=COMMANDS)
def test_what_is_printed_runs_no_command_that_a_name_holds(name):
    text = f"headline\n  {name}\n{name}"
    assert list(commands_in(f"{without_commands(text)}\n::error::after")) == ["::error::after"]


def test_an_answer_without_commands_is_printed_as_it_is():
    for outcome in PAIRS:
        text = str(gate_of(outcome))
        assert without_commands(text) == text
