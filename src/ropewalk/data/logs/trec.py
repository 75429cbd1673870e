"""Runs of search systems in the format of TREC, judged by a file of relevance judgements (qrels).

What is easy to get wrong in the format:

* documents are ranked by their scores, whatever the rank column says, and equal ones by the document's id, descending;
* a topic that was judged and that the run lacks counts 0, and one that was not judged does not count;
* a grade below 1 is not relevant, a document without a judgement neither.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from ropewalk._optional import require
from ropewalk.data.columns import number_in
from ropewalk.data.logs.groups import Groups
from ropewalk.data.logs.opening import opened
from ropewalk.data.logs.rows import Choice, LogFormat, Row, Run, Score, without_metadata
from ropewalk.errors import DataError, FileFormatError, InvalidInputError, MissingDependencyError, UnknownNameError
from ropewalk.text.remarks import wording
from ropewalk.text.writing import reason

Grades = Mapping[str, int]
"""The grade of every judged document of a topic."""

_LISTED: Final = ("AP", "nDCG@10", "P@5", "P@10", "RR", "R@100")
_MEASURE: Final = re.compile(r"([A-Za-z]+(?:_[a-z]+)?)(?:[@_]([1-9]\d{0,8}))?")
_COMMENT: Final = b"#"
_LINE: Final = re.compile(rb"\S+[ \t]+Q?0[ \t]+\S+[ \t]+-?\d+[ \t]+\S+[ \t]+\S", re.IGNORECASE)
_RUN_FIELDS, _QRELS_FIELDS = 6, 4
_MAX_LINE: Final = 1 << 16
_LINES_LOOKED_AT: Final = 20


# -- measures ----------------------------------------------------------------------------------------------


def _average_precision(ranked: Sequence[int], grades: Grades, depth: int | None) -> float:
    n_found, total = 0, 0.0
    for rank, grade in enumerate(ranked[:depth], 1):
        if grade > 0:
            n_found += 1
            total += n_found / rank
    return total / _n_relevant(grades) if total else 0.0


def _gain(ranked: Sequence[int], grades: Grades, depth: int | None) -> float:
    ideal = _discounted(sorted(grades.values(), reverse=True)[:depth])
    return _discounted(ranked[:depth]) / ideal if ideal else 0.0


def _discounted(ranked: Sequence[int]) -> float:
    total = 0.0
    for rank, grade in enumerate(ranked, 1):
        if grade > 0:
            total += grade / math.log2(rank + 1)
    return total


def _precision(ranked: Sequence[int], _grades: Grades, depth: int | None) -> float:
    n_found = sum(grade > 0 for grade in ranked[:depth])
    return n_found / (len(ranked) if depth is None else depth) if n_found else 0.0


def _recall(ranked: Sequence[int], grades: Grades, depth: int | None) -> float:
    n_found = sum(grade > 0 for grade in ranked[:depth])
    return n_found / _n_relevant(grades) if n_found else 0.0


def _reciprocal_rank(ranked: Sequence[int], _grades: Grades, depth: int | None) -> float:
    return next((1 / rank for rank, grade in enumerate(ranked[:depth], 1) if grade > 0), 0.0)


def _n_relevant(grades: Grades) -> int:
    return sum(grade > 0 for grade in grades.values())


MEASURES: Final[Mapping[str, Callable[[Sequence[int], Grades, int | None], float]]] = {
    "AP": _average_precision,
    "nDCG": _gain,
    "P": _precision,
    "R": _recall,
    "RR": _reciprocal_rank,
}
"""The usual measures; `ir-measures` knows the others."""

_NEED_DEPTH: Final = {"P", "R"}
_OF_TREC_EVAL: Final = {
    "map": "AP",
    "map_cut": "AP",
    "ndcg_cut": "nDCG",
    "recall": "R",
    "recip_rank": "RR",
    "mrr": "RR",
}
_OWN_NAMES: Final = {name.casefold(): name for name in MEASURES} | _OF_TREC_EVAL


def _find_score(name: str) -> Score:
    """Return a measure by its name in any case, or that of trec_eval, at any depth."""
    own = _own_measure(name)
    if own is not None:
        base, depth = own
        return Score(name=base if depth is None else f"{base}@{depth}", low=0.0, high=1.0)
    return Score(name=str(_other_measure(name)))


def _own_measure(name: str) -> tuple[str, int | None] | None:
    found = _MEASURE.fullmatch(name)
    base = _OWN_NAMES.get(found[1].casefold()) if found else None
    if found is None or base is None or (base in _NEED_DEPTH and found[2] is None):
        return None
    return base, int(found[2]) if found[2] else None


def _other_measure(name: str) -> Any:
    """Return a measure of ir-measures."""
    usual = "AP, nDCG@k, P@k, RR and R@k for any k"
    unknown = UnknownNameError(f"{name!r} is not a measure.", hint=f"there are {usual}, and those of ir-measures.")
    try:
        measure = _library().parse_measure(name)
        measure.validate_params()
    except MissingDependencyError as error:
        problem = f"{name!r} is none of the measures {usual}."
        raise UnknownNameError(problem, hint=f"ir-measures knows more: {error.hint}") from error
    except (AssertionError, NameError, ValueError, SyntaxError) as error:
        raise unknown from error
    if measure.params.get("cutoff", 1) < 1:  # the C code behind it would abort the whole process
        raise unknown
    return measure


def _library() -> Any:
    return require("ir_measures", extra="ir", caller="A measure that is not one of the usual")


# -- runs --------------------------------------------------------------------------------------------------


def _runs(path: Path) -> Iterator[Run]:
    first = next(_fields(path, _RUN_FIELDS))
    yield Run(
        system=first[5],
        scores=tuple(Score(name=name, low=0.0, high=1.0) for name in _LISTED),
        find_score=_find_score,
        rows=partial(_rows, path, first[5]),
    )


def _rows(path: Path, system: str, choice: Choice) -> Iterator[Row]:
    """Yield a row per judged topic, in the order of the judgements."""
    if choice.qrels is None:
        raise InvalidInputError(
            f"{str(path)!r} is a run of a search system, which needs relevance judgements.",
            hint=wording("qrels= names their file."),
        )
    if choice.cluster is not None:
        raise without_metadata("Topics", choice.cluster)
    judged = read_qrels(Path(choice.qrels))
    answers = Groups()
    for topic, _, document, _, score, tag in _fields(path, _RUN_FIELDS):
        if tag != system:
            raise FileFormatError(
                f"{str(path)!r} is a run of {system!r}, and a line for topic {topic!r} is of {tag!r}.",
                hint="a file holds one run; this one may be cut off.",
            )
        if topic in judged:
            answers.add(topic, (document, float(score)))
    if not answers.keys:
        raise DataError(f"No topic of {str(path)!r} is judged in {choice.qrels!r}.", hint="are these its judgements?")
    value = _value_of(choice.scorer or _LISTED[0])
    for topic, grades in judged.items():
        scores: dict[str, float] = {}
        for document, score in answers.records(topic):
            if document in scores:
                raise FileFormatError(
                    f"{str(path)!r} ranks {document!r} twice for topic {topic!r}.",
                    hint="a run ranks a document once per topic.",
                )
            scores[document] = score
        yield Row(task="", item=topic, repeat=1, system=system, score=value(topic, scores, grades))


def _value_of(name: str) -> Callable[[str, Mapping[str, float], Grades], float]:
    """Return what computes a measure for a topic."""
    own = _own_measure(name)
    if own is None:
        return partial(_other_value, _other_measure(name))
    measure, depth = MEASURES[own[0]], own[1]

    def value(_topic: str, scores: Mapping[str, float], grades: Grades) -> float:
        order = sorted(scores, key=lambda document: (scores[document], document), reverse=True)
        return measure([grades.get(document, 0) for document in order], grades, depth)

    return value


def _other_value(measure: Any, topic: str, scores: Mapping[str, float], grades: Grades) -> float:
    try:
        found = _library().iter_calc([measure], {topic: dict(grades)}, {topic: dict(scores)} if scores else {})
        return next((float(metric.value) for metric in found), 0.0)
    except (RuntimeError, ValueError) as error:
        text = f"ir-measures cannot compute {str(measure)!r}: {reason(error)}."
        raise MissingDependencyError(text, hint="install what it asks for, or choose another measure.") from error


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Return the grades of documents by topic, from a file of relevance judgements."""
    judged: dict[str, dict[str, int]] = {}
    for topic, _, document, grade in _fields(path, _QRELS_FIELDS):
        judged.setdefault(topic, {})[document] = int(grade)
    return judged


def _fields(path: Path, width: int) -> Iterator[list[str]]:
    """Yield the fields of every line of a run or of judgements, checked."""
    with opened(path) as stream:
        number, is_empty = 0, True
        while line := stream.readline(_MAX_LINE):
            number += 1
            if not line.strip() or line.startswith(_COMMENT):
                continue
            fields = line.decode("utf-8-sig").split(maxsplit=width - 1)
            where = f"{str(path)!r}, line {number}"
            if len(fields) != width or len(line) >= _MAX_LINE:
                what = "a run (topic Q0 document rank score tag)" if width == _RUN_FIELDS else "judgements"
                raise FileFormatError(
                    f"{where}: {len(fields)} fields where {what} {'has' if width == _RUN_FIELDS else 'have'} {width}.",
                    hint="the file may be cut off: copy or write it again.",
                )
            value = number_in(fields[-2] if width == _RUN_FIELDS else fields[-1])
            if value is None or not math.isfinite(value) or (width == _QRELS_FIELDS and value != int(value)):
                what = "score" if width == _RUN_FIELDS else "grade"
                raise FileFormatError(
                    f"{where}: the {what} is no {'' if what == 'score' else 'whole '}number.",
                    hint="write or copy it again.",
                )
            is_empty = False
            fields[-1] = fields[-1].strip()
            yield fields
        if is_empty:
            raise FileFormatError(f"{str(path)!r} is empty.", hint="write or copy it again.")


def _is_run(_path: Path, head: bytes) -> bool:
    lines = [line for line in head.splitlines()[:_LINES_LOOKED_AT] if line.strip()]
    lines = [line for line in lines if not line.startswith(_COMMENT)]
    return bool(lines) and all(_LINE.match(line.lstrip()) for line in lines[: max(1, len(lines) - 1)])


RUN: Final = LogFormat(title="TREC run", recognises=_is_run, runs=_runs)
