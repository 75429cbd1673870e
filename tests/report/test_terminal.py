"""What a terminal shows: within its width, with names that can be told apart, and words that fit the question."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ropewalk as rw
from ropewalk.report.terminal import MAX_COLUMNS, MIN_COLUMNS, text
from ropewalk.text import writing
from ropewalk.text.headline import Finding, headline
from ropewalk.text.units import POINTS
from ropewalk.text.verdicts import Verdict
from strategies import odd_names

WIDTHS = (MIN_COLUMNS, 70, 80, 100, MAX_COLUMNS)
ALIKE = "classifier_from_the_registry_with_a_name_as_long_as_they_come_2026-11-18_bf16_lr3e-4_seed17"
NAMES = (f"{ALIKE}_challenger", f"{ALIKE}_champion")
ONE_SIDED = {"goal": "not_worse", "margin": 0.02}


@pytest.fixture(scope="module")
def arrays():
    rng = np.random.default_rng(5)
    truth = rng.integers(0, 2, 150)
    return truth, *(np.where(rng.random(150) < share, truth, 1 - truth) for share in (0.9, 0.84))


@pytest.fixture(scope="module")
def ask(arrays):
    def compare(**how):
        return rw.compare(*arrays, **{"names": NAMES, "pos_label": 1, "rng": 0, "draws": 2_000, **how})

    return compare


@pytest.fixture(scope="module")
def answers(ask, arrays):
    """Answers with tables, pictures, names and metrics of all kinds."""
    truth, a, b = arrays
    slices = np.arange(truth.size) % 3
    three = dict(zip((*NAMES, f"{ALIKE}_third"), (a, b, b[::-1]), strict=True))
    few = {"draws": 500, "rng": 0}
    return {
        "undecided": ask(rope=0.01),
        "one-sided": ask(**ONE_SIDED),
        "metrics": ask(metric=["f1", "error", "mcc"], rope=0.01),
        "metrics of two units": ask(metric=["f1", "lr_minus"]),
        "slices": ask(rope=0.01, by=slices),
        "classes": rw.compare_classes(truth, a, b, names=NAMES, rope=0.05, **few),
        "ranking": rw.rank(truth, three, metric="accuracy", rope=0.05, **few),
        "bar": rw.evaluate(truth, a, name=NAMES[0], at_least=0.8, draws=500, rng=0, **ONE_SIDED),
    }


def too_wide(told, width):
    """Return the lines that are too wide, but for a single word with what stands before it."""
    return [line for line in told.splitlines() if len(line) > width and len(line.split()) > 2]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "kind", ["undecided", "one-sided", "metrics", "metrics of two units", "slices", "classes", "ranking", "bar"]
)
def test_no_line_is_wider_than_the_terminal(answers, kind, width):
    assert too_wide(text(answers[kind], width=width), width) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_names_that_differ_in_their_ends_can_be_told_apart(answers, width):
    for kind in ("undecided", "metrics", "classes", "ranking"):
        told = text(answers[kind], width=width)
        assert "enger" in told, kind
        assert "mpion" in told, kind


def test_a_wide_terminal_shows_what_was_measured_and_a_narrow_one_leaves_it_out(ask):
    short = ask(names=("new", "old"), rope=0.01)
    assert "measured" in text(short, width=100).partition("Usual metrics")[2]
    assert "Measured: new / old." in " ".join(text(short, width=100).split())
    narrow = ask(names=("a_new_classifier", "an_old_classifier"), rope=0.01)
    told = " ".join(text(narrow, width=60).partition("Usual metrics")[2].split())
    assert "easured" not in told
    assert "improvement" in told


def test_all_metrics_have_the_decimals_of_the_headline(ask):
    told = text(ask(names=("new", "old"), rope=0.01, draws="auto"), width=100)
    size = re.search(r"([+−][\d.]+) F1 points", told)[1]
    rows = told.partition("Usual metrics")[2]
    found = re.findall(r"([+−]?[\d.]+) \[", rows)
    assert len(found) == 4
    assert found[0] == size
    assert len({len(number.partition(".")[2]) for number in found}) == 1


# -- one margin --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("goal", ["not_worse", "better"])
@pytest.mark.parametrize("metric", ["f1", "error"])
def test_both_sides_of_one_margin_say_by_how_much(ask, goal, metric):
    told = text(ask(names=("new", "old"), metric=metric, goal=goal, margin=0.02), width=100)
    word = {"not_worse": "worse", "better": "better"}[goal]
    assert re.search(rf"^  new {word} by more than 2 points +[<>\d]", told, re.MULTILINE)
    assert re.search(rf"^  new not {word} by more than 2 points +[<>\d]", told, re.MULTILINE)


@pytest.mark.parametrize("goal", ["not_worse", "better"])
def test_no_sign_of_equivalence_stands_beside_one_margin(ask, arrays, goal):
    truth, a, b = arrays
    how = {"goal": goal, "margin": 0.02}
    compared = ask(names=("new", "old"), **how)
    ranked = rw.rank(truth, {"new": a, "old": b}, metric="accuracy", draws=500, rng=0, **how)
    study = rw.power("F1 .60 against .50 at agreement .7", n=[100], simulations=20, draws=200, rng=0, **how)
    for result in (compared, ranked, study):
        for told in (text(result, details=True), text(result, papers=True), result.to_markdown(papers=True)):
            assert not re.search("[≈≪≫]", told)
            assert "equivalent" not in " ".join(told.split()).replace("That is not “equivalent”", "")


def test_the_shares_of_a_study_with_one_margin_are_named_by_its_sides():
    study = rw.power("F1 .60 against .50 at agreement .7", n=[100], simulations=20, draws=200, rng=0, **ONE_SIDED)
    head = next(line for line in text(study).splitlines() if "power" in line and "undecided" in line)
    assert re.split(r"\s{2,}", head)[3:6] == ["not worse", "worse", "undecided"]
    assert "by more than 2 points of F1" in " ".join(text(study).split())


def finding(low, high, **how):
    mean = (low + high) / 2
    estimate = SimpleNamespace(
        mean=mean, hdi=SimpleNamespace(low=low, high=high), hdi_mc_error=(1e-5, 1e-5), mc_error=1e-6
    )
    known = {"a": "new", "b": "old", "metric": "F1", "estimate": estimate, "sides": (0.1, 0.9), "n_draws": 50_000}
    return Finding(**known, unit=POINTS, higher_is_better=True, **how)


def test_a_loss_that_is_still_plausible_does_not_read_0():
    not_worse = {"rope": (-0.02, np.inf), "regions": (0.0, 1.0, 0.0), "verdict": Verdict.EQUIVALENT}
    told = headline(finding(-0.0002, 0.06, **not_worse)).lede
    assert "a loss of up to 0.02 points is still plausible" in told


def test_an_open_question_about_one_margin_is_asked_without_a_double_no():
    asked = {"rope": (-0.02, np.inf), "regions": (0.2, 0.8, 0.0), "verdict": Verdict.UNDECIDED_HIGH, "leaning": "a"}
    told = headline(finding(-0.04, 0.06, **asked))
    assert told.title.startswith("Undecided whether new is worse than old by more than 2 points of F1")
    assert told.lede.startswith("It is not, with probability 80%")


# -- a bar -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bar", "how", "told"),
    [
        (0.5, {"rope": 0.02}, "new is better than the bar of 0.5: +"),
        (0.99, {"rope": 0.02}, "new is worse than the bar of 0.99: −"),
        (0.9, {"rope": 0.3}, "new is practically at the bar of 0.9: "),
        (0.9, {"rope": 0.01}, "Undecided against the bar of 0.9"),
        (0.5, ONE_SIDED, "new is not worse than the bar of 0.5 by more than 2 points of accuracy: +"),
        (0.99, ONE_SIDED, "new is worse than the bar of 0.99 by more than 2 points of accuracy: −"),
    ],
)
def test_a_headline_against_a_bar_has_the_distance_from_it(arrays, bar, how, told):
    r = rw.evaluate(arrays[0], arrays[1], name="new", metric="accuracy", at_least=bar, draws=2_000, rng=0, **how)
    m, written = r.metrics[0], " ".join(text(r).split())
    assert m.headline.startswith(told)
    assert written.startswith(" ".join(m.headline.replace("]. ", "] ").split()))
    assert json.loads(r.to_json())["metrics"][0]["headline"] == m.headline
    distance = m.estimate.mean - bar  # what the sign and the size of the headline are of
    found = re.search(r": ([+−]?[\d.]+)", m.headline)[1].replace("−", "-")
    assert float(found) == pytest.approx(100 * distance, abs=1)


# -- sizes -------------------------------------------------------------------------------------------------


def test_a_gain_and_a_loss_have_as_many_decimals(ask):
    told = " ".join(text(ask(names=("new", "old")), width=120).split())
    gain, loss = re.search(r"gains ([\d.]+) and loses (?:under )?([\d.]+) on average, in points of F1", told).groups()
    assert len(gain.partition(".")[2]) == len(loss.partition(".")[2])


def test_the_quantiles_in_the_json_are_those_of_the_draws(ask):
    r = ask(draws=5_000)
    told, delta = json.loads(r.to_json()), r.draws.delta()
    shares = (1 - np.cos(np.pi * np.arange(201) / 200)) / 2
    assert told["dots"] == pytest.approx(np.quantile(delta, (np.arange(100) + 0.5) / 100), rel=1e-5, abs=1e-9)
    assert told["quantiles"] == pytest.approx(np.quantile(delta, shares), rel=1e-5, abs=1e-9)
    assert told["quantiles"][0] == pytest.approx(delta.min(), rel=1e-5)
    assert all(low <= high for low, high in pairwise(told["quantiles"]))


def test_lists_of_answers_have_no_quantiles(answers):
    assert all("dots" not in row for row in json.loads(answers["classes"].to_json())["classes"])
    assert all("dots" not in row for row in json.loads(answers["slices"].to_json())["by"])
    assert all("dots" in row for row in json.loads(answers["metrics"].to_json())["metrics"])
    assert "quantiles&#34;" not in answers["metrics"].to_html()


@pytest.mark.parametrize("columns", [60, 80, 120])
@pytest.mark.parametrize(
    "names",
    [
        ("anthropic/claude-opus-4-20250514 (temperature 0)", "anthropic/claude-sonnet-4-20250514 (temperature 0)"),
        ("book/atlas-7b", "book/birch-7b"),
        NAMES,
    ],
)
def test_no_two_rows_have_the_same_name(arrays, names, columns):
    truth, a, b = arrays
    third = names[1].replace("0)", "1)") + "!"
    classifiers = dict(zip((*names, third), (a, b, b[::-1]), strict=True))
    ranked = rw.rank(truth, classifiers, metric="accuracy", rope=0.05, rng=0, draws=500)
    board = text(ranked, width=columns).partition("P(best)")[2].splitlines()[1:]
    rows = [re.match(r"  [\d·] +(.*?)  +\d", line) for line in board]
    shown = [row[1] for row in rows if row]
    assert len(shown) == len(set(shown)) == 3


@given(st.lists(odd_names, min_size=2, max_size=6, unique=True), st.integers(5, 40))
def test_what_differs_is_kept_when_names_are_cut(names, letters):
    shown = writing.cut_apart(names, letters)
    assert len({*shown.values()}) == len(names)
    assert all(shown[name] == name for name in names if len(name) <= letters)


def test_latex_has_minus_signs_in_numbers_alone(arrays):
    truth, a, b = arrays
    names = ("run-2", "run-1")
    told = rw.compare(truth, b, a, names=names, metric="accuracy", rope=0.01, rng=0, draws=500).to_latex()
    assert "run{-}1?" in told
    assert "run$-$" not in told
    assert re.search(r"\$-\$\d", told)
