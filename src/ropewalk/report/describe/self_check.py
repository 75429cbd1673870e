"""Is a gate sane? What was simulated of it, in sentences and a row per truth."""

from __future__ import annotations

from typing import Final

from ropewalk.report.document import Alarm, Block, Section, Table, Text, name
from ropewalk.results.gates import Requirement
from ropewalk.results.self_check import SelfCheck, SimulatedCheck
from ropewalk.text.writing import count_of

MAX_TOLD: Final = 2
"""Of so many requirements it is told in sentences, of each on one task; a table has them all."""

_TITLE: Final = "Is this gate sane?"
_YES: Final = "No requirement passes wrongly more often than is promised, as far as these simulations can tell."
_NO: Final = (
    "It passes wrongly more often than is promised: do not rely on a PASS here. More items, a larger margin or "
    "a 99% interval help."
)


def self_check_blocks(check: SelfCheck) -> tuple[Block, ...]:
    """Return what a gate's simulations say: sentences, whether it is sane, and a table of all truths."""
    told: list[Block] = []
    groups: dict[Requirement, list[SimulatedCheck]] = {}
    for one in check.checks:
        groups.setdefault(one.requirement, []).append(one)
    for checks in list(groups.values())[:MAX_TOLD]:
        one = max(checks, key=lambda simulated: simulated.errs)
        lines = " ".join(one.told(name, several=len(check) > 1))
        told.append(Text(f"{one.titled(name)}{_why(checks)}: {lines}" if len(check) > 1 else lines))
    if check.sane is not None:
        told.append(Text(_YES) if check.sane else Alarm(_NO, passes=False))
    return (Section(_TITLE, (*told, *_tables(check)), _about(check)),)


def _why(checks: list[SimulatedCheck]) -> str:
    """Write why it is told of this one of several tasks."""
    if len(checks) == 1:
        return ""
    known = sum(bool(one.worlds) for one in checks)
    if known <= 1:
        return f" ({'the only one that was simulated' if known else 'the first'} of {len(checks)} tasks)"
    simulated = f"{len(checks)} tasks" if known == len(checks) else f"the {known} tasks that were simulated"
    return f" (of {simulated} none errs more often)"


def _about(check: SelfCheck) -> str:
    known = [one for one in check.checks if one.worlds]
    if not known:
        return ""
    studies = sorted({world.studies for one in known for world in one.worlds})
    draws = sorted({one.draws for one in known})
    least = f"{studies[0]:,} to " if len(studies) > 1 else ""
    return (
        f"By {least}{count_of(studies[-1], 'simulated test set')} of each truth, like these data, judged as this gate "
        f"judges by {' or '.join(f'{number:,}' for number in draws)} draws each; seed {check.seed}."
    )


def _tables(check: SelfCheck) -> tuple[Table, ...]:
    """Return a row per truth, named by its requirement where there are several."""
    rows = [row for one in check.checks for row in _rows(one, several=len(check) > 1)]
    if not rows:
        return ()
    several = ("requirement",) if len(check) > 1 else ()
    header = (*several, "if it were true that", "passes", "fails", "undecided", "wrong", "95% interval")
    note = "Wrong is a pass where the requirement does not hold, or a failure where it does."
    columns = 1 + len(several)
    return (Table(header=header, rows=tuple(rows), text_columns=columns, ends_in_text=False, note=note, wraps=True),)


def _rows(one: SimulatedCheck, *, several: bool) -> list[tuple[str, ...]]:
    rows = []
    for world in one.worlds:
        low, high = (f"{100 * end:.1f}%" for end in world.wrong.interval)
        shares = (world.passes.text, world.fails.text, world.stays_open.text, world.wrong.text, f"{low} to {high}")
        lead = (one.titled(name),) if several else ()
        rows.append((*lead, one.truth_text(world, name), *shares))
    return rows
