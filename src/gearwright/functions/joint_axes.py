"""Axes of the joints in the frame of a link, and their partial derivatives."""

from __future__ import annotations

from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.functions.public_call import run_program
from gearwright.mechanism import RobotOrMech, tree_of
from gearwright.programs import kinematic_programs


@check_arguments
def joint_axes(mech: RobotOrMech, q: ArrayLike, body: int | str) -> Array:
    """Return the unit axis of every speed's joint in the axes of a body or frame, (..., 3, n).

    Columns of speeds that do not move the body are zero. Closed loops do not reduce them: n counts all joints. For a
    chain of revolute joints the columns are the vectors of Table 2(a) of Chen and Wang, and the angular part of the
    Jacobian in body axes.

    Args:
        mech: the machine, or a robot.
        q: configuration [rad, m], (..., nq).
        body: the body or frame.

    >>> import gearwright as gw
    >>> joint_axes(gw.load("elbow"), [0.3, -0.5, 0.8], 1).round(4) + 0.0
    array([[-0.4794,  0.    ,  0.    ],
           [ 0.8776,  0.    ,  0.    ],
           [ 0.    ,  1.    ,  0.    ]])
    """
    fixed = {"body": tree_of("joint_axes", mech).name_of(body)}
    return run_program(kinematic_programs.JOINT_AXES, mech, (q,), fixed)


@check_arguments
def joint_axis_derivatives(mech: RobotOrMech, q: ArrayLike, body: int | str) -> Array:
    r"""Return the derivatives of `joint_axes` with respect to the coordinates, (..., 3, n, n).

    Entry [:, j, k] is $\partial z_j/\partial q_k = z_j \times z_k$ for joints k between joint j and the body, and zero
    for others (Table 2(b) of Chen and Wang). The last axis is that of the speeds, as in all derivatives by q.

    >>> import gearwright as gw
    >>> joint_axis_derivatives(gw.load("elbow"), [0.3, -0.5, 0.8], 1)[:, 0, 1].round(4) + 0.0
    array([0.8776, 0.4794, 0.    ])
    """
    fixed = {"body": tree_of("joint_axis_derivatives", mech).name_of(body)}
    return run_program(kinematic_programs.JOINT_AXIS_DERIVATIVES, mech, (q,), fixed)
