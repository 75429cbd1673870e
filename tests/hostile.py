"""Names that attack whatever shows them: each test picks those that its surface could fall for.

A new way to break something is a new line here, and its key in the tests of the surfaces that it is about.
"""

from __future__ import annotations

NAMES = {
    # HTML
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "end of script": "</script><script>alert(2)</script>",
    "attribute": "' onmouseover='alert(3)",
    "entity": "&amp;",
    "end of data": "]]>",
    "template": "{{7*7}}",
    # LaTeX and mathematics
    "input": r"\input{/etc/passwd}",
    "formula": "$x_1$",
    "formula and cell": "$x_1$ & $y",
    "specials": "50% & #1 ~ ^ {x}",
    "percent": "100%",
    "backslashes": r"\\",
    "ligatures": "--- `` ''",
    "subscript": "θ_{j}^+",
    # Markdown, terminals and shells
    "bar": "a|b",
    "link": "[a](b)",
    "address": "[link](http://x.example)",
    "mention": "@user #1 https://x.example/y",
    "emphasis": "*x* _y_",
    "all marks": "$x_1$ _a_ `b` |c|",
    "code": "`rm -rf`",
    "heading": "# title",
    "markup": "[b]",
    "star": "*a",
    "option": "--flag",
    "dashes": "--",
    "underscore": "_under",
    "model": "a · b model",
    # characters
    "red": "\x1b[31mred\x1b[0m",
    "red lines": "a\x1b[31m\n\tb",
    "control": "\x9b31m",
    "nul": "a\x00\x1b[31m\n<b>|$\\",
    "line": "line\nbreak",
    "turned": "a\u202eb",
    "turned at once": "\u202eevil",
    "turned and red": "a\u202eb\x1b[31m",
    "turned surrogate": "\u202e&b\ud800",
    "surrogate": "\ud800",
    "no character": "\uffff",
    "accents": "naïve Œuvre – ≈ Δ",
    "emoji": "😀",
    "emojis": "😀" * 3,
    "emoji and text": "\U0001f9ea net",
    "hebrew": "שלום",
    "long": "x" * 300,
    "empty": "",
}


def hostile_names(*keys: str) -> list[str]:
    """Return the names of these keys."""
    return [NAMES[key] for key in keys]
