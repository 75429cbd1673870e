"""The forms that data come in on the command line, by the words that messages use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

FILE: Final = "FILE"
JOINED: Final = "--file-a and --file-b"
MATRICES: Final = "--confusion-a and --confusion-b"
LOGS: Final = "evaluation logs"
LONG: Final = "--system"
COUNTS: Final = "counts"

FORMS: Final = (FILE, JOINED, MATRICES, LOGS, LONG, COUNTS)
"""All of them; an option goes with some."""

OF_LOGS: Final = (LOGS, LONG)
"""Those that hold a row per system and item."""

OF_ROWS: Final = (FILE, JOINED, *OF_LOGS)
"""Those that hold the items one by one."""

OF_ITEMS: Final = (*OF_ROWS, COUNTS)
"""Those that know which items were the same."""

OF_LABELS: Final = (FILE, JOINED, MATRICES, COUNTS)
"""Those whose labels can be declared."""


def any_of(forms: Sequence[str]) -> str:
    """Return forms as alternatives.

    Examples
    --------
    >>> any_of([FILE]), any_of([FILE, LOGS, LONG])
    ('FILE', 'FILE, evaluation logs or --system')
    """
    *others, last = forms
    return f"{', '.join(others)} or {last}" if others else last
