"""Results for a terminal: the answer first, then its picture, the probabilities, the scores and what to do.

Text wraps at the width of the terminal, never inside a word. Colour repeats what words and places say already.
"""

from __future__ import annotations

import os
import shutil
import textwrap
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ropewalk.report.document import (
    Alarm,
    Answer,
    Banner,
    Block,
    Facts,
    Heading,
    Held,
    Picture,
    Section,
    Share,
    Table,
    Text,
    describe,
    names_in,
    plain,
)
from ropewalk.report.pictures import decimals_of, round_step
from ropewalk.text import writing
from ropewalk.text.remarks import for_shell
from ropewalk.text.units import signed
from ropewalk.text.writing import visible

if TYPE_CHECKING:
    from ropewalk.report.leaders import Leaders
    from ropewalk.report.rows import Forest, Row
    from ropewalk.report.sketch import Sketch

MIN_COLUMNS: Final = 60
MAX_COLUMNS: Final = 120
USUAL_COLUMNS: Final = 80
LABEL_COLUMNS: Final = 9
PICTURE_ROWS: Final = 3
ROOM_FOR_NUMBERS: Final = 100  # columns from which on a leaderboard has the differences in numbers too
LEAST_TRACK: Final = 12
LEAST_BAR: Final = 6
LEAST_WORDS: Final = 8  # columns that words are wrapped to at most
LETTERS_BELOW: Final = 24
"""How long a name without spaces may be below the headline."""
LETTERS: Final = (60, 40, 24, 16, 12, 8)
"""How long a name may be: the first of them that leaves a line within the terminal."""
LEAST_HEIGHT: Final = 0.2  # eighths of a row that show at all
_INDENT: Final = "  "
_EIGHTHS: Final = " ▁▂▃▄▅▆▇█"
_ASCII: Final = str.maketrans(
    {
        "━": "=", "●": "*", "○": "o", "░": ":", "█": "#", "│": "|", "┣": "[", "┫": "]", "×": "x", "−": "-", "≥": ">=",
        "≤": "<=", "┊": "|",
        "┼": "+", "┴": "+", "─": "-", "·": "-", "←": "<-", "→": "->", "≈": "~", "≪": "<<", "≫": ">>",
        "±": "+/-", "…": "...", "“": '"', "”": '"', "–": "-", "Δ": "delta", "↓": "(low)", "▁": ".",
        "✓": "+", "✗": "x", "▂": ".", "▃": ":", "▄": ":", "▅": "|", "▆": "|", "▇": "#", "∞": "inf",
    }
)  # fmt: skip


class Style(NamedTuple):
    """How a terminal shows what: escape sequences, empty where it shows none."""

    strong: str = ""
    quiet: str = ""
    a: str = ""
    b: str = ""
    plain: str = ""
    end: str = ""
    ok: str = ""
    no: str = ""
    wait: str = ""

    def put(self, how: str, text: str) -> str:
        """Return a text in one of the ways."""
        code: str = getattr(self, how)
        return f"{code}{text}{self.end}" if code and text else text


PLAIN: Final = Style()
COLOURED: Final = Style(strong="\x1b[1m", quiet="\x1b[2m", a="\x1b[36m", b="\x1b[33m", end="\x1b[0m", ok="\x1b[7;32m",
                        no="\x1b[7;31m", wait="\x1b[7;33m")  # fmt: skip


class Screen(NamedTuple):
    """Where a text is shown: how many columns there are, and in which style; `details` adds how it was made."""

    columns: int = USUAL_COLUMNS
    style: Style = PLAIN
    details: bool = False
    papers: bool = False


def columns_here() -> int:
    """Return the width of the terminal, 60 to 120; COLUMNS says it where there is none, and 80 where nothing does."""
    return min(max(shutil.get_terminal_size((USUAL_COLUMNS, 24)).columns, MIN_COLUMNS), MAX_COLUMNS)


def wants_colour(stream: Any) -> bool:
    """Whether a stream is a terminal that shows colours; NO_COLOR and FORCE_COLOR decide."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


def in_ascii(text: str) -> str:
    """Return a text without the signs that a terminal without UTF-8 lacks.

    Examples
    --------
    >>> in_ascii("A ≫ B: ━━●━━ −0.5")
    'A >> B: ==*== -0.5'
    """
    return text.translate(_ASCII)


def text(result: Any, *, width: int | None = None, details: bool = False, papers: bool = False) -> str:
    """Return the answer and all remarks, for a terminal of so many columns, by default that of this one."""
    document, screen = describe(result), Screen(width or columns_here(), PLAIN, details, papers)
    lines = remark_lines(document, columns=screen.columns)
    return "\n".join([body(document, screen), *(["", *lines] if lines else [])])


def body(result: Any, screen: Screen | None = None) -> str:
    """Return the answer without remarks, for a terminal."""
    screen, document = screen or Screen(columns_here()), describe(result)
    blocks = (*document.in_terminal(), *(document.details if screen.details else ()))
    if screen.papers:
        blocks = (*document.answers[:1], *document.chosen_tables(papers=True))
    return "\n\n".join(shown(block, screen) for block in blocks)


def shown(block: Block, screen: Screen) -> str:
    """Return one block as lines."""
    if isinstance(block, Answer):
        return _answer(block, screen)
    if isinstance(block, Table):
        return aligned(block, screen.columns)
    if isinstance(block, Picture):
        return (board if block.how == "leaders" else rows)(block.numbers, screen)
    if isinstance(block, Banner):
        return banner(block, screen)
    if isinstance(block, Facts):
        return _facts(block.rows, screen.columns)
    if isinstance(block, Section):
        head = screen.style.put("strong", filled(_named(block.title), screen.columns))
        about = [filled(_told(block.about), screen.columns)] if block.about else []
        return "\n\n".join(["\n".join([head, *about]), *(shown(part, screen) for part in block.blocks)])
    if isinstance(block, Heading):
        return screen.style.put("strong", filled(_named(block.text), screen.columns))
    assert isinstance(block, Text | Alarm)  # noqa: S101 - no other stands in a terminal
    warned = "" if isinstance(block, Text) or block.passes else "Warning   "
    return filled(f"{warned}{_told(block.text)}", screen.columns)


def fitted(drafts: Iterable[str], columns: int) -> str:
    """Return the first of some texts whose lines all fit, or else the last one."""
    text = ""
    for text in drafts:
        if all(_width(line) <= columns for line in text.splitlines()):
            break
    return text


def remark_lines(
    result: Any,
    kinds: tuple[str, ...] = ("Hint", "Assumes", "Note", "Warning"),
    flags: Mapping[str, str] | None = None,
    columns: int | None = None,
) -> list[str]:
    """Return hints, assumptions, notes and warnings as labelled lines; options with a flag as a command has them."""
    width = columns or columns_here()
    lines = [line for line in describe(result).lines if line.label in kinds]
    said = [line.text if flags is None else for_shell(line.text, flags) for line in lines]
    return [labelled(line.label, visible(text), width) for line, text in zip(lines, said, strict=True)]


def labelled(label: str, fact: str, columns: int, width: int = LABEL_COLUMNS) -> str:
    """Write a fact under a label; longer ones go on below."""
    return textwrap.fill(
        fact, columns, initial_indent=f"{label:<{width}} ", subsequent_indent=" " * (width + 1),
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def filled(paragraph: str, columns: int) -> str:
    """Wrap a paragraph."""
    return textwrap.fill(paragraph, columns, break_long_words=False, break_on_hyphens=False)


def _named(raw: str, letters: int = LETTERS[0]) -> str:
    return plain(raw, lambda name: writing.terminal(name, letters))


def _together(raw: Iterable[str], letters: int) -> list[str]:
    """Write texts that stand side by side: the names in them stay apart when they are cut."""
    texts = list(raw)
    short = writing.terminal_names(names_in(texts), letters)
    return [plain(text, short.__getitem__) for text in texts]


def _grid(rows: Iterable[Sequence[str]], write: Callable[[Iterable[str]], list[str]]) -> list[tuple[str, ...]]:
    """Write the cells of a table, all together."""
    table = list(rows)
    cells = iter(write(cell for row in table for cell in row))
    return [tuple(islice(cells, len(row))) for row in table]


def _told(raw: str, letters: int = LETTERS_BELOW) -> str:
    """Write a sentence below the headline, which has the names in full: those that cannot wrap are cut here."""
    return plain(raw, lambda name: writing.terminal(name, LETTERS[0] if " " in name else letters))


def _told_together(raw: Iterable[str], letters: int) -> list[str]:
    """Write cells as `_told` does a sentence, their names apart."""
    texts = list(raw)
    names = names_in(texts)
    wrapping = writing.terminal_names((name for name in names if " " in name), LETTERS[0])
    others = writing.terminal_names((name for name in names if " " not in name), letters)
    return [plain(text, (wrapping | others).__getitem__) for text in texts]


# -- a banner ----------------------------------------------------------------------------------------------


def banner(block: Banner, screen: Screen) -> str:
    """Write a banner: the tag, the sentence and how a command ends, then a line per requirement."""
    plain = screen._replace(style=PLAIN)  # styles take no room

    def fits(letters: int) -> bool:
        return all(_width(line) <= screen.columns for line in _banner(block, plain, letters).splitlines())

    return _banner(block, screen, next(filter(fits, LETTERS), LETTERS[-1]))


def _banner(block: Banner, screen: Screen, letters: int) -> str:
    style, columns = screen.style, screen.columns
    tag = f" {block.tag} "
    first, *rest = _with_end(_named(block.text, letters), block.end, columns - _width(tag) - len(_INDENT))
    lines = [
        f"{style.put(block.tone, tag)}{_INDENT}{style.put('strong', first)}",
        *(f"{' ' * _width(tag)}{_INDENT}{style.put('strong', line)}" for line in rest),
    ]
    if block.rows:
        lines.append("")
    wide = max((_width(row.word) for row in block.rows), default=0)
    for row in block.rows:
        lines += _held(row, columns, letters, wide)
    if block.note:
        lines += [textwrap.indent(filled(_told(block.note), columns - len(_INDENT)), _INDENT)]
    return "\n".join(lines)


def _held(row: Held, columns: int, letters: int, wide: int) -> list[str]:
    lead = f"{_INDENT}{row.mark} {_padded(row.word, wide)}{_INDENT}"
    told = _with_end(_named(row.text, letters), row.chance, columns - _width(lead))
    return [f"{lead if not i else ' ' * _width(lead)}{line}" for i, line in enumerate(told)]


def _with_end(text: str, end: str, columns: int) -> list[str]:
    """Wrap a text so that what stands at its end is at the right edge of the first line."""
    room = columns - (len(end) + len(_INDENT) if end else 0)
    first, *rest = textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False) or [""]
    return [f"{_padded(first, room)}{_INDENT}{end}" if end else first, *rest]


# -- an answer ---------------------------------------------------------------------------------------------


def _answer(answer: Answer, screen: Screen) -> str:
    style, columns = screen.style, screen.columns
    head = style.put("strong", filled(_named(answer.headline), columns))
    parts = [f"{head}\n{filled(_named(answer.lede), columns)}" if answer.lede else head]
    if answer.sketch is not None:
        parts.append(picture(answer.sketch, screen))
    if any(share.words for share in answer.shares):
        parts.append(_shares(answer.shares, screen))
    if answer.scores is not None:
        parts.append(textwrap.indent(aligned(answer.scores, columns - len(_INDENT)), _INDENT))
    facts = [*answer.lines, ("Note", answer.note), ("More", answer.more), ("Tests", answer.tests)]
    facts += answer.details if screen.details else []
    parts.append(_facts(facts, columns))
    return "\n\n".join(filter(None, parts))


def _facts(rows: Iterable[tuple[str, str]], columns: int) -> str:
    written = [(_named(label), _told(fact)) for label, fact in rows if fact]
    width = max([LABEL_COLUMNS, *(len(label) for label, _ in written)])
    return "\n".join(labelled(label, fact, columns, width) for label, fact in written)


def _shares(shares: tuple[Share, ...], screen: Screen) -> str:
    """Draw one bar per region, in the order of the axis: B better, too small, A better."""
    told = [share for share in shares if share.words]
    one_sided = len(told) < len(shares)

    def words_of(letters: int) -> list[str]:
        # Of two regions neither is "too small to matter", so each says by how much.
        words = _together((share.words for share in told), letters)
        return [f"{said}{f' {s.by}' if one_sided and s.by else ''}" for said, s in zip(words, told, strict=True)]

    fixed = len(_INDENT) + 2 + 7 + 2 + LEAST_BAR
    drafts = [words_of(letters) for letters in LETTERS]
    words = next((words for words in drafts if max(map(_width, words)) + fixed <= screen.columns), drafts[-1])
    width = max(map(_width, words))
    room = max(screen.columns - len(_INDENT) - width - 12, LEAST_BAR)
    lines = []
    for word, share in zip(words, told, strict=True):
        bar = screen.style.put(share.tone or "plain", "█" * round(share.share * room))
        lines.append(f"{_INDENT}{_padded(word, width)}  {share.text:>7}  {bar}".rstrip())
    return "\n".join(lines)


# -- a picture ---------------------------------------------------------------------------------------------


def picture(sketch: Sketch, screen: Screen) -> str:
    """Draw a posterior in letters: three rows of its density, the axis, and the interval with its numbers."""
    numbers = f"  {sketch.shown.text()}"
    width = screen.columns - 2 * len(_INDENT)
    rows = _density(sketch, width)
    ticks, labels = _axis(sketch, width)
    first, last = (sketch.clipped(end, width) for end in (sketch.shown.low, sketch.shown.high))
    bar = list(" " * first + "┣" + "━" * max(last - first - 1, 0) + ("┫" if last > first else ""))
    if sketch.shown.has_mean:
        bar[min(max(sketch.clipped(sketch.shown.mean, width), first), last)] = "●"
    line = "".join(bar)
    if len(line) + len(numbers) <= width + len(_INDENT):
        line += numbers
    elif first >= len(numbers):
        line = numbers.strip().rjust(first - 2) + line[first - 2 :]
    else:
        line += f"\n{_INDENT}{numbers.strip().rjust(width)}"
    return "\n".join(f"{_INDENT}{row}".rstrip() for row in (_sides(sketch, width), *rows, ticks, labels, line))


def _sides(sketch: Sketch, width: int) -> str:
    """Write what the two directions mean, on both sides of 0 where there is room for them."""
    zero = sketch.column(0.0, width)
    drafts = [_directions(sketch, width, zero, letters) for letters in (24, 16, 12, 8)]
    return next((draft for draft in drafts if _width(draft) <= width), drafts[-1])


def _directions(sketch: Sketch, width: int, zero: int | None, letters: int) -> str:
    left, right = _together((f"← {sketch.left}", f"{sketch.right} →"), letters)
    if zero is None:
        middle = width if sketch.axis.high < 0 else 0
        side = left if middle else right
        return _padded(side, width) if not middle else " " * max(width - _width(side), 0) + side
    if _width(left) <= zero and _width(right) < width - zero:
        return f"{' ' * (zero - _width(left))}{left}│{right}"
    gap = max(width - _width(left) - _width(right), 1)
    return f"{left}{' ' * gap}{right}"


def _density(sketch: Sketch, width: int) -> list[str]:
    heights = sketch.heights(width) * PICTURE_ROWS * 8
    zero = sketch.column(0.0, width)
    band = _band(sketch, width)
    lines = []
    for row in reversed(range(PICTURE_ROWS)):
        cells = []
        for i, height in enumerate(heights.tolist()):
            eighths = min(max(round(height) - 8 * row, 0), 8)
            if row == 0 and LEAST_HEIGHT < height < 1:
                eighths = 1
            if eighths:
                cells.append(_EIGHTHS[eighths])
            elif i == zero:
                cells.append("│")
            else:
                cells.append("░" if i in band else " ")
        lines.append("".join(cells))
    return lines


def _band(sketch: Sketch, width: int) -> range:
    """Return the columns of what is too small to matter; of a ROPE with one end, those that are worse than allowed."""
    rope = sketch.rope
    if rope is None:
        return range(0)
    low, high = (sketch.clipped(end, width) for end in rope)
    if rope.one_sided and rope.low > -rope.high:  # it is open above: what lies below its end is not allowed
        return range(low)
    return range(low, high + 1)


def _axis(sketch: Sketch, width: int) -> tuple[str, str]:
    line, labels = ["─"] * width, [" "] * width
    zero, end = sketch.column(0.0, width), -1
    for value, written in _ticks(sketch, width):
        at = sketch.column(value, width)
        if at is None:
            continue
        line[at] = "┴"
        start = min(max(at - len(written) // 2, 0), width - len(written))
        if start > end:
            labels[start : start + len(written)] = written
            end = start + len(written)
    if zero is not None:
        line[zero] = "┼"
    return "".join(line), "".join(labels)


def _ticks(sketch: Sketch, width: int) -> list[tuple[float, str]]:
    span = sketch.axis.high - sketch.axis.low
    step = round_step(span / max(width // 8, 2))
    places = decimals_of(step)
    return [(value, signed(value, places)) for value in sketch.axis.multiples(step)]


# -- a leaderboard -----------------------------------------------------------------------------------------


def board(leaders: Leaders, screen: Screen) -> str:
    """Draw a leaderboard in letters: scores, chances, and the difference of each from the leader; a line per group."""
    drafts = (_board(leaders, screen, letters, picture) for picture in (True, False) for letters in LETTERS)
    return fitted(drafts, screen.columns)


def _board(leaders: Leaders, screen: Screen, letters: int, picture: bool) -> str:  # noqa: FBT001 - with it or without
    wide = screen.columns >= ROOM_FOR_NUMBERS
    origin = f"from {leaders.rows[0].row.label}"
    head = ("", "classifier", leaders.number, "P(best)", origin, "verdict" if leaders.is_judged else "")
    rows = []
    for k, leader in enumerate(leaders.rows):
        mark = leader.row.verdict.removeprefix("group ") if leader.row.verdict.startswith("group") else "·"
        verdict = leader.row.verdict or ("leader" if not k else leader.less)
        told = f"{verdict}  {leader.less}" if wide and leader.row.verdict and k else verdict
        score = f"{leader.row.value} {leader.row.interval}"
        rows.append(
            (mark if leaders.is_judged else str(leader.place), leader.row.label, score, leader.chance, "", told)
        )
    cells = _grid((head, *rows), partial(_together, letters=letters))
    widths = [max(_width(row[i]) for row in cells) for i in range(6)]
    fixed = sum(widths[:4]) + widths[5] + 2 * 5 + len(_INDENT)
    widths[4] = max(screen.columns - fixed, LEAST_TRACK, widths[4])
    if not picture:
        widths[4] = 0
    lines = []
    for k, row in enumerate(cells):
        track = row[4] if not k else _track(leaders, leaders.rows[k - 1].row, widths[4])
        if k and leaders.rows[k - 1].first:
            lines.append(_INDENT + "─" * (sum(widths) + 2 * (5 if picture else 4)))
        parts = [
            _padded(row[0], widths[0]),
            _padded(row[1], widths[1]),
            _padded(row[2], widths[2]),
            " " * (widths[3] - _width(row[3])) + row[3],
            *([_padded(track, widths[4])] if picture else []),
            row[5],
        ]
        lines.append((_INDENT + "  ".join(parts)).rstrip())
    return "\n".join(["", *lines]).strip("\n")


def rows(forest: Forest, screen: Screen) -> str:
    """Draw intervals in letters: a line per row, the right side being where A is better, filled what is settled.

    Where there is little room names are cut first, then what stands before the interval is left out, then the picture.
    """
    return fitted(_row_drafts(forest, screen.columns), screen.columns)


def _row_drafts(forest: Forest, columns: int) -> Iterator[str]:
    for shown in (forest.columns, ()):
        for letters in LETTERS:
            yield _rows(forest, columns, letters, len(shown), picture=True)
    for letters in LETTERS:
        yield _rows(forest, columns, letters, 0, picture=False)
    yield _plain_rows(forest, columns)


def _above(forest: Forest, columns: int) -> list[str]:
    """Return the title of rows, if they have one."""
    return [filled(_told(forest.title), columns)] if forest.title else []


def _plain_rows(forest: Forest, columns: int) -> str:
    """Write rows without a picture, the verdict on as many lines as it takes."""
    rows = tuple((row.label, f"{row.value} {row.interval}", row.verdict) for row in forest.rows)
    table = Table(header=(forest.head, forest.number, forest.verdicts), rows=rows, text_columns=2, bare=True)
    lines = textwrap.indent(aligned(table, columns - len(_INDENT)), _INDENT)
    return "\n".join([*_above(forest, columns), lines, *([filled(_told(forest.note), columns)] if forest.note else [])])


def _rows(forest: Forest, columns: int, letters: int, n_cells: int, *, picture: bool) -> str:
    judged = any(row.verdict for row in forest.rows)
    head = (forest.head, *forest.columns[:n_cells], forest.number, forest.verdicts if judged else "")
    texts = [(row.label, *row.cells[:n_cells], f"{row.value} {row.interval}", row.verdict) for row in forest.rows]
    cells = _grid((head, *texts), partial(_together, letters=letters))
    widths = [max(_width(row[i]) for row in cells) for i in range(len(head))]
    room = max(columns - sum(widths) - 2 * len(head) - len(_INDENT), LEAST_TRACK)
    sides = f"{_padded(forest.left, room - _width(forest.right) - 1)} {forest.right}"
    lines = []
    for k, row in enumerate(cells):
        parts = list(map(_padded, row, widths))
        track = _track(forest, forest.rows[k - 1], room) if k else sides if _width(sides) <= room else ""
        if picture:
            parts.insert(1 + n_cells, _padded(track, room))
        lines.append((_INDENT + "  ".join(parts)).rstrip())
    note = f"{forest.about if n_cells else ''} {forest.note}".strip()
    return "\n".join([*_above(forest, columns), *lines, *([filled(_told(note), columns)] if note else [])])


def _track(shared: Any, row: Row, width: int) -> str:
    """Draw one interval, with the band of what is too small to matter and 0 that its picture has."""

    def column(at: float) -> int:
        return min(int(at / 100 * width), width - 1)

    cells = [" "] * width
    if not width:
        return ""
    if shared.band is not None:
        start, stop = column(shared.band.low), column(shared.band.high)
        cells[start : stop + 1] = "░" * (stop + 1 - start)
    if shared.zero is not None:
        cells[column(shared.zero)] = "┊"
    first, last = column(row.low), column(row.high)
    cells[first : last + 1] = "━" * (last + 1 - first)
    cells[column(row.at)] = "○" if row.tone == "u" else "●"
    return "".join(cells)


# -- tables ------------------------------------------------------------------------------------------------


def aligned(table: Table, columns: int = MAX_COLUMNS) -> str:
    """Lay out a table in columns of equal width, between its title and its note.

    A header that is wider than its column goes on below, and names are cut, where the lines would not fit otherwise.
    """
    notes = [filled(_told(table.note), columns)] if table.note else []
    lines = fitted(_table_drafts(table, columns), columns)
    return "\n".join([*filter(None, [_named(table.title)]), lines, *notes])


def _table_drafts(table: Table, columns: int) -> Iterator[str]:
    for letters in LETTERS:
        cells = _grid((table.header, *table.rows), partial(_told_together, letters=letters))
        yield _aligned(table, cells, [max(map(_width, column)) for column in zip(*cells, strict=True)])
        yield _aligned(table, cells, (widths := _word_widths(cells)))
        yield _aligned(table, cells, (widths := _narrowed(table, cells, widths, columns)))
    if table.ends_in_text:  # what is left is for the words at the end
        widths[-1] = max(columns - sum(widths[:-1]) - 2 * (len(widths) - 1), LEAST_WORDS)
        yield _aligned(table, cells, widths)


def _word_widths(cells: list[tuple[str, ...]]) -> list[int]:
    """Return how wide columns are whose header goes on below."""
    head, *rows = cells
    heads = [max(map(_width, cell.split()), default=0) for cell in head]
    return [max(wide, *(_width(row[i]) for row in rows), 0) for i, wide in enumerate(heads)]


def _narrowed(table: Table, cells: list[tuple[str, ...]], widths: list[int], columns: int) -> list[int]:
    """Return narrower columns of text, so that words go on below and a line is no longer than the terminal."""
    least = [
        max((_width(word) for cell in column for word in cell.split()), default=0)
        for column in zip(*cells, strict=True)
    ]
    excess, narrow = sum(widths) + 2 * (len(widths) - 1) - columns, list(widths)
    for i in range(table.text_columns):
        share = min(max(excess, 0), narrow[i] - least[i])
        narrow[i] -= share
        excess -= share
    return narrow


def _aligned(table: Table, cells: list[tuple[str, ...]], widths: list[int]) -> str:
    """Lay out cells in columns of these widths; what is wider goes on below: of a header from the bottom up."""
    lines: list[str] = []
    for k, row in enumerate(cells):
        parts = [_wrapped(cell, width) for cell, width in zip(row, widths, strict=True)]
        depth = max(map(len, parts))
        parts = [
            [*[""] * (depth - len(part)), *part] if not k else [*part, *[""] * (depth - len(part))] for part in parts
        ]
        for line in zip(*parts, strict=True):
            shown = []
            for i, cell in enumerate(line):
                is_text = i < table.text_columns or (table.ends_in_text and i == len(row) - 1)
                shown.append(_padded(cell, widths[i]) if is_text else " " * (widths[i] - _width(cell)) + cell)
            lines.append("  ".join(shown).rstrip())
        if not k and not table.bare:
            lines.append("  ".join("─" * width for width in widths))
    return "\n".join(lines)


def _wrapped(cell: str, width: int) -> list[str]:
    if _width(cell) <= width:
        return [cell]
    return textwrap.wrap(cell, width, break_long_words=False, break_on_hyphens=False) or [""]


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(cell: str) -> int:
    """Return how many terminal columns a text takes."""
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in cell
    )
