"""Many classifiers: which is best, in which order, and every pair of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from typing import Final, NamedTuple

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.draws.decision import Decision
from ropewalk.inference.extras import confusions_of
from ropewalk.report import words
from ropewalk.report.describe import method
from ropewalk.report.describe.chains import chain_section, score_traces
from ropewalk.report.describe.differences import matrix_details
from ropewalk.report.describe.pair_page import score_forest
from ropewalk.report.describe.prospects import HEADER, more_cell
from ropewalk.report.document import (
    Answer,
    Block,
    Callout,
    Details,
    Document,
    Picture,
    Section,
    Table,
    Text,
    describes,
    name,
)
from ropewalk.report.equivalence import can_join, joined
from ropewalk.report.leaders import improvement, leaders, rank_slider
from ropewalk.report.rows import common_places, verdict_words
from ropewalk.results import Pair, Ranked, Ranking
from ropewalk.text.remarks import few
from ropewalk.text.standing import listed, rank_headline, rivals
from ropewalk.text.units import Unit
from ropewalk.text.writing import amount, carried, count_of, estimate_text, hdi_text, number, percent

_TWO_SIDED: Final = (
    " Blue: the row is better by a margin that matters. Orange: worse. Grey: equivalent. Outlined: undecided."
)
_ONE_SIDED: Final = (
    " Blue: the difference is on the side of the margin that was asked for. Orange: it is not. Outlined: undecided."
)
MAX_IN_CALLOUT: Final = 4


@describes(Ranking)
def describe_ranking(result: Ranking, asked: str = "") -> Document:
    """Describe a ranking; `asked` is the call that made it, where it was not `rank`."""
    recipe = result.recipe
    title = f"{words.metric_name(result.metric)} of {len(result.models)} classifiers"
    several = len(result.models) > 2  # noqa: PLR2004 - of two, P(best) says it all
    tables = (_ranks(result), *((_places(result),) if several else ()), _pairs(result))
    answer, board = _answer(result), leaders(result)
    bare = replace(answer, lines=(), details=())

    def sections(document: Document) -> tuple[Block, ...]:
        options = [("metric", result.metric), ("pos_label", method.positive_of(recipe))]
        call = asked or method.call_text("rank", recipe, options)
        moves, order = recipe.model.moves, [result.draws.names.index(model.name) for model in result.by_rank]
        labels = ("League table", "Probability of each rank")
        ranks = [replace(table, label=label) for table, label in zip(tables[:-1], labels, strict=False)]
        slider = rank_slider(result, board)
        first, *others = document.answer_sections((Picture("leaders", board, "all"),), sliders=(slider,), note=moves)
        pairs = count_of(len(result.pairwise), "pair")
        return (
            first,
            *others,
            *_alike(result),
            Details("Every pair", _pair_blocks(result, tables[-1]), f"{pairs}{_settled_text(result)}"),
            Details("Chance of every rank", tuple(ranks), "for each classifier"),
            *matrix_details(confusions_of(recipe), moves),
            *chain_section([result], score_traces([(result, result.metric)], order)),
            method.method_section(document, [result], call),
        )

    return Document(
        caption=words.caption_text(title, result),
        about=f"{len(result.models)} classifiers · {words.items_text(recipe)}",
        answers=(answer,),
        tables=tables,
        remarks=method.answer_remarks(result, [result], []),
        sentence=_sentence(result),
        terminal=(bare, Picture("leaders", board), replace(answer, headline="", lede="")),
        details=(*tables, *_pair_notes(result)),
        card=(bare, Picture("leaders", board)),
        sections=sections,
    )


def _alike(result: Ranking) -> tuple[Section, ...]:
    """Return which classifiers are equivalent, and which undecided; nothing where pairs cannot be equivalent."""
    if not can_join(result):
        return ()
    rows = score_forest([(name(model.name), model.estimate) for model in result.by_rank], result)
    scale = ", × 100" if result.recipe.unit.is_points else ""
    about = f"{words.metric_name(result.metric)}{scale}, and every two of them."
    return (Section("Which are equivalent", (Picture("forest", joined(rows, result), "alike"),), about),)


def _answer(result: Ranking) -> Answer:
    """Describe which classifiers share the top, and what picking the first one costs."""
    recipe, n = result.recipe, len(result.draws)
    told = rank_headline(result.standing(), name)
    who, table = result.by_rank[0].name, recipe.tables[0]
    labels = words.class_counts(table) if isinstance(table, MultilabelOutcomes) else ""
    data = f"{words.paired_items(recipe)}{words.class_words(recipe)}{labels}"
    error = max(max(model.estimate.hdi_mc_error) for model in result.models)
    least = min((model.estimate for model in result.models), key=lambda estimate: estimate.worth(n))
    ends = f"±{error:.1g}" if n > 1 else "of unknown error"
    worth, lost = words.worth_text(n, least), _shortfall(result[who], result.unit_of_loss)
    return Answer(
        title="Which classifier is best?",
        headline=told.title,
        lede=told.lede,
        lines=(
            ("Data", f"{data} · {len(result.models)} classifiers{_settled_text(result)}"),
            ("Loss", f"picking {name(who)} costs {lost} on average against the best of all"),
            ("Chains", words.chains_text(result)),
        ),
        details=(
            ("Scope", result.scope.line),
            ("Draws", f"HDI ends are {ends} (Monte Carlo, {worth}); ties share their ranks equally"),
        ),
        callout=_callout(result),
        tones=((name(who), "a"),),
    )


def _settled_text(result: Ranking) -> str:
    """Count the pairs that are settled."""
    counts, pairs = words.tally(pair.decision for pair in result.pairwise), len(result.pairwise)
    if counts.without == pairs:
        return ""
    return f" · {counts.won + counts.lost + counts.even} of {count_of(pairs, 'pair')} settled"


def _callout(result: Ranking) -> Callout | None:
    """Return what the groups mean for a decision."""
    groups, unit = result.groups, result.recipe.unit
    if not groups:
        return None
    top, margin = groups[0], unit.counted(result.standing().margin)
    rows = [
        (f"Average shortfall of {name(who)} against the best", _shortfall(result[who], result.unit_of_loss))
        for who in top.settled[:MAX_IN_CALLOUT]
    ]
    share = sum(result[who].p_best for who in top.settled)
    n = result.by_rank[0].estimate.worth(len(result.draws))
    if len(top.settled) > 1:
        rows.append((f"Chance that the best of all is one of the {len(top.settled)}", percent(min(share, 1.0), n)))
    if top.undecided:
        title = f"For a decision: {rivals(top.undecided, name)} may be within {margin} of {name(top.leader)}"
        text = f"More {result.recipe.noun}s would tell. Until then {name(top.leader)} is the safest choice."
        return Callout(tone="wait", title=title, text=text, rows=tuple(rows))
    if top.alike:
        title = f"For a decision: any of {listed(top.settled, name)}"
        text = f"Within {margin} nothing separates them from {name(top.leader)}, so choose by price, speed or size."
        return Callout(tone="ok", title=title, text=text, rows=tuple(rows))
    title = f"For a decision: the evidence supports {name(top.leader)}"
    return Callout(tone="ok", title=title, text="All others are worse by a margin that matters.", rows=tuple(rows))


def _shortfall(model: Ranked, unit: Unit) -> str:
    if math.isnan(model.expected_loss):
        return "–"
    error = unit.scale * max(model.ranked.mc_error, 0.0)
    text = amount(unit.scale * model.expected_loss, error, unit.scale * model.ranked.std)
    return f"{text} {unit.noun}s" if unit.noun else text


def _ranks(result: Ranking) -> Table:
    """Return the classifiers, best expected rank first."""
    n = len(result.draws)
    rows = [
        (
            name(model.name),
            *words.estimate_cells(model.estimate),
            percent(model.p_best, model.estimate.worth(n)),
            _expected_rank(model, n),
            carried(model.expected_loss, model.ranked),
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


def _pair_blocks(result: Ranking, table: Table) -> tuple[Block, ...]:
    """Return the matrix of all differences, and the table of their numbers."""
    matrix, rope = pair_matrix(result), result.recipe.rope
    note = "Row minus column; + means that the row is better."
    if matrix.judged and rope is not None:
        note += _ONE_SIDED if rope.one_sided else _TWO_SIDED
        if rope.low != -rope.high:
            note += " The region is that of the table below; where a pair stands the other way round it is mirrored."
    numbers = Details("In numbers", (replace(table, label="Difference of every pair"),), "pair by pair", list=True)
    return (Picture("pairs", matrix), Text(note), replace(numbers, blocks=(*numbers.blocks, *_pair_notes(result))))


def _pair_notes(result: Ranking) -> tuple[Text, ...]:
    """Return what is to be known of the column of more items, beside which it stands."""
    notes = [remark for pair in result.pairwise if pair.more is not None for remark in pair.more.remarks]
    return tuple([Text(remark.text) for remark in few(notes)])


def _sentence(result: Ranking) -> str:
    best = max(result.by_rank, key=lambda model: -1.0 if math.isnan(model.p_best) else model.p_best)
    share = percent(best.p_best, best.estimate.worth(len(result.draws)))
    chance = "" if math.isnan(best.p_best) else f" with probability {share}"
    fact = f"{name(best.name)} had the best {result.ranked_by} of {len(result.models)} classifiers"
    worth = f"{estimate_text(best.estimate)}, {words.mass_text(result.recipe)} HDI"
    counts, pairs = words.tally(pair.decision for pair in result.pairwise), len(result.pairwise)
    settled = f"; {counts.won + counts.lost + counts.even} of {count_of(pairs, 'pair')} settled"
    verdicts = "" if counts.without == pairs else settled
    made_by = words.by_method(result)
    return f"{words.on_data(result.recipe)}, {fact}{chance} ({worth}{verdicts}; {made_by})."


# -- every pair --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PairCell:
    """What was found of a row against a column: the difference, its colour, its verdict, and all of it in words."""

    text: str
    tone: str
    verdict: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairs:
    """Every classifier against every other one, best first; `judged` is whether there are verdicts."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, tuple[PairCell | None, ...]], ...]
    judged: bool


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
    """Lay out the differences of all pairs, the better classifiers first."""
    names, numbers = [model.name for model in result.by_rank], pair_numbers(result)
    places = common_places([improvement(result, a, b) for a, b in combinations(names, 2)])
    rows = [
        (name(a), tuple(None if a == b else _pair_cell(result, numbers[a, b], places) for b in names)) for a in names
    ]
    judged = any(pair.decision is not None for pair in result.pairwise)
    return Pairs(names=tuple(map(name, names)), rows=tuple(rows), judged=judged)


def _pair_cell(result: Ranking, numbers: PairNumbers, places: int) -> PairCell:
    pair, decision = numbers.pair, numbers.decision
    shown = replace(improvement(result, pair.a, pair.b), places=places)
    tone, verdict = verdict_words(decision, "row", "column")
    pieces = [
        f"{name(pair.a)} − {name(pair.b)}: {shown.text()}",
        verdict,
        f"better with probability {numbers.better_text}",
    ]
    return PairCell(
        text=shown.value(),
        tone=tone if decision is not None else "",
        verdict=verdict,
        description="; ".join(filter(None, pieces)),
    )
