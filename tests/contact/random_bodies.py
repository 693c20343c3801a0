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
        return gw.kinetic_energy(self.mech, run.q, run.v) + gw.potential_energy(self.mech, run.q)


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


def friction_excess(throw: Throw, run) -> float:
    """The largest horizontal impulse beyond mu times the vertical one, since the start of a run [Ns].

    Friction at each contact is within its cone at every instant, so the sums are too:
    |p(t) - p(0)| <= mu (m g t + p_z(t) - p_z(0)). A body that has slid in at u rests no sooner than u / (mu g).
    """
    mass = sum(body.mass for body in throw.mech.bodies)
    momentum = mass * speeds_of_points(throw.mech, run.q, run.v, "body")
    change = momentum - momentum[0]
    pressed = throw.laws[0].friction * (mass * G * run.t + change[:, 2])
    return float((np.hypot(change[:, 0], change[:, 1]) - pressed).max())


def reason_to_move(throw: Throw, run) -> str:
    """Why a rough body with restitution below 1 still moves at the end of a run: "" if it rests, "unknown" if none.

    - "friction": the cone of friction has not had the time to stop it, see `friction_excess`;
    - "swing": it turns about points that stick, without loss, and as many freedoms are left as it needs for that;
    - "loss": it rocks, bounces or slides and loses energy by that (a rocking block needs infinitely many impacts, each
      of which takes only a share of the energy: Housner 1963).
    """
    if np.abs(run.v[-1]).max() < 1e-6:
        return ""
    mech, law = throw.mech, throw.laws[0]
    begin = speeds_of_points(mech, run.q[:1], run.v[:1], "body")[0]
    if np.hypot(*begin[:2]) / (law.friction * G) + begin[2] / G > run.t[-1]:
        return "friction"
    energy, late = throw.energies(run), run.t > 0.75 * run.t[-1]
    if energy[late][0] - energy[-1] > 1e-6 * np.ptp(energy):
        return "loss"
    q, v, names = run.q[late], run.v[late], [frame.name for frame in mech.frames]
    closed = np.array([gw.placement(mech, q, name).position[:, 2] for name in names]) < 1e-7
    slips = np.array([np.abs(speeds_of_points(mech, q, v, name)).max(axis=1) for name in names])
    touching = [name for name, touches in zip(names, closed[:, -1], strict=True) if touches]
    if not closed.any(axis=0).all() or slips[closed].max() > 1e-5:
        return "unknown"
    rank = np.linalg.matrix_rank(np.vstack([gw.jacobian(mech, q[-1], name)[:3] for name in touching]), tol=1e-9)
    return "swing" if rank < mech.n else "unknown"


def speeds_of_points(mech: gw.Mechanism, q, v, name: str) -> np.ndarray:
    """World velocities (N, 3) of a body or frame."""
    return np.einsum("tij,tj->ti", gw.jacobian(mech, q, name)[:, :3], v)
