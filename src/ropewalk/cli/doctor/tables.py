"""The questions that the columns of a table can answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from ropewalk.cli.doctor.finding import Command, Finding, argument_of
from ropewalk.data.labels import BINARY, usual_positive
from ropewalk.data.profiles import Column
from ropewalk.data.roles import Roles

_PAIR: Final = 2
_YES: Final = ("yes", "true", "positive", "pos", "spam", "toxic", "relevant", "correct", "right", "pass")


def commands_of(file: str, roles: Roles) -> tuple[Command, ...]:
    """Return the lines that ask what a table can answer."""
    if roles.system is not None:
        return _of_systems(file, roles, roles.system)
    truth = roles.truth
    beside = _beside(roles)
    if truth is None:
        return _without_truth(file, roles, beside)
    commands, said = [], [column.name for column in roles.predictions]
    positive = _positive(truth, roles.predictions)
    holes = ["--missing", "drop"] if any(c.empty for c in (truth, *roles.predictions)) else []
    known = ["--truth", truth.name]
    if len(said) >= BINARY:
        pair = [*known, "--a", said[0], "--b", said[1], *beside]
        commands.append(_command("Is one better than the other", "compare", file, *pair, *positive, *holes))
        commands += [
            _command(f"Where: by {c.name}", "compare", file, *pair, "--by", c.name, *positive, *holes)
            for c in roles.slices[:1]
            if not holes and not roles.count
        ]
    if len(said) > BINARY:
        every = [*known, "--predictions", ",".join(said), *beside]
        if not any("," in name for name in said):
            commands.append(_command("Which is best", "rank", file, *every, *positive, *holes))
    if said:
        one = [*known, "--prediction", said[0], *beside]
        commands.append(_command("How good is one", "evaluate", file, *one, *positive, *holes))
        several = [*known, "--a", said[0], "--b", said[1], *beside] if len(said) > 1 else one
        commands.append(_command("Only counts may leave this machine", "count", file, *several, *holes))
    return (*commands, *_of_scores(file, roles, known, beside))


def _of_systems(file: str, roles: Roles, system: Column) -> tuple[Command, ...]:
    """Return what can be asked of a table of one row per system and item."""
    known = [part for what, name in roles.of_answers.items() for part in (f"--{what}", name)]
    held = (*roles.scores, *roles.predictions, *((roles.truth,) if roles.truth else ()))
    if roles.truth:
        known += _positive(roles.truth, roles.predictions)
    if any(column.empty for column in held):
        known += ["--missing", "drop"]
    first, second = (str(value) for value in system.first[:_PAIR])
    pair = ["--a", first, "--b", second] if system.distinct > _PAIR else []
    commands = [_command("Is one better than the other", "compare", file, *known, *pair)]
    if system.distinct > _PAIR:
        commands.append(_command("Which is best", "rank", file, *known))
    return (*commands, _command("How good is one", "evaluate", file, *known, "--name", first))


def commands_joined(findings: Sequence[Finding]) -> tuple[Command, ...]:
    """Return the line that compares two tables, one of each classifier, with columns of the same names."""
    tables = [(argument_of(finding.path), finding.roles) for finding in findings if finding.roles is not None]
    if len(tables) != _PAIR or len(findings) != _PAIR:
        return ()
    (file_a, a), (file_b, b) = tables
    labels, scores = _shared(a.predictions, b.predictions), _shared(a.scores, b.scores)
    if a.id is None or not _shared([a.id], [b.id]) or not labels + scores:
        return ()
    column = (labels + scores)[0]
    shown = ["--file-a", file_a, "--file-b", file_b, "--id", a.id.name]
    line = [*shown, *(["--cluster", a.cluster.name] if a.cluster else []), "--prediction", column.name]
    if a.truth is None or not _shared([a.truth], [b.truth]):
        line += ["--metric", "mean"]
    elif labels:
        held = [other for roles in (a, b) for other in (roles.truth, *roles.predictions) if other is not None]
        holes = ["--missing", "drop"] if any(other.empty for other in held) else []
        line += ["--truth", a.truth.name, *_positive(a.truth, held), *holes]
    else:
        line += ["--truth", a.truth.name, "--metric", "roc_auc", *_positive(a.truth, ())]
    return (Command(asks="Is the one better than the other", arguments=("compare", *line)),)


def _shared(columns: Sequence[Column | None], others: Sequence[Column | None]) -> list[Column]:
    """Return those columns that have a namesake among others."""
    names = {other.name for other in others if other is not None}
    return [column for column in columns if column is not None and column.name in names]


def _of_scores(file: str, roles: Roles, known: list[str], beside: list[str]) -> list[Command]:
    """Return what can be asked of scores of a truth with two classes."""
    whole = [column for column in roles.scores if not column.empty]
    if roles.truth is None or roles.truth.distinct != BINARY or roles.truth.empty or not whole:
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
    if len(values) != BINARY or usual_positive(values) is not None or truth.kind == "booleans":
        return []
    return ["--pos-label", next((value for word in _YES for value in values if value.lower() == word), values[-1])]


def _command(asks: str, verb: str, file: str, *options: str) -> Command:
    return Command(asks=asks, arguments=(verb, argument_of(file), *options))
