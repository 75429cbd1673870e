"""Options that a repository keeps in a TOML file, as those of its gate: a line takes what it does not say itself."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click

from ropewalk._files import shorten_path
from ropewalk.cli.output import WRITTEN, say_note
from ropewalk.data.opening import read_text
from ropewalk.errors import FileFormatError, InvalidInputError, RopewalkError, UnreadableFileError
from ropewalk.results.options import Option
from ropewalk.text.writing import did_you_mean, reason, told, visible

PROJECT_FILE: Final = "pyproject.toml"
MAX_CONFIG_BYTES: Final = 1 << 20
_TABLES: Final = ("tool", "ropewalk")
_FORMATS: Final = ("json", "markdown", "latex", "sentence")
_MANY_PARTS: Final = re.compile(r"(?:[^\s.=\[\]{}#,]+\s*\.\s*){64}")  # of a dotted key, which takes long to read
_PATHS: Final = {"FILE", WRITTEN}


def with_config(
    values: Mapping[str, Any], command: str, options: Mapping[str, Option], flags: Mapping[str, str]
) -> dict[str, Any]:
    """Return the values of a line, with those of the configuration file where the line has none.

    The file is the one that --config names, else the nearest `pyproject.toml` upwards, where it has a section for this
    command. Values are read as the same options of a line are.
    """
    named = values["config"][0] if values["config"] else None
    if named is None and click.get_current_context().obj.get("only_named"):  # a server has no folder of its own
        return dict(values)
    path = _nearest() if named is None else Path(named)
    section = None if path is None else _section(path, command, required=named is not None)
    if path is None or section is None:
        return dict(values)
    filled, taken = dict(values), []
    by_key = {flag.removeprefix("--") if flag.startswith("--") else name: name for name, flag in flags.items()}
    seen: set[str] = set()
    for key, value in section.items():
        name = by_key.get(key.replace("_", "-"))
        if name in seen:
            raise InvalidInputError(
                f"{shorten_path(path)} gives {told(key)} twice under {_title(command)}.", hint="give it once."
            )
        seen |= {name} if name is not None else set()
        if name is None or name == "config":
            raise InvalidInputError(
                f"{shorten_path(path)} has {told(key)} under {_title(command)}, and there is no such option.",
                hint=did_you_mean(key, by_key) + f"ropewalk {command} --help lists the options, without dashes here.",
            )
        if not filled[name] and not _is_replaced(name, values):
            said = _as_given(value, options[name], f"{key} of {_title(command)} in {shorten_path(path)}")
            given = said if isinstance(said, int) else tuple(_placed(x, options[name], path.parent) for x in said)
            filled[name] = given[0] if isinstance(given, tuple) and not flags[name].startswith("-") else given
            taken.append(key)
    filled["config"] = (str(path),)  # which no output may overwrite
    if taken:
        say_note(f"{_title(command)} of {visible(str(path))} says: {', '.join(taken)}.")
    return filled


def _is_replaced(name: str, values: Mapping[str, Any]) -> bool:
    """Whether the requirements of a line say all that an option of the file would."""
    from ropewalk.gating.requirements import all_state

    if name in _FORMATS:
        return any(values.get(other) for other in _FORMATS)
    required = values.get("require")
    return name in {"margin", "metric"} and bool(required) and all_state(required, name)


def _placed(text: Any, option: Option, folder: Path) -> Any:
    """Return a path as it is from here: that of a file is meant from the folder of the configuration."""
    names_file = option.is_input or option.metavar in _PATHS
    if not names_file or not isinstance(text, str) or text in {"", "-"} or "://" in text or folder == Path.cwd():
        return text
    return str(folder / text)


def _title(command: str) -> str:
    return f"[{'.'.join((*_TABLES, command))}]"


def _nearest() -> Path | None:
    """Return the nearest project file, here or in a folder above."""
    here = Path.cwd()
    return next((file for folder in (here, *here.parents) if (file := folder / PROJECT_FILE).is_file()), None)


def _section(path: Path, command: str, *, required: bool) -> Mapping[str, Any] | None:
    """Return the section of a command; None where a file that nobody named has none."""
    try:
        text = read_text(path, MAX_CONFIG_BYTES)
        if _MANY_PARTS.search(text):
            raise ValueError("a key has too many parts")  # noqa: TRY301
        content: Any = tomllib.loads(text)
    except RopewalkError:
        if not required:
            return None
        raise
    except OSError as error:
        raise UnreadableFileError(
            f"Cannot read {shorten_path(path)}: {error.strerror or error}.", hint="name a TOML file that is there."
        ) from error
    except (ValueError, RecursionError) as error:
        if not required:
            say_note(f"{visible(str(path))} is no TOML, and was passed over: {visible(reason(error))}.")
            return None
        raise FileFormatError(
            f"{shorten_path(path)} is no TOML: {reason(error)}.", hint=f"it holds a section {_title(command)}."
        ) from error
    for table in (*_TABLES, command):
        content = content.get(table) if isinstance(content, Mapping) else None
    if isinstance(content, Mapping):
        return content
    if required:
        raise FileFormatError(
            f"{shorten_path(path)} has no section {_title(command)}.",
            hint=f'begin one by {_title(command)}, with lines such as require = ["not-worse 0.02"].',
        )
    return None


def _as_given(value: Any, option: Option, what: str) -> Any:
    """Return a value of TOML as the same option of a line would come: texts, or how often a flag occurs."""
    if option.parse is bool:
        if not isinstance(value, bool):
            raise InvalidInputError(f"{what} must be true or false; got {told(value)}.", hint="write it unquoted.")
        return int(value)
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, str | int | float | (Mapping if option.several else str)):
            raise InvalidInputError(
                f"{what} cannot be {told(part)}.", hint="write a text, a number, or a list of them."
            )
    if not parts:
        raise InvalidInputError(f"{what} is an empty list.", hint="name at least one, or leave it out.")
    if option.several:
        return tuple(part if isinstance(part, Mapping) else str(part) for part in parts)
    return (",".join(map(str, parts)),)
