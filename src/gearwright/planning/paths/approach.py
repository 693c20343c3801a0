"""Planning of an approach: a frame meets a surface at rest, so that there is no impact."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import Vec
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.algebra.operations import FLOATS
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.functions.dynamics import placement
from gearwright.mechanism import RobotOrMech, machine_of
from gearwright.motion import Trajectory
from gearwright.parts.environment.surfaces import Surface
from gearwright.planning.kinematics.poses import checked_position
from gearwright.planning.paths.cartesian_motions import line
from gearwright.programs.inputs import checked

CALLER = "approach"


@check_arguments
def approach(
    robot: RobotOrMech,
    frame: int | str,
    start: ArrayLike,
    surface: Surface,
    *,
    to: ArrayLike | None = None,
    oriented: bool = False,
    speed: float,
    acceleration: float = np.inf,
    jerk: float = np.inf,
    accuracy: float = 1e-7,
) -> Trajectory:
    r"""A motion that brings a frame onto a surface with no contact speed: $s = \dot s = \ddot s = 0$ at its end.

    The frame goes along a straight line to the foot of its position on the surface, or of `to`. In a run that follows
    it exactly there is no impact; where something is not as planned the impact happens all the same, with the speed
    that the frame still has.

    Args:
        robot: a robot, whose limits of position and speed are kept, or a machine.
        frame: the body or frame that touches.
        start: configuration at the start, (nq,), on the free side of the surface.
        surface: a `gw.contact` Plane, Sphere or Cylinder, in world axes.
        to: a position (3,) above or near where it is to touch; the nearest place unless given.
        oriented: whether the orientation is kept; it is left free unless so.
        speed: largest speed of the frame's origin [m/s].
        acceleration: its largest acceleration [m/s2]; a quarter of the way speeds up unless given.
        jerk: its largest jerk [m/s3].
        accuracy: how far the frame may be from the line, and from the surface at the end [m].

    >>> import gearwright as gw
    >>> arm, desk = gw.load("elbow"), gw.contact.Plane((0, 0, 0.1), (0, 0, 1))
    >>> way = gw.planning.approach(arm, "tool", [0.3, 0.2, 0.6], desk, speed=0.3)
    >>> end = gw.placement(arm, way.at(way.duration), "tool")
    >>> round(float(end.position[2]), 6), bool(abs(way.at(way.duration, 1)).max() < 1e-9)
    (0.1, True)
    """
    mech = machine_of(CALLER, robot)
    if not hasattr(surface, "gap"):
        raise InputError(f"{CALLER}: {surface!r} is not a surface. Give a Plane, Sphere or Cylinder of gw.contact.")
    here = placement(mech, checked(CALLER, mech, "start", start, mech.nq, mech.coordinates), frame).position
    gap = float(surface.gap(Vec(*here.tolist()), FLOATS))
    if gap < 0:
        raise InputError(
            f"{CALLER}: {frame!r} starts {-gap:.4g} m inside the surface. Start on its free side, or turn the normal "
            "round: it points there."
        )
    end = foot(surface, here if to is None else checked_position(CALLER, to, "to"))
    pose = end if oriented else (None, end)
    return line(robot, frame, start, pose, speed=speed, acceleration=acceleration, jerk=jerk, accuracy=accuracy)


def foot(surface: Surface, position: Array) -> Array:
    """The nearest place on a surface, p - s grad s: the gap s is a distance, so that its slope is the normal.

    >>> from gearwright.parts import Sphere
    >>> foot(Sphere((0, 0, 0), 0.5), np.array([0.0, 2.0, 0.0])).tolist()
    [0.0, 0.5, 0.0]
    """
    place = position.tolist()
    slopes = []
    for k in range(3):
        moved = Vec(*(Taylor([x, float(j == k)]) for j, x in enumerate(place)))
        try:
            gap = surface.gap(moved, TaylorOperations(FLOATS)).c
        except ZeroDivisionError:
            raise InputError(
                f"{CALLER}: {place} is the centre of the {type(surface).__name__}, from where no way is the shortest. "
                "Give another position."
            ) from None
        slopes.append(gap[1])
    return np.array([x - gap[0] * slope for x, slope in zip(place, slopes, strict=True)])
