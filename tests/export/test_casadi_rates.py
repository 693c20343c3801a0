"""The rates of robots with their laws as CasADi functions: those of a run, with parameters that laws follow."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import robots
from gearwright.errors import InputError
from gearwright.forces import Line
from gearwright.forces.law import Action, Force, Law
from gearwright.system.evaluation import evaluate_system, state_vector_rates
from gearwright.system.system import System
from support.compare import relative

LOSSES = {"harmonic_6": "j1.gear", "scara": "shoulder.gear", "palletiser": "turn.gear"}
"""Robots whose gears lose by the direction of power, which has modes."""


def state(f, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.uniform(-0.5, 0.5, len(f.states))
    return np.where([name.endswith(".qw") for name in f.states], 1.0, x), rng.uniform(-1, 1, len(f.inputs))


def of_the_library(robot, f, x, u):
    """The rates law by law, in numbers."""
    mech = gw.assemble(robot)
    asked = [name for name in f.inputs if not name.startswith("tau.")]
    system = System(mech, gw.laws(robot, mech, asked, smooth=True))
    given = dict(zip(f.inputs, u, strict=True))
    full = [*(given.get(f"tau.{name}", 0.0) for name in mech.speeds), *(given[name] for name in system.inputs)]
    whole, full = np.array([*x, 0.0, 0.0]), np.array(full)
    evaluation = evaluate_system(system, 0.0, whole, full, system.first_modes)
    return state_vector_rates(system, whole, full, evaluation, np.zeros(0))[:-2]


@pytest.mark.parametrize("name", [name for name in robots() if name not in LOSSES])
def test_rates_are_those_of_the_library_on_every_robot(name):
    robot = gw.load(name)
    f = gw.casadi_rates(robot)
    x, u = state(f)
    assert relative(np.array(f(x, u)).ravel(), of_the_library(robot, f, x, u)) < 1e-12


@pytest.mark.parametrize("name", ["manutec_r3_full", "sea_leg", "mini_cheetah"])
def test_voltages_drive_motors_with_their_own_states(name):
    robot = gw.load(name)
    f = gw.casadi_rates(robot, "voltage")
    x, u = state(f)
    assert all(word.endswith(".voltage") for word in f.inputs)
    assert relative(np.array(f(x, u)).ravel(), of_the_library(robot, f, x, u)) < 1e-12


def test_motor_torques_act_through_the_structure_matrix():
    robot = gw.load("wrist_puma")
    motors, joints = gw.casadi_rates(robot, "motor_torque"), gw.casadi_rates(robot)
    x, u = state(motors)
    tau = gw.actuation.structure_matrix(gw.assemble(robot)) @ u
    assert relative(np.array(motors(x, u)), np.array(joints(x, tau))) < 1e-12


@pytest.mark.parametrize(
    ("name", "path"), [("manutec_r3_full", "joint1.motor.resistance"), ("mini_cheetah_leg", "abad.motor.inertia")]
)
def test_machine_and_laws_follow_parameters(name, path):
    robot = gw.load(name)
    f = gw.casadi_rates(robot, "voltage", [path])
    x, u = state(f)
    for factor in (1.0, 0.9):
        changed = gw.parts.with_parameters(robot, {path: factor * f.nominal[0]})
        found = np.array(f(x, u, factor * f.nominal[0])).ravel()
        assert relative(found, of_the_library(changed, f, x, u)) < 1e-12
    assert np.abs(np.array(f(x, u, 2 * f.nominal[0])) - np.array(f(x, u, f.nominal[0]))).max() > 1e-6


def test_inputs_are_those_that_are_named():
    robot = gw.load("elbow")
    f, whole = gw.casadi_rates(robot, ["tau.j3", "tau.j1"]), gw.casadi_rates(robot)
    x, _ = state(f)
    assert relative(np.array(f(x, [2.0, 1.0])), np.array(whole(x, [1.0, 0.0, 2.0]))) < 1e-15
    assert gw.casadi_rates(robot, ()).function.size_in(0) == (6, 1)


class Waving(Law):
    """A force of time."""

    name = "waving"

    def act(self, mode, s):
        return Action((Force(Line.for_machine(s.mech, "j1"), s.ops.sin(s.t)),))


def test_refuses_by_name_what_is_not_a_plain_rate():
    elbow = gw.load("elbow")
    for robot, law in LOSSES.items():
        with pytest.raises(InputError, match=f"law '{law}'"):
            gw.casadi_rates(gw.load(robot))
        assert gw.casadi_rates(gw.load(robot), laws=()).states
    for call, message in (
        (lambda: gw.casadi_rates(elbow, laws=[Waving()]), "law 'waving'.* time"),
        (lambda: gw.casadi_rates(elbow, ["tau.j4"]), "'tau.j4'"),
        (lambda: gw.casadi_rates(elbow, ["tau.j1", "tau.j1"]), "tau.j1"),
        (lambda: gw.casadi_rates(elbow, "volts"), "inputs='volts'"),
        (lambda: gw.casadi_rates(elbow, parameters=["j1.motor.colour"]), "colour"),
        (lambda: gw.casadi_rates("elbow"), "'elbow'"),
    ):
        with pytest.raises(InputError, match=message):
            call()
