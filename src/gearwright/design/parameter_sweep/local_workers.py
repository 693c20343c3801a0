"""Who computes the points of a sweep here: the cores of this machine."""

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

from gearwright.arguments import whole
from gearwright.design.parameter_sweep.result_store import Outcome
from gearwright.errors import InputError, SimulationError

Job = Callable[[int], Outcome]
"""Computes one point by its index; it is sent to other processes, so that it must be picklable."""
WATCH = 1.0
"""How often a process looks whether the one that began it is still there [s]."""
RETRIES = 3
"""How often a point is given to another worker when one dies."""


def local(job: Job, indices: Sequence[int], workers: int | None) -> Iterator[Outcome]:
    """Results as they come, from processes of this machine; one process computes here.

    What a process that dies had begun is begun again by others.
    """
    from concurrent.futures.process import BrokenProcessPool

    count = os.cpu_count() or 1 if workers is None else whole("sweep", "workers", workers, least=1, example=2)
    if count == 1 or len(indices) == 1:
        yield from map(job, indices)
        return
    missing = dict.fromkeys(indices)
    for _ in range(1 + RETRIES):
        try:
            for outcome in _pooled(job, list(missing), count):
                missing.pop(outcome.point)
                yield outcome
            return
        except BrokenProcessPool:
            continue
    raise SimulationError(
        f"sweep: processes that compute its points died {1 + RETRIES} times; {len(missing)} points are left. Memory "
        "may be short: give fewer workers. With a store the sweep goes on where it was."
    )


def _pooled(job: Job, indices: Sequence[int], count: int) -> Iterator[Outcome]:
    from concurrent.futures import ProcessPoolExecutor, as_completed
    from multiprocessing import get_context

    context = get_context("spawn")
    with ProcessPoolExecutor(count, mp_context=context, initializer=end_with, initargs=(os.getpid(),)) as pool:
        with script_left_alone(job):  # all processes begin at the first of these calls
            waiting = [pool.submit(job, index) for index in indices]
        try:
            for done in as_completed(waiting):
                yield done.result()
        finally:
            for one in waiting:
                one.cancel()


@contextmanager
def script_left_alone(job: Job) -> Iterator[None]:
    """Let processes begin without running the user's script again, unless it defines a part of the job.

    A script that does must be written so that it may be imported.
    """
    script = sys.modules["__main__"]
    place, spec = getattr(script, "__file__", None), getattr(script, "__spec__", None)
    if b"__main__" in pickle.dumps(job):
        _require_importable(place)
        yield
        return
    try:
        script.__spec__, script.__file__ = None, None
        yield
    finally:
        script.__spec__, script.__file__ = spec, place
        if place is None:
            del script.__file__


def _require_importable(place: str | None) -> None:
    """Refuse a script that would run as a whole in every process."""
    if place is None:
        return
    linecache.checkcache(place)
    lines = linecache.getlines(place)
    if lines and not any("__main__" in line for line in lines):
        raise InputError(
            f"sweep: {Path(place).name} defines what is measured, so that every worker imports it and would run all of "
            'it again. Put what it does under `if __name__ == "__main__":`, or give workers=1.'
        )


def end_with(parent: int) -> None:
    """Let this process end when the one that began it is gone, however that ended."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(WATCH)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def failing(job: Callable[[int], dict[str, float]], index: int) -> Outcome:
    """One point, whose own errors are results: they do not stop the others.

    Every Exception is taken: a measure is a user's function, which may raise any. Ctrl-C and an exit are not ones.
    """
    try:
        return Outcome(index, job(index), None)
    except Exception as error:
        return Outcome(index, {}, error_text(error))


def error_text(error: BaseException) -> str:
    """Type and text of an error, as it is stored."""
    return f"{type(error).__name__}: {error}"
