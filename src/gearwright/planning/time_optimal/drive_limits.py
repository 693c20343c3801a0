"""Limits of a motion: speeds and accelerations of joints, torques, motors and their electronics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import real_number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces import Law
from gearwright.forces.contact.contacts_of_robot import loop_laws, without_loops
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import robot_motors, voltage_limit
from gearwright.forces.transmission.drive_equation import winding_equations
from gearwright.functions import Closure, whole_motion
from gearwright.mechanism import Mechanism
from gearwright.motion.limits import CoordinateLimits, coordinate_limits, per_joint
from gearwright.motion_demands.actuator_forces import ForceLine
from gearwright.motion_demands.actuators import DriveInverses, motor_torque_demands, undriven_lines
from gearwright.motion_demands.forces_at_states import MotionRows, StateForces
from gearwright.motion_demands.stated_limits import joint_efforts
from gearwright.parts import Motor, Robot
from gearwright.planning.time_optimal.line_actuators import ActuatorLines, LineActuator
from gearwright.programs import machine_of
from gearwright.system.inputs import FORCE_INPUT_PREFIX
from gearwright.system.system import Modes, System
from gearwright.text import did_you_mean, listed_names

MOTOR_LIMIT_NAMES = ("motor_torque", "current", "voltage")


@dataclass(frozen=True, kw_only=True)
class MotorLimits:
    """Limits of motors: one value for all, or motor -> value; None: those of the motors and their supply.

    Args:
        torque: largest torque of a motor [Nm]; by default its `max_torque`.
        current: largest current [A]; by default its `max_current`.
        voltage: largest voltage [V]; by default the lower of its `max_voltage` and that of its supply.

    >>> MotorLimits(current={"elbow": 20.0}).torque is None
    True
    """

    torque: float | Mapping[str, float] | None = None
    current: float | Mapping[str, float] | None = None
    voltage: float | Mapping[str, float] | None = None


LIMITS_OF_SHEETS = MotorLimits()


class LimitedSignal(NamedTuple):
    """A limited quantity: linear in actuator forces, speeds and accelerations, with its limit.

    Forces are those along the force lines, then those of all joints or their line actuators; speeds are those of the
    joints, then those along line actuators.
    """

    name: str
    limit: float
    forces: Array
    speeds: Array
    accelerations: Array


@dataclass(frozen=True)
class DriveLimits:
    """All limits of a robot's motion.

    Args:
        mech: the machine; signals and bounds are of all joints of its tree.
        machine: its actuator demands, with friction and losses.
        signals: the limited quantities.
        bounds: limits of positions, and the names of the joints.
        lines: actuators along coordinates.
        remarks: neglected effects.
    """

    mech: Mechanism
    machine: StateForces
    signals: tuple[LimitedSignal, ...]
    bounds: CoordinateLimits
    lines: ActuatorLines
    remarks: tuple[str, ...] = ()

    @property
    def signal_names(self) -> tuple[str, ...]:
        """Names of the limited quantities."""
        return tuple(signal.name for signal in self.signals)

    def limit_shares(self, states: MotionRows, modes: Sequence[Modes]) -> Array:
        """Return the ratio to every limit at states, with sign, (T, signals): beyond 1 or -1 it is exceeded."""
        forces = self.machine.forces_at(states, modes)
        x = np.hstack([forces, self.lines.forces(states.q, forces @ self.machine.line_rows)])
        v = np.hstack([states.v, self.lines.speeds(states.q, states.v)])
        F, G, H = (np.array([getattr(s, w) for s in self.signals]) for w in ("forces", "speeds", "accelerations"))
        ratios: Array = (x @ F.T + v @ G.T + states.a @ H.T) / np.array([s.limit for s in self.signals])
        return ratios

    def closed_samples(self, p: Array, d: Array, dd: Array) -> tuple[Array, Array, Array]:
        """Return samples of a path and its derivatives (..., n) with those of dependent joints exact."""
        if self.mech.closure is None:
            return p, d, dd
        independent = list(self.mech.closure.independent)
        q, rates, second = whole_motion("fastest", self.mech, p, d[..., independent], dd[..., independent])
        return np.asarray(q), np.asarray(rates), np.asarray(second)

    def shares_at_rest(self, q: Array) -> Array:
        """Return the ratio to every limit at rest in configurations along a path, (T, signals)."""
        rest_speeds = np.zeros_like(q)
        modes = self.machine.likely_modes(q, np.gradient(q, axis=0))
        return self.limit_shares(MotionRows(q, rest_speeds, rest_speeds), modes)

    @cached_property
    def is_speed_limit(self) -> Array:
        """Which limits depend on speeds only, (signals,)."""
        return np.array(
            [not (signal.forces.any() or signal.accelerations.any()) for signal in self.signals], dtype=bool
        )

    def with_share(self, share: float) -> DriveLimits:
        """Return the limits scaled by a share."""
        return replace(self, signals=tuple(s._replace(limit=s.limit * share) for s in self.signals))


def drive_limits(
    function: str,
    robot: Robot | Mechanism,
    *,
    laws: Sequence[Law] | None,
    extra_laws: Sequence[Law],
    speed: ArrayLike | None,
    acceleration: ArrayLike | None,
    torque: ArrayLike | None,
    motors: MotorLimits,
    actuators: Mapping[str, LineActuator] | None = None,
) -> DriveLimits:
    """Return the given limits, else those of the robot's parts.

    Args:
        function: the calling function.
        robot: a robot or a machine.
        laws: laws that replace those of the robot; () for none.
        extra_laws: laws added to those of the robot.
        speed: of joints, one value or one per joint; with closed loops of the independent joints, or of all.
        acceleration: of joints.
        torque: of joints.
        motors: of motors.
        actuators: joint -> the actuator along a coordinate in its place.
    """
    mech = machine_of(function, robot)
    tree = mech.tree
    _require_rigid_drives(function, tree)
    all_laws = choose_laws(
        function, robot, laws, extra_laws, lambda law_list: laws_of(law_list, tree)
    ).laws_with_warning(function)
    loops = loop_laws(robot)
    torque_demands = motor_torque_demands(tree)
    machine = StateForces(
        System(tree, without_loops(robot, all_laws)),
        (*DriveInverses(torque_demands).force_lines, *undriven_lines(mech, torque_demands)),
        tuple(ForceLine(line, None) for line in (Closure(tree, loops).constraint_lines if loops else ())),
    )
    joint_bounds = coordinate_limits(function, tree.n, robot)
    joint_bounds = joint_bounds._replace(
        speed=_with_stated_limits(function, mech, "speed", speed, joint_bounds.speed),
        acceleration=_with_stated_limits(function, mech, "acceleration", acceleration, joint_bounds.acceleration),
    )
    efforts = joint_efforts(robot, tree) if isinstance(robot, Robot) else {}
    torques = np.array([efforts.get(name, np.inf) for name in tree.speeds])
    torques = _with_stated_limits(function, mech, "torque", torque, torques if torque is None else None)
    lines = ActuatorLines.from_user(function, tree, actuators)
    signals = _SignalRows(machine, lines)
    limited = [*_rate_limits(signals, joint_bounds), *_torque_limits(signals, torques)]
    limited += _motor_limits(function, robot, signals, motors)
    return DriveLimits(mech, machine, tuple(limited), joint_bounds, lines, _ignored_inductances(robot, limited))


def _with_stated_limits(
    function: str, mech: Mechanism, name: str, values: ArrayLike | None, others: Array | None
) -> Array:
    """Return one limit per joint of the tree: the user's for the independent joints or all, others elsewhere."""
    limits = np.full(mech.tree.n, np.inf) if others is None else np.array(others, dtype=float)
    if values is None:
        return limits
    if mech.closure is None or np.shape(values) == (mech.tree.n,):
        return per_joint(function, {name: values}, mech.tree.n, above=0.0)[0]
    limits[list(mech.closure.independent)] = per_joint(function, {name: values}, mech.n, above=0.0)[0]
    return limits


@dataclass(frozen=True)
class _SignalRows:
    """Rows of limited quantities over forces, speeds and accelerations."""

    machine: StateForces
    lines: ActuatorLines

    @property
    def mech(self) -> Mechanism:
        return self.lines.mech

    def limited(
        self,
        name: str,
        limit: float,
        *,
        line_forces: Array | None = None,
        joint_forces: Array | None = None,
        joint_speeds: Array | None = None,
        line_speeds: Array | None = None,
        accelerations: Array | None = None,
    ) -> LimitedSignal:
        n, count = self.mech.n, len(self.lines.actuators)

        def joined(*rows: tuple[Array | None, int]) -> Array:
            return np.concatenate([np.zeros(size) if row is None else row for row, size in rows])

        forces = joined((line_forces, len(self.machine.force_lines)), (joint_forces, n))
        speeds = joined((joint_speeds, n), (line_speeds, count))
        return LimitedSignal(name, limit, forces, speeds, joined((accelerations, n)))


def _require_rigid_drives(function: str, mech: Mechanism) -> None:
    if mech.shafts:
        raise InputError(
            f"{function}: the drives of {listed_names(mech.shafts)} are elastic, and a motion with steps in its "
            "acceleration would excite vibrations. Plan with the rigid robot (gears without stiffness) at a share of "
            "its limits, and smooth the motion (gw.motion.moving_average) before the elastic one tracks it."
        )


def _rate_limits(signals: _SignalRows, joint_bounds: CoordinateLimits) -> list[LimitedSignal]:
    """Return limits of joint speeds and accelerations, and of speeds along actuators."""
    limited = []
    for k, name in enumerate(signals.mech.speeds):
        unit_row = np.eye(signals.mech.n)[k]
        if np.isfinite(joint_bounds.speed[k]):
            limited.append(signals.limited(f"v.{name}", float(joint_bounds.speed[k]), joint_speeds=unit_row))
        if np.isfinite(joint_bounds.acceleration[k]):
            limited.append(signals.limited(f"a.{name}", float(joint_bounds.acceleration[k]), accelerations=unit_row))
    for row, actuator in zip(np.eye(len(signals.lines.actuators)), signals.lines.actuators.values(), strict=True):
        if actuator.speed is not None:
            limited.append(signals.limited(f"{actuator.line.name}.speed", actuator.speed, line_speeds=row))
    return limited


def _torque_limits(signals: _SignalRows, limits: Array) -> list[LimitedSignal]:
    """Return limits of motor torques at the joints, of forces at joints without a motor, and along actuators."""
    mech = signals.mech
    limited = []
    for k, name in enumerate(mech.speeds):
        actuator = signals.lines.actuators.get(k)
        if actuator is not None:
            title, limit = f"{actuator.line.name}.force", actuator.force
        else:
            title, limit = FORCE_INPUT_PREFIX + name, float(limits[k])
        if np.isfinite(limit):
            limited.append(signals.limited(title, limit, joint_forces=np.eye(mech.n)[k]))
    return limited


def _motor_limits(
    function: str, robot: Robot | Mechanism, signals: _SignalRows, limits: MotorLimits
) -> list[LimitedSignal]:
    """Return limits of the motors: torque, current T / K, and voltage R T / K + K w."""
    sheets = dict(robot_motors(robot)) if isinstance(robot, Robot) else {}
    titles = [actuator.name for actuator in signals.mech.actuators]
    limited = []
    for quantity, limit_or_limits in zip(
        MOTOR_LIMIT_NAMES, (limits.torque, limits.current, limits.voltage), strict=True
    ):
        stated = _given_motor_limits(function, quantity, limit_or_limits, titles)
        for j, title in enumerate(titles):
            motor = sheets.get(title, Motor())
            limit = stated[title] if stated is not None else _stated_motor_limit(robot, title, motor, quantity)
            if limit is not None:
                limited.append(_motor_signal(function, title, quantity, limit, motor, signals, j))
    return limited


def _motor_signal(
    function: str, title: str, quantity: str, limit: float, motor: Motor, signals: _SignalRows, j: int
) -> LimitedSignal:
    unit_row = np.eye(len(signals.machine.force_lines))[j]
    if quantity == "motor_torque":
        return signals.limited(f"{title}.torque", limit, line_forces=unit_row)
    winding = winding_equations(motor)
    if winding is None or (quantity == "voltage" and motor.resistance is None):
        missing = "torque_constant" if winding is None else "resistance"
        raise InputError(
            f"{function}: {quantity} of motor {title!r} is limited, but its {missing} is unknown. Give it."
        )
    current = winding.current_for_torque(unit_row)
    if quantity == "current":
        return signals.limited(f"{title}.current", limit, line_forces=current)
    winding = winding._replace(resistance=float(motor.resistance or 0.0))
    by_force = winding.terminal_voltage(current, 0.0, 0.0)
    back_emf = winding.back_emf(signals.machine.line_rows[j])
    return signals.limited(f"{title}.voltage", limit, line_forces=by_force, joint_speeds=back_emf)


def _given_motor_limits(
    function: str, quantity: str, limits: Any, titles: Sequence[str]
) -> dict[str, float | None] | None:
    """Return a user's limit per motor."""
    if limits is None:
        return None
    named = limits if isinstance(limits, Mapping) else dict.fromkeys(titles, limits)
    for title in named:
        if title not in titles:
            raise InputError(f"{function}: {quantity} of {title!r}: unknown motor. {did_you_mean(title, titles)}")
    checked = {t: real_number(function, f"{quantity}[{t!r}]", x, above=0.0) for t, x in named.items()}
    return {title: checked.get(title) for title in titles}


def _stated_motor_limit(robot: Robot | Mechanism, title: str, motor: Motor, quantity: str) -> float | None:
    """Return the limit stated by a motor's data sheet or its supply."""
    stated = {
        "motor_torque": motor.max_torque,
        "current": motor.max_current,
        "voltage": voltage_limit(robot, title, motor) if isinstance(robot, Robot) else None,
    }
    limit = stated[quantity]
    unusable = not motor.torque_constant or (quantity == "voltage" and motor.resistance is None)
    return None if limit is None or (quantity != "motor_torque" and unusable) else float(limit)


def _ignored_inductances(robot: Robot | Mechanism, signals: Sequence[LimitedSignal]) -> tuple[str, ...]:
    """Return remarks on effects that voltage limits neglect."""
    if not isinstance(robot, Robot) or not any(signal.name.endswith(".voltage") for signal in signals):
        return ()
    coils = [title for title, motor in robot_motors(robot) if motor.has_inductance]
    return (f"voltages are R i + K w: the inductance of {listed_names(coils)} is neglected.",) if coils else ()
