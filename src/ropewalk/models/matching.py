"""Bring a second table into the shape of the one that was asked about: its classifiers, labels and positive class."""

from __future__ import annotations

from typing import Any

import numpy as np

from ropewalk.data.labels import kind_of, label_text, rest_of
from ropewalk.data.multilabel import AnyOutcomes, MultilabelOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import ColumnNotFoundError, InvalidInputError, PosLabelError, UndeclaredLabelError
from ropewalk.text.names import shorten
from ropewalk.typing import Label


def match(other: AnyOutcomes, outcomes: Outcomes, whose: str = "earlier") -> Outcomes:
    """Return another table's items with the classifiers and labels of `outcomes`; `whose` items they are called.

    Where `outcomes` is one class against the rest, so is what is returned.

    Examples
    --------
    >>> other = Outcomes.from_arrays(["a", "a", "b"], ["a", "b", "b"], ["a", "a", "b"], names=["svm", "nb"])
    >>> match(other, other.collapse("b").project(["svm"])).confusion().tolist()
    [[1, 1], [0, 1]]
    """
    found, (*others, last) = project(other, outcomes.names, whose), outcomes.labels
    known = {(kind_of(label), label) for label in found.labels}
    against_rest = len(others) == 1 and others[0] == rest_of(last) and (kind_of(others[0]), others[0]) not in known
    if isinstance(found, MultilabelOutcomes):
        if not against_rest:
            raise InvalidInputError(f"The {whose} items have any number of labels, and these have one.")
        return found.table(_positive(found, last, whose))
    if against_rest:
        return found.collapse(_positive(found, last, whose))
    return Outcomes(
        places(found, outcomes.labels, whose)[found.codes], found.counts.copy(), outcomes.labels, outcomes.names
    )


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
    if (kind_of(positive), positive) in {(kind_of(label), label) for label in other.labels}:
        return positive
    raise PosLabelError(
        f"The positive label {positive!r} is none of the {whose} items' labels ({shorten(other.labels, 6)}).",
        hint="labels are matched as they are written, 1 and '1' are two; labels= declares one that nothing had.",
    )


def places(other: AnyOutcomes, labels: tuple[Label, ...], whose: str) -> Any:
    """Return where each label of another table stands in `labels`; one that stands for no item may be unknown."""
    place = {(kind_of(label), label): j for j, label in enumerate(labels)}
    found = np.array([place.get((kind_of(label), label), -1) for label in other.labels], dtype=np.int32)
    used = np.unique(other.codes if isinstance(other, Outcomes) else other.indices)
    strange = [label_text(other.labels[j]) for j in used.tolist() if found[j] < 0]
    if strange:
        raise UndeclaredLabelError(
            f"The {whose} items have labels that these have not: {shorten(strange, 6)}; these have "
            f"{shorten(map(label_text, labels), 6)}.",
            hint=f"labels are matched as they are written, 1 and '1' are two: relabel() the {whose} ones, or declare "
            "all classes with labels=.",
        )
    return found
