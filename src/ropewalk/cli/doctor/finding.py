"""What was found out about one file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import join
from typing import Any, Final

from ropewalk._files import first_bytes
from ropewalk.data.patterns import is_pattern, tables_in
from ropewalk.data.roles import Roles
from ropewalk.data.unpacking import packing_of
from ropewalk.text.writing import cut_middle, visible

_WIDEST: Final = 28
_MAX_LINES: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A question that can be asked, and the line that asks it."""

    asks: str
    arguments: tuple[str, ...]

    @property
    def line(self) -> str:
        """The line to paste into a shell."""
        return join(["ropewalk", *self.arguments]) if all(map(str.isprintable, self.arguments)) else self._escaped()

    def to_dict(self) -> dict[str, Any]:
        """Return the question, its line, and the arguments that it is made of."""
        return {"asks": self.asks, "line": self.line, "arguments": list(self.arguments)}

    def _escaped(self) -> str:
        # A terminal must not act on what a file is called: bash and zsh read $'\\n' as what it stands for.
        parts = [
            join([part]) if part.isprintable() else "$'" + visible(part.replace("\\", "\\\\")).replace("'", "\\'") + "'"
            for part in self.arguments
        ]
        return " ".join(["ropewalk", *parts])


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a file is, what is in it, and what can be asked of it.

    `facts` are sentences of a word and its value; `heads` names what the entries of `rows` are. `roles` are those of
    the columns of a table.
    """

    path: str
    what: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    heads: tuple[str, ...] = ()
    rows: Sequence[tuple[Any, ...]] = ()
    remarks: tuple[str, ...] = ()
    commands: tuple[Command, ...] = ()
    roles: Roles | None = None

    def renamed(self, path: str, shown: str) -> Finding:
        """Return the same about a file that goes by another name, such as - for standard input."""
        commands = tuple(
            replace(c, arguments=tuple(shown if part == path else part for part in c.arguments)) for c in self.commands
        )
        return replace(self, path=shown if self.path == path else self.path, commands=commands)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found in plain types."""
        return {
            "path": self.path,
            "what": self.what,
            "facts": dict(self.facts),
            "contents": [dict(zip(self.heads, row, strict=True)) for row in self.rows],
            "remarks": list(self.remarks),
            "commands": [command.to_dict() for command in self.commands],
        }

    def to_text(self) -> str:
        """Return what was found as lines."""
        facts = [_told(name.replace("_", " "), value) for name, value in self.facts.items()]
        lines = [f"{visible(self.path)}: {', '.join([self.what, *facts])}"]
        if self.rows:
            lines += ["", *(f"  {line}" for line in _table(self.heads, self.rows[:_MAX_LINES]))]
            if len(self.rows) > _MAX_LINES:
                lines.append(f"  … and {len(self.rows) - _MAX_LINES:,} more")
        if self.remarks:
            lines += ["", *(f"Note      {visible(remark)}" for remark in self.remarks)]
        for command in self.commands:
            lines += ["", f"{command.asks}:", f"  {command.line}"]
        return "\n".join(lines)


def size_of(path: str) -> dict[str, Any]:
    """Return how large a file is and by what it is packed, or how many files there are."""
    if is_pattern(path) or Path(path).is_dir():
        return {"files": len(tables_in(path))}
    packed = packing_of(first_bytes(path, 6))
    return {"bytes": Path(path).stat().st_size, **({"packed_by": packed} if packed else {})}


def argument_of(path: str) -> str:
    """Return a path that no command takes for an option."""
    return f"./{path}" if path.startswith("-") and path != "-" else path


def _told(name: str, value: Any) -> str:
    if type(value) is not int:
        return f"{name} {_shown(value)}"
    return f"{value:,} {name.removesuffix('s') if value == 1 else name}"


def _shown(value: Any) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return visible(", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value))


def _table(heads: Sequence[str], rows: Sequence[tuple[Any, ...]]) -> list[str]:
    cells = [list(heads), *([cut_middle(_shown(cell), _WIDEST) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
