"""One thread per visitor that computes the newest request only: a slider makes more of them than anybody can see."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Worker:
    """Runs jobs one after the other; of jobs with one name that wait only the newest runs.

    Args:
        failed: called with whatever a job raised.
    """

    def __init__(self, failed: Callable[[Exception], None]) -> None:
        self._failed = failed
        self._waiting: dict[str, Callable[[], Any]] = {}
        self._wake = threading.Condition()
        self._stopped = False
        self._busy = False
        threading.Thread(target=self._run, daemon=True, name="gearwright studio").start()

    def submit(self, name: str, job: Callable[[], Any]) -> None:
        """Run a job as soon as may be, instead of one of the same name that still waits."""
        with self._wake:
            self._waiting.pop(name, None)
            self._waiting[name] = job
            self._wake.notify()

    def stop(self) -> None:
        """Run nothing more once the current job is done."""
        with self._wake:
            self._stopped = True
            self._wake.notify()

    def idle(self) -> bool:
        """Whether nothing runs or waits."""
        with self._wake:
            return not self._busy and not self._waiting

    def _run(self) -> None:
        while True:
            with self._wake:
                self._busy = False
                self._wake.wait_for(lambda: self._stopped or self._waiting)
                if self._stopped:
                    return
                job = self._waiting.pop(next(iter(self._waiting)))
                self._busy = True
            try:
                job()
            except Exception as error:  # shown to the visitor, unless he left meanwhile; the thread goes on
                if not self._stopped:
                    self._failed(error)
