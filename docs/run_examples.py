"""Run the examples of the pages: Python blocks must run, console blocks must print what the page says.

`python docs/run_examples.py` writes what the commands print now into the pages; the tests only compare.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import ropewalk as rw

ROOT = Path(__file__).parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> Iterator[re.Match[str]]:
    """Yield the fenced blocks of one language."""
    return (match for match in _FENCE.finditer(page.read_text(encoding="utf-8")) if match[1] == language)


def prepare(folder: Path) -> None:
    """Put the files that the pages speak of into a folder."""
    shutil.copy(rw.examples.news20_path(), folder / "predictions.csv.gz")
    shutil.copy(rw.examples.reuters90_path(), folder / "topics.csv.gz")
    shutil.copy(rw.examples.bundled("news20_scores_class8.csv.gz"), folder / "scores.csv.gz")


# On a busy machine a command may take long enough to tell how far it is.
_PROGRESS = re.compile(r"^[\w ]+: [\d,]+( of [\d,]+)?(, done|, stopped)? \(\d+ s\)(: .*)?\n", re.MULTILINE)


def printed(block: str, folder: Path) -> str:
    """Return a console block with what its commands print now."""
    lines = []
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(  # noqa: S602
            command, shell=True, cwd=folder, env=environment, text=True, check=False,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        lines.append(f"$ {command}\n{_PROGRESS.sub('', done.stdout)}")
    return "".join(lines)


def main() -> None:
    """Refresh the console blocks of every page."""
    for page in PAGES:
        with TemporaryDirectory() as name:
            folder = Path(name)
            prepare(folder)
            text = page.read_text(encoding="utf-8")
            for match in blocks(page, "console"):
                text = text.replace(match[0], f"```console\n{printed(match[2], folder)}```")
            page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
