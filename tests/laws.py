"""Two samples of one law, and what a model draws of its margins."""

from __future__ import annotations

import numpy as np

from ropewalk.models.cells import UNPLACED


def sparse_margins(posterior, seed, size):
    """Draw blocks and name the margins as `brute.margins` does."""
    parts = []
    rng = np.random.default_rng(seed)
    while sum(len(p["row 0"]) for p in parts) < size:
        m = posterior.block(rng, posterior.block_size).margins()
        named = {f"row {j}": m.row[:, j] for j in range(m.row.shape[1])}
        for k, j in np.ndindex(m.tp.shape[0], m.tp.shape[2]):
            named[f"col {k + 1} {j}"], named[f"tp {k + 1} {j}"] = m.col[k, :, j], m.tp[k, :, j]
        parts.append(named)
    return {name: np.concatenate([p[name] for p in parts])[:size] for name in parts[0]}


def assert_same_law(ours, theirs, errors=4.0):
    """Means, variances and quantiles of two samples agree within so many standard errors."""
    n = len(ours) + 0.0
    gap = np.abs(ours.mean() - theirs.mean())
    assert gap <= errors * np.sqrt((ours.var() + theirs.var()) / n) + 1e-12
    fourth = [((x - x.mean()) ** 4).mean() - x.var() ** 2 for x in (ours, theirs)]
    assert abs(ours.var() - theirs.var()) <= errors * np.sqrt(sum(fourth) / n) + 1e-12
    whole = np.concatenate([ours, theirs])
    for q in (0.025, 0.25, 0.5, 0.75, 0.975):
        # How many of either sample lie below a common point is binomial, whatever the density there. What is
        # smaller than a few unplaced ends of sticks counts as 0.
        at = max(np.quantile(whole, q), 10 * UNPLACED)
        p = (whole <= at).mean()
        assert (
            abs((ours <= at).mean() - (theirs <= at).mean())
            <= errors * np.sqrt(2 * max(q * (1 - q), p * (1 - p)) / n) + 2 / n
        )


def random_counts(rng, n_labels, n_classifiers, n_items):
    """A sparse table: mostly right, an empty class, most cells never seen."""
    truth = rng.integers(0, n_labels - 1, n_items)  # the last class stays empty
    columns = [truth]
    for _ in range(n_classifiers):
        noise = rng.integers(0, n_labels, n_items)
        columns.append(np.where(rng.random(n_items) < 0.6, truth, noise))
    counts = np.zeros((n_labels,) * (1 + n_classifiers), dtype=int)
    np.add.at(counts, tuple(columns), 1)
    return counts
