"""Opens a page from disk in Chromium, and notes what it asks for and complains of."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A running browser; skips where there is none."""
    library = pytest.importorskip("playwright.sync_api", reason="playwright drives the browser")
    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if program is None:
        pytest.skip("no Chromium here")
    with library.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=program, args=FLAGS.split())
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page that is open: `asked` are the addresses it wanted, `said` its errors and messages."""

    def __init__(self, browser: Any, file: Path, width: int = 1000, scheme: str = "light") -> None:
        self.asked: list[str] = []
        self.said: list[str] = []
        self.context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append(dialog.message), dialog.dismiss()))
        self.page.goto(file.as_uri())

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *_: object) -> None:
        self.context.close()
