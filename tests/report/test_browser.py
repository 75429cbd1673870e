"""The report in a real browser: it runs from disk, and its slider says what the Python rule says."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import ropewalk as rw
from browser import OVERLAPPING, keep_screenshot, opened, unfold, violations
from hostile import hostile_names
from ropewalk.draws.contrast import Question, contrast
from ropewalk.draws.decision import decide
from ropewalk.draws.intervals import Interval
from ropewalk.draws.rope import region_masses
from support import frugality, need

HOSTILE = hostile_names(
    "script", "image", "input", "formula", "emojis", "long", "hebrew", "turned and red", "end of script", "template",
    "attribute",
)  # fmt: skip


@pytest.fixture(scope="module")
def named(news):
    return news.outcomes.relabel(news.class_names)


def about_class(named, label, **options):
    return rw.compare(named, a="nb_mult", b="svm_l2", pos_label=label, rng=0, **options)


SET = "(node, value) => { node.value = value; node.dispatchEvent(new Event('input')); }"
STEP = "(node, steps) => { node.stepUp(steps); node.dispatchEvent(new Event('input')); }"
# What a panel says, at the place where its slider stands.
READ = """(root) => ({
  width: Number(root.querySelector("input").value),
  symbol: root.querySelector(".symbol").innerText,
  says: root.querySelector(".says").innerText,
  bars: [...root.querySelectorAll(".bar rect")].map((rect) => Number(rect.getAttribute("width")) / 1000),
  shares: [...root.querySelectorAll(".share")].map((node) => node.innerText),
})"""
# The same at every so many steps of the slider, from its least value on.
READ_ALONG = f"""(root, [stride, times]) => {{
  const slider = root.querySelector("input"), read = {READ};
  slider.value = slider.min;
  return Array.from({{ length: times }}, () => {{
    slider.dispatchEvent(new Event("input"));
    const shown = read(root);
    slider.stepUp(stride);
    return shown;
  }});
}}"""
RESULTS = {
    "more is better": lambda o: about_class(o, "sci.electronics", rope=0.05, draws=20_000, tests=True),
    "less is better": lambda o: rw.compare(o, a="nb_mult", b="svm_l2", metric="error", rope=0.01, rng=0, draws=10_000),
    "by probability": lambda o: about_class(o, "rec.autos", rope=0.02, rule="probability", draws=20_000),
}
OTHERS = {
    "twenty classes": lambda o: rw.compare(o, a="nb_mult", b="svm_l2", rope=0.01, rng=0, draws=5_000),
    "no rope": lambda o: about_class(o, "sci.space", draws=5_000),
    "one-sided rope": lambda o: about_class(o, "sci.space", rope=(-0.02, float("inf")), draws=5_000),
    "uneven rope": lambda o: about_class(o, "sci.space", rope=(-0.02, 0.05), draws=5_000),
    "class by class": lambda o: rw.compare_classes(o, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=5_000),
    "ranking": lambda o: rw.rank(o, rope=0.01, rng=0, draws=1_000),
    "ranking without a rope": lambda o: rw.rank(o, rng=0, draws=1_000),
    "evaluation": lambda o: rw.evaluate(o, "svm_l2", metric=["macro_f1", "accuracy"], rng=0, draws=5_000),
    "against a bar": lambda o: rw.evaluate(o, "svm_l2", at_least=0.65, rope=0.01, rng=0, draws=5_000),
    "confusion": lambda o: rw.analysis.confusion(o, "svm_l2"),
}


@pytest.fixture(scope="module")
def made(named, tmp_path_factory):
    """Return a function that gives a result by name and the path of its page, each made once."""
    folder, kept = tmp_path_factory.mktemp("pages"), {}

    def make(name):
        if name not in kept:
            path = folder / f"{name.replace(' ', '-')}.html"
            with frugality():
                result = {**RESULTS, **OTHERS}[name](named)
                result.to_html(path)
            kept[name] = result, path
        return kept[name]

    return make


@pytest.mark.parametrize("name", [*RESULTS, *OTHERS])
def test_a_page_opens_from_disk_without_an_error_or_a_request(chromium, made, name):
    with opened(chromium, made(name)[1]) as seen:
        assert seen.page.locator("h1").is_visible()
        assert seen.page.locator(".copies").is_visible()  # so the script ran to its end
        assert seen.wrong == []


def shown_share(text):
    """Return the range of shares that a printed percentage stands for."""
    number = float(re.search(r"[\d.]+", text)[0]) / 100
    return (0.0, number) if text[0] == "<" else (number, 1.0) if text[0] == ">" else (number, number)


def check_against_the_rule(result, shown):
    """Compare what the page says at a half-width with what the Python rule makes of the draws themselves."""
    width = shown["width"]
    if abs(width - result.rope.high) <= 1e-12:  # there it says what was found, not what it reckons
        return
    question = result.recipe.question
    rope = Interval(-width, width)
    asked = Question(rope=rope, prob=question.prob, rule=question.rule, higher_is_better=question.higher_is_better)
    found = contrast(result.draws.delta(), asked, observed=None, names=(result.a, result.b))
    assert shown["symbol"] == found.decision.symbol, width
    # The lean may differ only where two regions hold the same, within what the page knows of the draws.
    exact = (found.regions.below, found.regions.inside, found.regions.above)
    masses = sorted(exact)
    if found.decision.conclusive or masses[2] - masses[1] > 0.004:
        assert shown["says"].startswith(found.decision.text), width
    assert ("unstable" in shown["says"]) == (not found.decision.stable), width
    # The bar has the masses themselves, before they are rounded to be read.
    assert shown["bars"] == pytest.approx(exact, abs=0.002), width
    for text, mass in zip(shown["shares"], exact, strict=True):
        low, high = shown_share(text)
        # A percentage without a decimal is rounded by half a point, with one by a twentieth.
        rounding = 0.0005 if "." in text else 0.005
        assert low - 0.002 - rounding <= mass <= high + 0.002 + rounding, (width, text, mass)


@pytest.mark.parametrize("name", RESULTS)
def test_the_slider_says_what_the_python_rule_says(chromium, made, name):
    result, path = made(name)
    with opened(chromium, path) as seen:
        slider = seen.page.locator("#p1-rope")
        low, high, step = (float(slider.get_attribute(part)) for part in ("min", "max", "step"))
        along = seen.page.locator(".panel").evaluate(READ_ALONG, [max(int((high - low) / step / 40), 1), 41])
        assert along[0]["width"] == low
        for shown in along:
            check_against_the_rule(result, shown)
        widths = {shown["width"] for shown in along}
        assert len(widths) >= 40
        symbols = {decide(result.hdi, Interval(-w, w), result.mean).value for w in widths}
        assert len(symbols) >= 2  # the verdict did change on the way
        assert seen.wrong == []


@pytest.mark.parametrize("name", RESULTS)
def test_the_verdict_turns_on_the_very_step_where_the_rule_turns(chromium, made, name):
    result, path = made(name)
    turns = [piece.start for piece in result.rope_path if piece.start > 0]
    assert turns
    with opened(chromium, path) as seen:
        slider = seen.page.locator("#p1-rope")
        step = float(slider.get_attribute("step"))
        for turn in turns:
            # Set the slider next to the turn, then go over it by keyboard, one step at a time.
            slider.evaluate(SET, turn - 2 * step)
            slider.focus()
            for _ in range(4):
                slider.press("ArrowRight")
                check_against_the_rule(result, seen.page.locator(".panel").evaluate(READ))


def test_the_page_knows_all_masses_to_a_fifth_of_a_point(made):
    for name in RESULTS:
        result, path = made(name)
        data = json.loads(re.search(r'data-panel="([^"]*)"', path.read_text(encoding="utf-8"))[1].replace("&#34;", '"'))
        ordered, x, n = np.sort(result.draws.delta()), np.array(data["x"]), data["n"]
        places = np.floor((n - 1) * (1 - np.cos(np.pi * np.arange(x.size) / (x.size - 1))) / 2 + 0.5)
        for width in np.linspace(0.001, 0.2, 200):
            exact = region_masses(ordered, Interval(-width, width))
            below = np.interp(-width, x, places) / n
            assert below == pytest.approx(exact.below, abs=0.0005)


def test_moving_the_slider_says_that_it_is_exploring_and_there_is_a_way_back(chromium, made):
    result, path = made("more is better")
    with opened(chromium, path) as seen:
        page = seen.page
        before = page.locator("main").inner_text()
        assert "exploring" not in before
        assert result.decision.text in before
        slider, stamp = page.locator("#p1-rope"), page.locator(".stamp")
        slider.focus()
        slider.press("ArrowRight")
        assert stamp.inner_text() == "exploring: the pre-set value was ±0.05"
        assert page.locator("output").inner_text() == f"±{float(slider.input_value()):g}"
        assert slider.get_attribute("aria-valuetext") == page.locator("output").inner_text()
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # the way back
        assert page.locator("main").inner_text() == before
        assert slider.input_value() == "0.05"
        slider.press("ArrowLeft")
        slider.press("ArrowRight")  # back on the stated value by hand
        assert page.locator("main").inner_text() == before


def test_the_slider_moves_band_bar_and_regions_of_the_picture(chromium, made):
    _, path = made("more is better")
    with opened(chromium, path) as seen:
        page = seen.page
        page.locator("#p1-rope").press("End")
        width = float(page.locator("#p1-rope").input_value())
        axis = json.loads(page.locator("[data-panel]").get_attribute("data-panel"))["axis"]
        place = 100 * (width - axis[0]) / (axis[1] - axis[0])
        band = page.locator(".posterior .rope")
        end = float(band.get_attribute("x")[:-1]) + float(band.get_attribute("width")[:-1])
        assert end == pytest.approx(min(place, 100), abs=0.01)
        widths = [float(rect.get_attribute("width")) for rect in page.locator(".bar rect").all()]
        assert sum(widths) == pytest.approx(1000, abs=0.01)
        assert widths[1] == max(widths)  # nearly all of it lies in so wide a ROPE
        clip = page.locator("#p1-mid rect")
        assert float(clip.get_attribute("width")) == pytest.approx(
            10 * float(band.get_attribute("width")[:-1]), abs=0.1
        )


@pytest.mark.parametrize("name", ["class by class", "ranking"])
def test_one_slider_moves_all_verdicts_of_a_table(chromium, made, name):
    result, path = made(name)
    with opened(chromium, path) as seen:
        page = seen.page
        slider = page.locator(".live input")
        slider.press("Home")
        for _ in range(8):
            width = float(slider.input_value())
            rope = Interval(-width, width)
            if name == "ranking":
                pairs = [result.pair(a.name, b.name) for a in result.by_rank for b in result.by_rank if a is not b]
                told = [decide(pair.delta.hdi, rope, pair.delta.mean).value for pair in pairs]
                half = [pair for i, a in enumerate(result.by_rank) for b in result.by_rank[i + 1 :]
                        for pair in [result.pair(a.name, b.name)]]  # fmt: skip
                counted = [decide(pair.delta.hdi, rope, pair.delta.mean) for pair in half]
            else:
                counted = [decide(c.hdi, rope, c.mean) for c in result]
                told = [verdict.value for verdict in counted]
            if abs(width - 0.05) > 1e-12 and abs(width - 0.01) > 1e-12:
                shown = page.locator("[data-one]").all_inner_texts()
                assert [text.removesuffix("?") for text in shown] == told
            settled = sum(verdict.conclusive for verdict in counted)
            assert page.locator(".tally").inner_text().startswith(f"{settled} of {len(counted)} settled")
            slider.evaluate(STEP, 12)


def test_an_asymmetric_rope_is_kept_until_the_slider_is_moved(chromium, made):
    result, path = made("uneven rope")
    with opened(chromium, path) as seen:
        page = seen.page
        assert page.locator("output").inner_text() == "[-0.02, +0.05]"
        assert result.decision.text in page.locator(".says").inner_text()
        page.locator("#p1-rope").press("ArrowRight")
        assert page.locator(".stamp").inner_text() == "exploring: the pre-set value was [-0.02, +0.05]"
        shown = page.locator(".panel").evaluate(READ)
        assert shown["width"] != result.rope.high
        check_against_the_rule(result, shown)


def test_a_rope_with_one_end_has_no_slider(chromium, made):
    result, path = made("one-sided rope")
    with opened(chromium, path) as seen:
        assert seen.page.locator("input[type=range]").count() == 0
        assert result.decision.text in seen.page.locator("body").inner_text()


def test_the_bar_of_an_evaluation_moves_too(chromium, made):
    result, path = made("against a bar")
    metric = result.metrics[0]
    with opened(chromium, path) as seen:
        page = seen.page
        slider = page.locator("#p1-rope")
        slider.press("Home")
        for _ in range(10):
            width = float(slider.input_value())
            if abs(width - 0.01) > 1e-12:
                shifted = metric.estimate.shifted(-0.65)
                expected = decide(shifted.hdi, Interval(-width, width), shifted.mean).value
                assert page.locator(".symbol").first.inner_text() == expected
            slider.evaluate(STEP, 15)


def test_each_slider_moves_the_marker_of_its_own_curve(chromium, named, tmp_path):
    path = tmp_path / "three.html"
    metrics = ["macro_f1", "accuracy", "balanced_accuracy"]
    rw.evaluate(named, "svm_l2", metric=metrics, at_least=0.65, rope=0.01, rng=0, draws=2_000).to_html(path)
    with opened(chromium, path) as seen:
        seen.page.locator("#p3-rope").press("ArrowRight")
        shown = [mark.get_attribute("visibility") for mark in seen.page.locator(".curve .here").all()]
        assert shown == ["hidden", "hidden", "visible"]


def test_there_is_no_slider_and_no_verdict_without_a_rope(chromium, made):
    _, path = made("no rope")
    with opened(chromium, path) as seen:
        assert seen.page.locator("input").count() == 0
        assert "needs a ROPE" in seen.page.locator(".says").inner_text()


@pytest.mark.parametrize("clipboard", [True, False], ids=["clipboard", "selection"])
def test_copy_buttons_copy(chromium, made, clipboard):
    expect = need("playwright.sync_api").expect
    for name in ("more is better", "ranking", "against a bar", "confusion"):
        result, path = made(name)
        with opened(chromium, path) as seen:
            page = seen.page
            page.evaluate("window.keptClipboard = navigator.clipboard")
            if not clipboard:  # as in browsers that give none to pages from disk
                page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
            expected = {"sentence": result.sentence(), "LaTeX table": result.to_latex(), "JSON": result.to_json()}
            for what, text in expected.items():
                page.get_by_role("button", name=f"Copy {what}").press("Enter")
                expect(page.locator(".copied")).to_have_text("Copied.", timeout=120_000)
                page.evaluate("document.querySelector('.copied').textContent = ''")
                assert page.evaluate("window.keptClipboard.readText()") == text.rstrip("\r"), (name, what)
            assert seen.wrong == []


AUDITED = ("more is better", "twenty classes", "class by class", "ranking", "against a bar")
LOOKS = ((360, "dark"), (1200, "light"), (360, "light"), (1200, "dark"))


@pytest.mark.parametrize(
    ("name", "width", "scheme"),
    # Each page is audited in one look by `make test`, each look on one page; in all of them by `make test-slow`.
    [
        pytest.param(name, *look, marks=() if i % len(LOOKS) == j else pytest.mark.slow)
        for i, name in enumerate(AUDITED)
        for j, look in enumerate(LOOKS)
    ],
)
def test_an_audit_finds_no_violation(chromium, made, name, width, scheme):
    with opened(chromium, made(name)[1], color_scheme=scheme, width=width) as seen:
        page = seen.page
        unfold(page)
        assert violations(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width  # nothing sticks out
        keep_screenshot(page, f"{name}-{width}-{scheme}")


def test_dark_is_dark_and_light_is_light(chromium, made):
    for scheme, dark in (("light", False), ("dark", True)):
        with opened(chromium, made("more is better")[1], color_scheme=scheme) as seen:
            ground = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (max(map(int, re.findall(r"\d+", ground)[:3])) < 80) == dark


def test_print_shows_the_stamp_and_hides_the_controls(chromium, made):
    with opened(chromium, made("more is better")[1]) as seen:
        page = seen.page
        page.locator("#p1-rope").press("ArrowRight")
        page.emulate_media(media="print")
        assert not page.locator(".explore").is_visible()
        assert not page.locator(".copies").is_visible()
        assert page.locator(".stamp").inner_text() == "exploring: the pre-set value was ±0.05"
        assert page.pdf().startswith(b"%PDF")


def test_without_scripts_the_verdict_stands_there(chromium, made):
    result, path = made("more is better")
    with opened(chromium, path, java_script_enabled=False) as seen:
        assert result.decision.text in seen.page.locator(".says").inner_text()
        assert not seen.page.locator(".explore").is_visible()
        assert seen.page.locator(".posterior").is_visible()


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_read_and_do_nothing(chromium, tmp_path, silent, frugal, name):
    label = f"{name} pos"
    y = [label, "neg", "other"] * 40
    a = [label, "neg", "other"] * 36 + ["neg", label, label] * 4
    b = y[:100] + ["neg"] * 20
    many = rw.compare(y, a, b, names=[name, f"B{name}"], rope=0.05, rng=0, draws=1_000, tests=True)
    ranked = rw.rank(y, a, b, names=[name, f"B{name}"], rope=0.05, rng=0, draws=1_000)
    for i, result in enumerate((many, ranked)):
        path = tmp_path / f"{i}.html"
        result.to_html(path)
        with opened(chromium, path) as seen:
            page = seen.page
            for slider in page.locator("input").all():
                slider.press("ArrowRight")
            assert seen.wrong == []
            assert page.locator("script").count() == 1
            assert page.locator("img, iframe, object, embed, link, base, form").count() == 0
            assert page.evaluate("typeof window.hacked") == "undefined"
            legible = name if name.isprintable() else r"a\u202eb\x1b[31m"
            assert legible in page.locator("main").inner_text()


@pytest.mark.parametrize("name", [*RESULTS, *OTHERS])
def test_no_two_texts_of_a_picture_cover_each_other(chromium, made, name):
    with opened(chromium, made(name)[1]) as seen:
        unfold(seen.page)
        for width in (360, 700, 1200):
            seen.page.set_viewport_size({"width": width, "height": 800})
            assert seen.page.evaluate(OVERLAPPING) == [], width


def test_names_from_right_to_left_leave_the_numbers_alone(chromium, tmp_path, silent):
    name = "שלום עולם"
    y = ["p", "n"] * 50
    path = tmp_path / "rtl.html"
    rw.compare(y, y[:90] + ["n"] * 10, y, names=[name, "b"], pos_label="p", rope=0.05, rng=0, draws=2_000).to_html(path)
    with opened(chromium, path) as seen:
        # Where the letters stand: the name is on the left of its own numbers, as it is in a text from left to right.
        left = seen.page.evaluate(
            """(name) => {
          const lines = [...document.querySelectorAll(".panel dd")];
          const line = lines.find((node) => node.textContent.includes("observed"));
          const text = line.firstChild, at = (from, to) => {
            const range = document.createRange();
            range.setStart(text, from);
            range.setEnd(text, to);
            return range.getBoundingClientRect();
          };
          const start = text.data.indexOf(name), digit = text.data.search(/0\\.\\d/);
          return [at(start, start + name.length).right, at(digit, digit + 4).left];
        }""",
            name,
        )
        assert left[0] <= left[1] + 1
