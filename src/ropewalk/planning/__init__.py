"""Simulate how much test data is enough: power, plans, and when to stop."""

from __future__ import annotations

from ropewalk._checks import publish
from ropewalk.planning.labels import worth_of_labels
from ropewalk.planning.more import more_data
from ropewalk.planning.plans import plan
from ropewalk.planning.scenarios import BinaryScenario, ConfusionScenario, JointScenario, MetricScenario, Scenario
from ropewalk.planning.simulation import StopWhen, power, stopping
from ropewalk.results.budget import BudgetPlan, RunsPower
from ropewalk.results.planning import LabelPlan, MoreData, Plan, PowerResult, PowerRow, StoppingResult

__all__ = [
    "BinaryScenario",
    "BudgetPlan",
    "ConfusionScenario",
    "JointScenario",
    "LabelPlan",
    "MetricScenario",
    "MoreData",
    "Plan",
    "PowerResult",
    "PowerRow",
    "RunsPower",
    "Scenario",
    "StopWhen",
    "StoppingResult",
    "more_data",
    "plan",
    "power",
    "stopping",
    "worth_of_labels",
]

publish(globals())
