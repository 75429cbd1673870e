"""One function per kind of result, marked `@describes`, says it in blocks; importing this registers them all."""

from __future__ import annotations

from ropewalk.report.describe import (  # noqa: F401
    checks,
    classical,
    comparison,
    comparisons,
    evaluation,
    folds,
    items,
    planning,
    ranking,
    slices,
    tasks,
)
