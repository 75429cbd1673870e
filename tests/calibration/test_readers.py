"""Coverage of shared readers: all of them read all cases with both methods, as in Roe and Metz (1997), by the AUC.

A score is the sum of a method's mean, and of normal effects of the reader, of the case, of all pairs of these with the
method, and of an error: of the eight settings of that paper here are cases that hardly or that clearly differ, and
readers that do. The area that readers like these have on average is known in closed form.
With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from calibration.test_multiclass import record

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::ropewalk.errors.RopewalkWarning")]

# Variances of a reader, alone and with a method; a case; case and method; case and reader; error.
STRUCTURES = {
    "low, low": (0.0055, 0.1, 0.1, 0.2, 0.6),
    "high, low": (0.0055, 0.3, 0.3, 0.2, 0.2),
    "low, high": (0.03, 0.1, 0.1, 0.2, 0.6),
    "high, high": (0.03, 0.3, 0.3, 0.2, 0.2),
}
READERS = (2, 3, 5, 10)
ALIKE, APART = (0.855, 0.855), (0.9, 0.82)
STUDIES = 200


def study(rng, structure, n_readers, n_cases, areas):
    """Return the classes of cases, and readers' scores with either method; half of the cases are positive."""
    reader, case, of_method, of_reader, error = (math.sqrt(v) for v in STRUCTURES[structure])
    truth = np.repeat([0, 1], n_cases // 2)
    levels = rng.normal(0, reader, (1, n_readers, 2)) + rng.normal(0, reader, (2, n_readers, 2))
    means = math.sqrt(2) * stats.norm.ppf(areas)[:, None, None]
    shape = 2, n_readers, n_cases
    scores = means * truth + levels[:, :, truth] + rng.normal(0, case, n_cases)
    scores += (
        rng.normal(0, of_method, (2, 1, n_cases)) + rng.normal(0, of_reader, shape[1:]) + rng.normal(0, error, shape)
    )
    return truth, *scores


def expected_area(structure, area):
    """The area of readers like these, on average, where one of no effect has `area`."""
    reader, *others = STRUCTURES[structure]
    return stats.norm.cdf(math.sqrt(2) * stats.norm.ppf(area) / math.sqrt(2 * (sum(others) + 2 * reader)))


@cache
def shares(structure, n_readers, n_cases=300, areas=ALIKE, **options):
    """Return how often the interval holds the difference, lies above it and below it, and its mean width."""
    first, second = (expected_area(structure, area) for area in areas)
    rng = np.random.default_rng([list(STRUCTURES).index(structure), n_readers, n_cases, round(1000 * areas[0])])
    found = []
    for seed in range(STUDIES):
        asked = {"runs": "shared", "metric": "roc_auc", "pos_label": 1, "draws": 2_000, "rng": seed, **options}
        low, high = rw.compare(*study(rng, structure, n_readers, n_cases, areas), **asked).hdi
        found.append((low <= first - second <= high, low > first - second, high < first - second, high - low))
    figures = np.mean(found, axis=0)
    told = dict(zip(("held", "above", "below", "width"), figures.tolist(), strict=True))
    record("readers", structure=structure, readers=n_readers, cases=n_cases, areas=areas, **options, figures=told)
    return figures


def error_of(share, studies=STUDIES):
    """Two standard errors of a share."""
    return 2 * math.sqrt(share * (1 - share) / studies)


def assert_holds(found):
    held, above, below, _ = found
    assert held >= 0.92 - error_of(0.92)
    assert max(above, below) * STUDIES <= stats.binom.isf(0.01 / (2 * len(CELLS)), STUDIES, 0.025)


CELLS = [(structure, n) for structure in ("low, low", "high, high") for n in READERS]


@pytest.mark.parametrize(("structure", "n_readers"), CELLS)
def test_intervals_hold_what_they_promise(structure, n_readers):
    assert_holds(shares(structure, n_readers))


@pytest.mark.parametrize(
    ("structure", "n_readers", "n_cases", "areas"),
    [("high, high", 5, 50, ALIKE), ("high, high", 3, 300, APART), ("low, high", 5, 300, (0.961, 0.961)),
     ("high, low", 10, 300, APART)],
)  # fmt: skip
def test_few_cases_and_other_areas_are_covered_too(structure, n_readers, n_cases, areas):
    assert_holds(shares(structure, n_readers, n_cases, areas))


def test_readers_that_see_no_difference_call_none():
    """All cells with equal methods together: per side one in forty, and two standard errors."""
    _, above, below, _ = np.mean([shares(*cell) for cell in CELLS], axis=0)
    assert max(above, below) <= 0.025 + error_of(0.025, STUDIES * len(CELLS))


def test_ignoring_that_readers_differ_fails():
    """The negative control: these three readers, taken as all that there are."""
    held, *_ = shares("high, high", 3, fixed="runs")
    assert held < 0.92 - error_of(0.92)
