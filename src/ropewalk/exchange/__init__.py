"""Exchange with the ArviZ world: hand an answer out with all that is known of it, and decide on others' draws."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Unpack, overload

from ropewalk._checks import checked_keywords
from ropewalk.errors import FileFormatError, InvalidInputError
from ropewalk.exchange.foreign import ForeignOptions, judge_draws, material
from ropewalk.exchange.groups import Answer, contents
from ropewalk.exchange.picking import Pick, groups_of, names_in
from ropewalk.exchange.storage import as_arviz, is_ours, opened, restore, write
from ropewalk.results.foreign import ForeignComparison
from ropewalk.text.remarks import issue
from ropewalk.text.writing import shorten

__all__ = ["from_arviz", "from_netcdf", "to_arviz", "to_netcdf"]


@checked_keywords
def to_arviz(answer: Answer, *, draws: int | None = None) -> Any:
    """Return an answer as ArviZ knows it: an `InferenceData`, or from ArviZ 1 on xarray's `DataTree`.

    The groups are `posterior`, `prior`, `posterior_predictive`, `observed_data`, and `sample_stats` of Markov chains.
    `psi` is the metric (classifier), `delta` the difference of two, `mu` the shares of the classes and `recall`
    (classifier, class) what they say; of Markov chains all parameters are there. Draw i of one belongs to draw i of all
    others. `confusion` (classifier, truth, predicted) and `class_counts` are those observed, and those of up to 500
    data sets that are replicated from the posterior. The attributes say what was asked, and hold the whole answer as
    JSON; what was left out, and why, stands in `left_out`.

    Parameters
    ----------
    answer
        What `compare` or `rank` returned, or one metric of what `evaluate` did.
    draws
        The first so many, equally many of each chain; by default all, and then `mu` and `recall` only where they take
        at most 200 MB.

    Examples
    --------
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, draws=2_000, rng=0)
    >>> data = to_arviz(r)
    >>> data["posterior"]["recall"].dims
    ('chain', 'draw', 'classifier', 'class')
    >>> bool((data["posterior"]["delta"].values[0] == r.draws.delta()).all())
    True
    """
    return as_arviz(contents(answer, draws), "to_arviz()")


@checked_keywords
def to_netcdf(answer: Answer, path: str | os.PathLike[str], *, draws: int | None = None) -> None:
    """Write an answer to a netCDF file with the groups of `to_arviz`; `from_netcdf` and ArviZ read it."""
    write(path, contents(answer, draws))


@checked_keywords
def from_netcdf(path: str | os.PathLike[str]) -> Answer:
    """Read an answer that `to_netcdf` wrote: the same answer, draws and all.

    What can be made again from its recipe is made again and held against the draws in the file. Scores, clusters,
    models and metrics of your own have no recipe that a file could hold: a comparison of those is read from its draws
    alone, with the same interval and verdict.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ropewalk as rw
    >>> news = rw.examples.news20()
    >>> r = rw.compare(news.outcomes, a="nb_mult", b="svm_l2", pos_label=8, rope=0.05, draws=2_000, rng=0)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     r.to_netcdf(Path(folder) / "answer.nc")
    ...     again = rw.from_netcdf(Path(folder) / "answer.nc")
    >>> again.hdi == r.hdi, str(again) == str(r)
    (True, True)
    """
    if not isinstance(path, str | os.PathLike):
        raise InvalidInputError(
            f"`path` must be the path of a file; got {type(path).__name__}.", hint="give a str or a pathlib.Path."
        )
    with opened(path, "from_netcdf()") as groups:
        attrs = groups["/"].attrs
        if not is_ours(attrs):
            raise FileFormatError(
                f"{os.fspath(path)!r} holds no answer of ropewalk.",
                hint="from_arviz(path, a=…, b=…) decides on draws made elsewhere.",
            )
        return restore(groups, attrs)


@overload
def from_arviz(data: Any, *, a: Pick, b: Pick, **options: Unpack[ForeignOptions]) -> ForeignComparison: ...
@overload
def from_arviz(data: Any, *, delta: Pick, **options: Unpack[ForeignOptions]) -> ForeignComparison: ...
@overload
def from_arviz(data: Any) -> Answer: ...


@checked_keywords
def from_arviz(
    data: Any,
    *,
    a: Pick | None = None,
    b: Pick | None = None,
    delta: Pick | None = None,
    **options: Unpack[ForeignOptions],
) -> Answer:
    """Decide on draws made elsewhere: is A better than B, by HDI and ROPE.

    The chains are judged first, by R-hat, effective sample sizes and divergences of these very numbers: where they have
    not converged there is no verdict.

    Parameters
    ----------
    data
        ArviZ's `InferenceData`, xarray's `DataTree` or `Dataset`, the path of a netCDF file, or a mapping of arrays
        (chain, draw), maybe a mapping of groups of those. What `to_arviz` made needs no `a` and `b`: it gives the
        answer back.
    a, b
        Two variables with one number per draw: ``"acc_a"``; of a vector one component, ``"acc[svm]"`` by its coordinate
        or ``"acc[0]"`` by its place; or ``("acc", {"model": "svm"})`` where names are less simple.
    delta
        The difference A − B, where nothing else is known. The scores of A and B then stay unknown.
    group
        Where the variables are. Of the posterior, a group `prior` with the same variables gives a Bayes factor of the
        ROPE, and `sample_stats` the divergences.
    names
        What to call A and B; by default the components or variables.
    metric, higher_is_better
        What to call the score, and whether more of it is better; that is known of the metrics that `compare` has.
    rope, prob, rule
        As in `compare`.

    Examples
    --------
    >>> import numpy as np
    >>> import ropewalk as rw
    >>> rng = np.random.default_rng(0)
    >>> draws = {"acc": rng.normal([0.85, 0.80], 0.01, size=(4, 1000, 2))}
    >>> r = rw.from_arviz(draws, a="acc[0]", b="acc[1]", names=["new", "old"], metric="accuracy", rope=0.01)
    >>> print(r.decision.text)
    new is better than old by a margin that matters (ROPE ±0.01)
    """
    picks = {name: pick for name, pick in (("a", a), ("b", b), ("delta", delta)) if pick is not None}
    if delta is not None and len(picks) > 1:
        raise InvalidInputError("`delta` is A − B already; give it, or `a` and `b`.", hint="leave the others out.")
    if delta is None and len(picks) == 1:
        (present,) = picks
        raise InvalidInputError(
            f"`{present}` was given and `{'b' if present == 'a' else 'a'}` was not.",
            hint="a difference alone goes by the name of delta=.",
        )
    if isinstance(data, str | os.PathLike):
        with opened(data, "from_arviz()") as groups:
            return _answer({k: v for k, v in groups.items() if k != "/"}, groups["/"].attrs, picks, options)
    return _answer(*groups_of(data), picks, options)


def _answer(
    groups: Mapping[str, Any], attrs: Mapping[str, Any], picks: Mapping[str, Any], options: ForeignOptions
) -> Answer:
    if not picks and is_ours(attrs) and options.get("rope") is None:
        answer = restore(groups, attrs)
    elif picks:
        answer = judge_draws(material(groups, picks, options))
    else:
        name = options["group"]
        there = f"{name!r} has: {shorten(names_in(groups[name]))}." if name in groups else f"groups: {shorten(groups)}."
        raise InvalidInputError("Name the draws: `a` and `b`, or `delta`.", hint=there)
    if isinstance(answer, ForeignComparison):
        issue(answer.remarks)
    return answer
