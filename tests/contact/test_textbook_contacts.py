"""Textbook cases of contact, in closed form: wheels, blocks, balls and chains of balls."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from contact.random_bodies import G, floors, planar_body


@pytest.mark.parametrize("half_angle", [0.004, 0.02])
def test_a_rimless_wheel_rolls_over_its_spokes(half_angle):
    """Each impact keeps 1 - m l^2 (1 - cos 2a) / (I + m l^2) of the speed, however close the spokes are.

    With half_angle 0.004 the next spoke lands with 0.8 mm/s, and the last one leaves as slowly.
    """
    radius, inertia, impacts = 0.1, 0.004, 6
    about_foot = inertia + radius**2
    angles = -np.pi / 2 + 2 * half_angle * np.arange(impacts + 3)
    wheel = planar_body([(radius * np.cos(a), radius * np.sin(a)) for a in angles], 1.0, inertia)
    height = radius * np.cos(half_angle)
    start = [0.0, height, half_angle], [height, radius * np.sin(half_angle), 1.0]
    until = (impacts + 0.5) * 2 * half_angle
    run = gw.simulate(wheel, start, until=until, laws=floors(len(angles), 0.0, 1.0), samples=21)
    assert [event.name for event in run.events if event.kind == "stick"] == [f"c{k + 1}" for k in range(impacts + 1)]
    kept = 1 - radius**2 * (1 - np.cos(2 * half_angle)) / about_foot
    energy = gw.kinetic_energy(wheel, run.q, run.v) + gw.potential_energy(wheel, run.q) - G * height
    located = impacts * 1e-9 * G  # impacts are located 1 nm behind the surface
    assert energy[-1] == pytest.approx(0.5 * about_foot * kept ** (2 * impacts), rel=1e-8, abs=1.1 * located)
    assert energy[0] == pytest.approx(0.5 * about_foot, rel=1e-12)


def test_a_swing_that_grazes_the_floor_meets_it():
    """A pendulum whose tip passes 10 micrometres below the floor for 20 ms, in runs with steps ten times as long."""
    length, swing, depth, until = 0.5, 0.6, 1e-5, 20.0
    arm = gw.Mechanism(
        [gw.Body("arm", joint="revolute", axis=(0, 1, 0), mass=1.0, com=(0, 0, -length), inertia=0.02 * np.eye(3))],
        gravity=(0, 0, -G),
        frames=[gw.BodyFrame("tip", "arm", position=(0, 0, -length))],
    )
    floor = gw.contact.Contact("tip", gw.contact.Plane((0, 0, depth - length), (0, 0, 1)), 1.0, name="floor")
    run = gw.simulate(arm, [swing], until=until, laws=[floor], samples=2001)
    assert run["floor.gap"].min() > -1e-8
    assert {event.name for event in run.events} == {"floor"}
    inside = np.arccos(1 - depth / length)
    assert np.abs(run.q[:, 0]).min() > 0.9 * inside  # it never passes through
    assert run.q[:, 0].min() > 0
    assert run.drift < 1e-6


@pytest.mark.parametrize(("slope", "rolls"), [(0.3, True), (0.75, False)])
@pytest.mark.parametrize("method", ["adaptive", "moreau"])
def test_a_disc_on_a_slope_rolls_or_slides(slope, rolls, method):
    """From rest: g sin(slope) 2 / 3 without slip where tan(slope) <= 3 mu, else g (sin(slope) - mu cos(slope))."""
    mass, radius, friction, until = 1.5, 0.2, 0.25, 0.5
    disc = planar_body([], mass, 0.5 * mass * radius**2)
    tilted = gw.Mechanism(disc.bodies, gravity=(G * np.sin(slope), 0, -G * np.cos(slope)))
    road = gw.contact.Contact.along_coordinate(
        "road",
        lambda c: c.coordinate("z") - radius,
        [gw.forces.Line.for_machine(tilted, {"x": 1.0, "body": -radius})],
        friction=friction,
    )
    run = gw.simulate(tilted, [0, radius, 0], until=until, laws=[road], samples=11, method=method)
    assert rolls == (np.tan(slope) <= 3 * friction)
    along = 2 / 3 * G * np.sin(slope) if rolls else G * (np.sin(slope) - friction * np.cos(slope))
    turning = along / radius if rolls else 2 * friction * G * np.cos(slope) / radius
    assert run.v[-1] == pytest.approx([along * until, 0, turning * until], rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("count", [3, 5])
def test_balls_in_a_row_hand_a_blow_on(count):
    """Equal balls 0.01 mm apart: the last one leaves with the speed of the first, the others rest."""
    gap, diameter, speed = 1e-5, 0.02, 1.0
    bodies = [gw.Body(f"b{k}", -1, "prismatic", (1, 0, 0), mass=0.3) for k in range(count)]
    row = gw.Mechanism(bodies, gravity=(0, 0, 0))

    def distance(k: int):
        return lambda c: c.coordinate(f"b{k + 1}") - c.coordinate(f"b{k}") - diameter

    laws = [gw.contact.Contact.along_coordinate(f"c{k}", distance(k), restitution=1.0) for k in range(count - 1)]
    start = np.arange(count) * (diameter + gap) - 0.01 * (np.arange(count) == 0)
    run = gw.simulate(row, (start, speed * (np.arange(count) == 0)), until=0.05, laws=laws, samples=11)
    assert run.v[-1] == pytest.approx([0.0] * (count - 1) + [speed], abs=1e-9)
    assert [event.name for event in run.events] == [law.name for law in laws]
    until_last = 0.01 + gap * (count - 1)
    assert run.events[-1].t == pytest.approx(until_last / speed, abs=1e-8)
