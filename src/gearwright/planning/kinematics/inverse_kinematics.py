"""Inverse kinematics: joint positions for a pose of a frame."""

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
from gearwright.arguments import as_float_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Constraint
from gearwright.functions import closure_of, placement
from gearwright.functions.backend import detached_copy
from gearwright.functions.public_call import whole_input
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.planning.kinematics.closed_loop_descent import ClosedLoopDescent
from gearwright.planning.kinematics.descent import PoseDescent
from gearwright.planning.kinematics.joint_ranges import JointRanges
from gearwright.planning.kinematics.poses import target_poses
from gearwright.planning.kinematics.solution_branches import all_branches
from gearwright.plots import html_table
from gearwright.programs import machine_of
from gearwright.programs.dynamics_programs import PLACEMENT
from gearwright.programs.inputs import checked_array
from gearwright.programs.placement import Placement
from gearwright.text import did_you_mean, listed_names

SINGULAR_DEXTERITY = 1e-4
"""Ratio of smallest to largest singular value of the Jacobian below which a configuration is singular."""
MAX_SHOWN_CONFIGURATIONS = 20
"""Most configurations shown in a notebook."""


@dataclass(frozen=True)
class InverseKinematics:
    """Configurations found for poses; leading axes are those of the poses.

    Args:
        q: configurations [rad, m], (..., nq); with all branches (..., branches, nq), nan where there are fewer.
        reached: whether the pose is attained within the tolerance, (...). If not, q is the nearest configuration found.
        error: remaining error, sqrt(position^2 + angle^2) [m, rad], (...).
        descent: the solver.
        poses: the desired poses: rotation row by row and position, (poses, 12).
        tolerance: largest error of an attained pose [m, rad].
    """

    q: Array
    reached: NDArray[np.bool_]
    error: Array
    descent: PoseDescent = field(repr=False)
    poses: Array = field(repr=False)
    tolerance: float = field(repr=False)

    def _repr_html_(self) -> str:
        mech = self.descent.joints.mech
        q = self.q.reshape(-1, self.q.shape[-1])
        branches = len(q) // max(self.reached.size, 1)
        results = zip(np.repeat(self.reached, branches), np.repeat(self.error, branches), q, strict=True)
        rows = [
            ("yes" if reached else "no", f"{error:.3g}", *map("{:.6g}".format, row)) for reached, error, row in results
        ]
        rest_text = (
            f"<p>and {len(rows) - MAX_SHOWN_CONFIGURATIONS} more</p>" if len(rows) > MAX_SHOWN_CONFIGURATIONS else ""
        )
        return html_table(["reached", "error [m, rad]", *mech.coordinates], rows[:MAX_SHOWN_CONFIGURATIONS]) + rest_text

    @cached_property
    def pose(self) -> Placement:
        """Pose of the frame; for unattainable poses the nearest one found."""
        return placement(self.descent.joints.mech, np.nan_to_num(self.q), self.descent.frame)

    @cached_property
    def dexterity(self) -> Array:
        """Ratio of smallest to largest singular value of the task Jacobian, (...): 0 at a singularity."""
        return self.descent.dexterity(np.nan_to_num(self.q))

    @cached_property
    def is_beyond_limits(self) -> NDArray[np.bool_]:
        """Whether a pose is attainable without the joint limits only, (...).

        Computed on first access, from the configurations found and then from the whole workspace.
        """
        count = len(self.poses)
        if self.reached.all():
            return np.zeros(self.reached.shape, dtype=bool)
        unsolved = ~self.reached.reshape(count, -1).any(axis=1)
        nearest = np.nan_to_num(self.q).reshape(count, -1, self.q.shape[-1])[:, 0]
        free, solved = self.descent.without_limits(), np.zeros((count, 1), dtype=bool)
        if unsolved.any():
            _, error = free.solve_poses(
                self.poses[unsolved], np.ascontiguousarray(nearest[unsolved]), self.tolerance**2
            )
            solved[unsolved, 0] = error <= self.tolerance**2
        return np.broadcast_to(solved, self.reached.reshape(count, -1).shape).reshape(self.reached.shape)

    @property
    def is_singular(self) -> NDArray[np.bool_]:
        """Whether the configuration is singular, (...)."""
        return self.dexterity < SINGULAR_DEXTERITY


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
    r"""Return joint positions for a pose of a frame, by damped least squares with restarts.

    $\Delta q = W J' (J W J' + (0.1 |e|^2 + 10^{-12}) 1)^{-1} e$ with $e$ the error of position and rotation vector, as
    one compiled step. Joint limits of a robot are respected (a machine has none); joints with a range of one turn or
    more are shifted into it by whole turns. Springs of elastic drives are undeflected; mimic joints follow their
    leaders. A pose that is not attained from any of 60 configurations counts as unattainable: `reached` is False and
    `q` is the nearest configuration found, where 1 m counts as 1 rad. The result for a pose does not depend on its
    batch.

    Loops of a robot, or given constraints, are satisfied by every solution: steps close them first and then move in
    their null space, pose by pose in Python and from 20 configurations. All branches include the assembly modes.

    Args:
        robot: a robot, or a machine.
        frame: the body or frame to place.
        pose: (rotation (..., 3, 3), position (..., 3)) as from `placement`; None for one of them leaves it free.
        start: initial guess, (nq,) or (..., nq), with or without shafts, or independent coordinates of closed loops:
            the solution is then on the branch found from there, shifted by whole turns as close to it as limits allow.
        branches: "one", or "all" configurations of an arm that is not redundant: in closed form for wrist-partitioned
            arms, and with the extra `ik` for those supported by EAIK; else by restarts until no new one is found.
        held: names of joints fixed at their values in `start`.
        tolerance: largest error of an attained pose [m, rad].
        laws: constraints in place of the loops of the robot; () for none.
        extra_laws: constraints added to the loops of the robot.

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
    goal = real_number(name, "tolerance", tolerance, above=0.0, below=0.1, example=1e-9) ** 2
    target = target_poses(name, pose)
    descent = descent_for(robot, frame, tuple(target.task), tuple(held))
    descent = closing_descent(name, robot, descent, laws, extra_laws)
    joints = descent.joints
    if start is not None and robot.loops and np.shape(start)[-1:] != (joints.mech.nq,):
        start = whole_input(PLACEMENT, machine_of(name, robot), "q", start)
    begin = None if start is None else checked_start(name, joints, start, target.batch_shape)
    if held and begin is None:
        raise InputError(f"{name}: joints {listed_names(held)} are held, but start= is missing. Give start=.")
    flat = np.ascontiguousarray(target.flat.reshape(-1, 12))
    if branches == "all":
        q, error = all_branches(descent, flat, begin, goal)
        shape: tuple[int, ...] = (*target.batch_shape, q.shape[1])
    elif branches == "one":
        q, error = _nearest_configurations(descent, flat, begin, goal)
        shape = target.batch_shape
    else:
        raise InputError(f"{name}: branches={branches!r} is unknown. Use 'one' or 'all'.")
    size = np.sqrt(error).reshape(shape)
    reached = np.square(size) <= goal * (1 + 1e-9)
    return InverseKinematics(q.reshape(*shape, joints.mech.nq), reached, size, descent, flat, float(tolerance))


def _nearest_configurations(descent: PoseDescent, flat: Array, begin: Array | None, goal: float) -> tuple[Array, Array]:
    joints = descent.joints
    q, error = descent.solve_poses(flat, begin, goal)
    unsolved = error > goal
    if unsolved.any():
        q[unsolved], error[unsolved] = descent.refine_nearest(np.ascontiguousarray(q[unsolved]), flat[unsolved])
    return joints.with_unloaded_shafts(joints.with_nearest_turns(q, begin)), error


_DESCENT_CACHE: dict[int, dict[Any, Any]] = {}


def descent_for(
    robot: Robot | Mechanism, frame: int | str, task: tuple[float, ...], held: tuple[str, ...] = ()
) -> PoseDescent:
    """Return the solver for a frame of a robot; cached as long as the robot exists."""
    robot_cache = _DESCENT_CACHE.get(id(robot))
    if robot_cache is None:
        joints = JointRanges.from_robot(detached_copy(robot) if isinstance(robot, Mechanism) else robot)
        robot_cache = _DESCENT_CACHE[id(robot)] = {"joints": joints}
        weakref.finalize(robot, _DESCENT_CACHE.pop, id(robot), None)
    key = (frame, task, held)
    if key not in robot_cache:
        speeds = robot_cache["joints"].mech.speeds
        for joint in held:
            if joint not in speeds:
                raise InputError(f"held joint {joint!r} is unknown. {did_you_mean(joint, speeds)}")
        mobility = np.array([float(speed not in held) for speed in speeds])
        robot_cache[key] = PoseDescent(robot_cache["joints"], frame, np.array(task), mobility)
    descent: PoseDescent = robot_cache[key]
    return descent


def closing_descent(
    function: str, robot: Robot | Mechanism, descent: PoseDescent, laws: Any = None, extra_laws: Any = ()
) -> PoseDescent:
    """Return a solver that keeps the loops of a robot closed, or other constraints; the same without constraints."""
    closure = closure_of(function, robot, descent.joints.mech, laws, extra_laws)
    return descent if closure is None else ClosedLoopDescent(descent, closure)


def checked_start(function: str, joints: JointRanges, start: ArrayLike, lead: tuple[int, ...]) -> Array:
    """Return start configurations (N, nq) inside the limits; shafts may be omitted."""
    mech = joints.mech
    q = as_float_array(function, "start", start)
    joint_count = mech.nq - len(mech.shafts)
    if mech.shafts and q.ndim and q.shape[-1] == joint_count:
        q = np.concatenate([q, np.zeros((*q.shape[:-1], len(mech.shafts)))], axis=-1)
    q = checked_array(function, mech, "start", q, mech.nq, mech.coordinates)
    try:
        q = np.broadcast_to(q, (*lead, mech.nq)).reshape(prod(lead), mech.nq)
    except ValueError:
        raise InputError(
            f"{function}: start has shape {np.shape(start)} for poses {lead}. Give one, or one per pose."
        ) from None
    for row in q[:1] if q.strides[0] == 0 else q:
        joints.require_within_limits(function, "start", row)
    return np.ascontiguousarray(q)
