"""Configurations as jets: a machine that is nudged in every direction at once, and one that coasts.

The derivatives of placements are the velocities and accelerations that the recursions of `dynamics` have for every
kind of joint: a body turns with R' = S(w) R and R'' = (S(alpha) + S(w) S(w)) R.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gearwright.algebra import Operations, Rot, Scalar, Vec, is_zero
from gearwright.algebra.differentiation.partials import Slopes
from gearwright.algebra.differentiation.taylor_series import Jet, JetOperations
from gearwright.dynamics.configuration import own_joints, rate
from gearwright.forces.coordinates.configuration import Configuration, Placing
from gearwright.forces.shared_kinematics import Scene
from gearwright.mechanism import Mechanism

TIME = "t"
"""The direction in which only time goes on; all others are numbers of speeds."""


def here(scene: Scene, ops: Operations | None = None) -> Configuration:
    """As it is, in the scalars of the scene."""
    return Configuration(scene.mech, scene.t, scene.q, ops or scene.ops, lambda body: scene.pose.world[body])


def nudged(scene: Scene) -> Configuration:
    """With slopes in the direction of every speed, and of time."""
    slopes = _coordinate_slopes(scene.mech, scene.q, scene.ops)
    q = [_sloped(x, slope) for x, slope in zip(scene.q, slopes, strict=True)]
    t = Jet([scene.t, Slopes({TIME: 1.0})])
    return Configuration(scene.mech, t, q, JetOperations(scene.ops), lambda body: _nudged_world(scene, body))


def coasting(scene: Scene) -> Configuration:
    """While time goes on and no speed changes: every scalar with its first and second time derivative."""
    ops = JetOperations(scene.ops)
    first = rate(scene.mech, scene.q, scene.v, scene.ops)
    moving = rate(scene.mech, [Jet([x, dx]) for x, dx in zip(scene.q, first, strict=True)], scene.v, ops)
    q = [_curved(x, dx, _slope(r)) for x, dx, r in zip(scene.q, first, moving, strict=True)]
    return Configuration(scene.mech, Jet([scene.t, 1.0, 0.0]), q, ops, lambda body: _coasting_world(scene, body))


def _coordinate_slopes(mech: Mechanism, q: Sequence[Scalar], ops: Operations) -> list[dict[object, Scalar]]:
    """Per coordinate its rate per unit of each speed."""
    found: list[dict[object, Scalar]] = [{} for _ in q]
    for space, where, speeds in own_joints(mech):
        size = speeds.stop - speeds.start
        for k in range(size):
            if space.straight:
                found[where.start + k][speeds.start + k] = 1.0
                continue
            unit = [float(j == k) for j in range(size)]
            for i, x in enumerate(space.rate(q[where], unit, ops)):
                found[where.start + i][speeds.start + k] = x
    return found


def _nudged_world(scene: Scene, body: int) -> Placing:
    R, p = scene.pose.world[body]
    J = scene.jacobian(body)
    ways = range(scene.mech.n)
    linear = [{k: J[i][k] for k in ways} for i in range(3)]
    turns = {k: Vec(J[3][k], J[4][k], J[5][k]) for k in ways if not all(is_zero(J[i][k]) for i in (3, 4, 5))}
    columns = []
    for column in R.columns():
        rates = {k: w.cross(column) for k, w in turns.items()}
        columns.append(Vec(*(_sloped(x, {k: tuple(u)[i] for k, u in rates.items()}) for i, x in enumerate(column))))
    return Rot(*columns).T, Vec(*(_sloped(x, slope) for x, slope in zip(p, linear, strict=True)))


def _coasting_world(scene: Scene, body: int) -> Placing:
    R, p = scene.pose.world[body]
    velocity, acceleration = scene.velocities[body], scene.coasting[body]
    turning, bending = R.after(Rot.cross(velocity.omega)), R.after(acceleration.field)
    rows = [
        Vec(*(_curved(*three) for three in zip(*rows, strict=True)))
        for rows in zip(R.rows(), turning.rows(), bending.rows(), strict=True)
    ]
    moving, speeding = R @ velocity.linear, R @ acceleration.linear
    return Rot(*rows), Vec(*(_curved(*three) for three in zip(p, moving, speeding, strict=True)))


def _sloped(x: Scalar, slopes: Mapping[Any, Scalar]) -> Scalar:
    """A jet, or the scalar itself where nothing moves it."""
    found = Slopes(slopes)
    return Jet([x, found]) if found.by else x


def _curved(x: Scalar, first: Scalar, second: Scalar) -> Scalar:
    return x if is_zero(first) and is_zero(second) else Jet.of_derivatives([x, first, second])


def _slope(x: Scalar) -> Scalar:
    return x.c[1] if isinstance(x, Jet) else 0.0
