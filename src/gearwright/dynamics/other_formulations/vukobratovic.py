"""The recursive forming of H and h: Vukobratovic and Potkonjak, eqs (20.32) to (20.60), corrected.

Velocities and accelerations of the centres of mass are linear forms in the speeds and accelerations,

    w = Lambda v,   v_C = Xi v,   eps = Lambda a + Gamma,   w_C = Xi a + Delta,

in world axes, from which the rows of H a + h = tau follow. Independent of the other recursions: for checks, teaching,
and H and h in one pass. Extended from chains to trees, joints of several speeds, and spins.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from gearwright.algebra import ZERO, Scalar, Vec
from gearwright.dynamics.kinematics import joint_motion
from gearwright.dynamics.mass_matrix import Matrix
from gearwright.dynamics.pose import Pose
from gearwright.dynamics.springs import add_springs
from gearwright.mechanism import row_dot
from gearwright.mechanism.joints.dofs import Dof, axis_acceleration

LinearForm = dict[int, Vec]
"""The coefficients of a linear form: one vector per speed it depends on."""


class RecursiveForm(NamedTuple):
    """H(q) a + h(q, v) = tau, gravity and springs in h."""

    H: Matrix
    h: list[Scalar]


class LinkForms(NamedTuple):
    """The linear forms of one link, world axes, at its centre of mass C."""

    Lambda: LinearForm
    Gamma: Vec
    Xi: LinearForm
    Delta: Vec
    omega: Vec
    centre: Vec


def recursive_form(pose: Pose, v: Sequence[Scalar]) -> RecursiveForm:
    """H and h, row by row."""
    mech = pose.mech
    links = link_forms(pose, v)
    H: Matrix = [[0.0] * mech.n for _ in range(mech.n)]
    h: list[Scalar] = [0.0] * mech.n
    for k, link in enumerate(links[:-1]):
        force, force_free = _force_form(pose, k, link)
        couple, couple_free = _couple_form(pose, k, link, v)
        for j in mech.body_paths[k]:
            R, p = pose.world_placements[j]
            arm = link.centre - p
            for dof in pose.dofs[j]:
                e = R @ (dof.axis * dof.factor)
                for i in {**force, **couple}:
                    share = _joint_projection(dof, e, arm, force.get(i, ZERO), couple.get(i, ZERO))
                    H[dof.speed][i] = H[dof.speed][i] + share
                # Vukobratovic (20.52)-(20.60)
                h[dof.speed] = h[dof.speed] + _joint_projection(dof, e, arm, force_free, couple_free)
    _add_spin_equations(pose, links, H, h)
    return RecursiveForm(H, add_springs(pose, v, h))


def _joint_projection(dof: Dof, e: Vec, arm: Vec, force: Vec, couple: Vec) -> Scalar:
    """The projection that eliminates the reactions: eq. (20.50) for a linear joint, (20.51) for a revolute one."""
    return e.dot(couple + arm.cross(force)) if dof.angular else e.dot(force)  # Vukobratovic (20.48)-(20.51)


def link_forms(pose: Pose, v: Sequence[Scalar]) -> list[LinkForms]:
    """The forms of all links from the base outwards, eqs (20.40) to (20.43); the last entry is that of the base."""
    mech = pose.mech
    links = [LinkForms({}, ZERO, {}, ZERO, ZERO, ZERO)] * (len(mech.bodies) + 1)
    for i, body in enumerate(mech.bodies):
        last = links[mech.parent_of(i)]
        R, p = pose.world_placements[i]
        centre = R @ body.com + p
        to_joint, to_centre = p - last.centre, centre - p
        om, vl = (ZERO if x is None else R @ x for x in joint_motion(pose.dofs[i], v))
        Lambda, Xi = dict(last.Lambda), dict(last.Xi)
        for k, turn in last.Lambda.items():
            Xi[k] = Xi.get(k, ZERO) + turn.cross(to_joint)
        for dof in pose.dofs[i]:
            e = R @ (dof.axis * dof.factor)
            target = Lambda if dof.angular else Xi
            target[dof.speed] = target.get(dof.speed, ZERO) + e  # Vukobratovic (20.32)-(20.41)
        for k, turn in Lambda.items():
            Xi[k] = Xi.get(k, ZERO) + turn.cross(to_centre)
        w0, w = last.omega, last.omega + om  # Vukobratovic (20.23)-(20.31)
        drift = axis_acceleration(pose.dofs[i], v)
        Gamma = last.Gamma + (w0.cross(om) if drift is None else w0.cross(om) + R @ drift)  # Vukobratovic (20.42)
        Delta = last.Delta + last.Gamma.cross(to_joint) + w0.cross(w0.cross(to_joint))
        # Vukobratovic (20.43), corrected
        Delta = Delta + (w0 * 2 + om).cross(vl) + Gamma.cross(to_centre) + w.cross(w.cross(to_centre))
        links[i] = LinkForms(Lambda, Gamma, Xi, Delta, w, centre)
    return links


def _force_form(pose: Pose, k: int, link: LinkForms) -> tuple[LinearForm, Vec]:
    """M (w_C - g) as a linear form, eqs (20.44), (20.46)."""
    mass = pose.mech.bodies[k].mass
    return {i: x * mass for i, x in link.Xi.items()}, (
        link.Delta - pose.mech.gravity
    ) * mass  # Vukobratovic (20.44), (20.46)-(20.47)


def _couple_form(pose: Pose, k: int, link: LinkForms, v: Sequence[Scalar]) -> tuple[LinearForm, Vec]:
    """J eps + w x J w plus the rate of the carried wheels' momentum, eq. (20.45), world axes."""
    mech = pose.mech
    A, J = pose.world_placements[k][0], mech.bodies[k].inertia
    w = A.T @ link.omega
    form = {i: A @ (J @ (A.T @ x)) for i, x in link.Lambda.items()}
    free = A @ (J @ (A.T @ link.Gamma) + w.cross(J @ w))  # Vukobratovic (20.45)
    for spin in mech.spins_by_carrier[k]:
        axis = A @ spin.axis
        for i, ratio in spin.terms:
            form[i] = form.get(i, ZERO) + axis * (spin.coupling_inertia * ratio)
        free = free + link.omega.cross(axis) * (spin.coupling_inertia * row_dot(spin.terms, v))
    return form, free


def _add_spin_equations(pose: Pose, links: Sequence[LinkForms], H: Matrix, h: list[Scalar]) -> None:
    """Every wheel's own equation, b (J sd + Jc e . eps of its carrier)."""
    for spin in pose.mech.spins:
        carrier = int(spin.carrier)
        axis = pose.world_placements[carrier][0] @ spin.axis
        for r, ratio in spin.terms:
            for i, other_ratio in spin.terms:
                H[r][i] = H[r][i] + ratio * spin.inertia * other_ratio
            for i, turn in links[carrier].Lambda.items():
                H[r][i] = H[r][i] + ratio * spin.coupling_inertia * axis.dot(turn)
            h[r] = h[r] + ratio * spin.coupling_inertia * axis.dot(links[carrier].Gamma)
