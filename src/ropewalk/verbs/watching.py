"""Watch an evaluation that grows: look as often as you like, with an error that is bounded over all looks."""

from __future__ import annotations

from typing import Any, Unpack

from ropewalk._checks import checked_keywords
from ropewalk.data.inputs import has_logs
from ropewalk.data.scores import ItemScores
from ropewalk.errors import InvalidInputError
from ropewalk.inference.looks import check_require, look_at
from ropewalk.inference.outcomes import check_direction
from ropewalk.results.looks import Look
from ropewalk.results.options import WatchOptions
from ropewalk.text.remarks import wording
from ropewalk.text.writing import told
from ropewalk.verbs.comparison import compare


@checked_keywords
def watch(
    *data: Any, a: str | None = None, b: str | None = None, before: Look | None = None, **options: Unpack[WatchOptions]
) -> Look:
    """Take one look at an evaluation that grows, and say whether A is as required of it by the items so far.

    Two answers stand side by side. `plain_outcome` is that of the posterior, as if this were the only look; looked at
    again and again, it errs more often. `outcome` is that of a confidence sequence (`interval`): however often and
    whenever one looks, the probability that it is ever wrong is at most `error` on each side, (1 − prob) / 2. Only that
    one may be acted on at every look. It is a function of the items so far: nothing has to be kept between looks.

    Items must be drawn like those to come, in an order that has nothing to do with how they turn out.

    Parameters
    ----------
    *data
        As in `compare`: the items so far.
    require, margin
        What is required of A against B: "better" by more than the margin (0 by default), "not-worse" by more than it,
        or "equivalent" within it.
    before
        The look before this one. Its items must be among those of now, unchanged.
    metric
        A mean over items, or over those that the truth picks: accuracy (default), error, recall, specificity, fpr, fnr,
        cost, brier, or the mean of any number that has a `scale`. Others have no bound that holds at every look.
    cluster
        As in `compare`, where clusters, or the repeats of an item, are of equal size: they are then what is counted.
    prob
        Mass of the HDI. The bounded outcome leaves half the rest on each side, over all looks together.
    names, labels, missing, id, unmatched, sample_weight, count, pos_label, cost_matrix, threshold, higher_is_better,
    scale, model, draws, rng, random_state, threads, progress
        As in `compare`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> first = rw.Outcomes.from_pairs(positive=(300, 24, 20, 6), negative=(8, 18, 24, 300), names=["new", "old"])
    >>> look = rw.watch(first, require="not-worse", margin=0.02, draws=20_000, rng=0)
    >>> look.outcome, look.plain_outcome
    ('undecided', 'met')
    >>> look = rw.watch(first + first, require="not-worse", margin=0.02, before=look, draws=20_000, rng=0)
    >>> look.outcome, look.n
    ('met', 1400)
    """
    asked: dict[str, Any] = dict(options)
    require, margin = check_require(asked.pop("require")), asked.pop("margin", None)
    if before is not None and not isinstance(before, Look):
        raise InvalidInputError(
            wording("`before` must be the look before this one; got {}.", told(before)), hint="watch returns one."
        )
    if asked.get("metric") is None and not has_logs(data):
        asked["metric"] = "mean" if data and isinstance(data[0], ItemScores) else "accuracy"
    if has_logs(data):
        asked["flips"] = False  # which answers changed is not asked
    check_direction(data, (a, b))
    comparison = compare(*data, a=a, b=b, goal=require, margin=margin, **asked)
    return look_at(comparison, require, margin, before=before)
