"""Formats of evaluation logs that other packages offer: one that fails takes no other with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Final, TypeVar

from ropewalk.data.logs.rows import Choice, LogFormat, Row, Run
from ropewalk.errors import BrokenReaderWarning, FileFormatError, RopewalkError, warn_caller
from ropewalk.text.writing import brief, reason, told

T = TypeVar("T")

ENTRY_POINTS: Final = "ropewalk.readers"
"""The group of entry points under which other packages offer a `LogFormat`."""

_LETTERS: Final = 200  # of what another package says went wrong


def offered_formats() -> Iterator[LogFormat]:
    """Yield the formats of other packages; one that cannot be loaded is named in a warning."""
    for point in entry_points(group=ENTRY_POINTS):
        form, problem = _loaded(point)
        if form is None:
            _warn(point, f"{problem}; it is left out")
        else:
            yield _guarded(form, point)


def offered_readers() -> list[tuple[str, str | None]]:
    """Return the readers that other packages offer by name, and what is wrong with each, None where it can be used."""
    return [(f"{point.name} ({point.value})", _loaded(point)[1]) for point in entry_points(group=ENTRY_POINTS)]


def _loaded(point: EntryPoint) -> tuple[LogFormat | None, str | None]:
    """Return the format that a package offers, or what is wrong with it."""
    try:
        form = point.load()
    except Exception as error:  # noqa: BLE001 - a package may fail in any way
        return None, f"cannot be loaded ({_said(error)})"
    return (form, None) if isinstance(form, LogFormat) else (None, f"is no LogFormat but {told(form)}")


def _guarded(form: LogFormat, point: EntryPoint) -> LogFormat:
    """Return a format whose errors are about the file that it read."""
    return replace(
        form,
        recognises=partial(_recognises, form, point),
        files=partial(_files, form, point),
        runs=partial(_runs, form, point),
        was_retried=partial(_was_retried, form, point),
    )


def _recognises(form: LogFormat, point: EntryPoint, path: Path, head: bytes) -> bool:
    try:
        return bool(form.recognises(path, head))
    except Exception as error:  # noqa: BLE001
        _warn(point, f"cannot tell which files are its own ({_said(error)})")
        return False


def _was_retried(form: LogFormat, point: EntryPoint, path: Path) -> bool:
    return any(_checked(lambda: [bool(form.was_retried(path))], bool, point, path))


def _files(form: LogFormat, point: EntryPoint, path: Path) -> Sequence[Path]:
    return list(_checked(lambda: form.files(path), Path, point, path))


def _runs(form: LogFormat, point: EntryPoint, path: Path) -> Iterator[Run]:
    for run in _checked(lambda: form.runs(path), Run, point, path):
        yield replace(run, rows=partial(_rows, run, point, path))


def _rows(run: Run, point: EntryPoint, path: Path, choice: Choice) -> Iterator[Row]:
    return _checked(lambda: run.rows(choice), Row, point, path)


def _checked(call: Callable[[], Iterable[Any]], kind: type[T], point: EntryPoint, path: Path) -> Iterator[T]:
    """Yield what a reader gives, if it is of its kind; what goes wrong in it is an error about the file."""
    try:
        for each in call():
            yield _of_kind(each, kind)
    except RopewalkError:
        raise
    except Exception as error:
        raise FileFormatError(
            f"The reader {point.name!r} of another package cannot read {str(path)!r}: {_said(error)}.",
            hint=f"update or uninstall that package, or tell its authors ({point.value}).",
        ) from error


def _of_kind(value: Any, kind: type[T]) -> T:
    if isinstance(value, kind):
        return value
    raise TypeError(f"{told(value)} is no {kind.__name__}")


@cache
def _warn(point: EntryPoint, problem: str) -> None:
    """Warn once, however many files there are."""
    warn_caller(f"The reader {point.name!r} of another package ({point.value}) {problem}.", BrokenReaderWarning)


def _said(error: Exception) -> str:
    return brief(f"{type(error).__name__}: {reason(error)}".removesuffix(": "), _LETTERS)
