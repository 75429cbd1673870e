"""All classical tests that two classifiers on one test set admit, in one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Unpack

from ropewalk._settle import MetricLike
from ropewalk._validate import check_seed
from ropewalk.classical._source import Source, about, tables_of
from ropewalk.classical.classes import differences, sign_over, t_over, wilcoxon_over
from ropewalk.classical.items import mcnemar, sign_items, t_items
from ropewalk.classical.permutation import permutation
from ropewalk.data.labels import find_label
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.errors import DataError
from ropewalk.results.classical import Battery, ClassicalTest
from ropewalk.typing import Label, SeedLike

_ONE_CLASS = "a test over classes takes all of them, and one was picked"


def battery(
    *data: Any,
    metric: MetricLike | None = None,
    permutations: int = 10_000,
    rng: SeedLike = None,
    random_state: SeedLike = None,
    **source: Unpack[Source],
) -> Battery:
    """Run the papers' tests, McNemar's in its four forms and Wilcoxon's over classes on two classifiers.

    Takes the data as `compare` does. With a `metric` there is a permutation test of it too. A test that the data do
    not admit is None, and `reasons` says why: those over classes with a `pos_label`, paired ones on separate tables.

    Examples
    --------
    >>> import ropewalk as rw
    >>> found = battery(rw.examples.news20().outcomes, a="nb_mult", b="svm_l2")
    >>> print(f"{found['sign_classes'].p_value:.3f} {found['t_classes'].p_value:.3f}")
    0.115 0.138
    """
    pos_label = source.pop("pos_label", None)
    tables = tables_of(data, source)
    positive = None if pos_label is None else find_label(pos_label, tables[0].labels)
    extra: dict[str, Callable[[], ClassicalTest]] = {}
    seed = None
    if metric is not None:
        seed = check_seed(rng, random_state)
        extra["permutation"] = lambda: permutation(
            *tables, metric=metric, permutations=permutations, rng=seed, pos_label=positive
        )
    return run_battery(tables, positive, extra=extra, seed=seed)


def run_battery(
    tables: Sequence[AnyOutcomes],
    positive: Label | None = None,
    classes: Sequence[int] | None = None,
    *,
    extra: Mapping[str, Callable[[], ClassicalTest]] | None = None,
    seed: int | None = None,
) -> Battery:
    """Run every test on tables of both classifiers, of class `positive` against the rest where one is given.

    `classes` are the places of the classes that tests over classes look at, all if None.
    """
    single = about(tables, positive)

    def over(test: Callable[[Any], ClassicalTest]) -> Callable[[], ClassicalTest]:
        def call() -> ClassicalTest:
            if positive is not None:
                raise DataError(_ONE_CLASS)
            return test(differences(tables, classes))

        return call

    asked: dict[str, Callable[[], ClassicalTest]] = {
        "sign_items": lambda: sign_items(*single),
        "t_items": lambda: t_items(*single),
        "sign_classes": over(sign_over),
        "t_classes": over(t_over),
        "mcnemar_exact": lambda: mcnemar(*single, method="exact"),
        "mcnemar_midp": lambda: mcnemar(*single, method="midp"),
        "mcnemar_chi2": lambda: mcnemar(*single, method="chi2"),
        "mcnemar_chi2_corrected": lambda: mcnemar(*single, method="chi2_corrected"),
        "wilcoxon": over(wilcoxon_over),
        **(extra or {}),
    }
    tests: dict[str, ClassicalTest | None] = {}
    reasons: dict[str, str] = {}
    for key, call in asked.items():
        try:
            tests[key] = call()
        except DataError as error:
            tests[key], reasons[key] = None, error.message
    a, b = (name for table in tables for name in table.names)
    return Battery(
        a=a, b=b, n_items=max(table.n_items for table in tables), tests=tests, reasons=reasons, pos_label=positive,
        data_hash="+".join(table.data_hash for table in tables), seed=seed,
    )  # fmt: skip
