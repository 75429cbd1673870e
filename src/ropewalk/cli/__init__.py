"""The command line: `app` reads it, one `cmd_` module per command answers, `reading` and `output` are shared."""

from ropewalk.cli.app import main

__all__ = ["main"]
