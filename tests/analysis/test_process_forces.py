"""Forces of a process: at the joints, across them, inside links, from files; and the law that carries them."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
import numpy as np
import pytest
import yaml

import gearwright as gw
from gearwright.analysis import ProcessForce, Task, analyse, link_loads
from gearwright.analysis.task.process_forces import applied_wrenches
from gearwright.errors import FileError, InputError
from gearwright.files.fields.task import task_schema
from gearwright.forces import Wrench
from gearwright.motion import Motion, pause, polynomial, s_curve
from gearwright.parts import Drive, Gear, Joint, Link, LinkSection, Motor, Robot, Tube

ARM = gw.load("elbow")
LIFT = polynomial([0, 0, 0], [1.0, 0.5, -0.5], duration=1.0)


@pytest.mark.parametrize("axes", ["world", "frame"])
def test_the_joints_feel_the_transposed_jacobian(axes):
    """Against inverse dynamics with wrenches, for a force that changes over time and one that turns with the tool."""
    push = ProcessForce("tool", [[0, 0, 0], [3, -4, 12]], [0.2, 0.5, -1.0], times=[0.0, 1.0], axes=axes)
    found = analyse(ARM, Task([LIFT], forces=[push]), samples=51)
    mech, motion = gw.assemble(ARM), found.demands.motion
    turned, _ = gw.placement(mech, motion.q, "tool")
    force = motion.t[:, None] * np.array([3.0, -4.0, 12.0])
    moment = np.tile([0.2, 0.5, -1.0], (len(motion.t), 1))
    if axes == "frame":
        force, moment = (np.einsum("tij,tj->ti", turned, x) for x in (force, moment))
    outside = {"tool": np.hstack([force, moment])}
    expected = gw.inverse_dynamics(mech, motion.q, motion.v, motion.a, wrenches=outside)
    assert found.demands.tau == pytest.approx(expected, abs=1e-9)
    assert found.reactions == pytest.approx(
        gw.reactions(mech, motion.q, motion.v, motion.a, wrenches=outside), abs=1e-9
    )


def test_a_wrench_in_a_run_brings_the_power_that_moves_the_arm():
    law = Wrench("push", "tool", "frame")
    run = gw.simulate(ARM, until=0.2, laws=[law], inputs={"push.fx": 5.0, "push.mz": 1.0}, samples=21)
    assert abs(run["energy.supplied"][-1]) > 1e-3
    assert run.drift < 1e-7


def test_a_force_acts_only_while_its_motion_lasts():
    words = """
task: press
motions:
  - {to: {j2: 0.2}, speed: 1, acceleration: 5}
  - {pause: 500 ms}
forces: [{frame: tool, force: [0, 0, 30 N], during: 1}]
"""
    task = Task.read(words, ARM)
    found, free = analyse(ARM, task, samples=101), analyse(ARM, Task(task.motions), samples=101)
    difference = np.abs(found.demands.tau - free.demands.tau)[:, 1]
    first = task.motions[0].duration
    assert difference[found.t < first - 1e-9].max() == 0
    assert difference[found.t > first + 1e-9].min() > 1.0
    jsonschema.validate(yaml.safe_load(words), task_schema())


@pytest.mark.parametrize("ulps", [-3, 0, 3])
def test_a_force_that_begins_with_a_motion_but_for_rounding(ulps):
    """Sums of durations differ in their last digits; the inductance's voltage must not see a piece of no length."""
    motor = Motor(2e-5, torque_constant=0.05, resistance=1.0, inductance=1e-4)
    links = [Link("arm", "base", Joint("j", axis=(0, 1, 0)), 1.0, (0.4, 0, 0), np.eye(3) * 0.02)]
    robot = Robot("arm", links, [Drive("j", motor, Gear(50))])
    ways = [s_curve([a], [b], speed=2.0, acceleration=8.0, jerk=200.0) for a, b in ((0.0, 0.7), (0.7, 0.0))]
    begin = ways[0].duration * (1 + ulps * np.finfo(float).eps)
    task = Task([ways[0], pause([0.7], 0.1), ways[1]], forces=[ProcessForce("arm", moment=(0, 2.0, 0), start=begin)])
    found = analyse(robot, task, samples=101)
    first = np.flatnonzero(np.abs(found.t - begin) < 1e-9)
    assert len(first) == 2  # before and after
    drive = found.drives["j"]
    assert drive.torque[first[1]] - drive.torque[first[0]] == pytest.approx(-2.0, abs=1e-6)
    assert np.abs(drive.voltage).max() < 10.0


def test_forces_of_constraints_come_from_the_task():
    """A pen that a robot's file holds on a table, pressed by the task: the same as a force at the tool, everywhere."""
    loop = gw.parts.Loop("pen", ("tool", "base"), ("z",))
    held = replace(ARM, loops=(loop,))
    still = pause([0.2, 0.3, 0.1], 0.5)
    by_force = analyse(ARM, Task([still], forces=[ProcessForce("tool", (0, 0, 25.0))]), samples=5)
    found = analyse(held, Task([still], contact={"pen": ([0.0, 0.5], [25.0, 25.0])}), samples=5)
    assert found.demands.tau == pytest.approx(by_force.demands.tau, abs=1e-9)
    assert found.reactions == pytest.approx(by_force.reactions, abs=1e-9)
    with pytest.raises(InputError, match="pen"):
        analyse(held, Task([still]), samples=5)


def test_a_pulled_beam_by_hand():
    """A force and a moment at the end of a beam that does not fall: pull, shear, F (L - x) of bending, torsion."""
    tube = Tube(0.06, 0.05)
    joint = Joint("j", axis=(0, 1, 0))
    links, drives = [Link("arm", "base", joint, 1e-9, (0.4, 0, 0))], [Drive("j", Motor(1e-6), Gear(50))]
    mech = gw.assemble(Robot("beam", links, drives, gravity=(0, 0, 0)))
    motion = Motion(np.zeros(1), *(np.zeros((1, 1)) for _ in range(3)))
    force = ProcessForce("arm", (100.0, 0.0, -50.0), (7.0, 0.0, 0.0))
    acting = [
        one._replace(position=np.array([0.8, 0, 0])) for one in applied_wrenches(mech, motion.q, motion.t, [force])
    ]
    found = link_loads(mech, motion, "arm", LinkSection((0.8, 0, 0), tube, "steel"), (), acting)
    assert found.forces[0] == pytest.approx(np.tile([-100.0, 0, 50.0], (41, 1)), abs=1e-6)
    assert found.moments[0, :, 1] == pytest.approx(-50.0 * (0.8 - found.stations), abs=1e-6)
    assert found.moments[0, :, 0] == pytest.approx(np.full(41, -7.0), abs=1e-6)


@pytest.mark.parametrize(
    ("fields", "fact"),
    [
        ("forces: [{frame: tool, force: [[0, 0, 1]]}]", r"\b1 .*\b0 times"),
        ("forces: [{frame: tool, force: [0, 0, 1], times: [0, 0]}]", r"\[0\.0, 0\.0\]"),
        ("forces: [{frame: tool, fors: [0, 0, 1]}]", r"'fors'.*'force'"),
        ("required: {acuracy: 1 mm}", r"'acuracy'.*'accuracy'"),
        ("required: {life: 3 m}", "'3 m'"),
        ("contact: {pen: {times: [0, 1, 2], values: [1, 2]}}", r"\b2 .*\b3 times"),
        ("perturbed: {payload: 3}", r"'payload'.*'payload_error'"),
    ],
)
def test_wrong_fields_are_named_with_their_line(fields, fact):
    with pytest.raises(FileError, match=fact) as caught:
        Task.read(f"task: g\nmotions: [{{pause: 1}}]\n{fields}", ARM)
    assert "line 3" in str(caught.value)


def test_wrong_forces_are_refused():
    with pytest.raises(InputError, match=r"line 3: forces\[0\]: during: 7.*1 motion"):
        Task.read("task: g\nmotions: [{pause: 1}]\nforces: [{frame: tool, force: [0, 0, 1], during: 7}]", ARM)
    with pytest.raises(InputError, match=r"force.*'process'"):
        analyse(ARM, Task([LIFT], forces=[ProcessForce("tool"), ProcessForce("tool")]), samples=5)
    with pytest.raises(InputError, match="'toll'"):
        analyse(ARM, Task([LIFT], forces=[ProcessForce("toll", (1, 0, 0))]), samples=5)
    with pytest.raises(InputError, match=r"force.*\(2,\)"):
        ProcessForce("tool", (1.0, 2.0))
    with pytest.raises(InputError, match=r"'world'.*'frame'"):
        ProcessForce("tool", (0, 0, 1), axes="tool")


def test_required_performances_and_perturbations_are_read():
    words = """
task: grind
motions: [{to: {j2: 0.5}, speed: 1, acceleration: 5}]
required: {cycle_time: 3 s, accuracy: 0.5 mm, tip_deflection: 1 mm, life: 20000, frequency: 12 Hz, tip: tool}
perturbed:
  start_error: {j2: 1 deg}
  payload_error: 10 %
  parameter_error: {j2.motor.inertia: 20 %}
  disturbance: [{frame: tool, force: [0, 20, 0], times: [0.2]}]
"""
    task = Task.read(words, ARM)
    expected = {"cycle_time": 3.0, "accuracy": 5e-4, "tip_deflection": 1e-3, "life": 20000.0, "frequency": 12.0}
    assert dict(task.required) == pytest.approx(expected)
    assert task.tip == "tool"
    how = task.perturbed
    assert how.start_error["j2"] == pytest.approx(np.radians(1))
    assert (how.payload_error, how.parameter_error["j2.motor.inertia"]) == pytest.approx((0.1, 0.2))
    assert how.disturbance[0].force == ((0.0, 20.0, 0.0),)
    jsonschema.validate(yaml.safe_load(words), task_schema())
