"""Documents as HTML: a card for notebooks and one self-contained page. Jinja escapes every text."""

from __future__ import annotations

import base64
import hashlib
import os
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ropewalk._version import __version__
from ropewalk.report.document import Document, plain, remark_block
from ropewalk.report.render.text import latex
from ropewalk.text.names import isolated

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


def _render(template: str, **parts: Any) -> str:
    """Fill in a template: Jinja escapes every text, and the names in them are isolated afterwards, all at once."""
    return plain(_templates().get_template(template).render(**parts), isolated)


def _source(file: str) -> str:
    """Return our own style or script as it stands in the package: the one thing that is not escaped."""
    from markupsafe import Markup

    environment = _templates()
    assert environment.loader is not None  # noqa: S101
    return Markup(environment.loader.get_source(environment, file)[0].strip())  # noqa: S704 - no name is in it


def _hash(source: str) -> str:
    """Return what the Content-Security-Policy knows a style or script by: no other one will run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


def card(document: Document) -> str:
    """Return a fragment for a notebook."""
    shown = (*document.on_card(), *remark_block(document.remarks))
    return _render("card.html.j2", shown=shown, style=_source("card.css"))


def page(document: Document, json: str) -> str:
    """Return one self-contained page; `json` is the result as JSON, for readers to copy."""
    from markupsafe import Markup

    style, script = _source("page.css") + _source("plates.css"), _source("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    return _render(
        "page.html.j2",
        title=document.title,
        caption="" if document.caption == document.answers[0].headline else document.caption,
        sections=document.on_page(),
        sentence=document.in_sentence(),
        latex=latex(document),
        json=json,
        date=_today(),
        version=__version__,
        style=style,
        script=script,
        policy=Markup(policy),  # noqa: S704 - no name is in it
    )


def _today() -> str:
    """Return the date, or that of SOURCE_DATE_EPOCH, by which builds are made reproducible."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.fromtimestamp(int(epoch), UTC) if epoch.isdigit() else datetime.now().astimezone()
    return f"{now:%Y-%m-%d}"
