"""One function per kind of result, marked `@describes`, says it in blocks; importing this registers them all."""

from __future__ import annotations

from ropewalk.report.describe import checks, classical, comparison, comparisons, evaluation, planning, ranking  # noqa: F401
