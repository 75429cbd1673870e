"""How much memory a function needs beyond what its process holds already (Linux)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Any

_STATUS = Path("/proc/self/status")
_CLEAR_REFS = Path("/proc/self/clear_refs")
_RESET_PEAK = "5"  # see proc_pid_clear_refs(5)


def peak_growth(function: Callable[[], Any]) -> tuple[int, str]:
    """Return by how many bytes resident memory grew at most during a call, and how that was seen."""
    before = _resident("VmRSS")
    try:
        _CLEAR_REFS.write_text(_RESET_PEAK)
    except OSError:
        return _sampled_peak(function) - before, "sampled every ms"
    function()
    return _resident("VmHWM") - before, "VmHWM"


def _sampled_peak(function: Callable[[], Any]) -> int:
    seen = [_resident("VmRSS")]
    done = Event()

    def watch() -> None:
        while not done.wait(0.001):
            seen.append(_resident("VmRSS"))

    watcher = Thread(target=watch)
    watcher.start()
    try:
        function()
    finally:
        done.set()
        watcher.join()
    return max(*seen, _resident("VmRSS"))


def _resident(field: str) -> int:
    """Return a line of the process's status, such as `VmRSS:  1234 kB`, in bytes."""
    lines = _STATUS.read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))
