"""`python -m ropewalk`."""

from ropewalk.cli.app import main

main()
