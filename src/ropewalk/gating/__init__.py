"""May a candidate replace its base line? Requirements, the data that meet them or not, and an exit code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Unpack

from ropewalk._checks import check_seed, check_threads, checked_keywords, choose, publish
from ropewalk._progress import shown
from ropewalk.gating.asking import checks_of
from ropewalk.gating.requirements import read_requirements
from ropewalk.gating.saved import SavedBaseline, check_same_question, pair_with_saved
from ropewalk.inference.outcomes import check_direction
from ropewalk.inference.question import metrics_of
from ropewalk.results.gates import Check, Gate, OnUndecided, Requirement
from ropewalk.results.options import GateOptions
from ropewalk.results.self_check import SelfCheck
from ropewalk.text.remarks import Remark

__all__ = ["Check", "Gate", "Requirement", "gate", "read_requirements"]

_ON_UNDECIDED: Final[dict[str, OnUndecided]] = {"fail": "fail", "warn": "warn", "pass": "pass"}
_OF_THE_GATE: Final = ("require", "margin", "on_undecided", "self_check")


@checked_keywords
def gate(
    *data: Any, a: str | None = None, b: str | None = None, baseline: Any = None, **options: Unpack[GateOptions]
) -> Gate:
    """Hold a candidate against its base line: requirements are met, contradicted, or undecided.

    The data are those of `compare`: A is the candidate and B the base line. A requirement is met where the whole HDI of
    the difference lies where it must, contradicted where it lies wholly elsewhere, and undecided otherwise: also where
    Monte Carlo error could decide, however many draws are taken, or where the model can bear no verdict.

    Parameters
    ----------
    *data, a, b
        Candidate and base line, in any form that `compare` takes.
    baseline
        A saved result in place of B: a file of JSON, its object, or an `Evaluation` or `Comparison`; `b` names the
        system, where it is about several. The data are then the candidate's alone, `a` the column of its
        predictions. It is refused where it answers another question.
    require
        "not-worse" (default), "better" or "equivalent"; or a list of such requirements, each with a metric, a margin
        and a task of its own where wanted: "f1 better 0.01", "recall not-worse 2% on each task", "better overall",
        ``{"metric": "f1", "require": "better", "margin": 0.01, "task": "sums"}``. All must be met.
    margin
        The size that counts, for requirements that state none: A is better by more than it, not worse by more than it,
        or no further than it from B. "better" has 0 by default.
    metric
        As in `compare`; several metrics are several requirements.
    on_undecided
        What an undecided gate does: "fail" (exit code 3), "warn" or "pass" (0).
    self_check
        Whether to simulate how often this gate would pass or fail wrongly, on data like these: `g.self_check`.
    task, over, weights
        Tasks, as in `compare`. A requirement is asked of each task, where it says nothing else; "overall", `over` and
        `weights` ask it of all tasks together.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> g = rw.gate(news.outcomes, a="nb_mult", b="svm_l2", require="not-worse", margin=0.02, rng=0)
    >>> g.outcome, g.exit_code
    ('met', 0)
    >>> g = rw.gate(news.outcomes, a="nb_mult", b="svm_l2", require=["accuracy better 0.02", "macro_f1 better"], rng=0)
    >>> [check.outcome for check in g]
    ['undecided', 'met']
    """
    on_undecided = choose(options["on_undecided"], _ON_UNDECIDED, "way to treat an undecided gate")
    metrics = metrics_of(options)
    requirements = read_requirements(options["require"], options.get("margin"), metrics)
    seed = check_seed(options.get("rng"), options.get("random_state"))
    asked = {name: value for name, value in options.items() if name not in _OF_THE_GATE}
    asked |= {"rng": seed, "random_state": None, "metric": None}
    with shown(options.get("progress")):
        asked["progress"] = None
        if baseline is None:
            check_direction(data, (a, b))
            pair = {"a": a, "b": b}
            checks = [check for one in requirements for check in checks_of(one, data, pair, asked)]
        else:
            saved = SavedBaseline.read(baseline, b)
            checks = [check for one in requirements for check in _against_saved(one, data, a, saved, asked)]
        checked = _self_check(checks, seed, options) if options["self_check"] else None
    remarks = dict.fromkeys(remark for check in checks for remark in check.comparison.remarks)
    return Gate(
        checks=tuple(checks), on_undecided=on_undecided, self_check=checked, remarks=tuple(remarks), asked_seed=seed
    )


def _against_saved(
    requirement: Requirement, data: Any, a: str | None, saved: SavedBaseline, options: Mapping[str, Any]
) -> list[Check]:
    """Hold a candidate against a base line that was measured before."""
    tables, how, remarks = pair_with_saved(data, a, saved, requirement.metric, options)
    recipe = saved.recipe_for(requirement.metric)
    checks = checks_of(replace(requirement, metric=recipe.metric.name), tables, {"a": None, "b": None}, how)
    for check in checks:
        check_same_question(check.comparison, recipe)
    return [replace(check, requirement=requirement, comparison=_with(check.comparison, remarks)) for check in checks]


def _with(comparison: Any, remarks: tuple[Remark, ...]) -> Any:
    return replace(comparison, remarks=(*comparison.remarks, *remarks))


def _self_check(checks: list[Check], seed: int, options: Mapping[str, Any]) -> SelfCheck:
    from ropewalk.gating.self_check import self_check  # which simulates, and few ask for it

    return self_check(checks, seed=seed, threads=check_threads(options["threads"]))


publish(globals())
