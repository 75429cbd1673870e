"""A table of answers that was written as a log comes back row by row, whatever the format; a damaged log does not."""

from __future__ import annotations

import contextlib
import copy
import gzip
import json
import random

import pytest

from logwriters import (
    HOSTILE_TEXTS,
    ITEM_PREFIX,
    NUMBERS_ITEMS,
    SCORERS,
    WITHOUT_LABELS,
    WITHOUT_REPEATS,
    WRITERS,
    inspect_header,
    inspect_summary,
    rows_of,
    seeded_answers,
    write_inspect_archive,
    write_inspect_document,
)
from ropewalk.data.logs import read_log
from ropewalk.data.logs.opening import head_of
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.data.logs.registry import is_log, log_formats
from ropewalk.errors import FileFormatError, MissingLabelsError, RopewalkError

SEEDS = [3, 4]
DEEP = '{"a":' * 100_000 + "1" + "}" * 100_000  # beyond any recursion limit that other packages set


def write(name, folder, system="atlas m", **options):
    folder.mkdir(exist_ok=True)
    return WRITERS[name](folder, system, seeded_answers(**options))


def told(name, answers):
    """Return what rows must say of answers: by item and repeat, their labels, score and whether there is an error."""
    first = {one.item: place for place, one in reversed(list(enumerate(answers)))}
    rows = {}
    for one in answers:
        item = str(first[one.item]) if name in NUMBERS_ITEMS else ITEM_PREFIX.get(name, "") + one.item
        labels = (None, None) if name in WITHOUT_LABELS else (one.truth, one.answer)
        rows[item, one.repeat] = (*labels, one.score, one.error is not None)
    return rows


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", WRITERS)
def test_every_row_of_the_table_comes_back(name, seed, tmp_path):
    answers = seeded_answers(seed)
    rows = rows_of(WRITERS[name](tmp_path, "atlas m", answers), scorer=SCORERS.get(name))
    found = {(row.item, row.repeat): (row.truth, row.prediction, row.score, bool(row.error)) for row in rows}
    expected = told(name, answers)
    if name == "openai":  # a sample that raised has no match, and so no expected answer
        expected = {key: (row if row[2] is not None else (None, *row[1:])) for key, row in expected.items()}
    assert found == expected
    assert {row.system for row in rows} == {"atlas m"}
    assert len(rows) == len(answers)


@pytest.mark.parametrize("name", sorted(set(WRITERS) - WITHOUT_REPEATS - {"openai"}))
def test_repeats_of_an_item_are_told_apart(name, tmp_path):
    answers = seeded_answers(5, n_items=6, n_repeats=3, n_errors=0)
    rows = rows_of(WRITERS[name](tmp_path, "atlas m", answers), scorer=SCORERS.get(name))
    found = {(row.item, row.repeat): row.score for row in rows}
    assert found == {key: row[2] for key, row in told(name, answers).items()}
    assert {row.repeat for row in rows} == {1, 2, 3}


@pytest.mark.parametrize("name", WRITERS)
def test_two_systems_pair_item_by_item(name, tmp_path):
    tables = {"atlas m": seeded_answers(6, n_errors=0), "birch m": seeded_answers(7, n_errors=0)}
    logs = []
    for system, answers in tables.items():
        (folder := tmp_path / system).mkdir()
        logs.append(read_log(WRITERS[name](folder, system, answers), scorer=SCORERS.get(name)))
    (paired,) = pair_logs(logs)
    means = [sum(one.score for one in answers) / len(answers) for answers in tables.values()]
    assert [sum(row.score for row in rows) / len(rows) for rows in paired.rows] == pytest.approx(means, abs=1e-12)
    assert len(paired.keys) == len(tables["atlas m"])


@pytest.mark.parametrize("name", WRITERS)
def test_a_missing_score_is_an_error_by_default(name, tmp_path):
    logs = [read_log(write(name, tmp_path / side, seed=8), scorer=SCORERS.get(name)) for side in "ab"]
    with pytest.raises(MissingLabelsError, match=r"2 items without a score"):
        pair_logs(logs)
    with pytest.warns(match="2 items without a score left out"):
        (paired,) = pair_logs(logs, missing="drop")
    assert len(paired.keys) == 18


@pytest.mark.parametrize("name", WRITERS)
def test_one_format_alone_recognises_a_file(name, tmp_path):
    path = write(name, tmp_path, seed=1)
    assert sum(form.recognises(path, head_of(path)) for form in log_formats()) == 1


@pytest.mark.parametrize("name", sorted(set(WRITERS) - {"harbor"}))
def test_a_packed_log_is_read_like_a_plain_one(name, tmp_path):
    path = write(name, tmp_path, seed=2)
    plain = rows_of(path, scorer=SCORERS.get(name))
    path.write_bytes(gzip.compress(path.read_bytes()))
    assert rows_of(path, scorer=SCORERS.get(name)) == plain


@pytest.mark.parametrize("name", sorted(set(WRITERS) - {"long csv"}))
def test_a_log_that_was_cut_off_is_refused(name, tmp_path):
    path = write(name, tmp_path, seed=2)
    whole = path.read_bytes()
    for share in (0.3, 0.6, 0.9, 0.99):
        path.write_bytes(whole[: int(share * len(whole))].rstrip())
        with pytest.raises(RopewalkError) as caught:
            rows_of(path, scorer=SCORERS.get(name))
        assert caught.value.exit_code in {4, 5}
        assert str(path) in caught.value.message


@pytest.mark.parametrize("name", WRITERS)
def test_a_damaged_gzip_file_is_refused(name, tmp_path):
    path = write(name, tmp_path, seed=2, n_items=200)
    path.write_bytes(gzip.compress(path.read_bytes())[:-20])
    with pytest.raises(FileFormatError, match="damaged gzip file"):
        rows_of(path, scorer=SCORERS.get(name))


@pytest.mark.parametrize("name", sorted(set(WRITERS) - {"swebench", "long csv"}))
@pytest.mark.parametrize("text", HOSTILE_TEXTS, ids=lambda text: ascii(text[:12]))
def test_hostile_texts_are_only_texts(name, text, tmp_path):
    answers = [one._replace(question=text, truth=text, answer=text) for one in seeded_answers(9, n_errors=0)]
    rows = rows_of(WRITERS[name](tmp_path, "atlas m", answers[:1]), scorer=SCORERS.get(name))
    assert len(rows) == 1
    if name not in WITHOUT_LABELS and "{{" not in text:
        assert (rows[0].truth, rows[0].prediction) == (text, text)


@pytest.mark.parametrize("name", sorted(set(WRITERS) - {"long csv"}))
def test_values_nested_too_deeply_are_refused(name, tmp_path):
    path = write(name, tmp_path, seed=2)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("{", f'{{"x": {DEEP}, ', 1), encoding="utf-8")
    if is_log(path):
        with pytest.raises(RopewalkError, match="JSON"):
            rows_of(path, scorer=SCORERS.get(name))
    else:
        with pytest.raises(FileFormatError, match="no evaluation log"):
            rows_of(path)


ODD_VALUES = (None, 3, -0.5, "x", "", [], {}, True, [[1]], {"a": None}, 10**400)


def places_in(value, path=()):
    """Yield where values stand in a document."""
    yield path
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, entry in entries:
        yield from places_in(entry, (*path, key))


def with_odd_values(document, draw, n_changes):
    """Return a copy of a document in which some values are of another kind."""
    changed = json.loads(json.dumps(document))
    for _ in range(n_changes):
        *path, last = draw.choice([place for place in places_in(changed) if place])
        inner = changed
        for key in path:
            inner = inner[key]
        inner[last] = copy.deepcopy(draw.choice(ODD_VALUES))
    return changed


@pytest.mark.parametrize("name", sorted(set(WRITERS) - {"long csv"}))
@pytest.mark.parametrize("seed", range(6))
def test_values_of_another_kind_are_read_or_refused(name, seed, tmp_path):
    path = WRITERS[name](tmp_path, "atlas m", seeded_answers(1, n_items=3))
    text = path.read_text(encoding="utf-8")
    is_lines = path.suffix == ".jsonl"
    document = [json.loads(line) for line in text.splitlines()] if is_lines else json.loads(text)
    draw = random.Random(seed)
    for _ in range(8):
        changed = with_odd_values(document, draw, n_changes=3)
        path.write_text("\n".join(map(json.dumps, changed)) if is_lines else json.dumps(changed), encoding="utf-8")
        with contextlib.suppress(RopewalkError):
            rows = rows_of(path, scorer=SCORERS.get(name))
            assert all(row.score is not None or row.error for row in rows)
            assert all(isinstance(row.item, str) and isinstance(row.repeat, int) for row in rows)


def with_odd_bytes(content, draw):
    """Return content that was cut off, or in which some bytes are others, or missing, or too many."""
    way, place = draw.randrange(4), draw.randrange(len(content))
    if way == 0:
        return content[:place]
    if way == 1:
        return content[:place] + content[place + draw.choice((1, 4, 100)) :]
    if way == 2:
        odd = (b"\0", b"\xff\xfe", b"[" * 4, b"}", b'"', b"9" * 5_000, b"NaN", b"1e999", b"\\ud800")
        return content[:place] + draw.choice(odd) + content[place:]
    changed = bytearray(content)
    for _ in range(draw.choice((1, 2, 8))):
        changed[draw.randrange(len(content))] = draw.randrange(256)
    return bytes(changed)


@pytest.mark.parametrize("name", [*WRITERS, "archive"])
def test_damaged_bytes_are_read_or_refused_with_a_hint(name, tmp_path):
    answers = seeded_answers(1, n_items=4)
    if name == "archive":
        path = write_inspect_archive(tmp_path / "log.eval", list(map(inspect_summary, answers)))
    else:
        path = WRITERS[name](tmp_path, "atlas m", answers)
    content, draw = path.read_bytes(), random.Random(name)
    refused = []
    for _ in range(40):
        path.write_bytes(with_odd_bytes(content, draw))
        try:
            assert all(row.score is not None or row.error for row in rows_of(path, scorer=SCORERS.get(name)))
        except RopewalkError as error:
            refused.append(error)
    assert refused
    assert all(error.exit_code in {2, 4, 5} and error.hint for error in refused)


PLAIN = {
    "labels.csv": "id,label,new,old\n1,cat,cat,dog\n",
    "scores.tsv": "case\tcorrect\tseconds\n1\t0\t2.5\n",
    "lines.jsonl": '{"id": 1, "meta": {"label": "cat"}, "pred": {"new": "cat"}, "scores": {"exact": 1}}\n',
    "array.json": '[{"id": "r0", "label": "eel", "new": "eel"}]',
    "qrels.txt": "301 0 DOC-1 1\n301 0 DOC-2 0\n",
    "words.csv": "text,item\nthe system has a score,1\n",
    "matrix.csv": "1,2\n3,4\n",
    "report.json": '{"results": {"acc": 0.5}, "status": "ok"}',
    "empty.json": "",
    "list.json": "[]",
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_table_is_no_log(name, tmp_path):
    path = tmp_path / name
    path.write_text(PLAIN[name], encoding="utf-8")
    assert not is_log(path)


def test_a_pattern_names_logs(tmp_path):
    tables = {"atlas m": seeded_answers(6), "birch m": seeded_answers(7)}
    for system, answers in tables.items():
        WRITERS["openai"](tmp_path, system, answers)
    (tmp_path / "notes.jsonl").write_text('{"a": 1}\n')
    pattern = str(tmp_path / "*.jsonl")
    assert is_log(pattern)
    assert read_log(pattern).systems == tuple(tables)
    assert len(rows_of(pattern)) == sum(map(len, tables.values()))
    with pytest.raises(FileFormatError, match="holds no evaluation log"):
        read_log(str(tmp_path / "notes*"))


def test_a_file_that_is_reached_twice_counts_once(tmp_path):
    path = WRITERS["openai"](tmp_path / ".", "atlas", seeded_answers(6))
    (tmp_path / "link.jsonl").symlink_to(path)
    assert len(rows_of(tmp_path)) == len(rows_of(tmp_path / "link.jsonl")) == 20
    assert len(rows_of(str(tmp_path / "**"))) == 20


@pytest.mark.parametrize("prompts", [("short", "long"), ("same", "same")])
def test_systems_of_a_folder_that_are_called_alike_are_told_apart(prompts, tmp_path):
    for seed, prompt in enumerate(prompts):
        head = inspect_header("m", solver_args={"prompt": prompt})
        rows = [inspect_summary(one) for one in seeded_answers(seed, n_errors=0)]
        write_inspect_document(tmp_path / f"{seed}.json", rows, head)
    log = read_log(tmp_path)
    named = [f"prompt {prompt}" for prompt in prompts] if len(set(prompts)) > 1 else ["log 0.json", "log 1.json"]
    assert log.systems == tuple(f"m ({said})" for said in named)
    assert {row.system for row in log.rows()} == set(log.systems)
    (paired,) = pair_logs([log])
    assert paired.names == log.systems
    means = [sum(row.score for row in rows) / 20 for rows in paired.rows]
    assert means == [sum(one.score for one in seeded_answers(seed, n_errors=0)) / 20 for seed in (0, 1)]
