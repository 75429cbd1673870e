"""Names and numbers as people should read them.

Names are hostile until they are escaped; numbers have no digit that Monte Carlo error does not carry.
"""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Iterable
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

from ropewalk.errors import InvalidInputError

LEAST_SAVAGE_DICKEY: Final = 0.01  # below it is kernel noise
MIN_LETTERS_TO_GUESS_FROM: Final = 3
LETTERS_PER_SLIP: Final = 4
MAX_GUESSES: Final = 3
MAX_LETTERS: Final = 100  # of a name that a guess looks at
MAX_KNOWN: Final = 1_000  # names that a guess looks at


# -- names and lists -------------------------------------------------------------------------------------


def nearest(name: object, known: Iterable[object]) -> str | None:
    """Return the known name that `name` may be a slip of: a near spelling, or the beginning or end of it.

    Of names that are as near, it is the longest that `name` contains, or else one of the same first letter.

    Examples
    --------
    >>> nearest("kapa", ["kappa", "mcc"]), nearest("accur", ["accuracy", "f1"]), nearest("cost", ["cluster", "rope"])
    ('kappa', 'accuracy', None)
    >>> nearest("bcc", ["mcc", "bac"]), nearest("aucc", ["acc", "auc"]), nearest("accurcy", ["acc", "accuracy"])
    ('bac', 'auc', 'accuracy')
    """
    return next(iter(all_nearest(name, known)), None)


def all_nearest(name: object, known: Iterable[object]) -> list[str]:
    """Return the known names that `name` may be a slip of, none nearer than another; see `nearest`.

    Examples
    --------
    >>> all_nearest("new", ["id", "new_model", "new_proba", "old_model"])
    ['new_model', 'new_proba']
    """
    written = (str.__str__(name) if isinstance(name, str) else told(name))[:MAX_LETTERS].lower()
    near: dict[str, tuple[int, int, bool]] = {}
    for candidate in map(str, islice(known, MAX_KNOWN)):
        shorter, longer = sorted((written, candidate.lower()[:MAX_LETTERS]), key=len)
        slips = _slips(shorter, longer)
        is_telling = len(shorter) >= MIN_LETTERS_TO_GUESS_FROM
        starts_otherwise = candidate[:1].lower() != written[:1]
        if longer.startswith(shorter) or longer.endswith(shorter):
            if is_telling or slips <= 1:
                is_part = len(candidate) < len(written)
                near[candidate] = min(slips, 1 + is_part), -len(candidate) * is_part, starts_otherwise
        elif slips <= max(len(longer) // LETTERS_PER_SLIP, is_telling):
            near[candidate] = slips, 0, starts_otherwise
    least = min(near.values(), default=None)
    return [candidate for candidate, distance in near.items() if distance == least]


def _slips(a: str, b: str) -> int:
    """Count the letters that are wrong, missing, too many or exchanged with the next one."""
    before = last = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        row = [i]
        for j, other in enumerate(b, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (letter != other)))
            if i > 1 and j > 1 and (letter, other) == (b[j - 2], a[i - 2]):
                row[-1] = min(row[-1], before[j - 2] + 1)
        before, last = last, row
    return last[-1]


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return a question that suggests the nearest known names, to begin a hint with; empty where none looks like it.

    Examples
    --------
    >>> did_you_mean("accurate", ["accuracy", "f1"])
    "did you mean 'accuracy'? "
    """
    guesses = all_nearest(name, known)[:MAX_GUESSES]
    return f"did you mean {' or '.join(map(repr, guesses))}? " if guesses else ""


def brief(text: str, longest: int = 60) -> str:
    """Return a text cut to a readable length.

    Examples
    --------
    >>> brief("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def told(value: object, longest: int = 60) -> str:
    """Return what an error shows of a value that may be anything, also one that cannot be written out.

    Examples
    --------
    >>> told("0,05"), told(10**5_000)
    ("'0,05'", 'an int')
    """
    try:
        return brief(str.__str__(repr(value)), longest)
    except Exception:  # noqa: BLE001 - whatever a class of others does
        kind = type(value).__name__
        return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def reason(error: BaseException, longest: int = 200) -> str:
    """Return what an error says, on one line, without its hint and its full stop.

    Examples
    --------
    >>> reason(ValueError("no such thing.")), reason(KeyError())
    ('no such thing', 'KeyError')
    """
    try:
        text = str(getattr(error, "message", error))
    except Exception:  # noqa: BLE001 - whatever a class of others does
        text = ""
    return brief(" ".join(text.split()).rstrip(" .") or type(error).__name__, longest)


def cut_middle(text: str, letters: int) -> str:
    """Cut a text in the middle, so that its beginning and its end are seen: names often differ in their ends.

    Examples
    --------
    >>> cut_middle("resnet50_pretrained_on_web", 11)
    'resne…n_web'
    """
    if len(text) <= letters:
        return text
    half = (letters - 1) // 2
    return f"{text[: letters - 1 - half]}…{text[-half:]}"


def cut_apart(texts: Iterable[str], letters: int) -> dict[str, str]:
    """Cut texts in the middle and keep them apart: what they share is left out first, and then they may be longer.

    Examples
    --------
    >>> list(cut_apart(["claude-opus (temperature 0)", "claude-sonnet (temperature 0)", "gpt"], 12).values())
    ['cla…opus (t…', 'cla…sonnet …', 'gpt']
    """
    shown = {text: cut_middle(text, letters) for text in texts}
    head = letters // 4
    room = letters - head - 1
    for together in _alike(shown):
        first, last = min(together), max(together)
        start = next(i for i in range(len(last)) if first[i : i + 1] != last[i])
        for text in together:
            shown[text] = f"{text[:head]}…{brief(text[min(start, len(text) - room) :], room)}"
    return cut_apart(shown, 2 * letters) if _alike(shown) else shown


def _alike(shown: dict[str, str]) -> list[list[str]]:
    """Return the texts that are shown alike."""
    groups: dict[str, list[str]] = {}
    for text, cut in shown.items():
        groups.setdefault(cut, []).append(text)
    return [together for together in groups.values() if len(together) > 1]


def visible(text: str) -> str:
    r"""Make control characters, line breaks, bidi overrides and lone surrogates visible instead of active.

    Examples
    --------
    >>> print(visible("red \x1b[31m"))
    red \x1b[31m
    """
    if text.isprintable():
        return text
    # Cc and Cf hold everything that steers a terminal or the direction of text; Zl and Zp break lines.
    return "".join(
        char.encode("unicode_escape").decode("ascii")
        if unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} and char != "\u200d"
        else char
        for char in text
    )


def few(remarks: Iterable[str], limit: int = 6) -> list[str]:
    """Return distinct remarks, all or the first few and how many more there are.

    Examples
    --------
    >>> few(["a", "b", "a", "c", "d"], limit=3)
    ['a', 'b', '… and 2 more like these.']
    """
    distinct = list(dict.fromkeys(remarks))
    if len(distinct) <= limit:
        return distinct
    return [*distinct[: limit - 1], f"… and {len(distinct) - limit + 1:,} more like these."]


def count_of(number: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count_of(1, "item"), count_of(7532, "item")
    ('1 item', '7,532 items')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def shorten(items: Iterable[object], limit: int = 12) -> str:
    """Return a readable list of at most `limit` items."""
    shown = [brief(repr(item)) for item in items]
    more = len(shown) - limit
    return ", ".join(shown[:limit]) + (f", … ({more} more)" if more > 0 else "")


_FORMULA: Final = re.compile(r"[=+\-@\t\r\n]")
_NUMBER: Final = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?", re.ASCII)


def safe_cell(text: str) -> str:
    """Return a cell of a CSV file that no spreadsheet takes for a formula: with an apostrophe, where it might be one.

    Examples
    --------
    >>> [safe_cell(text) for text in ("=1+1", "-3.5", "@name", "plain")]
    ["'=1+1", '-3.5', "'@name", 'plain']
    """
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


INERT: Final = re.compile("[ -~\u00a0-\u00ac\u00ae-\u058f\u2010-\u2027\u2030-\u205e\u2070-\u2bff]*")
"""Latin, Greek and Cyrillic letters, signs and formulas: nothing that steers a terminal or the direction of text."""

_LEFTWARDS: Final = ("R", "AL", "AN")
_MARKDOWN: Final = re.compile(r"([\\`*_\[\]~|#])")
_ENTITIES: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "$": "&#36;", "@": "&#64;", "://": "&#58;//"}
_ENTITY: Final = re.compile("|".join(map(re.escape, _ENTITIES)))
_LATEX: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "%": r"\%", "#": r"\#", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\textquotedbl{}", "'": r"\textquotesingle{}", "`": r"\textasciigrave{}",
    "-": "{-}", "[": "{[}", "]": "{]}", "*": "{*}",
    "≈": r"$\approx$", "≪": r"$\ll$", "≫": r"$\gg$", "±": r"$\pm$", "↓": r"$\downarrow$", "−": r"$-$", "∞": r"$\infty$",
    "–": r"\textendash{}", "Δ": r"$\Delta$", "≥": r"$\geq$", "…": r"\dots{}", "β": r"$\beta$", "·": r"$\cdot$",
}  # fmt: skip


def isolated(text: str) -> str:
    r"""Make a name safe for plain text and HTML; one that is read from right to left turns nothing around it.

    Examples
    --------
    >>> isolated("svm"), isolated("\u05d0")
    ('svm', '\u2068\u05d0\u2069')
    """
    if INERT.fullmatch(text):
        return text
    shown = visible(text)
    leftwards = any(unicodedata.bidirectional(char) in _LEFTWARDS for char in shown)
    return f"\u2068{shown}\u2069" if leftwards else shown


def terminal(text: str, letters: int = 60) -> str:
    """Make a name safe for a terminal, and short."""
    return isolated(cut_middle(visible(text), letters))


def terminal_names(names: Iterable[str], letters: int = 60) -> dict[str, str]:
    """Make names that stand together safe for a terminal, and short without being alike."""
    seen = {name: visible(name) for name in names}
    short = cut_apart(seen.values(), letters)
    return {name: isolated(short[text]) for name, text in seen.items()}


def markdown(text: str) -> str:
    r"""Make a name safe for Markdown, GitHub's tables and formulas included.

    Examples
    --------
    >>> print(markdown("a|b <i> $x$"))
    a\|b &lt;i&gt; &#36;x&#36;
    """
    escaped = _MARKDOWN.sub(r"\\\1", visible(text))
    return _ENTITY.sub(lambda match: _ENTITIES[match[0]], escaped)


def latex(text: str) -> str:
    r"""Make a name safe for LaTeX text mode.

    Characters that plain pdfLaTeX has no glyph for are written as their code points.

    Examples
    --------
    >>> latex("50% <b> \\input{x}")
    '50\\% \\textless{}b\\textgreater{} \\textbackslash{}input\\{x\\}'
    """
    parts = []
    for char in visible(text):
        if char in _LATEX:
            parts.append(_LATEX[char])
        elif ord(char) < 0x180:  # noqa: PLR2004 - the letters that T1-less pdfLaTeX knows by UTF-8
            parts.append(char)
        else:
            parts.append(rf"\texttt{{U+{ord(char):04X}}}")
    return "".join(parts)


# -- numbers ---------------------------------------------------------------------------------------------


_MAX_DECIMALS: Final = 9


def decimals(estimate: Any, error: float | None = None) -> int:
    """Return how many decimals to print: two significant digits of the std, and none that the draws do not carry.

    A digit is carried if one unit of it is at least the Monte Carlo `error`: that of the HDI's ends by default.
    """
    error = max(estimate.hdi_mc_error) if error is None else error
    # An infinite one, of a Student t with few degrees of freedom, is replaced by what the HDI of a normal would show.
    std = estimate.std if math.isfinite(estimate.std) else (estimate.hdi.high - estimate.hdi.low) / 4
    if std <= 0:
        return 3
    wanted = math.ceil(-math.log10(std)) + 1
    carried = math.floor(-math.log10(error)) if error > 0 else wanted
    return min(max(min(wanted, carried), 0), _MAX_DECIMALS)


def estimate_text(estimate: Any, *, sign: bool = False) -> str:
    """Write a mean and its HDI, each with the decimals it carries."""
    return f"{carried(estimate.mean, estimate, sign=sign)} {hdi_text(estimate, sign=sign)}"


def carried(value: float | None, estimate: Any, *, sign: bool = False) -> str:
    """Write a number with the decimals that the mean of an estimate carries."""
    return number(value, decimals(estimate, estimate.mc_error), sign=sign)


def hdi_text(estimate: Any, *, sign: bool = False) -> str:
    """Write the HDI of an estimate with the decimals that its ends carry."""
    return interval(estimate.hdi.low, estimate.hdi.high, decimals(estimate), sign=sign)


def amount(value: float, error: float, std: float, beside: float = 0.0) -> str:
    """Write an expected gain or loss: two digits at most, none that Monte Carlo error does not carry.

    Below some thousandths of the posterior's `std` it is written as a bound, and `beside` another amount it has no
    more decimals than that one.

    Examples
    --------
    >>> amount(7.2, 0.01, 5.0, beside=7.2), amount(0.14, 0.001, 5.0, beside=7.2), amount(0.002, 0.0, 5.0, beside=7.2)
    ('7.2', '0.1', 'under 0.1')
    >>> amount(0.01234, 0.00001, 0.01), amount(0.01234, 0.002, 0.01), amount(0.0, 0.0, 0.01), amount(3.0, 0.1, 2.0)
    ('0.012', '0.01', 'under 0.0001', '3.0')
    """
    if std <= 0:
        return f"{value:g}"
    finest = math.ceil(-math.log10(std)) + 2
    carried = math.floor(-math.log10(error)) if error > 0 else finest
    wanted = 1 - math.floor(math.log10(max(value, beside))) if max(value, beside) > 0 else finest
    places = min(max(min(wanted, carried, finest), 0), _MAX_DECIMALS)
    text = f"{value:,.{places}f}"
    return text if float(text.replace(",", "")) else f"under {10.0**-places:.{places}f}"


def number(value: float | None, places: int, *, sign: bool = False) -> str:
    """Write a number with a fixed number of decimals; "–" for one that is not there.

    Examples
    --------
    >>> number(0.0541, 3, sign=True), number(-0.0001, 3, sign=True), number(None, 3)
    ('+0.054', '0.000', '–')
    """
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return f"{'-' if value < 0 else '+' if sign else ''}∞"
    rounded = round(value, places) + 0.0  # turns -0.0 into 0.0
    return f"{rounded:+.{places}f}" if sign and rounded else f"{rounded:.{places}f}"


def interval(low: float, high: float, places: int, *, sign: bool = False) -> str:
    """Write an interval; an open end is infinite."""
    ends = (number(end, places, sign=sign or math.isinf(end)) for end in (low, high))
    return f"[{', '.join(ends)}]"


def percent(share: float, n_draws: int) -> str:
    """Write a probability estimated from draws; never 0% or 100%, with one decimal below 10% and above 90%.

    The decimal is left out where it lies within the Monte Carlo error.

    Examples
    --------
    >>> percent(0.4371, 1_000_000), percent(0.0621, 50_000), percent(0.9999, 50_000), percent(0.0, 100)
    ('44%', '6.2%', '>99.9%', '<3%')
    """
    if math.isnan(share):
        return "–"
    floor = 0.001 if 3 / n_draws <= 0.001 else min(math.ceil(300 / n_draws) / 100, 0.5)  # noqa: PLR2004
    if share < floor:
        return f"<{100 * floor:g}%"
    if share > 1 - floor:
        return f">{100 * (1 - floor):g}%"
    error = math.sqrt(share * (1 - share) / n_draws)
    places = 1 if error <= 0.002 and not 0.1 <= share <= 0.9 else 0  # noqa: PLR2004
    text = f"{100 * share:.{places}f}"
    return f"{text}%" if text not in {"0", "100"} else f"{100 * share:.1f}%"


def share_text(share: float, simulations: int) -> str:
    """Write a share of simulations: a bound only where none of them, or all, did; its interval stands beside it.

    Examples
    --------
    >>> share_text(0.95, 40), share_text(0.0, 40), share_text(1.0, 1_000), share_text(0.004, 1_000)
    ('95%', '<8%', '>99%', '0.4%')
    """
    if share in {0.0, 1.0}:
        return percent(share, simulations)
    whole = f"{100 * share:.0f}"
    return f"{100 * share:.1f}%" if whole in {"0", "100"} else f"{whole}%"


def p_value(p: float, error: float | None = None) -> str:
    """Write a p-value with the papers' three decimals, or fewer where it was simulated and they are not carried.

    Examples
    --------
    >>> p_value(0.11531), p_value(3e-9), p_value(1.0), p_value(0.1153, error=0.003)
    ('0.115', '<0.001', '1.000', '0.12')
    """
    places = 3 if error is None or error <= 0.001 else 2  # noqa: PLR2004
    if error is not None and p < 0.001:  # noqa: PLR2004 - a simulated one ends at 1 / (1 + permutations)
        return f"{p:.1g}"
    least = 10.0**-places
    return f"<{least:.{places}f}" if p < least / 2 else f"{p:.{places}f}"


def p_equals(p: float, error: float | None = None) -> str:
    """Write what a p-value is, for the middle of a sentence.

    Examples
    --------
    >>> p_equals(0.11531), p_equals(3e-9)
    ('p = 0.115', 'p <0.001')
    """
    text = p_value(p, error)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def factor(value: float | None, *, bound: str | None = None) -> str:
    """Write a Bayes factor with two significant digits.

    Examples
    --------
    >>> factor(9.6301), factor(433.4), factor(0.0571), factor(None), factor(0.02, bound="upper")
    ('9.6', '430', '0.057', '–', '<0.020')
    """
    if value is None:
        return "–"
    sign = {"upper": "<", "lower": ">", None: ""}[bound]
    if value <= 0:
        return f"{sign}0"
    places = max(1 - math.floor(math.log10(value)), 0)
    rounded = float(f"{value:.1e}")
    return f"{sign}{rounded:,.{places}f}" if rounded < 1e6 else f"{sign}{rounded:.1e}"  # noqa: PLR2004


def savage_dickey(bayes_factor: Any) -> str:
    """Write the papers' Bayes factor; below 0.01 it is kernel noise, and few draws near 0 earn a question mark."""
    if bayes_factor is None or bayes_factor.sd is None:
        return "–"
    if bayes_factor.sd < LEAST_SAVAGE_DICKEY:
        return f"<{LEAST_SAVAGE_DICKEY:g}"
    return factor(bayes_factor.sd) + ("?" if is_doubtful(bayes_factor) else "")


def is_doubtful(bayes_factor: Any) -> bool:
    """Whether the papers' Bayes factor is printed with a question mark."""
    ratio = None if bayes_factor is None else bayes_factor.sd
    return ratio is not None and ratio >= LEAST_SAVAGE_DICKEY and not bayes_factor.sd_reliable


def first_digit(size: float) -> float:
    """Return what one unit of the first digit of a size is worth.

    Examples
    --------
    >>> first_digit(80.0), first_digit(0.0114)
    (10.0, 0.01)
    """
    return float(f"1e{math.floor(math.log10(size))}")


def rounded_up(n: float, low: float | None = None, high: float | None = None) -> tuple[int, int]:
    """Round a number of items up to the digits that its interval carries, three at most, or two where it has none.

    Returns also what one unit of the last digit is worth.

    Examples
    --------
    >>> rounded_up(1839, 1790, 1890), rounded_up(4749), rounded_up(0)
    ((1840, 10), (4800, 100), (0, 1))
    """
    if n <= 0:
        return 0, 1
    unit = first_digit(n) / (10 if low is None or high is None else 100)
    if low is not None and high is not None and high > low:
        unit = max(unit, first_digit((high - low) / 2))
    whole = max(int(unit), 1)
    return math.ceil(n / whole) * whole, whole


def share_interval(low: float, high: float) -> str:
    """Write the 95% interval of a simulated share, rounded outwards to what it carries.

    Examples
    --------
    >>> share_interval(0.1442, 0.2534), share_interval(0.0, 0.0003)
    ('[14%, 26%]', '[0.0%, 0.1%]')
    """
    places = 1 if (high - low) / 4 <= 0.001 else 0  # noqa: PLR2004 - about four errors wide
    unit = 100 * 10**places
    ends = (math.floor(low * unit + 1e-9), math.ceil(high * unit - 1e-9))
    return f"[{', '.join(f'{100 * end / unit:.{places}f}%' for end in ends)}]"


def today() -> str:
    """Return the date, or that of SOURCE_DATE_EPOCH, by which builds are made reproducible.

    Some libraries below cannot be imported where that variable holds no number, so it is looked at first.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return f"{datetime.now().astimezone():%Y-%m-%d}"
    try:
        return f"{datetime.fromtimestamp(int(epoch), UTC):%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):
        raise InvalidInputError(
            f"The environment variable SOURCE_DATE_EPOCH must be a number of seconds; got {epoch!r}.",
            hint="unset SOURCE_DATE_EPOCH",
        ) from None
