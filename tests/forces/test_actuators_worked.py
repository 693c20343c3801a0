"""Worked actuators against what their theory says: frequencies, steady states, tangents of the exact equations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import DriveError
from gearwright.forces import DcMotorData, HydraulicCylinder, PneumaticCylinder, SteppingMotorData, SynchronousMotorData
from gearwright.forces.actuators.dc_motor import dc_motor, dc_motors
from gearwright.forces.actuators.hydraulic_cylinder import ServoValve, servo_cylinder
from gearwright.forces.actuators.mounting import place_line
from gearwright.forces.actuators.pneumatic_cylinder import ATMOSPHERE, AirValve, pneumatic_cylinder
from gearwright.forces.actuators.stepping_motor import stepping_motor
from gearwright.forces.actuators.synchronous_motor import SynchronousMotor, synchronous_motor
from gearwright.system.open_systems.complete_model import complete_model

VALVE = ServoValve(rated_flow=6.3e-4, rated_drop=70e5, frequency=500.0, damping=0.8)
CYLINDER = {"area": 1.2e-3, "volume": 5e-4, "mass": 4.0, "bulk_modulus": 1.1e9}
AIR = {"areas": (8e-4, 6.8e-4), "volumes": (1.5e-4, 1.1e-4), "pressures": (4e5, 4.5e5), "mass": 0.6}


def slide(mass=80.0):
    return gw.Mechanism([gw.Body("slide", joint="prismatic", axis=(1, 0, 0), mass=mass)])


def shaft(inertia=3e-5):
    """A rotor alone on its bearing."""
    link = gw.parts.Link("shaft", inertia=np.eye(3) * 1e-15)
    drive = gw.parts.Drive("shaft", gw.parts.Motor(inertia=inertia), gw.parts.Gear(ratio=1.0))
    return gw.assemble(gw.parts.Robot("bench", [link], [drive]))


def slopes(function, x, size):
    """Central differences of a function, a column per entry; exact to rounding for quadratic functions."""
    columns = [(function(x + size * e) - function(x - size * e)) / (2 * size) for e in np.eye(len(x))]
    return np.array(columns).T


def system_matrix(model):
    return slopes(model.drift, np.zeros(len(model.state_names)), 1e-3)


def frequency(model):
    """The one undamped frequency of a model [rad/s]."""
    values = np.linalg.eigvals(system_matrix(model))
    ringing = values[np.abs(values.real) < 1e-6 * np.abs(values)]
    return float(ringing.imag.max())


def test_oil_column_frequency():
    """2 A sqrt(beta/(V m)) with the whole moving mass (Merritt)."""
    mech = slide(80.0)
    found = frequency(complete_model(mech, [servo_cylinder(mech, "slide", VALVE, HydraulicCylinder(**CYLINDER))]))
    assert found == pytest.approx(2 * 1.2e-3 * np.sqrt(1.1e9 / (5e-4 * 80.0)), rel=1e-6)


def test_piston_that_the_links_do_not_contain():
    mech = slide(80.0)
    found = frequency(
        complete_model(mech, [servo_cylinder(mech, "slide", VALVE, HydraulicCylinder(carried=0.0, **CYLINDER))])
    )
    assert found == pytest.approx(2 * 1.2e-3 * np.sqrt(1.1e9 / (5e-4 * 84.0)), rel=1e-6)


def test_cylinder_runs_at_flow_over_area():
    """Valve half open without load: v = y Q_n sqrt(p_s/dp_n)/A."""
    mech = slide()
    axis = servo_cylinder(mech, "slide", VALVE, HydraulicCylinder(damping=2000.0, leakage=1e-13, **CYLINDER))
    run = gw.simulate(mech, until=1.5, laws=[axis], inputs={"slide.valve": 0.5}, method="stiff", samples=11)
    friction_pressure = 2000.0 * run["v.slide"][-1] / 1.2e-3
    flow = 0.5 * 6.3e-4 * np.sqrt(210 / 70) - 1e-13 * friction_pressure
    assert run["v.slide"][-1] == pytest.approx(flow / 1.2e-3, rel=1e-6)
    assert run["slide.load_pressure"][-1] == pytest.approx(friction_pressure, rel=1e-5)


def test_valve_gains_are_the_tangent_of_the_orifice():
    def flow(y, p):
        return 6.3e-4 * y * np.sqrt((210e5 - p * np.sign(y)) / 70e5)

    for y, p in ((0.6, 80e5), (-0.4, 50e5)):
        per_opening, per_pressure = VALVE.flow_gains(210e5, p, y)
        assert per_opening == pytest.approx((flow(y + 1e-4, p) - flow(y - 1e-4, p)) / 2e-4, rel=1e-9)
        assert -per_pressure == pytest.approx((flow(y, p + 1e3) - flow(y, p - 1e3)) / 2e3, rel=1e-6)
        axis = servo_cylinder(slide(), "slide", VALVE, HydraulicCylinder(**CYLINDER), load_pressure=p, opening=y)
        rate = np.array(axis.C)[2] @ [0, 0, p, y, 0] + axis.offset[2]
        assert rate == pytest.approx(4 * 1.1e9 / 5e-4 * flow(y, p), rel=1e-12)


def test_air_spring_frequency_and_standing_force():
    """sqrt(kappa (A_a^2 P_a/V_a + A_b^2 P_b/V_b)/m); at rest it pushes A_a P_a - A_b P_b less the rod."""
    mech = slide(9.0)
    model = complete_model(mech, [pneumatic_cylinder(mech, "slide", AirValve(3e-8), PneumaticCylinder(**AIR))])
    stiffness = 1.4 * (8e-4**2 * 4e5 / 1.5e-4 + 6.8e-4**2 * 4.5e5 / 1.1e-4)
    assert frequency(model) == pytest.approx(np.sqrt(stiffness / 9.0), rel=1e-6)
    force = 8e-4 * 4e5 - 6.8e-4 * 4.5e5 - 1.2e-4 * ATMOSPHERE
    assert model.drift(np.zeros(4))[1] == pytest.approx(force / 9.0, rel=1e-12)


def test_air_valve_flow():
    """ISO 6358: choked flow C rho_0 p_1 at subcritical ratios; falls to nothing at equal pressures."""
    valve = AirValve(2e-8, critical_ratio=0.3)
    assert valve.mass_flow(7e5, 1e5) == pytest.approx(2e-8 * 1.185 * 7e5)
    assert valve.mass_flow(7e5, 0.65 * 7e5) == pytest.approx(2e-8 * 1.185 * 7e5 * np.sqrt(0.75))
    assert valve.mass_flow(7e5, 7e5) == 0.0
    assert valve.mass_flow(5e5, 7e5) == 0.0


def test_stepping_motor_is_the_tangent_of_its_two_phases():
    """Against the equations of both windings, differentiated at the step."""
    Km, N, I0, R, L, D, B, J = 0.4, 50, 1.8, 1.2, 2.5e-3, 0.02, 1e-4, 3e-5

    def exact(x):
        theta, w, ia, ib, vb = x
        pull = Km * (-ia * np.sin(N * theta) + ib * np.cos(N * theta)) - D * np.sin(4 * N * theta)
        return np.array(
            [
                w,
                (pull - B * w) / J,
                (R * I0 - R * ia + Km * w * np.sin(N * theta)) / L,
                (vb - R * ib - Km * w * np.cos(N * theta)) / L,
            ]
        )

    mech = shaft(J)
    data = {"teeth": N, "current": I0, "resistance": R, "inductance": L, "detent": D, "damping": B}
    motor = stepping_motor(mech, "shaft", SteppingMotorData(torque_constant=Km, **data))
    tangent = slopes(exact, np.array([0.0, 0.0, I0, 0.0, 0.0]), 1e-6)
    kept = [0, 1, 3]
    assert np.allclose(motor.C, tangent[np.ix_(kept, kept)], rtol=1e-6, atol=1e-3)
    assert np.allclose(motor.d, tangent[kept][:, 4:], rtol=1e-6)
    assert np.abs(tangent[kept][:, 2]).max() < 1e-6  # the winding that is on does not turn the rotor off its step


def test_stepping_motor_swings_about_its_step():
    mech = shaft(3e-5)
    data = {"torque_constant": 0.4, "teeth": 50, "current": 1.8, "resistance": 1e9, "inductance": 1.0}
    motor = stepping_motor(mech, "shaft", SteppingMotorData(**data), step=0.0314)
    run = gw.simulate(mech, [0.0314 + 1e-3], until=0.05, laws=[motor])
    expected = 0.0314 + 1e-3 * np.cos(np.sqrt(50 * 0.4 * 1.8 / (3e-5 + 1e-15)) * run.t)
    assert np.abs(run["q.shaft"] - expected).max() < 1e-7


SYNC = {"pole_pairs": 4, "flux": 0.012, "resistance": 0.3, "inductances": (4e-4, 7e-4)}


def synchronous(mech, **change):
    data = {**SYNC, **change}
    return SynchronousMotor("shaft.motor", place_line(mech, "shaft"), *data.values())


def test_synchronous_motor_without_d_current_is_a_dc_motor():
    """K_T = 3/2 p psi, K_E = p psi; u_d holds i_d at zero."""
    mech = shaft(3e-5)
    motor = synchronous(mech)
    twin = dc_motor(
        mech,
        "shaft",
        DcMotorData(torque_constant=1.5 * 4 * 0.012, back_emf_constant=4 * 0.012, resistance=0.3, inductance=7e-4),
    )
    held = {"shaft.voltage_q": 12.0}
    run = gw.simulate(
        mech,
        until=0.02,
        laws=[motor],
        controller=lambda _, s: {**held, "shaft.voltage_d": -4 * s.v[0] * 7e-4 * s["shaft.current_q"]},
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10),
    )
    other = gw.simulate(
        mech,
        until=0.02,
        laws=[twin],
        inputs={"shaft.voltage": 12.0},
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10),
    )
    assert np.abs(run["v.shaft"] - other["v.shaft"]).max() < 1e-6 * np.abs(other["v.shaft"]).max()
    assert np.abs(run["shaft.current_q"] - other["shaft.current"]).max() < 1e-6 * np.abs(other["shaft.current"]).max()
    assert run.drift < 1e-8


def test_synchronous_motor_in_its_phases():
    """dq values against three phases with Park's transformation: voltages from flux linkages, torque from power."""
    motor = synchronous(shaft(), inductances=(5e-4, 5e-4))
    p, psi, R, L, w, i_d, i_q = 4, 0.012, 0.3, 5e-4, 130.0, -3.0, 8.0
    shifts = np.array([0, -2, 2]) * np.pi / 3

    def currents(t):
        angle = p * w * t + shifts
        return i_d * np.cos(angle) - i_q * np.sin(angle)

    def flux(t):
        return L * currents(t) + psi * np.cos(p * w * t + shifts)

    t = 0.00371
    phases = R * currents(t) + (flux(t + 1e-7) - flux(t - 1e-7)) / 2e-7
    angle = p * w * t + shifts
    park = 2 / 3 * np.array([np.cos(angle), -np.sin(angle)]) @ phases
    assert np.allclose(motor.voltages(w, (i_d, i_q)), park, rtol=1e-6)
    copper = R * (currents(t) ** 2).sum()
    assert motor.torque(i_d, i_q) == pytest.approx((phases @ currents(t) - copper) / w, rel=1e-6)


def test_linearised_synchronous_motor_is_the_tangent():
    mech = shaft(3e-5)
    exact, w0, i0 = synchronous(mech), 120.0, (-2.0, 6.0)
    motor = synchronous_motor(mech, "shaft", SynchronousMotorData(**SYNC), speed=w0, currents=i0)
    model = complete_model(mech, [motor])

    def rates(x):
        _, w, i_d, i_q, u_d, u_q = x
        steady = exact.voltages(w, (i_d, i_q))
        return np.array(
            [w, exact.torque(i_d, i_q) / (3e-5 + 1e-15), (u_d - steady[0]) / 4e-4, (u_q - steady[1]) / 7e-4]
        )

    point = np.array([0.3, w0, *i0, 5.0, 9.0])
    tangent = slopes(rates, point, 1e-2)
    found = slopes(lambda x: model.rates(x[:4], x[4:]), point, 1e-2)
    assert np.allclose(found, tangent, rtol=1e-7, atol=1e-6 * np.abs(tangent).max())
    assert np.allclose(model.rates(point[:4], point[4:]), rates(point), rtol=1e-9)


def electric(robot, **data):
    for drive in robot.drives:
        robot = robot.with_drive(replace(drive, motor=replace(drive.motor, **data)))
    return robot


@pytest.mark.parametrize("inductance", [None, 8e-4])
def test_the_motors_of_parts_are_the_same_motors(inductance):
    """The law that `simulate` makes of a robot's parts and the linear actuator agree."""
    robot = electric(gw.load("elbow"), torque_constant=0.06, resistance=0.8, inductance=inductance)
    mech = gw.assemble(robot)
    inputs = {"j1.voltage": 10.0, "j2.voltage": 14.0, "j3.voltage": -6.0}
    one = gw.simulate(
        robot,
        [0.1, 0.2, -0.3],
        until=0.1,
        inputs=inputs,
        samples=21,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10),
    )
    other = gw.simulate(
        mech,
        [0.1, 0.2, -0.3],
        until=0.1,
        inputs=inputs,
        samples=21,
        laws=dc_motors(robot, mech),
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10),
    )
    assert np.abs(one.q - other.q).max() < 1e-9
    assert np.abs(one.v - other.v).max() < 1e-8


def test_refusals():
    mech = slide()
    with pytest.raises(DriveError, match=r" 2\.2e\+07 Pa.* 2\.1e\+07 Pa"):
        servo_cylinder(mech, "slide", VALVE, HydraulicCylinder(**CYLINDER), load_pressure=220e5)
    with pytest.raises(DriveError, match=r"area=0.0"):
        servo_cylinder(mech, "slide", VALVE, HydraulicCylinder(**{**CYLINDER, "area": 0.0}))
    with pytest.raises(DriveError, match=r"servo_cylinder: .*name="):
        servo_cylinder(mech, [1.0], VALVE, HydraulicCylinder(**CYLINDER))
    with pytest.raises(DriveError, match=r"pneumatic_cylinder: .*name="):
        pneumatic_cylinder(mech, [1.0], AirValve(2e-8), PneumaticCylinder(**AIR))
    with pytest.raises(DriveError, match=r"critical_ratio=1.0"):
        AirValve(2e-8, critical_ratio=1.0)
    with pytest.raises(DriveError, match="inductance_q"):
        synchronous(shaft(), inductances=(1e-3, 0.0))
    with pytest.raises(DriveError, match="motor 'j1'"):
        dc_motors(gw.load("elbow"), gw.assemble(gw.load("elbow")))
