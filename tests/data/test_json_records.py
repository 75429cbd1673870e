"""Objects of JSON are the same ones, whether they come one per line or in one array."""

from __future__ import annotations

import io
import json

import pytest

from ropewalk.data.json_records import json_records
from ropewalk.errors import FileFormatError

RECORDS = [{"y": 1, "a": "ü"}, {"y": 0, "a": "\u2028 [ { \n"}, {}]
LINES = [json.dumps(record, ensure_ascii=False) for record in RECORDS]


def read(content, **how):
    return [record for _, record in json_records(io.BytesIO(content), "it", **how)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\n\n \n"])
def test_lines_hold_the_records_whatever_ends_them(encoding, end):
    assert read(end.join(LINES).encode(encoding)) == RECORDS


def test_an_array_holds_the_records():
    assert read(json.dumps(RECORDS, indent=1).encode()) == RECORDS


def test_files_that_became_one_are_read_with_their_marks():
    assert read(b"".join(line.encode("utf-8-sig") + b"\n" for line in LINES)) == RECORDS


@pytest.mark.parametrize("content", [b'{"y": 1, "y": 0}', b'[{"y": 1, "y": 0}]'])
def test_a_key_that_comes_twice_is_refused_where_it_matters(content):
    assert read(content) == [{"y": 0}]
    with pytest.raises(FileFormatError, match="'y' comes twice"):
        read(content, unique=True)


def test_a_small_file_cannot_unpack_to_any_number_of_empty_lines(monkeypatch):
    monkeypatch.setattr("ropewalk.data.json_records.VALUE_CAP", 1_000)
    some = b"{}" + b"\n" * 900
    assert len(read(some * 5)) == 5  # in all there may be more
    with pytest.raises(FileFormatError, match="over 1,000 characters of nothing but spaces"):
        read(b"{}" + b" \n" * 900)


@pytest.mark.parametrize("content", [b"{}\n[1]", b"[{}, [1]]"])
def test_what_is_no_object_is_named_by_its_place(content):
    with pytest.raises(FileFormatError, match=r"it, (line|item) 2: not a JSON object"):
        read(content)
