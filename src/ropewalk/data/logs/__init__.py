"""Evaluation logs: what a system answered to every item of a task, in the formats of the tools that write them."""

from ropewalk.data.logs.reading import Log, read_log, read_long
from ropewalk.data.logs.rows import COLUMNS, Choice, LogFormat, Row, Run, Score

__all__ = ["COLUMNS", "Choice", "Log", "LogFormat", "Row", "Run", "Score", "read_log", "read_long"]
