"""Threads of a visitor's page: each runs jobs in sequence; of waiting jobs with the same name only the newest.

One worker of a page runs everything that accesses the page: entries, frames of a motion, changes of the file, new
results; so there are no concurrent accesses. The other workers compute and pass their results to it.
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
        failed: called with the exception of a failed job.
        name: name of the thread.
        lock: held while the state changes; workers that pass jobs to each other share one, so that both can be tested
            for idleness together.
    """

    def __init__(
        self, failed: Callable[[Exception], None], name: str = "gearwright studio", lock: threading.RLock | None = None
    ) -> None:
        self._failed = failed
        self._waiting: dict[str, Callable[[], Any]] = {}
        self._wake = threading.Condition(lock or threading.RLock())
        self._stopped = False
        self._busy = False
        self._thread = threading.Thread(target=self._run_jobs, daemon=True, name=name)

    def start(self) -> None:
        """Start, with the jobs submitted so far."""
        _STARTED_WORKERS.add(self)
        self._thread.start()

    def submit(self, name: str, job: Callable[[], Any]) -> None:
        """Run a job as soon as possible, in place of a waiting one of the same name; ignored after `stop`."""
        with self._wake:
            if self._stopped:
                return
            self._waiting.pop(name, None)
            self._waiting[name] = job
            self._wake.notify()

    def stop(self) -> None:
        """Stop after the current job."""
        with self._wake:
            self._stopped = True
            self._waiting.clear()
            self._wake.notify()

    def join(self) -> None:
        """Wait for the end of the current job, after `stop`."""
        if self._thread.is_alive() and not self.is_current():
            self._thread.join()

    def is_idle(self) -> bool:
        """Whether nothing runs or waits."""
        with self._wake:
            return not self._busy and not self._waiting

    def is_current(self) -> bool:
        """Whether the calling thread is this worker's thread."""
        return threading.current_thread() is self._thread

    def _run_jobs(self) -> None:
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
            except Exception as error:  # shown on the page if it is still open; the thread goes on
                if not self._stopped:
                    self._failed(error)


_STARTED_WORKERS: WeakSet[Worker] = WeakSet()


@atexit.register
def _stop_workers() -> None:
    """Let current jobs finish before Python ends: a thread that it stops inside compiled code aborts the process."""
    for worker in list(_STARTED_WORKERS):
        worker.stop()
    for worker in list(_STARTED_WORKERS):
        worker.join()


class Ticker:
    """Calls a function periodically in its own thread, until it is stopped.

    Args:
        period: time between two calls [s].
        tick: the function; it must not wait for the thread that stops the ticker.
        name: name of the thread.
    """

    def __init__(self, period: float, tick: Callable[[], None], name: str) -> None:
        self._period, self._tick = period, tick
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run_ticks, daemon=True, name=name)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether its thread still runs."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Stop the calls; after the return the thread has ended."""
        self._end.set()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _run_ticks(self) -> None:
        while not self._end.wait(self._period):
            self._tick()
