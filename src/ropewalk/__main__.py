"""`python -m ropewalk`."""

from ropewalk.cli import main

main()
