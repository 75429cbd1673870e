"""A metric and a file format of one's own: each is one object and one line, in a file that nothing else knows of."""

from __future__ import annotations

from ropewalk.data.formats import FORMATS, Format
from ropewalk.metrics import METRICS, Metric, ratio


def threat(margins):
    """Return the share of right ones among all items that are, or were called, of a class."""
    return ratio(margins.tp, margins.row + margins.col - margins.tp)


METRICS["threat"] = Metric(name="threat", kernel=threat, by_class=True, low=0.0, high=1.0)


def read_semaphores(stream, columns, shown):
    """Yield the wanted labels of lines such as `truth:1 a:0 b:1`."""
    for line in stream.read().decode("utf-8").splitlines()[1:]:
        flags = dict(part.split(":") for part in line.split())
        yield tuple(flags[column] for column in columns)


FORMATS.insert(0, Format("semaphores", lambda head: head.startswith(b"#semaphores"), read_semaphores))
