"""What an answer is about: which number, which sources of chance its interval holds, and what it takes as it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from ropewalk.text.writing import count_of

TRAINED: Final = "the trained classifiers"
TRAINING: Final = "the training data"
SOURCE: Final = "where the items come from"
"""What an ordinary answer takes as it is."""
_OUTERMOST: Final = ("tasks", "data sets", "units")  # what else is random lies inside them


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The number that is estimated, in a sentence; what is `random` in its interval, and what is `fixed`.

    Examples
    --------
    >>> print(Scope(estimand="the difference in accuracy", random=("items", "runs"), fixed=("the training data",)).line)
    random: items, runs · fixed: the training data
    """

    estimand: str
    random: tuple[str, ...]
    fixed: tuple[str, ...]

    @property
    def line(self) -> str:
        """What is random and what is fixed, in one line."""
        return f"random: {', '.join(self.random)} · fixed: {', '.join(self.fixed)}"

    @property
    def others(self) -> str:
        """What the interval is about others of: tasks or data sets where these are random, else all that is.

        Examples
        --------
        >>> Scope(estimand="", random=("items", "runs"), fixed=()).others
        'items and runs'
        >>> Scope(estimand="", random=("tasks", "items"), fixed=()).others
        'tasks'
        """
        return self.random[0] if self.random[0] in _OUTERMOST else " and ".join(self.random)

    def to_dict(self) -> dict[str, Any]:
        """Return the scope in plain Python types."""
        return {"estimand": self.estimand, "random": list(self.random), "fixed": list(self.fixed)}


class Wider:
    """An answer about more than the items of one test set, which says what it is `about`."""

    __slots__ = ()

    about: Scope

    @property
    def scope(self) -> Scope:
        """What it is about, which chances are in its interval, and what it takes as it is."""
        return self.about


def scope_of_items(metric: str, n_classifiers: int, *, clustered: bool) -> Scope:
    """Return the scope of an ordinary answer: about trained classifiers on items, or clusters of them, like these.

    Examples
    --------
    >>> scope_of_items("F1", 2, clustered=False).estimand
    'the difference in F1 of these two trained classifiers, on items like these'
    >>> scope_of_items("accuracy", 5, clustered=True).estimand
    'the accuracy of these 5 trained classifiers, on clusters of items like these'
    """
    what, who = metric, count_of(n_classifiers, "trained classifier")
    if n_classifiers == 1:
        who = "trained classifier"
    elif n_classifiers == 2:  # noqa: PLR2004
        what, who = f"difference in {metric}", "two trained classifiers"
    drawn = "clusters of items" if clustered else "items"
    these = "this" if n_classifiers == 1 else "these"
    return Scope(
        estimand=f"the {what} of {these} {who}, on {drawn} like these",
        random=(drawn,),
        fixed=(TRAINED if n_classifiers > 1 else "the trained classifier", SOURCE),
    )


def scope_of_folds(metric: str) -> Scope:
    """Return the scope of an answer about learning algorithms, by folds of one data set.

    Examples
    --------
    >>> print(scope_of_folds("accuracy").line)
    random: training sets, test sets · fixed: the algorithms, the data set's source and size
    """
    return Scope(
        estimand=f"the mean difference in {metric} of two learning algorithms, trained on data sets of this size from "
        "this source",
        random=("training sets", "test sets"),
        fixed=("the algorithms", "the data set's source and size"),
    )
