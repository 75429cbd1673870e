"""One classifier: how good it is by each metric and against a bar, its curves, and its confusion matrix."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from ropewalk.data.labels import label_text
from ropewalk.data.scores import ItemScores
from ropewalk.inference.extras import confusions_of
from ropewalk.report import words
from ropewalk.report.describe import method
from ropewalk.report.describe.chains import chain_section, score_traces
from ropewalk.report.describe.comparison import error_note, region_shares
from ropewalk.report.describe.differences import matrix_details, rate_text
from ropewalk.report.describe.pair_page import posterior_slider, strip
from ropewalk.report.describe.prospects import more_line
from ropewalk.report.document import Answer, Block, Document, Picture, Section, Table, describes, name
from ropewalk.report.dots import dots_of
from ropewalk.report.posterior import panel, posterior_of
from ropewalk.report.rows import verdict_words
from ropewalk.report.sketch import sketch_from_bar
from ropewalk.report.slider import MarginSlider
from ropewalk.results import Evaluation, MetricPosterior, Validated
from ropewalk.results.checks import Confusion
from ropewalk.results.curves import Band, CalibrationCurve, Curve, PrCurve, RocCurve, ThresholdCurve
from ropewalk.text import writing
from ropewalk.text.units import metric_title
from ropewalk.text.writing import carried, count_of, estimate_text, interval, number, percent
from ropewalk.typing import Label

MAX_POINTS: Final = 11
MAX_CLASSES_BY_CELL: Final = 6  # more classes are not printed cell by cell
MAX_LABEL_LETTERS: Final = 24


@describes(Evaluation)
def describe_evaluation(result: Evaluation) -> Document:
    """Describe an evaluation."""
    answers, first = tuple(score_answer(result, m) for m in result.metrics), result.metrics[0]
    recipe = first.recipe
    moves = recipe.model.moves

    def sections(document: Document) -> tuple[Block, ...]:
        options = [
            ("", writing.visible(result.name)),
            ("metric", [m.metric.name for m in result.metrics]),
            ("pos_label", method.positive_of(recipe)),
            ("at_least", result.at_least),
        ]
        call = method.call_text("evaluate", recipe, options)
        pictures = tuple(score_picture(f"p{i}", result, m) for i, m in enumerate(result.metrics, start=1))
        matrices = matrix_details(confusions_of(recipe), moves)
        return (
            *document.answer_sections(pictures, sliders=tuple(map(score_slider, result.metrics)), note=moves),
            *score_sureness(first),
            *document.folded_tables("Every metric in numbers", "mean, spread and interval"),
            *matrices,
            *chain_section(result.metrics, score_traces([(m, m.metric.name) for m in result.metrics])),
            method.method_section(document, result.metrics, call),
        )

    return Document(
        title="" if len(answers) == 1 else f"How good is {name(result.name)}?",
        about=f"{name(result.name)} · {words.items_text(recipe)}",
        caption=words.caption_text(name(result.name), *result.metrics),
        answers=answers,
        tables=(score_table(result),),
        remarks=method.answer_remarks(
            first, [result], [m.more for m in result.metrics], judged=result.at_least is not None
        ),
        sentence=" ".join(score_sentence(result, m) for m in result.metrics),
        terminal=answers,
        sections=sections,
    )


def score_answer(result: Evaluation, m: MetricPosterior) -> Answer:
    """Return how good a classifier is by one metric."""
    who, metric, n = name(result.name), words.metric_name(m.metric.name), m.estimate.worth(len(m.draws))
    worth, table = estimate_text(m.estimate), m.recipe.tables[0]
    counts = words.class_counts(table) if isinstance(table, ItemScores) else ""
    observed = f"{words.observed_word(m.recipe)} {carried(m.estimate.observed, m.estimate)}"
    told = m.told(name)
    answer = Answer(
        title=f"How good is {who}'s {metric}?",
        headline=told.title,
        lede=told.lede,
        lines=(
            ("Data", f"{words.items_text(m.recipe)}{words.class_words(m.recipe)}{counts}"),
            (metric, f"{who} {worth} · {words.mass_text(m.recipe)} interval · {observed}"),
            ("Chains", words.chains_text(m)),
        ),
        details=(("Scope", m.scope.line), ("Draws", error_note(m, m.estimate))),
        more=more_line(m.more, m.estimate if m.bar is None else m.estimate.shifted(-m.bar)),
        tones=((who, "a"),),
    )
    if m.bar is None or m.prob_at_least is None:
        return answer
    answer = replace(answer, sketch=sketch_from_bar(m))
    if m.decision is None or m.recipe.rope is None:
        return answer
    chance = percent(m.prob_at_least, n)
    return replace(
        answer,
        lines=(*answer.lines, ("Bar", f"P({metric} ≥ {m.bar:g}) {chance}")),
        symbol=m.decision.symbol,
        shares=region_shares(m, ("better than the bar", "too small to matter", "worse than the bar"), n, who=who),
        stable=m.decision.stable,
        mark=verdict_words(m.decision, "", "")[0],
    )


def score_table(result: Evaluation) -> Table:
    """Return every metric in numbers."""
    bar = result.at_least
    header: tuple[str, ...] = ("metric", "observed", "mean", "std", "HDI")
    if bar is not None:
        header = (*header, f"P(≥ {bar:g})", "decision")
    rows = []
    for m in result.metrics:
        row = [name(m.metric.name), *words.estimate_cells(m.estimate)]
        if m.prob_at_least is not None:
            row += [percent(m.prob_at_least, m.estimate.worth(len(m.draws))), words.decision_text(m.decision)]
        rows.append(tuple(row))
    return Table(header=header, rows=tuple(rows), ends_in_text=bar is not None)


def score_picture(key: str, result: Evaluation, m: MetricPosterior) -> Picture:
    """Lay out the posterior of a score; against a bar, its difference from it."""
    who, metric, unit = name(result.name), words.metric_name(m.metric.name), m.recipe.unit
    sketch = sketch_from_bar(m)
    if sketch is None:
        label = f"{metric_title(m.metric.name)} of {writing.isolated(result.name)}"
        return Picture("posterior", panel(key, posterior_of(m), label=label), key)
    points = " in points (1 point = 0.01)" if unit.is_points else ""
    what = f"{metric} of {who} against the bar of {m.bar:g}"
    mass = words.mass_text(m.recipe)
    title = f"{what}: {sketch.shown.value()}, {mass} interval {sketch.shown.interval()}"
    caption = f"{what}{points}; + is better."
    noun = " points" if unit.is_points else ""
    return Picture("dots", dots_of(key, sketch, mass=mass, title=title, caption=caption, noun=noun), key)


def score_slider(m: MetricPosterior) -> MarginSlider | None:
    """Lay out the slider of a metric that is judged against a bar."""
    sketch = sketch_from_bar(m)
    if sketch is None or m.decision is None or m.bar is None:
        return None
    say = {
        "≫": "better than the bar", "≪": "worse than the bar", "≈": "practically at the bar",
        "a": "undecided, leaning better", "b": "undecided, leaning worse", "equivalent": "undecided, leaning equal",
    }  # fmt: skip
    delta = m.estimate.shifted(-m.bar)
    return posterior_slider(m.question, delta, sketch, m.recipe.unit, m.metric, m.rope_path, len(m.draws), say)


def score_sureness(m: MetricPosterior) -> tuple[Section, ...]:
    """Return what other margins around the bar would say."""
    sketch = sketch_from_bar(m)
    if sketch is None or m.decision is None or m.recipe.rope is None or m.recipe.rope.one_sided:
        return ()
    picture = strip(m.rope_path, m.recipe.rope, sketch.shown, m.recipe.unit, ("above the bar", "below the bar"))
    return () if picture is None else (Section("If another margin mattered to you", (Picture("strip", picture),)),)


def score_sentence(result: Evaluation, m: MetricPosterior, data: str = "") -> str:
    """Write a metric as a sentence for a paper; `data` stands in place of the items."""
    recipe, estimate = m.recipe, m.estimate
    mean = f"was {carried(estimate.mean, estimate)}" if estimate.has_mean else "has no mean"
    fact = f"{name(result.name)}'s {metric_title(m.metric.name)} {mean}"
    lead = f"{data or words.on_data(recipe)}, {fact} ({words.mass_text(recipe)} HDI {writing.hdi_text(estimate)}"
    if m.bar is None or m.prob_at_least is None:
        return f"{lead}; {words.by_model(m)})."
    lead += f"; {words.chance_text(f'≥ {m.bar:g}', m.prob_at_least, estimate.worth(len(m.draws)))}"
    if m.decision is None:
        return f"{lead}; {words.by_model(m)})."
    return f"{lead}; {words.by_method(m)}): {name(m.decision.text)}{words.doubt_text(m.decision)}."


# -- a chosen setting --------------------------------------------------------------------------------------


@describes(Validated)
def describe_validated(result: Validated) -> Document:
    """Describe which setting was chosen, and how good it is."""
    who, metric = name(result.name), words.metric_name(result.metric)
    mass = words.mass_text(result.test.metrics[0].recipe)
    best, test = result.best.validation.estimate, result.estimate
    sizes = " · ".join(
        f"{count_of(len(items), 'item')} to {what}"
        for items, what in ((result.train, "train"), (result.validation, "choose"), (result.test_items, "test"))
    )
    lines = [("Data", sizes), ("Chosen", f"{name(result.best.text)}, of {count_of(len(result.settings), 'setting')}")]
    for label, estimate in (("Validation", best), ("Test", test)):
        observed = carried(estimate.observed, estimate)
        lines.append((label, f"{metric} {estimate_text(estimate)} · {mass} HDI · observed {observed}"))
    answer = Answer(
        title=f"How good is {who} with the setting that was chosen?",
        headline=f"{who}'s {metric} with {name(result.best.text)} is {estimate_text(test)}, on items it never met",
        lines=tuple(lines),
    )
    rows = [
        (name(setting.text), *words.estimate_cells(setting.validation.estimate), "chosen" if i == result.chosen else "")
        for i, setting in enumerate(result.settings)
    ]
    tested = f"{name(estimate_text(test))} on the test set of {count_of(len(result.test_items), 'item')}"
    items = count_of(len(result.validation), "item")
    return Document(
        caption=f"{metric} of {who} on the validation set of {items} · the chosen setting: {tested}",
        answers=(answer,),
        tables=(Table(header=("setting", "observed", "mean", "std", "HDI", ""), rows=tuple(rows)),),
        remarks=dict.fromkeys((*result.remarks, *result.test.remarks)),
    )


# -- curves ------------------------------------------------------------------------------------------------


def _document(
    curve: Curve, title: str, axes: tuple[str, str], headline: str, columns: tuple[tuple[str, list[str]], ...] = ()
) -> Document:
    """Describe some points of a curve with both of its bands; `columns` are (header, cells of all points) to add."""
    band, items = curve.band, count_of(curve.n_items, "item")
    clusters = "" if curve.n_clusters is None else f" in {count_of(curve.n_clusters, 'cluster')}"
    places, mass = _places(band), f"{100 * band.prob:g}%"
    spread = np.unique(np.linspace(0, band.x.size - 1, min(MAX_POINTS, band.x.size)).round().astype(int))
    rows = [
        (
            number(band.x[i], 3) if math.isfinite(band.x[i]) else "∞",
            number(band.observed[i], places),
            interval(band.low[i], band.high[i], places),
            interval(band.all_low[i], band.all_high[i], places),
            *(cells[i] for _, cells in columns),
        )
        for i in spread.tolist()
    ]
    header = (*axes, f"{mass} at each point", f"{mass} at all points at once", *(head for head, _ in columns))
    data = f"{items}{clusters} · {band.draws:,} draws of the curve · seed {curve.seed}"
    answer = Answer(title=f"{title} of {name(curve.name)}", headline=headline, lines=(("Data", data),))
    return Document(
        caption=f"{answer.title} · {items} · {band.draws:,} draws",
        answers=(answer,),
        tables=(Table(header=header, rows=tuple(rows), text_columns=0, ends_in_text=False),),
        remarks=curve.remarks,
    )


def _places(band: Band) -> int:
    """Return how many decimals show two digits of the width of the band."""
    return words.places_of(float(np.median(band.high - band.low)))


def _value_at(curve: Curve, axes: tuple[str, str], at: float) -> str:
    """Write what a curve is worth nearest to a place on its axis."""
    band, places = curve.band, _places(curve.band)
    i = int(np.abs(band.x - at).argmin())
    worth = f"{number(band.observed[i], places)} {interval(band.low[i], band.high[i], places)}"
    return f"{name(curve.name)}'s {axes[1]} is {worth} at a {axes[0]} of {band.x[i]:.2f}"


@describes(RocCurve)
def describe_roc(curve: RocCurve) -> Document:
    """Describe a ROC curve."""
    axes = ("false positive rate", "true positive rate")
    headline = f"{_value_at(curve, axes, 0.1)}; the area under it is {number(curve.auc, 4)}"
    return _document(curve, "ROC curve", axes, headline)


@describes(PrCurve)
def describe_pr(curve: PrCurve) -> Document:
    """Describe a curve of precision and recall."""
    axes = ("recall", "precision")
    return _document(curve, "Precision and recall", axes, _value_at(curve, axes, 0.5))


@describes(CalibrationCurve)
def describe_calibration(curve: CalibrationCurve) -> Document:
    """Describe how far probabilities come true."""
    band, who, mass = curve.band, name(curve.name), f"{100 * curve.band.prob:g}%"
    off = (band.x < band.all_low) | (band.x > band.all_high)
    bins, n_off = count_of(band.x.size, "bin"), int(off.sum())
    headline = f"In none of {bins} is {who} off by more than the band of all bins at once ({mass})"
    if n_off:
        headline = f"In {n_off} of {bins} {who}'s probability lies outside the band of all bins at once ({mass})"
    columns = (("items", [f"{n:,}" for n in curve.counts]), ("", ["off" if is_off else "" for is_off in off]))
    return _document(curve, "Calibration", ("predicted", "happened"), headline, columns)


@describes(ThresholdCurve)
def describe_threshold(curve: ThresholdCurve) -> Document:
    """Describe a metric against the threshold."""
    band, places = curve.band, _places(curve.band)
    i = int(np.searchsorted(curve.thresholds, curve.best))
    cut = "never" if math.isinf(curve.best) else f"from a score of {curve.best:.4g} on"
    ends = interval(curve.best_interval.low, curve.best_interval.high, 3)
    worth = f"{number(band.mean[i], places)} {interval(band.low[i], band.high[i], places)}"
    what = f"{name(curve.name)}'s {words.metric_name(curve.metric)}"
    best = f"{what} is best, {worth}, if items are called positive {cut}"
    headline = f"{best} ({100 * band.prob:g}% interval of the best threshold {ends})"
    metric = metric_title(curve.metric)
    return _document(curve, f"{metric} against the threshold", ("threshold", metric), headline)


# -- confusion matrices ------------------------------------------------------------------------------------


@describes(Confusion)
def describe_confusion(matrix: Confusion) -> Document:
    """Describe a confusion matrix as rates."""
    about = f"{name(matrix.name)}: rate of each prediction, by true class, with its {100 * matrix.prob:g}% HDI"
    data = f"{count_of(int(matrix.counts.sum()), 'item')}, {len(matrix.rows)} classes"
    answer = Answer(title=f"Confusion matrix of {name(matrix.name)}", headline=about, lines=(("Data", data),))
    table = _rates(matrix)
    return Document(
        caption=about,
        answers=(answer,),
        tables=(table,),
        remarks=matrix.remarks,
        terminal=(Table(header=table.header, rows=table.rows, ends_in_text=False, title=about),),
    )


def _rates(matrix: Confusion) -> Table:
    """Return the rates of few classes cell by cell; of many, how often each is found and what it is taken for."""
    items = [f"{n:,}" for n in matrix.counts.sum(axis=1).tolist()]
    few = len(matrix.labels) <= MAX_CLASSES_BY_CELL
    columns = [_name(label) for label in matrix.labels] if few else ["right", "most often taken for", ""]
    rows = []
    for i, label in enumerate(matrix.rows):
        cells = [rate_text(matrix, i, j) for j in range(len(matrix.labels))] if few else _short(matrix, i, label)
        rows.append((_name(label), items[i], *cells))
    return Table(header=("truth", "items", *columns), rows=tuple(rows), ends_in_text=False)


def _short(matrix: Confusion, i: int, label: Label) -> list[str]:
    """Return how often a class is found, and what it is taken for most often."""
    right = matrix.labels.index(label)
    others = matrix.counts[i].copy()
    others[right] = -1
    worst = int(others.argmax())
    taken = [_name(matrix.labels[worst]), rate_text(matrix, i, worst)] if others[worst] > 0 else ["–", ""]
    return [rate_text(matrix, i, right), *taken]


def _name(label: Label) -> str:
    return name(writing.brief(label_text(label), MAX_LABEL_LETTERS))
