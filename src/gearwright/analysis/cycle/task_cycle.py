"""One cycle of a task, from which each of its drives and links is analysed.

Robot, machine and the demands of its motion may be dual numbers; the drives then are too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from gearwright.algebra import Scalar
from gearwright.algebra.differentiation.dual_arrays import array_column, array_item
from gearwright.algebra.differentiation.dual_numbers import primal_value
from gearwright.analysis.advice.advice import JointShares, with_advice
from gearwright.analysis.advice.drive_trials import DriveTrials
from gearwright.analysis.drives.drive_analysis import DriveAnalysis
from gearwright.analysis.drives.limit_checks import LimitCheck, drive_limits
from gearwright.analysis.drives.motor_loads import MotorLoads
from gearwright.analysis.drives.steady_temperatures import Temperatures
from gearwright.analysis.drives.warm_start import motor_temperatures
from gearwright.analysis.links.section_forces import reactions_along
from gearwright.analysis.task.process_forces import AppliedWrench, wrenches_by_body
from gearwright.analysis.task.task import Task
from gearwright.analysis.vibration.lowest_frequency import lowest_frequency
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue
from gearwright.forces.robot_lines import motor_line, robot_motors, supply_voltage
from gearwright.functions.dynamics import Wrenches, inverse_dynamics
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.motion import Motion
from gearwright.motion_demands.result import MotionDemands
from gearwright.parts import Drive, GearboxSheet, Link, Motor, MotorSheet, Robot
from gearwright.system.inputs import FORCE_INPUT_PREFIX


def drive_checks(drives: Iterable[DriveAnalysis], robot: Robot, catalogue: Catalogue) -> list[LimitCheck]:
    """The limits of drives whose payload changes within the cycle, without recommendations of other parts."""
    links = {link.joint_name: link for link in robot.links}
    checks: list[LimitCheck] = []
    for drive in drives:
        checks += with_advice(drive_limits(drive, links.get(drive.joint or "")), drive, None, dict, catalogue)
    return checks


@dataclass(frozen=True)
class TaskCycle:
    """Robot, machine and demands of one cycle, from which its drives are analysed."""

    robot: Robot
    mech: Mechanism
    task: Task
    demands: MotionDemands
    output_torques: Scalar
    catalogue: Catalogue
    applied_wrenches: Sequence[AppliedWrench] = ()

    @cached_property
    def body_wrenches(self) -> Wrenches | None:
        """External wrenches by body."""
        return wrenches_by_body(self.mech, self.demands.motion.q, self.applied_wrenches)

    @cached_property
    def _motor_loads(self) -> MotorLoads:
        return MotorLoads(self.mech, self.demands.motion, [drive.title for drive in self.robot.drives])

    @cached_property
    def reactions(self) -> Scalar:
        """Wrench across every joint, (T, bodies, 6)."""
        return reactions_along(self.mech, self.demands.motion, self.applied_wrenches)

    def drive_analyses(self) -> Iterator[DriveAnalysis]:
        """Every drive over the cycle."""
        frequency = lowest_frequency(self.mech, self.demands.motion.q)
        owners = {drive.title: drive for drive in self.robot.drives}
        for title, motor in robot_motors(self.robot):
            yield self._analyse_drive(title, motor, owners.get(title), frequency)

    def limit_checks(self, drives: Iterable[DriveAnalysis]) -> list[LimitCheck]:
        """The limits of all drives, with recommendations for those that are exceeded."""
        return [
            check
            for drive in drives
            for check in with_advice(
                drive_limits(drive, self._moved_link(drive)),
                drive,
                self.drive_trials(drive),
                lambda: self._joint_shares,
                self.catalogue,
            )
        ]

    def drive_trials(self, drive: DriveAnalysis) -> DriveTrials | None:
        """Trials of other parts for a drive; None for a motor that drives several joints."""
        motion = self.demands.motion
        if drive.joint is None or drive.output_torque is None or not isinstance(motion, Motion):
            return None
        return DriveTrials(
            drive, self.robot, self.mech, motion, self._moved_link(drive), self.task.ambient, self.task.cycle_count
        )

    def _moved_link(self, drive: DriveAnalysis) -> Link | None:
        """The link that a drive moves."""
        return next((link for link in self.robot.links if link.joint_name == drive.joint), None)

    @cached_property
    def _joint_shares(self) -> dict[str, JointShares]:
        """Parts of the force at every joint."""
        motion, zero = self.demands.motion, np.zeros_like(self.demands.motion.v)
        static_forces = inverse_dynamics(self.mech, motion.q, zero, zero, wrenches=self.body_wrenches)
        total_forces = inverse_dynamics(self.mech, motion.q, motion.v, motion.a, wrenches=self.body_wrenches)
        carried, mass = self._payload_forces()
        return {
            name: JointShares(
                static_forces[:, k],
                total_forces[:, k] - static_forces[:, k],
                None if carried is None else carried[:, k],
                mass,
            )
            for k, name in enumerate(self.mech.speeds)
        }

    def _payload_forces(self) -> tuple[Array | None, float]:
        """Force at every joint due to the payload, (T, n), and its mass."""
        load, motion = self.robot.payload, self.demands.motion
        if load is None or not load.mass:
            return None, 0.0
        empty = assemble_tree(replace(self.robot, payload=None))
        whole, less = (inverse_dynamics(mech, motion.q, motion.v, motion.a) for mech in (self.mech, empty))
        return np.asarray(whole - less), float(load.mass)

    def _analyse_drive(self, title: str, motor: Motor, drive: Drive | None, frequency: float | None) -> DriveAnalysis:
        speed = self._driven_speed(title) if drive is not None else None
        series, speeds = self.demands.series, self.mech.speeds
        speed_index = None if speed is None else speeds.index(speed)
        joint = speeds.index(drive.joint) if drive is not None and drive.joint in speeds else speed_index
        body, own_torque, output_torque = self._moved_body(drive), None, None
        if speed_index is not None:
            own_torque = dict(motor_line(self.mech, title).terms)[speed_index] * self._motor_loads.rotor_torque(title)
            output_torque = array_column(self.output_torques, speed_index) - own_torque
        return DriveAnalysis(
            name=title,
            joint=None if drive is None else drive.joint,
            t=self.demands.t,
            torque=None if speed is None else series[FORCE_INPUT_PREFIX + speed],
            output_torque=output_torque,
            speed=None if joint is None else array_column(self.demands.motion.v, joint),
            motor_torque=self.demands[f"{title}.torque"],
            motor_speed=self.demands[f"{title}.speed"],
            current=series.get(f"{title}.current"),
            voltage=series.get(f"{title}.voltage"),
            temperatures=self._motor_temperatures(title, motor),
            ambient=None if motor.heat is None else motor.heat.ambient,
            inertia_ratio=None if joint is None else self._motor_loads.inertia_ratio(title, joint),
            frequency=frequency,
            motor=motor,
            gear=None if drive is None else drive.gear,
            motor_sheet=self._motor_sheet(motor),
            gearbox_sheet=None if drive is None else self._gearbox_sheet(drive),
            reaction=None if body is None else array_item(self.reactions, np.s_[:, body]),
            axis=None if body is None else tuple(self.mech.bodies[body].axis),
            own_torque=own_torque,
            supply_voltage=supply_voltage(self.robot, title),
        )

    def _moved_body(self, drive: Drive | None) -> int | None:
        """The body whose joint a drive moves."""
        names = [body.joint_name or body.name for body in self.mech.bodies]
        return names.index(drive.joint) if drive is not None and drive.joint in names else None

    def _driven_speed(self, title: str) -> str:
        """Name of the speed of a drive's motor: that of its joint, or of its shaft behind a spring."""
        row = motor_line(self.mech, title).terms
        return self.mech.speeds[max(row, key=lambda term: abs(primal_value(term[1])))[0]]

    def _motor_temperatures(self, title: str, motor: Motor) -> Temperatures | None:
        return motor_temperatures(title, motor, self.demands, self.task.cycle_count)

    def _motor_sheet(self, motor: Motor) -> MotorSheet | None:
        return self.catalogue.motor_by_name(motor.catalogue)

    def _gearbox_sheet(self, drive: Drive) -> GearboxSheet | None:
        return self.catalogue.gearboxes.get(getattr(drive.gear, "catalogue", None) or "")
