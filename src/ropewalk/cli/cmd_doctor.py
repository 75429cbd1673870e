"""`ropewalk doctor`: what a file is and what can be asked of it, or whether this installation is sound."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Final

from ropewalk.cli.doctor.checkup import checkup
from ropewalk.cli.doctor.examine import examine
from ropewalk.cli.doctor.finding import Command as Suggestion
from ropewalk.cli.doctor.finding import Finding
from ropewalk.cli.doctor.logs import commands_together
from ropewalk.cli.doctor.tables import commands_joined
from ropewalk.cli.output import DATA, JsonOption, echo, with_notes
from ropewalk.cli.reading import as_file
from ropewalk.errors import UnreadableFileError

EXAMPLES: Final = ("preds.csv", "logs/new.eval logs/old.eval", "")


class Options(JsonOption, total=False):
    """What `ropewalk doctor` takes."""

    files: Annotated[
        tuple[str, ...],
        DATA(help="Tables, logs, folders, databases, counts, answers; none: this installation.", flag="FILE",
             is_input=True, several=True),
    ]  # fmt: skip


def run(options: Options) -> None:
    """Look at files, or at the installation."""
    if not options.get("files"):
        health = checkup()
        echo(json.dumps(health.to_dict(), indent=2) if "json" in options else health.to_text())
        if not health.sound:
            sys.exit(UnreadableFileError.exit_code)
        return
    examination = examine_all(options["files"])
    echo(json.dumps(examination.to_dict(), indent=2) if "json" in options else examination.to_text())


@dataclass(frozen=True, slots=True)
class Examination:
    """What some files are, and the lines that ask about them together."""

    findings: Sequence[Finding]
    together: Sequence[Suggestion]

    def to_dict(self) -> dict[str, Any]:
        """Return what was found in plain types."""
        told = {"files": [found.to_dict() for found in self.findings], "together": [c.to_dict() for c in self.together]}
        return {"schema": 1, **told}

    def to_text(self) -> str:
        """Return what was found as lines."""
        lines = (f"{c.asks}:\n  {c.line}" for c in self.together)
        return "\n\n".join([*(found.to_text() for found in self.findings), *lines])


def examine_all(files: Sequence[str]) -> Examination:
    """Look at some files, each by itself and together."""
    findings = []
    for file in files:
        with as_file(file) as path:
            findings.append(with_notes(partial(examine, path)).renamed(path, file))
    return Examination(findings, commands_joined(findings) or commands_together(files))
