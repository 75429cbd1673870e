"""Long work on the command line: it tells how far it is, and whoever stops it is told what there is."""

from __future__ import annotations

import pytest

import ropewalk as rw
from ropewalk import _progress
from support import COLUMNS, NEWS, interrupted


@pytest.mark.parametrize("threads", ["1", "2"])
def test_control_c_leaves_a_message_and_no_half_written_file(tmp_path, threads):
    page = tmp_path / "report.html"
    page.write_text("what was there before", encoding="utf-8")
    asked = ("compare", NEWS, *COLUMNS, "--rope", "0.01", "--draws", "3000000", "--html", page, "--threads", threads)
    code, stdout, stderr = interrupted(*asked)
    assert code == 130
    assert stdout == ""
    told = stderr.splitlines()
    assert told[0].startswith("Blocks of draws: ")
    assert told[-1] == "Interrupted: there is no answer, and no file was left half-written."
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert page.read_text(encoding="utf-8") == "what was there before"


@pytest.fixture
def at_once(monkeypatch):
    """Write a line for every block, as if each took ten seconds."""
    monkeypatch.setattr(_progress, "SECONDS_BETWEEN_LINES", 0.0)


@pytest.fixture
def asked(table):
    """Return a function that puts one question, its progress shown in one way or another."""

    def ask(*, progress, **options):
        return rw.compare(table, rope=0.05, rng=0, draws=50_000, progress=progress, **options)

    return ask


def test_long_drawing_tells_how_far_it_is(at_once, asked, capsys):
    asked(progress=None)
    told = capsys.readouterr()
    assert "Blocks of draws: 1 of 4 (" in told.err
    assert "Blocks of draws: 4 of 4, done (" in told.err
    assert told.out == ""


def test_short_work_tells_nothing(asked, capsys):
    asked(progress=None)
    assert capsys.readouterr().err == ""


def test_nobody_hears_of_drawing_that_is_silenced(at_once, asked, capsys):
    asked(progress=False)
    with _progress.shown(progress=False):
        asked(progress=None)
        asked(progress=True)
    assert capsys.readouterr().err == ""


def test_a_function_is_told_of_every_block(asked):
    told = []
    r = asked(progress=lambda done, total: told.append((done, total)), threads=2)
    assert told[-1] == (4, 4)
    assert r.mean == asked(progress=False).mean  # to watch changes nothing


def test_classes_are_counted_as_a_whole(at_once, capsys, news):
    rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=100)
    told = capsys.readouterr().err
    assert "Comparing classes: 20 of 20, done" in told
    assert "Blocks of draws" not in told


@pytest.mark.parametrize("progress", ["yes", 3, [True]], ids=["text", "number", "list"])
def test_what_is_no_way_to_show_progress_is_refused(asked, progress):
    with pytest.raises(rw.errors.InvalidInputError, match="`progress` must be"):
        asked(progress=progress)


def test_quiet_is_quiet_on_the_command_line(at_once, run):
    job = ["compare", rw.examples.news20_path(), "--truth", "y_true", "--a", "nb_mult", "--b", "svm_l2"]
    job += ["--pos-label", "8", "--rope", "0.05"]
    code, loud, told = run(*job)
    assert code == 0
    assert "Blocks of draws" in told
    code, silent, told = run(*job, "--quiet")
    assert (code, silent, told) == (0, loud, "")
