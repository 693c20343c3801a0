"""Inverse kinematics: where the joints must be for a frame to take a pose."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_floats, number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.contact.constraint import Constraint
from gearwright.functions.backend import twin
from gearwright.functions.constrained.closure import closure_of
from gearwright.functions.dynamics import placement
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.planning.kinematics.closed_loop_descent import ClosedDescent
from gearwright.planning.kinematics.descent import Descent
from gearwright.planning.kinematics.joint_ranges import Joints
from gearwright.planning.kinematics.poses import wanted
from gearwright.planning.kinematics.solution_branches import all_branches
from gearwright.plots.notebook import table
from gearwright.programs.inputs import checked
from gearwright.programs.placement import Placement
from gearwright.text import did_you_mean, listed

SINGULAR = 1e-4
"""Share of the largest singular value of the Jacobian below which the smallest counts as none."""
SHOWN = 20
"""Configurations that a notebook shows."""


@dataclass(frozen=True)
class InverseKinematics:
    """Configurations found for poses; leading axes are those of the poses.

    Args:
        q: configurations [rad, m], (..., nq); with all branches (..., branches, nq), nan where there are fewer.
        reached: whether the pose is reached to the tolerance, (...). Where not, q is the nearest that was found.
        error: what is left, sqrt(position^2 + angle^2) [m, rad], (...).
        descent: who found them.
        poses: what was asked for: rotation row by row and position, (poses, 12).
        tolerance: what `reached` means [m, rad].
    """

    q: Array
    reached: NDArray[np.bool_]
    error: Array
    descent: Descent = field(repr=False)
    poses: Array = field(repr=False)
    tolerance: float = field(repr=False)

    def _repr_html_(self) -> str:
        mech = self.descent.joints.mech
        q = self.q.reshape(-1, self.q.shape[-1])
        branches = len(q) // max(self.reached.size, 1)
        told = zip(np.repeat(self.reached, branches), np.repeat(self.error, branches), q, strict=True)
        rows = [
            ("yes" if reached else "no", f"{error:.3g}", *map("{:.6g}".format, row)) for reached, error, row in told
        ]
        more = f"<p>and {len(rows) - SHOWN} more</p>" if len(rows) > SHOWN else ""
        return table(["reached", "error [m, rad]", *mech.coordinates], rows[:SHOWN]) + more

    @cached_property
    def pose(self) -> Placement:
        """Where the frame is, for poses out of reach the nearest that was found."""
        return placement(self.descent.joints.mech, np.nan_to_num(self.q), self.descent.frame)

    @cached_property
    def dexterity(self) -> Array:
        """Smallest over largest singular value of the Jacobian of the task, (...): 0 where the arm is singular."""
        return self.descent.dexterity(np.nan_to_num(self.q))

    @cached_property
    def beyond_limits(self) -> NDArray[np.bool_]:
        """Whether only limits of the joints keep a pose from being reached, (...): without them it is.

        Searched for when it is asked for, once, from where the joints are and then from all over the workspace.
        """
        count = len(self.poses)
        if self.reached.all():
            return np.zeros(self.reached.shape, dtype=bool)
        lost = ~self.reached.reshape(count, -1).any(axis=1)
        nearest = np.nan_to_num(self.q).reshape(count, -1, self.q.shape[-1])[:, 0]
        free, solved = self.descent.without_limits(), np.zeros((count, 1), dtype=bool)
        if lost.any():
            _, error = free.reach(self.poses[lost], np.ascontiguousarray(nearest[lost]), self.tolerance**2)
            solved[lost, 0] = error <= self.tolerance**2
        return np.broadcast_to(solved, self.reached.reshape(count, -1).shape).reshape(self.reached.shape)

    @property
    def singular(self) -> NDArray[np.bool_]:
        """Whether the arm has lost a direction of motion there, (...)."""
        return self.dexterity < SINGULAR


@check_arguments
def inverse_kinematics(
    robot: Robot | Mechanism,
    frame: int | str,
    pose: Any,
    start: ArrayLike | None = None,
    branches: str = "one",
    *,
    held: Sequence[str] = (),
    tolerance: float = 1e-9,
    laws: Sequence[Constraint] | None = None,
    extra_laws: Sequence[Constraint] = (),
) -> InverseKinematics:
    r"""Where the joints must be for a frame to take a pose, by damped least squares with restarts.

    $\Delta q = W J' (J W J' + (0.1 |e|^2 + 10^{-12}) 1)^{-1} e$ with $e$ the position and the rotation vector still to
    go, as one compiled step. Limits of a robot's joints are kept (a machine has none); joints whose range is a turn or
    more are wound into it. Shafts of elastic drives stand where the springs are at rest; joints that follow others do.
    A pose that is not reached from any of 60 configurations counts as out of reach: `reached` is False and `q` the
    nearest found, 1 m counting as 1 rad. The answer for a pose does not depend on the batch it comes in.

    Loops of a robot, or constraints given, hold at every answer: steps close them first and then use what is left free,
    pose by pose in Python and from 20 configurations. All their branches are not sought.

    Args:
        robot: a robot, or a machine.
        frame: the body or frame to place.
        pose: (rotation (..., 3, 3), position (..., 3)) as `placement` gives it; None for one of them leaves it free.
        start: where to begin, (nq,) or (..., nq), with or without shafts: the answer is then the branch found from
            there, wound as close to it as limits allow.
        branches: "one", or "all" configurations of an arm that is not redundant: in closed form for wrist-partitioned
            arms, and with the extra `ik` for those that EAIK knows; else by restarts until no new one appears.
        held: names of joints that stay where `start` has them.
        tolerance: what `reached` means [m, rad].
        laws: constraints that hold at the answer instead of the loops of the robot; () for none.
        extra_laws: constraints beside the loops of the robot.

    >>> import gearwright as gw
    >>> arm = gw.load("ur5_like")
    >>> pose = gw.placement(gw.assemble(arm), [0.1, -1.2, 1.5, 0.3, 0.8, 0.2], "tool")
    >>> found = gw.inverse_kinematics(arm, "tool", pose, start=[0, -1, 1, 0, 1, 0])
    >>> bool(found.reached), found.q.round(6)
    (True, array([ 0.1, -1.2,  1.5,  0.3,  0.8,  0.2]))
    >>> gw.inverse_kinematics(arm, "tool", pose, branches="all").q.shape
    (8, 6)
    """
    name = "inverse_kinematics"
    goal = number(name, "tolerance", tolerance, above=0.0, below=0.1, example=1e-9) ** 2
    target = wanted(name, pose)
    descent = descent_of(robot, frame, tuple(target.task), tuple(held))
    closure = closure_of(name, robot, descent.joints.mech, laws, extra_laws)
    if closure is not None:
        descent = ClosedDescent(descent, closure)
        if branches == "all":
            raise InputError(f"{name}: branches='all' is not there for closed loops. Use 'one', from several starts.")
    joints = descent.joints
    begin = None if start is None else checked_start(name, joints, start, target.lead)
    if held and begin is None:
        raise InputError(f"{name}: joints are held ({listed(held)}), but start= does not say where. Give start=.")
    flat = np.ascontiguousarray(target.flat.reshape(-1, 12))
    if branches == "all":
        q, error = all_branches(descent, flat, begin, goal)
        shape: tuple[int, ...] = (*target.lead, q.shape[1])
    elif branches == "one":
        q, error = _nearest(descent, flat, begin, goal)
        shape = target.lead
    else:
        raise InputError(f"{name}: branches={branches!r} is unknown. Use 'one' or 'all'.")
    size = np.sqrt(error).reshape(shape)
    reached = np.square(size) <= goal * (1 + 1e-9)
    return InverseKinematics(q.reshape(*shape, joints.mech.nq), reached, size, descent, flat, float(tolerance))


def _nearest(descent: Descent, flat: Array, begin: Array | None, goal: float) -> tuple[Array, Array]:
    joints = descent.joints
    q, error = descent.reach(flat, begin, goal)
    lost = error > goal
    if lost.any():
        q[lost], error[lost] = descent.polish(np.ascontiguousarray(q[lost]), flat[lost])
    return joints.rested(joints.wound(q, begin)), error


_DESCENTS: dict[int, dict[Any, Any]] = {}


def descent_of(
    robot: Robot | Mechanism, frame: int | str, task: tuple[float, ...], held: tuple[str, ...] = ()
) -> Descent:
    """What places a frame of a robot; made once and kept as long as the robot."""
    mine = _DESCENTS.get(id(robot))
    if mine is None:
        joints = Joints.of(twin(robot) if isinstance(robot, Mechanism) else robot)
        mine = _DESCENTS[id(robot)] = {"joints": joints}
        weakref.finalize(robot, _DESCENTS.pop, id(robot), None)
    key = (frame, task, held)
    if key not in mine:
        speeds = mine["joints"].mech.speeds
        for joint in held:
            if joint not in speeds:
                raise InputError(f"there is no joint {joint!r} to hold. {did_you_mean(joint, speeds)}")
        mobility = np.array([float(speed not in held) for speed in speeds])
        mine[key] = Descent(mine["joints"], frame, np.array(task), mobility)
    found: Descent = mine[key]
    return found


def checked_start(function: str, joints: Joints, start: ArrayLike, lead: tuple[int, ...]) -> Array:
    """Configurations to begin at, (N, nq), inside the limits; shafts may be left out."""
    mech = joints.mech
    q = as_floats(function, "start", start)
    bare = mech.nq - len(mech.shafts)
    if mech.shafts and q.ndim and q.shape[-1] == bare:
        q = np.concatenate([q, np.zeros((*q.shape[:-1], len(mech.shafts)))], axis=-1)
    q = checked(function, mech, "start", q, mech.nq, mech.coordinates)
    try:
        q = np.broadcast_to(q, (*lead, mech.nq)).reshape(prod(lead), mech.nq)
    except ValueError:
        raise InputError(
            f"{function}: start has shape {np.shape(start)} for poses {lead}. Give one, or one per pose."
        ) from None
    for row in q[:1] if q.strides[0] == 0 else q:
        joints.require_inside(function, "start", row)
    return np.ascontiguousarray(q)
