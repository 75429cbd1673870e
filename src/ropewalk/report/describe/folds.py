"""Two learning algorithms on folds: the verdict by the correlated t, and beside it the items, clearly second."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from ropewalk.inference.extras import Extras, gather
from ropewalk.report import words
from ropewalk.report.describe import comparison, differences, method, pair_page
from ropewalk.report.describe.prospects import more_line
from ropewalk.report.document import (
    Answer,
    Block,
    Details,
    Document,
    Facts,
    Heading,
    Rows,
    Section,
    Table,
    Text,
    describes,
    name,
)
from ropewalk.results.folds import FoldsComparison
from ropewalk.results.resampled import CrossComparison, spread_dict
from ropewalk.text import writing
from ropewalk.text.remarks import Remark
from ropewalk.text.writing import count_of, estimate_text, number, p_equals, percent
from ropewalk.typing import FloatArray

_ITEMS_TITLE: Final = "The items, for the classifiers as they were trained"
_ITEMS: Final = (
    "Another question, and not the verdict above: which of the classifiers, as they were trained on these folds, is "
    "better on more such items? What another training set would change is left out."
)
_NOT_COVERED: Final = (
    "The interval is about the mean difference of the two algorithms, trained on sets of this size from this source. "
    "Training sets of another size, and data from elsewhere, are not in it."
)


@describes(CrossComparison)
def describe_folds(result: CrossComparison) -> Document:
    """Describe a comparison of algorithms on folds: their own answer first, that about the items second."""
    splits, answer = name(result.predictions.words), _answer(result)
    items = comparison.answer(result.per_item)
    both = [result, result.per_item]
    (answers, papers) = (_of_items(make(both)) for make in (comparison.answer_table, comparison.paper_table))

    def sections(document: Document) -> tuple[Block, ...]:
        extras = gather(result.per_item)
        how = _method(document, result, extras)
        whole = pair_page.sections(document, result, Extras(), how, not_covered=_NOT_COVERED)
        return (*whole[:-1], _items_section(result, items, extras), *_item_details(result, extras), whole[-1])

    return Document(
        caption=f"{words.caption_text(words.delta_name(result), result)} · {splits}",
        about=comparison.about(result),
        answers=(answer,),
        tables=(answers, _folds(result)),
        papers=(papers, _folds(result)),
        remarks=(*method.answer_remarks(result, [result], []), *_item_remarks(result)),
        sentence=comparison.sentence(
            result,
            data=f"In {splits} of {count_of(result.predictions.n_items, 'item')}",
            judged=f"{words.judged_text(result)}; {words.model_text(result.recipe)}",
        ),
        terminal=(answer, Text(f"{_ITEMS_TITLE}:"), items),
        sections=sections,
    )


@describes(FoldsComparison)
def describe_given_folds(result: FoldsComparison) -> Document:
    """Describe a comparison of algorithms by scores of folds."""
    whole, splits = comparison.answer(result), _given_splits(result)
    folds = _spread(result.fold_differences, "fold")
    if result.corrected_t is not None:
        folds += f" · corrected resampled t test {p_equals(result.corrected_t.p_value)} (classical)"
    answer = replace(
        whole,
        title=f"Is {name(result.a)} the better algorithm than {name(result.b)}?",
        lines=(
            ("Data", splits),
            ("Model", f"{words.model_name(result.recipe)}, rho {result.rho:.3g}"),
            ("Folds", folds),
        ),
        callout=None if whole.callout is None else replace(whole.callout, text=""),
    )

    def sections(document: Document) -> tuple[Block, ...]:
        call = ("Call", "rw.compare_folds(…)")
        how = method.wider_section(document, result, splits, call, not_covered=_NOT_COVERED)
        return pair_page.sections(document, result, Extras(), how, not_covered=_NOT_COVERED)

    facts = (words.delta_name(result), words.rope_words(result.recipe), f"{words.mass_text(result.recipe)} HDI")
    return Document(
        caption=" · ".join((*facts, words.model_name(result.recipe), splits)),
        about=f"{name(result.a)} against {name(result.b)} · {splits}",
        answers=(answer,),
        tables=(comparison.answer_table([result]), _fold_table([("folds", result.fold_differences)], result)),
        papers=(comparison.paper_table([result]),),
        remarks=method.answer_remarks(result, [result], []),
        sentence=comparison.sentence(
            result, data=f"On {splits}", judged=f"{words.judged_text(result)}; {words.model_text(result.recipe)}"
        ),
        terminal=(answer,),
        card=(answer,),
        sections=sections,
    )


def _given_splits(result: FoldsComparison) -> str:
    """Write how many folds there were."""
    n = count_of(result.fold_differences.size, "fold")
    if result.folds is None or result.repeats == 1:
        return f"{n} of one data set"
    return f"{n} of one data set, {result.repeats} × {result.folds}"


def _of_items(table: Table) -> Table:
    """Say in the second row of a table that it is about the items."""
    first, (lead, *rest) = table.rows
    return replace(table, rows=(first, (f"{lead}, items", *rest)))


def _item_remarks(result: CrossComparison) -> tuple[Remark, ...]:
    """Return the remarks on the items, marked as such."""
    return tuple(replace(remark, text=f"Items: {remark.text}") for remark in result.per_item.remarks)


# -- the algorithms ----------------------------------------------------------------------------------------


def _answer(result: CrossComparison) -> Answer:
    """Describe which algorithm is better, with lines on the folds and repeats that it is judged by."""
    made, whole = result.predictions, comparison.answer(result)
    a, b = name(result.a), name(result.b)
    n_draws = result.delta.worth(len(result.draws))
    train, test = (f"{n:,.0f}" if n == round(n) else f"{n:,.1f}" for n in (made.n_train, made.n_test))
    scores = f"{a} {estimate_text(result.estimate_a)} · {b} {estimate_text(result.estimate_b)}"
    repeats, folds = _spread(result.repeat_differences, "repeat"), _spread(result.fold_differences, "fold")
    if folds and result.corrected_t is not None:
        folds += f" · corrected resampled t test {p_equals(result.corrected_t.p_value)} (classical)"
    sizes = f"{train} items trained on and {test} tested per fold"
    lines = (
        ("Data", f"{count_of(made.n_items, 'item')}, {name(made.words)}{words.class_words(result.recipe)}"),
        ("Model", f"{name(words.model_name(result.recipe))} of {count_of(made.n_folds, 'fold')} · {sizes}"),
        (words.metric_name(result.metric), f"{scores} · means over folds, {words.mass_text(result.recipe)} HDI"),
        ("Δ", f"{estimate_text(result.delta, sign=True)} · P(Δ > 0) {percent(result.prob_above_zero, n_draws)}"),
        ("Repeats", repeats),
        ("Folds", folds),
    )
    return replace(whole, title=f"Is {a} the better algorithm than {b}?", lines=lines)


def _spread(values: FloatArray, what: str) -> str:
    """Write mean, standard deviation and range of several differences, with two digits of the deviation."""
    if values.size <= 1:
        return ""
    spread = spread_dict(values)
    count, std = spread["n"], spread["std"]
    if not count or std is None:
        return "no differences"
    places = words.places_of(std, 3, 9)
    low, high = (number(spread[end], places, sign=True) for end in ("low", "high"))
    mean = number(spread["mean"], places, sign=True)
    text = f"Δ of {count_of(int(count), what)}: mean {mean}, std {number(std, places)}, from {low} to {high}"
    return text if count == values.size else f"{text} ({values.size - int(count)} without a score)"


def _folds(result: CrossComparison) -> Table:
    """Return what repeats and folds show, one row each."""
    return _fold_table([("repeats", result.repeat_differences), ("folds", result.fold_differences)], result)


def _fold_table(parts: Sequence[tuple[str, FloatArray]], result: CrossComparison | FoldsComparison) -> Table:
    """Return what parts show, one row each: mean, standard deviation and range of their differences."""
    rows = []
    for what, values in parts:
        spread = spread_dict(values)
        std, low, high = spread["std"], spread["low"], spread["high"]
        places = words.places_of(std or 0.0, 3, 9)
        ends = "–" if low is None or high is None else writing.interval(low, high, places, sign=True)
        p = "–" if what == "repeats" or result.corrected_t is None else writing.p_value(result.corrected_t.p_value)
        rows.append((what, str(spread["n"]), number(spread["mean"], places, sign=True), number(std, places), ends, p))
    header = ("spread over", "n", "mean", "std", "range", "corrected t, p")
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def _method(document: Document, result: CrossComparison, extras: Extras) -> Details:
    """Return how the answer was made."""
    recipe, made = result.recipe, result.predictions
    data = f"{count_of(made.n_items, 'item')}{words.class_words(recipe)}"
    rows = (
        ("Splits", f"{name(made.words)}, seed {made.seed}"),
        ("Draws", f"none for the numbers, which are exact; {len(result.draws):,} for pictures, seed {recipe.seed}"),
        ("Items", f"{words.model_text(result.per_item.recipe)}, {words.drawn_text(result.per_item)}"),
        ("Call", "rw.cross_compare(…)"),
    )
    return method.wider_section(document, result, data, *rows, not_covered=_NOT_COVERED, left_out=extras.left_out)


# -- the items ---------------------------------------------------------------------------------------------


def _items_section(result: CrossComparison, answer: Answer, extras: Extras) -> Section:
    """Return the answer about the items in words, and where the two differ on them."""
    items = result.per_item
    moves = items.recipe.model.moves
    verdict = f"{answer.headline}{f' [{answer.symbol}]' if answer.symbol else ''}"
    shares = " · ".join(f"{share.words} {share.text}" for share in answer.shares)
    rows: Rows = (
        ("Verdict" if answer.symbol else "Answer", verdict),
        ("Regions", shares),
        *answer.lines,
        ("Note", answer.note),
        ("More", more_line(items.more, items.delta)),
        ("Tests", answer.tests),
    )
    parts = differences.differences_section(items, extras, moves)
    inner = tuple(block for part in parts for block in (Heading(part.title), Text(part.about), *part.blocks))
    return Section(_ITEMS_TITLE, (Text(_ITEMS), Facts(rows), *inner))


def _item_details(result: CrossComparison, extras: Extras) -> tuple[Details, ...]:
    """Return what is folded away about the items."""
    items = result.per_item
    return (
        *differences.prior_details(extras.priors),
        *differences.matrix_details(extras.confusions, items.recipe.model.moves),
        *differences.confused_details(items, extras.mistaken),
        *differences.asked_details(items),
    )
