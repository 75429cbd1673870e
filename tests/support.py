"""What more than one test module needs besides fixtures."""

from __future__ import annotations

import importlib
import os

import pytest

REQUIRE_ALL = os.environ.get("ROPEWALK_REQUIRE_ALL_DEPS") == "1"


def need(module: str):
    """Import an optional dependency; skip without it, but fail where all of them are promised."""
    try:
        return importlib.import_module(module)
    except ImportError:
        if REQUIRE_ALL:
            raise
        pytest.skip(f"{module} is not installed")
