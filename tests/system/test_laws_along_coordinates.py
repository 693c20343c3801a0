"""Laws along coordinates in runs: by hand-written equations, by energy, and by what they promise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.algebra.operations import FLOATS
from gearwright.errors import GearwrightError, SimulationError, SingularityError
from gearwright.forces import (
    Backlash,
    Clutch,
    Coordinate,
    DryFriction,
    ElementDeflection,
    GearLoss,
    HydraulicCylinder,
    IdealDrive,
    MovingFrame,
    NonlinearSpring,
    Pulley,
    ServoValve,
    Stops,
    TorqueCurve,
    compliant_stops,
    displacement,
    distance,
    servo_cylinder,
    tendon,
)
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism.rows import dense_row
from gearwright.motion import polynomial
from gearwright.parts import Friction, Losses
from gearwright.system import compiled_machine
from gearwright.system.compiled_machine import CompiledMachine
from gearwright.system.evaluation import evaluate_system
from gearwright.system.system import System

BOOM = gw.Mechanism(
    [gw.Body("boom", axis=(0, 0, 1), mass=40.0, com=(0.8, 0.0, 0.0), inertia=np.diag([0.1, 9.0, 9.0]))],
    gravity=(0, -9.81, 0),
)
FOOT, EYE = (0.3, -0.6, 0.0), (0.7, -0.05, 0.1)  # where the cylinder is hinged, on the base and on the boom
STRUT = distance(BOOM, ("base", FOOT), ("boom", EYE), name="strut")
VALVE = ServoValve(rated_flow=6e-4, frequency=300.0)
SIZES = {"area": 1.2e-3, "volume": 5e-4, "mass": 6.0, "damping": 400.0, "leakage": 2e-12}
ARM = gw.assemble(gw.load("elbow"))
CORD = distance(ARM, ("base", (0.9, 0.0, 0.1)), (2, (0.1, 0.2, 0.3)), name="cord")


def strut(q):
    """The strut's length with its first two derivatives by the angle, from the law of cosines."""
    a, b = np.hypot(*FOOT[:2]), np.hypot(*EYE[:2])
    between = q + np.arctan2(EYE[1], EYE[0]) - np.arctan2(FOOT[1], FOOT[0])
    s = np.sqrt(a * a + b * b - 2 * a * b * np.cos(between) + EYE[2] ** 2)
    slope = a * b * np.sin(between) / s
    return s, slope, (a * b * np.cos(between) - slope * slope) / s


def test_a_cylinder_turns_a_joint_through_a_linkage():
    """Against the equations of boom, rod, oil and spool as one writes them by hand."""
    cylinder = servo_cylinder(BOOM, STRUT, VALVE, HydraulicCylinder(carried=0.0, **SIZES), name="lift")
    commands = {"lift.valve": lambda t: 0.5 * np.sin(8 * t)}
    run = gw.simulate(BOOM, [0.3], until=0.4, laws=[cylinder], inputs=commands, samples=9)
    area, mass, damping, leakage = (SIZES[x] for x in ("area", "mass", "damping", "leakage"))
    flow, choke = VALVE.flow_gains(210e5, 0.0, 0.0)
    stiff, w = 4 * 1e9 / SIZES["volume"], VALVE.frequency

    def rates(t, x):
        q, v, p, y, z = x
        _, b, bend = strut(q)
        push = area * p - damping * b * v - mass * bend * v * v
        a = (b * push - 40.0 * 9.81 * 0.8 * np.cos(q)) / (9.0 + 40.0 * 0.64 + mass * b * b)
        oil = stiff * (flow * y - (choke + leakage) * p - area * b * v)
        return [v, a, oil, z, w * w * (0.5 * np.sin(8 * t) - y) - 2 * VALVE.damping * w * z]

    done = solve_ivp(rates, (0, 0.4), [0.3, 0, 0, 0, 0], "LSODA", run.t, rtol=1e-11, atol=1e-13)
    assert np.abs(run.q[:, 0] - done.y[0]).max() < 1e-8
    assert np.abs(run["lift.load_pressure"] - done.y[2]).max() < 1e-6 * np.abs(done.y[2]).max()
    assert np.ptp(run.q[:, 0]) > 0.02


def test_the_same_coordinate_stated_by_a_user_gives_the_same_run():
    a, b = np.hypot(*FOOT[:2]), np.hypot(*EYE[:2])
    off = float(np.arctan2(EYE[1], EYE[0]) - np.arctan2(FOOT[1], FOOT[0]))
    square = float(a * a + b * b + EYE[2] ** 2)

    def length(c):
        return c.ops.sqrt(square - 2 * float(a * b) * c.ops.cos(c.coordinate("boom") + off))

    ends = []
    for line in (STRUT, Coordinate.for_machine(BOOM, "own", length)):
        laws = [
            NonlinearSpring("gas", ElementDeflection(line, 0.6), TorqueCurve(6000.0, 3000.0), 50.0, unit="N"),
            DryFriction("seal", line, unit="N", friction=Friction(coulomb=150.0, static=200.0, stribeck_speed=0.05)),
        ]
        ends.append(gw.simulate(BOOM, [0.3], until=0.6, laws=laws, samples=5))
    assert np.abs(ends[0].q - ends[1].q).max() < 1e-10
    assert [x.kind for x in ends[0].events] == [x.kind for x in ends[1].events] != []


def test_a_series_spring_through_a_lever():
    """A motor's crank pulls a link by a spring between two pins: force from the potential, swing from its curvature."""
    bodies = [
        gw.Body("crank", mass=0.5, inertia=np.diag([1e-3, 1e-3, 2e-3])),
        gw.Body("link", position=(0.4, 0, 0), mass=2.0, com=(0.3, 0, 0), inertia=np.diag([0, 0.1, 0.1])),
    ]
    mech = gw.Mechanism(bodies, gravity=(0, 0, 0))
    pins = ("crank", (0.0, 0.08, 0.0)), ("link", (0.0, 0.12, 0.0))
    line, stiffness, rest = distance(mech, *pins), 4000.0, 0.35
    law = NonlinearSpring("series", ElementDeflection(line, rest), TorqueCurve(stiffness), unit="N")

    def energy(q):
        (R1, p1), (R2, p2) = (gw.placement(mech, q, body) for body in (0, 1))
        return 0.5 * stiffness * (np.linalg.norm(p2 + R2 @ pins[1][1] - p1 - R1 @ pins[0][1]) - rest) ** 2

    q = np.array([0.2, -0.1])
    a = gw.simulate(mech, q, until=1e-6, laws=[law], samples=2).a[0]
    slopes = [(energy(q + 1e-5 * e) - energy(q - 1e-5 * e)) / 2e-5 for e in np.eye(2)]
    assert np.allclose(gw.inverse_dynamics(mech, q, [0, 0], a), -np.array(slopes), rtol=1e-7)
    run = gw.simulate(mech, q, until=0.5, laws=[law], samples=11, integrator=gw.analysis.IntegratorOptions(rtol=1e-11))
    total = [energy(x) + gw.kinetic_energy(mech, x, v) for x, v in zip(run.q, run.v, strict=True)]
    assert np.allclose(total, total[0], rtol=1e-8)
    assert np.ptp([energy(x) for x in run.q]) > 0.1 * total[0]


FINGER = gw.Mechanism(
    [
        gw.Body("proximal", mass=0.05, com=(0.025, 0, 0), inertia=np.diag([1e-6, 1e-5, 1e-5])),
        gw.Body("middle", 0, position=(0.05, 0, 0), mass=0.03, com=(0.015, 0, 0), inertia=np.diag([1e-6, 4e-6, 4e-6])),
        gw.Body("distal", 1, position=(0.03, 0, 0), mass=0.02, com=(0.01, 0, 0), inertia=np.diag([1e-6, 2e-6, 2e-6])),
    ],
    gravity=(0, -9.81, 0),
)
FLEXOR = tendon(
    FINGER,
    [("base", (-0.03, -0.008, 0)), (0, (0.025, -0.007, 0)), (1, (0.01, -0.006, 0)), (2, (0.012, -0.005, 0))],
    name="flexor",
)
EXTENSOR = tendon(
    FINGER,
    [
        ("base", (-0.03, 0.004, 0.0)),
        Pulley("proximal", 0.006, axis=(0, 0, -1)),
        ("proximal", (0.025, 0.004, 0.0)),
        Pulley("middle", 0.005, axis=(0, 0, -1)),
        ("middle", (0.015, 0.003, 0.0)),
        Pulley("distal", 0.004, axis=(0, 0, -1)),
        ("distal", (0.012, 0.002, 0.0)),
    ],
    name="extensor",
)


def test_tendons_bend_a_finger():
    """A flexor that is wound up by 6 mm against an elastic extensor over pulleys, neither of which ever pushes."""
    flexor = compliant_stops("flexor", FLEXOR, -1.0, start(FLEXOR) - 0.006, 4000.0, 10.0, unit="N", smooth=True)
    extensor = compliant_stops("extensor", EXTENSOR, -1.0, start(EXTENSOR) - 0.001, 500.0, 2.0, unit="N", smooth=True)
    joints = [
        NonlinearSpring(x, ElementDeflection(gw.forces.Line.for_machine(FINGER, x)), TorqueCurve(0.05), 2e-3)
        for x in FINGER.speeds
    ]
    run = gw.simulate(FINGER, [0.0] * 3, until=0.2, laws=[flexor, extensor, *joints], samples=40)
    assert run.q[-1].sum() < -0.5, "it bends"
    assert np.abs(run["energy.balance"]).max() < 1e-9
    for name in ("flexor", "extensor"):
        assert run[f"{name}.torque"].min() > -1e-9, "it never pushes"
        assert run[f"{name}.torque"].max() > 0.1


def start(line) -> float:
    return float(line.placed_in(SharedKinematics(FINGER, [0.0] * 3, [0.0] * 3, FLOATS)).position([0.0] * 3))


def test_friction_along_a_coordinate_sticks_and_slides():
    """A boom that falls against the dry friction of its strut comes to rest and stays there."""
    rub = DryFriction("seal", STRUT, unit="N", friction=Friction(coulomb=900.0, static=1100.0, stribeck_speed=0.1))
    run = gw.simulate(BOOM, ([1.0], [3.0]), until=2.0, laws=[rub], samples=101)
    assert [event.kind for event in run.events][-1] == "stick"
    s, late = np.array([strut(q)[0] for q in run.q[:, 0]]), run.t > run.events[-1].t
    assert late.sum() > 5
    assert np.ptp(s[late]) < 1e-9
    assert np.ptp(s) > 0.05
    assert np.abs(run["energy.balance"]).max() < 1e-7


def test_what_a_guide_loses_of_a_force_along_a_coordinate():
    """A drag along the strut takes its part of what the cylinder gives through the same port, and the books have it."""
    cylinder = replace(
        servo_cylinder(BOOM, STRUT, VALVE, HydraulicCylinder(carried=0.0, **SIZES), name="lift"), port="lift"
    )
    guide = GearLoss("guide", STRUT, (Losses(0.0, 0.8, 0.75),), (), "lift")
    system = System(BOOM, (cylinder, guide))
    x, u = np.array([0.3, 0.4, 2e6, 0.1, 0.0, 0.0, 0.0]), np.zeros(2)
    here = evaluate_system(system, 0.0, x, u, ("on", "forward driving"))
    force, loss = here.reactions[0].multipliers[0], here.outcomes[1].dissipated
    _, b, bend = strut(0.3)
    assert force > 100
    assert loss == pytest.approx(0.2 * force * b * 0.4, rel=1e-12)
    needed = float(gw.inverse_dynamics(BOOM, [0.3], [0.4], here.a)[0])
    assert needed == pytest.approx(0.8 * force * b, rel=1e-10)
    run = gw.simulate(BOOM, [0.3], until=0.1, laws=[cylinder, guide], inputs={"lift.valve": 0.4}, samples=9)
    assert np.abs(run["energy.balance"]).max() < 1e-6
    assert not [remark for remark in run.remarks if "Python" in remark]
    assert bend < 0


def test_a_free_body_on_elastic_cords():
    """Rows in the tangent of free and spherical joints: what the cords store and the bodies have stays the same."""
    bodies = [
        gw.Body("buoy", joint="free", mass=2.0, com=(0.05, 0.02, 0), inertia=np.diag([0.02, 0.03, 0.04])),
        gw.Body(
            "mast", 0, joint="spherical", position=(0, 0, 0.2), mass=0.5, com=(0, 0, 0.3), inertia=np.eye(3) * 0.02
        ),
    ]
    mech = gw.Mechanism(bodies)
    ends = [("base", (1.0, 0.2, 2.0)), ("base", (-1.0, 0.3, 2.0)), ("base", (0.1, -1.0, 2.0))]
    held = [("buoy", (0.2, 0.0, 0.0)), ("mast", (0.0, 0.0, 0.5)), ("buoy", (0.0, -0.2, 0.1))]
    laws = [
        NonlinearSpring(f"cord{k}", ElementDeflection(distance(mech, one, other), 1.5), TorqueCurve(80.0), unit="N")
        for k, (one, other) in enumerate(zip(ends, held, strict=True))
    ]
    run = gw.simulate(
        mech,
        (gw.neutral(mech), np.full(mech.n, 0.5)),
        until=1.0,
        laws=laws,
        samples=20,
        integrator=gw.analysis.IntegratorOptions(rtol=1e-10),
    )
    assert np.abs(run["energy.balance"]).max() < 1e-8
    kinetic = gw.kinetic_energy(mech, run.q, run.v)
    stored = sum(
        0.5 * 80.0 * (np.linalg.norm(point(mech, run.q, *other) - one[1], axis=-1) - 1.5) ** 2
        for one, other in zip(ends, held, strict=True)
    )
    total = kinetic + gw.potential_energy(mech, run.q) + stored
    assert np.allclose(total, total[0], rtol=1e-8)
    assert np.ptp(stored) > 1.0


def point(mech, q, body, position):
    R, p = gw.placement(mech, q, body)
    return p + R @ np.array(position)


@pytest.mark.parametrize("restitution", [0.0, 0.6])
def test_a_stop_along_a_coordinate(restitution):
    """The speed along it comes back with the restitution, and nothing goes through."""
    stop = Stops("end", CORD, 0.5, np.inf, restitution=restitution, unit="N")
    run = gw.simulate(ARM, [0.1, 0.9, 0.4], until=0.8, laws=[stop], samples=2001)
    s = np.array([length(q) for q in run.q])
    assert s.min() > 0.5 - 1e-7
    hit = run.events[0].t
    before, after = (np.interp(hit + dt, run.t[1:], np.diff(s) / np.diff(run.t)) for dt in (-1e-3, 1.4e-3))
    assert before < -0.1
    assert after == pytest.approx(-restitution * before, abs=0.02 * abs(before))
    assert np.abs(run["energy.balance"]).max() < 1e-9


def test_what_rests_at_a_stop_keeps_the_length():
    """The hold along a coordinate needs its drift: without it a moving arm would leave the stop."""
    lean = displacement(ARM, (2, (0.1, 0.2, 0.3)), axis=(0.3, -0.2, 1.0), name="wall")
    at = float(lean.placed_in(SharedKinematics(ARM, [0.1, 0.9, 0.4], [0.0] * 3, FLOATS)).value)
    run = gw.simulate(ARM, [0.1, 0.9, 0.4], until=0.5, laws=[Stops("wall", lean, at, np.inf, unit="N")], samples=51)
    places = [float(lean.placed_in(SharedKinematics(ARM, q.tolist(), [0.0] * 3, FLOATS)).value) for q in run.q]
    held = np.array([mode == "lower" for mode in run.modes["wall"]])
    assert held.sum() > 5
    assert np.ptp(run.q[held], axis=0).max() > 0.01, "it slides along the wall"
    assert np.abs(np.array(places)[held] - at).max() < 1e-8
    assert np.abs(run["energy.balance"]).max() < 1e-9


def test_a_prescribed_coordinate_goes_where_it_is_led():
    first = length([0.1, 0.9, 0.4])
    led = IdealDrive.from_motion("led", CORD, lambda t: (first - 0.1 * t * t, -0.2 * t, -0.2), rate=20.0)
    run = gw.simulate(ARM, [0.1, 0.9, 0.4], until=0.8, laws=[led], samples=9)
    assert [length(q) for q in run.q] == pytest.approx(first - 0.1 * run.t**2, abs=1e-8)
    assert np.abs(run["energy.balance"]).max() < 1e-6


SHAKER = MovingFrame("shaker", lambda t, ops: (0.9, 0.1 * ops.sin(9.0 * t), 0.1 + 0.05 * t))


@pytest.mark.parametrize("kind", ["spring", "friction", "stop", "clutch", "backlash"])
def test_a_frame_that_moves_by_itself_brings_its_power(kind):
    """Explicit time: the energy that the frame brings through a law is in the books."""
    line = distance(ARM, SHAKER, (2, (0.1, 0.2, 0.3)), name="shaken")
    laws = {
        "spring": NonlinearSpring("x", ElementDeflection(line, 0.4), TorqueCurve(200.0), 3.0, unit="N"),
        "friction": DryFriction("x", line, unit="N", friction=Friction(coulomb=20.0)),
        "stop": Stops("x", line, 0.85, np.inf, restitution=0.5, unit="N"),
        "clutch": Clutch("x", line, normal_force=50.0, coefficients=[(0, 0.5)], unit="N"),
        "backlash": Backlash("x", ElementDeflection(line, 0.8), TorqueCurve(2000.0), 1.0, 0.1, unit="N"),
    }
    inputs = {"x.level": 1.0} if kind == "clutch" else None
    run = gw.simulate(ARM, [0.1, 0.9, 0.4], until=0.5, laws=[laws[kind]], inputs=inputs, samples=40)
    assert np.abs(run["energy.supplied"]).max() > 1e-3
    assert np.abs(run["energy.balance"]).max() < 1e-8
    assert not [remark for remark in run.remarks if "energy" in remark or "Python" in remark]


def test_demands_follow_laws_along_coordinates():
    """What a motion asks for, fed back, makes the motion."""
    laws = [
        NonlinearSpring("strut", ElementDeflection(CORD, 0.4), TorqueCurve(500.0), 1.0, unit="N"),
        DryFriction("rub", CORD, unit="N", friction=Friction(coulomb=5.0, viscous=3.0)),
    ]
    motion = polynomial([0.1, 0.5, 0.2], [0.6, 0.2, -0.4], duration=1.0)
    wanted = gw.demands(ARM, motion, laws=laws, samples=80)
    run = gw.simulate(ARM, [0.1, 0.5, 0.2], until=1.0, laws=laws, inputs=wanted.force_signals, samples=20)
    assert np.abs(run.q - motion.at(run.t)).max() < 1e-6


def test_demands_are_cut_where_a_coordinate_turns_round():
    """A crank goes through its dead centre: the friction of its slide changes its sign there, the joint does not."""
    mech = gw.Mechanism([gw.Body("crank", mass=1.0, com=(0.1, 0, 0), inertia=np.eye(3) * 0.1)], gravity=(0, 0, 0))
    slide = displacement(mech, ("crank", (0.5, 0.0, 0.0)), axis=(1, 0, 0), name="slide")
    rub = DryFriction("rub", slide, unit="N", friction=Friction(coulomb=5.0))
    motion = polynomial([-0.5], [0.9], duration=1.0)
    wanted = gw.demands(mech, motion, laws=[rub], samples=40)
    q = motion.at(wanted.t)[:, 0]
    twice = wanted.t[1:][np.diff(wanted.t) == 0]
    assert [abs(float(motion.at(t)[0])) < 1e-12 for t in twice] == [True]
    free = gw.demands(mech, motion, laws=[], samples=40)
    missing = wanted.tau[:, 0] - np.interp(wanted.t, free.t, free.tau[:, 0])
    moving = (np.abs(q) > 1e-6) & (wanted.t > 0) & (wanted.t < 1)
    expected = 0.5 * 5.0 * np.abs(np.sin(q))
    assert np.abs(missing[moving] - expected[moving]).max() < 0.05


def test_demands_of_a_cylinder_through_a_linkage():
    """Valve commands for a motion of the boom, with derivatives of the linkage's own motion, make the motion."""
    cylinder = servo_cylinder(
        BOOM, STRUT, replace(VALVE, rated_flow=4e-3), HydraulicCylinder(carried=0.0, **SIZES), name="lift"
    )
    motion = polynomial([0.3], [0.7], duration=1.5)
    wanted = gw.demands(BOOM, motion, laws=[], actuators=[cylinder], samples=200)
    assert wanted.excesses == ()
    run = gw.simulate(BOOM, wanted.start, until=1.5, laws=[cylinder], inputs=wanted.input_signals, samples=20)
    assert np.abs(run.q - motion.at(run.t)).max() < 1e-5


def test_rates_for_casadi_take_coordinates():
    law = NonlinearSpring("strut", ElementDeflection(CORD, 0.4), TorqueCurve(500.0), 1.0, unit="N")
    x = np.array([0.1, 0.5, 0.2, 0.3, -0.4, 0.5])
    found = np.array(gw.casadi_rates(ARM, laws=[law])(x, np.zeros(3))).ravel()
    here = evaluate_system(System(ARM, (law,)), 0.0, np.concatenate([x, [0.0, 0.0]]), np.zeros(3), ("on",))
    assert np.allclose(found[3:], here.a, atol=1e-11)
    moving = replace(law, twist=ElementDeflection(distance(ARM, SHAKER, (2, (0.1, 0.2, 0.3)))))
    with pytest.raises(GearwrightError, match="strut"):
        gw.casadi_rates(ARM, laws=[moving])


def test_a_coordinate_in_machine_code_is_the_one_in_numbers(monkeypatch):
    """What runs law by law differentiates in Python at first, in machine code once that pays."""
    monkeypatch.setattr(compiled_machine, "COMPILE_AFTER_CALLS", 1)
    q, v = np.random.default_rng(2).normal(size=(2, 3))
    for line in (CORD, distance(ARM, SHAKER, (2, (0.1, 0.2, 0.3)))):
        machine = CompiledMachine(ARM)
        here, plain = (
            line.placed_in(machine.kinematics_at(0.4, q, v)),
            line.placed_in(SharedKinematics(ARM, list(q), list(v), FLOATS, 0.4)),
        )
        assert machine.coordinates.differentials_at(line, 0.4, q, v) is not None
        assert np.allclose(dense_row(here.terms, 3), dense_row(plain.terms, 3), atol=1e-13)
        numbers = [here.position(q), here.time_rate, here.drift]
        assert numbers == pytest.approx([plain.position(q), plain.time_rate, plain.drift], abs=1e-12)


def test_fixed_steps_take_coordinates():
    """A batch in machine code converges to the adaptive run."""
    law = NonlinearSpring("strut", ElementDeflection(CORD, 0.4), TorqueCurve(500.0), 1.0, unit="N")
    exact = gw.simulate(
        ARM, [0.1, 0.5, 0.2], until=0.2, laws=[law], samples=2, integrator=gw.analysis.IntegratorOptions(rtol=1e-11)
    ).q[-1]
    errors = []
    for steps in (50, 100):
        start = [[0.1, 0.5, 0.2]] * 3
        end = gw.rollout(ARM, start, [0.0] * 3, steps=steps, step=0.2 / steps, laws=[law], method="rk4").q[-1]
        errors.append(float(np.abs(end - exact).max()))
    assert errors[1] < 1e-7
    assert errors[0] / errors[1] == pytest.approx(16, rel=0.3)


class TestWhatCannotBe:
    """A coordinate that has no direction where a run comes to."""

    SLIDE = gw.Mechanism([gw.Body("slide", joint="prismatic", axis=(1, 0, 0), mass=1.0)], gravity=(0, 0, 0))

    @pytest.mark.parametrize("kernels", ["on", "off"])
    def test_points_that_meet(self, kernels, monkeypatch):
        monkeypatch.setenv("GEARWRIGHT_KERNELS", kernels)
        law = NonlinearSpring(
            "cord", ElementDeflection(distance(self.SLIDE, "base", "slide")), TorqueCurve(10.0), unit="N"
        )
        with pytest.raises(SingularityError, match=r"'distance base to slide'.* t = \[?0\.0?\]? s, q = "):
            gw.simulate(self.SLIDE, [0.0], until=0.1, laws=[law])

    def test_a_hold_along_a_row_that_vanishes(self):
        mech = gw.Mechanism([gw.Body("crank", mass=1.0, com=(0.1, 0, 0), inertia=np.eye(3) * 0.1)])
        reach = displacement(mech, ("crank", (1.0, 0.0, 0.0)), axis=(1, 0, 0), name="reach")
        with pytest.raises(SimulationError, match="'reach'"):
            gw.simulate(mech, [0.0], until=0.1, laws=[IdealDrive("led", reach, lambda t, s, w: 1.0)])

    def test_what_needs_a_constant_row_says_so(self):
        with pytest.raises(GearwrightError, match="'strut'"):
            gw.actuation.complete_model(
                BOOM, [servo_cylinder(BOOM, STRUT, VALVE, HydraulicCylinder(**SIZES), name="lift")]
            )


def length(q):
    R, p = gw.placement(ARM, q, 2)
    return float(np.linalg.norm(p + R @ (0.1, 0.2, 0.3) - (0.9, 0.0, 0.1)))
