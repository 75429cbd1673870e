"""What the columns of a table are for, guessed from their names and values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ropewalk.data.columns import score_in
from ropewalk.data.labels import BINARY
from ropewalk.data.profiles import Column

_TRUTHS: Final = ("y_true", "truth", "label", "target", "gold", "y", "true", "expected", "answer", "class")
_WORD: Final = re.compile(r"[^a-z]+")
_IDS: Final = {
    "case", "doc", "example", "guid", "id", "ids", "idx", "index", "item", "key", "prompt", "question", "record", "row",
    "sample", "ticket", "uid", "uuid",
}  # fmt: skip
_GROUPS: Final = {
    "author", "cluster", "customer", "document", "group", "hospital", "passage", "patient", "person", "pupil", "query",
    "session", "site", "speaker", "subject", "topic", "user",
}  # fmt: skip
_SYSTEMS: Final = {"agent", "classifier", "llm", "method", "model", "provider", "run", "system"}
_REPEATS: Final = {"attempt", "epoch", "iteration", "repeat", "repetition", "sample", "trial", "try"}
_SCORES: Final = {
    "acc",
    "accuracy",
    "correct",
    "grade",
    "metric",
    "ok",
    "pass",
    "passed",
    "result",
    "reward",
    "right",
    "score",
    "success",
    "value",
}
_LABELS: Final = {"category", "class", "label", "tag", "topic"}
_COUNTS: Final = {"count", "counts", "freq", "frequency", "n"}
_WEIGHTS: Final = {"weight", "weights"}
_MAX_LABELS: Final = 200
_MAX_SLICES: Final = 50
_MAX_SYSTEMS: Final = 50
_FEWEST_PER_LABEL: Final = 2


def truth_among(columns: Sequence[str]) -> str | None:
    """Return the column that probably holds the true labels, by its name: one that is called so, or has such a word.

    Examples
    --------
    >>> truth_among(["id", "new", "Target"]), truth_among(["id", "gold label", "new"]), truth_among(["new", "old"])
    ('Target', 'gold label', None)
    """
    whole = (name for wanted in _TRUTHS for name in columns if name.lower() == wanted)
    part = (name for wanted in _TRUTHS for name in columns if wanted in words_of(name))
    return next(whole, None) or next(part, None)


def count_among(columns: Sequence[str]) -> str | None:
    """Return the column that probably says how many items each row stands for, by its name.

    Examples
    --------
    >>> count_among(["truth", "new", "Count"]), count_among(["truth", "new", "discount"])
    ('Count', None)
    """
    return next((name for name in columns if name.lower() in _COUNTS), None)


def words_of(name: str) -> set[str]:
    """Return the words in the name of a column, in small letters.

    Examples
    --------
    >>> sorted(words_of("Gold-Label_2"))
    ['gold', 'label']
    """
    return set(filter(None, _WORD.split(name.lower())))


@dataclass(frozen=True, slots=True)
class Roles:
    """The columns of a table by what they seem to be for; a column may be in none."""

    truth: Column | None
    predictions: tuple[Column, ...]
    scores: tuple[Column, ...]
    id: Column | None
    cluster: Column | None
    weight: Column | None
    count: Column | None
    slices: tuple[Column, ...]
    item: Column | None = None
    label: Column | None = None
    system: Column | None = None
    repeat: Column | None = None

    @property
    def of_answers(self) -> dict[str, str]:
        """The columns of a table of one row per system and item, by what they hold; empty for any other table."""
        if self.system is None:
            return {}
        named = {
            "system": self.system,
            "item": self.item,
            "score": next(iter(self.scores), None),
            "truth": self.truth,
            "prediction": next(iter(self.predictions), None),
            "repeat": self.repeat,
        }
        return {what: column.name for what, column in named.items() if column is not None}

    def of(self, column: Column) -> str:
        """Return what a column seems to be for; empty where nothing tells."""
        if column == self.truth:
            return "truth"
        for role in ("id", "item", "label", "system", "repeat", "cluster", "weight", "count"):
            if getattr(self, role) == column:
                return role
        if column in self.predictions:
            return "prediction"
        return "score" if column in self.scores else "slices" if column in self.slices else ""


def find_roles(columns: Sequence[Column], truth: str | None = None) -> Roles:
    """Guess what the columns of a table are for, by their names and values, and which is the truth where none is named.

    Examples
    --------
    >>> from ropewalk.data.profiles import profile
    >>> roles = find_roles(profile(["case", "gold", "new"], [(1, "a", "b"), (2, "b", "b"), (3, "a", "a")]))
    >>> roles.id.name, roles.truth.name, [column.name for column in roles.predictions]
    ('case', 'gold', ['new'])
    """
    left = [column for column in columns if column.kind != "nothing"]
    id_ = _first(left, _IDS, lambda c: c.is_unique)
    item = None if id_ else _first(left, _IDS, lambda c: c.distinct < c.rows)
    label = _first(left, _LABELS, lambda c: c.kind == "text" and c.distinct > BINARY) if item else None
    if truth is None and (answers := _of_answers(left)):
        return answers
    if item and label and any(c.texts <= {"0", "1"} and c not in (item, label) for c in left):
        return _of_long_table(left, item, label)
    cluster = _first(left, _IDS | _GROUPS, lambda c: not c.is_unique and c.rows / c.distinct >= _FEWEST_PER_LABEL)
    weight = _first(left, _WEIGHTS, lambda c: c.low is not None and c.low >= 0)
    count = _first(left, _COUNTS, lambda c: c.kind == "whole numbers" and c.low is not None and c.low >= 0)
    taken = [column for column in (id_, cluster, weight, count) if column is not None]
    left = [column for column in left if column not in taken]
    labels = [column for column in left if _holds_labels(column)]
    named = truth or truth_among([column.name for column in labels])
    true = next((column for column in labels if column.name == named), None)
    predictions = [c for c in labels if c != true and (true is None or _says(c, true))]
    if true is None:  # columns of right and wrong stand without a truth
        predictions = [column for column in predictions if _says_right(column)]
    scores = [column for column in left if column.kind == "numbers" and column not in predictions]
    slices = [
        c for c in labels if c != true and c not in predictions and not c.empty and BINARY <= c.distinct <= _MAX_SLICES
    ]
    return Roles(true, tuple(predictions), tuple(scores), id_, cluster, weight, count, tuple(slices))


def _of_long_table(columns: Sequence[Column], item: Column, label: Column) -> Roles:
    """Return the roles in a table of a row per item and label, where the other columns are 0 and 1."""
    flags = [c for c in columns if c.texts <= {"0", "1"} and not c.empty and c not in (item, label)]
    named = truth_among([column.name for column in flags])
    truth = next((column for column in flags if column.name == named), None)
    said = tuple(column for column in flags if column != truth)
    return Roles(truth, said if truth else (), (), None, None, None, None, (), item, label)


def _of_answers(columns: Sequence[Column]) -> Roles | None:
    """Return the roles in a table of a row per system and item; None where it is none.

    A column that is called so has systems. Any text has where each of its values came with every item, once or as often
    as repeats are numbered; then nothing may look like a prediction.
    """
    repeat = _first(columns, _REPEATS, lambda c: c.kind == "whole numbers" and c.distinct * BINARY <= c.rows)
    often = 1 if repeat is None else repeat.distinct
    for system in sorted(columns, key=lambda c: not _is_called(c.name, _SYSTEMS)):
        if system == repeat or system.empty or not BINARY <= system.distinct <= _MAX_SYSTEMS:
            continue
        is_named = _is_called(system.name, _SYSTEMS)
        left = [c for c in columns if c not in (system, repeat)]
        times = system.distinct * often
        whole = [c for c in left if c.distinct * times == c.rows and not c.empty]
        partly = [c for c in left if is_named and c.distinct < c.rows <= c.distinct * times]
        named = _first([*whole, *partly], _IDS | _GROUPS, lambda c: not c.empty)
        item = named or next(iter(whole), None)
        if item is None or item.kind == "numbers" or (system.kind != "text" and not is_named):
            continue
        answers = [c for c in left if c != item]
        scores = sorted(filter(_holds_scores, answers), key=lambda c: not _is_called(c.name, _SCORES))
        true = truth_among([c.name for c in answers if _holds_labels(c)]) if is_named else None
        truth = next((c for c in answers if c.name == true), None)
        said = [c for c in answers if truth and c != truth and _says(c, truth)]
        has_score = bool(scores) and (not said or _is_called(scores[0].name, _SCORES))
        if has_score and (is_named or _is_called(scores[0].name, _SCORES) or len(answers) == 1):
            return Roles(None, (), (scores[0],), None, None, None, None, (), item, None, system, repeat)
        if said:
            return Roles(truth, (said[0],), (), None, None, None, None, (), item, None, system, repeat)
    return None


def _holds_scores(column: Column) -> bool:
    """Whether a column may hold a score of each answer: numbers, or words for right and wrong."""
    return column.kind != "text" or all(score_in(text) is not None for text in column.texts)


def _says_right(column: Column) -> bool:
    """Whether a column says of each answer whether it is right: by 1 and 0, True and False, or words for them."""
    return column.kind == "booleans" or {score_in(text) for text in column.texts} <= {0.0, 1.0}


def _first(columns: Iterable[Column], words: set[str], fits: Callable[[Column], bool]) -> Column | None:
    return next((c for c in columns if _is_called(c.name, words) and fits(c)), None)


def _is_called(name: str, words: set[str]) -> bool:
    """Whether a name has one of some words; newid and docid are ids."""
    parts = words_of(name)
    return bool(words & parts) or ("id" in words and any(part.endswith("id") for part in parts))


def _holds_labels(column: Column) -> bool:
    """Whether a column may hold labels: few different values, which come again."""
    return column.kind != "numbers" and column.is_whole and column.distinct <= _MAX_LABELS and (
        column.rows / column.distinct >= _FEWEST_PER_LABEL or column.rows <= _MAX_LABELS
    )  # fmt: skip


def _says(column: Column, truth: Column) -> bool:
    """Whether a column predicts what another one holds: most of its values are among those."""
    shared = column.texts & truth.texts
    return bool(shared) and BINARY * len(shared) >= len(column.texts) and column.kind == truth.kind
