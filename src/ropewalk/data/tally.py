"""What every table of counted outcomes has, whether its items have one label or any number."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from ropewalk._validate import nearest, shorten
from ropewalk.data.labels import label_text
from ropewalk.errors import ColumnNotFoundError
from ropewalk.typing import IntArray, Label


class Tally:
    """Counts of what classifiers called `names` said about items with `labels`."""

    __slots__ = ()

    counts: IntArray
    labels: tuple[Label, ...]
    names: tuple[str, ...]

    @property
    def n_items(self) -> int:
        """How many items were counted."""
        return int(self.counts.sum())

    @property
    def n_labels(self) -> int:
        """How many labels there are, seen or declared."""
        return len(self.labels)

    @property
    def n_classifiers(self) -> int:
        """How many classifiers were counted."""
        return len(self.names)

    def position(self, name: str) -> int:
        """Return the place of a classifier among `names`."""
        if name in self.names:
            return self.names.index(name)
        guess = nearest(name, self.names)
        raise ColumnNotFoundError(
            f"There is no classifier {name!r} in these outcomes.",
            hint=(f"did you mean {guess!r}? " if guess else "") + f"There are: {shorten(self.names)}.",
        )

    def _fingerprint(self, *arrays: Any) -> str:
        """Return a hash of labels, names and arrays, the same for labels from an array or a text file."""
        content = [[label_text(x) for x in self.labels], self.names, *(array.tolist() for array in arrays)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
