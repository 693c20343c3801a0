"""One cycle of a task: what each of its drives and links is analysed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from gearwright.analysis.advice import JointShares, advised
from gearwright.analysis.drive_analysis import DriveAnalysis
from gearwright.analysis.limit_checks import LimitCheck, drive_limits
from gearwright.analysis.process_forces import AppliedWrench, about_origins
from gearwright.analysis.steady_heat import Temperatures, steady_temperatures
from gearwright.analysis.task import Task
from gearwright.analysis.vibration import lowest_frequency
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces.places import motors_of
from gearwright.functions.functions import Wrenches, inverse_dynamics, mass_matrix, reactions
from gearwright.mechanism import Mechanism, Spin, approximate, assemble
from gearwright.parts import Drive, GearboxSheet, Motor, MotorSheet, Robot
from gearwright.system.motion_demands import MotionDemands
from gearwright.system.signals import TAU


@dataclass(frozen=True)
class Cycle:
    """All that the drives of one cycle are analysed from."""

    robot: Robot
    mech: Mechanism
    task: Task
    found: MotionDemands
    handed_on: Array
    catalogue: Catalogue
    acting: Sequence[AppliedWrench] = ()

    @cached_property
    def wrenches(self) -> Wrenches | None:
        """Forces from outside by body."""
        return about_origins(self.mech, self.found.motion.q, self.acting)

    @cached_property
    def reactions(self) -> Array:
        """Wrench across every joint, (T, bodies, 6)."""
        motion = self.found.motion
        return reactions(self.mech, motion.q, motion.v, motion.a, wrenches=self.wrenches)

    def drives(self) -> Iterator[DriveAnalysis]:
        """Every drive over the cycle."""
        frequency = self._frequency()
        owners = {drive.title: drive for drive in self.robot.drives}
        for title, motor in motors_of(self.robot):
            yield self._drive(title, motor, owners.get(title), frequency)

    def checked(self, each: Iterable[DriveAnalysis]) -> list[LimitCheck]:
        """The limits of all drives, with advice where they are not kept."""
        links = {link.joint_name: link for link in self.robot.links}
        nothing = np.zeros_like(self.found.motion.v)
        still = inverse_dynamics(self.mech, self.found.motion.q, nothing, nothing, wrenches=self.wrenches)
        checks: list[LimitCheck] = []
        carried, mass = self._carried()
        for one in each:
            at = self.mech.speeds.index(one.joint) if one.joint in self.mech.speeds else None
            part = None if carried is None or at is None else carried[:, at]
            shares = None if at is None else JointShares(still[:, at], part, mass)
            checks += advised(drive_limits(one, links.get(one.joint or "")), one, shares, self.catalogue)
        return checks

    def _carried(self) -> tuple[Array | None, float]:
        """What the payload takes at every joint, (T, n), and its mass."""
        load, motion = self.robot.payload, self.found.motion
        if load is None or not load.mass:
            return None, 0.0
        empty = assemble(replace(self.robot, payload=None))
        whole, less = (inverse_dynamics(one, motion.q, motion.v, motion.a) for one in (self.mech, empty))
        return np.asarray(whole - less), float(load.mass)

    def _drive(self, title: str, motor: Motor, drive: Drive | None, frequency: float | None) -> DriveAnalysis:
        speed = self._driven(title) if drive is not None else None
        series = self.found.series
        at = None if speed is None else self.mech.speeds.index(speed)
        body, own = self._moved_by(drive), None if at is None else self._own(title, at)
        return DriveAnalysis(
            name=title,
            joint=None if drive is None else drive.joint,
            t=self.found.t,
            torque=None if speed is None else series[TAU + speed],
            output_torque=None if at is None or own is None else self.handed_on[:, at] - own,
            speed=None if at is None else self.found.motion.v[:, at],
            motor_torque=self.found[f"{title}.torque"],
            motor_speed=self.found[f"{title}.speed"],
            current=series.get(f"{title}.current"),
            voltage=series.get(f"{title}.voltage"),
            temperatures=self._temperatures(title, motor),
            ambient=self._ambient(motor),
            inertia_ratio=None if at is None else inertia_ratio(self.mech, self.found.motion.q, title, at),
            frequency=frequency,
            motor=motor,
            gear=None if drive is None else drive.gear,
            motor_sheet=self._motor_sheet(motor),
            gearbox_sheet=None if drive is None else self._gearbox_sheet(drive),
            reaction=None if body is None else self.reactions[:, body],
            axis=None if body is None else np.array([float(x) for x in self.mech.bodies[body].axis]),
            own_torque=own,
        )

    def _moved_by(self, drive: Drive | None) -> int | None:
        """The body whose joint a drive moves."""
        names = [body.joint_name or body.name for body in self.mech.bodies]
        return names.index(drive.joint) if drive is not None and drive.joint in names else None

    def _driven(self, title: str) -> str:
        """The speed that a drive's motor turns with: that of its joint, or of its shaft behind a spring."""
        row = next(one.row for one in self.mech.actuators if one.name == title)
        return self.mech.speeds[int(np.argmax(np.abs(np.asarray(row, dtype=float))))]

    def _own(self, title: str, at: int) -> Array:
        """The part of a drive's torque that only turns its motor.

        Forces are linear in the inertia of a wheel, so that half of them less shows it all; a shaft keeps some.
        """
        motion, own = self.found.motion, turning_with(self.mech, title)
        lighter = {spin.name: replace(spin, inertia=0.5 * spin.inertia, coupling=_half(spin)) for spin in own}
        half = replace(self.mech, spins=tuple(lighter.get(spin.name, spin) for spin in self.mech.spins))
        whole, less = (inverse_dynamics(one, motion.q, motion.v, motion.a)[:, at] for one in (self.mech, half))
        return np.asarray(2 * (whole - less))

    def _frequency(self) -> float | None:
        return lowest_frequency(self.mech, self.found.motion.q)

    def _ambient(self, motor: Motor) -> float | None:
        if self.task.ambient is not None:
            return self.task.ambient
        return None if motor.heat is None else float(motor.heat.ambient)

    def _temperatures(self, title: str, motor: Motor) -> Temperatures | None:
        current = self.found.series.get(f"{title}.current")
        if current is None or motor.heat is None or motor.resistance is None:
            return None
        return steady_temperatures(self.found.t, current, motor, self.task.ambient)

    def _motor_sheet(self, motor: Motor) -> MotorSheet | None:
        return self.catalogue.motors.get(motor.catalogue or "")

    def _gearbox_sheet(self, drive: Drive) -> GearboxSheet | None:
        return self.catalogue.gearboxes.get(getattr(drive.gear, "catalogue", None) or "")


def turning_with(mech: Mechanism, title: str) -> tuple[Spin, ...]:
    """What turns with a motor: its rotor and the input of its gear."""
    row = next(one.row for one in mech.actuators if one.name == title)
    return tuple(spin for spin in mech.spins if spin.ratio == row and spin.name.startswith(f"{title}."))


def inertia_ratio(mech: Mechanism, q: Array, title: str, at: int) -> float | None:
    """Largest inertia of the load at a speed against that of motor and gear, both at the motor, over q (T, nq)."""
    inertia = float(sum(spin.inertia for spin in turning_with(mech, title)))
    row = next(one.row for one in mech.actuators if one.name == title)
    ratio = np.asarray(row, dtype=float)[at]
    if not inertia or at >= len(mech.speeds) - len(mech.shafts):
        return None
    load = mass_matrix(approximate(mech, "none"), q)[:, at, at]
    return float(load.max() / (inertia * float(ratio) ** 2))


def _half(spin: Spin) -> Any:
    return None if spin.coupling is None else 0.5 * spin.coupling
