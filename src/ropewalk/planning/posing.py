"""Put a question about future test sets: from what users give to a study that can be simulated."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from ropewalk._checks import check_prob, check_seed, choose, is_whole
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.decision import parse_rope
from ropewalk.errors import InvalidInputError
from ropewalk.inference.goals import CONCLUSIVE, check_goal, parse_goal
from ropewalk.inference.outlook import Outlook
from ropewalk.inference.question import RULES, check_reach, default_model, write_recipe
from ropewalk.metrics.resolve import MetricLike
from ropewalk.models.posterior import Model
from ropewalk.planning.scenarios import (
    BinaryScenario,
    ConfusionScenario,
    JointScenario,
    MetricScenario,
    Scenario,
)
from ropewalk.planning.study import Study, of_result, of_scenario
from ropewalk.planning.words import from_mapping, from_words
from ropewalk.results import Comparison, Recipe
from ropewalk.results.power import Design
from ropewalk.text.names import brief
from ropewalk.text.options import argument, wording
from ropewalk.typing import Label, RopeLike, Rule, SeedLike

MOST_ITEMS: Final = 10**9
_FEWEST_DRAWS: Final = 100
_FORMS: Final = (BinaryScenario, ConfusionScenario, JointScenario, MetricScenario)


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """A study and what is said about it; `joint` scenarios can be tilted, posteriors cannot."""

    study: Study
    design: Design
    scenario: Scenario | None

    def tilted(self, share: float) -> Study:
        """Return the same study of a truth on the line through the scenario: 0 is no difference, 1 the scenario."""
        assert self.scenario is not None  # noqa: S101 - checked where it is asked for
        joint = self.scenario.joint.tilted(share)
        return of_scenario(joint, self.study.recipe, draws=self.study.draws, seed=self.study.seed)


def pose(
    scenario: Any,
    *,
    goal: str = CONCLUSIVE,
    rope: RopeLike | None = None,
    metric: MetricLike | None = None,
    model: str | Model | None = None,
    pos_label: Label | None = None,
    classes: Iterable[Label] | None = None,
    cost_matrix: Any = None,
    prob: float | None = None,
    rule: Rule | None = None,
    draws: int = 2_000,
    rng: SeedLike = None,
    random_state: SeedLike = None,
    more: bool = False,
    possible: bool = True,
) -> Posed:
    """Check what was asked and make a study of it; where it must be `possible`, refuse goals that cannot be reached."""
    wanted, seed, number = parse_goal(goal), check_seed(rng, random_state), check_number(draws, "draws", _FEWEST_DRAWS)
    if isinstance(scenario, Comparison):
        said = {
            "metric": metric,
            "model": model,
            "pos_label": pos_label,
            "classes": classes,
            "cost_matrix": cost_matrix,
        }
        for name, value in said.items():
            if value is not None:
                raise InvalidInputError(
                    f"A result has its {name} already: leave " + argument(name) + " out.",
                    hint="compare again to ask otherwise.",
                )
        return _of_comparison(scenario, wanted, rope, prob, rule, number, seed, more=more)
    given = as_scenario(scenario)
    if metric is None and cost_matrix is None and isinstance(given, MetricScenario):
        metric = given.metric
    joint = given.joint
    recipe = write_recipe(
        [Outcomes.empty(joint.labels, joint.names)],
        default=default_model(separate=False),
        metric=metric, classes=classes, pos_label=pos_label, cost_matrix=cost_matrix, model=model,
        rope=rope, prob=0.95 if prob is None else prob, rule="hdi" if rule is None else rule, draws=number, seed=seed,
    )  # fmt: skip
    study = of_scenario(joint, recipe, draws=number, seed=seed)
    assert study.delta is not None  # noqa: S101
    if possible:
        check_goal(wanted, study.delta, study.rope, higher_is_better=recipe.metric.higher_is_better)
    design = Design(
        recipe=recipe, goal=wanted, truth=given.text, delta=study.delta, names=joint.names, draws=number, seed=seed
    )
    return Posed(study, design, given)


def _of_comparison(  # noqa: PLR0917
    result: Comparison, goal: str, rope: Any, prob: Any, rule: Any, draws: int, seed: int, *, more: bool
) -> Posed:
    given = any(said is not None for said in (rope, prob, rule))
    recipe = ask_again(result.recipe, rope=rope, prob=prob, rule=rule) if given else result.recipe
    study = of_result(recipe, draws=draws, seed=seed, more=more)
    here = Outlook.of_comparison(result, recipe)
    return Posed(study, replace(here, goal=goal, draws=draws, seed=seed).design, None)


def ask_again(recipe: Recipe, *, rope: Any = None, prob: Any = None, rule: Any = None) -> Recipe:
    """Return the recipe with another ROPE, mass or rule, where one is given."""
    interval = recipe.rope if rope is None else parse_rope(rope)
    check_reach(interval, recipe.metric)
    return replace(
        recipe,
        rope=interval,
        prob=recipe.prob if prob is None else check_prob(prob),
        rule=recipe.rule if rule is None else choose(rule, RULES, "rule"),
    )


def as_scenario(scenario: Any) -> Scenario:
    """Return a scenario, whatever form it was given in."""
    if isinstance(scenario, _FORMS):
        return scenario
    if isinstance(scenario, str):
        return from_words(scenario)
    if isinstance(scenario, Mapping):
        return from_mapping(scenario)
    if isinstance(scenario, Outcomes):
        return JointScenario(table=scenario)
    kind = type(scenario).__name__
    hint = "BinaryScenario, ConfusionScenario, JointScenario, MetricScenario, a Comparison, or words."
    if isinstance(scenario, os.PathLike):
        hint = "the command line reads scenarios from files; in Python pass json.load(…)."
    raise InvalidInputError(f"`scenario` cannot be a {kind} ({brief(repr(scenario))}).", hint=hint)


def check_number(value: Any, name: str, least: int = 1, most: int = 10_000_000) -> int:
    """Return a whole number within bounds."""
    if not is_whole(value) or not least <= value <= most:
        raise InvalidInputError(argument(name) + f" must be a whole number from {least:,} to {most:,}; got {value!r}.")
    return int(value)


def check_sizes(n: Any) -> tuple[int, ...]:
    """Return numbers of items, in the order given."""
    sizes = [n] if is_whole(n) else n
    if isinstance(sizes, str | bytes | bytearray) or not isinstance(sizes, Iterable):
        raise InvalidInputError(wording("`n` must be a number of items, or a list of them; got {!r}.", n))
    found = tuple(check_number(one, "n", 1, MOST_ITEMS) for one in sizes)
    if not found:
        raise InvalidInputError(wording("`n` is empty; name at least one number of items."))
    if len(set(found)) < len(found):
        raise InvalidInputError(
            wording("Each number of items is simulated once; `n` repeats one of {}.", brief(str(list(found))))
        )
    return found
