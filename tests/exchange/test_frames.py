"""Results as dataframes and as pictures: every kind has both."""

from __future__ import annotations

import importlib.util
import sys

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import ropewalk as rw
from ropewalk.exchange.frames import rows_of
from ropewalk.plots.natural import plot
from ropewalk.results import Rendered
from support import need, without_warnings

pytestmark = pytest.mark.usefixtures("frugal_throughout")

SCENARIO = "F1 .60 against .50 at agreement .7"


@pytest.fixture(scope="module")
def results():
    """One result of every kind, as cheap as they come."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 200)
    a, b = (np.where(rng.random(200) < share, y, 1 - y) for share in (0.8, 0.7))
    s = y + rng.normal(0, 1, 200)
    few = {"draws": 300, "rng": 0}
    with without_warnings():
        r = rw.compare(y, a, b, rope=0.05, tests=True, **few)
        stop = rw.stopping(
            SCENARIO, stop=rw.StopWhen(conclusive=True, max_n=300), rope=0.05, simulations=10, draws=100, rng=0
        )  # fmt: skip
        return {
            "comparison": r,
            "several": rw.compare(y, a, b, metric=["f1", "acc", "recall"], **few),
            "slices": rw.compare(y, a, b, by=np.arange(200) % 4, **few).by,
            "classes": rw.compare_classes(y, a, b, rope=0.05, **few),
            "evaluation": rw.evaluate(y, a, metric="accuracy", at_least=0.7, rope=0.05, **few),
            "metrics": rw.evaluate(y, a, metric=["accuracy", "f1"], **few),
            "metric": rw.evaluate(y, a, metric="accuracy", **few)["accuracy"],
            "ranking": rw.rank(y, a, b, y, rope=0.05, **few),
            "priors": r.prior_sensitivity(),
            "more": r.more_data(simulations=10, draws=100),
            "worth": r.worth_of_labels(max_loss=0.001),
            "check": r.predictive_check(draws=100),
            "confusion": r.confusions()[0],
            "battery": r.tests,
            "test": rw.classical.paired_t([0.81, 0.79, 0.84, 0.9], [0.78, 0.77, 0.8, 0.89]),
            "nemenyi": rw.classical.nemenyi({"a": [0.9, 0.8, 0.7], "b": [0.8, 0.7, 0.6], "c": [0.1, 0.2, 0.3]}),
            "roc": rw.curves.roc(y, s, draws=50, rng=0),
            "pr": rw.curves.pr(y, s, draws=50, rng=0),
            "calibration": rw.curves.calibration(y, 1 / (1 + np.exp(-s)), draws=50, rng=0),
            "threshold": rw.curves.threshold(y, s, metric="f1", draws=50, rng=0),
            "power": rw.power(SCENARIO, n=[100, 200], rope=0.05, simulations=10, draws=100, rng=0),
            "stopping": stop,
        }


ROWS = {
    "comparison": 1, "several": 3, "slices": 4, "classes": 2, "evaluation": 1, "metrics": 2, "metric": 1, "ranking": 3,
    "worth": 5, "confusion": 4, "test": 1, "nemenyi": 3, "power": 2, "stopping": 2,
}  # fmt: skip


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_every_kind_of_result_is_a_dataframe(results, library):
    kind = getattr(need(library), "Table" if library == "pyarrow" else "DataFrame")
    for name, result in results.items():
        frame = result.to_frame(library)
        assert isinstance(frame, kind), name
        n_rows = len(frame)
        assert n_rows == len(rows_of(result)) > 0, name
        assert n_rows == ROWS.get(name, n_rows), name


def test_a_frame_says_what_the_answer_says(results):
    r, ranking = results["comparison"], results["ranking"]
    (row,) = r.to_frame("polars").to_dicts()
    assert (row["mean"], row["hdi_low"], row["hdi_high"]) == (r.mean, r.hdi.low, r.hdi.high)
    assert (row["a"], row["b"], row["metric"], row["pos_label"]) == ("A", "B", "f1", "1")
    assert (row["rope_low"], row["rope_high"], row["inside"]) == (-0.05, 0.05, r.regions.inside)
    assert (row["decision"], row["conclusive"]) == (r.decision.symbol, r.decision.conclusive)
    several = results["several"]
    rows = several.to_frame("polars").to_dicts()
    assert [(row["metric"], row["mean"]) for row in rows] == [(c.metric, c.mean) for c in several.metrics]
    assert [row["p_best"] for row in ranking.to_frame("polars").to_dicts()] == [m.p_best for m in ranking.models]
    pairs = ranking.to_frame("polars", pairs=True).to_dicts()
    assert [(row["a"], row["b"], row["mean"]) for row in pairs] == [(p.a, p.b, p.delta.mean) for p in ranking.pairwise]
    cells = results["confusion"].to_frame("polars").to_dicts()
    assert sum(row["count"] for row in cells) == 200


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_library_of_the_data_is_that_of_the_frame(library):
    module = need(library)
    kind = getattr(module, "Table" if library == "pyarrow" else "DataFrame")
    columns = {"y": [1, 0] * 40, "a": [1, 0] * 40, "b": [1, 0] * 39 + [0, 1]}
    frame = module.table(columns) if library == "pyarrow" else kind(columns)
    few = {"draws": 100, "rng": 0}
    answers = (
        rw.compare(frame["y"], frame["a"], frame["b"], **few),
        rw.compare(frame, truth="y", a="a", b="b", **few),
        rw.evaluate(frame["y"], frame["a"], **few),
        rw.compare(rw.read_outcomes(frame, truth="y", predictions=["a", "b"]), **few),
    )
    for answer in answers:
        assert isinstance(answer.to_frame(), kind)
    assert isinstance(rw.compare(columns["y"], columns["a"], columns["b"], **few).to_frame(), need("pandas").DataFrame)


def test_without_a_library_there_is_a_clear_error(results, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("ropewalk.data.making_frames.find_spec", lambda name: None if name == "pandas" else find(name))
    assert isinstance(results["comparison"].to_frame(), need("polars").DataFrame)
    monkeypatch.setattr("ropewalk.data.making_frames.find_spec", lambda name: None)
    with pytest.raises(rw.errors.MissingDependencyError, match="pandas, polars or pyarrow"):
        results["comparison"].to_frame()
    with pytest.raises(rw.errors.UnknownNameError, match="library of dataframes 'numpy'"):
        results["comparison"].to_frame("numpy")
    with pytest.raises(rw.errors.InvalidInputError, match="`pairs` is about rankings"):
        rw.exchange.frames.to_frame(results["comparison"], pairs=True)


@pytest.mark.usefixtures("untouched_settings")
def test_every_kind_of_result_has_a_picture(results):
    for name, result in results.items():
        drawn = np.ravel(result.plot())
        assert all(ax.has_data() for ax in drawn), name
        drawn[0].figure.draw_without_rendering()
        plt.close("all")


@pytest.mark.usefixtures("untouched_settings")
def test_a_picture_goes_where_it_is_wanted(results):
    _, (left, right) = plt.subplots(1, 2)
    assert results["comparison"].plot(ax=left) is left
    assert [*results["metrics"].plot(ax=[left, right])] == [left, right]
    with pytest.raises(rw.errors.InvalidInputError, match="2 axes, one per metric"):
        results["metrics"].plot(ax=left)
    for name in ("battery", "nemenyi", "worth", "stopping"):
        _, ax = plt.subplots()
        assert results[name].plot(ax=ax) is ax


def test_pictures_hold_the_numbers(results):
    ax = results["nemenyi"].plot()
    assert ax.collections[0].get_offsets()[:, 0].tolist() == [1.0, 2.0, 3.0]
    ax = results["worth"].plot()
    assert ax.lines[0].get_ydata().tolist() == [row.loss for row in results["worth"].rows]
    ax = results["test"].plot()
    assert ax.collections[0].get_offsets()[0, 0] == pytest.approx(results["test"].p_value)
    ax = results["stopping"].plot()
    widths = [patch.get_width() for patch in ax.patches]
    assert sum(widths) == pytest.approx(results["stopping"].row.conclusive + results["stopping"].fixed.conclusive)


class Unknown(Rendered):
    """A kind of result that nobody has drawn yet."""


def test_a_kind_without_picture_or_table_says_so():
    with pytest.raises(rw.errors.InvalidInputError, match="no picture of Unknown"):
        plot(Unknown())
    with pytest.raises(rw.errors.InvalidInputError, match="no table of Unknown"):
        Unknown().to_frame()


def test_without_matplotlib_the_extra_is_named(results, monkeypatch):
    for module in [name for name in sys.modules if name.split(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(rw.errors.MissingDependencyError, match=r"ropewalk\[plot\]"):
        results["comparison"].plot()
