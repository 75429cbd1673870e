"""Answers in runs of MLflow, in a store of its own in a temporary folder, read back by MLflow's own client."""

from __future__ import annotations

import json
import math
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path

import pytest

import ropewalk as rw
from calls import things
from hostile import NAMES
from ropewalk.errors import InvalidInputError, MissingDependencyError, UnreachableDatabaseError
from ropewalk.exchange.mlflow import FOLDER, MAX_METRICS, MAX_TAGS, MAX_VALUE, entries
from ropewalk.report.document import Answer, Document, describes
from ropewalk.results import Rendered
from support import need, without_warnings

pytestmark = pytest.mark.usefixtures("frugal_throughout")

TRUTH = [1, 0, 1, 1, 0, 1, 0, 0] * 30
NEW = [1, 0, 1, 1, 0, 1, 0, 1] * 30
OLD = [1, 1, 0, 1, 0, 1, 0, 1] * 30
FEW = {"draws": 300, "rng": 0}


def compared(**options):
    with without_warnings():
        return rw.compare(TRUTH, NEW, OLD, **{"metric": "f1", "rope": 0.05, "names": ["new", "old"], **FEW, **options})


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """MLflow, with an empty SQLite store: to make one takes longer than all that is written into it."""
    mlflow = need("mlflow")
    folder = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.chdir(folder)
        for name in ("MLFLOW_RUN_ID", "MLFLOW_EXPERIMENT_NAME", "MLFLOW_EXPERIMENT_ID"):
            patch.delenv(name, raising=False)
        before = mlflow.get_tracking_uri()
        mlflow.set_tracking_uri(f"sqlite:///{folder / 'mlflow.db'}")
        mlflow.set_experiment("tests")
        yield mlflow
        while mlflow.active_run() is not None:
            mlflow.end_run()
        mlflow.set_tracking_uri(before)


@pytest.fixture
def client(store):
    """The client by which MLflow is asked what it has."""
    yield store.MlflowClient()
    while store.active_run() is not None:
        store.end_run()


def data_of(client, run):
    return client.get_run(run).data


def status_of(client, run):
    return client.get_run(run).info.status


def files_of(client, run):
    return sorted(file.path for file in client.list_artifacts(run, FOLDER))


def content_of(client, run, path, tmp_path):
    return Path(client.download_artifacts(run, path, str(tmp_path))).read_text(encoding="utf-8")


# -- what is logged ----------------------------------------------------------------------------------------


def test_a_comparison_has_its_difference_with_the_interval_and_probabilities(client):
    r = compared()
    metrics = data_of(client, r.log_to_mlflow()).metrics
    assert metrics["f1_delta"] == r.mean
    assert (metrics["f1_delta_hdi_low"], metrics["f1_delta_hdi_high"]) == tuple(r.hdi)
    for part in ("a", "b"):
        score = r.to_dict()[part]
        assert metrics[f"f1_{part}"] == score["mean"]
        assert metrics[f"f1_{part}_observed"] == score["observed"]
        assert [metrics[f"f1_{part}_hdi_{end}"] for end in ("low", "high")] == score["hdi"]
    assert metrics["f1_prob_above_zero"] == r.prob_above_zero
    parts = [metrics[f"f1_prob_{part}_rope"] for part in ("below", "inside", "above")]
    assert parts == [r.regions.below, r.regions.inside, r.regions.above]


def test_the_verdict_and_the_question_are_tags(client):
    r = compared()
    tags = data_of(client, r.log_to_mlflow()).tags
    assert tags["ropewalk.verdict"] == tags["ropewalk.verdict.f1"] == r.decision.code
    assert tags["ropewalk.symbol"] == r.decision.symbol
    assert tags["ropewalk.headline"] == r.headline
    assert (tags["ropewalk.a"], tags["ropewalk.b"]) == ("new", "old")
    assert tags["ropewalk.rope"] == "[-0.05, 0.05]"
    facts = {
        "metric": "f1",
        "model": "paired",
        "n_items": "240",
        "seed": "0",
        "prob": "0.95",
        "version": rw.__version__,
    }
    assert {key: tags[f"ropewalk.{key}"] for key in facts} == facts
    assert tags["ropewalk.data_hash"] == r.recipe.data_hash


def test_the_page_and_the_json_are_artifacts(client, tmp_path):
    r = compared()
    run = r.log_to_mlflow()
    assert files_of(client, run) == ["ropewalk/f1_comparison.html", "ropewalk/f1_comparison.json"]
    assert json.loads(content_of(client, run, "ropewalk/f1_comparison.json", tmp_path)) == r.to_dict()
    assert content_of(client, run, "ropewalk/f1_comparison.html", tmp_path) == r.to_html()


def test_without_a_verdict_there_is_a_tag_that_says_so(client):
    tags = data_of(client, compared(rope=None).log_to_mlflow()).tags
    assert tags["ropewalk.verdict"] == "none"
    assert "ropewalk.symbol" not in tags


def test_each_of_several_metrics_has_its_numbers_and_its_verdict(client):
    r = compared(metric=["f1", "accuracy"])
    data = data_of(client, r.log_to_mlflow())
    for one in r.metrics:
        assert data.metrics[f"{one.metric}_delta"] == one.mean
        assert data.tags[f"ropewalk.verdict.{one.metric}"] == one.decision.code


def test_an_evaluation_has_its_scores_under_their_own_names(client):
    with without_warnings():
        e = rw.evaluate(TRUTH, NEW, metric=["accuracy", "f1"], at_least=0.8, rope=0.02, **FEW)
    data = data_of(client, e.log_to_mlflow())
    assert data.metrics["accuracy"] == e["accuracy"].estimate.mean
    assert data.metrics["f1_hdi_low"] == e["f1"].estimate.hdi.low
    assert data.metrics["accuracy_prob_at_least"] == e["accuracy"].prob_at_least
    assert data.tags["ropewalk.at_least"] == "0.8"
    assert data.tags["ropewalk.verdict"] == e["accuracy"].decision.code


def test_a_ranking_has_every_system_every_pair_and_the_leader(client):
    with without_warnings():
        k = rw.rank(TRUTH, {"new": NEW, "old": OLD, "base": [1] * 240}, metric="accuracy", rope=0.01, **FEW)
    data = data_of(client, k.log_to_mlflow())
    assert data.metrics["accuracy_new"] == k["new"].estimate.mean
    assert data.metrics["accuracy_old_p_best"] == k["old"].p_best
    pairs = {key for key in data.metrics if key.endswith("_delta")}
    assert pairs == {f"accuracy_{pair}_delta" for pair in ("new_vs_old", "new_vs_base", "old_vs_base")}
    assert data.tags["ropewalk.leader"] == "new"
    assert "ropewalk.verdict" not in data.tags


def test_classes_tasks_and_slices_have_names_of_their_own(client):
    three = [0, 1, 2] * 80
    with without_warnings():
        classes = rw.compare_classes(three, three, [0, 1, 1] * 80, rope=0.01, **FEW)
        suite = rw.compare(TRUTH, NEW, OLD, metric="accuracy", task=["sums", "words"] * 120, rope=0.01, **FEW)
        slices = rw.compare(TRUTH, NEW, OLD, metric="accuracy", by=["de", "en"] * 120, rope=0.01, **FEW)
    of_classes = data_of(client, classes.log_to_mlflow())
    assert [of_classes.metrics[f"f1_{k}_delta"] for k in range(3)] == [r.mean for r in classes]
    assert "ropewalk.pos_label" not in of_classes.tags
    assert of_classes.tags["ropewalk.metric"] == "f1"
    of_tasks = data_of(client, suite.log_to_mlflow()).metrics
    assert of_tasks["accuracy_delta"] == suite.mean
    assert of_tasks["accuracy_sums_delta"] == suite.tasks["sums"].mean
    of_slices = data_of(client, slices.log_to_mlflow()).metrics
    assert {"accuracy_de_delta", "accuracy_en_delta", "accuracy_delta"} <= of_slices.keys()


def test_a_gate_has_its_outcome(client):
    with without_warnings():
        gate = rw.gate(TRUTH, NEW, OLD, metric="accuracy", require="not-worse", margin=0.05, rng=0)
    tags = data_of(client, gate.log_to_mlflow()).tags
    assert tags["ropewalk.outcome"] == gate.outcome
    assert tags["ropewalk.verdict.accuracy"] == gate.outcome


@pytest.mark.parametrize(("require", "margin"), [("not-worse", 0.05), ("better", 0.0), ("equivalent", 0.3)])
def test_the_chance_of_a_gate_is_that_of_what_is_required(require, margin):
    with without_warnings():
        gate = rw.gate(TRUTH, NEW, OLD, metric="error", require=require, margin=margin or None, **FEW)
    metrics, tags = entries(gate.to_dict())
    delta = gate.checks[0].comparison.draws.delta()
    expected = {"not-worse": delta < margin, "better": delta < 0, "equivalent": abs(delta) < margin}[require].mean()
    assert metrics["error_chance"] == pytest.approx(expected)
    assert tags["ropewalk.verdict"] == gate.checks[0].comparison.decision.code
    assert "ropewalk.requirement.1" not in tags


def test_each_of_several_requirements_has_its_outcome_and_its_chance_and_none_speaks_for_all(client):
    asked = ["accuracy not-worse 0.05", "accuracy better 0.3", "f1 better"]
    with without_warnings():
        gate = rw.gate(TRUTH, NEW, OLD, require=asked, pos_label=1, rng=0)
    data = data_of(client, gate.log_to_mlflow())
    tags = {key.removeprefix("ropewalk."): text for key, text in data.tags.items() if key.startswith("ropewalk.")}
    outcomes = [check.outcome for check in gate]
    told = [f"{check.requirement.text}: {check.outcome}" for check in gate]
    assert len(set(outcomes)) > 1
    assert tags["outcome"] == gate.outcome
    assert [tags[f"requirement.{i}"] for i in (1, 2, 3)] == told
    assert not {"verdict", "symbol", "conclusive", "stable", "leaning", "rope", "metric"} & tags.keys()
    assert not [key for key in tags if key.startswith("verdict")]
    names = ["accuracy_not-worse_0.05_chance", "accuracy_better_0.3_chance", "f1_better_chance"]
    assert [data.metrics[name] for name in names] == [check.chance for check in gate]
    assert data.metrics["accuracy_delta"] == gate.checks[0].comparison.mean
    assert not [key for key in data.metrics if key.startswith("accuracy_prob") and key.endswith("_rope")]
    assert data.metrics["f1_prob_above_rope"] == gate.checks[2].chance


def test_a_requirement_on_each_task_is_told_of_each(client):
    asked = ["accuracy better overall", "accuracy not-worse 0.05 on each task"]
    with without_warnings():
        gate = rw.gate(TRUTH, NEW, OLD, require=asked, task=["sums", "words"] * 120, **FEW)
        alone = rw.gate(TRUTH, NEW, OLD, require="accuracy better on sums", task=["sums", "words"] * 120, **FEW)
    data = data_of(client, gate.log_to_mlflow())
    told = [data.tags[f"ropewalk.requirement.{i}"].rpartition(": ") for i in (1, 2, 3)]
    assert [text for text, _, _ in told] == [
        "accuracy better 0 overall", "accuracy not-worse 0.05 on sums", "accuracy not-worse 0.05 on words"
    ]  # fmt: skip
    assert [outcome for _, _, outcome in told] == [check.outcome for check in gate]
    names = ["accuracy_better_chance", "accuracy_sums_not-worse_0.05_chance", "accuracy_words_not-worse_0.05_chance"]
    assert [data.metrics[name] for name in names] == [check.chance for check in gate]
    for task in gate.tasks:
        inside = next(check for check in gate if check.task == task).comparison.regions.inside
        assert data.metrics[f"accuracy_{task}_prob_inside_rope"] == inside
    assert entries(alone.to_dict())[0]["accuracy_sums_chance"] == alone.checks[0].chance


def test_requirements_of_an_earlier_gate_do_not_stay_beside_a_later_one(client, store):
    with without_warnings(), store.start_run() as active:
        rw.gate(TRUTH, NEW, OLD, require=["accuracy better", "f1 better"], pos_label=1, **FEW).log_to_mlflow()
        store.set_tag("ropewalk.requirement.mine", "stays")
        rw.gate(TRUTH, NEW, OLD, require="f1 better", pos_label=1, **FEW).log_to_mlflow()
    tags = data_of(client, active.info.run_id).tags
    assert [key for key in tags if key.startswith("ropewalk.requirement.")] == ["ropewalk.requirement.mine"]
    assert tags["ropewalk.verdict"] == "a_better"


def test_of_very_many_requirements_the_worst_have_tags_and_the_rest_is_counted():
    outcomes = ["met"] * 150 + ["contradicted", "undecided"]
    rows = [
        {"metric": "f1", "require": "better", "margin": 0.0, "task": f"t{k}" + "x" * 9_000 * (k == 150), "outcome": one}
        for k, one in enumerate(outcomes)
    ]
    _, tags = entries({"tasks": [], "gate": {"outcome": "contradicted", "requirements": rows}})
    told = [key for key in tags if key.startswith("ropewalk.requirement.")]
    assert len(tags) == MAX_TAGS
    assert {"ropewalk.requirement.151", "ropewalk.requirement.152"} <= set(told)
    assert tags["ropewalk.requirement.151"].endswith(": contradicted")
    assert len(tags["ropewalk.requirement.151"]) <= MAX_VALUE
    assert tags["ropewalk.left_out"] == f"{len(rows) - len(told)} requirements, which the JSON has"


@pytest.mark.slow
def test_a_self_check_gives_no_numbers_to_follow():
    with without_warnings():
        gate = rw.gate(TRUTH, NEW, OLD, metric="accuracy", require="better", self_check=True, **FEW)
    assert not [key for key in entries(gate.to_dict())[0] if "self" in key]


def test_runs_are_found_by_the_verdict_without_pandas(client, store, monkeypatch):
    run = compared().log_to_mlflow()
    verdict = data_of(client, run).tags["ropewalk.verdict"]
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = store.search_runs(filter_string=f"tags.ropewalk.verdict = '{verdict}'", output_format="list")
    assert run in [one.info.run_id for one in found]


def test_what_is_no_comparison_names_its_numbers_by_its_kind(client):
    with without_warnings():
        plan = rw.plan("F1 .6 against .5 at agreement .7", rope=0.05, max_n=500, simulations=200, draws=100, rng=0)
        battery = rw.classical.battery(TRUTH, NEW, OLD)
    data = data_of(client, plan.log_to_mlflow())
    assert data.metrics["f1_plan_delta"] == pytest.approx(0.1)
    assert not any("f1_delta" in key for key in data.metrics)
    assert len(files_of(client, battery.log_to_mlflow())) == 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Coin(Rendered):
    """A kind of answer that nothing knows of."""

    heads: int = 7
    name: str = "Ann"
    worth: float | None = None

    def to_dict(self):
        return {"schema": 1, "who": self.name, "heads": self.heads, "fair": True, "share": {"mean": 0.7, "hdi": [0, 1]}}


@describes(Coin)
def describe_coin(coin):
    return Document(title="A coin", caption="A coin", answers=(Answer(title="A coin", headline="7 heads"),), tables=())


def test_a_kind_that_nothing_knows_of_is_logged_too(client):
    run = Coin().log_to_mlflow()
    share = {"coin_share": 0.7, "coin_share_hdi_low": 0.0, "coin_share_hdi_high": 1.0}
    assert data_of(client, run).metrics == {"coin_heads": 7.0, **share}
    assert files_of(client, run) == ["ropewalk/coin.html", "ropewalk/coin.json"]


def test_every_kind_of_answer_is_logged(client):
    kinds = {kind: thing for kind, thing in things().items() if isinstance(thing, Rendered)}
    assert len(kinds) > 20
    for kind, thing in kinds.items():
        run = thing.log_to_mlflow()
        data, written = data_of(client, run), json.loads(json.dumps(thing.to_dict()))
        assert len(files_of(client, run)) == 2, kind
        if "version" in written:
            assert data.tags["ropewalk.version"] == rw.__version__, kind
        if isinstance(written.get("decision"), dict):
            assert data.tags["ropewalk.verdict"] == written["decision"]["code"], kind
        if isinstance(written.get("delta"), dict) and written["delta"]["mean"] is not None:
            assert written["delta"]["mean"] in data.metrics.values(), kind


def test_numbers_that_are_doubtful_or_none_are_left_out():
    factor = {"sd": 2.0, "sd_reliable": False, "rope": 3.0, "rope_reliable": True}
    more = {"n": 400, "reachable": False}
    parts = {"delta": {"mean": math.inf, "std": None, "hdi": [None, 0.5]}, "bayes_factor": factor, "more_data": more}
    metrics, _ = entries({"metric": "f1", **parts})
    assert metrics == {"f1_delta_hdi_high": 0.5, "f1_bf_rope": 3.0}


# -- runs --------------------------------------------------------------------------------------------------


def test_without_a_run_one_is_started_and_ended(client, store):
    run = compared().log_to_mlflow()
    assert store.active_run() is None
    assert status_of(client, run) == "FINISHED"


def test_an_active_run_stays_active(client, store):
    with store.start_run() as active:
        assert compared().log_to_mlflow() == active.info.run_id
        assert store.active_run().info.run_id == active.info.run_id
        assert status_of(client, active.info.run_id) == "RUNNING"
    assert "f1_delta" in data_of(client, active.info.run_id).metrics


def test_a_run_that_is_named_is_written_into_whatever_is_active(client, store):
    with store.start_run() as named:
        pass
    with store.start_run() as active:
        assert compared().log_to_mlflow(run_id=named.info.run_id) == named.info.run_id
        assert data_of(client, active.info.run_id).metrics == {}
    assert status_of(client, named.info.run_id) == "FINISHED"


def test_two_answers_fit_into_one_run(client, store):
    first, second = compared(), compared(metric="accuracy", rope=0.01, model="unpaired")
    with store.start_run() as active:
        first.log_to_mlflow()
        second.log_to_mlflow()
    data = data_of(client, active.info.run_id)
    assert (data.metrics["f1_delta"], data.metrics["accuracy_delta"]) == (first.mean, second.mean)
    assert data.tags["ropewalk.verdict.f1"] == first.decision.code
    assert data.tags["ropewalk.verdict"] == data.tags["ropewalk.verdict.accuracy"] == second.decision.code
    assert len(files_of(client, active.info.run_id)) == 4


def test_tags_of_an_earlier_answer_do_not_stay_beside_a_later_one(client, store):
    with store.start_run() as active:
        compared().log_to_mlflow()
        store.set_tag("ropewalk.mine", "stays")
        compared(metric="accuracy", rope=None).log_to_mlflow()
    tags = data_of(client, active.info.run_id).tags
    assert tags["ropewalk.verdict"] == "none"
    assert not {"ropewalk.symbol", "ropewalk.rope", "ropewalk.pos_label"} & tags.keys()
    assert tags["ropewalk.mine"] == "stays"


def test_prefixes_keep_answers_apart_that_are_called_alike(client, store):
    one, two = compared(), compared(rope=0.2)
    with store.start_run() as active:
        one.log_to_mlflow(prefix="valid/")
        two.log_to_mlflow(prefix="test/", name="the last one")
    data = data_of(client, active.info.run_id)
    assert data.metrics["valid/f1_delta"] == one.mean
    assert (data.tags["ropewalk.valid.rope"], data.tags["ropewalk.test.rope"]) == ("[-0.05, 0.05]", "[-0.2, 0.2]")
    names = [
        f"ropewalk/{name}.{end}" for name in ("test_the_last_one", "valid_f1_comparison") for end in ("html", "json")
    ]
    assert files_of(client, active.info.run_id) == names


def test_the_steps_of_a_metric_are_kept(client, store):
    with store.start_run() as active:
        for step in range(3):
            compared(rng=step).log_to_mlflow(step=step)
    history = client.get_metric_history(active.info.run_id, "f1_delta")
    assert [(one.step, one.value) for one in history] == [(k, compared(rng=k).mean) for k in range(3)]


# -- hostile and broken ------------------------------------------------------------------------------------


def test_hostile_names_of_systems_are_logged_under_safe_ones(client):
    names = [*NAMES.values(), "a/b", "a_b", "A_B", "../../etc", "x" * 900, "\ud800", "漢字", "", " "]
    unlike = list(dict.fromkeys(name for name in names if name.strip()))[:40]
    models = [{"name": name, "mean": k / 100, "hdi": [0.0, 1.0], "p_best": 0.1} for k, name in enumerate(unlike)]
    metrics, tags = entries({"metric": "<b>\n", "a": {"name": unlike[0], "mean": 1.0}, "models": models}, "p/")
    means = [value for key, value in metrics.items() if not key.endswith(("_low", "_high", "_p_best"))]
    assert means == [1.0, *(k / 100 for k in range(len(unlike)))]  # none was written over another
    validation = need("mlflow.utils.validation")
    for key, value in metrics.items():
        validation._validate_metric(key, value, 0, 0)
    for key, value in tags.items():
        validation._validate_tag(key, value)
        assert value.isprintable()


def test_systems_with_hostile_names_go_through_the_store(client):
    r = compared(names=["<script>\u202e" * 9, "a/../b\n"])
    run = r.log_to_mlflow(prefix="../p q/", name="../../x")
    assert data_of(client, run).metrics["p_q/f1_delta"] == r.mean
    assert files_of(client, run) == ["ropewalk/p_q_x.html", "ropewalk/p_q_x.json"]


def test_a_ranking_of_many_is_cut_to_what_a_run_takes_and_says_so(client):
    count = 60
    models = [{"name": f"m{k}", "mean": 0.5, "hdi": [0.4, 0.6]} for k in range(count)]
    verdict = {"code": "undecided"}
    pairs = [
        {"a": f"m{i}", "b": f"m{j}", "delta": {"mean": 0.0, "hdi": [-1.0, 1.0]}, "decision": verdict}
        for i in range(count)
        for j in range(i)
    ]
    metrics, tags = entries({"metric": "f1", "models": models, "pairwise": pairs})
    assert len(metrics) == MAX_METRICS
    assert all(f"f1_m{k}" in metrics for k in range(count))
    assert tags["ropewalk.left_out"] == f"{3 * (count + len(pairs)) - MAX_METRICS:,} numbers, which the JSON has"
    assert len(tags) <= MAX_TAGS


def test_an_artifact_that_fails_leaves_no_run_running_and_no_numbers(client, store, monkeypatch):
    def fail(self, run_id, *_):
        tried.append(run_id)
        raise PermissionError(13, "Permission denied", "somewhere")

    tried = []
    monkeypatch.setattr(store.MlflowClient, "log_text", fail)
    with pytest.raises(UnreachableDatabaseError, match="MLflow did not take the answer: PermissionError") as error:
        compared().log_to_mlflow()
    assert error.value.hint
    assert store.active_run() is None
    assert status_of(client, tried[0]) == "FAILED"
    assert data_of(client, tried[0]).metrics == {}


def test_a_failure_leaves_the_active_run_to_its_owner(client, store, monkeypatch):
    monkeypatch.setattr(store.MlflowClient, "log_batch", lambda *_, **__: 1 / 0)
    with store.start_run() as active:
        with pytest.raises(UnreachableDatabaseError, match="ZeroDivisionError"):
            compared().log_to_mlflow()
        assert status_of(client, active.info.run_id) == "RUNNING"


def test_a_store_that_does_not_answer_is_not_taken_for_a_run_that_is_not_there(client, store, monkeypatch):
    def fail(*_):
        raise store.exceptions.MlflowException("API request failed with exception")

    monkeypatch.setattr(store.MlflowClient, "get_run", fail)
    with pytest.raises(UnreachableDatabaseError, match="API request failed"):
        compared().log_to_mlflow(run_id="any")


def test_a_password_of_the_store_is_not_shown(client, store, monkeypatch):
    def fail(*_, **__):
        raise OSError("https://ann:secret@example.org went away")

    monkeypatch.setattr(store.MlflowClient, "log_batch", fail)
    with pytest.raises(UnreachableDatabaseError) as error:
        compared().log_to_mlflow()
    assert "secret" not in str(error.value)
    assert "example.org" in str(error.value)


def test_a_page_that_cannot_be_drawn_starts_no_run(client, store, monkeypatch):
    before = len(client.search_runs([client.get_experiment_by_name("tests").experiment_id]))
    monkeypatch.setattr(type(compared()), "to_html", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        compared().log_to_mlflow()
    assert len(client.search_runs([client.get_experiment_by_name("tests").experiment_id])) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"run_id": "nowhere"}, "MLflow has no run 'nowhere'"),
        ({"run_id": "../\n\x1b[31m"}, "MLflow has no run"),
        ({"run_id": 3}, "`run_id` must be a text"),
        ({"prefix": 3}, "`prefix` must be a text"),
        ({"prefix": "x" * 300}, "`prefix` has 300 letters"),
        ({"name": b"x"}, "`name` must be a text"),
        ({"step": -1}, "`step` must be a whole number"),
        ({"step": 0.5}, "`step` must be a whole number"),
    ],
)
def test_an_option_that_cannot_be_used_is_refused(client, options, message):
    with pytest.raises(InvalidInputError, match=message) as error:
        compared().log_to_mlflow(**options)
    assert error.value.hint
    assert str(error.value).replace("\n", "").isprintable()


def test_without_mlflow_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(MissingDependencyError, match="needs mlflow, which is not installed") as error:
        compared().log_to_mlflow()
    assert error.value.hint == "pip install 'ropewalk[mlflow]'"
