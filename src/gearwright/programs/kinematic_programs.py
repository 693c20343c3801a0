"""External coordinates of a frame, and the step of inverse kinematics, as programs."""

from __future__ import annotations

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec
from gearwright.dynamics.pose import place
from gearwright.dynamics.task_space.external_coordinates import (
    Spot,
    external_adjoint,
    external_coordinates,
    external_jacobian,
)
from gearwright.dynamics.task_space.inverse_kinematics_step import Wish, reaching_step
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs, Program

STEP_ENTRIES = {
    "pose": (*(f"R{i}{j}" for i in "xyz" for j in "xyz"), "x", "y", "z"),
    "task": ("x", "y", "z", "rx", "ry", "rz"),
    "damping": ("damping",),
}
"""Inputs of the step: rotation row by row and position, six weights of the error, the share of damping."""

ANGLES = {"yaw_pitch_roll": 3, "quaternion": 4}
"""How an orientation is counted, and with how many numbers."""


def orientation(fixed: Fixed) -> str:
    """What is fixed about the orientation: yaw, pitch and roll unless something else is asked for."""
    angles = fixed.get("angles", "yaw_pitch_roll")
    if angles not in ANGLES:
        raise InputError(f"angles={angles!r} is unknown. Use 'yaw_pitch_roll' or 'quaternion'.")
    return str(angles)


def spot_of(mech: Mechanism, body: int | str) -> Spot:
    """A body or frame."""
    index, rotation, position = mech.place_of(body)
    return Spot(index, IDENTITY if rotation is None else rotation, ZERO if position is None else position)


def _width(_: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (3 + ANGLES[orientation(fixed)],)


def _coordinates(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    pose, quaternion = place(mech, x["q"], ops), orientation(fixed) == "quaternion"
    return external_coordinates(pose, ops, spot_of(mech, fixed["body"]), quaternion)


def _jacobian(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[list[Scalar]]:
    pose, quaternion = place(mech, x["q"], ops), orientation(fixed) == "quaternion"
    return external_jacobian(pose, ops, spot_of(mech, fixed["body"]), quaternion)


def _adjoint(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    pose, quaternion = place(mech, x["q"], ops), orientation(fixed) == "quaternion"
    return external_adjoint(pose, ops, x["v"], spot_of(mech, fixed["body"]), quaternion)


def _step(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    R, p = x["pose"][:9], x["pose"][9:]
    rotation = Rot(Vec(*R[:3]), Vec(*R[3:6]), Vec(*R[6:]))
    wish = Wish(rotation, Vec(*p), x["task"], x["mobility"], x["lower"], x["upper"], x["damping"][0])
    return reaching_step(mech, ops, x["q"], spot_of(mech, fixed["body"]), wish)


EXTERNAL_COORDINATES = Program("external_coordinates", ("q",), _coordinates, _width, options=("body", "angles"))
EXTERNAL_JACOBIAN = Program(
    "external_jacobian",
    ("q",),
    _jacobian,
    lambda m, fixed: (*_width(m, fixed), m.n),
    options=("body", "angles"),
)
EXTERNAL_ADJOINT = Program("external_adjoint", ("q", "v"), _adjoint, _width, options=("body", "angles"), growth=2)
REACHING_STEP = Program(
    "reaching_step",
    ("q", "pose", "task", "mobility", "lower", "upper", "damping"),
    _step,
    lambda m, _: (m.nq + 2,),
    options=("body",),
    entries=STEP_ENTRIES,
)

ALL = (EXTERNAL_COORDINATES, EXTERNAL_JACOBIAN, EXTERNAL_ADJOINT, REACHING_STEP)
