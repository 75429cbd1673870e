"""Evaluate one classifier: how good it is, and whether that is good enough."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from ropewalk._checks import check_seed, check_threads, is_real
from ropewalk._progress import ProgressLike, shown
from ropewalk.data.inputs import as_outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.inference.evaluation import collected
from ropewalk.inference.question import write_recipe
from ropewalk.mcmc.sampler import Engine, Step, parse_engine
from ropewalk.metrics.registry import Metric, parse_metric
from ropewalk.metrics.resolve import MetricLike
from ropewalk.models.posterior import Model
from ropewalk.models.tree import Tree
from ropewalk.results import Evaluation
from ropewalk.text.options import wording
from ropewalk.text.remarks import issue
from ropewalk.typing import DrawsLike, Label, Missing, RopeLike, Rule, SeedLike

_USAGE = "evaluate(y_true, y_pred), evaluate(outcomes, 'name'), or evaluate(table, 'column', truth=…)."


def evaluate(
    *data: Any,
    truth: str | None = None,
    name: str | None = None,
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    cluster: Any = None,
    id: Any = None,  # noqa: A002
    metric: MetricLike | Sequence[MetricLike] | None = None,
    classes: Iterable[Label] | None = None,
    pos_label: Label | None = None,
    cost_matrix: Any = None,
    prevalence: Any = None,
    at_least: float | None = None,
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
) -> Evaluation:
    """Evaluate one classifier: the posterior of one or more metrics, and how it stands against a bar.

    Parameters
    ----------
    *data
        ``(y_true, y_pred)``; or an `Outcomes` and the name of one of its classifiers; or a file or dataframe and
        the name of the column of predictions, with `truth` for that of the true labels.
    name
        What to call the classifier whose predictions come as an array.
    metric
        One metric or a list of them, each as in `compare`. `classes` goes with those that are averages.
    at_least
        A bar: gives P(score ≥ bar), and with a `rope` the five-way verdict of score − bar. For measures where
        less is better, `≫` still means better than the bar.

    The other parameters are those of `compare`. With more than two labels the default model is the tree with the
    pooled centre, whose intervals of a single score cover best; `compare` and `rank` have the fixed centre, so their
    scores differ a little from these.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> e = rw.evaluate(news.outcomes, "svm_l2", metric=["f1", "recall"], pos_label=8, at_least=0.8, rng=0)
    >>> e["f1"].prob_at_least < 0.001
    True
    """
    named = len(data) == 2 and isinstance(data[1], str)  # noqa: PLR2004
    outcomes = as_outcomes(
        data[:1] if named else data,
        columns=(data[1] if named else None,),
        truth=truth,
        names=None if name is None else (name,),
        labels=labels,
        missing=missing,
        usage=_USAGE,
        cluster=cluster,
        id=id,
    )
    metrics: Sequence[Any] = metric if isinstance(metric, Sequence) and not isinstance(metric, str) else [metric]
    if not metrics:
        raise InvalidInputError(wording("`metric` is an empty list; name at least one."))
    if cost_matrix is not None and not any(one in ("cost", None) for one in metrics):
        raise InvalidInputError("A cost matrix goes with the metric `cost`.", hint=wording('pass metric="cost".'))
    bar = check_bar(at_least, rope)
    if model == "paired":
        raise InvalidInputError(
            "The model 'paired' is for two or more classifiers.", hint=wording('use model="unpaired".')
        )
    seed, workers = check_seed(rng, random_state), check_threads(threads)
    way = parse_engine(engine, step, chains, tune)
    recipes = [
        write_recipe(
            [outcomes],
            default=_default,
            metric=one,
            classes=classes
            if one is None or parse_metric(one, cost_matrix if one == "cost" else None).is_average
            else None,
            pos_label=pos_label,
            model=model,
            prevalence=prevalence,
            cost_matrix=cost_matrix if one in ("cost", None) else None,
            rope=rope,
            prob=prob,
            rule=rule,
            draws=draws,
            seed=seed,
            engine=way,
        )
        for one in metrics
    ]
    with shown(progress):
        result = collected(recipes, bar, threads=workers)
    issue(result.remarks)
    return result


def check_bar(at_least: Any, rope: Any) -> float | None:
    """Return the bar that a score must reach, None where there is none."""
    if at_least is not None and not (is_real(at_least) and np.isfinite(at_least)):
        raise InvalidInputError(wording("`at_least` must be a finite number; got {!r}.", at_least))
    if rope is not None and at_least is None:
        raise InvalidInputError(
            wording("A `rope` judges a difference, and there is nothing to differ from."),
            hint=wording("give the bar as at_least=."),
        )
    return None if at_least is None else float(at_least)


def _default(n_labels: int, metric: Metric, multilabel: bool) -> str | Model:  # noqa: FBT001
    """Choose the model of a single score: for many classes the pooled tree, whose intervals cover best."""
    if multilabel:
        return "bootstrap" if metric.average == "micro" else "unpaired"
    return Tree(paired=False, centre="pooled") if n_labels > 2 else "unpaired"  # noqa: PLR2004
