"""External coordinates of a frame, and the step of inverse kinematics, as programs."""

from __future__ import annotations

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec
from gearwright.dynamics.pose import place_machine
from gearwright.dynamics.task_space.external_coordinates import (
    BodyPlace,
    external_adjoint,
    external_coordinates,
    external_jacobian,
)
from gearwright.dynamics.task_space.inverse_kinematics_step import PoseTarget, inverse_kinematics_step
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs, Program

STEP_ENTRIES = {
    "pose": (*(f"R{i}{j}" for i in "xyz" for j in "xyz"), "x", "y", "z"),
    "task": ("x", "y", "z", "rx", "ry", "rz"),
    "damping": ("damping",),
}
"""Inputs of the step: rotation row by row and position, six weights of the error, the relative damping."""

ORIENTATION_SIZES = {"yaw_pitch_roll": 3, "quaternion": 4}
"""Representations of an orientation, with their numbers of entries."""


def orientation_kind(fixed: Fixed) -> str:
    """The representation of the orientation; default: yaw, pitch and roll."""
    angles = fixed.get("angles", "yaw_pitch_roll")
    if angles not in ORIENTATION_SIZES:
        raise InputError(f"angles={angles!r} is unknown. Use 'yaw_pitch_roll' or 'quaternion'.")
    return str(angles)


def body_spot(mech: Mechanism, body: int | str) -> BodyPlace:
    """The body or frame of a name or index."""
    index, rotation, position = mech.place_of(body)
    return BodyPlace(index, IDENTITY if rotation is None else rotation, ZERO if position is None else position)


def _coordinates_shape(_: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (3 + ORIENTATION_SIZES[orientation_kind(fixed)],)


def _external_coordinates(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    pose, quaternion = place_machine(mech, x["q"], ops), orientation_kind(fixed) == "quaternion"
    return external_coordinates(pose, ops, body_spot(mech, fixed["body"]), quaternion)


def _external_jacobian(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[list[Scalar]]:
    pose, quaternion = place_machine(mech, x["q"], ops), orientation_kind(fixed) == "quaternion"
    return external_jacobian(pose, ops, body_spot(mech, fixed["body"]), quaternion)


def _external_adjoint(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    pose, quaternion = place_machine(mech, x["q"], ops), orientation_kind(fixed) == "quaternion"
    return external_adjoint(pose, ops, x["v"], body_spot(mech, fixed["body"]), quaternion)


def _inverse_kinematics_step(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    R, p = x["pose"][:9], x["pose"][9:]
    rotation = Rot(Vec(*R[:3]), Vec(*R[3:6]), Vec(*R[6:]))
    wish = PoseTarget(rotation, Vec(*p), x["task"], x["mobility"], x["lower"], x["upper"], x["damping"][0])
    return inverse_kinematics_step(mech, ops, x["q"], body_spot(mech, fixed["body"]), wish)


EXTERNAL_COORDINATES = Program(
    "external_coordinates", ("q",), _external_coordinates, _coordinates_shape, options=("body", "angles")
)
EXTERNAL_JACOBIAN = Program(
    "external_jacobian",
    ("q",),
    _external_jacobian,
    lambda m, fixed: (*_coordinates_shape(m, fixed), m.n),
    options=("body", "angles"),
)
EXTERNAL_ADJOINT = Program(
    "external_adjoint", ("q", "v"), _external_adjoint, _coordinates_shape, options=("body", "angles"), growth=2
)
REACHING_STEP = Program(
    "reaching_step",
    ("q", "pose", "task", "mobility", "lower", "upper", "damping"),
    _inverse_kinematics_step,
    lambda m, _: (m.nq + 2,),
    options=("body",),
    entries=STEP_ENTRIES,
)

KINEMATIC_PROGRAMS = (EXTERNAL_COORDINATES, EXTERNAL_JACOBIAN, EXTERNAL_ADJOINT, REACHING_STEP)
