"""Planning of an approach: a frame touches a surface at zero speed, without impact."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gearwright.algebra import FLOATS, Vec
from gearwright.algebra.differentiation.taylor_series import Taylor, TaylorOperations
from gearwright.argument_kinds import check_arguments
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.mechanism import RobotOrMech
from gearwright.motion import Trajectory
from gearwright.parts.environment.surfaces import Surface
from gearwright.planning.kinematics.poses import checked_position
from gearwright.planning.paths.cartesian_motions import line, start_placement
from gearwright.planning.paths.path_limits import PathLimits, PathOptions

APPROACH_CALLER = "approach"


@check_arguments
def approach(
    robot: RobotOrMech,
    frame: int | str,
    start: ArrayLike,
    surface: Surface,
    *,
    to: ArrayLike | None = None,
    oriented: bool = False,
    limits: PathLimits,
    accuracy: float = 1e-7,
) -> Trajectory:
    r"""Return a motion of a frame to a surface with zero contact speed: $s = \dot s = \ddot s = 0$ at its end.

    The frame moves along a straight line to the projection of its position, or of `to`, on the surface. A run that
    tracks it exactly has no impact; with tracking errors there is an impact at the remaining speed.

    Args:
        robot: a robot, whose limits of position and speed are respected, or a machine.
        frame: the body or frame that touches.
        start: configuration at the start, on the free side of the surface.
        surface: a `gw.contact` Plane, Sphere or Cylinder, in world axes.
        to: a position (3,) near the desired contact point; by default the nearest point.
        oriented: whether the orientation is kept; otherwise it is free.
        limits: of speed, acceleration and jerk along the line.
        accuracy: largest deviation of the frame from the line, and from the surface at the end [m].

    >>> import gearwright as gw
    >>> arm, desk = gw.load("elbow"), gw.contact.Plane((0, 0, 0.1), (0, 0, 1))
    >>> way = gw.planning.approach(arm, "tool", [0.3, 0.2, 0.6], desk, limits=gw.planning.PathLimits(speed=0.3))
    >>> end = gw.placement(arm, way.at(way.duration), "tool")
    >>> round(float(end.position[2]), 6), bool(abs(way.at(way.duration, 1)).max() < 1e-9)
    (0.1, True)
    """
    if not hasattr(surface, "gap"):
        raise InputError(
            f"{APPROACH_CALLER}: {surface!r} is not a surface. Give a Plane, Sphere or Cylinder of gw.contact."
        )
    _, q, pose = start_placement(APPROACH_CALLER, robot, frame, start)
    position = pose.position
    gap = float(surface.gap(Vec(*position.tolist()), FLOATS))
    if gap < 0:
        raise InputError(
            f"{APPROACH_CALLER}: {frame!r} starts {-gap:.4g} m inside the surface. Start on its free side, or reverse "
            "the normal, which points to the free side."
        )
    end = nearest_surface_point(surface, position if to is None else checked_position(APPROACH_CALLER, to, "to"))
    return line(
        robot, frame, q, end if oriented else (None, end), limits=limits, options=PathOptions(accuracy=accuracy)
    )


def nearest_surface_point(surface: Surface, position: Array) -> Array:
    """Return the nearest point on a surface, p - s grad s: the gap s is a distance, so its gradient is the normal.

    >>> from gearwright.parts import Sphere
    >>> nearest_surface_point(Sphere((0, 0, 0), 0.5), np.array([0.0, 2.0, 0.0])).tolist()
    [0.0, 0.5, 0.0]
    """
    place = position.tolist()
    slopes = []
    for k in range(3):
        varied = Vec(*(Taylor([x, float(j == k)]) for j, x in enumerate(place)))
        try:
            gap = surface.gap(varied, TaylorOperations(FLOATS)).c
        except ZeroDivisionError:
            raise InputError(
                f"{APPROACH_CALLER}: {place} is the centre of the {type(surface).__name__}, which has no unique "
                "nearest point. Give another position."
            ) from None
        slopes.append(gap[1])
    return np.array([x - gap[0] * slope for x, slope in zip(place, slopes, strict=True)])
