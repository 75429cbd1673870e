"""Verdicts of a judge, corrected by those items on which a human's are known too: exact, cell by cell.

    p ~ Dirichlet(a + items in each cell)                   what the judge says, of all items
    q_c ~ Dirichlet(a_c + what humans say of items in c)    what humans say where the judge says c
    the truth: Σ_c p_c · q_c

A cell is what is known of every item: the judge's verdicts on both answers, or its label and both predictions. Nothing
is assumed about how the judge errs: it may favour one of the two, and err more on hard items. Which items humans were
asked about may depend on the cell, since every cell is corrected by its own. Where humans were asked about all items,
p and q together are the Dirichlet of what they say, and the judge has no part in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Protocol, Self

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import dirichlet
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.models.protocol import Model, Posterior, check_masses
from ropewalk.typing import FloatArray, IntArray

VERDICTS: Final = ("wrong", "right")
"""What can be said of an answer, by code."""

RIGHT: Final = 1

PAIRS: Final = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32)
"""What can be said of two answers: the cells of a judge, and what humans can say in each."""

_SAID: Final = np.column_stack([np.full(len(PAIRS), RIGHT), PAIRS]).astype(np.int32)


@dataclass(frozen=True, kw_only=True, eq=False)
class Sorted:
    """The items sorted by what the judge says of them, G groups, and by what is true then, S outcomes.

    `shares` (G,) are pseudo-counts and counts of the groups, and `human` (G, S) those of what humans say; `counted`
    (G,) the items alone, and `labelled` (G,) those that humans judged. `texts` is what the judge says. `group` and
    `outcome` are those of every cell of the tables that are drawn.
    """

    shares: FloatArray
    human: FloatArray
    counted: FloatArray
    labelled: FloatArray
    texts: tuple[tuple[str, ...], ...]
    group: IntArray
    outcome: IntArray


class JudgedPosterior(Protocol):
    """A posterior of what is true, given what a judge says; its `block` draws the second of `both`."""

    @property
    def cells(self) -> Cells:
        """The cells of the tables that are drawn."""

    @property
    def sorted(self) -> Sorted:
        """The items as they are sorted, and told of."""

    @property
    def expected(self) -> FloatArray:
        """About how much each cell weighs."""

    def both(self, rng: np.random.Generator, size: int) -> tuple[Weighted, Weighted]:
        """Draw `size` tables as the judge has them, and as they truly are."""


@dataclass(frozen=True, kw_only=True, eq=False)
class VerdictsPosterior(Posterior):
    """The four `PAIRS` of a judge's verdicts, and in each the four of a human's."""

    sorted: Sorted

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.sorted.shares.size + self.sorted.human.size

    @property
    def cells(self) -> Cells:
        """A human's verdicts, where the judge says each of its own."""
        return Cells(np.tile(_SAID, (len(_SAID), 1)), len(VERDICTS))

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables of a human's verdicts."""
        return self.both(rng, size)[1]

    def both(self, rng: np.random.Generator, size: int) -> tuple[Weighted, Weighted]:
        """Draw `size` tables of the judge's verdicts, and of a human's."""
        shares = dirichlet(rng, self.sorted.shares, size)
        true = np.stack([dirichlet(rng, shapes, size) for shapes in self.sorted.human]) * shares[:, np.newaxis]
        return Weighted(Cells(_SAID, len(VERDICTS)), shares), Weighted(self.cells, true.reshape(-1, size))

    @property
    def expected(self) -> FloatArray:
        """The posterior means of the weights of all cells."""
        shares, human = self.sorted.shares, self.sorted.human
        means = (shares / shares.sum() / human.sum(axis=1))[:, np.newaxis] * human
        return np.asarray(means.reshape(-1))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedVerdicts(Model):
    """A judge's verdicts, right or wrong, on the answers of two systems, and a human's on some of the items.

    `labelled` (4, 4) counts the items that a human judged too, by the judge's verdicts on A and B (rows) and the
    human's (columns), in the order of `PAIRS`. `mass` is how many pseudo-items each cell of the judge weighs; together
    with a human's verdicts on all items they make Jeffreys' prior of these.

    Examples
    --------
    >>> JudgedVerdicts(labelled=np.zeros((4, 4))).prior
    'judge ~ Dir(0.5, 0.5, 0.5, 0.5); human | judge ~ Dir(0.125, 0.125, 0.125, 0.125)'
    """

    labelled: FloatArray | IntArray = field(repr=False)
    mass: float = 0.5

    name = "judged"
    is_symmetric = True
    takes_labels_as_true = False
    labels_are = "judged"
    no_papers = "the models of the papers take the judge's verdicts for the truth"
    moves = "The observed values are the judge's verdicts; the posterior is about a human's."

    def __post_init__(self) -> None:
        check_masses(self, "mass")

    @property
    def prior(self) -> str:
        """The prior in one line."""
        cells, each = (", ".join([f"{mass:g}"] * 4) for mass in (self.mass, self.mass / 4))
        return f"judge ~ Dir({cells}); human | judge ~ Dir({each})"

    @property
    def description(self) -> str:
        """The model in a sentence."""
        return (
            "What the judge says of both answers to an item has a Dirichlet prior, and so has what a human says where "
            "the judge says that; no errors of the judge are ruled out, and it may favour one of the two."
        )

    def scaled(self, factor: float) -> Self:
        """Return the model with so many times the prior mass."""
        return replace(self, mass=factor * self.mass)

    def fit(self, outcomes: Outcomes) -> VerdictsPosterior:
        """Return the posterior of a table of the judge's verdicts; without items it is the prior."""
        counts = np.zeros((2, 2))
        np.add.at(counts, tuple(outcomes.codes.T[1:]), outcomes.counts)
        labelled = np.asarray(self.labelled, dtype=np.float64) if outcomes.n_items else np.zeros((4, 4))
        place = np.arange(labelled.size)
        return VerdictsPosterior(
            sorted=Sorted(
                shares=counts.reshape(-1) + self.mass,
                human=labelled + self.mass / len(PAIRS),
                counted=counts.reshape(-1),
                labelled=labelled.sum(axis=1),
                texts=tuple(tuple(VERDICTS[said] for said in pair) for pair in PAIRS.tolist()),
                group=place // len(PAIRS),
                outcome=place % len(PAIRS),
            )
        )
