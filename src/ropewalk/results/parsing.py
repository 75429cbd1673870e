"""Read what a shell gives as text: numbers, shares and lists, each with an error that names its option.

Numbers are written in plain digits: other scripts' digits, which Python would take, are a slip of the keyboard.
"""

from __future__ import annotations

import csv
import math
import re
from typing import Final

from ropewalk.errors import InvalidInputError
from ropewalk.text.writing import brief, told
from ropewalk.typing import DrawsLike

_WHOLE: Final = re.compile(r"[-+]?[0-9]+(_[0-9]+)*")
_REAL: Final = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?|[-+]?inf(inity)?|nan", re.IGNORECASE)
_AFTER_A_COMMA: Final = re.compile(r"[-+]?0[0-9]+%?")
_USUAL: Final = {"--prob": 95, "--at-least": 80, "--threshold": 50, "--power": 80}
"""Per cent that errors show as an example, where 2 would make no sense."""
_MAX_DIGITS: Final = 40  # of a whole number: a seed of 128 bits has 39


def parse_texts(text: str, flag: str) -> list[str]:
    """Split a list; a part that holds a comma may be quoted, as in CSV."""
    try:
        parts = [part.strip() for part in next(csv.reader([text], skipinitialspace=True, strict=True), [])]
    except csv.Error:
        raise InvalidInputError(
            f"{flag} holds a line break or an open quote: {told(text)}.",
            hint=f"separate its parts by commas on one line: {flag} x,y or {flag} '\"x,1\",y'",
        ) from None
    if not parts or not all(parts):
        raise InvalidInputError(f"{flag} holds an empty part: {told(text)}.", hint='quote commas: "x,1",y')
    return parts


def parse_weights(text: str, flag: str) -> str | dict[str, float]:
    """Read "items", or a list of NAME=NUMBER.

    Examples
    --------
    >>> parse_weights("items", "--weights"), parse_weights("sums=2,words=1", "--weights")
    ('items', {'sums': 2.0, 'words': 1.0})
    """
    if text == "items":
        return text
    return {name: parse_number(value, flag) for name, value in parse_pairs(text, flag).items()}


def parse_pairs(text: str, flag: str) -> dict[str, str]:
    """Split a list of NAME=VALUE.

    Examples
    --------
    >>> parse_pairs("f1=0.01,recall=2%", "--rope")
    {'f1': '0.01', 'recall': '2%'}
    """
    pairs: dict[str, str] = {}
    for part in parse_texts(text, flag):
        name, sign, value = part.rpartition("=")
        if not sign or name in pairs:
            problem = "comes twice" if sign else "has no value"
            raise InvalidInputError(
                f"{flag}: {told(name or value)} {problem} in {told(text)}.",
                hint=f"write {flag} NAME=VALUE,NAME=VALUE",
            )
        pairs[name] = value
    return pairs


def parse_whole(text: str, flag: str, least: int | None = None) -> int:
    """Read a whole number, of at least `least`; thousands may be set apart as in Python.

    Examples
    --------
    >>> parse_whole("200_000", "--draws")
    200000
    """
    word = text.strip()
    if _WHOLE.fullmatch(word) is None or len(word) > _MAX_DIGITS:
        raise InvalidInputError(
            f"{flag} takes a whole number; {told(text)} is not a valid integer.",
            hint=f"write {flag} {max(least or 0, 100)}",
        )
    number = int(word)
    if least is not None and number < least:
        raise InvalidInputError(f"{flag} must be at least {least:,}; got {number:,}.", hint=f"write {flag} {least}")
    return number


def parse_number(text: str, flag: str) -> float:
    """Read one number, which may be infinite where it says so.

    Examples
    --------
    >>> parse_number(".05", "--prob"), parse_number("-inf", "--rope")
    (0.05, -inf)
    """
    numbers = parse_numbers(text, flag)
    if len(numbers) > 1:
        raise InvalidInputError(
            f"{flag} takes one number; got {told(text)}.", hint=f"with a decimal point: {flag} 0.05"
        )
    return numbers[0]


def parse_numbers(text: str, flag: str, example: str = "0.05") -> list[float]:
    """Read numbers separated by commas; a decimal comma is none of these."""
    return [_number(part.strip(), text, flag, example) for part in text.split(",")]


def _number(part: str, text: str, flag: str, example: str) -> float:
    if _AFTER_A_COMMA.fullmatch(part):
        raise InvalidInputError(
            f"{flag} holds {part!r}, as after a decimal comma; got {told(text)}.",
            hint=f"with a decimal point: {flag} {example}",
        )
    number = float(part) if _REAL.fullmatch(part) else math.nan
    if math.isnan(number):
        raise InvalidInputError(
            f"{flag} takes a number, or finite numbers separated by commas; got {told(text)}.",
            hint=f"write {flag} {example}",
        )
    if math.isinf(number) and "inf" not in part.lower():
        raise InvalidInputError(
            f"{flag} holds a number that is too large: {brief(part)}.", hint=f"write {flag} {example}"
        )
    return number


def parse_share(text: str, flag: str) -> float:
    """Read a number, or a percentage.

    Examples
    --------
    >>> parse_share("2%", "--margin"), parse_share("0.02", "--margin")
    (0.02, 0.02)
    """
    number, usual = text.strip().removesuffix("%"), _USUAL.get(flag, 2)
    example = f"{usual / 100:g} or {flag} {usual}%"
    value = parse_numbers(number, flag, example)
    if len(value) > 1:
        raise InvalidInputError(f"{flag} takes one number; got {told(text)}.", hint=f"write {flag} {example}")
    return value[0] if number == text.strip() else round(value[0] / 100, 12)


def parse_rope(text: str, flag: str) -> float | list[float] | dict[str, float]:
    """Read a half-width or LOW,HIGH, as numbers or percentages; or half-widths by metric: f1=0.01,recall=2%."""
    if "=" in text:
        return {name: parse_share(number, flag) for name, number in parse_pairs(text, flag).items()}
    numbers = [parse_share(part, flag) for part in text.split(",")]
    return numbers[0] if len(numbers) == 1 else numbers


def parse_draws(text: str, flag: str) -> DrawsLike:
    """Read a number of draws, or auto."""
    if text.strip() == "auto":
        return "auto"
    try:
        return parse_whole(text, flag)
    except InvalidInputError:
        raise InvalidInputError(
            f"{flag} takes a positive integer or auto; got {told(text)}.", hint=f"write {flag} 200000"
        ) from None
