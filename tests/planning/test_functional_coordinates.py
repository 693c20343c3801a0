"""External coordinates relative to a frame of the machine or one with prescribed motion (functional coordinates)."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.contact import MovingFrame
from gearwright.errors import InputError, SingularityError
from gearwright.planning import external_adjoint, external_coordinates, external_jacobian, external_rates
from support.machines import random_design, random_state

ANGLES = ["yaw_pitch_roll", "quaternion"]


def carousel_path(t, ops):
    return 0.5 * ops.cos(1.3 * t), 0.5 * ops.sin(1.3 * t), 0.2 + 0.1 * t * t


def carousel_turn(t, ops):
    """Rz(0.7 t) Rx(0.4 t t)."""
    c, s, u, w = ops.cos(0.7 * t), ops.sin(0.7 * t), ops.cos(0.4 * t * t), ops.sin(0.4 * t * t)
    return (c, -s * u, s * w), (s, c * u, -c * w), (0.0, w, u)


CAROUSEL = MovingFrame("carousel", carousel_path, carousel_turn)
REFERENCES = [CAROUSEL, MovingFrame("belt", lambda t, ops: (0.2 * t, 0.0, 0.1)), 1, "base"]
IDS = ["carousel", "belt", "link", "base"]


@pytest.fixture(scope="module")
def chain():
    rng = np.random.default_rng(7)
    mech = random_design(
        rng, ("revolute", "revolute", "prismatic", "universal", "revolute"), wheels=2, chain=True
    ).written()
    return mech, random_state(rng, mech), 4


def place(mech, q, reference, t):
    if isinstance(reference, MovingFrame):
        turn = np.eye(3) if reference.turn is None else np.array(reference.turn(t, np), dtype=float)
        return turn, np.array(reference.path(t, np), dtype=float)
    return gw.placement(mech, q, reference)


@pytest.mark.parametrize("reference", REFERENCES, ids=IDS)
def test_values_are_relative_placements(chain, reference):
    mech, s, body = chain
    R, p = gw.placement(mech, s.q, body)
    R_b, p_b = place(mech, s.q, reference, 0.8)
    found = external_coordinates(mech, s.q, body, relative_to=reference, t=0.8)
    np.testing.assert_allclose(found[:3], R_b.T @ (p - p_b), atol=1e-14)
    yaw, pitch, roll = found[3:]
    (cy, cp, cr), (sy, sp, sr) = np.cos([yaw, pitch, roll]), np.sin([yaw, pitch, roll])
    turned = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    np.testing.assert_allclose(turned, R_b.T @ R, atol=1e-14)


@pytest.mark.parametrize("angles", ANGLES)
@pytest.mark.parametrize("reference", REFERENCES, ids=IDS)
def test_rates_and_second_rates_are_derivatives_along_a_motion(chain, reference, angles):
    """Along a motion with accelerations: ds/dt, d2s/dt2 = J a + A, and J = ds/dq at constant time."""
    mech, s, body = chain
    t0, h = 0.8, 1e-4

    def motion(t):
        return gw.integrate(mech, s.q, s.v * (t - t0) + s.a * (t - t0) ** 2 / 2), s.v + s.a * (t - t0)

    where = {"relative_to": reference, "angles": angles}
    times = t0 + h * np.array([-1, 0, 1])
    values = np.array([external_coordinates(mech, motion(t)[0], body, t=t, **where) for t in times])
    rates = np.array([external_rates(mech, *motion(t), body, t=t, **where) for t in times])
    J = external_jacobian(mech, s.q, body, t=t0, **where)
    second = J @ s.a + external_adjoint(mech, s.q, s.v, body, t=t0, **where)
    np.testing.assert_allclose(rates[1], (values[2] - values[0]) / (2 * h), atol=2e-6)
    np.testing.assert_allclose(second, (rates[2] - rates[0]) / (2 * h), atol=2e-5)
    slopes = [
        (
            external_coordinates(mech, gw.integrate(mech, s.q, 1e-6 * x), body, t=t0, **where)
            - external_coordinates(mech, gw.integrate(mech, s.q, -1e-6 * x), body, t=t0, **where)
        )
        / 2e-6
        for x in np.eye(mech.n)
    ]
    np.testing.assert_allclose(J, np.transpose(slopes), atol=1e-7)


def test_a_frame_on_the_same_link_is_at_rest():
    arm = gw.load("elbow")
    q, v = np.array([0.3, -0.5, 0.8]), np.array([0.7, -0.4, 0.9])
    assert np.abs(external_jacobian(arm, q, 2, "quaternion", relative_to=2)).max() < 1e-15
    assert np.abs(external_adjoint(arm, q, v, 2, "quaternion", relative_to=2)).max() < 1e-14


def test_a_tool_that_rides_with_its_object_has_constant_coordinates():
    """A turntable joint and a moving frame that turns as it does: all rates are zero."""
    table = gw.Mechanism([gw.Body("table", mass=1, com=(0.1, 0, 0))])
    frame = MovingFrame(
        "as the table",
        lambda t, ops: (0.0, 0.0, 0.0),
        lambda t, ops: ((ops.cos(2 * t), -ops.sin(2 * t), 0.0), (ops.sin(2 * t), ops.cos(2 * t), 0.0), (0.0, 0.0, 1.0)),
    )
    t = np.linspace(0, 3, 7)
    q, v = 2 * t[:, None] + 0.4, np.full((7, 1), 2.0)
    values = external_coordinates(table, q, "table", relative_to=frame, t=t)
    np.testing.assert_allclose(values[:, 3], 0.4, atol=1e-12)
    assert np.abs(external_rates(table, q, v, "table", relative_to=frame, t=t)).max() < 1e-12
    assert np.abs(external_adjoint(table, q, v, "table", relative_to=frame, t=t)).max() < 1e-12


def test_kernels_with_a_reference_on_a_link():
    arm = gw.load("elbow")
    q, v = np.random.default_rng(0).uniform(-1, 1, (2, 4, 3))
    kernel = gw.compile(external_adjoint, arm, body=2, angles="quaternion", relative_to=arm.links[0].name)
    expected = external_adjoint(arm, q, v, 2, "quaternion", relative_to=0)
    np.testing.assert_allclose(kernel(q, v), expected, rtol=1e-12, atol=1e-14)


def test_bad_references_are_refused():
    arm = gw.load("elbow")
    with pytest.raises(InputError, match="'tble'"):
        external_coordinates(arm, [0, 0, 0], 2, relative_to="tble")
    bent = MovingFrame("bent", lambda t, ops: (0, 0, 0), lambda t, ops: ((1, 0.1, 0), (0, 1, 0), (0, 0, 1)))
    with pytest.raises(InputError, match=r"'bent'"):
        external_coordinates(arm, [0, 0, 0], 2, relative_to=bent)
    upright = gw.Mechanism([gw.Body("arm", mass=1, com=(1, 0, 0), axis=(0, 1, 0))])
    with pytest.raises(SingularityError, match="90"):
        external_rates(upright, [np.pi / 2], [1.0], "arm", relative_to=MovingFrame("x", lambda t, ops: (t, 0.0, 0.0)))
