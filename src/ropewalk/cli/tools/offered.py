"""The tools that there are, and which options of their commands are arguments of theirs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import click

from ropewalk.cli.app import Command, app
from ropewalk.results.options import Option

PATH: Final = "path"
"""The argument that names files, wherever the command has them by their place."""

_OF_TABLES: Final = (
    "truth", "a", "b", "predictions", "prediction", "missing", "id", "cluster", "sample_weight", "count", "item",
    "label", "system", "score", "repeat", "task", "scorer", "filter", "qrels", "unmatched",
)  # fmt: skip
_OF_TWO_FILES: Final = ("file_a", "file_b")
_OF_QUESTION: Final = (
    "metric", "pos_label", "per_class", "threshold", "lower_is_better", "by", "rope", "goal", "margin", "prob", "model",
    "no_pool", "draws", "rng",
)  # fmt: skip
_OF_PLANS: Final = (
    "scenario", "results", "metric", "pos_label", "model", "rope", "goal", "margin", "prob", "target", "n", "max_n",
    "fresh", "simulations", "rng",
)  # fmt: skip

HOW_TO_READ: Final = (
    "Read `headline` first; `decision.code` is the verdict, and null means that none can be given. Where "
    "`decision.conclusive` is false nothing is settled. Report the interval `delta.hdi` (delta is A − B) and what "
    "`warnings` say."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: the command that answers it, what it is for, and which of the command's options are its arguments."""

    name: str
    title: str
    text: str
    names: Sequence[str]
    required: Sequence[str] = ()
    command: str = ""

    @property
    def asked_of(self) -> Command:
        """The command that answers it."""
        return command_of(self.command or self.name)

    @property
    def arguments(self) -> dict[str, tuple[str, Option]]:
        """The options by the names of the arguments; files that go by their place are `PATH`, not listed here."""
        command = self.asked_of
        known = [name for name in self.names if name in command.options]
        return {argument_name(command.flags[name]): (name, command.options[name]) for name in known}

    @property
    def takes_path(self) -> bool:
        """Whether it takes files by their place."""
        return not {"file", "files"}.isdisjoint(self.asked_of.options)


TOOLS: Final = (
    Tool(
        name="compare",
        title="Is A better than B?",
        text="Compare two classifiers or systems on the same items: a posterior of the difference A − B, and with "
        "`rope`, or `goal` and `margin`, a verdict. `path` is a table with `truth`, `a` and `b` as columns, a pair of "
        "evaluation logs (new, old), or one log with `a` and `b` as systems. Call describe_file first where columns "
        "are not known. State the rope, the smallest difference that matters, before you look. " + HOW_TO_READ,
        names=(*_OF_TABLES, *_OF_TWO_FILES, *_OF_QUESTION),
    ),
    Tool(
        name="rank",
        title="Which of several is best?",
        text="Rank several classifiers or systems: the probability that each is best, and groups that `rope` cannot "
        "tell apart. `path` is a table with `truth` and `predictions` as columns, or several evaluation logs. Read "
        "`headline` and `groups`; never name a winner by `observed` alone.",
        names=(*_OF_TABLES, *_OF_QUESTION),
        required=(PATH,),
    ),
    Tool(
        name="gate",
        title="May A replace B?",
        text="Hold a candidate (A) against its base line (B): `require` says that it must be better, not-worse or "
        "equivalent, by `margin`. `gate.outcome` is met, contradicted or undecided; undecided means that the data do "
        "not tell, and is no pass.",
        names=("require", "margin", "baseline", *_OF_TABLES, *_OF_TWO_FILES, *_OF_QUESTION),
    ),
    Tool(
        name="plan",
        title="How many items does it take?",
        text="Find the smallest test set that reaches a goal: of a `scenario` in words, such as 'F1 .6 against .5 at "
        "agreement .7', or `from` a comparison that was saved as JSON. With `n`, the smallest difference that so many "
        "items find.",
        names=_OF_PLANS,
    ),
)
"""In the order in which they are listed."""


@cache
def command_of(name: str) -> Command:
    """Return a command by its name."""
    return app.get_command(click.Context(app), name)


def tools() -> dict[str, Tool]:
    """Return the tools, by name."""
    return {tool.name: tool for tool in TOOLS}


def argument_name(flag: str) -> str:
    """Return what an option of the shell is called as an argument.

    Examples
    --------
    >>> argument_name("--pos-label"), argument_name("SCENARIO")
    ('pos_label', 'scenario')
    """
    return flag.lstrip("-").replace("-", "_").lower()


# -- what the arguments may be -----------------------------------------------------------------------------

_PATHS: Final = {
    "description": "A file, a folder or a pattern such as logs/*.eval; of logs, one per system.",
    "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}],
}
_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_SEVERAL: Final = {"type": "array", "items": _TEXT}
_KINDS: Final[dict[Any, dict[str, Any]]] = {bool: {"type": "boolean"}, int: {"type": "integer"}, float: _NUMBER}
_BY_PARSER: Final[dict[str, list[dict[str, Any]]]] = {
    "parse_texts": [_TEXT, _SEVERAL],
    "parse_share": [_NUMBER, _TEXT],
    "parse_numbers": [_TEXT, {"type": "array", "items": _NUMBER}],
    "parse_rope": [_NUMBER, _TEXT, {"type": "array", "items": _NUMBER}],
    "parse_draws": [{"type": "integer"}, _TEXT],
}


def input_schema(tool: Tool) -> dict[str, Any]:
    """Return what a tool takes, as a JSON Schema."""
    from ropewalk.cli.forms import help_of

    properties: dict[str, Any] = {PATH: _PATHS} if tool.takes_path else {}
    for argument, (name, option) in tool.arguments.items():
        default = option.default if option.shell_default is None else option.shell_default
        shown = {} if default is None or callable(default) else {"default": default}
        properties[argument] = {"description": help_of(name, tool.asked_of.options), **_kind(name, option), **shown}
    return {
        "type": "object",
        "properties": properties,
        "required": list(tool.required),
        "additionalProperties": False,
    }


def _kind(name: str, option: Option) -> dict[str, Any]:
    """Return the JSON types of an option's value."""
    if option.several:
        return {"anyOf": [_TEXT, _SEVERAL]}
    if option.parse in _KINDS:
        return _KINDS[option.parse]
    if name == "pos_label":
        return {"anyOf": [_TEXT, _NUMBER]}
    parser: Callable[..., Any] = option.parse
    several = _BY_PARSER.get(parser.__name__, [_TEXT])
    return several[0] if len(several) == 1 else {"anyOf": several}
