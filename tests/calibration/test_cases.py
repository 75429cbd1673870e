"""Every setting that was chosen to break us: intervals hold what they say, or there is no verdict and a reason."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

import ropewalk as rw
from cases import CASES, LOOSE, run

pytestmark = pytest.mark.slow

REPETITIONS = 500
MOST_WRONG = 0.025  # per side


def record(name, figures):
    """Add figures to the file that the environment names, if it does."""
    path = os.environ.get("ROPEWALK_CALIBRATION_OUT")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"study": name, **figures}) + "\n")


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "unseen" not in case.tags])
def test_an_interval_holds_what_it_says_or_there_is_no_verdict(name):
    case = CASES[name]
    figures = run(case, REPETITIONS, case.options)
    record(name, vars(figures))
    allowed = 1 - case.bound
    error = math.sqrt(allowed * (1 - allowed) / REPETITIONS)
    assert figures.missed_with_verdict <= allowed + 2 * error
    for wrong in (figures.wrong_better, figures.wrong_worse, figures.wrong_equal):
        assert wrong <= MOST_WRONG + 2 * math.sqrt(MOST_WRONG * (1 - MOST_WRONG) / REPETITIONS)


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "unseen" in case.tags])
def test_a_loss_that_nobody_saw_makes_nothing_equivalent(name):
    """No interval can hold what left no trace; but without a scale nothing is found equivalent."""
    case = CASES[name]
    assert run(case, REPETITIONS, case.options).wrong_equal == 0


# -- ranking -------------------------------------------------------------------------------------------------

BOARDS = 2_000
N_ITEMS = 500
ERROR = math.sqrt(0.8 * 0.2 / N_ITEMS)  # of a score


def boards(n_systems, spread, pool, number=BOARDS):
    """Return what the top of each board says of being the best, and how often it is."""
    rng = np.random.default_rng([n_systems, round(1e6 * (spread or 0))])
    said, true = [], []
    for seed in range(number):
        width = abs(2 * ERROR * rng.standard_cauchy()) if spread is None else spread
        skill = np.clip(rng.normal(0.8, min(width, 0.1), n_systems), 0.05, 0.999)
        scores = (rng.random((n_systems, N_ITEMS)) < skill[:, np.newaxis]).astype(float)
        r = rw.rank({str(k): row for k, row in enumerate(scores)}, metric="mean", draws=1_000, rng=seed, pool=pool)
        chances = [model.p_best for model in r.models]
        said.append(max(chances))
        true.append(int(np.argmax(chances)) == int(skill.argmax()))
    return float(np.mean(said)), float(np.mean(true))


@pytest.mark.parametrize("n_systems", [3, 5, 10, 20])
@pytest.mark.parametrize("spread", [0.5, 1.0, 3.0])
def test_the_top_of_a_board_is_the_best_as_often_as_it_says(n_systems, spread):
    said, true = boards(n_systems, spread * ERROR, pool=None)
    record("board", {"systems": n_systems, "spread": spread, "said": said, "true": true})
    assert said == pytest.approx(true, abs=0.08 + 2 * 0.5 / math.sqrt(BOARDS))


@pytest.mark.parametrize("n_systems", [3, 8])
def test_boards_whose_spread_comes_from_the_prior(n_systems):
    said, true = boards(n_systems, None, pool=None)
    record("board of the prior", {"systems": n_systems, "said": said, "true": true})
    assert said == pytest.approx(true, abs=0.03 + 2 * 0.5 / math.sqrt(BOARDS))


def test_without_pooling_the_top_says_too_much():
    said, true = boards(20, 0.5 * ERROR, pool=False, number=500)
    assert said > true + 0.1


def test_the_bounds_are_those_of_the_issue():
    assert LOOSE == 0.91
    assert {case.bound for case in CASES.values() if not case.own} == {0.91, 0.93}
