"""Turn a question about future test sets, in any form and also in words, into a study to simulate."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Unpack

from ropewalk._arguments import read_some
from ropewalk._checks import check_prob, check_seed, check_whole, choose, is_whole
from ropewalk.data.opening import parse_json
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.rope import parse_margin_goal
from ropewalk.errors import FileFormatError, InvalidInputError, RopewalkError
from ropewalk.inference.goals import check_goal, parse_goal
from ropewalk.inference.outlook import Outlook
from ropewalk.inference.question import RULES, default_model, rope_of, write_recipe
from ropewalk.planning.scenarios import BinaryScenario, ConfusionScenario, JointScenario, MetricScenario, Scenario
from ropewalk.planning.study import Study, of_result, of_scenario
from ropewalk.results import Comparison, Recipe
from ropewalk.results.options import PlanningOptions
from ropewalk.results.planning import Design
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import brief, did_you_mean, reason, told

MAX_ITEMS: Final = 10**9
_MAX_SIZES: Final = 10_000
MAX_SIMULATIONS: Final = 10_000_000
MIN_DRAWS: Final = 100
MAX_DRAWS: Final = 10_000_000
_MAX_LETTERS: Final = 300  # of a sentence
EXAMPLE: Final = "F1 .60 against .50 at agreement .7"
_NUMBER: Final = r"([-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*%?)"
_SENTENCE: Final = re.compile(
    rf"\s*(?P<metric>[a-z][a-z_ 0-9]*?(?:\([^)]*\))?)\s*(?:of\s+|=\s*|:\s*)?{_NUMBER}\s*"
    rf"(?:against|versus|vs\.?|v\.?|and|to|over|,)\s*{_NUMBER}(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_EXTRA: Final = re.compile(
    rf"[\s,;]*(?:(?:at|with|and|an?|the|of)\s+)*(?:"
    rf"(?P<what>agreement|prevalence)\s*(?:of|=|:)?\s*{_NUMBER}|(?P<classes>\d+)\s+(?:classes|labels))",
    re.IGNORECASE,
)
_FORMS: Final[dict[str, tuple[type, tuple[str, ...], tuple[str, ...]]]] = {
    "positive and negative": (BinaryScenario, ("positive", "negative"), ("prevalence", "names")),
    "a, b and metric": (MetricScenario, ("metric", "a", "b"), ("agreement", "prevalence", "n_classes", "names")),
    "confusion_a and confusion_b": (
        ConfusionScenario, ("confusion_a", "confusion_b"), ("agreement", "prevalence", "labels", "names"),
    ),
    "joint": (JointScenario, ("joint",), ("labels", "names")),
}  # fmt: skip
_FIELD_OF_KEY: Final = {"confusion_a": "a", "confusion_b": "b", "joint": "table"}
_OF_A_RESULT: Final = ("metric", "model", "pos_label", "classes", "cost_matrix")


@dataclass(frozen=True, slots=True, eq=False)
class Posed:
    """A study and its design; a scenario can be tilted, a posterior cannot."""

    study: Study
    design: Design
    scenario: Scenario | None

    def tilted(self, share: float) -> Study:
        """Return the same study of a truth on the line through the scenario: 0 is no difference, 1 the scenario."""
        assert self.scenario is not None  # noqa: S101 - checked where it is asked for
        joint = self.scenario.joint.tilted(share)
        return of_scenario(joint, self.study.recipe, draws=self.study.draws)


def pose(scenario: Any, *, more: bool = False, possible: bool = True, **options: Unpack[PlanningOptions]) -> Posed:
    """Check the options and make a study of them; where it must be `possible`, refuse goals that cannot be reached."""
    goal, draws = parse_goal(options["goal"]), options["draws"]
    seed = check_seed(options.get("rng"), options.get("random_state"))
    number = check_whole(draws, "draws", MIN_DRAWS, MAX_DRAWS)
    stated: dict[str, Any] = {name: options.get(name) for name in ("rope", "margin")}
    stated["goal"] = parse_margin_goal(options["goal"])
    prob, rule = options.get("prob"), options.get("rule")
    question: dict[str, Any] = {name: options.get(name) for name in _OF_A_RESULT}
    if isinstance(scenario, Comparison):
        scenario.require_data("planned")
        for name, value in question.items():
            if value is not None:
                raise InvalidInputError(
                    f"A result has its {name} already: leave " + argument(name) + " out.",
                    hint="compare again to ask otherwise.",
                )
        again = ask_again(scenario.recipe, **stated, prob=prob, rule=rule)
        study = of_result(again, draws=number, seed=seed, more=more)
        here = Outlook.of_comparison(scenario, again)
        return Posed(study, replace(here, goal=goal, draws=number, seed=seed).design, None)
    truth = as_scenario(scenario)
    if question["metric"] is None and question["cost_matrix"] is None:
        question["metric"] = _metric_of(truth)
    joint = truth.joint
    question |= {name: value for name, value in (("prob", prob), ("rule", rule)) if value is not None}
    empty = Outcomes.empty(joint.labels, joint.names)
    recipe, usual = (
        write_recipe([table], default=default_model(separate=False), seed=seed, draws=number, **stated, **question)
        for table in (empty, joint.expected(MAX_ITEMS))
    )
    recipe = replace(recipe, model=usual.model)  # the prior may depend on how common classes are
    study = of_scenario(joint, recipe, draws=number)
    assert study.delta is not None  # noqa: S101
    if possible:
        check_goal(goal, study.delta, study.rope, higher_is_better=recipe.metric.higher_is_better)
    design = Design(
        recipe=recipe, goal=goal, truth=truth.text, delta=study.delta, names=joint.names, draws=number, seed=seed
    )
    return Posed(study, design, truth)


def _metric_of(scenario: Scenario) -> Any:
    """Return the metric that a scenario is about; None where it may be any."""
    if isinstance(scenario, JointScenario):
        table = scenario.table
        return "accuracy" if isinstance(table, Outcomes) and table.score is not None else None
    return scenario.metric if isinstance(scenario, MetricScenario) else None


def ask_again(recipe: Recipe, *, prob: Any = None, rule: Any = None, **stated: Any) -> Recipe:
    """Return the recipe with another ROPE (or goal and margin), mass or rule, where one is given."""
    interval = rope_of(stated, recipe.metric)
    if interval is None and prob is None and rule is None:
        return recipe
    return replace(
        recipe,
        rope=recipe.rope if interval is None else interval,
        prob=recipe.prob if prob is None else check_prob(prob),
        rule=recipe.rule if rule is None else choose(rule, RULES, "rule"),
    )


def as_scenario(scenario: Any) -> Scenario:
    """Return a scenario, whatever form it was given in."""
    if isinstance(scenario, Scenario):
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
    raise InvalidInputError(f"`scenario` cannot be a {kind} ({told(scenario)}).", hint=hint)


def from_words(text: str) -> MetricScenario:
    """Read a difference of a metric from a sentence.

    Examples
    --------
    >>> s = from_words("F1 .60 against .50 at agreement .7 and prevalence 20%")
    >>> s.metric, s.a, s.b, s.agreement, s.prevalence
    ('f1', 0.6, 0.5, 0.7, 0.2)
    """
    match = _SENTENCE.fullmatch(text) if len(text) <= _MAX_LETTERS else None
    if match is None:
        raise InvalidInputError(f"Cannot read the scenario {brief(text)!r}.", hint=f"say it as {EXAMPLE!r}.")
    values: dict[str, Any] = {
        "metric": re.sub(r"\s+", "_", match["metric"].strip().lower()),
        "a": _number(match[2]),
        "b": _number(match[3]),
    }
    rest, end = match["rest"].strip(), 0
    while end < len(rest):
        aside = _EXTRA.match(rest, end)
        if aside is None:
            raise InvalidInputError(
                f"Cannot read {brief(rest[end:].strip())!r} in the scenario {brief(text)!r}.",
                hint=f"say it as {EXAMPLE!r}; also 'prevalence .2' or '10 classes'.",
            )
        name = "n_classes" if aside["classes"] else aside["what"].lower()
        if name in values:
            raise InvalidInputError(f"The scenario {brief(text)!r} says its {name} twice.", hint="say it once.")
        values[name] = int(aside["classes"]) if aside["classes"] else _number(aside[2])
        end = aside.end()
        if not rest[end:].strip(" .;,"):
            break
    return MetricScenario(**values)


def _number(text: str) -> float:
    text = text.strip()
    if text.endswith("%"):
        return round(float(text[:-1]) / 100, 12)
    return float(text)


def from_mapping(scenario: Any) -> Scenario:
    """Make a scenario from the object of a JSON file, or one like it.

    Examples
    --------
    >>> from_mapping({"prevalence": 0.5, "positive": [0.3, 0.3, 0.2, 0.2], "negative": [0.2, 0.2, 0.3, 0.3]}).prevalence
    0.5
    """
    if isinstance(scenario, str):
        return from_words(scenario)
    if not isinstance(scenario, Mapping):
        raise FileFormatError("A scenario is a JSON object.", hint=_hint())
    values = {key: value for key, value in scenario.items() if key != "schema"}
    inner = values.get("scenario")
    if set(values) == {"scenario"} and not (isinstance(inner, Mapping) and "scenario" in inner):
        return from_mapping(inner)
    if "delta" in values and "schema" in scenario:
        raise FileFormatError(
            "This object is no scenario but an answer.",
            hint="the command line takes one by --from; Python a Comparison.",
        )
    for kind, needed, also in _FORMS.values():
        if all(key in values for key in needed):
            known = (*needed, *also)
            for key in values:
                if key not in known:
                    raise FileFormatError(
                        f"A scenario with {', '.join(needed)} has no {key!r}.",
                        hint=did_you_mean(key, known) + f"It may hold: {', '.join(known)}.",
                    )
            made: Scenario = kind(**{_FIELD_OF_KEY.get(key, key): value for key, value in values.items()})
            return made
    raise FileFormatError(
        f"This object is no scenario: it has {', '.join(map(repr, values)) or 'no keys'}.", hint=_hint()
    )


def from_json(text: str) -> Scenario:
    """Read a scenario from JSON."""
    try:
        return from_mapping(parse_json(text))
    except ValueError as error:
        if isinstance(error, RopewalkError):
            raise
        raise FileFormatError(f"This is no JSON: {reason(error)}.", hint=_hint()) from error


def _hint() -> str:
    return f"a scenario has {'; or '.join(_FORMS)}; or it is a sentence: {EXAMPLE!r}."


def check_sizes(n: Any, name: str = "n", what: str = "items") -> tuple[int, ...]:
    """Return numbers of items, or of what else, in the order given."""
    sizes = [n] if is_whole(n) else None if isinstance(n, str | bytes | bytearray) else read_some(n, _MAX_SIZES)
    hint = wording("n=[500, 1000]") if name == "n" else wording("runs=[3, 5, 10]")
    if sizes is None:
        raise InvalidInputError(
            argument(name) + f" must be a number of {what}, or a list of them; got {told(n)}.", hint=hint
        )
    numbers = tuple(check_whole(size, name, 1, MAX_ITEMS) for size in sizes)
    if not numbers:
        raise InvalidInputError(argument(name) + f" is empty; name at least one number of {what}.", hint=hint)
    if len(set(numbers)) < len(numbers):
        raise InvalidInputError(
            f"Each number of {what} is simulated once; "
            + argument(name)
            + f" repeats one of {brief(str(list(numbers)))}.",
            hint="leave the second one out.",
        )
    return numbers
