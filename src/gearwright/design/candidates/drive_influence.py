r"""Forces of a motion as a function of the chosen drives.

Forces are linear in masses and inertias and quadratic in the ratio of a motor. With mass m, inertia J and ratio n of
every drive k

$\tau(t) = \tau_0(t) + \sum_k m_k\, Y^m_k(t) + J_k (Y^0_k(t) + n_k Y^1_k(t) + n_k^2 Y^2_k(t))$

holds exactly, including the coupling to the links that carry the motors. The five series of a drive are computed once,
from assembled machines; a million choices then are sums of products.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis import LimitSources, Task
from gearwright.analysis.cycle.cycle_motion import PrescribedMotion
from gearwright.analysis.drives.drive_analysis import ShaftLoad, shaft_load
from gearwright.analysis.drives.motor_loads import MotorLoads
from gearwright.analysis.links.section_forces import reactions_along
from gearwright.analysis.links.structural_deflection import external_wrenches
from gearwright.analysis.quadrature import motion_direction
from gearwright.analysis.task.payload_phases import PhaseRows, robot_with_heaviest_payload
from gearwright.arrays import Array
from gearwright.design.robot_preparation.rigid_gears import rigid_robot
from gearwright.design.robot_preparation.sized_drives import (
    DriveCoordinate,
    drive_coordinates,
    sized_drive,
    sized_drives,
    train_motor_names,
    with_sized_drive,
)
from gearwright.errors import InputError
from gearwright.forces import GearLoss, TrainLoss
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import supply_voltage
from gearwright.forces.transmission.gear_losses import reversal_law
from gearwright.functions import inverse_dynamics
from gearwright.mechanism import Mechanism, assemble_tree
from gearwright.motion import Motion
from gearwright.parts import Drive, Gear, GearType, Motor, Robot, gear_losses
from gearwright.programs import approximate
from gearwright.text import listed_names

BASIS_SERIES = (
    "mass",
    "rest",
    "first",
    "second",
    "carrier",
    "carrier_rate",
    "kept_rotor",
    "speed",
    "acceleration",
    "direction",
    "reaction",
)
"""Series of a `DriveBasis`."""
PROBE_INERTIA = 1e-3
"""Probe mass [kg] and inertia [kg m2] for the computation of the series."""


@dataclass(frozen=True)
class DriveBasis:
    """Effect of a unit mass and a unit inertia of one drive on all forces over the motion.

    Args:
        drive: the drive of the robot.
        share: force at the drive per generalized force, (n,).
        mass: forces per kilogram of its motor and gearbox, (T, n).
        rest: forces per inertia, for ratio 0, (T, n).
        first: coefficient of the ratio, (T, n).
        second: coefficient of the square of the ratio, (T, n).
        gear: the gear that stays, if only the motor is chosen.
        carrier: angular acceleration of the motor's carrier about the motor's axis [rad/s2], (T,).
        carrier_rate: the part of that rotation's rate that is due to the driven joint itself, per speed, (T,).
        kept_rotor: torque at the motor that accelerates wheels of the gear that stays [Nm], (T,).
        speed: of the joint, or of the shaft of a train's motor [rad/s, m/s], (T,).
        acceleration: its derivative [rad/s2, m/s2], (T,).
        direction: sign of the speed, (T,).
        limit_sources: what states the limits of any drive of the joint: the driven link and the supply of the motor.
        reaction: wrench across the joint without the chosen drives: force, then moment about its origin in the axes of
            the driven link, (T, 6).
        axis: joint axis in these axes.
    """

    drive: Drive
    share: Array
    mass: Array
    rest: Array
    first: Array
    second: Array
    gear: GearType | None
    carrier: Array
    carrier_rate: Array
    kept_rotor: Array
    speed: Array
    acceleration: Array
    direction: Array
    limit_sources: LimitSources = field(default_factory=LimitSources)
    reaction: Array = field(default_factory=lambda: np.zeros((0, 6)))
    axis: tuple[Any, ...] = (0.0, 0.0, 1.0)

    @property
    def bearing_load(self) -> ShaftLoad | None:
        """Load on the bearings of the joint without the chosen drives."""
        return shaft_load(tuple(self.reaction.T), self.axis, len(self.reaction)) if len(self.reaction) else None

    def with_mapped_series(self, change: Callable[[Array], Array]) -> DriveBasis:
        """The basis with a function applied to every series."""
        series: dict[str, Any] = {field_name: change(getattr(self, field_name)) for field_name in BASIS_SERIES}
        return replace(self, **series)

    def added_forces(self, mass: float, inertia: float, ratio: float) -> Array:
        """Contribution of a drive to the forces, (T, n)."""
        return mass * self.mass + inertia * (self.rest + ratio * (self.first + ratio * self.second))


@dataclass(frozen=True)
class DriveSpace:
    """A motion, its forces without the chosen drives, and the contribution of each of these drives.

    Args:
        robot: with the task's payload (the heaviest if there are several) and rigid gears.
        motion: sampled.
        bare: forces without the drives, (T, n).
        outside: the part of them that is not inertia or gravity: friction and external forces, (T, n).
        drives: contribution of each drive.
    """

    robot: Robot
    motion: Motion
    bare: Array
    outside: Array
    drives: tuple[DriveBasis, ...]

    @property
    def t(self) -> Array:
        """Times [s], (T,)."""
        return self.motion.t

    def between_times(self, start: float, end: float) -> DriveSpace:
        """The section between two times."""
        rows = PhaseRows(self.t, start, end)
        motion = Motion(*(rows.select_rows(x) for x in (self.motion.t, self.motion.q, self.motion.v, self.motion.a)))
        drives = tuple(basis.with_mapped_series(rows.select_rows) for basis in self.drives)
        return DriveSpace(self.robot, motion, rows.select_rows(self.bare), rows.select_rows(self.outside), drives)

    def at_samples(self, rows: NDArray[np.intp]) -> DriveSpace:
        """A subset of its samples."""
        motion = Motion(*(x[rows] for x in (self.motion.t, self.motion.q, self.motion.v, self.motion.a)))
        drives = tuple(basis.with_mapped_series(lambda series: series[rows]) for basis in self.drives)
        return DriveSpace(self.robot, motion, self.bare[rows], self.outside[rows], drives)

    @property
    def duration(self) -> float:
        """Duration of the cycle [s]."""
        return float(self.motion.t[-1] - self.motion.t[0])


def drive_space(
    robot: Robot,
    task: Task,
    joints: Sequence[str],
    samples: int,
    geared: Collection[str] = (),
    model: str | None = None,
) -> DriveSpace:
    """The forces over the cycle of a task as a function of the drives of some joints.

    Args:
        robot: with drives at these joints.
        task: the task.
        joints: whose drives are chosen; a motor of a train by its own name.
        samples: number of samples.
        geared: joints that keep their gear; motors of trains keep their train.
        model: None for the exact machine, or an approximation of `gw.approximate`.
    """
    geared = (*geared, *train_motor_names(robot))
    phases = task.payload_phases(robot)
    if len(phases) == 1:
        return _single_payload_space(phases[0].robot, task, joints, samples, geared, model)
    spaces = [
        _single_payload_space(phase.robot, task, joints, samples, geared, model).between_times(phase.start, phase.end)
        for phase in phases
    ]
    return _joined_space(spaces, rigid_robot(robot_with_heaviest_payload(phases)))


def _joined_space(spaces: Sequence[DriveSpace], robot: Robot) -> DriveSpace:
    """Payload phases of a cycle in sequence."""

    def joined_series(field_name: str) -> Array:
        return np.concatenate([getattr(space, field_name) for space in spaces])

    motion = Motion(*(np.concatenate([getattr(space.motion, x) for space in spaces]) for x in "tqva"))
    bases = [_joined_basis(bases_of_joint) for bases_of_joint in zip(*(space.drives for space in spaces), strict=True)]
    return DriveSpace(robot, motion, joined_series("bare"), joined_series("outside"), tuple(bases))


def _joined_basis(bases: Sequence[DriveBasis]) -> DriveBasis:
    series: dict[str, Any] = {
        field_name: np.concatenate([getattr(basis, field_name) for basis in bases]) for field_name in BASIS_SERIES
    }
    return replace(bases[0], **series)


def _single_payload_space(
    loaded: Robot, task: Task, joints: Sequence[str], samples: int, geared: Collection[str], model: str | None
) -> DriveSpace:
    """The whole cycle of a robot with one payload."""
    loaded = rigid_robot(loaded)
    selected = [sized_drive(loaded, joint) for joint in joints]
    bare = loaded
    for drive in selected:
        bare = with_sized_drive(bare, _with_motor_and_ratio(drive, Motor(position=drive.motor.position), 1.0, geared))
    mech = assemble_tree(bare)
    if mech.shafts:
        raise InputError(
            f"size_drives: {listed_names(mech.shafts)}: these shafts have springs that are not part of a gear. Choose "
            "the drives of a rigid robot, and check the elastic one with `analyse`."
        )
    smooth = [law for law in laws_of(bare, mech) if not isinstance(law, GearLoss | TrainLoss)]
    smooth += [
        reversal_law(mech, drive.title) for drive in sized_drives(loaded) if _loses_at_reversals(drive, joints, geared)
    ]
    cycle_motion = PrescribedMotion(task.cycle, tuple(task.forces), task.contact, samples)
    demands = cycle_motion.demands_of(bare, laws=smooth, actuators=())
    motion = demands.motion
    outside = demands.tau - inverse_dynamics(mech, motion.q, motion.v, motion.a)
    machines = _ProbedMachines(motion, frozenset(geared), model or "exact")
    free = machines.inverse_dynamics_of(bare)
    bases = [
        machines.drive_basis(bare, drive, free, coordinate)
        for drive, coordinate in zip(selected, drive_coordinates(bare, mech, joints), strict=True)
    ]
    wrenches = external_wrenches(bare, mech, motion, cycle_motion.forces, cycle_motion.contact_forces(bare, mech))
    reactions = reactions_along(mech, motion, wrenches)
    limited = tuple(
        replace(basis, limit_sources=_limit_sources(loaded, basis.drive), **_bearing_reaction(mech, basis, reactions))
        for basis in bases
    )
    return DriveSpace(loaded, motion, free + outside, outside, limited)


def _bearing_reaction(mech: Mechanism, basis: DriveBasis, reactions: Array) -> dict[str, Any]:
    """Wrench across the joint of a drive, and the joint's axis; a motor of a train has no joint."""
    joints = [body.joint_name or body.name for body in mech.bodies]
    if basis.drive.joint not in joints:
        return {"reaction": np.zeros((len(basis.speed), 6))}
    k = joints.index(basis.drive.joint)
    return {"reaction": reactions[:, k], "axis": tuple(mech.bodies[k].axis)}


def _limit_sources(robot: Robot, drive: Drive) -> LimitSources:
    """What states the limits of any drive of a joint; those of a joint do not apply to a motor of a train."""
    link = next((link for link in robot.links if link.joint_name == drive.joint), None)
    return LimitSources(link, supply_voltage=supply_voltage(robot, drive.title))


def _kept_gear(drive: Drive, geared: Collection[str]) -> GearType | None:
    """The gear that stays: a screw, rack, belt or other gear defined by its teeth; None for a chosen reducer."""
    return None if isinstance(drive.gear, Gear) and drive.joint not in geared else drive.gear


def _loses_at_reversals(drive: Drive, joints: Collection[str], geared: Collection[str]) -> bool:
    """Whether losses of a drive jump where it reverses; any chosen gearbox has losses."""
    is_chosen = drive.joint in joints and _kept_gear(drive, geared) is None
    return is_chosen or bool(gear_losses(drive.gear)) or drive.motor.total_friction.kind not in ("none", "viscous")


def _with_motor_and_ratio(drive: Drive, motor: Motor, ratio: float, geared: Collection[str]) -> Drive:
    gear = _kept_gear(drive, geared)
    return replace(drive, motor=motor, gear=Gear(ratio) if gear is None else gear)


@dataclass(frozen=True)
class _ProbedMachines:
    """Forces of one motion for robots with different drives."""

    motion: Motion
    geared: frozenset[str]
    model: str

    def inverse_dynamics_of(self, robot: Robot) -> Array:
        """Forces of a robot under the model, (T, n)."""
        mech = approximate(assemble_tree(robot), self.model)
        return np.asarray(inverse_dynamics(mech, self.motion.q, self.motion.v, self.motion.a))

    def drive_basis(self, bare: Robot, drive: Drive, free: Array, coordinate: DriveCoordinate) -> DriveBasis:
        """The basis of a drive, from probes; `free` are the forces of the robot without it."""
        place, kept_gear, motion = drive.motor.position, _kept_gear(drive, self.geared), self.motion

        def fitted_robot(motor: Motor, ratio: float = 1.0) -> Robot:
            return with_sized_drive(bare, _with_motor_and_ratio(drive, motor, ratio, self.geared))

        def added_forces(motor: Motor, ratio: float = 1.0) -> Array:
            return np.asarray(self.inverse_dynamics_of(fitted_robot(motor, ratio)) - free) / PROBE_INERTIA

        mass = added_forces(Motor(motor_mass=PROBE_INERTIA, position=place))
        turning = Motor(inertia=PROBE_INERTIA, position=place)
        if kept_gear is None:
            ratio = 1.0
            forward, backward, double = (added_forces(turning, n) for n in (1.0, -1.0, 2.0))
            first = (forward - backward) / 2
            second = (double - forward - first) / 3
            rest = forward - first - second
        else:
            # For a fixed ratio all of its effect is assigned to the quadratic term.
            ratio = float(kept_gear.ratio)
            rest = first = np.zeros_like(free)
            second = added_forces(turning) / ratio**2
        (kept, kept_inertia), (probed, inertia) = (
            self._rotor_torque_and_inertia(robot, drive.title, coordinate) for robot in (bare, fitted_robot(turning))
        )
        speed, acceleration = motion.v @ coordinate.row, motion.a @ coordinate.row
        is_turning = bool(np.any(inertia - kept_inertia))  # not where a train's rotor turns on another link
        return DriveBasis(
            drive,
            coordinate.share,
            mass,
            rest,
            first,
            second,
            kept_gear,
            carrier=(probed - kept) / PROBE_INERTIA - ratio * acceleration,
            carrier_rate=(inertia - kept_inertia) / PROBE_INERTIA - ratio * is_turning,
            kept_rotor=kept,
            speed=speed,
            acceleration=acceleration,
            direction=motion_direction(motion.t, speed),
        )

    def _rotor_torque_and_inertia(self, robot: Robot, title: str, coordinate: DriveCoordinate) -> tuple[Array, Array]:
        """Torque at a motor that accelerates what turns with it, and its part per acceleration of a drive, (T,)."""
        loads = MotorLoads(approximate(assemble_tree(robot), self.model), self.motion, [title])
        inertia = sum(
            (share * loads.rotor_inertia(title, at) for at, share in enumerate(coordinate.share) if share),
            np.zeros_like(self.motion.t),
        )
        return loads.rotor_torque(title), inertia
