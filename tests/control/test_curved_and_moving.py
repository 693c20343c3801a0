"""Pressing on cylinders, spheres and surfaces that move by a law of time: force and motion are those wanted there, too.

All of them are touched where the pen of `support.pressing` is.
"""

from __future__ import annotations

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.contact import Constraint, Contact, Cylinder, MovingFrame, Plane, SoftContact, Sphere
from gearwright.motion import polynomial
from support.pressing import ARM, FINE, HERE, START

X, Y, Z = HERE.position
RADIUS, HEAVE, TILT, PACE = 0.15, 0.02, 0.2, 3.0
T = sympy.Symbol("t")
WAY = sympy.Rational(5, 2) * T**3  # of the pen, from rest, as an angle about an axis RADIUS below it


def heave(t, ops):
    return X, Y, Z + HEAVE * (1.0 - ops.cos(PACE * t))


def roll(t, ops):
    angle = TILT * (1.0 - ops.cos(PACE * t))
    c, s = ops.cos(angle), ops.sin(angle)
    return (c, 0.0, s), (0.0, 1.0, 0.0), (-s, 0.0, c)


LIFT = MovingFrame("lift", heave)
DECK = MovingFrame("deck", heave, roll)
RISE = HEAVE * (1 - sympy.cos(PACE * T))
SLOPE = sympy.tan(TILT * (1 - sympy.cos(PACE * T)))
ROUND, STRAIGHT, ASIDE = RADIUS * sympy.cos(WAY) - RADIUS, RADIUS * sympy.sin(WAY), RADIUS * WAY / 4
TUBE, BALL = Cylinder((X, 0, Z - RADIUS), (0, 1, 0), RADIUS), Sphere((X, Y, Z - RADIUS), RADIUS)
LOW_TUBE = Cylinder((0, 0, -RADIUS), (0, 1, 0), RADIUS)
SURFACES = {  # what is touched, relative to what, and the height of the pen above where it begins
    "cylinder": (TUBE, "base", ROUND),
    "sphere": (BALL, "base", sympy.sqrt(RADIUS**2 - STRAIGHT**2 - ASIDE**2) - RADIUS),
    "hollow": (Cylinder((X, 0, Z + RADIUS), (0, 1, 0), RADIUS, hollow=True), "base", -ROUND),
    "plane that heaves": (Plane(), LIFT, RISE),
    "plane that rolls": (Plane(), DECK, RISE - STRAIGHT * SLOPE),
    "cylinder that heaves": (LOW_TUBE, LIFT, RISE + ROUND),
}


def path(height):
    """The pen's place, velocity and acceleration as a function of time."""
    place = (X + STRAIGHT, Y + ASIDE, Z + height)
    found = [sympy.lambdify(T, [sympy.diff(x, (T, k)) for x in place], "math") for k in range(3)]
    return lambda t: tuple(np.array(f(t), dtype=float) for f in found)


@pytest.mark.parametrize("name", SURFACES)
def test_hybrid_control_presses_and_moves_at_once_on_any_surface(name):
    """F = F_ref and x = x_ref from the start on, on a rigid surface of any shape and motion."""
    surface, other, height = SURFACES[name]
    wanted, force = path(height), polynomial([10.0], [30.0], 0.5)
    desk = Contact("tool", surface, relative_to=other, name="t")
    control = gw.control.hybrid_control(ARM, desk, wanted, force, gains=gw.control.ForceGains(frequency=15.0))
    run = gw.simulate(ARM, START.q, until=0.5, laws=[desk], controller=control, samples=11, **FINE)
    np.testing.assert_allclose(run["t.force"][1:], force.at(run.t)[1:, 0], atol=1e-6)
    places = np.array([wanted(t)[0] for t in run.t])
    np.testing.assert_allclose(gw.placement(ARM, run.q, "tool").position, places, atol=1e-8)
    assert np.ptp(places[:, 0]) > 0.04


def test_held_axes_move_and_turn_with_their_frame():
    """A constraint relative to a deck that rolls: the force along the deck's axis, the pen where it is wanted on it."""
    pen = Constraint("pen", "tool", DECK, held=("z",))
    wanted = path(SURFACES["plane that rolls"][2])
    control = gw.control.hybrid_control(ARM, pen, wanted, 20.0, gains=gw.control.ForceGains(frequency=15.0))
    run = gw.simulate(ARM, START.q, until=0.5, laws=[pen], controller=control, samples=11, **FINE)
    np.testing.assert_allclose(run["pen.force.z"], 20.0, atol=1e-6)
    places = np.array([wanted(t)[0] for t in run.t])
    np.testing.assert_allclose(gw.placement(ARM, run.q, "tool").position, places, atol=1e-8)


def test_errors_round_a_cylinder_die_out_as_a_pendulum_swings():
    """What is missing is seen along the tangent: f'' + 2 w f' + w^2 sin f = 0 round it, linear along its axis."""
    w, angle = 12.0, 0.5
    desk = Contact("tool", TUBE, name="t")
    turned = [X + RADIUS * np.sin(angle), Y + 0.02, Z - RADIUS + RADIUS * np.cos(angle)]
    control = gw.control.hybrid_control(
        ARM, desk, (HERE.rotation, turned), 20.0, gains=gw.control.ForceGains(frequency=w)
    )
    run = gw.simulate(ARM, START.q, until=0.5, laws=[desk], controller=control, samples=11, **FINE)
    x, y, z = gw.placement(ARM, run.q, "tool").position.T
    swing = solve_ivp(
        lambda t, f: [f[1], -2 * w * f[1] - w * w * np.sin(f[0])], (0, 0.5), [-angle, 0.0], "DOP853", run.t,
        rtol=1e-11, atol=1e-13,
    )  # fmt: skip
    np.testing.assert_allclose(np.arctan2(x - X, z - Z + RADIUS) - angle, swing.y[0], atol=1e-8)
    np.testing.assert_allclose(y - Y - 0.02, -0.02 * (1 + w * run.t) * np.exp(-w * run.t), atol=1e-8)
    np.testing.assert_allclose(run["t.force"][1:], 20.0, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "damping"),
    [("cylinder", 0.0), ("sphere", 100.0), ("plane that rolls", 100.0), ("cylinder that heaves", 0.0)],
)
def test_a_force_on_a_surface_that_gives_way_comes_with_the_poles_stated(name, damping):
    """Second order on a massless spring, first order with a damper, on any shape and while the surface moves."""
    surface, other, height = SURFACES[name]
    depth, w, k = 5e-4, 40.0, 2e4
    mat = SoftContact("tool", surface, k, damping, relative_to=other, name="mat")
    inside = [X, Y, Z - depth]
    q = gw.inverse_kinematics(ARM, "tool", (None, inside), start=START.q).q
    begin = gw.State(q, None, {"mat.deformation": depth})
    control = gw.control.position_force(
        ARM, mat, path(height), 25.0, gains=gw.control.ForceGains(frequency=20.0, force_frequency=w)
    )
    run = gw.simulate(ARM, begin, until=0.3, laws=[mat], controller=control, samples=7, **FINE)
    shape = np.exp(-w * run.t) if damping else (1 + w * run.t) * np.exp(-w * run.t)
    np.testing.assert_allclose(run["mat.force"][1:] - 25.0, (k * depth - 25.0) * shape[1:], atol=2e-5)


def test_a_law_on_what_moves_asks_for_the_time():
    """As a kernel and as C it takes the time as a reference; where nothing moves it does not."""
    at = (HERE.rotation, HERE.position)
    still, moving = (Contact("tool", Plane(), relative_to=x, name="t") for x in ("base", LIFT))
    assert "time_ref" not in gw.control.hybrid_control(ARM, still, at, 1.0).law.references
    control = gw.control.hybrid_control(ARM, moving, at, 1.0)
    assert control.law.references["time_ref"] == ("t",)
    np.testing.assert_array_equal(control.references(np.array([0.0, 0.4]))["time_ref"], [[0.0], [0.4]])
