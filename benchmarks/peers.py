"""The other ways to compare two classifiers: the papers' Markov chain, prob_conf_mat, and mlxtend."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def metropolis(positive: Sequence[int], negative: Sequence[int]) -> Callable[[int], Any]:
    """Return the papers' sampler of the paired model: one Metropolis chain without burn-in, of any length.

    `positive` and `negative` count the outcome pairs (1,1) (1,0) (0,1) (0,0) of either class.
    """
    with warnings.catch_warnings(action="ignore"):
        import pymc as pm
    logging.getLogger("pymc").setLevel(logging.ERROR)
    with pm.Model() as model:
        mu = pm.Beta("mu", 1, 1)
        pm.Binomial("n_positive", n=sum(positive) + sum(negative), p=mu, observed=sum(positive))
        for name, counts in (("positive", positive), ("negative", negative)):
            theta = pm.Dirichlet(f"theta_{name}", np.ones(4))
            pm.Multinomial(f"count_{name}", n=sum(counts), p=theta, observed=counts)

    def sample(draws: int) -> Any:
        with model, warnings.catch_warnings(action="ignore"):
            return pm.sample(
                draws,
                tune=0,
                chains=1,
                cores=1,
                step=pm.Metropolis(),
                random_seed=0,
                progressbar=False,
                compute_convergence_checks=False,
                return_inferencedata=False,
            )

    return sample


def unpaired_study(a: Sequence[Sequence[int]], b: Sequence[Sequence[int]], draws: int) -> Callable[[], Any]:
    """Return prob_conf_mat's comparison of F1 from two confusion matrices, under uniform priors and ROPE ±0.05."""
    from prob_conf_mat import Study

    def compare() -> Any:
        study = Study(seed=0, num_samples=draws, ci_probability=0.95)
        for name, matrix in (("a/a", a), ("b/b", b)):
            study.add_experiment(name, confusion_matrix=matrix, prevalence_prior=1, confusion_prior=1)
        study.add_metric("f1")
        with np.errstate(divide="ignore"):  # its Bayes factor
            return study.get_pairwise_comparison(
                "f1", class_label=1, experiment_a="a/a", experiment_b="b/b", min_sig_diff=0.05
            )

    return compare


def macro_study(a: Any, b: Any, draws: int) -> Callable[[], Any]:
    """Return prob_conf_mat's comparison of macro F1 from two confusion matrices, flat priors and ROPE ±0.005."""
    from prob_conf_mat import Study

    def compare() -> Any:
        study = Study(seed=0, num_samples=draws, ci_probability=0.95)
        for name, matrix in (("a/a", a), ("b/b", b)):
            study.add_experiment(
                name, confusion_matrix=np.asarray(matrix).tolist(), prevalence_prior=1, confusion_prior=1
            )
        study.add_metric("f1@macro")
        with np.errstate(divide="ignore", invalid="ignore"):
            return study.get_pairwise_comparison("f1@macro", experiment_a="a/a", experiment_b="b/b", min_sig_diff=0.005)

    return compare


def swapping(a: Any, b: Any, score: Callable[[Any], float], rounds: int) -> Callable[[], Any]:
    """Return mlxtend's paired permutation test of a score: each round exchanges answers of `a` and `b` at random."""
    from mlxtend.evaluate import permutation_test

    def test() -> Any:
        return permutation_test(
            a,
            b,
            func=lambda x, y: abs(score(x) - score(y)),
            method="approximate",
            num_rounds=rounds,
            seed=0,
            paired=True,
        )

    return test


def shuffling(a: Any, b: Any, score: Callable[[Any], float], rounds: int) -> Callable[[], Any]:
    """Return the permutation test that one writes by hand: NumPy exchanges the answers, a loop goes over the rounds."""

    def test() -> Any:
        rng = np.random.default_rng(0)
        seen, far = abs(score(a) - score(b)), 0
        for _ in range(rounds):
            swap = rng.random(a.size) < 0.5
            far += abs(score(np.where(swap, b, a)) - score(np.where(swap, a, b))) >= seen
        return (1 + far) / (1 + rounds)

    return test


def sklearn_macro_f1(truth: Any) -> Callable[[Any], float]:
    """Return scikit-learn's macro F1 as a function of the answers."""
    from sklearn.metrics import f1_score

    return lambda answers: float(f1_score(truth, answers, average="macro"))


def counted_macro_f1(truth: Any) -> Callable[[Any], float]:
    """Return macro F1 of labels 0, 1, … as a function of the answers, written for speed; mlxtend hands it floats."""
    of_class = np.bincount(truth)
    size = of_class.size

    def score(answers: Any) -> float:
        said = answers.astype(np.intp)
        right = np.bincount(truth[said == truth], minlength=size)
        return float((2 * right / (of_class + np.bincount(said, minlength=size))).mean())

    return score
