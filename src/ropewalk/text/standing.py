"""Many classifiers in two sentences: which of them share the top, and who cannot be ruled out; many classes in one.

Groups are about their leaders: a new one starts where the leader above wins by more than the margin.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from ropewalk.text.headline import Headline
from ropewalk.text.units import Unit
from ropewalk.text.verdicts import Code

MAX_NAMED: Final = 6
MAX_IN_TITLE: Final = 3
_COUNTS: Final = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


class Group(NamedTuple):
    """Classifiers that are no worse than their leader by a margin that is settled, best first.

    `alike` are practically equivalent to the leader, and `undecided` the others.
    """

    leader: str
    alike: tuple[str, ...]
    undecided: tuple[str, ...]

    @property
    def settled(self) -> tuple[str, ...]:
        """The leader and those that are equivalent to it."""
        return (self.leader, *self.alike)


def groups_of(order: Sequence[str], code: Callable[[str, str], Code | None]) -> tuple[Group, ...]:
    """Return the groups of classifiers, best first; `code` is the verdict on one against another.

    Examples
    --------
    >>> codes = {"ab": "equivalent", "ac": "undecided", "ad": "a_better"}
    >>> [tuple(group) for group in groups_of("abcd", lambda one, other: codes[one + other])]
    [('a', ('b',), ('c',)), ('d', (), ())]
    """
    groups: list[Group] = []
    for name in order:
        found = code(groups[-1].leader, name) if groups else "a_better"
        if found == "a_better":
            groups.append(Group(name, (), ()))
        elif found == "equivalent":
            groups[-1] = groups[-1]._replace(alike=(*groups[-1].alike, name))
        else:
            groups[-1] = groups[-1]._replace(undecided=(*groups[-1].undecided, name))
    return tuple(groups)


class Standing(NamedTuple):
    """What is known of many classifiers: `groups` are empty without a verdict, and `why` says the reason.

    `chance` is how probable it is that the leader is the best of all, if that is known, `margin` what matters, and
    `ahead` how far the leader is ahead of the next one.
    """

    leader: str
    n_models: int
    metric: str
    chance: str
    groups: tuple[Group, ...] = ()
    margin: float = 0.0
    unit: Unit = Unit(1.0)
    ahead: str = ""
    why: str = ""
    distrusted: bool = False


def rank_headline(s: Standing, shown: Callable[[str], str]) -> Headline:
    """Return what a ranking says; `shown` writes a name as the surface has it.

    Examples
    --------
    >>> top = Standing("a", 3, "accuracy", "79%", (Group("a", ("b",), ("c",)),), 0.02, Unit(100, "point"))
    >>> rank_headline(top, str).title
    'Two models share the top: a and b'
    """
    best = f"{shown(s.leader)} is the best of all {s.n_models} with probability {s.chance}." if s.chance else ""
    if not s.groups:
        title = f"{shown(s.leader)} has the best {shown(s.metric)}{f' with probability {s.chance}' if s.chance else ''}"
        if s.distrusted:
            return Headline(f"{s.why[:1].upper()}{s.why[1:]}", f"As drawn, {title}.")
        if s.why:
            return Headline(title, f"There is no verdict: {s.why.removeprefix('no verdict, since ')}.")
        if s.margin:
            return Headline(title, "There are no groups of equals: they need a margin with two sides.")
        return Headline(title, "Whether that matters depends on the smallest difference you would act on.")
    top, size = s.groups[0], s.unit.counted(s.margin)
    of = f" of {shown(s.metric)}" if s.unit.is_points else f" in {shown(s.metric)}"
    rest = ""
    if top.undecided:
        more = "more, " if top.alike else "others, " if len(top.undecided) > 1 else "other, "
        count = _count(len(top.undecided))
        rest = f" {count} {more}{listed(top.undecided, shown)}, cannot be ruled out yet."
    if top.alike:
        title = f"{_count(len(top.settled))} models share the top: {listed(top.settled, shown)}"
        others = "Both others are" if len(top.alike) == 2 else f"The other {_count(len(top.alike)).lower()} are"  # noqa: PLR2004
        many = others if len(top.alike) > 1 else f"{shown(top.alike[0])} is"
        return Headline(title, f"{many} practically equivalent to {shown(s.leader)}: within {size}{of}. {best}{rest}")
    if top.undecided:
        title = f"{shown(s.leader)} leads, undecided against {rivals(top.undecided, shown)}"
        of_whom = f" of {listed(top.undecided, shown)}" if len(top.undecided) > MAX_IN_TITLE else ""
        return Headline(title, f"Whether it is ahead{of_whom} by more than {size}{of} is not settled yet. {best}")
    title = f"{shown(s.leader)} leads alone: {s.ahead}"
    return Headline(title, f"It is better than every other one by more than {size}{of}. {best}")


def _count(number: int) -> str:
    return _COUNTS[number] if number < len(_COUNTS) else f"{number:,}"


def rivals(names: Sequence[str], shown: Callable[[str], str] = str) -> str:
    """List names in a title: of many only how many there are.

    Examples
    --------
    >>> rivals(["a", "b", "c"]), rivals(["a", "b", "c", "d"])
    ('a, b and c', '4 others')
    """
    return listed(names, shown) if len(names) <= MAX_IN_TITLE else f"{len(names):,} others"


def listed(names: Sequence[str], shown: Callable[[str], str] = str) -> str:
    """List names in a sentence; of many the first few.

    Examples
    --------
    >>> listed(["a", "b", "c"]), listed(["a"])
    ('a, b and c', 'a')
    """
    first = [shown(name) for name in names[:MAX_NAMED]]
    if len(names) > MAX_NAMED:
        return f"{', '.join(first)} and {len(names) - MAX_NAMED:,} more"
    return first[0] if len(first) == 1 else f"{', '.join(first[:-1])} and {first[-1]}"


def parts_title(codes: Iterable[Code | None], a: str, b: str, part: str = "class", parts: str = "classes") -> str:
    """Return what the verdicts on many classes, or other parts of the data, come to.

    Examples
    --------
    >>> parts_title(["a_better", "b_better", "equivalent", "undecided", "undecided"], "A", "B")
    'It depends on the class: A wins 1, B wins 1, 1 is equivalent, 2 undecided'
    >>> parts_title(["a_better", "undecided"], "A", "B"), parts_title(["undecided"] * 3, "A", "B")
    ('A wins 1 of 2 classes, 1 undecided', 'Undecided on all 3 classes')
    """
    codes = list(codes)
    n = len(codes)
    counts = {
        f"{a} wins {{}}": codes.count("a_better"),
        f"{b} wins {{}}": codes.count("b_better"),
        f"{a} is not worse on {{}}": codes.count("a_not_worse"),
        f"{a} is not better on {{}}": codes.count("a_not_better"),
        f"{a} is worse on {{}}": codes.count("a_worse"),
        "{} equivalent": codes.count("equivalent"),
    }
    settled = {words: many for words, many in counts.items() if many}
    rest = [
        f"{many} {word}"
        for many, word in ((codes.count("undecided"), "undecided"), (codes.count(None), "without a verdict"))
        if many
    ]
    if not settled:
        return f"{'Undecided' if None not in codes else 'Nothing is settled'} on all {n} {parts}"
    told = [_class_words(words, many) for words, many in settled.items()]
    if len(told) > 1:
        return f"It depends on the {part}: {', '.join([*told, *rest])}"
    of = f"{told[0]} of {n} {parts}" if rest else f"{told[0].rpartition(' ')[0]} all {n} {parts}"
    if "{} equivalent" in settled:
        of = (
            f"Practically equivalent on {settled['{} equivalent']} of {n} {parts}"
            if rest
            else f"Practically equivalent on all {n} {parts}"
        )
    return ", ".join([of, *rest])


def _class_words(words: str, many: int) -> str:
    if words == "{} equivalent":
        return f"{many} {'is' if many == 1 else 'are'} equivalent"
    return words.replace("{}", str(many))
