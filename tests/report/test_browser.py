"""The report in a real browser: it runs from disk, and its slider says what the Python rule says."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest

import ropewalk as rw
from browser import CROWDED, OVERLAPPING, keep_screenshot, opened, unfold, violations
from hostile import hostile_names
from ropewalk.draws.contrast import Question, contrast
from ropewalk.draws.decision import decide
from ropewalk.draws.intervals import Interval, region_masses
from ropewalk.text.standing import groups_of
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
# What the first posterior of a page says, at the place where its slider stands.
READ = """(root) => ({
  margin: Number(root.querySelector("input").value),
  exploring: root.querySelector(".exploring") !== null,
  says: root.querySelector(".says").innerText,
  bars: [...root.querySelectorAll(".bar rect")].map((rect) => Number(rect.getAttribute("width")) / 1000),
  shares: [...root.querySelectorAll(".share")].map((node) => node.innerText),
  dots: ["mb", "me", "ma"].map((tone) => root.querySelector(`.wide .${tone}`).getAttribute("d").split("M").length - 1),
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
    "usual metrics": lambda o: about_class(o, "sci.electronics", rope=0.05, draws=5_000),
    "usual metrics without a rope": lambda o: about_class(o, "sci.electronics", draws=5_000),
    "five metrics": lambda o: about_class(o, "sci.med", metric=FIVE, rope=0.02, draws=5_000),
    "nine systems": lambda _: nine_systems(),
}
FIVE = ["f1", "accuracy", "recall", "specificity", "fpr"]


def nine_systems():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 600)
    systems = [np.where(random.random(600) < 0.9 - 0.02 * i, y, (y + 1) % 3) for i in range(9)]
    names = [f"system_number_{i}" for i in range(9)]
    return rw.rank(y, *systems, names=names, metric="accuracy", rope=0.02, rng=0, draws=500)


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
        unfold(seen.page)
        assert seen.page.get_by_role("button", name="Copy JSON").is_visible()  # so the script ran to its end
        assert seen.wrong == []


def shown_share(text):
    """Return the range of shares that a printed percentage stands for."""
    number = float(re.search(r"[\d.]+", text)[0]) / 100
    return (0.0, number) if text[0] == "<" else (number, 1.0) if text[0] == ">" else (number, number)


SAYS = {"≫": "nb_mult is better", "≪": "svm_l2 is better", "≈": "practically equivalent"}
LEANS = {"a": "leaning nb_mult better", "b": "leaning svm_l2 better", "equivalent": "leaning equivalent"}


def improvement(result):
    """Return the draws of the difference such that more is better for A, in points."""
    return np.sort(100 * result.draws.delta() * (1 if result.recipe.metric.higher_is_better else -1))


def check_against_the_rule(result, shown):
    """Compare what the page says at a margin with what the Python rule makes of the draws themselves."""
    margin = shown["margin"] / 100
    if not shown["exploring"]:  # there it says what was found, not what it reckons
        assert margin == pytest.approx(result.rope.high)
        return
    question = result.recipe.question
    rope = Interval(-margin, margin)
    asked = Question(rope=rope, prob=question.prob, rule=question.rule, higher_is_better=question.higher_is_better)
    found = contrast(result.draws.delta(), asked, observed=None, names=(result.a, result.b))
    # The lean may differ only where two regions hold the same, within what the page knows of the draws.
    masses = (found.regions.below, found.regions.inside, found.regions.above)
    exact = masses if question.higher_is_better else masses[::-1]
    first, second = sorted(exact, reverse=True)[:2]
    said = shown["says"].partition(": ")[2]
    if found.decision.conclusive:
        assert said.startswith(SAYS[found.decision.symbol]), margin
    else:
        assert said.startswith("undecided"), margin
        assert first - second < 0.004 or LEANS[found.decision.leaning] in said, margin
    assert ("other draws may" in said) == (not found.decision.stable), margin
    # The bar has the masses themselves, before they are rounded to be read.
    assert shown["bars"] == pytest.approx(exact, abs=0.002), margin
    for text, mass in zip(shown["shares"], exact, strict=True):
        low, high = shown_share(text)
        # A percentage without a decimal is rounded by half a point, with one by a twentieth.
        rounding = 0.0005 if "." in text else 0.005
        assert low - 0.002 - rounding <= mass <= high + 0.002 + rounding, (margin, text, mass)
    # A dot is a chance in a hundred, and has the colour of its region.
    assert sum(shown["dots"]) == 100
    assert shown["dots"] == pytest.approx([100 * mass for mass in exact], abs=1)


@pytest.mark.parametrize("name", RESULTS)
def test_the_slider_says_what_the_python_rule_says(chromium, made, name):
    result, path = made(name)
    with opened(chromium, path) as seen:
        slider = seen.page.locator("#p1-margin")
        low, high, step = (float(slider.get_attribute(part)) for part in ("min", "max", "step"))
        along = seen.page.locator(".hero").evaluate(READ_ALONG, [max(int((high - low) / step / 40), 1), 41])
        assert along[0]["margin"] == low
        for shown in along:
            check_against_the_rule(result, shown)
        margins = {shown["margin"] for shown in along}
        assert len(margins) >= 40
        symbols = {decide(result.hdi, Interval(-m / 100, m / 100), result.mean).value for m in margins}
        assert len(symbols) >= 2  # the verdict did change on the way
        assert seen.wrong == []


@pytest.mark.parametrize("name", RESULTS)
def test_the_verdict_turns_on_the_very_step_where_the_rule_turns(chromium, made, name):
    result, path = made(name)
    turns = [100 * piece.start for piece in result.rope_path if piece.start > 0]
    assert turns
    with opened(chromium, path) as seen:
        slider = seen.page.locator("#p1-margin")
        step = float(slider.get_attribute("step"))
        for turn in turns:
            # Set the slider next to the turn, then go over it by keyboard, one step at a time.
            slider.evaluate(SET, turn - 2 * step)
            slider.focus()
            for _ in range(4):
                slider.press("ArrowRight")
                check_against_the_rule(result, seen.page.locator(".hero").evaluate(READ))


def live_data(path):
    """Return what the page carries for its slider."""
    text = re.search(r"data-live='([^']*)'", path.read_text(encoding="utf-8"))[1]
    return json.loads(html.unescape(text))


def test_the_page_knows_all_masses_to_a_fifth_of_a_point(made):
    for name in RESULTS:
        result, path = made(name)
        ordered, x = improvement(result), np.array(live_data(path)["x"])
        places = (1 - np.cos(np.pi * np.arange(x.size) / (x.size - 1))) / 2
        for width in np.linspace(0.1, 20, 200):
            exact = region_masses(ordered, Interval(-width, width))
            assert np.interp(-width, x, places) == pytest.approx(exact.below, abs=0.001)
            assert 1 - np.interp(width, x, places) == pytest.approx(exact.above, abs=0.001)


def test_moving_the_slider_says_that_it_is_exploring_and_there_is_a_way_back(chromium, made):
    result, path = made("more is better")
    with opened(chromium, path) as seen:
        page = seen.page
        before, title = page.locator("main").inner_text(), page.locator("h1").inner_text()
        assert "exploring" not in before
        assert result.headline.startswith(title.replace("\n", " "))
        slider, stamp = page.locator("#p1-margin"), page.locator(".stamp")
        slider.focus()
        slider.press("ArrowRight")
        assert stamp.inner_text() == "exploring"
        assert "The pre-set value was ±5 points, and the headline keeps to it." in page.locator(".say").inner_text()
        assert page.locator("output").inner_text() == f"±{float(slider.input_value()):g} points"
        assert slider.get_attribute("aria-valuetext") == page.locator("output").inner_text()
        assert page.locator("h1").inner_text() == title  # it never moves
        assert page.locator(".say").get_attribute("aria-live") == "polite"
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")  # the way back
        assert page.locator("main").inner_text() == before
        assert slider.input_value() == "5"
        slider.press("ArrowLeft")
        slider.press("ArrowRight")  # back on the stated value by hand
        assert page.locator("main").inner_text() == before


def test_the_slider_moves_band_and_bar_of_the_picture(chromium, made):
    _, path = made("more is better")
    with opened(chromium, path) as seen:
        page = seen.page
        page.locator("#p1-margin").press("End")
        margin = float(page.locator("#p1-margin").input_value())
        for picture, width in ((".wide", 864), (".narrow", 358)):
            low, high = map(float, page.locator(f".post{picture}").get_attribute("data-axis").split())
            place = 8 + (width - 16) * (min(margin, high) - low) / (high - low)
            band = page.locator(f".post{picture} .band")
            end = float(band.get_attribute("x")) + float(band.get_attribute("width"))
            assert end == pytest.approx(place, abs=0.01)
        widths = [float(rect.get_attribute("width")) for rect in page.locator(".bar rect").all()]
        assert sum(widths) == pytest.approx(1000, abs=0.01)
        assert widths[1] == max(widths)  # nearly all of it is that small


def test_one_slider_moves_all_verdicts_of_the_classes(chromium, made):
    result, path = made("class by class")
    ordered = sorted(result, key=lambda c: -c.mean)
    tones = {"≫": "va", "≪": "vb", "≈": "ve"}
    with opened(chromium, path) as seen:
        page = seen.page
        slider = page.locator("#classes-margin")
        slider.press("Home")
        for _ in range(8):
            margin = float(slider.input_value()) / 100
            verdicts = [decide(c.hdi, Interval(-margin, margin), c.mean).value for c in ordered]
            shown = page.locator(".r .vc .vd").evaluate_all("nodes => nodes.map((node) => node.classList[1])")
            assert shown == [tones.get(verdict, "vu") for verdict in verdicts]
            counts = page.locator("[data-show] b").all_inner_texts()
            assert counts[1:] == [str(shown.count(tone)) for tone in ("va", "vb", "ve", "vu")]
            slider.evaluate(STEP, 12)
        assert seen.wrong == []


def test_classes_are_filtered_found_and_sorted(chromium, made):
    result, path = made("class by class")
    with opened(chromium, path) as seen:
        page = seen.page
        rows = page.locator("[data-row]")
        undecided = sum(not c.conclusive for c in result)
        page.locator("[data-show=u]").press("Enter")
        assert page.locator("[data-row]:visible").count() == undecided
        assert page.locator("[data-show=u]").get_attribute("aria-pressed") == "true"
        page.locator("[data-show='']").press("Enter")
        page.get_by_role("searchbox").fill("hockey")
        assert page.locator("[data-row]:visible .nm").all_inner_texts() == ["rec.sport.hockey"]
        page.get_by_role("searchbox").fill("")
        page.get_by_role("combobox").select_option("name")
        assert rows.locator(".nm").all_inner_texts() == sorted(c.pos_label for c in result)
        page.get_by_role("combobox").select_option("")
        ordered = sorted(result, key=lambda c: -c.mean)
        assert rows.locator(".nm").all_inner_texts() == [c.pos_label for c in ordered]


def judged(pair, margin):
    verdict = decide(pair.delta.hdi, Interval(-margin, margin), pair.delta.mean).value
    return {"≫": "a_better", "≈": "equivalent"}.get(verdict)


def test_the_groups_of_a_ranking_follow_the_slider(chromium, made):
    result, path = made("ranking")
    order = [model.name for model in result.by_rank]
    with opened(chromium, path) as seen:
        page = seen.page
        slider = page.locator("#all-margin")
        slider.press("Home")
        for _ in range(8):
            margin = float(slider.input_value()) / 100

            groups = groups_of(order, lambda a, b, at=margin: judged(result.pair(a, b), at))
            shown = page.locator("[data-place] .vd").all_inner_texts()
            expected = dict.fromkeys(order, "undecided")
            for k, group in enumerate(groups, start=1):
                expected |= {group.leader: f"group {k}", **dict.fromkeys(group.alike, "equivalent")}
            assert shown == [expected[name] for name in order], margin
            slider.evaluate(STEP, 20)
        page.get_by_role("button", name="Back to").press("Enter")
        assert page.locator("[data-place] .vd").first.inner_text() == "group 1"


def test_a_margin_that_is_not_the_same_on_both_sides_has_no_slider(chromium, made):
    result, path = made("uneven rope")
    with opened(chromium, path) as seen:
        assert seen.page.locator("input").count() == 0
        assert result.headline.startswith(seen.page.locator("h1").inner_text().replace("\n", " "))


def test_of_a_largest_loss_the_slider_asks_how_much_one_would_accept(chromium, made):
    result, path = made("one-sided rope")
    ordered = np.sort(100 * result.draws.delta())
    with opened(chromium, path) as seen:
        page = seen.page
        slider = page.get_by_role("slider", name="Largest loss you would accept")
        assert slider.input_value() == "2"
        slider.press("Home")
        for _ in range(6):
            margin = float(slider.input_value())
            worse = np.searchsorted(ordered, -margin) / ordered.size
            widths = [float(rect.get_attribute("width")) / 1000 for rect in page.locator(".bar rect").all()]
            if margin != 2:
                assert widths[0] == pytest.approx(worse, abs=0.003)
                low, high = 100 * result.hdi.low, 100 * result.hdi.high
                said = "not worse" if low >= -margin else "worse" if high <= -margin else "undecided"
                assert page.locator(".says").inner_text().partition(": ")[2].startswith(said)
            slider.evaluate(STEP, 25)
        assert page.locator("h1").inner_text().replace("\n", " ") in result.headline


def test_the_bar_of_an_evaluation_moves_too(chromium, made):
    result, path = made("against a bar")
    metric = result.metrics[0]
    words = {"≫": "better than the bar", "≪": "worse than the bar", "≈": "practically at the bar"}
    with opened(chromium, path) as seen:
        page = seen.page
        slider = page.locator("#p1-margin")
        slider.press("Home")
        for _ in range(10):
            margin = float(slider.input_value()) / 100
            if abs(margin - 0.01) > 1e-12:
                shifted = metric.estimate.shifted(-0.65)
                expected = decide(shifted.hdi, Interval(-margin, margin), shifted.mean).value
                said = page.locator(".says").inner_text().partition(": ")[2]
                assert said.startswith(words.get(expected, "undecided"))
            slider.evaluate(STEP, 15)


def test_each_answer_has_a_slider_of_its_own(chromium, named, tmp_path):
    path = tmp_path / "three.html"
    metrics = ["macro_f1", "accuracy", "balanced_accuracy"]
    rw.evaluate(named, "svm_l2", metric=metrics, at_least=0.65, rope=0.01, rng=0, draws=2_000).to_html(path)
    with opened(chromium, path) as seen:
        seen.page.locator("#p3-margin").press("ArrowRight")
        assert seen.page.locator(".stamp").all_inner_texts() == ["pre-set", "pre-set", "exploring"]


def test_there_is_no_slider_and_no_verdict_without_a_rope(chromium, made):
    _, path = made("no rope")
    with opened(chromium, path) as seen:
        assert seen.page.locator("input").count() == 0
        assert "the smallest difference you would act on" in seen.page.locator(".lede").inner_text()


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
            expected = {
                "sentence": result.sentence(),
                "LaTeX table": result.to_latex(),
                "JSON": result.to_json(indent=None),
            }
            unfold(page)
            for what, text in expected.items():
                page.get_by_role("button", name=f"Copy {what}").press("Enter")
                expect(page.locator(".copied")).to_have_text("Copied.", timeout=120_000)
                page.evaluate("document.querySelector('.copied').textContent = ''")
                assert page.evaluate("window.keptClipboard.readText()") == text.rstrip("\r"), (name, what)
            assert seen.wrong == []


AUDITED = ("more is better", "twenty classes", "class by class", "ranking", "against a bar", "five metrics")
LOOKS = ((390, "dark"), (1000, "light"), (390, "light"), (1000, "dark"))


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
        page.locator("#p1-margin").press("ArrowRight")
        page.emulate_media(media="print")
        assert not page.locator(".explore").is_visible()
        assert page.locator("button:visible").count() == 0
        assert page.locator(".stamp").inner_text() == "exploring"
        assert page.pdf().startswith(b"%PDF")


A4_PX = (680, 1016)  # without the margins, at 96 dots an inch


@pytest.mark.parametrize("name", ["more is better", "class by class", "ranking", "five metrics", "one-sided rope"])
def test_the_first_printed_page_is_everything_up_to_what_it_means_for_a_decision(chromium, made, name):
    with opened(chromium, made(name)[1], width=A4_PX[0]) as seen:
        page = seen.page
        page.emulate_media(media="print", color_scheme="dark")
        call = page.locator(".call")
        assert call.evaluate("(node) => node.getBoundingClientRect().bottom + scrollY") <= A4_PX[1]
        assert page.locator("section.hero").evaluate("(node) => getComputedStyle(node).breakAfter") == "page"
        # Filled is settled on paper too, and paper is white.
        exact = "(node) => getComputedStyle(node, '::before').printColorAdjust"
        assert {node.evaluate(exact) for node in page.locator(".vd").all()} <= {"exact"}
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_details_are_opened_for_print_except_what_is_for_programs(chromium, made):
    with opened(chromium, made("more is better")[1]) as seen:
        page = seen.page
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        opened_ones = page.locator("details[open] > summary").all_inner_texts()
        assert any("How it was computed" in text for text in opened_ones)
        assert not any("JSON" in text for text in opened_ones)
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        assert page.locator("details[open]").count() == 0


def test_all_of_a_page_is_reached_by_keyboard(chromium, made):
    with opened(chromium, made("more is better")[1]) as seen:
        page = seen.page
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the answer"
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.id") == "p1-margin"
        page.keyboard.press("Tab")  # the way back is disabled until it leads somewhere
        assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
        page.keyboard.press("Enter")
        assert page.locator("details[open]").count() == 1


@pytest.mark.parametrize("name", [*RESULTS, *OTHERS])
def test_a_page_does_not_scroll_sideways(chromium, made, name):
    with opened(chromium, made(name)[1], width=390) as seen:
        for unfolded in (False, True):
            if unfolded:
                unfold(seen.page)
            for width in (360, 390, 700, 1000):
                seen.page.set_viewport_size({"width": width, "height": 800})
                assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
                assert seen.page.evaluate(CROWDED) == [], width


LONG_NAMES = {
    "paths": ["resnet50_pretrained_on_imagenet_v2", "distilled-student/quantised.int8"],
    "200 letters": ["x" * 200, "<b>" + "y" * 197],
}


@pytest.mark.parametrize("width", [390, 1000])
@pytest.mark.parametrize("kind", ["two", "classes", "rank"])
@pytest.mark.parametrize("names", LONG_NAMES)
def test_names_of_any_length_are_not_cut_off(chromium, tmp_path, silent, frugal, names, kind, width):
    names = LONG_NAMES[names]
    y = [f"{names[0]} p", "n"] * 60
    path = tmp_path / "long.html"
    a, b = y[:110] + ["n"] * 10, y[:100] + ["n"] * 20
    asked = {"names": names, "rope": 0.05, "rng": 0, "draws": 1_000}
    ask = {"two": rw.compare, "classes": rw.compare_classes, "rank": rw.rank}[kind]
    ask(y, a, b, **asked, **({} if kind == "classes" else {"pos_label": y[0]})).to_html(path)
    with opened(chromium, path, width=width) as seen:
        page = seen.page
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(CROWDED) == []
        assert page.evaluate(OVERLAPPING) == []
        outside = page.evaluate(
            """() => [...document.querySelectorAll("main text, main p, main dt, main dd, main span")].filter((node) => {
              if (node.closest(".scroll, .vh")) { return false; }
              const box = node.getBoundingClientRect();
              return box.width > 1 && (box.left < -1 || box.right > innerWidth + 1);
            }).map((node) => node.textContent)"""
        )
        assert outside == []


def test_a_card_is_read_on_light_and_on_dark(chromium, named, tmp_path):
    result = about_class(named, "sci.electronics", rope=0.05, draws=2_000)
    for ground, ink in (("#fff", "#000"), ("#111", "#ddd"), ("#1e1e1e", "#ddd")):
        path = tmp_path / f"card{ground[1:]}.html"
        card = '<!doctype html><html lang="en"><meta charset="utf-8"><title>card</title><main><h1>card</h1>{}</main>'
        style = f'<body style="background:{ground};color:{ink};font-size:14px">'
        path.write_text(card.format(style + result._repr_html_()), encoding="utf-8")
        for scheme in ("light", "dark"):  # whatever the operating system says
            with opened(chromium, path, color_scheme=scheme) as seen:
                assert violations(seen.page) == []
                colour = seen.page.locator(".rw .head").evaluate("(node) => getComputedStyle(node).color")
                assert colour == ("rgb(0, 0, 0)" if ink == "#000" else "rgb(221, 221, 221)")


def test_a_card_fits_a_narrow_column(chromium, made, tmp_path):
    path = tmp_path / "cards.html"
    cards = "".join(
        made(name)[0]._repr_html_() for name in ("ranking", "nine systems", "against a bar", "five metrics")
    )
    path.write_text(f"<!doctype html><meta charset='utf-8'>{cards}", encoding="utf-8")
    for width in (360, 700):
        with opened(chromium, path, width=width) as seen:
            assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
            assert seen.page.evaluate(CROWDED) == []
            # The score of each system is on the line of its name.
            places = "(board) => [...board.children].map((node) => node.getBoundingClientRect().top)"
            for board in seen.page.locator(".board").all():
                tops = board.evaluate(places)
                assert tops[0::4] == pytest.approx(tops[1::4], abs=3)


def test_what_stands_in_sight_is_for_people_who_do_not_program(chromium, made):
    for name in (*RESULTS, *OTHERS):
        if name == "confusion":  # its intervals are named as they are in its title
            continue
        with opened(chromium, made(name)[1]) as seen:
            told = seen.page.locator("main").inner_text()
            assert not re.search(r"\bROPE\b|\bHDI\b|Δ|\brope=|\br\.\w|\s--\w|≫|≪", told), name


def test_without_scripts_the_verdict_stands_there(chromium, made):
    result, path = made("more is better")
    with opened(chromium, path, java_script_enabled=False) as seen:
        assert result.headline.startswith(seen.page.locator("h1").inner_text().replace("\n", " "))
        assert not seen.page.locator(".explore").is_visible()
        assert seen.page.locator("button:visible").count() == 0
        assert seen.page.locator(".post.wide").is_visible()


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
            for slider in page.locator("input[type=range]").all():
                slider.press("ArrowRight")
            assert seen.wrong == []
            assert page.locator("script").count() == 1
            assert page.locator("img, iframe, object, embed, link, base, form").count() == 0
            assert page.evaluate("typeof window.hacked") == "undefined"
            legible = name if name.isprintable() else r"a\u202eb\x1b[31m"
            assert legible in page.locator("main").inner_text()


def test_a_long_name_of_a_task_leaves_room_for_its_score(chromium, tmp_path, silent):
    y, tasks, path = [0, 1] * 30, ["short", "x" * 60, "a name of many words " * 3] * 20, tmp_path / "tasks.html"
    rw.evaluate(y, y, task=tasks, metric="accuracy", rng=0, draws=1_000).to_html(path)
    with opened(chromium, path, width=390) as seen:
        table = seen.page.locator('.scroll[aria-label="task"]')
        assert table.evaluate("node => node.scrollWidth <= node.clientWidth")


@pytest.mark.parametrize("name", [*RESULTS, *OTHERS])
def test_no_two_texts_of_a_picture_cover_each_other(chromium, made, name):
    with opened(chromium, made(name)[1]) as seen:
        unfold(seen.page)
        for width in (360, 390, 700, 1000):
            seen.page.set_viewport_size({"width": width, "height": 800})
            assert seen.page.evaluate(OVERLAPPING) == [], width


def test_names_from_right_to_left_leave_the_numbers_alone(chromium, tmp_path, silent):
    name = "שלום עולם"
    y = ["p", "n"] * 50
    path = tmp_path / "rtl.html"
    rw.compare(y, y[:90] + ["n"] * 10, y, names=[name, "b"], pos_label="p", rope=0.05, rng=0, draws=2_000).to_html(path)
    with opened(chromium, path) as seen:
        # Where the letters stand: the name is on the left of its own numbers, as it is in a text from left to right.
        right, left = seen.page.evaluate(
            """() => {
          const name = document.querySelector("h1 bdi"), interval = document.querySelector("h1 .iv");
          return [name.getBoundingClientRect().left, interval.getBoundingClientRect().right];
        }"""
        )
        assert right < left
        assert seen.page.locator("h1 .iv").inner_text().startswith("[")
