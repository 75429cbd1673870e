"""Find out what a file is, and what can be asked of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Any, Final

from ropewalk._files import shorten_path
from ropewalk.cli.doctor.finding import ROWS_LOOKED_AT, Command, Finding, argument_of, size_of
from ropewalk.cli.doctor.logs import describe_logs, describe_qrels, is_qrels
from ropewalk.cli.doctor.tables import commands_of, find_roles
from ropewalk.data.counts import is_counts, open_counts
from ropewalk.data.databases import Query
from ropewalk.data.databases.connecting import database_of, kind_of_file
from ropewalk.data.engines import quoted_name
from ropewalk.data.files import column_names, first_rows, format_at
from ropewalk.data.labels import BINARY, label_text, usual_positive
from ropewalk.data.logs.registry import is_log
from ropewalk.data.opening import opened, parse_json
from ropewalk.data.outcomes import Outcomes
from ropewalk.data.patterns import is_pattern, tables_in
from ropewalk.data.profiles import Column, profile
from ropewalk.errors import DataError, FileFormatError, RopewalkError, UnreadableFileError
from ropewalk.text.writing import shorten

MAX_COLUMNS: Final = 200
MAX_TABLES: Final = 20
_ROWS_TRIED: Final = 100
_DOCUMENT_CAP: Final = 1 << 22  # an answer, or a scenario, is much shorter
_HEAD_BYTES: Final = 1 << 16


def examine(path: str) -> Finding:
    """Return what a file, a folder or the files that a pattern names are."""
    if not path:
        raise UnreadableFileError("A file without a name cannot be read.", hint="name a file, a folder or a pattern.")
    if is_pattern(path) or Path(path).is_dir():
        return describe_logs(path) if is_log(path) else _table(path)
    with opened(path) as stream:  # what cannot be read says why
        if not stream.read(_HEAD_BYTES).strip():
            raise FileFormatError(f"{shorten_path(path)} is empty.", hint="there is nothing to look at.")
    for knows, describe in _KINDS:
        if knows(path):
            return describe(path)
    return _table(path)


# -- tables ------------------------------------------------------------------------------------------------


def _table(path: str) -> Finding:
    names = column_names(path)
    columns, unread = _columns(names, lambda wanted: first_rows(path, wanted))
    what = f"a table ({format_at(tables_in(path)[0])})"
    return _of_columns(path, what, size_of(path), columns, (*unread, *_twice(names)))


def _twice(names: Sequence[str]) -> list[str]:
    twice = [name for name, number in Counter(names).items() if number > 1]
    return [f"Several columns are called {shorten(twice)}: none of them can be asked for."] if twice else []


def _columns(
    names: Sequence[str], read: Callable[[Sequence[str]], Iterator[tuple[Any, ...]]]
) -> tuple[list[Column], tuple[str, ...]]:
    """Look at the first rows of all columns that can be read, and say which cannot."""
    counted = Counter(names)
    once = [name for name in dict.fromkeys(names) if counted[name] == 1]
    wanted = once[:MAX_COLUMNS]
    remarks = [f"Only the first {MAX_COLUMNS} of {len(once):,} columns were looked at."] if wanted != once else []
    try:
        return _looked_at(wanted, read, ROWS_LOOKED_AT), tuple(remarks)
    except DataError:
        bad = []
        for name in wanted:
            try:
                _looked_at([name], read, _ROWS_TRIED)
            except FileFormatError:
                raise
            except DataError as error:
                bad.append(name)
                remarks.append(error.message)
        if not bad:
            raise
    return _looked_at([name for name in wanted if name not in bad], read, ROWS_LOOKED_AT), tuple(remarks)


def _looked_at(
    names: Sequence[str], read: Callable[[Sequence[str]], Iterator[tuple[Any, ...]]], number: int
) -> list[Column]:
    with closing(read(names)) as rows:  # type: ignore[type-var]
        return profile(names, islice(rows, number))


def _of_columns(
    path: str, what: str, facts: dict[str, Any], columns: Sequence[Column], remarks: Sequence[str]
) -> Finding:
    roles, number = find_roles(columns), max((column.rows for column in columns), default=0)
    if not number:
        remarks = (*remarks, "It has no rows.")
    all_seen = number < ROWS_LOOKED_AT
    looked = [] if all_seen else [f"Only the first {ROWS_LOOKED_AT:,} rows were looked at; later ones may differ."]
    commands = commands_of(path, roles) if number else ()
    if number and not commands:
        looked.append("No column is known by its name as the truth or as a prediction: name them by --truth, --a, --b.")
    if any(column.empty for column in (roles.truth, *roles.predictions) if column):
        looked.append(
            "Some labels are missing: --missing drop leaves those items out, --missing wrong counts an error."
        )
    return Finding(
        path=path,
        what=what,
        facts={**facts, **({"rows": number} if all_seen else {}), "columns": len(columns)},
        heads=("column", "holds", "different", "missing", "looks like", "such as"),
        rows=[(c.name, c.kind, c.distinct, c.empty, roles.of(c), shorten(c.first[:3], 3)) for c in columns],
        remarks=(*remarks, *looked),
        commands=commands,
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
            columns, _ = _columns(query.names(), query.rows)
            roles = find_roles(columns)
            rows += [(table, c.name, c.kind, c.distinct, c.empty, roles.of(c)) for c in columns]
            lines = commands_of(path, roles) if any(column.rows for column in columns) else ()
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
    facts |= {"systems": list(names), "labels": shorten(table.labels)}
    two = isinstance(table, Outcomes) and len(table.true_labels) == BINARY
    named = two and usual_positive(table.labels) is None
    positive = ("--pos-label", label_text(table.true_labels[-1])) if named and isinstance(table, Outcomes) else ()
    commands = [Command(asks="How good is one", arguments=("evaluate", file, "--prediction", names[0], *positive))]
    if len(names) > 1:
        pair = ("--a", names[0], "--b", names[1])
        commands.insert(0, Command(asks="Is one better than the other", arguments=("compare", file, *pair, *positive)))
        commands.append(Command(asks="Which is best", arguments=("rank", file, *positive)))
    return Finding(path=path, what="counts", facts={**size_of(path), **facts}, commands=tuple(commands))


def _document_of(path: str) -> dict[str, Any] | None:
    """Return a short JSON object, None where a file is something else."""
    with opened(path) as stream:
        content = stream.read(_DOCUMENT_CAP + 1)
    if len(content) > _DOCUMENT_CAP or not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    try:
        document = parse_json(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return document if isinstance(document, dict) else None


def _is_answer(path: str) -> bool:
    document = None if Path(path).is_dir() else _document_of(path)
    return document is not None and document.get("schema") == 1 and bool(_ANSWERS.keys() & document.keys())


_ANSWERS: Final = {
    "delta": "a comparison",
    "pairwise": "a ranking",
    "metrics": "an evaluation",
    "classes": "comparisons of every class",
    "tests": "classical tests",
}


def _answer(path: str) -> Finding:
    document = _document_of(path) or {}
    what = "an answer of ropewalk: " + next(what for key, what in _ANSWERS.items() if key in document)
    facts = {**size_of(path), **({"items": document["n_items"]} if isinstance(document.get("n_items"), int) else {})}
    facts |= {name: document[name] for name in ("metric", "model") if isinstance(document.get(name), str)}
    commands: tuple[Command, ...] = ()
    if "delta" in document and isinstance(document.get("recipe"), dict):
        rope = () if document.get("rope") else ("--rope", "1%")
        line = ("plan", "--from", argument_of(path), *rope)
        commands = (Command(asks="How many more items would settle it", arguments=line),)
    told = (document["headline"],) if isinstance(document.get("headline"), str) else ()
    return Finding(path=path, what=what, facts=facts, remarks=told, commands=commands)


def _is_scenario(path: str) -> bool:
    document = None if Path(path).is_dir() else _document_of(path)
    return document is not None and any(all(key in document for key in keys) for keys in _SCENARIOS)


_SCENARIOS: Final = (("positive", "negative"), ("metric", "a", "b"), ("confusion_a", "confusion_b"), ("joint",))


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


_KINDS: Final[tuple[tuple[Callable[[str], bool], Callable[[str], Finding]], ...]] = (
    (lambda path: kind_of_file(path) is not None, _database),
    (is_counts, _counts),
    (_is_answer, _answer),
    (_is_scenario, _scenario),
    (is_qrels, describe_qrels),
    (is_log, describe_logs),
)
"""What a file may be, the first that knows it; else it is a table."""
