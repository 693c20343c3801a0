"""Points of a sweep on the workers of a Dask cluster, some of which may die, or never come."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from gearwright.design.parameter_sweep.local_workers import RETRIES, Job, error_text
from gearwright.design.parameter_sweep.result_store import Outcome
from gearwright.errors import GearwrightWarning, InputError, MissingExtraError, SimulationError

WAITING = 10
"""Seconds until a cluster that does not answer counts as one that cannot be reached."""
WORKERLESS = 120
"""Seconds that a scheduler may be without any worker."""
SAID = 2
"""Seconds without any worker after which it is said: one that died may be started again at once."""
LOOKING = 0.02
"""Seconds between two looks at what has come."""
AGAIN = "What was computed is kept where there is a store: call again, and the sweep goes on."


def cluster(job: Job, indices: Sequence[int], address: str) -> Iterator[Outcome]:
    """Results as they come, from the workers of a Dask scheduler; what a dead worker had begun is begun again."""
    from concurrent.futures import CancelledError

    client, completed = _client(address)
    try:
        with client:
            futures = client.map(job, list(indices), retries=RETRIES, pure=False)
            points = {future.key: index for future, index in zip(futures, indices, strict=True)}
            for done in _arriving(client, completed(futures), address):
                yield _outcome(done, points[done.key])
    # Errors of points are results: these are those of the connection, closed while nothing or a result was under way.
    except (CancelledError, OSError) as error:
        raise SimulationError(
            f"sweep: the scheduler {address!r} was lost ({error_text(error)}). {AGAIN} Or leave the scheduler out: the "
            "sweep then runs on the cores of this machine."
        ) from error


def _arriving(client: Any, results: Any, address: str) -> Iterator[Any]:
    """Futures as they are done; that nobody computes is said once, and after a while it is an error."""
    since, said = time.monotonic(), False
    while not results.is_empty():
        if results.has_ready():
            yield next(results)
        elif client.status == "running" and client.scheduler_info()["workers"]:
            time.sleep(LOOKING)
        else:
            time.sleep(LOOKING)
            said = _waited(client, address, time.monotonic() - since, said)
            continue
        since = time.monotonic()


def _waited(client: Any, address: str, seconds: float, said: bool) -> bool:
    """Whether it was said that there is no worker; after long enough it is an error."""
    if not said and seconds > SAID and client.status == "running":
        warnings.warn(
            f"sweep: the scheduler {address!r} has no worker: waiting up to {WORKERLESS:g} s. Start some with `dask "
            f"worker {address}`.",
            GearwrightWarning,
            stacklevel=2,
        )
        return True
    if seconds > WORKERLESS:
        raise SimulationError(
            f"sweep: the scheduler {address!r} had no worker for {WORKERLESS:g} s. Start some (`dask worker "
            f"{address}`), or leave the scheduler out: the sweep then runs on the cores of this machine. {AGAIN}"
        )
    return said


def _outcome(done: Any, index: int) -> Outcome:
    """What came of a point; a point that kills each worker that takes it has failed like any other."""
    from distributed.scheduler import KilledWorker

    try:
        outcome = done.result()
    except KilledWorker as error:
        return Outcome(index, {}, error_text(error))
    assert isinstance(outcome, Outcome)
    return outcome


def _client(address: str) -> tuple[Any, Any]:
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise MissingExtraError(
            "sweep: a scheduler needs Dask. Install gearwright[cluster], or leave the scheduler out: the sweep then "
            "runs on the cores of this machine."
        ) from error
    try:
        return Client(address, timeout=WAITING), as_completed
    except (OSError, TimeoutError, ValueError) as error:
        raise InputError(
            f"sweep: the scheduler {address!r} cannot be reached ({type(error).__name__}: {error}). Check the address, "
            "or leave it out: the sweep then runs on the cores of this machine."
        ) from error
