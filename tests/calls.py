"""One good call of every public function, constructor and method: what hostile values are put into.

A call is made new each time, so that one that changes its arguments is found out. `Call.parameters` are those that the
signature shows, whether the good call gives them or not.
"""

from __future__ import annotations

import functools
import inspect
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

import ropewalk as rw
from ropewalk.models import Tree
from support import without_warnings

ROOMS = [
    "", "analysis", "classical", "curves", "curves.costs", "data.examples", "metrics", "models", "planning", "plots",
    "resampling",
]  # fmt: skip
FAST = {"draws": 200, "rng": 0}
TRUTH = [0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 0, 0]
NEW = [0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1]
OLD = [0, 1, 0, 0, 1, 1, 0, 1, 0, 0, 0, 1]
SCORES = [0.1, 0.8, 0.7, 0.3, 0.9, 0.2, 0.4, 0.6, 0.3, 0.8, 0.1, 0.6]
OTHERS = [0.2, 0.7, 0.4, 0.3, 0.9, 0.6, 0.3, 0.6, 0.2, 0.4, 0.3, 0.5]
FOLDS = ([0.81, 0.79, 0.84, 0.90, 0.88], [0.78, 0.77, 0.80, 0.89, 0.83], [0.75, 0.78, 0.79, 0.85, 0.80])
HALVES = ([[0.8, 0.82], [0.81, 0.79], [0.83, 0.8], [0.82, 0.81], [0.8, 0.83]],
          [[0.76, 0.79], [0.78, 0.77], [0.79, 0.78], [0.8, 0.77], [0.77, 0.8]])  # fmt: skip
COSTS = [[0, 1], [5, 0]]
PEAKS = (lambda t: np.exp(-abs(t)) / 2), (lambda t: np.exp(-abs(t - 1)) / 2)
STUDY = {"simulations": 20, "draws": 100, "rng": 0}
PLANNED = {"simulations": 200, "draws": 100, "rng": 0}


def nearest(X_train, y_train, X_test):
    """Train a classifier: what is nearest decides."""
    return np.asarray(y_train)[abs(np.subtract.outer(np.asarray(X_test), np.asarray(X_train))).argmin(axis=1)]


def above(X_train, y_train, X_test, *, cut=0.5):
    """Train a classifier: what is above a cut is positive."""
    return (np.asarray(X_test) > cut).astype(int)


class Above:
    """An estimator as scikit-learn's are."""

    def __init__(self, cut=0.5):
        self.cut = cut

    def get_params(self, *, deep=True):
        return {"cut": self.cut}

    def set_params(self, cut):
        self.cut = cut
        return self

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (np.asarray(X)[:, 0] > self.cut).astype(int)


def items(n=40):
    """Return items that the classifiers above can learn, as one column or as a table."""
    y = np.tile([0, 1], n // 2)
    return y + np.random.default_rng(0).normal(size=n) / 3, y


def connection():
    """Return a database with a table of predictions."""
    made = sqlite3.connect(":memory:")
    made.execute("CREATE TABLE preds AS SELECT 1 AS y, 1 AS new, 0 AS old UNION ALL SELECT 0, 0, 0")
    return made


def records(**columns):
    """Return a table as a dataframe."""
    return import_module("pandas").DataFrame(columns)


def logged():
    """Return a log of two systems on two tasks."""
    columns = {"system": ["a", "b"] * 4, "item": [1, 1, 2, 2] * 2, "score": [1, 0, 1, 1, 0, 1, 0, 0]}
    return rw.read_long(records(**columns, task=["x"] * 4 + ["y"] * 4), score="score", task="task")


DATA_SETS = {
    "set": list("abcdef"),
    "new": [0.98, 0.76, 0.75, 0.72, 0.74, 0.94],
    "old": [0.94, 0.73, 0.69, 0.72, 0.71, 0.93],
    "base": [0.90, 0.70, 0.71, 0.70, 0.65, 0.92],
}


@dataclass(frozen=True)
class Call:
    """A call that is answered: of `function`, with these arguments."""

    name: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)

    def places(self) -> list[int | str]:
        """Return where a value can be put: positions of what is given by position, and names of options."""
        shown = inspect.signature(self.function).parameters.values()
        by_name = [p.name for p in shown if p.kind is p.KEYWORD_ONLY or p.kind is p.POSITIONAL_OR_KEYWORD]
        taken = [p.name for p in shown][: len(self.arguments)]
        return [*range(len(self.arguments)), *(name for name in by_name if name not in taken)]

    def __call__(self, changes: Mapping[int | str, Any] | None = None) -> Any:
        changes = dict(changes or {})
        arguments = [changes.pop(i, value) for i, value in enumerate(self.arguments)]
        return self.function(*arguments, **{**self.options, **changes})


def _(*arguments: Any, **options: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    return arguments, options


@functools.cache
def things() -> dict[str, Any]:
    """Return one of each thing whose methods are public; they are frozen, and shared."""
    with without_warnings():
        return {type(thing).__name__: thing for thing in _made()}


def _made() -> list[Any]:
    table = rw.Outcomes.from_arrays(TRUTH, NEW, OLD, names=["new", "old"])
    tags = rw.MultilabelOutcomes.from_arrays([[1, 0], [1, 1]], [[1, 0], [0, 1]], [[1, 1], [1, 0]])
    scores = rw.ItemScores.from_arrays(TRUTH, SCORES, OTHERS, names=["new", "old"])
    asked = {"metric": "accuracy", "rope": 0.1, **FAST}
    r = rw.compare(TRUTH, NEW, OLD, tests=True, flips=True, **{**asked, "metric": ["accuracy", "f1"]})
    ranking = rw.rank(TRUTH, NEW, OLD, NEW[::-1], **asked)
    evaluation = rw.evaluate(TRUTH, NEW, at_least=0.5, **FAST)
    x, y = items()
    scenario = rw.BinaryScenario(positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
    learner, table_of = Above(), x[:, None]
    cross = rw.cross_compare(learner, Above(0.2), table_of, y, cv=2, **asked)
    bias = rw.analysis.bias_variance
    return [
        table, tags, scores, r, ranking, evaluation, evaluation.metrics[0], cross, cross.predictions, r.flips,
        rw.compare_classes(TRUTH, NEW, OLD, rope=0.1, **FAST), r.items(), r.predictive_check(draws=20, rng=0),
        r.prior_sensitivity(), rw.compare(TRUTH, NEW, OLD, by=TRUTH[::-1], **asked).by, ranking.pairwise[0],
        rw.plan(scenario, goal="A≫B", n=50, rope=0.1, **PLANNED), rw.power(scenario, 50, rope=0.1, **STUDY), r.tests,
        rw.stopping(scenario, rw.StopWhen(conclusive=True, max_n=100), rope=0.1, **STUDY),
        r.more_data(method="extrapolation"), r.worth_of_labels(max_loss=0.05, max_n=1_000),
        rw.classical.paired_t(*FOLDS[:2]), rw.classical.nemenyi(*FOLDS), rw.classical.rule_of_thumb(0.8, 0.1, 0.7, 0.1),
        rw.classical.repeated(FOLDS[0]), rw.curves.roc(TRUTH, SCORES, **FAST), rw.curves.pr(TRUTH, SCORES, **FAST),
        rw.curves.calibration(TRUTH, SCORES, **FAST), rw.curves.threshold(TRUTH, SCORES, metric="f1", **FAST),
        rw.costs.curve(TRUTH, SCORES, cost_matrix=COSTS, **FAST), rw.analysis.confusion(table, name="new", **FAST),
        rw.analysis.bayes_error_table([[0.4, 0.1], [0.2, 0.3]]), rw.analysis.learning_curve(nearest, x, y, **FAST),
        rw.analysis.bayes_error(PEAKS, [0.5, 0.5], support=(-20, 20)),
        bias(nearest, x, y, x, y, n_sets=3, rng=0), bias(nearest, x, y, x, y, n_sets=3, rng=0, loss="zero_one"),
        rw.costs.minimum_risk([0.01, 0.4], COSTS), rw.Query("SELECT * FROM preds WHERE y = ?", connection(), [1]),
        rw.resampling.train_validation_test(learner, {"cut": [0.2, 0.5]}, table_of, y, rng=0, draws=100),
        logged(),
        rw.compare_tasks(logged(), a="a", b="b", **FAST),
        rw.watch(TRUTH, NEW, OLD, require="better", **FAST),
        (gate := rw.gate(TRUTH, NEW, OLD, require="better", **FAST)), gate.checks[0],
        rw.Sampler(n_chains=2), rw.StopWhen(conclusive=True, max_n=100),
    ]  # fmt: skip


@functools.cache
def functions() -> dict[str, Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]]:
    """Return what makes the arguments of every public function."""
    asked = {"metric": "accuracy", "rope": 0.1, **FAST}
    posed = {"goal": "A≫B", "rope": 0.05}
    pair, several, paired = (lambda: _(TRUTH[:], NEW[:], OLD[:])), lambda: _(*map(list, FOLDS)), lambda: _(*FOLDS[:2])
    x, y = items()
    split = {"X_test": x[::2], "y_test": y[::2]}

    def scenario():
        return rw.BinaryScenario(positive=[0.3, 0.3, 0.2, 0.2], negative=[0.2, 0.2, 0.3, 0.3])

    def joined(**columns):
        return records(id=[1, 2, 3], **columns), records(id=[3, 1, 2], **columns)

    def of(kind):
        return lambda: _(things()[kind])

    return {
        "compare": lambda: _(TRUTH[:], NEW[:], OLD[:], cluster=TRUTH[::-1], **asked),
        "compare_classes": lambda: _(TRUTH[:], NEW[:], OLD[:], **FAST),
        "count_logs": lambda: _(logged().only(task="x"), predictions=["a", "b"]),
        "compare_tasks": lambda: _(logged(), a="a", b="b", **FAST),
        "suite": lambda: _(dict(zip("xy", things()["TaskComparisons"], strict=True)), over="these", **FAST),
        "compare_datasets": lambda: _(DATA_SETS, dataset="set", a="new", b="old", rope=0.01, draws=200, rng=0),
        "compare_folds": lambda: _(*FOLDS[:2], folds=len(FOLDS[0]), rope=0.01, draws=200, rng=0),
        "pool": lambda: _([0.03, 0.01, 0.05, 0.02], [0.01, 0.02, 0.02, 0.01], rope=0.01, draws=200, rng=0),
        "rank_datasets": lambda: _(DATA_SETS, dataset="set", scores=["new", "old", "base"], draws=200, rng=0),
        "cross_compare": lambda: _(Above(), Above(0.2), x[:, None], y.copy(), cv=2, **asked),
        "evaluate": lambda: _(TRUTH[:], NEW[:], at_least=0.5, **FAST),
        "rank": lambda: _(TRUTH[:], NEW[:], OLD[:], NEW[::-1], **asked),
        "from_arviz": lambda: _({"acc": np.tile([[[0.8, 0.7]], [[0.9, 0.6]]], (1, 50, 1))}, a="acc[0]", b="acc[1]"),
        "from_netcdf": lambda: _("missing.nc"),
        "join_outcomes": lambda: _(*joined(y=[1, 1, 1], said=[1, 0, 0]), id="id", truth="y", prediction="said",
                                   unmatched="drop"),
        "join_scores": lambda: _(*joined(passed=[1, 0, 1]), id="id", prediction="passed"),
        "plan": lambda: _(scenario(), n=50, **posed, **PLANNED),
        "power": lambda: _(scenario(), [50], **posed, **STUDY),
        "stopping": lambda: _(scenario(), rw.StopWhen(conclusive=True, max_n=100), **posed, **STUDY),
        "watch": lambda: _(TRUTH[:], NEW[:], OLD[:], require="not-worse", margin=0.1, **FAST),
        "gate": lambda: _(TRUTH[:], NEW[:], OLD[:], require=["f1 better 0.1", "not-worse"], margin=0.1, **FAST),
        "predictive_check": lambda: _(things()["Comparison"], draws=20, rng=0),
        "read_counts": lambda: _("missing.json"),
        "read_log": lambda: _("missing.jsonl"),
        "read_long": lambda: _(records(system=["a", "b"], item=[1, 1], score=[1, 0]), score="score"),
        "read_multilabel": lambda: _(records(i=[1, 1, 2], l=["x", "y", "x"], y=[1, 0, 1], a=[1, 1, 0]),
                                     item="i", label="l", truth="y", predictions=["a"]),
        "read_outcomes": lambda: _(records(y=[1, 0], a=[1, 1]), truth="y", predictions=["a"]),
        "read_sql": lambda: _("SELECT * FROM preds", connection(), truth="y", predictions=["new", "old"]),
        "analysis.bayes_error": lambda: _(PEAKS,
                                          [0.5, 0.5], support=(-20, 20)),
        "analysis.bayes_error_table": lambda: _([[0.4, 0.1], [0.2, 0.3]], cost_matrix=COSTS, labels=[0, 1]),
        "analysis.bias_variance": lambda: _(nearest, x.copy(), y.copy(), **split, n_sets=3, rng=0),
        "analysis.confusion": lambda: _(TRUTH[:], NEW[:], **FAST),
        "analysis.confusions": of("Comparison"),
        "analysis.learning_curve": lambda: _(nearest, x.copy(), y.copy(), sizes=[4, 8], cv=2, **FAST),
        "analysis.total_cost": lambda: _([[90, 10], [5, 45]], [[0, 1], [10, 0]]),
        "analysis.train_test_error": lambda: _(nearest, x.copy(), y.copy(), **FAST),
        "analysis.validation_curve": lambda: _(above, x.copy(), y.copy(), parameter="cut", values=[0.0, 0.5], cv=2,
                                               **FAST),
        "classical.adjust": lambda: _([0.01, 0.04, 0.03]),
        **dict.fromkeys(["classical.anova", "classical.friedman", "classical.iman_davenport", "classical.nemenyi"],
                        several),
        **dict.fromkeys(["classical.paired_t", "classical.sign", "classical.wilcoxon"], paired),
        **dict.fromkeys([f"classical.{name}" for name in (
            "battery", "cochran_q", "mcnemar", "sign_classes", "sign_items", "t_classes", "t_items", "wilcoxon_classes",
        )], pair),
        "classical.permutation": lambda: _(TRUTH[:], NEW[:], OLD[:], n_permutations=200, rng=0),
        "classical.corrected_t": lambda: _(*FOLDS[:2], n_train=80, n_test=20),
        "classical.cv5x2_f": lambda: _(*HALVES),
        "classical.cv5x2_t": lambda: _(*HALVES),
        "classical.delong": lambda: _(TRUTH[:], SCORES[:], OTHERS[:]),
        "classical.delong_interval": lambda: _(TRUTH[:], SCORES[:]),
        "classical.obuchowski_rockette": lambda: _(TRUTH[:], [SCORES[:], OTHERS[:]], [OTHERS[:], SCORES[:]]),
        "classical.repeated": lambda: _(list(FOLDS[0]), n_train=80, n_test=20),
        "classical.rule_of_thumb": lambda: _(0.08, 0.002, 0.06, 0.003),
        **{f"curves.{name}": lambda: _(TRUTH[:], SCORES[:], **FAST) for name in ("calibration", "pr", "roc")},
        "curves.threshold": lambda: _(TRUTH[:], SCORES[:], metric="f1", **FAST),
        "curves.costs.curve": lambda: _(TRUTH[:], SCORES[:], cost_matrix=[[0, 1], [5, 0]], **FAST),
        "curves.costs.minimum_risk": lambda: _([0.01, 0.4, 0.95], [[0, 1, 0.1], [5, 0, 0.1]], decisions=[*"nya"]),
        "curves.costs.optimal_threshold": lambda: _([[0, 10], [1000, 10]]),
        "data.examples.bundled": lambda: _("news20.csv"),
        **{f"data.examples.{name}": _ for name in rw.examples.__all__ if name[0].islower() and name != "bundled"},
        "metrics.cost": lambda: _([[0, 1], [5, 0]]),
        "metrics.fbeta": lambda: _(2),
        "metrics.parse_metric": lambda: _("cost", [[0, 1], [5, 0]]),
        "metrics.score": lambda: _(TRUTH[:], SCORES[:], "roc_auc"),
        "models.model_names": _,
        "models.papers_models": lambda: _(2),
        "models.parse_model": lambda: _("tree", n_labels=20),
        "models.register": lambda: _(Tree),
        "planning.more_data": lambda: _(things()["Comparison"], method="extrapolation"),
        "planning.worth_of_labels": lambda: _(things()["Comparison"], max_loss=0.05, max_n=1_000),
        **{f"plots.{name}": of("Comparison") for name in (
            "plot_posterior", "plot_draws", "plot_ess", "plot_factor", "plot_joint", "plot_rope_curve", "plot_trace",
        )},
        "plots.plot_budget": lambda: _(rw.plan(components={"item": 0.2, "run": 0.001, "noise": 0.1}, budget=900,
                                               cost={"item": 1, "run": 30})),
        "plots.plot_calibration": of("CalibrationCurve"),
        "plots.plot_confusion": of("Confusion"),
        "plots.plot_cost": lambda: _(rw.costs.curve(TRUTH, SCORES, cost_matrix=COSTS, **FAST)),
        "plots.plot_discrepancy": of("PredictiveCheck"),
        "plots.plot_equivalence": lambda: _(rw.rank(TRUTH, NEW, OLD, rope=0.1, **FAST)),
        **dict.fromkeys(["plots.plot_runs", "plots.plot_doubt"],
                        lambda: _(rw.compare(TRUTH, [NEW, OLD], [OLD, NEW], runs="shared", **FAST))),
        "plots.plot_pairwise": of("Ranking"),
        "plots.plot_per_class": of("ClassComparisons"),
        "plots.plot_power": of("PowerResult"),
        "plots.plot_pr": of("PrCurve"),
        "plots.plot_prior_sensitivity": of("PriorSensitivity"),
        "plots.plot_ranking": of("Ranking"),
        "plots.plot_replicates": lambda: _(things()["PredictiveCheck"], n=2),
        "plots.plot_roc": of("RocCurve"),
        "plots.plot_shrinkage": lambda: _(rw.pool([0.1, 0.2, 0.4], [0.1, 0.1, 0.2], rope=0.1, **FAST)),
        "plots.plot_triangle": lambda: _(rw.compare_datasets(DATA_SETS, dataset="set", a="new", b="old", rope=0.01,
                                                             metric="accuracy", **FAST)),
        "resampling.cross_predict": lambda: _({"a": Above(), "b": Above(0.2)}, x[:, None], y.copy(), cv=2, rng=0),
        "resampling.train_validation_test": lambda: _(Above(), {"cut": [0.2, 0.5]}, x[:, None], y.copy(), rng=0,
                                                      draws=100),
    }  # fmt: skip


def public_functions() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public function by its name."""
    seen = set()
    for room in ROOMS:
        module = import_module(f"ropewalk.{room}".rstrip("."))
        for name in module.__all__:
            function = getattr(module, name)
            if inspect.isfunction(function) and function not in seen and name != "ratio":  # which every draw calls
                seen.add(function)
                yield f"{room}.{name}".lstrip("."), function


# What is made of the arguments below, or hands them on: a class of ours, or a constructor with another name.
HOOKS = {  # of a model, a metric or a table of draws, for the rest of the package to call
    "fit", "weights", "steadied", "summary", "suited", "hides_class", "over_clusters", "exact_for", "prior_for",
    "changed_fields", "unlearned", "variants", "scaled", "call", "around", "counted", "parts_of", "fit_types",
    "fixed_for", "by_class", "told", "finding", "require_data", "is_joint_with", "as_row", "stops_each", "width_at",
    "mirrored", "of_systems", "in_order", "read_in_order", "part", "taken",
    "log_to_mlflow",  # which takes a store: all kinds of answers are logged in tests/exchange/test_mlflow.py
}  # fmt: skip


MADE_BY_US = ("ropewalk.results", "ropewalk.data.logs", "ropewalk.models.protocol")


@functools.cache
def constructors() -> dict[str, Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]]:
    """Return what makes the arguments of every class that users make things of."""
    tags = [[1, 0], [1, 1]]
    return {
        "Bootstrap": _,
        "DeltaPrior": lambda: _(model=rw.models.Sigir2016(), delta=import_module("scipy.stats").norm(0, 0.02)),
        "Flat": lambda: _(theta_prior=1.0, mu_prior=1.0),
        "HalfNormal": lambda: _(0.01),
        "Icdm2015": _,
        "Items": lambda: _(ends=(0.0, 1.0)),
        "LearnedTree": _,
        "LogitNormal": lambda: _(location=1, scale=2, pooled=True),
        "Multilabel": _,
        "NoisyLabels": lambda: _(error=0.05),
        "OwnPriors": lambda: _(mu=(2, 38), rho=((8, 2), (1, 9))),
        "Pooled": _,
        "PowerPrior": lambda: _(rw.models.Sigir2016(), things()["Outcomes"], discount=0.1),
        "Sigir2016": lambda: _(positive=(2, 1, 1, 1)),
        "Sigir2016Unpaired": _,
        "Tree": lambda: _(kappa=2, centre="pooled"),
        "BinaryScenario": lambda: _(prevalence=0.5, positive=[0.3, 0.3, 0.2, 0.2], negative=[0.2, 0.2, 0.3, 0.3]),
        "ConfusionScenario": lambda: _(a=[[90, 10], [20, 80]], b=[[85, 15], [25, 75]], agreement=0.9),
        "JointScenario": lambda: _(table=[[[0.4, 0.05], [0.02, 0.03]], [[0.04, 0.06], [0.1, 0.3]]]),
        "MetricScenario": lambda: _(metric="f1", a=0.6, b=0.5, agreement=0.7, prevalence=0.2),
        "StopWhen": lambda: _(width=0.1, min_n=200, max_n=5_000),
        "Sampler": lambda: _(step="metropolis"),
        "Query": lambda: _("SELECT * FROM preds WHERE y = ?", connection(), [1]),
        "Outcomes.empty": lambda: _([0, 1], ["a", "b"]),
        "Outcomes.from_arrays": lambda: _(TRUTH[:], NEW[:], OLD[:], names=["a", "b"]),
        "Outcomes.from_confusion": lambda: _([[90, 10], [5, 45]], name="svm"),
        "Outcomes.from_counts": lambda: _([[[400, 40], [20, 30]], [[40, 35], [60, 300]]], names=["a", "b"]),
        "Outcomes.from_json": lambda: _(things()["Outcomes"].to_json()),
        "Outcomes.from_pairs": lambda: _(positive=[300, 60, 35, 40], negative=[30, 20, 40, 400]),
        "Outcomes.from_rows": lambda: _([(1, 1, 0), (0, 0, 0)], [12, 30], names=["a", "b"]),
        "Outcomes.load": lambda: _("missing.json"),
        "MultilabelOutcomes.empty": lambda: _([0, 1], ["a", "b"]),
        "MultilabelOutcomes.from_arrays": lambda: _(tags, [[1, 0], [0, 1]], names=["a"]),
        "MultilabelOutcomes.from_json": lambda: _(things()["MultilabelOutcomes"].to_json()),
        "MultilabelOutcomes.from_long": lambda: _([*"abb"], [*"xyx"], [1, 0, 1], [1, 1, 0], n_items=9),
        "MultilabelOutcomes.load": lambda: _("missing.json"),
        "ItemScores.empty": lambda: _([0, 1], ["a", "b"]),
        "ItemScores.from_arrays": lambda: _(TRUTH[:], SCORES[:], OTHERS[:], names=["a", "b"]),
        "ItemScores.read": lambda: _(records(y=[1, 0], a=[0.1, 0.2]), truth="y", predictions=["a"]),
    }  # fmt: skip


@functools.cache
def methods() -> dict[str, Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]]:
    """Return what makes the arguments of every method that needs some."""
    return {
        "Outcomes.agreement": lambda: _("new", "old"),
        "Outcomes.collapse": lambda: _(1),
        "Outcomes.confusion": lambda: _("new"),
        **{f"{kind}.over": lambda: _([0, 1, 2]) for kind in ("Outcomes", "MultilabelOutcomes")},
        **{f"{kind}.position": lambda: _("new") for kind in ("Outcomes", "ItemScores")},
        **{f"{kind}.project": lambda: _(["new"]) for kind in ("Outcomes", "ItemScores")},
        **{f"{kind}.rename": lambda: _(["x", "y"]) for kind in ("Outcomes", "ItemScores", "MultilabelOutcomes")},
        "MultilabelOutcomes.position": lambda: _("A"),
        "MultilabelOutcomes.project": lambda: _(["A"]),
        "MultilabelOutcomes.table": lambda: _(0),
        "Outcomes.relabel": lambda: _(["no", "yes"]),
        "ItemScores.against_rest": lambda: _(1),
        "CrossPredictions.position": lambda: _("A"),
        "CrossPredictions.repeat_scores": lambda: _("accuracy"),
        "CrossPredictions.fold_scores": lambda: _("accuracy"),
        "CrossPredictions.compare": lambda: _(**FAST),
        "CrossPredictions.evaluate": lambda: _("A", **FAST),
        "CrossPredictions.scores_of": _,
        **{f"{kind}.predictive_check": lambda: _(draws=20, rng=0) for kind in (
            "Comparison", "CrossComparison", "Ranking", "MetricPosterior",
        )},
        **{f"{kind}.more_data": lambda: _(method="extrapolation") for kind in ("Comparison", "CrossComparison")},
        **{f"{kind}.worth_of_labels": lambda: _(max_loss=0.05, max_n=1_000) for kind in (
            "Comparison", "CrossComparison",
        )},
        "Comparison.prob_all_better": lambda: _("accuracy", "f1"),
        "CrossComparison.prob_all_better": lambda: _("accuracy"),
        "Battery.p_value": lambda: _("sign_items"),
        "Nemenyi.p_value": lambda: _("A", "B"),
        "ClassicalTest.critical_value": lambda: _(0.05),
        "BayesError.decide": lambda: _([0.2, 0.3]),
        "BayesError.posterior": lambda: _([0.2, 0.3]),
        "Confusion.interval": lambda: _(0, 1),
        "PredictiveCheck.of": lambda: _("accuracy"),
        "Pair.turned": lambda: _(things()["Ranking"].pairwise[1].contrast),
        "Ranking.pair": lambda: _("A", "B"),
        "StopWhen.stops": lambda: _(things()["Comparison"]),
        "Query.arrays": lambda: _(["y", "new"]),
        "Query.count": lambda: _(["y", "new"]),
        "Query.lists": lambda: _(["y", "new"]),
        "Query.rows": lambda: _(["y", "new"]),
        "Query.first_rows": lambda: _(["y", "new"]),
        "Sampler.per_chain": lambda: _(100),
        "ThresholdCurve.regret_of": lambda: _(0.5),
        **{f"{kind}.save": lambda: _("saved.json") for kind in ("Outcomes", "MultilabelOutcomes")},
        **{f"{kind}.to_netcdf": lambda: _("saved.nc") for kind in (
            "Comparison", "CrossComparison", "Ranking", "MetricPosterior",
        )},
        "Log.only": lambda: _(system="a"),
    }  # fmt: skip


def public_methods() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every public method of the things above that takes something, bound to one of them, by its name."""
    for kind, thing in things().items():
        for name in (name for name in dir(thing) if not name.startswith("_") and name not in HOOKS):
            member = inspect.getattr_static(thing, name)
            if inspect.isfunction(member) and len(inspect.signature(member).parameters) > 1:
                yield f"{kind}.{name}", getattr(thing, name)


def public_constructors() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every class that users make things of, and its other constructors, by name."""
    for room in ("models", "planning", "data", "mcmc"):
        module = import_module(f"ropewalk.{room}")
        for kind in (member for member in map(vars(module).get, module.__all__) if inspect.isclass(member)):
            others = [name for name, member in vars(kind).items() if isinstance(member, classmethod)]
            inherited = [name for base in kind.__mro__[1:] for name, member in vars(base).items()
                         if isinstance(member, classmethod) and not name.startswith("_")]  # fmt: skip
            names = [name for name in dict.fromkeys([*others, *inherited]) if name[0] != "_" and name not in HOOKS]
            for name in names:
                yield f"{kind.__name__}.{name}", getattr(kind, name)
            if not names and (kind.__name__ in constructors() or not kind.__module__.startswith(MADE_BY_US)):
                yield kind.__name__, kind


@functools.cache
def known() -> dict[str, tuple[Callable[..., Any], Callable[[], Any] | None]]:
    """Return all that is public with what makes its arguments; None where the tables above have nothing for it."""
    found: dict[str, Any] = {name: (function, functions().get(name)) for name, function in public_functions()}
    found |= {name: (make, constructors().get(name)) for name, make in public_constructors()}
    for name, method in public_methods():
        found[name] = method, methods().get(name, None if needs(method) else _)
    return found


def needs(function: Callable[..., Any]) -> bool:
    """Whether a function takes something that has no default."""
    shown = inspect.signature(function).parameters.values()
    return any(p.default is p.empty and p.kind is not p.VAR_POSITIONAL for p in shown)


def call_of(name: str) -> Call:
    """Return the good call of a name, its arguments made new."""
    function, make = known()[name]
    with without_warnings():
        return Call(name, function, *make())
