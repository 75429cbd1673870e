"""The logarithm of the gamma function is SciPy's, which takes longer to import than a comparison to draw."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from ropewalk.draws import log_gamma as module
from ropewalk.draws.log_gamma import log_gamma

NUMBERS = np.concatenate([np.geomspace(1e-250, 1e15, 20_000), np.arange(1, 3_000) / 2])


def test_it_is_that_of_scipy():
    # Where a compiler fuses a product and a sum, the last bit may differ.
    np.testing.assert_allclose(log_gamma(NUMBERS), gammaln(NUMBERS), rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("few", [0, 10**6])
def test_few_numbers_and_many_keep_their_shape(monkeypatch, few):
    monkeypatch.setattr(module, "_FEW", few)
    table = NUMBERS[-6:].reshape(2, 3)
    np.testing.assert_allclose(log_gamma(table), gammaln(table), rtol=1e-15)


def test_of_no_numbers_there_are_none():
    assert log_gamma(np.empty((0, 3))).shape == (0, 3)
