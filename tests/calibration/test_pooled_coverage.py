"""Calibration of partial pooling: a single classifier's score on 20 classes, and ranks of the truth.

The truth is what the bundled classifiers did to 7,532 documents of 20 newsgroups: test sets are drawn from
their confusion matrices. With ROPEWALK_CALIBRATION_OUT=file every figure is also added to that file.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import ropewalk as rw
from calibration.test_multiclass import covers, posterior_scores, record, true_scores, uniformity
from ropewalk.models import Icdm2015, Pooled, Tree

pytestmark = pytest.mark.slow

REPEATS = {200: 150, 500: 250, 2_000: 100}  # test sets of each classifier
MODELS = {"pooled": Pooled(), "pooled centre": Tree(paired=False, centre="pooled"), "icdm2015": Icdm2015()}
PAIRS = [("nb_mult", "svm_l2"), ("nb_bern", "svm_l1")]


@cache
def coverage(n_items):
    """Return how often the 95% HDI held the true score, by model, metric and classifier, and the true difference.

    Every classifier has test sets of its own, as the model takes it; so differences are those of independent ones.
    """
    news = rw.examples.news20().outcomes
    joints = {name: news.confusion(name) / news.n_items for name in news.names}
    truth = {name: true_scores(joint) for name, joint in joints.items()}
    rng = np.random.default_rng([6, n_items])
    drawing = rng.spawn(1)[0]  # of its own, so that the test sets stay the same whatever the sampler does
    hits = {}
    for _ in range(REPEATS[n_items]):
        tables = {
            name: rw.Outcomes.from_confusion(rng.multinomial(n_items, joint.reshape(-1)).reshape(joint.shape))
            for name, joint in joints.items()
        }
        for model, prior in MODELS.items():
            drawn = {name: posterior_scores(drawing, prior.fit(table)) for name, table in tables.items()}
            for metric in ("macro_f1", "accuracy"):
                for name, psi in drawn.items():
                    found = covers(psi[metric][0], truth[name][metric][0])
                    hits.setdefault((model, metric, name), []).append(found)
                for a, b in PAIRS:
                    delta = truth[a][metric][0] - truth[b][metric][0]
                    found = covers(drawn[a][metric][0] - drawn[b][metric][0], delta)
                    hits.setdefault((model, metric, f"{a} - {b}"), []).append(found)
    shares = {key: float(np.mean(found)) for key, found in hits.items()}
    record("pooled", n_items=n_items, repeats=REPEATS[n_items], coverage={" ".join(k): v for k, v in shares.items()})
    return shares


def average(n_items, model, metric, *, differences=False):
    """The coverage of all classifiers together, or of the differences."""
    found = coverage(n_items)
    return np.mean(
        [v for (of, what, who), v in found.items() if (of, what, " - " in who) == (model, metric, differences)]
    )


def test_the_hdi_of_a_single_macro_f1_covers_what_it_says():
    """What the model is for: 1,000 test sets of 500 documents, so a standard error of 0.7 points."""
    assert 0.92 <= average(500, "pooled", "macro_f1") <= 0.97
    each = [v for (model, metric, _), v in coverage(500).items() if (model, metric) == ("pooled", "macro_f1")]
    assert min(each) >= 0.90


def test_that_of_icdm_2015_does_not():
    """The negative control, on the same test sets: about 79%."""
    assert 0.70 <= average(500, "icdm2015", "macro_f1") <= 0.85


@pytest.mark.parametrize("n_items", REPEATS)
def test_it_covers_better_than_a_centre_taken_for_known(n_items):
    """By two standard errors of so many test sets, or both are where they should be."""
    error = np.sqrt(0.95 * 0.05 / (4 * REPEATS[n_items]))
    ours, theirs = (average(n_items, model, "macro_f1") for model in ("pooled", "pooled centre"))
    assert abs(ours - 0.95) <= abs(theirs - 0.95) + 2 * error


@pytest.mark.parametrize("metric", ["macro_f1", "accuracy"])
@pytest.mark.parametrize("n_items", REPEATS)
def test_scores_and_differences_are_covered_at_other_sizes_too(n_items, metric):
    assert 0.91 <= average(n_items, "pooled", metric) <= 0.98
    assert 0.91 <= average(n_items, "pooled", metric, differences=True) <= 0.985


@pytest.mark.parametrize(("n_labels", "n_items"), [(4, 40), (3, 12)])
def test_ranks_of_the_truth_are_uniform(n_labels, n_items):
    found = uniformity(Pooled(), Pooled(), n_labels=n_labels, n_classifiers=1, n_items=n_items, seed=5)
    record("ranks", model="Pooled", n_labels=n_labels, n_classifiers=1, p_values=found)
    assert min(found.values()) > 1e-4, found


def test_a_kappa_believed_to_be_large_fails_the_same_test():
    """The negative control of the ranks: classes taken for alike that are not."""
    found = uniformity(Pooled(), Pooled(kappa_scale=1_000), n_labels=4, n_classifiers=1, n_items=40, seed=5)
    record("ranks of a wrong prior", p_values=found)
    assert found["f1 of a class"] < 1e-6, found
