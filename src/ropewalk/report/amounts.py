"""What planning finds, as texts with no digit that its simulations do not carry."""

from __future__ import annotations

import math
from typing import Final

from ropewalk.results import Design, Plan, StoppingResult
from ropewalk.text.numbers import first_digit, number, percent

_SPREAD: Final = 0.25  # of differences that were found, about their mean, at most
_Z95: Final = 1.96


def level_text(share: float, n_draws: int) -> str:
    """Write a probability for the middle of a sentence.

    Examples
    --------
    >>> level_text(0.06, 2_000), level_text(0.0, 2_000)
    ('6%', 'under 1%')
    """
    return percent(share, n_draws).replace("<", "under ").replace(">", "over ")


def at_most(share: float, n_draws: int) -> str:
    """Write the most that a probability can be.

    Examples
    --------
    >>> at_most(0.94, 2_000), at_most(0.0, 2_000)
    ('at most 94%', 'under 1%')
    """
    told = level_text(share, n_draws)
    return told if told.startswith("under") else "at most 100%" if told.startswith("over") else f"at most {told}"


def kind_text(design: Design) -> str:
    """Name what the share of successes is."""
    return "assurance" if design.assurance else "power"


def target_text(result: Plan) -> str:
    """Write the wanted power."""
    return f"{100 * (result.target or 0):g}%"


def sought_text(result: Plan) -> str:
    """Name what is looked for where the number of items is given."""
    return "ROPE" if result.design.goal == "A≈B" else "difference"


def range_text(low: float | None, high: float | None, unit: int) -> str:
    """Write an interval of numbers of items, rounded outwards; empty where there is none."""
    if low is None or high is None:
        return ""
    return f"{math.floor(low / unit) * unit:,} to {math.ceil(high / unit) * unit:,}"


def sizes_text(result: Plan) -> tuple[str, str, str]:
    """Write the smallest difference or ROPE and its interval, with the decimals that the interval carries."""
    found, low, high = result.found or 0.0, result.low, result.high
    half = 0.0 if low is None or high is None else (high - low) / 2
    unit = first_digit(half) if half > 0 else first_digit(abs(found) or 1.0) / 100
    places = max(-round(math.log10(unit)), 0)
    rope = result.design.goal == "A≈B"

    def write(value: float) -> str:
        return f"±{number(value, places)}" if rope else number(value, places, sign=True)

    at = math.copysign(math.ceil(abs(found) / unit - 1e-9) * unit, found)  # never smaller than what was found
    if low is None or high is None:
        return write(at), "", ""
    return write(at), write(math.floor(low / unit) * unit), write(math.ceil(high / unit) * unit)


def money_text(sum_of: float | None) -> str:
    """Write a sum of money as it was given."""
    return "–" if sum_of is None else f"{sum_of:,.10g}"


def net_text(result: Plan) -> str:
    """Write the net value with the digits that the simulations near the best size carry: about a quarter of all."""
    net, value, cost, n = result.net or 0.0, result.value or 0.0, result.cost_per_item or 0.0, result.n or 0
    share = min(max((net + cost * n) / value, 0.0), 1.0) if value else 0.0
    half = _Z95 * value * math.sqrt(max(share * (1 - share), 1e-4) / max(result.simulations / 4, 1.0))
    unit = first_digit(half)
    return f"{round(net / unit) * unit:,.{max(-round(math.log10(unit)), 0)}f}"


def mean_text(result: StoppingResult) -> str:
    """Write the expected number of items and its error, with the digits that the error carries."""
    error = result.mean_n_error
    if error <= 0:
        return f"{result.mean_n:,.0f}"
    unit = first_digit(error)
    places = max(-round(math.log10(unit)), 0)
    return f"{round(result.mean_n / unit) * unit:,.{places}f} ± {round(error / unit) * unit:,.{places}f}"


def times_text(factor: float | None, found: int) -> str:
    """Write how many times too large a difference looks; a decimal, or the number itself, only if it is carried."""
    if factor is None:
        return "–"
    error = _SPREAD * factor / math.sqrt(found)
    if error > 1:
        return "–"
    return f"{factor:.{1 if error <= 0.1 else 0}f}×"  # noqa: PLR2004
