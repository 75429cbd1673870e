"""A new kind of result takes one file: its class, and one function that describes it. Nothing else knows of it."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
from dataclasses import dataclass
from pathlib import Path

import pytest

import ropewalk
from ropewalk.errors import InvalidInputError
from ropewalk.report.describe import KINDS
from ropewalk.report.document import Answer, Document, Table, describe, describes, name, plain
from ropewalk.report.page_remarks import Line
from ropewalk.results import Rendered

HOSTILE = 'a|b_<script>alert("x")</script>\n{%}\u202e'


@dataclass(frozen=True, slots=True, kw_only=True)
class Coin(Rendered):
    """How often a coin fell on its head."""

    who: str
    heads: int
    throws: int

    def to_dict(self):
        return {"schema": 1, "who": self.who, "heads": self.heads, "throws": self.throws}


@describes(Coin)
def describe_coin(coin):
    answer = Answer(
        title=f"Is the coin of {name(coin.who)} fair?",
        headline=f"{name(coin.who)} threw {coin.heads} heads",
        lines=(("Data", f"{coin.throws} throws"),),
    )
    table = Table(header=("thrower", "heads"), rows=((name(coin.who), f"{coin.heads}"),), ends_in_text=False)
    return Document(
        title=answer.title,
        caption=f"Throws of {name(coin.who)}",
        answers=(answer,),
        tables=(table,),
        remarks=(Line("Warning", f"{coin.who} may cheat."),),
    )


class BentCoin(Coin):
    """A kind that is described as its base is."""


@pytest.fixture
def coin():
    return Coin(who="Ann", heads=7, throws=10)


def test_it_appears_in_text(coin):
    assert str(coin).splitlines() == [
        "Ann threw 7 heads",
        "",
        "Data      10 throws",
        "",
        "thrower  heads",
        "───────  ─────",
        "Ann          7",
        "",
        "Warning   Ann may cheat.",
    ]


def test_it_appears_in_markdown_and_latex(coin):
    assert coin.to_markdown() == "| thrower | heads |\n| --- | ---: |\n| Ann | 7 |\n\nThrows of Ann\n"
    assert coin.to_latex().startswith("% Throws of Ann\n")
    assert "Ann & 7 \\\\" in coin.to_latex()


def test_it_appears_as_a_sentence_and_as_json(coin):
    assert coin.sentence() == "Ann threw 7 heads (Throws of Ann)."
    assert json.loads(coin.to_json())["heads"] == 7


def test_it_appears_on_a_page_and_on_a_card(coin, tmp_path):
    page = coin.to_html(tmp_path / "coin.html")
    assert (tmp_path / "coin.html").read_text(encoding="utf-8") == page
    for part in (
        "<title>Is the coin of Ann fair?",
        "threw 7 heads</h1>",
        "<dd>10 throws</dd>",
        "<td>7</td>",
        "<dd>Ann may cheat.</dd>",
    ):
        assert part in page
    assert "How it was computed" in page
    assert "Ann threw 7 heads (Throws of Ann)." in page
    card = coin._repr_html_()
    assert "threw 7 heads</p>" in card
    assert "<dd>Ann may cheat.</dd>" in card


def test_a_subclass_is_described_as_its_base():
    assert describe(BentCoin(who="Ben", heads=1, throws=2)).title == describe(Coin(who="Ben", heads=1, throws=2)).title


def test_a_class_that_nobody_describes_is_refused():
    class Stranger(Rendered):
        pass

    with pytest.raises(InvalidInputError, match="Stranger"):
        str(Stranger())


def test_every_surface_escapes_the_names_of_a_new_kind():
    coin = Coin(who=HOSTILE, heads=7, throws=10)
    surfaces = (str(coin), coin.to_markdown(), coin.to_latex(), coin.sentence(), coin.to_html(), coin._repr_html_())
    for written in surfaces:
        assert "\ufdd0" not in written
        assert "\ufdd1" not in written
        assert "\u202e" not in written
    for written in surfaces[4:]:
        assert "<script>alert" not in written
    assert r"a\|b\_&lt;script&gt;" in coin.to_markdown()
    assert r"\{\%\}" in coin.to_latex()


def test_marks_of_names_cannot_be_forged():
    shout = str.upper
    assert plain(name("a\ufdd1b\ufdd0c"), shout) == "A�B�C"
    assert plain(f"x {name('y')} z", shout, shout) == "X Y Z"
    assert plain("no name", shout) == "no name"


# -- no surface asks for a kind ----------------------------------------------------------------------------

REPORT = Path(ropewalk.__file__).parent / "report"


def result_classes():
    for module in pkgutil.iter_modules(ropewalk.results.__path__):
        importlib.import_module(f"ropewalk.results.{module.name}")
    kinds, open_kinds = set(), [Rendered, ropewalk.results.MetricPosterior]
    while open_kinds:
        kind = open_kinds.pop()
        if kind.__module__.startswith("ropewalk."):
            kinds.add(kind.__name__)
        open_kinds += kind.__subclasses__()
    return kinds


def names_asked(source):
    """Yield every name that stands in the second place of isinstance or issubclass, or as a class in a match."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in {"isinstance", "issubclass"}:
            for part in ast.walk(node.args[1]):
                yield from filter(None, (getattr(part, "id", None), getattr(part, "attr", None)))
        elif isinstance(node, ast.MatchClass):
            yield getattr(node.cls, "id", None) or node.cls.attr


def test_nothing_in_the_report_asks_which_kind_a_result_is():
    kinds = result_classes()
    assert {"Comparison", "Evaluation", "Ranking", "Plan", "RocCurve", "ForeignComparison"} <= kinds
    for path in sorted(REPORT.rglob("*.py")):
        asked = kinds & set(names_asked(path.read_text(encoding="utf-8")))
        assert not asked, f"{path.name} asks for {asked}"


def test_a_question_for_a_kind_would_be_found():
    source = "isinstance(r, Comparison | int)\nmatch r:\n    case results.Ranking():\n        pass"
    assert {"Comparison", "Ranking"} <= set(names_asked(source))


def test_the_list_of_kinds_is_that_of_the_functions_that_describe_them():
    marked = {}
    for path in sorted((REPORT / "describe").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for mark in getattr(node, "decorator_list", []):
                if ast.unparse(mark).startswith("describes("):
                    marked |= dict.fromkeys((ast.unparse(kind) for kind in mark.args), path.stem)
    assert marked == KINDS


def test_renderers_know_no_results():
    source = (REPORT / "render.py").read_text(encoding="utf-8")
    assert "ropewalk.results" not in source
