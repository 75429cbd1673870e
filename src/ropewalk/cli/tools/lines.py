"""From the arguments of a tool to the line of its command, and back from a line that is suggested."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ropewalk._files import is_special, shorten_path
from ropewalk.cli.doctor.finding import argument_of
from ropewalk.cli.tools.offered import PATH, Tool, argument_name
from ropewalk.data.patterns import is_pattern
from ropewalk.errors import InvalidInputError, UnreadableFileError
from ropewalk.results.options import Option
from ropewalk.text.writing import did_you_mean, told

MAX_PATHS: Final = 1_000


def line_of(tool: Tool, arguments: Mapping[str, Any]) -> list[str]:
    """Return the line of a command that says what the arguments of a tool say; null says nothing.

    Examples
    --------
    >>> from ropewalk.cli.tools.offered import tools
    >>> line_of(tools()["compare"], {"path": "p.csv", "truth": "y", "a": "-new", "rope": 0.01, "per_class": True})
    ['compare', 'p.csv', '--truth', 'y', '--a=-new', '--rope', '0.01', '--per-class']
    """
    known, line = tool.arguments, [tool.command or tool.name]
    for key, value in arguments.items():
        argument = argument_name(str(key))
        if value is None:
            continue
        if argument == PATH and tool.takes_path:
            line += map(argument_of, paths_of(value))
        elif argument in known:
            name, option = known[argument]
            line += _part(tool.asked_of.flags[name], argument, option, value)
        else:
            there = [*([PATH] if tool.takes_path else []), *known]
            raise InvalidInputError(
                f"{tool.name} takes no argument {told(key)}.",
                hint=did_you_mean(argument, there) + f"it takes: {', '.join(there)}.",
            )
    return line


def paths_of(value: Any) -> list[str]:
    """Return one path, or several, of what can be read again: no stream, no device and no address of a network."""
    several = value if isinstance(value, list) else [value]
    if not several or len(several) > MAX_PATHS or not all(isinstance(path, str) for path in several):
        raise InvalidInputError(f"path must be a text, or a list of texts; got {told(value)}.", hint="name a file.")
    for path in several:
        check_place(path)
    return several


def check_place(path: str) -> None:
    """Refuse what is no file, folder or pattern of this machine."""
    if path == "-" or "://" in path or (not is_pattern(path) and is_special(path)):
        raise UnreadableFileError(
            f"Only files, folders and patterns can be read here; got {shorten_path(path)}.", hint="name a file."
        )


def arguments_of(tool: Tool, words: Sequence[str]) -> dict[str, Any] | None:
    """Return the arguments of a tool that say what the words of a line say; None where one is no argument of it."""
    command, known = tool.asked_of, {name for name, _ in tool.arguments.values()}
    said = command.make_context(command.name, list(words)).params
    arguments: dict[str, Any] = {}
    for name, option in command.options.items():
        value = said[name]
        if not value:
            continue
        if not command.flags[name].startswith("-") and name != "scenario":
            arguments.setdefault(PATH, []).extend([value] if isinstance(value, str) else value)
        elif name not in known:
            return None
        elif option.parse is bool:
            arguments[argument_name(command.flags[name])] = True
        else:
            arguments[argument_name(command.flags[name])] = value if isinstance(value, str) else value[-1]
    if len(arguments.get(PATH, ())) == 1:
        arguments[PATH] = arguments[PATH][0]
    return arguments


def _part(flag: str, argument: str, option: Option, value: Any) -> Iterator[str]:
    """Yield the words that give an option a value."""
    if option.parse is bool:
        if not isinstance(value, bool):
            raise InvalidInputError(f"{argument} must be true or false; got {told(value)}.", hint="leave it out.")
        yield from [flag] if value else []
        return
    for one in value if option.several and isinstance(value, list) else [value]:
        text = _text(argument, one)
        if option.is_input and (argument != "scenario" or os.path.lexists(text) or text == "-"):
            check_place(text)
        if not flag.startswith("-"):
            yield _by_place(text)
        elif text.startswith("-") or not text:
            yield f"{flag}={text}"
        else:
            yield from (flag, text)


def _by_place(text: str) -> str:
    """Return a text that no command takes for an option."""
    return argument_of(text) if Path(text).exists() else f" {text}" if text.startswith("-") else text


def _text(argument: str, value: Any) -> str:
    """Return a value of JSON as a line has it: lists with commas, a mapping as NAME=VALUE."""
    if isinstance(value, Mapping):
        return _joined([f"{name}={_text(argument, part)}" for name, part in value.items()])
    if isinstance(value, list):
        return _joined([_text(argument, part) for part in value])
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, bool | int | float):
        return str(value)
    if isinstance(value, str):
        return value
    raise InvalidInputError(f"{argument} cannot be {told(value)}.", hint="give a text, a number or a list of these.")


def _joined(parts: Sequence[str]) -> str:
    """Return parts with commas between them, quoted as `parse_texts` reads them."""
    text = io.StringIO()
    csv.writer(text, lineterminator="").writerow(parts)
    return text.getvalue()
