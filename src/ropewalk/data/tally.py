"""What every table of counted outcomes has, whether its items have one label or any number."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any

from ropewalk.data.clusters import Clusters
from ropewalk.data.labels import label_text
from ropewalk.errors import ColumnNotFoundError, DataError
from ropewalk.text.names import nearest, shorten
from ropewalk.text.options import wording
from ropewalk.typing import IntArray, Label


class Named:
    """What classifiers called `names` said about items with `labels`."""

    __slots__ = ()

    labels: tuple[Label, ...]
    names: tuple[str, ...]

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
        return place_of(name, self.names)


def place_of(name: str, names: Sequence[str]) -> int:
    """Return the place of a classifier, or say which ones there are."""
    if name in names:
        return names.index(name)
    guess = nearest(name, names)
    raise ColumnNotFoundError(
        f"There is no classifier {name!r} here.",
        hint=(f"did you mean {guess!r}? " if guess else "") + f"There are: {shorten(names)}.",
    )


class Tally(Named):
    """Counts of what classifiers said about items."""

    __slots__ = ()

    counts: IntArray
    clusters: Clusters | None

    @property
    def n_items(self) -> int:
        """How many items were counted."""
        return int(self.counts.sum())

    @property
    def n_clusters(self) -> int | None:
        """How many clusters the items come in; None where each stands alone."""
        return None if self.clusters is None else self.clusters.n

    def _cluster_arrays(self) -> tuple[IntArray, ...]:
        c = self.clusters
        return () if c is None else (c.row, c.cluster, c.counts)

    def _clusters_with(self, other: Tally, n_rows: int) -> Clusters | None:
        """Return the clusters of this table and another one below it."""
        if not self.n_items or not other.n_items:
            return self.clusters if self.n_items else other.clusters
        if self.clusters is None and other.clusters is None:
            return None
        if self.clusters is None or other.clusters is None:
            raise DataError(
                "One table has clusters and the other has none.", hint=wording("give both or neither cluster=.")
            )
        return self.clusters.beside(other.clusters, n_rows)

    def _fingerprint(self, *arrays: Any) -> str:
        """Return a hash of labels, names and arrays, the same for labels from an array or a text file."""
        content = [[label_text(x) for x in self.labels], self.names, *(array.tolist() for array in arrays)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]
