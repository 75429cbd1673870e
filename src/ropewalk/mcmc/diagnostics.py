"""Did the chains converge? R-hat, effective sample sizes and divergences, and what to do about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np

from ropewalk._optional import require
from ropewalk.mcmc.sampler import Sampler, hushed
from ropewalk.text.options import wording
from ropewalk.typing import FloatArray

MOST_RHAT: Final = 1.01
"""From here on chains disagree about a number that was asked for."""

MOST_RHAT_OF_MANY: Final = 1.05
"""The same for a parameter: there may be hundreds, and the largest R-hat of so many is above 1.01 by chance."""

LEAST_ESS: Final = 400
_ACCEPTANCE: Final = ("acceptance_rate", "mean_tree_accept", "accepted")  # as samplers call it
_FEWEST: Final = 4  # draws a chain, of which ArviZ can tell something
_PIECES: Final = 4  # a single chain is cut into so many, which must agree as chains would


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostics:
    """How far a run of Markov chains can be trusted.

    `rhat` is the worst over all parameters and over what was asked for, measured against its `rhat_limit`; `ess_bulk`
    and `ess_tail` are the worst over what was asked for, whose Monte Carlo error they decide. Whose they are stands
    beside them.
    """

    engine: str
    step: str
    chains: int
    draws: int
    tune: int
    rhat: float
    rhat_of: str
    rhat_limit: float
    ess_bulk: float
    ess_bulk_of: str
    ess_tail: float
    ess_tail_of: str
    divergences: int
    acceptance: float | None

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, each with what to do about it."""
        problems = []
        longer = wording("tune and draw longer (tune=, draws=).")
        if self.divergences:
            cure = "raise target_accept (Sampler(target_accept=0.99)), or use a prior with less sharp corners"
            problems.append(f"{self.divergences:,} of {self.draws:,} draws diverged: {cure}.")
        if not np.isfinite(self.rhat):
            text = f"R-hat cannot be told for {self.rhat_of}, which never moved or has too few draws: "
            problems.append(text + longer)
        elif self.rhat > self.rhat_limit:
            chains = "the chains disagree" if self.chains > 1 else "parts of the chain disagree"
            text = f"R-hat is {self.rhat:.3f} for {self.rhat_of}, above {self.rhat_limit}: {chains}; "
            problems.append(text + longer)
        for kind, value, of in (("bulk", self.ess_bulk, self.ess_bulk_of), ("tail", self.ess_tail, self.ess_tail_of)):
            if not value >= LEAST_ESS:
                text = f"The {kind} effective sample size is {value:,.0f} for {of}, below {LEAST_ESS}: "
                problems.append(text + wording("take more draws (draws=)."))
        return tuple(problems)

    @property
    def converged(self) -> bool:
        """Whether nothing speaks against the run."""
        return not self.problems

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers in plain Python types, none of them NaN or infinite."""
        told = {name: _finite(value) for name, value in asdict(self).items()}
        return {**told, "converged": self.converged, "problems": list(self.problems)}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not np.isfinite(value) else value


def diagnose(
    parameters: Mapping[str, FloatArray],
    asked: Mapping[str, FloatArray],
    stats: Mapping[str, Any],
    sampler: Sampler,
    engine: str,
) -> Diagnostics:
    """Judge chains by their parameters and by what was `asked` of them, each (chains, draws, …)."""
    n_chains, n_draws = next(iter(asked.values())).shape[:2]
    rhat, rhat_of, limit = _worst_rhat(parameters, asked)
    pieces = {name: _pieces(array) for name, array in asked.items()}
    bulk, tail = (_least({name: _measure(kind, array) for name, array in pieces.items()}) for kind in ("bulk", "tail"))
    diverging = stats.get("diverging")
    accepted = next((stats[name] for name in _ACCEPTANCE if name in stats), None)
    return Diagnostics(
        engine=engine,
        step=sampler.step,
        chains=n_chains,
        draws=n_chains * n_draws,
        tune=sampler.tune or 0,
        rhat=rhat,
        rhat_of=rhat_of,
        rhat_limit=limit,
        ess_bulk=bulk[0],
        ess_bulk_of=bulk[1],
        ess_tail=tail[0],
        ess_tail_of=tail[1],
        divergences=0 if diverging is None else int(np.asarray(diverging).sum()),
        acceptance=None if accepted is None else float(np.mean(accepted)),
    )


def _worst_rhat(parameters: Mapping[str, FloatArray], asked: Mapping[str, FloatArray]) -> tuple[float, str, float]:
    """Return the R-hat that is worst beside its limit, whose it is, and the limit; one that is not known is worst."""
    found = []
    for arrays, limit in ((asked, MOST_RHAT), (parameters, MOST_RHAT_OF_MANY)):
        for name, array in arrays.items():
            values = _measure("rhat", _pieces(array))
            lost = not np.isfinite(values).all() or (arrays is parameters and _is_stuck(array))
            found.append((np.inf if lost else float(values.max()), name, limit))
    return max(found, key=lambda one: (one[0] - 1) / (one[2] - 1))


def _is_stuck(parameter: FloatArray) -> bool:
    """Whether part of a parameter never moved: what was asked for may be constant, but no parameter is certain."""
    still = np.ptp(parameter, axis=(0, 1)) == 0
    return bool((still & ~np.isin(parameter[0, 0], (0.0, 1.0))).any())  # the share of an only class is 1


def effective(values: FloatArray, kind: str = "mean") -> float:
    """Return how many independent draws tell the mean of a number as well as these (chains, draws) do."""
    found = float(_measure(kind, values).reshape(-1)[0])
    return found if np.isfinite(found) and found > 0 else float(values.size)


def _pieces(array: FloatArray) -> FloatArray:
    """Return a single chain as a few shorter ones: drift shows as their disagreement."""
    if array.shape[0] > 1 or array.shape[1] < 2 * _PIECES:
        return array
    length = array.shape[1] // _PIECES
    return array[:, : _PIECES * length].reshape(_PIECES, length, *array.shape[2:])


def _measure(kind: str, array: FloatArray) -> FloatArray:
    """Return a diagnostic of every component; those that never move have nothing to diagnose."""
    az = require("arviz", extra="mcmc", caller="the diagnostics of Markov chains")
    flat = array.reshape(*array.shape[:2], -1)
    if flat.shape[1] < _FEWEST or (kind == "rhat" and flat.shape[0] == 1):
        return np.full(flat.shape[2], np.nan)
    moving = np.ptp(flat, axis=(0, 1)) > 0
    found = np.full(flat.shape[2], 1.0 if kind == "rhat" else float(flat.shape[0] * flat.shape[1]))
    if moving.any():
        with hushed():
            data = az.convert_to_dataset({"x": flat[:, :, moving]})
            told = az.rhat(data) if kind == "rhat" else az.ess(data, method=kind)
        found[moving] = np.asarray(told["x"].values, dtype=np.float64)
    return found


def _least(found: Mapping[str, FloatArray]) -> tuple[float, str]:
    """Return the least value of all and whose it is; one that cannot be told counts as nothing."""
    each = {name: float(np.nan_to_num(values, nan=0.0).min()) for name, values in found.items()}
    name = min(each, key=each.__getitem__)
    return each[name], name
