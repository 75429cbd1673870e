"""Runs of HELM: every row of a written table comes back, and what misleads is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from answer_logs import TEXTS, answers, assert_same, rows_of, write_json
from ropewalk.data.logs import read_log
from ropewalk.data.logs.helm import HELM
from ropewalk.data.logs.pairing import pair_logs
from ropewalk.errors import DataError, FileFormatError, InvalidInputError, PairingError

LABELS = ("yes", "no", "maybe")
MODEL = "org/atlas"
TYPOS = {"name": "typos", "robustness": True, "fairness": False, "prob": 0.1}


def stat(name, value, perturbation=None):
    """One statistic as HELM 0.5.16 writes it: what is empty is left out."""
    named = {"name": name, "split": "test"} | ({"perturbation": perturbation} if perturbation else {})
    return {"name": named, "count": 1, "sum": value, "min": value, "max": value, "mean": value}


def mark(perturbation):
    return {"perturbation": perturbation} if perturbation else {}


def instance(answer, perturbation=None):
    return {
        "input": {"text": answer.question},
        "references": [
            {"output": {"text": label}, "tags": ["correct"] if label == answer.truth else []} for label in LABELS
        ],
        "split": "test",
        "id": answer.item,
        **mark(perturbation),
        "extra_data": {"group": answer.group},
    }


def statistics(answer, perturbation=None):
    stats = {"num_references": 3, "exact_match": answer.score, **answer.marks}
    return {
        "instance_id": answer.item,
        **mark(perturbation),
        "train_trial_index": answer.repeat - 1,
        "stats": [stat(name, value, perturbation) for name, value in stats.items()],
    }


def prediction(answer, perturbation=None, **changes):
    return {
        "instance_id": answer.item,
        **mark(perturbation),
        "train_trial_index": answer.repeat - 1,
        "predicted_text": f" {'ABC'[LABELS.index(answer.prediction)]}" if answer.prediction in LABELS else "?",
        "mapped_output": answer.prediction,
        "stats": {"exact_match": answer.score},
        **changes,
    }


def specification(name=f"tides:subject=sea,model={MODEL}", **adapter):
    return {
        "name": name,
        "scenario_spec": {"class_name": "demo.TidesScenario", "args": {}},
        "adapter_spec": {"method": "multiple_choice_joint", "model": MODEL, "num_train_trials": 1, **adapter},
        "metric_specs": [],
        "groups": ["tides"],
    }


def write_run(folder, table, *, perturbed=(), spec=None):
    """Write a run that was summed up for display; `perturbed` are answers to perturbed copies."""
    both = [(one, None) for one in table] + [(one, TYPOS) for one in perturbed]
    write_json(folder / "run_spec.json", spec or specification())
    write_json(folder / "instances.json", [instance(*one) for one in both if one[0].repeat == 1])
    write_json(folder / "display_predictions.json", [prediction(*one) for one in both])
    write_json(folder / "display_requests.json", [{"instance_id": one.item, "request": {}} for one, _ in both])
    write_json(folder / "stats.json", [stat("exact_match", 0.5)])
    write_json(folder / "scenario.json", {"name": "tides", "tags": []})
    return write_json(folder / "per_instance_stats.json", [statistics(*one) for one in both])


def write_state(folder, table, *, mapping=True):
    """Write a run that was not summed up for display."""
    states = [
        {
            "instance": instance(one),
            "train_trial_index": one.repeat - 1,
            "output_mapping": {letter: label for letter, label in zip("ABC", LABELS, strict=True) if mapping},
            "request": {"model": MODEL, "prompt": one.question},
            "result": {"success": True, "completions": [{"text": prediction(one)["predicted_text"], "tokens": []}]},
        }
        for one in table
    ]
    write_json(folder / "run_spec.json", specification())
    write_json(
        folder / "scenario_state.json", {"adapter_spec": specification()["adapter_spec"], "request_states": states}
    )
    return write_json(folder / "per_instance_stats.json", [statistics(one) for one in table])


def test_every_answer_comes_back_with_its_trial(tmp_path):
    table = answers(3, 12, n_repeats=3)
    rows = rows_of(write_run(tmp_path, table), scorer="exact_match", cluster="group")
    assert_same(rows, table, cluster=lambda answer: answer.group)
    assert {(row.system, row.task) for row in rows.values()} == {(MODEL, "tides:subject=sea")}
    assert_same(rows_of(tmp_path, scorer="ease"), table, score=lambda answer: answer.marks["ease"])


def test_a_folder_its_specification_and_its_statistics_are_the_same_log(tmp_path):
    path = write_run(tmp_path, answers(1, 5))
    places = (tmp_path, path, tmp_path / "run_spec.json")
    logs = [list(read_log(place, scorer="ease").rows()) for place in places]
    assert logs[0] == logs[1] == logs[2]
    assert len(logs[0]) == 5


def test_the_order_of_the_files_does_not_matter(tmp_path):
    table = answers(3, 9)
    write_run(tmp_path, table)
    write_json(tmp_path / "display_predictions.json", [prediction(one) for one in reversed(table)])
    write_json(tmp_path / "instances.json", [instance(one) for one in reversed(table)])
    assert_same(rows_of(tmp_path, scorer="exact_match"), table)


def test_statistics_of_an_instance_may_come_in_several_parts(tmp_path):
    table = answers(4, 6)
    write_run(tmp_path, table)
    parts = []
    for one in table:
        whole = statistics(one)
        parts += [whole | {"stats": whole["stats"][:2]}, whole | {"stats": whole["stats"][2:]}]
    write_json(tmp_path / "per_instance_stats.json", parts)
    for name in ("exact_match", "ease"):
        expected = [one.score if name == "exact_match" else one.marks[name] for one in table]
        assert [row.score for row in rows_of(tmp_path, scorer=name).values()] == expected


def test_perturbed_copies_are_a_task_of_their_own(tmp_path):
    table, perturbed = answers(5, 6), answers(6, 6)
    write_run(tmp_path, table, perturbed=perturbed)
    assert read_log(tmp_path).tasks == ("tides:subject=sea", "tides:subject=sea, typos")
    assert_same(rows_of(tmp_path, scorer="exact_match", task="tides:subject=sea"), table)
    assert_same(rows_of(tmp_path, scorer="exact_match", task="tides:subject=sea, typos"), perturbed)


def test_without_files_for_display_the_state_of_the_scenario_has_the_answers(tmp_path):
    table = answers(7, 8)
    path = write_state(tmp_path, table)
    assert_same(rows_of(path, scorer="exact_match", cluster="group"), table, cluster=lambda answer: answer.group)
    write_state(tmp_path, table, mapping=False)
    letters = ["ABC"[LABELS.index(one.prediction)] for one in table]
    assert [row.prediction for row in rows_of(path, scorer="exact_match").values()] == letters


def test_statistics_alone_have_scores_and_no_labels(tmp_path):
    table = answers(7, 4)
    path = write_json(
        tmp_path / f"tides:model={MODEL.replace('/', '_')}" / "per_instance_stats.json", [*map(statistics, table)]
    )
    rows = rows_of(path, scorer="exact_match")
    assert [row.score for row in rows.values()] == [one.score for one in table]
    assert {(row.system, row.task, row.truth, row.question) for row in rows.values()} == {
        ("org_atlas", "tides", None, None)
    }


def test_where_choices_are_asked_alone_the_prediction_is_the_number_of_a_reference(tmp_path):
    table = answers(8, 6)
    write_run(tmp_path, table)
    chosen = [prediction(one, mapped_output=None, reference_index=LABELS.index(one.prediction)) for one in table]
    write_json(tmp_path / "display_predictions.json", chosen)
    assert_same(rows_of(tmp_path, scorer="exact_match"), table)


def test_old_runs_have_texts_without_mappings_and_sums_without_means(tmp_path):
    table = answers(8, 6)
    write_run(tmp_path, table)
    instances = [instance(one) | {"input": one.question} for one in table]
    for one in instances:
        one["references"] = [part | {"output": part["output"]["text"]} for part in one["references"]]
    write_json(tmp_path / "instances.json", instances)
    parts = [statistics(one) for one in table]
    for part in parts:
        for one in part["stats"]:
            del one["mean"]
            one |= {"count": 2, "sum": 2 * one["sum"]}
    write_json(tmp_path / "per_instance_stats.json", parts)
    assert_same(rows_of(tmp_path, scorer="exact_match"), table)


def test_several_correct_references_are_all_the_truth(tmp_path):
    table = answers(8, 1)
    write_run(tmp_path, table)
    one = instance(table[0])
    one["references"][2]["tags"] = ["correct"]
    write_json(tmp_path / "instances.json", [one])
    assert rows_of(tmp_path, scorer="exact_match")["0", 1].truth == '["yes", "maybe"]'


def test_a_statistic_of_nothing_is_no_score(tmp_path):
    table = answers(8, 3)
    write_run(tmp_path, table)
    parts = [statistics(one) for one in table]
    parts[0]["stats"][1] |= {"count": 0, "sum": 0, "mean": 0.0}
    parts[1]["stats"].pop(1)
    write_json(tmp_path / "per_instance_stats.json", parts)
    rows = list(rows_of(tmp_path, scorer="exact_match").values())
    assert [row.score for row in rows] == [None, None, table[2].score]
    assert [row.error for row in rows] == ["no exact_match", "no exact_match", None]


@pytest.mark.parametrize(
    ("name", "task"),
    [
        ("mmlu:subject=law,method=joint,model=x", "mmlu:subject=law,method=joint"),
        ("tides:model=x,model_deployment=y", "tides"),
        ("tides", "tides"),
    ],
)
def test_the_task_is_the_run_without_its_model(name, task, tmp_path):
    write_run(tmp_path, answers(1, 2), spec=specification(name))
    assert read_log(tmp_path).tasks == (task,)


def test_what_differs_between_runs_of_a_model_is_told(tmp_path):
    write_run(tmp_path, answers(1, 2), spec=specification(max_train_instances=5, instructions="Be brief."))
    facts = read_log(tmp_path).runs[0].facts
    assert (facts["max_train_instances"], facts["instructions"]) == ("5", "Be brief.")
    assert "model" not in facts


# -- refusals ----------------------------------------------------------------------------------------------


def test_several_statistics_and_none_chosen_are_listed(tmp_path):
    write_run(tmp_path, answers(1, 2))
    with pytest.raises(InvalidInputError, match="'exact_match', 'length', 'ease', 'num_references'"):
        rows_of(tmp_path)


def test_a_run_without_statistics_is_not_finished(tmp_path):
    write_run(tmp_path, answers(1, 2)).unlink()
    with pytest.raises(DataError, match=r"not finished: it has no 'per_instance_stats\.json'"):
        read_log(tmp_path)


@pytest.mark.parametrize("name", ["per_instance_stats.json", "instances.json", "display_predictions.json"])
def test_a_file_cut_off_is_refused(name, tmp_path):
    write_run(tmp_path, answers(1, 20))
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(FileFormatError, match=rf"{name}.*not valid JSON"):
        rows_of(tmp_path, scorer="exact_match")


@pytest.mark.parametrize("name", ["per_instance_stats.json", "instances.json", "display_predictions.json"])
def test_a_file_with_nothing_in_it_is_refused(name, tmp_path):
    write_run(tmp_path, answers(1, 20))
    (tmp_path / name).write_text("")
    with pytest.raises(FileFormatError, match=rf"{name}.*an array was expected"):
        rows_of(tmp_path, scorer="exact_match")


def test_a_run_of_no_instances_is_refused(tmp_path):
    write_run(tmp_path, [])
    with pytest.raises(FileFormatError, match="holds no answers"):
        read_log(tmp_path)


def test_other_questions_under_the_same_ids_are_refused(tmp_path):
    table = answers(1, 5)
    write_run(tmp_path / "a", table)
    others = [replace(one, question=f"{one.question}!") for one in table]
    write_run(tmp_path / "b", others, spec=specification(model="org/birch"))
    logs = [read_log(tmp_path / name, scorer="exact_match") for name in "ab"]
    with pytest.raises(PairingError, match=r"5 items .* different questions"):
        pair_logs(logs)


def test_an_unknown_key_of_clusters_is_refused_with_the_keys(tmp_path):
    write_run(tmp_path, answers(1, 3))
    with pytest.raises(DataError, match="no 'topic' in its metadata; it has 'group'"):
        rows_of(tmp_path, scorer="ease", cluster="topic")


# -- what else there is in files ---------------------------------------------------------------------------


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_any_text_may_be_an_answer(text, tmp_path):
    one = replace(answers(1, 1)[0], question=text, group=text, score=0.0)
    write_run(tmp_path, [one])
    write_json(tmp_path / "display_predictions.json", [prediction(one, mapped_output=None, predicted_text=text)])
    row = rows_of(tmp_path, scorer="exact_match", cluster="group")["0", 1]
    assert (row.prediction, row.cluster, row.score) == (text.strip(), text, 0.0)


@pytest.mark.parametrize("name", ["instances.json", "display_predictions.json", "run_spec.json"])
@pytest.mark.parametrize("text", ["[]", "[{}]", '[{"id": "0", "references": [3, {"tags": 1}], "perturbation": []}]'])
def test_files_of_another_shape_beside_the_statistics_leave_the_scores(name, text, tmp_path):
    table = answers(1, 3)
    path = write_run(tmp_path, table)
    (tmp_path / name).write_text(text)
    assert [row.score for row in rows_of(path, scorer="exact_match").values()] == [one.score for one in table]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "instance_id,stats\n",
        '[{"instance_id": 1, "truth": "x"}]',
        '[{"instance_id": 1, "stats": 3}]',
        '[{"instance_id": 1, "stats": [1, 2]}]',
        '{"instance_id": 1, "stats": []}\n',
        '{"scenario_spec": 1, "adapter_spec": 2}',
    ],
)
def test_plain_tables_are_no_logs(text, tmp_path):
    assert not HELM.recognises(tmp_path / "x.json", text.encode())
