"""Several runs of each system: a table with a row per item and run, which the verbs read by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ropewalk.data.labels import sort_labels
from ropewalk.data.records import records_of

_COLUMNS: Final = ("truth", "id", "cluster", "sample_weight", "labels", "missing")
_NAMING_LABELS: Final = ("pos_label", "classes", "prevalence")


def runs_of(options: Mapping[str, Any], systems: Sequence[str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the table and its columns, those of `systems` among them, and the labels `known` where some are named."""
    named: dict[str, Any] = {name: options[name] for name in (*systems, *_COLUMNS) if name in options}
    file, truth = options["file"], options.get("truth")
    if truth is not None and any(name in options for name in _NAMING_LABELS):
        named["known"] = sort_labels(dict.fromkeys(records_of(file).lists([truth])[0]))
    return (file,), named
