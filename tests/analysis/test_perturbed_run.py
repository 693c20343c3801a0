"""The perturbed column is what happened in the run: torques at rest, energy, currents and voltages, contact forces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Perturbation, Task, analyse
from gearwright.analysis.quadrature import integral
from gearwright.motion import pause, polynomial
from gearwright.parts import ContactPoint, Drive, Frame, Gear, Heat, Joint, Link, Motor, Plane, Robot, Sphere

R, L, K, RATIO, MASS, ARM = 1.2, 1e-4, 0.05, 60.0, 2.0, 0.3
KP, KD = 50.0, 5.0
LIFT = [polynomial([0.0], [0.4], duration=0.6), pause([0.4], 1.0)]


def vertical(friction: float = 0.0, rubbing: float = 0.0, **gear: float) -> Robot:
    """An arm that gravity pulls down from the horizontal."""
    joint = Joint("arm", axis=(0, -1, 0), friction=friction)
    link = Link("arm", "base", joint, MASS, (ARM, 0, 0), np.diag([0.02] * 3))
    motor = Motor(2e-5, torque_constant=K, resistance=R, inductance=L, friction=rubbing)
    return Robot("vertical", [link], [Drive("arm", motor, Gear(RATIO, **gear))])


def weak(known, motion):
    """A loop without integral and gravity, which friction holds off its goal."""
    return gw.control.pd(known, motion, kp=KP, kd=KD, gravity=False)


def by_voltage(known, motion):
    return gw.control.with_motor_outputs(weak(known, motion), known, "voltage")


def held(robot: Robot, controller=weak):
    task = Task(LIFT, perturbed=Perturbation(controller=controller))
    return analyse(robot, task, samples=801).perturbed


@pytest.fixture(scope="module", params=["friction", "self-locking gear", "both"])
def resting(request):
    gear = {"efficiency": 0.4} if request.param != "friction" else {}
    return held(vertical(0.0 if request.param == "self-locking gear" else 6.0, **gear))


def test_at_rest_the_torque_is_that_of_the_controller(resting):
    """Friction or the gear holds what is missing to gravity; to start the gear would take another torque."""
    drive, error = resting.drives["arm"], resting.joint_error[-1, 0]
    assert abs(resting.run.v[-1, 0]) < 1e-9
    assert drive.torque[-1] == pytest.approx(-KP * error, rel=1e-9)
    assert drive.torque == pytest.approx(resting.run["tau.arm"], abs=1e-12)
    weight = MASS * 9.81 * ARM * np.cos(resting.run.q[-1, 0])
    assert abs(drive.torque[-1] - weight) > 0.5
    assert drive.motor_torque == pytest.approx(drive.torque / RATIO, abs=1e-12)
    assert drive.current == pytest.approx(drive.motor_torque / K, abs=1e-12)


def test_at_rest_the_gear_hands_on_what_the_joint_takes(resting):
    """What leaves the gear is what gravity takes and what the joint's own friction holds."""
    run, drive = resting.run, resting.drives["arm"]
    weight = MASS * 9.81 * ARM * np.cos(run.q[-1, 0])
    rubbing = run.series.get("arm.friction.force", np.zeros(1))[-1]
    assert drive.output_torque[-1] == pytest.approx(weight - rubbing, rel=1e-6)


def test_energy_is_the_integral_of_the_power_of_the_run(resting):
    """Mechanical work of the run, heat of the winding, and what the inductance keeps."""
    run, drive = resting.run, resting.drives["arm"]
    i = run["tau.arm"] / RATIO / K
    expected = run["energy.supplied"][-1] + integral(run.t, R * i**2) + 0.5 * L * (i[-1] ** 2 - i[0] ** 2)
    assert drive.energy == pytest.approx(expected, rel=1e-5)


def test_bearings_of_the_motor_are_not_part_of_what_the_gear_hands_on():
    found = held(vertical(rubbing=0.1, efficiency=0.8))
    run, drive = found.run, found.drives["arm"]
    through = run["arm.gear.input_torque"] - run["arm.gear.loss_torque"]
    assert drive.output_torque == pytest.approx(RATIO * through, abs=1e-6)


def test_motors_under_voltage_have_the_currents_of_the_run():
    """The electrics are part of the loop, with the current as a state: nothing is differenced."""
    found = held(vertical(6.0), by_voltage)
    run, drive = found.run, found.drives["arm"]
    assert drive.current == pytest.approx(run["arm.current"], abs=0)
    assert drive.voltage == pytest.approx(run["arm.terminal_voltage"], abs=0)
    assert drive.motor_torque == pytest.approx(K * run["arm.current"], abs=1e-12)
    assert drive.energy == pytest.approx(run["energy.supplied"][-1], rel=1e-5)


def test_warm_motors_under_voltage_have_the_temperatures_of_the_run():
    plain = vertical(6.0)
    warm = Motor(2e-5, torque_constant=K, resistance=R, inductance=L, heat=Heat(1.0, 3.0, 5.0, 50.0))
    robot = Robot("warm", plain.links, [Drive("arm", warm, Gear(RATIO))])
    found = held(robot, by_voltage)
    assert found.demands["arm.winding_temperature"] == pytest.approx(found.run["arm.winding_temperature"], abs=0)


def test_what_the_loop_touches_is_part_of_the_reactions():
    """The weak loop sags onto a table that the prescribed motion does not touch: it takes part of the weight."""
    plain = vertical()
    table = ContactPoint("table", "tip", Plane((0.0, 0.0, -0.02), (0.0, 0.0, 1.0)), stiffness=5e3, damping=200.0)
    frames = [Frame("tip", "arm", (0.5, 0.0, 0.0))]
    robot = Robot("resting", plain.links, plain.drives, frames=frames, environment=[table])
    task = Task([pause([0.0], 1.5)], perturbed=Perturbation(controller=weak))
    found = analyse(robot, task, samples=101)
    run = found.perturbed.run
    angle, pressed = run.q[-1, 0], run["table.force"][-1]
    assert pressed > 2.0
    turned = np.array([[np.cos(angle), 0.0, -np.sin(angle)], [0.0, 1.0, 0.0], [np.sin(angle), 0.0, np.cos(angle)]])
    across = turned @ found.perturbed.drives["arm"].reaction[-1, :3]
    assert across == pytest.approx([0.0, 0.0, MASS * 9.81 - pressed], abs=1e-3)
    assert found.drives["arm"].peak_joint_force == pytest.approx(MASS * 9.81)


def test_contacts_without_a_fixed_direction_are_remarked():
    plain = vertical()
    ball = ContactPoint("ball", "tip", Sphere((0.5, 0.0, -0.12), 0.1), stiffness=5e3, damping=200.0)
    frames = [Frame("tip", "arm", (0.5, 0.0, 0.0))]
    robot = Robot("resting", plain.links, plain.drives, frames=frames, environment=[ball])
    found = analyse(robot, Task([pause([0.0], 0.5)], perturbed=Perturbation(controller=weak)), samples=51)
    assert found.perturbed.run["ball.force"].max() > 1.0
    assert any("ball" in remark for remark in found.remarks)


def test_what_a_run_leaves_of_rest_is_rest(resting):
    """Rounding of a run turns nothing: no mean torque, a plane of torque and speed that one can read."""
    drive = replace(resting.drives["arm"], motor_speed=np.full(len(resting.run.t), 1e-26))
    assert drive.mean_output_torque == 0.0
    (plane,) = drive.plot().axes
    assert plane.get_xlim() == (0.0, 1.15)
    turning = replace(drive, motor_speed=np.linspace(0.0, 3.0, len(resting.run.t)))
    (plane,) = drive.plot(beside=turning).axes
    assert plane.get_xlim()[1] == pytest.approx(1.15 * 3.0)
