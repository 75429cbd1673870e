"""The formats of evaluation logs, and which of them a file or folder holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final

from ropewalk._files import shorten_path
from ropewalk.data.logs import (
    deepeval,
    evalplus,
    every_eval_ever,
    harbor,
    helm,
    inspect,
    lighteval,
    lm_eval,
    long_table,
    openai_evals,
    promptfoo,
    swebench,
    trec,
)
from ropewalk.data.logs.opening import head_of
from ropewalk.data.logs.plugins import offered_formats
from ropewalk.data.logs.rows import LogFormat, Run
from ropewalk.data.patterns import files_below, files_of
from ropewalk.errors import DroppedItemsWarning, FileFormatError, RopewalkError, warn_caller

LOG_FORMATS: Final[list[LogFormat]] = [
    inspect.ARCHIVE,
    inspect.DOCUMENT,
    lm_eval.LM_EVAL,
    every_eval_ever.EVERY_EVAL_EVER,
    helm.HELM,
    lighteval.LIGHTEVAL,
    promptfoo.DOCUMENT,
    promptfoo.LINES,
    openai_evals.LOG,
    deepeval.TEST_RUN,
    swebench.REPORT,
    swebench.INSTANCES,
    evalplus.RESULTS,
    harbor.JOB,
    trec.RUN,
    long_table.TABLE,
]
"""The formats that are known, the first that recognises a file; one of your own is one line more."""


@cache
def log_formats() -> tuple[LogFormat, ...]:
    """Return the formats of other packages, and then our own.

    Examples
    --------
    >>> "Inspect (.json)" in [form.title for form in log_formats()]
    True
    """
    return (*offered_formats(), *LOG_FORMATS)


def find_format(path: Path) -> LogFormat | None:
    """Return the format of a file, None where it is no log."""
    head = head_of(path)
    return next((form for form in log_formats() if form.recognises(path, head)), None)


def is_log(path: str | os.PathLike[str]) -> bool:
    """Whether a path is a log, or a folder or a pattern with one among its files; one that cannot be read is none.

    Examples
    --------
    >>> is_log("no such file.eval")
    False
    """
    return any(_is_known(file) for found in files_of(path) for file in _files(Path(found)))


def _is_known(file: Path) -> bool:
    with suppress(RopewalkError):
        return file.is_file() and find_format(file) is not None
    return False


def find_runs(path: str | os.PathLike[str]) -> Iterator[Run]:
    """Yield the runs of a log, of all logs in a folder and the folders in it, or of what a pattern names."""
    place = Path(path)
    read: set[Path] = set()
    for file in (file for found in files_of(path) for file in _files(Path(found))):
        form = find_format(file)
        if form is None:
            continue
        if file != place and form.was_retried(file):
            text = f"{str(file)!r} is not finished and left out: the evaluation was tried again."
            warn_caller(text, DroppedItemsWarning)
            continue
        for part in form.files(file):
            if (real := part.resolve()) not in read:  # a link to it is the same log
                read.add(real)
                yield from (replace(run, path=str(part)) for run in form.runs(part))
    if not read:
        known = ", ".join(form.title for form in log_formats())
        what = "is no evaluation log" if place.is_file() else "holds no evaluation log"
        raise FileFormatError(
            f"{shorten_path(place)} {what} that is known.",
            hint=f"a table is asked about by its columns; known logs are: {known}.",
        )


def _files(place: Path) -> Iterator[Path]:
    yield from map(Path, files_below(place)) if os.path.isdir(place) else [place]  # noqa: PTH112 - of any length
