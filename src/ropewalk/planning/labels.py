"""Extrapolate what more labels are worth to somebody who is going to ship one of two classifiers."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ropewalk._checks import check_whole, checked_keywords, is_real
from ropewalk.errors import InvalidInputError
from ropewalk.inference.outlook import MOST, ROUGH, Labels, is_thin
from ropewalk.planning.posing import MAX_ITEMS, check_sizes
from ropewalk.results import Comparison, LabelPlan
from ropewalk.text.remarks import argument, note
from ropewalk.text.writing import told


@checked_keywords
def worth_of_labels(
    result: Comparison, *, max_loss: float | None = None, n: int | Iterable[int] | None = None, max_n: int = MOST
) -> LabelPlan:
    """Return what n more items are worth, and how many bring the expected loss below a bound.

    The one that looks better is shipped, now or after more items; the expected loss is how much the other one may be
    better after all, E[max(−Δ, 0)]. It needs no ROPE, and nothing is simulated: with N items counted and n more to
    come, the variance of the posterior is taken to fall to N / (N + n) of what it is, as `more_data` extrapolates too.

    Parameters
    ----------
    result
        A comparison.
    max_loss
        The expected loss, in the metric, that is small enough.
    n
        Numbers of new items to look at; by default around the answer, or multiples of those counted.
    max_n
        The number of items at which to give up.

    Examples
    --------
    >>> import ropewalk as rw
    >>> r = rw.compare(rw.examples.news20().outcomes, a="nb_mult", b="svm_l2", pos_label=18, rng=0)
    >>> plan = r.worth_of_labels(max_loss=0.001)
    >>> plan.reachable, 10_000 < plan.n < 20_000
    (True, True)
    """
    if not isinstance(result, Comparison):
        raise InvalidInputError(
            f"`worth_of_labels` is about a comparison; got {type(result).__name__}.",
            hint="give what rw.compare returned.",
        )
    result.require_data("said about more items")
    bound = None if max_loss is None else check_loss(max_loss)
    most = check_whole(max_n, "max_n", 10, MAX_ITEMS)
    sizes = None if n is None else check_sizes(n)
    if result.stakes is None:
        raise InvalidInputError("What labels are worth depends on the posterior.", hint=f"{result.no_verdict}.")
    labels = Labels.of(result, most)
    if not min(labels.counted):
        raise InvalidInputError(
            "Nothing has been counted, so there is nothing to extrapolate from.", hint="label a few items first."
        )
    needed = None if bound is None else labels.needed(bound)
    rows = tuple(labels.after(size) for size in sizes or labels.around(needed))
    return LabelPlan(
        a=result.a,
        b=result.b,
        recipe=result.recipe,
        delta=result.delta,
        stakes=replace(result.stakes, labels=rows),
        max_loss=bound,
        n=needed,
        max_n=most,
        remarks=(note("rough_extrapolation", f"{ROUGH}."),) if is_thin(result.recipe, labels.counted) else (),
    )


def check_loss(max_loss: Any) -> float:
    """Return an expected loss that is small enough."""
    if not is_real(max_loss) or not 0 < max_loss < math.inf:
        raise InvalidInputError(
            argument("max_loss") + f" must be a positive number; got {told(max_loss)}.",
            hint="it is in the metric: 0.001 of F1, say.",
        )
    return float(max_loss)
