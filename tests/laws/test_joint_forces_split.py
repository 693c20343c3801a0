"""What a joint transmits is what drives it and what its bearings bear; the latter does no work."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw

NAMES = ("elbow", "vector_arm", "scara", "planetary_3r", "puma560", "humanoid_30")


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_single_axes(name):
    """(20.17), (20.18): along the axis of the joint and across it, moments where it turns, forces where it slides."""
    mech = gw.assemble(gw.load(name))
    q, v, a = np.random.default_rng(7).normal(size=(3, 4, mech.n)) * 0.7
    parts = gw.equations.joint_forces(mech, q, v, a)
    np.testing.assert_allclose(parts.total, gw.reactions(mech, q, v, a), rtol=0, atol=0)
    np.testing.assert_allclose(parts.drive + parts.reaction, parts.total, atol=1e-10)
    for k, body in enumerate(mech.bodies):
        e, slides = np.array(tuple(body.axis)), body.joint == "prismatic"
        along, other = (slice(0, 3), slice(3, 6)) if slides else (slice(3, 6), slice(0, 3))
        if mech.joints[k].dofs:
            np.testing.assert_allclose(parts.reaction[:, k, along] @ e, 0, atol=1e-10)
            np.testing.assert_allclose(np.cross(parts.drive[:, k, along], e), 0, atol=1e-10)
        np.testing.assert_allclose(parts.drive[:, k, other], 0, atol=1e-12)


def test_without_wheels_the_drive_is_the_generalized_force():
    mech = gw.assemble(gw.load("vector_arm"))
    bare = gw.Mechanism(mech.bodies, gravity=mech.gravity)
    q, v, a = np.random.default_rng(2).normal(size=(3, bare.n))
    drive = gw.equations.joint_forces(bare, q, v, a).drive
    along = [drive[k, :3] @ tuple(b.axis) + drive[k, 3:] @ tuple(b.axis) for k, b in enumerate(bare.bodies)]
    np.testing.assert_allclose(along, gw.inverse_dynamics(bare, q, v, a), atol=1e-11)


def test_a_rotor_takes_the_rest():
    """Sciavicco, Siciliano and Villani, eq. (39): tau_i = mu_i . z + k I_m (dw_m/dt . z_m)."""
    mech = gw.assemble(gw.load("elbow"))
    q, v, a = [0.3, -0.5, 0.8], [0.7, -0.4, 0.9], [1.2, 0.5, -0.8]
    drive = gw.equations.joint_forces(mech, q, v, a).drive[:, 5]
    rates = gw.equations.axial_rates(mech, q)
    drift = np.array([0, 0, np.cos(q[1]) * v[0] * v[1]])  # d(s2)/dt dq1: the axis of rotor 3 turns
    spun = [
        spin.inertia * b * (b * a[k] + rates[k] @ a + drift[k])
        for k, (spin, b) in enumerate(zip(mech.spins, (120, 100, 80), strict=True))
    ]
    np.testing.assert_allclose(drive + spun, gw.inverse_dynamics(mech, q, v, a), atol=1e-12)


@pytest.mark.parametrize(
    "joint",
    [
        {"joint": "helical", "pitch": 0.03},
        {"joint": "universal", "axis": (1, 0, 0), "axis2": (0.6, 0.8, 0)},
        {"joint": "planar"},
    ],
)
def test_other_joints_do_all_their_work_by_the_drive(joint):
    shape = {"mass": 2, "com": (0.1, 0.2, 0.3), "inertia": np.diag([0.2, 0.3, 0.4])}
    base = gw.Body("b", axis=(0, 1, 0), **shape)
    mech = gw.Mechanism([base, gw.Body("c", "b", position=(0.3, 0, 0), **joint, **shape)])
    q, v, a = np.random.default_rng(1).normal(size=(3, mech.n))
    parts = gw.equations.joint_forces(mech, q, v, a)
    # What is not the drive bears: taken off as a wrench on the body it changes no generalized force of the joint.
    R = np.array(gw.placement(mech, q, "c").rotation)
    for part, tau in ((parts.reaction, 0.0), (parts.drive, gw.inverse_dynamics(mech, q, v, a)[1:])):
        wrench = np.concatenate([R @ part[1, :3], R @ part[1, 3:]])
        J = gw.jacobian(mech, q, "c")[:, 1:]
        np.testing.assert_allclose(J.T @ wrench, np.broadcast_to(tau, mech.n - 1), atol=1e-11)
