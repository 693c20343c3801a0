"""Inputs for a prescribed motion: simulating with them gives the motion back."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import DriveError, InputError
from gearwright.forces import Line, Quantity
from gearwright.forces.actuators.dc_motor import dc_motor
from gearwright.forces.actuators.hydraulic_cylinder import ServoValve, servo_cylinder
from gearwright.forces.actuators.linear_actuator import LinearActuator
from gearwright.forces.actuators.mounting import place_line
from gearwright.forces.actuators.pneumatic_cylinder import AirValve, pneumatic_cylinder
from gearwright.forces.actuators.synchronous_motor import SynchronousMotor
from gearwright.forces.friction.dry_friction import DryFriction, SmoothFriction
from gearwright.forces.friction.lugre import LuGre
from gearwright.forces.transmission.hysteresis import MaxwellSlip
from gearwright.forces.transmission.kinematic_error import ElementDeflection
from gearwright.functions.public_call import program_derivative
from gearwright.motion import chain, polynomial, trapezoid
from gearwright.motion_demands.actuator_forces import ActuatorForces, ForceLine
from gearwright.motion_demands.motion_segments.smooth_segments import SmoothSegment
from gearwright.parts import Friction
from gearwright.programs.dynamics_programs import INVERSE_DYNAMICS
from gearwright.system.system import System

JOINTS = ("j1", "j2", "j3")
DATA = {"torque_constant": 0.05, "resistance": 0.5, "damping": 1e-4, "max_voltage": 60.0}
ENDS = [0.0, 0.0, 0.0], [1.0, 0.5, -0.5], [0.2, 0.7, 0.3]


@pytest.fixture(scope="module")
def arm():
    return gw.assemble(gw.load("elbow"))


@pytest.fixture(scope="module")
def there_and_back():
    return chain(polynomial(ENDS[0], ENDS[1], 0.5, order=7), polynomial(ENDS[1], ENDS[2], 0.4, order=7))


def rub(arm, kind, **numbers):
    return [kind(f"{name}.friction", Line.for_machine(arm, name), friction=Friction(**numbers)) for name in JOINTS]


def deviation(mech, trajectory, laws, found, method=None, atol=1e-10):
    """The largest deviation of a simulation with the inputs found from the motion asked for."""
    run = gw.simulate(
        mech,
        found.start,
        trajectory.duration,
        laws=laws,
        inputs=found.input_signals,
        samples=46,
        method=method,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9, atol=atol),
    )
    return float(np.abs(run.q - trajectory.at(run.t)).max())


@pytest.mark.parametrize("rubbing", ["none", "dry", "smooth"])
def test_voltages_without_inductance(arm, there_and_back, rubbing):
    laws = {
        "none": [],
        "dry": rub(arm, DryFriction, coulomb=2.0, viscous=0.5, static=2.5, stribeck_speed=0.1),
        "smooth": rub(arm, SmoothFriction, coulomb=2.0, viscous=0.5),
    }[rubbing]
    motors = [dc_motor(arm, name, gw.actuation.DcMotorData(**DATA)) for name in JOINTS]
    found = gw.demands(arm, there_and_back, actuators=motors, laws=laws)
    assert found.is_feasible
    assert deviation(arm, there_and_back, [*motors, *laws], found) < 1e-6


def test_voltages_with_inductance(arm, there_and_back):
    """L di/dt counts: the same motion with the voltages of motors without inductance is missed."""
    motors = [dc_motor(arm, name, gw.actuation.DcMotorData(inductance=2e-3, **DATA)) for name in JOINTS]
    found = gw.demands(arm, there_and_back, actuators=motors)
    assert found.is_feasible
    assert deviation(arm, there_and_back, motors, found, method="stiff", atol=1e-11) < 1e-6
    simple = gw.demands(
        arm, there_and_back, actuators=[dc_motor(arm, name, gw.actuation.DcMotorData(**DATA)) for name in JOINTS]
    )
    assert deviation(arm, there_and_back, motors, replace(simple, start=found.start), method="stiff") > 1e-4


def test_voltage_of_a_motor_with_inductance_by_hand(arm, there_and_back):
    """u = R i + L di/dt + K_E w, i = (tau/N + B w)/K_T, d tau/dt from the slopes of the inverse dynamics."""
    found = gw.demands(
        arm,
        there_and_back,
        actuators=[
            dc_motor(arm, name, gw.actuation.DcMotorData(inductance=2e-3, back_emf_constant=0.045, **DATA))
            for name in JOINTS
        ],
    )
    t = found.t[50:200:10]
    q, v, a, jerk = (there_and_back.at(t, k) for k in range(4))
    N = np.array([120.0, 100.0, 80.0])
    slope = program_derivative(INVERSE_DYNAMICS, arm, {"q": q, "v": v, "a": a}, "test")
    rate = np.einsum("tij,tj->ti", slope, np.concatenate([v, a, jerk], axis=-1))
    current = (gw.inverse_dynamics(arm, q, v, a) / N + 1e-4 * N * v) / 0.05
    current_rate = (rate / N + 1e-4 * N * a) / 0.05
    expected = 0.5 * current + 2e-3 * current_rate + 0.045 * N * v
    for k, name in enumerate(JOINTS):
        assert np.allclose(found[f"{name}.voltage"][50:200:10], expected[:, k], rtol=1e-9, atol=1e-9)
        assert np.allclose(found[f"{name}.current"][50:200:10], current[:, k], rtol=1e-9, atol=1e-9)


def test_derivatives_of_forces(arm):
    """Third derivatives of the forces by Taylor series against differences of the inverse dynamics."""
    motion = polynomial([0.1, -0.4, 0.7], [1.0, 0.5, -0.5], 1.0, order=7)
    system = System(arm)
    demands = ActuatorForces(system, tuple(ForceLine(Line.for_machine(arm, name), None) for name in JOINTS), 3)
    t = np.linspace(0.3, 0.6, 4)
    found = demands.forces_along(
        SmoothSegment(system, t, [motion.at(t, k) for k in range(6)], np.zeros((4, 0)), [np.zeros((4, 3))] * 4)
    )

    def forces(at):
        return gw.inverse_dynamics(arm, motion.at(at), motion.at(at, 1), motion.at(at, 2))

    h = 2e-3
    third = (forces(t + 2 * h) - 2 * forces(t + h) + 2 * forces(t - h) - forces(t - 2 * h)) / (2 * h**3)
    assert np.allclose(found[0], forces(t), rtol=1e-12)
    assert np.allclose(found[3], third, rtol=1e-3, atol=1e-3 * np.abs(third).max())


def test_a_robot_with_its_friction_and_gear_losses():
    """Motors, motor-side friction and gears that lose power both ways, all from parts; its own laws simulate it."""
    robot = gw.load("elbow")
    for drive in robot.drives:
        motor = replace(
            drive.motor, torque_constant=0.05, resistance=0.5, friction=0.02, damping=1e-4, max_current=20.0
        )
        robot = robot.with_drive(replace(drive, motor=motor, gear=replace(drive.gear, efficiency=0.8)))
    motion = polynomial(ENDS[0], ENDS[1], 0.8, order=7)
    found = gw.demands(robot, motion)
    run = gw.simulate(
        robot,
        found.start,
        motion.duration,
        inputs=found.input_signals,
        samples=41,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-9),
    )
    assert np.abs(run.q - motion.at(run.t)).max() < 1e-6
    quadrants = {h.kind for h in run.events if h.name.endswith(".gear")}
    assert {"forward driving", "forward driven"} <= quadrants
    ideal = gw.demands(robot, motion, laws=())
    assert np.abs(ideal["j1.voltage"] - found["j1.voltage"]).max() > 0.2


def test_currents_of_parts_are_limited():
    robot = gw.load("elbow")
    for drive in robot.drives:
        motor = replace(drive.motor, torque_constant=0.05, resistance=0.5, max_current=8.0, max_voltage=9.0)
        robot = robot.with_drive(replace(drive, motor=motor))
    found = gw.demands(robot, polynomial(ENDS[0], ENDS[1], 0.8))
    excesses = {x.name: x for x in found.excesses}
    assert {"j1.voltage", "j1.torque"} <= set(excesses)
    assert excesses["j1.torque"].limit == pytest.approx(0.4)
    one = excesses["j1.voltage"]
    assert one.largest == pytest.approx(np.abs(found["j1.voltage"]).max())
    assert abs(found["j1.voltage"][np.searchsorted(found.t, one.at)]) == pytest.approx(one.largest)
    assert one.duration == pytest.approx(np.mean(np.abs(found["j1.voltage"]) > 9.0) * 0.8, abs=0.01)
    assert one.excess_ratio == pytest.approx(one.largest / 9.0 - 1)
    assert re.search(rf"^j1\.voltage .*\b9\b.*t = {one.at:.4g} s", found.report(), re.MULTILINE)
    assert not found.is_feasible


def test_the_supply_limits_the_voltages_of_parts():
    robot = replace(gw.load("elbow"), supply=gw.parts.Supply(voltage=12.0, resistance=0.1))
    for drive in robot.drives:
        motor = replace(drive.motor, torque_constant=0.05, resistance=0.5, cogging=gw.parts.Cogging(0.01, 12))
        robot = robot.with_drive(replace(drive, motor=motor))
    found = gw.demands(robot, polynomial(ENDS[0], ENDS[1], 0.8))
    assert [(x.name, x.limit) for x in found.excesses] == [("j1.voltage", 12.0)]
    (remark,) = found.remarks  # cogging counts
    assert "'supply'" in remark


def gantry():
    """Two slides across each other under a tilted gravity."""
    low = gw.Body("x", joint="prismatic", axis=(1, 0, 0), mass=60.0)
    high = gw.Body("y", "x", joint="prismatic", axis=(0, 1, 0), mass=40.0)
    return gw.Mechanism([low, high], gravity=(2.0, -3.0, -9.0))


def test_servo_hydraulic_axis_through_four_derivatives():
    mech = gantry()
    valve = ServoValve(rated_flow=6e-4)
    sizes = {"area": 1.2e-3, "volume": 5e-4, "mass": 4.0, "damping": 300.0, "leakage": 2e-12}
    axes = [servo_cylinder(mech, name, valve, gw.actuation.HydraulicCylinder(**sizes)) for name in "xy"]
    motion = polynomial([0.0, 0.0], [0.15, -0.1], 0.6, order=7)
    found = gw.demands(mech, motion, actuators=axes)
    assert axes[0].inverse.relative_degree == 4
    assert found.is_feasible
    assert deviation(mech, motion, axes, found, method="stiff", atol=1e-12) < 1e-6
    assert np.abs(found["x.valve"] - found["x.opening"]).max() > 0.01  # the spool's lag is in the command


def test_pneumatic_axis_has_an_inner_motion():
    """The mean of both pressures is not seen in the force; it is integrated along."""
    mech = gantry()
    sizes = {"areas": (8e-3, 7e-3), "volumes": (1.5e-3, 1.1e-3), "pressures": (4e5, 4.2e5), "mass": 1.0}
    axes = [
        pneumatic_cylinder(
            mech, name, AirValve(3e-7), gw.actuation.PneumaticCylinder(leakage=2e-9, damping=80.0, **sizes)
        )
        for name in "xy"
    ]
    assert axes[0].inverse.inner_directions.shape == (4, 1)
    motion = polynomial([0.0, 0.0], [0.1, -0.05], 1.0, order=7)
    found = gw.demands(mech, motion, actuators=axes)
    assert deviation(mech, motion, axes, found, method="stiff", atol=1e-10) < 1e-6


@pytest.mark.slow
def test_synchronous_motors(arm):
    motors = [SynchronousMotor(f"{name}.motor", place_line(arm, name), 4, 0.01, 0.3, (4e-4, 6e-4)) for name in JOINTS]
    motion = polynomial(ENDS[0], ENDS[1], 0.3, order=7)
    found = gw.demands(arm, motion, actuators=motors)
    assert deviation(arm, motion, motors, found, method="stiff", atol=1e-11) < 1e-6
    assert not found["j1.current_d"].any()


def test_actuators_in_other_coordinates_give_the_same_voltages(arm, there_and_back):
    """The relative degree does not depend on how the states are written down."""
    rng = np.random.default_rng(1)
    plain = [dc_motor(arm, name, gw.actuation.DcMotorData(inductance=2e-3, **DATA)) for name in JOINTS]
    mixed = []
    for motor in plain:
        P = np.eye(3) + 0.2 * rng.normal(size=(3, 3))
        Q = np.linalg.inv(P)
        names = tuple(Quantity(f"{motor.name}.y{k}", "") for k in range(3))
        changed = {"C": P @ np.array(motor.C) @ Q, "f": P @ motor.f, "d": P @ np.array(motor.d)}
        mixed.append(replace(motor, tie=np.array(motor.tie) @ Q, variables=names, **changed))
    one, other = (gw.demands(arm, there_and_back, actuators=motors) for motors in (plain, mixed))
    assert mixed[0].inverse.relative_degree == 2
    for name in one.names:
        assert np.allclose(one[name], other[name], rtol=1e-6, atol=1e-6 * np.abs(one[name]).max())


def test_a_sampled_motion_gives_the_same_voltages(arm):
    motion = polynomial(ENDS[0], ENDS[1], 0.5, order=7)
    motors = [dc_motor(arm, name, gw.actuation.DcMotorData(inductance=2e-3, **DATA)) for name in JOINTS]
    one, other = gw.demands(arm, motion, actuators=motors), gw.demands(arm, motion.sample(101), actuators=motors)
    assert np.array_equal(one.t, other.t)
    for name in one.names:
        assert np.allclose(one[name], other[name], rtol=1e-7, atol=1e-7 * np.abs(one[name]).max())


@pytest.mark.parametrize("inductance", [0.0, 2e-3])
def test_bristles_are_followed_along_the_motion(arm, inductance):
    """Their deflections are integrated; with inductances the rates of their forces are asked for too."""
    motors = [dc_motor(arm, name, gw.actuation.DcMotorData(inductance=inductance, **DATA)) for name in JOINTS]
    bristles = rub(arm, LuGre, coulomb=1.0, stiffness=1e3, damping=2.0, viscous=0.5)
    motion = polynomial(ENDS[0], ENDS[1], 0.5, order=7)
    found = gw.demands(arm, motion, actuators=motors, laws=bristles)
    laws = [*motors, *bristles]
    run = gw.simulate(
        arm,
        found.start,
        motion.duration,
        inputs=found.input_signals,
        laws=laws,
        method="stiff",
        integrator=gw.analysis.IntegratorOptions(atol=1e-12),
    )
    assert np.abs(run.q - motion.at(run.t)).max() < 1e-6
    assert run["j1.friction.deflection"][-1] == pytest.approx(found["j1.friction.deflection"][-1], rel=1e-4)
    assert np.abs(found["j1.friction.deflection"]).max() > 1e-4


def test_jumps_are_told(arm):
    """Currents cannot jump: neither with the acceleration of a trapezoid nor with dry friction that turns round."""
    motors = [dc_motor(arm, name, gw.actuation.DcMotorData(inductance=2e-3, **DATA)) for name in JOINTS]
    found = gw.demands(arm, trapezoid(ENDS[0], ENDS[1], 2.0, 8.0), actuators=motors)
    assert {jump.name for jump in found.jumps} == {f"{name}.current" for name in JOINTS}
    assert not found.is_feasible
    assert all(
        re.search(rf"^{jump.name} .*t = {jump.at:.4g} s.*{jump.size:.4g}", found.report(), re.MULTILINE)
        for jump in found.jumps
    )
    back = chain(polynomial(ENDS[0], ENDS[1], 0.5, order=7), polynomial(ENDS[1], ENDS[0], 0.5, order=7))
    dry = gw.demands(arm, back, actuators=motors, laws=rub(arm, DryFriction, coulomb=2.0))
    assert {round(jump.at, 6) for jump in dry.jumps} == {0.5}
    size = {jump.name: jump.size for jump in dry.jumps}["j1.current"]
    assert size == pytest.approx(-2 * 2.0 / 120 / 0.05, rel=1e-6)


def test_what_is_at_rest_asks_for_no_friction(arm):
    rest = polynomial(ENDS[1], ENDS[1], 0.2)
    motors = [dc_motor(arm, name, gw.actuation.DcMotorData(**DATA)) for name in JOINTS]
    found = gw.demands(arm, rest, actuators=motors, laws=rub(arm, DryFriction, coulomb=2.0), samples=12)
    held = gw.gravity(arm, ENDS[1]) / [120.0, 100.0, 80.0] / 0.05 * 0.5
    assert np.allclose([found[f"{name}.voltage"][3] for name in JOINTS], held, atol=1e-12)


def one_state(arm, **change):
    data = {
        "C": [[0, 1, 0], [0, -1.0, 2.0], [0, 0, -5.0]],
        "f": [0, -100.0, 0],
        "d": [0, 0, 1.0],
        "tie": [0, 1, 0],
        "variables": tuple(Quantity(f"x{k}", "") for k in range(3)),
        "controls": (Quantity("u", ""),),
    }
    return LinearActuator("a", Line.for_machine(arm, "j1"), **{**data, **change})


def test_refusals(arm, there_and_back):
    motors = [dc_motor(arm, name, gw.actuation.DcMotorData(**DATA)) for name in JOINTS]
    with pytest.raises(InputError, match=r"actuators=\['j1'\]"):
        gw.demands(arm, there_and_back, actuators=["j1"])
    with pytest.raises(InputError, match="robot='elbow'"):
        gw.demands("elbow", there_and_back)
    with pytest.raises(InputError, match=r"\b2 coordinates.*\b3 \(j1, j2, j3\)"):
        gw.demands(arm, polynomial([0, 0], [1, 1], 1.0), actuators=motors)
    with pytest.raises(InputError, match=r"motion=array"):
        gw.demands(arm, np.zeros((5, 3)))
    with pytest.raises(InputError, match="contact='floor'"):
        gw.demands(arm, there_and_back, contact="floor")
    slip = MaxwellSlip("slip", ElementDeflection(Line.for_machine(arm, "j1")), torque=2.0, width=0.1)
    with pytest.raises(InputError, match=r"'slip' .*\(slip\.deflection\).*\(stick, forward, backward\)"):
        gw.demands(arm, there_and_back, actuators=motors, laws=[slip])
    with pytest.raises(InputError, match=r"'a' .*\(x2\)"):
        gw.demands(arm, there_and_back, actuators=motors, laws=[one_state(arm)])
    bristles = rub(arm, LuGre, coulomb=1.0, stiffness=1e4)
    with pytest.raises(InputError, match=r"'j1\.friction\.x'.*'j1\.friction\.deflection'"):
        gw.demands(arm, there_and_back, actuators=motors, laws=bristles, states={"j1.friction.x": 0.0})
    with pytest.raises(InputError, match=r"'j1\.curent'"):
        gw.demands(arm, there_and_back, actuators=motors, limits={"j1.curent": 3.0})
    with pytest.raises(DriveError, match=r"'j1' .*resistance"):
        gw.actuation.dc_motors(gw.load("elbow"), arm)
    with pytest.raises(DriveError, match=r"'a'.*'u'"):
        _ = one_state(arm, d=[0, 0, 1.0], C=[[0, 1, 0], [0, -1.0, 0], [0, 0, -5.0]]).inverse
    with pytest.raises(DriveError, match=r"'a' .*2 inputs"):
        _ = one_state(arm, d=[[0, 0], [0, 1], [1, 0]], controls=(Quantity("u", ""), Quantity("w", ""))).inverse
    with pytest.raises(DriveError, match=r"'a': "):
        _ = one_state(arm, d=[0, -1.0, 3.0]).inverse
