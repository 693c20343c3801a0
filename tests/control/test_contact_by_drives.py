"""Every controller in contact on every kind of drive: at rest force and place of the tip are those of the closed form.

Rigid drives and elastic ones, by torques and by voltages whose electronics reach their limit on the way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Contact, Plane, SoftContact, with_wall
from gearwright.control import KnownEnvironment
from support.pressing import ARM, DESK, HERE, PEN, START

STIFFNESS = np.array([8e3, 6e3, 3e3])
BLOCK = {"mass": 3.0, "stiffness": 4e3, "damping": 60.0}
SPRING, HERTZ = 2e4, 2e5
K, D = np.array([2000.0, 1500.0, 1200.0]), 600.0
TARGET, W = gw.control.TargetAdmittance(mass=20.0, damping=300.0, stiffness=900.0), 10.0
BESIDE = HERE.position + np.array([0.01, 0.0, 0.0])
UP = np.array([0.0, 0.0, 1.0])
BELOW = BESIDE - 0.02 * UP
MAT = SoftContact("tool", DESK, SPRING, 50.0, name="t")
FOAM = SoftContact("tool", DESK, HERTZ, exponent=1.5, name="t")


def hybrid(mech):
    return gw.control.hybrid_control(
        mech, PEN, (HERE.rotation, BESIDE), 20.0, gains=gw.control.ForceGains(frequency=12.0)
    )


def impedance(mech):
    return gw.control.impedance(mech, "tool", (HERE.rotation, BELOW), K, D, orientation=False)


def admittance(mech):
    return gw.control.admittance(
        mech, "tool", (HERE.rotation, BELOW), TARGET, gains=gw.control.AdmittanceGains(frequency=W, observer=60.0)
    )


def on_foam(mech):
    return gw.control.position_force(
        mech,
        FOAM,
        (HERE.rotation, BESIDE),
        25.0,
        gains=gw.control.ForceGains(frequency=12.0, force_frequency=20.0, approach=0.02),
    )


def on_block(mech):
    """The environment's mass, and its spring and damper as a function."""
    m, k, d = BLOCK.values()
    known = KnownEnvironment(mass=m, force=lambda depth, rate, ops: k * depth + d * rate)
    desk = Contact("tool", DESK)
    return gw.control.position_force(
        mech, desk, (HERE.rotation, BESIDE), 25.0, gains=gw.control.ForceGains(frequency=12.0), environment=known
    )


def given_way(q, tip, force):
    """Of admittance control: the reference gives way by F / k, and position control by F / (Lambda w^2) behind it."""
    J = gw.jacobian(ARM, q, "tool")[:3]
    behind = J @ np.linalg.solve(gw.mass_matrix(ARM, q), J[2]) / W**2
    return SPRING * (HERE.position[2] - tip[2]), BELOW + force * (behind + UP / TARGET.stiffness)


def down(force, depth):
    """What is known beforehand: a force, and the depth in which the tip presses with it."""
    return lambda q, tip, found: (force, BESIDE - depth * UP)


@dataclass(frozen=True)
class Case:
    """A controller, the law it presses on, the closed form of rest and the voltage that is not enough on the way."""

    control: Callable[[gw.Mechanism], Any]
    law: Any
    rest: Callable[..., Any]
    voltage: float


BETWEEN = 0.02 / (1 / K[2] + 1 / SPRING)  # two springs in a row, 2 cm from end to end
CASES = {
    "hybrid": Case(hybrid, PEN, down(20.0, 0.0), 1.9),
    "impedance": Case(impedance, MAT, down(BETWEEN, 0.02 - BETWEEN / K[2]), 1.5),
    "admittance": Case(admittance, MAT, given_way, 2.3),
    "position_force on foam": Case(on_foam, FOAM, down(25.0, (25.0 / HERTZ) ** (2 / 3)), 2.8),
    "position_force on a block": Case(
        on_block, Contact("tool", Plane(), relative_to="block", name="t"), down(25.0, 25.0 / 4e3), 4.0
    ),
}
DRIVES = {
    "rigid, torques": (False, False),
    "rigid, voltages": (False, True),
    "elastic, torques": (True, False),
    "elastic, voltages": (True, True),
}


def arm(elastic, voltage):
    """The arm with motors that have windings and electronics of so many volts, behind springs or not."""
    data = {"torque_constant": 0.1, "resistance": 1.0, "inductance": 1e-3, "max_voltage": voltage}
    drives = []
    for drive, k in zip(gw.load("elbow").drives, STIFFNESS, strict=True):
        gear = replace(drive.gear, stiffness=k, damping=k / 100) if elastic else drive.gear
        drives.append(replace(drive, motor=replace(drive.motor, **data), gear=gear))
    return replace(gw.load("elbow"), drives=tuple(drives))


def start(machine):
    """The pen on the desk, springs loaded with what the arm weighs, a block at rest there."""
    joints = dict(zip(("j1", "j2", "j3"), START.q, strict=True))
    sag = gw.gravity(ARM, START.q) / STIFFNESS
    shafts = {f"{name}.motor": q + x for (name, q), x in zip(joints.items(), sag, strict=True)}
    return [(joints | shafts).get(name, 0.0) for name in machine.coordinates]


@pytest.mark.parametrize("drives", DRIVES)
@pytest.mark.parametrize("name", CASES)
def test_force_and_place_at_rest_are_those_of_the_closed_form(name, drives):
    case, (elastic, electric) = CASES[name], DRIVES[drives]
    robot = arm(elastic, case.voltage)
    control = case.control(gw.assemble(robot))
    if electric:
        control = gw.control.with_motor_outputs(control, robot, "voltage")
    if name.endswith("block"):
        robot = with_wall(robot, "block", DESK, **BLOCK)
        control = gw.control.in_larger_machine(control, robot)
    machine = gw.assemble(robot)
    laws = [*(gw.laws(robot, inputs=control.law.outputs) if electric else ()), case.law]
    run = gw.simulate(machine, start(machine), until=2.0, laws=laws, controller=control, samples=101)
    tip, force = gw.placement(machine, run.q[-1], "tool").position, run[case.law.signals[-1].name][-1]
    wanted, place = case.rest(run.q[-1][:3], tip, force)
    assert force == pytest.approx(wanted, rel=5e-4)
    np.testing.assert_allclose(tip, place, atol=1e-5)
    assert electric == any("voltage" in remark for remark in run.remarks)
