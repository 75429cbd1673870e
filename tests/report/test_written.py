"""Tables for papers and pages: LaTeX by a real pdfLaTeX, Markdown by a real parser, with names that mean harm."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import ropewalk as rw
from hostile import hostile_names
from support import frugality, need, without_warnings

HOSTILE = hostile_names(
    "script", "image", "input", "formula", "emoji", "long", "hebrew", "red", "bar", "specials", "backslashes", "link",
    "ligatures", "accents", "turned", "emphasis", "mention",
)  # fmt: skip


def made(names):
    """Return one of each result that has a table, about classifiers and classes of these names."""
    y = [names[0], names[1], "other"] * 40
    a = y[:110] + [names[1]] * 10
    b = [names[1]] * 6 + y[6:]
    how = {"rope": 0.05, "rng": 0, "draws": 1_000}
    return {
        "compare": rw.compare(y, a, b, names=names, **how),
        "classes": rw.compare_classes(y, a, b, names=names, **how),
        "rank": rw.rank(y, a, b, y, names=[*names, "perfect"], **how),
        "evaluate": rw.evaluate(y, a, name=names[0], rng=0, draws=1_000),
        "confusion": rw.analysis.confusion(y, a, name=names[0]),
        "tests": rw.classical.battery(y, a, b, names=names),
    }


@pytest.fixture(scope="module")
def results():
    with without_warnings(), frugality():
        return [made([name, f"other {name}"]) for name in HOSTILE]


def test_latex_compiles_with_plain_pdflatex(results, tmp_path):
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed")
    parts = [
        r"\documentclass[a3paper,landscape]{article}",
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{booktabs,textcomp}",
    ]
    parts += [r"\begin{document}", r"\tiny"]
    for found in results:
        for result in found.values():
            parts += [result.to_latex(), "", r"\bigskip", ""]
    parts.append(r"\end{document}")
    (tmp_path / "all.tex").write_text("\n".join(parts), encoding="utf-8")
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "all.tex"],
        cwd=tmp_path, capture_output=True, text=True, errors="replace", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-1500:]
    assert (tmp_path / "all.pdf").exists()
    assert "root:" not in done.stdout  # nothing was read in
    if shutil.which("pdftotext"):
        told = subprocess.run(
            ["pdftotext", "-layout", "all.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True
        )
        for legible in ("<script>alert(1)</script>", r"\input{/etc/passwd}", "$x_1$", "U+1F600"):
            assert legible in told.stdout, legible


@pytest.mark.parametrize("kind", ["compare", "classes", "rank", "evaluate", "confusion", "tests"])
def test_markdown_renders_as_tables_whose_cells_are_the_names(results, kind):
    parser = need("markdown_it").MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
    for name, found in zip(HOSTILE, results, strict=True):
        tokens = parser.parse(found[kind].to_markdown())
        kinds = {token.type for token in tokens}
        assert "table_open" in kinds
        assert "html_block" not in kinds
        inline = [child.type for token in tokens if token.children for child in token.children]
        assert set(inline) <= {"text", "text_special", "softbreak"}, (name, set(inline))
        rows = [token for token in tokens if token.type == "tr_open"]
        cells = [token for token in tokens if token.type in {"td_open", "th_open"}]
        tables = [token for token in tokens if token.type == "table_open"]
        if len(tables) == 1:
            assert len(cells) % len(rows) == 0
        if name.isprintable() and kind in {"compare", "rank"} and len(name) < 50:
            texts = ["".join(child.content for child in token.children) for token in tokens if token.children]
            assert any(name in text for text in texts), name
