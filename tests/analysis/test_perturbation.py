"""A task in a closed loop: errors by hand, every characteristic in both, accuracy and what would help."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gearwright as gw
from gearwright.analysis import Perturbation, ProcessForce, Task, analyse
from gearwright.analysis.summary import CHARACTERISTIC_UNITS
from gearwright.errors import InputError
from gearwright.motion import pause, polynomial
from gearwright.parts import Drive, Gear, Heat, Joint, Link, Motor, Payload, Robot

HEAT = Heat(1.0, 3.0, 0.1, 0.3, copper=0.0)
MOTOR = Motor(2e-5, torque_constant=0.05, resistance=1.2, inductance=1e-4, heat=HEAT)
INERTIA, RATIO = 0.4, 60.0
SWING = [polynomial([0.0], [1.0], duration=0.5), polynomial([1.0], [0.0], duration=0.5), pause([0.0], 0.2)]


def axis() -> Robot:
    link = Link("arm", "base", Joint("arm", axis=(0, 0, 1)), 1.0, (0, 0, 0), np.diag([INERTIA] * 3))
    frame = gw.parts.Frame("tool", "arm", (0.5, 0, 0))
    return Robot("axis", [link], [Drive("arm", MOTOR, Gear(RATIO))], frames=[frame])


@pytest.fixture(scope="module")
def both():
    """A start error and a payload that the controller does not know."""
    wrong = Perturbation(start_error={"arm": 0.01}, payload_error=0.5, frequency=30.0)
    load = Payload(0.8, (0.5, 0.0, 0.0))
    return analyse(axis(), Task(SWING, payload=load, required={"accuracy": 1e-3}, perturbed=wrong), samples=301)


def test_a_start_error_dies_out_as_the_loop_says():
    """Critically damped: e = e0 (1 + w t) exp(-w t)."""
    found = analyse(axis(), Task(SWING, perturbed=Perturbation(start_error={"arm": 0.02})), samples=201).perturbed
    t = found.run.t
    expected = 0.02 * (1 + 30.0 * t) * np.exp(-30.0 * t)
    assert found.joint_error[:, 0] == pytest.approx(expected, abs=2e-6)
    assert found.accuracy == pytest.approx(2 * 0.5 * np.sin(0.01), rel=1e-6)  # the chord at the tool


def test_a_steady_push_is_borne_by_the_loop():
    """At rest a torque T at the joint leaves e = T / (M w^2)."""
    push = ProcessForce("tool", (0.0, 10.0, 0.0), axes="frame", name="push")
    found = analyse(axis(), Task([pause([0.0], 1.0)], perturbed=Perturbation(disturbance=[push])), samples=51).perturbed
    felt = INERTIA + 2e-5 * RATIO**2
    assert found.joint_error[-1, 0] == pytest.approx(10.0 * 0.5 / (felt * 30.0**2), rel=1e-6)
    assert found.drives["arm"].torque[-1] == pytest.approx(-5.0, rel=1e-6)


def test_every_characteristic_is_in_both(both):
    plain, perturbed = both.drives["arm"], both.perturbed.drives["arm"]
    told = [word for word in CHARACTERISTIC_UNITS if getattr(plain, word) is not None]
    assert {"rms_torque", "energy", "winding_temperature", "peak_joint_force", "inertia_ratio"} <= set(told)
    assert all(getattr(perturbed, word) is not None for word in told)
    summary = json.loads(json.dumps(both.summary()))
    assert set(summary["perturbed"]["drives"]["arm"]) == set(summary["drives"]["arm"])


def test_the_perturbed_drive_is_that_of_the_run(both):
    """What `demands` finds along the run is what the controller put out; a heavier payload takes more."""
    perturbed = both.perturbed
    assert perturbed.drives["arm"].torque == pytest.approx(perturbed.run.tau[:, 0], abs=1e-6)
    assert perturbed.robot.payload.mass == pytest.approx(1.2)
    more = (INERTIA + 1.2 * 0.25) / (INERTIA + 0.8 * 0.25)
    assert perturbed.drives["arm"].inertia_ratio == pytest.approx(more * both.drives["arm"].inertia_ratio, rel=1e-9)
    drive = perturbed.drives["arm"]
    rate = np.gradient(drive.current, drive.t)
    assert drive.voltage == pytest.approx(1.2 * drive.current + 1e-4 * rate + 0.05 * drive.motor_speed, abs=1e-9)


def test_accuracy_is_compared_with_what_is_required(both):
    check = next(one for one in both.perturbed.limits if one.name == "tracking accuracy of the tip")
    assert check.value == both.perturbed.accuracy
    assert not check.is_satisfied
    assert not both.is_feasible
    assert [advice.kind for advice in check.advice] == ["no faster loop", "start error", "smaller errors"]
    assert check.advice[1].value == pytest.approx(5e-3, rel=1e-3)


def test_a_loop_that_is_advised_keeps_the_accuracy():
    wrong, load = Perturbation(payload_error=0.5, frequency=20.0), Payload(0.8, (0.5, 0.0, 0.0))
    task = Task(SWING, payload=load, required={"accuracy": 1.5e-3}, perturbed=wrong)
    check = next(x for x in analyse(axis(), task, samples=101).perturbed.limits if x.name.startswith("tracking"))
    assert not check.is_satisfied
    (advice,) = check.advice
    assert (advice.kind, advice.present) == ("faster loop", 20.0)
    again = Task(SWING, payload=load, perturbed=Perturbation(payload_error=0.5, frequency=advice.value))
    assert analyse(axis(), again, samples=101).perturbed.accuracy == pytest.approx(advice.result, rel=1e-3)
    assert advice.result <= 1.5e-3


def test_a_controller_of_ones_own_and_an_elastic_drive():
    robot = axis()
    soft = Robot("soft", robot.links, [Drive("arm", MOTOR, Gear(RATIO, stiffness=5e3))], frames=robot.frames)

    def control(known, motion):
        return gw.control.pd(known, motion, kp=2000.0, kd=80.0)

    swing = polynomial([0.0], [0.5], duration=1.0, order=7)
    wrong = Perturbation(start_error={"arm": 0.01}, controller=control)
    found = analyse(soft, Task([swing], perturbed=wrong), samples=101).perturbed
    assert found.run.q[0] == pytest.approx([0.01, 0.01])  # the motor is off with its joint
    assert found.tip is not None
    assert found.accuracy >= 2 * 0.5 * np.sin(0.005) - 1e-9


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"start_error": {"elbow": 0.1}}, "start_error.*'elbow'"),
        ({"payload_error": 0.1}, r"payload_error=0\.1"),
        ({"parameter_error": {"arm.motor.inertial": 0.1}}, "inertia"),
    ],
)
def test_impossible_perturbations_are_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        analyse(axis(), Task(SWING, perturbed=Perturbation(**wrong)), samples=11)
    with pytest.raises(InputError, match="payload_error"):
        Perturbation(payload_error=-2.0)


def test_accuracy_without_a_loop_is_remarked():
    found = analyse(axis(), Task(SWING, required={"accuracy": 1e-3}), samples=11)
    assert any("state `perturbed:`" in remark for remark in found.remarks)
