"""Threads of a visitor's page: each runs jobs one after the other, of those with one name that wait only the newest.

One of a page's workers runs everything that touches the page: what people enter, a picture of a motion, a file that
changed, results that arrived; so no two of these ever meet. The others compute, touch nothing, and hand over what they
found.
"""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from typing import Any
from weakref import WeakSet


class Worker:
    """Runs jobs in a thread of its own, once it is started.

    Args:
        failed: called with whatever a job raised.
        name: of the thread.
        lock: held while the state changes; workers that hand jobs to each other share one, so that both can be seen to
            be idle at the same instant.
    """

    def __init__(
        self, failed: Callable[[Exception], None], name: str = "gearwright studio", lock: threading.RLock | None = None
    ) -> None:
        self._failed = failed
        self._waiting: dict[str, Callable[[], Any]] = {}
        self._wake = threading.Condition(lock or threading.RLock())
        self._stopped = False
        self._busy = False
        self._thread = threading.Thread(target=self._run, daemon=True, name=name)

    def start(self) -> None:
        """Begin with what was submitted until now."""
        _STARTED.add(self)
        self._thread.start()

    def submit(self, name: str, job: Callable[[], Any]) -> None:
        """Run a job as soon as may be, instead of one of the same name that still waits; nothing once it is stopped."""
        with self._wake:
            if self._stopped:
                return
            self._waiting.pop(name, None)
            self._waiting[name] = job
            self._wake.notify()

    def stop(self) -> None:
        """Run nothing more once the current job is done."""
        with self._wake:
            self._stopped = True
            self._waiting.clear()
            self._wake.notify()

    def join(self) -> None:
        """Wait until the current job is done; for one that was stopped."""
        if self._thread.is_alive() and not self.is_current():
            self._thread.join()

    def idle(self) -> bool:
        """Whether nothing runs or waits."""
        with self._wake:
            return not self._busy and not self._waiting

    def is_current(self) -> bool:
        """Whether it is this worker's thread that asks."""
        return threading.current_thread() is self._thread

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


_STARTED: WeakSet[Worker] = WeakSet()


@atexit.register
def _end_all() -> None:
    """Let current jobs finish before Python ends: a thread that it stops inside compiled code aborts the process."""
    for worker in list(_STARTED):
        worker.stop()
    for worker in list(_STARTED):
        worker.join()


class Ticker:
    """Calls a function again and again in a thread of its own, until it is stopped.

    Args:
        period: time between two calls [s].
        tick: what to call; it must not wait for whoever stops the ticker.
        name: of the thread.
    """

    def __init__(self, period: float, tick: Callable[[], None], name: str) -> None:
        self._period, self._tick = period, tick
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name=name)
        self._thread.start()

    @property
    def alive(self) -> bool:
        """Whether its thread still runs."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Call nothing more; when this returns the thread has ended."""
        self._end.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while not self._end.wait(self._period):
            self._tick()
