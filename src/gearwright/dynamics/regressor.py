"""The regressor: generalized forces are linear in the inertial parameters, tau = Y pi."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import UNIT_AXES, Scalar, Vec
from gearwright.dynamics.inverse_dynamics import BodyWrench
from gearwright.dynamics.kinematics import BASE_AT_REST, BodyAcceleration, body_accelerations
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import spring_deflection
from gearwright.mechanism import BASE, Mechanism, Spin, Spring, row_dot

BODY_PARAMETERS = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz")
Column = list[Scalar]


def parameter_names(mech: Mechanism) -> list[str]:
    """Names in the order of the parameter vector: bodies, then spins, then springs."""
    bodies = [f"{body.name}.{name}" for body in mech.bodies for name in BODY_PARAMETERS]
    springs = [f"{spring.name}.{name}" for spring in mech.springs for name in ("stiffness", "damping")]
    return bodies + [f"{spin.name}.J" for spin in mech.spins] + springs


def parameters(mech: Mechanism) -> list[Scalar]:
    """Per body [m, mc, I about the body origin], then one inertia per spin, then [stiffness, damping] per spring."""
    bodies = [x for body in mech.bodies for x in body.about_origin]  # Sciavicco (31)
    springs = [x for spring in mech.springs for x in (spring.stiffness, spring.damping)]
    return bodies + [spin.inertia for spin in mech.spins] + springs


def regressor(pose: Pose, v: Sequence[Scalar], a: Sequence[Scalar]) -> Matrix:
    """Y (n, parameters) with tau = Y pi, eq. (32) of Sciavicco, Siciliano and Villani for trees and general rows.

    The column of a spin keeps coupling/inertia fixed.
    """
    mech = pose.mech
    root = BodyAcceleration.of_base(mech.gravity, BASE_AT_REST)
    moving = [*body_accelerations(pose, v, a, root), root]
    # Sciavicco (32)-(33)
    columns = [
        _project_wrench(pose, i, wrench) for i in range(len(mech.bodies)) for wrench in _body_wrenches(moving[i])
    ]
    columns += [_spin_column(pose, spin, moving[int(spin.carrier)], v, a) for spin in mech.spins]
    for spring in mech.springs:
        columns += _spring_columns(pose, spring, v)
    return [list(row) for row in zip(*columns, strict=True)]


def _body_wrenches(moving: BodyAcceleration) -> list[BodyWrench]:
    """Return the wrench per unit of each of a body's ten parameters: force and moment at the origin, body axes."""
    w, wd, a, field = moving
    nothing = a * 0.0
    wrenches = [BodyWrench(a, nothing)]
    for h in UNIT_AXES:  # first moments
        wrenches.append(BodyWrench(field @ h, h.cross(a)))
    x, y, z = UNIT_AXES
    for e, f in ((x, x), (x, y), (x, z), (y, y), (y, z), (z, z)):  # tensor elements
        wrenches.append(BodyWrench(nothing, _unit_tensor_product(e, f, wd) + w.cross(_unit_tensor_product(e, f, w))))
    return wrenches


def _unit_tensor_product(e: Vec, f: Vec, u: Vec) -> Vec:
    """Return the unit tensor with one element (and its transpose) times a vector."""
    return e * u.dot(f) if e is f else e * u.dot(f) + f * u.dot(e)


def _project_wrench(pose: Pose, body: int, wrench: BodyWrench) -> Column:
    """Return the generalized forces of the joints on a body's path for a wrench on the body."""
    column: Column = [0.0] * pose.mech.n
    force, moment = wrench
    for i in pose.mech.body_paths[body]:
        for dof in pose.dofs[i]:
            share = dof.axis.dot(moment if dof.angular else force)
            column[dof.speed] = column[dof.speed] + dof.times_factor(share)
        force, moment = pose.turn[i] @ force, pose.turn[i] @ moment
        moment = moment + pose.shift[i].cross(force)
    return column


def _spin_column(pose: Pose, spin: Spin, moving: BodyAcceleration, v: Sequence[Scalar], a: Sequence[Scalar]) -> Column:
    share = spin.coupling_share
    rate, rate_dot = row_dot(spin.terms, v), row_dot(spin.terms, a)
    if spin.carrier == BASE:
        column: Column = [0.0] * pose.mech.n
    else:
        push = (spin.axis * rate_dot + moving.omega.cross(spin.axis) * rate) * share
        column = _project_wrench(pose, int(spin.carrier), BodyWrench(push * 0.0, push))
    for index, ratio in spin.terms:
        column[index] = column[index] + ratio * (rate_dot + share * moving.alpha.dot(spin.axis))
    return column


def _spring_columns(pose: Pose, spring: Spring, v: Sequence[Scalar]) -> tuple[Column, Column]:
    stiffness: Column = [0.0] * pose.mech.n
    damping: Column = [0.0] * pose.mech.n
    for index, factor in spring.terms:
        stiffness[index] = stiffness[index] + factor * spring_deflection(pose, spring)
        damping[index] = damping[index] + factor * row_dot(spring.terms, v)
    return stiffness, damping
