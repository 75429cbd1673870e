"""Compare two classifiers: is A better than B."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, TypedDict, Unpack, overload

from ropewalk._checks import check_seed, check_threads
from ropewalk._progress import ProgressLike, current, shown, track
from ropewalk.classical.battery import run_battery
from ropewalk.data.inputs import as_tables
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.inference.comparison import run
from ropewalk.inference.question import default_model, write_recipe
from ropewalk.mcmc.sampler import Engine, Step, parse_engine
from ropewalk.metrics.resolve import MetricLike
from ropewalk.models.posterior import Model
from ropewalk.results import ClassComparisons, Comparison
from ropewalk.text.options import wording
from ropewalk.text.remarks import few, issue, note
from ropewalk.typing import DrawsLike, Label, Missing, RopeLike, Rule, SeedLike

_USAGE = (
    "compare(y_true, pred_a, pred_b), compare(outcomes, a=…, b=…), compare(outcomes_a, outcomes_b), "
    "or compare(table, truth=…, a=…, b=…)."
)


class Options(TypedDict, total=False):
    """What may be said about a comparison, whatever form the data have."""

    metric: MetricLike | None
    classes: Iterable[Label] | None
    cost_matrix: Any
    prevalence: Any
    rope: RopeLike | None
    prob: float
    rule: Rule
    model: str | Model | None
    engine: Engine
    step: Step | None
    chains: int | None
    tune: int | None
    draws: DrawsLike
    threads: int
    tests: bool


class _DataOptions(Options, total=False):
    progress: ProgressLike
    names: Sequence[str] | None
    cluster: Any
    id: Any
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
    cluster: Any = None,
    id: Any = None,  # noqa: A002
    metric: MetricLike | None = None,
    classes: Iterable[Label] | None = None,
    pos_label: Label | None = None,
    cost_matrix: Any = None,
    prevalence: Any = None,
    rope: RopeLike | None = None,
    prob: float = 0.95,
    rule: Rule = "hdi",
    model: str | Model | None = None,
    engine: Engine = "auto",
    step: Step | None = None,
    chains: int | None = None,
    tune: int | None = None,
    draws: DrawsLike = "auto",
    rng: SeedLike = None,
    random_state: SeedLike = None,
    threads: int = 1,
    progress: ProgressLike = None,
    tests: bool = False,
) -> Comparison:
    """Compare two classifiers: the posterior of the difference A − B of a metric, and a verdict.

    Parameters
    ----------
    *data
        ``(y_true, pred_a, pred_b)`` in scikit-learn's order, one label an item, or 0/1 arrays of items × labels where
        an item has any number of them (dense or sparse); or one `Outcomes`, file or dataframe, of which `a` and
        `b` name two classifiers (and `truth` the column of true labels); or two `Outcomes` of one classifier each,
        from separate test sets or confusion matrices.
    names
        What to call the two classifiers; columns and `Outcomes` have names already.
    labels
        The classes, where the data may lack some.
    missing
        What a null or NaN label means: "error", "drop" or "wrong".
    cluster
        Which items belong together (documents of one author, questions on one passage, repeats of one item): an array
        of ids, or the name of a column. Whole clusters are then re-weighted, by the Bayesian bootstrap.
    id
        Ids of the items, an array or the name of a column; repeats are refused unless one `cluster` holds them.
    metric
        A name (see `metrics.METRICS`, ``"fbeta(2)"``, ``"cost"``; ``micro_``, ``macro_`` or ``weighted_`` before one
        that is about a class), a `Metric`, or a function of `Margins`. Default: `f1` for two labels or with a
        `pos_label`, `macro_f1` for more.
    classes
        The classes that an average runs over; all of them unless said.
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
        "paired" (default for one test set), "unpaired", "icdm2015", "flat", or a model object with a prior of your
        own; or "bootstrap", which has no prior: the default of clusters, and of micro averages of multi-label data.
    engine, step, chains, tune
        "exact" draws independently, "pymc" by Markov chains, and "auto" takes "exact" wherever the prior allows it.
        Chains step by "nuts" (four of them, each tuned by 1,000 steps) or "metropolis" (the papers': one, not tuned);
        a `Sampler` in place of "pymc" sets more.
    draws
        How many, in all chains together; "auto" draws until the verdict no longer hangs on Monte Carlo error, and
        10,000 by NUTS, 50,000 by Metropolis.
    rng, random_state
        An int, a NumPy Generator or SeedSequence, or None; the same seed gives the same answer on any number of
        `threads`. `random_state` is an alias.
    progress
        None shows on stderr how far long drawing has come, a bar on a terminal; False never does, True always; a
        function is called with (done, total).
    tests
        Whether to run the classical tests too (`classical.battery`): they stand beside the answer, with no part in it.

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
    outcomes = as_tables(
        data, (a, b), truth=truth, names=names, labels=labels, missing=missing, usage=_USAGE, cluster=cluster, id=id
    )
    comparison = _compare(
        outcomes,
        metric=metric,
        classes=classes,
        pos_label=pos_label,
        cost_matrix=cost_matrix,
        prevalence=prevalence,
        rope=rope,
        prob=prob,
        rule=rule,
        model=model,
        engine=engine,
        step=step,
        chains=chains,
        tune=tune,
        draws=draws,
        seed=check_seed(rng, random_state),
        threads=threads,
        progress=progress,
        tests=tests,
    )
    issue(comparison.remarks)
    return comparison


def compare_classes(
    *data: Any,
    a: str | None = None,
    b: str | None = None,
    truth: str | None = None,
    names: Sequence[str] | None = None,
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    cluster: Any = None,
    id: Any = None,  # noqa: A002
    rng: SeedLike = None,
    random_state: SeedLike = None,
    progress: ProgressLike = None,
    **options: Unpack[Options],
) -> ClassComparisons:
    """Compare two classifiers on every class against the rest, as the papers' tables do.

    Takes what `compare` takes, but for `pos_label`. Each class is its own question with its own verdict; no
    correction for their number is made, and none is needed to read the posteriors one by one. The p-values of
    ``tests=True`` are another matter: see `classical.adjust`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> table = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, rng=0)
    >>> [c.decision.symbol for c in table][:3]
    ['≈', '>', '<']
    """
    outcomes = as_tables(
        data, (a, b), truth=truth, names=names, labels=labels, missing=missing, usage=_USAGE, cluster=cluster, id=id
    )
    seed = check_seed(rng, random_state)
    if options.get("prevalence") is not None:
        raise InvalidInputError(
            wording("`prevalence` is about one question, and every class is another."),
            hint=wording("use compare with pos_label=."),
        )
    if options.get("classes") is not None:
        raise InvalidInputError(wording("`classes` picks the classes of an average; here each class stands alone."))
    classes = [label for label in outcomes[0].labels if label != NO_ANSWER]
    with shown(progress):
        watched = track(classes, describe="Comparing classes", progress=current())
        comparisons = tuple(
            _compare(outcomes, pos_label=label, seed=seed, progress=False, **options) for label in watched
        )
    issue(few(remark for c in comparisons for remark in c.remarks if remark.level == "warning"))
    return ClassComparisons(comparisons=comparisons)


def _compare(
    outcomes: Sequence[AnyOutcomes],
    *,
    seed: int,
    threads: int = 1,
    progress: ProgressLike = None,
    tests: bool = False,
    engine: Any = "auto",
    step: Any = None,
    chains: Any = None,
    tune: Any = None,
    **said: Any,
) -> Comparison:
    """Write the recipe of a question and carry it out, with the classical tests of the same data if asked for."""
    if not isinstance(tests, bool):
        raise InvalidInputError(f"`tests` must be True or False; got {tests!r}.")
    recipe = write_recipe(
        outcomes,
        default=default_model(separate=len(outcomes) > 1),
        seed=seed,
        engine=parse_engine(engine, step, chains, tune),
        **said,
    )
    with shown(progress):
        comparison = run(recipe, threads=check_threads(threads))
    if not tests:
        return comparison
    battery = run_battery(outcomes, recipe.pos_label, recipe.metric.classes, prob=recipe.prob)
    remarks = comparison.remarks
    if recipe.n_clusters is not None:
        text = "The classical tests take items as independent, and these come in clusters: mistrust them."
        remarks = (*remarks, note("tests_ignore_clusters", text))
    return replace(comparison, tests=battery, remarks=remarks)
