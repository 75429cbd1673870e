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
from ropewalk.results import Rendered
from ropewalk.results.options import GROUPS, Option
from ropewalk.text.writing import visible

T = TypeVar("T")

DATA, QUESTION, DECISION, MODEL, DRAWING, OUTPUT = (partial(Option, group=heading) for heading in GROUPS)
"""Options of a command, under their headings of the help."""

INPUT_FILE: Final = partial(DATA, metavar="FILE", is_input=True)

_FORMATS: Final = ("json", "markdown", "latex")
_FILES: Final = ("html", "items")


class JsonOption(TypedDict, total=False):
    """Data instead of text."""

    json: Annotated[bool, OUTPUT(help="Print JSON.", parse=bool)]


class OutputOptions(JsonOption, total=False):
    """The form of an answer."""

    markdown: Annotated[bool, OUTPUT(help="Print a Markdown table.", parse=bool)]
    latex: Annotated[bool, OUTPUT(help="Print a LaTeX table.", parse=bool)]
    html: Annotated[str, OUTPUT(help="Also write an HTML page.", metavar="OUT")]


def check_output(options: Mapping[str, Any], inputs: Iterable[str]) -> None:
    """Refuse, before any work, two formats, or a file that cannot be written or would overwrite what is read."""
    if sum(name in options for name in _FORMATS) > 1:
        raise InvalidInputError("--json, --markdown and --latex exclude each other; give one.")
    data, written = tuple(inputs), [name for name in _FILES if name in options]
    for name in written:
        _check_file(name, options[name], data)
    if len({Path(options[name]).absolute() for name in written}) < len(written):
        raise InvalidInputError(
            f"--{' and --'.join(written)} name the same file: {options[written[0]]!r}.", hint="name two."
        )


def _check_file(name: str, file: str, inputs: Iterable[str]) -> None:
    """Refuse a file that cannot be written or would overwrite what is read."""
    folder = Path(file).parent
    if Path(file).is_dir() or not file:
        raise UnreadableFileError(f"Cannot write {file!r}: it is a folder.", hint="name a file in it.")
    if not folder.is_dir():
        raise UnreadableFileError(f"Cannot write {file!r}: there is no folder {str(folder)!r}.")
    if not os.access(folder, os.W_OK):
        raise UnreadableFileError(f"Cannot write {file!r}: the folder {str(folder)!r} is read-only.")
    if Path(file).exists() and any(Path(read).exists() and Path(file).samefile(read) for read in inputs):
        raise InvalidInputError(f"--{name} {file!r} would overwrite the data.", hint="name another file.")


def answer(options: Mapping[str, Any], function: Callable[..., Rendered], *data: Any, **question: Any) -> None:
    """Ask, and print the answer to stdout in the chosen format, its warnings and hints to stderr; write the page."""
    result, flags = quietly(lambda: function(*data, **question)), click.get_current_context().meta["flags"]
    chosen = next((name for name in _FORMATS if name in options), None)
    if chosen is None:
        text = "\n".join([body(result), *remark_lines(result, ("Assumes", "Note"), flags)])
    else:
        text = getattr(result, f"to_{chosen}")()
    # Files come first, since stdout stays empty where something goes wrong.
    if "items" in options:  # the data are read once more, and may refuse
        result.items().to_csv(options["items"])  # type: ignore[attr-defined]
    if "html" in options:
        result.to_html(options["html"])
    click.echo(text.rstrip("\n"))
    for name in _FILES:
        if name in options:
            click.echo(f"Wrote {visible(options[name])}", err=True)
    for line in remark_lines(result, ("Hint", "Warning"), flags):
        click.echo(line, err=True)
    if getattr(result, "partial", False):  # stopped early: there is an answer, and the code says so
        sys.exit(128 + signal.SIGINT)


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
