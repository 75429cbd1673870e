"""Classical tests: one, a battery, many classifiers, and those that stand beside a comparison."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from ropewalk.inference.remarks import left_out
from ropewalk.report.document import Answer, Document, Table, describes, name
from ropewalk.report.page_remarks import Line
from ropewalk.report.words import label_name, places_of
from ropewalk.results import Battery, ClassicalTest, Nemenyi
from ropewalk.results.classical import TITLES
from ropewalk.text.remarks import Remark
from ropewalk.text.writing import count_of, interval, number, p_equals, p_value

MEANING: Final = "p is how probable data at least this extreme are if the null hypothesis holds, not how probable it is"


# -- one test ----------------------------------------------------------------------------------------------


@describes(ClassicalTest)
def describe_test(test: ClassicalTest) -> Document:
    """Describe what a test did, what it assumes and what came out."""
    p = p_value(test.p_value, test.mc_error)
    # Only a large statistic contradicts these null hypotheses, so that there are no sides.
    one_way = test.reference is not None and test.reference.family in {"chi2", "f"}
    mass = "" if test.effect is None or test.effect.interval is None else f" · {100 * test.effect.prob:g}%"
    effect = "" if test.effect is None else f"{name(test.effect.name)} {effect_text(test)}"
    lines = (
        ("About", ", ".join(map(name, test.names))),
        ("Test", test.method),
        ("Null", test.null + ("" if one_way else f" · alternative {test.alternative}")),
        ("Result", f"statistic {_statistic(test)} · n {test.n:,} · p {p}"),
        ("Effect", f"{effect}{mass} confidence interval" if mass else effect),
        ("Assumes", "; ".join(test.assumptions)),
    )
    headline = f"{name(test.name)}: {p_equals(test.p_value, test.mc_error)}"
    answer = Answer(title=name(test.name), headline=headline, lines=lines, note=MEANING)
    return Document(
        caption=headline,
        answers=(answer,),
        tables=(battery_table({"": test}),),
        remarks=test.remarks,
        terminal=(answer,),
    )


def _statistic(test: ClassicalTest) -> str:
    value = test.statistic
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"


def effect_text(test: ClassicalTest) -> str:
    """Write how large the difference is that a test is about."""
    effect = test.effect
    if effect is None:
        return "–"
    sign, ends = "A − B" in effect.name, effect.interval
    sizes = (effect.value,) if ends is None else (effect.value - ends.low, ends.high - effect.value)
    smallest = min((abs(size) for size in sizes if size and math.isfinite(size)), default=0.0)
    # Three decimals, or as many as it takes to show two digits of something small.
    places = places_of(smallest, 3, 9)
    value = number(effect.value, places, sign=sign)
    return value if ends is None else f"{value} {interval(ends.low, ends.high, places, sign=sign)}"


# -- several ----------------------------------------------------------------------------------------------


def battery_table(tests: Mapping[str, ClassicalTest | None], label: str = "") -> Table:
    """Return one row per test; those that were not carried out have dashes."""
    rows = []
    for key, test in tests.items():
        if test is None:
            rows.append((name(TITLES.get(key, key)), "", "–", "–", "–", "–"))
            continue
        of, p = "" if test.effect is None else test.effect.name, p_value(test.p_value, test.mc_error)
        rows.append((name(test.name), name(of), _statistic(test), f"{test.n:,}", p, effect_text(test)))
    probs = {test.effect.prob for test in tests.values() if test is not None and test.effect is not None}
    mass = f" [{100 * max(probs):g}%]" if probs else ""
    header = ("test", "of", "statistic", "n", "p", f"effect{mass}")
    return Table(header=header, rows=tuple(rows), text_columns=2, ends_in_text=False, label=label)


@describes(Battery)
def describe_battery(battery: Battery) -> Document:
    """Describe all tests of two classifiers."""
    a, b = name(battery.a), name(battery.b)
    about = "" if battery.pos_label is None else f" · class {label_name(battery.pos_label)} against the rest"
    carried_out = {key: test for key, test in battery.tests.items() if test is not None}
    done, items = count_of(len(carried_out), "test"), count_of(battery.n_items, "item")
    headline = f"{done} of A = {a} against B = {b}, on {items}{about}"
    title = f"Classical tests of {a} (A) and {b} (B)"
    return Document(
        caption=headline,
        answers=(Answer(title=title, headline=headline, note=MEANING),),
        tables=(battery_table(carried_out or battery.tests),),
        remarks=_battery_remarks(battery),
    )


def _battery_remarks(battery: Battery) -> tuple[Line | Remark, ...]:
    """Return every assumption with the tests that make it, why tests were not carried out, and their warnings."""
    tests = [test for test in battery.tests.values() if test is not None]
    assumed: dict[str, list[str]] = {}
    for test in tests:
        for assumption in test.assumptions:
            assumed.setdefault(assumption, []).append(test.name)
    missing: dict[str, list[str]] = {}
    for key, reason in battery.reasons.items():
        missing.setdefault(reason, []).append(TITLES.get(key, key))
    warnings = dict.fromkeys(warning for test in tests for warning in test.warnings)
    return (
        *(Line("Assumes", f"{assumption} ({', '.join(names)})") for assumption, names in assumed.items()),
        *([left_out(battery.left_out)] if battery.left_out else ()),
        *(Line("Note", f"not carried out: {', '.join(keys)} ({reason})") for reason, keys in missing.items()),
        *(Line("Warning", f"tests over classes: {warning}") for warning in warnings),
    )


@describes(Nemenyi)
def describe_nemenyi(result: Nemenyi) -> Document:
    """Describe which of many classifiers can be told apart."""
    best = [who for who, rank in result.ranks.items() if rank == min(result.ranks.values())]
    lead = f"{name(best[0])} has" if len(best) == 1 else f"{', '.join(map(name, best))} share"
    alike = [", ".join(map(name, group)) for group in result.groups]
    headline = (
        f"{lead} the best average rank over {count_of(result.n, 'row')}; ranks that differ by "
        f"{number(result.critical_difference, 3)} or more are told apart at level {result.alpha:g}"
    )
    lines = (
        *((name(who), f"average rank {number(rank, 3)}") for who, rank in result.ranks.items()),
        ("Not told apart", "; ".join(alike) if alike else "none"),
    )
    rows = []
    for (a, b), p in result.p_values.items():
        apart = result.ranks[a] - result.ranks[b]
        beyond = "yes" if abs(apart) >= result.critical_difference else "no"
        rows.append((name(f"{a} − {b}"), number(apart, 3, sign=True), p_value(p), beyond))
    header = ("pair", "difference of ranks", "p", f"beyond {result.critical_difference:.3f}")
    return Document(
        caption=headline,
        answers=(Answer(title="Nemenyi test", headline=headline, lines=lines, note=MEANING),),
        tables=(Table(header=header, rows=tuple(rows)),),
        remarks=result.remarks,
    )
