"""How many more runs would settle a question about methods, and whether more items would: extrapolated.

With more runs the interval narrows twice: by what they add up to, and by how much better the spread between them is
known. With R runs, m·(R − 1) degrees of freedom and a variance between runs of tau²,

    width² ~ z² item/N + t²(m·(R − 1)) (tau² + noise/N) / R

and how far its middle may still move follows from the variance alone, as it does for items.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import ClassVar, Final

from ropewalk.errors import InvalidInputError
from ropewalk.inference.outlook import TARGET, Outlook
from ropewalk.models.runs import Components
from ropewalk.results import Comparison, Recipe
from ropewalk.results.planning import MoreData
from ropewalk.results.runs import RunsComparison, RunsPosterior
from ropewalk.text.remarks import Remark, note
from ropewalk.text.writing import count_of, percent

MOST_RUNS: Final = 1_000
"""So many more runs of each method are thought of at most."""

_PLENTY: Final = 100  # an extrapolated width is known to about a hundredth


@dataclass(frozen=True, eq=False, kw_only=True)
class RunsOutlook(Outlook):
    """The probability of a goal against the number of further runs of each method, on the same items.

    `parts` is where the variance comes from, and `df` how many degrees of freedom its runs have; 0 of samples.
    """

    unit: ClassVar[str] = "runs"

    parts: Components
    df: int

    @property
    def given(self) -> str:
        """What the posterior is given."""
        return f"{count_of(self.parts.n_items, 'item')} × {self.parts.n_runs:.3g} runs"

    @property
    def is_thin(self) -> bool:
        """Whether there are too few items: few runs are in the formula."""
        return False

    def remaining(self, n: int) -> float:
        """Return the share of the variance that is left after n more runs of each method."""
        return self._ratio(self._variance(n), self._variance(0))

    def narrowed(self, n: int) -> float:
        """Return the share of the interval's width that is left after n more runs of each method."""
        return math.sqrt(self._ratio(self._width(n), self._width(0)))

    def _ratio(self, then: float, now: float) -> float:
        return min(then / now, 1.0) if now > 0 else 1.0

    def _variance(self, n: int) -> float:
        return self.parts.variance(self.parts.n_runs + n, self.parts.n_items)

    def _width(self, n: int) -> float:
        """Return the square of what the width is proportional to, after n more runs of each method."""
        return self._square(self.parts.n_runs + n, self.parts.n_items)

    def _square(self, n_runs: float, n_items: float) -> float:
        from scipy.special import stdtrit

        parts, upper = self.parts, (1 + self.recipe.prob) / 2
        each = self.df / max(parts.n_runs - 1, 1e-9)  # degrees of freedom of a further run
        z = float(stdtrit(1e9, upper))
        t = float(stdtrit(each * (n_runs - 1), upper)) if each else z
        return z**2 * parts.item / n_items + t**2 * (parts.run + parts.noise / n_items) / n_runs


@dataclass(frozen=True, eq=False)
class ItemsOutlook(RunsOutlook):
    """The same against the number of further items, with the same runs."""

    unit: ClassVar[str] = "items"

    def _variance(self, n: int) -> float:
        return self.parts.variance(self.parts.n_runs, self.parts.n_items + n)

    def _width(self, n: int) -> float:
        return self._square(self.parts.n_runs, self.parts.n_items + n)


def outlook_of_runs(result: RunsComparison, recipe: Recipe | None = None) -> RunsOutlook:
    """Return the outlook of a comparison of methods, by the ROPE, mass and rule of another recipe if it is given."""
    if result.components is None:
        raise InvalidInputError(
            "These runs do not say how far others would lie from them.",
            hint="make a second run of each method, and better a third.",
        )
    plain = Outlook.of_comparison(result, result.recipe if recipe is None else recipe)
    return _by_runs(plain, result.components, result.runs.df)


def outlook_of(result: Comparison, recipe: Recipe) -> Outlook:
    """Return the outlook of a comparison by more items, or of methods by more runs of each."""
    if isinstance(result, RunsComparison):
        return outlook_of_runs(result, recipe)
    result.require_data("said about more items")
    return Outlook.of_comparison(result, recipe)


def _by_runs(plain: Outlook, parts: Components, df: Sequence[int]) -> RunsOutlook:
    """Return an outlook by runs in place of one by items."""
    held = {each.name: getattr(plain, each.name) for each in fields(Outlook)}
    held |= {"variances": (1.0,), "counted": (max(round(parts.n_runs), 1),), "most": MOST_RUNS}
    return RunsOutlook(**held, parts=parts, df=sum(df))


def with_more_runs(result: RunsComparison) -> RunsComparison:
    """Return the comparison with how many more runs would settle it, where it is open and they can tell."""
    decision = result.decision
    if decision is None or decision.conclusive or result.components is None or result.regions is None:
        return result
    return replace(result, more=more_runs(outlook_of_runs(result)))


def score_with_more_runs(m: RunsPosterior) -> RunsPosterior:
    """Return the score against its bar with how many more runs would settle it."""
    if m.decision is None or m.decision.conclusive or m.components is None or m.regions is None or m.bar is None:
        return m
    names, delta = (m.runs.names[0], "the bar"), m.draws.psi[0] - m.bar
    plain = Outlook(m.recipe, names, delta, m.estimate.shifted(-m.bar), m.regions, (1.0,), (m.recipe.n_items,))
    return replace(m, more=more_runs(_by_runs(plain, m.components, m.runs.df)))


def more_runs(outlook: RunsOutlook, target: float = TARGET) -> MoreData:
    """Return how many more runs of each would settle the question, with a note on what more items would do."""
    return outlook.extrapolated(target, remarks=instead(outlook, target))


def instead(outlook: RunsOutlook, target: float) -> tuple[Remark, ...]:
    """Return what more items would do in place of more runs."""
    if outlook.settled:
        return ()
    held = {each.name: getattr(outlook, each.name) for each in fields(RunsOutlook)}
    items = ItemsOutlook(**held | {"counted": (outlook.parts.n_items,), "most": Outlook.most})
    needed = items.needed(target)
    text = f"One more run of each makes the interval about {percent(1 - outlook.narrowed(1), _PLENTY)} narrower. "
    if needed is None:
        text += "More items would not settle it with these runs: how far runs differ stays."
    else:
        text += f"About {float(f'{needed:.1g}'):,.0f} more items with these runs would settle it too."
    return (note("items_instead", text),)
