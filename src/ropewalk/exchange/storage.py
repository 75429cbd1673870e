"""Write an answer to xarray and netCDF as ArviZ does, and get it back: made again where it can be, else from its draws.

ArviZ has `InferenceData` before its version 1, and xarray's `DataTree` from then on.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np

from ropewalk._checks import check_prob, choose, is_whole
from ropewalk._files import first_bytes, write_file
from ropewalk._optional import require
from ropewalk.classical.battery import run_battery
from ropewalk.data.outcomes import Outcomes
from ropewalk.draws.blocks import difference
from ropewalk.draws.evidence import BayesFactor
from ropewalk.draws.rope import parse_rope
from ropewalk.errors import (
    FileFormatError,
    InvalidInputError,
    MissingDependencyError,
    RopewalkError,
    UnreadableFileError,
)
from ropewalk.exchange.foreign import Material, check_pair, judge_draws
from ropewalk.exchange.groups import ANSWER, MORE, Answer, Contents, Group
from ropewalk.inference.answers import run_comparisons, run_evaluation
from ropewalk.inference.flips import with_flips
from ropewalk.inference.question import RULES, usual_companions
from ropewalk.inference.ranking import run_ranking
from ropewalk.mcmc.chains import Chains
from ropewalk.mcmc.programs import program_of
from ropewalk.mcmc.running import Sampled, hushed
from ropewalk.mcmc.sampler import Sampler
from ropewalk.results import Comparison, Recipe
from ropewalk.results.foreign import ForeignComparison, Origin, unknown_metric
from ropewalk.results.recipes import read_recipe
from ropewalk.text.remarks import Remark, note
from ropewalk.text.writing import reason, told
from ropewalk.typing import FloatArray

_FIRST_VERSION_WITH_TREES: Final = 1
_HDF5: Final = b"\x89HDF\r\n\x1a\n"
_ENGINES: Final = {"h5netcdf": ("h5py", "h5netcdf"), "netcdf4": ("netCDF4",)}
_SAME_NUMBER: Final = 1e-12  # the last digits of a logarithm differ from machine to machine
_DATA_LOST: Final = note(
    "data_not_in_file", "The answer was read from its draws alone: its data, or its model, are not in the file."
)
_TESTS_LOST: Final = note("tests_not_in_file", "The classical tests that it came with are not in the file either.")


# -- xarray ------------------------------------------------------------------------------------------------


def load(module: str, caller: str) -> Any:
    """Import a module of the ArviZ world, without what it has to say about its own future."""
    with hushed():
        return require(module, extra="mcmc", caller=caller)


def as_arviz(contents: Contents, caller: str) -> Any:
    """Return what the installed ArviZ works with."""
    az, xr = load("arviz", caller), load("xarray", caller)
    groups = _datasets(contents, xr)
    if int(az.__version__.partition(".")[0]) < _FIRST_VERSION_WITH_TREES:
        with hushed():
            return az.InferenceData(attrs=dict(contents.attrs), **groups)
    return xr.DataTree.from_dict({"/": xr.Dataset(attrs=dict(contents.attrs)), **groups})


def _datasets(contents: Contents, xr: Any) -> dict[str, Any]:
    """Return the groups as xarray's datasets."""
    attrs = {name: value for name, value in contents.attrs.items() if name not in {ANSWER, MORE}}
    return {
        name: xr.Dataset(dict(group.variables), coords=_coords(group), attrs=dict(attrs))
        for name, group in contents.groups.items()
    }


def _coords(group: Group) -> dict[str, Any]:
    used = {dim for dims, _ in group.variables.values() for dim in dims}
    coords: dict[str, Any] = {dim: (dim, np.array(values)) for dim, values in group.coords.items() if dim in used}
    for dims, values in group.variables.values():
        sizes = dict(zip(dims, np.shape(values), strict=True))
        coords |= {dim: np.arange(sizes[dim]) for dim in ("chain", "draw") if dim in sizes}
    return coords


# -- netCDF ------------------------------------------------------------------------------------------------


def write(path: str | os.PathLike[str], contents: Contents) -> None:
    """Write all groups to a file."""
    engine, xr = _engine("to_netcdf()")
    groups = _datasets(contents, xr)
    with tempfile.TemporaryDirectory(prefix="ropewalk-") as folder:
        file = Path(folder) / "result.nc"
        try:
            xr.Dataset(attrs=contents.attrs).to_netcdf(file, mode="w", engine=engine)
            for name, dataset in groups.items():
                # Counts are packed, most of which are 0; random numbers cannot be.
                counts = [str(key) for key, values in dataset.data_vars.items() if values.dtype.kind == "i"]
                packed = {key: {"zlib": True, "complevel": 1} for key in counts}
                dataset.to_netcdf(file, mode="a", group=name, engine=engine, encoding=packed)
            content = file.read_bytes()
        except OSError as error:
            raise UnreadableFileError(
                f"Cannot write {os.fspath(path)!r}: {error.strerror or error}.",
                hint="name a file in another folder, or make room there.",
            ) from error
    write_file(path, content)


def _engine(caller: str) -> tuple[str, Any]:
    """Return the library that reads and writes netCDF here, ArviZ's usual one or the other, and xarray."""
    for engine, modules in _ENGINES.items():
        if all(find_spec(module) for module in modules):
            return engine, load("xarray", caller)
    raise MissingDependencyError(
        f"{caller} needs h5netcdf, which is not installed.", hint="pip install 'ropewalk[mcmc]'"
    )


@contextmanager
def opened(path: str | os.PathLike[str], caller: str) -> Iterator[dict[str, Any]]:
    """Open a file of groups, "/" among them; variables are read when they are used."""
    _check_file(path)
    engine, xr = _engine(caller)
    try:
        groups = xr.open_groups(os.fspath(path), engine=engine)
    except Exception as error:
        raise _torn(path, error) from error
    try:
        yield {name.strip("/") or "/": group for name, group in groups.items()}
    except RopewalkError:
        raise
    except (OSError, RuntimeError) as error:  # what a reader of HDF5 says of a part that is not there
        raise _torn(path, error) from error
    finally:
        for group in groups.values():
            group.close()


def _check_file(path: str | os.PathLike[str]) -> None:
    """Raise what is wrong with a file before a reader of HDF5 does, at length."""
    try:
        head = first_bytes(path, len(_HDF5))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UnreadableFileError(
            f"Cannot read {os.fspath(path)!r}: {reason}.", hint="give a file that to_netcdf wrote."
        ) from error
    if head == _HDF5:
        return
    if head.startswith(b"CDF"):
        raise FileFormatError(
            f"{os.fspath(path)!r} is a netCDF file of the classic format, which has no groups.",
            hint="ArviZ, PyMC and to_netcdf() write netCDF 4.",
        )
    what = "is empty" if not head else "is no netCDF file"
    raise FileFormatError(f"{os.fspath(path)!r} {what}.", hint="to_netcdf() of a result, or of ArviZ, writes one.")


def _torn(path: str | os.PathLike[str], error: Exception) -> FileFormatError:
    return FileFormatError(
        f"{os.fspath(path)!r} cannot be read as netCDF: {type(error).__name__}: {reason(error)}.",
        hint="is it whole? A copy that was cut short is not.",
    )


# -- answers -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True, eq=False)
class Kept:
    """What was kept of an answer: its JSON, what else it takes, and the groups of draws."""

    kind: str
    answer: Mapping[str, Any]
    more: Mapping[str, Any]
    groups: Mapping[str, Any]

    def values(self, group: str, name: str) -> Any:
        """Return a variable as an array, None where there is none."""
        variables = self.groups.get(group)
        return None if variables is None or name not in variables.data_vars else variables[name].values

    @property
    def psi(self) -> FloatArray | None:
        """The draws of the metric, (chains, draws, classifiers)."""
        psi = self.values("posterior", "psi")
        return None if psi is None else np.asarray(psi, dtype=np.float64)


def is_ours(attrs: Mapping[str, Any]) -> bool:
    """Whether an answer of ropewalk was kept here."""
    return ANSWER in attrs and MORE in attrs


def restore(groups: Mapping[str, Any], attrs: Mapping[str, Any]) -> Answer:
    """Return the answer that was kept."""
    try:
        answer, more = (json.loads(str(attrs[name])) for name in (ANSWER, MORE))
        kept = Kept(kind=str(attrs["kind"]), answer=answer, more=more, groups=groups)
        if kept.kind == "ForeignComparison":
            return _from_draws(kept, _whole(Origin(**more["origin"])))
        again = _again(kept)
        if again is not None:
            return again
        if kept.kind == "Comparison":
            return _from_draws(kept, _whole(_origin(kept)))
    except RopewalkError:
        raise
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, RecursionError) as error:
        raise FileFormatError(
            f"The answer in here cannot be read: {type(error).__name__}: {reason(error)}.", hint=_foreign_hint(groups)
        ) from error
    raise FileFormatError(
        f"This {kept.kind} cannot be made again: its data, or its model, are not in here.", hint=_foreign_hint(groups)
    )


def _whole(origin: Origin) -> Origin:
    """Return where draws came from, if its numbers are whole ones."""
    for name in ("n_items", "seed", "divergences"):
        value = getattr(origin, name)
        if value is not None and (not is_whole(value) or value < 0):
            raise ValueError(f"{name} must be a whole number from 0 on; got {told(value)}")
    return origin


def _foreign_hint(groups: Mapping[str, Any]) -> str:
    picks = "a=…, b=…"
    if "posterior" in groups and "psi" in groups["posterior"].data_vars:
        names = np.atleast_1d(groups["posterior"]["psi"]["classifier"].values).tolist()
        pairs = zip("ab", names, strict=False)
        picks = ", ".join(f"{side}={('psi', {'classifier': name})!r}" for side, name in pairs)
    return f"its draws can be judged: from_arviz(data, {picks})."


def _again(kept: Kept) -> Answer | None:
    """Carry the recipe out again; None where there is none, or where it gives other draws than were kept."""
    recipe = _recipe(kept)
    if recipe is None or kept.psi is None:
        return None
    chains = None if recipe.sampler is None else _chains(recipe, recipe.sampler, kept)
    if recipe.sampler is not None and chains is None:
        return None
    makers: dict[str, Callable[[Recipe], Answer]] = {
        "Comparison": lambda recipe: with_flips(
            _tested(_compared(recipe, chains, kept), kept), "flips" in kept.answer, usual=False
        ),
        "Ranking": lambda recipe: run_ranking(recipe, chains=chains),
        "MetricPosterior": lambda recipe: run_evaluation([recipe], kept.more["bar"], chains=chains).metrics[0],
    }
    if kept.kind not in makers:
        return None
    answer = makers[kept.kind](recipe)
    psi = answer.draws.psi.reshape(len(answer.draws.names), answer.draws.chains, -1)
    chains, length, _ = kept.psi.shape
    same = psi.shape[1] == chains and psi.shape[2] >= length
    close = same and np.allclose(psi[:, :, :length], np.moveaxis(kept.psi, 2, 0), rtol=0.0, atol=_SAME_NUMBER)
    return answer if close else None


def _compared(recipe: Recipe, chains: Chains | None, kept: Kept) -> Comparison:
    """Carry out a comparison; the usual metrics stand beside one that was alone."""
    companions = [] if "metrics" in kept.answer else usual_companions(recipe)
    return run_comparisons([recipe], companions=companions, chains=chains)


def _recipe(kept: Kept) -> Recipe | None:
    answer = dict(kept.answer)
    if kept.kind == "MetricPosterior":
        answer["metric"] = answer["metrics"][0]["metric"]
    try:
        recipe = read_recipe({**answer, "recipe": kept.more["recipe"], "rope": kept.more["rope"]})
    except FileFormatError:
        return None
    tables = [
        replace(table, labels=tuple(labels), left_out=gone)
        for table, labels, gone in zip(recipe.tables, kept.more["labels"], kept.more["left_out"], strict=True)
        if isinstance(table, Outcomes)
    ]
    sampler = None if kept.more["sampler"] is None else Sampler(**kept.more["sampler"])
    return replace(recipe, tables=tuple(tables), pos_label=kept.more["pos_label"], sampler=sampler)


def _chains(recipe: Recipe, sampler: Sampler, kept: Kept) -> Chains | None:
    """Return the chains that were kept, which are not run again."""
    program = program_of(recipe.model, recipe.tables, sampler.form)
    arrays = {name: kept.values("posterior", name) for name in program.names}
    if any(array is None for array in arrays.values()) or kept.answer["diagnostics"] is None:
        return None
    stats = kept.groups["sample_stats"].data_vars if "sample_stats" in kept.groups else {}
    posterior = kept.groups["posterior"]
    sampled = Sampled(
        parameters={name: np.asarray(array, dtype=np.float64) for name, array in arrays.items()},
        dims={name: tuple(map(str, posterior[name].dims[2:])) for name in program.names},
        coords={name: tuple(map(str, values)) for name, values in program.model.coords.items()},
        stats={str(name): np.asarray(values.values) for name, values in stats.items()},
        engine=kept.answer["diagnostics"]["engine"],
    )
    return Chains(recipe.model, recipe.tables, sampled, sampler, recipe.seed)


def _tested(comparison: Comparison, kept: Kept) -> Comparison:
    """Return the comparison with the classical tests, where it had them."""
    if kept.answer["tests"] is None:
        return comparison
    recipe = comparison.recipe
    tables = [table for table in recipe.tables if isinstance(table, Outcomes)]
    return replace(comparison, tests=run_battery(tables, recipe.pos_label, recipe.metric.classes, prob=recipe.prob))


def _origin(kept: Kept) -> Origin:
    answer = kept.answer
    diagnostics = answer["diagnostics"]
    return Origin(
        what="psi as it was kept",
        library=f"ropewalk {answer['version']}",
        independent=diagnostics is None,
        divergences=None if diagnostics is None else diagnostics["divergences"],
        **{name: answer[name] for name in ("model", "prior", "n_items", "seed")},
    )


def _from_draws(kept: Kept, origin: Origin) -> ForeignComparison:
    """Return a comparison made of the draws alone."""
    answer, more, psi = kept.answer, kept.more, kept.psi
    scores = None if psi is None else (psi[..., 0].copy(), psi[..., 1].copy())
    if scores is None:
        delta = np.array(kept.values("posterior", "delta"), dtype=np.float64)
    else:
        delta = difference(scores[0].reshape(-1), scores[1].reshape(-1)).reshape(scores[0].shape)
    if delta.size == 0 or not np.isfinite(delta).all():
        raise InvalidInputError(
            "The draws that were kept are not all numbers.", hint="write the result again, with to_netcdf."
        )
    prior, factor = kept.values("prior", "delta"), answer["bayes_factor"]
    low, high = _ends(more["range"])
    names = check_pair((answer["a"]["name"], answer["b"]["name"]))
    assert names is not None  # noqa: S101
    lost = [] if kept.kind != "Comparison" else [_DATA_LOST] if answer["tests"] is None else [_DATA_LOST, _TESTS_LOST]
    return judge_draws(
        Material(
            scores=scores,
            delta=delta,
            prior=None if prior is None else np.array(prior, dtype=np.float64),
            names=names,
            metric=unknown_metric(
                str(answer["metric"]), higher_is_better=answer["higher_is_better"], low=low, high=high
            ),
            rope=None if more["rope"] is None else parse_rope(_ends(more["rope"])),
            prob=check_prob(answer["prob"]),
            rule=choose(answer["rule"], RULES, "rule"),
            origin=origin,
            observed=(answer["a"]["observed"], answer["b"]["observed"]),
            factor=None if factor is None else BayesFactor(**{**factor, "reason": factor["reason"] or ""}),
            worth=_worth(answer["delta"], delta.size),
            data_hash=answer["data_hash"],
            no_verdict=str(more["no_verdict"]),
            remarks=(*(Remark(*remark) for remark in more["remarks"]), *lost),
        )
    )


def _worth(delta: Mapping[str, Any], n_draws: int) -> float | None:
    """Return how many independent draws weighted ones are worth, by the error of their mean."""
    if not delta["mc_error"]:
        return None
    worth = float((delta["std"] / delta["mc_error"]) ** 2)
    return worth if worth < (1 - _SAME_NUMBER) * n_draws else None


def _ends(pair: Any) -> tuple[float, float]:
    """Return the ends of an interval; JSON has null for an open one."""
    low, high = pair
    return (-np.inf if low is None else float(low)), (np.inf if high is None else float(high))
