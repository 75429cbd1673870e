"""Results as HTML: a card for notebooks and one self-contained page."""

from __future__ import annotations

import base64
import hashlib
import os
from functools import lru_cache
from typing import TYPE_CHECKING

from ropewalk._files import write_text
from ropewalk._version import __version__
from ropewalk.inference.extras import Extras, gather
from ropewalk.report import checks, studies
from ropewalk.report.page import page
from ropewalk.report.remarks import remarks
from ropewalk.report.view import tables, view
from ropewalk.results import ClassComparisons, PredictiveCheck, Rendered
from ropewalk.text.escape import isolated

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


def _source(name: str) -> str:
    """Return our own style or script as it stands in the package: the one thing that is not escaped."""
    from markupsafe import Markup

    environment = _templates()
    assert environment.loader is not None  # noqa: S101
    return Markup(environment.loader.get_source(environment, name)[0].strip())  # noqa: S704 - no name is in it


def _hash(source: str) -> str:
    """Return what the Content-Security-Policy knows a style or script by: no other one will run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def card(result: Rendered) -> str:
    """Return a fragment for a notebook; the template escapes every name."""
    views = () if isinstance(result, ClassComparisons) else view(result, isolated)
    grids = tables(result, isolated)
    if isinstance(result, studies.Planned):
        grids = studies.row_tables(result, isolated)
    elif isinstance(result, PredictiveCheck):
        grids = checks.short_tables(result, isolated)
    elif views and len(grids) == 1:  # the words say all of it
        grids = ()
    return (
        _templates()
        .get_template("card.html.j2")
        .render(views=views, tables=grids, remarks=remarks(result, isolated), style=_source("card.css"))
    )


def html(result: Rendered, path: str | os.PathLike[str] | None = None, *, extras: Extras | None = None) -> str:
    """Return one self-contained page, and write it to `path` if given."""
    from markupsafe import Markup

    style, script = _source("page.css") + _source("plates.css"), _source("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    text = (
        _templates()
        .get_template("page.html.j2")
        .render(
            page=page(result, gather(result) if extras is None else extras),
            version=__version__,
            style=style,
            script=script,
            policy=Markup(policy),  # noqa: S704 - no name is in it
        )
    )
    if path is not None:
        write_text(path, text)
    return text
