"""The paired and unpaired models of two labels (Zhang et al., SIGIR 2016), drawn exactly.

The prevalence of the positive class and the classifiers' behaviour on either class are independent a priori,

    mu ~ Beta(mu),   theta+ ~ Dirichlet(positive),   theta− ~ Dirichlet(negative),

where theta± are the probabilities of the outcome pairs (1,1) (1,0) (0,1) (0,0) of two classifiers on the same
item, or of the predictions 1, 0 of a single one. Counts are multinomial, so the posterior is of the same form
with the counts added, and independent draws replace the papers' Markov chain.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Unpack

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import TINY, dirichlet
from ropewalk.errors import DataError
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.models.cells import SMALLEST_SHARE
from ropewalk.models.graph import Graph, Law, Size, Sketch
from ropewalk.models.protocol import Conjugate, Posterior, check_classifiers, listed
from ropewalk.text.remarks import wording
from ropewalk.text.writing import shorten
from ropewalk.typing import FloatArray


@dataclass(frozen=True, slots=True)
class DirichletPosterior(Posterior):
    """Class shares ~ Dirichlet(`mu`), outcomes of class j ~ Dirichlet(`theta[j]`) over the `cells`.

    `cells` lists every cell, class by class, in the order of `theta`.
    """

    cells: Cells
    mu: FloatArray
    theta: tuple[FloatArray, ...]

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return len(self.cells.codes)

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables of cell probabilities."""
        # A share that underflows to 0 would take what happens within its class with it.
        mu = np.maximum(dirichlet(rng, self.mu, size), SMALLEST_SHARE)
        weights = np.concatenate([dirichlet(rng, shapes, size) * mu[j] for j, shapes in enumerate(self.theta)])
        return Weighted(self.cells, weights)


def block_of_each(rng: np.random.Generator, posteriors: Sequence[DirichletPosterior], size: int) -> Weighted:
    """Draw `size` tables from each of many posteriors over the same cells, one posterior after the other.

    All gammas are drawn in one call, which leaves other threads their turn.
    """
    first = posteriors[0]
    shapes = np.stack([np.concatenate([*posterior.theta, posterior.mu]) for posterior in posteriors], axis=1)
    if shapes.min() < TINY:  # where gammas may underflow, each is drawn with more care
        blocks = [posterior.block(rng, size).weights for posterior in posteriors]
        return Weighted(first.cells, np.concatenate(blocks, axis=1))
    gammas = rng.standard_gamma(shapes[:, :, np.newaxis], (*shapes.shape, size)).reshape(len(shapes), -1)
    weights, mu = gammas[: -first.mu.size], gammas[-first.mu.size :]
    mu /= mu.sum(axis=0)
    stop = 0
    for j, theta in enumerate(first.theta):
        start, stop = stop, stop + theta.size
        weights[start:stop] *= mu[j] / weights[start:stop].sum(axis=0)
    return Weighted(first.cells, weights, shares=mu)


class _TwoLabels(Conjugate):
    """What the papers' two models of two labels share."""

    __slots__ = ()

    mu: Sequence[float]
    positive: Sequence[float]
    negative: Sequence[float]

    no_savage_dickey = ""

    @property
    def prior(self) -> str:
        """The prior in one line."""
        name, law = ("theta", "Dir") if self.paired else ("rho", "Beta")
        positive, negative = listed(self.positive), listed(self.negative)
        return f"mu ~ Beta({listed(self.mu)}); {name}+ ~ {law}({positive}); {name}- ~ {law}({negative})"

    @property
    def is_symmetric(self) -> bool:
        """Whether exchanging the labels leaves the prior as it is."""
        return self.mu[0] == self.mu[1] and self.positive == self.negative[::-1]

    def fit(self, outcomes: Outcomes) -> DirichletPosterior:
        """Return the posterior of a table of two labels, the positive one last."""
        n_labels, n_classifiers = outcomes.n_labels, 2 if self.paired else 1
        check_classifiers(outcomes, n_classifiers)
        if n_labels > 2:  # noqa: PLR2004
            raise DataError(
                f"The model {self.name} with these pseudo-counts covers two labels; these data have {n_labels} "
                f"({shorten(map(label_text, outcomes.labels), 6)}).",
                hint=wording(
                    'pos_label= compares one class against the rest; model="tree" takes any number of labels.'
                ),
            )
        cells = every_cell(n_labels, n_classifiers)
        counts = np.zeros((n_labels,) * (n_classifiers + 1))
        counts[tuple(outcomes.codes.T)] = outcomes.counts
        if n_labels == 1:  # a single label leaves nothing to doubt
            return DirichletPosterior(cells, np.ones(1), (np.ones(1),))
        # The papers list the outcome pairs from (1,1) down to (0,0); cells are sorted upwards.
        priors = [np.array(values[::-1], dtype=np.float64) for values in (self.negative, self.positive)]
        theta = tuple(counts[j].reshape(-1) + priors[j] for j in range(2))
        shares = counts.reshape(2, -1).sum(axis=1) + np.array(self.mu[::-1], dtype=np.float64)
        return DirichletPosterior(cells, shares, theta)

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the model as a graph, as in Figures 1 to 3 of the paper."""
        alone = "One classifier" if size["n_classifiers"] == 1 else "Each classifier on its own test set"
        who = "Two classifiers on one test set" if self.paired else alone
        sketch = Sketch(f"{who}, two labels (SIGIR 2016)", paired=self.paired, **size)
        return binary_graph(sketch, self.mu, self.positive, self.negative)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sigir2016(_TwoLabels):
    """Two classifiers on the same test set: a Dirichlet over the pairs of their predictions.

    `mu` are the pseudo-counts of the positive and the negative class; `positive` and `negative` those of the
    outcome pairs (1,1) (1,0) (0,1) (0,0) on items of either class. All ones, the default, are the papers' prior.

    Examples
    --------
    >>> Sigir2016(positive=(2, 1, 1, 1)).prior
    'mu ~ Beta(1, 1); theta+ ~ Dir(2, 1, 1, 1); theta- ~ Dir(1, 1, 1, 1)'
    """

    mu: Sequence[float] = (1.0, 1.0)
    positive: Sequence[float] = (1.0, 1.0, 1.0, 1.0)
    negative: Sequence[float] = (1.0, 1.0, 1.0, 1.0)
    name: str = field(default="sigir2016", repr=False, compare=False)

    description = (
        "What the two say together about a positive item has a Dirichlet prior, and so has what they say about a "
        "negative one (Zhang et al., SIGIR 2016)."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Sigir2016Unpaired(_TwoLabels):
    """One classifier on its own test set; two such posteriors make the papers' unpaired comparison.

    `mu` are the pseudo-counts of the positive and the negative class; `positive` and `negative` those of the
    predictions 1, 0 on items of either class. All ones, the default, are the papers' prior; each classifier
    has its own mu.

    Examples
    --------
    >>> Sigir2016Unpaired().prior
    'mu ~ Beta(1, 1); rho+ ~ Beta(1, 1); rho- ~ Beta(1, 1)'
    """

    mu: Sequence[float] = (1.0, 1.0)
    positive: Sequence[float] = (1.0, 1.0)
    negative: Sequence[float] = (1.0, 1.0)
    name: str = field(default="sigir2016_unpaired", repr=False, compare=False)

    paired = False
    description = (
        "How often a classifier calls a positive item positive has a Beta prior, and so has how often it calls a "
        "negative one so, each classifier by itself (Zhang et al., SIGIR 2016)."
    )


@lru_cache(maxsize=8)
def every_cell(n_labels: int, n_classifiers: int) -> Cells:
    """Return the cells of all tables of this size: one object, so that tables of many data sets can be stacked."""
    codes = np.array(list(itertools.product(range(n_labels), repeat=n_classifiers + 1)), dtype=np.int32)
    return Cells(codes, n_labels)


def binary_graph(s: Sketch, mu: Law, positive: Law, negative: Law, *, per_label: bool = False) -> Graph:
    """Finish a sketch of two outcomes: shares mu, and what is said about items of either class.

    With `per_label` there is one such model per label, as items with any number of labels have them.
    """
    label, total = "l" if per_label else "", s.sign("N")
    name, letter = ("theta", "θ") if s.joint else ("rho", "ρ")
    share, rate, n, c = (s.sign(symbol, label) for symbol in ("μ", letter, "n", "c"))
    s.shares(mu, label)
    s.parameter(f"{name}+", (2, 0), f"{rate}^+", positive, ("alpha+", (2, -2), "α^+"))
    s.parameter(f"{name}-", (3, 0), f"{rate}^−", negative, ("alpha-", (3, -2), "α^−"))
    if s.form == "items":
        law, y = "Cat" if s.joint else "Bern", s.sign("y", "i", label)
        answer = f"{law}({rate}^+) if {y} = +, {law}({rate}^−) if {y} = −"
        s.observed("y", (0, 1), y, f"Bern({share})", "mu")
        s.observed("yhat", (1, 1), s.sign("ŷ", "i", label), answer, "y", f"{name}+", f"{name}-")
        s.plate(f"item i = 1 … {total}")
    else:
        law = "Mult" if s.joint else "Bin"
        s.constant("N", (0.5, 3) if per_label else (0, 2), total)
        s.observed("n+", (0, 1), f"{n}^+", f"Bin({total}, {share})", "mu", "N")
        s.derived("n-", (1, 2), f"{n}^−", f"{total} − {n}^+", "N", "n+")
        s.observed("c+", (2, 1), f"{c}^+", f"{law}({n}^+, {rate}^+)", f"{name}+", "n+")
        s.observed("c-", (3, 2), f"{c}^−", f"{law}({n}^−, {rate}^−)", f"{name}-", "n-")
    if per_label:
        s.plate(f"label l = 1 … {s.n_labels}")
    return s.scores("mu", f"{name}+", f"{name}-")
