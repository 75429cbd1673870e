"""Analyse why a classifier errs: bias and variance, the Bayes error, confused classes, training against test scores.

`bias_variance` trains again and again; `bayes_error` and `bayes_error_table` are about known distributions; `confusion`
and `total_cost` about a confusion matrix; `learning_curve`, `validation_curve` and `train_test_error` set training
scores against held-out ones.
"""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.analysis.bayes import BayesError, BayesTable, bayes_error, bayes_error_table
from ropewalk.analysis.bias_variance import Average, SquaredBiasVariance, ZeroOneBiasVariance, bias_variance
from ropewalk.analysis.learning import Curve, CurvePoint, learning_curve, train_test_error, validation_curve
from ropewalk.inference.confusions import confusion, confusions, total_cost
from ropewalk.results.checks import Confusion

__all__ = [
    "Average",
    "BayesError",
    "BayesTable",
    "Confusion",
    "Curve",
    "CurvePoint",
    "SquaredBiasVariance",
    "ZeroOneBiasVariance",
    "bayes_error",
    "bayes_error_table",
    "bias_variance",
    "confusion",
    "confusions",
    "learning_curve",
    "total_cost",
    "train_test_error",
    "validation_curve",
]

publish(globals())
