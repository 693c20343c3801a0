"""Time-optimal motion along a path under limits of joints, motors and electronics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number, whole_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Law
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory, chain, pause
from gearwright.motion.limits import require_inside
from gearwright.motion_demands.closed_loop_motion import independent_part, whole_motion_of
from gearwright.motion_demands.forces_at_states import MotionRows
from gearwright.parts import Robot
from gearwright.planning.time_optimal.drive_limits import LIMITS_OF_SHEETS, DriveLimits, MotorLimits, drive_limits
from gearwright.planning.time_optimal.joint_paths import segments_between_rests, spline_through_points
from gearwright.planning.time_optimal.line_actuators import LineActuator
from gearwright.planning.time_optimal.path_parametrisation import time_optimal_motion
from gearwright.plots import NotebookFigure, Panel, panel_figure, save_if_path
from gearwright.text import listed_names

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

EDGE_TIME_RATIO = 1e-6
"""Share of a motion after a start and before a stop at which directions of motion are evaluated."""
FASTEST_MOVING_RATIO = 1e-9
"""Share of the largest speed below which a joint is at rest."""
MIN_PATH_INTERVALS, INTERVALS_PER_SPAN = 1500, 500
"""Least number of intervals of the path, in all and between two points."""


@check_arguments
def fastest(
    robot: Robot | Mechanism,
    path: ArrayLike | Trajectory,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    motors: MotorLimits = LIMITS_OF_SHEETS,
    actuators: Mapping[str, LineActuator] | None = None,
    share: float = 1.0,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    intervals: int | None = None,
) -> Trajectory:
    r"""Return the time-optimal motion from rest to rest along a path, under limits of joints, motors and electronics.

    The dynamics are exact, with wheels, friction and losses of gears. At every instant one limit is active. Limited are
    the torque of the motors at a joint, the motor torque $T$, its current $T / K$ and its voltage
    $R\,T / K + K \omega$, without inductance, for an ideal supply and cold motors. The speed is continuous, the
    acceleration is not: `gw.motion.moving_average` removes them if `share` leaves a margin.

    Args:
        robot: a robot, whose own limits are the defaults, or a machine. Elastic drives raise an error.
        path: configurations (m, n), joined by a natural cubic spline (two by a straight line); or a trajectory from
            rest to rest, of which only the path and the stops are used. With closed loops these are of the independent
            coordinates, or of all; the motion is that of all joints.
        speed: largest speed of each joint, or of all [rad/s, m/s]; by default that of the robot. With closed loops
            lists of limits are of the independent joints, or of all.
        acceleration: largest acceleration [rad/s2, m/s2]; by default that of the robot.
        torque: largest torque of the motors at each joint [Nm, N]; by default the joint's `effort`.
        motors: largest torques, currents and voltages of motors; by default those of their data and supply.
        actuators: joint -> `LineActuator` that acts along a coordinate in place of an actuator at this joint.
        share: usable fraction of every limit, such as 0.95 to leave a reserve for the controller.
        laws: laws that replace those of the robot, with a warning that lists the omitted ones; () for none.
        extra_laws: laws added to those of the robot.
        intervals: number of intervals of the path; by default at least 1,500, more for paths with many points. With
            more intervals the motion comes closer to its limits.

    Raises:
        PlanningError: no motion along the path satisfies the limits; the message states the position on the path and
            the limit.

    >>> import gearwright as gw
    >>> swing = gw.planning.fastest(gw.load("elbow"), [[0, -0.5, 0.4], [1.2, 0.6, -0.8]], torque=[40, 60, 25])
    >>> round(swing.duration, 3)
    1.003
    """
    share = real_number("fastest", "share", share, above=0.0, most=1.0, example=0.95)
    if intervals is not None:
        whole_number("fastest", "intervals", intervals, least=10, example=MIN_PATH_INTERVALS)
    limits = drive_limits(
        "fastest",
        robot,
        laws=laws,
        extra_laws=extra_laws,
        speed=speed,
        acceleration=acceleration,
        torque=torque,
        motors=motors,
        actuators=actuators,
    ).with_share(share)
    _require_limits(limits)
    free_path, near = independent_part("fastest", limits.mech, path)
    if isinstance(free_path, Trajectory):
        segments, cuts = segments_between_rests("fastest", free_path), MIN_PATH_INTERVALS
    else:
        segments = [spline_through_points("fastest", free_path)]
        cuts = max(MIN_PATH_INTERVALS, INTERVALS_PER_SPAN * (len(free_path) - 1))
    return limits.bounds.with_joint_names(chain(*_timed_segments(segments, limits, intervals or cuts, near)))


def _timed_segments(
    segments: Sequence[PPoly | float], limits: DriveLimits, intervals: int, near: Array | None
) -> list[Trajectory]:
    """Return a motion per path, and the pauses between them; loops are closed near a configuration."""
    paths: list[Trajectory | float] = []
    for segment in segments:
        if isinstance(segment, float):
            paths.append(segment)
            continue
        closed_path = _closed_path(segment, limits, near)
        paths.append(closed_path)
        near = closed_path.at(1.0)
    configuration: Array = next(path for path in paths if isinstance(path, Trajectory)).at(0.0)
    trajectories: list[Trajectory] = []
    for path in paths:
        if isinstance(path, float):
            trajectories.append(pause(configuration, path))
            continue
        motion = time_optimal_motion("fastest", path.pieces, limits, intervals)
        trajectories.append(path.with_time_law(motion.pieces))
        configuration = path.at(1.0)
    return trajectories


def _closed_path(segment: PPoly, limits: DriveLimits, near: Array | None) -> Trajectory:
    """Return the path of all joints within their limits."""
    names = limits.mech.independent_coordinates
    if segment.c.shape[-1] != len(names):
        raise InputError(
            f"fastest: the path has {segment.c.shape[-1]} coordinates, the robot {len(names)} joints "
            f"({listed_names(names)}). Give one each."
        )
    path: Trajectory = whole_motion_of("fastest", limits.mech, Trajectory(segment), near)
    for q in Trajectory(path.pieces).extremes():
        require_inside("fastest", "the path", q, limits.bounds, "Move its points, or add points.")
    return path


def _require_limits(limits: DriveLimits) -> None:
    if not any(s.forces.any() or s.accelerations.any() for s in limits.signals):
        raise InputError(
            "fastest: neither accelerations nor torques are limited, so the motion would take no time. Give "
            "torque=, acceleration= or motors=, or a robot with limits."
        )


@dataclass(frozen=True)
class LimitUse(NotebookFigure):
    """Ratios of a motion to its limits.

    Args:
        t: times [s], (T,).
        shares: per limit, such as "v.elbow", "tau.elbow" or "elbow.current", the ratio to it, with sign, (T,).
        remarks: on neglected effects.
    """

    t: Array
    shares: Mapping[str, Array]
    remarks: tuple[str, ...] = ()

    @property
    def largest_share(self) -> Array:
        """Largest ratio over all limits, (T,)."""
        peak: Array = np.abs(np.array(list(self.shares.values()))).max(axis=0)
        return peak

    def plot(self, path: str | Path | None = None) -> Any:
        """Return a figure of the ratios over time; with `path` (.png, .svg, .pdf) it is saved too."""
        return save_if_path(panel_figure(self.t, "time [s]", [Panel("ratio to the limit", dict(self.shares))]), path)

    @property
    def peak_shares(self) -> dict[str, float]:
        """Return the largest ratio per limit."""
        return {name: float(np.abs(x).max()) for name, x in self.shares.items()}


@check_arguments
def limit_use(
    robot: Robot | Mechanism,
    motion: Trajectory,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    motors: MotorLimits = LIMITS_OF_SHEETS,
    actuators: Mapping[str, LineActuator] | None = None,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    samples: int = 2001,
) -> LimitUse:
    """Return the ratios of a motion to the limits of `fastest`; the arguments are the same.

    Friction follows the direction of motion; during pauses it is zero.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, -0.5, 0.4], [1.2, 0.6, -0.8], 1.0)
    >>> use = gw.planning.limit_use(gw.load("elbow"), swing, torque=[40, 60, 25])
    >>> {name: round(share, 2) for name, share in use.peak_shares.items()}
    {'tau.j1': 1.46, 'tau.j2': 0.82, 'tau.j3': 0.49}
    """
    whole_number("limit_use", "samples", samples, least=2, example=2001)
    limits = drive_limits(
        "limit_use",
        robot,
        laws=laws,
        extra_laws=extra_laws,
        speed=speed,
        acceleration=acceleration,
        torque=torque,
        motors=motors,
        actuators=actuators,
    )
    if not limits.signals:
        raise InputError(
            "limit_use: no limit is known. Give speed=, acceleration=, torque= or motors=, or a robot with limits."
        )
    motion = whole_motion_of("limit_use", limits.mech, motion)
    if motion.count != limits.mech.tree.n:
        raise InputError(
            f"limit_use: the motion has {motion.count} coordinates, the robot {limits.mech.tree.n} "
            f"({listed_names(limits.mech.coordinates)}). Give a motion of all of them."
        )
    t = np.linspace(0.0, motion.duration, samples)
    states = MotionRows(*(motion.at(t, k) for k in range(3)))
    independent_part("limit_use", limits.mech, motion)  # raises if it opens a loop
    shares = limits.limit_shares(states, limits.machine.likely_modes(states.q, _motion_directions(motion, t)))
    return LimitUse(t, dict(zip(limits.signal_names, shares.T, strict=True)), limits.remarks)


def _motion_directions(motion: Trajectory, t: Array) -> Array:
    """Return directions of motion at times (T,), also at starts and stops; zeros during pauses, (T, n)."""
    directions, least = motion.at(t, 1), FASTEST_MOVING_RATIO * motion.peak(1).max()
    for shift in (EDGE_TIME_RATIO * motion.duration, -EDGE_TIME_RATIO * motion.duration):
        is_resting = np.abs(directions).max(axis=1) <= least
        directions[is_resting] = motion.at(np.clip(t[is_resting] + shift, 0.0, motion.duration), 1)
    sizes = np.abs(directions).max(axis=1, keepdims=True)
    return np.where(sizes > 0, directions / np.where(sizes > 0, sizes, 1.0), 0.0)
