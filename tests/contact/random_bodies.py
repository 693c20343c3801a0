"""Random rigid bodies above a floor, with point contacts: what the tests of both engines throw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import gearwright as gw
from gearwright.contact import Contact, Plane

G = 9.81


def planar_body(points, mass=1.0, inertia=0.1) -> gw.Mechanism:
    """A body on slides along x and z and a joint about y, with frames p0, p1, ... at points (x, z)."""
    return gw.Mechanism(
        [
            gw.Body("x", -1, "prismatic", (1, 0, 0)),
            gw.Body("z", 0, "prismatic", (0, 0, 1)),
            gw.Body("body", 1, "revolute", (0, 1, 0), mass=mass, inertia=inertia * np.eye(3)),
        ],
        gravity=(0, 0, -G),
        frames=[gw.BodyFrame(f"p{k}", "body", position=(x, 0, z)) for k, (x, z) in enumerate(points)],
    )


def free_body(points, mass=1.0, inertia=(0.1, 0.1, 0.1)) -> gw.Mechanism:
    """A free body with frames p0, p1, ... at points (x, y, z)."""
    frames = [gw.BodyFrame(f"p{k}", "body", position=tuple(point)) for k, point in enumerate(points)]
    body = gw.Body("body", -1, "free", mass=mass, inertia=np.diag(inertia))
    return gw.Mechanism([body], gravity=(0, 0, -G), frames=frames)


def floors(count, restitution=0.0, friction=0.0, **settings) -> list[Contact]:
    """Contacts of p0, p1, ... with the floor."""
    return [Contact(f"p{k}", Plane(), restitution, friction, name=f"c{k}", **settings) for k in range(count)]


@dataclass(frozen=True)
class Throw:
    """A body, how it starts, and its contacts."""

    mech: gw.Mechanism
    q: np.ndarray
    v: np.ndarray
    laws: list[Contact]

    def energies(self, run) -> np.ndarray:
        """Kinetic and potential energy of every sample."""
        pairs = zip(run.q, run.v, strict=True)
        return np.array([gw.kinetic_energy(self.mech, q, v) + gw.potential_energy(self.mech, q) for q, v in pairs])


def random_throw(seed: int) -> Throw:
    """1 to 8 contacts, friction and restitution 0 to 1: feet in a plane, points on a ball or in a box; some at rest."""
    rng = np.random.default_rng(seed)
    planar, count, mass = rng.random() < 0.5, int(rng.integers(1, 9)), float(rng.uniform(0.3, 3))
    friction, restitution = (float(rng.choice([0.0, rng.uniform(), rng.uniform()])) for _ in range(2))
    size, shape = rng.uniform(0.1, 0.4), rng.integers(3)
    points = rng.uniform(-1, 1, (count, 2 if planar else 3))
    if shape == 0:
        points[:, -1] = -0.5
    elif shape == 1:
        points /= np.linalg.norm(points, axis=1)[:, None]
    points *= size
    height, moving, upright = rng.uniform(0, 0.2) * rng.integers(2), rng.integers(2), shape == 0 and rng.random() < 0.5
    if planar:
        mech = planar_body(points, mass, mass * size**2 * rng.uniform(0.3, 0.6))
        angle = 0.0 if upright else rng.uniform(-3, 3)
        heights = points @ [-np.sin(angle), np.cos(angle)]
        q, v = np.array([0, height - heights.min(), angle]), rng.uniform(-1, 1, 3) * [2, 1, 4]
        along = [1, 0, 0]
    else:
        mech = free_body(points, mass, mass * size**2 * rng.uniform(0.3, 0.5, 3))
        w, x, y, z = turn = np.array([1.0, 0, 0, 0]) if upright else _unit(rng.normal(size=4))
        heights = points @ [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
        q, v = np.array([0, 0, height - heights.min(), *turn]), rng.uniform(-1, 1, 6) * [2, 2, 1, 4, 4, 4]
        along = [1, 1, 0, 0, 0, 0]
    return Throw(mech, q, moving * v * (1.0 if height else along), floors(count, restitution, friction))


def _unit(x):
    return x / np.linalg.norm(x)
