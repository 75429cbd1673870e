"""What is written is there whole or not at all, and in the place that was named."""

from __future__ import annotations

import os
import stat
import subprocess

import pytest

from ropewalk._files import check_writable, is_pipe, shorten_path, write_chunks, write_file, write_text
from ropewalk.errors import UnreadableFileError


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link, second = tmp_path / "folder" / "page.html", tmp_path / "link.html", tmp_path / "second.html"
    target.write_text("old")
    link.symlink_to(target)
    second.symlink_to(link)
    write_file(second, b"new")
    assert second.is_symlink()
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


def test_a_link_to_a_file_that_is_not_there_makes_it(tmp_path):
    (tmp_path / "link").symlink_to("page.html")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "page.html").read_bytes() == b"new"


def test_a_device_and_a_pipe_stay_what_they_are(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert is_pipe(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        write_file(pipe, b"content")
        assert reader.communicate()[0] == b"content"
    assert pipe.is_fifo()
    (tmp_path / "null").symlink_to(os.devnull)
    write_file(tmp_path / "null", b"content")
    assert os.path.realpath(tmp_path / "null") == os.devnull
    assert not os.path.isfile(os.devnull)  # noqa: PTH113


def test_a_read_only_file_is_refused_even_to_the_superuser(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("old")
    page.chmod(0o444)
    (tmp_path / "link").symlink_to(page)
    for path in (page, tmp_path / "link"):
        with pytest.raises(UnreadableFileError, match=r"the file is read-only\.\nHint: "):
            write_text(path, "new")
    assert page.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 2


def test_rights_are_those_of_the_file_before_or_of_the_umask(tmp_path):
    private, fresh = tmp_path / "private", tmp_path / "fresh"
    private.write_text("old")
    private.chmod(0o600)
    before = os.umask(0o027)
    try:
        write_text(private, "new")
        write_text(fresh, "new")
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert (mode_of(private), mode_of(fresh)) == (0o600, 0o640)


def test_the_umask_of_the_process_is_never_touched(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda _: pytest.fail("other threads write too"))
    write_text(tmp_path / "page", "text")


def test_what_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path):
    def chunks():
        yield b"half"
        raise KeyboardInterrupt

    page = tmp_path / "page.html"
    page.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_chunks(page, chunks())
    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.parametrize("name", ["x" * 300, "é" * 200, "a\0b", "", ".", "no/such/folder/x", "loop"])
def test_a_path_that_cannot_be_written_is_a_sentence_with_a_hint(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UnreadableFileError, match=r"^Cannot write '(?s:.*)\nHint: ") as caught:
        write_text(name, "text")
    assert caught.value.exit_code == 5
    assert len(str(caught.value)) < 400
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_a_folder_that_is_read_only_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda path, _: str(path) != str(tmp_path))
    with pytest.raises(UnreadableFileError, match=r"the folder '.*' is read-only"):
        check_writable(tmp_path / "page.html")


def test_the_middle_of_a_long_path_is_left_out():
    shown = shorten_path("a" * 3_000 + "z" * 3_000)
    assert shown.startswith("'aaa")
    assert shown.endswith("zzz'")
    assert "a…z" in shown
