"""Sweeps: the same numbers however they are computed; nothing lost by a kill, nothing computed twice."""

from __future__ import annotations

import importlib.util
import os
import pickle
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw
from design.measures_of_sweeps import deadly, picky, quarrelsome, slow, times, unbounded
from gearwright.analysis.task.perturbation import Perturbation
from gearwright.catalogue import Catalogue, drives
from gearwright.design import ForceMeasure, Normal, Task, Uniform, sweep
from gearwright.design.parameter_sweep.kernel_points import unbuildable_points
from gearwright.design.parameter_sweep.local_workers import without_script_import
from gearwright.design.parameter_sweep.measure_fingerprint import measure_identity
from gearwright.design.parameter_sweep.points import SweepPoints
from gearwright.errors import FileError, GearwrightWarning, InputError, SimulationError, SlowerWarning
from gearwright.motion import polynomial
from gearwright.parts import LinkSection, Payload, Plane, Tube, parameter, with_parameters
from gearwright.parts.environment.loops_and_contacts import ContactPoint
from gearwright.simulation.progress import counting_bar

ONE_WORKER = gw.design.SweepOptions(workers=1)
ROBOT = gw.load("elbow")
SWING = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
RATIOS = {"j2.gear.ratio": list(range(50, 80))}
TESTS = Path(__file__).parents[1]


def test_kernels_give_what_each_robot_gives():
    over = {"j2.gear.ratio": [40.0, 90.0], "j3.motor.inertia": [1e-5, 4e-5], "payload.mass": [0.5, 2.0]}
    robot = ROBOT.with_payload(1.0)
    found = sweep(robot, over, SWING)
    assert len(found) == 8
    measure = ForceMeasure(SWING.sample(201))
    for k in range(len(found)):
        one = measure(with_parameters(robot, dict(zip(found.names, found.values[k], strict=True))))
        assert {name: found[name][k] for name in one} == pytest.approx(one, rel=1e-9)


def test_a_task_is_analysed_at_every_point():
    found = sweep(gw.load("scara"), {"elbow.gear.ratio": [40.0, 60.0]}, Task([_scara_way()]), options=ONE_WORKER)
    assert found["elbow.peak_motor_speed"][1] / found["elbow.peak_motor_speed"][0] == pytest.approx(1.5)


def _scara_way():
    return polynomial([0, 0, -0.1, 0], [0.5, 0.5, -0.1, 0.5], duration=1.0)


def test_samples_follow_their_distributions():
    over = {"j2.gear.ratio": Normal(100.0, 5.0), "j3.gear.ratio": Uniform(50.0, 70.0)}
    found = sweep(ROBOT, over, SWING, samples=400, options=gw.design.SweepOptions(seed=3))
    normal, uniform = found["j2.gear.ratio"], found["j3.gear.ratio"]
    assert (normal.mean(), normal.std()) == (pytest.approx(100.0, abs=0.1), pytest.approx(5.0, rel=0.03))
    assert 50.0 <= uniform.min() < 50.2
    assert 69.8 < uniform.max() <= 70.0
    again = sweep(ROBOT, over, SWING, samples=400, options=gw.design.SweepOptions(seed=3))
    assert np.array_equal(again["rms.j2"], found["rms.j2"])


def test_a_point_that_fails_does_not_stop_the_others():
    found = sweep(ROBOT, {"j2.gear.ratio": [50.0, 60.0, 70.0]}, picky, options=ONE_WORKER)
    assert "ZeroDivisionError" in found.errors[1]
    assert np.isnan(found["inverse"][1])
    assert found["inverse"][[0, 2]].tolist() == [-0.1, 0.1]


@pytest.mark.parametrize("workers", [1, 2])
def test_whatever_a_measure_raises_is_recorded(workers, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), *sys.path]))
    found = sweep(
        ROBOT, {"j2.gear.ratio": [50.0, 60.0, 70.0, 80.0]}, quarrelsome, options=gw.design.SweepOptions(workers=workers)
    )
    assert found["ratio"].tolist() == pytest.approx([50.0, np.nan, np.nan, np.nan], nan_ok=True)
    assert (found.errors[1], found.errors[2]) == ("KeyError: 'no such key'", "RuntimeError: no solution")
    assert found.errors[3].startswith("TypeError: ")


def test_only_the_person_stops_a_sweep():
    def stopped(robot):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweep(ROBOT, RATIOS, stopped, options=ONE_WORKER)


def test_a_killed_sweep_goes_on_where_it_was(tmp_path):
    """SIGKILL in the middle of a run in another process: the second run computes only what is missing."""
    marks, store = tmp_path / "marks", tmp_path / "sweep.db"
    marks.mkdir()
    code = (
        "import gearwright as gw; from design.measures_of_sweeps import slow\n"
        "options = gw.design.SweepOptions(workers=1)\n"
        f"over, store = {{'j2.gear.ratio': list(range(50, 80))}}, {str(store)!r}\n"
        "gw.sweep(gw.load('elbow'), over, slow, store=store, options=options)"
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
    found = sweep(ROBOT, RATIOS, slow, store=store, options=ONE_WORKER)
    assert found["square"].tolist() == [float(ratio) ** 2 for ratio in range(50, 80)]


@pytest.mark.skipif(sys.platform == "win32", reason="a parent that is gone cannot be seen there")
def test_processes_end_with_the_one_that_began_them(tmp_path):
    """However it ended: killed, it cannot tell them."""
    child = (
        "import os, time; from gearwright.design.parameter_sweep.local_workers import exit_with_parent\n"
        "exit_with_parent(os.getppid())\n"
        "print('watching', flush=True); time.sleep(600)"
    )
    code = (
        "import subprocess, sys, time\n"
        f"child = subprocess.Popen([sys.executable, '-c', {child!r}])\n"
        "print(child.pid, flush=True); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        pid = int(parent.stdout.readline())
        assert parent.stdout.readline() == "watching\n"
        parent.kill()
    for _ in range(600):
        if not Path(f"/proc/{pid}").exists() or "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
            return
        time.sleep(0.1)
    os.kill(pid, signal.SIGKILL)
    pytest.fail("the process is still there")


@pytest.mark.slow
def test_a_process_that_dies_loses_nothing(tmp_path, monkeypatch):
    """One of two local processes kills itself in the middle: its points are computed by others."""
    monkeypatch.setenv("GEARWRIGHT_TEST_MARKS", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(TESTS), *sys.path]))
    found = sweep(ROBOT, {"j2.gear.ratio": list(range(50, 58))}, deadly, options=gw.design.SweepOptions(workers=2))
    assert (tmp_path / "dead").exists()
    assert not found.errors
    assert found["square"].tolist() == [float(ratio) ** 2 for ratio in range(50, 58)]


def test_processes_that_die_again_and_again_are_told(monkeypatch):
    def broken(job, indices, count):
        raise BrokenProcessPool

    monkeypatch.setattr("gearwright.design.parameter_sweep.local_workers._pool_outcomes", broken)
    with pytest.raises(SimulationError, match=r"\b30 points"):
        sweep(ROBOT, RATIOS, slow, options=gw.design.SweepOptions(workers=2))


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
    monkeypatch.setattr("gearwright.design.parameter_sweep.result_store.sqlite3.connect", cramped)
    with pytest.raises(FileError, match=r"full.*space"):
        sweep(ROBOT, over, quick, store=store, options=ONE_WORKER)
    monkeypatch.setattr("gearwright.design.parameter_sweep.result_store.sqlite3.connect", real)
    with closing(real(store)) as base:
        before = base.execute("SELECT COUNT(*) FROM points").fetchone()[0]
    assert 0 < before < 200
    calls.clear()
    found = sweep(ROBOT, over, quick, store=store, options=ONE_WORKER)
    assert len(calls) == 200 - before
    assert found["ratio"].tolist() == over["j2.gear.ratio"]


calls: list[float] = []


def quick(robot):
    """A measure that takes room on a disk."""
    ratio = float(robot.drives[1].gear.ratio)
    calls.append(ratio)
    return {"ratio": ratio, **{f"number {k}": ratio + k for k in range(12)}}


@pytest.mark.parametrize(
    "earlier",
    [
        "UPDATE sweep SET version = 'another'",
        "CREATE TABLE plain AS SELECT identity FROM sweep; DROP TABLE sweep; ALTER TABLE plain RENAME TO sweep",
    ],
    ids=["another version", "no version stated"],
)
def test_a_store_of_another_version_is_kept_and_computed_again(tmp_path, earlier):
    """Points that other sources computed are not mixed with those of these; nothing is deleted."""
    over, store = {"j2.gear.ratio": [50.0, 60.0]}, tmp_path / "sweep.db"
    sweep(ROBOT, over, quick, store=store, options=ONE_WORKER)
    with closing(sqlite3.connect(store)) as base:
        base.executescript(earlier)
        base.execute("UPDATE points SET numbers = '{\"ratio\": 7.0}'")
        base.commit()
    with pytest.warns(GearwrightWarning, match=r"sweep\.db\.earlier"):
        again = sweep(ROBOT, over, quick, store=store, options=ONE_WORKER)
    assert again["ratio"].tolist() == [50.0, 60.0]
    with closing(sqlite3.connect(tmp_path / "sweep.db.earlier")) as base:
        assert base.execute("SELECT COUNT(*) FROM points").fetchone()[0] == 2
    assert sweep(ROBOT, over, quick, store=store, options=ONE_WORKER)["ratio"].tolist() == [50.0, 60.0]


def test_a_store_of_another_sweep_is_refused(tmp_path):
    store = tmp_path / "sweep.db"
    sweep(ROBOT, {"j2.gear.ratio": [50.0]}, SWING, store=store)
    sweep(ROBOT, {"j2.gear.ratio": [50.0]}, SWING, store=store)
    with pytest.raises(FileError, match=str(store)):
        sweep(ROBOT, {"j2.gear.ratio": [51.0]}, SWING, store=store)
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE accounts (name TEXT)")
    with pytest.raises(FileError, match=r"other\.db.*accounts"):
        sweep(ROBOT, {"j2.gear.ratio": [50.0]}, SWING, store=tmp_path / "other.db")
    (tmp_path / "text.db").write_text("not a database, but a text that is long enough to be one" * 20)
    with pytest.raises(FileError, match=r"text\.db"):
        sweep(ROBOT, {"j2.gear.ratio": [50.0]}, SWING, store=tmp_path / "text.db")


@pytest.mark.parametrize(
    ("over", "words", "message"),
    [
        ({}, {}, r"over=\{\}"),
        ({"j2.gear.ratios": [1.0]}, {}, "ratio"),
        ({"j2.gear.ratio": [1.0]}, {"samples": 3}, "sweep: samples "),
        ([{"j2.gear.ratio": 50.0}, {"j3.gear.ratio": 50.0}], {}, "point 1"),
        ([{"j2.gear.ratio": 50.0}], {"samples": 3}, "sweep: samples "),
        ({"task.pause": [1.0]}, {}, r"'task\.pause'"),
        ({"link2.section.outer": [0.1]}, {}, "link2.*section"),
        ({"j2.gear.ratio": Uniform(1, 2)}, {}, "samples"),
    ],
)
def test_bad_sweeps_are_refused(over, words, message):
    with pytest.raises(InputError, match=message):
        sweep(ROBOT, over, SWING, **words)


@pytest.mark.parametrize("workers", [0, -2, 1.5])
def test_a_number_of_workers_is_whole(workers):
    with pytest.raises(InputError, match="workers"):
        sweep(ROBOT, RATIOS, slow, options=gw.design.SweepOptions(workers=workers))


def test_what_is_not_a_measure_is_refused():
    with pytest.raises(InputError, match="measure="):
        sweep(ROBOT, RATIOS, 3.0)


def test_the_payload_that_is_carried_varies():
    """A task's payload replaces the robot's: both words for it name what is really carried."""
    carried = Task([SWING], payload=Payload(1.0, (0.1, 0, 0)))
    by_task = sweep(ROBOT.with_payload(9.0), {"payload.mass": [0.5, 5.0]}, carried, options=ONE_WORKER)
    for k, mass in enumerate((0.5, 5.0)):
        one = gw.analyse(ROBOT, Task([SWING], payload=Payload(mass, (0.1, 0, 0))), samples=201)
        assert by_task["j2.rms_torque"][k] == pytest.approx(one.drives["j2"].rms_torque, rel=1e-12)
    again = sweep(ROBOT, {"task.payload.mass": [0.5, 5.0]}, carried, options=ONE_WORKER)
    assert np.array_equal(again["j2.rms_torque"], by_task["j2.rms_torque"])
    with pytest.raises(InputError, match=r"payload\.mass"):
        sweep(ROBOT, {"payload.mass": [1.0], "task.payload.mass": [1.0]}, carried)


def test_numbers_of_the_task_vary():
    """Times add up, the torque of inertia falls with the square of the pace, and warm air makes warm windings."""
    level = replace(gw.load("elbow"), gravity=(0.0, 0.0, 0.0))
    over = {"task.time_scale": [1.0, 2.0], "task.pause": [0.0, 0.5]}
    found = sweep(level, over, Task([SWING]), options=ONE_WORKER)
    assert found["cycle_time"].tolist() == [1.0, 1.5, 2.0, 2.5]
    assert found["j2.peak_torque"][0] / found["j2.peak_torque"][2] == pytest.approx(4.0, rel=1e-9)
    warm = sweep(gw.load("scara"), {"task.ambient": [293.15, 313.15]}, Task([_scara_way()]), options=ONE_WORKER)
    assert warm["elbow.winding_temperature"][1] - warm["elbow.winding_temperature"][0] > 15.0
    late = Task([SWING], perturbed=Perturbation(start_error={"j2": 0.01}))
    errors = sweep(ROBOT, {"task.perturbed.start_error.j2": [0.01, 0.02]}, late, options=ONE_WORKER)
    assert errors["perturbed.accuracy"][1] / errors["perturbed.accuracy"][0] == pytest.approx(2.0, rel=0.05)
    with pytest.raises(InputError, match=r"'pause'"):
        sweep(ROBOT, {"task.paus": [1.0]}, Task([SWING]))


def circular(value):
    """A function that encloses another one which encloses it."""

    def measure(robot):
        return again(robot) if robot is None else {"x": value}

    def again(robot):
        return measure(robot)

    return measure


def test_surroundings_and_beams_vary():
    wall = ContactPoint("wall", "link3", Plane((5.0, 0, 0), (-1, 0, 0)), friction=0.2)
    robot = replace(ROBOT, environment=[wall])
    found = sweep(robot, {"wall.friction": [0.1, -1.0], "wall.surface.point.x": [6.0]}, touching, options=ONE_WORKER)
    assert (found["friction"][0], found["x"][0]) == (0.1, 6.0)
    assert "friction=-1.0" in found.errors[1]
    beam = LinkSection((0.3, 0, 0), Tube(0.06, 0.054))
    made = replace(ROBOT, links=[replace(k, section=beam) if k.name == "link2" else k for k in ROBOT.links])
    found = sweep(made, {"link2.section.outer": [0.06, 0.08]}, weighing, options=ONE_WORKER)
    more = 2700.0 * 0.3 * np.pi / 4 * ((0.08**2 - 0.074**2) - (0.06**2 - 0.054**2))  # the wall stays
    assert found["mass"][1] - found["mass"][0] == pytest.approx(more, rel=1e-9)


def touching(robot):
    """What there is to touch."""
    return {"friction": robot.environment[0].friction, "x": robot.environment[0].surface.point[0]}


def weighing(robot):
    """Mass of the second link."""
    return {"mass": float(robot.link("link2").mass)}


def test_what_no_kernel_takes_is_computed_one_by_one():
    robot = replace(ROBOT, environment=[ContactPoint("wall", "link3", Plane((5.0, 0, 0), (-1, 0, 0)), friction=0.2)])
    over = {"wall.friction": [0.1, 0.3], "j2.gear.ratio": [40.0, 80.0]}
    with pytest.warns(SlowerWarning, match="kernel"):
        found = sweep(robot, over, SWING, options=ONE_WORKER)
    alone = sweep(ROBOT, {"j2.gear.ratio": [40.0, 80.0]}, SWING)["rms.j2"]  # a wall out of reach changes nothing
    assert found["wall.friction"].tolist() == [0.1, 0.1, 0.3, 0.3]
    assert found["rms.j2"] == pytest.approx([*alone, *alone], rel=1e-12)


def test_draws_at_each_place_of_a_grid():
    over = {"j3.gear.ratio": Uniform(50.0, 70.0), "j2.gear.ratio": [40.0, 80.0]}
    found = sweep(ROBOT, over, SWING, samples=5, options=gw.design.SweepOptions(seed=1))
    drawn = sweep(
        ROBOT, {"j3.gear.ratio": Uniform(50.0, 70.0)}, SWING, samples=5, options=gw.design.SweepOptions(seed=1)
    )["j3.gear.ratio"]
    assert found["j2.gear.ratio"].tolist() == [40.0] * 5 + [80.0] * 5
    assert found["j3.gear.ratio"].tolist() == [*drawn, *drawn]


def test_points_one_by_one():
    rows = [{"j2.gear.ratio": 40.0, "j3.gear.ratio": 60.0}, {"j3.gear.ratio": 55.0, "j2.gear.ratio": 90.0}]
    found = sweep(ROBOT, rows, SWING)
    assert found.values.tolist() == [[40.0, 60.0], [90.0, 55.0]]
    assert found["rms.j2"][1] == sweep(ROBOT, {"j2.gear.ratio": [90.0], "j3.gear.ratio": [55.0]}, SWING)["rms.j2"][0]


def test_impossible_designs_of_a_motion_are_told():
    """What parts refuse is an error through a kernel too, wherever it lies among many."""
    robot, rng = ROBOT.with_payload(1.0), np.random.default_rng(0)
    for path, low, high, good in (
        ("payload.mass", -0.5, 2.0, lambda x: x >= 0),
        ("j2.motor.inertia", -1e-5, 1e-4, lambda x: x >= 0),
        ("j2.gear.ratio", 0.0, 80.0, lambda x: x != 0),
        ("link3.inertia.xx", 0.0, 1.0, lambda x: x <= _largest_moment()),
    ):
        values = rng.uniform(low, high, 200)
        values[rng.integers(0, 200, 50)] = low
        found = sweep(robot, {path: values}, SWING)
        assert set(found.errors) == set(np.flatnonzero(~good(values)))
        assert np.array_equal(np.isnan(found["rms.j2"]), ~good(values))
        assert len(found.errors) > 20
    assert all(text.startswith("InertiaError: body 'link3'") for text in found.errors.values())


def _largest_moment():
    """About x: principal moments obey the triangle inequality."""
    return parameter(ROBOT, "link3.inertia.yy") + parameter(ROBOT, "link3.inertia.zz")


def test_teeth_are_looked_at_one_by_one():
    """Between two numbers of teeth that fit are some that do not."""
    where = SweepPoints(("j.gear.sun",), np.array([[20.0], [21.0], [22.0]]))
    looked = []
    list(unbuildable_points(lambda values: looked.append(values["j.gear.sun"]), where, [0, 1, 2]))
    assert looked == [20.0, 21.0, 22.0]


def test_few_machines_are_built_for_many_designs():
    looked = []
    where = SweepPoints(("a.mass", "b.mass"), np.random.default_rng(0).uniform(1.0, 2.0, (5000, 2)))
    assert list(unbuildable_points(looked.append, where, range(5000))) == []
    assert len(looked) == 4


def test_a_motion_is_stored_in_pieces(tmp_path, monkeypatch):
    """Stopped in the middle, what was computed is in the store, and the rest is all that is computed again."""
    monkeypatch.setattr("gearwright.design.parameter_sweep.kernel_points.KERNEL_BATCH_SIZE", 10)
    over, store, sizes = {"j2.gear.ratio": np.linspace(50, 100, 95)}, tmp_path / "sweep.db", []
    plain = ForceMeasure._force_statistics

    def counted(self, tau):
        sizes.append(len(tau))
        if len(sizes) == 4:
            raise KeyboardInterrupt
        return plain(self, tau)

    monkeypatch.setattr(ForceMeasure, "_force_statistics", counted)
    with pytest.raises(KeyboardInterrupt):
        sweep(ROBOT, over, SWING, store=store)
    with closing(sqlite3.connect(store)) as base:
        assert base.execute("SELECT COUNT(*) FROM points").fetchone()[0] == 30
    found = sweep(ROBOT, over, SWING, store=store)
    assert sum(sizes[4:]) == 65
    monkeypatch.undo()
    assert np.array_equal(found["rms.j2"], sweep(ROBOT, over, SWING)["rms.j2"])


def test_a_store_knows_the_measure_with_its_arguments_and_its_text(tmp_path):
    over = {"j2.gear.ratio": [50.0, 60.0]}
    store = tmp_path / "sweep.db"
    assert sweep(ROBOT, over, partial(times, factor=1), store=store, options=ONE_WORKER)["ratio"].tolist() == [
        50.0,
        60.0,
    ]
    assert sweep(ROBOT, over, partial(times, factor=1), store=store, options=ONE_WORKER)["ratio"].tolist() == [
        50.0,
        60.0,
    ]
    with pytest.raises(FileError, match=str(store)):
        sweep(ROBOT, over, partial(times, factor=2), store=store, options=ONE_WORKER)
    before, after = (written(tmp_path / f"{k}", f"def measure(robot):\n    return {{'one': {k}.0}}\n") for k in (1, 2))
    assert measure_identity(before) != measure_identity(after)
    assert measure_identity(before) == measure_identity(written(tmp_path / "1", None))
    scaled = [(lambda factor: lambda robot: {"x": factor})(k) for k in (1.0, 2.0)]
    assert measure_identity(scaled[0]) != measure_identity(scaled[1])
    same_line = (lambda robot: {"x": 1.0}), (lambda robot: {"x": 2.0})
    assert measure_identity(same_line[0]) != measure_identity(same_line[1])
    assert measure_identity(circular(1.0)) == measure_identity(circular(1.0)) != measure_identity(circular(2.0))
    arrays = [partial(times, factor=np.linspace(0, k, 5000)) for k in (1.0, 1.0, 2.0)]
    assert measure_identity(arrays[0]) == measure_identity(arrays[1]) != measure_identity(arrays[2])
    with pytest.raises(InputError, match="identity"):
        sweep(ROBOT, over, partial(times, factor=threading.Lock()), store=tmp_path / "other.db")


def written(folder, text):
    """The function of a module that is written into a folder."""
    folder.mkdir(exist_ok=True)
    if text is not None:
        (folder / "own.py").write_text(text)
    spec = importlib.util.spec_from_file_location("own", folder / "own.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.measure


def test_the_margin_counts_what_goes_wrong():
    """Every number of the analysis is a column, also of the closed loop; the least margin is that of both."""
    beam = LinkSection((0.3, 0, 0), Tube(0.06, 0.054))
    robot = replace(ROBOT, links=[replace(k, section=beam) if k.name == "link2" else k for k in ROBOT.links])
    task = Task([SWING], required={"accuracy": 1e-3}, perturbed=Perturbation(start_error={"j2": 0.01}))
    found = sweep(robot, {"j2.gear.ratio": [100.0]}, task, options=ONE_WORKER)
    one = gw.analyse(with_parameters(robot, {"j2.gear.ratio": 100.0}), task, samples=201)
    for name, value in {
        "link2.peak_stress": one.links["link2"].peak_stress,
        "link2.peak_deflection": one.links["link2"].peak_deflection,
        "tip.deflection": one.tip.peak_deflection,
        "perturbed.accuracy": one.perturbed.accuracy,
        "perturbed.j2.peak_torque": one.perturbed.drives["j2"].peak_torque,
        "perturbed.link2.peak_stress": one.perturbed.links["link2"].peak_stress,
        "cycle_time": 1.0,
        "margin": 1 - one.perturbed.accuracy / 1e-3,
    }.items():
        assert found[name][0] == pytest.approx(value, rel=1e-9), name
        assert name == "margin" or found.units[name], name
    assert found["margin"][0] < 0 <= min(check.margin for check in one.limits)


def test_data_sheets_of_ones_own():
    """A gearbox that only the user's catalogue has limits the torque at the output."""
    weak = replace(drives().gearbox("HD_CSF-17-100-2UH"), key="weak", peak_torque=20.0)
    drive = ROBOT.drives[1]
    robot = ROBOT.with_drive("j2", replace(drive, gear=replace(drive.gear, catalogue="weak")))
    own = Catalogue({}, {"weak": weak})
    found = sweep(robot, {"j2.gear.ratio": [50.0, 100.0]}, Task([SWING]), options=ONE_WORKER, catalogue=own)
    assert found["margin"] == pytest.approx(1 - found["j2.peak_output_torque"] / 20.0, rel=1e-12)
    with pytest.raises(InputError, match="sweep: catalogue "):
        sweep(ROBOT, RATIOS, SWING, catalogue=own)


def test_the_bar_tells_the_rate(capsys, monkeypatch):
    """The rate is that of what was computed now: what a store had is left out."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("gearwright.simulation.progress.rate_text", lambda count, seconds: f"{count} in a moment")
    with counting_bar(40, 10, True, "sweeping") as count:
        count(21)
    shown = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", capsys.readouterr().err)
    assert "21/40 11 in a moment" in " ".join(shown.split())


EDITS = {
    "not JSON": "UPDATE points SET numbers = 'x' WHERE point = 1",
    "empty": "UPDATE points SET numbers = NULL WHERE point = 1",
    "bytes": "UPDATE points SET numbers = CAST(numbers AS BLOB) WHERE point = 1",
    "a list": "UPDATE points SET numbers = '[1]' WHERE point = 1",
    "a text for a number": 'UPDATE points SET numbers = \'{"peak.j2": "12"}\' WHERE point = 1',
    "a truth for a number": "UPDATE points SET numbers = '{\"peak.j2\": true}' WHERE point = 1",
    "nothing for a number": "UPDATE points SET numbers = '{\"peak.j2\": null}' WHERE point = 1",
    "a list for a number": "UPDATE points SET numbers = '{\"peak.j2\": [1]}' WHERE point = 1",
    "beyond all numbers": "UPDATE points SET numbers = '{\"peak.j2\": 1e999}' WHERE point = 1",
    "too many digits": f"UPDATE points SET numbers = '{{\"peak.j2\": {'9' * 5000}}}' WHERE point = 1",
    "nested deeply": f"UPDATE points SET numbers = '{'[' * 100_000}' WHERE point = 1",
    "an error that is none": "UPDATE points SET error = 7 WHERE point = 1",
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_row_edited_by_hand_is_named(edit, tmp_path):
    store, over = tmp_path / "sweep.db", {"j2.gear.ratio": [50.0, 60.0, 70.0]}
    before = sweep(ROBOT, over, SWING, store=store)
    with closing(sqlite3.connect(store)) as base:
        base.execute(EDITS[edit])
        base.commit()
    if edit == "an error that is none":  # SQLite makes it a text, and a text is an error
        assert sweep(ROBOT, over, SWING, store=store).errors == {1: "7"}
        return
    with pytest.raises(FileError, match="row 1"):
        sweep(ROBOT, over, SWING, store=store)
    with closing(sqlite3.connect(store)) as base:
        base.execute("DELETE FROM points WHERE point = 1")
        base.commit()
    again = sweep(ROBOT, over, SWING, store=store)
    assert np.array_equal(again["peak.j2"], before["peak.j2"])
    assert all(values.dtype == float for values in again.numbers.values())


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("point, numbers, error", "('one', '{}', NULL)"),
        ("point, numbers, error", "(1, '{}', x'00')"),
        ("point, numbers, error", "(1.5, '{}', NULL)"),
        ("point, numbers, error", "(99, '{}', NULL)"),
        ("point, numbers, error", "(-1, '{}', NULL)"),
        ("point, numbers, error", "(1, '{}', NULL), (1, '{}', NULL)"),
        ("point, numbers", "(1, '{}')"),
        ("a, b, c, d", "(1, 2, 3, 4)"),
    ],
)
def test_a_table_made_by_hand_is_refused(table, row, tmp_path):
    store, over = tmp_path / "sweep.db", {"j2.gear.ratio": [50.0, 60.0]}
    sweep(ROBOT, over, SWING, store=store)
    with closing(sqlite3.connect(store)) as base:
        base.execute("DROP TABLE points")
        base.execute(f"CREATE TABLE points ({table})")
        base.execute(f"INSERT INTO points VALUES {row}")
        base.commit()
    with pytest.raises(FileError, match=r"sweep\.db"):
        sweep(ROBOT, over, SWING, store=store)


def test_infinity_and_nan_of_a_measure_come_back(tmp_path):
    over = {"j2.gear.ratio": [50.0]}
    for _ in range(2):
        found = sweep(ROBOT, over, unbounded, store=tmp_path / "sweep.db", options=ONE_WORKER)
        assert np.isposinf(found["a"]).all()
        assert np.isnan(found["b"]).all()


SCRIPT = """
import gearwright as gw
from gearwright.motion import polynomial
print("the script runs")
swing = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)
task = gw.design.Task([swing])
options = gw.design.SweepOptions(workers=2)
print(len(gw.design.sweep(gw.load("elbow"), {"j2.gear.ratio": [50.0, 80.0]}, task, options=options)))
"""


def test_a_script_without_a_guard_runs_once(tmp_path):
    path = tmp_path / "study.py"
    path.write_text(SCRIPT)
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=True)
    assert done.stdout == "the script runs\n2\n"


def test_a_script_that_defines_the_measure_must_be_importable(tmp_path, monkeypatch):
    path = tmp_path / "study.py"
    path.write_text("def measure(robot):\n    return {}\n")
    monkeypatch.setattr(sys.modules["__main__"], "__file__", str(path), raising=False)
    monkeypatch.setattr(sys.modules["__main__"], "measure", _in_script, raising=False)
    with pytest.raises(InputError, match=r"study\.py"), without_script_import(partial(_in_script, 1)):
        pass
    path.write_text("if __name__ == '__main__':\n    pass\n")
    with without_script_import(partial(_in_script, 1)):
        assert sys.modules["__main__"].__file__ == str(path)


def _in_script(factor, index):
    """As a script would define it."""


_in_script.__module__, _in_script.__qualname__ = "__main__", "measure"
