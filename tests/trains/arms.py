"""A spatial chain to hang gears on, as parts and as explicit bodies, with the same random numbers."""

from __future__ import annotations

import numpy as np
import pytest

from gearwright.parts import Joint, Link
from trains.explicit import Explicit

pin = pytest.importorskip("pinocchio")  # has no wheel for Windows

SPEEDS = ("j1", "j2", "j3")
AXES = {"j1": (0.0, 0.3, 1.0), "j2": (0.8, 0.1, 0.2), "j3": (0.2, -0.5, 1.0)}


def numbers(seed: int):
    """Per link: rotation, position, mass, centre of mass and central tensor."""
    rng = np.random.default_rng(seed)
    found = {}
    for joint in SPEEDS:
        A = rng.normal(size=(3, 3))
        spread = A @ A.T * 0.05 + 0.05 * np.eye(3)  # sum of m r r', so that the tensor is one a body can have
        tensor = np.trace(spread) * np.eye(3) - spread
        rotation = pin.exp3(rng.normal(size=3))
        found[joint] = rotation, rng.normal(size=3) * 0.3, rng.uniform(2, 6), rng.normal(size=3) * 0.1, tensor
    return found


def chain(seed: int = 1) -> list[Link]:
    """Three links, joints j1 to j3 about skew axes."""
    parents = ("base", "l1", "l2")
    links = []
    for parent, (joint, (R, p, m, c, I)) in zip(parents, numbers(seed).items(), strict=True):
        place = Joint(joint, axis=AXES[joint], rotation=R, position=p)
        links.append(Link(joint.replace("j", "l"), parent, place, m, c, I))
    return links


def explicit_chain(seed: int = 1, speeds=SPEEDS) -> Explicit:
    """The same chain for Pinocchio."""
    oracle = Explicit(speeds)
    for parent, (joint, (R, p, m, c, I)) in zip(("base", "l1", "l2"), numbers(seed).items(), strict=True):
        name = joint.replace("j", "l")
        oracle.add(name, parent, {joint: 1.0}, axis=AXES[joint], rotation=R, position=p, mass=m, com=c, inertia=I)
    return oracle


def axis_in_parent(joint: str, seed: int = 1):
    """A joint's axis and origin in its parent's frame."""
    R, p, *_ = numbers(seed)[joint]
    e = np.array(AXES[joint])
    return R @ e / np.linalg.norm(e), p


def across(e):
    """Two unit vectors across e."""
    e = np.asarray(e) / np.linalg.norm(e)
    u = np.array([1.0, 0, 0]) if abs(e[0]) < 0.9 else np.array([0, 1.0, 0])
    u = u - e * (e @ u)
    u /= np.linalg.norm(u)
    return u, np.cross(e, u)


def states(n: int, count: int = 3, seed: int = 5):
    """Random q, v, a."""
    rng = np.random.default_rng(seed)
    return [tuple(rng.normal(size=(3, n))) for _ in range(count)]
