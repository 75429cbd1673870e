"""What a gate says on every surface: the tag and the reason first, then the numbers, and no more than it found."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import ropewalk as rw
from browser import CROWDED, keep_screenshot, opened, unfold, violations
from hostile import NAMES, hostile_names
from ropewalk.gating.self_check import self_check as run_self_check
from ropewalk.report.describe.gates import MAX_IN_SENTENCE, MAX_ON_CARD, again
from ropewalk.report.document import Banner, describe
from ropewalk.report.terminal import COLOURED, Screen, body, in_ascii, text
from ropewalk.results.gates import WITHIN_ERROR
from support import need, without_warnings

pytestmark = pytest.mark.usefixtures("frugal_throughout")

TRUTH = np.tile([0, 1], 100)
TAGS = {"met": "PASS", "contradicted": "FAIL", "undecided": "UNDECIDED"}
SCREEN_ROWS = 24
HOSTILE = hostile_names(
    "script", "bar", "line", "turned", "code", "long", "hebrew", "mention", "emphasis", "red", "formula", "template"
)


def wrong_on(n_items, first=0):
    """Predictions that are wrong on so many items."""
    return np.where((np.arange(TRUTH.size) >= first) & (np.arange(TRUTH.size) < first + n_items), 1 - TRUTH, TRUTH)


def ask(a, b, require, margin=None, **how):
    options = {"metric": "accuracy", "names": ["new", "old"], "rng": 0, "draws": 4_000, **how}
    with without_warnings():
        return rw.gate(TRUTH, a, b, require=require, margin=margin, **options)


def ask_tasks(require, margin=None, names=("asks", "maps", "sums"), **how):
    """Ask about three tasks: A is better on the first, worse on the last, and alike on the other."""
    task = np.repeat(np.arange(3), 120)
    truth = np.tile([0, 1], 180)
    random = np.random.default_rng(5)
    old = np.where(random.random(360) < 0.7, truth, 1 - truth)
    new = np.where(task == 0, truth, np.where(task == 2, 1 - old, np.where(random.random(360) < 0.7, truth, 1 - truth)))
    new[task == 2] = np.where(random.random(120) < 0.3, truth[task == 2], 1 - truth[task == 2])
    table = {"task": [names[i] for i in task], "y": truth, "new": new, "old": old}
    options = {"truth": "y", "a": "new", "b": "old", "task": "task", "metric": "accuracy", "rng": 0, "draws": 2_000}
    with without_warnings():
        return rw.gate(table, require=require, margin=margin, **{**options, **how})


def on_the_edge():
    """Ask with a margin that an end of the interval nearly lies on: the interval is clear of it by a hair."""
    pair = wrong_on(30), wrong_on(30, first=100)
    margin = 5e-4 - rw.compare(TRUTH, *pair, metric="accuracy", draws=50_000, rng=0).hdi.low
    return ask(*pair, "not-worse", margin, draws=50_000)


MADE = {
    "met": lambda: ask(wrong_on(10), wrong_on(40, first=60), "not-worse", 0.02),
    "contradicted": lambda: ask(wrong_on(60), wrong_on(10, first=100), "not-worse", 0.02),
    "undecided": lambda: ask(wrong_on(25), wrong_on(27, first=60), "not-worse", 0.02, metric="f1", pos_label=1),
    "better": lambda: ask(wrong_on(0), wrong_on(50), "better"),
    "equivalent": lambda: ask(wrong_on(10), wrong_on(10, first=60), "equivalent", 0.2),
    "less is better": lambda: ask(wrong_on(10), wrong_on(60, first=60), "better", 0.02, metric="error"),
    "on the edge": on_the_edge,
    "no width": lambda: ask(TRUTH, TRUTH, "not-worse", 0.1, model="bootstrap", draws=500),
    "warned": lambda: ask(wrong_on(25), wrong_on(27, first=60), "better", on_undecided="warn"),
    "passed": lambda: ask(wrong_on(25), wrong_on(27, first=60), "better", on_undecided="pass"),
    "metrics": lambda: ask(
        wrong_on(25), wrong_on(40, first=60), ["f1 better 0.01", "recall not-worse 2%", "error better"], pos_label=1,
        metric=None,
    ),
    "units": lambda: ask(
        wrong_on(10), wrong_on(60, first=60), ["f1 better", "lr_minus better"], metric=None, pos_label=1
    ),
    "tasks": lambda: ask_tasks("not-worse", 0.05),
    "tasks and average": lambda: ask_tasks(["better 0.02 overall", "not-worse 0.05 on each task"]),
    "one task": lambda: ask_tasks("better on asks"),
    "average": lambda: ask_tasks("better overall"),
}  # fmt: skip
NOT_WORSE = ("met", "contradicted", "undecided", "on the edge", "no width", "tasks")
ALONE = ("met", "contradicted", "undecided", "better", "equivalent", "less is better", "on the edge", "no width")


@pytest.fixture(scope="module")
def made():
    kept = {}

    def make(kind):
        if kind not in kept:
            kept[kind] = MADE[kind]()
        return kept[kind]

    return make


class Visible(HTMLParser):
    """The words of a page that readers see, but for its JSON."""

    def __init__(self):
        super().__init__()
        self.words, self.hidden = [], 0

    def handle_starttag(self, tag, attrs):
        if tag in {"style", "script"} or dict(attrs).get("id") == "json" or self.hidden:
            self.hidden += tag not in {"meta", "input", "link", "br", "wbr"}

    def handle_endtag(self, tag):
        self.hidden -= bool(self.hidden)

    def handle_data(self, data):
        if not self.hidden:
            self.words.append(data)


def seen(page):
    parser = Visible()
    parser.feed(page)
    return " ".join(" ".join(parser.words).split())


def flat(told):
    return " ".join(told.split())


# -- words -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MADE)
def test_every_surface_has_the_tag_the_sentence_and_the_exit_code(made, kind):
    g = made(kind)
    sentence = g.headline.partition(": ")[2]
    assert g.headline.startswith(f"{TAGS[g.outcome]}: ")
    first = text(g, width=120).splitlines()[0]
    assert first.startswith(f" {g.tag} ")
    assert first.endswith(f"exit code {g.exit_code}")
    assert sentence in re.sub(rf"\s+exit code {g.exit_code}", "", flat(text(g, width=120)))
    assert g.to_markdown().startswith(f"**{g.tag}**: ")
    assert f"(exit code {g.exit_code})." in g.to_markdown().splitlines()[0]
    assert g.to_latex().startswith(f"% {g.tag}: {sentence}\n")
    assert g.sentence().startswith(f"{g.tag}: ")
    for page in (g.to_html(), g._repr_html_()):
        assert f"</span> {g.tag}</p>" in page
        assert f"Exit code {g.exit_code}." in page
        assert sentence[1:].replace(" ", "") in seen(page).replace(" ", "")


@pytest.mark.parametrize("kind", NOT_WORSE)
def test_no_surface_takes_not_worse_for_equivalent(made, kind):
    g = made(kind)
    for told in (text(g, details=True), g.to_markdown(), g.to_latex(), g.sentence(), seen(g.to_html())):
        assert "equivalent" not in told.lower()


@pytest.mark.parametrize("kind", MADE)
def test_nothing_is_significant(made, kind):
    g = made(kind)
    for told in (text(g, details=True), g.to_markdown(), g.to_html()):
        assert "significant" not in told.lower()


def test_a_loss_that_is_still_plausible_is_said_without_the_word_equivalent():
    g = ask(wrong_on(30), wrong_on(30, first=100), "not-worse", 0.3)
    assert "A loss of up to " in flat(text(g))
    assert "is still plausible." in flat(text(g))
    assert "not “equivalent”" in flat(str(g.checks[0].comparison))  # where nobody gates, it stays


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("met", "PASS: new is not worse by more than 2 points of accuracy"),
        ("contradicted", "FAIL: new is worse by more than 2 points of accuracy"),
        ("undecided", "UNDECIDED: it is not known yet whether new is worse by more than 2 points of F1"),
        ("better", "PASS: new is better in accuracy"),
        ("equivalent", "PASS: new is equivalent within 20 points of accuracy"),
        ("one task", "PASS: new is better in accuracy on asks"),
        ("tasks", "FAIL: new is worse by more than 5 points of accuracy on sums; 1 of 3 tasks clear"),
        ("tasks and average", "FAIL: one of two requirements is contradicted"),
        ("average", "UNDECIDED: it is not known yet whether new is better in accuracy on average"),
    ],
)
def test_the_sentence_says_what_was_found(made, kind, words):
    assert made(kind).headline == words


def test_of_all_tasks_one_sentence_says_what_was_found():
    assert ask_tasks("not-worse", 0.95).headline == (
        "PASS: new is not worse by more than 95 points of accuracy on each of 3 tasks"
    )
    assert ask_tasks("better", 0.99).headline == (
        "FAIL: new is not better by more than 99 points of accuracy on each of 3 tasks"
    )


def test_an_undecided_gate_says_why_and_what_would_help(made):
    g = made("undecided")
    told = flat(text(g))
    assert "? undecided the interval reaches across the margin" in told
    assert g.checks[0].comparison.more is not None
    assert "more items" in told or "no practical test set" in told
    assert "seed 0" in told


@pytest.mark.parametrize("kind", ["on the edge", "no width"])
def test_what_is_undecided_by_its_draws_is_nowhere_said_to_be_decided(made, kind):
    g = made(kind)
    assert g.outcome == "undecided"
    assert g.checks[0].comparison.conclusive or g.checks[0].comparison.decision is None
    for told in (flat(text(g)), seen(g.to_html()), seen(g._repr_html_()), g.sentence()):
        assert g.checks[0].reason[1:] in told or "UNDECIDED" in told
        assert "new is not worse" not in told
        assert "can replace" not in told
        assert "supports shipping" not in told


def test_within_monte_carlo_error_the_text_says_what_would_help(made):
    told = flat(text(made("on the edge"), width=120))
    assert "within Monte Carlo error of the margin" in told
    assert "More draws may settle it" in told


@pytest.mark.parametrize(("draws", "helps"), [(4_000, True), ("auto", False)])
def test_a_reason_within_monte_carlo_error_is_one_whatever_the_verdict_says(draws, helps):
    g = ask(wrong_on(10), wrong_on(40, first=60), ["accuracy not-worse 0.02", "f1 better"], metric=None, pos_label=1,
        draws=draws)  # fmt: skip
    assert g.checks[0].comparison.decision.stable
    check = replace(g.checks[0], outcome="undecided", reason=f"{WITHIN_ERROR} of the margin, after 4,000 draws")
    told = flat(text(replace(g, checks=(check, g.checks[1])), width=120))
    assert f"({WITHIN_ERROR})" in told
    assert ("More draws may settle it" in told) is helps
    alone = flat(text(replace(g, checks=(check,)), width=120))
    assert ("More draws may settle it" in alone) is helps


@pytest.mark.parametrize(("kind", "said"), [("warned", "only a warning, as asked"), ("passed", "passes, as asked")])
def test_it_is_said_where_undecided_does_not_fail(made, kind, said):
    for told in (text(made(kind)), made(kind).to_markdown(), seen(made(kind).to_html())):
        assert said in flat(told)
    for other in ("undecided", "better"):
        assert "as asked" not in text(made(other))


@pytest.mark.parametrize("kind", ["metrics", "units", "tasks and average"])
def test_each_requirement_has_a_row_with_its_outcome_and_its_chance(made, kind):
    g = made(kind)
    banner = describe(g).in_terminal()[0]
    assert isinstance(banner, Banner)
    assert len(banner.rows) == len(g.by_requirement)
    told = flat(text(g, width=120))
    for row in banner.rows:
        assert f"{row.mark} {row.word} " in told
        assert row.chance.startswith("chance ") or row.chance.endswith(" clear")
        assert row.chance in told


def test_no_requirement_of_several_is_a_decision_of_its_own(made):
    page = seen(made("tasks and average").to_html())
    assert "For a decision: the evidence" not in page


def test_a_gate_of_tasks_names_the_seed_that_was_given():
    with without_warnings():
        g = ask_tasks("not-worse", 0.05, rng=7)
    assert g.seed == 7
    assert g.checks[0].comparison.recipe.seed != 7  # each task has draws of its own
    assert "seed 7" in text(g)


def test_the_call_on_the_page_gives_the_same_requirements_again(made):
    for kind in ("met", "metrics", "tasks and average", "one task"):
        g = made(kind)
        rows = next(
            block.blocks[0].rows
            for block in describe(g).on_page()
            if getattr(block, "summary", "") == "Get the same again"
        )
        call = dict(rows)["Python"][1:-1]
        asked = eval(call.replace("…", "'task'"), {"rw": _Echo, "data": None})
        read = rw.gating.read_requirements(asked["require"])
        assert tuple(read) == tuple(requirement for requirement, _ in g.by_requirement)
        assert asked["rng"] == 0


def test_the_line_on_the_page_has_what_is_not_as_usual():
    how = {"prob": 0.9, "draws": 500, "rng": 3, "pos_label": 1, "on_undecided": "warn"}
    with without_warnings():
        g = rw.gate([1, 0] * 40, [1, 0] * 40, [1, 1] * 40, metric="f1", require="not-worse", margin=1 / 3, **how)
    line = dict(again(g).blocks[0].rows)["Shell"][1:-1]
    assert line == (
        "ropewalk gate … --require 'f1 not-worse 0.3333333333333333' --pos-label 1 --on-undecided warn --prob 0.9 "
        "--draws 500 --seed 3"
    )


class _Echo:
    @staticmethod
    def gate(_data, **options):
        return options


# -- terminal ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*ALONE, "average", "one task"])
def test_one_requirement_is_one_screen(made, kind):
    assert len(body(made(kind), Screen(80)).splitlines()) <= SCREEN_ROWS


@pytest.mark.parametrize("width", [60, 70, 80, 100, 120])
@pytest.mark.parametrize("kind", MADE)
def test_no_line_is_wider_than_the_terminal(made, kind, width):
    assert [line for line in text(made(kind), width=width).splitlines() if len(line) > width] == []


@pytest.mark.parametrize(("kind", "colour"), [("met", 32), ("contradicted", 31), ("undecided", 33)])
def test_the_tag_is_reversed_in_its_colour_and_without_colours_it_is_a_word(made, kind, colour):
    g = made(kind)
    coloured, plain = body(g, Screen(80, COLOURED)), body(g, Screen(80))
    assert coloured.startswith(f"\x1b[7;{colour}m {g.tag} \x1b[0m")
    assert "\x1b" not in plain
    assert re.sub(r"\x1b\[[\d;]*m", "", coloured) == plain


def test_without_utf_8_the_signs_are_letters(made):
    assert in_ascii(text(made("tasks"))).isascii()


def test_rows_of_tasks_have_their_outcome_as_a_sign_the_best_first(made):
    rows = [line for line in text(made("tasks")).splitlines() if "[" in line and line.startswith("  ")]
    rows = [line.split() for line in rows if line.split()[0] in {"asks", "maps", "sums"}]
    assert [row[0] for row in rows] == ["asks", "maps", "sums"]
    assert [row[-1] for row in rows] == ["✓", "?", "✗"]


# -- names -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_stay_names(name):
    pair = wrong_on(25), wrong_on(40, first=60)
    for g in (
        ask(*pair, "not-worse", 0.02, names=[name, "old"], draws=500),
        ask(*pair, ["f1 better 0.01", "recall not-worse 2%"], names=["new", name], metric=None, pos_label=1, draws=500),
        ask_tasks("not-worse", 0.05, names=(name, "maps", "sums"), draws=500),
    ):
        for told in (text(g, width=60), g.to_markdown(), g.to_latex(), g.sentence(), g.headline, repr(g)):
            assert "\x1b" not in told
            assert "\u202e" not in told
        assert [line for line in text(g, width=60).splitlines() if len(line) > 60 and len(line.split()) > 3] == []
        for page in (g.to_html(), g._repr_html_()):
            assert "<script>alert" not in page
            assert "\u202e" not in page
        lines = g.to_markdown().splitlines()
        bars = {len(re.findall(r"(?<!\\)\|", line)) for line in lines if line.startswith("|")}
        assert len(bars) == 1
        tokens = need("markdown_it").MarkdownIt("commonmark", {"html": True}).enable("table").parse(g.to_markdown())
        inline = {child.type for token in tokens if token.children for child in token.children}
        assert inline <= {"text", "text_special", "softbreak", "strong_open", "strong_close"}
        assert tokens[1].content.startswith(f"**{g.tag}**")


def test_a_hostile_name_does_not_end_the_comment_of_latex():
    g = ask(wrong_on(5), wrong_on(40), "better", names=[NAMES["line"], "old"], draws=500)
    assert all(line.startswith("%") for line in g.to_latex().partition("\\begin")[0].splitlines())


# -- papers and programs -----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MADE)
def test_the_table_has_a_row_per_check(made, kind):
    g = made(kind)
    first = describe(g).tables[0]
    assert [row[1] for row in first.rows] == [check.outcome for check in g]
    assert g.to_latex().count(r"\begin{tabular}") == len(describe(g).tables)


def test_of_many_tasks_a_card_has_the_first_and_a_sentence_has_none():
    n = MAX_ON_CARD + 3
    tasks = [f"task_{i:02d}" for i in range(n)]
    table = {
        "task": np.repeat(tasks, 20).tolist(),
        "y": [0, 1] * 10 * n,
        "new": [0, 1] * 10 * n,
        "old": [1, 1] * 10 * n,
    }
    with without_warnings():
        g = rw.gate(
            table, truth="y", a="new", b="old", task="task", metric="accuracy", require="better", draws=200, rng=0
        )
    assert n > MAX_IN_SENTENCE
    assert seen(g._repr_html_()).count("task_") == MAX_ON_CARD
    assert "and 3 more" in seen(g._repr_html_())
    assert "task_" not in g.sentence()


@pytest.mark.parametrize("kind", MADE)
def test_a_frame_has_a_row_per_check(made, kind):
    need("pandas")
    g = made(kind)
    frame = g.to_frame("pandas")
    assert frame["outcome"].tolist() == [check.outcome for check in g]
    assert frame["margin"].tolist() == [check.requirement.margin for check in g]
    assert frame["mean"].tolist() == [check.comparison.mean for check in g]
    assert frame["task"].astype(object).where(frame["task"].notna(), None).tolist() == [check.task for check in g]


@pytest.mark.parametrize(("kind", "panels"), [("met", 1), ("tasks", 1), ("metrics", 3), ("tasks and average", 2)])
def test_its_picture_has_axes_for_each_requirement(made, kind, panels):
    need("matplotlib").use("Agg")
    drawn = made(kind).plot()
    assert np.size(drawn) == panels
    if kind == "tasks":
        assert [label.get_text() for label in drawn.get_yticklabels()] == ["asks", "maps", "sums"]
    need("matplotlib.pyplot").close("all")


# Whether the edge of the banner has the colour of its tag.
EDGE = """() => {
  const colour = (query, part) => getComputedStyle(document.querySelector(query))[part];
  return colour(".gate", "borderLeftColor") === colour(".tag", "backgroundColor");
}"""


# -- the page ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", MADE)
def test_a_page_has_one_title_and_the_banner_comes_first(made, kind):
    page = made(kind).to_html()
    assert page.count("<h1>") == 1
    main = page.partition("<main")[2]
    assert main.index('class="gate ') < main.index("<section")


SLOW_PAGES = [pytest.param(kind, marks=pytest.mark.slow) for kind in ("contradicted", "undecided", "metrics", "units")]


@pytest.mark.parametrize("kind", ["met", *SLOW_PAGES, "tasks and average"])
def test_a_page_has_no_faults_on_a_screen_of_any_width(chromium, made, tmp_path, kind):
    path = tmp_path / "gate.html"
    made(kind).to_html(path)
    for width in (390, 1_000):
        for scheme in ("light", "dark"):
            with opened(chromium, path, width=width, color_scheme=scheme) as page:
                keep_screenshot(page.page, f"gate {kind} {width} {scheme}")
                unfold(page.page)
                assert violations(page.page) == []
                assert page.page.evaluate(EDGE)
                assert page.page.evaluate(CROWDED) == []
                wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
                assert not page.page.evaluate(wide)
                assert page.wrong == []


def test_a_very_long_name_stays_on_a_narrow_page(chromium, tmp_path):
    path = tmp_path / "long.html"
    ask(wrong_on(25), wrong_on(40, first=60), ["f1 better", "recall better"], names=["n" * 300, "old"], metric=None,
        pos_label=1, draws=500).to_html(path)  # fmt: skip
    with opened(chromium, path, width=390) as page:
        assert not page.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert page.wrong == []


def test_a_page_within_monte_carlo_error_has_nothing_that_looks_settled(made):
    page = seen(made("on the edge").to_html()).partition("Other priors")[0]
    assert "not worse?" not in page
    assert "For a decision: this is still open" in page
    assert "For a decision: by this margin" not in page


# -- the self-check ----------------------------------------------------------------------------------------


def test_a_self_check_stands_on_every_surface():
    g = ask(wrong_on(25), wrong_on(27, first=60), "not-worse", 0.1, self_check=True, draws=500)
    for told in (text(g), g.to_markdown(), g.to_latex(), seen(g.to_html())):
        assert "If nothing had changed, this gate would pass" in flat(told)


CUT_OFF = """[...document.querySelectorAll("table.wraps")].map((table) => table.parentElement)
.filter((box) => box.scrollWidth > box.clientWidth).length"""


@pytest.fixture(scope="module")
def simulated():
    names = ("a_task_with_quite_a_long_name_of_its_own", "maps", "sums")
    g = ask_tasks(["better 0.02 on maps", "not-worse 0.05 on each task"], names=names, draws=500)
    return replace(g, self_check=run_self_check(g.checks, seed=0, studies=100, progress=False))


def test_the_table_of_a_self_check_is_not_cut_off_on_a_screen_of_any_width(chromium, simulated, tmp_path):
    path = tmp_path / "sane.html"
    simulated.to_html(path)
    assert '<table class="wraps">' in path.read_text(encoding="utf-8")
    for width in (390, 1_000):
        for scheme in ("light", "dark"):
            with opened(chromium, path, width=width, color_scheme=scheme) as page:
                keep_screenshot(page.page, f"gate self-check {width} {scheme}")
                assert page.page.evaluate(CUT_OFF) == 0
                assert violations(page.page) == []
                assert page.wrong == []


def test_of_several_requirements_a_self_check_speaks_of_each_and_says_of_which_task(simulated):
    told = flat(text(simulated)).partition("Is this gate sane?")[2]
    assert told.count("this requirement would") == 2
    assert "this gate would" not in told
    checks = simulated.self_check.checks[1:]
    worst = max(checks, key=lambda check: max(world.wrong.share for world in check))
    assert f"accuracy not-worse 5 points on {worst.task} (of 3 tasks none errs more often): If nothing" in told
    assert "accuracy better 2 points on maps: If nothing" in told


# -- what repeats, and what differs -------------------------------------------------------------------------


def test_requirements_on_one_metric_are_told_apart_in_every_row():
    g = ask(wrong_on(25), wrong_on(27, first=60), ["accuracy better 1%", "accuracy not-worse 2%", "f1 better"],
        metric=None, pos_label=1)  # fmt: skip
    told = text(g, width=120)
    for label in ("accuracy, better by 1 point", "accuracy, not worse by 2 points"):
        assert told.count(label) == 2  # a row of the picture, and what would settle it
    assert "F1, " not in told


def test_requirements_on_one_task_are_told_apart_where_it_is_said_what_would_settle_them():
    asked = ["accuracy better 0.01 on maps", "accuracy not-worse 0.01 on maps", "accuracy better on asks"]
    told = flat(text(ask_tasks(asked, metric=None), width=120))
    for label in ("maps, better by 1 point: ", "maps, not worse by 1 point: "):
        assert label in told
    both = flat(text(ask_tasks(["accuracy better 0.01 on maps", "f1 better 0.01 on maps"], metric=None), width=120))
    for label in ("maps, accuracy better by 1 point: ", "maps, F1 better by 1 point: "):
        assert label in both


def test_of_tasks_with_scores_of_their_own_none_is_said_to_be_that_of_all():
    g = ask_tasks("not-worse", 0.05)
    other = ask_tasks("not-worse", 0.05, metric="f1", pos_label=1).checks[0]
    mixed = replace(g, checks=(replace(other, requirement=g.checks[0].requirement), *g.checks[1:]))
    for told in (flat(text(mixed, width=120)), mixed.to_markdown(), seen(mixed.to_html())):
        assert "of its score on" in told
    assert "Differences in the score of each task in points" in flat(text(mixed, width=120))
    assert "of its score" not in text(g)


# -- colours -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["accuracy", "error"])
@pytest.mark.parametrize(("require", "margin"), [("better", 0.05), ("better", None), ("not-worse", 0.05)])
def test_the_bar_has_the_colours_of_the_dots(require, margin, metric):
    pair = wrong_on(25), wrong_on(33, first=60)
    with without_warnings():
        r = rw.compare(TRUTH, *pair, metric=metric, goal=require.replace("-", "_"), margin=margin or 0.0, rng=0)
    for answer in (r, ask(*pair, require, margin, metric=metric)):
        page = answer.to_html()
        shares = {share.tone: share.share for share in describe(answer).answers[0].shares if share.words}
        dots = re.search(r'class="marks"[^>]*>(.*?)</g>', page, re.DOTALL)[1]
        drawn = {tone: found.count("M") for tone, found in re.findall(r'class="m([abe])" d="([^"]*)"', dots)}
        assert set(shares) == {"a", "b"}
        assert {tone for tone, count in drawn.items() if count} <= set(shares)
        assert drawn["a"] == pytest.approx(100 * shares["a"], abs=1.5)
        bar = re.search(r'<svg class="bar".*?</svg>', page, re.DOTALL)[0]
        widths = {
            tone: float(wide) for tone, wide in re.findall(r'class="f(\w)".*?width="([\d.]+)"', bar) if float(wide)
        }
        assert widths == {tone: pytest.approx(1000 * share, abs=0.1) for tone, share in shares.items() if share}
