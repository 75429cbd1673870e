"""Rankings and prior sensitivity, as rows of plain strings."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.report.drawn import drawn_text, runs_of, worth_text
from ropewalk.report.more import HEADER, has_more, more_cell
from ropewalk.report.shape import Escape, Table, View, class_words, decision_text, items_text, metric_title, model_name
from ropewalk.results import Comparison, Pair, PriorSensitivity, Ranked, Ranking
from ropewalk.text.names import count_of
from ropewalk.text.numbers import decimals, estimate_text, interval, number, percent
from ropewalk.text.verdicts import rope_text

_MANY = 20_000  # draws carry the second decimal of a mean, in standard deviations


def league_table(result: Ranking, escape: Escape) -> Table:
    """Return the classifiers, best expected rank first."""
    rows, n = [], len(result.draws)
    for model in result.by_rank:
        estimate = model.estimate
        places = decimals(estimate, estimate.mc_error)
        row = (
            model.name,
            number(estimate.observed, places),
            number(estimate.mean, places),
            number(estimate.std, places),
            interval(estimate.hdi.low, estimate.hdi.high, decimals(estimate)),
            percent(model.p_best, estimate.worth(n)),
            number(model.expected_rank, 2),
            number(model.expected_loss, places),
        )
        rows.append(tuple(map(escape, row)))
    header = ("classifier", "observed", "mean", "std", "HDI", "P(best)", "expected rank", "expected loss")
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def _loss(model: Ranked) -> str:
    places = decimals(model.estimate, model.estimate.mc_error)
    told = number(model.expected_loss, places)
    return told if float(told) else f"under {10.0**-places:g}"


def place_table(result: Ranking, escape: Escape) -> Table:
    """Return the probability of every rank, best expected rank first."""
    n = len(result.draws)
    rows = [
        (
            escape(model.name),
            *(escape(percent(share, model.estimate.worth(n))) for share in model.rank_probabilities),
        )
        for model in result.by_rank
    ]
    header = ("P(rank)", *(str(place) for place in range(1, len(result.models) + 1)))
    return Table(header=header, rows=tuple(rows), ends_in_text=False)


def pair_table(result: Ranking, escape: Escape) -> Table:
    """Return every pair with the posterior of its difference and its verdict."""
    rows, n, rope = [], len(result.draws), result.recipe.rope
    pairs: Sequence[Pair] = result.pairwise
    if rope is None or rope.low == -rope.high:  # the better one first, as in the league
        pairs = [result.pair(a.name, b.name) for a, b in combinations(result.by_rank, 2)]
    more = has_more(pair.more for pair in pairs)
    for pair in pairs:
        found = pair.contrast
        regions = found.regions
        masses = ("–", "–", "–") if regions is None else (regions.below, regions.inside, regions.above)
        row = (
            number(found.delta.mean, decimals(found.delta, found.delta.mc_error), sign=True),
            interval(found.delta.hdi.low, found.delta.hdi.high, decimals(found.delta), sign=True),
            *(mass if isinstance(mass, str) else percent(mass, found.delta.worth(n)) for mass in masses),
            *([more_cell(pair.more)] if more else []),
            decision_text(found.decision),
        )
        rows.append((f"{escape(pair.a)}{escape(' − ')}{escape(pair.b)}", *map(escape, row)))
    header = ("pair", "mean", "HDI", "below", "in ROPE", "above", *([HEADER] if more else []), "decision")
    return Table(header=header, rows=tuple(rows))


def league_view(result: Ranking, escape: Escape) -> View:
    """Say which classifier is best, and how many pairs are settled."""
    recipe, n = result.recipe, len(result.draws)
    name = metric_title(result.metric)
    best = max(result.models, key=lambda model: model.p_best)
    told = f"{items_text(recipe)}, {escape(model_name(recipe))}" + class_words(recipe, escape)
    if isinstance(recipe.tables[0], MultilabelOutcomes):
        told += f" · {recipe.tables[0].n_labels:,} labels, any number an item"
    error = max(max(model.estimate.hdi_mc_error) for model in result.models)
    least = min((model.estimate for model in result.models), key=lambda estimate: estimate.worth(n))
    runs = runs_of(result)
    lines = [
        ("Data", f"{told} · {len(result.models)} classifiers"),
        (escape(name), f"{escape(best.name)} {estimate_text(best.estimate)} · {100 * recipe.prob:g}% HDI"),
        ("Loss", f"picking {escape(best.name)} costs {_loss(best)} on average against the best of all"),
        *([("Chains", drawn_text(recipe, n, runs))] if runs else []),
    ]
    chance = percent(best.p_best, best.estimate.worth(n))
    headline = f"{escape(best.name)} has the best {escape(name)} with probability {chance}"
    if result.no_verdict:
        headline += f"; {result.no_verdict}"
    elif recipe.rope is None:
        headline += "; whether that matters needs a ROPE"
    else:
        settled = sum(pair.decision is not None and pair.decision.conclusive for pair in result.pairwise)
        headline += f"; {settled} of {count_of(len(result.pairwise), 'pair')} settled at {rope_text(recipe.rope)}"
    return View(
        title="Which classifier is best?",
        symbol="",
        headline=headline,
        lines=tuple(lines),
        shares=(),
        note=f"HDI ends are ±{error:.1g} (Monte Carlo, {worth_text(n, least)}); ties share their ranks equally",
    )


def sensitivity_table(result: PriorSensitivity, escape: Escape) -> Table:
    """Return one row a prior."""
    rows = []
    for which, c in result.rows:
        row = (
            which,
            number(c.mean, decimals(c.delta, c.delta.mc_error), sign=True),
            number(c.std, decimals(c.delta, c.delta.mc_error)),
            interval(c.hdi.low, c.hdi.high, decimals(c.delta), sign=True),
            "–" if c.regions is None else percent(c.regions.inside, c.delta.worth(len(c.draws))),
            decision_text(c.decision),
        )
        rows.append(tuple(map(escape, row)))
    return Table(header=("prior", "mean", "std", "HDI", "in ROPE", "decision"), rows=tuple(rows))


def moved_text(result: PriorSensitivity) -> str:
    """Say how far the mean moves at most, with no digit that the draws do not carry."""
    fewest = min(c.delta.worth(len(c.draws)) for c in result.alike)
    places = 2 if fewest >= _MANY else 1
    least = 10.0**-places
    return f"less than {least:.{places}f}" if result.moved < least / 2 else f"at most {result.moved:.{places}f}"


def _prior(c: Comparison, escape: Escape) -> str:
    """Write the prior part by part: an escape may cut what is long."""
    return "; ".join(map(escape, c.recipe.model.prior.split("; ")))


def sensitivity_view(result: PriorSensitivity, escape: Escape) -> View:
    """Say how far the answer moves."""
    first, alike = result.rows[0][1], result.alike
    moved = f"the mean moves by {moved_text(result)} posterior standard deviations"
    headline = f"Under {count_of(len(alike), 'prior')} {moved}"
    if result.robust is not None:
        headline += ", and the verdict stays the same" if result.robust else ", and the verdict changes"
        shaky = sum(c.decision is not None and not c.decision.stable for c in alike)
        headline += f" ({shaky} of them unstable: more draws would tell)" if shaky else ""
    about = f"{escape(metric_title(first.metric))} of {escape(first.a)} − {escape(first.b)}"
    data = f"{count_of(first.recipe.n_items, 'item')}{class_words(first.recipe, escape)} · {about}"
    lines = (("Data", data), *((escape(which), _prior(c, escape)) for which, c in result.rows))
    title = f"Does the answer about {escape(first.a)} and {escape(first.b)} hang on the prior?"
    sampled = [which for which, c in result.rows if c.recipe.sampler is not None]
    rest = ", the rest drawn exactly" if len(sampled) < len(result.rows) else ""
    note = f"by Markov chains: {escape(', '.join(sampled))}{rest}" if sampled else ""
    return View(title=title, symbol="", headline=headline, lines=lines, shares=(), note=note)
