"""How much test data is enough? Power, plans, and when to stop."""

from __future__ import annotations

from ropewalk.planning.power import power
from ropewalk.planning.scenarios import (
    BinaryScenario,
    ConfusionScenario,
    JointScenario,
    MetricScenario,
    Scenario,
)

__all__ = [
    "BinaryScenario",
    "ConfusionScenario",
    "JointScenario",
    "MetricScenario",
    "Scenario",
    "power",
]
