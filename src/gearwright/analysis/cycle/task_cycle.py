"""One cycle of a task: what each of its drives and links is analysed from.

Robot, machine and what was found of its motion may vary with parameters; the drives then do too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import column, item
from gearwright.algebra.differentiation.dual_numbers import value_of
from gearwright.analysis.advice.advice import JointShares, advised
from gearwright.analysis.advice.drive_trials import DriveTrials
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck, drive_limits
from gearwright.analysis.drives.motor_loads import MotorLoads
from gearwright.analysis.drives.steady_temperatures import Temperatures
from gearwright.analysis.drives.warm_start import AnyDemands, motor_temperatures
from gearwright.analysis.links.section_forces import reactions_along
from gearwright.analysis.task.process_forces import AppliedWrench, about_origins
from gearwright.analysis.task.task import Task
from gearwright.analysis.vibration.lowest_frequency import lowest_frequency
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces.actuators.dc_motor import supply_voltage
from gearwright.forces.robot_lines import motor_line, motors_of
from gearwright.functions.dynamics import Wrenches, inverse_dynamics
from gearwright.mechanism import Mechanism, assemble
from gearwright.motion import Motion
from gearwright.parts import Drive, GearboxSheet, Link, Motor, MotorSheet, Robot
from gearwright.system.inputs import TAU


def checked_drives(each: Iterable[DriveAnalysis], robot: Robot, catalogue: Catalogue) -> list[LimitCheck]:
    """The limits of drives whose robot changes on the way: no other part can be tried with all of it at once."""
    links = {link.joint_name: link for link in robot.links}
    checks: list[LimitCheck] = []
    for one in each:
        checks += advised(drive_limits(one, links.get(one.joint or "")), one, None, None, catalogue)
    return checks


@dataclass(frozen=True)
class Cycle:
    """All that the drives of one cycle are analysed from."""

    robot: Robot
    mech: Mechanism
    task: Task
    found: AnyDemands
    handed_on: Scalar
    catalogue: Catalogue
    acting: Sequence[AppliedWrench] = ()

    @cached_property
    def wrenches(self) -> Wrenches | None:
        """Forces from outside by body."""
        return about_origins(self.mech, self.found.motion.q, self.acting)

    @cached_property
    def _loads(self) -> MotorLoads:
        return MotorLoads(self.mech, self.found.motion, [drive.title for drive in self.robot.drives])

    @cached_property
    def reactions(self) -> Scalar:
        """Wrench across every joint, (T, bodies, 6)."""
        return reactions_along(self.mech, self.found.motion, self.acting)

    def drives(self) -> Iterator[DriveAnalysis]:
        """Every drive over the cycle."""
        frequency = lowest_frequency(self.mech, self.found.motion.q)
        owners = {drive.title: drive for drive in self.robot.drives}
        for title, motor in motors_of(self.robot):
            yield self._drive(title, motor, owners.get(title), frequency)

    def checked(self, each: Iterable[DriveAnalysis]) -> list[LimitCheck]:
        """The limits of all drives, with advice where they are not kept."""
        found = [(one, list(drive_limits(one, self._link(one)))) for one in each]
        if all(check.kept for _, checks in found for check in checks):
            return [check for _, checks in found for check in checks]
        shares = self._shares()
        return [
            check
            for one, checks in found
            for check in advised(checks, one, self.trials(one), shares.get(one.joint or ""), self.catalogue)
        ]

    def trials(self, drive: DriveAnalysis) -> DriveTrials | None:
        """A drive to be tried with other parts; None for a motor that drives several joints."""
        motion = self.found.motion
        if drive.joint is None or drive.output_torque is None or not isinstance(motion, Motion):
            return None
        return DriveTrials(drive, self.robot, self.mech, motion, self._link(drive), self.task.ambient, self.task.cycles)

    def _link(self, drive: DriveAnalysis) -> Link | None:
        """The link that a drive moves."""
        return next((link for link in self.robot.links if link.joint_name == drive.joint), None)

    def _shares(self) -> dict[str, JointShares]:
        """Parts of the force at every joint."""
        motion, nothing = self.found.motion, np.zeros_like(self.found.motion.v)
        still = inverse_dynamics(self.mech, motion.q, nothing, nothing, wrenches=self.wrenches)
        whole = inverse_dynamics(self.mech, motion.q, motion.v, motion.a, wrenches=self.wrenches)
        carried, mass = self._carried()
        return {
            name: JointShares(still[:, k], whole[:, k] - still[:, k], None if carried is None else carried[:, k], mass)
            for k, name in enumerate(self.mech.speeds)
        }

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
        series, speeds = self.found.series, self.mech.speeds
        at = None if speed is None else speeds.index(speed)
        joint = speeds.index(drive.joint) if drive is not None and drive.joint in speeds else at
        body, own = self._moved_by(drive), None if at is None else self._loads.own_torque(title, at)
        return DriveAnalysis(
            name=title,
            joint=None if drive is None else drive.joint,
            t=self.found.t,
            torque=None if speed is None else series[TAU + speed],
            output_torque=None if at is None or own is None else column(self.handed_on, at) - own,
            speed=None if joint is None else column(self.found.motion.v, joint),
            motor_torque=self.found[f"{title}.torque"],
            motor_speed=self.found[f"{title}.speed"],
            current=series.get(f"{title}.current"),
            voltage=series.get(f"{title}.voltage"),
            temperatures=self._temperatures(title, motor),
            ambient=None if motor.heat is None else motor.heat.ambient,
            inertia_ratio=None if joint is None else self._loads.inertia_ratio(title, joint),
            frequency=frequency,
            motor=motor,
            gear=None if drive is None else drive.gear,
            motor_sheet=self._motor_sheet(motor),
            gearbox_sheet=None if drive is None else self._gearbox_sheet(drive),
            reaction=None if body is None else item(self.reactions, np.s_[:, body]),
            axis=None if body is None else tuple(self.mech.bodies[body].axis),
            own_torque=own,
            supply_voltage=supply_voltage(self.robot, title),
        )

    def _moved_by(self, drive: Drive | None) -> int | None:
        """The body whose joint a drive moves."""
        names = [body.joint_name or body.name for body in self.mech.bodies]
        return names.index(drive.joint) if drive is not None and drive.joint in names else None

    def _driven(self, title: str) -> str:
        """The speed that a drive's motor turns with: that of its joint, or of its shaft behind a spring."""
        row = motor_line(self.mech, title).terms
        return self.mech.speeds[max(row, key=lambda term: abs(value_of(term[1])))[0]]

    def _temperatures(self, title: str, motor: Motor) -> Temperatures | None:
        return motor_temperatures(title, motor, self.found, self.task.cycles)

    def _motor_sheet(self, motor: Motor) -> MotorSheet | None:
        return self.catalogue.motor_named(motor.catalogue)

    def _gearbox_sheet(self, drive: Drive) -> GearboxSheet | None:
        return self.catalogue.gearboxes.get(getattr(drive.gear, "catalogue", None) or "")
