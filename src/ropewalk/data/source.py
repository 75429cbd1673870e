"""Where the items behind a table are: tables are counts, and remember only where to look again."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from ropewalk.data.databases import Query

Form = Literal["arrays", "table", "joined", "score arrays", "score table", "joined scores"]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Source:
    """The data that a table was made of, by reference: arrays, a dataframe, or the path of a file; nothing is copied.

    `form` says which constructor made the table of `data` with `options`. `places` are those of the classifiers of the
    table among the columns of predictions, in its order; `id` holds the ids that came beside arrays. `by` and `part`
    mark a table of one slice of the items: those whose value in `by` is `part`. `file` is the file or dataframe whose
    columns arrays are, where they are.

    A copy shares the data. A pickle leaves arrays and dataframes behind, and remembers files.
    """

    form: Form
    data: tuple[Any, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    places: tuple[int, ...] = ()
    id: Any = None
    by: Any = None
    part: Any = None
    left_behind: bool = False
    file: Any = None

    @classmethod
    def of(cls, form: Form, data: tuple[Any, ...], n_classifiers: int, **options: Any) -> Source | None:
        """Return the source of a table of so many classifiers; None where the data can be read only once."""
        if any(isinstance(column, Iterator) for column in (*data, *options.values())):
            return None
        return cls(form, tuple(map(_kept, data)), options, tuple(range(n_classifiers)))

    def read_from(self, file: Any) -> Source:
        """Return the source of arrays that are columns of a file or dataframe, row by row."""
        return replace(self, file=_kept(file))

    @property
    def is_table(self) -> bool:
        """Whether items are rows of a file or dataframe, with columns that have names."""
        return self.form in {"table", "joined", "score table", "joined scores"}

    def picked(self, places: list[int]) -> Source:
        """Return the source of some of the classifiers."""
        return replace(self, places=tuple(self.places[place] for place in places))

    def __copy__(self) -> Source:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Source:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        on_disk = not self.left_behind and all(
            part.is_remembered if isinstance(part, Query) else isinstance(part, str) for part in self.data
        )
        if not on_disk or not (self.by is None or isinstance(self.by, str)):
            return Source, (self.form, (), {}, (), None, None, None, True)
        return Source, (self.form, self.data, self.options, self.places, self.id, self.by, self.part)


def _kept(part: Any) -> Any:
    """Return what is remembered of data: a path is made absolute."""
    if isinstance(part, Query):
        return part.absolute()
    return os.fspath(Path(part).absolute()) if isinstance(part, str | os.PathLike) else part


def picked_source(source: Source | None, places: list[int]) -> Source | None:
    """Return the source of some of the classifiers, if it is known."""
    return None if source is None else source.picked(places)
