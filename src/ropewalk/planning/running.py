"""Run batches of simulations: in threads, or wherever joblib takes them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from ropewalk._checks import check_threads, is_whole
from ropewalk._optional import require
from ropewalk.errors import InvalidInputError
from ropewalk.text.options import wording

T = TypeVar("T")
R = TypeVar("R")

_CHUNK: Final = 5  # batches that travel to another process together


@dataclass(frozen=True, slots=True, kw_only=True)
class Workers:
    """Who does the work: threads of this process, or with `n_jobs` whatever joblib is configured to use."""

    threads: int = 1
    n_jobs: int | None = None

    @classmethod
    def of(cls, threads: Any, n_jobs: Any) -> Workers:
        """Check what was asked for."""
        if n_jobs is not None and (not is_whole(n_jobs) or n_jobs == 0):
            raise InvalidInputError(
                wording("`n_jobs` must be a whole number and not 0, or None; got {!r}.", n_jobs),
                hint="-1 takes all cores.",
            )
        if n_jobs is not None and threads != 1:
            raise InvalidInputError(wording("`threads` and `n_jobs` were both given; give one."))
        return cls(threads=check_threads(threads), n_jobs=None if n_jobs is None else int(n_jobs))

    def run(self, work: Callable[[T], R], tasks: Sequence[T]) -> Generator[R]:
        """Go through the results of the tasks, in their order."""
        if self.n_jobs is not None:
            return _by_joblib(work, tasks, self.n_jobs)
        return _in_threads(work, tasks, self.threads) if self.threads > 1 else (work(task) for task in tasks)


def _in_threads(work: Callable[[T], R], tasks: Sequence[T], threads: int) -> Generator[R]:
    pool = ThreadPoolExecutor(threads)  # NumPy releases the GIL while it draws, sorts and adds
    try:
        yield from pool.map(work, tasks)
    finally:  # whoever interrupts does not wait for what nobody has begun
        pool.shutdown(cancel_futures=True)


def _by_joblib(work: Callable[[T], R], tasks: Sequence[T], n_jobs: int) -> Generator[R]:
    joblib = require("joblib", extra="parallel", caller="n_jobs=")
    chunks = [tasks[start : start + _CHUNK] for start in range(0, len(tasks), _CHUNK)]
    jobs = [joblib.delayed(_each)(work, chunk) for chunk in chunks]
    try:
        results = joblib.Parallel(n_jobs=n_jobs, return_as="generator")(jobs)
    except (ValueError, NotImplementedError):  # a backend that can only give all results at the end
        results = iter(joblib.Parallel(n_jobs=n_jobs)(jobs))
    try:
        for chunk in results:
            yield from chunk
    finally:
        if hasattr(results, "close"):
            results.close()


def _each(work: Callable[[T], R], tasks: Sequence[T]) -> list[R]:
    return [work(task) for task in tasks]
