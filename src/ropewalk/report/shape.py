"""What a result is made of before it is written: tables and views of plain strings, and the words in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from ropewalk.data.labels import label_text, rest_of
from ropewalk.data.scores import ItemScores
from ropewalk.draws.decision import Decision
from ropewalk.results import Comparison, Recipe
from ropewalk.text.names import count_of, visible
from ropewalk.text.numbers import percent
from ropewalk.text.verdicts import Verdict

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

    `more` says how many more items would settle it; `tests` are the p-values that some readers ask for; `stable` is
    whether other draws would decide alike.
    """

    title: str
    symbol: str
    headline: str
    lines: tuple[tuple[str, str], ...]
    shares: tuple[Share, ...]
    note: str
    more: str = ""
    tests: str = ""
    stable: bool = True


def decision_text(decision: Decision | None) -> str:
    """Write a verdict's symbol, and whether it hangs on the draws."""
    if decision is None:
        return "–"
    return decision.symbol + ("" if decision.stable else " (unstable)")


def sign_text(c: Comparison, a: str, b: str, metric: str) -> str:
    """Say which of two classifiers, so written, probably has the better score, and why no more is said."""
    up = c.recipe.metric.higher_is_better
    better = a if (c.prob_above_zero >= c.prob_below_zero) == up else b
    chance = max(c.prob_above_zero, c.prob_below_zero)
    told = percent(chance, c.delta.worth(len(c.draws)))
    fact = f"{better}'s {metric} is {'higher' if up else 'lower'} with probability {told}"
    if chance == 0:
        fact = f"{a} and {b} have the same {metric} in every draw"
    if c.diagnostics is not None and not c.diagnostics.converged:  # what the chains say comes second
        return f"{c.no_verdict[:1].upper()}{c.no_verdict[1:]}; as drawn, {fact}"
    return f"{fact}; {c.no_verdict or 'whether that matters needs a ROPE'}"


def symbol_text(decision: Decision | None) -> str:
    """Write a verdict's symbol where there is little room; a question mark says that it hangs on the draws."""
    return "–" if decision is None else decision.symbol + ("" if decision.stable else "?")


def metric_title(name: str) -> str:
    """Write a metric's name as people say it.

    Examples
    --------
    >>> metric_title("f1"), metric_title("balanced_accuracy"), metric_title("macro_f1")
    ('F1', 'balanced accuracy', 'macro F1')
    """
    words = visible(name).replace("_", " ").split(" ")
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
    positive, picked, mix = recipe.pos_label, recipe.picked, _mix(recipe, escape)
    if picked is not None:
        named = ", ".join(escape(label_text(label)) for label in picked[:_NAMED])
        more = f" and {len(picked) - _NAMED} more" if len(picked) > _NAMED else ""
        return f" · over {len(picked):,} of {recipe.tables[0].n_labels:,} classes ({named}{more}){mix}"
    if positive is None:
        return mix
    rest = recipe.tables[0].labels[0] == rest_of(positive)
    return f" · class {escape(label_text(positive))} {'against the rest' if rest else 'is positive'}{mix}"


def _mix(recipe: Recipe, escape: Escape) -> str:
    """Say at which class mix the metric is taken, where it is not that of the items."""
    shares = recipe.prevalence
    if shares is None:
        return ""
    if len(shares) == 2:  # noqa: PLR2004
        return escape(f" · at a prevalence of {100 * shares[1]:g}%")
    return " · at another class mix than that of the items"


UNSTABLE = "unstable: other draws may say otherwise"


def model_text(recipe: Recipe) -> str:
    """Name the model and its prior; a bootstrap has none."""
    return recipe.model.summary(alone=sum(len(table.names) for table in recipe.tables) == 1)


def model_name(recipe: Recipe) -> str:
    """Name the model as people say it."""
    return visible(recipe.model.title)


@dataclass(frozen=True, slots=True)
class Tally:
    """How many verdicts of each kind there are, and how many questions have none."""

    won: int
    lost: int
    even: int
    undecided: int
    without: int


def tally(decisions: Iterable[Decision | None]) -> Tally:
    """Count verdicts."""
    found = [None if decision is None else decision.verdict for decision in decisions]
    won, lost, even = (found.count(v) for v in (Verdict.A_BETTER, Verdict.B_BETTER, Verdict.EQUIVALENT))
    without = found.count(None)
    return Tally(won, lost, even, len(found) - won - lost - even - without, without)
