"""What data can bear: why an answer gets no verdict, and how far another prior would move it.

Each rule stands where simulations showed that intervals cover less than they say (`docs/explain/calibration.md`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from ropewalk._progress import shown
from ropewalk.data.clusters import effective_number
from ropewalk.data.labels import BINARY
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import units_of
from ropewalk.draws import streams
from ropewalk.draws.contrast import Contrast, Question
from ropewalk.draws.decision import judge
from ropewalk.draws.intervals import Estimate, hdi, summarise
from ropewalk.errors import DataError
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.resolve import leans_on_one_class
from ropewalk.metrics.scores import ScoreMetric
from ropewalk.models import AnyData, draw_psi
from ropewalk.models.protocol import Model, Posterior
from ropewalk.results import Recipe
from ropewalk.results.base import UNDECIDED, PriorShift
from ropewalk.text.remarks import wording
from ropewalk.text.verdicts import Verdict
from ropewalk.text.writing import brief, count_of
from ropewalk.typing import FloatArray

MIN_UNITS: Final = 5
"""With fewer effective clusters, or weighted items, there is no verdict."""

MIN_NOISY_UNITS: Final = 1_000  # items or clusters; of fewer, a metric that noise inflates is mostly noise
MIN_UNITS_OF_A_TAIL: Final = 30  # items or clusters, to tell from them how heavy a tail is
MAX_SKEW: Final = 0.1  # skewness over √n: beyond, an interval of a mean covers less than it says
MAX_INFLUENCE: Final = 0.25  # of one item, on the variance
MOVED: Final = 0.5
"""By so many posterior standard deviations another prior may move a difference: from there on there is no verdict."""

MOVED_ERROR: Final = 0.1
"""So well it is known how far another prior moves a difference: four standard errors of 2,000 draws."""

MOVED_ENDS: Final = 1.0
"""By so many it may move an end of the interval, unless the verdict holds all the same.

Where no item of a class tells two classifiers apart, the prior alone says how rare such items are: simulated, the
interval of a difference in recall then covered .83.
"""

UNLEARNED: Final = 2.0
"""By so many a prior that learns nothing from other classes may move a difference.

Simulated, such moves were 1.6 on average in a tail of small classes where intervals covered .92, 2.7 where .86.
"""

WIDENED: Final = 1.2
"""So many times as wide the interval may be under a prior that learns nothing from other classes.

Where two are right on all large classes and hardly an item of a small one tells them apart, the others say that none
does. Simulated, intervals that would be wider by a third then covered .77; elsewhere they would be wider by .2 at most.
"""

POOLED_FAR: Final = 1.0
"""By so many of its own standard deviations pooling may move a difference.

Simulated, intervals of one system that is better by 5.6 standard errors than five near-copies then covered .54.
"""

SAFE_MOVES: Final = 10.0
"""An end of the ROPE that is so many such moves away is safe: no prior decides on which side of it the answer lies."""

LEAST_FOR_MEAN: Final = 5
"""A ratio without bound has a mean where it is divided by so many items.

With n of them, and half or one of the prior, its moments exist up to the order n, and the Monte Carlo error of a
standard deviation takes the fourth.
"""

LEAST_DIVISOR: Final = 10
"""It has a verdict where it is divided by so many.

Simulated, intervals of a difference in LR+ covered .91 where five false positives were expected, .94 from nine on.
"""

NEAR: Final = 0.5
"""From so much of what is too far on, a few draws do not tell whether it is."""

GLANCE_WORK: Final = 1_000_000  # random numbers that are drawn sooner than looked at first
_GLANCE_DRAWS: Final = 400  # that tell where no prior matters, as nearly everywhere
_DRAWS: Final = 2_000
_DRAWS_OF_MANY: Final = 1_000  # for a ranking: of many pairs one or another nearly always asks for more than a glance
_WORK: Final = 50_000_000  # random numbers that looking at other priors may take
_FEWEST_DRAWS: Final = 200
_MAX_ERROR: Final = 0.05  # of a mean, in posterior standard deviations
LEAST_DRAWS: Final = round(_MAX_ERROR**-2)
"""Of fewer draws all is noise, and it cannot be told how far another prior moves them."""

Difference = Callable[[FloatArray], FloatArray]
"""What is judged, as a function of the draws of all classifiers."""

_SINCE: Final = "no verdict, since "


def gist(reason: str) -> str:
    """Return what a reason comes to, without the figures of its data: many studies may have it in common.

    Examples
    --------
    >>> gist("no verdict, since the prior moves the answer by 0.7 deviations: these data leave too much to the prior")
    'these data leave too much to the prior'
    """
    return reason.removeprefix(_SINCE).rpartition(": ")[2]


def too_little(recipe: Recipe, singles: Sequence[float], judged: float, signs: Sequence[float]) -> str:
    """Return why the data alone allow no verdict; empty where they do.

    `singles` and `judged` are the standard deviations of the classifiers' scores and of what is judged, `signs` those
    of the classifiers in it.
    """
    return (
        too_noisy(recipe)
        or too_steep(recipe, signs)
        or thin_or_alike(recipe, singles, judged)
        or heavy_tail(recipe, signs)
    )


def not_equivalent(recipe: Recipe, verdict: Verdict | None) -> str:
    """Return why a verdict cannot say that two are equivalent; empty where it can, or says something else."""
    reason = recipe.model.no_equivalence
    if not reason or verdict is not Verdict.EQUIVALENT:
        return ""
    return f"{_SINCE}{reason}; the scale was not declared"


def too_noisy(recipe: Recipe) -> str:
    """Return why there is no verdict on a metric to which noise adds too much in few items; empty for all others."""
    items = recipe.tables[0]
    if not recipe.metric.inflated_by_noise or recipe.rope is None or not isinstance(items, ItemScores):
        return ""
    name, (units, unit) = recipe.metric.name.upper(), units_of(items)
    noisy = f"no verdict, since the {name} of fewer than {MIN_NOISY_UNITS:,} {unit}s is mostly noise"
    return noisy if units < MIN_NOISY_UNITS else ""


def divisors(recipe: Recipe) -> tuple[int, ...]:
    """Return of each classifier how many items, or clusters that hold some, its score is divided by.

    Empty where the metric is no ratio without bound.
    """
    counted: list[int] = []
    for table in recipe.tables:
        if recipe.metric.divisor is None or not isinstance(table, Outcomes):
            return ()
        cells, clusters = Cells(table.codes, table.n_labels), table.clusters
        items = table.counts[:, np.newaxis] if clusters is None else clusters.matrix(len(table.codes)).toarray()
        held = recipe.metric.divided_by(Weighted(cells, items.astype(np.float64)))
        assert held is not None  # noqa: S101 - as was asked above
        counted += (held if clusters is None else held > 0).sum(axis=1).astype(int).tolist()
    return tuple(counted)


def have_means(recipe: Recipe, number: int) -> tuple[bool, ...]:
    """Return of each of a `number` of classifiers whether its score has a mean and a standard deviation to be known."""
    counted = divisors(recipe)
    return tuple(items >= LEAST_FOR_MEAN for items in counted) if counted else (True,) * number


def steep_text(recipe: Recipe, least: int, signs: Sequence[float] = ()) -> str:
    """Return by how few items scores are divided; empty where there are at `least` so many.

    `signs` are those of the classifiers in what is judged, by default any.
    """
    counted = divisors(recipe)
    few = [k for k, items in enumerate(counted) if items < least and (not signs or signs[k])]
    if not few:
        return ""
    what = "false positive" if recipe.metric.divisor == "fp" else "true negative"
    each = [f"{brief(recipe.names[k])} has {count_of(counted[k], what)}" for k in few]
    if recipe.n_clusters is not None:
        each = [f"{brief(recipe.names[k])} has them in {count_of(counted[k], 'cluster')}" for k in few]
    return (
        f"{recipe.metric.name} divides by the rate of {what}s, and {' and '.join(each)}: fewer than {least} "
        "leave open how large the ratio can be"
    )


def too_steep(recipe: Recipe, signs: Sequence[float]) -> str:
    """Return why a ratio allows no verdict: what it is divided by is too nearly 0. Empty where it is not."""
    text = steep_text(recipe, LEAST_DIVISOR, signs)
    return f"{_SINCE}{text}" if text else ""


def check_finite(recipe: Recipe) -> None:
    """Refuse to re-weight a ratio that is divided by nothing: it stays infinite, whatever the weights."""
    if recipe.model.reweights_items and 0 in divisors(recipe):
        name = recipe.names[divisors(recipe).index(0)]
        raise DataError(
            f"The {recipe.metric.name} of {brief(name)} is infinite however items are weighted: it divides by nothing.",
            hint=wording("leave model= out: the usual model allows for errors that were not seen."),
        )


def thin_or_alike(recipe: Recipe, singles: Sequence[float], judged: float) -> str:
    """Return why items or clusters are too few, too unequal or too much alike for a verdict; empty where they are not.

    Re-weighting knows the items it has: where there are hardly any, or where no score moves at all, its draws say
    nothing of other items. `singles` and `judged` are standard deviations, of the scores and of what is judged.
    """
    units, unit = min(map(units_of, recipe.tables))
    if recipe.model.min_units > 1 and units < recipe.model.min_units:
        return f"no verdict, since fewer than {recipe.model.min_units} {unit}s are too few to re-weight"
    if recipe.model.takes_clusters and not any(singles):
        return "no verdict, since all items are alike, and nothing says how far apart others can be"
    if recipe.model.reweights_items:
        same = "no verdict, since the two are alike on all items, and the bootstrap knows of no others"
        return "" if judged > 0 else same
    worth = min((worth for table in recipe.tables if (worth := effective_units(table)) is not None), default=math.inf)
    if worth < MIN_UNITS:
        return (
            f"no verdict, since these {unit}s tell as much as {worth:.1f} that count alike, and fewer than {MIN_UNITS} "
            "are too few"
        )
    return ""


def effective_units(data: AnyData) -> float | None:
    """Return how many clusters, or weighted items, of one size tell as much; None where all items count alike."""
    if isinstance(data, ItemScores):
        alike = data.cluster is None and data.weight is None
        return None if alike else effective_number(data.members, data.weight)
    return None if data.units is None else data.units.effective


def heavy_tail(recipe: Recipe, signs: Sequence[float]) -> str:
    """Return why the values of items say too little of their mean: a few dominate it. Empty where they do not.

    It is asked of scales that were merely seen. `signs` are those of the classifiers in what is judged.
    """
    items, metric = recipe.tables[0], recipe.metric
    if not recipe.model.no_equivalence or not isinstance(items, ItemScores) or not isinstance(metric, ScoreMetric):
        return ""
    if not (added := metric.item_values(items)):
        return ""
    values = np.sum([sign * array for sign, array in zip(signs, added, strict=True)], axis=0)
    if items.weight is not None:
        values = values * items.weight
    units = np.bincount(items.members, weights=values - values.mean(), minlength=items.n_units)
    n, squares = units.size, units**2
    variance = float(squares.mean())
    if n < MIN_UNITS_OF_A_TAIL:
        return (
            f"no verdict, since {n} {units_of(items)[1]}s do not show how rare large values are; the scale of the "
            "values was not declared"
        )
    if variance == 0:
        return ""
    skew = abs(float((units**3).mean())) / variance**1.5 / math.sqrt(n)
    share = float(squares.max() / squares.sum())
    if skew < MAX_SKEW and share < MAX_INFLUENCE:
        return ""
    largest = units_of(items)[1]
    return (
        f"no verdict, since a few large values decide the mean (the largest {largest} makes up {100 * share:.0f}% of "
        f"the variance, skewness/√n is {skew:.2f}) and others, not seen, may be larger; the scale was not declared"
    )


def prior_shift(recipe: Recipe, estimate: Estimate, contrast: Difference, question: Question) -> PriorShift | None:
    """Ask again with half and twice the prior mass; return how far what is judged moves. None where nothing can move.

    A few draws will do, and where there are so many items that even they would take long, no prior matters.
    """
    return shifts(recipe, [estimate], [contrast], question)[0]


def too_far(recipe: Recipe, shift: PriorShift | None, judged: Estimate) -> str:
    """Return why another prior moves the answer too far for a verdict; empty where it does not, or is meant to.

    Of a classifier that is always right the standard deviation itself is the prior's, of any number of items, and half
    or twice its mass always moves the mean by one. What matters then is how far the ends of the ROPE are away.
    """
    if shift is None or recipe.model.is_deliberate:
        return ""
    if shift.unlearned >= UNLEARNED:
        return (
            "no verdict, since a prior that learns nothing from other classes moves the answer by "
            f"{shift.unlearned:.1f} posterior standard deviations: these classes are too small"
        )
    extra = (shift.widened - 1) * (judged.hdi.high - judged.hdi.low) / 2
    if shift.widened >= WIDENED and _nearest(recipe, judged) <= SAFE_MOVES * extra:
        return (
            f"no verdict, since a prior that learns nothing from other classes makes the interval {shift.widened:.1f} "
            "times as wide: hardly an item of a small class tells the two apart"
        )
    if shift.moved >= MOVED:
        if _nearest(recipe, judged) > SAFE_MOVES * shift.moved * judged.std:
            return ""
        return (
            f"no verdict, since half or twice the prior mass moves the answer by {shift.moved:.1f} posterior standard "
            "deviations: these data leave too much to the prior"
        )
    if shift.ends >= MOVED_ENDS and not shift.agreed:
        return (
            f"no verdict, since half or twice the prior mass moves an end of the interval by {shift.ends:.1f} "
            "posterior standard deviations: hardly an item tells the two apart"
        )
    return ""


def hidden(recipe: Recipe, judged: Estimate, signs: Sequence[float]) -> str:
    """Return why errors of annotators leave a difference open; empty where they do not, or the ROPE is far from it.

    It is asked of metrics that lean on one of two classes. Simulated, with 15% of wrong labels and three items of the
    rarer class on which the two differ, intervals of a difference in recall covered .89.
    """
    table, apart = recipe.tables[0], [k for k, sign in enumerate(signs) if sign]
    if len(recipe.tables) > 1 or len(apart) != 2 or not isinstance(table, Outcomes):  # noqa: PLR2004
        return ""
    if table.n_labels != BINARY:
        return ""
    if not isinstance(recipe.metric, Metric) or _nearest(recipe, judged) > SAFE_MOVES * MOVED * judged.std:
        return ""
    if not leans_on_one_class(recipe.metric, table.items_by_class().astype(np.float64), recipe.prevalence):
        return ""
    reason = recipe.model.hides_class(table, apart)
    return f"{_SINCE}{reason}" if reason else ""


def _nearest(recipe: Recipe, judged: Estimate) -> float:
    """Return how far the nearest end of the ROPE is from what is judged; 0 where there is none."""
    ends = () if recipe.rope is None else (recipe.rope.low, recipe.rope.high)
    return min((abs(judged.mean - end) for end in ends), default=0.0)


def too_pooled(alone: Contrast, together: Contrast) -> str:
    """Return why a difference that was pooled allows no verdict; empty where it does.

    Pooling takes all scores to be spread alike, and one system beside near-copies of another is not. So it may take a
    verdict away, and never makes one: the items of the two must give the same one by themselves.
    """
    made, own = together.decision, alone.decision
    if made is None or own is None or (made.conclusive and own.symbol == made.symbol):
        return ""
    if made.conclusive:
        otherwise = "say otherwise" if own.conclusive else "leave it open"
        return f"{_SINCE}it would rest on the scores of others: the items of the two {otherwise}"
    moved = abs(together.delta.mean - alone.delta.mean) / alone.delta.std if alone.delta.std else 0.0
    if moved < POOLED_FAR:
        return ""
    return (
        f"{_SINCE}pooling moves the difference by {moved:.1f} of its standard deviations: "
        "it leaves too much to the other scores"
    )


def other_priors(recipe: Recipe) -> list[Model]:
    """Return the model with half and with twice the prior mass; none where it is not asked what they would say."""
    if recipe.metric.is_slow or recipe.sampler is not None or recipe.model.weights_difference:
        return []
    return [m for _, m in recipe.model.variants() if m.exact_for(recipe.tables) and not m.weights_difference][:2]


def shifts(
    recipe: Recipe,
    estimates: Sequence[Estimate],
    contrasts: Sequence[Difference],
    question: Question,
    as_judged: Difference = lambda psi: psi,
) -> list[PriorShift | None]:
    """Return the shifts of several things that are judged, from the same draws; `as_judged` pools them, if so."""
    found: list[PriorShift | None] = [None] * len(estimates)
    measurable = [estimate for estimate in estimates if _is_measurable(estimate)]
    others = other_priors(recipe)
    if not (measurable and others and all(t.n_items for t in recipe.tables)):
        return found
    models = [model for model in (*others, recipe.model.unlearned()) if model is not None]
    posteriors = [recipe.posteriors_under(model) for model in models]
    # More draws than the answer's own would not help: its own error would remain.
    wanted = _DRAWS if len(estimates) == 1 else _DRAWS_OF_MANY
    most = max(estimate.worth(wanted) for estimate in measurable)
    dear = most * sum(posterior.work for asked in posteriors for posterior in asked) > GLANCE_WORK
    plain: list[FloatArray | None] = []
    for number in sorted({min(_GLANCE_DRAWS, most), most}) if dear else [most]:
        # A glance tells of a prior that learns nothing, unless it is far away: then it is drawn again too.
        doubtful = any(shift is not None and _leans_on_others(shift, NEAR) for shift in found)
        again = len(models) if doubtful or not plain else len(others)
        drawn = [_drawn_under(recipe, *asked, number) for asked in zip(models[:again], posteriors, strict=False)]
        heavier, plain = drawn[: len(others)], drawn[len(others) :] or plain
        if any(psi is None for psi in heavier):
            break
        under, unlearned = ([as_judged(psi) for psi in part if psi is not None] for part in (heavier, plain))
        found = [
            shift_between(estimate, [of(psi) for psi in under], question, unlearned=[of(psi) for psi in unlearned])
            for estimate, of in zip(estimates, contrasts, strict=True)
        ]
        judged = zip(found, estimates, strict=True)
        if not any(shift is not None and _may_matter(shift, estimate, question) for shift, estimate in judged):
            break
    return found


def _may_matter(shift: PriorShift, estimate: Estimate, question: Question) -> bool:
    """Whether a few draws leave it open how far other priors move an answer, or what they make of the verdict."""
    if max(shift.moved / MOVED, shift.ends / MOVED_ENDS) > NEAR or _leans_on_others(shift, NEAR):
        return True
    edges = () if question.rope is None else question.rope
    return any(abs(end - edge) < estimate.std for end in estimate.hdi for edge in edges)


def _leans_on_others(shift: PriorShift, near: float) -> bool:
    """Whether an answer moves, or widens, by so much of what is too far where nothing is learned from other classes."""
    return max(shift.unlearned / UNLEARNED, (shift.widened - 1) / (WIDENED - 1)) > near


def _drawn_under(recipe: Recipe, model: Model, posteriors: Sequence[Posterior], most: int) -> FloatArray | None:
    """Return draws of the scores under another model; None where they would take long."""
    number = draws_of_another(posteriors, most)
    if not number:
        return None
    with shown(progress=False):
        psi = draw_psi(
            posteriors,
            recipe.metric,
            recipe.prevalence,
            stop=number,
            seed=recipe.seed,
            stream=streams.OTHER,
            largest_block=number,
        )
    return model.steadied(psi, recipe.metric, (None,) * len(psi))


def draws_of_another(posteriors: Sequence[Posterior], most: int = _DRAWS) -> int:
    """Return how many draws tell what another prior would say; 0 where even a few would take long.

    There are so many items then that no prior matters.
    """
    number = min(most, _WORK // max(sum(posterior.work for posterior in posteriors), 1))
    return number if number >= _FEWEST_DRAWS else 0


def _is_measurable(estimate: Estimate) -> bool:
    """Whether a move can be told from noise: of few draws all is noise."""
    return estimate.std > 0 and estimate.mc_error <= _MAX_ERROR * estimate.std


def shift_between(
    estimate: Estimate, drawn: Sequence[FloatArray], question: Question, *, unlearned: Sequence[FloatArray] = ()
) -> PriorShift | None:
    """Return how far what is judged moves from an estimate to draws under other priors; None where all is noise.

    `unlearned` are those of a prior that learns nothing, if there is one.
    """
    if not _is_measurable(estimate):
        return None
    moved, plain = (
        max((abs(float(draws.mean()) - estimate.mean) for draws in under), default=0.0) / estimate.std
        for under in (drawn, unlearned)
    )
    verdicts: list[str] = []
    if question.rope is not None:
        for draws in drawn:
            ordered = np.sort(draws)
            other = summarise(draws, ordered, prob=question.prob, observed=None)
            _, verdict, stable, _ = judge(other, ordered, question.rope, **question.how)
            if stable:  # of so few draws others may say otherwise, and not for the prior
                verdicts.append(verdict.value if verdict.conclusive else UNDECIDED)
    ends = [hdi(np.sort(draws), question.prob) for draws in drawn]
    apart = max(max(abs(one.low - estimate.hdi.low), abs(one.high - estimate.hdi.high)) for one in ends)
    width = estimate.hdi.high - estimate.hdi.low
    under = [hdi(np.sort(draws), question.prob) for draws in unlearned]
    widened = max([1.0, *((one.high - one.low) / width for one in under)]) if width > 0 else 1.0
    return PriorShift(
        moved=moved, ends=apart / estimate.std, verdicts=tuple(verdicts), unlearned=plain, widened=widened
    )
