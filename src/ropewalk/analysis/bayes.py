"""The best that any classifier can do: Bayes error and Bayes risk of known densities."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from ropewalk._arguments import array_of
from ropewalk._checks import as_list, check_probabilities, check_seed, check_whole, checked_keywords, is_real
from ropewalk.analysis._densities import (
    FORMS,
    Problem,
    decide_at,
    find_pieces,
    frozen_axis,
    kind_of_density,
    log_densities,
    piece_masses,
    quiet,
    spread_points,
)
from ropewalk.data.labels import label_text, labels_or_numbers
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.metrics.registry import cost as cost_metric
from ropewalk.results.base import pick, plain
from ropewalk.text.writing import told
from ropewalk.typing import FloatArray, Label, SeedLike

_MAX_COST: Final = 1e100
_MIN_CLASSES: Final = 2
_MIN_DRAWS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BayesError:
    """The smallest expected cost of a decision, and the rule that has it. Made by `bayes_error`.

    `risk` is the Bayes error where every error costs 1. `thresholds` are where the best decision changes and `regions`
    the stretches (low, high, label) between; both are None in more than one dimension, where `standard_error` is
    the Monte Carlo error of the risk. A stretch in which no class has any density is split in the middle; of tied
    decisions the one to the left stays.
    """

    risk: float
    labels: tuple[Label, ...]
    priors: tuple[float, ...]
    cost_matrix: FloatArray = field(repr=False)
    thresholds: tuple[float, ...] | None
    regions: tuple[tuple[float, float, Label], ...] | None
    method: str
    standard_error: float | None = None
    problem: Problem = field(repr=False)

    def posterior(self, x: Any) -> FloatArray:
        """Return Pr(label | x), labels along the last axis; NaN where no class has any density."""
        points, shape = self._points(x)
        return self.problem.weigh(points)[0].T.reshape(*shape, len(self.labels))

    def decide(self, x: Any) -> Any:
        """Return the best decision at x: a label, or an array of them for an array of points.

        Where no class has any density it is that of the nearest region, or in more dimensions of the priors.
        """
        points, shape = self._points(x)
        places = decide_at(self.problem, points)
        lost = places < 0
        if lost.any() and self.thresholds is not None and self.regions is not None:
            order = np.array([self.labels.index(label) for _, _, label in self.regions])
            places = np.where(lost, order[np.searchsorted(self.thresholds, points)], places)
        elif lost.any():
            places = np.where(lost, int((np.array(self.priors) @ self.cost_matrix).argmin()), places)
        return np.array(self.labels)[places].reshape(shape) if shape else self.labels[int(places[0])]

    def __str__(self) -> str:
        off = "" if self.standard_error is None else f" ± {self.standard_error:.2g} (Monte Carlo)"
        lines = [f"Bayes risk {self.risk:.6g}{off}"]
        for low, high, label in self.regions or ():
            lines.append(f"decide {label_text(label)} in ({low:.6g}, {high:.6g})")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types; an infinite end is None."""
        regions = (
            None
            if self.regions is None
            else [[*plain((low, high)), label_text(label)] for low, high, label in self.regions]
        )
        return {
            **pick(self, "risk standard_error"),
            "labels": [label_text(label) for label in self.labels],
            **pick(self, "priors cost_matrix thresholds"),
            "regions": regions,
            "method": self.method,
        }

    def _points(self, x: Any) -> tuple[FloatArray, tuple[int, ...]]:
        try:
            points = array_of(x, np.float64)
        except ValueError as error:
            raise InvalidInputError("The points must be numbers.", hint="give an array of numbers.") from error
        if np.isnan(points).any():
            raise DataError("The points must not be NaN.", hint="leave such points out.")
        if self.thresholds is not None:
            return points.reshape(-1), points.shape
        return np.atleast_2d(points), points.shape[:-1]


@checked_keywords
def bayes_error(
    densities: Sequence[Any],
    priors: Sequence[float],
    *,
    cost_matrix: Any = None,
    support: tuple[float, float] | None = None,
    labels: Iterable[Label] | None = None,
    draws: int = 100_000,
    rng: SeedLike = None,
    random_state: SeedLike = None,
) -> BayesError:
    """Return the Bayes risk of known class densities, and the decision rule that attains it (Wu, sections 2.3 and 4.1).

    Parameters
    ----------
    densities
        One density p(x | class) per class: frozen continuous distributions of scipy.stats, whose risk is a sum of
        differences of their distribution functions; or functions of a number, which are integrated over `support`;
        or, for x of more dimensions, objects with pdf and rvs such as ``multivariate_normal(mean, cov)``, whose risk
        is an average over `draws`.
    priors
        The probability of each class.
    cost_matrix
        Costs of truth (rows) and decision (columns); by default every error costs 1. Negative costs are utilities.
    support
        Outside of these two numbers, which may be infinite, every density is 0. For functions only.
    labels
        Names of the classes; by default 0, 1, ….

    Examples
    --------
    >>> from scipy.stats import norm
    >>> best = bayes_error([norm(-1, 0.5), norm(1, 0.5)], [0.5, 0.5], cost_matrix=[[0, 10], [1, 0]], labels=[1, 2])
    >>> print(f"{best.thresholds[0]:.6f} {best.risk:.6f}")
    0.287823 0.063599
    >>> best.decide([0.2, 0.3]).tolist()
    [1, 2]
    """
    if isinstance(densities, str) or not isinstance(densities, Sequence | np.ndarray) or len(densities) < _MIN_CLASSES:
        raise InvalidInputError("`densities` must be a list of two or more.", hint=FORMS)
    shares = check_probabilities(priors, "`priors`", (len(densities),))
    costs = _costs(cost_matrix, len(densities))
    names = labels_or_numbers(labels, len(densities))
    kinds = {kind_of_density(density) for density in densities}
    n_draws, seed = check_whole(draws, "draws", _MIN_DRAWS), check_seed(rng, random_state)
    many = kinds == {"many"}
    if "many" in kinds and not many:
        raise InvalidInputError("Densities of one dimension and of more cannot go together.", hint=FORMS)
    exact = kinds == {"frozen"}
    ends = _check_support(support, needed=not (exact or many))
    problem = Problem(log_densities(densities, shares, ends), costs, np.flatnonzero(shares))
    known: dict[str, Any] = {
        "labels": names, "priors": tuple(shares.tolist()), "cost_matrix": costs, "problem": problem,
    }  # fmt: skip
    if many:
        risk, error = _risk_by_draws(densities, shares, problem, n_draws, seed)
        return BayesError(risk=risk, thresholds=None, regions=None, method="Monte Carlo", standard_error=error, **known)
    with quiet():
        used = problem.used.tolist()
        breaks, points = frozen_axis([densities[i] for i in used]) if exact else (ends, spread_points(*ends))
        pieces = find_pieces(problem, breaks, points)
        mass = np.zeros((len(densities), len(pieces)))
        for i in used:
            mass[i] = piece_masses(densities[i], pieces, points, f"Density {i}", exact=exact)
    cells = ((i, j) for j in range(len(pieces)) for i in range(len(shares)))
    return BayesError(
        risk=float(sum(shares[i] * mass[i, j] * costs[i, pieces[j][2]] for i, j in cells)),
        thresholds=tuple(low for low, _, _ in pieces[1:]), regions=tuple((a, b, names[d]) for a, b, d in pieces),
        method="distribution functions" if exact else "quadrature", **known,
    )  # fmt: skip


def _check_support(support: Any, *, needed: bool) -> tuple[float, float]:
    """Return the two ends of the support of functions, or all numbers where there are none."""
    if not needed:
        if support is not None:
            raise InvalidInputError("`support` is for functions; distributions know theirs.", hint="leave it out.")
        return -math.inf, math.inf
    if support is None:
        raise InvalidInputError("Functions need a `support` to be integrated over.", hint="such as support=(0, 1).")
    ends = as_list(support)
    if len(ends) != 2 or not all(map(is_real, ends)) or not ends[0] < ends[1]:  # noqa: PLR2004
        raise InvalidInputError(
            f"`support` must be two numbers, the lower first; got {told(support)}.", hint="they may be infinite."
        )
    return float(ends[0]), float(ends[1])


def _risk_by_draws(
    densities: Sequence[Any], priors: FloatArray, problem: Problem, draws: int, seed: int
) -> tuple[float, float]:
    """Return the risk and its standard error: the mean of the smallest expected cost, class by class.

    Given x the expected cost is known, so only x is drawn; the classes get equal shares of the draws.
    """
    used = [i for i, share in enumerate(priors) if share > 0]
    n = max(draws // len(used), 2)
    risk, variance = 0.0, 0.0
    for i, stream in zip(used, np.random.SeedSequence(seed).spawn(len(used)), strict=True):
        x = np.asarray(densities[i].rvs(size=n, random_state=np.random.default_rng(stream)), dtype=np.float64)
        posterior, _ = problem.weigh(x.reshape(n, -1))
        costs = np.einsum("yd,yn->dn", problem.cost, posterior).min(axis=0)
        if np.isnan(costs).any():
            raise DataError(f"Density {i} draws points where it is 0 itself.", hint="do its pdf and rvs agree?")
        risk += priors[i] * float(costs.mean())
        variance += priors[i] ** 2 * float(costs.var(ddof=1)) / n
    return risk, math.sqrt(variance)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class BayesTable:
    """The smallest expected cost for a finite x, and the best decision for every value of it."""

    risk: float
    decisions: tuple[Label, ...]
    posterior: FloatArray = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the figures in plain Python types."""
        return {"risk": self.risk, "decisions": [label_text(label) for label in self.decisions]}


@checked_keywords
def bayes_error_table(joint: Any, *, cost_matrix: Any = None, labels: Iterable[Label] | None = None) -> BayesTable:
    """Return the Bayes risk of a known joint distribution of a finite x and the label (Wu, Equation 22).

    `joint` has Pr(x, label), one row per value of x and one column per label. Without a cost matrix the risk is
    1 − Σ max Pr(x, label), the Bayes error. Of tied decisions the first is taken; `posterior` is NaN in a row of zeros.

    Examples
    --------
    >>> best = bayes_error_table([[0.4, 0.1], [0.2, 0.3]], labels=["no", "yes"])
    >>> print(f"{best.risk:.2f}", best.decisions)
    0.30 ('no', 'yes')
    """
    check_probabilities(joint, "`joint`")
    table = np.asarray(joint, dtype=np.float64)
    if table.ndim != 2:  # noqa: PLR2004
        raise InvalidInputError(
            f"`joint` must be a table; got shape {table.shape}.", hint="one row per value of x, one column per label."
        )
    costs = _costs(cost_matrix, table.shape[1])
    names = labels_or_numbers(labels, table.shape[1])
    risks = table @ costs
    sums = table.sum(axis=1, keepdims=True)
    posterior = np.divide(table, sums, out=np.full_like(table, np.nan), where=sums > 0)
    decisions = tuple(names[d] for d in risks.argmin(axis=1).tolist())
    return BayesTable(risk=float(risks.min(axis=1).sum()), decisions=decisions, posterior=posterior)


def _costs(matrix: Any, n: int) -> FloatArray:
    if matrix is None:
        return 1.0 - np.eye(n)
    costs = np.array(cost_metric(matrix).cost)
    if len(costs) != n:
        raise InvalidInputError(
            f"The cost matrix must be {n} × {n}; got {len(costs)} × {len(costs)}.",
            hint="rows are the truth, columns decisions.",
        )
    if np.abs(costs).max() >= _MAX_COST:
        raise InvalidInputError(f"The costs must be below {_MAX_COST:g}.", hint="give costs in a larger unit.")
    return costs
