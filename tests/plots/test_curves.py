"""Pictures made of lines: ROC, precision and recall, calibration, thresholds and power."""

from __future__ import annotations

import math
import subprocess
import sys

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import ropewalk as rw
from hostile import hostile_names
from ropewalk.errors import InvalidInputError
from ropewalk.plots import plot_calibration, plot_cost, plot_power, plot_pr, plot_roc

BANDS = "95% band: each point, all at once"
HOSTILE = hostile_names("formula and cell", "script", "long", "emoji and text", "hebrew", "red lines", "underscore")


pytestmark = pytest.mark.usefixtures("untouched_settings")


@pytest.fixture(scope="module")
def scores(news):
    return news.scores_class8


@pytest.fixture(scope="module")
def rocs(scores):
    return [rw.curves.roc(scores["y_true"], scores[n], name=n, draws=300, rng=0) for n in ("nb_mult", "svm_l2")]


@pytest.fixture(scope="module")
def precisions(scores):
    return [rw.curves.pr(scores["y_true"], scores[n], name=n, draws=300, rng=0) for n in ("nb_mult", "svm_l2")]


@pytest.fixture(scope="module")
def calibrations():
    rng = np.random.default_rng(0)
    p = rng.random(1_000)
    happened = rng.random(1_000) < p
    return [
        rw.curves.calibration(happened, said, name=name, n_bins=bins, draws=300, rng=0)
        for said, name, bins in ((p, "net", 10), (p**2, "squared", 7))
    ]


@pytest.fixture(scope="module")
def costs(scores):
    how = {"cost_matrix": [[0, 1], [5, 0]], "draws": 300, "rng": 0}
    return [rw.costs.curve(scores["y_true"], scores[n], name=n, **how) for n in ("nb_mult", "svm_l2")]


@pytest.fixture(scope="module")
def never():
    """A threshold curve on whose items it is best, for all one knows, to call nothing positive."""
    rng = np.random.default_rng(2)
    truth = (rng.random(60) < 0.2).astype(int)
    return rw.curves.threshold(truth, rng.normal(size=60), metric="accuracy", name="coin", draws=500, rng=0)


def polygons(ax):
    return [
        drawn for drawn in ax.collections if drawn.get_paths() and isinstance(drawn, mpl.collections.PolyCollection)
    ]


def has_points(polygon, x, y):
    found = {tuple(point) for point in polygon.get_paths()[0].vertices.tolist()}
    return all(point in found for point in zip(x.tolist(), y.tolist(), strict=True))


def assert_bands(ax, band, first=0):
    """The paler band is that of all points at once, and each has the ends that the curve holds."""
    pale, dark = polygons(ax)[first : first + 2]
    shown = np.isfinite(band.x)
    for polygon, low, high in ((pale, band.all_low, band.all_high), (dark, band.low, band.high)):
        assert has_points(polygon, band.x[shown], low[shown])
        assert has_points(polygon, band.x[shown], high[shown])
    assert pale.get_alpha() < dark.get_alpha()


def curves_of(ax):
    return [line for line in ax.lines if not line.get_label().startswith("_")]


def legend(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def assert_legend_covers_nothing(ax):
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    for line in ax.lines:
        assert not line.get_path().transformed(line.get_transform()).intersects_bbox(box, filled=False)
    for polygon in polygons(ax):
        path = polygon.get_paths()[0].transformed(polygon.get_transform())
        assert not path.intersects_bbox(box, filled=True)
    inside = ax.figure.bbox
    assert inside.x0 <= box.x0 < box.x1 <= inside.x1
    assert inside.y0 <= box.y0 < box.y1 <= inside.y1


@pytest.mark.parametrize(
    ("plot", "fixture"),
    [(plot_roc, "rocs"), (plot_pr, "precisions"), (plot_calibration, "calibrations"), (plot_cost, "costs")],
    ids=["roc", "pr", "calibration", "cost"],
)
class TestEveryCurve:
    def test_a_second_curve_has_another_colour_and_line_and_both_are_named(self, plot, fixture, request):
        one, other = request.getfixturevalue(fixture)
        ax = plot(one)
        assert plot(other, ax=ax) is ax
        first, second = curves_of(ax)
        assert first.get_color() != second.get_color()
        assert first.get_linestyle() != second.get_linestyle()
        said = legend(ax)
        assert [text.split(",")[0] for text in said[:2]] == [one.name, other.name]
        assert said.count(BANDS) == 1
        assert said[-1] == BANDS
        assert len(said) == len(set(said))
        assert_legend_covers_nothing(ax)

    def test_both_bands_are_drawn_around_each_curve(self, plot, fixture, request):
        one, other = request.getfixturevalue(fixture)
        ax = plot(one)
        plot(other, ax=ax)
        assert_bands(ax, one.band)
        assert_bands(ax, other.band, first=2)

    def test_the_same_picture_is_drawn_on_fresh_axes(self, plot, fixture, request):
        one, _ = request.getfixturevalue(fixture)
        looks = [(line.get_color(), line.get_linestyle()) for _ in range(2) for line in curves_of(plot(one))]
        assert looks[0] == looks[1]

    def test_given_axes_are_used_and_returned(self, plot, fixture, request):
        figure, ax = plt.subplots(figsize=(2, 2))
        assert plot(request.getfixturevalue(fixture)[0], ax=ax) is ax
        assert figure.axes == [ax]
        figure.canvas.draw()

    def test_a_legend_that_finds_no_room_leaves_a_title_alone(self, plot, fixture, request):
        _, ax = plt.subplots(figsize=(0.8, 0.7))
        ax.set_title("mine")
        plot(request.getfixturevalue(fixture)[0], ax=ax)
        assert ax.get_title() == "mine"
        assert ax.get_legend().get_frame_on()

    def test_other_curves_cannot_be_drawn(self, plot, fixture, request, rocs, calibrations):
        for wrong in (calibrations[0] if plot is plot_roc else rocs[0], None, "roc"):
            with pytest.raises(InvalidInputError, match=f"{plot.__name__} cannot draw {type(wrong).__name__}"):
                plot(wrong)

    def test_other_things_are_no_axes(self, plot, fixture, request):
        with pytest.raises(InvalidInputError, match="must be plain matplotlib axes; got list"):
            plot(request.getfixturevalue(fixture)[0], ax=[])


class TestRoc:
    def test_the_line_has_the_observed_rates_and_the_area(self, rocs):
        ax = plot_roc(rocs[0])
        line = curves_of(ax)[0]
        assert np.array_equal(line.get_xdata(), rocs[0].fpr)
        assert np.array_equal(line.get_ydata(), rocs[0].tpr)
        assert line.get_label() == f"nb_mult, AUC {rocs[0].auc:.3f}"
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("false positive rate", "true positive rate")

    def test_the_hull_is_thin_and_guessing_is_the_diagonal(self, rocs):
        ax = plot_roc(rocs[0])
        plot_roc(rocs[1], ax=ax)
        hull = next(line for line in ax.lines if line.get_label() == "_hull")
        assert np.array_equal(hull.get_ydata(), rocs[0].hull_tpr)
        assert hull.get_linewidth() < curves_of(ax)[0].get_linewidth()
        diagonals = [drawn for drawn in ax.collections if drawn.get_label() == "guessing"]
        assert len(diagonals) == 1
        assert diagonals[0].get_segments()[0].tolist() == [[0, 0], [1, 1]]

    def test_bands_of_two_masses_have_two_names(self, rocs, scores):
        wide = rw.curves.roc(scores["y_true"], scores["svm_l2"], name="wide", prob=0.5, draws=300, rng=0)
        ax = plot_roc(rocs[0])
        plot_roc(wide, ax=ax)
        assert legend(ax)[-2:] == [BANDS, BANDS.replace("95", "50")]

    def test_a_line_of_the_user_counts_as_a_curve(self, rocs):
        _, ax = plt.subplots()
        ax.plot([0, 1], [0, 1], label="mine")
        plot_roc(rocs[0], ax=ax)
        fresh = curves_of(plot_roc(rocs[0]))[0]
        assert curves_of(ax)[1].get_color() != fresh.get_color()
        assert legend(ax)[0] == "mine"

    def test_more_curves_than_colours_still_differ(self, rocs):
        ax = plot_roc(rocs[0])
        for _ in range(9):
            plot_roc(rocs[0], ax=ax)
        looks = {(line.get_color(), line.get_linestyle()) for line in curves_of(ax)}
        assert len(looks) == 10

    def test_hostile_names_are_in_the_legend_as_they_are(self):
        truth, scored = [0, 1, 0, 1, 1] * 6, np.linspace(0, 1, 30) ** 2
        ax = None
        for name in HOSTILE:
            ax = plot_roc(rw.curves.roc(truth, scored, name=name, draws=10, rng=0), ax=ax)
        ax.figure.draw_without_rendering()
        said = legend(ax)
        assert len(said) == len(HOSTILE) + 2
        assert said[0].startswith(r"\$x_1\$ & \$y, AUC")
        assert any(text.strip().startswith("_under") for text in said)

    @pytest.mark.parametrize("score", [[1.0] * 10 + [0.0] * 10, [0.0] * 10 + [1.0] * 10], ids=["worst", "perfect"])
    def test_scores_without_overlap_hold_up(self, score):
        ax = plot_roc(rw.curves.roc([0] * 10 + [1] * 10, score, draws=10, rng=0))
        assert_legend_covers_nothing(ax)


class TestPr:
    def test_the_line_has_the_precision_where_each_recall_is_first_reached(self):
        labels, scored = [1, 2, 1, 1, 2], [1.0, 0.9, 0.8, 0.7, 0.6]
        line = curves_of(plot_pr(rw.curves.pr(labels, scored, draws=50, rng=0)))[0]
        assert line.get_drawstyle() == "steps-pre"
        assert line.get_xdata() == pytest.approx([0, 1 / 3, 2 / 3, 1])
        assert line.get_ydata() == pytest.approx([1, 1, 2 / 3, 3 / 4])

    def test_the_line_agrees_with_what_the_band_says_was_observed(self, precisions):
        found = precisions[0]
        line = curves_of(plot_pr(found))[0]
        places = np.searchsorted(line.get_xdata(), found.band.x - 1e-12)
        assert line.get_ydata()[places] == pytest.approx(found.band.observed)

    def test_the_reference_is_the_share_of_positives(self, precisions, scores):
        ax = plot_pr(precisions[0])
        drawn = next(one for one in ax.collections if one.get_label() == "all called positive")
        share = np.mean(np.asarray(scores["y_true"]) == 1)
        assert drawn.get_segments()[0].tolist() == [[0, pytest.approx(share)], [1, pytest.approx(share)]]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("recall", "precision")

    def test_a_worst_ranking_holds_up(self):
        ax = plot_pr(rw.curves.pr([1] * 5 + [0] * 5, list(range(10)), draws=10, rng=0, pos_label=1))
        ax.figure.draw_without_rendering()
        assert curves_of(ax)[0].get_ydata()[0] == curves_of(ax)[0].get_ydata()[1] < 1


class TestCalibration:
    def test_marks_stand_at_the_bins_and_their_area_is_the_number_of_items(self, calibrations):
        found = calibrations[1]
        ax = plot_calibration(found)
        marks = next(one for one in ax.collections if isinstance(one, mpl.collections.PathCollection))
        assert np.allclose(marks.get_offsets(), np.column_stack([found.predicted, found.happened]))
        assert marks.get_sizes() / marks.get_sizes().max() == pytest.approx(found.counts / found.counts.max())
        assert np.array_equal(curves_of(ax)[0].get_ydata(), found.happened)

    def test_the_legend_counts_bins_and_items(self, calibrations):
        ax = plot_calibration(calibrations[0])
        plot_calibration(calibrations[1], ax=ax)
        assert legend(ax)[:3] == ["net, 10 bins of 100", "squared, 7 bins of 142–143", "calibrated"]

    def test_one_bin_has_bars_for_bands(self):
        rng = np.random.default_rng(0)
        p = rng.random(50)
        found = rw.curves.calibration(rng.random(50) < p, p, n_bins=1, draws=50, rng=0, name="net")
        ax = plot_calibration(found)
        ax.figure.draw_without_rendering()
        bars = [one.get_segments()[0].tolist() for one in ax.collections if one.get_label() in {"_band", BANDS}]
        x = found.predicted[0]
        assert bars == [
            [[x, found.band.all_low[0]], [x, found.band.all_high[0]]],
            [[x, found.band.low[0]], [x, found.band.high[0]]],
        ]
        assert legend(ax)[0] == "net, 1 bin of 50"


class TestCost:
    def test_the_line_has_the_observed_metric_at_the_finite_thresholds(self, costs):
        found = costs[0]
        line = curves_of(plot_cost(found))[0]
        assert np.array_equal(line.get_xdata(), found.thresholds[:-1])
        assert np.array_equal(line.get_ydata(), found.band.observed[:-1])
        assert math.isinf(found.thresholds[-1])

    def test_the_best_threshold_and_its_interval_are_marked(self, costs):
        found = costs[0]
        ax = plot_cost(found)
        best = next(line for line in ax.lines if line.get_label() == "_best")
        assert list(best.get_xdata()) == [found.best] * 2
        bar = next(line for line in ax.lines if line.get_label() == "_interval")
        assert list(bar.get_xdata()) == list(found.best_interval)
        ends = ", ".join(f"{end:.3g}".replace("-", "−") for end in found.best_interval)
        assert legend(ax)[0] == f"nb_mult, best at {f'{found.best:.3g}'.replace('-', '−')} [{ends}]"

    def test_intervals_of_two_curves_lie_apart(self, costs):
        ax = plot_cost(costs[0])
        plot_cost(costs[1], ax=ax)
        heights = {tuple(line.get_ydata()) for line in ax.lines if line.get_label() == "_interval"}
        assert len(heights) == 2

    def test_the_infinite_threshold_stands_at_the_right_edge(self, costs):
        found = costs[0]
        ax = plot_cost(found)
        ax.figure.draw_without_rendering()
        mark = [line for line in ax.lines if line.get_label() == "_infinite"][-1]
        assert mark.get_ydata()[0] == found.band.observed[-1]
        place = mark.get_transform().transform((mark.get_xdata()[0], found.band.observed[-1]))
        assert 0.9 < (place[0] - ax.bbox.x0) / ax.bbox.width < 1
        assert [text.get_text() for text in ax.texts if text.get_text()] == ["∞"]
        low, high = ax.get_ylim()
        assert low < found.band.all_low.min()
        assert found.band.all_high.max() < high

    def test_an_infinite_best_threshold_is_marked_there_too(self, never):
        assert math.isinf(never.best)
        assert math.isinf(never.best_interval.high)
        ax = plot_cost(never)
        ax.figure.draw_without_rendering()
        best = next(line for line in ax.lines if line.get_label() == "_best")
        mark = [line for line in ax.lines if line.get_label() == "_infinite"][-1]
        assert list(best.get_xdata()) == [mark.get_xdata()[0]] * 2
        assert best.get_transform() == ax.transAxes
        assert "best at ∞" in legend(ax)[0]
        assert legend(ax)[0].endswith("∞]")
        bar = next(text for text in ax.texts if not text.get_text())
        assert (bar.xyann[0], bar.xy[0]) == (never.best_interval.low, mark.get_xdata()[0])
        assert_legend_covers_nothing(ax)

    def test_long_flat_tails_are_out_of_sight_unless_the_limits_were_set(self, costs, scores):
        ax = plot_cost(costs[0])
        low, high = ax.get_xlim()
        assert costs[0].thresholds[0] < low < costs[0].best_interval.low < costs[0].best_interval.high < high
        flat = costs[0].band.observed[:-1][costs[0].thresholds[:-1] < low]
        assert np.ptp(flat) < 0.05 * np.ptp(costs[0].band.observed)
        plot_cost(costs[1], ax=ax)
        low, high = ax.get_xlim()
        for found in costs:
            assert low < found.best_interval.low
            assert found.best_interval.high < high
        _, mine = plt.subplots()
        mine.set_xlim(-90, 3)
        assert plot_cost(costs[0], ax=mine).get_xlim() == (-90, 3)

    def test_one_threshold_is_a_mark_with_bars(self, scores):
        found = rw.curves.threshold(scores["y_true"], scores["svm_l2"], metric="f1", thresholds=[0.0], draws=50, rng=0)
        ax = plot_cost(found)
        ax.figure.draw_without_rendering()
        assert curves_of(ax)[0].get_marker() == "o"
        assert ax.get_ylabel() == "F1"

    def test_the_metric_names_the_axis(self, costs, never):
        assert plot_cost(costs[0]).get_ylabel() == "cost"
        assert plot_cost(never).get_ylabel() == "accuracy"


def power(ns=(100, 200, 400), *, decisions=False, **said):
    rows = []
    for i, n in enumerate(ns):
        share = 0.3 + 0.2 * i
        row = {"n": n, "power": share, "low": share - 0.05, "high": share + 0.04}
        if decisions:
            row["decisions"] = {"≫": share, ">": 0.6 - 0.2 * i, "≈": 0.05, "≪": 0.05}
        rows.append(row)
    return {"rows": rows, **said}


class Planned:
    def __init__(self, told):
        self.told = told

    def to_dict(self):
        return self.told


class TestPower:
    def test_the_line_is_power_against_items_and_the_band_its_interval(self):
        ax = plot_power(power())
        line = curves_of(ax)[0]
        assert list(line.get_xdata()) == [100, 200, 400]
        assert line.get_ydata() == pytest.approx([0.3, 0.5, 0.7])
        band = polygons(ax)[0]
        corners = np.unique(np.round(band.get_paths()[0].vertices, 9), axis=0).tolist()
        assert corners == [[100, 0.25], [100, 0.34], [200, 0.45], [200, 0.54], [400, 0.65], [400, 0.74]]
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("items", "power")

    def test_rows_may_come_in_any_order(self):
        told = power()
        told["rows"].reverse()
        assert list(curves_of(plot_power(told))[0].get_xdata()) == [100, 200, 400]

    def test_there_is_a_line_at_four_fifths(self):
        ax = plot_power(power())
        plot_power(power(), ax=ax)
        lines = [line for line in ax.lines if list(line.get_ydata()) == [0.8, 0.8]]
        assert len(lines) == 1

    def test_anything_with_such_a_dictionary_is_drawn(self):
        assert np.array_equal(
            curves_of(plot_power(Planned(power())))[0].get_xydata(), curves_of(plot_power(power()))[0].get_xydata()
        )

    def test_decisions_are_stacked_behind_and_named_at_the_end(self):
        ax = plot_power(power(decisions=True))
        ax.figure.draw_without_rendering()
        stacked = {one.get_label()[1:]: one.get_paths()[0].vertices for one in polygons(ax)[:5]}
        assert list(stacked) == ["≫", ">", "≈", "<", "≪"]
        last = {symbol: vertices[vertices[:, 0] == 400][:, 1] for symbol, vertices in stacked.items()}
        assert (last["≫"].min(), last["≫"].max()) == (0, pytest.approx(0.7))
        assert (last[">"].min(), last[">"].max()) == (pytest.approx(0.7), pytest.approx(0.9))
        assert last["≪"].max() == pytest.approx(1.0)
        assert [text.get_text() for text in ax.texts] == ["≫ A better", "> undecided"]
        assert all(one.get_zorder() < curves_of(ax)[0].get_zorder() for one in polygons(ax))
        assert_legend_covers_nothing(ax)

    def test_decisions_of_some_rows_only_or_of_a_second_curve_are_not_stacked(self):
        told = power(decisions=True)
        del told["rows"][0]["decisions"]
        ax = plot_power(told)
        assert len(polygons(ax)) == 1
        plot_power(power(decisions=True), ax=ax)
        assert len(polygons(ax)) == 2

    def test_a_second_curve_is_named_beside_the_first(self):
        ax = plot_power(power(model="paired", goal="better", rope=[-0.01, None]))
        plot_power(power(label="_un$paired$", model="unpaired"), ax=ax)
        assert legend(ax) == ["paired", r" _un\$paired\$"]
        assert ax.get_legend().get_title().get_text() == "goal: better, ROPE [−0.01, +∞]"
        first, second = curves_of(ax)
        assert first.get_color() != second.get_color()
        assert first.get_linestyle() != second.get_linestyle()

    @pytest.mark.parametrize(
        ("ns", "scale"), [((100, 200, 400), "linear"), ((50, 500, 5_000), "log")], ids=["near", "far"]
    )
    def test_many_sizes_have_a_logarithmic_axis(self, ns, scale):
        ax = plot_power(power(ns))
        assert ax.get_xscale() == scale
        ax.figure.draw_without_rendering()
        assert not any(r"\mathdefault" in label.get_text() for label in ax.get_xticklabels())

    def test_one_size_holds_up(self):
        ax = plot_power(power((1_500,), decisions=True))
        ax.figure.draw_without_rendering()
        assert [label.get_text() for label in ax.get_xticklabels()] == ["1,500"]

    def test_given_axes_are_used_and_returned(self):
        figure, ax = plt.subplots()
        assert plot_power(power(), ax=ax) is ax
        assert figure.axes == [ax]

    @pytest.mark.parametrize(
        "wrong",
        [None, "rows", {}, {"rows": []}, {"rows": 3}, {"rows": [1]}, {"rows": [{"n": 10, "power": 0.5}]}, Planned],
        ids=["none", "text", "empty", "no rows", "number", "no row", "no interval", "class"],
    )
    def test_other_things_cannot_be_drawn(self, wrong):
        with pytest.raises(InvalidInputError, match="plot_power cannot draw"):
            plot_power(wrong)

    def test_other_results_cannot_be_drawn(self, rocs):
        with pytest.raises(InvalidInputError, match="plot_power cannot draw RocCurve"):
            plot_power(rocs[0])

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"n": 0}, "positive number of items"),
            ({"n": math.inf}, "positive number of items"),
            ({"n": 200}, "comes twice"),
            ({"power": math.nan}, "must lie in its interval"),
            ({"low": 0.9}, "must lie in its interval"),
            ({"high": 1.5}, "must lie in its interval"),
            ({"decisions": {"=": 0.5}}, "must be shares"),
            ({"decisions": {"≫": 2}}, "must be shares"),
            ({"decisions": ["≫"]}, "must be shares"),
            ({"decisions": {"≫": 0.7, "≪": 0.7}}, "add up to more than 1"),
        ],
        ids=["no items", "endless", "twice", "nan", "low", "high", "symbol", "share", "list", "sum"],
    )
    def test_rows_that_contradict_themselves_are_refused(self, changed, message):
        told = power()
        told["rows"][0].update(changed)
        with pytest.raises(InvalidInputError, match=message):
            plot_power(told)

    def test_a_rope_that_is_none_is_refused(self):
        with pytest.raises(InvalidInputError, match="rope"):
            plot_power(power(rope="wide"))


@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_pictures_can_be_saved_as_vectors(kind, tmp_path, rocs, never):
    for name, plot, result in (("r", plot_roc, rocs[0]), ("c", plot_cost, never), ("p", plot_power, power())):
        plot(result)
        path = tmp_path / f"{name}.{kind}"
        plt.gcf().savefig(path)
        assert 1_000 < path.stat().st_size < 400_000


def test_importing_the_pictures_does_not_import_matplotlib():
    code = "import sys, ropewalk.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
