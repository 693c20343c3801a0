"""Sweeps: the same numbers however they are computed; nothing lost by a kill, nothing computed twice."""

from __future__ import annotations

import os
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from design.measures_of_sweeps import deadly, picky, slow
from gearwright.analysis.perturbation import Perturbation
from gearwright.design import Forces, Normal, Task, Uniform, sweep
from gearwright.errors import FileError, InputError, SimulationError
from gearwright.motion import polynomial
from gearwright.parts import with_parameters

ROBOT = gw.load("elbow")
SWING = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
RATIOS = {"j2.gear.ratio": list(range(50, 80))}
TESTS = Path(__file__).parents[1]


def test_kernels_give_what_each_robot_gives():
    over = {"j2.gear.ratio": [40.0, 90.0], "j3.motor.inertia": [1e-5, 4e-5], "payload.mass": [0.5, 2.0]}
    robot = ROBOT.with_payload(1.0)
    found = sweep(robot, over, SWING)
    assert len(found) == 8
    measure = Forces(SWING.sample(201))
    for k in range(len(found)):
        one = measure(with_parameters(robot, dict(zip(found.names, found.values[k], strict=True))))
        assert {name: found[name][k] for name in one} == pytest.approx(one, rel=1e-9)


def test_a_task_is_analysed_at_every_point():
    found = sweep(gw.load("scara"), {"elbow.gear.ratio": [40.0, 60.0]}, Task([_scara_way()]), workers=1)
    assert found["elbow.peak_motor_speed"][1] / found["elbow.peak_motor_speed"][0] == pytest.approx(1.5)


def _scara_way():
    return polynomial([0, 0, -0.1, 0], [0.5, 0.5, -0.1, 0.5], duration=1.0)


def test_samples_follow_their_distributions():
    over = {"j2.gear.ratio": Normal(100.0, 5.0), "j3.gear.ratio": Uniform(50.0, 70.0)}
    found = sweep(ROBOT, over, SWING, samples=400, seed=3)
    normal, uniform = found["j2.gear.ratio"], found["j3.gear.ratio"]
    assert (normal.mean(), normal.std()) == (pytest.approx(100.0, abs=0.1), pytest.approx(5.0, rel=0.03))
    assert 50.0 <= uniform.min() < 50.2
    assert 69.8 < uniform.max() <= 70.0
    again = sweep(ROBOT, over, SWING, samples=400, seed=3)
    assert np.array_equal(again["rms.j2"], found["rms.j2"])


def test_a_point_that_fails_does_not_stop_the_others():
    found = sweep(ROBOT, {"j2.gear.ratio": [50.0, 60.0, 70.0]}, picky, workers=1)
    assert "ZeroDivisionError" in found.errors[1]
    assert np.isnan(found["inverse"][1])
    assert found["inverse"][[0, 2]].tolist() == [-0.1, 0.1]


def test_a_killed_sweep_goes_on_where_it_was(tmp_path):
    """SIGKILL in the middle of a run in another process: the second run computes only what is missing."""
    marks, store = tmp_path / "marks", tmp_path / "sweep.db"
    marks.mkdir()
    code = (
        "import gearwright as gw; from design.measures_of_sweeps import slow\n"
        f"gw.sweep(gw.load('elbow'), {{'j2.gear.ratio': list(range(50, 80))}}, slow, store={str(store)!r}, workers=1)"
    )
    paths = os.pathsep.join([str(TESTS), *sys.path])
    environment = {**os.environ, "GEARWRIGHT_TEST_MARKS": str(marks), "PYTHONPATH": paths}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment)
    while len(list(marks.iterdir())) < 8 and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = len(list(marks.iterdir()))
    assert 8 <= before < 30
    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
    computed = [mark.name.split("-")[0] for mark in marks.iterdir()]
    assert set(computed) == {f"{ratio}" for ratio in range(50, 80)}
    assert len(computed) <= 31  # the one that was being computed when the process died
    found = sweep(ROBOT, RATIOS, slow, store=store, workers=1)
    assert found["square"].tolist() == [float(ratio) ** 2 for ratio in range(50, 80)]


@pytest.mark.slow
def test_a_process_that_dies_loses_nothing(tmp_path, monkeypatch):
    """One of two local processes kills itself in the middle: its points are computed by others."""
    monkeypatch.setenv("GEARWRIGHT_TEST_MARKS", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), *sys.path]))
    found = sweep(ROBOT, {"j2.gear.ratio": list(range(50, 58))}, deadly, workers=2)
    assert (tmp_path / "dead").exists()
    assert not found.errors
    assert found["square"].tolist() == [float(ratio) ** 2 for ratio in range(50, 58)]


def test_processes_that_die_again_and_again_are_told(monkeypatch):
    def broken(job, indices, count):
        raise BrokenProcessPool

    monkeypatch.setattr("gearwright.design.workers._pooled", broken)
    with pytest.raises(SimulationError, match="30 points are left"):
        sweep(ROBOT, RATIOS, slow, workers=2)


def test_tasks_go_to_other_processes():
    """What a task states, read-only mappings too, arrives there and comes to the same."""
    task = Task([_scara_way()], required={"cycle_time": 2.0}, perturbed=Perturbation(start_error={"elbow": 0.01}))
    again = pickle.loads(pickle.dumps(task))
    assert dict(again.required) == {"cycle_time": 2.0}
    assert dict(again.perturbed.start_error) == {"elbow": 0.01}
    assert again.cycle.duration == task.cycle.duration
    with pytest.raises(TypeError):
        again.required["cycle_time"] = 3.0


def test_a_full_disk_is_told_and_the_sweep_goes_on(tmp_path, monkeypatch):
    """SQLite as on a disk without room: the message says so; with room again only what is missing is computed."""
    store, real = tmp_path / "sweep.db", sqlite3.connect

    def cramped(path):
        base = real(path)
        base.execute("PRAGMA max_page_count=5")
        return base

    over = {"j2.gear.ratio": [float(x) for x in range(40, 240)]}
    monkeypatch.setattr("gearwright.design.store.sqlite3.connect", cramped)
    with pytest.raises(FileError, match=r"full.*free space"):
        sweep(ROBOT, over, quick, store=store, workers=1)
    monkeypatch.setattr("gearwright.design.store.sqlite3.connect", real)
    with closing(real(store)) as base:
        before = base.execute("SELECT COUNT(*) FROM points").fetchone()[0]
    assert 0 < before < 200
    calls.clear()
    found = sweep(ROBOT, over, quick, store=store, workers=1)
    assert len(calls) == 200 - before
    assert found["ratio"].tolist() == over["j2.gear.ratio"]


calls: list[float] = []


def quick(robot):
    """A measure that takes room on a disk."""
    ratio = float(robot.drives[1].gear.ratio)
    calls.append(ratio)
    return {"ratio": ratio, **{f"number {k}": ratio + k for k in range(12)}}


@pytest.mark.slow
def test_a_cluster_survives_the_death_of_a_worker(tmp_path):
    """Two worker processes of a real scheduler, one killed in the middle: the same results as here."""
    distributed = pytest.importorskip("distributed")
    environment = {"PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])}
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, env=environment
    ) as there:
        victim = next(iter(there.workers.values())).process.pid
        killer = threading.Timer(0.5, os.kill, (victim, signal.SIGKILL))
        killer.start()
        found = sweep(ROBOT, RATIOS, slow, scheduler=there.scheduler_address, store=tmp_path / "cluster.db")
    assert not found.errors
    assert found["square"].tolist() == [float(ratio) ** 2 for ratio in range(50, 80)]


def test_a_scheduler_that_is_not_there(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("gearwright.design.cluster.WAITING", 1)
    with pytest.raises(InputError, match="cannot be reached"):
        sweep(ROBOT, RATIOS, slow, scheduler="tcp://127.0.0.1:9")


def test_a_store_of_another_sweep_is_refused(tmp_path):
    store = tmp_path / "sweep.db"
    sweep(ROBOT, {"j2.gear.ratio": [50.0]}, SWING, store=store)
    sweep(ROBOT, {"j2.gear.ratio": [50.0]}, SWING, store=store)
    with pytest.raises(FileError, match="another sweep"):
        sweep(ROBOT, {"j2.gear.ratio": [51.0]}, SWING, store=store)
    (tmp_path / "text.db").write_text("not a database, but a text that is long enough to be one" * 20)
    with pytest.raises(FileError, match="cannot be kept there"):
        sweep(ROBOT, {"j2.gear.ratio": [50.0]}, SWING, store=tmp_path / "text.db")


@pytest.mark.parametrize(
    ("over", "words", "message"),
    [
        ({}, {}, "names no parameters"),
        ({"j2.gear.ratios": [1.0]}, {}, "ratio"),
        ({"j2.gear.ratio": [1.0]}, {"samples": 3}, "Leave samples out"),
        ({"j2.gear.ratio": Uniform(1, 2), "j3.gear.ratio": [1.0]}, {"samples": 3}, "one or the other"),
        ({"j2.gear.ratio": Uniform(1, 2)}, {}, "samples"),
    ],
)
def test_bad_sweeps_are_refused(over, words, message):
    with pytest.raises(InputError, match=message):
        sweep(ROBOT, over, SWING, **words)


@pytest.mark.parametrize("workers", [0, -2, 1.5])
def test_a_number_of_workers_is_whole(workers):
    with pytest.raises(InputError, match="workers"):
        sweep(ROBOT, RATIOS, slow, workers=workers)


def test_what_is_not_a_measure_is_refused():
    with pytest.raises(InputError, match="is not a task"):
        sweep(ROBOT, RATIOS, 3.0)
