"""Where commands put a robot, and how they move it, unless somebody says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gearwright.cli.arguments import number_list
from gearwright.cli.output import say
from gearwright.functions.constrained.closure import OPEN, closure_of
from gearwright.mechanism import Mechanism
from gearwright.motion_demands.stated_limits import neutral_within_limits
from gearwright.parts import Robot

if TYPE_CHECKING:
    from gearwright.motion import Motion


def begin_within_limits(robot: Robot, mech: Mechanism) -> list[float]:
    """Coordinates (nq,): neutral, or the middle of its range where a joint may not be there, which is said.

    Of a robot with closed loops the nearest that closes them.
    """
    from gearwright.planning.paths.motions_of_closed_robots import ClosedRobot

    closed = ClosedRobot.of(robot, mech)
    if closed is not None:
        say(f"{robot.name} starts where its loops close, nearest to its neutral configuration.")
        return [float(x) for x in closed.start]
    q, moved = neutral_within_limits(robot, mech)
    for name, value in moved.items():
        say(f"{name} starts at {value:.6g}, the middle of its range, since its neutral position is beyond its limits.")
    return [float(x) for x in q]


def shown_motion(robot: Robot, mech: Mechanism, path: Path | None) -> Motion:
    """The motion of a file, with remarks on what was derived; without one a fast tour through three points."""
    from gearwright.motion.csv_files import read_recording
    from gearwright.motion.default_motion import TOUR, over_all, tour

    if path is None:
        from gearwright.planning.paths.motions_of_closed_robots import ClosedRobot

        closed = ClosedRobot.of(robot, mech)
        return tour(robot, mech) if closed is None else over_all(mech, closed.default_motion(), TOUR)
    motion, notes = read_recording(path, mech)
    for note in notes:
        say(note)
    return motion


def joints_at(robot: Robot, mech: Mechanism, text: str | None) -> list[float]:
    """Where `--q` puts the joints; without it at zero, or in the middle of a range without zero."""
    joints = mech.coordinates[: mech.nq - len(mech.shafts)]
    if text is None:
        return begin_within_limits(robot, mech)[: len(joints)]
    q = coordinates_of("--q", text, robot, mech)[: len(joints)]
    closure = closure_of("--q", robot, mech, None)
    if closure is not None:
        gap = closure.at(np.array([*q, *[0.0] * len(mech.shafts)])).gap
        worst = int(np.abs(gap).argmax())
        if abs(gap[worst]) > OPEN:
            say(f"--q opens the loop {closure.lines[worst].name} by {abs(gap[worst]):.4g} m or rad.")
    return q


def coordinates_of(option: str, text: str, robot: Robot, mech: Mechanism) -> list[float]:
    """Coordinates given one by one, or as a state that the robot's file names.

    >>> import gearwright as gw
    >>> arm = gw.load("elbow")
    >>> coordinates_of("--q", "0,30 deg,0", arm, gw.assemble(arm))
    [0.0, 0.5235987755982988, 0.0]
    """
    from gearwright.system.state import State

    if any(one.name == text for one in robot.states):
        return [float(x) for x in np.asarray(State.named(robot, text, mech).q)]
    joints = mech.coordinates[: mech.nq - len(mech.shafts)]
    return number_list(option, text, joints if option == "--q" else mech.coordinates)
