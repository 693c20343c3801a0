"""What limits a motion: speeds and accelerations of joints, torques, and the motors with their electronics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from gearwright.arguments import number
from gearwright.arrays import Array
from gearwright.errors import InputError
from gearwright.forces.law import Law
from gearwright.forces.laws_of_robot import choose_laws
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import motors_of
from gearwright.mechanism import Mechanism, machine_of
from gearwright.motion.limits import Bounds, bounds, per_joint
from gearwright.motion_demands.actuators import Drives, torques_alone, undriven
from gearwright.motion_demands.forces_at_states import StateForces, States
from gearwright.motion_demands.stated_limits import efforts
from gearwright.parts import Motor, Robot
from gearwright.system.inputs import TAU
from gearwright.system.system import Modes, System
from gearwright.text import did_you_mean, listed

MOTOR_WORDS = ("motor_torque", "current", "voltage")


class Signal(NamedTuple):
    """Something limited: a sum over the forces of actuators, the speeds and the accelerations, and its limit."""

    name: str
    limit: float
    forces: Array
    speeds: Array
    accelerations: Array


@dataclass(frozen=True)
class DriveLimits:
    """All limits of a robot's motion.

    Args:
        mech: the machine.
        machine: what it asks of its actuators, friction and losses included.
        signals: what is limited.
        bounds: limits of positions, and the names of the joints.
        remarks: what is left out.
    """

    mech: Mechanism
    machine: StateForces
    signals: tuple[Signal, ...]
    bounds: Bounds
    remarks: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Of what is limited."""
        return tuple(one.name for one in self.signals)

    def shares(self, states: States, modes: Sequence[Modes]) -> Array:
        """What states take of every limit, with its sign, (T, signals): beyond 1 or -1 it is exceeded."""
        x = self.machine.at(states, modes)
        F, G, H = (np.array([getattr(s, w) for s in self.signals]) for w in ("forces", "speeds", "accelerations"))
        found: Array = (x @ F.T + states.v @ G.T + states.a @ H.T) / np.array([s.limit for s in self.signals])
        return found

    @cached_property
    def of_speed(self) -> Array:
        """Which limits are of speeds alone, (signals,)."""
        return np.array([not (one.forces.any() or one.accelerations.any()) for one in self.signals], dtype=bool)

    def scaled(self, share: float) -> DriveLimits:
        """With a share of every limit."""
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
    motors: Mapping[str, Any],
) -> DriveLimits:
    """The limits given, else those that a robot's parts state.

    Args:
        function: who asks.
        robot: a robot or a machine.
        laws: laws instead of those of the robot; () for none.
        extra_laws: laws beside those of the robot.
        speed: of joints, one or each.
        acceleration: of joints.
        torque: of joints.
        motors: "motor_torque", "current" and "voltage" -> one number, or motor -> number; None: the motors' own.
    """
    mech = machine_of(function, robot)
    _refuse_elastic(function, mech)
    acting = choose_laws(function, robot, laws, extra_laws, lambda own: laws_of(own, mech)).warned(function)
    asked = torques_alone(mech)
    machine = StateForces(System(mech, acting), (*Drives(asked).pushes, *undriven(mech, asked)))
    kept = bounds(function, mech.n, robot, speed, acceleration)
    signals = [*_rates(mech, machine, kept), *_torques(function, robot, mech, machine, torque)]
    signals += _motors(function, robot, mech, machine, motors)
    return DriveLimits(mech, machine, tuple(signals), kept, _left_out(robot, signals))


def _refuse_elastic(function: str, mech: Mechanism) -> None:
    if mech.shafts:
        raise InputError(
            f"{function}: the drives of {listed(mech.shafts)} are elastic, and a motion with steps in its acceleration "
            "would make them swing. Plan with the rigid robot (gears without stiffness) at a share of its limits, and "
            "smooth the motion (gw.motion.smoothed) before the elastic one follows it."
        )


def _rates(mech: Mechanism, machine: StateForces, kept: Bounds) -> list[Signal]:
    """Limits of joints' speeds and accelerations."""
    none, found = np.zeros(len(machine.pushes)), []
    for k, name in enumerate(mech.speeds):
        one, zero = np.eye(mech.n)[k], np.zeros(mech.n)
        if np.isfinite(kept.speed[k]):
            found.append(Signal(f"v.{name}", float(kept.speed[k]), none, one, zero))
        if np.isfinite(kept.acceleration[k]):
            found.append(Signal(f"a.{name}", float(kept.acceleration[k]), none, zero, one))
    return found


def _torques(
    function: str, robot: Robot | Mechanism, mech: Mechanism, machine: StateForces, torque: ArrayLike | None
) -> list[Signal]:
    """Limits of what the motors bring at the joints, and of what joints without a motor need."""
    if torque is not None:
        given = dict(zip(mech.speeds, per_joint(function, {"torque": torque}, mech.n, above=0.0)[0], strict=True))
    else:
        given = efforts(robot, mech) if isinstance(robot, Robot) else {}
    zero = np.zeros(mech.n)
    return [
        Signal(TAU + name, float(given[name]), machine.rows[:, k], zero, zero)
        for k, name in enumerate(mech.speeds)
        if name in given and np.isfinite(given[name])
    ]


def _motors(
    function: str, robot: Robot | Mechanism, mech: Mechanism, machine: StateForces, given: Mapping[str, Any]
) -> list[Signal]:
    """Limits of the motors: torque, current T / K, and voltage R T / K + K w."""
    sheets = dict(motors_of(robot)) if isinstance(robot, Robot) else {}
    titles = [one.name for one in mech.actuators]
    found = []
    for word in MOTOR_WORDS:
        stated = _of_motors(function, word, given.get(word), titles)
        for j, title in enumerate(titles):
            motor = sheets.get(title, Motor())
            limit = stated[title] if stated is not None else _own(robot, title, motor, word)
            if limit is not None:
                found.append(_motor_signal(function, title, word, limit, motor, machine, j))
    return found


def _motor_signal(
    function: str, title: str, word: str, limit: float, motor: Motor, machine: StateForces, j: int
) -> Signal:
    zero, one = np.zeros(machine.rows.shape[1]), np.eye(len(machine.pushes))[j]
    if word == "motor_torque":
        return Signal(f"{title}.torque", limit, one, zero, zero)
    constant, resistance = motor.torque_constant, motor.resistance
    if not constant or (word == "voltage" and resistance is None):
        missing = "torque_constant" if not constant else "resistance"
        raise InputError(f"{function}: {word} of motor {title!r} is limited, but its {missing} is unknown. Give it.")
    if word == "current":
        return Signal(f"{title}.current", limit, one / float(constant), zero, zero)
    back = float(constant) * machine.rows[j]
    return Signal(f"{title}.voltage", limit, one * float(resistance or 0.0) / float(constant), back, zero)


def _of_motors(function: str, word: str, given: Any, titles: Sequence[str]) -> dict[str, float | None] | None:
    """Per motor a limit that a user gives."""
    if given is None:
        return None
    named = given if isinstance(given, Mapping) else dict.fromkeys(titles, given)
    for title in named:
        if title not in titles:
            raise InputError(f"{function}: {word} of {title!r}: there is no such motor. {did_you_mean(title, titles)}")
    checked = {t: number(function, f"{word}[{t!r}]", x, above=0.0) for t, x in named.items()}
    return {title: checked.get(title) for title in titles}


def _own(robot: Robot | Mechanism, title: str, motor: Motor, word: str) -> float | None:
    """What a motor's data sheet, or its supply, states."""
    stated = {"motor_torque": motor.max_torque, "current": motor.max_current, "voltage": _volts(robot, title, motor)}
    limit = stated[word]
    unusable = not motor.torque_constant or (word == "voltage" and motor.resistance is None)
    return None if limit is None or (word != "motor_torque" and unusable) else float(limit)


def _volts(robot: Robot | Mechanism, title: str, motor: Motor) -> float | None:
    """The lower of what the electronics put on the terminals and what the supply has."""
    if not isinstance(robot, Robot):
        return None
    drive = next((one for one in robot.drives if one.title == title), None)
    supply = robot.supply if drive is None or drive.supply is None else drive.supply
    found = [float(x) for x in (motor.max_voltage, None if supply is None else supply.voltage) if x is not None]
    return min(found, default=None)


def _left_out(robot: Robot | Mechanism, signals: Sequence[Signal]) -> tuple[str, ...]:
    """What a limit of voltages does not count."""
    if not isinstance(robot, Robot) or not any(one.name.endswith(".voltage") for one in signals):
        return ()
    coils = [title for title, motor in motors_of(robot) if motor.has_inductance]
    return (f"voltages are R i + K w: the inductance of {listed(coils)} is left out.",) if coils else ()
