"""Between a result and a terminal: what goes to stdout, what to stderr, and what to files."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final, TypedDict, TypeVar

import click

from ropewalk.errors import InvalidInputError, RopewalkWarning, UnreadableFileError
from ropewalk.report import body, remark_lines
from ropewalk.report.terminal import COLOURED, PLAIN, Screen, columns_here, in_ascii, wants_colour
from ropewalk.results import Rendered
from ropewalk.results.options import GROUPS, Option
from ropewalk.text.writing import visible

T = TypeVar("T")

DATA, QUESTION, DECISION, MODEL, DRAWING, OUTPUT = (partial(Option, group=heading) for heading in GROUPS)
"""Options of a command, under their headings of the help."""

INPUT_FILE: Final = partial(DATA, metavar="FILE", is_input=True)

_FORMATS: Final = {
    "json": Rendered.to_json,
    "markdown": Rendered.to_markdown,
    "latex": Rendered.to_latex,
    "sentence": Rendered.sentence,
}
"""The options that choose what is printed, and what does it."""


_ON_PAGE: Final = ("title", "note")
"""What users may say on a page in their own words."""


class JsonOption(TypedDict, total=False):
    """Data instead of text."""

    json: Annotated[bool, OUTPUT(help="Print JSON.", parse=bool)]


class OutputOptions(JsonOption, total=False):
    """The form of an answer."""

    markdown: Annotated[bool, OUTPUT(help="Print a Markdown table.", parse=bool)]
    latex: Annotated[bool, OUTPUT(help="Print a LaTeX table.", parse=bool)]
    sentence: Annotated[bool, OUTPUT(help="Print the sentence for a paper.", parse=bool)]
    details: Annotated[bool, OUTPUT(help="Method, prior, Bayes factor, Monte Carlo error too.", parse=bool)]
    html: Annotated[str, OUTPUT(help="Also write an HTML page.", metavar="OUT")]
    title: Annotated[str, OUTPUT(help="What the page is called.", metavar="TEXT")]
    note: Annotated[str, OUTPUT(help="A remark of yours on the page.", metavar="TEXT")]


def check_output(options: Mapping[str, Any], inputs: Iterable[str]) -> None:
    """Refuse, before any work, two formats, or a page that cannot be written or would overwrite what is read."""
    if sum(name in options for name in _FORMATS) > 1:
        raise InvalidInputError("--json, --markdown, --latex and --sentence exclude each other; give one.")
    if "html" not in options:
        for part in _ON_PAGE:
            if part in options:
                raise InvalidInputError(f"--{part} is for a page.", hint="write one by --html FILE.")
        return
    html: str = options["html"]
    folder = Path(html).parent
    if Path(html).is_dir() or not html:
        raise UnreadableFileError(f"Cannot write {html!r}: it is a folder.", hint="name a file in it.")
    if not folder.is_dir():
        raise UnreadableFileError(f"Cannot write {html!r}: there is no folder {str(folder)!r}.")
    if not os.access(folder, os.W_OK):
        raise UnreadableFileError(f"Cannot write {html!r}: the folder {str(folder)!r} is read-only.")
    if Path(html).exists() and any(Path(file).exists() and Path(html).samefile(file) for file in inputs):
        raise InvalidInputError(f"--html {html!r} would overwrite the data.", hint="name another file.")


def answer(options: Mapping[str, Any], function: Callable[..., Rendered], *data: Any, **question: Any) -> None:
    """Ask, and print the answer to stdout in the chosen format, its warnings and hints to stderr; write the page."""
    result, flags = quietly(lambda: function(*data, **question)), click.get_current_context().meta["flags"]
    chosen = next((name for name in _FORMATS if name in options), None)
    text = _FORMATS[chosen](result) if chosen else _text(result, flags, details="details" in options)
    if "html" in options:  # first, since stdout stays empty where something goes wrong
        result.to_html(options["html"], **{part: options[part] for part in _ON_PAGE if part in options})
    echo(text.rstrip("\n"))
    if "html" in options:
        click.echo(f"Wrote {visible(options['html'])}", err=True)
    for line in remark_lines(result, ("Hint", "Warning"), flags):
        echo(line, err=True)
    if getattr(result, "partial", False):  # stopped early: there is an answer, and the code says so
        sys.exit(128 + signal.SIGINT)


def _text(result: Rendered, flags: Mapping[str, str], *, details: bool) -> str:
    """Return the answer and its notes as this terminal shows them."""
    screen = Screen(columns_here(), COLOURED if wants_colour(sys.stdout) else PLAIN, details)
    notes = remark_lines(result, ("Assumes", "Note"), flags, screen.columns)
    return "\n".join([body(result, screen), *(["", *notes] if notes else [])])


def echo(text: str, *, err: bool = False) -> None:
    """Print lines; without UTF-8 by signs that every terminal has."""
    stream = sys.stderr if err else sys.stdout
    known = (stream.encoding or "utf-8").lower().replace("-", "").startswith("utf")
    click.echo(text if known else in_ascii(text), err=err, color=True)


def quietly(call: Callable[[], T]) -> T:
    """Run without Python's own warnings: the result carries them, and `answer` prints them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RopewalkWarning)
        return call()


def with_notes(call: Callable[[], T]) -> T:
    """Run what reads data, and say on stderr which items were left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RopewalkWarning)
        result = call()
    for warning in caught:
        click.echo(f"Note     {visible(str(warning.message))}", err=True)
    return result
