"""The words that descriptions share: metrics, items, classes, models, verdicts, and how draws were made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ropewalk.data.labels import label_text, rest_of
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.data.scores import ItemScores
from ropewalk.draws.decision import Decision
from ropewalk.draws.intervals import Estimate
from ropewalk.report.document import name
from ropewalk.results import Comparison, Recipe
from ropewalk.text.units import metric_title
from ropewalk.text.verdicts import Verdict, oriented, rope_text, side_words
from ropewalk.text.writing import amount, carried, count_of, first_digit, hdi_text, percent, visible

if TYPE_CHECKING:
    from ropewalk.mcmc.chains import Diagnostics

UNSTABLE: Final = "unstable: other draws may say otherwise"
MAX_CLASSES_NAMED: Final = 4
_STEPS: Final = {"nuts": "NUTS", "metropolis": "Metropolis"}


# -- metrics and verdicts ----------------------------------------------------------------------------------


def metric_name(metric: str) -> str:
    """Write a metric's name as people say it, marked as a name: users' own metrics have names of theirs."""
    return name(metric_title(metric))


def delta_name(c: Comparison) -> str:
    """Name the difference that a comparison is about."""
    return f"{metric_name(c.metric)} of {name(c.a)} − {name(c.b)}"


def label_name(label: object) -> str:
    """Write a class as a name."""
    return name(label_text("" if label is None else label))  # type: ignore[arg-type]


def decision_text(decision: Decision | None) -> str:
    """Write a verdict's symbol, and whether it depends on the draws."""
    if decision is None:
        return "–"
    return symbol_or_words(decision) + ("" if decision.stable else " (unstable)")


def symbol_or_words(decision: Decision) -> str:
    """Write a verdict's symbol; in words what none of the symbols says: on which side of one margin A lies.

    Examples
    --------
    >>> from ropewalk.text.verdicts import Verdict
    >>> from dataclasses import replace
    >>> met = Decision(verdict=Verdict.EQUIVALENT, code="a_not_worse", stable=True, leaning=None, text="A is not worse")
    >>> symbol_or_words(met), symbol_or_words(replace(met, code="equivalent"))
    ('not worse', '≈')
    """
    says = {Verdict.EQUIVALENT: "equivalent", Verdict.A_BETTER: "a_better", Verdict.B_BETTER: "b_better"}
    if says.get(decision.verdict, decision.code) == decision.code:
        return decision.symbol
    return decision.code.removeprefix("a_").replace("_", " ")


def symbol_text(decision: Decision | None) -> str:
    """Write a verdict's symbol where there is little room; a question mark says that it depends on the draws."""
    return "–" if decision is None else symbol_or_words(decision) + ("" if decision.stable else "?")


def sign_text(c: Comparison, a: str, b: str, metric: str) -> str:
    """Write which of two classifiers, so written, probably has the better score, and why no more is said."""
    up = c.recipe.metric.higher_is_better
    better = a if (c.prob_above_zero >= c.prob_below_zero) == up else b
    chance = max(c.prob_above_zero, c.prob_below_zero)
    share = percent(chance, c.delta.worth(len(c.draws)))
    fact = f"{better}'s {metric} is {'higher' if up else 'lower'} with probability {share}"
    if chance == 0:
        fact = f"{a} and {b} have the same {metric} in every draw"
    if c.diagnostics is not None and not c.diagnostics.converged:  # what the chains say comes second
        return f"{c.no_verdict[:1].upper()}{c.no_verdict[1:]}; as drawn, {fact}"
    return f"{fact}; {c.no_verdict or 'whether that matters needs a ROPE'}"


def side_texts(recipe: Recipe) -> tuple[tuple[str, str], str]:
    """Write what the inside of a one-sided ROPE says of A, by which margin, and what its outside says."""
    assert recipe.rope is not None  # noqa: S101 - asked only where there is one
    facing = oriented(recipe.rope, higher_is_better=recipe.metric.higher_is_better)
    return side_words(facing, inside=True), side_words(facing, inside=False)[0]


def stakes_words(c: Comparison) -> StakesWords:
    """Write what depends on shipping the better-looking of two classifiers, in the unit that people read."""
    stakes, scale = c.stakes, c.recipe.unit.scale
    std = scale * c.delta.std
    assert stakes is not None  # noqa: S101 - asked only where there are some
    facing = stakes if stakes.prefers_a else stakes.mirrored()
    better, other = (c.a, c.b) if stakes.prefers_a else (c.b, c.a)

    # A gain and a loss are compared, so they have as many decimals: those of the larger one.
    largest = max(facing.gain, facing.loss)

    def size(value: float, error: float, beside: float = 0.0) -> str:
        return amount(scale * value, scale * error, std, beside=scale * beside)

    return StakesWords(
        better=name(better),
        other=name(other),
        gain=size(facing.gain, facing.gain_mc_error, largest),
        loss=size(facing.loss, facing.loss_mc_error, largest),
        labels=tuple(
            [
                (row.n, size(row.worth, facing.loss_mc_error), size(row.loss, facing.loss_mc_error))
                for row in facing.labels
            ]
        ),
    )


def stakes_unit(c: Comparison) -> str:
    """Write what gains and losses are counted in."""
    return f"in points of {metric_name(c.metric)}" if c.recipe.unit.is_points else unit_text(c.metric)


class StakesWords(NamedTuple):
    """The better-looking of two, the other one, what shipping it gains and loses, and (n, worth, loss left)."""

    better: str
    other: str
    gain: str
    loss: str
    labels: tuple[tuple[int, str, str], ...]


def unit_text(metric: str) -> str:
    """Write what a difference of a metric is in.

    Examples
    --------
    >>> from ropewalk.report.document import plain
    >>> unit_text("cost"), plain(unit_text("f1"), str)
    ('in cost per item', 'in F1')
    """
    return "in cost per item" if metric == "cost" else f"in {metric_name(metric)}"


class Tally(NamedTuple):
    """How many verdicts of each kind there are, and how many questions have none."""

    won: int
    lost: int
    even: int
    undecided: int
    without: int


def tally(decisions: Iterable[Decision | None]) -> Tally:
    """Count verdicts."""
    verdicts = [None if decision is None else decision.verdict for decision in decisions]
    won, lost, even = (verdicts.count(v) for v in (Verdict.A_BETTER, Verdict.B_BETTER, Verdict.EQUIVALENT))
    without = verdicts.count(None)
    return Tally(won, lost, even, len(verdicts) - won - lost - even - without, without)


# -- data and models ---------------------------------------------------------------------------------------


def items_text(recipe: Recipe) -> str:
    """Count the items, and the clusters that they come in."""
    items = count_of(recipe.n_items, recipe.noun)
    if recipe.n_clusters is None:
        return items
    if recipe.repeated:
        return f"{recipe.n_items:,} predictions of {count_of(recipe.n_clusters, 'item')}"
    return f"{items} in {count_of(recipe.n_clusters, 'cluster')}"


def class_counts(data: Any) -> str:
    """Count the items of the positive class, or the classes; of any number of labels per item, the labels."""
    if isinstance(data, MultilabelOutcomes):
        return f" · {data.n_labels:,} labels, any number per item"
    if not isinstance(data, ItemScores) or data.truth is None:
        return ""
    if data.n_labels > 2:  # noqa: PLR2004
        return f" · {data.n_labels:,} classes"
    return f" · {int(data.truth.sum()):,} of class {label_name(data.labels[1])}"


def class_words(recipe: Recipe) -> str:
    """Name the class that a question is about, if it is about one, or those an average runs over, if not over all."""
    positive, picked, mix = recipe.pos_label, recipe.picked, _mix(recipe.prevalence)
    if picked is not None:
        named = ", ".join(map(label_name, picked[:MAX_CLASSES_NAMED]))
        more = f" and {len(picked) - MAX_CLASSES_NAMED} more" if len(picked) > MAX_CLASSES_NAMED else ""
        return f" · over {len(picked):,} of {recipe.tables[0].n_labels:,} classes ({named}{more}){mix}"
    if positive is None:
        return mix
    rest = recipe.tables[0].labels[0] == rest_of(positive)
    return f" · class {label_name(positive)} {'against the rest' if rest else 'is positive'}{mix}"


def _mix(shares: tuple[float, ...] | None) -> str:
    """Describe the class mix at which the metric is taken, where it is not that of the items."""
    if shares is None:
        return ""
    if len(shares) == 2:  # noqa: PLR2004
        return f" · at a prevalence of {100 * shares[1]:g}%"
    return " · at another class mix than that of the items"


def mass_text(recipe: Recipe) -> str:
    """Write the mass of the intervals."""
    return f"{100 * recipe.prob:g}%"


def rope_words(recipe: Recipe) -> str:
    """Name the ROPE, or that there is none."""
    return "no ROPE" if recipe.rope is None else f"ROPE {name(rope_text(recipe.rope))}"


def model_text(recipe: Recipe) -> str:
    """Name the model and its prior; a bootstrap has none."""
    pooled = ", pooled over all of them" if recipe.pool else ""
    return recipe.model.summary(recipe.prior, alone=len(recipe.names) == 1) + pooled


def model_name(recipe: Recipe) -> str:
    """Name the model as people say it."""
    return visible(recipe.model.title)


def observed_word(recipe: Recipe) -> str:
    """Return what to call the value that the data themselves have."""
    return "observed" if recipe.model.takes_labels_as_true else f"observed as {recipe.model.labels_are}"


def class_word(recipe: Recipe) -> str:
    """Return what to call the class that an item has in the data."""
    return "true class" if recipe.model.takes_labels_as_true else f"class as {recipe.model.labels_are}"


# -- draws -------------------------------------------------------------------------------------------------


def runs_of(*parts: Any) -> tuple[Diagnostics, ...]:
    """Return the diagnostics of every run of our Markov chains behind answers; none where they were drawn exactly.

    How draws from elsewhere were made is not ours to say.
    """
    return tuple(p.diagnostics for p in parts if p.recipe.sampler is not None and p.diagnostics is not None)


def step_text(step: str) -> str:
    """Name a way to step as people do; an unknown one has no name."""
    return _STEPS.get(step, "")


def can_diverge(run: Diagnostics) -> bool:
    """Whether there is something to say about divergence: Metropolis has none, and others may not say."""
    return run.step == "nuts" or run.divergences > 0


def rhat_text(value: float) -> str:
    """Write an R-hat; chains that never moved, or moved beyond all bounds, have none."""
    return f"{value:.3f}" if math.isfinite(value) else "not known"


def made_by(runs: Sequence[Diagnostics]) -> str:
    """Describe what made draws, and whether it can be trusted; empty where there is nothing to say.

    Examples
    --------
    >>> from ropewalk.mcmc.chains import Diagnostics
    >>> numbers = dict(rhat_of="mu", rhat_limit=1.05, ess_bulk_of="f1", ess_tail_of="f1", divergences=0, acceptance=0.9)
    >>> run = Diagnostics(engine="PyMC 5.28.5", step="nuts", chains=4, draws=4_000, tune=1_000, rhat=1.0018,
    ...                   ess_bulk=3869.2, ess_tail=2762.6, **numbers)
    >>> print(made_by([run]))
    NUTS (PyMC 5.28.5, 4 chains after 1,000 tuning steps each; R-hat 1.002, bulk ESS 3,869, tail ESS 2,763)
    """
    if not runs:
        return ""
    first = runs[0]
    worst = max(runs, key=lambda run: (run.rhat - 1) / (run.rhat_limit - 1))
    bulk, tail = min(run.ess_bulk for run in runs), min(run.ess_tail for run in runs)
    tuned = f"after {count_of(first.tune, 'tuning step')} each" if first.tune else "not tuned"
    lead = "" if len(runs) == 1 else f"the worst of {len(runs)} runs: "
    trust = f"{lead}R-hat {rhat_text(worst.rhat)}, bulk ESS {bulk:,.0f}, tail ESS {tail:,.0f}"
    lost = sum(run.divergences for run in runs)
    trust += f", {count_of(lost, 'divergence')}" if lost else ""
    how = step_text(first.step) or "Markov chains"
    return f"{how} ({visible(first.engine)}, {count_of(first.chains, 'chain')} {tuned}; {trust})"


def drawn_text(*parts: Any) -> str:
    """Count the draws of the parts of an answer; name what made those of chains, and say which are weighted."""
    runs, sizes = runs_of(*parts), [len(part.draws) for part in parts]
    draws = f"{'up to ' if min(sizes) < max(sizes) else ''}{count_of(max(sizes), 'draw')}"
    if runs:
        draws += f" by {made_by(runs)}"
    return f"{draws}, weighted by the prior of the difference" if parts[0].recipe.model.weights_difference else draws


def chains_text(*parts: Any) -> str:
    """Describe how the parts of an answer were drawn, where that is not independently."""
    return drawn_text(*parts) if runs_of(*parts) else ""


def worth_text(n_draws: int, estimate: Estimate) -> str:
    """Count the draws that a number rests on, and what they are worth where that is less: to two digits.

    Examples
    --------
    >>> from ropewalk.draws.intervals import Interval
    >>> f1 = Estimate(observed=None, mean=0, std=1, mc_error=1 / 3869**0.5, hdi=Interval(-2, 2), hdi_mc_error=(0, 0))
    >>> worth_text(4_000, f1)
    '4,000 draws worth 3,900'
    """
    draws, worth = count_of(n_draws, "draw"), estimate.worth(n_draws)
    unit = max(int(first_digit(worth)) // 10, 1)
    rounded = round(worth / unit) * unit
    return draws if rounded >= n_draws else f"{draws} worth {rounded:,}"


# -- the caption and the sentence of an answer by a model --------------------------------------------------


def caption_text(title: str, *parts: Any, classes: str | None = None, tests: str = "", data: str = "") -> str:
    """Write what a table of the parts of an answer is about: metric, classifiers, ROPE, model, and data or items."""
    recipe = parts[0].recipe
    about = class_words(recipe) if classes is None else classes
    facts = (rope_words(recipe), f"{mass_text(recipe)} HDI", f"{name(model_name(recipe))} model")
    data = data or items_text(recipe)
    return " · ".join(filter(None, (f"{title}{about}", *facts, data, chains_text(*parts), tests)))


def on_data(recipe: Recipe) -> str:
    """Begin a sentence with the data."""
    words = class_words(recipe).removeprefix(" · ").replace(" · ", ", ")
    return f"On {paired_items(recipe)}" + (f" ({words})" if words else "")


def paired_items(recipe: Recipe) -> str:
    """Count the items, and say whether all classifiers saw the same ones."""
    count, _, rest = items_text(recipe).partition(" ")
    if len(recipe.names) == 1:
        return f"{count} {rest}"
    separate = len(recipe.tables) > 1 and sum(table.n_items for table in recipe.tables) == recipe.n_items
    if separate:
        return f"{count} {rest} of separate test sets"
    return f"{count} paired {rest}" if recipe.model.paired else f"{count} {rest}"


def chance_text(event: str, share: float, n_draws: int) -> str:
    """Write the probability of an event."""
    text = percent(share, n_draws)
    return f"P({event}) {text[0]} {text[1:]}" if text[0] in "<>" else f"P({event}) = {text}"


def doubt_text(decision: Decision) -> str:
    """Write that a verdict is unstable, where it is."""
    return "" if decision.stable else f" ({UNSTABLE})"


def by_model(*parts: Any) -> str:
    """Name the model, the prior and the draws."""
    return f"{model_text(parts[0].recipe)}, {drawn_text(*parts)}"


def by_method(*parts: Any, has_verdict: bool = True, has_model: bool = True) -> str:
    """Write how the parts of an answer were judged, by which ROPE and rule or why not at all, and how drawn."""
    judged = judged_text(parts[0], has_verdict=has_verdict)
    return f"{judged}; {by_model(*parts) if has_model else drawn_text(*parts)}"


def judged_text(answer: Any, *, has_verdict: bool = True) -> str:
    """Write by which ROPE and rule an answer was judged, or why not at all."""
    recipe = answer.recipe
    if recipe.rope is None:
        return "no ROPE"
    if answer.no_verdict or not has_verdict:
        return answer.no_verdict or "no verdict"
    by_mass = f", judged by a region's mass of at least {mass_text(recipe)}" if recipe.rule == "probability" else ""
    return f"ROPE {rope_text(recipe.rope)}{by_mass}"


def places_of(width: float, least: int = 0, most: int = 6) -> int:
    """Return how many decimals show two digits of a width; three where it has none."""
    return min(max(least, 1 - math.floor(math.log10(width))), most) if width > 0 else 3


def estimate_cells(estimate: Estimate) -> tuple[str, str, str, str]:
    """Write an estimate as cells of a table: observed, mean, std and HDI."""
    observed, mean, std = (carried(value, estimate) for value in (estimate.observed, estimate.mean, estimate.std))
    return observed, mean, std, hdi_text(estimate)
