"""Finds a Chromium that Playwright can drive, and starts it so that it reaches this machine alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
]


def chromium_path(playwright) -> str | None:
    """The browser that the environment names, that is installed, or that Playwright brought along."""
    named = os.environ.get("GEARWRIGHT_BROWSER")
    if named:
        return named
    own = playwright.chromium.executable_path
    return next((found for name in NAMES if (found := shutil.which(name))), own if Path(own).exists() else None)


def launched(playwright):
    """A browser without a window."""
    path = chromium_path(playwright)
    assert path is not None
    return playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
