"""Watches the file of a robot while the studio runs: somebody edits it by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

PERIOD = 0.5
"""How often the file is looked at [s]."""


class Watch:
    """Calls a function when a file changed, until it is stopped.

    Args:
        path: the file.
        changed: what to call.
    """

    def __init__(self, path: Path, changed: Callable[[], None]) -> None:
        self._path, self._changed = path, changed
        self._last_stamp = self._stamp()
        self._end = threading.Event()
        threading.Thread(target=self._run, daemon=True, name="gearwright studio, watching").start()

    def skip(self) -> None:
        """Take no notice of the change that comes next: it is our own."""
        self._last_stamp = None

    def stop(self) -> None:
        """Watch no longer."""
        self._end.set()

    def _run(self) -> None:
        while not self._end.wait(PERIOD):
            stamp = self._stamp()
            if self._last_stamp is not None and stamp is not None and stamp != self._last_stamp:
                self._changed()
            self._last_stamp = stamp

    def _stamp(self) -> tuple[int, int] | None:
        """When the file was last written and how long it is; None while an editor replaces it."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
