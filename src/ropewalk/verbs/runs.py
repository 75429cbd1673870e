"""Ask about methods by several runs of each on the same items: `compare`, `evaluate` and `rank` with ``runs=``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

from ropewalk._checks import check_seed, check_tests, check_threads, choose
from ropewalk._progress import shown
from ropewalk.classical.readers import over_readers
from ropewalk.data.inputs import Kind, has_logs
from ropewalk.data.runs import BESIDE, Rows, Runs, RunTable, is_run_table, runs_of_arrays
from ropewalk.data.runs import USAGE as _USAGE
from ropewalk.data.scores import ItemScores
from ropewalk.data.tally import Named
from ropewalk.errors import DataError, InvalidInputError
from ropewalk.inference.answers import run_comparisons, run_evaluation
from ropewalk.inference.methods import evaluate_method, rank_methods, run_runs
from ropewalk.inference.opening import open_data
from ropewalk.inference.question import check_distinct, check_pool, kind_of_data, metrics_of, read_tables, write_recipes
from ropewalk.inference.ranking import run_ranking
from ropewalk.inference.runs import Fixed, RunsAsked, draw_runs
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.resolve import needs_truth
from ropewalk.metrics.scores import is_roc_auc
from ropewalk.models import Items
from ropewalk.models.runs import Components, Design, HalfNormal, check_spread
from ropewalk.models.several_runs import SeveralRuns
from ropewalk.results import Comparison, MetricPosterior, Ranking, Recipe
from ropewalk.results.classical import Battery
from ropewalk.results.options import SeveralRunsOptions, options_of
from ropewalk.results.runs import RunsComparison, RunsEvaluation, RunsPosterior, RunsRanking, RunsSummary, scope_of_runs
from ropewalk.text.remarks import argument, issue, wording

DESIGNS: Final[dict[str, Design]] = {"independent": "independent", "shared": "shared", "samples": "samples"}
FIXED: Final[dict[str, Fixed]] = {"items": "items", "runs": "runs"}

_WORDS: Final = wording(
    'runs="independent": seeds of their own; runs="shared": the same seed, fold, prompt or reader for both; '
    'runs="samples": answers to each item by itself, as at a temperature.'
)
_ALONE: Final = {
    "flips": "which answers changed differs from run to run",
    "by": "runs within slices have no model yet; ask about each slice by itself",
    "task": "runs within tasks have no model yet; ask about each task by itself",
    "over": "runs within tasks have no model yet; ask about each task by itself",
    "weights": "runs within tasks have no model yet; ask about each task by itself",
    "count": "runs are given item by item",
    "scores": "runs are of labels, or of scores",
    "a_scores": "runs are of labels, or of scores",
    "b_scores": "runs are of labels, or of scores",
}
"""What does not go with several runs, and why."""

_READ_ALREADY: Final = (*options_of(SeveralRunsOptions), "names", "truth", "id", "cluster", "sample_weight")
_EARLY: Final = 10_000


def _design(options: Mapping[str, Any]) -> Design:
    """Return how the runs of systems go together, which nothing but a word can say."""
    if options.get("runs") is not None:
        return choose(options["runs"], DESIGNS, "runs")
    for name in options_of(SeveralRunsOptions):
        if options.get(name) is not None:
            raise InvalidInputError(argument(name) + wording(" goes with `runs`."), hint=_WORDS)
    raise InvalidInputError(
        "The predictions are of several runs, and nothing says how the runs of the two go together.", hint=_WORDS
    )


def compare_runs(data: Sequence[Any], pair: tuple[Any, Any], options: Mapping[str, Any]) -> RunsComparison:
    """Compare two methods: the expected difference of a run, over runs and items.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=300)
    >>> a, b = (np.where(rng.random((3, 300)) < share, truth, 1 - truth) for share in (0.9, 0.8))
    >>> asked = {"runs": "independent", "metric": "accuracy", "rope": 0.01, "rng": 0, "draws": 2_000}
    >>> import ropewalk as rw
    >>> r = rw.compare(truth, a, b, **asked)
    >>> r.runs.a, r.runs.b, r.scope.random
    (3, 3, ('items', 'runs'))
    """
    if options.get("pool") is not None:
        raise InvalidInputError(argument("pool") + " does not go with several runs.", hint="compare one run of each.")
    whole = _Runs.read(data, pair, options)
    with shown(options.get("progress")):
        recipes = whole.recipes_of_samples() if whole.crossed is None else whole.recipes()
        tests = whole.tests(recipes)
        metrics: list[Any]
        if whole.crossed is not None:
            found = run_runs(recipes, whole.crossed, threads=whole.threads).metrics
            metrics = [replace(one, tests=test, others=()) for one, test in zip(found, tests, strict=True)]
        else:
            answer = run_comparisons(recipes, threads=whole.threads)
            metrics = [
                RunsComparison(
                    **_fields(one, Comparison) | whole.told_of_samples(i, one.recipe) | {"others": (), "more": None}
                )
                for i, one in enumerate(answer.metrics)
            ]
        result: RunsComparison = replace(metrics[0], others=tuple(metrics[1:]))
    issue(dict.fromkeys(remark for one in result.metrics for remark in one.remarks))
    return result


def evaluate_runs(
    data: Sequence[Any], name: str | None, options: Mapping[str, Any], bar: float | None
) -> RunsEvaluation:
    """Evaluate one method: what a run is expected to score, over runs and items.

    Examples
    --------
    >>> import numpy as np
    >>> import ropewalk as rw
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=300)
    >>> runs = np.where(rng.random((3, 300)) < 0.9, truth, 1 - truth)
    >>> e = rw.evaluate(truth, runs, runs="independent", metric="accuracy", at_least=0.85, rng=0, draws=2_000)
    >>> e.runs.n_runs, e.scope.random
    ((3,), ('items', 'runs'))
    """
    if len(data) == 2 and isinstance(data[1], str) and name is None and is_run_table(data[:1]):  # noqa: PLR2004
        data, name = data[:1], data[1]
    whole = _Runs.read(data, (name,), options)
    with shown(options.get("progress")):
        if whole.crossed is not None:
            result = evaluate_method(whole.recipes(), whole.crossed, bar, threads=whole.threads)
        else:
            answer = run_evaluation(whole.recipes_of_samples(), bar, threads=whole.threads)
            metrics = [
                RunsPosterior(**_fields(m, MetricPosterior) | whole.told_of_samples(i, m.recipe) | {"more": None})
                for i, m in enumerate(answer.metrics)
            ]
            result = RunsEvaluation(name=answer.name, at_least=bar, metrics=tuple(metrics), remarks=answer.remarks)
    issue(result.remarks)
    return result


def rank_runs(data: Sequence[Any], columns: Any, options: Mapping[str, Any]) -> RunsRanking:
    """Rank methods: which is expected to have the best run, over runs and items.

    Examples
    --------
    >>> import numpy as np
    >>> import ropewalk as rw
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(2, size=300)
    >>> runs = {name: np.where(rng.random((3, 300)) < p, truth, 1 - truth) for name, p in (("a", 0.9), ("b", 0.8))}
    >>> r = rw.rank(truth, runs, runs="independent", metric="accuracy", rope=0.01, rng=0, draws=2_000)
    >>> [model.name for model in r.by_rank], r.runs.n_runs
    (['a', 'b'], (3, 3))
    """
    if is_run_table(data):
        if columns is None or isinstance(columns, str) or not isinstance(columns, Sequence):
            raise InvalidInputError(argument("predictions") + " must name the columns of the methods.", hint=_USAGE)
    else:
        data, columns, options = _by_name(data, columns, options)
    if len(columns) < 2:  # noqa: PLR2004
        raise InvalidInputError("A ranking needs at least two methods.", hint="`evaluate` looks at one.")
    whole = _Runs.read(data, columns, options)
    pool = check_pool(options.get("pool"), len(columns), default=True)
    with shown(options.get("progress")):
        if whole.crossed is not None:
            recipe = replace(whole.recipes()[0], pool=pool)
            result = rank_methods(recipe, whole.crossed, threads=whole.threads)
        else:
            recipe = replace(whole.recipes_of_samples()[0], pool=pool)
            answer = run_ranking(recipe, threads=whole.threads)
            told = whole.told_of_samples(0, answer.recipe)
            known = _fields(answer, Ranking) | {"pairwise": tuple(replace(p, more=None) for p in answer.pairwise)}
            result = RunsRanking(**known | told)
    issue(result.remarks)
    return result


def _by_name(
    data: Sequence[Any], columns: Any, options: Mapping[str, Any]
) -> tuple[Sequence[Any], Sequence[Any], Mapping[str, Any]]:
    """Return arrays of runs with the names that a mapping gives to methods, and no column for any."""
    if columns is not None:
        raise InvalidInputError("Arrays have no columns to name.", hint=wording("call the methods by names=."))
    if data and isinstance(data[-1], Mapping) and len(data) <= 2:  # noqa: PLR2004
        if options.get("names") is not None:
            raise InvalidInputError("The runs come with the names of their methods.", hint=wording("leave names= out."))
        options = {**options, "names": [str(name) for name in data[-1]]}
        data = (*data[:-1], *data[-1].values())
        return data, [None] * len(options["names"]), options
    has_truth = all(map(needs_truth, metrics_of(options)))
    return data, [None] * (len(data) - has_truth), options


def _fields(answer: Any, kind: type) -> dict[str, Any]:
    """Return what an answer holds, by name."""
    return {each.name: getattr(answer, each.name) for each in fields(kind)}


@dataclass(frozen=True, kw_only=True, eq=False)
class _Runs:
    """A question about the runs of methods: what was read, and how the runs are taken; answers in rows are no runs."""

    given: Runs | RunTable
    asked: RunsAsked | None
    options: Mapping[str, Any]
    seed: int

    @classmethod
    def read(cls, data: Sequence[Any], columns: Sequence[Any], options: Mapping[str, Any]) -> _Runs:
        """Read the runs of as many systems, which columns of a table hold, or arrays."""
        design = _design(options)
        _refuse(data, options)
        seed = check_seed(options.get("rng"), options.get("random_state"))
        given: Runs | RunTable = (
            _table(data, columns, options) if is_run_table(data) else _arrays(data, columns, options)
        )
        if isinstance(given, RunTable) and (design != "samples" or given.is_complete):
            given = given.pivoted()
        asked = None if isinstance(given, RunTable) else _asked(given, design, options)
        return cls(given=given, asked=asked, options=options, seed=seed)

    @property
    def crossed(self) -> RunsAsked | None:
        """How runs that all items share are to be taken; None of samples."""
        return None if self.asked is None or self.asked.design == "samples" else self.asked

    @property
    def threads(self) -> int:
        """How many threads draw."""
        return check_threads(self.options["threads"])

    def recipes(self, **changed: Any) -> list[Recipe]:
        """Write the recipes of one joint table, a column per run: first those of one system, then of the next."""
        assert isinstance(self.given, Runs)  # noqa: S101 - rows are samples
        recipes = self._written(self.given.as_columns(), {**self.options, **changed})
        systems = tuple(k for k, n in enumerate(self.given.n_runs) for _ in range(n))
        return [replace(recipe, model=recipe.model.of_systems(systems)) for recipe in recipes]

    def recipes_of_samples(self) -> list[Recipe]:
        """Write the recipes of a table with a row per answer: items are weighed, and their answers share the weight."""
        return [replace(recipe, repeated=True) for recipe in self._written(self.given.as_rows(), self.options)]

    def _written(self, rows: Rows, options: Mapping[str, Any]) -> list[Recipe]:
        data, beside = rows
        asked = {name: value for name, value in options.items() if name not in _READ_ALREADY} | dict(beside)
        opened, classifiers, named = open_data(data, None, asked)
        tables = read_tables(opened, classifiers, named, usage=_USAGE)
        kind: Kind = "scores" if isinstance(tables[0], ItemScores) else "labels"
        recipes = write_recipes({kind: tables}, named, default=_items, seed=self.seed)
        check_distinct(recipes)
        for recipe in recipes:
            if len(recipe.tables) > 1 or not recipe.model.paired:
                raise InvalidInputError(
                    f"The model {recipe.model.name!r} takes runs to have items of their own, and these share theirs.",
                    hint=wording("leave model= out."),
                )
        return recipes

    def tests(self, recipes: Sequence[Recipe]) -> list[Battery | None]:
        """Return the test over readers and items beside each AUC of shared runs; None where there is none."""
        wanted, reasons = check_tests(self.options.get("tests")), list[str]()
        found = [None if wanted is False else self._test(recipe, reasons) for recipe in recipes]
        if wanted and not any(found):
            raise InvalidInputError(f"The test of runs {reasons[0]}", hint=wording("leave tests= out."))
        return found

    def _test(self, recipe: Recipe, reasons: list[str]) -> Battery | None:
        """Return the test over readers and items, or None and the reason."""
        asked, items = self.asked, recipe.tables[0]
        is_area = isinstance(items, ItemScores) and is_roc_auc(recipe.metric)
        if asked is None or asked.design != "shared" or asked.fixed is not None or not is_area:
            reasons.append("is over shared runs and items, none of them fixed, by roc_auc.")
            return None
        try:
            test = over_readers(items, asked.names, prob=recipe.prob)  # type: ignore[arg-type]
        except DataError as error:
            reasons.append(f"has no answer here: {error.message}")
            return None
        return Battery(
            a=asked.names[0], b=asked.names[1], n_items=items.n_items, pos_label=recipe.pos_label,
            tests={"obuchowski_rockette": test}, data_hash=recipe.data_hash,
        )  # fmt: skip

    def told_of_samples(self, place: int, recipe: Recipe) -> dict[str, Any]:
        """Return what an answer by samples, to the question at this place, says of its scope and of its variance."""
        parts: Components | None = None
        observed: tuple[tuple[float, ...], ...] = tuple(() for _ in recipe.names)
        if self.asked is not None and min(self.asked.n_runs) > 1:
            alone = self.recipes(draws=_EARLY, rope=None, goal=None, margin=None)[place]
            (made,) = draw_runs([alone], self.asked, lambda _: True)
            parts, observed = made.components, made.summary().observed
        return {
            "recipe": replace(
                recipe, n_items=self.given.n_items, model=SeveralRuns(inner=recipe.model, design="samples")
            ),
            "about": scope_of_runs(
                recipe.metric.name,
                n_methods=len(recipe.names),
                design="samples",
                fixed=None,
                clustered=self.given.clustered,
            ),
            "runs": RunsSummary(
                design="samples", names=recipe.names, observed=observed, sd_median=(), df=(), included=False
            ),
            "components": parts,
        }


def _refuse(data: Sequence[Any], options: Mapping[str, Any]) -> None:
    """Refuse what answers about one run of each take, and these do not."""
    if has_logs(data):
        raise InvalidInputError(
            "The epochs of evaluation logs are answers to each item by itself, and are taken so without asking.",
            hint=wording("leave runs= out; logs of several seeds go into one table with `ropewalk convert`."),
        )
    if any(isinstance(each, Named) for each in data):
        raise InvalidInputError("Counts do not know which run a prediction is of.", hint=_USAGE)
    for name, reason in _ALONE.items():
        if options.get(name) is not None:
            text = " does not go with several runs: " + reason + "."
            raise InvalidInputError(argument(name) + text, hint="leave it out, or ask about one run of each.")
    if options.get("engine") not in {None, "auto", "exact"}:
        raise InvalidInputError(
            "Several runs are drawn exactly, not by Markov chains.", hint=wording("leave engine= out.")
        )


def _arrays(data: Sequence[Any], columns: Sequence[Any], options: Mapping[str, Any]) -> Runs:
    """Return runs that were given as arrays; a single method may be named."""
    names = options.get("names")
    if len(columns) == 1:
        names = names if columns[0] is None else list(columns)
    elif any(name is not None for name in columns):
        raise InvalidInputError("Arrays have no columns to name.", hint=wording("call the methods by names=."))
    beside = {name: options.get(name) for name in ("cluster", "sample_weight", "id")}
    has_truth = len(data) > len(columns)
    return runs_of_arrays(data, len(columns), has_truth=has_truth, names=names, beside=beside)


def _table(data: Sequence[Any], columns: Sequence[Any], options: Mapping[str, Any]) -> RunTable:
    """Read the columns that the options name."""
    if len(data) > 1:
        raise InvalidInputError("Runs stand in one table.", hint=_USAGE)
    roles = {name: options.get(name) for name in ("id", "run", *BESIDE)}
    needed = ["id"] if options.get("runs") == "samples" else ["id", "run"]
    if all(map(needs_truth, metrics_of(options))) and "accuracy" not in metrics_of(options):
        needed.append("truth")
    for name, column in zip(("a", "b") if len(columns) == 2 else ("prediction",) * len(columns), columns, strict=True):  # noqa: PLR2004
        if column is None:
            raise InvalidInputError(argument(name) + " is not given, and names a column of predictions.", hint=_USAGE)
    numeric = kind_of_data(options) == "scores"
    return RunTable.read(data[0], columns, roles, needed=needed, numeric=numeric)


def _asked(given: Runs, design: Design, options: Mapping[str, Any]) -> RunsAsked:
    """Return how the runs are to be taken."""
    n_runs, names = given.n_runs, given.names
    if design == "shared" and len(set(n_runs)) > 1:
        counts = " and ".join(map(str, n_runs)) if len(n_runs) == 2 else f"{min(n_runs)} to {max(n_runs)}"  # noqa: PLR2004
        raise DataError(
            f"Shared runs are those of all, and there are {counts}.",
            hint=wording('runs="independent" if each has seeds of its own.'),
        )
    run_sd, fixed, steady = options.get("run_sd"), options.get("fixed"), options.get("deterministic")
    if run_sd is not None and not isinstance(run_sd, HalfNormal):
        run_sd = check_spread(run_sd, "run_sd", least=0.0)
    deterministic: tuple[int, ...] = ()
    if steady is not None:
        places = {"a": 0, "b": 1} if len(names) == 2 else {}  # noqa: PLR2004
        places |= {name: k for k, name in enumerate(names)}
        called = list(steady) if isinstance(steady, list | tuple) else [steady]
        deterministic = tuple(dict.fromkeys(choose(name, places, "deterministic") for name in called))
        if design == "shared":
            raise InvalidInputError(
                argument("deterministic") + " is about independent runs.",
                hint=wording('runs="independent", with one run of what has no spread.'),
            )
    if design == "samples" and (run_sd is not None or fixed is not None or deterministic):
        raise InvalidInputError(
            "Samples have no spread of their own between runs, by design.",
            hint=wording('leave run_sd=, fixed= and deterministic= out, or runs="independent".'),
        )
    return RunsAsked(
        names=names,
        n_runs=n_runs,
        design=design,
        run_sd=run_sd,
        deterministic=deterministic,
        fixed=None if fixed is None else choose(fixed, FIXED, "fixed"),
    )


def _items(n_labels: int, metric: Metric, multilabel: bool) -> Items:  # noqa: ARG001, FBT001
    """Weigh the items themselves: runs are many systems on the same items."""
    if multilabel:
        raise InvalidInputError(
            "Runs of items with any number of labels cannot be compared.",
            hint="compare one label at a time, or one run of each.",
        )
    return Items()
