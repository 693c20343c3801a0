"""Control in contact: force where it is held, motion where it is free, and errors that die out as stated."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, Contact, ForceSensor, Plane, SoftContact, fixed_frame, project, with_wall
from gearwright.control import KnownEnvironment
from gearwright.motion import polynomial
from support.pressing import ARM, DESK, FINE, HERE, PEN, START


def circle(t, radius=0.04, w=4.0):
    """The tool along a circle on the desk that begins at rest: the angle grows as (w t)^3 / (1 + (w t)^2)."""
    x = w * t
    s = np.array(
        [x**3 / (1 + x**2), w * x**2 * (3 + x**2) / (1 + x**2) ** 2, w**2 * 2 * x * (3 - x**2) / (1 + x**2) ** 3]
    )
    c, n = np.cos(s[0]), np.sin(s[0])
    at = np.array([n, 1 - c, 0.0]) * radius
    along, inward = np.array([c, n, 0.0]) * radius, np.array([-n, c, 0.0]) * radius
    return HERE.position + at, along * s[1], along * s[2] + inward * s[1] ** 2


def test_hybrid_control_presses_and_moves_at_once():
    """On a rigid desk both the force and the motion along the desk are those wanted, from the start on."""
    force = polynomial([5.0], [30.0], 0.5)
    control = gw.control.hybrid_control(ARM, PEN, circle, force, gains=gw.control.ForceGains(frequency=15.0))
    run = gw.simulate(ARM, START, until=0.6, laws=[PEN], controller=control, samples=31, **FINE)
    np.testing.assert_allclose(run["pen.force.z"], force.at(run.t)[:, 0], atol=1e-6)
    wanted = np.array([circle(t)[0] for t in run.t])
    np.testing.assert_allclose(gw.placement(ARM, run.q, "tool").position, wanted, atol=1e-8)


def test_errors_along_the_desk_die_out_whatever_the_force():
    """e'' + 2 w e' + w^2 e = 0 along the surface, from 2 cm off, while the force rises."""
    wanted = HERE.position + np.array([0.02, -0.01, 0.0])
    control = gw.control.hybrid_control(
        ARM, PEN, (HERE.rotation, wanted), polynomial([0.0], [40.0], 0.3), gains=gw.control.ForceGains(frequency=12.0)
    )
    run = gw.simulate(ARM, START, until=0.5, laws=[PEN], controller=control, samples=26, **FINE)
    error = gw.placement(ARM, run.q, "tool").position[:, :2] - wanted[:2]
    t = run.t[:, None]
    np.testing.assert_allclose(error, error[0] * (1 + 12 * t) * np.exp(-12 * t), atol=1e-8)


def test_a_measured_force_is_brought_back_with_the_poles_stated():
    """Something pushes the tool with 12 N; T e'' + e' + k e = 0 from e = 12, e' = -k * 0, brings the force back."""
    T, k = 5e-3, 40.0
    pen = ForceSensor(PEN, T)
    control = gw.control.hybrid_control(
        ARM, pen, (HERE.rotation, HERE.position), 20.0, gains=gw.control.ForceGains(frequency=30.0, integral=k)
    )
    push = gw.jacobian(ARM, START.q, "tool")[2] * -12.0
    begin = gw.State(START.q, START.v, {"pen.force.z.measured": 20.0})
    inputs = {f"tau.{name}": x for name, x in zip(ARM.speeds, push, strict=True)}
    run = gw.simulate(ARM, begin, until=0.2, laws=[pen], controller=control, inputs=inputs, samples=41, **FINE)
    a, b = np.roots([T, 1.0, k])
    # F = 20 + I + 12 with I' = k (20 - m), T m' = F - m: from e = 12, e' = 0
    expected = 12.0 * (a * np.exp(b * run.t) - b * np.exp(a * run.t)) / (a - b)
    np.testing.assert_allclose(run["pen.force.z"] - 20.0, expected, atol=1e-5)


def test_a_force_that_a_wrong_model_misses_is_found_by_a_sensor():
    """A payload that the controller does not know: without a sensor 3 N are missing, with it less than 0.02 N."""
    loaded = gw.assemble(gw.load("elbow").with_payload(0.8, (0.0, 0.0, 0.0)))
    pen, at = ForceSensor(PEN), (HERE.rotation, HERE.position)
    errors = {}
    for word, integral in (("blind", 0.0), ("measured", 30.0)):
        control = gw.control.hybrid_control(
            ARM, pen, at, 20.0, gains=gw.control.ForceGains(frequency=20.0, integral=integral)
        )
        run = gw.simulate(loaded, START, until=0.6, laws=[pen], controller=control, samples=7)
        errors[word] = abs(run["pen.force.z"][-1] - 20.0)
    assert errors["blind"] > 3.0
    assert errors["measured"] < 0.02


SOFT = {
    "spring": (SoftContact("tool", DESK, 2e4, name="mat"), None),
    "hertz": (SoftContact("tool", DESK, 2e6, exponent=1.5, name="mat"), None),
    "damped": (SoftContact("tool", DESK, 2e4, 100.0, name="mat"), None),
}


@pytest.mark.parametrize("name", SOFT)
def test_a_force_on_what_gives_way_comes_with_the_poles_stated(name):
    """From a small force to 25 N: second order on a massless spring, linear or not, first order with a damper."""
    law, _ = SOFT[name]
    depth = 5e-4
    q = project(ARM, START.q, [Constraint("at", "tool", fixed_frame("in", (0, 0, 0.1 - depth)), held=("z",))]).q
    at = gw.placement(ARM, q, "tool")
    control = gw.control.position_force(
        ARM, law, (at.rotation, at.position), 25.0, gains=gw.control.ForceGains(frequency=20.0, force_frequency=40.0)
    )
    begin = gw.State(q, None, {"mat.deformation": depth})
    run = gw.simulate(ARM, begin, until=0.25, laws=[law], controller=control, samples=26, **FINE)
    error, t, w = run["mat.force"] - 25.0, run.t, 40.0
    shape = np.exp(-w * t) if name == "damped" else (1 + w * t) * np.exp(-w * t)
    first = law.stiffness * depth**law.exponent - 25.0
    np.testing.assert_allclose(error[1:], first * shape[1:], atol=2e-5)
    np.testing.assert_allclose(
        gw.placement(ARM, run.q, "tool").position[:, :2], np.tile(at.position[:2], (26, 1)), atol=1e-8
    )


def test_a_surface_is_found_and_pressed_and_a_wrong_stiffness_is_made_good():
    """From 5 mm above, with a stiffness 40 % too small in the law: the integral of what the momentum shows corrects."""
    mat = SoftContact("tool", DESK, 2e4, 60.0, name="mat")
    above = project(ARM, START.q, [Constraint("up", "tool", fixed_frame("up", (0, 0, 0.105)), held=("z",))]).q
    at = gw.placement(ARM, above, "tool")
    last = {}
    for integral in (0.0, 15.0):
        control = gw.control.position_force(
            ARM,
            mat,
            (at.rotation, at.position),
            25.0,
            gains=gw.control.ForceGains(frequency=20.0, approach=0.05, integral=integral, observer=200.0),
            environment=KnownEnvironment(1.2e4, 60.0),
        )
        run = gw.simulate(ARM, above, until=0.9, laws=[mat], controller=control, samples=10)
        assert run.events[0].kind == "press"
        last[integral] = abs(run["mat.force"][-1] - 25.0)
    assert last[0.0] > 5.0
    assert last[15.0] < 0.05


@pytest.mark.parametrize("nonlinear", [False, True])
def test_an_environment_with_mass_gets_its_force_at_once(nonlinear):
    """The arm holds on to a block on a spring, (20.92) to (20.94): it presses as wanted while both swing in."""
    m, k, d = 3.0, 4e3, 60.0
    robot = gw.load("elbow")
    walled = gw.assemble(with_wall(robot, "block", DESK, m, k, d, weight=nonlinear))
    laws = [Contact("tool", Plane(), relative_to="block", name="touch")]
    if nonlinear:  # the law knows the weight of the block and states the force as a function
        known = KnownEnvironment(mass=m, force=lambda depth, rate, ops: k * depth + d * rate - m * 9.81)
    else:  # supported at rest, the three numbers are all
        known = KnownEnvironment(k, d, m)
    plan = gw.control.position_force(
        ARM,
        Contact("tool", DESK),
        (HERE.rotation, HERE.position),
        25.0,
        gains=gw.control.ForceGains(frequency=20.0),
        environment=known,
    )
    control = gw.control.in_larger_machine(plan, walled)
    depth = 1e-3
    q = project(ARM, START.q, [Constraint("at", "tool", fixed_frame("in", (0, 0, 0.1 - depth)), held=("z",))]).q
    run = gw.simulate(walled, [*q, -depth], until=0.4, laws=laws, controller=control, samples=21, **FINE)
    assert not [event for event in run.events if event.kind == "free"]
    np.testing.assert_allclose(run["touch.force"], 25.0, atol=1e-5)
    assert np.ptp(run["q.block"]) > 1e-3


def test_a_nonlinear_surface_without_mass():
    """After Hunt and Crossley: F = k d^1.5 (1 + c d'), stated as a function, gets the pole that is stated."""
    k, c = 2e6, 0.8
    known = KnownEnvironment(force=lambda depth, rate, ops: k * depth * ops.sqrt(depth) * (1.0 + c * rate))
    assert known.force_order == 1
    law = gw.control.position_force(
        ARM,
        Contact("tool", DESK),
        (HERE.rotation, HERE.position),
        25.0,
        environment=known,
        gains=gw.control.ForceGains(force_frequency=40.0),
    ).law
    s, pace, w = 8e-4, 0.01, 40.0
    force = known.resistance_force(s, pace, gw.algebra.operations.FLOATS)
    asked, felt = law._compliant_command(known, s, pace, [25.0, 0.0], gw.algebra.operations.FLOATS)
    step = 1e-8  # F at t + step along the motion that is asked for, less F now, is the rate that is stated
    later = known.resistance_force(
        s + step * pace + 0.5 * step**2 * asked, pace + step * asked, gw.algebra.operations.FLOATS
    )
    assert felt == pytest.approx(force)
    assert (later - force) / step == pytest.approx(w * (25.0 - force), rel=1e-4)


def test_a_peg_in_a_hole_is_pushed_in_without_a_load_on_its_sides():
    """Four of six coordinates are held: forces and torques there stay as wanted while the peg slides and turns."""
    puma = gw.assemble(gw.load("puma560"))
    q = np.array([0.3, -0.5, 0.8, 0.4, 0.6, -0.3])
    hand = puma.bodies[-1].name
    rotation, position = gw.placement(puma, q, hand)
    peg = Constraint("peg", hand, fixed_frame("hole", position, rotation), held=("x", "y", "rx", "ry"))
    pushed = (rotation, position + 0.01 * rotation[:, 2])
    loads = [3.0, -2.0, 0.1, 0.0]
    control = gw.control.hybrid_control(
        puma, peg, pushed, loads, gains=gw.control.ForceGains(frequency=25.0), orientation=True
    )
    run = gw.simulate(puma, q, until=0.5, laws=[peg], controller=control, samples=11, **FINE)
    for word, load in zip(("force.x", "force.y", "torque.rx", "torque.ry"), loads, strict=True):
        np.testing.assert_allclose(run[f"peg.{word}"], load, atol=1e-5)
    np.testing.assert_allclose(run["peg.z"], 0.01 * (1 - (1 + 25 * run.t) * np.exp(-25 * run.t)), atol=1e-7)


def frame_acceleration(run):
    """Acceleration and velocity of the tool along a run."""
    J, rate = gw.jacobian(ARM, run.q, "tool")[:, :3], gw.jacobian_rate(ARM, run.q, run.v, "tool")[:, :3]
    twist = np.einsum("tij,tj->ti", J, run.v)
    return np.einsum("tij,tj->ti", J, run.a) + np.einsum("tij,tj->ti", rate, run.v), twist, J


@pytest.mark.parametrize("soft", [False, True])
def test_the_impedance_holds_in_contact(soft):
    """L x'' = K e + D e' + F at every sample, on a rigid and on a soft surface, and K e = -F at rest."""
    law = SoftContact("tool", DESK, 2e4, 50.0, name="t") if soft else Contact("tool", DESK, name="t")
    target = HERE.position + np.array([0.01, 0.0, -0.02])
    K, D = np.array([2000.0, 1500.0, 1200.0]), np.array([300.0, 300.0, 300.0])
    control = gw.control.impedance(ARM, "tool", (HERE.rotation, target), K, D, orientation=False)
    above = project(ARM, START.q, [Constraint("up", "tool", fixed_frame("up", (0, 0, 0.102)), held=("z",))]).q
    run = gw.simulate(ARM, above, until=3.0, laws=[law], controller=control, samples=151)
    acceleration, twist, J = frame_acceleration(run)
    inertia = np.linalg.inv(J @ np.linalg.solve(gw.mass_matrix(ARM, run.q), np.swapaxes(J, 1, 2)))
    felt = np.zeros((len(run.t), 3))
    felt[:, 2] = run["t.force"]
    lag = target - gw.placement(ARM, run.q, "tool").position
    found = np.einsum("tij,tj->ti", inertia, acceleration)
    np.testing.assert_allclose(found, K * lag - D * twist + felt, atol=1e-6)
    assert run["t.force"][-1] == pytest.approx(-K[2] * lag[-1, 2], abs=0.02)
    assert run["t.force"][-1] > 20.0


def test_admittance_shows_the_mass_that_is_stated():
    """On a rigid desk F (1/k + 1/(L w^2)) is how far it is kept out; in the air a push moves it as the mass stated."""
    m, d, k = 6.0, 150.0, 900.0
    target = gw.control.TargetAdmittance(mass=m, damping=d, stiffness=k)
    at = (HERE.rotation, HERE.position - np.array([0.0, 0.0, 0.02]))
    control = gw.control.admittance(
        ARM, "tool", at, target, gains=gw.control.AdmittanceGains(frequency=40.0, observer=300.0)
    )
    # states start where the reference is met: it has given way by the 2 cm that the desk keeps it out
    begin = gw.State(START.q, None, {"give.z": 0.02})
    desk = Contact("tool", DESK, name="t")
    run = gw.simulate(ARM, begin, until=1.2, laws=[desk], controller=control, samples=61)
    J = gw.jacobian(ARM, run.q[-1], "tool")[2]
    give = J @ np.linalg.solve(gw.mass_matrix(ARM, run.q[-1]), J) / 40.0**2  # of the position control, in series
    assert run["t.force"][-1] * (1 / k + give) == pytest.approx(0.02, rel=1e-4)
    assert control.signals(run)["tool.force.z"][-1] == pytest.approx(run["t.force"][-1], rel=1e-3)
    pushed = gw.control.admittance(
        ARM,
        "tool",
        (HERE.rotation, HERE.position),
        target,
        gains=gw.control.AdmittanceGains(frequency=60.0, observer=400.0),
    )
    tau = gw.jacobian(ARM, START.q, "tool")[2] * 6.0
    inputs = {f"tau.{name}": x for name, x in zip(ARM.speeds, tau, strict=True)}
    run = gw.simulate(ARM, START.q, until=1.2, controller=pushed, inputs=inputs, samples=61)
    lift = gw.placement(ARM, run.q, "tool").position[:, 2] - HERE.position[2]
    a, b = np.roots([m, d, k])
    expected = 6.0 / k * (1 - (a * np.exp(b * run.t) - b * np.exp(a * run.t)) / (a - b))
    np.testing.assert_allclose(lift, expected.real, atol=2.5e-4)  # of 6.7 mm; observer and loop lag by some ms
