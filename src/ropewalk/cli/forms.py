"""Which form the data of a line have, and which options go with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

import click

from ropewalk.cli.output import with_notes
from ropewalk.cli.reading import flag_of, named_files
from ropewalk.data import kinds
from ropewalk.data.databases import Query
from ropewalk.errors import InvalidInputError
from ropewalk.results.forms import COUNTS, FILE, FORMS, JOINED, LOGS, LONG, MATRICES, any_of
from ropewalk.results.options import Option

Options = Mapping[str, Any]

_MADE_BY: Final = {
    FILE: ("file",),
    JOINED: ("file_a", "file_b"),
    MATRICES: ("confusion_a", "confusion_b"),
    LOGS: ("scorer",),
    LONG: ("system",),
    COUNTS: ("json",),
}
"""Options of which a command has the first if it takes a form."""

_FILES: Final = (FILE, JOINED, MATRICES)
"""Forms that are known by their options; what FILE holds tells the others."""


def form_of(options: Options) -> str:
    """Return the form of the data that a line names."""
    forms = [form for form in _FILES if any(file in options for file in _MADE_BY[form])]
    if len(forms) != 1:
        context = click.get_current_context()
        here = [form for form in _FILES if _takes(form)]
        text = f"The data are named twice: {', '.join(forms)}." if forms else "Missing argument 'FILE'."
        hint = f"give exactly one of {', '.join(here)}; ropewalk {context.info_name} --help lists the options."
        raise InvalidInputError(text, hint=hint)
    require_options(options, _MADE_BY[forms[0]])
    return _form_of_file(options) if forms == [FILE] else forms[0]


def refuse_idle(options: Options, form: str) -> None:
    """Refuse options that data of a form would pass over in silence."""
    meta = click.get_current_context().meta
    known: Mapping[str, Option] = meta["options"]
    for name in options:
        if name in known and form not in known[name].forms:
            raise InvalidInputError(
                f"{meta['flags'].get(name, flag_of(name))} does not go with {form}.",
                hint=f"it goes with {any_of(_forms_of(name, known))}; leave it out here.",
            )


def help_of(name: str, known: Mapping[str, Option]) -> str:
    """Return the line of help of an option, which begins with what data it is about where a table is none of them."""
    option = known[name]
    if FILE in option.forms or flag_of(name) in option.forms:
        return option.line
    return f"With {any_of(_forms_of(name, known))}: {option.line}"


def require_options(options: Options, names: Sequence[str]) -> None:
    """Refuse a line without some options."""
    absent = [flag_of(name) for name in names if name not in options]
    if absent:
        command = click.get_current_context().info_name
        raise InvalidInputError(f"Missing option {', '.join(absent)}.", hint=f"ropewalk {command} --help lists them.")


def _forms_of(name: str, known: Mapping[str, Option]) -> list[str]:
    """Return the forms that an option goes with, of those that its command takes."""
    return [form for form in FORMS if form in known[name].forms and _MADE_BY[form][0] in known]


def _refuse_tables(options: Options, files: Sequence[Any]) -> None:
    """Refuse several tables, which only --truth tells from logs."""
    if "truth" in options and not any(with_notes(partial(kinds.kind_of, file)) is kinds.LOGS for file in files):
        joined = "; two that are joined by their ids are --file-a and --file-b" if _takes(JOINED) else ""
        hint = f"the parts of one table are a pattern in quotation marks, as 'part*.csv'{joined}."
        raise InvalidInputError(f"{len(files)} files are named, and --truth is a column of one table.", hint=hint)


def _takes(form: str) -> bool:
    """Whether the command takes data of a form."""
    return _MADE_BY[form][0] in click.get_current_context().meta["options"]


def _form_of_file(options: Options) -> str:
    """Return what FILE is, and the files beside it are: by other options, or their content tells."""
    files = named_files(options)
    if all(kinds.kind_of(file, (kinds.COUNTS,)) is kinds.COUNTS for file in files):
        return COUNTS
    if "system" in options:
        return LONG
    if len(files) > 1:
        _refuse_tables(options, files)
        return LOGS
    if "truth" in options or isinstance(files[0], Query):
        return FILE
    return LOGS if with_notes(lambda: kinds.kind_of(files[0])) is kinds.LOGS else FILE
