"""Run a call that knows no Ctrl-C, such as a long query inside a driver, so that it can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Final, TypeVar

T = TypeVar("T")

_PATIENCE: Final = 0.05
"""So many seconds later it is interrupted again."""


def interruptible(call: Callable[[], T], interrupt: Callable[[], None]) -> T:
    """Run a call in a thread and wait for it here, where signals are heard; `interrupt` makes it end early.

    Examples
    --------
    >>> interruptible(lambda: 2 + 2, interrupt=print)
    4
    """
    from concurrent.futures import Future, wait

    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it is raised where the call was asked for
            future.set_exception(error)

    thread = Thread(target=run, daemon=True)
    try:
        thread.start()
        return future.result()
    except BaseException:
        while thread.is_alive() and not future.done():
            interrupt()  # a driver forgets it where the query has not begun
            wait([future], timeout=_PATIENCE)
        raise
