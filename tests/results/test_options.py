"""Every option is written once: signatures, commands and the JSON read the same list."""

from __future__ import annotations

from typing import Annotated, TypedDict, Unpack

import pytest

import ropewalk as rw
from ropewalk._checks import checked_keywords
from ropewalk.results.base import repeated
from ropewalk.results.forms import FORMS
from ropewalk.results.options import (
    GROUPS,
    CompareOptions,
    DecisionOptions,
    EvaluateOptions,
    MetricOption,
    Option,
    PlanningOptions,
    RankOptions,
    SharedOptions,
    options_of,
    with_defaults,
)

NOT_REPEATED = {
    "truth", "names", "labels", "missing", "cluster", "id", "sample_weight", "count",  # data_hash stands for the data
    "scores", "a_scores", "b_scores",  # and so for these
    "higher_is_better", "goal", "margin",  # written as the ROPE, or with the metric
    "rope", "tests", "draws",  # written with the metric, the verdict, the tests, the draws
    "cost_matrix", "threshold",  # parts of the metric, in its recipe
    "random_state", "threads", "progress",  # change no answer
    "by", "flips", "task", "over", "weights",  # written out
    "runs", "run", "run_sd", "deterministic", "fixed",  # and these too
    "human_a", "human_b", "human",  # in the key "judge"
    "unmatched",  # data_hash stands for the pairs that were kept
}  # fmt: skip


@pytest.mark.parametrize("kind", [CompareOptions, EvaluateOptions, RankOptions, PlanningOptions])
def test_every_option_has_one_line_of_help_and_a_group(kind):
    assert {"prob", "draws", "rng"} <= options_of(kind).keys()
    for name, option in options_of(kind).items():
        assert option.line.endswith((".", "…")), name
        assert len(option.help) <= 90, name
        assert option.group in GROUPS, name


def test_the_options_are_those_of_the_annotations():
    assert list(options_of(CompareOptions)) == list(CompareOptions.__annotations__)


def test_the_json_repeats_every_option_that_decides_an_answer(table):
    assert {name for name, option in options_of(CompareOptions).items() if not option.echo} == NOT_REPEATED
    for answer in (rw.compare(table, draws=100, rng=3), rw.rank(table, draws=100, rng=3)):
        assert repeated(answer.recipe, MetricOption, SharedOptions).items() <= answer.to_dict().items()
    told = rw.evaluate(table, table.names[0], draws=100, rng=3, prob=0.9, metric="accuracy").to_dict()
    assert (told["seed"], told["prob"], told["rule"], told["engine"]) == (3, 0.9, "hdi", "exact")
    assert (told["model"], told["classes"], told["prevalence"], told["pos_label"]) == ("unpaired", None, None, None)


def test_a_function_is_called_with_the_defaults_that_are_declared():
    class Light(TypedDict, total=False):
        shade: Annotated[str, Option(help="How dark.", default="grey")]
        lamp: Annotated[str | None, Option(help="Which.")]

    def paint(**options):
        return options

    paint.__annotations__["options"] = Unpack[Light]
    paint = checked_keywords(paint)
    assert paint() == {"shade": "grey"}
    assert paint(shade="black", lamp="left") == {"shade": "black", "lamp": "left"}
    assert with_defaults({"lamp": "left"}, Light) == {"shade": "grey", "lamp": "left"}


def test_the_declared_defaults_hold(table):
    declared = {
        name: option.default for name, option in options_of(CompareOptions).items() if option.default is not None
    }
    assert {"prob", "rule", "engine", "threads"} < declared.keys()
    plain, spelled = (rw.compare(table, rng=3, rope=0.05, **how).to_dict() for how in ({}, declared))
    assert plain == spelled


def test_a_new_option_is_one_line():
    class More(DecisionOptions, total=False):
        shade: Annotated[str, Option(help="How dark.", default="grey", echo="shade")]

    class Recipe:
        prob, rule, shade = 0.9, "hdi", "black"

    assert options_of(More)["shade"].default == "grey"
    assert repeated(Recipe, More) == {"prob": 0.9, "rule": "hdi", "shade": "black"}


def test_an_option_goes_with_forms_that_there_are():
    for kind in (CompareOptions, EvaluateOptions, RankOptions, PlanningOptions):
        for name, option in options_of(kind).items():
            assert option.forms, name
            assert set(option.forms) <= set(FORMS), name
