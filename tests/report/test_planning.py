"""Power, plans, more data and stopping in words, tables and pictures: what was found is said, and no more."""

from __future__ import annotations

import html as html_module
import html.parser
import math
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ropewalk as rw
from browser import OVERLAPPING, keep_screenshot, opened, unfold, violations
from hostile import hostile_names
from ropewalk.text.remarks import note
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import rounded_up, share_interval
from support import need

HOSTILE = hostile_names(
    "script", "image", "input", "formula", "emoji", "long", "hebrew", "red", "bar", "specials", "backslashes", "link",
    "turned", "emphasis", "template", "model",
)  # fmt: skip
QUICK = {"rope": 0.05, "draws": 200, "rng": 0}
KINDS = ("power", "assurance", "plan", "difference", "rope", "value", "more", "goal", "extrapolated", "stopping")


def scenario(names=("A", "B"), apart=0.1):
    half = 0.25 + apart / 2
    positive = (half, half, 0.5 - half, 0.5 - half)
    return rw.BinaryScenario(prevalence=0.5, positive=positive, negative=(0.2, 0.2, 0.3, 0.3), names=names)


def counted(names=("A", "B")):
    return rw.Outcomes.from_pairs(positive=(300, 60, 35, 40), negative=(30, 20, 40, 400), names=names)


def made(names=("A", "B")):
    """Return one of each answer, about classifiers of these names."""
    s, r = scenario(names), rw.compare(counted(names), rope=0.03, rng=0, draws=5_000)
    return {
        "power": rw.power(s, n=[400, 800, 3_200], goal=">>", simulations=100, **QUICK),
        "assurance": rw.power(r, n=[500, 1_000], goal=">>", simulations=60, draws=200, rng=0),
        "plan": rw.plan(s, goal=">>", simulations=400, **QUICK),
        "difference": rw.plan(s, goal=">>", n=2_000, simulations=400, **QUICK),
        "rope": rw.plan(scenario(names, apart=0.02), goal="~", n=2_000, simulations=200, **QUICK),
        "value": rw.plan(s, goal=">>", value=1_000, cost_per_item=0.1, simulations=400, **QUICK),
        "more": r.more_data(simulations=60, draws=200),
        "goal": r.more_data(goal="<<", simulations=20, draws=200),
        "extrapolated": r.more_data(method="extrapolation"),
        "stopping": rw.stopping(s, rw.StopWhen(conclusive=True, max_n=600), simulations=60, **QUICK),
    }


@pytest.fixture(scope="module")
def answers():
    return made()


@pytest.fixture(scope="module")
def undecided():
    found = rw.compare(counted(), rope=0.03, rng=0, draws=5_000)
    assert not found.conclusive
    assert found.more is not None
    return found


def cells(result, which=-1):
    """Return the header and the rows of a Markdown table, as people read them."""
    tables = [part for part in result.to_markdown().split("\n\n") if part.startswith("|")]
    lines = [
        [html_module.unescape(re.sub(r"\\(.)", r"\1", cell.strip())) for cell in line.strip("|").split(" | ")]
        for line in tables[which].splitlines()
    ]
    return lines[0], lines[2:]


def holds(text, share):
    """Whether a printed percentage is that of a share."""
    value = float(re.search(r"[\d.]+", text)[0]) / 100
    if text[0] in "<>":
        return share <= value if text[0] == "<" else share >= value
    return abs(value - share) <= (0.0005 if "." in text else 0.005) + 1e-9


def words(result):
    """Return what a reader of the page sees, in one line, without the JSON at its end."""
    bare = re.sub(r"<(style|script|pre)[^>]*>.*?</\1>", " ", result.to_html(), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html_module.unescape(re.sub(r"<[^>]+>", " ", bare)))


def line_of(result):
    return re.sub(r"\s+", " ", str(result))


# -- numbers -----------------------------------------------------------------------------------------------


@given(st.integers(1, 10_000_000), st.floats(0, 0.9))
def test_a_number_of_items_is_rounded_up_within_its_interval(n, width):
    low, high = n * (1 - width), n * (1 + width)
    shown, unit = rounded_up(n, low, high)
    assert n - 1e-6 <= shown < n + unit + 1e-6
    assert unit <= max((high - low) / 2, n / 100, 1) * (1 + 1e-9)
    assert len(str(shown).rstrip("0")) <= 3


@given(st.floats(0, 1), st.floats(0, 0.2))
def test_the_interval_of_a_share_is_rounded_outwards(low, width):
    high = min(low + width, 1.0)
    ends = [float(end) / 100 for end in re.findall(r"[\d.]+", share_interval(low, high))]
    assert ends[0] - 1e-9 <= low
    assert high <= ends[1] + 1e-9
    assert low - ends[0] < 0.01 + 1e-9
    assert ends[1] - high < 0.01 + 1e-9


# -- what the tables say -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["power", "assurance", "plan", "value"])
def test_the_table_has_the_shares_of_the_rows(answers, kind):
    result = answers[kind]
    header, rows = cells(result)
    assert header[1] == ("assurance" if kind == "assurance" else "power")
    assert len(rows) == len(result.rows)
    for row, told in zip(result.rows, rows, strict=True):
        at = dict(zip(header, told, strict=True))
        assert at["items"] == f"{row.n:,}"
        assert holds(at[header[1]], row.power)
        for verdict in (Verdict.A_BETTER, Verdict.EQUIVALENT, Verdict.B_BETTER):
            assert holds(at[verdict.value], row.decisions[verdict])
        assert holds(at["undecided"], 1 - row.conclusive)
        assert holds(at["wrong"], row.wrong)
        low, high = (float(end) / 100 for end in re.findall(r"[\d.]+", at["95% interval"]))
        assert low <= row.low + 1e-9
        assert row.high <= high + 1e-9
        assert (at["type S"] == "–") == (row.type_s is None)
        if row.type_s is not None:
            assert holds(at["type S"], row.type_s)
        if at["type M"] != "–":
            assert float(at["type M"].removesuffix("×")) == pytest.approx(row.type_m, abs=0.5)


@pytest.mark.parametrize("kind", ["more", "goal", "extrapolated"])
def test_more_items_have_the_probability_of_each_verdict(answers, kind):
    result = answers[kind]
    header, rows = cells(result)
    assert header == ["more items", "≫", "≈", "≪", "undecided"]
    for row, told in zip(result.rows, rows, strict=True):
        assert told[0] == f"{row.n:,}"
        for symbol, text in zip(header[1:4], told[1:4], strict=True):
            assert holds(text, row.decisions[Verdict(symbol)])
        assert holds(told[4], 1 - row.conclusive)


def test_a_rule_stands_beside_the_fixed_design(answers):
    result = answers["stopping"]
    header, rows = cells(result)
    for row, covered, told in zip(
        (result.row, result.fixed), (result.covered, result.fixed_covered), rows, strict=True
    ):
        at = dict(zip(header, told, strict=True))
        assert holds(at["power"], row.power)
        assert holds(at["wrong"], row.wrong)
        assert holds(at["HDI holds the truth"], covered)
    mean, error = (float(text.replace(",", "")) for text in re.findall(r"[\d.,]+", rows[0][1]))
    assert mean == pytest.approx(result.mean_n, abs=result.mean_n_error)
    assert error == pytest.approx(result.mean_n_error, rel=0.5)
    told = line_of(result)
    for quantile in result.n_quantiles:
        assert f"by {quantile:,}" in told
    assert holds(re.search(r"(\S+) of studies reach 600 items", told)[1], result.at_most)


@pytest.mark.parametrize("simulations", [20, 60, 100, 400])
def test_few_simulations_print_no_decimal(simulations):
    found = rw.power(scenario(), n=[300, 900], goal=">>", simulations=simulations, **QUICK)
    for told in (str(found), found.to_markdown(), found.sentence()):
        assert re.findall(r"\d+\.\d+%", told) == []
        assert not re.search(r"(?<![\d<>])(0|100)%(?![\],])", told)  # nothing is never, nothing always


def test_a_factor_is_printed_as_far_as_what_was_found_carries_it(answers):
    row = answers["power"].rows[0]
    shares = dict.fromkeys(Verdict, 0.0)

    def told(found, factor):
        shares_now = {**shares, Verdict.A_BETTER: found / 1_000, Verdict.UNDECIDED_HIGH: 1 - found / 1_000}
        one = replace(row, simulations=1_000, decisions=shares_now, type_s=0.0, type_m=factor)
        return cells(replace(answers["power"], rows=(one,)))[1][0][-1]

    assert told(500, 1.4321) == "1.4×"
    assert told(2, 1.4321) == "1×"
    assert told(1, 8.0) == "–"
    assert told(0, None) == "–"


# -- what the words say ------------------------------------------------------------------------------------


def test_a_plan_says_how_many_items(answers):
    result = answers["plan"]
    found = re.search(r"About ([\d,]+) items reach A≫B with 80% power \(95% interval of the search: (.*?) to (.*?)\)",
                      line_of(result))  # fmt: skip
    n, low, high = (int(text.replace(",", "")) for text in found.groups())
    assert result.n <= n <= result.n + (result.high - result.low) / 2 + 1
    assert low <= result.low
    assert high >= result.high
    assert f"about {n:,}" in cells(result, 0)[1][0]
    exact = replace(result, n=1873, low=1800, high=1960)
    assert "About 1,880 items reach" in line_of(exact)
    assert "1,873" not in str(exact) + exact.to_markdown() + exact.sentence()
    assert '"n": 1873' in exact.to_json()


def test_what_cannot_be_reached_is_said(answers):
    found = replace(answers["plan"], n=None, low=None, high=None)
    assert "A≫B with 80% power is not reachable below n = 10,000,000" in line_of(found)
    assert ">10,000,000" in cells(found, 0)[1][0]
    posterior = rw.compare(counted(), rope=0.03, rng=0, draws=5_000)
    never = rw.plan(posterior, goal="~", simulations=200, draws=200, rng=0)
    assert never.n is None
    ceiling = posterior.regions.inside
    told = re.search(r"A≈B with 80% assurance is not reachable: however many items, .*? at most (\S+)", line_of(never))
    assert holds(told[1], ceiling)
    assert "not reachable" in cells(never, 0)[1][0]
    assert not never.rows


def test_the_smallest_difference_is_no_smaller_than_what_was_found(answers):
    result = answers["difference"]
    shown = float(re.search(r"2,000 items find A≫B with 80% power from a difference of (\S+) on", line_of(result))[1])
    assert result.found <= shown <= result.found + (result.high - result.low) / 2
    lower = replace(result, found=-0.1049, low=-0.116, high=-0.0936, design=replace(result.design, goal="A≪B"))
    assert "from a difference of -0.11 on" in line_of(lower)
    none = replace(result, found=None, low=None, high=None)
    assert "No difference that the scenario allows is found by 2,000 items with 80% power" in line_of(none)
    assert "true difference" not in result.to_markdown()  # it is what was looked for


def test_the_smallest_rope_is_no_smaller_than_what_was_found(answers):
    result = answers["rope"]
    shown = float(re.search(r"A≈B with 80% power from a ROPE of ±(\S+) on", line_of(result))[1])
    assert result.found <= shown <= result.found + (result.high - result.low) / 2
    assert "judged by the ROPE found" in line_of(result)
    row = result.rows[0]  # of test sets of their own, as often as was wanted, by the ROPE found
    errors = 1 / row.simulations + 1 / (result.simulations - row.simulations)
    assert row.power == pytest.approx(0.8, abs=4.5 * math.sqrt(0.8 * 0.2 * errors))


def test_the_test_set_worth_most_has_its_net_value(answers):
    result = answers["value"]
    said = r"About ([\d,]+) items are worth most: an expected net value of about ([\d,]+), where A≫B is worth 1,000 and"
    told = re.search(said, line_of(result))
    n, net = (int(text.replace(",", "")) for text in told.groups())
    assert result.low <= n
    assert net == pytest.approx(result.net, abs=60)
    none = replace(result, n=None, net=None, low=None, high=None)
    assert "No test set is worth its labels" in line_of(none)
    assert cells(none, 0)[1][0][-3:] == ["none", "–", "–"]


def test_more_items_are_said_with_their_goal(answers):
    result = answers["more"]
    n = int(re.search(r"About ([\d,]+) more items give an 80% chance of a conclusive verdict", line_of(result))[1]
            .replace(",", ""))  # fmt: skip
    assert result.n <= n <= result.n + (result.high - result.low) / 2 + 1
    assert f"{result.simulations:,} simulations" in str(result)
    assert "925 items so far" in str(result)
    told = line_of(answers["goal"])
    chance = re.search(r"An 80% chance of finding A≪B is not reachable: however many items, the probability of A≪B "
                       r"tends to (under )?([\d.]+%), that of its region", told)  # fmt: skip
    assert holds(("<" if chance[1] else "") + chance[2], answers["goal"].design.ceiling)
    assert "extrapolated" in str(answers["extrapolated"])
    done = replace(result, n=0, low=0, high=0)
    assert "conclusive already" in line_of(done)
    far = replace(result, n=None, low=None, high=None)
    assert "is not reachable below 10,000,000 more items" in line_of(far)


def test_assurance_names_its_ceiling_and_power_its_truth(answers):
    result = answers["assurance"]
    for told in (line_of(result), result.to_markdown(), result.sentence(), words(result)):
        assert "truth drawn from the posterior given 925 items" in told
        most = re.search(r"at most (\S+), however many items: the posterior probability of its region", told)
        assert holds(most[1], result.design.ceiling)
    power = answers["power"]
    assert f"true difference {power.design.delta:+.3g}" in power.to_markdown()
    for told in (line_of(power), power.sentence(), words(power)):
        assert power.design.truth in told


@pytest.mark.parametrize("kind", KINDS)
def test_a_stopped_answer_says_so_loudly(answers, kind):
    whole = answers[kind]
    result = replace(whole, partial=True)
    for write in (str, lambda r: r.to_markdown(), lambda r: r.to_latex(), lambda r: r.sentence(), words,
                  lambda r: r._repr_html_()):  # fmt: skip
        assert "PARTIAL: stopped after" in write(result)
        assert "PARTIAL" not in write(whole)
    if kind == "power":
        first = replace(result.rows[0], simulations=40)
        uneven = replace(result, rows=(first, *result.rows[1:]))
        assert "PARTIAL: stopped after 40 to 100 of 100 simulations" in line_of(uneven)


@pytest.mark.parametrize("kind", KINDS)
def test_every_answer_is_one_sentence_that_says_what_it_rests_on(answers, kind):
    result = answers[kind]
    told = result.sentence()
    assert told.endswith(").")
    assert ". " not in told
    assert re.search(r"ROPE (of )?±", told)
    assert result.design.recipe.prior in told
    for text in (told, str(result), words(result)):
        assert "ignificant" not in text


# -- open questions ----------------------------------------------------------------------------------------


def test_an_open_comparison_says_how_many_more_items(undecided):
    more = undecided.more
    for told in (line_of(undecided), words(undecided)):
        n = re.search(r"[Aa]bout ([\d,]+) more items would probably (?:\(80%\) )?settle it", told)
        assert int(n[1].replace(",", "")) == float(f"{more.n:.0e}")
    far = replace(undecided, more=replace(more, n=None))
    assert "No practical test set will settle this" in line_of(far)


def test_a_settled_comparison_says_nothing_of_more_items():
    settled = rw.compare(counted(), rope=0.01, rng=0, draws=5_000)
    assert settled.conclusive
    assert "more items" not in str(settled)
    assert "more items" not in words(settled)


def test_the_page_of_an_open_comparison_has_what_would_settle_it(undecided):
    told = words(undecided)
    assert "How many more items?" in told
    for row in undecided.more.rows:
        assert f" {row.n:,} " in told
    assert "How many more items?" not in words(replace(undecided, more=None))


def test_a_bar_that_is_open_says_how_many_more_items(silent):
    y = [0, 1] * 100
    result = rw.evaluate(y, y[:160] + [1, 0] * 20, metric="accuracy", at_least=0.75, rope=0.02, rng=0, draws=5_000)
    more = result.metrics[0].more
    assert not more.is_impractical
    shown = re.search(r"More +About ([\d,]+) more items", line_of(result))
    assert int(shown[1].replace(",", "")) == float(f"{more.n:.0e}")
    assert "r.more_data()" not in str(result)  # there is no such method here


def checked_column(result, found, settled):
    header, rows = cells(result)
    assert header[-2] == "more items"
    for more, row in zip(found, rows, strict=True):
        if more is None:
            assert row[-2] == "–"
            assert row[-1][0] in settled or row[-1].removesuffix("?").endswith(("better", "equivalent"))
        elif more.is_impractical:
            assert row[-2] == "no practical number"
        else:
            shown = int(row[-2].removeprefix("about ").replace(",", ""))
            assert shown == float(f"{more.n:.0e}")


def test_classes_and_pairs_have_a_column_of_more_items(news, silent, frugal):
    classes = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=1_000)
    assert {c.conclusive for c in classes} == {True, False}
    checked_column(classes, [c.more for c in classes], "≫≪≈")
    far = replace(classes[0], more=replace(next(c.more for c in classes if c.more), n=None))
    with_far = replace(classes, comparisons=(far, *classes.comparisons[1:]))
    checked_column(with_far, [c.more for c in with_far], "≫≪≈")
    ranking = rw.rank(news.outcomes, metric="accuracy", rope=0.02, rng=0, draws=500)
    pairs = [ranking.pair(*row[0].split(" − ")) for row in cells(ranking)[1]]
    assert any(pair.more for pair in pairs)
    checked_column(ranking, [pair.more for pair in pairs], "≫≪≈")
    for result in (classes, ranking):
        assert "more items" in result.to_latex()
        assert "more items" in result.to_text(details=True)
        assert "more items" in result.to_html()


def test_there_is_no_column_where_nothing_is_open(news, silent):
    settled = rw.rank(news.outcomes, metric="accuracy", rope=0.5, rng=0, draws=500)
    assert cells(settled)[0][-2:] == ["above", "decision"]
    assert "more items" not in settled.to_html()


# -- names -------------------------------------------------------------------------------------------------


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            assert name not in {"src", "style"}
            assert "javascript:" not in (value or "")


def tags(page):
    parser = Tags()
    parser.feed(page)
    return parser.tags


@pytest.fixture(scope="module")
def hostile():
    """Return one of each answer for every hostile name; its truth is hostile too, as one from a file may be."""
    plain = {
        kind: replace(one, remarks=(*one.remarks, note("toy", "a note"))) for kind, one in made(("one", "two")).items()
    }
    found = {}
    for name in HOSTILE:
        names = (name, f"B{name}")
        found[name] = {
            kind: replace(
                result,
                design=replace(result.design, names=names, truth=f"truth of {name}"),
                remarks=(*result.remarks[:-1], note("toy", f"note of {name}")),
            )
            for kind, result in plain.items()
        }
    return plain, found


SHAPES = {"line", "text", "tspan", "circle", "rect", "path", "g", "wbr"}  # pictures make room for what is long


def ampersands(line):
    return len(re.findall(r"(?<!\\)&", line))


@pytest.fixture(scope="module")
def expected(hostile):
    """The tags of the page and the card, and how many cells a line of the LaTeX table may have, with plain names."""
    return {
        kind: ([tags(plain.to_html()), tags(plain._repr_html_())],
               {0, *map(ampersands, plain.to_latex().splitlines())})
        for kind, plain in hostile[0].items()
    }  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_are_inert_in_every_format(hostile, expected, name):
    for kind, result in hostile[1][name].items():
        told = str(result)
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067]", told + result.sentence())
        plain_tags, cells_of_a_line = expected[kind]
        for page, plain in zip((result.to_html(), result._repr_html_()), plain_tags, strict=True):
            assert [tag for tag in tags(page) if tag not in SHAPES] == [tag for tag in plain if tag not in SHAPES], kind
            assert set(tags(page)) <= {*plain, *SHAPES}, kind
            assert "{{7*7}}" not in page or name == "{{7*7}}"
        for line in result.to_latex().splitlines():
            if line.startswith("%"):
                continue
            assert r"\input{" not in line
            assert ampersands(line) in cells_of_a_line, kind
        assert result.design.recipe.prior in result.sentence()


@pytest.mark.parametrize("kind", KINDS)
def test_markdown_renders_as_tables_whose_cells_are_the_names(hostile, kind):
    parser = need("markdown_it").MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
    for name, found in hostile[1].items():
        tokens = parser.parse(found[kind].to_markdown())
        kinds = {token.type for token in tokens}
        assert "table_open" in kinds
        assert "html_block" not in kinds
        inline = {child.type for token in tokens if token.children for child in token.children}
        assert inline <= {"text", "text_special", "softbreak"}, (name, inline)
        texts = ["".join(child.content for child in token.children) for token in tokens if token.children]
        if name.isprintable() and len(name) < 50:
            assert any(name in text for text in texts), name


# -- pictures ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(answers, undecided, tmp_path_factory):
    folder = tmp_path_factory.mktemp("planning")
    wide = rw.power(scenario(), n=[10, 100, 1_000, 10_000, 100_000], simulations=20, **QUICK)
    long_names = replace(answers["more"], design=replace(answers["more"].design, names=("x" * 200, "<b>y</b>")))
    found = {**answers, "compare": undecided, "wide": wide, "long names": long_names}
    for kind, result in found.items():
        result.to_html(folder / f"{kind}.html")
    return found, folder


DRAWN = ("power", "assurance", "plan", "value", "more", "extrapolated", "compare", "wide", "long names")


PAGES = (*KINDS, "compare", "wide", "long names")
LOOKS = ((360, "dark"), (1200, "light"))


@pytest.mark.parametrize("kind", PAGES)
def test_pages_open_without_an_error_and_nothing_sticks_out(chromium, pages, kind):
    with opened(chromium, pages[1] / f"{kind}.html") as seen:
        page = seen.page
        unfold(page)
        assert page.get_by_role("button", name="Copy JSON").is_visible()  # so the script ran to its end
        assert page.locator("svg.prospect").count() == (kind in DRAWN or kind == "goal")
        unfold(page)
        for width, _ in LOOKS:
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate(OVERLAPPING) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert seen.wrong == []


@pytest.mark.parametrize(
    ("kind", "width", "scheme"),
    # Each page is audited in one of the two looks by `make test`, and in the other by `make test-slow`.
    [
        pytest.param(kind, *look, marks=() if i % len(LOOKS) == j else pytest.mark.slow)
        for i, kind in enumerate(PAGES)
        for j, look in enumerate(LOOKS)
    ],
)
def test_an_audit_finds_no_violation(chromium, pages, kind, width, scheme):
    with opened(chromium, pages[1] / f"{kind}.html", color_scheme=scheme, width=width) as seen:
        unfold(seen.page)
        assert violations(seen.page) == []
        keep_screenshot(seen.page, f"{kind}-{width}")


def test_dots_stand_where_the_power_is(chromium, pages):
    result = pages[0]["power"]
    with opened(chromium, pages[1] / "power.html", width=1000) as seen:
        picture = seen.page.locator("svg.prospect")
        top, bottom = (float(picture.locator(".level").first.get_attribute("y1")),
                       float(picture.locator(".axis").get_attribute("y1")))  # fmt: skip
        dots, bars = picture.locator("circle").all(), picture.locator(".interval").all()
        for dot, bar, row in zip(dots, bars, result.rows, strict=True):
            assert (bottom - float(dot.get_attribute("cy"))) / (bottom - top) == pytest.approx(row.power, abs=0.001)
            ends = [(bottom - float(bar.get_attribute(end))) / (bottom - top) for end in ("y2", "y1")]
            assert ends == pytest.approx([row.low, row.high], abs=0.001)
        ticks = {
            float(node.text_content().replace(",", "")): float(node.get_attribute("x")[:-1])
            for node in picture.locator(".tick + text").all()
        }
        (a, at_a), (b, at_b) = min(ticks.items()), max(ticks.items())
        for dot, row in zip(dots, result.rows, strict=True):  # on the axis that the ticks tell
            expected = at_a + (row.n - a) / (b - a) * (at_b - at_a)
            assert float(dot.get_attribute("cx")[:-1]) == pytest.approx(expected, abs=0.1)
        assert "against the number of items" in picture.locator("title").text_content()


def test_numbers_far_apart_stand_on_an_axis_of_factors(chromium, pages):
    result = pages[0]["wide"]
    with opened(chromium, pages[1] / "wide.html") as seen:
        places = [float(dot.get_attribute("cx")[:-1]) for dot in seen.page.locator("svg.prospect circle").all()]
        steps = [b - a for a, b in pairwise(places)]
        assert len(places) == len(result.rows)
        assert steps == pytest.approx([steps[0]] * len(steps), abs=0.1)  # each size is ten times the last


def test_the_areas_of_the_verdicts_are_their_shares(chromium, pages):
    result = pages[0]["extrapolated"]
    with opened(chromium, pages[1] / "extrapolated.html") as seen:
        picture = seen.page.locator("svg.prospect")
        for kind, verdict in (("high", Verdict.A_BETTER), ("mid", Verdict.EQUIVALENT), ("low", Verdict.B_BETTER)):
            corners = re.findall(r"([\d.]+) ([\d.]+)", picture.locator(f"path.{kind}").get_attribute("d"))
            heights = [float(y) for _, y in corners]
            half = len(heights) // 2
            for row, top, bottom in zip(result.rows, heights[:half], heights[half:][::-1], strict=True):
                assert (bottom - top) / 100 == pytest.approx(row.decisions[verdict], abs=0.0011)
        legend = seen.page.locator("figure .legend li").all_inner_texts()
        assert [text.strip() for text in legend] == ["A better", "practically equivalent", "B better", "undecided"]
