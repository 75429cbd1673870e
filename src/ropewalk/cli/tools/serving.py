"""Serve the tools over standard input and output, by the official SDK of the Model Context Protocol."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Final

from ropewalk._optional import require
from ropewalk._version import __version__
from ropewalk.cli.tools.calls import DESCRIBE, Reply, call, is_busy
from ropewalk.cli.tools.offered import PATH, TOOLS, Tool, input_schema

INSTRUCTIONS: Final = (
    "ropewalk says whether one classifier, prompt or model is really better than another: a posterior of the "
    "difference A − B, a ROPE (the smallest difference that matters, stated before looking) and a verdict. Call "
    "describe_file first: it says what a file holds and gives the calls that ask about it. Arguments are the options "
    "of the command line: messages that name --pos-label mean pos_label. Undecided is an answer: say how many more "
    "items it takes (more_data), and never call a difference significant. A system that is not worse is not thereby "
    "equivalent. Files are only read, and nothing is sent anywhere."
)

_TEXT: Final = {"type": "string"}
_OUTPUT: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "headline": {"description": "The answer in two sentences.", **_TEXT},
        "decision": {"description": "The verdict: code, conclusive, stable, leaning, text; null where there is none."},
        "regions": {"description": "P(below), P(inside) and P(above the ROPE) of A − B; null without a ROPE."},
        "notes": {"type": "array", "items": _TEXT},
        "warnings": {"description": "What is wrong with the answer: report it.", "type": "array", "items": _TEXT},
        "left_out": {"description": "How many entries of lists were left out for their length."},
    },
    "additionalProperties": True,
}
_DESCRIBED: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "files": {"type": "array", "items": {"type": "object"}},
        "together": {"type": "array", "items": {"type": "object"}},
    },
    "additionalProperties": True,
}
_LOOK: Final = Tool(
    name=DESCRIBE,
    title="What is this file?",
    text="Say what a file is (table, evaluation log, counts, database, saved answer): its columns with their roles, or "
    "its systems, tasks and scores, and the calls that ask about it. Start here.",
    names=(),
    required=(PATH,),
    command="doctor",
)


def serve() -> None:
    """Answer calls until standard input ends."""
    require("mcp", extra="mcp", caller="ropewalk mcp")
    anyio = require("anyio", extra="mcp", caller="ropewalk mcp")
    if sys.stdin is not None and sys.stdin.isatty():
        sys.stderr.write("This answers an assistant that speaks the Model Context Protocol; Ctrl-D ends it.\n")
    with _ended_by_signals():
        anyio.run(_serve)
    if is_busy():  # with a call that nobody waits for any more
        sys.stderr.flush()
        os._exit(0)


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """Let a wish to end end the server at once: it would wait for the next line of standard input, or for a call.

    Nothing is lost, since nothing is written.
    """
    here = threading.current_thread() is threading.main_thread()  # others cannot be told
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers if here}
    heeded = [number for number, handler in before.items() if handler != signal.SIG_IGN]  # `nohup` ignores one
    for number in heeded:
        signal.signal(number, lambda number, _: os._exit(128 + number))
    try:
        yield
    finally:
        for number in heeded:
            signal.signal(number, before[number])


async def _serve() -> None:
    stdio = require("mcp.server.stdio", extra="mcp", caller="ropewalk mcp")
    server = make_server()
    async with stdio.stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


def make_server() -> Any:
    """Return the server, which knows the tools and nothing of how it is reached."""
    types = require("mcp.types", extra="mcp", caller="ropewalk mcp")
    server = require("mcp.server", extra="mcp", caller="ropewalk mcp").Server
    to_thread = require("anyio.to_thread", extra="mcp", caller="ropewalk mcp")

    async def list_tools(_context: Any, _params: Any) -> Any:
        answering = [_as_tool(types, tool, _OUTPUT) for tool in TOOLS]
        return types.ListToolsResult(tools=[_as_tool(types, _LOOK, _DESCRIBED), *answering])

    async def call_tool(_context: Any, params: Any) -> Any:
        work = partial(call, params.name, params.arguments)
        reply: Reply = await to_thread.run_sync(work, abandon_on_cancel=True)
        content = [types.TextContent(type="text", text=reply.text)]
        return types.CallToolResult(content=content, structured_content=reply.data, is_error=reply.is_error)

    return server(
        "ropewalk",
        version=__version__,
        title="ropewalk",
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _as_tool(types: Any, tool: Tool, output: dict[str, Any]) -> Any:
    hints = types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return types.Tool(
        name=tool.name,
        title=tool.title,
        description=tool.text,
        input_schema=input_schema(tool),
        output_schema=output,
        annotations=hints,
    )
