"""What is no number where one is asked for: every option of every command refuses it, by name and with what to do."""

from __future__ import annotations

import math

import numpy as np
import pytest

import ropewalk as rw
from ropewalk.cli.app import COMMANDS, app
from ropewalk.errors import InvalidInputError, RopewalkError
from ropewalk.models.cells import log_base_weights
from ropewalk.results.parsing import (
    parse_number,
    parse_numbers,
    parse_pairs,
    parse_rope,
    parse_share,
    parse_texts,
    parse_whole,
)

ROWS = "y,a,b\n" + "".join(f"{i % 2},{i % 3 % 2},{i % 5 % 2}\n" for i in range(40))
SCENARIO = "F1 .6 against .5 at agreement .7"
NO_NUMBERS = ("", "many", "１２", "nan", "5;6", "1__0", "--", "9" * 400, "1e400")
LINES = {
    "compare": ("{}", "--truth", "y", "--a", "a", "--b", "b"),
    "evaluate": ("{}", "--truth", "y", "--prediction", "a"),
    "rank": ("{}", "--truth", "y", "--predictions", "a,b"),
    "test": ("{}", "--truth", "y", "--a", "a", "--b", "b"),
    "power": (SCENARIO, "--n", "50", "--rope", "5%"),
    "plan": (SCENARIO, "--rope", "5%"),
    "stopping": (SCENARIO, "--rope", "5%"),
    "watch": ("{}", "--truth", "y", "--a", "a", "--b", "b", "--require", "better"),
    "reproduce": ("sigir2016",),
    "demo": (),
}  # fmt: skip


def numeric(command):
    """Return the options of a command that take a number."""
    return {
        command._flags[name]: option.parse for name, option in command._options.items() if option.parse in (int, float)
    }


def test_every_option_that_takes_a_number_refuses_what_is_none(run, tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    tried = 0
    for name in COMMANDS:
        for flag, kind in numeric(app.get_command(None, name)).items():
            for text in (*NO_NUMBERS, *(("inf", "0.5", "1e3") if kind is int else ("0,5", "05"))):
                line = (part.format(tmp_path / "data.csv") for part in LINES.get(name, ("{}",)) if part != flag)
                code, out, err = run(name, *line, f"{flag}={text}")
                assert (code, out) == (2, ""), (name, flag, text, err)
                assert err.startswith(f"Error: {flag} "), (name, flag, text, err)
                assert "\nHint: " in err, (name, flag, text)
                assert len(err) < 300
                tried += 1
    assert tried > 300


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (("compare", "--threads", "0"), "--threads"),
        (("compare", "--threads", "100000000"), "--threads"),
        (("compare", "--seed", "-1"), "--seed"),
        (("compare", "--seed", "9" * 40), "--seed"),
        (("compare", "--draws", "0"), "--draws"),
        (("compare", "--draws", "9" * 12), "--draws"),
        (("compare", "--draws", "0.5"), "--draws"),
        (("compare", "--prob", "0"), "--prob"),
        (("compare", "--prob", "1"), "--prob"),
        (("compare", "--prob", "1e-320"), "--prob"),
        (("compare", "--prob", "inf"), "--prob"),
        (("compare", "--rope", "0"), "--rope"),
        (("compare", "--rope", "1e308"), "--rope"),
        (("compare", "--rope", "0.01,0.02,0.03"), "--rope"),
        (("compare", "--labels", "0\n1"), "--labels"),
        (("compare", "--labels", '"0,1'), "--labels"),
        (("compare", "--prevalence", "0.5\n0.5"), "--prevalence"),
        (("compare", "--prevalence", "0,5"), "--prevalence"),
        (("compare", "--prevalence", "0=.5,0=.5"), "--prevalence"),
        (("compare", "--metric", "accuracy\nf1"), "--metric"),
        (("rank", "--predictions", "a\nb"), "--predictions"),
        (("evaluate", "--at-least", "inf"), "--at-least"),
        (("power", "--n-jobs", "1000000"), "--n-jobs"),
        (("power", "--n-jobs", "-1000000"), "--n-jobs"),
        (("power", "--n-jobs", "0"), "--n-jobs"),
        (("power", "--n", "1e23"), "--n"),
        (("power", "--n", "0.5"), "--n"),
        (("power", "--prob", "1e-320"), "--prob"),
        (("plan", "--power", "1"), "--power"),
        (("plan", "--max-n", "1" + "0" * 23), "--max-n"),
        (("plan", "--simulations", "0"), "--simulations"),
        (("stopping", "--batch", "0"), "--batch"),
    ],
)  # fmt: skip
def test_a_number_out_of_range_names_its_option(run, tmp_path, line, named):
    (tmp_path / "data.csv").write_text(ROWS)
    name, *said = line
    start = [part.format(tmp_path / "data.csv") for part in LINES[name]]
    if said[0] in start:
        del start[start.index(said[0]) : start.index(said[0]) + 2]
    code, out, err = run(name, *start, *said)
    assert (code, out) == (2, ""), err
    assert named in err.splitlines()[0]
    assert "\nHint: " in err


@pytest.mark.parametrize("text", ["0,01", "0,05", "-0,01", "01", "05", "0,010", "1,05", "0,01%", "f1=01"])
def test_a_decimal_comma_of_a_rope_is_named(text):
    with pytest.raises(InvalidInputError, match=r"--rope holds '-?0\d+', as after a decimal comma") as caught:
        parse_rope(text, "--rope")
    assert "decimal point" in caught.value.hint


def test_what_is_written_well_is_read():
    assert parse_rope("-0.03,inf", "--rope") == [-0.03, math.inf]
    assert parse_rope("0,1", "--rope") == [0.0, 1.0]
    assert parse_rope("1%", "--rope") == 0.01
    assert parse_rope("f1=0.01,recall=2%", "--rope") == {"f1": 0.01, "recall": 0.02}
    assert parse_numbers("0, .5,1e-3,+7.", "--scale") == [0.0, 0.5, 0.001, 7.0]
    assert (parse_whole("1_000", "--draws"), parse_whole(" 7 ", "--n"), parse_whole("-3", "--n-jobs")) == (1_000, 7, -3)
    assert (parse_number("-inf", "--x"), parse_share("2%", "--margin")) == (-math.inf, 0.02)
    assert parse_texts('"x,1",y', "--labels") == ["x,1", "y"]
    assert parse_pairs("a=b=1,c=2", "--rope") == {"a=b": "1", "c": "2"}


@pytest.mark.parametrize("text", ["a,b=1", "a=1,a=2"])
def test_pairs_have_a_value_and_come_once(text):
    with pytest.raises(InvalidInputError, match=r"^--rope: 'a' (has no value|comes twice) in"):
        parse_pairs(text, "--rope")


@pytest.mark.parametrize(
    "rope", [10**400, -(10**400), 10**5_000, (-(10**400), 1)], ids=["large", "small", "larger", "pair"]
)
def test_numbers_that_no_float_holds_are_refused(table, rope):
    with pytest.raises(InvalidInputError, match="rope"):
        rw.compare(table, rope=rope)


class Silent:
    def __repr__(self):
        raise RuntimeError("hostile")


@pytest.mark.parametrize("name", ["rope", "prob", "draws", "threads", "rng", "metric", "model", "rule", "missing"])
def test_a_value_that_cannot_be_written_out_is_refused_all_the_same(name):
    for value in (Silent(), 10**5_000):
        with pytest.raises(InvalidInputError, match=name):
            rw.compare([1, 0], [1, 0], [1, 1], **{name: value})


@pytest.mark.parametrize("text", ["x" * 300, "F1 .6 against .5 " * 40, "x" * 100_000])
def test_words_of_any_length_are_words_and_no_path(run, text):
    code, out, err = run("power", text, "--n", "50")
    assert (code, out) == (2, "")
    assert err.startswith("Error: Cannot read the scenario")


def test_many_classifiers_that_are_all_wrong_have_a_prior():
    """180! is more than a float holds, and the prior of a type divides by it."""
    told = [["abcdefg"[i * k % 7] for i in range(3)] for k in range(180)]
    outcomes = rw.Outcomes.from_arrays(["x"] * 3, *told)
    block = rw.models.LearnedTree().fit(outcomes).block(np.random.default_rng(0), 1)
    assert np.isfinite(block.margins().tp).all()
    everyone_apart = np.arange(1, 181)[None]  # 180 classifiers, each wrong in a way of its own
    assert log_base_weights(everyone_apart, 10**6)[0] == pytest.approx(-180 * math.log(2) - math.lgamma(181))


@pytest.mark.parametrize("metric", ["f1", "recall", "precision", "macro_f1", "balanced_accuracy"])
def test_a_class_mix_without_a_class_is_refused_where_its_own_value_would_be_divided_by_nothing(run, tmp_path, metric):
    (tmp_path / "data.csv").write_text(ROWS)
    line = ("compare", tmp_path / "data.csv", *LINES["compare"][1:], "--metric", metric, "--draws", "100")
    code, out, err = run(*line, "--prevalence", "0" if "_" not in metric else "0,1")
    assert (code, out) == (2, "")
    assert "--prevalence` leaves no items of '" in err
    assert run(*line, "--prevalence", "0.01" if "_" not in metric else "0.01,0.99")[0] == 0


@pytest.mark.parametrize(
    ("metric", "share", "code"), [("accuracy", "0", 0), ("f1", "1", 0), ("fpr", "1", 2), ("fpr", "0", 0)]
)
def test_a_class_mix_of_one_class_is_taken_where_it_means_something(run, tmp_path, metric, share, code):
    (tmp_path / "data.csv").write_text(ROWS)
    line = ("compare", tmp_path / "data.csv", *LINES["compare"][1:], "--metric", metric, "--draws", "100")
    assert run(*line, "--prevalence", share)[0] == code


def test_costs_that_no_sum_could_hold_are_bad_data(run, tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    (tmp_path / "c.csv").write_text("0,1e308\n1e308,0\n")
    line = ("compare", tmp_path / "data.csv", *LINES["compare"][1:], "--metric", "cost")
    code, out, err = run(*line, "--cost-matrix", tmp_path / "c.csv", "--json")
    assert (code, out) == (4, "")
    assert "line 1: '1e308' is not a finite number" in err
    with pytest.raises(InvalidInputError, match="finite numbers, of at most 1e"):
        rw.metrics.cost([[0, 1e308], [1, 0]])


def test_the_error_of_one_draw_is_unknown_and_not_nothing(run, tmp_path):
    (tmp_path / "data.csv").write_text(ROWS)
    line = (tmp_path / "data.csv", "--truth", "y", "--draws", "1", "--details")
    for ask in (("compare", *line, "--a", "a", "--b", "b"), ("rank", *line, "--predictions", "a,b")):
        code, out, _ = run(*ask, "--rope", "5%")
        assert code == 0
        assert "HDI ends are of unknown error" in " ".join(out.split())


@pytest.mark.parametrize("tune", [10**6 + 1, 10**12, 10**400])
def test_steps_of_tuning_have_a_bound(tune):
    with pytest.raises(InvalidInputError, match=r"`tune` must be a whole number from 0 to 1,000,000"):
        rw.Sampler(tune=tune)


@pytest.mark.parametrize(
    "asked",
    [
        {"cost_matrix": 10**400, "metric": "cost"},
        {"labels": np.array(1)},
        {"classes": np.array(1)},
        {"cluster": [[1], [1, 2]] * 10},
        {"id": [[1], [1, 2]] * 10},
        {"sample_weight": [object()] * 20},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_values_of_a_foreign_shape_are_refused_with_what_to_do(asked):
    y = [0, 1, 1, 0, 1] * 4
    with pytest.raises(RopewalkError) as caught:
        rw.compare(y, y, y[::-1], draws=20, rng=0, **asked)
    assert caught.value.hint


@pytest.mark.parametrize(("flag", "share", "said"), [("--prob", "0.9", "90%"), ("--at-least", "0.8", "80%")])
def test_per_cent_is_the_share(run, flag, share, said):
    line = ("evaluate", rw.examples.news20_path(), "--truth", "y_true", "--prediction", "svm_l2", "--draws", "200")
    assert run(*line, "--seed", "1", flag, said) == run(*line, "--seed", "1", flag, share)


@pytest.mark.parametrize("flag", ["--prob", "--threshold"])
def test_the_example_of_an_error_makes_sense(flag):
    with pytest.raises(InvalidInputError) as caught:
        parse_share("much", flag)
    assert 0.5 <= parse_share(caught.value.hint.split()[-1], flag) < 1


def test_an_option_that_needs_a_file_takes_no_other_option(run):
    code, _, err = run("compare", rw.examples.news20_path(), "--items", "--html", "page.html")
    assert code == 2
    assert "--items takes the name of a file" in err


@pytest.mark.parametrize("command", ["compare", "rank"])
def test_two_tables_are_no_logs(run, tmp_path, command):
    for name in ("part1.csv", "part2.csv"):
        (tmp_path / name).write_text("y,a,b\n1,1,0\n0,0,0\n")
    code, _, err = run(command, tmp_path / "part1.csv", tmp_path / "part2.csv", "--truth", "y")
    assert code == 2
    assert "'part*.csv'" in err
    assert "logs" not in err
    assert ("--file-a" in err) is (command == "compare")
