"""Points of a sweep on the workers of a Dask cluster, which may fail or be missing."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from gearwright.design.parameter_sweep.local_workers import MAX_WORKER_RETRIES, PointJob, error_text
from gearwright.design.parameter_sweep.result_store import PointOutcome
from gearwright.errors import GearwrightWarning, InputError, MissingExtraError, SimulationError

CONNECT_TIMEOUT = 10
"""Timeout of the connection to a cluster [s]."""
NO_WORKER_TIMEOUT = 120
"""Longest time of a scheduler without a worker [s]."""
NO_WORKER_WARNING_DELAY = 2
"""Time without a worker before a warning [s]: a dead worker may be restarted at once."""
POLL_INTERVAL = 0.02
"""Polling interval for results [s]."""
RESUME_ADVICE = "With a store the results so far are saved: call again to resume the sweep."


def compute_on_cluster(job: PointJob, indices: Sequence[int], address: str) -> Iterator[PointOutcome]:
    """Results in order of completion from the workers of a Dask scheduler; points of a dead worker are repeated."""
    from concurrent.futures import CancelledError

    client, completed = _connect_client(address)
    try:
        with client:
            futures = client.map(job, list(indices), retries=MAX_WORKER_RETRIES, pure=False)
            points = {future.key: index for future, index in zip(futures, indices, strict=True)}
            for finished in _completed_futures(client, completed(futures), address):
                yield _future_outcome(finished, points[finished.key])
    # Errors of points are results; these are errors of the connection.
    except (CancelledError, OSError) as error:
        raise SimulationError(
            f"sweep: the connection to the scheduler {address!r} was lost ({error_text(error)}). {RESUME_ADVICE} Or "
            "omit scheduler: the sweep then runs on the cores of this machine."
        ) from error


def _completed_futures(client: Any, results: Any, address: str) -> Iterator[Any]:
    """Futures in order of completion; a missing worker is a warning first and an error after the timeout."""
    last_progress, is_warned = time.monotonic(), False
    while not results.is_empty():
        if results.has_ready():
            yield next(results)
        elif client.status == "running" and client.scheduler_info()["workers"]:
            time.sleep(POLL_INTERVAL)
        else:
            time.sleep(POLL_INTERVAL)
            is_warned = _check_waiting(client, address, time.monotonic() - last_progress, is_warned)
            continue
        last_progress = time.monotonic()


def _check_waiting(client: Any, address: str, seconds: float, is_warned: bool) -> bool:
    """Whether the warning about missing workers was given; after the timeout it is an error."""
    if not is_warned and seconds > NO_WORKER_WARNING_DELAY and client.status == "running":
        warnings.warn(
            f"sweep: the scheduler {address!r} has no worker: waiting up to {NO_WORKER_TIMEOUT:g} s. Start some with "
            f"`dask worker {address}`.",
            GearwrightWarning,
            stacklevel=2,
        )
        return True
    if seconds > NO_WORKER_TIMEOUT:
        raise SimulationError(
            f"sweep: the scheduler {address!r} had no worker for {NO_WORKER_TIMEOUT:g} s. Start some (`dask worker "
            f"{address}`), or omit scheduler: the sweep then runs on the cores of this machine. {RESUME_ADVICE}"
        )
    return is_warned


def _future_outcome(future: Any, index: int) -> PointOutcome:
    """The result of a point; a point that kills every worker has failed like any other."""
    from distributed.scheduler import KilledWorker

    try:
        outcome = future.result()
    except KilledWorker as error:
        return PointOutcome(index, {}, error_text(error))
    assert isinstance(outcome, PointOutcome)
    return outcome


def _connect_client(address: str) -> tuple[Any, Any]:
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise MissingExtraError(
            "sweep: scheduler needs Dask. Install gearwright[cluster], or omit scheduler: the sweep then runs on the "
            "cores of this machine."
        ) from error
    try:
        return Client(address, timeout=CONNECT_TIMEOUT), as_completed
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"sweep: the scheduler {address!r} cannot be reached ({type(error).__name__}: {error}). Check the address, "
            "or omit it: the sweep then runs on the cores of this machine."
        ) from error
