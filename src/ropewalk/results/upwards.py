"""The one switchboard by which results reach upwards: every late import of a room above stands here.

Methods of results call these functions, so that a result can render, ask again and exchange itself while its class
knows nothing of the rooms that do it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ropewalk.report.plates import Diagram as Diagram  # noqa: PLC0414 - the return type of `graph`, named from below
    from ropewalk.results import Comparison, Confusion, Evaluation, MoreData, PredictiveCheck, PriorSensitivity


def text(result: Any) -> str:
    """Write a result for a terminal."""
    from ropewalk.report import text

    return text(result)


def markdown(result: Any) -> str:
    """Write a result as a Markdown table."""
    from ropewalk.report import markdown

    return markdown(result)


def latex(result: Any) -> str:
    """Write a result as a LaTeX table."""
    from ropewalk.report import latex

    return latex(result)


def html(result: Any, path: str | os.PathLike[str] | None) -> str:
    """Write a result as a page."""
    from ropewalk.report import html

    return html(result, path)


def card(result: Any) -> str:
    """Write a result for a notebook."""
    from ropewalk.report import card

    return card(result)


def sentence(result: Any) -> str:
    """Write a result as a sentence."""
    from ropewalk.report import sentence

    return sentence(result)


def plate_diagram(result: Any, path: str | os.PathLike[str] | None, **options: Any) -> Diagram:
    """Draw the model of a result."""
    from ropewalk.report.plates import plate_diagram

    return plate_diagram(result, path, **options)


def predictive_check(result: Any, **options: Any) -> PredictiveCheck:
    """Replicate the data of a result."""
    from ropewalk.inference.checks import predictive_check

    return predictive_check(result, **options)


def prior_sensitivity(result: Any, **options: Any) -> PriorSensitivity:
    """Ask a comparison again under other priors."""
    from ropewalk.inference.sensitivity import prior_sensitivity

    return prior_sensitivity(result, **options)


def confusions(result: Any) -> tuple[Confusion, Confusion]:
    """Count the confusion matrices of a comparison."""
    from ropewalk.inference.confusions import confusions

    return confusions(result)


def more_data(result: Any, **options: Any) -> MoreData:
    """Simulate more items of a comparison."""
    from ropewalk.planning import more_data

    return more_data(result, **options)


def to_arviz(result: Any, **options: Any) -> Any:
    """Convert a result to ArviZ."""
    from ropewalk.exchange import to_arviz

    return to_arviz(result, **options)


def to_netcdf(result: Any, path: str | os.PathLike[str], **options: Any) -> None:
    """Write a result to a netCDF file."""
    from ropewalk.exchange import to_netcdf

    to_netcdf(result, path, **options)


def compare_predictions(predictions: Any, *names: str | None, **options: Any) -> Comparison:
    """Compare classifiers by their predictions on folds."""
    from ropewalk.resampling.cross_comparison import compare_predictions

    return compare_predictions(predictions, *names, **options)


def evaluate_predictions(predictions: Any, name: str | None, **options: Any) -> Evaluation:
    """Evaluate a classifier by its predictions on folds."""
    from ropewalk.resampling.cross_comparison import evaluate_predictions

    return evaluate_predictions(predictions, name, **options)
