"""Installs a Chromium for the studio's tests where it can, and fails without one.

python tools/browser.py

A browser that is there already is taken. Otherwise Playwright brings its own where it can download, and on Debian or
Ubuntu the system's package is installed. The rule ends with 1 if nothing starts.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from support.chromium import chromium_path, launched


def main() -> int:
    """Install a browser if there is none, and start it once."""
    from playwright.sync_api import sync_playwright

    for install in (lambda: None, _of_playwright, _of_debian):
        install()
        with sync_playwright() as running:
            if chromium_path(running) is not None:
                return _started(running)
    print("No Chromium could be installed here. Install one by hand; GEARWRIGHT_BROWSER may name it.", file=sys.stderr)
    return 1


def _started(running: object) -> int:
    path = chromium_path(running)
    try:
        browser = launched(running)
        print(f"{path}, version {browser.version}")
        browser.close()
    except Exception as error:  # whatever keeps a browser from starting is for the person to read
        print(f"{path} does not start: {error}", file=sys.stderr)
        return 1
    return 0


def _of_playwright() -> None:
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _of_debian() -> None:
    if shutil.which("apt-get") is None:
        return
    before = [] if getattr(os, "geteuid", lambda: 1)() == 0 else ["sudo", "-n"]
    subprocess.run([*before, "apt-get", "update", "--quiet"], check=False)
    packages = ["chromium", "fonts-dejavu-core"]
    subprocess.run([*before, "apt-get", "install", "--yes", "--no-install-recommends", *packages], check=False)


if __name__ == "__main__":
    sys.exit(main())
