"""External coordinates of a frame, position and yaw, pitch, roll or a quaternion, and their time derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import SingularityError
from gearwright.functions.public_call import run_program
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot
from gearwright.programs import kinematic_programs as programs
from gearwright.programs.program import Program

SINGULAR_PITCH = 1e-6
"""Cosine of the pitch below which rates of yaw and roll are undefined."""


@check_arguments
def external_coordinates(
    robot: Robot | Mechanism, q: ArrayLike, body: int | str, angles: str = "yaw_pitch_roll"
) -> Array:
    """Return position [m] and yaw, pitch, roll [rad] (..., 6) or quaternion w, x, y, z (..., 7) of a frame.

    R = Rz(yaw) Ry(pitch) Rx(roll); at a pitch of +-90 deg, where only the sum or difference of yaw and roll is defined,
    the roll is zero. The quaternion has w of zero or more.

    Args:
        robot: a robot, or a machine.
        q: configuration [rad, m], (..., nq).
        body: the body or frame.
        angles: "yaw_pitch_roll" or "quaternion".

    >>> import gearwright as gw
    >>> tip = gw.BodyFrame("tip", "arm", position=(1, 0, 0))
    >>> arm = gw.Mechanism([gw.Body("arm", mass=1, com=(0.5, 0, 0))], frames=[tip])
    >>> external_coordinates(arm, [0.3], "tip").round(4) + 0.0
    array([0.9553, 0.2955, 0.    , 0.3   , 0.    , 0.    ])
    """
    return _run_program(programs.EXTERNAL_COORDINATES, robot, (q,), body, angles)


@check_arguments
def external_jacobian(robot: Robot | Mechanism, q: ArrayLike, body: int | str, angles: str = "yaw_pitch_roll") -> Array:
    """Return the Jacobian of the external coordinates, ds/dt = J v, (..., 6 or 7, n).

    At a pitch of +-90 deg yaw and roll have the same axis: the function raises a SingularityError there. Quaternions
    have no such singularity.
    """
    return _run_program(programs.EXTERNAL_JACOBIAN, robot, (q,), body, angles)


@check_arguments
def external_adjoint(
    robot: Robot | Mechanism, q: ArrayLike, v: ArrayLike, body: int | str, angles: str = "yaw_pitch_roll"
) -> Array:
    """Return the term A = dJ/dt v of the second derivatives, d2s/dt2 = J a + A, (..., 6 or 7).

    Vukobratovic and Potkonjak call it the adjoint; it is the second derivative at constant speeds.
    """
    return _run_program(programs.EXTERNAL_ADJOINT, robot, (q, v), body, angles)


def _run_program(program: Program, robot: Robot | Mechanism, arrays: Any, body: int | str, angles: str) -> Array:
    mech = machine_of(program.name, robot)
    fixed = {"body": mech.name_of(body), "angles": angles}
    programs.orientation_kind(fixed)
    if angles == "yaw_pitch_roll" and program is not programs.EXTERNAL_COORDINATES:
        _require_regular_pitch(program.name, mech, arrays[0], fixed)
    return run_program(program, mech, arrays, fixed)


def _require_regular_pitch(function: str, mech: Mechanism, q: ArrayLike, fixed: dict[str, Any]) -> None:
    pitch = run_program(programs.EXTERNAL_COORDINATES, mech, (q,), fixed)[..., 4]
    bad = np.cos(pitch) < SINGULAR_PITCH
    if bad.any():
        index = tuple(int(k) for k in np.argwhere(bad)[0])
        state = f" of state {list(index)}" if index else ""
        raise SingularityError(
            f"{function}: the pitch of {fixed['body']!r}{state} is {np.degrees(pitch[index]):.6f} deg, where yaw and "
            "roll have the same axis and no separate rates. Use angles='quaternion', or another frame."
        )
