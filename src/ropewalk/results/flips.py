"""Flips: the answers that changed from right to wrong and back, between two systems on the same items."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ropewalk._checks import published
from ropewalk.draws.blocks import Draws
from ropewalk.draws.intervals import Estimate
from ropewalk.results import base


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """How many answers flipped in one way, and the posterior of their share."""

    count: int
    share: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Return the flip in plain Python types."""
        return {"count": self.count, **base.estimate_dict(self.share)}


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """What A gained and lost against B, answer by answer.

    `gained` are the answers that A has right and B wrong, `lost` those that A has wrong and B right; `both_wrong` those
    that both have wrong, in different ways, None where no labels are known. `churned` are all of these: the answers
    that are not what they were. `of` is "answers" where each is right or wrong; else "scores", and gained means that
    A's is the better one. `draws` have the shares of gained, lost and, of labels, both wrong: the first draws of the
    answer itself, so that gained − lost is the difference of accuracies, or of mean scores that are 0 or 1. Of several
    tasks, as `n_tasks` says, they are shares of all items.

    Examples
    --------
    >>> import ropewalk as rw
    >>> truth, new, old = [1, 0] * 100, [1, 0, 1, 1] * 50, [1, 1, 1, 0] * 40 + [1, 1, 1, 1] * 10
    >>> r = rw.compare(truth, new, old, metric="accuracy", flips=True, rng=0)
    >>> r.flips.gained.count, r.flips.lost.count, r.flips.churned.count
    (50, 40, 90)
    >>> low, high = r.flips.gained.share.hdi
    >>> low < 0.25 < high
    True
    """

    gained: Flip
    lost: Flip
    both_wrong: Flip | None
    churned: Flip
    of: Literal["answers", "scores"]
    draws: Draws = field(repr=False)
    n_tasks: int = 1

    @property
    def rows(self) -> dict[str, Flip]:
        """The flips by what they are called, those that there can be."""
        named = {"gained": self.gained, "lost": self.lost, "both_wrong": self.both_wrong, "churned": self.churned}
        return {kind: flip for kind, flip in named.items() if flip is not None}

    def to_dict(self) -> dict[str, Any]:
        """Return the flips in plain Python types: exactly what the JSON of the comparison holds."""
        empty = {"both_wrong": None} if self.both_wrong is None else {}
        return {"of": self.of, **{kind: flip.to_dict() for kind, flip in self.rows.items()}, **empty}
