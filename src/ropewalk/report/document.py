"""What a result says, in blocks that know nothing of its kind; every surface arranges them in its own way.

Texts hold names as `name` marks them, and nothing else in them is hostile: a surface calls `plain` with its
own escaping. A kind of result is described by one function, registered with `describes` beside it.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ropewalk._version import __version__
from ropewalk.errors import InvalidInputError
from ropewalk.report.describe import KINDS
from ropewalk.report.page_remarks import Line, on_page
from ropewalk.text.remarks import Remark

if TYPE_CHECKING:
    from ropewalk.report.sketch import Sketch

T = TypeVar("T")
Escape = Callable[[str], str]
Rows = tuple[tuple[str, str], ...]
"""Labelled lines: (label, text)."""

_OPEN, _CLOSE = "\ufdd0", "\ufdd1"  # characters that Unicode keeps out of all texts
_NAME: Final = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_MARKED: Final = re.compile(f"({_OPEN}[^{_OPEN}{_CLOSE}]*{_CLOSE})")
MAX_REMARKS_SHOWN: Final = 2
"""Urgent remarks of a page that are not folded away."""
MARKS: Final = {"ok": "✓", "no": "✗", "wait": "?"}
"""The tones of what bears on a decision, as signs: colour repeats what they say."""

URGENT: Final = ("Warning",)
"""Remarks that stand beside the answer; the others are folded away. Hints are for those who can ask again."""


class Late(Sequence[T]):
    """Parts of an answer that are made when a surface first looks at them: most surfaces never do."""

    def __init__(self, make: Callable[[], Sequence[T]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Sequence[T]:
        return self._make()

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, place: Any) -> Any:
        return self._made[place]


def name(text: object) -> str:
    """Mark a text that users chose, so that each surface escapes it in its own way.

    Examples
    --------
    >>> plain(f"{name('a|b')} | c", lambda text: text.replace("|", "/"))
    'a/b | c'
    """
    return f"{_OPEN}{str(text).replace(_OPEN, '�').replace(_CLOSE, '�')}{_CLOSE}"


def plain(text: str, escape: Escape, literal: Escape | None = None) -> str:
    """Escape the names in a text, and what stands between them by `literal`, if it needs escaping too."""
    if _OPEN not in text:
        return text if literal is None else literal(text)
    if literal is None:
        escaped = {marked: escape(marked) for marked in set(_NAME.findall(text))}  # a page has few names, many times
        return _NAME.sub(lambda match: escaped[match[1]], text)
    return "".join((escape if i % 2 else literal)(part) for i, part in enumerate(_NAME.split(text)) if part)


def names_in(texts: Iterable[str]) -> list[str]:
    """Return the names that are marked in some texts."""
    return [marked for text in texts for marked in _NAME.findall(text)]


def pieces(text: str) -> list[tuple[str, bool]]:
    """Return a text in pieces: what is a name, marked as it was, and what stands between names.

    Examples
    --------
    >>> [(plain(piece, str), is_name) for piece, is_name in pieces(f"{name('svm')} is better")]
    [('svm', True), (' is better', False)]
    """
    return [(piece, bool(i % 2)) for i, piece in enumerate(_MARKED.split(text)) if piece]


# -- blocks ------------------------------------------------------------------------------------------------


class Block:
    """A part of a document."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """The name by which a surface knows how to show it."""
        return type(self).__name__


def _said(block: Any, rows: str) -> None:
    """Keep only the labelled lines of a block that say something."""
    object.__setattr__(block, rows, tuple([row for row in getattr(block, rows) if row[1]]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Block):
    """A header, rows of cells, how many leading columns are text rather than numbers, and whether the last one is.

    `title` stands above it and `note` below; `label` is what a screen reader calls it. A `bare` one has no line under
    its header in a terminal; on a page the texts of one that `wraps` take several lines where there is little room.
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: int = 1
    ends_in_text: bool = True
    title: str = ""
    note: str = ""
    label: str = ""
    bare: bool = False
    wraps: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """One region and its mass: B better, too small to matter, A better; `tone` is "a" or "b" where one of them is.

    `by` says by how much one is better.
    """

    words: str
    share: float
    text: str
    tone: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Callout(Block):
    """What an answer means for a decision: `tone` is "ok", "no" or "wait"; `rows` are numbers that bear on it."""

    tone: str
    title: str
    text: str = ""
    rows: Rows = ()

    def __post_init__(self) -> None:
        _said(self, "rows")


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer(Block):
    """A question and its answer in words: a headline, what makes it one, the three regions, scores, and facts.

    Lines without a text are left out. `symbol` is that of a verdict. `more` says how many more items would settle it;
    `tests` are the p-values that some readers ask for; `stable` is whether other draws would decide alike. `sketch` is
    the posterior, `scores` a table of each classifier's own, and `details` say how the answer was made. `callout` is
    what it means for a decision, `tones` colour names in the headline: (name, "a" or "b"), and `mark` is the colour of
    the verdict: "a", "b", "e" for equivalent or "u" for undecided.
    """

    title: str
    headline: str
    lede: str = ""
    sketch: Sketch | None = None
    scores: Table | None = None
    details: Sequence[tuple[str, str]] = ()
    lines: Rows = ()
    symbol: str = ""
    shares: tuple[Share, ...] = ()
    note: str = ""
    more: str = ""
    tests: str = ""
    stable: bool = True
    callout: Callout | None = None
    tones: Rows = ()
    mark: str = ""

    def __post_init__(self) -> None:
        _said(self, "lines")


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One requirement on a banner: `tone` is "ok", "no" or "wait", and `word` the outcome that it stands for.

    `text` says what is required, or why it came out so; `chance` how probable it is, or how many of several are clear.
    """

    tone: str
    word: str
    text: str
    chance: str = ""

    @property
    def mark(self) -> str:
        """The outcome as a sign."""
        return MARKS[self.tone]


@dataclass(frozen=True, slots=True, kw_only=True)
class Banner(Block):
    """What is said before all else: a `tag` such as PASS, a sentence, how a command ends, and what it rests on.

    `tone` is "ok", "no" or "wait"; `end` is the exit code. On a page it is the title where it `leads`.
    """

    tone: str
    tag: str
    text: str
    end: str = ""
    rows: tuple[Held, ...] = ()
    note: str = ""
    leads: bool = False

    @property
    def mark(self) -> str:
        """The tag as a sign."""
        return MARKS[self.tone]


@dataclass(frozen=True, slots=True)
class Text(Block):
    """A paragraph."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading(Block):
    """A heading within a section."""

    text: str


@dataclass(frozen=True, slots=True)
class Alarm(Block):
    """A paragraph that says whether something can be trusted."""

    text: str
    passes: bool


@dataclass(frozen=True, slots=True)
class Facts(Block):
    """Labelled lines, those without a text left out; `remarks` are set off by their level."""

    rows: Rows
    remarks: bool = False

    def __post_init__(self) -> None:
        _said(self, "rows")


@dataclass(frozen=True, slots=True)
class Picture(Block):
    """Numbers to be drawn, and how; `key` is unique on a page."""

    how: str
    numbers: Any
    key: str = ""


@dataclass(frozen=True, slots=True)
class Details(Block):
    """Blocks that are folded away under a summary; `about` says what is inside. A `list` is not printed."""

    summary: str
    blocks: tuple[Block, ...]
    about: str = ""
    list: bool = False


@dataclass(frozen=True, slots=True)
class Section(Block):
    """Blocks under a title, which may have a line below it."""

    title: str
    blocks: tuple[Block, ...]
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerSection(Block):
    """An answer on a page: headline, picture, regions, slider, what it means, `remarks` that are urgent, `blocks`.

    The only answer is the title of the page; of several, each has a title of its own.
    """

    answer: Answer
    picture: Picture | None = None
    slider: Any = None
    titled: bool = False
    remarks: tuple[Block, ...] = ()
    blocks: tuple[Block, ...] = ()


# -- documents ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A result in blocks.

    `tables` go into papers, above `caption`; `papers` have the columns of Zhang et al. in their place, for who
    asks. The texts of `remarks` stand as they are: a surface escapes them whole, as `lines`.
    `terminal` is what a terminal shows (by default answers and tables), with `details` below for who asks, `card` what
    a notebook shows (by default the same, without a table that is the only one), and `sections` makes those of a page,
    which may take small samples of their own; what is folded away among them comes last. An empty `sentence` is made of
    headline and caption; an empty `title` is that of the first answer. `about` is the top line of a page: whom the
    answer is about, and which data. `banner` is what Markdown and LaTeX say before their tables; other surfaces have it
    among their blocks.
    """

    caption: str
    answers: tuple[Answer, ...]
    title: str = ""
    about: str = ""
    tables: Sequence[Table] = ()
    papers: Sequence[Table] = ()
    remarks: Iterable[Line | Remark] = ()
    sentence: str = ""
    terminal: tuple[Block, ...] | None = None
    details: tuple[Block, ...] = ()
    card: tuple[Block, ...] | None = None
    sections: Callable[[Document], tuple[Block, ...]] | None = None
    banner: Banner | None = None

    @property
    def lines(self) -> list[Line]:
        """The remarks as they are printed: assumptions, hints, notes, then warnings."""
        lines = [
            remark if isinstance(remark, Line) else Line(remark.level.capitalize(), remark.text, remark.code)
            for remark in self.remarks
        ]
        return sorted(lines, key=lambda line: line.label)

    def _page_lines(self, urgent: tuple[str, ...]) -> tuple[list[Line], list[Line]]:
        """Return the remarks in sight on a page, and those that are folded away; why there is no verdict was said."""
        lines = [line for line in self.lines if line.label != "Hint" and line.code != "no_verdict"]
        return on_page(lines, urgent)

    def chosen_tables(self, *, papers: bool) -> Sequence[Table]:
        """Return the tables, with the papers' columns if asked for and there are any."""
        return self.papers if papers and self.papers else self.tables

    def in_terminal(self) -> tuple[Block, ...]:
        """Return what a terminal shows."""
        return (*self.answers, *self.tables) if self.terminal is None else self.terminal

    def on_card(self) -> tuple[Block, ...]:
        """Return what a notebook shows."""
        if self.card is not None:
            return self.card
        return (*self.answers, *(self.tables if len(self.tables) > 1 else ()))

    def on_foot(self) -> str:
        """Return the facts on the last line of a card."""
        return self.about.partition(" · ")[2]

    def on_page(self) -> tuple[Block, ...]:
        """Return the sections of a page."""
        if self.sections is not None:
            return self.sections(self)
        return (*self.answer_sections(), *self.table_section(), self.method_section())

    def answer_sections(
        self,
        pictures: Sequence[Picture | None] = (),
        *,
        sliders: Sequence[Any] = (),
        note: str = "",
        urgent: tuple[str, ...] = URGENT,
    ) -> tuple[Block, ...]:
        """Return the answers as a page begins with them, a picture and a slider each.

        Urgent remarks and `note` are at the first.
        """
        pressing, _ = self._page_lines(urgent)
        remarks: tuple[Block, ...] = remark_block(pressing[:MAX_REMARKS_SHOWN])
        if rest := pressing[MAX_REMARKS_SHOWN:]:
            remarks = (*remarks, Details(f"{len(rest)} more", remark_block(rest)))
        several = len(self.answers) > 1
        sections = [
            AnswerSection(
                answer=answer,
                picture=pictures[i] if pictures else None,
                slider=sliders[i] if sliders else None,
                titled=several,
            )
            for i, answer in enumerate(self.answers)
        ]
        notes = (Text(note),) if note else ()
        return (replace(sections[0], remarks=remarks, blocks=notes), *sections[1:])

    def table_section(self) -> tuple[Section, ...]:
        """Return the section of a page that holds the tables, if there are any."""
        labelled = tuple(replace(table, label=f"Table {i}") for i, table in enumerate(self.tables, start=1))
        return (Section("Tables" if len(labelled) > 1 else "Table", labelled),) if labelled else ()

    def folded_tables(self, summary: str, about: str = "") -> tuple[Details, ...]:
        """Return the tables folded away, where a picture shows their numbers already."""
        return tuple(Details(summary, section.blocks, about) for section in self.table_section())

    def method_section(
        self,
        rows: Rows = (),
        *blocks: Block,
        not_covered: str = "",
        left_out: Sequence[str] = (),
        urgent: tuple[str, ...] = URGENT,
    ) -> Details:
        """Return how the answer was made, and the remarks that are not urgent: folded away, like all such parts."""
        from importlib.metadata import version

        program = f"ropewalk {__version__}, Python {platform.python_version()}"
        versions = f"{program}, NumPy {version('numpy')}, SciPy {version('scipy')}"
        ends = (("Program", versions), ("Not covered", not_covered), ("Left out", " ".join(left_out)))
        _, notes = self._page_lines(urgent)
        return Details("How it was computed", (Facts((*rows, *ends)), *blocks, *remark_block(notes)))

    def in_sentence(self) -> str:
        """Return the sentence for a paper."""
        headline = self.answers[0].headline
        return self.sentence or (f"{headline}." if headline == self.caption else f"{headline} ({self.caption}).")


def remark_block(remarks: Sequence[Line]) -> tuple[Facts, ...]:
    """Return remarks as a block, if there are any; they hold names, so they are escaped like them."""
    return (Facts(tuple((line.label, name(line.text)) for line in remarks), remarks=True),) if remarks else ()


# -- kinds -------------------------------------------------------------------------------------------------

_DESCRIBERS: Final[dict[type, Callable[[Any], Document]]] = {}
Describer = TypeVar("Describer", bound=Callable[[Any], Document])


def describes(*kinds: type) -> Callable[[Describer], Describer]:
    """Register a function as the one that describes results of these classes, and of their subclasses."""

    def register(describer: Describer) -> Describer:
        _DESCRIBERS.update(dict.fromkeys(kinds, describer))
        return describer

    return register


def describe(result: Any) -> Document:
    """Return what a result says, by the function that is registered for the nearest of its classes."""
    if isinstance(result, Document):
        return result
    for kind in type(result).__mro__:
        if kind not in _DESCRIBERS and kind.__name__ in KINDS:
            import_module(f"ropewalk.report.describe.{KINDS[kind.__name__]}")
        if kind in _DESCRIBERS:
            return _DESCRIBERS[kind](result)
    raise InvalidInputError(
        f"A result of type {type(result).__name__} does not say what it says.",
        hint="register a function with @ropewalk.report.document.describes.",
    )
