"""What a result is made of before it is written: tables and views of plain strings, and the words in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ropewalk._validate import count_of
from ropewalk.data.labels import label_text, rest_of
from ropewalk.data.scores import ItemScores
from ropewalk.decision import Decision
from ropewalk.results import Recipe

_NAMED = 4

Escape = Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A header, rows of cells, how many leading columns are text rather than numbers, and whether the last one is."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    text_columns: int = 1
    ends_in_text: bool = True


@dataclass(frozen=True, slots=True)
class Share:
    """One stretch of the three-region bar, in the order of the axis of A − B."""

    words: str
    share: float
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A result in words: a headline, lines of (what, says), the three regions, and how stable it all is.

    `tests` are the p-values that some readers ask for.
    """

    title: str
    symbol: str
    headline: str
    lines: tuple[tuple[str, str], ...]
    shares: tuple[Share, ...]
    note: str
    tests: str = ""


def decision_text(decision: Decision | None) -> str:
    """Write a verdict's symbol, and whether it hangs on the draws."""
    if decision is None:
        return "–"
    return decision.symbol + ("" if decision.stable else " (unstable)")


def metric_title(name: str) -> str:
    """Write a metric's name as people say it.

    Examples
    --------
    >>> metric_title("f1"), metric_title("balanced_accuracy"), metric_title("macro_f1")
    ('F1', 'balanced accuracy', 'macro F1')
    """
    words = name.replace("_", " ").split(" ")
    known = {
        "f1": "F1", "mcc": "MCC", "fpr": "FPR", "fnr": "FNR", "gmean": "G-mean", "roc": "ROC", "pr": "PR", "auc": "AUC",
        "brier": "Brier score", "ece": "ECE",
    }  # fmt: skip
    return " ".join(known.get(word, word) for word in words)


def items_text(recipe: Recipe) -> str:
    """Say how many items there are, and in how many clusters."""
    told = count_of(recipe.n_items, "item")
    if recipe.n_clusters is None:
        return told
    if recipe.repeated:
        return f"{recipe.n_items:,} predictions of {count_of(recipe.n_clusters, 'item')}"
    return f"{told} in {count_of(recipe.n_clusters, 'cluster')}"


def class_counts(items: ItemScores, escape: Escape) -> str:
    """Say how many items are of the positive class, or of how many classes they are."""
    if items.truth is None:
        return ""
    if items.n_labels > 2:  # noqa: PLR2004
        return f" · {items.n_labels:,} classes"
    return f" · {int(items.truth.sum()):,} of class {escape(label_text(items.labels[1]))}"


def class_words(recipe: Recipe, escape: Escape) -> str:
    """Say which class a question is about, if it is about one, or over which an average runs, if not over all."""
    positive, picked = recipe.pos_label, recipe.picked
    if picked is not None:
        named = ", ".join(escape(label_text(label)) for label in picked[:_NAMED])
        more = f" and {len(picked) - _NAMED} more" if len(picked) > _NAMED else ""
        return f" · over {len(picked):,} of {recipe.tables[0].n_labels:,} classes ({named}{more})"
    if positive is None:
        return ""
    rest = recipe.tables[0].labels[0] == rest_of(positive)
    return f" · class {escape(label_text(positive))} {'against the rest' if rest else 'is positive'}"
