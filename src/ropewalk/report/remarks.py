"""What else there is to say about a result: hints, what it assumes, notes and warnings."""

from __future__ import annotations

from ropewalk.report import classical, planning, resampled, studies
from ropewalk.report.shape import Escape
from ropewalk.report.view import comparisons, first_answer, recipe_of
from ropewalk.results import (
    ClassComparisons,
    Comparison,
    Confusion,
    CrossComparison,
    Curve,
    Evaluation,
    MoreData,
    PredictiveCheck,
    PriorSensitivity,
    Ranking,
    Rendered,
    Validated,
)
from ropewalk.text.names import few


def remarks(result: Rendered, escape: Escape) -> tuple[tuple[str, str], ...]:
    """Return hints, notes and warnings, each once; they hold names, so they are escaped like them."""
    if isinstance(result, classical.Tested):
        return classical.remarks(result, escape)
    if isinstance(result, studies.Planned):
        return planning.remarks(result, escape)
    if isinstance(result, CrossComparison):
        return remarks(resampled.plain(result), escape)
    if isinstance(result, Validated):
        return resampled.validated_remarks(result, escape)
    if isinstance(result, Curve | Confusion | PredictiveCheck):
        return tuple(("Note", escape(note)) for note in result.notes)
    parts: tuple[Comparison | Evaluation | Ranking, ...]
    if isinstance(result, Evaluation | Ranking):
        parts = (result,)
    else:
        parts = (result.rows[0][1],) if isinstance(result, PriorSensitivity) else comparisons(result)
    told = []
    against_bar = isinstance(result, Evaluation) and result.at_least is not None
    asked = recipe_of(result)
    if (
        asked.rope is None
        and not first_answer(result).no_verdict
        and (against_bar or not isinstance(result, Evaluation))
    ):
        told.append(("Hint", "what is the smallest difference you would act on? Say it as rope= (--rope)."))
    tested = [part for part in parts if isinstance(part, Comparison)]
    told += [("Note", escape(note)) for note in few(note for part in tested for note in classical.cautions(part))]
    told += [("Note", escape(note)) for note in few(note for part in parts for note in part.notes)]
    told += [("Note", escape(note)) for note in few(note for more in _open(result) for note in more.notes)]
    told += [("Warning", escape(warning)) for warning in few(warning for part in parts for warning in part.warnings)]
    return tuple(told)


def _open(result: Rendered) -> list[MoreData]:
    """Return what is known of the open questions of a result."""
    found: list[MoreData | None] = []
    if isinstance(result, Evaluation):
        found = [one.more for one in result.metrics]
    elif isinstance(result, Ranking):
        found = [pair.more for pair in result.pairwise]
    elif isinstance(result, Comparison | ClassComparisons):
        found = [c.more for c in comparisons(result)]
    return [more for more in found if more is not None]
