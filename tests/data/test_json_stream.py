"""JSON documents read piece by piece hold what `json` finds in them, wherever a piece ends."""

from __future__ import annotations

import io
import json
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ropewalk.data import json_stream
from ropewalk.data.json_stream import JsonStream
from ropewalk.errors import FileFormatError

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=8),
    st.sampled_from(["\U0001f99c", "\ud83e", 'ü\\"\n', "\u2028", "e+", "1.5"]),
)
DOCUMENTS = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)


def walked(stream, levels):
    """Return a value taken apart down to a level, and decoded at once below it."""
    kind = stream.kind()
    if kind == "{" and levels:
        return {key: walked(stream, levels - 1) for key in stream.keys()}  # noqa: SIM118 - it is no mapping
    if kind == "[" and levels:
        return [walked(stream, levels - 1) for _ in stream.elements()]
    return stream.value()


def read(data, levels=1):
    stream = JsonStream(io.BytesIO(data), "a file")
    value = walked(stream, levels)
    stream.close()
    return value


def encoded(document, *, ascii_only, indent):
    """Return a document as bytes; half a character can only be written as an escape."""
    text = json.dumps(document, ensure_ascii=ascii_only, indent=indent)
    return text.encode("utf-8", "surrogatepass").replace(b"\xed\xa0\xbe", b"\\ud83e")


@pytest.fixture(params=[1, 2, 3], ids=lambda size: f"{size} bytes at once")
def small_chunks(request, monkeypatch):
    """Read so little at a time that pieces end in every number, escape and character."""
    monkeypatch.setattr(json_stream, "_CHUNK", request.param)


@given(document=DOCUMENTS, ascii_only=st.booleans(), indent=st.sampled_from([None, 1]), data=st.data())
def test_a_document_is_what_json_reads_wherever_a_piece_ends(document, ascii_only, indent, data):
    written = encoded(document, ascii_only=ascii_only, indent=indent)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_stream, "_CHUNK", data.draw(st.integers(1, 9), label="bytes at once"))
        for levels in (0, 1, 3):
            assert read(written, levels) == json.loads(written)


@given(document=DOCUMENTS, ascii_only=st.booleans(), data=st.data())
def test_a_document_that_was_cut_off_is_refused_or_is_another_document(document, ascii_only, data):
    written = encoded(document, ascii_only=ascii_only, indent=None)
    written = written[: data.draw(st.integers(0, len(written)), label="cut")]
    try:
        expected = json.loads(written.decode())
    except ValueError:
        for levels in (0, 3):
            with pytest.raises(FileFormatError, match=r"^a file"):
                read(written, levels)
    else:
        assert read(written, 3) == expected


@pytest.mark.parametrize("number", ["1.5", "-0.25e-3", "1e5", "1E+5", "120", "-7", "0", "NaN", "-Infinity", "Infinity"])
def test_numbers_that_end_in_the_next_piece_are_whole(number, small_chunks):
    for text in (number, f"[{number}]", f"[1, {number} , 2]", f'{{"a":{number},"b":{number}}}'):
        assert repr(read(text.encode())) == repr(json.loads(text))


def test_a_byte_order_mark_is_passed_over(small_chunks):
    assert read(b"\xef\xbb\xbf" + '["ü"]'.encode()) == ["ü"]


@pytest.mark.parametrize(
    "text",
    ["", " ", "[1,]", "[1 2]", '{"a":1,}', '{"a" 1}', "{1: 2}", "[1.x]", "[1.]", "[1e+]", "[01]", "[1}", "{} {}"],
)  # fmt: skip
def test_what_is_no_json_is_refused(text, small_chunks):
    for levels in (0, 2):
        with pytest.raises(FileFormatError, match="not valid JSON"):
            read(text.encode(), levels)


def test_what_is_no_text_is_refused(small_chunks):
    with pytest.raises(FileFormatError, match="not UTF-8"):
        read(b'["\xff"]')


def test_a_file_that_ends_too_soon_is_said_to_be_cut_off():
    with pytest.raises(FileFormatError) as caught:
        read(b'{"a": [1, 2')
    assert "cut off" in caught.value.hint


def test_passing_over_a_value_leaves_the_next_one(small_chunks):
    stream = JsonStream(io.BytesIO(b'{"a": {"b": [1, {"c": "]}"}, 2.5]}, "d": "x", "e": 3}'), "a file")
    found = {}
    for key in stream.keys():  # noqa: SIM118 - it is no mapping
        if key == "e":
            found[key] = stream.value()
        else:
            stream.skip()
    assert found == {"e": 3}


@pytest.mark.parametrize("entry", ['"' + "x" * 1_000 + '"', '{"a": [1, 2, 3]}'])
def test_memory_does_not_grow_with_the_document(entry):
    """An array of 3 MB is read within a part of it."""
    number = 3_000_000 // len(entry)
    data = io.BytesIO(("[" + ",".join([entry] * number) + "]").encode())
    tracemalloc.start()
    try:
        assert sum(1 for _ in JsonStream(data, "a file").items()) == number
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_000_000


def test_a_value_without_an_end_is_refused_before_it_fills_the_memory(monkeypatch):
    monkeypatch.setattr(json_stream, "VALUE_CAP", 1 << 20)
    endless = io.BytesIO(b'["' + b"x" * (1 << 24))
    with pytest.raises(FileFormatError, match="longer than 1,048,576 characters"):
        list(JsonStream(endless, "a file").items())
    assert endless.tell() < 1 << 22


@pytest.mark.parametrize("at_once", [1 << 20, 8])
def test_members_that_are_wanted_are_those_of_the_whole_object(at_once, monkeypatch):
    monkeypatch.setattr(json_stream, "_AT_ONCE", at_once)
    whole = {"a": [1, {"b": "x" * 100}], "c": {"a": 1}, "d": None, "e": "}" * 70}
    document = JsonStream(io.BytesIO(json.dumps([whole, 7, "a", ["a"], {}, whole]).encode()), "a log")
    found = [document.members({"a", "e"}) for _ in document.elements()]
    assert found == [{"a": whole["a"], "e": whole["e"]}, {}, {}, {}, {}, {"a": whole["a"], "e": whole["e"]}]
    document.close()
