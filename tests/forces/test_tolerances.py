"""Every law keeps the tolerance of a run: no step passes over a place where it bends or jumps.

Each case takes its law over its kinks (limits, bends of tables, zeros of speeds), to and fro.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

import gearwright as gw
from gearwright.forces import (
    Backlash,
    BoucWen,
    Catch,
    Clutch,
    Constraint,
    Contact,
    DcMotorData,
    DryFriction,
    ElementDeflection,
    Environment,
    ForceSensor,
    FunctionForce,
    GearLoss,
    IdealDrive,
    Law,
    Line,
    LineInertia,
    Load,
    LoadBristles,
    LuGre,
    MaxwellSlip,
    MotorCircuit,
    MotorTorque,
    NonlinearSpring,
    OneWayClutch,
    SmoothFriction,
    SoftContact,
    Stops,
    SynchronousMotor,
    TorqueCurve,
    VoltageServo,
    Wrench,
    dc_motor,
)
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.branch_points import law_branch_levels
from gearwright.forces.contact.rough_constraint import RoughConstraint
from gearwright.forces.transmission.train_losses import TrainLoss
from gearwright.parts import Drive, Friction, Gear, Link, LoadFriction, Losses, Motor, Robot, Supply

ROBOT = Robot(
    "pendulum",
    [Link("a", mass=2.0, com=(0.0, -0.3, 0.0), inertia=np.eye(3) * 0.05)],
    [Drive("a", Motor(1e-4), Gear(20.0), mounted_on="base")],
    gravity=(0, -9.81, 0),
)
MECH = gw.assemble(ROBOT)
LINE, MOTOR = Line.for_machine(MECH, "a"), Line.for_machine(MECH, {"a": 20.0})
ANGLE = ElementDeflection(LINE)
BENT = TorqueCurve(20.0, 30.0, ((0.1, 40.0), (0.3, -15.0)))
RUB = Friction(coulomb=0.4, static=0.6, stribeck_speed=0.3, viscous=0.02, stiffness=200.0, damping=3.0)
TABLE = (Losses(0.0, 0.9, no_load_torque=0.01), Losses(10.0, 0.7, no_load_torque=0.02), Losses(40.0, 0.8))
SHARES = LoadFriction(0.2, 0.1, 0.1, 0.05)
LOADED = Friction(
    coulomb=0.01,
    static=0.015,
    stribeck_speed=5.0,
    stribeck_exponent=1.3,
    load=replace(SHARES, motor_quadratic=0.5, joint_quadratic=0.3, lag=0.02),
)


@dataclass(frozen=True)
class Case:
    """A law at work."""

    name: str
    law: Law
    inputs: Any = None
    q: float = 1.0
    v: float = 0.0
    until: float = 1.5
    extra: tuple[Law, ...] = ()
    bends: bool = False
    states: dict[str, float] = field(default_factory=dict)


def _motor(supply: Supply | None = None, **limits: float) -> MotorCircuit:
    motor = Motor(1e-4, torque_constant=0.1, resistance=0.8, **limits)  # type: ignore[arg-type]
    robot = Robot("driven", ROBOT.links, [Drive("a", motor, Gear(20.0), mounted_on="base")], supply=supply)
    (law,) = gw.laws(robot, gw.assemble(robot), ["a.voltage"])
    assert isinstance(law, MotorCircuit)
    return law


def _swinging(size: float, rate: float = 7.0) -> Any:
    return lambda t: size * np.sin(rate * t)


CASES = (
    Case("backlash", Backlash("b", ANGLE, TorqueCurve(300.0), 6.0, 0.4), bends=True),
    Case("bent backlash", Backlash("b", ANGLE, BENT, 0.5, 0.3, damping_limit=0.6), bends=True),
    Case("bent spring", NonlinearSpring("s", ANGLE, BENT, 0.1), bends=True),
    Case("gap without modes", NonlinearSpring("s", ANGLE, BENT, 2.0, 0.3), bends=True),
    Case("Bouc-Wen", BoucWen("h", ANGLE, 2.0, 0.1), bends=True),
    Case("Maxwell slip", MaxwellSlip("h", ANGLE, 2.0, 0.1)),
    Case("dry friction", DryFriction("f", LINE, friction=RUB)),
    Case("smooth friction", SmoothFriction("f", LINE, RUB, 0.2)),
    Case("LuGre", LuGre("f", LINE, RUB), bends=True),
    Case(
        "clutch",
        Clutch("c", LINE, normal_force=10.0, coefficients=((0, 0.5), (1, 0.3), (2.5, 0.4)), geometry=0.1),
        {"c.level": lambda t: 0.5 + 0.3 * np.sin(9 * t)},
        bends=True,
    ),
    Case(
        "one-way clutch",
        OneWayClutch("c", LINE, normal_force=10.0, coefficients=((0, 0.5), (2.5, 0.4)), geometry=0.1),
        {"c.level": lambda t: 0.5 + 0.3 * np.sin(9 * t)},
        bends=True,
    ),
    Case("function", FunctionForce("g", LINE, lambda s, speed, t, ops: -2.0 * s * s - 0.3 * speed + ops.sin(3.0 * t))),
    Case(
        "position servo",
        VoltageServo("s", LINE, kp=2.0, torque_constant=0.6, resistance=2.0, kd=0.05, max_duty=0.7, max_current=3.0),
        {"s.goal": _swinging(1.2)},
        bends=True,
    ),
    Case("gear losses", GearLoss("g", MOTOR, TABLE, MECH.spins[:1], "a"), {"tau.a": _swinging(3.0)}, bends=True),
    Case(
        "load-dependent friction",
        GearLoss("g", MOTOR, (), MECH.spins[:1], "a", friction=LOADED),
        {"tau.a": _swinging(3.0)},
        bends=True,
    ),
    Case(
        "load-dependent bristles",
        LoadBristles("g", MOTOR, replace(LOADED, stiffness=40.0, load=SHARES), "a", "Nm", MECH.spins[:1]),
        {"tau.a": _swinging(3.0)},
        bends=True,
    ),
    Case(
        "gear that locks at speed",
        GearLoss("g", MOTOR, (Losses(0.0, 0.9, 0.4), Losses(60.0, 0.8, -0.2)), MECH.spins[:1], "a"),
        {"tau.a": lambda t: 5.0 + 2.0 * t},
        q=0.0,
        bends=True,
    ),
    Case("stops", Stops("e", LINE, -0.7, 0.9, restitution=0.6), until=1.2),
    Case("load", Load("w", LINE), {"w": _swinging(2.0)}),
    Case("wrench", Wrench("w", "a", "frame"), {"w.mz": _swinging(2.0), "w.fx": 3.0}),
    Case("moved inertia", LineInertia("m", LINE, 0.2)),
    Case("torque of a motor", MotorTorque.for_machine(MECH, "a"), {"a.torque": _swinging(0.1)}),
    Case("prescribed", IdealDrive.from_motion("p", LINE, lambda t: (1 + t * t, 2 * t, 2.0), 5.0)),
    Case(
        "linear actuator",
        dc_motor(MECH, "a", DcMotorData(torque_constant=0.1, resistance=0.8, inductance=2e-2, max_voltage=5.0)),
        {"a.voltage": _swinging(9.0)},
        bends=True,
    ),
    Case("motor at its voltage", _motor(max_voltage=4.0), {"a.voltage": _swinging(9.0)}, bends=True),
    Case("motor at its current", _motor(max_current=3.0, inductance=2e-2), {"a.voltage": _swinging(9.0)}, bends=True),
    Case("motor at its speed", _motor(max_speed=30.0, max_current=6.0), {"a.voltage": _swinging(12.0)}, bends=True),
    Case(
        "motor on a weak supply",
        _motor(Supply(12.0, 0.4, False, 13.0, 5.0), max_current=8.0),
        {"a.voltage": _swinging(14.0)},
        bends=True,
    ),
    Case(
        "motor that feeds back", _motor(Supply(12.0, 0.4, True, 12.5, 5.0)), {"a.voltage": _swinging(11.0)}, bends=True
    ),
    Case(
        "synchronous motor",
        SynchronousMotor("a.motor", MOTOR, 3, 0.02, 0.5, (4e-3, 6e-3)),
        {"a.voltage_q": _swinging(4.0), "a.voltage_d": 0.3},
    ),
)


def laws_of_the_house(base: type = Law) -> Iterator[type]:
    """Every law that can be made, of Gearwright itself."""
    for law in base.__subclasses__():
        yield from laws_of_the_house(law)
        if law.__module__.startswith("gearwright.forces.") and not inspect.isabstract(law):
            yield law


def run(case: Case, rtol: float) -> Sequence[float]:
    start = gw.State([case.q], [case.v], case.states)
    done = gw.simulate(
        MECH,
        start,
        until=case.until,
        laws=[case.law, *case.extra],
        inputs=case.inputs,
        method="adaptive",
        samples=16,
        integrator=gw.analysis.IntegratorOptions(rtol=rtol, atol=1e-2 * rtol),
    )
    assert not [remark for remark in done.remarks if "branch point" in remark]
    return np.concatenate([done.q[:, 0], done.v[:, 0]])


def test_every_law_has_a_case():
    # They need a train, or more than one joint: tests/trains/test_train_losses.py, tests/contact.
    elsewhere = {TrainLoss, Catch, Constraint, Contact, Environment, ForceSensor, RoughConstraint, SoftContact}
    missing = set(laws_of_the_house()) - {type(case.law) for case in CASES} - elsewhere
    assert not missing, f"give these laws a case each: {missing}"
    assert LinearActuator in {type(case.law) for case in CASES}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_error_falls_with_the_tolerance(case):
    exact = run(case, 1e-13)
    coarse, fine = (np.abs(run(case, rtol) - exact).max() for rtol in (1e-8, 1e-12))
    assert coarse < 1e-5
    assert fine < 1e-9
    assert fine < 0.1 * coarse or fine < 1e-10  # events are found to a billionth


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_laws_that_bend_say_so(case):
    """What a run listens to; a law that does not bend costs nothing."""
    from gearwright.algebra.operations import FLOATS
    from gearwright.forces.law import Reaction, Situation

    law = case.law
    at = Situation(0.0, [1.0], [0.5], [0.01] * len(law.states), [1.0] * len(law.inputs), FLOATS, MECH)
    felt = Reaction([0.0], [0.0], [0.1], [0.0])
    assert any(len(law_branch_levels(law, mode, at, felt)) for mode in law.modes) == case.bends
