"""Sweeps on a real Dask cluster: workers that die, never come, or are lost with their scheduler."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

import gearwright as gw
from design.measures_of_sweeps import quarrelsome, slow
from gearwright.design import sweep
from gearwright.errors import GearwrightWarning, InputError, SimulationError
from gearwright.motion import polynomial

ROBOT = gw.load("elbow")
RATIOS = {"j2.gear.ratio": list(range(50, 80))}
ODD = {"j2.gear.ratio": [50.0, 60.0, 70.0, 80.0]}
IMPOSSIBLE = {"j2.gear.ratio": [50.0, 0.0, -60.0]}
SWING = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
TESTS = Path(__file__).parents[1]


def cluster_of(workers, marks):
    distributed = pytest.importorskip("distributed")
    paths = os.pathsep.join([str(TESTS), *sys.path])
    environment = {"PYTHONPATH": paths, "GEARWRIGHT_TEST_MARKS": str(marks)}
    return distributed.LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, env=environment
    )


def begun(marks):
    """(ratio, process) of every point that was begun."""
    return [tuple(mark.name.split("-")[:2]) for mark in marks.iterdir()]


def when_begun(marks, count, action):
    """Call an action with the process that is the first to have begun so many points."""

    def watch():
        while True:
            for process, points in Counter(own for _, own in begun(marks)).items():
                if points >= count:
                    action(int(process))
                    return
            time.sleep(0.005)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    return watcher


@pytest.mark.slow
def test_a_cluster_survives_the_death_of_a_worker(tmp_path):
    """One of two worker processes is killed while it computes: its points are begun again, the result is the same."""
    marks = tmp_path / "marks"
    marks.mkdir()
    with cluster_of(2, marks) as there:
        killer = when_begun(marks, 4, lambda worker: os.kill(worker, signal.SIGKILL))
        found = sweep(
            ROBOT,
            RATIOS,
            slow,
            options=gw.design.SweepOptions(scheduler=there.scheduler_address),
            store=tmp_path / "cluster.db",
        )
        failed = sweep(ROBOT, ODD, quarrelsome, options=gw.design.SweepOptions(scheduler=there.scheduler_address))
        motion = sweep(ROBOT, IMPOSSIBLE, SWING, options=gw.design.SweepOptions(scheduler=there.scheduler_address))
    assert not killer.is_alive(), "no worker was killed"
    computed = Counter(ratio for ratio, _ in begun(marks))
    assert set(computed) == {f"{ratio}" for ratio in range(50, 80)}
    assert max(computed.values()) > 1, "no point was begun again"
    here = sweep(ROBOT, RATIOS, slow, options=gw.design.SweepOptions(workers=1))
    assert not found.errors
    assert found["square"].tolist() == here["square"].tolist() == [float(ratio) ** 2 for ratio in range(50, 80)]
    assert failed.errors == sweep(ROBOT, ODD, quarrelsome, options=gw.design.SweepOptions(workers=1)).errors
    motion_here = sweep(ROBOT, IMPOSSIBLE, SWING)
    assert list(motion.errors) == [1]
    assert motion.errors == motion_here.errors
    assert motion["rms.j2"] == pytest.approx(motion_here["rms.j2"], rel=1e-9, nan_ok=True)


@pytest.fixture
def started(tmp_path, monkeypatch):
    """A function that starts a program of Dask in a process of its own; all are killed in the end."""
    pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), *sys.path]))
    monkeypatch.setenv("GEARWRIGHT_TEST_MARKS", str(tmp_path / "marks"))
    (tmp_path / "marks").mkdir()
    running = []

    def start(program, *words):
        command = [sys.executable, "-m", f"distributed.cli.dask_{program}", *words, "--no-dashboard"]
        running.append(subprocess.Popen(command, stderr=subprocess.DEVNULL))

    start.kill = lambda: [process.kill() for process in running]
    yield start
    start.kill()
    for process in running:
        process.wait()


@pytest.mark.slow
def test_a_scheduler_without_workers_and_one_that_is_lost(tmp_path, started, monkeypatch):
    """Both are told, what was computed is kept, and the sweep is finished here."""
    marks, store, place = tmp_path / "marks", tmp_path / "sweep.db", tmp_path / "scheduler.json"
    started("scheduler", "--port", "0", "--scheduler-file", str(place))
    while not place.exists():
        time.sleep(0.05)
    address = json.loads(place.read_text())["address"]
    with monkeypatch.context() as hasty:
        hasty.setattr("gearwright.design.parameter_sweep.dask_cluster.NO_WORKER_WARNING_DELAY", 0.1)
        hasty.setattr("gearwright.design.parameter_sweep.dask_cluster.NO_WORKER_TIMEOUT", 0.3)
        with pytest.warns(GearwrightWarning, match="worker"), pytest.raises(SimulationError, match="worker"):
            sweep(ROBOT, RATIOS, slow, options=gw.design.SweepOptions(scheduler=address), store=store)
    monkeypatch.setattr(
        "gearwright.design.parameter_sweep.dask_cluster.NO_WORKER_WARNING_DELAY", 60
    )  # the worker takes a moment to start
    started("worker", address, "--nthreads", "1", "--no-nanny")
    when_begun(marks, 12, lambda _: started.kill())
    with pytest.raises(SimulationError, match="lost"):
        sweep(ROBOT, RATIOS, slow, options=gw.design.SweepOptions(scheduler=address), store=store)
    before = len(begun(marks))
    found = sweep(ROBOT, RATIOS, slow, store=store, options=gw.design.SweepOptions(workers=1))
    assert found["square"].tolist() == [float(ratio) ** 2 for ratio in range(50, 80)]
    assert len(begun(marks)) - before < 30, "what had come is computed again"


def test_a_scheduler_that_is_not_there(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("gearwright.design.parameter_sweep.dask_cluster.CONNECT_TIMEOUT", 1)
    with pytest.raises(InputError, match=r"tcp://127\.0\.0\.1:9"):
        sweep(ROBOT, RATIOS, slow, options=gw.design.SweepOptions(scheduler="tcp://127.0.0.1:9"))
