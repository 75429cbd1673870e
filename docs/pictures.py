"""Draw the pictures of the pages into docs/img: the README's, those of the gallery, and the report in a browser.

The gallery draws itself: its examples are run, and what one draws goes into the picture that the page shows below it.
The same pictures are the same files.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import warnings
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.figure import Figure
from PIL import Image

import ropewalk as rw
from ropewalk import plots

DOCS = Path(__file__).parent
IMG = DOCS / "img"
GROUPS = ("rec.motorcycles", "sci.electronics", "rec.sport.baseball")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
SCREEN = (860, 645)  # pixels: the head of the report
DPI = 160
COLOURS = 256
_EXAMPLE = re.compile(r"^```python\n(.*?)^```\n(?:\n!\[[^\]]*\]\(\.\./img/([\w-]+)\.png\))?", re.MULTILINE | re.DOTALL)


def readme() -> None:
    """Draw three newsgroups with three verdicts."""
    posts = _posts()
    figure, axes = plt.subplots(1, len(GROUPS), figsize=(10.6, 2.6), layout="constrained")
    for ax, group in zip(axes, GROUPS, strict=True):
        plots.plot_posterior(rw.compare(posts, a="nb_mult", b="svm_l2", pos_label=group, rope=0.05, rng=0), ax=ax)
    with mpl.rc_context({"svg.hashsalt": "ropewalk"}):
        figure.savefig(IMG / "posterior.svg", metadata={"Date": None})


def gallery() -> None:
    """Run the examples of the gallery and write what they draw."""
    page = DOCS / "howto" / "pictures.md"
    names: dict[str, object] = {}
    with TemporaryDirectory() as folder:
        os.chdir(folder)  # examples write files too
        for code, picture in _EXAMPLE.findall(page.read_text(encoding="utf-8")):
            exec(compile(code, str(page), "exec"), names)  # noqa: S102
            if picture:
                _write_png(plt.gcf(), IMG / f"{picture}.png")
        os.chdir(DOCS)


def report() -> None:
    """Photograph the head of a report, where there is a browser."""
    names = (os.environ.get("ROPEWALK_CHROMIUM"), *BROWSERS)
    browser = next((path for name in names if name and (path := shutil.which(name))), None)
    if browser is None:
        print("No Chromium here: report.png stays as it is.")
        return
    os.environ["SOURCE_DATE_EPOCH"] = "0"
    with TemporaryDirectory() as folder:
        page, shot = Path(folder) / "report.html", Path(folder) / "report.png"
        rw.compare(_posts(), a="nb_mult", b="svm_l2", rope=0.01, rng=0).to_html(page)
        switches = ("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars")
        size = f"--window-size={SCREEN[0]},{SCREEN[1]}"
        command = [browser, *switches, size, f"--screenshot={shot}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)  # noqa: S603
        _write_small(Image.open(shot), IMG / "report.png")


def _posts() -> rw.Outcomes:
    news = rw.examples.news20()
    return news.outcomes.relabel(news.class_names)


def _write_png(figure: Figure, path: Path) -> None:
    with BytesIO() as buffer:
        figure.savefig(buffer, dpi=DPI if figure.get_figwidth() < 5 else DPI * 3 // 4)  # noqa: PLR2004
        _write_small(Image.open(buffer), path)


def _write_small(picture: Image.Image, path: Path) -> None:
    # The colours that cover most of those there are, and not the most frequent ones: a thin orange line stays orange.
    few = picture.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(path, optimize=True)
    print(f"{path.name} {path.stat().st_size:,}")


def main() -> None:
    """Write all pictures."""
    mpl.use("agg")
    warnings.simplefilter("ignore", rw.errors.RopewalkWarning)
    readme()
    gallery()
    report()


if __name__ == "__main__":
    main()
