"""The answer in two sentences: who is better, by how much, with which interval; against what matters, how probably.

Every surface begins with them: the text, the page, the card, Markdown, JSON and the sentence for a paper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from ropewalk.text.units import Shown, Unit
from ropewalk.text.verdicts import Leaning, Verdict, oriented, side_words
from ropewalk.text.writing import percent

AHEAD: Final = 0.975
"""The probability from which on an undecided difference has a direction, if not a size that matters."""

NOT_EQUIVALENT: Final = "That is not “equivalent”: a loss"
"""How a sentence begins that says how large a loss is still plausible, where the two might be taken for the same."""


class Headline(NamedTuple):
    """What the answer is, and what makes it one."""

    title: str
    lede: str

    @property
    def text(self) -> str:
        """Both in one line."""
        return f"{self.title}. {self.lede}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is known of a difference A − B; names and metric are written as the surface writes them.

    `of` is what the metric is a mean of, where that has a name.
    `regions` are the masses below, inside and above the ROPE, `sides` those below and above 0. `verdict` is None where
    there is none: without a ROPE, or for the reason `no_verdict`, which comes first where the draws are `distrusted`.
    With `is_bar` B is a fixed value that the score of A is held against.
    """

    a: str
    b: str
    metric: str
    estimate: Any
    sides: tuple[float, float]
    n_draws: int
    unit: Unit
    higher_is_better: bool
    rope: tuple[float, float] | None = None
    regions: tuple[float, float, float] | None = None
    verdict: Verdict | None = None
    leaning: Leaning | None = None
    stable: bool = True
    no_verdict: str = ""
    distrusted: bool = False
    prob: float = 0.95
    rule: str = "hdi"
    is_bar: bool = False
    of: str = ""

    @property
    def facing(self) -> tuple[float, float]:
        """The ROPE, oriented so that more is better for A."""
        assert self.rope is not None  # noqa: S101 - asked only where there is one
        return oriented(self.rope, higher_is_better=self.higher_is_better)

    @property
    def masses(self) -> tuple[float, float, float]:
        """The probabilities that A is worse, that the difference is too small to matter, and that A is better."""
        assert self.regions is not None  # noqa: S101 - asked only where there are some
        return self.regions if self.higher_is_better else self.regions[::-1]

    @property
    def ahead(self) -> float:
        """The probability that A is better at all."""
        return self.sides[1] if self.higher_is_better else self.sides[0]

    @property
    def behind(self) -> float:
        """The probability that A is worse at all."""
        return self.sides[0] if self.higher_is_better else self.sides[1]

    def chance(self, share: float) -> str:
        """Write a probability."""
        return percent(share, self.n_draws)

    def effect(self) -> str:
        """Write the size of the difference: +6.6 F1 points [3.5, 9.7], or log loss lower by 0.05 [0.02, 0.08]."""
        shown = Shown.of(self.estimate, self.unit)
        if not shown.has_mean:
            return f"a difference in {self.metric} of {shown.interval()}"
        if self.higher_is_better:
            points = f" points of {self.of}" if self.of else f" {self.metric} points"
            what = points if self.unit.is_points else f" in {self.metric}"
            return f"{shown.value()}{what} {shown.interval()}"
        way, size = self._lower()
        return f"{self.metric} {way} by {size.value(sign=False)}{self._noun} {size.interval()}"

    def size(self) -> str:
        """Write the size of the difference where the metric and the direction stand before it."""
        if not (mirrored := Shown.of(self.estimate, self.unit, mirror=not self.higher_is_better)).has_mean:
            return f"by {mirrored.interval()}"
        if self.higher_is_better:
            shown = Shown.of(self.estimate, self.unit)
            return f"{shown.value()}{self._noun} {shown.interval()}"
        size = Shown.of(self.estimate, self.unit, mirror=self.ahead >= self.behind)
        return f"by {size.value(sign=False)}{self._noun} {size.interval()}"

    def _lower(self) -> tuple[str, Shown]:
        falls = self.estimate.mean <= 0
        return ("lower" if falls else "higher"), Shown.of(self.estimate, self.unit, mirror=falls)

    @property
    def _noun(self) -> str:
        return " points" if self.unit.is_points else ""


def headline(finding: Finding) -> Headline:
    r"""Return the answer: its title, and the sentence below it.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> f1 = Some(mean=0.066, hdi=Some(low=0.035, high=0.097), hdi_mc_error=(0.0004, 0.0004), mc_error=0.0001)
    >>> known = dict(a="new", b="old", metric="F1", estimate=f1, sides=(0.0, 1.0), n_draws=50_000,
    ...              unit=Unit(100, "point"), higher_is_better=True)
    >>> found = Finding(**known, rope=(-0.01, 0.01), regions=(0.0, 0.0, 1.0), verdict=Verdict.A_BETTER)
    >>> print(*headline(found), sep="\n")
    new is better: +6.6 F1 points [3.5, 9.7]
    That is more than the 1 point that matters, with probability >99.9%.
    >>> print(headline(Finding(**known)).title)
    new's F1 is higher with probability >99.9%: +6.6 points [3.5, 9.7]
    """
    if finding.verdict is None or finding.rope is None:
        return _without_verdict(finding)
    if any(map(math.isinf, finding.rope)):
        told = _one_sided(finding)
    elif not finding.verdict.conclusive:
        told = _undecided(finding)
    elif finding.verdict is Verdict.EQUIVALENT:
        told = _equivalent(finding)
    else:
        told = _different(finding)
    return told if finding.stable else Headline(told.title, f"{told.lede} Other draws may say otherwise.")


def _without_verdict(f: Finding) -> Headline:
    ahead = f.ahead >= f.behind
    if not f.ahead and not f.behind:
        title = f"{f.a} and {f.b} have the same {f.metric} in every draw"
    else:
        way = "higher" if ahead == f.higher_is_better else "lower"
        chance = f.chance(f.ahead if ahead else f.behind)
        title = f"{f.a}'s {f.metric} is {way} with probability {chance}: {f.size()}"
    if f.distrusted:
        return Headline(f"{f.no_verdict[:1].upper()}{f.no_verdict[1:]}", f"As drawn, {title}.")
    if f.no_verdict:
        return Headline(title, f"There is no verdict: {f.no_verdict.removeprefix('no verdict, since ')}.")
    return Headline(title, "Whether that matters depends on the smallest difference you would act on.")


def _different(f: Finding) -> Headline:
    better, (low, high) = f.verdict is Verdict.A_BETTER, f.facing
    far = f"more than {_mattering(high, f.unit)}" if low == -high else f"beyond {_region(f)}"
    than = f" than {f.b}" if f.is_bar else ""
    title = f"{f.a} is {'better' if better else 'worse'}{than}: {f.effect()}"
    return Headline(title, f"That is {far}, with probability {f.chance(f.masses[2] if better else f.masses[0])}.")


def _equivalent(f: Finding) -> Headline:
    low, high = f.facing
    near = f"They differ by less than {_mattering(high, f.unit)}"
    if low != -high:
        near = f"The difference is within {_region(f)}"
    title = f"{f.a} and {f.b} are practically equivalent: {f.effect()}"
    if f.is_bar:
        near, title = near.replace("They differ", "It differs from it"), f"{f.a} is practically at {f.b}: {f.effect()}"
    return Headline(title, f"{near}, with probability {f.chance(f.masses[1])}.")


def _undecided(f: Finding) -> Headline:
    (low, high), (worse, close, better) = f.facing, f.masses
    matters = _mattering(high, f.unit) if low == -high else "what matters"
    sides = (("a", "ahead", f.ahead, better, "gains", "gains"), ("b", "behind", f.behind, worse, "loses", "losses"))
    for side, way, share, mass, verb, sizes in sides:
        if f.leaning == side and share > AHEAD and f.rule == "hdi" and _reaches(f, ahead=way == "ahead"):
            of = f" of {f.b}" if f.is_bar and way == "ahead" else f" {f.b}" if f.is_bar else ""
            title = f"Undecided: {f.a} is {way}{of}, perhaps by too little to matter: {f.effect()}"
            lede = (
                f"It {verb} more than {matters} with probability {f.chance(mass)}, but the {100 * f.prob:g}% interval "
                f"still includes {sizes} too small to matter."
            )
            return Headline(title, lede)
    named = {
        "a": (f"{f.a} better", better),
        "equivalent": ("too small to matter", close),
        "b": (f"{f.a} worse" if f.is_bar else f"{f.b} better", worse),
    }
    chances = {side: f.chance(mass) for side, (_, mass) in named.items()}
    # Of two that are equally probable, as far as is printed, neither is leant to.
    leans = f.leaning is not None and list(chances.values()).count(chances[f.leaning]) == 1
    lean = f", leaning {named[f.leaning][0]}" if leans and f.leaning is not None else ""
    asked = f"; {100 * f.prob:g}% was asked for" if f.rule == "probability" else ""
    lede = ", ".join(f"{words} {chances[side]}" for side, (words, _) in named.items())
    against = f" against {f.b}" if f.is_bar else ""
    return Headline(f"Undecided{against}{lean}: {f.effect()}", f"{lede}{asked}.")


def _reaches(f: Finding, *, ahead: bool) -> bool:
    """Whether the interval includes differences in A's favour, or not, that matter and others that do not."""
    ends: tuple[float, float] = (f.estimate.hdi.low, f.estimate.hdi.high)
    start, stop = ends if f.higher_is_better else (-ends[1], -ends[0])
    low, high = f.facing
    return start < high < stop if ahead else start < low < stop


def headline_on_most(f: Finding, plural: str) -> Headline:
    r"""Return the answer where `regions` say how probable it is that most units, called `plural`, lie there.

    Examples
    --------
    >>> from types import SimpleNamespace as Some
    >>> f1 = Some(mean=0.02, hdi=Some(low=0.01, high=0.03), hdi_mc_error=(0.0004, 0.0004), mc_error=0.0001)
    >>> known = dict(a="new", b="old", metric="F1", estimate=f1, sides=(0.0, 1.0), n_draws=50_000, rule="probability",
    ...              unit=Unit(100, "point"), higher_is_better=True)
    >>> found = Finding(**known, rope=(-0.01, 0.01), regions=(0.0, 0.01, 0.99), verdict=Verdict.A_BETTER)
    >>> print(*headline_on_most(found, "data sets"), sep="\n")
    new is better on most data sets: +2.0 F1 points [1.0, 3.0]
    It is the largest share of data sets on which it is by more than the 1 point that matters, with probability 99.0%.
    """
    if f.verdict is None or f.rope is None:
        return _without_verdict(f)
    (low, high), (worse, close, better) = f.facing, f.masses
    matters = _mattering(high, f.unit) if low == -high else "what matters"
    if any(map(math.isinf, f.facing)):
        inside = close >= max(worse, better)
        word, by = side_words(f.facing, inside=inside)
        chance = f.chance(close if inside else 1 - close)
        if not f.verdict.conclusive:
            return Headline(
                f"Undecided on most {plural}: {f.effect()}",
                f"On most {plural} {f.a} is {word} than {f.b}{by} with probability {chance}; {100 * f.prob:g}% was "
                "asked for.",
            )
        title = f"{f.a} is {word} than {f.b}{by} on most {plural}: {f.effect()}"
        return Headline(title, f"That most {plural} lie there has probability {chance}.")
    if f.verdict is Verdict.EQUIVALENT:
        title, share = f"{f.a} and {f.b} are practically equivalent on most {plural}: {f.effect()}", close
        lede = f"It is the largest share of {plural} on which they differ by less than {matters}"
    elif f.verdict.conclusive:
        won = f.verdict is Verdict.A_BETTER
        title = f"{f.a} is {'better' if won else 'worse'} on most {plural}: {f.effect()}"
        share = better if won else worse
        lede = f"It is the largest share of {plural} on which it is by more than {matters}"
    else:
        named = {"a": f"{f.a} better", "equivalent": "too small to matter", "b": f"{f.b} better"}
        lean = "" if f.leaning is None else f", leaning {named[f.leaning]} on most {plural}"
        shares = zip(named.values(), (better, close, worse), strict=True)
        told = ", ".join(f"{words} {f.chance(share)}" for words, share in shares)
        lede = f"Which share of {plural} is the largest: {told}; {100 * f.prob:g}% was asked for."
        return Headline(f"Undecided{lean}: {f.effect()}", lede)
    return Headline(title, f"{lede}, with probability {f.chance(share)}.")


def _one_sided(f: Finding) -> Headline:
    assert f.verdict is not None  # noqa: S101 - asked only where there is one
    low, high = f.facing
    edge, open_above = (high, False) if math.isinf(low) else (low, True)
    size = f.unit.counted(abs(edge))
    by = f" by more than {size}{f' of {f.metric}' if f.unit.is_points else ''}" if edge else ""
    effect = f.effect()
    if by and f.unit.is_points and f.higher_is_better:  # the metric was named
        effect = Shown.of(f.estimate, f.unit).text()
    above = f.masses[1] if open_above else f.masses[2]
    if not f.verdict.conclusive:
        asked, _ = side_words(f.facing, inside=open_above)
        why = f"the {100 * f.prob:g}% interval reaches across that line"
        why = f"{100 * f.prob:g}% was asked for" if f.rule == "probability" else why
        it_is = "It is not" if asked.startswith("not ") else "It is"  # "whether it is not worse" is hard to read
        title = f"Undecided whether {f.a} is {asked.removeprefix('not ')} than {f.b}{by}: {effect}"
        return Headline(title, f"{it_is}, with probability {f.chance(above)}; {why}.")
    word, _ = side_words(f.facing, inside=f.verdict is Verdict.EQUIVALENT)
    more = f" of more than {size}" if edge else ""
    losing = word.endswith("worse")
    lede = f"{'loss' if losing else 'gain'}{more} has probability {f.chance(1.0 - above if losing else above)}."
    begin = {"not worse": "Non-inferior: a ", "worse": "Inferior: a "}.get(word, "A ") if edge else "A "
    improved = Shown.of(f.estimate, f.unit, mirror=not f.higher_is_better)
    if word == "not worse" and improved.low < 0:
        lost = f"{improved.ends(sign=False)[0].removeprefix('−')}{' points' if f.unit.is_points else ''}"
        lede += f" {NOT_EQUIVALENT} of up to {lost} is still plausible."
    return Headline(f"{f.a} is {word} than {f.b}{by}: {effect}", begin + lede)


def _mattering(size: float, unit: Unit) -> str:
    """Name the smallest difference that matters.

    Examples
    --------
    >>> _mattering(0.01, Unit(100, "point")), _mattering(0.05, Unit(100, "point")), _mattering(0.2, Unit(1))
    ('the 1 point that matters', 'the 5 points that matter', 'the 0.2 that matters')
    """
    text = unit.counted(size)
    return f"the {text} that matter{'' if text.endswith('points') else 's'}"


def _region(f: Finding) -> str:
    """Name a region of practical equivalence that is not the same on both sides of 0."""
    low, high = (f"{'+' if end > 0 else '−' if end < 0 else ''}{abs(end) * f.unit.scale:.6g}" for end in f.facing)
    return f"the region from {low} to {high}{' points' if f.unit.is_points else ''} that is too small to matter"
