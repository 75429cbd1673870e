"""Comparisons of draws from elsewhere: the words of any comparison, but for those about data that nobody has seen."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Final

from ropewalk._files import write_text
from ropewalk._version import __version__
from ropewalk.draws.summary import Estimate
from ropewalk.inference.extras import Extras
from ropewalk.report.drawn import rhat_text
from ropewalk.report.html import _hash, _source, _templates
from ropewalk.report.method import method_rows
from ropewalk.report.page import Page, page
from ropewalk.report.remarks import remarks
from ropewalk.report.sentence import sentence as any_sentence
from ropewalk.report.shape import Escape, View, metric_title, model_text
from ropewalk.report.text import _paragraph, remark_lines
from ropewalk.report.text import latex as any_latex
from ropewalk.report.text import markdown as any_markdown
from ropewalk.report.view import caption as any_caption
from ropewalk.report.view import view
from ropewalk.results.foreign import ForeignComparison
from ropewalk.text import escape as escapes
from ropewalk.text.escape import isolated
from ropewalk.text.names import count_of, visible
from ropewalk.text.numbers import decimals, estimate_text, number
from ropewalk.text.verdicts import rope_text

_KEPT: Final = ("ROPE", "Judged by", "Program")
_NOT_COVERED: Final = (
    "The intervals are credible given the model, the prior and the data behind these draws, which are not known here."
)


def _view(f: ForeignComparison, escape: Escape) -> View:
    """Say the answer; where it came from stands in place of the data."""
    shown = view(f.plain(), escape)[0]
    lines = [("Draws", _draws(f, escape))]
    if f.diagnostics is not None:
        lines.append(("Chains", _chains(f, escape)))
    if f.estimate_a is not None and f.estimate_b is not None:
        mass = f"{100 * f.recipe.prob:g}% HDI"
        told = [_single(name, e, escape) for name, e in ((f.a, f.estimate_a), (f.b, f.estimate_b))]
        lines.append((escape(metric_title(f.metric)), f"{told[0]} · {told[1]} · {mass}"))
    return replace(shown, lines=(*lines, *shown.lines[2:]))


def _single(name: str, estimate: Estimate, escape: Escape) -> str:
    told = f"{escape(name)} {estimate_text(estimate)}"
    if estimate.observed is None:
        return told
    return f"{told}, observed {number(estimate.observed, decimals(estimate, estimate.mc_error))}"


def _draws(f: ForeignComparison, escape: Escape) -> str:
    origin = f.origin
    told = f"{count_of(len(f.draws), 'draw')} in {count_of(f.draws.chains, 'chain')} · {escape(origin.what)}"
    if origin.library:
        told += f" · by {escape(origin.library)}"
    return told if origin.n_items is None else f"{told} · {count_of(origin.n_items, 'item')}"


def _chains(f: ForeignComparison, escape: Escape) -> str:
    found = f.diagnostics
    assert found is not None  # noqa: S101
    worst = min(found.ess_bulk, found.ess_tail)
    number = f.origin.divergences
    gone = "divergences not said" if number is None else f"{number:,} divergent" if number else "none divergent"
    rhat = f"R-hat at most {rhat_text(found.rhat)} ({escape(found.rhat_of)})"
    return f"{rhat} · effective size at least {worst:,.0f} · {gone}"


def _caption(f: ForeignComparison, escape: Escape) -> str:
    title = f"{escape(metric_title(f.metric))} of {escape(f.a)} − {escape(f.b)}"
    rope = "no ROPE" if f.rope is None else f"ROPE {escape(rope_text(f.rope))}"
    mass = escape(f"{100 * f.recipe.prob:g}%")
    return f"{title} · {rope} · {mass} HDI · {_draws(f, escape)}"


def text(f: ForeignComparison) -> str:
    """Return the answer and all remarks."""
    return "\n".join([_paragraph(_view(f, escapes.terminal)), *remark_lines(f)])


def markdown(f: ForeignComparison) -> str:
    """Return the table as GitHub-flavoured Markdown."""
    found = any_markdown(f).removesuffix(any_caption(f, escapes.markdown) + "\n")
    return f"{found}{_caption(f, escapes.markdown)}\n"


def latex(f: ForeignComparison) -> str:
    """Return the table as a LaTeX tabular."""
    found = any_latex(f).removeprefix(f"% {any_caption(f, visible)}")
    return f"% {_caption(f, visible)}{found}"


def sentence(f: ForeignComparison) -> str:
    """Return the answer in one sentence."""
    origin, told = f.origin, any_sentence(f).removeprefix("On 0 items, ")
    if origin.model is None:  # of which there is nothing to say
        told = told.replace(f"{model_text(f.recipe)}, ", "", 1)
    if origin.n_items is not None:
        return f"On {count_of(origin.n_items, 'item')}, {told}"
    library = f" ({isolated(origin.library)})" if origin.library else ""
    return f"By the draws of {isolated(origin.what)}{library}, {told}"


def card(f: ForeignComparison) -> str:
    """Return a fragment for a notebook."""
    card_page = _templates().get_template("card.html.j2")
    views = (_view(f, isolated),)
    return card_page.render(views=views, tables=(), remarks=remarks(f, isolated), style=_source("card.css"))


def html(f: ForeignComparison, path: str | os.PathLike[str] | None = None) -> str:
    """Return one self-contained page, and write it to `path` if given."""
    from markupsafe import Markup

    style, script = _source("page.css"), _source("page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    told = (
        _templates()
        .get_template("page.html.j2")
        .render(
            page=_page(f),
            version=__version__,
            style=style,
            script=script,
            policy=Markup(policy),  # noqa: S704 - no name is in it
        )
    )
    if path is not None:
        write_text(path, told)
    return told


def _page(f: ForeignComparison) -> Page:
    found = page(f.plain(), Extras())
    return replace(
        found,
        caption=_caption(f, isolated),
        views=(replace(_view(f, isolated), tests=""),),
        each=found.each if f.knows_scores else None,
        method=_method(f),
        sentence=sentence(f),
        latex=latex(f),
        json=f.to_json(),
    )


def _method(f: ForeignComparison) -> tuple[tuple[str, str], ...]:
    """Say where the draws came from, and how they were judged."""
    origin, kept = f.origin, [row for row in method_rows(f.plain()) if row[0] in _KEPT]
    known = f"{visible(origin.model or '')}, prior {visible(origin.prior or '')}"
    rows = [
        ("Draws", _draws(f, visible)),
        ("Draws hash", f.recipe.data_hash),
        ("Model", "not known here" if origin.model is None else known),
        *(() if f.diagnostics is None else [("Chains", _chains(f, visible))]),
        *kept,
        ("Not covered", _NOT_COVERED),
    ]
    return tuple(rows)
