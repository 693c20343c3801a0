"""The motor space of a linkage: ratios between motors and joints in any posture, and quantities reflected by them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gearwright.argument_kinds import check_arguments
from gearwright.arguments import as_float_array, number_array, real_number
from gearwright.arrays import Array
from gearwright.errors import InputError, SingularityError
from gearwright.forces.robot_lines import robot_motors
from gearwright.functions.actuation import motor_ratios
from gearwright.functions.constrained.closing import ClosedMechanism, assemble
from gearwright.functions.dynamics import mass_matrix
from gearwright.parts import Motor, Robot
from gearwright.plots import Diagram, curve_figure
from gearwright.text import did_you_mean, listed_names

MOVED_MOTOR_RATIO = 1e-9
"""Ratio, relative to the largest one of the posture, below which a joint does not turn a motor."""

LARGEST_CONDITION = 1e10
"""Condition number of the ratios [1] above which motors and joints do not determine each other."""


@dataclass(frozen=True)
class MotorSpace:
    r"""The map between motors and joints of a linkage at one or several postures.

    Motor speeds are $T\,\dot q$, joint torques $T'\,\xi$, for the named joints; all other independent joints are
    held.

    Args:
        motors: names of the motors that these joints turn.
        joints: names of the joints.
        q: whole configurations, (..., nq).
        ratios: T, motor speed per joint speed, (..., motors, joints).
        inertia: complete mass matrix at the joints [kg m2], links and rotors, (..., joints, joints).
        reflected_inertia: share of the rotors, $T' J T$ [kg m2], (..., joints, joints).
        reflected_damping: of the motors' viscous friction, $T' D T$ [Nms/rad], (..., joints, joints).
        torque_limits: of the motors [Nm], (motors,); infinite where no limit is known.
        speed_limits: of the motors [rad/s], (motors,); infinite where no limit is known.
        remarks: on neglected effects.
    """

    motors: tuple[str, ...]
    joints: tuple[str, ...]
    q: Array
    ratios: Array
    inertia: Array
    reflected_inertia: Array
    reflected_damping: Array
    torque_limits: Array
    speed_limits: Array
    remarks: tuple[str, ...] = ()

    def motor_speeds(self, v: ArrayLike) -> Array:
        """Return the speeds of the motors [rad/s], (..., motors), for joint speeds (..., joints)."""
        speeds = _one_each("motor_speeds", "v", v, self.joints)
        return np.asarray((self.ratios @ speeds[..., None])[..., 0])

    def joint_torques(self, torques: ArrayLike) -> Array:
        """Return the torques at the joints [Nm], (..., joints), for motor torques (..., motors)."""
        motor_torques = _one_each("joint_torques", "torques", torques, self.motors)
        return np.asarray((np.swapaxes(self.ratios, -1, -2) @ motor_torques[..., None])[..., 0])

    def motor_torques(self, torques: ArrayLike) -> Array:
        """Return the motor torques of least norm [Nm], (..., motors), for torques at the joints (..., joints)."""
        self._require_regular("motor_torques")
        joint_torques = _one_each("motor_torques", "torques", torques, self.joints)
        return np.asarray((np.swapaxes(np.linalg.pinv(self.ratios), -1, -2) @ joint_torques[..., None])[..., 0])

    def motor_gains(self, joint_gains: ArrayLike) -> Array:
        r"""Return the matrix of gains at the motors, (..., motors, motors), that equals one at the joints.

        $K_m = T^{-T} K T^{-1}$, for stiffness [Nm/rad] as for damping [Nms/rad]. It is exact where the motors exert
        no static torque; a static torque adds the stiffness of the changing ratios, which is not included.
        """
        self._require_regular("motor_gains")
        gains, inverse = as_float_array("motor_gains", "joint_gains", joint_gains), np.linalg.pinv(self.ratios)
        if gains.shape[-2:] != (len(self.joints),) * 2:
            raise InputError(
                f"motor_gains: joint_gains has shape {gains.shape}; it must end in "
                f"({len(self.joints)}, {len(self.joints)}), one row and column per joint."
            )
        return np.asarray(np.swapaxes(inverse, -1, -2) @ gains @ inverse)

    def torque_polygon(self) -> Array:
        """Return the corners of the feasible torques at two joints [Nm], (corners, 2), in order around it."""
        ratios = self._planar_ratios("torque_polygon", self.torque_limits, "torque")
        return _zonotope(ratios.T * self.torque_limits)

    def speed_polygon(self) -> Array:
        """Return the corners of the feasible speeds of two joints [rad/s], (corners, 2), in order around it."""
        ratios = self._planar_ratios("speed_polygon", self.speed_limits, "speed")
        return _box_preimage(ratios, self.speed_limits)

    def _planar_ratios(self, function: str, limits: Array, quantity: str) -> Array:
        if len(self.joints) != 2 or self.ratios.ndim != 2:
            raise InputError(
                f"{function}: there are {len(self.joints)} joints and postures of shape {self.ratios.shape[:-2]}. Give "
                "two joints and one posture."
            )
        unknown = [name for name, limit in zip(self.motors, limits, strict=True) if not np.isfinite(limit)]
        if unknown:
            raise InputError(
                f"{function}: the {quantity} of {listed_names(unknown)} has no limit. Give {quantity}_limits=, or "
                f"max_{quantity} in the motor's data."
            )
        self._require_regular(function)
        return self.ratios

    def _require_regular(self, function: str) -> None:
        conditions = np.linalg.cond(self.ratios)
        if not (conditions < LARGEST_CONDITION).all():
            worst = self.ratios.reshape(-1, *self.ratios.shape[-2:])[int(np.argmax(conditions))]
            lost = np.linalg.svd(worst)[2][-1]
            share = " ".join(f"{x:+.3g} {name}" for x, name in zip(lost, self.joints, strict=True) if abs(x) > 1e-9)
            raise SingularityError(
                f"{function}: in this posture the motors {listed_names(self.motors)} do not hold the joints: {share} "
                "can move while all motors are at rest. Choose another posture."
            )

    def plot(self) -> Any:
        """Return a figure of the feasible torques and speeds at two joints, in one posture."""
        diagrams = []
        units = {"torque": "Nm", "speed": "rad/s"}
        for quantity, corners in (("torque", self.torque_polygon), ("speed", self.speed_polygon)):
            limits = self.torque_limits if quantity == "torque" else self.speed_limits
            if np.isfinite(limits).all():
                around = corners()
                closed = np.vstack([around, around[:1]])
                labels = (f"{self.joints[0]} [{units[quantity]}]", f"{self.joints[1]} [{units[quantity]}]")
                diagrams.append(Diagram(labels, {quantity: (closed[:, 0], closed[:, 1])}, f"feasible {quantity}s"))
        if not diagrams:
            raise InputError("plot: no motor has a limit of torque or speed. Give torque_limits= or speed_limits=.")
        return curve_figure(diagrams)


@check_arguments
def motor_space(
    robot: Robot,
    q: ArrayLike,
    joints: Sequence[str] = (),
    torque_limits: Mapping[str, float] | None = None,
    speed_limits: Mapping[str, float] | None = None,
) -> MotorSpace:
    r"""Return the map between motors and joints of a robot with or without closed loops.

    Args:
        robot: the robot.
        q: whole configurations that close the loops, (..., nq), such as those of `closed`.
        joints: names of the joints, such as pitch and roll of a parallel ankle; (): all of a robot without loops.
        torque_limits: of motors by name [Nm]; None: those in the motors' data.
        speed_limits: of motors by name [rad/s]; None: those in the motors' data.

    Raises:
        InputError: a name is unknown, or the joints do not determine the loops.

    >>> import gearwright as gw
    >>> space = motor_space(gw.load("wrist_puma"), [0.1, 0.2, 0.3])
    >>> space.ratios.shape, len(space.motors)
    ((3, 3), 3)
    >>> bool(abs(space.motor_speeds([1.0, 0, 0]) - space.ratios[:, 0]).max() < 1e-12)
    True
    """
    if robot.loops and not joints:
        raise InputError("motor_space: the robot has closed loops. Name the joints that the motors move (joints=).")
    configuration = number_array("motor_space", "q", q)
    tree = assemble(robot, coordinates="tree")
    if configuration.shape[-1:] != (tree.nq,) or not configuration.size:
        raise InputError(
            f"motor_space: q has shape {configuration.shape}; a whole configuration has the {tree.nq} coordinates "
            f"{listed_names(tree.coordinates)}, as mech.closed(...) returns them."
        )
    for name in joints:
        if name not in tree.speeds:
            raise InputError(f"motor_space: there is no joint {name!r}. {did_you_mean(name, tree.speeds)}")
    first = configuration.reshape(-1, *configuration.shape[-1:])[0]
    mech: Any = assemble(robot, independent=joints, start=first) if robot.loops else assemble(robot)
    if not mech.actuators:
        raise InputError(f"motor_space: robot {robot.name!r} has no motors. Give it drives.")
    names = tuple(joints) or tuple(mech.speeds)
    columns = [mech.speeds.index(name) for name in names]
    all_ratios = motor_ratios(mech, configuration)
    sizes = np.abs(all_ratios).reshape(-1, *all_ratios.shape[-2:]).max(axis=0)
    moved = sizes > MOVED_MOTOR_RATIO * sizes.max()
    chosen = [k for k in range(len(mech.actuators)) if moved[k, columns].any()]
    motors = tuple(mech.actuators[k].name for k in chosen)
    data = dict(robot_motors(robot))
    ratios = all_ratios[..., chosen, :][..., columns]
    M = mass_matrix(mech, configuration)[..., columns, :][..., columns]
    known = [data.get(name, Motor()) for name in motors]
    return MotorSpace(
        motors,
        names,
        configuration,
        ratios,
        M,
        _reflected_matrix(ratios, [float(motor.inertia) for motor in known]),
        _reflected_matrix(ratios, [float(motor.total_friction.viscous) for motor in known]),
        _limits("torque_limits", motors, torque_limits, [motor.torque_limit for motor in known]),
        _limits("speed_limits", motors, speed_limits, [motor.max_speed for motor in known]),
        _remarks(mech, motors, moved[chosen], columns),
    )


def _reflected_matrix(ratios: Array, values: Sequence[float]) -> Array:
    return np.asarray(np.swapaxes(ratios, -1, -2) @ (np.array(values)[:, None] * ratios))


def _one_each(function: str, name: str, value: ArrayLike, names: Sequence[str]) -> Array:
    """Return finite numbers (..., names), one for each motor or joint."""
    values = number_array(function, name, value)
    if values.shape[-1:] != (len(names),):
        raise InputError(
            f"{function}: {name} has shape {values.shape}; give one number each for {listed_names(names)}."
        )
    return values


def _limits(argument: str, motors: Sequence[str], limits: Mapping[str, float] | None, stated: Sequence[Any]) -> Array:
    for name in limits or ():
        if name not in motors:
            raise InputError(f"motor_space: {argument} names {name!r}. {did_you_mean(name, motors)}")
        real_number("motor_space", f"{argument}[{name!r}]", (limits or {})[name], least=0.0, infinite=True)
    by_sheet = {name: np.inf if limit is None else float(limit) for name, limit in zip(motors, stated, strict=True)}
    return np.array([(limits or {}).get(name, by_sheet[name]) for name in motors])


def _remarks(mech: Any, motors: Sequence[str], moved: Array, columns: Sequence[int]) -> tuple[str, ...]:
    """Return a remark for every motor that further joints turn as well."""
    remarks = []
    for motor, row in zip(motors, moved, strict=True):
        others = [name for k, name in enumerate(mech.speeds) if row[k] and k not in columns]
        if others:
            remarks.append(f"motor {motor!r} is also coupled to {listed_names(others)}, assumed at rest here.")
    if isinstance(mech, ClosedMechanism) and mech.redundant:
        remarks.append(f"redundant loop equations: {listed_names(mech.redundant)}.")
    return tuple(remarks)


def _zonotope(generators: Array) -> Array:
    """Return the corners (corners, 2) of all sums of generators, (2, k), each with a factor from -1 to 1.

    >>> _zonotope(np.array([[1.0, 0.0], [0.0, 2.0]])).tolist()
    [[-1.0, -2.0], [1.0, -2.0], [1.0, 2.0], [-1.0, 2.0]]
    """
    edges = np.where((generators[1] < 0) | ((generators[1] == 0) & (generators[0] < 0)), -generators, generators).T
    edges = edges[np.argsort(np.arctan2(edges[:, 1], edges[:, 0]))]
    half = -edges.sum(axis=0) + 2 * np.vstack([np.zeros(2), np.cumsum(edges, axis=0)])[:-1]
    return np.vstack([half, -half])


def _box_preimage(rows: Array, limits: Array) -> Array:
    """Return the corners (corners, 2) of all x with abs(rows x) at most the limits, in order around it."""
    from scipy.spatial import HalfspaceIntersection

    halfspaces = np.vstack([np.column_stack([sign * rows, -limits]) for sign in (1, -1)])
    corners = HalfspaceIntersection(halfspaces, np.zeros(2)).intersections
    ordered = corners[np.argsort(np.arctan2(corners[:, 1], corners[:, 0]))]
    apart = np.abs(ordered - np.roll(ordered, 1, axis=0)).max(axis=1) > 1e-12 * np.abs(corners).max()
    return np.asarray(ordered[apart])
