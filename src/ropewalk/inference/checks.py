"""Predictive checks: replicate the data from the prior or posterior of an answer, and see whether they look alike."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final, TypeAlias, Unpack, get_args

import numpy as np

from ropewalk._checks import check_seed, checked_keywords, choose, is_whole
from ropewalk._progress import current, shown, track
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.draws.intervals import Interval
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.mcmc.chains import Chains, prior_tables
from ropewalk.metrics.margins import Tables
from ropewalk.metrics.registry import Metric
from ropewalk.models.protocol import Posterior
from ropewalk.models.replicate import agreements, cut, meetings, replicate, seen_tables, squares, whole_block
from ropewalk.results import Evaluation, MetricPosterior, Recipe
from ropewalk.results.base import OneMetric
from ropewalk.results.checks import CheckKind, CheckRow, PredictiveCheck
from ropewalk.results.options import SeedOptions
from ropewalk.text.remarks import Remark, note
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray, IntArray, Label

Key: TypeAlias = tuple[str, tuple[str, ...], Label | None]
"""Which statistic, of which classifiers, of which class."""

CELLS_AT_ONCE: Final = 2_000_000  # cells of confusion matrices that are looked at together
ENDS_OF_INTERVALS: Final = (0.025, 0.25, 0.75, 0.975)
MAX_ROUNDING: Final = 1e-12  # values of a metric that differ by rounding only are the same
STATISTICS: Final = ("agreement", "accuracy", "", "recall", "class share")  # "" stands for the metric of the answer
SPANS: Final = (250, 125, 100, 50, 25, 10, 5, 2, 1)  # draws at a time
MAX_COUNTS_KEPT: Final = 4_000_000  # counts in the confusion matrices that a check keeps
MAX_VALUES: Final = 40_000_000  # values of statistics that are kept until all are there
MAX_DRAWS: Final = 1_000_000


@checked_keywords
def predictive_check(
    answer: Any,
    *,
    kind: CheckKind = "posterior",
    draws: int = 1_000,
    outcomes: AnyOutcomes | None = None,
    **how: Unpack[SeedOptions],
) -> PredictiveCheck:
    """Replicate the data of an answer from its posterior or prior, and compare what is seen with what was seen.

    Each draw of the model makes a data set with as many items as the observed one, class sizes replicated as well. The
    Bayesian p-value of a feature is the share of data sets in which it is at least as large as observed, ties counted
    half. Near 0 or 1 the model does not reproduce that feature; anything between says only that this feature does not
    contradict it. It is no test of a hypothesis, and not a measure of how good a classifier is.

    The models here have nearly as many parameters as the data have cells, so a posterior check of a recall is rarely
    surprising. What can be: the agreement of classifiers under a model that does not pair them, rare classes under a
    heavy prior, a strong prior of your own.

    Parameters
    ----------
    answer
        What `compare`, `rank` or `evaluate` returned; of an evaluation of several metrics, one of them.
    kind
        "posterior" asks whether the model, having seen the data, would show them again; "prior" whether they are among
        those that the prior expects. A bootstrap, and a centre that is pooled from the data, have no prior.
    draws
        How many data sets to replicate. They come from the first draws of the answer itself.
    rng, random_state
        Where the replicated items come from; by default from the seed of the answer.
    outcomes
        All classifiers on the same items, for the answer of a model that does not pair them: such an answer knows each
        one's own table only, so without it agreement is not checked.
    progress
        As in `compare`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rng=0)
    >>> check = predictive_check(r)
    >>> check.statistics, len(check.flagged)
    (('agreement', 'accuracy', 'f1', 'recall', 'class share'), 0)
    >>> u = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, model="unpaired", rng=0)
    >>> [row.statistic for row in predictive_check(u, outcomes=news.outcomes).flagged]
    ['agreement']
    """
    chosen: CheckKind = choose(kind, {name: name for name in get_args(CheckKind)}, "kind of check")
    number = _check_draws(draws)
    single = _single_answer(answer)
    single.require_data("replicated")
    recipe: Recipe = single.recipe
    tables = _tables(recipe)
    joint = _joint(recipe, tables, outcomes)
    rng, random_state = how.get("rng"), how.get("random_state")
    seed = recipe.seed if rng is None and random_state is None else check_seed(rng, random_state)
    source = tables_of(single, chosen, number)
    with shown(how.get("progress")):
        # At another class mix the metric of the answer is not about data like these.
        has_metric = isinstance(recipe.metric, Metric) and recipe.prevalence is None
        features = Features(tables=tables, metric=recipe.metric if has_metric else None)  # type: ignore[arg-type]
        seen = features.seen(joint)
        if len(seen) * number > MAX_VALUES:
            raise InvalidInputError(
                f"`draws` must be at most {MAX_VALUES // len(seen):,} for {len(seen):,} statistics; got {number:,}.",
                hint="1,000 show a p-value to a point and a half.",
            )
        stream = streams.PRIOR_REPLICATED if chosen == "prior" else streams.REPLICATED
        n_streams = len(tables) + math.comb(len(tables), 2)  # of each table, and of each pair that is matched
        rngs = [generator(seed, stream + i, 0) for i in range(n_streams)]
        values, matrices = _replicated(source, features, number, rngs, joint=joint is not None)
    rows = beside(seen, values, ess=source.ess)
    return PredictiveCheck(
        kind=chosen,
        names=tuple(name for table in tables for name in table.names),
        labels=tables[0].labels,
        rows=rows,
        draws=number,
        seed=seed,
        checked=tuple(table.n_items for table in tables),
        recipe=recipe,
        observed=None if matrices is None else _observed(tables),
        replicates=matrices,
        remarks=tuple(_remarks(recipe, chosen, rows, seen, joint=joint is not None)),
    )


# -- what is checked ---------------------------------------------------------------------------------------


def _check_draws(draws: Any) -> int:
    if not is_whole(draws) or not 1 <= draws <= MAX_DRAWS:
        raise InvalidInputError(
            f"`draws` must be a whole number from 1 to {MAX_DRAWS:,}; got {told(draws)}.",
            hint="it is how many data sets are replicated; 1,000 show a p-value to a point and a half.",
        )
    return int(draws)


def _single_answer(answer: Any) -> OneMetric | MetricPosterior:
    """Return the answer to check: of an evaluation its only metric."""
    if isinstance(answer, Evaluation):
        if len(answer.metrics) == 1:
            return answer.metrics[0]
        first = answer.metrics[0].metric.name
        raise InvalidInputError(
            f"An evaluation of {len(answer.metrics)} metrics has as many answers, maybe of different models.",
            hint=f"check one of them: evaluation[{first!r}].predictive_check().",
        )
    if isinstance(answer, OneMetric | MetricPosterior):
        return answer
    raise InvalidInputError(
        f"A {type(answer).__name__} cannot be checked against replicated data.",
        hint="give what compare, rank or evaluate returned; of compare_classes, one of its comparisons.",
    )


def _tables(recipe: Recipe) -> tuple[AnyOutcomes, ...]:
    if not recipe.model.takes_labels_as_true:
        raise InvalidInputError(
            "The model is about true labels, and the data hold those that were annotated: they cannot be compared.",
            hint="check the same question under a model that takes labels as they are.",
        )
    tables = tuple(table for table in recipe.tables if not isinstance(table, ItemScores))
    if len(tables) < len(recipe.tables):
        raise InvalidInputError(
            "Scores have no model that could make new ones: there is nothing to replicate.",
            hint="cut the scores at a threshold and use compare, rank or evaluate on the labels.",
        )
    if any(table.units is not None and table.clusters is None for table in tables):
        raise InvalidInputError(
            "These items have weights, and the model is about items as they would be in the proportions of the "
            "weights: data like those seen cannot be replicated.",
            hint="check the model on the items without weights.",
        )
    return tables


def _joint(recipe: Recipe, tables: Sequence[AnyOutcomes], outcomes: Any) -> AnyOutcomes | None:
    """Return all classifiers on the same items, brought into the shape of their own tables, which must be its."""
    if outcomes is None:
        return None
    if len(tables) == 1:
        raise InvalidInputError(
            "`outcomes` is for models that do not pair the classifiers; this answer has all it needs.",
            hint="leave outcomes= out.",
        )
    if not isinstance(outcomes, Outcomes | MultilabelOutcomes):
        raise InvalidInputError(
            f"`outcomes` must be an Outcomes; got {type(outcomes).__name__}.",
            hint="rw.Outcomes.from_arrays(y_true, pred_a, pred_b, names=[…]) makes one.",
        )
    whole: AnyOutcomes = outcomes.project([table.names[0] for table in tables])
    if isinstance(whole, MultilabelOutcomes) and recipe.pos_label is not None:
        whole = whole.table(recipe.pos_label)
    elif isinstance(whole, Outcomes) and recipe.pos_label is not None and whole.labels != tables[0].labels:
        whole = whole.collapse(recipe.pos_label)
    if any(whole.project(table.names) != table for table in tables):
        raise DataError(
            "`outcomes` does not hold the data that the answer was made of.",
            hint="give the table that compare or rank was given, with the same labels.",
        )
    return whole


# -- the draws ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where tables come from: `tables(start, stop)` gives those draws, one `Tables` for each table of the recipe.

    It is asked for at most `span` draws at a time, in order, each time from a multiple of `span` on. `ess` is how many
    independent draws stand behind them: no limit where each is independent, and finite where they come from chains.
    """

    tables: Callable[[int, int], Sequence[Tables]]
    span: int
    ess: float = math.inf


def tables_of(answer: OneMetric | MetricPosterior, kind: CheckKind, draws: int) -> Source:
    """Return where `draws` tables of an answer come from: the very draws that it was made of, or those of its prior."""
    recipe, chains = answer.recipe, answer.chains
    if kind == "posterior":
        if chains is not None:
            return _from_chains(chains, recipe.seed, min(chains.ess(row) for row in answer.draws.psi))
        return _exact([recipe.model.fit(table) for table in recipe.tables], recipe.seed, streams.POSTERIOR)
    if recipe.model.no_factor:  # the same that leaves no Bayes factor
        raise InvalidInputError(
            f"There is no prior to draw from: {recipe.model.no_factor}.",
            hint="kind='posterior' checks the draws themselves; other models have a prior."
            if recipe.model.reweights_items
            else 'models.Tree(paired=False) has a prior of its own, as model="unpaired" does.',
        )
    empty = [type(table).empty(table.labels, table.names) for table in _tables(recipe)]
    if chains is not None:
        return _one_by_one(prior_tables(recipe.model, empty, draws, recipe.seed))
    return _exact([recipe.model.fit(table) for table in empty], recipe.seed, streams.PRIOR)


def _from_chains(chains: Chains, seed: int, ess: float) -> Source:
    """Return draws picked at random from Markov chains, so that all parts of all chains have their say."""
    span = SPANS[0]

    def tables(start: int, stop: int) -> list[Tables]:
        picked = chains.pick(generator(seed, streams.PICKED, start // span), span)
        return [cut(table, 0, stop - start) for table in picked]

    return Source(tables=tables, span=span, ess=ess)


def _one_by_one(chunks: Iterator[list[Tables]]) -> Source:
    """Return draws that come in chunks of whatever size, in the order in which they come."""
    waiting: list[Sequence[Tables]] = []

    def tables(start: int, stop: int) -> list[Tables]:  # noqa: ARG001 - one after the other
        if not waiting:
            whole = next(chunks)
            size = len(whole[0].margins().row)
            waiting.extend([cut(table, d, d + SPANS[0]) for table in whole] for d in range(0, size, SPANS[0]))
        return list(waiting.pop(0))

    return Source(tables=tables, span=SPANS[0])


def _exact(posteriors: Sequence[Posterior], seed: int, stream: int) -> Source:
    """Return independent draws, block by block as the answer drew them."""
    sizes = [posterior.block_size for posterior in posteriors]
    common = math.gcd(*sizes)
    last: dict[int, tuple[int, Tables]] = {}  # of each posterior the block that is being cut

    def tables(start: int, stop: int) -> list[Tables]:
        cuts = []
        for number, (posterior, size) in enumerate(zip(posteriors, sizes, strict=True)):
            block, place = divmod(start, size)
            if last.get(number, (-1, None))[0] != block:
                last[number] = (block, whole_block(posterior, generator(seed, stream + number, block), size))
            cuts.append(cut(last[number][1], place, place + stop - start))
        return cuts

    # A span divides every block, so it never reaches over the end of one.
    return Source(tables=tables, span=next(span for span in SPANS if common % span == 0))


def _replicated(
    source: Source, features: Features, draws: int, rngs: Sequence[np.random.Generator], *, joint: bool
) -> tuple[dict[Key, FloatArray], IntArray | None]:
    """Return every statistic of every data set, and the confusion matrices of the first ones."""
    tables = features.tables
    parts: dict[Key, list[FloatArray]] = {}
    matrices: list[FloatArray] = []
    keep = _kept(tables, draws)
    for start in track(range(0, draws, source.span), describe="Replicating the data", progress=current()):
        stop = min(start + source.span, draws)
        drawn = source.tables(start, stop)
        data = [
            replicate(weights, table.n_items, rng)
            for weights, table, rng in zip(drawn, tables, rngs[: len(tables)], strict=True)
        ]
        measured = [features.measure(replicates, table) for replicates, table in zip(data, tables, strict=True)]
        if joint:
            measured.append(features.meet(data, drawn, rngs[len(tables) :]))
        for key, values in (pair for statistics in measured for pair in statistics.items()):
            parts.setdefault(key, []).append(values)
        if start < keep:
            some = min(stop, keep) - start
            matrices.append(np.concatenate([squares(cut(replicates, 0, some)) for replicates in data]))
    kept = np.concatenate(matrices, axis=1).swapaxes(0, 1).astype(np.int64) if matrices else None
    whole = {key: np.concatenate(values) for key, values in parts.items()}
    return {key: values for key, values in whole.items() if values.size == draws}, kept


def _kept(tables: Sequence[AnyOutcomes], draws: int) -> int:
    """Return how many data sets keep their confusion matrices."""
    if isinstance(tables[0], MultilabelOutcomes):
        return 0
    cells = sum(table.n_classifiers for table in tables) * tables[0].n_labels ** 2
    return min(draws, MAX_COUNTS_KEPT // max(cells, 1))


def _observed(tables: Sequence[AnyOutcomes]) -> IntArray:
    return np.stack(
        [table.confusion(name) for table in tables if isinstance(table, Outcomes) for name in table.names]
    ).astype(np.int64)


# -- what is measured of data sets, observed or replicated alike --------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """What is measured of data sets: one of `tables`, which hold a classifier each or all of them together.

    `metric` is one more statistic, if it is not among the others by its name.
    """

    tables: tuple[AnyOutcomes, ...]
    metric: Metric | None

    def seen(self, joint: AnyOutcomes | None) -> dict[Key, float]:
        """Return every statistic of the observed data; what a class without items has none of is NaN.

        `joint` are all classifiers on the same items, where the tables do not show on what they agree.
        """
        values: dict[Key, FloatArray] = {}
        for table in self.tables:
            values |= self.measure(seen_tables(table), table)
        if joint is not None:
            data = seen_tables(joint)
            values |= _agreed(agreements(data), data.margins().total[:, 0], joint.names, joint.labels)
        return {key: float(value[0]) for key, value in values.items()}

    def measure(self, data: Tables, table: AnyOutcomes) -> dict[Key, FloatArray]:
        """Return statistics of D data sets like `table`, each (D,), NaN where there are none."""
        margins, names, labels, metric = data.margins(), table.names, table.labels, self.metric
        total = margins.total[:, 0]
        values: dict[Key, FloatArray] = _agreed(agreements(data), total, names, labels)
        if not isinstance(table, MultilabelOutcomes):
            right = margins.tp.sum(axis=-1)
            values |= {("accuracy", (name,), None): _share(right[k], total) for k, name in enumerate(names)}
        if metric is not None and metric.name not in STATISTICS:
            values |= {
                (metric.name, (name,), None): value for name, value in zip(names, _scores(metric, data), strict=False)
            }
        possible = [(j, label) for j, label in enumerate(labels) if label != NO_ANSWER]
        for k, name in enumerate(names):
            recalls = _share(margins.tp[k], margins.row)
            values |= {("recall", (name,), label): recalls[:, j] for j, label in possible}
        shares, whose = _share(margins.row, margins.total), names if len(self.tables) > 1 else ()
        return values | {("class share", whose, label): shares[:, j] for j, label in possible}

    def meet(
        self, data: Sequence[Tables], drawn: Sequence[Tables], generators: Sequence[np.random.Generator]
    ) -> dict[Key, FloatArray]:
        """Return the agreement that models of single classifiers expect, had they seen the same items.

        The items are those of the first of a pair, whose `data` was replicated; to each of them the second one says
        what its own model, as `drawn`, makes it say about an item of that class.
        """
        values: dict[Key, FloatArray] = {}
        first = self.tables[0]
        n_draws = len(data[0].margins().row)
        cells = first.n_labels * (4 if isinstance(first, MultilabelOutcomes) else first.n_labels)
        step = max(CELLS_AT_ONCE // cells, 1)
        for rng, (a, b) in zip(generators, combinations(range(len(self.tables)), 2), strict=True):
            parts = [
                meetings(cut(data[a], start, start + step), cut(drawn[b], start, start + step), rng)
                for start in range(0, n_draws, step)
            ]
            total = np.full(n_draws, float(self.tables[a].n_items))
            pair = (self.tables[a].names[0], self.tables[b].names[0])
            values |= _agreed(np.concatenate(parts)[np.newaxis], total, pair, first.labels)
        return values


def _scores(metric: Metric, data: Tables) -> Sequence[FloatArray]:
    """Return the metric of each classifier; nothing where somebody's own cannot do with an empty class."""
    try:
        values = metric(data)
    except InvalidInputError:
        return ()
    return list(np.where(data.margins().total[:, 0] > 0, values, np.nan))


def _agreed(
    alike: FloatArray | IntArray | None, total: FloatArray, names: Sequence[str], labels: Sequence[Label]
) -> dict[Key, FloatArray]:
    """Return the shares of items on which each pair says the same, by label where items have any number of them."""
    values: dict[Key, FloatArray] = {}
    if alike is None:
        return values
    for pair, weights in zip(combinations(names, 2), alike, strict=True):
        if weights.ndim == 1:
            values["agreement", pair, None] = _share(weights, total)
        else:
            shares = _share(weights, total[:, np.newaxis])
            values |= {("agreement", pair, label): shares[:, j] for j, label in enumerate(labels)}
    return values


def _share(part: Any, whole: Any) -> FloatArray:
    """Divide, leaving NaN where there is nothing to divide by."""
    part, whole = np.broadcast_arrays(part, whole)
    values: FloatArray = np.divide(part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return values


# -- observed and replicated side by side ------------------------------------------------------------------


def beside(
    seen: Mapping[Key, float], values: Mapping[Key, FloatArray], *, ess: float = math.inf
) -> tuple[CheckRow, ...]:
    """Set each statistic beside its replicates, where both have it: see `CheckRow`.

    `ess` is how many independent draws the replicates come from, where that is not one each.

    Examples
    --------
    >>> key = ("accuracy", ("svm",), None)
    >>> row = beside({key: 0.8}, {key: np.array([0.7, 0.8, 0.8, 0.9])})[0]
    >>> row.p_value, row.n
    (0.5, 4)
    """
    keys = [key for key in values if not math.isnan(seen.get(key, math.nan)) and np.isfinite(values[key]).any()]
    labels = {label: place for place, label in enumerate(dict.fromkeys(label for _, _, label in values))}
    # Class by class, with the classifiers next to each other.
    keys.sort(key=lambda key: (STATISTICS.index(key[0] if key[0] in STATISTICS else ""), labels[key[2]]))
    return tuple(_row(key, seen[key], values[key][np.isfinite(values[key])], ess=ess) for key in keys)


def _row(key: Key, observed: float, values: FloatArray, *, ess: float) -> CheckRow:
    near = MAX_ROUNDING * max(abs(observed), 1.0)
    above = np.where(np.abs(values - observed) <= near, 0.5, values > observed)
    ends = np.quantile(values, ENDS_OF_INTERVALS).tolist()
    return CheckRow(
        statistic=key[0],
        classifiers=key[1],
        label=key[2],
        observed=observed,
        mean=float(values.mean()),
        interval=Interval(ends[0], ends[3]),
        half=Interval(ends[1], ends[2]),
        p_value=float(above.mean()),
        mc_error=_mc_error(above, ess=ess),
        n=values.size,
    )


def _mc_error(above: FloatArray, *, ess: float) -> float:
    """Return the standard error of a p-value; that of 0 or 1 is not 0, since more draws might show other values."""
    share = (float(above.sum()) + 1.0) / (above.size + 2.0)
    return math.sqrt(share * (1.0 - share) * (1.0 / above.size + 1.0 / ess))


# -- what must be said beside it ---------------------------------------------------------------------------


def _remarks(
    recipe: Recipe, kind: CheckKind, rows: Sequence[CheckRow], seen: Iterable[Key], *, joint: bool
) -> Iterator[Remark]:
    apart, strange = len(recipe.tables) > 1, {row.statistic for row in rows if row.flagged}
    empty = sum(key[0] == "recall" for key in seen) - sum(row.statistic == "recall" for row in rows)
    left = {key[0] for key in seen} - {row.statistic for row in rows} - {"recall"}
    if apart and joint and "agreement" in strange:
        text = "The model takes the classifiers as independent given the class of an item, and they are not: a model "
        yield note("classifiers_not_independent", text + "that pairs them has more to say about their difference.")
    if apart and not joint:
        text = "Agreement is not checked: a model that does not pair the classifiers knows each one's own table only. "
        yield note("agreement_not_checked", text + "If they saw the same items, pass outcomes= with all of them.")
    if empty and rows:
        text = f"{empty:,} recall{'s are' if empty > 1 else ' is'} not checked: of classes without items in the data, "
        yield note("recall_not_checked", text + "or in all replicates.")
    if left and rows:
        text = "Not checked, for want of a value in the replicates: "
        yield note("feature_not_checked", f"{text}{', '.join(sorted(left))}.")
    if kind == "posterior":
        text = "The model has nearly as many parameters as the data have cells, and follows them closely: that recalls "
        yield note("model_follows_data", text + "are reproduced is no surprise, and no proof of the model.")
    else:
        text = "Of data that come from the prior itself, 5% of the features are outside the middle 95% of the "
        yield note("outside_by_chance", text + "replicates.")
    if recipe.n_clusters is not None:
        text = "Items are replicated one by one, and not in clusters: the replicates vary less than new data would."
        yield note("clusters_not_replicated", text)
