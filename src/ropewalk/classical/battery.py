"""All classical tests that two classifiers on one test set admit, in one call."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Unpack

from ropewalk._checks import check_seed, checked_keywords
from ropewalk.classical._scores import Scores
from ropewalk.classical._source import Source, about, f1_by_class, tables_of
from ropewalk.classical.classes import sign_over, t_over, wilcoxon_over
from ropewalk.classical.items import mcnemar, sign_items, t_items
from ropewalk.classical.permutation import check_permutations, permutation
from ropewalk.data.labels import find_label
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.errors import DataError, DependentItemsWarning, InvalidInputError
from ropewalk.metrics.resolve import MetricLike
from ropewalk.results.classical import Battery, ClassicalTest
from ropewalk.text.options import wording
from ropewalk.typing import Label, SeedLike

_ONE_CLASS = "a test over classes takes all of them, and one was picked"


@checked_keywords
def battery(
    *data: Any,
    metric: MetricLike | None = None,
    classes: Any = None,
    cost_matrix: Any = None,
    n_permutations: int = 10_000,
    rng: SeedLike = None,
    random_state: SeedLike = None,
    **source: Unpack[Source],
) -> Battery:
    """Run the papers' tests, McNemar's in its four forms and Wilcoxon's over classes on two classifiers.

    Takes the data as `compare` does. With a `metric` or a `cost_matrix` there is a permutation test of it too. A test
    that the data do not admit is None, and `reasons` says why: those over classes with a `pos_label`, paired ones on
    separate tables.

    Examples
    --------
    >>> import ropewalk as rw
    >>> found = battery(rw.examples.news20().outcomes, a="nb_mult", b="svm_l2")
    >>> print(f"{found['sign_classes'].p_value:.3f} {found['t_classes'].p_value:.3f}")
    0.115 0.138
    """
    check_permutations(n_permutations)
    pos_label = source.pop("pos_label", None)
    if classes is not None and pos_label is not None:
        raise InvalidInputError(
            wording("One class was picked, and `classes` picks several."), hint="give one of the two."
        )
    tables = tables_of(data, source)
    labels = tables[0].labels
    positive = None if pos_label is None else find_label(pos_label, labels)
    places = None
    if classes is not None:
        places = [labels.index(find_label(label, labels, what="classes")) for label in classes]
    found = run_battery(tables, positive, places)
    if metric is None and cost_matrix is None:
        return found
    seed = check_seed(rng, random_state)
    # Whoever names a metric wants its test, or to be told why there is none.
    test = permutation(
        *tables, metric=metric, classes=classes, cost_matrix=cost_matrix, n_permutations=n_permutations, rng=seed,
        pos_label=positive,
    )  # fmt: skip
    return replace(found, tests={**found.tests, "permutation": test}, seed=seed)


def run_battery(
    tables: Sequence[AnyOutcomes],
    positive: Label | None = None,
    places: Sequence[int] | None = None,
    *,
    prob: float = 0.95,
) -> Battery:
    """Run every test on tables of both classifiers, of class `positive` against the rest where one is given.

    `places` are those of the classes that tests over classes look at, all if None; `prob` is that of the intervals.
    """
    single = about(tables, positive)

    def scores() -> Scores:
        if positive is not None:
            raise DataError(_ONE_CLASS)
        return f1_by_class(tables, places)

    asked: dict[str, Callable[[], ClassicalTest]] = {
        "sign_items": lambda: sign_items(*single, prob=prob),
        "t_items": lambda: t_items(*single, prob=prob),
        "sign_classes": lambda: sign_over(scores(), prob=prob),
        "t_classes": lambda: t_over(scores(), prob=prob),
        "mcnemar_exact": lambda: mcnemar(*single, method="exact", prob=prob),
        "mcnemar_midp": lambda: mcnemar(*single, method="midp", prob=prob),
        "mcnemar_chi2": lambda: mcnemar(*single, method="chi2", prob=prob),
        "mcnemar_chi2_corrected": lambda: mcnemar(*single, method="chi2_corrected", prob=prob),
        "wilcoxon": lambda: wilcoxon_over(scores()),
    }
    tests: dict[str, ClassicalTest | None] = {}
    reasons: dict[str, str] = {}
    for key, call in asked.items():
        try:
            with warnings.catch_warnings():  # said once, of all of them
                warnings.simplefilter("ignore", DependentItemsWarning)
                tests[key] = call()
        except DataError as error:
            tests[key], reasons[key] = None, error.message
    a, b = (name for table in tables for name in table.names)
    return Battery(
        a=a, b=b, n_items=sum(table.n_items for table in tables), tests=tests, reasons=reasons, pos_label=positive,
        data_hash="+".join(table.data_hash for table in tables),
    )  # fmt: skip
