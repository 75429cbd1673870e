"""Is classifier A really better than classifier B? A posterior, a ROPE and a verdict instead of a p-value.

>>> import ropewalk as rw
>>> news = rw.examples.news20()
>>> rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=10, rope=0.05, rng=0).decision.symbol
'≪'
"""

from __future__ import annotations

from ropewalk import classical, errors, metrics, models
from ropewalk._version import __version__
from ropewalk.compare import compare, compare_classes
from ropewalk.data import MultilabelOutcomes, Outcomes, examples, join_outcomes, read_multilabel, read_outcomes
from ropewalk.evaluate import evaluate
from ropewalk.rank import rank
from ropewalk.results import ClassComparisons, Comparison, Evaluation, PriorSensitivity, Ranking

__all__ = [
    "ClassComparisons",
    "Comparison",
    "Evaluation",
    "MultilabelOutcomes",
    "Outcomes",
    "PriorSensitivity",
    "Ranking",
    "__version__",
    "classical",
    "compare",
    "compare_classes",
    "errors",
    "evaluate",
    "examples",
    "join_outcomes",
    "metrics",
    "models",
    "rank",
    "read_multilabel",
    "read_outcomes",
]
