"""The confusion matrix as rates, each with its credible interval."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from ropewalk._arguments import array_of
from ropewalk._checks import check_counts, check_draws, check_prob, check_seed, checked_keywords, is_real
from ropewalk.data.inputs import read_one
from ropewalk.data.labels import label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws import streams
from ropewalk.draws.blocks import generator
from ropewalk.draws.intervals import beta_hdi, hdi
from ropewalk.errors import InvalidInputError
from ropewalk.inference.remarks import few_units, left_out
from ropewalk.results.checks import Confusion
from ropewalk.results.comparison import Comparison
from ropewalk.text.remarks import Remark, as_notes, note
from ropewalk.text.writing import shorten, told
from ropewalk.typing import FloatArray, IntArray, Label, Missing, SeedLike

_USAGE: Final = "confusion(y_true, y_pred), confusion(outcomes, 'name'), or confusion(table, 'column', truth=…)."
DRAWS: Final = 4_000
_PLANE: Final = 2
_HALF: Final = 0.5


@checked_keywords
def confusion(
    *data: Any,
    truth: str | None = None,
    name: str | None = None,
    labels: Iterable[Label] | None = None,
    missing: Missing = "error",
    prob: float = 0.95,
    prior: Any = None,
    cluster: Any = None,
    draws: int = DRAWS,
    rng: SeedLike = None,
    random_state: SeedLike = None,
) -> Confusion:
    """Return the normalised confusion matrix with a credible interval of every rate (Wu, exercise 9).

    Each rate is taken on its own, Beta(k + 1/2, n − k + 1/2) for k of n items of a class, and its HDI is exact. With
    a `prior` the rates of a class are Dirichlet(counts + prior) together, so that their means add up to 1; then a
    cell that is empty among many is taken to be rare.

    Parameters
    ----------
    *data
        As for `evaluate`: ``(y_true, y_pred)``; or an `Outcomes` and the name of one of its classifiers; or a file or
        dataframe and the name of the column of predictions, with `truth` for that of the true labels.
    prior
        How many pseudo-items the prior of each row weighs, spread evenly over its cells. Or a table of pseudo-items,
        one for every cell.
    cluster, draws, rng
        Where items come in `clusters`, they are re-weighted so many times, together with half a cluster in the cell
        and half a one elsewhere in its row, and the intervals are those of the draws.

    The other parameters are those of `evaluate`.

    Examples
    --------
    >>> import ropewalk as rw
    >>> table = rw.Outcomes.from_confusion([[90, 10], [5, 45]], labels=["ham", "spam"], name="svm")
    >>> print(confusion(table))
    svm: rate of each prediction, by true class, with its 95% HDI
    truth  items                   ham                  spam
    ─────  ─────  ────────────────────  ────────────────────
    ham      100  0.900 [0.836, 0.952]  0.100 [0.048, 0.164]
    spam      50  0.100 [0.032, 0.193]  0.900 [0.807, 0.968]
    """
    source = {"truth": truth, "labels": labels, "missing": missing, "cluster": cluster}
    outcomes = read_one(data, name, source, usage=_USAGE)
    if not isinstance(outcomes, Outcomes):
        raise InvalidInputError(
            "A confusion matrix needs one label per item; these items have any number of labels.",
            hint="ask about one label at a time.",
        )
    mass = check_prob(prob)
    if outcomes.units is None:
        return rates_of(outcomes, prob=mass, prior=prior)
    if prior is not None:
        raise InvalidInputError(
            "`prior` is for items that stand alone; these come in clusters.", hint="leave prior= or cluster= out."
        )
    number = check_draws(draws)
    if number == "auto":
        raise InvalidInputError("`draws` must be a number here.", hint="4,000 will do.")
    return rates_of(outcomes, prob=mass, draws=number, seed=check_seed(rng, random_state))


def rates_of(outcomes: Outcomes, *, prob: float, prior: Any = None, draws: int = 0, seed: int = 0) -> Confusion:
    """Return the confusion matrix of the one classifier of a table; `draws` and `seed` are for clusters."""
    rows = np.flatnonzero(outcomes.can_be_true)
    counts = outcomes.confusion()[rows]
    items = counts.sum(axis=1, keepdims=True)
    weights = np.full(counts.shape, _HALF) if prior is None else _prior(prior, counts.shape)
    a: FloatArray = counts + weights
    # summed without the cell itself, so that with two labels the two rates mirror each other
    b: FloatArray = items - counts + _HALF
    if prior is not None or counts.shape[1] == 1:
        b = np.stack([np.delete(a, j, axis=1).sum(axis=1) for j in range(counts.shape[1])], axis=1)
    mean = a / (a + b)
    remarks: list[Remark] = []
    weighed = np.zeros((outcomes.n_labels,) * 2)
    np.add.at(weighed, (outcomes.codes[:, 0], outcomes.codes[:, 1]), outcomes.row_weights)
    if outcomes.units is None:
        low, high = beta_hdi(a, b, prob)
    else:
        mean, low, high = _by_units(outcomes, rows, prob, draws, seed)
        remarks += as_notes(few_units(outcomes))
    seen = weighed[rows]
    shares = np.divide(seen, seen.sum(axis=1, keepdims=True), out=np.full(seen.shape, np.nan), where=items > 0)
    true = tuple(outcomes.labels[i] for i in rows.tolist())
    empty = [label_text(true[i]) for i in np.flatnonzero(items[:, 0] == 0)]
    if outcomes.left_out:
        remarks.insert(0, left_out(outcomes.left_out))
    if empty:
        text = f"No item belongs to {shorten(empty, 6)}: these rates are the prior's alone."
        remarks.insert(0, note("class_without_items", text))
    return Confusion(
        name=outcomes.names[0], labels=outcomes.labels, rows=true, counts=counts, normalised=shares, mean=mean,
        low=low, high=high, prior=weights, prob=prob, remarks=tuple(remarks),
    )  # fmt: skip


@checked_keywords
def confusions(answer: Comparison) -> tuple[Confusion, Confusion]:
    """Return the confusion matrices of both classifiers of a comparison, on the data that it is about.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, rng=0)
    >>> [matrix.counts.tolist() for matrix in r.confusions()]
    [[[7041, 93], [109, 289]], [[7050, 84], [118, 280]]]
    """
    if not isinstance(answer, Comparison):
        raise InvalidInputError(
            f"`answer` must be what `compare` returned; got {told(answer)}.",
            hint="of one classifier or of an Outcomes, confusion() is the matrix.",
        )
    recipe = answer.recipe
    answer.require_data("counted")
    whole = recipe.tables if len(recipe.tables) > 1 else recipe.tables * 2
    tables = [table for table in whole if isinstance(table, Outcomes)]
    if len(tables) < len(whole):
        raise InvalidInputError(
            "A confusion matrix is of one label per item; these data are scores or any-of labels.",
            hint="compare labels, with one per item.",
        )
    how: dict[str, Any] = {"prob": recipe.prob, "seed": recipe.seed, "draws": DRAWS}
    a, b = (rates_of(table.project([name]), **how) for table, name in zip(tables, (answer.a, answer.b), strict=True))
    return a, b


def _by_units(
    outcomes: Outcomes, rows: IntArray, prob: float, draws: int, seed: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return mean and HDI of every rate, by re-weighting clusters or weighted items."""
    units = outcomes.units
    assert units is not None  # noqa: S101
    rng = generator(seed, streams.POSTERIOR, 0)
    spread = units.matrix(len(outcomes.codes))
    weights = spread @ rng.standard_gamma(units.shapes[:, np.newaxis], (units.n, draws))
    size = float((spread @ units.shapes).sum() / units.shapes.sum())
    rates = np.empty((3, rows.size, outcomes.n_labels))
    for i, row in enumerate(rows.tolist()):
        here = np.flatnonzero(outcomes.codes[:, 0] == row)
        total = weights[here].sum(axis=0)
        for j in range(outcomes.n_labels):
            hits = weights[here[outcomes.codes[here, 1] == j]].sum(axis=0)
            more, less = size * rng.standard_gamma(_HALF, (2, draws))
            rate = (hits + more) / (total + more + less)
            ends = hdi(np.sort(rate), prob)
            rates[:, i, j] = rate.mean(), ends.low, ends.high
    return rates[0], rates[1], rates[2]


@checked_keywords
def total_cost(counts: Any, cost_matrix: Any) -> float:
    """Return what all errors cost together: the trace of Cᵀ A, for costs C and a confusion matrix A (Wu, exercise 9).

    `counts` is a `Confusion` or a table of counts, rows the truth and columns predictions; `cost_matrix` likewise.
    Negative costs are utilities. For the posterior of the mean cost see ``evaluate(…, metric="cost")``.

    Examples
    --------
    >>> total_cost([[90, 10], [5, 45]], [[0, 1], [10, 0]])
    60.0
    """
    table = counts.counts if isinstance(counts, Confusion) else check_counts(counts, "confusion matrix")
    try:
        costs = array_of(cost_matrix, np.float64)
    except ValueError as error:
        raise InvalidInputError(
            "The cost matrix must hold numbers, in rows of equal length.",
            hint="[[0, 1], [5, 0]]: rows are the truth, columns the decision.",
        ) from error
    if table.ndim != _PLANE or costs.shape != table.shape or not table.size:
        raise InvalidInputError(
            f"The confusion matrix and the cost matrix must have the same shape; got {table.shape} and {costs.shape}.",
            hint="rows are the truth, columns predictions.",
        )
    if not np.isfinite(costs).all():
        raise InvalidInputError("The cost matrix must hold finite numbers.", hint="write 0 for what costs nothing.")
    return float(np.trace(costs.T @ table))


def _prior(prior: Any, shape: tuple[int, ...]) -> FloatArray:
    """Return the pseudo-items of every cell."""
    try:
        weights = np.asarray(prior, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(
            "`prior` must be a number or a table of numbers.", hint="it is pseudo-items per cell, such as 0.5."
        ) from error
    if is_real(prior):
        weights = np.full(shape, weights / shape[1])
    if weights.shape != shape:
        raise InvalidInputError(
            f"`prior` must be a number, or a table of shape {shape}; got shape {weights.shape}.",
            hint="it is a number of pseudo-items.",
        )
    if not ((weights > 0) & (weights < np.inf)).all():
        raise InvalidInputError("`prior` must be positive and finite.", hint="it is a number of pseudo-items.")
    return weights
