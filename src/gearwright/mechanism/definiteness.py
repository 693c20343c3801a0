"""Check, once per machine, that the mass matrix is positive definite; the error names the speeds at fault.

The matrix is evaluated at one generic configuration by the composite-rigid-body algorithm: every degree of freedom
accelerates the composite body beyond it, and the required wrench is projected on all degrees of freedom of its path at
once, so the number of steps is proportional to the number of links.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gearwright.algebra import FLOATS, IDENTITY, ZERO, Inertia, Rot, Vec
from gearwright.errors import InertiaError
from gearwright.mechanism import checks
from gearwright.mechanism.elements import BASE
from gearwright.mechanism.joints.dofs import Dof

if TYPE_CHECKING:
    from gearwright.mechanism.mechanism import Mechanism


Matrix = NDArray[np.float64]


class PlacedBody(NamedTuple):
    """A body's pose relative to its parent, and its rotation and origin in the world.

    `axes` are those of its dofs in its own frame; `path` are the indices of all dofs from the base to its own, which
    come last.
    """

    turn: Rot
    shift: Vec
    rotation: Rot
    origin: Vec
    axes: tuple[Vec, ...]
    path: NDArray[np.intp]


class WorldDofs(NamedTuple):
    """All dofs as arrays: axis and position in the world, rotation or translation, index of the speed, factor."""

    axes: Matrix
    places: Matrix
    angular: NDArray[np.bool_]
    speeds: NDArray[np.intp]
    factors: Matrix


def generic_mass_matrix(mech: Mechanism) -> Matrix:
    """Return M at a configuration in general position, (n, n)."""
    bodies = _generic_placement(mech)
    dofs = _world_dofs(mech, bodies)
    M = np.zeros((mech.n, mech.n))
    np.add.at(
        M, np.ix_(dofs.speeds, dofs.speeds), _dof_mass_matrix(mech, bodies, dofs) * np.outer(dofs.factors, dofs.factors)
    )
    for spin in mech.spins:
        h = np.zeros(mech.n)
        if spin.carrier != BASE:
            body = bodies[int(spin.carrier)]
            rates = dofs.axes[body.path] @ tuple(body.rotation @ spin.axis)
            np.add.at(h, dofs.speeds[body.path], np.where(dofs.angular, dofs.factors, 0.0)[body.path] * rates)
        for i, b_i in spin.terms:
            M[i] += spin.coupling_inertia * b_i * h
            M[:, i] += spin.coupling_inertia * b_i * h
            for k, b_k in spin.terms:
                M[i, k] += spin.inertia * b_i * b_k
    return M


def _generic_placement(mech: Mechanism) -> list[PlacedBody]:
    generic: list[Any] = [0.7 + 0.61803 * k for k in range(mech.nq)]
    base = PlacedBody(IDENTITY, ZERO, IDENTITY, ZERO, (), np.zeros(0, dtype=np.intp))
    bodies: list[PlacedBody] = []
    count = 0
    for i, (body, joint) in enumerate(zip(mech.bodies, mech.joints, strict=True)):
        below = base if mech.parent_of(i) == BASE else bodies[mech.parent_of(i)]
        turn, shift, changed_axes = body.kind.place(body, joint.joint_coordinates(generic), FLOATS)
        axes = tuple(dof.axis for dof in joint.dofs) if changed_axes is None else changed_axes
        rotation, origin = below.rotation.after(turn), below.origin + below.rotation @ shift
        path = np.append(below.path, np.arange(count, count + len(axes)))
        bodies.append(PlacedBody(turn, shift, rotation, origin, axes, path))
        count += len(axes)
    return bodies


def _world_dofs(mech: Mechanism, bodies: list[PlacedBody]) -> WorldDofs:
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


def _dof_mass_matrix(mech: Mechanism, bodies: list[PlacedBody], dofs: WorldDofs) -> Matrix:
    """Return the mass matrix over all dofs as independent speeds."""
    H = np.zeros((len(dofs.axes), len(dofs.axes)))
    composites = [body.about_origin for body in mech.bodies]
    for i in reversed(range(len(bodies))):
        body, composite = bodies[i], composites[i]
        path, own_dofs = body.path, body.path[len(body.path) - len(body.axes) :]
        arms = np.array(tuple(body.origin)) - dofs.places[path]
        for d, dof, axis in zip(own_dofs, mech.joints[i].dofs, body.axes, strict=True):
            force, moment = (np.array(tuple(body.rotation @ x)) for x in _accelerating_wrench(composite, dof, axis))
            levered = np.where(dofs.angular[path, None], moment + np.cross(arms, force), force)
            H[d, path] = H[path, d] = (dofs.axes[path] * levered).sum(axis=1)
        if (parent := mech.parent_of(i)) != BASE:
            composites[parent] = composites[parent] + composite.transformed_by(body.turn, body.shift)
    return H


def _accelerating_wrench(composite: Inertia, dof: Dof, axis: Vec) -> tuple[Vec, Vec]:
    """Return force and moment about the origin for a unit acceleration along or about an axis, body axes."""
    if dof.angular:
        return axis.cross(composite.moment), composite.tensor @ axis
    return axis * composite.mass, composite.moment.cross(axis)


SINGULAR_EIGENVALUE = 1e-12
"""Smallest eigenvalue, with the diagonal scaled to one, below which the matrix is singular up to rounding."""

REGULAR_PIVOT = 1e-8
"""Pivot of a matrix with unit diagonal above which it is not singular: larger than the rounding error."""


def require_definite_mass_matrix(mech: Mechanism) -> None:
    """Raise an error if the mass matrix is singular or indefinite; symbolic machines are not checked."""
    if not mech.n or not _is_numeric(mech):
        return
    M = generic_mass_matrix(mech)
    scale = np.sqrt(np.abs(np.diag(M)))
    inertialess = scale < SINGULAR_EIGENVALUE * max(float(scale.max(initial=0.0)), 1e-300)
    if inertialess.any():
        raise _inertia_error(mech, [int(np.argmax(inertialess))], "has no inertia: the mass matrix would be singular")
    scaled = M / np.outer(scale, scale)
    if _smallest_pivot(scaled) > REGULAR_PIVOT:
        return
    values, vectors = np.linalg.eigh(scaled)
    if values[0] < SINGULAR_EIGENVALUE:
        motion = np.abs(vectors[:, 0] / scale)
        moved_speeds = np.flatnonzero(motion > 1e-6 * motion.max()).tolist()
        lack = "zero" if values[0] > -SINGULAR_EIGENVALUE else "negative"
        raise _inertia_error(
            mech, moved_speeds, f"can move with {lack} inertia: the mass matrix is not positive definite"
        )


def _inertia_error(mech: Mechanism, speeds: list[int], problem: str) -> InertiaError:
    names = ", ".join(repr(mech.speeds[k]) for k in speeds)
    subject = f"speed {names}" if len(speeds) == 1 else f"speeds {names} together"
    return InertiaError(
        f"{subject} {problem}. Give the body (or one beyond it) mass and inertia, add a rotor, or make the joint fixed."
    )


def _is_numeric(mech: Mechanism) -> bool:
    bodies = [x for b in mech.bodies for x in (*b.about_origin, *b.axis, *b.position, *b.rotation.a, *b.rotation.b)]
    bodies += [x for b in mech.bodies for x in (*(b.axis2 or ()), 0.0 if b.pitch is None else b.pitch)]
    factors = [x for joint in mech.joints for x in (joint.factor, joint.offset)]
    spins = [x for s in mech.spins for x in (*s.axis, s.inertia, s.coupling_inertia, *(b for _, b in s.terms))]
    return checks.are_numbers(*bodies, *factors, *spins)


def _smallest_pivot(matrix: Matrix) -> float:
    """Return the smallest pivot of the elimination; 0 if it fails."""
    try:
        return float(np.square(np.diag(np.linalg.cholesky(matrix))).min())
    except np.linalg.LinAlgError:
        return 0.0
