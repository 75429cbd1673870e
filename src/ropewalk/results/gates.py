"""May A replace B? What was required of the difference, whether the data meet it, and the exit code that says so."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

from ropewalk._checks import published
from ropewalk.results import base
from ropewalk.results.base import Recipe, Rendered
from ropewalk.results.comparison import Comparison
from ropewalk.results.scope import Scope
from ropewalk.text.remarks import Remark, Remarked
from ropewalk.text.units import Unit, metric_title
from ropewalk.text.writing import count_of, isolated, visible

Outcome: TypeAlias = Literal["met", "contradicted", "undecided"]
OnUndecided: TypeAlias = Literal["fail", "warn", "pass"]

EXIT_CODES: Final[Mapping[Outcome, int]] = {"met": 0, "contradicted": 1, "undecided": 3}
"""What the command exits with, where undecided does not pass."""

TAGS: Final[Mapping[Outcome, str]] = {"met": "PASS", "contradicted": "FAIL", "undecided": "UNDECIDED"}
"""What a gate says first."""

WORST_FIRST: Final[tuple[Outcome, ...]] = ("contradicted", "undecided", "met")

REQUIRED: Final = {"better": "better", "not-worse": "not worse", "equivalent": "equivalent"}
"""What is required, to follow "A is"."""

CONTRARY: Final = {"better": "not better", "not-worse": "worse", "equivalent": "not equivalent"}
"""What A is where a requirement is contradicted."""

REACHES_ACROSS: Final = "the interval reaches across the margin"
"""The usual reason for which a requirement is undecided."""

WITHIN_ERROR: Final = "within Monte Carlo error"
"""How the reason begins that more draws may mend."""

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


def worst_of(outcomes: Iterable[Outcome]) -> Outcome:
    """Return the worst of some outcomes: contradicted, then undecided.

    Examples
    --------
    >>> worst_of(("met", "undecided"))
    'undecided'
    """
    present = set(outcomes)
    return next(outcome for outcome in WORST_FIRST if outcome in present)


@published
@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """What is required of A against B: to be "better", "not-worse" or "equivalent", by this margin.

    `metric` is the metric's name, None for the usual one. Of several tasks, `on` is the name of one of them, `EACH` or
    `OVERALL`, None where nothing is said.

    Examples
    --------
    >>> Requirement(require="not-worse", margin=0.02, metric="recall").text
    'recall not-worse 0.02'
    """

    require: str
    margin: float
    metric: Any = None
    on: str | None = None

    @property
    def text(self) -> str:
        """The requirement as the command line spells it."""
        where = {None: "", EACH: " on each task", OVERALL: " overall"}.get(self.on, f" on {self.on}")
        margin = repr(float(self.margin)).removesuffix(".0")  # with all its digits, to ask the same again
        metric = self.metric if isinstance(self.metric, str | None) else getattr(self.metric, "name", "the metric")
        return f"{f'{metric} ' if metric else ''}{self.require} {margin}{where}"


EACH: Final = "\ufdd3each"
"""Where a requirement is asked of each task; no task is called so."""

OVERALL: Final = "\ufdd3overall"
"""Where it is asked of all tasks together."""


@published
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Check:
    """One requirement held against one comparison; `task` is None where there are no tasks, or of all together.

    `reason` says why it is undecided.
    """

    requirement: Requirement
    comparison: Comparison
    outcome: Outcome
    reason: str = ""
    task: str | None = None

    @property
    def chance(self) -> float | None:
        """The probability that the difference is as required; None where it is not known."""
        regions = self.comparison.regions
        if regions is None:
            return None
        if self.requirement.require != "better":
            return regions.inside
        return regions.above if self.comparison.higher_is_better else regions.below

    def told(self, shown: Callable[[str], str]) -> str:
        """Return what is required, with names as a surface writes them: not worse by more than 2 points of F1."""
        return check_words(self, shown)

    def to_dict(self) -> dict[str, Any]:
        """Return the check in plain Python types."""
        r = self.requirement
        reason = {"reason": self.reason} if self.reason else {}
        return {
            "metric": self.comparison.metric,
            "require": r.require,
            "margin": r.margin,
            "task": self.task,
            "outcome": self.outcome,
            "chance": self.chance,
            **reason,
        }


@published
@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Gate(Rendered, Remarked):
    """May A replace B? One check for each requirement and task. Made by `gate`.

    `outcome` is the worst of them: "met", "contradicted" or "undecided"; `exit_code` what the command ends with, where
    `on_undecided` says whether an undecided gate passes. `self_check` says how often this gate errs, where it was asked
    for. It iterates over its checks.
    """

    checks: tuple[Check, ...]
    on_undecided: OnUndecided = "fail"
    self_check: Any = field(repr=False, default=None)
    remarks: tuple[Remark, ...] = ()
    asked_seed: int | None = field(repr=False, default=None)

    def __iter__(self) -> Iterator[Check]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of all checks."""
        return worst_of(check.outcome for check in self.checks)

    @property
    def passed(self) -> bool:
        """Whether nothing speaks against going on: requirements are met, or undecided ones pass."""
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """What the command exits with: 0 met, 1 contradicted, 3 undecided; 0 where an undecided gate passes."""
        if self.outcome == "undecided" and self.on_undecided != "fail":
            return 0
        return EXIT_CODES[self.outcome]

    @property
    def tag(self) -> str:
        """PASS, FAIL or UNDECIDED."""
        return TAGS[self.outcome]

    @property
    def a(self) -> str:
        """The candidate's name."""
        return self.checks[0].comparison.a

    @property
    def b(self) -> str:
        """The base line's name."""
        return self.checks[0].comparison.b

    @property
    def seed(self) -> int:
        """The seed that was given, or taken: each of several tasks has draws of its own by it."""
        return self.recipe.seed if self.asked_seed is None else self.asked_seed

    @property
    def recipe(self) -> Recipe:
        """What gives the first comparison again."""
        return self.checks[0].comparison.recipe

    @property
    def scope(self) -> Scope:
        """What the first comparison is about."""
        return self.checks[0].comparison.scope

    @property
    def unit(self) -> Unit:
        """What differences are counted in."""
        return self.recipe.unit

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks that were looked at one by one."""
        return tuple(dict.fromkeys(check.task for check in self.checks if check.task is not None))

    @property
    def by_requirement(self) -> tuple[tuple[Requirement, tuple[Check, ...]], ...]:
        """The checks of each requirement, in the order in which requirements were given."""
        groups: dict[Requirement, list[Check]] = {}
        for check in self.checks:
            groups.setdefault(check.requirement, []).append(check)
        return tuple((requirement, tuple(checks)) for requirement, checks in groups.items())

    @property
    def headline(self) -> str:
        """What the gate says: PASS, FAIL or UNDECIDED, and why.

        Examples
        --------
        >>> import ropewalk as rw
        >>> y = [1, 0] * 200
        >>> g = rw.gate(y, y, [1, 1] * 200, metric="accuracy", require="better", rng=0)
        >>> g.headline
        'PASS: A is better in accuracy'
        """
        return f"{self.tag}: {self.told(isolated)}"

    def told(self, shown: Callable[[str], str]) -> str:
        """Return in a sentence without an end which requirements are met, with names as a surface writes them."""
        groups = self.by_requirement
        if len(groups) == 1:
            return told_of(groups[0][1], shown)
        outcomes = [worst_of(tuple(check.outcome for check in checks)) for _, checks in groups]
        met, broken = outcomes.count("met"), outcomes.count("contradicted")
        of_all = f"of {count_word(len(groups))} requirements"
        if met == len(groups):
            return f"{'both' if met == 2 else 'all ' + count_word(met)} requirements are met"  # noqa: PLR2004
        if broken:
            many = count_word(broken) if broken < len(groups) else "each"
            return f"{many} {of_all} {'is' if broken == 1 or broken == len(groups) else 'are'} contradicted"
        many = count_word(met) if met else "none"
        return f"{many} {of_all} {'is' if met <= 1 else 'are'} met, none is contradicted"

    def __repr__(self) -> str:
        parts = ", ".join(f"{check.requirement.text}: {check.outcome}" for check in self.checks)
        return visible(f"Gate({self.a} against {self.b}, {parts})")

    def to_dict(self) -> dict[str, Any]:
        """Return the answer in plain Python types: the JSON object of the comparison, with the gate added."""
        alone = [check for check in self.checks if check.task is None]
        written: dict[str, Any] = dict(base.HEAD)
        if alone:
            written = alone[0].comparison.to_dict()
            if len(alone) > 1:
                written["metrics"] = [check.comparison.to_dict() for check in alone]
        if self.tasks:
            written["tasks"] = [self._on_task(task) for task in self.tasks]
        written |= {"seed": self.seed, "headline": self.headline}
        written["gate"] = {
            **_gate_dict(self.checks),
            "on_undecided": self.on_undecided,
            "exit_code": self.exit_code,
        }
        if self.self_check is not None:
            written["self_check"] = base.plain(self.self_check)
        return {**written, **base.pick(self, "notes warnings")}

    def _on_task(self, task: str) -> dict[str, Any]:
        """Return what is said of one task, in plain Python types."""
        checks = tuple(check for check in self.checks if check.task == task)
        several = {"metrics": [check.comparison.to_dict() for check in checks]} if len(checks) > 1 else {}
        return {"task": task, **checks[0].comparison.to_dict(), **several, "gate": _gate_dict(checks)}


def _gate_dict(checks: tuple[Check, ...]) -> dict[str, Any]:
    """Return what was required and the worst outcome, with one row per check where there are several."""
    asked = {check.requirement for check in checks}
    one = next(iter(asked)) if len(asked) == 1 else None
    reason = {"reason": checks[0].reason} if len(checks) == 1 and checks[0].reason else {}
    return {
        "require": None if one is None else one.require,
        "margin": None if one is None else one.margin,
        "outcome": worst_of(check.outcome for check in checks),
        **({"chance": checks[0].chance} if len(checks) == 1 else {}),
        **reason,
        **({"requirements": [check.to_dict() for check in checks]} if len(checks) > 1 else {}),
    }


def check_words(check: Check, shown: Callable[[str], str]) -> str:
    """Return what is required of A, to follow "A is": not worse by more than 2 points of F1."""
    return _words(check, REQUIRED[check.requirement.require], shown)


def contrary_words(check: Check, shown: Callable[[str], str]) -> str:
    """Return what the data say of A where a requirement is contradicted, to follow "A is"."""
    return _words(check, CONTRARY[check.requirement.require], shown)


def required_words(checks: tuple[Check, ...], shown: Callable[[str], str]) -> str:
    """Return what one requirement is: that of a single check, or of each of several tasks."""
    first = checks[0]
    if len(checks) == 1:
        return check_words(first, shown)
    where = f" on each of {count_of(len(checks), 'task')}"
    return _words(first, REQUIRED[first.requirement.require], shown, where=where, of=checks)


def told_of(checks: tuple[Check, ...], shown: Callable[[str], str]) -> str:
    """Return what the checks of one requirement say, as a sentence without an end."""
    first, a = checks[0], shown(checks[0].comparison.a)
    if len(checks) == 1:
        if first.outcome == "met":
            return f"{a} is {check_words(first, shown)}"
        if first.outcome == "contradicted":
            return f"{a} is {contrary_words(first, shown)}"
        return f"it is not known yet whether {a} is {_open_words(first, shown)}"
    n = f"{count_of(len(checks), 'task')}"
    tasks = {
        outcome: [shown(str(check.task)) for check in checks if check.outcome == outcome] for outcome in WORST_FIRST
    }
    broken, unknown, met = tasks["contradicted"], tasks["undecided"], tasks["met"]
    if broken:
        where = f" on {_listed(broken)}" if len(broken) < len(checks) else f" on each of {n}"
        contrary = _words(first, CONTRARY[first.requirement.require], shown, where=where, of=checks)
        return f"{a} is {contrary}{f'; {len(met)} of {n} clear' if met else ''}"
    if unknown:
        open_words = _open_words(first, shown, where="", of=checks)
        return f"it is not known yet on {len(unknown)} of {n} whether {a} is {open_words}"
    return f"{a} is {required_words(checks, shown)}"


def brief_words(check: Check) -> str:
    """Return what is required in as few words as tell requirements on one metric apart: not worse by 2 points."""
    margin, unit = check.requirement.margin, check.comparison.recipe.unit
    word = REQUIRED[check.requirement.require]
    by = "within" if word == "equivalent" else "by"
    return f"{word} {by} {unit.counted(margin)}" if margin else word


def _open_words(check: Check, shown: Callable[[str], str], where: str | None = None, of: tuple[Check, ...] = ()) -> str:
    """Return what is not known yet of A; "whether it is not worse" is hard to read."""
    word = REQUIRED[check.requirement.require]
    return _words(check, word.removeprefix("not "), shown, where=where, of=of)


def measured(checks: Iterable[Check]) -> str | None:
    """Return what the score is called that some checks are about, or is a mean of; None where each has its own."""
    metrics = {check.comparison.recipe.metric.of or check.comparison.recipe.metric.title for check in checks}
    return metric_title(metrics.pop()) if len(metrics) == 1 else None


def _words(
    check: Check, word: str, shown: Callable[[str], str], *, where: str | None = None, of: tuple[Check, ...] = ()
) -> str:
    """Return a word with what it is about: better by more than 2 points of F1 on sums; `where` in place of the task.

    It is said of all the checks `of` a requirement, by default of this one.
    """
    margin, unit = check.requirement.margin, check.comparison.recipe.unit
    title = measured(of or (check,))
    what = "its score" if title is None else shown(title)
    where = _place(check, shown) if where is None else where
    by = " within" if word.endswith("equivalent") else " by more than"
    if not margin:
        return f"{word} in {what}{where}"
    if unit.is_points:
        return f"{word}{by} {unit.counted(margin)} of {what}{where}"
    return f"{word} in {what}{by} {unit.counted(margin)}{where}"


def _place(check: Check, shown: Callable[[str], str]) -> str:
    """Return on what a requirement is asked: a task, or the average of tasks."""
    if check.task is not None:
        return f" on {shown(check.task)}"
    over = getattr(check.comparison, "over", None)  # as a comparison over tasks has it
    return {"these": " on average", "tasks": " on tasks like these"}.get(over or "", "")


def count_word(number: int) -> str:
    """Return a small number as a word.

    Examples
    --------
    >>> count_word(2), count_word(12)
    ('two', '12')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _listed(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    most = 3
    shown = names[:most] if len(names) > most else names[:-1]
    last = f"{len(names) - most} more" if len(names) > most else names[-1]
    return f"{', '.join(shown)} and {last}"


def has_no_width(comparison: Comparison) -> bool:
    """Whether an interval is a single point, as of draws that are all alike: it says nothing of chance."""
    low, high = comparison.hdi
    return not math.isfinite(high - low) or low == high
