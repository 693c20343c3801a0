"""The elbow arm of Sciavicco, Siciliano and Villani and its elastic two-joint part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import gearwright as gw
from gearwright.parts import Drive, Gear, Joint, Link, Motor, Robot

# The data are given in Denavit-Hartenberg frames, which sit at the far end of a link: A_i = Rz(q) Tx(a) Rx(alpha).
# A body frame of ours sits on the joint, so every vector goes through the constant part.
TWISTS = [(0.0, np.pi / 2), (0.4, 0.0), (0.35, 0.0)]  # a, alpha
LINKS = [  # mass, centre of mass, central inertia, frame i
    (6, (0, -0.05, 0), (0.05, 0.03, 0.05)),
    (5, (-0.2, 0, 0), (0.01, 0.09, 0.09)),
    (3, (-0.2, 0, 0), (0.006, 0.03, 0.03)),
]
ROTORS = [  # axial, transverse, mass, ratio, frame, axis, position
    (5e-4, 4e-4, 0.9, 120, 0, (0, 0, 1), (0, 0, 0)),
    (3e-4, 2.5e-4, 0.8, 100, 1, (0, 1, 0), (0, -0.1, 0)),
    (2e-4, 1.5e-4, 0.5, 80, 2, (1, 0, 0), (-0.35, 0, 0)),
]
STATES = {
    "A": [(0.3, -0.5, 0.8), (0.7, -0.4, 0.9), (1.2, 0.5, -0.8)],
    "B": [(0, 0, 0), (1, 1, 1), (0, 0, 0)],
    "C": [(-1.1, 0.9, -1.4), (-1.5, 0.8, 2), (-0.3, 2, 1)],
}
PRINTED = {  # B, H, g, tau
    "A": (
        [[8.21806735, 0.03, -0.00767081], [0.03, 4.11971442, 0.22290721], [-0.00767081, 0.22290721, 1.3775]],
        [
            [-0.19733956, 0.23745295, -0.05356821],
            [-0.23745295, -0.11621169, -0.06947651],
            [0.04795168, -0.04673518, 0],
        ],
        [0, 23.37254691, 4.21733293],
        [9.60148721, 25.10781709, 3.26984181],
    ),
    "B": (
        [[8.4592, 0.03, 0], [0.03, 4.2289, 0.2775], [0, 0.2775, 1.3775]],
        [[0, 0.008, 0.008], [-0.008, 0, -0.008], [0.008, 0.008, 0]],
        [0, 26.24175, 4.4145],
        [0.016, 26.22575, 4.4305],
    ),
    "C": (
        [[7.80748078, 0.03, 0.01253323], [0.03, 3.93008817, 0.12809409], [0.01253323, 0.12809409, 1.3775]],
        [[-0.13751529, 0.61331238, -0.13423188], [-0.61331238, 0.3547619, 0.50412598], [0.14218849, -0.14936408, 0]],
        [0, 17.4421244, 3.87408822],
        [-1.84125193, 27.63342488, 5.17124243],
    ),
}
HALF_A_DIGIT = 5.1e-9


def constant_part(frame: int) -> tuple[np.ndarray, np.ndarray]:
    if frame == 0:
        return np.eye(3), np.zeros(3)
    a, alpha = TWISTS[frame - 1]
    c, s = np.cos(alpha), np.sin(alpha)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]]), np.array([a, 0, 0])


def elbow(joints: int = 3, stiffness: tuple[float, ...] = ()) -> Robot:
    links, drives = [], []
    for i in range(joints):
        (R0, p0), (R, p) = constant_part(i), constant_part(i + 1)
        mass, com, inertia = LINKS[i]
        joint = Joint(f"j{i + 1}", rotation=R0, position=p0)
        parent = "base" if i == 0 else f"l{i}"
        links.append(Link(f"l{i + 1}", parent, joint, mass, R @ com + p, R @ np.diag(inertia) @ R.T))
        axial, across, heavy, ratio, frame, axis, place = ROTORS[i]
        R, p = constant_part(frame)
        gear = Gear(ratio, stiffness=stiffness[i] if stiffness else None)
        mount = "base" if frame == 0 else f"l{frame}"
        drives.append(Drive(f"j{i + 1}", Motor(axial, heavy, across, R @ place + p), gear, mount, R @ axis))
    return Robot("elbow", links, drives)


@pytest.mark.parametrize("name", STATES)
def test_printed_digits(name):
    mech = gw.assemble(elbow())
    q, v, a = STATES[name]
    B, H, g, tau = (np.array(x, float) for x in PRINTED[name])
    assert gw.mass_matrix(mech, q) == pytest.approx(B, abs=HALF_A_DIGIT)
    assert gw.coriolis_matrix(mech, q, v) == pytest.approx(H, abs=HALF_A_DIGIT)
    assert gw.gravity(mech, q) == pytest.approx(g, abs=HALF_A_DIGIT)
    assert gw.inverse_dynamics(mech, q, v, a) == pytest.approx(tau, abs=HALF_A_DIGIT)
    for found, printed in zip(gw.equations.lagrange_form(mech, q, v), (B, H, g), strict=True):
        assert found == pytest.approx(printed, abs=HALF_A_DIGIT)
    H_recursive, h = gw.equations.recursive_form(mech, q, v)
    assert H_recursive == pytest.approx(B, abs=HALF_A_DIGIT)
    assert H_recursive @ a + h == pytest.approx(tau, abs=2 * HALF_A_DIGIT)


def test_the_nine_parameters_of_the_paper():
    """pi_8 and pi_9 are the rotor inertias of the coupling terms; the ratios are those of 7.1."""
    mech = gw.assemble(elbow())
    assert [spin.inertia for spin in mech.spins[1:]] == [3e-4, 2e-4]
    assert gw.actuation.structure_matrix(mech) == pytest.approx(np.diag([120.0, 100, 80]))
    # pi_6 = first moment of the fore-arm: g3 = g c23 pi_6 at the stretched arm, c23 = 1.
    assert gw.gravity(mech, [0, 0, 0])[2] / 9.81 == pytest.approx(0.45, abs=1e-12)


def test_elastic_two_joints():
    """7.4, in which the motors' coordinates count at the joint side."""
    mech = gw.assemble(elbow(2, (8000.0, 6000.0)))
    assert mech.speeds == ("j1", "j2", "j1.motor", "j2.motor")
    q, v = [0.3, -0.5, 0.302, -0.501], [0.7, -0.4, 0.75, -0.38]
    H = [[0.25594232, 0, 0, 0.03], [0, 0.29, 0, 0], [0, 0, 7.2, 0], [0.03, 0, 0, 3]]
    assert gw.mass_matrix(mech, q) == pytest.approx(np.array(H), abs=HALF_A_DIGIT)
    g, Cu = [0, 8.60908493, 0, 0], [-0.06597133, -0.05772491, 0, 0]
    assert gw.gravity(mech, q) == pytest.approx(g, abs=HALF_A_DIGIT)
    assert gw.coriolis_matrix(mech, q, v) @ v == pytest.approx(Cu, abs=HALF_A_DIGIT)
    rigid = replace(mech, springs=())
    assert gw.bias(mech, q, v) - gw.bias(rigid, q, v) == pytest.approx([-16, 6, 16, -6], abs=1e-9)
    a = gw.forward_dynamics(mech, q, v, [0, 0, 3, 40])
    assert a == pytest.approx([61.04611769, -50.17710353, -1.80555556, 14.72287216], abs=HALF_A_DIGIT)
    assert gw.actuator_torques(mech, [0, 0, 3, 40]) == pytest.approx([3 / 120, 40 / 100])
