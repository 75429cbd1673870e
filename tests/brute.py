"""The multi-class models by brute force: every cell listed, nothing clever."""

from __future__ import annotations

import itertools
import math

import numpy as np


def pattern(cell):
    """Who is right (0), and which of the wrong ones agree (1, 2, … by first appearance)."""
    seen = [cell[0]]
    for label in cell[1:]:
        if label not in seen:
            seen.append(label)
    return tuple(seen.index(label) for label in cell[1:])


def base(n_classifiers, n_labels):
    """2^-K for who is right, times Ewens(1) over the partitions of the wrong ones into at most M - 1 labels."""
    cells = itertools.product(range(n_labels), repeat=n_classifiers)
    weights = {}
    for kind in {pattern((0, *cell)) for cell in cells}:
        sizes = [kind.count(block) for block in set(kind) - {0}]
        weights[kind] = math.prod(math.factorial(size - 1) for size in sizes)
    by_wrong = {}
    for kind, weight in weights.items():
        wrong = tuple(block > 0 for block in kind)
        by_wrong[wrong] = by_wrong.get(wrong, 0) + weight
    return {
        kind: 2.0**-n_classifiers * weight / by_wrong[tuple(block > 0 for block in kind)]
        for kind, weight in weights.items()
    }


def log_dirichlet(rng, shapes, size):
    """Draw by logarithms, since shapes are tiny: (len(shapes), size)."""
    shapes = np.asarray(shapes, dtype=float)[:, None]
    logs = (
        np.log(rng.standard_gamma(shapes + 1, (len(shapes), size))) + np.log(rng.random((len(shapes), size))) / shapes
    )
    logs -= logs.max(axis=0)
    weights = np.exp(logs)
    return weights / weights.sum(axis=0)


def tree(counts, rng, size, *, kappa=1.0, centre="fixed", mu_prior=1.0, label_mass=1.0):
    """Draw the outcome-type tree over an M × … × M array of counts: (cells, size) weights, all cells listed."""
    n_labels, n_classifiers = counts.shape[0], counts.ndim - 1
    cells = list(itertools.product(range(n_labels), repeat=n_classifiers + 1))
    weights = base(n_classifiers, n_labels)
    kinds = list(weights)
    if centre == "pooled":
        seen = {kind: sum(counts[cell] for cell in cells if pattern(cell) == kind) for kind in kinds}
        weights = {kind: (seen[kind] + 2 * weights[kind]) / (counts.sum() + 2) for kind in kinds}
    mu = rng.dirichlet(counts.reshape(n_labels, -1).sum(axis=1) + mu_prior, size).T
    drawn = np.zeros((len(cells), size))
    for j in range(n_labels):
        own = {kind: [i for i, cell in enumerate(cells) if cell[0] == j and pattern(cell) == kind] for kind in kinds}
        totals = [sum(counts[cells[i]] for i in own[kind]) + kappa * weights[kind] for kind in kinds]
        shares = log_dirichlet(rng, totals, size)
        for kind, share in zip(kinds, shares, strict=True):
            shapes = [counts[cells[i]] + label_mass / len(own[kind]) for i in own[kind]]
            drawn[own[kind]] = mu[j] * share * log_dirichlet(rng, shapes, size)
    return np.array(cells), drawn


def margins(cells, weights, n_labels):
    """Return every margin by name: row j, and for each classifier tp and col."""
    named = {f"row {j}": weights[cells[:, 0] == j].sum(axis=0) for j in range(n_labels)}
    for k in range(1, cells.shape[1]):
        for j in range(n_labels):
            named[f"col {k} {j}"] = weights[cells[:, k] == j].sum(axis=0)
            named[f"tp {k} {j}"] = weights[(cells[:, 0] == j) & (cells[:, k] == j)].sum(axis=0)
    return named
