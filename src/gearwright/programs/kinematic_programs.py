"""Jacobians, axes of joints, external coordinates of a frame, and the step of inverse kinematics, as programs."""

from __future__ import annotations

from typing import Any

from gearwright.algebra import IDENTITY, ZERO, Operations, Rot, Scalar, Vec
from gearwright.dynamics.closed_loops.closed_dynamics import jacobian_rate_in_independent_speeds, placed_machine
from gearwright.dynamics.pose import place_machine
from gearwright.dynamics.task_space.external_coordinates import (
    BodyPlace,
    Reference,
    ReferenceMotion,
    external_adjoint,
    external_coordinates,
    external_jacobian,
    external_rates,
)
from gearwright.dynamics.task_space.inverse_kinematics_step import PoseTarget, inverse_kinematics_step
from gearwright.dynamics.task_space.jacobian import JacobianPoint, point_jacobian, point_jacobian_rate
from gearwright.dynamics.task_space.joint_axes import joint_axes, joint_axis_derivatives
from gearwright.errors import InputError
from gearwright.mechanism import Mechanism
from gearwright.programs.program import Fixed, Inputs, Program
from gearwright.text import did_you_mean

STEP_ENTRIES = {
    "pose": (*(f"R{i}{j}" for i in "xyz" for j in "xyz"), "x", "y", "z"),
    "task": ("x", "y", "z", "rx", "ry", "rz"),
    "damping": ("damping",),
}
"""Inputs of the step: rotation row by row and position, six weights of the error, the relative damping."""

FRAME_MOTION = "frame_motion"
"""The input with the motion of the frame that external coordinates are relative to."""

FRAME_MOTION_ENTRIES = (
    *STEP_ENTRIES["pose"],
    *(f"{kind}.{axis}" for kind in ("velocity", "omega", "acceleration", "alpha") for axis in "xyz"),
)

JACOBIAN_AXES = ("world", "body")
"""Axes of a Jacobian: those of the world, or those of the body or frame (for a wheel those of its carrier)."""

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


def jacobian_point(mech: Mechanism, fixed: Fixed) -> JacobianPoint:
    """The point and axes of a Jacobian: `body` is a body, a frame or a wheel, `point` is in its frame.

    The point of a wheel is given from its centre, in the axes of its carrier.
    """
    axes, body = fixed.get("axes", "world"), fixed["body"]
    if not (isinstance(axes, str) and axes in JACOBIAN_AXES):
        raise InputError(f"axes={axes!r} is unknown. Use 'world' or 'body'.")
    offset = Vec.from_values(fixed.get("point", (0.0, 0.0, 0.0)))
    spins = {spin.name: spin for spin in mech.spins}
    places = ["base", *(x.name for x in mech.bodies), *(x.name for x in mech.frames)]
    if not isinstance(body, str) or body in places:
        place = body_spot(mech, body)
        return JacobianPoint(
            place.body, place.position + place.rotation @ offset, place.rotation if axes == "body" else None
        )
    if body not in spins:
        raise InputError(f"there is no body, frame or wheel {body!r}. {did_you_mean(body, [*places, *spins])}")
    spin = spins[body]
    if spin.rest is None:
        raise InputError(
            f"wheel {body!r}: its centre is unknown, so its Jacobian is undefined. "
            "Give the spin rest=gearwright.mechanism.Rest(mass, position, transverse_inertia)."
        )
    centre = spin.rest.position
    return JacobianPoint(int(spin.carrier), centre + offset, IDENTITY if axes == "body" else None, spin, centre)


def _coordinates_shape(_: Mechanism, fixed: Fixed) -> tuple[int, ...]:
    return (3 + ORIENTATION_SIZES[orientation_kind(fixed)],)


def _reference_frame(mech: Mechanism, x: Inputs, fixed: Fixed) -> Reference:
    if fixed.get(FRAME_MOTION):
        m = x[FRAME_MOTION]
        rotation = Rot(Vec(*m[:3]), Vec(*m[3:6]), Vec(*m[6:9]))
        return ReferenceMotion(rotation, Vec(*m[9:12]), Vec(*m[12:15]), Vec(*m[15:18]), Vec(*m[18:21]), Vec(*m[21:24]))
    relative_to = fixed.get("relative_to")
    return None if relative_to is None or relative_to == "base" else body_spot(mech, relative_to)


def _check_external_frames(mech: Mechanism, fixed: Fixed) -> None:
    orientation_kind(fixed)
    mech.place_of(fixed["body"])
    if fixed.get("relative_to") is not None:
        mech.place_of(fixed["relative_to"])


def _jacobian(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[list[Scalar]]:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return speed_map.columns(point_jacobian(pose, jacobian_point(mech, fixed)))


def _motor_ratios(mech: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> list[list[Scalar]]:
    speed_map = placed_machine(mech, x["q"], ops)[1]
    return speed_map.columns([list(actuator.row) for actuator in mech.actuators])


def _jacobian_rate(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[list[Scalar]]:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v, point = speed_map.speeds(x["v"]), jacobian_point(mech, fixed)
    rate = point_jacobian_rate(pose, v, point)
    if mech.closure is None:
        return rate
    return jacobian_rate_in_independent_speeds(speed_map, v, point_jacobian(pose, point), rate, ops)


def _external_frame(mech: Mechanism, x: Inputs, fixed: Fixed) -> tuple[BodyPlace, bool, Reference]:
    """The frame of external coordinates, whether its orientation is a quaternion, and the frame it is relative to."""
    quaternion = orientation_kind(fixed) == "quaternion"
    return body_spot(mech, fixed["body"]), quaternion, _reference_frame(mech, x, fixed)


def _external_coordinates(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    return external_coordinates(place_machine(mech.tree, x["q"], ops), ops, *_external_frame(mech, x, fixed))


def _external_jacobian(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[list[Scalar]]:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return speed_map.columns(external_jacobian(pose, ops, *_external_frame(mech, x, fixed)))


def _external_rates(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    return external_rates(pose, ops, speed_map.speeds(x["v"]), *_external_frame(mech, x, fixed))


def _external_adjoint(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    pose, speed_map = placed_machine(mech, x["q"], ops)
    v, frame = speed_map.speeds(x["v"]), _external_frame(mech, x, fixed)
    adjoint = external_adjoint(pose, ops, v, *frame)
    if mech.closure is None:
        return adjoint
    g = speed_map.accelerations(v, [0.0] * mech.n)
    rows = external_jacobian(pose, ops, *frame)
    return [total + sum(a * b for a, b in zip(row, g, strict=True)) for total, row in zip(adjoint, rows, strict=True)]


def _joint_axes(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[list[Scalar]]:
    place = body_spot(mech, fixed["body"])
    return joint_axes(place_machine(mech.tree, x["q"], ops), place.body, place.rotation)


def _joint_axis_derivatives(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[list[list[Scalar]]]:
    place = body_spot(mech, fixed["body"])
    return joint_axis_derivatives(place_machine(mech.tree, x["q"], ops), place.body, place.rotation)


def _inverse_kinematics_step(mech: Mechanism, ops: Operations, x: Inputs, fixed: Fixed) -> list[Scalar]:
    R, p = x["pose"][:9], x["pose"][9:]
    rotation = Rot(Vec(*R[:3]), Vec(*R[3:6]), Vec(*R[6:]))
    wish = PoseTarget(rotation, Vec(*p), x["task"], x["mobility"], x["lower"], x["upper"], x["damping"][0])
    return inverse_kinematics_step(mech, ops, x["q"], body_spot(mech, fixed["body"]), wish)


JACOBIAN = Program(
    "jacobian",
    ("q",),
    _jacobian,
    lambda m, _: (6, m.n),
    options=("body", "point", "axes"),
    check_options=jacobian_point,
)
JACOBIAN_RATE = Program(
    "jacobian_rate",
    ("q", "v"),
    _jacobian_rate,
    lambda m, _: (6, m.n),
    options=("body", "point", "axes"),
    check_options=jacobian_point,
    growth=2,
)
JOINT_AXES = Program(
    "joint_axes", ("q",), _joint_axes, lambda m, _: (3, m.tree.n), options=("body",), needs_closed_loops=False
)
JOINT_AXIS_DERIVATIVES = Program(
    "joint_axis_derivatives",
    ("q",),
    _joint_axis_derivatives,
    lambda m, _: (3, m.tree.n, m.tree.n),
    options=("body",),
    growth=2,
    needs_closed_loops=False,
)
_EXTERNAL: dict[str, Any] = {
    "options": ("body", "angles", "relative_to", FRAME_MOTION),
    "check_options": _check_external_frames,
    "entries": {FRAME_MOTION: FRAME_MOTION_ENTRIES},
    "optional_inputs": (FRAME_MOTION,),
}
EXTERNAL_COORDINATES = Program(
    "external_coordinates", ("q",), _external_coordinates, _coordinates_shape, **_EXTERNAL, needs_closed_loops=False
)
EXTERNAL_JACOBIAN = Program(
    "external_jacobian",
    ("q",),
    _external_jacobian,
    lambda m, fixed: (*_coordinates_shape(m, fixed), m.n),
    **_EXTERNAL,
)
EXTERNAL_RATES = Program("external_rates", ("q", "v"), _external_rates, _coordinates_shape, **_EXTERNAL)
EXTERNAL_ADJOINT = Program("external_adjoint", ("q", "v"), _external_adjoint, _coordinates_shape, growth=2, **_EXTERNAL)
REACHING_STEP = Program(
    "reaching_step",
    ("q", "pose", "task", "mobility", "lower", "upper", "damping"),
    _inverse_kinematics_step,
    lambda m, _: (m.nq + 2,),
    options=("body",),
    entries=STEP_ENTRIES,
)

MOTOR_RATIOS = Program("motor_ratios", ("q",), _motor_ratios, lambda m, _: (len(m.actuators), m.n))

KINEMATIC_PROGRAMS = (
    JACOBIAN,
    JACOBIAN_RATE,
    JOINT_AXES,
    JOINT_AXIS_DERIVATIVES,
    EXTERNAL_COORDINATES,
    EXTERNAL_JACOBIAN,
    EXTERNAL_RATES,
    EXTERNAL_ADJOINT,
    REACHING_STEP,
    MOTOR_RATIOS,
)
