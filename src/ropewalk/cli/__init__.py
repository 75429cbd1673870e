"""The command line: `app` reads it, one `cmd_` module per command answers, `reading` and `output` are shared."""

import sys

from ropewalk.cli.interrupted import INTERRUPTED


def main() -> None:
    """Run the command line; to interrupt it while it is being loaded is no reason for a traceback either."""
    try:
        from ropewalk.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write(INTERRUPTED)
        sys.exit(130)


__all__ = ["main"]
