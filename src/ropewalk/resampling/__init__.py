"""Estimate by resampling, on scikit-learn's splitters: cross-validation, and training, validation and test set.

`cross_predict` keeps what classifiers said about every item in every repeat, `cross_compare` compares two of them on
the same folds, `train_validation_test` chooses a setting and tests it. All need scikit-learn: ``ropewalk[ml]``.
"""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.resampling.cross_comparison import cross_compare
from ropewalk.resampling.holdout import train_validation_test
from ropewalk.resampling.training import cross_predict
from ropewalk.results.evaluation import Setting, Validated
from ropewalk.results.resampled import CrossComparison, CrossPredictions

__all__ = [
    "CrossComparison",
    "CrossPredictions",
    "Setting",
    "Validated",
    "cross_compare",
    "cross_predict",
    "train_validation_test",
]

publish(globals())
