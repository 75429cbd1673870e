"""What the columns of a table are for, by their names and values, and the questions that they can answer."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ropewalk.cli.doctor.finding import Command, argument_of
from ropewalk.data.labels import usual_positive
from ropewalk.data.profiles import Column
from ropewalk.inference.right import truth_among

_WORD: Final = re.compile(r"[^a-z]+")
_IDS: Final = {"id", "ids", "idx", "index", "key", "uid", "uuid", "guid", "item", "doc", "row", "sample", "example"}
_GROUPS: Final = {
    "author", "cluster", "customer", "document", "group", "hospital", "passage", "patient", "person", "pupil", "query",
    "session", "site", "speaker", "subject", "topic", "user",
}  # fmt: skip
_LABELS: Final = {"category", "class", "label", "tag", "topic"}
_COUNTS: Final = {"count", "counts", "freq", "frequency", "n"}
_WEIGHTS: Final = {"weight", "weights"}
_YES: Final = ("yes", "true", "positive", "pos", "spam", "toxic", "relevant", "correct", "right", "pass")
_MAX_LABELS: Final = 200
_MAX_SLICES: Final = 50
_FEWEST_PER_LABEL: Final = 2
_BINARY: Final = 2


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

    def of(self, column: Column) -> str:
        """Return what a column seems to be for; empty where nothing tells."""
        if column == self.truth:
            return "truth"
        for role in ("id", "item", "label", "cluster", "weight", "count"):
            if getattr(self, role) == column:
                return role
        if column in self.predictions:
            return "prediction"
        return "score" if column in self.scores else "slices" if column in self.slices else ""


def find_roles(columns: Sequence[Column]) -> Roles:
    """Guess what the columns of a table are for, by their names and values."""
    left = [column for column in columns if column.kind != "nothing"]
    id_ = _first(left, _IDS, lambda c: c.is_unique)
    item = None if id_ else _first(left, _IDS, lambda c: c.distinct < c.rows)
    label = _first(left, _LABELS, lambda c: c.kind == "text" and c.distinct > _BINARY) if item else None
    if item and label and any(c.texts <= {"0", "1"} and c not in (item, label) for c in left):
        return _of_long_table(left, item, label)
    cluster = _first(left, _IDS | _GROUPS, lambda c: not c.is_unique and c.rows / c.distinct >= _FEWEST_PER_LABEL)
    weight = _first(left, _WEIGHTS, lambda c: c.low is not None and c.low >= 0)
    count = _first(left, _COUNTS, lambda c: c.kind == "whole numbers" and c.low is not None and c.low >= 0)
    taken = [column for column in (id_, cluster, weight, count) if column is not None]
    left = [column for column in left if column not in taken]
    labels = [column for column in left if _holds_labels(column)]
    named = truth_among([column.name for column in labels])
    truth = next((column for column in labels if column.name == named), None)
    predictions = [c for c in labels if c != truth and (truth is None or _says(c, truth))]
    if truth is None:  # columns of right and wrong stand without a truth
        predictions = [column for column in predictions if column.texts <= {"0", "1"} or column.kind == "booleans"]
    scores = [column for column in left if column.kind == "numbers" and column not in predictions]
    slices = [
        c
        for c in labels
        if c != truth and c not in predictions and not c.empty and _BINARY <= c.distinct <= _MAX_SLICES
    ]
    return Roles(truth, tuple(predictions), tuple(scores), id_, cluster, weight, count, tuple(slices))


def _of_long_table(columns: Sequence[Column], item: Column, label: Column) -> Roles:
    """Return the roles in a table of a row per item and label, where the other columns are 0 and 1."""
    flags = [c for c in columns if c.texts <= {"0", "1"} and not c.empty and c not in (item, label)]
    named = truth_among([column.name for column in flags])
    truth = next((column for column in flags if column.name == named), None)
    said = tuple(column for column in flags if column != truth)
    return Roles(truth, said if truth else (), (), None, None, None, None, (), item, label)


def _first(columns: Iterable[Column], words: set[str], fits: Callable[[Column], bool]) -> Column | None:
    return next((c for c in columns if _is_called(c.name.lower(), words) and fits(c)), None)


def _is_called(name: str, words: set[str]) -> bool:
    """Whether a name has one of some words; newid and docid are ids."""
    parts = set(_WORD.split(name))
    return bool(words & parts) or ("id" in words and any(part.endswith("id") for part in parts))


def _holds_labels(column: Column) -> bool:
    """Whether a column may hold labels: few different values, which come again."""
    return column.kind != "numbers" and column.is_whole and column.distinct <= _MAX_LABELS and (
        column.rows / column.distinct >= _FEWEST_PER_LABEL or column.rows <= _MAX_LABELS
    )  # fmt: skip


def _says(column: Column, truth: Column) -> bool:
    """Whether a column predicts what another one holds: most of its values are among those."""
    shared = column.texts & truth.texts
    return bool(shared) and _BINARY * len(shared) >= len(column.texts) and column.kind == truth.kind


def commands_of(file: str, roles: Roles) -> tuple[Command, ...]:
    """Return the lines that ask what a table can answer."""
    truth = roles.truth
    beside = _beside(roles)
    if truth is None:
        return _without_truth(file, roles, beside)
    commands, said = [], [column.name for column in roles.predictions]
    positive = _positive(truth, roles.predictions)
    holes = ["--missing", "drop"] if any(c.empty for c in (truth, *roles.predictions)) else []
    known = ["--truth", truth.name]
    if len(said) >= _BINARY:
        pair = [*known, "--a", said[0], "--b", said[1], *beside]
        commands.append(_command("Is one better than the other", "compare", file, *pair, *positive, *holes))
        commands += [
            _command(f"Where: by {c.name}", "compare", file, *pair, "--by", c.name, *positive, *holes)
            for c in roles.slices[:1]
            if not holes and not roles.count
        ]
    if len(said) > _BINARY:
        every = [*known, "--predictions", ",".join(said), *beside]
        if not any("," in name for name in said):
            commands.append(_command("Which is best", "rank", file, *every, *positive, *holes))
    if said:
        one = [*known, "--prediction", said[0], *beside]
        commands.append(_command("How good is one", "evaluate", file, *one, *positive, *holes))
        several = [*known, "--a", said[0], "--b", said[1], *beside] if len(said) > 1 else one
        commands.append(_command("Only counts may leave this machine", "count", file, *several, *holes))
    return (*commands, *_of_scores(file, roles, known, beside))


def _of_scores(file: str, roles: Roles, known: list[str], beside: list[str]) -> list[Command]:
    """Return what can be asked of scores of a truth with two classes."""
    whole = [column for column in roles.scores if not column.empty]
    if roles.truth is None or roles.truth.distinct != _BINARY or roles.truth.empty or not whole:
        return []
    how = [*known, "--metric", "roc_auc", *beside, *_positive(roles.truth, ())]
    if len(whole) == 1:
        return [_command("How well do scores rank", "evaluate", file, "--prediction", whole[0].name, *how)]
    pair = ["--a", whole[0].name, "--b", whole[1].name]
    return [_command("Which scores rank better", "compare", file, *pair, *how)]


def _without_truth(file: str, roles: Roles, beside: list[str]) -> tuple[Command, ...]:
    """Return what can be asked of numbers that need no truth: right and wrong, grades, losses."""
    values = [
        column for column in (*roles.predictions, *roles.scores) if not column.empty and column.kind != "booleans"
    ]
    if roles.predictions:
        values = [column for column in values if column in roles.predictions]
    if not values:
        return ()
    how = ["--metric", "mean", *beside]
    if len(values) == 1:
        return (_command("What is its mean", "evaluate", file, "--prediction", values[0].name, *how),)
    pair = ["--a", values[0].name, "--b", values[1].name]
    return (_command("Is one higher on average than the other", "compare", file, *pair, *how),)


def _beside(roles: Roles) -> list[str]:
    """Return the options that name clusters, weights and counts."""
    named = {
        "--item": roles.item,
        "--label": roles.label,
        "--cluster": roles.cluster,
        "--weight": roles.weight,
        "--count": roles.count,
    }
    return [part for flag, column in named.items() if column and not column.empty for part in (flag, column.name)]


def _positive(truth: Column, predictions: Sequence[Column]) -> list[str]:
    """Return the option that names the positive class of two, where it goes without saying for none."""
    values = sorted(truth.texts.union(*(column.texts for column in predictions)))
    if len(values) != _BINARY or usual_positive(values) is not None or truth.kind == "booleans":
        return []
    return ["--pos-label", next((value for word in _YES for value in values if value.lower() == word), values[-1])]


def _command(asks: str, verb: str, file: str, *options: str) -> Command:
    return Command(asks=asks, arguments=(verb, argument_of(file), *options))
