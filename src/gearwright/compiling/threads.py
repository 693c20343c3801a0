"""Long batches on several cores."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from gearwright.errors import InputError

CHUNK = 64
"""Chunks of rows start at multiples of it, so that every vector holds the same states with any number of threads."""


def thread_count() -> int:
    """Threads for long batches: GEARWRIGHT_THREADS, or the cores this process may use."""
    chosen = os.environ.get("GEARWRIGHT_THREADS", "")
    if not chosen:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not chosen.isdigit() or int(chosen) < 1:
        raise InputError(f"GEARWRIGHT_THREADS is {chosen!r}; it must be a number of threads, 1 or more.")
    return int(chosen)


def over_rows(work: Callable[[int, int], bool], rows: int, threads: int) -> bool:
    """Run `work(begin, end)` on all rows, cut into one chunk per thread; whether all went well."""
    step = -(-rows // threads)
    step = -(-step // CHUNK) * CHUNK
    chunks = [(begin, min(begin + step, rows)) for begin in range(0, rows, step)]
    if len(chunks) < 2:
        return work(0, rows)
    others = [_pool(threads).submit(work, *chunk) for chunk in chunks[1:]]
    first = work(*chunks[0])
    return all([first, *(other.result() for other in others)])


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=threads, thread_name_prefix="gearwright")


if hasattr(os, "register_at_fork"):  # threads do not survive a fork; the child makes its own
    os.register_at_fork(after_in_child=_pool.cache_clear)
