"""Say on stderr how far a long piece of work has come; stdout belongs to the answer."""

from __future__ import annotations

import inspect
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import partial
from time import monotonic
from typing import Any, Final, TypeAlias, TypeVar

from ropewalk._checks import is_whole
from ropewalk.errors import InvalidInputError
from ropewalk.text.writing import told

T = TypeVar("T")

ProgressLike: TypeAlias = bool | Callable[[int, int | None], object] | None
"""None: if it takes long, a bar on a terminal, lines elsewhere; True: always; False: never; or a function."""

SECONDS_WITHOUT_BAR: Final = 0.5  # seconds of work that need no bar
SECONDS_BETWEEN_LINES: Final = 10.0  # seconds between two lines where there is no terminal
_LEAST_SECONDS: Final = 0.01  # seconds that a thread waits, whatever a test says


class _Meter:
    """Shows nothing; the others show how far it has come."""

    def advance(self, done: int, finding: str = "") -> None:
        """Note that so many items are done, and what has been found so far."""

    def close(self, *, finished: bool) -> None:
        """Clean up, whatever happened."""


class _Call(_Meter):
    def __init__(self, call: Callable[[int, int | None], object], total: int | None) -> None:
        self._call, self._total = call, total

    def advance(self, done: int, finding: str = "") -> None:  # noqa: ARG002
        self._call(done, self._total)


class _Lines(_Meter):
    """A line every ten seconds and one at the end, for logs and notebooks; a `patient` one is silent until then.

    A thread of its own writes where nothing is done for so long: the very first item may take long.
    """

    def __init__(self, describe: str, total: int | None, *, patient: bool) -> None:
        self._describe, self._total, self._patient = describe, total, patient
        self._start = self._last = monotonic()
        self._done, self._finding = 0, ""
        self._lock, self._closed = threading.Lock(), threading.Event()
        threading.Thread(target=self._remind, daemon=True).start()

    def _remind(self) -> None:
        while not self._closed.wait(max(SECONDS_BETWEEN_LINES, _LEAST_SECONDS)):
            with suppress(OSError, ValueError):  # stderr was closed
                self._say_if_due()

    def _say_if_due(self) -> None:
        with self._lock:
            if monotonic() - self._last >= SECONDS_BETWEEN_LINES and not self._closed.is_set():
                self._last = monotonic()
                self._patient = False
                self._say()

    def _say(self, end: str = "") -> None:
        if sys.stderr is None:
            return
        of = "" if self._total is None else f" of {self._total:,}"
        took = monotonic() - self._start
        line = f"{self._describe}: {self._done:,}{of}{end} ({took:.0f} s)"
        print(f"{line}: {self._finding}" if self._finding else line, file=sys.stderr, flush=True)  # noqa: T201

    def advance(self, done: int, finding: str = "") -> None:
        self._done, self._finding = done, finding
        self._say_if_due()

    def close(self, *, finished: bool) -> None:
        with self._lock:
            self._closed.set()
        if not self._patient:
            self._say(", done" if finished else ", stopped")


class _Bar(_Meter):
    """A bar of rich, drawn after `wait` seconds by a thread of its own: the very first item may take long."""

    def __init__(self, describe: str, total: int | None, *, wait: float) -> None:
        self._describe, self._total, self._wait = describe, total, wait
        self._lock = threading.Lock()
        self._bar: Any = None
        self._done = 0
        self._closed = False
        self._timer = threading.Timer(wait, self._open)
        self._timer.daemon = True
        if wait:
            self._timer.start()
        else:
            self._open()

    def _open(self) -> None:
        with self._lock:
            if self._closed:
                return
            from rich import progress
            from rich.console import Console

            bar = progress.Progress(
                progress.TextColumn("{task.description}", markup=False),
                progress.BarColumn(),
                progress.MofNCompleteColumn(),
                progress.TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=bool(self._wait),
                redirect_stdout=False,  # what the user's own code prints stays where it went
            )
            bar.add_task(self._describe, total=self._total, completed=self._done)
            bar.start()
            self._bar = bar

    def advance(self, done: int, finding: str = "") -> None:
        with self._lock:
            self._done = done
            if self._bar is not None:
                description = f"{self._describe}: {finding}" if finding else self._describe
                self._bar.update(self._bar.task_ids[0], completed=done, description=description)

    def close(self, *, finished: bool) -> None:  # noqa: ARG002
        self._timer.cancel()
        with self._lock:
            self._closed = True
            if self._bar is not None:
                self._bar.stop()


def track(
    items: Iterable[T], *, total: int | None = None, describe: str = "Working", progress: ProgressLike = None
) -> Iterator[T]:
    """Go through `items` and show how far it has come; an item counts as done when the next one is asked for.

    Parameters
    ----------
    items
        Anything that can be gone through once.
    total
        How many there are, where `items` does not say.
    describe
        What is being done, in a word or two.
    progress
        None draws a bar on stderr if that is a terminal and the work takes longer than half a second; where there is
        no terminal it writes a line every ten seconds. True draws the bar at once, or writes a line at the end too;
        False is silent; a function is called with (done, total) after each item.

    Examples
    --------
    >>> calls = []
    >>> list(track("ab", progress=lambda done, total: calls.append((done, total))))
    ['a', 'b']
    >>> calls
    [(1, 2), (2, 2)]
    """
    check_progress(progress)
    if total is None and isinstance(items, Sized):
        total = len(items)
    if total is not None and (not is_whole(total) or total < 0):
        raise InvalidInputError(
            f"`total` must be a whole number of items; got {told(total)}.",
            hint="it counts the items that are gone through.",
        )
    return _tracked(items, total, describe, progress)


def check_progress(progress: Any) -> ProgressLike:
    """Return `progress` if it is one of the things it may be."""
    if progress is None or isinstance(progress, bool) or (callable(progress) and _takes_two(progress)):
        return progress  # type: ignore[no-any-return]
    raise InvalidInputError(
        f"`progress` must be None, True, False or a function of (done, total); got {told(progress)}.",
        hint="None draws a bar on a terminal where the work takes longer than half a second.",
    )


def _takes_two(call: Any) -> bool:
    """Whether a function can be called with (done, total), as far as it tells."""
    try:
        inspect.signature(call).bind(1, 2)
    except TypeError:
        return False
    except ValueError:  # a compiled function does not tell
        return True
    return True


def _tracked(items: Iterable[T], total: int | None, describe: str, progress: ProgressLike) -> Iterator[T]:
    with metered(total, describe, progress) as steps:
        for item in items:
            yield item
            steps.step()


_shown: ContextVar[ProgressLike] = ContextVar("progress")

current: Callable[[], ProgressLike] = partial(_shown.get, False)  # noqa: FBT003
"""Return how progress is shown here: not at all, unless inside of `shown`."""


class Steps:
    """Counts what is done, and shows it; `stopped` says that the rest will not be."""

    def __init__(self, meter: _Meter) -> None:
        self._meter, self.done, self.stopped = meter, 0, False

    def step(self, finding: str = "") -> None:
        """One more is done; `finding` says in a few words what the work has shown so far."""
        self.done += 1
        self._meter.advance(self.done, finding)


@contextmanager
def metered(total: int | None, describe: str, progress: ProgressLike) -> Iterator[Steps]:
    """Show how far work has come that is no single loop: as `track` does, with a step for each thing done."""
    meter = _meter(total, describe, _unless_silent(progress))
    steps, finished = Steps(meter), False
    try:
        yield steps
        finished = not steps.stopped
    finally:
        meter.close(finished=finished)


def _meter(total: int | None, describe: str, progress: ProgressLike) -> _Meter:
    if progress is False:
        return _Meter()
    if not isinstance(progress, bool) and progress is not None:
        return _Call(progress, total)
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if terminal:
        return _Bar(describe, total, wait=0.0 if progress else SECONDS_WITHOUT_BAR)
    return _Lines(describe, total, patient=not progress)


def _unless_silent(progress: Any) -> ProgressLike:
    """Return how progress is shown: as asked for, but not where a caller has said False."""
    wanted = check_progress(progress)
    return False if _shown.get(None) is False else wanted


@contextmanager
def shown(progress: Any) -> Iterator[None]:
    """Let what is drawn inside show how far it has come; where a caller has said False, it stays silent."""
    token = _shown.set(_unless_silent(progress))
    try:
        yield
    finally:
        _shown.reset(token)
