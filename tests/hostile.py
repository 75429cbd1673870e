"""What attacks whatever shows it or takes it: names for surfaces, and values for arguments.

A new way to break something is a new line here; names also need their key in the tests of the surfaces they are about.
"""

from __future__ import annotations

import datetime as dt
import itertools
from decimal import Decimal
from fractions import Fraction
from importlib import import_module

import numpy as np

NAMES = {
    # HTML
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "end of script": "</script><script>alert(2)</script>",
    "attribute": "' onmouseover='alert(3)",
    "entity": "&amp;",
    "end of data": "]]>",
    "template": "{{7*7}}",
    # LaTeX and mathematics
    "input": r"\input{/etc/passwd}",
    "formula": "$x_1$",
    "formula and cell": "$x_1$ & $y",
    "specials": "50% & #1 ~ ^ {x}",
    "percent": "100%",
    "backslashes": r"\\",
    "ligatures": "--- `` ''",
    "subscript": "θ_{j}^+",
    # Markdown, terminals and shells
    "bar": "a|b",
    "link": "[a](b)",
    "address": "[link](http://x.example)",
    "mention": "@user #1 https://x.example/y",
    "emphasis": "*x* _y_",
    "all marks": "$x_1$ _a_ `b` |c|",
    "code": "`rm -rf`",
    "heading": "# title",
    "markup": "[b]",
    "star": "*a",
    "option": "--flag",
    "dashes": "--",
    "underscore": "_under",
    "model": "a · b model",
    # characters
    "red": "\x1b[31mred\x1b[0m",
    "red lines": "a\x1b[31m\n\tb",
    "control": "\x9b31m",
    "nul": "a\x00\x1b[31m\n<b>|$\\",
    "line": "line\nbreak",
    "turned": "a\u202eb",
    "turned at once": "\u202eevil",
    "turned and red": "a\u202eb\x1b[31m",
    "turned surrogate": "\u202e&b\ud800",
    "surrogate": "\ud800",
    "no character": "\uffff",
    "accents": "naïve Œuvre – ≈ Δ",
    "emoji": "😀",
    "emojis": "😀" * 3,
    "emoji and text": "\U0001f9ea net",
    "hebrew": "שלום",
    "long": "x" * 300,
    "empty": "",
}


def hostile_names(*keys: str) -> list[str]:
    """Return the names of these keys."""
    return [NAMES[key] for key in keys]


# -- values for arguments ----------------------------------------------------------------------------------


class ReadForever(BaseException):
    """Somebody reads what never ends: no limit was set to it."""


PATIENCE = 100_000


def endless():
    """Yield for longer than anybody should listen."""
    yield from itertools.repeat(1, PATIENCE)
    raise ReadForever


def broken():
    """Yield a value, and fail."""
    yield 1
    raise RuntimeError("broken iterator")


def _fail(self, *args, **kwargs):
    raise RuntimeError("hostile")


def hostile_class(name, **members):
    """Return an instance of a new class with these members."""
    return type(name, (), members)()


class Trap:
    """An object of which everything fails that Python lets fail."""

    __array__ = __iter__ = __len__ = __getitem__ = __eq__ = __hash__ = __bool__ = __repr__ = __str__ = _fail
    __float__ = __int__ = __index__ = __call__ = __lt__ = __contains__ = __format__ = __complex__ = __neg__ = _fail
    __fspath__ = __abs__ = __add__ = __sub__ = __mul__ = __truediv__ = _fail

    def __getattr__(self, name):
        raise RuntimeError("hostile")


class Chameleon:
    """An object that has every attribute, which are as it is, callable too."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *args, **kwargs):
        return self


class Loud(dict):
    keys = items = values = __iter__ = __getitem__ = __len__ = _fail


class Evil(int):
    __lt__ = __gt__ = __le__ = __ge__ = __index__ = __float__ = __int__ = _fail


class Text(str):
    __slots__ = ()
    __hash__ = str.__hash__
    __eq__ = lower = strip = startswith = encode = partition = _fail


def cyclic_list():
    made = [1]
    made.append(made)
    return made


def cyclic_dict():
    made = {}
    made["x"] = made
    return made


def deep_list(depth=5_000):
    made = []
    for _ in range(depth):
        made = [made]
    return made


def read_only(values):
    array = np.array(values)
    array.flags.writeable = False
    return array


def object_array(*values):
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def odd_frame():
    """Return a dataframe with columns of one name and an odd index."""
    pandas = import_module("pandas")
    return pandas.DataFrame([[1, 0], [0, 1]], columns=["y", "y"], index=[7, 7])


def odd_series():
    return import_module("pandas").Series([0, 1, 0], index=["z", None, "z"], name=("a", 1))


VALUES = {
    # numbers
    "none": lambda: None,
    "true": lambda: True,
    "false": lambda: False,
    "zero": lambda: 0,
    "minus one": lambda: -1,
    "two": lambda: 2,
    "half": lambda: 0.5,
    "huge": lambda: 10**400,
    "minus huge": lambda: -(10**400),
    "long": lambda: 2**63,
    "nan": lambda: float("nan"),
    "infinity": lambda: float("inf"),
    "minus infinity": lambda: float("-inf"),
    "large": lambda: 1e308,
    "minus zero": lambda: -0.0,
    "denormal": lambda: 5e-324,
    "complex": lambda: 1j,
    "decimal": lambda: Decimal("sNaN"),
    "decimal infinity": lambda: Decimal("Infinity"),
    "fraction": lambda: Fraction(10**400, 3),
    "numpy bool": lambda: np.True_,
    "numpy int": lambda: np.int8(-128),
    "numpy unsigned": lambda: np.uint64(2**64 - 1),
    "half float": lambda: np.float16("inf"),
    "long double": lambda: np.longdouble("1e4000"),
    "numpy nan": lambda: np.float32("nan"),
    "numpy date": lambda: np.datetime64("NaT"),
    "numpy void": lambda: np.void(b"abc"),
    "evil int": lambda: Evil(3),
    # texts, dates and the like
    "empty text": lambda: "",
    "text": lambda: "x",
    "surrogate": lambda: "\ud800",
    "nul": lambda: "a\x00b",
    "long text": lambda: "x" * 100_000,
    "digits": lambda: "9" * 5_000,
    "braces": lambda: "{0} {x!r} %s %d `rope` rope=",
    "evil text": lambda: Text("f1"),
    "bytes": lambda: b"\xff",
    "bytearray": lambda: bytearray(b"ab"),
    "memoryview": lambda: memoryview(b"ab"),
    "date": lambda: dt.date(2020, 1, 1),
    "time": lambda: dt.datetime(2020, 1, 1, tzinfo=dt.UTC),
    "ellipsis": lambda: ...,
    "type": lambda: int,
    "exception": lambda: ValueError("x"),
    "function": lambda: lambda: None,
    "failing function": lambda: _fail,
    "nan function": lambda: lambda *args, **kwargs: float("nan"),
    "itself": lambda: lambda *args, **kwargs: args,
    "module": lambda: np,
    # containers
    "empty list": list,
    "empty tuple": lambda: (),
    "empty dict": dict,
    "empty set": set,
    "set": lambda: {0, 1},
    "dict": lambda: {"a": [0, 1], "b": [1, 0]},
    "odd dict": lambda: {None: 1, 1.5: [2], (): "x"},
    "ragged": lambda: [[1, 2], [3]],
    "nested": lambda: [[[1]], [[2]]],
    "mixed": lambda: [1, "1", None, 1.0, True, b"1"],
    "nulls": lambda: [None] * 12,
    "texts": lambda: ["a", "b"] * 6,
    "long texts": lambda: ["x" * 10_000, "\ud800", "a\x00"] * 4,
    "floats": lambda: [0.0, -0.0, float("nan"), float("inf"), 1e308, 5e-324] * 2,
    "large floats": lambda: [1e308, -1e308] * 6,
    "denormals": lambda: [5e-324] * 12,
    "huge list": lambda: [10**400, -(10**400)] * 6,
    "complex list": lambda: [1j, 2j] * 6,
    "dates": lambda: [dt.date(2020, 1, 1)] * 12,
    "bytes list": lambda: [b"a", b"b"] * 6,
    "dicts": lambda: [{}] * 12,
    "cyclic list": cyclic_list,
    "cyclic dict": cyclic_dict,
    "deep list": deep_list,
    "range": lambda: range(12),
    "long range": lambda: range(10**30),
    "generator": lambda: (i % 2 for i in range(12)),
    "endless": endless,
    "broken": broken,
    "traps": lambda: [Trap()] * 12,
    # arrays
    "scalar array": lambda: np.array(1.5),
    "empty array": lambda: np.array([]),
    "empty rows": lambda: np.empty((0, 3)),
    "empty columns": lambda: np.empty((12, 0)),
    "big-endian": lambda: np.array([0, 1] * 6, dtype=">i4"),
    "fortran": lambda: np.asfortranarray(np.tile([[0, 1], [1, 0]], (6, 1))),
    "read only": lambda: read_only([0, 1] * 6),
    "strided": lambda: np.arange(24)[::-2] % 2,
    "float16": lambda: np.array([0, 1, 65504] * 4, dtype=np.float16),
    "longdouble": lambda: np.array(["1e4000", "1"] * 6, dtype=np.longdouble),
    "unsigned": lambda: np.array([2**64 - 1, 0] * 6, dtype=np.uint64),
    "complex array": lambda: np.array([1j] * 12),
    "dates array": lambda: np.array(["2020-01-01", "NaT"] * 6, dtype="datetime64[D]"),
    "bytes array": lambda: np.array([b"a", b"b"] * 6),
    "texts array": lambda: np.array(["a", "b"] * 6),
    "string dtype": lambda: np.array(["a", "b"] * 6, dtype=np.dtypes.StringDType()),
    "structured": lambda: np.array([(1, 2.0)] * 12, dtype=[("x", int), ("y", float)]),
    "void array": lambda: np.zeros(3, dtype="V4"),
    "objects": lambda: object_array(1, "1", None, [1], {}, Trap()),
    "object arrays": lambda: object_array(np.array([1, 2]), np.array([3])),
    "cyclic array": lambda: object_array(cyclic_list()),
    "masked": lambda: np.ma.array([0, 1] * 6, mask=[0, 1] * 6),
    "masked scalar": lambda: np.ma.masked,
    "four dimensions": lambda: np.zeros((2, 2, 2, 2)),
    "matrix of nan": lambda: np.full((2, 2), np.nan),
    "large matrix": lambda: np.full((2, 2), 1e308),
    "broadcast": lambda: np.broadcast_to(np.int8(1), (1 << 40,)),
    # dataframes
    "odd frame": odd_frame,
    "empty frame": lambda: import_module("pandas").DataFrame(),
    "odd series": odd_series,
    "categories": lambda: import_module("pandas").Series(["a", None] * 6, dtype="category"),
    "nullable": lambda: import_module("pandas").Series([1, None] * 6, dtype="Int64"),
    "times series": lambda: import_module("pandas").Series(["2020-01-01"] * 12, dtype="datetime64[ns, UTC]"),
    "lists in polars": lambda: import_module("polars").Series([[1], [2]] * 6),
    "structs in polars": lambda: import_module("polars").DataFrame({"y": [{"a": 1}]}),
    # objects that lie
    "trap": Trap,
    "chameleon": Chameleon,
    "loud mapping": lambda: Loud(a=1),
    "failing array": lambda: hostile_class("Array", __array__=_fail),
    "array of itself": lambda: hostile_class("Itself", __array__=lambda self, *args, **kwargs: self),
    "array of text": lambda: hostile_class("Words", __array__=lambda self, *args, **kwargs: np.array(["x"])),
    "failing iterator": lambda: hostile_class("Items", __iter__=_fail),
    "iterator of none": lambda: hostile_class("Nothing", __iter__=lambda self: None),
    "iterator of itself": lambda: hostile_class("Self", __iter__=lambda self: iter([self])),
    "endless again": lambda: hostile_class("Endless", __iter__=lambda self: endless(), __len__=lambda self: 12),
    "lying length": lambda: hostile_class("Long", __iter__=lambda self: iter([0, 1]), __len__=lambda self: 1 << 60),
    "negative length": lambda: hostile_class("Less", __iter__=lambda self: iter([0, 1]), __len__=lambda self: -1),
    "failing length": lambda: hostile_class("Unsized", __iter__=lambda self: iter([0, 1]), __len__=_fail),
    "failing equality": lambda: hostile_class("Unequal", __eq__=_fail, __hash__=lambda self: 1),
    "true equality": lambda: hostile_class("Equal", __eq__=lambda self, other: True, __hash__=lambda self: 1),
    "unhashable": lambda: hostile_class("Unhashable", __hash__=_fail),
    "failing truth": lambda: hostile_class("Doubt", __bool__=_fail),
    "failing repr": lambda: hostile_class("Silent", __repr__=_fail),
    "failing attributes": lambda: hostile_class("Closed", __getattr__=_fail),
    "failing path": lambda: hostile_class("Path", __fspath__=_fail),
    "path of bytes": lambda: hostile_class("Bytes", __fspath__=lambda self: b"x"),
    "failing arrow": lambda: hostile_class("Arrow", __arrow_c_stream__=_fail),
    "failing narwhals": lambda: hostile_class("Frame", __narwhals_dataframe__=_fail),
    "recursive repr": lambda: hostile_class("Deep", __repr__=repr),
    "float of text": lambda: hostile_class("Number", __float__=lambda self: "x", __index__=_fail),
    "missing attribute": lambda: hostile_class("Partly", shape=property(_fail), dtype=property(_fail)),
}
"""What an argument may be, by what is odd about it; made anew for each call, since some can be read only once."""
