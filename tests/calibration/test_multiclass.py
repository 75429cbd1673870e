"""Calibration of the multi-class models: intervals cover what they say, and ranks of the truth are uniform.

With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file, one JSON object a line.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import ropewalk as rw
from ropewalk.draws.intervals import hdi
from ropewalk.metrics import Cells, Margins, Weighted, parse_metric
from ropewalk.models import Icdm2015, Tree

pytestmark = pytest.mark.slow

REPEATS = {3: 2_000, 20: 500, 50: 500}  # by the number of classes: three are quick, and more is surer
DRAWS = 2_000
BLOCK = 250
METRICS = {name: parse_metric(name) for name in ("macro_f1", "accuracy")}
ENOUGH = 10  # items that the smallest class must have, on average, for the strict bounds


def record(study, **figures):
    """Add figures to the file that the environment names, if it does."""
    path = os.environ.get("ROPEWALK_CALIBRATION_OUT")
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"study": study, **figures}) + "\n")


# -- simulated classifiers -----------------------------------------------------------------------------------


def class_shares(n_labels, mix):
    """The same for every class, or 1/rank."""
    shares = np.ones(n_labels) if mix == "balanced" else 1 / np.arange(1, n_labels + 1)
    return shares / shares.sum()


def joint_distribution(rng, recalls, mix, agreement):
    """Return the probabilities (M, M, M) of truth, A and B, which have the `recalls` (2, M).

    Wrong labels of a class have shares 1/rank in an order of its own: on 20 newsgroups the commonest wrong label
    takes 28% of a class's errors and the second 15%, just so. With probability `agreement` an item is as hard for the
    one as for the other: the better classifier is right wherever the worse one is, and if both are wrong they say
    the same. Otherwise they answer independently. So each has its own confusion matrix, whatever the agreement.
    """
    n_labels = recalls.shape[1]
    shares = class_shares(n_labels, mix)
    ranks = 1 / np.arange(1, n_labels)
    joint = np.empty((n_labels,) * 3)
    for j, (a, b) in enumerate(recalls.T):
        wrong, right = np.zeros(n_labels), np.eye(n_labels)[j]
        wrong[rng.permutation(np.delete(np.arange(n_labels), j))] = ranks / ranks.sum()
        alike = min(a, b) * np.outer(right, right) + (1 - max(a, b)) * np.diag(wrong)
        alike += max(a - b, 0) * np.outer(right, wrong) + max(b - a, 0) * np.outer(wrong, right)
        apart = np.outer(a * right + (1 - a) * wrong, b * right + (1 - b) * wrong)
        joint[j] = shares[j] * (agreement * alike + (1 - agreement) * apart)
    return joint


def simulate(rng, joint, n_items):
    """Draw a test set."""
    return rw.Outcomes.from_counts(rng.multinomial(n_items, joint.reshape(-1)).reshape(joint.shape), names=["A", "B"])


@dataclass(frozen=True)
class Summed:
    """Tables whose margins are summed once, for several metrics."""

    n_labels: int
    summed: Margins

    def margins(self):
        return self.summed


def scores(table, metrics=METRICS):
    """Return every metric of one and the same tables, each (K, D)."""
    summed = Summed(table.n_labels, table.margins())
    return {name: metric(summed) for name, metric in metrics.items()}


def posterior_scores(rng, posterior, draws=DRAWS, metrics=METRICS):
    """Draw every metric from the same tables, each (K, draws)."""
    parts = [scores(posterior.block(rng, BLOCK), metrics) for _ in range(draws // BLOCK)]
    return {name: np.concatenate([part[name] for part in parts], axis=1) for name in metrics}


def true_scores(joint):
    """Return every metric of the distribution itself, each (K,)."""
    codes = np.argwhere(joint > 0).astype(np.int32)
    found = scores(Weighted(Cells(codes, len(joint)), joint[joint > 0][:, np.newaxis]))
    return {name: psi[:, 0] for name, psi in found.items()}


def covers(draws, truth):
    """Whether the 95% HDI of the draws holds the truth."""
    found = hdi(np.sort(draws), 0.95)
    return bool(found.low <= truth <= found.high)


# -- coverage of differences ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Setting:
    """Where a simulation stands in the grid."""

    n_labels: int
    n_items: int
    mix: str
    agreement: float

    @property
    def smallest(self):
        """How many items the smallest class has, on average."""
        return self.n_items * float(class_shares(self.n_labels, self.mix).min())

    def generator(self):
        return np.random.default_rng([1, self.n_labels, self.n_items, len(self.mix), round(100 * self.agreement)])

    def __str__(self):
        return f"{self.n_labels}-{self.n_items}-{self.mix}-{self.agreement}"


SETTINGS = [
    Setting(n_labels, n_items, mix, agreement)
    for n_labels in (3, 20, 50)
    for n_items in (200, 1_000, 5_000)
    for mix in ("balanced", "zipf")
    for agreement in (0.5, 0.9)
]
LARGE = [setting for setting in SETTINGS if setting.smallest >= ENOUGH]


@cache
def coverage(setting):
    """Return for each metric how often the 95% HDI of the difference held the true one."""
    rng = setting.generator()
    drawing = rng.spawn(1)[0]  # of its own, so that the test sets stay the same whatever the sampler does
    joint = joint_distribution(rng, rng.uniform(0.5, 0.9, (2, setting.n_labels)), setting.mix, setting.agreement)
    truth = true_scores(joint)
    hits = dict.fromkeys(METRICS, 0)
    repeats = REPEATS[setting.n_labels]
    for _ in range(repeats):
        drawn = posterior_scores(drawing, Tree().fit(simulate(rng, joint, setting.n_items)))
        for name, psi in drawn.items():
            hits[name] += covers(psi[0] - psi[1], truth[name][0] - truth[name][1])
    found = {name: count / repeats for name, count in hits.items()}
    deltas = {name: float(psi[0] - psi[1]) for name, psi in truth.items()}
    record("coverage", **asdict(setting), smallest=setting.smallest, repeats=repeats, delta=deltas, coverage=found)
    return found


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_the_95_percent_hdi_covers_the_true_difference(setting):
    low, high = (0.92, 0.985) if setting in LARGE else (0.90, 1.0)
    assert all(low <= share <= high for share in coverage(setting).values()), coverage(setting)


@pytest.mark.parametrize("name", METRICS)
def test_coverage_of_the_difference_is_right_on_average(name):
    """Over the settings whose smallest class has at least 10 items on average; what was run above is not run again."""
    assert 0.94 <= np.mean([coverage(setting)[name] for setting in LARGE]) <= 0.97


# -- a single score: why `evaluate` has the pooled centre ----------------------------------------------------


@pytest.mark.parametrize("n_items", [200, 500, 1_000])
def test_the_pooled_centre_covers_a_single_macro_f1_better(n_items):
    rng = np.random.default_rng([2, n_items])
    drawing = rng.spawn(1)[0]
    joint = joint_distribution(rng, rng.uniform(0.5, 0.9, (2, 20)), "balanced", 0.5)
    truth = true_scores(joint)
    hits = {f"{centre} {name}": 0 for centre in ("fixed", "pooled") for name in METRICS}
    repeats = 200
    for _ in range(repeats):
        table = simulate(rng, joint, n_items).project(["A"])
        for centre in ("fixed", "pooled"):
            drawn = posterior_scores(drawing, Tree(paired=False, centre=centre).fit(table))
            for name, psi in drawn.items():
                hits[f"{centre} {name}"] += covers(psi[0], truth[name][0])
    found = {name: count / repeats for name, count in hits.items()}
    record("single score", n_items=n_items, repeats=repeats, coverage=found)
    assert found["pooled macro_f1"] >= found["fixed macro_f1"]  # on the same test sets


# -- simulation-based calibration ----------------------------------------------------------------------------


RANKED = 199  # posterior draws, so that there are 200 ranks
SCORES = {**METRICS, "f1 of a class": parse_metric("f1").at(0), "precision of a class": parse_metric("precision").at(0)}


def rank(rng, draws, truth):
    """Return how many draws lie below the truth; ties, as a score of 1 has them, are broken at random.

    Scores are rounded first: the ends of sticks, a millionth each, are the only thing drawn that is not exact.
    """
    draws, truth = draws.round(4), truth.round(4)
    return (draws < truth).sum() + rng.integers(0, (draws == truth).sum() + 1)


def uniformity(model, fitted, *, n_labels, n_classifiers, n_items, seed, repeats=2_000):
    """Return the p-values of uniform ranks: truths from the prior of `model`, posteriors of the model `fitted`."""
    rng = np.random.default_rng(seed)
    prior = model.fit(rw.Outcomes.empty(range(n_labels), [f"c{k}" for k in range(n_classifiers)]))
    ranks = {}
    for _ in range(repeats):
        table = prior.block(rng, 1)
        # The table is what the model lists and what it breaks into sticks, together.
        codes = np.concatenate([table.cells.codes, table.loose.codes.T])
        shares = np.concatenate([table.weights[:, 0], table.loose.weights])
        counts = np.zeros((n_labels,) * (1 + n_classifiers), dtype=np.int64)
        np.add.at(counts, tuple(codes.T), rng.multinomial(n_items, shares / shares.sum()))
        drawn = scores(fitted.fit(rw.Outcomes.from_counts(counts)).block(rng, RANKED), SCORES)
        for name, truth in scores(table, SCORES).items():
            ranks.setdefault(name, []).append(rank(rng, drawn[name][0], truth[0]))
            if n_classifiers > 1:
                differences = drawn[name][0] - drawn[name][-1], truth[0] - truth[-1]
                ranks.setdefault(f"difference of {name}", []).append(rank(rng, *differences))
    return {
        name: float(stats.chisquare(np.histogram(found, bins=20, range=(0, RANKED + 1))[0]).pvalue)
        for name, found in ranks.items()
    }


@pytest.mark.parametrize(
    ("model", "n_labels", "n_classifiers", "n_items"),
    [(Tree(), 4, 2, 30), (Tree(), 3, 3, 30), (Icdm2015(), 4, 1, 40)],
    ids=["tree-2", "tree-3", "icdm2015"],
)
def test_ranks_of_the_truth_are_uniform(model, n_labels, n_classifiers, n_items):
    found = uniformity(model, model, n_labels=n_labels, n_classifiers=n_classifiers, n_items=n_items, seed=3)
    record("ranks", model=type(model).__name__, n_labels=n_labels, n_classifiers=n_classifiers, p_values=found)
    assert min(found.values()) > 1e-4, found


def test_a_prior_four_times_as_heavy_fails_the_same_test():
    """The negative control of the ranks."""
    found = uniformity(Tree(), Tree().scaled(4), n_labels=4, n_classifiers=2, n_items=30, seed=3)
    record("ranks of a wrong prior", p_values=found)
    assert found["macro_f1"] < 1e-6, found


# -- a model that must fail ----------------------------------------------------------------------------------


def flat_pairs(rng, counts, size):
    """Draw the flat model of pairs by brute force: Dirichlet(1, …, 1) on the M² pairs of labels, for every class."""
    n_labels = len(counts)
    pairs = rng.standard_gamma(counts.reshape(n_labels, -1, 1) + 1.0, (n_labels, n_labels**2, size))
    classes = rng.dirichlet(counts.sum(axis=(1, 2)) + 1.0, size).T
    pairs *= (classes / pairs.sum(axis=1))[:, np.newaxis, :]
    codes = np.argwhere(np.ones(counts.shape, dtype=bool)).astype(np.int32)
    return Weighted(Cells(codes, n_labels), pairs.reshape(-1, size))


def test_a_flat_prior_on_pairs_of_labels_fails_where_the_tree_does_not():
    """The negative control of coverage: 20 classes, 500 items, B right 10 points less often than A."""
    rng = np.random.default_rng(4)
    drawing = rng.spawn(1)[0]
    recalls = rng.uniform(0.6, 0.9, 20)
    joint = joint_distribution(rng, np.stack([recalls, recalls - 0.2]), "balanced", 0.5)
    truth = true_scores(joint)["macro_f1"]
    repeats = 100
    hits = {"flat delta": 0, "flat psi": 0, "tree delta": 0, "tree psi": 0}
    biases = dict.fromkeys(hits, 0.0)
    for _ in range(repeats):
        counts = rng.multinomial(500, joint.reshape(-1)).reshape(joint.shape)
        flat = scores(flat_pairs(drawing, counts, BLOCK * 2))["macro_f1"]
        tree = posterior_scores(drawing, Tree().fit(rw.Outcomes.from_counts(counts)))["macro_f1"]
        for model, psi in (("flat", flat), ("tree", tree)):
            for quantity, draws, true in (("delta", psi[0] - psi[1], truth[0] - truth[1]), ("psi", psi[0], truth[0])):
                hits[f"{model} {quantity}"] += covers(draws, true)
                biases[f"{model} {quantity}"] += float(draws.mean() - true) / repeats
    found = {name: count / repeats for name, count in hits.items()}
    record("flat pairs", repeats=repeats, truth=truth.tolist(), coverage=found, bias=biases)
    assert found["flat delta"] < 0.5
    assert found["flat psi"] < 0.5
    assert found["tree delta"] >= 0.9
