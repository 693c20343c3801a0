"""Watches the file of a robot while the studio runs: somebody edits it by hand."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

from gearwright.studio.worker import Ticker

PERIOD = 0.5
"""How often the file is looked at [s]."""


class Watch:
    """Calls a function when a file changed, until it is stopped.

    Args:
        path: the file.
        changed: what to call.
        period: how often the file is looked at [s].
    """

    def __init__(self, path: Path, changed: Callable[[], None], period: float = PERIOD) -> None:
        self._path, self._changed = path, changed
        self._looking = threading.Lock()
        self._last_stamp = self._stamp()
        self._ticker = Ticker(period, self.look, "gearwright studio, watching")

    def look(self) -> None:
        """Look at the file now."""
        with self._looking:
            stamp = self._stamp()
            changed = stamp is not None and stamp != self._last_stamp
            self._last_stamp = stamp or self._last_stamp
        if changed:
            self._changed()

    def unseen(self, path: Path, write: Callable[[], None]) -> None:
        """Write a file; if it is the one that is watched, this is not taken for a change by somebody else."""
        with self._looking:
            write()
            if path == self._path:
                self._last_stamp = self._stamp()

    def stop(self) -> None:
        """Watch no longer; when this returns nothing is called any more."""
        self._ticker.stop()

    def _stamp(self) -> tuple[int, int] | None:
        """When the file was last written and how long it is; None while an editor replaces it."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size
