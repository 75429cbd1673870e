"""Passwords in the URLs of databases, and texts without them."""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import unquote

IN_URL: Final = re.compile(r"^(\w[\w+.-]*:/{1,2}[^:/?#@]*:)(.*)@", re.DOTALL)
"""A password in a URL, also in one that was taken for a path, which has one slash less."""

_IN_QUERY: Final = re.compile(r"(?i)([?&](?:ssl)?password=)([^&#]*)")
_IN_WORDS: Final = re.compile(r"(?i)((?:^|[\s;])(?:ssl)?(?:password|pwd)\s*=\s*)('(?:[^'\\]|\\.)*'?|[^\s;]+)")
"""A password among the KEY=VALUE pairs that drivers take."""


def masked(url: str) -> str:
    """Return a URL, or KEY=VALUE pairs, without its secrets; any other text is none, and stays.

    Examples
    --------
    >>> masked("postgresql://ann:s%20ecret@db/eval?sslpassword=key")
    'postgresql://ann:***@db/eval?sslpassword=***'
    >>> masked("host=db user=ann password='s ecret' dbname=eval")
    'host=db user=ann password=*** dbname=eval'
    """
    return _IN_WORDS.sub(r"\1***", _IN_QUERY.sub(r"\1***", IN_URL.sub(r"\1***@", url)))


def without_secrets(text: str, url: str) -> str:
    """Return what was said about a URL without the secrets that are in it."""
    written = [match[2] for pattern in (IN_URL, _IN_QUERY, _IN_WORDS) for match in pattern.finditer(url)]
    secrets = {form for secret in written for form in (secret, unquote(secret)) if form}
    for secret in sorted(secrets, key=len, reverse=True):
        text = text.replace(secret, "***")
    return text
