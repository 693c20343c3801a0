"""Actuators that act along coordinates in place of their joints: moving attachments and variable ratios."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import InputError, PlanningError
from gearwright.forces import Line
from gearwright.forces.shared_kinematics import SharedKinematics
from gearwright.mechanism import Mechanism
from gearwright.text import did_you_mean

DEAD_POINT_LEVER_RATIO = 1e-9
"""Smallest lever of an actuator about its joint, relative to its whole row, that is not a dead point."""


@check_arguments
@dataclass(frozen=True)
class LineActuator:
    """An actuator that acts along a coordinate s(q), in place of the actuator of one joint.

    A cylinder with a sliding foot (`gw.forces.distance`) and a drive with a variable ratio (`gw.forces.Coordinate`) are
    such actuators: their lever is a function of joints that do not move the tool.

    Args:
        line: the coordinate, of the planned machine.
        force: largest force along it [N, Nm].
        speed: largest speed along it [m/s, rad/s]; None: unlimited.
    """

    line: Line
    force: float
    speed: float | None = None

    def __post_init__(self) -> None:
        real_number("LineActuator", "force", self.force, above=0.0)
        if self.speed is not None:
            real_number("LineActuator", "speed", self.speed, above=0.0)


@dataclass(frozen=True)
class ActuatorLines:
    """The lines of all actuators of a machine: those of its joints, some of which are replaced.

    Args:
        mech: the machine.
        actuators: speed index -> the actuator in place of the one at this joint.
    """

    mech: Mechanism
    actuators: Mapping[int, LineActuator]

    @staticmethod
    def from_user(function: str, mech: Mechanism, actuators: Mapping[str, LineActuator] | None) -> ActuatorLines:
        """Return the checked actuators by speed index."""
        for joint, actuator in (actuators or {}).items():
            if joint not in mech.speeds:
                raise InputError(
                    f"{function}: actuators: joint {joint!r} is unknown. {did_you_mean(joint, mech.speeds)}"
                )
            if actuator.line.speeds != mech.speeds:
                raise InputError(
                    f"{function}: the line {actuator.line.name} of the actuator at {joint!r} belongs to another "
                    "machine. Make it with the machine of this robot, gw.assemble(robot)."
                )
        return ActuatorLines(mech, {mech.speeds.index(joint): x for joint, x in (actuators or {}).items()})

    def rows(self, q: Array) -> Array:
        """Return ds/dq of every actuator at configurations (..., n), (..., n, n): unit rows for those of joints."""
        B = np.broadcast_to(np.eye(self.mech.n), (*q.shape[:-1], self.mech.n, self.mech.n)).copy()
        columns = list(np.moveaxis(q, -1, 0))
        kinematics = SharedKinematics(self.mech, columns, [np.zeros_like(x) for x in columns], np)
        for k, actuator in self.actuators.items():
            B[..., k, :] = 0.0
            for j, factor in actuator.line.placed_in(kinematics).terms:
                B[..., k, j] = factor
        return B

    def forces(self, q: Array, tau: Array) -> Array:
        """Return the forces f of all actuators for generalised forces tau = B' f, (..., n)."""
        if not self.actuators:
            return tau
        B = self.rows(q)
        for k, actuator in self.actuators.items():
            size = np.abs(B[..., k, :]).max(axis=-1)
            if (np.abs(B[..., k, k]) < DEAD_POINT_LEVER_RATIO * size).any():
                raise PlanningError(
                    f"the actuator along {actuator.line.name} has no lever about joint {self.mech.speeds[k]!r} at a "
                    "point of the motion (dead point). Choose another attachment or another motion."
                )
        return np.asarray(np.linalg.solve(np.swapaxes(B, -1, -2), tau[..., None])[..., 0], dtype=float)

    def speeds(self, q: Array, v: Array) -> Array:
        """Return the speeds along the lines of the replaced actuators, (..., actuators)."""
        rates = np.einsum("...ij,...j->...i", self.rows(q), v) if self.actuators else v
        return np.asarray(rates[..., list(self.actuators)])
