"""Look at this installation: versions, extras, readers, and whether what is computed is right."""

from __future__ import annotations

import locale
import os
import platform
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import ropewalk as rw
from ropewalk._version import __version__
from ropewalk.data.formats import FORMATS
from ropewalk.data.formats.form import Format
from ropewalk.data.logs.plugins import offered_readers
from ropewalk.data.logs.registry import LOG_FORMATS
from ropewalk.inference.answers import run_comparison
from ropewalk.metrics.registry import METRICS
from ropewalk.metrics.scores import SCORE_METRICS
from ropewalk.models import model_names
from ropewalk.report.terminal import columns_here
from ropewalk.results.recipes import read_recipe
from ropewalk.text.writing import reason, visible

_ENGINES: Final = ("pandas", "polars", "pyarrow", "duckdb", "ibis-framework", "dask", "pyspark", "sqlframe")
_NOT_FOR_USERS: Final = {"all", "dev", "docs", "bench"}
_REQUIREMENT: Final = re.compile(r"(?P<name>[\w.-]+)(\[[^]]*\])?(?P<bound>[^;]*)(;(?P<marker>.*))?")
_EXTRA: Final = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
_BELOW: Final = re.compile(r"python_version\s*<\s*['\"]3\.(\d+)['\"]")
_LEAST: Final = re.compile(r">=\s*([\d.]+)")
_STANDARD_ERRORS: Final = 5


@dataclass(frozen=True, slots=True)
class Check:
    """Something that must hold, and what was seen."""

    name: str
    sound: bool
    told: str


@dataclass(frozen=True, slots=True)
class Health:
    """What there is, and whether it works."""

    packages: dict[str, str]
    extras: dict[str, dict[str, str | None]]
    engines: dict[str, str]
    readers: dict[str, Any]
    numbers: dict[str, int]
    terminal: dict[str, Any]
    checks: tuple[Check, ...]

    @property
    def sound(self) -> bool:
        """Whether all checks hold."""
        return all(check.sound for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return what was found in plain types."""
        return {
            "schema": 1,
            "sound": self.sound,
            "packages": self.packages,
            "extras": self.extras,
            "engines": self.engines,
            "readers": self.readers,
            **self.numbers,
            "terminal": self.terminal,
            "checks": [{"name": c.name, "sound": c.sound, "told": c.told} for c in self.checks],
        }

    def to_text(self) -> str:
        """Return what was found as lines."""
        lines = [f"{name} {number}" for name, number in self.packages.items()]
        text = [f"ropewalk {__version__} on {platform.python_implementation()} {platform.python_version()}"]
        text += [f"with      {', '.join(lines[2:])}", "", "Extras"]
        for extra, needed in self.extras.items():
            absent = [name for name, found in needed.items() if found is None]
            there = ", ".join(f"{name} {found}" for name, found in needed.items() if found is not None)
            more = f"without {', '.join(absent)}: pip install 'ropewalk[{extra}]'" if absent else ""
            text.append(f"  {extra:<9} {'; '.join(part for part in (there, more) if part)}")
        text += ["", f"Engines   {', '.join(f'{name} {number}' for name, number in self.engines.items()) or 'none'}"]
        text.append(f"Tables    {', '.join(self.readers['tables'])}")
        text.append(f"Logs      {', '.join(self.readers['logs'])}")
        text += [f"Plug-in   {visible(name)}: {visible(told)}" for name, told in self.readers["plug_ins"].items()]
        text.append(f"Knows     {self.numbers['metrics']} metrics, {self.numbers['models']} models")
        text.append(f"Terminal  {', '.join(f'{name} {value}' for name, value in self.terminal.items())}")
        text += ["", *(f"{'sound' if c.sound else 'WRONG'}     {c.name}: {visible(c.told)}" for c in self.checks)]
        return "\n".join(text)


def checkup() -> Health:
    """Look at this installation."""
    return Health(
        packages={"ropewalk": __version__, "python": platform.python_version()} | _versions(_core()),
        extras=_extras(),
        engines=_versions(_ENGINES),
        readers={
            "tables": [_with_needs(form) for form in FORMATS],
            "logs": [form.title for form in LOG_FORMATS],
            "plug_ins": {name: problem or "sound" for name, problem in offered_readers()},
        },
        numbers={"metrics": len(METRICS) + len(SCORE_METRICS), "models": len(model_names())},
        terminal={
            "encoding": sys.stdout.encoding or locale.getpreferredencoding(),
            "columns": columns_here(),
            "processors": os.cpu_count() or 1,
        },
        checks=tuple(_checked(name, check) for name, check in _CHECKS.items()),
    )


def _with_needs(form: Format) -> str:
    """Return the name of a format, and the library that it needs where that is not installed."""
    return form.title if form.needs is None or find_spec(form.needs) else f"{form.title} (needs {form.needs})"


def _versions(names: Iterable[str]) -> dict[str, str]:
    found = {name: _version_of(name) for name in names}
    return {name: number for name, number in found.items() if number is not None}


def _version_of(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _requirements() -> list[str]:
    try:
        return requires("ropewalk") or []
    except PackageNotFoundError:  # run from its source
        return []


def _core() -> list[str]:
    """Return the packages that every installation needs."""
    found = [_REQUIREMENT.match(line) for line in _requirements() if not _EXTRA.search(line)]
    return [match["name"] for match in found if match]


def _extras() -> dict[str, dict[str, str | None]]:
    """Return the packages of each extra and their versions, None where one is absent or too old."""
    extras: dict[str, dict[str, str | None]] = {}
    for line in _requirements():
        found = _REQUIREMENT.match(line)
        extra = _EXTRA.search(line)
        if not found or not extra or extra[1] in _NOT_FOR_USERS or found["name"].lower() == "ropewalk":
            continue
        below = _BELOW.search(line)
        if below and sys.version_info >= (3, int(below[1])):
            continue
        extras.setdefault(extra[1], {})[found["name"]] = _new_enough(found["name"], found["bound"])
    return extras


def _new_enough(name: str, bound: str) -> str | None:
    here, least = _version_of(name), _LEAST.search(bound)
    if here is None or least is None:
        return here
    return here if _numbers(here) >= _numbers(least[1]) else None


def _numbers(text: str) -> list[int]:
    """Return the first three numbers of a version.

    Examples
    --------
    >>> _numbers("1.2"), _numbers("3.11.4.post1")
    ([1, 2, 0], [3, 11, 4])
    """
    return [int(part) for part in [*re.findall(r"\d+", text), "0", "0"][:3]]


# -- checks ------------------------------------------------------------------------------------------------


def _checked(name: str, check: Callable[[], tuple[bool, str]]) -> Check:
    try:
        return Check(name, *check())
    except Exception as error:  # noqa: BLE001 - whatever is broken is named
        return Check(name, sound=False, told=f"{type(error).__name__}: {reason(error)}")


def _temporary_folder() -> tuple[bool, str]:
    """Write into the folder of temporary files."""
    with tempfile.TemporaryDirectory(prefix="ropewalk-") as folder:
        Path(folder, "file").write_bytes(b"x")
    return True, f"{tempfile.gettempdir()} can be written"


def _closed_form() -> tuple[bool, str]:
    """Hold the draws of a recall against its posterior, Beta(1 + 80, 1 + 20)."""
    table = rw.Outcomes.from_confusion([[90, 10], [20, 80]], name="A")
    drawn = rw.evaluate(
        table, metric="recall", pos_label=1, model="sigir2016_unpaired", draws=20_000, rng=0, progress=False
    )["recall"].estimate
    mean, std = 81 / 102, (81 * 21 / (102**2 * 103)) ** 0.5
    off = abs(drawn.mean - mean) / (std / 20_000**0.5)
    return off < _STANDARD_ERRORS, f"mean {drawn.mean:.4f} by 20,000 draws, {mean:.4f} by its formula"


def _round_trip() -> tuple[bool, str]:
    """Write an answer as JSON, read it, and ask it again."""
    table = rw.Outcomes.from_counts([[[40, 4], [2, 3]], [[4, 3], [6, 30]]], names=["A", "B"])
    first = rw.compare(table, metric="accuracy", rope=0.1, draws=1_000, rng=0, progress=False)
    again = run_comparison(read_recipe(first.to_dict()))
    same = rw.Outcomes.from_json(table.to_json()) == table and again.delta == first.delta
    return same, "an answer read from JSON is the same" if same else "an answer read from JSON is another"


_CHECKS: Final[dict[str, Callable[[], tuple[bool, str]]]] = {
    "temporary files": _temporary_folder,
    "closed form": _closed_form,
    "round trip": _round_trip,
}
"""What must hold, by name."""
