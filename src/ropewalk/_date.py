"""The date of today, which builds may fix."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from ropewalk.errors import InvalidInputError


def today() -> str:
    """Return the date, or that of SOURCE_DATE_EPOCH, by which builds are made reproducible.

    Some libraries below cannot be imported where that variable holds no number, so it is looked at first.
    """
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return f"{datetime.now().astimezone():%Y-%m-%d}"
    try:
        return f"{datetime.fromtimestamp(int(epoch), UTC):%Y-%m-%d}"
    except (ValueError, OverflowError, OSError):
        raise InvalidInputError(
            f"The environment variable SOURCE_DATE_EPOCH must be a number of seconds; got {epoch!r}.",
            hint="unset SOURCE_DATE_EPOCH",
        ) from None
