"""Control in contact: force where it is held, motion where it is free, and errors that die out as stated."""

from __future__ import annotations

import shutil
from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import Constraint, Contact, Measured, Plane, SoftContact, fixed_frame, project, with_wall
from gearwright.control import Environment
from gearwright.errors import InputError
from gearwright.motion import polynomial
from support.controllers_in_c import decides_alike

ARM = gw.assemble(gw.load("elbow"))
DESK = Plane((0.0, 0.0, 0.1), (0, 0, 1))
PEN = Constraint("pen", "tool", fixed_frame("desk", (0, 0, 0.1)), held=("z",))
START = project(ARM, [0.3, -0.3, 0.9], [PEN])
HERE = gw.placement(ARM, START.q, "tool")
FINE = {"method": "adaptive", "rtol": 1e-10, "atol": 1e-12}


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
    """On a rigid desk the force is the one wanted and the motion along the desk is the one wanted, from the start on."""
    force = polynomial([5.0], [30.0], 0.5)
    control = gw.control.hybrid(ARM, PEN, circle, force, 15.0)
    run = gw.simulate(ARM, START, until=0.6, laws=[PEN], controller=control, samples=31, **FINE)
    np.testing.assert_allclose(run["pen.force.z"], force.at(run.t)[:, 0], atol=1e-6)
    wanted = np.array([circle(t)[0] for t in run.t])
    np.testing.assert_allclose(gw.placement(ARM, run.q, "tool").position, wanted, atol=1e-8)


def test_errors_along_the_desk_die_out_whatever_the_force():
    """e'' + 2 w e' + w^2 e = 0 along the surface, from 2 cm off, while the force rises."""
    wanted = HERE.position + np.array([0.02, -0.01, 0.0])
    control = gw.control.hybrid(ARM, PEN, (HERE.rotation, wanted), polynomial([0.0], [40.0], 0.3), 12.0)
    run = gw.simulate(ARM, START, until=0.5, laws=[PEN], controller=control, samples=26, **FINE)
    error = gw.placement(ARM, run.q, "tool").position[:, :2] - wanted[:2]
    t = run.t[:, None]
    np.testing.assert_allclose(error, error[0] * (1 + 12 * t) * np.exp(-12 * t), atol=1e-8)


def test_a_measured_force_is_brought_back_with_the_poles_stated():
    """Something pushes the tool with 12 N; T e'' + e' + k e = 0 from e = 12, e' = -k * 0, brings the force back."""
    T, k = 5e-3, 40.0
    pen = Measured(PEN, T)
    control = gw.control.hybrid(ARM, pen, (HERE.rotation, HERE.position), 20.0, 30.0, integral=k)
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
    pen, at = Measured(PEN), (HERE.rotation, HERE.position)
    errors = {}
    for word, integral in (("blind", 0.0), ("measured", 30.0)):
        control = gw.control.hybrid(ARM, pen, at, 20.0, 20.0, integral=integral)
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
    control = gw.control.position_force(ARM, law, (at.rotation, at.position), 25.0, 20.0, force_frequency=40.0)
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
            20.0,
            environment=Environment(1.2e4, 60.0),
            approach=0.05,
            integral=integral,
            observer=200.0,
        )
        run = gw.simulate(ARM, above, until=0.9, laws=[mat], controller=control, samples=10)
        assert run.events[0].what == "press"
        last[integral] = abs(run["mat.force"][-1] - 25.0)
    assert last[0.0] > 5.0
    assert last[15.0] < 0.05


@pytest.mark.parametrize("nonlinear", [False, True])
def test_an_environment_with_mass_gets_its_force_at_once(nonlinear):
    """The arm holds on to a block on a spring, (20.92) to (20.94): it presses as wanted while both swing in."""
    m, k, d = 3.0, 4e3, 60.0
    robot = gw.load("elbow")
    walled = gw.assemble(with_wall(robot, "block", DESK, m, k, d))
    laws = [Contact("tool", Plane(), relative_to="block", name="touch")]
    if nonlinear:  # the law knows the weight of the block and states the force as a function
        arm, known = ARM, Environment(mass=m, force=lambda depth, rate, ops: k * depth + d * rate - m * 9.81)
    else:  # without gravity the three numbers are all
        walled, arm = (replace(mech, gravity=(0.0, 0.0, 0.0)) for mech in (walled, ARM))
        known = Environment(k, d, m)
    plan = gw.control.position_force(
        arm, Contact("tool", DESK), (HERE.rotation, HERE.position), 25.0, 20.0, environment=known
    )
    control = gw.control.within(plan, walled)
    depth = 1e-3
    q = project(ARM, START.q, [Constraint("at", "tool", fixed_frame("in", (0, 0, 0.1 - depth)), held=("z",))]).q
    run = gw.simulate(walled, [*q, -depth], until=0.4, laws=laws, controller=control, samples=21, **FINE)
    assert not [event for event in run.events if event.what == "free"]
    np.testing.assert_allclose(run["touch.force"], 25.0, atol=1e-5)
    assert np.ptp(run["q.block"]) > 1e-3
