"""External coordinates of a frame: position with yaw, pitch and roll or a quaternion, their rates and second rates."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import SingularityError
from gearwright.functions.public_call import run
from gearwright.mechanism import Mechanism, machine_of
from gearwright.parts import Robot
from gearwright.programs import kinematic_programs as programs
from gearwright.programs.program import Program

SINGULAR_PITCH = 1e-6
"""Cosine of the pitch below which rates of yaw and roll are refused."""


@check_arguments
def external_coordinates(
    robot: Robot | Mechanism, q: ArrayLike, body: int | str, angles: str = "yaw_pitch_roll"
) -> Array:
    """Position [m] of a body or frame, then its yaw, pitch, roll [rad] (..., 6) or its quaternion w, x, y, z (..., 7).

    R = Rz(yaw) Ry(pitch) Rx(roll); at a pitch of +-90 deg, where only their sum or difference counts, the roll is zero.
    The quaternion has w of zero or more.

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
    return _run(programs.EXTERNAL_COORDINATES, robot, (q,), body, angles)


@check_arguments
def external_jacobian(robot: Robot | Mechanism, q: ArrayLike, body: int | str, angles: str = "yaw_pitch_roll") -> Array:
    """The rates of the external coordinates per unit of each speed, ds/dt = J v, (..., 6 or 7, n).

    Yaw and roll turn about one axis at a pitch of +-90 deg: their rates are refused there with a SingularityError.
    Quaternions have no such place.
    """
    return _run(programs.EXTERNAL_JACOBIAN, robot, (q,), body, angles)


@check_arguments
def external_adjoint(
    robot: Robot | Mechanism, q: ArrayLike, v: ArrayLike, body: int | str, angles: str = "yaw_pitch_roll"
) -> Array:
    """The adjoint term A = dJ/dt v of the second rates, d2s/dt2 = J a + A, (..., 6 or 7).

    So it is called by Vukobratovic and Potkonjak; the frame's second rates at constant speeds.
    """
    return _run(programs.EXTERNAL_ADJOINT, robot, (q, v), body, angles)


def _run(program: Program, robot: Robot | Mechanism, arrays: Any, body: int | str, angles: str) -> Array:
    mech = machine_of(program.name, robot)
    fixed = {"body": mech.name_of(body), "angles": angles}
    programs.orientation(fixed)
    if angles == "yaw_pitch_roll" and program is not programs.EXTERNAL_COORDINATES:
        _refuse_singular_pitch(program.name, mech, arrays[0], fixed)
    return run(program, mech, arrays, fixed)


def _refuse_singular_pitch(function: str, mech: Mechanism, q: ArrayLike, fixed: dict[str, Any]) -> None:
    pitch = run(programs.EXTERNAL_COORDINATES, mech, (q,), fixed)[..., 4]
    bad = np.cos(pitch) < SINGULAR_PITCH
    if bad.any():
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        state = f" of state {list(where)}" if where else ""
        raise SingularityError(
            f"{function}: the pitch of {fixed['body']!r}{state} is {np.degrees(pitch[where]):.6f} deg, where yaw and "
            "roll turn about one axis and have no rates of their own. Use angles='quaternion', or another frame."
        )
