"""Tables as arrays: the counts and priors that a PyMC model is built of, and the way back from its draws to tables.

Every conjugate model here has one form: shares of the classes ~ Dirichlet, and in each class shares of outcomes ~
Dirichlet. Outcomes are *types* (who is right, and which of the wrong ones agree), except for the flat model, where
they are labels. Which labels were said within a type does not depend on the shares, so it is not sampled by a chain:
given the types it is drawn exactly, as the exact engine does. That is also what spares a chain the shapes of 1/400 that
would break it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from typing import Any

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.margins import Cells, Tables, Weighted
from ropewalk.models import Flat, LearnedTree, Multilabel, PowerPrior, Sigir2016, Sigir2016Unpaired, Tree
from ropewalk.models.cells import SMALLEST_SHARE
from ropewalk.models.multilabel import stack_margins
from ropewalk.models.tree import TreePosterior
from ropewalk.text.remarks import wording
from ropewalk.typing import FloatArray, IntArray

Fill = Callable[[np.random.Generator, FloatArray, FloatArray], list[Tables]]
"""Turns draws of class shares (D, L, R) and outcome shares (D, L, R, G) into tables, one per table of the data."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Layout:
    """L tables of R classes and G outcomes: counts, pseudo-counts, and what to call them.

    `lead` names the axes of the tables, in the order in which they are flattened to L: none for one table of all
    classifiers, the classifiers where each has its own, the labels of multi-label data.
    """

    lead: tuple[tuple[str, tuple[str, ...]], ...]
    classes: tuple[str, ...]
    outcomes: tuple[str, ...]
    mu_counts: FloatArray
    mu_prior: FloatArray
    counts: FloatArray
    prior: FloatArray
    fill: Fill

    @property
    def dims(self) -> tuple[str, ...]:
        """The names of the leading axes."""
        return tuple(name for name, _ in self.lead)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the leading axes."""
        return tuple(len(coords) for _, coords in self.lead)

    @property
    def coords(self) -> dict[str, tuple[str, ...]]:
        """The coordinates of every axis."""
        axes = {**dict(self.lead), "class": self.classes, "outcome": self.outcomes}
        return {name: tuple(map(coordinate, values)) for name, values in axes.items()}

    def led(self, array: FloatArray) -> FloatArray:
        """Return (L, …) with L unfolded into the leading axes."""
        return array.reshape(*self.shape, *array.shape[1:])


def coordinate(text: str) -> str:
    r"""Return a text that can be written as UTF-8, which nutpie insists on; a lone surrogate cannot.

    Examples
    --------
    >>> print(coordinate("\u03bc \ud800"))
    μ \ud800
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


@singledispatch
def layout_of(model: Any, tables: Sequence[Any]) -> Layout:  # noqa: ARG001
    """Return the counts of `tables` and the pseudo-counts of a conjugate model."""
    raise InvalidInputError(
        f"The model {model.name!r} has no form for PyMC.", hint=wording('leave engine= out, or use engine="exact".')
    )


@layout_of.register
def _(model: LearnedTree, tables: Sequence[Outcomes]) -> Layout:
    fixed = model.fixed_for(tables[0].n_labels)
    if fixed is not None:
        return layout_of(fixed, tables)
    raise InvalidInputError(
        f"The model {model.name!r} has no form for PyMC, since it learns its masses.",
        hint=wording('use model="tree", whose masses are fixed, or engine="exact".')
        if model.paired
        else wording('use models.Tree(paired=False), whose masses are fixed, or engine="exact".'),
    )


@layout_of.register
def _(model: Tree, tables: Sequence[Outcomes]) -> Layout:
    parts = [model.fit_types(table, every_type=True) for table in tables]
    first, rows = parts[0], rows_of(tables)
    n_labels, n_types = first.n_labels, len(first.types) // first.n_labels
    counts = np.stack([part.type_counts.reshape(n_labels, n_types)[rows] for part in parts])
    mu_counts = counts.sum(axis=-1)

    def fill(rng: np.random.Generator, mu: FloatArray, theta: FloatArray) -> list[Tables]:
        drawn = zip(parts, mu.swapaxes(0, 1), theta.swapaxes(0, 1), strict=True)
        return [_filled(rng, part, rows, shares, types) for part, shares, types in drawn]

    return Layout(
        lead=_axis(tables),
        classes=tuple(label_text(tables[0].labels[j]) for j in rows),
        outcomes=tuple(type_text(pattern, tables[0].names) for pattern in first.patterns[:n_types].tolist()),
        mu_counts=mu_counts,
        mu_prior=np.stack([part.mu[rows] for part in parts]) - mu_counts,
        counts=counts,
        prior=np.stack([part.types.reshape(n_labels, n_types)[rows] for part in parts]) - counts,
        fill=fill,
    )


@layout_of.register(Sigir2016)
@layout_of.register(Sigir2016Unpaired)
def _(model: Sigir2016 | Sigir2016Unpaired, tables: Sequence[Outcomes]) -> Layout:
    # The papers list what is said from (1,1) down to (0,0): on positive items that is from all right to all wrong.
    frame = layout_of(Tree(), tables)
    shapes = np.array([model.negative[::-1], model.positive])
    mu = np.array(model.mu[::-1])
    return replace(
        frame,
        mu_prior=np.broadcast_to(mu, frame.mu_counts.shape).astype(np.float64),
        prior=np.broadcast_to(shapes, frame.counts.shape).astype(np.float64),
    )


@layout_of.register
def _(model: Flat, tables: Sequence[Outcomes]) -> Layout:
    n_labels, rows = tables[0].n_labels, rows_of(tables)
    cells = Cells(np.stack(np.divmod(np.arange(n_labels**2), n_labels), axis=1).astype(np.int32), n_labels)
    counts = np.stack([table.confusion() for table in tables]).astype(np.float64)[:, rows]

    def fill(rng: np.random.Generator, mu: FloatArray, theta: FloatArray) -> list[Tables]:  # noqa: ARG001
        whole = np.zeros((len(mu), len(tables), n_labels, n_labels))
        whole[:, :, rows] = mu[..., np.newaxis] * theta
        return [Weighted(cells, np.ascontiguousarray(part.reshape(len(mu), -1).T)) for part in whole.swapaxes(0, 1)]

    return Layout(
        lead=_axis(tables),
        classes=tuple(label_text(tables[0].labels[j]) for j in rows),
        outcomes=tuple(map(label_text, tables[0].labels)),
        mu_counts=counts.sum(axis=-1),
        mu_prior=np.full(counts.shape[:2], model.mu_prior),
        counts=counts,
        prior=np.full(counts.shape, model.theta_prior),
        fill=fill,
    )


@layout_of.register
def _(model: Multilabel, tables: Sequence[MultilabelOutcomes]) -> Layout:
    tree = Tree(kappa=model.kappa, mu_prior=model.mu_prior)
    frame = layout_of(tree, [part for table in tables for part in table.tables()])

    def fill(rng: np.random.Generator, mu: FloatArray, theta: FloatArray) -> list[Tables]:
        flat = [table.margins() for table in frame.fill(rng, mu, theta)]
        return [stack_margins(flat[i : i + len(labels)]) for i in range(0, len(flat), len(labels))]

    labels = tuple(map(label_text, tables[0].labels))
    return replace(frame, lead=(*_axis(tables), ("label", labels)), classes=("absent", "present"), fill=fill)


@layout_of.register
def _(model: PowerPrior, tables: Sequence[Any]) -> Layout:
    # To the power of a discount, the earlier items are so many pseudo-items. They also tell which labels are said in
    # a type, so it is both together that tables are filled from.
    frame = layout_of(model.model, tables)
    whole = layout_of(model.model, [model.counted(table) for table in tables])
    return replace(
        frame,
        mu_prior=frame.mu_prior + whole.mu_counts - frame.mu_counts,
        prior=frame.prior + whole.counts - frame.counts,
        fill=whole.fill,
    )


def _filled(
    rng: np.random.Generator, part: TreePosterior, rows: IntArray, shares: FloatArray, types: FloatArray
) -> Weighted:
    """Draw the labels of one table, given its shares (D, R) and types (D, R, G)."""
    n_draws, n_types = len(shares), types.shape[-1]
    mu = whole_shares(shares, rows, part.n_labels)
    theta = np.full((part.n_labels, n_types, n_draws), 1 / n_types)
    theta[rows] = types.transpose(1, 2, 0)
    masses = (mu[:, np.newaxis] * theta).reshape(-1, n_draws)
    return part.fill(rng, mu, masses)


def whole_shares(shares: FloatArray, rows: IntArray, n_labels: int) -> FloatArray:
    """Return the shares (M, D) of all labels, given those (D, R) of the labels that can be true."""
    whole = np.full((n_labels, len(shares)), SMALLEST_SHARE)
    whole[rows] = np.maximum(shares.T, SMALLEST_SHARE)
    return whole


def rows_of(tables: Sequence[Outcomes]) -> IntArray:
    """Return the labels that can be true."""
    return np.flatnonzero(tables[0].can_be_true)


def _axis(tables: Sequence[Any]) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the axis of the tables: none where one table holds all classifiers."""
    return () if len(tables) == 1 else (("classifier", tuple(table.names[0] for table in tables)),)


def type_text(pattern: Sequence[int], names: Sequence[str]) -> str:
    """Describe a type in words.

    Examples
    --------
    >>> [type_text(p, ["A", "B"]) for p in ([0, 0], [0, 1], [1, 1], [1, 2])]
    ['all right', 'A right', 'none right, 1 wrong label', 'none right, 2 wrong labels']
    >>> type_text([1], ["A"])
    'wrong'
    """
    right = [name for name, number in zip(names, pattern, strict=True) if number == 0]
    if len(names) == 1:
        return "right" if right else "wrong"
    if len(right) == len(names):
        return "all right"
    wrong = max(pattern)
    ways = "" if wrong == 1 and right else f", {wrong} wrong label{'s' if wrong > 1 else ''}"
    return f"{' and '.join(right)} right{ways}" if right else f"none right{ways}"
