"""The data of each joint's actuator: as a model or a configuration states them, and as they follow from its motors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from gearwright.analysis.drives.motor_space import motor_space
from gearwright.arrays import Array
from gearwright.catalogue import Catalogue, drives
from gearwright.files import ACTUATOR_QUANTITIES, ActuatorConfiguration
from gearwright.forces.robot_lines import robot_motors, voltage_limit
from gearwright.functions import assemble, mass_matrix, neutral, structure_matrix
from gearwright.mechanism import joint_kind
from gearwright.parts import Drive, Motor, Robot
from gearwright.programs import approximate

POSTURES = 8
"""Random postures within the limits, besides the neutral one, at which inertias are evaluated."""


@dataclass(frozen=True)
class JointData:
    """Numbers of one joint's actuator in SI units; None where nothing is stated.

    `armature`, `effort`, `speed`, `kp`, `kd`, `friction` and `viscous_friction` are at the joint side,
    `rotor_inertia`, `motor_torque`, `motor_speed` and `motor_mass` at the motor.
    """

    joint: str
    force_unit: str = "Nm"
    armature: float | None = None
    rotor_inertia: float | None = None
    ratio: float | None = None
    effort: float | None = None
    speed: float | None = None
    kp: float | None = None
    kd: float | None = None
    friction: float | None = None
    viscous_friction: float | None = None
    motor_torque: float | None = None
    motor_speed: float | None = None
    motor_mass: float | None = None
    torque_ratio: float | None = None
    speed_ratio: float | None = None

    @property
    def speed_unit(self) -> str:
        """The unit of speed."""
        return "rad/s" if self.force_unit == "Nm" else "m/s"

    @property
    def inertia_unit(self) -> str:
        """The unit of the armature."""
        return "kg m2" if self.force_unit == "Nm" else "kg"

    @property
    def largest_effort(self) -> float | None:
        """What motor and gear can give [Nm, N], without losses; the stated limit without motor data."""
        if self.motor_torque is None or self.ratio is None:
            return self.effort
        return self.motor_torque * abs(self.ratio)

    @property
    def largest_speed(self) -> float | None:
        """What motor and gear can reach [rad/s, m/s]; the stated limit without motor data."""
        if self.motor_speed is None or not self.ratio:
            return self.speed
        return self.motor_speed / abs(self.ratio)


@dataclass(frozen=True)
class ModelData:
    """A model as an audit uses it: the data of each joint, and the inertias at the joints.

    Args:
        name: of the model.
        joints: data by joint.
        speeds: joints in the order of the matrices.
        inertia: mass matrices at several postures [kg m2], (postures, joints, joints); None without a machine.
        reflected: reflected inertia of rotors and wheels [kg m2], (joints, joints).
        damping: viscous friction at the joints [Nms/rad], (joints,).
        motor_rows: motor -> its speed per joint speed.
        carried_mass: mass of the two links at each joint [kg].
        is_elastic: whether drives are elastic, so that rotors have coordinates of their own.
    """

    name: str
    joints: Mapping[str, JointData]
    speeds: tuple[str, ...] = ()
    inertia: Array | None = None
    reflected: Array | None = None
    damping: Array | None = None
    motor_rows: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    carried_mass: Mapping[str, float] = field(default_factory=dict)
    is_elastic: bool = False


def data_of_robot(robot: Robot, catalogue: Catalogue | None = None, independent: Sequence[str] = ()) -> ModelData:
    """Return the data of a robot: those of its drives, and inertias at its joints.

    Args:
        robot: the robot.
        catalogue: data sheets of its motors; None: the bundled ones.
        independent: joints of closed loops at which inertias are stated; (): those that `assemble` chooses.
    """
    if not any(joint_kind(link.joint.kind).dofs for link in robot.links):
        return ModelData(robot.name, {})
    speeds, inertia, reflected, ratios, motors = _inertias(robot, independent)
    damping = np.array([_damping(robot, name) for name in speeds])
    rows = {m: dict(zip(speeds, row, strict=True)) for m, row in zip(motors, ratios, strict=True)}
    sheets = _motor_limits(robot, catalogue or drives())
    joints = {}
    for link in robot.links:
        if joint_kind(link.joint.kind).has_one_coordinate:
            data = _joint_data(robot, link.joint_name)
            if link.joint_name in speeds:
                k = speeds.index(link.joint_name)
                data = replace(data, armature=float(reflected[k, k]))
                data = _with_motors(data, {m: row[link.joint_name] for m, row in rows.items()}, sheets)
            joints[link.joint_name] = data
    elastic = any(drive.gear.stiffness is not None for drive in robot.drives)
    return ModelData(robot.name, joints, speeds, inertia, reflected, damping, rows, _carried_masses(robot), elastic)


def _inertias(robot: Robot, independent: Sequence[str]) -> tuple[tuple[str, ...], Array, Array, Array, tuple[str, ...]]:
    """Return speeds, mass matrices, reflected inertia, motor ratios and motors."""
    mech: Any = assemble(robot, independent=tuple(independent)) if robot.loops else assemble(robot)
    if robot.loops:
        joints = tuple(mech.independent)
        q = mech.reference
        if not mech.actuators:
            M = mass_matrix(mech, q)[None]
            return joints, M, np.zeros(M.shape[1:]), np.zeros((0, len(joints))), ()
        space = motor_space(robot, q, joints)
        return joints, space.inertia[None], space.reflected_inertia, space.ratios, space.motors
    rigid = approximate(mech, "rigid") if mech.shafts else mech
    q = _postures(robot, rigid)
    M = np.atleast_3d(mass_matrix(rigid, q))
    wheels = mass_matrix(approximate(rigid, "reflected"), q[0]) - mass_matrix(approximate(rigid, "none"), q[0])
    ratios = structure_matrix(rigid).T if rigid.actuators else np.zeros((0, rigid.n))
    return tuple(rigid.speeds), M, wheels, ratios, tuple(actuator.name for actuator in rigid.actuators)


def _postures(robot: Robot, mech: Any) -> Array:
    """Return the neutral posture and random ones within the limits of joints with one coordinate, (postures, nq)."""
    rng = np.random.default_rng(0)
    q = np.repeat(neutral(mech)[None], POSTURES + 1, axis=0)
    for link in robot.links:
        if link.joint_name in mech.coordinates and link.joint.follows is None:
            low, high = link.joint.limits.position or (-np.pi, np.pi)
            ends = np.clip([low, high], -np.pi, np.pi)
            q[1:, mech.coordinates.index(link.joint_name)] = rng.uniform(min(ends), max(ends), POSTURES)
    return q


def _joint_data(robot: Robot, name: str) -> JointData:
    link = robot.link_of_joint(name)
    joint, kind = link.joint, joint_kind(link.joint.kind)
    data = JointData(name, kind.force_unit, effort=joint.limits.effort, speed=joint.limits.speed)
    friction = joint.total_friction
    data = replace(data, friction=float(friction.coulomb), viscous_friction=float(friction.viscous))
    for drive in robot.drives:
        if drive.joint == name:
            data = _with_drive(data, drive)
    return data


def _with_drive(data: JointData, drive: Drive) -> JointData:
    n, motor = abs(float(drive.gear.ratio)), drive.motor
    mass = float(motor.mass) + float(motor.mass_at_rest)
    if drive.servo is not None:
        data = replace(data, kp=drive.servo.kp * n * n, kd=drive.servo.kv * n * n)
    motor_friction = motor.total_friction
    return replace(
        data,
        ratio=float(drive.gear.ratio),
        rotor_inertia=float(motor.inertia) or None,
        motor_mass=mass or None,
        friction=(data.friction or 0.0) + n * float(motor_friction.coulomb),
        viscous_friction=(data.viscous_friction or 0.0) + n * n * float(motor_friction.viscous),
    )


def _motor_limits(robot: Robot, catalogue: Catalogue) -> dict[str, tuple[float | None, float | None]]:
    """Return torque and speed limit of each motor: of its electronics and supply, else of its data sheet."""
    limits = {}
    for title, motor in robot_motors(robot):
        sheet = catalogue.motor_by_name(motor.catalogue)
        torque = motor.torque_limit
        if torque is None and sheet is not None:
            torque = sheet.peak_torque or sheet.stall_torque
        speed = _motor_speed(motor, voltage_limit(robot, title, motor))
        if speed is None and sheet is not None:
            speed = sheet.top_speed
        limits[title] = (None if torque is None else float(torque), speed)
    return limits


def _motor_speed(motor: Motor, voltage: float | None) -> float | None:
    """Return the largest speed [rad/s]: that of the electronics, or the no-load speed at the available voltage."""
    no_load = None if voltage is None or motor.torque_constant is None else float(voltage / motor.torque_constant)
    limits = [float(x) for x in (motor.max_speed, no_load) if x is not None]
    return min(limits, default=None)


def _with_motors(data: JointData, ratios: Mapping[str, float], limits: Mapping[str, Any]) -> JointData:
    """Return the data with the limits of the motors that a joint turns; several motors act as one of equal ratio."""
    moved = {motor: n for motor, n in ratios.items() if n}
    if not moved:
        return data
    ratio = data.ratio if data.ratio is not None else max(moved.values(), key=abs)
    torques = [limits.get(motor, (None, None))[0] for motor in moved]
    speeds = [limits.get(motor, (None, None))[1] for motor in moved]
    efforts = [abs(n) * t for n, t in zip(moved.values(), torques, strict=True) if t is not None]
    rates = [w / abs(n) for n, w in zip(moved.values(), speeds, strict=True) if w is not None]
    return replace(
        data,
        ratio=ratio,
        motor_torque=sum(efforts) / abs(ratio) if len(efforts) == len(moved) else None,
        motor_speed=min(rates) * abs(ratio) if len(rates) == len(moved) else None,
    )


def _damping(robot: Robot, name: str) -> float:
    joints = {link.joint_name: link.joint for link in robot.links}
    return float(joints[name].total_friction.viscous) if name in joints else 0.0


def _carried_masses(robot: Robot) -> dict[str, float]:
    masses = {link.name: float(link.mass) for link in robot.links}
    total = sum(masses.values())
    return {x.joint_name: masses[x.name] + masses.get(x.parent, total - masses[x.name]) for x in robot.links}


def configured_data(configuration: ActuatorConfiguration, joints: Mapping[str, JointData]) -> dict[str, JointData]:
    """Return what a configuration states about these joints; without joints, about its own patterns."""
    names = list(joints) or [pattern for group in configuration.groups for pattern in group.patterns]
    stated = {}
    for name in names:
        group = configuration.group_of(name)
        if group is not None:
            unit = joints[name].force_unit if name in joints else "Nm"
            numbers = {quantity: group.value(quantity, name) for quantity in ACTUATOR_QUANTITIES}
            stated[name] = JointData(name, unit, **numbers)
    return stated


def merged_data(first: JointData, second: JointData) -> JointData:
    """Return the data of the second, completed by those of the first."""
    return replace(first, **{word: value for word, value in vars(second).items() if value is not None})
