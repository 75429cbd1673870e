"""The one switchboard by which results reach upwards: every late import of a room above stands here.

Methods of results call these functions, so that a result can render, ask again and exchange itself while its class
knows nothing of the rooms that do it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ropewalk.report.plates import Diagram as Diagram  # noqa: PLC0414 - the return type of `graph`, named from below
    from ropewalk.results import (
        Comparison,
        Confusion,
        Evaluation,
        Items,
        LabelPlan,
        MoreData,
        PredictiveCheck,
        PriorSensitivity,
    )


def reach(module: str, function: str) -> Callable[..., Any]:
    """Return a function of a module above, imported when it is first called."""

    def call(*args: Any, **options: Any) -> Any:
        return getattr(import_module(f"ropewalk.{module}"), function)(*args, **options)

    return call


text: Callable[..., str] = reach("report.terminal", "text")
markdown: Callable[..., str] = reach("report.render", "markdown")
latex: Callable[..., str] = reach("report.render", "latex")
html: Callable[..., str] = reach("report.render", "html")
card: Callable[..., str] = reach("report.render", "card")
sentence: Callable[..., str] = reach("report.render", "sentence")
plot: Callable[..., Any] = reach("plots.natural", "plot")
to_frame: Callable[..., Any] = reach("exchange.frames", "to_frame")
log_to_mlflow: Callable[..., str] = reach("exchange.mlflow", "log_to_mlflow")
plate_diagram: Callable[..., Diagram] = reach("report.plates", "plate_diagram")
predictive_check: Callable[..., PredictiveCheck] = reach("inference.checks", "predictive_check")
prior_sensitivity: Callable[..., PriorSensitivity] = reach("inference.extras", "prior_sensitivity")
confusions: Callable[..., tuple[Confusion, Confusion]] = reach("inference.confusions", "confusions")
items: Callable[..., Items] = reach("inference.items", "items")
more_data: Callable[..., MoreData] = reach("planning", "more_data")
worth_of_labels: Callable[..., LabelPlan] = reach("planning", "worth_of_labels")
to_arviz: Callable[..., Any] = reach("exchange", "to_arviz")
to_netcdf: Callable[..., None] = reach("exchange", "to_netcdf")
compare_predictions: Callable[..., Comparison] = reach("resampling.cross_comparison", "compare_predictions")
evaluate_predictions: Callable[..., Evaluation] = reach("resampling.cross_comparison", "evaluate_predictions")
