"""A wrench may act at a frame: the tool's, where people measure it."""

from __future__ import annotations

import numpy as np
import pytest

import gearwright as gw
from gearwright.errors import InputError

TOOL = gw.BodyFrame("tool", "fore", rotation=[[0, 0, 1], [0, 1, 0], [-1, 0, 0]], position=(0.3, 0.1, -0.2))


def arm():
    upper = gw.Body("upper", mass=3, com=(0.2, 0, 0), inertia=np.eye(3) * 0.05)
    fore = gw.Body(
        "fore", "upper", axis=(0, 1, 0), position=(0.4, 0, 0), mass=2, com=(0.1, 0, 0), inertia=np.eye(3) * 0.02
    )
    return gw.Mechanism([upper, fore], [gw.Spin("rotor", "upper", (0.6, 0, 0.8), 1e-4, {"fore": 80})], frames=[TOOL])


@pytest.fixture
def state():
    return np.random.default_rng(3).uniform(-1, 1, (3, 4, 2))


WRENCH = np.array([3.0, -2.0, 5.0, 0.4, 0.1, -0.3])


def test_it_works_on_the_motion_of_the_frame(state):
    mech = arm()
    change = gw.inverse_dynamics(mech, *state, wrenches={"tool": WRENCH}) - gw.inverse_dynamics(mech, *state)
    assert np.allclose(change, -np.einsum("kij,i->kj", gw.jacobian(mech, state[0], "tool"), WRENCH), atol=1e-12)


def test_wrenches_at_body_and_frame_add(state):
    mech = arm()
    both = gw.bias(mech, state[0], state[1], wrenches={"tool": WRENCH, "fore": 2 * WRENCH, 0: WRENCH})
    parts = [
        gw.bias(mech, state[0], state[1], wrenches=w) for w in ({"tool": WRENCH}, {1: 2 * WRENCH}, {"upper": WRENCH})
    ]
    assert np.allclose(both, sum(parts) - 2 * gw.bias(mech, state[0], state[1]), atol=1e-12)


def test_kernels_take_frames_too(state):
    mech = arm()
    kernel = gw.compile(gw.forward_dynamics, mech, wrenches=("tool",))
    expected = gw.forward_dynamics(mech, *state, wrenches={"tool": WRENCH})
    assert np.allclose(kernel(*state, wrenches={"tool": WRENCH}), expected, rtol=1e-12, atol=1e-12)


def test_an_unknown_frame_is_refused(state):
    with pytest.raises(InputError, match=r"'tol'.*'tool'"):
        gw.inverse_dynamics(arm(), *state, wrenches={"tol": WRENCH})
