r"""How the forces of a motion depend on the drives that are chosen.

Forces are linear in masses and inertias, and a motor's ratio enters by its square and by itself, so that with mass m,
inertia J and ratio n of every drive k

$\tau(t) = \tau_0(t) + \sum_k m_k\, Y^m_k(t) + J_k (Y^0_k(t) + n_k Y^1_k(t) + n_k^2 Y^2_k(t))$

holds exactly, with coupling to the links that carry the motors. The five series of a drive are found once, from
machines assembled as every machine is; a million choices then are sums of products.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gearwright.analysis import Task
from gearwright.analysis.cycle.cycle_motion import Prescribed
from gearwright.analysis.drives.drive_analysis import ShaftLoad, shaft_load
from gearwright.analysis.links.section_forces import reactions_along
from gearwright.analysis.links.structural_deflection import acting_on
from gearwright.analysis.task.payload_phases import Rows, heaviest
from gearwright.arrays import Array
from gearwright.design.candidates.drive_equations import JOINT_FORCE, JOINT_SPEED, JOINT_TORQUE, VOLTAGE
from gearwright.design.robot_preparation.rigid_gears import rigid_robot
from gearwright.errors import InputError
from gearwright.forces import GearLoss
from gearwright.forces.actuators.dc_motor import supply_voltage
from gearwright.forces.laws_of_robot import laws as laws_of
from gearwright.forces.robot_lines import force_unit
from gearwright.functions.dynamics import inverse_dynamics
from gearwright.mechanism import Mechanism, approximate, assemble
from gearwright.motion import Motion
from gearwright.parts import AnyGear, Drive, Gear, Motor, Robot
from gearwright.text import did_you_mean, listed

ADDED = ("mass", "rest", "first", "second", "reaction")
"""Series of a `DriveBasis`."""
PROBE = 1e-3
"""Mass [kg] and inertia [kg m2] with which a machine is assembled to see what they do."""


@dataclass(frozen=True)
class DriveBasis:
    """What a unit of mass and of inertia of one drive does to all forces over the motion.

    Args:
        drive: the drive as the robot has it.
        at: index of the speed that it drives.
        mass: forces per kilogram of its motor and gearbox, (T, n).
        rest: forces per inertia of what it turns, for ratio 0, (T, n).
        first: times the ratio, (T, n).
        second: times the square of the ratio, (T, n).
        gear: the gear that stays, if only the motor is chosen.
        limits: that the joint states, and what feeds the motor, by their names in an analysis.
        reaction: wrench across the joint without the drives in question: force, then moment about its origin in the
            axes of the driven link, (T, 6).
        axis: of the joint in these axes.
    """

    drive: Drive
    at: int
    mass: Array
    rest: Array
    first: Array
    second: Array
    gear: AnyGear | None
    limits: Mapping[str, float] = field(default_factory=dict)
    reaction: Array = field(default_factory=lambda: np.zeros((0, 6)))
    axis: tuple[Any, ...] = (0.0, 0.0, 1.0)

    @property
    def shaft(self) -> ShaftLoad | None:
        """What the bearings of the joint carry without the drives in question."""
        return shaft_load(tuple(self.reaction.T), self.axis, len(self.reaction)) if len(self.reaction) else None

    def changed(self, how: Callable[[Array], Array]) -> DriveBasis:
        """The same with every series changed."""
        series: dict[str, Any] = {word: how(getattr(self, word)) for word in ADDED}
        return replace(self, **series)

    def forces(self, mass: float, inertia: float, ratio: float) -> Array:
        """What a drive adds to the forces, (T, n)."""
        return mass * self.mass + inertia * (self.rest + ratio * (self.first + ratio * self.second))


@dataclass(frozen=True)
class DriveSpace:
    """A motion, its forces without any of the drives in question, and what each of those adds.

    Args:
        robot: with the task's payload, the heaviest if there are several, its gears rigid.
        motion: sampled.
        bare: forces without the drives, (T, n).
        outside: the part of them that does not accelerate or lift masses: friction and what else acts, (T, n).
        drives: what each drive adds.
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

    def between(self, start: float, end: float) -> DriveSpace:
        """What lies between two times."""
        rows = Rows(self.t, start, end)
        motion = Motion(*(rows.of(x) for x in (self.motion.t, self.motion.q, self.motion.v, self.motion.a)))
        drives = tuple(one.changed(rows.of) for one in self.drives)
        return DriveSpace(self.robot, motion, rows.of(self.bare), rows.of(self.outside), drives)

    def at_times(self, rows: NDArray[np.intp]) -> DriveSpace:
        """Only some of its samples."""
        motion = Motion(*(x[rows] for x in (self.motion.t, self.motion.q, self.motion.v, self.motion.a)))
        drives = tuple(one.changed(lambda series: series[rows]) for one in self.drives)
        return DriveSpace(self.robot, motion, self.bare[rows], self.outside[rows], drives)

    @property
    def duration(self) -> float:
        """How long a cycle takes [s]."""
        return float(self.motion.t[-1] - self.motion.t[0])


def drive_space(
    robot: Robot,
    task: Task,
    joints: Sequence[str],
    samples: int,
    geared: Collection[str] = (),
    model: str | None = None,
) -> DriveSpace:
    """The forces of a task's cycle as a function of the drives of these joints.

    Args:
        robot: with drives at these joints.
        task: whose cycle it is.
        joints: whose drives are in question.
        samples: at how many times.
        geared: joints that keep their gear.
        model: None for the exact machine, or an approximation that `gw.approximate` knows.
    """
    stretches = task.stretches(robot)
    if len(stretches) == 1:
        return _space_of(stretches[0].robot, task, joints, samples, geared, model)
    spaces = [
        _space_of(one.robot, task, joints, samples, geared, model).between(one.start, one.end) for one in stretches
    ]
    return _joined(spaces, rigid_robot(heaviest(stretches)))


def _joined(spaces: Sequence[DriveSpace], robot: Robot) -> DriveSpace:
    """Stretches of a cycle one after the other."""

    def whole(word: str) -> Array:
        return np.concatenate([getattr(one, word) for one in spaces])

    motion = Motion(*(np.concatenate([getattr(one.motion, x) for one in spaces]) for x in "tqva"))
    bases = [_joined_basis(each) for each in zip(*(one.drives for one in spaces), strict=True)]
    return DriveSpace(robot, motion, whole("bare"), whole("outside"), tuple(bases))


def _joined_basis(each: Sequence[DriveBasis]) -> DriveBasis:
    series: dict[str, Any] = {word: np.concatenate([getattr(one, word) for one in each]) for word in ADDED}
    return replace(each[0], **series)


def _space_of(
    loaded: Robot, task: Task, joints: Sequence[str], samples: int, geared: Collection[str], model: str | None
) -> DriveSpace:
    """The whole cycle of a robot that carries one payload all along."""
    loaded = rigid_robot(loaded)
    chosen = [drive_of(loaded, joint) for joint in joints]
    bare = loaded
    for drive in chosen:
        bare = bare.with_drive(drive.title, _with(drive, Motor(position=drive.motor.position), 1.0, geared))
    mech = assemble(bare)
    if mech.shafts:
        raise InputError(
            f"size_drives: {listed(mech.shafts)} turn behind springs that are not those of a gear. Choose the drives "
            "of a rigid robot, and check the elastic one with `analyse`."
        )
    smooth = [law for law in laws_of(bare, mech) if not isinstance(law, GearLoss)]
    course = Prescribed(task.cycle, tuple(task.forces), task.contact, samples)
    found = course.asked_of(bare, laws=smooth, actuators=())
    motion = found.motion
    outside = found.tau - inverse_dynamics(mech, motion.q, motion.v, motion.a)
    machines = _Machines(motion, frozenset(geared), model or "exact")
    free = machines.forces(bare)
    bases = [machines.basis(bare, drive, free, mech.speeds.index(drive.joint)) for drive in chosen]
    acting = acting_on(bare, mech, motion, course.forces, course.contact(bare, mech))
    across = reactions_along(mech, motion, acting)
    limited = tuple(
        replace(one, limits=_stated(loaded, one.drive), reaction=across[:, k], axis=tuple(mech.bodies[k].axis))
        for one in bases
        for k in [_body_of(mech, one.drive.joint)]
    )
    return DriveSpace(loaded, motion, free + outside, outside, limited)


def _body_of(mech: Mechanism, joint: str) -> int:
    """The body that a joint moves."""
    return [body.joint_name or body.name for body in mech.bodies].index(joint)


def _stated(robot: Robot, drive: Drive) -> dict[str, float]:
    """The limits that any drive of a joint must keep: of the joint, and the voltage of what feeds it."""
    link = next(link for link in robot.links if link.joint_name == drive.joint)
    effort = JOINT_TORQUE if force_unit(link) == "Nm" else JOINT_FORCE
    stated = {
        JOINT_SPEED: link.joint.limits.speed,
        effort: link.joint.limits.effort,
        VOLTAGE: supply_voltage(robot, drive.title),
    }
    return {name: float(limit) for name, limit in stated.items() if limit is not None}


def drive_of(robot: Robot, joint: str) -> Drive:
    """The drive of a joint, or an error."""
    known = {drive.joint: drive for drive in robot.drives}
    if joint not in known:
        raise InputError(f"size_drives: joint {joint!r} has no drive to choose. {did_you_mean(joint, known)}")
    return known[joint]


def _stays(drive: Drive, geared: Collection[str]) -> AnyGear | None:
    """A screw, a rack, a belt, whatever is drawn, stays; a reducer known by its ratio is chosen unless it is geared."""
    return None if isinstance(drive.gear, Gear) and drive.joint not in geared else drive.gear


def _with(drive: Drive, motor: Motor, ratio: float, geared: Collection[str]) -> Drive:
    kept = _stays(drive, geared)
    return replace(drive, motor=motor, gear=Gear(ratio) if kept is None else kept)


@dataclass(frozen=True)
class _Machines:
    """Forces of one motion for robots with other drives."""

    motion: Motion
    geared: frozenset[str]
    model: str

    def forces(self, robot: Robot) -> Array:
        """Of the robot as the model sees it, (T, n)."""
        mech = approximate(assemble(robot), self.model)
        return np.asarray(inverse_dynamics(mech, self.motion.q, self.motion.v, self.motion.a))

    def basis(self, bare: Robot, drive: Drive, free: Array, at: int) -> DriveBasis:
        """What a drive does, from probes; `free` are the forces of the robot without it."""

        def added(motor: Motor, ratio: float = 1.0) -> Array:
            fitted = bare.with_drive(drive.title, _with(drive, motor, ratio, self.geared))
            return np.asarray(self.forces(fitted) - free) / PROBE

        place = drive.motor.position
        mass = added(Motor(motor_mass=PROBE, position=place))
        turning = Motor(inertia=PROBE, position=place)
        kept = _stays(drive, self.geared)
        if kept is not None:
            # One ratio only: what it does goes into the square, so that inertia times it is right.
            ratio = float(kept.ratio)
            nothing = np.zeros_like(free)
            return DriveBasis(drive, at, mass, nothing, nothing, added(turning) / ratio**2, kept)
        forward, backward, double = (added(turning, ratio) for ratio in (1.0, -1.0, 2.0))
        first = (forward - backward) / 2
        second = (double - forward - first) / 3
        return DriveBasis(drive, at, mass, forward - first - second, first, second, None)
