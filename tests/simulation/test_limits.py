"""Limits of joints in a run: starts beyond them, forces beyond their effort, and motors' torques by name."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import GearwrightWarning, InputError, SimulationError
from gearwright.parts import Drive, Gear, Joint, Limits, Link, Motor, Robot


def arm(effort=None, position=None, **motor):
    joint = Joint("j", axis=(0, 1, 0), limits=Limits(position=position, effort=effort))
    link = Link("arm", joint=joint, mass=2.0, com=(0, 0, -0.4), inertia=np.diag([0.1, 0.1, 0.01]))
    return Robot("arm", [link], [Drive("j", Motor(1e-5, **motor), Gear(20))])


def test_a_start_beyond_the_limits_is_remarked_upon():
    run = gw.simulate(gw.load("panda_like"), until=0.01, samples=2)
    assert any("'joint4'" in x and "limits" in x for x in run.remarks)
    inside = gw.simulate(arm(position=(-1.0, 1.0)), [0.5], until=0.01, samples=2)
    assert not any("limits" in x for x in inside.remarks)


@pytest.mark.parametrize("method", [None, "rk4"])
def test_forces_beyond_the_effort_are_told_or_cut(method):
    options = {"inputs": {"tau.j": lambda t: 40.0 * t}, "samples": 101, "method": method}
    options["integrator"] = gw.analysis.IntegratorOptions(step=None if method is None else 1e-3)
    free = gw.simulate(arm(effort=10.0), until=1.0, **options)
    assert any(re.match(r"tau\.j .*\b40 .*t = 1 s.*\b10\b", x) for x in free.remarks)
    cut = gw.simulate(arm(effort=10.0), until=1.0, saturate=True, **options)
    assert np.allclose(cut["tau.j"], np.minimum(40.0 * cut.t, 10.0))
    assert any(re.match(r"tau\.j .*\b10\b", x) for x in cut.remarks)
    assert not any(re.search(r"\b40\b", x) for x in cut.remarks)
    same = gw.simulate(arm(), until=1.0, **{**options, "inputs": {"tau.j": lambda t: min(40.0 * t, 10.0)}})
    assert np.abs(cut.q - same.q).max() < 1e-6
    assert np.abs(cut.q - free.q).max() > 0.1


def test_what_a_controller_asks_for_is_cut_too():
    run = gw.simulate(arm(effort=5.0), [1.0], 0.5, controller=lambda t, s: -200.0 * s.q, saturate=True, samples=51)
    assert np.abs(run["tau.j"]).max() == 5.0
    torque = gw.simulate(arm(max_torque=0.2), until=0.1, inputs={"j.torque": 1.0}, saturate=True, samples=5)
    assert torque["j.torque"].tolist() == [0.2] * 5


def test_a_batch_names_the_inputs_that_its_electronics_clip():
    """As a run does: the limit, the largest command, its time and member; nothing where none is clipped."""
    robot = arm(torque_constant=0.05, resistance=1.0, max_voltage=48.0)
    ramp = np.linspace(0.0, 1.0, 10)[:, None] * [20.0, 500.0]
    with pytest.warns(GearwrightWarning, match=r"j\.voltage .*\b48 V.*\b500 V.*t = 0\.009 s \(state 1 "):
        high = gw.rollout(robot, [[0.0], [0.0]], [0.0], 10, 1e-3, method="rk4", inputs={"j.voltage": ramp})
    low = gw.rollout(robot, [0.0], [0.0], 10, 1e-3, method="rk4", inputs={"j.voltage": np.minimum(ramp[:, 1], 48.0)})
    np.testing.assert_allclose(high.q[:, 1], low.q, atol=1e-12)
    run = gw.simulate(robot, [0.0], until=0.01, inputs={"j.voltage": 500.0}, samples=3)
    assert sum("j.voltage" in remark and "500 V" in remark for remark in run.remarks) == 1


def test_saturation_needs_a_robot():
    with pytest.raises(InputError, match=r"saturate=True.*`effort`"):
        gw.simulate(gw.assemble(arm()), saturate=True)
    with pytest.raises(InputError, match=r"saturate=1\.0"):
        gw.simulate(arm(), saturate=1.0)


@pytest.mark.parametrize("of", [lambda x: x, gw.assemble], ids=["robot", "machine"])
def test_torques_of_motors_behind_a_differential_go_by_name(of):
    """xi at the motors is A xi at the joints."""
    robot = gw.load("wrist_bendix")
    mech = gw.assemble(robot)
    xi = {"m1.torque": 0.02, "m3.torque": lambda t: 0.05 * np.sin(20 * t)}
    A = gw.actuation.structure_matrix(mech)
    run = gw.simulate(of(robot), until=0.3, inputs=xi, samples=31)
    same = gw.simulate(of(robot), until=0.3, inputs=lambda t: A @ [0.02, 0.0, 0.05 * np.sin(20 * t)], samples=31)
    assert np.abs(run.q - same.q).max() < 1e-7
    assert np.abs(run.q).max() > 1e-3
    led = gw.simulate(of(robot), until=0.3, controller=lambda t, s: {"m1.torque": 0.02}, samples=5)
    assert led["m1.torque"].tolist() == [0.02] * 5
    with pytest.raises(InputError, match=r"'m9\.torque'.*'m[1-3]\.torque'"):
        gw.simulate(of(robot), inputs={"m9.torque": 1.0})


def test_a_torque_and_a_voltage_of_one_motor_are_refused():
    robot = arm(torque_constant=0.05, resistance=0.5)
    with pytest.raises(InputError, match=r"\bj\.torque\b.*\bj\.voltage\b"):
        gw.simulate(robot, inputs={"j.torque": 0.1, "j.voltage": 2.0})


def test_an_unstable_controller_is_called_so():
    """Which joint, how fast; with friction such runs ended in hundreds of events without any motion."""
    robot = gw.load("puma560")
    with pytest.raises(SimulationError, match=r"controller.*'joint5' .*\d 1/s"):
        gw.simulate(robot, [0.1] * 6, 2.0, controller=lambda t, s: 4000.0 * s.v + 500.0 * s.q)
    hasty = gw.control.sampled_controller(lambda t, s: -3e5 * s.q - 3e3 * s.v, 5e-3)
    with pytest.raises(SimulationError, match=r"controller.*\d Hz.*\b0\.005 s"):
        gw.simulate(robot, [0.1] * 6, 2.0, controller=hasty)


def test_the_growth_of_an_unstable_controller_is_that_of_the_loop():
    """J a = k q grows by sqrt(k / J)."""
    table = Link("table", joint=Joint("j"), mass=1.0, inertia=np.diag([0.3, 0.3, 0.5]))
    robot = Robot("table", [replace(table)], gravity=(0, 0, 0))
    with pytest.raises(SimulationError, match=r"'j' .*\b100 1/s.*\b0\.00693 s"):
        gw.simulate(robot, [0.1], 2.0, controller=lambda t, s: 5000.0 * s.q)
