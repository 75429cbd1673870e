"""Text, Markdown, LaTeX, HTML and JSON: what is printed, and that names stay inert."""

from __future__ import annotations

import html.parser
import json
import math
import re

import pytest
from hypothesis import given

import ropewalk as rw
from hostile import hostile_names
from ropewalk.draws.intervals import Estimate
from ropewalk.text import writing
from ropewalk.text.writing import decimals, estimate_text, factor, number, percent
from strategies import odd_names
from support import without_warnings

HOSTILE = hostile_names(
    "script", "image", "input", "formula", "bar", "code", "red", "line", "turned at once", "long", "emoji", "hebrew",
    "address", "percent", "template", "markup", "star", "surrogate", "option", "heading", "entity",
)  # fmt: skip


def hostile_result(name, other="b", label="pos"):
    y = [label, "neg"] * 50
    a = [label, "neg"] * 45 + ["neg", label] * 5
    return rw.compare(y, a, y[:90] + ["neg"] * 10, names=[name, other], pos_label=label, rope=0.05, rng=0, draws=2_000)


@pytest.fixture(scope="module", params=HOSTILE, ids=lambda name: ascii(name)[:20])
def hostile(request):
    with without_warnings():
        if request.param == "\ud800":
            return hostile_result("lone " + request.param)
        return hostile_result(request.param, label="pos " + request.param)


@pytest.fixture(scope="module")
def plain_pages():
    """The page and the card of a result with plain names."""
    with without_warnings():
        plain = hostile_result("a", label="pos")
    return plain.to_html(), plain._repr_html_()


def test_the_terminal_sees_no_control_characters(hostile):
    told = str(hostile)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066\u2067\ud800-\udfff]", told)
    assert all(len(line) < 400 for line in told.splitlines())
    told.encode()


class Tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            assert name != "src"
            assert name != "href" or value.startswith("#")
            assert name != "style"  # the policy of the page would refuse it
            assert "javascript:" not in (value or "")


def tags(page):
    parser = Tags()
    parser.feed(page)
    return parser.tags


DRAWN = {"line", "text", "tspan", "circle", "rect", "path", "g", "wbr"}  # pictures make room for what is long


def not_drawn(page):
    return [tag for tag in tags(page) if tag not in DRAWN]


def test_html_holds_no_tag_that_a_name_brought(hostile, plain_pages, silent):
    for page, plain in zip((hostile.to_html(), hostile._repr_html_()), plain_pages, strict=True):
        assert not_drawn(page) == not_drawn(plain)
        assert set(tags(page)) <= {*tags(plain), *DRAWN}
        assert page.count("<script") == plain.count("<script") <= 1


def test_markdown_has_as_many_cells_as_columns(hostile):
    header, _, row, _, caption = hostile.to_markdown().splitlines()
    cells = re.split(r"(?<!\\)\|", row)
    assert len(cells) == len(re.split(r"(?<!\\)\|", header))
    assert not re.search(r"<[a-zA-Z/!]", header + row + caption)


def test_latex_has_as_many_cells_as_columns_and_no_command_of_a_name(hostile):
    lines = hostile.to_latex().splitlines()
    assert lines[2].startswith(r"\begin{tabular}")
    assert all(line.startswith("%") for line in lines[:2])
    body, row = lines[4], lines[6]  # the names stand in the header
    assert len(re.split(r"(?<!\\)&", body)) == len(re.split(r"(?<!\\)&", row)) == 7
    assert r"\input" not in body
    commands = set(re.findall(r"\\([a-zA-Z]+)", body))
    assert commands <= {
        "textbackslash", "textless", "textgreater", "approx", "ll", "gg", "texttt", "textquotedbl", "textbar",
        "textasciigrave", "textquotesingle", "textasciitilde", "textasciicircum", "dots",
    }  # fmt: skip
    assert body.encode("latin-1", errors="strict")


def test_json_comes_back_as_it_was(hostile):
    told = json.loads(hostile.to_json().encode("utf-8"))
    assert told["a"]["name"] == hostile.a


@given(odd_names)
def test_any_text_is_inert_everywhere(name):
    assert not re.search(r"[\x00-\x1f\x7f-\x9f]", writing.terminal(name))
    assert "<" not in writing.markdown(name)
    assert not re.search(
        r"(?<!\\)[$&%#_]", re.sub(r"\\textbackslash\{\}|\$\\[a-zA-Z]+\$|\$-\$", "", writing.latex(name))
    )


def test_html_is_one_page_without_requests(table, tmp_path):
    r = rw.compare(table, rope=0.05, rng=0, draws=2_000)
    page = r.to_html(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text(encoding="utf-8") == page
    assert "http://" not in page
    assert "https://" not in page
    assert "default-src 'none'" in page
    assert r.decision.text in page


def test_an_unwritable_path_is_an_error_and_leaves_nothing(table, tmp_path):
    r = rw.compare(table, rope=0.05, rng=0, draws=2_000)
    with pytest.raises(rw.errors.UnreadableFileError, match="Cannot write"):
        r.to_html(tmp_path / "no" / "r.html")
    assert not list(tmp_path.iterdir())


def test_print_gives_the_short_verdict(table):
    told = str(rw.compare(table, rope=0.05, rng=0))
    assert told.startswith("nb_mult and svm_l2 are practically equivalent: ")
    assert "7,532 paired items, class 1 is positive; 102 right by nb_mult only" in " ".join(told.split())
    assert "P(Δ > 0)" not in told
    assert "P(Δ > 0)" in rw.compare(table, rope=0.05, rng=0).to_text(details=True)
    assert "ignificant" not in told
    assert len(repr(rw.compare(table, rope=0.05, rng=0)).splitlines()) == 1


def test_the_table_has_the_papers_columns_in_their_order(news):
    told = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0, draws=2_000)
    header = told.to_markdown(papers=True).splitlines()[0]
    columns = [column.strip() for column in header.strip("|").split("|")]
    papers = ["class", "mean", "std", "ROPE BF", "LG pct", "ROPE pct", "HDI", "decision"]
    assert [column for column in columns if column != "more items"] == papers
    assert len(told.to_markdown().splitlines()) == 24  # header, rule, 20 classes, caption
    assert "each class against the rest" in told.to_text(details=True)


def test_the_first_screen_has_one_bayes_factor_and_the_page_has_both(table):
    r = rw.compare(table, rope=0.05, model="sigir2016", rng=0)
    assert r.bayes_factor.sd is not None
    rope = factor(r.bayes_factor.rope, bound=r.bayes_factor.rope_bound)
    page, card = r.to_html(), r._repr_html_()
    for told in (str(r), card, r.to_markdown(), r.to_latex(), r.sentence()):
        assert "Savage" not in told
    assert f"odds of lying in the ROPE {rope}-fold" in " ".join(r.to_text(details=True).split())
    assert f"| {rope} |" in r.to_markdown(papers=True)
    assert rope not in r.to_markdown()
    assert "Savage-Dickey at 0" in page.partition("<h2>Details</h2>")[2]
    assert "Savage-Dickey at 0" not in page.partition("<h2>Details</h2>")[0]
    assert r.to_dict()["bayes_factor"]["sd"] == r.bayes_factor.sd


@pytest.mark.parametrize("metric", ["f1", "fnr"])
@pytest.mark.parametrize("rope", [(-0.05, math.inf), (-math.inf, 0.05), (-0.001, math.inf), (0.02, math.inf)])
def test_no_surface_calls_a_one_sided_rope_equivalent(table, metric, rope):
    r = rw.compare(table, metric=metric, rope=rope, rng=0, draws=4_000)
    assert r.rope_path is None
    page = r.to_html().partition("<script")[0]
    for told in (str(r), page, r._repr_html_(), r.to_markdown(), r.to_latex(), r.sentence(), r.to_json()):
        assert "equivalent" not in " ".join(told.split()).replace("That is not “equivalent”", "")
        assert "too small to matter" not in told
    facing = rope if metric == "f1" else (-rope[1], -rope[0])
    assert ('type="range"' in page) == (facing[0] < 0 < facing[1] == math.inf)  # of the largest loss


def test_a_one_sided_rope_has_its_words_class_by_class_in_rankings_and_against_a_bar(news):
    rope = (-0.05, math.inf)
    classes = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=rope, rng=0, draws=2_000)
    ranked = rw.rank(news.outcomes, metric="accuracy", rope=rope, rng=0, draws=2_000)
    barred = rw.evaluate(news.outcomes, "svm_l2", metric="accuracy", at_least=0.65, rope=rope, rng=0, draws=2_000)
    for result in (classes, ranked, barred):
        for told in (str(result), result.to_html().partition("<script")[0], result.sentence()):
            assert "equivalent" not in " ".join(told.split()).replace("That is not “equivalent”", "")
            assert "practically" not in told
    assert "svm_l2 is not worse than the bar of 0.65 by more than 5 points of accuracy: +1" in str(barred)
    assert "nb_mult's F1 was not worse than svm_l2's by more than 0.05 on" in classes.sentence()


def test_evaluations_print_too(table):
    e = rw.evaluate(table, "svm_l2", metric=["f1", "recall"], at_least=0.7, rope=0.01, rng=0, draws=5_000)
    assert "P(F1 ≥ 0.7)" in str(e)
    assert "| metric | observed | mean | std | HDI | P(≥ 0.7) | decision |" in e.to_markdown()
    assert r"$\geq$" in e.to_latex()
    assert "svm_l2&#39;s recall" in e._repr_html_()


@pytest.mark.parametrize(
    ("share", "n", "told"),
    [
        (0.0, 50_000, "<0.1%"), (1.0, 50_000, ">99.9%"), (0.0005, 50_000, "<0.1%"), (0.9995, 50_000, ">99.9%"),
        (0.5, 50_000, "50%"), (0.5, 1_000_000, "50%"), (0.998, 50_000, "99.8%"), (0.0, 100, "<3%"), (1.0, 10, ">70%"),
        (0.996, 200, ">98%"), (0.0621, 50_000, "6.2%"), (0.0621, 1_000, "6%"), (0.91, 50_000, "91.0%"),
        (0.999, 50_000, "99.9%"),
    ],
)  # fmt: skip
def test_probabilities_print_what_the_draws_carry(share, n, told):
    assert percent(share, n) == told


def estimate(mean, std, error):
    from ropewalk.draws.intervals import Interval

    return Estimate(
        observed=None, mean=mean, std=std, mc_error=std / 224, hdi=Interval(mean - 2 * std, mean + 2 * std),
        hdi_mc_error=(error, error),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("std", "error", "places"),
    [(0.02, 0.0006, 3), (0.03, 0.0011, 2), (0.0018, 5e-5, 4), (0.2, 0.006, 2), (0, 0, 3), (50, 1.5, 0)],
)
def test_no_digit_that_the_draws_do_not_carry(std, error, places):
    assert decimals(estimate(0.5, std, error)) == places


def test_means_may_carry_more_digits_than_intervals():
    assert estimate_text(estimate(-0.061, 0.031, 0.0011), sign=True) == "-0.061 [-0.12, 0.00]"


def test_numbers():
    assert number(-0.00001, 3) == "0.000"
    assert factor(123456.7) == "120,000"
    assert factor(2.5e9) == "2.5e+09"
    assert factor(0.0) == "0"
