"""What `compare`, `evaluate` and `rank` share: draw until the answer stands, exactly or by Markov chains."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from ropewalk._progress import shown
from ropewalk.data.labels import NO_ANSWER
from ropewalk.draws import streams
from ropewalk.draws.blocks import Draws, difference, generator
from ropewalk.draws.evidence import SD_DRAWS
from ropewalk.draws.intervals import Estimate, summarise
from ropewalk.errors import InvalidInputError
from ropewalk.inference.bearing import check_finite, have_means, hidden, too_far, too_little, too_noisy
from ropewalk.metrics.registry import Metric
from ropewalk.models import AnyData, draw_psi, draw_psis
from ropewalk.models.delta import resample
from ropewalk.models.protocol import Model, Posterior
from ropewalk.results import Recipe
from ropewalk.results.base import Drawing, PriorShift
from ropewalk.text.remarks import Remark, note, wording
from ropewalk.typing import DrawsLike, FloatArray, Label

if TYPE_CHECKING:
    from ropewalk.mcmc.chains import Chains

LOOKS: Final = (50_000, 200_000, 800_000, 3_200_000)
"""Where `draws="auto"` looks at the verdict; each look is a prefix of the next."""

FAR_PRIOR: Final = "no verdict, since the prior of the difference lies too far from what the data say"
UNCONVERGED: Final = "no verdict, since the Markov chains have not converged"

MAX_WORK: Final = 1_000_000_000  # random numbers, at about 20 ns each: 20 s
QUICK_WORK: Final = 200_000_000  # the work of a second or two
EARLY_LOOK: Final = 10_000
MIN_LOOK: Final = 10_000
HEAVY_WORK_PER_DRAW: Final = 100_000  # of so much work per draw, fewer must do
PRIOR_WORK: Final = 500_000
RANKING_WORK: Final = 65_000_000
"""What a ranking of three classifiers and more takes at most: a second, or 10,000 draws where they take longer."""

RANKED_PAIR_WORK: Final = 25  # per draw: its differences are sorted pooled and not
_LEAST_STEP: Final = 1.5  # to look again at fewer than so many times the draws tells little
SORTING_WORK_PER_DRAW: Final = 10  # to sort the differences of a pair costs as much as so many random numbers per draw


Collector: TypeAlias = Generator[tuple[int, int], FloatArray, FloatArray]
"""What asks for draws from here to there until it has enough."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Draft:
    """Draws of a recipe's metric, on the way to an answer; `observed` is the metric of the data."""

    recipe: Recipe
    drawing: Drawing
    posteriors: Sequence[Posterior]
    psi: FloatArray
    observed: Sequence[float | None] = ()

    def ess(self, draws: FloatArray) -> float | None:
        """Return how many independent draws these are worth; None where they are independent."""
        if self.drawing.worth is not None:
            return self.drawing.worth
        return None if self.drawing.chains is None else self.drawing.chains.ess(draws)

    def estimates(self, observed: Sequence[float | None]) -> list[Estimate]:
        """Summarise the metric of each classifier."""
        estimates = [
            summarise(row, np.sort(row), prob=self.recipe.prob, observed=seen, ess=self.ess(row))
            for row, seen in zip(self.psi, observed, strict=True)
        ]
        return [e if finite else e.without_moments() for e, finite in zip(estimates, self.have_means, strict=True)]

    @cached_property
    def have_means(self) -> tuple[bool, ...]:
        """Whether the score of each classifier has a mean."""
        return have_means(self.recipe, len(self.psi))

    @property
    def draws(self) -> Draws:
        """The draws with the names of the classifiers."""
        names = self.recipe.names
        chains = self.drawing.chains
        # Weighted draws are taken in any order, and are no chains any more.
        return Draws(psi=self.psi, names=names, chains=1 if chains is None or self.drawing.worth else chains.shape[0])

    def bearing(
        self, singles: Sequence[Estimate], judged: Estimate, signs: Sequence[float], shift: PriorShift | None
    ) -> Drawing:
        """Return the drawing with the reason why it allows no verdict on what is judged, if there is one.

        Classifiers have these `signs` in what is judged, and other priors move it by `shift`.
        """
        if self.drawing.no_verdict or self.recipe.rope is None:
            return replace(self.drawing, shift=shift)
        reason = too_little(self.recipe, [single.std for single in singles], judged.std, signs)
        reason = reason or too_far(self.recipe, shift, judged) or hidden(self.recipe, judged, signs)
        return replace(self.drawing, no_verdict=reason, shift=shift)


@dataclass(frozen=True, kw_only=True, eq=False)
class Order:
    """What is to be drawn: a recipe, whose `settled` says whether draws decide the verdict.

    `observed` is the metric of the data. Nothing is told of drawing that is `quiet`.
    """

    recipe: Recipe
    observed: Sequence[float | None]
    settled: Callable[[FloatArray], bool]
    quiet: bool = False


def draw_recipe(
    recipe: Recipe,
    observed: Sequence[float | None],
    settled: Callable[[FloatArray], bool],
    *,
    threads: int = 1,
    n_pairs: int = 1,
    chains: Chains | None = None,
) -> Draft:
    """Draw a recipe's metric, exactly or by Markov chains; `settled` says whether draws decide the verdict.

    `chains` are those that need not be run again.
    """
    order = Order(recipe=recipe, observed=observed, settled=settled)
    return draw_orders([order], threads=threads, n_pairs=n_pairs, chains=chains)[0]


def draw_orders(
    orders: Sequence[Order], *, threads: int = 1, n_pairs: int = 1, chains: Chains | None = None
) -> list[Draft]:
    """Draw what is ordered; recipes that share their tables measure the same ones, which are drawn once.

    Each gets the draws that it would get alone. `chains` are those that need not be run again.
    """
    drafts: dict[int, Draft] = {}
    waiting = list(range(len(orders)))
    while waiting:
        recipe = orders[waiting[0]].recipe
        if recipe.model.weights_difference and len(recipe.names) != 2:  # noqa: PLR2004
            raise InvalidInputError("A prior of the difference needs two classifiers.", hint="use compare.")
        check_finite(recipe)
        alike = [i for i in waiting if i == waiting[0] or recipe.shares_tables(orders[i].recipe)]
        group = [orders[i] for i in alike]
        if recipe.sampler is None:
            with shown(progress=False) if all(order.quiet for order in group) else nullcontext():
                drawn = _drawn_exactly(group, threads, n_pairs)
        else:
            drawn, known = [], chains
            for order in group:  # chains that were sampled for one metric serve the others
                drawn.append(_by_chains(order.recipe, known, too_noisy(order.recipe), threads))
                known = drawn[-1].drawing.chains
        for i, draft in zip(alike, drawn, strict=True):
            drafts[i] = _reweighted(replace(draft, observed=orders[i].observed))
        waiting = [i for i in waiting if i not in drafts]
    return [drafts[i] for i in range(len(orders))]


def _drawn_exactly(orders: Sequence[Order], threads: int, n_pairs: int) -> list[Draft]:
    """Draw recipes that share their tables."""
    recipe = orders[0].recipe
    posteriors = recipe.posteriors()

    def draw(start: int, stops: Mapping[int, int]) -> dict[int, FloatArray]:
        """Draw from `start` on for the orders at these places."""
        metrics = [orders[i].recipe.metric for i in stops]
        ends = list(stops.values())
        how: dict[str, Any] = {
            "start": start,
            "stop": max(ends),
            "stops": ends,
            "seed": recipe.seed,
            "threads": threads,
        }
        return dict(zip(stops, draw_psis(posteriors, metrics, recipe.prevalence, **how), strict=True))

    at = looks(posteriors, n_pairs=n_pairs)
    reasons = [too_noisy(order.recipe) for order in orders]

    def steadied(order: Order, psi: FloatArray) -> FloatArray:
        return recipe.model.steadied(psi, order.recipe.metric, order.observed)

    def settled(order: Order, reason: str, psi: FloatArray) -> bool:
        return bool(reason) or order.settled(steadied(order, psi))

    collectors = [
        collect(order.recipe.draws, partial(settled, order, reason), at=at)
        for order, reason in zip(orders, reasons, strict=True)
    ]
    return [
        Draft(
            recipe=order.recipe,
            drawing=Drawing(looks=at, no_verdict=reason),
            posteriors=posteriors,
            psi=steadied(order, psi),
        )
        for order, reason, psi in zip(orders, reasons, collected_together(collectors, draw), strict=True)
    ]


def _reweighted(draft: Draft) -> Draft:
    """Weight draws by the prior of the difference, where there is one, and take each as often as its weight says."""
    recipe, psi, inner = draft.recipe, draft.psi, draft.recipe.model.inner
    if inner is None or not recipe.model.weights_difference:
        return draft
    from ropewalk.mcmc.chains import LEAST_ESS

    delta = difference(psi[0], psi[1])
    weights = recipe.model.weights(delta, prior_delta(replace(recipe, model=inner)))
    share = 1 / float((weights**2).sum()) / delta.size
    worth = share * (draft.ess(delta) or delta.size)
    drawing = replace(draft.drawing, worth=worth)
    if worth < LEAST_ESS:
        drawing = replace(drawing, no_verdict=FAR_PRIOR)
    picked = psi[:, resample(weights, generator(recipe.seed, streams.WEIGHTED, 0))]
    return replace(draft, drawing=drawing, psi=picked)


def _by_chains(recipe: Recipe, chains: Chains | None, reason: str, cores: int) -> Draft:
    from ropewalk.mcmc.chains import sample

    assert recipe.sampler is not None  # noqa: S101
    if chains is None:
        chains = sample(recipe.model, recipe.tables, recipe.sampler, draws=recipe.draws, seed=recipe.seed, cores=cores)
    psi = chains.psi(recipe.metric, recipe.prevalence)
    names = recipe.names
    called = recipe.metric.name
    numbers = {f"{called} of {name}": row for name, row in zip(names, psi, strict=True)}
    for i, j in combinations(range(len(names)), 2):
        numbers[f"{called}, {names[i]} − {names[j]}"] = difference(psi[i], psi[j])
    diagnostics = chains.diagnose(numbers)
    return Draft(
        recipe=recipe,
        drawing=Drawing(
            chains=chains,
            diagnostics=diagnostics,
            looks=(psi.shape[1],),
            no_verdict=reason if diagnostics.converged else UNCONVERGED,
        ),
        posteriors=chains.posteriors(len(recipe.tables)),
        psi=psi,
    )


def looks(posteriors: Sequence[Posterior], n_pairs: int = 1) -> tuple[int, ...]:
    """Return where to look at the verdict; for large tables fewer draws must do, by their work and not by the clock.

    Of many pairs one or another nearly always lies close to an end of the ROPE, and a ranking would always take as long
    as it may. So it may take less: draws beyond help that pair alone, and hardly that one.
    """
    work = sum(posterior.work for posterior in posteriors)
    fewest = MIN_LOOK if work < HEAVY_WORK_PER_DRAW else MIN_LOOK // 5
    if n_pairs > 1:
        most = RANKING_WORK // (work + RANKED_PAIR_WORK * n_pairs)
        return _looks_of_ranking(max(most // 1_000 * 1_000, fewest))
    work += SORTING_WORK_PER_DRAW
    most = MAX_WORK // work
    within = tuple(look for look in LOOKS if look <= most)
    if within and within[0] * work > QUICK_WORK:  # an early look, for an answer within a second or two
        return (EARLY_LOOK, *within)
    last = max(most // 1_000 * 1_000, fewest)
    return within or ((EARLY_LOOK, last) if last >= _LEAST_STEP * EARLY_LOOK else (last,))


def _looks_of_ranking(most: int) -> tuple[int, ...]:
    """Return where to look at the verdicts of many pairs, with so many draws at most.

    Examples
    --------
    >>> _looks_of_ranking(300_000), _looks_of_ranking(90_000), _looks_of_ranking(11_000)
    ((50000, 200000, 300000), (10000, 50000, 90000), (10000,))
    """
    first = () if most >= 2 * LOOKS[0] else (EARLY_LOOK,)
    within = tuple(look for look in (*first, *LOOKS) if look <= most)
    return (*within, most) if not within or most >= _LEAST_STEP * within[-1] else within


def collect(draws: DrawsLike, settled: Callable[[FloatArray], bool], at: Sequence[int] = LOOKS) -> Collector:
    """Ask for as many draws as wanted, or until `settled`, and return them.

    Yields where draws start and stop, and takes them, along the last axis. A fixed number is honoured exactly.
    """
    if draws != "auto":
        return (yield 0, draws)
    whole = yield 0, at[0]
    for look in at[1:]:
        if settled(whole):
            break
        whole = np.concatenate([whole, (yield whole.shape[1], look)], axis=1)
    return whole


def collected_together(
    collectors: Sequence[Collector], draw: Callable[[int, Mapping[int, int]], Mapping[int, FloatArray]]
) -> list[FloatArray]:
    """Run collectors side by side: those that ask for draws from one place on get them at once.

    `draw(start, stops)` draws from there on for the collectors at the places that `stops` names.
    """
    collected: dict[int, FloatArray] = {}
    wanted = {i: next(collector) for i, collector in enumerate(collectors)}
    while wanted:
        start = min(start for start, _ in wanted.values())
        drawn = draw(start, {i: stop for i, (begin, stop) in wanted.items() if begin == start})
        for i, psi in drawn.items():
            try:
                wanted[i] = collectors[i].send(psi)
            except StopIteration as done:
                collected[i] = done.value
                del wanted[i]
    return [collected[i] for i in range(len(collectors))]


def takes_long(posteriors: Sequence[Posterior]) -> bool:
    """Whether the draws that Savage-Dickey takes, of posterior and prior, are too much work for a by-product."""
    return 2 * SD_DRAWS * sum(posterior.work for posterior in posteriors) > QUICK_WORK


def capped(draft: Draft, *, stable: bool) -> tuple[Remark, ...]:
    """Say that drawing stopped for the work it takes, where more draws might have settled the verdict."""
    recipe = draft.recipe
    if recipe.draws != "auto" or stable or draft.drawing.looks[-1] == LOOKS[-1] or recipe.sampler is not None:
        return ()
    text = wording(
        "Drawing stopped at {:,} draws, for the work that data of this size take; draws= asks for more.",
        draft.psi.shape[1],
    )
    return (note("capped_draws", text),)


def posterior_delta(recipe: Recipe) -> FloatArray:
    """Return the draws of a difference that Savage-Dickey takes: those that any answer to the recipe begins with."""
    psi = draw_psi(recipe.posteriors(), recipe.metric, recipe.prevalence, stop=SD_DRAWS, seed=recipe.seed)
    return difference(psi[0], psi[1])


def prior_delta(recipe: Recipe, *, fewer: bool = False) -> FloatArray:
    """Return draws of the difference of two classifiers under the prior: the same for all data, and so kept.

    The papers' recipe takes 50,000. `fewer` will do for many classes where only the mass in the ROPE is asked for.
    """
    if recipe.model.inner is not None and recipe.model.weights_difference:
        own = prior_delta(replace(recipe, model=recipe.model.inner))
        return own[resample(recipe.model.weights(own, own), generator(recipe.seed, streams.WEIGHTED, 1))]
    if not recipe.model.exact_for(recipe.tables):
        from ropewalk.mcmc.chains import prior_psi

        psi = prior_psi(recipe.model, _emptied(recipe), recipe.metric, recipe.prevalence, recipe.seed)
        return difference(psi[0], psi[1])
    table = recipe.tables[0]
    number = min(SD_DRAWS, max(PRIOR_WORK // max(table.n_labels, 1), 1)) if fewer else SD_DRAWS
    if recipe.model.is_keyed_by_name:  # such a prior is of these classifiers and classes, and no others
        empty = [recipe.model.fit(table) for table in _emptied(recipe)]
        psi = draw_psi(empty, recipe.metric, recipe.prevalence, stop=number, seed=recipe.seed, stream=streams.PRIOR)
        return difference(psi[0], psi[1])
    labels: tuple[Label, ...] = tuple(range(table.n_labels))
    if NO_ANSWER in table.labels:
        labels = (*labels[:-1], NO_ANSWER)
    question = (recipe.model, type(table), labels, recipe.metric, recipe.prevalence, recipe.seed, number)
    try:
        return _prior_delta(*question)  # type: ignore[arg-type]
    except TypeError:  # a model or function that cannot be hashed is drawn every time
        return _prior_delta.__wrapped__(*question)


def _emptied(recipe: Recipe) -> list[AnyData]:
    """Return the recipe's tables without their items."""
    return [type(table).empty(table.labels, table.names) for table in recipe.tables]


@lru_cache(maxsize=32)
def _prior_delta(  # noqa: PLR0917 - what the cache is keyed by
    model: Model,
    kind: type[AnyData],
    labels: tuple[Label, ...],
    metric: Metric,
    prevalence: tuple[float, ...] | None,
    seed: int,
    number: int,
) -> FloatArray:
    groups = [("A", "B")] if model.paired else [("A",), ("B",)]
    posteriors = [model.fit(kind.empty(labels, names)) for names in groups]
    psi = draw_psi(posteriors, metric, prevalence, stop=number, seed=seed, stream=streams.PRIOR)
    delta: FloatArray = psi[0] - psi[1]
    delta.flags.writeable = False
    return delta
