"""Run the examples of the pages: Python blocks must run, console blocks must print what the page says.

`python docs/run_examples.py [PAGE …]` writes what the commands print now into the pages; the tests only compare.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import ropewalk as rw

ROOT = Path(__file__).parent.parent
_AT_ROOT = ("README.md", "CONTRIBUTING.md", "llms.txt", "skills/ropewalk/SKILL.md")
PAGES = sorted([*(ROOT / name for name in _AT_ROOT), *(ROOT / "docs").rglob("*.md")])
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


# Above a block that takes long: `make test` leaves it out, `make test-slow` runs the whole page.
SLOW = "<!-- slow -->\n"


def blocks(page: Path, language: str, *, slow: bool = True) -> Iterator[re.Match[str]]:
    """Yield the fenced blocks of one language, those marked as slow only if `slow`."""
    text = page.read_text(encoding="utf-8")
    for match in _FENCE.finditer(text):
        if match[1] == language and (slow or not text.endswith(SLOW, 0, match.start())):
            yield match


def is_slow(page: Path) -> bool:
    """Return whether a page has a block marked as slow."""
    return SLOW in page.read_text(encoding="utf-8")


def prepare(folder: Path) -> None:
    """Put the files that the pages speak of into a folder."""
    shutil.copy(rw.examples.news20_path(), folder / "predictions.csv.gz")
    shutil.copy(rw.examples.reuters90_path(), folder / "topics.csv.gz")
    shutil.copy(rw.examples.bundled("news20_scores_class8.csv.gz"), folder / "scores.csv.gz")


# On a busy machine a command may take long enough to tell how far it is.
_PROGRESS = re.compile(r"^[\w ]+: [\d,]+( of [\d,]+)?(, done|, stopped)? \(\d+ s\)(: .*)?\n", re.MULTILINE)


def printed(block: str, folder: Path, run: Callable[..., tuple[int, str, str]] | None = None) -> str:
    """Return a console block with what its commands print now.

    `run` takes the arguments of a call of ropewalk and returns its exit code, stdout and stderr; without it every call
    is a process of its own, as in a shell.
    """
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        output = _shell(command, folder) if run is None or "; do " in command else _in_process(command, folder, run)
        lines.append(f"$ {command}\n{_PROGRESS.sub('', output)}")
    return "".join(lines)


def _shell(command: str, folder: Path) -> str:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(  # noqa: S602
        command, shell=True, cwd=folder, env=environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ).stdout  # fmt: skip


_QUOTED = r"""(?:"[^"]*"|'[^']*')"""
_STEP = re.compile(rf"""(?:{_QUOTED}|[^;"'])+""")
_CALL = re.compile(rf"""\s*ropewalk ((?:{_QUOTED}|[^|<>&"'])*)(.*)""")


def _in_process(command: str, folder: Path, run: Callable[..., tuple[int, str, str]]) -> str:
    """Run the calls of ropewalk in this process, which has imported it already, and the rest of the line in a shell."""
    output, code = "", 0
    for step in _STEP.findall(command):
        call = _CALL.fullmatch(step)
        if call is None:
            output += _shell(f"(exit {code}); {step}", folder)
            continue
        code, stdout, stderr = run(*shlex.split(call[1]))
        (folder / ".stdout").write_text(stdout, encoding="utf-8")
        shown = _shell(f"cat .stdout {call[2]}", folder)
        output += stderr + shown if call[2].startswith("|") else shown + stderr  # the end of a pipe prints last
    return output


def main() -> None:
    """Refresh the console blocks of the pages that are named, or of every page."""
    for page in [Path(name).absolute() for name in sys.argv[1:]] or PAGES:
        with TemporaryDirectory() as name:
            folder = Path(name)
            prepare(folder)
            text = page.read_text(encoding="utf-8")
            for match in blocks(page, "console"):
                text = text.replace(match[0], f"```console\n{printed(match[2], folder)}```")
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
