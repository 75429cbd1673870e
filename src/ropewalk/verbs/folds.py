"""Compare two learning algorithms by scores of folds that were made elsewhere."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import check_draws, check_seed, check_whole, checked_keywords, is_real
from ropewalk.classical.resampled import corrected_t
from ropewalk.data.columns import as_numbers, check_same_order
from ropewalk.data.inputs import names_of
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import check_names
from ropewalk.draws.evidence import Evidence
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.inference.folds import MIN_FOLDS_FOR_VERDICT, FoldScores, JudgedFolds, judge_folds
from ropewalk.metrics.scores import given_scores
from ropewalk.models.correlated_t import CorrelatedT
from ropewalk.results.base import Drawing, Recipe
from ropewalk.results.folds import FoldsComparison
from ropewalk.results.options import FoldsOptions
from ropewalk.text.remarks import Remark, issue, note, warning, wording
from ropewalk.text.writing import count_of, decimals, interval, told
from ropewalk.typing import FloatArray
from ropewalk.verbs.pooling import wider_question

LARGEST_SHARE: Final = 1.5
"""Scores beyond are no shares of 1: per cent."""

LEAST_PER_CENT: Final = 0.02
"""A margin below it is meant for shares."""

UNKNOWN_STEP: Final = 1e-5
"""The step that scores move in, where nothing says what it is."""

_WORTH_A_NOTE: Final = 1.02  # times as wide as the HDI
_SIZES: Final = wording(
    "folds=10, repeats=10 for ten times ten folds; n_train=900, n_test=100 for random splits; or rho= itself."
)
_CONVENTION: Final = (
    "The correlated t takes the scores of two folds to correlate by the share of items that a fold tests, here {:.3g}. "
    "That is a convention (Nadeau and Bengio 2003): one data set cannot show the correlation."
)
_CAUTIOUS: Final = (
    "A verdict must also hold by the cautious interval, {}: repeats test the same items again, and count as one pass "
    "over them there."
)


@checked_keywords
def compare_folds(
    a: Any,
    b: Any,
    /,
    *,
    folds: int | None = None,
    repeats: int | None = None,
    n_train: float | None = None,
    n_test: float | None = None,
    rho: float | None = None,
    **options: Unpack[FoldsOptions],
) -> FoldsComparison:
    """Compare two learning algorithms by their scores on the same folds of one data set.

    The posterior of the mean difference is the correlated t (Nadeau and Bengio 2003; Corani and Benavoli 2015), a
    Student t in closed form. A verdict must also hold by the `cautious` interval, as in `cross_compare`.

    Parameters
    ----------
    a, b
        Scores of A and of B, one per fold, the same folds in the same order; repeats may be the rows of a table.
    folds, repeats
        How many folds there are in a pass over the data, and how many passes.
    n_train, n_test
        For random splits instead: the sizes of the training and of the test sets.
    rho
        The correlation of two scores, by default n_test / (n_train + n_test), that is 1/folds.
    metric, higher_is_better, names
        What the scores are called; whether more is better, by default not of a loss, an error or a cost; and what to
        call the two algorithms.
    rope, prob, rule, draws, rng, random_state, progress
        As in `compare`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> new, old = [0.81, 0.79, 0.84, 0.90, 0.88], [0.78, 0.77, 0.80, 0.85, 0.83]
    >>> r = rw.compare_folds(new, old, folds=5, rope=0.01, names=["new", "old"], rng=0)
    >>> r
    FoldsComparison(score: new − old = +0.038 [+0.014, +0.062], ≫)
    >>> print(f"P(new better by more than 0.01) = {r.regions.above:.3f}")
    P(new better by more than 0.01) = 0.984
    """
    names = names_of((a, b)) if options.get("names") is None else options["names"]
    called: Any = check_names(names, 2)
    scores = _scores(a, b, called)
    share, step = _test_share(scores.shape[1], folds, repeats, n_train=n_train, n_test=n_test, rho=rho)
    metric = given_scores(options["metric"], scores, higher_is_better=options.get("higher_is_better"))
    question = wider_question(options, higher_is_better=metric.higher_is_better)
    refuse_per_cent(float(np.abs(scores).max()), question.rope)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    correlation = share / (1 + share)
    sizes = np.array([1 - correlation]), np.array([correlation])
    given = FoldScores(names=called, scores=scores, train_sizes=sizes[0], test_sizes=sizes[1])
    draws = check_draws(options["draws"])
    judged = judge_folds(
        given, question, limits=Interval(metric.low, metric.high), resolution=step, draws=draws, seed=seed
    )
    table = ItemScores(values=tuple(scores), names=called, labels=(0, 1), truth=None)
    result = FoldsComparison(
        a=called[0],
        b=called[1],
        estimate_a=judged.estimate_a,
        estimate_b=judged.estimate_b,
        **judged.contrast.parts,
        evidence=Evidence(reason=CorrelatedT(rho=correlation).no_factor),
        draws=judged.draws,
        recipe=Recipe(
            tables=(table,), model=CorrelatedT(rho=correlation), metric=metric, rope=question.rope, prob=question.prob,
            rule=question.rule, draws=draws, seed=seed, data_hash=table.data_hash, n_items=scores.shape[1], noun="fold",
        ),
        drawing=Drawing(no_verdict=judged.no_verdict),
        remarks=tuple(_remarks(judged, correlation)),
        folds=folds,
        repeats=None if folds is None else repeats or 1,
        rho=correlation,
        cautious=judged.cautious,
        fold_differences=scores[0] - scores[1],
        corrected_t=_corrected(scores, called, correlation),
    )  # fmt: skip
    issue(result.remarks)
    return result


def refuse_per_cent(largest: float, rope: Interval | None, *, least: float = LEAST_PER_CENT) -> None:
    """Refuse scores in per cent under a margin that is meant for shares of 1: one that reaches not even `least`."""
    if rope is None or largest <= LARGEST_SHARE:
        return
    widest = max(abs(end) for end in rope if math.isfinite(end))
    if widest < least:
        raise InvalidInputError(
            f"Scores reach {largest:g}, as per cent do, and the ROPE is as small as shares of 1 have it.",
            hint=wording("divide the scores by 100, or state the margin in their unit: rope={:g}.", 100 * widest),
        )


def _scores(a: Any, b: Any, names: Sequence[str]) -> FloatArray:
    """Return the scores of both, fold by fold, (2, n)."""
    check_same_order((a, b), names)
    first, second = (as_numbers(values, name) for values, name in zip((a, b), names, strict=True))
    if first.shape != second.shape or first.ndim > 2:  # noqa: PLR2004
        sizes = f"{names[0]} {'×'.join(map(str, first.shape))}, {names[1]} {'×'.join(map(str, second.shape))}"
        raise LengthMismatchError(
            f"Both need scores of the same folds; got {sizes}.", hint="one score per fold, in the same order."
        )
    scores = np.stack([first.ravel(), second.ravel()])
    if scores.shape[1] < MIN_FOLDS_FOR_VERDICT:
        raise DataError(
            f"{count_of(scores.shape[1], 'fold')} cannot show the spread; it takes {MIN_FOLDS_FOR_VERDICT}.",
            hint="rw.compare judges two trained classifiers on one test set, item by item.",
        )
    return scores


def _test_share(n: int, folds: Any, repeats: Any, *, n_train: Any, n_test: Any, rho: Any) -> tuple[float, float]:
    """Return n_test / n_train, and the step that scores move in."""
    if folds is None and repeats is not None:
        raise InvalidInputError(wording("`repeats` says how often all `folds` were made."), hint=_SIZES)
    sizes = n_train is not None, n_test is not None
    if any(sizes) and not all(sizes):
        raise InvalidInputError(wording("`n_train` and `n_test` go together."), hint=_SIZES)
    if folds is None and not any(sizes) and rho is None:
        raise InvalidInputError("How the folds overlap is not said, and the width depends on it.", hint=_SIZES)
    if folds is not None:
        if any(sizes):
            raise InvalidInputError(wording("`folds` says what `n_train` and `n_test` say too."), hint="give one.")
        _check_folds(n, check_whole(folds, "folds", 2), check_whole(1 if repeats is None else repeats, "repeats"))
    for name, value in (("n_train", n_train), ("n_test", n_test)):
        if value is not None and not (is_real(value) and 0 < value < math.inf):
            raise InvalidInputError(f"`{name}` must be a positive number of items; got {told(value)}.", hint=_SIZES)
    step = UNKNOWN_STEP if n_test is None else 1 / float(n_test)
    if rho is not None:
        return check_rho(rho) / (1 - check_rho(rho)), step
    return (1 / (folds - 1) if folds is not None else float(n_test) / float(n_train)), step


def check_rho(rho: Any) -> float:
    """Return the correlation of the scores of two folds, from just above 0 to below 1."""
    if not is_real(rho) or not 0 < rho < 1:
        raise InvalidInputError(
            wording("`rho` must lie between 0 and 1; got {}.", told(rho)), hint="1/k for k folds, by convention."
        )
    return float(rho)


def _check_folds(n: int, folds: int, repeats: int) -> None:
    if n != folds * repeats:
        hint = "one score for each fold of each repeat."
        if repeats == 1 and n % folds == 0:
            hint = wording("repeats={} makes them so many.", n // folds)
        raise DataError(
            f"There are {count_of(n, 'score')}, and {count_of(folds, 'fold')} × {count_of(repeats, 'repeat')}.",
            hint=hint,
        )


def _corrected(scores: FloatArray, names: Sequence[str], rho: float) -> Any:
    try:
        return corrected_t(*scores, n_train=1 - rho, n_test=rho, names=names)
    except DataError:  # no spread
        return None


def _remarks(judged: JudgedFolds, correlation: float) -> Iterator[Remark]:
    """Yield what is to be said about the folds."""
    if judged.no_verdict:
        yield warning("no_verdict", f"{judged.no_verdict[0].upper()}{judged.no_verdict[1:]}.")
    yield note("fold_correlation", _CONVENTION.format(correlation))
    (low, high), hdi = judged.cautious, judged.contrast.delta.hdi
    if high - low > _WORTH_A_NOTE * (hdi.high - hdi.low):
        ends = interval(low, high, decimals(judged.contrast.delta), sign=True)
        yield note("cautious_interval", _CAUTIOUS.format(ends))
