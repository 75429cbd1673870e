"""Results in, text out; nothing here computes a statistic."""

from __future__ import annotations

from ropewalk.report.html import card, html
from ropewalk.report.sentence import sentence
from ropewalk.report.text import body, latex, markdown, remark_lines, text

__all__ = ["body", "card", "html", "latex", "markdown", "remark_lines", "sentence", "text"]
