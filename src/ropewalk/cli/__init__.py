"""The command line: `app` reads it, one `cmd_` module per command answers, `reading` and `output` are shared."""

import gc
import os
import sys


def main() -> None:
    """Run the command line; to interrupt it while it is being loaded is no reason for a traceback either."""
    gc.set_threshold(100_000)  # modules make many objects, and little garbage
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy would start threads for linear algebra that is not here
    try:
        from ropewalk.cli.app import main as run

        run()
    except KeyboardInterrupt:
        from ropewalk.cli.interrupted import INTERRUPTED

        sys.stderr.write(INTERRUPTED)
        sys.exit(130)


__all__ = ["main"]
