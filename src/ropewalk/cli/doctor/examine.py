"""Find out what a file is, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from ropewalk._files import shorten_path
from ropewalk.cli.doctor.finding import Command, Finding, argument_of, size_of
from ropewalk.cli.doctor.logs import describe_logs, describe_qrels
from ropewalk.cli.doctor.tables import commands_of
from ropewalk.data.counts import open_counts
from ropewalk.data.databases import Query
from ropewalk.data.databases.connecting import database_of, kind_of_file
from ropewalk.data.documents import ANSWERS, short_document
from ropewalk.data.engines import quoted_name
from ropewalk.data.files import format_at
from ropewalk.data.kinds import ANSWER, COUNTS, DATABASE, LOGS, QRELS, SCENARIO, TABLE, Kind, kind_of
from ropewalk.data.labels import BINARY, label_text, usual_positive
from ropewalk.data.opening import opened
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.patterns import is_pattern, tables_in
from ropewalk.data.profiles import look_at
from ropewalk.data.records import records_of
from ropewalk.data.roles import find_roles
from ropewalk.errors import FileFormatError, RopewalkError, UnreadableFileError
from ropewalk.text.writing import shorten

MAX_TABLES: Final = 20
_HEAD_BYTES: Final = 1 << 16


def examine(path: str) -> Finding:
    """Return what a file, a folder or the files that a pattern names are."""
    if not path:
        raise UnreadableFileError("A file without a name cannot be read.", hint="name a file, a folder or a pattern.")
    if not is_pattern(path) and not Path(path).is_dir():
        with opened(path) as stream:  # what cannot be read says why
            if not stream.read(_HEAD_BYTES).strip():
                raise FileFormatError(f"{shorten_path(path)} is empty.", hint="there is nothing to look at.")
    kind = kind_of(path)
    return _DESCRIBED[kind](path) if kind in _DESCRIBED else _other(path, kind)


def _other(path: str, kind: Kind) -> Finding:
    return Finding(path=path, what=kind.name, facts=size_of(path), remarks=(kind.reader,))


# -- tables ------------------------------------------------------------------------------------------------


def _table(path: str) -> Finding:
    look = look_at(records_of(path))
    roles, remarks = find_roles(look.columns), list(look.remarks)
    commands = commands_of(path, roles) if look.rows else ()
    if not look.rows:
        remarks.append("It has no rows.")
    elif not commands:
        remarks.append(
            "No column is known by its name as the truth or as a prediction: name them by --truth, --a, --b."
        )
    if any(column.empty for column in (roles.truth, *roles.predictions) if column):
        remarks.append(
            "Some labels are missing: --missing drop leaves those items out, --missing wrong counts an error."
        )
    return Finding(
        path=path,
        what=f"a table ({format_at(tables_in(path)[0])})",
        facts={**size_of(path), **({"rows": look.rows} if look.is_whole else {}), "columns": len(look.columns)},
        heads=("column", "holds", "different", "missing", "looks like", "such as"),
        rows=[(c.name, c.kind, c.distinct, c.empty, roles.of(c), shorten(c.first[:3], 3)) for c in look.columns],
        remarks=tuple(remarks),
        commands=commands,
        roles=roles,
    )


# -- databases ---------------------------------------------------------------------------------------------


def _database(path: str) -> Finding:
    with database_of(path) as database:
        tables = database.tables()
    rows: list[tuple[Any, ...]] = []
    commands: list[Command] = []
    for table in tables[:MAX_TABLES]:
        with suppress(RopewalkError):  # a view may be broken
            query = Query(f"SELECT * FROM {quoted_name(table)}", path)  # noqa: S608 - a name of the database itself
            look = look_at(query)
            roles = find_roles(look.columns)
            rows += [(table, c.name, c.kind, c.distinct, c.empty, roles.of(c)) for c in look.columns]
            lines = commands_of(path, roles) if look.rows else ()
            commands += [
                Command(asks=f"{c.asks}: {table}", arguments=(*c.arguments[:2], "--sql", query.query, *c.arguments[2:]))
                for c in lines
            ]
    more = (f"Only the first {MAX_TABLES} tables were looked at.",) if len(tables) > MAX_TABLES else ()
    return Finding(
        path=path,
        what=f"a {kind_of_file(path)} database",
        facts={**size_of(path), "tables": len(tables)},
        heads=("table", "column", "holds", "different", "missing", "looks like"),
        rows=rows,
        remarks=more,
        commands=tuple(commands),
    )


# -- counts and answers ------------------------------------------------------------------------------------


def _counts(path: str) -> Finding:
    counts = open_counts(path)
    table, file, names = counts.table, argument_of(path), counts.table.names
    facts: dict[str, Any] = {"items": table.n_items, "rows": int(table.counts.size)}
    facts |= {} if table.n_clusters is None else {"clusters": table.n_clusters}
    score = table.score if isinstance(table, Outcomes) else None
    facts |= {"systems": list(names)}
    facts |= {"labels": shorten(table.labels)} if score is None else {"scored by": shorten([score.name])}
    two = isinstance(table, Outcomes) and score is None and len(table.true_labels) == BINARY
    named = two and usual_positive(table.labels) is None
    positive = ("--pos-label", label_text(table.true_labels[-1])) if named and isinstance(table, Outcomes) else ()
    commands = [Command(asks="How good is one", arguments=("evaluate", file, "--prediction", names[0], *positive))]
    if len(names) > 1:
        pair = ("--a", names[0], "--b", names[1])
        commands.insert(0, Command(asks="Is one better than the other", arguments=("compare", file, *pair, *positive)))
        commands.append(Command(asks="Which is best", arguments=("rank", file, *positive)))
    return Finding(path=path, what="counts", facts={**size_of(path), **facts}, commands=tuple(commands))


def _answer(path: str) -> Finding:
    document = short_document(path)
    what = "an answer of ropewalk: " + next(what for key, what in ANSWERS.items() if key in document)
    facts = {**size_of(path), **({"items": document["n_items"]} if isinstance(document.get("n_items"), int) else {})}
    facts |= {name: document[name] for name in ("metric", "model") if isinstance(document.get(name), str)}
    commands: tuple[Command, ...] = ()
    if "delta" in document and isinstance(document.get("recipe"), dict):
        rope = () if document.get("rope") else ("--rope", "1%")
        line = ("plan", "--from", argument_of(path), *rope)
        commands = (Command(asks="How many more items would settle it", arguments=line),)
    told = (document["headline"],) if isinstance(document.get("headline"), str) else ()
    return Finding(path=path, what=what, facts=facts, remarks=told, commands=commands)


def _scenario(path: str) -> Finding:
    file = argument_of(path)
    return Finding(
        path=path,
        what="a scenario of test sets to come",
        facts=size_of(path),
        commands=(
            Command(asks="How many items does it take", arguments=("plan", file, "--rope", "5%")),
            Command(asks="What do so many items find", arguments=("power", file, "--n", "500,1000", "--rope", "5%")),
        ),
    )


_DESCRIBED: Final[dict[Kind, Callable[[str], Finding]]] = {
    DATABASE: _database,
    COUNTS: _counts,
    ANSWER: _answer,
    SCENARIO: _scenario,
    QRELS: describe_qrels,
    LOGS: describe_logs,
    TABLE: _table,
}
"""What looks at each kind of file; of any other its name is said."""
