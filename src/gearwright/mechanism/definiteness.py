"""The check, once per machine, that its mass matrix is positive definite: a singular machine is refused by name.

The matrix is evaluated in numbers at one generic configuration, before any recursion runs. Every degree of freedom
accelerates the composite body beyond it; the wrench that this needs is projected on the degrees of freedom of its path,
all of them at once, so that the number of steps is proportional to the number of links.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import IDENTITY, ZERO, Inertia, Rot, Vec
from gearwright.algebra.operations import FLOATS
from gearwright.errors import InertiaError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import BASE
from gearwright.mechanism.joints.dofs import Dof

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism


Matrix = NDArray[np.float64]


class PlacedBody(NamedTuple):
    """A body placed: turn and shift from its parent's frame, rotation and origin in the world.

    `axes` are those of its dofs in its own frame; `path` are the numbers of all dofs from the base up to and with its
    own, which come last.
    """

    turn: Rot
    shift: Vec
    rotation: Rot
    origin: Vec
    axes: tuple[Vec, ...]
    path: NDArray[np.intp]


class WorldDofs(NamedTuple):
    """All dofs as arrays: axis and place in the world, whether it turns, number of its speed, factor on it."""

    axes: Matrix
    places: Matrix
    angular: NDArray[np.bool_]
    speeds: NDArray[np.intp]
    factors: Matrix


def generic_mass_matrix(mech: Mechanism) -> Matrix:
    """M at coordinates that no symmetry singles out, (n, n)."""
    bodies = _placed(mech)
    dofs = _in_world(mech, bodies)
    M = np.zeros((mech.n, mech.n))
    np.add.at(M, np.ix_(dofs.speeds, dofs.speeds), _between(mech, bodies, dofs) * np.outer(dofs.factors, dofs.factors))
    for spin in mech.spins:
        h = np.zeros(mech.n)
        if spin.carrier != BASE:
            body = bodies[int(spin.carrier)]
            rates = dofs.axes[body.path] @ tuple(body.rotation @ spin.axis)
            np.add.at(h, dofs.speeds[body.path], np.where(dofs.angular, dofs.factors, 0.0)[body.path] * rates)
        for i, b_i in spin.terms:
            M[i] += spin.coupled * b_i * h
            M[:, i] += spin.coupled * b_i * h
            for k, b_k in spin.terms:
                M[i, k] += spin.inertia * b_i * b_k
    return M


def _placed(mech: Mechanism) -> list[PlacedBody]:
    generic: list[Any] = [0.7 + 0.61803 * k for k in range(mech.nq)]
    base = PlacedBody(IDENTITY, ZERO, IDENTITY, ZERO, (), np.zeros(0, dtype=np.intp))
    bodies: list[PlacedBody] = []
    count = 0
    for i, (body, joint) in enumerate(zip(mech.bodies, mech.joints, strict=True)):
        below = base if mech.parent(i) == BASE else bodies[mech.parent(i)]
        turn, shift, turned = body.kind.place(body, joint.coordinates(generic), FLOATS)
        axes = tuple(dof.axis for dof in joint.dofs) if turned is None else turned
        rotation, origin = below.rotation.after(turn), below.origin + below.rotation @ shift
        path = np.append(below.path, np.arange(count, count + len(axes)))
        bodies.append(PlacedBody(turn, shift, rotation, origin, axes, path))
        count += len(axes)
    return bodies


def _in_world(mech: Mechanism, bodies: list[PlacedBody]) -> WorldDofs:
    dofs = [dof for joint in mech.joints for dof in joint.dofs]
    axes = [tuple(body.rotation @ axis) for body in bodies for axis in body.axes]
    places = [tuple(body.origin) for body in bodies for _ in body.axes]
    return WorldDofs(
        np.array(axes, dtype=float).reshape(-1, 3),
        np.array(places, dtype=float).reshape(-1, 3),
        np.array([dof.angular for dof in dofs], dtype=bool),
        np.array([dof.speed for dof in dofs], dtype=np.intp),
        np.array([dof.factor for dof in dofs], dtype=float),
    )


def _between(mech: Mechanism, bodies: list[PlacedBody], dofs: WorldDofs) -> Matrix:
    """The mass matrix over dofs, as if each had a speed of its own."""
    H = np.zeros((len(dofs.axes), len(dofs.axes)))
    composites = [body.about_origin for body in mech.bodies]
    for i in reversed(range(len(bodies))):
        body, composite = bodies[i], composites[i]
        path, own = body.path, body.path[len(body.path) - len(body.axes) :]
        arms = np.array(tuple(body.origin)) - dofs.places[path]
        for d, dof, axis in zip(own, mech.joints[i].dofs, body.axes, strict=True):
            force, moment = (np.array(tuple(body.rotation @ x)) for x in _accelerating(composite, dof, axis))
            levered = np.where(dofs.angular[path, None], moment + np.cross(arms, force), force)
            H[d, path] = H[path, d] = (dofs.axes[path] * levered).sum(axis=1)
        if (parent := mech.parent(i)) != BASE:
            composites[parent] = composites[parent] + composite.moved(body.turn, body.shift)
    return H


def _accelerating(composite: Inertia, dof: Dof, axis: Vec) -> tuple[Vec, Vec]:
    """Force and moment about the origin that accelerate a body along or about an axis by one unit, body axes."""
    if dof.angular:
        return axis.cross(composite.moment), composite.tensor @ axis
    return axis * composite.mass, composite.moment.cross(axis)


SINGULAR = 1e-12
"""Smallest eigenvalue, diagonal scaled to one, below which rounding cannot be told from zero."""

CERTAIN = 1e-8
"""A matrix of unit diagonal whose pivots all exceed this is not singular: rounding moves a pivot by less."""


def every_motion_has_inertia(mech: Mechanism) -> None:
    """Refuse a machine whose mass matrix is singular or indefinite; symbols are left to their nominal values."""
    if not mech.n or not _all_numbers(mech):
        return
    M = generic_mass_matrix(mech)
    scale = np.sqrt(np.abs(np.diag(M)))
    still = scale < SINGULAR * max(float(scale.max(initial=0.0)), 1e-300)
    if still.any():
        raise _refusal(mech, [int(np.argmax(still))], "moves nothing with inertia: the mass matrix would be singular")
    scaled = M / np.outer(scale, scale)
    if _smallest_pivot(scaled) > CERTAIN:
        return
    values, vectors = np.linalg.eigh(scaled)
    if values[0] < SINGULAR:
        motion = np.abs(vectors[:, 0] / scale)
        moved = np.flatnonzero(motion > 1e-6 * motion.max()).tolist()
        lack = "nothing with" if values[0] > -SINGULAR else "something with negative"
        raise _refusal(mech, moved, f"can move {lack} inertia: the mass matrix would not be positive definite")


def _refusal(mech: Mechanism, speeds: list[int], problem: str) -> InertiaError:
    names = ", ".join(repr(mech.speeds[k]) for k in speeds)
    who = f"speed {names}" if len(speeds) == 1 else f"speeds {names} together"
    return InertiaError(
        f"{who} {problem}. Give the body (or one further out) mass and inertia, a rotor, or make the joint fixed."
    )


def _all_numbers(mech: Mechanism) -> bool:
    bodies = [x for b in mech.bodies for x in (*b.about_origin, *b.axis, *b.position, *b.rotation.a, *b.rotation.b)]
    bodies += [x for b in mech.bodies for x in (*(b.axis2 or ()), 0.0 if b.pitch is None else b.pitch)]
    factors = [x for joint in mech.joints for x in (joint.factor, joint.offset)]
    spins = [x for s in mech.spins for x in (*s.axis, s.inertia, s.coupled, *(b for _, b in s.terms))]
    return checks.numbers(*bodies, *factors, *spins)


def _smallest_pivot(matrix: Matrix) -> float:
    """The smallest pivot of the elimination; 0 where it breaks down."""
    try:
        return float(np.square(np.diag(np.linalg.cholesky(matrix))).min())
    except np.linalg.LinAlgError:
        return 0.0
