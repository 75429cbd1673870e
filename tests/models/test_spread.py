"""Sticks of outcome types that are summed by sets of classifiers: the sums of writing every label out."""

from __future__ import annotations

import numpy as np
import pytest

import ropewalk as rw
from laws import assert_same_law
from ropewalk.draws.blocks import generator
from ropewalk.metrics import parse_metric
from ropewalk.metrics.margins import Loose
from ropewalk.models import LearnedTree, Tree, draw_psi
from ropewalk.models import spread as module
from ropewalk.models.cells import break_sticks, depths_of, draw_labels, patterns_of, write_codes
from ropewalk.models.spread import Owners, SpreadTypes


def table(n_labels, n_classifiers, n_items=60):
    rng = np.random.default_rng(n_labels + n_classifiers)
    y = rng.integers(0, n_labels, n_items)
    predictions = [
        np.where(rng.random(n_items) < 0.7, y, rng.integers(0, n_labels, n_items)) for _ in range(n_classifiers)
    ]
    return rw.Outcomes.from_arrays(y, *predictions, labels=range(n_labels))


def sums(loose, shape):
    tp, col = np.zeros(shape), np.zeros(shape)
    loose.add_to(tp, col)
    return tp, col


@pytest.mark.parametrize("most_sums", [module.MAX_SUMS, 1_000, 1])
@pytest.mark.parametrize(("n_labels", "n_classifiers"), [(2, 7), (3, 1), (4, 2), (3, 4), (5, 3), (12, 12)])
def test_sums_by_sets_are_those_of_every_label(n_labels, n_classifiers, most_sums, monkeypatch):
    monkeypatch.setattr(module, "MAX_SUMS", most_sums)
    for model in (Tree(), LearnedTree()):
        loose = model.fit(table(n_labels, n_classifiers)).block(generator(1, 0), 20).loose
        assert isinstance(loose, SpreadTypes)
        written = Loose(loose.codes, loose.draw, loose.weights)
        shape = (n_classifiers, n_labels, 20)
        for ours, theirs in zip(sums(loose, shape), sums(written, shape), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
        np.testing.assert_allclose(loose.by_truth(shape[1:]), written.by_truth(shape[1:]), rtol=0, atol=1e-12)


def test_more_classifiers_than_a_number_has_bits(rng):
    """Seventy classifiers, some of which are wrong alike, and two draws."""
    rows = np.concatenate([np.zeros((40, 1)), rng.integers(0, 4, (40, 70))], axis=1).astype(np.int32)
    patterns = patterns_of(rows)
    owners = Owners(0, patterns, np.arange(40), np.zeros(40, dtype=np.int32), np.arange(40) % 2, rng.random(40))
    owner, weights = break_sticks(rng, owners.mass, 1.0, np.ones(40))
    labels = draw_labels(rng, owners.truth.take(owner), depths_of(patterns).take(owner), 6)
    loose = SpreadTypes(owners, owner, weights, labels)
    codes = write_codes(owners.truth.take(owner), patterns, owner, labels)
    expected = sums(Loose(codes, owners.draw.take(owner), weights), (70, 6, 2))
    for ours, theirs in zip(sums(loose, (70, 6, 2)), expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)


def test_wrong_labels_of_an_outcome_differ_and_are_equally_likely(rng):
    n, n_labels = 30_000, 4
    truth = np.full(n, 1, dtype=np.int32)
    (every, first), (some, second) = draw_labels(rng, truth, np.repeat([1, 2], n // 2), n_labels)
    assert every is None
    assert some.tolist() == list(range(n // 2, n))
    assert not (first == 1).any()
    assert not ((second == 1) | (second == first[some])).any()
    for labels in (first, second):
        shares = np.bincount(labels, minlength=n_labels)[[0, 2, 3]] / labels.size
        assert np.abs(shares - 1 / 3).max() < 4.5 * np.sqrt(2 / 9 / labels.size)


def test_sticks_may_end_at_a_hundredth_of_an_item(monkeypatch):
    """Three classifiers and more: the law of their scores is that of sticks ten times as fine."""
    posterior, metric = LearnedTree().fit(table(4, 4, 200)), parse_metric("macro_f1")
    assert posterior.tree._unplaced == pytest.approx(1e-5)
    coarse = draw_psi([posterior], metric, stop=4_000, seed=0)
    finer = LearnedTree().fit(table(4, 4, 200))
    monkeypatch.setattr("ropewalk.models.tree._MAX_UNPLACED", 1e-6)
    fine = draw_psi([finer], metric, stop=4_000, seed=1)
    assert finer.tree._unplaced == pytest.approx(1e-6)
    for ours, theirs in zip(coarse, fine, strict=True):
        assert_same_law(ours, theirs, errors=4.5)
    assert LearnedTree().fit(table(4, 2)).tree._unplaced == pytest.approx(1e-6)
