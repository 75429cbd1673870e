"""The command line: `app` reads it, one `cmd_` module per command answers, `reading` and `output` are shared."""

import os
import sys

from ropewalk.cli.interrupted import INTERRUPTED


def main() -> None:
    """Run the command line; to interrupt it while it is being loaded is no reason for a traceback either."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy would start threads for linear algebra that is not here
    try:
        from ropewalk.cli.app import main as run

        run()
    except KeyboardInterrupt:
        sys.stderr.write(INTERRUPTED)
        sys.exit(130)


__all__ = ["main"]
