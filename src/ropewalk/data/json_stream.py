"""Walk through a JSON document of any size, one value at a time.

`json` reads a whole document into memory. Evaluation logs are documents of gigabytes, of which a reader wants a few
fields per item: a `JsonStream` enters objects and arrays and decodes only the values inside them.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Container, Iterator
from typing import IO, Any, Final, cast

from ropewalk.data.opening import as_object, check_parts
from ropewalk.errors import FileFormatError
from ropewalk.text.writing import brief

VALUE_CAP: Final = 1 << 24
"""The longest single value that is decoded, in characters."""

_AT_ONCE: Final = 1 << 20  # characters of what is mostly passed over
_CHUNK: Final = 1 << 16
_SPACES: Final = re.compile(r"[ \t\n\r]*")
_GOING_ON: Final = 3


class JsonStream:
    """Values of a JSON document in their order.

    `keys` and `items` enter an object or an array, `value` decodes what comes next, and `skip` passes over it. Inside a
    loop over keys the value must be taken: by one of these, or by a loop of its own.

    Examples
    --------
    >>> import io
    >>> stream = JsonStream(io.BytesIO(b'{"model": "x", "samples": [{"id": 1}, {"id": 2}]}'), "a log")
    >>> for key in stream.keys():
    ...     print(key, [sample["id"] for sample in stream.items()] if key == "samples" else stream.value())
    model x
    samples [1, 2]
    """

    def __init__(self, stream: IO[bytes], shown: str, *, unique: bool = False) -> None:
        self._stream, self._shown = stream, shown
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        # A key that comes twice is refused where it must be `unique`; logs are long, and checking takes time.
        self._scan = json.JSONDecoder(object_pairs_hook=as_object if unique else None).raw_decode
        self._buffer, self._at, self._ended = "", 0, False

    def kind(self) -> str:
        """Return the first character of the next value, which tells what it is; empty at the end."""
        return self._peek()

    def value(self) -> Any:
        """Decode the next value."""
        is_whole, value = self._decoded(VALUE_CAP)
        if not is_whole:
            raise self._wrong(f"a single value is longer than {VALUE_CAP:,} characters")
        return value

    def members(self, wanted: Container[str]) -> dict[str, Any]:
        """Decode the members of the next value that are wanted; of what is no object there are none."""
        if self._peek() != "{":
            self.skip()
            return {}
        is_whole, value = self._decoded(_AT_ONCE)
        if is_whole:
            return {key: member for key, member in value.items() if key in wanted}
        found = {}
        for key in self.keys():
            if key in wanted:
                found[key] = self.value()
            else:
                self.skip()
        return found

    def keys(self) -> Iterator[str]:
        """Enter an object and yield its keys."""
        yield from self._members("{", "}")

    def items(self) -> Iterator[Any]:
        """Enter an array and yield its decoded elements."""
        for _ in self.elements():
            yield self.value()

    def elements(self) -> Iterator[None]:
        """Enter an array and stop before each of its elements, which must be taken."""
        for _ in self._members("[", "]"):
            yield

    def skip(self, levels: int = 3) -> None:
        """Pass over the next value: a long one by its parts, so that it may be of any length."""
        kind = self._peek()
        if kind not in {"{", "["} or not levels:
            self.value()
        elif self._decoded(_AT_ONCE)[0]:
            return
        elif kind == "{":
            for _ in self.keys():
                self.skip(levels - 1)
        else:
            for _ in self.elements():
                self.skip(levels - 1)

    def close(self) -> None:
        """Refuse what follows the document."""
        if self._peek():
            raise self._wrong("something follows the end of the document")

    def _decoded(self, longest: int) -> tuple[bool, Any]:
        """Decode the next value if it has at most so many characters; a longer one is not taken."""
        self._peek()
        size = _CHUNK
        while True:
            try:
                value, end = self._scan(self._buffer, self._at)
            except RecursionError as error:
                raise self._wrong("values are nested too deeply") from error
            except ValueError as error:
                if self._ended:
                    raise self._wrong(str(getattr(error, "msg", error))) from error
            else:
                # A number may go on in what has not been read: by three characters at least, as in 1 and e+5.
                if self._ended or end + _GOING_ON <= len(self._buffer) or self._buffer[end - 1] in '"]}':
                    self._at = end
                    return True, value
            if len(self._buffer) - self._at > longest:
                return False, None
            self._fill(size)
            self._check_parts()
            size *= 2  # so that decoding again costs no more than reading

    def _check_parts(self) -> None:
        try:
            check_parts(self._buffer)
        except ValueError as error:
            raise self._wrong(str(error)) from error

    def _members(self, first: str, last: str) -> Iterator[Any]:
        if self._peek() != first:
            what = "an object" if first == "{" else "an array"
            raise self._wrong(f"{what} was expected, and {brief(repr(self._buffer[self._at : self._at + 20]))} came")
        self._at += 1
        if self._peek() == last:
            self._at += 1
            return
        while True:
            if first == "{":
                key = self.value()
                if not isinstance(key, str) or self._peek() != ":":
                    raise self._wrong("a key and a colon were expected")
                self._at += 1
                yield key
            else:
                yield None
            sign = self._peek()
            self._at += 1
            if sign == last:
                return
            if sign != ",":
                raise self._wrong(f"{',' if sign else 'more'} or {last} was expected")

    def _peek(self) -> str:
        """Return the next character that is no space, without taking it."""
        passed = 0
        while True:
            start = self._at
            self._at = cast("re.Match[str]", _SPACES.match(self._buffer, start)).end()  # it matches nothing too
            passed += self._at - start
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if self._ended:
                return ""
            if passed > VALUE_CAP:
                raise self._wrong(f"over {VALUE_CAP:,} characters of nothing but spaces")
            self._fill(_CHUNK)

    def _fill(self, size: int) -> None:
        data = self._stream.read(size)
        self._ended = not data
        try:
            text = self._decode.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise FileFormatError(
                f"{self._shown} is not UTF-8 text ({error.reason}).", hint="save it as UTF-8."
            ) from error
        self._buffer, self._at = self._buffer[self._at :] + text, 0

    def _wrong(self, problem: str) -> FileFormatError:
        return FileFormatError(
            f"{self._shown}: not valid JSON ({problem}).",
            hint="the file may be cut off: copy or write it again." if self._ended else "write or copy it again.",
        )
