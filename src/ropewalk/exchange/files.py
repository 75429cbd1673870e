"""NetCDF files, as ArviZ writes and reads them: a group of variables each, written whole or not at all."""

from __future__ import annotations

import importlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from ropewalk._files import write_file
from ropewalk.errors import FileFormatError, MissingDependencyError, RopewalkError, UnreadableFileError
from ropewalk.exchange.groups import Contents
from ropewalk.exchange.xarrays import datasets, load

_HDF5: Final = b"\x89HDF\r\n\x1a\n"
_CLASSIC: Final = b"CDF"
_ENGINES: Final = {"h5netcdf": ("h5py", "h5netcdf"), "netcdf4": ("netCDF4",)}


def write(path: str | os.PathLike[str], contents: Contents) -> None:
    """Write all groups to a file."""
    caller = "to_netcdf()"
    engine, xr = _engine(caller), load("xarray", caller)
    found = datasets(contents, caller)
    with tempfile.TemporaryDirectory(prefix="ropewalk-") as folder:
        file = Path(folder) / "result.nc"
        try:
            xr.Dataset(attrs=contents.attrs).to_netcdf(file, mode="w", engine=engine)
            for name, dataset in found.items():
                dataset.to_netcdf(file, mode="a", group=name, engine=engine, encoding=_packed(dataset))
            content = file.read_bytes()
        except OSError as error:
            raise UnreadableFileError(f"Cannot write {os.fspath(path)!r}: {error.strerror or error}.") from error
    write_file(path, content)


def _packed(dataset: Any) -> dict[str, dict[str, Any]]:
    """Pack counts, most of which are 0; random numbers cannot be packed."""
    counts = [str(name) for name, values in dataset.data_vars.items() if values.dtype.kind == "i"]
    return {name: {"zlib": True, "complevel": 1} for name in counts}


def _engine(caller: str) -> str:
    """Return the library that reads and writes netCDF here: ArviZ's usual one, or the other."""
    for engine, modules in _ENGINES.items():
        try:
            for module in modules:
                importlib.import_module(module)
        except ImportError:
            continue
        return engine
    raise MissingDependencyError(
        f"{caller} needs h5netcdf, which is not installed.", hint="pip install 'ropewalk[mcmc]'"
    )


@contextmanager
def opened(path: str | os.PathLike[str], caller: str) -> Iterator[dict[str, Any]]:
    """Open a file of groups, "/" among them; what is not asked for is not read."""
    _check(path)
    engine, xr = _engine(caller), load("xarray", caller)
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


def _check(path: str | os.PathLike[str]) -> None:
    """Say what is wrong with a file before a reader of HDF5 does, who says it at length."""
    try:
        with Path(path).open("rb") as handle:
            head = handle.read(len(_HDF5))
    except (OSError, ValueError) as error:
        told = getattr(error, "strerror", None) or error
        raise UnreadableFileError(f"Cannot read {os.fspath(path)!r}: {told}.") from error
    if head == _HDF5:
        return
    if head.startswith(_CLASSIC):
        raise FileFormatError(
            f"{os.fspath(path)!r} is a netCDF file of the classic format, which has no groups.",
            hint="ArviZ, PyMC and to_netcdf() write netCDF 4.",
        )
    what = "is empty" if not head else "is no netCDF file"
    raise FileFormatError(f"{os.fspath(path)!r} {what}.", hint="to_netcdf() of a result, or of ArviZ, writes one.")


def _torn(path: str | os.PathLike[str], error: Exception) -> FileFormatError:
    return FileFormatError(
        f"{os.fspath(path)!r} cannot be read as netCDF: {type(error).__name__}: {error}.",
        hint="is it whole? A copy that was cut short is not.",
    )
