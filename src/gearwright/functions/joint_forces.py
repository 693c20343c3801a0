"""The wrench that a joint transmits, split into the driving part and the bearing reaction."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arrays import Array
from gearwright.functions.constrained.closing import whole_motion
from gearwright.functions.dynamics import jacobian, placement, reactions
from gearwright.mechanism import BASE, Mechanism, RobotOrMech, tree_of


class JointForces(NamedTuple):
    """Wrenches from parent to body across every joint, (..., bodies, 6): force [N], moment about its origin [Nm].

    In the body's axes. `total` = `drive` + `reaction`; the reaction does no work on the joint's own motion.
    """

    total: Array
    drive: Array
    reaction: Array


def joint_forces(mech: RobotOrMech, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> JointForces:
    r"""Return the wrench in every joint, split into drive and reaction (Vukobratovic and Potkonjak, eqs 20.17, 20.18).

    A revolute joint transmits the moment $M_S = M_R + \tau e$ with $M_R \cdot e = 0$, a linear one the force
    $F_S = F_R + \tau e$ with $F_R \cdot e = 0$. The driving part is the component along the axis that acts on the
    link. A motor on the previous link also accelerates its rotor, and the generalized force is larger by this torque
    (Sciavicco, Siciliano and Villani, eq. 39). With closed loops the wrenches include those that close the loops, see
    `gw.reactions`.

    Args:
        mech: the machine, or a robot.
        q: configuration [rad, m], (..., nq).
        v: speeds [rad/s, m/s], (..., n).
        a: accelerations, (..., n).

    >>> import gearwright as gw
    >>> arm = gw.Body("arm", axis=(0, 1, 0), mass=2, com=(0.5, 0, 0))
    >>> wrenches = joint_forces(gw.Mechanism([arm]), [0.0], [0.0], [0.0])
    >>> wrenches.drive[0].round(3).tolist()                      # -m g l about y balances the weight
    [0.0, 0.0, 0.0, 0.0, -9.81, 0.0]
    >>> wrenches.reaction[0].round(3).tolist()
    [0.0, 0.0, 19.62, 0.0, 0.0, 0.0]
    """
    total = np.asarray(reactions(mech, q, v, a))
    q, _, _ = whole_motion("joint_forces", mech, q, v, a)
    mech = tree_of("joint_forces", mech, "reactions")
    drive = np.zeros_like(total)
    for body in range(len(mech.bodies)):
        speeds = sorted({dof.speed for dof in mech.joints[body].dofs})
        if speeds:
            S = _relative_motion(mech, q, body)[..., speeds]
            drive[..., body, :] = _driving_wrench(S, total[..., body, :])
    return JointForces(total, drive, total - drive)  # Vukobratovic (20.17)-(20.20)


def _relative_motion(mech: Mechanism, q: ArrayLike, body: int) -> Array:
    """Return the motion of a body relative to its parent per unit of every speed, in its frame, (..., 6, n)."""
    R, origin = (np.asarray(x) for x in placement(mech, q, body))
    relative = np.array(jacobian(mech, q, body))
    parent = mech.parent_of(body)
    if parent != BASE:
        carried = np.asarray(jacobian(mech, q, parent))
        arm = origin - np.asarray(placement(mech, q, parent).position)
        swept = np.cross(np.swapaxes(carried[..., 3:, :], -1, -2), arm[..., None, :])
        relative[..., :3, :] -= carried[..., :3, :] + np.swapaxes(swept, -1, -2)
        relative[..., 3:, :] -= carried[..., 3:, :]
    turned = np.swapaxes(R, -1, -2)
    return np.concatenate([turned @ relative[..., :3, :], turned @ relative[..., 3:, :]], axis=-2)


def _driving_wrench(S: Array, wrench: Array) -> Array:
    """Return the part of a wrench that does all its work on the motion S: moments for rotation, otherwise forces."""
    turns = np.linalg.norm(S[..., 3:, :], axis=-2, keepdims=True) > 1e-9
    push = np.concatenate([np.where(turns, 0.0, S[..., :3, :]), np.where(turns, S[..., 3:, :], 0.0)], axis=-2)
    work = np.swapaxes(S, -1, -2) @ wrench[..., None]
    share = np.linalg.solve(np.swapaxes(S, -1, -2) @ push, work)
    part: Array = (push @ share)[..., 0]
    return part
