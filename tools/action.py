"""The steps of the GitHub Action (action.yml): install ropewalk, and hold a candidate against its base line.

`python tools/action.py install`, then `python tools/action.py gate`. Inputs come as variables, never as part of a
script, so that nothing in them is run. It takes the standard library alone: ropewalk is installed elsewhere.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shlex
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

FOLDER = "ropewalk-gate"
USAGE, UNREADABLE = 2, 5
_SINGLE = ("truth", "a", "b", "baseline", "margin", "metric", "task", "config", "on-undecided", "seed", "html", "junit")
_ANNOTATION = re.compile("::(error|warning) title=ropewalk gate")
_VERSION = re.compile(r"[0-9][\w.!+-]*")


class UsageError(Exception):
    """An input that cannot be used."""


def value_of(name: str) -> str:
    """Return an input; empty where it was not given. A block of YAML ends in a line break that is no part of it."""
    text = os.environ.get(f"INPUT_{name.upper().replace('-', '_')}", "").rstrip("\r\n")
    return text if text.strip() else ""


def lines_of(name: str) -> list[str]:
    """Return an input of several lines as a list."""
    return [line.strip() for line in value_of(name).splitlines() if line.strip()]


def home() -> Path:
    """Return the folder into which ropewalk is installed, beside what the job itself uses."""
    return Path(os.environ["RUNNER_TEMP"], FOLDER)


def interpreter() -> Path:
    """Return the Python that has ropewalk."""
    return home() / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


# -- install -------------------------------------------------------------------------------------------------


def requirement() -> str:
    """Return what pip installs: this checkout, a version from the index, or a requirement that is written out."""
    version, extras = value_of("version").strip(), ",".join(value_of("extras").replace(",", " ").split())
    what = f"[{extras}]" if extras else ""
    if not version:
        return f"{os.environ['GITHUB_ACTION_PATH']}{what}"
    return f"ropewalk{what}=={version}" if _VERSION.fullmatch(version) else version


def install() -> int:
    """Install ropewalk; return the exit code of pip."""
    venv.create(home(), with_pip=True)
    pip = [str(interpreter()), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--", requirement()]
    return subprocess.run(pip, check=False).returncode


# -- gate ----------------------------------------------------------------------------------------------------


def line() -> list[str]:
    """Return the command as arguments: an option and its value are one of them, whatever the value begins with."""
    try:
        more = shlex.split(value_of("args"))
    except ValueError as error:
        raise UsageError(f"The input args cannot be read as a shell would: {error}.") from error
    options = [f"--{name}={value_of(name)}" for name in _SINGLE if value_of(name)]
    required = [f"--require={text}" for text in lines_of("require")]
    printed = ["--json"] if value_of("json") else []
    # -P: no file of the checkout is taken for a module.
    command = [str(interpreter()), "-P", "-m", "ropewalk", "gate", "--github", *printed]
    return [*command, *options, *required, *more, "--", *lines_of("files")]


def gate() -> int:
    """Ask the gate, write the outputs of the step and its log; return the exit code of the gate."""
    try:
        command = line()
    except UsageError as error:
        return refuse(str(error), USAGE)
    home().mkdir(parents=True, exist_ok=True)
    outputs = home() / f"outputs-{secrets.token_hex(8)}"  # the gate writes it; empty where there is no answer
    outputs.touch()
    environment = os.environ | {"PYTHONUTF8": "1", "NO_COLOR": "1", "GITHUB_OUTPUT": str(outputs)}
    done = subprocess.run(command, check=False, capture_output=True, env=environment)
    errors = text_of(done.stderr)
    set_ones = outputs.read_bytes()
    outputs.unlink()
    if not set_ones:
        show(errors)
        told = next((text for text in reversed(errors) if text.startswith("Error: ")), "The gate gave no answer.")
        return refuse(told.removeprefix("Error: "), done.returncode or UNREADABLE)
    with Path(os.environ["GITHUB_OUTPUT"]).open("ab") as stream:
        stream.write(set_ones)
    show([json.loads(done.stdout)["headline"]] if value_of("json") else text_of(done.stdout), errors)
    return done.returncode if keep_json(done.stdout) else done.returncode or UNREADABLE


def text_of(printed: bytes) -> list[str]:
    """Return lines that were printed."""
    return printed.decode("utf-8", "backslashreplace").splitlines()


def keep_json(answer: bytes) -> bool:
    """Write the answer where it is asked for; return whether that went well."""
    path = value_of("json")
    try:
        if path:
            Path(path).write_bytes(answer)
    except (OSError, ValueError) as error:
        annotate(f"Cannot write the file that the input json names, {path!r}: {error}.")
        return False
    return True


def refuse(text: str, code: int) -> int:
    """Mark the run with what is wrong, and return the exit code."""
    annotate(text)
    write_outputs({"outcome": "error", "exit-code": str(code), "headline": f"ERROR: {text}"})
    return code


def annotate(text: str) -> None:
    """Mark the run as failed, with a sentence."""
    for sign in "%\r\n":
        text = text.replace(sign, f"%{ord(sign):02X}")
    print(f"::error title=ropewalk gate::{text}", flush=True)  # noqa: T201


def show(*printed: list[str]) -> None:
    """Print to the log; GitHub takes no line of it for a command, whatever names it holds, but for annotations."""
    lines = [line for lines in printed for line in lines]
    word = secrets.token_hex(16)
    said = [line for line in lines if not _ANNOTATION.match(line)]
    marked = [line for line in lines if _ANNOTATION.match(line)]
    print(f"::stop-commands::{word}", *said, f"::{word}::", *marked, sep="\n", flush=True)  # noqa: T201


def write_outputs(outputs: Mapping[str, str]) -> None:
    """Set the outputs of the step; no value can end before its own end, which nobody can guess."""
    end = f"end_{secrets.token_hex(16)}"
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8", errors="backslashreplace") as stream:
        stream.writelines(f"{name}<<{end}\n{text}\n{end}\n" for name, text in outputs.items())


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        sys.exit({"install": install, "gate": gate}[sys.argv[1]]())
    except OSError as error:  # 1 would say that a requirement is contradicted
        sys.exit(refuse(f"The action cannot run: {error}.", UNREADABLE))
