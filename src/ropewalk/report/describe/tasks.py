"""Several tasks: which of them each system wins, on one axis, and a table."""

from __future__ import annotations

from dataclasses import replace

from ropewalk.report import words
from ropewalk.report.describe import comparison, method
from ropewalk.report.describe.flips import tasks_flips, tasks_line
from ropewalk.report.document import Answer, Block, Document, Picture, describes, name
from ropewalk.report.rows import parts_forest
from ropewalk.results import Comparison, TaskComparisons
from ropewalk.text.remarks import few
from ropewalk.text.verdicts import rope_text
from ropewalk.text.writing import count_of

_EACH = "Each task is a question of its own, and has its own verdict. Right is where {} is better."


@describes(TaskComparisons)
def describe_tasks(result: TaskComparisons) -> Document:
    """Describe the comparisons of all tasks."""
    first = result.comparisons[0]
    a, b = name(first.a), name(first.b)
    n_items = sum(c.recipe.n_items for c in result)
    answer = Answer(
        title=f"Is {a} better than {b}?",
        headline=result.told(name),
        lines=(
            ("Data", f"{count_of(n_items, 'paired answer')} to {count_of(len(result), 'task')}."),
            ("Measured", _measured(result)),
            ("Flips", tasks_line(result.comparisons)),
        ),
        tones=((a, "a"), (b, "b")),
    )
    labels = [name(task) for task in result.tasks]
    note = " ".join(filter(None, (_EACH.format(a), _margin(first))))
    rows = replace(parts_forest(result.comparisons, labels, "task"), note=note)
    table = comparison.answer_table(result.comparisons, parts=("task", labels))
    flipped = tasks_flips(labels, result.comparisons)
    drawn = Picture("forest", rows, "tasks")

    def sections(document: Document) -> tuple[Block, ...]:
        how = method.method_section(document, result.comparisons, "compare_tasks(new, old)", graph=False)
        return (*document.answer_sections((drawn,)), *document.table_section(), how)

    return Document(
        caption=words.caption_text(words.delta_name(first), *result.comparisons),
        about=f"{a} against {b}",
        answers=(answer,),
        tables=(table, *flipped),
        remarks=(
            *few(remark for c in result for remark in c.remarks if remark.level == "warning"),
            *few(remark for c in result for remark in c.remarks if remark.code == "log"),
        ),
        terminal=(answer, drawn),
        card=(answer, table),
        sections=sections,
    )


def _measured(result: TaskComparisons) -> str:
    """Say by what each task is measured, and in what differences are."""
    first = result.comparisons[0]
    by_score: dict[str, list[str]] = {}
    for task, score in zip(result.tasks, result.scores, strict=False):
        by_score.setdefault(score, []).append(task)
    if len(by_score) > 1:
        parts = [f"{name(score)} ({', '.join(map(name, tasks))})" for score, tasks in by_score.items()]
        what = f"the mean of {', '.join(parts)}"
    else:
        what = f"the mean of {name(next(iter(by_score)))}" if by_score else words.metric_name(first.metric)
    return f"{what}. Differences are in points, of 100." if first.recipe.unit.is_points else f"{what}."


def _margin(c: Comparison) -> str:
    """Say which differences are too small to matter, which the grey band shows."""
    if c.rope is None or c.rope.one_sided:
        return ""
    low, high = c.rope
    margin = f"±{c.recipe.unit.counted(high)}" if low == -high else rope_text(c.rope)
    return f"The grey band, {margin}, is too small to matter."
