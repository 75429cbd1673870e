"""Logs of Inspect: every row of the table that they were written from comes back, and what is no answer is refused."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import sys
import tracemalloc
import zipfile

import pytest

from answer_logs import TEXTS
from logwriters import (
    ZSTD,
    Answer,
    inspect_header,
    inspect_sample,
    inspect_summary,
    rows_of,
    seeded_answers,
    write_inspect_archive,
    write_inspect_document,
)
from ropewalk.data import json_stream
from ropewalk.data.logs import inspect, read_log
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.errors import (
    DataError,
    DroppedItemsWarning,
    FileFormatError,
    InvalidInputError,
    MissingDependencyError,
    MissingLabelsError,
    PairingError,
    RopewalkError,
    UnreadableFileError,
)

NAN = float("nan")

WRITERS = {"eval": write_inspect_archive, "json": write_inspect_document}


@pytest.fixture(params=WRITERS)
def log(request, tmp_path):
    """Return a function that writes rows as an archive, or as one JSON document."""

    def write(rows, head=None, name="log"):
        return WRITERS[request.param](tmp_path / f"{name}.{request.param}", rows, head)

    return write


def one_row(place, row, **options):
    (found,) = rows_of(place([row]), **options)
    return found


RIGHT = Answer("q1", "Which one?", "a", "a", 1.0)
THREE = [inspect_summary(one) for one in seeded_answers(1, n_items=3)]


# -- rows --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [1, 2])
def test_every_row_of_the_table_comes_back(seed, log):
    table = seeded_answers(seed, n_items=12, n_repeats=2)
    path = log([inspect_summary(one) for one in table])
    found = {(row.item, row.repeat): row for row in rows_of(path, cluster="group")}
    assert list(found) == [(one.item, one.repeat) for one in table]
    for one, row in zip(table, found.values(), strict=True):
        assert (row.truth, row.prediction, row.score) == (one.truth, one.answer, one.score)
        assert (row.error, row.cluster) == ("RuntimeError" if one.error else None, f"g{one.item[-1]}")
        assert (row.system, row.task) == ("org/atlas", "reading")


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD])
def test_members_may_be_packed_in_the_old_way_and_in_the_new(method, tmp_path):
    rows = [inspect_summary(one) for one in seeded_answers(1)]
    plain = rows_of(write_inspect_document(tmp_path / "log.json", rows))
    assert rows_of(write_inspect_archive(tmp_path / "log.eval", rows, method=method)) == plain


def test_the_name_of_a_file_does_not_matter(tmp_path):
    path = write_inspect_archive(tmp_path / "log.eval", [inspect_summary(RIGHT)])
    assert rows_of(path.rename(tmp_path / "log.bin"))[0].item == "q1"


def test_the_journal_is_read_in_the_order_of_its_numbers_where_there_are_no_summaries(tmp_path):
    first, second = inspect_summary(RIGHT), inspect_summary(RIGHT._replace(score=0.0, answer="b"))
    other = inspect_summary(RIGHT._replace(item="q2"))
    (again, last) = rows_of(
        write_inspect_archive(tmp_path / "log.eval", [], journal={10: [second], 9: [first], 2: [other]})
    )
    assert ((again.item, again.score), (last.item, last.score, last.prediction)) == (("q2", 1.0), ("q1", 0.0, "b"))


def test_of_a_sample_that_was_run_again_the_last_row_counts(log):
    failed = inspect_summary(RIGHT, scores={}, error="TimeoutError('late')")
    other_epoch = inspect_summary(RIGHT._replace(repeat=2, score=0.0))
    rows = rows_of(log([failed, other_epoch, inspect_summary(RIGHT)]))
    assert {row.repeat: (row.score, row.error) for row in rows} == {2: (0.0, None), 1: (1.0, None)}
    assert len(rows) == 2


def test_ids_that_are_numbers_are_texts(log):
    numbered = [inspect_summary(RIGHT, id=number) for number in (1, 2)]
    assert [row.item for row in rows_of(log(numbered))] == ["1", "2"]
    assert len(rows_of(log([inspect_summary(RIGHT, id=1), inspect_summary(RIGHT, id="1")]))) == 1


@pytest.mark.parametrize("item", ["a b/c/ü", "../up", "CON", "", "\x1b[31m"])
def test_ids_are_any_text(item, tmp_path):
    assert rows_of(write_inspect_document(tmp_path / "log.json", [inspect_summary(RIGHT, id=item)]))[0].item == item
    assert rows_of(write_inspect_archive(tmp_path / "log.eval", [inspect_summary(RIGHT, id=item)]))[0].item == item


@pytest.mark.parametrize(
    ("target", "truth"), [("a", "a"), (["a"], "a"), (["a", "b"], '["a", "b"]'), (None, None), ("", "")]
)
def test_a_target_may_be_a_list(target, truth, log):
    assert one_row(log, inspect_summary(RIGHT, target=target)).truth == truth


@pytest.mark.parametrize(
    ("value", "score"),
    # Inspect's value_to_float: C, P, I and N as they stand, the words in any writing, numbers as text
    [
        ("C", 1), ("P", 0.5), ("I", 0), ("N", 0), ("Yes", 1), ("true", 1), ("no", 0), ("False", 0), (True, 1),
        (False, 0), (3, 3), (0.25, 0.25), (-1, -1), ("0.25", 0.25), ("7", 7),
    ],
)  # fmt: skip
def test_a_value_is_the_number_that_inspect_makes_of_it(value, score, log):
    row = one_row(log, inspect_summary(RIGHT, scores={"letter": {"value": value, "answer": "a"}}))
    assert (row.score, row.error) == (score, None)


@pytest.mark.parametrize("value", [None, NAN, float("inf"), "c", "", "1_0", "nan", [1, 0], 10**400, "9" * 400])
def test_a_value_that_is_no_number_is_no_score(value, log):
    row = one_row(log, inspect_summary(RIGHT, scores={"letter": {"value": value, "answer": "a"}}))
    assert (row.score, row.error, row.prediction) == (None, "unscored", "a")


def test_an_error_is_told_in_one_word_without_the_codes_that_colour_a_terminal(log):
    text = "\x1b[31mAPIConnectionError\x1b[0m(\x1b[1m'no\nroute'\x1b[0m)"
    rows = rows_of(log([inspect_summary(RIGHT), inspect_summary(RIGHT._replace(item="q2"), scores={}, error=text)]))
    assert (rows[1].error, rows[1].score) == ("APIConnectionError", None)


@pytest.mark.parametrize("name", TEXTS)
def test_hostile_texts_are_only_texts(name, log):
    text = TEXTS[name]
    row = one_row(log, inspect_summary(RIGHT._replace(question=text, truth=text, answer=text)))
    assert (row.truth, row.prediction, row.score) == (text, text, 1.0)


# -- scorers -----------------------------------------------------------------------------------------------


def test_several_scorers_must_be_chosen_from(log):
    scores = {"letter": {"value": "C", "answer": "a"}, "judge": {"value": 7, "answer": "long"}}
    path = log([inspect_summary(RIGHT, scores=scores)])
    assert read_log(path).scores == ("letter", "judge")
    with pytest.raises(InvalidInputError, match=r"'letter', 'judge'") as caught:
        rows_of(path)
    assert caught.value.exit_code == 2
    with pytest.raises(InvalidInputError, match=r"'letter', 'judge'"):
        rows_of(path, scorer="jugde")
    (row,) = rows_of(path, scorer="judge")
    assert (row.score, row.prediction) == (7.0, "long")


def test_a_scorer_of_several_values_is_chosen_by_one_of_their_names(log):
    table = [
        inspect_summary(RIGHT, scores={"multi": {"value": {"f1": 0.5, "len": 3.0, "lost": None}, "answer": "a"}}),
        inspect_summary(RIGHT._replace(item="q2"), scores={"multi": {"value": NAN, "answer": "b"}}),  # Score.unscored()
    ]
    path = log(table)
    assert read_log(path).scores == ("multi.f1", "multi.len", "multi.lost")
    found = [(row.score, row.prediction, row.error) for row in rows_of(path, scorer="multi.f1")]
    assert found == [(0.5, "a", None), (None, "b", "unscored")]
    assert [row.score for row in rows_of(path, scorer="multi.lost")] == [None, None]


def test_a_log_of_2024_has_one_score_without_a_name(tmp_path):
    row = {key: value for key, value in inspect_summary(RIGHT).items() if key != "scores"}
    path = write_inspect_document(tmp_path / "log.json", [{**row, "score": {"value": "C", "answer": "a"}}])
    assert [(row.score, row.prediction) for row in rows_of(path)] == [(1.0, "a")]


def test_a_log_without_scores_says_so(log):
    with pytest.raises(DataError, match="has no scores"):
        rows_of(log([inspect_summary(RIGHT, scores={})]))


# -- headers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", ["started", "error", "cancelled", None])
def test_a_log_that_is_not_finished_is_refused(status, log):
    with pytest.raises(DataError, match="not finished") as caught:
        read_log(log([inspect_summary(RIGHT)], inspect_header(status=status)))
    assert caught.value.exit_code == 4


def test_a_log_that_was_killed_has_no_header(tmp_path):
    with pytest.raises(DataError, match="still running or was killed") as caught:
        read_log(write_inspect_archive(tmp_path / "log.eval", [], "none", journal={1: [inspect_summary(RIGHT)]}))
    assert caught.value.exit_code == 4


def test_a_log_that_was_marked_as_invalid_is_refused(log):
    with pytest.raises(DataError, match="marked as invalid"):
        read_log(log([inspect_summary(RIGHT)], inspect_header(invalidated=True)))


@pytest.mark.parametrize("kind", WRITERS)
@pytest.mark.parametrize("status", ["error", "cancelled", None])
def test_what_was_tried_again_is_left_out_of_a_folder(status, kind, tmp_path):
    whole = [inspect_summary(one) for one in seeded_answers(1)]
    head = "none" if status is None else inspect_header(status=status)
    first = "eval" if status is None else kind
    failed = WRITERS[first](tmp_path / f"1_Zhj7.{first}", whole[:3], head)
    again = WRITERS[kind](tmp_path / f"2_Zhj7.{kind}", whole)
    with pytest.warns(DroppedItemsWarning, match=r"1_Zhj7.* was tried again"):
        rows = rows_of(tmp_path)
    assert rows == rows_of(again)
    with pytest.raises(DataError, match="not finished"):
        read_log(failed)


@pytest.mark.parametrize("changes", [{"task_id": "other"}, {"status": "error"}])
def test_another_evaluation_takes_no_place_of_one_that_failed(changes, tmp_path):
    write_inspect_archive(tmp_path / "1_Zhj7.eval", [inspect_summary(RIGHT)], inspect_header(status="error"))
    write_inspect_archive(tmp_path / "2_Zhj7.eval", [inspect_summary(RIGHT)], inspect_header(**changes))
    with pytest.raises(DataError, match="not finished"):
        read_log(tmp_path)


@pytest.mark.parametrize("in_parts", [False, True])
def test_without_summaries_the_samples_are_read(in_parts, tmp_path):
    rows = [inspect_summary(one) for one in seeded_answers(3, n_repeats=2)]
    members = {}
    for row in map(inspect_sample, rows):
        name = f"samples/{row['id']}_epoch_{row['epoch']}"
        metadata = row.pop("metadata") if in_parts else None
        members[f"{name}/sample.json" if in_parts else f"{name}.json"] = json.dumps(row)
        if in_parts:
            members |= {f"{name}/metadata.json": json.dumps(metadata), f"{name}/events/0.json": "[]"}
    path = write_inspect_archive(tmp_path / "a.eval", [], journal={}, **members)
    expected = rows_of(write_inspect_archive(tmp_path / "b.eval", rows), cluster="group")
    assert rows_of(path, cluster="group") == expected


def test_the_list_of_members_is_bounded(tmp_path, monkeypatch):
    path = write_inspect_archive(tmp_path / "log.eval", [inspect_summary(RIGHT)])
    monkeypatch.setattr(inspect, "MAX_DIRECTORY", 100)
    with pytest.raises(FileFormatError, match="lists its members"):
        read_log(path)


@pytest.mark.parametrize("content", [b"", b"PK", b"not a zip", b"PK\x05\x06" + bytes(18)])
def test_what_is_called_a_log_and_is_none_is_not_passed_over(content, tmp_path):
    write_inspect_archive(tmp_path / "good.eval", [inspect_summary(RIGHT)])
    (tmp_path / "torn.eval").write_bytes(content)
    for place in (tmp_path, tmp_path / "torn.eval"):
        with pytest.raises(DataError, match=r"torn\.eval") as caught:
            read_log(place)
        assert caught.value.exit_code == 4


def test_what_differs_between_runs_of_a_model_is_told(log):
    head = inspect_header(task_args={"shots": 5}, model_generate_config={"temperature": 0.7}, tags=["night"])
    (run,) = read_log(log([inspect_summary(RIGHT)], head)).runs
    assert run.facts == {"solver": "generate", "shots": "5", "temperature": "0.7", "tags": "night"}


@pytest.mark.parametrize(
    ("config", "noted"),
    [
        ({"epochs": 4, "epochs_reducer": ["at_least_1", "mode"]}, True),
        ({"epochs": 4, "epochs_reducer": ["mean"]}, False),
        ({"epochs": 4}, False),
        ({"epochs": 1, "epochs_reducer": ["mode"]}, False),  # there is nothing to sum up
    ],
)
def test_another_summary_of_epochs_than_their_mean_is_noted(config, noted, log):
    (run,) = read_log(log([inspect_summary(RIGHT)], inspect_header(config=config))).runs
    assert bool(run.notes) == noted
    assert all("at_least_1, mode" in note for note in run.notes)


# -- pairing -----------------------------------------------------------------------------------------------


def paired(*logs, **options):
    (found,) = pair_logs([read_log(path) for path in logs], **options)
    return found


def test_other_questions_under_the_same_ids_are_refused(log):
    whole = log([inspect_summary(RIGHT)], name="a")
    for change in ({"input": "Which other one?"}, {"target": "b"}):
        with pytest.raises(PairingError, match="different questions") as caught:
            paired(whole, log([inspect_summary(RIGHT, **change)], name="b"))
        assert caught.value.exit_code == 4


def test_a_log_that_does_not_hold_what_was_asked_is_checked_by_its_targets(log):
    whole = log([inspect_summary(RIGHT)], name="a")
    assert len(paired(whole, log([inspect_summary(RIGHT, input=None)], name="b")).keys) == 1
    with pytest.raises(PairingError, match="different questions"):
        paired(whole, log([inspect_summary(RIGHT, input=None, target="b")], name="c"))


@pytest.mark.parametrize("length", [10, 1_000, 3_000])
def test_a_document_pairs_with_an_archive_whose_texts_are_cut(length, tmp_path):
    """Summaries keep some thousand letters of a text, and full samples all of it."""
    text = "ü" * length
    long = inspect_summary(RIGHT, input=text, target=text)
    cut = inspect_summary(RIGHT, input=text[:1_000], target=text[:1_000])
    document = write_inspect_document(tmp_path / "a.json", [long])
    assert len(paired(document, write_inspect_archive(tmp_path / "b.eval", [cut])).keys) == 1


def test_questions_in_messages_are_compared_too(tmp_path):
    def asked(text, *, in_parts):
        content = [{"type": "text", "text": text}, {"type": "image", "image": "x"}] if in_parts else text
        return inspect_summary(RIGHT, input=[{"role": "user", "content": content}])

    for in_parts in (True, False):
        path = write_inspect_archive(tmp_path / "a.eval", [asked("why?", in_parts=in_parts)])
        assert len(paired(path, path).keys) == 1
        with pytest.raises(PairingError, match="different questions"):
            paired(path, write_inspect_archive(tmp_path / "b.eval", [asked("how?", in_parts=in_parts)]))


def test_epochs_make_items_the_clusters(log):
    table = seeded_answers(3, n_items=5, n_repeats=3, n_errors=0)
    both = log([inspect_summary(one) for one in table])
    assert paired(both, both).cluster == [one.item for one in table]


def test_a_sample_with_an_error_has_no_score(log):
    path = log([inspect_summary(one) for one in seeded_answers(3, n_items=9, n_errors=2)])
    with pytest.raises(MissingLabelsError, match=r"2 items without a score: .*RuntimeError"):
        paired(path, path)


# -- damage ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, ZSTD])
def test_an_archive_that_was_cut_off_is_refused_wherever(method, tmp_path):
    path = write_inspect_archive(
        tmp_path / "log.eval", [inspect_summary(one) for one in seeded_answers(1, n_items=3)], method=method
    )
    whole = path.read_bytes()
    for cut in range(0, len(whole), 29):
        path.write_bytes(whole[:cut])
        with pytest.raises(RopewalkError) as caught:
            rows_of(path)
        assert caught.value.exit_code in {4, 5}
        assert str(path) in caught.value.message


def test_a_document_that_was_cut_off_is_refused_wherever(tmp_path):
    path = write_inspect_document(tmp_path / "log.json", [inspect_summary(RIGHT)])
    whole = path.read_bytes()
    for cut in range(0, len(whole), 29):
        path.write_bytes(whole[:cut])
        with pytest.raises(RopewalkError) as caught:
            rows_of(path)
        assert caught.value.exit_code in {4, 5}


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, ZSTD])
def test_a_byte_that_was_changed_is_refused_or_changes_nothing(method, tmp_path):
    """Every member that is read is read to its end, where its checksum is."""
    path = write_inspect_archive(
        tmp_path / "log.eval", [inspect_summary(one) for one in seeded_answers(1, n_items=3)], method=method
    )
    whole, plain = path.read_bytes(), rows_of(path)
    draw = random.Random(1)
    for place in draw.sample(range(len(whole)), 40):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ (1 << draw.randrange(8))]) + whole[place + 1 :])
        with contextlib.suppress(DataError, UnreadableFileError):
            assert rows_of(path) == plain


def test_what_follows_a_document_is_refused(tmp_path):
    path = write_inspect_document(tmp_path / "log.json", [inspect_summary(RIGHT)])
    path.write_text(path.read_text() + "{}", encoding="utf-8")
    with pytest.raises(FileFormatError, match="something follows"):
        rows_of(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_methods_that_inspect_never_used_are_refused(method, tmp_path):
    """Python unpacks them without a bound."""
    with pytest.raises(FileFormatError, match="packed by a method"):
        read_log(write_inspect_archive(tmp_path / "log.eval", [inspect_summary(RIGHT)], method=method))


def test_an_encrypted_member_is_refused(tmp_path):
    path = write_inspect_archive(tmp_path / "log.eval", [inspect_summary(RIGHT)])
    data = bytearray(path.read_bytes())
    for entry in [place for place in range(len(data)) if data[place : place + 4] == b"PK\x01\x02"]:
        data[entry + 8] |= 1
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match="damaged log"):
        rows_of(path)


def test_without_a_reader_of_zstd_the_line_that_installs_it_is_told(tmp_path, monkeypatch):
    path = write_inspect_archive(tmp_path / "log.eval", [inspect_summary(RIGHT)], method=ZSTD)
    if hasattr(zipfile, "ZIP_ZSTANDARD"):
        pytest.skip("Python reads zstd itself from 3.14 on")
    monkeypatch.setitem(sys.modules, "backports.zstd.zipfile", None)
    with pytest.raises(MissingDependencyError, match="zstd") as caught:
        read_log(path)
    assert (caught.value.exit_code, caught.value.hint) == (5, "pip install 'ropewalk[logs]'")


ODD_VALUES = (None, 3, -0.5, "x", "", [], {}, True, [[1]], {"a": None}, 10**400)


def changed(value, draw, n_changes):
    """Return a copy of a document in which some values are of another kind."""
    value = json.loads(json.dumps(value))
    for _ in range(n_changes):
        inner, key = None, None
        at = value
        while isinstance(at, dict | list) and at and (inner is None or draw.random() < 0.7):
            inner, key = at, draw.choice(list(at) if isinstance(at, dict) else range(len(at)))
            at = inner[key]
        if inner is not None:
            inner[key] = json.loads(json.dumps(draw.choice(ODD_VALUES)))
    return value


@pytest.mark.parametrize("seed", range(3))
def test_values_of_another_kind_are_read_or_refused(seed, log):
    draw = random.Random(seed)
    table = [inspect_summary(one) for one in seeded_answers(seed, n_items=3, n_errors=1)]
    for _ in range(12):
        head, rows = changed(inspect_header(), draw, 2), changed(table, draw, 2)
        path = log([row if isinstance(row, dict) else {"id": row} for row in rows], head)
        with contextlib.suppress(InvalidInputError):
            assert all((row.score is None) == bool(row.error) for row in rows_of(path))


@pytest.mark.parametrize(
    "rows", [[3], [None], [[]], ["x"], [{}], [{"id": None}], [{"id": [1]}], [{"id": 1, "epoch": "x"}]]
)
def test_a_sample_without_an_id_is_refused(rows, tmp_path):
    path = write_inspect_archive(tmp_path / "log.eval", [inspect_summary(RIGHT), *rows])
    with pytest.raises(FileFormatError, match="sample without an id"):
        rows_of(path)


# -- size --------------------------------------------------------------------------------------------------

BOMBS = {
    "a text": ('[{"id": "', "x" * 1_000, '"}]'),
    "lists": ('[{"id": [', "[],", "[]]}]"),
    "spaces": ("[", " " * 1_000, "]"),
}


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, ZSTD])
@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_does_not_fill_the_memory(name, method, tmp_path, monkeypatch):
    """A member of 8 MB, packed into some kilobytes, is refused within a bound that is set here to be small."""
    monkeypatch.setattr(json_stream, "VALUE_CAP", 1 << 16)
    start, part, end = BOMBS[name]
    text = start + part * (8_000_000 // len(part)) + end
    path = write_inspect_archive(tmp_path / "log.eval", [], method=method, journal={}, **{"summaries.json": text})
    del text
    assert path.stat().st_size < 100_000
    tracemalloc.start()
    try:
        with pytest.raises(RopewalkError, match=r"log\.eval"):
            rows_of(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize("claimed", [10, 10**9])
def test_a_member_that_lies_about_its_size_is_refused_or_changes_nothing(claimed, tmp_path):
    path = write_inspect_archive(tmp_path / "log.eval", THREE)
    data, plain = bytearray(path.read_bytes()), rows_of(path)
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("summaries.json").file_size.to_bytes(4, "little")
    for place in [place for place in range(len(data)) if data[place : place + 4] == size]:
        data[place : place + 4] = claimed.to_bytes(4, "little")
    path.write_bytes(data)
    tracemalloc.start()
    try:
        with contextlib.nullcontext() if claimed > len(data) else pytest.raises(FileFormatError):
            assert rows_of(path) == plain
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000


def test_events_of_a_sample_may_be_of_any_size(tmp_path, monkeypatch):
    monkeypatch.setattr(json_stream, "VALUE_CAP", 1 << 16)
    sample = inspect_sample(inspect_summary(RIGHT)) | {"events": [{"event": "model", "text": "x" * 1_000}] * 300}
    path = tmp_path / "log.json"
    path.write_text(json.dumps({**inspect_header(), "samples": [sample]}), encoding="utf-8")
    assert [row.score for row in rows_of(path)] == [1.0]


def test_shards_are_part_of_the_log_that_they_were_merged_into(tmp_path):
    whole = tmp_path / "atlas.eval"
    write_inspect_archive(whole, [inspect_summary(one) for one in seeded_answers(1)])
    shards = [tmp_path / f"{whole.stem}.shards" / str(k) / whole.name for k in range(2)]
    for shard in shards:
        shard.parent.mkdir(parents=True)
        shutil.copy(whole, shard)
    rows = list(read_log(whole).rows())
    for path in (tmp_path, shards[0], shards[1].parent):
        assert list(read_log(path).rows()) == rows
    whole.unlink()
    with pytest.raises(DataError, match=r"is one shard of .*which is not there"):
        read_log(shards[0])
