"""Evaluate one classifier: how good it is, and whether that is good enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

import numpy as np

from ropewalk._checks import check_seed, check_threads, checked_keywords, is_real
from ropewalk._progress import shown
from ropewalk.errors import InvalidInputError
from ropewalk.inference.answers import run_evaluation
from ropewalk.inference.opening import are_of_tasks, open_one, remarks_in, with_remarks
from ropewalk.inference.question import Opened, read_tables, sources_of, write_recipes
from ropewalk.metrics.registry import Metric
from ropewalk.models.items import items_of_labels
from ropewalk.models.protocol import Model
from ropewalk.results import Evaluation
from ropewalk.results.options import EvaluateOptions, SeveralRunsOptions, asks_about
from ropewalk.text.remarks import issue, wording

_USAGE = "evaluate(y_true, y_pred), evaluate(outcomes, 'name'), or evaluate(table, 'column', truth=…)."


@checked_keywords
def evaluate(*data: Any, name: str | None = None, **options: Unpack[EvaluateOptions]) -> Evaluation:
    """Evaluate one classifier: the posterior of one or more metrics, and how it stands against a bar.

    Parameters
    ----------
    *data
        ``(y_true, y_pred)`` or ``(y_true, y_score)``; or an `Outcomes` or `ItemScores` and the name of one of its
        classifiers; or a file or dataframe and the name of the column of predictions or scores, with `truth` for that
        of the true labels; or an evaluation log (`read_log`) and the name of one of its systems, where it has several.
        For ``metric="mean"`` the values alone will do.
    name
        Which classifier, column or system is meant, where its name does not follow the data; or the name for the
        classifier whose predictions come as an array.
    metric
        One metric or a list of them, each as in `compare`. `classes` goes with those that are averages.
    task, over, weights
        Tasks of the items, as in `compare`: metrics are then averages over these tasks, each with its own posterior,
        or means over tasks like these. Evaluation logs of several tasks have theirs. `e.tasks` has the evaluation on
        each.
    at_least
        A bar: gives P(score ≥ bar), and with a `rope` the five-way verdict of score − bar. For measures where
        less is better, `≫` still means better than the bar.

    runs, run
        Several runs of the method, as in `compare`: the answer is about what a run of it is expected to score, over
        runs and items. See `RunsEvaluation`.

    The other parameters are those of `compare`, and so is the model: a classifier has the interval here that it has in
    a comparison.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> e = rw.evaluate(news.outcomes, "svm_l2", metric=["f1", "recall"], pos_label=8, at_least=0.8, rng=0)
    >>> e["f1"].prob_at_least < 0.001
    True
    >>> s = news.scores_class8
    >>> e = rw.evaluate(s["y_true"], s["svm_l2"], metric=["roc_auc", "average_precision"], draws=1_000, rng=0)
    >>> print(f"{e['roc_auc'].estimate.observed:.4f}")
    0.9544
    """
    if asks_about(SeveralRunsOptions, options):
        from ropewalk.verbs.runs import evaluate_runs  # which other questions need not wait for

        return evaluate_runs(data, name, options, _check_bar(options.get("at_least"), options.get("rope")))
    bar = _check_bar(options.get("at_least"), options.get("rope"))
    model = options.get("model")
    if isinstance(model, str) and model == "paired":
        raise InvalidInputError(
            "The model 'paired' is for two or more classifiers.", hint=wording('use model="unpaired".')
        )
    if are_of_tasks(data, name, options):
        from ropewalk.verbs.suites import evaluate_suite  # which other questions need not wait for

        return evaluate_suite(data, name, options, read_one_system, _default)
    sources, named = read_one_system(data, name, options)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    recipes = write_recipes(sources, named, default=_default, seed=seed)
    with shown(options.get("progress")):
        evaluation = run_evaluation(recipes, bar, threads=check_threads(options["threads"]))
    evaluation = with_remarks(evaluation, remarks_in(named))
    issue(evaluation.remarks)
    return evaluation


def read_one_system(data: Sequence[Any], name: Any, options: Mapping[str, Any]) -> Opened:
    """Make a table of the data of one classifier."""
    asked, called, named = open_one(data, name if isinstance(name, str) else None, options)
    return sources_of(read_tables(asked, None, {"name": called, **named}, usage=_USAGE)), named


def _check_bar(at_least: Any, rope: Any) -> float | None:
    """Return the bar that a score must reach, None where there is none."""
    if at_least is not None and not (is_real(at_least) and np.isfinite(at_least)):
        text = wording("`at_least` must be a finite number; got {!r}.", at_least)
        raise InvalidInputError(text, hint="it is a bar for the score, such as 0.9.")
    if rope is not None and at_least is None:
        raise InvalidInputError(
            wording("A `rope` judges a difference, and there is nothing to differ from."),
            hint=wording("give the bar as at_least=."),
        )
    return None if at_least is None else float(at_least)


def _default(n_labels: int, metric: Metric, multilabel: bool) -> str | Model:  # noqa: ARG001, FBT001
    """Choose the model of a single score: what `compare` has for each of two."""
    return items_of_labels(metric, paired=False) if multilabel else "unpaired"
