"""Compare two methods by several runs of each on the same items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_seed, check_threads, choose
from ropewalk._progress import shown
from ropewalk.data.columns import as_column, check_same_length, require_columns
from ropewalk.data.inputs import is_table
from ropewalk.data.labels import is_null
from ropewalk.data.records import records_of
from ropewalk.data.tally import Named, check_names
from ropewalk.errors import DataError, InvalidInputError, LengthMismatchError
from ropewalk.inference.answers import run_comparisons
from ropewalk.inference.opening import open_data
from ropewalk.inference.question import Question, kind_of_data, metrics_of, read_tables, select, write_recipe
from ropewalk.inference.runs import Fixed, RunsAsked, run_runs
from ropewalk.metrics.registry import Metric
from ropewalk.metrics.resolve import needs_truth
from ropewalk.models import Items
from ropewalk.models.runs import Components, Design, HalfNormal, check_spread
from ropewalk.models.several_runs import SeveralRuns
from ropewalk.results import Comparison, Recipe
from ropewalk.results.runs import RunsComparison, RunsSummary, scope_of_runs
from ropewalk.text.remarks import argument, issue, wording
from ropewalk.text.writing import count_of, told

DESIGNS: Final[dict[str, Design]] = {"independent": "independent", "shared": "shared", "samples": "samples"}
FIXED: Final[dict[str, Fixed]] = {"items": "items", "runs": "runs"}

_WORDS: Final = wording(
    'runs="independent": seeds of their own; runs="shared": the same seed, fold, prompt or reader for both; '
    'runs="samples": answers to each item by itself, as at a temperature.'
)
_BESIDE: Final = ("task", "over", "weights", "by", "pool", "flips", "tests", "count", "scores", "a_scores", "b_scores")
_OF_RUNS: Final = ("run", "run_sd", "deterministic", "fixed")
_READ_ALREADY: Final = ("runs", *_OF_RUNS, "names", "truth", "id", "cluster", "sample_weight")
_EARLY: Final = 10_000
_USAGE: Final = 'compare(y_true, preds_a, preds_b, runs="independent"), with predictions of runs × items.'


def _design(options: Mapping[str, Any]) -> Design:
    """Return how the runs of the two go together, which nothing but a word can say."""
    if options.get("runs") is not None:
        return choose(options["runs"], DESIGNS, "runs")
    for name in _OF_RUNS:
        if options.get(name) is not None:
            raise InvalidInputError(argument(name) + wording(" goes with `runs`."), hint=_WORDS)
    raise InvalidInputError(
        "The predictions are of several runs, and nothing says how the runs of the two go together.", hint=_WORDS
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Given:
    """Runs as arrays: the truth, or None, and the predictions of every run of A and of B."""

    truth: Any
    predictions: tuple[Sequence[Any], Sequence[Any]]
    names: tuple[str, str]
    beside: dict[str, Any]

    @property
    def n_runs(self) -> tuple[int, int]:
        return len(self.predictions[0]), len(self.predictions[1])


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
    design = _design(options)
    _refuse(options)
    options = {**options, "metric": metrics_of(options)[0]}
    seed = check_seed(options.get("rng"), options.get("random_state"))
    table = None
    if any(isinstance(each, Named) for each in data):
        raise InvalidInputError("Counts do not know which run a prediction is of.", hint=_USAGE)
    if is_table(data[0]) or (len(data) == 1 and isinstance(data[0], Mapping)):
        table = _LongTable.read(data, pair, options)
    with shown(options.get("progress")):
        if table is not None and design == "samples" and not table.is_complete:
            result = _samples(table.as_rows(), options, seed)
        else:
            given = _arrays(data, pair, options) if table is None else table.pivoted()
            asked = _asked(given, design, options)
            if design == "samples":
                result = _samples(_tiled(given), options, seed, asked=asked, given=given)
            else:
                result = _crossed(given, asked, options, seed)
    issue(result.remarks)
    return result


def _refuse(options: Mapping[str, Any]) -> None:
    """Refuse what answers about one run of each take, and these do not."""
    for name in _BESIDE:
        if options.get(name) is not None:
            raise InvalidInputError(argument(name) + " does not go with several runs.", hint="compare one run of each.")
    if options.get("engine") not in {None, "auto", "exact"}:
        raise InvalidInputError(
            "Several runs are drawn exactly, not by Markov chains.", hint=wording("leave engine= out.")
        )
    if len(metrics_of(options)) > 1:
        raise InvalidInputError("Runs are compared by one metric.", hint=wording("name one metric=."))


def _asked(given: _Given, design: Design, options: Mapping[str, Any]) -> RunsAsked:
    """Return how the runs are to be taken."""
    n_runs, names = given.n_runs, given.names
    if design == "shared" and n_runs[0] != n_runs[1]:
        raise DataError(
            f"Shared runs are those of both, and there are {n_runs[0]} and {n_runs[1]}.",
            hint=wording('runs="independent" if each has seeds of its own.'),
        )
    run_sd, fixed, steady = options.get("run_sd"), options.get("fixed"), options.get("deterministic")
    if run_sd is not None and not isinstance(run_sd, HalfNormal):
        run_sd = check_spread(run_sd, "run_sd", least=0.0)
    deterministic: tuple[int, ...] = ()
    if steady is not None:
        places = {"a": (0,), "b": (1,)} | {name: (k,) for k, name in enumerate(names)}
        deterministic = choose(steady, places, "deterministic")
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


# -- runs × items --------------------------------------------------------------------------------------------


def _crossed(given: _Given, asked: RunsAsked, options: Mapping[str, Any], seed: int) -> RunsComparison:
    return run_runs(_recipe_of_runs(given, options, seed), asked, threads=check_threads(options["threads"]))


def _recipe_of_runs(given: _Given, options: Mapping[str, Any], seed: int) -> Recipe:
    """Write the recipe of one joint table, a column per run: first those of A, then those of B."""
    columns = {
        f"{name}, run {i + 1}": values
        for name, runs in zip(given.names, given.predictions, strict=True)
        for i, values in enumerate(runs)
    }
    data = (columns,) if given.truth is None else (given.truth, columns)
    recipe = _recipe(data, given.beside, options, seed)
    systems = tuple(k for k, n in enumerate(given.n_runs) for _ in range(n))
    return replace(recipe, model=recipe.model.of_systems(systems))


def _recipe(data: Sequence[Any], beside: Mapping[str, Any], options: Mapping[str, Any], seed: int) -> Recipe:
    asked = {name: value for name, value in options.items() if name not in _READ_ALREADY} | dict(beside)
    opened, classifiers, named = open_data(data, None, asked)
    tables = read_tables(opened, classifiers, named, usage=_USAGE)
    recipe = write_recipe(tables, default=_items, seed=seed, **select(named, Question))
    if len(recipe.tables) > 1 or not recipe.model.paired:
        raise InvalidInputError(
            f"The model {recipe.model.name!r} takes every run to have items of its own, and these share theirs.",
            hint=wording("leave model= out."),
        )
    return recipe


def _items(n_labels: int, metric: Metric, multilabel: bool) -> Items:  # noqa: ARG001, FBT001
    """Weigh the items themselves: runs are many systems on the same items."""
    if multilabel:
        raise InvalidInputError(
            "Runs of items with any number of labels cannot be compared.",
            hint="compare one label at a time, or one run of each.",
        )
    return Items()


# -- samples -------------------------------------------------------------------------------------------------


def _tiled(given: _Given) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return a row per item and sample; where the numbers differ, the samples of each are repeated as often."""
    times = math.lcm(*given.n_runs)
    columns = [np.concatenate([np.asarray(runs[i % len(runs)]) for i in range(times)]) for runs in given.predictions]
    n_items = len(columns[0]) // times
    beside = {name: np.tile(np.asarray(value), times) for name, value in given.beside.items()}
    beside.setdefault("cluster", np.tile(np.arange(n_items), times))
    beside.pop("id", None)
    truth = () if given.truth is None else (np.tile(np.asarray(given.truth), times),)
    return (*truth, dict(zip(given.names, columns, strict=True))), beside


def _samples(
    rows: tuple[tuple[Any, ...], dict[str, Any]],
    options: Mapping[str, Any],
    seed: int,
    *,
    asked: RunsAsked | None = None,
    given: _Given | None = None,
) -> RunsComparison:
    """Compare samples: items are weighed, and the answers to an item share its weight."""
    data, beside = rows
    recipe = _recipe(data, beside, options, seed)
    n_items = len(np.unique(np.asarray(beside["cluster"])))
    clustered = given is not None and "cluster" in given.beside
    answer = run_comparisons([replace(recipe, repeated=True)], threads=check_threads(options["threads"]))
    parts: Components | None = None
    observed: tuple[tuple[float, ...], tuple[float, ...]] = ((), ())
    if asked is not None and given is not None and min(given.n_runs) > 1:
        early = _recipe_of_runs(given, {**options, "draws": _EARLY, "rope": None, "goal": None, "margin": None}, seed)
        alone = run_runs(early, asked)
        parts, observed = alone.components, alone.runs.observed
    recipe = answer.recipe
    known = {field.name: getattr(answer, field.name) for field in fields(Comparison)}
    known |= {"recipe": replace(recipe, n_items=n_items, model=SeveralRuns(inner=recipe.model, design="samples"))}
    known |= {"more": None}
    return RunsComparison(
        **known,
        about=scope_of_runs(recipe.metric.name, design="samples", fixed=None, clustered=clustered),
        runs=RunsSummary(design="samples", observed=observed, sd_median=(), df=(), included=False),
        components=parts,
    )


# -- reading -------------------------------------------------------------------------------------------------


def _arrays(data: Sequence[Any], pair: tuple[Any, Any], options: Mapping[str, Any]) -> _Given:
    """Return runs that were given as arrays."""
    if any(name is not None for name in pair):
        raise InvalidInputError("Arrays have no columns to name.", hint=wording("call the methods by names=."))
    has_truth = len(data) == 3  # noqa: PLR2004
    if len(data) not in {2, 3}:
        raise InvalidInputError(f"Runs are given as arrays; got {count_of(len(data), 'argument')}.", hint=_USAGE)
    names: Any = check_names(options.get("names"), 2)
    first, second = (_rows(each, name) for each, name in zip(data[-2:], names, strict=True))
    sizes = {len(run) for run in (*first, *second)}
    if len(sizes) > 1:
        raise LengthMismatchError(
            f"Runs differ in their items: they have from {min(sizes):,} to {max(sizes):,}.",
            hint=wording(
                'every run needs the same items in the same order; a table with id=, runs="samples" may differ.'
            ),
        )
    beside = {name: options[name] for name in ("cluster", "sample_weight", "id") if options.get(name) is not None}
    return _Given(truth=data[0] if has_truth else None, predictions=(first, second), names=names, beside=beside)


def _rows(predictions: Any, name: str) -> Sequence[Any]:
    """Return the runs of one method: rows of an array, or arrays in a list; one array is one run."""
    if isinstance(predictions, Mapping):
        predictions = list(predictions.values())
    if not isinstance(predictions, list | tuple) and not hasattr(predictions, "shape"):
        raise InvalidInputError(f"The runs of {name} cannot be {told(predictions)}.", hint=_USAGE)
    if isinstance(predictions, list | tuple) and predictions and np.ndim(predictions[0]) >= 1:
        runs = list(predictions)
    else:
        array = np.asarray(predictions)
        runs = [predictions] if array.ndim == 1 else list(array) if array.ndim else []
    if not runs:
        raise DataError(f"{name} has no runs.", hint=_USAGE)
    return runs


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _LongTable:
    """Columns of a table with a row per item and run."""

    names: tuple[str, str]
    columns: dict[str, Any]
    called: dict[str, str]

    @classmethod
    def read(cls, data: Sequence[Any], pair: tuple[Any, Any], options: Mapping[str, Any]) -> _LongTable:
        """Read the columns that the options name."""
        parts = {name: options.get(name) for name in ("id", "run", "truth", "cluster", "sample_weight")}
        called = {
            name: column for name, column in (*parts.items(), ("a", pair[0]), ("b", pair[1])) if column is not None
        }
        needed = ["id", "a", "b"] if options["runs"] == "samples" else ["id", "run", "a", "b"]
        if all(map(needs_truth, metrics_of(options))) and "accuracy" not in metrics_of(options):
            needed.append("truth")
        if absent := [name for name in needed if name not in called]:
            raise InvalidInputError(
                argument(absent[0]) + " is not given, and a table of runs needs it.",
                hint=wording("a table has a row per item, id=, and run, run=; of samples id= alone will do."),
            )
        for name, column in called.items():
            if not isinstance(column, str):
                raise InvalidInputError(argument(name) + f" names a column; got {told(column)}.", hint=_USAGE)
        wanted, numbers = list(called.values()), set()
        if kind_of_data(options) == "scores":
            numbers = {called["a"], called["b"]}
        if "sample_weight" in called:
            numbers.add(called["sample_weight"])
        if isinstance(data[0], Mapping):
            require_columns(list(data[0]), wanted)
            found = {name: as_column(data[0][column], column, "values", _USAGE) for name, column in called.items()}
            check_same_length(found)
        else:
            arrays = records_of(data[0]).arrays(wanted, numbers=numbers)
            found = dict(zip(called, arrays, strict=True))
        if not len(found["a"]):
            raise DataError("The table has no rows.", hint="is this the right file?")
        names: Any = check_names([called["a"], called["b"]], 2)
        return cls(names=names, columns={name: _cells(column) for name, column in found.items()}, called=called)

    @property
    def is_complete(self) -> bool:
        """Whether there is a column of runs, and every run has every item once."""
        if "run" not in self.columns:
            return False
        cells = set(zip(self.columns["id"], self.columns["run"], strict=True))
        n_cells = len(set(self.columns["id"])) * len(set(self.columns["run"]))
        return len(cells) == n_cells == len(self.columns["id"])

    def pivoted(self) -> _Given:
        """Return a row of predictions per run; every run must have every item once."""
        items, item = _coded(self.columns["id"])
        runs, run = _coded(self.columns["run"])
        place = np.full((len(runs), len(items)), -1, dtype=np.int64)
        place[run, item] = np.arange(len(item))
        if len(item) > place.size or len({*zip(run.tolist(), item.tolist(), strict=True)}) < len(item):
            raise DataError(
                f"An item occurs twice in a run, by {self.called['id']!r} and {self.called['run']!r}.",
                hint=wording('answers of which there are several per item are runs="samples".'),
            )
        if (place < 0).any():
            short = int((place < 0).any(axis=1).argmax())
            lacking = count_of(int((place[short] < 0).sum()), "item")
            raise DataError(
                f"Run {told(runs[short])} lacks {lacking} of {len(items):,}: runs must have the same items.",
                hint="leave these items out of all runs, or find out why they are missing.",
            )
        taken: dict[str, Any] = {
            name: [[self.columns[name][row] for row in rows] for rows in place.tolist()]
            for name in ("a", "b", "truth", "cluster", "sample_weight")
            if name in self.columns
        }
        for name in ("truth", "cluster", "sample_weight"):
            if name in taken and any(rows != taken[name][0] for rows in taken[name][1:]):
                raise DataError(
                    f"Column {self.called[name]!r} differs between runs of one item.",
                    hint="an item has one of it, whatever the run.",
                )
        beside: dict[str, Any] = {name: taken[name][0] for name in ("cluster", "sample_weight") if name in taken}
        truth = taken["truth"][0] if "truth" in taken else None
        first, second = (_present(taken[name], self.called[name]) for name in ("a", "b"))
        return _Given(truth=truth, predictions=(first, second), names=self.names, beside=beside)

    def as_rows(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the rows as they are, an item's weight split over its answers."""
        _, item = _coded(self.columns["id"])
        counts = np.bincount(item)
        beside: dict[str, Any] = {"cluster": self.columns.get("cluster", item)}
        if counts.min() < counts.max() or "sample_weight" in self.columns:
            weight = np.asarray(self.columns.get("sample_weight", np.ones(len(item))), dtype=np.float64)
            beside["sample_weight"] = weight / counts[item]
        truth = (self.columns["truth"],) if "truth" in self.columns else ()
        return (*truth, dict(zip(self.names, (self.columns["a"], self.columns["b"]), strict=True))), beside


def _cells(column: Any) -> list[Any]:
    return column.tolist() if isinstance(column, np.ndarray) else list(column)


def _coded(column: Sequence[Any]) -> tuple[list[Any], np.ndarray]:
    """Return the different values of a column in the order of their first row, and which of them each row has."""
    places: dict[Any, int] = {}
    codes = np.array([places.setdefault(value, len(places)) for value in column], dtype=np.int64)
    if any(is_null(value) or value == "" for value in places):
        raise DataError("An id or a run is missing in some row.", hint="fill it in, or leave the row out.")
    return list(places), codes


def _present(rows: list[list[Any]], column: str) -> list[list[Any]]:
    """Return the runs that a method has: one without any prediction is none."""
    found = [row for row in rows if not all(is_null(cell) or cell == "" for cell in row)]
    if not found:
        raise DataError(f"Column {column!r} is empty.", hint="is it the right one?")
    return found
