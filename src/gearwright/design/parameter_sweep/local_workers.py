"""Points of a sweep on the cores of this machine."""

from __future__ import annotations

import linecache
import os
import pickle
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from gearwright.arguments import whole_number
from gearwright.design.parameter_sweep.result_store import PointOutcome
from gearwright.errors import InputError, SimulationError

PointJob = Callable[[int], PointOutcome]
"""Computes one point by its index; it must be picklable for other processes."""
PARENT_CHECK_INTERVAL = 1.0
"""Interval at which a process checks that its parent is alive [s]."""
MAX_WORKER_RETRIES = 3
"""Number of retries of a point after a worker died."""


def compute_locally(job: PointJob, indices: Sequence[int], workers: int | None) -> Iterator[PointOutcome]:
    """Results in order of completion from processes of this machine; with one worker they are computed here.

    Points of a process that dies are repeated by others.
    """
    from concurrent.futures.process import BrokenProcessPool

    count = os.cpu_count() or 1 if workers is None else whole_number("sweep", "workers", workers, least=1, example=2)
    if count == 1 or len(indices) == 1:
        yield from map(job, indices)
        return
    missing = dict.fromkeys(indices)
    for _ in range(1 + MAX_WORKER_RETRIES):
        try:
            for outcome in _pool_outcomes(job, list(missing), count):
                missing.pop(outcome.point)
                yield outcome
            return
        except BrokenProcessPool:
            continue
    raise SimulationError(
        f"sweep: worker processes died {1 + MAX_WORKER_RETRIES} times; {len(missing)} points are left. Memory may be "
        "short: give fewer workers. With a store the sweep resumes where it stopped."
    )


def _pool_outcomes(job: PointJob, indices: Sequence[int], count: int) -> Iterator[PointOutcome]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    context = get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=exit_with_parent, initargs=(os.getpid(),)) as pool:
        with without_script_import(job):  # all processes start at the first of these calls
            futures = [pool.submit(job, index) for index in indices]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            for pending in futures:
                pending.cancel()


@contextmanager
def without_script_import(job: PointJob) -> Iterator[None]:
    """Start processes without running the user's script again, unless it defines a part of the job.

    A script that does must be importable.
    """
    script = sys.modules["__main__"]
    file, spec = getattr(script, "__file__", None), getattr(script, "__spec__", None)
    if b"__main__" in pickle.dumps(job):
        _require_importable(file)
        yield
        return
    try:
        script.__spec__, script.__file__ = None, None
        yield
    finally:
        script.__spec__, script.__file__ = spec, file
        if file is None:
            del script.__file__


def _require_importable(file: str | None) -> None:
    """Raise an error for a script that would run completely in every process."""
    if file is None:
        return
    linecache.checkcache(file)
    lines = linecache.getlines(file)
    if lines and not any("__main__" in line for line in lines):
        raise InputError(
            f"sweep: {Path(file).name} defines the measure; every worker imports it and would run the whole script "
            'again. Put its main code under `if __name__ == "__main__":`, or give workers=1.'
        )


def exit_with_parent(parent: int) -> None:
    """End this process when its parent process has ended, for any reason."""

    def watch_parent() -> None:
        while os.getppid() == parent:
            time.sleep(PARENT_CHECK_INTERVAL)
        os._exit(1)

    threading.Thread(target=watch_parent, daemon=True).start()


def with_error_caught(job: Callable[[int], dict[str, float]], index: int) -> PointOutcome:
    """The result of one point; its errors are results and do not stop the other points.

    All subclasses of Exception are caught, because a measure is a user's function; Ctrl-C and an exit are not.
    """
    try:
        return PointOutcome(index, job(index), None)
    except Exception as error:
        return PointOutcome(index, {}, error_text(error))


def error_text(error: BaseException) -> str:
    """Type and text of an error, for the store."""
    return f"{type(error).__name__}: {error}"
