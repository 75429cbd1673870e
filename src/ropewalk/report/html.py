"""Results as HTML: a card for notebooks and one self-contained page."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from ropewalk._validate import visible
from ropewalk._version import __version__
from ropewalk._write import write_text
from ropewalk.report.classical import MEANING, tests_table
from ropewalk.report.view import caption, remarks, tables, view
from ropewalk.results import ClassComparisons, Comparison, CrossComparison, Rendered

if TYPE_CHECKING:
    from jinja2 import Environment


@lru_cache(maxsize=1)
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("ropewalk.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _title(result: Rendered) -> str:
    if isinstance(result, ClassComparisons):
        return f"Is {visible(result[0].a)} better than {visible(result[0].b)}?"
    views = view(result, visible)
    return views[0].title if len(views) == 1 else f"How good is {visible(result.name)}?"  # type: ignore[attr-defined]


def card(result: Rendered) -> str:
    """Return a fragment for a notebook; the template escapes every name."""
    views = () if isinstance(result, ClassComparisons) else view(result, visible)
    return (
        _templates()
        .get_template("card.html.j2")
        .render(views=views, tables=tables(result, visible), remarks=remarks(result, visible))
    )


def html(result: Rendered, path: str | os.PathLike[str] | None = None) -> str:
    """Return one self-contained page, and write it to `path` if given."""
    asked = result.comparison if isinstance(result, CrossComparison) else result
    battery = asked.tests if isinstance(asked, Comparison) else None
    page = (
        _templates()
        .get_template("page.html.j2")
        .render(
            title=_title(result),
            caption=caption(result, visible),
            views=view(result, visible),
            tables=tables(result, visible),
            remarks=remarks(result, visible),
            tests=None if battery is None else tests_table(battery.tests, visible),
            meaning=MEANING,
            version=__version__,
            json=result.to_json(),
        )
    )
    if path is not None:
        write_text(path, page)
    return page
