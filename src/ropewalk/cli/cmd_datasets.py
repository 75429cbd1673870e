"""`ropewalk datasets`: learning algorithms over many data sets, or over the folds of one."""

from __future__ import annotations

from typing import Annotated, Any, Final

import ropewalk as rw
from ropewalk.cli.output import ADVANCED, DATA, QUESTION, OutputOptions, answer
from ropewalk.cli.reading import FileOption, as_file, require_columns_of
from ropewalk.data.score_table import read_score_table
from ropewalk.errors import InvalidInputError
from ropewalk.inference.dataset_folds import folds_per_pass
from ropewalk.inference.question import select
from ropewalk.results.options import DatasetsOptions, DatasetsRankOptions, FoldsOptions
from ropewalk.results.parsing import parse_texts


class Columns(FileOption, total=False):
    """A table of scores, and its columns."""

    dataset: Annotated[str, DATA(help="Column of data sets; without it all rows are folds of one.")]
    fold: Annotated[str, DATA(help="Column of folds, where there is a row for each.")]
    repeat: Annotated[str, DATA(help="Column of repeats of the folds.")]
    a: Annotated[str, DATA(help="Column of A's scores.")]
    b: Annotated[str, DATA(help="Column of B's scores.")]
    scores: Annotated[list[str], DATA(help="Columns to rank instead, separated by commas.", parse=parse_texts)]


EXAMPLES: Final = (
    "results.csv --dataset data --a new --b old --rope 1%",
    "folds.csv --dataset data --fold k --a new --b old --rope 1%",
    "results.csv --dataset data --scores new,old,base --rope 1%",
)


class Options(Columns, DatasetsRankOptions, OutputOptions, total=False):
    """What `ropewalk datasets` takes."""

    lower_is_better: Annotated[bool, QUESTION(help="Whether less is better.", parse=bool)]
    n_train: Annotated[float, ADVANCED(help="Of random splits of one data set: items trained on.", parse=float)]
    n_test: Annotated[float, ADVANCED(help="Of random splits of one data set: items tested.", parse=float)]


_OF_SPLITS: Final = ("n_train", "n_test")
_OF_DATASETS: Final = ("by", "model", "population", "tau_prior", "tests")


def run(options: Options) -> None:
    """Compare or rank algorithms over data sets."""
    ranks = "scores" in options
    if ranks and ("a" in options or "b" in options):
        raise InvalidInputError("--scores ranks many, --a and --b name two.", hint="give either.")
    places: dict[str, Any] = {name: options[name] for name in ("dataset", "fold", "repeat") if name in options}
    require_columns_of(options, (*places, "scores") if ranks else (*places, "a", "b"))
    with as_file(options["file"]) as file:
        if "dataset" not in options:
            _of_one(options, file)
            return
        _refuse(options, _OF_SPLITS, "the folds of one data set; --rho says how folds correlate")
        if ranks:
            answer(
                options,
                rw.rank_datasets,
                file,
                **places,
                scores=options["scores"],
                **_asked(options, DatasetsRankOptions),
            )
        else:
            _refuse(options, ("by",), "three or more, named by --scores")
            both = {"a": options["a"], "b": options["b"]}
            answer(options, rw.compare_datasets, file, **places, **both, **_asked(options, DatasetsOptions))


def _of_one(options: Options, file: Any) -> None:
    """Compare two algorithms by the folds of one data set."""
    if "scores" in options:
        raise InvalidInputError("--scores needs --dataset: which rows belong together?", hint="name its column.")
    _refuse(options, _OF_DATASETS, "many data sets")
    names = (options["a"], options["b"])
    table = read_score_table(file, dataset=None, scores=names, fold=options.get("fold"), repeat=options.get("repeat"))
    how: dict[str, Any] = {name: options[name] for name in (*_OF_SPLITS, "rho") if name in options}
    if not how:
        if table.fold is None:
            raise InvalidInputError(
                "Without --dataset the rows are folds of one, and how these overlap is not said.",
                hint="--dataset names the column of data sets; --fold that of folds; or --n-train and --n-test.",
            )
        folds = folds_per_pass(table, table.groups()[0])
        how = {"folds": folds, "repeats": max(len(table.values) // folds, 1)}
    answer(options, rw.compare_folds, *table.values.T, **how, names=names, **_asked(options, FoldsOptions))


def _asked(options: Options, kind: type) -> dict[str, Any]:
    """Return what is asked, beside the data."""
    question = {name: value for name, value in select(options, kind).items() if name not in Columns.__annotations__}
    if "lower_is_better" in options:
        question["higher_is_better"] = False
    return question


def _refuse(options: Options, names: tuple[str, ...], about: str) -> None:
    """Refuse options that have no say here."""
    for name in names:
        if name in options:
            raise InvalidInputError(
                f"--{name.replace('_', '-')} does not go with this question.", hint=f"it is about {about}."
            )
