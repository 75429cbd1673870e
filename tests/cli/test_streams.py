"""What comes through a pipe and what goes into one: copied, bounded, cleaned up, and said where it goes wrong."""

from __future__ import annotations

import io
import os
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest

import ropewalk as rw
from ropewalk.cli import reading
from support import TALKATIVE, heed_signals

COMMAND = [sys.executable, "-m", "ropewalk"]
PLAIN = ("--truth", "y", "--a", "a", "--b", "b", "--rope", "5%", "--draws", "100")
ROWS = "y,a,b\n" + "".join(f"{i % 2},1,{i % 3 % 2}\n" for i in range(40))
LOG = "item,system,score\n" + "".join(f"{i},{{0}},{i % 2}\n" for i in range(10))
TABLE = rw.Outcomes.from_counts([[[9, 3], [2, 1]], [[1, 2], [3, 9]]])
RESULTS = rw.compare(TABLE, rope=0.05, draws=100, rng=0).to_json()
SCENARIO = '{"metric": "f1", "a": 0.6, "b": 0.5, "agreement": 0.7}'


@pytest.fixture
def stdin(monkeypatch):
    """Return a function that lets standard input hold a text."""
    return lambda text: monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.fixture
def pipe(tmp_path):
    """Return a function that makes a pipe which somebody writes into."""

    def make(text):
        path = tmp_path / f"pipe{len(list(tmp_path.iterdir()))}"
        os.mkfifo(path)
        writer = threading.Thread(target=path.write_text, args=(text,), daemon=True)
        writer.start()
        return path

    return make


@pytest.mark.parametrize(
    ("line", "texts"),
    [
        (("compare", "{}", *PLAIN), [ROWS]),
        (("evaluate", "{}", "--truth", "y", "--prediction", "a", "--draws", "100"), [ROWS]),
        (("test", "{}", *PLAIN[:6]), [ROWS]),
        (("compare", "--confusion-a", "{}", "--confusion-b", "{}", "--rope", "5%"), ["9,1\n2,8\n", "8,2\n2,8\n"]),
        (("power", "{}", "--n", "50", "--rope", "5%", "--simulations", "5"), [SCENARIO]),
        (("power", "--from", "{}", "--n", "50", "--simulations", "5"), [RESULTS]),
        (("compare", "{}", "{}", "--draws", "100"), [LOG.format("a"), LOG.format("b")]),
        (("rank", "{}", "{}", "{}", "--draws", "100"), [LOG.format("a"), LOG.format("b"), LOG.format("c")]),
    ],
)
def test_a_pipe_may_stand_for_a_file(run, pipe, line, texts):
    places = iter([pipe(text) for text in texts])
    code, out, err = run(*(next(places) if part == "{}" else part for part in line))
    assert (code, bool(out)) == (0, True), err


def test_a_pipe_gives_the_answer_of_the_file(run, pipe, tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    assert run("compare", pipe(ROWS), *PLAIN, "--json")[1] == run("compare", tmp_path / "data.csv", *PLAIN, "--json")[1]


def test_standard_input_by_its_path(tmp_path):
    (tmp_path / "matrix.csv").write_text("9,1\n2,8\n")
    for path, text in (("/dev/stdin", ROWS), ("-", ROWS)):
        done = subprocess.run(
            [*COMMAND, "compare", path, *PLAIN], input=text, capture_output=True, text=True, check=False
        )
        assert (done.returncode, "a" in done.stdout) == (0, True), done.stderr


def test_a_pipe_that_nobody_writes_into_is_waited_for_aloud(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    line = [sys.executable, "-c", TALKATIVE, "compare", tmp_path / "pipe", *PLAIN]
    with subprocess.Popen(line, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as job:
        first = job.stderr.readline()
        assert first.startswith("MiB of '")
        assert "pipe': 0 (" in first
        (tmp_path / "pipe").write_text(ROWS)
        assert "Error" not in job.stderr.read()
    assert job.returncode == 0


def test_in_python_a_pipe_is_refused_with_what_to_do(pipe):
    path = pipe(ROWS)
    with pytest.raises(
        rw.errors.UnreadableFileError, match=r"a pipe can be read only once\.\nHint: save it .* - reads"
    ):
        rw.read_outcomes(path, truth="y", predictions=["a", "b"])
    path.read_text()  # so that the writer comes to its end


def test_standard_input_is_read_once(run):
    code, out, err = run("compare", "--file-a", "-", "--file-b", "-", "--id", "i", "--truth", "y", "--prediction", "a")
    assert (code, out) == (2, "")
    assert "- is named twice" in err


def test_no_folder_for_a_copy_of_standard_input(run, stdin, monkeypatch):
    stdin(ROWS)
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    code, out, err = run("compare", "-", *PLAIN)
    assert (code, out) == (5, "")
    assert err.startswith("Error: There is no folder for temporary files: ")
    assert "TMPDIR" in err


def test_no_room_for_a_copy_of_standard_input(tmp_path):
    """A bound on the length of files stands for a disk that is full."""

    def bounded():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    done = subprocess.run(
        [*COMMAND, "compare", "-", *PLAIN], input=b"x" * (1 << 21), capture_output=True, check=False,
        preexec_fn=bounded, env={**os.environ, "TMPDIR": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 5
    assert done.stderr.startswith(b"Error: Cannot copy standard input to ")
    assert b"Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_standard_input_has_a_bound(run, stdin, monkeypatch, tmp_path):
    stdin(ROWS)
    monkeypatch.setattr(reading, "STREAM_CAP", 100)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    code, out, err = run("compare", "-", *PLAIN)
    assert (code, out) == (4, "")
    assert err.startswith("Error: standard input is longer than 100 bytes.\nHint: save the data as a file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("wish", [signal.SIGTERM, signal.SIGHUP])
def test_who_ends_the_command_leaves_no_copy_of_the_data(tmp_path, wish):
    line, environment = [*COMMAND, "compare", "-", *PLAIN], {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        line,
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment,
        preexec_fn=heed_signals,  # noqa: PLW1509 - no thread holds a lock here
    ) as job:
        job.stdin.write(b"secret")
        job.stdin.flush()
        while not any(file.stat().st_size for file in tmp_path.glob("*/*")):  # until there is a copy
            assert job.poll() is None, job.stderr.read()
            time.sleep(0.01)
        while job.poll() is None:  # a signal may come just before it waits for more, and is heard at the next one
            job.send_signal(wish)
            time.sleep(0.1)
        told = job.stderr.read()
        assert job.returncode == 128 + wish
    assert told == b""
    assert list(tmp_path.iterdir()) == []


def test_a_command_that_ignores_a_closed_terminal_goes_on(run, monkeypatch, tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        monkeypatch.setattr("ropewalk.cli.cmd_compare.run", lambda _: os.kill(os.getpid(), signal.SIGHUP))
        assert run("compare", tmp_path / "data.csv", *PLAIN)[0] == 0
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_signals_did_before_they_do_again(run):
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)]
    run("--version")
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)] == before


INTERRUPTED_LOADING = """
import importlib.abc, sys

class Interrupt(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
sys.argv = ["ropewalk", "compare", "data.csv"]
from ropewalk.cli import main
main()
"""


@pytest.mark.parametrize("name", ["click", "ropewalk.cli.app", "numpy", "ropewalk.cli.cmd_compare"])
def test_to_interrupt_the_command_while_it_is_loaded_is_no_traceback(name):
    code = INTERRUPTED_LOADING.format(name=name)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "\nInterrupted: there is no answer, and no file was left half-written.\n"


@pytest.mark.parametrize("line", [("--help",), ("--version",), ("compare", "--help"), ()])
def test_who_does_not_listen_is_no_mistake(line):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as out:
        done = subprocess.run([*COMMAND, *line], stdout=out, stderr=subprocess.PIPE, check=False)
    assert done.returncode == (0 if line else 2)
    assert b"Traceback" not in done.stderr
    assert b"Exception" not in done.stderr


@pytest.mark.parametrize("epoch", ["abc", "99999999999999999999", "1.5", "²"])
def test_a_date_of_builds_that_is_none_is_a_sentence(run, monkeypatch, epoch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    code, out, err = run("compare", "data.csv")
    assert (code, out) == (2, "")
    assert err == (
        f"Error: The environment variable SOURCE_DATE_EPOCH must be a number of seconds; got '{epoch}'.\n"
        "Hint: unset SOURCE_DATE_EPOCH\n"
    )


def test_the_date_of_a_build_is_the_one_that_is_fixed(monkeypatch):
    from ropewalk.text.writing import today

    monkeypatch.setenv("SOURCE_DATE_EPOCH", "951782400")
    assert today() == "2000-02-29"


def test_memory_that_runs_out_is_about_the_draws_or_about_the_data(run, monkeypatch, tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)

    def exhausted(*_, **__):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr("ropewalk.cli.cmd_compare.rw.compare", exhausted)
        code, out, err = run("compare", tmp_path / "data.csv", *PLAIN)
        assert (code, out) == (2, "")
        assert "fewer --draws" in err
    with monkeypatch.context() as patch:
        patch.setattr("ropewalk.data.files.Counter", exhausted)
        code, out, err = run("compare", tmp_path / "data.csv", *PLAIN)
        assert (code, out) == (4, "")
        assert "data.csv' needs more memory than there is.\nHint: " in err
    with monkeypatch.context() as patch:
        patch.setattr("ropewalk.data.readers.Outcomes.from_rows", exhausted)
        code, out, err = run("compare", tmp_path / "data.csv", *PLAIN)
        assert (code, out) == (4, "")
        assert "memory for these data.\nHint: " in err


@pytest.mark.parametrize(
    ("name", "redirected", "code"),
    [("data.csv", ">&-", 0), ("data.csv", "2>&-", 0), ("data.csv", ">&- 2>&-", 0), ("missing.csv", "2>/dev/full", 5)],
)
def test_streams_that_are_closed_or_full_are_no_traceback(tmp_path, name, redirected, code):
    (tmp_path / "data.csv").write_text(ROWS)
    line = f"{shlex.join([*COMMAND, 'compare', name, *PLAIN])} {redirected}"
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr, bool(done.stdout)) == (code, "", redirected == "2>&-")
