"""Answer a call: run the command with its answer taken instead of printed, or say what is wrong with the call."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

import click

from ropewalk.cli.app import app, as_mistake
from ropewalk.cli.cmd_doctor import examine_all
from ropewalk.cli.doctor.finding import Command as Suggestion
from ropewalk.cli.output import TAKEN, Taken
from ropewalk.cli.tools.lines import arguments_of, line_of, paths_of
from ropewalk.cli.tools.offered import PATH, Tool, command_of, tools
from ropewalk.cli.tools.shortening import cut, shortened
from ropewalk.errors import InvalidInputError, RopewalkError
from ropewalk.report.document import describe
from ropewalk.report.terminal import PLAIN, Screen, body, remark_lines
from ropewalk.results import Rendered
from ropewalk.results.base import json_text
from ropewalk.text.writing import did_you_mean, reason, told, visible

DESCRIBE: Final = "describe_file"
"""The tool that looks at a file, as the doctor does."""

COLUMNS: Final = 100
"""How wide the text of an answer is."""

_ONE_AT_A_TIME: Final = threading.Lock()
"""Python's warnings are caught for all threads at once, so that no two calls may be answered side by side."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call gets: a text, and the same as data; none where the call was a mistake."""

    text: str
    data: dict[str, Any] | None = None

    @property
    def is_error(self) -> bool:
        """Whether the call was a mistake, which the text explains."""
        return self.data is None


def call(name: str, arguments: Mapping[str, Any] | None) -> Reply:
    """Answer a call of a tool; whatever is wrong with it is a text, and never raised."""
    try:
        with _ONE_AT_A_TIME:
            return _described(arguments or {}) if name == DESCRIBE else _answered(_tool(name), arguments or {})
    except (RopewalkError, click.UsageError, MemoryError, OSError) as error:
        return mistake(as_mistake(error))
    except Exception as error:  # noqa: BLE001 - a slip of ours must not end the server
        text = f"Error: ropewalk failed: {type(error).__name__}: {visible(reason(error))}."
        return Reply(f"{text}\nHint: this is a slip of ropewalk's own; the same line of the command line shows more.")


def is_busy() -> bool:
    """Whether a call is being answered."""
    return _ONE_AT_A_TIME.locked()


def mistake(error: RopewalkError) -> Reply:
    """Return what is wrong and what to do."""
    lines = [f"Error: {visible(error.message)}", *([f"Hint: {visible(error.hint)}"] if error.hint else [])]
    return Reply(cut("\n".join(lines)))


def _tool(name: str) -> Tool:
    there = tools()
    if name not in there:
        names = (DESCRIBE, *there)
        hint = did_you_mean(name, names) + f"There are: {', '.join(names)}."
        raise InvalidInputError(f"There is no tool {told(name)}.", hint=hint)
    return there[name]


def _answered(tool: Tool, arguments: Mapping[str, Any]) -> Reply:
    """Run the command of a tool."""
    line, taken = line_of(tool, arguments), Taken()
    with app.make_context("ropewalk", line, obj={"quiet": True, "line": line, "only_named": True}) as context:
        context.meta[TAKEN] = taken
        try:
            app.invoke(context)
        except SystemExit:  # the code of a command that has answered
            if not taken.answers:
                raise InvalidInputError("There is no answer.", hint="ask by the command line.") from None
        flags = context.meta["flags"]
    result = taken.answers[-1]
    data = shortened(result.to_dict())
    if taken.notes:
        data["notes"] = [*data.get("notes", []), *taken.notes]
    return Reply(cut(_text_of(result, flags, taken.notes)), data)


def _text_of(result: Rendered, flags: Mapping[str, str], notes: list[str]) -> str:
    """Return an answer as text, with its remarks and what is to be known of the data."""
    document = describe(result)
    lines = [*(f"Note      {note}" for note in notes), *remark_lines(document, flags=flags, columns=COLUMNS)]
    return "\n".join([body(document, Screen(COLUMNS, PLAIN)), *(["", *lines] if lines else [])])


# -- files -------------------------------------------------------------------------------------------------


def _described(arguments: Mapping[str, Any]) -> Reply:
    """Look at files, as the doctor does, and say which calls ask about them."""
    unknown = [name for name in arguments if name != PATH]
    if unknown or arguments.get(PATH) is None:
        what = f"takes no argument {told(unknown[0])}" if unknown else f"needs the argument {PATH}"
        raise InvalidInputError(f"{DESCRIBE} {what}.", hint=f'{{"{PATH}": "preds.csv"}} names a file.')
    files, taken = paths_of(arguments[PATH]), Taken()
    with _context("doctor", taken):
        examination = examine_all(files)
        data = examination.to_dict()
        asked = [*(found.commands for found in examination.findings), examination.together]
        made = [_as_call(suggestion) for suggestions in asked for suggestion in suggestions]
    rows = chain.from_iterable([*(file["commands"] for file in data["files"]), data["together"]])
    for row, called in zip(rows, made, strict=True):
        row["call"] = called
    data |= {"notes": taken.notes} if taken.notes else {}
    lines = [f"  {called['tool']} {json_text(called['arguments'])}" for called in made if called is not None]
    parts = ["\n".join(["As calls of tools:", *lines])] if lines else []
    parts += [f"Note      {note}" for note in taken.notes]
    return Reply(cut("\n\n".join([examination.to_text(), *parts])), shortened(data))


def _as_call(suggestion: Suggestion) -> dict[str, Any] | None:
    """Return a line that is suggested as a call of a tool, where there is one for it."""
    name, *words = suggestion.arguments
    tool = tools().get(name)
    arguments = None if tool is None else arguments_of(tool, words)
    return None if arguments is None else {"tool": name, "arguments": arguments}


@contextmanager
def _context(name: str, taken: Taken) -> Iterator[None]:
    """Let what a command does run without its line."""
    command = command_of(name)
    with click.Context(command, info_name=name, obj={"quiet": True, "line": [name]}) as context:
        context.meta.update({TAKEN: taken, "flags": command.flags, "options": command.options})
        yield
