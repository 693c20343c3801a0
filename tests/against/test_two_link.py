"""The planar two-link arm: mass matrix, Jacobian row and approach speed of the contact example."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

Q, V = (0.6, 0.9), (-1.2, -0.8)


def arm() -> Robot:
    """Lengths .5, .4 in the x-y plane, gravity along -y."""
    upper = Link("upper", "base", Joint("q1"), 4, (0.25, 0, 0), np.diag([0.045, 0.09, 0.09]))
    fore = Link("fore", "upper", Joint("q2", position=(0.5, 0, 0)), 3, (0.2, 0, 0), np.diag([0.025, 0.05, 0.05]))
    drives = [
        Drive("q1", Motor(1e-4), Gear(100), "base", (0, 0, 1)),
        Drive("q2", Motor(8e-5, 0.5, position=(0.1, 0, 0)), Gear(80), "upper", (0, 0, 1)),
    ]
    return Robot("two_link", [upper, fore], drives, gravity=(0, -9.81, 0))


def test_mass_matrix_with_rotors():
    M = gw.mass_matrix(gw.assemble(arm()), Q)
    assert pytest.approx(np.array([[2.63804598, 0.36288299], [0.36288299, 0.682]]), abs=5.1e-9) == M


def test_mass_matrix_without_rotors():
    """Absent rotors leave no mass behind either: a different machine than approximate(..., "none")."""
    robot = arm()
    M = gw.mass_matrix(gw.assemble(replace(robot, drives=())), Q)
    assert pytest.approx(np.array([[1.63296598, 0.35648299], [0.35648299, 0.17]]), abs=5.1e-9) == M
    kept = gw.mass_matrix(gw.approximate(gw.assemble(robot), "none"), Q)
    assert kept[0, 0] - M[0, 0] == pytest.approx(0.5 * 0.1**2 + 8e-5, abs=1e-12)


def test_jacobian_of_the_tip():
    J = -gw.jacobian(gw.assemble(arm()), Q, "fore", (0.4, 0, 0))[0]  # s = x_wall - x_tip
    assert pytest.approx([0.68131923, 0.39899799], abs=5.1e-9) == J
    assert pytest.approx(-1.13678147, abs=5.1e-9) == J @ V


def test_holding_torque():
    """tau = g(q) + (-5, -2)."""
    g = gw.gravity(gw.assemble(arm()), Q)
    assert g == pytest.approx([16.06254224 + 5, -1.58364083 + 2], abs=1.1e-8)
