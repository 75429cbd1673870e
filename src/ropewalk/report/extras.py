"""What a page shows beyond the answer itself."""

from __future__ import annotations

from dataclasses import dataclass

from ropewalk.results import ClassComparisons, Confusion, PriorSensitivity


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAgreement:
    """How many items of a true class both, only A, only B and neither classified right."""

    label: str
    both: int
    only_a: int
    only_b: int
    neither: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """The same question class by class and under other priors, where the two agree, and their confusion matrices.

    `n_classes` is how many classes there are; `classes` may hold only those with the largest observed differences.
    """

    classes: ClassComparisons | None = None
    n_classes: int = 0
    priors: PriorSensitivity | None = None
    agreement: tuple[ClassAgreement, ...] = ()
    confusions: tuple[Confusion, ...] = ()
