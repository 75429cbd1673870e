"""What is said when a command is interrupted, also while the command line is still being loaded."""

from typing import Final

INTERRUPTED: Final = "\nInterrupted: there is no answer, and no file was left half-written.\n"
