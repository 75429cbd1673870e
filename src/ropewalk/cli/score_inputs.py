"""`--scores`: the commands that compare, evaluate or rank by columns of scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import typer

import ropewalk as rw
from ropewalk.cli.shell import parse_draws, parse_rope, parse_texts, stdin_as_file
from ropewalk.cli.terminal import quietly, reading
from ropewalk.data.files import read_matrix
from ropewalk.data.labels import find_label
from ropewalk.errors import InvalidInputError
from ropewalk.metrics.resolve import metric_kind

T = TypeVar("T")
_LABELS_ONLY: Final = (
    "classes", "per_class", "model", "missing", "prevalence", "item", "label", "n_items", "file_a", "file_b",
    "confusion_a", "confusion_b", "engine", "step", "chains", "tune",
)  # fmt: skip
_UNSAID: Final = (None, False, "error", "auto")


def of_scores(context: typer.Context) -> bool:
    """Whether a command is about scores; if not, refuse what only they know."""
    metric = context.params["metric"]
    scores = context.params["scores"] or (metric is not None and metric_kind(metric.split(",")[0].strip()) == "scores")
    if context.params["lower"] and not scores:
        raise InvalidInputError("--lower-is-better is about scores.", hint="add --scores --metric mean.")
    return bool(scores)


def on_scores(context: typer.Context, call: Callable[..., T], columns: Sequence[str | None], **more: Any) -> T:
    """Carry out `call` on columns of scores, with the options of the command that is running."""
    said = context.params
    for name in _LABELS_ONLY:
        if said.get(name) not in _UNSAID:
            option = name.replace("_", "-")
            raise InvalidInputError(f"--{option} is about labels, and --scores about scores.", hint="leave one out.")
    costs = None if said["cost_matrix"] is None else read_matrix(said["cost_matrix"])
    metric = said["metric"] or ("roc_auc" if costs is None else "cost")
    wanted = [column for column in columns if column is not None]
    if said["file"] is None or len(wanted) < len(columns) or (said["truth"] is None and metric != "mean"):
        raise InvalidInputError(
            "--scores needs FILE, --truth and the columns of scores.",
            hint="ropewalk compare FILE --truth y --a s1 --b s2 --scores --metric roc_auc",
        )
    rope, draws = parse_rope(said["rope"]), parse_draws(said["draws"])
    labels = None if said["labels"] is None else parse_texts(said["labels"], "--labels")
    with stdin_as_file(said["file"]) as path:
        items = reading(lambda: rw.ItemScores.read(
            path, truth=said["truth"], predictions=wanted, labels=labels, cluster=said["cluster"], id=said["id_column"],
        ))  # fmt: skip
    named = said["pos_label"]
    positive = None if named is None else find_label(named, items.labels, by_text=True)
    return quietly(lambda: call(
        items, pos_label=positive, higher_is_better=False if said["lower"] else None, rope=rope, prob=said["prob"],
        rule=said["rule"], draws=draws, rng=said["seed"], threads=said["threads"], cost_matrix=costs,
        **{"metric": metric, **more},
    ))  # fmt: skip
