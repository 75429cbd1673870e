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
from typing import Final, Self

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import dirichlet
from ropewalk.metrics.margins import Cells, Weighted
from ropewalk.models.protocol import Model, Posterior, check_masses
from ropewalk.typing import CodeArray, FloatArray, IntArray

VERDICTS: Final = ("wrong", "right")
"""What can be said of an answer, by code."""

RIGHT: Final = 1

PAIRS: Final = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.int32)
"""What can be said of two answers: the cells of a judge, and what humans can say in each."""


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedPosterior(Posterior):
    """C cells, of which each has a share, and S true outcomes in each.

    `said` (C, 1+K) are the codes of cells as the judge has them, truth first, and `shares` their pseudo-counts and
    counts; `true` (C, S, 1+K) are the codes that humans can give them, and `human` (C, S) those counts. `counted` (C,)
    are the items of each cell alone, `labelled` (C,) those that a human judged, and `texts` what the judge says there.
    """

    n_labels: int
    said: CodeArray
    shares: FloatArray
    true: CodeArray
    human: FloatArray
    counted: FloatArray
    labelled: FloatArray
    texts: tuple[tuple[str, ...], ...]

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.shares.size + self.human.size

    @property
    def cells(self) -> Cells:
        """All true outcomes of all cells."""
        return Cells(self.true.reshape(-1, self.true.shape[-1]), self.n_labels)

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables of what is true."""
        return self.both(rng, size)[1]

    def both(self, rng: np.random.Generator, size: int) -> tuple[Weighted, Weighted]:
        """Draw `size` tables as the judge has them, and as they truly are."""
        shares = dirichlet(rng, self.shares, size)
        true = np.empty((*self.human.shape, size))
        for weights, shapes, share in zip(true, self.human, shares, strict=True):
            weights[:] = dirichlet(rng, shapes, size) * share
        judged = Weighted(Cells(self.said, self.n_labels), shares)
        return judged, Weighted(self.cells, true.reshape(-1, size))

    def expected(self) -> FloatArray:
        """Return the posterior mean of the weights of all true outcomes of all cells, (C, S)."""
        shares = self.shares / self.shares.sum()
        return np.asarray(shares[:, np.newaxis] * self.human / self.human.sum(axis=1, keepdims=True))


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

    def fit(self, outcomes: Outcomes) -> JudgedPosterior:
        """Return the posterior of a table of the judge's verdicts; without items it is the prior."""
        counts = np.zeros((2, 2))
        np.add.at(counts, tuple(outcomes.codes.T[1:]), outcomes.counts)
        labelled = np.asarray(self.labelled, dtype=np.float64) if outcomes.n_items else np.zeros((4, 4))
        codes = np.column_stack([np.full(4, RIGHT), PAIRS]).astype(np.int32)
        return JudgedPosterior(
            n_labels=len(VERDICTS),
            said=codes,
            shares=counts.reshape(-1) + self.mass,
            true=np.broadcast_to(codes, (4, *codes.shape)),
            human=labelled + self.mass / 4,
            counted=counts.reshape(-1),
            labelled=labelled.sum(axis=1),
            texts=tuple(tuple(VERDICTS[said] for said in pair) for pair in PAIRS.tolist()),
        )
