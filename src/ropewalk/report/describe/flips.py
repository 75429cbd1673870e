"""Flips: the answers that A gained and lost against B, as a line and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ropewalk.report import words
from ropewalk.report.document import Table, name
from ropewalk.results import Comparison, Flip, Flips
from ropewalk.text.units import POINTS, Shown, signed
from ropewalk.text.writing import count_of

_TITLES: Final = {
    "gained": "gained",
    "lost": "lost",
    "both_wrong": "both wrong, differently",
    "churned": "churned in all",
}
_ACCURACIES: Final = " Gained less lost is the difference in accuracy."
_OF_ALL_ITEMS: Final = " They are of all items, so that a task of more items has more of them."


def flips_line(c: Comparison, flips: Flips) -> str:
    """Write how many answers were gained and lost, and which share that is of answers like these."""
    of, says = ("answer", "{} alone is right") if flips.of == "answers" else ("score", "{}'s is better")
    told = f"{flips.gained.count:,} of {count_of(c.recipe.n_items, of)} gained ({says.format(name(c.a))}), "
    told += f"{_share(flips.gained)}; {flips.lost.count:,} lost ({says.format(name(c.b))}), {_share(flips.lost)}; "
    measured = "" if flips.churned.share.observed is None else "measured shares and "
    whole = f"{flips.churned.count:,} churned in all, {_share(flips.churned)}"
    return f"{told}{whole}: {measured}{words.mass_text(c.recipe)} intervals."


def _share(flip: Flip, places: int | None = None) -> str:
    """Write the measured share, where there is one, and the interval, in per cent; with so many decimals."""
    interval = _interval(flip, places)
    return interval if flip.share.observed is None else f"{_measured(flip, places)}% {interval}"


def _shown(flip: Flip, places: int | None = None) -> Shown:
    shown = Shown.of(flip.share, POINTS)
    return shown if places is None else replace(shown, places=places)


def _interval(flip: Flip, places: int | None = None) -> str:
    return f"[{', '.join(_shown(flip, places).ends(sign=False))}]"


def flips_table(c: Comparison, flips: Flips) -> Table:
    """Return one row per kind of flip: how many there were, and their share."""
    a, b = name(c.a), name(c.b)
    rows = [
        (_TITLES[kind], f"{flip.count:,}", _measured(flip), _interval(flip))
        for kind, flip in flips.rows.items()
        if kind != "both_wrong" or flip.count or flip.share.std  # of two labels there are no two wrong ones
    ]
    only, why = f"Gained are the answers that {a} alone has right, lost those that {b} alone has", _ACCURACIES
    if flips.of == "scores":
        only, why = f"Gained are the items on which {a}'s score is better, lost those on which {b}'s is", ""
    if flips.n_tasks > 1:
        why = _OF_ALL_ITEMS
    return Table(
        header=("flips", flips.of, "measured × 100", f"{words.mass_text(c.recipe)} interval"),
        rows=tuple(rows),
        ends_in_text=False,
        label="Gained and lost",
        note=f"{only}; churned are all that changed.{why}",
    )


def _measured(flip: Flip, places: int | None = None) -> str:
    seen = flip.share.observed
    return "–" if seen is None else signed(100 * seen, _shown(flip, places).places, sign=False)


def tasks_flips(labels: Sequence[str], comparisons: Sequence[Comparison]) -> tuple[Table, ...]:
    """Return the flips of several tasks, a row each; none where there are no flips."""
    flipped = [(label, c.flips) for label, c in zip(labels, comparisons, strict=True) if c.flips is not None]
    if not flipped:
        return ()
    mass = words.mass_text(comparisons[0].recipe)
    of_tasks = [(label, (f.gained, f.lost, f.churned)) for label, f in flipped]
    places = min(_shown(flip).places for _, flips in of_tasks for flip in flips)
    rows = [
        (label, *(part for flip in flips for part in (f"{flip.count:,}", _share(flip, places))))
        for label, flips in of_tasks
    ]
    header = ("task", *(part for kind in ("gained", "lost", "churned") for part in (kind, f"measured [{mass}]")))
    return (Table(header=header, rows=tuple(rows), ends_in_text=False, label="Gained and lost"),)


def tasks_line(comparisons: Sequence[Comparison]) -> str:
    """Write how many answers to all tasks were gained and lost; empty where there are no flips."""
    flipped = [c for c in comparisons if c.flips is not None]
    if not flipped:
        return ""
    gained, lost, churned = (
        sum(getattr(c.flips, kind).count for c in flipped) for kind in ("gained", "lost", "churned")
    )
    whole = count_of(sum(c.recipe.n_items for c in flipped), "answer")
    return f"{churned:,} of {whole} churned: {gained:,} gained, {lost:,} lost."
