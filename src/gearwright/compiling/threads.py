"""Long batches on several cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from gearwright.errors import InputError

CHUNK_ROWS = 64
"""Chunks of rows start at multiples of this, so that vectors do not depend on the number of threads."""


def thread_count() -> int:
    """Number of threads for long batches: GEARWRIGHT_THREADS, or the cores available to this process."""
    chosen = os.environ.get("GEARWRIGHT_THREADS", "")
    if not chosen:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not chosen.isdigit() or int(chosen) < 1:
        raise InputError(f"GEARWRIGHT_THREADS is {chosen!r}; it must be an integer, 1 or more.")
    return int(chosen)


def run_over_rows(work: Callable[[int, int], bool], rows: int, threads: int) -> bool:
    """Run `work(begin, end)` on all rows, split into one chunk per thread; returns whether all succeeded."""
    step = -(-rows // threads)
    step = -(-step // CHUNK_ROWS) * CHUNK_ROWS
    chunks = [(begin, min(begin + step, rows)) for begin in range(0, rows, step)]
    if len(chunks) < 2:
        return work(0, rows)
    futures = [_thread_pool(threads).submit(work, *chunk) for chunk in chunks[1:]]
    first = work(*chunks[0])
    return all([first, *(future.result() for future in futures)])


@cache
def _thread_pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=threads, thread_name_prefix="gearwright")


if hasattr(os, "register_at_fork"):  # threads do not survive a fork; the child starts new ones
    os.register_at_fork(after_in_child=_thread_pool.cache_clear)
