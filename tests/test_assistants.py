"""What assistants are told of asking and reading is so: every line runs, every key and code that is named exists."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import ropewalk as rw
from logwriters import inspect_header, inspect_summary, seeded_answers, write_inspect_archive
from ropewalk.cli.tools.offered import tools
from support import without_warnings

ROOT = Path(__file__).parent.parent
SKILL, LLMS, PAGE = (
    ROOT / "skills" / "ropewalk" / "SKILL.md",
    ROOT / "llms.txt",
    ROOT / "docs" / "howto" / "assistants.md",
)
if not SKILL.exists():
    pytest.skip("the pages are not here", allow_module_level=True)

pytestmark = pytest.mark.usefixtures("frugal")

QUICK = {
    "compare": ("--draws", "300"), "rank": ("--draws", "300"), "evaluate": ("--draws", "300"), "gate": (),
    "plan": ("--simulations", "200", "--draws", "200", "--max-n", "3000"), "doctor": (),
}  # fmt: skip


def text_of(path):
    return path.read_text(encoding="utf-8")


def lines_in(path):
    """Return the lines that stand in a text as code; what begins with … goes on where the first line ends."""
    found = [line for line in re.findall(r"`([^`\n]+)`", text_of(path)) if line.startswith(("ropewalk ", "… --"))]
    first = next(line for line in found if line.startswith("ropewalk compare preds"))
    return [
        line.replace("… ", first.partition(" --rope")[0] + " ", 1) if line.startswith("…") else line for line in found
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch, run):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i % 2},{i % 2},{i % 3 % 2},1,{'ed'[i % 2]}" for i in range(200)]
    (tmp_path / "preds.csv").write_text("\n".join(["y,new,old,base,COLUMN", *rows, ""]))
    for seed, system in enumerate(("new", "old")):
        answers = [inspect_summary(row) for row in seeded_answers(seed, n_errors=0)]
        write_inspect_archive(tmp_path / f"{system}.eval", answers, inspect_header(system))
    line = (
        "compare",
        "preds.csv",
        "--truth",
        "y",
        "--a",
        "new",
        "--b",
        "old",
        "--draws",
        "300",
        "--rope",
        "2%",
        "--json",
    )
    (tmp_path / "FILE").write_text(run(*line)[1])
    return tmp_path


def test_every_line_of_the_skill_is_answered(folder, run):
    lines = lines_in(SKILL)
    assert len(lines) >= 11
    for line in lines:
        _, command, *words = shlex.split(line)
        code, out, err = run(command, *words, *QUICK[command])
        assert code in ({0, 1, 3} if command == "gate" else {0}), (line, err)
        assert out, line


def test_the_skill_names_itself_and_says_when_to_use_it():
    head = re.match(r"---\nname: (.*)\ndescription: (.*)\n---\n", text_of(SKILL))
    assert head[1] == SKILL.parent.name
    assert 100 < len(head[2]) < 1_024
    assert len(text_of(SKILL).splitlines()) < 100


def test_the_short_text_follows_its_convention():
    """One heading, a summary as a quotation, then sections of links with a few words each."""
    lines = text_of(LLMS).splitlines()
    assert lines[0] == "# ropewalk"
    assert lines[2].startswith("> ")
    assert sum(line.startswith("# ") for line in lines) == 1
    sections = text_of(LLMS).split("\n## ")[1:]
    assert [section.splitlines()[0] for section in sections][-1] == "Optional"
    for section in sections:
        assert all(re.fullmatch(r"- \[.+\]\(.+\): .+", line) for line in section.splitlines()[1:] if line)


def test_keys_that_are_named_stand_in_an_answer():
    with without_warnings():
        answer = rw.compare([1, 0] * 20, [1, 0] * 20, [1, 0] * 19 + [0, 1], rope=0.02, draws=2_000, rng=0).to_dict()
    assert answer["more_data"] is not None
    for page in (SKILL, LLMS):
        named = re.findall(r"`((?:decision|delta|more_data)\.\w+)`", text_of(page))
        assert len(named) >= 5
        for name in named:
            part, key = name.split(".")
            assert key in answer[part], name
        for key in re.findall(
            r"`(headline|regions|warnings|notes|random|fixed|improvement|higher_is_better)`", text_of(page)
        ):
            assert key in answer


@pytest.mark.parametrize("path", [SKILL, LLMS], ids=lambda path: path.name)
def test_verdicts_and_exit_codes_are_those_of_the_reference(path):
    reference = text_of(ROOT / "docs" / "reference" / "json.md")
    codes = set(re.search(r'"code": ((?:"\w+" \| )+"\w+")', reference)[1].replace('"', "").split(" | "))
    assert all(f"`{code}`" in text_of(path) for code in codes)
    said = re.search(r"Exit codes: (.*)", text_of(path))[1]
    assert set(re.findall(r"\b\d\b", said)) == set("012345")
    for word, code in (("contradicted", "1"), ("undecided", "3"), ("bad data", "4")):
        assert re.search(rf"{code} (\w+ )?{word}", said), word


def test_the_page_lists_the_tools_that_there_are():
    rows = re.findall(r"^\| `(\w+)` \|", text_of(PAGE), re.MULTILINE)
    assert rows == ["describe_file", *tools()]
    for name, tool in tools().items():
        row = re.search(rf"^\| `{name}` \|.*\|(.*)\|$", text_of(PAGE), re.MULTILINE)[1]
        assert set(re.findall(r"`(\w+)`", row)) - tools().keys() <= {"path", *tool.arguments}
