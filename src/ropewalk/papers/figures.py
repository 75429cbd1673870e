"""The papers' figures, drawn anew from our own answers."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from ropewalk._files import write_file
from ropewalk._optional import require
from ropewalk.errors import UnreadableFileError
from ropewalk.papers.tables import PublishedRow
from ropewalk.plots import plot_draws, plot_factor, plot_posterior
from ropewalk.results import Comparison

_ICDM: Final = {("nb_bern", "nb_mult"): 4, ("svm_l1", "svm_l2"): 5, ("nb_mult", "svm_l2"): 6}
_SIGIR: Final = ("nb_mult", "svm_l2", 8)
_PANEL: Final = (3.4, 2.6)  # inches
_DPI: Final = 200

Plot = Callable[..., Any]


def make_folder(path: str) -> Path:
    """Return the folder for the figures, made if need be: before any long work, like the look for matplotlib."""
    require("matplotlib", extra="plot", caller="--figures")
    if not path.strip():
        raise UnreadableFileError("--figures needs the name of a folder.")
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnreadableFileError(f"Cannot make the folder {path!r}: {error.strerror}.") from error
    return folder


def draw_figures(paper: str, rows: Iterable[PublishedRow], folder: Path) -> Iterator[Path]:
    """Draw the figures of a paper from the rows of its tables, and write each as SVG and PNG.

    ICDM 2015: Figures 4 to 6, trace, posterior and factor of macro F1 of three pairs. SIGIR 2016: Figure 6, posterior
    and factor of F1 of category 8.
    """
    for number, comparison in _pictured(paper, rows):
        plots = (plot_draws, plot_posterior, plot_factor) if paper == "icdm2015" else (plot_posterior, plot_factor)
        yield from _write(_figure(comparison, plots), folder / f"{paper}-figure-{number}")


def _pictured(paper: str, rows: Iterable[PublishedRow]) -> Iterator[tuple[int, Comparison]]:
    """Go through the comparisons that the paper has a figure of, with its number."""
    for row in rows:
        pair = (row.ours.a, row.ours.b)
        if paper == "icdm2015" and row.ours.metric == "macro_f1":
            yield _ICDM[pair], row.ours
        elif paper == "sigir2016" and (*pair, row.category) == _SIGIR:
            yield 6, row.ours


def _figure(comparison: Comparison, plots: tuple[Plot, ...]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_PANEL[0] * len(plots), _PANEL[1]), layout="constrained")
    for ax, plot in zip(figure.subplots(1, len(plots)), plots, strict=True):
        plot(comparison, ax=ax)
    return figure


def _write(figure: Any, stem: Path) -> Iterator[Path]:
    from matplotlib import rc_context

    for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
        with io.BytesIO() as buffer, rc_context({"svg.hashsalt": "ropewalk"}):  # the same picture is the same file
            figure.savefig(buffer, format=kind, dpi=_DPI, metadata=metadata)
            path = stem.with_name(f"{stem.name}.{kind}")
            write_file(path, buffer.getvalue())
        yield path
