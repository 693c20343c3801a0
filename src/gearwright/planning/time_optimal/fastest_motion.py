"""The fastest motion along a path that the robot's joints, motors and electronics allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import number, whole
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.mechanism import Mechanism
from gearwright.motion import Trajectory, chain, pause
from gearwright.motion.limits import require_inside
from gearwright.motion_demands.forces_at_states import States
from gearwright.parts import Robot
from gearwright.planning.time_optimal.drive_limits import DriveLimits, drive_limits
from gearwright.planning.time_optimal.joint_paths import through_points, ways_of
from gearwright.planning.time_optimal.path_parametrisation import time_optimal
from gearwright.plots import Panel, figure, saved
from gearwright.plots.notebook import Shown
from gearwright.text import listed

if TYPE_CHECKING:
    from scipy.interpolate import PPoly

JUST = 1e-6
"""Share of a motion after a start and before a stop by which the way things move is told."""
MOVING = 1e-9
"""Share of the largest speed below which nothing moves."""
INTERVALS, PER_SPAN = 1500, 500
"""Into how many the way is cut at least, and for each span between two points."""


@check_arguments
def fastest(
    robot: Robot | Mechanism,
    path: ArrayLike | Trajectory,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    motor_torque: float | Mapping[str, float] | None = None,
    current: float | Mapping[str, float] | None = None,
    voltage: float | Mapping[str, float] | None = None,
    share: float = 1.0,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    intervals: int | None = None,
) -> Trajectory:
    r"""The fastest motion from rest to rest along a path, under limits of joints, motors and electronics.

    The dynamics are exact, wheels, friction and losses of gears included. At every instant some limit is reached. What
    the motors bring at a joint, what a motor turns its rotor with ($T$), its current $T / K$ and its voltage
    $R\,T / K + K \omega$ are limited: the inductance is left out. Supplies do not sag, motors are cold. The speed is
    continuous, the acceleration has steps: `gw.motion.smoothed` takes them away, with a share of the limits kept free.

    Args:
        robot: a robot, whose own limits hold where none are given, or a machine. Elastic drives are refused by name.
        path: configurations (m, n) that a natural cubic spline passes, two of them a straight line; or a trajectory
            from rest to rest, whose path is kept and whose time is not (where it rests, so does the fastest).
        speed: largest speed of each joint, or of all [rad/s, m/s]; that of the robot unless given.
        acceleration: largest acceleration [rad/s2, m/s2]; that of the robot unless given.
        torque: largest torque of the motors at each joint [Nm, N]; the joint's `effort` unless given.
        motor_torque: largest torque of a motor [Nm], one for all or motor -> number; its `max_torque` unless given.
        current: largest current [A]; its `max_current` unless given.
        voltage: largest voltage [V]; its `max_voltage` or that of its supply, the lower one, unless given.
        share: of every limit that may be used, such as 0.95 to leave a controller something.
        laws: laws instead of those of the robot, of which a warning names what is left out; () for none.
        extra_laws: laws beside those of the robot.
        intervals: into how many the path is cut, 1,500 or more by the number of its points; more come closer to limits.

    Raises:
        PlanningError: no motion along the path keeps the limits; the message says where and which.

    >>> import gearwright as gw
    >>> swing = gw.planning.fastest(gw.load("elbow"), [[0, -0.5, 0.4], [1.2, 0.6, -0.8]], torque=[40, 60, 25])
    >>> round(swing.duration, 3)
    1.003
    """
    share = number("fastest", "share", share, above=0.0, most=1.0, example=0.95)
    if intervals is not None:
        whole("fastest", "intervals", intervals, least=10, example=INTERVALS)
    motors = {"motor_torque": motor_torque, "current": current, "voltage": voltage}
    limits = drive_limits(
        "fastest",
        robot,
        laws=laws,
        extra_laws=extra_laws,
        speed=speed,
        acceleration=acceleration,
        torque=torque,
        motors=motors,
    ).scaled(share)
    _refuse_unlimited(limits)
    if isinstance(path, Trajectory):
        ways, cuts = ways_of("fastest", path), INTERVALS
    else:
        ways = [through_points("fastest", path)]
        cuts = max(INTERVALS, PER_SPAN * (len(np.asarray(path)) - 1))
    return limits.bounds.named(chain(*_timed(ways, limits, intervals or cuts)))


def _timed(ways: Sequence[PPoly | float], limits: DriveLimits, intervals: int) -> list[Trajectory]:
    """A motion per way, and the pauses between them."""
    found: list[Trajectory] = []
    first = next(way for way in ways if not isinstance(way, float))
    here: Array = first(0.0)
    for way in ways:
        if isinstance(way, float):
            found.append(pause(here, way))
            continue
        _check_path(way, limits)
        found.append(time_optimal("fastest", way, limits, intervals))
        here = way(1.0)
    return found


def _check_path(path: PPoly, limits: DriveLimits) -> None:
    if path.c.shape[-1] != limits.mech.n:
        raise InputError(
            f"fastest: the path has {path.c.shape[-1]} coordinates, the robot {limits.mech.n} joints "
            f"({listed(limits.mech.coordinates)}). Give one each."
        )
    for q in Trajectory(path).extremes():
        require_inside("fastest", "the path", q, limits.bounds, "Move its points, or give more of them.")


def _refuse_unlimited(limits: DriveLimits) -> None:
    if not any(s.forces.any() or s.accelerations.any() for s in limits.signals):
        raise InputError(
            "fastest: neither accelerations nor torques are limited, so that the motion would take no time. Give "
            "torque=, acceleration=, motor_torque=, current= or voltage=, or a robot that states them."
        )


@dataclass(frozen=True)
class LimitUse(Shown):
    """What a motion takes of every limit.

    Args:
        t: times [s], (T,).
        shares: per limit, such as "v.elbow", "tau.elbow" or "elbow.current", what is taken of it, with its sign, (T,).
        remarks: what is left out.
    """

    t: Array
    shares: Mapping[str, Array]
    remarks: tuple[str, ...] = ()

    @property
    def largest(self) -> Array:
        """Of all limits the share that is taken most, (T,)."""
        found: Array = np.abs(np.array(list(self.shares.values()))).max(axis=0)
        return found

    def plot(self, path: str | Path | None = None) -> Any:
        """A figure of the shares over time; with `path` (.png, .svg, .pdf) it is saved too."""
        return saved(figure(self.t, "time [s]", [Panel("share of the limit", dict(self.shares))]), path)

    @property
    def peaks(self) -> dict[str, float]:
        """Per limit the largest share."""
        return {name: float(np.abs(x).max()) for name, x in self.shares.items()}


@check_arguments
def limit_use(
    robot: Robot | Mechanism,
    motion: Trajectory,
    *,
    speed: ArrayLike | None = None,
    acceleration: ArrayLike | None = None,
    torque: ArrayLike | None = None,
    motor_torque: float | Mapping[str, float] | None = None,
    current: float | Mapping[str, float] | None = None,
    voltage: float | Mapping[str, float] | None = None,
    laws: Sequence[Law] | None = None,
    extra_laws: Sequence[Law] = (),
    samples: int = 2001,
) -> LimitUse:
    """What a motion takes of the limits that `fastest` keeps; the arguments are the same.

    Friction is taken by the way things move; during pauses there is none.

    >>> import gearwright as gw
    >>> swing = gw.motion.polynomial([0, -0.5, 0.4], [1.2, 0.6, -0.8], 1.0)
    >>> use = gw.planning.limit_use(gw.load("elbow"), swing, torque=[40, 60, 25])
    >>> {name: round(share, 2) for name, share in use.peaks.items()}
    {'tau.j1': 1.46, 'tau.j2': 0.82, 'tau.j3': 0.49}
    """
    whole("limit_use", "samples", samples, least=2, example=2001)
    motors: dict[str, Any] = {"motor_torque": motor_torque, "current": current, "voltage": voltage}
    limits = drive_limits(
        "limit_use",
        robot,
        laws=laws,
        extra_laws=extra_laws,
        speed=speed,
        acceleration=acceleration,
        torque=torque,
        motors=motors,
    )
    if not limits.signals:
        raise InputError(
            "limit_use: nothing is limited. Give speed=, acceleration=, torque=, motor_torque=, current= or voltage=, "
            "or a robot that states them."
        )
    if motion.count != limits.mech.n:
        raise InputError(
            f"limit_use: the motion has {motion.count} coordinates, the robot {limits.mech.n} "
            f"({listed(limits.mech.coordinates)}). Give a motion of all of them."
        )
    t = np.linspace(0.0, motion.duration, samples)
    states = States(*(motion.at(t, k) for k in range(3)))
    shares = limits.shares(states, limits.machine.likely_modes(states.q, _directions(motion, t)))
    return LimitUse(t, dict(zip(limits.names, shares.T, strict=True)), limits.remarks)


def _directions(motion: Trajectory, t: Array) -> Array:
    """Which way things move at times (T,), also at the instants of a start and a stop; zeros during pauses, (T, n)."""
    found, least = motion.at(t, 1), MOVING * motion.peak(1).max()
    for shift in (JUST * motion.duration, -JUST * motion.duration):
        still = np.abs(found).max(axis=1) <= least
        found[still] = motion.at(np.clip(t[still] + shift, 0.0, motion.duration), 1)
    sizes = np.abs(found).max(axis=1, keepdims=True)
    return np.where(sizes > 0, found / np.where(sizes > 0, sizes, 1.0), 0.0)
