"""Classical tests for classifiers: the p-values that reviewers ask for, each with its assumptions.

On one test set: `sign_items`, `t_items`, `mcnemar`, `sign_classes`, `t_classes`, `wilcoxon_classes`, `cochran_q`,
`permutation`, and `battery` for all of two classifiers; `delong` and `delong_interval` on scores of items, and
`obuchowski_rockette` where several readers, or runs, have scored them. On scores per data set or topic: `paired_t`,
`wilcoxon`, `sign`, `friedman`, `iman_davenport`, `nemenyi`, `anova`. On folds of one data set: `corrected_t`,
`cv5x2_t`, `cv5x2_f`, `repeated`, `rule_of_thumb`. `adjust` is for many p-values at once.
"""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.classical.battery import adjust, battery
from ropewalk.classical.items import cochran_q, delong, delong_interval, mcnemar, sign_items, t_items
from ropewalk.classical.many import anova, friedman, iman_davenport, nemenyi
from ropewalk.classical.pairs import paired_t, sign, sign_classes, t_classes, wilcoxon, wilcoxon_classes
from ropewalk.classical.permutation import permutation
from ropewalk.classical.readers import obuchowski_rockette
from ropewalk.classical.resampled import Repeated, RuleOfThumb, corrected_t, cv5x2_f, cv5x2_t, repeated, rule_of_thumb
from ropewalk.results.classical import Battery, ClassicalTest, Effect, Nemenyi, Reference

__all__ = [
    "Battery",
    "ClassicalTest",
    "Effect",
    "Nemenyi",
    "Reference",
    "Repeated",
    "RuleOfThumb",
    "adjust",
    "anova",
    "battery",
    "cochran_q",
    "corrected_t",
    "cv5x2_f",
    "cv5x2_t",
    "delong",
    "delong_interval",
    "friedman",
    "iman_davenport",
    "mcnemar",
    "nemenyi",
    "obuchowski_rockette",
    "paired_t",
    "permutation",
    "repeated",
    "rule_of_thumb",
    "sign",
    "sign_classes",
    "sign_items",
    "t_classes",
    "t_items",
    "wilcoxon",
    "wilcoxon_classes",
]

publish(globals())
