"""Curves of scores with credible bands, and what a threshold costs."""

from ropewalk.curves.thresholds import calibration, pr, roc, threshold

__all__ = ["calibration", "pr", "roc", "threshold"]


def __dir__() -> list[str]:
    """List what is public."""
    return __all__
