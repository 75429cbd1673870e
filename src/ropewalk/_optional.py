"""Import what a small install can do without, or say how to get it."""

from __future__ import annotations

import importlib
from typing import Any

from ropewalk.errors import MissingDependencyError


def require(module: str, *, extra: str, caller: str) -> Any:
    """Import and return `module`, or raise with the line that installs it.

    Examples
    --------
    >>> require("json", extra="files", caller="an example").dumps({})
    '{}'
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingDependencyError(
            f"{caller} needs {module.partition('.')[0]}, which is not installed.",
            hint=f"pip install 'ropewalk[{extra}]'",
        ) from error
