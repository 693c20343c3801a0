"""External coordinates: values, rates and second rates against finite differences, placement and each other."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.algebra.operations import ARRAYS, FLOATS
from gearwright.errors import SingularityError
from gearwright.planning import external_adjoint, external_coordinates, external_jacobian, rotation_from_euler
from gearwright.programs import kinematic_programs
from gearwright.programs.program import flatten_scalars
from support.machines import random_design, random_state

ANGLES = ["yaw_pitch_roll", "quaternion"]
JOINTS = [
    ("revolute", "prismatic", "revolute", "revolute"),
    ("free", "spherical", "revolute"),
    ("planar", "revolute", "universal", "helical"),
]


def machine(joints, seed=3):
    rng = np.random.default_rng(seed)
    mech = random_design(rng, joints, wheels=2, shafts=1, springs=1, chain=True).written()
    return mech, random_state(rng, mech), len(joints) - 1


def along(mech, q, v, t):
    return gw.integrate(mech, q, np.asarray(v) * t)


@pytest.mark.parametrize("joints", JOINTS, ids=str)
def test_values_are_those_of_the_placement(joints):
    mech, state, body = machine(joints)
    there = gw.placement(mech, state.q, body)
    s, u = (external_coordinates(mech, state.q, body, angles) for angles in ANGLES)
    assert np.allclose(s, [*there.position, *there.yaw_pitch_roll], atol=1e-14)
    assert np.allclose(rotation_from_euler(*s[3:]), there.rotation, atol=1e-14)
    w, x, y, z = u[3:]
    assert w >= 0
    turned = np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    assert np.allclose(turned, there.rotation, atol=1e-14)


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize("joints", JOINTS, ids=str)
def test_rates_are_slopes_of_values(joints, angles):
    mech, state, body = machine(joints)
    h = 1e-6
    ends = [external_coordinates(mech, along(mech, state.q, state.v, t), body, angles) for t in (-h, h)]
    assert np.allclose(
        external_jacobian(mech, state.q, body, angles) @ state.v, np.diff(ends, axis=0)[0] / (2 * h), atol=1e-7
    )


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize("joints", JOINTS, ids=str)
def test_adjoint_is_slope_of_rates(joints, angles):
    mech, state, body = machine(joints)
    h = 1e-6
    rates = [external_jacobian(mech, along(mech, state.q, state.v, t), body, angles) @ state.v for t in (-h, h)]
    slope = np.diff(rates, axis=0)[0] / (2 * h)
    assert np.allclose(external_adjoint(mech, state.q, state.v, body, angles), slope, atol=1e-6)


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize("name", ["external_coordinates", "external_jacobian", "external_adjoint"])
def test_every_backend_gives_the_same(name, angles):
    import jax

    from gearwright.tracing.jax_backend import jax_function

    mech, state, body = machine(JOINTS[0])
    program = next(p for p in kinematic_programs.KINEMATIC_PROGRAMS if p.name == name)
    given = {"q": state.q, "v": state.v}
    inputs = [given[x] for x in program.inputs]
    fixed = {"body": mech.bodies[body].name, "angles": angles}
    floats = np.array(flatten_scalars(program.run(mech, FLOATS, {x: given[x].tolist() for x in program.inputs}, fixed)))
    twice = {x: [np.array([y, y]) for y in given[x]] for x in program.inputs}
    arrays = flatten_scalars(program.run(mech, ARRAYS, twice, fixed))
    assert np.allclose([np.ravel(x)[0] for x in arrays], floats, rtol=1e-13, atol=1e-14)
    kernel = gw.compile(name, mech, **fixed)
    assert np.allclose(kernel(*inputs).ravel(), floats, rtol=1e-12, atol=1e-13)
    with jax.enable_x64(True):
        assert np.allclose(np.ravel(jax_function(name, mech, **fixed)(*inputs)), floats, rtol=1e-12, atol=1e-13)


def test_quaternions_are_exact_near_half_turns():
    mech = gw.Mechanism([gw.Body("arm", mass=1, com=(1, 0, 0), axis=(1, 2, 3))])
    angle = np.array([[np.pi - 1e-9], [3.0], [-3.0]])
    w, *u = external_coordinates(mech, angle, "arm", "quaternion")[:, 3:].T
    axis = np.array([1, 2, 3]) / np.sqrt(14)
    assert np.allclose(w, np.cos(angle[:, 0] / 2), atol=1e-15)
    assert np.allclose(np.array(u).T, np.sin(angle / 2) * axis, atol=1e-15)


def test_singular_pitch_is_reported():
    mech = gw.Mechanism([gw.Body("arm", mass=1, com=(1, 0, 0), axis=(0, 1, 0))])
    values = external_coordinates(mech, [np.pi / 2], "arm")
    assert values[4] == pytest.approx(np.pi / 2)
    for function in (external_jacobian, lambda *x: external_adjoint(x[0], x[1], [1.0], *x[2:])):
        with pytest.raises(SingularityError, match=r"pitch.*'arm'.* 90\.0000.*quaternion"):
            function(mech, [np.pi / 2], "arm")
    assert np.isfinite(external_jacobian(mech, [np.pi / 2], "arm", "quaternion")).all()


@pytest.mark.parametrize(
    ("frame", "angles", "fact"), [("arn", "quaternion", "'arn'.*'arm'"), ("arm", "euler", "'quaternion'")]
)
def test_wrong_names_are_refused(frame, angles, fact):
    mech = gw.Mechanism([gw.Body("arm", mass=1, com=(1, 0, 0))])
    with pytest.raises(ValueError, match=fact):
        external_coordinates(mech, [0.1], frame, angles)
