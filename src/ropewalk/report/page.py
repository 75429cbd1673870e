"""What a page holds: every part of it as strings, places and tables, for the template to arrange."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Final

from ropewalk.draws.judging import Question
from ropewalk.draws.summary import Estimate
from ropewalk.inference.extras import Extras
from ropewalk.report import checks, classical, studies
from ropewalk.report.chains import ALARM, ChainPart, chain_part
from ropewalk.report.differences import Captioned, agreement_tables, by_class, classes_note, confused
from ropewalk.report.method import method_rows, preset_text
from ropewalk.report.more import more_table
from ropewalk.report.pictures.planning import Prospect, power_picture, verdict_picture
from ropewalk.report.pictures.posterior import Panel, panel, posterior_of
from ropewalk.report.pictures.tables import Entry, Forest, Matrix, Pairs, confusion_matrix, forest, pair_matrix
from ropewalk.report.plates import Inline, inline
from ropewalk.report.remarks import remarks
from ropewalk.report.resampled import plain
from ropewalk.report.sentence import sentence
from ropewalk.report.shape import Table, View, metric_title, tally
from ropewalk.report.text import latex
from ropewalk.report.view import caption, tables, view
from ropewalk.results import (
    ClassComparisons,
    Comparison,
    Confusion,
    CrossComparison,
    Evaluation,
    MetricPosterior,
    MoreData,
    PredictiveCheck,
    PriorSensitivity,
    Ranking,
    Rendered,
    StoppingResult,
)
from ropewalk.text.escape import isolated
from ropewalk.text.numbers import factor, savage_dickey
from ropewalk.text.verdicts import Leaning, Verdict, bar_text, rope_text, verdict_text

_LARGE: Final = 8  # matrices with more classes are folded away
_WORDS: Final = 50  # of more classes nobody reads a paragraph each; the table has them all
_URGENT: Final = ("Warning", "Hint")
_OPEN: Final = "How many more items?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Everything that a page says; what is empty is left out."""

    title: str
    caption: str
    views: tuple[View, ...]
    panels: tuple[Panel | None, ...]
    preset: str
    warnings: tuple[tuple[str, str], ...]
    notes: tuple[tuple[str, str], ...]
    tables: tuple[Table, ...]
    agreement: tuple[Captioned, ...] = ()
    classes: Forest | None = None
    classes_note: str = ""
    confused: Captioned | None = None
    priors: Forest | None = None
    priors_note: str = ""
    each: Forest | None = None
    matrices: tuple[Matrix, ...] = ()
    folded: bool = False
    league: tuple[Table, ...] = ()
    pairs: Pairs | None = None
    pair_table: Table | None = None
    factor: tuple[tuple[str, str], ...] = ()
    tests: Table | None = None
    tests_meaning: str = ""
    details: tuple[View, ...] = ()
    by_class: bool = False
    discrepancies: tuple[checks.Discrepancy, ...] = ()
    prospect: Prospect | None = None
    prospect_table: Table | None = None
    moves: str = ""
    chains: ChainPart | None = None
    method: tuple[tuple[str, str], ...] = ()
    model: Inline | None = None
    sentence: str = ""
    latex: str = ""
    json: str = ""
    date: str = ""


def page(result: Rendered, extras: Extras) -> Page:
    """Return what the page of a result holds."""
    views = view(result, isolated)
    told = sorted(remarks(result, isolated), key=lambda pair: not pair[1].startswith(ALARM))  # it is about all else
    # What a plan assumes decides it, so it stands beside the answer.
    urgent = (*_URGENT, "Assumes") if isinstance(result, studies.Planned) else _URGENT
    found = Page(
        title=views[0].title,
        caption=caption(result, isolated),
        views=views,
        panels=(None,) * len(views),
        preset=preset_text(result),
        warnings=tuple(pair for pair in told if pair[0] in urgent),
        notes=tuple(pair for pair in told if pair[0] not in urgent),
        tables=tables(result, isolated),
        chains=chain_part(result),
        method=(*method_rows(result), *_left_out(extras)),
        model=inline(result),
        sentence=sentence(result),
        latex=latex(result),
        json=result.to_json(),
        date=_today(),
    )
    if found.caption == views[0].headline:
        found = replace(found, caption="")
    if isinstance(result, studies.Planned):
        return replace(found, prospect=_prospect(result))
    if isinstance(result, PredictiveCheck):  # its pictures are tables themselves
        return replace(found, tables=(), discrepancies=checks.discrepancies(result, isolated))
    if isinstance(result, CrossComparison):
        return _comparison(found, plain(result), extras)
    if isinstance(result, Comparison):
        return _comparison(found, result, extras)
    if isinstance(result, ClassComparisons):
        return _classes(found, result)
    if isinstance(result, Evaluation):
        return _evaluation(found, result, extras)
    return _ranking(found, result, extras) if isinstance(result, Ranking) else found


def _left_out(extras: Extras) -> tuple[tuple[str, str], ...]:
    return (("Left out", " ".join(extras.left_out)),) if extras.left_out else ()


# -- two classifiers ---------------------------------------------------------------------------------------


def _comparison(found: Page, c: Comparison, extras: Extras) -> Page:
    battery = c.tests
    return replace(
        found,
        panels=(_delta_panel(c),),
        views=(replace(found.views[0], tests=""),),
        agreement=agreement_tables(c, extras.agreement),
        classes=by_class(extras.classes),
        classes_note=classes_note(extras, exactly=c.diagnostics is not None),
        confused=confused(c, extras.mistaken),
        priors=_priors(extras.priors),
        priors_note=_priors_note(extras.priors),
        each=_each((c.a, c.estimate_a), (c.b, c.estimate_b), question=c.question, what=metric_title(c.metric)),
        matrices=_matrices(extras.confusions),
        folded=_is_large(extras.confusions),
        moves=c.recipe.model.moves,
        factor=_factor(c),
        tests=None if battery is None else classical.tests_table(battery.tests, isolated),
        tests_meaning=classical.MEANING,
        prospect=None if c.more is None else verdict_picture(c.more, isolated, head=_OPEN),
        prospect_table=None if c.more is None else more_table(c.more, isolated),
    )


def _prospect(result: studies.Planned) -> Prospect | None:
    if isinstance(result, StoppingResult):
        return None
    return verdict_picture(result, isolated) if isinstance(result, MoreData) else power_picture(result, isolated)


def _delta_panel(c: Comparison) -> Panel:
    a, b, metric = isolated(c.a), isolated(c.b), metric_title(c.metric)

    def say(verdict: Verdict, leaning: Leaning | None, width: str) -> str:
        return verdict_text(verdict, leaning, width, a, b)

    return panel("p1", posterior_of(c), label=f"{metric} of {a} − {metric} of {b}", say=say)


def _priors(priors: PriorSensitivity | None) -> Forest | None:
    if priors is None:
        return None
    entries = [Entry(label=which, estimate=c.delta, decision=c.decision) for which, c in priors.rows]
    first = priors.rows[0][1]
    what = f"{metric_title(first.metric)} of {isolated(first.a)} − {isolated(first.b)}"
    return forest(entries, first.question, head="prior", what=what)


def _priors_note(priors: PriorSensitivity | None) -> str:
    if priors is None:
        return ""
    draws, shown = len(priors.rows[-1][1].draws), view(priors, isolated)[0]
    note = f" {shown.note[0].upper()}{shown.note[1:]}." if shown.note else ""
    return f"{shown.headline}. Each other prior has {draws:,} draws.{note}"


def _factor(c: Comparison) -> tuple[tuple[str, str], ...]:
    """Say what the Bayes factors are, and of what."""
    found = c.bayes_factor
    if found is None:
        return ()
    rows = []
    if found.rope is not None:
        value = factor(found.rope, bound=found.rope_bound)
        rows.append(
            ("In the ROPE against outside", f"BF01 {value}: the data change the odds of lying in it {value}-fold")
        )
    if found.sd is not None and found.density is not None and found.prior_density is not None:
        ratio = f"density at 0: prior {factor(found.prior_density)} → posterior {factor(found.density)}"
        doubt = "" if found.sd_reliable else "; few draws lie near 0, so this is rough"
        rows.append(("Savage-Dickey at 0", f"BF01 {savage_dickey(found)} ({ratio}){doubt}"))
    if found.reason and rows:
        rows.append(("Left out", found.reason))
    return tuple(rows)


# -- classes, one classifier, many -------------------------------------------------------------------------


def _classes(found: Page, result: ClassComparisons) -> Page:
    first = result[0]
    title = f"Is {isolated(first.a)} better than {isolated(first.b)}?"
    head = View(title=title, symbol="", headline=_tally(result), lines=(), shares=(), note="")
    return replace(
        found,
        title=title,
        views=(head,),
        panels=(None,),
        moves=first.recipe.model.moves,
        classes=by_class(result, live=True),
        details=found.views if len(result) <= _WORDS else (),
        by_class=True,
    )


def _tally(result: ClassComparisons) -> str:
    """Say on how many classes which of the two is better."""
    found, n = tally(c.decision for c in result), len(result)
    first = result[0]
    a, b = isolated(first.a), isolated(first.b)
    if found.without == n or first.rope is None:
        higher = sum(c.prob_above_zero > c.prob_below_zero for c in result)
        unsaid = first.no_verdict or "whether that matters needs a ROPE"
        name = metric_title(first.metric)
        return f"{a}'s {name} is more probably above {b}'s than below it on {higher} of {n} classes; {unsaid}"
    better = f"{a} is better on {found.won} and {b} on {found.lost} of {n} classes by a margin that matters"
    rest = f"{found.even} are practically equivalent, {found.undecided} undecided"
    without = f", {found.without} without a verdict" if found.without else ""
    return f"{better} (ROPE {rope_text(first.rope)}); {rest}{without}"


def _evaluation(found: Page, result: Evaluation, extras: Extras) -> Page:
    return replace(
        found,
        title=found.title if len(found.views) == 1 else f"How good is {isolated(result.name)}?",
        moves=result.metrics[0].recipe.model.moves,
        panels=tuple(_score_panel(f"p{i}", result, m) for i, m in enumerate(result.metrics, start=1)),
        matrices=_matrices(extras.confusions),
        folded=_is_large(extras.confusions),
    )


def _score_panel(key: str, result: Evaluation, m: MetricPosterior) -> Panel:
    """Lay out the posterior of a score, and of its difference from a bar."""
    name, bar = isolated(result.name), 0.0 if m.bar is None else m.bar

    def say(verdict: Verdict, leaning: Leaning | None, width: str) -> str:
        return bar_text(verdict, leaning, width, name, f"{bar:g}")

    return panel(key, posterior_of(m), label=f"{metric_title(m.metric.name)} of {name}", say=say)


def _ranking(found: Page, result: Ranking, extras: Extras) -> Page:
    entries = [(model.name, model.estimate) for model in result.by_rank]
    return replace(
        found,
        tables=(),
        league=found.tables[:-1],
        pair_table=found.tables[-1],
        each=_each(*entries, question=result.question, what=metric_title(result.metric)),
        pairs=pair_matrix(result),
        moves=result.recipe.model.moves,
        matrices=_matrices(extras.confusions),
        folded=_is_large(extras.confusions),
    )


def _each(*singles: tuple[str, Estimate], question: Question, what: str) -> Forest:
    entries = [Entry(label=isolated(name), estimate=estimate) for name, estimate in singles]
    return forest(entries, question, head="classifier", what=what, signed=False)


def _matrices(confusions: tuple[Confusion, ...]) -> tuple[Matrix, ...]:
    return tuple(confusion_matrix(found) for found in confusions)


def _is_large(confusions: tuple[Confusion, ...]) -> bool:
    return any(len(found.labels) > _LARGE for found in confusions)


def _today() -> str:
    """Return the date, or that of SOURCE_DATE_EPOCH, by which builds are made reproducible."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now().astimezone()
    return f"{now:%Y-%m-%d}"
