"""Results in, papers and pages out: every surface sees blocks only, and never asks which kind of result they describe.

Where no JSON is asked for, a document that is at hand already may stand in the place of its result.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ropewalk._files import write_text
from ropewalk._version import __version__
from ropewalk.report.document import Banner, Details, Document, Rows, describe, name, pieces, plain, remark_block
from ropewalk.report.small import small
from ropewalk.text import writing
from ropewalk.text.writing import isolated, today, visible

if TYPE_CHECKING:
    from jinja2 import Environment


_MINUS: Final = re.compile(r"(?<![A-Za-z0-9])\{-\}(?=\.?[0-9]|inf)|(?<=[0-9]e)\{-\}(?=[0-9])")

# -- papers ------------------------------------------------------------------------------------------------


def sentence(result: Any) -> str:
    """Return a result in one sentence, or one per metric for an evaluation."""
    return plain(describe(result).in_sentence(), isolated)


def markdown(result: Any, *, papers: bool = False) -> str:
    """Return the tables of a result as GitHub-flavoured Markdown, and below them the answer in words.

    Tables have the papers' columns if asked for.
    """
    document = describe(result)
    lines = [] if document.banner is None else _banner(document.banner)
    for table in document.chosen_tables(papers=papers):
        last = len(table.header) - 1 if table.ends_in_text else None
        align = ["---" if i < table.text_columns or i == last else "---:" for i in range(len(table.header))]
        header, *rows = (
            tuple(plain(cell, writing.markdown, writing.markdown) for cell in row)
            for row in (table.header, *table.rows)
        )
        lines += ["| " + " | ".join(row) + " |" for row in (header, align, *rows)]
        lines += ["", plain(table.note, writing.markdown), ""] if table.note else [""]
    answer = document.answers[0]
    said = document.banner is not None and document.banner.text == answer.headline
    told = f"{answer.headline}. " if not said and (answer.lede or document.banner) else ""
    told += f"{answer.lede} " if told and answer.lede else ""
    below = plain(told, writing.markdown, writing.markdown) + plain(document.caption, writing.markdown)
    return "\n".join([*lines, below]) + "\n"


def _banner(banner: Banner) -> list[str]:
    """Return a banner as Markdown: the sentence first, and a line per requirement."""
    end = f" ({banner.end})" if banner.end else ""
    lines = [f"**{banner.tag}**: {plain(banner.text, writing.markdown, writing.markdown)}{end}.", ""]
    for row in banner.rows:
        parts = [part for part in (row.text, row.chance) if part]
        told = plain(", ".join(parts), writing.markdown, writing.markdown)
        lines.append(f"- {row.mark} {row.word}: {told}")
    lines += [""] if banner.rows else []
    return [*lines, plain(banner.note, writing.markdown, writing.markdown), ""] if banner.note else lines


def latex(result: Any, *, papers: bool = False) -> str:
    """Return the tables of a result as LaTeX tabulars; they need the packages booktabs and textcomp."""
    document = describe(result)
    told = [] if document.banner is None else [rf"% {document.banner.tag}: {plain(document.banner.text, visible)}"]
    lines = [
        *told,
        rf"% {plain(document.caption, visible)}",
        r"% \usepackage[T1]{fontenc} \usepackage{booktabs,textcomp}",
    ]
    for i, table in enumerate(document.chosen_tables(papers=papers)):
        columns = "l" * table.text_columns + "r" * (len(table.header) - table.text_columns)
        columns = columns[:-1] + "l" if table.ends_in_text else columns
        header = [plain(cell, writing.latex, _latex_words) for cell in table.header]
        rows = [[plain(cell, writing.latex, _latex_numbers) for cell in row] for row in table.rows]
        lines += [
            *(["", r"\medskip", ""] if i else []),
            rf"\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            " & ".join(header) + r" \\",
            r"\midrule",
            *(" & ".join(row) + r" \\" for row in rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(["", r"\smallskip", "", plain(table.note, writing.latex, _latex_words)] if table.note else []),
        ]
    return "\n".join(lines) + "\n"


def _latex_words(words: str) -> str:
    """Escape our own words: a hyphen in them is one."""
    return writing.latex(words).replace("{-}", "-")


def _latex_numbers(text: str) -> str:
    """Escape our own cells: the hyphen before a number is a minus sign."""
    return _MINUS.sub("$-$", writing.latex(text))


@lru_cache(maxsize=1)
def _templates() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("ropewalk.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"told": _told, "broken": _broken, "quoted": _quoted, "capitalised": _capitalised}
    return environment


_INTERVAL: Final = re.compile(r"(\[[^\[\]]*\])")
_BREAKS: Final = re.compile(r"(?<=[_./-])")
_SPACES: Final = re.compile(r" *([{};]) *")
_QUOTED: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "'": "&#39;"})
_LONG_NAME: Final = 15  # letters, from which on a name may break


def _told(text: str, tones: Rows = ()) -> str:
    """Return a headline with its names in their colours and its interval lighter; escaped."""
    from markupsafe import Markup, escape

    colours = dict(tones)

    def shown(marked: str) -> str:
        tone = colours.get(marked, "")
        return f'<bdi class="c{tone}">{_broken(marked)}</bdi>' if tone else f"<bdi>{_broken(marked)}</bdi>"

    def literal(part: str) -> str:
        return _INTERVAL.sub(r'<span class="iv">\1</span>', str(escape(part)))

    return Markup("".join(shown(part) if is_name else literal(part) for part, is_name in pieces(text)))  # noqa: S704


def _capitalised(text: str) -> str:
    """Return a text that begins a sentence; a name is as it is."""
    return f"{text[:1].upper()}{text[1:]}"


def _broken(text: str) -> str:
    """Return a text whose long names may break after _ . / and -; escaped."""
    from markupsafe import Markup, escape

    def shown(part: str, is_name: bool) -> str:  # noqa: FBT001
        if not is_name or len(part) < _LONG_NAME + len("  "):
            return str(escape(part))
        return "<wbr>".join(str(escape(piece)) for piece in _BREAKS.split(part) if piece)

    return Markup("".join(shown(*piece) for piece in pieces(text)))  # noqa: S704


def _quoted(text: str) -> str:
    """Escape a text for an element or a single-quoted attribute: JSON has many double quotes, which need none there."""
    from markupsafe import Markup

    return Markup(text.translate(_QUOTED))  # noqa: S704


def _render(template: str, **parts: Any) -> str:
    """Fill in a template: Jinja escapes every text, and the names in them are isolated afterwards, all at once."""
    return plain(_templates().get_template(template).render(**parts), isolated)


def _source(file: str) -> str:
    """Return our own style or script as it stands in the package: the one thing that is not escaped."""
    from markupsafe import Markup

    environment = _templates()
    assert environment.loader is not None  # noqa: S101
    source = environment.loader.get_source(environment, file)[0].strip()
    if file.endswith(".css"):
        source = _SPACES.sub(r"\1", source)
    else:  # every page carries it, and its comments are for who reads it here
        source = "\n".join([line.strip() for line in source.splitlines() if not line.lstrip().startswith("//")])
    return Markup(source)  # noqa: S704 - no name is in it


def _hash(source: str) -> str:
    """Return what the Content-Security-Policy knows a style or script by: no other one will run."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"


# -- pages -------------------------------------------------------------------------------------------------


def card(result: Any) -> str:
    """Return a fragment for a notebook."""
    document = describe(result)
    warned = [line for line in document.lines if line.label == "Warning"]
    shown = (*document.on_card(), *remark_block(warned))
    return _render(
        "card.html.j2",
        shown=shown,
        facts=document.on_foot(),
        several=len(document.answers) > 1,
        small=small,
        style=_source("card.css"),
    )


def html(result: Any, path: str | os.PathLike[str] | None = None, *, title: str = "", note: str = "") -> str:
    """Return one self-contained page, and write it to `path` if given; `title` and `note` are the user's own words."""
    whole = page(describe(result), result.to_json(indent=None), title=title, note=note)
    if path is not None:
        write_text(path, whole)
    return whole


def page(document: Document, json: str, *, title: str = "", note: str = "") -> str:
    """Return one self-contained page; `json` is the result as JSON, for readers to copy."""
    from markupsafe import Markup

    style, script = _source("page.css") + _source("plates.css"), _source("page.js")
    if document.banner is not None:
        style += _source("gate.css")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    question, blocks = document.title or document.answers[0].title, document.on_page()
    return _render(
        "page.html.j2",
        title=name(title) if title else question,
        named=name(title) if title else "",
        note=name(note) if note else "",
        question=question,
        several=len(document.answers) > 1,
        about=document.about or question,
        sections=[block for block in blocks if not isinstance(block, Details)],
        folded=[block for block in blocks if isinstance(block, Details)],
        caption=document.caption,
        sentence=document.in_sentence(),
        latex=latex(document),
        json=json,
        date=today(),
        version=__version__,
        style=style,
        script=script,
        policy=Markup(policy),  # noqa: S704 - no name is in it
    )
