"""How an answer was made: all that somebody needs to get it again, and what it does not cover."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Final

from ropewalk._version import __version__
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.errors import RopewalkError
from ropewalk.models import parse_model
from ropewalk.report import checks, planning, studies
from ropewalk.report.drawn import made_by, runs_of
from ropewalk.report.models import sampler_call
from ropewalk.report.shape import class_words, items_text, model_text
from ropewalk.report.view import first_answer
from ropewalk.results import (
    ClassComparisons,
    Comparison,
    CrossComparison,
    Evaluation,
    PredictiveCheck,
    PriorSensitivity,
    Ranking,
    Recipe,
    Rendered,
)
from ropewalk.text.names import visible
from ropewalk.text.verdicts import rope_text

NOT_COVERED: Final = (
    "The intervals are credible given the model, the prior and these data, and are about items like these; chance in "
    "training and the choice of the data set are not in them."
)
NOT_PLANNED: Final = (
    "Everything is about items like those taken as true, drawn independently; whether that is how things are, chance "
    "in training and the choice of the data set are not in it."
)


def method_rows(result: Rendered) -> tuple[tuple[str, str], ...]:
    """Return what was asked, of which data, by which model and program, as labelled lines."""
    if isinstance(result, studies.Planned):
        return (*_planned(result), ("Program", _versions()), ("Not covered", NOT_PLANNED))
    if isinstance(result, PredictiveCheck):
        return (*checks.method(result), ("Program", _versions()), ("Not covered", NOT_COVERED))
    found = _made_by(result)
    if found is None:
        return (("Program", _versions()),)
    recipe, n_draws, call = found
    by_class = isinstance(result, ClassComparisons)
    about = " · each class against the rest" if by_class else class_words(recipe, visible)
    independent = recipe.n_clusters is None and not isinstance(result, CrossComparison)
    rows = [
        ("Data", items_text(recipe) + (", taken as independent" if independent else "") + about),
        ("Data hash", recipe.data_hash),
        *(("Model", text) for text in dict.fromkeys(map(model_text, _recipes(result, recipe)))),
        *(("In words", text) for text in dict.fromkeys(one.model.description for one in _recipes(result, recipe))),
        ("ROPE", "none" if recipe.rope is None else f"{rope_text(recipe.rope)}, as stated in the call"),
        ("Judged by", _judged(recipe, first_answer(result).no_verdict)),
        ("Draws", f"{_fewest(result, n_draws)}{n_draws:,}{_drawn(result, recipe)}, seed {recipe.seed}"),
        ("Call", call),
        ("Program", _versions()),
        ("Not covered", NOT_COVERED),
    ]
    return tuple((label, says) for label, says in rows if says)


def _versions() -> str:
    program = f"ropewalk {__version__}, Python {platform.python_version()}"
    return f"{program}, NumPy {version('numpy')}, SciPy {version('scipy')}"


def _planned(result: studies.Planned) -> tuple[tuple[str, str], ...]:
    """Return what a study that has not been made yet was taken to be."""
    design, recipe = result.design, result.design.recipe
    return (
        ("Taken as true", visible(design.truth)),
        ("Model", visible(model_text(recipe))),
        ("ROPE", f"{rope_text(design.rope)}, as stated in the call"),
        ("Judged by", _judged(recipe, "")),
        ("Made by", f"{' · '.join(planning.effort(result))}, seed {design.seed}"),
    )


def _drawn(result: Rendered, recipe: Recipe) -> str:
    """Say how the draws were made."""
    runs = runs_of(result)
    told = f" by {made_by(runs)}" if runs else ", independent"
    return f"{told}, weighted by the prior of the difference" if recipe.model.weights_difference else told


def _fewest(result: Rendered, most: int) -> str:
    """Say where the fewest draws begin, if not all parts of a result have as many."""
    parts = result.metrics if isinstance(result, Evaluation) else result if isinstance(result, ClassComparisons) else ()
    fewest = min((len(part.draws) for part in parts), default=most)
    return f"{fewest:,} to " if fewest < most else ""


def _recipes(result: Rendered, recipe: Recipe) -> list[Recipe]:
    return [m.recipe for m in result.metrics] if isinstance(result, Evaluation) else [recipe]


def _judged(recipe: Recipe, no_verdict: str) -> str:
    """Say how a verdict was reached, or why there is none."""
    if recipe.rope is None:
        return ""
    if no_verdict:
        return no_verdict
    rule = "the HDI against the ROPE" if recipe.rule == "hdi" else "the masses of the three regions"
    return f"{rule}, {100 * recipe.prob:g}%"


def preset_text(result: Rendered) -> str:
    """Write the ROPE that was stated beforehand; empty where there was none."""
    found = _made_by(result)
    return "" if found is None or found[0].rope is None else rope_text(found[0].rope)


def _made_by(result: Rendered) -> tuple[Recipe, int, str] | None:
    """Return the recipe of a result, its number of draws, and the call that makes it."""
    if isinstance(result, CrossComparison):
        recipe, draws, _ = _pair(result.comparison, "compare")
        return recipe, draws, "rw.cross_compare(…)"
    if isinstance(result, Comparison):
        return _pair(result, "compare")
    if isinstance(result, ClassComparisons):
        recipe, _, call = _pair(result[0], "compare_classes")
        return recipe, max(len(c.draws) for c in result), call
    if isinstance(result, PriorSensitivity):
        recipe, draws, call = _pair(result.rows[0][1], "compare")
        return recipe, draws, f"{call}.prior_sensitivity()"
    if isinstance(result, Ranking):
        call = _call("rank", result.recipe, [("metric", result.metric), _positive(result.recipe)])
        return result.recipe, len(result.draws), call
    if isinstance(result, Evaluation):
        recipe = result.metrics[0].recipe
        metrics = [m.metric.name for m in result.metrics]
        given = [("", visible(result.name)), ("metric", metrics), _positive(recipe), ("at_least", result.at_least)]
        return recipe, max(len(m.draws) for m in result.metrics), _call("evaluate", recipe, given)
    return None


def _pair(c: Comparison, function: str) -> tuple[Recipe, int, str]:
    positive = ("pos_label", None) if function == "compare_classes" else _positive(c.recipe)
    given = [("a", visible(c.a)), ("b", visible(c.b)), ("metric", c.metric), positive]
    return c.recipe, len(c.draws), _call(function, c.recipe, given)


def _positive(recipe: Recipe) -> tuple[str, object]:
    label = recipe.pos_label
    return "pos_label", visible(label) if isinstance(label, str) else label


def _call(function: str, recipe: Recipe, given: list[tuple[str, object]]) -> str:
    """Write the call in Python; … stands for what was in the data or cannot be written in a line."""
    rope, picked, cost = recipe.rope, recipe.picked, getattr(recipe.metric, "cost", None)
    stated = None if rope is None else rope.high if rope.low == -rope.high else (rope.low, rope.high)
    given = [
        *given,
        ("classes", None if picked is None else [visible(x) if isinstance(x, str) else x for x in picked]),
        ("cost_matrix", None if cost is None else [list(row) for row in cost]),
        ("prevalence", recipe.prevalence),
        ("rope", stated),
        ("prob", recipe.prob),
        ("rule", recipe.rule),
        ("draws", recipe.draws),
        ("rng", recipe.seed),
    ]
    told = [f"{name}={value!r}" if name else repr(value) for name, value in given if value is not None]
    told += ["cluster=…"] if recipe.n_clusters is not None else [f"model={_model(recipe)}"]
    told += [f"engine={engine}"] if (engine := sampler_call(recipe)) is not None else []
    return f"rw.{function}(data, {', '.join(told)})"


def _model(recipe: Recipe) -> str:
    """Write a model by its name where that alone makes it, else as the object."""
    table = recipe.tables[0]
    name, several = recipe.model.name, isinstance(table, MultilabelOutcomes)
    n_classifiers = sum(len(one.names) for one in recipe.tables)
    try:
        made = parse_model(name, n_labels=table.n_labels, n_classifiers=n_classifiers, multilabel=several)
    except RopewalkError:
        made = None
    return repr(name) if made == recipe.model else recipe.model.call()
