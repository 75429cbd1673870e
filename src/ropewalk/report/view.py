"""What a result says, as rows of plain strings; the renderers only escape and arrange them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ropewalk.data.labels import label_text
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.blocks import Draws
from ropewalk.draws.decision import Decision, Regions, path_text
from ropewalk.draws.intervals import FEW_DRAWS
from ropewalk.draws.summary import Estimate
from ropewalk.mcmc.diagnostics import Diagnostics
from ropewalk.report import checks, classical, confusion, curves, planning, resampled, studies
from ropewalk.report.drawn import drawn_text, runs_of, worth_text
from ropewalk.report.league import (
    league_table,
    league_view,
    pair_table,
    place_table,
    sensitivity_table,
    sensitivity_view,
)
from ropewalk.report.models import observed_word
from ropewalk.report.more import HEADER, has_more, more_cell, more_line
from ropewalk.report.shape import (
    Escape,
    Share,
    Table,
    View,
    class_counts,
    class_words,
    decision_text,
    items_text,
    metric_title,
    model_name,
    sign_text,
)
from ropewalk.results import (
    ClassComparisons,
    Comparison,
    Confusion,
    CrossComparison,
    Curve,
    Evaluation,
    MetricPosterior,
    PredictiveCheck,
    PriorSensitivity,
    Ranking,
    Recipe,
    Rendered,
    Validated,
)
from ropewalk.text.numbers import decimals, estimate_text, factor, interval, number, percent, savage_dickey
from ropewalk.text.verdicts import bar_text, rope_text, verdict_text
from ropewalk.typing import Rule


def view(result: Rendered, escape: Escape) -> tuple[View, ...]:
    """Return one view a comparison or metric, with every name escaped."""
    for kind, show in _VIEWS:
        if isinstance(result, kind):
            return show(result, escape)
    return tuple(_comparison(c, escape, by_class=isinstance(result, ClassComparisons)) for c in comparisons(result))


def _folds(result: CrossComparison, escape: Escape) -> tuple[View, ...]:
    return resampled.with_folds(view(resampled.plain(result), escape), result, escape)


def _metrics(result: Evaluation, escape: Escape) -> tuple[View, ...]:
    return tuple(_metric(result, posterior, escape) for posterior in result.metrics)


_VIEWS: tuple[tuple[Any, Callable[[Any, Escape], tuple[View, ...]]], ...] = (
    (classical.Tested, classical.views),
    (studies.Planned, lambda result, escape: (planning.view(result, escape),)),
    (CrossComparison, _folds),
    (Evaluation, _metrics),
    (Validated, lambda result, escape: (resampled.validated_view(result, escape),)),
    (Curve, lambda result, escape: (curves.curve_view(result, escape),)),
    (Confusion, lambda result, escape: (confusion.confusion_view(result, escape),)),
    (PredictiveCheck, lambda result, escape: (checks.view(result, escape),)),
    (Ranking, lambda result, escape: (league_view(result, escape),)),
    (PriorSensitivity, lambda result, escape: (sensitivity_view(result, escape),)),
)


def comparisons(result: Rendered) -> tuple[Comparison, ...]:
    """Return the comparisons of a result, one or one a class."""
    if isinstance(result, ClassComparisons):
        return result.comparisons
    assert isinstance(result, Comparison)  # noqa: S101
    return (result,)


def first_answer(result: Rendered) -> Comparison | MetricPosterior | Ranking:
    """Return the answer that a result is, or the first of its answers."""
    if isinstance(result, Evaluation):
        return result.metrics[0]
    if isinstance(result, PriorSensitivity):
        return result.rows[0][1]
    return result if isinstance(result, Ranking) else comparisons(result)[0]


def recipe_of(result: Rendered) -> Recipe:
    """Return the recipe of a result, or the first of its recipes."""
    return first_answer(result).recipe


def caption(result: Rendered, escape: Escape) -> str:
    """Say what a table is about: metric, classifiers, ROPE, model, number of items."""
    if isinstance(result, classical.Tested):
        return classical.views(result, escape)[0].headline
    if isinstance(result, studies.Planned):
        return planning.caption(result, escape)
    if isinstance(result, CrossComparison):
        return caption(result.comparison, escape) + resampled.folds_caption(result, escape)
    if isinstance(result, Validated):
        return resampled.validated_caption(result, escape)
    if isinstance(result, Curve):
        return curves.curve_caption(result, escape)
    if isinstance(result, Confusion):
        return confusion.confusion_view(result, escape).headline
    if isinstance(result, PredictiveCheck):
        return checks.caption(result, escape)
    recipe = recipe_of(result)
    if isinstance(result, Evaluation):
        title = escape(result.name)
    elif isinstance(result, Ranking):
        title = f"{escape(metric_title(result.metric))} of {len(result.models)} classifiers"
    else:
        first = result.rows[0][1] if isinstance(result, PriorSensitivity) else comparisons(result)[0]
        title = f"{escape(metric_title(first.metric))} of {escape(first.a)} − {escape(first.b)}"
    rope = "no ROPE" if recipe.rope is None else f"ROPE {escape(rope_text(recipe.rope))}"
    classes = " · each class against the rest" if isinstance(result, ClassComparisons) else class_words(recipe, escape)
    items = items_text(recipe)
    mass = escape(f"{100 * recipe.prob:g}%")
    tests = f" · {told}" if (told := classical.columns_text(result)) else ""
    runs = runs_of(result)
    chains = f" · {drawn_text(recipe, max(run.draws for run in runs), runs)}" if runs else ""
    return f"{title}{classes} · {rope} · {mass} HDI · {escape(model_name(recipe))} model · {items}{chains}{tests}"


def tables(result: Rendered, escape: Escape) -> tuple[Table, ...]:
    """Return the tables of a result: one, and for a ranking also that of its pairs."""
    if isinstance(result, classical.Tested):
        return classical.tables(result, escape)
    if isinstance(result, studies.Planned):
        return studies.tables(result, escape)
    if isinstance(result, CrossComparison):
        return table(result.comparison, escape), resampled.folds_table(result, escape)
    if isinstance(result, Validated):
        return (resampled.settings_table(result, escape),)
    if isinstance(result, Curve):
        return (curves.curve_table(result, escape),)
    if isinstance(result, Ranking):
        several = len(result.models) > 2  # noqa: PLR2004 - of two, P(best) says it all
        places = (place_table(result, escape),) if several else ()
        return league_table(result, escape), *places, pair_table(result, escape)
    return (table(result, escape),)


def table(result: Rendered, escape: Escape) -> Table:
    """Return the table of a result: the papers' columns for comparisons, one row a metric for evaluations."""
    if isinstance(result, Confusion):
        return confusion.confusion_table(result, escape)
    if isinstance(result, PredictiveCheck):
        return checks.table(result, escape)
    if isinstance(result, PriorSensitivity):
        return sensitivity_table(result, escape)
    if isinstance(result, Evaluation):
        return _metric_table(result, escape)
    by_class = isinstance(result, ClassComparisons)
    tested = any(classical.by_papers(c) for c in comparisons(result))
    more = by_class and has_more(c.more for c in comparisons(result))
    rows = [
        (
            escape(label_text("" if c.pos_label is None else c.pos_label))
            if by_class
            else f"{escape(c.a)}{escape(' − ')}{escape(c.b)}",
            *(map(escape, classical.paper_columns(c)) if tested else ()),
            *map(escape, _paper_columns(c)),
            *([escape(more_cell(c.more))] if more else []),
            escape(decision_text(c.decision)),
        )
        for c in comparisons(result)
    ]
    header = (
        "class" if by_class else "difference",
        *(("sign-test", "t-test") if tested else ()),
        "mean",
        "std",
        "BF",
        "LG pct",
        "ROPE pct",
        "HDI",
        *([HEADER] if more else []),
        "decision",
    )
    return Table(header=header, rows=tuple(rows))


def _paper_columns(c: Comparison) -> tuple[str, ...]:
    places, n = decimals(c.delta, c.delta.mc_error), c.delta.worth(len(c.draws))
    return (
        number(c.mean, places, sign=True),
        number(c.std, places),
        savage_dickey(c.bayes_factor),
        f"{percent(c.prob_below_zero, n)} < 0 < {percent(c.prob_above_zero, n)}",
        "–" if c.regions is None else percent(c.regions.inside, n),
        interval(c.hdi.low, c.hdi.high, decimals(c.delta), sign=True),
    )


def _metric_table(result: Evaluation, escape: Escape) -> Table:
    bar = result.at_least
    header = ["metric", "observed", "mean", "std", "HDI"]
    if bar is not None:
        header += [f"P(≥ {bar:g})", "decision"]
    rows = []
    for m in result.metrics:
        places = decimals(m.estimate, m.estimate.mc_error)
        hdi = m.estimate.hdi
        row = [
            m.metric.name,
            number(m.estimate.observed, places),
            number(m.estimate.mean, places),
            number(m.estimate.std, places),
            interval(hdi.low, hdi.high, decimals(m.estimate)),
        ]
        if m.prob_at_least is not None:
            row += [percent(m.prob_at_least, m.estimate.worth(len(m.draws))), decision_text(m.decision)]
        rows.append(tuple(map(escape, row)))
    return Table(header=tuple(map(escape, header)), rows=tuple(rows), ends_in_text=bar is not None)


def _comparison(c: Comparison, escape: Escape, *, by_class: bool) -> View:
    a, b, n = escape(c.a), escape(c.b), c.delta.worth(len(c.draws))
    mass = f"{100 * c.recipe.prob:g}% HDI"
    name = metric_title(c.metric)
    singles = []
    for label, estimate in ((a, c.estimate_a), (b, c.estimate_b)):
        seen = number(estimate.observed, decimals(estimate, estimate.mc_error))
        singles.append(f"{label} {estimate_text(estimate)}, {observed_word(c.recipe)} {seen}")
    difference = estimate_text(c.delta, sign=True)
    lines = [
        ("Data", _data(c, a, b, escape)),
        (escape(name), f"{singles[0]} · {singles[1]} · {mass}"),
        ("Δ", f"{difference} · P(Δ > 0) {percent(c.prob_above_zero, n)}"),
        *_chains(c.recipe, c.draws, c.diagnostics),
    ]
    title = f"Is {a} better than {b} on {escape(str(c.pos_label))}?" if by_class else f"Is {a} better than {b}?"
    if c.decision is None or c.rope is None:
        headline = sign_text(c, a, b, escape(name))
        tests = classical.tests_line(c)
        return View(title=title, symbol="", headline=headline, lines=tuple(lines), shares=(), note="", tests=tests)
    factors = _evidence(c)
    if factors:
        lines.append(("BF01", factors))
    return View(
        title=title,
        symbol=c.decision.symbol,
        headline=verdict_text(c.decision.verdict, c.decision.leaning, rope_text(c.rope), a, b),
        lines=tuple(lines),
        shares=_shares(
            c.regions, (f"{a} better", "too close", f"{b} better"), n, higher_is_better=c.recipe.metric.higher_is_better
        ),
        note=_note(c.delta, len(c.draws), c.decision, c.recipe.rule, path_text(c.rope_path or (), decimals(c.delta))),
        more=more_line(c.more, c.recipe, escape),
        tests=classical.tests_line(c),
        stable=c.decision.stable,
    )


def _metric(result: Evaluation, m: MetricPosterior, escape: Escape) -> View:
    name, places = escape(result.name), decimals(m.estimate, m.estimate.mc_error)
    n = m.estimate.worth(len(m.draws))
    title = metric_title(m.metric.name)
    worth = estimate_text(m.estimate)
    table = m.recipe.tables[0]
    counts = class_counts(table, escape) if isinstance(table, ItemScores) else ""
    seen = f"{observed_word(m.recipe)} {number(m.estimate.observed, places)}"
    lines = [
        ("Data", f"{items_text(m.recipe)}{class_words(m.recipe, escape)}{counts}"),
        (escape(title), f"{name} {worth} · {100 * m.recipe.prob:g}% HDI · {seen}"),
        *_chains(m.recipe, m.draws, m.diagnostics),
    ]
    headline, symbol = f"{name}'s {escape(title)} is {worth}", ""
    unsaid = f"; {m.no_verdict}" if m.no_verdict and m.recipe.rope is not None else ""
    shares: tuple[Share, ...] = ()
    note = ""
    bar = result.at_least
    if bar is not None and m.prob_at_least is not None:
        chance = percent(m.prob_at_least, n)
        lines.append(("Bar", f"P({escape(title)} ≥ {bar:g}) {chance}"))
        headline = f"{name}'s {escape(title)} is at least {bar:g} with probability {chance}{unsaid}"
        if m.decision is not None and m.recipe.rope is not None:
            headline = bar_text(m.decision.verdict, m.decision.leaning, rope_text(m.recipe.rope), name, f"{bar:g}")
            symbol = m.decision.symbol
            words = ("better than the bar", "at the bar", "worse than the bar")
            shares = _shares(m.regions, words, n, higher_is_better=m.metric.higher_is_better)
            note = _note(m.estimate, len(m.draws), m.decision, m.recipe.rule, "")
    return View(
        title=f"How good is {name}'s {escape(title)}?",
        symbol=symbol,
        headline=headline,
        lines=tuple(lines),
        shares=shares,
        note=note,
        more=more_line(m.more, m.recipe, escape, bar=True),
        stable=m.decision is None or m.decision.stable,
    )


def _data(c: Comparison, a: str, b: str, escape: Escape) -> str:
    tables = c.recipe.tables
    told = f"{items_text(c.recipe)}, {escape(model_name(c.recipe))}" + class_words(c.recipe, escape)
    if isinstance(tables[0], MultilabelOutcomes):
        told += f" · {tables[0].n_labels:,} labels, any number an item"
    elif isinstance(tables[0], ItemScores):
        told += class_counts(tables[0], escape)
    elif len(tables) == 1:
        agree = tables[0].agreement(*tables[0].names)
        told += (
            f" · both right {agree['both']:,} · only {a} right {agree['only_a']:,}"
            f" · only {b} right {agree['only_b']:,} · both wrong {agree['neither']:,}"
        )
    return told


def _shares(
    regions: Regions | None,
    words: tuple[str, str, str],
    n_draws: int,
    *,
    higher_is_better: bool,
) -> tuple[Share, ...]:
    if regions is None:
        return ()
    good, close, bad = words
    low, high = (bad, good) if higher_is_better else (good, bad)
    masses = ((low, regions.below), (close, regions.inside), (high, regions.above))
    return tuple(Share(word, mass, percent(mass, n_draws)) for word, mass in masses)


def _evidence(c: Comparison) -> str:
    found = c.bayes_factor
    if found is None:
        return ""
    told = []
    if found.rope is not None:
        told.append(f"the data change the odds of lying in the ROPE {factor(found.rope, bound=found.rope_bound)}-fold")
    if found.sd is not None:
        told.append(f"Savage-Dickey at 0: {savage_dickey(found)}")
    return " · ".join(told)


def _chains(recipe: Recipe, draws: Draws, run: Diagnostics | None) -> list[tuple[str, str]]:
    """Say how draws were made, where that is not independently."""
    runs = () if run is None or recipe.sampler is None else (run,)
    return [("Chains", drawn_text(recipe, len(draws), runs))] if runs else []


def _note(estimate: Estimate, n_draws: int, decision: Decision, rule: Rule, path: str) -> str:
    told = f"HDI ends are ±{max(estimate.hdi_mc_error):.1g} (Monte Carlo, {worth_text(n_draws, estimate)})"
    if path:
        told += f"; {path}"
    if not decision.stable:
        cause = "too few draws"
        if estimate.worth(n_draws) >= FEW_DRAWS:
            cause = "an HDI end lies on a ROPE edge" if rule == "hdi" else "a region's mass lies on the bar"
        told += f"; unstable: {cause}, so other draws may say otherwise"
    return told
