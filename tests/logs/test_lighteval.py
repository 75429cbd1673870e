"""Details of lighteval: every row of a written table comes back, and what misleads is seen."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import log_softmax

from answer_logs import TEXTS, answers, assert_same, rows_of, write_json
from ropewalk.data.logs import lighteval, read_log
from ropewalk.data.logs.lighteval import LIGHTEVAL
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.errors import DataError, FileFormatError, MissingDependencyError, PairingError
from support import need

DATE = "2026-11-16T07-56-30.881813"
MODEL = "org/atlas"
TASK = "lighteval|tides:sea|0"


def doc(number, query, choices, gold, group="g"):
    """A document as lighteval 0.13 has it, with columns that no reader wants."""
    return {
        "query": query, "choices": choices, "gold_index": gold, "id": str(number), "task_name": TASK,
        "specific": {"group": group}, "fewshot_samples": [], "num_samples": 1, "instruction": "",
    }  # fmt: skip


def response(text=(), logs=(), processed=None):
    return {
        "input": "…", "text": list(text), "text_post_processed": processed, "logprobs": list(logs),
        "argmax_logits_eq_gold": [], "input_tokens": [1, 2],
    }  # fmt: skip


def written(answer):
    """An answer in words."""
    return {
        "doc": doc(answer.item, answer.question, [answer.truth], 0, answer.group),
        "metric": {"exact_match": answer.score, **answer.marks},
        "model_response": response([f"I say {answer.prediction}"], processed=[answer.prediction]),
    }


def chosen(number, logs, truth, choices=("a", "four", "of them, long"), **metrics):
    """An answer to a question with choices."""
    return {
        "doc": doc(number, f"Question {number}?", [f" {choice}" for choice in choices], truth),
        "metric": {"acc": int(np.argmax(logs) == truth), **metrics},
        "model_response": response(logs=logs),
    }


def write_details(root, samples, *, model=MODEL, task=TASK, date=DATE, header=True):
    """Write the details of one task, and the results that lighteval writes in another folder."""
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    path = root / "details" / model / date / f"details_{task}_{date}.parquet"
    path.parent.mkdir(parents=True, exist_ok=True)
    parquet.write_table(arrow.Table.from_pylist(samples), path)
    if header:
        general = {"lighteval_sha": "abc", "model_config": {"model_name": model, "dtype": "bfloat16"}}
        sums = {"config_general": general, "results": {task: {"exact_match": 0.5}}, "versions": {}}
        write_json(root / "results" / model / f"results_{date}.json", sums)
    return path


def test_every_answer_comes_back(tmp_path):
    table = answers(3, 600)  # more than a batch
    path = write_details(tmp_path, [written(one) for one in table])
    rows = rows_of(path, scorer="exact_match", cluster="group")
    assert_same(rows, table, cluster=lambda answer: answer.group)
    assert {(row.system, row.task) for row in rows.values()} == {(MODEL, TASK)}
    assert_same(rows_of(path, scorer="ease"), table, score=lambda answer: answer.marks["ease"])


def test_the_folder_the_results_and_the_details_are_the_same_log(tmp_path):
    path = write_details(tmp_path, [written(one) for one in answers(1, 5)])
    results = next((tmp_path / "results").rglob("*.json"))
    logs = [list(read_log(place, scorer="ease").rows()) for place in (tmp_path, tmp_path / "details", path, results)]
    assert logs[0] == logs[1] == logs[2] == logs[3]
    assert len(logs[0]) == 5


def test_without_results_the_folders_name_the_model(tmp_path):
    path = write_details(tmp_path, [written(one) for one in answers(1, 5)], header=False)
    assert read_log(path).systems == (MODEL,)


def test_a_file_of_its_own_is_named_after_itself(tmp_path):
    path = write_details(tmp_path, [written(one) for one in answers(1, 5)])
    alone = path.rename(tmp_path / "mine.parquet")
    assert (read_log(alone).systems, read_log(alone).tasks) == (("mine",), ("",))
    inside = alone.rename(tmp_path / "details" / "mine.parquet")
    assert read_log(inside).systems == ("mine",)


def test_what_differs_between_runs_of_a_model_is_told(tmp_path):
    path = write_details(tmp_path, [written(one) for one in answers(1, 5)])
    assert read_log(path).runs[0].facts == {"dtype": "bfloat16", "lighteval": "abc"}


@pytest.mark.parametrize(("metric", "lengths"), [("acc", [1, 1, 1]), ("acc_norm", [1, 4, 13])])
def test_a_choice_has_labels_and_chances(metric, lengths, rng, tmp_path):
    logs = -np.abs(rng.normal(9, 3, (30, 3))).round(4)
    truths = rng.integers(0, 3, 30).tolist()
    samples = [chosen(i, logs[i].tolist(), truths[i], acc_norm=0.0) for i in range(30)]
    rows = list(rows_of(write_details(tmp_path, samples), scorer=metric).values())
    values = logs / np.array(lengths)
    assert [row.truth for row in rows] == list(map(str, truths))
    assert [row.prediction for row in rows] == list(map(str, values.argmax(axis=1)))
    chances = np.array([[row.chances[label] for label in "012"] for row in rows])
    np.testing.assert_allclose(chances, np.exp(log_softmax(values, axis=1)), rtol=1e-12)


def test_several_true_choices_are_no_label(tmp_path):
    one = chosen(0, [-1.0, -2.0, -3.0], 0)
    one["doc"]["gold_index"] = [0, 2]
    row = rows_of(write_details(tmp_path, [one]))["0", 1]
    assert (row.truth, row.prediction) == (None, "0")


def test_inputs_of_metrics_over_the_task_are_no_scores(tmp_path):
    samples = [written(one) for one in answers(1, 3)]
    for one in samples:
        one["metric"] |= {"golds": ["x"], "bleu": {"preds": ["x"]}, "judge": "good", "nothing": None, "passed": True}
    path = write_details(tmp_path, samples)
    assert set(read_log(path).scores) == {"exact_match", "length", "ease", "passed"}
    assert [row.score for row in rows_of(path, scorer="passed").values()] == [1, 1, 1]


def test_a_metric_with_a_dot_in_its_name_is_read(tmp_path):
    samples = [written(one) for one in answers(1, 3)]
    for one in samples:
        one["metric"]["pass@k:k=1.5"] = 0.25
    path = write_details(tmp_path, samples)
    assert [row.score for row in rows_of(path, scorer="pass@k:k=1.5").values()] == [0.25] * 3


def test_a_sample_without_the_metric_has_no_score_and_says_so(tmp_path):
    samples = [written(one) for one in answers(1, 3)]
    samples[1]["metric"]["ease"] = None
    samples[2]["metric"]["ease"] = float("nan")
    rows = list(rows_of(write_details(tmp_path, samples), scorer="ease").values())
    assert [row.score for row in rows][1:] == [None, None]
    assert [row.error for row in rows] == [None, "no ease", "no ease"]


def test_documents_without_ids_are_known_by_their_questions(tmp_path):
    first, second = ([written(one) for one in answers(seed, 5)] for seed in (1, 2))
    for one in first + second:
        del one["doc"]["id"]
    logs = [write_details(tmp_path / "a", first), write_details(tmp_path / "b", second[::-1], model="org/birch")]
    paired = pair_logs([read_log(log, scorer="exact_match") for log in logs])[0]
    assert [row.score for row in paired.rows[1]] == [one.score for one in answers(2, 5)]


def test_old_files_have_one_column_per_field(tmp_path):
    table = answers(4, 6)
    samples = [
        {
            "example": one.question, "full_prompt": f"Answer.\n{one.question}", "choices": [one.truth],
            "gold_index": [0], "metrics": {"exact_match": one.score}, "predictions": [one.prediction],
            "specifics": {"group": one.group}, "input_tokens": [1],
        }
        for one in table
    ]  # fmt: skip
    path = write_details(tmp_path, samples)
    rows = rows_of(path, cluster="group").values()
    assert [(row.truth, row.prediction, row.score, row.cluster) for row in rows] == [
        (one.truth, one.prediction, one.score, one.group) for one in table
    ]


def test_rows_are_read_a_batch_at_a_time(tmp_path, monkeypatch):
    """A reader that asks for the first row has not read the last."""
    path = write_details(tmp_path, [written(one) for one in answers(3, 600)])
    parquet = need("pyarrow.parquet")
    batches = []
    whole = parquet.ParquetFile.iter_batches

    def counted(*args, **options):
        for batch in whole(*args, **options):
            batches.append(batch.num_rows)
            yield batch

    monkeypatch.setattr(parquet.ParquetFile, "iter_batches", counted)
    rows = read_log(path, scorer="ease").rows()
    next(rows)
    assert batches == [lighteval._ROWS_PER_BATCH]
    assert len(list(rows)) == 599


# -- refusals ----------------------------------------------------------------------------------------------


def test_sums_without_details_are_refused_with_the_reason(tmp_path):
    path = write_details(tmp_path, [written(one) for one in answers(1, 5)])
    path.unlink()
    path.parent.rmdir()
    with pytest.raises(DataError, match="its details are not in the folder beside it") as error:
        read_log(tmp_path)
    assert "--save-details" in str(error.value)


@pytest.mark.parametrize("kept", [0.5, 0.99])
def test_a_file_cut_off_is_refused(kept, tmp_path):
    path = write_details(tmp_path, [written(one) for one in answers(1, 50)])
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * kept)])
    with pytest.raises(FileFormatError, match="damaged Parquet file"):
        read_log(path)


def test_a_page_that_is_damaged_is_refused(tmp_path):
    path = write_details(tmp_path, [written(one) for one in answers(1, 50)])
    content = bytearray(path.read_bytes())
    content[4:2000] = bytes(1996)
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match="damaged Parquet file"):
        list(read_log(path, scorer="exact_match").rows())


def test_columns_that_were_written_as_text_are_refused(tmp_path):
    samples = [{key: str(value) for key, value in written(one).items()} for one in answers(1, 5)]
    for one in samples:
        one |= {"gold_index": "0"}
    with pytest.raises(FileFormatError, match="no column of scores by their names"):
        read_log(write_details(tmp_path, samples))


def test_other_questions_under_the_same_ids_are_refused(tmp_path):
    table = answers(1, 5)
    others = [replace(one, question=f"{one.question}!") for one in table]
    logs = [write_details(tmp_path / "a", [written(one) for one in table])]
    logs.append(write_details(tmp_path / "b", [written(one) for one in others], model="org/birch"))
    with pytest.raises(PairingError, match=r"5 items .* different questions"):
        pair_logs([read_log(log, scorer="exact_match") for log in logs])


def test_an_unknown_key_of_clusters_is_refused_with_the_keys(tmp_path):
    path = write_details(tmp_path, [written(one) for one in answers(1, 3)])
    with pytest.raises(DataError, match="no 'topic' in its metadata; it has 'group'"):
        rows_of(path, scorer="ease", cluster="topic")


def test_without_pyarrow_the_error_says_what_to_install(tmp_path, monkeypatch):
    path = write_details(tmp_path, [written(one) for one in answers(1, 3)])
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(MissingDependencyError, match="lighteval needs pyarrow") as error:
        read_log(path)
    assert "pip install 'ropewalk[files]'" in str(error.value)


# -- what else there is in files ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", [text for text in TEXTS.values() if "\ud800" not in text])
def test_any_text_may_be_an_answer(text, tmp_path):
    one = replace(answers(1, 1)[0], truth=text, prediction=text, question=text, group=text)
    row = rows_of(write_details(tmp_path, [written(one)]), scorer="exact_match", cluster="group")["0", 1]
    assert (row.truth, row.prediction, row.cluster, row.score) == (text, text, text, one.score)


def test_a_table_in_parquet_is_no_log(tmp_path):
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    parquet.write_table(arrow.table({"truth": [1], "metric": [2], "doc": ["gold_index"]}), path)
    assert not LIGHTEVAL.recognises(path, path.read_bytes()[:64])
    path.write_bytes(b"PAR1")
    assert not LIGHTEVAL.recognises(path, b"PAR1")
