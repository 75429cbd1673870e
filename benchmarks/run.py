"""Measure ropewalk's speed and memory side by side with its peers, in CPU seconds on one thread.

    python benchmarks/run.py [comparison] [tables] [import] [counting] [reading] [databases] [logs] [multiclass]
                             [classical] [scores] [report] [power] [mcmc] [datasets] [gate] [--large]

prints a table and writes benchmarks/results.json. The exit status is 1 if a target was missed. `--large` adds a peer
that needs 18 GB of memory, one that takes minutes, and 2,000 draws of a million scores.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from importlib import import_module, metadata
from pathlib import Path

from multiclass import LARGE
from table import HEADER, Row

SUITES = {
    "comparison": "comparison", "tables": "tables", "import": "importing", "counting": "counting", "reading": "reading",
    "databases": "databases", "logs": "logs", "multiclass": "multiclass", "classical": "classical", "scores": "scores",
    "report": "reporting", "power": "planning", "mcmc": "mcmc", "datasets": "datasets",
    "gate": "gate",
}  # fmt: skip
"""What may be measured, and the module that does it."""

RESULTS = Path(__file__).with_name("results.json")
THREADS = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)  # fmt: skip
PACKAGES = (
    "ropewalk", "numpy", "scipy", "narwhals", "polars", "pyarrow", "pymc", "pytensor", "nutpie", "prob-conf-mat",
    "mlxtend", "scikit-learn", "baycomp",
)  # fmt: skip


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure speed and memory on one thread.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"any of: {', '.join(SUITES)}")
    parser.add_argument("--large", action="store_true", help="measure also peers that need 18 GB, or minutes")
    said = parser.parse_args()
    names = said.names or list(SUITES)
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        parser.error(f"there is no {', '.join(unknown)}; choose from: {', '.join(SUITES)}")
    # Libraries read these when they are imported, so the suites come after; child processes inherit them.
    os.environ.update(dict.fromkeys(THREADS, "1"))
    if said.large:
        os.environ[LARGE] = "1"
    rows = []
    print(HEADER, "-" * len(HEADER), sep="\n")
    for name in names:
        for row in import_module(SUITES[name]).rows():
            print(row, flush=True)
            rows.append(row)
    write(rows)
    return summarise(rows)


def write(rows: Sequence[Row]) -> None:
    """Write the rows, and what they were measured on."""
    found = {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.machine()}",
        "packages": {package: version(package) for package in PACKAGES},
        "rows": [row.to_dict() for row in rows],
    }
    RESULTS.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def version(package: str) -> str | None:
    """Return the version of a package, None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def summarise(rows: Sequence[Row]) -> int:
    """Say how many targets were met; return 1 if one was not."""
    verdicts = [row.ok for row in rows]
    absent = sorted({row.missing for row in rows if row.missing})
    print(f"\n{verdicts.count(True)} targets met, {verdicts.count(False)} missed. Written: {RESULTS.name}")
    if absent:
        print(f"NOT MEASURED for want of {', '.join(absent)}: pip install 'ropewalk[bench]'")
    return int(False in verdicts)


if __name__ == "__main__":
    sys.exit(main())
