"""What every evaluation log comes to: long rows, one per system, item and repeat."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from ropewalk.data.log_score import Score as Score  # noqa: PLC0414 - readers of logs take it from here
from ropewalk.errors import DataError, InvalidInputError, UnknownNameError
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import did_you_mean, shorten

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f]+")
_ERROR_CLASS = re.compile(r"(\w+)\(.*", re.DOTALL)

MAX_ERROR_LETTERS = 200
CHECKED_LETTERS = 16  # of a fingerprint: two questions collide once in 10^19


class Row(NamedTuple):
    """What one system answered to one item, once.

    `score` is None where there is none, and then `error` says why. `question` is a fingerprint of what was asked, by
    which rows under the same id are seen to be about the same item; None where the log does not hold it. `chances` are
    the system's probabilities of the labels, of which the prediction has the highest; None where the log has none, or
    nobody asked for them.
    """

    task: str
    item: str
    repeat: int
    system: str
    truth: str | None = None
    prediction: str | None = None
    score: float | None = None
    cluster: str | None = None
    error: str | None = None
    question: str | None = None
    chances: Mapping[str, float] | None = None


COLUMNS = ("task", "item", "repeat", "system", "truth", "prediction", "score", "cluster", "error")
"""The columns of a converted log, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """What is asked of a log: one of its scores and filters, and the key of its items that names their clusters.

    Where `of_some` is true, only some of the items have that key. `qrels` is the file of relevance judgements that runs
    of search systems are judged by. `chances` is whether the probabilities of labels are wanted, which take memory.
    """

    scorer: str | None = None
    filter: str | None = None
    cluster: str | None = None
    of_some: bool = False
    qrels: str | None = None
    chances: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """The answers of one system to one task.

    `rows` reads them, as often as it is called, one at a time. `scores` and `filters` are what there is to choose from.
    `facts` are what else may tell it from another run of the same model: solver, prompt, arguments, tags. `notes` are
    sentences about the log that a reader of the answer should know. `find_score(name)` returns a score that is not in
    the list, where there are more than one can list: measures at any depth. `path` is set for the reader.
    """

    system: str
    task: str = ""
    scores: tuple[Score, ...]
    filters: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    rows: Callable[[Choice], Iterator[Row]] = field(repr=False)
    find_score: Callable[[str], Score | None] = field(default=lambda _name: None, repr=False)
    path: str = ""

    def score(self, choice: Choice) -> Score:
        """Return the score that was chosen: by its name, or the only one."""
        names = [score.name for score in self.scores]
        others = (
            found for name in wanted_names(choice.scorer) if name not in names and (found := self.find_score(name))
        )
        if not any(name in names for name in wanted_names(choice.scorer)) and (found := next(others, None)):
            return found
        return self.scores[names.index(pick(choice.scorer, names, "scorer", "scores", self.task))]

    def filter(self, choice: Choice) -> str | None:
        """Return the filter that was chosen; None where the log has none."""
        if not self.filters and choice.filter is None:
            return None
        return pick(choice.filter, self.filters, "filter", "filters", self.task)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogFormat:
    """A kind of evaluation log: its name for people, how a file of it begins, and the runs that it holds.

    `recognises(path, head)` gets the first bytes of a file, unpacked, from the first that is no byte-order mark and no
    white space. `runs(path)` reads as little as it can. A log of several files is known by each of them: `files(path)`
    lists those with rows, which `runs` is called with. In a folder a log is left out if its evaluation `was_retried`.
    """

    title: str
    recognises: Callable[[Path, bytes], bool]
    runs: Callable[[Path], Iterator[Run]]
    files: Callable[[Path], Sequence[Path]] = lambda path: (path,)
    was_retried: Callable[[Path], bool] = lambda _path: False


def wanted_names(wanted: str | None) -> list[str]:
    """Return the names that a text can mean: itself, or the first of several with commas that there is.

    Examples
    --------
    >>> wanted_names("acc"), wanted_names("acc,exact_match"), wanted_names(None)
    (['acc'], ['acc,exact_match', 'acc', 'exact_match'], [])
    """
    return [] if wanted is None else list(dict.fromkeys([wanted, *wanted.split(",")]))


def pick(
    wanted: str | None, names: Sequence[str], option: str, what: str, task: str = "", *, example: str | None = None
) -> str:
    """Return the name that was asked for, or the only one there is; else list them, and say of which task they are."""
    if wanted is None and len(names) == 1:
        return names[0]
    if wanted is None and not names:
        raise DataError(f"The log has no {what}.", hint=f"what is compared are {what} of every item.")
    holder = f"task {shorten([task])}" if task else "log"
    there = f"The {holder} has the {what} {shorten(names, 12)}." if names else f"The {holder} has no {what}."
    if wanted is None:
        raise InvalidInputError(f"Which of the {what}? {there}", hint=_choose(option, example or names[0]))
    found = next((name for name in wanted_names(wanted) if name in names), None)
    if found is None:
        raise UnknownNameError(
            f"The {holder} has none of the {what} called {wanted!r}. {there}",
            hint=did_you_mean(wanted, names)
            or ("name one of these, or none" + (wording("; task= picks one of several tasks.") if task else ".")),
        )
    return found


def _choose(option: str, example: str) -> Any:
    several = ", the first that a task has" if "," in example else ""
    return argument(option) + f" chooses one, such as {example!r}{several}."


def fingerprint(*parts: Any) -> str:
    """Return a short text that is the same for the same parts: any values that JSON can hold.

    Examples
    --------
    >>> fingerprint("What is 2 + 2?", ["4"]) == fingerprint("What is 2 + 2?", ["4"]) != fingerprint("2 + 3?", ["5"])
    True
    """
    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:CHECKED_LETTERS]


def error_text(error: Any) -> str:
    r"""Return the kind of an error in one line: what comes before the first colon or bracket.

    Texts of errors hold line breaks, codes that colour a terminal, and details by which no two of them are alike.

    Examples
    --------
    >>> error_text("RuntimeError('boom')"), error_text("API error: 503 overloaded"), error_text("Error: no\n  at x.js")
    ('RuntimeError', 'API error', 'no')
    >>> error_text({"message": "timed \x1b[31mout"}), error_text(None)
    ('timed out', '')
    """
    text = (error.get("type") or error.get("message") or "") if isinstance(error, dict) else error
    line = next((line for line in _COLOURS.sub("", str(text or "")).splitlines() if line.strip()), "")
    line = " ".join(_UNPRINTABLE.sub(" ", line).split()).removeprefix("Error: ")
    found = _ERROR_CLASS.fullmatch(line)
    return (found[1] if found else line.split(": ")[0])[:MAX_ERROR_LETTERS]


def text_of(value: Any) -> str | None:
    """Return a value of a log as a label: text as it stands, a list of one as that one, anything else as JSON.

    Examples
    --------
    >>> text_of("yes"), text_of(["yes"]), text_of(["a", "b"]), text_of(3), text_of(True), text_of(None)
    ('yes', 'yes', '["a", "b"]', '3', 'true', None)
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and len(value) == 1:
        return text_of(value[0])
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def mapping_of(value: Any) -> Mapping[str, Any]:
    """Return a mapping as it is, and anything else as an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list as it is, and anything else as an empty one."""
    return value if isinstance(value, list) else []


def number_of(value: Any) -> float | None:
    """Return a value of a log as a score; None where it is no number, or not finite.

    Examples
    --------
    >>> number_of(1), number_of(True), number_of(float("nan")), number_of([1, 0]), number_of("1")
    (1.0, 1.0, None, None, None)
    """
    if not isinstance(value, bool | int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def cluster_of(metadata: Any, choice: Choice, item: str) -> str | None:
    """Return what an item's metadata has under the key that names clusters; None where none was asked for."""
    key, known = choice.cluster, mapping_of(metadata)
    if key is None or (choice.of_some and key not in known):
        return None
    if key not in known:
        there = shorten(sorted(known)) or "none"
        raise DataError(
            f"Item {item!r} has no {key!r} in its metadata; it has {there}.",
            hint=did_you_mean(key, sorted(known)).rstrip() or "name one of these.",
        )
    return text_of(known[key])


def without_metadata(what: str, key: str) -> DataError:
    """Return the error of a log whose items have no metadata, and were to be clustered by some."""
    return DataError(f"{what} have no metadata, so there is no {key!r} to cluster by.", hint="leave it out.")


def softmax(values: Sequence[float]) -> dict[str, float] | None:
    """Return logarithms of weights as probabilities of "0", "1", …; None where they are no numbers.

    Examples
    --------
    >>> softmax([0.0, 0.0]), softmax([-math.inf, -1e4]), softmax([math.nan, 0.0])
    ({'0': 0.5, '1': 0.5}, {'0': 0.0, '1': 1.0}, None)
    """
    highest = max(values)
    if not math.isfinite(highest) or any(map(math.isnan, values)):
        return None
    weights = [math.exp(value - highest) for value in values]
    return {str(place): weight / sum(weights) for place, weight in enumerate(weights)}
