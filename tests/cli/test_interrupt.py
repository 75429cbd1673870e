"""Long work on the command line: it tells how far it is, and whoever stops it is told what there is."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import count

import pytest

import ropewalk as rw
from fuzzing import World
from ropewalk import _files, _progress
from support import COLUMNS, NEWS, heed_signals, interrupted


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


# -- signals -------------------------------------------------------------------------------------------------

SIGNALS = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
COUNTING = ("count", "data.csv", "--truth", "y", "--a", "a", "--b", "b", "-o", "made.json")
WRITING = [
    COUNTING,
    ("compare", "data.csv", "--truth", "y", "--a", "a", "--b", "b", "--draws", "100", "--html", "made.html"),
    ("rank", "data.csv", "--truth", "y", "--predictions", "a,b", "--draws", "100", "--html", "made.html"),
    ("compare", "new.eval", "old.eval", "--draws", "100", "--items", "made.csv"),
    ("convert", "new.eval", "old.eval", "-o", "made.csv"),
    ("convert", "new.eval", "old.eval", "-o", "made.parquet"),
    ("merge", "counts.json", "more.json", "-o", "made.json"),
]


TORN = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # a handle that nobody closes


@contextmanager
def raising(number, place):
    """Raise a signal before a line of what writes files, counted from the first; yield the lines that were passed."""
    passed = []

    def step(frame, event, _):
        if event == "line":
            passed.append(frame.f_lineno)
            if len(passed) == place:
                signal.raise_signal(number)
        return step

    before = sys.gettrace()
    sys.settrace(lambda frame, *_: step if frame.f_code is _files.write_chunks.__code__ else None)
    try:
        yield passed
    finally:
        sys.settrace(before)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("signals"))


@pytest.fixture(scope="module")
def written(world):
    """Return a function that runs a line undisturbed and returns the file that it writes."""

    def run(line):
        assert world.run(list(line))[0] == 0
        return (world.folder / line[-1]).read_bytes()

    return run


def assert_whole(world, line, new):
    """The old file is there or the new one, and nothing beside it."""
    path = world.folder / line[-1]
    assert path.read_bytes() in {b"old", new}
    assert {file.name for file in world.folder.iterdir()} - world.files.keys() == {path.name}
    assert list(world.temporary.iterdir()) == []
    path.write_bytes(b"old")


def assert_whole_at_every_line(world, line, number, new):
    (world.folder / line[-1]).write_bytes(b"old")
    for place in count(1):
        with raising(number, place) as passed:
            code, out, err = world.run(list(line))
        if len(passed) < place:
            break
        assert (code, out, "Error" in err) == (SIGNALS[number], "", False), place
        assert_whole(world, line, new)
    assert (code, (world.folder / line[-1]).read_bytes()) == (0, new)
    (world.folder / line[-1]).unlink()
    assert place > 10


@TORN
@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_at_any_line_of_writing_leaves_a_whole_file(world, written, number):
    assert_whole_at_every_line(world, COUNTING, number, written(COUNTING))


@TORN
@pytest.mark.slow
@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("line", WRITING, ids=" ".join)
def test_a_signal_at_any_line_of_any_writing_leaves_a_whole_file(world, written, line, number):
    assert_whole_at_every_line(world, line, number, written(line))


@pytest.mark.slow
@pytest.mark.parametrize("line", WRITING, ids=" ".join)
def test_a_signal_at_any_moment_leaves_a_whole_file(world, written, line):
    """Real processes are signalled after a time drawn at random: while they start, read, draw, write or end."""
    draw, new = random.Random(" ".join(line)), written(line)
    (world.folder / line[-1]).write_bytes(b"old")
    for number in [*SIGNALS] * 4:
        command = [sys.executable, "-m", "ropewalk", *line]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = {**os.environ, "TMPDIR": str(world.temporary)}
        where = {"cwd": world.folder, "env": environment, "preexec_fn": heed_signals}
        with subprocess.Popen(command, **where, **pipes) as job:
            time.sleep(draw.uniform(0.2, 1.5))
            job.send_signal(number)
            out, err = job.communicate()
        assert job.returncode in {0, SIGNALS[number], -number}  # before the command has begun, Python's own ending
        assert "Error" not in err
        assert not out or job.returncode == 0
        assert_whole(world, line, new)
    (world.folder / line[-1]).unlink()
