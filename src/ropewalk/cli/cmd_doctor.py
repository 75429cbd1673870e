"""`ropewalk doctor`: what a file is and what can be asked of it, or whether this installation is sound."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Final

from ropewalk.cli.doctor.checkup import checkup
from ropewalk.cli.doctor.examine import examine
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
    findings = []
    for file in options["files"]:
        with as_file(file) as path:
            findings.append(with_notes(lambda: examine(path)).renamed(path, file))
    together = commands_joined(findings) or commands_together(options["files"])
    if "json" in options:
        told = {"files": [found.to_dict() for found in findings], "together": [c.to_dict() for c in together]}
        echo(json.dumps({"schema": 1, **told}, indent=2))
        return
    echo("\n\n".join([*(found.to_text() for found in findings), *(f"{c.asks}:\n  {c.line}" for c in together)]))
