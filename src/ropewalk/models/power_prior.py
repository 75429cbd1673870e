"""The power prior: what an earlier evaluation found, as the prior of this one, at a discount (Ibrahim and Chen 2000).

    prior(parameters | earlier items) ∝ prior(parameters) · likelihood(parameters | earlier items)^discount

Every model of counted labels here is made of Dirichlets and Betas, whose likelihood is a product of probabilities, each
to the power of a count. So the power prior is exact: an earlier item counts as part of an item, and that is all.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, Unpack

import numpy as np

from ropewalk._checks import is_real
from ropewalk.data.labels import kind_of, label_text, rest_of
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.tally import distinct_rows
from ropewalk.errors import ColumnNotFoundError, DataError, InvalidInputError, PosLabelError, UndeclaredLabelError
from ropewalk.models.graph import Graph, Size, Sketch, graph_of
from ropewalk.models.protocol import Model, Posterior, Wrapper
from ropewalk.text.writing import count_of, shorten, told
from ropewalk.typing import FloatArray, Label


def match(other: AnyOutcomes, outcomes: Outcomes, whose: str = "earlier") -> Outcomes:
    """Return another table's items with the classifiers and labels of `outcomes`; `whose` items they are called.

    Where `outcomes` is one class against the rest, so is what is returned.

    Examples
    --------
    >>> other = Outcomes.from_arrays(["a", "a", "b"], ["a", "b", "b"], ["a", "a", "b"], names=["svm", "nb"])
    >>> match(other, other.collapse("b").project(["svm"])).confusion().tolist()
    [[1, 1], [0, 1]]
    """
    table, (*others, last) = project(other, outcomes.names, whose), outcomes.labels
    against_rest = len(others) == 1 and others[0] == rest_of(last) and _key(others[0]) not in map(_key, table.labels)
    if isinstance(table, MultilabelOutcomes):
        if not against_rest:
            raise InvalidInputError(
                f"The {whose} items have any number of labels, and these have one.", hint="give items of the same kind."
            )
        return table.table(_positive(table, last, whose))
    if against_rest:
        return table.collapse(_positive(table, last, whose))
    codes = places(table, outcomes.labels, whose)[table.codes]
    return Outcomes(codes, table.counts.copy(), outcomes.labels, outcomes.names)


def _key(label: Label) -> tuple[str, Label]:
    """Return what tells labels apart that Python takes for equal, as 1 and True."""
    return kind_of(label), label


def project(other: AnyOutcomes, names: tuple[str, ...], whose: str) -> AnyOutcomes:
    """Return a table with the predictions of these classifiers alone."""
    absent = [name for name in names if name not in other.names]
    if absent:
        raise ColumnNotFoundError(
            f"The {whose} items lack predictions of {shorten(absent)}; they have {shorten(other.names)}.",
            hint=f"classifiers are matched by name: rename() the {whose} ones.",
        )
    return other.project(names)


def _positive(other: AnyOutcomes, positive: Label, whose: str) -> Label:
    """Return the positive label, which the other items must know."""
    if _key(positive) in map(_key, other.labels):
        return positive
    raise PosLabelError(
        f"The positive label {positive!r} is none of the {whose} items' labels ({shorten(other.labels, 6)}).",
        hint="labels are matched as they are written, 1 and '1' are two; labels= declares one that nothing had.",
    )


def places(other: AnyOutcomes, labels: tuple[Label, ...], whose: str) -> Any:
    """Return where each label of another table stands in `labels`; one that stands for no item may be unknown."""
    known = {_key(label): j for j, label in enumerate(labels)}
    place = np.array([known.get(_key(label), -1) for label in other.labels], dtype=np.int32)
    used = np.unique(other.codes if isinstance(other, Outcomes) else other.indices)
    strange = [label_text(other.labels[j]) for j in used.tolist() if place[j] < 0]
    if strange:
        raise UndeclaredLabelError(
            f"The {whose} items have labels that these have not: {shorten(strange, 6)}; these have "
            f"{shorten(map(label_text, labels), 6)}.",
            hint=f"labels are matched as they are written, 1 and '1' are two: relabel() the {whose} ones, or declare "
            "all classes with labels=.",
        )
    return place


@dataclass(frozen=True, slots=True)
class PowerPrior(Wrapper):
    """A model whose prior has also seen `earlier` items, each of which counts as `discount` of an item.

    The `discount`, above 0 and at most 1, is how far you trust the earlier evaluation to be of the same kind: 1 puts
    its items and the new ones on one heap, 0.1 takes ten of them for one. `model` is the prior before either:
    `Sigir2016`, `Sigir2016Unpaired`, `Tree`, `Flat`, `Icdm2015`, `Pooled`, `Multilabel`, or another `PowerPrior`.

    Classifiers are matched by name, and labels by label. Each of the classifiers that are now asked about must have
    been tested earlier; classes that were not there earlier get nothing from it. With `pos_label`, both tables are one
    class against the rest.

    Examples
    --------
    >>> from ropewalk.models import Sigir2016Unpaired
    >>> earlier = Outcomes.from_confusion([[80, 20], [30, 70]], name="svm")
    >>> model = PowerPrior(Sigir2016Unpaired(), earlier, discount=0.1)
    >>> model.prior_items
    20.0
    >>> print(model.prior)
    mu ~ Beta(1, 1); rho+ ~ Beta(1, 1); rho- ~ Beta(1, 1); and 200 earlier items, each counted as 0.1: 20 in all
    >>> posterior = model.fit(Outcomes.from_confusion([[8, 2], [1, 9]], name="svm"))
    >>> [shapes.tolist() for shapes in posterior.theta]
    [[17.0, 5.0], [5.0, 17.0]]
    """

    model: Model
    earlier: AnyOutcomes
    discount: float = field(default=0.5, kw_only=True)

    takes_fractions = True
    is_deliberate = True
    is_keyed_by_name = True  # the prior of a classifier depends on its name, and that of a class on its label

    def __post_init__(self) -> None:
        if not (isinstance(self.model, Model) and self.model.takes_fractions):
            raise InvalidInputError(
                f"`model` must be a model of counted labels with a prior of its own; got {told(self.model)}.",
                hint="such as models.Sigir2016(), Sigir2016Unpaired(), Tree(), Pooled() or Multilabel().",
            )
        if not isinstance(self.earlier, Outcomes | MultilabelOutcomes):
            raise InvalidInputError(
                f"`earlier` must be an Outcomes or a MultilabelOutcomes; got {type(self.earlier).__name__}.",
                hint="read_outcomes and Outcomes.from_arrays make one.",
            )
        if self.is_multilabel and not isinstance(self.earlier, MultilabelOutcomes):
            raise InvalidInputError(
                "The model Multilabel needs earlier items with any number of labels.",
                hint="give earlier items of that kind.",
            )
        if self.earlier.weights is not None:
            raise DataError(
                "The earlier items have weights, and this prior takes them as counting alike.",
                hint="leave their weights out.",
            )
        if self.earlier.clusters is not None:
            raise DataError(
                "The earlier items come in clusters, and this prior takes them as independent.",
                hint="leave cluster= out, and discount them by as much as items of a cluster repeat each other.",
            )
        if not is_real(self.discount) or not 0.0 < self.discount <= 1.0:
            raise InvalidInputError(
                f"`discount` must be above 0 and at most 1; got {told(self.discount)}.",
                hint="it is how much of an item each earlier one counts as.",
            )
        object.__setattr__(self, "discount", float(self.discount))

    @property
    def no_savage_dickey(self) -> str:
        """Why there is no Savage-Dickey ratio."""
        return self.no_factor or "it belongs to the papers' priors, and this one has seen earlier items"

    @property
    def prior_items(self) -> float:
        """How many items the earlier ones are worth."""
        before = self.model.prior_items if isinstance(self.model, PowerPrior) else 0.0
        return before + self.discount * self.earlier.n_items

    def around(self, prior: str) -> str:
        """Write the prior, and the earlier items beside it."""
        prior = f"{prior}; and {count_of(self.earlier.n_items, 'earlier item')}"
        if self.discount == 1:
            return prior
        return f"{prior}, each counted as {self.discount:g}: {self.discount * self.earlier.n_items:,.6g} in all"

    def graph(self, **size: Unpack[Size]) -> Graph:
        """Return the graph of the model inside, with the earlier items between its parameters and its data."""
        base = graph_of(self.model, **size)
        known = base.known()
        again = sum(node.name.startswith("earlier") for node in base.nodes)
        governing = dict.fromkeys(a for a, b in base.edges if b in known and base[a].kind == "latent")
        moved = [node._replace(at=(node.at[0], node.at[1] + (node.at[1] > 0))) for node in base.nodes]
        s = Sketch(f"{base.title}, with earlier items", nodes=moved, edges=list(base.edges))
        name, discount, power = f"earlier{again or ''}", f"discount{again or ''}", f"a_{again}"
        words = f"{self.earlier.n_items:,} earlier items, their likelihood to the power {power}"
        s.constant(discount, (-1, 1), power, f"{self.discount:g}")
        s.data(name, (1, 1), f"D_{again}", words, *governing, discount)
        for plate in base.plates:
            s.plate(plate.text, *plate.members, *([name] if set(governing) <= set(plate.members) else []))
        return s.graph()

    @property
    def description(self) -> str:
        """The model in a sentence or two."""
        items = count_of(self.earlier.n_items, "earlier item")
        each = "" if self.discount == 1 else f", each of which counts as {self.discount:g} of an item"
        return f"{self.model.description} The prior has also seen {items}{each} (a power prior: Ibrahim and Chen 2000)."

    def variants(self) -> list[tuple[str, Model]]:
        """Return the model with the earlier items at other weights, and without them."""
        full = [("earlier items in full", replace(self, discount=1.0))] if self.discount < 1 else []
        return [
            ("earlier items at half the weight", replace(self, discount=self.discount / 2)),
            *full,
            ("without the earlier items", self.model),
        ]

    def fit(self, outcomes: AnyOutcomes) -> Posterior:
        """Return the posterior given the earlier items and these; without these it is the prior."""
        return self.model.fit(self.counted(outcomes))

    def counted(self, outcomes: Any) -> Outcomes | _CountsByLabel:
        """Return what the model inside is fitted to: these outcomes, and the earlier ones at their discount."""
        if self.is_multilabel:
            return self._with_labels(outcomes)
        if not isinstance(outcomes, Outcomes):
            raise InvalidInputError(
                f"The model {self.model!r} is for items with one label.", hint='take model="multilabel".'
            )
        return _together(outcomes, match(self.earlier, outcomes), self.discount)

    def _with_labels(self, outcomes: Any) -> _CountsByLabel:
        """Return a table for each label: the earlier items and these; of a label that was unknown then, only these."""
        earlier = project(self.earlier, outcomes.names, "earlier")
        assert isinstance(earlier, MultilabelOutcomes)  # noqa: S101 - checked when made
        place = places(earlier, outcomes.labels, "earlier").tolist()
        then, now = earlier.tables(), outcomes.tables()
        parts = [
            _together(table, then[place.index(j)], self.discount) if j in place else table
            for j, table in enumerate(now)
        ]
        return _CountsByLabel(tuple(parts), outcomes.labels, outcomes.names)


@dataclass(frozen=True, slots=True, eq=False)
class _CountsByLabel:
    """A binary table for each label, which is all that a model of any number of labels needs."""

    parts: tuple[Outcomes, ...]
    labels: tuple[Label, ...]
    names: tuple[str, ...]

    @property
    def n_classifiers(self) -> int:
        """How many classifiers were counted."""
        return len(self.names)

    def tables(self) -> tuple[Outcomes, ...]:
        """Return the tables of all labels."""
        return self.parts


def _together(outcomes: Outcomes, earlier: Outcomes, discount: float) -> Outcomes:
    """Count the items of two tables of the same labels and classifiers, each earlier one as part of an item."""
    codes = np.concatenate([outcomes.codes, earlier.codes])
    counts: FloatArray = np.concatenate([outcomes.counts.astype(np.float64), discount * earlier.counts])
    if len(codes):
        first, place = distinct_rows(codes, outcomes.n_labels)
        codes, counts = codes[first], np.bincount(place, counts, len(first)).astype(np.float64)
    return Outcomes(codes, counts, outcomes.labels, outcomes.names)  # type: ignore[arg-type]
