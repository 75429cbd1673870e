"""Pool estimates made elsewhere: what the units that they are of have in common."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, Unpack

import numpy as np

from ropewalk._checks import as_list, check_draws, check_prob, check_seed, checked_keywords, choose, is_real
from ropewalk.data.columns import as_numbers
from ropewalk.draws.contrast import Question
from ropewalk.draws.decision import check_rule
from ropewalk.draws.rope import parse_rope
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.inference.population import judge_population
from ropewalk.models.population import MIN_UNITS, PopulationPrior, Units
from ropewalk.results.options import PopulationOptions
from ropewalk.results.pooled import PooledEstimates
from ropewalk.text.remarks import issue, wording
from ropewalk.text.writing import count_of, told
from ropewalk.typing import FloatArray

RULES: Final = {"hdi": "hdi", "probability": "probability"}
FORMS: Final = {"student": "student", "normal": "normal"}
TAU_PRIORS: Final = {"jeffreys": "jeffreys", "uniform": "uniform"}


@checked_keywords
def pool(
    m: Any, s: Any, *, df: Any = math.inf, names: Sequence[str] | None = None, **options: Unpack[PopulationOptions]
) -> PooledEstimates:
    """Pool estimates of units made elsewhere: their mean, the next unit, and each of them drawn to the others.

    The posterior is exact, without Markov chains: what is drawn are independent draws.

    Parameters
    ----------
    m, s
        An estimate of each unit, and its standard error: differences A − B on data sets, tasks, sites or labs. At least
        three.
    df
        Degrees of freedom of the standard errors, one number or one for each; infinite where the errors are known.
    names
        What the units are called.
    rope
        The region of practical equivalence of the mean, and of the next unit.
    prob, rule
        Mass of the HDI; "hdi" judges the mean by it, "probability" by the masses of the three regions.
    population, tau_prior
        How units differ: "normal" (default), or by a "student" t with unknown degrees of freedom, which lets some lie
        far out. "jeffreys" (default) is the prior of the spread tau that keeps its promises with few units; "uniform"
        is wider.
    draws, rng, random_state, progress
        As in `compare`.

    Examples
    --------
    Coaching in eight schools (Rubin 1981):

    >>> import ropewalk as rw
    >>> effects, errors = [28, 8, -3, 7, -1, 1, 18, 12], [15, 10, 16, 11, 9, 11, 10, 18]
    >>> r = rw.pool(effects, errors, rope=2, names=list("ABCDEFGH"), rng=0)
    >>> r
    PooledEstimates(8 units: mu = +8.0090, tau = 7.2089)
    >>> print(f"next school: above {r.next.above:.3f}, within {r.next.inside:.3f}, below {r.next.below:.3f}")
    next school: above 0.758, within 0.106, below 0.137
    >>> print(f"school {r.units[0].name}: {r.units[0].observed:.0f}, drawn to {r.units[0].estimate.mean:.0f}")
    school A: 28, drawn to 13
    """
    units = _units(m, s, df)
    called = _names(names, len(units))
    prior = PopulationPrior(
        form=choose(options.get("population") or "normal", FORMS, "population"),  # type: ignore[arg-type]
        tau=choose(options.get("tau_prior") or "jeffreys", TAU_PRIORS, "tau_prior"),  # type: ignore[arg-type]
    )
    question = wider_question(options)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    judged = judge_population(units, question, prior, names=called, draws=check_draws(options["draws"]), seed=seed)
    result = PooledEstimates(
        contrast=judged.contrast,
        population=judged.summary,
        question=question,
        units=judged.units,
        next=judged.next,
        most_probable=judged.most_probable,
        seed=seed,
        n_draws=judged.drawn.mu.size,
        draws=judged.drawn.mu,
        shares=judged.shares,
        remarks=tuple(judged.remarks("unit", "units")),
    )
    issue(result.remarks)
    return result


def wider_question(options: Any, *, higher_is_better: bool = True, rule: str = "hdi") -> Question:
    """Return how a difference is judged that is about more than items; `rule` is the one that holds by default."""
    prob = check_prob(options["prob"])
    asked = options.get("rule")
    chosen: Any = choose(rule if asked is None else asked, RULES, "rule")
    check_rule(chosen, prob)
    return Question(rope=parse_rope(options.get("rope")), prob=prob, rule=chosen, higher_is_better=higher_is_better)


def _units(m: Any, s: Any, df: Any) -> Units:
    """Return estimates, standard errors and degrees of freedom, checked."""
    estimates, errors = as_numbers(m, "m"), as_numbers(s, "s")
    if estimates.shape != errors.shape or estimates.ndim != 1:
        raise LengthMismatchError(
            f"There are {count_of(estimates.size, 'estimate')} and {count_of(errors.size, 'standard error')}.",
            hint="give one of each for every unit.",
        )
    if estimates.size < MIN_UNITS:
        raise DataError(
            f"How units differ takes at least {MIN_UNITS} of them; got {estimates.size}.",
            hint="of fewer, each has to stand for itself.",
        )
    if not (errors > 0).all():
        raise DataError(
            f"A standard error must be positive; got {errors.min():g}.",
            hint="where nothing varied, give the error of rounding: the step of the scores by √12.",
        )
    return Units(estimates, errors, _degrees(df, estimates.size))


def _degrees(df: Any, number: int) -> FloatArray:
    values = [df] * number if is_real(df) or df is None else as_list(df)
    try:
        degrees = np.array([math.inf if value is None else float(value) for value in values])
    except (TypeError, ValueError):
        degrees = np.zeros(0)
    if degrees.size != number or not (degrees > 0).all():
        raise InvalidInputError(
            wording("`df` must be a positive number, or one for each of {} units; got {}.", number, told(df)),
            hint="df=inf where standard errors are known; n − 1 where n values gave them.",
        )
    return degrees


def _names(names: Sequence[str] | None, number: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"unit {place}" for place in range(1, number + 1))
    called = [str(name) for name in as_list(names)]
    if len(called) != number or len(set(called)) < number:
        raise InvalidInputError(
            wording("`names` must be {} different names; got {}.", number, told(names)), hint="give each unit its own."
        )
    return tuple(called)
