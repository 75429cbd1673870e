"""A judge's labels, corrected by those items on which a human's are known too.

    cells of (judge, predictions) ~ the outcome-type tree, of all items
    truth | cell                  ~ Dirichlet(mass + what humans say of items in it)

Of two labels there are eight cells, and each is corrected by its own. Of more there may be more cells than human
labels, so cells are taken together by which of the three labels in them are equal, and what is asked is whose label is
true: the judge's, one of the predictions' or another. Then who agrees with whom may tell how wrong the judge is, and
which class it says may not; for an accuracy that makes no difference.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final, Self

import numpy as np

from ropewalk.data.labels import BINARY, label_text
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import block_size
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Loose, LooseWeights, Weighted
from ropewalk.models.judged import Judged, JudgedPosterior, Sorted
from ropewalk.models.learned import LearnedTree
from ropewalk.models.power_prior import match
from ropewalk.models.protocol import check_masses
from ropewalk.text.remarks import wording
from ropewalk.typing import CodeArray, FloatArray, IntArray

PATTERNS: Final = (("x", "x", "x"), ("x", "x", "y"), ("x", "y", "x"), ("x", "y", "y"), ("x", "y", "z"))
"""Which of the judge's label and the two predictions are equal."""

_KINDS: Final = np.array([[1, 0, 0, 1], [1, 0, 1, 1], [1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 1, 1]])
"""Whose label may be true by pattern: the judge's, the first prediction's, the second's, another."""

_ANOTHER: Final = 3
_MAX_NUMBERS: Final = 100_000  # outcomes of all cells


def _patterns(codes: CodeArray) -> IntArray:
    """Return the patterns of cells of (judge, first, second), by their places."""
    judge, first, second = codes.T
    pattern = np.where(first == second, 3, 4)
    pattern = np.where(judge == second, 2, pattern)
    pattern = np.where(judge == first, 1, pattern)
    return np.where((judge == first) & (judge == second), 0, pattern)


def _kinds(codes: CodeArray, n_labels: int) -> IntArray:
    """Return of which kind each label is as the truth of each cell, (C, M)."""
    judge, first, second = (codes[:, [k]] for k in range(3))
    labels = np.arange(n_labels)
    kind = np.where(labels == second, 2, _ANOTHER)
    kind = np.where(labels == first, 1, kind)
    return np.where(labels == judge, 0, kind)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelsPosterior(JudgedPosterior):
    """A posterior of true labels, whose base may weigh cells that the data lack."""

    @property
    def block_size(self) -> int:
        """How many draws a block holds."""
        return block_size(self.base.work + self.part.size)

    def _loose(self, rng: np.random.Generator, loose: LooseWeights | None, chances: FloatArray) -> LooseWeights | None:
        """Return the weights on cells that the data lack with a truth of their pattern."""
        if loose is None:
            return None
        said, draws = loose.codes.T, np.arange(loose.codes.shape[1])
        shares = chances[_patterns(said), :, loose.draw].cumsum(axis=1)
        kind = (shares < rng.random((len(said), 1)) * shares[:, -1:]).sum(axis=1)
        truth = said[draws, np.minimum(kind, 2)]
        left = np.flatnonzero(kind == _ANOTHER)
        while left.size:
            truth[left] = rng.integers(self.cells.n_labels, size=left.size)
            left = left[(said[left] == truth[left, np.newaxis]).any(axis=1)]
        codes = np.concatenate([truth[np.newaxis], loose.codes[1:]]).astype(np.int32)
        return Loose(codes, loose.draw, loose.weights)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedLabels(Judged):
    """A judge's labels of the items, and a human's of some of them, beside the predictions of two classifiers.

    `labelled` are the items that a human judged: the truth is the human's, and the last of the classifiers is the
    judge. `mass` is how many pseudo-items each cell, or of more than two labels each pattern of cells, weighs.
    """

    labelled: Outcomes = field(repr=False)
    mass: float = 0.5

    name = "judged_labels"
    no_papers = "the models of the papers take the judge's labels for the truth"
    no_factor = "the prior of a judge's errors was learned from the items"
    moves = "The observed values are against the judge's labels; the posterior is about a human's."

    def __post_init__(self) -> None:
        check_masses(self, "mass")

    @property
    def prior(self) -> str:
        """The prior in one line."""
        return f"judge: {LearnedTree().prior}; human | judge ~ Dir, mass {self.mass:g}"

    def prior_for(self, n_labels: int, n_classifiers: int) -> str:
        """Return the prior as it is for so many labels and classifiers."""
        judge = LearnedTree().prior_for(n_labels, n_classifiers)
        return f"judge: {judge}; human | judge ~ Dir, mass {self.mass:g}"

    @property
    def description(self) -> str:
        """The model in a sentence or two."""
        return (
            "What the judge and both classifiers say of an item has the prior of the outcome-type tree. What a human "
            "says then has a Dirichlet prior: of two labels in each case, of more by who of the three agree."
        )

    def scaled(self, factor: float) -> Self:
        """Return the model with so many times the prior mass."""
        return replace(self, mass=factor * self.mass)

    def fit(self, outcomes: Outcomes) -> LabelsPosterior:
        """Return the posterior of a table whose truth is the judge's; without items it is the prior."""
        base = LearnedTree().fit(outcomes)
        first = base.block(np.random.default_rng(0), 1)
        assert isinstance(first, Weighted)  # noqa: S101 - what the tree draws
        said, n_labels = first.cells.codes, outcomes.n_labels
        if len(said) * n_labels > _MAX_NUMBERS:
            raise InvalidInputError(
                f"A judge is corrected cell by cell, and these data have {len(said) * n_labels:,} outcomes of them.",
                hint=wording("pos_label= asks about one class against the rest."),
            )
        place = {tuple(cell): i for i, cell in enumerate(said.tolist())}
        counted, seen = np.zeros(len(said)), np.zeros((len(said), n_labels))
        for cell, n in zip(outcomes.codes.tolist(), outcomes.counts.tolist(), strict=True):
            counted[place[tuple(cell)]] += n
        if outcomes.n_items:
            judge = self.labelled.names[-1]
            human = match(self.labelled, Outcomes.empty(outcomes.labels, [*outcomes.names, judge]), "labelled")
            for (truth, *predicted, label), n in zip(human.codes.tolist(), human.counts.tolist(), strict=True):
                seen[place[label, *predicted], truth] += n
        texts = [label_text(label) for label in outcomes.labels]
        known, part = (
            self._by_cell(said, counted, seen, texts) if n_labels == BINARY else self._by_pattern(said, counted, seen)
        )
        truth = np.tile(np.arange(n_labels, dtype=np.int32), len(said))
        codes = np.column_stack([truth, np.repeat(said[:, 1:], n_labels, axis=0)]).astype(np.int32)
        return LabelsPosterior(
            base=base, cells=Cells(codes, n_labels), sorted=known, part=part, weights=counted + 1 / max(len(said), 1)
        )

    def _by_cell(
        self, said: CodeArray, counted: FloatArray, seen: FloatArray, texts: list[str]
    ) -> tuple[Sorted, FloatArray]:
        """Sort items by what the judge and the predictions say, and by the true label."""
        n_cells, n_labels = seen.shape
        known = Sorted(
            shares=counted + 1 / n_cells,
            human=seen + self.mass / n_labels,
            counted=counted,
            labelled=seen.sum(axis=1),
            texts=tuple(tuple(texts[code] for code in cell) for cell in said.tolist()),
            group=np.repeat(np.arange(n_cells), n_labels),
            outcome=np.tile(np.arange(n_labels), n_cells),
        )
        return known, np.ones(seen.size)

    def _by_pattern(self, said: CodeArray, counted: FloatArray, seen: FloatArray) -> tuple[Sorted, FloatArray]:
        """Sort items by which labels are equal, and by whose is true."""
        pattern, kind = _patterns(said), _kinds(said, seen.shape[1])
        possible = _KINDS.astype(np.float64)
        possible[:, _ANOTHER] = [seen.shape[1] > len(set(letters)) for letters in PATTERNS]
        group, outcome = np.repeat(pattern, seen.shape[1]), kind.reshape(-1)
        human = self.mass * possible / possible.sum(axis=1, keepdims=True)
        np.add.at(human, (group, outcome), seen.reshape(-1))
        in_groups, labelled = (
            np.bincount(pattern, by, minlength=len(PATTERNS)).astype(np.float64) for by in (counted, seen.sum(axis=1))
        )
        known = Sorted(
            shares=in_groups + self.mass,
            human=human,
            counted=in_groups,
            labelled=labelled,
            texts=PATTERNS,
            group=group,
            outcome=outcome,
        )
        return known, 1 / (kind[:, :, np.newaxis] == kind[:, np.newaxis]).sum(axis=2).reshape(-1)
