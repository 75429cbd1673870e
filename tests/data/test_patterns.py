"""Patterns name files where no shell has looked for them; the name of something that is there is no pattern."""

from __future__ import annotations

import pytest

from ropewalk.data import patterns
from ropewalk.data.patterns import files_of, is_pattern
from ropewalk.errors import UnreadableFileError


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("b/2.csv", "b/1.csv", "a/3.csv", "a/.hidden.csv", "odd[1].csv", "other.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "files"),
    [
        ("*/*.csv", ["a/3.csv", "b/1.csv", "b/2.csv"]),
        ("b/[2-9].csv", ["b/2.csv"]),
        ("**/?.csv", ["a/3.csv", "b/1.csv", "b/2.csv"]),
        ("a/.*.csv", ["a/.hidden.csv"]),
        ("odd[1].csv", ["odd[1].csv"]),
        ("other.txt", ["other.txt"]),
        ("not there.txt", ["not there.txt"]),
        ("[ab]", ["a", "b"]),
    ],
)
def test_files_come_in_order(pattern, files, folder):
    assert files_of(pattern) == files
    assert files_of(folder / pattern) == [str(folder / file) for file in files]


def test_a_pattern_without_a_match_says_so(folder):
    assert is_pattern("*.eval")
    with pytest.raises(UnreadableFileError, match=r"called like '\*\.eval'") as caught:
        files_of("*.eval")
    assert str(folder) in caught.value.hint


def test_a_pattern_that_names_too_many_files_is_refused(folder, monkeypatch):
    monkeypatch.setattr(patterns, "MAX_FILES", 2)
    with pytest.raises(UnreadableFileError, match="more than 2 files"):
        files_of("*/*.csv")


@pytest.mark.parametrize("text", ["[", "a" * 300 + "*", "no folder/**/*.csv"])
def test_odd_patterns_name_nothing(text, folder):
    with pytest.raises(UnreadableFileError) as caught:
        files_of(text)
    assert caught.value.hint


def test_a_null_character_makes_no_pattern():
    assert files_of("a\0*") == ["a\0*"]
