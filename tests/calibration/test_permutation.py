"""The permutation test keeps its level: of data sets without a difference it rejects one in twenty at .05."""

from __future__ import annotations

import numpy as np
import pytest

from ropewalk import classical

REPETITIONS, PERMUTATIONS = 4_000, 499


@pytest.mark.slow
@pytest.mark.parametrize(("n", "prevalence", "accuracy", "copied"), [
    (100, (0.25, 0.25, 0.25, 0.25), 0.7, 0.0),
    (300, (0.6, 0.2, 0.1, 0.06, 0.04), 0.8, 0.5),
    (1_000, (0.05,) * 20, 0.65, 0.6),
])  # fmt: skip
def test_type_one_error_for_macro_f1(n, prevalence, accuracy, copied):
    """Both classifiers err alike, and say the same on a share `copied` of the items."""
    rng = np.random.default_rng(2016)
    m, rejected = len(prevalence), 0
    for _ in range(REPETITIONS):
        y = rng.choice(m, size=n, p=prevalence)
        a, b = (np.where(rng.random(n) < accuracy, y, (y + rng.integers(1, m, size=n)) % m) for _ in range(2))
        b = np.where(rng.random(n) < copied, a, b)
        found = classical.permutation(
            y, a, b, labels=range(m), metric="macro_f1", n_permutations=PERMUTATIONS, rng=rng
        )  # fmt: skip
        rejected += found.p_value <= 0.05
    error = np.sqrt(0.05 * 0.95 / REPETITIONS)
    assert abs(rejected / REPETITIONS - 0.05) <= 3 * error
