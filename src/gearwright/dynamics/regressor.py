"""The regressor: generalized forces are linear in the inertial parameters, tau = Y pi."""

from __future__ import annotations

from collections.abc import Sequence

from gearwright.algebra import Scalar, Vec
from gearwright.dynamics.inverse_dynamics import Wrench
from gearwright.dynamics.kinematics import AT_REST, Acceleration, accelerations
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import stretch
from gearwright.mechanism import Mechanism, Spin, Spring
from gearwright.mechanism.joints.dofs import UNIT_AXES
from gearwright.mechanism.rows import along

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
    root = Acceleration.of_base(mech.gravity, AT_REST)
    moving = [*accelerations(pose, v, a, root), root]
    # Sciavicco (32)-(33)
    columns = [_projected(pose, i, wrench) for i in range(len(mech.bodies)) for wrench in _body_wrenches(moving[i])]
    columns += [_spin_column(pose, spin, moving[int(spin.carrier)], v, a) for spin in mech.spins]
    for spring in mech.springs:
        columns += _spring_columns(pose, spring, v)
    return [list(row) for row in zip(*columns, strict=True)]


def _body_wrenches(moving: Acceleration) -> list[Wrench]:
    """The wrench per unit of each of a body's ten parameters: force over moment at the origin, body axes."""
    w, wd, a, field = moving
    nothing = a * 0.0
    wrenches = [Wrench(a, nothing)]
    for h in UNIT_AXES:  # first moments
        wrenches.append(Wrench(field @ h, h.cross(a)))
    x, y, z = UNIT_AXES
    for e, f in ((x, x), (x, y), (x, z), (y, y), (y, z), (z, z)):  # tensor elements
        wrenches.append(Wrench(nothing, _element(e, f, wd) + w.cross(_element(e, f, w))))
    return wrenches


def _element(e: Vec, f: Vec, u: Vec) -> Vec:
    """The unit tensor with one element (and its mirror image) times a vector."""
    return e * u.dot(f) if e is f else e * u.dot(f) + f * u.dot(e)


def _projected(pose: Pose, body: int, wrench: Wrench) -> Column:
    """The generalized forces that a wrench needed at one body asks from the joints on its path."""
    column: Column = [0.0] * pose.mech.n
    force, moment = wrench
    for i in pose.mech.paths[body]:
        for dof in pose.dofs[i]:
            share = dof.axis.dot(moment if dof.angular else force)
            column[dof.speed] = column[dof.speed] + dof.scaled(share)
        force, moment = pose.turn[i] @ force, pose.turn[i] @ moment
        moment = moment + pose.shift[i].cross(force)
    return column


def _spin_column(pose: Pose, spin: Spin, moving: Acceleration, v: Sequence[Scalar], a: Sequence[Scalar]) -> Column:
    share = spin.coupling_share
    rate, rate_dot = along(spin.terms, v), along(spin.terms, a)
    if spin.carrier == -1:
        column: Column = [0.0] * pose.mech.n
    else:
        push = (spin.axis * rate_dot + moving.omega.cross(spin.axis) * rate) * share
        column = _projected(pose, int(spin.carrier), Wrench(push * 0.0, push))
    for index, ratio in spin.terms:
        column[index] = column[index] + ratio * (rate_dot + share * moving.alpha.dot(spin.axis))
    return column


def _spring_columns(pose: Pose, spring: Spring, v: Sequence[Scalar]) -> tuple[Column, Column]:
    stiffness: Column = [0.0] * pose.mech.n
    damping: Column = [0.0] * pose.mech.n
    for index, factor in spring.terms:
        stiffness[index] = stiffness[index] + factor * stretch(pose, spring)
        damping[index] = damping[index] + factor * along(spring.terms, v)
    return stiffness, damping
