"""The calls that users write; `make type` checks that they are typed."""

from __future__ import annotations

from typing import Any, assert_type

import numpy as np
from matplotlib.axes import Axes

import ropewalk as rw
from ropewalk.draws.intervals import Interval
from ropewalk.results import PredictiveCheck

y = np.array([0, 1, 1])
o = rw.Outcomes.from_arrays(y, [0, 1, 1], [1, 1, 1], names=["a", "b"])
assert_type(o + o, rw.Outcomes)
assert_type(rw.read_outcomes("p.csv", truth="y", predictions=["a", "b"]), rw.Outcomes)

r = rw.compare(y, [0, 1, 1], [1, 1, 1], metric="f1", pos_label=1, rope=0.05, rng=0)
assert_type(r, rw.Comparison)
assert_type(r.hdi, Interval)
assert_type(r.mean, float)
assert_type(rw.compare(o, a="a", b="b", metric=rw.metrics.fbeta(2), draws=1000), rw.Comparison)
assert_type(rw.compare(o, a="a", b="b", model=rw.models.Sigir2016(mu=(2, 1)), rope=(-0.1, 0.2)), rw.Comparison)
assert_type(rw.compare(o.project(["a"]), o.project(["b"]), model="unpaired"), rw.Comparison)
assert_type(rw.compare_classes(o, rope=0.05, random_state=1), rw.ClassComparisons)
assert_type(rw.evaluate(o, "a", metric=["f1", "accuracy"], at_least=0.8), rw.Evaluation)

k = rw.rank(o, metric="macro_f1", rope=0.005)
assert_type(k, rw.Ranking)
assert_type(k.p_best, dict[str, float])
assert_type(r.prior_sensitivity(), rw.PriorSensitivity)
m = rw.MultilabelOutcomes.from_arrays([[0, 1]], [[1, 1]], [[0, 1]], names=["a", "b"])
assert_type(rw.compare(m, metric="micro_f1", model=rw.models.Bootstrap()), rw.Comparison)
assert_type(rw.compare(o, model=rw.models.Tree(kappa=1.0, centre="pooled"), classes=[0]), rw.Comparison)
assert_type(rw.models.Icdm2015().fit(o.project(["a"])).eta.mean, float)

assert_type(rw.classical.mcnemar(o, a="a", b="b", method="midp"), rw.classical.ClassicalTest)
assert_type(rw.classical.battery(o, metric="macro_f1", rng=0)["permutation"].p_value, float)
assert_type(rw.classical.paired_t([0.1, 0.2], [0.2, 0.2], of="topics").critical_value(0.01), float)
assert_type(rw.classical.nemenyi({"a": [0.1, 0.2], "b": [0.2, 0.2]}).ranks["a"], float)
assert_type(rw.classical.adjust({"x": 0.1}), dict[Any, float])
assert_type(rw.classical.adjust([0.1]), list[float])
assert_type(rw.compare(o, a="a", b="b", tests=True).tests, rw.classical.Battery | None)

s = rw.compare(y, [0.1, 0.8, 0.9], [0.2, 0.7, 0.4], metric="roc_auc", rope=0.01, cluster=[1, 1, 2], rng=0)
assert_type(s, rw.Comparison)
assert_type(rw.evaluate(y, [0.1, 0.8, 0.9], metric=["roc_auc", "brier"]), rw.Evaluation)
assert_type(rw.rank(y, {"a": [0.1, 0.8, 0.9], "b": [0.2, 0.7, 0.4]}, metric="roc_auc"), rw.Ranking)
assert_type(rw.compare(y, [0, 1, 1], [1, 1, 1], cluster=[1, 2, 2]), rw.Comparison)
assert_type(rw.metrics.score(y, [0.1, 0.8, 0.9], "average_precision"), float)
assert_type(rw.curves.roc(y, [0.1, 0.8, 0.9], draws=100).auc, float)
assert_type(rw.costs.curve(y, [0.1, 0.8, 0.9], cost_matrix=[[0, 1], [5, 0]]).best_interval, Interval)
assert_type(rw.costs.optimal_threshold([[0, 1], [5, 0]]), float)
assert_type(rw.classical.delong(y, [0.1, 0.8, 0.9], [0.2, 0.7, 0.4]), rw.classical.ClassicalTest)

assert_type(r.sentence(), str)
assert_type(r.confusions(), tuple[rw.analysis.Confusion, rw.analysis.Confusion])
assert_type(rw.plots.plot_posterior(r), Axes)
assert_type(rw.plots.plot_ranking(k, ax=rw.plots.plot_joint(r)), Axes)
assert_type(rw.plots.plot_roc(rw.curves.roc(y, [0.1, 0.8, 0.9], draws=100)), Axes)
assert_type(rw.compare(y, [0, 1, 1], [1, 1, 1], progress=False), rw.Comparison)
assert_type(rw.rank(o, progress=lambda done, total: None), rw.Ranking)

truth = rw.BinaryScenario(prevalence=0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3))
assert_type(rw.power(truth, n=[500, 1_000], goal="A≫B", rope=0.05, rng=0), rw.planning.PowerResult)
assert_type(rw.power(r, 500)[0].power, float)
assert_type(rw.plan("F1 .60 against .50 at agreement .7", goal=">>", rope=0.05).n, int | None)
assert_type(r.more_data(target=0.8), rw.planning.MoreData)
assert_type(rw.stopping(truth, rw.StopWhen(width=0.1), rope=0.05).mean_n, float)
assert_type(rw.StopWhen(conclusive=True, max_n=1_000).stops(r), bool)
assert_type(rw.watch(o, require="better", rng=0).decided, bool)

assert_type(rw.compare(o, a="a", b="b", engine=rw.Sampler(step="metropolis", n_chains=1, tune=0)), rw.Comparison)
assert_type(rw.compare(o, a="a", b="b", engine=rw.Sampler(target_accept=0.99)), rw.Comparison)
assert_type(rw.evaluate(o, "a", model=rw.models.Pooled()), rw.Evaluation)
assert_type(rw.compare(o, a="a", b="b", model=rw.models.OwnPriors(mu=(1, 9))), rw.Comparison)
assert_type(rw.compare(o, a="a", b="b", model=rw.models.NoisyLabels(error=0.05)), rw.Comparison)
assert_type(rw.compare(o, a="a", b="b", model=rw.models.LogitNormal(pooled=True)), rw.Comparison)
assert_type(rw.compare(o, a="a", b="b", model=rw.models.PowerPrior(rw.models.Sigir2016(), o)), rw.Comparison)
assert_type(
    rw.compare(o, a="a", b="b", model=rw.models.DeltaPrior(model=rw.models.Sigir2016(), delta=abs)), rw.Comparison
)
assert_type(r.predictive_check(draws=100), PredictiveCheck)
assert_type(str(r.graph(form="items")), str)
