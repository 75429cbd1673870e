"""Many tests at once: all that two classifiers on one test set admit, and p-values adjusted for their number."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final, Unpack, get_args, overload

from ropewalk._arguments import read_some
from ropewalk._checks import check_seed, checked_keywords, choose, is_real
from ropewalk._optional import require
from ropewalk.classical._inputs import Scores, about, f1_by_class, names_of, tables_of
from ropewalk.classical.items import McNemar, mcnemar, sign_items, t_items
from ropewalk.classical.pairs import sign_over, t_over, wilcoxon_over
from ropewalk.classical.permutation import PermutationOptions, check_permutations, permutation
from ropewalk.data.labels import find_label, find_places
from ropewalk.data.log_score import RIGHT
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.data.outcomes import Outcomes
from ropewalk.errors import DataError, DependentItemsWarning, InvalidInputError
from ropewalk.results.classical import Battery, ClassicalTest
from ropewalk.text.remarks import wording
from ropewalk.text.writing import told
from ropewalk.typing import Label

_ADJUSTMENTS: Final = {
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "bonferroni": "bonferroni",
    "benjamini-hochberg": "fdr_bh",
    "bh": "fdr_bh",
}
_OF_PERMUTATION: Final = ("metric", "classes", "cost_matrix", "n_permutations")


@checked_keywords
def battery(*data: Any, **options: Unpack[PermutationOptions]) -> Battery:
    """Run the papers' tests, McNemar's in its four forms and Wilcoxon's over classes on two classifiers.

    Takes the data as `compare` does; of evaluation logs it is whether each answer is right. With a `metric` or a
    `cost_matrix` there is a permutation test of it too. A test that the data do not admit is None, and `reasons` says
    why: those over classes with a `pos_label` or of logs, paired ones on separate tables.

    Examples
    --------
    >>> import ropewalk as rw
    >>> tests = battery(rw.examples.news20().outcomes, a="nb_mult", b="svm_l2")
    >>> print(f"{tests['sign_classes'].p_value:.3f} {tests['t_classes'].p_value:.3f}")
    0.115 0.138
    """
    check_permutations(options)
    pos_label, classes = options.get("pos_label"), options.get("classes")
    if classes is not None and pos_label is not None:
        raise InvalidInputError(
            wording("One class was picked, and `classes` picks several."), hint="give one of the two."
        )
    tables = tables_of(data, options)
    labels = tables[0].labels
    positive = None if pos_label is None else find_label(pos_label, labels)
    if any(isinstance(table, Outcomes) and table.score is not None for table in tables):
        positive = RIGHT
    places = None
    if classes is not None:
        places = find_places(classes, labels, what="classes")
    result = run_battery(tables, positive, places)
    if options.get("metric") is None and options.get("cost_matrix") is None:
        return result
    # Users who name a metric want its test, or an error that says why there is none.
    seed = check_seed(options.get("rng"), options.get("random_state"))
    question: Any = {name: value for name, value in options.items() if name in _OF_PERMUTATION}
    test = permutation(*tables, **question, rng=seed, pos_label=positive)
    return replace(result, tests={**result.tests, "permutation": test}, seed=seed)


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
            raise DataError("a test over classes takes all of them, and one was picked", hint="leave pos_label out.")
        return f1_by_class(tables, places)

    calls: dict[str, Callable[[], ClassicalTest]] = {
        "sign_items": lambda: sign_items(*single, prob=prob),
        "t_items": lambda: t_items(*single, prob=prob),
        "sign_classes": lambda: sign_over(scores(), {"prob": prob}),
        "t_classes": lambda: t_over(scores(), {"prob": prob}),
    }
    for way in get_args(McNemar):
        calls[f"mcnemar_{way}"] = partial(mcnemar, *single, method=way, prob=prob)
    calls["wilcoxon"] = lambda: wilcoxon_over(scores(), {})
    tests: dict[str, ClassicalTest | None] = {}
    reasons: dict[str, str] = {}
    for key, call in calls.items():
        try:
            with warnings.catch_warnings():  # said once, of all of them
                warnings.simplefilter("ignore", DependentItemsWarning)
                tests[key] = call()
        except DataError as error:
            tests[key], reasons[key] = None, error.message
    a, b = names_of(tables)
    return Battery(
        a=a, b=b, n_items=sum(table.n_items for table in tables), tests=tests, reasons=reasons, pos_label=positive,
        left_out=max(table.left_out for table in tables),
        data_hash="+".join(table.data_hash for table in tables),
    )  # fmt: skip


@overload
def adjust(p_values: Mapping[Any, Any], *, method: str = "holm") -> dict[Any, float]: ...
@overload
def adjust(p_values: Sequence[Any], *, method: str = "holm") -> list[float]: ...


@checked_keywords
def adjust(p_values: Any, *, method: str = "holm") -> Any:
    """Return p-values adjusted for their number, in the form they came in.

    Parameters
    ----------
    p_values
        A sequence, or a mapping from name to p-value; tests may stand for their p-values.
    method
        "holm" (default), "hochberg" or "bonferroni" bound the chance of any false rejection; Hochberg's needs tests
        that are independent or go together. "benjamini-hochberg" bounds the share of false ones among the rejections.

    Examples
    --------
    >>> [round(p, 3) for p in adjust([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    >>> adjust({"a": 0.01, "b": 0.2}, method="bonferroni")
    {'a': 0.02, 'b': 0.4}
    """
    way = choose(method, _ADJUSTMENTS, "adjustment")
    if isinstance(p_values, Mapping):
        return dict(zip(p_values, adjust(list(p_values.values()), method=method), strict=True))
    given = None if isinstance(p_values, str | bytes) else read_some(p_values)
    if given is None:
        raise InvalidInputError(
            f"Give a sequence or a mapping of p-values; got {type(p_values).__name__}.",
            hint="a single one stays as it is.",
        )
    numbers = [test.p_value if isinstance(test, ClassicalTest) else test for test in given]
    for at, p in enumerate(numbers):
        if not is_real(p) or not 0 <= p <= 1:
            raise InvalidInputError(
                f"A p-value lies between 0 and 1; got {told(p)} at place {at + 1}.",
                hint="leave out tests without one.",
            )
    if not numbers:
        return []
    multitest = require("statsmodels.stats.multitest", extra="stats", caller="adjust")
    return [float(p) for p in multitest.multipletests(numbers, method=way)[1]]
