"""The motor torques of all drives at one instant as a program: inverse dynamics and drive equations over any scalar.

Unlike `demands` it has no modes and no states: the directions of motion are inputs. It covers rigid drives of one joint
each, with friction and losses that depend on speed and load alone, and names anything else.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from gearwright.algebra import Operations, Scalar
from gearwright.analysis.quadrature import smooth_spans
from gearwright.arrays import Array
from gearwright.dynamics.inverse_dynamics import inverse_dynamics
from gearwright.errors import InputError
from gearwright.forces.friction.stick_slip import total_sliding_friction
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.forces.transmission.drive_equation import DriveEquation, DriveLoad
from gearwright.forces.transmission.gear_wheels import axial_torque, input_wheels
from gearwright.mechanism import Mechanism, tree_of
from gearwright.motion import Motion
from gearwright.parts import Drive, Friction, Robot
from gearwright.parts.gears.losses import gear_losses
from gearwright.programs.program import Fixed, Inputs, Program
from gearwright.text import listed_names

DRIVE_PROGRAM_INPUTS = ("q", "v", "a", "direction")
MOVING_SPEED_RATIO = 1e-9
"""Speed relative to the largest one of a joint, up to which it is at rest."""


def drive_program(robot: Robot) -> Program:
    """Return the program: motor torques [Nm], then motor speeds [rad/s] of all drives, in their order.

    Its inputs are q, v, a and the direction of every speed, 1, -1, or 0 at rest (`motion_directions`).

    Raises:
        InputError: if motor torques of this robot depend on anything else.

    >>> import gearwright as gw
    >>> from gearwright.algebra import FLOATS
    >>> arm = gw.load("elbow")
    >>> program = drive_program(arm)
    >>> state = {"q": [0.0] * 3, "v": [1.0, 0, 0], "a": [0.0] * 3, "direction": [1.0, 0, 0]}
    >>> program.run(gw.assemble(arm), FLOATS, state, {})[3:]
    [120.0, 0.0, 0.0]
    """
    mech = tree_of("drive_program", robot)
    reasons = list(_unsupported_parts(robot, mech))
    if reasons:
        raise InputError(
            f"drive_program: robot {robot.name!r} has {listed_names(reasons)}, so that its motor torques depend on "
            "more than speed and load of one joint each. Use gw.demands for it."
        )
    drives = tuple(robot.drives)
    frictions = {link.joint_name: link.joint.total_friction for link in robot.links}

    def run(machine: Mechanism, ops: Operations, x: Inputs, _: Fixed) -> list[Scalar]:
        kinematics = SharedKinematics(machine, x["q"], x["v"], ops)
        forces = inverse_dynamics(kinematics.pose, x["v"], x["a"])
        pairs = [_motor_state(kinematics, drive, forces, frictions, x) for drive in drives]
        return [torque for torque, _ in pairs] + [speed for _, speed in pairs]

    return Program("drive_torques", DRIVE_PROGRAM_INPUTS, run, lambda _mech, _fixed: (2 * len(drives),))


def _motor_state(
    kinematics: SharedKinematics,
    drive: Drive,
    forces: list[Scalar],
    frictions: dict[str, Friction],
    x: Inputs,
) -> tuple[Scalar, Scalar]:
    """Torque and speed of the motor of a drive."""
    machine, ops = kinematics.mech, kinematics.ops
    ((index, ratio),) = motor_line(machine, drive.title).terms
    speed, direction = x["v"][index], x["direction"][index]
    row, offset = axial_torque(kinematics, input_wheels(machine, drive.title), ratio)
    rotor_torque = offset
    for weight, acceleration in zip(row, x["a"], strict=True):
        rotor_torque = rotor_torque + weight * acceleration
    friction = direction * total_sliding_friction(frictions[drive.joint], ops.absolute(speed), ops)
    load = DriveLoad(forces[index] + friction - ratio * rotor_torque, rotor_torque, speed, direction)
    equation = DriveEquation(ratio, gear_losses(drive.gear), drive.motor.total_friction)
    return equation.motor_torque(load, ops), equation.motor_speed(load)


def _unsupported_parts(robot: Robot, mech: Mechanism) -> Iterator[str]:
    """What makes motor torques depend on more than the state and the load of a joint."""
    if not robot.drives:
        yield "no drives"
    for kind, parts in (("gear trains", robot.trains), ("closed loops", robot.loops), ("elastic drives", mech.shafts)):
        if parts:
            yield kind
    known = {f"{link.joint_name}.{ending}" for link in robot.links for ending in ("friction", "stops")}
    known |= {f"{drive.title}.{ending}" for drive in robot.drives for ending in ("gear", "motor_friction")}
    others = [law for law in laws_of(robot, mech) if law.name not in known or law.states or law.inputs]
    if others:
        yield f"the laws {listed_names(law.name for law in others)}"
    moved = {drive.joint for drive in robot.drives} | set(mech.shafts)
    undriven = set(mech.speeds) - moved
    if undriven:
        yield f"joints without a drive ({listed_names(sorted(undriven))})"
    coupled = [drive.title for drive in robot.drives if len(motor_line(mech, drive.title).terms) != 1]
    if coupled:
        yield f"motors that act on several joints ({listed_names(coupled)})"


def motion_directions(motion: Motion) -> Array:
    """Return the directions of motion of all speeds, (T, n): at a reversal those before and after it.

    >>> import numpy as np
    >>> t = np.array([0.0, 1.0, 1.0, 2.0, 2.0, 3.0])
    >>> v = np.array([[0.0, 0.0, 0.0, -1.0, 0.0, 0.0]]).T
    >>> motion_directions(Motion(t, v, v, v)).ravel().tolist()
    [0.0, 0.0, -1.0, -1.0, 0.0, 0.0]
    """
    v = np.asarray(motion.v)
    threshold = MOVING_SPEED_RATIO * np.abs(v).max(axis=0, initial=0.0)
    directions = np.where(np.abs(v) > threshold, np.sign(v), 0.0)
    for start, end in smooth_spans(np.asarray(motion.t)):
        span = directions[start:end]  # within a smooth span no speed changes its sign
        moving = np.sign(span.sum(axis=0))
        directions[start:end] = np.where(span == 0.0, moving, span)
    return directions
