"""Many algorithms over many data sets: a ranking, with the next data set and the tests of many beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ropewalk.report import words
from ropewalk.report.describe.ranking import describe_ranking
from ropewalk.report.document import Block, Details, Document, Facts, Rows, Section, Table, describes, name
from ropewalk.results.datasets import DatasetsRanking
from ropewalk.text.writing import carried, count_of, hdi_text, number, p_equals, percent

_BY: Final = {"score": "mean score", "rank": "mean rank"}


@describes(DatasetsRanking)
def describe_datasets_ranking(result: DatasetsRanking) -> Document:
    """Describe a ranking over data sets."""
    document, table = describe_ranking(result, "rw.rank_datasets(…)"), _next_table(result)
    answer = document.answers[0]
    lines = (
        *answer.lines[:1],
        ("Ranked by", _BY[result.by]),
        *_next_row(result),
        *answer.lines[1:],
        *_test_rows(result),
    )
    *board, _ = document.terminal or ()
    base = document.sections

    def sections(whole: Document) -> tuple[Block, ...]:
        *page, last = () if base is None else base(whole)
        tests = _test_rows(result)
        beside = (Details("Classical tests", (Facts(tests),), "Friedman and Nemenyi, on mean ranks"),) if tests else ()
        about = f"The answer above is about {_BY[result.by]}s over data sets like these. One more may be another story."
        return (*page, Section("The next data set", (table,), about), *beside, last)

    return replace(
        document,
        answers=(replace(answer, lines=lines),),
        terminal=(*board, replace(answer, lines=lines, headline="", lede="")),
        tables=(*document.tables, table),
        details=(*document.details, table),
        sections=sections,
    )


def _next_row(result: DatasetsRanking) -> Rows:
    """Return who is the best on the next data set, the most probable first."""
    if result.n_complete < result.n_datasets:
        return ()
    n = len(result.draws)
    best = sorted(result.models, key=lambda model: (-model.p_best_next, model.expected_rank))
    shares = ", ".join(f"{name(model.name)} {percent(model.p_best_next, n)}" for model in best[:4])
    more = f" and {count_of(len(best) - 4, 'other')}" if len(best) > 4 else ""  # noqa: PLR2004
    return (("Next", f"best on the next data set: {shares}{more}"),)


def _next_table(result: DatasetsRanking) -> Table:
    """Return of each classifier the chance to be the best on the next data set, and its mean rank."""
    n = len(result.draws)
    rows = tuple(
        (
            name(model.name),
            percent(model.p_best_next, n),
            number(model.mean_rank.observed, 2),
            carried(model.mean_rank.mean, model.mean_rank),
            hdi_text(model.mean_rank),
        )
        for model in sorted(result.models, key=lambda model: model.expected_rank)
    )
    header = (
        "classifier",
        "P(best on the next)",
        "mean rank",
        "posterior mean",
        f"{words.mass_text(result.recipe)} HDI",
    )
    return Table(header=header, rows=rows, ends_in_text=False)


def _test_rows(result: DatasetsRanking) -> Rows:
    """Return what the tests of many say, that were asked for."""
    rows = []
    friedman, nemenyi = result.classical.get("friedman"), result.classical.get("nemenyi")
    if friedman is not None:
        rows.append(("Friedman", f"{p_equals(friedman.p_value)} (classical, of the ranks on {_complete(result)})"))
    if nemenyi is not None:
        apart = [f"{name(a)} and {name(b)}" for (a, b), p in nemenyi.p_values.items() if p < nemenyi.alpha]
        told = "; ".join(apart) if apart else "none"
        ranks = f"critical difference {number(nemenyi.critical_difference, 3)} of mean ranks"
        rows.append(("Nemenyi", f"told apart at level {nemenyi.alpha:g}: {told} (classical, {ranks})"))
    return tuple(rows)


def _complete(result: DatasetsRanking) -> str:
    return count_of(result.n_complete, "data set")
