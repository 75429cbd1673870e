"""Readers that other packages offer: used like our own, and a broken one is named and breaks no other."""

from __future__ import annotations

import json
from importlib.metadata import EntryPoint

import pytest

import ropewalk as rw
from logwriters import rows_of, seeded_answers, write_openai
from ropewalk.data.logs import LogFormat, Row, Run, Score, plugins, registry
from ropewalk.errors import BrokenReaderWarning, FileFormatError


def quiz_rows(path, choice):
    for item, right in json.loads(path.read_text())["quiz"].items():
        yield Row("", item, 1, path.stem, score=float(right))


def quiz_runs(path):
    yield Run(system=path.stem, scores=(Score(name="right"),), rows=lambda choice: quiz_rows(path, choice))


QUIZ = LogFormat(title="quiz", recognises=lambda path, head: head.startswith(b'{"quiz"'), runs=quiz_runs)


def raising(*_):
    raise KeyError("no such thing")


BROKEN = {
    "gone": "no_such_package.reader:FORMAT",
    "no_format": f"{__name__}:quiz_rows",
    "confused": f"{__name__}:CONFUSED",
}
CONFUSED = LogFormat(title="confused", recognises=raising, runs=quiz_runs)
RAISES = LogFormat(title="raises", recognises=QUIZ.recognises, runs=raising)
NO_RUNS = LogFormat(title="no runs", recognises=QUIZ.recognises, runs=lambda _: ["a run"])
NO_ROWS = LogFormat(
    title="no rows",
    recognises=QUIZ.recognises,
    runs=lambda _: [Run(system="x", scores=(Score(name="s"),), rows=lambda _: [("t", 1)])],
)
LATE = LogFormat(
    title="late",
    recognises=QUIZ.recognises,
    runs=lambda _: [Run(system="x", scores=(Score(name="s"),), rows=raising)],
)


@pytest.fixture
def offer(monkeypatch):
    """Offer readers by their names, as packages that are installed do."""

    def offer_them(**values):
        points = [EntryPoint(name, value, plugins.ENTRY_POINTS) for name, value in values.items()]
        monkeypatch.setattr(plugins, "entry_points", lambda group: points if group == "ropewalk.readers" else [])
        registry.log_formats.cache_clear()
        plugins._warn.cache_clear()

    yield offer_them
    registry.log_formats.cache_clear()


def write_quiz(folder, name, right):
    path = folder / f"{name}.quiz"
    path.write_text(json.dumps({"quiz": {f"q{place}": value for place, value in enumerate(right)}}))
    return path


def test_a_reader_of_another_package_is_used(offer, tmp_path):
    offer(quiz=f"{__name__}:QUIZ")
    logs = [rw.read_log(write_quiz(tmp_path, *one)) for one in (("new", [1, 1, 1, 0]), ("old", [0, 1, 0, 0]))]
    r = rw.compare(*logs, draws=100, rng=0)
    assert (r.a, r.b, r.estimate_a.observed, r.estimate_b.observed) == ("new", "old", 0.75, 0.25)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_reader_is_named_and_breaks_no_other(name, offer, tmp_path):
    offer(**{name: BROKEN[name]}, quiz=f"{__name__}:QUIZ")
    path = write_openai(tmp_path, "atlas", seeded_answers(1))
    with pytest.warns(BrokenReaderWarning, match=name) as caught:
        rows = rows_of(path)
    assert len(rows) == 20
    assert len(rows_of(write_quiz(tmp_path, "new", [1, 0]))) == 2
    assert len(caught) == 1, "it is said once, however many files there are"


@pytest.mark.parametrize("name", ["RAISES", "NO_RUNS", "NO_ROWS", "LATE"])
def test_what_goes_wrong_in_a_reader_is_about_the_file(name, offer, tmp_path):
    offer(theirs=f"{__name__}:{name}")
    with pytest.raises(FileFormatError, match=r"'theirs' of another package cannot read .*new\.quiz"):
        rows_of(write_quiz(tmp_path, "new", [1, 0]))


def test_the_shell_names_a_broken_reader(offer, tmp_path, run):
    offer(gone=BROKEN["gone"])
    places = [write_openai(tmp_path, system, seeded_answers(1, n_errors=0)) for system in ("atlas", "birch")]
    code, out, err = run("compare", *places, "--draws", "100", "--seed", "1")
    assert (code, bool(out)) == (0, True)
    assert "The reader 'gone' of another package" in " ".join(err.split())
