"""One cycle of a task: what each of its drives and links is analysed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gearwright.analysis.advice import advised
from gearwright.analysis.drive_analysis import DriveAnalysis
from gearwright.analysis.limit_checks import LimitCheck, drive_limits
from gearwright.analysis.link_analysis import LinkAnalysis
from gearwright.analysis.link_loads import link_loads
from gearwright.analysis.placed_masses import placed_masses
from gearwright.analysis.steady_heat import Temperatures, steady_temperatures
from gearwright.analysis.task import Task
from gearwright.analysis.vibration import natural_frequencies
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces import GearLoss
from gearwright.forces.of_robot import laws as laws_of
from gearwright.forces.places import motors_of
from gearwright.functions.functions import inverse_dynamics, mass_matrix
from gearwright.mechanism import Mechanism, Spin, approximate
from gearwright.parts import Drive, GearboxSheet, LinkSection, Motor, MotorSheet, Robot
from gearwright.system.demands import demands
from gearwright.system.motion_demands import MotionDemands
from gearwright.system.signals import TAU


def handed_on(robot: Robot, mech: Mechanism, task: Task, found: MotionDemands, samples: int) -> Array:
    """Forces that the gears hand to the joints and that turn the motors, (T, n): without losses and bearings."""
    lossless = _without_bearings(robot)
    kept = [law for law in laws_of(lossless, mech) if not isinstance(law, GearLoss)]
    if len(kept) == len(laws_of(robot, mech)):
        return found.tau
    plain = demands(lossless, task.cycle, laws=kept, actuators=(), samples=samples)
    columns = [np.interp(found.t, plain.t, plain.tau[:, k]) for k in range(mech.n)]
    return plain.tau if np.array_equal(plain.t, found.t) else np.stack(columns, axis=1)


def _without_bearings(robot: Robot) -> Robot:
    """The robot with motors that turn freely."""
    free = [replace(drive, motor=replace(drive.motor, friction=0.0, damping=0.0)) for drive in robot.drives]
    return replace(robot, drives=tuple(free))


@dataclass(frozen=True)
class Cycle:
    """All that the drives of one cycle are analysed from."""

    robot: Robot
    mech: Mechanism
    task: Task
    found: MotionDemands
    handed_on: Array
    catalogue: Catalogue

    def link(self, name: str, section: LinkSection) -> LinkAnalysis:
        """A link with its forces over the cycle."""
        return LinkAnalysis(
            name, link_loads(self.mech, self.found.motion, name, section, placed_masses(self.robot, name))
        )

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
        still = inverse_dynamics(self.mech, self.found.motion.q, nothing, nothing)
        checks: list[LimitCheck] = []
        for one in each:
            at = self.mech.speeds.index(one.joint) if one.joint in self.mech.speeds else None
            resting = None if at is None else still[:, at]
            checks += advised(drive_limits(one, links.get(one.joint or "")), one, resting, self.catalogue)
        return checks

    def _drive(self, title: str, motor: Motor, drive: Drive | None, frequency: float | None) -> DriveAnalysis:
        speed = self._driven(title) if drive is not None else None
        series = self.found.series
        at = None if speed is None else self.mech.speeds.index(speed)
        return DriveAnalysis(
            name=title,
            joint=None if drive is None else drive.joint,
            t=self.found.t,
            torque=None if speed is None else series[TAU + speed],
            output_torque=None if at is None else self.handed_on[:, at] - self._own(title, at),
            speed=None if at is None else self.found.motion.v[:, at],
            motor_torque=self.found[f"{title}.torque"],
            motor_speed=self.found[f"{title}.speed"],
            current=series.get(f"{title}.current"),
            voltage=series.get(f"{title}.voltage"),
            temperatures=self._temperatures(title, motor),
            ambient=self._ambient(motor),
            inertia_ratio=None if at is None else self._inertia_ratio(title, at),
            frequency=frequency,
            motor=motor,
            gear=None if drive is None else drive.gear,
            motor_sheet=self._motor_sheet(motor),
            gearbox_sheet=None if drive is None else self._gearbox_sheet(drive),
        )

    def _driven(self, title: str) -> str:
        """The speed that a drive's motor turns with: that of its joint, or of its shaft behind a spring."""
        row = next(one.row for one in self.mech.actuators if one.name == title)
        return self.mech.speeds[int(np.argmax(np.abs(np.asarray(row, dtype=float))))]

    def _turning(self, title: str) -> tuple[Spin, ...]:
        """What turns with a motor: its rotor and the input of its gear."""
        row = next(one.row for one in self.mech.actuators if one.name == title)
        return tuple(spin for spin in self.mech.spins if spin.ratio == row and spin.name.startswith(f"{title}."))

    def _own(self, title: str, at: int) -> Array:
        """The part of a drive's torque that only turns its motor.

        Forces are linear in the inertia of a wheel, so that half of them less shows it all; a shaft keeps some.
        """
        motion, own = self.found.motion, self._turning(title)
        lighter = {spin.name: replace(spin, inertia=0.5 * spin.inertia, coupling=_half(spin)) for spin in own}
        half = replace(self.mech, spins=tuple(lighter.get(spin.name, spin) for spin in self.mech.spins))
        whole, less = (inverse_dynamics(one, motion.q, motion.v, motion.a)[:, at] for one in (self.mech, half))
        return np.asarray(2 * (whole - less))

    def _inertia_ratio(self, title: str, at: int) -> float | None:
        """Largest inertia of the load against that of motor and gear, both at the motor."""
        inertia = float(sum(spin.inertia for spin in self._turning(title)))
        row = next(one.row for one in self.mech.actuators if one.name == title)
        ratio = np.asarray(row, dtype=float)[at]
        if not inertia or at >= len(self.mech.speeds) - len(self.mech.shafts):
            return None
        load = mass_matrix(approximate(self.mech, "none"), self.found.motion.q)[:, at, at]
        return float(load.max() / (inertia * float(ratio) ** 2))

    def _frequency(self) -> float | None:
        if not any(spring.stiffness for spring in self.mech.springs):
            return None
        some = self.found.motion.q[:: max(1, len(self.found.t) // 50)]
        found = natural_frequencies(self.mech, some, motors="held")
        positive = found[found > 0]
        return float(positive.min()) if positive.size else None

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


def _half(spin: Spin) -> Any:
    return None if spin.coupling is None else 0.5 * spin.coupling
