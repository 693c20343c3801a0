"""Default configuration and default motion of the commands."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gearwright.cli.arguments import parse_numbers
from gearwright.cli.output import print_remark
from gearwright.errors import InputError
from gearwright.functions.constrained.closure import MAX_LOOP_GAP, closure_of
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.stated_limits import neutral_within_limits
from gearwright.parts import Robot
from gearwright.programs import ClosedMechanism, machine_of
from gearwright.text import did_you_mean, listed_names

if TYPE_CHECKING:
    from gearwright.motion import Motion


def start_within_limits(robot: Robot, mech: Mechanism) -> list[float]:
    """Return coordinates (nq,): neutral, or the middle of a joint's range if that excludes neutral, with a remark.

    For a robot with closed loops, its first state, or the nearest configuration that closes them.
    """
    from gearwright.planning.paths.motions_of_closed_robots import ClosedLoopRobot

    closed = ClosedLoopRobot.from_robot(robot, mech)
    if closed is not None:
        place = f"its state {robot.states[0].name!r}" if robot.states else "the configuration nearest to neutral"
        print_remark(f"{robot.name} starts in {place}, with its loops closed.")
        return [float(x) for x in closed.start_configuration]
    q, shifted_joints = neutral_within_limits(robot, mech)
    for name, value in shifted_joints.items():
        print_remark(
            f"{name} starts at {value:.6g}, the middle of its range: its neutral position is outside its limits."
        )
    return [float(x) for x in q]


def motion_to_show(robot: Robot, mech: Mechanism, path: Path | None) -> Motion:
    """Return the motion of a file, with remarks on derived columns; without a file, the default motion."""
    from gearwright.motion.csv_files import read_recording
    from gearwright.motion.default_motion import DEFAULT_MOTION_SAMPLES, default_motion, trajectory_over_machine

    if path is None:
        from gearwright.planning.paths.motions_of_closed_robots import ClosedLoopRobot

        closed = ClosedLoopRobot.from_robot(robot, mech)
        return (
            default_motion(robot, mech)
            if closed is None
            else trajectory_over_machine(mech, closed.default_motion(), DEFAULT_MOTION_SAMPLES)
        )
    motion, notes = read_recording(path, mech)
    for note in notes:
        print_remark(note)
    return motion


def joint_positions(robot: Robot, mech: Mechanism, text: str | None) -> list[float]:
    """Return the joint coordinates of `--q`; by default zero, or the middle of a range that excludes zero."""
    joints = mech.coordinates[: mech.nq - len(mech.shafts)]
    if text is None:
        return start_within_limits(robot, mech)[: len(joints)]
    q = read_coordinates("--q", text, robot, mech)[: len(joints)]
    closure = closure_of("--q", robot, mech, None)
    if closure is not None:
        gap = closure.constraint_state(np.array([*q, *[0.0] * len(mech.shafts)])).gap
        worst = int(np.abs(gap).argmax())
        if abs(gap[worst]) > MAX_LOOP_GAP:
            print_remark(
                f"--q opens the loop {closure.constraint_lines[worst].name} by {abs(gap[worst]):.4g} m or rad."
            )
    return q


def read_coordinates(option: str, text: str, robot: Robot, mech: Mechanism) -> list[float]:
    """Return coordinates from a list of numbers or from the name of a state in the robot's file.

    With closed loops the independent coordinates are sufficient: the others follow.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> read_coordinates("--q", "0,30 deg,0", arm, gw.assemble(arm))
    [0.0, 0.5235987755982988, 0.0]
    """
    from gearwright.system.state import State

    if any(state.name == text for state in robot.states):
        return [float(x) for x in np.asarray(State.from_robot(robot, text, mech).q)]
    if text.isidentifier():
        state_names = [state.name for state in robot.states]
        remedy = (
            did_you_mean(text, state_names)
            if state_names
            else "Its file states none. Give numbers, such as 0,0.5,-0.3."
        )
        raise InputError(f"{option} {text!r}: robot {robot.name!r} has no state of this name. {remedy}")
    joints = mech.coordinates[: mech.nq - len(mech.shafts)]
    names = joints if option == "--q" else mech.coordinates
    if robot.loops:
        closed_q = _closed_coordinates(option, text, robot, names)
        if closed_q is not None:
            return closed_q
    return parse_numbers(option, text, names)


def _closed_coordinates(option: str, text: str, robot: Robot, names: Sequence[str]) -> list[float] | None:
    """Return the whole configuration from the independent coordinates; None for a list of all coordinates."""
    mech = machine_of(option, robot)
    assert isinstance(mech, ClosedMechanism)
    independent = [k for k in mech.independent_indices if mech.coordinates[k] in names]
    count = text.count(",") + 1
    if count == len(names):
        return None
    free_names = [mech.coordinates[k] for k in independent]
    if count != len(free_names):
        raise InputError(
            f"{option} {text!r}: give the {len(free_names)} independent coordinates {listed_names(free_names)}, or all "
            f"{len(names)}, which must close the loops: {listed_names(names)}."
        )
    configuration = mech.reference.copy()
    configuration[independent] = parse_numbers(option, text, free_names)
    return [float(x) for x in mech.closed(configuration[list(mech.independent_indices)])]


def read_speeds(option: str, text: str, robot: Robot, mech: Mechanism) -> list[float]:
    """Return speeds from a list of numbers: all, or with closed loops the independent ones."""
    is_short = robot.loops and text.count(",") + 1 != mech.n
    return parse_numbers(option, text, machine_of(option, robot).speeds if is_short else mech.speeds)
