"""One row a measurement: what it took, what the peer took, and whether that is good enough."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any, Literal

LINE = "{:<50} {:>9}  {:<39} {:>6}  {:<14} {}"
HEADER = LINE.format("what", "measured", "peer", "ratio", "target", "verdict")


@dataclass(frozen=True, kw_only=True)
class Row:
    """A measurement beside its peer, with a target for the ratio of the two or for the measurement alone.

    `missing` names a package without which there is nothing to measure, or nothing to measure against; `skipped` says
    why it was not tried.
    """

    what: str
    measured: float | None = None
    unit: Literal["s", "B"] = "s"
    peer: str = ""
    peer_measured: float | None = None
    max_ratio: float | None = None
    max_measured: float | None = None
    missing: str = ""
    skipped: str = ""

    @property
    def ratio(self) -> float | None:
        """Our cost in units of the peer's."""
        return None if self.measured is None or not self.peer_measured else self.measured / self.peer_measured

    @property
    def ok(self) -> bool | None:
        """Whether the target is met; None without a target, or without the figures to judge by."""
        for value, limit in ((self.ratio, self.max_ratio), (self.measured, self.max_measured)):
            if limit is not None:
                return None if value is None else value <= limit
        return None

    def __str__(self) -> str:
        return LINE.format(
            self.what,
            _amount(self.measured, self.unit),
            f"{_amount(self.peer_measured, self.unit)} {self.peer}".strip(),
            _ratio(self.ratio),
            self._target(),
            self._verdict(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the row in plain Python types."""
        return {**asdict(self), "ratio": self.ratio, "ok": self.ok}

    def _target(self) -> str:
        if self.max_ratio is not None:
            return f"ratio ≤ {_ratio(self.max_ratio)}"
        return "" if self.max_measured is None else f"≤ {_amount(self.max_measured, self.unit)}"

    def _verdict(self) -> str:
        if self.missing:
            return f"NOT MEASURED: {self.missing} is not installed: pip install 'ropewalk[bench]'"
        if self.skipped:
            return f"NOT MEASURED: {self.skipped}"
        return {True: "ok", False: "MISS", None: "for information"}[self.ok]


def installed(package: str) -> bool:
    """Whether a package could be imported; nothing is imported to find out."""
    return find_spec(package) is not None


def _amount(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "B":
        return f"{value / 1e6:.1f} MB"
    return f"{value * 1e3:.1f} ms" if value < 1 else f"{value:.2f} s"


def _ratio(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" if value >= 0.01 or not value else f"1/{1 / value:.0f}"
