"""Reports of SWE-bench: lists of instances by what became of them, and one report per instance.

What is easy to get wrong in the format:

* failures of the infrastructure stand among the unresolved and the erroneous ones too, and are no fault of the system;
* the file's name, up to the first dot, is the only place that names the system;
* reports of 2024 have no lists of unresolved instances, and those of the first harness call them otherwise;
* an instance whose evaluation broke off has a folder with a log, and no report of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from ropewalk.data.logs.opening import head_of, json_document
from ropewalk.data.logs.rows import Choice, LogFormat, Row, Run, Score, mapping_of
from ropewalk.errors import DataError, FileFormatError
from ropewalk.text.writing import did_you_mean

_RESOLVED: Final = "resolved"
_OUTCOMES: Final[Mapping[str, float | None]] = {
    "resolved_ids": 1.0,
    "infra_failure_ids": None,
    "ambiguous_failure_ids": None,
    "unresolved_ids": 0.0,
    "empty_patch_ids": 0.0,
    "error_ids": 0.0,
    "completed_ids": 0.0,
    "incomplete_ids": None,
    "submitted_ids": None,
}
"""The score of an instance, by the first of these lists that has it."""

_FIRST_HARNESS: Final[Mapping[str, float | None]] = {"resolved": 1.0, "generated": 0.0, "no_generation": 0.0}
_REPORT: Final = re.compile(rb'"(?:submitted|resolved)_(?:instances|ids)"\s*:')
_FIRST_REPORT: Final = re.compile(rb'^\{\s*"(?:no_generation|generated)"\s*:\s*\[')
_REPOSITORY: Final = "repo"
_INSTANCE_REPORT: Final = "report.json"
_INSTANCE_LOG: Final = "run_instance.log"
_OF_INSTANCE: Final = re.compile(rb'\{\s*"[^"]+"\s*:\s*\{\s*"patch_(?:is_None|exists|successfully_applied)"\s*:')


def _runs(path: Path) -> Iterator[Run]:
    outcomes = _outcomes(path)
    yield Run(
        system=path.name.split(".")[0],
        scores=(Score(name=_RESOLVED, low=0.0, high=1.0),),
        rows=partial(_rows, path.name.split(".")[0], outcomes),
    )


def _rows(system: str, outcomes: Mapping[str, str], choice: Choice) -> Iterator[Row]:
    if choice.cluster not in {None, _REPOSITORY}:
        raise DataError(
            f"Instances of SWE-bench have no {choice.cluster!r}; they have {_REPOSITORY!r}.",
            hint=did_you_mean(choice.cluster, [_REPOSITORY]).rstrip() or "leave it out.",
        )
    for item in sorted(outcomes):
        score = {**_OUTCOMES, **_FIRST_HARNESS}[outcomes[item]]
        yield Row(
            task="",
            item=item,
            repeat=1,
            system=system,
            score=score,
            cluster=None if choice.cluster is None else item.rpartition("-")[0] or item,
            error=None if score is not None else _reason(outcomes[item]),
        )


def _outcomes(path: Path) -> dict[str, str]:
    """Return the list that tells the outcome of every instance."""
    report = json_document(path)
    kinds = _OUTCOMES if "resolved_ids" in report else _FIRST_HARNESS
    found: dict[str, str] = {}
    for kind in kinds:
        ids = report.get(kind, [])
        if not isinstance(ids, list):
            raise FileFormatError(f"{str(path)!r}: {kind} is no list.", hint="write the report again.")
        for item in ids:
            found.setdefault(str(item), kind)
    if not found:
        raise FileFormatError(
            f"{str(path)!r} lists no instances, only how many there were.", hint="reports have lists since 2024."
        )
    return found


def _reason(kind: str) -> str:
    return "not evaluated" if kind == "submitted_ids" else kind.removesuffix("_ids")


# -- one report per instance -------------------------------------------------------------------------------


def _first_report(path: Path) -> tuple[Path]:
    """Return the file that stands for all instances of a system: the first of their reports."""
    return (min(_reports(path.absolute().parent.parent)),)


def _reports(folder: Path) -> list[Path]:
    """Return the reports of instances in the folders of a folder."""
    return [path for path in folder.glob(f"*/{_INSTANCE_REPORT}") if _is_instance(path, head_of(path))]


def _instance_runs(path: Path) -> Iterator[Run]:
    """Yield the run of a system, whose folder has one folder per instance."""
    folder = path.absolute().parent.parent
    yield Run(
        system=folder.name,
        scores=(Score(name=_RESOLVED, low=0.0, high=1.0),),
        rows=partial(_rows, folder.name, _instances(folder)),
    )


def _instances(folder: Path) -> dict[str, str]:
    """Return the outcome of every instance of a system."""
    found = {log.parent.name: "incomplete_ids" for log in folder.glob(f"*/{_INSTANCE_LOG}")}
    for path in _reports(folder):
        for item, outcome in mapping_of(json_document(path)).items():
            resolved = mapping_of(outcome).get("resolved")
            if not isinstance(resolved, bool):
                raise FileFormatError(
                    f"{str(path)!r} does not say whether {item!r} was resolved.", hint="evaluate the instance again."
                )
            found[item] = "resolved_ids" if resolved else "unresolved_ids"
    return found


def _is_instance(path: Path, head: bytes) -> bool:
    return path.name == _INSTANCE_REPORT and _OF_INSTANCE.match(head) is not None


INSTANCES: Final = LogFormat(
    title="SWE-bench (one report per instance)", recognises=_is_instance, runs=_instance_runs, files=_first_report
)


# -- one report of all -------------------------------------------------------------------------------------


def _is_report(_path: Path, head: bytes) -> bool:
    return head[:1] == b"{" and (len(set(_REPORT.findall(head))) > 1 or _FIRST_REPORT.match(head) is not None)


REPORT: Final = LogFormat(title="SWE-bench", recognises=_is_report, runs=_runs)
