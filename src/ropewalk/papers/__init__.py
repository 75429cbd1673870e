"""The papers' tables and figures, from the bundled predictions and confusion matrices, beside what was published."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from ropewalk._files import shorten_path, write_file
from ropewalk._optional import require
from ropewalk._progress import ProgressLike
from ropewalk.data import examples
from ropewalk.errors import UnreadableFileError
from ropewalk.planning import BinaryScenario, power
from ropewalk.plots import plot_draws, plot_factor, plot_posterior
from ropewalk.report.describe.comparison import paper_columns
from ropewalk.report.document import Table
from ropewalk.report.terminal import aligned
from ropewalk.report.words import decision_text
from ropewalk.results import Comparison
from ropewalk.results.base import pick
from ropewalk.results.planning import PowerRow
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import decimals, interval, number, percent, reason, savage_dickey
from ropewalk.typing import DrawsLike
from ropewalk.verbs.comparison import compare

SIGIR_ROPE = 0.05
ICDM_ROPE = 0.005
SIGIR_SCENARIOS: Final = {
    "a": BinaryScenario(prevalence=0.5, positive=(0.3, 0.3, 0.2, 0.2), negative=(0.2, 0.2, 0.3, 0.3)),
    "b": BinaryScenario(prevalence=0.5, positive=(0.3, 0.2, 0.2, 0.3), negative=(0.3, 0.2, 0.2, 0.3)),
}
"""The scenarios of SIGIR 2016, section 4.1: F1 of .6 against .5, and of .5 each."""

_PAPER_SIMULATIONS: Final = 100
_ICDM_FIGURES: Final = {("nb_bern", "nb_mult"): 4, ("svm_l1", "svm_l2"): 5, ("nb_mult", "svm_l2"): 6}
_SIGIR_FIGURE: Final = ("nb_mult", "svm_l2", 8)
_PANEL_INCHES: Final = (3.4, 2.6)
_DPI: Final = 200
_FIGURES: Final = ("sign_test", "t_test", "mean", "std", "bf_sd", "prob_below_zero", "prob_in_rope")
_HEADER: Final = ("sign-test", "t-test", "mean", "std", "BF", "P(Δ<0)", "in ROPE", "HDI", "decision")


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """One row of a paper's table as printed, and our answer to the same question.

    `paired` is the answer that the paper could not give: that of the paired model, from the predictions themselves.
    """

    table: int
    category: int | None
    sign_test: float
    t_test: float
    mean: float
    std: float
    prob_below_zero: float
    prob_in_rope: float
    hdi: tuple[float, float]
    decision: str
    ours: Comparison
    bf_sd: float | None = None
    paired: Comparison | None = None

    @property
    def question(self) -> str:
        """What is asked: a category of a table about one pair, or a metric of a pair."""
        if self.category is not None:
            return str(self.category)
        return f"{self.ours.metric} of {self.ours.a} − {self.ours.b}"

    @property
    def agrees(self) -> bool:
        """Whether our verdict is the published one."""
        return self.ours.decision is not None and self.ours.decision.symbol == self.decision

    def to_dict(self) -> dict[str, Any]:
        """Return the row in plain Python types."""
        published = pick(self, " ".join([*_FIGURES, "hdi", "decision"]))
        paired = {} if self.paired is None else pick(self, "paired")
        return {**pick(self, "table category"), "published": published, **pick(self, "agrees ours"), **paired}


def sigir2016(*, draws: DrawsLike = "auto", seed: int = 0, threads: int = 1) -> Iterator[PublishedRow]:
    """Go through the 60 comparisons of Tables 4, 5 and 6: F1 of every newsgroup, ROPE ±0.05, paired model.

    Beside each stand the sign and t tests of accuracy that the tables print.

    Examples
    --------
    >>> row = next(sigir2016(draws=10_000))
    >>> row.table, row.category, row.decision, row.agrees
    (4, 0, '<', True)
    """
    outcomes = examples.news20().outcomes
    options: dict[str, Any] = {"rope": SIGIR_ROPE, "draws": draws, "rng": seed, "threads": threads, "tests": True}
    for row in examples.sigir2016_tables():
        ours = compare(outcomes, a=row["a"], b=row["b"], pos_label=int(row["category"]), model="sigir2016", **options)
        yield _published(row, int(row["table"]), int(row["category"]), ours)


def icdm2015(*, draws: DrawsLike = "auto", seed: int = 0, threads: int = 1) -> Iterator[PublishedRow]:
    """Go through the six comparisons of Table IV: micro and macro F1, ROPE ±0.005, hierarchical model.

    The confusion matrices are the published ones; the paired answer comes from the bundled predictions, and so do the
    sign and t tests of Table III that pair documents. The Bayes factors of the table are no target: they come from a
    flat prior, not from the hierarchical one.

    Examples
    --------
    >>> row = next(icdm2015(draws=2_000))
    >>> row.question, row.decision, row.agrees
    ('micro_f1 of nb_bern − nb_mult', '≪', True)
    """
    matrices, outcomes = examples.icdm2015_matrices(), examples.news20().outcomes
    options: dict[str, Any] = {"rope": ICDM_ROPE, "draws": draws, "rng": seed, "threads": threads, "tests": True}
    for row in examples.icdm2015_table():
        a, b, metric = row["a"], row["b"], row["metric"]
        ours = compare(matrices[a], matrices[b], model="icdm2015", metric=metric, **options)
        paired = compare(outcomes, a=a, b=b, metric=metric, **options)
        yield _published(row, 4, None, ours, paired)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPower:
    """One cell of the table of power as printed, and our own simulations of the same study."""

    scenario: str
    goal: str
    model: str
    n: int
    published: float
    ours: PowerRow

    @property
    def difference(self) -> float:
        """How much more often we reach the goal."""
        return self.ours.power - self.published

    @property
    def error(self) -> float:
        """The standard error of the printed share of 100 simulations, at least one of their steps."""
        return max(math.sqrt(self.published * (1 - self.published) / _PAPER_SIMULATIONS), 1 / _PAPER_SIMULATIONS)

    def to_dict(self) -> dict[str, Any]:
        """Return the cell in plain Python types."""
        return pick(self, "scenario goal model n published ours")


def sigir2016_power(
    *, simulations: int = 1_000, draws: int = 2_000, seed: int = 0, threads: int = 1, progress: ProgressLike = None
) -> Iterator[PublishedPower]:
    """Go through the 28 cells of Table 3: how often the paired and the unpaired model reach their goal, F1, ROPE ±0.05.

    Examples
    --------
    >>> cell = next(sigir2016_power(simulations=100))
    >>> cell.scenario, cell.goal, cell.model, cell.n, cell.published
    ('a', 'A≫B', 'unpaired', 500, 0.26)
    """
    rows = examples.sigir2016_power()
    for name, scenario in SIGIR_SCENARIOS.items():
        mine = [row for row in rows if row["scenario"] == name]
        for model, prior in (("unpaired", "sigir2016_unpaired"), ("paired", "sigir2016")):
            rows_of_model = power(
                scenario, [int(row["n"]) for row in mine], goal=mine[0]["goal"], rope=SIGIR_ROPE, model=prior,
                simulations=simulations, draws=draws, rng=seed, threads=threads, progress=progress,
            )  # fmt: skip
            for row, ours in zip(mine, rows_of_model, strict=True):
                goal, published = rows_of_model.goal, float(row[model])
                yield PublishedPower(scenario=name, goal=goal, model=model, n=ours.n, published=published, ours=ours)


def _published(
    row: dict[str, str], table: int, category: int | None, ours: Comparison, paired: Comparison | None = None
) -> PublishedRow:
    figures: dict[str, Any] = {name: float(row[name]) for name in _FIGURES if name != "bf_sd" or paired is None}
    hdi = float(row["hdi_low"]), float(row["hdi_high"])
    return PublishedRow(
        table=table, category=category, hdi=hdi, decision=row["decision"], ours=ours, paired=paired, **figures
    )


def published_tables(rows: Sequence[PublishedRow]) -> str:
    """Return the tables of a paper, two lines per question, published and ours; three where a paired answer exists."""
    parts = []
    for name, group in groupby(rows, key=lambda row: row.table):
        members = list(group)
        lines = tuple(line for row in members for line in _lines(row))
        what = "question" if members[0].paired is not None else "category"
        agree = sum(row.agrees for row in members)
        parts.append(
            f"Table {name}: {_title(members)}\n\n"
            + aligned(Table(header=(what, "", *_HEADER), rows=lines, text_columns=2))
            + f"\n\n{agree} of {len(members)} decisions agree."
        )
    if len(parts) > 1:
        parts.append(f"{sum(row.agrees for row in rows)} of {len(rows)} decisions agree with the paper.")
    for row in rows:
        ours = row.ours.decision
        if ours is None or ours.stable:
            continue
        where = row.question if row.category is None else f"category {row.category}"
        coin = f"{row.decision} (the paper) or {ours.symbol} is a coin toss"
        end = "other draws may say otherwise" if row.agrees else coin
        parts.append(f"Table {row.table}, {where} is unstable: an HDI end lies on the ROPE edge; {end}.")
    if any(row.paired is not None for row in rows):
        parts.append(
            "paired: the same question put to the predictions themselves, which tell what both classifiers said about "
            "the same documents. The paper's Bayes factors come from another prior and are left out."
        )
    return "\n\n".join(parts)


def power_table(cells: Sequence[PublishedPower]) -> str:
    """Return the paper's table of power, published and ours, and how far they are apart in each column."""
    by_model = {(cell.scenario, cell.n, cell.model): cell for cell in cells}
    rows, apart = [], []
    for name, goal in dict.fromkeys((cell.scenario, cell.goal) for cell in cells):
        for n in dict.fromkeys(cell.n for cell in cells if cell.scenario == name):
            pair = [by_model[name, n, model] for model in ("unpaired", "paired")]
            powers = [text for cell in pair for text in (f"{cell.published:.2f}", f"{cell.ours.power:.2f}")]
            far = " ✗" if any(abs(cell.difference) > 4 * cell.error for cell in pair) else ""
            rows.append((f"({name})", goal, f"{n:,}", *powers[:-1], powers[-1] + far))
        for model in ("unpaired", "paired"):
            column = [cell.difference for cell in cells if (cell.scenario, cell.model) == (name, model)]
            rms = math.sqrt(sum(d * d for d in column) / len(column))
            apart.append(f"({name}) {model} {rms:.3f}")
    header = ("scenario", "goal", "items", "unpaired, paper", "ours", "paired, paper", "ours")
    first, far_off = cells[0].ours, any(row[-1].endswith("✗") for row in rows)
    return (
        "Table 3: power, F1, ROPE ±0.05\n\n"
        + aligned(Table(header=header, rows=tuple(rows), text_columns=2, ends_in_text=False))
        + f"\n\nThe paper has 100 simulations per cell, we have {first.simulations:,}. Root mean square difference by "
        + f"column: {', '.join(apart)}.\n"
        + ("✗ marks a row" if far_off else "No row has a cell")
        + " over 4 standard errors away from the paper."
    )


def _title(rows: Sequence[PublishedRow]) -> str:
    first = rows[0].ours
    rope = "" if first.rope is None else f", ROPE {rope_text(first.rope)}"
    return f"average F1{rope}" if rows[0].paired is not None else f"F1 of {first.a} − {first.b}{rope}"


def _lines(row: PublishedRow) -> list[tuple[str, ...]]:
    published = (
        f"{row.sign_test:.3f}",
        f"{row.t_test:.3f}",
        number(row.mean, 3, sign=True),
        number(row.std, 3),
        "–" if row.bf_sd is None else f"{row.bf_sd:.3f}",
        f"{100 * row.prob_below_zero:.1f}%",
        f"{100 * row.prob_in_rope:.1f}%",
        interval(*row.hdi, 3, sign=True),
        row.decision,
    )
    ours = _columns(row.ours)
    lines = [(row.question, "paper", *published), ("", "ours", *ours[:-1], ours[-1] + ("" if row.agrees else "  ✗"))]
    return lines if row.paired is None else [*lines, ("", "paired", *_columns(row.paired))]


def _columns(comparison: Comparison) -> tuple[str, ...]:
    delta = comparison.delta
    n, places = delta.worth(len(comparison.draws)), decimals(delta, delta.mc_error)
    return (
        *paper_columns(comparison),
        number(delta.mean, places, sign=True),
        number(delta.std, places),
        savage_dickey(comparison.bayes_factor),
        percent(comparison.prob_below_zero, n),
        "–" if comparison.regions is None else percent(comparison.regions.inside, n),
        interval(comparison.hdi.low, comparison.hdi.high, decimals(delta), sign=True),
        decision_text(comparison.decision),
    )


# -- figures --------------------------------------------------------------------------------------------


def make_folder(path: str) -> Path:
    """Return the folder for the figures, made if need be: before any long work, like the look for matplotlib."""
    require("matplotlib", extra="plot", caller="--figures")
    if not path.strip():
        raise UnreadableFileError("--figures needs the name of a folder.", hint="--figures figures")
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError, RecursionError) as error:
        problem = getattr(error, "strerror", None) or reason(error)
        raise UnreadableFileError(
            f"Cannot make the folder {shorten_path(path)}: {problem}.", hint="name another folder."
        ) from error
    return folder


def draw_figures(paper: str, rows: Iterable[PublishedRow], folder: Path) -> Iterator[Path]:
    """Draw the figures of a paper from the rows of its tables, and write each as SVG and PNG.

    ICDM 2015: Figures 4 to 6, trace, posterior and factor of macro F1 of three pairs. SIGIR 2016: Figure 6, posterior
    and factor of F1 of category 8.
    """
    for place, comparison in _pictured(paper, rows):
        plots = (plot_draws, plot_posterior, plot_factor) if paper == "icdm2015" else (plot_posterior, plot_factor)
        yield from _write(_figure(comparison, plots), folder / f"{paper}-figure-{place}")


def _pictured(paper: str, rows: Iterable[PublishedRow]) -> Iterator[tuple[int, Comparison]]:
    """Go through the comparisons that the paper has a figure of, with its number."""
    for row in rows:
        pair = (row.ours.a, row.ours.b)
        if paper == "icdm2015" and row.ours.metric == "macro_f1":
            yield _ICDM_FIGURES[pair], row.ours
        elif paper == "sigir2016" and (*pair, row.category) == _SIGIR_FIGURE:
            yield 6, row.ours


def _figure(comparison: Comparison, plots: Sequence[Callable[..., Any]]) -> Any:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(_PANEL_INCHES[0] * len(plots), _PANEL_INCHES[1]), layout="constrained")
    for ax, plot in zip(figure.subplots(1, len(plots)), plots, strict=True):
        plot(comparison, ax=ax)
    return figure


def _write(figure: Any, stem: Path) -> Iterator[Path]:
    from matplotlib import rc_context

    for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
        with io.BytesIO() as buffer, rc_context({"svg.hashsalt": "ropewalk"}):  # the same picture is the same file
            # Of this size, whatever other libraries have made of Matplotlib's settings.
            figure.savefig(buffer, format=kind, dpi=_DPI, metadata=metadata, bbox_inches=figure.bbox_inches)
            path = stem.with_name(f"{stem.name}.{kind}")
            write_file(path, buffer.getvalue())
        yield path
