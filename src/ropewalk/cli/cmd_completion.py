"""`ropewalk completion`: what a shell needs to complete the line."""

from __future__ import annotations

from typing import Annotated, Final, TypedDict

import click
from click.shell_completion import get_completion_class

from ropewalk.cli.output import DATA
from ropewalk.errors import InvalidInputError
from ropewalk.text.writing import did_you_mean

SHELLS: Final = ("bash", "zsh", "fish")
EXAMPLES: Final = ("bash >> ~/.bashrc", "zsh >> ~/.zshrc", "fish > ~/.config/fish/completions/ropewalk.fish")


class Options(TypedDict, total=False):
    """What `ropewalk completion` takes."""

    shell: Annotated[str, DATA(help="bash, zsh or fish.", flag="SHELL", required=True)]


def run(options: Options) -> None:
    """Print the script of a shell."""
    from ropewalk.cli.app import COMPLETION, app

    shell = options["shell"]
    kind = get_completion_class(shell) if shell in SHELLS else None
    if kind is None:
        raise InvalidInputError(
            f"There is no completion for {shell!r}.",
            hint=did_you_mean(shell, SHELLS) + f"there is: {', '.join(SHELLS)}.",
        )
    click.echo(kind(app, {}, "ropewalk", COMPLETION).source())
