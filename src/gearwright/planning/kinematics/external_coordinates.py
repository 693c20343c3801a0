"""External coordinates of a frame, position and yaw, pitch, roll or a quaternion, and their time derivatives."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import ARRAYS, Rot, Scalar, Vec
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, value_text
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.forces.coordinates.configuration import Anchor, MovingFrame
from gearwright.functions.public_call import run_named_inputs
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.programs import kinematic_programs as programs
from gearwright.programs import machine_of
from gearwright.programs.program import Program

SINGULAR_PITCH = 1e-6
"""Cosine of the pitch below which rates of yaw and roll are undefined."""

ROTATION_TOLERANCE = 1e-9
"""Largest deviation of R' R from the identity, relative to 1, for a rotation matrix of a moving frame."""


@check_arguments
def external_coordinates(
    robot: Robot | Mechanism,
    q: ArrayLike,
    body: int | str,
    angles: str = "yaw_pitch_roll",
    relative_to: Anchor = "base",
    t: ArrayLike = 0.0,
) -> Array:
    """Return position [m] and yaw, pitch, roll [rad] (..., 6) or quaternion w, x, y, z (..., 7) of a frame.

    R = Rz(yaw) Ry(pitch) Rx(roll); at a pitch of +-90 deg, where only the sum or difference of yaw and roll is defined,
    the roll is zero. The quaternion has w of zero or more. Relative to an object they are the functional coordinates
    s(q) or s(q, t) of Vukobratovic and Potkonjak.

    Args:
        robot: a robot, or a machine.
        q: configuration [rad, m], (..., nq).
        body: the body or frame.
        angles: "yaw_pitch_roll" or "quaternion".
        relative_to: the frame they are relative to, in its axes: a body or frame of the machine, which may move,
            "base", or a `gw.contact.MovingFrame` with a motion of its own.
        t: time [s], (...), for a `MovingFrame`.

    >>> import gearwright as gw
    >>> tip = gw.BodyFrame("tip", "arm", position=(1, 0, 0))
    >>> arm = gw.Mechanism([gw.Body("arm", mass=1, com=(0.5, 0, 0))], frames=[tip])
    >>> external_coordinates(arm, [0.3], "tip").round(4) + 0.0
    array([0.9553, 0.2955, 0.    , 0.3   , 0.    , 0.    ])
    >>> belt = gw.contact.MovingFrame("belt", lambda t, ops: (0.2 * t, 0.0, 0.0))
    >>> external_coordinates(arm, [0.3], "tip", relative_to=belt, t=2.0)[:2].round(4)
    array([0.5553, 0.2955])
    """
    return _run_program(programs.EXTERNAL_COORDINATES, robot, {"q": q}, body, angles, (relative_to, t))


@check_arguments
def external_jacobian(
    robot: Robot | Mechanism,
    q: ArrayLike,
    body: int | str,
    angles: str = "yaw_pitch_roll",
    relative_to: Anchor = "base",
    t: ArrayLike = 0.0,
) -> Array:
    """Return the Jacobian of the external coordinates, ds/dq, (..., 6 or 7, n): ds/dt = J v.

    Relative to a `MovingFrame`, ds/dt has a further term: see `external_rates`. At a pitch of +-90 deg yaw and roll
    have the same axis: the function raises a SingularityError there. Quaternions have no such singularity.
    """
    return _run_program(programs.EXTERNAL_JACOBIAN, robot, {"q": q}, body, angles, (relative_to, t))


@check_arguments
def external_rates(
    robot: Robot | Mechanism,
    q: ArrayLike,
    v: ArrayLike,
    body: int | str,
    angles: str = "yaw_pitch_roll",
    relative_to: Anchor = "base",
    t: ArrayLike = 0.0,
) -> Array:
    """Return the rates of the external coordinates, ds/dt = J v + ds/dt at constant q, (..., 6 or 7).

    The second term is the motion of a `MovingFrame`; relative to other frames it is zero.

    >>> import gearwright as gw
    >>> arm = gw.Mechanism([gw.Body("arm", mass=1, com=(0.5, 0, 0))])
    >>> belt = gw.contact.MovingFrame("belt", lambda t, ops: (0.2 * t, 0.0, 0.0))
    >>> external_rates(arm, [0.3], [0.0], "arm", relative_to=belt).round(4)[:2] + 0.0
    array([-0.2,  0. ])
    """
    return _run_program(programs.EXTERNAL_RATES, robot, {"q": q, "v": v}, body, angles, (relative_to, t))


@check_arguments
def external_adjoint(
    robot: Robot | Mechanism,
    q: ArrayLike,
    v: ArrayLike,
    body: int | str,
    angles: str = "yaw_pitch_roll",
    relative_to: Anchor = "base",
    t: ArrayLike = 0.0,
) -> Array:
    """Return the adjoint term A of the second derivatives, d2s/dt2 = J a + A, (..., 6 or 7).

    Vukobratovic and Potkonjak call it the adjoint; it is the second derivative at constant speeds, the motion of a
    `MovingFrame` included.
    """
    return _run_program(programs.EXTERNAL_ADJOINT, robot, {"q": q, "v": v}, body, angles, (relative_to, t))


def _run_program(
    program: Program,
    robot: Robot | Mechanism,
    inputs: Mapping[str, ArrayLike],
    body: int | str,
    angles: str,
    reference: tuple[Anchor, ArrayLike],
) -> Array:
    mech = machine_of(program.name, robot)
    fixed: dict[str, Any] = {"body": mech.name_of(body), "angles": angles}
    relative_to, t = reference
    if not np.isfinite(as_float_array(program.name, "t", t)).all():
        raise InputError(f"{program.name}: t={value_text(t)} must be finite. Give times in seconds.")
    if isinstance(relative_to, MovingFrame):
        fixed[programs.FRAME_MOTION] = True
        inputs = {**inputs, programs.FRAME_MOTION: frame_motion(program.name, relative_to, t)}
    elif relative_to not in ("base", -1):
        fixed["relative_to"] = mech.name_of(relative_to)
    program.check_options(mech, fixed)
    if angles == "yaw_pitch_roll" and program is not programs.EXTERNAL_COORDINATES:
        _require_regular_pitch(program.name, mech, inputs, fixed)
    return run_named_inputs(program, mech, inputs, fixed)


def frame_motion(function: str, frame: MovingFrame, t: ArrayLike) -> Array:
    """Return the motion of a frame at times t, (..., 24): rotation by rows, position, velocities, accelerations."""
    times = as_float_array(function, "t", t)
    clock, ops = Taylor([times, np.ones_like(times), np.zeros_like(times)]), TaylorOperations(ARRAYS)

    def derivatives(x: Scalar) -> list[Array]:
        values = x.derivatives() if isinstance(x, Taylor) else [x, 0.0, 0.0]
        return [np.broadcast_to(np.asarray(value, dtype=float), times.shape) for value in values]

    position = [Vec(*x) for x in zip(*(derivatives(x) for x in frame.path(clock, ops)), strict=True)]
    rows = np.eye(3).tolist() if frame.turn is None else frame.turn(clock, ops)
    R, dR, ddR = (
        Rot.from_rows([list(row) for row in matrix])
        for matrix in zip(*(zip(*(derivatives(x) for x in row), strict=True) for row in rows), strict=True)
    )
    _require_rotation(function, frame, R)
    # dR/dt R' = S(w), d2R/dt2 R' = S(alpha) + S(w) S(w), whose skew part is S(alpha)
    w, alpha = _skew_part(dR.after(R.T)), _skew_part(ddR.after(R.T))
    flat = [*R.a, *R.b, *R.c, *position[0], *position[1], *w, *position[2], *alpha]
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), times.shape) for x in flat], axis=-1)


def _skew_part(A: Rot) -> Vec:
    return Vec(0.5 * (A.c.y - A.b.z), 0.5 * (A.a.z - A.c.x), 0.5 * (A.b.x - A.a.y))


def _require_rotation(function: str, frame: MovingFrame, R: Rot) -> None:
    error = max(
        float(np.max(np.abs(x - (i == j)))) for i, row in enumerate(R.after(R.T).rows()) for j, x in enumerate(row)
    )
    if not error < ROTATION_TOLERANCE:
        raise InputError(
            f"{function}: the rotation of {frame.name!r} is not orthogonal (R R' differs from the "
            f"identity by {error:.2g}). Return three orthogonal unit rows."
        )


def _require_regular_pitch(
    function: str, mech: Mechanism, inputs: Mapping[str, ArrayLike], fixed: dict[str, Any]
) -> None:
    used = {name: inputs[name] for name in ("q", programs.FRAME_MOTION) if name in inputs}
    pitch = run_named_inputs(programs.EXTERNAL_COORDINATES, mech, used, fixed)[..., 4]
    bad = np.cos(pitch) < SINGULAR_PITCH
    if bad.any():
        index = tuple(int(k) for k in np.argwhere(bad)[0])
        state = f" of state {list(index)}" if index else ""
        raise SingularityError(
            f"{function}: the pitch of {fixed['body']!r}{state} is {np.degrees(pitch[index]):.6f} deg, where yaw and "
            "roll have the same axis and no separate rates. Use angles='quaternion', or another frame."
        )
