"""Predictions from a file, as the options of a command describe it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ropewalk as rw
from ropewalk.cli.shell import parse_texts, read_declared, stdin_as_file
from ropewalk.cli.terminal import reading
from ropewalk.data.labels import find_label
from ropewalk.data.multilabel import AnyOutcomes
from ropewalk.errors import InvalidInputError


def read_table(
    file: str,
    truth: str,
    columns: Sequence[str],
    labels: str | None,
    *,
    id_column: str | None,
    missing: str,
    many: tuple[str | None, str | None, int | None],
    cluster: str | None = None,
) -> AnyOutcomes:
    """Read predictions from a file: one row an item, or with --item and --label one row an item and label."""
    item, label, n_items = many
    with stdin_as_file(file) as path:
        if item is None and label is None and n_items is None:
            return reading(lambda: read_declared(labels, lambda declared: rw.read_outcomes(
                path, truth=truth, predictions=columns, id=id_column, labels=declared,
                missing=missing, cluster=cluster,  # type: ignore[arg-type]
            )))  # fmt: skip
        if item is None or label is None:
            raise InvalidInputError(
                "--item and --label go together: a long table has one row an item and label.", hint="give both."
            )
        if id_column is not None or missing != "error":
            raise InvalidInputError("--id and --missing do not go with --item.", hint="leave them out.")
        return reading(lambda: read_declared(labels, lambda declared: rw.read_multilabel(
            path, item=item, label=label, truth=truth, predictions=columns, labels=declared, n_items=n_items,
            cluster=cluster,
        )))  # fmt: skip


def needed_truth(truth: str | None) -> str:
    """Return the column of true labels, which only a mean of scores does without."""
    if truth is None:
        raise InvalidInputError("Missing option --truth.", hint="name the column of true labels.")
    return truth


def named_classes(classes: str | None, labels: Sequence[Any]) -> list[Any] | None:
    """Return the labels that --classes names."""
    if classes is None:
        return None
    named = parse_texts(classes, "--classes")
    return [find_label(name, labels, by_text=True, what="classes") for name in named]
