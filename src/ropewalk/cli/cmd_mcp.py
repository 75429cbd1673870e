"""`ropewalk mcp`: answer assistants by the Model Context Protocol."""

from __future__ import annotations

from typing import Final, TypedDict

EXAMPLES: Final = ("",)


class Options(TypedDict, total=False):
    """What `ropewalk mcp` takes."""


def run(options: Options) -> None:  # noqa: ARG001 - it takes none
    """Serve the tools until standard input ends."""
    from ropewalk.cli.tools.serving import serve

    serve()
