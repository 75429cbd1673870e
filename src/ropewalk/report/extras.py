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
class Mistaken:
    """How often each of the two took a true class for another one: items, and their share of the class."""

    truth: str
    said: str
    items: tuple[int, int]
    shares: tuple[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extras:
    """The same question class by class and under other priors, where the two agree, and their confusion matrices.

    `n_classes` is how many classes the question is about; `classes` may hold only those with the largest observed
    differences; `rope` is whether the answer was judged by one. `mistaken` are the confusions in which the two differ
    most. `left_out` says what is not on the page, and why, in a sentence each.
    """

    classes: ClassComparisons | None = None
    n_classes: int = 0
    rope: bool = False
    priors: PriorSensitivity | None = None
    agreement: tuple[ClassAgreement, ...] = ()
    mistaken: tuple[Mistaken, ...] = ()
    confusions: tuple[Confusion, ...] = ()
    left_out: tuple[str, ...] = ()
