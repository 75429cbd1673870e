"""The page of the report, part by part: places, numbers, texts, sizes. What a browser makes of it: test_browser."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ropewalk as rw
from hostile import hostile_names
from posteriors import compared
from ropewalk.draws.contrast import Question
from ropewalk.draws.density import bars
from ropewalk.draws.intervals import Interval, summarise
from ropewalk.inference.extras import gather
from ropewalk.report.document import plain
from ropewalk.report.dots import SCREENS, dots_of, quantiles
from ropewalk.report.pictures import Axis, Entry, area, outline, round_step, slider_of, view
from ropewalk.report.posterior import panel, posterior_of
from ropewalk.report.render import _templates
from ropewalk.report.rows import forest
from ropewalk.report.sketch import Sketch, sketch_of
from ropewalk.text.units import POINTS, Shown
from ropewalk.text.writing import cut_middle
from support import method_rows

pytestmark = pytest.mark.usefixtures("frugal_throughout")

QUICK = {"rng": 0, "draws": 500}
HOSTILE = hostile_names("script", "image", "turned", "control", "long", "formula", "emoji", "hebrew")


@pytest.fixture(scope="module")
def named(news):
    return news.outcomes.relabel(news.class_names)


@pytest.fixture(scope="module")
def many(named):
    """An answer about twenty classes, which tests may only look at."""
    return rw.compare(named, a="nb_mult", b="svm_l2", rope=0.01, rng=0, draws=1_000, tests=True)


@pytest.fixture(scope="module")
def page(many):
    return many.to_html()


@pytest.fixture(scope="module")
def ranking(named):
    return rw.rank(named, rope=0.01, rng=0, draws=500)


# -- places ------------------------------------------------------------------------------------------------


@given(st.floats(-50, 50), st.floats(0.001, 50))
def test_ticks_are_round_and_stand_where_they_say(low, span):
    axis = Axis(low, low + span)
    ticks = axis.ticks()
    assert 2 <= len(ticks) <= 10
    for tick in ticks:
        assert tick.at == pytest.approx(100 * (float(tick.text) - low) / span, abs=0.01)


def test_ticks_about_a_bar_tell_the_score_itself():
    y = np.tile([0, 1], 200)
    m = rw.evaluate(y, np.where(np.arange(400) % 10 < 7, y, 1 - y), metric="accuracy", at_least=0.7, **QUICK)[
        "accuracy"
    ]
    found = panel("p", posterior_of(m), label="")
    assert {tick.text: tick.at for tick in found.ticks}["0.70"] == pytest.approx(found.zero)


@given(st.floats(1e-6, 1e6))
def test_a_round_step_is_one_two_or_five_times_a_power_of_ten(about):
    step = round_step(about)
    assert about * (1 - 1e-6) <= step <= about * 2.5 * (1 + 1e-6)
    assert float(f"{step:e}".partition("e")[0]) in {1.0, 2.0, 5.0}


def test_a_histogram_has_the_shape_of_the_draws():
    draws = np.sort(np.concatenate([np.linspace(0, 1, 9_000), np.linspace(1, 2, 1_000)]))
    axis = Axis(0.0, 2.0)
    histogram = bars(draws, draws, region=axis, shown=axis)
    heights = [100 - float(y) for y in re.findall(r"V([\d.]+)H", outline([histogram], axis))]
    half = len(heights) // 2
    assert max(heights) == pytest.approx(100)
    assert np.mean(heights[:half]) == pytest.approx(9 * np.mean(heights[-half + 1 :]), rel=0.1)


@pytest.mark.parametrize("draws", [np.zeros(1_000), np.array([0.3]), np.full(50, -0.2)], ids=["zeros", "one", "equal"])
def test_equal_draws_are_one_bar(draws):
    found = posterior_of(compared(draws, 0.05))
    axis = found.view(found.rope)
    assert axis.holds(draws[0])
    middle = 10 * axis.at(float(draws[0]))
    ends = re.fullmatch(r"M([\d.]+) 100V0H([\d.]+)V100", outline(found.histogram(axis), axis)).groups()
    assert [float(end) for end in ends] == pytest.approx([middle - 5, middle + 5], abs=0.1)


def test_what_is_far_away_does_not_squeeze_the_draws():
    draws = np.sort(np.random.default_rng(0).normal(0.5, 0.001, 2_000))
    axis = view(Interval(draws[0], draws[-1]), (0.0, -0.01, 0.01))
    assert not axis.holds(0.0)
    assert axis.at(float(draws[-1])) - axis.at(float(draws[0])) > 80


def test_an_area_goes_there_and_back():
    x = np.array([0.0, 1.0])
    assert area(x, np.array([0.0, 0.0]), np.array([1.0, 0.5])) == "M0 0.0L1000 50.0L1000 100.0L0 100.0Z"


@given(st.floats(1e-4, 0.9), st.floats(-1, 1), st.floats(0, 1))
def test_the_stated_rope_lies_on_a_step_of_the_slider(rope, low, width):
    slider = slider_of(Interval(-rope, rope), Interval(low, low + width), 1.0)
    steps = (float(slider.value) - float(slider.low)) / float(slider.step)
    assert steps == pytest.approx(round(steps), abs=1e-6)
    assert float(slider.value) == pytest.approx(rope, rel=1e-11)
    assert 0 < float(slider.low) <= float(slider.value) <= float(slider.high)
    assert (float(slider.high) - float(slider.low)) / float(slider.step) <= 1_100


def test_rows_of_a_forest_stand_on_one_axis(rng):
    estimates = [
        summarise(d, np.sort(d), prob=0.95, observed=None) for d in (rng.normal(m, 0.1, 2_000) for m in (-1, 0, 2))
    ]
    question = Question(rope=Interval(-0.1, 0.1), prob=0.95, rule="hdi", higher_is_better=True)
    entries = [Entry(label=str(i), estimate=e) for i, e in enumerate(estimates)]
    found = forest(entries, question, head="h", what="w", unit=POINTS)
    drawn = str(_templates().get_template("tracks.html.j2").module.forest(found))
    places = re.findall(r'class="iv" x1="([\d.]+)%" x2="([\d.]+)%".*?cx="([\d.]+)%"', drawn)
    rows = [tuple(map(float, place)) for place in places]
    assert len(rows) == 3
    scale = (rows[2][2] - rows[0][2]) / (estimates[2].mean - estimates[0].mean)
    for (low, high, _), estimate in zip(rows, estimates, strict=True):
        assert low - rows[0][0] == pytest.approx(scale * (estimate.hdi.low - estimates[0].hdi.low), abs=0.01)
        assert high - low == pytest.approx(scale * (estimate.hdi.high - estimate.hdi.low), abs=0.01)
    assert found.band.high - found.band.low == pytest.approx(scale * 0.2, abs=0.01)


def test_less_is_better_and_right_is_still_a(rng):
    draws = rng.normal(-0.05, 0.01, 2_000)  # A has the lower error
    estimate = summarise(draws, np.sort(draws), prob=0.95, observed=None)
    question = Question(rope=Interval(-0.01, 0.03), prob=0.95, rule="hdi", higher_is_better=False)
    found = forest([Entry(label="x", estimate=estimate)], question, head="h", what="w", unit=POINTS)
    assert found.rows[0].at > found.zero
    assert found.rows[0].value.startswith(("+5", "+4.9"))
    assert 3 * (found.band.high - found.zero) == pytest.approx(found.zero - found.band.low, abs=0.01)


def sketched(draws, **options):
    ordered = np.sort(np.asarray(draws, dtype=float))
    low, high = np.quantile(ordered, [0.025, 0.975])
    return Sketch(ordered=ordered, shown=Shown(float(ordered.mean()), low, high, 1), a="a", b="b", **options)


@given(st.floats(-20, 20), st.floats(0.1, 30), st.sampled_from([None, 0.5, 4.0]))
def test_a_hundred_dots_stand_where_their_values_are(mean, spread, width):
    rope = None if width is None else Interval(-width, width)
    sketch = sketched(np.random.default_rng(0).normal(mean, spread, 2_000), rope=rope)
    found = dots_of("p", sketch, mass="95%", title="", caption="", noun="")
    assert not found.are_bars
    for plot, screen in zip(found.plots, SCREENS, strict=True):
        inner, step = screen.width - 16, 2 * plot.radius / 0.9
        assert len(plot.marks) == 100
        for mark, value in zip(plot.marks, quantiles(sketch), strict=True):
            place = 8 + inner * (value - plot.axis.low) / (plot.axis.high - plot.axis.low)
            assert mark.x == pytest.approx(place, abs=step / 2 + 0.6)
            assert 0 <= mark.x <= screen.width
            side = "b" if value < -(width or 0.0) else "a" if value > (width or 0.0) else "e"
            assert mark.tone == side
        taken = {(mark.x, mark.y) for mark in plot.marks}
        assert len(taken) == 100  # none covers another one
        assert min(mark.y for mark in plot.marks) > plot.top
    tones = [mark.tone for mark in found.plots[0].marks]
    assert found.counted == tones.count(found.side)


@pytest.mark.parametrize(
    "draws",
    [np.full(500, 3.0), np.concatenate([np.zeros(1_900), np.linspace(0, 400, 100)])],
    ids=["one value", "very skewed"],
)
def test_where_dots_would_be_too_small_bars_take_their_place(draws):
    found = dots_of("p", sketched(draws, rope=Interval(-1.0, 1.0)), mass="95%", title="", caption="", noun="")
    assert found.are_bars
    for plot in found.plots:
        assert all(mark.height > 0 and 0 <= mark.x <= plot.screen.width for mark in plot.marks)


def test_long_names_keep_their_beginning_and_their_end():
    assert cut_middle("a" * 30 + "z" * 30, 24) == "a" * 12 + "…" + "z" * 11
    assert len(cut_middle("x" * 99, 14)) == 14


def test_a_sketch_turns_what_is_better_low():
    y = np.tile([0, 1], 200)
    good, bad = np.where(np.arange(400) % 20 < 1, 1 - y, y), np.where(np.arange(400) % 5 < 1, 1 - y, y)
    r = rw.compare(y, good, bad, metric="error", rope=(-0.01, 0.02), **QUICK)
    sketch = sketch_of(r)
    assert np.diff(sketch.ordered).min() >= 0
    assert sketch.ordered.mean() == pytest.approx(-100 * r.mean)
    assert tuple(sketch.rope) == pytest.approx((-2.0, 1.0))
    assert plain(sketch.right, str) == "A better"


# -- what it says ------------------------------------------------------------------------------------------


def words(page):
    """Return what a reader sees, in one line."""
    bare = re.sub(
        r"<(style|script)[^>]*>.*?</\1>|</?bdi>", lambda found: " " if found[1] else "", page, flags=re.DOTALL
    )
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", bare)))


def in_sight(page):
    """Return what a reader sees before unfolding anything."""
    return words(re.sub(r"<details.*</details>", " ", page, flags=re.DOTALL))


TERMS = re.compile(r"\b(ROPE|HDI|BF01|priors?|[a-z_]+=|r\.\w+\()|Δ|--[a-z]")


def test_a_comparison_has_all_its_parts(many, page):
    told = words(page)
    for part in (
        many.headline.partition(". ")[0], "Smallest difference that matters", "For a decision:", "Both scores",
        "Where they differ", "The difference on each class", "How sure is this?", "If another margin mattered to you",
        "What the interval leaves out", "Gained and lost", "What they take for what", "Other priors",
        "Confusion matrices", "Bayes factor", "Classical tests", "The papers' columns", "How it was computed",
        many.recipe.data_hash, "rw.compare(data, a='nb_mult', b='svm_l2'", "NumPy", many.sentence(),
        "Copy LaTeX table", "Copy sentence", "Copy JSON",
    ):  # fmt: skip
        assert part in told, part
    assert "ignificant" not in told


def test_a_ranking_has_all_its_parts(ranking):
    told = words(ranking.to_html())
    for part in ("P(best)", "P(rank)", "expected loss", "Every pair", "Chance of every rank", ranking.sentence()):
        assert part in told, part
    title, _, rest = ranking.headline.partition(". ")
    assert title in in_sight(ranking.to_html())
    assert rest in in_sight(ranking.to_html())


@pytest.mark.parametrize("rope", [0.01, None, (-0.02, float("inf"))], ids=["margin", "none", "one end"])
def test_terms_and_options_are_folded_away(named, rope):
    how = {"a": "nb_mult", "b": "svm_l2", "rng": 0, "draws": 500}
    for result in (
        rw.compare(named, rope=rope, tests=True, **how),
        rw.compare_classes(named, rope=rope, **how),
        rw.rank(named, rope=rope, rng=0, draws=500),
    ):
        told = in_sight(result.to_html())
        assert "How it was computed" not in told
        assert TERMS.findall(told) == []


def test_the_numbers_of_a_page_are_those_of_python(many, page):
    told = in_sight(page)
    a, b = (100 * estimate.observed for estimate in (many.estimate_a, many.estimate_b))
    for part in (f"{a:.1f}", f"{b:.1f}", f"+{100 * many.mean:.1f}", f"{100 * many.hdi.low:.1f}"):
        assert part in told, part
    agreement = many.recipe.tables[0].agreement("nb_mult", "svm_l2")
    assert f"Both are right on {agreement['both']:,} of 7,532 items" in told
    assert f"nb_mult is right {agreement['only_a']:,} times and svm_l2 {agreement['only_b']:,} times" in told


def test_a_remark_stands_on_a_page_once(silent):
    y = [0, 1, 1, 0, 1] * 8
    r = rw.compare(y, y[::-1], y, rope=0.01, rng=0, draws=10)
    told = words(re.sub(r'<pre id="json".*?</pre>', "", r.to_html(), flags=re.DOTALL))
    assert "State it with" not in told
    for remark in r.remarks:
        assert told.count(remark.text) <= 1


def test_title_and_note_are_the_users_own_words(many):
    page = many.to_html(title="Report <b>1</b>", note="Draft & \u202e'checked'")
    told = words(page)
    assert "<title>Report &lt;b&gt;1&lt;/b&gt; – ropewalk</title>" in page
    assert r"Draft & \u202e'checked'" in told
    assert "Report <b>1</b> ·" in told
    assert "<b>1</b>" not in page
    assert "<title>Is nb_mult better than svm_l2? – ropewalk</title>" in many.to_html()


def test_a_page_without_a_rope_says_what_to_think_of(named):
    r = rw.compare(named, a="nb_mult", b="svm_l2", pos_label="sci.space", rng=0, draws=500)
    page = r.to_html()
    assert "the smallest difference you would act on" in in_sight(page)
    assert "<input" not in page
    assert "too small to matter" not in in_sight(page)


def test_classes_are_sorted_by_their_difference(named):
    r = rw.compare_classes(named, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=500)
    page = r.to_html()
    shown = [html.unescape(re.sub("<wbr>", "", cell)) for cell in re.findall(r'class="nm">(.*?)</span>', page)]
    assert shown == [c.pos_label for c in sorted(r, key=lambda c: -c.mean)]
    title = in_sight(page)
    assert r.headline in title
    for code in ("a_better", "b_better", "equivalent", "undecided"):
        many = sum(c.decision.code == code for c in r)
        tone = {"a_better": "a", "b_better": "b", "equivalent": "e", "undecided": "u"}[code]
        assert re.search(rf'data-show="{tone}".*?<b>{many}</b></button>', page)
    assert r.headline in r.to_markdown().replace("\\", "")
    assert str(r).replace("\n", " ").startswith(r.headline)


def test_the_groups_of_a_ranking_are_those_of_python(ranking):
    page = ranking.to_html()
    rows = re.findall(r'<div role="row" class="r( first)?" data-place="(\d+)">.*?class="nm">(.*?)</b>', page)
    assert [name for _, _, name in rows] == [model.name for model in ranking.by_rank]
    leaders = [group.leader for group in ranking.groups]
    assert [name for first, _, name in rows if first] == leaders[1:]


def test_an_evaluation_has_all_its_parts(named):
    e = rw.evaluate(named, "svm_l2", metric=["macro_f1", "accuracy"], rng=0, draws=500)
    told = words(e.to_html())
    for part in ("How good is svm_l2?", "macro F1", "accuracy", "Confusion matrix", e.sentence()):
        assert part in told, part


@pytest.mark.parametrize(
    "make",
    [
        lambda o: rw.compare([0, 1] * 30, list(range(60)), list(range(60, 0, -1)), metric="roc_auc", rope=0.1, **QUICK),
        lambda o: rw.compare(
            o.project(["nb_mult"]), o.project(["svm_l2"]), pos_label="sci.med", rope=0.1, rng=0, draws=500
        ),
        lambda o: rw.compare(
            o, a="nb_mult", b="svm_l2", metric="accuracy", model="bootstrap", rope=0.1, rng=0, draws=500
        ),
        lambda o: rw.compare(rw.examples.reuters90(), a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=500),
        lambda o: rw.compare([0, 1] * 50, [0, 1] * 50, [0, 1] * 50, rope=0.05, rng=0, draws=500),
        lambda o: rw.compare(o, a="nb_mult", b="svm_l2", metric="error", rng=0, draws=500),
        lambda o: rw.curves.roc([0, 1] * 30, list(range(60)), draws=100, rng=0),
        lambda o: rw.classical.battery(o.project(["nb_mult", "svm_l2"])),
    ],
    ids=["scores", "unpaired", "bootstrap", "multi-label", "equal", "no rope", "roc", "tests"],
)
def test_every_kind_of_result_has_a_page(named, silent, make):
    r = make(named)
    page = r.to_html()
    assert page.startswith("<!doctype html>")
    assert r.sentence() in words(page)
    assert len(page.encode()) < 155_000


def test_the_classes_and_priors_of_a_page_are_those_of_the_functions(rng, silent):
    data = thirds(rng)
    found = rw.compare(*data, rope=0.05, rng=0, draws=2_000)
    extras = gather(found)
    whole = rw.compare_classes(*data, rope=0.05, rng=0, draws=2_000)
    assert len(whole) == 3
    assert [c.mean for c in extras.classes] == [c.mean for c in whole]
    assert [c.decision.symbol for c in extras.classes] == [c.decision.symbol for c in whole]
    asked = dict(found.prior_sensitivity().rows)
    assert [which for which, _ in extras.priors.rows] == ["as asked", "half the prior mass", "twice the prior mass"]
    for which, quick in extras.priors.rows:
        exact = asked[which]
        assert quick.mean == pytest.approx(exact.mean, abs=5 * (quick.delta.mc_error + exact.delta.mc_error))


def test_who_was_right_adds_up(many, named):
    rows = gather(many).agreement
    total = named.agreement("nb_mult", "svm_l2")
    assert {kind: sum(getattr(row, kind) for row in rows) for kind in total} == total
    sizes = [row.both + row.only_a + row.only_b + row.neither for row in rows]
    assert sizes == named.items_by_class().tolist()


def test_of_many_classes_those_that_differ_most_are_shown(silent):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 30, 1_500)
    a, b = y.copy(), y.copy()
    b[y == 17] = 18  # the two differ here and nowhere else
    r = rw.compare(y, a, b, rope=0.01, rng=0, draws=200)
    shown = [c.pos_label for c in gather(r).classes]
    assert len(shown) == 20
    assert {17, 18} <= set(shown)
    assert "picked by the data" in words(r.to_html())


# -- the file ----------------------------------------------------------------------------------------------


def test_the_policy_lets_nothing_run_but_our_own_style_and_script(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag in ("style", "script"):
        (body,) = re.findall(rf"<{tag}[^>]*>(.*?)</{tag}>", page, flags=re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert not re.search(r'\s(style|on\w+)="', page)


def test_a_page_is_small(page, ranking):
    assert len(page.encode()) < 150_000
    assert len(ranking.to_html().encode()) < 150_000


def test_a_page_about_two_labels_is_smaller(named):
    two = rw.compare(named, a="nb_mult", b="svm_l2", pos_label="sci.med", rope=0.05, rng=0, draws=2_000)
    assert len(two.to_html().encode()) < 100_000
    classes = rw.compare_classes(named, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=500)
    assert len(classes.to_html().encode()) < 150_000


def test_a_card_is_small_and_knows_no_theme(many, ranking):
    for result in (many, ranking):
        card = result._repr_html_()
        style = re.search("<style>(.*?)</style>", card, re.DOTALL)[1]
        assert len(card.encode()) < 6_000
        assert "prefers-color-scheme" not in style
        assert all(rule.startswith((".rw", "@media")) for rule in style.split("\n"))
        assert "<script" not in card
        assert 'to_html("report.html")' in html.unescape(card)
        title = result.headline.partition(". ")[0]
        assert title in words(card)


def test_the_same_answer_is_the_same_page(named, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    pages = [
        rw.compare(named, a="nb_mult", b="svm_l2", rope=0.01, rng=3, draws=1_000, threads=t).to_html() for t in (1, 2)
    ]
    assert pages[0] == pages[1]
    assert "on 1970-01-02" in pages[0]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_escaped_in_the_embedded_json_too(silent, name):
    y = ["p", "n"] * 50
    r = rw.compare(y, y[:90] + ["n"] * 10, y, names=[name, "b"], pos_label="p", rope=0.05, rng=0, draws=2_000)
    page = r.to_html()
    assert "<script>alert" not in page
    assert "<img" not in page
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067]", page)
    attributes = re.findall(r"data-(?:live|row)='([^']*)'", page)
    assert attributes
    for attribute in attributes:
        assert "<" not in attribute
        json.loads(html.unescape(attribute))
    block = html.unescape(re.search(r'<pre id="json"[^>]*>(.*?)</pre>', page, flags=re.DOTALL)[1])
    assert json.loads(block)["a"]["name"] == name
    assert not re.search(r'(src|href)="(?!#)', page)


def test_json_holds_no_character_that_acts_on_a_terminal(silent):
    name = "a\x9b31m\u202eb\u2028c\x07"
    r = rw.compare([0, 1] * 50, [0, 1] * 50, [0, 1] * 50, names=[name, "b"], rope=0.05, rng=0, draws=500)
    text = r.to_json()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]", text)
    assert json.loads(text)["a"]["name"] == name


# -- the sentence ------------------------------------------------------------------------------------------


def test_the_sentence_says_all_that_a_paper_needs(named):
    r = rw.compare(named, a="nb_mult", b="svm_l2", pos_label="rec.sport.hockey", rope=0.05, rng=0, draws=50_000)
    low, high = r.hdi
    assert r.sentence().startswith(r.headline.removesuffix("."))
    assert (
        "(on 7,532 paired items (class rec.sport.hockey against the rest); "
        f"95% HDI of the difference [{low:+.3f}, {high:+.3f}]; ROPE ±0.05; paired model"
    ) in r.sentence()
    assert r.sentence().endswith("50,000 draws).")


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        ({"pos_label": "rec.motorcycles", "rope": 0.05}, "nb_mult and svm_l2 are practically equivalent: "),
        ({"pos_label": "sci.electronics", "rope": 0.05}, "Undecided: nb_mult is ahead, "),
        ({"pos_label": "sci.electronics"}, "nb_mult's F1 is higher with probability "),
    ],
    ids=["equivalent", "undecided", "no rope"],
)
def test_the_sentence_follows_the_verdict(named, options, begins):
    r = rw.compare(named, a="nb_mult", b="svm_l2", rng=0, **options)
    assert r.sentence().startswith(begins)
    assert r.sentence().endswith("draws).")
    assert "ignificant" not in r.sentence()
    assert ("no ROPE" in r.sentence()) == ("rope" not in options)


def test_less_is_better_and_the_sentence_still_tells_the_sign(named):
    r = rw.compare(named, a="nb_mult", b="svm_l2", metric="error", rope=0.001, rng=0, draws=1_000)
    assert r.mean < 0
    assert r.sentence().startswith("nb_mult is better: error lower by ")
    assert f"[{r.hdi.low:.3f}, " in r.sentence()
    assert r.decision.symbol == "≫"


@pytest.mark.parametrize(
    ("make", "parts"),
    [
        (lambda y: rw.compare(y, y[::-1], y, rope=0.01, rng=0, draws=10), ["10 draws", "Other draws may"]),
        (
            lambda y: rw.compare(y, y[::-1], y, rope=0.01, rng=0, rule="probability", draws=2_000),
            ["ROPE ±0.01, judged by a region's mass of at least 95%"],
        ),
        (
            lambda y: rw.compare([0, 1] * 4, [0, 1] * 4, [0, 1, 1, 1] * 2, rope=0.01, model="bootstrap", **QUICK),
            ["no verdict, since fewer than 10 items", "Bayesian bootstrap over items, no prior"],
        ),
        (
            lambda y: rw.compare(y, y[::-1], y, metric="precision", prevalence=0.01, rope=0.01, rng=0, draws=2_000),
            ["at a prevalence of 1%"],
        ),
        (
            lambda y: rw.evaluate(y, y[::-1], name="x", at_least=0.7, rope=0.1, rng=0, draws=2_000),
            ["P(≥ 0.7) <", "ROPE ±0.1", "x is worse than the bar of 0.7 by a margin that matters"],
        ),
        (
            lambda y: rw.compare(
                rw.Outcomes.from_confusion([[40, 10], [10, 40]]), rw.Outcomes.from_confusion([[30, 20], [9, 41]]),
                rope=0.1, rng=0, draws=2_000,
            ),
            ["on 200 items of separate test sets"],
        ),
    ],
    ids=["unstable", "rule", "no verdict", "prevalence", "bar", "separate"],
)  # fmt: skip
def test_the_sentence_leaves_out_nothing_that_changes_its_meaning(silent, make, parts):
    y = [0, 1, 1, 0, 1] * 8
    y[-2] = 0
    told = make(y).sentence()
    for part in parts:
        assert part in told


def test_an_open_end_of_a_rope_is_no_region(named):
    r = rw.compare(named, a="nb_mult", b="svm_l2", pos_label="sci.med", rope=(0.05, float("inf")), rng=0, draws=5_000)
    assert not r.conclusive
    assert "inf" not in r.sentence()


# -- what must not be said ---------------------------------------------------------------------------------


def thirds(rng, n=600):
    """Return the truth and two classifiers of three classes."""
    y = rng.integers(0, 3, n)
    a = np.where(rng.random(n) < 0.85, y, rng.integers(0, 3, n))
    return y, a, np.where(rng.random(n) < 0.7, y, rng.integers(0, 3, n))


@pytest.mark.parametrize(
    "options",
    [
        {"metric": "cost", "cost_matrix": (10 * (1 - np.eye(3))).tolist(), "rope": 2},
        {"metric": "error", "rope": (-0.2, 0.01)},
        {"metric": lambda m: 100 * m.tp.sum(axis=-1) / m.row.sum(axis=-1), "rope": 2.0},
        {"metric": "mcc", "rope": 0.05},
    ],
    ids=["cost", "error", "function", "mcc"],
)
def test_the_rope_of_another_metric_judges_no_class(rng, options):
    r = rw.compare(*thirds(rng, 300), rng=0, draws=500, **options)
    assert r.decision is not None
    shown = gather(r).classes
    assert [c.metric for c in shown] == ["recall"] * 3
    assert [c.decision for c in shown] == [None] * 3
    assert "The margin is about another metric" in words(r.to_html())


def test_classes_that_the_user_picked_are_not_called_picked_by_the_data(rng):
    r = rw.compare(*thirds(rng), classes=[0, 1], rope=0.05, rng=0, draws=500)
    assert [c.pos_label for c in gather(r).classes] == [0, 1]
    assert "whose observed values differ most" not in words(r.to_html())
    y, a, b = (list(map(str, column)) for column in thirds(rng))
    b[0] = None
    with_missing = rw.compare(y, a, b, missing="wrong", rope=0.05, rng=0, draws=500)
    assert gather(with_missing).n_classes == 3


def test_undecided_is_one_verdict_whichever_way_it_points(silent):
    y = [0, 1] * 40
    a, b = list(y), list(y)
    for i in range(0, 16, 2):
        a[i], b[i + 1] = 1 - a[i], 1 - b[i + 1]
    for seed in range(3):
        found = rw.compare(y, a, b, metric="accuracy", rope=0.05, rng=seed, draws=2_000).prior_sensitivity()
        assert not any(c.conclusive for c in found.alike)
        assert found.robust is True


def test_to_drop_the_pairing_is_no_other_prior(named):
    found = rw.compare(
        named, a="nb_mult", b="svm_l2", pos_label="sci.med", rope=0.05, rng=0, draws=2_000
    ).prior_sensitivity()
    assert [which for which, _ in found.rows][-1] == "unpaired, SIGIR 2016"
    assert len(found.alike) == len(found.rows) - 1
    assert all(c.recipe.model.paired for c in found.alike)


def test_wrong_labels_may_tell_two_classifiers_apart(silent):
    y = np.repeat([0, 1, 2], [1_000, 1_000, 50])
    a, b = y.copy(), y.copy()
    a[:200], b[:200] = 2, 1
    r = rw.compare(y, a, b, rope=0.01, rng=0, draws=2_000)
    assert r.conclusive  # though no item is right for one of them and wrong for the other
    told = words(r.to_html())
    assert "Only these items tell" not in told
    assert "There is none on which only one of them is right; the wrong class predicted may tell them apart" in told


def test_an_unstable_verdict_says_so_in_the_headline(table):
    told = words(rw.compare(table, rope=0.05, rng=0, draws=20).to_html())
    assert "Other draws may say otherwise." in told.partition("Difference in")[0]


def test_classes_without_a_verdict_do_not_take_it_from_the_others(silent):
    rng = np.random.default_rng(3)
    n = 400
    y = rng.integers(0, 3, n)
    a = np.where(rng.random(n) < 0.9, y, (y + 1) % 3)
    b = np.where(rng.random(n) < 0.4, y, (y + 1) % 3)
    found = rw.compare_classes(y, a, b, rope=0.05, rng=0, draws=2_000)
    parts = list(found.comparisons)
    parts[0] = replace(parts[0], decision=None, regions=None, rope_path=None)
    mixed = replace(found, comparisons=tuple(parts))
    told = words(mixed.to_html())
    assert "A wins 2 of 3 classes, 1 without a verdict" in told
    assert "1 without a verdict" in mixed.sentence()


def test_a_class_that_one_table_lacks_has_no_share(silent):
    a = rw.Outcomes.from_confusion([[10, 2, 0], [1, 9, 3], [5, 4, 9]])
    b = rw.Outcomes.from_confusion([[10, 2, 1], [1, 9, 3], [0, 0, 0]])
    r = rw.compare(a, b, rope=0.1, rng=0, draws=500)
    assert "(nan" not in words(r.to_html())
    assert {row.truth for row in gather(r).mistaken} <= {"0", "1"}


def test_a_page_about_many_clusters_stays_cheap(silent):
    rng = np.random.default_rng(0)
    y, a, b = thirds(rng, 30_000)
    r = rw.compare(y, a, b, cluster=np.arange(30_000), rope=0.05, rng=0, draws=1_000)
    extras = gather(r)  # thousands of draws of as many weights would take a minute
    assert extras.classes is None
    assert extras.confusions == ()
    assert extras.agreement


@pytest.mark.parametrize(
    "make",
    [
        lambda data: rw.compare(data, a="nb_mult", b="svm_l2", pos_label="sci.med", rope=0.05, rng=3, draws=500),
        lambda data: rw.compare(data, a="nb_mult", b="svm_l2", classes=["sci.med", "sci.space"], rng=3, draws=500),
        lambda data: rw.compare(data, a="nb_mult", b="svm_l2", model=rw.models.Tree(kappa=3), rng=3, draws=500),
        lambda data: rw.compare(data, a="nb_mult", b="svm_l2", metric="accuracy", model="bootstrap", rng=3, draws=500),
        lambda data: rw.evaluate(data, "svm_l2", rng=3, draws=500),
        lambda data: rw.rank(data, metric="accuracy", rope=(-0.1, 0.2), rng=3, draws=500),
    ],
    ids=["class", "picked", "prior", "bootstrap", "evaluate", "rank"],
)
def test_the_call_on_the_page_makes_the_answer_again(named, make):
    asked = make(named)
    call = dict(method_rows(asked))["Call"]
    again = eval(call, {"rw": rw, "data": named})
    assert again.to_dict() == asked.to_dict()


def test_the_call_of_multi_label_data_makes_the_answer_again(silent):
    data = rw.examples.reuters90()
    asked = rw.evaluate(data, "svm_l2", metric="macro_f1", rng=3, draws=200)
    again = eval(dict(method_rows(asked))["Call"], {"rw": rw, "data": data})
    assert again.to_dict() == asked.to_dict()


def test_differences_that_are_equal_but_for_rounding_are_one_number(silent):
    x = np.random.default_rng(0).normal(size=50)
    r = rw.compare(x + 1, x, metric="mean", model="bootstrap", rope=0.1, rng=1, draws=2_000)
    assert np.unique(r.draws.delta()).size == 1
    assert (r.mean, r.std) == (pytest.approx(1.0), 0.0)
    assert "95% HDI of the difference [+1.000, +1.000]" in r.sentence()
    assert 'd="M' in r.to_html()


def test_a_metric_may_not_speak_to_the_terminal_by_its_name(rng):
    def measure(m):
        return m.tp.sum(axis=-1) / m.row.sum(axis=-1)

    measure.__name__ = "a\u202eb\x1b[31mre\nd\x00<b>"
    r = rw.compare(*thirds(rng), metric=measure, rope=0.02, rng=1, draws=500)
    for text in (r.sentence(), r.to_html(), str(r), r.to_latex(), r.to_markdown()):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)
    assert "d&#92;x00<b>" not in r.to_html()
    assert "x00<b>" not in r.to_html()


def test_a_prior_that_weighs_on_a_class_is_not_kept_quiet(silent):
    rng = np.random.default_rng(5)
    y = np.append(rng.integers(0, 2, 400), [2, 2, 2])  # the last class has three items
    a, b = y.copy(), y.copy()
    a[:30], b[-3:] = 1 - a[:30], 0
    r = rw.compare(y, a, b, rope=0.05, rng=0, draws=2_000)
    warned = [str(c.pos_label) for c in gather(r).classes if c.warnings]
    assert "2" in warned
    told = f"Thin data leave much to the model's assumptions in {len(warned)} of them: {', '.join(warned)}."
    assert told in words(r.to_html())


def test_a_model_without_a_prior_is_not_fitted_for_one(monkeypatch):
    s = rw.examples.news20().scores_class8
    r = rw.compare(s["y_true"], s["nb_mult"], s["svm_l2"], metric="roc_auc", rope=0.01, rng=0, draws=200)
    monkeypatch.setattr(rw.models.Bootstrap, "fit", None)
    assert gather(r).priors is None
