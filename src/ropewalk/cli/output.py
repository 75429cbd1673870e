"""Between a result and a terminal: what goes to stdout, what to stderr, and what to files."""

from __future__ import annotations

import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict, TypeVar

import click

from ropewalk._files import check_writable, is_special, shorten_path, write_file, write_text
from ropewalk._optional import require
from ropewalk.data.patterns import files_of, is_pattern
from ropewalk.errors import InvalidInputError, RopewalkWarning
from ropewalk.report.document import Document, describe
from ropewalk.report.terminal import (
    COLOURED,
    PLAIN,
    Screen,
    body,
    columns_here,
    in_ascii,
    remark_lines,
    wants_colour,
)
from ropewalk.results import Rendered
from ropewalk.results.options import GROUPS, Option
from ropewalk.text.remarks import in_shell
from ropewalk.text.writing import told, visible

T = TypeVar("T")
R = TypeVar("R", bound=Rendered)

DATA, QUESTION, DECISION, OUTPUT, ADVANCED = (partial(Option, group=heading) for heading in GROUPS)
"""Options of a command, under their headings of the help."""

INPUT_FILE: Final = partial(DATA, metavar="FILE", is_input=True)

_FORMATS: Final = {
    "json": Rendered.to_json,
    "markdown": Rendered.to_markdown,
    "latex": Rendered.to_latex,
    "sentence": Rendered.sentence,
}
"""The options that choose what is printed, and what does it."""

_HAVE_COLUMNS: Final = ("markdown", "latex")
"""Of these, the ones that have columns."""

PICTURES: Final = (".png", ".svg", ".pdf")
"""What a picture can be written as, by the end of its name."""

WRITTEN: Final = "OUT"
"""What the help calls a file to write; the options that take one are guarded by it."""

_ON_PAGE: Final = ("title", "note")
"""What users may say on a page in their own words."""


@dataclass(slots=True)
class Taken:
    """What a caller that is no shell takes of a command in place of what is printed: answers, and notes on the data."""

    answers: list[Rendered] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


TAKEN: Final = "taken"
"""The key of a context's `meta` under which such a caller keeps what it takes."""


class JsonOption(TypedDict, total=False):
    """Data instead of text."""

    json: Annotated[bool, OUTPUT(help="Print JSON.", parse=bool)]


class OutputOptions(JsonOption, total=False):
    """The form of an answer."""

    markdown: Annotated[bool, OUTPUT(help="Print a Markdown table.", parse=bool)]
    latex: Annotated[bool, OUTPUT(help="Print a LaTeX table.", parse=bool)]
    sentence: Annotated[bool, OUTPUT(help="Print the sentence for a paper.", parse=bool)]
    papers: Annotated[bool, OUTPUT(help="The columns of the papers' tables, in text, Markdown and LaTeX.", parse=bool)]
    details: Annotated[bool, OUTPUT(help="Method, prior, Bayes factor, Monte Carlo error too.", parse=bool)]
    html: Annotated[str, OUTPUT(help="Also write an HTML page.", metavar=WRITTEN)]
    plot: Annotated[str, OUTPUT(help="Also draw a picture: .png, .svg or .pdf.", metavar=WRITTEN)]
    title: Annotated[str, OUTPUT(help="What the page is called.", metavar="TEXT")]
    note: Annotated[str, OUTPUT(help="A remark of yours on the page.", metavar="TEXT")]


def check_output(options: Mapping[str, Any], inputs: Iterable[str], outputs: Mapping[str, str]) -> None:
    """Refuse, before any work, two formats, or a file that cannot be written or would overwrite what is read.

    `inputs` are the files and folders that the command reads, `outputs` the flags of the files that it writes, by name.
    """
    if sum(name in options for name in _FORMATS) > 1:
        raise InvalidInputError(
            "--json, --markdown, --latex and --sentence exclude each other; give one.", hint="leave the others out."
        )
    if "html" not in options:
        for part in _ON_PAGE:
            if part in options:
                raise InvalidInputError(f"--{part} is for a page.", hint="write one by --html FILE.")
    if "plot" in options and Path(options["plot"]).suffix.lower() not in PICTURES:
        raise InvalidInputError(
            f"--plot writes {', '.join(PICTURES)}; got {told(options['plot'])}.", hint="name the file picture.svg."
        )
    data, written = tuple(inputs), {flag: options[name] for name, flag in outputs.items() if name in options}
    for flag, file in written.items():
        _check_file(flag, file, data)
    regular = {flag: os.path.realpath(file) for flag, file in written.items() if not is_special(file)}
    for flag, place in regular.items():
        same = [other for other, its_place in regular.items() if its_place == place]
        if len(same) > 1:
            raise InvalidInputError(
                f"{' and '.join(same)} name the same file: {written[flag]!r}.", hint="name another file."
            )
    if "plot" in options:
        require("matplotlib", extra="plot", caller="--plot")


def _check_file(flag: str, file: str, inputs: Iterable[str]) -> None:
    """Refuse a file that cannot be written, or would overwrite what is read or printed."""
    if file == "-":
        raise InvalidInputError(
            f"{flag} takes the name of a file; got '-'.", hint=f"{flag} /dev/stdout writes to standard output."
        )
    if file.startswith("-"):
        raise InvalidInputError(
            f"{flag} takes the name of a file; got {told(file)}.", hint=f"name it before the next option: {flag} FILE."
        )
    check_writable(file)
    if is_special(file) or not Path(file).exists():
        return
    if any(map(partial(_is_in, file), inputs)):
        raise InvalidInputError(f"{flag} {shorten_path(file)} would overwrite the data.", hint="name another file.")
    if _is_stdout(file):
        raise InvalidInputError(
            f"{flag} {shorten_path(file)} is where the answer is printed.", hint="name another file."
        )


def _is_in(file: str, read: str) -> bool:
    """Whether a file that is there is the one that is read, or lies in a folder that is read, or fits a pattern."""
    try:
        if is_pattern(read):
            return any(_is_in(file, found) for found in files_of(read))
        place = Path(read)
        if place.is_dir():
            return Path(os.path.realpath(file)).is_relative_to(os.path.realpath(place))
        return place.exists() and Path(file).samefile(place)
    except (OSError, ValueError):  # words, which are no path
        return False


def _is_stdout(file: str) -> bool:
    try:
        return os.path.samestat(os.stat(file), os.fstat(sys.stdout.fileno()))  # noqa: PTH116
    except (OSError, ValueError, AttributeError):  # it is no file: a test reads it, or there is none
        return False


def answer(options: Mapping[str, Any], function: Callable[..., R], *data: Any, **question: Any) -> R:
    """Ask, and print the answer to stdout in the chosen format, its warnings and hints to stderr; write the page."""
    meta = click.get_current_context().meta
    result, flags = quietly(lambda: function(*data, **question)), meta["flags"]
    if TAKEN in meta:
        meta[TAKEN].answers.append(result)
        return result
    chosen = next((name for name in _FORMATS if name in options), None)
    papers = {"papers": True} if "papers" in options and chosen in _HAVE_COLUMNS else {}
    document = describe(result)
    text = _FORMATS[chosen](result, **papers) if chosen else _text(document, flags, options)
    if "github" in options and chosen != "json":  # where no name begins a line
        from ropewalk.report.github import without_commands

        text = without_commands(text)
    # Files come first, since stdout stays empty where something goes wrong.
    written = [name for name in _WRITERS if name in options]
    for name in written:
        _WRITERS[name](result, options)
    with deciding(result):
        echo(text.rstrip("\n"))
    for name in written:
        echo(f"Wrote {visible(options[name])}", err=True)
    for line in remark_lines(document, ("Hint", "Warning"), flags):
        echo(line, err=True)
    if getattr(result, "partial", False):  # stopped early: there is an answer, and the code says so
        sys.exit(128 + signal.SIGINT)
    return result


@contextmanager
def deciding(result: Any) -> Iterator[None]:
    """Let an answer that has an exit code keep it where nobody reads what is printed: `| head` must not make it 0."""
    try:
        yield
    except BrokenPipeError as error:
        error.exit_code = getattr(result, "exit_code", 0)  # type: ignore[attr-defined]
        raise


def is_machine_readable(options: Mapping[str, Any]) -> bool:
    """Whether stdout holds what a program or a paper takes, so that nothing else may be printed there."""
    return any(name in options for name in _FORMATS)


def _write_items(result: Any, options: Mapping[str, Any]) -> None:
    result.items().to_csv(options["items"])


def _write_page(result: Rendered, options: Mapping[str, Any]) -> None:
    result.to_html(options["html"], **{part: options[part] for part in _ON_PAGE if part in options})


def _write_picture(result: Rendered, options: Mapping[str, Any]) -> None:
    _draw(result, options["plot"])


def _write_junit(result: Any, options: Mapping[str, Any]) -> None:
    from ropewalk.report.junit import junit

    write_text(options["junit"], junit(result))


def _append_summary(result: Any, options: Mapping[str, Any]) -> None:
    from ropewalk.report.github import append_outputs, append_summary, step_summary

    append_summary(options["github"], step_summary(result))
    if outputs := os.environ.get("GITHUB_OUTPUT"):
        append_outputs(outputs, result)


_WRITERS: Final[dict[str, Callable[[Any, Mapping[str, Any]], None]]] = {
    "items": _write_items,  # first, since the data are read once more, and may refuse
    "html": _write_page,
    "plot": _write_picture,
    "junit": _write_junit,
    "github": _append_summary,
}
"""What writes each file that a line may ask for beside the answer."""


def _text(document: Document, flags: Mapping[str, str], options: Mapping[str, Any]) -> str:
    """Return the answer and its notes as this terminal shows them."""
    style = COLOURED if wants_colour(sys.stdout) else PLAIN
    screen = Screen(columns_here(), style, "details" in options, "papers" in options)
    notes = remark_lines(document, ("Assumes", "Note"), flags, screen.columns)
    return "\n".join([body(document, screen), *(["", *notes] if notes else [])])


def echo(text: str, *, err: bool = False) -> None:
    """Print lines; without UTF-8 by signs that every terminal has."""
    stream = sys.stderr if err else sys.stdout
    known = (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf")
    with suppress(OSError) if err else nullcontext():  # stderr is not the answer
        click.echo(text if known else in_ascii(text), err=err, color=True)


def _draw(result: Rendered, path: str) -> None:
    """Draw the picture of a result into a file, whole or not at all."""
    require("matplotlib", extra="plot", caller="--plot").use("Agg")
    drawn, picture = result.plot(), io.BytesIO()
    figure = next(iter(drawn.flat if hasattr(drawn, "flat") else [drawn])).figure
    kind = Path(path).suffix.lower().removeprefix(".")
    # Without a date the same answer gives the same file.
    plain = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with require("matplotlib", extra="plot", caller="--plot").rc_context({"svg.hashsalt": "ropewalk"}):
        figure.savefig(picture, format=kind, dpi=200, metadata=plain)
    require("matplotlib.pyplot", extra="plot", caller="--plot").close(figure)
    write_file(path, picture.getvalue())


def quietly(call: Callable[[], T]) -> T:
    """Run what draws, without Python's own warnings: the result carries them, and `answer` prints them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RopewalkWarning)
            return call()
    except MemoryError as error:
        text = "There is not enough memory for this."
        raise InvalidInputError(text, hint="ask for fewer --draws, or about fewer classes.") from error


def with_notes(call: Callable[[], T], *, said_later: type[RopewalkWarning] | None = None) -> T:
    """Run what reads data, and say on stderr what is to be known of them, but for what the answer says itself."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RopewalkWarning)
        if said_later is not None:
            warnings.simplefilter("ignore", said_later)
        result = call()
    flags = click.get_current_context().meta["flags"]
    for message in (warning.message for warning in caught):
        say_note(visible(in_shell(message if isinstance(message, str) else message.args[0], flags)))
    return result


def say_note(text: str) -> None:
    """Say on stderr what is to be known beside the answer, or let a caller that is no shell take it."""
    meta = click.get_current_context().meta
    if TAKEN in meta:
        meta[TAKEN].notes.append(text)
    else:
        echo(f"Note      {text}", err=True)
