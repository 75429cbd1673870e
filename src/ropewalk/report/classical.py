"""Classical tests, as rows of plain strings."""

from __future__ import annotations

import math
from collections.abc import Mapping

from ropewalk.data.labels import label_text
from ropewalk.data.multilabel import MultilabelOutcomes
from ropewalk.report.shape import Escape, Table, View
from ropewalk.results import Battery, ClassComparisons, ClassicalTest, Comparison, Nemenyi, Rendered
from ropewalk.results.classical import TITLES
from ropewalk.text.names import count_of
from ropewalk.text.numbers import interval, number, p_value

MEANING = "p is how probable data at least this extreme are if the null hypothesis holds, not how probable it is"

_SURPRISE = "how surprising if there were no difference, not how probable one is"

Tested = ClassicalTest | Battery | Nemenyi
"""What this module knows how to show."""


def tests_table(tests: Mapping[str, ClassicalTest | None], escape: Escape) -> Table:
    """Return one row a test; those that were not carried out have dashes."""
    rows = [
        tuple(map(escape, _row(test) if test is not None else (TITLES.get(key, key), "", "–", "–", "–", "–")))
        for key, test in tests.items()
    ]
    probs = {test.effect.prob for test in tests.values() if test is not None and test.effect is not None}
    mass = escape(f" [{100 * max(probs):g}%]") if probs else ""
    header = ("test", "of", "statistic", "n", "p", f"effect{mass}")
    return Table(header=header, rows=tuple(rows), text_columns=2, ends_in_text=False)


def _row(test: ClassicalTest) -> tuple[str, ...]:
    p = p_value(test.p_value, test.mc_error)
    return test.name, _what(test), _statistic(test), f"{test.n:,}", p, _effect(test)


def _statistic(test: ClassicalTest) -> str:
    value = test.statistic
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3f}"


def _effect(test: ClassicalTest) -> str:
    effect = test.effect
    if effect is None:
        return "–"
    sign, ends = "A − B" in effect.name, effect.interval
    sizes = (effect.value,) if ends is None else (effect.value - ends.low, ends.high - effect.value)
    places = _places(min((abs(size) for size in sizes if size and math.isfinite(size)), default=0.0))
    value = number(effect.value, places, sign=sign)
    return value if ends is None else f"{value} {interval(ends.low, ends.high, places, sign=sign)}"


def _places(size: float) -> int:
    """Return three decimals, or as many as it takes to show two digits of something small."""
    return min(max(3, 1 - math.floor(math.log10(size))), 9) if size else 3


def _what(test: ClassicalTest) -> str:
    return "" if test.effect is None else test.effect.name


def single_view(test: ClassicalTest, escape: Escape) -> View:
    """Say what a test did, what it assumes and what came out."""
    lines = [
        *((("About", ", ".join(map(escape, test.names))),) if test.names else ()),
        ("Test", test.method),
        ("Null", test.null + ("" if _is_upper(test) else f" · alternative {test.alternative}")),
        ("Result", f"statistic {_statistic(test)} · n {test.n:,} · p {p_value(test.p_value, test.mc_error)}"),
    ]
    if test.effect is not None:
        mass = "" if test.effect.interval is None else f" · {100 * test.effect.prob:g}% confidence interval"
        lines.append(("Effect", f"{escape(_what(test))} {_effect(test)}{mass}"))
    lines.append(("Assumes", "; ".join(test.assumptions)))
    shown = p_value(test.p_value, test.mc_error)
    return View(
        title=escape(test.name),
        symbol="",
        headline=f"{escape(test.name)}: p {_equals(shown)}",
        lines=tuple(lines),
        shares=(),
        note=MEANING,
    )


def _is_upper(test: ClassicalTest) -> bool:
    """Whether only a large statistic speaks against the null hypothesis, so that there are no sides."""
    return test.reference is not None and test.reference.family in {"chi2", "f"}


def battery_view(battery: Battery, escape: Escape) -> View:
    """Say whom the tests are about."""
    a, b = escape(battery.a), escape(battery.b)
    about = "" if battery.pos_label is None else f" · class {escape(label_text(battery.pos_label))} against the rest"
    done = sum(test is not None for test in battery.tests.values())
    return View(
        title=f"Classical tests of {a} (A) and {b} (B)",
        symbol="",
        headline=f"{count_of(done, 'test')} of A = {a} against B = {b}, on {count_of(battery.n_items, 'item')}{about}",
        lines=(),
        shares=(),
        note=MEANING,
    )


def _assumptions(battery: Battery, escape: Escape) -> list[tuple[str, str]]:
    """Return every assumption, and the tests that make it."""
    who: dict[str, list[str]] = {}
    for test in filter(None, battery.tests.values()):
        for told in test.assumptions:
            who.setdefault(told, []).append(escape(test.name))
    return [("Assumes", f"{told} ({', '.join(names)})") for told, names in who.items()]


def nemenyi_view(found: Nemenyi, escape: Escape) -> View:
    """Say which classifiers can be told apart."""
    best = [name for name, rank in found.ranks.items() if rank == min(found.ranks.values())]
    lead = f"{escape(best[0])} has" if len(best) == 1 else f"{', '.join(map(escape, best))} share"
    lines = [(escape(name), f"average rank {number(rank, 3)}") for name, rank in found.ranks.items()]
    alike = [", ".join(map(escape, group)) for group in found.groups]
    lines.append(("Not told apart", "; ".join(alike) if alike else "none"))
    return View(
        title="Nemenyi test",
        symbol="",
        headline=f"{lead} the best average rank over {count_of(found.n, 'row')}; ranks that differ by "
        f"{number(found.critical_difference, 3)} or more are told apart at level {found.alpha:g}",
        lines=tuple(lines),
        shares=(),
        note=MEANING,
    )


def nemenyi_table(found: Nemenyi, escape: Escape) -> Table:
    """Return one row a pair."""
    rows = []
    for (a, b), p in found.p_values.items():
        apart = abs(found.ranks[a] - found.ranks[b])
        beyond = "yes" if apart >= found.critical_difference else "no"
        rows.append(tuple(map(escape, (f"{a} − {b}", number(found.ranks[a] - found.ranks[b], 3, sign=True),
                                       p_value(p), beyond))))  # fmt: skip
    return Table(
        header=("pair", "difference of ranks", "p", f"beyond {found.critical_difference:.3f}"), rows=tuple(rows)
    )


def views(result: Tested, escape: Escape) -> tuple[View, ...]:
    """Return a result of this module in words."""
    if isinstance(result, Battery):
        return (battery_view(result, escape),)
    return (nemenyi_view(result, escape) if isinstance(result, Nemenyi) else single_view(result, escape),)


def tables(result: Tested, escape: Escape) -> tuple[Table, ...]:
    """Return a result of this module as tables."""
    if isinstance(result, Nemenyi):
        return (nemenyi_table(result, escape),)
    return (tests_table(result.tests if isinstance(result, Battery) else {"": result}, escape),)


def remarks(result: Tested, escape: Escape) -> tuple[tuple[str, str], ...]:
    """Return why tests were not carried out, and their warnings."""
    if not isinstance(result, Battery):
        return tuple(("Warning", escape(told)) for told in result.warnings)
    why: dict[str, list[str]] = {}
    for key, reason in result.reasons.items():
        why.setdefault(reason, []).append(TITLES.get(key, key))
    notes = [("Note", escape(f"not carried out: {', '.join(keys)} ({reason})")) for reason, keys in why.items()]
    told = dict.fromkeys(told for test in result.tests.values() if test is not None for told in test.warnings)
    return (*_assumptions(result, escape), *notes, *(("Warning", escape(f"tests over classes: {one}")) for one in told))


def by_papers(c: Comparison) -> bool:
    """Whether the papers' tests of labels stand beside a comparison."""
    return c.tests is not None and "sign_items" in c.tests.tests


def paper_tests(c: Comparison) -> tuple[ClassicalTest | None, ClassicalTest | None]:
    """Return the sign and t tests that the papers print beside a comparison: over classes for macro averages."""
    if not by_papers(c):
        return None, None
    level = "classes" if c.recipe.metric.average == "macro" else "items"
    tests = {} if c.tests is None else c.tests.tests
    return tests[f"sign_{level}"], tests[f"t_{level}"]


def paper_columns(c: Comparison) -> tuple[str, str]:
    """Return the p-values of the papers' sign and t tests."""
    sign, t = (None if test is None else p_value(test.p_value) for test in paper_tests(c))
    return sign or "–", t or "–"


def cautions(c: Comparison) -> tuple[str, ...]:
    """Return what is wrong with the tests that stand beside a comparison."""
    found = dict.fromkeys(told for test in paper_tests(c) if test is not None for told in test.warnings)
    return tuple(f"sign-test and t-test: {told}" for told in found)


def columns_text(result: Rendered) -> str:
    """Say what the columns of p-values are, where a table has them."""
    if not isinstance(result, Comparison | ClassComparisons):
        return ""
    first = result if isinstance(result, Comparison) else result[0]
    if not by_papers(first):
        return ""
    many = "" if isinstance(result, Comparison) else ", not adjusted for their number"
    return f"sign-test and t-test: classical p-values of {_of(first)}{many}"


def _of(c: Comparison) -> str:
    what = "per-class F1" if c.recipe.metric.average == "macro" else "accuracy, item by item"
    return what if c.recipe.prevalence is None else f"{what}, at the class mix of the data"


def tests_line(c: Comparison) -> str:
    """Say the p-values that the papers would print, and of what they are; empty without tests."""
    found = [(name, test) for name, test in zip(("sign-test", "t-test"), paper_tests(c), strict=True) if test]
    if not found:
        test = None if c.tests is None else c.tests.tests.get("delong")
        if test is None:
            return ""
        return f"DeLong {_effect(test)}, p {_equals(p_value(test.p_value))} (classical, of the ROC AUC; {_SURPRISE})"
    told = " · ".join(f"{name} p {_equals(p_value(test.p_value))}" for name, test in found)
    if c.recipe.metric.average == "macro" and not isinstance(c.recipe.tables[0], MultilabelOutcomes):
        told += "; they reject too often where an item has one label: classical.permutation does not"
    return f"{told} (classical, of {_of(c)}: {_SURPRISE})"


def _equals(shown: str) -> str:
    return shown if shown.startswith("<") else f"= {shown}"
