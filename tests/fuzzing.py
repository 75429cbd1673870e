"""Command lines that are made to break the commands, drawn from a seed: hostile values, files and bytes.

Commands and options are those that the command line has, so that a new one is attacked without a word here. `World` is
a folder of files of every kind, and lines that work with them; `attacks` spoils one of these lines at a time.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import random
import re
import shutil
import signal
import sqlite3
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from hostile import NAMES
from logwriters import WRITERS, inspect_header, inspect_summary, seeded_answers, write_inspect_archive
from ropewalk.cli.app import COMMANDS, app, main
from support import need

CODES = {0, 2, 4, 5}
"""How a command may end."""

DECIDE = {"gate", "watch"}
"""Commands whose code also says what they found, beside an answer: 1 contradicted, 3 undecided."""

LINES = {
    "compare": [
        "data.csv --truth y --a a --b b",
        "data.csv --truth y --a a --b b --rope 5%",
        "data.jsonl --truth y --a a --b b --json",
        "data.json --truth y --a a --b b --metric accuracy",
        "data.parquet --truth y --a a --b b --details",
        "data.csv.gz --truth y --a a --b b --html page.html",
        "data.csv --metric mean --a s --b t --rope 5%",
        "data.csv --metric brier,roc_auc --truth y --a s --b t --pos-label 1",
        "data.csv --truth y --a a --b b --weight w",
        "data.csv --truth y --a a --b b --cluster g",
        "data.csv --truth y --a s --b t --threshold .5 --markdown",
        "data.csv --item id --label g --truth y --a a --b b",
        "data.csv --truth y --a a --b b --metric cost --cost-matrix matrix.csv",
        "data.db --sql SELECT*FROM+preds --truth y --a a --b b",
        "--file-a data.csv --file-b data.jsonl --id id --truth y --prediction a",
        "--confusion-a matrix.csv --confusion-b matrix.csv --latex",
        "counts.json --rope 5%",
        "new.eval old.eval --rope 5%",
        "new.json old.json",
        "long.csv longer.csv",
        "data.csv --truth y --a a --b b --by g",
        "data.csv --truth y --a a --b b --human h --metric accuracy",
        "data.csv --a a --b b --human-a y --human-b h --rope 5%",
        "data.jsonl --metric mean --a s --b t --human-a w --human-b g",
        "new.eval old.eval --human letter",
    ],
    "evaluate": [
        "data.csv --truth y --prediction a",
        "data.parquet --truth y --prediction a --metric f1,recall --at-least .5",
        "data.csv --truth y --prediction s --metric auc",
        "new.eval",
    ],
    "rank": [
        "data.csv --truth y --predictions a,b",
        "data.csv --predictions s,t --metric mean --plot plot.svg",
        "counts.json",
        "new.eval old.eval",
    ],
    "test": [
        "data.csv --truth y --a a --b b --metric f1 --pos-label 1 --permutations 20",
        "data.csv --truth y --a a --b b",
        "new.eval old.eval",
    ],
    "power": ["scenario.json --n 30 --rope 5%", "--from results.json --n 30", "--from counts.json --n 30 --rope 5%"],
    "plan": [
        "scenario.json --rope 5% --n 30 --goal A≈B --simulations 200",
        "--from results.json --max-n 100 --simulations 200",
        "--from counts.json --rope 5% --max-n 100 --simulations 200",
    ],
    "stopping": [
        "scenario.json --rope 5% --conclusive --batch 50 --max-n 100",
        "--from results.json --conclusive --batch 50 --max-n 100",
    ],
    "gate": [
        "data.csv --truth y --a a --b b --margin 90% --on-undecided pass",
        "data.parquet --truth y --a a --b b --require f1+better --require recall+better --json --on-undecided pass",
        "data.csv --truth y --a a --b b --require better --task g --markdown --on-undecided pass",
        "data.csv --truth y --a a --b b --margin 5% --junit gate.xml --html page.html --on-undecided pass",
        "counts.json --a a --margin 90% --on-undecided pass",
        "new.eval old.eval --margin 5% --on-undecided warn",
        "data.csv --truth y --a a --baseline results.json --b b --margin 5% --on-undecided pass",
        "data.csv --config gate.toml --on-undecided pass",
    ],
    "watch": [
        "data.csv --truth y --a a --b b --margin 90% --once",
        "data.parquet --a s --b t --metric mean --scale 0,1 --margin 90% --once --json",
        "new.eval old.eval --require equivalent --margin 0.9 --once",
    ],
    "convert": ["new.eval old.eval -o items.csv", "new.json -o items.parquet", "long.csv -o items.csv"],
    "datasets": [
        "sets.csv --dataset set --a new --b old --rope 0.5",
        "sets.csv --dataset set --scores new,old,base --rope 0.5",
    ],
    "doctor": ["data.csv", "new.eval old.eval --json", "counts.json results.json data.db", "data.parquet data.jsonl"],
    "count": [
        "data.csv --truth y --a a --b b -o made.json",
        "data.parquet --truth y --predictions a,b --cluster g",
        "--file-a data.csv --file-b data.jsonl --id id --truth y --prediction a",
    ],
    "merge": ["counts.json more.json -o made.json"],
    "demo": ["--html page.html"],
    "reproduce": ["sigir2016 --draws 100"],
    "mcp": ["--quiet"],
    "completion": ["bash"],
}  # fmt: skip
"""Lines that work in a `World`; a command without one is attacked with a file."""

SLOW = {"demo", "reproduce"}
"""Commands whose work does not depend on what is given to them."""

WRITES = {"--html", "--plot", "--items", "--data", "--junit", "-o"}
"""Options that name what is written."""

COSTLY = {"--engine", "--step", "--chains", "--tune"}
"""Options of chains, which take a minute to compile."""

SMALL = {"--draws": "100", "--simulations": "2"}
"""What keeps a line cheap, where the command has the option."""

NUMBERS = (
    "nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "-0.0", "0", "-1", "1", "2", "1.5", "9" * 400, "1e400", "0,01",
    "5%", "0x10", "1_0", "１", "0.5,inf", "-0.03,inf", "0=.5,1=.5", "1e-9", ".5,.5", "f1=0.01", "1e3", "--",
)  # fmt: skip
TEXTS = ("", " ", "a\nb", "a\r\nb", "a\0b", "\udcff", "%s%n{0}", "=1+1", "'\"`", "a,,b", ",", "a=b=c", "auto", "y", "a")
PLACES = (
    "/dev/null", "/dev/full", "/dev/zero", "/dev/stdin", "/dev/tty",
    "/proc/self/mem", "/proc/kmsg", "/", ".", "..", "folder",
    "folder/*.csv", "nowhere/x.csv", "missing.csv", "link.csv", "dangling", "loop", "data.csv", "./data.csv", "empty",
    "spaces", "read-only.csv", "x" * 300, "x/" * 2_000, "a\0b", "~", "-", "file:///etc/passwd", "http://[",
    "data.csv/x", "[", "**", "postgresql://127.0.0.1:1/x", "sqlite://", "duckdb:///nowhere", ":memory:",
)  # fmt: skip
PIECES = (
    b"\0", b"\n", b"\r", b'"', b"'", b",", b";", b"\t", b"{", b"}", b"[", b"]", b":", b"-", b".", b"e",
    b"\\", b"\xff", b"\xef\xbb\xbf",
    b"nan", b"inf", b"NaN", b"Infinity", b"null", b"true", b"1e308", b"-1e308", b"1e-320", b"-0.0", b"9" * 40,
    b"9" * 400, b"1e999", b"-1", b"0", b"\\ud800", b"\\u0000", b"\x1b[31m", b"<b>", b"x" * 5_000, b"[" * 3_000,
    b'{"a":' * 3_000,
)  # fmt: skip

MUTANT = "mutant-"
"""How the names of damaged files begin; they are there for one line."""

_TEMPORARY = re.compile(r"^\..*\.[0-9a-f]{16}$|^ropewalk-")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]")


class World:
    """A folder of files of every kind, in which commands run."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.temporary = folder / "world", folder / "temporary"
        self.folder.mkdir()
        self.temporary.mkdir()
        with contextlib.chdir(self.folder):
            self._write()
        self.files = {path.name: path.read_bytes() if path.is_file() else None for path in self.folder.iterdir()}

    def _write(self) -> None:
        draw = random.Random(1)
        keys = ("id", "y", "a", "b", "s", "t", "w", "g", "h")
        rows = [
            (
                i,
                i % 2,
                int(draw.random() < 0.7),
                int(draw.random() < 0.6),
                *(round(draw.random(), 2) for _ in "stw"),
                i % 5,
                i // 2 % 2,
            )
            for i in range(24)
        ]
        Path("data.csv").write_text("\n".join(",".join(map(str, row)) for row in [keys, *rows]) + "\n")
        Path("data.csv.gz").write_bytes(gzip.compress(Path("data.csv").read_bytes(), mtime=0))
        texts = [
            dict(zip(keys, map(str, row[:4]), strict=False)) | dict(zip(keys[4:], row[4:], strict=True)) for row in rows
        ]
        Path("data.json").write_text(json.dumps(texts))
        Path("data.jsonl").write_text("\n".join(map(json.dumps, texts)))
        columns = {key: [row[i] for row in rows] for i, key in enumerate(keys)}
        need("pyarrow.parquet").write_table(need("pyarrow").table(columns), "data.parquet")
        with contextlib.closing(sqlite3.connect("data.db")) as base, base:
            base.execute(f"CREATE TABLE preds ({', '.join(keys)})")
            base.executemany(f"INSERT INTO preds VALUES ({','.join('?' * len(keys))})", rows)
        Path("matrix.csv").write_text("9,1\n2,8\n")
        sets = (
            "set,new,old,base",
            *(f"{name},{7 + i % 3},{6 + i % 2},{5 + i % 4}" for i, name in enumerate("abcdefgh")),
        )
        Path("sets.csv").write_text("\n".join(sets))
        Path("gate.toml").write_text(
            '[tool.ropewalk.gate]\ntruth = "y"\na = "a"\nb = "b"\nrequire = ["accuracy not-worse 5%"]\n'
        )
        Path("scenario.json").write_text('{"metric": "f1", "a": 0.6, "b": 0.5, "agreement": 0.7}')
        here = Path()
        for seed, system in enumerate(("new", "old")):
            answers = seeded_answers(seed, n_items=12, n_errors=0)
            WRITERS["inspect"](here, system, answers)
            summaries, head = list(map(inspect_summary, answers)), inspect_header(system)
            write_inspect_archive(here / f"{system}.eval", summaries, head)
        for seed, system in enumerate(("long", "longer")):
            WRITERS["long csv"](here, system, seeded_answers(seed, n_items=12, n_errors=0))
        Path("empty").touch()
        Path("spaces").write_text(" \n" * 9)
        Path("folder").mkdir()
        shutil.copy("data.csv", "folder/part.csv")
        Path("link.csv").symlink_to("data.csv")
        Path("dangling").symlink_to("nothing-here")
        Path("loop").symlink_to("loop")
        shutil.copy("data.csv", "read-only.csv")
        Path("read-only.csv").chmod(0o444)
        columns = ["--truth", "y", "--a", "a", "--b", "b"]
        for line, name in (
            (["count", "data.csv", *columns], "counts.json"),
            (["count", "data.jsonl", *columns], "more.json"),
            (["compare", "data.csv", *columns, "--rope", "5%", "--draws", "50", "--json"], "results.json"),
        ):
            code, out, err = self._run(line)
            assert code == 0, err
            Path(name).write_text(out)

    def add(self, name: str, content: bytes) -> None:
        """Write a file that belongs to this folder until `drop`."""
        (self.folder / name).write_bytes(content)
        self.files[name] = content

    def drop(self, name: str) -> None:
        """Remove a file of this folder."""
        (self.folder / name).unlink()
        del self.files[name]

    def run(self, line: list[str]) -> tuple[int, str, str]:
        """Run a line in this folder; return its code, stdout and stderr."""
        with contextlib.chdir(self.folder):
            return self._run(line)

    def _run(self, line: list[str]) -> tuple[int, str, str]:
        out, err, stdin = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(3))
        with (
            mock.patch.multiple(sys, argv=["ropewalk", *line], stdout=out, stderr=err, stdin=stdin),
            mock.patch.object(tempfile, "tempdir", str(self.temporary)),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("error")
            before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
            try:
                main()
            except SystemExit as stop:
                code = stop.code or 0
            finally:  # once a command is told to end it hears no more, until the process does
                for number, handler in before.items():
                    signal.signal(number, handler)
        return code, out.buffer.getvalue().decode(), err.buffer.getvalue().decode()

    def problems(self, line: list[str]) -> list[str]:
        """Run a line, and return what is wrong with how it ended; what it has made is gone afterwards."""
        try:
            code, out, err = self.run(line)
        except Exception:  # noqa: BLE001 - whatever comes through is a traceback
            return [traceback.format_exc()[-1500:], *self._damage(line)]
        found = []
        if line[0] in DECIDE and code in {1, 3} and out:
            code = 0
        if code not in CODES:
            found.append(f"code {code}: {err}")
        if code and not re.match(r"(?s)(Note .*\n)*Error: .+\nHint: .+", err):
            found.append(f"no error with a hint: {err!r}")
        if code and out:
            found.append(f"an answer beside the error {err!r}: {out[:200]!r}")
        if "Traceback" in err or "Warning:" in err:
            found.append(f"a foreign word: {err!r}")
        if len(err) > 10_000:
            found.append(f"{len(err)} characters of errors")
        found += [
            f"{control[0]!r} is printed: {text[max(0, control.start() - 60) : control.end() + 20]!r}"
            for text in (out, err)
            if (control := _CONTROL.search(text))
        ]
        return found + self._damage(line)

    def _damage(self, line: list[str]) -> list[str]:
        """Return which files were changed or left over, and bring the folder back to what it was."""
        found = []
        for path in [*self.folder.iterdir(), *self.temporary.iterdir()]:
            if path.parent == self.temporary or (path.name not in self.files and _TEMPORARY.match(path.name)):
                found.append(f"{path.name!r} was left over")
            elif path.name not in self.files and path.is_file() and not path.stat().st_size:
                found.append(f"{path.name!r} is empty")
            if path.name not in self.files:
                _remove(path)
        for name, content in self.files.items():
            path = self.folder / name
            if content is not None and path.read_bytes() != content:
                path.write_bytes(content)
                if not self._may_write(line, path):
                    found.append(f"{name!r} was changed")
        return found

    def _may_write(self, line: list[str], path: Path) -> bool:
        """Whether a line names a file as what it writes, and not as what it reads."""
        parts = [*enumerate(line), *((i, part.partition("=")[2]) for i, part in enumerate(line) if part[:1] == "-")]
        named = [
            i for i, part in parts if part and "\0" not in part and (self.folder / part).resolve() == path.resolve()
        ]
        return bool(named) and all({line[i - 1], line[i].partition("=")[0]} & WRITES for i in named)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def lines_of(name: str) -> list[list[str]]:
    """Return lines of a command that work, cheap where they can be."""
    known = {flag for param in app.get_command(None, name).params for flag in param.opts}
    lines = [[part.replace("+", " ") for part in line.split(" ")] for line in LINES.get(name, ["data.csv"])]
    small = {flag: value for flag, value in SMALL.items() if flag in known}
    return [
        [name, *line, *(part for flag in small if flag not in line for part in (flag, small[flag]))] for line in lines
    ]


def attacks(world: World, seed: int) -> Iterator[list[str]]:
    """Yield lines without end, each spoilt in one place or two."""
    draw = random.Random(seed)
    names = [name for name in COMMANDS if name not in SLOW or draw.random() < 0.05]
    while True:
        line = draw.choice(lines_of(draw.choice(names)))
        for _ in range(draw.choice((1, 1, 1, 2))):
            line = draw.choice((_with_option, _with_option, _with_place, _with_mutant, _with_mutant))(draw, line, world)
        yield line
        for name in [name for name in world.files if name.startswith(MUTANT)]:
            world.drop(name)


def _with_option(draw: random.Random, line: list[str], _: World) -> list[str]:
    """Give an option a hostile value."""
    params = app.get_command(None, line[0]).params
    options = [param for param in params if param.opts[0].startswith("-") and param.opts[0] not in COSTLY]
    option = draw.choice(options) if options else None
    if option is None:
        return [*line, _value(draw)]
    flag = option.opts[0]
    if option.is_flag or option.count:
        return line if flag in line else [*line, flag]
    value = _value(draw)
    if flag in line:
        place = line.index(flag)
        line = line[:place] + line[place + 2 :]
    return [*line, flag, value] if draw.random() < 0.5 or not flag.startswith("--") else [*line, f"{flag}={value}"]


def _value(draw: random.Random) -> str:
    kind = draw.choice((NUMBERS, NUMBERS, TEXTS, tuple(NAMES.values()), PLACES))
    value = draw.choice(kind)
    return value.encode("utf-8", "surrogateescape" if "\udcff" in value else "replace").decode(
        "utf-8", "surrogateescape"
    )


def _files(line: list[str], world: World) -> list[int]:
    return [i for i, part in enumerate(line) if part in world.files and line[i - 1] not in WRITES]


def _with_place(draw: random.Random, line: list[str], world: World) -> list[str]:
    """Name something else instead of a file."""
    if not (places := _files(line, world)):
        return _with_option(draw, line, world)
    place = draw.choice(places)
    other = draw.choice((draw.choice(PLACES), draw.choice(sorted(world.files))))
    return [*line[:place], other, *line[place + 1 :]]


def _with_mutant(draw: random.Random, line: list[str], world: World) -> list[str]:
    """Damage a file, byte by byte."""
    places = [i for i in _files(line, world) if world.files[line[i]] and not line[i].startswith(MUTANT)]
    if not places:
        return _with_option(draw, line, world)
    place = draw.choice(places)
    content, name = bytearray(world.files[line[place]]), f"{MUTANT}{place}-{line[place]}"
    for _ in range(draw.choice((1, 1, 1, 2, 5, 20))):
        if not content:
            break
        at = draw.randrange(len(content))
        match draw.randrange(7):
            case 0:
                content[at] = draw.randrange(256)
            case 1:
                content[at:at] = draw.choice(PIECES)
            case 2:
                del content[at : at + draw.choice((1, 1, 2, 8, 64))]
            case 3:
                content[at:at] = content[at : at + draw.choice((1, 8, 64, 512))]
            case 4:
                del content[at:]
            case _:  # a word becomes another
                words = list(re.finditer(rb"[\w.]+", content))
                if words:
                    word = draw.choice(words)
                    content[word.start() : word.end()] = draw.choice(PIECES)
    world.add(name, bytes(content))
    return [*line[:place], name, *line[place + 1 :]]
