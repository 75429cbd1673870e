"""What a check of a gate says, in words and labelled lines, for what shows no documents: JUnit, GitHub, pytest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ropewalk.results.gates import Check, Gate, OnUndecided, check_words, told_of
from ropewalk.text.units import Shown
from ropewalk.text.writing import count_of, percent

Escape = Callable[[str], str]
"""How a surface writes names."""

MARKS: Final = {"met": "✓", "contradicted": "✗", "undecided": "?"}
"""The sign of each outcome, which never stands without its word."""

_TREATED: Final[dict[OnUndecided, str]] = {
    "fail": "undecided fails",
    "warn": "undecided warns, and passes",
    "pass": "undecided passes",
}


def found(check: Check, shown: Escape) -> str:
    """Return what the data say of a requirement, as a sentence without an end.

    Examples
    --------
    >>> import ropewalk as rw
    >>> y = [1, 0] * 200
    >>> gate = rw.gate(y, y, [1, 1] * 200, metric="accuracy", require="better", rng=0)
    >>> found(gate.checks[0], str)
    'A is better in accuracy'
    """
    return told_of((check,), shown)


def difference(check: Check) -> str:
    """Return the difference with its interval: −2.85 [−3.77, −1.91] points; and where less is better, that it is."""
    c = check.comparison
    unit = c.recipe.unit
    noun = f" {unit.noun}s" if unit.noun else ""
    return f"{Shown.of(c.delta, unit).text()}{noun}{'' if c.higher_is_better else ' (less is better)'}"


def chance(check: Check) -> str:
    """Return the probability that the difference is as required; a dash where it is not known."""
    c = check.comparison
    return "–" if check.chance is None else percent(check.chance, c.delta.worth(len(c.draws)))


def facts(check: Check, gate: Gate, shown: Escape) -> tuple[tuple[str, str], ...]:
    """Return what is known of a check, as labels and texts."""
    c = check.comparison
    outcome = f"{check.outcome}: {shown(check.reason)}" if check.reason else check.outcome
    lines = [
        ("Required", f"{shown(c.a)} is {check_words(check, shown)}"),
        ("Outcome", f"{outcome} ({treated(gate)})" if check.outcome == "undecided" else outcome),
        ("Difference", f"{shown(c.a)} − {shown(c.b)}: {difference(check)}, {100 * c.recipe.prob:g}% HDI"),
        ("As required", f"with probability {chance(check)}" if check.chance is not None else ""),
        ("Data", count_of(c.recipe.n_items, c.recipe.noun) if c.recipe.n_items else ""),
        ("Drawn", f"{len(c.draws):,} draws, seed {gate.seed}"),
    ]
    return tuple(line for line in lines if line[1])


def treated(gate: Gate) -> str:
    """Return what an undecided gate does."""
    return _TREATED[gate.on_undecided]


def as_lines(labelled: tuple[tuple[str, str], ...]) -> str:
    """Return labelled lines in two columns.

    Examples
    --------
    >>> print(as_lines((("Seed", "0"), ("Outcome", "met"))))
    Seed     0
    Outcome  met
    """
    wide = max(len(label) for label, _ in labelled)
    return "\n".join(f"{label:{wide}}  {text}" for label, text in labelled)
