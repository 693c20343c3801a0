"""Limits and options of the motion of a frame along a Cartesian path."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.planning.kinematics.redundancy_criteria import Criterion


class RateLimits(NamedTuple):
    """Largest speed, acceleration and jerk along a path [m/s or rad/s, ...]; infinity: unlimited."""

    speed: float
    acceleration: float = np.inf
    jerk: float = np.inf


@dataclass(frozen=True, kw_only=True)
class PathLimits:
    """Limits along a Cartesian path: of the frame's origin and of its rotation; infinity: unlimited.

    Args:
        speed: largest speed of the frame's origin [m/s].
        acceleration: its largest acceleration along the path [m/s2]; by default such that a quarter of the path is used
            for acceleration.
        jerk: its largest jerk along the path [m/s3]; unlimited by default.
        turn_speed: largest angular speed [rad/s]; by default a quarter of a turn per second.
        turn_acceleration: largest angular acceleration [rad/s2]; unlimited by default.
        turn_jerk: largest angular jerk [rad/s3]; unlimited by default.

    >>> PathLimits(speed=-1)
    Traceback (most recent call last):
    gearwright.errors.InputError: PathLimits: speed=-1 must be a positive number. Give a number such as 1.
    """

    speed: float
    acceleration: float = np.inf
    jerk: float = np.inf
    turn_speed: float = np.pi / 2
    turn_acceleration: float = np.inf
    turn_jerk: float = np.inf

    def __post_init__(self) -> None:
        for field in fields(self):
            limit = real_number("PathLimits", field.name, getattr(self, field.name), above=0.0, infinite=True)
            object.__setattr__(self, field.name, limit)

    @property
    def translation(self) -> RateLimits:
        """Limits of the frame's origin."""
        return RateLimits(self.speed, self.acceleration, self.jerk)

    @property
    def rotation(self) -> RateLimits:
        """Limits of the frame's rotation."""
        return RateLimits(self.turn_speed, self.turn_acceleration, self.turn_jerk)


@check_arguments
@dataclass(frozen=True, kw_only=True)
class PathOptions:
    """Options of the joint motion along a Cartesian path.

    Args:
        criterion: criterion for redundant joints; None: least joint motion.
        held: names of fixed joints.
        accuracy: largest deviation of the frame from the path [m, rad].

    >>> PathOptions(held=["j2"]).accuracy
    1e-06
    """

    criterion: Criterion | None = None
    held: Sequence[str] = ()
    accuracy: float = 1e-6

    def __post_init__(self) -> None:
        accuracy = real_number("PathOptions", "accuracy", self.accuracy, above=0.0, example=1e-6)
        object.__setattr__(self, "accuracy", accuracy)
        object.__setattr__(self, "held", tuple(self.held))


DEFAULT_PATH_OPTIONS = PathOptions()
