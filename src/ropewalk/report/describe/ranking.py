"""Many classifiers: which is best, in which order, and every pair of them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Final, NamedTuple

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.draws.contrast import Question
from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import Interval
from ropewalk.inference.extras import confusions_of
from ropewalk.report import words
from ropewalk.report.describe import method
from ropewalk.report.describe.chains import chain_section, score_traces
from ropewalk.report.describe.differences import matrix_blocks, score_forest
from ropewalk.report.describe.prospects import HEADER, more_cell
from ropewalk.report.document import Answer, Block, Document, Picture, Section, Table, Text, describes, name
from ropewalk.report.pictures import Slider, judged_data, live_data, slider_of
from ropewalk.results import Pair, Ranked, Ranking
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import carried, count_of, decimals, estimate_text, hdi_text, isolated, number, percent

_KINDS: Final = {"≫": "won", "≪": "lost", "≈": "even"}


@describes(Ranking)
def describe_ranking(result: Ranking) -> Document:
    """Describe a ranking."""
    recipe = result.recipe
    title = f"{words.metric_name(result.metric)} of {len(result.models)} classifiers"
    several = len(result.models) > 2  # noqa: PLR2004 - of two, P(best) says it all
    tables = (_ranks(result), *((_places(result),) if several else ()), _pairs(result))

    def sections(document: Document) -> tuple[Block, ...]:
        options = [("metric", result.metric), ("pos_label", method.positive_of(recipe))]
        call = method.call_text("rank", recipe, options)
        moves, order = recipe.model.moves, [result.draws.names.index(model.name) for model in result.by_rank]
        matrices = matrix_blocks(confusions_of(recipe), moves)
        labels = ("League table", "Probability of each rank")
        ranks = [replace(table, label=label) for table, label in zip(tables[:-1], labels, strict=False)]
        scores = score_forest([(model.name, model.estimate) for model in result.by_rank], result)
        return (
            *document.answer_sections(note=moves),
            Section("Each classifier", (scores, *ranks)),
            _pair_section(result, tables[-1]),
            *((Section("Confusion matrices", matrices),) if matrices else ()),
            *chain_section([result], score_traces([(result, result.metric)], order)),
            method.method_section(document, [result], call),
        )

    return Document(
        caption=words.caption_text(title, result),
        answers=(_answer(result),),
        tables=tables,
        remarks=method.answer_remarks(result, [result], [pair.more for pair in result.pairwise]),
        sentence=_sentence(result),
        sections=sections,
    )


def _answer(result: Ranking) -> Answer:
    """Describe which classifier is best, and how many pairs are settled."""
    recipe, n, metric = result.recipe, len(result.draws), words.metric_name(result.metric)
    best = max(result.models, key=lambda model: model.p_best)
    who, table = name(best.name), recipe.tables[0]
    labels = words.class_counts(table) if isinstance(table, MultilabelOutcomes) else ""
    data = f"{words.items_text(recipe)}, {name(words.model_name(recipe))}{words.class_words(recipe)}{labels}"
    error = max(max(model.estimate.hdi_mc_error) for model in result.models)
    least = min((model.estimate for model in result.models), key=lambda estimate: estimate.worth(n))
    headline = f"{who} has the best {metric} with probability {percent(best.p_best, best.estimate.worth(n))}"
    if result.no_verdict:
        headline += f"; {result.no_verdict}"
    elif recipe.rope is None:
        headline += "; whether that matters needs a ROPE"
    else:
        settled = sum(pair.decision is not None and pair.decision.conclusive for pair in result.pairwise)
        headline += f"; {settled} of {count_of(len(result.pairwise), 'pair')} settled at {rope_text(recipe.rope)}"
    return Answer(
        title="Which classifier is best?",
        headline=headline,
        lines=(
            ("Data", f"{data} · {len(result.models)} classifiers"),
            (metric, f"{who} {estimate_text(best.estimate)} · {words.mass_text(recipe)} HDI"),
            ("Loss", f"picking {who} costs {_loss(best)} on average against the best of all"),
            ("Chains", words.chains_text(result)),
        ),
        note=f"HDI ends are ±{error:.1g} (Monte Carlo, {words.worth_text(n, least)}); ties share their ranks equally",
    )


def _loss(model: Ranked) -> str:
    loss = carried(model.expected_loss, model.estimate)
    if math.isnan(model.expected_loss):
        return loss
    return loss if float(loss) else f"under {10.0 ** -decimals(model.estimate, model.estimate.mc_error):g}"


def _ranks(result: Ranking) -> Table:
    """Return the classifiers, best expected rank first."""
    n = len(result.draws)
    rows = [
        (
            name(model.name),
            *words.estimate_cells(model.estimate),
            percent(model.p_best, model.estimate.worth(n)),
            _expected_rank(model, n),
            carried(model.expected_loss, model.estimate),
        )
        for model in result.by_rank
    ]
    header = ("classifier", "observed", "mean", "std", "HDI", "P(best)", "expected rank", "expected loss")
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def _expected_rank(model: Ranked, n_draws: int) -> str:
    """Write the expected rank with two decimals at most, and none that the draws do not carry."""
    square = sum(share * place**2 for place, share in enumerate(model.rank_probabilities, start=1))
    # Of a rank that no draw doubts, another draw may be the first to do so.
    variance = max(square - model.expected_rank**2, 1 / n_draws)
    error = math.sqrt(variance / model.estimate.worth(n_draws))
    return number(model.expected_rank, min(max(math.floor(-math.log10(error)), 0), 2))


def _places(result: Ranking) -> Table:
    """Return the probability of every rank, best expected rank first."""
    n = len(result.draws)
    rows = [
        (name(model.name), *(percent(share, model.estimate.worth(n)) for share in model.rank_probabilities))
        for model in result.by_rank
    ]
    header = ("P(rank)", *(str(place) for place in range(1, len(result.models) + 1)))
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def _pairs(result: Ranking) -> Table:
    """Return every pair with the posterior of its difference and its verdict."""
    rows, n, rope = [], len(result.draws), result.recipe.rope
    pairs: Sequence[Pair] = result.pairwise
    if rope is None or rope.low == -rope.high:  # the better one first, as in the table of ranks
        pairs = [result.pair(a.name, b.name) for a, b in combinations(result.by_rank, 2)]
    more = any(pair.more is not None for pair in pairs)
    for pair in pairs:
        delta, regions = pair.contrast.delta, pair.contrast.regions
        masses = None if regions is None else (regions.below, regions.inside, regions.above)
        rows.append(
            (
                f"{name(pair.a)} − {name(pair.b)}",
                carried(delta.mean, delta, sign=True),
                hdi_text(delta, sign=True),
                *(("–", "–", "–") if masses is None else (percent(mass, delta.worth(n)) for mass in masses)),
                *([more_cell(pair.more)] if more else []),
                words.decision_text(pair.contrast.decision),
            )
        )
    header = ("pair", "mean", "HDI", "below", "in ROPE", "above", *([HEADER] if more else []), "decision")
    return Table(header=header, rows=tuple(rows))


def _pair_section(result: Ranking, table: Table) -> Section:
    matrix, preset = pair_matrix(result), method.preset_text(result.recipe)
    if matrix.symbols:
        rope = result.recipe.rope
        meaning = "≫ the row is better by a margin that matters, ≪ the column is, ≈ practically equivalent"
        if rope is not None and rope.one_sided:
            meaning = "≈ the difference lies on the side of the margin that was asked for, ≫ and ≪ on the other one"
        note = f"{meaning}, < and > undecided; ? other draws may say otherwise."
        if rope is not None and rope.low != -rope.high:
            note += " The ROPE is that of the table below; where a pair stands the other way round it is mirrored."
    else:
        why = "" if preset else "; whether that matters needs a ROPE"
        note = f"The probability that the row is better than the column{why}."
    grid = replace(table, label="Difference of every pair")
    return Section("Every pair", (Picture("pairs", matrix, "pairs", preset), Text(note), grid))


def _sentence(result: Ranking) -> str:
    best = max(result.models, key=lambda model: model.p_best)
    chance = percent(best.p_best, best.estimate.worth(len(result.draws)))
    fact = f"{name(best.name)} had the best {words.metric_title(result.metric)} of {len(result.models)} classifiers"
    worth = f"{estimate_text(best.estimate)}, {words.mass_text(result.recipe)} HDI"
    counts, pairs = words.tally(pair.decision for pair in result.pairwise), len(result.pairwise)
    settled = f"; {counts.won + counts.lost + counts.even} of {count_of(pairs, 'pair')} settled"
    verdicts = "" if counts.without == pairs else settled
    made_by = words.by_method(result)
    return f"{words.on_data(result.recipe)}, {fact} with probability {chance} ({worth}{verdicts}; {made_by})."


# -- every pair --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCell:
    """What was found of a row against a column: symbol or probability, all of it in words, and how to judge anew."""

    text: str
    description: str
    kind: str
    data: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Every classifier against every other one, best first."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PairCell | None, ...]], ...]
    symbols: bool
    slider: Slider | None
    data: str


class PairNumbers(NamedTuple):
    """A row against a column: their difference, its verdict if any, and how probable it is that each is better."""

    pair: Pair
    decision: Decision | None
    better: float
    worse: float
    n_draws: int

    @property
    def better_text(self) -> str:
        """The probability that the row is better, as text."""
        return percent(self.better, self.n_draws)


def pair_numbers(result: Ranking) -> dict[tuple[str, str], PairNumbers]:
    """Return every pair both ways round: with a ROPE of unequal ends the two are two questions."""
    up = result.recipe.metric.higher_is_better
    judged = {frozenset((pair.a, pair.b)) for pair in result.pairwise if pair.decision is not None}
    numbers = {}
    for row, column in permutations([model.name for model in result.by_rank], 2):
        pair = result.pair(row, column)
        above, below = pair.contrast.prob_above_zero, pair.contrast.prob_below_zero
        decision = pair.decision if frozenset((row, column)) in judged else None
        better, worse = (above, below) if up else (below, above)
        numbers[row, column] = PairNumbers(pair, decision, better, worse, pair.delta.worth(len(result.draws)))
    return numbers


def pair_matrix(result: Ranking) -> Pairs:
    """Lay out the verdicts, or without a ROPE the probability that the row is better than the column."""
    names = [model.name for model in result.by_rank]
    numbers, metric, question = pair_numbers(result), result.recipe.metric, result.question
    rows = [(isolated(a), tuple(None if a == b else _pair_cell(numbers[a, b], question) for b in names)) for a in names]
    symbols = any(pair.decision is not None for pair in result.pairwise)
    slider = None
    judged = symbols and question.rope is not None and not question.rope.one_sided
    if judged and question.rope is not None:
        far = max(abs(end) for pair in result.pairwise for end in pair.delta.hdi)
        slider = slider_of(question.rope, Interval(-far, far), metric.high - metric.low)
    return Pairs(
        names=tuple(map(isolated, names)),
        rows=tuple(rows),
        symbols=symbols,
        slider=slider,
        data=json.dumps(live_data(question)) if judged else "",
    )


def _pair_cell(numbers: PairNumbers, question: Question) -> PairCell:
    pair, decision = numbers.pair, numbers.decision
    difference = f"{isolated(pair.a)} − {isolated(pair.b)}: {estimate_text(pair.delta, sign=True)}"
    if decision is None:
        text = numbers.better_text if question.rope is None else "–"
        return PairCell(text=text, description=f"{difference}; better with probability {numbers.better_text}", kind="")
    return PairCell(
        text=words.symbol_text(decision),
        description=f"{difference}; {isolated(decision.text)}",
        kind=_KINDS.get(decision.symbol, ""),
        data=judged_data(pair.delta, pair.contrast.rope_path, numbers.n_draws),
    )
