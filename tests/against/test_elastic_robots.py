"""The bundled elastic robots: against Pinocchio with explicit rotors, and against the files their numbers come from."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import gearwright as gw
from gearwright.catalogue import load
from gearwright.parts import elastic_elements, gear_losses
from support.references import Reference
from trains.explicit import Explicit, worst

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows

PINOCCHIO = Reference("Pinocchio, rotors as bodies")

# The elbow arm in Denavit-Hartenberg frames, A_i = Rz(q) Tx(a) Rx(alpha).
TWISTS = [(0.0, np.pi / 2), (0.4, 0.0), (0.35, 0.0)]
LINKS = [
    (6, (0, -0.05, 0), (0.05, 0.03, 0.05)),
    (5, (-0.2, 0, 0), (0.01, 0.09, 0.09)),
    (3, (-0.2, 0, 0), (0.006, 0.03, 0.03)),
]
ROTORS = [  # axial, transverse, mass, ratio, axis and place in the frame of the link before
    (5e-4, 4e-4, 0.9, 120, (0, 0, 1), (0, 0, 0)),
    (3e-4, 2.5e-4, 0.8, 100, (0, 1, 0), (0, -0.1, 0)),
    (2e-4, 1.5e-4, 0.5, 80, (1, 0, 0), (-0.35, 0, 0)),
]
STIFFNESS = np.array([8000.0, 6000, 3000])


def constant_part(i: int) -> pin.SE3:
    a, alpha = TWISTS[i]
    return pin.SE3(pin.utils.rotate("x", alpha), np.array([a, 0, 0]))


def explicit_elbow(speeds) -> Explicit:
    """Links and rotors as bodies of their own; the frame before link i is the far end of link i - 1."""
    oracle = Explicit(speeds)
    before, carrier = pin.SE3.Identity(), "base"
    for i, (mass, com, moments) in enumerate(LINKS):
        axial, across, heavy, ratio, axis, place = ROTORS[i]
        spot = before.act(np.array(place, float))
        turned = before.rotation @ np.array(axis, float)
        heavy = 0.0 if carrier == "base" else heavy
        oracle.wheel(f"m{i}", carrier, {f"j{i + 1}.motor": ratio}, turned, axial, across, heavy, spot)
        far = constant_part(i)
        tensor = far.rotation @ np.diag(moments) @ far.rotation.T
        frame = {"rotation": before.rotation, "position": before.translation}
        oracle.add(f"l{i}", carrier, {f"j{i + 1}": 1.0}, **frame, mass=mass, com=far.act(np.array(com)), inertia=tensor)
        before, carrier = far, f"l{i}"
    return oracle


@pytest.mark.parametrize("seed", range(4))
def test_elastic_elbow_with_explicit_rotors(seed):
    mech = gw.assemble(load("elastic_elbow"))
    oracle = explicit_elbow(mech.speeds)
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-2, 2, (3, 6))
    K = np.block([[np.diag(STIFFNESS), -np.diag(STIFFNESS)], [-np.diag(STIFFNESS), np.diag(STIFFNESS)]])
    H, tau = oracle.mass_matrix(q), oracle.torque(q, v, a) + K @ q
    PINOCCHIO.agrees("mass matrix of elastic drives, relative", worst(gw.mass_matrix(mech, q), H), 1e-10)
    PINOCCHIO.agrees(
        "inverse dynamics of elastic drives, relative", worst(gw.inverse_dynamics(mech, q, v, a), tau), 1e-10
    )
    PINOCCHIO.agrees(
        "forward dynamics of elastic drives, relative", worst(gw.forward_dynamics(mech, q, v, tau), a), 1e-10
    )


def test_a_three_joint_elastic_elbow_has_gyroscopic_terms():
    """Unlike the two-joint one of 7.4: the rotor of joint 3 lies along link 2 and is swung about two axes."""
    mech = gw.assemble(load("elastic_elbow"))
    q, v = np.array([0.3, -0.5, 0.8] * 2), np.array([0.7, -0.4, 0.9] * 2)
    moved = v + np.array([0, 0, 0, 0, 0, 5.0])
    reflected = gw.approximate(mech, "reflected")
    change = gw.bias(mech, q, moved) - gw.bias(mech, q, v)
    assert np.abs(change - (gw.bias(reflected, q, moved) - gw.bias(reflected, q, v)))[:3].max() > 0.01


def test_elastic_elbow_is_the_elbow_when_held_together():
    soft, stiff = gw.assemble(load("elastic_elbow")), gw.assemble(load("elbow"))
    E = np.vstack([np.eye(3)] * 2)
    q = np.array([0.3, -0.5, 0.8])
    assert E.T @ gw.mass_matrix(soft, E @ q) @ E == pytest.approx(gw.mass_matrix(stiff, q), rel=1e-12)


def test_manutec_r3_full_has_the_published_numbers(reference):
    data = json.loads((reference / "manutec_r3_full_parameters.json").read_text())["model_6dof_modelica"]
    robot = load("manutec_r3_full")
    for drive, link, axis in zip(robot.drives, robot.links, data["axes"], strict=True):
        gear, motor = drive.gear, drive.motor
        assert (gear.ratio, motor.inertia, motor.torque_constant) == (axis["ratio"], axis["J"], axis["k"])
        # In the Modelica model the winding is 250 Ohm, La = Ra / (2 D w).
        assert motor.inductance == pytest.approx(250 / (2 * axis["D"] * axis["w"]))
        friction = motor.total_friction if "c" in axis else link.joint.total_friction
        assert (friction.coulomb, friction.viscous) == pytest.approx((axis["Rv0"], axis["Rv1"]))
        assert friction.breakaway_friction == pytest.approx(axis["peak"] * axis["Rv0"])
        if "c" in axis:  # the spring lies between motor and gear there
            assert gear.stiffness == pytest.approx(axis["c"] * axis["ratio"] ** 2)
            assert gear.damping == pytest.approx(axis["d"] * axis["ratio"] ** 2)
        else:
            assert elastic_elements(gear) == ()


def test_manutec_r3_full_against_pinocchio(reference):
    """The tree of the Modelica model, y up, with the load; reflected rotors on the motors' own speeds."""
    data = json.loads((reference / "manutec_r3_full_parameters.json").read_text())["model_6dof_modelica"]
    mech = gw.assemble(load("manutec_r3_full"))
    oracle = Explicit(mech.speeds, gravity=(0, -9.81, 0))
    parent = "base"
    for i, axis in enumerate("yxxyxy"):
        body = data["bodies"][i + 1]
        I = np.diag([body.get(key, 0.0) for key in ("I11", "I22", "I33")])
        I[0, 1] = I[1, 0] = body.get("I21", 0.0)
        e = {"x": (1, 0, 0), "y": (0, 1, 0)}[axis]
        where, com = data["bodies"][i]["r"], body.get("com", (0, 0, 0))
        speed = {f"joint{i + 1}": 1.0}
        oracle.add(f"b{i}", parent, speed, axis=e, position=where, mass=body.get("m", 0.0), com=com, inertia=I)
        parent = f"b{i}"
    load_at, mass = np.array(data["load_default"]["r"]), data["load_default"]["m"]
    oracle.bodies["b5"]["inertia"] += pin.Inertia(mass, load_at, np.zeros((3, 3)))
    rotors = np.zeros((9, 9))
    for i, axis in enumerate(data["axes"]):
        at = mech.speeds.index(f"joint{i + 1}.motor" if i < 3 else f"joint{i + 1}")
        rotors[at, at] = axis["J"] * axis["ratio"] ** 2
    rng = np.random.default_rng(1)
    for q, v, a in rng.uniform(-1.5, 1.5, (3, 3, 9)):
        q[6:], v[6:] = q[:3], v[:3]  # springs relaxed
        PINOCCHIO.agrees(
            "mass matrix of geared arms, relative",
            worst(gw.mass_matrix(mech, q), oracle.mass_matrix(q) + rotors),
            1e-10,
        )
        PINOCCHIO.agrees(
            "inverse dynamics of geared arms, relative",
            worst(gw.inverse_dynamics(mech, q, v, a), oracle.torque(q, v, a) + rotors @ a),
            1e-10,
        )


def test_sea_leg_has_the_published_actuators(reference):
    data = json.loads((reference / "compliant_joint_toolbox_actuators.json").read_text())["actuators"]
    robot = load("sea_leg")
    mech = gw.assemble(robot)
    H = gw.mass_matrix(mech, np.zeros(mech.n))
    for joint, name in (("hip", "Orange_80_6000"), ("knee", "Orange_80_6000"), ("ankle", "Lemon_50_6000")):
        published = data[name]
        near, far = elastic_elements(robot.drive(joint).gear)
        assert (near.stiffness, near.damping, far.stiffness) == (published["k_g"], published["d_mg"], published["k_b"])
        motor, stage = (mech.speeds.index(f"{joint}.{shaft}") for shaft in ("motor", "stage1"))
        assert H[motor, motor] == pytest.approx(published["I_m"], rel=1e-5)
        assert H[stage, stage] == pytest.approx(published["I_g"], rel=1e-12)
        # A gear inertia that is only reflected does not push on its carrier.
        assert np.abs(np.delete(H[stage], stage)).max() == 0


def test_sea_leg_hip_resonates_as_its_three_masses(reference):
    """Motor - gear - leg as three inertias on two springs, by hand."""
    published = json.loads((reference / "compliant_joint_toolbox_actuators.json").read_text())["actuators"]
    one = published["Orange_80_6000"]
    mech = gw.assemble(load("sea_leg"))
    chosen = [mech.speeds.index(name) for name in ("hip.motor", "hip.stage1", "hip")]
    H = gw.mass_matrix(mech, np.zeros(mech.n))[np.ix_(chosen, chosen)]
    K = sum(s.stiffness * np.outer(s.row, s.row) for s in mech.springs)[np.ix_(chosen, chosen)]
    leg, kg, kb = H[2, 2], one["k_g"], one["k_b"]
    M3 = np.diag([one["I_m"], one["I_g"], leg])
    K3 = np.array([[kg, -kg, 0], [-kg, kg + kb, -kb], [0, -kb, kb]])
    ours, theirs = (np.sort(np.linalg.eigvals(np.linalg.solve(*pair)).real) for pair in ((H, K), (M3, K3)))
    assert ours[1:] == pytest.approx(theirs[1:], rel=1e-3)


def test_harmonic_6_twists_and_loses():
    robot = load("harmonic_6")
    mech = gw.assemble(robot)
    assert mech.shafts == tuple(f"j{k}.motor" for k in range(1, 7))
    for drive, spring in zip(robot.drives, mech.springs, strict=True):
        (element,) = elastic_elements(drive.gear)
        assert spring.stiffness == element.torsion.pieces[0].stiffness
        slopes = [piece.stiffness for piece in element.torsion.pieces]
        assert slopes == sorted(slopes)
        assert element.torsion.errors[0].periods == 2 * drive.gear.ratio
        assert element.torsion.errors[0].amplitude == pytest.approx(0.4 / 60 * math.pi / 180)
        assert gear_losses(drive.gear)[0].back_efficiency == pytest.approx(2 - 1 / 0.75)


def test_harmonic_6_has_printed_torques_and_twists():
    """T1, T2 of the CSF and CSG tables; the worked example of the CHA manual: 60 Nm twist size 32 by 7.15e-4 rad."""
    from gearwright.algebra.operations import FLOATS
    from gearwright.forces.transmission.nonlinear_spring import TorqueCurve

    printed = {40: (54, 196), 32: (29, 108), 25: (14, 48), 20: (7, 25), 14: (2, 6.9)}
    sizes = dict(zip(("j1", "j2", "j3", "j4", "j5", "j6"), (40, 40, 32, 25, 20, 14), strict=True))
    for drive in load("harmonic_6").drives:
        (element,) = elastic_elements(drive.gear)
        assert tuple(piece.until for piece in element.torsion.pieces[:2]) == printed[sizes[drive.joint]]
        if sizes[drive.joint] == 32:
            assert TorqueCurve.from_pieces(element.torsion.pieces).torque(7.146e-4, FLOATS) == pytest.approx(
                60, rel=1e-3
            )
