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
