"""A real Chromium, driven by the tests of the report."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

from support import need

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
# A browser in a test has no business on the network, and root has no sandbox.
SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip


def find_chromium():
    """Return the path of a Chromium, that of ROPEWALK_CHROMIUM first; None where there is none."""
    asked = os.environ.get("ROPEWALK_CHROMIUM")
    return asked or next((path for name in NAMES if (path := shutil.which(name))), None)


class Watched:
    """A page from disk, and everything it did that it should not: errors, requests, dialogs."""

    def __init__(self, page, path):
        self.page, self.wrong = page, []
        own = path.as_uri()
        self._listeners = {
            "console": lambda message: self._note("console", message.type, message.text),
            "pageerror": lambda error: self._note("error", error),
            "dialog": lambda dialog: (self._note("dialog", dialog.message), dialog.dismiss()),
            "request": lambda request: None if request.url == own else self._note("request", request.url),
        }
        for event, listener in self._listeners.items():
            page.on(event, listener)
        page.goto(own)

    def _note(self, *what):
        self.wrong.append(what)

    def leave(self):
        for event, listener in self._listeners.items():
            self.page.remove_listener(event, listener)


@contextmanager
def opened(browser, path, *, width=1280, height=720, color_scheme="light", **options):
    """Open a file in the one page of the browser: a new document, no new process. Other options need their own page."""
    page = browser.new_page(**options) if options else browser.contexts[0].pages[0]
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(media="screen", color_scheme=color_scheme)
    seen = Watched(page, path)
    try:
        yield seen
    finally:
        seen.leave()
        if options:
            page.context.close()


def unfold(page):
    """Open everything that is folded."""
    page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")


def violations(page):
    """Return what an audit by axe has against a page: the rule, and the first place where it is broken."""
    axe = need("axe_playwright_python.sync_playwright").Axe()
    found = axe.run(page).response["violations"]
    return [(one["id"], one["impact"], one["nodes"][0]["html"]) for one in found]


def keep_screenshot(page, name):
    """Photograph the whole page, for people to look at, where ROPEWALK_SCREENSHOTS names a folder."""
    folder = os.environ.get("ROPEWALK_SCREENSHOTS")
    if folder:
        page.screenshot(path=f"{folder}/{name.replace(' ', '-')}.png", full_page=True)


OVERLAPPING = """() => {
  const found = [];
  document.querySelectorAll("svg").forEach((svg) => {
    const texts = [...svg.children].filter((node) => node.tagName === "text" && node.getBoundingClientRect().width > 0);
    texts.forEach((one, i) => texts.slice(i + 1).forEach((other) => {
      const a = one.getBoundingClientRect(), b = other.getBoundingClientRect();
      const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (across > 1 && down > 3) { found.push([svg.className.baseVal, one.textContent, other.textContent, across]); }
    }));
  });
  return found;
}"""

# Cells of a row of a picture that run out of their place or into each other.
CROWDED = """() => {
  const found = [];
  const box = (node) => {
    if (node.querySelector("svg")) { return node.getBoundingClientRect(); }
    const range = document.createRange();
    range.selectNodeContents(node);
    return range.getBoundingClientRect();
  };
  document.querySelectorAll(".r, .flip, .rw .board").forEach((row) => {
    const inFlow = [...row.children].filter((node) => getComputedStyle(node).position !== "absolute");
    const cells = inFlow.map((node) => [node, box(node)]);
    cells.filter(([, a]) => a.width > 0).forEach(([one, a], i, seen) => {
      if (a.right > row.getBoundingClientRect().right + 2) { found.push(["out", one.textContent]); }
      seen.slice(i + 1).forEach(([other, b]) => {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > 2 && down > 3) { found.push([one.textContent, other.textContent, across]); }
      });
    });
  });
  return found;
}"""
