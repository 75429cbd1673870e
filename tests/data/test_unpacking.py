"""Compressed files are read as if they were not; damaged ones are refused, in bounded memory."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile

import pytest

import ropewalk as rw
from ropewalk.data.files import count_file
from ropewalk.data.opening import opened
from ropewalk.errors import FileFormatError, MissingDependencyError
from support import need

try:
    from compression import zstd
except ImportError:
    zstd = need("backports.zstd")

PACK = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress, "Zstandard": zstd.compress}
ROWS = b"y,a,b\n" + b"1,1,0\n0,0,0\n" * 500


@pytest.fixture(params=PACK)
def kind(request):
    return request.param


@pytest.mark.parametrize("content", [ROWS, b'[{"y": 1, "a": 1, "b": 0}]', ROWS.decode().encode("utf-16")])
def test_packed_tables_are_read(kind, content, tmp_path):
    for name, whole in (("plain", content), ("packed", PACK[kind](content))):
        (tmp_path / name).write_bytes(whole)
    assert count_file(tmp_path / "packed", ["y", "a", "b"]) == count_file(tmp_path / "plain", ["y", "a", "b"])


def test_packed_parquet_is_read(kind, tmp_path):
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    whole = io.BytesIO()
    parquet.write_table(arrow.table({"y": [1, 0, 1], "a": [1, 1, 1]}), whole)
    (tmp_path / "p.parquet.z").write_bytes(PACK[kind](whole.getvalue()))
    assert count_file(tmp_path / "p.parquet.z", ["y", "a"]) == {(1, 1): 2, (0, 1): 1}


def test_streams_that_follow_each_other_are_one(kind, tmp_path):
    pack, half = PACK[kind], len(ROWS) // 2
    (tmp_path / "p").write_bytes(pack(ROWS[:half]) + pack(b"") + pack(ROWS[half:]) + b"\0" * 8)
    with opened(tmp_path / "p") as stream:
        assert stream.read() == ROWS
        assert stream.seek(0) == 0
        assert stream.read(7) + stream.read() == ROWS


def test_a_packed_file_that_is_cut_off_anywhere_is_refused(kind, tmp_path):
    whole = PACK[kind](ROWS)
    for end in range(7, len(whole), 5):
        (tmp_path / "p").write_bytes(whole[:end])
        with pytest.raises(FileFormatError, match=f"damaged {kind} file") as caught:
            count_file(tmp_path / "p", ["y", "a"])
        assert caught.value.exit_code == 4
        assert caught.value.hint


@pytest.mark.parametrize("end", [b"y,a", b"\0\1"])
def test_anything_behind_a_packed_file_is_refused(kind, end, tmp_path):
    (tmp_path / "p").write_bytes(PACK[kind](ROWS) + end)
    with pytest.raises(FileFormatError, match=f"damaged {kind} file"):
        count_file(tmp_path / "p", ["y", "a"])


def test_frames_that_are_to_be_skipped_are(tmp_path):
    (tmp_path / "p").write_bytes(b"\x50*M\x18\x03\0\0\0abc" + zstd.compress(ROWS))
    assert rw.read_outcomes(tmp_path / "p", truth="y", predictions=["a", "b"]).n_items == 1000


@pytest.mark.parametrize("name", ["bzip2", "xz", "Zstandard"])
def test_a_small_file_of_one_long_row_is_refused_before_it_is_unpacked(name, tmp_path):
    (tmp_path / "p").write_bytes(PACK[name](b"y,a,b\n") + PACK[name](b"x" * (1 << 20)) * 500)
    with pytest.raises(FileFormatError, match="has a row of over"):
        count_file(tmp_path / "p", ["y", "a"])


def test_what_would_take_too_much_memory_to_unpack_is_refused(tmp_path):
    packed = lzma.compress(b"y,a\n1,1\n", filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}])
    (tmp_path / "p.xz").write_bytes(packed)
    with pytest.raises(FileFormatError, match=r"p\.xz' takes over 256 MiB of memory to unpack"):
        count_file(tmp_path / "p.xz", ["y", "a"])


def test_a_zip_archive_says_what_to_do(tmp_path):
    with zipfile.ZipFile(tmp_path / "p.zip", "w") as archive:
        archive.writestr("p.csv", ROWS)
    with pytest.raises(FileFormatError, match="is a zip archive or a spreadsheet") as caught:
        count_file(tmp_path / "p.zip", ["y", "a"])
    assert "unpack it" in caught.value.hint


def test_without_the_library_it_is_asked_for_by_name(tmp_path, monkeypatch):
    (tmp_path / "p.zst").write_bytes(zstd.compress(ROWS))
    monkeypatch.setattr("ropewalk.data.unpacking.sys.version_info", (3, 13))
    monkeypatch.setitem(__import__("sys").modules, "backports.zstd", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'ropewalk\[files\]'"):
        count_file(tmp_path / "p.zst", ["y", "a"])


@pytest.mark.parametrize("part", [b'{"y": 1, "a"', b'{"y": 1} {"y": 2}', b'"text"', b"[1]"])
def test_one_broken_line_of_json_is_named(part, tmp_path):
    (tmp_path / "p.jsonl").write_bytes(b'{"y": 1, "a": 1}\n' * 6 + part + b"\n" + b'{"y": 1, "a": 1}\n')
    with pytest.raises(FileFormatError, match=r"p\.jsonl', line 7: ") as caught:
        count_file(tmp_path / "p.jsonl", ["y", "a"])
    assert caught.value.exit_code == 4
