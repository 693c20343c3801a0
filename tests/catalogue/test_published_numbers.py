"""The bundled robots against numbers that nobody on this project wrote."""

from __future__ import annotations

import json

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import load
from support.references import Reference

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows

MANUTEC = Reference("Manutec r3, published routine")
PUMA = Reference("PUMA 560, Robotics Toolbox")
CHEETAH = Reference("Mini Cheetah, published masses, in Pinocchio")


def manutec_error(reference, kind: str = "exact") -> float:
    """Largest difference of accelerations to the published routine over all its states [rad/s2]."""
    worst = 0.0
    for state in json.loads((reference / "manutec_r3.json").read_text())["states"]:
        robot = load("manutec_r3").with_payload(state["payload"], (0, 0, 0.98))
        mech = gw.approximate(gw.assemble(robot), kind)
        found = gw.forward_dynamics(mech, state["q"], state["qd"], state["tau"])
        worst = max(worst, float(np.abs(found - state["qdd"]).max()))
    return worst


def test_manutec_r3_at_every_published_state(reference):
    MANUTEC.agrees("acceleration of the Manutec r3 at all published states [rad/s2]", manutec_error(reference), 1e-9)


def test_manutec_r3_needs_the_coupling_of_its_rotors(reference):
    assert manutec_error(reference, "reflected") > 0.1


def test_puma_560_as_diagonal(reference):
    mech = gw.approximate(gw.assemble(load("puma560")), "diagonal")
    for sample in json.loads((reference / "puma560.json").read_text())["samples"]:
        q, v, a = (np.array(sample[name]) for name in ("q", "qd", "qdd"))
        PUMA.agrees("mass matrix of the PUMA 560 [kg m2]", np.abs(gw.mass_matrix(mech, q) - sample["M"]).max(), 1e-9)
        PUMA.agrees("gravity of the PUMA 560 [Nm]", np.abs(gw.gravity(mech, q) - sample["gravload"]).max(), 1e-9)
        PUMA.agrees(
            "torques of the PUMA 560 [Nm]",
            np.abs(gw.inverse_dynamics(mech, q, v, a) - sample["tau_no_friction"]).max(),
            1e-9,
        )


# Equations of Sciavicco, Siciliano and Villani, corrected and evaluated outside this project: B and tau in states A, C.
ELBOW = {
    "A": (
        ((0.3, -0.5, 0.8), (0.7, -0.4, 0.9), (1.2, 0.5, -0.8)),
        ((8.21806735, 0.03, -0.00767081), (0.03, 4.11971442, 0.22290721), (-0.00767081, 0.22290721, 1.3775)),
        (9.60148721, 25.10781709, 3.26984181),
    ),
    "C": (
        ((-1.1, 0.9, -1.4), (-1.5, 0.8, 2), (-0.3, 2, 1)),
        ((7.80748078, 0.03, 0.01253323), (0.03, 3.93008817, 0.12809409), (0.01253323, 0.12809409, 1.3775)),
        (-1.84125193, 27.63342488, 5.17124243),
    ),
}


@pytest.mark.parametrize("state", ELBOW)
def test_elbow(state):
    motion, inertia, torque = ELBOW[state]
    mech = gw.assemble(load("elbow"))
    assert gw.mass_matrix(mech, motion[0]) == pytest.approx(np.array(inertia), abs=6e-9)
    assert gw.inverse_dynamics(mech, *motion) == pytest.approx(np.array(torque), abs=6e-9)


LEGS = {"fr": (1, -1), "fl": (1, 1), "hr": (-1, -1), "hl": (-1, 1)}


def explicit_cheetah(data) -> tuple[pin.Model, np.ndarray]:
    """The quadruped in Pinocchio with every rotor as its own body, straight from the published numbers, and G."""
    model = pin.Model()
    trunk = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "trunk")
    trunk_tensor = np.diag(data["body_I_1e6"]) * 1e-6
    model.appendBodyToJoint(trunk, pin.Inertia(data["body_mass"], np.zeros(3), trunk_tensor), pin.SE3.Identity())
    rotors = []
    for k, signs in enumerate(LEGS.values()):
        parent = trunk
        for i, name in enumerate(("abad", "hip", "knee")):
            rotors.append(
                (add_rotor(model, data, name, parent, signs, f"{k}{name}"), 6 + 3 * k + i, data["gear"][name])
            )
            parent = add_link(model, data, name, parent, signs, f"{k}{name}")
    G = np.zeros((model.nv, 18))
    G[:6, :6] = np.eye(6)
    for k in range(4):
        for i, name in enumerate(("abad", "hip", "knee")):
            G[model.idx_vs[model.getJointId(f"{k}{name}")], 6 + 3 * k + i] = 1
    for joint, speed, ratio in rotors:
        G[model.idx_vs[joint], speed] = ratio
    return model, G


def mirrored(where, name: str, signs: tuple[int, int]) -> np.ndarray:
    """A place on the left front leg on another one; only the trunk's places change along x."""
    return np.array(where) * [signs[0] if name == "abad" else 1, signs[1], 1]


def axis_of(name: str):
    return pin.JointModelRX() if name == "abad" else pin.JointModelRY()


def add_rotor(model, data, name, parent, signs, title) -> int:
    across, axial = (data["rotor_inertia_1e6_kgm2"][word] * 1e-6 for word in ("xx", "zz_spin"))
    tensor = np.diag([axial, across, across] if name == "abad" else [across, axial, across])
    place = pin.SE3(np.eye(3), mirrored(data["rotor_location"][name], name, signs))
    joint = model.addJoint(parent, axis_of(name), place, f"{title}.rotor")
    model.appendBodyToJoint(joint, pin.Inertia(data["rotor_mass"], np.zeros(3), tensor), pin.SE3.Identity())
    return joint


def add_link(model, data, name, parent, signs, title) -> int:
    link, mirror = data["links"][name], np.diag([1.0, signs[1], 1.0])
    if "I_1e6" in link:
        tensor = mirror @ np.array(link["I_1e6"]) @ mirror
    else:
        turn = pin.utils.rotate("y", np.pi / 2)
        tensor = turn @ np.diag(link["I_1e6_rotated_by_Ry90"]) @ turn.T
    place = pin.SE3(np.eye(3), mirrored(data["joint_location"][name], name, signs))
    joint = model.addJoint(parent, axis_of(name), place, title)
    model.appendBodyToJoint(joint, pin.Inertia(link["m"], mirror @ link["com"], tensor * 1e-6), pin.SE3.Identity())
    return joint


@pytest.mark.parametrize("seed", range(5))
def test_mini_cheetah_against_pinocchio_with_explicit_rotors(reference, seed):
    model, G = explicit_cheetah(json.loads((reference / "legged_rotors.json").read_text())["mini_cheetah"])
    mech = gw.assemble(load("mini_cheetah"))
    rng = np.random.default_rng(seed)
    angles, quaternion, place = rng.uniform(-2, 2, 12), rng.normal(size=4), rng.uniform(-1, 1, 3)
    quaternion /= np.linalg.norm(quaternion)
    q = np.array([*place, *quaternion, *angles])
    full = pin.neutral(model)
    full[:7] = [*place, *quaternion[1:], quaternion[0]]
    for k in range(4):
        for i, name in enumerate(("abad", "hip", "knee")):
            full[model.idx_qs[model.getJointId(f"{k}{name}")]] = angles[3 * k + i]
    M = pin.crba(model, model.createData(), full)
    expected = G.T @ (np.triu(M) + np.triu(M, 1).T) @ G
    CHEETAH.agrees("mass matrix of the Mini Cheetah [kg m2]", np.abs(gw.mass_matrix(mech, q) - expected).max(), 1e-10)
    v, a = rng.uniform(-2, 2, (2, 18))
    torque = G.T @ pin.rnea(model, model.createData(), full, G @ v, G @ a)
    CHEETAH.agrees("torques of the Mini Cheetah [Nm]", np.abs(gw.inverse_dynamics(mech, q, v, a) - torque).max(), 1e-10)
