"""How much work the traced programs are: fewer operations than what is published, and linear in the joints."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import gearwright as gw


def arithmetic(function, name: str) -> int:
    return gw.compile(function, gw.load(name)).operations.arithmetic_count


def test_manutec_needs_less_than_the_published_routine():
    """Otter and Tuerk's routine takes 140 additions, 159 multiplications, 17 divisions; 2 angles."""
    count = gw.compile(gw.forward_dynamics, gw.load("manutec_r3")).operations
    assert count.arithmetic_count <= 180
    assert count.sincos == 2


def test_manutec_kernel_returns_the_published_accelerations():
    folder = os.environ.get("GEARWRIGHT_REFERENCE")
    if not folder:
        pytest.skip("GEARWRIGHT_REFERENCE does not name the folder of reference numbers")
    states = json.loads((Path(folder) / "manutec_r3.json").read_text())["states"]
    robot = gw.load("manutec_r3")
    kernel = gw.compile(gw.forward_dynamics, robot.with_payload(0.0, (0, 0, 0.98)), parameters=["payload.mass"])
    q, v, tau, expected = (np.array([state[key] for state in states]) for key in ("q", "qd", "tau", "qdd"))
    payload = np.array([[state["payload"]] for state in states])
    np.testing.assert_allclose(kernel(q, v, tau, parameters=payload), expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("robot", "limit"),
    # A prototype without the choice of frames needed 654, 790, 1214 and 3762.
    [("ur5_like", 600), ("panda_like", 720), ("panda_like_calibrated", 1100), ("humanoid_30", 2900)],
)
def test_inverse_dynamics_with_every_wheel(robot, limit):
    assert arithmetic(gw.inverse_dynamics, robot) <= limit


def test_coaxial_wheels_cost_next_to_nothing():
    """A wheel about its joint's own axis is one product and one sum, whatever else the robot does."""
    rng = np.random.default_rng(0)
    quarter = [[1, 0, 0], [0, 0, -1], [0, 1, 0]]
    bodies = [
        gw.Body(
            f"j{i}", i - 1, rotation=quarter, position=(0.3, 0, 0), mass=2, com=rng.normal(size=3), inertia=np.eye(3)
        )
        for i in range(4)
    ]
    along = [(0, -1, 0)] * 4
    spins = [gw.Spin(f"r{i}", i - 1, along[i], 1e-4, {f"j{i}": 100}) for i in range(4)]
    without = gw.compile(gw.inverse_dynamics, gw.Mechanism(bodies)).operations.arithmetic_count
    with_wheels = gw.compile(gw.inverse_dynamics, gw.Mechanism(bodies, spins)).operations.arithmetic_count
    assert with_wheels - without <= 2 * 3  # the first one is part of its body's inertia
