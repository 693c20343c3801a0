"""Friction on spheres and cylinders: Coulomb's cone in the tangential plane, wherever the point is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import gearwright as gw
from gearwright.contact import Contact, Cylinder, MovingFrame, Sphere

G, R = 9.81, 0.5


def point(gravity=(0, 0, -G)) -> gw.Mechanism:
    """A point of 2 kg that moves along x, y and z."""
    axes = np.eye(3)
    return gw.Mechanism(
        [gw.Body(name, k - 1, "prismatic", axes[k], mass=2.0 * (k == 2)) for k, name in enumerate("xyz")],
        gravity=gravity,
    )


def ring(mu: float, angle: float, omega: float, until: float) -> tuple[float, float]:
    """Angle from the lowest point and its rate in a vertical ring with friction, by its own equation."""

    def rates(t, y):
        pressure = R * y[1] ** 2 + G * np.cos(y[0])
        return [y[1], -G / R * np.sin(y[0]) - mu * pressure / R * np.sign(y[1])]

    return solve_ivp(rates, (0, until), [angle, omega], rtol=1e-11, atol=1e-12).y[:, -1]


@pytest.mark.parametrize(
    "surface", [Cylinder((0, 0, 0), (0, 1, 0), R, hollow=True), Sphere((0, 0, 0), R, hollow=True)], ids=["pipe", "bowl"]
)
def test_a_point_slides_down_a_bowl_as_in_a_ring(surface):
    """From the side down through the pole, where the sphere's tangents are counted about another axis."""
    law, start = Contact("z", surface, friction=0.2, name="bowl"), (np.array([R, 0, 0.0]), np.array([0, 0, -1.0]))
    run = gw.simulate(point(), start, until=0.35, laws=[law], samples=15, method="adaptive")
    angle, rate = ring(0.2, np.pi / 2, -1.0 / R, 0.35)
    assert run.q[-1] == pytest.approx([R * np.sin(angle), 0, -R * np.cos(angle)], abs=1e-6)
    assert np.linalg.norm(run.v[-1]) == pytest.approx(R * abs(rate), abs=1e-5)
    felt = np.hypot(run["bowl.force_1"], run["bowl.force_2"])[1:-1]
    assert felt == pytest.approx(0.2 * run["bowl.force"][1:-1], rel=1e-6)
    assert run.drift < 1e-7


@pytest.mark.parametrize(("lean", "mode"), [(0.55, "stick"), (0.65, "slide")])
def test_it_sticks_up_to_the_angle_of_friction(lean, mode):
    """On a ball, at an angle from the top whose tangent is below or above the coefficient, in any direction."""
    way = np.array([np.cos(2.0), np.sin(2.0)]) * np.sin(np.arctan(lean))
    start = R * np.array([*way, np.cos(np.arctan(lean))])
    law = Contact("z", Sphere((0, 0, 0), R), friction=0.6, name="ball")
    run = gw.simulate(point(), start, until=0.05, laws=[law], samples=3, method="adaptive")
    assert run.modes["ball"][-1] == mode
    moved = np.linalg.norm(run.q[-1] - start)
    assert moved < 1e-9 if mode == "stick" else moved > 1e-5


def test_the_cone_does_not_know_how_tangents_are_counted():
    """Thrown over a ball in two directions that a turn about the vertical makes equal."""
    ends = []
    for turn in (0.0, 2.1):
        c, s = np.cos(turn), np.sin(turn)
        Z = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        start, speed = Z @ (R * np.array([0.3, 0, np.sqrt(0.91)])), Z @ [0.0, 0.8, 0.0]
        law = Contact("z", Sphere((0, 0, 0), R), friction=0.4, name="ball")
        run = gw.simulate(point(), (start, speed), until=0.15, laws=[law], samples=4, method="adaptive")
        ends.append(Z.T @ run.q[-1])
    assert ends[0] == pytest.approx(ends[1], abs=1e-8)


def test_a_drum_that_turns_carries_along():
    """A point that lies on a drum starts to move with it: friction acts against the relative speed."""
    drum = MovingFrame(
        "drum",
        lambda t, ops: (0.0, 0.0, 0.0),
        lambda t, ops: (
            (ops.cos(0.4 * t), 0.0, ops.sin(0.4 * t)), (0.0, 1.0, 0.0), (-ops.sin(0.4 * t), 0.0, ops.cos(0.4 * t))
        ),
    )  # fmt: skip
    law = Contact("z", Cylinder((0, 0, 0), (0, 1, 0), R), friction=0.5, relative_to=drum, name="drum")
    run = gw.simulate(point(), [0.0, 0.0, R], until=0.2, laws=[law], samples=5, method="adaptive")
    assert run.modes["drum"][-1] == "stick"
    assert run.v[-1, 0] == pytest.approx(0.4 * R * np.cos(np.arctan2(run.q[-1, 0], run.q[-1, 2])), rel=1e-6)
    assert run.drift < 1e-7


def test_a_rough_impact_on_a_ball():
    """It strikes obliquely: the impulse lies in the cone, and energy is lost."""
    law = Contact("z", Sphere((0, 0, 0), R), restitution=0.5, friction=0.1, name="ball")
    run = gw.simulate(
        point((0, 0, 0)), ([0.1, 0, 0.7], [0.0, 0.5, -2.0]), until=0.3, laws=[law], samples=4, method="adaptive"
    )
    n = np.array([0.1, 0.5 * run.events[0].t, 0.7 - 2.0 * run.events[0].t])
    n /= np.linalg.norm(n)
    change = run.v[-1] - [0.0, 0.5, -2.0]
    assert change @ n == pytest.approx(-1.5 * (n @ [0.0, 0.5, -2.0]), rel=1e-6)
    assert np.linalg.norm(change - (change @ n) * n) == pytest.approx(0.1 * (change @ n), rel=1e-6)
