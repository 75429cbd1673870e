"""Read what is asked over several tasks: one recipe per task and metric, and what each task weighs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ropewalk._checks import check_seed, choose, is_real
from ropewalk._progress import shown
from ropewalk.data.inputs import has_logs, listed
from ropewalk.data.items import clusters_of, slices_of, values_of
from ropewalk.data.logs.pairing import Paired
from ropewalk.data.logs.systems import pair_data
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.draws.tasks import seeds_of
from ropewalk.errors import DataError, InvalidInputError, UnknownNameError
from ropewalk.inference.logs import are_of_chances, as_arrays, remarks_on
from ropewalk.inference.opening import remarks_in
from ropewalk.inference.question import Default, Opened, about_each, metrics_of, write_recipes
from ropewalk.inference.slices import classes_of
from ropewalk.inference.tasks import SuiteQuestion, check_alike, draw_tasks
from ropewalk.metrics.resolve import require_bounded
from ropewalk.models.population import MIN_UNITS
from ropewalk.models.suites import OVER, Over
from ropewalk.results import Recipe
from ropewalk.text.remarks import Remark, argument, warning, wording
from ropewalk.text.writing import count_of, did_you_mean, shorten, told

MAX_TASKS: Final = 2_000
"""More values than these name the items, and not their tasks."""

FEW_SHARED: Final = 0.05
"""With so few of the items in clusters that several tasks share, these hardly move together."""

Reader = Callable[[Sequence[Any], Any, Mapping[str, Any]], Opened]
"""What makes tables of data, the names of their systems, and options."""


E = TypeVar("E")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True, eq=False)
class Tasks:
    """One recipe per task and metric, what is to be said of each task, and of all of them."""

    recipes: Mapping[str, Sequence[Recipe]]
    remarks: Mapping[str, tuple[Remark, ...]]
    common: tuple[Remark, ...] = ()

    @property
    def items(self) -> dict[str, int]:
        """How many items each task has."""
        return {task: recipes[0].n_items for task, recipes in self.recipes.items()}


def tasks_of_table(opened: Opened, task: Any, seed: int, *, default: Default | None = None) -> Tasks:
    """Divide a table, or arrays, into tasks."""
    sources, options = opened
    if task is None:
        raise InvalidInputError("Which task is an item of?", hint=wording("task= names the column that says it."))
    if any(len(tables) > 1 for tables in sources.values()):
        raise InvalidInputError(
            "Separate test sets have no tasks in common.",
            hint="give the predictions of all on the same items, or rw.suite the comparisons on each task.",
        )
    if any(isinstance(tables[0], MultilabelOutcomes) for tables in sources.values()):
        raise DataError(
            "Items that have any number of labels cannot be divided into tasks.",
            hint="ask about each task; comparisons of two go together by rw.suite.",
        )
    wholes = write_recipes(sources, options, default=default, seed=seed)
    parts = {kind: slices_of(tables[0], task, name="task", most=MAX_TASKS) for kind, tables in sources.items()}
    for divided in parts.values():
        if lost := sum(divided[value].n_items for value in (None, "") if value in divided):
            raise DataError(f"{count_of(lost, 'item')} without a task.", hint="name the task of every item.")
    each = about_each(sources, options)
    texts = {value: str(value) for divided in parts.values() for value in divided}
    seeds = dict(zip(texts, seeds_of(list(texts.values()), seed), strict=True))
    recipes: dict[str, list[Recipe]] = {}
    for value, text in texts.items():
        if not all(divided[value].n_items for divided in parts.values()):
            continue
        own = []
        for (kind, about), whole in zip(each, wholes, strict=True):
            table = parts[kind][value]
            asked = {**about, "pos_label": whole.pos_label, "rope": whole.rope, "goal": None, "margin": None}
            asked |= classes_of(whole, table)
            try:
                own += write_recipes({kind: (table,)}, asked, default=default, seed=seeds[value])
            except DataError as error:
                raise DataError(f"On the task {text!r}: {error.message}", hint=error.hint) from error
        recipes[text] = own
    (first, *_) = (tables[0] for tables in sources.values())
    gone = {str(value) for value in values_of(first, task) if value is not None} - recipes.keys()
    clusters = clusters_of(first, task) if options.get("cluster") is not None else ()
    remarks = (*_lost(sorted(gone)), *_shared(clusters), *remarks_in(options))
    return Tasks(recipes=recipes, remarks={}, common=remarks)


def check_no_task(options: Mapping[str, Any]) -> None:
    """Refuse tasks that are named beside evaluation logs."""
    if options.get("task") is not None:
        raise InvalidInputError(
            "Evaluation logs say themselves which task an item is of.",
            hint=wording("leave task= out; read_log(…, task=…) picks one."),
        )


def tasks_of_logs(
    pairs: Sequence[Paired],
    data: Sequence[Any],
    options: Mapping[str, Any],
    seed: int,
    read: Reader,
    *,
    default: Default | None = None,
) -> Tasks:
    """Take the tasks of evaluation logs; `read` makes tables of the answers to one."""
    check_no_task(options)
    present = [paired.task for paired in pairs]
    recipes = {}
    for paired, own in zip(pairs, seeds_of(present, seed), strict=True):
        arrays, asked = as_arrays(paired, options)
        sources, named = read(arrays, [None] * len(paired.names), asked)
        recipes[paired.task] = write_recipes(sources, named, default=default, seed=own)
    check_alike({paired.task: (paired.score.name, recipes[paired.task][0]) for paired in pairs})
    gone = {one for log in listed(data) for one in log.tasks} - set(present)
    clusters = ((paired.task, row.cluster) for paired in pairs for row in paired.rows[0] if row.cluster is not None)
    return Tasks(
        recipes=recipes,
        remarks={paired.task: remarks_on(paired) for paired in pairs},
        common=(*_lost(sorted(gone)), *_shared(clusters)),
    )


def _lost(gone: Sequence[str]) -> tuple[Remark, ...]:
    """Say which tasks are left out, since no item of them has the answers of all."""
    if not gone:
        return ()
    return (warning("tasks_left_out", f"Left out, since no item has the answers of all: {shorten(gone, 12)}."),)


def _shared(items: Iterable[tuple[Any, Any]]) -> tuple[Remark, ...]:
    """Refuse clusters that hold items of several tasks, of which `items` are (task, cluster); a few are warned of."""
    tasks: dict[Any, set[Any]] = {}
    sizes: Counter[Any] = Counter()
    for task, cluster in items:
        tasks.setdefault(cluster, set()).add(task)
        sizes[cluster] += 1
    shared = [cluster for cluster, named in tasks.items() if len(named) > 1]
    if not shared:
        return ()
    share = sum(sizes[cluster] for cluster in shared) / sizes.total()
    text = f"{count_of(len(shared), 'cluster')} hold items of several tasks (first: {told(shared[0])})"
    if share <= FEW_SHARED:
        return (warning("shared_clusters", f"{text}; tasks are taken as independent all the same."),)
    raise DataError(
        f"{text}, so the tasks are not independent.",
        hint=wording(
            "leave task= out, and cluster= keeps them whole; by accuracy or a mean, sample_weight= of 1 by the number "
            "of items of a task lets tasks count alike."
        ),
    )


def check_number(tasks: Mapping[str, Any], over: Over) -> None:
    """Refuse too few tasks."""
    least = MIN_UNITS if over == "tasks" else 2
    if len(tasks) >= least:
        return
    if over == "tasks":
        raise DataError(
            f"How tasks differ takes at least {MIN_UNITS} of them; got {len(tasks)}.",
            hint=wording('over="these" asks about the average over these.'),
        )
    which = f": {shorten(tasks)}" if tasks else ""
    raise DataError(
        f"A suite takes at least two tasks; got {len(tasks)}{which}.", hint="ask about one task without naming it."
    )


def weights_of(weights: Any, over: Over, items: Mapping[str, int]) -> tuple[dict[str, float], bool]:
    """Return what each task weighs, in all 1, and whether some were asked for."""
    even = dict.fromkeys(items, 1 / len(items))
    if weights is None:
        return even, False
    if over == "tasks":
        raise InvalidInputError(
            "Tasks that stand for tasks like them have no weights: their precision says what each tells.",
            hint=wording('leave weights= out, or ask about the average, over="these".'),
        )
    if isinstance(weights, str) and weights == "items":
        return {task: n / sum(items.values()) for task, n in items.items()}, True
    if not isinstance(weights, Mapping):
        raise InvalidInputError(
            wording('`weights` must be "items", or a weight for each task; got {}.', told(weights)),
            hint=did_you_mean(weights, ["items"]) + wording("leave weights= out, and all tasks count alike."),
        )
    given = {str(task): weight for task, weight in weights.items()}
    for task in given:
        if task not in items:
            raise UnknownNameError(
                argument("weights") + f" names {told(task)}, which is no task: {shorten(items)}.",
                hint=did_you_mean(task, list(items)) + "Name those that there are.",
            )
    lacking = [task for task in items if task not in given]
    bad = [weight for weight in given.values() if not is_real(weight) or not 0 <= weight < math.inf]
    if lacking or bad or not any(given.values()):
        problem = f"lacks {shorten(lacking)}" if lacking else f"holds {told(bad[0])}" if bad else "holds zeros only"
        raise InvalidInputError(
            argument("weights") + f" {problem}.", hint="give every task a number that is not negative, not all 0."
        )
    shares = {task: float(given[task]) / max(given.values()) for task in items}
    total = math.fsum(shares.values())
    return {task: share / total for task, share in shares.items()}, True


def over_of(options: Mapping[str, Any]) -> Over:
    """Return over which tasks a question is."""
    asked = options.get("over")
    return choose("these" if asked is None else asked, OVER, "over")


# -- the whole question --------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Suite:
    """Tasks, and what is asked about all of them: one question per metric."""

    tasks: Tasks
    questions: tuple[SuiteQuestion, ...]

    @property
    def first(self) -> Recipe:
        """The question on one task."""
        return next(iter(self.tasks.recipes.values()))[0]

    @classmethod
    def read(
        cls,
        data: Sequence[Any],
        systems: Any,
        options: Mapping[str, Any],
        read: Reader,
        *,
        default: Default | None = None,
    ) -> Suite:
        """Read the tasks of data; `read` makes tables of data, of the systems that are named, and options."""
        over = over_of(options)
        seed = check_seed(options.get("rng"), options.get("random_state"))
        about_each = {**options, "task": None, "over": None, "weights": None}
        task = options.get("task")
        if has_logs(data):
            pairs = pair_data(data, systems, about_each, chances=are_of_chances(metrics_of(options)))
            tasks = tasks_of_logs(pairs, data, {**about_each, "task": task}, seed, read, default=default)
        else:
            tasks = tasks_of_table(read(data, systems, about_each), task, seed, default=default)
        check_number(tasks.recipes, over)
        weights, weighted = weights_of(options.get("weights"), over, tasks.items)
        first = next(iter(tasks.recipes.values()))
        for recipe in first if over == "tasks" else ():
            require_bounded(recipe.metric, "tasks have no population")
        questions = tuple(
            SuiteQuestion(
                over=over, question=recipe.question, weights=weights, weighted=weighted, draws=recipe.draws, seed=seed
            )
            for recipe in first
        )
        return cls(tasks=tasks, questions=questions)

    def answered(
        self,
        ask: Callable[[str, list[Recipe]], E],
        judge: Callable[[dict[str, E]], R],
        options: Mapping[str, Any],
        *,
        parts: str,
    ) -> R:
        """Ask on each task, and judge all of them, which have these `parts` with a decision each."""

        def settled(result: R) -> bool:
            return all(part.decision is None or part.decision.stable for part in getattr(result, parts))

        with shown(options.get("progress")):
            return draw_tasks(self.tasks.recipes, self.questions[0], ask, judge, settled)
