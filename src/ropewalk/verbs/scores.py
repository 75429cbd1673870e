"""Compare, evaluate and rank systems by scores: an AUC, a loss of probabilities, a mean of any number an item has."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypedDict, Unpack

from ropewalk._checks import check_draws, check_keywords, check_prob, check_seed, check_threads, choose
from ropewalk._progress import ProgressLike, shown
from ropewalk.classical.delong import delong_of
from ropewalk.data.frames import is_frame
from ropewalk.data.rows import check_names
from ropewalk.data.scores import ItemScores
from ropewalk.draws.decision import parse_rope
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.comparison import run as run_comparison
from ropewalk.inference.evaluation import collected
from ropewalk.inference.question import RULES, check_reach
from ropewalk.inference.ranking import run as run_ranking
from ropewalk.metrics.scores import ScoreMetricLike, decision_cost, settle_scores
from ropewalk.models.bootstrap import Bootstrap
from ropewalk.results import Battery, Comparison, Evaluation, Ranking, Recipe
from ropewalk.text.options import wording
from ropewalk.text.remarks import Remark, issue, note
from ropewalk.typing import DrawsLike, Label, RopeLike, Rule, SeedLike
from ropewalk.verbs.evaluation import check_bar

ECE_ITEMS: Final = 1_000
"""With fewer items the expected calibration error is mostly noise, and there is no verdict on it."""

_BINARY: Final = 2
_BY_POSITION: Final = ("y_true", "score_a", "score_b", "y_score", "y_pred")


class ScoreOptions(TypedDict, total=False):
    """What may be said about scores and their metric, whatever form the data have."""

    truth: str | None
    labels: Iterable[Label] | None
    cluster: Any
    id: Any
    sample_weight: Any
    pos_label: Label | None
    higher_is_better: bool | None
    cost_matrix: Any
    threshold: float | None
    rope: RopeLike | None
    prob: float
    rule: Rule
    draws: DrawsLike
    rng: SeedLike
    random_state: SeedLike
    threads: int
    progress: ProgressLike
    tests: bool


def compare_scores(
    *data: Any,
    a: str | None = None,
    b: str | None = None,
    names: Sequence[str] | None = None,
    metric: ScoreMetricLike = "roc_auc",
    **options: Unpack[ScoreOptions],
) -> Comparison:
    """Compare two systems by their scores: the posterior of the difference A − B of a metric, and a verdict.

    Parameters
    ----------
    *data
        ``(y_true, score_a, score_b)``: the truth, and one score an item, higher for the positive class, or one column
        a class in label order. Or one file or dataframe, with `truth`, `a` and `b` for its columns. For
        ``metric="mean"`` the values need no truth: ``(value_a, value_b)``.
    metric
        "roc_auc" (default), "average_precision", "pr_auc", "log_loss", "brier", "ece", "cost", or "mean" of any number
        an item has: a loss, a grade, the average precision of a query. With more than two classes those that rank are
        the mean over each class against the rest ("macro_roc_auc"), or weighted by how often each occurs
        ("weighted_roc_auc"). A function is called as scikit-learn's are: ``f(y_true, y_score, sample_weight=…)``.
    cost_matrix, threshold
        For ``metric="cost"``: costs by truth (rows) and decision (columns), in label order; negative ones are
        utilities. Items are called positive from the threshold on; without one, probabilities decide by minimum risk.
    cluster
        Which items belong together: an array of ids, or the name of a column. Whole clusters are re-weighted.
    id
        Ids of the items, an array or the name of a column; repeats are refused unless one `cluster` holds them.
    sample_weight
        How much each item counts.
    pos_label
        The label that higher scores speak for; 1, True or "1" unless said.
    higher_is_better
        For "mean" and for functions: False where less is better; so it is for functions whose name ends in "_loss" or
        "_error".
    tests
        Whether DeLong's test stands beside an AUC of two classes; it does unless this is False.

    The other parameters are those of `compare`. The model is the paired Bayesian bootstrap: weights
    ~ Dirichlet(1, …, 1) over items or clusters, the same for both systems. DeLong's test and interval need items
    without clusters and weights.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> r = rw.compare_scores(s["y_true"], s["nb_mult"], s["svm_l2"], rope=0.01, draws=2_000, rng=0)
    >>> r.decision.symbol
    '≫'
    """
    items = as_items(data, (a, b), names, metric, options, usage="compare_scores(y_true, score_a, score_b)")
    recipe, threads = _recipe(items, metric, options)
    with shown(options.get("progress")):
        found = run_comparison(recipe, threads=threads)
    tests, remarks = _delong(recipe) if options.get("tests", True) else (None, ())
    found = replace(found, tests=tests, remarks=(*found.remarks, *remarks))
    issue(found.remarks)
    return found


def evaluate_scores(
    *data: Any,
    score: str | None = None,
    name: str | None = None,
    metric: ScoreMetricLike | Sequence[ScoreMetricLike] = "roc_auc",
    at_least: float | None = None,
    **options: Unpack[ScoreOptions],
) -> Evaluation:
    """Evaluate one system by its scores: the posterior of one or more metrics, and how it stands against a bar.

    Parameters
    ----------
    *data
        ``(y_true, score)``; or one file or dataframe, with `truth` and `score` for its columns. For ``metric="mean"``
        the values alone will do.
    metric
        One metric or a list of them, each as in `compare_scores`.
    at_least
        A bar: gives P(score ≥ bar), and with a `rope` the five-way verdict of score − bar.

    The other parameters are those of `compare_scores`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> e = rw.evaluate_scores(s["y_true"], s["svm_l2"], metric=["roc_auc", "average_precision"], draws=1_000, rng=0)
    >>> print(f"{e['roc_auc'].estimate.observed:.4f}")
    0.9544
    """
    several = isinstance(metric, Sequence) and not isinstance(metric, str)
    metrics: list[Any] = list(metric) if several else [metric]  # type: ignore[arg-type]
    if not metrics:
        raise InvalidInputError(wording("`metric` is an empty list; name at least one."))
    named = None if name is None else (name,)
    items = as_items(data, (score,), named, metrics[0], options, usage="evaluate_scores(y_true, score)")
    bar = check_bar(at_least, options.get("rope"))
    if "cost" in metrics:  # what is said about costs goes with that metric alone
        others: ScoreOptions = {**options, "cost_matrix": None, "threshold": None}
        recipes = [_recipe(items, one, options if one == "cost" else others) for one in metrics]
    else:
        recipes = [_recipe(items, one, options) for one in metrics]
    with shown(options.get("progress")):
        found = collected([recipe for recipe, _ in recipes], bar, threads=recipes[0][1])
    issue(found.remarks)
    return found


def rank_scores(
    *data: Any,
    scores: Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    metric: ScoreMetricLike = "roc_auc",
    **options: Unpack[ScoreOptions],
) -> Ranking:
    """Rank two or more systems by their scores on the same items, by one joint posterior of all of them.

    Parameters
    ----------
    *data
        ``(y_true, {"name": score, …})`` or ``(y_true, score_1, score_2, …)``; or one file or dataframe, with `truth`
        and `scores` for its columns. For ``metric="mean"`` the mapping alone will do.

    The other parameters are those of `compare_scores`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> s = rw.examples.news20().scores_class8
    >>> r = rw.rank_scores(s["y_true"], {"nb": s["nb_mult"], "svm": s["svm_l2"]}, draws=1_000, rng=0)
    >>> [model.name for model in r.by_rank]
    ['nb', 'svm']
    """
    usage = "rank_scores(y_true, {'name': score, …})"
    if data and isinstance(data[-1], Mapping):
        if names is not None:
            raise InvalidInputError("The scores come with their names; `names` would name them twice.")
        names, data = [str(name) for name in data[-1]], (*data[:-1], *data[-1].values())
    n_systems = _n_systems(data, metric) if names is None else len(names)
    columns: Sequence[str | None] = [None] * n_systems if scores is None else scores
    if isinstance(scores, str):
        raise InvalidInputError("`scores` must be a list of names.", hint=usage)
    if len(columns) < _BINARY:
        raise InvalidInputError("A ranking needs at least two systems.", hint=usage)
    items = as_items(data, columns, names, metric, options, usage=usage)
    recipe, threads = _recipe(items, metric, options)
    with shown(options.get("progress")):
        ranking = run_ranking(recipe, threads=threads)
    issue(ranking.remarks)
    return ranking


def _n_systems(data: Sequence[Any], metric: Any) -> int:
    if len(data) == 1 and isinstance(data[0], ItemScores):
        return data[0].n_classifiers
    if metric == "mean" and len(data) > 1 and data[0] is not None:
        raise InvalidInputError(
            "Which of these is the truth? A mean needs none.", hint="give the values as {'name': values, …}."
        )
    return len(data) - 1


def as_items(
    data: Sequence[Any],
    columns: Sequence[str | None],
    names: Sequence[str] | None,
    metric: Any,
    options: ScoreOptions,
    *,
    usage: str,
) -> ItemScores:
    """Return the scores of as many systems as there are `columns`, from arrays, a table or an `ItemScores`."""
    _check_said(options, usage)
    truth = options.get("truth")
    said: dict[str, Any] = {key: options.get(key) for key in ("labels", "cluster", "id", "sample_weight")}
    if metric == "mean" and len(data) == len(columns) and not (len(data) == 1 and _is_table(data[0])):
        data = (None, *data)
    if len(data) == len(columns) + 1:
        if truth is not None or any(column is not None for column in columns):
            raise InvalidInputError("Arrays have no columns to name; call the systems by names=.", hint=usage)
        return ItemScores.from_arrays(*data, names=check_names(names, len(columns)), **said)
    if len(data) != 1:
        raise InvalidInputError(f"Got {len(data)} positional arguments.", hint=f"{usage}, or a table and its columns.")
    source = data[0]
    if isinstance(source, ItemScores):
        if truth is not None or any(value is not None for value in said.values()):
            raise InvalidInputError("An ItemScores has its truth and its clusters already; give them where it is made.")
        if None in columns and len(columns) != source.n_classifiers:
            raise InvalidInputError(f"Name {len(columns)} of the systems: {', '.join(source.names)}.", hint=usage)
        wanted = [column for column in columns if column is not None]
        items = source.project(wanted) if len(wanted) == len(columns) else source
    elif _is_table(source):
        wanted = [column for column in columns if column is not None]
        if len(wanted) < len(columns) or (truth is None and metric != "mean"):
            absent = "truth=" if len(wanted) == len(columns) else "the columns of scores"
            raise InvalidInputError(
                f"A file or dataframe needs the names of its columns; {absent} is missing.",
                hint=wording('only metric="mean" does without the truth.'),
            )
        items = ItemScores.read(source, truth=truth, scores=wanted, **said)
    else:
        raise InvalidInputError(f"A single argument cannot be a {type(source).__name__}.", hint=usage)
    return items if names is None else items.rename(names)


def _check_said(options: ScoreOptions, usage: str) -> None:
    by_name = [key for key in options if key in _BY_POSITION]
    if by_name:
        raise InvalidInputError(f"The data are given by position, not as `{by_name[0]}=`.", hint=f"{usage}.")
    check_keywords(options, ScoreOptions.__annotations__)


def _is_table(source: Any) -> bool:
    return isinstance(source, str | os.PathLike | ItemScores) or is_frame(source)


def _recipe(source: ItemScores, metric: Any, options: ScoreOptions) -> tuple[Recipe, int]:
    """Check everything that was said and write it down; return it and the number of threads."""
    rope, prob = parse_rope(options.get("rope")), check_prob(options.get("prob", 0.95))
    rule, draws = choose(options.get("rule", "hdi"), RULES, "rule"), check_draws(options.get("draws", "auto"))
    seed = check_seed(options.get("rng"), options.get("random_state"))
    threads = check_threads(options.get("threads", 1))
    costs, threshold = options.get("cost_matrix"), options.get("threshold")
    if metric == "cost":
        if costs is None:
            raise InvalidInputError("The metric `cost` needs a cost matrix.", hint=wording("give it as cost_matrix=."))
        metric = decision_cost(costs, threshold)
    elif costs is not None or threshold is not None:
        raise InvalidInputError(
            "A cost matrix and a threshold go with the metric `cost`.", hint=wording('pass metric="cost".')
        )
    items, measure, positive = settle_scores(
        source, metric, options.get("pos_label"), higher_is_better=options.get("higher_is_better")
    )
    check_reach(rope, measure)
    no_verdict = ""
    if measure.name == "ece" and items.n_units < ECE_ITEMS and rope is not None:
        unit = "items" if items.cluster is None else "clusters"
        no_verdict = f"no verdict, since the ECE of fewer than {ECE_ITEMS:,} {unit} is mostly noise"
    return Recipe(
        tables=(items,),
        model=Bootstrap(over="items" if items.cluster is None else "clusters"),
        metric=measure,
        pos_label=positive,
        rope=rope,
        prob=prob,
        rule=rule,
        draws=draws,
        seed=seed,
        data_hash=source.data_hash,
        n_items=items.n_items,
        no_verdict=no_verdict,
    ), threads


def _delong(recipe: Recipe) -> tuple[Battery | None, tuple[Remark, ...]]:
    """Return DeLong's test beside an AUC of two classes, or None and why there is none."""
    items = recipe.tables[0]
    if recipe.metric.name != "roc_auc" or not isinstance(items, ItemScores):
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
