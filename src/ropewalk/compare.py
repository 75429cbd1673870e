"""Compare two classifiers: is A better than B."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, TypedDict, Unpack, overload

import numpy as np

from ropewalk._door import as_outcomes, as_pair
from ropewalk._engine import (
    MetricLike,
    collect,
    issue,
    prior_delta,
    remarks,
    write_recipe,
)
from ropewalk._validate import brief, check_seed, check_threads, few
from ropewalk.data.labels import NO_ANSWER, label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.decision import Decision, judge, rope_path
from ropewalk.errors import InvalidInputError
from ropewalk.evidence import SD_DRAWS, bayes_factor
from ropewalk.models import parse_model
from ropewalk.models.posterior import Model, draw_psi, observed_psi
from ropewalk.results import ClassComparisons, Comparison, Recipe
from ropewalk.sampling import Draws
from ropewalk.summary import count_below, summarise
from ropewalk.typing import DrawsLike, FloatArray, Label, Missing, RopeLike, Rule, SeedLike
from ropewalk.wording import verdict_text

_USAGE = (
    "compare(y_true, pred_a, pred_b), compare(outcomes, a=…, b=…), compare(outcomes_a, outcomes_b), "
    "or compare(table, truth=…, a=…, b=…)."
)


class Options(TypedDict, total=False):
    """What may be said about a comparison, whatever form the data have."""

    metric: MetricLike | None
    cost_matrix: Any
    prevalence: Any
    rope: RopeLike | None
    prob: float
    rule: Rule
    model: str | Model | None
    draws: DrawsLike
    threads: int


class _DataOptions(Options, total=False):
    names: Sequence[str] | None
    pos_label: Label | None
    rng: SeedLike
    random_state: SeedLike


@overload
def compare(
    y_true: Any,
    pred_a: Any,
    pred_b: Any,
    /,
    *,
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    **options: Unpack[_DataOptions],
) -> Comparison: ...
@overload
def compare(
    outcomes_a: Outcomes,
    outcomes_b: Outcomes,
    /,
    *,
    a: str | None = None,
    b: str | None = None,
    **options: Unpack[_DataOptions],
) -> Comparison: ...
@overload
def compare(
    outcomes: Any,
    /,
    *,
    a: str | None = None,
    b: str | None = None,
    truth: str | None = None,
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    **options: Unpack[_DataOptions],
) -> Comparison: ...


def compare(
    *data: Any,
    a: str | None = None,
    b: str | None = None,
    truth: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    metric: MetricLike | None = None,
    pos_label: Label | None = None,
    cost_matrix: Any = None,
    prevalence: Any = None,
    rope: RopeLike | None = None,
    prob: float = 0.95,
    rule: Rule = "hdi",
    model: str | Model | None = None,
    draws: DrawsLike = "auto",
    rng: SeedLike = None,
    random_state: SeedLike = None,
    threads: int = 1,
) -> Comparison:
    """Compare two classifiers: the posterior of the difference A − B of a metric, and a verdict.

    Parameters
    ----------
    *data
        ``(y_true, pred_a, pred_b)`` in scikit-learn's order; or one `Outcomes`, file or dataframe, of which `a` and
        `b` name two classifiers (and `truth` the column of true labels); or two `Outcomes` of one classifier each,
        from separate test sets or confusion matrices.
    names
        What to call the two classifiers; columns and `Outcomes` have names already.
    labels
        The classes, where the data may lack some.
    missing
        What a null or NaN label means: "error", "drop" or "wrong".
    metric
        A name (see `metrics.METRICS`, ``"fbeta(2)"``, ``"cost"``), a `Metric`, or a function of `Margins`.
        Default: `f1` for two labels or with a `pos_label`.
    pos_label
        The positive class; with more than two labels the comparison is of this class against the rest.
    cost_matrix
        For ``metric="cost"``: costs by truth (rows) and prediction (columns), in label order.
    prevalence
        Evaluate at another class mix: P(positive), or a share for each label. Only the mix is taken to shift.
    rope
        The region of practical equivalence: the smallest difference that matters, or a pair. Without one there
        is no verdict.
    prob, rule
        Mass of the HDI; "hdi" judges it against the ROPE, "probability" the masses of the three regions.
    model
        "paired" (default for one test set), "unpaired", or a model object with a prior of your own.
    draws
        How many; "auto" draws until the verdict no longer hangs on Monte Carlo error.
    rng, random_state
        An int, a NumPy Generator or SeedSequence, or None; the same seed gives the same answer on any number of
        `threads`. `random_state` is an alias.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> r.decision.symbol, r.conclusive
    ('≈', True)
    >>> print(r.decision.text)
    nb_mult and svm_l2 are practically equivalent at ±0.05
    """
    outcomes = _tables(data, (a, b), truth=truth, names=names, labels=labels, missing=missing)
    comparison = _compare(
        outcomes,
        metric=metric,
        pos_label=pos_label,
        cost_matrix=cost_matrix,
        prevalence=prevalence,
        rope=rope,
        prob=prob,
        rule=rule,
        model=model,
        draws=draws,
        seed=check_seed(rng, random_state),
        threads=threads,
    )
    issue(comparison.warnings)
    return comparison


def compare_classes(
    *data: Any,
    a: str | None = None,
    b: str | None = None,
    truth: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    rng: SeedLike = None,
    random_state: SeedLike = None,
    **options: Unpack[Options],
) -> ClassComparisons:
    """Compare two classifiers on every class against the rest, as the papers' tables do.

    Takes what `compare` takes, but for `pos_label`. Each class is its own question with its own verdict; no
    correction for their number is made, and none is needed to read the posteriors one by one.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> table = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0)
    >>> [c.decision.symbol for c in table][:3]
    ['≈', '>', '<']
    """
    outcomes = _tables(data, (a, b), truth=truth, names=names, labels=labels, missing=missing)
    seed = check_seed(rng, random_state)
    if options.get("prevalence") is not None:
        raise InvalidInputError(
            "`prevalence` is about one question, and every class is another.", hint="use compare with pos_label=."
        )
    classes = [label for label in outcomes[0].labels if label != NO_ANSWER]
    comparisons = tuple(_compare(outcomes, pos_label=label, seed=seed, **options) for label in classes)
    issue(few(warning for c in comparisons for warning in c.warnings))
    return ClassComparisons(comparisons=comparisons)


def run(recipe: Recipe, *, threads: int = 1) -> Comparison:
    """Carry out a recipe: the same recipe gives the same answer, bit for bit."""
    metric, rope, prob, rule = recipe.metric, recipe.rope, recipe.prob, recipe.rule
    names = tuple(name for table in recipe.tables for name in table.names)
    posteriors = [recipe.model.fit(table) for table in recipe.tables]
    observed = observed_psi(recipe.tables, metric, recipe.prevalence)
    differ = None if None in observed else observed[0] - observed[1]  # type: ignore[operator]

    def draw(start: int, stop: int) -> FloatArray:
        return draw_psi(
            posteriors, metric, recipe.prevalence, start=start, stop=stop, seed=recipe.seed, threads=threads
        )

    def settled(psi: FloatArray) -> bool:
        if rope is None:
            return True
        delta = psi[0] - psi[1]
        ordered = np.sort(delta)
        estimate = summarise(delta, ordered, prob=prob, observed=differ)
        return judge(estimate, ordered, rope, prob=prob, rule=rule, higher_is_better=metric.higher_is_better)[2]

    psi, first = collect(draw, recipe.draws, settled, at_least=SD_DRAWS)
    delta = psi[0] - psi[1]
    ordered = np.sort(delta)
    estimate = summarise(delta, ordered, prob=prob, observed=differ)
    estimates = [
        summarise(row, np.sort(row), prob=prob, observed=seen) for row, seen in zip(psi, observed, strict=True)
    ]
    regions, path, decision = None, None, None
    if rope is not None:
        better = metric.higher_is_better
        regions, verdict, stable, leaning = judge(
            estimate, ordered, rope, prob=prob, rule=rule, higher_is_better=better
        )
        decision = Decision(
            verdict=verdict, stable=stable, leaning=leaning, text=verdict_text(verdict, leaning, rope, *names)
        )
        path = rope_path(estimate, ordered, prob=prob, rule=rule, higher_is_better=better)
    prior = prior_delta(recipe.model, recipe.tables[0].n_labels, metric, recipe.prevalence, recipe.seed)
    where = "" if recipe.pos_label is None else f" of class {brief(label_text(recipe.pos_label))}"
    whose = (*names, f"{names[0]} − {names[1]}")
    pulls = {f"{metric.name}{where}, {who}": e for who, e in zip(whose, (*estimates, estimate), strict=True)}
    notes, alarms = remarks(recipe.tables, metric, pulls)
    return Comparison(
        a=names[0],
        b=names[1],
        estimate_a=estimates[0],
        estimate_b=estimates[1],
        delta=estimate,
        prob_below_zero=count_below(ordered, 0.0) / ordered.size,
        prob_above_zero=(ordered.size - count_below(ordered, 0.0, inclusive=True)) / ordered.size,
        regions=regions,
        rope_path=path,
        decision=decision,
        bayes_factor=bayes_factor(ordered, prior, sd_draws=first[0] - first[1], rope=rope),
        draws=Draws(psi=psi, names=names),
        recipe=recipe,
        notes=notes,
        warnings=alarms,
    )


def _tables(
    data: Sequence[Any],
    columns: Sequence[str | None],
    *,
    truth: str | None,
    names: Sequence[str] | None,
    labels: Iterable[Label] | None,
    missing: Missing,
) -> tuple[Outcomes, ...]:
    """Return one table of both classifiers, or one of each where they come separately."""
    if len(data) == 2 and all(isinstance(table, Outcomes) for table in data):  # noqa: PLR2004
        if labels is not None or truth is not None:
            raise InvalidInputError("An Outcomes has its truth and its labels already; give them where it is made.")
        return as_pair(data[0], data[1], columns, names)
    whole = as_outcomes(data, columns=columns, truth=truth, names=names, labels=labels, missing=missing, usage=_USAGE)
    return (whole,)


def _compare(
    outcomes: tuple[Outcomes, ...],
    *,
    pos_label: Label | None,
    seed: int,
    metric: MetricLike | None = None,
    cost_matrix: Any = None,
    prevalence: Any = None,
    rope: RopeLike | None = None,
    prob: float = 0.95,
    rule: Rule = "hdi",
    model: str | Model | None = None,
    draws: DrawsLike = "auto",
    threads: int = 1,
) -> Comparison:
    """Write the recipe of a question and carry it out."""
    separate = len(outcomes) > 1
    chosen = parse_model(model if model is not None else "unpaired" if separate else "paired")
    if separate and chosen.paired:
        raise InvalidInputError(
            f"The model {chosen.name!r} needs to know which items both classifiers saw; these are two separate tables.",
            hint='use model="unpaired", or give the predictions item by item.',
        )
    tables: Sequence[Outcomes] = outcomes
    if not separate and not chosen.paired:
        tables = [outcomes[0].project([name]) for name in outcomes[0].names]
    recipe = write_recipe(
        tables,
        source=outcomes,
        metric=metric,
        pos_label=pos_label,
        model=chosen,
        prevalence=prevalence,
        cost_matrix=cost_matrix,
        rope=rope,
        prob=prob,
        rule=rule,
        draws=draws,
        seed=seed,
    )
    return run(recipe, threads=check_threads(threads))
