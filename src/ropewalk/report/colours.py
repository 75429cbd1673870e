"""The colours of every picture, safe for the colour-blind: orange below, grey inside, blue above the ROPE."""

from __future__ import annotations

from typing import Final

BELOW: Final = "#b34700"
INSIDE: Final = "#767676"
ABOVE: Final = "#0072b2"
INK: Final = "#1b1b1b"
QUIET: Final = "#595959"
LINE: Final = "#d0d0d0"
