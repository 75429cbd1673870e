"""Pictures made of cells: confusion matrices, ranks and pairs."""

from __future__ import annotations

import math
from itertools import pairwise

import matplotlib as mpl

mpl.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.text import Annotation

import ropewalk as rw
from hostile import hostile_names
from posteriors import crossed
from ropewalk.analysis import confusion
from ropewalk.errors import InvalidInputError
from ropewalk.plots import plot_confusion, plot_pairwise, plot_ranking
from ropewalk.plots._cells import MIN_LETTER_SIZE, distinct
from ropewalk.report.pictures import ABOVE, BELOW, INSIDE
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import decimals, interval, number, percent

HOSTILE = hostile_names("formula and cell", "script", "long", "emoji and text", "hebrew", "red lines", "underscore")
MIRRORED = {"≫": "≪", "≪": "≫", "<": ">", ">": "<", "≈": "≈"}


pytestmark = pytest.mark.usefixtures("untouched_settings")


@pytest.fixture(scope="module")
def four(news):
    return rw.rank(news.outcomes, metric="macro_f1", rope=0.02, draws=1_000, rng=0)


@pytest.fixture(scope="module")
def many():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 300)
    guesses = {f"net {i}": np.where(rng.random(300) < 0.7 + i / 200, truth, 1 - truth) for i in range(30)}
    how = {"metric": "accuracy", "rope": 0.03, "draws": 1_000, "rng": 0, "model": "bootstrap", "pool": False}
    return rw.rank(truth, guesses, **how)


@pytest.fixture(scope="module")
def few_classes():
    counts = [[90, 10, 0], [5, 45, 2], [1, 20, 300]]
    return confusion(rw.Outcomes.from_confusion(counts, labels=["ham", "spam", "eggs"], name="svm"))


@pytest.fixture(scope="module")
def both(news):
    return rw.compare(news.outcomes, a="nb_mult", b="svm_l2", metric="macro_f1", draws=500, rng=0)


@pytest.fixture(scope="module")
def matrices(both):
    return both.confusions()


@pytest.fixture(scope="module")
def panels(both):
    """Three pictures of twenty classes, which tests may only look at."""
    return plot_confusion(both)


@pytest.fixture(scope="module")
def two_hundred():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 200, 6_000)
    guesses = [
        np.where(rng.random(6_000) < share, truth, (truth + rng.integers(0, 9, 6_000)) % 200) for share in (0.6, 0.8)
    ]
    made = rw.Outcomes.from_arrays(truth.tolist(), *(g.tolist() for g in guesses), names=["a", "b"])
    return confusion(made, "a"), confusion(made, "b")


def confusion_of(counts, name="svm"):
    return confusion(rw.Outcomes.from_confusion(counts, labels=[f"c{i}" for i in range(len(counts))], name=name))


def cells(ax):
    """Return what is written in the cells, by (row, column): the upper text first."""
    found = {}
    for text in ax.texts:
        if isinstance(text, Annotation):
            column, row = text.xy
            found.setdefault((round(row), round(column)), []).append(text)
    return {at: sorted(texts, key=lambda text: -text.xyann[1]) for at, texts in found.items()}


def first_words(ax):
    return {at: texts[0].get_text() for at, texts in cells(ax).items()}


def values(ax, place=0):
    return np.ma.filled(ax.collections[place].get_array(), np.nan)


def ground(ax, row, column, first=0):
    """Return the colour of a cell: that of the topmost mesh which paints it."""
    colour = (1.0, 1.0, 1.0)
    for mesh in ax.collections:
        array = mesh.get_array()
        if not np.ma.getmaskarray(array)[row, column - first]:
            colour = mesh.to_rgba(array)[row, column - first, :3]
    return colour


def luminance(colour):
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def assert_readable(ax, first=0):
    """Letters stand out from their ground by 4.5 to 1, are large enough, and keep to their cell."""
    ax.get_figure(root=True).draw_without_rendering()
    for (row, column), texts in cells(ax).items():
        under = luminance(ground(ax, row, column, first))
        for text in texts:
            low, high = sorted((under, luminance(text.get_color())))
            assert (high + 0.05) / (low + 0.05) >= 4.5, text.get_text()
            assert text.get_fontsize() >= MIN_LETTER_SIZE
            box = text.get_window_extent().transformed(ax.transData.inverted())
            assert column - 0.5 < min(box.x0, box.x1)
            assert max(box.x0, box.x1) < column + 0.5
            # Boxes have room for descenders, which signs and digits do not have.
            assert row - 0.7 < min(box.y0, box.y1)
            assert max(box.y0, box.y1) < row + 0.7


def assert_apart(labels, *, down):
    """The boxes of neighbouring tick labels do not overlap."""
    boxes = [label.get_window_extent() for label in labels if label.get_text()]
    edges = sorted((box.y0, box.y1) if down else (box.x0, box.x1) for box in boxes)
    assert all(high <= low + 0.5 for (_, high), (low, _) in pairwise(edges))


def ticks(labels):
    return [label.get_text() for label in labels]


class TestOneConfusion:
    def test_colours_are_the_shares_of_the_rows(self, few_classes):
        ax = plot_confusion(few_classes)
        assert np.array_equal(values(ax), few_classes.normalised)
        assert ax.collections[0].norm(0.5) == 0.5

    def test_cells_hold_the_counts_and_the_intervals(self, few_classes):
        ax = plot_confusion(few_classes)
        for (i, j), texts in cells(ax).items():
            low, high = few_classes.low[i, j], few_classes.high[i, j]
            expected = [f"{few_classes.counts[i, j]:,}", interval(low, high, 3)]
            assert [text.get_text() for text in texts] == expected
            assert texts[1].get_fontsize() < texts[0].get_fontsize()
        assert len(cells(ax)) == 9
        assert "95% HDI" in ax.get_title()

    def test_rows_are_the_truth_from_top_to_bottom_and_columns_predictions(self, few_classes):
        ax = plot_confusion(few_classes)
        assert (ax.get_ylabel(), ax.get_xlabel()) == ("truth", "predicted")
        assert ticks(ax.get_yticklabels()) == ticks(ax.get_xticklabels()) == ["ham", "spam", "eggs"]
        low, high = ax.get_ylim()
        assert low > high

    def test_large_counts_have_separators(self):
        assert first_words(plot_confusion(confusion_of([[7041, 93], [109, 289]])))[0, 0] == "7,041"

    def test_letters_can_be_read_on_any_ground(self):
        ax = plot_confusion(confusion_of([[100 - share, share] for share in range(0, 100, 50)]))
        assert_readable(ax)
        square = np.array([[max(1, (7 * i + 13 * j) % 97) for j in range(8)] for i in range(8)])
        assert_readable(plot_confusion(confusion_of(square.tolist())))

    def test_a_class_without_items_is_hatched(self):
        ax = plot_confusion(confusion_of([[9, 1], [0, 0]]))
        assert [(patch.get_y(), patch.get_hatch()) for patch in ax.patches] == [(0.5, "////")]
        assert [first_words(ax)[1, j] for j in (0, 1)] == ["–", "–"]
        assert np.isnan(values(ax)[1]).all()

    def test_missing_answers_are_a_column_of_their_own(self):
        found = confusion(["a", "b", "c", "a"], ["a", None, "b", "a"], missing="wrong", name="m")
        ax = plot_confusion(found)
        assert ticks(ax.get_yticklabels()) == ["a", "b", "c"]
        assert ticks(ax.get_xticklabels()) == ["a", "b", "c", "(no answer)"]
        assert first_words(ax)[1, 3] == "1"

    def test_twenty_classes_are_legible_at_the_width_of_a_page(self, news):
        found = confusion(news.outcomes, "nb_mult")
        ax = plot_confusion(found)
        assert ax.figure.get_figwidth() == 7.0
        assert_readable(ax)
        assert first_words(ax) == {at: f"{n:,}" for at, n in np.ndenumerate(found.counts)}
        assert ticks(ax.get_yticklabels()) == [str(label) for label in found.rows]
        assert_apart(ax.get_yticklabels(), down=True)
        assert_apart(ax.get_xticklabels(), down=False)
        assert ax.collections[0].norm(0.25) == pytest.approx(0.5)

    def test_two_hundred_classes_have_fewer_names_and_no_letters_in_cells(self, two_hundred):
        ax = plot_confusion(two_hundred[0])
        ax.figure.draw_without_rendering()
        assert not ax.texts
        names = ticks(ax.get_yticklabels())
        assert 20 <= len(names) < 200
        assert names == [str(two_hundred[0].rows[round(at)]) for at in ax.get_yticks()]
        assert_apart(ax.get_yticklabels(), down=True)
        assert_apart(ax.get_xticklabels(), down=False)

    def test_given_axes_are_used_and_small_ones_have_no_letters(self, news):
        figure, ax = plt.subplots(figsize=(2, 1.5))
        assert plot_confusion(confusion(news.outcomes, "nb_mult"), ax=ax) is ax
        assert len(figure.axes) == 1
        assert not ax.texts

    def test_hostile_names_are_drawn_as_they_are(self):
        found = confusion(HOSTILE, HOSTILE[::-1], name=HOSTILE[0])
        ax = plot_confusion(found)
        ax.figure.draw_without_rendering()
        assert r"\$x_1\$ & \$y" in ticks(ax.get_yticklabels())
        assert max(map(len, ticks(ax.get_xticklabels()))) <= 20


class TestTwoConfusions:
    def test_a_comparison_has_three_panels_a_b_and_the_difference(self, panels, matrices):
        a, b = matrices
        assert panels.shape == (3,)
        assert np.array_equal(values(panels[0]), a.normalised)
        assert np.array_equal(values(panels[1]), b.normalised)
        titles = [panel.get_title().split("\n")[0] for panel in panels]
        assert titles == ["nb_mult", "svm_l2", "nb_mult − svm_l2"]

    def test_differences_are_pale_where_the_intervals_overlap_and_full_elsewhere(self, panels, matrices):
        panel = panels[2]
        a, b = matrices
        apart = (a.low > b.high) | (b.low > a.high)
        assert 0 < apart.sum() < apart.size
        difference = a.normalised - b.normalised
        assert np.array_equal(values(panel, 0), np.where(apart, np.nan, difference), equal_nan=True)
        assert np.array_equal(values(panel, 1), np.where(apart, difference, np.nan), equal_nan=True)
        pale, full = panel.collections
        for value in (-0.05, 0.05):
            assert luminance(pale.to_rgba(value)[:3]) > luminance(full.to_rgba(value)[:3])
        assert full.to_rgba(0.0) == pale.to_rgba(0.0) == (1, 1, 1, 1)
        assert "pale: the 95% HDIs overlap" in panel.get_title()

    def test_blue_is_where_a_has_more_and_orange_where_b_has(self, panels):
        mesh = panels[2].collections[1]
        most = mesh.norm.vmax
        assert to_rgb(mesh.to_rgba(most)) == pytest.approx(to_rgb(ABOVE))
        assert to_rgb(mesh.to_rgba(-most)) == pytest.approx(to_rgb(BELOW))
        assert mesh.norm.vmin == -most

    def test_twenty_classes_have_signs_where_the_difference_is_clear(self, panels, matrices):
        panel = panels[2]
        a, b = matrices
        apart, difference = (a.low > b.high) | (b.low > a.high), a.normalised - b.normalised
        expected = {at: "+" if difference[at] > 0 else "−" for at in map(tuple, np.argwhere(apart).tolist())}
        assert first_words(panel) == expected
        assert_readable(panel)

    def test_few_classes_have_numbers_with_signs_and_bold_ones_are_clear(self):
        a = confusion_of([[95, 5], [20, 80]], "a")
        b = confusion_of([[60, 40], [19, 81]], "b")
        panels = plot_confusion((a, b))
        found = {at: (texts[0].get_text(), texts[0].get_fontweight()) for at, texts in cells(panels[2]).items()}
        assert found == {
            (0, 0): ("+0.350", "bold"),
            (0, 1): ("−0.350", "bold"),
            (1, 0): ("+0.010", "normal"),
            (1, 1): ("−0.010", "normal"),
        }
        for panel in panels:
            assert_readable(panel)

    def test_equal_matrices_differ_nowhere(self):
        a = confusion_of([[9, 1], [2, 8]])
        panel = plot_confusion((a, a))[2]
        assert set(first_words(panel).values()) == {"0.000"}
        assert ground(panel, 0, 0) == pytest.approx((1, 1, 1))

    def test_a_class_without_items_of_either_is_hatched_in_the_difference(self):
        panels = plot_confusion((confusion_of([[9, 1], [0, 0]]), confusion_of([[9, 1], [1, 2]])))
        assert [len(panel.patches) for panel in panels] == [1, 0, 1]
        assert first_words(panels[2])[1, 0] == "–"

    def test_two_hundred_classes_hold_up(self, two_hundred):
        panels = plot_confusion(two_hundred)
        panels[0].figure.draw_without_rendering()
        assert not any(panel.texts for panel in panels)
        assert_apart(panels[0].get_yticklabels(), down=True)
        assert ticks(panels[1].get_yticklabels()) == []

    def test_three_given_axes_are_used_and_returned(self, both):
        figure, given = plt.subplots(3, 1, figsize=(4, 9))
        panels = plot_confusion(both, ax=list(given))
        assert all(panel is one for panel, one in zip(panels, given, strict=True))
        assert figure.axes == list(given)
        assert all(len(panel.get_yticklabels()) == 20 for panel in panels)

    def test_a_cross_validated_comparison_is_drawn_by_its_items(self, both, panels):
        with pytest.raises(InvalidInputError, match=r"r\.per_item"):
            plot_confusion(crossed(both))
        assert plot_confusion(crossed(both).per_item)[2].get_title() == panels[2].get_title()

    def test_hostile_names_are_drawn_as_they_are(self):
        panels = plot_confusion(
            (confusion_of([[9, 1], [2, 8]], "$a$"), confusion_of([[9, 1], [2, 8]], "_" + "b" * 300))
        )
        panels[0].figure.draw_without_rendering()
        assert panels[0].get_title().split("\n")[0] == r"\$a\$"


class TestConfusionErrors:
    @pytest.mark.parametrize("wrong", [None, "confusion", ("a", "b"), 3], ids=["none", "text", "pair", "number"])
    def test_other_things_cannot_be_drawn(self, wrong):
        with pytest.raises(InvalidInputError, match="plot_confusion cannot draw"):
            plot_confusion(wrong)

    def test_other_results_cannot_be_drawn(self, four):
        with pytest.raises(InvalidInputError, match="cannot draw Ranking"):
            plot_confusion(four)

    def test_a_comparison_takes_three_axes(self, both):
        _, given = plt.subplots(1, 2)
        for wrong in (given, given[0]):
            with pytest.raises(InvalidInputError, match="must be three axes"):
                plot_confusion(both, ax=wrong)
        with pytest.raises(InvalidInputError, match="must be plain matplotlib axes; got str"):
            plot_confusion(both, ax=["a", "b", "c"])

    def test_one_matrix_takes_one_axes(self, few_classes):
        with pytest.raises(InvalidInputError, match="must be plain matplotlib axes"):
            plot_confusion(few_classes, ax="here")

    def test_two_matrices_must_have_the_same_classes(self, few_classes):
        with pytest.raises(InvalidInputError, match="classes must be the same"):
            plot_confusion((few_classes, confusion_of([[9, 1], [2, 8]])))

    def test_scores_have_no_confusion_matrix(self, news):
        scores = news.scores_class8
        compared = rw.compare(scores["y_true"], scores["nb_mult"], scores["svm_l2"], metric="roc_auc", draws=200, rng=0)
        with pytest.raises(InvalidInputError, match="one label per item"):
            plot_confusion(compared)


class TestRanking:
    def test_rows_are_the_classifiers_best_first_and_columns_the_ranks(self, four):
        ax = plot_ranking(four)
        assert ticks(ax.get_yticklabels()) == [model.name for model in four.by_rank]
        assert ticks(ax.get_xticklabels()) == ["1", "2", "3", "4"]
        assert np.array_equal(values(ax), [model.rank_probabilities for model in four.by_rank])

    def test_cells_say_the_probabilities(self, news):
        found = rw.rank(news.outcomes, metric="fpr", pos_label=8, draws=3_000, rng=0)
        ax = plot_ranking(found)
        expected = {
            (i, r + 1): percent(share, 3_000)
            for i, model in enumerate(found.by_rank)
            for r, share in enumerate(model.rank_probabilities)
        }
        assert first_words(ax) == expected
        assert_readable(ax, first=1)

    def test_the_inset_has_the_means_and_the_intervals(self, four):
        ax = plot_ranking(four)
        inset = ax.child_axes[0]
        ends = [segment.tolist() for segment in inset.collections[0].get_segments()]
        models = four.by_rank
        assert ends == [[[m.estimate.hdi.low, i], [m.estimate.hdi.high, i]] for i, m in enumerate(models)]
        assert inset.lines[0].get_xdata() == pytest.approx([m.estimate.mean for m in models])
        assert list(inset.lines[0].get_ydata()) == [0, 1, 2, 3]
        assert inset.get_ylim() == ax.get_ylim()
        assert inset.get_xlabel().replace("\n", " ") == "macro F1, mean and 95% HDI"

    def test_the_inset_lies_at_the_right_within_the_axes(self, four):
        ax = plot_ranking(four)
        ax.figure.draw_without_rendering()
        outer, inner = ax.get_window_extent(), ax.child_axes[0].get_window_extent()
        edge = ax.transData.transform((4.5, 0))[0]
        assert edge < inner.x0 < inner.x1 <= outer.x1 + 0.5
        assert (inner.y0, inner.y1) == pytest.approx((outer.y0, outer.y1))

    def test_where_less_is_better_it_is_said(self, news):
        found = rw.rank(news.outcomes, metric="error", draws=200, rng=0)
        inset = plot_ranking(found).child_axes[0]
        assert "less is better" in inset.get_xlabel().replace("\n", " ")
        means = inset.lines[0].get_xdata()
        assert means[0] == min(means)

    def test_thirty_have_a_key_of_colours_instead_of_letters(self, many):
        ax = plot_ranking(many)
        ax.figure.draw_without_rendering()
        assert not ax.texts
        assert ax.child_axes[1].get_xlabel() == "probability of the rank"
        assert ticks(ax.get_yticklabels()) == [model.name for model in many.by_rank]
        assert_apart(ax.get_yticklabels(), down=True)
        assert_apart(ax.get_xticklabels(), down=False)

    def test_two_and_draws_without_spread_hold_up(self, silent):
        truth = [0, 1] * 20
        same = rw.rank(truth, {"a": truth, "b": truth}, model="bootstrap", draws=10, rng=0)
        ax = plot_ranking(same)
        ax.figure.draw_without_rendering()
        assert set(first_words(ax).values()) == {percent(0.5, 10)}
        assert list(ax.child_axes[0].lines[0].get_xdata()) == [1.0, 1.0]

    def test_given_axes_are_used_and_returned(self, four):
        figure, ax = plt.subplots()
        assert plot_ranking(four, ax=ax) is ax
        assert figure.axes == [ax]

    def test_other_results_cannot_be_drawn(self, few_classes):
        for plot in (plot_ranking, plot_pairwise):
            with pytest.raises(InvalidInputError, match="cannot draw Confusion"):
                plot(few_classes)


class TestPairwise:
    def test_each_cell_has_the_verdict_of_row_against_column(self, four):
        ax = plot_pairwise(four)
        names = [model.name for model in four.by_rank]
        found = first_words(ax)
        assert found == {
            (i, j): four.pair(a, b).decision.symbol + ("" if four.pair(a, b).decision.stable else "?")
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if i != j
        }
        assert ticks(ax.get_yticklabels()) == ticks(ax.get_xticklabels()) == names
        assert (ax.get_ylabel(), ax.get_xlabel()) == ("row", "column")
        assert_readable(ax)

    def test_the_transposed_cell_is_mirrored(self, many):
        found = first_words(plot_pairwise(many))
        assert len(found) == 30 * 29
        assert all(found[j, i][0] == MIRRORED[symbol[0]] for (i, j), symbol in found.items())

    def test_the_better_one_has_two_wedges_towards_it_on_its_row(self, four):
        found = first_words(plot_pairwise(four))
        assert found[0, 3] == "≫"
        assert found[3, 0] == "≪"

    def test_means_of_row_minus_column_stand_below(self, four):
        ax = plot_pairwise(four)
        pair = four.pair("nb_mult", "nb_bern")
        expected = number(pair.delta.mean, decimals(pair.delta, pair.delta.mc_error), sign=True)
        assert cells(ax)[0, 3][1].get_text() == expected
        assert cells(ax)[3, 0][1].get_text() == expected.replace("+", "−")

    def test_colours_say_who_wins_and_where_the_undecided_lean(self, many):
        ax = plot_pairwise(many)
        names = [model.name for model in many.by_rank]
        full = {Verdict.A_BETTER: ABOVE, Verdict.B_BETTER: BELOW, Verdict.EQUIVALENT: INSIDE}
        leaning = {}
        for i, j in cells(ax):
            decision = many.pair(names[i], names[j]).decision
            if decision.conclusive:
                assert ground(ax, i, j) == pytest.approx(to_rgb(full[decision.verdict]))
            else:
                leaning.setdefault(decision.leaning, set()).add(tuple(np.round(ground(ax, i, j), 6)))
        assert {len(colours) for colours in leaning.values()} == {1}
        assert len(set.union(*leaning.values())) == len(leaning) == 3
        said = [text.get_text() for text in ax.get_legend().get_texts()]
        assert said == ["≫ row better", "≪ column better", "≈ equivalent", "< > undecided, leaning"]

    def test_verdicts_that_hang_on_the_draws_have_a_question_mark(self, news):
        rough = rw.rank(news.outcomes, metric="macro_f1", rope=0.02, draws=20, rng=0)
        ax = plot_pairwise(rough)
        assert all(symbol.endswith("?") for symbol in first_words(ax).values())
        assert ax.get_legend().get_title().get_text() == "macro F1, ROPE ±0.02\n? depends on the draws"

    def test_a_one_sided_rope_is_mirrored_on_the_other_side_of_the_diagonal(self, news):
        found = rw.rank(
            news.outcomes,
            predictions=["nb_mult", "nb_bern"],
            metric="macro_f1",
            rope=(-0.02, math.inf),
            draws=2_000,
            rng=0,
        )
        ax = plot_pairwise(found)
        assert first_words(ax) == {(0, 1): "not worse", (1, 0): "not better"}
        assert "[−0.02, +∞]" in ax.get_legend().get_title().get_text()

    def test_where_less_is_better_the_row_with_less_wins(self, news):
        found = rw.rank(
            news.outcomes, predictions=["nb_mult", "nb_bern"], metric="error", rope=0.01, draws=2_000, rng=0
        )
        ax = plot_pairwise(found)
        assert ticks(ax.get_yticklabels()) == ["nb_mult", "nb_bern"]
        assert first_words(ax) == {(0, 1): "≫", (1, 0): "≪"}
        assert ground(ax, 0, 1) == pytest.approx(to_rgb(ABOVE))
        assert cells(ax)[0, 1][1].get_text().startswith("−")

    def test_without_a_rope_there_are_probabilities_and_no_symbols(self, news):
        found = rw.rank(news.outcomes, metric="fpr", pos_label=8, draws=3_000, rng=0)
        ax = plot_pairwise(found)
        names = [model.name for model in found.by_rank]
        for (i, j), text in first_words(ax).items():
            assert text == percent(found.pair(names[i], names[j]).contrast.prob_below_zero, 3_000)
        assert ax.get_legend() is None
        assert ax.child_axes[0].get_xlabel() == "P(FPR of class 8: row < column)"
        assert_readable(ax)

    def test_twins_are_white_and_a_pair_without_a_verdict_is_hatched(self, silent):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 2, 60)
        other = np.where(rng.random(60) < 0.7, truth, 1 - truth)
        guesses = {"a": truth, "twin": truth, "c": other}
        kept = {"metric": "accuracy", "model": "bootstrap", "draws": 2_000, "rng": 0, "pool": False}
        judged = plot_pairwise(rw.rank(truth, guesses, rope=0.05, **kept))
        assert [first_words(judged)[at] for at in ((0, 1), (1, 0))] == ["–", "–"]
        assert len(judged.patches) == 2
        unjudged = plot_pairwise(rw.rank(truth, guesses, **kept))
        assert ground(unjudged, 0, 1) == pytest.approx((1, 1, 1))

    def test_thirty_hold_up(self, many):
        ax = plot_pairwise(many)
        assert_readable(ax)
        assert all(len(texts) == 1 for texts in cells(ax).values())
        assert_apart(ax.get_yticklabels(), down=True)
        assert_apart(ax.get_xticklabels(), down=False)

    def test_hostile_names_are_drawn_as_they_are(self, silent):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 2, 60)
        guesses = {name: np.where(rng.random(60) < 0.8, truth, 1 - truth) for name in HOSTILE}
        found = rw.rank(truth, guesses, rope=0.05, metric="accuracy", draws=500, rng=0)
        for plot in (plot_ranking, plot_pairwise):
            ax = plot(found)
            ax.figure.draw_without_rendering()
            assert {r"\$x_1\$ & \$y", "_under"} < set(ticks(ax.get_yticklabels()))

    def test_given_axes_are_used_and_returned(self, four):
        figure, ax = plt.subplots()
        assert plot_pairwise(four, ax=ax) is ax
        assert figure.axes == [ax]


def test_parts_of_a_figure_hold_pictures_too(four, few_classes):
    figure = plt.figure(figsize=(7, 3), layout="constrained")
    left, right = (part.subplots() for part in figure.subfigures(1, 2))
    plot_confusion(few_classes, ax=left)
    plot_pairwise(four, ax=right)
    assert_readable(left)
    assert_readable(right)


@pytest.mark.parametrize("family", ["serif", "monospace", "STIXGeneral"])
def test_symbols_are_there_in_any_font(family, four):
    with mpl.rc_context({"font.family": family}):
        ax = plot_pairwise(four)
        ax.figure.draw_without_rendering()
    assert "≫" in first_words(ax).values()


def test_counts_of_no_items_and_of_millions_hold_up(silent):
    for counts in ([[0, 0], [0, 0]], [[12_345_678, 1], [2, 98_765_432]]):
        panels = plot_confusion((confusion_of(counts), confusion_of(counts)))
        panels[0].figure.draw_without_rendering()
        ax = plot_confusion(confusion_of(counts))
        ax.figure.draw_without_rendering()
        expected = f"{counts[0][0]:,}" if counts[0][0] else "–"
        assert first_words(ax)[0, 0] == expected


def test_shortened_names_stay_apart():
    names = [f"a classifier with a long name, {i}, of the second kind" for i in range(3)]
    assert len(set(distinct(names, 18))) == 3
    assert all(len(name) <= 18 for name in distinct(names, 18))


@pytest.mark.parametrize("kind", ["pdf", "svg"])
def test_pictures_can_be_saved_as_vectors(kind, tmp_path, both, four):
    for name, plot, result in (("c", plot_confusion, both), ("r", plot_ranking, four), ("p", plot_pairwise, four)):
        plot(result)
        path = tmp_path / f"{name}.{kind}"
        plt.gcf().savefig(path)
        assert 1_000 < path.stat().st_size < 600_000
