"""Between a result and a terminal: what goes to stdout, what to stderr, and which exit code."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn, TypeVar

import typer

from ropewalk.cli.shell import FLAGS
from ropewalk.errors import InvalidInputError, RopewalkError, RopewalkWarning, UnreadableFileError
from ropewalk.report import body, remark_lines
from ropewalk.results import Rendered
from ropewalk.text.names import visible
from ropewalk.text.options import in_shell

T = TypeVar("T")

INTERRUPTED: Final = 130  # what a shell calls a program that Ctrl-C stopped


def fail(error: RopewalkError) -> NoReturn:
    """Say what is wrong and what to do on stderr, and exit with the error's code."""
    lines = [f"Error: {visible(in_shell(error.message, FLAGS))}"]
    if error.hint:
        lines.append(f"Hint: {visible(in_shell(error.hint, FLAGS))}")
    typer.echo("\n".join(lines), err=True)
    sys.exit(error.exit_code)


def check_out(html: str | None, *inputs: str | None) -> None:
    """Refuse, before any work, a page that cannot be written, or that would be written over the data it is about."""
    if html is None:
        return
    folder = Path(html).parent
    if Path(html).is_dir() or not html:
        raise UnreadableFileError(f"Cannot write {html!r}: it is a folder.", hint="name a file in it.")
    if not folder.is_dir():
        raise UnreadableFileError(f"Cannot write {html!r}: there is no folder {str(folder)!r}.")
    if not os.access(folder, os.W_OK):
        raise UnreadableFileError(f"Cannot write {html!r}: the folder {str(folder)!r} is read-only.")
    if not Path(html).exists():
        return
    for source in inputs:
        if source is not None and Path(source).exists() and Path(html).samefile(source):
            raise InvalidInputError(f"--html {html!r} would overwrite the data.", hint="name another file.")


def emit(result: Rendered, show: Callable[[Rendered], str], html: str | None) -> None:
    """Print the result to stdout, what else there is to say to stderr."""
    typer.echo(show(result).rstrip("\n"))
    if html is not None:  # last, so that an answer is not lost for want of a disk
        result.to_html(html)
        typer.echo(f"Wrote {visible(html)}", err=True)
    for line in remark_lines(result, ("Hint", "Warning")):
        typer.echo(line, err=True)


def quietly(call: Callable[[], T]) -> T:
    """Run without Python's own warnings: the result carries them, and `emit` prints them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RopewalkWarning)
        return call()


def reading(call: Callable[[], T]) -> T:
    """Run what reads data, and say on stderr which items were left out."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", RopewalkWarning)
        result = call()
    for warning in caught:
        typer.echo(f"Note     {visible(str(warning.message))}", err=True)
    return result


def output_format(*, as_json: bool, markdown: bool, latex: bool) -> Callable[[Rendered], str]:
    """Return how to write a result to stdout."""
    if as_json + markdown + latex > 1:
        raise InvalidInputError("--json, --markdown and --latex exclude each other; give one.")
    if as_json:
        return lambda result: result.to_json()
    if markdown:
        return lambda result: result.to_markdown()
    if latex:
        return lambda result: result.to_latex()
    return lambda result: "\n".join([body(result), *remark_lines(result, ("Assumes", "Note"))])


def require(said: dict[str, str | None], names: tuple[str, ...]) -> dict[str, str]:
    """Return the options that this form of the command cannot do without."""
    absent = [f"--{name}" for name in names if said[name] is None]
    if absent:
        raise InvalidInputError(f"Missing option {', '.join(absent)}.", hint="ropewalk compare --help lists them.")
    return {name: value for name in names if (value := said[name]) is not None}


def idle(said: dict[str, str | None], form: str, names: tuple[str, ...]) -> None:
    """Refuse options that this form of the command would pass over in silence."""
    for name in names:
        if said[name] is not None:
            raise InvalidInputError(f"--{name} does not go with {form}.", hint="leave it out.")
