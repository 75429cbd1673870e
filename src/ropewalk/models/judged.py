"""What a judge says, corrected by those items on which it is known what a human says: exact, cell by cell.

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
from typing import Final, NoReturn, Self, Unpack

import numpy as np

from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import dirichlet
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, LooseWeights, Weighted, ratio
from ropewalk.models.graph import Size
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


@dataclass(frozen=True, kw_only=True, eq=False)
class JudgedPosterior(Posterior):
    """What is true of items, given `base`, the posterior of what the judge says of them.

    `cells` are all true outcomes of all cells of the base, cell by cell, and `sorted` says of which group and outcome
    each is; where an outcome stands for several cells, each has its `part`. `weights` are about how often the judge
    says what each cell of the base is.
    """

    base: Posterior
    cells: Cells
    sorted: Sorted
    part: FloatArray
    weights: FloatArray

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.base.work + self.part.size

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables of what is true."""
        return self.both(rng, size)[1]

    def both(self, rng: np.random.Generator, size: int) -> tuple[Weighted, Weighted]:
        """Draw `size` tables as the judge has them, and as they truly are."""
        judged = self.base.block(rng, size)
        assert isinstance(judged, Weighted)  # noqa: S101 - what these models draw
        chances = np.stack([dirichlet(rng, shapes, size) for shapes in self.sorted.human])
        true = self._spread(judged.weights, chances)
        return judged, Weighted(self.cells, true, self._loose(rng, judged.loose, chances))

    def _spread(self, shares: FloatArray, chances: FloatArray) -> FloatArray:
        """Return the weights of all cells, of the `shares` of what the judge says and the `chances` of what is true."""
        known = self.sorted
        true = chances[known.group, known.outcome] * self.part[:, np.newaxis]
        true *= np.repeat(shares, len(true) // len(shares), axis=0)
        return np.asarray(true)

    def _loose(self, rng: np.random.Generator, loose: LooseWeights | None, chances: FloatArray) -> LooseWeights | None:  # noqa: ARG002
        """Return the weights on cells that the data lack, each with a truth."""
        return loose

    @property
    def expected(self) -> FloatArray:
        """About how much each cell weighs."""
        shares, human = self.weights / self.weights.sum(), self.sorted.human
        chances = human / human.sum(axis=1, keepdims=True)
        return self._spread(shares[:, np.newaxis], chances[..., np.newaxis])[:, 0]

    @property
    def gains(self) -> FloatArray:
        """By how much the first of two is more often right than the second, in each group, (G,)."""
        truth, first, second = self.cells.codes.T
        weights, group = self.expected, self.sorted.group
        gained = weights * ((first == truth).astype(np.float64) - (second == truth))
        sums = (np.bincount(group, by, minlength=len(self.sorted.shares)) for by in (gained, weights))
        return ratio(*sums)


@dataclass(frozen=True, kw_only=True, eq=False)
class SaidPosterior(Posterior):
    """What a judge says ~ Dirichlet(`shapes`)."""

    cells: Cells
    shapes: FloatArray

    @property
    def work(self) -> int:
        """About how many random numbers a draw takes."""
        return self.shapes.size

    def block(self, rng: np.random.Generator, size: int) -> Weighted:
        """Draw `size` tables."""
        return Weighted(self.cells, dirichlet(rng, self.shapes, size))


class Judged(Model):
    """A model of what humans would say of items, by what a judge says of all and humans of some."""

    __slots__ = ()

    is_symmetric = True
    takes_labels_as_true = False
    labels_are = "judged"

    def graph(self, **size: Unpack[Size]) -> NoReturn:  # noqa: ARG002
        """Refuse: it is a formula."""
        raise InvalidInputError(
            f"The {self.title} model has no graph.", hint="r.to_text(details=True) has its formulas."
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedVerdicts(Judged):
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
        counted, shares = counts.reshape(-1), counts.reshape(-1) + self.mass
        labelled = np.asarray(self.labelled, dtype=np.float64) if outcomes.n_items else np.zeros((4, 4))
        place = np.arange(labelled.size)
        return JudgedPosterior(
            base=SaidPosterior(cells=Cells(_SAID, len(VERDICTS)), shapes=shares),
            cells=Cells(np.tile(_SAID, (len(PAIRS), 1)), len(VERDICTS)),
            sorted=Sorted(
                shares=shares,
                human=labelled + self.mass / len(PAIRS),
                counted=counted,
                labelled=labelled.sum(axis=1),
                texts=tuple(tuple(VERDICTS[said] for said in pair) for pair in PAIRS.tolist()),
                group=place // len(PAIRS),
                outcome=place % len(PAIRS),
            ),
            part=np.ones(labelled.size),
            weights=shares,
        )
