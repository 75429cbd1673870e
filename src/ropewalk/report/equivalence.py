"""Which classifiers of a ranking are practically equivalent, and which pairs are undecided: bars that join them.

The classical critical-difference diagram joins what is "not significant", which reads as equal. Here a bar of its own
joins what was shown to be equivalent, another one what is undecided, and none what is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from typing import Final

from ropewalk.report.document import name
from ropewalk.report.rows import Forest, Piece, Row
from ropewalk.results import Pair, Ranking
from ropewalk.text.verdicts import Verdict

CAPTION: Final = (
    "A thick bar joins classifiers every two of which are practically equivalent, a thin dotted one those every two of "
    "which are undecided; a dot is a member. Two that no bar joins are decided: one is better. The classical "
    "critical-difference diagram joins what is “not significant”, which reads as equal."
)


@dataclass(frozen=True, slots=True)
class Join:
    """Places of classifiers, best first, each pair of which is equivalent, or undecided where not `settled`.

    `column` is where the bar stands: bars that share rows stand beside each other.
    """

    members: tuple[int, ...]
    settled: bool
    column: int


def can_join(result: Ranking) -> bool:
    """Whether pairs can be equivalent: by a ROPE of two ends, and where there is a verdict."""
    rope = result.recipe.rope
    return rope is not None and not rope.one_sided and any(pair.decision is not None for pair in result.pairwise)


def joins(result: Ranking) -> tuple[Join, ...]:
    """Return bars over the classifiers, best first: of each kind as few as hold every such pair, and no other one."""
    places = {model.name: place for place, model in enumerate(result.by_rank)}
    kinds: dict[bool, set[frozenset[int]]] = {True: set(), False: set()}
    for pair in result.pairwise:
        if not _is_decided(pair):
            kinds[_is_equivalent(pair)].add(frozenset((places[pair.a], places[pair.b])))
    bars: list[Join] = []
    for settled, pairs in kinds.items():
        groups, first = groups_of_pairs(pairs, len(places)), n_columns(bars)
        bars += [
            Join(group, settled, first + column)
            for group, column in zip(groups, _columns([(group[0], group[-1]) for group in groups]), strict=True)
        ]
    return tuple(bars)


def n_columns(bars: Sequence[Join]) -> int:
    """Return how many columns bars take."""
    return max((bar.column + 1 for bar in bars), default=0)


def _columns(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Return a column for each stretch of rows, in order of their starts: the first one that is free there."""
    ends: list[int] = []
    columns = []
    for start, stop in spans:
        free = next((column for column, end in enumerate(ends) if end < start), len(ends))
        ends[free : free + 1] = [stop]
        columns.append(free)
    return columns


def _is_equivalent(pair: Pair) -> bool:
    return pair.decision is not None and pair.decision.verdict is Verdict.EQUIVALENT


def _is_decided(pair: Pair) -> bool:
    return pair.decision is not None and pair.decision.conclusive and not _is_equivalent(pair)


def groups_of_pairs(pairs: AbstractSet[frozenset[int]], n: int) -> list[tuple[int, ...]]:
    """Return groups of numbers below n, all of whose pairs are among these, until every pair is in a group.

    Examples
    --------
    >>> groups_of_pairs({frozenset(pair) for pair in [(0, 1), (0, 2), (1, 2), (2, 3)]}, 4)
    [(0, 1, 2), (2, 3)]
    """
    groups: list[tuple[int, ...]] = []
    for first, second in sorted(tuple(sorted(pair)) for pair in pairs):
        if any(first in group and second in group for group in groups):
            continue
        group = [first, second]
        for other in range(n):
            if other not in group and all(frozenset((other, member)) in pairs for member in group):
                group.append(other)
        groups.append(tuple(sorted(group)))
    return sorted(groups)


# -- on a page ---------------------------------------------------------------------------------------------


def joined(rows: Forest, result: Ranking) -> Forest:
    """Return rows of classifiers, best first, with the bars that join them."""
    bars, names = joins(result), [name(model.name) for model in result.by_rank]
    drawn = (_joined(row, place, bars, names) for place, row in enumerate(rows.rows))
    return replace(rows, rows=tuple(drawn), joins=max(n_columns(bars), 1), note=f"{rows.note} {CAPTION}".strip())


def _joined(row: Row, place: int, bars: Sequence[Join], names: Sequence[str]) -> Row:
    pieces, told = [], []
    for bar in bars:
        first, last = bar.members[0], bar.members[-1]
        if not first <= place <= last:
            continue
        top, foot = 50 if place == first else 0, 50 if place == last else 100
        pieces.append(Piece(bar.column, top, foot, place in bar.members, bar.settled))
    for settled, words in ((True, "equivalent to"), (False, "undecided with")):
        others = {k for bar in bars if bar.settled is settled and place in bar.members for k in bar.members} - {place}
        if others:
            told.append(f"{words} {', '.join(names[k] for k in sorted(others))}")
    return replace(row, joins=tuple(pieces), joined="; ".join(told) or "decided against all others")
