"""Progress goes to stderr and nowhere else, and leaves nothing behind."""

from __future__ import annotations

import io
import subprocess
import sys
import time

import pytest

from ropewalk import _progress
from ropewalk._progress import track
from ropewalk.errors import InvalidInputError


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Return a function that puts a terminal in the place of stderr; pytest sets its own between the phases."""

    def make():
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        monkeypatch.setenv("TERM", "xterm")
        return screen

    return make


@pytest.mark.parametrize("progress", [None, True, False])
@pytest.mark.parametrize("items", [[], [1], [3, 1, 2], range(5), (x for x in "abc")])
def test_items_come_through_in_order_and_stdout_stays_empty(items, progress, capsys):
    if not hasattr(items, "__len__"):
        items, expected = iter("abc"), list("abc")
    else:
        expected = list(items)
    assert list(track(items, progress=progress)) == expected
    out, err = capsys.readouterr()
    assert not out
    assert bool(err) == (progress is True)


def test_quick_work_draws_no_bar(terminal, monkeypatch):
    screen = terminal()
    monkeypatch.setattr(
        _progress, "SECONDS_WITHOUT_BAR", 600.0
    )  # a busy machine may take half a second for next to nothing
    assert list(track(range(100))) == list(range(100))
    assert not screen.getvalue()


def test_long_work_draws_a_bar_even_within_the_first_item(terminal, monkeypatch, capsys):
    screen = terminal()
    monkeypatch.setattr(_progress, "SECONDS_WITHOUT_BAR", 0.01)
    for _ in track([1], describe="Fitting [bold]"):
        deadline = time.monotonic() + 600
        while "Fitting [bold]" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert "Fitting [bold]" in screen.getvalue()
    assert not capsys.readouterr().out
    assert "\x1b[?25h" in screen.getvalue()  # the cursor is back


def test_a_bar_that_was_asked_for_is_drawn_at_once_and_shows_all_done(terminal):
    screen = terminal()
    list(track(range(7), describe="Counting", progress=True))
    assert "Counting" in screen.getvalue()
    assert "7/7" in screen.getvalue()


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_bar_is_closed_whatever_happens(terminal, error):
    screen = terminal()

    def work():
        yield 1
        raise error

    with pytest.raises(error):
        list(track(work(), total=2, progress=True))
    assert screen.getvalue().count("\x1b[?25h") >= 1


def test_a_bar_is_closed_when_the_loop_is_left(terminal):
    screen = terminal()
    steps = track(range(5), progress=True)
    assert next(steps) == 0
    steps.close()
    assert "\x1b[?25h" in screen.getvalue()


def test_without_a_terminal_there_is_a_line_now_and_then_and_one_at_the_end(monkeypatch, capsys):
    now = iter(range(0, 1000, 6))
    monkeypatch.setattr(_progress, "monotonic", lambda: float(next(now)))
    list(track(range(6), describe="Fitting", progress=True))
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert not out
    assert 2 <= len(lines) <= 6
    assert all(line.startswith("Fitting: ") and " of 6" in line for line in lines)
    assert lines[-1].startswith("Fitting: 6 of 6, done")


def test_without_a_terminal_there_is_a_line_even_within_the_first_item(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(_progress, "SECONDS_BETWEEN_LINES", 0.01)
    for _ in track([1], describe="Fitting"):
        deadline = time.monotonic() + 600
        while not screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert screen.getvalue().startswith("Fitting: 0 of 1 (")


def test_work_that_stops_says_so(capsys):
    steps = track(iter("abcdef"), describe="Fitting", progress=True)
    next(steps), next(steps)
    steps.close()
    assert "1, stopped" in capsys.readouterr().err


def test_a_function_is_told_how_far_it_is():
    told = []
    list(track(iter("abc"), total=3, progress=lambda done, total: told.append((done, total))))
    assert told == [(1, 3), (2, 3), (3, 3)]
    told.clear()
    list(track(iter("ab"), progress=lambda done, total: told.append((done, total))))
    assert told == [(1, None), (2, None)]


def test_a_function_that_raises_stops_the_work():
    def stop(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        list(track([1, 2], progress=stop))


@pytest.mark.parametrize("said", [{"progress": "yes"}, {"progress": 1}, {"total": -1}, {"total": 1.5}, {"total": True}])
def test_a_wrong_call_is_refused_at_once(said):
    with pytest.raises(InvalidInputError, match=f"`{next(iter(said))}` must be"):
        track([1], **said)


def test_no_stderr_at_all_is_fine(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    assert list(track([1, 2], progress=True)) == [1, 2]
    assert list(track([1, 2])) == [1, 2]


def test_rich_is_imported_only_for_a_bar():
    code = (
        "import sys; from ropewalk._progress import track; list(track([1, 2])); list(track([1], progress=True));"
        "print('rich' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert done.stderr.startswith("Working: 1 of 1, done")
