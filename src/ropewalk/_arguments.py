"""What comes in by a public call: plain values as Python has them, foreign objects as arrays, and whose fault it is.

An object may do anything when it is read. What its own code raises is told as an error about the argument that it came
as; what fails in ours stays as it is.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import partial
from itertools import islice
from types import FunctionType, GeneratorType, MethodType, TracebackType
from typing import Any, Final, Self, cast

import numpy as np

from ropewalk.errors import InvalidInputError
from ropewalk.text.remarks import argument
from ropewalk.text.writing import reason, told

MAX_READ: Final = 1 << 26
"""How many values are read of what does not say how many it has, or may lie about it."""

_RENAME: Final = "columns whose names are no texts, such as numbers, are renamed first: frame.columns.map(str)."
_MAX_TEXTS: Final = 1 << 20
_MAX_PARTS: Final = 1_000  # of an argument, among which the one at fault is looked for

_PACKAGE: Final = os.path.dirname(__file__) + os.sep  # noqa: PTH120 - compared with file names of code
_COMMON: Final = frozenset({"builtins", "numpy"})

Plain = Callable[[Any, str], Any]


# -- foreign objects as arrays and lists -------------------------------------------------------------------


def array_of(values: Any, dtype: Any = None) -> Any:
    """Return foreign values as an array; a ValueError says that they cannot be read as one.

    Numbers beyond those of the type become infinite.

    Examples
    --------
    >>> array_of([1, 2]).tolist()
    [1, 2]
    """
    try:
        with np.errstate(over="ignore", invalid="ignore"):
            array = np.asarray(values)
            array = array if dtype is None or array.dtype.kind == "c" else np.asarray(array, dtype=dtype)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ValueError(reason(error)) from error
    if dtype is not None and array.dtype.kind == "c":
        raise ValueError("complex numbers have no order")
    return array


def listed(values: Any, name: str) -> list[Any]:
    """Return foreign values as a list, however many they say that they are; `name` is what an error calls them.

    Examples
    --------
    >>> listed(range(3), "`sizes`")
    [0, 1, 2]
    """
    read = read_some(values)
    if read is None:
        raise InvalidInputError(
            f"{name} must be a sequence of at most {MAX_READ:,} values; got {told(values)}.",
            hint="give a list or an array.",
        )
    return read


def read_some(values: Any, most: int | None = None) -> list[Any] | None:
    """Return foreign values as a list; None where they are none, or too many to be meant.

    Examples
    --------
    >>> read_some((1, 2)), read_some(3), read_some(range(10**30), most=5)
    ([1, 2], None, None)
    """
    most = MAX_READ if most is None else most
    if type(values) is list:
        return values.copy()
    try:
        read = list(islice(iter(values), most + 1))  # which asks for no length: it may be a lie
    except (TypeError, ValueError, OverflowError):
        return None
    return read if len(read) <= most else None


# -- plain values ------------------------------------------------------------------------------------------


def as_bool(value: Any, name: str) -> bool:
    """Return a plain True or False.

    Examples
    --------
    >>> as_bool(np.True_, "papers")
    True
    """
    if isinstance(value, bool | np.bool_):
        return bool(value)
    raise InvalidInputError(
        argument(name) + f" must be True or False; got {told(value)}.", hint="leave it out for what is usual."
    )


def as_text(value: Any, name: str) -> str:
    """Return a plain text.

    Examples
    --------
    >>> as_text(np.str_("f1"), "title")
    'f1'
    """
    if isinstance(value, str):
        return str.__str__(value)
    raise InvalidInputError(
        argument(name) + f" must be a text; got {told(value)}.", hint=f"write it in quotes; {_RENAME}"
    )


def as_path(value: Any, name: str) -> Any:
    """Return a path: a plain text, or what Python takes for one.

    Examples
    --------
    >>> as_path("report.html", "path")
    'report.html'
    """
    try:
        path = os.fspath(value)
    except TypeError:
        path = None
    if not isinstance(path, str):
        raise InvalidInputError(
            argument(name) + f" must be a path; got {told(value)}.", hint="write it in quotes, or give a pathlib.Path."
        )
    return str.__str__(value) if isinstance(value, str) else value


def as_texts(value: Any, name: str) -> list[str]:
    """Return texts as a list; a single one, or what has no order, is none.

    Examples
    --------
    >>> as_texts(("new", np.str_("old")), "names")
    ['new', 'old']
    """
    texts = None if isinstance(value, str | bytes | Mapping | AbstractSet) else read_some(value, _MAX_TEXTS)
    if texts is None or not all(isinstance(text, str) for text in texts):
        raise InvalidInputError(
            argument(name) + f" must be a list of texts; got {told(value)}.",
            hint=f'write ["first", "second"]; {_RENAME}',
        )
    return [str.__str__(text) for text in texts]


def as_one_or_more(value: Any, name: str) -> str | list[str]:
    """Return a plain text as it is, and several as a list.

    Examples
    --------
    >>> as_one_or_more("acc", "scorer"), as_one_or_more(("acc", "f1"), "scorer")
    ('acc', ['acc', 'f1'])
    """
    return as_text(value, name) if isinstance(value, str) else as_texts(value, name)


_CHECKS: Final[Mapping[str, Plain]] = {
    "bool": as_bool,
    "str": as_text,
    "str | Sequence[str]": as_one_or_more,
    "str | os.PathLike[str]": as_path,
    "Sequence[str]": as_texts,
    "Collection[str]": as_texts,
}
"""What values of a plain type are, by how signatures write it; other types have checks of their own."""


# -- the door of a function, and whose fault it is ---------------------------------------------------------


def _or_none(check: Plain) -> Plain:
    return lambda value, name: None if value is None else check(value, name)


def _check_of(annotation: Any) -> Plain | None:
    """Return what checks an argument, by how the signature writes its type; None where the function itself does."""
    text = annotation.__name__ if isinstance(annotation, type) else str(annotation)
    check = _CHECKS.get(text.removesuffix(" | None"))
    return check if check is None or not text.endswith(" | None") else _or_none(check)


@dataclass(frozen=True, slots=True)
class Door:
    """What is known of the arguments of a public function: their places, and how those of plain types are checked."""

    places: Sequence[str]
    checks: Mapping[str, Plain]

    @classmethod
    def of(cls, places: Sequence[str], annotations: Mapping[str, Any]) -> Self:
        """Make the door of a function from the names that may be given by position, and from what is annotated.

        Examples
        --------
        >>> door = Door.of(["path"], {"path": "str", "papers": bool, "width": "int"})
        >>> door.plain(["report.html"], {"papers": np.True_, "width": np.int8(80)})
        (['report.html'], {'papers': True, 'width': 80})
        """
        checks = {name: _check_of(annotation) for name, annotation in annotations.items()}
        return cls(places, {name: check for name, check in checks.items() if check is not None})

    def plain(self, given: Sequence[Any], options: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of a call, those of plain types as Python has them."""
        by_place = [self._plain(self.places[i] if i < len(self.places) else "", x) for i, x in enumerate(given)]
        return by_place, {name: self._plain(name, value) for name, value in options.items()}

    def _plain(self, name: str, value: Any) -> Any:
        if isinstance(value, np.number | np.bool_):
            value = float(value) if isinstance(value, np.longdouble) else value.item()
        return self.checks[name](value, name) if name in self.checks else value

    def blamed(self, error: Exception, given: Sequence[Any], options: Mapping[str, Any]) -> InvalidInputError | None:
        """Return what an error says about the argument whose own code raised it, None where it was none of theirs."""
        frames = list(_foreign_frames(error.__traceback__))
        by_place = {self._called(i): value for i, value in enumerate(given)}
        named = by_place | {argument(name): value for name, value in options.items()}
        for name, value in named.items() if frames else ():
            if any(_is_of(frame, part) for part in _parts(value) for frame in frames):
                return InvalidInputError(
                    f"{name} failed in code of its own: {type(error).__name__}: {reason(error)}.",
                    hint="the error before this one shows where.",
                )
        return None

    def _called(self, i: int) -> str:
        return argument(self.places[i]) if i < len(self.places) else f"Argument {i + 1}"


def _foreign_frames(traceback: TracebackType | None) -> Iterator[Any]:
    """Yield the frames that lie deeper than the last one of this package."""
    frames: list[Any] = []
    while traceback is not None:
        frames = [] if traceback.tb_frame.f_code.co_filename.startswith(_PACKAGE) else [*frames, traceback.tb_frame]
        traceback = traceback.tb_next
    yield from frames


def _parts(value: Any) -> Iterator[Any]:
    """Yield an argument, and what it holds."""
    yield value
    if type(value) in {list, tuple, dict} or (type(value) is np.ndarray and value.dtype == object):
        inner = value.values() if type(value) is dict else value.flat if type(value) is np.ndarray else value
        yield from islice(inner, _MAX_PARTS)


def _is_of(frame: Any, part: Any) -> bool:
    """Whether a frame runs a function, a generator or a method of an object."""
    code, kind = frame.f_code, cast("Any", type(part))
    if kind is partial:
        part, kind = part.func, type(part.func)
    if kind is MethodType:
        part, kind = part.__func__, FunctionType
    if kind is FunctionType:
        return part.__code__ is code
    if kind is GeneratorType:
        return part.gi_code is code
    first = frame.f_locals.get(code.co_varnames[0]) if code.co_argcount else None
    return (part is not None and first is part) or (type(first) is kind and kind.__module__ not in _COMMON)
