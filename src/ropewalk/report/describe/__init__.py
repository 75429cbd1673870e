"""One function per kind of result, marked `@describes`, says it in blocks. Here is which module has it, by the class.

A module is imported when a result of its kind is first described: a command has one kind, and starts sooner.
"""

from __future__ import annotations

from typing import Final

KINDS: Final = {
    "Battery": "classical",
    "BudgetPlan": "budget",
    "CalibrationCurve": "evaluation",
    "ClassComparisons": "comparisons",
    "ClassicalTest": "classical",
    "Comparison": "comparison",
    "Confusion": "evaluation",
    "CrossComparison": "folds",
    "DatasetsRanking": "datasets",
    "Evaluation": "evaluation",
    "FoldsComparison": "folds",
    "Gate": "gates",
    "ForeignComparison": "comparisons",
    "Items": "items",
    "JudgedComparison": "judges",
    "LabelPlan": "planning",
    "Look": "looks",
    "MoreData": "planning",
    "Nemenyi": "classical",
    "Plan": "planning",
    "PooledEstimates": "population",
    "PopulationComparison": "population",
    "PowerResult": "planning",
    "PrCurve": "evaluation",
    "PredictiveCheck": "checks",
    "PriorSensitivity": "comparisons",
    "Ranking": "ranking",
    "RocCurve": "evaluation",
    "RunsComparison": "runs",
    "RunsEvaluation": "runs",
    "RunsPower": "budget",
    "RunsRanking": "runs",
    "Slices": "slices",
    "StoppingResult": "planning",
    "SuiteEvaluation": "suites",
    "SuiteRanking": "suites",
    "TaskComparisons": "tasks",
    "ThresholdCurve": "evaluation",
    "Validated": "evaluation",
}
