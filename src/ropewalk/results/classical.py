"""Classical tests: what a single one says, and the battery of them for two classifiers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from ropewalk._checks import check_prob, published
from ropewalk.data.labels import label_text
from ropewalk.draws.intervals import Interval
from ropewalk.errors import InvalidInputError, UnknownPartError
from ropewalk.results.base import HEAD, Rendered, pick
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.writing import shorten, visible
from ropewalk.typing import Label

Alternative = Literal["two-sided", "less", "greater"]
"""Which departure from the null hypothesis counts: any, A below B, or A above B (as numbers)."""

TITLES: Final = {
    "sign_items": "sign test on items",
    "t_items": "t test on items",
    "sign_classes": "sign test over classes",
    "t_classes": "t test over classes",
    "mcnemar_exact": "McNemar exact",
    "mcnemar_midp": "McNemar mid-p",
    "mcnemar_chi2": "McNemar chi-squared",
    "mcnemar_chi2_corrected": "McNemar corrected",
    "wilcoxon": "Wilcoxon test over classes",
    "delong": "DeLong's test",
    "obuchowski_rockette": "Obuchowski and Rockette's test",
}
"""What the tests of a battery are called, also where one was not carried out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """How large the difference is: what is measured, its value, and its confidence interval where one exists."""

    name: str
    value: float
    interval: Interval | None = None
    prob: float = 0.95

    def to_dict(self) -> dict[str, Any]:
        """Return the effect in plain Python types; an open end is null."""
        return pick(self, "name value interval prob")


@dataclass(frozen=True, slots=True)
class Reference:
    """The distribution that a statistic has under the null hypothesis: normal, t, chi2 or f."""

    family: Literal["normal", "t", "chi2", "f"]
    df: tuple[float, ...] = ()

    @property
    def law(self) -> Any:
        """The distribution, of `scipy.stats`."""
        from scipy import stats

        return getattr(stats, {"normal": "norm"}.get(self.family, self.family))(*self.df)

    def above(self, statistic: float) -> float:
        """Return the probability of a larger statistic: the p-value of tests that reject large ones."""
        return float(self.law.sf(statistic))


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class ClassicalTest(Rendered, Remarked):
    """One classical test: how surprising the data would be if the null hypothesis held.

    `n` is the number of observations that the test works with, `effect` how large the difference is, `reference` the
    distribution of the statistic under the null hypothesis where it is one of the textbooks', `mc_error` the
    standard error of a p-value that was simulated; `names` are the classifiers, A first. `assumptions` are what must
    hold for the p-value to mean anything.

    Examples
    --------
    >>> import ropewalk as rw
    >>> test = rw.classical.paired_t([0.81, 0.79, 0.84, 0.90], [0.78, 0.77, 0.80, 0.89])
    >>> print(f"t = {test.statistic:.3f}, p = {test.p_value:.4f}")
    t = 3.873, p = 0.0305
    >>> print(f"{test.critical_value(0.05):.4f}", test.rejects(0.05))
    3.1824 True
    """

    name: str
    statistic: float
    p_value: float
    n: int
    null: str
    method: str
    assumptions: tuple[str, ...]
    alternative: Alternative = "two-sided"
    effect: Effect | None = None
    reference: Reference | None = None
    mc_error: float | None = None
    names: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()

    @property
    def df(self) -> tuple[float, ...]:
        """The degrees of freedom; empty where the reference distribution has none."""
        return () if self.reference is None else self.reference.df

    def critical_value(self, alpha: float = 0.05) -> float:
        """Return what the statistic must exceed for the null hypothesis to be rejected at level `alpha`.

        It is positive: a two-sided t or z must exceed it in absolute value, and for "less" lie below its negative.
        """
        if self.reference is None:
            raise InvalidInputError(
                f"The {self.name} has no textbook distribution, so no critical value.", hint="look at its p_value."
            )
        alpha = check_prob(alpha, "alpha")
        both = self.reference.family in {"normal", "t"} and self.alternative == "two-sided"
        return float(self.reference.law.ppf(1 - alpha / (2 if both else 1)))

    def rejects(self, alpha: float = 0.05) -> bool:
        """Whether the null hypothesis is rejected at level `alpha`; if it is not, that does not make it true."""
        return self.p_value <= check_prob(alpha, "alpha")

    def decision(self, alpha: float = 0.05) -> str:
        """Write what follows at level `alpha`.

        Examples
        --------
        >>> import ropewalk as rw
        >>> print(rw.classical.paired_t([0.8, 0.7, 0.9], [0.7, 0.8, 0.8]).decision())
        Not rejected at level 0.05: the mean difference is 0. That does not show that it holds.
        """
        if self.rejects(alpha):
            return f"Rejected at level {alpha:g}: {self.null}."
        return f"Not rejected at level {alpha:g}: {self.null}. That does not show that it holds."

    def __repr__(self) -> str:
        return f"ClassicalTest({self.name}: statistic = {self.statistic:.4g}, p = {self.p_value:.4g}, n = {self.n:,})"

    def to_dict(self) -> dict[str, Any]:
        """Return the test in plain Python types: exactly the JSON object."""
        return {
            "name": self.name,
            "classifiers": list(self.names),
            **pick(self, "statistic p_value n alternative null effect df mc_error method assumptions warnings"),
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Battery(Rendered):
    """The classical tests of two classifiers on one test set. Made by `classical.battery`.

    `tests` maps a test's key to the test, or to None where the data do not admit it; `reasons` then says why.
    """

    a: str
    b: str
    n_items: int
    tests: Mapping[str, ClassicalTest | None]
    reasons: Mapping[str, str] = field(default_factory=dict)
    pos_label: Label | None = None
    data_hash: str = ""
    seed: int | None = None
    left_out: int = 0

    def __getitem__(self, key: str) -> ClassicalTest:
        if key not in self.tests:
            raise KeyError(f"{key}; there are: {shorten(self.tests)}")
        test = self.tests[key]
        if test is None:
            raise KeyError(f"{key} was not carried out: {self.reasons[key]}")
        return test

    def __iter__(self) -> Iterator[str]:
        return iter(self.tests)

    def __len__(self) -> int:
        return len(self.tests)

    def p_value(self, key: str) -> float | None:
        """Return the p-value of a test, None where it was not carried out."""
        test = self.tests.get(key)
        return None if test is None else test.p_value

    def __repr__(self) -> str:
        p_values = ", ".join(f"{key} {test.p_value:.3g}" for key, test in self.tests.items() if test is not None)
        return visible(f"Battery({self.a} − {self.b}, p-values: {p_values})")

    def to_dict(self) -> dict[str, Any]:
        """Return the battery in plain Python types: exactly the JSON object."""
        return {
            **HEAD,
            **pick(self, "a b n_items"),
            "pos_label": None if self.pos_label is None else label_text(self.pos_label),
            **pick(self, "data_hash seed tests reasons"),
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Nemenyi(Rendered, Remarked):
    """All pairs of K classifiers by their average ranks over n rows of scores. Made by `classical.nemenyi`.

    Two classifiers differ at level `alpha` if their average ranks (1 is best) lie at least `critical_difference` apart.
    """

    ranks: Mapping[str, float]
    critical_difference: float
    alpha: float
    n: int
    p_values: Mapping[tuple[str, str], float]
    remarks: tuple[Remark, ...] = ()

    def p_value(self, a: str, b: str) -> float:
        """Return the p-value of a pair, in either order."""
        pair = (a, b) if (a, b) in self.p_values else (b, a)
        if pair not in self.p_values:
            raise UnknownPartError(f"There is no pair of {a!r} and {b!r}.", hint=f"There are: {shorten(self.ranks)}.")
        return self.p_values[pair]

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The largest sets of classifiers that cannot be told apart, best first: the bars of Demšar's diagram."""
        order = sorted(self.ranks, key=self.ranks.__getitem__)
        groups: list[tuple[str, ...]] = []
        for i, best in enumerate(order):
            near = tuple(n for n in order[i:] if self.ranks[n] - self.ranks[best] < self.critical_difference)
            if len(near) > 1 and not (groups and set(near) <= set(groups[-1])):
                groups.append(near)
        return tuple(groups)

    def __repr__(self) -> str:
        ranks = ", ".join(f"{name} {rank:.2f}" for name, rank in self.ranks.items())
        apart = f"critical difference {self.critical_difference:.3f} at {self.alpha:g}"
        return visible(f"Nemenyi(average ranks: {ranks}; {apart})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: exactly the JSON object."""
        return {
            **HEAD,
            **pick(self, "n alpha critical_difference ranks"),
            "pairs": [
                {"a": a, "b": b, "difference": self.ranks[a] - self.ranks[b], "p_value": p}
                for (a, b), p in self.p_values.items()
            ],
            **pick(self, "groups warnings"),
        }
