"""How an answer was made: what users need to get it again, and what it does not cover."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Final

from ropewalk.data.scores import ItemScores
from ropewalk.mcmc.sampler import Sampler
from ropewalk.models import name_of
from ropewalk.models.unfitted import Unfitted
from ropewalk.report import words
from ropewalk.report.document import Block, Details, Document, Picture
from ropewalk.report.page_remarks import Line
from ropewalk.results import Comparison, MoreData, Recipe
from ropewalk.results.base import Drawn
from ropewalk.text.remarks import Remark, few, wording
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import visible

NOT_COVERED: Final = (
    "The intervals are credible given the model, the prior and these data, and are about items like these; chance in "
    "training and the choice of the data set are not in them."
)
_PART: Final = 0.01
"""What a ROPE may be, of the range of a metric."""


def answer_remarks(
    answer: Drawn,
    parts: Sequence[Any],
    more: Iterable[MoreData | None],
    *,
    cautions: Sequence[Remark] = (),
    judged: bool = True,
) -> tuple[Line | Remark, ...]:
    """Return hints, notes and warnings of the parts of an answer, each once; `judged`, a ROPE would give a verdict."""
    hints = (_rope_hint(answer.recipe),) if judged and answer.recipe.rope is None and not answer.no_verdict else ()
    open_questions = [question for question in more if question is not None]
    groups = (
        cautions,
        [remark for part in parts for remark in part.remarks if remark.level == "note"],
        [remark for question in open_questions for remark in question.remarks],
        [remark for part in parts for remark in part.remarks if remark.level == "warning"],
    )
    return (*hints, *[remark for group in groups for remark in few(group)])


def _rope_hint(recipe: Recipe) -> Line:
    """Ask for a ROPE, with an example that suits the scale of the metric: 0.01 from 0 to 1, 0.1 from 1 to 10."""
    low, high = recipe.model.score_range or (recipe.metric.low, recipe.metric.high)
    size = 10 ** round(math.log10(_PART * (high - low))) if 0 < high - low < math.inf else _PART
    text = wording("what is the smallest difference you would act on? State it with rope={}.", f"{size:g}")
    return Line("Hint", text)


def method_section(
    document: Document,
    parts: Sequence[Any],
    call: str,
    *,
    about: str | None = None,
    independent: bool = True,
    left_out: Sequence[str] = (),
    graph: bool = True,
) -> Details:
    """Return what was asked in the parts of an answer, of which data, by which model and program.

    `about` stands in place of the classes of the question.
    """
    answer, recipe, runs = parts[0], parts[0].recipe, words.runs_of(*parts)
    alone = independent and recipe.n_clusters is None
    data = words.items_text(recipe) + (", taken as independent" if alone else "")
    n_draws = [len(part.draws) for part in parts]
    fewest, most = min(n_draws), max(n_draws)
    how = f" by {words.made_by(runs)}" if runs else ", independent"
    how += ", weighted by the prior of the difference" if recipe.model.weights_difference else ""
    rows = (
        ("Data", data + (words.class_words(recipe) if about is None else about)),
        ("Data hash", recipe.data_hash),
        *(("Model", text) for text in dict.fromkeys(words.model_text(part.recipe) for part in parts)),
        *(("In words", text) for text in dict.fromkeys(part.recipe.model.description for part in parts)),
        ("ROPE", _stated_ropes(parts)),
        ("Judged by", judged_by(recipe, answer.no_verdict)),
        ("Scope", answer.scope.line),
        ("Draws", f"{f'{fewest:,} to ' if fewest < most else ''}{most:,}{how}, seed {recipe.seed}"),
        ("Call", call),
    )
    blocks = model_graph(answer) if graph else ()
    return document.method_section(rows, *blocks, not_covered=NOT_COVERED, left_out=left_out)


def wider_section(
    document: Document, answer: Any, data: str, *rows: tuple[str, str], not_covered: str, left_out: Sequence[str] = ()
) -> Details:
    """Return how an answer was made that is about more than items: about folds, data sets, tasks or runs.

    `rows` are said beside what all such answers say: how it was drawn, and by which call.
    """
    recipe = answer.recipe
    whole = (
        ("Data", data),
        ("Data hash", recipe.data_hash),
        ("Model", words.model_text(recipe)),
        ("In words", recipe.model.description),
        ("Estimated", answer.scope.estimand),
        ("ROPE", _stated_ropes([answer])),
        ("Judged by", judged_by(recipe, answer.no_verdict)),
        ("Scope", answer.scope.line),
        *rows,
    )
    return document.method_section(whole, not_covered=not_covered, left_out=left_out)


def _stated_ropes(parts: Sequence[Any]) -> str:
    """Write the ROPE that was stated, by metric where metrics have different ones."""
    texts = ["none" if part.recipe.rope is None else rope_text(part.recipe.rope) for part in parts]
    if set(texts) == {"none"}:
        return "none"
    if len(set(texts)) > 1:
        named = zip(parts, texts, strict=True)
        texts = [", ".join(f"{text} for {words.metric_name(part.recipe.metric.name)}" for part, text in named)]
    return f"{texts[0]}, as stated in the call"


def judged_by(recipe: Recipe, no_verdict: str = "") -> str:
    """Write how a verdict was reached, or why there is none."""
    if recipe.rope is None:
        return ""
    if no_verdict:
        return no_verdict
    rule = "the HDI against the ROPE" if recipe.rule == "hdi" else "the masses of the three regions"
    return f"{rule}, {100 * recipe.prob:g}%"


def model_graph(answer: Any) -> tuple[Block, ...]:
    """Return the model of an answer as a graph that is folded away; nothing where it has none."""
    from ropewalk.report.plates import inline  # a page alone has it

    picture = inline(answer)
    return () if picture is None else (Details("The model, as a graph", (Picture("model", picture),)),)


# -- the call ----------------------------------------------------------------------------------------------


def pair_call(c: Comparison, function: str) -> str:
    """Write the call that makes a comparison."""
    positive = None if function == "compare_classes" else positive_of(c.recipe)
    metric = [each.metric for each in c.metrics] if c.others else c.metric
    options = [("a", visible(c.a)), ("b", visible(c.b)), ("metric", metric), ("pos_label", positive)]
    of_scores = [isinstance(each.recipe.tables[0], ItemScores) for each in c.metrics]
    return call_text(
        function, c.recipe, options, ropes=_ropes(c), given=["scores=…"] if len(set(of_scores)) > 1 else []
    )


def _ropes(c: Comparison) -> dict[str, Any] | None:
    """Return the ROPE of each metric that has one; None where all have the same."""
    stated = [stated_rope(each.recipe) for each in c.metrics]
    if len(set(stated)) == 1:
        return None
    return {each.metric: rope for each, rope in zip(c.metrics, stated, strict=True) if rope is not None}


def stated_rope(recipe: Recipe) -> float | tuple[float, float] | None:
    """Return the ROPE as a call has it."""
    rope = recipe.rope
    return None if rope is None else rope.high if rope.low == -rope.high else (rope.low, rope.high)


def positive_of(recipe: Recipe) -> object:
    """Return the positive class as a call has it."""
    label = recipe.pos_label
    return visible(label) if isinstance(label, str) else label


def call_text(
    function: str,
    recipe: Recipe,
    options: Sequence[tuple[str, object]],
    *,
    ropes: dict[str, Any] | None = None,
    given: Sequence[str] = (),
) -> str:
    """Write the call in Python; … stands for what was in the data or cannot be written in a line.

    `ropes` are those of several metrics, and `given` what else is written as it stands.
    """
    picked, cost = recipe.picked, recipe.metric.cost
    options = [
        *options,
        ("classes", None if picked is None else [visible(x) if isinstance(x, str) else x for x in picked]),
        ("cost_matrix", None if cost is None else [list(row) for row in cost]),
        ("prevalence", recipe.prevalence),
        ("rope", ropes or stated_rope(recipe)),
        ("prob", recipe.prob),
        ("rule", recipe.rule),
        ("draws", recipe.draws),
        ("rng", recipe.seed),
    ]
    texts = [f"{option}={value!r}" if option else repr(value) for option, value in options if value is not None]
    texts += given
    if recipe.n_clusters is not None:
        texts += ["cluster=…"]
    elif not isinstance(recipe.model, Unfitted):  # nobody names what is fitted to more than items
        texts += [f"model={_model(recipe)}"]
    texts += ["sample_weight=…"] if recipe.is_weighted else []
    texts += [f"engine={engine}"] if (engine := sampler_call(recipe)) is not None else []
    return f"rw.{function}(data, {', '.join(texts)})"


def sampler_call(recipe: Recipe) -> str | None:
    """Write the Python that chooses the engine; None where it is the one that is chosen anyhow."""
    sampler = recipe.sampler
    if sampler is None:
        return None
    usual = Sampler(step=sampler.step)
    options = [
        f"{field.name}={getattr(sampler, field.name)!r}"
        for field in fields(sampler)
        if getattr(sampler, field.name) != (field.default if field.name == "step" else getattr(usual, field.name))
    ]
    if options:
        return f"rw.Sampler({', '.join(options)})"
    return "'pymc'" if recipe.model.exact_for(recipe.tables) else None


def _model(recipe: Recipe) -> str:
    """Write a model by its name where that alone makes it, else as the object."""
    name = name_of(recipe.model, recipe.tables, recipe.metric, recipe.prevalence)
    return recipe.model.call() if name is None else repr(name)
