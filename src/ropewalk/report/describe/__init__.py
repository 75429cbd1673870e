"""One function per kind of result, `describe`, which says what it says in blocks; importing this registers them all."""

from __future__ import annotations

from ropewalk.report.describe import (  # noqa: F401
    checks,
    classical,
    comparison,
    comparisons,
    curves,
    evaluation,
    planning,
    ranking,
)
