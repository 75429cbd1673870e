"""Compare two classifiers: is A better than B."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Unpack, overload

import numpy as np

from ropewalk._checks import check_seed, check_tests, check_threads, checked_keywords
from ropewalk._progress import current, shown, track
from ropewalk.data.inputs import Kind, has_logs
from ropewalk.data.items import slices_of
from ropewalk.data.labels import NO_ANSWER
from ropewalk.data.logs.systems import pair_data
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.probabilities import name_columns
from ropewalk.data.scores import ItemScores
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.answers import pool_classes, run_comparisons
from ropewalk.inference.flips import with_flips
from ropewalk.inference.logs import are_of_chances, as_arrays, remarks_on
from ropewalk.inference.opening import are_of_log, open_data, remarks_in, with_remarks
from ropewalk.inference.question import (
    Sources,
    check_distinct,
    check_pool,
    metrics_of,
    read_sources,
    usual_companions,
    write_recipes,
)
from ropewalk.inference.slices import compare_slices
from ropewalk.metrics.resolve import require_bounded
from ropewalk.metrics.scores import is_roc_auc
from ropewalk.models import AnyData
from ropewalk.results import ClassComparisons, Comparison, Recipe, Slices, TaskComparisons
from ropewalk.results.options import (
    ClassesOptions,
    CompareOptions,
    JudgeOptions,
    SeveralRunsOptions,
    TaskOption,
    asks_about,
)
from ropewalk.text.remarks import Remark, argument, few, issue, note, wording

if TYPE_CHECKING:
    from ropewalk.results import Battery

MAX_CLASSES: Final = 2_000
"""How many classes are compared one by one: so many take minutes."""


_USAGE = (
    "compare(y_true, pred_a, pred_b), compare(outcomes, a=…, b=…), compare(outcomes_a, outcomes_b), "
    "or compare(table, truth=…, a=…, b=…)."
)


@overload
def compare(y_true: Any, pred_a: Any, pred_b: Any, /, **options: Unpack[CompareOptions]) -> Comparison: ...
@overload
def compare(
    outcomes_a: Any,
    outcomes_b: Any,
    /,
    *,
    a: str | None = None,
    b: str | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison: ...
@overload
def compare(
    outcomes: Any, /, *, a: str | None = None, b: str | None = None, **options: Unpack[CompareOptions]
) -> Comparison: ...


@checked_keywords
def compare(*data: Any, a: str | None = None, b: str | None = None, **options: Unpack[CompareOptions]) -> Comparison:
    """Compare two classifiers: the posterior of the difference A − B of a metric, and a verdict.

    Parameters
    ----------
    *data
        ``(y_true, pred_a, pred_b)`` in scikit-learn's order: one label per item, 0/1 arrays of items × labels where an
        item has any number of them (dense or sparse), or scores where the metric is of scores: one per item, higher for
        the positive class, or one column per class in label order. Or one `Outcomes`, `ItemScores`, file or dataframe,
        of which `a` and `b` name two classifiers (and `truth` the column of true labels); or two `Outcomes` of one
        classifier each, from separate test sets or confusion matrices. Or two evaluation logs (`read_log`), whose own
        score is compared item by item unless a metric of labels is named. For ``metric="mean"`` the values need no
        truth: ``(value_a, value_b)``; nor does ``metric="accuracy"`` of what says right or wrong (1 and 0, booleans,
        pass and fail).
    names
        Names for the two classifiers; columns and `Outcomes` have names already.
    labels
        The classes, where the data may lack some.
    missing
        What a null or NaN label means, or an empty cell of right and wrong: "error", "drop" or "wrong".
    cluster
        Which items belong together (documents of one author, questions on one passage, repeats of one item): an array
        of ids, or the name of a column. Whole clusters are then re-weighted, by the Bayesian bootstrap.
    id
        Ids of the items, an array or the name of a column; repeats are refused unless one `cluster` holds them.
    unmatched
        What items mean that only one of two logs has: "error", or "drop" them.
    sample_weight, count
        How much each item counts, as importance weights: only their ratios matter, an item of weight 0 is left out,
        and the fewer items dominate the wider the interval. And how many items each row stands for, where equal ones
        are grouped: whole numbers. Arrays or names of columns.
    metric
        A name (see `metrics.METRICS`, ``"fbeta(2)"``, ``"cost"``; ``micro_``, ``macro_`` or ``weighted_`` before one
        that is about a class), a `Metric`, or a function of `Margins`. Default: `f1` for two labels or with a
        `pos_label`, `macro_f1` for more. Or a metric of scores: "roc_auc" (the default of an `ItemScores`),
        "average_precision", "pr_auc", "log_loss", "brier", "ece", or "mean" of any number per item: a loss, a grade,
        the average precision of a query. With more than two classes those that rank are the mean over each class
        against the rest ("macro_roc_auc"), or weighted by how often each occurs ("weighted_roc_auc"). A function of
        scores is called as scikit-learn's are: ``f(y_true, y_score, sample_weight=…)``. Or a list of metrics: the
        answer is about the first, and its `metrics` has all.
    scores, a_scores, b_scores
        Scores beside labels, for metrics of both kinds: arrays ``(score_a, score_b)`` of the same items, or the names
        of two columns.
    classes
        The classes that an average runs over; by default all of them. Where predictions are matrices with as many
        columns, such as those of ``predict_proba``, it says which class each column is: ``estimator.classes_``.
    pos_label
        The positive class; with more than two labels the comparison is of this class against the rest.
    cost_matrix, threshold
        For ``metric="cost"``: costs by truth (rows) and prediction (columns), in label order; negative ones are
        utilities. Scores, which are numbers that are not whole, call items positive from the threshold on; without
        one, probabilities decide by minimum risk. For a metric of labels the threshold makes labels of probabilities;
        a matrix of them, one column per class, says the most probable class without one.
    scale
        For "mean" and "log_loss": the lowest and the highest value that is possible. By default 0 and 1 for a mean of
        values from 0 to 1; otherwise the range that was seen, and then nothing is said to be equivalent.
    higher_is_better
        For "mean" and for functions of scores: False where less is better; by default so for functions whose name ends
        in "loss", "error" or "cost".
    prevalence
        Evaluate at another class mix: P(positive), or a share for each label. Only the mix is taken to shift.
    rope
        The region of practical equivalence: the smallest difference that matters, or a pair; a mapping from metrics
        gives each its own. Without one there is no verdict.
    prob, rule
        Mass of the HDI; "hdi" judges it against the ROPE, "probability" the masses of the three regions.
    model
        "paired" (default for one test set) or "unpaired"; "sigir2016", "sigir2016_unpaired" and "icdm2015" have the
        papers' priors; or "tree", "pooled", "flat", or a model object with a prior of your own. Clusters, multi-label
        data and scores have `models.Items` by default: items seen, and a few imagined ones at the ends of the scale;
        "bootstrap" imagines none.
    engine
        "exact" draws independently, "pymc" by Markov chains, and "auto" takes "exact" wherever the prior allows it. A
        `Sampler` in place of "pymc" sets the step ("nuts", or "metropolis" as in the papers), chains and tuning.
    draws
        How many, in all chains together; "auto" draws until the verdict no longer depends on Monte Carlo error, and
        10,000 by NUTS, 50,000 by Metropolis.
    exact
        Of scores, whether the weights of all items are drawn. By default they are of fewer than 20,000 items; of more
        a metric is taken by its influence values, wherever its first order is close, and a note says so. False takes it
        so of fewer, True never.
    rng, random_state
        An int, a NumPy Generator or SeedSequence, or None; the same seed gives the same answer on any number of
        `threads`. `random_state` is an alias.
    progress
        None shows on stderr how far long drawing has come, a bar on a terminal; False never does, True always; a
        function is called with (done, total).
    by
        Slices of the items: an array with one value per item, or the name of a column, of logs a key of the items'
        metadata. `r.by` then has the answer on each slice, and names those where A is worse, and better; the answer
        itself stays what it is.
    task, over, weights
        Tasks of the items: an array with one value per item, or the name of a column; evaluation logs have theirs. The
        answer is then about all tasks together, each with its own posterior: ``over="these"`` (default), their average,
        where tasks count alike, or by `weights`: "items", or a weight for each; ``over="tasks"``, the mean over tasks
        like these, and the next one. `r.tasks` has the comparison on each, `r.units` each beside the others.
    runs, run
        Several runs of each method: predictions are then arrays of runs × items, or `run` names the column of a table
        with a row per item and run, `id` that of the items. "independent" runs have seeds of their own, "shared" ones
        the same seed, prompt or reader for both, and "samples" are answers to each item by itself, as at a temperature.
        The answer is about the methods, over runs and items: see `RunsComparison`.
    run_sd, deterministic, fixed
        Of runs: their standard deviation where it is known, or a `models.HalfNormal` (of shared runs that of the
        difference); which method has none, "a" or "b"; and "items" or "runs" where these are not taken as picked.
    human_a, human_b
        Where the data are what a judge says of the answers of A and of B, right or wrong or a grade: what humans say of
        some of them, None or empty on the other items, as arrays or names of columns. The answer is then about what
        humans say, and the judge's errors are corrected: see `JudgedComparison`.
    human
        Where the truth is a judge's labels: those of humans on some of the items, None or empty on the others, as an
        array or the name of a column. The metric, any of labels, is then that against what humans say. Of evaluation
        logs with a judge's scores: the name of the score that humans gave, or the key of what they say in the items'
        metadata.
    flips
        Whether to count the answers that A gained and lost against B, with the posterior of their shares: `r.flips`. By
        default so for evaluation logs. `r.items()` lists them.
    pool
        With `by`: whether the differences of slices are drawn towards each other, as far as they are alike, which
        allows for how many they are. True by default, from three slices on, but for ratios without bound.
    tests
        Whether to run the classical tests too (`classical.battery`): they stand beside the answer and do not change it.
        By default DeLong's test stands beside an AUC of two classes, and none beside labels.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> r.decision.symbol, r.conclusive
    ('≈', True)
    >>> print(r.decision.text)
    nb_mult and svm_l2 are practically equivalent at ±0.05
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, metric=["f1", "recall"], draws=2_000, rng=0)
    >>> [c.metric for c in r.metrics]
    ['f1', 'recall']
    >>> s = news.scores_class8
    >>> rw.compare(s["y_true"], s["nb_mult"], s["svm_l2"], metric="roc_auc", rope=0.01, draws=2_000, rng=0).mean > 0.01
    True
    """
    if asks_about(SeveralRunsOptions, options) or _look_like_runs(data):
        from ropewalk.verbs.runs import compare_runs  # which other questions need not wait for

        return compare_runs(data, (a, b), options)
    if asks_about(JudgeOptions, options):
        from ropewalk.verbs.judges import compare_judged  # which other questions need not wait for

        return compare_judged(data, (a, b), options)
    if asks_about(TaskOption, options):
        from ropewalk.verbs.suites import compare_suite  # which other questions need not wait for

        return compare_suite(data, (a, b), options)
    by = options.get("by")
    if by is None and options.get("pool") is not None:
        raise InvalidInputError(
            wording("`pool` is about slices."), hint=wording("name them with by=, or leave pool= out.")
        )
    asked, classifiers, named = open_data(data, (a, b), options)
    sources = read_sources(asked, classifiers, named, usage=_USAGE)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    comparison = _compare(sources, named, seed, with_companions=len(metrics_of(options)) == 1)
    if by is not None:
        kind: Kind = "scores" if isinstance(comparison.recipe.tables[0], ItemScores) else "labels"
        one_metric = {**named, "metric": metrics_of(named)[0], "rope": comparison.recipe.rope}
        one_metric |= {"goal": None, "margin": None}
        column = by if isinstance(by, str) else None
        comparison = replace(comparison, by=_by_slice(comparison, sources[kind], one_metric, column))
    comparison, usual = with_remarks(comparison, remarks_in(named)), are_of_log(named)
    if usual or options.get("flips") is not None:
        threads = check_threads(options["threads"])
        comparison = with_flips(comparison, options.get("flips"), usual=usual, threads=threads)
    issue(dict.fromkeys(remark for each in comparison.metrics for remark in each.remarks))
    return comparison


def _look_like_runs(data: Sequence[Any]) -> bool:
    """Whether predictions are rows of runs, each as long as the truth: no other data have this form."""
    shapes = [_shape(values) for values in data]
    if len(shapes) != 3 or len(shapes[0]) != 1:  # noqa: PLR2004
        return False
    size = shapes[0][0]
    return all(len(shape) == 2 and shape[1] == size != shape[0] for shape in shapes[1:])  # noqa: PLR2004


def _shape(values: Any) -> tuple[int, ...]:
    """Return the shape of an array, or of a list by its first element; of anything else nothing."""
    if isinstance(values, list):
        first: Any = values[0] if values else None
        return (len(values), len(first)) if isinstance(first, list) or np.ndim(first) == 1 else (len(values),)
    shape = getattr(values, "shape", ())
    return shape if isinstance(shape, tuple) else ()


def _by_slice(whole: Comparison, tables: Sequence[AnyData], options: Mapping[str, Any], column: str | None) -> Slices:
    """Ask the question of every slice too."""
    if len(tables) > 1:
        raise InvalidInputError(
            "Separate test sets have no slices in common.", hint="give the predictions of both on the same items."
        )
    threads, parts = check_threads(options["threads"]), slices_of(tables[0], options["by"])
    with shown(options.get("progress")):
        return compare_slices(whole, parts, options, column=column, threads=threads)


@checked_keywords
def compare_classes(
    *data: Any, a: str | None = None, b: str | None = None, **options: Unpack[ClassesOptions]
) -> ClassComparisons:
    """Compare two classifiers on every class against the rest, as the papers' tables do.

    Takes what `compare` takes, except `pos_label`. Each class is its own question with its own verdict. Read one by one
    they need no correction; picked because they look best, they do: the largest of many differences was lucky.
    ``pool=True`` draws the differences towards their common centre, as far as the classes are alike, and allows for it.
    The p-values of ``tests=True`` are another matter: see `classical.adjust`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> table = rw.compare_classes(news.outcomes, a="nb_mult", b="svm_l2", rope=0.05, draws=5_000, rng=0)
    >>> [c.decision.symbol for c in table][:3]
    ['≈', '>', '<']
    """
    if has_logs(data):
        raise InvalidInputError(
            "Evaluation logs are compared as a whole, or class by class.",
            hint='compare(new, old, metric="f1", pos_label=…) asks about one class; or convert the logs to a table.',
        )
    if len(metrics_of(options)) > 1:
        raise InvalidInputError(
            "Every class is a question of its own, by one metric.", hint=wording("name one metric=, or one pos_label=.")
        )
    named = name_columns(data, options)
    sources = read_sources(data, (a, b), named, usage=_USAGE)
    (tables,) = sources.values()
    if any(isinstance(table, Outcomes) and table.score is not None for table in tables):
        raise DataError("These counts say who is right, and know no classes.", hint="compare them as a whole.")
    seed = check_seed(options.get("rng"), options.get("random_state"))
    if options.get("prevalence") is not None:
        raise InvalidInputError(
            wording("`prevalence` is about one question, and every class is another."),
            hint=wording("use compare with pos_label=."),
        )
    for name, use in (("classes", "picks the classes of an average"), ("pos_label", "picks one class")):
        if named.get(name) is not None:
            raise InvalidInputError(
                argument(name) + f" {use}; here each class stands alone.",
                hint="leave it out, or compare all classes at once.",
            )
    if isinstance(tables[0], ItemScores) and not tables[0].by_class:
        raise InvalidInputError(
            "Every class needs scores of its own.", hint="give one column of scores per class, or use compare."
        )
    classes = [label for label in tables[0].labels if label != NO_ANSWER]
    if len(classes) > MAX_CLASSES:
        raise DataError(
            f"{len(classes):,} classes are too many to be compared one by one; it is done for up to {MAX_CLASSES:,}.",
            hint=wording('pos_label= asks about one of them, and metric="macro_f1" about all at once.'),
        )
    with shown(options.get("progress")):
        watched = track(classes, describe="Comparing classes", progress=current())
        by_class = [{**named, "pos_label": label, "progress": False} for label in watched]
        comparisons = tuple(_compare(sources, one_class, seed) for one_class in by_class)
    if check_pool(options.get("pool"), len(comparisons)):
        require_bounded(comparisons[0].recipe.metric, "differences of classes cannot be pooled")
        comparisons = pool_classes(comparisons)
    issue(few(remark for c in comparisons for remark in c.remarks if remark.level == "warning"))
    return ClassComparisons(comparisons=comparisons)


@checked_keywords
def compare_tasks(
    *data: Any, a: str | None = None, b: str | None = None, **options: Unpack[CompareOptions]
) -> TaskComparisons:
    """Compare two systems on every task that both of their evaluation logs hold.

    Takes what `compare` takes of logs. Each task is its own question with its own verdict.
    """
    if not has_logs(data):
        raise InvalidInputError("Tasks are those of evaluation logs.", hint="open them by read_log.")
    if asks_about(JudgeOptions, options):
        raise InvalidInputError("A judge is corrected on one task.", hint=wording("pick one by task=."))
    threads = check_threads(options["threads"])
    pairs = pair_data(data, (a, b), options, chances=are_of_chances(metrics_of(options)))
    with shown(options.get("progress")):
        watched = track(pairs, describe="Comparing tasks", progress=current())
        comparisons = []
        for paired in watched:
            arrays, asked = as_arrays(paired, {**options, "progress": False, "flips": False})
            comparison = with_remarks(compare(*arrays, **asked), remarks_on(paired))
            comparisons.append(with_flips(comparison, options.get("flips"), usual=True, threads=threads))
    is_own = all(c.metric == "mean" for c in comparisons)
    return TaskComparisons(
        tasks=tuple(paired.task for paired in pairs),
        comparisons=tuple(comparisons),
        scores=tuple(paired.score.name for paired in pairs) if is_own else (),
    )


def _compare(sources: Sources, options: Mapping[str, Any], seed: int, *, with_companions: bool = False) -> Comparison:
    """Write the recipes of a question and carry them out, with the classical tests of the same data beside them."""
    tests = check_tests(options.get("tests"))
    recipes = write_recipes(sources, options, seed=seed)
    check_distinct(recipes)
    companions = usual_companions(recipes[0]) if with_companions else []
    with shown(options.get("progress")):
        comparison = run_comparisons(recipes, companions=companions, threads=check_threads(options["threads"]))
    first, *others = (_tested(each, sources, tests) for each in comparison.metrics)
    return replace(first, others=tuple(others))


def _tested(comparison: Comparison, sources: Sources, tests: bool | None) -> Comparison:  # noqa: FBT001
    """Put the classical tests of the same data beside a comparison."""
    recipe = comparison.recipe
    if isinstance(recipe.tables[0], ItemScores):
        battery, remarks = (None, ()) if tests is False else _delong(recipe)
    elif tests and any(table.units is not None and table.n_clusters is None for table in sources["labels"]):  # type: ignore[union-attr]
        text = "No classical tests: they take all items to count alike, and these have weights."
        battery, remarks = None, (note("no_weighted_tests", text),)
    elif tests:
        from ropewalk.classical.battery import run_battery

        tables = sources["labels"]
        battery = run_battery(tables, recipe.pos_label, recipe.metric.classes, prob=recipe.prob)  # type: ignore[arg-type]
        clustered = "The classical tests take items as independent, and these come in clusters: mistrust them."
        remarks = () if recipe.n_clusters is None else (note("tests_ignore_clusters", clustered),)
    else:
        return comparison
    return replace(comparison, tests=battery, remarks=(*comparison.remarks, *remarks))


def _delong(recipe: Recipe) -> tuple[Battery | None, tuple[Remark, ...]]:
    """Return DeLong's test beside an AUC of two classes, or None and why there is none."""
    from ropewalk.classical.items import delong_of
    from ropewalk.results import Battery

    items = recipe.tables[0]
    if not is_roc_auc(recipe.metric) or not isinstance(items, ItemScores):
        return None, ()
    if items.cluster is not None or items.weight is not None:
        return None, (note("no_delong", "No DeLong test: it is for items that stand alone and count alike."),)
    try:
        test = delong_of(items, prob=recipe.prob)
    except DataError as error:
        return None, (note("no_delong", f"No DeLong test: {error.message}"),)
    battery = Battery(
        a=items.names[0],
        b=items.names[1],
        n_items=items.n_items,
        tests={"delong": test},
        pos_label=recipe.pos_label,
        data_hash=recipe.data_hash,
    )
    return battery, ()
