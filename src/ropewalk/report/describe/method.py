"""How an answer was made: what users need to get it again, what it does not cover, and its Markov chains."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any, Final, NamedTuple

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.errors import RopewalkError
from ropewalk.mcmc.chains import LEAST_ESS, MOST_RHAT, MOST_RHAT_OF_MANY, Diagnostics
from ropewalk.mcmc.sampler import Sampler
from ropewalk.models import parse_model
from ropewalk.report import document, words
from ropewalk.report.describe.classical import cautions
from ropewalk.report.document import Alarm, Block, Details, Facts, Line, Picture, Rows, Section, Table, name
from ropewalk.report.pictures.lines import trace
from ropewalk.report.plates import inline
from ropewalk.results import ClassComparisons, Comparison, MetricPosterior, MoreData, Ranking, Recipe
from ropewalk.results.base import Drawn
from ropewalk.text.names import count_of, visible
from ropewalk.text.remarks import few
from ropewalk.text.verdicts import rope_text
from ropewalk.typing import FloatArray

NOT_COVERED: Final = (
    "The intervals are credible given the model, the prior and these data, and are about items like these; chance in "
    "training and the choice of the data set are not in them."
)
MAX_TRACES: Final = 4
_PASSES: Final = "Nothing speaks against the chains: all checks pass."
_LABEL: Final = "Diagnostics of the Markov chains"
_WEIGHTED: Final = " They are shown as the chains made them, before the prior of the difference weights them."
_HINT: Final = Line("Hint", "what is the smallest difference you would act on? Say it as rope= (--rope).")


def answer_remarks(
    answer: Drawn,
    parts: Sequence[Any],
    more: Iterable[MoreData | None],
    *,
    tested: Sequence[Comparison] = (),
    judged: bool = True,
) -> tuple[Line, ...]:
    """Return hints, notes and warnings of the parts of an answer, each once; `judged`, a ROPE would give a verdict."""
    hints = (_HINT,) if judged and answer.recipe.rope is None and not answer.no_verdict else ()
    open_questions = [question for question in more if question is not None]
    groups = (
        [caution for part in tested for caution in cautions(part)],
        [remark for part in parts for remark in part.remarks if remark.level == "note"],
        [remark for question in open_questions for remark in question.remarks],
        [remark for part in parts for remark in part.remarks if remark.level == "warning"],
    )
    return (*hints, *document.remark_lines(remark for group in groups for remark in few(group)))


def preset_text(recipe: Recipe) -> str:
    """Write the ROPE that was stated beforehand; empty where there was none."""
    return "" if recipe.rope is None else rope_text(recipe.rope)


def method_rows(
    answer: Drawn,
    call: str,
    runs: Sequence[Diagnostics],
    n_draws: Sequence[int],
    *,
    recipes: Sequence[Recipe] = (),
    about: str | None = None,
    independent: bool = True,
    left_out: Sequence[str] = (),
) -> Rows:
    """Return what was asked, of which data, by which model and program, as labelled lines.

    `n_draws` are those of every part of an answer, and `recipes` theirs if they differ; `about` stands in place of the
    classes of the question.
    """
    recipe = answer.recipe
    alone = independent and recipe.n_clusters is None
    data = words.items_text(recipe) + (", taken as independent" if alone else "")
    fewest, most = min(n_draws), max(n_draws)
    how = f" by {words.made_by(runs)}" if runs else ", independent"
    how += ", weighted by the prior of the difference" if recipe.model.weights_difference else ""
    rows = [
        ("Data", data + (words.class_words(recipe) if about is None else about)),
        ("Data hash", recipe.data_hash),
        *(("Model", text) for text in dict.fromkeys(map(words.model_text, recipes or (recipe,)))),
        *(("In words", text) for text in dict.fromkeys(part.model.description for part in recipes or (recipe,))),
        ("ROPE", "none" if recipe.rope is None else f"{rope_text(recipe.rope)}, as stated in the call"),
        ("Judged by", judged_by(recipe, answer.no_verdict)),
        ("Draws", f"{f'{fewest:,} to ' if fewest < most else ''}{most:,}{how}, seed {recipe.seed}"),
        ("Call", call),
        document.program_row(),
        ("Not covered", NOT_COVERED),
        ("Left out", " ".join(left_out)),
    ]
    return tuple((label, text) for label, text in rows if text)


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
    picture = inline(answer)
    return () if picture is None else (Details("The model, as a graph", (Picture("model", picture),)),)


# -- the call ----------------------------------------------------------------------------------------------


def pair_call(c: Comparison, function: str) -> str:
    """Write the call that makes a comparison."""
    positive = None if function == "compare_classes" else positive_of(c.recipe)
    options = [("a", visible(c.a)), ("b", visible(c.b)), ("metric", c.metric), ("pos_label", positive)]
    return call_text(function, c.recipe, options)


def positive_of(recipe: Recipe) -> object:
    """Return the positive class as a call has it."""
    label = recipe.pos_label
    return visible(label) if isinstance(label, str) else label


def call_text(function: str, recipe: Recipe, options: Sequence[tuple[str, object]]) -> str:
    """Write the call in Python; … stands for what was in the data or cannot be written in a line."""
    rope, picked, cost = recipe.rope, recipe.picked, getattr(recipe.metric, "cost", None)
    stated = None if rope is None else rope.high if rope.low == -rope.high else (rope.low, rope.high)
    options = [
        *options,
        ("classes", None if picked is None else [visible(x) if isinstance(x, str) else x for x in picked]),
        ("cost_matrix", None if cost is None else [list(row) for row in cost]),
        ("prevalence", recipe.prevalence),
        ("rope", stated),
        ("prob", recipe.prob),
        ("rule", recipe.rule),
        ("draws", recipe.draws),
        ("rng", recipe.seed),
    ]
    texts = [f"{option}={value!r}" if option else repr(value) for option, value in options if value is not None]
    texts += ["cluster=…"] if recipe.n_clusters is not None else [f"model={_model(recipe)}"]
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
    return "'pymc'" if recipe.model.exact else None


def _model(recipe: Recipe) -> str:
    """Write a model by its name where that alone makes it, else as the object."""
    table = recipe.tables[0]
    model, several = recipe.model.name, isinstance(table, MultilabelOutcomes)
    n_classifiers = sum(len(table.names) for table in recipe.tables)
    try:
        made = parse_model(model, n_labels=table.n_labels, n_classifiers=n_classifiers, multilabel=several)
    except RopewalkError:
        made = None
    return repr(model) if made == recipe.model else recipe.model.call()


# -- the chains --------------------------------------------------------------------------------------------


def chain_section(answers: Sequence[Any], traces: Sequence[Block]) -> tuple[Section, ...]:
    """Return what a page says about the chains of answers; nothing where they were drawn exactly."""
    runs = [run for answer in answers if (run := answer.diagnostics) is not None]
    if not runs:
        return ()
    failed = sum(not check.passes for run in runs for check in _checks(run))
    what = "of the checks below fails" if failed == 1 else "of the checks below fail"
    status = f"The chains have not converged: {failed} {what}. Means, intervals and probabilities may be wrong."
    # The same check of several metrics on the same chains stands there once. What is long comes last: a narrow screen
    # may cut it off.
    rows = dict.fromkeys(
        (check.name, check.value, check.limit, "yes" if check.passes else "no", name(check.of))
        for run in runs
        for check in _checks(run)
    )
    table = Table(header=("diagnostic", "value", "limit", "passes", "of"), rows=tuple(rows), label=_LABEL)
    alarm = Alarm(status if failed else _PASSES, passes=all(run.converged for run in runs))
    return (Section("Markov chains", (alarm, Facts(_setup(runs[0], answers[0])), table, *traces)),)


def class_chain_section(result: ClassComparisons) -> tuple[Section, ...]:
    """Return what a page says about the chains of classes, one row per class: each has chains of its own."""
    runs = [(c, c.diagnostics) for c in result if c.diagnostics is not None]
    if not runs:
        return ()
    rows = [
        (
            words.label_name(c.pos_label),
            words.rhat_text(run.rhat),
            f"{run.ess_bulk:,.0f}",
            f"{run.ess_tail:,.0f}",
            f"{run.divergences:,}",
            "yes" if run.converged else "no",
        )
        for c, run in runs
    ]
    limits = (
        f"R-hat at most {MOST_RHAT:g}, or {MOST_RHAT_OF_MANY:g} of a parameter; ESS at least {LEAST_ESS:,}; no draw "
        "divergent"
    )
    bad = sum(not run.converged for _, run in runs)
    status = f"The chains of {bad} of {len(runs)} classes have not converged; these have no verdict."
    header = ("class", "R-hat", "bulk ESS", "tail ESS", "divergent", "converged")
    table = Table(header=header, rows=tuple(rows), label=_LABEL)
    setup = (*_setup(runs[0][1], runs[0][0]), ("Limits", limits))
    return (Section("Markov chains", (Alarm(status if bad else _PASSES, passes=not bad), Facts(setup), table)),)


def _setup(run: Diagnostics, answer: Any) -> Rows:
    """Return how the chains were run, as far as that is known."""
    step, sampler = words.step_text(run.step), answer.recipe.sampler
    rows = [("Sampler", f"{step} by {visible(run.engine)}" if step else visible(run.engine))]
    rows.append(("Chains", f"{run.chains:,} × {run.draws // run.chains:,} draws, {run.draws:,} in all"))
    if step:
        rows.append(("Tuning", f"{count_of(run.tune, 'step')} a chain, thrown away" if run.tune else "none"))
    if run.acceptance is not None:
        aimed = f"; {100 * sampler.target_accept:g}% was aimed at" if sampler is not None and run.step == "nuts" else ""
        rows.append(("Acceptance", f"{100 * run.acceptance:.0f}% of the steps{aimed}"))
    return tuple(rows)


class _Check(NamedTuple):
    """A diagnostic, its value, of what it is the worst, its limit, and whether it keeps to it."""

    name: str
    value: str
    of: str
    limit: str
    passes: bool


def _checks(run: Diagnostics) -> tuple[_Check, ...]:
    """Return every diagnostic that has a limit, and whether it keeps to it."""
    effective = [
        _Check(f"{kind} ESS, least", f"{value:,.0f}", of, f"at least {LEAST_ESS:,}", value >= LEAST_ESS)
        for kind, value, of in (("bulk", run.ess_bulk, run.ess_bulk_of), ("tail", run.ess_tail, run.ess_tail_of))
    ]
    limit = f"at most {run.rhat_limit:g}"
    rhat = _Check("R-hat, worst", words.rhat_text(run.rhat), run.rhat_of, limit, run.rhat <= run.rhat_limit)
    lost = _Check("divergent draws", f"{run.divergences:,}", "", "none", run.divergences == 0)
    return (rhat, *effective, *([lost] if words.can_diverge(run) else []))


# -- the pictures ------------------------------------------------------------------------------------------


def chain_values(answer: Comparison | MetricPosterior | Ranking) -> tuple[FloatArray, bool]:
    """Return the draws of a metric as the chains made them, (classifiers, chains, draws), and whether weights followed.

    Weighted draws have lost their order, so they are made again from the parameters.
    """
    recipe = answer.recipe
    if recipe.model.weights_difference and answer.chains is not None:
        psi = answer.chains.psi(recipe.metric, recipe.prevalence)
        return psi.reshape(len(psi), *answer.chains.shape), True
    psi = answer.draws.psi
    return psi.reshape(len(psi), answer.draws.chains, -1), False


def delta_values(answer: Comparison) -> tuple[FloatArray, bool]:
    """Return the draws of the difference as the chains made them, (chains, draws), and whether weights followed."""
    if answer.recipe.model.weights_difference and answer.chains is not None:
        psi, weighted = chain_values(answer)
        return psi[0] - psi[1], weighted
    return answer.draws.delta().reshape(answer.draws.chains, -1), False


def divergent(answer: Any) -> Any:
    """Return which draws diverged, (chains, draws); None where that is not known."""
    chains = answer.chains
    return None if chains is None else chains.sampled.stats.get("diverging")


def delta_trace(answer: Comparison) -> tuple[Picture, ...]:
    """Lay out the chains of a difference, where there are any."""
    if answer.diagnostics is None:
        return ()
    metric, (values, weighted) = words.metric_title(answer.metric), delta_values(answer)
    label = f"{metric} of {name(answer.a)} − {metric} of {name(answer.b)}"
    note = _WEIGHTED if weighted else ""
    return (Picture("trace", trace("trace1", label, values, divergent(answer), note=note)),)


def score_traces(answers: Sequence[tuple[Any, str]], order: Sequence[int] = (0,)) -> tuple[Picture, ...]:
    """Lay out the chains of the scores of (answer, metric), the classifiers in this `order`; the first few."""
    pictures: list[Picture] = []
    for answer, metric in answers:
        if answer.diagnostics is None:
            continue
        psi, _ = chain_values(answer)
        for k in order:
            label = f"{words.metric_title(metric)} of {name(answer.draws.names[k])}"
            key = f"trace{len(pictures) + 1}"
            pictures.append(Picture("trace", trace(key, label, psi[k], divergent(answer), signed=False)))
    return tuple(pictures[:MAX_TRACES])
