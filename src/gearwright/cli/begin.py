"""Where commands put a robot unless somebody says."""

from __future__ import annotations

from gearwright.cli.arguments import number_list
from gearwright.cli.output import say
from gearwright.mechanism import Mechanism
from gearwright.parts import Robot
from gearwright.system.stated_limits import neutral_within_limits


def begin_within_limits(robot: Robot, mech: Mechanism) -> list[float]:
    """Coordinates (nq,): neutral, or the middle of its range where a joint may not be there, which is said."""
    q, moved = neutral_within_limits(robot, mech)
    for name, value in moved.items():
        say(f"{name} starts at {value:.6g}, the middle of its range, since its neutral position is beyond its limits.")
    return [float(x) for x in q]


def joints_at(robot: Robot, mech: Mechanism, text: str | None) -> list[float]:
    """Where `--q` puts the joints; without it at zero, or in the middle of a range without zero."""
    joints = mech.coordinates[: mech.nq - len(mech.shafts)]
    if text is None:
        return begin_within_limits(robot, mech)[: len(joints)]
    return number_list("--q", text, joints)
