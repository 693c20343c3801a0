"""The 3-dof geared manipulator of Chen and Wang, its ratio rows written by hand."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from support.designs import revolution, steiner

D1, A2 = 0.5, 0.4
G14, G25, G76, G37 = -3.0, 2.0, -1.5, 2.5
STATES = {
    "A": [(0.3, -0.5, 0.8), (0.7, -0.4, 0.9), (1.2, 0.5, -0.8)],
    "B": [(0, 0, 0), (1, 1, 1), (0, 0, 0)],
    "C": [(-1.1, 0.9, -1.4), (-1.5, 0.8, 2), (-0.3, 2, 1)],
}
PRINTED = {  # Cv, Cs, g, G, xi
    "A": (
        (-0.08676912, -0.16800396, -0.05522994),
        (-0.00078982, -0.00138219, -0.00061431),
        (0, 16.88085245, 0.69577277),
        (0.6676516, 17.06427981, 0.61630834),
        (2.64888758, 8.61431435, -0.16434889),
    ),
    "B": (
        (0.367, 0.192, -0.192),
        (0.0025, -0.0025, 0.0025),
        (0, 18.4428, 0),
        (0.3695, 18.6323, -0.1895),
        (2.97379444, 9.29088333, 0.05053333),
    ),
    "C": (
        (0.29312818, 0.60611473, -0.09343692),
        (0.00248644, 0.00466207, -0.00186483),
        (0, 10.33546883, -1.12875949),
        (0.19951805, 11.87757474, -1.26551758),
        (1.85684455, 5.77005169, 0.33747136),
    ),
}
MV = [[0.59981381, 0.00815023, 0], [0.00815023, 0.80533237, 0.10966618], [0, 0.10966618, 0.0408]]
MS = [[0.022, 0.008, -0.00119856], [0.008, 0.019, -0.01125], [-0.00119856, -0.01125, 0.0484375]]
HALF_A_DIGIT = 5.1e-9


def lump(mass, com, tensor, *wheels):
    """The link with its wheels at rest: (mass, position, axis, axial, transverse)."""
    pieces = [(mass, np.array(com, float), np.array(tensor, float))]
    pieces += [(m, np.array(p, float), revolution(np.array(e, float), J, Jt)) for m, p, e, J, Jt in wheels]
    total = sum(m for m, _, _ in pieces)
    centre = sum(m * c for m, c, _ in pieces) / total
    return total, centre, sum(I + steiner(m, c - centre) for m, c, I in pieces)


def frames():
    """Frame i in Denavit-Hartenberg's sense: (a, alpha, d); the constant part Tz(d) Tx(a) Rx(alpha) after Rz(q)."""
    for a, alpha, d in ((0.0, np.pi / 2, D1), (A2, 0.0, 0.0), (0.0, np.pi / 2, 0.0)):
        c, s = np.cos(alpha), np.sin(alpha)
        yield np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), np.array([a, 0, d])


def machine() -> gw.Mechanism:
    """Links 1 to 3 as bodies, gears 4 to 7 as spins: q50 = theta1 + g25 theta2, q61 = theta2 + g76 g37 theta3, ..."""
    augmented = [
        lump(
            8,
            (0, -0.2, 0.03),
            [[0.12, 0, 0], [0, 0.05, 0.004], [0, 0.004, 0.12]],
            (0.7, (0, 0, -0.05), (0, 0, 1), 3e-3, 2e-3),
        ),
        lump(
            5,
            (-0.2, 0, 0.02),
            [[0.02, 0, 0.003], [0, 0.08, 0], [0.003, 0, 0.09]],
            (0.4, (-0.2, 0, 0), (1, 0, 0), 1e-3, 8e-4),
        ),
        lump(2, (0, 0, 0.12), np.diag([0.012, 0.012, 0.004])),
    ]
    bodies, before = [], (np.eye(3), np.zeros(3))
    for i, ((R, p), (mass, com, tensor)) in enumerate(zip(frames(), augmented, strict=True)):
        inertial = {"mass": mass, "com": R @ com + p, "inertia": R @ tensor @ R.T}
        bodies.append(gw.Body(f"link{i + 1}", i - 1, rotation=before[0], position=before[1], **inertial))
        before = (R, p)
    turn = [R for R, _ in frames()]
    x, z = np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    spins = [
        gw.Spin("4", "base", z, 2e-3, [G14, 0, 0]),
        gw.Spin("5", "base", z, 4e-3, [1, G25, 0]),
        gw.Spin("6", "link1", turn[0] @ z, 3e-3, [0, 1, G76 * G37]),
        gw.Spin("7", "link2", turn[1] @ x, 1e-3, [0, 0, G37]),
    ]
    driven = [gw.Actuator(s.name, s.ratio) for s in spins[:3]]
    return gw.Mechanism(bodies, spins, actuators=driven)


def without_wheels(mech: gw.Mechanism) -> gw.Mechanism:
    return gw.approximate(mech, "none")


@pytest.mark.parametrize("name", STATES)
def test_printed_digits(name):
    mech = machine()
    q, v, a = STATES[name]
    Cv, Cs, g, G, xi = (np.array(x, float) for x in PRINTED[name])
    links = gw.coriolis_matrix(without_wheels(mech), q, v) @ v
    assert links == pytest.approx(Cv, abs=HALF_A_DIGIT)
    assert gw.coriolis_matrix(mech, q, v) @ v - links == pytest.approx(Cs, abs=HALF_A_DIGIT)
    assert gw.gravity(mech, q) == pytest.approx(g, abs=HALF_A_DIGIT)
    total = gw.inverse_dynamics(mech, q, v, a)
    assert total == pytest.approx(G, abs=HALF_A_DIGIT)
    assert gw.actuator_torques(mech, total) == pytest.approx(xi, abs=HALF_A_DIGIT)


def test_mass_matrix_of_state_a():
    mech = machine()
    q = STATES["A"][0]
    Mv = gw.mass_matrix(without_wheels(mech), q)
    assert Mv == pytest.approx(np.array(MV), abs=HALF_A_DIGIT)
    assert gw.mass_matrix(mech, q) - Mv == pytest.approx(np.array(MS), abs=HALF_A_DIGIT)


def test_actuator_speeds_are_the_rows():
    v = np.array([0.7, -0.4, 0.9])
    expected = [G14 * 0.7, 0.7 + G25 * -0.4, -0.4 + G76 * G37 * 0.9]
    assert gw.actuator_speeds(machine(), v) == pytest.approx(expected)
