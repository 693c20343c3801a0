"""Jacobians of wheels and in body axes, axes of joints in link frames: printed tables, energies, finite differences."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import gearwright as gw
from gearwright.equations import joint_axes, joint_axis_derivatives
from gearwright.errors import InputError
from support.machines import random_design, random_state

JOINTS = [
    ("revolute", "prismatic", "revolute", "revolute"),
    ("free", "spherical", "revolute"),
    ("planar", "revolute", "universal", "helical"),
]


def machine(joints, seed=5):
    rng = np.random.default_rng(seed)
    mech = random_design(rng, joints, wheels=2, shafts=1, springs=1, chain=True).written()
    return mech, random_state(rng, mech), len(joints) - 1


def test_table_2_of_chen_and_wang():
    """The axes of the joints in the frames of the links, and their partial derivatives, as printed."""
    arm = gw.load("grm3")
    q2, q3 = sp.symbols("q2 q3")
    s2, c2, s3, c3 = sp.sin(q2), sp.cos(q2), sp.sin(q3), sp.cos(q3)
    z = [gw.closed_form(joint_axes, arm, names="file", body=f"frame{k}").expression() for k in (1, 2, 3)]
    d = [gw.closed_form(joint_axis_derivatives, arm, names="file", body=f"frame{k}").expression() for k in (1, 2, 3)]
    printed = {  # ^i z_j
        (1, 0): [0, 1, 0],
        (2, 0): [s2, c2, 0],
        (3, 0): [s2 * c3 + c2 * s3, 0, s2 * s3 - c2 * c3],
        (2, 1): [0, 0, 1],
        (3, 1): [0, 1, 0],
        (3, 2): [0, 1, 0],
    }
    for (i, j), expected in printed.items():
        assert sp.expand_trig(z[i - 1][:, j]).expand() == sp.Matrix(expected).expand(), (i, j)
    slopes = {  # d ^i z_j / d theta_k
        (2, 0, 2): [c2, -s2, 0],
        (3, 0, 2): [c2 * c3 - s2 * s3, 0, c2 * s3 + s2 * c3],
        (3, 0, 3): [-s2 * s3 + c2 * c3, 0, s2 * c3 + c2 * s3],
        (3, 1, 3): [0, 0, 0],
    }
    for (i, j, k), expected in slopes.items():
        found = sp.Matrix([d[i - 1][x, j, k - 1] for x in range(3)])
        assert sp.expand_trig(found).expand() == sp.Matrix(expected).expand(), (i, j, k)


def test_rotor_jacobians_of_the_elbow_by_hand():
    """Sciavicco (10) to (12): z0 and z1 of the joints before, k_r3 z_m3 of the rotor itself."""
    arm, q = gw.load("elbow"), np.array([0.3, -0.5, 0.8])
    c1, s1, c2, s2 = np.cos(q[0]), np.sin(q[0]), np.cos(q[1]), np.sin(q[1])
    z0, z1, x2 = np.array([0, 0, 1]), np.array([s1, -c1, 0]), np.array([c1 * c2, s1 * c2, s2])
    centre = 0.05 * x2  # the file places rotor 3 at 0.05 m along x2
    expected = np.vstack(
        [
            np.column_stack([np.cross(z0, centre), np.cross(z1, centre), np.zeros(3)]),
            np.column_stack([z0, z1, 80 * x2]),
        ]
    )
    np.testing.assert_allclose(gw.jacobian(arm, q, "j3.rotor"), expected, atol=1e-14)


@pytest.mark.parametrize("name", ["elbow", "puma560", "grm3", "planetary_3r", "wrist_puma"])
def test_mass_matrix_from_the_jacobians_of_links_and_wheels(name):
    """Sciavicco (13) to (14): B = sum m J_P' J_P + J_O' I J_O over links without wheels, and over the wheels."""
    mech = gw.assemble(gw.load(name))
    assert all(spin.coupling is None for spin in mech.spins)
    q = np.random.default_rng(1).uniform(-1, 1, mech.nq)
    M = np.zeros((mech.n, mech.n))
    for i, body in enumerate(mech.bodies):  # the augmented link, less its wheels at rest
        m, first = body.mass, body.mass * np.array([*body.com])
        tensor = np.array(body.about_origin.tensor.rows())
        wheels = []
        for spin in mech.spins_by_carrier[i]:
            e, r = np.array([*spin.axis]), np.array([*spin.rest.position])
            wheels.append((spin, e))
            own = spin.rest.transverse_inertia * (np.eye(3) - np.outer(e, e)) + spin.inertia * np.outer(e, e)
            m, first = m - spin.rest.mass, first - spin.rest.mass * r
            tensor = tensor - own - spin.rest.mass * (r @ r * np.eye(3) - np.outer(r, r))
        J = gw.jacobian(mech, q, i, axes="body")
        c = np.array([[0, -first[2], first[1]], [first[2], 0, -first[0]], [-first[1], first[0], 0]])
        M += J.T @ np.block([[m * np.eye(3), -c], [c, tensor]]) @ J
    for spin in mech.spins:
        e = np.array([*spin.axis])
        own = spin.rest.transverse_inertia * (np.eye(3) - np.outer(e, e)) + spin.inertia * np.outer(e, e)
        J = gw.jacobian(mech, q, spin.name, axes="body")
        mass = spin.rest.mass * np.eye(3)
        M += J.T @ np.block([[mass, np.zeros((3, 3))], [np.zeros((3, 3)), own]]) @ J
    np.testing.assert_allclose(M, gw.mass_matrix(mech, q), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("joints", JOINTS, ids=str)
def test_rates_in_body_axes(joints):
    mech, s, body = machine(joints)
    h, point = 1e-6, (0.1, -0.2, 0.3)
    J = [gw.jacobian(mech, gw.integrate(mech, s.q, s.v * t), body, point, axes="body") for t in (-h, h)]
    rate = gw.jacobian_rate(mech, s.q, s.v, body, point, axes="body")
    np.testing.assert_allclose(rate, (J[1] - J[0]) / (2 * h), atol=1e-7)


@pytest.mark.parametrize("joints", JOINTS, ids=str)
def test_derivatives_of_axes(joints):
    mech, s, body = machine(joints)
    h = 1e-6
    slopes = np.stack(
        [
            (
                joint_axes(mech, gw.integrate(mech, s.q, h * unit), body)
                - joint_axes(mech, gw.integrate(mech, s.q, -h * unit), body)
            )
            / (2 * h)
            for unit in np.eye(mech.n)
        ],
        axis=-1,
    )
    np.testing.assert_allclose(joint_axis_derivatives(mech, s.q, body), slopes, atol=1e-8)


def test_axes_of_revolute_joints_are_the_angular_jacobian_in_body_axes():
    arm, q = gw.load("panda_like"), np.linspace(-1, 1, 7)
    np.testing.assert_allclose(joint_axes(arm, q, "flange"), gw.jacobian(arm, q, "flange", axes="body")[3:], atol=1e-14)


def test_wheels_and_body_axes_in_kernels_and_batches():
    arm = gw.load("grm3")
    q, v = np.random.default_rng(2).uniform(-1, 1, (2, 5, 3))
    for function, inputs in ((gw.jacobian, (q,)), (gw.jacobian_rate, (q, v))):
        kernel = gw.compile(function, arm, body="w7", axes="body", point=(0.1, 0.0, 0.2))
        expected = [function(arm, *(x[k] for x in inputs), "w7", (0.1, 0.0, 0.2), "body") for k in range(5)]
        np.testing.assert_allclose(kernel(*inputs), expected, rtol=1e-12, atol=1e-14)


def test_wrong_names_axes_and_wheels_without_a_centre_are_refused():
    arm = gw.load("elbow")
    for call in (lambda **x: gw.jacobian(arm, [0, 0, 0], **x), lambda **x: gw.compile(gw.jacobian, arm, **x)):
        with pytest.raises(InputError, match=r"'j3.roter'.*'j3.rotor'"):
            call(body="j3.roter")
        with pytest.raises(InputError, match=r"'local'.*'body'"):
            call(body="j3.rotor", axes="local")
    bare = gw.Mechanism([gw.Body("arm", mass=1, com=(1, 0, 0))], [gw.Spin("m", "base", (0, 0, 1), 1e-4, [100])])
    with pytest.raises(InputError, match=r"'m'.*centre.*rest="):
        gw.jacobian(bare, [0.0], "m")
    with pytest.raises(InputError, match=r"'j3\.rotor'"):
        joint_axes(arm, [0, 0, 0], "j3.rotor")
