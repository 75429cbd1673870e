"""A gate where GitHub shows it: the summary of a step as Markdown, and annotations of the run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from ropewalk._files import check_writable, is_special, shorten_path
from ropewalk._version import __version__
from ropewalk.errors import UnreadableFileError
from ropewalk.report.gate_facts import MARKS, chance, difference, found, treated
from ropewalk.results.gates import TAGS, WORST_FIRST, Check, Gate
from ropewalk.text import writing
from ropewalk.text.writing import brief, count_of, few, isolated

MAX_SUMMARY_BYTES: Final = 1 << 20
"""The longest summary of a step that GitHub takes; a longer one it shows nothing of."""

MAX_ANNOTATIONS: Final = 10
"""How many annotations of a step GitHub shows."""

_ROOM_BYTES: Final = 1 << 14  # for what other commands of the same step write
_MAX_NAME: Final = 200  # letters of a name that a summary shows
_MAX_LINE: Final = 1_000  # letters of an annotation
_CUT: Final = "_The rest is left out: GitHub takes no more than 1 MiB from a step._\n"
_HIDDEN: Final = "&#8203;"
_ACTIVE: Final = {"&#64;": f"&#64;{_HIDDEN}", "&#58;//": f"&#58;{_HIDDEN}//", r"\#": rf"\#{_HIDDEN}"}

# -- the summary of a step -----------------------------------------------------------------------------------


def step_summary(gate: Gate) -> str:
    """Return a gate as GitHub-flavoured Markdown: the headline, a row per requirement and task, and how it was drawn.

    It stays below 1 MiB, more than which GitHub refuses: of many rows those that are met are left out first.

    Examples
    --------
    >>> import ropewalk as rw
    >>> y = [1, 0] * 200
    >>> gate = rw.gate(y, y, [1, 1] * 200, metric="accuracy", require="better", rng=0)
    >>> print(step_summary(gate).splitlines()[0])
    ### PASS: A is better in accuracy
    """
    head = [f"### {gate.tag}: {gate.told(_name)}", ""]
    table = ["|  | Required | Outcome | Difference | As required |", "|---|---|---|---:|---:|"]
    foot = ["", *_below(gate)]
    room = MAX_SUMMARY_BYTES - _ROOM_BYTES - sum(map(_bytes, [*head, *table, *foot]))
    rows, left_out = _rows_within(gate.checks, room)
    said = ["", f"_{count_of(left_out, 'more row')} of {len(gate):,} left out._"] if left_out else []
    return "\n".join([*head, *table, *rows, *said, *foot]) + "\n"


def _rows_within(checks: tuple[Check, ...], room: int) -> tuple[list[str], int]:
    """Return the rows of checks that fit, and how many do not: those that are met are left out first."""
    rows = [_row(check) for check in checks]
    places = range(len(rows))
    kept: set[int] = set()
    for place in sorted(places, key=lambda place: WORST_FIRST.index(checks[place].outcome)):
        room -= _bytes(rows[place])
        if room < 0:
            break
        kept.add(place)
    return [rows[place] for place in places if place in kept], len(rows) - len(kept)


def _bytes(line: str) -> int:
    return len(line.encode("utf-8", "backslashreplace")) + 1


def _row(check: Check) -> str:
    outcome = f"{check.outcome}: {_name(check.reason)}" if check.reason else check.outcome
    cells = (MARKS[check.outcome], check.told(_name), outcome, difference(check), chance(check))
    return f"| {' | '.join(cells)} |"


def _below(gate: Gate) -> Iterator[str]:
    """Yield what stands below the table: the pair, how it was drawn, and warnings."""
    recipe = gate.recipe
    told = [
        f"Difference: {_name(gate.a)} − {_name(gate.b)}, with its {100 * recipe.prob:g}% HDI",
        *([count_of(recipe.n_items, recipe.noun)] if recipe.n_items and not gate.tasks else []),
        f"seed {gate.seed}",
        f"exit code {gate.exit_code}{f' ({treated(gate)})' if gate.outcome == 'undecided' else ''}",
        f"ropewalk {__version__}",
    ]
    yield f"{' · '.join(told)}"
    warnings = few(gate.warnings)
    if warnings:
        yield ""
    yield from (f"- Warning: {_name(text, 10 * _MAX_NAME)}" for text in warnings)


def _name(text: str, longest: int = _MAX_NAME) -> str:
    r"""Make a text of users safe for a summary; nothing in it becomes a link, a mention or a reference.

    GitHub looks for these in what Markdown has become, where an escaped sign is the sign again: a character without
    width keeps them apart.

    Examples
    --------
    >>> print(_name("a|b @all www.x.org"))
    a\|b &#64;&#8203;all www&#8203;.x.org
    """
    escaped = writing.markdown(brief(text, longest))
    for sign, apart in _ACTIVE.items():
        escaped = escaped.replace(sign, apart)
    return _parted(escaped)


def _parted(text: str) -> str:
    """Keep apart what is a link without a scheme."""
    place = text.lower().find("www.")
    return text if place < 0 else f"{text[: place + 3]}{_HIDDEN}.{_parted(text[place + 4 :])}"


def append_summary(path: str | os.PathLike[str], text: str) -> None:
    """Append Markdown to the summary of a step: all that is there stays, and what would be too long is cut at a line.

    Where the disk is full, what was written of it is taken away again.
    """
    check_writable(path)
    try:
        with open(path, "ab", buffering=0) as stream:  # noqa: PTH123 - the name is as the user wrote it
            if is_special(path):
                _write_all(stream.write, text.encode("utf-8", "backslashreplace"))
                return
            before = os.fstat(stream.fileno()).st_size
            apart = _gap(path, before)
            content = _within(text, MAX_SUMMARY_BYTES - before - len(apart))
            if not content:
                return
            try:
                _write_all(stream.write, apart + content)
            except OSError:
                os.ftruncate(stream.fileno(), before)
                raise
    except OSError as error:
        raise _cannot_append(path, error) from error


def _gap(path: str | os.PathLike[str], size: int) -> bytes:
    """Return the empty line that must stand between what is there and a heading."""
    if not size:
        return b""
    with open(path, "rb") as stream:  # noqa: PTH123
        stream.seek(max(size - 2, 0))
        end = stream.read(2)
    return b"" if end == b"\n\n" else b"\n" if end.endswith(b"\n") else b"\n\n"


def _within(text: str, room: int) -> bytes:
    """Return a text in so many bytes: the lines that fit and a sentence, or nothing where not even a line does."""
    whole = text.encode("utf-8", "backslashreplace")
    if len(whole) <= room:
        return whole
    left = room - len(_CUT) - 1
    kept = []
    for line in whole.splitlines(keepends=True):
        left -= len(line)
        if left < 0:
            break
        kept.append(line)
    return b"".join([*kept, b"\n", _CUT.encode()]) if kept else b""


def _write_all(write: Callable[[bytes], int | None], content: bytes) -> None:
    """Write bytes, also where the system takes them in parts."""
    while content:
        content = content[write(content) or 0 :]


# -- the outputs of a step ----------------------------------------------------------------------------------


def append_outputs(path: str | os.PathLike[str], gate: Gate) -> None:
    """Append what later steps ask for, to the file that GitHub reads: outcome, exit-code and headline."""
    outputs = {"outcome": gate.outcome, "exit-code": str(gate.exit_code), "headline": gate.headline}
    end = f"end_{_word_for(gate.headline)}"
    text = "".join(f"{name}<<{end}\n{value}\n{end}\n" for name, value in outputs.items())
    check_writable(path)
    try:
        with open(path, "ab") as stream:  # noqa: PTH123 - the name is as the user wrote it
            stream.write(text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        raise _cannot_append(path, error) from error


def _word_for(text: str) -> str:
    """Return a word that a text does not hold: no text can hold its own digest."""
    import hashlib

    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


def _cannot_append(path: str | os.PathLike[str], error: OSError) -> UnreadableFileError:
    return UnreadableFileError(
        f"Cannot append to {shorten_path(path)}: {error.strerror or error}.", hint="make room there."
    )


# -- annotations ---------------------------------------------------------------------------------------------


def annotation_lines(gate: Gate) -> list[str]:
    """Return the lines by which GitHub marks a run: errors for what fails it, warnings for what is undecided and warns.

    There are at most ten, since GitHub shows no more; the last of them says how many are missing.

    Examples
    --------
    >>> import ropewalk as rw
    >>> y = [1, 0] * 200
    >>> gate = rw.gate(y, [1, 1] * 200, y, metric="accuracy", require="not-worse", margin=0.02, rng=0)
    >>> [line.split(":: ")[0].split(" by ")[0] for line in annotation_lines(gate)]
    ['::error title=ropewalk gate%3A FAIL::A is worse']
    """
    order = sorted(gate, key=lambda check: WORST_FIRST.index(check.outcome))
    marked = [(kind, check) for check in order if (kind := _kind(check, gate))]
    shown = marked if len(marked) <= MAX_ANNOTATIONS else marked[: MAX_ANNOTATIONS - 1]
    lines = [_command(kind, f"ropewalk gate: {TAGS[check.outcome]}", _told(check, gate)) for kind, check in shown]
    if len(shown) < len(marked):
        rest = [kind for kind, _ in marked[len(shown) :]]
        more = f"{count_of(len(rest), 'more requirement')} not met; the summary of the step lists them."
        lines.append(_command(min(rest), f"ropewalk gate: {gate.tag}", more))  # an error before a warning
    return lines


def _kind(check: Check, gate: Gate) -> str:
    """Return which annotation a check has; nothing where it passes."""
    if check.outcome == "undecided":
        return {"fail": "error", "warn": "warning", "pass": ""}[gate.on_undecided]
    return "error" if check.outcome == "contradicted" else ""


def _told(check: Check, gate: Gate) -> str:
    """Return in a line what came out of a check."""
    told = f"{found(check, _plain)}: {difference(check)}"
    if check.outcome == "undecided":
        told += f"; {_plain(check.reason)} ({treated(gate)})"
    return f"{told}, seed {gate.seed}."


def _plain(text: str) -> str:
    return isolated(brief(text, _MAX_NAME))


def _command(kind: str, title: str, message: str) -> str:
    r"""Return a line that GitHub takes for a command, with what has a meaning in it escaped.

    Examples
    --------
    >>> _command("error", "a: b, c", "50% of it\nnot ::this::")
    '::error title=a%3A b%2C c::50%25 of it%0Anot ::this::'
    """
    return f"::{kind} title={_escaped(title, ':,')}::{_escaped(brief(message, _MAX_LINE))}"


def _escaped(text: str, also: Iterable[str] = ()) -> str:
    for sign in ("%", "\r", "\n", *also):  # the first one first, since the others are written by it
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text


# -- what is printed -----------------------------------------------------------------------------------------


def without_commands(text: str) -> str:
    r"""Return a text for the log of a step in which GitHub takes no line for a command: names may look like one.

    A text that holds none is returned as it is.

    Examples
    --------
    >>> print(without_commands("PASS"))
    PASS
    >>> without_commands("\n  ::set-output name=a::b").count("::stop-commands::")
    1
    """
    if "##[" not in text and not any(line.lstrip().startswith("::") for line in text.splitlines()):
        return text
    word = _word_for(text)
    ending = "" if text.endswith("\n") else "\n"
    return f"::stop-commands::{word}\n{text}{ending}::{word}::"
