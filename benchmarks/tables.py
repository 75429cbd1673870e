"""All 60 comparisons of Tables 4-6 of Zhang et al. (SIGIR 2016), in a fresh process."""

from __future__ import annotations

from collections.abc import Iterator

from measure import child
from table import Row

CODE = "from ropewalk.papers import sigir2016; print(len(list(sigir2016(draws=50_000))))"


def rows() -> Iterator[Row]:
    """Measure the 60 comparisons with 50,000 draws each, start-up and imports included."""
    runs = [child("-W", "ignore", "-c", CODE) for _ in range(3)]
    done = {int(output) for output, _ in runs}
    if done != {60}:
        raise RuntimeError(f"Expected 60 comparisons in every run; got {done}.")
    yield Row(
        what="SIGIR Tables 4-6: 60 comparisons, fresh process",
        measured=min(seconds for _, seconds in runs),
        max_measured=8.0,
    )
