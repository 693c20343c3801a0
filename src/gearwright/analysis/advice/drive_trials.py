"""Trials of a drive with other parts, many at once: the equations of the analysis for torque, current and temperature.

A gear hands the load L on to its joint, $O = L / n$ at the motor; the teeth say what must enter by the direction of
power, the torque that accelerates the rotor and the friction of its bearings come on top. Rows are trials, columns are
times. The load is what leaves the gear for the torque that the motor gives now, so that the present drive comes out as
it is; cogging and ripple are left out. Temperatures are those of the last of the cycles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from gearwright.algebra.operations import ARRAYS
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck, drive_limits
from gearwright.analysis.drives.steady_temperatures import squares_between, steady_temperatures, temperatures_of_trials
from gearwright.analysis.quadrature import integral_weights, rate, spans_of
from gearwright.arrays import Array
from gearwright.forces.actuators.dc_motor_equations import DcEquations
from gearwright.forces.friction.stick_slip import sliding
from gearwright.forces.motors.thermal import Warmth, magnet_factor, resistance_factor, warmth
from gearwright.forces.robot_lines import motor_line
from gearwright.forces.transmission.gear_wheels import wheels_before
from gearwright.forces.transmission.mesh_efficiency import mesh_at
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.mechanism import Mechanism, assemble
from gearwright.motion import Motion
from gearwright.parts import AnyGear, Drive, GearboxSheet, Heat, Link, Motor, MotorSheet, Robot, losses_of

# Temperatures

ROUNDS, SETTLED = 8, 1e-6
"""Of the current that a warmer magnet takes, and what change of the magnet still counts [relative]."""

MELTED = 5000.0
"""Temperature [K] beyond which the winding of a trial is not followed: there is none left."""


def factors(heat: Heat, warm: Warmth) -> tuple[Array, Array]:
    """What torque constant and resistance are of the stated ones."""
    return np.asarray(magnet_factor(heat, warm)), np.asarray(resistance_factor(heat, warm))


def warmth_along(motor: Motor, torque: Array, t: Array, cycles: int | None) -> Warmth | None:
    """Temperatures over the last cycle, like the torque, (trials, T) or (T,)."""
    heat = motor.heat
    if heat is None or not motor.resistance or not motor.torque_constant:
        return None
    nominal = (np.atleast_2d(torque) / float(motor.torque_constant)).T
    before = np.ones_like(nominal)
    for _ in range(ROUNDS):
        states = temperatures_of_trials(squares_between(nominal / before), np.diff(t), motor, cycles)
        found = warmth(heat, [np.minimum(np.nan_to_num(x, nan=MELTED), MELTED) for x in states])
        weaker, _ = factors(heat, found)
        if not heat.magnet or np.abs(weaker - before).max() <= SETTLED:
            break
        before = weaker
    return Warmth(*(np.asarray(x).T.reshape(torque.shape) for x in found))


# Torques, currents and voltages

TURNING = 1e-9
"""Share of its largest speed up to which a joint counts as turning round."""


class Asked(NamedTuple):
    """What is asked of a motor with its gear, each (T,) or (trials, T).

    Args:
        ratio: motor speed / joint speed, signed; a number or (trials, 1).
        load: what the gear hands on, at the joint [Nm, N].
        own: what turns the motor and the input of its gear, at the motor [Nm].
        speed: of the joint, or of the shaft that the motor turns with behind a spring [rad/s, m/s].
        sense: of that speed, 0 while it rests.
    """

    ratio: float | Array
    load: Array
    own: Array
    speed: Array
    sense: Array


class Series(NamedTuple):
    """Torque, speed, current and voltage of a motor, each (T,) or (trials, T); None where its data lack something."""

    torque: Array
    speed: Array
    current: Array | None
    voltage: Array | None

    def nominal(self, motor: Motor) -> Array:
        """The current of a motor at its reference temperature [A]."""
        assert motor.torque_constant is not None
        return np.asarray(self.torque / float(motor.torque_constant))


def motor_series(motor: Motor, gear: AnyGear, asked: Asked, t: Array, cycles: int | None = None) -> Series:
    """What a motor does for what is asked of it, in the last of so many cycles (None: for ever).

    >>> from gearwright.parts import Gear
    >>> ones = np.ones(3)
    >>> lift = Asked(50.0, 20.0 * ones, 0.0 * ones, ones, ones)
    >>> motor_series(Motor(friction=0.1), Gear(50.0, efficiency=0.8), lift, np.arange(3.0)).torque.round(9).tolist()
    [0.6, 0.6, 0.6]
    """
    speed = asked.ratio * asked.speed
    sense = asked.sense * np.sign(asked.ratio)
    passed, pace, table = asked.load / asked.ratio, np.abs(speed), losses_of(gear)
    entering = mesh_at(table, 0.0, pace, ARRAYS).taken(passed, sense, ARRAYS) if table else passed
    rubbed = sense * sliding(motor.total_friction, pace, ARRAYS)
    torque = np.where(sense == 0, passed, entering + rubbed) + asked.own
    return Series(torque, speed, *_electric(motor, torque, speed, t, cycles))


def _electric(
    motor: Motor, torque: Array, speed: Array, t: Array, cycles: int | None
) -> tuple[Array | None, Array | None]:
    """Current and voltage of a winding that is as warm as it is in the last cycle."""
    if not motor.torque_constant:
        return None, None
    warm = warmth_along(motor, torque, t, cycles)
    weaker, more = (1.0, 1.0) if warm is None or motor.heat is None else factors(motor.heat, warm)
    constant = float(motor.torque_constant) * weaker
    winding = DcEquations(constant, constant, (motor.resistance or 0.0) * more, motor.inductance or 0.0)
    current = np.asarray(winding.current(torque))
    changes = rate(t, current.T).T if motor.has_inductance else 0.0
    return current, np.asarray(winding.voltage(current, changes, speed)) if motor.resistance else None


def leaving_torque(motor: Motor, gear: AnyGear, asked: Asked, torque: Array) -> Array:
    """What leaves the teeth for a torque of the motor, at the motor's side: the inverse of `motor_series`, (T,).

    The load that is asked says which flank pushes where a gear that locks itself leaves that open.
    """
    speed, sense = asked.ratio * asked.speed, asked.sense * np.sign(asked.ratio)
    entering = torque - asked.own - sense * sliding(motor.total_friction, np.abs(speed), ARRAYS)
    table = losses_of(gear)
    if not table:
        return np.asarray(entering)
    mesh = mesh_at(table, 0.0, np.abs(speed), ARRAYS)
    push = sense * entering - mesh.input_torque
    driving = np.where(mesh.back > 0, push > 0, sense * asked.load / asked.ratio > 0)
    leaving = np.where(driving, mesh.drive, 1.0 / mesh.back) * push * sense
    return np.where(sense == 0, torque - asked.own, leaving)


def senses(t: Array, speed: Array) -> Array:
    """Which way a joint moves, (T,): where it turns round as it does next to that within the same smooth part."""
    found = np.where(np.abs(speed) > TURNING * np.abs(speed).max(initial=0.0), np.sign(speed), 0.0)
    for a, b in spans_of(t):
        moving = np.flatnonzero(found[a:b])
        if moving.size:
            still = np.flatnonzero(found[a:b] == 0)
            nearest = moving[np.abs(still[:, None] - moving).argmin(axis=1)]
            ends = (still == 0) | (still == b - a - 1)  # inside it may rest
            found[a + still[ends]] = found[a + nearest[ends]]
    return found


@dataclass(frozen=True)
class DriveTrials:
    """A drive as it is, and what it needs to be tried with other parts.

    Args:
        drive: what the task asks of it.
        robot: with the drive.
        mech: its machine.
        motion: of all speeds.
        link: that it moves.
        ambient: temperature of the air [K], if the task states it.
        cycles: how often the cycle is done, of which the last one is meant; None: for ever.
    """

    drive: DriveAnalysis
    robot: Robot
    mech: Mechanism
    motion: Motion
    link: Link | None
    ambient: float | None
    cycles: int | None = None

    @cached_property
    def part(self) -> Drive:
        """The drive as the robot has it."""
        return next(one for one in self.robot.drives if one.title == self.drive.name)

    @cached_property
    def at(self) -> int:
        """The speed that its motor turns with: of the joint, or of a shaft behind a spring."""
        terms = motor_line(self.mech, self.drive.name).terms
        return max(terms, key=lambda term: abs(term[1]))[0]

    @cached_property
    def asked(self) -> Asked:
        """What is asked of it now."""
        one = self.drive
        assert one.output_torque is not None
        assert one.own_torque is not None
        ratio, speed = self._ratio(self.mech), np.asarray(self.motion.v[:, self.at])
        told = Asked(ratio, np.asarray(one.output_torque), one.own_torque / ratio, speed, senses(one.t, speed))
        return told._replace(load=ratio * leaving_torque(one.motor, self.part.gear, told, one.motor_torque))

    @cached_property
    def weights(self) -> Array:
        """Of every time in a mean over the cycle, (T,)."""
        t = self.drive.t
        return integral_weights(t) / float(t[-1] - t[0])

    def series(self, asked: Asked) -> Series:
        """What the present motor would do."""
        return motor_series(self.drive.motor, self.part.gear, asked, self.drive.t, self.cycles)

    def with_ratios(self, ratios: Array) -> Asked:
        r"""What is asked with other ratios (R,), of any sign: $b \to f b$ turns the motor by $f^2 J b^2 a$ and by f."""
        now = self.asked
        factors = (np.abs(ratios) / abs(now.ratio))[:, None]
        inertia = sum(float(spin.inertia) for spin in wheels_before(self.mech, self.drive.name))
        square = inertia * now.ratio * np.asarray(self.motion.a[:, self.at])
        return now._replace(ratio=factors * now.ratio, own=now.own - square + factors * square)

    def fitted(self, drive: Drive) -> Asked | None:
        """What is asked of another motor or gear in its place; None where the machine would have other speeds."""
        robot = self.robot.with_drive(self.drive.name, drive)
        mech = assemble(robot)
        if mech.speeds != self.mech.speeds:
            return None
        ratio, now = self._ratio(mech), self.asked
        (load, own), (before, _) = self._parted(mech), self._present
        return now._replace(ratio=ratio, load=now.load + load - before, own=own / ratio)

    def limits(
        self, drive: Drive, asked: Asked, motor_sheet: MotorSheet | None, gearbox_sheet: GearboxSheet | None
    ) -> tuple[DriveAnalysis, list[LimitCheck]]:
        """The drive with other parts over the cycle, and the limits that it then has."""
        told = motor_series(drive.motor, drive.gear, asked, self.drive.t, self.cycles)
        trial = replace(
            self.drive,
            torque=told.torque * asked.ratio,
            output_torque=asked.load,
            own_torque=asked.own * asked.ratio,
            motor_torque=told.torque,
            motor_speed=told.speed,
            current=told.current,
            voltage=told.voltage,
            temperatures=None,
            ambient=self.air(drive.motor),
            motor=drive.motor,
            gear=drive.gear,
            motor_sheet=motor_sheet,
            gearbox_sheet=gearbox_sheet,
        )
        if told.current is not None and drive.motor.heat is not None and drive.motor.resistance:
            warm = steady_temperatures(trial.t, told.nominal(drive.motor), drive.motor, self.ambient, self.cycles)
            trial = replace(trial, temperatures=warm)
        return trial, list(drive_limits(trial, self.link))

    def air(self, motor: Motor) -> float | None:
        """The temperature about a motor [K]."""
        return self.ambient if self.ambient is not None or motor.heat is None else motor.heat.ambient

    def mean(self, values: Array) -> Array:
        """The mean over the cycle, of the last axis."""
        return np.asarray(values @ self.weights)

    @cached_property
    def _present(self) -> tuple[Array, Array]:
        return self._parted(self.mech)

    def _parted(self, mech: Mechanism) -> tuple[Array, Array]:
        """Forces of the motion at the drive's speed, (T,): of all but what turns with the motor, and of that."""
        before = {spin.name for spin in wheels_before(mech, self.drive.name)}
        spins = tuple(spin.times(2.0) if spin.name in before else spin for spin in mech.spins)
        whole = self._force(mech)
        own = self._force(replace(mech, spins=spins)) - whole  # forces are linear in inertias
        return whole - own, own

    def _force(self, mech: Mechanism) -> Array:
        moving = self.motion
        return np.asarray(inverse_dynamics(mech, moving.q, moving.v, moving.a)[:, self.at])

    def _ratio(self, mech: Mechanism) -> float:
        return float(dict(motor_line(mech, self.drive.name).terms)[self.at])
