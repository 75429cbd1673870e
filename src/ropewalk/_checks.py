"""Checks at the public edge; everything inside trusts its types."""

from __future__ import annotations

import functools
import inspect
import math
import numbers
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from types import FunctionType
from typing import Any, TypeVar, Unpack, cast, get_args, get_origin, get_type_hints

import numpy as np

from ropewalk._arguments import Door, array_of, read_some
from ropewalk.errors import (
    CountsError,
    DataError,
    InvalidInputError,
    RopewalkError,
    UnknownKeywordError,
    UnknownNameError,
)
from ropewalk.text.remarks import argument, wording
from ropewalk.text.writing import did_you_mean, shorten, told
from ropewalk.typing import DrawsLike, FloatArray, IntArray, Label, Missing, SeedLike

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

MAX_DRAWS = 100_000_000
MAX_WORKERS = 1_024  # threads or processes
_MAX_ERROR_OF_SUM = 1e-6  # how far from 1 a sum of probabilities may be, as of published digits
_SHARES = "give shares such as [0.2, 0.8]; of counts, divide by their sum."
_MIN_PROB = 1e-6
_MAX_MASS = 1e15  # of a prior: no data have so many items
_MAX_SEED = 2**128
_SEED_BITS = 53  # a recorded seed survives a trip through any JSON reader, JavaScript's doubles included


def choose(value: str, choices: Mapping[str, T], what: str) -> T:
    """Look `value` up, or raise with the list of what there is."""
    name = str.__str__(value) if isinstance(value, str) else None
    if name in choices:
        return choices[name]
    raise UnknownNameError(
        f"Unknown {what} {told(value)}.", hint=did_you_mean(value, choices) + f"Choose from: {', '.join(choices)}."
    )


_BY_POSITION = ("y_true", "y_pred", "y_score", "pred_a", "pred_b", "score_a", "score_b", "outcomes", "data")


def checked_keywords(function: F) -> F:
    """Make a public function answer a misspelt keyword with the nearest parameter.

    ``**options: Unpack[SomeOptions]`` counts as the keys of that typed dictionary: `inspect.signature` and `help` show
    them with the defaults that their annotations hold, and the function finds those among its `options`.
    """
    return cast("F", _checked(function, is_method=False))


def publish(namespace: dict[str, Any]) -> None:
    """Let completion show what a module lists in `__all__`, and let its classes answer a misspelt keyword.

    Constructors and public methods are changed in place, once, where they are listed; nothing else changes.
    """
    namespace["__dir__"] = lambda: namespace["__all__"]
    for public in namespace["__all__"]:
        _check_kind(namespace.get(public))


def publish_late(namespace: dict[str, Any], homes: Mapping[str, Sequence[str]], name: str) -> Any:
    """Import what a package lists from its module there, when it is used first; its classes are `published` there."""
    package = namespace["__name__"]
    home = next((home for home, names in homes.items() if name in names), None)
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    namespace[name] = value = getattr(import_module(f"{package}.{home}"), name)
    return value


def published(kind: type[T]) -> type[T]:
    """Let a class answer a misspelt keyword wherever it comes from, as `publish` does for those of a module."""
    _check_kind(kind)
    return kind


def _check_kind(public: Any) -> None:
    for kind in getattr(public, "__mro__", ()):
        if kind.__module__.startswith("ropewalk.") and not getattr(kind, "_is_protocol", False):
            for name, member in list(vars(kind).items()):
                if name == "__init__" or not name.startswith("_"):
                    _check_member(kind, name, member)


def _check_member(kind: type, name: str, member: Any) -> None:
    function = member.__func__ if isinstance(member, classmethod) else member
    if isinstance(function, FunctionType) and not hasattr(function, "__wrapped__"):  # which a checked one has
        checked = _checked(function, is_method=True)
        setattr(kind, name, classmethod(checked) if isinstance(member, classmethod) else checked)


def _checked(function: Any, *, is_method: bool) -> Any:
    code = function.__code__
    names = list(code.co_varnames[code.co_posonlyargcount : code.co_argcount + code.co_kwonlyargcount])
    shown = _expanded(function)
    if shown is not None:
        names = [name for name, p in shown.parameters.items() if p.kind is not p.VAR_POSITIONAL]
        if any(p.kind is p.VAR_KEYWORD for p in shown.parameters.values()):  # checked where it is passed on to
            return function
    names = names[is_method:]
    known, defaults = frozenset(names), _declared_defaults(function, shown)
    shown_types = {} if shown is None else {p.name: p.annotation for p in shown.parameters.values()}
    door = Door.of(code.co_varnames[: code.co_argcount], function.__annotations__ | shown_types)

    @functools.wraps(function)
    def checked(*data: Any, **options: Any) -> Any:
        if not options.keys() <= known:
            raise _unknown_keyword(function, next(name for name in options if name not in known), names)
        try:
            given, options = door.plain(data, options)
            return function(*given, **(defaults | options))
        except (RopewalkError, MemoryError):
            raise
        except Exception as error:
            problem = door.blamed(error, data, options)
            if problem is None:
                raise
            raise problem from error

    if shown is not None:
        checked.__signature__ = shown  # type: ignore[attr-defined]
    return checked


def _expanded(function: Any) -> inspect.Signature | None:
    """Return the signature with the keys of an ``**options: Unpack[…]`` written out; None where there is none."""
    if not function.__code__.co_flags & inspect.CO_VARKEYWORDS:
        return None
    signature = inspect.signature(function)
    *own, rest = signature.parameters.values()
    options = rest.annotation
    if isinstance(options, str) and options.startswith("Unpack["):
        options = function.__globals__[options.removeprefix("Unpack[").removesuffix("]")]
    elif get_origin(options) is Unpack:
        (options,) = get_args(options)
    else:
        return signature
    declared = options.__annotations__
    if any("Annotated[" in getattr(hint, "__forward_arg__", "") for hint in declared.values()):  # not evaluated yet
        declared = get_type_hints(options, include_extras=True)
    known = {parameter.name for parameter in own}
    more = [_parameter(name, hint) for name, hint in declared.items() if name not in known]
    return signature.replace(parameters=[*own, *more])


def _declared_defaults(function: Any, shown: inspect.Signature | None) -> dict[str, Any]:
    """Return the defaults, other than None, of what a function takes as ``**options: Unpack[…]``."""
    if shown is None:
        return {}
    own = inspect.signature(function).parameters
    return {name: p.default for name, p in shown.parameters.items() if name not in own and p.default is not None}


def _parameter(name: str, hint: Any) -> inspect.Parameter:
    option = next(iter(getattr(hint, "__metadata__", ())), None)
    shown = getattr(hint, "__forward_arg__", getattr(hint, "__origin__", hint))
    default = getattr(option, "default", None)
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=shown)


def _unknown_keyword(function: Any, name: str, names: Sequence[str]) -> InvalidInputError:
    if function.__code__.co_flags & inspect.CO_VARARGS and name in _BY_POSITION:
        text = f"The data are given by position, not as `{name}=`."
        return InvalidInputError(text, hint=f"leave {name}= out, and write what comes before it first.")
    guess = "did you mean 'rng'? " if name == "seed" and "rng" in names else did_you_mean(name, names)
    hint = guess + (f"It takes: {', '.join(names)}." if names else "It takes none.")
    return UnknownKeywordError(f"There is no parameter {name!r} here.", hint=hint)


def is_real(value: object) -> bool:
    """Whether `value` is a real number that a float can hold, and not a bool."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        return False
    try:
        float(value)
    except OverflowError:
        return False
    return True


def are_positive(values: Iterable[object]) -> bool:
    """Whether all values are positive, finite numbers, as pseudo-counts must be."""
    return all(is_real(value) and 0.0 < float(value) <= _MAX_MASS for value in values)  # type: ignore[arg-type]


def is_whole(value: object) -> bool:
    """Whether `value` is an integer and not a bool."""
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)


def as_list(values: Any) -> list[Any]:
    """Return a sequence or an array as a list; anything else gives an empty one."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    return (read_some(values) or []) if isinstance(values, Sequence) and not isinstance(values, str) else []


def check_whole(value: Any, name: str, least: int = 1, most: int | None = None, *, hint: str | None = None) -> int:
    """Return a whole number within bounds.

    Examples
    --------
    >>> check_whole(5, "n_bins", 1, 200)
    5
    """
    if not is_whole(value) or value < least or (most is not None and value > most):
        bounds = f"of at least {least:,}" if most is None else f"from {least:,} to {most:,}"
        raise InvalidInputError(
            argument(name) + f" must be a whole number {bounds}; got {told(value)}.",
            hint=hint or f"write a number such as {max(least, 1):,}.",
        )
    return int(value)


def check_prob(value: Any, name: str = "prob") -> float:
    """Return `value` if it is a usable probability mass.

    Examples
    --------
    >>> check_prob(0.95)
    0.95
    """
    if not is_real(value) or not _MIN_PROB <= value <= 1.0 - _MIN_PROB:
        near = " and not next to them" if is_real(value) and 0.0 < value < 1.0 else ""
        raise InvalidInputError(
            argument(name) + f" must be a number strictly between 0 and 1{near}; got {told(value)}.",
            hint="0.95 gives the papers' 95% HDI." if name == "prob" else "write 0.8 for 80%.",
        )
    return float(value)


def check_probabilities(
    values: Any, what: str, shape: tuple[int, ...] | None = None, *, whole: bool = True
) -> FloatArray:
    """Return numbers that are probabilities and, where `whole`, add up to 1; `what` names them in an error.

    Examples
    --------
    >>> check_probabilities([0.25, 0.75], "The shares").tolist()
    [0.25, 0.75]
    """
    try:
        array: FloatArray = array_of(values, np.float64)
    except ValueError:
        raise InvalidInputError(f"{what} must be numbers; got {told(values)}.", hint=_SHARES) from None
    if shape is not None and array.shape != shape:
        raise InvalidInputError(
            f"{what} must be {' × '.join(map(str, shape))} numbers; got {told(values)}.", hint=_SHARES
        )
    wrong = ~np.isfinite(array) | (array < 0)
    if whole:
        wrong |= array > 1 + _MAX_ERROR_OF_SUM
    if wrong.any():
        must = "probabilities from 0 to 1" if whole else "finite and not negative"
        raise InvalidInputError(f"{what} must be {must}; one of them is {array[wrong][0]:g}.", hint=_SHARES)
    total = float(array.sum())
    if whole and abs(total - 1) > _MAX_ERROR_OF_SUM:
        raise InvalidInputError(
            f"{what} must add up to 1; they add up to {total:.6g}.", hint="divide counts by their sum."
        )
    return array / total if whole else array


def check_positive(value: Any, name: str) -> float:
    """Return `value` if it is a positive, finite number, as a prior's mass must be."""
    if not is_real(value) or not 0.0 < value <= _MAX_MASS:
        raise InvalidInputError(
            f"`{name}` must be a positive, finite number; got {told(value)}.", hint="it is a number of pseudo-items."
        )
    return float(value)


def check_draws(value: Any) -> DrawsLike:
    """Return a positive integer number of draws, or "auto"."""
    if isinstance(value, str) and value == "auto":
        return "auto"
    if not is_whole(value) or value < 1:
        raise InvalidInputError(
            wording('`draws` must be a positive integer or "auto"; got {!r}.', value),
            hint='"auto" draws until the verdict no longer depends on Monte Carlo error.',
        )
    if value > MAX_DRAWS:
        raise InvalidInputError(
            wording("`draws` must be at most {:,}; got {!r}.", MAX_DRAWS, value),
            hint="that is far beyond what any verdict needs, and they are all kept in memory.",
        )
    return int(value)


def check_missing(value: Any) -> Missing:
    """Return a way to treat missing labels."""
    ways: dict[str, Missing] = {"error": "error", "drop": "drop", "wrong": "wrong"}
    return choose(value, ways, "way to treat missing labels")


def check_tests(value: Any) -> bool | None:
    """Return whether classical tests are wanted; None where nothing was said."""
    if value is not None and not isinstance(value, bool):
        raise InvalidInputError(
            f"`tests` must be True or False; got {told(value)}.",
            hint=wording("tests=True puts the classical tests beside the answer."),
        )
    return value


def check_unmatched(value: Any) -> str:
    """Return a way to treat ids that only one side has."""
    return choose(value, {"error": "error", "drop": "drop"}, "way to treat unmatched ids")


def check_threads(value: Any) -> int:
    """Return a positive number of threads."""
    if not is_whole(value) or not 1 <= value <= MAX_WORKERS:
        raise InvalidInputError(
            wording("`threads` must be a positive integer, at most {:,}; got {!r}.", MAX_WORKERS, value),
            hint="more threads than cores are no faster.",
        )
    return int(value)


def check_jobs(value: Any) -> int:
    """Return a number of processes, -1 for one on each core."""
    if not is_whole(value) or value == 0 or abs(value) > MAX_WORKERS:
        raise InvalidInputError(
            wording("`n_jobs` must be a whole number up to {:,} and not 0; got {!r}.", MAX_WORKERS, value),
            hint="-1 takes all cores.",
        )
    return int(value)


def check_seed(rng: SeedLike, random_state: SeedLike = None) -> int:
    """Turn whatever the user gave as a source of randomness into one recorded integer.

    Examples
    --------
    >>> check_seed(7)
    7
    """
    if rng is not None and random_state is not None:
        raise InvalidInputError("`rng` and its alias `random_state` were both given.", hint="give one of the two.")
    source = random_state if rng is None else rng
    if isinstance(source, np.random.Generator):
        return int(source.integers(2**_SEED_BITS))
    if source is None:
        source = np.random.SeedSequence()
    if isinstance(source, np.random.SeedSequence):
        return int(source.generate_state(1, np.uint64)[0] >> np.uint64(64 - _SEED_BITS))
    if not is_whole(source) or not 0 <= source < _MAX_SEED:
        raise InvalidInputError(
            wording("`rng` must be a seed from 0 to 2**128, a Generator, a SeedSequence or None; got {!r}.", source),
            hint=wording("rng=0 gives the same answer every time."),
        )
    return int(source)


def check_counts(counts: Any, what: str = "counts") -> IntArray:
    """Return `counts` as int64 if every one is a non-negative whole number."""
    try:
        array = array_of(counts)
    except ValueError as error:
        raise CountsError(
            f"The {what} must not be ragged: every row needs the same length.", hint="write 0 for an empty cell."
        ) from error
    if hasattr(counts, "mask") and np.ma.is_masked(counts):
        raise CountsError(f"Some cells of the {what} are masked.", hint="write 0 for an empty cell.")
    if array.dtype.kind not in "iuf":
        raise CountsError(
            f"The {what} must be whole numbers; got {array.dtype.name} values.",
            hint="counts are how many items fell into each cell.",
        )
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array)
        if bad.any():
            raise CountsError(f"NaN or infinity in the {what} at {_first(bad)}.", hint="write 0 for an empty cell.")
        bad = array != np.floor(array)
        if bad.any():
            raise CountsError(
                f"The {what} must be whole numbers; got {array[bad][0].item()!r} at {_first(bad)}.",
                hint="rates or normalised matrices lose the number of items; give the raw counts.",
            )
    bad = array < 0
    if bad.any():
        raise CountsError(
            f"The {what} must not be negative; got {array[bad][0].item()!r} at {_first(bad)}.",
            hint="counts are how many items fell into each cell.",
        )
    with np.errstate(over="ignore"):
        total = float(array.sum(dtype=np.float64))
    if total >= 2**53:
        raise CountsError(f"There are more than 2**53 items in the {what}.", hint="are these counts?")
    whole: IntArray = array.astype(np.int64)
    return whole


def _first(bad: Any) -> str:
    index = tuple(int(i) for i in np.argwhere(bad)[0])
    return f"index {index[0] if len(index) == 1 else index}"


def check_prevalence(prevalence: Any, labels: Sequence[Label]) -> tuple[float, ...] | None:
    """Return one probability per label, in label order, or None.

    A single number is the share of the positive class, the last of two labels.
    """
    if prevalence is None:
        return None
    if isinstance(prevalence, np.ndarray):
        prevalence = prevalence.tolist()
    hint = "give P(positive) for two labels, one share per label in label order, or a share for each label by name."
    if len(labels) == 2 and labels[0] == f"not {labels[1]}":  # noqa: PLR2004 - one class against the rest
        hint = f"for {labels[1]!r} against the rest give its share alone."
    if is_real(prevalence):
        if len(labels) != 2:  # noqa: PLR2004
            raise InvalidInputError(wording("One `prevalence` is not enough for {} labels.", len(labels)), hint=hint)
        shares = [1.0 - float(prevalence), float(prevalence)]
    elif isinstance(prevalence, Mapping):
        unknown = [key for key in prevalence if key not in labels]
        absent = [label for label in labels if label not in prevalence]
        if unknown or absent:
            raise DataError(
                argument("prevalence")
                + f" must name every label once; unknown: [{shorten(unknown)}], absent: [{shorten(absent)}].",
                hint=hint,
            )
        shares = [prevalence[label] for label in labels]
    else:
        shares = as_list(prevalence)
        if len(shares) != len(labels):
            raise InvalidInputError(
                wording("`prevalence` must have {} shares; got {!r}.", len(labels), prevalence), hint=hint
            )
    if not all(is_real(s) and math.isfinite(s) and s >= 0 for s in shares) or abs(sum(shares) - 1) > _MAX_ERROR_OF_SUM:
        raise InvalidInputError(
            wording("`prevalence` must be shares between 0 and 1 that add up to 1; got {!r}.", prevalence), hint=hint
        )
    return tuple(float(s) / float(sum(shares)) for s in shares)
