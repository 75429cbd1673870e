"""The command line."""

from ropewalk.cli.app import main

__all__ = ["main"]
