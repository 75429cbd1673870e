"""The Markov chains behind an answer: how they were run, whether they can be trusted, and what they look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from ropewalk.data.labels import label_text
from ropewalk.mcmc.diagnostics import LEAST_ESS, MOST_RHAT, MOST_RHAT_OF_MANY, Diagnostics
from ropewalk.report.drawn import can_diverge, rhat_text, step_text
from ropewalk.report.pictures.chains import Trace, trace
from ropewalk.report.shape import Table, metric_title
from ropewalk.results import ClassComparisons, Comparison, Evaluation, MetricPosterior, Ranking, Rendered
from ropewalk.text.escape import isolated
from ropewalk.text.names import count_of, visible
from ropewalk.typing import FloatArray

ALARM: Final = "The Markov chains have not converged"
"""How the warning about them begins."""

_TRACES: Final = 4  # of a page at most
_WEIGHTED: Final = " They are shown as the chains made them, before the prior of the difference weights them."


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainPart:
    """What a page says about Markov chains; `status` is short, and what to do stands in the warnings."""

    status: str
    converged: bool
    setup: tuple[tuple[str, str], ...]
    table: Table
    traces: tuple[Trace, ...]


def chain_part(result: Rendered) -> ChainPart | None:
    """Return what there is to say about the chains of a result; None where it was drawn exactly."""
    if isinstance(result, ClassComparisons):
        return _of_classes(result)
    answers = _answers(result)
    runs = [run for answer in answers if (run := answer.diagnostics) is not None]
    if not runs:
        return None
    return ChainPart(
        status=_status(runs),
        converged=all(run.converged for run in runs),
        setup=_setup(runs[0], answers[0]),
        table=_table(runs),
        traces=_traces(answers),
    )


def _answers(result: Rendered) -> tuple[Any, ...]:
    if isinstance(result, Comparison | Ranking):
        return (result,)
    return result.metrics if isinstance(result, Evaluation) else ()


def _status(runs: Sequence[Diagnostics]) -> str:
    failed = sum(not check.passes for run in runs for check in _checks(run))
    if not failed:
        return "Nothing speaks against the chains: all checks pass."
    what = "of the checks below fails" if failed == 1 else "of the checks below fail"
    return f"The chains have not converged: {failed} {what}. Means, intervals and probabilities may be wrong."


def _setup(run: Diagnostics, answer: Any) -> tuple[tuple[str, str], ...]:
    """Say how the chains were run, as far as that is known."""
    step, sampler = step_text(run.step), answer.recipe.sampler
    rows = [("Sampler", f"{step} by {visible(run.engine)}" if step else visible(run.engine))]
    rows.append(("Chains", f"{run.chains:,} × {run.draws // run.chains:,} draws, {run.draws:,} in all"))
    if step:
        rows.append(("Tuning", f"{count_of(run.tune, 'step')} a chain, thrown away" if run.tune else "none"))
    if run.acceptance is not None:
        aimed = f"; {100 * sampler.target_accept:g}% was aimed at" if sampler is not None and run.step == "nuts" else ""
        rows.append(("Acceptance", f"{100 * run.acceptance:.0f}% of the steps{aimed}"))
    return tuple(rows)


# -- the checks --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Check:
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
    rhat = _Check("R-hat, worst", rhat_text(run.rhat), run.rhat_of, limit, run.rhat <= run.rhat_limit)
    lost = _Check("divergent draws", f"{run.divergences:,}", "", "none", run.divergences == 0)
    return (rhat, *effective, *([lost] if can_diverge(run) else []))


def _table(runs: Sequence[Diagnostics]) -> Table:
    """Return the checks; of several metrics on the same chains each is said once."""
    rows = dict.fromkeys(
        (check.name, check.value, check.limit, "yes" if check.passes else "no", isolated(check.of))
        for run in runs
        for check in _checks(run)
    )
    # What is long and may be cut off on a narrow screen comes last.
    return Table(header=("diagnostic", "value", "limit", "passes", "of"), rows=tuple(rows))


def _of_classes(result: ClassComparisons) -> ChainPart | None:
    """Return one row a class, each of which has chains of its own."""
    found = [(c, c.diagnostics) for c in result if c.diagnostics is not None]
    if not found:
        return None
    runs = [run for _, run in found]
    rows = [
        (
            isolated(label_text("" if c.pos_label is None else c.pos_label)),
            rhat_text(run.rhat),
            f"{run.ess_bulk:,.0f}",
            f"{run.ess_tail:,.0f}",
            f"{run.divergences:,}",
            "yes" if run.converged else "no",
        )
        for c, run in found
    ]
    limits = (
        f"R-hat at most {MOST_RHAT:g}, or {MOST_RHAT_OF_MANY:g} of a parameter; ESS at least {LEAST_ESS:,}; no draw "
        "divergent"
    )
    bad = sum(not run.converged for run in runs)
    status = f"The chains of {bad} of {len(runs)} classes have not converged; these have no verdict."
    return ChainPart(
        status=status if bad else "Nothing speaks against the chains: all checks pass.",
        converged=not bad,
        setup=(*_setup(runs[0], found[0][0]), ("Limits", limits)),
        table=Table(header=("class", "R-hat", "bulk ESS", "tail ESS", "divergent", "converged"), rows=tuple(rows)),
        traces=(),
    )


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


def _traces(answers: Sequence[Any]) -> tuple[Trace, ...]:
    """Lay out the difference of a comparison, the scores of an evaluation, or those of the best in a ranking."""
    found: list[Trace] = []
    for answer in answers:
        marks = divergent(answer)
        if isinstance(answer, Comparison):
            name, (values, weighted) = metric_title(answer.metric), delta_values(answer)
            label = f"{name} of {isolated(answer.a)} − {name} of {isolated(answer.b)}"
            found.append(trace("trace1", label, values, marks, note=_WEIGHTED if weighted else ""))
            continue
        psi, weighted = chain_values(answer)
        ranked = isinstance(answer, Ranking)
        name = metric_title(answer.metric if ranked else answer.metric.name)
        order = [answer.draws.names.index(one.name) for one in answer.by_rank] if ranked else [0]
        for k in order:
            label = f"{name} of {isolated(answer.draws.names[k])}"
            found.append(trace(f"trace{len(found) + 1}", label, psi[k], marks, signed=False))
    return tuple(found[:_TRACES])
