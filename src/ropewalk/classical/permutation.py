"""The paired permutation test (approximate randomisation): exchange the two answers to items, and see what happens.

Under the null hypothesis the two classifiers are interchangeable on every item. Items of one kind (same truth, same two
answers) are exchanged in a number that is Binomial(n, 1/2), so a permutation is a draw of counts, not a shuffle of
labels: it looks to a metric like a draw from a posterior.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_seed, check_threads, check_whole, checked_keywords
from ropewalk.classical._inputs import Source, tables_of
from ropewalk.classical.pairs import ITEMS, ITEMS_PAIRED, check_alternative
from ropewalk.data.log_score import Score
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import block_size
from ropewalk.errors import DataError
from ropewalk.metrics.margins import Cells, Tables, Weighted
from ropewalk.metrics.resolve import MetricLike, Settled, choose_metric, require_bounded, settle
from ropewalk.models import draw_psi, measure, observed_psi
from ropewalk.models.multilabel import label_sums, stacked
from ropewalk.results.classical import Alternative, ClassicalTest, Effect
from ropewalk.results.options import Option, SeedOption
from ropewalk.text.remarks import wording
from ropewalk.text.writing import count_of
from ropewalk.typing import FloatArray, IntArray, SeedLike

_BITS_PER_WORD: Final = 64
_RELATIVE_ROUNDING: Final = 1e-11  # relative: two ways to add up the same table
_MAX_PERMUTATIONS: Final = 10_000_000
_ONES_PER_BYTE: Final = np.array([byte.bit_count() for byte in range(256)], dtype=np.uint8)


class PermutationOptions(Source, SeedOption, total=False):
    """Options about the data, and about a permutation test of them."""

    metric: MetricLike | None
    classes: Any
    cost_matrix: Any
    n_permutations: Annotated[int, Option(help="How many to draw.", default=10_000)]
    random_state: SeedLike


@checked_keywords
def permutation(
    *data: Any,
    prevalence: Any = None,
    alternative: Alternative = "two-sided",
    threads: int = 1,
    **options: Unpack[PermutationOptions],
) -> ClassicalTest:
    """Test whether two classifiers are interchangeable, by any metric: macro F1, MCC, cost and all others.

    Parameters
    ----------
    *data, **source
        As in `compare`: one test set that both classifiers saw, with one label per item or any number.
    metric, classes, cost_matrix, prevalence
        As in `compare`.
    n_permutations
        How many to draw. Where there are no more than that, all are listed and the p-value is exact; otherwise it is
        (1 + as extreme) / (1 + drawn), which is never 0.
    alternative
        "two-sided" (default), "greater" (A's value is higher) or "less".
    rng, random_state
        As in `compare`; the same seed gives the same answer on any number of `threads`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> test = permutation(news.outcomes, a="nb_mult", b="svm_l2", metric="macro_f1", n_permutations=2_000, rng=0)
    >>> print(f"difference {test.effect.value:+.3f}, p = {test.p_value:.4f}")
    difference +0.022, p = 0.0005
    """
    side, number = check_alternative(alternative), check_permutations(options)
    seed, workers = check_seed(options.get("rng"), options.get("random_state")), check_threads(threads)
    pos_label, classes = options.get("pos_label"), options.get("classes")
    tables = tables_of(data, options)
    if len(tables) > 1:
        raise DataError(
            "A permutation exchanges the two answers to an item; these are separate tables.",
            hint="give the predictions item by item.",
        )
    if isinstance(tables[0], MultilabelOutcomes) and pos_label is not None:
        tables = (tables[0].table(pos_label),)
    metric, cost_matrix = options.get("metric"), options.get("cost_matrix")
    if isinstance(tables[0], Outcomes) and tables[0].score is not None:
        metric = _accuracy_of(tables[0].score, metric, cost_matrix)
    measure = choose_metric(metric, tables[0], pos_label, cost_matrix)
    question = settle(tables, metric=measure, classes=classes, pos_label=pos_label, prevalence=prevalence)
    a, b = observed_psi(question.tables, question.metric, question.prevalence)
    if a is None or b is None:
        raise DataError(
            f"The {question.metric.name} of these items is not defined: there are none, or none of some class.",
            hint=wording("leave prevalence= out, or get items of every class."),
        )
    if math.inf in {a, b}:
        require_bounded(question.metric, "one of these two divides by nothing")
    swaps = Swaps.of(question.tables[0])
    exact = swaps.n_ways <= number
    if exact:
        psi, chances = _every(swaps, question)
    else:
        psi = draw_psi([swaps], question.metric, question.prevalence, stop=number, seed=seed, threads=workers)
        chances = np.ones(number)
    largest = max(abs(a), abs(b), float(np.abs(psi).max()), float(np.abs(question.metric.cost or 0.0).max()))
    far = _as_far(psi[0] - psi[1], a - b, side, slack=_RELATIVE_ROUNDING * largest)
    p_value, error = float(chances[far].sum()), None
    if not exact:
        p_value = (1 + p_value) / (1 + number)
        error = math.sqrt(p_value * (1 - p_value) / number)
    differing = int(swaps.counts.sum())
    drawn = f"all {swaps.n_ways:,}" if exact else f"{number:,} random"
    method = f"{drawn} ways to exchange the answers to the {count_of(differing, 'item')} they differ on"
    if not exact:
        method += f", seed {seed}"
    if not differing:
        method = "there is nothing to exchange: both give the same answer to every item"
    return ClassicalTest(
        name=f"permutation test of {question.metric.name}", statistic=a - b, p_value=min(p_value, 1.0),
        n=differing, alternative=side, names=question.tables[0].names,
        effect=Effect(name=f"{question.metric.name}, A − B", value=a - b), mc_error=error,
        null="the two classifiers are interchangeable on every item",
        method=method,
        assumptions=(ITEMS_PAIRED, ITEMS),
    )  # fmt: skip


def _accuracy_of(score: Score, metric: Any, cost_matrix: Any) -> str:
    """Return the metric of answers of which is known whether they are right, and not what they are."""
    is_accuracy = metric is None or (isinstance(metric, str) and metric in {"accuracy", "acc"})
    if cost_matrix is not None or not is_accuracy:
        raise DataError(
            f"These answers are known to be right or wrong, by {score.name!r}, and that metric needs more.",
            hint=wording("name accuracy; or count the logs by that metric= first, and test the counts."),
        )
    return "accuracy"


def check_permutations(options: PermutationOptions) -> int:
    """Return a usable number of permutations."""
    number = options["n_permutations"]
    return check_whole(number, "n_permutations", 1, _MAX_PERMUTATIONS, hint="10,000 will do.")


def _as_far(deltas: FloatArray, seen: float, side: Alternative, *, slack: float) -> Any:
    """Which differences are at least as extreme as the one that was seen, rounding apart."""
    if side == "two-sided":
        return np.abs(deltas) >= abs(seen) - slack
    return deltas >= seen - slack if side == "greater" else deltas <= seen + slack


def _every(swaps: Swaps, question: Settled) -> tuple[FloatArray, FloatArray]:
    """Return the metric of every table that exchanges can make, and the probability of each."""
    psi, chances = [], []
    for start in range(0, swaps.n_ways, swaps.block_size):
        table, chance = swaps.ways(start, min(start + swaps.block_size, swaps.n_ways))
        psi.append(measure(question.metric, table, question.prevalence))
        chances.append(chance)
    return np.concatenate(psi, axis=1), np.concatenate(chances)


@dataclass(frozen=True, eq=False)
class Swaps:
    """The tables that exchanges of the two classifiers' answers can make; a source of draws, as a posterior is.

    `counts` says how many items there are of each kind on which the two differ.
    """

    outcomes: AnyOutcomes
    differ: Any
    counts: IntArray

    @classmethod
    def of(cls, outcomes: AnyOutcomes) -> Swaps:
        """Return the exchanges of a table of two classifiers."""
        if isinstance(outcomes, Outcomes):
            differ = outcomes.codes[:, 1] != outcomes.codes[:, 2]
        else:
            unlike = ((outcomes.bits >> 1) & 1) != ((outcomes.bits >> 2) & 1)
            differ = np.bincount(outcomes.item_of, weights=unlike, minlength=outcomes.counts.size) > 0
        return cls(outcomes, differ, outcomes.counts[differ])

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.counts.size

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return block_size(self.outcomes.counts.size + self.counts.size)

    @property
    def n_ways(self) -> int:
        """How many distinct tables the exchanges can make."""
        return math.prod(int(count) + 1 for count in self.counts)

    def block(self, rng: np.random.Generator, size: int) -> Tables:
        """Draw `size` tables."""
        return self._tables(half_binomials(rng, self.counts, size))

    def ways(self, start: int, stop: int) -> tuple[Tables, FloatArray]:
        """Return the tables that exchanges can make, from number `start` to `stop`, and the probability of each."""
        from scipy import stats

        sizes = tuple(int(count) + 1 for count in self.counts)
        places = np.unravel_index(np.arange(start, stop), sizes) if sizes else ()
        kept = np.array(places, dtype=np.float64).reshape(len(sizes), stop - start)
        return self._tables(kept), np.prod(stats.binom.pmf(kept, self.counts[:, np.newaxis], 0.5), axis=0)

    def _tables(self, kept: FloatArray) -> Tables:
        """Return the tables in which so many items of each kind keep their answers, and the others exchange them."""
        weights = np.repeat(self.outcomes.counts[:, np.newaxis].astype(np.float64), kept.shape[1], axis=1)
        weights[self.differ] = kept
        weights = np.concatenate([weights, self.counts[:, np.newaxis] - kept])
        if isinstance(self.outcomes, Outcomes):
            return Weighted(self._cells, weights)
        return stacked(self._sums @ (weights / self.outcomes.n_items), self.outcomes)

    @cached_property
    def _cells(self) -> Cells:
        assert isinstance(self.outcomes, Outcomes)  # noqa: S101
        codes = self.outcomes.codes
        return Cells(np.concatenate([codes, codes[self.differ][:, [0, 2, 1]]]), self.outcomes.n_labels)

    @cached_property
    def _sums(self) -> Any:
        from scipy.sparse import hstack

        assert isinstance(self.outcomes, MultilabelOutcomes)  # noqa: S101
        bits = self.outcomes.bits
        turned = replace(self.outcomes, bits=(bits & 1) | ((bits >> 1 & 1) << 2) | ((bits >> 2 & 1) << 1))
        return hstack([label_sums(self.outcomes), label_sums(turned)[:, np.flatnonzero(self.differ)]], format="csr")


def half_binomials(rng: np.random.Generator, counts: IntArray, size: int) -> FloatArray:
    """Draw Binomial(n, 1/2) for each of `counts`, (len(counts), size): the ones among n random bits.

    Examples
    --------
    >>> half_binomials(np.random.default_rng(0), np.array([1, 100]), 4).shape
    (2, 4)
    """
    drawn = np.empty((counts.size, size))
    few = counts <= _BITS_PER_WORD
    masks = (np.uint64(2**_BITS_PER_WORD - 1) >> (_BITS_PER_WORD - counts[few]).astype(np.uint64))[:, np.newaxis]
    words = rng.integers(0, 2**_BITS_PER_WORD, size=(int(few.sum()), size), dtype=np.uint64, endpoint=False)
    words &= masks
    if hasattr(np, "bitwise_count"):
        drawn[few] = np.bitwise_count(words)
    else:  # NumPy 1
        drawn[few] = _ONES_PER_BYTE[words.view(np.uint8)].reshape(*words.shape, 8).sum(axis=-1)
    for i in np.flatnonzero(~few):
        drawn[i] = rng.binomial(int(counts[i]), 0.5, size)
    return drawn
