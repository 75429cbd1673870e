"""A real Chromium, driven by the tests of the report."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager

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
        page.on("console", lambda message: self._note("console", message.type, message.text))
        page.on("pageerror", lambda error: self._note("error", error))
        page.on("dialog", lambda dialog: (self._note("dialog", dialog.message), dialog.dismiss()))
        page.on("request", lambda request: None if request.url == own else self._note("request", request.url))
        page.goto(own)

    def _note(self, *what):
        self.wrong.append(what)


@contextmanager
def opened(browser, path, **options):
    """Open a file in a context of its own."""
    context = browser.new_context(**options)
    try:
        yield Watched(context.new_page(), path)
    finally:
        context.close()


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
