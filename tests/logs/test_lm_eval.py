"""Logs of lm-evaluation-harness and lmms-eval: every row of a written table comes back, and what misleads is seen."""

from __future__ import annotations

import gzip
import hashlib
import json
import math
import pickle

import numpy as np
import pytest
from scipy.special import log_softmax

import ropewalk as rw
from answer_logs import TEXTS, answers, assert_same, rows_of, write_json, write_lines
from ropewalk.data.logs import COLUMNS, read_log, read_long
from ropewalk.data.logs.chances import chances_of
from ropewalk.data.logs.lm_eval import LM_EVAL
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.errors import DataError, FileFormatError, InvalidInputError, PairingError, UnknownNameError
from support import need, without_warnings

DATE = "2026-11-16T07-56-30.881813"
CHOICES = ["a", "four", "of them, long"]


def digest(text):
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def sample(number, doc, target, arguments, answers, metrics, *, named="none"):
    """One line as lm_eval 0.4.13 writes it."""
    return {
        "doc_id": number,
        "doc": doc,
        "target": str(target),
        "arguments": {f"gen_args_{i}": {"arg_0": a, "arg_1": b} for i, (a, b) in enumerate(arguments)},
        "resps": [[answer] for answer in answers],
        "filtered_resps": answers,
        "filter": named,
        "metrics": list(metrics),
        "doc_hash": digest(json.dumps(doc, indent=2, ensure_ascii=False)),
        "prompt_hash": digest(str(arguments)),
        "target_hash": digest(str(target)),
        **metrics,
    }


def written(answer, number, *, named="none"):
    """An answer in words."""
    doc = {"question": answer.question, "group": answer.group}
    arguments = [(answer.question, {"until": ["\n"]})]
    metrics = {"exact_match": answer.score, **answer.marks}
    return sample(number, doc, answer.truth, arguments, [answer.prediction], metrics, named=named)


def chosen(number, logs, truth, *, choices=CHOICES, delimiter=" ", target=None, **metrics):
    """An answer to a question with choices."""
    doc = {"question": f"Question {number}?", "choices": choices}
    arguments = [(doc["question"], delimiter + choice) for choice in choices]
    texts = [[str(log), str(log == max(logs))] for log in logs]
    metrics = metrics or {"acc": float(np.argmax(logs) == truth), "mcc": [truth, int(np.argmax(logs))]}
    return sample(number, doc, truth if target is None else target, arguments, texts, metrics)


def results(task, n_items, *, model="org/atlas", better=None, **more):
    """The sums as lm_eval 0.4.13 writes them, in its order of keys."""
    return {
        "results": {task: {"alias": task, "sample_len": n_items, "acc,none": 0.5, "acc_stderr,none": "N/A"}},
        "configs": {task: {"task": task, "target_delimiter": " ", **more.pop("config", {})}},
        "n-shot": {task: more.pop("shots", 0)},
        "higher_is_better": {task: better or {}},
        "config": {"model": "hf", "model_args": more.pop("model_args", {})},
        "lm_eval_version": "0.4.13",
        "model_name": model,
        **more,
    }


def write_run(folder, samples, *, task="tides", date=DATE, n_items=None, **more):
    """Write the two files of a run."""
    n_items = len({one["doc_id"] for one in samples}) if n_items is None else n_items
    write_json(folder / f"results_{date}.json", results(task, n_items, **more))
    return write_lines(folder / f"samples_{task}_{date}.jsonl", samples)


def test_every_answer_in_words_comes_back(tmp_path):
    table = answers(3, 40)
    path = write_run(tmp_path / "org__atlas", [written(one, place) for place, one in enumerate(table)])
    rows = rows_of(path, scorer="exact_match", cluster="group")
    assert_same(rows, table, cluster=lambda answer: answer.group)
    assert {(row.system, row.task) for row in rows.values()} == {("org/atlas", "tides")}
    assert_same(rows_of(path, scorer="ease"), table, score=lambda answer: answer.marks["ease"])


def test_a_folder_its_results_and_its_samples_are_the_same_log(tmp_path):
    path = write_run(tmp_path, [written(one, place) for place, one in enumerate(answers(1, 5))])
    results_file = next(tmp_path.glob("results_*"))
    logs = [list(read_log(place, scorer="ease").rows()) for place in (tmp_path, path, results_file)]
    assert logs[0] == logs[1] == logs[2]
    assert len(logs[0]) == 5


def test_a_gzipped_log_is_read(tmp_path):
    path = write_run(tmp_path, [written(one, place) for place, one in enumerate(answers(1, 5))])
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert list(read_log(packed, scorer="ease").rows()) == list(read_log(path, scorer="ease").rows())


def test_a_choice_has_labels_and_chances(rng, tmp_path):
    logs = rng.normal(-9, 3, (30, 3)).round(4)
    truths = rng.integers(0, 3, 30)
    path = write_run(tmp_path, [chosen(i, list(logs[i]), int(truths[i])) for i in range(30)])
    rows = list(rows_of(path).values())
    assert [row.truth for row in rows] == [str(truth) for truth in truths]
    assert [row.prediction for row in rows] == [str(place) for place in logs.argmax(axis=1)]
    assert [row.score for row in rows] == list((logs.argmax(axis=1) == truths).astype(float))
    chances = np.array([[row.chances[label] for label in "012"] for row in rows])
    np.testing.assert_allclose(chances, np.exp(log_softmax(logs, axis=1)), rtol=1e-12)


@pytest.mark.parametrize(
    ("metric", "lengths"), [("acc", [1, 1, 1]), ("acc_norm", [1, 4, 13]), ("acc_bytes", [1, 5, 13])]
)
def test_the_prediction_is_of_the_metric(metric, lengths, rng, tmp_path):
    choices = ["a", "föur", "of them, long"]
    logs = -np.abs(rng.normal(9, 3, (30, 3))).round(4)
    samples = [
        chosen(i, list(logs[i]), 0, choices=choices, acc=0.0, acc_norm=0.0, acc_bytes=0.0) for i in range(len(logs))
    ]
    rows = rows_of(write_run(tmp_path, samples), scorer=metric)
    best = (logs / np.array(lengths)).argmax(axis=1)
    assert [row.prediction for row in rows.values()] == [str(place) for place in best]
    assert [max(row.chances, key=row.chances.get) for row in rows.values()] == [str(place) for place in best]


def test_the_delimiter_of_a_task_is_no_part_of_its_choices(tmp_path):
    # -6 / 3 > -9 / 4 without the delimiter, -6 / 5 < -9 / 8 with it.
    samples = [chosen(0, [-6.0, -9.1], 0, choices=["abc", "abcd"], delimiter=" =>", acc_norm=1.0)]
    rows = rows_of(write_run(tmp_path, samples, config={"target_delimiter": " =>"}))
    assert rows["0", 1].prediction == "0"


def test_mutual_information_compares_with_the_choice_alone(tmp_path):
    logs = [-1.0, -5.0, -6.0, -0.5, -9.0, -1.0]  # the second half without the question
    samples = [chosen(0, logs, 1, choices=["a", "b", "c"] * 2, acc=0.0, acc_mutual_info=1.0)]
    path = write_run(tmp_path, samples)
    assert rows_of(path, scorer="acc")["0", 1].prediction == "0"
    assert rows_of(path, scorer="acc_mutual_info")["0", 1].prediction == "1"
    assert list(rows_of(path, scorer="acc")["0", 1].chances) == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("target", "truth"), [("2", "2"), ("four", "1"), (" four", "1"), ("[0, 2]", None), ("7", None), ("9" * 5000, None)]
)
def test_a_target_is_the_number_or_the_text_of_one_choice(target, truth, tmp_path):
    path = write_run(tmp_path, [chosen(0, [-1.0, -2.0, -3.0], 0, target=target)])
    assert rows_of(path)["0", 1].truth == truth


def test_choices_that_differ_in_the_question_only_have_no_true_one(tmp_path):
    path = write_run(tmp_path, [chosen(0, [-1.0, -2.0], 0, choices=["same", "same"], target="same")])
    assert rows_of(path)["0", 1].truth is None


@pytest.mark.parametrize("metric", ["f1", "mcc"])
def test_pairs_of_labels_are_no_scores(metric, tmp_path):
    path = write_run(tmp_path, [chosen(0, [-1.0, -2.0, -3.0], 0, acc=1.0, **{metric: [0, 0]})])
    assert read_log(path).scores == ("acc",)
    with pytest.raises(UnknownNameError, match=f"{metric}.*'acc'"):
        rows_of(path, scorer=metric)


def test_a_log_of_sums_only_has_no_scores(tmp_path):
    one = sample(0, {"page": "text"}, "text", [("", "text")], ["-12.5"], {"word_perplexity": [-12.5, 3]})
    with pytest.raises(DataError, match="has no scores"):
        rows_of(write_run(tmp_path, [one]))


def test_one_continuation_is_no_choice(tmp_path):
    one = sample(0, {"page": "text"}, "word", [("", "word")], [["-2.5", "True"]], {"acc": 1.0, "perplexity": -2.5})
    row = rows_of(write_run(tmp_path, [one]), scorer="acc")["0", 1]
    assert (row.prediction, row.chances, row.score) == (None, None, 1.0)


def test_numbers_that_json_has_no_type_for_are_text(tmp_path):
    one = sample(0, {"q": 1}, "x", [("", "x")], ["x"], {"acc": "True", "loss": "0.25", "note": "none"})
    path = write_run(tmp_path, [one])
    assert read_log(path).scores == ("acc", "loss")
    assert rows_of(path, scorer="acc")["0", 1].score == 1
    assert rows_of(path, scorer="loss")["0", 1].score == 0.25


def test_a_sample_without_the_metric_has_no_score_and_says_so(tmp_path):
    table = answers(2, 3)
    samples = [written(one, place) for place, one in enumerate(table)]
    samples[1]["ease"] = math.nan
    samples[2].pop("ease")
    rows = rows_of(write_run(tmp_path, samples), scorer="ease")
    assert [row.score for row in rows.values()] == [table[0].marks["ease"], None, None]
    assert [row.error for row in rows.values()] == [None, "no ease", "no ease"]


# -- filters -----------------------------------------------------------------------------------------------


def test_a_filter_is_chosen_and_each_has_all_items(tmp_path):
    strict, loose = answers(4, 9), answers(5, 9)
    samples = [written(one, place, named="strict") for place, one in enumerate(strict)]
    samples += [written(one, place, named="loose") for place, one in enumerate(loose)]
    path = write_run(tmp_path, samples)
    assert_same(rows_of(path, scorer="exact_match", filter="strict"), strict)
    assert_same(rows_of(path, scorer="exact_match", filter="loose"), loose)
    with pytest.raises(InvalidInputError, match=r"Which of the filters\? The task '.*' has .*'strict', 'loose'"):
        rows_of(path, scorer="exact_match")
    with pytest.raises(UnknownNameError, match=r"'strict', 'loose'.*\n.*task= picks one"):
        rows_of(path, scorer="exact_match", filter="lax")


@pytest.mark.parametrize("named", [True, False])
def test_old_files_tell_filters_by_their_order(named, tmp_path):
    """Versions 0.4.3 to 0.4.5 write neither `filter` nor `metrics`; the task's configuration has the names."""
    strict, loose = answers(4, 9), answers(5, 9)
    samples = [written(one, place) for table in (strict, loose) for place, one in enumerate(table)]
    for one in samples:
        del one["filter"], one["metrics"]
    config = {"filter_list": [{"name": "strict"}, {"name": "loose"}]} if named else {}
    path = write_run(tmp_path, samples, config=config)
    first, second = ("strict", "loose") if named else ("1", "2")
    assert read_log(path).scores == ("exact_match", "length", "ease")
    assert_same(rows_of(path, scorer="exact_match", filter=first), strict)
    assert_same(rows_of(path, scorer="exact_match", filter=second), loose)


def test_the_oldest_files_are_arrays_without_hashes(tmp_path):
    """Version 0.4.2 writes one array, its arguments as lists, and names the file after the model's arguments."""
    table = answers(6, 7)
    samples = []
    for place, one in enumerate(table):
        record = written(one, place)
        record["arguments"] = [list(parts.values()) for parts in record["arguments"].values()]
        for key in ("filter", "metrics", "doc_hash", "prompt_hash", "target_hash"):
            del record[key]
        samples.append(record)
    folder = tmp_path / "out"
    path = write_json(folder / "pretrained__org__atlas_tides.jsonl", samples)
    sums = results("tides", 7, model=None, model_args="pretrained=org/atlas,dtype=float")
    write_json(folder / "results.json", sums)
    rows = rows_of(path, scorer="exact_match")
    assert_same(rows, table)
    assert {(row.system, row.task) for row in rows.values()} == {("org/atlas", "tides")}
    new = write_run(tmp_path / "new", [written(one, place) for place, one in enumerate(table)])
    assert [row.question for row in rows.values()] == [
        row.question for row in rows_of(new, scorer="exact_match").values()
    ]


def test_lmms_eval_puts_the_date_first_and_leaves_documents_out(tmp_path):
    table = answers(7, 8)
    samples = []
    for place, one in enumerate(table):
        record = written(one, place)
        for key in ("doc", "arguments", "resps", "filter", "metrics", "prompt_hash", "target_hash"):
            del record[key]
        record |= {"input": one.question, "chart_score": {"question_id": f"q{place}", "score": one.score}}
        samples.append(record)
    folder = tmp_path / "org__atlas"
    write_json(folder / "20261116_075630_results.json", results("chart_qa", 8))
    path = write_lines(folder / "20261116_075630_samples_chart_qa.jsonl", samples)
    rows = rows_of(path, scorer="chart_score.score")
    assert_same(rows, table)
    assert {(row.system, row.task) for row in rows.values()} == {("org/atlas", "chart_qa")}
    with pytest.raises(DataError, match="no 'topic' in its metadata; it has none"):
        rows_of(path, scorer="exact_match", cluster="topic")


# -- names -------------------------------------------------------------------------------------------------


def test_without_results_the_folder_names_the_model(tmp_path):
    path = write_run(tmp_path / "org__atlas", [written(one, place) for place, one in enumerate(answers(1, 3))])
    next(path.parent.glob("results_*")).unlink()
    log = read_log(path)
    assert (log.systems, log.tasks) == (("org__atlas",), ("tides",))


def test_a_task_may_hold_underscores_and_a_run_several_tasks(tmp_path):
    table = answers(1, 3)
    for task in ("mmlu_high_school", "samples_of_tides"):
        write_run(tmp_path, [written(one, place) for place, one in enumerate(table)], task=task)
    assert read_log(tmp_path).tasks == ("mmlu_high_school", "samples_of_tides")


def test_the_results_of_another_date_are_not_of_this_run(tmp_path):
    samples = [written(one, place) for place, one in enumerate(answers(1, 3))]
    path = write_run(tmp_path / "folder", samples)
    next(path.parent.glob("results_*")).rename(path.parent / "results_2020-01-01T00-00-00.json")
    assert read_log(path).systems == ("folder",)


def test_what_differs_between_runs_of_a_model_is_told(tmp_path):
    samples = [written(one, place) for place, one in enumerate(answers(1, 3))]
    facts = []
    for shots in (0, 5):
        path = write_run(
            tmp_path / str(shots), samples, shots=shots, better={"ease": False}, model_args={"dtype": "half"}
        )
        run = read_log(path).runs[0]
        facts.append(run.facts)
        assert [score.higher_is_better for score in run.scores] == [True, True, False]
    assert [fact.get("shots") for fact in facts] == ["0", "5"]
    assert facts[0]["dtype"] == "half"


# -- refusals ----------------------------------------------------------------------------------------------


def test_sums_without_answers_are_refused_with_the_reason(tmp_path):
    write_json(tmp_path / f"results_{DATE}.json", results("tides", 3))
    with pytest.raises(DataError, match="no file beside it its answers") as error:
        read_log(tmp_path)
    assert "--log_samples" in str(error.value)


def test_fewer_samples_than_the_results_are_of_is_a_file_cut_off(tmp_path):
    samples = [written(one, place) for place, one in enumerate(answers(1, 9))]
    path = write_run(tmp_path, samples[:-1], n_items=9)
    with pytest.raises(FileFormatError, match="cut off: it has 8 of the 9 items"):
        read_log(path)


def test_a_file_with_nothing_in_it_is_refused_where_the_results_name_it(tmp_path):
    write_run(tmp_path, [], n_items=9)
    with pytest.raises(FileFormatError, match=r"samples_tides.*holds no answers"):
        read_log(tmp_path)


@pytest.mark.parametrize("kept", [0, 5, 100])
def test_results_cut_off_are_refused(kept, tmp_path):
    path = write_run(tmp_path, [written(one, place) for place, one in enumerate(answers(1, 9))])
    sums = next(tmp_path.glob("results_*"))
    sums.write_bytes(sums.read_bytes()[:kept])
    with pytest.raises(FileFormatError, match=r"results_.*not valid JSON"):
        read_log(path)


def test_a_line_cut_off_is_named(tmp_path):
    path = write_run(tmp_path, [written(one, place) for place, one in enumerate(answers(1, 9))])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileFormatError, match="line 9: not valid JSON"):
        read_log(path)


def test_values_nested_too_deeply_are_refused(tmp_path):
    path = write_run(tmp_path, [written(one, place) for place, one in enumerate(answers(1, 1))])
    with path.open("a") as file:
        file.write('{"doc_id": 1, "doc": ' + "[" * 200_000 + "\n")
    with pytest.raises(FileFormatError, match="line 2: not valid JSON"):
        read_log(path)


def test_of_a_key_that_comes_twice_the_last_counts(tmp_path):
    path = write_run(tmp_path, [written(one, place) for place, one in enumerate(answers(1, 1))])
    path.write_text(path.read_text().rstrip()[:-1] + ', "ease": 0.125}\n')
    assert rows_of(path, scorer="ease")["0", 1].score == 0.125


def test_an_array_cut_off_is_refused(tmp_path):
    path = write_json(tmp_path / "old.jsonl", [written(one, place) for place, one in enumerate(answers(1, 9))])
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileFormatError, match="not valid JSON"):
        read_log(path)


def test_a_sample_without_its_document_is_refused(tmp_path):
    samples = [written(one, place) for place, one in enumerate(answers(1, 3))]
    del samples[1]["doc_id"]
    with pytest.raises(FileFormatError, match="entry 2: a sample has no 'doc_id'"):
        read_log(write_run(tmp_path, samples, n_items=3))


def test_the_same_item_twice_is_refused(tmp_path):
    samples = [written(answers(1, 1)[0], 0)] * 2
    with pytest.raises(PairingError, match="answered item '0' of task 'tides' twice"):
        rows_of(write_run(tmp_path, samples), scorer="ease")


@pytest.mark.parametrize("key", ["doc_hash", "target_hash"])
def test_other_questions_under_the_same_ids_are_refused(key, tmp_path):
    samples = [written(one, place) for place, one in enumerate(answers(1, 5))]
    first = read_log(write_run(tmp_path / "a", samples), scorer="exact_match")
    others = [one | {key: digest("another")} for one in samples]
    second = read_log(write_run(tmp_path / "b", others, model="org/birch"), scorer="exact_match")
    with pytest.raises(PairingError, match=r"5 items .* different questions"):
        pair_logs([first, second])


def test_another_prompt_for_the_same_question_is_compared(tmp_path):
    samples = [written(one, place) for place, one in enumerate(answers(1, 5))]
    first = read_log(write_run(tmp_path / "a", samples), scorer="exact_match")
    others = [one | {"prompt_hash": digest("another")} for one in samples]
    second = read_log(write_run(tmp_path / "b", others, model="org/birch"), scorer="exact_match")
    assert len(pair_logs([first, second])[0].keys) == 5


# -- what else there is in files ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_may_be_an_answer(text, tmp_path):
    one = sample(0, {"q": text, "group": text}, text, [(text, text)], [text], {"acc": 1.0})
    row = rows_of(write_run(tmp_path, [one]), cluster="group")["0", 1]
    assert (row.truth, row.prediction, row.cluster, row.score) == (text, text, text, 1.0)


@pytest.mark.parametrize(
    "broken",
    [
        {"arguments": None},
        {"arguments": {"gen_args_0": 3}},
        {"filtered_resps": None},
        {"filtered_resps": []},
        {"filtered_resps": [["-1", "False"], ["?", "False"]]},
        {"filtered_resps": [["nan", "False"], ["-1", "False"]]},
        {"metrics": "acc", "acc": 10**400},
        {"metrics": [["acc"], {}]},
        {"doc": [], "target": None, "doc_hash": None},
        {"target": {"a": 1}},
    ],
)
def test_a_sample_of_another_shape_has_no_labels_or_no_score(broken, tmp_path):
    samples = [chosen(i, [-1.0, -2.0, -3.0], 0, acc=1.0, acc_norm=0.0) for i in range(2)]
    samples[1] |= broken
    rows = rows_of(write_run(tmp_path, samples), scorer="acc_norm")
    assert (rows["0", 1].truth, rows["0", 1].prediction, rows["0", 1].score) == ("0", "2", 0.0)
    assert rows["1", 1].score in {0.0, None}


@pytest.mark.parametrize(
    "header", ['{"results": {"tides": 3, "x_stderr,y": 1}, "configs": 3}', '{"results": {"a": {"b_stderr,c": []}}}']
)
def test_results_of_another_shape_name_nothing(header, tmp_path):
    path = write_run(tmp_path / "folder", [written(one, place) for place, one in enumerate(answers(1, 3))])
    next(path.parent.glob("results_*")).write_text(header)
    assert read_log(path).systems == ("folder",)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "doc_id,truth,a\n1,x,y\n",
        '{"doc_id": 1, "truth": "x", "prediction": "y"}\n',
        '[{"doc_id": 1, "truth": "x", "doc": "y"}]',
        '{"truth": "doc_id", "resps": 1}\n',
        '{"results": {"accuracy": 0.5}}',
        '{"results": [{"doc_id": 1}]}',
    ],
)
def test_plain_tables_are_no_logs(text, tmp_path):
    assert not LM_EVAL.recognises(tmp_path / "x.jsonl", text.encode())


def test_a_first_document_longer_than_what_is_looked_at_is_a_log(tmp_path):
    one = sample(0, {"q": "x" * 100_000}, "x", [("", "x")], ["x"], {"acc": 1.0})
    assert rows_of(write_run(tmp_path, [one]))["0", 1].score == 1.0


# -- metrics of chances ------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_choices", [2, 4])
def test_chances_and_labels_of_choices_are_what_metrics_need(n_choices, rng, tmp_path):
    """Log loss, AUC and macro-F1 of what was read are scikit-learn's of the log-likelihoods that were written."""
    theirs = need("sklearn.metrics")
    truths = rng.integers(0, n_choices, 60)
    logs = {model: rng.normal(-9, 2, (60, n_choices)).round(3) for model in ("org/atlas", "org/birch")}
    read = []
    for model, values in logs.items():
        samples = [chosen(i, values[i].tolist(), int(truths[i]), choices=list("abcd")[:n_choices]) for i in range(60)]
        read.append(read_log(write_run(tmp_path / model, samples, model=model)))
    paired = pair_logs(read)[0]
    truth, labels, matrices = chances_of(paired.rows, paired.names)
    predictions = [[row.prediction for row in rows] for rows in paired.rows]
    auc = "roc_auc" if n_choices == 2 else "macro_roc_auc"
    asked = {"draws": 500, "rng": 0}
    with without_warnings():
        found = {
            name: rw.compare(truth, *matrices, classes=labels, metric=name, **asked).to_dict()
            for name in ("log_loss", auc)
        }
        found["macro_f1"] = rw.compare(truth, *predictions, metric="macro_f1", **asked).to_dict()
    for side, values in zip("ab", logs.values(), strict=True):
        chances = np.exp(log_softmax(values, axis=1))
        areas = [theirs.roc_auc_score(truths == label, chances[:, label]) for label in range(n_choices)]
        expected = {
            "log_loss": theirs.log_loss(truths, chances),
            auc: areas[1] if n_choices == 2 else np.mean(areas),
            "macro_f1": theirs.f1_score(truths, values.argmax(axis=1), average="macro"),
        }
        for name, value in expected.items():
            assert found[name][side]["observed"] == pytest.approx(value, rel=1e-12)


def test_items_with_fewer_choices_have_no_chance_of_the_others(tmp_path):
    logs = [[-1.0, -2.0], [-1.0, -2.0, -3.0]]
    samples = [chosen(i, logs[i], 0, choices=CHOICES[: len(logs[i])]) for i in range(2)]
    places = [write_run(tmp_path / model, samples, model=model) for model in ("a", "b")]
    paired = pair_logs([read_log(place) for place in places])[0]
    truth, labels, matrices = chances_of(paired.rows, paired.names)
    assert (truth, labels) == (["0", "0"], ("0", "1", "2"))
    expected = np.zeros((2, 3))
    expected[0, :2], expected[1] = np.exp(log_softmax(logs[0])), np.exp(log_softmax(logs[1]))
    for matrix in matrices:
        np.testing.assert_allclose(matrix, expected, rtol=1e-12)


def test_answers_in_words_have_no_chances(tmp_path):
    samples = [written(one, place) for place, one in enumerate(answers(1, 5))]
    places = [write_run(tmp_path / model, samples, model=model) for model in ("a", "b")]
    paired = pair_logs([read_log(place, scorer="ease") for place in places])[0]
    with pytest.raises(DataError, match=r"'a' has no probabilities of the labels.* 5 items \(first: '0'\)"):
        chances_of(paired.rows, paired.names)


# -- folders of several tasks ------------------------------------------------------------------------------


def folder_of(path, tasks, seed=1):
    """Write a folder of samples: of each task its metrics and its filters."""
    rng = np.random.default_rng(seed)
    for task, (metrics, filters) in tasks.items():
        lines = []
        for number, named in ((number, named) for named in filters for number in range(12)):
            scores = {metric: float(rng.random() < 0.6) for metric in metrics}
            doc = {"question": f"{task} {number}"}
            lines.append(sample(number, doc, "x", [("q", {})], ["x"], scores, named=named))
        write_lines(path / f"samples_{task}_{DATE}.jsonl", lines)
    return read_log(path)


QUIZ, SUMS = ("acc", "acc_norm"), ("exact_match",)


def test_each_task_is_compared_by_the_score_that_it_has(tmp_path):
    tasks = {"quiz": (QUIZ, ["none"]), "sums": (SUMS, ["strict", "loose"]), "more": (QUIZ, ["none"])}
    a, b = folder_of(tmp_path / "a", tasks), folder_of(tmp_path / "b", tasks, seed=2)
    both = r"(?s)Which of the scores.*'acc', 'acc_norm'.*Which of the filters.*such as 'acc'.*such as 'strict'"
    with pytest.raises(InvalidInputError, match=both):
        pair_logs([a, b])
    options = {"scorer": "acc_norm", "filter": "loose"}
    both = pair_logs([read_log(log.path, **options) for log in (a, b)])
    found = {paired.task: paired.score.name for paired in both}
    assert found == {"quiz": "acc_norm", "sums": "exact_match", "more": "acc_norm"}
    assert {paired.task: len(paired.notes) for paired in both} == {"quiz": 0, "sums": 1, "more": 0}
    quiz = next(paired for paired in both if paired.task == "quiz")
    alone = pair_logs([read_log(log.path, task="quiz", scorer="acc_norm") for log in (a, b)])[0]
    assert quiz.rows == alone.rows
    sums = next(paired for paired in both if paired.task == "sums")
    assert sums.rows[0] == tuple(read_log(a.path, task="sums", filter="loose").rows())


def test_several_scores_are_a_list_of_which_each_task_takes_the_first_that_it_has(tmp_path):
    tasks = {"quiz": (QUIZ, ["none"]), "sums": (("exact_match", "f1"), ["none"])}
    a, b = folder_of(tmp_path / "a", tasks), folder_of(tmp_path / "b", tasks, seed=2)
    with pytest.raises(InvalidInputError, match="'acc,exact_match', the first that a task has"):
        pair_logs([a, b])
    with pytest.raises(InvalidInputError, match=r"Which of the scores.*'sums'"):
        pair_logs([read_log(log.path, scorer="acc") for log in (a, b)])
    both = pair_logs([read_log(log.path, scorer="f1,acc") for log in (a, b)])
    assert [paired.score.name for paired in both] == ["acc", "f1"]
    assert {row.task for row in read_log(a.path, scorer="f1,acc").rows()} == {"quiz", "sums"}
    with pytest.raises(UnknownNameError, match=r"'akk'.*'acc', 'acc_norm', 'exact_match', 'f1'"):
        pair_logs([read_log(log.path, scorer="akk") for log in (a, b)])


def test_only_scores_of_both_logs_are_chosen_from(tmp_path):
    a = folder_of(tmp_path / "a", {"quiz": (QUIZ, ["none"])})
    b = folder_of(tmp_path / "b", {"quiz": (("acc", "bleu"), ["none"])})
    c = folder_of(tmp_path / "c", {"quiz": (("bleu", "chrf"), ["none"])})
    assert pair_logs([a, b])[0].score.name == "acc"
    with pytest.raises(PairingError, match="none of the scores in common"):
        pair_logs([a, c])


def test_the_command_says_which_score_a_task_was_compared_by(run, tmp_path):
    tasks = {"quiz": (QUIZ, ["none"]), "sums": (SUMS, ["none"])}
    for place, name in enumerate("ab"):
        folder_of(tmp_path / name, tasks, seed=place)
    code, out, err = run("compare", tmp_path / "a", tmp_path / "b", "--scorer", "acc", "--draws", 100, "--rope", "1%")
    assert code == 0
    told = " ".join(out.split())
    assert "Measured the mean of acc (quiz), exact_match (sums). Differences are in points, of 100." in told
    assert "The grey band, ±1 point, is too small to matter." in told
    assert "'sums' has no score 'acc': its 'exact_match' is taken" in " ".join((out + err).split())


def test_a_table_takes_the_scores_that_a_comparison_takes(run, tmp_path):
    tasks = {"quiz": (QUIZ, ["none"]), "sums": (SUMS, ["strict", "loose"])}
    for place, name in enumerate("ab"):
        folder_of(tmp_path / name, tasks, seed=place)
    asked = (tmp_path / "a", tmp_path / "b"), ("--scorer", "acc", "--filter", "strict")
    code, _, err = run("convert", *asked[0], *asked[1], "-o", tmp_path / "both.csv")
    assert code == 0
    assert "'sums' has no score 'acc': its 'exact_match' is taken" in err
    code, direct, _ = run("compare", *asked[0], *asked[1], "--draws", 100, "--seed", 0, "--json")
    _, converted, _ = run("compare", tmp_path / "both.csv", "--draws", 100, "--seed", 0, "--json")
    both = [[task["delta"]["observed"] for task in json.loads(out)["tasks"]] for out in (direct, converted)]
    assert (code, both[0]) == (0, both[1])


def test_scores_may_be_a_list_and_a_log_may_travel(tmp_path):
    log = folder_of(tmp_path / "a", {"quiz": (QUIZ, ["none"]), "sums": (SUMS, ["strict", "loose"])})
    listed = read_log(log.path, scorer=["f1", "acc"], filter=("strict", "none"))
    assert list(listed.rows()) == list(read_log(log.path, scorer="f1,acc", filter="strict,none").rows())
    other = pickle.loads(pickle.dumps(listed.only(task="quiz")))
    assert (other.tasks, list(other.rows())) == (("quiz",), list(listed.only(task="quiz").rows()))


def test_rows_become_a_dataframe(tmp_path):
    log = folder_of(tmp_path / "a", {"quiz": (QUIZ, ["none"])})
    log = read_log(log.path, scorer="acc")
    frame = log.to_frame("polars")
    assert tuple(frame.columns) == COLUMNS
    assert frame.rows() == [tuple(getattr(row, name) for name in COLUMNS) for row in log.rows()]
    assert list(read_long(frame).rows()) == [row._replace(question=None, chances=None) for row in log.rows()]
