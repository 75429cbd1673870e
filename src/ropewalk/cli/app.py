"""Read the command line, run a command, and turn a user's mistake into a sentence and an exit code."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import click
from click.shell_completion import shell_complete

from ropewalk._files import shorten_path
from ropewalk._version import __version__
from ropewalk.cli.interrupted import INTERRUPTED
from ropewalk.errors import DataError, InvalidInputError, RopewalkError, UnreadableFileError
from ropewalk.text.remarks import in_shell
from ropewalk.text.writing import did_you_mean, nearest, today, visible

if TYPE_CHECKING:
    from ropewalk.results.options import Option

HELP: Final = "Is classifier A really better than classifier B? A posterior, a ROPE and a verdict."
COMMANDS: Final = {
    "compare": "Compare two classifiers whose predictions are columns of FILE.",
    "evaluate": "Evaluate one classifier whose predictions are a column of FILE.",
    "rank": "Rank two or more classifiers whose predictions are columns of FILE.",
    "datasets": "Compare two learning algorithms over many data sets or folds, or rank several, by columns of FILE.",
    "gate": "Hold a candidate against its base line: exit code 0 met, 1 contradicted, 3 undecided.",
    "test": "Run the classical tests on two classifiers whose predictions are columns of FILE.",
    "power": "Simulate how often test sets of given sizes would reach a goal, if a scenario or what a result says is "
    "true.",
    "plan": "Find the smallest test set that reaches a goal; or the smallest difference, the best value, the items to "
    "add.",
    "stopping": "Simulate a rule for stopping to label: how many items it takes, and how often it errs.",
    "watch": "Look at an evaluation that grows, until A is as required of it, with an error that holds at every look.",
    "convert": "Write evaluation logs as one table, a row per system, item and repeat.",
    "doctor": "Say what a file is and which lines ask about it; without one, whether this installation is sound.",
    "count": "Count what a question needs of FILE, so that the rows can stay where they are.",
    "merge": "Add counts of the same systems from several places.",
    "demo": "Compare two text classifiers on the bundled 20-newsgroups predictions.",
    "reproduce": "Print a paper's tables beside ours, from the bundled predictions.",
    "mcp": "Answer assistants over stdin and stdout, by the Model Context Protocol.",
    "completion": "Print the script by which a shell completes commands, options and files.",
}
"""Commands, each answered by the module `cmd_<name>`: its `Options`, and `run`."""

EXAMPLES: Final = (
    "demo",
    "compare preds.csv --truth y --a new --b old --rope 1%",
    "compare p.csv --truth y --a new --b old --goal not-worse --margin 2%",
    "rank preds.csv --truth y --predictions new,old,base --rope 2%",
)
_ANYWHERE: Final = {"--debug": "Show the traceback of an error.", "--quiet": "Show no progress of long work."}
_OTHERWISE: Final = {
    "n_chains": "--chains", "higher_is_better": "--lower-is-better", "compare_tasks": "ropewalk compare",
}  # fmt: skip
_HELP: Final = ("-h, --help", "Show this message and exit.")
_FILES: Final = {"FILE", "OUT"}  # what the help calls a path
HELP_OPTIONS: Final = {"help_option_names": ["-h", "--help"]}
COMPLETION: Final = "_ROPEWALK_COMPLETE"
"""The variable by which a shell asks how a line may go on."""

_PLACEHOLDERS: Final[dict[Any, str]] = {int: "N", float: "X", str: "TEXT"}


class _Place(click.Path):
    """A path, which a shell completes; whether it can be used is said by who opens it."""

    def convert(self, value: Any, *_: Any) -> Any:
        """Return it as it stands."""
        return value


_PLACE: Final = _Place()


class Command(click.Command):
    """A command whose options come from a typed dictionary, and stand in the help under the headings of their groups.

    Parameters
    ----------
    name, text
        What the command is called, and its sentence of help.
    kind
        The typed dictionary of its options; see `ropewalk.results.options`.
    run
        A function of the options that were set, as a dictionary.
    examples
        Lines to paste, which the help begins with.
    """

    def __init__(
        self, name: str, text: str, kind: type, run: Callable[[Any], None], examples: Sequence[str] = ()
    ) -> None:
        from ropewalk.results.options import PYTHON_ONLY, options_of

        shown = {key: option for key, option in options_of(kind).items() if option.flag != PYTHON_ONLY}
        self._options, self._run, self._examples = shown, run, examples
        self._flags = {key: option.flag or f"--{key.replace('_', '-')}" for key, option in shown.items()}
        self._spelling = {**self._flags, **_OTHERWISE}
        params = [self._parameter(key) for key in shown]
        if name == "compare":  # what its results are good for
            self._spelling["more_data"] = "ropewalk plan --from RESULTS.json"
        super().__init__(name, help=text, params=params, callback=self._call, context_settings=HELP_OPTIONS)

    @property
    def options(self) -> Mapping[str, Option]:
        """What it takes, by name."""
        return self._options

    @property
    def flags(self) -> Mapping[str, str]:
        """How the shell spells what it takes, by name."""
        return self._flags

    def _parameter(self, name: str) -> click.Parameter:
        option, flag = self._options[name], self._flags[name]
        if not flag.startswith("-"):
            path = _PLACE if option.is_input else None
            required = option.required and "db" not in self._options  # which may be given instead
            metavar = flag if required else f"[{flag}]"
            metavar, number = (f"{metavar}…", -1) if option.several else (metavar, 1)
            return click.Argument([name], type=path, required=required, metavar=metavar, nargs=number)
        if option.parse is bool:
            return click.Option([flag, name], count=True)
        kind = _PLACE if option.metavar in _FILES else str
        known = None if option.choices is None else _completer(option.choices)
        return click.Option([flag, name], type=kind, multiple=True, required=option.required, shell_complete=known)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the line; an error knows which command it is about."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an error spells options as this command does."""
        try:
            return super().invoke(ctx)
        except RopewalkError as error:
            error.message = in_shell(error.message, self._spelling)
            error.hint = None if error.hint is None else in_shell(error.hint, self._spelling)
            raise

    def _parsed(self, name: str, value: Any) -> Any:
        """Read what one option says."""
        from ropewalk.results.parsing import parse_number, parse_whole

        option, flag = self._options[name], self._flags[name]
        if option.parse in (bool, str):
            return value
        if option.parse not in _PLACEHOLDERS:
            return option.parse(value, flag)
        try:
            return parse_whole(value, flag, option.minimum) if option.parse is int else parse_number(value, flag)
        except InvalidInputError as error:
            error.hint = f"{error.hint}; ropewalk {self.name} --help lists the options."
            raise

    def _call(self, **values: Any) -> None:
        from ropewalk._progress import shown
        from ropewalk.cli.output import WRITTEN, check_output
        from ropewalk.cli.reading import as_files, with_query

        if "config" in self._options:
            from ropewalk.cli.config import with_config

            values = with_config(values, str(self.name), self._options, self._flags)
        chosen = self._chosen(values)
        inputs = {name: option for name, option in self._options.items() if option.is_input and name in chosen}
        files = [
            file for name, option in inputs.items() for file in (chosen[name] if option.several else [chosen[name]])
        ]
        if files.count("-") > 1:
            raise InvalidInputError("Standard input can be read only once: - is named twice.", hint="name a file.")
        written = {name: self._flags[name] for name, option in self._options.items() if option.metavar == WRITTEN}
        check_output(chosen, files, written)
        context = click.get_current_context()
        context.meta.update(flags=self._spelling, options=self._options)
        if "db" in self._options:
            chosen = with_query(chosen)
            if self._options["file"].required and "file" not in chosen:
                raise click.MissingParameter(ctx=context, param_hint="'FILE'", param_type="argument")
        with shown(progress=False if context.obj["quiet"] else None), as_files(chosen) as named:
            self._run({**chosen, **named})  # what a stream holds can tell now

    def _chosen(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the options that were set, each given once."""
        chosen: dict[str, Any] = {}
        for name, option in self._options.items():
            value = values[name]
            if isinstance(value, int):  # how often an option without a value occurs
                value = (True,) * value
            elif not isinstance(value, tuple):  # an argument
                value = () if value is None else (value,)
            if option.several:
                value = (value,) if value else ()
            if len(value) > 1:
                raise InvalidInputError(f"{self._flags[name]} is given {len(value)} times.", hint="give it once.")
            if value:
                chosen[name] = value[0] if option.several else self._parsed(name, value[0])
            elif option.shell_default is not None:
                chosen[name] = option.shell_default
        return chosen

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write one section per group."""
        from ropewalk.cli.forms import help_of
        from ropewalk.results.options import GROUPS
        from ropewalk.results.parsing import parse_share

        written = {**_PLACEHOLDERS, parse_share: _PLACEHOLDERS[float]}
        sections: dict[str, list[tuple[str, str]]] = {}
        for name, option in self._options.items():
            flag = self._flags[name]
            value = "" if option.parse is bool else f" {option.metavar or written.get(option.parse, 'TEXT')}"
            default = option.default if option.shell_default is None else option.shell_default
            ending = "" if default is None or default is False else f"  [default: {default}]"
            heading, left = (option.group, flag + value) if flag.startswith("-") else ("Arguments", flag)
            sections.setdefault(heading, []).append((left, help_of(name, self._options) + ending))
        _write_examples(formatter, [f"{self.name} {example}".rstrip() for example in self._examples])
        for heading in ("Arguments", *GROUPS):
            if heading in sections:
                with formatter.section(heading):
                    formatter.write_dl(sections[heading])
        with formatter.section("Anywhere"):
            formatter.write_dl([*_ANYWHERE.items(), _HELP])


def _completer(choices: Callable[[], Iterable[str]]) -> Callable[[click.Context, click.Parameter, str], list[str]]:
    """Return how a shell completes one of some names, or the last of several with commas between them."""

    def complete(_ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        return [f"{before}{comma}{name}" for name in choices() if name.startswith(last)]

    return complete


@cache
def _keep_modules() -> None:
    """Look through modules for garbage no more, since they stay until the end; to ask whether it was done is slow."""
    gc.freeze()


class _Group(click.Group):
    """All commands; the module of each is imported when it runs, so that the list of them is there at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> Command:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            hint = did_you_mean(cmd_name, COMMANDS) + f"There are: {', '.join(COMMANDS)}."
            raise InvalidInputError(f"There is no command {cmd_name!r}.", hint=hint)
        module = import_module(f"ropewalk.cli.cmd_{cmd_name}")
        _keep_modules()
        return Command(cmd_name, COMMANDS[cmd_name], module.Options, module.run, getattr(module, "EXAMPLES", ()))

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        _write_examples(formatter, EXAMPLES)
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))
        with formatter.section("Options"):
            version = ("--version", "Print the version.")
            formatter.write_dl([version, *_ANYWHERE.items(), _HELP])


def _write_examples(formatter: click.HelpFormatter, lines: Sequence[str]) -> None:
    """Write lines to paste; they are never wrapped."""
    if lines:
        with formatter.section("Examples"):
            for line in lines:
                formatter.write(f"{'':>{formatter.current_indent}}ropewalk {line}\n")


app: Final = click.version_option(__version__, message="ropewalk %(version)s")(
    _Group(name="ropewalk", help=HELP, context_settings=HELP_OPTIONS)
)


def main() -> None:
    """Run the command line; a user's mistake is a sentence on stderr and an exit code, never a traceback."""
    debug = "--debug" in sys.argv
    _replace_closed()
    try:
        with _stoppable():
            today()
            code = _run()
    except click.exceptions.Exit as stop:
        code = stop.exit_code
    except KeyboardInterrupt:
        click.echo(INTERRUPTED, nl=False, err=True)
        code = 128 + signal.SIGINT
    except BrokenPipeError as error:  # `| head` is no mistake, and decides nothing
        _close_stdout()
        code = getattr(error, "exit_code", 0)
    except (RopewalkError, click.UsageError, MemoryError, OSError) as error:
        if debug:
            traceback.print_exc()
        code = _fail(error)
    sys.exit(code)


def _run() -> int:
    """Run the line, or complete it for a shell; return the exit code."""
    if instruction := os.environ.get(COMPLETION):
        return shell_complete(app, {}, "ropewalk", COMPLETION, instruction)
    arguments = [argument for argument in sys.argv[1:] if argument not in _ANYWHERE]
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal without ≈ shows \\u2248 instead of failing
            stream.reconfigure(errors="backslashreplace")
    if not arguments:
        click.echo(app.get_help(click.Context(app, info_name="ropewalk")), err=True)
        return InvalidInputError.exit_code
    with app.make_context("ropewalk", arguments, obj={"quiet": "--quiet" in sys.argv, "line": arguments}) as context:
        app.invoke(context)
    return 0


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let a wish to end, or a terminal that is closed, end the command in order: temporary files are cleaned up."""

    def stop(number: int, _: Any) -> None:
        for wish in taken:  # a second one must not disturb what is being cleaned up
            signal.signal(wish, signal.SIG_IGN)
        sys.exit(128 + number)

    wishes = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    here = threading.current_thread() is threading.main_thread()  # others cannot be told
    taken = [wish for wish in wishes if here and signal.getsignal(wish) == signal.SIG_DFL]  # `nohup` ignores one
    for wish in taken:
        signal.signal(wish, stop)
    try:
        yield
    finally:
        for wish in taken:
            if signal.getsignal(wish) == stop:
                signal.signal(wish, signal.SIG_DFL)


def _replace_closed() -> None:
    """Let what is printed go nowhere where there is no stdout or stderr, as after `>&-`."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115 - until the end


def _close_stdout() -> None:
    """Drop what can no longer be printed, which Python would try again at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def as_mistake(error: Exception) -> RopewalkError:
    """Return what went wrong as a sentence and a hint: too little memory, a line that click or the system refuses."""
    if isinstance(error, MemoryError):
        return DataError("There is not enough memory for these data.", hint="is this the right file? Else give less.")
    if isinstance(error, click.UsageError):
        return _in_our_words(error)
    return error if isinstance(error, RopewalkError) else _of_the_system(error)


def _fail(error: Exception) -> int:
    """Print to stderr what is wrong and what to do; return the exit code."""
    if isinstance(error, OSError) and error.filename is None and not isinstance(error, RopewalkError):
        _close_stdout()
    error = as_mistake(error)
    lines = [f"Error: {visible(error.message)}"]
    if error.hint:
        lines.append(f"Hint: {visible(error.hint)}")
    with suppress(OSError):  # the code says it too, where stderr is full
        click.echo("\n".join(lines), err=True)
    return error.exit_code


def _of_the_system(error: Any) -> UnreadableFileError:
    """Return what the system refused: a file that is named, else to print, as to a disk that is full."""
    problem = error.strerror or error
    if error.filename is not None:
        path = shorten_path(os.fsdecode(error.filename))
        return UnreadableFileError(f"Cannot use {path}: {problem}.", hint="name another file.")
    return UnreadableFileError(f"Cannot write to standard output: {problem}.", hint="print it where there is room.")


def _in_our_words(error: click.UsageError) -> InvalidInputError:
    """Return what click found wrong with the line, with a hint."""
    path = "ropewalk" if error.ctx is None else error.ctx.command_path
    hint = f"{path} --help lists the options."
    if isinstance(error, click.NoSuchOption) and error.ctx is not None:
        guess = nearest(error.option_name, (flag for param in error.ctx.command.params for flag in param.opts))
        return InvalidInputError(
            f"There is no option {error.option_name}.", hint=f"did you mean {guess}? {hint}" if guess else hint
        )
    message = error.format_message()
    if message.startswith("Got unexpected extra argument"):
        hint = f"a pattern of files goes in quotation marks, as 'preds/*.csv'; {hint}"
    return InvalidInputError(message, hint=hint)
